//! Timers that send a signal: `alarm`, `setitimer`.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, NONE, Operation, Thread, state};

use crate::interrupt::{ends_are_visible, needs_visible_ends};
use crate::limits_of_time;
use crate::schedule::before;
use crate::signal::{self, SIGALRM, bit, new_slot, sign};
use crate::sys::{errno::*, fails};
use crate::token::{caller, controlled, my_process, n_threads, process, region, remark, thread};

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
    } else if header.long_limit.load(Relaxed) == 0
        || header.clock.load(Relaxed) >= slot.deadline.load(Relaxed)
    {
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
    let own = my_process();
    let is_set = |number: &usize| {
        let slot = thread(*number);
        slot.victim.load(Relaxed) == NONE
            && slot.process.load(Relaxed) as usize == own
            && slot.state.load(Relaxed) == state::PENDING
    };
    let now = region().header.clock.load(Relaxed);
    (0..n_threads())
        .find(is_set)
        .map_or(0, |number| thread(number).deadline.load(Relaxed).saturating_sub(now).max(1))
}

/// As the kernel tells it: to the nearest second, but not 0.
fn in_seconds(left: u64) -> u64 {
    if left == 0 { 0 } else { ((left + SECOND / 2) / SECOND).max(1) }
}

/// Starts, changes or ends the timer of this process; how long it had to go, in nanoseconds.
fn set_timer(me: usize, seconds: u64, place: u64) -> u64 {
    needs_visible_ends();
    before(me, Operation { kind: Kind::SignalAction, place, ..Operation::default() });
    let own = my_process();
    let is_timer = |number: &usize| {
        let slot = thread(*number);
        slot.victim.load(Relaxed) == NONE && slot.process.load(Relaxed) as usize == own
    };
    let is_set = |number: &usize| is_timer(number) && thread(*number).state.load(Relaxed) == state::PENDING;
    let rest = left();
    if let Some(number) = (0..n_threads()).find(is_set) {
        // It could have come before: that is still pending for the search.
        thread(number).state.store(state::KILLED, Relaxed);
    }
    if seconds > 0 {
        limits_of_time::begins(place);
        let argument = Operation::signals(Some(own), SIGALRM);
        let operation = Operation { kind: Kind::Kill, argument, place, ..Operation::default() };
        let first = (0..n_threads()).find(|number| thread(*number).process.load(Relaxed) as usize == own);
        let birth = BIRTH_OF_TIMER + (0..n_threads()).filter(is_timer).count() as u32;
        let number = new_slot(own, first.unwrap_or(me), birth, NONE, operation);
        thread(number).handle.store(seconds, Relaxed);
        let now = region().header.clock.load(Relaxed);
        thread(number).deadline.store(now + seconds * 1_000_000_000, Relaxed);
        sign(own, SIGALRM, 0);
    }
    rest
}

#[unsafe(no_mangle)]
pub extern "C" fn alarm(seconds: u32) -> u32 {
    match controlled() {
        Some(me) => in_seconds(set_timer(me, u64::from(seconds), caller())) as u32,
        None => real!(c"alarm": fn(u32) -> u32, (seconds)),
    }
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
    if which != 0 || interval != 0 || microseconds != 0 {
        remark(&[b"setitimer with an interval or for the time of the processor"]);
    }
    if which != 0 {
        // It sends another signal.
        return 0;
    }
    let rest = set_timer(me, seconds + more.min(1), caller());
    if !old.is_null() {
        // SAFETY: the program passes a place for a timer, or none.
        unsafe { *old = told(rest) };
    }
    0
}

/// A timer without an interval.
fn told(left: u64) -> Timer {
    [0, 0, left / SECOND, left % SECOND / 1000]
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
    unsafe { *into = told(left()) };
    0
}
