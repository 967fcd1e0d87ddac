//! What each thread knows of the others: vector clocks, for data races.
//!
//! Only synchronisation passes knowledge on: creating and joining threads, locks, semaphores and so on, and atomic operations as far as
//! their memory order says. Every order that arises here is also an order of dependent operations, so a program without races
//! behaves the same whether its plain accesses are visible or not.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Effect, Kind, Limit, Operation, limits};

use crate::effect;
use crate::image::has_silent_code;
use crate::interrupt::WOKEN_BY_TIME;
use crate::objects::object;
use crate::shadow;
use crate::token::{end_at_limit, n_threads, region, thread};

pub type Clock = [u32; limits::THREADS];

/// Clocks of threads: what it knows; what relaxed reads would have told it; what it knew at its last release fence.
#[repr(C)]
struct ThreadClocks {
    own: Clock,
    unacquired: Clock,
    fence: Clock,
}

/// What can be learnt at an object or an atomic variable.
#[repr(C)]
struct Shared {
    clock: Clock,
}

#[repr(C)]
struct Entry {
    /// 0 if free.
    key: u64,
    number: u32,
    /// The thread, plus one, that wrote an atomic variable last.
    writer: u32,
}

const ENTRIES: usize = 1 << 19;
const SHARED: usize = 1 << 18;

const THREADS_AT: usize = shadow::END;
const ENTRIES_AT: usize = THREADS_AT + limits::THREADS * size_of::<ThreadClocks>();
const SHARED_AT: usize = ENTRIES_AT + ENTRIES * size_of::<Entry>();
/// How much memory this module needs behind that of [`shadow`].
pub const SIZE: usize = SHARED_AT + SHARED * size_of::<Shared>() - shadow::END;

/// Keys of atomic variables have this bit.
const ATOMIC: u64 = 1 << 63;

fn of(thread: usize) -> &'static mut ThreadClocks {
    // SAFETY: the memory is mapped, there is room for every thread, and only the thread with the token uses it.
    unsafe { &mut *(THREADS_AT as *mut ThreadClocks).add(thread) }
}

/// The clock of a thread.
#[inline]
pub fn own(thread: usize) -> &'static mut Clock {
    &mut of(thread).own
}

fn merge(into: &mut Clock, from: &Clock) {
    for number in 0..n_threads() {
        into[number] = into[number].max(from[number]);
    }
}

fn assign(into: &mut Clock, from: &Clock) {
    into[..n_threads()].copy_from_slice(&from[..n_threads()]);
}

/// What is known at a key; made when it is asked for first.
fn shared(key: u64) -> &'static mut Entry {
    let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 45) as usize % ENTRIES;
    loop {
        // SAFETY: as in `of`.
        let entry = unsafe { &mut *(ENTRIES_AT as *mut Entry).add(slot) };
        if entry.key == 0 {
            let used = n_shared();
            if *used as usize >= SHARED {
                end_at_limit(Limit::Synchronisation, SHARED, None);
            }
            entry.key = key;
            entry.number = *used;
            *used += 1;
        }
        if entry.key == key {
            return entry;
        }
        slot = (slot + 1) % ENTRIES;
    }
}

/// Keys begin at 1, so the first clock is nobody's: its first word counts them.
fn n_shared() -> &'static mut u32 {
    // SAFETY: as in `of`.
    let count = unsafe { &mut *(SHARED_AT as *mut u32) };
    *count = (*count).max(1);
    count
}

fn clock_of(entry: &Entry) -> &'static mut Clock {
    // SAFETY: as in `of`.
    unsafe { &mut (*(SHARED_AT as *mut Shared).add(entry.number as usize)).clock }
}

fn acquire(me: usize, key: u64) {
    merge(own(me), clock_of(shared(key)));
}

fn release(me: usize, key: u64) {
    merge(clock_of(shared(key)), own(me));
    tick(me);
}

/// What this thread does from now on, nobody knows yet.
fn tick(me: usize) {
    own(me)[me] += 1;
}

/// The first thread.
pub fn begin(me: usize) {
    own(me)[me] = own(me)[me].max(1);
}

/// A new thread knows what its creator knows.
pub fn created(me: usize, new: usize) {
    let before = of(new);
    if before.own[new] != 0 {
        // Another thread had the slot, which the creator has joined.
        before.unacquired.fill(0);
        before.fence.fill(0);
    }
    merge(own(new), own(me));
    begin(new);
    tick(me);
}

/// In a forked process: the memory is a copy, and all that was done to it is in the past.
pub fn forked(forked: usize) {
    for number in 0..n_threads() {
        own(forked)[number] = own(number)[number];
    }
    begin(forked);
}

/// Two clocks for each object: the second is for readers, or for every other round of a barrier.
fn key(object: u32, which: u64) -> u64 {
    1 + (u64::from(object) << 1 | which)
}

/// The effect of an operation that is about to be performed.
pub fn synchronise(me: usize, operation: &Operation) {
    use Kind::*;
    let (first, second) = (key(operation.object, 0), key(operation.object, 1));
    match operation.kind {
        Join => merge(own(me), own(operation.argument as usize)),
        // What was there from the beginning tells nothing of those who gave: it could have been taken before.
        SemWait | SemTrywait if effect::of(me, operation, 0) == Effect::Reserve => {}
        MutexLock | MutexTrylock | SemWait | SemTrywait | SemGetvalue | QueueTake | QueuePoll => {
            acquire(me, first)
        }
        FutexResume | FutexResumeTimed => {
            acquire(me, first);
            acquire_silently(me, operation);
        }
        FutexWait => acquire_silently(me, operation),
        QueueTryTake | PollWait | PollTry | FileLock | FileTrylock | Accept => acquire(me, first),
        QueueTryPut | FileUnlock | Connect | QueueClose => release(me, first),
        OnceEnter => acquire(me, first),
        MutexUnlock | MutexLeave | SemPost | QueuePut | FutexWake | CondSignal | CondBroadcast => {
            release(me, first)
        }
        OnceLeave => {
            release(me, first);
            // Initialisation of C++ looks at the variable itself, atomically, before it calls anything.
            release_at(me, object(operation.object).address.load(Relaxed));
        }
        CondWait => release(me, key(operation.other, 0)),
        CondReacquireTimed if effect::of(me, operation, 0) == Effect::Late => {}
        CondReacquire | CondReacquireTimed => {
            if thread(me).is_woken.load(Relaxed) != WOKEN_BY_TIME {
                acquire(me, first);
            }
            acquire(me, key(operation.other, 0));
        }
        ReadLock | ReadTrylock => acquire(me, first),
        ReadUnlock => release(me, second),
        WriteLock | WriteTrylock => {
            acquire(me, first);
            acquire(me, second);
        }
        WriteUnlock => release(me, first),
        BarrierArrive => {
            let barrier = object(operation.object);
            let key = key(operation.object, u64::from(barrier.extra.load(Relaxed)) & 1);
            release(me, key);
            if barrier.count.load(Relaxed) + 1 == barrier.length.load(Relaxed) as i32 {
                // The last one goes on at once.
                acquire(me, key);
            }
        }
        BarrierLeave => acquire(me, key(operation.object, operation.argument & 1)),
        SetOperate | SetTry => {
            for at in operation.list..operation.list + operation.length {
                let semop = region().semop(at);
                let key = 1 << 62 | u64::from(operation.object) << 16 | u64::from(semop.index);
                if semop.change > 0 { release(me, key) } else { acquire(me, key) }
            }
        }
        _ => {}
    }
}

/// The standard library of Rust waits here for a lock that it then takes without announcing it: what was released there is known afterwards.
fn acquire_silently(me: usize, operation: &Operation) {
    if has_silent_code() {
        acquire(me, ATOMIC | object(operation.object).address.load(Relaxed));
    }
}

fn release_at(me: usize, address: u64) {
    merge(clock_of(shared(ATOMIC | address)), own(me));
    tick(me);
}

/// A lock that the program made and announces: its key, and that of what readers did.
fn announced(address: usize, of_readers: bool) -> u64 {
    ANNOUNCED | (address as u64) << 1 | u64::from(of_readers)
}

/// Keys of such locks have this bit; addresses need 47.
const ANNOUNCED: u64 = 1 << 61;

pub fn lock_announced(me: usize, address: usize, reads: bool) {
    acquire(me, announced(address, false));
    if !reads {
        acquire(me, announced(address, true));
    }
}

pub fn unlock_announced(me: usize, address: usize, reads: bool) {
    release(me, announced(address, reads));
}

/// Memory orders, as compilers number them.
pub mod order {
    pub const CONSUME: i32 = 1;
    pub const ACQUIRE: i32 = 2;
    pub const RELEASE: i32 = 3;
    pub const ACQUIRE_RELEASE: i32 = 4;
    pub const SEQUENTIAL: i32 = 5;

    /// The bits above are hints for the processor.
    pub fn is_sequential(order: i32) -> bool {
        order & 0x7fff == SEQUENTIAL
    }

    pub fn acquires(order: i32) -> bool {
        matches!(order & 0x7fff, CONSUME | ACQUIRE | ACQUIRE_RELEASE | SEQUENTIAL)
    }

    pub fn releases(order: i32) -> bool {
        matches!(order & 0x7fff, RELEASE | ACQUIRE_RELEASE | SEQUENTIAL)
    }
}

/// An atomic operation read a variable.
pub fn atomic_read(me: usize, address: usize, order: i32) {
    let known = clock_of(shared(ATOMIC | address as u64));
    let clocks = of(me);
    merge(if order::acquires(order) { &mut clocks.own } else { &mut clocks.unacquired }, known);
}

/// An atomic operation wrote a variable; `continues` if it read it too, so that what was released before still counts.
pub fn atomic_write(me: usize, address: usize, order: i32, continues: bool) {
    let entry = shared(ATOMIC | address as u64);
    let continues = continues || entry.writer == me as u32 + 1;
    entry.writer = me as u32 + 1;
    let clocks = of(me);
    let told = if order::releases(order) { &clocks.own } else { &clocks.fence };
    if continues {
        merge(clock_of(entry), told)
    } else {
        assign(clock_of(entry), told)
    }
    if order::releases(order) {
        tick(me);
    }
}

/// A fence between atomic operations.
pub fn fence(me: usize, order: i32) {
    let clocks = of(me);
    if order::acquires(order) {
        merge(&mut clocks.own, &clocks.unacquired);
    }
    if order::releases(order) {
        assign(&mut clocks.fence, &clocks.own);
        tick(me);
    }
}
