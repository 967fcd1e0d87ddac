//! Futexes through `syscall()`: what the standard libraries of Rust and C++ wait with when a lock is taken.
//!
//! The fast paths of those libraries are atomic instructions that nobody sees; what is seen is waiting and waking.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::cond::wake;
use crate::objects::at;
use crate::schedule::{before, waiters, was_fruitless};
use crate::sys::{self, errno::*};
use crate::token::{caller, controlled, remark, thread};

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
    if number == sys::FUTEX
        && let Some(me) = controlled()
    {
        match b & COMMAND {
            WAIT | WAIT_BITSET => return result(wait(me, a, c as u32, d != 0, caller())),
            WAKE | WAKE_BITSET => return wake_some(me, a, c as u64, caller()),
            _ => remark(&[b"a futex operation other than wait and wake"]),
        }
    }
    result(sys::call(number, a, b, c, d, e, f))
}

/// As the C library turns what the kernel returns into an error.
fn result(value: isize) -> isize {
    if (-4095..0).contains(&value) { sys::fails(-value as i32) as isize } else { value }
}

fn wait(me: usize, address: usize, expected: u32, is_timed: bool, place: u64) -> isize {
    let object = at(ObjectKind::Futex, address, |_| ());
    before(me, Operation { kind: Kind::FutexWait, object, place, ..Operation::default() });
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
    let first = if count == 1 { value as usize } else { 0 };
    let mut woken = 0;
    while woken < count {
        let Some(chosen) = waiters(object).nth(if woken == 0 { first } else { 0 }) else { break };
        wake(chosen);
        woken += 1;
    }
    woken as isize
}
