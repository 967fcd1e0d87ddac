//! The choice of `choose.rs`, faster.
//!
//! All that matters of a future is whose claims it spoils, and all that matters of a claim is which futures spoil it. There are few different futures,
//! the *kinds*: a process that goes round in a loop has the same one everywhere, and so have others like it. So a claim becomes a row of bits, one for each kind,
//! and a state the set of kinds that are there. Whether one process suffices is then a question of one word or a few, and closures are those of
//! kinds: whoever is of the same kind is taken together.
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

/// Rows of more claims and kinds would take longer to make than they save.
const MAX_PAIRS: usize = 1 << 20;
/// As many kinds as the longest rows have bits for.
const MAX_KINDS: usize = 512;

/// What is said about kinds, with as many words as needed.
pub(crate) enum AnyKinds {
    One(Kinds<1>),
    Two(Kinds<2>),
    Four(Kinds<4>),
    Eight(Kinds<8>),
}

/// What is said about kinds.
pub(crate) struct Kinds<const K: usize> {
    /// Per location.
    kinds: Vec<u16>,
    /// Per claim of the tables.
    row_of: Vec<u32>,
    /// Different ones.
    rows: Vec<Row<K>>,
}

/// A claim.
#[derive(Clone, Copy)]
struct Row<const K: usize> {
    /// Futures of these kinds spoil it.
    spoilers: Words<K>,
    is_held: bool,
    is_always: bool,
}

/// What a choice needs for a moment, per kind; only those of kinds that are there mean anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByKind {
    /// Which kinds spoil a claim of somebody of this kind.
    spoilers: Vec<u64>,
    /// How many steps there are of this kind.
    n_steps: Vec<u32>,
    /// Per process: where it is.
    locations: Vec<u32>,
}

impl AnyKinds {
    /// None if there are too many.
    pub fn new<const W: usize>(tables: &Tables<W>) -> Option<AnyKinds> {
        if tables.weakened == Some(Weakened::CurrentPartners) {
            return None;
        }
        let (kinds, futures) = numbered(&tables.futures);
        let (row_of, claims) = numbered(&tables.claims);
        if futures.len() > MAX_KINDS || futures.len() * claims.len() > MAX_PAIRS {
            return None;
        }
        let kinds: Vec<u16> = kinds.into_iter().map(|kind| kind as u16).collect();
        macro_rules! kinds {
            () => {{
                let row = |claim: &crate::tables::Claim<W>| Row {
                    spoilers: set(futures.iter().map(|future| claim.conflicts(future))),
                    is_held: claim.is_held,
                    is_always: claim.is_always,
                };
                Kinds { kinds, row_of, rows: claims.iter().map(row).collect() }
            }};
        }
        Some(match futures.len() {
            0..=64 => AnyKinds::One(kinds!()),
            65..=128 => AnyKinds::Two(kinds!()),
            129..=256 => AnyKinds::Four(kinds!()),
            _ => AnyKinds::Eight(kinds!()),
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
            AnyKinds::One(kinds) => kinds.choose(places, level, scratch, processes, steps),
            AnyKinds::Two(kinds) => kinds.choose(places, level, scratch, processes, steps),
            AnyKinds::Four(kinds) => kinds.choose(places, level, scratch, processes, steps),
            AnyKinds::Eight(kinds) => kinds.choose(places, level, scratch, processes, steps),
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

impl<const K: usize> Kinds<K> {
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
        if scratch.movers.iter().any(|mover| places.get(mover.location).first_claim == NOT_TABLED) {
            return None;
        }
        if let Some(mover) = self.find_always(places, &scratch.movers) {
            scratch.counters.n_always += 1;
            return Some(scratch.keep_mover(mover));
        }
        let present = self.present(places, processes, &mut scratch.by_kind.locations);
        if let Some(mover) = self.find_single(places, &scratch.movers, &present) {
            scratch.counters.n_single += 1;
            return Some(scratch.keep_mover(mover));
        }
        if level != Level::Single && processes.len() <= MAX_CLOSED {
            if scratch.by_kind.locations.iter().any(|place| places.get(*place).first_claim == NOT_TABLED) {
                return None;
            }
            if let Some(set) = self.find_closed(places, scratch, &present.once) {
                scratch.counters.n_closed += 1;
                return Some(scratch.keep_set(steps, set));
            }
        }
        scratch.counters.n_full += 1;
        Some(Choice::All)
    }

    #[inline(always)]
    fn row_number(&self, places: &Places, location: u32, enabled: u64) -> u32 {
        self.row_of[places.get(location).first_claim as usize + enabled as usize]
    }

    #[inline(always)]
    fn row(&self, places: &Places, location: u32, enabled: u64) -> &Row<K> {
        &self.rows[self.row_number(places, location, enabled) as usize]
    }

    #[inline(always)]
    fn kind(&self, location: u32) -> usize {
        self.kinds[location as usize] as usize
    }

    fn find_always(&self, places: &Places, movers: &[Mover]) -> Option<Mover> {
        let is_always =
            |mover: &&Mover| mover.n_steps > 0 && self.row(places, mover.location, mover.enabled).is_always;
        let mut found = movers.iter().filter(is_always);
        let first = found.next()?;
        let creates = |mover: &Mover| places.get(mover.location).creates;
        if creates(first) {
            return Some(*first);
        }
        Some(*found.find(|mover| creates(mover)).unwrap_or(first))
    }

    fn present(&self, places: &Places, processes: &[Here], locations: &mut Vec<u32>) -> Present<K> {
        let mut present = Present { once: [0; K], twice: [0; K] };
        locations.clear();
        for here in processes {
            let location = places.index(here);
            locations.push(location);
            let (word, bit) = bit(self.kind(location));
            present.twice[word] |= present.once[word] & bit;
            present.once[word] |= bit;
        }
        present
    }

    fn find_single(&self, places: &Places, movers: &[Mover], present: &Present<K>) -> Option<Mover> {
        let mut best: Option<Mover> = None;
        let rank = |mover: &Mover| (!places.get(mover.location).creates, mover.n_steps);
        for mover in movers {
            if mover.n_steps == 0 || best.is_some_and(|best| rank(&best) <= rank(mover)) {
                continue;
            }
            let row = self.row(places, mover.location, mover.enabled);
            if !row.is_held && !meet(&row.spoilers, &present.others(self.kind(mover.location))) {
                best = Some(*mover);
            }
        }
        best
    }

    /// The smallest closed set of processes, by number of steps.
    fn find_closed(&self, places: &Places, scratch: &mut Scratch, present: &Words<K>) -> Option<u64> {
        let held = self.sum_up(places, scratch);
        let Scratch { movers, by_kind, .. } = scratch;
        let n_all = movers.iter().map(|mover| mover.n_steps).sum();
        let mut best: Option<(u32, u32, Words<K>)> = None;
        // With the same row it fails again.
        let mut last_failed = None;
        for mover in movers.iter() {
            let kind = self.kind(mover.location);
            let is_known = best.is_some_and(|(_, pid, set)| pid == mover.pid || has(&set, kind));
            let number = self.row_number(places, mover.location, mover.enabled);
            let row = &self.rows[number as usize];
            if is_known || mover.n_steps == 0 || row.is_held || last_failed == Some(number) {
                continue;
            }
            let Some(set) = by_kind.closure(&row.spoilers, present, &held) else {
                last_failed = Some(number);
                continue;
            };
            let own = if has(&set, kind) { 0 } else { mover.n_steps };
            let n_steps = own + numbers(set).map(|kind| by_kind.n_steps[kind]).sum::<u32>();
            if n_steps < n_all && best.is_none_or(|(fewest, ..)| n_steps < fewest) {
                best = Some((n_steps, mover.pid, set));
            }
        }
        best.map(|(_, pid, set)| {
            let of_set = |(pid, location): (usize, &u32)| (has(&set, self.kind(*location)) as u64) << pid;
            by_kind.locations.iter().enumerate().map(of_set).fold(1 << pid, |pids, more| pids | more)
        })
    }

    /// Prepares closures. Which kinds have somebody who is held.
    fn sum_up(&self, places: &Places, scratch: &mut Scratch) -> Words<K> {
        let Scratch { movers, by_kind, .. } = scratch;
        let ByKind { spoilers, n_steps, locations } = by_kind;
        let n_kinds = 64 * K;
        spoilers.resize(n_kinds * K, 0);
        n_steps.resize(n_kinds, 0);
        for location in locations.iter() {
            let kind = self.kind(*location);
            spoilers[kind * K..][..K].fill(0);
            n_steps[kind] = 0;
        }
        let mut held = [0; K];
        let mut add = |location: u32, enabled: u64| {
            let (row, kind) = (self.row(places, location, enabled), self.kind(location));
            spoilers[kind * K..][..K].iter_mut().zip(row.spoilers).for_each(|(sum, more)| *sum |= more);
            let (word, bit) = bit(kind);
            held[word] |= if row.is_held { bit } else { 0 };
        };
        let mut movers_set = 0u64;
        for mover in movers.iter() {
            add(mover.location, mover.enabled);
            movers_set |= 1 << mover.pid;
            n_steps[self.kind(mover.location)] += mover.n_steps;
        }
        for (pid, location) in locations.iter().enumerate() {
            if movers_set >> pid & 1 == 0 {
                add(*location, 0);
            }
        }
        held
    }
}

impl ByKind {
    /// The kinds that can spoil a claim, or one of somebody of such a kind, and so on; none if one of them is held.
    fn closure<const K: usize>(
        &self,
        spoilers: &Words<K>,
        present: &Words<K>,
        held: &Words<K>,
    ) -> Option<Words<K>> {
        let mut set: Words<K> = std::array::from_fn(|i| spoilers[i] & present[i]);
        let mut todo = set;
        while let Some(kind) = numbers(todo).next() {
            if meet(&todo, held) {
                return None;
            }
            todo[kind / 64] &= todo[kind / 64] - 1;
            for i in 0..K {
                let new = self.spoilers[kind * K + i] & present[i] & !set[i];
                set[i] |= new;
                todo[i] |= new;
            }
        }
        Some(set)
    }
}

/// The kinds of all processes of a state.
struct Present<const K: usize> {
    once: Words<K>,
    /// Those of several processes.
    twice: Words<K>,
}

impl<const K: usize> Present<K> {
    /// The kinds of all but one, whose kind is known.
    #[inline(always)]
    fn others(&self, kind: usize) -> Words<K> {
        let mut others = self.once;
        let (word, bit) = bit(kind);
        others[word] &= !bit;
        or(&others, &self.twice)
    }
}

#[inline(always)]
fn bit(kind: usize) -> (usize, u64) {
    (kind / 64, 1 << (kind % 64))
}

#[inline(always)]
fn has<const K: usize>(set: &Words<K>, kind: usize) -> bool {
    set[kind / 64] >> (kind % 64) & 1 != 0
}

#[inline(always)]
fn meet<const K: usize>(a: &Words<K>, b: &Words<K>) -> bool {
    let mut both = 0;
    (0..K).for_each(|i| both |= a[i] & b[i]);
    both != 0
}

/// The numbers in a set.
#[inline(always)]
fn numbers<const K: usize>(set: Words<K>) -> impl Iterator<Item = usize> {
    (0..K).flat_map(move |word| {
        let mut rest = set[word];
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            (rest != 0).then(|| {
                rest &= rest - 1;
                word * 64 + bit
            })
        })
    })
}
