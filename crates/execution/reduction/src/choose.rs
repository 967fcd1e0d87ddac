//! The choice in a state: which processes' steps suffice.
//!
//! A set of processes is good enough if no process outside it can, now or ever, spoil a claim of one inside. Then,
//! whatever those outside do first, the steps of the set stay enabled, no others of the set become enabled, and they
//! commute with all that happened: the enabled steps of the set are a persistent set. A rendezvous is never between a
//! process inside and one outside, because whoever may ever answer an offer spoils the claim.
//!
//! Tried in this order: one process whose claim nobody could ever spoil; one process whose claim nobody here can spoil;
//! the closure of one process under "can spoil". Of several the one with fewest steps is taken, then the one with the
//! lowest number: the choice depends on the state alone.

use allways_system::{LocationId, Step};

use crate::bits::Words;
use crate::tables::{Claim, Future, Tables};
use crate::{Counters, Level, Weakened};

/// A process in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Here {
    /// Index into the list of instances.
    pub instance: u32,
    /// Where it is.
    pub location: LocationId,
}

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
    /// Per process: which of its edges are enabled.
    enabled: Vec<u64>,
    /// Per process: how many steps it takes part in.
    n_steps: Vec<u32>,
    /// Per process: who can spoil its claim.
    spoilers: Vec<u64>,
    kept: Vec<u32>,
    /// How the choices went so far.
    pub counters: Counters,
}

impl Scratch {
    /// After [`Choice::Some`]: the positions of the steps that suffice, in ascending order. Not all, and not none.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// Keeps the steps of the processes in `set`.
    fn keep(&mut self, steps: &[Step], set: impl Fn(u32) -> bool) -> Choice {
        self.kept.clear();
        self.kept.extend((0..steps.len() as u32).filter(|step| set(steps[*step as usize].pid)));
        Choice::Some
    }
}

/// Larger states are not closed: the set of processes has to fit a word.
const MAX_CLOSED: usize = 64;

impl<const W: usize> Tables<W> {
    pub fn choose(
        &self,
        level: Level,
        weakened: Option<Weakened>,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
    ) -> Choice {
        let is_one_process =
            |first: &Step| steps.iter().all(|step| step.pid == first.pid && step.partner.is_none());
        if steps.first().is_none_or(is_one_process) {
            scratch.counters.n_trivial += 1;
            return Choice::All;
        }
        self.note_enabled(scratch, processes, steps);
        // Without the rule on partners, only the closure knows that a rendezvous has two sides.
        let knows_partners = weakened != Some(Weakened::CurrentPartners);
        if knows_partners && let Some(pid) = self.find_always(scratch, processes) {
            scratch.counters.n_always += 1;
            return scratch.keep(steps, |other| other == pid);
        }
        if knows_partners && let Some(pid) = self.find_single(scratch, processes) {
            scratch.counters.n_single += 1;
            return scratch.keep(steps, |other| other == pid);
        }
        if level != Level::Single
            && processes.len() <= MAX_CLOSED
            && let Some(set) = self.find_closed(weakened, scratch, processes, steps)
        {
            scratch.counters.n_closed += 1;
            return scratch.keep(steps, |pid| set >> pid & 1 != 0);
        }
        scratch.counters.n_full += 1;
        Choice::All
    }

    fn note_enabled(&self, scratch: &mut Scratch, processes: &[Here], steps: &[Step]) {
        scratch.enabled.clear();
        scratch.enabled.resize(processes.len(), 0);
        scratch.n_steps.clear();
        scratch.n_steps.resize(processes.len(), 0);
        for step in steps {
            for (pid, transition) in [(step.pid, step.transition)].into_iter().chain(step.partner) {
                let here = &processes[pid as usize];
                let location = self.location(here.instance, here.location);
                scratch.enabled[pid as usize] |= self.bit(location, transition);
                scratch.n_steps[pid as usize] += 1;
            }
        }
    }

    fn claim_of(&self, scratch: &Scratch, processes: &[Here], pid: usize) -> Claim<W> {
        let here = &processes[pid];
        self.claim(here.instance, self.location(here.instance, here.location), scratch.enabled[pid])
    }

    fn find_always(&self, scratch: &Scratch, processes: &[Here]) -> Option<u32> {
        (0..processes.len())
            .find(|pid| scratch.n_steps[*pid] > 0 && self.claim_of(scratch, processes, *pid).is_always)
            .map(|pid| pid as u32)
    }

    /// What is in the future of everybody but one is what is in at least two futures, or in one that is not his.
    fn find_single(&self, scratch: &Scratch, processes: &[Here]) -> Option<u32> {
        let (mut once, mut twice) = (Future::NONE, Future::NONE);
        for here in processes {
            let future = &self.location(here.instance, here.location).future;
            once.count(&mut twice, future);
        }
        let mut best = None;
        for (pid, here) in processes.iter().enumerate() {
            let n_steps = scratch.n_steps[pid];
            if n_steps == 0 || best.is_some_and(|(fewest, _)| fewest <= n_steps) {
                continue;
            }
            let claim = self.claim_of(scratch, processes, pid);
            let own = &self.location(here.instance, here.location).future;
            if !claim.is_held && !claim.conflicts(&once.without(&twice, own)) {
                best = Some((n_steps, pid as u32));
            }
        }
        best.map(|(_, pid)| pid)
    }

    /// The smallest closed set of processes, by number of steps.
    fn find_closed(
        &self,
        weakened: Option<Weakened>,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
    ) -> Option<u64> {
        scratch.spoilers.clear();
        let mut held = 0u64;
        for pid in 0..processes.len() {
            let claim = self.claim_of(scratch, processes, pid);
            held |= (claim.is_held as u64) << pid;
            let mut spoilers = 0u64;
            for (other, here) in processes.iter().enumerate() {
                let future = &self.location(here.instance, here.location).future;
                spoilers |= (claim.conflicts(future) as u64) << other;
            }
            scratch.spoilers.push(spoilers | 1 << pid);
        }
        if weakened == Some(Weakened::CurrentPartners) {
            for (step, (partner, _)) in steps.iter().filter_map(|step| Some((step, step.partner?))) {
                scratch.spoilers[step.pid as usize] |= 1 << partner;
                scratch.spoilers[partner as usize] |= 1 << step.pid;
            }
        }
        let mut best = None;
        for pid in (0..processes.len()).filter(|pid| scratch.n_steps[*pid] > 0) {
            let set = closure(&scratch.spoilers, pid);
            let n_steps = steps.iter().filter(|step| set >> step.pid & 1 != 0).count();
            if set & held == 0 && n_steps < steps.len() && best.is_none_or(|(fewest, _)| n_steps < fewest) {
                best = Some((n_steps, set));
            }
        }
        best.map(|(_, set)| set)
    }
}

/// Everybody who can spoil a claim of `first`, or of one who can, and so on.
fn closure(spoilers: &[u64], first: usize) -> u64 {
    let (mut set, mut todo) = (1u64 << first, 1u64 << first);
    while todo != 0 {
        let pid = todo.trailing_zeros() as usize;
        todo &= todo - 1;
        let new = spoilers[pid] & !set;
        set |= new;
        todo |= new;
    }
    set
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
