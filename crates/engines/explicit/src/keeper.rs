//! How states are kept: on the stack, and in the set of visited ones. The seam between the searches and the stores.

use std::sync::Arc;

use allways_compiled::{Arrival, Source, Worker};
use allways_store::{
    Bitstate, Compact, Exact, Full, Hands, Insertion, OutOfMemory, Visited, VisitedHash, hash,
};

use crate::Keep;
use crate::collapse::{Base, Collapse, Refused};
use crate::tally::Origins;

/// Keeps states as *entries* of a fixed number of words, and knows which were visited. Everything but growth works for
/// several threads at once.
pub trait Keeper: Send + Sync {
    /// What is remembered about the state whose successors are being encoded.
    type Base: Default;

    /// An entry that was taken from a stack.
    type Key: Key;

    /// Whether visited states are forgotten. The entry of a state is nothing but its words then.
    const IS_LOSSY: bool = false;

    /// Words of an entry.
    fn width(&self) -> usize;

    /// Words that a worker's state must have room for.
    fn room(&self) -> usize;

    /// Appends the entry of the state with these words.
    fn encode_all(&self, words: &[u64], base: &mut Self::Base, entry: &mut Vec<u64>) -> Result<(), Refused>;

    /// Appends the entry of a successor of the state loaded last.
    fn encode(&self, arrival: &Arrival, base: &mut Self::Base, entries: &mut Vec<u64>)
    -> Result<(), Refused>;

    /// The same, if the entry may be wrong until [`Keeper::encode_rest`] is called.
    #[inline(always)]
    fn encode_later(
        &self,
        arrival: &Arrival,
        base: &mut Self::Base,
        entries: &mut Vec<u64>,
    ) -> Result<(), Refused> {
        self.encode(arrival, base, entries)
    }

    /// What is noted of the entries that may be wrong takes so many bytes.
    fn base_bytes(&self, _: &Self::Base) -> u64 {
        0
    }

    /// Makes the entries right. If the keeper must grow first, this is to be called again then.
    #[inline(always)]
    fn encode_rest(&self, _: &mut Self::Base, _: &mut [u64]) -> Result<(), Full> {
        Ok(())
    }

    /// Appends the entries of successors of [`Keeper::room`] words each. `from` says which of the origins each is a
    /// successor of.
    fn encode_short<const N: usize>(
        &self,
        states: &[[u64; N]],
        from: &[Source],
        origins: &Origins,
        base: &mut Self::Base,
        entries: &mut Vec<u64>,
    ) -> Result<(), Full>;

    /// Asks the processor to fetch what will be looked at when this entry is loaded.
    fn prefetch_state(&self, entry: &[u64]);

    /// Writes the words of a state; there are [`Keeper::room`] of them.
    fn decode(&self, entry: &[u64], words: &mut [u64], base: &mut Self::Base);

    /// The words of a state, if there are so many: [`Keeper::room`].
    fn decode_short<const N: usize>(&self, entry: &[u64]) -> [u64; N];

    /// Goes to the state of an entry.
    #[inline(always)]
    fn load(&self, entry: &[u64], worker: &mut Worker, base: &mut Self::Base) {
        self.decode(entry, worker.words_mut(self.room()), base);
        worker.adopt();
    }

    /// Asks the processor to fetch what will be looked at when this entry is inserted.
    fn prefetch(&self, entry: &[u64]);

    /// Adds states to the visited ones, from the first that was not added yet. If the keeper must grow first, this is to be
    /// called again then. Those that are new are to be counted before long.
    fn insert_all(&self, entries: &[u64], insertion: &mut Insertion) -> Result<(), Full>;

    /// Counts what is new: only then it is known whether there is need to grow.
    fn count(&self, insertion: &mut Insertion);

    /// Adds a state to the visited ones; whether it is new.
    fn insert(&self, entry: &[u64]) -> Result<bool, Full>;

    /// Whether it should grow now. Cheap.
    fn wants_growth(&self) -> bool;

    /// Whether some part of it should grow before long.
    fn would_like_growth(&self) -> bool {
        self.wants_growth()
    }

    /// Who helps to grow: whoever waits for it may lend a hand.
    fn hands(&self) -> &Arc<Hands>;

    /// Makes room, within so many bytes for everything.
    fn grow(&mut self, limit: Option<u64>) -> Result<(), OutOfMemory>;

    /// Puts the visited states into a store that forgets, if that can be done within so many bytes for everything, of which states that wait take
    /// some. Entries stay what they are.
    fn give_way(&mut self, _to: Keep, _limit: u64, _waiting: u64) -> Result<(), OutOfMemory> {
        Err(OutOfMemory)
    }

    /// How many states there were when that was done.
    fn gave_way(&self) -> Option<u64> {
        None
    }

    fn bytes(&self) -> u64;

    /// What was lost, if anything can be.
    fn loss(&self) -> Option<Loss>;
}

/// A place for an entry.
pub trait Key: AsRef<[u64]> {
    /// For an entry of so many words.
    fn new(width: usize) -> Self;

    /// Takes the last entry out.
    fn pop(&mut self, entries: &mut Vec<u64>);
}

impl Key for [u64; 1] {
    fn new(_: usize) -> [u64; 1] {
        [0]
    }

    #[inline(always)]
    fn pop(&mut self, entries: &mut Vec<u64>) {
        self[0] = entries.pop().unwrap_or(0);
    }
}

impl Key for Vec<u64> {
    fn new(width: usize) -> Vec<u64> {
        vec![0; width]
    }

    #[inline(always)]
    fn pop(&mut self, entries: &mut Vec<u64>) {
        let start = entries.len() - self.len();
        // Mostly a few words: a loop is quicker than a copy.
        self.iter_mut().zip(&entries[start..]).for_each(|(own, word)| *own = *word);
        entries.truncate(start);
    }
}

/// What a store that forgets says about itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loss {
    /// The probability that at least one state was missed.
    pub missed_probability: f64,
    /// The estimated part of the states that was visited.
    pub coverage: f64,
}

/// States are pairs of numbers in dictionaries. Nothing is lost, unless an exact set of all pairs takes too much memory.
pub struct Paired {
    collapse: Collapse,
    met: Met,
    hands: Arc<Hands>,
}

/// The pairs that were met.
#[expect(clippy::large_enum_variant, reason = "there is one of it")]
enum Met {
    Exact(Exact),
    /// Those of an exact set that had to give way, and others.
    Bitstate(Bitstate),
}

impl Paired {
    /// Where threads that wait help to grow.
    pub fn new(mut collapse: Collapse, hands: Arc<Hands>) -> Result<Paired, OutOfMemory> {
        collapse.grow_with_help(&hands);
        Ok(Paired { collapse, met: Met::Exact(Exact::with_help(hands.clone())?), hands })
    }
}

#[inline(always)]
pub fn pack((left, right): (u32, u32)) -> u64 {
    left as u64 | (right as u64) << 32
}

fn unpack(entry: &[u64]) -> (u32, u32) {
    (entry[0] as u32, (entry[0] >> 32) as u32)
}

impl Keeper for Paired {
    type Base = Base;
    type Key = [u64; 1];

    fn width(&self) -> usize {
        1
    }

    fn room(&self) -> usize {
        self.collapse.room()
    }

    fn encode_all(&self, words: &[u64], base: &mut Base, entry: &mut Vec<u64>) -> Result<(), Refused> {
        entry.push(pack(self.collapse.encode_all(words, base)?));
        Ok(())
    }

    #[inline(always)]
    fn encode(&self, arrival: &Arrival, base: &mut Base, entries: &mut Vec<u64>) -> Result<(), Refused> {
        entries.push(pack(self.collapse.encode(arrival, base)?));
        Ok(())
    }

    #[inline(always)]
    fn encode_later(
        &self,
        arrival: &Arrival,
        base: &mut Base,
        entries: &mut Vec<u64>,
    ) -> Result<(), Refused> {
        self.collapse.encode_later(arrival, base, entries)
    }

    fn base_bytes(&self, base: &Base) -> u64 {
        base.bytes()
    }

    #[inline(always)]
    fn encode_rest(&self, base: &mut Base, entries: &mut [u64]) -> Result<(), Full> {
        self.collapse.encode_rest(base, entries)
    }

    #[inline(always)]
    fn encode_short<const N: usize>(
        &self,
        states: &[[u64; N]],
        from: &[Source],
        origins: &Origins,
        base: &mut Base,
        entries: &mut Vec<u64>,
    ) -> Result<(), Full> {
        self.collapse.encode_short(states, from, origins, base, entries)
    }

    #[inline(always)]
    fn prefetch_state(&self, entry: &[u64]) {
        let (left, right) = unpack(entry);
        self.collapse.prefetch(left, right);
    }

    #[inline(always)]
    fn decode_short<const N: usize>(&self, entry: &[u64]) -> [u64; N] {
        let (left, right) = unpack(entry);
        self.collapse.decode_short(left, right)
    }

    #[inline(always)]
    fn decode(&self, entry: &[u64], words: &mut [u64], base: &mut Base) {
        let (left, right) = unpack(entry);
        self.collapse.decode(left, right, words, base);
    }

    #[inline(always)]
    fn prefetch(&self, entry: &[u64]) {
        let (left, right) = unpack(entry);
        match &self.met {
            Met::Exact(exact) => exact.prefetch(left, right),
            Met::Bitstate(bits) => bits.prefetch(left, right),
        }
    }

    #[inline(always)]
    fn insert_all(&self, entries: &[u64], insertion: &mut Insertion) -> Result<(), Full> {
        match &self.met {
            Met::Exact(exact) => exact.insert_all(entries, insertion),
            Met::Bitstate(bits) => insertion.insert_pairs_in(bits, entries),
        }
    }

    fn count(&self, insertion: &mut Insertion) {
        match &self.met {
            Met::Exact(exact) => exact.count(insertion),
            Met::Bitstate(_) => insertion.forget_uncounted(),
        }
    }

    #[inline(always)]
    fn insert(&self, entry: &[u64]) -> Result<bool, Full> {
        let (left, right) = unpack(entry);
        match &self.met {
            Met::Exact(exact) => exact.insert(left, right),
            Met::Bitstate(bits) => bits.insert(left, right),
        }
    }

    #[inline]
    fn wants_growth(&self) -> bool {
        match &self.met {
            Met::Exact(exact) => exact.wants_growth(),
            Met::Bitstate(_) => false,
        }
    }

    fn would_like_growth(&self) -> bool {
        self.wants_growth() || self.collapse.wants_growth()
    }

    fn hands(&self) -> &Arc<Hands> {
        &self.hands
    }

    fn grow(&mut self, limit: Option<u64>) -> Result<(), OutOfMemory> {
        self.collapse.grow()?;
        let dictionaries = self.collapse.bytes();
        let limit = limit.map(|limit| limit.saturating_sub(dictionaries));
        match &mut self.met {
            Met::Exact(exact) => exact.grow(limit),
            Met::Bitstate(bits) if limit.is_some_and(|limit| bits.bytes() > limit) => Err(OutOfMemory),
            Met::Bitstate(_) => Ok(()),
        }
    }

    fn give_way(&mut self, to: Keep, limit: u64, waiting: u64) -> Result<(), OutOfMemory> {
        let (Keep::Bitstate { bits, seed, .. }, Met::Exact(_)) = (to, &self.met) else {
            return Err(OutOfMemory);
        };
        // A quarter is left to the dictionaries and to the states that wait, which will be more.
        let bytes = limit.saturating_sub(waiting + self.collapse.bytes()) / 4 * 3;
        if bytes < limit / LEAST_SHARE {
            return Err(OutOfMemory);
        }
        let set = Met::Bitstate(Bitstate::new(bytes, bits, seed)?);
        if let (Met::Exact(exact), Met::Bitstate(set)) =
            (std::mem::replace(&mut self.met, set), &mut self.met)
        {
            set.take(exact);
        }
        Ok(())
    }

    fn gave_way(&self) -> Option<u64> {
        match &self.met {
            Met::Exact(_) => None,
            Met::Bitstate(bits) => Some(bits.n_known()),
        }
    }

    fn bytes(&self) -> u64 {
        let met = match &self.met {
            Met::Exact(exact) => exact.bytes(),
            Met::Bitstate(bits) => bits.bytes(),
        };
        met + self.collapse.bytes()
    }

    fn loss(&self) -> Option<Loss> {
        match &self.met {
            Met::Exact(_) => None,
            Met::Bitstate(bits) => Some(Estimates::estimate(bits)),
        }
    }
}

/// At least such a part of the memory is worth while as a bitstate table: a dozen bits for each state that a full exact store can have. Where
/// dictionaries and waiting states leave less, it is better to begin anew.
const LEAST_SHARE: u64 = 4;

/// Only a hash of a state is remembered; on the stack the states themselves are kept.
pub struct Lossy<V> {
    pub n_words: usize,
    pub visited: V,
    pub hands: Arc<Hands>,
}

impl<V: VisitedHash + Estimates> Keeper for Lossy<V> {
    type Base = ();
    type Key = Vec<u64>;

    const IS_LOSSY: bool = true;

    fn width(&self) -> usize {
        self.n_words
    }

    fn room(&self) -> usize {
        self.n_words
    }

    fn encode_all(&self, words: &[u64], _: &mut (), entry: &mut Vec<u64>) -> Result<(), Refused> {
        let needed = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        if needed > self.n_words {
            return Err(Refused::TooWide(needed));
        }
        entry.extend_from_slice(&words[..self.n_words]);
        Ok(())
    }

    fn encode(&self, arrival: &Arrival, _: &mut (), entries: &mut Vec<u64>) -> Result<(), Refused> {
        if arrival.n_words > self.n_words {
            return Err(Refused::TooWide(arrival.n_words));
        }
        entries.extend_from_slice(&arrival.words[..self.n_words]);
        Ok(())
    }

    #[inline(always)]
    fn encode_short<const N: usize>(
        &self,
        states: &[[u64; N]],
        _: &[Source],
        _: &Origins,
        _: &mut (),
        entries: &mut Vec<u64>,
    ) -> Result<(), Full> {
        entries.extend_from_slice(states.as_flattened());
        Ok(())
    }

    fn prefetch_state(&self, _: &[u64]) {}

    #[inline(always)]
    fn decode_short<const N: usize>(&self, entry: &[u64]) -> [u64; N] {
        std::array::from_fn(|word| entry[word])
    }

    fn decode(&self, entry: &[u64], words: &mut [u64], _: &mut ()) {
        words[..self.n_words].copy_from_slice(entry);
        words[self.n_words..].fill(0);
    }

    #[inline(always)]
    fn prefetch(&self, entry: &[u64]) {
        self.visited.prefetch_hash(hash(entry));
    }

    #[inline(always)]
    fn insert_all(&self, entries: &[u64], insertion: &mut Insertion) -> Result<(), Full> {
        insertion.insert_states(&self.visited, entries, self.n_words)
    }

    fn count(&self, _: &mut Insertion) {}

    #[inline(always)]
    fn insert(&self, entry: &[u64]) -> Result<bool, Full> {
        self.visited.insert_hash(hash(entry))
    }

    fn wants_growth(&self) -> bool {
        self.visited.wants_growth()
    }

    fn hands(&self) -> &Arc<Hands> {
        &self.hands
    }

    fn grow(&mut self, limit: Option<u64>) -> Result<(), OutOfMemory> {
        self.visited.grow(limit)
    }

    fn bytes(&self) -> u64 {
        self.visited.bytes()
    }

    fn loss(&self) -> Option<Loss> {
        Some(self.visited.estimate())
    }
}

/// A set that can say what it lost.
pub trait Estimates {
    fn estimate(&self) -> Loss;
}

impl Estimates for Compact {
    fn estimate(&self) -> Loss {
        Loss { missed_probability: self.missed_probability(), coverage: 1.0 }
    }
}

impl Estimates for Bitstate {
    fn estimate(&self) -> Loss {
        let allways_store::Estimate { states, coverage, .. } = Bitstate::estimate(self);
        let missed = states * (1.0 - coverage);
        Loss { missed_probability: 1.0 - (-missed).exp(), coverage }
    }
}
