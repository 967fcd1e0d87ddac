//! POSIX semaphores. Those with a name live in the shared region, where every process of the program finds them at the same address.

use core::cell::UnsafeCell;
use core::ffi::c_char;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Fault, Kind, Object, ObjectKind, Operation};

use crate::block::will_write;
use crate::driver::hash;
use crate::interrupt::{point, wait_at};
use crate::limits_of_time;
use crate::misuse;
use crate::objects::{at, in_space, is_in_pool, object, reserve_seen};
use crate::paths::bytes_of;
use crate::schedule::{before, was_fruitless};
use crate::sys::{errno::*, fails};
use crate::time::{Time, is_clock_of_limits, limited};
use crate::token::{caller, caller_frame, controlled, is_concurrent, region};

/// A `sem_t`: its first word is the value.
pub type Semaphore = AtomicU32;

fn find(semaphore: &Semaphore) -> u32 {
    at(ObjectKind::Semaphore, semaphore.as_ptr() as usize, |object| {
        object.count.store(semaphore.load(Relaxed) as i32, Relaxed);
        set_reserve(object);
    })
}

fn announce(me: usize, kind: Kind, semaphore: &Semaphore, place: u64) -> u32 {
    let object = find(semaphore);
    before(me, Operation { kind, object, place, ..Operation::default() });
    object
}

/// Changes the value, also where the program keeps it.
fn set(semaphore: &Semaphore, number: u32, value: i32) {
    object(number).count.store(value, Relaxed);
    semaphore.store(value as u32, Relaxed);
}

/// From now on so many can be taken, in whatever order, without anybody giving: `extra`. The limit keeps away from overflows.
fn set_reserve(semaphore: &Object) {
    let value = semaphore.count.load(Relaxed);
    semaphore.extra.store(if (0..1 << 20).contains(&value) { value as u32 } else { 0 }, Relaxed);
}

/// Takes one: first what was there from the beginning.
fn take(semaphore: &Semaphore, number: u32) {
    set(semaphore, number, value(number) - 1);
    let reserve = &object(number).extra;
    reserve.store(reserve.load(Relaxed).saturating_sub(1), Relaxed);
}

fn value(number: u32) -> i32 {
    object(number).count.load(Relaxed)
}

fn wait(me: usize, semaphore: &Semaphore, place: u64) -> i32 {
    let object = find(semaphore);
    if value(object) < 0 {
        // No semaphore, so nobody will ever give to it.
        is_fit(me, object, semaphore, place);
    }
    let operation = Operation { kind: Kind::SemWait, object, place, ..Operation::default() };
    if wait_at(me, operation, point::TRANSFERS).is_none() {
        return fails(EINTR);
    }
    is_fit(me, object, semaphore, place);
    take(semaphore, object);
    0
}

/// A time limit has passed if the semaphore cannot be taken.
fn try_wait(me: usize, semaphore: &Semaphore, limit: Option<*const Time>, place: u64) -> i32 {
    let number = find(semaphore);
    let operation = Operation { kind: Kind::SemTrywait, object: number, place, ..Operation::default() };
    let takes_time = if limit.is_some() { point::TRANSFERS | point::TAKES_TIME } else { 0 };
    let waited = limits_of_time::until(me, limit.unwrap_or(core::ptr::null()), place, || {
        wait_at(me, operation, takes_time)
    });
    if waited.is_none() {
        return fails(EINTR);
    }
    is_fit(me, number, semaphore, place);
    if value(number) == 0 {
        was_fruitless(me, place);
        return fails(limit.map_or(EAGAIN, |limit| limited(ETIMEDOUT, limit)));
    }
    take(semaphore, number);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_wait(semaphore: &Semaphore) -> i32 {
    match controlled() {
        Some(me) => wait(me, semaphore, caller()),
        None => real!(c"sem_wait": fn(&Semaphore) -> i32, (semaphore)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_trywait(semaphore: &Semaphore) -> i32 {
    match controlled() {
        Some(me) => try_wait(me, semaphore, None, caller()),
        None => real!(c"sem_trywait": fn(&Semaphore) -> i32, (semaphore)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_timedwait(semaphore: &Semaphore, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => try_wait(me, semaphore, Some(time), caller()),
        None => real!(c"sem_timedwait": fn(&Semaphore, *const Time) -> i32, (semaphore, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_clockwait(semaphore: &Semaphore, clock: i32, time: *const Time) -> i32 {
    match controlled() {
        Some(_) if !is_clock_of_limits(clock) => fails(EINVAL),
        Some(me) => try_wait(me, semaphore, Some(time), caller()),
        None => real!(c"sem_clockwait": fn(&Semaphore, i32, *const Time) -> i32, (semaphore, clock, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_post(semaphore: &Semaphore) -> i32 {
    let Some(me) = controlled() else { return real!(c"sem_post": fn(&Semaphore) -> i32, (semaphore)) };
    let place = caller();
    let number = announce(me, Kind::SemPost, semaphore, place);
    is_fit(me, number, semaphore, place);
    if value(number) == i32::MAX {
        return fails(EOVERFLOW);
    }
    set(semaphore, number, value(number) + 1);
    if !is_concurrent() {
        set_reserve(object(number));
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_getvalue(semaphore: &Semaphore, result: *mut i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"sem_getvalue": fn(&Semaphore, *mut i32) -> i32, (semaphore, result));
    };
    let place = caller();
    let number = announce(me, Kind::SemGetvalue, semaphore, place);
    is_fit(me, number, semaphore, place);
    let found = value(number);
    will_write(result, 4, caller_frame());
    // SAFETY: the program passes a place for the result.
    unsafe { *result = found };
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_init(semaphore: &Semaphore, shared: i32, initial: u32) -> i32 {
    let real = || real!(c"sem_init": fn(&Semaphore, i32, u32) -> i32, (semaphore, shared, initial));
    let Some(me) = controlled() else { return real() };
    let place = caller();
    let number = announce(me, Kind::SemChange, semaphore, place);
    let result = misuse::initialises(me, number, semaphore.as_ptr() as usize, place, real);
    if result == 0 {
        set(semaphore, number, initial as i32);
        set_reserve(object(number));
    }
    result
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_destroy(semaphore: &Semaphore) -> i32 {
    let Some(me) = controlled() else { return real!(c"sem_destroy": fn(&Semaphore) -> i32, (semaphore)) };
    let place = caller();
    let number = announce(me, Kind::SemChange, semaphore, place);
    if has_name(semaphore) {
        misuse::report(me, Fault::DestroyOfNamed, number, place, None);
        return fails(EINVAL);
    }
    if misuse::destroys(me, number, semaphore.as_ptr() as usize, place) { 0 } else { fails(EBUSY) }
}

const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
/// The space of the names of semaphores, found by their hash.
const SEMAPHORE_NAMES: u32 = 0x5300_0000;
/// Words of a `sem_t`.
const WORDS: usize = 8;

/// The part of a name that counts, as the C library sees it: it makes a file of it, whose name
/// begins with `sem.`.
fn known_name(name: *const c_char) -> Result<*const c_char, i32> {
    const LONGEST: usize = 255;
    let all = bytes_of(name);
    let n_slashes = all.iter().take_while(|byte| **byte == b'/').count();
    let rest = &all[n_slashes..];
    if rest.is_empty() || rest.len() > LONGEST || rest.contains(&b'/') {
        return Err(EINVAL);
    }
    if rest.len() + "sem.".len() > LONGEST {
        return Err(ENAMETOOLONG);
    }
    Ok(name.wrapping_add(n_slashes))
}

/// The C library's function takes the mode and the value as further arguments.
#[unsafe(no_mangle)]
pub extern "C" fn sem_open(name: *const c_char, flags: i32, mode: u32, value: u32) -> *const Semaphore {
    let Some(me) = controlled() else {
        return real!(c"sem_open": fn(*const c_char, i32, u32, u32) -> *const Semaphore, (name, flags, mode, value));
    };
    let name = match known_name(name) {
        Ok(name) => name,
        Err(error) => {
            fails(error);
            return core::ptr::null();
        }
    };
    // What the name means is found out in the step itself, for others may give it and remove it before.
    let entry = named(me, hash(name), caller());
    let exists = entry.list.load(Relaxed) != 0;
    let refused = match exists {
        true if flags & O_CREAT != 0 && flags & O_EXCL != 0 => Some(EEXIST),
        false if flags & O_CREAT == 0 => Some(ENOENT),
        false if value > i32::MAX as u32 => Some(EINVAL),
        _ => None,
    };
    if let Some(errno) = refused {
        fails(errno);
        return core::ptr::null();
    }
    if !exists {
        // At the end of the pool, so never at its beginning: 0 is no semaphore.
        let first = reserve_seen(WORDS);
        region().pool[first as usize].store(value, Relaxed);
        entry.list.store(first, Relaxed);
    }
    let semaphore = &region().pool[entry.list.load(Relaxed) as usize];
    opens(semaphore);
    semaphore
}

/// Does it live where those with a name do?
fn has_name(semaphore: &Semaphore) -> bool {
    is_in_pool(semaphore.as_ptr() as u64)
}

/// How often this process has opened a semaphore, and not closed it yet. What does not fit is not
/// known.
struct Opened(UnsafeCell<[(usize, u32); OPENED]>);

const OPENED: usize = 256;

// SAFETY: only the thread with the token touches it.
unsafe impl Sync for Opened {}

static OPENED_HERE: Opened = Opened(UnsafeCell::new([(0, 0); OPENED]));

/// The count for a semaphore; one that is not in the list is added if there is room.
fn count_of(semaphore: &Semaphore) -> Option<&'static mut u32> {
    // SAFETY: see `Opened`.
    let opened = unsafe { &mut *OPENED_HERE.0.get() };
    let address = semaphore.as_ptr() as usize;
    let (place, count) = opened.iter_mut().find(|(place, _)| *place == address || *place == 0)?;
    *place = address;
    Some(count)
}

fn opens(semaphore: &Semaphore) {
    if let Some(count) = count_of(semaphore) {
        *count += 1;
    }
}

/// Can the semaphore be used? If not, that is reported. To be called in the step that uses it.
fn is_fit(me: usize, number: u32, semaphore: &Semaphore, place: u64) -> bool {
    if has_name(semaphore) && count_of(semaphore).is_some_and(|count| *count == 0) {
        misuse::report(me, Fault::UseOfClosed, number, place, None);
        return false;
    }
    misuse::is_fit(me, number, semaphore.as_ptr() as usize, place)
}

/// The step that looks at a name, or changes what it means. Where the semaphore of this name is, if there is one, is in `list`.
fn named(me: usize, name: u64, place: u64) -> &'static Object {
    let entry = in_space(ObjectKind::Name, SEMAPHORE_NAMES, name, |_| ());
    before(me, Operation { kind: Kind::SemChange, object: entry, place, ..Operation::default() });
    object(entry)
}

/// Other processes may still use it, so it stays.
#[unsafe(no_mangle)]
pub extern "C" fn sem_close(semaphore: &Semaphore) -> i32 {
    let Some(me) = controlled() else { return real!(c"sem_close": fn(&Semaphore) -> i32, (semaphore)) };
    let place = caller();
    let number = announce(me, Kind::SemChange, semaphore, place);
    if !has_name(semaphore) {
        misuse::report(me, Fault::UseOfClosed, number, place, None);
        return fails(EINVAL);
    }
    if !is_fit(me, number, semaphore, place) {
        return fails(EINVAL);
    }
    if let Some(count) = count_of(semaphore) {
        *count -= 1;
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn sem_unlink(name: *const c_char) -> i32 {
    let Some(me) = controlled() else { return real!(c"sem_unlink": fn(*const c_char) -> i32, (name)) };
    let name = match known_name(name) {
        Ok(name) => name,
        Err(EINVAL) => return fails(ENOENT),
        Err(error) => return fails(error),
    };
    // Who has it open keeps it.
    match named(me, hash(name), caller()).list.swap(0, Relaxed) {
        0 => fails(ENOENT),
        _ => 0,
    }
}
