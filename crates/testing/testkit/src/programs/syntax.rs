//! The programs: what they consist of, and which of them have a meaning.

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
    pub variables: Vec<Protection>,
    /// What each thread or process does, besides the main one, which starts them and waits for them.
    pub threads: Vec<Vec<Statement>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Threads,
    /// Processes made by fork; whatever they share is in shared memory.
    Processes,
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
            variables: vec![],
            threads: vec![],
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
            && self.threads.iter().all(|body| self.all_fine(body, &Held::default()))
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
            Locked { mutex, body } | TryLocked { mutex, body } => {
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
            | SemGetValue { semaphore } => *semaphore < self.semaphores.len(),
            Wait { condition, guard } => {
                let Some(mutex) = self.conditions.get(*condition) else { return false };
                let times = held.mutexes.iter().filter(|held| *held == mutex).count();
                let readable = guard.is_none_or(|guard| self.can_use(guard.variable, held, false))
                    && guard.is_none_or(|guard| self.variables[guard.variable] != Protection::Visible);
                times == 1 && readable
            }
            Signal { condition } | Broadcast { condition } => *condition < self.conditions.len(),
            Barrier { barrier } => *barrier < self.barriers.len(),
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
            PipeWrite { pipe, .. } | PipeRead { pipe } => *pipe < self.pipes,
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
        self.threads.iter().map(|body| count(body)).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

pub fn count(body: &[Statement]) -> usize {
    let inside = |statement: &Statement| statement.bodies().iter().map(|body| count(body)).sum::<usize>();
    body.iter().map(|statement| 1 + inside(statement)).sum()
}

/// Whether a spin lock is taken inside; taking one again is left open by POSIX.
fn spins(body: &[Statement]) -> bool {
    body.iter().any(|statement| {
        matches!(statement, Statement::SpinLocked { .. }) || statement.bodies().iter().any(|body| spins(body))
    })
}
