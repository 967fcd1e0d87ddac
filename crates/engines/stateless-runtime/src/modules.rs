//! Which files are loaded where: for the explorer, so that it can find source lines and names, and to know whose code it is.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;

use crate::image::Segment;
use crate::token::region;

/// The beginning of what the loader says about a file.
#[repr(C)]
pub struct File {
    base: u64,
    name: *const c_char,
    segments: *const Segment,
    n_segments: u16,
}

impl File {
    /// Empty if it is the program itself.
    pub fn path(&self) -> &[u8] {
        // SAFETY: the loader's names end with a zero byte.
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }

    /// Where its code is.
    pub fn code(&self) -> impl Iterator<Item = Range<usize>> {
        self.segments().filter(|segment| segment.is_code()).map(|segment| segment.range(self.base))
    }

    /// What is loaded and not written.
    pub fn constants(&self) -> impl Iterator<Item = Range<usize>> {
        let constants = self.segments().filter(|segment| segment.is_constant());
        constants.map(|segment| segment.range(self.base))
    }

    /// Where its variables are.
    pub fn variables(&self) -> impl Iterator<Item = Range<usize>> {
        self.segments().filter(|segment| segment.is_writable()).map(|segment| segment.range(self.base))
    }

    fn segments(&self) -> impl Iterator<Item = &Segment> {
        // SAFETY: the loader has a table of this length.
        unsafe { core::slice::from_raw_parts(self.segments, usize::from(self.n_segments)) }.iter()
    }
}

type Visit<'v> = &'v mut dyn FnMut(&File);

unsafe extern "C" {
    fn dl_iterate_phdr(
        callback: extern "C" fn(*const File, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// Visits the program and its libraries.
pub fn each_file(mut visit: Visit) {
    // SAFETY: `step` is called with the place of `visit`, before this function returns.
    unsafe { dl_iterate_phdr(step, &raw mut visit as *mut c_void) };
}

extern "C" fn step(file: *const File, _: usize, visit: *mut c_void) -> c_int {
    // SAFETY: see `each_file`; the loader passes its own record.
    let (visit, file) = unsafe { (&mut *(visit as *mut Visit), &*file) };
    visit(file);
    0
}

/// Tells the explorer about the program and its libraries. To be called before any execution.
pub fn tell() {
    region().header.n_modules.store(0, Relaxed);
    each_file(&mut note);
}

fn note(file: &File) {
    let region = region();
    let number = region.header.n_modules.load(Relaxed);
    let Some(module) = region.modules.get(number as usize) else { return };
    module.base.store(file.base, Relaxed);
    module.path.store(&[file.path()]);
    region.header.n_modules.store(number + 1, Relaxed);
}
