//! Objects that one thread alone uses: what it does to them is no step.
//!
//! As with memory and files, an operation on a lock, a semaphore and the like is a step only if the
//! object is *shared*. The explorer lists the shared ones among what was promoted, once it has seen
//! an execution in which there are others; then all that are not in the list are taken for private.
//! Who used an object is noted with it. If a second thread uses one that was not in the list, it is
//! promoted: the search begins anew, and for the rest of this execution operations on it are steps.
//!
//! A private operation that can be performed at once commutes with everything that other threads
//! do, now and later, so it is performed without asking who goes on. One that has to wait is a step
//! as ever, and so are failed tries. Where signals or cancellation may come, everything is visible,
//! for they arrive at operations.
//!
//! An object may have several users one after another, if each knows that the one before is through
//! with it: a thread that was made later by that one, or that has joined it.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

use allways_stateless_protocol::{Kind, NONE, OBJECT_KEY, Object, ObjectKind, Operation, is_object_key};

use crate::circles;
use crate::interrupt::ends_are_visible;
use crate::memory;
use crate::objects::{is_in_pool, object};
use crate::schedule::{is_enabled, waiters};
use crate::thread::has_joined;
use crate::token::{is_concurrent, my_process, region, remark, thread};

/// So many private operations in a row, then one that is visible: a thread that never does anything
/// else must not keep the others waiting.
const LONGEST_RUN: u32 = 1 << 14;

/// Performs an operation without a step, if no other thread can notice it.
pub fn is_unseen(me: usize, operation: &Operation) -> bool {
    if !is_concurrent() {
        return false;
    }
    if operation.object == 0 || operation.kind.is_memory() {
        thread(me).last_unseen.store(0, Relaxed);
        return false;
    }
    let hides = hides();
    let is_private = note_use(me, operation.object, hides) & note_use(me, operation.other, hides);
    if !hides || !is_private || !succeeds(me, operation) {
        thread(me).last_unseen.store(0, Relaxed);
        return false;
    }
    let slot = thread(me);
    slot.last_unseen.store(operation.object, Relaxed);
    let run = slot.unseen.load(Relaxed) + 1;
    slot.unseen.store(run % LONGEST_RUN, Relaxed);
    if run == LONGEST_RUN {
        slot.last_unseen.store(0, Relaxed);
        return false;
    }
    slot.operation.store(operation);
    region().header.heartbeat.fetch_add(1, Relaxed);
    if !circles::leaves_no_other_trace(operation.kind) {
        slot.deeds.fetch_add(1, Relaxed);
    }
    if memory::is_active() {
        memory::performs(me, operation);
    }
    true
}

/// The execution ends because of what a thread does now. When that happens matters to everything
/// that others do, so it must be after a step.
pub fn fails(me: usize) {
    let last = thread(me).last_unseen.load(Relaxed);
    if last != 0 {
        promote(object(last));
    }
}

/// Is it an operation on one object that goes on at once, and has no choice?
fn succeeds(me: usize, operation: &Operation) -> bool {
    let kind = operation.kind;
    if !kind.may_be_private() || operation.other != 0 {
        return false;
    }
    match kind {
        Kind::MutexTrylock | Kind::ReadTrylock | Kind::WriteTrylock if is_owned(operation.object) => false,
        Kind::CondSignal | Kind::CondBroadcast => waiters(operation.object).next().is_none(),
        _ => is_enabled(me, &Operation { kind: kind.waiting().unwrap_or(kind), ..*operation }),
    }
}

/// A try may fail though its owner tries.
fn is_owned(number: u32) -> bool {
    object(number).owner.load(Relaxed) != 0
}

/// Notes that a thread uses an object. Is it, so far, the only one?
fn note_use(me: usize, number: u32, hides: bool) -> bool {
    if number == 0 {
        return true;
    }
    let object = object(number);
    let user = object.user.load(Relaxed);
    let own = me as u32 + 1;
    if user == NONE {
        return false;
    }
    let is_shared = match user {
        _ if user == own => false,
        _ if !is_own(object) || !ObjectKind::from_number(object.kind.load(Relaxed)).may_be_private() => true,
        0 => hides && is_promoted(object),
        _ => !takes_over(me, user as usize - 1, object.used_at.load(Relaxed)),
    };
    if is_shared {
        object.user.store(NONE, Relaxed);
        if hides && user != 0 && is_own(object) {
            promote(object);
        }
        return false;
    }
    object.user.store(own, Relaxed);
    object.used_at.store(thread(me).n_created.load(Relaxed), Relaxed);
    true
}

/// Is it in the memory of this process alone? A semaphore with a name is not, and the names that are
/// opened first decide where it is.
fn is_own(object: &Object) -> bool {
    object.space.load(Relaxed) == my_process() as u32 + 1 && !is_in_pool(object.address.load(Relaxed))
}

/// Does a thread know that another one, which had made so many threads by then, is through with
/// what it used?
fn takes_over(me: usize, before: usize, n_created: u32) -> bool {
    let slot = thread(me);
    let was_made_later =
        slot.creator.load(Relaxed) as usize == before && slot.birth.load(Relaxed) >= n_created && me != 0;
    was_made_later || has_joined(me, before)
}

/// Objects that can be promoted one by one; beyond, all are visible.
const KEYS: usize = 1024;
const EVERYTHING: u64 = OBJECT_KEY | 1;

/// The keys as they were when the execution began: what is promoted now is visible in those to
/// come.
static PROMOTED: [AtomicU64; KEYS + 2] = [const { AtomicU64::new(0) }; KEYS + 2];
static N_PROMOTED: AtomicU32 = AtomicU32::new(NONE);

/// Are there operations that are not visible? Then what is shared is listed, with [`OBJECT_KEY`]
/// itself among it.
fn hides() -> bool {
    promoted().first().is_some_and(|first| first.load(Relaxed) != EVERYTHING) && !ends_are_visible()
}

/// What was promoted: nothing if everything is visible, else at least one key.
fn promoted() -> &'static [AtomicU64] {
    if N_PROMOTED.load(Relaxed) == NONE {
        read_promoted();
    }
    &PROMOTED[..N_PROMOTED.load(Relaxed) as usize]
}

/// Reads the keys before the first operation, so that each process of the execution has them.
pub fn begin() {
    read_promoted();
}

fn read_promoted() {
    let memory = &region().memory;
    let mut count = 0;
    let n_before = region().header.n_promoted_before.load(Relaxed) as usize;
    let keys = memory.promoted().take(n_before).filter(|key| is_object_key(*key));
    for (slot, key) in PROMOTED.iter().zip(keys) {
        slot.store(key, Relaxed);
        count += 1;
        if key == EVERYTHING {
            PROMOTED[0].store(EVERYTHING, Relaxed);
        }
    }
    N_PROMOTED.store(count, Relaxed);
}

fn key(object: &Object) -> u64 {
    OBJECT_KEY | object.address.load(Relaxed)
}

fn is_promoted(object: &Object) -> bool {
    let key = key(object);
    promoted().iter().any(|known| known.load(Relaxed) == key)
}

fn promote(object: &Object) {
    let memory = &region().memory;
    let count = memory.promoted().filter(|key| is_object_key(*key)).count();
    let key = if count < KEYS { key(object) } else { EVERYTHING };
    if !memory.promoted().any(|known| known == key) && !memory.promote(key) {
        remark(&[b"more shared objects than there is room for"]);
    }
}
