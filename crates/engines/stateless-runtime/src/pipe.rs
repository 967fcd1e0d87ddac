//! Pipes: how many bytes are in each and who has its ends open is mirrored here; the kernel moves the bytes.
//!
//! Each process has a table of its descriptors that are ends of pipes. When the last writing end is closed, readers find the end of the
//! file, so closing is a step that others can notice; closing commutes with closing.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Object, ObjectKind, Operation};

use crate::interrupt::{point, wait_at};
use crate::objects::{find, in_space, object, reserve};
use crate::schedule::before;
use crate::sys::{self, fails};
use crate::token::{caller, controlled, my_process, region, remark};

/// The space of pipes, which are numbered.
const PIPES: u32 = 0x4200_0000;
/// The space of the tables, plus the process.
const TABLES: u32 = 0x4300_0000;
const DESCRIPTORS: usize = 1024;
/// How many bytes a pipe holds.
const CAPACITY: i32 = 65536;

const PIPE2: usize = 293;
const DUP: usize = 32;
const DUP3: usize = 292;
const WRITE_END: u32 = 1;
const O_NONBLOCK: i32 = 0o4000;

/// Writers are counted in `owner`, readers in `extra`, bytes in `count`.
fn ends(pipe: &Object, end: u32) -> &core::sync::atomic::AtomicU32 {
    if end == WRITE_END { &pipe.owner } else { &pipe.extra }
}

/// Would reading succeed, or end at once?
pub fn can_read(operation: &Operation) -> bool {
    let pipe = object(operation.object);
    pipe.count.load(Relaxed) > 0 || pipe.owner.load(Relaxed) == 0
}

/// Would writing succeed, or fail at once?
pub fn can_write(operation: &Operation) -> bool {
    let pipe = object(operation.object);
    let length = i32::try_from(operation.argument).unwrap_or(i32::MAX).min(CAPACITY);
    pipe.count.load(Relaxed) + length <= CAPACITY || pipe.extra.load(Relaxed) == 0
}

fn table(process: usize) -> Option<u32> {
    let number = find(ObjectKind::Pipe, TABLES + process as u32, 0)?;
    Some(object(number).list.load(Relaxed))
}

fn entry(process: usize, descriptor: usize) -> Option<&'static core::sync::atomic::AtomicU32> {
    let table = table(process)?;
    (descriptor < DESCRIPTORS).then(|| &region().pool[table as usize + descriptor])
}

/// The pipe and the end of a descriptor of this process.
fn pipe_at(descriptor: usize) -> Option<(u32, u32)> {
    let entry = entry(my_process(), descriptor)?.load(Relaxed);
    (entry != 0).then_some((entry >> 1, entry & 1))
}

/// Is it an end of a pipe that is mirrored here?
pub fn is_pipe(descriptor: usize) -> bool {
    pipe_at(descriptor).is_some()
}

fn add(descriptor: usize, pipe: u32, end: u32) {
    in_space(ObjectKind::Pipe, TABLES + my_process() as u32, 0, |table| {
        table.list.store(reserve(DESCRIPTORS), Relaxed);
    });
    if let Some(entry) = entry(my_process(), descriptor) {
        entry.store(pipe << 1 | end, Relaxed);
        ends(object(pipe), end).fetch_add(1, Relaxed);
    }
    if descriptor <= 2 {
        remark(&[b"a standard stream that is a pipe of the program"]);
    }
}

/// A child has the same descriptors.
pub fn before_fork(parent: usize, child: usize) {
    let Some(from) = table(parent) else { return };
    in_space(ObjectKind::Pipe, TABLES + child as u32, 0, |table| {
        table.list.store(reserve(DESCRIPTORS), Relaxed);
    });
    for descriptor in 0..DESCRIPTORS {
        let value = region().pool[from as usize + descriptor].load(Relaxed);
        if let Some(entry) = entry(child, descriptor)
            && value != 0
        {
            entry.store(value, Relaxed);
            ends(object(value >> 1), value & 1).fetch_add(1, Relaxed);
        }
    }
}

fn forget(me: usize, descriptor: usize, place: u64) {
    if let Some((pipe, end)) = pipe_at(descriptor) {
        before(me, Operation { kind: Kind::QueueClose, object: pipe, place, ..Operation::default() });
        ends(object(pipe), end).fetch_sub(1, Relaxed);
        if let Some(entry) = entry(my_process(), descriptor) {
            entry.store(0, Relaxed);
        }
    }
}

/// Another program has only the descriptors that were to be kept.
pub fn executed(me: usize) {
    const FCNTL: usize = 72;
    const GET_FLAGS: usize = 1;
    let is_closed = |descriptor: &usize| sys::call(FCNTL, *descriptor, GET_FLAGS, 0, 0, 0, 0) < 0;
    if table(my_process()).is_some() {
        (0..DESCRIPTORS).filter(|number| pipe_at(*number).is_some()).filter(is_closed).for_each(|number| {
            forget(me, number, 0);
        });
    }
}

/// The end of a process closes what it has open.
pub fn close_all(me: usize) {
    if table(my_process()).is_some() {
        (0..DESCRIPTORS).for_each(|descriptor| forget(me, descriptor, 0));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn pipe(descriptors: *mut i32) -> i32 {
    pipe2(descriptors, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn pipe2(descriptors: *mut i32, flags: i32) -> i32 {
    let result = sys::call(PIPE2, descriptors as usize, flags as usize, 0, 0, 0, 0);
    if result < 0 {
        return fails(-result as i32);
    }
    if controlled().is_some() {
        // SAFETY: the kernel has just written both.
        let (reading, writing) = unsafe { (*descriptors, *descriptors.add(1)) };
        let pipe =
            in_space(ObjectKind::Pipe, PIPES, u64::from(region().header.n_objects.load(Relaxed)), |_| ());
        add(reading as usize, pipe, 0);
        add(writing as usize, pipe, WRITE_END);
        if flags & O_NONBLOCK != 0 {
            remark(&[b"a pipe that does not block"]);
        }
    }
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn close(descriptor: i32) -> i32 {
    if let Some(me) = controlled() {
        forget(me, descriptor as usize, caller());
    }
    let result = sys::call(sys::CLOSE, descriptor as usize, 0, 0, 0, 0, 0);
    if result < 0 { fails(-result as i32) } else { 0 }
}

#[unsafe(no_mangle)]
pub extern "C" fn dup(descriptor: i32) -> i32 {
    copied(descriptor, sys::call(DUP, descriptor as usize, 0, 0, 0, 0, 0))
}

#[unsafe(no_mangle)]
pub extern "C" fn dup2(descriptor: i32, to: i32) -> i32 {
    if descriptor == to {
        return to;
    }
    dup3(descriptor, to, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn dup3(descriptor: i32, to: i32, flags: i32) -> i32 {
    if let Some(me) = controlled() {
        forget(me, to as usize, caller());
    }
    copied(descriptor, sys::call(DUP3, descriptor as usize, to as usize, flags as usize, 0, 0, 0))
}

fn copied(from: i32, to: isize) -> i32 {
    if to < 0 {
        return fails(-to as i32);
    }
    if controlled().is_some()
        && let Some((pipe, end)) = pipe_at(from as usize)
    {
        add(to as usize, pipe, end);
    }
    to as i32
}

/// Reads or writes a pipe of the program; `None` if the descriptor is something else.
pub fn transfer(
    me: usize,
    number: usize,
    descriptor: usize,
    buffer: usize,
    length: usize,
    place: u64,
) -> Option<isize> {
    let (pipe, _) = pipe_at(descriptor)?;
    let kind = if number == sys::READ { Kind::QueueTake } else { Kind::QueuePut };
    if length == 0 {
        return None;
    }
    let operation = Operation { kind, object: pipe, argument: length as u64, place, ..Operation::default() };
    if wait_at(me, operation, point::TRANSFERS).is_none() {
        return Some(fails(sys::errno::EINTR) as isize);
    }
    let moved = sys::call(number, descriptor, buffer, length, 0, 0, 0);
    if moved < 0 {
        return Some(fails(-moved as i32) as isize);
    }
    let change = if number == sys::READ { -(moved as i32) } else { moved as i32 };
    object(pipe).count.fetch_add(change, Relaxed);
    Some(moved)
}
