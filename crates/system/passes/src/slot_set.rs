//! Sets of slots of one frame.

/// A set of slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SlotSet {
    /// Slot `i` is bit `i % 64` of word `i / 64`.
    words: Vec<u64>,
}

impl SlotSet {
    /// The empty set of slots of a frame of this size.
    pub fn new(slots: usize) -> SlotSet {
        SlotSet { words: vec![0; slots.div_ceil(64)] }
    }

    /// How many words it takes.
    pub fn n_words(&self) -> usize {
        self.words.len()
    }

    /// Slots behind the frame are in no set.
    pub fn contains(&self, slot: u32) -> bool {
        self.words.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }

    /// Adds a slot; whether it was not there. Slots behind the frame are ignored.
    pub fn insert(&mut self, slot: u32) -> bool {
        let Some(word) = self.words.get_mut(slot as usize / 64) else { return false };
        let before = *word;
        *word |= 1 << (slot % 64);
        *word != before
    }

    pub fn remove(&mut self, slot: u32) {
        self.words[slot as usize / 64] &= !(1 << (slot % 64));
    }

    /// Adds all slots of another set; whether any was not there.
    pub fn insert_all(&mut self, other: &SlotSet) -> bool {
        let mut changed = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            changed |= *other & !*word != 0;
            *word |= other;
        }
        changed
    }

    /// Removes all slots that are not in another set.
    pub fn retain_all(&mut self, other: &SlotSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// Removes all slots of another set.
    pub fn remove_all(&mut self, other: &SlotSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(i, word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| i as u32 * 64 + bit)
        })
    }
}
