//! Processes with threads: how they end, what they leave behind, and signals.

use super::super::code::Operation;
use super::super::syntax::{Kind, Program, Signals};
use super::{NOTHING, Phase, Search, State, changed};

/// The process that has the threads of a group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Process {
    /// What those who wait for it are told, once it is over.
    pub(super) status: Option<u32>,
    is_reaped: bool,
    /// `SIGKILL` is under way.
    is_doomed: bool,
    /// `SIGUSR1` is pending.
    signalled: bool,
    /// Which ends of each pipe it has.
    reads: Vec<bool>,
    writes: Vec<bool>,
    /// What is added to the semaphores of the set when it ends.
    undo: Vec<i32>,
}

/// The number of `SIGUSR1`.
const SIGNAL: u32 = 10;
/// What is recorded of a process that was killed, besides the signal.
const KILLED: u32 = 256;

impl Process {
    pub(super) fn all(program: &Program) -> Vec<Process> {
        let process = Process {
            status: None,
            is_reaped: false,
            is_doomed: false,
            signalled: false,
            reads: vec![true; program.pipes],
            writes: vec![true; program.pipes],
            undo: vec![0; program.set.len()],
        };
        // Of processes without threads nobody knows.
        let exists = |number: &usize| program.groups.process_of.contains(number);
        let absent = Process {
            reads: vec![false; program.pipes],
            writes: vec![false; program.pipes],
            ..process.clone()
        };
        let one = |number| if exists(&number) { process.clone() } else { absent.clone() };
        (0..program.groups.endings.len()).map(one).collect()
    }
}

impl Search<'_> {
    /// Every thread up to its first visible operation.
    pub(super) fn start_groups(&self, state: &mut State) {
        for thread in 0..state.threads.len() {
            state.threads[thread].phase = Phase::Ready;
        }
        for thread in 0..state.threads.len() {
            self.go_on(state, thread);
        }
    }

    /// The process of a thread; none for the main one.
    fn process_of(&self, thread: usize) -> Option<usize> {
        self.program.groups.process_of.get(thread.checked_sub(1)?).copied()
    }

    /// A process ends with its last thread.
    pub(super) fn end_process_of(&self, state: &mut State, thread: usize) {
        if self.program.kind != Kind::Groups {
            return;
        }
        let Some(process) = self.process_of(thread) else { return };
        let is_over =
            |other: usize| state.threads[other].phase == Phase::Dead || self.is_at_end(state, other);
        let is_last =
            (1..state.threads.len()).all(|other| self.process_of(other) != Some(process) || is_over(other));
        if is_last && state.processes[process].status.is_none() {
            self.end_process(state, process, 0);
        }
    }

    fn is_at_end(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].pc == self.code[thread].len()
    }

    fn end_process(&self, state: &mut State, process: usize, status: u32) {
        for thread in 1..state.threads.len() {
            if self.process_of(thread) == Some(process) {
                state.threads[thread].phase = Phase::Dead;
            }
        }
        let own = &mut state.processes[process];
        own.status = Some(status);
        (own.is_doomed, own.signalled) = (false, false);
        own.reads.fill(false);
        own.writes.fill(false);
        for (value, undo) in state.set.iter_mut().zip(&mut own.undo) {
            *value = value.saturating_add_signed(*undo);
            *undo = 0;
        }
    }

    pub(super) fn can_die(&self, state: &State, process: usize) -> bool {
        state.processes[process].is_doomed
    }

    pub(super) fn die(&self, state: &mut State, process: usize) {
        self.end_process(state, process, KILLED + 9);
    }

    /// Processes that are over and that nobody has waited for.
    pub(super) fn zombies(&self, state: &State) -> Vec<usize> {
        let is_zombie = |process: &usize| {
            let process = &state.processes[*process];
            process.status.is_some() && !process.is_reaped
        };
        (0..state.processes.len()).filter(is_zombie).collect()
    }

    /// Is a thread at a place where it ends, because it was cancelled?
    pub(super) fn is_cancelled(&self, state: &State, thread: usize) -> bool {
        use Operation::*;
        let own = &state.threads[thread];
        let is_point = match self.pending(state, thread) {
            Some(
                SemWait { .. } | SemTimedWait { .. } | Receive { .. } | PipeRead { .. } | PipeWrite { .. },
            ) => true,
            Some(CondWait { .. } | CondTimedWait { .. }) => matches!(own.phase, Phase::Ready | Phase::Queued),
            Some(SignalWait { .. } | Pause | TestCancel | Join { .. } | Send { .. } | PipeClose { .. }) => {
                true
            }
            _ => false,
        };
        own.cancelled && is_point
    }

    /// The end of such a thread. Who waits for a condition takes the mutex first.
    pub(super) fn end_cancelled(&self, state: &mut State, thread: usize) {
        if state.threads[thread].phase == Phase::Queued {
            state.threads[thread].phase = Phase::Cancelled;
        } else {
            state.threads[thread].pc = self.code[thread].len();
            self.end_process_of(state, thread);
        }
    }

    pub(super) fn can_read(&self, state: &State, thread: usize, pipe: usize) -> bool {
        let own = self.process_of(thread);
        !state.pipes[pipe].is_empty()
            || own.is_some_and(|own| !state.processes[own].reads[pipe])
            || own.is_some() && state.processes.iter().all(|process| !process.writes[pipe])
    }

    pub(super) fn read(&self, state: &mut State, thread: usize, pipe: usize) -> u32 {
        match self.process_of(thread) {
            Some(own) if !state.processes[own].reads[pipe] => NOTHING,
            Some(_) if state.pipes[pipe].is_empty() => 0,
            _ => u32::from(state.pipes[pipe].remove(0)),
        }
    }

    pub(super) fn can_write(&self, state: &State, thread: usize, pipe: usize) -> bool {
        self.process_of(thread).is_none_or(|own| {
            state.processes[own].writes[pipe] && state.processes.iter().any(|process| process.reads[pipe])
        })
    }

    pub(super) fn has_signal(&self, state: &State, thread: usize) -> bool {
        let own = self.process_of(thread);
        state.threads[thread].signalled || own.is_some_and(|own| state.processes[own].signalled)
    }

    fn take_signal(&self, state: &mut State, thread: usize) -> u32 {
        if !self.has_signal(state, thread) {
            return NOTHING;
        }
        if state.threads[thread].signalled {
            state.threads[thread].signalled = false;
        } else if let Some(own) = self.process_of(thread) {
            state.processes[own].signalled = false;
        }
        SIGNAL
    }

    pub(super) fn perform_in_group(
        &self,
        state: &mut State,
        thread: usize,
        operation: &Operation,
        choice: usize,
    ) -> Option<u32> {
        use Operation::*;
        match operation {
            Exit { code } => {
                let own = self.process_of(thread).expect("the main process does not end so");
                self.end_process(state, own, u32::from(*code));
                return None;
            }
            WaitProcess { process } => {
                state.processes[*process].is_reaped = true;
                return state.processes[*process].status;
            }
            WaitAny => {
                let process = self.zombies(state)[choice];
                state.processes[process].is_reaped = true;
                return state.processes[process].status.map(|status| status + 1000 * (process as u32 + 1));
            }
            Destroy { process } => {
                let process = &mut state.processes[*process];
                process.is_doomed = process.status.is_none();
            }
            Kill { process } => self.kill(state, *process),
            KillThread { thread } => {
                let is_over = self.pending(state, *thread).is_none();
                state.threads[*thread].signalled = !is_over;
            }
            SignalWait { .. } => return Some(self.take_signal(state, thread)),
            Pause => state.threads[thread].signalled = false,
            Cancel { thread } => state.threads[*thread].cancelled = true,
            PipeClose { pipe, writes } => {
                let own = self.process_of(thread).expect("the main process closes nothing");
                let process = &mut state.processes[own];
                let ends = if *writes { &mut process.writes } else { &mut process.reads };
                ends[*pipe] = false;
            }
            SemopUndo { number, change } => {
                state.set = changed(&state.set, &[(*number, *change)])?;
                let own = self.process_of(thread).expect("the main process undoes nothing");
                state.processes[own].undo[*number] -= i32::from(*change);
            }
            _ => {}
        }
        Some(0)
    }

    fn kill(&self, state: &mut State, process: usize) {
        if state.processes[process].status.is_some() {
            return;
        }
        match self.program.groups.signals {
            Signals::Blocked => state.processes[process].signalled = true,
            // A guess: somebody gets it.
            Signals::Handled { .. } => {
                let own = (1..state.threads.len()).find(|thread| self.process_of(*thread) == Some(process));
                own.into_iter().for_each(|thread| state.threads[thread].signalled = true);
            }
        }
    }
}
