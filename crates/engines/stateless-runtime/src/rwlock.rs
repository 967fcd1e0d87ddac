//! Read-write locks, spin locks, barriers.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::cond;
use crate::objects::{at, object};
use crate::schedule::{before, waiters, was_fruitless};
use crate::sys::errno::*;
use crate::time::{Time, limited};
use crate::token::{caller, controlled, thread};

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
    if object(number).owner.load(Relaxed) == me as u32 + 1 {
        return EDEADLK;
    }
    object(number).count.fetch_add(1, Relaxed);
    0
}

fn try_read_lock(me: usize, lock: *mut c_void, otherwise: i32, place: u64) -> i32 {
    let number = rwlock(lock);
    announce(me, Kind::ReadTrylock, number, place);
    if object(number).owner.load(Relaxed) != 0 || writer_goes_first(number) {
        was_fruitless(me, place);
        return otherwise;
    }
    object(number).count.fetch_add(1, Relaxed);
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
    if object(number).owner.load(Relaxed) == me as u32 + 1 {
        return EDEADLK;
    }
    object(number).owner.store(me as u32 + 1, Relaxed);
    0
}

fn try_write_lock(me: usize, lock: *mut c_void, otherwise: i32, place: u64) -> i32 {
    let number = rwlock(lock);
    announce(me, Kind::WriteTrylock, number, place);
    let lock = object(number);
    if lock.owner.load(Relaxed) != 0 || lock.count.load(Relaxed) != 0 {
        was_fruitless(me, place);
        return otherwise;
    }
    lock.owner.store(me as u32 + 1, Relaxed);
    0
}

fn unlock(me: usize, lock: *mut c_void, place: u64) -> i32 {
    let number = rwlock(lock);
    let lock = object(number);
    if lock.owner.load(Relaxed) == me as u32 + 1 {
        announce(me, Kind::WriteUnlock, number, place);
        lock.owner.store(0, Relaxed);
    } else {
        announce(me, Kind::ReadUnlock, number, place);
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
        announce(me, Kind::RwlockChange, rwlock(lock), place);
        0
    };
    pthread_spin_lock, c"pthread_spin_lock", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexLock, number, place);
        object(number).owner.store(me as u32 + 1, Relaxed);
        0
    };
    pthread_spin_trylock, c"pthread_spin_trylock", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexTrylock, number, place);
        if object(number).owner.load(Relaxed) == 0 {
            object(number).owner.store(me as u32 + 1, Relaxed);
            0
        } else {
            was_fruitless(me, place);
            EBUSY
        }
    };
    pthread_spin_unlock, c"pthread_spin_unlock", |me, lock, place| {
        let number = spin(lock);
        announce(me, Kind::MutexUnlock, number, place);
        object(number).owner.store(0, Relaxed);
        0
    };
    pthread_spin_destroy, c"pthread_spin_destroy", |me, lock, place| {
        announce(me, Kind::MutexChange, spin(lock), place);
        0
    };
    pthread_barrier_wait, c"pthread_barrier_wait", |me, lock, place| barrier_wait(me, lock, place);
    pthread_barrier_destroy, c"pthread_barrier_destroy", |me, lock, place| {
        announce(me, Kind::BarrierChange, barrier(lock), place);
        0
    };
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_timedrdlock(lock: *mut c_void, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => limited(try_read_lock(me, lock, ETIMEDOUT, caller()), time),
        None => real!(c"pthread_rwlock_timedrdlock": fn(*mut c_void, *const Time) -> i32, (lock, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_timedwrlock(lock: *mut c_void, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => limited(try_write_lock(me, lock, ETIMEDOUT, caller()), time),
        None => real!(c"pthread_rwlock_timedwrlock": fn(*mut c_void, *const Time) -> i32, (lock, time)),
    }
}

/// Of which clock does not matter: all show the same.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_clockrdlock(lock: *mut c_void, clock: i32, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => limited(try_read_lock(me, lock, ETIMEDOUT, caller()), time),
        None => {
            real!(c"pthread_rwlock_clockrdlock": fn(*mut c_void, i32, *const Time) -> i32, (lock, clock, time))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_clockwrlock(lock: *mut c_void, clock: i32, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => limited(try_write_lock(me, lock, ETIMEDOUT, caller()), time),
        None => {
            real!(c"pthread_rwlock_clockwrlock": fn(*mut c_void, i32, *const Time) -> i32, (lock, clock, time))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_rwlock_init(lock: *mut c_void, attributes: *const c_void) -> i32 {
    let result = real!(c"pthread_rwlock_init": fn(*mut c_void, *const c_void) -> i32, (lock, attributes));
    if let Some(me) = controlled() {
        let number = rwlock(lock);
        announce(me, Kind::RwlockChange, number, caller());
        object(number).owner.store(0, Relaxed);
        object(number).count.store(0, Relaxed);
        object(number).extra.store(0, Relaxed);
        object(number).flavour.store(rwlock_flavour(lock), Relaxed);
    }
    result
}

fn spin(address: *mut c_void) -> u32 {
    at(ObjectKind::Spin, address as usize, |_| ())
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_spin_init(lock: *mut c_void, shared: i32) -> i32 {
    let result = real!(c"pthread_spin_init": fn(*mut c_void, i32) -> i32, (lock, shared));
    if let Some(me) = controlled() {
        let number = spin(lock);
        announce(me, Kind::MutexChange, number, caller());
        object(number).owner.store(0, Relaxed);
    }
    result
}

/// `length` is how many must arrive, `count` how many have, `extra` the number of complete rounds.
fn barrier(address: *mut c_void) -> u32 {
    at(ObjectKind::Barrier, address as usize, |_| ())
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_barrier_init(lock: *mut c_void, attributes: *const c_void, count: u32) -> i32 {
    let result =
        real!(c"pthread_barrier_init": fn(*mut c_void, *const c_void, u32) -> i32, (lock, attributes, count));
    if let Some(me) = controlled()
        && result == 0
    {
        let number = barrier(lock);
        announce(me, Kind::BarrierChange, number, caller());
        object(number).length.store(count, Relaxed);
        object(number).count.store(0, Relaxed);
    }
    result
}

fn barrier_wait(me: usize, address: *mut c_void, place: u64) -> i32 {
    let number = barrier(address);
    announce(me, Kind::BarrierArrive, number, place);
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
