//! POSIX semaphores without a name.

use core::ffi::c_void;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::objects::{at, object};
use crate::schedule::{before, was_fruitless};
use crate::sys::{errno::*, fails};
use crate::token::{caller, controlled};

/// A `sem_t`: its first word is the value.
pub type Semaphore = AtomicU32;

fn find(semaphore: &Semaphore) -> u32 {
    at(ObjectKind::Semaphore, semaphore.as_ptr() as usize, |object| {
        object.count.store(semaphore.load(Relaxed) as i32, Relaxed);
    })
}

fn announce(me: usize, kind: Kind, semaphore: &Semaphore, place: u64) -> u32 {
    let object = find(semaphore);
    before(me, Operation { kind, object, place, ..Operation::default() });
    object
}

/// Changes the value, also where the program keeps it.
fn set(semaphore: &Semaphore, number: u32, value: i32) {
    object(number).count.store(value, Relaxed);
    semaphore.store(value as u32, Relaxed);
}

fn value(number: u32) -> i32 {
    object(number).count.load(Relaxed)
}

fn wait(me: usize, semaphore: &Semaphore, place: u64) -> i32 {
    let number = announce(me, Kind::SemWait, semaphore, place);
    set(semaphore, number, value(number) - 1);
    0
}

fn try_wait(me: usize, semaphore: &Semaphore, otherwise: i32, place: u64) -> i32 {
    let number = announce(me, Kind::SemTrywait, semaphore, place);
    if value(number) == 0 {
        was_fruitless(me, place);
        return fails(otherwise);
    }
    set(semaphore, number, value(number) - 1);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_wait(semaphore: &Semaphore) -> i32 {
    match controlled() {
        Some(me) => wait(me, semaphore, caller()),
        None => real!(c"sem_wait": fn(&Semaphore) -> i32, (semaphore)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_trywait(semaphore: &Semaphore) -> i32 {
    match controlled() {
        Some(me) => try_wait(me, semaphore, EAGAIN, caller()),
        None => real!(c"sem_trywait": fn(&Semaphore) -> i32, (semaphore)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_timedwait(semaphore: &Semaphore, time: *const c_void) -> i32 {
    match controlled() {
        Some(me) => try_wait(me, semaphore, ETIMEDOUT, caller()),
        None => real!(c"sem_timedwait": fn(&Semaphore, *const c_void) -> i32, (semaphore, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_clockwait(semaphore: &Semaphore, clock: i32, time: *const c_void) -> i32 {
    match controlled() {
        Some(me) => try_wait(me, semaphore, ETIMEDOUT, caller()),
        None => real!(c"sem_clockwait": fn(&Semaphore, i32, *const c_void) -> i32, (semaphore, clock, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_post(semaphore: &Semaphore) -> i32 {
    let Some(me) = controlled() else { return real!(c"sem_post": fn(&Semaphore) -> i32, (semaphore)) };
    let number = announce(me, Kind::SemPost, semaphore, caller());
    if value(number) == i32::MAX {
        return fails(EOVERFLOW);
    }
    set(semaphore, number, value(number) + 1);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_getvalue(semaphore: &Semaphore, result: *mut i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"sem_getvalue": fn(&Semaphore, *mut i32) -> i32, (semaphore, result));
    };
    let number = announce(me, Kind::SemGetvalue, semaphore, caller());
    // SAFETY: the program passes a place for the result.
    unsafe { *result = value(number) };
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_init(semaphore: &Semaphore, shared: i32, initial: u32) -> i32 {
    let result = real!(c"sem_init": fn(&Semaphore, i32, u32) -> i32, (semaphore, shared, initial));
    if let Some(me) = controlled()
        && result == 0
    {
        let number = announce(me, Kind::SemChange, semaphore, caller());
        set(semaphore, number, initial as i32);
    }
    result
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_destroy(semaphore: &Semaphore) -> i32 {
    let Some(me) = controlled() else { return real!(c"sem_destroy": fn(&Semaphore) -> i32, (semaphore)) };
    announce(me, Kind::SemChange, semaphore, caller());
    0
}
