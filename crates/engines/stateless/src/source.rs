//! Source sets: the dynamic partial-order reduction of Abdulla, Aronis, Jonsson and Sagonas (POPL 2014), with sleep sets.
//!
//! After an execution, every pair of steps that *race* is looked at: dependent, not ordered by anything else, and possible the other way
//! round. In the state before the first of the two, the other order must be started too: what happened since and does not depend on
//! the first, followed by the second. It can start with any of its *initials*, the threads whose first step there comes after no other. If
//! none of them is to be tried in that state already, one is added.
//!
//! Threads that are still waiting at the end race as well: they may wait for ever only because others came first.

use allways_stateless_protocol::{Kind, Operation, Outcome, ThreadSet};

use crate::execution::{Execution, Step};
use crate::happens_before::Clocks;
use crate::stack::{Stack, Strategy};

/// Tries what the races call for.
#[derive(Default)]
pub struct Source;

impl Strategy for Source {
    fn uses_sleep(&self) -> bool {
        true
    }

    fn plan(&mut self, stack: &mut Stack, execution: &Execution, known: usize) {
        let clocks = Clocks::of(execution);
        for number in known..execution.visible.len() {
            let step = execution.choice(number);
            let later = Later {
                operation: &step.operation,
                thread: step.thread,
                before: &clocks.before[number],
                number,
                is_last: false,
            };
            later.plan(stack, execution, &clocks);
        }
        if execution.outcome == Outcome::SleepBlocked {
            return;
        }
        for pending in &execution.pending {
            let later = Later {
                operation: &pending.operation,
                thread: pending.thread,
                before: &clocks.last[pending.thread],
                number: execution.visible.len(),
                is_last: true,
            };
            later.plan(stack, execution, &clocks);
        }
    }
}

/// The later step of a race, taken or pending.
struct Later<'e> {
    operation: &'e Operation,
    thread: usize,
    /// What the thread knew just before.
    before: &'e [u32],
    /// All earlier choices have lower numbers.
    number: usize,
    /// Is it pending at the end?
    is_last: bool,
}

impl Later<'_> {
    fn plan(&self, stack: &mut Stack, execution: &Execution, clocks: &Clocks) {
        let mut races: Vec<usize> = Vec::new();
        for first in (0..self.number).rev() {
            let step = execution.choice(first);
            let is_between = |other: &usize| Clocks::is_known(execution, first, &clocks.after[*other]);
            if step.thread == self.thread
                || Clocks::is_known(execution, first, self.before)
                || !self.depends_on(execution, step)
                || races.iter().any(is_between)
            {
                continue;
            }
            let since = self.independent_of(execution, clocks, first);
            let is_possible = self.could_come_before(execution, step, &since)
                && self.is_reachable(execution, &stack.nodes[first].enabled, &since);
            if is_possible {
                if self.is_sure(execution, step, &stack.nodes[first].enabled, &since) {
                    races.push(first);
                }
                self.reverse(stack, execution, clocks, first, &since);
            }
        }
    }

    /// What ends everything matters to everybody who did not get further.
    fn depends_on(&self, execution: &Execution, step: &Step) -> bool {
        self.is_last && step.is_fatal
            || execution.are_dependent((&step.operation, step.thread), (self.operation, self.thread))
    }

    /// The choices after `first` that do not happen after it.
    fn independent_of(&self, execution: &Execution, clocks: &Clocks, first: usize) -> Vec<usize> {
        let is_after = |other: &usize| Clocks::is_known(execution, first, &clocks.after[*other]);
        (first + 1..self.number).filter(|other| !is_after(other)).collect()
    }

    /// Starts the other order in the state before `first`.
    fn reverse(
        &self,
        stack: &mut Stack,
        execution: &Execution,
        clocks: &Clocks,
        first: usize,
        since: &[usize],
    ) {
        let node = &mut stack.nodes[first];
        let initials = self.initials(execution, clocks, since).intersection(node.enabled);
        let is_planned = !initials.intersection(node.backtrack.union(node.sleep)).is_empty();
        if !is_planned && let Some(thread) = initials.first() {
            node.backtrack.insert(thread);
        }
    }

    /// Who can make the first step of the other order.
    fn initials(&self, execution: &Execution, clocks: &Clocks, since: &[usize]) -> ThreadSet {
        let mut initials = ThreadSet::EMPTY;
        for (position, number) in since.iter().enumerate() {
            let comes_after = |other: &usize| Clocks::is_known(execution, *other, &clocks.after[*number]);
            if !since[..position].iter().any(comes_after) {
                initials.insert(execution.choice(*number).thread);
            }
        }
        let comes_after = |other: &usize| {
            let step = execution.choice(*other);
            Clocks::is_known(execution, *other, self.before)
                || execution.are_dependent((&step.operation, step.thread), (self.operation, self.thread))
        };
        if !since.iter().any(comes_after) {
            initials.insert(self.thread);
        }
        initials
    }

    /// Could the later operation be performed without the earlier step? What releases something is never overtaken by what waits for it.
    fn could_come_before(&self, execution: &Execution, step: &Step, since: &[usize]) -> bool {
        use Kind::*;
        let earlier = step.operation.kind;
        match self.operation.kind {
            MutexLock | CondReacquire | CondReacquireTimed if is_own_mutex(step) => false,
            MutexLock => {
                !(matches!(earlier, MutexUnlock | CondWait)
                    && releases(step, self.operation.object, self.thread))
            }
            CondReacquire | CondReacquireTimed => {
                !(matches!(earlier, MutexUnlock | CondWait)
                    && releases(step, self.operation.other, self.thread))
            }
            SemWait if earlier != SemChange && step.operation.object == self.operation.object => {
                let change =
                    |number: &usize| semaphore_change(execution.choice(*number), self.operation.object);
                step.before + since.iter().map(change).sum::<i32>() >= 1
            }
            SetOperate if matches!(earlier, SetOperate | SetTry) => self.set_allows(execution, step, since),
            ReadLock | WriteLock => !matches!(earlier, ReadUnlock | WriteUnlock),
            OnceEnter => earlier != OnceLeave,
            _ => true,
        }
    }

    /// Could the thread get to its operation, and perform it, in the other order? The counters of semaphores were looked at before.
    fn is_reachable(&self, execution: &Execution, enabled: &ThreadSet, since: &[usize]) -> bool {
        enabled.contains(self.thread)
            || matches!(self.operation.kind, Kind::SemWait | Kind::SetOperate)
            || since.iter().any(|other| Clocks::is_known(execution, *other, self.before))
    }

    /// Is the other order possible for certain? If not, earlier steps may be the ones to be reversed.
    fn is_sure(&self, execution: &Execution, step: &Step, enabled: &ThreadSet, since: &[usize]) -> bool {
        let has_moved = since.iter().any(|other| execution.choice(*other).thread == self.thread);
        let kind = self.operation.kind;
        let takes_mutex = |kind| {
            matches!(
                kind,
                Kind::MutexLock | Kind::MutexTrylock | Kind::CondReacquire | Kind::CondReacquireTimed
            )
        };
        !has_moved && enabled.contains(self.thread)
            || kind.never_blocks()
            || kind == Kind::SemWait && step.operation.kind != Kind::SemChange
            || kind == Kind::SetOperate && self.names_all(execution, step)
            || takes_mutex(kind) && takes_mutex(step.operation.kind) && !finds_mutex_taken(step)
    }

    /// Does the earlier step name every semaphore that the later one waits for?
    fn names_all(&self, execution: &Execution, step: &Step) -> bool {
        let names = |index| execution.semops(&step.operation).any(|semop| semop.index == index);
        matches!(step.operation.kind, Kind::SetOperate | Kind::SetTry)
            && execution.semops(self.operation).all(|semop| semop.change > 0 || names(semop.index))
    }

    /// The same for every semaphore of a set that both name.
    fn set_allows(&self, execution: &Execution, step: &Step, since: &[usize]) -> bool {
        execution.semops(self.operation).all(|wanted| {
            let Some(before) = execution.value_before(step, wanted.index) else { return true };
            let changes = since.iter().map(|number| {
                let operation = &execution.choice(*number).operation;
                let is_relevant = operation.object == self.operation.object;
                let changes = execution.semops(operation).filter(|semop| semop.index == wanted.index);
                if is_relevant { changes.map(|semop| semop.change).sum::<i32>() } else { 0 }
            });
            let value = before + changes.sum::<i32>();
            if wanted.change == 0 { value == 0 } else { value + wanted.change >= 0 }
        })
    }
}

/// Does a step that gives a mutex back give back this one, so that this thread could take it? If it was free, or already the
/// thread's own, the thread need not have waited.
fn releases(step: &Step, mutex: u32, to: usize) -> bool {
    if step.operation.kind == Kind::MutexUnlock && (step.before == 0 || step.before as usize == to + 1) {
        return false;
    }
    let given =
        if step.operation.kind == Kind::CondWait { step.operation.other } else { step.operation.object };
    given == mutex
}

/// Did a step that takes a mutex find it taken?
fn finds_mutex_taken(step: &Step) -> bool {
    matches!(step.operation.kind, Kind::MutexLock | Kind::MutexTrylock) && step.before != 0
}

/// By the very thread that tries to take it once more: nobody else could have taken it instead.
fn is_own_mutex(step: &Step) -> bool {
    finds_mutex_taken(step) && step.before as usize == step.thread + 1
}

fn semaphore_change(step: &Step, semaphore: u32) -> i32 {
    match step.operation.kind {
        _ if step.operation.object != semaphore => 0,
        Kind::SemPost => 1,
        Kind::SemWait => -1,
        Kind::SemTrywait => -i32::from(step.before > 0),
        _ => 0,
    }
}
