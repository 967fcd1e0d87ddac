//! The choice of `choose.rs`, faster.
//!
//! All that matters of a future is whose claims it spoils, and all that matters of a claim is which futures spoil it. There are few different futures,
//! the *classes*: a process that goes round in a loop has the same one everywhere, and so have others like it. So a claim becomes a row of bits, one for each class,
//! and a state the set of classes that are there. Whether one process suffices is then a question of one word or a few, and closures are those of
//! classes: whoever is of the same class is taken together.
//!
//! The choices are exactly those of `choose.rs`; tests without optimisation compare each of them.

use std::hash::Hash;

use allways_system::Step;
use rustc_hash::FxHashMap;

use crate::bits::{Words, or};
use crate::choose::{Choice, Here, MAX_CLOSED, Scratch};
use crate::places::{Mover, NOT_TABLED, Places};
use crate::tables::Tables;
use crate::{Level, Weakened};

/// Rows of more claims and classes would take longer to make than they save.
const MAX_PAIRS: usize = 1 << 20;
/// As many classes as the longest rows have bits for.
const MAX_CLASSES: usize = 512;

/// What is said about classes, with as many words as needed.
pub(crate) enum AnyClasses {
    One(Classes<1>),
    Two(Classes<2>),
    Four(Classes<4>),
    Eight(Classes<8>),
}

/// What is said about classes.
pub(crate) struct Classes<const K: usize> {
    /// Per claim of the tables.
    rows: Vec<Row<K>>,
}

/// A claim.
#[derive(Clone, Copy)]
struct Row<const K: usize> {
    /// Futures of these classes spoil it.
    spoilers: Words<K>,
    is_held: bool,
    is_always: bool,
}

/// What a choice needs for a moment, per class; only those of classes that are there mean anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByClass {
    /// Which classes spoil a claim of somebody of this class.
    spoilers: Vec<u64>,
    /// How many steps there are of this class.
    n_steps: Vec<u32>,
}

impl AnyClasses {
    /// None if there are too many.
    pub fn new<const W: usize>(tables: &mut Tables<W>) -> Option<AnyClasses> {
        if tables.weakened == Some(Weakened::CurrentPartners) {
            return None;
        }
        let (classes, futures) = numbered(&tables.futures);
        let (row_of, claims) = numbered(&tables.claims);
        if futures.len() > MAX_CLASSES || futures.len() * claims.len() > MAX_PAIRS {
            return None;
        }
        for (place, class) in tables.places.places.iter_mut().zip(classes) {
            place.class = class as u16;
        }
        macro_rules! classes {
            () => {{
                let row = |claim: &crate::tables::Claim<W>| Row {
                    spoilers: set(futures.iter().map(|future| claim.conflicts(future))),
                    is_held: claim.is_held,
                    is_always: claim.is_always,
                };
                let rows: Vec<_> = claims.iter().map(row).collect();
                Classes { rows: row_of.iter().map(|row| rows[*row as usize]).collect() }
            }};
        }
        Some(match futures.len() {
            0..=64 => AnyClasses::One(classes!()),
            65..=128 => AnyClasses::Two(classes!()),
            129..=256 => AnyClasses::Four(classes!()),
            _ => AnyClasses::Eight(classes!()),
        })
    }

    /// None if this state has to be left to the tables.
    pub fn choose(
        &self,
        places: &Places,
        level: Level,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
    ) -> Option<Choice> {
        match self {
            AnyClasses::One(classes) => classes.choose(places, level, scratch, processes, steps),
            AnyClasses::Two(classes) => classes.choose(places, level, scratch, processes, steps),
            AnyClasses::Four(classes) => classes.choose(places, level, scratch, processes, steps),
            AnyClasses::Eight(classes) => classes.choose(places, level, scratch, processes, steps),
        }
    }
}

/// Numbers for different values: that of each one, and the values.
fn numbered<T: Copy + Eq + Hash>(all: &[T]) -> (Vec<u32>, Vec<T>) {
    let mut numbers: FxHashMap<T, u32> = FxHashMap::default();
    let mut different = Vec::new();
    let number_of = |value: &T| {
        *numbers.entry(*value).or_insert_with(|| {
            different.push(*value);
            different.len() as u32 - 1
        })
    };
    (all.iter().map(number_of).collect(), different)
}

fn set<const K: usize>(bits: impl Iterator<Item = bool>) -> Words<K> {
    let mut words = [0; K];
    bits.enumerate().for_each(|(number, bit)| words[number / 64] |= (bit as u64) << (number % 64));
    words
}

impl<const K: usize> Classes<K> {
    fn choose(
        &self,
        places: &Places,
        level: Level,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
    ) -> Option<Choice> {
        places.find_movers(processes, steps, &mut scratch.movers, &mut scratch.mover_of);
        if scratch.movers.len() < 2 {
            scratch.counters.n_trivial += 1;
            return Some(Choice::All);
        }
        for mover in &mut scratch.movers {
            let place = places.get(mover.location);
            if place.first_claim == NOT_TABLED {
                return None;
            }
            (mover.claim, mover.class) = (place.first_claim + mover.enabled as u32, place.class);
        }
        if let Some(mover) = self.find_always(places, &scratch.movers) {
            scratch.counters.n_always += 1;
            return Some(scratch.keep_mover(mover));
        }
        let present = Present::new(places, processes);
        if let Some(mover) = self.find_single(places, &scratch.movers, &present) {
            scratch.counters.n_single += 1;
            return Some(scratch.keep_mover(mover));
        }
        if level != Level::Single && processes.len() <= MAX_CLOSED {
            if processes.iter().any(|here| places.get(here.0).first_claim == NOT_TABLED) {
                return None;
            }
            if let Some(set) = self.find_closed(places, scratch, processes, &present.once) {
                scratch.counters.n_closed += 1;
                return Some(scratch.keep_set(steps, set));
            }
        }
        scratch.counters.n_full += 1;
        Some(Choice::All)
    }

    #[inline(always)]
    fn row(&self, claim: u32) -> &Row<K> {
        &self.rows[claim as usize]
    }

    fn find_always(&self, places: &Places, movers: &[Mover]) -> Option<Mover> {
        let is_always = |mover: &&Mover| mover.n_steps > 0 && self.row(mover.claim).is_always;
        let mut found = movers.iter().filter(is_always);
        let first = found.next()?;
        let creates = |mover: &Mover| places.get(mover.location).creates;
        if creates(first) {
            return Some(*first);
        }
        Some(*found.find(|mover| creates(mover)).unwrap_or(first))
    }

    fn find_single(&self, places: &Places, movers: &[Mover], present: &Present<K>) -> Option<Mover> {
        let mut best: Option<Mover> = None;
        let rank = |mover: &Mover| (!places.get(mover.location).creates, mover.n_steps);
        for mover in movers {
            if mover.n_steps == 0 || best.is_some_and(|best| rank(&best) <= rank(mover)) {
                continue;
            }
            let row = self.row(mover.claim);
            if !row.is_held && !meet(&row.spoilers, &present.others(mover.class as usize)) {
                best = Some(*mover);
            }
        }
        best
    }

    /// The smallest closed set of processes, by number of steps.
    fn find_closed(
        &self,
        places: &Places,
        scratch: &mut Scratch,
        processes: &[Here],
        present: &Words<K>,
    ) -> Option<u64> {
        let may_be = |mover: &Mover| mover.n_steps > 0 && !self.row(mover.claim).is_held;
        if !scratch.movers.iter().any(may_be) {
            return None;
        }
        let held = self.sum_up(places, scratch, processes, present);
        let Scratch { movers, by_class, .. } = scratch;
        let n_all = movers.iter().map(|mover| mover.n_steps).sum();
        let mut best: Option<(u32, u32, Words<K>)> = None;
        // With the same spoilers it fails again.
        let mut last_failed = None;
        for mover in movers.iter() {
            let (row, class) = (self.row(mover.claim), mover.class as usize);
            let is_known = best.is_some_and(|(_, pid, set)| pid == mover.pid || has(&set, class));
            if is_known || mover.n_steps == 0 || row.is_held || last_failed == Some(row.spoilers) {
                continue;
            }
            let Some(set) = by_class.closure(&row.spoilers, present, &held) else {
                last_failed = Some(row.spoilers);
                continue;
            };
            let mut n_steps = if has(&set, class) { 0 } else { mover.n_steps };
            for_each(&set, |class| n_steps += by_class.n_steps[class]);
            if n_steps < n_all && best.is_none_or(|(fewest, ..)| n_steps < fewest) {
                best = Some((n_steps, mover.pid, set));
            }
        }
        best.map(|(_, pid, set)| {
            let is_in = |here: &Here| has(&set, places.get(here.0).class as usize) as u64;
            processes.iter().enumerate().fold(1 << pid, |pids, (pid, here)| pids | is_in(here) << pid)
        })
    }

    /// Prepares closures. Which classes have somebody who is held.
    fn sum_up(
        &self,
        places: &Places,
        scratch: &mut Scratch,
        processes: &[Here],
        present: &Words<K>,
    ) -> Words<K> {
        let Scratch { movers, by_class, .. } = scratch;
        let ByClass { spoilers, n_steps } = by_class;
        let n_classes = 64 * K;
        spoilers.resize(n_classes * K, 0);
        n_steps.resize(n_classes, 0);
        for_each(present, |class| {
            spoilers[class * K..][..K].fill(0);
            n_steps[class] = 0;
        });
        let mut held = [0; K];
        let mut add = |claim: u32, class: u16| {
            let (row, class) = (self.row(claim), class as usize);
            let sum = &mut spoilers[class * K..][..K];
            (0..K).for_each(|i| sum[i] |= row.spoilers[i]);
            held[class / 64] |= (row.is_held as u64) << (class % 64);
        };
        let mut moves = 0u64;
        for mover in movers.iter() {
            add(mover.claim, mover.class);
            n_steps[mover.class as usize] += mover.n_steps;
            moves |= 1 << mover.pid;
        }
        for (pid, here) in processes.iter().enumerate().filter(|(pid, _)| moves >> pid & 1 == 0) {
            debug_assert!(pid < MAX_CLOSED);
            let place = places.get(here.0);
            add(place.first_claim, place.class);
        }
        held
    }
}

impl ByClass {
    /// The classes that can spoil a claim, or one of somebody of such a class, and so on; none if one of them is held.
    fn closure<const K: usize>(
        &self,
        spoilers: &Words<K>,
        present: &Words<K>,
        held: &Words<K>,
    ) -> Option<Words<K>> {
        let mut set: Words<K> = std::array::from_fn(|i| spoilers[i] & present[i]);
        let mut todo = set;
        while let Some(word) = (0..K).find(|word| todo[*word] != 0) {
            if meet(&todo, held) {
                return None;
            }
            let class = word * 64 + todo[word].trailing_zeros() as usize;
            todo[word] &= todo[word] - 1;
            for i in 0..K {
                let new = self.spoilers[class * K + i] & present[i] & !set[i];
                set[i] |= new;
                todo[i] |= new;
            }
        }
        Some(set)
    }
}

/// The classes of all processes of a state.
struct Present<const K: usize> {
    once: Words<K>,
    /// Those of several processes.
    twice: Words<K>,
}

impl<const K: usize> Present<K> {
    fn new(places: &Places, processes: &[Here]) -> Present<K> {
        let mut present = Present { once: [0; K], twice: [0; K] };
        for here in processes {
            let (word, bit) = bit(places.get(here.0).class as usize);
            present.twice[word] |= present.once[word] & bit;
            present.once[word] |= bit;
        }
        present
    }

    /// The classes of all but one, whose class is known.
    #[inline(always)]
    fn others(&self, class: usize) -> Words<K> {
        let mut others = self.once;
        let (word, bit) = bit(class);
        others[word] &= !bit;
        or(&others, &self.twice)
    }
}

#[inline(always)]
fn bit(class: usize) -> (usize, u64) {
    (class / 64, 1 << (class % 64))
}

#[inline(always)]
fn has<const K: usize>(set: &Words<K>, class: usize) -> bool {
    set[class / 64] >> (class % 64) & 1 != 0
}

#[inline(always)]
fn meet<const K: usize>(a: &Words<K>, b: &Words<K>) -> bool {
    let mut both = 0;
    (0..K).for_each(|i| both |= a[i] & b[i]);
    both != 0
}

/// Calls `visit` with all that is in a set.
#[inline(always)]
fn for_each<const K: usize>(set: &Words<K>, mut visit: impl FnMut(usize)) {
    for (word, mut rest) in set.iter().copied().enumerate() {
        while rest != 0 {
            visit(word * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}
