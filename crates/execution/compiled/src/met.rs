//! The states with several steps that an atomic sequence has come to, and what was found behind each of them.

use allways_system::Pid;
use rustc_hash::FxHashMap;

use crate::atomic::Frame;

/// What was found behind a state inside an atomic sequence, on all paths from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Summary {
    /// States where every process may move again.
    pub arrivals: u64,
    /// Steps that led to states inside the sequence.
    pub atomic_steps: u64,
    /// How much longer the path became.
    pub deepest: u32,
}

/// What is known of a state.
pub(crate) enum Again {
    /// It is new, or was met on a longer path only; it has this number now.
    New(u32),
    /// It is not remembered, and will not be.
    Skipped,
    /// It is on the path that leads here.
    OnPath,
    /// This was found behind it.
    Before(Summary),
}

/// A set of states, in which each can be marked as left.
///
/// Where paths never join, nothing is gained by it. So, as long as no state was met again, only one
/// of several is kept, drawn by lot: paths that join, or that run in a circle, soon come to one of
/// those. From then on all are kept.
#[derive(Default)]
pub(crate) struct Met {
    /// For each state its number plus one, above it the lowest bits of its hash; 0 is none. A power of two of places, at most
    /// half of them in use. A place that is taken by another state is mostly passed without a look at that state.
    table: Vec<u64>,
    states: Vec<State>,
    /// The words of each state.
    words: Vec<u64>,
    /// Which process has control and which ones moved so far: few for many states.
    who: Vec<(Pid, u64)>,
    /// Where each is in that list.
    who_numbers: FxHashMap<(Pid, u64), u32>,
    /// Whether a state was met again.
    has_joined: bool,
    /// The state of the generator of random numbers that draws the lots.
    lot: u64,
}

#[derive(Clone, Copy)]
struct State {
    start: u32,
    n_words: u32,
    /// Index into [`Met::who`].
    who: u32,
    /// The length of the shortest path to it.
    length: u32,
    is_left: bool,
    summary: Summary,
}

/// A table with so many places is kept when a sequence has come to its end.
const SMALL_TABLE: usize = 1 << 12;
/// No more words are kept: their places have 32 bits.
const MOST_WORDS: usize = 1 << 31;
/// When so many states were met and none of them again, only one in [`ONE_IN`] of the others is
/// kept.
const ALL_KEPT: usize = 1 << 12;
/// A power of two.
const ONE_IN: u64 = 8;
/// However little memory is left, so many states are kept.
const FEW: usize = 1 << 10;

impl Met {
    /// Forgets everything.
    pub fn clear(&mut self) {
        if self.states.is_empty() {
            return;
        }
        if self.table.len() > SMALL_TABLE {
            *self = Met::default();
        } else {
            self.table.fill(0);
            self.states.clear();
            self.words.clear();
            self.who.clear();
            self.who_numbers.clear();
            (self.has_joined, self.lot) = (false, 0);
        }
    }

    pub fn bytes(&self) -> u64 {
        let states = self.states.capacity() * size_of::<State>();
        let who = (self.who.capacity() + self.who_numbers.capacity() * 2) * size_of::<(Pid, u64)>();
        ((self.table.capacity() + self.words.capacity()) * 8 + states + who) as u64
    }

    /// Comes to a state on a path of this length. If the states would take more than `budget` bytes those that were left are
    /// forgotten first: they may be followed again, which costs time, but loses nothing.
    pub fn meet(
        &mut self,
        pid: Pid,
        movers: u64,
        words: &[u64],
        length: u32,
        budget: u64,
        frames: &mut [Frame],
    ) -> Again {
        // A state at whose end something is 0 may have been met with more words or fewer.
        let n_words = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        let words = &words[..n_words];
        if self.states.len() * 2 >= self.table.len() {
            // Everything doubles.
            let is_full = 2 * self.bytes() > budget || self.words.len() + n_words > MOST_WORDS / 2;
            if is_full && self.states.len() > FEW {
                self.forget_left(frames);
            }
            if self.states.len() * 4 >= self.table.len() {
                self.grow((self.table.len() * 2).max(256));
            }
        }
        let who = self.number_of((pid, movers));
        let tag = hash(pid, movers, words) << 32;
        let mask = self.table.len() - 1;
        let mut place = place_of(tag, mask);
        while let Some(below) = self.table[place].checked_sub(1) {
            if below & !NUMBER == tag {
                let number = (below & NUMBER) as u32;
                let state = &self.states[number as usize];
                if state.who == who && self.words_of(state) == words {
                    self.has_joined = true;
                    return self.meet_again(number, length);
                }
            }
            place = (place + 1) & mask;
        }
        if !self.has_joined && self.states.len() >= ALL_KEPT && !self.is_drawn() {
            return Again::Skipped;
        }
        let number = self.states.len() as u32;
        self.table[place] = tag + u64::from(number) + 1;
        self.states.push(State {
            start: self.words.len() as u32,
            n_words: n_words as u32,
            who,
            length,
            is_left: false,
            summary: Summary::default(),
        });
        self.words.extend_from_slice(words);
        Again::New(number)
    }

    /// Draws a lot. Which states are drawn must not depend on the states, or a circle could consist
    /// of others only.
    fn is_drawn(&mut self) -> bool {
        self.lot = self.lot.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.lot >> 32 & (ONE_IN - 1) == 0
    }

    fn words_of(&self, state: &State) -> &[u64] {
        &self.words[state.start as usize..][..state.n_words as usize]
    }

    /// Where this is in [`Met::who`].
    fn number_of(&mut self, who: (Pid, u64)) -> u32 {
        // It is mostly the same as a moment ago.
        if self.who.last() == Some(&who) {
            return self.who.len() as u32 - 1;
        }
        *self.who_numbers.entry(who).or_insert_with(|| {
            self.who.push(who);
            self.who.len() as u32 - 1
        })
    }

    fn meet_again(&mut self, number: u32, length: u32) -> Again {
        let state = &mut self.states[number as usize];
        if !state.is_left {
            return Again::OnPath;
        }
        if length < state.length {
            // What is behind it can be reached with fewer steps than before.
            (state.length, state.is_left) = (length, false);
            return Again::New(number);
        }
        Again::Before(state.summary)
    }

    /// All steps of a state were taken.
    pub fn leave(&mut self, number: u32, summary: Summary) {
        let state = &mut self.states[number as usize];
        (state.summary, state.is_left) = (summary, true);
    }

    /// Keeps only the states on the path.
    #[cold]
    fn forget_left(&mut self, frames: &mut [Frame]) {
        let (states, words) = (std::mem::take(&mut self.states), std::mem::take(&mut self.words));
        let n_places = (frames.len() * 4).next_power_of_two().max(SMALL_TABLE);
        self.table = vec![0; n_places];
        for frame in frames {
            let Some(number) = frame.met() else { continue };
            let state = states[number as usize];
            let own = &words[state.start as usize..][..state.n_words as usize];
            let (pid, movers) = self.who[state.who as usize];
            frame.renumber(|_| self.states.len() as u32);
            enter(&mut self.table, (hash(pid, movers, own) << 32) + self.states.len() as u64 + 1);
            self.states.push(State { start: self.words.len() as u32, ..state });
            self.words.extend_from_slice(own);
        }
    }

    /// Makes a table with so many places.
    fn grow(&mut self, n_places: usize) {
        for entry in std::mem::replace(&mut self.table, vec![0; n_places]) {
            if entry != 0 {
                enter(&mut self.table, entry);
            }
        }
    }
}

/// The part of an entry that is a number.
const NUMBER: u64 = u32::MAX as u64;

/// Where to look for an entry first.
#[inline(always)]
fn place_of(entry: u64, mask: usize) -> usize {
    (entry >> 32) as usize & mask
}

/// Puts an entry that is not there yet into a table.
fn enter(table: &mut [u64], entry: u64) {
    let mask = table.len() - 1;
    // What stands in an entry is a number plus one; the number itself does not reach the bits of the hash.
    let mut place = place_of(entry - 1, mask);
    while table[place] != 0 {
        place = (place + 1) & mask;
    }
    table[place] = entry;
}

fn hash(pid: Pid, movers: u64, words: &[u64]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = (hash.rotate_left(23) ^ word) as u128 * 0x9e37_79b9_7f4a_7c15;
        (product as u64) ^ (product >> 64) as u64
    };
    words.iter().fold(mix(pid as u64 + 1, movers), |hash, word| mix(hash, *word))
}
