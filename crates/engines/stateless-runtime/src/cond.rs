//! Condition variables.
//!
//! A wait is two steps: the mutex is released and the thread joins the waiters; later, when it was signalled and the mutex is free, it
//! takes the mutex again. With a time limit there is one more if the time is up before the signal: then the thread is no waiter any more,
//! whoever has the mutex. Which waiter a signal wakes is a choice. With spurious wake-ups it is a choice, too, whether a wait needs a signal at
//! all.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Fault, Kind, ObjectKind, Operation};

use crate::interrupt::{WOKEN_BY_TIME, WOKEN_TO_END, end_thread, point, wait_at};
use crate::limits_of_time;
use crate::misuse;
use crate::mutex::{self, Mutex};
use crate::objects::{at, object};
use crate::schedule::{before, last_event, waiters, was_fruitless, was_in_vain};
use crate::sys::errno::*;
use crate::time::{Time, is_clock_of_limits, limited};
use crate::token::{caller, controlled, thread};

fn find(cond: *mut c_void) -> u32 {
    at(ObjectKind::Cond, cond as usize, |_| ())
}

pub fn wait(me: usize, cond: *mut c_void, lock: *mut Mutex, is_timed: bool, place: u64) -> i32 {
    let (object, other) = (find(cond), mutex::find(lock));
    let operation = Operation { object, other, place, ..Operation::default() };
    let value = wait_at(me, Operation { kind: Kind::CondWait, ..operation }, point::CANCELLABLE);
    if let Some(error) = refused(me, (object, cond as usize), (other, lock), place) {
        return error;
    }
    misuse::waits_with(me, object, other, place);
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
            limits_of_time::forget(me);
            before(me, Operation { kind: Kind::CondReacquire, ..operation });
        }
    } else {
        before(me, Operation { kind: Kind::CondReacquire, ..operation });
    }
    slot.waits_for.store(0, Relaxed);
    let result = mutex::take(me, lock, other, place);
    match slot.is_woken.load(Relaxed) {
        WOKEN_BY_TIME => {
            was_fruitless(me, place);
            ETIMEDOUT
        }
        WOKEN_TO_END => end_thread(me),
        _ => result,
    }
}

/// Why a thread does not begin to wait. It does so without the mutex if that does not refuse what only its owner may do.
fn refused(me: usize, cond: (u32, usize), lock: (u32, *mut Mutex), place: u64) -> Option<i32> {
    if !misuse::is_fit(me, cond.0, cond.1, place) || !misuse::is_fit(me, lock.0, lock.1 as usize, place) {
        return Some(EINVAL);
    }
    if mutex::is_owned_by(me, lock.0) {
        return None;
    }
    let mutex = object(lock.0);
    if mutex::refuses_others(mutex) {
        return Some(EPERM);
    }
    // SAFETY: the program passes a mutex. It may have been locked before `main`.
    if mutex.owner.load(Relaxed) != 0 || !unsafe { (*lock.1).is_locked() } {
        let holder = misuse::last_change(mutex).filter(|_| mutex.owner.load(Relaxed) != 0);
        misuse::report(me, Fault::WaitWithoutMutex, lock.0, place, holder);
    }
    None
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
    if !misuse::is_fit(me, object, cond as usize, place) {
        return EINVAL;
    }
    if let Some(chosen) = waiters(object).nth(value as usize) {
        wake(chosen);
    }
    0
}

pub fn broadcast(me: usize, cond: *mut c_void, place: u64) -> i32 {
    let object = find(cond);
    before(me, Operation { kind: Kind::CondBroadcast, object, place, ..Operation::default() });
    if !misuse::is_fit(me, object, cond as usize, place) {
        return EINVAL;
    }
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
        Some(me) => {
            let place = caller();
            limited(limits_of_time::until(me, time, place, || wait(me, cond, mutex, true, place)), time)
        }
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
        Some(_) if !is_clock_of_limits(clock) => EINVAL,
        Some(me) => {
            let place = caller();
            limited(limits_of_time::until(me, time, place, || wait(me, cond, mutex, true, place)), time)
        }
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
    destroy(me, cond, caller())
}

pub fn destroy(me: usize, cond: *mut c_void, place: u64) -> i32 {
    let object = find(cond);
    before(me, Operation { kind: Kind::CondChange, object, place, ..Operation::default() });
    if misuse::destroys(me, object, cond as usize, place) { 0 } else { EBUSY }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cond_init(cond: *mut c_void, attributes: *const c_void) -> i32 {
    let real = || real!(c"pthread_cond_init": fn(*mut c_void, *const c_void) -> i32, (cond, attributes));
    match controlled() {
        Some(me) => initialise(me, cond, caller(), real),
        None => real(),
    }
}

/// Initialises a condition by a function of the C library.
pub fn initialise(me: usize, cond: *mut c_void, place: u64, real: impl FnOnce() -> i32) -> i32 {
    let object = find(cond);
    before(me, Operation { kind: Kind::CondChange, object, place, ..Operation::default() });
    misuse::initialises(me, object, cond as usize, place, real)
}
