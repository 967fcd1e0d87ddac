//! The bitstate set: a few bits per state, for searches whose states no memory can hold.
//!
//! A blocked Bloom filter (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters", 2007). The hash
//! of a state chooses one cache line and `k` of its 512 bits, each in another word as long as there are words, by double hashing. If all of
//! them are set the state is taken for visited, rightly or not; a search then misses it, and what only it leads to. One line means one cache
//! miss per state where scattered bits mean `k`, at the price of some more mistakes, for some lines get more states
//! than others. The number of mistakes is estimated: how many states were presented follows from how many bits are
//! set, the states of a line are Poisson distributed, and the rate of mistakes is added up over the search so far.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::hash::{ODD, fold, mix, scale};
use crate::line::{LINE_BYTES, Wide, prefetch};
use crate::memory::Memory;
use crate::{Full, OutOfMemory, Visited, VisitedHash};

const LINE_BITS: u32 = 512;
const WORD_BITS: u32 = u64::BITS;
const WORDS: usize = (LINE_BITS / WORD_BITS) as usize;

/// Bits per state if not chosen. Best at about 9 bits of memory per state, and not far from best between 6 and 50.
const DEFAULT_K: u32 = 6;

/// A set that forgets most of every state.
pub struct Bitstate {
    lines: Memory,
    n_lines: u64,
    k: u32,
    seed: u64,
    counts: Box<[Count; 64]>,
}

/// Counts for some of the states, alone in their cache line: they change often.
#[derive(Default)]
#[repr(align(64))]
struct Count {
    /// States, and in the low bits how many bits they set: one counter, because to change it is what costs.
    both: AtomicU64,
}

/// Enough for 17 billion states and their bits in all counters together.
const COUNT_BITS: u32 = 36;

impl Count {
    fn states(&self) -> u64 {
        self.both.load(Relaxed) >> COUNT_BITS
    }

    fn bits(&self) -> u64 {
        self.both.load(Relaxed) & ((1 << COUNT_BITS) - 1)
    }
}

impl Bitstate {
    /// An empty set of that many bytes (rounded down to cache lines) with `k` bits per state. Searches with different
    /// seeds make independent mistakes.
    pub fn new(bytes: u64, k: Option<u32>, seed: u64) -> Result<Bitstate, OutOfMemory> {
        let n_lines = (bytes / LINE_BYTES as u64).max(1);
        let bytes = usize::try_from(n_lines).ok().and_then(|n| n.checked_mul(LINE_BYTES));
        let lines = Memory::zeroed(bytes.ok_or(OutOfMemory)?)?;
        let k = k.unwrap_or(DEFAULT_K).clamp(1, LINE_BITS);
        let counts = Box::new(std::array::from_fn(|_| Count::default()));
        Ok(Bitstate { lines, n_lines, k, seed: mix(seed.wrapping_add(ODD[4])), counts })
    }

    /// The part of the bits that is set.
    pub fn fill(&self) -> f64 {
        let bits: u64 = self.counts.iter().map(|count| count.bits()).sum();
        bits as f64 / (self.n_lines as f64 * f64::from(LINE_BITS))
    }

    /// How many different states were presented, those taken for visited included. An estimate.
    pub fn estimated_states(&self) -> f64 {
        (self.states_per_line() * self.n_lines as f64).max(self.len() as f64)
    }

    /// How probable it is now that a new state is taken for visited. An estimate.
    pub fn false_positive_rate(&self) -> f64 {
        false_positive_rate(self.states_per_line(), self.k)
    }

    /// Which part of the different states that were presented was recognised as new. An estimate, and an upper bound on
    /// the part of all states: what only a missed state leads to was never presented.
    pub fn estimated_coverage(&self) -> f64 {
        const PARTS: u32 = 200;
        let states = self.states_per_line();
        let rate =
            |part: u32| false_positive_rate(states * (f64::from(part) + 0.5) / f64::from(PARTS), self.k);
        1.0 - (0..PARTS).map(rate).sum::<f64>() / f64::from(PARTS)
    }

    /// The mean number of states presented per line.
    fn states_per_line(&self) -> f64 {
        let last_bit = 1.0 / (self.n_lines as f64 * f64::from(LINE_BITS));
        let unset = (1.0 - self.fill()).max(last_bit / 2.0);
        unset.ln() / unset_by_one(self.k)
    }

    /// The line of a state, and which of its bits: a word and a mask each.
    #[inline(always)]
    fn site(&self, ticket: u64, k: u32) -> (&Wide, impl Iterator<Item = (usize, u64)> + use<>) {
        let line = scale(ticket, self.n_lines);
        // SAFETY: `line` is below the number of lines, for which the memory has room; it is aligned to lines. A line
        // consists of atomics for which any bits are valid, and no one makes a plain reference to this memory.
        let line = unsafe { &*self.lines.start().cast::<Wide>().add(line as usize) };
        // Another hash, for the choice of the line has used up the top bits of this one.
        let bits = fold(ticket, ODD[5]);
        let (first, step) = (bits as u32, (bits >> 32) as u32 | 1);
        let in_word = move |i: u32| first.wrapping_add(i.wrapping_mul(step)) >> (32 - WORD_BITS.ilog2());
        (line, (0..k).map(move |i| (first.wrapping_add(i) as usize % WORDS, 1 << in_word(i))))
    }

    /// Sets the bits of a state; how many of them were not set.
    #[inline(always)]
    fn set(&self, ticket: u64, k: u32, alone: bool) -> u64 {
        let (line, bits) = self.site(ticket, k);
        let mut n_unset = 0;
        if alone {
            // Whether they are set nobody can guess: to write in any case is quicker.
            for (word, mask) in bits {
                let before = line.0[word].load(Relaxed);
                n_unset += u64::from(before & mask == 0);
                line.0[word].store(before | mask, Relaxed);
            }
        } else {
            for (word, mask) in bits {
                if line.0[word].load(Relaxed) & mask == 0 {
                    // If another thread does the same just now, both are told that the state is new.
                    line.0[word].fetch_or(mask, Relaxed);
                    n_unset += 1;
                }
            }
        }
        n_unset
    }

    /// Adds states with `k` bits each.
    #[inline(always)]
    fn set_all(&self, tickets: &[u64], k: u32, alone: bool, mut inserted: impl FnMut(bool)) {
        let (mut states, mut bits) = (0, 0);
        for ticket in tickets {
            let n_unset = self.set(*ticket, k, alone);
            inserted(n_unset > 0);
            states += u64::from(n_unset > 0);
            bits += n_unset;
        }
        if states > 0 {
            let count = &self.counts[tickets[0] as usize % self.counts.len()];
            count.both.fetch_add(states << COUNT_BITS | bits, Relaxed);
        }
    }
}

impl VisitedHash for Bitstate {
    #[inline(always)]
    fn ticket(&self, hash: u64) -> u64 {
        let ticket = mix(hash ^ self.seed);
        prefetch(self.site(ticket, 0).0);
        ticket
    }

    /// Never `Full`.
    #[inline(always)]
    fn insert_tickets(&self, tickets: &[u64], alone: bool, inserted: impl FnMut(bool)) -> Result<(), Full> {
        match (self.k, alone) {
            (DEFAULT_K, true) => self.set_all(tickets, DEFAULT_K, true, inserted),
            (k, _) => self.set_all(tickets, k, alone, inserted),
        }
        Ok(())
    }
}

impl Visited for Bitstate {
    /// Never `Full`.
    #[inline]
    fn insert(&self, left: u32, right: u32) -> Result<bool, Full> {
        self.insert_hash(u64::from(left) << 32 | u64::from(right))
    }

    #[inline]
    fn prefetch(&self, left: u32, right: u32) {
        self.prefetch_hash(u64::from(left) << 32 | u64::from(right));
    }

    /// Never.
    #[inline]
    fn wants_growth(&self) -> bool {
        false
    }

    /// Does nothing.
    fn grow(&mut self, _limit_bytes: Option<u64>) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn len(&self) -> u64 {
        self.counts.iter().map(|count| count.states()).sum()
    }

    fn bytes(&self) -> u64 {
        (size_of::<Bitstate>() + size_of::<[Count; 64]>() + self.lines.bytes()) as u64
    }
}

/// Logarithm of the probability that one state leaves a given bit of its line alone.
fn unset_by_one(k: u32) -> f64 {
    // A word gets one bit for each time that the bits have gone round all words, and perhaps one more.
    let (rounds, more) = (k / WORDS as u32, f64::from(k % WORDS as u32) / WORDS as f64);
    let by_one_bit = -1.0 / f64::from(WORD_BITS);
    f64::from(rounds) * by_one_bit.ln_1p() + (more * by_one_bit).ln_1p()
}

/// The probability that `k` bits of a line are set when lines have that many states in the mean.
fn false_positive_rate(states_per_line: f64, k: u32) -> f64 {
    if states_per_line <= 0.0 {
        return 0.0;
    }
    let spread = 9.0 * states_per_line.sqrt() + 12.0;
    let first = (states_per_line - spread).max(0.0) as u64;
    let last = (states_per_line + spread) as u64;
    // Logarithm of the Poisson probability of `first` states; the others follow from it.
    let mut probability = first as f64 * states_per_line.ln() - states_per_line - ln_factorial(first);
    let mut rate = 0.0;
    for states in first..=last {
        let set = -(states as f64 * unset_by_one(k)).exp_m1();
        rate += probability.exp() * set.powi(k as i32);
        probability += states_per_line.ln() - ((states + 1) as f64).ln();
    }
    rate.min(1.0)
}

/// Stirling's series for large numbers.
fn ln_factorial(n: u64) -> f64 {
    if n < 32 {
        return (1..=n).map(|i| (i as f64).ln()).sum();
    }
    let n = n as f64;
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n)
}

#[cfg(test)]
mod tests;
