//! Which step of an execution happens before which: program order, creation and joining, wake-ups, and the order of dependent operations.
//!
//! Every choice has a vector clock: for each thread, how many choices of the whole execution, up to its last one that is known, happened before.

use allways_stateless_protocol::{Effect, Kind};

use crate::execution::{Execution, Step};
use crate::history::History;

/// For each thread, the number of its last choice that happened before, plus one; 0 for none.
pub type Clock = Vec<u32>;

/// The clocks of an execution. The beginning can be kept for the next execution that has it too.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// After each choice.
    pub after: Vec<Clock>,
    /// Of the thread, just before it: without what the operation itself depends on.
    pub before: Vec<Clock>,
    /// Of each thread, at the end.
    pub last: Vec<Clock>,
}

/// Takes over what another clock knows.
fn merge(clock: &mut Clock, other: &[u32]) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

impl Clocks {
    pub fn of(execution: &Execution) -> Clocks {
        let n_threads = execution.process_of.len();
        let mut clocks =
            Clocks { after: Vec::new(), before: Vec::new(), last: vec![vec![0; n_threads]; n_threads] };
        let mut number_of = vec![0; execution.steps.len()];
        let mut has_exited = vec![false; execution.parent_of.len()];
        let mut history = History::new(execution);
        for (index, step) in execution.steps.iter().enumerate() {
            number_of[index] = clocks.after.len();
            // A wait with a time limit could have ended without the signal: that is a matter of order.
            let is_timed = matches!(step.operation.kind, Kind::CondReacquireTimed | Kind::FutexResumeTimed)
                && step.operation.effect != Effect::Overdue;
            if let Some(cause) = step.cause.filter(|_| !is_timed) {
                let cause = number_of[cause];
                let after = clocks.after[cause].clone();
                merge(&mut clocks.last[step.thread], &after);
            }
            clocks.silent_order(execution, step, &has_exited);
            if !step.is_silent {
                clocks.choice(execution, step, &history);
                history.add(execution);
            }
            if step.operation.kind == Kind::ProcessExit {
                has_exited[step.operation.argument as u32 as usize] = true;
            }
        }
        clocks
    }

    /// Creation and joining. Who waits for a program to begin goes on at once when it does.
    fn silent_order(&mut self, execution: &Execution, step: &Step, has_exited: &[bool]) {
        let thread = step.thread;
        match step.operation.kind {
            Kind::Create => {
                let own = self.last[thread].clone();
                merge(&mut self.last[step.operation.target as usize - 1], &own);
            }
            Kind::Join => self.learn_from(thread, step.operation.argument as usize),
            Kind::Spawned | Kind::WaitProcess => {
                self.learn_from_process(execution, thread, step.operation.argument as u32)
            }
            Kind::WaitAny => {
                let own = execution.process_of[thread];
                for child in (0..has_exited.len()).filter(|child| has_exited[*child]) {
                    if execution.parent_of[child] == own && child != own as usize && step.is_silent {
                        self.learn_from_process(execution, thread, child as u32);
                    }
                }
            }
            _ => {}
        }
    }

    fn learn_from_process(&mut self, execution: &Execution, thread: usize, process: u32) {
        for other in (0..execution.process_of.len()).filter(|other| execution.process_of[*other] == process) {
            self.learn_from(thread, other);
        }
    }

    fn learn_from(&mut self, thread: usize, other: usize) {
        let other = self.last[other].clone();
        merge(&mut self.last[thread], &other);
    }

    fn choice(&mut self, execution: &Execution, step: &Step, history: &History) {
        let number = self.after.len();
        let mut clock = self.last[step.thread].clone();
        self.before.push(clock.clone());
        let is_dependent = |earlier: usize| {
            let earlier = execution.choice(earlier);
            earlier.thread != step.thread
                && execution
                    .are_dependent((&earlier.operation, earlier.thread), (&step.operation, step.thread))
        };
        let candidates = history.candidates(execution, &step.operation, step.thread);
        for class in &candidates.classes {
            // What comes before the last one that matters is known with it.
            let looked_at = if candidates.is_exact { 1 } else { class.len() };
            if let Some(last) = class.iter().rev().take(looked_at).find(|other| is_dependent(**other)) {
                merge(&mut clock, &self.after[*last]);
            }
        }
        for other in candidates.special.iter().filter(|other| is_dependent(**other)) {
            merge(&mut clock, &self.after[*other]);
        }
        clock[step.thread] = number as u32 + 1;
        self.last[step.thread].clone_from(&clock);
        self.after.push(clock);
    }

    /// Does a choice happen before what a clock knows?
    pub fn is_known(execution: &Execution, choice: usize, clock: &[u32]) -> bool {
        clock[execution.choice(choice).thread] as usize > choice
    }
}
