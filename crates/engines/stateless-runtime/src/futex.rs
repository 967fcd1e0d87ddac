//! Futexes through `syscall()`: what the standard libraries of Rust and C++ wait with when a lock is taken.
//!
//! The fast paths of those libraries are atomic instructions that nobody sees; what is seen is waiting and waking.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::address_space;
use crate::cond::wake;
use crate::descriptors;
use crate::direct;
use crate::image::{is_program, waits_silently};
use crate::limits_of_time;
use crate::memory;
use crate::objects::at;
use crate::process;
use crate::processors;
use crate::randomness;
use crate::schedule::{before, waiters, was_fruitless};
use crate::sys::{self, errno::*};
use crate::time::{Time, be_late, duration, limited, pass};
use crate::token::{caller, controlled, is_concurrent, remark, thread};

const WAIT: usize = 0;
const WAKE: usize = 1;
const WAIT_BITSET: usize = 9;
const WAKE_BITSET: usize = 10;
/// Without the flags for private futexes and the clock.
const COMMAND: usize = 0x7f;

#[unsafe(no_mangle)]
pub extern "C" fn syscall(
    number: usize,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    let place = caller();
    let Some(me) = controlled() else { return result(sys::call(number, a, b, c, d, e, f)) };
    if number == sys::FUTEX {
        // Libraries may jump to this function instead of calling it when they wake others; it then seems to be called from elsewhere.
        let waits = matches!(b & COMMAND, WAIT | WAIT_BITSET);
        if waits && !memory::is_active() && is_program(place as usize) {
            remark(&[b"a lock of atomic operations and futexes: only --visible memory sees all of it"]);
        }
        if !is_program(place as usize) {
            waits_silently();
        }
        return result(perform(me, [a, b, c, d, e, f], place));
    } else if number == sys::PRCTL {
        return direct::prctl(a as i32, b, c, d, e) as isize;
    } else if number == descriptors::CLOSE_RANGE {
        return descriptors::close_range(a as u32, b as u32, c as i32) as isize;
    } else if number == sys::EXIT_GROUP {
        process::_exit(a as i32);
    } else if let Some(value) = processors::directly(number, &[a, b, c, d, e, f]) {
        return result(value);
    } else if let Some(value) = address_space::directly(number, &[a, b, c, d, e, f], place) {
        return result(value);
    } else if number == randomness::GETRANDOM {
        return randomness::getrandom(a as *mut u8, b, c as u32);
    } else if NOT_MODELLED.contains(&number) {
        let registers = [a, b, c, d, e, f];
        remark(&[b"syscall() with a number that waits, or makes threads, processes or signals"]);
        direct::look_for_end_of_control(me, number, &registers);
        if direct::is_fork_by(number, &registers) {
            return process::copy() as isize;
        }
        if let Some(value) = direct::modelled(number, &registers, place) {
            return result(value);
        }
    }
    if direct::is_about_files(number) && is_concurrent() {
        remark(&[b"syscall() with a number that is about files"]);
    }
    result(sys::call(number, a, b, c, d, e, f))
}

/// The system call `futex`; negative results are errors.
fn perform(me: usize, [a, b, c, d, e, f]: [usize; 6], place: u64) -> isize {
    match b & COMMAND {
        WAIT | WAIT_BITSET => {
            let limit = d as *const Time;
            let wait = || wait(me, a, c as u32, !limit.is_null(), place);
            let result = match b & COMMAND {
                WAIT if !limit.is_null() => limits_of_time::within(me, duration(limit), place, wait),
                _ => limits_of_time::until(me, limit, place, wait),
            };
            if result != -(ETIMEDOUT as isize) {
                return result;
            }
            if b & COMMAND == WAIT {
                pass(duration(limit));
                be_late();
                return result;
            }
            -(limited(ETIMEDOUT, limit) as isize)
        }
        WAKE | WAKE_BITSET => wake_some(me, a, c as u64, place),
        _ => {
            remark(&[b"a futex operation other than wait and wake"]);
            sys::call(sys::FUTEX, a, b, c, d, e, f)
        }
    }
}

/// The same for a program that calls the kernel directly.
pub fn perform_directly(me: usize, registers: [usize; 6]) -> isize {
    perform(me, registers, caller())
}

/// System calls for which the functions of the C library are modelled, and this way to call them is not: they wait, or make something that
/// does. Reading and writing; polling; sockets; processes and signals; System V objects; locks of files; sleeping; queues; filters of
/// system calls; rings; other kinds of futexes.
const NOT_MODELLED: [usize; 55] = [
    101, 0, 1, 7, 13, 14, 19, 20, 23, 34, 35, 42, 43, 44, 45, 46, 47, 56, 57, 58, 59, 60, 61, 62, 65, 69, 70,
    73, 127, 128, 130, 200, 220, 230, 232, 234, 242, 243, 247, 270, 271, 281, 288, 299, 307, 435, 317, 424,
    425, 426, 434, 449, 454, 455, 456,
];

/// As the C library turns what the kernel returns into an error.
fn result(value: isize) -> isize {
    if (-4095..0).contains(&value) { sys::fails(-value as i32) as isize } else { value }
}

fn wait(me: usize, address: usize, expected: u32, is_timed: bool, place: u64) -> isize {
    let object = at(ObjectKind::Futex, address, |_| ());
    let other = memory::visible_at(address).unwrap_or(0);
    before(me, Operation { kind: Kind::FutexWait, object, other, place, ..Operation::default() });
    // SAFETY: the program waits for a word of its own.
    let word = unsafe { &*(address as *const AtomicU32) };
    if word.load(Relaxed) != expected {
        return -(EAGAIN as isize);
    }
    let slot = thread(me);
    slot.is_woken.store(0, Relaxed);
    slot.waits_for.store(object, Relaxed);
    let kind = if is_timed { Kind::FutexResumeTimed } else { Kind::FutexResume };
    before(me, Operation { kind, object, place, ..Operation::default() });
    slot.waits_for.store(0, Relaxed);
    if slot.is_woken.load(Relaxed) == 0 {
        was_fruitless(me, place);
        return -(ETIMEDOUT as isize);
    }
    0
}

fn wake_some(me: usize, address: usize, count: u64, place: u64) -> isize {
    let object = at(ObjectKind::Futex, address, |_| ());
    let value = before(
        me,
        Operation { kind: Kind::FutexWake, object, argument: count, place, ..Operation::default() },
    );
    if count > 1 && waiters(object).count() as u64 > count {
        remark(&[b"a futex that wakes some of those who wait"]);
    }
    let first = if count == 1 { value as usize } else { 0 };
    let mut woken = 0;
    while woken < count {
        let Some(chosen) = waiters(object).nth(if woken == 0 { first } else { 0 }) else { break };
        wake(chosen);
        woken += 1;
    }
    woken as isize
}
