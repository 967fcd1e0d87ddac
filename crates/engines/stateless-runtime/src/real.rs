//! The functions that this library hides.

use core::ffi::c_void;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::by_name;

/// `RTLD_NEXT`.
pub const NEXT: *mut c_void = -1_isize as *mut c_void;
/// `RTLD_DEFAULT`.
pub const DEFAULT: *mut c_void = core::ptr::null_mut();

/// The address of the hidden function, or 0.
pub fn find(name: &core::ffi::CStr) -> usize {
    by_name::look(NEXT, name.as_ptr()) as usize
}

/// The same, looked for when it is needed first. The name ends with a zero byte.
pub fn find_once(address: &AtomicUsize, name: &'static str) -> usize {
    if address.load(Relaxed) == 0 {
        let name = core::ffi::CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default();
        address.store(find(name), Relaxed);
    }
    address.load(Relaxed)
}

/// A function that is called somewhere. All of them are in one section of the library, one after the other.
pub struct Hidden {
    name: &'static core::ffi::CStr,
    address: AtomicUsize,
}

impl Hidden {
    pub const fn new(name: &'static core::ffi::CStr) -> Hidden {
        Hidden { name, address: AtomicUsize::new(0) }
    }

    /// Where it is.
    #[inline(always)]
    pub fn address(&self) -> usize {
        match self.address.load(Relaxed) {
            0 => self.find(),
            address => address,
        }
    }

    #[cold]
    fn find(&self) -> usize {
        let address = find(self.name);
        self.address.store(address, Relaxed);
        address
    }
}

/// Looks for all of them, so that executions, which begin as copies of this process, need not.
pub fn find_all() {
    unsafe extern "C" {
        // The linker names both ends of the section.
        static __start_hidden_functions: u8;
        static __stop_hidden_functions: u8;
    }
    let (start, end) = (&raw const __start_hidden_functions, &raw const __stop_hidden_functions);
    let count = (end as usize - start as usize) / size_of::<Hidden>();
    // SAFETY: there is nothing else in the section.
    for function in unsafe { core::slice::from_raw_parts(start.cast::<Hidden>(), count) } {
        function.address();
    }
}

/// Calls the function that this library hides: `real!(c"name": fn(i32) -> i32, (argument))`.
macro_rules! real {
    ($name:literal : fn($($type:ty),*) -> $result:ty, ($($argument:expr),*)) => {{
        #[used]
        #[unsafe(link_section = "hidden_functions")]
        static FUNCTION: $crate::real::Hidden = $crate::real::Hidden::new($name);
        let address = FUNCTION.address();
        // SAFETY: the C library has a function of this name and type; the arguments are the caller's.
        unsafe {
            let function: extern "C" fn($($type),*) -> $result = core::mem::transmute(address);
            function($($argument),*)
        }
    }};
}
