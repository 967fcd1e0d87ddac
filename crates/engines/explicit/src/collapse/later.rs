//! Successors of long states, encoded many at a time.
//!
//! Looking up a node of a tree is waiting for memory, and the nodes above it wait for its number. So while states are expanded their
//! successors are only noted; then the nodes of one level are looked up for all of them before the next level.

use allways_compiled::Arrival;
use allways_store::Full;

use super::{Base, Collapse, Kind, Refused};
use crate::keeper::pack;

/// Successors that are encoded together, so that what one needs is fetched while the processor is busy with others.
#[derive(Default)]
pub struct Later {
    /// For each of them the values of all nodes...
    values: Vec<u64>,
    /// ...the nodes to look up, as bits...
    dirty: Vec<u64>,
    /// ...and the number of its entry, which is that of the state before as yet. Ascending.
    entries: Vec<u32>,
    /// Values to look up: whose, which node, and its hash.
    tasks: Vec<(u32, u32, u64)>,
}

impl Later {
    /// What the lists take.
    pub fn bytes(&self) -> u64 {
        let words = self.values.capacity() + self.dirty.capacity();
        let tasks = self.tasks.capacity() * size_of::<(u32, u32, u64)>();
        (words * 8 + self.entries.capacity() * 4 + tasks) as u64
    }
}

/// Where the values of all nodes have more words than this, they are not copied for each successor.
const MOST_COPIED: usize = 256;

impl Collapse {
    /// Appends the pair of a successor of the state that `base` knows. It may be that of the state itself until
    /// [`Collapse::encode_rest`] is called.
    #[inline(always)]
    pub fn encode_later(
        &self,
        arrival: &Arrival,
        base: &mut Base,
        pairs: &mut Vec<u64>,
    ) -> Result<(), Refused> {
        if self.kind == Kind::Tree && self.n_values <= MOST_COPIED {
            return self.put_off(arrival, base, pairs);
        }
        let pair = self.encode(arrival, base)?;
        pairs.push(pack(pair));
        Ok(())
    }

    #[inline(never)]
    fn put_off(&self, arrival: &Arrival, base: &mut Base, pairs: &mut Vec<u64>) -> Result<(), Refused> {
        let Arrival { words, n_words, changed, .. } = *arrival;
        if n_words > self.n_words {
            return Err(Refused::TooWide(n_words));
        }
        let later = &mut base.later;
        self.forget_later(later, pairs.len());
        let (start, first) = (later.values.len(), later.dirty.len());
        later.values.extend_from_slice(&base.values);
        later.dirty.resize(first + base.dirty.len(), 0);
        let (values, dirty) = (&mut later.values[start..], &mut later.dirty[first..]);
        for (word, _) in changed {
            let home = self.homes[*word as usize];
            let (new, value) = (words[*word as usize], &mut values[home.at as usize]);
            if *value != new {
                *value = new;
                dirty[home.node as usize / 64] |= 1 << (home.node % 64);
            }
        }
        later.entries.push(pairs.len() as u32);
        pairs.push(pack((base.left, base.right)));
        Ok(())
    }

    /// Of those that were put off, forgets the ones from this number on: they are no longer wanted.
    #[inline(always)]
    fn forget_later(&self, later: &mut Later, n_pairs: usize) {
        while later.entries.last().is_some_and(|last| *last as usize >= n_pairs) {
            later.entries.pop();
            later.values.truncate(later.entries.len() * self.n_values);
            later.dirty.truncate(later.entries.len() * self.nodes.len().div_ceil(64));
        }
    }

    /// Completes the pairs of those that were put off. If the dictionaries are full they have to grow, and then this is to be
    /// called again.
    #[inline(always)]
    pub fn encode_rest(&self, base: &mut Base, pairs: &mut [u64]) -> Result<(), Full> {
        if base.later.entries.is_empty() { Ok(()) } else { self.climb_all(&mut base.later, pairs) }
    }

    /// Like [`Collapse::climb`], for many states, level by level.
    #[inline(never)]
    fn climb_all(&self, later: &mut Later, pairs: &mut [u64]) -> Result<(), Full> {
        self.forget_later(later, pairs.len());
        let n_blocks = self.nodes.len().div_ceil(64);
        let left = self.nodes.len() as u32 - 2;
        let Later { values, dirty, entries, tasks } = later;
        for level in &self.levels {
            tasks.clear();
            for (at, dirty) in dirty.iter().enumerate() {
                let (owner, block) = if n_blocks == 1 { (at, 0) } else { (at / n_blocks, at % n_blocks) };
                let mut bits = dirty & level[block];
                while bits != 0 {
                    let number = block as u32 * 64 + bits.trailing_zeros();
                    bits &= bits - 1;
                    let node = &self.nodes[number as usize];
                    let value = &values[owner * self.n_values + node.start as usize..][..node.width as usize];
                    let hash = self.dictionaries[node.dictionary as usize].prefetch(value);
                    tasks.push((owner as u32, number, hash));
                }
            }
            for (owner, number, hash) in tasks.iter() {
                let (owner, node) = (*owner as usize, &self.nodes[*number as usize]);
                let values = &mut values[owner * self.n_values..][..self.n_values];
                let value = &values[node.start as usize..][..node.width as usize];
                let id = self.dictionaries[node.dictionary as usize].intern_hashed(*hash, value)?;
                dirty[owner * n_blocks + *number as usize / 64] &= !(1 << (number % 64));
                if *number >= left {
                    set_half(&mut pairs[entries[owner] as usize], number - left, id);
                } else if set_half(&mut values[node.half as usize / 2], node.half % 2, id) {
                    dirty[owner * n_blocks + node.parent as usize / 64] |= 1 << (node.parent % 64);
                }
            }
        }
        values.clear();
        dirty.clear();
        entries.clear();
        Ok(())
    }
}

/// Overwrites one half of a word. Whether it was another before.
#[inline(always)]
fn set_half(word: &mut u64, half: u32, value: u32) -> bool {
    let new = *word & !(0xffff_ffff << (32 * half)) | (value as u64) << (32 * half);
    std::mem::replace(word, new) != new
}
