//! Printing to a descriptor: the C library does that with a stream of its own, which nobody sees.

use core::ffi::{c_char, c_void};

use crate::file_calls::transfers;
use crate::hooks::hook;
use crate::memory::{Frame, place_of};
use crate::print::looks_at_printed;
use crate::stdio::is_modelled;
use crate::token::controlled;
use crate::transfer::modelled_write;
use crate::uses::step;
use crate::variadic::with_list;
use crate::vector::Vector;

unsafe extern "C" {
    fn vasprintf(text: *mut *mut c_char, format: *const c_char, arguments: *mut c_void) -> i32;
    fn free(text: *mut c_void);
}

type Unused = usize;

extern "C" fn print(
    descriptor: i32,
    format: *const c_char,
    arguments: *mut c_void,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> i32 {
    looks_at_printed(format, arguments, frame);
    if controlled().is_none() || !is_modelled(descriptor as usize) {
        step(place_of(frame), |uses| transfers(uses, descriptor as usize, true));
        return real!(c"vdprintf": fn(i32, *const c_char, *mut c_void) -> i32, (descriptor, format, arguments));
    }
    let mut text = core::ptr::null_mut();
    // SAFETY: format and arguments are the program's.
    let length = unsafe { vasprintf(&mut text, format, arguments) };
    if length > 0 {
        modelled_write(descriptor as usize, &Vector::single(text as usize, length as usize), place_of(frame));
    }
    if length >= 0 {
        // SAFETY: the C library has just made it.
        unsafe { free(text.cast()) };
    }
    length
}

hook! {
    vdprintf => print;
    __vdprintf_chk => print, "mov rsi, rdx", "mov rdx, rcx";
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn dprintf(_: i32, _: *const c_char) -> i32 {
    with_list!(16, print, "mov rdx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __dprintf_chk(_: i32, _: i32, _: *const c_char) -> i32 {
    with_list!(24, print, "mov rsi, rdx", "mov rdx, rsp")
}
