//! Files that one execution writes and a later one reads: executions then do not all begin in the
//! same state.
//!
//! Which execution wrote a file last outlives executions, by device and inode. A file that is
//! opened for reading counts as left over if an earlier execution wrote it and this one has not;
//! one that is made or emptied does not.

use core::ffi::c_char;
use core::sync::atomic::Ordering::Relaxed;

use crate::file_lock::Status;
use crate::paths::bytes_of;
use crate::token::{region, remark};

/// A file was opened, or could not be made because it is there. `before` is what was there before.
pub fn opened(path: *const c_char, before: Option<&Status>, now: Option<&Status>, is: Opening) {
    let header = &region().header;
    if header.has_scratch.load(Relaxed) != 0 {
        return;
    }
    let request = header.request.load(Relaxed);
    let written = |status: &Status| region().written_files.last(status.identity());
    let is_left = |status: &Status| written(status).is_some_and(|execution| execution != request);
    if is.looked_at && before.is_some_and(is_left) {
        remark(&[b"a file that an earlier execution wrote: ", bytes_of(path)]);
    }
    if let Some(now) = now.filter(|_| is.written) {
        region().written_files.note(now.identity(), request);
    }
}

/// How a file is opened.
#[derive(Clone, Copy)]
pub struct Opening {
    /// Does it matter what was in it, or that it was there?
    pub looked_at: bool,
    pub written: bool,
}
