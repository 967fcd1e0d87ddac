//! Condition variables.
//!
//! A wait is two steps: the mutex is released and the thread joins the waiters; later, when it was signalled and the mutex is free, it
//! takes the mutex again. With a time limit there is one more if the time is up before the signal: then the thread is no waiter any more,
//! whoever has the mutex. Which waiter a signal wakes is a choice. With spurious wake-ups it is a choice, too, whether a wait needs a signal at
//! all.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::interrupt::{WOKEN_BY_TIME, WOKEN_TO_END, end_thread, point, wait_at};
use crate::mutex::{self, Mutex};
use crate::objects::at;
use crate::schedule::{before, last_event, waiters, was_fruitless, was_in_vain};
use crate::sys::errno::*;
use crate::time::{Time, limited};
use crate::token::{caller, controlled, thread};

fn find(cond: *mut c_void) -> u32 {
    at(ObjectKind::Cond, cond as usize, |_| ())
}

pub fn wait(me: usize, cond: *mut c_void, lock: *mut Mutex, is_timed: bool, place: u64) -> i32 {
    let (object, other) = (find(cond), mutex::find(lock));
    let operation = Operation { object, other, place, ..Operation::default() };
    let value = wait_at(me, Operation { kind: Kind::CondWait, ..operation }, point::CANCELLABLE);
    let slot = thread(me);
    let is_spurious = value.is_some_and(|value| value > 0);
    slot.is_woken.store(u32::from(is_spurious), Relaxed);
    slot.waits_for.store(if is_spurious { 0 } else { object }, Relaxed);
    slot.spurious_place.store(if is_spurious { place } else { 0 }, Relaxed);
    // Once: who has locked a recursive mutex twice keeps it while it waits.
    mutex::give(me, lock, other);
    let is_timed = is_timed && !is_spurious;
    if is_timed {
        before(me, Operation { kind: Kind::CondReacquireTimed, ..operation });
        if slot.is_woken.load(Relaxed) == 0 {
            slot.is_woken.store(WOKEN_BY_TIME, Relaxed);
            slot.waits_for.store(0, Relaxed);
            was_in_vain(me);
            before(me, Operation { kind: Kind::CondReacquire, ..operation });
        }
    } else {
        before(me, Operation { kind: Kind::CondReacquire, ..operation });
    }
    slot.waits_for.store(0, Relaxed);
    let result = mutex::take(me, lock, other);
    match slot.is_woken.load(Relaxed) {
        WOKEN_BY_TIME => {
            was_fruitless(me, place);
            ETIMEDOUT
        }
        WOKEN_TO_END => end_thread(me),
        _ => result,
    }
}

/// Wakes one thread, or all.
pub fn wake(number: usize) {
    let slot = thread(number);
    slot.is_woken.store(1, Relaxed);
    slot.cause.store(last_event(), Relaxed);
}

pub fn signal(me: usize, cond: *mut c_void, place: u64) -> i32 {
    let object = find(cond);
    let value = before(me, Operation { kind: Kind::CondSignal, object, place, ..Operation::default() });
    if let Some(chosen) = waiters(object).nth(value as usize) {
        wake(chosen);
    }
    0
}

pub fn broadcast(me: usize, cond: *mut c_void, place: u64) -> i32 {
    let object = find(cond);
    before(me, Operation { kind: Kind::CondBroadcast, object, place, ..Operation::default() });
    waiters(object).for_each(wake);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_wait(cond: *mut c_void, mutex: *mut Mutex) -> i32 {
    match controlled() {
        Some(me) => wait(me, cond, mutex, false, caller()),
        None => real!(c"pthread_cond_wait": fn(*mut c_void, *mut Mutex) -> i32, (cond, mutex)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_timedwait(cond: *mut c_void, mutex: *mut Mutex, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => limited(wait(me, cond, mutex, true, caller()), time),
        None => {
            real!(c"pthread_cond_timedwait": fn(*mut c_void, *mut Mutex, *const Time) -> i32, (cond, mutex, time))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_clockwait(
    cond: *mut c_void,
    mutex: *mut Mutex,
    clock: i32,
    time: *const Time,
) -> i32 {
    match controlled() {
        Some(me) => limited(wait(me, cond, mutex, true, caller()), time),
        None => real!(c"pthread_cond_clockwait": fn(*mut c_void, *mut Mutex, i32, *const Time) -> i32,
            (cond, mutex, clock, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_signal(cond: *mut c_void) -> i32 {
    match controlled() {
        Some(me) => signal(me, cond, caller()),
        None => real!(c"pthread_cond_signal": fn(*mut c_void) -> i32, (cond)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_broadcast(cond: *mut c_void) -> i32 {
    match controlled() {
        Some(me) => broadcast(me, cond, caller()),
        None => real!(c"pthread_cond_broadcast": fn(*mut c_void) -> i32, (cond)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_destroy(cond: *mut c_void) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"pthread_cond_destroy": fn(*mut c_void) -> i32, (cond));
    };
    let object = find(cond);
    before(me, Operation { kind: Kind::CondChange, object, place: caller(), ..Operation::default() });
    if waiters(object).next().is_some() { EBUSY } else { 0 }
}
