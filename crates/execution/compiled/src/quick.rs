//! How the record of a spot is found where states are short: by a table, by a hash, or in a tree of keys. See `recall.rs`.

use std::cell::Cell;

use crate::extract;
use crate::recall::{Node, find_in_tree};
use crate::records::{Index, Records, SHORT};

/// Keys of no more bits may have tables.
const MAX_TABLE_BITS: u32 = 12;

/// What is needed to look for the record of a spot where states have few words, in one place.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Quick {
    /// The key: bits of each word.
    pub masks: [u64; SHORT],
    /// What hashes of keys begin with.
    pub seed: u64,
    /// See `Spot::id`; 0 if no record is to be looked for.
    pub id: u32,
    /// Adds to `Spot::n_found`.
    pub n_found: u32,
    /// The root of the tree of keys, plus one, if there is one.
    pub tree: u32,
    pub first_choice: u32,
    /// Where the table of this key begins, if there is one; see [`Records`].
    table: u32,
    pub n_choices: u8,
    /// The two words with bits of the key, if there is a table, and how many bits of it the first one has.
    low: u8,
    high: u8,
    low_bits: u8,
}

impl Quick {
    /// Looks for the record of this spot by its key; 0 if there is none.
    #[inline(always)]
    pub fn find<const N: usize>(&mut self, index: Index, words: &[u64; N]) -> u32 {
        let record = if self.id != 0 { self.find_by_hash(index, words) } else { 0 };
        self.n_found = self.n_found.wrapping_add((record != 0) as u32);
        record
    }

    /// The same if there is a table, given a way to move bits of a word together. 0 also if the table does not know yet.
    #[inline(always)]
    pub fn find_at_once<const N: usize>(
        &mut self,
        index: Index,
        words: &[u64; N],
        extract: impl Fn(u64, u64) -> u64,
    ) -> u32 {
        if self.table == 0 {
            return self.find(index, words);
        }
        let record = self.place(index, words, extract).get();
        self.n_found = self.n_found.wrapping_add(1);
        record
    }

    /// Finds what the table does not know yet, and lets it know.
    pub fn enter<const N: usize>(&self, index: Index, words: &[u64; N]) -> u32 {
        if self.table == 0 {
            return 0;
        }
        let record = self.find_by_hash(index, words);
        self.place(index, words, extract::slowly).set(record);
        record
    }

    /// The place in the table.
    #[inline(always)]
    fn place<'r, const N: usize>(
        &self,
        index: Index<'r>,
        words: &[u64; N],
        extract: impl Fn(u64, u64) -> u64,
    ) -> &'r Cell<u32> {
        let part = |word: usize| extract(words[word], self.masks[word]) as usize;
        let bits = match N {
            1 => part(0),
            2 => part(0) | part(1) << self.low_bits,
            _ => {
                let (low, high) = (self.low as usize, self.high as usize);
                part(low.min(N - 1)) | part(high.min(N - 1)) << self.low_bits
            }
        };
        // SAFETY: the table has a place for all values of the bits of this key.
        unsafe { index.place(self.table as usize + bits) }
    }

    /// Looks for a record in the way that always works.
    #[inline(always)]
    fn find_by_hash<const N: usize>(&self, index: Index, words: &[u64; N]) -> u32 {
        let key = std::array::from_fn(|i| words[i] & self.masks[i]);
        index.find_short::<N>(self.seed, self.id, key)
    }

    /// Gives the key a table, if it can have one.
    pub fn make_table(&mut self, records: &mut Records) {
        let mut used = (0..SHORT).filter(|word| self.masks[*word] != 0);
        let (low, high) = (used.next().unwrap_or(0), used.next());
        // Any word without bits will do.
        let high = high.unwrap_or(if low == 0 { 1 } else { 0 });
        let (low, high) = (low.min(high), low.max(high));
        let n_bits = self.masks[low].count_ones() + self.masks[high].count_ones();
        if used.next().is_none()
            && n_bits <= MAX_TABLE_BITS
            && let Some(table) = records.add_table(n_bits)
        {
            (self.table, self.low, self.high) = (table, low as u8, high as u8);
            self.low_bits = self.masks[low].count_ones() as u8;
        }
    }

    /// Whether there is a tree of keys instead.
    pub fn has_tree(&self) -> bool {
        self.tree != 0
    }

    /// The same, by the tree of keys.
    #[inline(always)]
    pub fn find_in_tree<const N: usize>(&mut self, nodes: &[Node], index: Index, words: &[u64; N]) -> u32 {
        let record = find_in_tree(nodes, index, self.tree, |node| node.find_short(index, words));
        if record != 0 {
            self.n_found = self.n_found.wrapping_add(1);
        }
        record
    }

    pub fn has_table(&self) -> bool {
        self.table != 0
    }

    /// Goes on with the table of another one, which has the same key.
    pub fn take_table(&mut self, other: &Quick) {
        (self.table, self.low, self.high, self.low_bits) =
            (other.table, other.low, other.high, other.low_bits);
    }

    /// There are no records any more.
    pub fn forget(&mut self) {
        (self.tree, self.table) = (0, 0);
    }
}
