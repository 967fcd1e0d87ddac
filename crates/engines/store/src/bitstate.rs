//! The bitstate set: a few bits per state, for searches whose states no memory can hold.
//!
//! A blocked Bloom filter (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters", 2007). The hash
//! of a state chooses one cache line and `k` of its 512 bits, three in each of some of its words. If all of
//! them are set the state is taken for visited, rightly or not; a search then misses it, and what only it leads to. One line means one cache
//! miss per state where scattered bits mean `k`, and three bits are set as quickly as one, at the price of some more mistakes, for some words get more states
//! than others. The number of mistakes is estimated: the states that choose a word are Poisson distributed, which gives the rate of mistakes
//! after so many states; and as many must have been presented as leave, without those mistaken under way, the number that was new.
//!
//! A set can take the place of an exact one that has no room to grow. The pairs of a segment of that set all have their bits in one part of this one, so the memory of each
//! segment can be given back before the next part is touched: the two never need much more than the larger of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::hash::{ODD, fold, mix, scale};
use crate::line::{LINE_BYTES, Wide, prefetch};
use crate::memory::Memory;
use crate::quotient::{SEGMENT_BITS, segment_of};
use crate::{Exact, Full, OutOfMemory, Visited, VisitedHash};

const LINE_BITS: u32 = 512;
const WORD_BITS: u32 = u64::BITS;
const WORDS: usize = (LINE_BITS / WORD_BITS) as usize;

/// Bits per state if not chosen. Best at about 9 bits of memory per state, and not far from best between 6 and 50.
const DEFAULT_K: u32 = 6;
/// A state has so many bits in a word...
const BITS_PER_WORD: u32 = 3;
/// ...and in all words no more than these.
const MOST_K: u32 = BITS_PER_WORD * WORDS as u32;

/// A set that forgets most of every state.
pub struct Bitstate {
    lines: Memory,
    n_lines: u64,
    k: u32,
    seed: u64,
    counts: Box<[Count; 64]>,
    /// States that were put in by somebody who knew that they were new. They are not counted.
    n_known: u64,
}

/// How many of the states were new, of some of them; alone in its cache line, for it changes often.
#[derive(Default)]
#[repr(align(64))]
struct Count(AtomicU64);

impl Bitstate {
    /// An empty set of that many bytes (rounded down to cache lines) with `k` bits per state. Searches with different
    /// seeds make independent mistakes.
    pub fn new(bytes: u64, k: Option<u32>, seed: u64) -> Result<Bitstate, OutOfMemory> {
        let n_lines = (bytes / LINE_BYTES as u64).max(1);
        let bytes = usize::try_from(n_lines).ok().and_then(|n| n.checked_mul(LINE_BYTES));
        let lines = Memory::zeroed(bytes.ok_or(OutOfMemory)?)?;
        let k = k.unwrap_or(DEFAULT_K).clamp(1, MOST_K);
        let counts = Box::new(std::array::from_fn(|_| Count::default()));
        Ok(Bitstate { lines, n_lines, k, seed: mix(seed.wrapping_add(ODD[4])), counts, n_known: 0 })
    }

    /// Takes the pairs of an exact set, which is given up on the way. To be called before states are presented.
    pub fn take(&mut self, exact: Exact) {
        let set = &*self;
        let mut n_known = 0;
        exact.dissolve(|pairs| {
            let tickets: [u64; Exact::DISSOLVED] = std::array::from_fn(|i| match pairs.get(i) {
                Some((left, right)) => set.pair_ticket(*left, *right),
                None => 0,
            });
            set.set_all(&tickets[..pairs.len()], set.k, true, |_| ());
            n_known += pairs.len() as u64;
        });
        self.n_known += n_known;
        *self.counts = std::array::from_fn(|_| Count::default());
    }

    /// How many states it got from an exact set.
    pub fn n_known(&self) -> u64 {
        self.n_known
    }

    /// The ticket of a pair, see [`VisitedHash::ticket`].
    #[inline(always)]
    pub(crate) fn pair_ticket(&self, left: u32, right: u32) -> u64 {
        let ticket = fold((u64::from(left) << 32 | u64::from(right)) ^ self.seed, ODD[2]);
        // The top bits choose the line.
        let ticket = (segment_of(left, right) as u64) << (u64::BITS - SEGMENT_BITS) | ticket >> SEGMENT_BITS;
        prefetch(self.site(ticket, 0).0);
        ticket
    }

    /// What was probably missed. Takes a moment.
    pub fn estimate(&self) -> Estimate {
        let n_lines = self.n_lines as f64;
        Estimate::new(self.n_known as f64 / n_lines, self.len() as f64 / n_lines, n_lines, self.k)
    }

    /// The line of a state, and which of its bits: some words, and a mask for each.
    #[inline(always)]
    fn site(&self, ticket: u64, k: u32) -> (&Wide, impl Iterator<Item = (usize, u64)> + use<>) {
        let line = scale(ticket, self.n_lines);
        // SAFETY: `line` is below the number of lines, for which the memory has room; it is aligned to lines. A line
        // consists of atomics for which any bits are valid, and no one makes a plain reference to this memory.
        let line = unsafe { &*self.lines.start().cast::<Wide>().add(line as usize) };
        // Another hash, for the choice of the line has used up the top bits of this one.
        let bits = fold(ticket, ODD[5]);
        let (first, stride) = (bits >> 61, bits >> 57 | 1);
        let words = (0..k.div_ceil(BITS_PER_WORD)).map(move |i| {
            // There are enough bits for three words in a hash.
            let bits = if i < 3 { bits } else { fold(bits, ODD[i as usize / 3]) };
            let place = |j: u32| {
                let shift = (i % 3 * BITS_PER_WORD + j) * WORD_BITS.ilog2();
                (bits >> shift) % u64::from(WORD_BITS)
            };
            let n_bits = BITS_PER_WORD.min(k - i * BITS_PER_WORD);
            let mask = (0..n_bits).fold(0u64, |mask, j| mask | 1 << place(j));
            (first.wrapping_add(u64::from(i).wrapping_mul(stride)) as usize % WORDS, mask)
        });
        (line, words)
    }

    /// Sets the bits of a state; whether some were not set.
    #[inline(always)]
    fn set(&self, ticket: u64, k: u32, alone: bool) -> bool {
        let (line, words) = self.site(ticket, k);
        let mut unset = 0;
        for (word, mask) in words {
            let before = line.0[word].load(Relaxed);
            unset |= mask & !before;
            if alone {
                // Whether they are set nobody can guess: to write in any case is quicker.
                line.0[word].store(before | mask, Relaxed);
            } else if mask & !before != 0 {
                // If another thread does the same just now, both are told that the state is new.
                line.0[word].fetch_or(mask, Relaxed);
            }
        }
        unset != 0
    }

    /// Adds states with `k` bits each.
    #[inline(always)]
    fn set_all(&self, tickets: &[u64], k: u32, alone: bool, mut inserted: impl FnMut(bool)) {
        let mut n_new = 0;
        for ticket in tickets {
            let is_new = self.set(*ticket, k, alone);
            inserted(is_new);
            n_new += u64::from(is_new);
        }
        if n_new > 0 {
            self.counts[tickets[0] as usize % self.counts.len()].0.fetch_add(n_new, Relaxed);
        }
    }
}

impl VisitedHash for Bitstate {
    #[inline(always)]
    fn ticket(&self, hash: u64) -> u64 {
        let ticket = fold(hash ^ self.seed, ODD[2]);
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
        let mut is_new = false;
        self.insert_tickets(&[self.pair_ticket(left, right)], false, |new| is_new = new)?;
        Ok(is_new)
    }

    #[inline]
    fn prefetch(&self, left: u32, right: u32) {
        self.pair_ticket(left, right);
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
        self.counts.iter().map(|count| count.0.load(Relaxed)).sum()
    }

    fn bytes(&self) -> u64 {
        (size_of::<Bitstate>() + size_of::<[Count; 64]>() + self.lines.bytes()) as u64
    }
}

/// What a set has probably missed.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// How many different states were presented, those taken for visited included.
    pub states: f64,
    /// How probable it is now that a new state is taken for visited.
    pub false_positive_rate: f64,
    /// Which part of the different states, known or presented, was known or recognised as new: an upper bound on
    /// the part of all states, for what only a missed state leads to was never presented.
    pub coverage: f64,
}

impl Estimate {
    /// Of a set that had so many states per line to begin with, and has then recognised so many as new.
    fn new(known: f64, new: f64, n_lines: f64, k: u32) -> Estimate {
        let mut rates = Rates { k, by_states: Vec::new() };
        // So many were presented that those recognised are as many as there were. A guess that is too low gives a better one
        // that is not too high; full lines would have it go on for ever.
        let mut presented = new;
        for _ in 0..100 {
            let better = new / rates.recognised(known, presented);
            let is_close = better < presented * 1.000_001;
            presented = better.min(MOST_STATES);
            if is_close {
                break;
            }
        }
        let all = known + presented;
        let missed = presented * (1.0 - rates.recognised(known, presented));
        Estimate {
            states: all * n_lines,
            false_positive_rate: rates.mean(all),
            coverage: if all > 0.0 { 1.0 - missed / all } else { 1.0 },
        }
    }
}

/// Lines with so many states are full.
const MOST_STATES: f64 = 16_384.0;

/// How probable it is that a new state is taken for visited.
struct Rates {
    k: u32,
    /// In a line with so many states, as far as that was asked for.
    by_states: Vec<f64>,
}

impl Rates {
    /// Which part of the states is recognised as new of so many more per line, after lines have had that many in the mean.
    fn recognised(&mut self, before: f64, more: f64) -> f64 {
        const PARTS: u32 = 64;
        let rate = |part: u32| self.mean(before + more * (f64::from(part) + 0.5) / f64::from(PARTS));
        let recognised = f64::from(PARTS) - (0..PARTS).map(rate).sum::<f64>();
        recognised.max(1e-9) / f64::from(PARTS)
    }

    /// When lines have that many states in the mean, which are Poisson distributed.
    fn mean(&mut self, per_line: f64) -> f64 {
        if per_line <= 0.0 {
            return 0.0;
        }
        let spread = 9.0 * per_line.sqrt() + 12.0;
        let first = (per_line - spread).max(0.0) as u64;
        let last = (per_line + spread) as u64;
        while self.by_states.len() as u64 <= last {
            self.by_states.push(rate_among(self.by_states.len() as u64, self.k));
        }
        // Logarithm of the Poisson probability of `first` states; the others follow from it.
        let mut probability = first as f64 * per_line.ln() - per_line - ln_factorial(first);
        let mut rate = 0.0;
        for n_states in first..=last {
            rate += probability.exp() * self.by_states[n_states as usize];
            probability += per_line.ln() - ((n_states + 1) as f64).ln();
        }
        rate.min(1.0)
    }
}

/// The probability that all bits of a new state are set in a line with so many others.
fn rate_among(n_states: u64, k: u32) -> f64 {
    let n_words = k.div_ceil(BITS_PER_WORD);
    // Of the states with bits in a word some have fewer there, at the end of their bits.
    let unset_by_one = f64::from(k) / f64::from(n_words) * (-1.0 / f64::from(WORD_BITS)).ln_1p();
    let set_by = |n_states: f64| -(n_states * unset_by_one).exp_m1();
    let in_word = f64::from(n_words) / WORDS as f64;
    let in_others = 1.0 - in_word;
    let all_set = |n_bits: u32| {
        if n_states > 256 || in_others == 0.0 {
            return set_by(n_states as f64 * in_word).powi(n_bits as i32);
        }
        // How many of the states have bits in this word is binomially distributed.
        let mut probability = in_others.powi(n_states as i32);
        let mut all_set = 0.0;
        for here in 0..=n_states {
            all_set += probability * set_by(here as f64).powi(n_bits as i32);
            probability *= (n_states - here) as f64 / (here + 1) as f64 * in_word / in_others;
        }
        all_set
    };
    all_set(BITS_PER_WORD).powi((k / BITS_PER_WORD) as i32) * all_set(k % BITS_PER_WORD)
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
