//! Signals that the program sends: to itself, to its threads, to its processes.
//!
//! The kernel is not asked to send any. A signal that was sent is *pending* in the region, and for each thread of the process there is one more
//! slot, the *deliverer*, whose step makes a signal arrive there: before the pending operation of its *victim*, or, if that one waits and can
//! fail because of a signal, while it waits. So when a signal arrives is a choice like others. The function of the program is called on
//! the stack of the victim, inside [`before`]; then the operation is announced again.
//!
//! A thread that sends a signal to itself, or lets one through that is pending, gets it at once. A timer (`timer.rs`) is a
//! slot, too: its step sends the signal.
//!
//! What the program wants to happen is kept here ([`ACTIONS`]). The kernel is told only about signals that it sends itself because of
//! what a thread does: faults and `SIGPIPE`.

use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Effect, Kind, Limit, Operation, limits, state};

use crate::callers::frame;
use crate::crash;
use crate::direct;
use crate::image::is_rust;
use crate::interrupt::{ends_are_visible, needs_visible_ends, point};
use crate::kernel_state;
use crate::library;
use crate::limits_of_time;
use crate::process::process_exit;
use crate::schedule::{before, is_enabled, last_event};
use crate::sigwait;
use crate::sys::{self, errno::*, fails};
use crate::thread::{find, is_past, knows_that_others_ended};
use crate::timer;
use crate::token::{
    become_concurrent, caller, controlled, end_at_limit, lose_control, my_process, n_processes, n_threads,
    process, region, remark, thread,
};

pub const SIGABRT: usize = 6;
pub const SIGKILL: usize = 9;
pub const SIGPIPE: usize = 13;
pub const SIGALRM: usize = 14;
const SIGCHLD: usize = 17;
const SIGCONT: usize = 18;
pub const SIGSTOP: usize = 19;
/// `SIGILL`, `SIGTRAP`, `SIGABRT`, `SIGBUS`, `SIGFPE`, `SIGSEGV`, `SIGSYS`.
const FAULTS: u64 = set(&[4, 5, 6, 7, 8, 11, 31]);
/// `SIGCHLD`, `SIGCONT`, `SIGURG`, `SIGWINCH`.
const HARMLESS: u64 = set(&[17, 18, 23, 28]);
/// `SIGSTOP`, `SIGTSTP`, `SIGTTIN`, `SIGTTOU`.
const STOPS: u64 = set(&[19, 20, 21, 22]);
const FIRST_QUEUED: usize = 34;
const LAST: usize = 64;

const SIG_DFL: usize = 0;
const SIG_IGN: usize = 1;
const SA_NOCLDWAIT: i32 = 2;
const SA_SIGINFO: i32 = 4;
const SA_ONSTACK: i32 = 0x0800_0000;
const SA_RESTART: i32 = 0x1000_0000;
const SA_NODEFER: i32 = 0x4000_0000;
const SA_RESETHAND: i32 = 0x8000_0000_u32 as i32;
const SI_USER: i32 = 0;
const SI_QUEUE: i32 = -1;
const SI_TKILL: i32 = -6;
const CLD_EXITED: i32 = 1;

/// In `Thread::interrupt`, besides the number of the signal.
const DURING: u32 = 0x100;

/// How deliverers are told from threads that a thread makes.
const BIRTH_OF_DELIVERER: u32 = 0x4000_0000;

thread_local! {
    /// How many functions for signals this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The mask that `sigsuspend` or the like restores when a signal has ended its wait.
    static MASK_AFTER_WAIT: Cell<u64> = const { Cell::new(0) };
}

pub const fn bit(signal: usize) -> u64 {
    1 << (signal - 1)
}

pub const fn set(signals: &[usize]) -> u64 {
    let (mut set, mut position) = (0, 0);
    while position < signals.len() {
        set |= bit(signals[position]);
        position += 1;
    }
    set
}

/// A `struct sigaction` of the C library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: usize,
    pub mask: [u64; 16],
    pub flags: i32,
    pub restorer: usize,
}

impl Action {
    pub const DEFAULT: Action = Action { handler: SIG_DFL, mask: [0; 16], flags: 0, restorer: 0 };
}

struct Actions {
    list: UnsafeCell<[Action; LAST + 1]>,
}

// SAFETY: only the thread that holds the token touches the list.
unsafe impl Sync for Actions {}

/// What this process wants to happen, by the number of the signal.
static ACTIONS: Actions = Actions { list: UnsafeCell::new([Action::DEFAULT; LAST + 1]) };

fn action(signal: usize) -> Action {
    // SAFETY: see `Actions`.
    unsafe { (*ACTIONS.list.get())[signal] }
}

/// Has the program no wish for it?
pub fn is_default(signal: usize) -> bool {
    action(signal).handler == SIG_DFL
}

fn store_action(signal: usize, action: Action) {
    // SAFETY: see `Actions`.
    unsafe { (*ACTIONS.list.get())[signal] = action };
}

/// Tells the others what this process does with a signal.
fn publish(signal: usize) {
    let (own, action) = (process(my_process()), action(signal));
    for (word, is_in) in [
        (&own.handled, action.handler > SIG_IGN),
        (&own.ignored, action.handler == SIG_IGN),
        (&own.restarts, action.flags & SA_RESTART != 0),
    ] {
        if is_in {
            word.fetch_or(bit(signal), Relaxed);
        } else {
            word.fetch_and(!bit(signal), Relaxed);
        }
    }
}

/// The first process of an execution: what was wanted before `main`.
pub fn begin() {
    (1..=LAST).filter(|signal| action(*signal).handler != SIG_DFL).for_each(publish);
}

/// A child wants what its parent wants.
pub fn forked(parent: usize, child: usize, forking: usize, forked: usize) {
    let (parent, child) = (process(parent), process(child));
    child.handled.store(parent.handled.load(Relaxed), Relaxed);
    child.ignored.store(parent.ignored.load(Relaxed), Relaxed);
    child.restarts.store(parent.restarts.load(Relaxed), Relaxed);
    thread(forked).blocked.store(thread(forking).blocked.load(Relaxed), Relaxed);
}

/// Another program has no functions for signals yet; what was ignored still is.
pub fn executed() {
    let own = process(my_process());
    own.handled.store(0, Relaxed);
    own.restarts.store(0, Relaxed);
    let ignored = own.ignored.load(Relaxed);
    for signal in (1..=LAST).filter(|signal| ignored & bit(*signal) != 0) {
        store_action(signal, Action { handler: SIG_IGN, ..Action::DEFAULT });
    }
}

/// A new thread lets through what the one that made it does.
pub fn inherit(creator: usize, number: usize) {
    thread(number).blocked.store(thread(creator).blocked.load(Relaxed), Relaxed);
    if process(my_process()).signals.load(Relaxed) != 0 {
        make_deliverer(number);
    }
}

/// Threads of a process that are not over; none of ours.
pub fn threads_of(process: usize) -> impl Iterator<Item = usize> {
    (0..n_threads()).filter(move |number| {
        let slot = thread(*number);
        slot.process.load(Relaxed) as usize == process
            && slot.victim.load(Relaxed) == 0
            && matches!(slot.state.load(Relaxed), state::PENDING | state::RUNNING)
    })
}

/// A slot that is no thread of the program.
pub fn new_slot(process: usize, creator: usize, birth: u32, victim: u32, operation: Operation) -> usize {
    let number = n_threads();
    if number >= limits::THREADS {
        end_at_limit(Limit::Threads, limits::THREADS, None);
    }
    let slot = thread(number);
    slot.process.store(process as u32, Relaxed);
    slot.creator.store(creator as u32, Relaxed);
    slot.birth.store(birth, Relaxed);
    slot.victim.store(victim, Relaxed);
    slot.operation.store(&operation);
    slot.state.store(state::PENDING, Relaxed);
    region().header.n_threads.store(number as u32 + 1, Relaxed);
    become_concurrent();
    number
}

fn make_deliverer(victim: usize) {
    let slot = thread(victim);
    if slot.deliverer.load(Relaxed) != 0 {
        return;
    }
    let target = victim as u32 + 1;
    let operation = Operation { kind: Kind::Deliver, target, ..Operation::default() };
    let process = slot.process.load(Relaxed) as usize;
    let number = new_slot(process, victim, BIRTH_OF_DELIVERER, target, operation);
    slot.deliverer.store(number as u32 + 1, Relaxed);
}

/// Nothing arrives any more at a thread that is over. It could have before: that is still pending for the search.
pub fn victim_is_gone(victim: usize) {
    if let Some(number) = (thread(victim).deliverer.load(Relaxed) as usize).checked_sub(1) {
        thread(number).state.store(state::KILLED, Relaxed);
    }
}

/// Brings what a delivery touches up to date: what the victim's operation does.
pub fn refresh(number: usize, operation: &mut Operation) {
    let victim = thread(operation.target as usize - 1).operation.load();
    operation.object = victim.object;
    operation.other = if victim.kind == Kind::PollAny { 0 } else { victim.other };
    (operation.list, operation.length) = if victim.watches() { (victim.list, victim.length) } else { (0, 0) };
    thread(number).operation.store(operation);
}

/// The signals that wait for a thread, or for its process.
pub fn pending(number: usize) -> u64 {
    let slot = thread(number);
    slot.signals.load(Relaxed) | process(slot.process.load(Relaxed) as usize).signals.load(Relaxed)
}

/// Takes a pending signal.
pub fn take(number: usize, signal: usize) {
    let slot = thread(number);
    if slot.signals.fetch_and(!bit(signal), Relaxed) & bit(signal) == 0 {
        process(slot.process.load(Relaxed) as usize).signals.fetch_and(!bit(signal), Relaxed);
    }
}

/// The signal among these that the kernel takes first: one of the thread comes before those of its
/// process, and in both sets one that an instruction can cause comes before the others.
pub fn first(number: usize, signals: u64) -> Option<usize> {
    const SYNCHRONOUS: u64 = FAULTS & !bit(SIGABRT);
    let own = thread(number).signals.load(Relaxed) & signals;
    let all = pending(number) & signals;
    let among = if own != 0 { own } else { all };
    let among = if among & SYNCHRONOUS != 0 { among & SYNCHRONOUS } else { among };
    (among != 0).then(|| among.trailing_zeros() as usize + 1)
}

/// The ways in which a signal can arrive at a thread now: which, and whether it interrupts the operation.
fn ways(victim: usize) -> impl Iterator<Item = (usize, bool)> {
    let slot = thread(victim);
    let operation = slot.operation.load();
    let can_arrive = slot.state.load(Relaxed) == state::PENDING && slot.interruptible.load(Relaxed) != EXITS;
    let signals = if can_arrive { pending(victim) & !slot.blocked.load(Relaxed) } else { 0 };
    let interruptible = slot.interruptible.load(Relaxed);
    let takes_time = matches!(operation.kind, Kind::Yield | Kind::CancellationPoint);
    let waits = takes_time || !is_enabled(victim, &without_limit(operation, interruptible));
    let own = process(slot.process.load(Relaxed) as usize);
    let (handled, restarts) = (own.handled.load(Relaxed), own.restarts.load(Relaxed));
    let late = own.late.load(Relaxed);
    (1..=LAST).filter(move |signal| signals & bit(*signal) != 0).flat_map(move |signal| {
        let is_handled = handled & bit(signal) != 0;
        let fails = interruptible & point::NEVER_RESTARTS != 0
            || interruptible & point::FAILS != 0 && restarts & bit(signal) == 0;
        let during = (is_handled && waits && fails).then_some((signal, true));
        // After so much time who waits has begun to.
        let is_waiting = during.is_some() && late & bit(signal) != 0;
        // Who waits for the child of `vfork` can only be ended.
        let is_held = interruptible & point::ONLY_DURING != 0 || operation.kind == Kind::Spawned;
        let before = !is_waiting && (!is_held || !is_handled);
        let before = before.then_some((signal, false));
        before.into_iter().chain(during)
    })
}

/// What an operation with a time limit does until the time is up.
fn without_limit(operation: Operation, point: u32) -> Operation {
    let kind = match operation.kind {
        kind if point & point::TAKES_TIME == 0 => kind,
        Kind::PollTry => Kind::PollWait,
        Kind::SemTrywait => Kind::SemWait,
        Kind::SetTry => Kind::SetOperate,
        Kind::SignalPoll => Kind::SignalWait,
        Kind::QueueTryTake => Kind::QueueTake,
        Kind::QueueTryPut => Kind::QueuePut,
        kind => kind,
    };
    Operation { kind, ..operation }
}

/// In `Thread::interruptible`: the process is about to end, and signals come too late.
const EXITS: u32 = 0x8000_0000;

/// No signal arrives at this thread any more.
pub fn comes_too_late(me: usize) {
    thread(me).interruptible.store(EXITS, Relaxed);
}

/// How many ways there are.
pub fn n_ways(victim: usize) -> u32 {
    ways(victim).count() as u32
}

/// The step of a deliverer or timer; the thread that goes on, if it is known.
pub fn moves(number: usize, victim: usize, operation: &Operation, value: u32) -> Option<usize> {
    if operation.kind == Kind::Kill {
        let slot = thread(number);
        slot.state.store(state::FINISHED, Relaxed);
        let receiver = slot.process.load(Relaxed) as usize;
        send(receiver, None, SIGALRM);
        if operation.effect == Effect::Overdue && slot.n_intervals.load(Relaxed) > 0 {
            process(receiver).late.fetch_or(bit(SIGALRM), Relaxed);
        }
        timer::comes_again(number);
        return None;
    }
    let (signal, is_during) = ways(victim).nth(value as usize)?;
    take(victim, signal);
    let interrupt = signal as u32 | if is_during { DURING } else { 0 };
    thread(victim).interrupt.store(interrupt, Relaxed);
    Some(victim)
}

/// A signal arrives at this thread; does it interrupt the operation?
pub fn arrives(me: usize, interrupt: u32) -> bool {
    let is_waited_for = thread(me).interruptible.load(Relaxed) & point::ONLY_DURING != 0;
    let signal = (interrupt & 0xff) as usize;
    if action(signal).handler > SIG_IGN && !is_waited_for {
        region().header.was_interrupted.store(1, Relaxed);
    }
    if is_waited_for && interrupt & DURING != 0 {
        // The kernel ends the wait: the function for the signal returns to the mask from before it.
        let released = handle(me, signal, true, MASK_AFTER_WAIT.get());
        let_through_among(me, released);
    } else {
        handle_alone(me, signal);
    }
    interrupt & DURING != 0
}

/// Runs a wait that a signal ends with this mask restored.
pub fn with_mask_after_wait<T>(mask: u64, wait: impl FnOnce() -> T) -> T {
    let outer = MASK_AFTER_WAIT.replace(mask);
    let result = wait();
    MASK_AFTER_WAIT.set(outer);
    result
}

/// A `siginfo_t`.
#[repr(C)]
pub struct Information {
    signal: i32,
    errno: i32,
    code: i32,
    padding: i32,
    sender: i32,
    user: u32,
    value: u64,
    rest: [u64; 12],
}

pub fn information(signal: usize) -> Information {
    let own = process(my_process());
    if signal == SIGCHLD && own.codes[signal].load(Relaxed) == CLD_EXITED {
        asks_for_status();
    }
    Information {
        signal: signal as i32,
        errno: 0,
        code: own.codes[signal].load(Relaxed),
        padding: 0,
        sender: own.senders[signal].load(Relaxed),
        user: sys::call(GETUID, 0, 0, 0, 0, 0, 0) as u32,
        value: own.values[signal].load(Relaxed),
        rest: [0; 12],
    }
}

/// The kernel tells how the child ended, whose end was signalled, unless it was waited for.
fn asks_for_status() {
    const WAITID: usize = 247;
    const PID: usize = 1;
    /// `WEXITED | WNOWAIT`
    const LEAVES_IT: usize = 4 | 0x0100_0000;
    let own = process(my_process());
    let child = own.senders[SIGCHLD].load(Relaxed) as usize;
    let mut told = [0_u64; 16];
    let place = told.as_mut_ptr() as usize;
    if sys::call(WAITID, PID, child, place, LEAVES_IT, 0, 0) == 0 {
        own.codes[SIGCHLD].store(told[1] as i32, Relaxed);
        own.values[SIGCHLD].store(told[3] & u64::from(u32::MAX), Relaxed);
    }
}

const GETUID: usize = 102;
/// The size of a `ucontext_t` in words, and where it has the stack pointer, the address of the next
/// instruction and the mask.
const CONTEXT: usize = 128;
const CONTEXT_STACK: usize = 20;
const CONTEXT_PLACE: usize = 21;
const CONTEXT_MASK: usize = 37;

/// Does what the program wants, and then what it wants of the signals that the function for this
/// one held back.
fn handle_alone(me: usize, signal: usize) {
    let released = handle(me, signal, false, thread(me).blocked.load(Relaxed));
    let_through_among(me, released);
}

/// Does what the program wants; the mask is `after` when its function returns. If several signals
/// are let through at once, the kernel prepares the calls of all functions before the first one
/// runs: each interrupts the one before where it begins.
///
/// Returns the signals that the function held back. Those of them that are pending arrive when it
/// returns; the caller lets them through.
fn handle(me: usize, signal: usize, is_let_through: bool, mut after: u64) -> u64 {
    let wanted = action(signal);
    match wanted.handler {
        SIG_DFL if HARMLESS & bit(signal) != 0 => return 0,
        SIG_DFL if STOPS & bit(signal) != 0 => lose_control(me, &[STOPPED]),
        SIG_DFL => terminate(me, signal),
        SIG_IGN => return 0,
        _ => {}
    }
    if wanted.flags & SA_RESETHAND != 0 {
        store_action(signal, Action::DEFAULT);
        publish(signal);
    }
    let slot = thread(me);
    let saved = [&slot.waits_for, &slot.interruptible, &slot.cause].map(|word| word.load(Relaxed));
    let deadline = limits_of_time::forget(me);
    let itself = if wanted.flags & SA_NODEFER != 0 { 0 } else { bit(signal) };
    let during = slot.blocked.load(Relaxed) | wanted.mask[0] | itself;
    slot.blocked.store(during, Relaxed);
    slot.interruptible.store(0, Relaxed);
    slot.cause.store(0, Relaxed);
    DEPTH.set(DEPTH.get() + 1);
    let begin = last_event();
    if is_let_through {
        let_through(me);
    }
    after = call(me, &wanted, signal, after);
    let during = slot.blocked.load(Relaxed) | during;
    if during & !after != 0 && last_event() != begin && ends_are_visible() {
        // Others may have taken steps: whether they sent a signal before the function returned
        // matters.
        before(
            me,
            Operation { kind: Kind::SignalMask, place: wanted.handler as u64, ..Operation::default() },
        );
    }
    DEPTH.set(DEPTH.get().saturating_sub(1));
    slot.blocked.store(after, Relaxed);
    slot.waits_for.store(if slot.is_woken.load(Relaxed) < 2 { saved[0] } else { 0 }, Relaxed);
    slot.interruptible.store(saved[1], Relaxed);
    limits_of_time::restore(me, deadline);
    if slot.cause.load(Relaxed) == 0 {
        slot.cause.store(saved[2], Relaxed);
    }
    during & !after
}

/// Calls the function of the program; the mask is to be `mask` afterwards, unless the function
/// changes that in its context. Of the registers in the context, only two are there.
fn call(me: usize, wanted: &Action, signal: usize, mask: u64) -> u64 {
    if wanted.flags & SA_ONSTACK != 0 && !is_rust() && crash::program_has_stack() {
        remark(&[b"a function for signals on a stack of its own (sigaltstack)"]);
    }
    let mut information = information(signal);
    let mut context = [0_u64; CONTEXT];
    context[CONTEXT_STACK] = frame() as u64;
    context[CONTEXT_PLACE] = thread(me).operation.load().place;
    context[CONTEXT_MASK] = mask;
    let given = context;
    // SAFETY: the program passed a function of this type; what is passed to it lives as long as the call.
    unsafe {
        if wanted.flags & SA_SIGINFO != 0 {
            let function: extern "C" fn(i32, *mut Information, *mut u64) =
                core::mem::transmute(wanted.handler);
            function(signal as i32, &mut information, context.as_mut_ptr());
        } else {
            let function: extern "C" fn(i32) = core::mem::transmute(wanted.handler);
            function(signal as i32);
        }
    }
    let mask = core::mem::replace(&mut context[CONTEXT_MASK], mask);
    if context != given {
        remark(&[b"a function for signals that changes the registers in its context"]);
    }
    mask & !bit(SIGKILL) & !bit(SIGSTOP)
}

/// Does such a signal mean that a process went wrong, and not that another wants it to end?
pub fn is_fault(signal: usize) -> bool {
    FAULTS & bit(signal) != 0
}

/// The signal ends the process; others may wait for it and see by which one.
fn terminate(me: usize, signal: usize) -> ! {
    if FAULTS & bit(signal) != 0 {
        crash::by_signal(me, signal);
    }
    process_exit(me);
    die_of(signal)
}

/// Ends this process so that its parent sees the signal.
pub fn die_of(signal: usize) -> ! {
    const SIGPROCMASK: usize = 14;
    const SIG_SETMASK: usize = 2;
    kernel_action(signal, &Action::DEFAULT);
    let nothing = 0_u64;
    sys::call(SIGPROCMASK, SIG_SETMASK, &raw const nothing as usize, 0, 8, 0, 0);
    sys::kill_own_thread(signal as i32);
    sys::die()
}

/// Tells the kernel.
pub fn kernel_action(signal: usize, action: &Action) -> i32 {
    real!(c"sigaction": fn(i32, *const Action, *mut Action) -> i32, (signal as i32, action, core::ptr::null_mut()))
}

/// The kernel has sent a signal that we take first: the program gets it.
pub fn from_kernel<I, C>(signal: usize, information: &I, context: &mut C) {
    let wanted = action(signal);
    match (wanted.handler, controlled()) {
        (SIG_IGN, _) => {}
        (SIG_DFL, Some(me)) => crash::by_signal(me, signal),
        (SIG_DFL, None) => die_of(signal),
        (handler, _) => {
            // SAFETY: the program passed a function of this type, or of one with fewer arguments.
            let function: extern "C" fn(i32, &I, &mut C) = unsafe { core::mem::transmute(handler) };
            function(signal as i32, information, context);
        }
    }
}

/// Is nothing to be done?
fn is_harmless(receiver: usize, signal: usize) -> bool {
    let process = process(receiver);
    let is_handled = process.handled.load(Relaxed) & bit(signal) != 0;
    let is_ignored = process.ignored.load(Relaxed) & bit(signal) != 0;
    let is_wanted = threads_of(receiver).any(|number| {
        let slot = thread(number);
        slot.blocked.load(Relaxed) & bit(signal) != 0
    });
    !is_wanted && (is_ignored || !is_handled && HARMLESS & bit(signal) != 0)
}

/// Nobody here knows when the process goes on.
const STOPPED: &[u8] = b"a signal that stops a process";

/// Makes a signal pending for a process, or for one of its threads.
fn send(receiver: usize, to: Option<usize>, signal: usize) {
    let process = process(receiver);
    if signal == 0 || process.is_finished.load(Relaxed) != 0 || is_harmless(receiver, signal) {
        return;
    }
    let is_default = (process.handled.load(Relaxed) | process.ignored.load(Relaxed)) & bit(signal) == 0;
    if STOPS & bit(signal) != 0 && is_default || signal == SIGSTOP {
        lose_control(region().header.current.load(Relaxed) as usize, &[STOPPED]);
    }
    process.late.fetch_and(!bit(signal), Relaxed);
    let signals = to.map_or(&process.signals, |number| &thread(number).signals);
    if signals.fetch_or(bit(signal), Relaxed) & bit(signal) != 0 && signal >= FIRST_QUEUED {
        lose_control(region().header.current.load(Relaxed) as usize, &[b"a queue of realtime signals"]);
    }
    for number in 0..n_threads() {
        if threads_of(receiver).any(|victim| victim == number) && to.is_none_or(|to| to == number) {
            make_deliverer(number);
        }
    }
}

/// The function for the signal of `abort` is called first.
pub fn before_abort(me: usize) {
    if action(SIGABRT).handler > SIG_IGN {
        sign(my_process(), Some(me), SIGABRT, Sent::TO_THREAD);
        handle_alone(me, SIGABRT);
    }
}

/// Nothing is wanted any more for these signals.
pub fn set_defaults(signals: u64) {
    for signal in (1..=LAST).filter(|signal| signals & bit(*signal) != 0) {
        store_action(signal, Action::DEFAULT);
        publish(signal);
        tell_kernel(signal, &Action::DEFAULT);
    }
}

/// Lets no signal of a child through; what was let through before.
pub fn block_child_signal(me: usize) -> u64 {
    let was = thread(me).blocked.load(Relaxed);
    thread(me).blocked.store(was | bit(SIGCHLD), Relaxed);
    was
}

/// Lets the same through as before.
pub fn restore(me: usize, blocked: u64) {
    thread(me).blocked.store(blocked, Relaxed);
    let_through(me);
}

/// Does this process want children that end to disappear at once, with their status?
pub fn forgets_children() -> bool {
    let wanted = action(SIGCHLD);
    wanted.handler == SIG_IGN || wanted.flags & SA_NOCLDWAIT != 0
}

/// Is a process over whose parent wanted to know nothing of that?
fn leaves_no_zombie(number: usize) -> bool {
    let over = process(number);
    let parent = process(over.parent.load(Relaxed) as usize);
    number != 0 && over.is_finished.load(Relaxed) != 0 && parent.ignored.load(Relaxed) & bit(SIGCHLD) != 0
}

/// A child is over: the signal for that, if it is of interest.
pub fn of_child_end(child: usize, parent: usize) -> Option<usize> {
    let is_alive = process(parent).is_finished.load(Relaxed) == 0;
    (parent != child && is_alive && !is_harmless(parent, SIGCHLD)).then_some(parent)
}

/// Sends it.
pub fn child_ended(parent: usize) {
    sign(parent, None, SIGCHLD, Sent { code: CLD_EXITED, value: 0 });
    send(parent, None, SIGCHLD);
}

/// The kernel sends `SIGCHLD` before anybody can wait for the child. So a thread that is alone in
/// its process, and lets the signal through, gets it when its wait is over, at the latest. Tells
/// whether it does, before the child is forgotten.
pub fn comes_with_child(me: usize) -> bool {
    let comes = pending(me) & !thread(me).blocked.load(Relaxed) & bit(SIGCHLD) != 0;
    let comes = comes && knows_that_others_ended(me);
    if comes && process(my_process()).codes[SIGCHLD].load(Relaxed) == CLD_EXITED {
        asks_for_status();
    }
    comes
}

pub fn child_signal_comes(me: usize) {
    take(me, SIGCHLD);
    handle_alone(me, SIGCHLD);
}

/// How a signal was sent, and with what.
#[derive(Clone, Copy)]
pub struct Sent {
    code: i32,
    value: u64,
}

impl Sent {
    /// By `kill`.
    pub const BY_USER: Sent = Sent { code: SI_USER, value: 0 };
    /// To a thread.
    const TO_THREAD: Sent = Sent { code: SI_TKILL, value: 0 };
    /// By the kernel (`SI_KERNEL`).
    pub const BY_KERNEL: Sent = Sent { code: 0x80, value: 0 };

    fn queued(value: u64) -> Sent {
        Sent { code: SI_QUEUE, value }
    }
}

/// Notes who sent what, unless that signal is pending already: then nothing more is sent.
pub fn sign(receiver: usize, to: Option<usize>, signal: usize, sent: Sent) {
    let receiver = process(receiver);
    let signals = to.map_or(&receiver.signals, |number| &thread(number).signals);
    if signals.load(Relaxed) & bit(signal) != 0 {
        return;
    }
    let sender = if sent.code == Sent::BY_KERNEL.code { 0 } else { sys::getpid() };
    receiver.senders[signal].store(sender, Relaxed);
    receiver.values[signal].store(sent.value, Relaxed);
    receiver.codes[signal].store(sent.code, Relaxed);
}

/// Lets signals arrive that wait for this thread and that it lets through.
pub fn let_through(me: usize) -> bool {
    let mut has_come = false;
    while let Some(signal) = first(me, !thread(me).blocked.load(Relaxed)) {
        take(me, signal);
        handle(me, signal, true, thread(me).blocked.load(Relaxed));
        has_come = true;
    }
    has_come
}

/// The same for some signals, and for those that their functions hold back. One that comes only
/// after a long time still waits for the next operation to wait.
pub fn let_through_among(me: usize, mut signals: u64) {
    let late = || process(my_process()).late.load(Relaxed);
    while let Some(signal) = first(me, signals & !thread(me).blocked.load(Relaxed) & !late()) {
        take(me, signal);
        signals |= handle(me, signal, true, thread(me).blocked.load(Relaxed));
    }
}

/// Sends a signal and, if it can only arrive here, lets it.
fn send_to(me: usize, receiver: usize, to: Option<usize>, signal: usize, sent: Sent, place: u64) -> i32 {
    // To go on is permitted to every process of the session.
    if signal != SIGCONT && !kernel_state::may_signal(receiver, place) {
        return fails(EPERM);
    }
    if receiver != my_process() || to.is_some_and(|to| to != me) || threads_of(receiver).count() > 1 {
        needs_visible_ends();
    }
    let argument = Operation::signals(Some(receiver), signal);
    before(me, Operation { kind: Kind::Kill, argument, place, ..Operation::default() });
    if process(receiver).is_reaped.load(Relaxed) != 0 || leaves_no_zombie(receiver) {
        return fails(ESRCH);
    }
    if signal == 0 || process(receiver).is_finished.load(Relaxed) != 0 {
        return 0;
    }
    sign(receiver, to, signal, sent);
    let lets_through = |number: usize| thread(number).blocked.load(Relaxed) & bit(signal) == 0;
    let is_own = to == Some(me)
        || to.is_none()
            && receiver == my_process()
            && threads_of(receiver).filter(|number| lets_through(*number)).eq([me]);
    if is_own && lets_through(me) && !is_harmless(receiver, signal) {
        handle_alone(me, signal);
    } else {
        send(receiver, to, signal);
    }
    0
}

fn is_signal(signal: i32) -> bool {
    (0..=LAST as i32).contains(&signal)
}

/// A signal for the processes of a group (0: the own one); the own process is the last one.
fn send_to_group(me: usize, group: i32, signal: usize, sent: Sent, place: u64) -> i32 {
    kernel_state::looks_at_groups(place);
    let mut is_member = [false; limits::PROCESSES];
    for number in kernel_state::members(group) {
        is_member[number] = true;
    }
    let own = my_process();
    let receives = |number: &usize| is_member[*number];
    let mut result = fails(ESRCH);
    for receiver in (0..n_processes()).filter(|number| *number != own).filter(receives) {
        result = send_to(me, receiver, None, signal, sent, place).max(result);
    }
    if receives(&own) { send_to(me, own, None, signal, sent, place) } else { result }
}

fn send_to_process(me: usize, pid: i32, signal: i32, sent: Sent, place: u64) -> i32 {
    if !is_signal(signal) {
        return fails(EINVAL);
    }
    if pid == -1 {
        lose_control(me, &[b"a signal to all processes"]);
    }
    if pid <= 0 {
        return send_to_group(me, -pid, signal as usize, sent, place);
    }
    // One that was waited for could have been there before.
    let is_gone = |number: &usize| process(*number).is_reaped.load(Relaxed) != 0;
    let found =
        (0..n_processes()).filter(|number| process(*number).pid.load(Relaxed) == pid).min_by_key(is_gone);
    match found {
        Some(receiver) => send_to(me, receiver, None, signal as usize, sent, place),
        None if pid > 1 => fails(ESRCH),
        None => fails(EPERM),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn kill(pid: i32, signal: i32) -> i32 {
    match controlled() {
        Some(me) => send_to_process(me, pid, signal, Sent::BY_USER, caller()),
        None => real!(c"kill": fn(i32, i32) -> i32, (pid, signal)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn killpg(group: i32, signal: i32) -> i32 {
    match controlled() {
        Some(me) => send_to_process(me, -group.max(1), signal, Sent::BY_USER, caller()),
        None => real!(c"killpg": fn(i32, i32) -> i32, (group, signal)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigqueue(pid: i32, signal: i32, value: u64) -> i32 {
    match controlled() {
        Some(me) => send_to_process(me, pid, signal, Sent::queued(value), caller()),
        None => real!(c"sigqueue": fn(i32, i32, u64) -> i32, (pid, signal, value)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn raise(signal: i32) -> i32 {
    let Some(me) = controlled() else { return real!(c"raise": fn(i32) -> i32, (signal)) };
    if !is_signal(signal) {
        return fails(EINVAL);
    }
    send_to(me, my_process(), Some(me), signal as usize, Sent::TO_THREAD, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn gsignal(signal: i32) -> i32 {
    raise(signal)
}

/// Sends a signal to a thread of this process.
fn send_to_thread(me: usize, target: usize, signal: i32, sent: Sent, place: u64) -> i32 {
    if !is_signal(signal) {
        return EINVAL;
    }
    if is_past(me, target, place) {
        return ESRCH;
    }
    send_to(me, my_process(), Some(target), signal as usize, sent, place)
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_kill(handle: u64, signal: i32) -> i32 {
    match (controlled(), find(handle)) {
        (Some(me), Some(target)) => send_to_thread(me, target, signal, Sent::TO_THREAD, caller()),
        _ => real!(c"pthread_kill": fn(u64, i32) -> i32, (handle, signal)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_sigqueue(handle: u64, signal: i32, value: u64) -> i32 {
    match (controlled(), find(handle)) {
        (Some(me), Some(target)) => send_to_thread(me, target, signal, Sent::queued(value), caller()),
        _ => real!(c"pthread_sigqueue": fn(u64, i32, u64) -> i32, (handle, signal, value)),
    }
}

/// What the kernel must know, since it sends the signal itself.
fn tell_kernel(signal: usize, action: &Action) {
    match signal {
        direct::SIGSYS if direct::is_watched() => {}
        _ if crash::WATCHED.contains(&signal) && action.handler == SIG_DFL => crash::watch(signal),
        SIGPIPE => drop(kernel_action(signal, action)),
        _ if FAULTS & bit(signal) != 0 && signal != SIGABRT => drop(kernel_action(signal, action)),
        _ => {}
    }
}

/// What a signal does, as an object of a footprint.
pub fn action_name(signal: usize) -> [u8; 19] {
    let mut name = *b"what signal 00 does";
    name[12] += (signal / 10) as u8;
    name[13] += (signal % 10) as u8;
    name
}

/// The step that asks for what a signal does, or changes it.
fn announce_action(me: usize, signal: usize, is_change: bool, place: u64) {
    library::uses(&action_name(signal), is_change, place);
    if is_change && ends_are_visible() {
        before(me, Operation { kind: Kind::SignalAction, place, ..Operation::default() });
    }
}

/// Calls the kernel, which sends `SIGPIPE` to this thread: the signal is taken from the kernel, and
/// sent as one of ours. What comes of it depends on what the process wants now.
pub fn with_broken_pipe(me: usize, place: u64, call: impl FnOnce() -> isize) -> isize {
    announce_action(me, SIGPIPE, false, place);
    let is_blocked = thread(me).blocked.load(Relaxed) & bit(SIGPIPE) != 0;
    if is_blocked && threads_of(my_process()).count() > 1 {
        needs_visible_ends();
    }
    if ends_are_visible() {
        before(me, Operation { kind: Kind::SignalAction, place, ..Operation::default() });
    }
    let (result, was_sent) = taking_from_kernel(SIGPIPE, call);
    if was_sent {
        sign(my_process(), Some(me), SIGPIPE, Sent::BY_USER);
        if !is_blocked && !is_harmless(my_process(), SIGPIPE) {
            handle_alone(me, SIGPIPE);
        } else if is_blocked {
            send(my_process(), Some(me), SIGPIPE);
        }
    }
    result
}

/// Calls the kernel while it holds a signal back, and takes the signal if it was sent.
fn taking_from_kernel(signal: usize, call: impl FnOnce() -> isize) -> (isize, bool) {
    const SIGPROCMASK: usize = 14;
    const SIGTIMEDWAIT: usize = 128;
    const SIG_BLOCK: usize = 0;
    const SIG_SETMASK: usize = 2;
    let (only, mut before, no_time) = (bit(signal), 0_u64, [0_u64; 2]);
    let (only_at, before_at) = (&raw const only as usize, &raw mut before as usize);
    sys::call(SIGPROCMASK, SIG_BLOCK, only_at, before_at, 8, 0, 0);
    let result = call();
    let taken = sys::call(SIGTIMEDWAIT, only_at, 0, no_time.as_ptr() as usize, 8, 0, 0);
    sys::call(SIGPROCMASK, SIG_SETMASK, before_at, 0, 8, 0, 0);
    (result, taken == signal as isize)
}

/// Changes what a signal does.
fn change_action(signal: usize, wanted: Action) {
    store_action(signal, wanted);
    publish(signal);
    tell_kernel(signal, &wanted);
    if wanted.handler == SIG_IGN || wanted.handler == SIG_DFL && HARMLESS & bit(signal) != 0 {
        process(my_process()).signals.fetch_and(!bit(signal), Relaxed);
        threads_of(my_process()).for_each(|number| {
            thread(number).signals.fetch_and(!bit(signal), Relaxed);
        });
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigaction(signal: i32, new: *const Action, old: *mut Action) -> i32 {
    let is_valid = (1..=LAST as i32).contains(&signal);
    let Some(me) = controlled() else {
        if is_valid && !new.is_null() {
            // SAFETY: the program passes what it wants.
            store_action(signal as usize, unsafe { *new });
        }
        return real!(c"sigaction": fn(i32, *const Action, *mut Action) -> i32, (signal, new, old));
    };
    if !is_valid || !new.is_null() && [SIGKILL, SIGSTOP].contains(&(signal as usize)) {
        return fails(EINVAL);
    }
    announce_action(me, signal as usize, !new.is_null(), caller());
    let was = action(signal as usize);
    if !new.is_null() {
        // SAFETY: as above.
        change_action(signal as usize, unsafe { *new });
    }
    if !old.is_null() {
        // SAFETY: the program passes a place for what it wanted before.
        unsafe { *old = was };
    }
    0
}

/// Wants a function to be called; what it was before.
fn simple_action(signal: i32, handler: usize, flags: i32, place: u64) -> Option<usize> {
    let me = controlled()?;
    if !can_be_handled(signal) {
        fails(EINVAL);
        return Some(usize::MAX);
    }
    announce_action(me, signal as usize, true, place);
    let was = action(signal as usize).handler;
    change_action(signal as usize, Action { handler, flags, ..Action::DEFAULT });
    Some(was)
}

macro_rules! simple_actions {
    ($($name:ident, $text:literal, $flags:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(signal: i32, handler: usize) -> usize {
            simple_action(signal, handler, $flags, caller()).unwrap_or_else(|| {
                if (1..=LAST as i32).contains(&signal) {
                    store_action(signal as usize, Action { handler, flags: $flags, ..Action::DEFAULT });
                }
                real!($text: fn(i32, usize) -> usize, (signal, handler))
            })
        })*
    };
}

simple_actions! {
    signal, c"signal", SA_RESTART;
    bsd_signal, c"signal", SA_RESTART;
    ssignal, c"signal", SA_RESTART;
    sysv_signal, c"sysv_signal", SA_RESETHAND | SA_NODEFER;
    __sysv_signal, c"__sysv_signal", SA_RESETHAND | SA_NODEFER;
}

/// Is it a signal whose action a program may change?
fn can_be_handled(signal: i32) -> bool {
    (1..=LAST as i32).contains(&signal) && ![SIGKILL, SIGSTOP].contains(&(signal as usize))
}

#[unsafe(no_mangle)]
pub extern "C" fn sigignore(signal: i32) -> i32 {
    match simple_action(signal, SIG_IGN, 0, caller()) {
        Some(usize::MAX) => -1,
        Some(_) => 0,
        None => {
            if can_be_handled(signal) {
                store_action(signal as usize, Action { handler: SIG_IGN, ..Action::DEFAULT });
            }
            real!(c"sigignore": fn(i32) -> i32, (signal))
        }
    }
}

/// Changes what a signal does and lets it through, or only blocks it.
#[unsafe(no_mangle)]
pub extern "C" fn sigset(signal: i32, handler: usize) -> usize {
    const SIG_HOLD: usize = 2;
    let place = caller();
    let Some(me) = controlled() else {
        if can_be_handled(signal) && handler != SIG_HOLD {
            store_action(signal as usize, Action { handler, ..Action::DEFAULT });
        }
        return real!(c"sigset": fn(i32, usize) -> usize, (signal, handler));
    };
    if !can_be_handled(signal) {
        fails(EINVAL);
        return usize::MAX;
    }
    let was_blocked = thread(me).blocked.load(Relaxed) & bit(signal as usize) != 0;
    let was = if handler == SIG_HOLD {
        announce_action(me, signal as usize, false, place);
        action(signal as usize).handler
    } else {
        simple_action(signal, handler, 0, place).unwrap_or(SIG_DFL)
    };
    sigwait::blocks(me, signal as usize, handler == SIG_HOLD, place);
    if was_blocked { SIG_HOLD } else { was }
}

#[unsafe(no_mangle)]
pub extern "C" fn siginterrupt(signal: i32, is_interrupted: i32) -> i32 {
    let Some(me) = controlled().filter(|_| (1..=LAST as i32).contains(&signal)) else {
        return real!(c"siginterrupt": fn(i32, i32) -> i32, (signal, is_interrupted));
    };
    announce_action(me, signal as usize, true, caller());
    let mut wanted = action(signal as usize);
    wanted.flags = if is_interrupted != 0 { wanted.flags & !SA_RESTART } else { wanted.flags | SA_RESTART };
    change_action(signal as usize, wanted);
    0
}

/// Leaves a function of the program for a signal without returning, perhaps.
#[unsafe(no_mangle)]
pub extern "C" fn siglongjmp(buffer: usize, value: i32) -> ! {
    if DEPTH.replace(0) > 0 {
        remark(&[b"a jump out of the function for a signal"]);
    }
    real!(c"siglongjmp": fn(usize, i32) -> !, (buffer, value))
}
