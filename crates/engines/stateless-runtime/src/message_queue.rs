//! System V message queues, kept here instead of in the kernel; those of POSIX use the same lists.
//!
//! A queue is a list of messages in the pool, oldest first: the place of the next one, the type in two words, the length, the bytes.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Object, ObjectKind, Operation};

use crate::interrupt::{point, wait_at};
use crate::objects::{self, MESSAGE_QUEUES, in_space, object, reserve};
use crate::schedule::{before, was_fruitless};
use crate::sys::{self, errno::*, fails};
use crate::sysv::error_of_removed;
use crate::token::{caller, controlled, region, remark};

const IPC_CREAT: i32 = 0o1000;
const IPC_EXCL: i32 = 0o2000;
const IPC_NOWAIT: i32 = 0o4000;
const MSG_NOERROR: i32 = 0o10000;
const MSG_EXCEPT: i32 = 0o20000;
const IPC_RMID: i32 = 0;
const IPC_SET: i32 = 1;
const IPC_STAT: i32 = 2;
/// How many bytes a queue holds.
const CAPACITY: usize = 16384;
const LARGEST: usize = 8192;
const PRIVATE: u64 = 1 << 40;
const REMOVED: u64 = 1 << 41;
const FIRST_ID: u32 = 1 << 15;
/// The flavour of a queue that holds up to `length` messages of up to `extra` bytes, as those of POSIX do.
pub const COUNTS_MESSAGES: u8 = 1;
/// Words before the bytes of a message.
const HEAD: u32 = 4;

fn word(at: u32) -> &'static core::sync::atomic::AtomicU32 {
    &region().pool[at as usize]
}

pub fn kind_of(message: u32) -> i64 {
    (u64::from(word(message + 1).load(Relaxed)) | u64::from(word(message + 2).load(Relaxed)) << 32) as i64
}

pub fn length_of(message: u32) -> usize {
    word(message + 3).load(Relaxed) as usize
}

fn is_removed(queue: &Object) -> bool {
    queue.flavour.load(Relaxed) != COUNTS_MESSAGES && queue.extra.load(Relaxed) != 0
}

/// The messages, oldest first. No message is at place 0, because the queue's own entry is there or before.
fn messages(queue: &'static Object) -> impl Iterator<Item = u32> {
    let mut next = queue.list.load(Relaxed);
    core::iter::from_fn(move || {
        let message = next;
        next = if message == 0 { 0 } else { word(message).load(Relaxed) };
        (message != 0).then_some(message)
    })
}

/// The message that a receiver of this type would get.
pub fn matching(queue: &'static Object, wanted: i64, except: bool) -> Option<u32> {
    match wanted {
        0 => messages(queue).next(),
        1.. => messages(queue).find(|message| (kind_of(*message) == wanted) != except),
        _ => {
            let fits = |message: &u32| kind_of(*message) <= wanted.saturating_neg();
            // The first of the lowest type.
            messages(queue).filter(fits).min_by_key(|message| kind_of(*message))
        }
    }
}

/// Would taking succeed, or fail at once?
pub fn can_take(operation: &Operation) -> bool {
    let queue = object(operation.object);
    is_removed(queue) || matching(queue, operation.argument as i64, operation.length != 0).is_some()
}

/// Would putting succeed, or fail at once?
pub fn can_put(operation: &Operation) -> bool {
    let queue = object(operation.object);
    if queue.flavour.load(Relaxed) == COUNTS_MESSAGES {
        return (queue.count.load(Relaxed) as u32) < queue.length.load(Relaxed);
    }
    is_removed(queue) || has_room(queue, operation.argument)
}

fn has_room(queue: &Object, length: u64) -> bool {
    queue.owner.load(Relaxed) as u64 + length <= CAPACITY as u64
}

fn find(id: i32) -> Option<u32> {
    let number = u32::try_from(id).ok()?.checked_sub(FIRST_ID)?;
    let exists = (1..=region().header.n_objects.load(Relaxed)).contains(&number)
        && object(number).kind.load(Relaxed) == ObjectKind::Queue as u8;
    exists.then_some(number)
}

/// Notes that this process was the last one to send, or to receive. Both are in the pool, at the
/// `length` of a queue.
fn note_process(queue: &Object, receives: bool) {
    word(queue.length.load(Relaxed) + u32::from(receives)).store(sys::getpid() as u32, Relaxed);
}

/// The spaces of the keys of queues and of sets of semaphores.
const QUEUE_KEYS: u32 = 0x5800_0000;
pub const SET_KEYS: u32 = 0x5900_0000;

/// The step that looks at a key: others may give it a meaning and take that away before.
pub fn looks_up(me: usize, space: u32, key: u64, place: u64) {
    let object = in_space(ObjectKind::Name, space, key, |_| ());
    before(me, Operation { kind: Kind::Visible, object, place, ..Operation::default() });
}

/// The object for the key of a queue or set, which means nothing any more when that is removed; 0 if it has none.
pub fn key_of(space: u32, number: u32) -> u32 {
    match object(number).address.load(Relaxed) {
        key if key < PRIVATE => in_space(ObjectKind::Name, space, key, |_| ()),
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn msgget(key: i32, flags: i32) -> i32 {
    let Some(me) = controlled() else { return real!(c"msgget": fn(i32, i32) -> i32, (key, flags)) };
    let place = if key == 0 {
        PRIVATE + u64::from(region().header.n_objects.load(Relaxed))
    } else {
        key as u32 as u64
    };
    if key != 0 {
        looks_up(me, QUEUE_KEYS, place, caller());
    }
    if objects::find(ObjectKind::Queue, MESSAGE_QUEUES, place).is_some() {
        if flags & IPC_CREAT != 0 && flags & IPC_EXCL != 0 {
            return fails(EEXIST);
        }
    } else if key != 0 && flags & IPC_CREAT == 0 {
        return fails(ENOENT);
    }
    // So that no message is at place 0.
    let processes = reserve(2);
    let queue = in_space(ObjectKind::Queue, MESSAGE_QUEUES, place, |queue| {
        queue.length.store(processes, Relaxed);
    });
    (queue + FIRST_ID) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn msgsnd(id: i32, message: *const u8, length: usize, flags: i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"msgsnd": fn(i32, *const u8, usize, i32) -> i32, (id, message, length, flags));
    };
    let place = caller();
    let Some(number) = find(id) else { return fails(EINVAL) };
    // SAFETY: the program passes a message: its type and `length` bytes.
    let (kind, bytes) =
        unsafe { (*message.cast::<i64>(), core::slice::from_raw_parts(message.add(8), length.min(LARGEST))) };
    if kind < 1 || length > LARGEST {
        return fails(EINVAL);
    }
    let operation = Operation {
        kind: Kind::QueuePut,
        object: number,
        argument: length as u64,
        place,
        ..Operation::default()
    };
    let gives_up = flags & IPC_NOWAIT != 0;
    let announced =
        Operation { kind: if gives_up { Kind::QueueChange } else { Kind::QueuePut }, ..operation };
    if wait_at(me, announced, point::WAITS).is_none() {
        return fails(EINTR);
    }
    if is_removed(object(number)) {
        let waited = !gives_up && !has_room(object(number), length as u64);
        return fails(error_of_removed(me, object(number), waited, place));
    }
    if !can_put(&operation) {
        was_fruitless(me, place);
        return fails(EAGAIN);
    }
    append(object(number), kind, bytes);
    note_process(object(number), false);
    0
}

/// Puts a message at the end.
pub fn append(queue: &'static Object, kind: i64, bytes: &[u8]) {
    let message = reserve(HEAD as usize + bytes.len().div_ceil(4));
    word(message + 1).store(kind as u32, Relaxed);
    word(message + 2).store((kind as u64 >> 32) as u32, Relaxed);
    word(message + 3).store(bytes.len() as u32, Relaxed);
    for (position, piece) in bytes.chunks(4).enumerate() {
        let mut padded = [0; 4];
        padded[..piece.len()].copy_from_slice(piece);
        word(message + HEAD + position as u32).store(u32::from_le_bytes(padded), Relaxed);
    }
    match messages(queue).last() {
        Some(last) => word(last).store(message, Relaxed),
        None => queue.list.store(message, Relaxed),
    }
    queue.count.fetch_add(1, Relaxed);
    queue.owner.fetch_add(bytes.len() as u32, Relaxed);
}

#[unsafe(no_mangle)]
pub extern "C" fn msgrcv(id: i32, message: *mut u8, room: usize, wanted: i64, flags: i32) -> isize {
    let Some(me) = controlled() else {
        return real!(c"msgrcv": fn(i32, *mut u8, usize, i64, i32) -> isize, (id, message, room, wanted, flags));
    };
    let place = caller();
    let Some(number) = find(id) else { return fails(EINVAL) as isize };
    let except = flags & MSG_EXCEPT != 0;
    let gives_up = flags & IPC_NOWAIT != 0;
    let kind = if gives_up { Kind::QueueChange } else { Kind::QueueTake };
    let length = u32::from(except);
    let argument = wanted as u64;
    let operation = Operation { kind, object: number, argument, length, place, ..Operation::default() };
    if wait_at(me, operation, point::WAITS).is_none() {
        return fails(EINTR) as isize;
    }
    let queue = object(number);
    if is_removed(queue) {
        let waited = !gives_up && matching(queue, wanted, except).is_none();
        return fails(error_of_removed(me, queue, waited, place)) as isize;
    }
    let Some(found) = matching(queue, wanted, except) else {
        was_fruitless(me, place);
        return fails(ENOMSG) as isize;
    };
    if length_of(found) > room && flags & MSG_NOERROR == 0 {
        return fails(E2BIG) as isize;
    }
    note_process(queue, true);
    take(queue, found, message, room) as isize
}

/// Copies a message to the program and takes it out of the queue; how many bytes.
fn take(queue: &'static Object, found: u32, message: *mut u8, room: usize) -> usize {
    // SAFETY: the program passes room for a type and `room` bytes.
    unsafe {
        *message.cast::<i64>() = kind_of(found);
        take_bytes(queue, found, core::slice::from_raw_parts_mut(message.add(8), room))
    }
}

/// The same for the bytes alone.
pub fn take_bytes(queue: &'static Object, found: u32, into: &mut [u8]) -> usize {
    let length = length_of(found).min(into.len());
    for (position, byte) in into[..length].iter_mut().enumerate() {
        let piece = word(found + HEAD + position as u32 / 4).load(Relaxed).to_le_bytes();
        *byte = piece[position % 4];
    }
    let next = word(found).load(Relaxed);
    match messages(queue).find(|before| word(*before).load(Relaxed) == found) {
        Some(before) => word(before).store(next, Relaxed),
        None => queue.list.store(next, Relaxed),
    }
    queue.count.fetch_sub(1, Relaxed);
    queue.owner.fetch_sub(length_of(found) as u32, Relaxed);
    length
}

#[unsafe(no_mangle)]
pub extern "C" fn msgctl(id: i32, command: i32, status: *mut u8) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"msgctl": fn(i32, i32, *mut u8) -> i32, (id, command, status));
    };
    let Some(number) = find(id) else { return fails(EINVAL) };
    let other = if command == IPC_RMID { key_of(QUEUE_KEYS, number) } else { 0 };
    let operation = Operation { object: number, other, place: caller(), ..Operation::default() };
    before(me, Operation { kind: Kind::QueueChange, ..operation });
    if is_removed(object(number)) {
        return fails(EINVAL);
    }
    let queue = object(number);
    match command {
        IPC_RMID => {
            queue.extra.store(me as u32 + 1, Relaxed);
            objects::rename(number, MESSAGE_QUEUES, REMOVED + u64::from(number));
        }
        IPC_STAT => {
            let last = |which: u32| word(queue.length.load(Relaxed) + which).load(Relaxed);
            // SAFETY: the program passes a `struct msqid_ds`, of 120 bytes: from 72 on how many
            // bytes and messages there are, how many bytes there may be, and who was the last to
            // send and to receive.
            unsafe {
                core::ptr::write_bytes(status, 0, 120);
                *status.add(72).cast::<[u64; 3]>() =
                    [queue.owner.load(Relaxed) as u64, queue.count.load(Relaxed) as u64, CAPACITY as u64];
                *status.add(96).cast::<[u32; 2]>() = [last(0), last(1)];
            }
        }
        // SAFETY: the program passes a `struct msqid_ds`.
        IPC_SET if unsafe { *status.add(88).cast::<u64>() } != CAPACITY as u64 => {
            remark(&[b"msgctl that changes how much a queue holds"]);
        }
        _ => {}
    }
    0
}
