//! What executions share although they should not, or need from outside: files that they write,
//! variables that they ask for, programs and libraries that they load.

use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

const FILES: usize = 1 << 10;
const NAMES: usize = 1 << 10;
const BYTES: usize = 1 << 14;

/// Which execution wrote a file last. Not forgotten between executions.
#[repr(C)]
pub struct WrittenFiles {
    identities: [AtomicU64; FILES],
    executions: [AtomicU32; FILES],
    count: AtomicU32,
}

impl WrittenFiles {
    fn find(&self, identity: u64) -> Option<usize> {
        let count = (self.count.load(Relaxed) as usize).min(FILES);
        self.identities[..count].iter().position(|known| known.load(Relaxed) == identity)
    }

    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    pub fn last(&self, identity: u64) -> Option<u32> {
        self.find(identity).map(|number| self.executions[number].load(Relaxed))
    }

    /// Beyond so many files, no more are noted.
    pub fn note(&self, identity: u64, execution: u32) {
        let number = self.find(identity).unwrap_or(self.count.load(Relaxed) as usize);
        if number >= FILES {
            return;
        }
        self.identities[number].store(identity, Relaxed);
        self.executions[number].store(execution, Relaxed);
        self.count.fetch_max(number as u32 + 1, Relaxed);
    }
}

/// Names in folders that executions made, removed or replaced. Not forgotten between executions.
#[repr(C)]
pub struct ChangedNames {
    names: [ChangedName; NAMES],
    /// No name is behind so many.
    count: AtomicU32,
}

/// Files are known by device and inode; 0 is none.
#[repr(C)]
pub struct ChangedName {
    /// The name and its folder, as one number; 0 if this place is free.
    name: AtomicU64,
    folder: AtomicU64,
    /// What was there before the first execution that changed it.
    origin: AtomicU64,
    /// What is there now; never the same.
    now: AtomicU64,
    /// The last execution that changed it, or did the same whatever was there.
    execution: AtomicU32,
}

/// See [`ChangedNames::presence_left`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Presence {
    /// Is something there?
    pub now: bool,
}

impl ChangedNames {
    pub fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    fn names(&self) -> impl Iterator<Item = &ChangedName> {
        self.names[..self.count.load(Relaxed) as usize].iter()
    }

    fn find(&self, name: u64) -> Option<&ChangedName> {
        self.names().find(|known| known.name.load(Relaxed) == name)
    }

    /// Is there something else than in the beginning, because of an execution before this one?
    pub fn is_left(&self, name: u64, execution: u32) -> bool {
        self.find(name).is_some_and(|known| known.execution.load(Relaxed) != execution)
    }

    /// Is there something because of an execution before this one, and was not in the beginning, or
    /// the other way round?
    pub fn presence_left(&self, name: u64, execution: u32) -> Option<Presence> {
        let known = self.find(name).filter(|known| known.execution.load(Relaxed) != execution)?;
        let is_there = |place: &AtomicU64| place.load(Relaxed) != 0;
        let now = is_there(&known.now);
        (is_there(&known.origin) != now).then_some(Presence { now })
    }

    /// The same for any name in a folder.
    pub fn has_left(&self, folder: u64, execution: u32) -> bool {
        let is_in =
            |known: &&ChangedName| known.name.load(Relaxed) != 0 && known.folder.load(Relaxed) == folder;
        self.names().filter(is_in).any(|known| known.execution.load(Relaxed) != execution)
    }

    /// This execution made sure what is there.
    pub fn is_settled(&self, name: u64, execution: u32) {
        if let Some(known) = self.find(name) {
            known.execution.store(execution, Relaxed);
        }
    }

    /// A name changed. Beyond so many, no more are noted.
    pub fn note(&self, [name, folder]: [u64; 2], [before, now]: [u64; 2], execution: u32) {
        if let Some(known) = self.find(name) {
            known.now.store(now, Relaxed);
            known.execution.store(execution, Relaxed);
            if known.origin.load(Relaxed) == now {
                known.name.store(0, Relaxed);
            }
            return;
        }
        let count = self.count.load(Relaxed) as usize;
        let Some(free) = (0..count.saturating_add(1).min(NAMES))
            .find(|number| *number == count || self.names[*number].name.load(Relaxed) == 0)
        else {
            return;
        };
        let place = &self.names[free];
        place.name.store(name, Relaxed);
        place.folder.store(folder, Relaxed);
        place.origin.store(before, Relaxed);
        place.now.store(now, Relaxed);
        place.execution.store(execution, Relaxed);
        self.count.fetch_max(free as u32 + 1, Relaxed);
    }
}

/// A set of names, each with a zero byte at its end.
#[repr(C)]
pub struct Names {
    bytes: [AtomicU8; BYTES],
    length: AtomicU32,
}

impl Names {
    fn length(&self) -> usize {
        (self.length.load(Relaxed) as usize).min(BYTES)
    }

    /// All of them, as they are kept.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.bytes[..self.length()].iter().map(|byte| byte.load(Relaxed))
    }

    /// Adds a name, unless it is there; where there is no more room, it is left out.
    pub fn add(&self, name: &[u8]) {
        let length = self.length();
        let is_known = self.bytes[..length].split(|byte| byte.load(Relaxed) == 0).any(|known| {
            known.len() == name.len() && known.iter().zip(name).all(|(a, b)| a.load(Relaxed) == *b)
        });
        if is_known || name.is_empty() || length + name.len() + 1 > BYTES {
            return;
        }
        for (byte, letter) in self.bytes[length..].iter().zip(name.iter().chain(&[0])) {
            byte.store(*letter, Relaxed);
        }
        self.length.store((length + name.len() + 1) as u32, Relaxed);
    }

    pub fn clear(&self) {
        self.length.store(0, Relaxed);
    }
}
