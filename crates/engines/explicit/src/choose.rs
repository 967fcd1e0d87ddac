//! The reduction as part of a search: what it costs is watched, and it stops where it is not worth it.

use allways_compiled::{Chooser, Machine, Shape};
use allways_reduction::{Choice, Here, Instance, Options, Reduction, Scratch};
use allways_system::{Expr, Step};

/// The reduction for the processes that a machine knows. None if there is nothing to gain.
pub fn reduction(machine: &Machine, exclusive: bool, observed: &[Expr]) -> Option<Reduction> {
    let instances = machine.instances();
    if instances.len() > MAX_INSTANCES {
        return None;
    }
    let instances: Vec<Instance> = instances
        .iter()
        .map(|instance| Instance {
            proctype: instance.proctype,
            pid: instance.pid,
            code: &instance.code,
            first_channel: Some(instance.first_channel),
        })
        .collect();
    let semantics = machine.options.semantics;
    let options = Options {
        lossy: semantics.lossy,
        check_overflow: semantics.check_overflow,
        exclusive,
        observed: observed.iter().collect(),
        ..Options::default()
    };
    Reduction::new(machine.system, &instances, &options)
}

/// The reduction looks at pairs of processes; for more than this many it takes longer than it saves.
const MAX_INSTANCES: usize = 100;
/// After so many choices the reduction must have left out such a part of the steps. Measured on `bench/models`: it pays
/// where it leaves out 0.249 (philosophers-shared), not where it leaves out 0.204 (scheduler), 0.198 (heap) or less. Where
/// that is known only late (philosophers-rendezvous: 0.012 after 250, 0.072 after 5,000) it leaves out something from the beginning.
const TRIALS: [(u64, f64); 3] = [(2_000, 0.004), (5_000, 0.03), (20_000, 0.225)];

/// So many states are expanded without reduction after it turned out to be made for too few processes.
const PATIENCE: u32 = 10_000;

/// One worker's use of the reduction.
pub struct Reducing<'r> {
    reduction: Option<&'r Reduction>,
    scratch: Scratch,
    here: Vec<Here>,
    /// Processes with higher numbers were not there when the reduction was made.
    n_known: u32,
    n_choices: u64,
    /// Steps that there were, and that were left out.
    n_steps: u64,
    n_left_out: u64,
    is_used: bool,
    /// So many states may be expanded after a process was met that the reduction was not made for.
    patience: u32,
    /// Never given up.
    is_steady: bool,
}

impl<'r> Reducing<'r> {
    pub fn new(reduction: Option<&'r Reduction>, n_known: usize) -> Reducing<'r> {
        Reducing {
            reduction,
            scratch: Scratch::default(),
            here: Vec::new(),
            n_known: n_known as u32,
            n_choices: 0,
            n_steps: 0,
            n_left_out: 0,
            is_used: reduction.is_some(),
            patience: PATIENCE,
            is_steady: false,
        }
    }

    /// One that always chooses the same in the same state, as searches for cycles need it.
    pub fn steady(reduction: Option<&'r Reduction>, n_known: usize) -> Reducing<'r> {
        Reducing { is_steady: true, patience: 1, ..Reducing::new(reduction, n_known) }
    }

    /// Whether the machine has met a process that the reduction was not made for: choices may have been wrong.
    pub fn was_wrong(&self, machine: &Machine) -> bool {
        self.is_used && machine.n_instances() > self.n_known as usize
    }

    /// The same, and it is time to begin anew. Not at once: to be asked for each state, so that others of these processes are met, too.
    #[inline(always)]
    pub fn is_lost(&mut self, machine: &Machine) -> bool {
        self.was_wrong(machine) && self.lose_patience()
    }

    #[cold]
    fn lose_patience(&mut self) -> bool {
        self.reduction = None;
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0
    }
}

impl Chooser for Reducing<'_> {
    fn chooses(&self) -> bool {
        self.reduction.is_some()
    }

    fn choose(&mut self, shape: &Shape, words: &[u64], steps: &[Step], timeout: bool) -> Option<&[u32]> {
        let reduction = self.reduction?;
        self.here.clear();
        for process in &shape.processes {
            if process.number >= self.n_known {
                // Another worker has met it a moment ago.
                return None;
            }
            self.here.push(Here { instance: process.number, location: process.at(words) });
        }
        self.n_choices += 1;
        let choice = reduction.choose(&mut self.scratch, &self.here, steps, timeout);
        self.n_steps += steps.len() as u64;
        if choice == Choice::Some {
            self.n_left_out += (steps.len() - self.scratch.kept().len()) as u64;
        }
        if !self.is_steady
            && TRIALS.iter().any(|(trial, worth_it)| {
                self.n_choices == *trial && (self.n_left_out as f64) < worth_it * self.n_steps as f64
            })
        {
            // Each state alone is right, reduced or not.
            self.reduction = None;
        }
        (choice == Choice::Some).then(|| self.scratch.kept())
    }
}
