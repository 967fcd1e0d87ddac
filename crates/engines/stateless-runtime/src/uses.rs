//! What operations on files touch, and which of that threads share.
//!
//! An operation on files has a *footprint*: a list of objects with how each is used ([`Uses`]). The objects are
//!
//! - the contents of a file, and what else is known about it (its mode, how many names it has), both by device and inode;
//! - the names in a folder, each by itself: a path touches one for each of its parts, so it does not matter what is renamed, removed or made
//!   on the way. What a folder has in it is an object, too, to which names are only added: adding commutes;
//! - open file descriptions, which have the position; the streams of the C library count as theirs;
//! - what a process has one of: its folder, its variables (`getenv`), its descriptors.
//!
//! As with memory, an operation is a step only if it touches something that was *promoted*. Whoever used an object since there are
//! several threads is noted with it. If two threads used one in ways that do not commute, its key is promoted: the search begins anew, and
//! operations on it are visible from the start. A key is made of a name, so it is the same in every execution; inodes are not.
//!
//! What a path stands for can change while an operation is pending, by steps that are dependent with it. So the footprint is computed
//! again when the turn has come. If it has grown, the step was only a look, and the operation is announced anew; if it has shrunk
//! (a file was not created because it was there), that is what is logged.

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};

use allways_stateless_protocol::{
    Access, FILE_KEY, FILE_USES, Kind, NONE, Object, ObjectKind, Operation, conflict, file_access,
    use_of_file,
};

use crate::leftovers::Watch;
use crate::objects::{in_space, object, reserve};
use crate::paths::hash;
use crate::schedule::before;
use crate::thread::{knows_that_others_ended, others};
use crate::token::{controlled, is_concurrent, my_process, n_processes, process, region, remark, thread};

/// What an object of a footprint is.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// Bytes and size of a file.
    Contents = 1,
    /// What else is known about it.
    Status = 2,
    /// What a folder has in it.
    Entries = 3,
    /// A name in a folder.
    Name = 4,
    /// An open file description.
    Description = 5,
    /// A description as a process has it: it may be closed there.
    Descriptor = 6,
    /// A stream without a file.
    Stream = 7,
    /// What a process has one of.
    Process = 8,
    /// Descriptors of which it is not known what they are; mostly they were there from the beginning.
    Inherited = 9,
    /// No object: a mark that something is changed while there are several threads, see [`marks`].
    Mark = 10,
}

/// An object that can be in a footprint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Used {
    pub role: Role,
    /// Tells it from others in this execution.
    pub identity: u64,
    /// Tells it from others, mostly, in every execution.
    pub name: u32,
}

impl Used {
    fn number(self) -> u32 {
        let kind = match self.role {
            Role::Contents | Role::Status => ObjectKind::File,
            Role::Description | Role::Descriptor | Role::Stream => ObjectKind::Description,
            Role::Entries | Role::Name | Role::Process | Role::Inherited | Role::Mark => ObjectKind::Path,
        };
        let address = mixed(self.identity, self.role as u64);
        in_space(kind, FILE_USES, address, |object| {
            object.flavour.store(self.role as u8, Relaxed);
            object.list.store(self.name, Relaxed);
        })
    }
}

/// One number of two.
pub fn mixed(first: u64, second: u64) -> u64 {
    (first ^ second.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
}

/// A footprint.
pub struct Uses {
    list: [(u32, i32); MOST],
    count: usize,
    /// Is it what the operation does in the state that is now? Otherwise, what it may do whatever others do before, if paths lead to where they lead
    /// now.
    pub is_exact: bool,
    /// Not what others can notice is asked for, but what earlier executions left.
    pub watch: Option<Watch>,
}

const MOST: usize = 96;

impl Uses {
    fn new(is_exact: bool) -> Uses {
        Uses { list: [(0, use_of_file::READ); MOST], count: 0, is_exact, watch: None }
    }

    pub fn watched() -> Uses {
        Uses { watch: Some(Watch::NEW), ..Uses::new(true) }
    }

    pub fn reads(&mut self, used: Used) {
        self.add(used, use_of_file::READ);
    }

    pub fn writes(&mut self, used: Used) {
        self.add(used, use_of_file::WRITE);
    }

    /// Commutes with what others add.
    pub fn adds_to(&mut self, used: Used) {
        self.add(used, use_of_file::ADD);
    }

    fn add(&mut self, used: Used, how: i32) {
        if let Some(watch) = &self.watch {
            return watch.meets(used);
        }
        let number = used.number();
        if let Some(known) = self.list[..self.count].iter_mut().find(|known| known.0 == number) {
            known.1 = if known.1 == how { how } else { use_of_file::WRITE };
        } else if self.count < MOST {
            self.list[self.count] = (number, how);
            self.count += 1;
        } else {
            remark(&[b"an operation on very many files"]);
        }
    }

    fn list(&self) -> &[(u32, i32)] {
        &self.list[..self.count]
    }

    fn use_of(&self, number: u32) -> Option<i32> {
        self.list().iter().find(|known| known.0 == number).map(|known| known.1)
    }

    fn changes_something(&self) -> bool {
        self.list().iter().any(|(_, how)| *how != use_of_file::READ)
    }

    fn promoted(&self) -> impl Iterator<Item = (u32, i32)> {
        self.list().iter().copied().filter(|(number, _)| is_promoted(object(*number)))
    }
}

/// Announces an operation on files, if others can notice it, and returns when it is this thread's turn to perform it. `describe` tells the footprint, and
/// may be asked several times.
pub fn step(place: u64, describe: impl Fn(&mut Uses)) {
    perform(place, describe, leaves_a_trace);
}

/// The same for an operation whose traces are in the memory of the process.
pub fn step_in_memory(place: u64, describe: impl Fn(&mut Uses)) {
    perform(place, describe, |_| ());
}

/// Notes uses that are no step of their own, so that what others do there becomes visible.
/// Can others notice one of them?
pub fn note(describe: impl Fn(&mut Uses)) -> bool {
    controlled().is_some_and(|me| !is_alone(me)) && note_late(describe)
}

/// The same also when no other thread is left: what those did who were there before may become
/// visible.
pub fn note_late(describe: impl Fn(&mut Uses)) -> bool {
    let Some(me) = controlled().filter(|_| is_concurrent()) else { return false };
    let mut uses = Uses::new(true);
    describe(&mut uses);
    learn(me, &uses);
    uses.promoted().next().is_some()
}

fn perform(place: u64, describe: impl Fn(&mut Uses), leaves_a_trace: fn(usize)) {
    let Some(me) = controlled() else { return };
    if !is_concurrent() || is_alone(me) {
        return leaves_a_trace(me);
    }
    let described = |is_exact: bool| {
        let mut uses = Uses::new(is_exact);
        describe(&mut uses);
        uses
    };
    loop {
        let uses = described(true);
        if uses.promoted().next().is_none() {
            if uses.changes_something() {
                leaves_a_trace(me);
            }
            return learn(me, &uses);
        }
        let expected = described(false);
        let (list, length) = store(&expected);
        let kind = if expected.changes_something() { Kind::FileChange } else { Kind::FileLook };
        let (object, _) = expected.promoted().next().unwrap_or_default();
        before(me, Operation { kind, object, list, length, place, ..Operation::default() });
        let found = described(true);
        let is_covered = found.promoted().all(|(number, _)| expected.use_of(number).is_some());
        settle(list, length, &found, is_covered);
        if kind == Kind::FileChange && !(is_covered && found.changes_something()) {
            // It was counted as something that leaves a trace.
            thread(me).deeds.fetch_sub(1, Relaxed);
        }
        if is_covered {
            return learn(me, &found);
        }
    }
}

/// What a file has is not in the memory of the thread.
fn leaves_a_trace(me: usize) {
    thread(me).deeds.fetch_add(1, Relaxed);
}

/// Has everybody else ended, and this one knows it? Then nothing is left that could come before or after.
fn is_alone(me: usize) -> bool {
    let is_reaped = |number: usize| process(number).is_reaped.load(Relaxed) != 0;
    my_process() == 0 && (1..n_processes()).all(is_reaped) && knows_that_others_ended(me)
}

/// The part of a footprint that others can notice, in the pool.
fn store(uses: &Uses) -> (u32, u32) {
    let length = uses.promoted().count();
    let first = reserve(2 * length);
    for (position, (number, how)) in uses.promoted().enumerate() {
        let word = &region().pool[first as usize + 2 * position..];
        word[0].store(number, Relaxed);
        word[1].store(how as u32, Relaxed);
    }
    (first / 2, length as u32)
}

/// The step is logged with what was expected of it. What it did is less: nothing at all, if it has to be announced anew.
fn settle(list: u32, length: u32, found: &Uses, is_covered: bool) {
    for position in list..list + length {
        let word = &region().pool[2 * position as usize..];
        let how = match found.use_of(word[0].load(Relaxed)) {
            Some(how) if is_covered => how,
            None if is_covered => {
                word[0].store(0, Relaxed);
                continue;
            }
            _ => use_of_file::READ,
        };
        word[1].store(how as u32, Relaxed);
    }
}

/// Who used an object so far: the thread, plus one, or [`NONE`] if there were several.
fn users(object: &Object) -> [(&AtomicU32, Access); 3] {
    [(&object.owner, Access::Read), (&object.extra, Access::Write), (&object.length, Access::Give)]
}

/// Notes who used what; what several threads use in ways that do not commute is promoted.
fn learn(me: usize, uses: &Uses) {
    let me = me as u32 + 1;
    for (number, how) in uses.list() {
        let (object, access) = (object(*number), file_access(*how));
        for (user, earlier) in users(object) {
            let known = user.load(Relaxed);
            if known != 0 && known != me && conflict(access, earlier) {
                promote(object);
            }
            if access == earlier && known != me {
                user.store(if known == 0 { me } else { NONE }, Relaxed);
            }
        }
    }
}

/// Keys that can be promoted one by one; beyond, everything is.
const KEYS: usize = 64;
const EVERYTHING: u64 = FILE_KEY | u32::MAX as u64;

/// The promoted keys as they were when this process needed them first: what is promoted now is visible in the executions to come.
static PROMOTED: [AtomicU64; KEYS + 1] = [const { AtomicU64::new(0) }; KEYS + 1];
static N_PROMOTED: AtomicU32 = AtomicU32::new(NONE);

fn key(object: &Object) -> u64 {
    key_of(object.flavour.load(Relaxed), object.list.load(Relaxed))
}

fn key_of(role: u8, name: u32) -> u64 {
    FILE_KEY | u64::from(role) << 32 | u64::from(name)
}

/// A state is about to be changed while there are several threads. Functions that are called often
/// and look at it tell their footprint from the next round on only: in programs that never change
/// the state they cost nothing more.
pub fn marks(name: &[u8]) {
    if let Some(me) = controlled()
        && is_concurrent()
        && others(me).next().is_some()
        && !is_marked(name)
    {
        promote_key(key_of(Role::Mark as u8, hash(name)));
    }
}

/// Was the state changed, in an earlier round, while there were several threads?
#[inline]
pub fn is_marked(name: &[u8]) -> bool {
    match N_PROMOTED.load(Relaxed) {
        0 => return false,
        NONE if controlled().is_none() => return false,
        NONE => read_promoted(),
        _ => {}
    }
    is_key_promoted(key_of(Role::Mark as u8, hash(name)))
}

fn is_key_promoted(key: u64) -> bool {
    let promoted = &PROMOTED[..N_PROMOTED.load(Relaxed) as usize];
    promoted.iter().any(|known| [key, EVERYTHING].contains(&known.load(Relaxed)))
}

fn is_promoted(object: &Object) -> bool {
    if N_PROMOTED.load(Relaxed) == NONE {
        read_promoted();
    }
    N_PROMOTED.load(Relaxed) != 0 && is_key_promoted(key(object))
}

fn read_promoted() {
    let keys = region().memory.promoted().filter(|key| key & FILE_KEY != 0);
    let mut count = 0;
    for (slot, key) in PROMOTED.iter().zip(keys) {
        slot.store(key, Relaxed);
        count += 1;
    }
    N_PROMOTED.store(count, Relaxed);
}

fn promote(object: &Object) {
    promote_key(key(object));
}

fn promote_key(key: u64) {
    let memory = &region().memory;
    let n_files = memory.promoted().filter(|key| key & FILE_KEY != 0).count();
    let key = if n_files < KEYS { key } else { EVERYTHING };
    if !memory.promoted().any(|known| [key, EVERYTHING].contains(&known)) && !memory.promote(key) {
        remark(&[b"more shared files than there is room for"]);
    }
}
