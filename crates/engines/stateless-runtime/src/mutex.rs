//! Mutexes, of every type; spin locks.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Fault, Kind, Object, ObjectKind, Operation};

use crate::allocator::is_in_heap;
use crate::limits_of_time;
use crate::misuse;
use crate::objects::{at, object};
use crate::schedule::{before, can_lock, flavour, was_fruitless};
use crate::sys::errno::*;
use crate::time::{Time, is_clock_of_limits, limited};
use crate::token::{caller, controlled};

/// A `pthread_mutex_t` as the C library lays it out on x86-64.
#[repr(C)]
pub struct Mutex {
    lock: i32,
    count: u32,
    owner: i32,
    users: u32,
    kind: i32,
}

impl Mutex {
    pub fn kind(&self) -> i32 {
        self.kind
    }

    /// By anybody, also by a function of the C library that was called before `main`.
    pub fn is_locked(&self) -> bool {
        self.lock != 0
    }

    /// As the C library does it when a mutex is destroyed.
    pub fn invalidate(&mut self) {
        self.kind = -1;
    }
}

const KIND_TYPE: i32 = 3;
/// What the kind of a mutex can have: the type, and bits for robust ones, those with priorities or between processes, and how they are elided.
const KINDS: i32 = 0x3f3;
const KIND_ROBUST: i32 = 0x10;
const EOWNERDEAD: i32 = 130;
const ENOTRECOVERABLE: i32 = 131;

/// The object of a mutex. A mutex that we believe locked but whose memory says otherwise was initialised by an assignment; one that
/// nobody holds may have been, too, with another type.
pub fn find(mutex: *mut Mutex) -> u32 {
    // SAFETY: the program passes a mutex.
    let kind = unsafe { (*mutex).kind };
    let number = at(ObjectKind::Mutex, mutex as usize, |object| set_kind(object, kind));
    if !has_valid_kind(kind) {
        return number;
    }
    let object = object(number);
    let has_failed = object.flavour.load(Relaxed) & (flavour::OWNER_DIED | flavour::UNRECOVERABLE) != 0;
    // SAFETY: as above.
    if object.owner.load(Relaxed) != 0 && unsafe { (*mutex).lock } == 0 {
        object.owner.store(0, Relaxed);
        object.count.store(0, Relaxed);
        set_kind(object, kind);
    } else if object.owner.load(Relaxed) == 0 && !has_failed {
        set_kind(object, kind);
    }
    number
}

/// Is it the kind of a mutex that was initialised, and not destroyed?
pub fn has_valid_kind(kind: i32) -> bool {
    kind & !KINDS == 0
}

pub fn is_robust(object: &Object) -> bool {
    object.flavour.load(Relaxed) & flavour::ROBUST != 0
}

fn set_kind(object: &Object, kind: i32) {
    if !has_valid_kind(kind) {
        return;
    }
    let robust = if kind & KIND_ROBUST != 0 { flavour::ROBUST } else { 0 };
    // Type 3 is the adaptive mutex, which differs from the normal one in speed only.
    let kind = if kind & KIND_TYPE == 3 { 0 } else { (kind & KIND_TYPE) as u8 };
    object.flavour.store(kind | robust, Relaxed);
}

fn operation(kind: Kind, object: u32, place: u64) -> Operation {
    Operation { kind, object, place, ..Operation::default() }
}

/// Takes a mutex that can be taken; the result is that of `pthread_mutex_lock`.
pub fn take(me: usize, mutex: *mut Mutex, number: u32, place: u64) -> i32 {
    if !misuse::is_fit(me, number, mutex as usize, place) {
        return EINVAL;
    }
    let object = object(number);
    let flavour = object.flavour.load(Relaxed);
    let owner = object.owner.load(Relaxed);
    if flavour & flavour::UNRECOVERABLE != 0 {
        return ENOTRECOVERABLE;
    }
    if owner == me as u32 + 1 {
        if flavour & flavour::TYPE == flavour::RECURSIVE {
            object.count.fetch_add(1, Relaxed);
            return 0;
        }
        return EDEADLK;
    }
    object.owner.store(me as u32 + 1, Relaxed);
    object.count.store(1, Relaxed);
    misuse::locked(me, object, mutex as usize, place);
    // SAFETY: the program passes a mutex.
    unsafe { (*mutex).lock = 1 };
    if owner != 0 {
        object.flavour.store(flavour | flavour::OWNER_DIED, Relaxed);
        return EOWNERDEAD;
    }
    0
}

/// Gives a mutex back; the result is that of `pthread_mutex_unlock`.
pub fn give(me: usize, mutex: *mut Mutex, number: u32) -> i32 {
    let object = object(number);
    let flavour = object.flavour.load(Relaxed);
    let is_owner = object.owner.load(Relaxed) == me as u32 + 1;
    if !is_owner && refuses_others(object) {
        return EPERM;
    }
    if flavour & flavour::TYPE == flavour::RECURSIVE && object.count.fetch_sub(1, Relaxed) > 1 {
        return 0;
    }
    if flavour & flavour::OWNER_DIED != 0 {
        object.flavour.store(flavour & !flavour::OWNER_DIED | flavour::UNRECOVERABLE, Relaxed);
    }
    object.owner.store(0, Relaxed);
    object.count.store(0, Relaxed);
    misuse::unlocked(mutex as usize);
    // SAFETY: the program passes a mutex.
    unsafe { (*mutex).lock = 0 };
    0
}

/// Does an unlock fail if it is not by the owner?
pub fn refuses_others(object: &Object) -> bool {
    object.flavour.load(Relaxed) & (flavour::TYPE | flavour::ROBUST) != 0
}

/// Does a thread hold it?
pub fn is_owned_by(me: usize, number: u32) -> bool {
    object(number).owner.load(Relaxed) == me as u32 + 1
}

/// Reports an unlock that no kind of mutex permits to this thread and that does not fail.
fn check_unlock(me: usize, mutex: *const Mutex, number: u32, place: u64) {
    let object = object(number);
    if is_owned_by(me, number) || refuses_others(object) || !misuse::is_owned_here(object) {
        return;
    }
    if object.owner.load(Relaxed) != 0 {
        misuse::report(me, Fault::UnlockOfAnother, number, place, misuse::last_change(object));
    // SAFETY: the program passes a mutex. It may have been locked before `main`.
    } else if !unsafe { (*mutex).is_locked() } {
        misuse::report(me, Fault::UnlockOfFree, number, place, None);
    }
}

pub fn lock(me: usize, mutex: *mut Mutex, place: u64) -> i32 {
    let number = find(mutex);
    before(me, operation(Kind::MutexLock, number, place));
    take(me, mutex, number, place)
}

/// `otherwise` is the result if the mutex is taken.
pub fn try_lock(me: usize, mutex: *mut Mutex, otherwise: i32, place: u64) -> i32 {
    let number = find(mutex);
    before(me, operation(Kind::MutexTrylock, number, place));
    if !misuse::is_fit(me, number, mutex as usize, place) {
        return EINVAL;
    }
    let is_own = object(number).owner.load(Relaxed) == me as u32 + 1;
    let is_recursive = object(number).flavour.load(Relaxed) & flavour::TYPE == flavour::RECURSIVE;
    if can_lock(me, number) && (!is_own || is_recursive || otherwise != EBUSY) {
        return take(me, mutex, number, place);
    }
    was_fruitless(me, place);
    otherwise
}

pub fn unlock(me: usize, mutex: *mut Mutex, place: u64) -> i32 {
    let number = find(mutex);
    before(me, operation(Kind::MutexUnlock, number, place));
    if !misuse::is_fit(me, number, mutex as usize, place) {
        return EINVAL;
    }
    check_unlock(me, mutex, number, place);
    give(me, mutex, number)
}

/// The number of this thread, unless another heap calls: its locks are no part of the program.
#[inline]
fn outside_heap(place: u64) -> Option<usize> {
    controlled().filter(|_| !is_in_heap(place))
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_lock(mutex: *mut Mutex) -> i32 {
    match outside_heap(caller()) {
        Some(me) => lock(me, mutex, caller()),
        None => real!(c"pthread_mutex_lock": fn(*mut Mutex) -> i32, (mutex)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_trylock(mutex: *mut Mutex) -> i32 {
    match outside_heap(caller()) {
        Some(me) => try_lock(me, mutex, EBUSY, caller()),
        None => real!(c"pthread_mutex_trylock": fn(*mut Mutex) -> i32, (mutex)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_timedlock(mutex: *mut Mutex, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => {
            let place = caller();
            limited(limits_of_time::until(me, time, place, || try_lock(me, mutex, ETIMEDOUT, place)), time)
        }
        None => real!(c"pthread_mutex_timedlock": fn(*mut Mutex, *const Time) -> i32, (mutex, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_clocklock(mutex: *mut Mutex, clock: i32, time: *const Time) -> i32 {
    match controlled() {
        Some(_) if !is_clock_of_limits(clock) => EINVAL,
        Some(me) => {
            let place = caller();
            limited(limits_of_time::until(me, time, place, || try_lock(me, mutex, ETIMEDOUT, place)), time)
        }
        None => {
            real!(c"pthread_mutex_clocklock": fn(*mut Mutex, i32, *const Time) -> i32, (mutex, clock, time))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_unlock(mutex: *mut Mutex) -> i32 {
    match outside_heap(caller()) {
        Some(me) => unlock(me, mutex, caller()),
        None => real!(c"pthread_mutex_unlock": fn(*mut Mutex) -> i32, (mutex)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_init(mutex: *mut Mutex, attributes: *const c_void) -> i32 {
    let real = || real!(c"pthread_mutex_init": fn(*mut Mutex, *const c_void) -> i32, (mutex, attributes));
    match outside_heap(caller()) {
        Some(me) => initialise(me, mutex, caller(), real),
        None => real(),
    }
}

/// Initialises a mutex by a function of the C library.
pub fn initialise(me: usize, mutex: *mut Mutex, place: u64, real: impl FnOnce() -> i32) -> i32 {
    let number = at(ObjectKind::Mutex, mutex as usize, |_| ());
    before(me, operation(Kind::MutexChange, number, place));
    let result = misuse::initialises(me, number, mutex as usize, place, real);
    if result == 0 {
        let object = object(number);
        object.owner.store(0, Relaxed);
        object.count.store(0, Relaxed);
        misuse::unlocked(mutex as usize);
        object.flavour.store(0, Relaxed);
        // SAFETY: the program passes a mutex.
        set_kind(object, unsafe { (*mutex).kind });
    }
    result
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_destroy(mutex: *mut Mutex) -> i32 {
    let Some(me) = outside_heap(caller()) else {
        return real!(c"pthread_mutex_destroy": fn(*mut Mutex) -> i32, (mutex));
    };
    destroy(me, mutex, caller())
}

pub fn destroy(me: usize, mutex: *mut Mutex, place: u64) -> i32 {
    let number = find(mutex);
    before(me, operation(Kind::MutexChange, number, place));
    if misuse::destroys(me, number, mutex as usize, place) { 0 } else { EBUSY }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_mutex_consistent(mutex: *mut Mutex) -> i32 {
    if controlled().is_none() {
        return real!(c"pthread_mutex_consistent": fn(*mut Mutex) -> i32, (mutex));
    }
    let object = object(find(mutex));
    let flavour = object.flavour.load(Relaxed);
    if flavour & flavour::OWNER_DIED == 0 {
        return EINVAL;
    }
    object.flavour.store(flavour & !flavour::OWNER_DIED, Relaxed);
    0
}

/// Before a thread ends: others can notice that it leaves robust mutexes behind.
pub fn leave_robust(me: usize) {
    let count = crate::token::region().header.n_objects.load(Relaxed);
    for number in 1..=count {
        let mutex = object(number);
        if mutex.kind.load(Relaxed) == ObjectKind::Mutex as u8
            && mutex.owner.load(Relaxed) == me as u32 + 1
            && mutex.flavour.load(Relaxed) & flavour::ROBUST != 0
        {
            before(me, operation(Kind::MutexLeave, number, 0));
        }
    }
}
