//! Statements as flat code: visible operations, and what a thread does between them.

use super::files::Action;
use super::syntax::{Ending, Guard, Kind, Program, Protection, Signals, Statement};

/// What is done in one go by a step: one visible operation, then everything up to the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    Visible(Operation),
    /// Adds the result of the last operation to the record.
    Record,
    Update {
        variable: usize,
        addend: u32,
    },
    Observe {
        variable: usize,
    },
    Assert {
        value: u32,
    },
    Jump(usize),
    /// Jumps if the last operation had a result other than 0.
    JumpIfFailed(usize),
    /// Jumps unless the variable has this parity.
    JumpUnless {
        variable: usize,
        parity: u32,
        to: usize,
    },
    /// Jumps to the place that the result of the last operation selects.
    Select(Vec<usize>),
}

/// A visible operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    Create {
        thread: usize,
    },
    Join {
        thread: usize,
    },
    Lock {
        mutex: usize,
    },
    TryLock {
        mutex: usize,
    },
    Unlock {
        mutex: usize,
    },
    SpinLock {
        spin: usize,
    },
    SpinUnlock {
        spin: usize,
    },
    ReadLock {
        rwlock: usize,
    },
    TryReadLock {
        rwlock: usize,
    },
    WriteLock {
        rwlock: usize,
    },
    TryWriteLock {
        rwlock: usize,
    },
    RwUnlock {
        rwlock: usize,
    },
    SemWait {
        semaphore: usize,
    },
    SemTryWait {
        semaphore: usize,
    },
    SemPost {
        semaphore: usize,
    },
    SemGetValue {
        semaphore: usize,
    },
    CondWait {
        condition: usize,
        mutex: usize,
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
    File(Action),
    Announce {
        variable: usize,
    },
    Toss {
        most: u32,
    },
    BarrierLast {
        barrier: usize,
    },
    Exit {
        code: u8,
    },
    /// The end of a thread.
    Leave,
    WaitProcess {
        process: usize,
    },
    WaitAny,
    Destroy {
        process: usize,
    },
    Kill {
        process: usize,
    },
    KillThread {
        thread: usize,
    },
    SignalWait {
        attempt: bool,
    },
    Pause,
    Cancel {
        thread: usize,
    },
    TestCancel,
    TimedLock {
        mutex: usize,
    },
    SemTimedWait {
        semaphore: usize,
    },
    CondTimedWait {
        condition: usize,
        mutex: usize,
    },
    PipeClose {
        pipe: usize,
        writes: bool,
    },
    SemopUndo {
        number: usize,
        change: i16,
    },
}

/// The code of every thread; the first one is the main thread.
pub fn compile(program: &Program) -> Vec<Vec<Code>> {
    if program.kind == Kind::Groups {
        return compile_groups(program);
    }
    let numbers = 1..=program.threads.len();
    let creations = numbers.clone().map(|thread| Code::Visible(Operation::Create { thread }));
    let joins = numbers.map(|thread| Code::Visible(Operation::Join { thread }));
    let mut threads = vec![creations.chain(joins).collect()];
    for body in &program.threads {
        let mut compiler = Compiler { program, code: vec![] };
        compiler.body(body);
        threads.push(compiler.code);
    }
    threads
}

/// All threads are there at the beginning: nobody notices when they are made.
fn compile_groups(program: &Program) -> Vec<Vec<Code>> {
    let groups = &program.groups;
    let mut main = Compiler { program, code: vec![] };
    main.body(&groups.main);
    let mut processes = groups.process_of.clone();
    processes.dedup();
    for process in processes {
        main.recorded(if groups.waits_for_any {
            Operation::WaitAny
        } else {
            Operation::WaitProcess { process }
        });
    }
    let mut threads = vec![main.code];
    for (number, body) in program.threads.iter().enumerate() {
        let mut compiler = Compiler { program, code: vec![] };
        compiler.body(body);
        let own = groups.process_of[number];
        let is_first = number == 0 || groups.process_of[number - 1] != own;
        if is_first && groups.endings[own] == Ending::Join {
            let others = (number + 1..program.threads.len()).filter(|other| groups.process_of[*other] == own);
            others.for_each(|other| compiler.visible(Operation::Join { thread: other + 1 }));
        }
        let exits = is_first && groups.endings[own] != Ending::Leave;
        compiler.visible(if exits { Operation::Exit { code: 0 } } else { Operation::Leave });
        threads.push(compiler.code);
    }
    threads
}

struct Compiler<'a> {
    program: &'a Program,
    code: Vec<Code>,
}

impl Compiler<'_> {
    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn visible(&mut self, operation: Operation) {
        self.code.push(Code::Visible(operation));
    }

    fn recorded(&mut self, operation: Operation) {
        self.visible(operation);
        self.code.push(Code::Record);
    }

    /// What can fail only if signals are handled.
    fn interruptible(&mut self, operation: Operation) {
        if self.program.groups.signals == Signals::Blocked {
            self.visible(operation)
        } else {
            self.recorded(operation)
        }
    }

    fn statement(&mut self, statement: &Statement) {
        use Statement::*;
        match statement {
            Locked { mutex, body } => {
                self.visible(Operation::Lock { mutex: *mutex });
                self.body(body);
                self.visible(Operation::Unlock { mutex: *mutex });
            }
            TryLocked { mutex, body } => {
                let attempt = Operation::TryLock { mutex: *mutex };
                self.attempt(attempt, body, Operation::Unlock { mutex: *mutex });
            }
            Lock { mutex } => self.recorded(Operation::Lock { mutex: *mutex }),
            Unlock { mutex } => self.recorded(Operation::Unlock { mutex: *mutex }),
            SpinLocked { spin, body } => {
                self.visible(Operation::SpinLock { spin: *spin });
                self.body(body);
                self.visible(Operation::SpinUnlock { spin: *spin });
            }
            ReadLocked { rwlock, attempt, body } => {
                let rwlock = *rwlock;
                let unlock = Operation::RwUnlock { rwlock };
                if *attempt {
                    self.attempt(Operation::TryReadLock { rwlock }, body, unlock);
                } else {
                    self.visible(Operation::ReadLock { rwlock });
                    self.body(body);
                    self.visible(unlock);
                }
            }
            WriteLocked { rwlock, attempt, body } => {
                let rwlock = *rwlock;
                let unlock = Operation::RwUnlock { rwlock };
                if *attempt {
                    self.attempt(Operation::TryWriteLock { rwlock }, body, unlock);
                } else {
                    self.visible(Operation::WriteLock { rwlock });
                    self.body(body);
                    self.visible(unlock);
                }
            }
            SemWait { semaphore } => self.interruptible(Operation::SemWait { semaphore: *semaphore }),
            SemPost { semaphore } => self.visible(Operation::SemPost { semaphore: *semaphore }),
            SemTryWait { semaphore } => self.recorded(Operation::SemTryWait { semaphore: *semaphore }),
            SemGetValue { semaphore } => self.recorded(Operation::SemGetValue { semaphore: *semaphore }),
            Wait { condition, guard } => self.wait(*condition, *guard),
            Signal { condition } => self.visible(Operation::Signal { condition: *condition }),
            Broadcast { condition } => self.visible(Operation::Broadcast { condition: *condition }),
            Barrier { barrier } => self.visible(Operation::Barrier { barrier: *barrier }),
            Semop { changes, attempt } => {
                let operation = Operation::Semop { changes: changes.clone(), attempt: *attempt };
                if *attempt { self.recorded(operation) } else { self.interruptible(operation) }
            }
            Send { queue, class, value } => {
                self.visible(Operation::Send { queue: *queue, class: *class, value: *value });
            }
            Receive { queue, selector, attempt } => {
                self.recorded(Operation::Receive { queue: *queue, selector: *selector, attempt: *attempt })
            }
            PipeWrite { pipe, value } => {
                let write = Operation::PipeWrite { pipe: *pipe, value: *value };
                if self.program.kind == Kind::Groups { self.recorded(write) } else { self.visible(write) }
            }
            File(action) => self.recorded(Operation::File(*action)),
            PipeRead { pipe } => self.recorded(Operation::PipeRead { pipe: *pipe }),
            Update { variable, addend } => {
                self.announce(*variable);
                self.code.push(Code::Update { variable: *variable, addend: *addend });
            }
            Observe { variable } => {
                self.announce(*variable);
                self.code.push(Code::Observe { variable: *variable });
            }
            Toss { bodies } => self.toss(bodies),
            Assert { value } => self.code.push(Code::Assert { value: *value }),
            BarrierLast { barrier } => self.recorded(Operation::BarrierLast { barrier: *barrier }),
            Exit { code } => self.visible(Operation::Exit { code: *code }),
            Destroy { process } => self.visible(Operation::Destroy { process: *process }),
            Kill { process } => self.visible(Operation::Kill { process: *process }),
            KillThread { thread } => self.visible(Operation::KillThread { thread: *thread + 1 }),
            SignalWait { attempt } => self.recorded(Operation::SignalWait { attempt: *attempt }),
            Pause => self.visible(Operation::Pause),
            Cancel { thread } => self.visible(Operation::Cancel { thread: *thread + 1 }),
            TestCancel => self.visible(Operation::TestCancel),
            SemTimedWait { semaphore } => self.recorded(Operation::SemTimedWait { semaphore: *semaphore }),
            TimedLocked { mutex, body } => {
                let attempt = Operation::TimedLock { mutex: *mutex };
                self.attempt(attempt, body, Operation::Unlock { mutex: *mutex });
            }
            TimedWait { condition } => {
                let mutex = self.program.conditions[*condition];
                self.recorded(Operation::CondTimedWait { condition: *condition, mutex });
            }
            PipeClose { pipe, writes } => self.visible(Operation::PipeClose { pipe: *pipe, writes: *writes }),
            SemopUndo { number, change } => {
                self.interruptible(Operation::SemopUndo { number: *number, change: *change });
            }
        }
    }

    fn announce(&mut self, variable: usize) {
        if self.program.variables[variable] == Protection::Visible {
            self.visible(Operation::Announce { variable });
        }
    }

    fn attempt(&mut self, attempt: Operation, body: &[Statement], unlock: Operation) {
        self.recorded(attempt);
        let jump = self.code.len();
        self.code.push(Code::JumpIfFailed(0));
        self.body(body);
        self.visible(unlock);
        self.code[jump] = Code::JumpIfFailed(self.code.len());
    }

    fn wait(&mut self, condition: usize, guard: Option<Guard>) {
        let wait = Operation::CondWait { condition, mutex: self.program.conditions[condition] };
        let Some(guard) = guard else { return self.visible(wait) };
        let start = self.code.len();
        self.code.push(Code::Jump(0));
        self.visible(wait);
        if guard.again {
            self.code.push(Code::Jump(start));
        }
        let Guard { variable, parity, .. } = guard;
        self.code[start] = Code::JumpUnless { variable, parity, to: self.code.len() };
    }

    fn toss(&mut self, bodies: &[Vec<Statement>]) {
        self.recorded(Operation::Toss { most: bodies.len() as u32 - 1 });
        let select = self.code.len();
        self.code.push(Code::Select(vec![]));
        let (mut starts, mut ends) = (vec![], vec![]);
        for body in bodies {
            starts.push(self.code.len());
            self.body(body);
            ends.push(self.code.len());
            self.code.push(Code::Jump(0));
        }
        let after = self.code.len();
        ends.into_iter().for_each(|end| self.code[end] = Code::Jump(after));
        self.code[select] = Code::Select(starts);
    }
}
