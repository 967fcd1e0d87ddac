//! A schedule with fewer context switches that shows the same.
//!
//! A schedule is a row of blocks, each the steps of one thread. What is tried, again and again until nothing helps: stop following it
//! at some block and let every thread go on as long as it can; join a block with the next one of the same thread, earlier or later; leave a
//! block out. Every attempt is executed, and counts only if it goes wrong in the same way. The result is a local minimum: no promise that
//! there is no better one.

use std::time::{Duration, Instant};

use allways_stateless_host::LaunchError;
use allways_stateless_protocol::{Fault, Misuse, ObjectKind, Outcome, Policy};

use crate::execution::Execution;
use crate::executor::{Executor, Run};
use crate::search::PropertyName;
use crate::stack::Choice;

/// How much may be spent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShrinkLimits {
    pub executions: u64,
    pub time: Duration,
}

/// How often another thread goes on than the one that made the step before.
pub fn n_switches(execution: &Execution) -> usize {
    let thread = |index: usize| execution.choice(index).thread;
    (1..execution.visible.len()).filter(|index| thread(*index) != thread(index - 1)).count()
}

/// The best execution that was found; the given one if none is better.
pub fn shrink(
    executor: &mut Executor,
    found: &Execution,
    limits: ShrinkLimits,
) -> Result<Execution, LaunchError> {
    // Each execution that diverges takes as long as one must wait to say so.
    if matches!(found.outcome, Outcome::Divergence | Outcome::Livelock) {
        return Ok(found.clone());
    }
    let mut shrinking = Shrinking {
        executor,
        wanted: Symptom::of(found),
        best: found.clone(),
        executions_left: limits.executions,
        deadline: Instant::now() + limits.time,
    };
    while shrinking.round()? {}
    Ok(shrinking.best)
}

/// What must stay the same.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Symptom {
    property: Option<PropertyName>,
    message: String,
    status: i32,
    /// The first misuse: which, of which object, where.
    misuse: Option<(Fault, u64, u64)>,
    /// For a deadlock, who waits for what.
    waiting: Vec<(usize, u8, ObjectKind, u32, u64)>,
}

impl Symptom {
    fn of(execution: &Execution) -> Symptom {
        let property = PropertyName::violated_by(execution);
        let waits = |pending: &crate::execution::Pending| {
            let object = execution.objects.get(pending.operation.object as usize);
            let (kind, space, address) = object
                .map_or((ObjectKind::Nothing, 0, 0), |object| (object.kind, object.space, object.address));
            (pending.thread, pending.operation.kind as u8, kind, space, address)
        };
        let misuse = |misuse: &Misuse| {
            let object = execution.objects.get(misuse.object as usize).map_or(0, |object| object.address);
            (misuse.fault, object, misuse.place)
        };
        let is_deadlock = property == Some(PropertyName::Deadlock);
        Symptom {
            property,
            misuse: execution.misuses.first().map(misuse),
            message: execution.message.clone(),
            // Of a deadlock, only how it was ended.
            status: if is_deadlock { 0 } else { execution.status },
            waiting: if is_deadlock { execution.waiting().map(waits).collect() } else { Vec::new() },
        }
    }
}

struct Shrinking<'a> {
    executor: &'a mut Executor,
    wanted: Symptom,
    best: Execution,
    executions_left: u64,
    deadline: Instant,
}

impl Shrinking<'_> {
    /// Looks for something better. False if there is nothing, or no time.
    fn round(&mut self) -> Result<bool, LaunchError> {
        for candidate in candidates(&self.best.schedule()) {
            if self.executions_left == 0 || Instant::now() >= self.deadline {
                return Ok(false);
            }
            self.executions_left -= 1;
            let run = Run { policy: Policy::Continue, ..Run::along(&candidate) };
            let execution = self.executor.execute(&run)?;
            if cost(&execution) < cost(&self.best) && Symptom::of(&execution) == self.wanted {
                self.best = execution;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn cost(execution: &Execution) -> (usize, usize) {
    (n_switches(execution), execution.visible.len())
}

/// What to try instead of a schedule, the greatest changes first.
fn candidates(schedule: &[Choice]) -> impl Iterator<Item = Vec<Choice>> {
    let blocks: Vec<&[Choice]> = schedule.chunk_by(|one, other| one.thread == other.thread).collect();
    let n_blocks = blocks.len();
    let mut list: Vec<Vec<Choice>> = (0..n_blocks).map(|kept| blocks[..kept].concat()).collect();
    for earlier in 0..n_blocks {
        let same = |later: &usize| blocks[*later][0].thread == blocks[earlier][0].thread;
        if let Some(later) = (earlier + 1..n_blocks).find(same) {
            let (before, between) = (&blocks[..earlier], &blocks[earlier + 1..later]);
            let (pair, after) = ([blocks[earlier], blocks[later]], &blocks[later + 1..]);
            list.push([before, &pair, between, after].concat().concat());
            list.push([before, between, &pair, after].concat().concat());
        }
    }
    for left_out in 0..n_blocks {
        list.push([&blocks[..left_out], &blocks[left_out + 1..]].concat().concat());
    }
    list.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_joined_cut_and_left_out() {
        let schedule = [0, 1, 0].map(|thread| Choice { thread, value: 0 });
        let threads = |schedule: Vec<Choice>| schedule.iter().map(|choice| choice.thread).collect::<Vec<_>>();
        let tried: Vec<Vec<usize>> = candidates(&schedule).map(threads).collect();
        for expected in [vec![], vec![0], vec![0, 1], vec![0, 0, 1], vec![1, 0, 0], vec![0, 0], vec![1, 0]] {
            assert!(tried.contains(&expected), "{expected:?} is not among {tried:?}");
        }
    }
}
