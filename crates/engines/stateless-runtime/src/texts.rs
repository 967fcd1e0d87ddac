//! More functions of the C library that look at memory or change it: accesses that no compiler announces. Those that nearly every program
//! uses are in `block.rs`.

use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::block::{compared, is_watched, looks_at, text_length};
use crate::containers::announced;
use crate::hooks::hook;
use crate::library;
use crate::locale;
use crate::memory::{Frame, is_active, place_of, range};
use crate::stream_calls::{How, uses_stream};
use crate::token::{controlled, thread};

type Unused = usize;

/// A function that looks at all of a text, and may have another argument.
macro_rules! looks {
    ($($function:ident $name:literal;)*) => {
        $(extern "C" fn $function(
            text: usize,
            more: usize,
            _: Unused,
            _: Unused,
            _: Unused,
            frame: Frame,
        ) -> usize {
            looks_at(text, frame);
            real!($name: fn(usize, usize) -> usize, (text, more))
        })*
    };
}

looks! {
    duplicate c"strdup";
    find_last c"strrchr";
    to_int c"atoi";
    to_long c"atol";
    to_long_long c"atoll";
}

/// Up to the byte that is looked for.
fn looks_until(text: usize, byte: usize, frame: Frame) {
    if is_watched(frame) {
        let size = (0..).position(|position| {
            // SAFETY: the program passes a text.
            let found = unsafe { *((text + position) as *const u8) };
            found == byte as u8 || found == 0
        });
        range(text, size.map_or(0, |size| size + 1), false, frame);
    }
}

extern "C" fn find(text: usize, byte: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks_until(text, byte, frame);
    real!(c"strchr": fn(usize, usize) -> usize, (text, byte))
}

extern "C" fn find_text(text: usize, wanted: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks_at(wanted, frame);
    let found = real!(c"strstr": fn(usize, usize) -> usize, (text, wanted));
    if is_watched(frame) {
        let size = if found == 0 {
            text_length(text, usize::MAX)
        } else {
            found - text + text_length(wanted, usize::MAX) - 1
        };
        range(text, size, false, frame);
    }
    // While its turn was awaited, others may have changed the text.
    real!(c"strstr": fn(usize, usize) -> usize, (text, wanted))
}

macro_rules! spans {
    ($($function:ident $name:literal;)*) => {
        $(extern "C" fn $function(
            text: usize,
            letters: usize,
            _: Unused,
            _: Unused,
            _: Unused,
            frame: Frame,
        ) -> usize {
            let length = || real!($name: fn(usize, usize) -> usize, (text, letters));
            if is_watched(frame) {
                range(text, length() + 1, false, frame);
                range(letters, text_length(letters, usize::MAX), false, frame);
            }
            length()
        })*
    };
}

spans! {
    span c"strspn";
    span_of_others c"strcspn";
}

extern "C" fn find_byte(place: usize, byte: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        // SAFETY: the program passes the place; nothing behind the byte is looked at.
        let is_it = |position: &usize| unsafe { *((place + position) as *const u8) } == byte as u8;
        let size = (0..size).find(is_it).map_or(size, |position| position + 1);
        range(place, size, false, frame);
    }
    real!(c"memchr": fn(usize, usize, usize) -> usize, (place, byte, size))
}

extern "C" fn limited_length(
    text: usize,
    most: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    if is_watched(frame) {
        range(text, text_length(text, most), false, frame);
    }
    real!(c"strnlen": fn(usize, usize) -> usize, (text, most))
}

extern "C" fn duplicate_part(
    text: usize,
    most: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    if is_watched(frame) {
        range(text, text_length(text, most), false, frame);
    }
    real!(c"strndup": fn(usize, usize) -> usize, (text, most))
}

/// Texts that differ in more than capital letters, up to there.
fn looks_at_letters(first: usize, second: usize, limit: usize, frame: Frame) {
    if is_watched(frame) {
        let mut length = 0;
        while length < limit {
            let rest = compared(first + length, second + length, limit - length, true);
            length += rest;
            // SAFETY: both were just looked at.
            let (one, other) =
                unsafe { (*((first + length - 1) as *const u8), *((second + length - 1) as *const u8)) };
            if one == 0 || !one.eq_ignore_ascii_case(&other) {
                break;
            }
        }
        range(first, length, false, frame);
        range(second, length, false, frame);
    }
}

extern "C" fn compare_letters(a: usize, b: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at_letters(a, b, usize::MAX, frame);
    real!(c"strcasecmp": fn(usize, usize) -> i32, (a, b))
}

extern "C" fn compare_part_letters(
    a: usize,
    b: usize,
    size: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> i32 {
    looks_at_letters(a, b, size, frame);
    real!(c"strncasecmp": fn(usize, usize, usize) -> i32, (a, b, size))
}

/// A copy of a text with the zero at its end.
fn copies_text(to: usize, from: usize, frame: Frame) {
    if is_watched(frame) {
        let size = text_length(from, usize::MAX);
        range(from, size, false, frame);
        range(to, size, true, frame);
    }
}

extern "C" fn copy_to_end(to: usize, from: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    copies_text(to, from, frame);
    real!(c"stpcpy": fn(usize, usize) -> usize, (to, from))
}

extern "C" fn copy_checked(to: usize, from: usize, room: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    copies_text(to, from, frame);
    real!(c"__strcpy_chk": fn(usize, usize, usize) -> usize, (to, from, room))
}

extern "C" fn copy_to_end_checked(
    to: usize,
    from: usize,
    room: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    copies_text(to, from, frame);
    real!(c"__stpcpy_chk": fn(usize, usize, usize) -> usize, (to, from, room))
}

extern "C" fn copy_part_checked(
    to: usize,
    from: usize,
    size: usize,
    room: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    if is_watched(frame) {
        range(from, text_length(from, size), false, frame);
        range(to, size, true, frame);
    }
    real!(c"__strncpy_chk": fn(usize, usize, usize, usize) -> usize, (to, from, size, room))
}

/// At most so many bytes of a text behind another.
fn appends(to: usize, from: usize, most: usize, frame: Frame) {
    if is_watched(frame) {
        let (old, new) = (text_length(to, usize::MAX), text_length(from, most));
        range(to, old, false, frame);
        range(from, new, false, frame);
        // SAFETY: it was just looked at.
        let is_cut = new > 0 && unsafe { *((from + new - 1) as *const u8) } != 0;
        range(to + old - 1, new + usize::from(is_cut || new == 0), true, frame);
    }
}

extern "C" fn append_part(to: usize, from: usize, most: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    appends(to, from, most, frame);
    real!(c"strncat": fn(usize, usize, usize) -> usize, (to, from, most))
}

extern "C" fn append_part_checked(
    to: usize,
    from: usize,
    most: usize,
    room: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    appends(to, from, most, frame);
    real!(c"__strncat_chk": fn(usize, usize, usize, usize) -> usize, (to, from, most, room))
}

extern "C" fn append_checked(
    to: usize,
    from: usize,
    room: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    appends(to, from, usize::MAX, frame);
    real!(c"__strcat_chk": fn(usize, usize, usize) -> usize, (to, from, room))
}

extern "C" fn put_unlocked(text: usize, stream: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at(text, frame);
    uses_stream(stream, How::Writes, place_of(frame));
    real!(c"fputs_unlocked": fn(usize, usize) -> i32, (text, stream))
}

extern "C" fn put_items(
    from: usize,
    size: usize,
    count: usize,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    range_if_watched(from, size.saturating_mul(count), false, frame);
    uses_stream(stream, How::Writes, place_of(frame));
    real!(c"fwrite": fn(usize, usize, usize, usize) -> usize, (from, size, count, stream))
}

extern "C" fn put_items_unlocked(
    from: usize,
    size: usize,
    count: usize,
    stream: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    range_if_watched(from, size.saturating_mul(count), false, frame);
    uses_stream(stream, How::Writes, place_of(frame));
    real!(c"fwrite_unlocked": fn(usize, usize, usize, usize) -> usize, (from, size, count, stream))
}

/// How the program compares two items is seen by itself.
extern "C" fn sort(items: usize, count: usize, size: usize, compare: usize, _: Unused, frame: Frame) {
    if is_watched(frame) && count > 1 {
        range(items, count.saturating_mul(size), false, frame);
        range(items, count.saturating_mul(size), true, frame);
    }
    real!(c"qsort": fn(usize, usize, usize, usize) -> (), (items, count, size, compare))
}

/// Where `strtok` goes on. All threads share it, so that two of them race for it. It is no memory of the program: whoever asks whether a thread
/// goes round in circles does not see it.
static REST: AtomicUsize = AtomicUsize::new(0);

extern "C" fn cut(text: usize, ends: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    if !is_active() {
        library::uses(library::state::TOKENS, true, place_of(frame));
        return real!(c"strtok": fn(usize, usize) -> usize, (text, ends));
    }
    if let Some(me) = controlled() {
        thread(me).deeds.fetch_add(1, Relaxed);
    }
    cut_next(text, ends, REST.as_ptr(), frame)
}

extern "C" fn cut_with_place(
    text: usize,
    ends: usize,
    rest: *mut usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    cut_next(text, ends, rest, frame)
}

/// The next part of a text, or of what is left of one.
fn cut_next(text: usize, ends: usize, rest: *mut usize, frame: Frame) -> usize {
    let mut start = text;
    if text == 0 {
        range_if_watched(rest as usize, 8, false, frame);
        // SAFETY: the program passes a place for where to go on, or it is ours.
        start = unsafe { *rest };
    }
    let (token, next) = next_token(start, ends, frame);
    range_if_watched(rest as usize, 8, true, frame);
    // SAFETY: as above.
    unsafe { *rest = next };
    token
}

fn range_if_watched(address: usize, size: usize, is_write: bool, frame: Frame) {
    if is_watched(frame) {
        range(address, size, is_write, frame);
    }
}

/// The next part of a text between bytes of `ends`, or 0, and where to go on.
fn next_token(start: usize, ends: usize, frame: Frame) -> (usize, usize) {
    if start == 0 {
        return (0, 0);
    }
    looks_at(ends, frame);
    if is_watched(frame) {
        let (_, end, is_last) = token(start, ends);
        range(start, end + 1 - start, false, frame);
        if !is_last {
            range(end, 1, true, frame);
        }
    }
    // While its turn was awaited, others may have changed the text.
    let (token, end, is_last) = token(start, ends);
    if token == end {
        return (0, end);
    }
    if is_last {
        return (token, end);
    }
    // SAFETY: the program lets its text be cut.
    unsafe { *(end as *mut u8) = 0 };
    (token, end + 1)
}

/// Where the next part begins and ends, and whether it is the last one.
fn token(start: usize, ends: usize) -> (usize, usize, bool) {
    let token = start + real!(c"strspn": fn(usize, usize) -> usize, (start, ends));
    let end = token + real!(c"strcspn": fn(usize, usize) -> usize, (token, ends));
    // SAFETY: the program passes a text, and this is in it.
    (token, end, unsafe { *(end as *const u8) } == 0)
}

/// A function that makes a number of the beginning of a text.
macro_rules! to_number {
    ($($function:ident $name:literal;)*) => {
        $(extern "C" fn $function(
            text: usize,
            rest: *mut usize,
            base: i32,
            _: Unused,
            _: Unused,
            frame: Frame,
        ) -> usize {
            let convert =
                |rest: *mut usize| real!($name: fn(usize, *mut usize, i32) -> usize, (text, rest, base));
            if is_watched(frame) {
                let mut end = text;
                convert(&mut end);
                range(text, end + 1 - text, false, frame);
                if !rest.is_null() {
                    range(rest as usize, 8, true, frame);
                }
            }
            convert(rest)
        })*
    };
}

to_number! {
    long c"strtol";
    long_long c"strtoll";
    unsigned_long c"strtoul";
    unsigned_long_long c"strtoull";
    long_of_c23 c"__isoc23_strtol";
    long_long_of_c23 c"__isoc23_strtoll";
    unsigned_long_of_c23 c"__isoc23_strtoul";
    unsigned_long_long_of_c23 c"__isoc23_strtoull";
}

/// The same for numbers with a fraction, which are returned elsewhere.
extern "C" fn fraction(text: usize, rest: usize, _: Unused, _: Unused, _: Unused, frame: Frame) {
    locale::is_used(place_of(frame));
    if is_watched(frame) {
        let mut end = text;
        real!(c"strtod": fn(usize, *mut usize) -> f64, (text, &mut end));
        range(text, end + 1 - text, false, frame);
        if rest != 0 {
            range(rest, 8, true, frame);
        }
    }
}

extern "C" fn whole_fraction(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    fraction(text, 0, 0, 0, 0, frame);
}

/// The seed of random numbers is changed.
extern "C" fn next_random(seed: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if is_watched(frame) {
        range(seed, 4, true, frame);
    }
}

announced! {
    rand_r => next_random;
    strtod => fraction;
    strtof => fraction;
    strtold => fraction;
    atof => whole_fraction;
}

hook! {
    strdup => duplicate;
    __strdup => duplicate;
    strndup => duplicate_part;
    __strndup => duplicate_part;
    strchr => find;
    strrchr => find_last;
    strstr => find_text;
    strspn => span;
    strcspn => span_of_others;
    memchr => find_byte;
    strnlen => limited_length;
    strcasecmp => compare_letters;
    strncasecmp => compare_part_letters;
    stpcpy => copy_to_end;
    __stpcpy_chk => copy_to_end_checked;
    __strcpy_chk => copy_checked;
    __strncpy_chk => copy_part_checked;
    strncat => append_part;
    __strncat_chk => append_part_checked;
    __strcat_chk => append_checked;
    atoi => to_int;
    atol => to_long;
    atoll => to_long_long;
    strtol => long;
    strtoll => long_long;
    strtoul => unsigned_long;
    strtoull => unsigned_long_long;
    __isoc23_strtol => long_of_c23;
    __isoc23_strtoll => long_long_of_c23;
    __isoc23_strtoul => unsigned_long_of_c23;
    __isoc23_strtoull => unsigned_long_long_of_c23;
    fputs_unlocked => put_unlocked;
    fwrite => put_items;
    fwrite_unlocked => put_items_unlocked;
    qsort => sort;
    strtok => cut;
    strtok_r => cut_with_place;
    __strtok_r => cut_with_place;
}
