//! What POSIX leaves undefined: which uses of locks, conditions, semaphores, barriers and threads are none.
//!
//! That an object is destroyed is noted in the memory of the program, where it disappears as soon as the memory is initialised anew or becomes
//! something else. So an object is never taken for another one that was at its address before. Where nothing can be told for sure,
//! nothing is reported: a thread may have freed the memory of a lock it holds, a block of a pool may be initialised again.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Earlier, Fault, Kind, Misuse, Object, ObjectKind, state};

use crate::direct;
use crate::mutex::{Mutex, has_valid_kind};
use crate::objects::object;
use crate::schedule::{is_enabled, waiters};
use crate::sys::{self, errno::EAGAIN};
use crate::token::{my_process, n_threads, process, region, thread};

/// Values of `Object::condition`: 0 is not known.
pub mod condition {
    /// By a call, in this process.
    pub const INITIALISED: u8 = 1;
    pub const DESTROYED: u8 = 2;
    /// A copy of one of the parent, that was neither locked nor initialised since. A child often initialises what its parent had, since
    /// nobody else is there any more.
    pub const INHERITED: u8 = 3;
}

/// Reports a misuse of an object by the thread that runs.
#[cold]
pub fn report(me: usize, fault: Fault, number: u32, place: u64, earlier: Option<Earlier>) {
    add(me, Misuse { fault, object: number, address: 0, thread: 0, place, callers: 0, earlier });
}

/// The same for a thread that is joined or detached, or for memory.
#[cold]
pub fn report_address(me: usize, fault: Fault, address: u64, place: u64, earlier: Option<Earlier>) {
    add(me, Misuse { fault, object: 0, address, thread: 0, place, callers: 0, earlier });
}

fn add(me: usize, misuse: Misuse) {
    let is_memory = matches!(misuse.fault, Fault::OutOfBlock | Fault::UseOfFreed | Fault::UseOfDeadStack);
    // What came before a thread ended is told by its place alone.
    let has_callers = !is_memory && misuse.fault != Fault::HeldAtEnd;
    let callers = if !has_callers { 0 } else { thread(me).callers.load(Relaxed) };
    let place = direct::located(misuse.place);
    region().misuses.report(&Misuse { thread: me as u32, place, callers, ..misuse });
}

/// Who changed the object last, and where.
pub fn last_change(object: &Object) -> Option<Earlier> {
    let thread = object.changed_by.load(Relaxed).checked_sub(1)?;
    Some(Earlier { thread, place: object.changed_at.load(Relaxed) })
}

/// Notes who locks, initialises or destroys an object.
#[inline]
pub fn note_change(me: usize, object: &Object, place: u64) {
    object.changed_by.store(me as u32 + 1, Relaxed);
    object.changed_at.store(place, Relaxed);
}

/// A thread that waits for an object, and where.
fn waiter(number: usize) -> Option<Earlier> {
    Some(Earlier { thread: number as u32, place: thread(number).operation.load().place })
}

/// Written into objects that are destroyed; no object that is initialised has it.
const MARK: u64 = 0xd357_0bed_0b1e_c75d;

/// Where the mark of an object is: where functions that initialise it put something else, or where nothing is kept.
fn mark_of(kind: ObjectKind, address: usize) -> *mut u64 {
    let offset = match kind {
        ObjectKind::Semaphore | ObjectKind::Barrier => 24,
        _ => 0,
    };
    (address + offset) as *mut u64
}

/// The value of a spin lock that nobody holds, as the C library has it.
fn free_spin_lock() -> u32 {
    let mut lock = !0_u32;
    real!(c"pthread_spin_init": fn(*mut u32, i32) -> i32, (&raw mut lock, 0));
    lock
}

const DESTROYED_SPIN: u32 = 0xdead_10c4;

/// Was the object in this memory destroyed, or is it no object at all?
fn fault_of(kind: ObjectKind, address: usize) -> Option<Fault> {
    let word = |offset: usize| {
        // SAFETY: the program passes an object, which is at least as long as is asked for below.
        unsafe { *((address + offset) as *const u32) }
    };
    // SAFETY: as above.
    if !matches!(kind, ObjectKind::Mutex | ObjectKind::Spin)
        && unsafe { mark_of(kind, address).read_unaligned() } == MARK
    {
        return Some(Fault::UseOfDestroyed);
    }
    // What no function and no macro ever makes of it.
    let is_garbage = match kind {
        // SAFETY: the program passes a mutex.
        ObjectKind::Mutex => !has_valid_kind(unsafe { (*(address as *const Mutex)).kind() }),
        ObjectKind::Cond => (0..48).step_by(4).any(|offset| word(offset) > 1 << 28),
        ObjectKind::Semaphore => word(0) > i32::MAX as u32,
        // How readers and writers are preferred.
        ObjectKind::Rwlock => word(48) > 3,
        ObjectKind::Barrier => word(8) == 0 || word(8) > i32::MAX as u32,
        ObjectKind::Spin => word(0) != free_spin_lock(),
        _ => false,
    };
    is_garbage.then_some(Fault::UseOfUninitialised)
}

/// Is it in memory that processes share, and did another one initialise or take it?
fn is_of_another(object: &Object) -> bool {
    let own = my_process() as u32;
    object.space.load(Relaxed) != own + 1
        && last_change(object)
            .is_some_and(|earlier| thread(earlier.thread as usize).process.load(Relaxed) != own)
}

/// Was the object initialised for the threads of one process?
fn is_private(kind: ObjectKind, address: usize) -> bool {
    // As the C library has it.
    let (offset, bits) = match kind {
        ObjectKind::Mutex => (16, 128),
        ObjectKind::Cond => (36, 1),
        ObjectKind::Rwlock => (28, !0),
        ObjectKind::Barrier => (12, !0),
        ObjectKind::Semaphore => (8, !0),
        _ => return false,
    };
    // SAFETY: the program passes an object, which is longer.
    unsafe { *((address + offset) as *const u32) & bits == 0 }
}

/// Is the object fit for use? If not, that is reported. To be called in the step that uses it.
pub fn is_fit(me: usize, number: u32, address: usize, place: u64) -> bool {
    let object = object(number);
    let kind = ObjectKind::from_number(object.kind.load(Relaxed));
    let Some(fault) = fault_of(kind, address) else {
        if is_of_another(object) && is_private(kind, address) {
            report(me, Fault::PrivateInTwo, number, place, last_change(object));
        }
        return true;
    };
    let is_destroyed = object.condition.load(Relaxed) == condition::DESTROYED;
    match is_destroyed {
        true => report(me, Fault::UseOfDestroyed, number, place, last_change(object)),
        false => report(me, fault, number, place, None),
    }
    false
}

/// The step that destroys an object: is it fit for that, and does nobody wait for it?
pub fn destroys(me: usize, number: u32, address: usize, place: u64) -> bool {
    if !is_fit(me, number, address, place) {
        return true;
    }
    if let Some(waits) = awaited(me, number) {
        report(me, Fault::DestroyOfAwaited, number, place, waiter(waits));
        return false;
    }
    let object = object(number);
    if is_held(object) {
        report(me, Fault::DestroyOfHeld, number, place, last_change(object));
        return false;
    }
    object.condition.store(condition::DESTROYED, Relaxed);
    note_change(me, object, place);
    // SAFETY: the program passes an object, which nobody uses any more.
    unsafe {
        match ObjectKind::from_number(object.kind.load(Relaxed)) {
            ObjectKind::Mutex => (*(address as *mut Mutex)).invalidate(),
            ObjectKind::Spin => *(address as *mut u32) = DESTROYED_SPIN,
            kind => mark_of(kind, address).write_unaligned(MARK),
        }
    }
    true
}

/// What would be wrong if an object were initialised now, and what came before.
fn fault_of_initialisation(me: usize, number: u32, address: usize) -> Option<(Fault, Option<Earlier>)> {
    let object = object(number);
    if let Some(waits) = awaited(me, number) {
        return Some((Fault::InitOfAwaited, waiter(waits)));
    }
    let condition = object.condition.load(Relaxed);
    if !is_static(object) || matches!(condition, condition::DESTROYED | condition::INHERITED) {
        return None;
    }
    let kind = ObjectKind::from_number(object.kind.load(Relaxed));
    // SAFETY: the program passes a mutex.
    let looks_held = kind != ObjectKind::Mutex || unsafe { (*(address as *const Mutex)).is_locked() };
    if is_held(object) && looks_held && is_owned_here(object) {
        return Some((Fault::InitOfHeld, last_change(object)));
    }
    let is_second = condition == condition::INITIALISED && fault_of(kind, address).is_none();
    is_second.then(|| (Fault::InitTwice, last_change(object)))
}

/// The step that initialises an object by a function of the C library. One that fails is none.
pub fn initialises(me: usize, number: u32, address: usize, place: u64, real: impl FnOnce() -> i32) -> i32 {
    let object = object(number);
    let fault = fault_of_initialisation(me, number, address);
    let result = real();
    if result != 0 {
        return result;
    }
    if let Some((fault, earlier)) = fault {
        report(me, fault, number, place, earlier);
    }
    object.condition.store(condition::INITIALISED, Relaxed);
    note_change(me, object, place);
    if matches!(
        ObjectKind::from_number(object.kind.load(Relaxed)),
        ObjectKind::Semaphore | ObjectKind::Barrier
    ) {
        let mark = mark_of(ObjectKind::from_number(object.kind.load(Relaxed)), address);
        // SAFETY: the program passes an object.
        unsafe {
            if mark.read_unaligned() == MARK {
                mark.write_unaligned(0);
            }
        }
    }
    result
}

/// Does a thread hold the lock?
fn is_held(object: &Object) -> bool {
    let is_rwlock = object.kind.load(Relaxed) == ObjectKind::Rwlock as u8;
    let is_lock = is_rwlock
        || matches!(ObjectKind::from_number(object.kind.load(Relaxed)), ObjectKind::Mutex | ObjectKind::Spin);
    is_lock && (object.owner.load(Relaxed) != 0 || is_rwlock && object.count.load(Relaxed) > 0)
}

/// Is the owner, if it is known, a thread of this process? After a fork the child has locks of threads that it does not have.
pub fn is_owned_here(object: &Object) -> bool {
    let own = my_process() as u32;
    let owner = object.owner.load(Relaxed).checked_sub(1);
    object.space.load(Relaxed) != own + 1
        || owner.is_none_or(|owner| thread(owner as usize).process.load(Relaxed) == own)
}

/// Is it a variable of the program? Only that memory is never given to something else.
fn is_static(object: &Object) -> bool {
    let header = &region().header;
    let variables = header.variables_start.load(Relaxed)..header.variables_end.load(Relaxed);
    object.space.load(Relaxed) == my_process() as u32 + 1
        && process(my_process()).is_foreign.load(Relaxed) == 0
        && variables.contains(&object.address.load(Relaxed))
}

/// Another thread that waits for an object: blocked at it, on its way out of a barrier, or about to take a mutex again when it was woken.
fn awaited(me: usize, number: u32) -> Option<usize> {
    let is_pending = |other: &usize| *other != me && thread(*other).state.load(Relaxed) == state::PENDING;
    (0..n_threads()).filter(is_pending).find(|other| {
        let operation = thread(*other).operation.load();
        match operation.kind {
            Kind::CondReacquire | Kind::CondReacquireTimed => {
                operation.other == number || waiters(number).any(|waits| waits == *other)
            }
            Kind::BarrierLeave => operation.object == number,
            Kind::SemWait | Kind::ReadLock | Kind::WriteLock | Kind::MutexLock => {
                operation.object == number && !is_enabled(*other, &operation)
            }
            _ => false,
        }
    })
}

/// A thread begins to wait for a condition; which other one waits for it with another mutex?
pub fn waits_with(me: usize, cond: u32, mutex: u32, place: u64) {
    let differs = |other: &usize| *other != me && thread(*other).operation.load().other != mutex;
    if let Some(other) = waiters(cond).find(differs) {
        report(me, Fault::WaitWithTwoMutexes, cond, place, waiter(other));
    }
}

/// The addresses of the locks that threads of this process hold; what does not fit is not known.
struct Held {
    places: [usize; HELD],
    count: usize,
}

const HELD: usize = 64;

struct HeldCell(UnsafeCell<Held>);

// SAFETY: only the thread with the token touches it.
unsafe impl Sync for HeldCell {}

static LOCKS: HeldCell = HeldCell(UnsafeCell::new(Held { places: [0; HELD], count: 0 }));

fn locks() -> &'static mut Held {
    // SAFETY: see `HeldCell`.
    unsafe { &mut *LOCKS.0.get() }
}

impl Held {
    fn remove_if(&mut self, is_it: impl Fn(usize) -> bool) {
        let mut position = 0;
        while position < self.count {
            if is_it(self.places[position]) {
                self.count -= 1;
                self.places[position] = self.places[self.count];
            } else {
                position += 1;
            }
        }
    }
}

/// A lock is taken.
#[inline]
pub fn locked(me: usize, object: &Object, address: usize, place: u64) {
    note_change(me, object, place);
    if object.condition.load(Relaxed) == condition::INHERITED {
        object.condition.store(0, Relaxed);
    }
    let held = locks();
    if held.count < HELD {
        held.places[held.count] = address;
        held.count += 1;
    }
}

/// A lock is given back.
#[inline]
pub fn unlocked(address: usize) {
    locks().remove_if(|held| held == address);
}

/// Does anybody hold a lock, as far as is known?
#[inline]
pub fn somebody_holds() -> bool {
    locks().count > 0
}

/// Memory is given back: nobody can say whether a lock in it is held.
pub fn is_gone(start: usize, length: usize) {
    locks().remove_if(|held| (start..start + length).contains(&held));
}

/// Around the place where a stack begins: the thread's own variables are above, and what it calls below.
const STACK: usize = 64 << 20;
const THREAD_LOCAL: usize = 1 << 16;

/// A thread is about to end: which locks does it leave behind that nobody can ever take again?
pub fn ends(me: usize) {
    let count = region().header.n_objects.load(Relaxed);
    let top = thread(me).stack_top.load(Relaxed) as usize;
    for number in (1..=count).filter(|_| somebody_holds()) {
        let lock = object(number);
        let address = lock.address.load(Relaxed) as usize;
        let is_mine = lock.owner.load(Relaxed) == me as u32 + 1
            && lock.space.load(Relaxed) == my_process() as u32 + 1
            && locks().places[..locks().count].contains(&address);
        if !is_mine || (top.saturating_sub(STACK)..top + THREAD_LOCAL).contains(&address) {
            continue;
        }
        let is_left = match ObjectKind::from_number(lock.kind.load(Relaxed)) {
            ObjectKind::Mutex => !crate::mutex::is_robust(lock) && is_nonzero(address),
            ObjectKind::Rwlock | ObjectKind::Spin => true,
            _ => false,
        };
        if is_left {
            report(me, Fault::HeldAtEnd, number, lock.changed_at.load(Relaxed), last_change(lock));
        }
    }
}

/// Is a word there, and not 0? The kernel looks, for the memory may be gone.
fn is_nonzero(address: usize) -> bool {
    const WAIT: usize = 128;
    static AT_ONCE: [u64; 2] = [0, 0];
    sys::call(sys::FUTEX, address, WAIT, 0, &raw const AT_ONCE as usize, 0, 0) == -(EAGAIN as isize)
}
