//! Queues of bytes or messages between descriptors: what is in each and who has its ends open is mirrored here; the kernel moves the bytes.
//!
//! A queue holds *pieces*, as in the kernel. Those of a pipe are pages: a small write joins the last page if there is room for all of it, so a pipe
//! can be full with fewer bytes than pages hold. Those of a socket are what one call sent; each is charged to the sender until it was
//! read, and there is room as long as less is charged than the limit.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::descriptors::Description;
use crate::nonblocking::Choice;
use crate::objects::{in_space, object, reserve};
use crate::schedule::was_fruitless;
use crate::signal;
use crate::sys::errno::{EAGAIN, EINTR};
use crate::token::{region, remark};

/// The space of queues, which are numbered.
const QUEUES: u32 = 0x4200_0000;
/// The space of FIFOs, by device and inode.
const FIFOS: u32 = 0x4500_0000;
const PAGE: usize = 4096;
/// Pages of a FIFO.
const FIFO_PAGES: u32 = 16;
/// What one piece of a stream socket holds at most.
const PIECE: usize = 32768;
/// More pieces than that are not charged below the usual limit.
const SOCKET_PIECES: u32 = 512;
/// What the kernel charges for a single byte, at least.
const SMALLEST_CHARGE: u32 = 512;
/// A connection over the network holds at least so many bytes; how many more is not known here.
const NETWORK_ROOM: i32 = 65536;

/// What a queue is, in its flavour.
pub mod flavour {
    pub const PIPE: u8 = 1;
    /// A direction of a local stream socket.
    pub const STREAM: u8 = 2;
    /// The same with messages that stay apart.
    pub const MESSAGES: u8 = 3;
    /// The same without an end: who reads does not notice that the writer has gone.
    pub const DATAGRAMS: u8 = 4;
    /// A direction of a connection over the network.
    pub const NETWORK: u8 = 5;
}

/// The words of a queue in the pool; the pieces follow, two words each.
#[derive(Clone, Copy)]
enum Word {
    Writers,
    Readers,
    /// Which piece is the first.
    First,
    Pieces,
    /// What is charged, of a socket.
    Charge,
    /// How much may be charged; how many pages a pipe has.
    Limit,
    /// Who shut it down, see [`shut`].
    Shut,
    /// Changes with everything that happens.
    Version,
    Room,
    /// How often an end was opened.
    ReaderArrivals,
    WriterArrivals,
    /// The descriptions in messages, a list in the pool: the next one, and which.
    Passed,
}

const HEAD: usize = 12;

fn word(queue: u32, which: Word) -> &'static AtomicU32 {
    &region().pool[object(queue).list.load(Relaxed) as usize + which as usize]
}

fn get(queue: u32, which: Word) -> u32 {
    word(queue, which).load(Relaxed)
}

/// A piece: its length and, in a pipe, where in its page it ends, in a socket what it is charged.
fn piece(queue: u32, number: u32) -> (&'static AtomicU32, &'static AtomicU32) {
    let room = get(queue, Word::Room);
    let position = (get(queue, Word::First) + number) % room;
    let at = object(queue).list.load(Relaxed) as usize + HEAD + 2 * position as usize;
    (&region().pool[at], &region().pool[at + 1])
}

/// A new queue; the limit is pages of a pipe, or what a sender can be charged.
pub fn new(flavour: u8, limit: u32) -> u32 {
    let place = u64::from(region().header.n_objects.load(Relaxed));
    let is_pipe = flavour == flavour::PIPE;
    let room = if is_pipe { limit } else { SOCKET_PIECES };
    let kind = if is_pipe { ObjectKind::Pipe } else { ObjectKind::Socket };
    queue_in(QUEUES, place, kind, flavour, limit, room)
}

/// Has a queue a name?
pub fn is_fifo(queue: u32) -> bool {
    object(queue).space.load(Relaxed) == FIFOS
}

/// The queue of a FIFO.
pub fn fifo(identity: u64) -> u32 {
    queue_in(FIFOS, identity, ObjectKind::Pipe, flavour::PIPE, FIFO_PAGES, FIFO_PAGES)
}

fn queue_in(space: u32, place: u64, kind: ObjectKind, flavour: u8, limit: u32, room: u32) -> u32 {
    in_space(kind, space, place, |queue| {
        let list = reserve(HEAD + 2 * room as usize);
        queue.flavour.store(flavour, Relaxed);
        queue.list.store(list, Relaxed);
        region().pool[list as usize + Word::Room as usize].store(room, Relaxed);
        region().pool[list as usize + Word::Limit as usize].store(limit, Relaxed);
    })
}

fn flavour_of(queue: u32) -> u8 {
    object(queue).flavour.load(Relaxed)
}

fn change(queue: u32, which: Word, by: i32) {
    if queue != 0 {
        let word = word(queue, which);
        word.store(word.load(Relaxed).wrapping_add_signed(by), Relaxed);
        self::word(queue, Word::Version).fetch_add(1, Relaxed);
    }
}

pub fn add_reader(queue: u32) {
    change(queue, Word::Readers, 1);
    change(queue, Word::ReaderArrivals, 1);
}

pub fn add_writer(queue: u32) {
    change(queue, Word::Writers, 1);
    change(queue, Word::WriterArrivals, 1);
}

pub fn remove_reader(queue: u32) {
    change(queue, Word::Readers, -1);
    forget_contents(queue);
}

pub fn remove_writer(queue: u32) {
    change(queue, Word::Writers, -1);
    forget_contents(queue);
}

/// What was in a FIFO is lost when nobody has it open.
fn forget_contents(queue: u32) {
    if queue != 0 && !has_reader(queue) && !has_writer(queue) {
        word(queue, Word::Pieces).store(0, Relaxed);
        object(queue).count.store(0, Relaxed);
    }
}

pub fn has_reader(queue: u32) -> bool {
    get(queue, Word::Readers) > 0
}

pub fn has_writer(queue: u32) -> bool {
    get(queue, Word::Writers) > 0
}

/// How often the reading or the writing end was opened.
pub fn arrivals(queue: u32, of_writers: bool) -> u32 {
    get(queue, if of_writers { Word::WriterArrivals } else { Word::ReaderArrivals })
}

/// A pipe got another size, in bytes.
pub fn set_pipe_size(description: Description, bytes: usize) {
    let queue = if description.input() == 0 { description.output() } else { description.input() };
    let (pages, old) = ((bytes / PAGE) as u32, get(queue, Word::Room));
    if flavour_of(queue) != flavour::PIPE || pages == get(queue, Word::Limit) {
        return;
    }
    if pages > old {
        remark(&[b"a pipe that was made larger"]);
    } else {
        word(queue, Word::Limit).store(pages, Relaxed);
    }
}

/// How much the sender is charged now.
pub fn charge(queue: u32) -> u32 {
    get(queue, Word::Charge)
}

pub fn set_limit(queue: u32, limit: u32) {
    word(queue, Word::Limit).store(limit, Relaxed);
    if limit > SOCKET_PIECES * SMALLEST_CHARGE {
        remark(&[b"a socket with a larger buffer"]);
    }
}

const BY_WRITER: u32 = 1;
const BY_READER: u32 = 2;

/// Nothing more can be written. Who reads datagrams does not notice unless he did it himself.
pub fn shut(queue: u32, by_reader: bool) {
    word(queue, Word::Shut).fetch_or(if by_reader { BY_READER } else { BY_WRITER }, Relaxed);
    change(queue, Word::Version, 1);
}

/// Are there no messages that stay apart?
pub fn is_bytes(queue: u32) -> bool {
    matches!(flavour_of(queue), flavour::PIPE | flavour::STREAM | flavour::NETWORK)
}

pub fn is_network(queue: u32) -> bool {
    flavour_of(queue) == flavour::NETWORK
}

/// Changes with everything that happens to a queue.
pub fn version(queue: u32) -> u32 {
    if queue == 0 { 0 } else { get(queue, Word::Version) }
}

/// Notes that a message brings a description along, or something that is not known here, 0.
pub fn pass(queue: u32, description: u32) {
    let node = reserve(2).max(2);
    region().pool[node as usize + 1].store(description, Relaxed);
    let mut last = word(queue, Word::Passed);
    while last.load(Relaxed) != 0 {
        last = &region().pool[last.load(Relaxed) as usize];
    }
    last.store(node, Relaxed);
}

/// The next description that a message brings along.
pub fn next_passed(queue: u32) -> Option<u32> {
    let first = word(queue, Word::Passed);
    let node = first.load(Relaxed) as usize;
    (node != 0).then(|| {
        first.store(region().pool[node].load(Relaxed), Relaxed);
        region().pool[node + 1].load(Relaxed)
    })
}

pub fn has_passed(queue: u32) -> bool {
    get(queue, Word::Passed) != 0
}

/// Will nobody write any more?
pub fn has_ended(queue: u32) -> bool {
    get(queue, Word::Shut) != 0 || flavour_of(queue) != flavour::DATAGRAMS && get(queue, Word::Writers) == 0
}

/// Will nobody read any more?
pub fn is_broken(queue: u32) -> bool {
    get(queue, Word::Shut) != 0 || get(queue, Word::Readers) == 0
}

fn is_empty(queue: u32) -> bool {
    get(queue, Word::Pieces) == 0
}

/// Would reading succeed, or end at once?
pub fn can_take(queue: u32) -> bool {
    !is_empty(queue) || has_ended(queue)
}

/// Would writing so much succeed at least in part, or fail at once?
pub fn can_put(queue: u32, length: usize) -> bool {
    is_broken(queue) || room_for(queue, length).is_some()
}

/// How much of so much there is room for now; `None` if the writer has to wait.
fn room_for(queue: u32, length: usize) -> Option<usize> {
    match flavour_of(queue) {
        flavour::PIPE => {
            let joins = joins_last_page(queue, length);
            let pages = get(queue, Word::Limit).saturating_sub(get(queue, Word::Pieces)) as usize;
            Some((joins + pages * PAGE).min(length)).filter(|room| *room > 0)
        }
        flavour::NETWORK => Some(length),
        kind => {
            let has_room = get(queue, Word::Charge) < get(queue, Word::Limit)
                && get(queue, Word::Pieces) < get(queue, Word::Room);
            has_room.then_some(if kind == flavour::STREAM { length.min(PIECE) } else { length })
        }
    }
}

/// How many bytes of a write join the last page: what is left over when it is cut into whole pages, if that fits.
fn joins_last_page(queue: u32, length: usize) -> usize {
    let rest = length % PAGE;
    let n_pieces = get(queue, Word::Pieces);
    let fits = n_pieces > 0 && piece(queue, n_pieces - 1).1.load(Relaxed) as usize + rest <= PAGE;
    if fits { rest } else { 0 }
}

/// Could a poll write?
pub fn is_writable(queue: u32) -> bool {
    is_broken(queue)
        || match flavour_of(queue) {
            flavour::PIPE => get(queue, Word::Pieces) < get(queue, Word::Limit),
            flavour::NETWORK => true,
            _ => get(queue, Word::Charge) * 4 <= get(queue, Word::Limit),
        }
}

/// Notes that so much was written, and charged.
fn put(queue: u32, mut length: usize, charge: u32) {
    object(queue).count.fetch_add(length as i32, Relaxed);
    change(queue, Word::Charge, charge as i32);
    match flavour_of(queue) {
        flavour::PIPE => {
            let joins = joins_last_page(queue, length);
            if joins > 0 {
                let (bytes, end) = piece(queue, get(queue, Word::Pieces) - 1);
                bytes.fetch_add(joins as u32, Relaxed);
                end.fetch_add(joins as u32, Relaxed);
            }
            length -= joins;
            while length > 0 {
                let page = length.min(PAGE);
                append(queue, page as u32, page as u32);
                length -= page;
            }
        }
        flavour::NETWORK if !is_empty(queue) => {
            piece(queue, 0).0.fetch_add(length as u32, Relaxed);
        }
        _ => append(queue, length as u32, charge),
    }
    if flavour_of(queue) == flavour::NETWORK && object(queue).count.load(Relaxed) > NETWORK_ROOM {
        remark(&[b"a connection with much to read: when writing has to wait is not known"]);
    }
}

fn append(queue: u32, length: u32, charge: u32) {
    let number = get(queue, Word::Pieces);
    let (bytes, rest) = piece(queue, number);
    bytes.store(length, Relaxed);
    rest.store(charge, Relaxed);
    change(queue, Word::Pieces, 1);
}

/// Notes that so much was read.
fn take(queue: u32, mut length: usize) {
    let is_bytes = is_bytes(queue);
    while !is_empty(queue) {
        let (bytes, charge) = piece(queue, 0);
        let part =
            if is_bytes { length.min(bytes.load(Relaxed) as usize) } else { bytes.load(Relaxed) as usize };
        bytes.fetch_sub(part as u32, Relaxed);
        object(queue).count.fetch_sub(part as i32, Relaxed);
        length = length.saturating_sub(part);
        if bytes.load(Relaxed) == 0 {
            if flavour_of(queue) != flavour::PIPE {
                change(queue, Word::Charge, -(charge.load(Relaxed) as i32));
            }
            change(queue, Word::First, 1);
            change(queue, Word::Pieces, -1);
        }
        if !is_bytes || length == 0 {
            return;
        }
    }
}

/// How a transfer is meant.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Whether it gives up rather than wait.
    pub choice: Choice,
    /// Reads, and leaves what it read.
    pub peeks: bool,
    pub place: u64,
}

impl Manner {
    /// The operation that takes something out of a queue.
    pub fn taking(self, queue: u32, argument: u64) -> Operation {
        self.operation(
            if self.choice.gives_up { Kind::QueueTryTake } else { Kind::QueueTake },
            queue,
            argument,
        )
    }

    /// The operation that puts something into it.
    pub fn putting(self, queue: u32, argument: u64) -> Operation {
        self.operation(if self.choice.gives_up { Kind::QueueTryPut } else { Kind::QueuePut }, queue, argument)
    }

    fn operation(self, kind: Kind, object: u32, argument: u64) -> Operation {
        let (list, place) = (self.choice.description, self.place);
        Operation { kind, object, argument, list, place, ..Operation::default() }
    }
}

/// Reads with a call to the kernel when that will not wait; the result is that of the kernel.
pub fn receive(
    me: usize,
    queue: u32,
    length: usize,
    mut manner: Manner,
    call: impl FnOnce() -> isize,
) -> isize {
    loop {
        if manner.choice.wait_at(me, manner.taking(queue, length as u64)).is_none() {
            return -(EINTR as isize);
        }
        if can_take(queue) {
            break;
        }
        if manner.choice.fails(me, manner.place) {
            was_fruitless(me, manner.place);
            return -(EAGAIN as isize);
        }
    }
    let moved = call();
    if moved >= 0 && !manner.peeks {
        take(queue, moved as usize);
    }
    moved
}

/// Writes with calls to the kernel that will not wait: from which byte, how many; they return how many and what was charged. A write
/// that waits for room in between is several steps.
pub fn send(
    me: usize,
    queue: u32,
    length: usize,
    mut manner: Manner,
    mut call: impl FnMut(usize, usize) -> (isize, u32),
) -> isize {
    let place = manner.place;
    let mut sent = 0;
    loop {
        let rest = length - sent;
        let is_step = sent == 0 || !manner.choice.gives_up;
        if is_step && manner.choice.wait_at(me, manner.putting(queue, rest as u64)).is_none() {
            return if sent > 0 { sent as isize } else { -(EINTR as isize) };
        }
        if is_broken(queue) {
            // A pipe sends the signal even if a part was written.
            let fails = sent == 0 || flavour_of(queue) == flavour::PIPE;
            let failed = if fails { signal::with_broken_pipe(me, place, || call(sent, rest).0) } else { 0 };
            return if sent > 0 { sent as isize } else { failed };
        }
        let Some(part) = room_for(queue, rest) else {
            if !manner.choice.fails(me, place) {
                continue;
            }
            if sent == 0 {
                was_fruitless(me, place);
                return -(EAGAIN as isize);
            }
            return sent as isize;
        };
        let (moved, charge) = call(sent, part);
        if moved < 0 {
            return if sent > 0 { sent as isize } else { moved };
        }
        put(queue, moved as usize, charge);
        sent += moved as usize;
        if sent >= length || moved == 0 {
            return sent as isize;
        }
    }
}
