//! Files that one execution leaves and a later one finds: executions then do not all begin in the
//! same state.
//!
//! Two things outlive executions. The last execution that wrote a file is noted with its device and
//! inode: a file that is read counts as left over if an earlier execution wrote it and this one has
//! not. And for each name in a folder that is not there as it was before the first execution, the
//! last execution that changed it: whatever depends on the name depends on that execution. A name
//! that is as it was in the beginning is forgotten, so nothing is said of files that every
//! execution removes again.
//!
//! What an operation depends on is its footprint ([`crate::uses`]), which is asked once more for
//! that, with a [`Watch`].

use core::ffi::c_char;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::Presence;

use crate::file_lock::Status;
use crate::paths::{File, Path, bytes_of, identity_at};
use crate::sys::{errno::ENOENT, fails};
use crate::token::{controlled, region, remark};
use crate::uses::{Role, Used, Uses};

/// A file was opened, or could not be made because it is there. `before` is what was there before.
pub fn opened(path: *const c_char, before: Option<&Status>, now: Option<&Status>, is: Opening) {
    if !is_relevant() {
        return;
    }
    if is.looked_at && before.is_some_and(|before| is_written(before.identity())) {
        tell(b"a file that an earlier execution wrote: ", path);
    }
    if let Some(now) = now.filter(|_| is.written) {
        region().written_files.note(now.identity(), request());
    }
}

/// How a file is opened.
#[derive(Clone, Copy)]
pub struct Opening {
    /// Does it matter what was in it, or that it was there?
    pub looked_at: bool,
    pub written: bool,
}

/// An operation that changes no names is about to be carried out.
pub fn looks(describe: impl Fn(&mut Uses)) {
    let is_first = || region().changed_names.is_empty() && region().written_files.is_empty();
    if is_relevant() && !is_first() {
        describe(&mut Uses::watched());
    }
}

/// Carries out an operation that may change names.
pub fn changes<T>(describe: impl Fn(&mut Uses), call: impl FnOnce() -> T) -> T {
    if !is_relevant() {
        return call();
    }
    let mut uses = Uses::watched();
    describe(&mut uses);
    let result = call();
    if let Some(watch) = &uses.watch {
        watch.is_done();
    }
    result
}

/// Carries out an operation that removes a name, and returns what it does. If only an earlier
/// execution made what is there, nothing was there in the beginning, and that is what the operation
/// tells when it is gone. Many programs begin like that.
pub fn removes(describe: impl Fn(&mut Uses), call: impl FnOnce() -> usize) -> usize {
    if !is_relevant() {
        return call();
    }
    let mut uses = Uses::watched();
    describe(&mut uses);
    let result = call();
    let Some(watch) = &uses.watch else { return result };
    watch.is_done();
    match result as i32 {
        _ if !watch.restores => result,
        0 => fails(ENOENT) as usize,
        _ => {
            watch.tell();
            result
        }
    }
}

/// A name was made that was not there.
pub fn made(describe: impl Fn(&mut Uses)) {
    if is_relevant() {
        let mut uses = Uses::watched();
        describe(&mut uses);
        if let Some(watch) = &mut uses.watch {
            watch.changes.iter_mut().flatten().for_each(|change| change.before = 0);
            watch.is_done();
        }
    }
}

/// Is there one execution after another in the same folder?
fn is_relevant() -> bool {
    controlled().is_some() && region().header.has_scratch.load(Relaxed) == 0
}

fn request() -> u32 {
    region().header.request.load(Relaxed)
}

/// Did an earlier execution write a file last?
fn is_written(identity: u64) -> bool {
    region().written_files.last(identity).is_some_and(|execution| execution != request())
}

fn tell(what: &[u8], path: *const c_char) {
    region().header.has_leftovers.store(1, Relaxed);
    remark(&[what, bytes_of(path)]);
}

/// What about a name that may change decides what the operation does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Matters {
    Nothing,
    /// Whether something is there.
    Presence,
    /// The same, for an operation that removes it.
    Removal,
}

/// What an operation depends on and what it changes, by its paths.
pub struct Watch {
    /// The path that is being followed.
    path: Option<Path>,
    changes: [Option<Change>; MOST],
    /// Does the operation remove what was not there in the beginning?
    restores: bool,
}

/// No operation changes more names.
const MOST: usize = 2;

/// A name that may change.
#[derive(Clone, Copy)]
struct Change {
    path: Path,
    name: u64,
    folder: u64,
    before: u64,
    /// Does the operation make sure what is there, whatever that was before?
    settles: bool,
}

impl Watch {
    pub const NEW: Watch = Watch { path: None, changes: [None; MOST], restores: false };

    pub fn follows(&mut self, path: Path) {
        self.path = Some(path);
    }

    /// Something is looked at: of interest are names.
    pub fn meets(&self, used: Used) {
        if used.role == Role::Name && region().changed_names.is_left(used.identity, request()) {
            self.tell();
        }
    }

    /// Depends on what a folder has in it.
    pub fn lists(&self, folder: File) {
        if region().changed_names.has_left(folder.contents().identity, request()) {
            self.tell();
        }
    }

    /// Depends on the contents of a file.
    pub fn reads(&self, file: File) {
        if let Some(path) = self.path.filter(|_| is_written(file.inode())) {
            tell(b"a file that an earlier execution wrote: ", path.text);
        }
    }

    pub fn writes(&self, file: File) {
        region().written_files.note(file.inode(), request());
    }

    /// The name that the path leads to, and its folder, may change.
    pub fn changes(&mut self, name: Used, folder: Used, file: Option<File>, what: Matters) {
        let earlier = region().changed_names.presence_left(name.identity, request());
        match (what, earlier) {
            (Matters::Nothing, _) | (_, None) => {}
            (Matters::Removal, Some(Presence { now: true })) => self.restores = true,
            (Matters::Presence | Matters::Removal, Some(_)) => self.tell(),
        }
        let settles = what == Matters::Nothing;
        let before = file.map_or(0, File::inode);
        let change = |path| Change { path, name: name.identity, folder: folder.identity, before, settles };
        if let Some(free) = self.changes.iter_mut().find(|change| change.is_none()) {
            *free = self.path.map(change);
        }
    }

    fn tell(&self) {
        if let Some(path) = self.path {
            tell(b"a file that an earlier execution left: ", path.text);
        }
    }

    /// The operation is over.
    fn is_done(&self) {
        let names = &region().changed_names;
        for change in self.changes.iter().flatten() {
            let now = identity_at(change.path);
            if now != change.before {
                names.note([change.name, change.folder], [change.before, now], request());
            } else if change.settles {
                names.is_settled(change.name, request());
            }
        }
    }
}
