//! Operations that something else may end: a signal, or another thread that cancels this one.
//!
//! Cancellation is deferred: it takes effect where the thread performs, or waits to perform, an operation that is a *point*. The pending
//! operation is then replaced by [`Kind::Cancelled`], which never waits, and the thread ends through the C library's `pthread_exit`, so that
//! clean-up functions run. Who waits for a condition variable takes the mutex first.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Operation, limits};

use crate::schedule::{before, last_event};
use crate::signal;
use crate::sys::errno::*;
use crate::thread::{find, is_past};
use crate::token::{caller, controlled, process, region, remark, thread};

/// What may interrupt an operation, as bits.
pub mod point {
    /// The thread may be cancelled there.
    pub const CANCELLABLE: u32 = 1;
    /// A signal makes it fail, unless its function is to restart it.
    pub const FAILS: u32 = 2;
    /// A signal makes it fail in any case.
    pub const NEVER_RESTARTS: u32 = 4;
    /// It lets signals through that cannot come before it.
    pub const ONLY_DURING: u32 = 8;
    /// It could be a try, but waits for some time.
    pub const TAKES_TIME: u32 = 16;
    /// A wait for a message or a time.
    pub const WAITS: u32 = CANCELLABLE | FAILS | NEVER_RESTARTS;
    /// A wait for bytes, a semaphore or a process.
    pub const TRANSFERS: u32 = CANCELLABLE | FAILS;
}

/// What [`before`] returns when a signal made the operation fail.
pub const INTERRUPTED: u32 = u32::MAX;

/// In [`Thread::is_woken`](allways_stateless_protocol::Thread): by cancellation.
pub const WOKEN_TO_END: u32 = 2;
/// The same: because the time was up.
pub const WOKEN_BY_TIME: u32 = 3;

/// In `Thread::cancellation`.
const IS_ASKED: u32 = 1;
const IS_DISABLED: u32 = 2;
const IS_ASYNCHRONOUS: u32 = 4;

/// Announces an operation that may be interrupted; `None` if a signal made it fail.
pub fn wait_at(me: usize, operation: Operation, point: u32) -> Option<u32> {
    let slot = thread(me);
    let operation = if point & point::CANCELLABLE != 0 && is_to_end(me) {
        Operation { kind: Kind::Cancelled, ..operation }
    } else {
        operation
    };
    let outer = slot.interruptible.swap(point, Relaxed);
    let value = before(me, operation);
    slot.interruptible.store(outer, Relaxed);
    if slot.operation.load().kind == Kind::Cancelled {
        end_thread(me);
    }
    (value != INTERRUPTED).then_some(value)
}

/// Was it asked to end, and may it?
pub fn is_to_end(number: usize) -> bool {
    thread(number).cancellation.load(Relaxed) & (IS_ASKED | IS_DISABLED) == IS_ASKED
}

/// The thread ends as if it had called this itself.
pub fn end_thread(me: usize) -> ! {
    const CANCELED: usize = usize::MAX;
    thread(me).cancellation.fetch_or(IS_DISABLED, Relaxed);
    real!(c"pthread_exit": fn(usize) -> !, (CANCELED))
}

/// From now on the end of every thread and process is visible, in this search: what is interrupted may have waited for it.
pub fn needs_visible_ends() {
    region().header.waited_for_any.store(1, Relaxed);
    region().header.has_interrupts.store(1, Relaxed);
}

/// Is it a search in which threads and processes may be interrupted?
pub fn ends_are_visible() -> bool {
    region().header.exits_are_visible.load(Relaxed) != 0
}

/// An operation at which the thread may be cancelled and that is not visible otherwise.
pub fn may_end_here(me: usize, place: u64) {
    if ends_are_visible() || is_to_end(me) {
        let operation = Operation { kind: Kind::CancellationPoint, place, ..Operation::default() };
        wait_at(me, operation, point::CANCELLABLE);
    }
}

/// The same for what takes time without waiting for others: a signal may come meanwhile.
pub fn is_interrupted_here(me: usize, place: u64, point: u32) -> bool {
    let operation = Operation { kind: Kind::CancellationPoint, place, ..Operation::default() };
    (ends_are_visible() || is_to_end(me)) && wait_at(me, operation, point).is_none()
}

/// Brings what an operation on another thread or process touches up to date.
pub fn refresh(number: usize, operation: &mut Operation) {
    match operation.kind {
        Kind::Cancel => {
            operation.object = thread(operation.target as usize - 1).waits_for.load(Relaxed);
            thread(number).operation.store(operation);
        }
        Kind::Deliver => signal::refresh(number, operation),
        Kind::ProcessExit => {
            let own = operation.argument as u32;
            let parent = process(own as usize).parent.load(Relaxed) as usize;
            let receiver = signal::of_child_end(own as usize, parent);
            operation.argument = Operation::signals(receiver, own as usize);
            thread(number).operation.store(operation);
        }
        _ => {}
    }
}

/// Lets a pending operation of a thread end it.
fn replace_operation(target: usize) {
    let slot = thread(target);
    let operation = slot.operation.load();
    let is_waiter = matches!(operation.kind, Kind::CondReacquire | Kind::CondReacquireTimed);
    if is_waiter && slot.is_woken.load(Relaxed) == 0 {
        slot.is_woken.store(WOKEN_TO_END, Relaxed);
        slot.waits_for.store(0, Relaxed);
        slot.cause.store(last_event(), Relaxed);
        slot.operation.store(&Operation { kind: Kind::CondReacquire, ..operation });
    } else if !is_waiter && slot.interruptible.load(Relaxed) & point::CANCELLABLE != 0 {
        slot.operation.store(&Operation { kind: Kind::Cancelled, ..operation });
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_cancel(handle: u64) -> i32 {
    let (Some(me), Some(target)) = (controlled(), find(handle)) else {
        return real!(c"pthread_cancel": fn(u64) -> i32, (handle));
    };
    needs_visible_ends();
    let place = caller();
    let operation = Operation { place, target: target as u32 + 1, ..Operation::default() };
    before(me, Operation { kind: Kind::Cancel, ..operation });
    if is_past(me, target, place) {
        return ESRCH;
    }
    let slot = thread(target);
    slot.cancellation.fetch_or(IS_ASKED, Relaxed);
    if target != me
        && slot.state.load(Relaxed) == allways_stateless_protocol::state::PENDING
        && is_to_end(target)
    {
        replace_operation(target);
    }
    if slot.cancellation.load(Relaxed) & IS_ASYNCHRONOUS != 0 {
        remark(&[b"pthread_cancel of a thread that may end anywhere"]);
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_testcancel() {
    match controlled() {
        Some(me) => may_end_here(me, caller()),
        None => real!(c"pthread_testcancel": fn() -> (), ()),
    }
}

/// Sets or clears a bit; what it was.
fn change(me: usize, bit: u32, is_set: bool, old: *mut i32) -> i32 {
    let cancellation = &thread(me).cancellation;
    let was =
        if is_set { cancellation.fetch_or(bit, Relaxed) } else { cancellation.fetch_and(!bit, Relaxed) };
    if !old.is_null() {
        // SAFETY: the program passes a place for the old value, or none.
        unsafe { *old = i32::from(was & bit != 0) };
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_setcancelstate(state: i32, old: *mut i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"pthread_setcancelstate": fn(i32, *mut i32) -> i32, (state, old));
    };
    if !(0..=1).contains(&state) {
        return EINVAL;
    }
    change(me, IS_DISABLED, state == 1, old)
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_setcanceltype(kind: i32, old: *mut i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"pthread_setcanceltype": fn(i32, *mut i32) -> i32, (kind, old));
    };
    if !(0..=1).contains(&kind) {
        return EINVAL;
    }
    change(me, IS_ASYNCHRONOUS, kind == 1, old)
}

/// Whoever ends by itself is not cancelled any more.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    if let Some(me) = controlled().filter(|me| *me < limits::THREADS) {
        thread(me).cancellation.fetch_or(IS_DISABLED, Relaxed);
    }
    real!(c"pthread_exit": fn(*mut c_void) -> !, (result))
}
