//! Functions of the C library that copy, fill, compare and print memory: accesses that no compiler announces.
//!
//! This library calls them too; what it does itself is not looked at.

use core::arch::asm;

use crate::hooks::hook;
use crate::image::may_be_silent;
use crate::memory::{Frame, is_unmapped, place_of, range, watched_call};
use crate::stream_calls::{How, uses_output, uses_stream};
use crate::unwind::own_code;

/// Should a call be looked at? Not if it may be made by code that is not announced at all, such as the standard library of Rust: what orders it is
/// not seen either.
#[inline]
pub fn is_watched(frame: Frame) -> bool {
    let place = place_of(frame) as usize;
    watched_call() && !own_code().contains(&place) && !may_be_silent(place)
}

/// A function of the C library that is modelled here is about to write its result.
pub fn will_write<T>(into: *const T, size: usize, frame: Frame) {
    if !into.is_null() && is_watched(frame) {
        range(into as usize, size, true, frame);
    }
}

type Unused = usize;

extern "C" fn announced_copy(
    to: usize,
    from: usize,
    size: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    if watched_call() {
        range(from, size, false, frame);
        range(to, size, true, frame);
    }
    move_bytes(to, from, size)
}

extern "C" fn announced_fill(
    to: usize,
    value: usize,
    size: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    if watched_call() {
        range(to, size, true, frame);
    }
    set_bytes(to, value, size)
}

extern "C" fn copy(to: usize, from: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        range(from, size, false, frame);
        range(to, size, true, frame);
    }
    move_bytes(to, from, size)
}

pub fn move_bytes(to: usize, from: usize, size: usize) -> usize {
    if to.wrapping_sub(from) >= size {
        // SAFETY: the program passes the places; what is read later is not written before.
        unsafe { asm!("rep movsb", inout("rcx") size => _, inout("rdi") to => _, inout("rsi") from => _) };
    } else {
        // SAFETY: as above, beginning with the last byte.
        unsafe {
            asm!("std", "rep movsb", "cld", inout("rcx") size => _, inout("rdi") to.wrapping_add(size).wrapping_sub(1) => _,
                inout("rsi") from.wrapping_add(size).wrapping_sub(1) => _);
        }
    }
    to
}

/// The same, called by programs that have the room checked.
extern "C" fn copy_checked(
    to: usize,
    from: usize,
    size: usize,
    room: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    if size > room {
        // It says so and ends the program.
        return real!(c"__memmove_chk": fn(usize, usize, usize, usize) -> usize, (to, from, size, room));
    }
    copy(to, from, size, 0, 0, frame)
}

extern "C" fn fill_checked(
    to: usize,
    value: usize,
    size: usize,
    room: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    if size > room {
        return real!(c"__memset_chk": fn(usize, usize, usize, usize) -> usize, (to, value, size, room));
    }
    fill(to, value, size, 0, 0, frame)
}

extern "C" fn copy_to_end(to: usize, from: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    copy(to, from, size, 0, 0, frame) + size
}

extern "C" fn copy_to_end_checked(
    to: usize,
    from: usize,
    size: usize,
    room: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    copy_checked(to, from, size, room, 0, frame) + size
}

extern "C" fn fill(to: usize, value: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        range(to, size, true, frame);
    }
    set_bytes(to, value, size)
}

fn set_bytes(to: usize, value: usize, size: usize) -> usize {
    // SAFETY: the program passes the place.
    unsafe { asm!("rep stosb", inout("rcx") size => _, inout("rdi") to => _, in("al") value as u8) };
    to
}

/// How many bytes two texts, or two places, are looked at: up to the first difference, or the end of a text if `is_text`. Where nothing is any more,
/// the first byte is as far as it goes.
pub fn compared(first: usize, second: usize, limit: usize, is_text: bool) -> usize {
    if is_unmapped(first) || is_unmapped(second) {
        return limit.min(1);
    }
    for position in 0..limit {
        // SAFETY: the program lets them be compared; after a difference or the end nothing is read.
        let (one, other) =
            unsafe { (*((first + position) as *const u8), *((second + position) as *const u8)) };
        if one != other || is_text && one == 0 {
            return position + 1;
        }
    }
    limit
}

/// The bytes of a text that are read: with the zero at its end, if that is within the limit.
pub fn text_length(text: usize, limit: usize) -> usize {
    compared(text, text, limit, true)
}

fn looks_at_both(first: usize, second: usize, limit: usize, is_text: bool, frame: Frame) {
    if is_watched(frame) {
        let length = compared(first, second, limit, is_text);
        range(first, length, false, frame);
        range(second, length, false, frame);
    }
}

pub fn looks_at(text: usize, frame: Frame) {
    if is_watched(frame) {
        range(text, text_length(text, usize::MAX), false, frame);
    }
}

extern "C" fn compare(a: usize, b: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_both(a, b, size, false, frame);
    let mut difference = 0;
    for position in 0..size {
        // SAFETY: the program passes the places. Volatile, or the compiler would call this very function.
        difference = unsafe {
            i32::from(((a + position) as *const u8).read_volatile())
                - i32::from(((b + position) as *const u8).read_volatile())
        };
        if difference != 0 {
            break;
        }
    }
    difference
}

extern "C" fn compare_texts(a: usize, b: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_both(a, b, usize::MAX, true, frame);
    real!(c"strcmp": fn(usize, usize) -> i32, (a, b))
}

extern "C" fn compare_parts(a: usize, b: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_both(a, b, size, true, frame);
    real!(c"strncmp": fn(usize, usize, usize) -> i32, (a, b, size))
}

extern "C" fn length(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks_at(text, frame);
    let mut position = 0;
    // SAFETY: the text ends with a zero byte. Volatile, or the compiler would call this very function.
    while unsafe { ((text + position) as *const u8).read_volatile() } != 0 {
        position += 1;
    }
    position
}

extern "C" fn copy_text(to: usize, from: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        let size = text_length(from, usize::MAX);
        range(from, size, false, frame);
        range(to, size, true, frame);
    }
    real!(c"strcpy": fn(usize, usize) -> usize, (to, from))
}

extern "C" fn copy_part(to: usize, from: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        range(from, text_length(from, size), false, frame);
        range(to, size, true, frame);
    }
    real!(c"strncpy": fn(usize, usize, usize) -> usize, (to, from, size))
}

extern "C" fn append(to: usize, from: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        let (old, new) = (text_length(to, usize::MAX), text_length(from, usize::MAX));
        range(to, old, false, frame);
        range(from, new, false, frame);
        range(to + old - 1, new, true, frame);
    }
    real!(c"strcat": fn(usize, usize) -> usize, (to, from))
}

extern "C" fn put(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at(text, frame);
    uses_output(place_of(frame));
    real!(c"puts": fn(usize) -> i32, (text))
}

extern "C" fn put_into(text: usize, stream: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at(text, frame);
    uses_stream(stream, How::Writes, place_of(frame));
    real!(c"fputs": fn(usize, usize) -> i32, (text, stream))
}

hook! {
    puts => put;
    fputs => put_into;
    memcmp => compare;
    bcmp => compare;
    strcmp => compare_texts;
    strncmp => compare_parts;
    strlen => length;
    strcpy => copy_text;
    strncpy => copy_part;
    strcat => append;
    memcpy => copy;
    memmove => copy;
    memset => fill;
    mempcpy => copy_to_end;
    __mempcpy_chk => copy_to_end_checked;
    __memcpy_chk => copy_checked;
    __memmove_chk => copy_checked;
    __memset_chk => fill_checked;
    __tsan_memcpy => announced_copy;
    __tsan_memmove => announced_copy;
    __tsan_memset => announced_fill;
}
