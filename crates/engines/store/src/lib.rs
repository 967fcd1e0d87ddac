//! Sets of visited states: exact, compact, bitstate; and the dictionary that makes states small.
//!
//! A state enters as two ids. [`Interner`] gives equal values equal, dense ids; a caller cuts its packed state into
//! parts, interns the parts, interns pairs of ids in turn, and ends with two ids that name the state exactly.
//! A [`Visited`] set then answers the one question of a search: is this pair new?
//!
//! | set | answers | memory per state |
//! |---|---|---|
//! | [`Exact`] | exactly | 4.7 to 7.1 bytes from four million states on (twice that if the ids are very long) |
//! | [`Compact`] | by a 64-bit hash; says how likely it missed a state | 10 to 16 bytes, no dictionary needed |
//! | [`Bitstate`] | by a few bits; says how much it probably missed | fixed size for any number of states |
//!
//! **Threads.** Everything but growth works through `&self`, by several threads at once, without a lock: slots only
//! ever go from empty to their final value, so a reader can never see anything wrong, only something slightly old, and
//! an insertion is one compare-and-swap. Growth takes `&mut self`. A parallel search keeps its stores in a read-write
//! lock, works under the read guard, and takes the write lock when [`Visited::wants_growth`] says so or an insertion
//! returned [`Full`]; a growth that another thread has just done is not repeated. Threads that wait for it may help: see [`Hands`].
//!
//! ```
//! use allways_store::{Exact, Full, Interner, Visited};
//!
//! let mut parts = Interner::new(2).unwrap();
//! let mut seen = Exact::new().unwrap();
//! let mut visit = |left: [u64; 2], right: [u64; 2]| {
//!     let mut intern = |value: &[u64]| loop {
//!         match parts.intern(value) {
//!             Ok(id) => break id,
//!             Err(Full) => parts.grow().unwrap(),
//!         }
//!     };
//!     let (left, right) = (intern(&left), intern(&right));
//!     loop {
//!         match seen.insert(left, right) {
//!             Ok(new) => break new,
//!             Err(Full) => seen.grow(None).unwrap(),
//!         }
//!     }
//! };
//! assert!(visit([1, 2], [3, 4]));
//! assert!(visit([3, 4], [1, 2]));
//! assert!(!visit([1, 2], [3, 4]));
//! ```

mod interner;

mod bitstate;
mod compact;
mod exact;

mod hands;
mod hash;
mod insertion;
mod line;
mod memory;
mod quotient;
mod segment;
mod segmented;

pub use bitstate::{Bitstate, Estimate};
pub use compact::Compact;
pub use exact::Exact;
pub use hands::Hands;
pub use hash::hash;
pub use insertion::Insertion;
pub use interner::Interner;

/// Nothing can be inserted until the store has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// The store could not grow, because of the given limit or because the machine has no more memory (or, for an
/// [`Interner`], no more ids). It is as usable as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the store is full and must grow")
    }
}

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no memory left for the store to grow")
    }
}

impl std::error::Error for Full {}
impl std::error::Error for OutOfMemory {}

/// A set of states, each named by two ids.
pub trait Visited: Send + Sync {
    /// Adds a pair and says whether it is new. Of several threads that insert the same pair exactly one is told so
    /// (by [`Bitstate`]: at least one).
    fn insert(&self, left: u32, right: u32) -> Result<bool, Full>;

    /// Asks the processor to fetch what an insertion of this pair will look at. Worth it when other work, such as the
    /// prefetches of other pairs, comes between the two.
    fn prefetch(&self, left: u32, right: u32);

    /// Whether the set is so full that it should grow soon. Cheap.
    fn wants_growth(&self) -> bool;

    /// Makes the room that was missing since the last growth; does nothing if none was. At no moment the set takes
    /// more than `limit_bytes`. After an error the set still works, perhaps with room for many more pairs, and
    /// [`wants_growth`](Visited::wants_growth) is silent until an insertion finds it full.
    fn grow(&mut self, limit_bytes: Option<u64>) -> Result<(), OutOfMemory>;

    /// The number of pairs that were new. Not for every step of a search: it adds up a few counters.
    fn len(&self) -> u64;

    /// Whether nothing was inserted yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory it takes.
    fn bytes(&self) -> u64;
}

/// A set of states that can be named by a hash instead, because it forgets the rest anyway.
///
/// Name all states of one search in the same way, by pairs or by hashes.
pub trait VisitedHash: Visited {
    /// The ticket of a state with this hash; asks the processor to fetch what its insertion will look at. Good until the set grows.
    fn ticket(&self, hash: u64) -> u64;

    /// Adds states by their tickets, until the set is full; `inserted` is told of each whether it is new. `alone` is a promise
    /// that no other thread inserts.
    fn insert_tickets(&self, tickets: &[u64], alone: bool, inserted: impl FnMut(bool)) -> Result<(), Full>;

    /// Like [`Visited::insert`], for a state with this hash.
    #[inline]
    fn insert_hash(&self, hash: u64) -> Result<bool, Full> {
        let mut is_new = false;
        self.insert_tickets(&[self.ticket(hash)], false, |new| is_new = new)?;
        Ok(is_new)
    }

    /// Like [`Visited::prefetch`], for a state with this hash.
    #[inline]
    fn prefetch_hash(&self, hash: u64) {
        self.ticket(hash);
    }
}

#[cfg(test)]
mod tests;
