//! Printing: it reads the texts that are printed, and some of it writes to memory. No compiler announces these accesses.
//!
//! How long a text in memory becomes is known when it is there, so it is made elsewhere first.

use core::ffi::{c_char, c_void};

use crate::block::{is_watched, move_bytes, text_length};
use crate::format::{Arguments, Touched, printed};
use crate::hooks::hook;
use crate::locale;
use crate::memory::{Frame, place_of, range};
use crate::stream_calls::{How, uses_output, uses_stream};
use crate::variadic::with_list;

unsafe extern "C" {
    fn free(text: *mut c_void);
}

type Unused = usize;
type Format = *const c_char;
type List = *mut c_void;

/// Looks at what is printed. What is printed is read again afterwards, so it is what is there when the last of these accesses was made.
pub fn looks_at_printed(format: Format, list: *const c_void, frame: Frame) {
    locale::is_used(place_of(frame));
    if is_watched(frame) {
        range(format as usize, text_length(format as usize, usize::MAX), false, frame);
        printed(format.cast(), Arguments::of(list), |address, touched| match touched {
            Touched::Text(most) => range(address, text_length(address, most), false, frame),
            Touched::Bytes(size) | Touched::NewText(size) => range(address, size, true, frame),
        });
    }
}

extern "C" fn print(format: Format, list: List, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_printed(format, list, frame);
    uses_output(place_of(frame));
    real!(c"vprintf": fn(Format, List) -> i32, (format, list))
}

extern "C" fn print_checked(
    flag: i32,
    format: Format,
    list: List,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> i32 {
    looks_at_printed(format, list, frame);
    uses_output(place_of(frame));
    real!(c"__vprintf_chk": fn(i32, Format, List) -> i32, (flag, format, list))
}

extern "C" fn print_to(stream: usize, format: Format, list: List, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_printed(format, list, frame);
    uses_stream(stream, How::Writes, place_of(frame));
    real!(c"vfprintf": fn(usize, Format, List) -> i32, (stream, format, list))
}

extern "C" fn print_to_checked(
    stream: usize,
    flag: i32,
    format: Format,
    list: List,
    _: Unused,
    frame: Frame,
) -> i32 {
    looks_at_printed(format, list, frame);
    uses_stream(stream, How::Writes, place_of(frame));
    real!(c"__vfprintf_chk": fn(usize, i32, Format, List) -> i32, (stream, flag, format, list))
}

/// Into memory that is made for it.
extern "C" fn print_new(text: usize, format: Format, list: List, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_printed(format, list, frame);
    if is_watched(frame) {
        range(text, 8, true, frame);
    }
    real!(c"vasprintf": fn(usize, Format, List) -> i32, (text, format, list))
}

/// Prints at most so many bytes, the zero at the end among them.
extern "C" fn print_into(
    to: usize,
    size: usize,
    format: Format,
    arguments: List,
    _: Unused,
    frame: Frame,
) -> i32 {
    looks_at_printed(format, arguments, frame);
    if !is_watched(frame) || size == 0 {
        // The C library takes no larger size.
        let size = size.min(i32::MAX as usize);
        return real!(c"vsnprintf": fn(usize, usize, Format, List) -> i32, (to, size, format, arguments));
    }
    let mut text: *mut c_char = core::ptr::null_mut();
    let length =
        real!(c"vasprintf": fn(*mut *mut c_char, Format, List) -> i32, (&raw mut text, format, arguments));
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
    vprintf => print;
    __vprintf_chk => print_checked;
    vfprintf => print_to;
    __vfprintf_chk => print_to_checked;
    vasprintf => print_new;
    __vasprintf_chk => print_new, "mov rsi, rdx", "mov rdx, rcx";
    vsnprintf => print_into;
    vsprintf => print_all;
    __vsprintf_chk => print_all_checked;
    __vsnprintf_chk => print_into, "mov rdx, r8", "mov rcx, r9";
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn printf(_: Format) -> i32 {
    with_list!(8, print, "mov rsi, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __printf_chk(_: i32, _: Format) -> i32 {
    with_list!(16, print_checked, "mov rdx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn fprintf(_: usize, _: Format) -> i32 {
    with_list!(16, print_to, "mov rdx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __fprintf_chk(_: usize, _: i32, _: Format) -> i32 {
    with_list!(24, print_to_checked, "mov rcx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn asprintf(_: usize, _: Format) -> i32 {
    with_list!(16, print_new, "mov rdx, rsp")
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
pub extern "C" fn __asprintf_chk(_: usize, _: i32, _: Format) -> i32 {
    with_list!(24, print_new, "mov rsi, rdx", "mov rdx, rsp")
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
