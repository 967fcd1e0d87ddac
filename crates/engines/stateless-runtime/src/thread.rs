//! Threads: made, joined, over.

use core::ffi::c_void;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32};

use allways_stateless_protocol::{
    Earlier, Fault, Kind, Limit, NONE, ObjectKind, Operation, Thread, limits, state,
};

use crate::block::will_write;
use crate::callers;
use crate::crash;
use crate::departure;
use crate::direct;
use crate::interrupt::{ends_are_visible, needs_visible_ends, point, wait_at};
use crate::kernel_state::needs_memory;
use crate::library;
use crate::limits_of_time;
use crate::memory;
use crate::misuse::{self, report_address};
use crate::modules;
use crate::mutex::leave_robust;
use crate::objects::{object, reserve};
use crate::process::last_thread_exit;
use crate::processors;
use crate::rwlock;
use crate::schedule::{before, leave, note, was_fruitless};
use crate::signal;
use crate::sys::{self, errno::*};
use crate::time::{Time, is_clock_of_limits, limited};
use crate::token::{
    await_token, become_concurrent, caller, caller_frame, controlled, end_at_limit, my_process, n_threads,
    process, region, remark_outsider, set_me, thread,
};

type StartRoutine = extern "C" fn(*mut c_void) -> *mut c_void;

/// The key whose destructor runs when a thread ends.
static KEY: AtomicU32 = AtomicU32::new(NONE);

/// Was a thread made before `main`, as constructors of global objects do? An execution begins with `main`, so it is not there.
static MADE_EARLY: AtomicBool = AtomicBool::new(false);

/// To be called when an execution begins.
pub fn remark_early_threads() {
    if MADE_EARLY.load(Relaxed) {
        remark_outsider(&[b"a thread that is made before main"]);
    }
}

/// The value of our own key in this thread.
fn set_own(value: usize) {
    real!(c"pthread_setspecific": fn(u32, usize) -> i32, (KEY.load(Relaxed), value));
}

/// How often the C library calls destructors that set their value again.
const ROUNDS: usize = 4;

/// To be called once, before any thread is made.
pub fn prepare() {
    departure::prepare();
    type Destructor = extern "C" fn(*mut c_void);
    let mut key = NONE;
    if real!(c"pthread_key_create": fn(*mut u32, Destructor) -> i32, (&raw mut key, at_thread_end)) == 0 {
        KEY.store(key, Relaxed);
    }
}

/// Asks for [`at_thread_end`] in the thread that calls it.
pub fn watch_end() {
    set_own(ROUNDS);
}

/// The destructor: it waits for the last round, so that the program's own destructors are still under control.
extern "C" fn at_thread_end(rounds: *mut c_void) {
    if rounds as usize > 1 {
        set_own(rounds as usize - 1);
    } else if let Some(me) = controlled() {
        thread_exit(me);
    }
}

/// The end of this thread, up to the moment when nobody can notice what it does any more.
pub fn thread_exit(me: usize) {
    misuse::ends(me);
    if process(my_process()).n_live.load(Relaxed) == 1 {
        return last_thread_exit(me);
    }
    leave_robust(me);
    before(me, Operation { kind: Kind::ThreadExit, ..Operation::default() });
    if process(my_process()).n_live.load(Relaxed) == 1 {
        // The others ended in the meantime.
        return last_thread_exit(me);
    }
    thread(me).state.store(state::FINISHED, Relaxed);
    memory::stack_ends(me);
    signal::victim_is_gone(me);
    process(my_process()).n_live.fetch_sub(1, Relaxed);
    set_me(NONE);
    departure::begins();
    leave(me);
}

/// A slot for a new thread of a process. It does not wait for its turn before it [`may_start`]: the C
/// library may call the program while it makes the thread, and what is called takes steps.
pub fn new_slot(me: usize, process: usize) -> usize {
    let number = match n_threads() {
        number if number < limits::THREADS => number,
        _ => match reusable(me, process) {
            Some(number) => number,
            None => end_at_limit(Limit::Threads, limits::THREADS, Some(me)),
        },
    };
    let slot = thread(number);
    slot.process.store(process as u32, Relaxed);
    slot.creator.store(me as u32, Relaxed);
    slot.birth.store(thread(me).n_created.fetch_add(1, Relaxed), Relaxed);
    slot.operation.store(&Operation { kind: Kind::Start, ..Operation::default() });
    slot.state.store(state::FREE, Relaxed);
    region().header.n_threads.fetch_max(number as u32 + 1, Relaxed);
    self::process(process).n_live.fetch_add(1, Relaxed);
    number
}

/// A new thread is there.
pub fn may_start(number: usize) {
    thread(number).state.store(state::PENDING, Relaxed);
}

/// Where there is no room for more threads: a slot of one that is over. What that one did comes
/// before all that the new one does only if the creator knows that it ended; and nothing must be
/// left of it.
fn reusable(me: usize, process: usize) -> Option<usize> {
    let is_over = |number: &usize| {
        let slot = thread(*number);
        slot.state.load(Relaxed) == state::FINISHED
            && slot.process.load(Relaxed) as usize == process
            && slot.parameters.load(Relaxed) != 0
            && slot.deliverer.load(Relaxed) == 0
            && has_joined(me, *number)
            && !holds_something(*number)
    };
    let keeps = region().header.keeps_slots.load(Relaxed) != 0;
    let number = (1..n_threads()).filter(|_| !keeps).find(is_over)?;
    let slot = thread(number);
    // Numbers that tell threads apart, and random ones, go on.
    let (n_created, drawn) = (slot.n_created.load(Relaxed), slot.drawn.load(Relaxed));
    slot.clear();
    slot.n_created.store(n_created, Relaxed);
    slot.drawn.store(drawn, Relaxed);
    Some(number)
}

/// Did a thread end with a lock?
fn holds_something(number: usize) -> bool {
    let count = region().header.n_objects.load(Relaxed);
    (1..=count).map(object).any(|object| {
        let kind = ObjectKind::from_number(object.kind.load(Relaxed));
        kind.may_be_private() && object.owner.load(Relaxed) == number as u32 + 1
            || kind == ObjectKind::Rwlock && rwlock::is_reader(number, object)
    })
}

/// Makes a thread with this function of the C library; `create` gets the function to run and its argument.
pub fn create(
    me: usize,
    start: usize,
    argument: usize,
    place: u64,
    create: impl FnOnce(usize) -> i32,
) -> i32 {
    let number = new_slot(me, my_process());
    let parameters = reserve(4);
    for (position, word) in [start, start >> 32, argument, argument >> 32].into_iter().enumerate() {
        region().pool[parameters as usize + position].store(word as u32, Relaxed);
    }
    thread(number).parameters.store(parameters + 1, Relaxed);
    signal::inherit(me, number);
    processors::created(me, number);
    memory::created(me, number);
    modules::shares_memory();
    become_concurrent();
    let result = create(number);
    if result != 0 {
        thread(number).state.store(state::FINISHED, Relaxed);
        process(my_process()).n_live.fetch_sub(1, Relaxed);
        return result;
    }
    may_start(number);
    note(me, Operation { kind: Kind::Create, target: number as u32 + 1, place, ..Operation::default() });
    0
}

extern "C" fn trampoline(number: *mut c_void) -> *mut c_void {
    let me = number as usize;
    let parameters = thread(me).parameters.load(Relaxed) as usize - 1;
    let word = |position: usize| region().pool[parameters + position].load(Relaxed) as usize;
    let (start, argument) = (word(0) | word(1) << 32, word(2) | word(3) << 32);
    set_me(me as u32);
    watch_end();
    callers::stack_begins(me);
    crash::watch_stack(me);
    direct::watch();
    // What is below is ours.
    thread(me).stack_pointer.store(callers::frame() as u64 - 8, Relaxed);
    sys::open_gate();
    thread(me).has_arrived.store(1, Release);
    await_token(me);
    memory::started(me, &raw const start as usize, thread(me).handle.load(Relaxed) as usize);
    // SAFETY: `create` wrote the function that the program passed.
    let start: StartRoutine = unsafe { core::mem::transmute(start) };
    start(argument as *mut c_void)
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_create(
    handle: *mut u64,
    attributes: *const c_void,
    start: StartRoutine,
    argument: *mut c_void,
) -> i32 {
    let make = |start: StartRoutine, argument: *mut c_void| {
        real!(c"pthread_create": fn(*mut u64, *const c_void, StartRoutine, *mut c_void) -> i32,
            (handle, attributes, start, argument))
    };
    let Some(me) = controlled() else {
        MADE_EARLY.store(true, Relaxed);
        return make(start, argument);
    };
    // It needs a stack, and there may be too many.
    needs_memory(caller());
    if attributes.is_null() {
        library::uses(library::state::DEFAULTS, false, caller());
    }
    // It is there before the thread begins.
    will_write(handle, 8, caller_frame());
    create(me, start as usize, argument as usize, caller(), |number| {
        thread(number).is_detached.store(u32::from(makes_detached(attributes)), Relaxed);
        processors::created_with(attributes, number);
        memory::has_stack(number, attributes.is_null());
        let result = make(trampoline, number as *mut c_void);
        if result == 0 {
            // SAFETY: the C library has just written it.
            has_handle(number, unsafe { *handle });
        }
        result
    })
}

/// Waits until the C library has prepared the threads of this process that were made: it does so beside the one that has the token, and
/// changes memory. Those that ended are gone, see `departure.rs`.
pub fn await_beginnings() {
    const PATIENCE: usize = 100_000;
    let own = my_process() as u32;
    for slot in (0..n_threads()).map(thread).filter(|slot| slot.process.load(Relaxed) == own) {
        let is_on_its_way = || {
            slot.state.load(Relaxed) == state::PENDING
                && slot.parameters.load(Relaxed) != 0
                && slot.has_arrived.load(Acquire) == 0
        };
        for _ in (0..PATIENCE).take_while(|_| is_on_its_way()) {
            sys::call(sys::SCHED_YIELD, 0, 0, 0, 0, 0, 0);
        }
    }
}

/// Notes the handle of a new thread. If it has the slot of another one, it is not the last of those
/// that had the handle before: these lose it.
fn has_handle(number: usize, handle: u64) {
    if number + 1 < n_threads() {
        let own = my_process() as u32;
        let had_it =
            |slot: &&Thread| slot.process.load(Relaxed) == own && slot.handle.load(Relaxed) == handle;
        (0..n_threads()).map(thread).filter(had_it).for_each(|slot| slot.handle.store(0, Relaxed));
    }
    thread(number).handle.store(handle, Relaxed);
}

/// The youngest thread of this process with this handle.
pub fn find(handle: u64) -> Option<usize> {
    (0..n_threads()).rev().find(|number| {
        let slot = thread(*number);
        slot.handle.load(Relaxed) == handle && slot.process.load(Relaxed) as usize == my_process()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_join(handle: u64, result: *mut *mut c_void) -> i32 {
    let real_join = || real!(c"pthread_join": fn(u64, *mut *mut c_void) -> i32, (handle, result));
    let (Some(me), Some(target)) = (controlled(), find(handle)) else { return real_join() };
    if target == me {
        return EDEADLK;
    }
    let place = caller();
    let join = join(target, place);
    if ends_are_visible() {
        before(me, Operation { kind: Kind::JoinBegins, ..join });
    }
    if let Some(error) = unjoinable(me, target, place) {
        if thread(target).is_detached.load(Relaxed) == DETACHED_LATER {
            needs_visible_ends();
        }
        return error;
    }
    wait_at(me, join, point::CANCELLABLE);
    if is_joined(target) {
        // By another thread, meanwhile.
        report_joined(me, target, place);
        return EINVAL;
    }
    joins(me, target, place);
    will_write(result, 8, caller_frame());
    real_join()
}

/// As a value of `is_detached`: not when the thread was made.
const DETACHED_LATER: u32 = 2;

/// Was it said that nobody shall join a thread?
fn is_detached(target: usize) -> bool {
    thread(target).is_detached.load(Relaxed) != 0
}

fn is_joined(target: usize) -> bool {
    thread(target).joiner.load(Relaxed) != 0
}

/// Notes who joins a thread.
fn joins(me: usize, target: usize, place: u64) {
    thread(target).joiner.store(me as u32 + 1, Relaxed);
    thread(target).joined_at.store(place, Relaxed);
}

fn report_joined(me: usize, target: usize, place: u64) {
    let earlier = thread(target)
        .joiner
        .load(Relaxed)
        .checked_sub(1)
        .map(|thread| Earlier { thread, place: self::thread(target).joined_at.load(Relaxed) });
    report_address(me, Fault::UseOfJoined, target as u64, place, earlier);
}

/// Is the thread over and joined, so that its handle means nothing any more? That is reported.
fn is_stale(me: usize, target: usize, place: u64) -> bool {
    if is_joined(target) {
        report_joined(me, target, place);
    }
    is_joined(target)
}

/// The same for a signal or a cancellation: a thread that was detached must not be asked for
/// either, once it is over.
pub fn is_past(me: usize, target: usize, place: u64) -> bool {
    if is_detached(target) {
        // So it matters whether it is over.
        needs_visible_ends();
        before(me, Operation { kind: Kind::PollThread, ..join(target, place) });
    }
    let is_left = is_detached(target) && thread(target).state.load(Relaxed) == state::FINISHED;
    if is_left {
        report_address(me, Fault::UseOfDetached, target as u64, place, None);
    }
    is_left || is_stale(me, target, place)
}

/// Why a thread can neither be joined nor detached; that is reported, as nothing is said of what happens then.
fn unjoinable(me: usize, target: usize, place: u64) -> Option<i32> {
    if is_stale(me, target, place) {
        return Some(ESRCH);
    }
    let was_detached = is_detached(target);
    if was_detached {
        report_address(me, Fault::UseOfDetached, target as u64, place, None);
    }
    was_detached.then_some(EINVAL)
}

fn makes_detached(attributes: *const c_void) -> bool {
    unsafe extern "C" {
        fn pthread_attr_getdetachstate(attributes: *const c_void, state: *mut i32) -> i32;
    }
    let mut state = 0;
    // SAFETY: the program passes attributes, or none.
    !attributes.is_null() && unsafe { pthread_attr_getdetachstate(attributes, &mut state) } == 0 && state != 0
}

/// Who is about to join the thread does so; who comes later must not. So the order of the two matters, if anybody joins it.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_detach(handle: u64) -> i32 {
    let detach = || real!(c"pthread_detach": fn(u64) -> i32, (handle));
    let (Some(me), Some(target)) = (controlled(), find(handle)) else { return detach() };
    let place = caller();
    if ends_are_visible() {
        before(me, Operation { kind: Kind::Detach, ..join(target, place) });
    }
    if let Some(error) = unjoinable(me, target, place) {
        return error;
    }
    let joins = |number: usize| {
        let operation = thread(number).operation.load();
        let is_pending = thread(number).state.load(Relaxed) == state::PENDING;
        is_pending && operation.kind == Kind::Join && operation.argument == target as u64
    };
    if (0..n_threads()).any(joins) {
        needs_visible_ends();
        return 0;
    }
    thread(target).is_detached.store(DETACHED_LATER, Relaxed);
    detach()
}

/// Joins a thread if it has ended; a time limit has passed if it has not.
fn join_if_over(handle: u64, result: *mut *mut c_void, otherwise: i32, place: u64) -> Option<i32> {
    let (me, target) = (controlled()?, find(handle)?);
    if target == me {
        return Some(EDEADLK);
    }
    if let Some(error) = unjoinable(me, target, place) {
        return Some(error);
    }
    needs_visible_ends();
    let operation = Operation { kind: Kind::PollThread, ..join(target, place) };
    let is_point = if otherwise == ETIMEDOUT { point::CANCELLABLE } else { 0 };
    wait_at(me, operation, is_point);
    if thread(target).state.load(Relaxed) != state::FINISHED {
        was_fruitless(me, place);
        return Some(otherwise);
    }
    joins(me, target, place);
    Some(real!(c"pthread_join": fn(u64, *mut *mut c_void) -> i32, (handle, result)))
}

/// The same with a time limit.
fn join_in_time(handle: u64, result: *mut *mut c_void, time: *const Time, place: u64) -> Option<i32> {
    limits_of_time::until(controlled()?, time, place, || join_if_over(handle, result, ETIMEDOUT, place))
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_tryjoin_np(handle: u64, result: *mut *mut c_void) -> i32 {
    join_if_over(handle, result, EBUSY, caller())
        .unwrap_or_else(|| real!(c"pthread_tryjoin_np": fn(u64, *mut *mut c_void) -> i32, (handle, result)))
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_timedjoin_np(handle: u64, result: *mut *mut c_void, time: *const Time) -> i32 {
    if time.is_null() {
        return pthread_join(handle, result);
    }
    let joined = join_in_time(handle, result, time, caller());
    joined.map(|result| limited(result, time)).unwrap_or_else(
        || real!(c"pthread_timedjoin_np": fn(u64, *mut *mut c_void, *const Time) -> i32, (handle, result, time)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_clockjoin_np(
    handle: u64,
    result: *mut *mut c_void,
    clock: i32,
    time: *const Time,
) -> i32 {
    if time.is_null() {
        return pthread_join(handle, result);
    }
    if !is_clock_of_limits(clock) {
        return EINVAL;
    }
    let joined = join_in_time(handle, result, time, caller());
    joined.map(|result| limited(result, time)).unwrap_or_else(|| {
        real!(c"pthread_clockjoin_np": fn(u64, *mut *mut c_void, i32, *const Time) -> i32,
            (handle, result, clock, time))
    })
}

/// The other threads of the process of a thread, also those that are over.
pub fn others(number: usize) -> impl Iterator<Item = usize> {
    let own = thread(number).process.load(Relaxed);
    (0..n_threads()).filter(move |other| {
        let slot = thread(*other);
        *other != number && slot.process.load(Relaxed) == own && slot.victim.load(Relaxed) == 0
    })
}

/// Did a thread join all others of its process, or those who did?
pub fn knows_that_others_ended(number: usize) -> bool {
    others(number).all(|other| has_joined(number, other))
}

/// Did a thread join another one, or a thread that did?
pub fn has_joined(number: usize, other: usize) -> bool {
    let joiner = |other: &usize| (thread(*other).joiner.load(Relaxed) as usize).checked_sub(1);
    let mut joiners = core::iter::successors(joiner(&other), joiner);
    joiners.by_ref().take(limits::THREADS).any(|joiner| joiner == number)
}

fn join(target: usize, place: u64) -> Operation {
    Operation { kind: Kind::Join, argument: target as u64, place, ..Operation::default() }
}

/// Notes the handle of the first thread of a process.
pub fn set_own_handle(me: usize) {
    unsafe extern "C" {
        fn pthread_self() -> u64;
    }
    // SAFETY: it has no conditions.
    thread(me).handle.store(unsafe { pthread_self() }, Relaxed);
}
