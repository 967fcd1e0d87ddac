//! Which signals a thread lets through, and functions that wait for some.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Operation};

use crate::interrupt::{ends_are_visible, point, wait_at};
use crate::limits_of_time;
use crate::schedule::before;
use crate::signal::{
    SIGKILL, SIGPIPE, SIGSTOP, bit, first, information, let_through, let_through_among, pending, set, take,
    with_mask_after_wait,
};
use crate::sys::{self, errno::*, fails};
use crate::time::{Time, duration, pass};
use crate::token::{caller, controlled, thread};

const UNSTOPPABLE: u64 = set(&[SIGKILL, SIGSTOP]);

/// Changes what this thread lets through.
fn change_mask(me: usize, blocked: u64, place: u64) {
    if ends_are_visible() && blocked != thread(me).blocked.load(Relaxed) {
        before(me, Operation { kind: Kind::SignalMask, place, ..Operation::default() });
    }
    thread(me).blocked.store(blocked & !UNSTOPPABLE, Relaxed);
}

fn mask(me: usize, how: i32, new: *const u64, old: *mut u64, place: u64) -> i32 {
    let was = thread(me).blocked.load(Relaxed);
    if !new.is_null() {
        // SAFETY: the program passes a set of signals.
        let new = unsafe { *new };
        let wanted = match how {
            0 => was | new,
            1 => was & !new,
            2 => new,
            _ => return EINVAL,
        };
        let_kernel_block(wanted);
        change_mask(me, wanted, place);
        let_through(me);
    }
    if !old.is_null() {
        // SAFETY: the program passes a place for a set of signals, or none.
        unsafe { core::ptr::write_bytes(old, 0, 16) };
        // SAFETY: as above.
        unsafe { *old = was };
    }
    0
}

/// Blocks one more signal, or lets it through.
pub fn blocks(me: usize, signal: usize, is_blocked: bool, place: u64) {
    mask(me, i32::from(!is_blocked), &bit(signal), core::ptr::null_mut(), place);
}

/// The same for the functions of System V.
fn holds(signal: i32, is_blocked: bool, place: u64) -> Option<i32> {
    let me = controlled()?;
    if !(1..=64).contains(&signal) {
        return Some(fails(EINVAL));
    }
    blocks(me, signal as usize, is_blocked, place);
    Some(0)
}

#[unsafe(no_mangle)]
pub extern "C" fn sighold(signal: i32) -> i32 {
    holds(signal, true, caller()).unwrap_or_else(|| real!(c"sighold": fn(i32) -> i32, (signal)))
}

#[unsafe(no_mangle)]
pub extern "C" fn sigrelse(signal: i32) -> i32 {
    holds(signal, false, caller()).unwrap_or_else(|| real!(c"sigrelse": fn(i32) -> i32, (signal)))
}

/// Signals of the functions of BSD, which know the first 32.
const OF_BSD: u64 = u32::MAX as u64;

/// Changes the mask as `sigprocmask` does; what it was.
fn mask_of_bsd(me: usize, how: i32, signals: u32, place: u64) -> i32 {
    let was = thread(me).blocked.load(Relaxed);
    mask(me, how, &u64::from(signals), core::ptr::null_mut(), place);
    (was & OF_BSD) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn sigblock(signals: i32) -> i32 {
    match controlled() {
        Some(me) => mask_of_bsd(me, 0, signals as u32, caller()),
        None => real!(c"sigblock": fn(i32) -> i32, (signals)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigsetmask(signals: i32) -> i32 {
    match controlled() {
        Some(me) => mask_of_bsd(me, 2, signals as u32, caller()),
        None => real!(c"sigsetmask": fn(i32) -> i32, (signals)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn siggetmask() -> i32 {
    match controlled() {
        Some(me) => (thread(me).blocked.load(Relaxed) & OF_BSD) as i32,
        None => real!(c"siggetmask": fn() -> i32, ()),
    }
}

/// Waits with a mask, as `sigsuspend` does.
fn pauses(me: usize, blocked: u64, place: u64) -> i32 {
    let operation = Operation { kind: Kind::Pause, place, ..Operation::default() };
    masked(me, &blocked, place, |point| wait_at(me, operation, point));
    fails(EINTR)
}

#[unsafe(no_mangle)]
pub extern "C" fn sigpause(signals: i32) -> i32 {
    match controlled() {
        Some(me) => pauses(me, u64::from(signals as u32), caller()),
        None => real!(c"sigpause": fn(i32) -> i32, (signals)),
    }
}

/// The one of System V, which lets a signal through.
#[unsafe(no_mangle)]
pub extern "C" fn __xpg_sigpause(signal: i32) -> i32 {
    let Some(me) = controlled() else { return real!(c"__xpg_sigpause": fn(i32) -> i32, (signal)) };
    if !(1..=64).contains(&signal) {
        return fails(EINVAL);
    }
    pauses(me, thread(me).blocked.load(Relaxed) & !bit(signal as usize), caller())
}

/// `SIGPIPE` comes from the kernel.
fn let_kernel_block(wanted: u64) {
    const SIGPROCMASK: usize = 14;
    let only = bit(SIGPIPE);
    let how = usize::from(wanted & only == 0);
    sys::call(SIGPROCMASK, how, &raw const only as usize, 0, 8, 0, 0);
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_sigmask(how: i32, new: *const u64, old: *mut u64) -> i32 {
    match controlled() {
        Some(me) => mask(me, how, new, old, caller()),
        None => real!(c"pthread_sigmask": fn(i32, *const u64, *mut u64) -> i32, (how, new, old)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigprocmask(how: i32, new: *const u64, old: *mut u64) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"sigprocmask": fn(i32, *const u64, *mut u64) -> i32, (how, new, old));
    };
    match mask(me, how, new, old, caller()) {
        0 => 0,
        errno => fails(errno),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigpending(signals: *mut u64) -> i32 {
    let Some(me) = controlled() else { return real!(c"sigpending": fn(*mut u64) -> i32, (signals)) };
    before(me, Operation { kind: Kind::SignalPoll, place: caller(), ..Operation::default() });
    // SAFETY: the program passes a place for a set of signals.
    unsafe {
        core::ptr::write_bytes(signals, 0, 16);
        *signals = pending(me) & thread(me).blocked.load(Relaxed);
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn pause() -> i32 {
    let Some(me) = controlled() else { return real!(c"pause": fn() -> i32, ()) };
    wait_at(me, Operation { kind: Kind::Pause, place: caller(), ..Operation::default() }, point::WAITS);
    fails(EINTR)
}

#[unsafe(no_mangle)]
pub extern "C" fn sigsuspend(signals: *const u64) -> i32 {
    let Some(me) = controlled() else { return real!(c"sigsuspend": fn(*const u64) -> i32, (signals)) };
    // SAFETY: the program passes a set of signals.
    pauses(me, unsafe { *signals }, caller())
}

/// Lets a function wait while this thread lets other signals through, if there is a set of them, and tells it by what it may be
/// interrupted. What was let through before may also come just before it.
pub fn masked<T>(me: usize, signals: *const u64, place: u64, wait: impl FnOnce(u32) -> T) -> T {
    let was = thread(me).blocked.load(Relaxed);
    // SAFETY: the program passes a set of signals, or none.
    let wanted = unsafe { signals.as_ref() }.map_or(was, |signals| signals & !UNSTOPPABLE);
    if wanted == was {
        return wait(point::WAITS);
    }
    change_mask(me, wanted, place);
    let result = with_mask_after_wait(was, || wait(point::WAITS | point::ONLY_DURING));
    let released = wanted & !was;
    if released != 0 && thread(me).blocked.load(Relaxed) != was {
        change_mask(me, was, place);
    }
    thread(me).blocked.store(was, Relaxed);
    let_through_among(me, released);
    result
}

/// Takes one of these signals; which one.
fn await_signal(me: usize, signals: u64, is_timed: bool, point: u32, place: u64) -> Result<usize, i32> {
    let kind = if is_timed { Kind::SignalPoll } else { Kind::SignalWait };
    let operation = Operation { kind, argument: signals, place, ..Operation::default() };
    if wait_at(me, operation, point).is_none() {
        return Err(EINTR);
    }
    let signal = first(me, signals).ok_or(EAGAIN)?;
    take(me, signal);
    Ok(signal)
}

#[unsafe(no_mangle)]
pub extern "C" fn sigwait(signals: *const u64, result: *mut i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"sigwait": fn(*const u64, *mut i32) -> i32, (signals, result));
    };
    // SAFETY: the program passes a set of signals.
    match await_signal(me, unsafe { *signals }, false, point::CANCELLABLE, caller()) {
        Ok(signal) => {
            // SAFETY: the program passes a place for the result.
            unsafe { *result = signal as i32 };
            0
        }
        Err(errno) => errno,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigtimedwait(signals: *const u64, result: *mut c_void, time: *const Time) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"sigtimedwait": fn(*const u64, *mut c_void, *const Time) -> i32, (signals, result, time));
    };
    let is_timed = !time.is_null();
    let point = point::WAITS | if is_timed { point::TAKES_TIME } else { 0 };
    let place = caller();
    // SAFETY: the program passes a set of signals.
    let signals = unsafe { *signals };
    let wait = || await_signal(me, signals, is_timed, point, place);
    let awaited = if is_timed { limits_of_time::within(me, duration(time), place, wait) } else { wait() };
    match awaited {
        Ok(signal) => {
            if !result.is_null() {
                // SAFETY: the program passes a place for what is known about the signal, or none.
                unsafe { *result.cast() = information(signal) };
            }
            signal as i32
        }
        Err(errno) => {
            if errno == EAGAIN {
                pass(duration(time));
            }
            fails(errno)
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sigwaitinfo(signals: *const u64, result: *mut c_void) -> i32 {
    sigtimedwait(signals, result, core::ptr::null())
}
