//! System V semaphores, kept here instead of in the kernel: nothing is left behind, and who can move is known.

use core::ptr::null;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Object, ObjectKind, Operation, state};

use crate::interrupt::{point, wait_at};
use crate::limits_of_time;
use crate::message_queue::{SET_KEYS, key_of, looks_up};
use crate::objects::{self, SYSTEM_V, in_space, object, reserve};
use crate::paths::{hash, keep};
use crate::schedule::{before, was_fruitless};
use crate::sys::{self, errno::*, fails};
use crate::thread::has_joined;
use crate::time::{Time, duration, pass};
use crate::token::{caller, controlled, my_process, n_threads, region, remark, thread};
use crate::uses::{Role, Used, mixed, note, note_late};

/// The space of what a process must undo, plus its number.
const UNDO: u32 = 0x6000_0000;
/// Places of sets without a key, plus the number of the set.
const PRIVATE: u64 = 1 << 40;
/// Places of removed sets.
const REMOVED: u64 = 1 << 41;

const IPC_CREAT: i32 = 0o1000;
const IPC_EXCL: i32 = 0o2000;
const IPC_NOWAIT: i16 = 0o4000;
const SEM_UNDO: i16 = 0x1000;
/// The largest value of a semaphore.
const MAXIMUM: i32 = 32767;

/// A `struct sembuf`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SemBuf {
    index: u16,
    change: i16,
    flags: i16,
}

fn word(at: u32) -> &'static core::sync::atomic::AtomicU32 {
    &region().pool[at as usize]
}

fn value(set: &Object, index: u32) -> i32 {
    word(set.list.load(Relaxed) + index).load(Relaxed) as i32
}

fn set_value(set: &Object, index: u32, value: i32) {
    word(set.list.load(Relaxed) + index).store(value as u32, Relaxed);
}

/// Where the process is noted that changed a semaphore last: behind the values.
fn last_process(set: &Object, index: u32) -> &'static core::sync::atomic::AtomicU32 {
    word(set.list.load(Relaxed) + set.length.load(Relaxed) + index)
}

/// Its rights, behind that.
fn mode(set: &Object) -> &'static core::sync::atomic::AtomicU32 {
    word(set.list.load(Relaxed) + 2 * set.length.load(Relaxed))
}

fn note_process(set: &Object, index: u32) {
    last_process(set, index).store(sys::getpid() as u32, Relaxed);
}

/// The same as an object of a footprint: gifts to a semaphore do not commute if a thread asks who
/// gave last.
fn last_processes(set: u32) -> Used {
    const NAME: &[u8] = b"the last process of a set of semaphores";
    keep(hash(NAME), NAME);
    Used { role: Role::Process, identity: mixed(u64::from(set), u64::from(hash(NAME))), name: hash(NAME) }
}

/// Changes in the order of the list; what stops them, if anything does.
fn simulate(operation: &Operation) -> Result<(), i32> {
    let set = object(operation.object);
    let list = operation.list..operation.list + operation.length;
    for (position, at) in list.clone().enumerate() {
        let semop = region().semop(at);
        // Earlier operations of the list may be on the same semaphore.
        let earlier = list.clone().take(position).map(|at| region().semop(at));
        let before: i32 = earlier.filter(|other| other.index == semop.index).map(|other| other.change).sum();
        let value = value(set, semop.index) + before;
        if semop.change == 0 && value != 0 || value + semop.change < 0 {
            return Err(EAGAIN);
        }
        if value + semop.change > MAXIMUM {
            return Err(ERANGE);
        }
    }
    Ok(())
}

fn is_removed(set: &Object) -> bool {
    set.extra.load(Relaxed) != 0
}

/// The error of a call on an object that was removed by another thread: `EIDRM` if the call waited
/// then, `EINVAL` if it was made later. Where it would have waited, both happen: whether the kernel
/// got to see the call before the removal is no order of steps.
pub fn error_of_removed(me: usize, object: &Object, waited: bool, place: u64) -> i32 {
    let remover = object.extra.load(Relaxed) as usize - 1;
    if !waited || remover == me || has_joined(me, remover) {
        return EINVAL;
    }
    let toss = Operation { kind: Kind::Toss, argument: 1, place, ..Operation::default() };
    if before(me, toss) == 0 { EIDRM } else { EINVAL }
}

/// Would the operation succeed, or fail at once?
pub fn can_operate(operation: &Operation) -> bool {
    is_removed(object(operation.object)) || simulate(operation) != Err(EAGAIN)
}

/// Writes the values of the semaphores that an operation names into the pool; where they are.
pub fn remember_values(operation: &Operation) -> u32 {
    let first = reserve(operation.length as usize);
    for position in 0..operation.length {
        let semop = region().semop(operation.list + position);
        let value = value(object(operation.object), semop.index);
        word(first + position).store(value as u32, Relaxed);
    }
    first
}

/// The object of a set that exists.
fn find(id: i32) -> Option<u32> {
    let number = u32::try_from(id).ok()?.checked_sub(FIRST_ID)?;
    let exists = (1..=region().header.n_objects.load(Relaxed)).contains(&number)
        && object(number).kind.load(Relaxed) == ObjectKind::Set as u8
        && object(number).space.load(Relaxed) == SYSTEM_V;
    exists.then_some(number)
}

/// So that ids do not look like small numbers which programs invent.
const FIRST_ID: u32 = 1 << 15;

#[unsafe(no_mangle)]
pub extern "C" fn semget(key: i32, length: i32, flags: i32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"semget": fn(i32, i32, i32) -> i32, (key, length, flags));
    };
    let place = if key == 0 {
        PRIVATE + u64::from(region().header.n_objects.load(Relaxed))
    } else {
        key as u32 as u64
    };
    if key != 0 {
        looks_up(me, SET_KEYS, place, caller());
    }
    if let Some(number) = objects::find(ObjectKind::Set, SYSTEM_V, place) {
        if flags & IPC_CREAT != 0 && flags & IPC_EXCL != 0 {
            return fails(EEXIST);
        }
        if length > object(number).length.load(Relaxed) as i32 {
            return fails(EINVAL);
        }
        return (number + FIRST_ID) as i32;
    }
    if key != 0 && flags & IPC_CREAT == 0 {
        return fails(ENOENT);
    }
    if length <= 0 {
        return fails(EINVAL);
    }
    let number = in_space(ObjectKind::Set, SYSTEM_V, place, |set| {
        set.list.store(reserve(2 * length as usize + 1), Relaxed);
        set.length.store(length as u32, Relaxed);
        mode(set).store(flags as u32 & 0o777, Relaxed);
    });
    (number + FIRST_ID) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn semop(id: i32, list: *const SemBuf, length: usize) -> i32 {
    match controlled() {
        Some(me) => operate(me, id, list, length, null(), caller()),
        None => real!(c"semop": fn(i32, *const SemBuf, usize) -> i32, (id, list, length)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn semtimedop(id: i32, list: *const SemBuf, length: usize, time: *const Time) -> i32 {
    match controlled() {
        Some(me) => operate(me, id, list, length, time, caller()),
        None => {
            real!(c"semtimedop": fn(i32, *const SemBuf, usize, *const Time) -> i32, (id, list, length, time))
        }
    }
}

fn operate(me: usize, id: i32, list: *const SemBuf, length: usize, limit: *const Time, place: u64) -> i32 {
    let Some(number) = find(id) else { return fails(EINVAL) };
    if length == 0 || length > 500 {
        return fails(EINVAL);
    }
    // SAFETY: the program passes a list of this length.
    let list = unsafe { core::slice::from_raw_parts(list, length) };
    if list.iter().any(|change| u32::from(change.index) >= object(number).length.load(Relaxed)) {
        return fails(EFBIG);
    }
    let is_patient = list.iter().all(|change| change.flags & IPC_NOWAIT == 0);
    let gives_up = !limit.is_null() || !is_patient;
    let operation = Operation {
        kind: if gives_up { Kind::SetTry } else { Kind::SetOperate },
        object: number,
        list: write_list(list),
        length: length as u32,
        argument: u64::from(note(|uses| uses.adds_to(last_processes(number)))),
        place,
        ..Operation::default()
    };
    let takes_time = if gives_up && is_patient { point::TAKES_TIME } else { 0 };
    let wait = || wait_at(me, operation, point::FAILS | point::NEVER_RESTARTS | takes_time);
    let is_limited = takes_time != 0 && !limit.is_null();
    let waited = if is_limited { limits_of_time::within(me, duration(limit), place, wait) } else { wait() };
    if waited.is_none() {
        return fails(EINTR);
    }
    if is_removed(object(number)) {
        let waited = is_patient && simulate(&operation) == Err(EAGAIN);
        return fails(error_of_removed(me, object(number), waited, place));
    }
    match simulate(&operation) {
        Ok(()) => {
            apply(&operation);
            list.iter().for_each(|change| remember_undo(number, change));
            0
        }
        Err(errno) => {
            was_fruitless(me, place);
            if !limit.is_null() {
                pass(duration(limit));
            }
            fails(errno)
        }
    }
}

/// Puts a list into the pool; where it is, in pairs.
fn write_list(list: &[SemBuf]) -> u32 {
    let first = reserve(list.len() * 2);
    for (position, change) in list.iter().enumerate() {
        word(first + position as u32 * 2).store(u32::from(change.index), Relaxed);
        word(first + position as u32 * 2 + 1).store(i32::from(change.change) as u32, Relaxed);
    }
    first / 2
}

fn apply(operation: &Operation) {
    let set = object(operation.object);
    for at in operation.list..operation.list + operation.length {
        let semop = region().semop(at);
        set_value(set, semop.index, (value(set, semop.index) + semop.change).max(0));
        note_process(set, semop.index);
    }
}

fn remember_undo(number: u32, change: &SemBuf) {
    if change.flags & SEM_UNDO == 0 {
        return;
    }
    let length = object(number).length.load(Relaxed);
    let undo = in_space(ObjectKind::Set, UNDO + my_process() as u32, u64::from(number), |undo| {
        undo.list.store(reserve(length as usize), Relaxed);
        undo.length.store(length, Relaxed);
    });
    let undo = object(undo);
    let index = u32::from(change.index);
    set_value(undo, index, value(undo, index) - i32::from(change.change));
}

/// What this process promised to undo, when it ends. It can be noticed by others, so each set is a step.
pub fn undo_all(me: usize) {
    let count = region().header.n_objects.load(Relaxed);
    for number in 1..=count {
        let undo = object(number);
        if undo.space.load(Relaxed) != UNDO + my_process() as u32 {
            continue;
        }
        let set = undo.address.load(Relaxed) as u32;
        let mut list = [SemBuf { index: 0, change: 0, flags: 0 }; 500];
        let mut length = 0;
        for index in 0..undo.length.load(Relaxed) {
            if value(undo, index) != 0 && length < list.len() {
                list[length] = SemBuf { index: index as u16, change: value(undo, index) as i16, flags: 0 };
                length += 1;
            }
        }
        if length > 0 && !is_removed(object(set)) {
            let list = write_list(&list[..length]);
            let operation = Operation {
                kind: Kind::SetTry,
                object: set,
                list,
                length: length as u32,
                ..Operation::default()
            };
            before(me, operation);
            apply(&operation);
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn semctl(id: i32, index: i32, command: i32, argument: usize) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"semctl": fn(i32, i32, i32, usize) -> i32, (id, index, command, argument));
    };
    let Some(number) = find(id) else { return fails(EINVAL) };
    let set = object(number);
    let length = set.length.load(Relaxed);
    let is_about_one = matches!(command, GETPID | GETVAL | GETNCNT | GETZCNT | SETVAL);
    if is_about_one && u32::try_from(index).map_or(true, |index| index >= length) {
        return fails(EINVAL);
    }
    let kind = match command {
        IPC_RMID | SETVAL | SETALL | IPC_SET => Kind::SetChange,
        _ => Kind::SetRead,
    };
    let other = if command == IPC_RMID { key_of(SET_KEYS, number) } else { 0 };
    if command == GETPID {
        note_late(|uses| uses.reads(last_processes(number)));
    }
    before(me, Operation { kind, object: number, other, place: caller(), ..Operation::default() });
    if is_removed(set) {
        return fails(EINVAL);
    }
    control(me, number, index as u32, command, argument)
}

const IPC_RMID: i32 = 0;
const IPC_SET: i32 = 1;
const IPC_STAT: i32 = 2;
const GETPID: i32 = 11;
const GETVAL: i32 = 12;
const GETALL: i32 = 13;
const GETNCNT: i32 = 14;
const GETZCNT: i32 = 15;
const SETVAL: i32 = 16;
const SETALL: i32 = 17;

/// Where `struct semid_ds` has the number of semaphores.
const SEM_NSEMS: usize = 80;
/// Where it has the rights.
const SEM_MODE: usize = 20;

/// Is another thread about to wait for a semaphore of the set?
fn is_awaited(me: usize, set: u32) -> bool {
    (0..n_threads()).filter(|number| *number != me).any(|number| {
        let (slot, operation) = (thread(number), thread(number).operation.load());
        slot.state.load(Relaxed) == state::PENDING
            && matches!(operation.kind, Kind::SetOperate | Kind::SetTry)
            && operation.object == set
            && simulate(&operation) == Err(EAGAIN)
    })
}

fn control(me: usize, number: u32, index: u32, command: i32, argument: usize) -> i32 {
    let set = object(number);
    let values = argument as *mut u16;
    match command {
        IPC_RMID => {
            set.extra.store(me as u32 + 1, Relaxed);
            objects::rename(number, SYSTEM_V, REMOVED + u64::from(number));
        }
        SETVAL if !(0..=MAXIMUM).contains(&(argument as i32)) => return fails(ERANGE),
        SETVAL => {
            set_value(set, index, argument as i32);
            note_process(set, index);
        }
        SETALL => (0..set.length.load(Relaxed)).for_each(|i| {
            // SAFETY: the program passes a value for each semaphore.
            set_value(set, i, i32::from(unsafe { *values.add(i as usize) }));
            note_process(set, i);
        }),
        GETPID => return last_process(set, index).load(Relaxed) as i32,
        GETVAL => return value(set, index),
        GETALL => {
            // SAFETY: the program passes room for all values.
            (0..set.length.load(Relaxed))
                .for_each(|i| unsafe { *values.add(i as usize) = value(set, i) as u16 });
        }
        IPC_STAT => {
            // SAFETY: the program passes a `struct semid_ds`, of 104 bytes.
            unsafe {
                core::ptr::write_bytes(argument as *mut u8, 0, 104);
                *((argument + SEM_NSEMS) as *mut u64) = u64::from(set.length.load(Relaxed));
                *((argument + SEM_MODE) as *mut u32) = mode(set).load(Relaxed);
            }
        }
        IPC_SET => {
            // SAFETY: the program passes a `struct semid_ds`.
            let rights = unsafe { *((argument + SEM_MODE) as *const u32) };
            mode(set).store(rights & 0o777, Relaxed);
        }
        // A thread that would wait may have begun to, or not.
        GETNCNT | GETZCNT if is_awaited(me, number) => {
            remark(&[b"semctl that asks how many wait"]);
        }
        GETNCNT | GETZCNT => {}
        _ => return fails(EINVAL),
    }
    0
}
