//! Functions of the C library that put what they read into memory of the program: accesses that no compiler announces.
//!
//! What was written is known afterwards. So what is visible is announced before, for as much as could be written, and what was written is noted
//! when it is there.

use core::ffi::c_void;

use crate::block::{is_watched, looks_at, text_length};
use crate::format::{Arguments, Touched, scanned};
use crate::hooks::hook;
use crate::locale;
use crate::memory::{Frame, expect_writes, note_writes, place_of, range};
use crate::stream_calls::{How, uses_input, uses_stream};
use crate::variadic::with_list;

type Unused = usize;
type Format = *const u8;
type List = *mut c_void;

/// So many bytes of a text are expected, if nobody says how long it can be.
const LONG_TEXT: usize = 256;

/// Lets `scan` scan with a format.
fn scan(format: Format, list: List, frame: Frame, scan: impl FnOnce() -> i32) -> i32 {
    locale::is_used(place_of(frame));
    if !is_watched(frame) {
        return scan();
    }
    range(format as usize, text_length(format as usize, usize::MAX), false, frame);
    // The list is used up by scanning.
    let arguments = Arguments::of(list);
    scanned(format, arguments, |address, touched, _| {
        let size = match touched {
            Touched::Bytes(size) => size,
            Touched::Text(most) | Touched::NewText(most) => most.min(LONG_TEXT) + 1,
        };
        expect_writes(address, size, frame);
    });
    let n_converted = scan();
    scanned(format, arguments, |address, touched, n_needed| {
        if usize::try_from(n_converted).is_ok_and(|n_converted| n_converted >= n_needed) {
            let size = match touched {
                Touched::Bytes(size) => size,
                Touched::Text(_) | Touched::NewText(_) => text_length(address, usize::MAX),
            };
            note_writes(address, size, frame);
        }
    });
    n_converted
}

/// The functions of one version of the standard, which differ in what they take for a number.
macro_rules! scanning {
    ($($version:ident: $scanf:ident $fscanf:ident $sscanf:ident, $vscanf:ident $standard:literal, $vfscanf:ident $stream:literal,
        $vsscanf:ident $text:literal;)*) => {
        $(mod $version {
            use super::*;

            pub extern "C" fn standard(format: Format, list: List, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
                scan(format, list, frame, || {
                    uses_input(place_of(frame));
                    real!($standard: fn(Format, List) -> i32, (format, list))
                })
            }

            pub extern "C" fn stream(stream: usize, format: Format, list: List, _: Unused, _: Unused, frame: Frame) -> i32 {
                scan(format, list, frame, || {
                    uses_stream(stream, How::Reads, place_of(frame));
                    real!($stream: fn(usize, Format, List) -> i32, (stream, format, list))
                })
            }

            pub extern "C" fn text(text: usize, format: Format, list: List, _: Unused, _: Unused, frame: Frame) -> i32 {
                looks_at(text, frame);
                scan(format, list, frame, || real!($text: fn(usize, Format, List) -> i32, (text, format, list)))
            }
        }

        hook! {
            $vscanf => $version::standard;
            $vfscanf => $version::stream;
            $vsscanf => $version::text;
        }

        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $scanf(_: Format) -> i32 {
            with_list!(8, $version::standard, "mov rsi, rsp")
        }

        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $fscanf(_: usize, _: Format) -> i32 {
            with_list!(16, $version::stream, "mov rdx, rsp")
        }

        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $sscanf(_: usize, _: Format) -> i32 {
            with_list!(16, $version::text, "mov rdx, rsp")
        })*
    };
}

scanning! {
    gnu: scanf fscanf sscanf, vscanf c"vscanf", vfscanf c"vfscanf", vsscanf c"vsscanf";
    c99: __isoc99_scanf __isoc99_fscanf __isoc99_sscanf, __isoc99_vscanf c"__isoc99_vscanf", __isoc99_vfscanf c"__isoc99_vfscanf",
        __isoc99_vsscanf c"__isoc99_vsscanf";
    c23: __isoc23_scanf __isoc23_fscanf __isoc23_sscanf, __isoc23_vscanf c"__isoc23_vscanf", __isoc23_vfscanf c"__isoc23_vfscanf",
        __isoc23_vsscanf c"__isoc23_vsscanf";
}

/// Lets `get` write at most so many bytes; how many it wrote is in what it returns.
fn get(
    to: usize,
    most: usize,
    frame: Frame,
    get: impl FnOnce() -> usize,
    written: impl FnOnce(usize) -> usize,
) -> usize {
    if !is_watched(frame) {
        return get();
    }
    expect_writes(to, most, frame);
    let result = get();
    note_writes(to, written(result), frame);
    result
}

/// What `fgets` wrote, by what it returned.
fn line_length(line: usize) -> usize {
    if line == 0 { 0 } else { text_length(line, usize::MAX) }
}

extern "C" fn get_line(to: usize, size: usize, stream: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"fgets": fn(usize, usize, usize) -> usize, (to, size, stream))
    };
    get(to, (size as i32).max(0) as usize, frame, call, line_length)
}

extern "C" fn get_line_unlocked(
    to: usize,
    size: usize,
    stream: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"fgets_unlocked": fn(usize, usize, usize) -> usize, (to, size, stream))
    };
    get(to, (size as i32).max(0) as usize, frame, call, line_length)
}

extern "C" fn get_line_checked(
    to: usize,
    room: usize,
    size: usize,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"__fgets_chk": fn(usize, usize, usize, usize) -> usize, (to, room, size, stream))
    };
    get(to, (size as i32).max(0) as usize, frame, call, line_length)
}

extern "C" fn get_line_unlocked_checked(
    to: usize,
    room: usize,
    size: usize,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"__fgets_unlocked_chk": fn(usize, usize, usize, usize) -> usize, (to, room, size, stream))
    };
    get(to, (size as i32).max(0) as usize, frame, call, line_length)
}

extern "C" fn get_items(
    to: usize,
    size: usize,
    count: usize,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"fread": fn(usize, usize, usize, usize) -> usize, (to, size, count, stream))
    };
    get(to, size.saturating_mul(count), frame, call, |count| count * size)
}

extern "C" fn get_items_unlocked(
    to: usize,
    size: usize,
    count: usize,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"fread_unlocked": fn(usize, usize, usize, usize) -> usize, (to, size, count, stream))
    };
    get(to, size.saturating_mul(count), frame, call, |count| count * size)
}

extern "C" fn get_items_checked(
    to: usize,
    room: usize,
    size: usize,
    count: usize,
    stream: usize,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"__fread_chk": fn(usize, usize, usize, usize, usize) -> usize, (to, room, size, count, stream))
    };
    get(to, size.saturating_mul(count), frame, call, |count| count * size)
}

extern "C" fn get_items_unlocked_checked(
    to: usize,
    room: usize,
    size: usize,
    count: usize,
    stream: usize,
    frame: Frame,
) -> usize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"__fread_unlocked_chk": fn(usize, usize, usize, usize, usize) -> usize, (to, room, size, count, stream))
    };
    get(to, size.saturating_mul(count), frame, call, |count| count * size)
}

/// A line of any length, in memory that the C library makes larger if need be.
extern "C" fn get_any_line(
    line: *mut usize,
    size: *mut usize,
    end: i32,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> isize {
    let call = || {
        uses_stream(stream, How::Reads, place_of(frame));
        real!(c"getdelim": fn(*mut usize, *mut usize, i32, usize) -> isize, (line, size, end, stream))
    };
    if !is_watched(frame) || line.is_null() || size.is_null() {
        return call();
    }
    range(line as usize, 8, false, frame);
    range(size as usize, 8, false, frame);
    // SAFETY: the program passes both places; they are read again when the C library has written them.
    let before = unsafe { (*line, *size) };
    if before.0 != 0 {
        expect_writes(before.0, before.1, frame);
    }
    expect_writes(line as usize, 8, frame);
    expect_writes(size as usize, 8, frame);
    let length = call();
    // SAFETY: as above.
    let after = unsafe { (*line, *size) };
    if after != before {
        note_writes(line as usize, 8, frame);
        note_writes(size as usize, 8, frame);
    }
    if let Ok(length) = usize::try_from(length) {
        note_writes(after.0, length + 1, frame);
    }
    length
}

hook! {
    fgets => get_line;
    fgets_unlocked => get_line_unlocked;
    __fgets_chk => get_line_checked;
    __fgets_unlocked_chk => get_line_unlocked_checked;
    fread => get_items;
    fread_unlocked => get_items_unlocked;
    __fread_chk => get_items_checked;
    __fread_unlocked_chk => get_items_unlocked_checked;
    getdelim => get_any_line;
    __getdelim => get_any_line;
    // The line ends with a newline.
    getline => get_any_line, "mov rcx, rdx", "mov edx, 10";
}
