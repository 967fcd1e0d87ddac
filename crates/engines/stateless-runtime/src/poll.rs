//! Waiting for any of several descriptors: `poll`, `select`.
//!
//! What is waited for is a list of queues, each with conditions; a poll can go on when one of them is met. It changes nothing, and depends on
//! whatever is done to the queues. What is ready is then asked of the kernel, which knows it in every detail.

use core::ptr::null;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::descriptors::{Description, result, touch_closed, what};
use crate::epoll;
use crate::event;
use crate::interrupt::{point, wait_at};
use crate::limits_of_time;
use crate::objects::{object, reserve};
use crate::schedule::was_fruitless;
use crate::sigwait::masked;
use crate::socket;
use crate::stream;
use crate::sys::{
    self,
    errno::{EINTR, EINVAL},
    fails,
};
use crate::time::{Time, duration, is_length, note_wait, rest_of_wait};
use crate::token::{caller, controlled, region, remark, remark_outsider};

const SELECT: usize = 23;
pub const POLLIN: u32 = 1;
pub const POLLOUT: u32 = 4;
/// Other bits that ask whether something could be read, or written.
const READS: u32 = POLLIN | 0x40 | 0x80 | 0x2000;
const WRITES: u32 = POLLOUT | 0x100 | 0x200;

/// Conditions under which a queue is ready.
mod condition {
    /// There is something to read, or the end.
    pub const READ: u32 = 1;
    /// There is room, or nobody reads any more.
    pub const WRITE: u32 = 2;
    /// Nobody writes any more.
    pub const ENDED: u32 = 4;
    /// Nobody reads any more.
    pub const BROKEN: u32 = 8;
}

/// Is an object ready under one of the conditions?
pub fn is_ready(number: u32, conditions: u32) -> bool {
    let wants = |condition: u32| conditions & condition != 0;
    match ObjectKind::from_number(object(number).kind.load(Relaxed)) {
        ObjectKind::Address => socket::can_accept(number),
        ObjectKind::Event => {
            wants(condition::READ) && event::can_take(number)
                || wants(condition::WRITE) && event::can_put(number, 1)
        }
        ObjectKind::Pipe | ObjectKind::Socket => {
            wants(condition::READ) && stream::can_take(number)
                || wants(condition::WRITE) && stream::is_writable(number)
                || wants(condition::ENDED) && stream::has_ended(number)
                || wants(condition::BROKEN) && stream::is_broken(number)
        }
        _ => false,
    }
}

/// Can it go on?
pub fn can_go_on(operation: &Operation) -> bool {
    if operation.object != 0 {
        return epoll::is_ready(Description(operation.object));
    }
    (operation.list..operation.list + operation.length).any(|at| {
        let watched = region().semop(at);
        is_ready(watched.index, watched.change as u32)
    })
}

const MOST: usize = 128;

/// What is watched: objects and conditions, each object once.
pub struct Watched {
    list: [(u32, u32); MOST],
    length: usize,
}

impl Watched {
    pub const NOTHING: Watched = Watched { list: [(0, 0); MOST], length: 0 };

    fn add(&mut self, object: u32, conditions: u32) {
        if object == 0 {
            return;
        }
        if let Some(known) = self.list[..self.length].iter_mut().find(|known| known.0 == object) {
            known.1 |= conditions;
        } else if self.length < MOST {
            self.list[self.length] = (object, conditions);
            self.length += 1;
        } else {
            remark(&[b"a poll of very many descriptors"]);
        }
    }

    /// Adds what is behind a description, under the conditions that these events ask for.
    pub fn add_description(&mut self, description: Description, events: u32) {
        let reads = if events & READS != 0 { condition::READ } else { 0 };
        let writes = if events & WRITES != 0 { condition::WRITE } else { 0 };
        match description.what() {
            what::EVENT => self.add(event::of(description), reads | writes),
            what::SOCKET if description.input() == 0 => self.add(socket::address_of(description), reads),
            what::SOCKET => {
                self.add(description.input(), reads);
                self.add(description.output(), writes);
            }
            what::PIPE => {
                self.add(description.input(), reads | condition::ENDED);
                self.add(description.output(), writes | condition::BROKEN);
            }
            _ => {}
        }
    }

    /// Is anything of it ready?
    pub fn is_ready(&self) -> bool {
        self.list[..self.length].iter().any(|(object, conditions)| is_ready(*object, *conditions))
    }

    /// The operation that waits for it, or looks at it.
    pub fn operation(&self, waits: bool, object: u32, place: u64) -> Operation {
        let list = reserve(2 * self.length) / 2;
        for (number, (object, conditions)) in self.list[..self.length].iter().enumerate() {
            let at = 2 * (list as usize + number);
            region().pool[at].store(*object, Relaxed);
            region().pool[at + 1].store(*conditions, Relaxed);
        }
        let kind = if waits { Kind::PollWait } else { Kind::PollTry };
        Operation { kind, object, list, length: self.length as u32, place, ..Operation::default() }
    }
}

/// A `struct pollfd`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Entry {
    descriptor: i32,
    events: u16,
    found: u16,
}

/// Who asks: the descriptors, and whether one that is not known here makes it go on at once.
struct Question {
    watched: Watched,
    is_ready_outside: bool,
}

impl Question {
    const EMPTY: Question = Question { watched: Watched::NOTHING, is_ready_outside: false };

    fn add(&mut self, descriptor: usize, events: u32, place: u64) {
        match Description::at(descriptor).filter(|description| is_watchable(*description)) {
            Some(description) => self.watched.add_description(description, events),
            None => {
                touch_closed(descriptor, place);
                let mut entry = Entry { descriptor: descriptor as i32, events: events as u16, found: 0 };
                if sys::call(sys::POLL, &raw mut entry as usize, 1, 0, 0, 0, 0) != 0 {
                    self.is_ready_outside = true;
                } else if events != 0 {
                    // Who asks for nothing wants to know whether it is open.
                    remark_outsider(&[b"poll of something that is not modelled"]);
                }
            }
        }
    }

    /// Waits its turn, then asks the kernel with `call`. The time limit is in nanoseconds.
    fn answer(
        &self,
        me: usize,
        limit: Option<u64>,
        place: u64,
        point: u32,
        call: impl Fn() -> isize,
    ) -> isize {
        if self.watched.length == 0 && !self.is_ready_outside && limit.is_some() {
            let is_interrupted = rest_of_wait(me, limit.unwrap_or(0), place, point) > 0;
            return if is_interrupted { -(EINTR as isize) } else { call() };
        }
        let waits = limit.is_none() && !self.is_ready_outside;
        let takes_time = limit.is_some_and(|limit| limit > 0) && !self.is_ready_outside;
        let point = point | if takes_time { point::TAKES_TIME } else { 0 };
        let wait = || wait_at(me, self.watched.operation(waits, 0, place), point);
        let waited = match limit {
            Some(limit) if takes_time => limits_of_time::within(me, limit, place, wait),
            _ => wait(),
        };
        if waited.is_none() {
            return -(EINTR as isize);
        }
        let is_ready = self.is_ready_outside || self.watched.is_ready();
        let mut found = call();
        for _ in 0..PATIENCE {
            if found != 0 || !is_ready {
                break;
            }
            // The kernel is a moment behind.
            sys::call(sys::POLL, 0, 0, 1, 0, 0, 0);
            found = call();
        }
        if found == 0 && is_ready {
            remark(&[b"poll of something that somebody else uses"]);
        }
        if found == 0 {
            region().header.clock.fetch_add(limit.unwrap_or(0), Relaxed);
            if takes_time {
                note_wait(place);
            }
            was_fruitless(me, place);
        }
        found
    }
}

/// How often the kernel is asked again, a millisecond apart.
const PATIENCE: usize = 200;

fn is_watchable(description: Description) -> bool {
    matches!(description.what(), what::PIPE | what::SOCKET | what::EVENT)
}

fn polled(entries: *mut Entry, count: usize, limit: Option<u64>, mask: *const u64, place: u64) -> isize {
    let call = |time: usize| sys::call(sys::POLL, entries as usize, count, time, 0, 0, 0);
    let Some(me) = controlled() else {
        let time = limit.map_or(-1, |limit| (limit / 1_000_000) as isize);
        return result(call(time as usize));
    };
    let mut question = Question::EMPTY;
    // SAFETY: the program passes so many entries.
    let list = if count == 0 { &[] } else { unsafe { core::slice::from_raw_parts(entries, count) } };
    for entry in list.iter().filter(|entry| entry.descriptor >= 0) {
        question.add(entry.descriptor as usize, u32::from(entry.events), place);
    }
    result(masked(me, mask, place, |point| question.answer(me, limit, place, point, || call(0))))
}

#[unsafe(no_mangle)]
pub extern "C" fn poll(entries: *mut Entry, count: usize, milliseconds: i32) -> i32 {
    let limit = u64::try_from(milliseconds).ok().map(|time| time * 1_000_000);
    polled(entries, count, limit, null(), caller()) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn __poll_chk(entries: *mut Entry, count: usize, milliseconds: i32, _: usize) -> i32 {
    let limit = u64::try_from(milliseconds).ok().map(|time| time * 1_000_000);
    polled(entries, count, limit, null(), caller()) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn ppoll(entries: *mut Entry, count: usize, time: *const Time, mask: *const u64) -> i32 {
    if !time.is_null() && !is_length(time) {
        return fails(EINVAL);
    }
    polled(entries, count, (!time.is_null()).then(|| duration(time)), mask, caller()) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn __ppoll_chk(
    entries: *mut Entry,
    count: usize,
    time: *const Time,
    mask: *const u64,
    _: usize,
) -> i32 {
    if !time.is_null() && !is_length(time) {
        return fails(EINVAL);
    }
    polled(entries, count, (!time.is_null()).then(|| duration(time)), mask, caller()) as i32
}

/// A `fd_set`.
type Set = [u64; 16];

fn selected(count: i32, sets: [*mut Set; 3], limit: Option<u64>, mask: *const u64, place: u64) -> isize {
    let contains = |set: *mut Set, descriptor: usize| {
        // SAFETY: the program passes sets, or null pointers.
        !set.is_null() && unsafe { (*set)[descriptor / 64] } >> (descriptor % 64) & 1 != 0
    };
    let Some(me) = controlled() else { return result(ask_select(count, sets, limit)) };
    let mut question = Question::EMPTY;
    for descriptor in 0..(count.max(0) as usize).min(1024) {
        let wants = |number: usize, events: u32| if contains(sets[number], descriptor) { events } else { 0 };
        // The same bits as the kernel uses for `select`.
        let events = wants(0, 0x41) | wants(1, 0x104) | wants(2, 2);
        if events != 0 {
            question.add(descriptor, events, place);
        }
    }
    // SAFETY: as above.
    let saved = sets.map(|set| if set.is_null() { [0; 16] } else { unsafe { *set } });
    let ask = || {
        for (set, saved) in sets.iter().zip(saved) {
            if !set.is_null() {
                restore(*set, &saved, count);
            }
        }
        ask_select(count, sets, Some(0))
    };
    result(masked(me, mask, place, |point| question.answer(me, limit, place, point, ask)))
}

/// Only as much of a set as is in use belongs to it.
fn restore(set: *mut Set, saved: &Set, count: i32) {
    for (number, word) in saved.iter().enumerate().take((count.max(0) as usize).div_ceil(64)) {
        // SAFETY: the program passes a set with room for so many descriptors.
        unsafe { (*set)[number] = *word };
    }
}

fn ask_select(count: i32, sets: [*mut Set; 3], limit: Option<u64>) -> isize {
    let time = limit.map(|limit| [limit / 1_000_000_000, limit % 1_000_000_000 / 1000]);
    let time = time.as_ref().map_or(0, |time| time.as_ptr() as usize);
    let [reads, writes, others] = sets.map(|set| set as usize);
    sys::call(SELECT, count as usize, reads, writes, others, time, 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn select(
    count: i32,
    reads: *mut Set,
    writes: *mut Set,
    others: *mut Set,
    time: *const [i64; 2],
) -> i32 {
    let place = caller();
    // SAFETY: the program passes seconds and microseconds, or a null pointer.
    let time = (!time.is_null()).then(|| unsafe { *time });
    if time.is_some_and(|[seconds, rest]| seconds < 0 || rest < 0) {
        return fails(EINVAL);
    }
    let limit = time.map(|[seconds, rest]| seconds.max(0) as u64 * 1_000_000_000 + rest.max(0) as u64 * 1000);
    selected(count, [reads, writes, others], limit, null(), place) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn pselect(
    count: i32,
    reads: *mut Set,
    writes: *mut Set,
    others: *mut Set,
    time: *const Time,
    mask: *const u64,
) -> i32 {
    if !time.is_null() && !is_length(time) {
        return fails(EINVAL);
    }
    let limit = (!time.is_null()).then(|| duration(time));
    selected(count, [reads, writes, others], limit, mask, caller()) as i32
}
