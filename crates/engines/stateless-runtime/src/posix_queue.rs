//! POSIX message queues. A descriptor is the number of an object of its own, which knows the queue and the flags.

use core::ffi::{c_char, c_void};
use core::ptr::null;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Object, ObjectKind, Operation};

use crate::driver::hash;
use crate::interrupt::{point, wait_at};
use crate::limits_of_time;
use crate::message_queue::{COUNTS_MESSAGES, append, can_put, kind_of, matching, take_bytes};
use crate::nonblocking::{self, Choice};
use crate::objects::{in_space, object, reserve};
use crate::paths::bytes_of;
use crate::schedule::{before, was_fruitless};
use crate::sys::{errno::*, fails};
use crate::time::{Time, limited};
use crate::token::{caller, controlled, region, remark_outsider};

/// Descriptors are numbers of objects above this, where the kernel's descriptors never get.
const FIRST_DESCRIPTOR: u32 = 1 << 24;
/// The space of descriptors.
const DESCRIPTORS: u32 = 0x5100_0000;
/// The space of the names of queues, found by their hash; which queue it is, if there is one, is in `list`.
const QUEUE_NAMES: u32 = 0x5500_0000;
/// Priorities are below this.
const PRIORITIES: i64 = 32768;
/// A message of high priority has a low type, so that this takes the first of the highest.
const HIGHEST: i64 = -PRIORITIES;
/// The space of queues, which are numbered.
const QUEUES: u32 = 0x5200_0000;

const O_ACCMODE: i32 = 3;
const O_RDONLY: i32 = 0;
const O_WRONLY: i32 = 1;
const O_CREAT: i32 = 0o100;
const O_EXCL: i32 = 0o200;
const O_NONBLOCK: i32 = 0o4000;

/// A `struct mq_attr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Attributes {
    flags: i64,
    most: i64,
    longest: i64,
    count: i64,
    reserved: [i64; 4],
}

/// The object of an open descriptor, and that of its queue.
fn open(descriptor: i32) -> Option<(&'static Object, u32)> {
    let number = u32::try_from(descriptor).ok()?.checked_sub(FIRST_DESCRIPTOR)?;
    let exists = (1..=region().header.n_objects.load(Relaxed)).contains(&number)
        && object(number).space.load(Relaxed) == DESCRIPTORS
        && object(number).owner.load(Relaxed) != 0;
    exists.then(|| (object(number), object(number).owner.load(Relaxed)))
}

fn flags(description: &Object) -> i32 {
    description.length.load(Relaxed) as i32
}

/// The number of an open descriptor's object, which has the flags.
fn description_of(descriptor: i32) -> u32 {
    descriptor as u32 - FIRST_DESCRIPTOR
}

/// The C library's function takes the mode and the attributes as further arguments.
#[unsafe(no_mangle)]
pub extern "C" fn mq_open(name: *const c_char, flags: i32, mode: u32, attributes: *const Attributes) -> i32 {
    opened(name, flags, mode, attributes, caller())
}

/// The same without them, called by programs that have it checked that they are not needed.
#[unsafe(no_mangle)]
pub extern "C" fn __mq_open_2(name: *const c_char, flags: i32) -> i32 {
    opened(name, flags, 0, core::ptr::null(), caller())
}

fn opened(name: *const c_char, flags: i32, mode: u32, attributes: *const Attributes, place: u64) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"mq_open": fn(*const c_char, i32, u32, *const Attributes) -> i32, (name, flags, mode, attributes));
    };
    if let Some(error) = error_of_name(name) {
        return fails(error);
    }
    // What the name means is found out in the step itself, for others may give it and remove it before.
    let entry = named(me, hash(name), place);
    let known = Some(entry.list.load(Relaxed)).filter(|queue| *queue != 0);
    if known.is_none() && flags & O_CREAT == 0 {
        return fails(ENOENT);
    }
    if known.is_some() && flags & O_CREAT != 0 && flags & O_EXCL != 0 {
        return fails(EEXIST);
    }
    let (most, longest) = match flags & O_CREAT != 0 && !attributes.is_null() {
        // SAFETY: with `O_CREAT` the program passes attributes, or a null pointer.
        true => unsafe { ((*attributes).most, (*attributes).longest) },
        false => (10, 8192),
    };
    if known.is_none() && !(1..=1 << 20).contains(&most) || longest < 1 {
        return fails(EINVAL);
    }
    let queue = known.unwrap_or_else(|| {
        let queue = make(longest as u32, most as u32);
        entry.list.store(queue, Relaxed);
        queue
    });
    let place = u64::from(region().header.n_objects.load(Relaxed));
    let number = in_space(ObjectKind::Name, DESCRIPTORS, place, |description| {
        description.owner.store(queue, Relaxed);
        description.length.store(flags as u32, Relaxed);
    });
    (number + FIRST_DESCRIPTOR) as i32
}

/// What the C library and the kernel say to a name that no queue can have.
fn error_of_name(name: *const c_char) -> Option<i32> {
    const LONGEST: usize = 255;
    match bytes_of(name).strip_prefix(b"/") {
        None => Some(EINVAL),
        Some(b"") => Some(ENOENT),
        Some(name) if name.len() > LONGEST => Some(ENAMETOOLONG),
        Some(name) if name.contains(&b'/') || matches!(name, b"." | b"..") => Some(EACCES),
        Some(_) => None,
    }
}

fn make(longest: u32, most: u32) -> u32 {
    let place = u64::from(region().header.n_objects.load(Relaxed));
    in_space(ObjectKind::Queue, QUEUES, place, |queue| {
        // So that no message is at place 0.
        reserve(2);
        queue.extra.store(longest, Relaxed);
        queue.flavour.store(COUNTS_MESSAGES, Relaxed);
        queue.length.store(most, Relaxed);
    })
}

/// The step that looks at a name, or changes what it means.
fn named(me: usize, name: u64, place: u64) -> &'static Object {
    let entry = in_space(ObjectKind::Name, QUEUE_NAMES, name, |_| ());
    before(me, Operation { kind: Kind::QueueChange, object: entry, place, ..Operation::default() });
    object(entry)
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_close(descriptor: i32) -> i32 {
    if controlled().is_none() {
        return real!(c"mq_close": fn(i32) -> i32, (descriptor));
    }
    match open(descriptor) {
        // Another process that forked may still use it, so it stays.
        Some(_) => 0,
        None => fails(EBADF),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_unlink(name: *const c_char) -> i32 {
    let Some(me) = controlled() else { return real!(c"mq_unlink": fn(*const c_char) -> i32, (name)) };
    if let Some(error) = error_of_name(name) {
        return fails(error);
    }
    // Who has it open keeps it.
    match named(me, hash(name), caller()).list.swap(0, Relaxed) {
        0 => fails(ENOENT),
        _ => 0,
    }
}

fn send(
    me: usize,
    descriptor: i32,
    bytes: *const u8,
    length: usize,
    priority: u32,
    limit: *const Time,
    place: u64,
) -> i32 {
    let Some((description, number)) = open(descriptor) else { return fails(EBADF) };
    let queue = object(number);
    if flags(description) & O_ACCMODE == O_RDONLY {
        return fails(EBADF);
    }
    if priority >= 32768 {
        return fails(EINVAL);
    }
    if length > queue.extra.load(Relaxed) as usize {
        return fails(EMSGSIZE);
    }
    let kinds = (Kind::QueuePut, Kind::QueueTryPut);
    let operation = Operation { object: number, argument: length as u64, place, ..Operation::default() };
    if let Err(error) = wait(me, descriptor, limit, kinds, operation, || can_put(&operation)) {
        return fails(error);
    }
    // SAFETY: the program passes so many bytes.
    append(queue, PRIORITIES - i64::from(priority), unsafe { core::slice::from_raw_parts(bytes, length) });
    0
}

/// Announces an operation until it can be performed or fails: of the kinds, one waits as long as it
/// takes, the other one has a time limit.
fn wait(
    me: usize,
    descriptor: i32,
    limit: *const Time,
    (waits, tries): (Kind, Kind),
    operation: Operation,
    is_possible: impl Fn() -> bool,
) -> Result<(), i32> {
    let place = operation.place;
    let mut choice = Choice::of_flag(description_of(descriptor));
    loop {
        let limit = if choice.gives_up { null() } else { limit };
        let kind = match () {
            () if choice.gives_up => Kind::QueueChange,
            () if limit.is_null() => waits,
            () => tries,
        };
        let announced = Operation { kind, list: choice.description, ..operation };
        limits_of_time::until(me, limit, place, || wait_at(me, announced, point::TRANSFERS)).ok_or(EINTR)?;
        if is_possible() {
            return Ok(());
        }
        let is_overdue = !limit.is_null() && !choice.flag_is_set();
        if is_overdue || choice.fails(me, place) {
            was_fruitless(me, place);
            return Err(if is_overdue { limited(ETIMEDOUT, limit) } else { EAGAIN });
        }
    }
}

fn receive(
    me: usize,
    descriptor: i32,
    bytes: *mut u8,
    room: usize,
    priority: *mut u32,
    limit: *const Time,
    place: u64,
) -> isize {
    let Some((description, number)) = open(descriptor) else { return fails(EBADF) as isize };
    let queue = object(number);
    if flags(description) & O_ACCMODE == O_WRONLY {
        return fails(EBADF) as isize;
    }
    if room < queue.extra.load(Relaxed) as usize {
        return fails(EMSGSIZE) as isize;
    }
    let kinds = (Kind::QueueTake, Kind::QueueTryTake);
    let operation = Operation { object: number, argument: HIGHEST as u64, place, ..Operation::default() };
    let first = || matching(queue, HIGHEST, false);
    if let Err(error) = wait(me, descriptor, limit, kinds, operation, || first().is_some()) {
        return fails(error) as isize;
    }
    let message = first().unwrap_or_default();
    // SAFETY: the program passes this much room, and a place for the priority or a null pointer.
    let into = unsafe {
        if !priority.is_null() {
            *priority = (PRIORITIES - kind_of(message)) as u32;
        }
        core::slice::from_raw_parts_mut(bytes, room)
    };
    take_bytes(queue, message, into) as isize
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_send(descriptor: i32, bytes: *const u8, length: usize, priority: u32) -> i32 {
    match controlled() {
        Some(me) => send(me, descriptor, bytes, length, priority, null(), caller()),
        None => {
            real!(c"mq_send": fn(i32, *const u8, usize, u32) -> i32, (descriptor, bytes, length, priority))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_timedsend(
    descriptor: i32,
    bytes: *const u8,
    length: usize,
    priority: u32,
    time: *const Time,
) -> i32 {
    match controlled() {
        Some(me) => send(me, descriptor, bytes, length, priority, time, caller()),
        None => real!(c"mq_timedsend": fn(i32, *const u8, usize, u32, *const Time) -> i32,
            (descriptor, bytes, length, priority, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_receive(descriptor: i32, bytes: *mut u8, room: usize, priority: *mut u32) -> isize {
    match controlled() {
        Some(me) => receive(me, descriptor, bytes, room, priority, null(), caller()),
        None => {
            real!(c"mq_receive": fn(i32, *mut u8, usize, *mut u32) -> isize, (descriptor, bytes, room, priority))
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_timedreceive(
    descriptor: i32,
    bytes: *mut u8,
    room: usize,
    priority: *mut u32,
    time: *const Time,
) -> isize {
    match controlled() {
        Some(me) => receive(me, descriptor, bytes, room, priority, time, caller()),
        None => real!(c"mq_timedreceive": fn(i32, *mut u8, usize, *mut u32, *const Time) -> isize,
            (descriptor, bytes, room, priority, time)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_getattr(descriptor: i32, attributes: *mut Attributes) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"mq_getattr": fn(i32, *mut Attributes) -> i32, (descriptor, attributes));
    };
    let Some((description, number)) = open(descriptor) else { return fails(EBADF) };
    before(me, Operation { kind: Kind::QueuePoll, object: number, place: caller(), ..Operation::default() });
    describe(description, object(number), attributes);
    0
}

fn describe(description: &Object, queue: &Object, into: *mut Attributes) {
    if into.is_null() {
        return;
    }
    let attributes = Attributes {
        flags: i64::from(flags(description) & O_NONBLOCK),
        most: i64::from(queue.length.load(Relaxed)),
        longest: i64::from(queue.extra.load(Relaxed)),
        count: i64::from(queue.count.load(Relaxed)),
        reserved: [0; 4],
    };
    // SAFETY: the program passes room for the attributes.
    unsafe { *into = attributes };
}

#[unsafe(no_mangle)]
pub extern "C" fn mq_setattr(descriptor: i32, new: *const Attributes, old: *mut Attributes) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"mq_setattr": fn(i32, *const Attributes, *mut Attributes) -> i32, (descriptor, new, old));
    };
    let Some((description, number)) = open(descriptor) else { return fails(EBADF) };
    let kind = if new.is_null() { Kind::QueuePoll } else { Kind::QueueChange };
    before(me, Operation { kind, object: number, place: caller(), ..Operation::default() });
    describe(description, object(number), old);
    // SAFETY: the program passes attributes, of which only the flag counts, or none.
    if let Some(new) = unsafe { new.as_ref() } {
        nonblocking::set(description_of(descriptor), new.flags as i32 & O_NONBLOCK != 0);
    }
    0
}

/// A notification would come at a moment that nobody here controls.
#[unsafe(no_mangle)]
pub extern "C" fn mq_notify(descriptor: i32, event: *const c_void) -> i32 {
    if controlled().is_none() {
        return real!(c"mq_notify": fn(i32, *const c_void) -> i32, (descriptor, event));
    }
    remark_outsider(&[b"mq_notify: the notification is never sent"]);
    if open(descriptor).is_some() { 0 } else { fails(EBADF) }
}
