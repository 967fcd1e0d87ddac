//! Every way in which a program can end, worked out without running it: all orders of all steps, each state once.
//!
//! This is a second opinion on what the operations mean, so it shares nothing with the explorer. POSIX and the manual pages
//! of Linux are its source. Where several threads could be woken, each of them may be; nobody wakes up without a reason.

use std::collections::{BTreeSet, HashMap};

use super::code::{Code, Operation, compile};
use super::files::Files;
use super::syntax::{Kind, MutexKind, Program};
use processes::Process;

/// How an execution ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// What the program prints at its end.
    Finished(String),
    /// The threads that wait for ever, and for which kind of operation. Thread 0 is the main one.
    Deadlock(Vec<(usize, String)>),
    Assertion,
}

/// All that the oracle knows about a program.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    pub ends: BTreeSet<End>,
    pub states: usize,
    /// Pairs of a state and a step from it.
    pub transitions: usize,
    /// Executions that a search without any reduction makes, and the steps of its tree.
    pub executions: f64,
    pub tree: f64,
}

/// `None` if there are more than `limit` states.
pub fn ask(program: &Program, limit: usize) -> Option<Knowledge> {
    let code = compile(program);
    let mut state = State::new(program, code.len());
    state.threads[0].phase = Phase::Ready;
    let search = Search::new(program, &code, limit);
    if program.kind == Kind::Groups {
        search.start_groups(&mut state);
    }
    search.run(state)
}

const BUSY: u32 = 16; // EBUSY
const DEADLOCK: u32 = 35; // EDEADLK
const NOT_OWNER: u32 = 1; // EPERM
const TIMED_OUT: u32 = 110; // ETIMEDOUT
/// What the printed programs record instead of a value if there is none.
pub const NOTHING: u32 = 999;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Phase {
    NotStarted,
    Ready,
    /// Waits for a signal.
    Queued,
    /// Has got one, wants the mutex.
    Signalled,
    Arrived,
    /// The barrier is complete.
    Released,
    /// The time is up, wants the mutex.
    Late,
    /// Was cancelled, wants the mutex before it ends.
    Cancelled,
    /// Is over, wherever it was.
    Dead,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    phase: Phase,
    pc: usize,
    record: u32,
    result: u32,
    /// Somebody cancelled it.
    cancelled: bool,
    /// `SIGUSR1` is pending for it.
    signalled: bool,
}

/// An owner, and how often it has the mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Mutex {
    owner: Option<usize>,
    count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Rwlock {
    readers: u32,
    writer: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Thread>,
    mutexes: Vec<Mutex>,
    spins: Vec<bool>,
    rwlocks: Vec<Rwlock>,
    semaphores: Vec<u32>,
    arrived: Vec<u32>,
    set: Vec<u32>,
    /// Class and value of each message, oldest first.
    queues: Vec<Vec<(u8, u8)>>,
    pipes: Vec<Vec<u8>>,
    files: Files,
    variables: Vec<u32>,
    failed: bool,
    processes: Vec<Process>,
}

impl State {
    fn new(program: &Program, n_threads: usize) -> State {
        let thread = Thread {
            phase: Phase::NotStarted,
            pc: 0,
            record: 0,
            result: 0,
            cancelled: false,
            signalled: false,
        };
        State {
            threads: vec![thread; n_threads],
            mutexes: vec![Mutex::default(); program.mutexes.len()],
            spins: vec![false; program.spins],
            rwlocks: vec![Rwlock::default(); program.rwlocks],
            semaphores: program.semaphores.clone(),
            arrived: vec![0; program.barriers.len()],
            set: program.set.clone(),
            queues: vec![vec![]; program.queues],
            pipes: vec![vec![]; program.pipes],
            files: Files::new(program.files),
            variables: vec![0; program.variables.len()],
            failed: false,
            processes: Process::all(program),
        }
    }

    /// What the printed program writes at its end.
    fn line(&self, program: &Program) -> String {
        let words = |numbers: &mut dyn Iterator<Item = u32>| {
            numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        };
        let mut line = format!(
            "{}|{}|{}",
            words(&mut self.variables.iter().copied()),
            words(&mut self.threads[1..].iter().map(|thread| thread.record)),
            words(&mut self.semaphores.iter().copied()),
        );
        if program.kind == Kind::Groups {
            line += &format!("|{} {}", self.threads[0].record, words(&mut self.set.iter().copied()));
        }
        if program.files > 0 {
            line += &format!("|{}", self.files.state());
        }
        line
    }
}

/// Executions and steps of the tree below a state.
type Size = (f64, f64);

struct Search<'a> {
    program: &'a Program,
    code: &'a [Vec<Code>],
    limit: usize,
    seen: HashMap<State, Size>,
    knowledge: Knowledge,
}

impl Search<'_> {
    fn new<'a>(program: &'a Program, code: &'a [Vec<Code>], limit: usize) -> Search<'a> {
        Search { program, code, limit, seen: HashMap::new(), knowledge: Knowledge::default() }
    }

    fn run(mut self, state: State) -> Option<Knowledge> {
        let (executions, tree) = self.visit(state)?;
        let states = self.seen.len();
        Some(Knowledge { states, executions, tree, ..self.knowledge })
    }

    /// No state comes back: every operation of a program is done once, and only a signal makes a wait begin anew.
    fn visit(&mut self, state: State) -> Option<Size> {
        if let Some(size) = self.seen.get(&state) {
            return Some(*size);
        }
        let mut size = (0.0, 0.0);
        let mut is_end = true;
        for thread in 0..state.threads.len() + state.processes.len() {
            let choices = if state.failed { 0 } else { self.choices(&state, thread) };
            for choice in 0..choices {
                let (executions, tree) = self.visit(self.step(&state, thread, choice))?;
                size = (size.0 + executions, size.1 + tree + 1.0);
                self.knowledge.transitions += 1;
                is_end = false;
            }
        }
        if is_end {
            self.knowledge.ends.insert(self.end(&state));
            size.0 = 1.0;
        }
        self.seen.insert(state, size);
        (self.seen.len() <= self.limit).then_some(size)
    }

    fn end(&self, state: &State) -> End {
        if state.failed {
            return End::Assertion;
        }
        // The explorer numbers the threads of groups as they come.
        let number = |thread| if self.program.kind == Kind::Groups { 0 } else { thread };
        let waiting = |thread: usize| Some((number(thread), kind(self.pending(state, thread)?).to_string()));
        let mut waiting: Vec<_> = (0..state.threads.len()).filter_map(waiting).collect();
        waiting.sort();
        if waiting.is_empty() { End::Finished(state.line(self.program)) } else { End::Deadlock(waiting) }
    }

    /// The operation that a thread will do next, if it is not at its end.
    fn pending(&self, state: &State, thread: usize) -> Option<&Operation> {
        if matches!(state.threads[thread].phase, Phase::NotStarted | Phase::Dead) {
            return None;
        }
        match self.code[thread].get(state.threads[thread].pc) {
            Some(Code::Visible(operation)) => Some(operation),
            Some(other) => unreachable!("a thread stops before a visible operation, not before {other:?}"),
            None => None,
        }
    }

    /// In how many ways a thread can make a step: 0 if it has to wait.
    fn choices(&self, state: &State, thread: usize) -> usize {
        use Operation::*;
        if let Some(process) = thread.checked_sub(state.threads.len()) {
            return usize::from(self.can_die(state, process));
        }
        let Some(operation) = self.pending(state, thread) else { return 0 };
        if self.is_cancelled(state, thread) {
            return 1;
        }
        let can = match operation {
            Toss { most } => return *most as usize + 1,
            Signal { condition } => return self.queued(state, *condition).len().max(1),
            Join { thread } => {
                state.threads[*thread].phase != Phase::NotStarted && self.pending(state, *thread).is_none()
            }
            Lock { mutex } => {
                let Mutex { owner, .. } = state.mutexes[*mutex];
                let own = owner == Some(thread) && self.program.mutexes[*mutex] != MutexKind::Normal;
                owner.is_none() || own
            }
            SpinLock { spin } => !state.spins[*spin],
            ReadLock { rwlock } => !state.rwlocks[*rwlock].writer,
            WriteLock { rwlock } => state.rwlocks[*rwlock] == Rwlock::default(),
            SemWait { semaphore } => state.semaphores[*semaphore] > 0,
            WaitAny => return self.zombies(state).len(),
            WaitProcess { process } => state.processes[*process].status.is_some(),
            CondTimedWait { .. } if state.threads[thread].phase == Phase::Queued => true,
            CondWait { mutex, .. } | CondTimedWait { mutex, .. } => match state.threads[thread].phase {
                Phase::Queued => false,
                Phase::Signalled | Phase::Late | Phase::Cancelled => state.mutexes[*mutex].owner.is_none(),
                _ => true,
            },
            Barrier { .. } | BarrierLast { .. } => state.threads[thread].phase != Phase::Arrived,
            Semop { changes, attempt } => *attempt || changed(&state.set, changes).is_some(),
            Receive { queue, selector, attempt } => {
                *attempt || selected(&state.queues[*queue], *selector).is_some()
            }
            PipeRead { pipe } => self.can_read(state, thread, *pipe),
            SemopUndo { number, change } => changed(&state.set, &[(*number, *change)]).is_some(),
            SignalWait { attempt } => *attempt || self.has_signal(state, thread),
            Pause => state.threads[thread].signalled,
            Create { .. } | TryLock { .. } | Unlock { .. } | SpinUnlock { .. } | TryReadLock { .. } => true,
            TryWriteLock { .. } | RwUnlock { .. } | SemTryWait { .. } | SemPost { .. } => true,
            Leave
            | Exit { .. }
            | Destroy { .. }
            | Kill { .. }
            | KillThread { .. }
            | Cancel { .. }
            | TestCancel => true,
            TimedLock { .. } | SemTimedWait { .. } | PipeClose { .. } => true,
            SemGetValue { .. } | Broadcast { .. } | Send { .. } | PipeWrite { .. } | Announce { .. } => true,
            File(_) => true,
        };
        usize::from(can)
    }

    /// The threads that wait for a signal of this condition.
    fn queued(&self, state: &State, condition: usize) -> Vec<usize> {
        let waits = |thread: &usize| {
            state.threads[*thread].phase == Phase::Queued
                && matches!(self.pending(state, *thread),
                    Some(Operation::CondWait { condition: other, .. } | Operation::CondTimedWait { condition: other, .. })
                        if *other == condition)
        };
        (0..state.threads.len()).filter(waits).collect()
    }

    fn step(&self, before: &State, thread: usize, choice: usize) -> State {
        let mut state = before.clone();
        if let Some(process) = thread.checked_sub(state.threads.len()) {
            self.die(&mut state, process);
            return state;
        }
        if self.is_cancelled(before, thread) {
            self.end_cancelled(&mut state, thread);
            return state;
        }
        let operation = self.pending(before, thread).expect("the thread can make a step");
        if let Some(result) = self.perform(&mut state, thread, operation, choice) {
            state.threads[thread].result = result;
            state.threads[thread].pc += 1;
            self.go_on(&mut state, thread);
        }
        state
    }

    /// Does an operation. `None` if the thread is not through with it.
    fn perform(&self, state: &mut State, thread: usize, operation: &Operation, choice: usize) -> Option<u32> {
        use Operation::*;
        match operation {
            Create { thread } => {
                state.threads[*thread].phase = Phase::Ready;
                self.go_on(state, *thread);
            }
            Lock { mutex } => return Some(self.lock(state, thread, *mutex)),
            TryLock { mutex } => return Some(self.try_lock(state, thread, *mutex)),
            Unlock { mutex } => return Some(unlock(&mut state.mutexes[*mutex], thread)),
            SpinLock { spin } => state.spins[*spin] = true,
            SpinUnlock { spin } => state.spins[*spin] = false,
            ReadLock { rwlock } => state.rwlocks[*rwlock].readers += 1,
            TryReadLock { rwlock } if state.rwlocks[*rwlock].writer => return Some(BUSY),
            TryReadLock { rwlock } => state.rwlocks[*rwlock].readers += 1,
            TryWriteLock { rwlock } if state.rwlocks[*rwlock] != Rwlock::default() => return Some(BUSY),
            WriteLock { rwlock } | TryWriteLock { rwlock } => state.rwlocks[*rwlock].writer = true,
            RwUnlock { rwlock } => {
                let rwlock = &mut state.rwlocks[*rwlock];
                if rwlock.writer { rwlock.writer = false } else { rwlock.readers -= 1 }
            }
            SemTryWait { semaphore } if state.semaphores[*semaphore] == 0 => return Some(NOTHING),
            SemWait { semaphore } | SemTryWait { semaphore } => state.semaphores[*semaphore] -= 1,
            SemPost { semaphore } => state.semaphores[*semaphore] += 1,
            SemGetValue { semaphore } => return Some(state.semaphores[*semaphore]),
            CondTimedWait { .. } if state.threads[thread].phase == Phase::Queued => {
                state.threads[thread].phase = Phase::Late;
                return None;
            }
            CondWait { mutex, .. } | CondTimedWait { mutex, .. } => return self.wait(state, thread, *mutex),
            Signal { condition } => {
                if let Some(woken) = self.queued(state, *condition).get(choice) {
                    state.threads[*woken].phase = Phase::Signalled;
                }
            }
            Broadcast { condition } => {
                for woken in self.queued(state, *condition) {
                    state.threads[woken].phase = Phase::Signalled;
                }
            }
            Barrier { barrier } | BarrierLast { barrier } => return self.arrive(state, thread, *barrier),
            Semop { changes, .. } => match changed(&state.set, changes) {
                Some(set) => state.set = set,
                None => return Some(NOTHING),
            },
            Send { queue, class, value } => state.queues[*queue].push((*class, *value)),
            Receive { queue, selector, .. } => {
                let Some(place) = selected(&state.queues[*queue], *selector) else { return Some(NOTHING) };
                let (class, value) = state.queues[*queue].remove(place);
                return Some(u32::from(class) * 100 + u32::from(value));
            }
            PipeWrite { pipe, .. } if !self.can_write(state, thread, *pipe) => return Some(NOTHING),
            PipeWrite { pipe, value } => state.pipes[*pipe].push(*value),
            File(action) => return Some(state.files.perform(*action)),
            PipeRead { pipe } => return Some(self.read(state, thread, *pipe)),
            TimedLock { mutex } => {
                let result = self.try_lock(state, thread, *mutex);
                return Some(if result == BUSY { TIMED_OUT } else { result });
            }
            SemTimedWait { semaphore } if state.semaphores[*semaphore] == 0 => return Some(NOTHING),
            SemTimedWait { semaphore } => state.semaphores[*semaphore] -= 1,
            Exit { .. }
            | WaitProcess { .. }
            | WaitAny
            | Destroy { .. }
            | Kill { .. }
            | KillThread { .. }
            | SignalWait { .. }
            | Pause
            | Cancel { .. }
            | TestCancel
            | PipeClose { .. }
            | SemopUndo { .. } => {
                return self.perform_in_group(state, thread, operation, choice);
            }
            Toss { .. } => return Some(choice as u32),
            Join { .. } | Announce { .. } | Leave => {}
        }
        Some(0)
    }

    fn lock(&self, state: &mut State, thread: usize, mutex: usize) -> u32 {
        let kind = self.program.mutexes[mutex];
        let mutex = &mut state.mutexes[mutex];
        if mutex.owner == Some(thread) && kind == MutexKind::ErrorCheck {
            return DEADLOCK;
        }
        mutex.owner = Some(thread);
        mutex.count += 1;
        0
    }

    fn try_lock(&self, state: &mut State, thread: usize, mutex: usize) -> u32 {
        let again = self.program.mutexes[mutex] == MutexKind::Recursive;
        match state.mutexes[mutex].owner {
            None => self.lock(state, thread, mutex),
            Some(owner) if owner == thread && again => self.lock(state, thread, mutex),
            Some(_) => BUSY,
        }
    }

    /// The two steps of a wait: give the mutex away, take it again.
    fn wait(&self, state: &mut State, thread: usize, mutex: usize) -> Option<u32> {
        let phase = state.threads[thread].phase;
        if phase == Phase::Cancelled {
            self.lock(state, thread, mutex);
            state.threads[thread].phase = Phase::Ready;
            self.end_cancelled(state, thread);
            return None;
        }
        if matches!(phase, Phase::Signalled | Phase::Late) {
            state.threads[thread].phase = Phase::Ready;
            self.lock(state, thread, mutex);
            return Some(if phase == Phase::Late { TIMED_OUT } else { 0 });
        }
        unlock(&mut state.mutexes[mutex], thread);
        state.threads[thread].phase = Phase::Queued;
        None
    }

    /// The two steps at a barrier; the last one to arrive goes through at once.
    fn arrive(&self, state: &mut State, thread: usize, barrier: usize) -> Option<u32> {
        if state.threads[thread].phase == Phase::Released {
            state.threads[thread].phase = Phase::Ready;
            return Some(0);
        }
        state.arrived[barrier] += 1;
        if state.arrived[barrier] < self.program.barriers[barrier] {
            state.threads[thread].phase = Phase::Arrived;
            return None;
        }
        state.arrived[barrier] = 0;
        for other in 0..state.threads.len() {
            let here = matches!(self.pending(state, other),
                Some(Operation::Barrier { barrier: there } | Operation::BarrierLast { barrier: there }) if *there == barrier);
            if here && state.threads[other].phase == Phase::Arrived {
                state.threads[other].phase = Phase::Released;
            }
        }
        Some(1)
    }

    /// Runs a thread up to its next visible operation.
    fn go_on(&self, state: &mut State, number: usize) {
        loop {
            let thread = &mut state.threads[number];
            let pc = thread.pc;
            thread.pc += 1;
            match self.code[number].get(pc) {
                None | Some(Code::Visible(_)) => {
                    thread.pc = pc;
                    self.end_process_of(state, number);
                    return;
                }
                Some(Code::Record) => thread.record = recorded(thread.record, thread.result),
                Some(Code::Update { variable, addend }) => {
                    let value = &mut state.variables[*variable];
                    *value = value.wrapping_mul(3).wrapping_add(*addend);
                }
                Some(Code::Observe { variable }) => {
                    thread.record = recorded(thread.record, state.variables[*variable]);
                }
                Some(Code::Assert { value }) => state.failed |= thread.record % 5 == *value,
                Some(Code::Jump(to)) => thread.pc = *to,
                Some(Code::JumpIfFailed(to)) => {
                    if thread.result != 0 {
                        thread.pc = *to;
                    }
                }
                Some(Code::JumpUnless { variable, parity, to }) => {
                    if state.variables[*variable] % 2 != *parity {
                        thread.pc = *to;
                    }
                }
                Some(Code::Select(places)) => thread.pc = places[thread.result as usize],
            }
        }
    }
}

fn recorded(record: u32, value: u32) -> u32 {
    record.wrapping_mul(31).wrapping_add(value).wrapping_add(1)
}

fn unlock(mutex: &mut Mutex, thread: usize) -> u32 {
    if mutex.owner != Some(thread) {
        return NOT_OWNER;
    }
    mutex.count -= 1;
    if mutex.count == 0 {
        mutex.owner = None;
    }
    0
}

/// The set after an operation on it, if it can be done: all changes or none.
fn changed(set: &[u32], changes: &[(usize, i16)]) -> Option<Vec<u32>> {
    let mut set = set.to_vec();
    for (number, change) in changes {
        if *change == 0 && set[*number] != 0 {
            return None;
        }
        set[*number] = set[*number].checked_add_signed(i32::from(*change))?;
    }
    Some(set)
}

/// Which message `msgrcv` takes: the first one, the first one of a class, or the first one of the lowest class up to a
/// limit.
fn selected(queue: &[(u8, u8)], selector: i8) -> Option<usize> {
    let of_class = |class: u8| queue.iter().position(|message| message.0 == class);
    match selector {
        0 => (!queue.is_empty()).then_some(0),
        1.. => of_class(selector.unsigned_abs()),
        _ => {
            let limit = selector.unsigned_abs();
            of_class(queue.iter().map(|message| message.0).filter(|class| *class <= limit).min()?)
        }
    }
}

/// The kind of object that an operation waits for.
fn kind(operation: &Operation) -> &'static str {
    use Operation::*;
    match operation {
        Join { .. } => "join",
        Lock { .. } | SpinLock { .. } => "mutex",
        ReadLock { .. } | WriteLock { .. } => "rwlock",
        SemWait { .. } => "semaphore",
        CondWait { .. } | CondTimedWait { .. } => "condition",
        Barrier { .. } | BarrierLast { .. } => "barrier",
        Semop { .. } | SemopUndo { .. } => "set",
        WaitProcess { .. } | WaitAny => "join",
        SignalWait { .. } | Pause => "signal",
        Receive { .. } | PipeRead { .. } => "queue",
        other => unreachable!("nobody waits in {other:?}"),
    }
}

mod processes;
#[cfg(test)]
mod tests;
