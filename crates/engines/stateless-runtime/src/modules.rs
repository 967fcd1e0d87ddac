//! Which files are loaded where, so that the explorer can find source lines and names.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use crate::token::region;

/// The beginning of what the loader says about a file.
#[repr(C)]
struct Information {
    base: u64,
    name: *const c_char,
}

unsafe extern "C" {
    fn dl_iterate_phdr(
        callback: extern "C" fn(*const Information, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// Tells the explorer about the program and its libraries. To be called before any execution.
pub fn tell() {
    region().header.n_modules.store(0, Relaxed);
    // SAFETY: the callback has the type that the C library expects.
    unsafe { dl_iterate_phdr(note, core::ptr::null_mut()) };
}

extern "C" fn note(information: *const Information, _: usize, _: *mut c_void) -> c_int {
    let region = region();
    let number = region.header.n_modules.load(Relaxed);
    let Some(module) = region.modules.get(number as usize) else { return 1 };
    // SAFETY: the loader passes its own record, whose name ends with a zero byte.
    let (base, name) = unsafe { ((*information).base, CStr::from_ptr((*information).name)) };
    module.base.store(base, Relaxed);
    module.path.store(&[name.to_bytes()]);
    region.header.n_modules.store(number + 1, Relaxed);
    0
}
