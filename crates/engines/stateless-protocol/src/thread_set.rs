//! Sets of threads.

use crate::limits::THREADS;

const WORDS: usize = THREADS / 64;

/// A set of thread numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ThreadSet(pub [u64; WORDS]);

impl ThreadSet {
    /// No thread.
    pub const EMPTY: ThreadSet = ThreadSet([0; WORDS]);

    /// Just this thread.
    pub fn single(thread: usize) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        set.insert(thread);
        set
    }

    /// Adds a thread.
    pub fn insert(&mut self, thread: usize) {
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    /// Takes a thread out.
    pub fn remove(&mut self, thread: usize) {
        self.0[thread / 64] &= !(1 << (thread % 64));
    }

    /// Is it in?
    pub fn contains(&self, thread: usize) -> bool {
        self.0[thread / 64] >> (thread % 64) & 1 == 1
    }

    /// Is nothing in?
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// How many?
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The lowest number.
    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    /// In either.
    pub fn union(mut self, other: ThreadSet) -> ThreadSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
        self
    }

    /// In both.
    pub fn intersection(mut self, other: ThreadSet) -> ThreadSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }

    /// In this one only.
    pub fn without(mut self, other: ThreadSet) -> ThreadSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= !other;
        }
        self
    }

    /// In ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        core::iter::from_fn(move || {
            let thread = rest.first()?;
            rest.remove(thread);
            Some(thread)
        })
    }
}
