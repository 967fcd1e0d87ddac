//! Reading and writing: what goes through a queue that is mirrored here is a step, the rest is left to the kernel.

use core::sync::atomic::Ordering::Relaxed;

use crate::block::{is_watched, move_bytes};
use crate::descriptors::{Description, result, touch_closed, what};
use crate::event;
use crate::file_calls;
use crate::image::is_rust;
use crate::interrupt::may_end_here;
use crate::memory::{Frame, has_visible, note_writes, range};
use crate::pipe;
use crate::randomness;
use crate::socket;
use crate::stream::Manner;
use crate::sys;
use crate::token::{caller, caller_frame, controlled, region, remark};
use crate::uses::step;
use crate::vector::Vector;

/// Where `struct stat` has the mode.
const MODE: usize = 24;
const KIND: u32 = 0o170_000;
const FIFO: u32 = 0o010_000;
const SOCKET: u32 = 0o140_000;

/// Can another process or thread be at the other end?
pub fn is_shared(descriptor: usize) -> bool {
    let mut status = [0_u8; 256];
    if descriptor <= 2 || sys::call(sys::FSTAT, descriptor, status.as_mut_ptr() as usize, 0, 0, 0, 0) < 0 {
        return false;
    }
    let mode = u32::from_le_bytes([status[MODE], status[MODE + 1], status[MODE + 2], status[MODE + 3]]);
    matches!(mode & KIND, FIFO | SOCKET)
}

/// Leaves it to the kernel, after a remark if somebody else may be at the other end.
fn uncontrolled(name: &[u8], number: usize, place: u64, (a, b, c): (usize, usize, usize)) -> isize {
    if let Some(me) = controlled() {
        may_end_here(me, 0);
        if Description::at(a).is_none() && is_shared(a) {
            remark(&[name, b" on a pipe or socket"]);
        }
        step(place, |uses| file_calls::transfers(uses, a, matches!(number, sys::WRITE | sys::WRITEV)));
    }
    result(sys::call(number, a, b, c, 0, 0, 0))
}

/// What is open; that it is not may be the doing of another thread.
fn open_at(descriptor: usize, place: u64) -> Option<Description> {
    Description::at(descriptor).or_else(|| {
        touch_closed(descriptor, place);
        None
    })
}

/// Reads what is mirrored here; `None` if the descriptor is something else.
pub fn modelled_read(descriptor: usize, vector: &Vector, place: u64) -> Option<isize> {
    let (me, description) = (controlled()?, open_at(descriptor, place)?);
    let manner = Manner { choice: description.choice(), peeks: false, place };
    match description.what() {
        what::PIPE => {
            let queue = Some(description.input()).filter(|queue| *queue != 0 && vector.length() > 0)?;
            Some(result(pipe::read(me, descriptor, queue, vector, manner)))
        }
        what::SOCKET => socket::read(descriptor, vector, place),
        what::EVENT => Some(event::read(me, descriptor, description, vector, manner)),
        what::RANDOM => Some(randomness::read(me, vector)),
        _ => None,
    }
}

/// The same for writing.
pub fn modelled_write(descriptor: usize, vector: &Vector, place: u64) -> Option<isize> {
    let (me, description) = (controlled()?, open_at(descriptor, place)?);
    let manner = Manner { choice: description.choice(), peeks: false, place };
    match description.what() {
        what::PIPE => {
            let queue = Some(description.output()).filter(|queue| *queue != 0 && vector.length() > 0)?;
            Some(result(pipe::write(me, descriptor, queue, vector, manner)))
        }
        what::SOCKET => socket::write(descriptor, vector, place),
        what::EVENT => Some(event::write(me, descriptor, description, vector, manner)),
        _ => None,
    }
}

/// Bytes that are put somewhere else if others can notice.
const COPIED: usize = 4096;

/// Lets `put` write bytes of the program's memory, which it does when others have moved already. Where it is visible it is therefore written
/// when all bytes are there, in steps of its own; unless there are very many.
pub fn filled(address: usize, length: usize, frame: Frame, put: impl FnOnce(usize) -> isize) -> isize {
    if !is_watched(frame) {
        return put(address);
    }
    if length > COPIED || !has_visible(address, length) {
        let count = put(address);
        note_writes(address, usize::try_from(count).unwrap_or(0).min(length), frame);
        return count;
    }
    let mut bytes = [0_u8; COPIED];
    let bytes = bytes.as_mut_ptr() as usize;
    let count = put(bytes);
    let length = usize::try_from(count).unwrap_or(0).min(length);
    range(address, length, true, frame);
    move_bytes(address, bytes, length);
    count
}

/// Lets `take` read bytes of the program's memory, or a copy of them: others may move before it does.
pub fn given(address: usize, length: usize, frame: Frame, take: impl FnOnce(usize) -> isize) -> isize {
    if !is_watched(frame) {
        return take(address);
    }
    range(address, length, false, frame);
    if length > COPIED || !has_visible(address, length) {
        return take(address);
    }
    let mut bytes = [0_u8; COPIED];
    let bytes = bytes.as_mut_ptr() as usize;
    move_bytes(bytes, address, length);
    take(bytes)
}

/// The same for a list of places, without copies: what races is noticed.
pub fn filled_places(vector: &Vector, frame: Frame, put: impl FnOnce() -> isize) -> isize {
    let count = put();
    if is_watched(frame) {
        let mut rest = usize::try_from(count).unwrap_or(0);
        for place in vector.places() {
            let length = place.length.min(rest);
            note_writes(place.address, length, frame);
            rest -= length;
        }
    }
    count
}

/// See [`filled_places`].
pub fn given_places(vector: &Vector, frame: Frame, take: impl FnOnce() -> isize) -> isize {
    if is_watched(frame) {
        vector.places().iter().for_each(|place| range(place.address, place.length, false, frame));
    }
    take()
}

fn read_into(descriptor: usize, address: usize, length: usize, place: u64, frame: Frame) -> isize {
    filled(address, length, frame, |address| {
        modelled_read(descriptor, &Vector::single(address, length), place)
            .unwrap_or_else(|| uncontrolled(b"read", sys::READ, place, (descriptor, address, length)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn read(descriptor: i32, address: usize, length: usize) -> isize {
    read_into(descriptor as usize, address, length, caller(), caller_frame())
}

/// The same, called by programs that have the room checked.
#[unsafe(no_mangle)]
pub extern "C" fn __read_chk(descriptor: i32, address: usize, length: usize, room: usize) -> isize {
    if length > room {
        // It says so and ends the program.
        return real!(c"__read_chk": fn(i32, usize, usize, usize) -> isize, (descriptor, address, length, room));
    }
    read_into(descriptor as usize, address, length, caller(), caller_frame())
}

const STANDARD_ERROR: usize = 2;

/// Keeps what a thread that panics says first: its own words are lost when another fails because of that.
fn note_panic(address: usize, length: usize) {
    const WORDS: &[u8] = b"panicked at ";
    let panic = &region().header.panic;
    if controlled().is_none() || panic.length.load(Relaxed) != 0 || length > 1 << 16 {
        return;
    }
    // SAFETY: the program passes so many bytes.
    let bytes = unsafe { core::slice::from_raw_parts(address as *const u8, length) };
    if let Some(start) = bytes.windows(WORDS.len()).position(|window| window == WORDS) {
        panic.store(&[&bytes[start + WORDS.len()..]]);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn write(descriptor: i32, address: usize, length: usize) -> isize {
    let (place, frame, descriptor) = (caller(), caller_frame(), descriptor as usize);
    if descriptor == STANDARD_ERROR && is_rust() {
        note_panic(address, length);
    }
    given(address, length, frame, |address| {
        modelled_write(descriptor, &Vector::single(address, length), place)
            .unwrap_or_else(|| uncontrolled(b"write", sys::WRITE, place, (descriptor, address, length)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn readv(descriptor: i32, address: usize, count: usize) -> isize {
    let (place, frame, descriptor) = (caller(), caller_frame(), descriptor as usize);
    let vector = Vector::Given { address, count };
    filled_places(&vector, frame, || {
        modelled_read(descriptor, &vector, place)
            .unwrap_or_else(|| uncontrolled(b"readv", sys::READV, place, (descriptor, address, count)))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn writev(descriptor: i32, address: usize, count: usize) -> isize {
    let (place, frame, descriptor) = (caller(), caller_frame(), descriptor as usize);
    let vector = Vector::Given { address, count };
    given_places(&vector, frame, || {
        modelled_write(descriptor, &vector, place)
            .unwrap_or_else(|| uncontrolled(b"writev", sys::WRITEV, place, (descriptor, address, count)))
    })
}

/// Tells what is about to be done at a place of a file.
fn uses_a_file(descriptor: i32, is_write: bool, place: u64) {
    step(place, |uses| file_calls::transfers_at_a_place(uses, descriptor as usize, is_write));
}

/// Those of a device that gives some.
fn random_bytes(descriptor: i32, address: usize, length: usize) -> Option<isize> {
    let known = Description::at(descriptor as usize).filter(|known| known.what() == what::RANDOM);
    controlled().zip(known).map(|(me, _)| randomness::read(me, &Vector::single(address, length)))
}

/// Reading and writing at a place of a file: no pipe or socket has one.
macro_rules! at_a_place {
    ($($read:ident $real_read:literal, $write:ident $real_write:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $read(descriptor: i32, address: usize, length: usize, offset: i64) -> isize {
            let (place, frame) = (caller(), caller_frame());
            filled(address, length, frame, |address| {
                random_bytes(descriptor, address, length).unwrap_or_else(|| {
                    uses_a_file(descriptor, false, place);
                    real!($real_read: fn(i32, usize, usize, i64) -> isize, (descriptor, address, length, offset))
                })
            })
        }

        #[unsafe(no_mangle)]
        pub extern "C" fn $write(descriptor: i32, address: usize, length: usize, offset: i64) -> isize {
            let (place, frame) = (caller(), caller_frame());
            given(address, length, frame, |address| {
                uses_a_file(descriptor, true, place);
                real!($real_write: fn(i32, usize, usize, i64) -> isize, (descriptor, address, length, offset))
            })
        })*
    };
}

macro_rules! at_a_place_checked {
    ($($read:ident $real:literal $real_checked:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $read(
            descriptor: i32,
            address: usize,
            length: usize,
            offset: i64,
            room: usize,
        ) -> isize {
            if length > room {
                return real!($real_checked: fn(i32, usize, usize, i64, usize) -> isize, (descriptor, address, length, offset, room));
            }
            let (place, frame) = (caller(), caller_frame());
            filled(address, length, frame, |address| {
                random_bytes(descriptor, address, length).unwrap_or_else(|| {
                    uses_a_file(descriptor, false, place);
                    real!($real: fn(i32, usize, usize, i64) -> isize, (descriptor, address, length, offset))
                })
            })
        })*
    };
}

at_a_place_checked! {
    __pread_chk c"pread" c"__pread_chk";
    __pread64_chk c"pread64" c"__pread64_chk";
}

at_a_place! {
    pread c"pread", pwrite c"pwrite";
    pread64 c"pread64", pwrite64 c"pwrite64";
}
