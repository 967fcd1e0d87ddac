//! The functions that this library hides.

use core::ffi::{c_char, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `RTLD_NEXT`.
const NEXT: *mut c_void = -1_isize as *mut c_void;

/// The address of the hidden function, or 0.
pub fn find(name: &core::ffi::CStr) -> usize {
    // SAFETY: the name ends with a zero byte.
    unsafe { dlsym(NEXT, name.as_ptr()) as usize }
}

/// The same, looked for when it is needed first. The name ends with a zero byte.
pub fn find_once(address: &AtomicUsize, name: &'static str) -> usize {
    if address.load(Relaxed) == 0 {
        let name = core::ffi::CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default();
        address.store(find(name), Relaxed);
    }
    address.load(Relaxed)
}

/// Calls the function that this library hides: `real!(c"name": fn(i32) -> i32, (argument))`.
macro_rules! real {
    ($name:literal : fn($($type:ty),*) -> $result:ty, ($($argument:expr),*)) => {{
        static ADDRESS: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
        let mut address = ADDRESS.load(core::sync::atomic::Ordering::Relaxed);
        if address == 0 {
            address = $crate::real::find($name);
            ADDRESS.store(address, core::sync::atomic::Ordering::Relaxed);
        }
        // SAFETY: the C library has a function of this name and type; the arguments are the caller's.
        unsafe {
            let function: extern "C" fn($($type),*) -> $result = core::mem::transmute(address);
            function($($argument),*)
        }
    }};
}
