//! Persistent sets with sleep sets: Algorithm 2 of the VeriSoft paper (Godefroid, POPL 1997).
//!
//! In each state only the threads of a *persistent set* move: whatever the others do, as long as none of these moves, is independent of what
//! these are about to do. It is computed from what each thread may still do: starting with one thread, those are added that may do something
//! dependent with the next operation of a member; and for a member that is blocked, those that may unblock it. The smallest of the
//! sets that start with each thread is taken.
//!
//! What a thread may still do is learned ([`Knowledge`]). A set that was computed before something was learned may be wrong, so the
//! search begins anew until it meets nothing new. That is enough: the first operation that nobody expected, in any execution, is also
//! met in the executions that were tried. For as long as everything goes as expected the sets are right, so one of the executions
//! tried is equivalent to it up to there, and its next operation was seen pending.
//!
//! Several workers share what is learned. The last round is one in which nobody has learned anything, so all sets of it are
//! those that one worker would have found.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};

use allways_stateless_protocol::{Kind, Object, Outcome, Policy, Region, ThreadSet, limits};

use crate::execution::Execution;
use crate::knowledge::{Knowledge, Member, threads_of};
use crate::question::Question;
use crate::stack::{Choice, Stack, Strategy};

/// Begin anew at once as long as no more than this is lost; afterwards first see what else there is to learn.
const CHEAP: u64 = 100;

/// After so many rounds nothing more is left out but what sleeps.
const ROUNDS: u32 = 200;

/// The others may wait, in a loop, for a thread that is in no small set. So in long executions everybody's turn comes.
const LONG: usize = 300;

fn is_long(question: &Question) -> bool {
    question.depth() >= LONG
}

/// Tries persistent sets.
pub struct Persistent {
    learned: Arc<Mutex<Learned>>,
    /// The visible operations that each thread has made in this execution.
    counts: [usize; limits::THREADS],
    /// How many events were looked at for that.
    n_events: usize,
    /// The sets of this execution, after its prefix.
    sets: Vec<ThreadSet>,
    prefix: usize,
}

/// What is known of the program, by all who search it together.
#[derive(Default)]
pub struct Learned {
    knowledge: Knowledge,
    /// What was known when the round began.
    n_facts: u64,
    n_rounds: u32,
    /// In this round.
    n_executions: u64,
}

impl Persistent {
    /// With what others know too.
    pub fn new(learned: &Arc<Mutex<Learned>>) -> Persistent {
        Persistent {
            learned: Arc::clone(learned),
            counts: [0; limits::THREADS],
            n_events: 0,
            sets: Vec::new(),
            prefix: 0,
        }
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().expect("nobody panics who knows something")
    }
}

impl Strategy for Persistent {
    fn uses_sleep(&self) -> bool {
        true
    }

    fn policy(&self) -> Policy {
        Policy::Ask
    }

    fn has_samples(&self) -> bool {
        true
    }

    fn begin(&mut self, prefix: usize) {
        self.counts.fill(0);
        self.n_events = 0;
        self.sets.clear();
        self.prefix = prefix;
    }

    fn answer(&mut self, question: &Question) -> Option<Choice> {
        self.count(question.region);
        let mut learned = self.learned();
        let members = learned.knowledge.members(question.region, &self.counts);
        let set = learned.persistent(question, &members, &self.counts);
        drop(learned);
        self.sets.push(set);
        let candidates = set.without(question.asleep());
        let next = if is_long(question) {
            candidates.iter().min_by_key(|thread| self.counts[*thread])
        } else {
            candidates.first()
        };
        next.map(|thread| Choice { thread, value: 0 })
    }

    fn end(&mut self, region: &Region) {
        self.count(region);
        let mut learned = self.learned();
        learned.n_executions += 1;
        learned.knowledge.members(region, &self.counts);
    }

    fn plan(&mut self, stack: &mut Stack, execution: &Execution, _: usize) {
        for (node, set) in stack.nodes.iter_mut().skip(self.prefix).zip(&self.sets) {
            node.backtrack = *set;
        }
        let is_usual =
            matches!(execution.outcome, Outcome::Finished | Outcome::Deadlock | Outcome::SleepBlocked);
        if !is_usual && let Some(last) = stack.nodes.last_mut() {
            // What ended everything hides what the others would have done.
            last.backtrack = last.enabled;
            last.fatal.insert(last.choice.thread);
        }
    }

    fn is_outdated(&self, is_over: bool) -> bool {
        let learned = self.learned();
        let is_news = learned.knowledge.n_facts() != learned.n_facts && learned.n_rounds < ROUNDS;
        is_news && (is_over || learned.n_executions <= CHEAP)
    }

    fn begin_round(&mut self) {
        let mut learned = self.learned();
        learned.n_facts = learned.knowledge.n_facts();
        learned.n_rounds += 1;
        learned.n_executions = 0;
    }
}

impl Persistent {
    /// Counts the operations of each thread up to the current state.
    fn count(&mut self, region: &Region) {
        let n_events = (region.header.n_events.load(Relaxed) as usize).min(limits::EVENTS);
        for event in &region.events[self.n_events..n_events] {
            if event.is_silent.load(Relaxed) == 0 {
                self.counts[event.thread.load(Relaxed) as usize] += 1;
            }
        }
        self.n_events = n_events;
    }
}

impl Learned {
    /// The smallest set, with the lowest first thread; in a long execution one with the thread that moved least.
    fn persistent(&self, question: &Question, members: &[Member], counts: &[usize]) -> ThreadSet {
        let enabled = question.enabled();
        let yields =
            |member: &Member| member.operation.kind.never_blocks() && !enabled.contains(member.number);
        let is_hopeless = self.n_rounds >= ROUNDS
            || question.region.header.objects_moved.load(Relaxed) != 0
            // Who sends a signal to a thread makes it do what nobody knows beforehand.
            || question.region.header.has_interrupts.load(Relaxed) != 0
            // Those who gave way may go on as soon as anybody has moved.
            || members.iter().any(yields);
        if is_hopeless {
            return enabled;
        }
        let mut best = enabled;
        let least = enabled.iter().min_by_key(|thread| counts[*thread]).filter(|_| is_long(question));
        for seed in enabled.iter().filter(|thread| least.is_none_or(|least| least == *thread)) {
            let set = self.closure(question.region, members, enabled, seed).intersection(enabled);
            if set.len() < best.len() {
                best = set;
            }
        }
        best
    }

    /// The threads that must be looked at together with the first.
    fn closure(&self, region: &Region, members: &[Member], enabled: ThreadSet, seed: usize) -> ThreadSet {
        let mut set = ThreadSet::single(seed);
        let mut done = ThreadSet::EMPTY;
        while let Some(next) = set.without(done).first() {
            done.insert(next);
            let Some(member) = members.iter().find(|member| member.number == next) else { continue };
            if enabled.contains(next) {
                set = set.union(self.in_the_way(members, member));
            } else {
                set = set.union(self.needed(region, members, member));
            }
        }
        set
    }

    /// Threads that may do something dependent with what a member is about to do.
    fn in_the_way(&self, members: &[Member], member: &Member) -> ThreadSet {
        let own = (&member.operation, member.thread);
        let mut set = ThreadSet::EMPTY;
        for other in members.iter().filter(|other| other.number != member.number) {
            if other.remaining.iter().any(|later| self.knowledge.are_dependent(own, *later)) {
                set.insert(other.number);
            }
        }
        set
    }

    /// Threads one of which must move before a blocked one can.
    fn needed(&self, region: &Region, members: &[Member], blocked: &Member) -> ThreadSet {
        use Kind::*;
        let pending = region.threads[blocked.number].operation.load();
        let rivals = Rivals { knowledge: &self.knowledge, members, blocked };
        let (object, other) = (blocked.operation.object, blocked.operation.other);
        let holder = |number: u32| owner(&region.objects[number as usize]);
        match pending.kind {
            Join => ThreadSet::single(pending.argument as usize),
            Spawned | WaitProcess => threads_of(region, pending.argument as u32),
            MutexLock | CondReacquire | CondReacquireTimed => {
                let is_woken = region.threads[blocked.number].is_woken.load(Relaxed) != 0;
                if pending.kind == CondReacquire && !is_woken {
                    return rivals.that(object, &[CondSignal, CondBroadcast, CondChange]);
                }
                let is_lock = pending.kind == MutexLock;
                let (number, mutex) = if is_lock { (pending.object, object) } else { (pending.other, other) };
                if region.objects[number as usize].flavour.load(Relaxed) & ROBUST != 0 {
                    return rivals.all();
                }
                rivals.that(mutex, &[MutexUnlock, CondWait, MutexChange]).union(holder(number))
            }
            SemWait => rivals.that(object, &[SemPost, SemChange]),
            SetOperate => rivals.that(object, &[SetChange]).union(rivals.that_change_semaphores()),
            ReadLock | WriteLock => {
                rivals.that(object, &[ReadUnlock, WriteUnlock, RwlockChange]).union(holder(pending.object))
            }
            BarrierLeave => rivals.that(object, &[BarrierArrive, BarrierChange]),
            FutexResume => rivals.that(object, &[FutexWake]),
            QueueTake | QueuePut => {
                rivals.that(object, &[QueueTake, QueuePut, QueueChange, QueueClose, QueuePoll])
            }
            _ => rivals.all(),
        }
    }
}

/// The mark of a mutex that can be taken when its owner is gone.
const ROBUST: u8 = 0x10;

/// Who holds it.
fn owner(object: &Object) -> ThreadSet {
    match object.owner.load(Relaxed) {
        0 => ThreadSet::EMPTY,
        owner => ThreadSet::single(owner as usize - 1),
    }
}

/// The threads other than a blocked one.
struct Rivals<'a> {
    knowledge: &'a Knowledge,
    members: &'a [Member],
    blocked: &'a Member,
}

impl Rivals<'_> {
    fn all(&self) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        self.members.iter().for_each(|member| set.insert(member.number));
        set
    }

    /// Those that may do one of these to the object.
    fn that(&self, object: u32, kinds: &[Kind]) -> ThreadSet {
        self.filter(|later| {
            let operation = self.knowledge.operation(later);
            (operation.object == object || operation.other == object) && kinds.contains(&operation.kind)
        })
    }

    /// Those that may change a semaphore in the direction that the blocked one waits for.
    fn that_change_semaphores(&self) -> ThreadSet {
        let wanted = &self.blocked.operation;
        self.filter(|later| {
            let operation = self.knowledge.operation(later);
            matches!(operation.kind, Kind::SetOperate | Kind::SetTry)
                && operation.object == wanted.object
                && self.knowledge.semops(wanted).any(|wanted| {
                    self.knowledge.semops(operation).any(|change| {
                        let helps = if wanted.change == 0 { change.change < 0 } else { change.change > 0 };
                        wanted.index == change.index && helps
                    })
                })
        })
    }

    fn filter(&self, does: impl Fn(usize) -> bool) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        for member in self.members.iter().filter(|member| member.number != self.blocked.number) {
            if member.remaining.iter().any(|later| does(later.0)) {
                set.insert(member.number);
            }
        }
        set
    }
}
