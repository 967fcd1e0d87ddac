//! Long time limits: they are there for the case that something hangs, and pass only when nothing else can happen.
//!
//! A thread that waits with a long limit announces an operation that waits as long as it takes, and its deadline is in its slot. When no thread can move, the
//! limit with the earliest deadline passes; a limit also passes, at any time, when the clock shows its deadline, because threads slept so long. The step
//! is then that of the try which finds nothing ([`Kind::trying`]), and commutes with nothing: whether it is possible depends on all threads.
//! A short limit needs none of this: it is a try from the beginning, and may pass at any time.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Effect, Kind, NONE, Operation, Thread, ThreadSet};

use crate::paths::{hash, keep};
use crate::schedule::{is_enabled, last_event};
use crate::time::{START, Time, duration};
use crate::timer::{self, Watch};
use crate::token::{region, thread};
use crate::uses::{Role, Used, step_in_memory};

/// In `Thread::deadline`: it never comes.
const NEVER: u64 = u64::MAX;

/// What is done with a limit of so many nanoseconds from now: `wait` announces operations.
pub fn within<T>(me: usize, nanoseconds: u64, place: u64, wait: impl FnOnce() -> T) -> T {
    let header = &region().header;
    let long = header.long_limit.load(Relaxed);
    if long != 0 && nanoseconds >= long {
        begins(place);
    }
    let deadline = if header.has_no_limits.load(Relaxed) != 0 {
        NEVER
    } else if long != 0 && nanoseconds >= long {
        header.clock.load(Relaxed).saturating_add(nanoseconds).clamp(1, NEVER - 1)
    } else {
        0
    };
    let outer = thread(me).deadline.swap(deadline, Relaxed);
    let result = wait();
    thread(me).deadline.store(outer, Relaxed);
    result
}

/// The same until a time of the program's clock; without a limit if there is none.
pub fn until<T>(me: usize, time: *const Time, place: u64, wait: impl FnOnce() -> T) -> T {
    if time.is_null() {
        return wait();
    }
    let now = START + region().header.clock.load(Relaxed);
    within(me, duration(time).saturating_sub(now), place, wait)
}

/// Which sleeps count: those of a fifth of a long limit and more.
const PARTS: u64 = 5;

/// Whether a limit passes depends on how long threads sleep after it began: that is an object of a footprint.
fn passing_time() -> Used {
    const NAME: &[u8] = b"the time that passes";
    keep(hash(NAME), NAME);
    Used { role: Role::Process, identity: u64::from(hash(NAME)), name: hash(NAME) }
}

/// A long limit, or a timer, begins.
pub fn begins(place: u64) {
    step_in_memory(place, |uses| uses.reads(passing_time()));
}

/// A thread is about to sleep.
pub fn sleeps(nanoseconds: u64, place: u64) {
    let long = region().header.long_limit.load(Relaxed);
    if long != 0 && nanoseconds >= long / PARTS {
        let before = last_event();
        step_in_memory(place, |uses| uses.adds_to(passing_time()));
        if last_event() != before {
            region().header.slept.store(last_event(), Relaxed);
        }
    }
}

/// Without a limit from now on; what it was.
pub fn forget(me: usize) -> u64 {
    thread(me).deadline.swap(0, Relaxed)
}

/// With that limit again.
pub fn restore(me: usize, deadline: u64) {
    thread(me).deadline.store(deadline, Relaxed);
}

/// The operation as it is announced: with a long limit it waits.
pub fn announced(me: usize, operation: Operation) -> Operation {
    if !is_set(thread(me)) {
        return operation;
    }
    Operation { kind: operation.kind.waiting().unwrap_or(operation.kind), ..operation }
}

/// Does the thread wait with a long limit?
pub fn is_set(slot: &Thread) -> bool {
    slot.deadline.load(Relaxed) != 0 && slot.victim.load(Relaxed) == 0
}

/// Does it, with one that passes some time?
pub fn can_pass(slot: &Thread) -> bool {
    is_set(slot) && slot.deadline.load(Relaxed) != NEVER && {
        let kind = slot.operation.load().kind;
        // Who was woken only waits for the mutex.
        let is_woken = kind == Kind::CondReacquire && slot.is_woken.load(Relaxed) != 0;
        kind.trying().is_some() && !is_woken
    }
}

/// Does it wait for something with a limit that never passes?
pub fn is_without_end(slot: &Thread) -> bool {
    is_set(slot) && slot.deadline.load(Relaxed) == NEVER
}

/// When threads have slept until its deadline, the operation becomes a try, which may find nothing at any time from now on.
pub fn refresh(slot: &Thread, operation: &mut Operation) {
    if can_pass(slot) && region().header.clock.load(Relaxed) >= slot.deadline.load(Relaxed) {
        operation.kind = operation.kind.trying().unwrap_or(operation.kind);
        slot.operation.store(operation);
        slot.cause.store(region().header.slept.load(Relaxed), Relaxed);
    }
}

/// The operation of the thread that moves, as it is now: if it still has to wait, its time is up. So it is for a timer that moves because nothing else does.
pub fn settled(number: usize, operation: Operation) -> Operation {
    let slot = thread(number);
    let waiting = Operation { kind: operation.kind.waiting().unwrap_or(operation.kind), ..operation };
    // Also if it is a try by now.
    let is_late = is_set(slot)
        && slot.deadline.load(Relaxed) != NEVER
        && waiting.kind.trying().is_some()
        && !is_enabled(number, &waiting);
    let is_watchdog = slot.victim.load(Relaxed) == NONE && matches!(timer::watches(slot), Watch::Calls);
    if !is_late && !is_watchdog {
        return operation;
    }
    region().header.clock.fetch_max(slot.deadline.load(Relaxed), Relaxed);
    let kind = if is_late { waiting.kind.trying().unwrap_or(operation.kind) } else { operation.kind };
    let operation = Operation { kind, effect: Effect::Overdue, ..operation };
    slot.operation.store(&Operation { effect: Effect::Any, ..operation });
    operation
}

/// Those of which the time is up first.
pub fn earliest(waiting: ThreadSet) -> ThreadSet {
    let deadline = |number: usize| thread(number).deadline.load(Relaxed);
    let mut first = ThreadSet::EMPTY;
    if let Some(earliest) = waiting.iter().map(deadline).min() {
        waiting.iter().filter(|number| deadline(*number) == earliest).for_each(|number| first.insert(number));
    }
    first
}
