//! The objects that threads share, and which is which.
//!
//! An object is found by where it is: an address in the memory of one process, a place in a mapping that several processes share, or a
//! number that the kernel would give out. When a process forks, what is in its own memory is copied with all its state, and what is in shared
//! memory becomes known under a name that both processes find.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU32};

use allways_stateless_protocol::{Limit, Object, ObjectKind, SHARED, limits};

pub use allways_stateless_protocol::NAMES;

use crate::misuse::condition;
use crate::sys;
use crate::token::{end_at_limit, is_concurrent, my_process, n_processes, region, remark};

/// The space of System V sets, found by number.
pub const SYSTEM_V: u32 = 0x4000_0000;
/// The space of System V message queues.
pub const MESSAGE_QUEUES: u32 = 0x4100_0000;

pub fn object(number: u32) -> &'static Object {
    &region().objects[number as usize]
}

/// The object at an address, made by `make` when it is met for the first time.
pub fn at(kind: ObjectKind, address: usize, make: impl FnOnce(&Object)) -> u32 {
    let (space, address) = locate(address);
    in_space(kind, space, address, make)
}

/// The object with this address in a space.
pub fn in_space(kind: ObjectKind, space: u32, address: u64, make: impl FnOnce(&Object)) -> u32 {
    if let Some(number) = find(kind, space, address) {
        return number;
    }
    let number = add(kind, space, address);
    make(object(number));
    number
}

/// The object with this address in a space, if it is known.
pub fn find(kind: ObjectKind, space: u32, address: u64) -> Option<u32> {
    let mut slot = hash(kind, space, address);
    loop {
        let number = region().index[slot].load(Relaxed);
        if number == 0 {
            return None;
        }
        let object = object(number);
        if object.address.load(Relaxed) == address
            && object.space.load(Relaxed) == space
            && object.kind.load(Relaxed) == kind as u8
        {
            return Some(number);
        }
        slot = (slot + 1) % limits::INDEX;
    }
}

fn hash(kind: ObjectKind, space: u32, address: u64) -> usize {
    let mixed =
        (address ^ (u64::from(space) << 32) ^ ((kind as u64) << 56)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize % limits::INDEX
}

fn add(kind: ObjectKind, space: u32, address: u64) -> u32 {
    let number = new_record();
    let object = object(number);
    object.kind.store(kind as u8, Relaxed);
    object.space.store(space, Relaxed);
    object.address.store(address, Relaxed);
    enter(number, hash(kind, space, address));
    number
}

/// The next free record; records are numbered from 1.
fn new_record() -> u32 {
    let count = &region().header.n_objects;
    let number = count.load(Relaxed) + 1;
    if number as usize >= limits::OBJECTS {
        end_at_limit(Limit::Objects, limits::OBJECTS - 1, None);
    }
    count.store(number, Relaxed);
    number
}

fn enter(number: u32, mut slot: usize) {
    let index = &region().index;
    while index[slot].load(Relaxed) != 0 {
        slot = (slot + 1) % limits::INDEX;
    }
    index[slot].store(number, Relaxed);
    object(number).slot.store(slot as u32, Relaxed);
}

/// Room for so many numbers, from an even place on.
pub fn reserve(length: usize) -> u32 {
    let length = length.next_multiple_of(2);
    let first = region().header.n_pool.fetch_add(length as u32, Relaxed);
    clear(first as usize, length);
    first
}

/// The same for what the program sees: it does not move if more or less is kept otherwise.
pub fn reserve_seen(length: usize) -> u32 {
    let length = length.next_multiple_of(2);
    let end = region().header.n_pool_end.fetch_add(length as u32, Relaxed) as usize + length;
    let first = limits::POOL.saturating_sub(end);
    clear(first, length);
    first as u32
}

/// Room that was just reserved, if there is so much.
fn clear(first: usize, length: usize) {
    if room_in_pool() < 0 {
        end_at_limit(Limit::Lists, limits::POOL * size_of::<u32>(), None);
    }
    region().pool[first..first + length].iter().for_each(|word| word.store(0, Relaxed));
}

/// Words of the pool that are not reserved.
pub fn room_in_pool() -> isize {
    let header = &region().header;
    let used = header.n_pool.load(Relaxed) as isize + header.n_pool_end.load(Relaxed) as isize;
    limits::POOL as isize - used
}

/// Is it in the pool? Then all processes may use it.
pub fn is_in_pool(address: u64) -> bool {
    region().pool.as_ptr_range().contains(&(address as *const AtomicU32))
}

/// Is an address in a mapping that other processes may share?
pub fn is_shared(address: usize) -> bool {
    if MAPS_ARE_STALE.swap(false, Relaxed) {
        read_maps();
    }
    shared_place(address).is_some()
}

/// Space and place of an address.
fn locate(address: usize) -> (u32, u64) {
    if n_processes() > 1 {
        if MAPS_ARE_STALE.swap(false, Relaxed) {
            read_maps();
        }
        if let Some(place) = shared_place(address) {
            return place;
        }
    }
    (my_process() as u32 + 1, address as u64)
}

/// A mapping that other processes may share.
#[derive(Clone, Copy)]
struct SharedRange {
    start: usize,
    end: usize,
    space: u32,
    offset: u64,
}

const RANGES: usize = 256;

/// The shared mappings of this process. Only the thread with the token uses them.
struct Ranges {
    list: core::cell::UnsafeCell<([SharedRange; RANGES], usize)>,
}

// SAFETY: only the thread that holds the token touches the list.
unsafe impl Sync for Ranges {}

static SHARED_RANGES: Ranges = Ranges {
    list: core::cell::UnsafeCell::new(([SharedRange { start: 0, end: 0, space: 0, offset: 0 }; RANGES], 0)),
};

/// Was something mapped since the list was made?
pub static MAPS_ARE_STALE: AtomicBool = AtomicBool::new(true);

fn shared_place(address: usize) -> Option<(u32, u64)> {
    // SAFETY: see `Ranges`.
    let (list, count) = unsafe { &*SHARED_RANGES.list.get() };
    let range = list[..*count].iter().find(|range| range.start <= address && address < range.end)?;
    Some((range.space, range.offset + (address - range.start) as u64))
}

/// Is what is shared at this address in another mapping of this process, too?
pub fn is_mapped_twice(address: usize) -> bool {
    read_maps();
    MAPS_ARE_STALE.store(false, Relaxed);
    // SAFETY: see `Ranges`.
    let (list, count) = unsafe { &*SHARED_RANGES.list.get() };
    let Some(new) = list[..*count].iter().find(|range| (range.start..range.end).contains(&address)) else {
        return false;
    };
    let last = |range: &SharedRange| range.offset + (range.end - range.start) as u64;
    list[..*count].iter().any(|range| {
        range.start != new.start
            && range.space == new.space
            && range.offset < last(new)
            && new.offset < last(range)
    })
}

/// Reads `/proc/self/maps`.
fn read_maps() {
    // SAFETY: see `Ranges`.
    let (list, count) = unsafe { &mut *SHARED_RANGES.list.get() };
    *count = 0;
    let file = sys::unchecked(sys::OPEN, c"/proc/self/maps".as_ptr() as usize, 0, 0, 0, 0, 0);
    if file < 0 {
        return;
    }
    each_line(file as usize, |line| match shared_range(line) {
        Some(range) if *count < RANGES => {
            list[*count] = range;
            *count += 1;
        }
        Some(_) => remark(&[b"very many shared mappings"]),
        None => {}
    });
    sys::unchecked(sys::CLOSE, file as usize, 0, 0, 0, 0, 0);
}

/// Reads a file a piece at a time; of long lines only the beginning is passed.
pub fn each_line(file: usize, mut visit: impl FnMut(&[u8])) {
    let mut line = [0_u8; 128];
    let mut length = 0;
    let mut piece = [0_u8; 4096];
    loop {
        let read = sys::unchecked(sys::READ, file, piece.as_mut_ptr() as usize, piece.len(), 0, 0, 0);
        if read <= 0 {
            return;
        }
        for byte in &piece[..read as usize] {
            if *byte == b'\n' {
                visit(&line[..length]);
                length = 0;
            } else if length < line.len() {
                line[length] = *byte;
                length += 1;
            }
        }
    }
}

/// Start, end and rights of a line of `/proc/self/maps`.
pub fn range_of(line: &[u8]) -> Option<(usize, usize, &[u8])> {
    let mut words = line.split(|byte| *byte == b' ');
    let mut range = words.next()?.split(|byte| *byte == b'-');
    Some((hexadecimal(range.next()?) as usize, hexadecimal(range.next()?) as usize, words.next()?))
}

/// `start-end perms offset device inode path`, if others may share it.
fn shared_range(line: &[u8]) -> Option<SharedRange> {
    let (start, end, rights) = range_of(line)?;
    if rights.get(3) != Some(&b's') {
        return None;
    }
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).skip(2);
    let offset = hexadecimal(words.next()?);
    let mut identity = 0_u64;
    for word in [words.next()?, words.next()?] {
        for byte in word {
            identity = (identity ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    Some(SharedRange { start, end, space: SHARED | (identity >> 20) as u32, offset })
}

fn hexadecimal(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |value, digit| value * 16 + u64::from((*digit as char).to_digit(16).unwrap_or(0)))
}

/// Before a fork: objects in shared memory get the name that the child will find them by, the others are copied for it.
pub fn before_fork(parent: usize, child: usize, forking: usize, forked: usize) {
    let count = region().header.n_objects.load(Relaxed);
    let own = parent as u32 + 1;
    let is_own = |number: &u32| object(*number).space.load(Relaxed) == own;
    if !(1..=count).any(|number| is_own(&number)) {
        return;
    }
    read_maps();
    MAPS_ARE_STALE.store(false, Relaxed);
    for number in (1..=count).filter(is_own) {
        match shared_place(object(number).address.load(Relaxed) as usize) {
            Some((space, address)) => {
                if is_concurrent() {
                    region().header.objects_moved.store(1, Relaxed);
                }
                rename(number, space, address);
            }
            None => copy(number, child as u32 + 1, forking, forked),
        }
    }
}

/// Gives an object another place.
pub fn rename(number: u32, space: u32, address: u64) {
    let object = object(number);
    // The old entry of the index is left to an empty record, which the reset will clean up.
    let empty = new_record();
    let old = object.slot.load(Relaxed);
    region().index[old as usize].store(empty, Relaxed);
    self::object(empty).slot.store(old, Relaxed);
    object.space.store(space, Relaxed);
    object.address.store(address, Relaxed);
    enter(number, hash(ObjectKind::from_number(object.kind.load(Relaxed)), space, address));
}

fn copy(number: u32, space: u32, forking: usize, forked: usize) {
    let from = object(number);
    let kind = ObjectKind::from_number(from.kind.load(Relaxed));
    let to = object(add(kind, space, from.address.load(Relaxed)));
    let is_destroyed = from.condition.load(Relaxed) == condition::DESTROYED;
    to.condition.store(if is_destroyed { condition::DESTROYED } else { condition::INHERITED }, Relaxed);
    to.changed_by.store(from.changed_by.load(Relaxed), Relaxed);
    to.changed_at.store(from.changed_at.load(Relaxed), Relaxed);
    to.user.store(from.user.load(Relaxed), Relaxed);
    to.used_at.store(from.used_at.load(Relaxed), Relaxed);
    let owner = from.owner.load(Relaxed);
    to.owner.store(if owner == forking as u32 + 1 { forked as u32 + 1 } else { owner }, Relaxed);
    to.flavour.store(from.flavour.load(Relaxed), Relaxed);
    to.count.store(from.count.load(Relaxed), Relaxed);
    to.extra.store(from.extra.load(Relaxed), Relaxed);
    // Who reads is noted for each process by itself.
    let list = if kind == ObjectKind::Rwlock { 0 } else { from.list.load(Relaxed) };
    to.list.store(list, Relaxed);
    to.length.store(from.length.load(Relaxed), Relaxed);
}
