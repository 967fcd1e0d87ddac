//! What threads were seen to do, over all executions.
//!
//! Threads, processes and objects get numbers that mean the same under every schedule. A thread is the n-th that its creator made. An object is known by its address if it was
//! there before the second thread was, or is a variable of the program; where its place may depend on the schedule, all objects of its
//! kind are taken for one. That can only make more operations look dependent.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{
    FILE_USES, Kind, NAMES, Operation, Region, SHARED, SemOp, ThreadSet, dependent, limits, state,
};

use crate::question::pending;

/// An object under every schedule: kind, whose memory, where.
type ObjectKey = (u8, u32, u64);

/// An operation without what differs from one time to the next: kind, objects, argument, changes of semaphores.
type OperationKey = (u8, u32, u32, u64, u32, u32);

/// What was learned.
#[derive(Default)]
pub struct Knowledge {
    objects: HashMap<ObjectKey, u32>,
    /// Creator and number among its children; the first thread is its own creator.
    threads: HashMap<(usize, u32), usize>,
    /// The threads that a thread was seen to make, with their number.
    children: Vec<Vec<(u32, usize)>>,
    process_of: Vec<u32>,
    lists: HashMap<Vec<(u32, i32)>, u32>,
    semops: Vec<SemOp>,
    operations: HashMap<OperationKey, usize>,
    known: Vec<Operation>,
    /// For each thread and operation, how many visible operations the thread had made at most when it was about to do this.
    last: Vec<HashMap<usize, usize>>,
    /// How many facts there are.
    n_facts: u64,
}

/// A thread of the current execution.
#[derive(Clone, Debug)]
pub struct Member {
    pub number: usize,
    /// Its pending operation, in general terms.
    pub operation: Operation,
    /// The same thread under every schedule.
    pub thread: usize,
    /// What it, and those it may still make, may do from now on: operation and thread.
    pub remaining: Vec<(usize, usize)>,
}

impl Knowledge {
    pub fn n_facts(&self) -> u64 {
        self.n_facts
    }

    /// Learns what every thread is about to do, and tells what they may do from now on. `counts` are the visible operations each has made.
    pub fn members(&mut self, region: &Region, counts: &[usize; limits::THREADS]) -> Vec<Member> {
        let threads = self.identify(region);
        let mut members = Vec::new();
        for pending in pending(region) {
            let thread = threads[pending.thread];
            let operation = self.general(region, &threads, &pending.operation);
            let kind = pending.operation.kind;
            let is_silent = matches!(kind, Kind::Start | Kind::Spawned)
                || matches!(kind, Kind::Join | Kind::WaitProcess)
                    && region.header.exits_are_visible.load(Relaxed) == 0;
            if !is_silent {
                self.learn(thread, operation, counts[pending.thread]);
            }
            members.push(Member { number: pending.thread, operation, thread, remaining: Vec::new() });
        }
        for member in &mut members {
            let n_created = region.threads[member.number].n_created.load(Relaxed);
            self.collect(member.thread, counts[member.number], n_created, &mut member.remaining);
        }
        members
    }

    /// Could these be in the way of each other? Both operations are in general terms.
    pub fn are_dependent(&self, first: (&Operation, usize), second: (usize, usize)) -> bool {
        let second = (&self.known[second.0], second.1);
        dependent(first, second, &|at| self.semop(at), &|thread| self.process_of[thread])
    }

    pub fn operation(&self, number: usize) -> &Operation {
        &self.known[number]
    }

    pub fn semops(&self, operation: &Operation) -> impl Iterator<Item = SemOp> {
        (operation.list..operation.list + operation.length).map(|at| self.semop(at))
    }

    fn semop(&self, at: u32) -> SemOp {
        self.semops[at as usize]
    }

    fn learn(&mut self, thread: usize, operation: Operation, count: usize) {
        let key = (
            operation.kind as u8,
            operation.object,
            operation.other,
            operation.argument,
            operation.list,
            operation.length,
        );
        let number = *self.operations.entry(key).or_insert(self.known.len());
        if number == self.known.len() {
            self.known.push(operation);
        }
        match self.last[thread].get_mut(&number) {
            Some(last) if *last >= count => return,
            Some(last) => *last = count,
            None => {
                self.last[thread].insert(number, count);
            }
        }
        self.n_facts += 1;
    }

    /// What a thread may do after `count` visible operations, and those it makes after `n_created` others.
    fn collect(&self, thread: usize, count: usize, n_created: u32, into: &mut Vec<(usize, usize)>) {
        let later = self.last[thread].iter().filter(|(_, last)| **last >= count);
        into.extend(later.map(|(operation, _)| (*operation, thread)));
        for (birth, child) in &self.children[thread] {
            if *birth >= n_created {
                self.collect(*child, 0, 0, into);
            }
        }
    }

    /// The general number of each thread of this execution.
    fn identify(&mut self, region: &Region) -> Vec<usize> {
        let count = (region.header.n_threads.load(Relaxed) as usize).min(limits::THREADS);
        let mut numbers: Vec<usize> = Vec::new();
        let mut processes: HashMap<u32, u32> = HashMap::new();
        for (index, slot) in region.threads[..count].iter().enumerate() {
            let creator = numbers.get(slot.creator.load(Relaxed) as usize).copied().unwrap_or(0);
            let birth = if index == 0 { u32::MAX } else { slot.birth.load(Relaxed) };
            let next = self.threads.len();
            let number = *self.threads.entry((creator, birth)).or_insert(next);
            if number == next {
                self.children.push(Vec::new());
                self.last.push(HashMap::new());
                self.process_of.push(0);
                if index > 0 {
                    self.children[creator].push((birth, number));
                }
            }
            self.process_of[number] = *processes.entry(slot.process.load(Relaxed)).or_insert(number as u32);
            numbers.push(number);
        }
        numbers
    }

    /// The operation with numbers that mean the same under every schedule.
    fn general(&mut self, region: &Region, threads: &[usize], operation: &Operation) -> Operation {
        let process = |number: u64| general_process(region, threads, number as u32);
        let receiver = operation.receiver().map(|receiver| process(u64::from(receiver)) as usize);
        let thread = |number: u64| threads.get(number as usize).map_or(u64::MAX, |thread| *thread as u64);
        let target = match operation.kind {
            Kind::Cancel | Kind::Deliver => thread(u64::from(operation.target) - 1) as u32 + 1,
            _ => 0,
        };
        let argument = match operation.kind {
            Kind::Kill => Operation::signals(receiver, operation.argument as u32 as usize),
            Kind::ProcessExit => {
                Operation::signals(receiver, process(u64::from(operation.argument as u32)) as usize)
            }
            Kind::Cancel | Kind::Deliver => u64::from(target),
            Kind::Join | Kind::PollThread | Kind::Detach | Kind::JoinBegins => thread(operation.argument),
            Kind::Spawned | Kind::WaitProcess => u64::from(process(operation.argument)),
            Kind::WaitAny | Kind::PollAny | Kind::BarrierLeave => 0,
            _ => operation.argument,
        };
        let other = if operation.kind == Kind::PollAny { 0 } else { operation.other };
        let list: Vec<(u32, i32)> = (operation.list..operation.list + operation.length)
            .map(|at| region.semop(at))
            .map(|semop| (self.named(region, threads, operation, semop.index), semop.change))
            .collect();
        Operation {
            kind: operation.kind,
            object: self.object(region, threads, operation.object),
            other: self.object(region, threads, other),
            argument,
            list: self.list(list),
            length: operation.length,
            target,
            ..Operation::default()
        }
    }

    /// An entry of the list of an operation: the number of a semaphore, or an object.
    fn named(&mut self, region: &Region, threads: &[usize], operation: &Operation, index: u32) -> u32 {
        if operation.lists_objects() { self.object(region, threads, index) } else { index }
    }

    fn list(&mut self, list: Vec<(u32, i32)>) -> u32 {
        if let Some(start) = self.lists.get(&list) {
            return *start;
        }
        let start = self.semops.len() as u32;
        self.semops.extend(list.iter().map(|(index, change)| SemOp { index: *index, change: *change }));
        self.lists.insert(list, start);
        start
    }

    fn object(&mut self, region: &Region, threads: &[usize], number: u32) -> u32 {
        if number == 0 {
            return 0;
        }
        let next = self.objects.len() as u32 + 1;
        *self.objects.entry(object_key(region, threads, number)).or_insert(next)
    }
}

/// The general number of the first thread of a process.
fn general_process(region: &Region, threads: &[usize], process: u32) -> u32 {
    let first = (0..threads.len()).find(|thread| region.process_of(*thread) == process);
    first.map_or(u32::MAX, |first| threads[first] as u32)
}

fn object_key(region: &Region, threads: &[usize], number: u32) -> ObjectKey {
    const ANYWHERE: u64 = u64::MAX;
    let (object, header) = (&region.objects[number as usize], &region.header);
    let (space, address) = (object.space.load(Relaxed), object.address.load(Relaxed));
    let kind = object.kind.load(Relaxed);
    if space >= SHARED {
        // The number of the mapping is another one each time; the place in it is not.
        return (kind, SHARED, address);
    }
    if space == FILE_USES {
        return (kind, space, u64::from(object.list.load(Relaxed)));
    }
    let is_private = (1..=limits::PROCESSES as u32).contains(&space);
    let variables = header.variables_start.load(Relaxed)..header.variables_end.load(Relaxed);
    let is_fixed = space == NAMES
        || number <= header.n_early_objects.load(Relaxed)
        || is_private && variables.contains(&address);
    let space = if is_private { general_process(region, threads, space - 1) } else { space };
    (kind, space, if is_fixed { address } else { ANYWHERE })
}

/// The threads of a process that are not over.
pub fn threads_of(region: &Region, process: u32) -> ThreadSet {
    let mut set = ThreadSet::EMPTY;
    for (number, slot) in region.threads.iter().enumerate() {
        if slot.state.load(Relaxed) == state::PENDING && slot.process.load(Relaxed) == process {
            set.insert(number);
        }
    }
    set
}
