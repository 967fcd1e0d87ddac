//! The reduction as part of a search: what it costs is watched, and it stops where it is not worth it.
//!
//! There are two kinds. Mostly it is made for a list of processes, and whoever else turns up means to begin anew. Where processes hand down channels,
//! tables for a process are made when it is met (`members.rs`).

use std::sync::Arc;

use allways_compiled::{self as compiled, Chooser, Machine, Shape};
use allways_reduction::{Choice, Families, Here, Instance, Options, Reduction, Scratch};
use allways_system::{Expr, Pid, Step};

use crate::depth_first::Restart;
use crate::members::Members;

/// The reduction.
pub enum Reducer<'r> {
    /// For these processes.
    Listed(Box<Reduction>, Vec<Known>),
    /// For whatever processes there are.
    Families(Box<Families<'r>>),
}

impl Reducer<'_> {
    /// See [`Reduction::is_nameless`].
    pub fn is_nameless(&self) -> bool {
        match self {
            Reducer::Listed(reduction, _) => reduction.is_nameless(),
            Reducer::Families(_) => true,
        }
    }
}

/// A process that the reduction was made for: like this instance of the machine, with this number. The machine tells more apart, by
/// their places in the state.
pub struct Known {
    like: Arc<compiled::Instance>,
    pid: Pid,
}

impl Known {
    fn is(&self, like: &compiled::Instance, pid: Pid, machine: &Machine) -> bool {
        self.pid == pid && is_alike(&self.like, like, machine)
    }
}

/// Whether two processes differ in nothing but their numbers, which mean nothing to them.
fn is_alike(a: &compiled::Instance, b: &compiled::Instance, machine: &Machine) -> bool {
    a.proctype == b.proctype
        && a.code == b.code
        && (a.first_channel == b.first_channel || machine.own_channels(a.proctype).is_empty())
}

/// The processes that a machine knows, or that were met before it was made; and, where several of a kind differ in nothing but their numbers, all of that kind with all
/// of these numbers: they are likely to turn up, too.
fn known(machine: &Machine, earlier: &[Arc<compiled::Instance>]) -> Vec<Known> {
    let mut known: Vec<Known> = Vec::new();
    let add = |known: &mut Vec<Known>, like: &Arc<compiled::Instance>, pid| {
        if known.len() <= MAX_INSTANCES && !known.iter().any(|known| known.is(like, pid, machine)) {
            known.push(Known { like: like.clone(), pid });
        }
    };
    let instances = machine.instances();
    instances.iter().chain(earlier).for_each(|instance| add(&mut known, instance, instance.pid));
    let met: Vec<Arc<compiled::Instance>> = known.iter().map(|known| known.like.clone()).collect();
    let has_twin = |one: &compiled::Instance| {
        met.iter().any(|other| other.pid != one.pid && is_alike(one, other, machine))
    };
    for like in met.iter().filter(|instance| has_twin(instance)) {
        for other in met.iter().filter(|other| other.proctype == like.proctype) {
            add(&mut known, like, other.pid);
        }
    }
    known
}

/// The reduction for the processes that a machine knows, or for all that can be. None if there is nothing to gain. `lists` says whether it
/// makes sense to list processes: not if too often others turned up. Those that were met by an `earlier` machine are listed, too.
pub fn reduction<'r, 's: 'r>(
    machine: &Machine<'s>,
    exclusive: bool,
    observed: &'r [Expr],
    lists: bool,
    earlier: &[Arc<compiled::Instance>],
) -> Option<Reducer<'r>> {
    let semantics = machine.options.semantics;
    let options = Options {
        lossy: semantics.lossy,
        check_overflow: semantics.check_overflow,
        exclusive,
        strict_end: semantics.strict_end,
        observed: observed.iter().collect(),
        ..Options::default()
    };
    let n_made = n_channels_made(machine);
    let families = || {
        let families = Families::new(machine.system, &options, LEAST_CHANNELS.max(2 * n_made));
        families.map(|families| Reducer::Families(Box::new(families)))
    };
    // Channels that processes make are told apart better without a list.
    if n_made > 0
        && let Some(families) = families()
    {
        return Some(families);
    }
    let known = if lists { known(machine, earlier) } else { Vec::new() };
    if !lists || known.len() > MAX_INSTANCES {
        return families();
    }
    let instances: Vec<Instance> = known
        .iter()
        .map(|Known { like, pid }| Instance {
            proctype: like.proctype,
            pid: *pid,
            code: &like.code,
            first_channel: Some(like.first_channel),
        })
        .collect();
    let reduction = Reduction::new(machine.system, &instances, &options)?;
    Some(Reducer::Listed(Box::new(reduction), known))
}

/// How many channels made by processes there were at the same time, at most; 0 if processes make none.
fn n_channels_made(machine: &Machine) -> u32 {
    let instances = machine.instances();
    let last = |instance: &Arc<compiled::Instance>| {
        instance.first_channel + machine.own_channels(instance.proctype).len() as u32
    };
    let first = instances.iter().map(|instance| instance.first_channel).min();
    instances.iter().map(last).max().zip(first).map_or(0, |(last, first)| last - first)
}

/// So many channels are told apart, at least.
const LEAST_CHANNELS: u32 = 16;
/// The reduction looks at pairs of processes; for more than this many it takes longer than it saves.
const MAX_INSTANCES: usize = 100;
/// After so many choices, where there was one, the reduction must have left out such a part of the steps. Measured on `bench/models`: it pays
/// where it leaves out 0.249 after 20,000 and 0.331 after 50,000 (philosophers-shared), not where it leaves out 0.238 and then 0.224, and all states are reached
/// anyway (scheduler), or 0.198 (heap) or less, nor where it begins with little (philosophers-rendezvous: 0.015 after 400, 0.073 after 5,000, and 0.5 % of the
/// states in the end).
const TRIALS: [(u64, f64); 5] = [(400, 0.002), (1_500, 0.04), (5_000, 0.1), (20_000, 0.225), (50_000, 0.25)];

/// After so many states in which there was nothing to choose, or nothing was left out, the reduction must have left out some steps in others...
const MANY_IN_VAIN: u64 = 5_000;
/// ...so many, or it is not asked for a while: so many ticks of the search...
const FEW: u64 = 100;
const REST: u32 = 12;
/// ...and then again if there are only so many more such states. Another part of the model may be different.
const STILL_IN_VAIN: u64 = 1_000;

/// A search that cannot do without on the way begins anew if that turns out so soon.
const SOON: u64 = 5_000;

/// So many states are expanded without reduction after it turned out to be made for too few processes.
const PATIENCE: u32 = 10_000;

/// What a process is called that the reduction was not made for.
const UNKNOWN: u32 = u32::MAX;

/// One worker's use of the reduction.
pub struct Reducing<'r> {
    reducer: Option<&'r Reducer<'r>>,
    scratch: Scratch,
    here: Vec<Here>,
    /// Per spot of the machine: what that is for the reduction, if it is known.
    by_spot: Vec<Option<Here>>,
    /// What the reduction for a list calls the instances of the machine; [`UNKNOWN`] if it was not made for one.
    names: Vec<u32>,
    /// Those that were met by the other kind of reduction.
    members: Option<Members>,
    was_wrong: bool,
    /// States in which there was something to choose.
    n_choices: u64,
    /// States in which there was not, or nothing was left out, since the last rest.
    n_in_vain: u64,
    /// Steps that had been left out then.
    n_left_out_before: u64,
    /// So many ticks without asking are left; none if there are no ticks.
    rest: Option<u32>,
    /// Steps that there were, and that were left out.
    n_steps: u64,
    n_left_out: u64,
    /// The list that the reduction was made for, also after it was given up.
    listed: Option<&'r [Known]>,
    /// So many states may be expanded after a process was met that the reduction was not made for.
    patience: u32,
    /// Never given up on the way.
    is_steady: bool,
    /// It would have been.
    is_hopeless: bool,
}

impl<'r> Reducing<'r> {
    pub fn new(reducer: Option<&'r Reducer>, machine: &Machine) -> Reducing<'r> {
        let mut reducing = Reducing {
            reducer,
            scratch: Scratch::default(),
            here: Vec::new(),
            by_spot: Vec::new(),
            names: Vec::new(),
            members: match reducer {
                Some(Reducer::Families(families)) => Some(Members::new(families)),
                _ => None,
            },
            was_wrong: false,
            n_choices: 0,
            n_in_vain: 0,
            n_left_out_before: 0,
            rest: None,
            n_steps: 0,
            n_left_out: 0,
            listed: match reducer {
                Some(Reducer::Listed(_, known)) => Some(known),
                _ => None,
            },
            patience: PATIENCE,
            is_steady: false,
            is_hopeless: false,
        };
        reducing.was_wrong(machine);
        reducing
    }

    /// One that always chooses the same in the same state, as searches for cycles need it.
    pub fn steady(reducer: Option<&'r Reducer>, machine: &Machine) -> Reducing<'r> {
        Reducing { is_steady: true, patience: 1, ..Reducing::new(reducer, machine) }
    }

    /// Why a search for cycles has to begin anew, if it has to.
    #[inline(always)]
    pub fn begin_anew(&mut self, machine: &Machine) -> Option<Restart> {
        match self.is_lost(machine) {
            true => Some(Restart::Instances),
            false => self.is_hopeless.then_some(Restart::Unreduced),
        }
    }

    /// Whether the machine has met a process that the reduction was not made for: choices may have been wrong.
    #[inline(always)]
    pub fn was_wrong(&mut self, machine: &Machine) -> bool {
        if let Some(listed) = self.listed
            && machine.n_instances() > self.names.len()
        {
            self.meet(listed, machine);
        }
        self.was_wrong
    }

    /// The machine has met more processes.
    #[cold]
    fn meet(&mut self, listed: &[Known], machine: &Machine) {
        for instance in machine.instances().iter().skip(self.names.len()) {
            let name = listed.iter().position(|known| known.is(instance, instance.pid, machine));
            self.was_wrong |= name.is_none();
            self.names.push(name.map_or(UNKNOWN, |name| name as u32));
        }
    }

    /// What a process is for the reduction, there where it is. None if there is nothing to be said about it.
    #[cold]
    #[inline(never)]
    fn find_spot(&mut self, spot: usize, process: &Arc<compiled::Instance>, words: &[u64]) -> Option<Here> {
        let location = process.at(words);
        let here = match (self.reducer?, &mut self.members) {
            (Reducer::Families(families), Some(members)) => {
                let name = members.name(families, process)?;
                members.tables.here(name, location)
            }
            (Reducer::Listed(reduction, _), _) => {
                // None if it was met a moment ago.
                let name = self.names.get(process.number as usize).filter(|name| **name != UNKNOWN)?;
                reduction.here(*name, location)
            }
            _ => return None,
        };
        if self.by_spot.len() <= spot {
            self.by_spot.resize(spot + 1, None);
        }
        self.by_spot[spot] = Some(here);
        Some(here)
    }

    /// The same, and it is time to begin anew. Not at once: to be asked for each state, so that others of these processes are met, too.
    #[inline(always)]
    pub fn is_lost(&mut self, machine: &Machine) -> bool {
        self.was_wrong(machine) && self.lose_patience()
    }

    /// To be called now and then by a search that goes faster while [`Chooser::chooses`] says no.
    pub fn tick(&mut self) {
        self.rest = Some(self.rest.unwrap_or(0).saturating_sub(1));
    }

    /// There is nothing to choose, or nothing to leave out. Where that is so nearly always, to ask costs more than it saves, also if it was
    /// different in another part of the model.
    #[inline(always)]
    fn count_in_vain(&mut self) {
        self.n_in_vain += 1;
        if self.n_in_vain >= MANY_IN_VAIN {
            self.consider_rest();
        }
    }

    #[cold]
    fn consider_rest(&mut self) {
        let is_worth_it = self.n_left_out - self.n_left_out_before >= FEW;
        self.n_left_out_before = self.n_left_out;
        self.n_in_vain = if is_worth_it { 0 } else { MANY_IN_VAIN - STILL_IN_VAIN };
        if self.rest.is_some() && !is_worth_it {
            self.rest = Some(REST);
        }
    }

    /// The reduction leaves out too little.
    #[cold]
    fn fail(&mut self) {
        if self.is_steady {
            self.is_hopeless |= self.n_choices <= SOON;
        } else {
            // Each state alone is right, reduced or not.
            self.reducer = None;
        }
    }

    #[cold]
    fn lose_patience(&mut self) -> bool {
        self.reducer = None;
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0
    }
}

impl Chooser for Reducing<'_> {
    fn chooses(&self) -> bool {
        self.reducer.is_some() && self.rest.is_none_or(|rest| rest == 0)
    }

    fn choose(&mut self, shape: &Shape, words: &[u64], steps: &[Step], timeout: bool) -> Option<&[u32]> {
        let reducer = self.reducer?;
        if timeout || steps.first().map(|step| step.pid) == steps.last().map(|step| step.pid) {
            self.count_in_vain();
            return None;
        }
        self.here.clear();
        for (pid, spot) in shape.spots(words).enumerate() {
            let known = self.by_spot.get(spot).copied().flatten();
            let here = known.or_else(|| self.find_spot(spot, &shape.processes[pid], words))?;
            self.here.push(here);
        }
        let (scratch, here) = (&mut self.scratch, &self.here);
        let choice = match (reducer, &self.members) {
            (Reducer::Families(families), Some(members)) => {
                members.tables.choose(families, scratch, here, steps, timeout)
            }
            (Reducer::Listed(reduction, _), _) => reduction.choose(scratch, here, steps, timeout),
            _ => Choice::All,
        };
        self.n_choices += 1;
        self.n_steps += steps.len() as u64;
        if choice == Choice::Some {
            self.n_left_out += (steps.len() - self.scratch.kept().len()) as u64;
        } else {
            self.count_in_vain();
        }
        if TRIALS.iter().any(|(trial, worth_it)| {
            self.n_choices == *trial && (self.n_left_out as f64) < worth_it * self.n_steps as f64
        }) {
            self.fail();
        }
        (choice == Choice::Some).then(|| self.scratch.kept())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use allways_compiled::{Arrival, Everything, StepsTo, Visitor, Worker, Wrong};
    use allways_system::parse::parse;

    use super::*;

    /// The states that were met.
    #[derive(Default)]
    struct Met(Vec<Box<[u64]>>);

    impl Visitor for Met {
        fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
            self.0.push(arrival.words[..arrival.n_words].into());
            ControlFlow::Continue(())
        }

        fn violation(&mut self, _: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn expand(worker: &mut Worker, state: &[u64], chooser: &mut impl Chooser) -> Vec<Box<[u64]>> {
        let mut met = Met::default();
        worker.load(state);
        worker.expand(&mut met, chooser, u64::MAX);
        met.0
    }

    #[test]
    fn where_nothing_is_left_out_it_is_not_asked_for_a_while() {
        // First each process has a step of its own, then both work on the same variable for ever.
        let process = |own: u32| {
            format!(
                "proctype P{n} p{n} parameters 0 initial L0 @0:0..1
                   L0 @0:0..1: [t0]
                   L1 @0:0..1: [t1]
                   t0 L0 -> L1 \"own\" @0:0..1: assign g{own}:byte := 1
                   t1 L1 -> L1 \"both\" @0:0..1: assign g0:byte := (1 - g0:byte)\n",
                n = own - 1,
            )
        };
        let system = format!(
            "system
             g0 x: byte @0:0..1
             g1 y: byte @0:0..1
             g2 z: byte @0:0..1
             {}{}process P0 priority 1
             process P1 priority 1",
            process(1),
            process(2),
        );
        let system = parse(&system).expect("a sound system");
        let options = compiled::Options { shape_bits: 16, ..compiled::Options::default() };
        let machine = Machine::new(&system, options, None).expect("what can be compiled");
        let mut worker = Worker::new(&machine);
        assert!(worker.start().is_ok());
        let first: Box<[u64]> = worker.words().into();
        let second = expand(&mut worker, &first, &mut Everything).remove(0);
        let last = expand(&mut worker, &second, &mut Everything).pop().expect("the other one moves");

        let reducer = reduction(&machine, false, &[], true, &[]).expect("there is something to gain");
        let mut reducing = Reducing::new(Some(&reducer), &machine);
        reducing.tick();
        for _ in 0..TRIALS[TRIALS.len() - 1].0 {
            assert_eq!(expand(&mut worker, &first, &mut reducing).len(), 1, "a step is left out");
        }
        let mut in_vain = |reducing: &mut Reducing, n_states: u64| {
            for _ in 0..n_states {
                assert!(reducing.chooses());
                assert_eq!(expand(&mut worker, &last, reducing).len(), 2, "nothing can be left out");
            }
        };
        // Much was left out before these...
        in_vain(&mut reducing, MANY_IN_VAIN);
        // ...nothing before these.
        in_vain(&mut reducing, MANY_IN_VAIN);
        assert!(!reducing.chooses());
        (0..REST).for_each(|_| reducing.tick());
        in_vain(&mut reducing, STILL_IN_VAIN);
        assert!(!reducing.chooses());
    }
}
