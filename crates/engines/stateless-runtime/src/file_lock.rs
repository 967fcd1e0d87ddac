//! Locks of files: `flock`, and those of `fcntl` and `lockf`, by process or by open file description.
//!
//! A file is known by device and inode; its locks are a list here. The kernel is asked too, without waiting, because it knows
//! which requests make no sense. `flock` has nothing to do with the other two, and those two with each other.
//!
//! For locks by process the kernel finds out when somebody would wait for himself. So such a request is two steps: the first locks,
//! or fails because it would close a circle of those who wait, or begins to wait; the second goes on when nobody is in the way.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, NAMES, ObjectKind, Operation, state};

use crate::descriptors::{Description, result, what};
use crate::interrupt::{point, wait_at};
use crate::objects::{find, in_space, object, reserve};
use crate::schedule::{before, was_fruitless};
use crate::sys::errno::{EAGAIN, EDEADLK, EINTR, EINVAL};
use crate::sys::{self, fails};
use crate::token::{caller, controlled, my_process, n_processes, n_threads, process, region, remark, thread};

const FLOCK: usize = 73;
const LSEEK: usize = 8;
/// The space of files, by device and inode.
const FILES: u32 = 0x4700_0000;
/// The space of requests, by thread.
const REQUESTS: u32 = 0x4800_0000;
/// The name of what all locks by process have in common: who waits for whom.
const WAITING: u64 = u64::MAX - 1;

const LOCK_SHARED: i32 = 1;
const LOCK_EXCLUSIVE: i32 = 2;
const LOCK_NONBLOCKING: i32 = 4;
const LOCK_UNLOCK: i32 = 8;

/// What `fcntl` can be asked to do with locks.
pub mod command {
    pub const GET: usize = 5;
    pub const SET: usize = 6;
    pub const SET_AND_WAIT: usize = 7;
    pub const GET_OPEN: usize = 36;
    pub const SET_OPEN: usize = 37;
    pub const SET_OPEN_AND_WAIT: usize = 38;
    pub const ALL: [usize; 6] = [GET, SET, SET_AND_WAIT, GET_OPEN, SET_OPEN, SET_OPEN_AND_WAIT];
}

const SHARED: u32 = 0;
const UNLOCKED: u32 = 2;

/// Whose locks they are.
mod class {
    pub const FLOCK: u32 = 0;
    pub const PROCESS: u32 = 1;
    pub const OPEN: u32 = 2;
}

/// A lock, or the wish for one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Lock {
    class: u32,
    /// A process, or a description.
    owner: u32,
    /// 0 shared, 1 exclusive, 2 none.
    kind: u32,
    first: u64,
    /// The last byte.
    last: u64,
}

const WORDS: usize = 8;
/// Locks that one file has room for.
const ROOM: usize = 64;

impl Lock {
    const NONE: Lock = Lock { class: 0, owner: 0, kind: UNLOCKED, first: 0, last: 0 };

    fn load(at: usize) -> Lock {
        let word = |position: usize| region().pool[at + position].load(Relaxed);
        let long = |position: usize| u64::from(word(position)) | u64::from(word(position + 1)) << 32;
        Lock { class: word(0), owner: word(1), kind: word(2), first: long(3), last: long(5) }
    }

    fn store(&self, at: usize) {
        let Lock { class, owner, kind, first, last } = *self;
        let words =
            [class, owner, kind, first as u32, (first >> 32) as u32, last as u32, (last >> 32) as u32];
        for (position, word) in words.into_iter().enumerate() {
            region().pool[at + position].store(word, Relaxed);
        }
    }

    fn has_same_owner(&self, other: &Lock) -> bool {
        self.class == other.class && self.owner == other.owner
    }

    fn overlaps(&self, other: &Lock) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// Can both be there at once?
    fn is_in_the_way(&self, other: &Lock) -> bool {
        (self.class == class::FLOCK) == (other.class == class::FLOCK)
            && !self.has_same_owner(other)
            && self.overlaps(other)
            && (self.kind != SHARED || other.kind != SHARED)
    }
}

/// The locks of a file: their number, then the locks.
fn count(file: u32) -> &'static AtomicU32 {
    &region().pool[object(file).list.load(Relaxed) as usize]
}

fn position(file: u32, number: usize) -> usize {
    object(file).list.load(Relaxed) as usize + 2 + number * WORDS
}

fn locks(file: u32) -> impl Iterator<Item = Lock> {
    (0..count(file).load(Relaxed) as usize).map(move |number| Lock::load(position(file, number)))
}

fn add(file: u32, lock: Lock) {
    let number = count(file).load(Relaxed) as usize;
    if number >= ROOM {
        return remark(&[b"a file with very many locks"]);
    }
    lock.store(position(file, number));
    count(file).store(number as u32 + 1, Relaxed);
}

/// Makes a wish true: whatever its owner had there before is replaced.
fn grant(file: u32, wish: Lock) {
    let mut kept = [Lock::NONE; ROOM];
    let mut n_kept = 0;
    let mut keep = |lock: Lock| {
        if lock.first <= lock.last && n_kept < ROOM {
            kept[n_kept] = lock;
            n_kept += 1;
        }
    };
    for lock in locks(file) {
        if !lock.has_same_owner(&wish) || !lock.overlaps(&wish) {
            keep(lock);
            continue;
        }
        if lock.first < wish.first {
            keep(Lock { last: wish.first - 1, ..lock });
        }
        if lock.last > wish.last {
            keep(Lock { first: wish.last + 1, ..lock });
        }
    }
    count(file).store(0, Relaxed);
    kept[..n_kept].iter().for_each(|lock| add(file, *lock));
    if wish.kind != UNLOCKED {
        add(file, wish);
    }
}

fn is_free(file: u32, wish: &Lock) -> bool {
    !locks(file).any(|lock| lock.is_in_the_way(wish))
}

/// Where the wish of a thread is.
fn request_of(number: usize) -> usize {
    let request = in_space(ObjectKind::Description, REQUESTS, number as u64, |request| {
        request.list.store(reserve(WORDS), Relaxed);
    });
    object(request).list.load(Relaxed) as usize
}

/// Can a thread have the lock that it waits for?
pub fn can_lock(number: usize, operation: &Operation) -> bool {
    let request = find(ObjectKind::Description, REQUESTS, number as u64);
    request.is_none_or(|request| {
        is_free(operation.object, &Lock::load(object(request).list.load(Relaxed) as usize))
    })
}

/// Would a process wait for itself in the end? `depth` bounds the search, as in the kernel.
fn closes_circle(file: u32, wish: &Lock, waiting: u32, depth: usize) -> bool {
    depth > 0
        && locks(file).filter(|lock| lock.is_in_the_way(wish) && lock.class == class::PROCESS).any(|lock| {
            lock.owner == waiting
                || waiters_of(lock.owner).any(|(file, wish)| closes_circle(file, &wish, waiting, depth - 1))
        })
}

/// What the threads of a process wait for.
fn waiters_of(owner: u32) -> impl Iterator<Item = (u32, Lock)> {
    (0..n_threads()).filter_map(move |number| {
        let slot = thread(number);
        let operation = slot.operation.load();
        let waits = slot.state.load(Relaxed) == state::PENDING
            && operation.kind == Kind::FileLock
            && slot.process.load(Relaxed) == owner;
        waits
            .then(|| (operation.object, Lock::load(request_of(number))))
            .filter(|(_, wish)| wish.class == class::PROCESS)
    })
}

/// The part of `struct stat` that says which file it is, how large and of which kind.
pub struct Status {
    pub device: u64,
    pub inode: u64,
    pub mode: u32,
    pub size: u64,
    /// How many names it has.
    pub n_names: u64,
    /// Which device it is, if it is one.
    pub device_itself: u64,
}

/// What the kernel knows about a descriptor.
pub fn status(descriptor: usize) -> Option<Status> {
    let mut words = [0_u64; 32];
    let told = sys::call(sys::FSTAT, descriptor, words.as_mut_ptr() as usize, 0, 0, 0, 0);
    (told >= 0).then(|| Status::read(&words))
}

impl Status {
    pub fn read(words: &[u64; 32]) -> Status {
        Status {
            device: words[0],
            inode: words[1],
            mode: words[3] as u32,
            size: words[6],
            n_names: words[2],
            device_itself: words[5],
        }
    }

    /// A number that tells files apart.
    pub fn identity(&self) -> u64 {
        self.inode ^ self.device.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// The object of a file.
pub fn file_at(status: &Status) -> u32 {
    in_space(ObjectKind::File, FILES, status.identity(), |file| {
        file.list.store(reserve(2 + ROOM * WORDS), Relaxed);
    })
}

/// What all locks by process touch.
fn waiting_object(class: u32) -> u32 {
    if class == class::PROCESS { in_space(ObjectKind::Name, NAMES, WAITING, |_| ()) } else { 0 }
}

fn step(kind: Kind, file: u32, class: u32, place: u64) -> Operation {
    Operation { kind, object: file, other: waiting_object(class), place, ..Operation::default() }
}

/// Marks of a description of a file, in `extra`; what is above them is described in `file_calls.rs`.
mod mark {
    /// It was locked at some time.
    pub const LOCKED: u32 = 1;
    /// A copy was closed before it was ever locked.
    pub const CLOSED_EARLY: u32 = 2;
}

/// The description behind a descriptor, or a remark: then it is not seen when it is closed.
fn known_at(descriptor: usize) -> Option<Description> {
    let known = Description::at(descriptor).filter(|known| known.what() == what::FILE);
    if known.is_none() {
        remark(&[b"a lock of a file that was opened in a way that is not known"]);
    }
    known
}

/// The number of the description that is to be locked.
fn description_of(descriptor: usize) -> Option<u32> {
    let description = known_at(descriptor)?;
    let marks = &description.record().extra;
    if marks.fetch_or(mark::LOCKED, Relaxed) & mark::CLOSED_EARLY != 0 {
        remark(&[b"a lock of a file that another process has closed"]);
    }
    Some(description.0)
}

/// Performs a wish. `ask` asks the kernel, which will not have to wait.
fn fulfil(me: usize, file: u32, wish: Lock, waits: bool, place: u64, ask: impl FnOnce() -> isize) -> isize {
    let ask_and_grant = |ask: &mut dyn FnMut() -> isize| {
        let value = ask();
        if value >= 0 {
            grant(file, wish);
        } else if value == -(EAGAIN as isize) {
            remark(&[b"a lock of a file that somebody else has"]);
        }
        result(value)
    };
    let mut ask = Some(ask);
    let mut ask_once = || ask.take().map_or(0, |ask| ask());
    if wish.kind == UNLOCKED {
        before(me, step(Kind::FileUnlock, file, wish.class, place));
        return ask_and_grant(&mut ask_once);
    }
    wish.store(request_of(me));
    if !waits || wish.class == class::PROCESS {
        before(me, step(Kind::FileTrylock, file, wish.class, place));
        if is_free(file, &wish) {
            return ask_and_grant(&mut ask_once);
        }
        if !waits {
            was_fruitless(me, place);
            return fails(EAGAIN) as isize;
        }
        if closes_circle(file, &wish, wish.owner, 10) {
            return fails(EDEADLK) as isize;
        }
    }
    if wait_at(me, step(Kind::FileLock, file, wish.class, place), point::TRANSFERS).is_none() {
        return fails(EINTR) as isize;
    }
    ask_and_grant(&mut ask_once)
}

#[unsafe(no_mangle)]
pub extern "C" fn flock(descriptor: i32, action: i32) -> i32 {
    let place = caller();
    let call = |action: i32| sys::call(FLOCK, descriptor as usize, action as usize, 0, 0, 0, 0);
    let known = controlled().and_then(|me| Some((me, status(descriptor as usize)?)));
    let Some((me, status)) = known else { return result(call(action)) as i32 };
    let Some(owner) = description_of(descriptor as usize) else { return result(call(action)) as i32 };
    let kind = match action & !LOCK_NONBLOCKING {
        LOCK_SHARED => SHARED,
        LOCK_EXCLUSIVE => 1,
        LOCK_UNLOCK => UNLOCKED,
        _ => return fails(EINVAL),
    };
    let file = file_at(&status);
    let wish = Lock { class: class::FLOCK, owner, kind, first: 0, last: u64::MAX };
    let waits = action & LOCK_NONBLOCKING == 0;
    let own = locks(file).find(|lock| lock.has_same_owner(&wish));
    if let Some(own) = own.filter(|own| own.kind != kind && kind != UNLOCKED) {
        // Others may come in between when a lock becomes another.
        let unlock = Lock { kind: UNLOCKED, ..own };
        fulfil(me, file, unlock, false, place, || call(LOCK_UNLOCK));
    }
    fulfil(me, file, wish, waits, place, || call(action | LOCK_NONBLOCKING)) as i32
}

/// A `struct flock`.
#[repr(C)]
pub struct Request {
    kind: i16,
    from: i16,
    start: i64,
    length: i64,
    pid: i32,
}

impl Request {
    /// The bytes it is about.
    fn range(&self, descriptor: usize, size: u64) -> (u64, u64) {
        let origin = match self.from {
            1 => sys::call(LSEEK, descriptor, 0, 1, 0, 0, 0) as i64,
            2 => size as i64,
            _ => 0,
        };
        let start = origin.saturating_add(self.start);
        match self.length {
            0 => (start.max(0) as u64, u64::MAX),
            1.. => (start.max(0) as u64, (start.saturating_add(self.length) - 1).max(0) as u64),
            _ => ((start + self.length).max(0) as u64, (start - 1).max(0) as u64),
        }
    }
}

/// `fcntl` about locks; `None` if it is left to the kernel.
pub fn control(descriptor: usize, number: usize, request: *mut Request, place: u64) -> Option<isize> {
    let me = controlled()?;
    let status = status(descriptor)?;
    // SAFETY: the program passes a request.
    let request = unsafe { request.as_mut()? };
    let is_open = matches!(number, command::GET_OPEN | command::SET_OPEN | command::SET_OPEN_AND_WAIT);
    let (class, owner) = if is_open {
        (class::OPEN, description_of(descriptor)?)
    } else {
        known_at(descriptor)?;
        (class::PROCESS, my_process() as u32)
    };
    let (first, last) = request.range(descriptor, status.size);
    let wish = Lock { class, owner, kind: request.kind as u32, first, last };
    let file = file_at(&status);
    if matches!(number, command::GET | command::GET_OPEN) {
        before(me, step(Kind::FileTrylock, file, class, place));
        tell(file, &wish, request);
        return Some(0);
    }
    let waits = matches!(number, command::SET_AND_WAIT | command::SET_OPEN_AND_WAIT);
    let without_waiting = if is_open { command::SET_OPEN } else { command::SET };
    Some(fulfil(me, file, wish, waits, place, || {
        sys::call(sys::FCNTL, descriptor, without_waiting, &raw mut *request as usize, 0, 0, 0)
    }))
}

/// What is in the way.
fn tell(file: u32, wish: &Lock, into: &mut Request) {
    let Some(lock) = locks(file).find(|lock| lock.is_in_the_way(wish)) else {
        into.kind = UNLOCKED as i16;
        return;
    };
    let length = if lock.last == u64::MAX { 0 } else { (lock.last - lock.first + 1) as i64 };
    let owner = (lock.owner as usize) < n_processes() && lock.class == class::PROCESS;
    let pid = if owner { process(lock.owner as usize).pid.load(Relaxed) } else { -1 };
    *into = Request { kind: lock.kind as i16, from: 0, start: lock.first as i64, length, pid };
}

#[unsafe(no_mangle)]
pub extern "C" fn lockf(descriptor: i32, action: i32, length: i64) -> i32 {
    let place = caller();
    let (number, kind) = match action {
        0 => (command::SET, UNLOCKED),
        1 => (command::SET_AND_WAIT, 1),
        2 => (command::SET, 1),
        3 => (command::GET, 1),
        _ => return fails(EINVAL),
    };
    let mut request = Request { kind: kind as i16, from: 1, start: 0, length, pid: 0 };
    let at = &raw mut request;
    let value = control(descriptor as usize, number, at, place)
        .unwrap_or_else(|| result(sys::call(sys::FCNTL, descriptor as usize, number, at as usize, 0, 0, 0)));
    if action == 3 && value == 0 && request.kind != UNLOCKED as i16 {
        return fails(EAGAIN);
    }
    value as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn lockf64(descriptor: i32, action: i32, length: i64) -> i32 {
    lockf(descriptor, action, length)
}

/// Before a descriptor of a file is closed: a step if that ends a lock, or could.
pub fn closing(me: usize, descriptor: usize, description: Description, place: u64) {
    let Some(status) = status(descriptor) else { return };
    let Some(file) = find(ObjectKind::File, FILES, status.identity()) else {
        return closed_early(description);
    };
    let own = my_process() as u32;
    let is_process = |lock: &Lock| lock.class == class::PROCESS && lock.owner == own;
    if locks(file).any(|lock| is_process(&lock)) {
        before(me, step(Kind::FileUnlock, file, class::PROCESS, place));
        grant(file, Lock { class: class::PROCESS, owner: own, kind: UNLOCKED, first: 0, last: u64::MAX });
        really_unlock(descriptor, command::SET);
    }
    let record = description.record();
    if record.extra.load(Relaxed) & mark::LOCKED == 0 {
        return closed_early(description);
    }
    before(me, step(Kind::FileUnlock, file, class::FLOCK, place));
    if record.count.load(Relaxed) <= 1 {
        for class in [class::FLOCK, class::OPEN] {
            grant(file, Lock { class, owner: description.0, kind: UNLOCKED, first: 0, last: u64::MAX });
        }
        really_unlock(descriptor, command::SET_OPEN);
        sys::call(FLOCK, descriptor, LOCK_UNLOCK as usize, 0, 0, 0, 0);
    }
}

/// The kernel would do it when the descriptor is closed, which may be later.
fn really_unlock(descriptor: usize, number: usize) {
    let mut request = Request { kind: UNLOCKED as i16, from: 0, start: 0, length: 0, pid: 0 };
    sys::call(sys::FCNTL, descriptor, number, &raw mut request as usize, 0, 0, 0);
}

/// Others who share a description may lock it later.
fn closed_early(description: Description) {
    if description.record().count.load(Relaxed) > 1 {
        description.record().extra.fetch_or(mark::CLOSED_EARLY, Relaxed);
    }
}
