//! Functions that make dates of times: they write to memory that all threads share, or to memory of the program, and no compiler announces that.
//!
//! Where accesses are looked at, the shared memory is ours, so that it is written in a step of its own when the date is known.

use core::ffi::c_char;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use crate::block::{is_watched, looks_at, move_bytes, text_length, will_write};
use crate::hooks::hook;
use crate::library;
use crate::locale;
use crate::memory::{Frame, expect_writes, is_active, note_writes, place_of, range};
use crate::paths::bytes_of;
use crate::token::{controlled, thread};

type Unused = usize;

/// The size of a `struct tm`, and of a date as a text.
const DATE: usize = 56;
const TEXT: usize = 26;

static SHARED_DATE: [AtomicU64; DATE / 8] = [const { AtomicU64::new(0) }; DATE / 8];
static SHARED_TEXT: [AtomicU64; TEXT.div_ceil(8)] = [const { AtomicU64::new(0) }; TEXT.div_ceil(8)];

/// Puts bytes into memory that all threads share, and says where that is.
fn share(place: &'static [AtomicU64], bytes: &[u64], frame: Frame) -> usize {
    let (to, size) = (place.as_ptr() as usize, size_of_val(bytes));
    if let Some(me) = controlled() {
        // It is no memory of the program, so nobody else sees that it has changed.
        thread(me).deeds.fetch_add(1, Relaxed);
    }
    if is_watched(frame) {
        range(to, size, true, frame);
    }
    move_bytes(to, bytes.as_ptr() as usize, size)
}

fn looks(address: usize, size: usize, frame: Frame) {
    if is_watched(frame) {
        range(address, size, false, frame);
    }
}

/// The zone is that of the last call that read it from the variable `TZ`.
fn looks_at_zone(sets: bool, frame: Frame) {
    if sets {
        library::uses_with_variables(library::state::ZONE, true, place_of(frame));
    } else {
        library::uses(library::state::ZONE, false, place_of(frame));
    }
}

/// The same for a function that reads the variable only if nobody has done so before.
fn looks_at_zone_first(frame: Frame) {
    library::uses_with_variables(library::state::ZONE, false, place_of(frame));
}

/// Both kinds of time, each with a function that writes where all threads do and one that writes where it is told to.
macro_rules! dates {
    ($($shared:ident $real_shared:literal $sets:literal, $own:ident $real_own:literal;)*) => {
        $(extern "C" fn $shared(time: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
            looks_at_zone($sets, frame);
            if !is_active() {
                library::uses(library::state::DATES, true, place_of(frame));
                return real!($real_shared: fn(usize) -> usize, (time));
            }
            looks(time, 8, frame);
            let mut date = [0; DATE / 8];
            match real!($real_own: fn(usize, *mut u64) -> usize, (time, date.as_mut_ptr())) {
                0 => 0,
                _ => share(&SHARED_DATE, &date, frame),
            }
        }

        extern "C" fn $own(time: usize, date: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
            looks_at_zone_first(frame);
            looks(time, 8, frame);
            written(date, DATE, frame, || real!($real_own: fn(usize, usize) -> usize, (time, date)), |_| DATE)
        })*
    };
}

dates! {
    local_date c"localtime" true, own_local_date c"localtime_r";
    date c"gmtime" false, own_date c"gmtime_r";
}

/// Lets `write` write to memory of the program; it returns 0 if it did not.
fn written(
    to: usize,
    most: usize,
    frame: Frame,
    write: impl FnOnce() -> usize,
    size: impl FnOnce(usize) -> usize,
) -> usize {
    if !is_watched(frame) {
        return write();
    }
    expect_writes(to, most, frame);
    let result = write();
    if result != 0 {
        note_writes(to, size(to), frame);
    }
    result
}

extern "C" fn text(date: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    if !is_active() {
        library::uses(library::state::DATES, true, place_of(frame));
        return real!(c"asctime": fn(usize) -> usize, (date));
    }
    looks(date, DATE, frame);
    let mut text = [0; TEXT.div_ceil(8)];
    match real!(c"asctime_r": fn(usize, *mut u64) -> usize, (date, text.as_mut_ptr())) {
        0 => 0,
        _ => share(&SHARED_TEXT, &text, frame),
    }
}

/// The date is shared as well as the text.
extern "C" fn local_text(time: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    if !is_active() {
        looks_at_zone(true, frame);
        library::uses(library::state::DATES, true, place_of(frame));
        return real!(c"ctime": fn(usize) -> usize, (time));
    }
    match local_date(time, 0, 0, 0, 0, frame) {
        0 => 0,
        date => text(date, 0, 0, 0, 0, frame),
    }
}

fn text_size(text: usize) -> usize {
    text_length(text, TEXT)
}

extern "C" fn own_text(date: usize, to: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks(date, DATE, frame);
    written(to, TEXT, frame, || real!(c"asctime_r": fn(usize, usize) -> usize, (date, to)), text_size)
}

extern "C" fn own_local_text(time: usize, to: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks_at_zone_first(frame);
    looks(time, 8, frame);
    written(to, TEXT, frame, || real!(c"ctime_r": fn(usize, usize) -> usize, (time, to)), text_size)
}

extern "C" fn formatted(
    to: usize,
    room: usize,
    format: usize,
    date: usize,
    _: Unused,
    frame: Frame,
) -> usize {
    looks_at(format, frame);
    looks(date, DATE, frame);
    if bytes_of(format as *const c_char).iter().any(|letter| b"sZz".contains(letter)) {
        looks_at_zone(true, frame);
    }
    locale::is_used(place_of(frame));
    let write = || real!(c"strftime": fn(usize, usize, usize, usize) -> usize, (to, room, format, date));
    written(to, room, frame, write, |to| text_length(to, room))
}

/// Puts right what a date says, and makes a time of it.
macro_rules! times {
    ($($function:ident $name:literal;)*) => {
        $(extern "C" fn $function(date: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> i64 {
            looks_at_zone(true, frame);
            looks(date, DATE, frame);
            will_write(date as *const u8, DATE, frame);
            real!($name: fn(usize) -> i64, (date))
        })*
    };
}

times! {
    time_of_date c"mktime";
    time_of_universal_date c"timegm";
}

hook! {
    strftime => formatted;
    mktime => time_of_date;
    timegm => time_of_universal_date;
    localtime => local_date;
    localtime_r => own_local_date;
    gmtime => date;
    gmtime_r => own_date;
    asctime => text;
    asctime_r => own_text;
    ctime => local_text;
    ctime_r => own_local_text;
}
