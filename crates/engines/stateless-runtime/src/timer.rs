//! Timers that send a signal: `alarm`, `setitimer`.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, NONE, Operation, Thread, state};

use crate::interrupt::{ends_are_visible, needs_visible_ends};
use crate::limits_of_time;
use crate::schedule::before;
use crate::signal::{self, SIGALRM, Sent, bit, new_slot, sign};
use crate::sys::{errno::*, fails};
use crate::token::{caller, controlled, lose_control, my_process, n_threads, process, region, thread};

/// How timers are told from threads that a thread makes.
const BIRTH_OF_TIMER: u32 = 0x5000_0000;

/// What a timer is there for.
pub enum Watch {
    /// It may move at any time.
    No,
    /// No time limit passes in this search.
    Never,
    /// To call a function of a program that hangs: it moves when nobody else can, or when so much time has passed.
    Calls,
    /// To end a program that hangs. That it hangs is found out anyway, so it does not move before so much time has passed.
    Ends,
}

/// Is a slot such a timer?
pub fn watches(slot: &Thread) -> Watch {
    let header = &region().header;
    if slot.victim.load(Relaxed) != NONE {
        Watch::No
    } else if header.has_no_limits.load(Relaxed) != 0 {
        Watch::Never
    } else if header.clock.load(Relaxed) >= slot.deadline.load(Relaxed) {
        Watch::No
    } else if slot.n_intervals.load(Relaxed) > 0 {
        Watch::Calls
    } else if header.long_limit.load(Relaxed) == 0 {
        Watch::No
    } else if only_ends(slot) {
        Watch::Ends
    } else if is_long(slot) {
        Watch::Calls
    } else {
        Watch::No
    }
}

/// A timer of so many seconds is there to end a program that hangs.
fn is_long(slot: &Thread) -> bool {
    let long = region().header.long_limit.load(Relaxed);
    long != 0 && slot.handle.load(Relaxed).saturating_mul(1_000_000_000) >= long
}

/// Is a slot a timer that does nothing but end its process, for which no thread of the process waits? If nobody else can move, then that is a
/// deadlock, whatever the timer does to those who wait. A short one of a child may be what its parent waits for.
pub fn only_ends(slot: &Thread) -> bool {
    if slot.victim.load(Relaxed) != NONE {
        return false;
    }
    let own = slot.process.load(Relaxed);
    if own != 0 && !is_long(slot) {
        return false;
    }
    let is_handled = process(own as usize).handled.load(Relaxed) & bit(SIGALRM) != 0;
    !is_handled && {
        let mut blocks_all = true;
        let mut is_awaited = false;
        for victim in signal::threads_of(own as usize).map(thread) {
            blocks_all &= victim.blocked.load(Relaxed) & bit(SIGALRM) != 0;
            let operation = victim.operation.load();
            is_awaited |= victim.state.load(Relaxed) == state::PENDING && operation.kind == Kind::Pause;
        }
        !blocks_all && !is_awaited
    }
}

const SECOND: u64 = 1_000_000_000;

/// What is left of the timer of this process, in nanoseconds; 0 if there is none.
fn left() -> u64 {
    let now = region().header.clock.load(Relaxed);
    set_now(my_process()).map_or(0, |number| thread(number).deadline.load(Relaxed).saturating_sub(now).max(1))
}

/// As the kernel tells it: to the nearest second, but not 0.
fn in_seconds(left: u64) -> u64 {
    if left == 0 { 0 } else { ((left + SECOND / 2) / SECOND).max(1) }
}

/// Starts, changes or ends the timer of this process; how long it had to go, and the interval, in
/// nanoseconds.
fn set_timer(me: usize, seconds: u64, interval: u64, place: u64) -> (u64, u64) {
    needs_visible_ends();
    before(me, Operation { kind: Kind::SignalAction, place, ..Operation::default() });
    let own = my_process();
    let rest = (left(), interval_now());
    if let Some(number) = set_now(own) {
        // It could have come before: that is still pending for the search.
        thread(number).state.store(state::KILLED, Relaxed);
    }
    if seconds > 0 {
        limits_of_time::begins(place);
        let number = new_timer(own, me, seconds * SECOND, place);
        thread(number).handle.store(seconds, Relaxed);
        thread(number).interval.store(interval, Relaxed);
        sign(own, None, SIGALRM, Sent::BY_KERNEL);
    }
    rest
}

fn is_timer(number: usize, process: usize) -> bool {
    let slot = thread(number);
    slot.victim.load(Relaxed) == NONE && slot.process.load(Relaxed) as usize == process
}

/// The timer of a process, if it is set.
fn set_now(process: usize) -> Option<usize> {
    let is_pending = |number: &usize| thread(*number).state.load(Relaxed) == state::PENDING;
    (0..n_threads()).filter(is_pending).find(|number| is_timer(*number, process))
}

fn interval_now() -> u64 {
    set_now(my_process()).map_or(0, |number| thread(number).interval.load(Relaxed))
}

/// A slot that sends the signal to a process after a number of nanoseconds.
fn new_timer(process: usize, creator: usize, nanoseconds: u64, place: u64) -> usize {
    let argument = Operation::signals(Some(process), SIGALRM);
    let operation = Operation { kind: Kind::Kill, argument, place, ..Operation::default() };
    let first = (0..n_threads()).find(|number| thread(*number).process.load(Relaxed) as usize == process);
    let birth = BIRTH_OF_TIMER + (0..n_threads()).filter(|number| is_timer(*number, process)).count() as u32;
    let number = new_slot(process, first.unwrap_or(creator), birth, NONE, operation);
    let now = region().header.clock.load(Relaxed);
    thread(number).deadline.store(now + nanoseconds, Relaxed);
    number
}

/// How often a timer comes again in an execution.
const AGAIN: u32 = 16;

/// A timer has come. If it has an interval, it comes again: when no other thread can move or when
/// that much time was slept, and only a number of times.
pub fn comes_again(number: usize) {
    let slot = thread(number);
    let (interval, count) = (slot.interval.load(Relaxed), slot.n_intervals.load(Relaxed));
    if interval == 0 {
        return;
    }
    if count >= AGAIN {
        lose_control(number, &[b"a timer with an interval that comes very often"]);
    }
    let own = slot.process.load(Relaxed) as usize;
    let again = new_timer(own, number, interval, slot.operation.load().place);
    thread(again).interval.store(interval, Relaxed);
    thread(again).n_intervals.store(count + 1, Relaxed);
}

#[unsafe(no_mangle)]
pub extern "C" fn alarm(seconds: u32) -> u32 {
    match controlled() {
        Some(me) => in_seconds(set_timer(me, u64::from(seconds), 0, caller()).0) as u32,
        None => real!(c"alarm": fn(u32) -> u32, (seconds)),
    }
}

/// The same in microseconds, and again and again after an interval; both are less than a second.
#[unsafe(no_mangle)]
pub extern "C" fn ualarm(value: u32, interval: u32) -> u32 {
    let Some(me) = controlled() else { return real!(c"ualarm": fn(u32, u32) -> u32, (value, interval)) };
    const MOST: u32 = 999_999;
    if value.max(interval) > MOST {
        return fails(EINVAL) as u32;
    }
    let (left, _) = set_timer(me, u64::from(value.min(1)), u64::from(interval) * 1000, caller());
    ((left / 1000) as u32).min(MOST)
}

/// An interval and a time, each in seconds and microseconds.
type Timer = [u64; 4];

#[unsafe(no_mangle)]
pub extern "C" fn setitimer(which: i32, new: *const Timer, old: *mut Timer) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"setitimer": fn(i32, *const Timer, *mut Timer) -> i32, (which, new, old));
    };
    if new.is_null() {
        return fails(EFAULT);
    }
    // SAFETY: the program passes a timer.
    let [interval, microseconds, seconds, more] = unsafe { *new };
    if which != 0 {
        if seconds + more > 0 {
            lose_control(me, &[b"setitimer for the time of the processor"]);
        }
        return real!(c"setitimer": fn(i32, *const Timer, *mut Timer) -> i32, (which, new, old));
    }
    let interval = interval * SECOND + microseconds * 1000;
    let rest = set_timer(me, seconds + more.min(1), interval, caller());
    if !old.is_null() {
        // SAFETY: the program passes a place for a timer, or none.
        unsafe { *old = told(rest) };
    }
    0
}

/// A timer as the program sees it.
fn told((left, interval): (u64, u64)) -> Timer {
    [interval / SECOND, interval % SECOND / 1000, left / SECOND, left % SECOND / 1000]
}

#[unsafe(no_mangle)]
pub extern "C" fn getitimer(which: i32, into: *mut Timer) -> i32 {
    let Some(me) = controlled().filter(|_| which == 0) else {
        return real!(c"getitimer": fn(i32, *mut Timer) -> i32, (which, into));
    };
    if into.is_null() {
        return fails(EFAULT);
    }
    if ends_are_visible() {
        before(me, Operation { kind: Kind::SignalAction, place: caller(), ..Operation::default() });
    }
    // SAFETY: the program passes a place for a timer.
    unsafe { *into = told((left(), interval_now())) };
    0
}
