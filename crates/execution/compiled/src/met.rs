//! The states with several steps that an atomic sequence has come to, and what was found behind each of them.

use allways_system::Pid;

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
    /// It is on the path that leads here.
    OnPath,
    /// This was found behind it.
    Before(Summary),
}

/// A set of states, in which each can be marked as left.
#[derive(Default)]
pub(crate) struct Met {
    /// The numbers of states plus one, by hash; 0 is none. A power of two of places, at most half of them in use.
    table: Vec<u32>,
    states: Vec<State>,
    /// Who has control, who moved so far, and the words of each state.
    words: Vec<u64>,
}

#[derive(Clone, Copy)]
struct State {
    start: u32,
    n_words: u32,
    /// The length of the shortest path to it.
    length: u32,
    is_left: bool,
    summary: Summary,
}

/// A table with so many places is kept when a sequence has come to its end.
const SMALL_TABLE: usize = 1 << 12;
/// No more words are kept: their places have 32 bits.
const MOST_WORDS: usize = 1 << 31;
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
        }
    }

    pub fn bytes(&self) -> u64 {
        let states = self.states.capacity() * size_of::<State>();
        (self.table.capacity() * 4 + states + self.words.capacity() * 8) as u64
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
                self.enter_all((self.table.len() * 2).max(256));
            }
        }
        let mask = self.table.len() - 1;
        let mut place = hash(pid, movers, words) as usize & mask;
        while let Some(number) = self.table[place].checked_sub(1) {
            let state = self.states[number as usize];
            let own = &self.words[state.start as usize..][..state.n_words as usize];
            if own[0] == pid as u64 && own[1] == movers && own[2..] == *words {
                return self.meet_again(number, length);
            }
            place = (place + 1) & mask;
        }
        let number = self.states.len() as u32;
        self.table[place] = number + 1;
        self.states.push(State {
            start: self.words.len() as u32,
            n_words: 2 + n_words as u32,
            length,
            is_left: false,
            summary: Summary::default(),
        });
        self.words.extend([pid as u64, movers]);
        self.words.extend_from_slice(words);
        Again::New(number)
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
        for frame in frames {
            let Some(number) = frame.met() else { continue };
            let state = states[number as usize];
            frame.renumber(|_| self.states.len() as u32);
            self.states.push(State { start: self.words.len() as u32, ..state });
            self.words.extend_from_slice(&words[state.start as usize..][..state.n_words as usize]);
        }
        let n_places = (self.states.len() * 4).next_power_of_two().max(SMALL_TABLE);
        self.enter_all(n_places);
    }

    /// Makes a table with so many places.
    fn enter_all(&mut self, n_places: usize) {
        self.table = vec![0; n_places];
        for (number, state) in self.states.iter().enumerate() {
            let words = &self.words[state.start as usize..][..state.n_words as usize];
            let mut place = hash(words[0] as Pid, words[1], &words[2..]) as usize & (n_places - 1);
            while self.table[place] != 0 {
                place = (place + 1) & (n_places - 1);
            }
            self.table[place] = number as u32 + 1;
        }
    }
}

fn hash(pid: Pid, movers: u64, words: &[u64]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let product = (hash.rotate_left(23) ^ word) as u128 * 0x9e37_79b9_7f4a_7c15;
        (product as u64) ^ (product >> 64) as u64
    };
    words.iter().fold(mix(pid as u64 + 1, movers), |hash, word| mix(hash, *word))
}
