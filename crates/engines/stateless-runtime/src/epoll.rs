//! `epoll`: sets of descriptors that are waited for again and again.
//!
//! The kernel has the set, too, and says what is ready; here it is known what is watched, so that it is known who could go on. The
//! kernel's entries carry the position in the list here instead of the program's data.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Operation, state};

use crate::descriptors::{Description, install, result, what};
use crate::event;
use crate::interrupt::{point, wait_at};
use crate::kernel_state::makes_descriptor;
use crate::limits_of_time;
use crate::objects::reserve;
use crate::poll::Watched;
use crate::schedule::{before, was_fruitless};
use crate::sigwait::masked;
use crate::stream;
use crate::sys::{self, errno::EINTR};
use crate::time::{Time, duration};
use crate::token::{caller, controlled, n_threads, region, remark, remark_outsider, thread};

const EPOLL_WAIT: usize = 232;
const EPOLL_CTL: usize = 233;
const EPOLL_CREATE1: usize = 291;
const CLOSES_ON_EXEC: i32 = 0o2_000_000;
const ADD: i32 = 1;
const DELETE: i32 = 2;
const EDGE_TRIGGERED: u32 = 1 << 31;
const ONE_SHOT: u32 = 1 << 30;
const EPOLLHUP: u32 = 0x10;

/// An entry in the pool.
#[derive(Clone, Copy)]
enum Word {
    Descriptor,
    /// 0 if the entry is not in use.
    Description,
    Events,
    Data,
    DataHigh,
    /// The version of the queues when it was reported, if it is edge-triggered.
    Seen,
    IsSeen,
}

const WORDS: usize = 8;
/// Entries that a set has room for.
const ROOM: usize = 256;

/// A `struct epoll_event`.
#[repr(C, packed)]
#[derive(Clone, Copy)]
pub struct Event {
    events: u32,
    data: u64,
}

fn word(set: Description, entry: usize, which: Word) -> &'static AtomicU32 {
    let list = set.record().list.load(Relaxed) as usize;
    &region().pool[list + entry * WORDS + which as usize]
}

fn get(set: Description, entry: usize, which: Word) -> u32 {
    word(set, entry, which).load(Relaxed)
}

/// The entries in use: the kernel drops what was closed. A set has no queues, so `extra` of its record tells how far they go.
fn entries(set: Description) -> impl Iterator<Item = usize> {
    let used = set.record().extra.load(Relaxed) as usize;
    let is_open =
        |description: u32| description != 0 && Description(description).record().count.load(Relaxed) > 0;
    (0..used).filter(move |entry| is_open(get(set, *entry, Word::Description)))
}

/// Changes with everything that happens to what an entry watches.
fn version(description: Description) -> u32 {
    match description.what() {
        what::EVENT => event::version(event::of(description)),
        _ => stream::version(description.input()).wrapping_add(stream::version(description.output())),
    }
}

/// Is something in the set ready, and not reported before if that is asked for?
pub fn is_ready(set: Description) -> bool {
    ready(set).next().is_some()
}

fn ready(set: Description) -> impl Iterator<Item = usize> {
    entries(set).filter(move |entry| {
        let entry = *entry;
        let description = Description(get(set, entry, Word::Description));
        let events = get(set, entry, Word::Events);
        let was_reported = events & EDGE_TRIGGERED != 0
            && get(set, entry, Word::IsSeen) != 0
            && get(set, entry, Word::Seen) == version(description);
        let mut watched = Watched::NOTHING;
        if events != 0 {
            watched.add_description(description, events);
        }
        !was_reported && watched.is_ready()
    })
}

fn operation(set: Description, waits: bool, place: u64) -> Operation {
    let mut watched = Watched::NOTHING;
    for entry in entries(set) {
        let description = Description(get(set, entry, Word::Description));
        watched.add_description(description, get(set, entry, Word::Events));
    }
    watched.operation(waits, set.0, place)
}

#[unsafe(no_mangle)]
pub extern "C" fn epoll_create(_: i32) -> i32 {
    make(0, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn epoll_create1(flags: i32) -> i32 {
    make(flags, caller())
}

fn make(flags: i32, place: u64) -> i32 {
    makes_descriptor(place);
    let made = sys::call(EPOLL_CREATE1, flags as usize, 0, 0, 0, 0, 0);
    if made >= 0 && controlled().is_some() {
        let set = Description::new(what::EPOLL, 0, 0, 0);
        set.record().list.store(reserve(ROOM * WORDS), Relaxed);
        install(made as usize, set, flags & CLOSES_ON_EXEC != 0);
    }
    result(made) as i32
}

fn known(descriptor: i32) -> Option<(usize, Description)> {
    let (me, set) = (controlled()?, Description::at(descriptor as usize)?);
    (set.what() == what::EPOLL).then_some((me, set))
}

#[unsafe(no_mangle)]
pub extern "C" fn epoll_ctl(set_at: i32, action: i32, descriptor: i32, event: *mut Event) -> i32 {
    let place = caller();
    let call = |event: *const Event| {
        let (set, descriptor) = (set_at as usize, descriptor as usize);
        sys::call(EPOLL_CTL, set, action as usize, descriptor, event as usize, 0, 0)
    };
    let Some((me, set)) = known(set_at) else { return result(call(event)) as i32 };
    before(me, Operation { kind: Kind::QueueChange, object: set.0, place, ..Operation::default() });
    let description = Description::at(descriptor as usize);
    let is_same = |entry: &usize| {
        get(set, *entry, Word::Descriptor) == descriptor as u32
            && description.is_some_and(|description| get(set, *entry, Word::Description) == description.0)
    };
    let used = set.record().extra.load(Relaxed) as usize;
    let entry = entries(set).find(is_same).unwrap_or(used);
    if entry >= ROOM {
        remark(&[b"a large set of epoll"]);
        return result(call(event)) as i32;
    }
    if event.is_null() || action == DELETE {
        let done = call(event);
        if done >= 0 {
            word(set, entry, Word::Description).store(0, Relaxed);
            refresh(set);
        }
        return result(done) as i32;
    }
    // SAFETY: the program passes an event.
    let wanted = unsafe { *event };
    let done = call(&Event { events: wanted.events, data: entry as u64 });
    if done >= 0 {
        set_entry(set, entry, descriptor, description, wanted);
        if action == ADD && entry == used {
            set.record().extra.store(used as u32 + 1, Relaxed);
        }
        refresh(set);
    }
    result(done) as i32
}

fn set_entry(
    set: Description,
    entry: usize,
    descriptor: i32,
    description: Option<Description>,
    wanted: Event,
) {
    let (events, data) = (wanted.events, wanted.data);
    if !description
        .is_some_and(|description| matches!(description.what(), what::PIPE | what::SOCKET | what::EVENT))
    {
        remark_outsider(&[b"epoll of something that is not modelled"]);
    }
    let store = |which: Word, value: u32| word(set, entry, which).store(value, Relaxed);
    store(Word::Descriptor, descriptor as u32);
    store(Word::Description, description.map_or(set.0, |description| description.0));
    // The end is always reported.
    store(Word::Events, events | EPOLLHUP);
    store(Word::Data, data as u32);
    store(Word::DataHigh, (data >> 32) as u32);
    store(Word::IsSeen, 0);
}

/// Who waits for the set waits for something else now.
fn refresh(set: Description) {
    for number in 0..n_threads() {
        let slot = thread(number);
        let pending = slot.operation.load();
        let is_poll = matches!(pending.kind, Kind::PollWait | Kind::PollTry);
        if slot.state.load(Relaxed) == state::PENDING && is_poll && pending.object == set.0 {
            slot.operation.store(&operation(set, pending.kind == Kind::PollWait, pending.place));
        }
    }
}

fn waited(
    set_at: i32,
    events: *mut Event,
    most: i32,
    limit: Option<u64>,
    mask: *const u64,
    place: u64,
) -> isize {
    let call = |time: isize| {
        sys::call(EPOLL_WAIT, set_at as usize, events as usize, most as usize, time as usize, 0, 0)
    };
    let Some((me, set)) = known(set_at) else {
        if controlled().is_some() {
            remark_outsider(&[b"epoll_wait"]);
        }
        return result(call(limit.map_or(-1, |limit| (limit / 1_000_000) as isize)));
    };
    let takes_time = if limit.is_some_and(|limit| limit > 0) { point::TAKES_TIME } else { 0 };
    loop {
        let wait = |point: u32| {
            let wait = || wait_at(me, operation(set, limit.is_none(), place), point | takes_time);
            match limit {
                Some(limit) if limit > 0 => limits_of_time::within(me, limit, place, wait),
                _ => wait(),
            }
        };
        if masked(me, mask, place, wait).is_none() {
            return result(-(EINTR as isize));
        }
        let n_ready = ready(set).count();
        let was_ready = n_ready > 0;
        let found = call(if was_ready { LATENCY } else { 0 });
        if found < 0 {
            return result(found);
        }
        if found > 1 {
            // SAFETY: the kernel has just written so many events.
            put_in_order(me, unsafe { core::slice::from_raw_parts_mut(events, found as usize) }, place);
        }
        if found > MOST_ORDERS || found > 0 && n_ready > found as usize {
            remark(&[b"several events of epoll at once, in other orders"]);
        }
        reported(set, events, found as usize, was_ready);
        if found == 0 && limit.is_some() {
            region().header.clock.fetch_add(limit.unwrap_or(0), Relaxed);
            was_fruitless(me, place);
        }
        if found > 0 || limit.is_some() {
            return found;
        }
    }
}

/// More events at once have orders that are not tried.
const MOST_ORDERS: isize = 2;

/// The kernel's order depends on what came first, which nobody promises: which one is the first is a free choice.
fn put_in_order(me: usize, events: &mut [Event], place: u64) {
    events.sort_unstable_by_key(|event| event.data);
    let choice =
        Operation { kind: Kind::Toss, argument: events.len() as u64 - 1, place, ..Operation::default() };
    events.rotate_left(before(me, choice) as usize % events.len());
}

/// How long the kernel may take until it knows what is ready, in milliseconds.
const LATENCY: isize = 20;

/// Gives the program its data back, and notes what was reported.
fn reported(set: Description, events: *mut Event, found: usize, was_ready: bool) {
    let see = |entry: usize| {
        let description = Description(get(set, entry, Word::Description));
        word(set, entry, Word::Seen).store(version(description), Relaxed);
        word(set, entry, Word::IsSeen).store(1, Relaxed);
    };
    for number in 0..found {
        // SAFETY: the kernel has just written so many events.
        let event = unsafe { &mut *events.add(number) };
        let entry = event.data as usize;
        if entry >= ROOM {
            continue;
        }
        event.data =
            u64::from(get(set, entry, Word::Data)) | u64::from(get(set, entry, Word::DataHigh)) << 32;
        see(entry);
        if get(set, entry, Word::Events) & ONE_SHOT != 0 {
            word(set, entry, Word::Events).store(0, Relaxed);
        }
    }
    if found == 0 && was_ready {
        // What looked new was not.
        let is_level = |entry: usize| get(set, entry, Word::Events) & EDGE_TRIGGERED == 0;
        entries(set).for_each(see);
        if !entries(set).any(|entry| !is_level(entry)) {
            remark(&[b"epoll of something that somebody else uses"]);
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn epoll_wait(set: i32, events: *mut Event, most: i32, milliseconds: i32) -> i32 {
    let limit = u64::try_from(milliseconds).ok().map(|time| time * 1_000_000);
    waited(set, events, most, limit, core::ptr::null(), caller()) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn epoll_pwait(
    set: i32,
    events: *mut Event,
    most: i32,
    milliseconds: i32,
    mask: *const u64,
) -> i32 {
    let limit = u64::try_from(milliseconds).ok().map(|time| time * 1_000_000);
    waited(set, events, most, limit, mask, caller()) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn epoll_pwait2(
    set: i32,
    events: *mut Event,
    most: i32,
    time: *const Time,
    mask: *const u64,
) -> i32 {
    waited(set, events, most, (!time.is_null()).then(|| duration(time)), mask, caller()) as i32
}
