//! An execution of a program in the words of its source: threads by the functions they run, objects by the variables they are, steps with their
//! lines.

use allways_stateless::{
    Effect, Execution, Kind, ObjectInfo, ObjectKind, Operation, Pending, Place, PropertyName, Race,
    RacingAccess, Step, Symbols,
};

use crate::schedule::{FrameDocument, StepDocument, ThreadDocument, WaitingDocument};
use crate::schedule_steps::place;

/// An execution and what its addresses mean.
#[derive(Clone, Copy)]
pub struct Telling<'a> {
    pub execution: &'a Execution,
    /// None to do without the names of the source.
    pub symbols: Option<&'a Symbols>,
}

impl Telling<'_> {
    /// Every thread of the execution.
    pub fn threads(&self) -> Vec<ThreadDocument> {
        let mut threads: Vec<ThreadDocument> = (0..self.execution.process_of.len())
            .map(|thread| ThreadDocument {
                thread,
                process: self.process_of(thread),
                name: self.thread_name(thread),
                created_by: None,
                created_after: 0,
                ended_after: None,
            })
            .collect();
        let mut n_visible = 0;
        for step in &self.execution.steps {
            n_visible += usize::from(!step.is_silent);
            match step.operation.kind {
                Kind::Create => {
                    if let Some(new) = (step.operation.target as usize).checked_sub(1)
                        && let Some(new) = threads.get_mut(new)
                    {
                        new.created_by = Some(step.thread);
                        new.created_after = n_visible;
                    }
                }
                Kind::ThreadExit => threads[step.thread].ended_after = Some(n_visible),
                end @ (Kind::ThreadsEnd | Kind::ProcessExit) => {
                    let process = self.process_of(step.thread);
                    threads
                        .iter_mut()
                        .filter(|other| other.process == process && other.ended_after.is_none())
                        .filter(|other| end == Kind::ProcessExit || other.thread != step.thread)
                        .for_each(|other| other.ended_after = Some(n_visible));
                }
                _ => {}
            }
        }
        threads
    }

    /// The steps that were choices.
    pub fn steps(&self) -> Vec<StepDocument> {
        self.execution.visible.iter().map(|index| self.step(&self.execution.steps[*index])).collect()
    }

    fn step(&self, step: &Step) -> StepDocument {
        let place = self.place(&self.execution.step_callers(step));
        StepDocument {
            process: self.process_of(step.thread),
            thread: step.thread,
            operation: step.operation.kind.word().to_string(),
            object: self.object(&step.operation),
            value: (step.n_values > 1).then_some(step.value),
            time_limit_passed: matches!(step.operation.effect, Effect::Overdue | Effect::Late),
            function: place.as_ref().and_then(|place| place.function.clone()),
            line: place.as_ref().map(|place| place.line),
            file: place.map(|place| place.file),
        }
    }

    /// What the threads that are not over were about to do.
    pub fn waiting(&self) -> Vec<WaitingDocument> {
        let is_thread = |pending: &&Pending| !self.execution.is_signals(pending.thread);
        self.execution.waiting().filter(is_thread).map(|pending| self.wait(pending)).collect()
    }

    fn wait(&self, pending: &Pending) -> WaitingDocument {
        let place = self.place(&self.execution.pending_callers(pending));
        let operation = &pending.operation;
        let reacquires = matches!(operation.kind, Kind::CondReacquire | Kind::CondReacquireTimed);
        let held = if reacquires { operation.other } else { operation.object };
        let held_by = self.execution.objects.get(held as usize).and_then(|object| object.owner);
        WaitingDocument {
            thread: pending.thread,
            operation: operation.kind.word().to_string(),
            object: self.object(operation),
            held_by: held_by.filter(|owner| *owner != pending.thread || operation.kind == Kind::MutexLock),
            function: place.as_ref().and_then(|place| place.function.clone()),
            line: place.as_ref().map(|place| place.line),
            file: place.map(|place| place.file),
        }
    }

    /// How a property fails, in words.
    pub fn reason(&self, property: PropertyName) -> String {
        let execution = self.execution;
        match property {
            PropertyName::Deadlock => {
                let waits = |waiting: &WaitingDocument| self.waits(waiting);
                let words: Vec<String> = self.waiting().iter().map(waits).collect();
                format!("deadlock: {}", words.join("; "))
            }
            PropertyName::Assertions => self.failure(),
            PropertyName::Crash => self.crash(),
            PropertyName::Exit => match execution.exit_status() {
                Some(status) => format!("the program ended with exit status {status}"),
                None => format!("the program was ended by {}", signal_name(execution.status & 0x7f)),
            },
            PropertyName::Divergence => match execution.culprit {
                Some(thread) => format!("{} runs without any visible operation", self.thread_title(thread)),
                None => "nothing visible happens any more".to_string(),
            },
            PropertyName::Livelock => "no thread gets on, and what they do changes nothing".to_string(),
            PropertyName::Races => execution.races.first().map_or(String::new(), |race| self.race(race)),
            PropertyName::Misuse => {
                execution.misuses.first().map_or(String::new(), |misuse| self.misuse(misuse))
            }
        }
    }

    /// What a program gave up for, with the place unless that is part of the message.
    fn failure(&self) -> String {
        let execution = self.execution;
        let callers = execution.crash_callers.as_slice();
        let called = self.symbols.map_or(Vec::new(), |symbols| symbols.called_by_program(callers));
        let is_thread =
            called.iter().any(|name| name == "std::thread::~thread" || name == "std::thread::operator=");
        let why = match execution.message.starts_with("std::terminate") && is_thread {
            true => " for a std::thread that was neither joined nor detached",
            false => "",
        };
        let place = self.place(callers).map(|place| format!(" at {}:{}", place.file, place.line));
        format!("{}{why}{}", execution.message, place.unwrap_or_default())
    }

    /// A crash in words: who, by which signal, where.
    fn crash(&self) -> String {
        let who = match self.execution.culprit {
            Some(thread) if self.process_of(thread) > 0 => format!("process {}", self.process_of(thread)),
            _ => "the program".to_string(),
        };
        let signal = match self.execution.signal() {
            Some(signal) => signal_name(signal),
            None => "a signal".to_string(),
        };
        let place =
            |frame: &FrameDocument| place(&Some(frame.file.clone()), Some(frame.line), &frame.function);
        let place = self.backtrace().first().map_or(String::new(), |frame| format!(" at {}", place(frame)));
        format!("{who} was ended by {signal}{place}")
    }

    /// Where a crash happened, and the callers, as far as the source is known; innermost first.
    pub fn backtrace(&self) -> Vec<FrameDocument> {
        let is_foreign = self.execution.culprit.is_some_and(|thread| self.is_foreign(thread));
        let addresses = if is_foreign { &[] } else { self.execution.crash_callers.as_slice() };
        let frame = |address: &u64| {
            let place = self.place(&[*address])?;
            Some(FrameDocument { function: place.function, file: place.file, line: place.line })
        };
        addresses.iter().filter_map(frame).collect()
    }

    /// A race in words.
    pub fn race(&self, race: &Race) -> String {
        let side = |access: &RacingAccess| {
            let place = match self.place(&[access.place]) {
                Some(place) => format!("{}:{}", place.file, place.line),
                None => format!("{:#x}", access.place),
            };
            format!("{} by {} at {place}", access.word(), self.thread_title(access.thread as usize))
        };
        let what = self.racing_variable(race).unwrap_or_else(|| format!("{:#x}", race.address));
        let [first, second] = race.accesses.each_ref().map(side);
        match race.accesses[0].is_free {
            true => format!("use of {what} after it was given back: {first}, then {second}"),
            false => format!("data race on {what}: {first} and {second}"),
        }
    }

    /// The variable that was accessed where one of the accesses was made.
    fn racing_variable(&self, race: &Race) -> Option<String> {
        let is_it = |step: &&Step| {
            let object = self.execution.objects.get(step.operation.object as usize);
            object.is_some_and(|object| object.address == race.address)
                && race.accesses.iter().any(|access| access.place == step.operation.place)
        };
        self.global(&self.execution.steps.iter().find(is_it)?.operation)
    }

    fn waits(&self, waiting: &WaitingDocument) -> String {
        let title = self.thread_title(waiting.thread);
        let object = waiting.object.as_ref().map_or(String::new(), |object| format!(" for {object}"));
        format!("{title} waits in {}{object}", waiting.operation)
    }

    /// As in charts: the name and the number.
    pub fn thread_title(&self, thread: usize) -> String {
        format!("{}:{thread}", self.thread_name(thread))
    }

    /// The function that it began with, if it is one of the program.
    fn thread_name(&self, thread: usize) -> String {
        let start = self.execution.starts.get(thread).copied().unwrap_or(0);
        let function = || {
            let symbols = self.symbols.filter(|_| !self.is_foreign(thread))?;
            symbols.function(start).or_else(|| symbols.outermost(&self.first_callers(thread)?))
        };
        if self.execution.is_signals(thread) {
            return "signals".to_string();
        }
        match (thread, start) {
            (0, _) => "main".to_string(),
            (_, 0) => "process".to_string(),
            _ => function().unwrap_or_else(|| "thread".to_string()),
        }
    }

    /// Who called the first operation of a thread that is more than its start.
    fn first_callers(&self, thread: usize) -> Option<Vec<u64>> {
        let is_first = |step: &&Step| step.thread == thread && step.operation.place != 0;
        let is_pending = |pending: &&Pending| pending.thread == thread && pending.operation.place != 0;
        match self.execution.steps.iter().find(is_first) {
            Some(step) => Some(self.execution.step_callers(step)),
            None => self
                .execution
                .pending
                .iter()
                .find(is_pending)
                .map(|pending| self.execution.pending_callers(pending)),
        }
    }

    /// What an operation works on: the variable, or its kind and where it is.
    pub fn object(&self, operation: &Operation) -> Option<String> {
        match operation.kind {
            Kind::Join => return Some(self.thread_title(operation.argument as usize)),
            Kind::Spawned | Kind::WaitProcess => return Some(format!("process {}", operation.argument)),
            _ => {}
        }
        self.global(operation)
            .or_else(|| self.set(operation))
            .or_else(|| self.execution.object_name(operation))
    }

    /// The semaphores of a System V set, which has a number instead of a name.
    fn set(&self, operation: &Operation) -> Option<String> {
        let is_set = |object: &&ObjectInfo| object.kind == ObjectKind::Set;
        let number = operation.object as usize;
        self.execution.objects.get(number).filter(is_set)?;
        let indices: Vec<String> =
            self.execution.semops(operation).map(|semop| semop.index.to_string()).collect();
        let before = self.execution.objects[..number].iter().filter(is_set).count();
        let name = match self.execution.objects.iter().filter(is_set).count() {
            1 => "semaphores".to_string(),
            _ => format!("set {} of semaphores", before + 1),
        };
        Some(if indices.is_empty() { name } else { format!("{name}[{}]", indices.join(",")) })
    }

    /// The variable that an object is.
    fn global(&self, operation: &Operation) -> Option<String> {
        let object = self.execution.objects.get(operation.object as usize)?;
        let process = (object.space as usize).checked_sub(1)?;
        let is_foreign = *self.execution.is_foreign.get(process)?;
        if is_foreign
            || matches!(
                object.kind,
                ObjectKind::Nothing
                    | ObjectKind::Set
                    | ObjectKind::Pipe
                    | ObjectKind::Name
                    | ObjectKind::Socket
                    | ObjectKind::Address
                    | ObjectKind::Event
                    | ObjectKind::File
                    | ObjectKind::Description
            )
        {
            return None;
        }
        let name = self.symbols?.global(object.address + first_byte(operation))?;
        Some(if process == 0 { name } else { format!("{name} in process {process}") })
    }

    pub(crate) fn place(&self, callers: &[u64]) -> Option<Place> {
        self.symbols?.place(callers)
    }

    fn process_of(&self, thread: usize) -> u32 {
        self.execution.process_of.get(thread).copied().unwrap_or(0)
    }

    fn is_foreign(&self, thread: usize) -> bool {
        self.execution.is_foreign.get(self.process_of(thread) as usize).copied().unwrap_or(true)
    }
}

/// Accesses to memory are about eight bytes, and the operation says which of them.
fn first_byte(operation: &Operation) -> u64 {
    match operation.argument as u8 {
        bytes if bytes != 0 && operation.kind.is_memory() => bytes.trailing_zeros().into(),
        _ => 0,
    }
}

/// The names of signals that end programs.
fn signal_name(number: i32) -> String {
    const NAMES: [(i32, &str); 16] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (10, "SIGUSR1"),
        (11, "SIGSEGV"),
        (12, "SIGUSR2"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (31, "SIGSYS"),
    ];
    match NAMES.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => format!("signal {number} ({name})"),
        None => format!("signal {number}"),
    }
}
