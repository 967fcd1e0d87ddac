//! Printing into memory: accesses that no compiler announces.
//!
//! How long the text becomes is known when it is there, so it is made elsewhere first. What is printed is not looked at.

use core::arch::naked_asm;
use core::ffi::{c_char, c_void};

use crate::block::move_bytes;
use crate::hooks::hook;
use crate::memory::{Frame, place_of, range, watched};
use crate::unwind::own_code;

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
}

/// Calls [`print_into`] with the registers of the caller, and with the list of arguments that a compiler makes for a function with any number of
/// them: where the registers are saved, how many of them were named, and where the rest is. `$moves` put destination, size and format in place.
macro_rules! with_list {
    ($named:literal $(, $moves:literal)*) => {
        naked_asm!(
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "mov r11, rsp",
            "sub rsp, 0xd8",
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
            "lea rax, [r11 + 56]",
            "mov [rsp + 8], rax",
            "lea rax, [rsp + 0x20]",
            "mov [rsp + 16], rax",
            $($moves,)*
            "mov rcx, rsp",
            "mov r9, r11",
            "call {print}",
            "add rsp, 0x108",
            "ret",
            print = sym print_into,
        )
    };
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn snprintf(_: usize, _: usize, _: Format) -> i32 {
    with_list!(24)
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn sprintf(_: usize, _: Format) -> i32 {
    with_list!(16, "mov rdx, rsi", "mov rsi, -1")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __snprintf_chk(_: usize, _: usize, _: i32, _: usize, _: Format) -> i32 {
    with_list!(40, "mov rdx, r8")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __sprintf_chk(_: usize, _: i32, _: usize, _: Format) -> i32 {
    with_list!(32, "mov rdx, rcx", "mov rsi, -1")
}

/// Its list of arguments is where hooks have the frame.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __vsnprintf_chk(_: usize, _: usize, _: i32, _: usize, _: Format, _: List) -> i32 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov rdx, r8",
        "mov rcx, r9",
        "mov r9, rsp",
        "sub rsp, 8",
        "call {print}",
        "add rsp, 56",
        "ret",
        print = sym print_into,
    )
}
