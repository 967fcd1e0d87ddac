//! The programs: what they consist of, and which of them have a meaning.

use std::cmp::Ordering;

use super::files::Action;

/// A program. Objects are numbered from 0 in each list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub kind: Kind,
    pub mutexes: Vec<MutexKind>,
    pub spins: usize,
    pub rwlocks: usize,
    /// The mutex of each condition variable, always a normal one.
    pub conditions: Vec<usize>,
    /// The initial value of each POSIX semaphore.
    pub semaphores: Vec<u32>,
    /// How many threads each barrier waits for.
    pub barriers: Vec<u32>,
    /// The initial values of the semaphores of the one System V set.
    pub set: Vec<u32>,
    pub queues: usize,
    pub pipes: usize,
    /// Open files that all share; 0 if there are no operations on files.
    pub files: usize,
    pub variables: Vec<Protection>,
    /// What each thread or process does, besides the main one, which starts them and waits for them.
    pub threads: Vec<Vec<Statement>>,
    /// For [`Kind::Groups`] only.
    pub groups: Groups,
}

/// Which threads are together in a process, and what the main process does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Groups {
    /// The process of each thread, ascending. The first thread of a process makes the others.
    pub process_of: Vec<usize>,
    /// What the first thread of each process does at last.
    pub endings: Vec<Ending>,
    /// What the main process does before it waits for the others; it has one thread.
    pub main: Vec<Statement>,
    /// Does it wait for any child, and not for one after the other?
    pub waits_for_any: bool,
    /// What becomes of `SIGUSR1`.
    pub signals: Signals,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Waits for the other threads, then ends the process.
    Join,
    /// Ends the process.
    Exit,
    /// Ends itself only; the process ends with the last thread.
    Leave,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Signals {
    /// Blocked everywhere.
    #[default]
    Blocked,
    /// Adds to the record of the thread that gets it; what waits is interrupted, or goes on if `restart`.
    Handled { restart: bool },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Threads,
    /// Processes made by fork; whatever they share is in shared memory.
    Processes,
    /// Processes that have threads, and that may end while these are under way.
    Groups,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MutexKind {
    Normal,
    Recursive,
    ErrorCheck,
}

/// What makes the accesses to a variable follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protection {
    /// A normal mutex.
    Mutex(usize),
    Rwlock(usize),
    /// Each access is announced.
    Visible,
}

/// Each thread keeps a record of what it has seen; statements with a result add it to the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    Locked {
        mutex: usize,
        body: Vec<Statement>,
    },
    /// The body runs only if the mutex was free, which is recorded.
    TryLocked {
        mutex: usize,
        body: Vec<Statement>,
    },
    /// Not of a normal mutex. The result is recorded.
    Lock {
        mutex: usize,
    },
    /// Not of a normal mutex. The result is recorded.
    Unlock {
        mutex: usize,
    },
    SpinLocked {
        spin: usize,
        body: Vec<Statement>,
    },
    ReadLocked {
        rwlock: usize,
        attempt: bool,
        body: Vec<Statement>,
    },
    WriteLocked {
        rwlock: usize,
        attempt: bool,
        body: Vec<Statement>,
    },
    SemWait {
        semaphore: usize,
    },
    SemPost {
        semaphore: usize,
    },
    SemTryWait {
        semaphore: usize,
    },
    SemGetValue {
        semaphore: usize,
    },
    /// Inside `Locked` of the condition's mutex.
    Wait {
        condition: usize,
        guard: Option<Guard>,
    },
    Signal {
        condition: usize,
    },
    Broadcast {
        condition: usize,
    },
    Barrier {
        barrier: usize,
    },
    /// One operation on several semaphores of the set, with different numbers.
    Semop {
        changes: Vec<(usize, i16)>,
        attempt: bool,
    },
    Send {
        queue: usize,
        class: u8,
        value: u8,
    },
    Receive {
        queue: usize,
        selector: i8,
        attempt: bool,
    },
    PipeWrite {
        pipe: usize,
        value: u8,
    },
    PipeRead {
        pipe: usize,
    },
    /// The result is recorded.
    File(Action),
    /// `variable = variable * 3 + addend`.
    Update {
        variable: usize,
        addend: u32,
    },
    Observe {
        variable: usize,
    },
    /// One body for each result.
    Toss {
        bodies: Vec<Vec<Statement>>,
    },
    /// Violated if the record, modulo 5, is `value`.
    Assert {
        value: u32,
    },
    // From here on, only in groups.
    /// A barrier, with a record of who was the last one.
    BarrierLast {
        barrier: usize,
    },
    /// Ends the process of the thread.
    Exit {
        code: u8,
    },
    /// `SIGKILL` for another process.
    Destroy {
        process: usize,
    },
    /// `SIGUSR1` for a process.
    Kill {
        process: usize,
    },
    /// `SIGUSR1` for a thread of the same process, see [`Program::can_name`].
    KillThread {
        thread: usize,
    },
    /// Waits for `SIGUSR1`, or takes it if it is there.
    SignalWait {
        attempt: bool,
    },
    Pause,
    Cancel {
        thread: usize,
    },
    TestCancel,
    /// With a time limit, as are the next two. What became of it is recorded.
    SemTimedWait {
        semaphore: usize,
    },
    TimedLocked {
        mutex: usize,
        body: Vec<Statement>,
    },
    TimedWait {
        condition: usize,
    },
    /// Closes an end of a pipe for the process, which has one thread.
    PipeClose {
        pipe: usize,
        writes: bool,
    },
    /// An operation on one semaphore of the set that is undone when the process ends.
    SemopUndo {
        number: usize,
        change: i16,
    },
}

/// Wait only if the variable is even (`parity` 0) or odd, asked once or again after each wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    pub variable: usize,
    pub parity: u32,
    pub again: bool,
}

impl Statement {
    pub fn bodies(&self) -> Vec<&Vec<Statement>> {
        use Statement::*;
        match self {
            Locked { body, .. }
            | TryLocked { body, .. }
            | TimedLocked { body, .. }
            | SpinLocked { body, .. }
            | ReadLocked { body, .. }
            | WriteLocked { body, .. } => vec![body],
            Toss { bodies } => bodies.iter().collect(),
            _ => vec![],
        }
    }

    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        use Statement::*;
        match self {
            Locked { body, .. }
            | TryLocked { body, .. }
            | TimedLocked { body, .. }
            | SpinLocked { body, .. }
            | ReadLocked { body, .. }
            | WriteLocked { body, .. } => vec![body],
            Toss { bodies } => bodies.iter_mut().collect(),
            _ => vec![],
        }
    }
}

/// The locks that a thread surely holds.
#[derive(Clone, Default)]
struct Held {
    mutexes: Vec<usize>,
    read: Vec<usize>,
    written: Vec<usize>,
}

impl Program {
    /// A program without anything.
    pub fn new(kind: Kind) -> Program {
        Program {
            kind,
            mutexes: vec![],
            spins: 0,
            rwlocks: 0,
            conditions: vec![],
            semaphores: vec![],
            barriers: vec![],
            set: vec![],
            queues: 0,
            pipes: 0,
            files: 0,
            variables: vec![],
            threads: vec![],
            groups: Groups::default(),
        }
    }

    /// Whether the program means one thing: every object exists; accesses to variables are protected; a condition is waited
    /// for under its mutex, taken once; no lock is misused in a way that POSIX leaves open.
    pub fn is_well_formed(&self) -> bool {
        let conditions =
            self.conditions.iter().all(|mutex| self.mutexes.get(*mutex) == Some(&MutexKind::Normal));
        let variables = self.variables.iter().all(|protection| match protection {
            Protection::Mutex(mutex) => self.mutexes.get(*mutex) == Some(&MutexKind::Normal),
            Protection::Rwlock(rwlock) => *rwlock < self.rwlocks,
            Protection::Visible => true,
        });
        let barriers = self.barriers.iter().all(|count| *count > 0);
        conditions
            && variables
            && barriers
            && self.groups_fit()
            && self.threads.iter().all(|body| self.all_fine(body, &Held::default()))
            && self.all_fine(&self.groups.main, &Held::default())
    }

    /// Each thread may do what it does in its process.
    fn groups_fit(&self) -> bool {
        if self.kind != Kind::Groups {
            let groups = Groups { signals: self.groups.signals, ..Groups::default() };
            return self.groups == groups
                && self.threads.iter().flatten().all(|statement| !has_groups(statement));
        }
        let processes = &self.groups.process_of;
        let is_last = |process: &usize| *process < self.groups.endings.len();
        processes.len() == self.threads.len()
            && processes.is_sorted()
            && processes.iter().all(is_last)
            && self.threads.iter().enumerate().all(|(thread, body)| self.can_do(Some(thread), body))
            && self.can_do(None, &self.groups.main)
    }

    /// May a thread, or the main process, do this?
    fn can_do(&self, thread: Option<usize>, body: &[Statement]) -> bool {
        use Statement::*;
        let process_of = &self.groups.process_of;
        let own = thread.map(|thread| process_of[thread]);
        let is_alone = |process: usize| process_of.iter().filter(|other| **other == process).count() == 1;
        let is_blocked = self.groups.signals == Signals::Blocked;
        body.iter().all(|statement| {
            let fits = match statement {
                Exit { .. } => own.is_some(),
                // The number of a process is known to those that are forked later.
                Destroy { process } => own.is_none_or(|own| *process < own),
                Kill { process } => own.is_none_or(|own| *process <= own),
                KillThread { thread: other } | Cancel { thread: other } => {
                    thread.is_some_and(|thread| self.can_name(thread, *other))
                }
                SignalWait { .. } => own.is_some() && is_blocked,
                Pause => own.is_some() && !is_blocked,
                PipeClose { .. } => own.is_some_and(is_alone),
                TestCancel | SemopUndo { .. } => own.is_some(),
                PipeWrite { .. } | PipeRead { .. } => own.is_some(),
                _ => true,
            };
            let exists = match statement {
                Destroy { process } | Kill { process } => process_of.contains(process),
                _ => true,
            };
            fits && exists && statement.bodies().into_iter().all(|body| self.can_do(thread, body))
        })
    }

    /// Does a thread know another one of its process, which surely was not joined? The first one knows all, all know the first one.
    pub fn can_name(&self, thread: usize, other: usize) -> bool {
        let process_of = &self.groups.process_of;
        let is_first = |thread: usize| thread == 0 || process_of[thread - 1] != process_of[thread];
        other < process_of.len()
            && other != thread
            && process_of[other] == process_of[thread]
            && (is_first(thread) || is_first(other))
    }

    /// Adapts the numbers in statements after a thread was removed; those about the removed one are about a thread that does not exist.
    pub fn renumber(&mut self, removed: usize) {
        fn all(body: &mut [Statement], removed: usize) {
            for statement in body {
                if let Statement::KillThread { thread } | Statement::Cancel { thread } = statement {
                    match (*thread).cmp(&removed) {
                        Ordering::Less => {}
                        Ordering::Equal => *thread = usize::MAX,
                        Ordering::Greater => *thread -= 1,
                    }
                }
                statement.bodies_mut().into_iter().for_each(|body| all(body, removed));
            }
        }
        self.threads.iter_mut().for_each(|body| all(body, removed));
    }

    /// Does the oracle know all about it? Where functions for signals are called it has only an idea of how much there is to search.
    pub fn is_exact(&self) -> bool {
        self.groups.signals == Signals::Blocked
    }

    fn all_fine(&self, body: &[Statement], held: &Held) -> bool {
        body.iter().all(|statement| self.is_fine(statement, held))
    }

    fn is_fine(&self, statement: &Statement, held: &Held) -> bool {
        use Statement::*;
        let inside = |body: &[Statement], change: &dyn Fn(&mut Held)| {
            let mut held = held.clone();
            change(&mut held);
            self.all_fine(body, &held)
        };
        let unlocked = |rwlock: &usize| {
            *rwlock < self.rwlocks && !held.read.contains(rwlock) && !held.written.contains(rwlock)
        };
        let is_not_normal =
            |mutex: &usize| self.mutexes.get(*mutex).is_some_and(|kind| *kind != MutexKind::Normal);
        match statement {
            Locked { mutex, body } | TryLocked { mutex, body } | TimedLocked { mutex, body } => {
                *mutex < self.mutexes.len() && inside(body, &|held| held.mutexes.push(*mutex))
            }
            Lock { mutex } | Unlock { mutex } => is_not_normal(mutex),
            SpinLocked { spin, body } => *spin < self.spins && self.all_fine(body, held) && !spins(body),
            ReadLocked { rwlock, body, .. } => {
                unlocked(rwlock) && inside(body, &|held| held.read.push(*rwlock))
            }
            WriteLocked { rwlock, body, .. } => {
                unlocked(rwlock) && inside(body, &|held| held.written.push(*rwlock))
            }
            SemWait { semaphore }
            | SemPost { semaphore }
            | SemTryWait { semaphore }
            | SemGetValue { semaphore }
            | SemTimedWait { semaphore } => *semaphore < self.semaphores.len(),
            Wait { condition, guard } => {
                let Some(mutex) = self.conditions.get(*condition) else { return false };
                let times = held.mutexes.iter().filter(|held| *held == mutex).count();
                let readable = guard.is_none_or(|guard| self.can_use(guard.variable, held, false))
                    && guard.is_none_or(|guard| self.variables[guard.variable] != Protection::Visible);
                times == 1 && readable
            }
            Signal { condition } | Broadcast { condition } => *condition < self.conditions.len(),
            TimedWait { condition } => self.is_fine(&Wait { condition: *condition, guard: None }, held),
            SemopUndo { number, change } => *number < self.set.len() && *change != 0,
            Exit { .. } | Destroy { .. } | Kill { .. } | KillThread { .. } | Cancel { .. } => true,
            SignalWait { .. } | Pause | TestCancel => true,
            Barrier { barrier } | BarrierLast { barrier } => *barrier < self.barriers.len(),
            Semop { changes, .. } => {
                let mut numbers: Vec<usize> = changes.iter().map(|(number, _)| *number).collect();
                numbers.sort_unstable();
                numbers.dedup();
                !changes.is_empty()
                    && numbers.len() == changes.len()
                    && numbers.iter().all(|number| *number < self.set.len())
            }
            Send { queue, class, .. } => *queue < self.queues && *class > 0,
            Receive { queue, .. } => *queue < self.queues,
            PipeWrite { pipe, .. } | PipeRead { pipe } | PipeClose { pipe, .. } => *pipe < self.pipes,
            File(action) => self.files > 0 && action.is_fine(self.files),
            Update { variable, .. } => self.can_use(*variable, held, true),
            Observe { variable } => self.can_use(*variable, held, false),
            Toss { bodies } => bodies.len() > 1 && bodies.iter().all(|body| self.all_fine(body, held)),
            Assert { .. } => true,
        }
    }

    fn can_use(&self, variable: usize, held: &Held, write: bool) -> bool {
        match self.variables.get(variable) {
            None => false,
            Some(Protection::Mutex(mutex)) => held.mutexes.contains(mutex),
            Some(Protection::Rwlock(rwlock)) => {
                held.written.contains(rwlock) || !write && held.read.contains(rwlock)
            }
            Some(Protection::Visible) => true,
        }
    }

    /// How many statements there are.
    pub fn len(&self) -> usize {
        self.threads.iter().chain([&self.groups.main]).map(|body| count(body)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

pub fn count(body: &[Statement]) -> usize {
    let inside = |statement: &Statement| statement.bodies().iter().map(|body| count(body)).sum::<usize>();
    body.iter().map(|statement| 1 + inside(statement)).sum()
}

/// Whether a statement is for groups only.
fn has_groups(statement: &Statement) -> bool {
    use Statement::*;
    matches!(
        statement,
        BarrierLast { .. }
            | Exit { .. }
            | Destroy { .. }
            | Kill { .. }
            | KillThread { .. }
            | SignalWait { .. }
            | Pause
            | Cancel { .. }
            | TestCancel
            | SemTimedWait { .. }
            | TimedLocked { .. }
            | TimedWait { .. }
            | PipeClose { .. }
            | SemopUndo { .. }
    ) || statement.bodies().iter().any(|body| body.iter().any(has_groups))
}

/// Whether a spin lock is taken inside; taking one again is left open by POSIX.
fn spins(body: &[Statement]) -> bool {
    body.iter().any(|statement| {
        matches!(statement, Statement::SpinLocked { .. }) || statement.bodies().iter().any(|body| spins(body))
    })
}
