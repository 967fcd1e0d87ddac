//! Functions of the C library on texts of wide characters: accesses that no compiler announces. What formats of such texts name is not seen.

use crate::block::is_watched;
use crate::containers::announced;
use crate::memory::{Frame, is_unmapped, range};

type Unused = usize;

/// The size of a wide character.
const WIDE: usize = 4;

/// How many characters of two texts, or two places, are looked at: up to the first difference, or the end of a text if `is_text`.
fn compared(first: usize, second: usize, limit: usize, is_text: bool) -> usize {
    if is_unmapped(first) || is_unmapped(second) {
        return limit.min(1);
    }
    for position in 0..limit {
        // SAFETY: the program lets them be compared; after a difference or the end nothing is read.
        let (one, other) = unsafe {
            (*((first + position * WIDE) as *const u32), *((second + position * WIDE) as *const u32))
        };
        if one != other || is_text && one == 0 {
            return position + 1;
        }
    }
    limit
}

/// The characters of a text that are read, with the zero at its end.
fn length(text: usize, limit: usize) -> usize {
    compared(text, text, limit, true)
}

fn reads(place: usize, count: usize, frame: Frame) {
    range(place, count * WIDE, false, frame);
}

fn writes(place: usize, count: usize, frame: Frame) {
    range(place, count * WIDE, true, frame);
}

extern "C" fn look(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        reads(text, length(text, usize::MAX), frame);
    }
}

extern "C" fn copy(to: usize, from: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        let count = length(from, usize::MAX);
        reads(from, count, frame);
        writes(to, count, frame);
    }
}

extern "C" fn copy_part(to: usize, from: usize, count: usize, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        reads(from, length(from, count), frame);
        writes(to, count, frame);
    }
}

extern "C" fn append(to: usize, from: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        let (old, new) = (length(to, usize::MAX), length(from, usize::MAX));
        reads(to, old, frame);
        reads(from, new, frame);
        writes(to + (old - 1) * WIDE, new, frame);
    }
}

fn look_at_both(a: usize, b: usize, limit: usize, is_text: bool, frame: Frame) {
    if is_watched(frame) {
        let count = compared(a, b, limit, is_text);
        reads(a, count, frame);
        reads(b, count, frame);
    }
}

extern "C" fn compare(a: usize, b: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    look_at_both(a, b, usize::MAX, true, frame);
}

extern "C" fn compare_parts(a: usize, b: usize, count: usize, _: Unused, _: Unused, frame: Frame) {
    look_at_both(a, b, count, true, frame);
}

extern "C" fn compare_places(a: usize, b: usize, count: usize, _: Unused, _: Unused, frame: Frame) {
    look_at_both(a, b, count, false, frame);
}

extern "C" fn copy_place(to: usize, from: usize, count: usize, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        reads(from, count, frame);
        writes(to, count, frame);
    }
}

extern "C" fn fill(to: usize, _: Unused, count: usize, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        writes(to, count, frame);
    }
}

announced! {
    wcslen => look;
    wcsdup => look;
    fputws => look;
    wcscpy => copy;
    wcsncpy => copy_part;
    wcscat => append;
    wcscmp => compare;
    wcsncmp => compare_parts;
    wmemcmp => compare_places;
    wmemcpy => copy_place;
    wmemmove => copy_place;
    wmemset => fill;
    // As programs call them that have the room checked.
    __wcscpy_chk => copy;
    __wcsncpy_chk => copy_part;
    __wcscat_chk => append;
    __wmemcpy_chk => copy_place;
    __wmemmove_chk => copy_place;
    __wmemset_chk => fill;
}
