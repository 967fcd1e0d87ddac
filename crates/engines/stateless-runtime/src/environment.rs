//! The variables that a process has from outside: `getenv` and `setenv`. All its threads share them.

use core::ffi::c_char;

use crate::block::{is_watched, looks_at};
use crate::hooks::hook;
use crate::memory::{Frame, place_of, range};
use crate::paths::{bytes_of, of_process};
use crate::token::{is_attached, region};
use crate::uses::step;

type Unused = usize;

pub const VARIABLES: &[u8] = b"environment";

unsafe extern "C" {
    static mut environ: usize;
}

/// Announces that the variables are used. For data races it is the list of them that counts.
fn uses(is_write: bool, frame: Frame) {
    if is_watched(frame) {
        range(&raw const environ as usize, 8, is_write, frame);
    }
    step_of(is_write, frame);
}

fn step_of(is_write: bool, frame: Frame) {
    step(place_of(frame), |uses| match of_process(VARIABLES) {
        Some(variables) if is_write => uses.writes(variables),
        Some(variables) => uses.reads(variables),
        None => {}
    });
}

/// Keeps the name of a variable: what it is decides what the program does.
fn note(name: usize) {
    if is_attached() {
        region().asked_variables.add(bytes_of(name as *const c_char));
    }
}

extern "C" fn get(name: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks_at(name, frame);
    uses(false, frame);
    note(name);
    real!(c"getenv": fn(usize) -> usize, (name))
}

extern "C" fn get_safely(name: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    looks_at(name, frame);
    uses(false, frame);
    note(name);
    real!(c"secure_getenv": fn(usize) -> usize, (name))
}

extern "C" fn set(name: usize, value: usize, replaces: i32, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at(name, frame);
    looks_at(value, frame);
    uses(true, frame);
    real!(c"setenv": fn(usize, usize, i32) -> i32, (name, value, replaces))
}

extern "C" fn unset(name: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at(name, frame);
    uses(true, frame);
    real!(c"unsetenv": fn(usize) -> i32, (name))
}

/// The text becomes a part of the variables.
extern "C" fn put(text: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    looks_at(text, frame);
    uses(true, frame);
    real!(c"putenv": fn(usize) -> i32, (text))
}

extern "C" fn clear(_: Unused, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    uses(true, frame);
    real!(c"clearenv": fn() -> i32, ())
}

hook! {
    getenv => get;
    secure_getenv => get_safely;
    setenv => set;
    unsetenv => unset;
    putenv => put;
    clearenv => clear;
}
