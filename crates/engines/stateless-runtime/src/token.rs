//! Who am I, and whose turn is it?

use core::cell::Cell;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32};

use allways_stateless_protocol::{
    Failures, Kind, Limit, NONE, Operation, Outcome, Process, REGION_ADDRESS, Region, Thread, state,
};

use crate::departure;
use crate::hot_code;
use crate::privacy;
use crate::rewind;
use crate::schedule::before;
use crate::sys;

thread_local! {
    /// The number of this thread; [`NONE`] if it is not under control.
    static ME: Cell<u32> = const { Cell::new(NONE) };
}

/// Is the region mapped?
static IS_MAPPED: AtomicBool = AtomicBool::new(false);

/// The number of this process.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Tells that the region is in its place.
pub fn region_is_mapped() {
    IS_MAPPED.store(true, Relaxed);
}

/// Is it there yet?
pub fn is_attached() -> bool {
    IS_MAPPED.load(Relaxed)
}

/// The shared memory. Only for code that runs after the region was mapped.
pub fn region() -> &'static Region {
    debug_assert!(IS_MAPPED.load(Relaxed));
    // SAFETY: `server::attach` mapped a region of this layout at this address, and nobody unmaps it.
    unsafe { &*(REGION_ADDRESS as *const Region) }
}

/// The number of this thread, if it is under control.
#[inline]
pub fn controlled() -> Option<usize> {
    let me = ME.get();
    if me == NONE { None } else { Some(me as usize) }
}

pub fn set_me(thread: u32) {
    ME.set(thread);
}

/// Does something in this thread as if it were not under control.
#[inline]
pub fn unwatched<T>(work: impl FnOnce() -> T) -> T {
    if !IS_MAPPED.load(Relaxed) {
        return work();
    }
    let me = ME.replace(NONE);
    let result = work();
    ME.set(me);
    result
}

pub fn thread(number: usize) -> &'static Thread {
    &region().threads[number]
}

pub fn my_process() -> usize {
    PROCESS.load(Relaxed) as usize
}

pub fn set_process(process: usize) {
    PROCESS.store(process as u32, Relaxed);
}

pub fn process(number: usize) -> &'static Process {
    &region().processes[number]
}

pub fn n_threads() -> usize {
    region().header.n_threads.load(Relaxed) as usize
}

pub fn n_processes() -> usize {
    region().header.n_processes.load(Relaxed) as usize
}

pub fn is_concurrent() -> bool {
    region().header.is_concurrent.load(Relaxed) != 0
}

/// From now on there is somebody who could notice.
pub fn become_concurrent() {
    let header = &region().header;
    if header.is_concurrent.swap(1, Relaxed) == 0 {
        header.n_early_objects.store(header.n_objects.load(Relaxed), Relaxed);
    }
}

/// Waits until this thread gets the token.
pub fn await_token(me: usize) {
    let slot = thread(me);
    while slot.go.load(Acquire) == 0 {
        sys::wait_at_open_gate(&slot.go, 0);
    }
    rewind::look(me);
    sys::shut_gate();
    slot.go.store(0, Relaxed);
    departure::await_end();
    region().header.current.store(me as u32, Relaxed);
    slot.state.store(state::RUNNING, Relaxed);
}

/// Gives the token to a thread. From then on the memory of this one stays as it is, as others may compare it: the gate is open while it waits.
pub fn hand_to(number: usize) {
    let slot = thread(number);
    sys::open_gate();
    slot.go.store(1, Release);
    sys::wake_at_open_gate(&slot.go);
}

/// Makes the explorer look.
pub fn tell_explorer() {
    let signal = &region().header.signal;
    signal.fetch_add(1, Release);
    sys::futex_wake(signal);
}

/// Ends the execution: everything is killed, this process last.
pub fn end(outcome: Outcome, culprit: Option<usize>) -> ! {
    let header = &region().header;
    if header.outcome.load(Relaxed) == 0 {
        header.culprit.store(culprit.map_or(0, |thread| thread as u32 + 1), Relaxed);
        header.outcome.store(outcome as u32, Relaxed);
    }
    hot_code::note_used();
    if outcome != Outcome::Crash {
        rewind::over(sys::SIGKILL);
    }
    let own = sys::getpid();
    for number in 0..n_processes() {
        let process = process(number);
        let pid = process.pid.load(Relaxed);
        if pid > 1 && pid != own && process.is_finished.load(Relaxed) == 0 {
            sys::kill(pid, sys::SIGKILL);
        }
    }
    sys::die()
}

/// Ends the execution because it needs more of something than there is room for.
#[cold]
pub fn end_at_limit(limit: Limit, size: usize, culprit: Option<usize>) -> ! {
    let header = &region().header;
    header.limit.store(limit as u32, Relaxed);
    header.limit_size.store(size as u64, Relaxed);
    end(Outcome::TooLarge, culprit)
}

/// Ends the execution because of what a thread did after its last visible operation.
pub fn fail(me: usize, outcome: Outcome, parts: &[&[u8]]) -> ! {
    fail_with(me, outcome, parts, || ())
}

/// The same for a failure about which there is more to note.
pub fn fail_with(me: usize, outcome: Outcome, parts: &[&[u8]], note: impl FnOnce()) -> ! {
    if is_awaited(outcome) {
        // The others may get on before that: what they do then may be what this thread looked at.
        before(me, Operation { kind: Kind::End, ..Operation::default() });
    } else {
        privacy::fails(me);
    }
    note();
    let region = region();
    region.header.message.store(parts);
    let events = region.header.n_events.load(Relaxed) as usize;
    // Or after a signal arrived, which is the step of another slot.
    let is_mine = |number: usize| number == me || thread(number).victim.load(Relaxed) == me as u32 + 1;
    let last = region.events[..events]
        .iter()
        .rev()
        .find(|event| is_mine(event.thread.load(Relaxed) as usize) && event.is_silent.load(Relaxed) == 0);
    if let Some(event) = last {
        event.is_fatal.store(1, Relaxed);
    }
    end(outcome, Some(me))
}

/// Does a search go on after such an end? Then what ends the execution is a step: others may come
/// before it, also where the thread has taken no step that they could come before.
fn is_awaited(outcome: Outcome) -> bool {
    let header = &region().header;
    match Failures::from_number(header.failures.load(Relaxed)) {
        Failures::AtOnce => outcome == Outcome::Assumed,
        Failures::Awaited => true,
        Failures::AsTold => {
            outcome == Outcome::Assumed || header.n_steps.load(Relaxed) < header.prefix_length.load(Relaxed)
        }
    }
}

/// Notes something that is not under control, once.
pub fn remark(parts: &[&[u8]]) {
    remark_at(0, parts);
}

/// The same for what may wake others, or pass something on to them, behind our back.
pub fn remark_outsider(parts: &[&[u8]]) {
    remark(parts);
    region().header.has_outsiders.store(1, Relaxed);
}

/// Notes something after which the model is not true any more, and ends the execution there: what it would show need not be what the program does.
pub fn lose_control(me: usize, parts: &[&[u8]]) -> ! {
    remark(parts);
    end(Outcome::Lost, Some(me))
}

/// The same as [`remark`], with the address after it in the program; 0 if that is not known.
pub fn remark_at(place: u64, parts: &[&[u8]]) {
    let region = region();
    let count = region.header.n_remarks.load(Relaxed) as usize;
    let is_known = |number: usize| {
        let mut known = region.remarks[number].bytes();
        region.remark_places[number].load(Relaxed) == place
            && parts.iter().flat_map(|part| part.iter()).all(|byte| known.next() == Some(*byte))
    };
    if count < region.remarks.len() && !(0..count).any(is_known) {
        region.remarks[count].store(parts);
        region.remark_places[count].store(place, Relaxed);
        region.header.n_remarks.store(count as u32 + 1, Relaxed);
    }
}

/// The frame of the function that calls this, as a hook would pass it: the return address is behind six words.
#[inline(always)]
pub fn caller_frame() -> *const u64 {
    let frame: *const u64;
    // SAFETY: as in `caller`; nothing is read.
    unsafe {
        core::arch::asm!("lea r12, [rbp - 40]", out("r12") frame, options(nostack, nomem, preserves_flags))
    };
    frame
}

/// Where in the program the function that calls this was called from.
#[inline(always)]
pub fn caller() -> u64 {
    let address: u64;
    // SAFETY: the library is compiled with frame pointers, so the return address is above the saved one. The register is one that the
    // function has to save first; otherwise the compiler may put this before it makes its frame.
    unsafe {
        core::arch::asm!("mov r12, [rbp + 8]", out("r12") address, options(nostack, readonly, preserves_flags))
    };
    address
}
