//! Printing to a descriptor: the C library does that with a stream of its own, which nobody sees.

use core::arch::naked_asm;
use core::ffi::{c_char, c_void};

use crate::stdio::is_modelled;
use crate::token::{caller, controlled};
use crate::transfer::modelled_write;
use crate::vector::Vector;

unsafe extern "C" {
    fn vasprintf(text: *mut *mut c_char, format: *const c_char, arguments: *mut c_void) -> i32;
    fn free(text: *mut c_void);
}

#[unsafe(no_mangle)]
pub extern "C" fn vdprintf(descriptor: i32, format: *const c_char, arguments: *mut c_void) -> i32 {
    let place = caller();
    if controlled().is_none() || !is_modelled(descriptor as usize) {
        return real!(c"vdprintf": fn(i32, *const c_char, *mut c_void) -> i32, (descriptor, format, arguments));
    }
    let mut text = core::ptr::null_mut();
    // SAFETY: format and arguments are the program's.
    let length = unsafe { vasprintf(&mut text, format, arguments) };
    if length > 0 {
        modelled_write(descriptor as usize, &Vector::single(text as usize, length as usize), place);
    }
    if length >= 0 {
        // SAFETY: the C library has just made it.
        unsafe { free(text.cast()) };
    }
    length
}

#[unsafe(no_mangle)]
pub extern "C" fn __vdprintf_chk(
    descriptor: i32,
    _: i32,
    format: *const c_char,
    arguments: *mut c_void,
) -> i32 {
    vdprintf(descriptor, format, arguments)
}

/// Makes the list of arguments that `vdprintf` wants out of registers and stack, as a compiler does for a function with any number of
/// arguments: where the registers are saved, how many of them were named, and where the rest is.
macro_rules! with_list {
    ($named:literal, $format:literal) => {
        naked_asm!(
            "push rbp",
            "mov rbp, rsp",
            "sub rsp, 0xd0",
            "mov [rsp + 0x20], rdi",
            "mov [rsp + 0x28], rsi",
            "mov [rsp + 0x30], rdx",
            "mov [rsp + 0x38], rcx",
            "mov [rsp + 0x40], r8",
            "mov [rsp + 0x48], r9",
            "movaps [rsp + 0x50], xmm0",
            "movaps [rsp + 0x60], xmm1",
            "movaps [rsp + 0x70], xmm2",
            "movaps [rsp + 0x80], xmm3",
            "movaps [rsp + 0x90], xmm4",
            "movaps [rsp + 0xa0], xmm5",
            "movaps [rsp + 0xb0], xmm6",
            "movaps [rsp + 0xc0], xmm7",
            concat!("mov dword ptr [rsp], ", $named),
            "mov dword ptr [rsp + 4], 48",
            "lea rax, [rbp + 16]",
            "mov [rsp + 8], rax",
            "lea rax, [rsp + 0x20]",
            "mov [rsp + 16], rax",
            concat!("mov rsi, ", $format),
            "mov rdx, rsp",
            "call {vdprintf}",
            "leave",
            "ret",
            vdprintf = sym vdprintf,
        )
    };
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn dprintf(_: i32, _: *const c_char) -> i32 {
    with_list!(16, "rsi")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __dprintf_chk(_: i32, _: i32, _: *const c_char) -> i32 {
    with_list!(24, "rdx")
}
