//! A packed state that remembers how to go back.

use crate::field::Field;

#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub words: Vec<u64>,
    /// Words that were overwritten and what they held, oldest first.
    pub undo: Vec<(u32, u64)>,
}

impl Packed {
    #[inline(always)]
    pub fn write(&mut self, at: usize, word: u64) {
        let place = &mut self.words[at];
        self.undo.push((at as u32, *place));
        *place = word;
    }

    #[inline(always)]
    pub fn set(&mut self, field: Field, value: i32) {
        self.write(field.word(), field.put(self.words[field.word()], value));
    }

    /// Goes back to what it was when the undo list was that long.
    #[inline(always)]
    pub fn back(&mut self, mark: usize) {
        for (at, word) in self.undo[mark..].iter().rev() {
            self.words[*at as usize] = *word;
        }
        self.undo.truncate(mark);
    }
}
