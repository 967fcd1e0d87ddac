//! What happened in one execution.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{
    Earlier, Event, FILE_NAMES, FILE_USES, Kind, Limit, Misuse, NONE, OBJECT_KEY, Object, ObjectKind,
    Operation, Outcome, Race, Region, SemOp, ThreadSet, dependent, limits, load_set, state,
};

use crate::facts::Facts;
use crate::stack::Choice;

/// One execution of the program, from the first choice to the end.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Everything that was logged; silent steps are between those that were choices.
    pub steps: Vec<Step>,
    /// Which of the steps were choices.
    pub visible: Vec<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// The thread that made it end so.
    pub culprit: Option<usize>,
    /// What the program said about that.
    pub message: String,
    /// What there was no room for, and how much there is.
    pub limit: Option<(Limit, u64)>,
    /// The wait status of the main process.
    pub status: i32,
    /// The signal of a crash, 0 if there was none.
    pub crash_signal: i32,
    /// The place of a crash and its callers, innermost first, if they were asked for.
    pub crash_callers: Vec<u64>,
    /// What [`ObjectInfo::name`] means, as far as that is known.
    file_names: HashMap<u32, String>,
    /// For each thread: at which one a signal arrives when it moves? It is none of the program then.
    pub victims: Vec<Option<Victim>>,
    /// What threads were about to do: those that are not over, and those that did not get to it because their process ended.
    pub pending: Vec<Pending>,
    /// The process of each thread.
    pub process_of: Vec<u32>,
    /// The process that forked each process.
    pub parent_of: Vec<u32>,
    /// Who could have moved where it was cut.
    pub enabled: ThreadSet,
    /// What each object is, by number; the first is none.
    pub objects: Vec<ObjectInfo>,
    /// The function that each thread began with, 0 if that is not known.
    pub starts: Vec<u64>,
    /// For each process: do its addresses mean something else, because it executed another program?
    pub is_foreign: Vec<bool>,
    /// What it did when it was given up without a visible operation, if that was not to run on and on: no divergence.
    pub standstill: Option<String>,
    /// What was not under control.
    pub uncontrolled: Vec<String>,
    /// The addresses after the first of them; 0 where that is not known.
    pub uncontrolled_places: Vec<u64>,
    /// Was a thread made to wait for others that might have done something new?
    pub gave_up: bool,
    /// Did it wait for any of several children?
    pub waited_for_any: bool,
    /// Somebody who is not under control may still wake those who wait: an end in which nobody can move is no deadlock then.
    pub has_outsiders: bool,
    /// Accesses to memory that nothing orders.
    pub races: Vec<Race>,
    /// What the program did that POSIX leaves undefined.
    pub misuses: Vec<Misuse>,
    /// Pairs of accesses, in words, that race unless something orders them that nobody announces.
    pub doubtful_races: Vec<String>,
    /// Did it touch memory that ought to have been visible?
    pub has_promoted: bool,
    /// Did the first process end with a status that is as it should be?
    pub ends_well: bool,
    /// The program asked the kernel to hold back system calls.
    has_filter: bool,
    /// Does it depend on files that an earlier execution left?
    pub has_leftovers: bool,
    /// What a program in Rust printed when a thread panicked for the first time.
    panic: String,
    /// What verdicts may rest on.
    pub facts: Facts,
    pool: Vec<u32>,
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Who.
    pub thread: usize,
    /// What.
    pub operation: Operation,
    /// The value that was chosen.
    pub value: u32,
    /// How many there were.
    pub n_values: u32,
    /// The step that made it possible, by its index among all steps.
    pub cause: Option<usize>,
    /// The value of the counter before it; for a set, where the values are in the pool; for a mutex, its owner plus one.
    pub before: i32,
    /// Did the thread go wrong before its next visible operation?
    pub is_fatal: bool,
    /// Was it no choice?
    pub is_silent: bool,
    /// Who could have moved instead.
    pub enabled: ThreadSet,
    /// Who was asleep.
    pub sleep: ThreadSet,
    /// Where its callers are in the pool, plus one; see [`Execution::callers`].
    callers: u32,
}

/// A thread that was about to do something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    pub thread: usize,
    pub operation: Operation,
    /// Did it end before, with its process?
    pub is_over: bool,
    callers: u32,
}

impl Pending {
    /// Without knowing through which functions it was called.
    pub fn new(thread: usize, operation: Operation) -> Pending {
        Pending { thread, operation, is_over: false, callers: 0 }
    }
}

/// Where signals go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Victim {
    /// To this thread.
    Thread(usize),
    /// To the process: from a timer.
    Process,
}

/// How many threads used an object, since there were several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Users {
    None,
    One,
    Several,
}

/// What an object is and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectInfo {
    pub kind: ObjectKind,
    pub space: u32,
    pub address: u64,
    /// The thread that holds it at the end.
    pub owner: Option<usize>,
    /// Of what operations on files touch: tells it from others in every execution.
    pub name: u32,
    pub users: Users,
}

impl Execution {
    /// Copies the log out of the region.
    pub fn read(region: &Region) -> Execution {
        let header = &region.header;
        let n_events = (header.n_events.load(Relaxed) as usize).min(limits::EVENTS);
        let steps: Vec<Step> = region.events[..n_events].iter().map(read_step).collect();
        let visible = (0..steps.len()).filter(|index| !steps[*index].is_silent).collect();
        let n_threads = (header.n_threads.load(Relaxed) as usize).min(limits::THREADS);
        let n_processes = (header.n_processes.load(Relaxed) as usize).min(limits::PROCESSES);
        let n_objects = (header.n_objects.load(Relaxed) as usize + 1).min(limits::OBJECTS);
        let n_pool = (header.n_pool.load(Relaxed) as usize).min(limits::POOL);
        Execution {
            steps,
            visible,
            outcome: Outcome::from_number(header.outcome.load(Relaxed)),
            culprit: (header.culprit.load(Relaxed) as usize).checked_sub(1),
            message: text(header.message.bytes()),
            limit: Limit::from_number(header.limit.load(Relaxed))
                .map(|limit| (limit, header.limit_size.load(Relaxed))),
            status: header.status.load(Relaxed),
            crash_signal: header.crash_signal.load(Relaxed) as i32,
            crash_callers: crash_callers(region),
            victims: (0..n_threads).map(|number| victim(region, number)).collect(),
            pending: (0..n_threads).filter_map(|number| pending(region, number)).collect(),
            enabled: load_set(&header.enabled),
            process_of: (0..n_threads).map(|number| region.process_of(number)).collect(),
            parent_of: (0..n_processes).map(|number| region.processes[number].parent.load(Relaxed)).collect(),
            objects: region.objects[..n_objects].iter().map(read_object).collect(),
            file_names: file_names(region, n_objects),
            starts: (0..n_threads).map(|number| start(region, number)).collect(),
            is_foreign: (0..n_processes)
                .map(|number| region.processes[number].is_foreign.load(Relaxed) != 0)
                .collect(),
            standstill: None,
            uncontrolled: (0..header.n_remarks.load(Relaxed) as usize)
                .map(|number| text(region.remarks[number].bytes()))
                .collect(),
            uncontrolled_places: (0..header.n_remarks.load(Relaxed) as usize)
                .map(|number| region.remark_places[number].load(Relaxed))
                .collect(),
            gave_up: header.gave_up.load(Relaxed) != 0,
            waited_for_any: header.waited_for_any.load(Relaxed) != 0,
            has_outsiders: header.has_outsiders.load(Relaxed) != 0,
            races: region.memory.races().collect(),
            misuses: region.misuses.all().collect(),
            doubtful_races: Vec::new(),
            has_promoted: false,
            ends_well: false,
            has_filter: header.has_filter.load(Relaxed) != 0,
            has_leftovers: header.has_leftovers.load(Relaxed) != 0,
            panic: text(header.panic.bytes()),
            facts: Facts::read(region),
            pool: region.pool[..n_pool].iter().map(|word| word.load(Relaxed)).collect(),
        }
    }

    /// A panic of Rust that ends the program is a failed assertion, whatever the program makes of it: an exit status or `abort`.
    pub(crate) fn recognise_panic(&mut self) {
        const STATUS: i32 = 101;
        let aborts = self.outcome == Outcome::Assertion && self.message.starts_with("abort()");
        if self.panic.is_empty() || !aborts && self.exit_status() != Some(STATUS) {
            return;
        }
        self.outcome = Outcome::Assertion;
        self.message = panic_words(&self.panic);
    }

    /// An end by a filter of the program may be ours: the call that was held back need not be the program's.
    pub(crate) fn recognise_filter(&mut self) {
        const SIGKILL: i32 = 9;
        const SIGSYS: i32 = 31;
        let by = if self.crash_signal != 0 { self.crash_signal } else { self.status & 0x7f };
        let is_over = matches!(self.outcome, Outcome::Crash | Outcome::Finished);
        if self.has_filter && is_over && matches!(by, SIGKILL | SIGSYS) {
            self.outcome = Outcome::Lost;
        }
    }

    /// Is it no thread of the program, but what makes signals arrive?
    pub fn is_signals(&self, thread: usize) -> bool {
        self.victims.get(thread).is_some_and(Option::is_some)
    }

    /// The step that was this choice.
    pub fn choice(&self, index: usize) -> &Step {
        &self.steps[self.visible[index]]
    }

    /// May a thread other than the culprit be able to move? Only those cannot, for sure, that wait for the culprit to end, or that
    /// could not move before its last step, which has nothing to do with them.
    pub fn others_could_move(&self) -> bool {
        let last = self.visible.last().map(|index| &self.steps[*index]);
        let touches = |operation: &Operation, other: &Operation| {
            [operation.object, operation.other]
                .iter()
                .any(|object| *object != 0 && [other.object, other.other].contains(object))
        };
        self.waiting().filter(|pending| Some(pending.thread) != self.culprit).any(|pending| {
            !matches!(pending.operation.kind, Kind::Join | Kind::Spawned | Kind::WaitProcess | Kind::WaitAny)
                && last.is_none_or(|last| {
                    last.enabled.contains(pending.thread) || touches(&pending.operation, &last.operation)
                })
        })
    }

    /// Was there a step on a lock or the like that one thread alone uses?
    pub(crate) fn has_private_steps(&self) -> bool {
        let is_private = |number: u32| {
            let object = self.objects.get(number as usize);
            object.is_some_and(|object| object.users == Users::One)
        };
        self.visible.iter().map(|index| &self.steps[*index].operation).any(|operation| {
            operation.kind.may_be_private() && operation.other == 0 && is_private(operation.object)
        })
    }

    /// The keys of the locks and the like that several threads use.
    pub(crate) fn shared_objects(&self) -> impl Iterator<Item = u64> {
        let is_shared = |object: &&ObjectInfo| object.users == Users::Several && object.kind.may_be_private();
        self.objects.iter().filter(is_shared).map(|object| OBJECT_KEY | object.address)
    }

    /// What threads that are not over were about to do.
    pub fn waiting(&self) -> impl Iterator<Item = &Pending> {
        self.pending.iter().filter(|pending| !pending.is_over)
    }

    /// The choices that make it, enough to repeat it.
    pub fn schedule(&self) -> Vec<Choice> {
        let choice = |index: &usize| {
            let step = &self.steps[*index];
            Choice { thread: step.thread, value: step.value }
        };
        self.visible.iter().map(choice).collect()
    }

    /// Can the order of two operations of different threads matter?
    pub fn are_dependent(&self, first: (&Operation, usize), second: (&Operation, usize)) -> bool {
        let process_of = |thread: usize| self.process_of.get(thread).copied().unwrap_or(0);
        dependent(first, second, &|at| self.semop(at), &process_of)
    }

    /// The changes that a step makes to a set of semaphores.
    pub fn semops(&self, operation: &Operation) -> impl Iterator<Item = SemOp> {
        (operation.list..operation.list + operation.length).map(|at| self.semop(at))
    }

    fn semop(&self, at: u32) -> SemOp {
        let word = |at: u32| self.pool.get(at as usize).copied().unwrap_or(0);
        SemOp { index: word(at * 2), change: word(at * 2 + 1) as i32 }
    }

    /// The value of a semaphore of a set before a step that names it.
    pub fn value_before(&self, step: &Step, index: u32) -> Option<i32> {
        let position = self.semops(&step.operation).position(|semop| semop.index == index)?;
        self.pool.get(step.before as usize + position).map(|value| *value as i32)
    }

    /// The addresses to which a step and its callers return, innermost first; only the first of them unless they were asked for.
    pub fn step_callers(&self, step: &Step) -> Vec<u64> {
        self.callers(step.thread, &step.operation, step.callers)
    }

    /// The same for a step that was not taken.
    pub fn pending_callers(&self, pending: &Pending) -> Vec<u64> {
        self.callers(pending.thread, &pending.operation, pending.callers)
    }

    /// The same for a misuse.
    pub fn misuse_callers(&self, misuse: &Misuse) -> Vec<u64> {
        let operation = Operation { place: misuse.place, ..Operation::default() };
        self.callers(misuse.thread as usize, &operation, misuse.callers)
    }

    /// The same for what came before a misuse.
    pub fn earlier_callers(&self, earlier: &Earlier) -> Vec<u64> {
        if earlier.place == 0 {
            return Vec::new();
        }
        let is_it =
            |step: &&Step| step.thread == earlier.thread as usize && step.operation.place == earlier.place;
        let operation = Operation { place: earlier.place, ..Operation::default() };
        match self.steps.iter().rev().find(is_it) {
            Some(step) => self.step_callers(step),
            None => self.callers(earlier.thread as usize, &operation, 0),
        }
    }

    fn callers(&self, thread: usize, operation: &Operation, list: u32) -> Vec<u64> {
        let process = self.process_of.get(thread).copied().unwrap_or(0) as usize;
        if self.is_foreign.get(process).copied().unwrap_or(false) {
            return Vec::new();
        }
        let word = |at: usize| self.pool.get(at).map_or(0, |word| u64::from(*word));
        let Some(at) = (list as usize).checked_sub(1) else { return vec![operation.place] };
        let address = |number: usize| word(at + 1 + 2 * number) | word(at + 2 + 2 * number) << 32;
        let callers: Vec<u64> = (0..word(at) as usize).map(address).collect();
        // Some functions on files have no frame, so that their callers are not found.
        let is_exact = operation.kind.is_file() || operation.kind.is_memory();
        match callers.iter().position(|caller| *caller == operation.place) {
            Some(innermost) if operation.kind.is_memory() => callers[innermost..].to_vec(),
            None if is_exact && operation.place != 0 => vec![operation.place],
            _ => callers,
        }
    }

    /// The exit status of the main process, if it ended by itself.
    pub fn exit_status(&self) -> Option<i32> {
        (self.outcome == Outcome::Finished && self.status & 0x7f == 0).then_some(self.status >> 8 & 0xff)
    }

    /// The signal of a crash.
    pub fn signal(&self) -> Option<i32> {
        let signal = if self.crash_signal != 0 { self.crash_signal } else { self.status & 0x7f };
        (self.outcome == Outcome::Crash && signal != 0).then_some(signal)
    }

    /// What a thread works on, in words.
    pub fn object_name(&self, operation: &Operation) -> Option<String> {
        match operation.kind {
            Kind::Join => return Some(format!("thread {}", operation.argument)),
            Kind::PollThread | Kind::Detach | Kind::JoinBegins => {
                return Some(format!("thread {}", operation.argument));
            }
            Kind::Cancel | Kind::Deliver => return Some(format!("thread {}", operation.target - 1)),
            Kind::Spawned | Kind::WaitProcess => return Some(format!("process {}", operation.argument)),
            Kind::Kill => {
                let (signal, process) = (operation.argument as u32, operation.receiver().unwrap_or(0));
                return Some(format!("process {process} signal {signal}"));
            }
            _ => {}
        }
        let object = self
            .objects
            .get(operation.object as usize)
            .filter(|object| object.kind != ObjectKind::Nothing)?;
        if object.space == FILE_USES {
            // Its address is another one each time.
            let (word, name) = (object.kind.word(), self.file_names.get(&object.name));
            return Some(name.map_or(word.to_string(), |name| format!("{word} {name}")));
        }
        let mut name = format!("{} {:#x}", object.kind.word(), object.address);
        if object.kind == ObjectKind::Set {
            let indices: Vec<String> = self.semops(operation).map(|semop| semop.index.to_string()).collect();
            name = format!("{name}[{}]", indices.join(","));
        } else if (2..0x1000).contains(&object.space) {
            name = format!("{name} in process {}", object.space - 1);
        }
        Some(name)
    }
}

fn text(bytes: impl Iterator<Item = u8>) -> String {
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// `src/main.rs:5:9:`, and the text in the lines that follow, in the words of other assertions.
fn panic_words(panic: &str) -> String {
    let (place, rest) = panic.split_once('\n').unwrap_or((panic, ""));
    let place = place.trim_end_matches(':');
    // Without the column.
    let place = match place.rsplit_once(':') {
        Some((line, column)) if line.contains(':') && column.parse::<u32>().is_ok() => line,
        _ => place,
    };
    let text = rest.split("\nnote: ").next().unwrap_or("").split("\nstack backtrace:").next().unwrap_or("");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("panic: {text} at {place}")
}

fn read_object(object: &Object) -> ObjectInfo {
    ObjectInfo {
        kind: ObjectKind::from_number(object.kind.load(Relaxed)),
        space: object.space.load(Relaxed),
        address: object.address.load(Relaxed),
        owner: (object.owner.load(Relaxed) as usize).checked_sub(1),
        name: object.list.load(Relaxed),
        users: match object.user.load(Relaxed) {
            0 => Users::None,
            NONE => Users::Several,
            _ => Users::One,
        },
    }
}

/// What names of files mean, if they were asked for.
fn file_names(region: &Region, n_objects: usize) -> HashMap<u32, String> {
    if region.header.wants_callers.load(Relaxed) == 0 {
        return HashMap::new();
    }
    let is_name = |object: &&Object| object.space.load(Relaxed) == FILE_NAMES;
    let named = |object: &Object| {
        let (start, length) = (object.list.load(Relaxed) as usize, object.length.load(Relaxed) as usize);
        let bytes = region.pool[start..start + length].iter().map(|word| word.load(Relaxed) as u8);
        (object.address.load(Relaxed) as u32, text(bytes))
    };
    region.objects[..n_objects].iter().filter(is_name).map(named).collect()
}

fn read_step(event: &Event) -> Step {
    let is_silent = event.is_silent.load(Relaxed) != 0;
    let set = |words| if is_silent { ThreadSet::EMPTY } else { load_set(words) };
    Step {
        thread: event.thread.load(Relaxed) as usize,
        operation: event.operation.load(),
        value: event.value.load(Relaxed),
        n_values: event.n_values.load(Relaxed),
        cause: (event.cause.load(Relaxed) as usize).checked_sub(1),
        before: event.before.load(Relaxed),
        is_fatal: event.is_fatal.load(Relaxed) != 0,
        is_silent,
        enabled: set(&event.enabled),
        sleep: set(&event.sleep),
        callers: event.callers.load(Relaxed),
    }
}

fn victim(region: &Region, number: usize) -> Option<Victim> {
    match region.threads[number].victim.load(Relaxed) {
        0 => None,
        NONE => Some(Victim::Process),
        victim => Some(Victim::Thread(victim as usize - 1)),
    }
}

fn crash_callers(region: &Region) -> Vec<u64> {
    let word = |at: usize| region.pool.get(at).map_or(0, |word| u64::from(word.load(Relaxed)));
    let Some(at) = (region.header.crash_callers.load(Relaxed) as usize).checked_sub(1) else {
        return Vec::new();
    };
    (0..word(at) as usize).map(|number| word(at + 1 + 2 * number) | word(at + 2 + 2 * number) << 32).collect()
}

/// The function that was passed to `pthread_create`.
fn start(region: &Region, number: usize) -> u64 {
    let word = |at: usize| region.pool.get(at).map_or(0, |word| u64::from(word.load(Relaxed)));
    match region.threads[number].parameters.load(Relaxed) as usize {
        0 => 0,
        at => word(at - 1) | word(at) << 32,
    }
}

fn pending(region: &Region, number: usize) -> Option<Pending> {
    let slot = &region.threads[number];
    let state = slot.state.load(Relaxed);
    let is_over = state == state::KILLED;
    (is_over || state == state::PENDING).then(|| Pending {
        thread: number,
        operation: slot.operation.load(),
        is_over,
        callers: slot.callers.load(Relaxed),
    })
}

#[cfg(test)]
mod tests {
    use super::panic_words;

    #[test]
    fn panics_are_told_with_text_and_place() {
        let panic =
            "src/main.rs:5:9:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with it\n";
        let words = "panic: assertion `left == right` failed left: 1 right: 2 at src/main.rs:5";
        assert_eq!(panic_words(panic), words);
        assert_eq!(panic_words("lib.rs:7"), "panic:  at lib.rs:7");
    }
}
