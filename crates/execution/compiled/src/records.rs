//! Records of what processes do, see `recall.rs`: how they lie in memory, how they are found, and how they are made.

use std::cell::Cell;
use std::ops::ControlFlow;

use allways_system::Step;

use crate::expand::{Arrival, Expanded, StepsTo, Visitor, Wrong};
use crate::field::Field;

/// States of no more words than this are short: they have room in registers.
pub const SHORT: usize = 4;
/// Longer records are not made.
const MAX_RECORD: usize = 1000;
/// No record has more states, if they are short: each takes three words or more.
pub(crate) const MAX_ARRIVALS: usize = MAX_RECORD / 3;
/// So many places are there in the table for each record: looking at a wrong one first costs more than memory.
const PLACES: usize = 4;

/// What the head of a record says if what follows is the number of a node of a tree instead.
pub(crate) const LINK: u64 = u64::MAX;

/// Records, found by a number, that of a kind of key, and the words of the key.
pub(crate) struct Records {
    /// Where records start, by the hash of their keys; 0 is none. A power of two of places, few of them in use.
    table: Vec<u32>,
    /// 64 minus the logarithm of the number of places.
    shift: u32,
    n_records: usize,
    /// The records, one after the other: the number of the key and how many words it has, these words, a [`Head`], the
    /// place of its steps, and the states they lead to: each an [`ArrivalHead`] and its [`Write`]s, or, if states are
    /// short, for each word which bits to keep, and the others. The first word is not used; then comes [`NOTHING`].
    words: Vec<u64>,
    steps: Vec<KnownStep>,
    /// Records that are found by the bits of their keys, without a search: tables of some keys, one after the other. 0 where nothing is known
    /// here; the first place is not used.
    tables: Vec<Cell<u32>>,
}

/// The record of nothing to be done, if states are short: it is always near, and the others need no room for what is read before it is known that
/// there is no state.
pub(crate) const NOTHING: u32 = 1;
/// What comes first: no record, and [`NOTHING`] with a state that may be read.
const FIRST_WORDS: [u64; 4 + 1 + 2 * SHORT] = [0; _];
/// All tables of keys together have so many places.
const MAX_TABLES: usize = 1 << 18;

/// A step of a record.
#[derive(Clone, Copy)]
pub(crate) struct KnownStep {
    pub step: Step,
    pub n_arrivals: u32,
    /// Where they are.
    pub at: u32,
    pub expanded: Expanded,
}

/// What the hashes of keys with a number begin with.
pub(crate) fn seed(id: u32) -> u64 {
    (id as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The hash of a key of so many words. A word 0 at its end makes no difference.
#[inline(always)]
fn hash(seed: u64, n_words: usize, word: impl Fn(usize) -> u64) -> u64 {
    let mut hash = seed;
    for first in (0..n_words.max(1)).step_by(2) {
        let (a, b) = (word(first), if first + 1 < n_words { word(first + 1) } else { 0 });
        let product = (a ^ hash) as u128 * (b ^ 0x9e37_79b9_7f4a_7c15) as u128;
        hash = product as u64 ^ (product >> 64) as u64;
    }
    hash
}

/// So many places, none in use. A page of fresh memory that is read first is shared with all that are, and the first write to it must tell
/// all processors; so each is written to.
fn empty_table(n_places: usize) -> Vec<u32> {
    const PAGE: usize = 4096 / size_of::<u32>();
    let mut table = vec![0; n_places];
    table.iter_mut().step_by(PAGE).for_each(|place| *std::hint::black_box(place) = 0);
    table
}

impl Records {
    pub fn new() -> Records {
        Records {
            table: empty_table(1 << 10),
            shift: 64 - 10,
            n_records: 0,
            words: FIRST_WORDS.to_vec(),
            steps: Vec::new(),
            tables: vec![Cell::new(0)],
        }
    }

    pub fn clear(&mut self) {
        self.words.truncate(FIRST_WORDS.len());
        self.tables.truncate(1);
        self.steps.clear();
        self.table.fill(0);
        self.n_records = 0;
    }

    /// How many words they take.
    #[inline(always)]
    pub fn n_words(&self) -> usize {
        self.words.len()
    }

    /// What is needed to look for records.
    #[inline(always)]
    pub fn index(&self) -> Index<'_> {
        Index { table: &self.table, shift: self.shift, words: &self.words, tables: &self.tables }
    }

    /// Makes a table for a key of so many bits. Where it begins; none if there is no room.
    pub fn add_table(&mut self, n_bits: u32) -> Option<u32> {
        let start = self.tables.len();
        let end = start + (1 << n_bits);
        (end <= MAX_TABLES).then(|| self.tables.resize(end, Cell::new(0)))?;
        Some(start as u32)
    }

    /// Begins a record and enters it.
    fn add_key(&mut self, id: u32, key: impl ExactSizeIterator<Item = u64>) {
        let at = self.words.len();
        self.words.push(id as u64 | (key.len() as u64) << 32);
        self.words.extend(key);
        self.n_records += 1;
        if self.n_records * PLACES > self.table.len() {
            let old = std::mem::take(&mut self.table);
            self.table = empty_table(old.len() * 2);
            self.shift -= 1;
            old.iter().filter(|at| **at != 0).for_each(|at| self.enter(*at as usize));
        }
        self.enter(at);
    }

    fn enter(&mut self, at: usize) {
        let n_key = (self.words[at] >> 32) as usize;
        let hash = hash(seed(self.words[at] as u32), n_key, |i| self.words[at + 1 + i]);
        let mut place = (hash >> self.shift) as usize;
        while self.table[place] != 0 {
            place = (place + 1) & (self.table.len() - 1);
        }
        self.table[place] = at as u32;
    }

    /// Adds the record that was just made.
    pub fn add(&mut self, id: u32, key: impl ExactSizeIterator<Item = u64>, made: &Recorder) -> u32 {
        self.add_key(id, key);
        let start = self.words.len();
        self.words.extend([made.head(), self.steps.len() as u64]);
        let arrivals = self.words.len() as u32;
        self.words.extend_from_slice(&made.arrivals);
        if made.n_arrivals == 0 && made.head() != 0 {
            // Something that may be read before it is known that there is none.
            self.words.extend([0; 1 + 2 * SHORT]);
        }
        self.steps.extend(made.steps.iter().map(|step| KnownStep { at: arrivals + step.at, ..*step }));
        start as u32
    }

    /// Adds the number of a node in place of a record.
    pub fn add_link(&mut self, id: u32, key: impl ExactSizeIterator<Item = u64>, node: u32) {
        self.add_key(id, key);
        self.words.extend([LINK, node as u64]);
    }

    /// The head of a record.
    #[inline(always)]
    pub fn head(&self, record: u32) -> Head {
        self.index().head(record)
    }

    /// The number of the first step of a record, and all of them.
    #[inline(always)]
    pub fn steps(&self, record: u32) -> (u32, &[KnownStep]) {
        let first = self.words[record as usize + 1] as u32;
        (first, &self.steps[first as usize..][..self.head(record).n_steps() as usize])
    }

    /// The step with this number.
    #[inline(always)]
    pub fn step(&self, number: u32) -> &KnownStep {
        &self.steps[number as usize]
    }

    /// Where the states of a record are.
    #[inline(always)]
    pub fn arrivals(record: u32) -> u32 {
        record + 2
    }

    /// What is remembered of a state that a step leads to, and where the next one is, unless states are short.
    ///
    /// # Safety
    /// `at` is where one of the states of a record is.
    #[inline(always)]
    pub unsafe fn arrival(&self, at: u32) -> (ArrivalHead, &[Write], u32) {
        // SAFETY: promised; the recorder wrote the head and then as many writes as it says, each of three words.
        unsafe {
            let place = self.words.as_ptr().add(at as usize);
            let head = ArrivalHead::of(*place);
            let writes = std::slice::from_raw_parts(place.add(1).cast::<Write>(), head.n_writes as usize);
            (head, writes, at + 1 + head.n_writes as u32 * WRITE_WORDS)
        }
    }
}

/// Records, to be looked for.
#[derive(Clone, Copy)]
pub(crate) struct Index<'r> {
    table: &'r [u32],
    shift: u32,
    words: &'r [u64],
    tables: &'r [Cell<u32>],
}

impl<'r> Index<'r> {
    /// A place in the tables of keys.
    ///
    /// # Safety
    /// It is one.
    #[inline(always)]
    pub unsafe fn place(self, at: usize) -> &'r Cell<u32> {
        debug_assert!(at < self.tables.len());
        // SAFETY: promised.
        unsafe { self.tables.get_unchecked(at) }
    }

    /// Looks for the record with a key, by the number of the key, its [`seed`], and the words of the key; 0 if there is none. All
    /// keys with a number have as many words.
    #[inline(always)]
    pub fn find(self, seed: u64, id: u32, n_key: usize, key: impl Fn(usize) -> u64) -> u32 {
        let mut place = (hash(seed, n_key, &key) >> self.shift) as usize;
        loop {
            // SAFETY: a hash shifted by that is below the number of places, and so is what follows it, masked.
            let at = unsafe { *self.table.get_unchecked(place) };
            if at == 0 {
                return 0;
            }
            // SAFETY: a record starts there. If the number is the same, so is the number of the key's words.
            unsafe {
                let record = self.words.as_ptr().add(at as usize);
                if *record as u32 == id && (0..n_key).all(|i| *record.add(1 + i) == key(i)) {
                    return at + 1 + n_key as u32;
                }
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }

    /// The same for short states, with a word of the key for each of theirs. Where nothing is to be done, that is [`NOTHING`].
    #[inline(always)]
    pub fn find_short<const N: usize>(self, seed: u64, id: u32, key: [u64; N]) -> u32 {
        let mut place = (hash(seed, N, |i| key[i]) >> self.shift) as usize;
        loop {
            // SAFETY: as above. Keys have two words or more.
            unsafe {
                let at = *self.table.get_unchecked(place);
                if at == 0 {
                    return 0;
                }
                let record = self.words.as_ptr().add(at as usize);
                if *record as u32 == id && (0..N).all(|i| *record.add(1 + i) == key[i]) {
                    let record = at + 1 + const { if N < 2 { 2 } else { N as u32 } };
                    return if self.head(record).0 == 0 { NOTHING } else { record };
                }
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }

    /// The node that is there in place of a record, if it is one.
    pub fn link(self, record: u32) -> Option<u32> {
        (self.words[record as usize] == LINK).then(|| self.words[record as usize + 1] as u32)
    }

    /// The head of a record.
    #[inline(always)]
    pub fn head(self, record: u32) -> Head {
        // SAFETY: `record` came from `find` or `add`.
        Head(unsafe { *self.words.get_unchecked(record as usize) })
    }

    /// What is remembered of a short state that a step leads to, and where the next one is.
    ///
    /// # Safety
    /// `at` is where one of the states of a record is, of so many words.
    #[inline(always)]
    pub unsafe fn short_arrival<const N: usize>(
        self,
        at: u32,
        before: &[u64; N],
    ) -> (ArrivalHead, [u64; N], u32) {
        // SAFETY: promised; the recorder wrote the head and then two words for each word of the state.
        unsafe {
            let place = self.words.as_ptr().add(at as usize);
            let words = std::array::from_fn(|i| before[i] & *place.add(1 + 2 * i) | *place.add(2 + 2 * i));
            (ArrivalHead::of(*place), words, at + 1 + 2 * N as u32)
        }
    }
}

/// Makes a record.
#[derive(Default)]
pub(crate) struct Recorder {
    /// The states have so many words.
    n_words: usize,
    arrivals: Vec<u64>,
    n_arrivals: usize,
    steps: Vec<KnownStep>,
    refused: bool,
    /// Where the number of the shape is.
    shape: Option<Field>,
    /// Bits to overwrite, by word.
    writes: Vec<(u32, u64)>,
}

/// What a record is about: the number of its states, of its steps, of those into atomic sequences, and
/// [`Expanded::deepest`], at least 1 if a handshake was refused, which the top bit says.
#[derive(Clone, Copy, Default)]
pub(crate) struct Head(u64);

const REFUSED: u16 = 1 << 15;

impl Head {
    #[inline(always)]
    pub fn n_arrivals(self) -> u32 {
        self.0 as u16 as u32
    }

    #[inline(always)]
    pub fn n_steps(self) -> u32 {
        (self.0 >> 16) as u16 as u32
    }

    /// With what another says: there are steps if there are in one of them.
    #[inline(always)]
    pub fn join(&mut self, other: Head) {
        self.0 |= other.0;
    }

    /// There is more to be said than how many states and steps there are.
    #[inline(always)]
    pub fn is_unusual(self) -> bool {
        self.0 >> 32 != 0
    }

    pub fn add_to(self, expanded: &mut Expanded) {
        let deepest = (self.0 >> 48) as u16 & !REFUSED;
        expanded.deepest = expanded.deepest.max(deepest as u32);
        expanded.atomic_steps += (self.0 >> 32) as u16 as u64;
    }

    pub fn refused(self) -> bool {
        (self.0 >> 48) as u16 & REFUSED != 0
    }
}

/// The head of a state that a step leads to.
#[derive(Clone, Copy)]
pub(crate) struct ArrivalHead {
    n_writes: u16,
    /// How many words the state has; 0 if as many as the one before.
    pub n_words: u16,
    pub length: u16,
    pub n_steps: u16,
}

impl ArrivalHead {
    #[inline(always)]
    fn of(word: u64) -> ArrivalHead {
        let [n_writes, n_words, length, n_steps] = quarters(word);
        ArrivalHead { n_writes, n_words, length, n_steps }
    }
}

#[inline(always)]
fn quarters(word: u64) -> [u16; 4] {
    [word as u16, (word >> 16) as u16, (word >> 32) as u16, (word >> 48) as u16]
}

fn word_of(quarters: [usize; 4]) -> u64 {
    quarters.iter().rev().fold(0, |word, quarter| word << 16 | *quarter as u64)
}

/// What is to be overwritten, as it lies in three words of a record.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Write {
    pub word: u64,
    /// The bits to keep...
    pub keep: u64,
    /// ...and the others.
    pub value: u64,
}

const WRITE_WORDS: u32 = (size_of::<Write>() / size_of::<u64>()) as u32;

impl Recorder {
    pub fn start(&mut self, n_words: usize, refused: bool, shape: Field) {
        self.n_words = n_words;
        self.shape = Some(shape);
        self.arrivals.clear();
        self.steps.clear();
        self.n_arrivals = 0;
        self.refused = refused;
    }

    pub fn step(&mut self, step: Step) {
        let at = self.arrivals.len() as u32;
        self.steps.push(KnownStep { step, n_arrivals: 0, at, expanded: Expanded::default() });
    }

    pub fn end_step(&mut self, expanded: Expanded) {
        if let Some(step) = self.steps.last_mut() {
            step.expanded = expanded;
        }
    }

    /// Numbers for the head.
    fn numbers(&self) -> [usize; 4] {
        let atomic_steps: u64 = self.steps.iter().map(|step| step.expanded.atomic_steps).sum();
        let deepest = self.steps.iter().map(|step| step.expanded.deepest).max().unwrap_or(0);
        let deepest = deepest.max(self.refused as u32) as usize;
        [self.n_arrivals, self.steps.len(), atomic_steps as usize, deepest]
    }

    pub fn is_short(&self) -> bool {
        self.arrivals.len() <= MAX_RECORD && self.numbers().iter().all(|number| *number < REFUSED as usize)
    }

    fn head(&self) -> u64 {
        word_of(self.numbers()) | (if self.refused { REFUSED as u64 } else { 0 }) << 48
    }
}

impl Visitor for Recorder {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        self.writes.clear();
        for ((word, _), mask) in arrival.changed.iter().zip(arrival.masks) {
            match self.writes.iter_mut().find(|(known, _)| known == word) {
                Some((_, known)) => *known |= mask,
                None => self.writes.push((*word, *mask)),
            }
        }
        let is_shape = |(word, mask): &(u32, u64)| {
            self.shape.is_some_and(|field| field.word() == *word as usize && mask & field.mask() != 0)
        };
        // If the shape stays, its number was perhaps not looked at, and the length of states may not depend on it.
        let n_words = if self.writes.iter().any(is_shape) { arrival.n_words } else { 0 };
        let head = [self.writes.len(), n_words, arrival.length as usize, arrival.n_steps];
        if self.arrivals.len() > MAX_RECORD
            || arrival.n_words > self.n_words
            || head.iter().any(|number| *number > u16::MAX as usize)
        {
            return ControlFlow::Break(());
        }
        if let Some(step) = self.steps.last_mut() {
            step.n_arrivals += 1;
        }
        self.n_arrivals += 1;
        self.arrivals.push(word_of(head));
        if self.n_words <= SHORT {
            for word in 0..self.n_words {
                let written = self.writes.iter().find(|(other, _)| *other as usize == word);
                let mask = written.map_or(0, |(_, mask)| *mask);
                self.arrivals.extend([!mask, arrival.words[word] & mask]);
            }
            return ControlFlow::Continue(());
        }
        for (word, mask) in &self.writes {
            self.arrivals.extend([*word as u64, !mask, arrival.words[*word as usize] & mask]);
        }
        ControlFlow::Continue(())
    }

    fn violation(&mut self, _: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
