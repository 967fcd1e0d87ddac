//! What both sides know about memory: which places are visible, and which accesses race.
//!
//! Memory is looked at in *granules* of eight bytes. Accesses to a granule are operations that others can notice only if it was *promoted*: two
//! threads touch it, and nothing orders them. The list of promoted granules outlives executions. So
//! it is with files and locks, which are in the same list.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bytes of a granule.
pub const GRANULE: u64 = 8;

/// Granules that can be promoted.
pub const PROMOTED: usize = 1 << 16;

/// Files are promoted, too: their keys have this bit, which no address has.
pub const FILE_KEY: u64 = 1 << 62;

/// Locks and the like are promoted by their addresses, with this bit. In the list, the bit alone
/// says that only those that follow are visible; without it, all are.
pub const OBJECT_KEY: u64 = 1 << 61;

/// Is something that was promoted a place in memory, and not something of files, or a lock?
pub fn is_memory_key(key: u64) -> bool {
    key & (FILE_KEY | OBJECT_KEY) == 0
}

/// Is it a lock or the like?
pub fn is_object_key(key: u64) -> bool {
    key & (FILE_KEY | OBJECT_KEY) == OBJECT_KEY
}

/// Different races that one execution can report.
pub const RACES: usize = 64;

/// Places of weak atomic operations that one execution can report.
pub const WEAK: usize = 1 << 10;

/// The part of the region that is about memory.
#[repr(C)]
pub struct Memory {
    /// 1 if accesses to memory are operations; written by the explorer.
    pub is_visible: AtomicU32,
    /// Not forgotten between executions.
    pub n_promoted: AtomicU32,
    pub promoted: [AtomicU64; PROMOTED],
    pub n_races: AtomicU32,
    pub races: [RaceCell; RACES],
    /// Where in the program visible atomic operations are that ask for less than sequential consistency.
    pub n_weak: AtomicU32,
    pub weak: [AtomicU64; WEAK],
}

/// A [`Race`] in shared memory.
#[repr(C)]
pub struct RaceCell {
    address: AtomicU64,
    places: [AtomicU64; 2],
    threads: [AtomicU32; 2],
    accesses: [AtomicU32; 2],
    is_doubtful: AtomicU32,
}

/// Two accesses to the same bytes by different threads, not both reads, not both atomic, that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The first byte of the granule.
    pub address: u64,
    /// The earlier one first.
    pub accesses: [RacingAccess; 2],
    /// Something may order them that nobody announces.
    pub is_doubtful: bool,
}

/// One of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RacingAccess {
    pub thread: u32,
    /// Where in the program: the address after the instruction that announced it.
    pub place: u64,
    pub is_write: bool,
    pub is_atomic: bool,
    /// It gave the memory back.
    pub is_free: bool,
}

impl RacingAccess {
    /// What it does, in a word.
    pub fn word(&self) -> &'static str {
        match (self.is_free, self.is_atomic, self.is_write) {
            (true, _, _) => "free",
            (_, true, true) => "atomic write",
            (_, true, false) => "atomic read",
            (_, false, true) => "write",
            (_, false, false) => "read",
        }
    }
}

impl RaceCell {
    pub fn store(&self, race: &Race) {
        self.address.store(race.address, Relaxed);
        self.is_doubtful.store(u32::from(race.is_doubtful), Relaxed);
        for (number, access) in race.accesses.iter().enumerate() {
            let bits = u32::from(access.is_write)
                | u32::from(access.is_atomic) << 1
                | u32::from(access.is_free) << 2;
            self.places[number].store(access.place, Relaxed);
            self.threads[number].store(access.thread, Relaxed);
            self.accesses[number].store(bits, Relaxed);
        }
    }

    pub fn load(&self) -> Race {
        let access = |number: usize| {
            let bits = self.accesses[number].load(Relaxed);
            RacingAccess {
                thread: self.threads[number].load(Relaxed),
                place: self.places[number].load(Relaxed),
                is_write: bits & 1 != 0,
                is_atomic: bits & 2 != 0,
                is_free: bits & 4 != 0,
            }
        };
        Race {
            address: self.address.load(Relaxed),
            accesses: [access(0), access(1)],
            is_doubtful: self.is_doubtful.load(Relaxed) != 0,
        }
    }
}

impl Memory {
    /// The promoted granules, by their addresses.
    pub fn promoted(&self) -> impl Iterator<Item = u64> + '_ {
        let count = (self.n_promoted.load(Relaxed) as usize).min(PROMOTED);
        self.promoted[..count].iter().map(|address| address.load(Relaxed))
    }

    /// Adds a granule; false if there is no more room.
    pub fn promote(&self, address: u64) -> bool {
        let count = self.n_promoted.load(Relaxed) as usize;
        if count >= PROMOTED {
            return false;
        }
        self.promoted[count].store(address, Relaxed);
        self.n_promoted.store(count as u32 + 1, Relaxed);
        true
    }

    /// The places of weak atomic operations of the last execution.
    pub fn weak(&self) -> impl Iterator<Item = u64> + '_ {
        let count = (self.n_weak.load(Relaxed) as usize).min(WEAK);
        self.weak[..count].iter().map(|place| place.load(Relaxed))
    }

    /// Adds the place of a weak atomic operation, unless it is known.
    pub fn add_weak(&self, place: u64) {
        let count = self.n_weak.load(Relaxed) as usize;
        if count < WEAK && !self.weak().any(|known| known == place) {
            self.weak[count].store(place, Relaxed);
            self.n_weak.store(count as u32 + 1, Relaxed);
        }
    }

    /// The races of the last execution.
    pub fn races(&self) -> impl Iterator<Item = Race> + '_ {
        let count = (self.n_races.load(Relaxed) as usize).min(RACES);
        self.races[..count].iter().map(RaceCell::load)
    }

    /// Adds a race, unless there is one between the same places.
    pub fn report(&self, race: &Race) {
        let places = |race: &Race| (race.accesses.map(|access| access.place), race.is_doubtful);
        let count = self.n_races.load(Relaxed) as usize;
        if count < RACES && !self.races().any(|known| places(&known) == places(race)) {
            self.races[count].store(race);
            self.n_races.store(count as u32 + 1, Relaxed);
        }
    }
}
