//! Who goes on: the decision that a thread takes before each visible operation.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use allways_stateless_protocol::{
    Effect, Event, Kind, Limit, NONE, ObjectKind, Operation, Outcome, Policy, ThreadSet, dependent, held,
    limits, load_set, state, store_set,
};

use crate::callers;
use crate::circles;
use crate::direct;
use crate::effect;
use crate::event;
use crate::file_lock;
use crate::interrupt::{self, INTERRUPTED, WOKEN_BY_TIME, ends_are_visible};
use crate::limits_of_time;
use crate::memory;
use crate::message_queue;
use crate::nonblocking;
use crate::objects::object;
use crate::open;
use crate::poll;
use crate::privacy;
use crate::rwlock;
use crate::signal;
use crate::socket;
use crate::stream;
use crate::sys;
use crate::sysv;
use crate::thread::knows_that_others_ended;
use crate::timer::{self, Watch};
use crate::token::{
    await_token, end, end_at_limit, hand_to, is_concurrent, n_processes, n_threads, process, region,
    tell_explorer, thread,
};

/// Flavours of a mutex, as in the C library.
pub mod flavour {
    pub const RECURSIVE: u8 = 1;
    pub const TYPE: u8 = 3;
    pub const ROBUST: u8 = 0x10;
    /// The owner died; the next one is told.
    pub const OWNER_DIED: u8 = 0x20;
    pub const UNRECOVERABLE: u8 = 0x40;
}

/// Rounds in which all threads only fail or sleep, and days have passed, before the execution is cut. They may count the rounds, so this
/// proves no livelock.
const LONG_ENOUGH: u32 = 2_000;

/// The same for a thread that only yields.
const ENDLESS: u32 = 100_000;

/// Announces an operation and returns when it is this thread's turn to perform it, with the chosen value. Signals that arrive before that
/// are handled here.
pub fn before(me: usize, operation: Operation) -> u32 {
    let operation = Operation { place: direct::located(operation.place), ..operation };
    loop {
        let value = turn(me, operation);
        match thread(me).interrupt.swap(0, Relaxed) {
            0 => return value,
            interrupt if signal::arrives(me, interrupt) => return INTERRUPTED,
            _ => {}
        }
    }
}

/// Waits until it is this thread's turn, to perform the operation or because a signal arrives.
fn turn(me: usize, operation: Operation) -> u32 {
    if privacy::is_unseen(me, &operation) {
        return 0;
    }
    let slot = thread(me);
    slot.operation.store(&limits_of_time::announced(me, operation));
    callers::remember(me);
    circles::look(me, &operation);
    if !is_concurrent() && operation.kind != Kind::Toss && is_enabled(me, &slot.operation.load()) {
        return 0;
    }
    slot.state.store(state::PENDING, Relaxed);
    let next = decide(me);
    if next != me {
        hand_to(next);
        await_token(me);
    } else {
        slot.state.store(state::RUNNING, Relaxed);
    }
    if memory::is_active() && slot.interrupt.load(Relaxed) == 0 {
        memory::performs(me, &operation);
    }
    slot.value.load(Relaxed)
}

/// Gives the token away for good: this thread is over.
pub fn leave(me: usize) {
    if (0..n_threads()).any(|number| thread(number).state.load(Relaxed) == state::PENDING) {
        let next = decide(me);
        hand_to(next);
    } else {
        region().header.outcome.store(Outcome::Finished as u32, Relaxed);
    }
}

/// Logs something that happens without a choice, by the thread that runs.
pub fn note(me: usize, operation: Operation) {
    if is_concurrent() {
        callers::remember(me);
        let operation = Operation { place: direct::located(operation.place), ..operation };
        log(me, &operation, 0, 1, true, ThreadSet::EMPTY);
    }
}

/// The thread that goes on, with its step logged.
fn decide(current: usize) -> usize {
    region().header.heartbeat.fetch_add(1, Relaxed);
    give_hope();
    let on_trial = circles::on_trial();
    if let Some(next) = silent(current, on_trial) {
        return next;
    }
    let movable = match on_trial {
        Some(number) => ThreadSet::single(number),
        None => free_to_move(),
    };
    let enabled = match movable {
        set if set.is_empty() => match release() {
            Released::Yield(next) => return next,
            Released::Try(next) => ThreadSet::single(next),
        },
        set => set,
    };
    let step = region().header.n_steps.load(Relaxed);
    let (next, value) = choose(step, enabled);
    if enabled != ThreadSet::single(next) {
        region().header.quiet.store(0, Relaxed);
    }
    let operation = limits_of_time::settled(next, thread(next).operation.load());
    let values = n_values(next, &operation);
    // A schedule may have a spurious wake-up where none would be tried.
    if value >= values.max(if operation.kind == Kind::CondWait { 2 } else { 0 }) {
        store_set(&region().header.enabled, enabled);
        end(Outcome::Mismatch, Some(next));
    }
    thread(next).value.store(value, Relaxed);
    let operation = match operation.effect {
        Effect::Overdue => operation,
        _ => Operation { effect: effect::of(next, &operation, 0), ..operation },
    };
    log(next, &operation, value, values, false, enabled);
    region().header.n_steps.store(step + 1, Relaxed);
    thread(next).n_choices.fetch_add(1, Relaxed);
    after_step(next, &operation);
    match thread(next).victim.load(Relaxed) {
        0 => next,
        victim => match signal::moves(next, victim as usize - 1, &operation, value) {
            Some(victim) => victim,
            None => decide(current),
        },
    }
}

/// The end, unless everybody is over: whoever waits for memory to change would do so for ever, and use the processor.
fn nobody_can_move() -> ! {
    let is_pending = |number: &usize| thread(*number).state.load(Relaxed) == state::PENDING;
    match (0..n_threads()).filter(is_pending).find(|number| memory::spins(*number)) {
        Some(spins) => end(Outcome::Livelock, Some(spins)),
        None => end(Outcome::Deadlock, None),
    }
}

/// A thread whose operation nobody can notice, so that it need not be a choice.
fn silent(current: usize, on_trial: Option<usize>) -> Option<usize> {
    let is_candidate = |number: &usize| {
        let slot = thread(*number);
        on_trial.is_none_or(|alone| alone == *number) && slot.state.load(Relaxed) == state::PENDING && {
            let operation = slot.operation.load();
            is_silent(*number, &operation) && is_enabled(*number, &operation)
        }
    };
    let next = Some(current).filter(is_candidate).or_else(|| (0..n_threads()).find(is_candidate))?;
    let operation = thread(next).operation.load();
    if operation.kind == Kind::Yield {
        circles::count(&thread(next).yields, operation.place);
    } else {
        region().header.quiet.store(0, Relaxed);
    }
    thread(next).value.store(0, Relaxed);
    log(next, &operation, 0, 1, true, ThreadSet::EMPTY);
    Some(next)
}

/// Independent of whatever another thread can do, now and later, and of everything it could have done before.
fn is_silent(number: usize, operation: &Operation) -> bool {
    match operation.kind {
        Kind::Start | Kind::Create | Kind::Spawned => true,
        Kind::ThreadExit | Kind::Join | Kind::WaitProcess | Kind::ProcessExit => !ends_are_visible(),
        Kind::WaitAny => !ends_are_visible() && unreaped_children(operation.argument as usize).count() <= 1,
        // Who ended before could still have been running, unless it was waited for.
        Kind::Fork | Kind::ThreadsEnd => knows_that_others_ended(number),
        Kind::End => !(0..n_threads())
            .any(|other| other != number && thread(other).state.load(Relaxed) == state::PENDING),
        Kind::Yield => thread(number).held.load(Relaxed) == held::FREE,
        _ => false,
    }
}

/// Tells that the step a thread just took was in vain: a failed try, a time limit.
pub fn was_fruitless(me: usize, place: u64) {
    circles::count(&thread(me).fruitless, direct::located(place));
    was_in_vain(me);
}

/// The same for a step that is only a part of the try.
pub fn was_in_vain(me: usize) {
    let slot = thread(me);
    if !circles::leaves_no_other_trace(slot.operation.load().kind) {
        // It was counted, but there is no trace of it.
        slot.deeds.fetch_sub(1, Relaxed);
    }
    region().header.moved.store(0, Relaxed);
}

/// Who gets another round, though it is held back.
enum Released {
    Yield(usize),
    Try(usize),
}

/// Nobody can move but those who are held back: one of them gets another round. If all have had one and nothing has changed, nothing
/// ever will.
fn release() -> Released {
    let is_held = |number: &usize| {
        let slot = thread(*number);
        slot.state.load(Relaxed) == state::PENDING
            && (is_enabled(*number, &slot.operation.load()) || limits_of_time::can_pass(slot))
            && !timer::only_ends(slot)
            && !matches!(timer::watches(slot), Watch::Never)
    };
    let alone = |number: &usize| thread(*number).alone.load(Relaxed);
    let Some(next) = (0..n_threads()).filter(is_held).min_by_key(alone) else { nobody_can_move() };
    let slot = thread(next);
    let quiet = region().header.quiet.fetch_add(1, Relaxed) as usize;
    let repeats = |number: usize| thread(number).held.load(Relaxed) == held::REPEATS;
    let candidates = || (0..n_threads()).filter(is_held);
    let is_proved = candidates().all(repeats) && quiet > 2 * candidates().count();
    let operation = slot.operation.load();
    let only_yields = operation.kind == Kind::Yield && operation.argument == 0;
    let rounds = slot.alone.fetch_add(1, Relaxed);
    if is_proved {
        end(Outcome::Livelock, Some(next));
    } else if rounds > if only_yields { ENDLESS } else { LONG_ENOUGH } {
        region().header.gave_up.store(1, Relaxed);
        store_set(&region().header.enabled, ThreadSet::EMPTY);
        end(Outcome::Cut, None);
    }
    if operation.kind != Kind::Yield {
        return Released::Try(next);
    }
    slot.value.store(0, Relaxed);
    log(next, &slot.operation.load(), 0, 1, true, ThreadSet::EMPTY);
    Released::Yield(next)
}

/// All threads that could take a step which others can notice, and are not held back.
fn free_to_move() -> ThreadSet {
    let mut set = ThreadSet::EMPTY;
    let mut watchdogs = ThreadSet::EMPTY;
    let mut only_ends = ThreadSet::EMPTY;
    let mut gave_up = false;
    for number in 0..n_threads() {
        let slot = thread(number);
        if slot.state.load(Relaxed) != state::PENDING {
            continue;
        }
        let mut operation = slot.operation.load();
        interrupt::refresh(number, &mut operation);
        limits_of_time::refresh(slot, &mut operation);
        if !is_enabled(number, &operation) {
            if limits_of_time::is_without_end(slot) {
                region().header.held_limits.store(1, Relaxed);
            }
            if limits_of_time::can_pass(slot) && slot.held.load(Relaxed) == held::FREE {
                watchdogs.insert(number);
            }
            continue;
        }
        match timer::watches(slot) {
            Watch::No if timer::only_ends(slot) => {
                only_ends.insert(number);
                continue;
            }
            Watch::No => {}
            Watch::Ends | Watch::Never => {
                region().header.held_limits.store(1, Relaxed);
                continue;
            }
            Watch::Calls => {
                watchdogs.insert(number);
                continue;
            }
        }
        match slot.held.load(Relaxed) {
            held::FREE if !memory::is_stubborn(&operation) => set.insert(number),
            held::REPEATS => {}
            _ => gave_up = true,
        }
    }
    if gave_up && !set.is_empty() {
        region().header.gave_up.store(1, Relaxed);
    }
    if set.is_empty() {
        limits_of_time::earliest(watchdogs)
    } else {
        if !watchdogs.is_empty() {
            region().header.held_limits.store(1, Relaxed);
        }
        only_ends.iter().for_each(|number| set.insert(number));
        set
    }
}

/// The next choice of the prefix, or one by the policy.
fn choose(step: u32, enabled: ThreadSet) -> (usize, u32) {
    let header = &region().header;
    let length = header.prefix_length.load(Relaxed);
    let uses_sleep = header.uses_sleep.load(Relaxed) != 0;
    if step < length {
        let choice = &region().prefix[step as usize];
        let next = choice.thread.load(Relaxed) as usize;
        if next >= n_threads() || !enabled.contains(next) {
            store_set(&header.enabled, enabled);
            end(Outcome::Mismatch, None);
        }
        if uses_sleep && step + 1 == length {
            store_set(&header.sleep, load_set(&header.branch_sleep));
        }
        return (next, choice.value.load(Relaxed));
    }
    if step >= header.max_depth.load(Relaxed) || step as usize + 1 >= limits::EVENTS {
        store_set(&header.enabled, enabled);
        end(Outcome::Cut, None);
    }
    if header.policy.load(Relaxed) == Policy::Ask as u32 {
        return ask(enabled);
    }
    let candidates = if uses_sleep { enabled.without(load_set(&header.sleep)) } else { enabled };
    match pick(step, candidates) {
        Some(next) => (next, random_value(next)),
        None => {
            store_set(&header.enabled, enabled);
            end(Outcome::SleepBlocked, None)
        }
    }
}

/// What the explorer says.
fn ask(enabled: ThreadSet) -> (usize, u32) {
    let header = &region().header;
    for number in enabled.iter() {
        let slot = thread(number);
        slot.n_values.store(n_values(number, &slot.operation.load()), Relaxed);
    }
    store_set(&header.asked, enabled);
    let answered = header.answer.load(Relaxed);
    header.question.store(answered + 1, Release);
    tell_explorer();
    while header.answer.load(Acquire) == answered {
        sys::futex_wait(&header.answer, answered);
    }
    let next = header.answer_thread.load(Relaxed) as usize;
    if next == NONE as usize {
        store_set(&header.enabled, enabled);
        end(Outcome::SleepBlocked, None);
    }
    if next >= n_threads() || !enabled.contains(next) {
        end(Outcome::Mismatch, None);
    }
    (next, header.answer_value.load(Relaxed))
}

/// After so many steps a policy that prefers some threads gives way to one that is fair: they may be waiting, in a loop, for one whose turn
/// would never come. Where chance decides whom it prefers, that is worth more.
const FAIR_AFTER: u32 = 300;
const FAIR_AFTER_PCT: u32 = 3000;

fn pick(step: u32, candidates: ThreadSet) -> Option<usize> {
    let header = &region().header;
    match header.policy.load(Relaxed) {
        policy
            if (policy == Policy::Lowest as u32 || policy == Policy::Backwards as u32)
                && step >= FAIR_AFTER
                || policy == Policy::Pct as u32 && step >= FAIR_AFTER_PCT =>
        {
            candidates.iter().min_by_key(|number| thread(*number).n_choices.load(Relaxed))
        }
        policy if policy == Policy::Random as u32 && !candidates.is_empty() => {
            candidates.iter().nth(random() as usize % candidates.len())
        }
        policy if policy == Policy::Pct as u32 => {
            let highest = |set: ThreadSet| set.iter().max_by_key(|number| priority(*number));
            if header.change_points.iter().any(|point| point.load(Relaxed) == step + 1) {
                let lowered = highest(candidates)?;
                thread(lowered).priority.store(limits::EVENTS as u32 - step, Relaxed);
            }
            highest(candidates)
        }
        policy if policy == Policy::Backwards as u32 => {
            candidates.first().filter(|first| *first == 0).or_else(|| candidates.iter().last())
        }
        policy if policy == Policy::Continue as u32 => {
            let last = last_moved();
            candidates.iter().find(|number| *number >= last).or_else(|| candidates.first())
        }
        _ => candidates.first(),
    }
}

/// Who made the last choice.
fn last_moved() -> usize {
    let events = region().header.n_events.load(Relaxed) as usize;
    let is_choice = |event: &&Event| event.is_silent.load(Relaxed) == 0;
    let last = region().events[..events].iter().rev().find(is_choice);
    last.map_or(0, |event| event.thread.load(Relaxed) as usize)
}

/// Random when first asked for, above every lowered one.
fn priority(number: usize) -> u32 {
    let priority = &thread(number).priority;
    if priority.load(Relaxed) == 0 {
        priority.store(1 << 30 | random() as u32 >> 2, Relaxed);
    }
    priority.load(Relaxed)
}

/// The first value of an operation, or a random one if the search is random.
fn random_value(number: usize) -> u32 {
    let policy = region().header.policy.load(Relaxed);
    if policy != Policy::Random as u32 && policy != Policy::Pct as u32 {
        return 0;
    }
    let values = n_values(number, &thread(number).operation.load());
    if values > 1 { (random() % u64::from(values)) as u32 } else { 0 }
}

/// The next of a sequence that the seed determines (xorshift64*).
fn random() -> u64 {
    let state = &region().header.random;
    let mut x = state.load(Relaxed) | 1;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    state.store(x, Relaxed);
    x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
}

/// Wakes those who sleep and to whom this step matters.
fn after_step(moved: usize, operation: &Operation) {
    let region = region();
    let mut sleep = load_set(&region.header.sleep);
    if !sleep.is_empty() {
        for sleeper in sleep.iter() {
            let mut pending = thread(sleeper).operation.load();
            // After this step: they are independent only if neither changes the effect of the other.
            let ahead = u32::from(operation.kind != Kind::SemPost);
            pending.effect = effect::of(sleeper, &pending, ahead);
            let matters = sleeper == moved
                || dependent((operation, moved), (&pending, sleeper), &|at| region.semop(at), &|number| {
                    region.process_of(number)
                });
            if matters {
                sleep.remove(sleeper);
            }
        }
        store_set(&region.header.sleep, sleep);
    }
    region.header.moved.store(moved as u32 + 1, Relaxed);
    // Where it waits without a time limit it never waited in vain.
    let waits_again = matches!(operation.kind, Kind::CondWait | Kind::FutexWait)
        && thread(moved).fruitless.place.load(Relaxed) == operation.place;
    region.header.waits_again.store(u32::from(waits_again), Relaxed);
}

/// Those who got nowhere may try again when somebody else has moved. If that one only waits again, as they do, threads that wait with a time limit
/// in a loop would give hope to each other for ever.
fn give_hope() {
    let moved = region().header.moved.swap(0, Relaxed);
    if moved == 0 {
        return;
    }
    let waits_again = region().header.waits_again.load(Relaxed) != 0;
    for number in (0..n_threads()).filter(|number| *number + 1 != moved as usize) {
        let slot = thread(number);
        let kind = slot.operation.load().kind;
        let is_late = kind == Kind::CondReacquire && slot.is_woken.load(Relaxed) == WOKEN_BY_TIME;
        let waits_too = kind.has_time_limit() || is_late || limits_of_time::is_set(slot);
        match slot.held.load(Relaxed) {
            // It may look again, but not for ever.
            held::REPEATS if waits_again && waits_too => circles::look_again(slot),
            _ if waits_again && waits_too => {}
            _ => circles::forget(slot),
        }
    }
}

fn log(number: usize, operation: &Operation, value: u32, values: u32, is_silent: bool, enabled: ThreadSet) {
    let region = region();
    let index = region.header.n_events.load(Relaxed);
    if index as usize >= limits::EVENTS {
        end_at_limit(Limit::Steps, limits::EVENTS, None);
    }
    let event = &region.events[index as usize];
    event.thread.store(number as u32, Relaxed);
    event.operation.store(operation);
    event.value.store(value, Relaxed);
    event.n_values.store(values, Relaxed);
    event.is_silent.store(u32::from(is_silent), Relaxed);
    event.is_fatal.store(0, Relaxed);
    event.callers.store(thread(number).callers.load(Relaxed), Relaxed);
    event.cause.store(thread(number).cause.swap(0, Relaxed), Relaxed);
    if !circles::leaves_no_other_trace(operation.kind) {
        thread(number).deeds.fetch_add(1, Relaxed);
    }
    if !is_silent {
        event.before.store(counter(operation), Relaxed);
        store_set(&event.enabled, enabled);
        store_set(&event.sleep, load_set(&region.header.sleep));
    }
    region.header.n_events.store(index + 1, Relaxed);
}

/// The number of the step that was logged last, plus one: what others give as their cause.
pub fn last_event() -> u32 {
    region().header.n_events.load(Relaxed)
}

/// What the explorer wants to know about the state before a step: mostly a counter, of a mutex the owner.
fn counter(operation: &Operation) -> i32 {
    match operation.kind {
        Kind::SetOperate | Kind::SetTry => sysv::remember_values(operation) as i32,
        Kind::MutexLock | Kind::MutexTrylock | Kind::MutexUnlock => {
            object(operation.object).owner.load(Relaxed) as i32
        }
        Kind::CondWait | Kind::CondReacquire | Kind::CondReacquireTimed => {
            object(operation.other).owner.load(Relaxed) as i32
        }
        _ if operation.object != 0 => object(operation.object).count.load(Relaxed),
        _ => 0,
    }
}

/// How many ways an operation can go.
fn n_values(number: usize, operation: &Operation) -> u32 {
    match operation.kind {
        Kind::Toss => operation.argument as u32 + 1,
        Kind::Deliver => signal::n_ways(operation.target as usize - 1),
        Kind::CondWait => 1 + u32::from(may_wake_spuriously(number, operation)),
        Kind::CondSignal => (waiters(operation.object).count() as u32).max(1),
        Kind::FutexWake if operation.argument == 1 => (waiters(operation.object).count() as u32).max(1),
        Kind::WaitAny | Kind::PollAny if operation.other == 0 => {
            (zombies(thread(number).process.load(Relaxed) as usize).count() as u32).max(1)
        }
        _ => 1,
    }
}

/// May a wait end without a signal? Once at each place, until there was one: otherwise it could go on for ever.
fn may_wake_spuriously(number: usize, operation: &Operation) -> bool {
    region().header.has_spurious_wakeups.load(Relaxed) != 0
        && thread(number).spurious_place.load(Relaxed) != operation.place
}

/// Those who wait for an object and were not woken, in the order of their numbers.
pub fn waiters(object: u32) -> impl Iterator<Item = usize> {
    (0..n_threads()).filter(move |number| {
        let slot = thread(*number);
        slot.waits_for.load(Relaxed) == object
            && slot.is_woken.load(Relaxed) == 0
            && slot.state.load(Relaxed) == state::PENDING
    })
}

/// The children of a process that were not waited for.
pub fn unreaped_children(parent: usize) -> impl Iterator<Item = usize> {
    (1..n_processes()).filter(move |number| {
        process(*number).parent.load(Relaxed) as usize == parent
            && process(*number).is_reaped.load(Relaxed) == 0
    })
}

/// Those of them that have ended.
pub fn zombies(parent: usize) -> impl Iterator<Item = usize> {
    unreaped_children(parent).filter(|number| process(*number).is_finished.load(Relaxed) != 0)
}

/// Has a process become another program, or can it no longer?
fn has_begun(number: usize) -> bool {
    process(number).program.load(Relaxed) != 0 || process(number).is_finished.load(Relaxed) != 0
}

/// Can the operation be performed now?
pub fn is_enabled(number: usize, operation: &Operation) -> bool {
    match operation.kind {
        Kind::Deliver => signal::n_ways(operation.target as usize - 1) > 0,
        Kind::SignalWait => signal::pending(number) & operation.argument != 0,
        Kind::Pause => false,
        Kind::Join => {
            let state = thread(operation.argument as usize).state.load(Relaxed);
            state == state::FINISHED || state == state::KILLED
        }
        Kind::Spawned => has_begun(operation.argument as usize),
        Kind::WaitProcess => process(operation.argument as usize).is_finished.load(Relaxed) != 0,
        Kind::WaitAny => {
            let own = operation.argument as usize;
            zombies(own).next().is_some() || unreaped_children(own).next().is_none()
        }
        Kind::MutexLock => can_lock(number, operation.object),
        Kind::CondReacquire => {
            thread(number).is_woken.load(Relaxed) != 0 && can_lock(number, operation.other)
        }
        Kind::CondReacquireTimed => {
            thread(number).is_woken.load(Relaxed) == 0 || can_lock(number, operation.other)
        }
        Kind::SemWait => object(operation.object).count.load(Relaxed) > 0,
        Kind::SetOperate => sysv::can_operate(operation),
        Kind::ReadLock => {
            let owner = object(operation.object).owner.load(Relaxed);
            owner == number as u32 + 1 || owner == 0 && !rwlock::writer_goes_first(operation.object)
        }
        Kind::WriteLock => {
            let lock = object(operation.object);
            let owner = lock.owner.load(Relaxed);
            owner == number as u32 + 1 || owner == 0 && lock.count.load(Relaxed) == 0
        }
        Kind::BarrierLeave => u64::from(object(operation.object).extra.load(Relaxed)) > operation.argument,
        Kind::OnceEnter => object(operation.object).owner.load(Relaxed) == 0,
        Kind::QueueTake => can_take(operation) || nonblocking::ends(operation),
        Kind::QueuePut => can_put(operation) || nonblocking::ends(operation),
        Kind::PollWait => poll::can_go_on(operation),
        Kind::FileLock => file_lock::can_lock(number, operation),
        Kind::FifoWait => open::can_go_on(operation),
        Kind::Connect => socket::can_connect(operation.object),
        Kind::Accept => socket::can_accept(operation.object) || nonblocking::ends(operation),
        kind if kind.is_memory() => memory::is_enabled(operation),
        Kind::FutexResume => thread(number).is_woken.load(Relaxed) != 0,
        _ => true,
    }
}

fn kind_of(operation: &Operation) -> ObjectKind {
    ObjectKind::from_number(object(operation.object).kind.load(Relaxed))
}

fn can_take(operation: &Operation) -> bool {
    match kind_of(operation) {
        ObjectKind::Queue => message_queue::can_take(operation),
        ObjectKind::Event => event::can_take(operation.object),
        ObjectKind::Address => socket::can_accept(operation.object),
        _ => stream::can_take(operation.object),
    }
}

fn can_put(operation: &Operation) -> bool {
    match kind_of(operation) {
        ObjectKind::Queue => message_queue::can_put(operation),
        ObjectKind::Event => event::can_put(operation.object, operation.argument),
        _ => stream::can_put(operation.object, operation.argument as usize),
    }
}

/// Would locking succeed, or fail at once?
pub fn can_lock(number: usize, mutex: u32) -> bool {
    let object = object(mutex);
    let owner = object.owner.load(Relaxed);
    let flavour = object.flavour.load(Relaxed);
    if owner == 0 || flavour & flavour::UNRECOVERABLE != 0 {
        return true;
    }
    if owner == number as u32 + 1 {
        return object.kind.load(Relaxed) == ObjectKind::Mutex as u8 && flavour & flavour::TYPE != 0;
    }
    let owner = thread(owner as usize - 1).state.load(Relaxed);
    flavour & flavour::ROBUST != 0 && (owner == state::FINISHED || owner == state::KILLED)
}
