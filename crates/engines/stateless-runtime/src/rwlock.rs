//! Read-write locks, spin locks, barriers.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Fault, Kind, Object, ObjectKind, Operation, limits};

use crate::cond;
use crate::limits_of_time;
use crate::misuse;
use crate::objects::{at, object, reserve};
use crate::schedule::{before, waiters, was_fruitless};
use crate::sys::errno::*;
use crate::time::{Time, is_clock_of_limits, limited};
use crate::token::{caller, controlled, region, thread};

/// What `pthread_barrier_wait` returns to one of the threads.
const SERIAL_THREAD: i32 = -1;

fn announce(me: usize, kind: Kind, object: u32, place: u64) {
    before(me, Operation { kind, object, place, ..Operation::default() });
}

fn rwlock(address: *mut c_void) -> u32 {
    at(ObjectKind::Rwlock, address as usize, |object| {
        object.flavour.store(rwlock_flavour(address), Relaxed);
        object.extra.store(0, Relaxed);
    })
}

/// A flavour of read-write locks: readers wait while a writer waits, `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`. The other ones of the C library
/// prefer readers.
const PREFERS_WRITERS: u8 = 2;

/// As the C library notes it in the lock.
fn rwlock_flavour(address: *mut c_void) -> u8 {
    const FLAGS: usize = 48;
    // SAFETY: the program passes a lock.
    unsafe { *(address as *const u32).byte_add(FLAGS) as u8 }
}

fn prefers_writers(number: u32) -> bool {
    object(number).flavour.load(Relaxed) == PREFERS_WRITERS
}

/// Must a reader wait because a writer does?
pub fn writer_goes_first(number: u32) -> bool {
    prefers_writers(number) && object(number).extra.load(Relaxed) != 0
}

/// `count` is the number of readers, `owner` the writer, `extra` the number of writers that wait.
fn read_lock(me: usize, lock: *mut c_void, place: u64) -> i32 {
    let number = rwlock(lock);
    announce(me, Kind::ReadLock, number, place);
    if !misuse::is_fit(me, number, lock as usize, place) {
        return EINVAL;
    }
    if object(number).owner.load(Relaxed) == me as u32 + 1 {
        return EDEADLK;
    }
    begin_to_read(me, object(number), place);
    0
}

/// A bit for each thread that began to read since nobody did, in the pool: who is not among them must not give back what others hold.
const READER_WORDS: usize = limits::THREADS.div_ceil(32);

fn reader_bit(me: usize, lock: &Object) -> (usize, u32) {
    (lock.list.load(Relaxed) as usize + me / 32, 1 << (me % 32))
}

/// Does a thread read, under this lock?
pub fn is_reader(number: usize, lock: &Object) -> bool {
    let (word, bit) = reader_bit(number, lock);
    lock.count.load(Relaxed) > 0
        && lock.list.load(Relaxed) != 0
        && region().pool[word].load(Relaxed) & bit != 0
}

fn begin_to_read(me: usize, lock: &Object, place: u64) {
    let is_first = lock.count.fetch_add(1, Relaxed) == 0;
    if is_first && lock.list.load(Relaxed) == 0 {
        // Never at the beginning: 0 is no list.
        lock.list.store(reserve(READER_WORDS + 2) + 2, Relaxed);
    }
    if lock.list.load(Relaxed) != 0 {
        let first = lock.list.load(Relaxed) as usize;
        if is_first {
            region().pool[first..first + READER_WORDS].iter().for_each(|word| word.store(0, Relaxed));
        }
        let (word, bit) = reader_bit(me, lock);
        region().pool[word].fetch_or(bit, Relaxed);
    }
    misuse::note_change(me, lock, place);
}

/// Reports an unlock by a thread that does not hold the lock.
fn check_unlock(me: usize, number: u32, place: u64) {
    let lock = object(number);
    let fault = if lock.owner.load(Relaxed) != 0 {
        Fault::UnlockOfAnother
    } else if lock.count.load(Relaxed) == 0 {
        return misuse::report(me, Fault::UnlockOfFree, number, place, None);
    } else {
        let (word, bit) = reader_bit(me, lock);
        if lock.list.load(Relaxed) == 0 || region().pool[word].load(Relaxed) & bit != 0 {
            return;
        }
        Fault::UnlockOfAnother
    };
    if misuse::is_owned_here(lock) {
        misuse::report(me, fault, number, place, misuse::last_change(lock));
    }
}

fn try_read_lock(me: usize, lock: *mut c_void, otherwise: i32, place: u64) -> i32 {
    let number = rwlock(lock);
    announce(me, Kind::ReadTrylock, number, place);
    if !misuse::is_fit(me, number, lock as usize, place) {
        return EINVAL;
    }
    if object(number).owner.load(Relaxed) != 0 || writer_goes_first(number) {
        was_fruitless(me, place);
        return otherwise;
    }
    begin_to_read(me, object(number), place);
    0
}

fn write_lock(me: usize, lock: *mut c_void, place: u64) -> i32 {
    let number = rwlock(lock);
    if prefers_writers(number) {
        // Others notice that it begins to wait.
        announce(me, Kind::RwlockChange, number, place);
        object(number).extra.fetch_add(1, Relaxed);
    }
    announce(me, Kind::WriteLock, number, place);
    if prefers_writers(number) {
        object(number).extra.fetch_sub(1, Relaxed);
    }
    if !misuse::is_fit(me, number, lock as usize, place) {
        return EINVAL;
    }
    if object(number).owner.load(Relaxed) == me as u32 + 1 {
        return EDEADLK;
    }
    object(number).owner.store(me as u32 + 1, Relaxed);
    misuse::locked(me, object(number), lock as usize, place);
    0
}

fn try_write_lock(me: usize, address: *mut c_void, otherwise: i32, place: u64) -> i32 {
    let number = rwlock(address);
    announce(me, Kind::WriteTrylock, number, place);
    if !misuse::is_fit(me, number, address as usize, place) {
        return EINVAL;
    }
    let lock = object(number);
    if lock.owner.load(Relaxed) != 0 || lock.count.load(Relaxed) != 0 {
        was_fruitless(me, place);
        return otherwise;
    }
    lock.owner.store(me as u32 + 1, Relaxed);
    misuse::locked(me, lock, address as usize, place);
    0
}

fn unlock(me: usize, address: *mut c_void, place: u64) -> i32 {
    let number = rwlock(address);
    let lock = object(number);
    let is_writer = lock.owner.load(Relaxed) == me as u32 + 1;
    announce(me, if is_writer { Kind::WriteUnlock } else { Kind::ReadUnlock }, number, place);
    if !misuse::is_fit(me, number, address as usize, place) {
        return EINVAL;
    }
    if is_writer {
        lock.owner.store(0, Relaxed);
        misuse::unlocked(address as usize);
    } else {
        check_unlock(me, number, place);
        lock.count.store((lock.count.load(Relaxed) - 1).max(0), Relaxed);
    }
    0
}

/// A function of one pointer that is ours if the thread is under control.
macro_rules! instead {
    ($($name:ident, $text:literal, |$me:ident, $lock:ident, $place:ident| $body:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name($lock: *mut c_void) -> i32 {
            match controlled() {
                Some($me) => {
                    let $place = caller();
                    $body
                }
                None => real!($text: fn(*mut c_void) -> i32, ($lock)),
            }
        })*
    };
}

instead! {
    pthread_rwlock_rdlock, c"pthread_rwlock_rdlock", |me, lock, place| read_lock(me, lock, place);
    pthread_rwlock_tryrdlock, c"pthread_rwlock_tryrdlock", |me, lock, place| try_read_lock(me, lock, EBUSY, place);
    pthread_rwlock_wrlock, c"pthread_rwlock_wrlock", |me, lock, place| write_lock(me, lock, place);
    pthread_rwlock_trywrlock, c"pthread_rwlock_trywrlock", |me, lock, place| try_write_lock(me, lock, EBUSY, place);
    pthread_rwlock_unlock, c"pthread_rwlock_unlock", |me, lock, place| unlock(me, lock, place);
    pthread_rwlock_destroy, c"pthread_rwlock_destroy", |me, lock, place| {
        let number = rwlock(lock);
        announce(me, Kind::RwlockChange, number, place);
        if misuse::destroys(me, number, lock as usize, place) { 0 } else { EBUSY }
    };
    pthread_spin_lock, c"pthread_spin_lock", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexLock, number, place);
        misuse::is_fit(me, number, lock as usize, place);
        object(number).owner.store(me as u32 + 1, Relaxed);
        misuse::locked(me, object(number), lock as usize, place);
        0
    };
    pthread_spin_trylock, c"pthread_spin_trylock", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexTrylock, number, place);
        misuse::is_fit(me, number, lock as usize, place);
        if object(number).owner.load(Relaxed) == 0 {
            object(number).owner.store(me as u32 + 1, Relaxed);
            misuse::locked(me, object(number), lock as usize, place);
            0
        } else {
            was_fruitless(me, place);
            EBUSY
        }
    };
    pthread_spin_unlock, c"pthread_spin_unlock", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexUnlock, number, place);
        if misuse::is_fit(me, number, lock as usize, place) {
            check_spin_unlock(me, number, place);
        }
        object(number).owner.store(0, Relaxed);
        misuse::unlocked(lock as usize);
        0
    };
    pthread_spin_destroy, c"pthread_spin_destroy", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexChange, number, place);
        if misuse::destroys(me, number, lock as usize, place) { 0 } else { EBUSY }
    };
    pthread_barrier_wait, c"pthread_barrier_wait", |me, lock, place| barrier_wait(me, lock, place);
    pthread_barrier_destroy, c"pthread_barrier_destroy", |me, lock, place| {
        let number = barrier(lock);
        announce(me, Kind::BarrierChange, number, place);
        if misuse::destroys(me, number, lock as usize, place) { 0 } else { EBUSY }
    };
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_timedrdlock(lock: *mut c_void, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => {
            let place = caller();
            limited(
                limits_of_time::until(me, time, place, || try_read_lock(me, lock, ETIMEDOUT, place)),
                time,
            )
        }
        None => real!(c"pthread_rwlock_timedrdlock": fn(*mut c_void, *const Time) -> i32, (lock, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_timedwrlock(lock: *mut c_void, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => {
            let place = caller();
            limited(
                limits_of_time::until(me, time, place, || try_write_lock(me, lock, ETIMEDOUT, place)),
                time,
            )
        }
        None => real!(c"pthread_rwlock_timedwrlock": fn(*mut c_void, *const Time) -> i32, (lock, time)),
    }
}

/// Of which clock does not matter: all show the same.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_clockrdlock(lock: *mut c_void, clock: i32, time: *const Time) -> i32 {
    match controlled() {
        Some(_) if !is_clock_of_limits(clock) => EINVAL,
        Some(me) => {
            let place = caller();
            limited(
                limits_of_time::until(me, time, place, || try_read_lock(me, lock, ETIMEDOUT, place)),
                time,
            )
        }
        None => {
            real!(c"pthread_rwlock_clockrdlock": fn(*mut c_void, i32, *const Time) -> i32, (lock, clock, time))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_clockwrlock(lock: *mut c_void, clock: i32, time: *const Time) -> i32 {
    match controlled() {
        Some(_) if !is_clock_of_limits(clock) => EINVAL,
        Some(me) => {
            let place = caller();
            limited(
                limits_of_time::until(me, time, place, || try_write_lock(me, lock, ETIMEDOUT, place)),
                time,
            )
        }
        None => {
            real!(c"pthread_rwlock_clockwrlock": fn(*mut c_void, i32, *const Time) -> i32, (lock, clock, time))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_init(lock: *mut c_void, attributes: *const c_void) -> i32 {
    let real = || real!(c"pthread_rwlock_init": fn(*mut c_void, *const c_void) -> i32, (lock, attributes));
    let Some(me) = controlled() else { return real() };
    let (number, place) = (rwlock(lock), caller());
    announce(me, Kind::RwlockChange, number, place);
    let result = misuse::initialises(me, number, lock as usize, place, real);
    if result == 0 {
        object(number).owner.store(0, Relaxed);
        object(number).count.store(0, Relaxed);
        object(number).extra.store(0, Relaxed);
        object(number).flavour.store(rwlock_flavour(lock), Relaxed);
        misuse::unlocked(lock as usize);
    }
    result
}

fn spin(address: *mut c_void) -> u32 {
    at(ObjectKind::Spin, address as usize, |_| ())
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_spin_init(lock: *mut c_void, shared: i32) -> i32 {
    let real = || real!(c"pthread_spin_init": fn(*mut c_void, i32) -> i32, (lock, shared));
    let Some(me) = controlled() else { return real() };
    let (number, place) = (spin(lock), caller());
    announce(me, Kind::MutexChange, number, place);
    let result = misuse::initialises(me, number, lock as usize, place, real);
    object(number).owner.store(0, Relaxed);
    misuse::unlocked(lock as usize);
    result
}

fn check_spin_unlock(me: usize, number: u32, place: u64) {
    let lock = object(number);
    match lock.owner.load(Relaxed) {
        owner if owner == me as u32 + 1 || !misuse::is_owned_here(lock) => {}
        0 => misuse::report(me, Fault::UnlockOfFree, number, place, None),
        _ => misuse::report(me, Fault::UnlockOfAnother, number, place, misuse::last_change(lock)),
    }
}

/// `length` is how many must arrive, `count` how many have, `extra` the number of complete rounds.
fn barrier(address: *mut c_void) -> u32 {
    at(ObjectKind::Barrier, address as usize, |object| {
        const COUNT: usize = 8;
        // SAFETY: the program passes a barrier. It may have been initialised before `main`.
        object.length.store(unsafe { *(address as *const u32).byte_add(COUNT) }, Relaxed);
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_barrier_init(lock: *mut c_void, attributes: *const c_void, count: u32) -> i32 {
    let real = || real!(c"pthread_barrier_init": fn(*mut c_void, *const c_void, u32) -> i32, (lock, attributes, count));
    let Some(me) = controlled() else { return real() };
    let (number, place) = (barrier(lock), caller());
    announce(me, Kind::BarrierChange, number, place);
    let result = misuse::initialises(me, number, lock as usize, place, real);
    if result == 0 {
        object(number).length.store(count, Relaxed);
        object(number).count.store(0, Relaxed);
    }
    result
}

fn barrier_wait(me: usize, address: *mut c_void, place: u64) -> i32 {
    let number = barrier(address);
    announce(me, Kind::BarrierArrive, number, place);
    if !misuse::is_fit(me, number, address as usize, place) {
        return EINVAL;
    }
    let barrier = object(number);
    let round = barrier.extra.load(Relaxed);
    if barrier.count.fetch_add(1, Relaxed) + 1 == barrier.length.load(Relaxed) as i32 {
        barrier.count.store(0, Relaxed);
        barrier.extra.store(round + 1, Relaxed);
        // Not those of an earlier round who have not gone on yet: this round is not their cause.
        waiters(number).for_each(cond::wake);
        return SERIAL_THREAD;
    }
    let slot = thread(me);
    slot.is_woken.store(0, Relaxed);
    slot.waits_for.store(number, Relaxed);
    let argument = u64::from(round);
    before(
        me,
        Operation { kind: Kind::BarrierLeave, object: number, argument, place, ..Operation::default() },
    );
    slot.waits_for.store(0, Relaxed);
    0
}
