//! A packed state that remembers how to go back and, if asked, which of its bits were looked at.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::field::Field;

#[derive(Clone, Debug, Default)]
pub struct Packed {
    pub words: Vec<u64>,
    /// Words that were overwritten and what they held, oldest first.
    pub undo: Vec<(u32, u64)>,
    /// While traced: the bits that each overwriting wrote, beside `undo`.
    pub masks: Vec<u64>,
    /// A field whose guessed width turned out too small for this value, until that is asked for.
    pub too_narrow: Option<(Field, i32)>,
    /// If asked for: the least and the greatest value that was stored in each field.
    pub stored: Option<FxHashMap<Field, (i32, i32)>>,
    is_traced: bool,
    trace: RefCell<Trace>,
}

/// Which bits of each word were looked at before they were written, and which were written.
#[derive(Clone, Debug, Default)]
struct Trace {
    read: Vec<u64>,
    written: Vec<u64>,
    /// What `written` said of the word before each overwriting, beside `undo`.
    written_before: Vec<u64>,
    /// What was read, in that order: words, and bits that had not been read before.
    order: Vec<(u32, u64)>,
}

impl Packed {
    pub fn new(n_words: usize) -> Packed {
        Packed { words: vec![0; n_words], ..Packed::default() }
    }

    #[inline(always)]
    pub fn get(&self, field: Field) -> i32 {
        if self.is_traced {
            self.looked_at(field.word(), field.mask());
        }
        field.get(&self.words)
    }

    #[inline(always)]
    pub fn set(&mut self, field: Field, mut value: i32) {
        if field.is_guessed() {
            let (truncated, fits) = field.truncate(value);
            value = truncated;
            if !fits {
                self.too_narrow.get_or_insert((field, value));
            }
        }
        if self.stored.is_some() {
            self.note_stored(field, value);
        }
        let word = field.put(self.words[field.word()], value);
        self.write(field.word(), word, field.mask());
    }

    /// Whether nothing is noted of what is looked at and stored.
    pub fn is_quiet(&self) -> bool {
        !self.is_traced && self.stored.is_none()
    }

    /// Like [`Packed::set`] while nothing is noted, for many steps between which nobody goes back:
    /// it is enough to know what a word held before the first of them. `kept` has a bit for each of
    /// the first 64 words of which that is known. Whether the value fits.
    #[inline(always)]
    pub fn set_quietly(&mut self, field: Field, mut value: i32, kept: &mut u64) -> bool {
        debug_assert!(self.is_quiet());
        let mut fits = true;
        if field.is_guessed() {
            (value, fits) = field.truncate(value);
            if !fits {
                self.too_narrow.get_or_insert((field, value));
            }
        }
        let at = field.word();
        let bit = if at < 64 { 1 << at } else { 0 };
        let place = &mut self.words[at];
        if *kept & bit == 0 {
            *kept |= bit;
            self.undo.push((at as u32, *place));
        }
        *place = field.put(*place, value);
        fits
    }

    /// Some bits of a word, where they are.
    #[inline(always)]
    pub fn bits(&self, at: usize, mask: u64) -> u64 {
        if self.is_traced {
            self.looked_at(at, mask);
        }
        self.words[at] & mask
    }

    /// Overwrites a word, which changes only the bits of the mask.
    #[inline(always)]
    pub fn write(&mut self, at: usize, word: u64, mask: u64) {
        if self.is_traced {
            self.written(at, mask);
        }
        let place = &mut self.words[at];
        self.undo.push((at as u32, *place));
        *place = word;
    }

    /// Goes back to what it was when the undo list was that long.
    #[inline(always)]
    pub fn back(&mut self, mark: usize) {
        for (at, word) in self.undo[mark..].iter().rev() {
            self.words[*at as usize] = *word;
        }
        if self.is_traced {
            self.unwrite(mark);
        }
        self.undo.truncate(mark);
    }

    /// From so many on it is worth to call [`Packed::compact`].
    pub fn compact_after(&self) -> usize {
        64 + 2 * self.words.len()
    }

    /// Of each word that was overwritten since the undo list was that long, keeps only what it held then: nobody goes back
    /// to what was in between.
    #[cold]
    #[inline(never)]
    pub fn compact(&mut self, mark: usize) {
        let Packed { words, undo, masks, is_traced, trace, .. } = self;
        let mut kept_at = vec![None; words.len()];
        let mut n_kept = mark;
        for at in mark..undo.len() {
            let (word, before) = undo[at];
            match kept_at[word as usize] {
                Some(kept) if *is_traced => masks[kept] |= masks[at],
                Some(_) => {}
                None => {
                    kept_at[word as usize] = Some(n_kept);
                    undo[n_kept] = (word, before);
                    if *is_traced {
                        let written_before = &mut trace.get_mut().written_before;
                        masks[n_kept] = masks[at];
                        written_before[n_kept] = written_before[at];
                    }
                    n_kept += 1;
                }
            }
        }
        undo.truncate(n_kept);
        if *is_traced {
            masks.truncate(n_kept);
            trace.get_mut().written_before.truncate(n_kept);
        }
    }

    /// From now on what is looked at and written is noted.
    pub fn trace(&mut self) {
        debug_assert!(self.undo.is_empty());
        self.is_traced = true;
        self.masks.clear();
        let trace = self.trace.get_mut();
        trace.read.clear();
        trace.read.resize(self.words.len(), 0);
        trace.written.clear();
        trace.written.resize(self.words.len(), 0);
        trace.written_before.clear();
        trace.order.clear();
    }

    /// No longer. Tells each bit that was looked at before it was written: word by word, and in order.
    pub fn end_trace(&mut self) -> (&[u64], &[(u32, u64)]) {
        self.is_traced = false;
        let trace = self.trace.get_mut();
        (&trace.read, &trace.order)
    }

    pub fn is_traced(&self) -> bool {
        self.is_traced
    }

    #[cold]
    #[inline(never)]
    fn note_stored(&mut self, field: Field, value: i32) {
        // As it will be read again.
        let value = field.cut(value);
        let Some(stored) = &mut self.stored else { return };
        let range = stored.entry(field).or_insert((value, value));
        *range = (range.0.min(value), range.1.max(value));
    }

    #[cold]
    #[inline(never)]
    fn looked_at(&self, at: usize, mask: u64) {
        let trace = &mut *self.trace.borrow_mut();
        trace.cover(at);
        let new = mask & !trace.written[at] & !trace.read[at];
        if new != 0 {
            trace.read[at] |= new;
            trace.order.push((at as u32, new));
        }
    }

    #[cold]
    #[inline(never)]
    fn written(&mut self, at: usize, mask: u64) {
        let trace = self.trace.get_mut();
        trace.cover(at);
        trace.written_before.push(trace.written[at]);
        trace.written[at] |= mask;
        self.masks.push(mask);
    }

    #[cold]
    #[inline(never)]
    fn unwrite(&mut self, mark: usize) {
        let Trace { written, written_before, .. } = self.trace.get_mut();
        for ((at, _), before) in self.undo[mark..].iter().zip(&written_before[mark..]).rev() {
            written[*at as usize] = *before;
        }
        written_before.truncate(mark);
        self.masks.truncate(mark);
    }
}

impl Trace {
    /// States may become longer under way.
    fn cover(&mut self, at: usize) {
        if self.read.len() <= at {
            self.read.resize(at + 1, 0);
            self.written.resize(at + 1, 0);
        }
    }
}
