//! The choice in a state: which processes' steps suffice.
//!
//! A set of processes is good enough if no process outside it can, now or ever, spoil a claim of one inside. Then,
//! whatever those outside do first, the steps of the set stay enabled, no others of the set become enabled, and they
//! commute with all that happened: the enabled steps of the set are a persistent set. A rendezvous is never between a
//! process inside and one outside, because whoever may ever answer an offer spoils the claim.
//!
//! Tried in this order: one process whose claim nobody could ever spoil; one process whose claim nobody here can spoil;
//! the closure of one process under "can spoil". Of several single processes one that will create others is preferred,
//! so that these are there before old ones die and leave their numbers behind; then the one with fewest steps, then the
//! youngest. The choice depends on the state alone.
//!
//! This runs once per state, so it looks at as little as it can: only at processes that can move until futures are
//! needed, and at a row of the relation "can spoil" only when a closure comes by.

use allways_system::Step;

use crate::bits::Words;
use crate::classes::ByClass;
use crate::places::Mover;
use crate::tables::{Claim, Future, Tables};
use crate::{Counters, Level, Weakened};

/// A process in a state: which instance it is and where, as one number that the tables know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Here(pub(crate) u32);

/// Which steps suffice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// All of them.
    All,
    /// Those that [`Scratch::kept`] lists.
    Some,
}

/// What a choice needs for a moment; one for each worker.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Those who can move, youngest first; then those who only take part in steps of others.
    pub(crate) movers: Vec<Mover>,
    pub(crate) mover_of: Vec<u32>,
    /// Per process: which of its edges are enabled. Only for closures.
    enabled: Vec<u64>,
    /// Per process: who can spoil its claim; itself always, so 0 is not yet known. Only for closures.
    spoilers: Vec<u64>,
    kept: Vec<u32>,
    pub(crate) by_class: ByClass,
    /// How the choices went so far.
    pub counters: Counters,
}

impl Scratch {
    /// After [`Choice::Some`]: the positions of the steps that suffice, in ascending order. Not all, and not none.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    pub(crate) fn keep_mover(&mut self, mover: Mover) -> Choice {
        self.kept.clear();
        self.kept.extend(mover.first_step..mover.first_step + mover.n_steps);
        Choice::Some
    }

    pub(crate) fn keep_set(&mut self, steps: &[Step], set: u64) -> Choice {
        self.kept.clear();
        self.kept.extend((0..steps.len() as u32).filter(|step| set >> steps[*step as usize].pid & 1 != 0));
        Choice::Some
    }
}

/// Larger states are not closed: the set of processes has to fit a word.
pub(crate) const MAX_CLOSED: usize = 64;

impl<const W: usize> Tables<W> {
    pub fn choose(&self, level: Level, scratch: &mut Scratch, processes: &[Here], steps: &[Step]) -> Choice {
        if let Some(classes) = &self.classes
            && let Some(choice) = classes.choose(&self.places, level, scratch, processes, steps)
        {
            debug_assert!(self.agrees(choice, level, scratch, processes, steps));
            return choice;
        }
        self.choose_slowly(level, scratch, processes, steps)
    }

    /// Whether the choice is the same without classes.
    fn agrees(
        &self,
        choice: Choice,
        level: Level,
        scratch: &Scratch,
        processes: &[Here],
        steps: &[Step],
    ) -> bool {
        let mut other = Scratch::default();
        choice == self.choose_slowly(level, &mut other, processes, steps)
            && (choice == Choice::All || scratch.kept() == other.kept())
    }

    /// The choice by looking at every process, and at all that it has to do with others.
    fn choose_slowly(
        &self,
        level: Level,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
    ) -> Choice {
        self.places.find_movers(processes, steps, &mut scratch.movers, &mut scratch.mover_of);
        if scratch.movers.len() < 2 {
            scratch.counters.n_trivial += 1;
            return Choice::All;
        }
        // Without the rule on partners, only the closure knows that a rendezvous has two sides.
        if self.weakened != Some(Weakened::CurrentPartners) {
            if let Some(mover) = self.find_always(scratch) {
                scratch.counters.n_always += 1;
                return scratch.keep_mover(mover);
            }
            if let Some(mover) = self.find_single(scratch, processes) {
                scratch.counters.n_single += 1;
                return scratch.keep_mover(mover);
            }
        }
        if level != Level::Single
            && processes.len() <= MAX_CLOSED
            && let Some(set) = self.find_closed(scratch, processes, steps)
        {
            scratch.counters.n_closed += 1;
            return scratch.keep_set(steps, set);
        }
        scratch.counters.n_full += 1;
        Choice::All
    }

    fn claim_of(&self, mover: &Mover) -> Claim<W> {
        self.claim(mover.location, mover.enabled)
    }

    fn find_always(&self, scratch: &Scratch) -> Option<Mover> {
        let is_always = |mover: &&Mover| mover.n_steps > 0 && self.claim_of(mover).is_always;
        let mut found = scratch.movers.iter().filter(is_always);
        let first = found.next()?;
        let creates = |mover: &Mover| self.places.get(mover.location).creates;
        if !self.creates || creates(first) {
            return Some(*first);
        }
        Some(*found.find(|mover| creates(mover)).unwrap_or(first))
    }

    /// What is in the future of everybody but one is what is in at least two futures, or in one that is not his.
    fn find_single(&self, scratch: &Scratch, processes: &[Here]) -> Option<Mover> {
        let may_be = |mover: &&Mover| mover.n_steps > 0 && !self.claim_of(mover).is_never_alone;
        scratch.movers.iter().find(may_be)?;
        let (mut once, mut twice) = (Future::NONE, Future::NONE);
        for here in processes {
            once.count(&mut twice, &self.futures[here.0 as usize]);
        }
        let mut best: Option<Mover> = None;
        let rank = |mover: &Mover| (!self.places.get(mover.location).creates, mover.n_steps);
        for mover in &scratch.movers {
            if mover.n_steps == 0 || best.is_some_and(|best| rank(&best) <= rank(mover)) {
                continue;
            }
            let claim = self.claim_of(mover);
            let own = &self.futures[mover.location as usize];
            if !claim.is_never_alone && !claim.conflicts(&once.without(&twice, own)) {
                best = Some(*mover);
            }
        }
        best
    }

    /// The smallest closed set of processes, by number of steps.
    fn find_closed(&self, scratch: &mut Scratch, processes: &[Here], steps: &[Step]) -> Option<u64> {
        scratch.enabled.clear();
        scratch.enabled.resize(processes.len(), 0);
        for mover in &scratch.movers {
            scratch.enabled[mover.pid as usize] = mover.enabled;
        }
        scratch.spoilers.clear();
        scratch.spoilers.resize(processes.len(), 0);
        let mut best = None;
        for position in 0..scratch.movers.len() {
            let mover = scratch.movers[position];
            let is_known = best.is_some_and(|(_, set): (usize, u64)| set >> mover.pid & 1 != 0);
            if is_known || mover.n_steps == 0 || self.claim_of(&mover).is_held {
                continue;
            }
            let Some(set) = self.closure(scratch, processes, steps, mover.pid) else { continue };
            let n_steps = steps.iter().filter(|step| set >> step.pid & 1 != 0).count();
            if n_steps < steps.len() && best.is_none_or(|(fewest, _)| n_steps < fewest) {
                best = Some((n_steps, set));
            }
        }
        best.map(|(_, set)| set)
    }

    /// Everybody who can spoil a claim of `first`, or of one who can, and so on; none if one of them is held.
    fn closure(&self, scratch: &mut Scratch, processes: &[Here], steps: &[Step], first: u32) -> Option<u64> {
        let (mut set, mut todo) = (1u64 << first, 1u64 << first);
        while todo != 0 {
            let pid = todo.trailing_zeros() as usize;
            todo &= todo - 1;
            if scratch.spoilers[pid] == 0 {
                scratch.spoilers[pid] = self.spoilers(scratch, processes, steps, pid);
            }
            let spoilers = scratch.spoilers[pid];
            if spoilers == u64::MAX {
                return None;
            }
            let new = spoilers & !set;
            set |= new;
            todo |= new;
        }
        Some(set)
    }

    /// Who can spoil the claim of a process; all ones if the process is held.
    fn spoilers(&self, scratch: &Scratch, processes: &[Here], steps: &[Step], pid: usize) -> u64 {
        let claim = self.claim(processes[pid].0, scratch.enabled[pid]);
        if claim.is_held {
            return u64::MAX;
        }
        let mut spoilers = 1u64 << pid;
        for (other, here) in processes.iter().enumerate() {
            let future = &self.futures[here.0 as usize];
            spoilers |= (claim.conflicts(future) as u64) << other;
        }
        if self.weakened == Some(Weakened::CurrentPartners) {
            for (step, (partner, _)) in steps.iter().filter_map(|step| Some((step, step.partner?))) {
                let pair = 1 << step.pid | 1 << partner;
                if pair >> pid & 1 != 0 {
                    spoilers |= pair;
                }
            }
        }
        spoilers
    }
}

impl<const W: usize> Future<W> {
    /// Adds a future; what was there already goes to `twice`.
    fn count(&mut self, twice: &mut Future<W>, more: &Future<W>) {
        let add = |once: &mut Words<W>, twice: &mut Words<W>, more: &Words<W>| {
            for i in 0..W {
                twice[i] |= once[i] & more[i];
                once[i] |= more[i];
            }
        };
        add(&mut self.reads, &mut twice.reads, &more.reads);
        add(&mut self.writes, &mut twice.writes, &more.writes);
        add(&mut self.updates, &mut twice.updates, &more.updates);
    }

    fn without(&self, twice: &Future<W>, own: &Future<W>) -> Future<W> {
        let others = |once: &Words<W>, twice: &Words<W>, own: &Words<W>| {
            std::array::from_fn(|i| twice[i] | once[i] & !own[i])
        };
        Future {
            reads: others(&self.reads, &twice.reads, &own.reads),
            writes: others(&self.writes, &twice.writes, &own.writes),
            updates: others(&self.updates, &twice.updates, &own.updates),
        }
    }
}
