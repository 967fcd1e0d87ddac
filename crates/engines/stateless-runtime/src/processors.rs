//! The processors that the program sees.
//!
//! Explorer and program run on one processor, where handing over is fast. For the program that must not show: how many threads it makes may depend on
//! it. So it sees as many processors as the explorer was told, or could have used, numbered from 0, and each thread those on which it said it would run.
//! What it says has no effect on where it runs. Constructors look before there is a region: they read the number out of the file that the region is in.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU64, AtomicUsize};

use allways_stateless_protocol::{Header, limits};

use crate::paths::of_thread;
use crate::server::region_descriptor;
use crate::sys::{self, errno::*, fails};
use crate::thread::find;
use crate::token::{caller, controlled, is_attached, n_processes, n_threads, process, region, thread};
use crate::uses::step;

const WORDS: usize = limits::PROCESSORS / 64;
type Set = [u64; WORDS];

const AFFINITY: &[u8] = b"affinity";
const ONLINE: i32 = 84;
const CONFIGURED: i32 = 83;

/// What the first thread said before `main`.
static EARLY: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];

/// How many processors there are; none if nobody explores the program.
fn count() -> Option<usize> {
    if is_attached() {
        return Some(region().header.processors.load(Relaxed) as usize);
    }
    early_word(core::mem::offset_of!(Header, processors)).map(|word| word as u32 as usize)
}

/// A word of the header before the region is mapped.
pub fn early_word(offset: usize) -> Option<u64> {
    let mut word = 0_u64;
    let told = sys::call(sys::PREAD, region_descriptor()?, &raw mut word as usize, 8, offset, 0, 0);
    (told == 8).then_some(word)
}

/// The first so many.
fn all(count: usize) -> Set {
    let mut set = [0; WORDS];
    (0..count.min(limits::PROCESSORS)).for_each(|number| set[number / 64] |= 1 << (number % 64));
    set
}

fn words(number: Option<usize>) -> &'static [AtomicU64; WORDS] {
    match number {
        Some(number) => &thread(number).affinity,
        None => &EARLY,
    }
}

/// Where a thread runs; one that has said nothing runs anywhere.
fn affinity(number: Option<usize>, count: usize) -> Set {
    let mut set = [0; WORDS];
    for (word, said) in set.iter_mut().zip(words(number)) {
        *word = said.load(Relaxed);
    }
    if set == [0; WORDS] { all(count) } else { set }
}

fn inherit(from: Option<usize>, to: usize) {
    for (from, to) in words(from).iter().zip(&thread(to).affinity) {
        to.store(from.load(Relaxed), Relaxed);
    }
}

/// A new thread runs where the one that made it does.
pub fn created(creator: usize, number: usize) {
    inherit(Some(creator), number);
}

/// The first thread: what was said before `main`.
pub fn begin() {
    inherit(None, 0);
}

/// Copies as much of a set as the program has room for; the rest of the room is empty.
fn write_set(set: &Set, size: usize, to: *mut u8) {
    for position in 0..size {
        let byte = set.get(position / 8).map_or(0, |word| word.to_le_bytes()[position % 8]);
        // SAFETY: the program passes so much room.
        unsafe { *to.add(position) = byte };
    }
}

/// What the program asks for, as far as there are such processors.
fn read_set(size: usize, from: *const u8, count: usize) -> Set {
    let mut set = all(count);
    for (position, word) in set.iter_mut().enumerate() {
        let mut bytes = [0; 8];
        for (offset, byte) in bytes.iter_mut().enumerate().take(size.saturating_sub(position * 8)) {
            // SAFETY: the program passes so many bytes.
            *byte = unsafe { *from.add(position * 8 + offset) };
        }
        *word &= u64::from_le_bytes(bytes);
    }
    set
}

/// The thread with this number of the kernel, or the first of such a process: one under control, or none if `main` has not begun.
fn by_number(number: i32) -> Result<Option<usize>, i32> {
    const FIRST: i32 = 0;
    let Some(me) = controlled() else { return Ok(None) };
    if number == FIRST || number == sys::call(sys::GETTID, 0, 0, 0, 0, 0, 0) as i32 {
        return Ok(Some(me));
    }
    let first_of = |number: usize| {
        (0..n_threads()).find(|thread_number| thread(*thread_number).process.load(Relaxed) as usize == number)
    };
    let known =
        (0..n_processes()).find(|other| process(*other).pid.load(Relaxed) == number).and_then(first_of);
    match known {
        Some(known) => Ok(Some(known)),
        // Another thread of this process; which one is not known, and mostly it runs anywhere.
        None if sys::call(TGKILL, sys::getpid() as usize, number as usize, 0, 0, 0, 0) == 0 => Ok(Some(me)),
        None => Err(ESRCH),
    }
}

const TGKILL: usize = 234;

/// Reads where a thread runs; an error, or 0.
fn get(target: Option<usize>, size: usize, to: *mut u8, count: usize, place: u64) -> i32 {
    if size * 8 < count || !size.is_multiple_of(8) {
        return EINVAL;
    }
    if to.is_null() {
        return EFAULT;
    }
    announce(target, false, place);
    write_set(&affinity(target, count), size, to);
    0
}

/// Notes where a thread shall run; an error, or 0.
fn set(target: Option<usize>, size: usize, from: *const u8, count: usize, place: u64) -> i32 {
    if from.is_null() {
        return EFAULT;
    }
    let wanted = read_set(size, from, count);
    if wanted == [0; WORDS] {
        return EINVAL;
    }
    announce(target, true, place);
    for (word, wanted) in words(target).iter().zip(wanted) {
        word.store(wanted, Relaxed);
    }
    0
}

/// Others may ask for it.
fn announce(target: Option<usize>, is_write: bool, place: u64) {
    let Some(target) = target else { return };
    step(place, |uses| match of_thread(AFFINITY, target) {
        Some(used) if is_write => uses.writes(used),
        Some(used) => uses.reads(used),
        None => {}
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn sched_getaffinity(pid: i32, size: usize, to: *mut u8) -> i32 {
    let Some(count) = count() else {
        return real!(c"sched_getaffinity": fn(i32, usize, *mut u8) -> i32, (pid, size, to));
    };
    let place = caller();
    match by_number(pid).map_or_else(|error| error, |target| get(target, size, to, count, place)) {
        0 => 0,
        error => fails(error),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sched_setaffinity(pid: i32, size: usize, from: *const u8) -> i32 {
    let Some(count) = count() else {
        return real!(c"sched_setaffinity": fn(i32, usize, *const u8) -> i32, (pid, size, from));
    };
    let place = caller();
    match by_number(pid).map_or_else(|error| error, |target| set(target, size, from, count, place)) {
        0 => 0,
        error => fails(error),
    }
}

/// A thread by its handle: before `main` there is only one.
fn by_handle(handle: u64) -> Result<Option<usize>, i32> {
    match controlled() {
        None => Ok(None),
        Some(_) => find(handle).map(Some).ok_or(ESRCH),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_getaffinity_np(handle: u64, size: usize, to: *mut u8) -> i32 {
    let Some(count) = count() else {
        return real!(c"pthread_getaffinity_np": fn(u64, usize, *mut u8) -> i32, (handle, size, to));
    };
    let place = caller();
    by_handle(handle).map_or_else(|error| error, |target| get(target, size, to, count, place))
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_setaffinity_np(handle: u64, size: usize, from: *const u8) -> i32 {
    let Some(count) = count() else {
        return real!(c"pthread_setaffinity_np": fn(u64, usize, *const u8) -> i32, (handle, size, from));
    };
    let place = caller();
    by_handle(handle).map_or_else(|error| error, |target| set(target, size, from, count, place))
}

/// Attributes of threads to be made, and where these shall run.
static ATTRIBUTES: [(AtomicUsize, [AtomicU64; WORDS]); 16] =
    [const { (AtomicUsize::new(0), [const { AtomicU64::new(0) }; WORDS]) }; 16];

/// The C library would ask the kernel for these processors when the thread is made.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_attr_setaffinity_np(attributes: usize, size: usize, from: *const u8) -> i32 {
    let Some(count) = count() else {
        return real!(c"pthread_attr_setaffinity_np": fn(usize, usize, *const u8) -> i32, (attributes, size, from));
    };
    let wanted = if from.is_null() || size == 0 { [0; WORDS] } else { read_set(size, from, count) };
    let known = |slot: &&(AtomicUsize, _)| [attributes, 0].contains(&slot.0.load(Relaxed));
    let Some((owner, words)) = ATTRIBUTES.iter().find(known) else { return ENOMEM };
    owner.store(attributes, Relaxed);
    for (word, wanted) in words.iter().zip(wanted) {
        word.store(wanted, Relaxed);
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_attr_getaffinity_np(attributes: usize, size: usize, to: *mut u8) -> i32 {
    let Some(count) = count() else {
        return real!(c"pthread_attr_getaffinity_np": fn(usize, usize, *mut u8) -> i32, (attributes, size, to));
    };
    let mut set = [0; WORDS];
    if let Some((_, words)) = ATTRIBUTES.iter().find(|slot| slot.0.load(Relaxed) == attributes) {
        set.iter_mut().zip(words).for_each(|(word, said)| *word = said.load(Relaxed));
    }
    write_set(&if set == [0; WORDS] { all(count) } else { set }, size, to);
    0
}

/// A thread is made with these attributes.
pub fn created_with(attributes: *const c_void, number: usize) {
    let known =
        ATTRIBUTES.iter().find(|slot| !attributes.is_null() && slot.0.load(Relaxed) == attributes as usize);
    let Some((_, words)) = known else { return };
    if words.iter().any(|word| word.load(Relaxed) != 0) {
        words
            .iter()
            .zip(&thread(number).affinity)
            .for_each(|(from, to)| to.store(from.load(Relaxed), Relaxed));
    }
}

/// Attributes are gone; others may be there next.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_attr_destroy(attributes: usize) -> i32 {
    if let Some((_, words)) = ATTRIBUTES.iter().find(|slot| slot.0.load(Relaxed) == attributes) {
        words.iter().for_each(|word| word.store(0, Relaxed));
    }
    real!(c"pthread_attr_destroy": fn(usize) -> i32, (attributes))
}

/// Where a thread runs now: threads are spread over the processors by their numbers.
fn current(count: usize) -> usize {
    let me = controlled();
    let set = affinity(me, count);
    let is_in = |number: &usize| set[number / 64] >> (number % 64) & 1 != 0;
    let size = (0..limits::PROCESSORS).filter(is_in).count().max(1);
    (0..limits::PROCESSORS).filter(is_in).nth(me.unwrap_or(0) % size).unwrap_or(0)
}

#[unsafe(no_mangle)]
pub extern "C" fn sched_getcpu() -> i32 {
    match count() {
        Some(count) => current(count) as i32,
        None => real!(c"sched_getcpu": fn() -> i32, ()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn getcpu(processor: *mut u32, node: *mut u32) -> i32 {
    let Some(count) = count() else {
        return real!(c"getcpu": fn(*mut u32, *mut u32) -> i32, (processor, node));
    };
    for (place, value) in [(processor, current(count) as u32), (node, 0)] {
        if !place.is_null() {
            // SAFETY: the program passes a place for the number, or none.
            unsafe { *place = value };
        }
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn get_nprocs() -> i32 {
    match count() {
        Some(count) => count as i32,
        None => real!(c"get_nprocs": fn() -> i32, ()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn get_nprocs_conf() -> i32 {
    match count() {
        Some(count) => count as i32,
        None => real!(c"get_nprocs_conf": fn() -> i32, ()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn sysconf(name: i32) -> i64 {
    match count() {
        Some(count) if matches!(name, ONLINE | CONFIGURED) => count as i64,
        _ => real!(c"sysconf": fn(i32) -> i64, (name)),
    }
}

pub const SET_AFFINITY: usize = 203;
pub const GET_AFFINITY: usize = 204;
pub const GET_CPU: usize = 309;

/// The same as a call of the kernel: the result, negative if it is an error; none if it is another call.
pub fn directly(number: usize, [a, b, c, ..]: &[usize; 6]) -> Option<isize> {
    let count = count()?;
    match number {
        GET_AFFINITY => {
            // The kernel tells how many bytes it wrote: as many as it has processors for.
            let size = count.div_ceil(64) * 8;
            let result = by_number(*a as i32)
                .map_or_else(|error| error, |target| get(target, *b, *c as *mut u8, count, caller()));
            Some(if result == 0 { size.min(*b) as isize } else { -(result as isize) })
        }
        SET_AFFINITY => {
            let result = by_number(*a as i32)
                .map_or_else(|error| error, |target| set(target, *b, *c as *const u8, count, caller()));
            Some(-(result as isize))
        }
        GET_CPU => Some(getcpu(*a as *mut u32, *b as *mut u32) as isize),
        _ => None,
    }
}
