//! The set of visited states: packed bytes in one arena, found through a hash table of 8-byte slots.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// A stored state: they are numbered in the order of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateId(pub u32);

/// Exact: nothing is lost, nothing is confused.
pub struct Store {
    arena: Vec<u8>,
    /// Where each state starts in the arena, and, at the end, where the next one will.
    starts: Vec<u64>,
    /// How many of a state's leading bytes distinguish it; the same for all unless hidden variables exist.
    key_lengths: KeyLengths,
    /// Open addressing, linear probing; 0 is empty, else the high half of the hash and the state's number + 1.
    table: Vec<u64>,
}

/// Most systems have no hidden variables: then every byte counts and nothing needs to be remembered.
enum KeyLengths {
    AllBytes,
    PerState(Vec<u32>),
}

const EMPTY: u64 = 0;

impl Default for Store {
    fn default() -> Store {
        Store {
            arena: Vec::new(),
            starts: vec![0],
            key_lengths: KeyLengths::AllBytes,
            table: vec![EMPTY; 1 << 12],
        }
    }
}

impl Store {
    /// Adds a state unless one with the same first `key` bytes is there. Some(id) if it was new.
    pub fn insert(&mut self, state: &[u8], key: usize) -> Option<StateId> {
        if (self.len() + 1) * 4 > self.table.len() * 3 {
            self.grow();
        }
        let slot = self.slot_for(&state[..key]).ok()?;
        let id = self.len();
        self.table[slot] = (hash(&state[..key]) & TAG) | (id as u64 + 1);
        self.append(state, key);
        Some(StateId(id as u32))
    }

    /// Whether a state with these first bytes is there.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.slot_for(key).is_err()
    }

    /// The slot for a new state with these first bytes; an error if there is one.
    fn slot_for(&self, key: &[u8]) -> Result<usize, ()> {
        let hash = hash(key);
        let mut slot = self.home(hash);
        loop {
            let entry = self.table[slot];
            if entry == EMPTY {
                return Ok(slot);
            }
            if entry & TAG == hash & TAG && self.key(entry_index(entry)) == key {
                return Err(());
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
    }

    /// All bytes of a state, as they were when it was first met.
    pub fn get(&self, id: StateId) -> &[u8] {
        self.bytes(id.0 as usize)
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// No more states can be numbered.
    pub fn is_full(&self) -> bool {
        self.len() >= u32::MAX as usize - 1
    }

    /// What it occupies.
    pub fn memory(&self) -> u64 {
        let key_lengths = match &self.key_lengths {
            KeyLengths::AllBytes => 0,
            KeyLengths::PerState(lengths) => lengths.len() * 4,
        };
        // What is only reserved takes no memory before it is written.
        (self.arena.len() + self.starts.len() * 8 + self.table.len() * 8 + key_lengths) as u64
    }

    fn bytes(&self, index: usize) -> &[u8] {
        &self.arena[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// The bytes that distinguish a state, by its number.
    pub fn key(&self, index: usize) -> &[u8] {
        let bytes = self.bytes(index);
        match &self.key_lengths {
            KeyLengths::AllBytes => bytes,
            KeyLengths::PerState(lengths) => &bytes[..lengths[index] as usize],
        }
    }

    fn append(&mut self, state: &[u8], key: usize) {
        if let KeyLengths::AllBytes = self.key_lengths
            && key != state.len()
        {
            let lengths = self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as u32);
            self.key_lengths = KeyLengths::PerState(lengths.collect());
        }
        if let KeyLengths::PerState(lengths) = &mut self.key_lengths {
            lengths.push(key as u32);
        }
        self.arena.extend_from_slice(state);
        self.starts.push(self.arena.len() as u64);
    }

    fn home(&self, hash: u64) -> usize {
        // The tag uses the high half; the low half is left for the position.
        hash as u32 as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        self.table = vec![EMPTY; self.table.len() * 2];
        for index in 0..self.len() {
            let hash = hash(self.key(index));
            let mut slot = self.home(hash);
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & (self.table.len() - 1);
            }
            self.table[slot] = (hash & TAG) | (index as u64 + 1);
        }
    }
}

const TAG: u64 = 0xffff_ffff_0000_0000;

fn entry_index(entry: u64) -> usize {
    (entry & !TAG) as usize - 1
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    // FxHasher leaves the low bits weak for short inputs.
    let hash = hasher.finish();
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_set() {
        let mut store = Store::default();
        let mut reference = std::collections::HashMap::new();
        let mut seed = 1u64;
        for _ in 0..50_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = seed >> 49;
            let bytes = &value.to_le_bytes()[..1 + (value % 8) as usize];
            let new = store.insert(bytes, bytes.len());
            assert_eq!(new.is_none(), reference.contains_key(bytes));
            assert!(store.contains(bytes));
            if let Some(id) = new {
                reference.insert(bytes.to_vec(), id);
            }
        }
        assert_eq!(store.len(), reference.len());
        for (bytes, id) in reference {
            assert_eq!(store.get(id), bytes);
        }
    }

    #[test]
    fn hidden_bytes_do_not_distinguish_but_are_kept() {
        let mut store = Store::default();
        assert_eq!(store.insert(&[1, 2], 2), Some(StateId(0)));
        assert!(!store.contains(&[3]));
        assert_eq!(store.insert(&[3, 9], 1), Some(StateId(1)));
        assert_eq!(store.insert(&[3, 8], 1), None);
        assert_eq!(store.insert(&[1, 2], 2), None);
        assert_eq!(store.get(StateId(1)), [3, 9]);
    }
}
