//! Source sets: the dynamic partial-order reduction of Abdulla, Aronis, Jonsson and Sagonas (POPL 2014), with sleep sets.
//!
//! After an execution, every pair of steps that *race* is looked at: dependent, not ordered by anything else, and possible the other way
//! round. In the state before the first of the two, the other order must be started too: what happened since and does not depend on
//! the first, followed by the second. It can start with any of its *initials*, the threads whose first step there comes after no other. If
//! none of them is to be tried in that state already, one is added.
//!
//! Threads that are still waiting at the end race as well: they may wait for ever only because others came first.

use std::time::Instant;

use allways_stateless_protocol::{Effect, Kind, Operation, Outcome, ThreadSet};

use crate::execution::{Execution, Step};
use crate::happens_before::Clocks;
use crate::history::History;
use crate::stack::{Stack, Strategy};

/// Tries what the races call for.
#[derive(Default)]
pub struct Source {
    /// What is planned after this will not be executed.
    pub deadline: Option<Instant>,
}

impl Strategy for Source {
    fn uses_sleep(&self) -> bool {
        true
    }

    fn has_samples(&self) -> bool {
        true
    }

    fn plan(&mut self, stack: &mut Stack, execution: &Execution, known: usize) {
        let clocks = Clocks::of(execution);
        let mut history = History::new(execution);
        for number in 0..execution.visible.len() {
            if number < known {
                history.add(execution);
                continue;
            }
            if number.is_multiple_of(64) && self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return;
            }
            let step = execution.choice(number);
            let later = Later {
                operation: &step.operation,
                thread: step.thread,
                before: &clocks.before[number],
                is_last: false,
            };
            later.plan(stack, &Past { execution, clocks: &clocks, history: &history });
            history.add(execution);
        }
        // Where all who could move are asleep, they were tried elsewhere. Those who cannot move race all the same: it may be that only here they
        // could have come first.
        let is_blocked =
            |thread: usize| execution.outcome != Outcome::SleepBlocked || !execution.enabled.contains(thread);
        for pending in execution.pending.iter().filter(|pending| is_blocked(pending.thread)) {
            let later = Later {
                operation: &pending.operation,
                thread: pending.thread,
                before: &clocks.last[pending.thread],
                is_last: true,
            };
            later.plan(stack, &Past { execution, clocks: &clocks, history: &history });
        }
    }
}

/// The later step of a race, taken or pending.
struct Later<'e> {
    operation: &'e Operation,
    thread: usize,
    /// What the thread knew just before.
    before: &'e [u32],
    /// Is it pending at the end?
    is_last: bool,
}

/// What happened before.
struct Past<'e> {
    execution: &'e Execution,
    clocks: &'e Clocks,
    history: &'e History,
}

impl Past<'_> {
    /// Does a choice happen after another, or is it that one?
    fn is_after(&self, choice: usize, earlier: usize) -> bool {
        Clocks::is_known(self.execution, earlier, &self.clocks.after[choice])
    }

    /// The choices after `first` that do not happen after it.
    fn since(&self, first: usize) -> Since {
        let threads = 0..self.execution.process_of.len();
        let first_of = |thread| {
            // If one of a thread happens after it, so do all that follow.
            self.history.next_of(thread, first).filter(|next| !self.is_after(*next, first))
        };
        Since { first, first_of: threads.map(first_of).collect() }
    }

    /// Those of them that touch an object.
    fn touching(&self, since: &Since, object: u32) -> impl Iterator<Item = &Step> {
        let first = since.first;
        let choices =
            self.history.of_object(object, first).filter(move |choice| !self.is_after(*choice, first));
        choices.map(|choice| self.execution.choice(choice))
    }
}

/// The choices after `first` that do not happen after it.
struct Since {
    first: usize,
    /// The first of each thread.
    first_of: Vec<Option<usize>>,
}

impl Since {
    /// Does a clock know any of them?
    fn is_any_known(&self, clock: &[u32]) -> bool {
        self.first_of
            .iter()
            .zip(clock)
            .any(|(choice, known)| choice.is_some_and(|choice| (*known as usize) > choice))
    }
}

impl Later<'_> {
    fn plan(&self, stack: &mut Stack, past: &Past) {
        let Past { execution, history, .. } = past;
        let candidates = history.candidates(execution, self.operation, self.thread);
        let is_relevant = |class: &&[usize]| {
            !candidates.is_exact
                || class.last().is_some_and(|last| self.depends_on(execution, execution.choice(*last)))
        };
        let mut classes: Vec<&[usize]> = candidates.classes.iter().copied().filter(is_relevant).collect();
        classes.push(candidates.special);
        let mut races: Vec<usize> = Vec::new();
        // The latest first.
        while let Some(first) = classes.iter().filter_map(|class| class.last().copied()).max() {
            let step = execution.choice(first);
            let is_settled = step.thread == self.thread
                || Clocks::is_known(execution, first, self.before)
                || races.iter().any(|race| past.is_after(*race, first));
            let is_over = is_settled || {
                self.depends_on(execution, step) && {
                    let since = past.since(first);
                    let enabled = stack.nodes[first].enabled;
                    let is_possible = self.could_come_before(past, step, &since)
                        && self.is_reachable(step, &enabled, &since);
                    // What never waits can always be brought forward; then earlier steps are reversed in their turn.
                    let is_sure = is_possible && self.operation.kind.never_blocks();
                    if is_sure {
                        races.push(first);
                    }
                    if is_possible {
                        self.reverse(stack, past, &since);
                    }
                    if self.waits_for_zero(execution) {
                        let initials = self.initials_of_past(past, &since);
                        add(stack, first, initials);
                    }
                    is_sure
                }
            };
            // Whatever the thread did before that is settled too; but not what others did.
            let n_classes = classes.len() - 1;
            for (position, class) in classes.iter_mut().enumerate() {
                if class.last() == Some(&first) {
                    *class = if is_over && position < n_classes { &[] } else { &class[..class.len() - 1] };
                }
            }
        }
    }

    /// What ends everything matters to everybody who did not get further.
    fn depends_on(&self, execution: &Execution, step: &Step) -> bool {
        self.is_last && step.is_fatal
            || execution.are_dependent((&step.operation, step.thread), (self.operation, self.thread))
    }

    /// Starts the other order in the state before `first`.
    fn reverse(&self, stack: &mut Stack, past: &Past, since: &Since) {
        add(stack, since.first, self.initials(past, since));
    }

    /// Who can make the first step of the other order.
    fn initials(&self, past: &Past, since: &Since) -> ThreadSet {
        let mut initials = ThreadSet::EMPTY;
        for (thread, choice) in since.first_of.iter().enumerate() {
            let Some(choice) = choice else { continue };
            let mut known = past.clocks.after[*choice].clone();
            known[thread] = 0;
            if !since.is_any_known(&known) {
                initials.insert(thread);
            }
        }
        let moved = Later { operation: &self.moved_before(past.execution.choice(since.first)), ..*self };
        if !since.is_any_known(self.before) && !moved.depends_on_any(past, since) {
            initials.insert(self.thread);
        }
        initials
    }

    /// The later operation as it is in the other order, with an effect that it then surely has. If what comes first there no longer
    /// is one of those that were there from the beginning, or of those that arrive early, then the later one is.
    fn moved_before(&self, first: &Step) -> Operation {
        use Kind::*;
        let effect = match (first.operation.effect, self.operation.kind) {
            _ if first.operation.object != self.operation.object => Effect::Any,
            (Effect::Reserve, SemWait | SemTrywait) => Effect::Reserve,
            (Effect::Early, BarrierArrive) => Effect::Early,
            _ => Effect::Any,
        };
        Operation { effect, ..*self.operation }
    }

    /// Is the later operation dependent with any of these?
    fn depends_on_any(&self, past: &Past, since: &Since) -> bool {
        let is_dependent = |choice: &usize| {
            let step = past.execution.choice(*choice);
            let (step, own) = ((&step.operation, step.thread), (self.operation, self.thread));
            !past.is_after(*choice, since.first) && past.execution.are_dependent(step, own)
        };
        let candidates = past.history.candidates(past.execution, self.operation, self.thread);
        let later = |class: &'_ [usize]| class.partition_point(|choice| *choice <= since.first);
        let in_class = |class: &&[usize]| {
            let rest = &class[later(class)..];
            rest[..if candidates.is_exact { rest.len().min(1) } else { rest.len() }].iter().any(is_dependent)
        };
        candidates.classes.iter().any(in_class)
            || candidates.special[later(candidates.special)..].iter().any(is_dependent)
    }

    /// Could the later operation be performed before the earlier step? What releases something is never overtaken by what waits for it.
    /// In doubt it could: a try that leads nowhere costs time only.
    fn could_come_before(&self, past: &Past, step: &Step, since: &Since) -> bool {
        use Kind::*;
        let earlier = step.operation.kind;
        match self.operation.kind {
            MutexLock => self.was_free(step, self.operation.object),
            CondReacquireTimed if self.operation.effect == Effect::Late => true,
            CondReacquire | CondReacquireTimed => self.was_free(step, self.operation.other),
            SemWait if earlier != SemChange && step.operation.object == self.operation.object => {
                let object = self.operation.object;
                let changes = past.touching(since, object).map(|step| semaphore_change(step, object));
                step.before + changes.sum::<i32>() >= 1
            }
            SetOperate if matches!(earlier, SetOperate | SetTry) => self.set_allows(past, step, since),
            ReadLock | WriteLock => !matches!(earlier, ReadUnlock | WriteUnlock),
            OnceEnter => earlier != OnceLeave,
            _ => true,
        }
    }

    /// Could the thread get to its operation, and perform it, in the other order? The counters of semaphores were looked at before; a poll can be
    /// made possible by something that is independent of the first step.
    fn is_reachable(&self, step: &Step, enabled: &ThreadSet, since: &Since) -> bool {
        enabled.contains(self.thread)
            // Who ended with its process could have gone on before, if others had moved.
            || self.is_last && step.operation.kind == Kind::ThreadsEnd
            || matches!(self.operation.kind, Kind::SemWait | Kind::SetOperate | Kind::PollWait)
            // What was interrupted could have gone on before, if others had moved.
            || matches!(self.operation.kind, Kind::Cancelled | Kind::Deliver)
            || since.is_any_known(self.before)
    }

    /// Steps that are independent of each other, each of which adds to a semaphore, are all in the way of who waits for zero. To bring it
    /// before one of them is not enough, then: it must come before all.
    fn waits_for_zero(&self, execution: &Execution) -> bool {
        self.operation.kind == Kind::SetOperate
            && execution.semops(self.operation).any(|semop| semop.change == 0)
    }

    /// Who can make the first step of what the thread knows when it gets to its operation, and of nothing else.
    fn initials_of_past(&self, past: &Past, since: &Since) -> ThreadSet {
        let mut initials = ThreadSet::EMPTY;
        for (thread, choice) in since.first_of.iter().enumerate() {
            let Some(choice) = choice.filter(|choice| self.before[thread] as usize > *choice) else {
                continue;
            };
            let mut known = past.clocks.after[choice].clone();
            known[thread] = 0;
            if !since.is_any_known(&known) {
                initials.insert(thread);
            }
        }
        if initials.is_empty() {
            initials.insert(self.thread);
        }
        initials
    }

    /// Could the thread have taken a mutex before a step on it?
    fn was_free(&self, step: &Step, mutex: u32) -> bool {
        match mutex_of(step) {
            Some(touched) if touched == mutex => step.before == 0 || step.before as usize == self.thread + 1,
            _ => true,
        }
    }

    /// The same for every semaphore of a set that both name.
    fn set_allows(&self, past: &Past, step: &Step, since: &Since) -> bool {
        let execution = past.execution;
        execution.semops(self.operation).all(|wanted| {
            let Some(before) = execution.value_before(step, wanted.index) else { return true };
            let changes = past.touching(since, self.operation.object).flat_map(|step| {
                execution.semops(&step.operation).filter(|semop| semop.index == wanted.index)
            });
            let changes = changes.map(|semop| semop.change);
            let value = before + changes.sum::<i32>();
            if wanted.change == 0 { value == 0 } else { value + wanted.change >= 0 }
        })
    }
}

/// Lets one of some threads move in the state before a choice, unless one does already.
fn add(stack: &mut Stack, choice: usize, initials: ThreadSet) {
    let node = &mut stack.nodes[choice];
    let initials = initials.intersection(node.enabled);
    let is_planned = !initials.intersection(node.backtrack.union(node.sleep)).is_empty();
    if !is_planned && let Some(thread) = initials.first() {
        node.backtrack.insert(thread);
    }
}

/// The mutex that a step is about, if its holder before the step was noted.
fn mutex_of(step: &Step) -> Option<u32> {
    use Kind::*;
    match step.operation.kind {
        MutexLock | MutexTrylock | MutexUnlock => Some(step.operation.object),
        CondWait | CondReacquire | CondReacquireTimed => Some(step.operation.other),
        _ => None,
    }
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
