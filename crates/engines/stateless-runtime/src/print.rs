//! Printing into memory: accesses that no compiler announces.
//!
//! How long the text becomes is known when it is there, so it is made elsewhere first. What is printed is not looked at.

use core::ffi::{c_char, c_void};

use crate::block::move_bytes;
use crate::hooks::hook;
use crate::memory::{Frame, place_of, range, watched};
use crate::unwind::own_code;
use crate::variadic::with_list;

unsafe extern "C" {
    fn vasprintf(text: *mut *mut c_char, format: *const c_char, arguments: *mut c_void) -> i32;
    fn free(text: *mut c_void);
}

type Unused = usize;
type Format = *const c_char;
type List = *mut c_void;

/// Prints at most so many bytes, the zero at the end among them.
extern "C" fn print_into(
    to: usize,
    size: usize,
    format: Format,
    arguments: List,
    _: Unused,
    frame: Frame,
) -> i32 {
    if watched().is_none() || own_code().contains(&(place_of(frame) as usize)) || size == 0 {
        // The C library takes no larger size.
        let size = size.min(i32::MAX as usize);
        return real!(c"vsnprintf": fn(usize, usize, Format, List) -> i32, (to, size, format, arguments));
    }
    let mut text = core::ptr::null_mut();
    // SAFETY: format and arguments are the program's.
    let length = unsafe { vasprintf(&mut text, format, arguments) };
    if length >= 0 {
        let length = (length as usize).min(size - 1);
        range(to, length + 1, true, frame);
        move_bytes(to, text as usize, length);
        // SAFETY: the program has so much room; and the C library has just made the text.
        unsafe {
            *((to + length) as *mut u8) = 0;
            free(text.cast());
        }
    }
    length
}

/// For functions that are not told how much room there is.
extern "C" fn print_all(
    to: usize,
    format: Format,
    arguments: List,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> i32 {
    print_into(to, usize::MAX, format, arguments, 0, frame)
}

/// The same, called by programs that have the room checked.
extern "C" fn print_all_checked(
    to: usize,
    _: Unused,
    _: Unused,
    format: Format,
    arguments: List,
    frame: Frame,
) -> i32 {
    print_into(to, usize::MAX, format, arguments, 0, frame)
}

hook! {
    vsnprintf => print_into;
    vsprintf => print_all;
    __vsprintf_chk => print_all_checked;
    __vsnprintf_chk => print_into, "mov rdx, r8", "mov rcx, r9";
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn snprintf(_: usize, _: usize, _: Format) -> i32 {
    with_list!(24, print_into, "mov rcx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn sprintf(_: usize, _: Format) -> i32 {
    with_list!(16, print_into, "mov rdx, rsi", "mov rsi, -1", "mov rcx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __snprintf_chk(_: usize, _: usize, _: i32, _: usize, _: Format) -> i32 {
    with_list!(40, print_into, "mov rdx, r8", "mov rcx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __sprintf_chk(_: usize, _: i32, _: usize, _: Format) -> i32 {
    with_list!(32, print_into, "mov rdx, rcx", "mov rsi, -1", "mov rcx, rsp")
}
