//! Names for temporary files that are not made: drawn from the stream of random numbers, and not by
//! the C library from that of the kernel.

use core::ffi::{CStr, c_char};

use crate::library::{state, uses, uses_with_variables};
use crate::paths::{HERE, Path, identity_at};
use crate::randomness::{blank_of_name, complete_name};
use crate::token::{caller, controlled};

/// How many places of a name are drawn.
const DRAWN: usize = 6;
const TRIES: usize = 1000;

/// Fills the places with names until there is no such file.
fn draw(me: usize, text: *mut c_char, blank: *mut u8) {
    let path = Path { folder: HERE, text, follows: false };
    for _ in 0..TRIES {
        complete_name(me, blank);
        if identity_at(path) == 0 {
            return;
        }
    }
}

/// Replaces what the C library drew for the end of a name.
fn draw_again(text: *mut c_char) -> *mut c_char {
    if let Some(me) = controlled().filter(|_| !text.is_null()) {
        // SAFETY: the C library wrote a text that ends with what it drew.
        unsafe {
            let length = CStr::from_ptr(text).to_bytes().len();
            if let Some(start) = length.checked_sub(DRAWN) {
                draw(me, text, text.cast::<u8>().add(start));
            }
        }
    }
    text
}

#[unsafe(no_mangle)]
pub extern "C" fn tmpnam(to: *mut c_char) -> *mut c_char {
    uses(state::NAMES, true, caller());
    draw_again(real!(c"tmpnam": fn(*mut c_char) -> *mut c_char, (to)))
}

#[unsafe(no_mangle)]
pub extern "C" fn tmpnam_r(to: *mut c_char) -> *mut c_char {
    draw_again(real!(c"tmpnam_r": fn(*mut c_char) -> *mut c_char, (to)))
}

#[unsafe(no_mangle)]
pub extern "C" fn tempnam(folder: *const c_char, start: *const c_char) -> *mut c_char {
    // It may be that of `TMPDIR`.
    uses_with_variables(state::NAMES, true, caller());
    draw_again(real!(c"tempnam": fn(*const c_char, *const c_char) -> *mut c_char, (folder, start)))
}

#[unsafe(no_mangle)]
pub extern "C" fn mktemp(name: *mut c_char) -> *mut c_char {
    uses(state::NAMES, true, caller());
    match controlled().zip(blank_of_name(name, 0)) {
        Some((me, blank)) => draw(me, name, blank),
        None => return real!(c"mktemp": fn(*mut c_char) -> *mut c_char, (name)),
    }
    name
}
