//! Threads, mutexes and conditions of C11. The C library lays them out as those of POSIX.

use core::ffi::c_void;

use crate::cond;
use crate::limits_of_time;
use crate::mutex::{self, Mutex};
use crate::sys::errno::*;
use crate::thread;
use crate::time::{self, Time};
use crate::token::{caller, controlled};

const SUCCESS: i32 = 0;
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const TIMED_OUT: i32 = 4;

type StartRoutine = extern "C" fn(*mut c_void) -> i32;

fn result(code: i32) -> i32 {
    match code {
        0 => SUCCESS,
        EBUSY => BUSY,
        ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mtx_lock(lock: *mut Mutex) -> i32 {
    match controlled() {
        Some(me) => result(mutex::lock(me, lock, caller())),
        None => real!(c"mtx_lock": fn(*mut Mutex) -> i32, (lock)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mtx_trylock(lock: *mut Mutex) -> i32 {
    match controlled() {
        Some(me) => result(mutex::try_lock(me, lock, EBUSY, caller())),
        None => real!(c"mtx_trylock": fn(*mut Mutex) -> i32, (lock)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mtx_timedlock(lock: *mut Mutex, limit: *const Time) -> i32 {
    match controlled() {
        Some(me) => result({
            let place = caller();
            time::limited(
                limits_of_time::until(me, limit, place, || mutex::try_lock(me, lock, ETIMEDOUT, place)),
                limit,
            )
        }),
        None => real!(c"mtx_timedlock": fn(*mut Mutex, *const Time) -> i32, (lock, limit)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mtx_unlock(lock: *mut Mutex) -> i32 {
    match controlled() {
        Some(me) => result(mutex::unlock(me, lock, caller())),
        None => real!(c"mtx_unlock": fn(*mut Mutex) -> i32, (lock)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mtx_init(lock: *mut Mutex, kind: i32) -> i32 {
    let real = || real!(c"mtx_init": fn(*mut Mutex, i32) -> i32, (lock, kind));
    match controlled() {
        Some(me) => mutex::initialise(me, lock, caller(), real),
        None => real(),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mtx_destroy(lock: *mut Mutex) {
    if let Some(me) = controlled() {
        mutex::destroy(me, lock, caller());
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cnd_wait(condition: *mut c_void, lock: *mut Mutex) -> i32 {
    match controlled() {
        Some(me) => result(cond::wait(me, condition, lock, false, caller())),
        None => real!(c"cnd_wait": fn(*mut c_void, *mut Mutex) -> i32, (condition, lock)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cnd_timedwait(condition: *mut c_void, lock: *mut Mutex, limit: *const Time) -> i32 {
    match controlled() {
        Some(me) => result({
            let place = caller();
            time::limited(
                limits_of_time::until(me, limit, place, || cond::wait(me, condition, lock, true, place)),
                limit,
            )
        }),
        None => {
            real!(c"cnd_timedwait": fn(*mut c_void, *mut Mutex, *const Time) -> i32, (condition, lock, limit))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cnd_signal(condition: *mut c_void) -> i32 {
    match controlled() {
        Some(me) => cond::signal(me, condition, caller()),
        None => real!(c"cnd_signal": fn(*mut c_void) -> i32, (condition)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cnd_broadcast(condition: *mut c_void) -> i32 {
    match controlled() {
        Some(me) => cond::broadcast(me, condition, caller()),
        None => real!(c"cnd_broadcast": fn(*mut c_void) -> i32, (condition)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cnd_destroy(condition: *mut c_void) {
    if let Some(me) = controlled() {
        cond::destroy(me, condition, caller());
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cnd_init(condition: *mut c_void) -> i32 {
    let real = || real!(c"cnd_init": fn(*mut c_void) -> i32, (condition));
    match controlled() {
        Some(me) => cond::initialise(me, condition, caller(), real),
        None => real(),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn thrd_create(handle: *mut u64, start: StartRoutine, argument: *mut c_void) -> i32 {
    if controlled().is_none() {
        return real!(c"thrd_create": fn(*mut u64, StartRoutine, *mut c_void) -> i32, (handle, start, argument));
    }
    // SAFETY: the result of the function is an `int` in the register of the pointer that POSIX wants; `thrd_join` reads only that.
    let start: extern "C" fn(*mut c_void) -> *mut c_void = unsafe { core::mem::transmute(start) };
    result(thread::pthread_create(handle, core::ptr::null(), start, argument))
}

#[unsafe(no_mangle)]
pub extern "C" fn thrd_join(handle: u64, code: *mut i32) -> i32 {
    if controlled().is_none() {
        return real!(c"thrd_join": fn(u64, *mut i32) -> i32, (handle, code));
    }
    let mut value = core::ptr::null_mut();
    let joined = thread::pthread_join(handle, &mut value);
    if joined == 0 && !code.is_null() {
        // SAFETY: the program passes a place for the result.
        unsafe { *code = value as usize as i32 };
    }
    result(joined)
}

#[unsafe(no_mangle)]
pub extern "C" fn thrd_yield() {
    time::sched_yield();
}

#[unsafe(no_mangle)]
pub extern "C" fn thrd_sleep(duration: *const Time, rest: *mut Time) -> i32 {
    time::nanosleep(duration, rest)
}
