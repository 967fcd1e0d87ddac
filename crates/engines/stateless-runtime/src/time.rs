//! Sleeping gives way to others; time is virtual and passes when somebody sleeps.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Operation};

use crate::block::will_write;
use crate::circles::{RECOGNISED, SECOND, haste};
use crate::direct;
use crate::interrupt::{is_interrupted_here, point, wait_at};
use crate::limits_of_time;
use crate::memory;
use crate::schedule::before;
use crate::sys::{errno::*, fails};
use crate::token::{caller, caller_frame, controlled, region, thread};

/// A `struct timespec`.
#[repr(C)]
pub struct Time {
    seconds: i64,
    nanoseconds: i64,
}

pub fn give_way(me: usize, nanoseconds: u64, place: u64) {
    before(me, Operation { kind: Kind::Yield, argument: nanoseconds, place, ..Operation::default() });
    pass(nanoseconds + haste(me));
}

/// Gives way for some time; what is left of it when a signal comes.
fn rest_of_sleep(me: usize, nanoseconds: u64, place: u64) -> u64 {
    rest_of_wait(me, nanoseconds, place, point::WAITS)
}

/// The same, with what may interrupt it.
pub fn rest_of_wait(me: usize, nanoseconds: u64, place: u64, point: u32) -> u64 {
    limits_of_time::sleeps(nanoseconds, place);
    let operation = Operation { kind: Kind::Yield, argument: nanoseconds, place, ..Operation::default() };
    let is_interrupted = is_interrupted_here(me, place, point) || wait_at(me, operation, point).is_none();
    if nanoseconds > 0 {
        note_wait(place);
    }
    let passed = if is_interrupted { nanoseconds / 2 } else { nanoseconds };
    pass(passed + haste(me));
    nanoseconds - passed
}

/// Tells the program how long it did not sleep.
fn write_rest(rest: u64, into: *mut Time) {
    if !into.is_null() {
        let (seconds, nanoseconds) = ((rest / 1_000_000_000) as i64, (rest % 1_000_000_000) as i64);
        // SAFETY: the program passes a place for the rest, or none.
        unsafe { *into = Time { seconds, nanoseconds } };
    }
}

pub fn duration(time: *const Time) -> u64 {
    // SAFETY: the program passes a time.
    let time = unsafe { &*time };
    (time.seconds.max(0) as u64).saturating_mul(1_000_000_000).saturating_add(time.nanoseconds.max(0) as u64)
}

/// The result of an operation with a limit of time: if that it has passed, then it has.
pub fn limited(result: i32, limit: *const Time) -> i32 {
    if result != ETIMEDOUT {
        return result;
    }
    // SAFETY: the program passes a time.
    if !(0..1_000_000_000).contains(&unsafe { &*limit }.nanoseconds) {
        return EINVAL;
    }
    region().header.clock.fetch_max(duration(limit).saturating_sub(START), Relaxed);
    be_late();
    ETIMEDOUT
}

/// A limit of time has passed, perhaps not for the first time. Then the clock shows the same part of a second as before: programs keep that apart
/// from the seconds, and it cannot be recognised.
pub fn be_late() {
    let Some(me) = controlled() else { return };
    note_wait(thread(me).operation.load().place);
    let (rounds, clock) = (&thread(me).fruitless, &region().header.clock);
    let part = clock.load(Relaxed) % SECOND;
    match rounds.count.load(Relaxed) {
        0 | 1 => rounds.phase.store(part, Relaxed),
        _ => pass((rounds.phase.load(Relaxed) + SECOND - part) % SECOND),
    }
}

/// A thread has waited until some time was over. Who does only that, again and again, does not run on and on.
pub fn note_wait(place: u64) {
    let header = &region().header;
    header.timed_wait_place.store(direct::located(place), Relaxed);
    header.timed_waits.fetch_add(1, Relaxed);
}

/// So much time has passed.
pub fn pass(nanoseconds: u64) {
    region().header.clock.fetch_add(nanoseconds, Relaxed);
}

#[unsafe(no_mangle)]
pub extern "C" fn sched_yield() -> i32 {
    if let Some(me) = controlled() {
        give_way(me, 0, caller());
        return 0;
    }
    real!(c"sched_yield": fn() -> i32, ())
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_yield() -> i32 {
    if let Some(me) = controlled() {
        give_way(me, 0, caller());
        return 0;
    }
    real!(c"sched_yield": fn() -> i32, ())
}

#[unsafe(no_mangle)]
pub extern "C" fn sleep(seconds: u32) -> u32 {
    if let Some(me) = controlled() {
        let rest = rest_of_sleep(me, u64::from(seconds) * 1_000_000_000, caller());
        return rest.div_ceil(1_000_000_000) as u32;
    }
    real!(c"sleep": fn(u32) -> u32, (seconds))
}

#[unsafe(no_mangle)]
pub extern "C" fn usleep(microseconds: u32) -> i32 {
    if let Some(me) = controlled() {
        let rest = rest_of_sleep(me, u64::from(microseconds) * 1000, caller());
        return if rest > 0 { fails(EINTR) } else { 0 };
    }
    real!(c"usleep": fn(u32) -> i32, (microseconds))
}

/// Is it a time that the kernel accepts?
pub fn is_length(time: *const Time) -> bool {
    // SAFETY: the program passes a time.
    let time = unsafe { &*time };
    time.seconds >= 0 && (0..1_000_000_000).contains(&time.nanoseconds)
}

/// May a time limit be one of this clock? Only of those of the day and since the start.
pub fn is_clock_of_limits(clock: i32) -> bool {
    (0..2).contains(&clock)
}

#[unsafe(no_mangle)]
pub extern "C" fn nanosleep(time: *const Time, rest: *mut Time) -> i32 {
    if let Some(me) = controlled() {
        if !is_length(time) {
            return fails(EINVAL);
        }
        let left = rest_of_sleep(me, duration(time), caller());
        if left > 0 {
            write_rest(left, rest);
            return fails(EINTR);
        }
        return 0;
    }
    real!(c"nanosleep": fn(*const Time, *mut Time) -> i32, (time, rest))
}

#[unsafe(no_mangle)]
pub extern "C" fn clock_nanosleep(clock: i32, flags: i32, time: *const Time, rest: *mut Time) -> i32 {
    if let Some(me) = controlled() {
        const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
        if clock == CLOCK_THREAD_CPUTIME_ID || !is_length(time) {
            return EINVAL;
        }
        let until = duration(time);
        let now = region().header.clock.load(Relaxed) + START;
        let nanoseconds = if flags & 1 != 0 { until.saturating_sub(now) } else { until };
        let left = rest_of_sleep(me, nanoseconds, caller());
        if left > 0 {
            if flags & 1 == 0 {
                write_rest(left, rest);
            }
            return EINTR;
        }
        return 0;
    }
    real!(c"clock_nanosleep": fn(i32, i32, *const Time, *mut Time) -> i32, (clock, flags, time, rest))
}

/// When every execution begins: 2020-01-01, in nanoseconds.
pub const START: u64 = 1_577_836_800_000_000_000;

/// A look at the clock takes a microsecond, so that a program that waits for a time gets there.
fn now() -> u64 {
    memory::has_effect();
    let passed = region().header.clock.fetch_add(1000, Relaxed) + 1000;
    if passed > RECOGNISED / 2 {
        every_look_is_another();
    }
    START + passed
}

/// What the clock says is nothing that can be recognised in memory.
fn every_look_is_another() {
    if let Some(me) = controlled() {
        thread(me).deeds.fetch_add(1, Relaxed);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn clock_gettime(clock: i32, time: *mut Time) -> i32 {
    if controlled().is_none() {
        return real!(c"clock_gettime": fn(i32, *mut Time) -> i32, (clock, time));
    }
    let now = now();
    will_write(time, size_of::<Time>(), caller_frame());
    // SAFETY: the program passes a place for the result.
    unsafe {
        *time = Time { seconds: (now / 1_000_000_000) as i64, nanoseconds: (now % 1_000_000_000) as i64 }
    };
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn gettimeofday(time: *mut Time, zone: *mut u8) -> i32 {
    if controlled().is_none() {
        return real!(c"gettimeofday": fn(*mut Time, *mut u8) -> i32, (time, zone));
    }
    let now = now();
    will_write(time, size_of::<Time>(), caller_frame());
    if !time.is_null() {
        // SAFETY: the program passes a place for the result: seconds and microseconds.
        unsafe {
            *time =
                Time { seconds: (now / 1_000_000_000) as i64, nanoseconds: (now / 1000 % 1_000_000) as i64 }
        };
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn time(result: *mut i64) -> i64 {
    if controlled().is_none() {
        return real!(c"time": fn(*mut i64) -> i64, (result));
    }
    let seconds = (now() / 1_000_000_000) as i64;
    will_write(result, 8, caller_frame());
    if !result.is_null() {
        // SAFETY: the program passes a place for the result.
        unsafe { *result = seconds };
    }
    seconds
}

/// The processor time of the program is taken to be all the time since it began.
#[unsafe(no_mangle)]
pub extern "C" fn clock() -> i64 {
    match controlled() {
        Some(_) => {
            every_look_is_another();
            ((now() - START) / 1000) as i64
        }
        None => real!(c"clock": fn() -> i64, ()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn timespec_get(time: *mut Time, base: i32) -> i32 {
    const UTC: i32 = 1;
    match controlled() {
        Some(_) if base == UTC => {
            clock_gettime(0, time);
            base
        }
        _ => real!(c"timespec_get": fn(*mut Time, i32) -> i32, (time, base)),
    }
}
