//! Sockets: pairs, and local or loopback connections. Each direction is a queue ([`crate::stream`]).
//!
//! An address is an object of its own: who listens there, and the connections that were not accepted yet. Binding, listening,
//! connecting and accepting are steps on it. What goes to other machines, and datagrams to an address, is left to the kernel.

use core::ffi::c_void;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, NAMES, ObjectKind, Operation};

use crate::block::{is_watched, will_write};
use crate::descriptors::{Description, install, result, touch_closed, what};
use crate::interrupt::{point, wait_at};
use crate::kernel_state::makes_descriptor;
use crate::memory::{Frame, expect_writes, note_writes, range};
use crate::nonblocking::Choice;
use crate::objects::{in_space, object, reserve};
use crate::paths::{hash, keep};
use crate::schedule::{before, was_fruitless};
use crate::stream::{self, Manner, flavour};
use crate::sys::errno::{EAGAIN, EBADF, EINTR};
use crate::sys::{self, fails};
use crate::token::{caller, caller_frame, controlled, is_concurrent, region, remark};
use crate::transfer::{filled, filled_places, given, given_places};
use crate::uses::{Role, Used, is_marked, marks, mixed, step};
use crate::vector::Vector;

/// Numbers of system calls.
mod call {
    pub const POLL: usize = 7;
    pub const IOCTL: usize = 16;
    pub const SOCKET: usize = 41;
    pub const CONNECT: usize = 42;
    pub const SENDMSG: usize = 46;
    pub const RECVMSG: usize = 47;
    pub const SHUTDOWN: usize = 48;
    pub const BIND: usize = 49;
    pub const LISTEN: usize = 50;
    pub const GETSOCKNAME: usize = 51;
    pub const GETPEERNAME: usize = 52;
    pub const SOCKETPAIR: usize = 53;
    pub const SETSOCKOPT: usize = 54;
    pub const GETSOCKOPT: usize = 55;
    pub const ACCEPT4: usize = 288;
}

const LOCAL: i32 = 1;
const INTERNET: i32 = 2;
const INTERNET_6: i32 = 10;
const SOCK_STREAM: i32 = 1;
const SOCK_DGRAM: i32 = 2;
const SOCK_SEQPACKET: i32 = 5;
const SOCK_CLOEXEC: i32 = 0o2_000_000;
const SOCK_NONBLOCK: i32 = 0o4000;
const SOL_SOCKET: usize = 1;
const SO_SNDBUF: usize = 7;
const SO_RCVTIMEO: i32 = 20;
const SO_SNDTIMEO: i32 = 21;
const SCM_RIGHTS: i32 = 1;
const SIOCOUTQ: usize = 0x5411;
const EINPROGRESS: isize = 115;
const MSG_PEEK: i32 = 2;
const MSG_DONTWAIT: i32 = 0x40;
const MSG_WAITALL: i32 = 0x100;
const MSG_CMSG_CLOEXEC: i32 = 0x4000_0000;

/// Connections that can be pending at one address.
const PENDING: u32 = 256;

/// The words of an address in the pool; the queues of the pending connections follow, two words each.
#[derive(Clone, Copy)]
enum Word {
    /// The description that listens, or 0.
    Listener,
    Backlog,
    First,
    Pending,
}

const HEAD: usize = 4;

fn word(address: u32, which: Word) -> &'static AtomicU32 {
    &region().pool[object(address).list.load(Relaxed) as usize + which as usize]
}

fn get(address: u32, which: Word) -> u32 {
    word(address, which).load(Relaxed)
}

/// Is there a connection to accept?
pub fn can_accept(address: u32) -> bool {
    get(address, Word::Pending) > 0
}

/// Would connecting succeed, or fail at once?
pub fn can_connect(address: u32) -> bool {
    get(address, Word::Listener) == 0 || get(address, Word::Pending) <= get(address, Word::Backlog)
}

/// The words of a socket that was not made in a pair: its address, what its queues are.
fn extra(description: Description, position: usize) -> Option<&'static AtomicU32> {
    let list = description.record().list.load(Relaxed) as usize;
    (description.what() == what::SOCKET && list != 0).then(|| &region().pool[list + position])
}

/// The address that a socket listens at, or 0.
pub fn address_of(description: Description) -> u32 {
    extra(description, 0).map_or(0, |word| word.load(Relaxed))
}

/// What its end does, if anybody can notice.
pub fn closing(description: Description, place: u64) -> Option<Operation> {
    match address_of(description) {
        _ if description.input() != 0 => Some(description.operation(Kind::QueueClose, place)),
        0 => None,
        address => Some(on_address(Kind::QueueChange, address, place)),
    }
}

/// After the last descriptor was closed: who was waiting to be accepted finds the other side gone.
pub fn closed(description: Description) {
    let address = address_of(description);
    if address != 0 && get(address, Word::Listener) == description.0 {
        while let Some((from_client, to_client)) = next_pending(address) {
            stream::remove_reader(from_client);
            stream::remove_writer(to_client);
        }
        word(address, Word::Listener).store(0, Relaxed);
    }
}

fn on_address(kind: Kind, address: u32, place: u64) -> Operation {
    Operation { kind, object: address, place, ..Operation::default() }
}

impl Description {
    /// Something that is done at an address and changes the socket, too: both are objects of it.
    fn at_address(self, kind: Kind, address: u32, place: u64) -> Operation {
        Operation { other: self.0, ..on_address(kind, address, place) }
    }
}

fn next_pending(address: u32) -> Option<(u32, u32)> {
    let (first, pending) = (get(address, Word::First), get(address, Word::Pending));
    if pending == 0 {
        return None;
    }
    word(address, Word::First).store((first + 1) % PENDING, Relaxed);
    word(address, Word::Pending).store(pending - 1, Relaxed);
    let at = object(address).list.load(Relaxed) as usize + HEAD + 2 * first as usize;
    Some((region().pool[at].load(Relaxed), region().pool[at + 1].load(Relaxed)))
}

fn add_pending(address: u32, from_client: u32, to_client: u32) {
    let (first, pending) = (get(address, Word::First), get(address, Word::Pending));
    if pending >= PENDING {
        return remark(&[b"more pending connections than there is room for"]);
    }
    let position = (first + pending) % PENDING;
    let at = object(address).list.load(Relaxed) as usize + HEAD + 2 * position as usize;
    region().pool[at].store(from_client, Relaxed);
    region().pool[at + 1].store(to_client, Relaxed);
    word(address, Word::Pending).store(pending + 1, Relaxed);
}

/// How much a sender can be charged.
fn send_limit(descriptor: usize) -> u32 {
    let (mut value, mut length) = (0_u32, 4_u32);
    let (value_at, length_at) = (&raw mut value as usize, &raw mut length as usize);
    sys::call(call::GETSOCKOPT, descriptor, SOL_SOCKET, SO_SNDBUF, value_at, length_at, 0);
    value
}

/// Does a transfer wait, fail at once, or fail after some time?
fn choice_of_transfer(descriptor: usize, description: Description, reads: bool, fails: bool) -> Choice {
    if fails {
        return Choice::FAILS;
    }
    if !description.has_time_limit(reads) {
        return description.choice();
    }
    let which = if reads { SO_RCVTIMEO } else { SO_SNDTIMEO } as usize;
    let (mut time, mut length) = ([0_u64; 2], 16_u32);
    let (time_at, length_at) = (time.as_mut_ptr() as usize, &raw mut length as usize);
    sys::call(call::GETSOCKOPT, descriptor, SOL_SOCKET, which, time_at, length_at, 0);
    let [seconds, microseconds] = time;
    let limit = seconds.saturating_mul(1_000_000_000).saturating_add(microseconds * 1000);
    if description.is_nonblocking() { Choice::FAILS } else { Choice::within(limit.max(1)) }
}

/// What the queues of a socket are; `None` if they are not mirrored here.
fn flavour_for(domain: i32, kind: i32) -> Option<u8> {
    match (domain, kind & 0xf) {
        (LOCAL, SOCK_STREAM) => Some(flavour::STREAM),
        (LOCAL, SOCK_SEQPACKET) => Some(flavour::MESSAGES),
        (LOCAL, SOCK_DGRAM) => Some(flavour::DATAGRAMS),
        (INTERNET | INTERNET_6, SOCK_STREAM) => Some(flavour::NETWORK),
        _ => None,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn socketpair(domain: i32, kind: i32, protocol: i32, descriptors: *mut i32) -> i32 {
    will_write(descriptors, 8, caller_frame());
    makes_descriptor(caller());
    let (domain_word, kind_word) = (domain as usize, kind as usize);
    let made =
        sys::call(call::SOCKETPAIR, domain_word, kind_word, protocol as usize, descriptors as usize, 0, 0);
    if made >= 0
        && controlled().is_some()
        && let Some(flavour) = flavour_for(domain, kind)
    {
        // SAFETY: the kernel has just written both.
        let (one, other) = unsafe { (*descriptors as usize, *descriptors.add(1) as usize) };
        let limit = send_limit(one);
        let (there, back) = (stream::new(flavour, limit), stream::new(flavour, limit));
        let closes_on_exec = kind & SOCK_CLOEXEC != 0;
        install(one, Description::new(what::SOCKET, back, there, kind as u32), closes_on_exec);
        install(other, Description::new(what::SOCKET, there, back, kind as u32), closes_on_exec);
    }
    result(made) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn socket(domain: i32, kind: i32, protocol: i32) -> i32 {
    makes_descriptor(caller());
    let made = sys::call(call::SOCKET, domain as usize, kind as usize, protocol as usize, 0, 0, 0);
    let flavour = flavour_for(domain, kind).filter(|flavour| *flavour != flavour::DATAGRAMS);
    if made >= 0
        && controlled().is_some()
        && let Some(flavour) = flavour
    {
        let description = Description::new(what::SOCKET, 0, 0, kind as u32);
        let list = reserve(4).max(1);
        description.record().list.store(list, Relaxed);
        region().pool[list as usize + 1].store(u32::from(flavour), Relaxed);
        install(made as usize, description, kind & SOCK_CLOEXEC != 0);
    }
    result(made) as i32
}

/// The object of an address; `None` if the kernel has still to choose it.
fn address_at(bytes: *const u8, length: usize) -> Option<u32> {
    if bytes.is_null() || length <= 2 {
        return None;
    }
    // SAFETY: the program passes an address of this length.
    let bytes = unsafe { core::slice::from_raw_parts(bytes, length.min(128)) };
    let family = i32::from(bytes[0]) | i32::from(bytes[1]) << 8;
    let name = match family {
        INTERNET | INTERNET_6 => bytes.get(2..4).filter(|port| **port != [0, 0])?,
        // A path ends with a zero byte, another name does not.
        LOCAL if bytes[2] != 0 => bytes[2..].split(|byte| *byte == 0).next()?,
        _ => &bytes[2..],
    };
    let family = if family == INTERNET_6 { INTERNET } else { family };
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325 ^ family as u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    let address = in_space(ObjectKind::Address, NAMES, hash, |address| {
        address.list.store(reserve(HEAD + 2 * PENDING as usize), Relaxed);
    });
    Some(address)
}

/// The address that the kernel gave a socket.
fn own_address(descriptor: usize) -> Option<u32> {
    let (mut bytes, mut length) = ([0_u8; 128], 128_u32);
    let (bytes_at, length_at) = (bytes.as_mut_ptr() as usize, &raw mut length as usize);
    let told = sys::call(call::GETSOCKNAME, descriptor, bytes_at, length_at, 0, 0, 0);
    if told < 0 { None } else { address_at(bytes.as_ptr(), length as usize) }
}

/// The socket behind a descriptor of a thread that is under control.
fn known(descriptor: i32) -> Option<(usize, Description)> {
    let (me, description) = (controlled()?, Description::at(descriptor as usize)?);
    (description.what() == what::SOCKET).then_some((me, description))
}

/// That a descriptor is not open may be the doing of another thread.
fn touch_if_closed(descriptor: i32, place: u64) {
    if Description::at(descriptor as usize).is_none() {
        touch_closed(descriptor as usize, place);
    }
}

/// Leaves a call to the kernel and says so, unless it is about nothing.
fn uncontrolled(name: &[u8], value: impl FnOnce() -> isize) -> isize {
    let value = value();
    if controlled().is_some() && value != -(EBADF as isize) {
        remark(&[name]);
    }
    result(value)
}

#[unsafe(no_mangle)]
pub extern "C" fn bind(descriptor: i32, address: *const u8, length: u32) -> i32 {
    let place = caller();
    let call = || sys::call(call::BIND, descriptor as usize, address as usize, length as usize, 0, 0, 0);
    let Some((me, description)) = known(descriptor) else { return result(call()) as i32 };
    if let Some(object) = address_at(address, length as usize) {
        before(me, description.at_address(Kind::QueueChange, object, place));
    }
    let bound = call();
    if bound >= 0
        && let Some(object) = own_address(descriptor as usize)
        && let Some(word) = extra(description, 0)
    {
        word.store(object, Relaxed);
    }
    result(bound) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn listen(descriptor: i32, backlog: i32) -> i32 {
    let place = caller();
    let call = || sys::call(call::LISTEN, descriptor as usize, backlog as usize, 0, 0, 0, 0);
    let Some((me, description)) = known(descriptor) else { return result(call()) as i32 };
    let address = address_of(description);
    if address == 0 {
        return uncontrolled(b"listen without an address", call) as i32;
    }
    before(me, description.at_address(Kind::QueueChange, address, place));
    let listens = call();
    if listens >= 0 {
        word(address, Word::Listener).store(description.0, Relaxed);
        word(address, Word::Backlog).store((backlog.max(0) as u32).min(PENDING - 2), Relaxed);
    }
    result(listens) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn connect(descriptor: i32, address: *const u8, length: u32) -> i32 {
    let place = caller();
    let call = || sys::call(call::CONNECT, descriptor as usize, address as usize, length as usize, 0, 0, 0);
    let Some((me, description)) = known(descriptor).filter(|(_, description)| description.input() == 0)
    else {
        return uncontrolled(b"connect", call) as i32;
    };
    let Some(object) = address_at(address, length as usize) else {
        return uncontrolled(b"connect", call) as i32;
    };
    let gives_up = description.is_nonblocking();
    let kind = if gives_up { Kind::QueueChange } else { Kind::Connect };
    if is_interrupted(me, description.at_address(kind, object, place), gives_up) {
        return fails(EINTR);
    }
    if !can_connect(object) {
        was_fruitless(me, place);
        return result(-(EAGAIN as isize)) as i32;
    }
    let connected = call();
    if connected == 0 || connected == -EINPROGRESS {
        if get(object, Word::Listener) == 0 {
            remark(&[b"connect to something that is not a part of the program"]);
        } else {
            connect_queues(descriptor as usize, description, object);
        }
    }
    result(connected) as i32
}

/// The queues of a new connection. The other side has its ends open although it has not accepted it yet.
fn connect_queues(descriptor: usize, description: Description, address: u32) {
    let flavour = extra(description, 1).map_or(0, |word| word.load(Relaxed)) as u8;
    let limit = send_limit(descriptor);
    let (there, back) = (stream::new(flavour, limit), stream::new(flavour, limit));
    stream::add_reader(there);
    stream::add_writer(back);
    description.connect(back, there);
    add_pending(address, there, back);
}

/// Announces an operation; did a signal end it?
fn is_interrupted(me: usize, operation: Operation, gives_up: bool) -> bool {
    wait_at(me, operation, if gives_up { point::CANCELLABLE } else { point::TRANSFERS }).is_none()
}

#[unsafe(no_mangle)]
pub extern "C" fn accept(descriptor: i32, address: *mut c_void, length: *mut u32) -> i32 {
    accepted(descriptor, address, length, 0, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn accept4(descriptor: i32, address: *mut c_void, length: *mut u32, flags: i32) -> i32 {
    accepted(descriptor, address, length, flags, caller())
}

fn accepted(descriptor: i32, address: *mut c_void, length: *mut u32, flags: i32, place: u64) -> i32 {
    let (address_at, length_at) = (address as usize, length as usize);
    let call = || sys::call(call::ACCEPT4, descriptor as usize, address_at, length_at, flags as usize, 0, 0);
    let Some((me, description)) = known(descriptor) else { return uncontrolled(b"accept", call) as i32 };
    let object = address_of(description);
    if object == 0 || get(object, Word::Listener) != description.0 {
        return result(call()) as i32;
    }
    depends_on_options(description, place);
    let mut choice = choice_of_transfer(descriptor as usize, description, true, false);
    loop {
        let gives_up = choice.gives_up;
        let kind = if gives_up { Kind::QueueTryTake } else { Kind::Accept };
        let operation = Operation { list: choice.description, ..on_address(kind, object, place) };
        if choice.wait_at(me, operation).is_none() {
            return fails(EINTR);
        }
        if can_accept(object) {
            break;
        }
        if choice.fails(me, place) {
            was_fruitless(me, place);
            return result(-(EAGAIN as isize)) as i32;
        }
    }
    let made = patiently(descriptor as usize, POLLIN, call);
    if made >= 0
        && let Some((from_client, to_client)) = next_pending(object)
    {
        let description =
            Description::new(what::SOCKET, from_client, to_client, flags as u32 & SOCK_NONBLOCK as u32);
        stream::remove_reader(from_client);
        stream::remove_writer(to_client);
        install(made as usize, description, flags & SOCK_CLOEXEC != 0);
    }
    result(made) as i32
}

const POLLIN: u16 = 1;
const POLLOUT: u16 = 4;

/// Calls the kernel, again if it is a moment behind: what was sent over the network arrives a little later.
fn patiently(descriptor: usize, events: u16, mut call: impl FnMut() -> isize) -> isize {
    let value = call();
    if value != -(EAGAIN as isize) {
        return value;
    }
    let mut waited_for = [descriptor as u64 | u64::from(events) << 32];
    sys::call(call::POLL, waited_for.as_mut_ptr() as usize, 1, 1000, 0, 0, 0);
    let value = call();
    if value == -(EAGAIN as isize) {
        remark(&[b"a socket that somebody else uses"]);
    }
    value
}

/// A `struct msghdr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Message {
    name: usize,
    name_length: u32,
    places: usize,
    n_places: usize,
    control: usize,
    control_length: usize,
    flags: i32,
}

impl Message {
    const PLAIN: Message =
        Message { name: 0, name_length: 0, places: 0, n_places: 0, control: 0, control_length: 0, flags: 0 };

    /// The descriptors that it brings along.
    fn descriptors(&self) -> impl Iterator<Item = usize> {
        let end = self.control + self.control_length;
        let mut at = if self.control == 0 { end } else { self.control };
        let mut next = 0;
        core::iter::from_fn(move || {
            while at + CONTROL_HEAD <= end {
                // SAFETY: the program or the kernel wrote control data of this length: a length, a level, a type, the data.
                let (length, level, kind) =
                    unsafe { (*(at as *const usize), *((at + 8) as *const i32), *((at + 12) as *const i32)) };
                let data = at + CONTROL_HEAD + 4 * next;
                if level == SOL_SOCKET as i32 && kind == SCM_RIGHTS && data + 4 <= at + length {
                    next += 1;
                    // SAFETY: as above.
                    return Some(unsafe { *(data as *const i32) } as usize);
                }
                next = 0;
                at += length.max(CONTROL_HEAD).next_multiple_of(8);
            }
            None
        })
    }

    /// Notes what it takes along.
    fn pass_descriptors(&self, queue: u32) {
        for descriptor in self.descriptors() {
            let description = Description::at(descriptor);
            if let Some(description) = description {
                description.record().count.fetch_add(1, Relaxed);
            }
            stream::pass(queue, description.map_or(0, |description| description.0));
        }
    }

    /// Notes what it brought.
    fn take_descriptors(&self, queue: u32, closes_on_exec: bool) {
        for descriptor in self.descriptors() {
            if let Some(description) = stream::next_passed(queue).filter(|description| *description != 0) {
                install(descriptor, Description(description), closes_on_exec);
                object(description).count.fetch_sub(1, Relaxed);
            }
        }
    }
}

/// Bytes before the data in control data.
const CONTROL_HEAD: usize = 16;

/// What is charged to a sender now.
fn charged(descriptor: usize) -> u32 {
    let mut charge = 0_u32;
    sys::call(call::IOCTL, descriptor, SIOCOUTQ, &raw mut charge as usize, 0, 0, 0);
    charge
}

/// Sends; `None` if the socket is not connected here.
pub fn send_message(
    descriptor: usize,
    message: &Message,
    vector: &Vector,
    flags: i32,
    place: u64,
) -> Option<isize> {
    let (me, description) = known(descriptor as i32)?;
    let queue = Some(description.output()).filter(|queue| *queue != 0)?;
    let is_bytes = stream::is_bytes(queue);
    let length = vector.length();
    if is_bytes && length == 0 {
        return None;
    }
    depends_on_options(description, place);
    let choice = choice_of_transfer(descriptor, description, false, flags & MSG_DONTWAIT != 0);
    let manner = Manner { choice, peeks: false, place };
    let is_local = !stream::is_network(queue);
    let moved = stream::send(me, queue, length, manner, |first, length| {
        let part = vector.part(first, length);
        let control_length = if first == 0 { message.control_length } else { 0 };
        let piece = Message { places: part.address(), n_places: part.count(), control_length, ..*message };
        let flags = if is_local { flags | MSG_DONTWAIT } else { flags };
        let moved = patiently(descriptor, POLLOUT, || {
            sys::call(call::SENDMSG, descriptor, &raw const piece as usize, flags as usize, 0, 0, 0)
        });
        if moved >= 0 && first == 0 && message.control_length > 0 {
            message.pass_descriptors(queue);
        }
        let charge = if is_local { charged(descriptor).saturating_sub(stream::charge(queue)) } else { 0 };
        (moved, charge)
    });
    Some(result(moved))
}

/// Receives; `None` if the socket is not connected here.
pub fn receive_message(
    descriptor: usize,
    message: &mut Message,
    vector: &Vector,
    flags: i32,
    place: u64,
) -> Option<isize> {
    let (me, description) = known(descriptor as i32)?;
    let queue = Some(description.input()).filter(|queue| *queue != 0)?;
    depends_on_options(description, place);
    let choice = choice_of_transfer(descriptor, description, true, flags & MSG_DONTWAIT != 0);
    let manner = Manner { choice, peeks: flags & MSG_PEEK != 0, place };
    let (length, wants_all) = (vector.length(), flags & MSG_WAITALL != 0 && stream::is_bytes(queue));
    if stream::has_passed(queue) && (manner.peeks || message.control_length == 0) {
        remark(&[b"descriptors in a message that are not taken out"]);
    }
    let mut received = 0;
    loop {
        let part = vector.part(received, length - received);
        let mut piece = Message { places: part.address(), n_places: part.count(), ..*message };
        let flags = flags & !MSG_WAITALL | MSG_DONTWAIT;
        let moved = stream::receive(me, queue, length - received, manner, || {
            patiently(descriptor, POLLIN, || {
                sys::call(call::RECVMSG, descriptor, &raw mut piece as usize, flags as usize, 0, 0, 0)
            })
        });
        if moved < 0 {
            return Some(if received > 0 { received as isize } else { result(moved) });
        }
        if piece.control_length > 0 {
            piece.take_descriptors(queue, flags & MSG_CMSG_CLOEXEC != 0);
        }
        if received == 0 {
            let Message { places, n_places, .. } = *message;
            *message = Message { places, n_places, ..piece };
        }
        received += moved as usize;
        if moved == 0 || !wants_all || received >= length || manner.peeks {
            return Some(received as isize);
        }
    }
}

fn sent(name: &[u8], descriptor: i32, message: Message, vector: &Vector, flags: i32, place: u64) -> isize {
    touch_if_closed(descriptor, place);
    send_message(descriptor as usize, &message, vector, flags, place).unwrap_or_else(|| {
        let whole = Message { places: vector.address(), n_places: vector.count(), ..message };
        let call = || {
            sys::call(call::SENDMSG, descriptor as usize, &raw const whole as usize, flags as usize, 0, 0, 0)
        };
        // Who is not connected gets an error, and nobody notices.
        if known(descriptor).is_some() { result(call()) } else { uncontrolled(name, call) }
    })
}

fn received(
    name: &[u8],
    descriptor: i32,
    message: &mut Message,
    vector: &Vector,
    flags: i32,
    place: u64,
) -> isize {
    touch_if_closed(descriptor, place);
    receive_message(descriptor as usize, message, vector, flags, place).unwrap_or_else(|| {
        let Message { places, n_places, .. } = *message;
        (message.places, message.n_places) = (vector.address(), vector.count());
        let at = &raw mut *message as usize;
        let call = || sys::call(call::RECVMSG, descriptor as usize, at, flags as usize, 0, 0, 0);
        let value = if known(descriptor).is_some() { result(call()) } else { uncontrolled(name, call) };
        (message.places, message.n_places) = (places, n_places);
        value
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn send(descriptor: i32, bytes: usize, length: usize, flags: i32) -> isize {
    let place = caller();
    given(bytes, length, caller_frame(), |bytes| {
        sent(b"send", descriptor, Message::PLAIN, &Vector::single(bytes, length), flags, place)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sendto(
    descriptor: i32,
    bytes: usize,
    length: usize,
    flags: i32,
    name: usize,
    name_length: u32,
) -> isize {
    let place = caller();
    let message = Message { name, name_length, ..Message::PLAIN };
    given(bytes, length, caller_frame(), |bytes| {
        sent(b"sendto", descriptor, message, &Vector::single(bytes, length), flags, place)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn sendmsg(descriptor: i32, message: *const Message, flags: i32) -> isize {
    // SAFETY: the program passes a message.
    let message = unsafe { *message };
    let vector = Vector::Given { address: message.places, count: message.n_places };
    let place = caller();
    given_places(&vector, caller_frame(), || sent(b"sendmsg", descriptor, message, &vector, flags, place))
}

fn receive_into(descriptor: i32, bytes: usize, length: usize, flags: i32, place: u64, frame: Frame) -> isize {
    let mut message = Message::PLAIN;
    filled(bytes, length, frame, |bytes| {
        received(b"recv", descriptor, &mut message, &Vector::single(bytes, length), flags, place)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn recv(descriptor: i32, bytes: usize, length: usize, flags: i32) -> isize {
    receive_into(descriptor, bytes, length, flags, caller(), caller_frame())
}

/// The same, called by programs that have the room checked.
#[unsafe(no_mangle)]
pub extern "C" fn __recv_chk(descriptor: i32, bytes: usize, length: usize, room: usize, flags: i32) -> isize {
    if length > room {
        // It says so and ends the program.
        return real!(c"__recv_chk": fn(i32, usize, usize, usize, i32) -> isize, (descriptor, bytes, length, room, flags));
    }
    receive_into(descriptor, bytes, length, flags, caller(), caller_frame())
}

#[unsafe(no_mangle)]
pub extern "C" fn recvfrom(
    descriptor: i32,
    bytes: usize,
    length: usize,
    flags: i32,
    name: usize,
    name_length: *mut u32,
) -> isize {
    let room = Room { bytes, length, name, name_length };
    receive_from(descriptor, &room, flags, caller(), caller_frame())
}

#[unsafe(no_mangle)]
pub extern "C" fn __recvfrom_chk(
    descriptor: i32,
    bytes: usize,
    length: usize,
    room: usize,
    flags: i32,
    name: usize,
    name_length: *mut u32,
) -> isize {
    if length > room {
        return real!(c"__recvfrom_chk": fn(i32, usize, usize, usize, i32, usize, *mut u32) -> isize,
            (descriptor, bytes, length, room, flags, name, name_length));
    }
    let room = Room { bytes, length, name, name_length };
    receive_from(descriptor, &room, flags, caller(), caller_frame())
}

/// Room for a message and for the name of who sent it.
struct Room {
    bytes: usize,
    length: usize,
    name: usize,
    name_length: *mut u32,
}

fn receive_from(descriptor: i32, room: &Room, flags: i32, place: u64, frame: Frame) -> isize {
    let Room { bytes, length, name, name_length } = *room;
    let wants_name = name != 0 && !name_length.is_null();
    // SAFETY: the program passes the length of the room for the name.
    let name_room = if wants_name { unsafe { *name_length } } else { 0 };
    let name = if wants_name { name } else { 0 };
    let mut message = Message { name, name_length: name_room, ..Message::PLAIN };
    let value = filled(bytes, length, frame, |bytes| {
        received(b"recvfrom", descriptor, &mut message, &Vector::single(bytes, length), flags, place)
    });
    if wants_name {
        // SAFETY: as above.
        unsafe { *name_length = message.name_length };
    }
    value
}

#[unsafe(no_mangle)]
pub extern "C" fn recvmsg(descriptor: i32, message: *mut Message, flags: i32) -> isize {
    // SAFETY: the program passes a message with room.
    let message = unsafe { &mut *message };
    let vector = Vector::Given { address: message.places, count: message.n_places };
    let place = caller();
    filled_places(&vector, caller_frame(), || {
        received(b"recvmsg", descriptor, message, &vector, flags, place)
    })
}

/// Reading a socket like a file; `None` if it is not connected here.
pub fn read(descriptor: usize, vector: &Vector, place: u64) -> Option<isize> {
    receive_message(descriptor, &mut Message::PLAIN.clone(), vector, 0, place)
}

/// Writing a socket like a file.
pub fn write(descriptor: usize, vector: &Vector, place: u64) -> Option<isize> {
    send_message(descriptor, &Message::PLAIN, vector, 0, place)
}

#[unsafe(no_mangle)]
pub extern "C" fn shutdown(descriptor: i32, how: i32) -> i32 {
    let place = caller();
    touch_if_closed(descriptor, place);
    let connected = known(descriptor).filter(|(_, description)| description.input() != 0);
    if let Some((me, description)) = connected {
        before(me, description.operation(Kind::QueueChange, place));
    }
    let shut = sys::call(call::SHUTDOWN, descriptor as usize, how as usize, 0, 0, 0, 0);
    if let Some((_, description)) = connected.filter(|_| shut >= 0) {
        if how != 1 {
            stream::shut(description.input(), true);
        }
        if how != 0 {
            stream::shut(description.output(), false);
        }
    }
    result(shut) as i32
}

const OPTIONS: &[u8] = b"the options of a socket";

/// The options of a socket, of which it is known only which description has them.
fn options(description: Description) -> Used {
    keep(hash(OPTIONS), OPTIONS);
    let identity = mixed(u64::from(description.0), u64::from(hash(OPTIONS)));
    Used { role: Role::Description, identity, name: hash(OPTIONS) }
}

/// Sizes of buffers and limits of time decide what a transfer does.
fn depends_on_options(description: Description, place: u64) {
    if is_marked(OPTIONS) {
        step(place, |uses| uses.reads(options(description)));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn setsockopt(descriptor: i32, level: i32, name: i32, value: *const u64, length: u32) -> i32 {
    let (level_word, name_word) = (level as usize, name as usize);
    let socket = known(descriptor);
    if let Some((me, description)) = socket {
        if level_word == SOL_SOCKET && OF_TRANSFERS.contains(&name) {
            marks(OPTIONS);
            if is_marked(OPTIONS) && is_concurrent() {
                // A transfer looks at the options and moves bytes, in two steps; so here are two,
                // in the other order.
                before(me, description.changing(caller()));
            }
        }
        step(caller(), |uses| uses.writes(options(description)));
    }
    let set = sys::call(
        call::SETSOCKOPT,
        descriptor as usize,
        level_word,
        name_word,
        value as usize,
        length as usize,
        0,
    );
    if let Some((_, description)) = socket.filter(|_| set >= 0 && level_word == SOL_SOCKET) {
        if name_word == SO_SNDBUF && description.output() != 0 {
            stream::set_limit(description.output(), send_limit(descriptor as usize));
        }
        if matches!(name, SO_RCVTIMEO | SO_SNDTIMEO) && length >= 16 {
            // SAFETY: the kernel has just read a time of two words.
            let is_limited = unsafe { *value != 0 || *value.add(1) != 0 };
            description.set_time_limit(name == SO_RCVTIMEO, is_limited);
        }
        // SAFETY: the kernel has just read a number.
        if name == SO_RCVLOWAT && unsafe { *value.cast::<i32>() } > 1 {
            remark(&[b"SO_RCVLOWAT"]);
        }
    }
    result(set) as i32
}

/// Options that matter to who sends or receives: sizes, limits of time, what comes with a message.
const OF_TRANSFERS: [i32; 12] =
    [SO_SNDBUF as i32, 8, 10, 16, SO_RCVLOWAT, SO_RCVTIMEO, SO_SNDTIMEO, 29, 32, 33, 35, 42];
const SO_ERROR: i32 = 4;
const SO_RCVLOWAT: i32 = 18;
const SO_ACCEPTCONN: i32 = 30;

#[unsafe(no_mangle)]
pub extern "C" fn getsockopt(
    descriptor: i32,
    level: i32,
    name: i32,
    value: *mut c_void,
    length: *mut u32,
) -> i32 {
    if let Some((me, description)) = known(descriptor) {
        if level as usize == SOL_SOCKET && matches!(name, SO_ERROR | SO_ACCEPTCONN) {
            asks_for_state(me, description, caller());
        } else {
            step(caller(), |uses| uses.reads(options(description)));
        }
    }
    let call = || {
        let (descriptor, level, name) = (descriptor as usize, level as usize, name as usize);
        sys::call(call::GETSOCKOPT, descriptor, level, name, value as usize, length as usize, 0)
    };
    result(tells_so_much(value, length, caller_frame(), call)) as i32
}

/// Announces a look at what binding, listening and connecting change.
fn asks_for_state(me: usize, description: Description, place: u64) {
    if is_concurrent() {
        before(me, Operation { kind: Kind::QueuePoll, object: description.0, place, ..Operation::default() });
    }
}

/// Lets the kernel write to memory of the program, and how much that was.
fn tells_so_much(value: *mut c_void, length: *mut u32, frame: Frame, call: impl FnOnce() -> isize) -> isize {
    if value.is_null() || length.is_null() || !is_watched(frame) {
        return call();
    }
    let (value, length_at) = (value as usize, length as usize);
    range(length_at, 4, false, frame);
    // SAFETY: the program passes how much room there is.
    let room = unsafe { *length } as usize;
    expect_writes(value, room, frame);
    expect_writes(length_at, 4, frame);
    let told = call();
    if told >= 0 {
        // SAFETY: as above.
        note_writes(value, room.min(unsafe { *length } as usize), frame);
        note_writes(length_at, 4, frame);
    }
    told
}

/// The address of a socket, or of the one that it is connected to.
macro_rules! names {
    ($($name:ident $number:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(descriptor: i32, address: *mut c_void, length: *mut u32) -> i32 {
            if let Some((me, description)) = known(descriptor) {
                asks_for_state(me, description, caller());
            }
            let call = || sys::call($number, descriptor as usize, address as usize, length as usize, 0, 0, 0);
            result(tells_so_much(address, length, caller_frame(), call)) as i32
        })*
    };
}

names! {
    getsockname call::GETSOCKNAME;
    getpeername call::GETPEERNAME;
}
