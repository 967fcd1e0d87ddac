//! The callers of a function, with their registers, as the unwinder of exceptions finds them.

use core::ffi::c_void;
use core::ops::Range;

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut c_void, *mut c_void) -> i32, data: *mut c_void) -> i32;
    fn _Unwind_GetIPInfo(context: *mut c_void, is_before: *mut i32) -> usize;
    fn _Unwind_GetGR(context: *mut c_void, register: i32) -> usize;

    // The linker defines where this library begins, where its code ends, and where all of it ends.
    static __ehdr_start: u8;
    static etext: u8;
    static _end: u8;
}

/// Where the code of this library is.
pub fn own_code() -> Range<usize> {
    &raw const __ehdr_start as usize..&raw const etext as usize
}

/// Where all of this library is.
pub fn own_memory() -> Range<usize> {
    &raw const __ehdr_start as usize..&raw const _end as usize
}

/// A function that was called and has not returned.
pub struct Caller(*mut c_void);

impl Caller {
    /// Where it goes on, and whether it was interrupted there rather than calling something just before.
    pub fn address(&self) -> (usize, bool) {
        let mut is_before = 0;
        // SAFETY: the unwinder passed the context, and it is still visiting it.
        let address = unsafe { _Unwind_GetIPInfo(self.0, &mut is_before) };
        (address, is_before != 0)
    }

    pub fn register(&self, number: i32) -> usize {
        // SAFETY: as above.
        unsafe { _Unwind_GetGR(self.0, number) }
    }
}

type Visit<'v> = &'v mut dyn FnMut(&Caller) -> bool;

/// Visits the callers from the innermost on, as long as `visit` wants more.
pub fn each_caller(mut visit: Visit) {
    // SAFETY: `step` is called with the place of `visit`, before this function returns.
    unsafe { _Unwind_Backtrace(step, &raw mut visit as *mut c_void) };
}

extern "C" fn step(context: *mut c_void, visit: *mut c_void) -> i32 {
    const GO_ON: i32 = 0;
    const STOP: i32 = 4;
    // SAFETY: see `each_caller`.
    let visit = unsafe { &mut *(visit as *mut Visit) };
    if visit(&Caller(context)) { GO_ON } else { STOP }
}
