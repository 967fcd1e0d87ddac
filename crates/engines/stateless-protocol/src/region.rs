//! The layout of the shared memory.
//!
//! Every field is an atomic, so that both sides can look at any time; order between threads comes from the futex words alone, because only
//! one thread, the one that holds the token, changes anything. All zeros is the state before an execution. The
//! mapping is sparse: what is not touched takes no memory.

use core::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::memory::Memory;
use crate::misuse::Misuses;
use crate::operation::{Effect, Kind, Operation, SemOp};
use crate::surroundings::{ChangedNames, Names, WrittenFiles};
use crate::thread_set::ThreadSet;

/// How much there is room for. An execution that needs more is cut short and says so.
pub mod limits {
    /// Threads of one execution, in all processes together.
    pub const THREADS: usize = 256;
    /// Processes of one execution.
    pub const PROCESSES: usize = 256;
    /// Objects of one execution.
    pub const OBJECTS: usize = 1 << 18;
    /// Slots of the table that finds objects, a power of two.
    pub const INDEX: usize = 1 << 20;
    /// Logged events of one execution.
    pub const EVENTS: usize = 1 << 21;
    /// Numbers in the pool.
    pub const POOL: usize = 1 << 22;
    /// Processors that a program may see, as in the sets of the C library.
    pub const PROCESSORS: usize = 1024;
    /// Bytes of a message.
    pub const MESSAGE: usize = 512;
    /// Remarks about what is not under control.
    pub const REMARKS: usize = 64;
    /// Pages of code and constants, if executions shall find them in place.
    pub const HOT_PAGES: usize = 4096;
    /// Files that are mapped as code.
    pub const MODULES: usize = 64;
}

/// What an execution needs more of than there is room for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Limit {
    /// Slots of threads, processes, timers and receivers of signals.
    Threads = 1,
    Processes = 2,
    Objects = 3,
    Steps = 4,
    /// Room for the lists of what operations touch, in bytes.
    Lists = 5,
    /// Places in memory that threads share.
    SharedPlaces = 6,
    /// Memory that is watched, in bytes.
    WatchedMemory = 7,
    /// Different accesses to the same places that are kept.
    Accesses = 8,
    /// Objects with which threads synchronise where memory is watched.
    Synchronisation = 9,
}

impl Limit {
    const ALL: [Limit; 9] = {
        use Limit::*;
        [Threads, Processes, Objects, Steps, Lists, SharedPlaces, WatchedMemory, Accesses, Synchronisation]
    };

    pub fn from_number(number: u32) -> Option<Limit> {
        Limit::ALL.get((number as usize).checked_sub(1)?).copied()
    }
}

/// In place of a number: there is none.
pub const NONE: u32 = u32::MAX;

/// The whole.
#[repr(C)]
pub struct Region {
    pub header: Header,
    pub threads: [Thread; limits::THREADS],
    pub processes: [Process; limits::PROCESSES],
    pub remarks: [Message; limits::REMARKS],
    /// The address after what each of them is about; 0 if that is not known.
    pub remark_places: [AtomicU64; limits::REMARKS],
    pub prefix: [Choice; limits::EVENTS],
    pub objects: [Object; limits::OBJECTS],
    pub index: [AtomicU32; limits::INDEX],
    pub pool: [AtomicU32; limits::POOL],
    pub events: [Event; limits::EVENTS],
    pub modules: [Module; limits::MODULES],
    /// Addresses of the pages of code and constants that an execution used.
    pub hot_pages: [AtomicU64; limits::HOT_PAGES],
    pub memory: Memory,
    pub misuses: Misuses,
    pub written_files: WrittenFiles,
    pub changed_names: ChangedNames,
    /// The environment variables that the program asked for. Not forgotten between executions.
    pub asked_variables: Names,
    /// Files that were loaded after `main` began (`dlopen`).
    pub later_files: Names,
    /// Programs that were executed instead of the first one and have memory that threads or
    /// processes share: it is not looked at.
    pub executed: Names,
}

/// What the two sides tell each other, and the counters of the execution.
#[repr(C)]
pub struct Header {
    pub version: AtomicU32,
    /// The number of the execution that the explorer asks for; a futex.
    pub request: AtomicU32,
    /// The number of the last execution that is over; a futex.
    pub reply: AtomicU32,
    /// 1 when the program waits for requests.
    pub ready: AtomicU32,
    /// Changes whenever the explorer should look: an execution is over, or there is a question; a futex.
    pub signal: AtomicU32,

    // With [`Policy::Ask`].
    /// The number of questions.
    pub question: AtomicU32,
    /// The number of answers; a futex.
    pub answer: AtomicU32,
    /// Who could move.
    pub asked: [AtomicU64; limits::THREADS / 64],
    /// Who moves; [`NONE`] if nobody needs to, because the rest was explored elsewhere.
    pub answer_thread: AtomicU32,
    pub answer_value: AtomicU32,
    /// How many files the program had loaded then.
    pub n_modules: AtomicU32,
    /// 1 if the kernel does not tell about system calls that the program makes itself.
    pub misses_direct_calls: AtomicU32,
    /// 1 if compiled code of the program announces its accesses to memory. Not forgotten between executions.
    pub is_instrumented: AtomicU32,

    // Written by the explorer before an execution.
    pub prefix_length: AtomicU32,
    pub policy: AtomicU32,
    pub uses_sleep: AtomicU32,
    /// Asleep in the state in which the last choice of the prefix is made.
    pub branch_sleep: [AtomicU64; limits::THREADS / 64],
    pub max_depth: AtomicU32,
    /// Tries in vain at one place, nobody else moving, after which a thread is held back.
    pub retries: AtomicU32,
    pub seed: AtomicU64,
    /// How many processors the program sees.
    pub processors: AtomicU32,
    /// The soft and the hard limit of the program's address space in bytes, without what is ours;
    /// `u64::MAX` where there is none.
    pub address_space: [AtomicU64; 2],
    /// How much of the address space of the first program is ours; written by the program.
    pub own_address_space: AtomicU64,
    /// Which stream random numbers come from.
    pub random_stream: AtomicU64,
    /// From how many nanoseconds on a time limit is long: it passes only when nothing else can happen. 0 if there is no such limit.
    pub long_limit: AtomicU64,
    /// 1 if no time limit ever passes, however short.
    pub has_no_limits: AtomicU32,
    /// 1 if the callers of each operation are to be logged.
    pub wants_callers: AtomicU32,
    /// 1 if the end of a process is an operation that others can notice.
    pub exits_are_visible: AtomicU32,
    /// 1 if the first process alone must not be ended by a signal.
    pub children_may_crash: AtomicU32,
    /// 1 if a wait for a condition may end without a signal.
    pub has_spurious_wakeups: AtomicU32,
    /// 1 if no slot of a thread that was joined may be used again.
    pub keeps_slots: AtomicU32,
    /// Is the end of the execution by a failure a step? See [`Failures`].
    pub failures: AtomicU32,
    /// 1 if each execution begins in a folder of its own.
    pub has_scratch: AtomicU32,
    /// The folder where the program's shared memory with names is, instead of that of the machine.
    pub shared_memory: Message,
    /// 1 if there is some; written by the program, and by the explorer when it has removed it.
    pub has_shared_memory: AtomicU32,
    /// Steps at which `Pct` lowers a priority, ascending, 0 after the last.
    pub change_points: [AtomicU32; 16],

    // Written by the program.
    pub outcome: AtomicU32,
    /// The thread that caused the outcome, plus one.
    pub culprit: AtomicU32,
    /// Which [`Limit`] was met, and how much there is room for.
    pub limit: AtomicU32,
    pub limit_size: AtomicU64,
    /// The wait status of the main process.
    pub status: AtomicI32,
    /// The signal of a crash.
    pub crash_signal: AtomicU32,
    /// The address that could not be used.
    pub crash_address: AtomicU64,
    /// Where the place of the crash and its callers are, as in [`Thread::callers`].
    pub crash_callers: AtomicU32,
    /// 1 as soon as a thread or process was interrupted from outside, in any execution.
    pub has_interrupts: AtomicU32,
    pub message: Message,
    /// What a program in Rust printed when a thread panicked for the first time.
    pub panic: Message,
    pub n_threads: AtomicU32,
    pub n_processes: AtomicU32,
    pub n_objects: AtomicU32,
    pub n_events: AtomicU32,
    pub n_pool: AtomicU32,
    /// Words at the end of the pool: what the program sees of it, so they are at the same addresses
    /// whatever else is kept there.
    pub n_pool_end: AtomicU32,
    /// Visible steps so far.
    pub n_steps: AtomicU32,
    /// Who has the token.
    pub current: AtomicU32,
    /// Who made the last visible step, plus one, unless it was in vain.
    pub moved: AtomicU32,
    /// 1 if that step was the beginning of a wait with a time limit, where the thread waited in vain before.
    pub waits_again: AtomicU32,
    /// Rounds, since anything changed, of threads that are held back.
    pub quiet: AtomicU32,
    /// 1 if a thread was held back that might have done something new.
    pub gave_up: AtomicU32,
    /// The thread that goes alone, to see whether it gets anywhere, plus one; 0 if none does.
    pub trial: AtomicU32,
    /// How many have gone alone so, how many of the last of them found nothing changed, and the steps of the one that does.
    pub trial_turns: AtomicU32,
    pub trial_unchanged: AtomicU32,
    pub trial_steps: AtomicU32,
    /// 1 as soon as a second thread or process was made.
    pub is_concurrent: AtomicU32,
    /// How many objects there were then. What comes later may get other numbers and addresses under another schedule.
    pub n_early_objects: AtomicU32,
    /// 1 if objects got another name after that.
    pub objects_moved: AtomicU32,
    /// Where the variables of the program are.
    pub variables_start: AtomicU64,
    pub variables_end: AtomicU64,
    /// 1 if the program waited for any of several children.
    pub waited_for_any: AtomicU32,
    /// 1 if the program asked for something of which nobody here knows when it comes.
    pub has_outsiders: AtomicU32,
    /// 1 if the program asked the kernel to hold back system calls.
    pub has_filter: AtomicU32,
    /// 1 as soon as something depends on files that an earlier execution left.
    pub has_leftovers: AtomicU32,
    /// 1 if memory was mapped that processes can share and write.
    pub shares_mappings: AtomicU32,
    /// 1 if kernel objects were made that outlive processes.
    pub used_ipc: AtomicU32,
    /// 1 if a function of the program handled a signal that could have come at another moment.
    pub was_interrupted: AtomicU32,
    /// 1 if the program drew a random number.
    pub drew_random: AtomicU32,
    /// The step that let a thread sleep for long last, plus one, if others could notice.
    pub slept: AtomicU32,
    /// 1 if a time limit could have passed, but was taken not to.
    pub held_limits: AtomicU32,
    pub clock: AtomicU64,
    pub random: AtomicU64,
    pub sleep: [AtomicU64; limits::THREADS / 64],
    /// Who can move where the execution was cut.
    pub enabled: [AtomicU64; limits::THREADS / 64],
    pub n_remarks: AtomicU32,
    /// 1 while the process of an execution that is over goes back to its beginning.
    pub rewinds: AtomicU32,
    /// 1 if the execution is to be repeated, in a process of its own.
    pub must_repeat: AtomicU32,
    /// How much was promoted when the execution began.
    pub n_promoted_before: AtomicU32,
    /// 1 while an execution is to note the pages that it uses.
    pub observes_code: AtomicU32,
    pub n_hot_pages: AtomicU32,
    /// Counts everything that happens, for the watchdog.
    pub heartbeat: AtomicU64,
    /// Counts the waits that only time ended, and where the last of them was.
    pub timed_waits: AtomicU64,
    pub timed_wait_place: AtomicU64,
}

/// States of a thread.
pub mod state {
    /// The slot is free.
    pub const FREE: u32 = 0;
    /// It waits for the token; its operation is pending.
    pub const PENDING: u32 = 1;
    /// It has the token.
    pub const RUNNING: u32 = 2;
    /// It is over.
    pub const FINISHED: u32 = 3;
    /// It was ended with its process; its operation is still pending.
    pub const KILLED: u32 = 4;
}

/// Is a thread kept from going on?
pub mod held {
    pub const FREE: u32 = 0;
    /// It only repeats what it did: nothing is lost.
    pub const REPEATS: u32 = 1;
    /// It got nowhere for too long: what it would do is not explored.
    pub const GIVEN_UP: u32 = 2;
}

/// A thread of the program.
#[repr(C)]
pub struct Thread {
    pub state: AtomicU32,
    /// 1 when it may run; a futex.
    pub go: AtomicU32,
    pub process: AtomicU32,
    pub creator: AtomicU32,
    /// The number among those its creator made.
    pub birth: AtomicU32,
    pub n_created: AtomicU32,
    pub handle: AtomicU64,
    pub operation: OperationCell,
    /// The value chosen for the operation.
    pub value: AtomicU32,
    /// How many values there are to choose from, when the explorer is asked.
    pub n_values: AtomicU32,
    /// The object it waits for as a waiter, 0 if none.
    pub waits_for: AtomicU32,
    /// 1 when it was woken.
    pub is_woken: AtomicU32,
    /// The event that woke it, plus one.
    pub cause: AtomicU32,
    /// Its tries in vain since another thread moved.
    pub fruitless: Rounds,
    /// Its yields since another thread moved.
    pub yields: Rounds,
    /// Where it yielded last, how often there whoever moved, how often it found nothing changed, and what it found, as a number.
    pub polite_place: AtomicU64,
    pub politeness: AtomicU32,
    pub unchanged: AtomicU32,
    pub scene: AtomicU64,
    /// Is it kept from going on until another has moved? See [`held`].
    pub held: AtomicU32,
    /// Counts what it did that leaves traces elsewhere than in memory and in the objects.
    pub deeds: AtomicU32,
    /// The end of the program's part of its stack at its last operation.
    pub stack_pointer: AtomicU64,
    /// Not 0 if nobody shall join it, see the runtime.
    pub is_detached: AtomicU32,
    /// The thread, plus one, that has joined it.
    pub joiner: AtomicU32,
    /// Where that was.
    pub joined_at: AtomicU64,
    /// 1 from when it waits for its first turn. Not of the first thread of a process.
    pub has_arrived: AtomicU32,
    pub priority: AtomicU32,
    /// How often it was chosen.
    pub n_choices: AtomicU32,
    /// Where its function and argument are in the pool, plus one; 0 if it began with `main` or `fork`.
    pub parameters: AtomicU32,
    /// Rounds in which nobody but it could do something.
    pub alone: AtomicU32,
    /// Where its stack begins; 0 if that is not known.
    pub stack_top: AtomicU64,
    /// Where the callers of its pending operation are in the pool, plus one: their number, then two words each.
    pub callers: AtomicU32,
    /// Was it asked to end, and may it? See the runtime.
    pub cancellation: AtomicU32,
    /// What may interrupt its pending operation, see the runtime.
    pub interruptible: AtomicU32,
    /// The signal that arrives with the token, see the runtime; 0 if none.
    pub interrupt: AtomicU32,
    /// The signals that it does not let through, by bits.
    pub blocked: AtomicU64,
    /// The signals that were sent to it alone and have not arrived.
    pub signals: AtomicU64,
    /// The thread, plus one, at which signals arrive when this one moves; it is none of the program then.
    pub victim: AtomicU32,
    /// The thread, plus one, that is the victim of this one.
    pub deliverer: AtomicU32,
    /// Where it woke up without a reason last.
    pub spurious_place: AtomicU64,
    /// Of a timer: when its time has come, by the clock of the header. Of a thread that waits with a long time limit: the same; 0 if it does not.
    pub deadline: AtomicU64,
    /// Of a timer: after how many nanoseconds it comes again, 0 if it does not, and how often it
    /// has come.
    pub interval: AtomicU64,
    pub n_intervals: AtomicU32,
    /// How many random numbers it has drawn.
    pub drawn: AtomicU64,
    /// Its operations in a row that were no steps, because no other thread uses what they are
    /// about.
    pub unseen: AtomicU32,
    /// What the last of them was about, if there was no step since.
    pub last_unseen: AtomicU32,
    /// The processors on which it said it would run, by bits; none if it did not say.
    pub affinity: [AtomicU64; limits::PROCESSORS / 64],
}

/// What leads a thread nowhere, again and again.
#[repr(C)]
pub struct Rounds {
    /// Where in the program.
    pub place: AtomicU64,
    /// How often.
    pub count: AtomicU32,
    /// The registers and the stack a round ago, as a number.
    pub view: AtomicU64,
    /// Everything the thread could see then, as a number.
    pub world: AtomicU64,
    /// After the first of them, the part of a second that the clock showed, in nanoseconds.
    pub phase: AtomicU64,
}

impl Rounds {
    /// Begins anew.
    pub fn forget(&self) {
        self.count.store(0, Relaxed);
        self.view.store(0, Relaxed);
        self.world.store(0, Relaxed);
    }
}

/// A process of the program.
#[repr(C)]
pub struct Process {
    /// As the program sees it.
    pub pid: AtomicI32,
    pub parent: AtomicU32,
    pub is_finished: AtomicU32,
    pub is_reaped: AtomicU32,
    /// Has it become another program, or failed to? See the runtime.
    pub program: AtomicU32,
    /// Is its end announced? Its children belong to another process then.
    pub has_left: AtomicU32,
    pub n_live: AtomicU32,
    /// 1 if it is, or comes from, another program than the first: its addresses mean something else.
    pub is_foreign: AtomicU32,
    /// The signals that were sent to it and have not arrived, by bits.
    pub signals: AtomicU64,
    /// The signals for which it has a function.
    pub handled: AtomicU64,
    /// The signals that it wants to know nothing of.
    pub ignored: AtomicU64,
    /// The signals after which an interrupted operation goes on.
    pub restarts: AtomicU64,
    /// Those that a timer with an interval sent again since nothing else could move.
    pub late: AtomicU64,
    /// Who sent each signal last.
    pub senders: [AtomicI32; 65],
    /// What was sent with it.
    pub values: [AtomicU64; 65],
    /// How it was sent, as `si_code` tells.
    pub codes: [AtomicI32; 65],
}

/// A file that the program has loaded: itself, or a library.
#[repr(C)]
pub struct Module {
    /// What is added to the addresses in the file.
    pub base: AtomicU64,
    /// Empty for the program itself.
    pub path: Message,
}

/// Something threads share.
#[repr(C)]
pub struct Object {
    pub kind: AtomicU8,
    pub flavour: AtomicU8,
    /// Was it initialised or destroyed by a call? See the runtime.
    pub condition: AtomicU8,
    /// Whose memory it is in, see the runtime.
    pub space: AtomicU32,
    pub address: AtomicU64,
    /// The thread that holds it, plus one.
    pub owner: AtomicU32,
    /// How often it is held, or the value of a counter.
    pub count: AtomicI32,
    pub extra: AtomicU32,
    /// Where [`Region::index`] holds its number.
    pub slot: AtomicU32,
    /// Where its numbers start in the pool, and how many there are.
    pub list: AtomicU32,
    pub length: AtomicU32,
    /// Who locked, initialised or destroyed it last, plus one, and where: for reports.
    pub changed_by: AtomicU32,
    pub changed_at: AtomicU64,
    /// The only thread that uses it, plus one, since there are several; [`NONE`] if there is more
    /// than one.
    pub user: AtomicU32,
    /// How many threads that one had made by then.
    pub used_at: AtomicU32,
}

/// An [`Operation`] in shared memory.
#[repr(C)]
pub struct OperationCell {
    kind: AtomicU8,
    effect: AtomicU8,
    object: AtomicU32,
    other: AtomicU32,
    argument: AtomicU64,
    list: AtomicU32,
    length: AtomicU32,
    target: AtomicU32,
    place: AtomicU64,
}

impl OperationCell {
    pub fn load(&self) -> Operation {
        Operation {
            kind: Kind::from_number(self.kind.load(Relaxed)),
            effect: Effect::from_number(self.effect.load(Relaxed)),
            object: self.object.load(Relaxed),
            other: self.other.load(Relaxed),
            argument: self.argument.load(Relaxed),
            list: self.list.load(Relaxed),
            length: self.length.load(Relaxed),
            target: self.target.load(Relaxed),
            place: self.place.load(Relaxed),
        }
    }

    pub fn store(&self, operation: &Operation) {
        self.kind.store(operation.kind as u8, Relaxed);
        self.effect.store(operation.effect as u8, Relaxed);
        self.object.store(operation.object, Relaxed);
        self.other.store(operation.other, Relaxed);
        self.argument.store(operation.argument, Relaxed);
        self.list.store(operation.list, Relaxed);
        self.length.store(operation.length, Relaxed);
        self.target.store(operation.target, Relaxed);
        self.place.store(operation.place, Relaxed);
    }
}

/// A step that was taken.
#[repr(C)]
pub struct Event {
    pub thread: AtomicU32,
    /// 1 if it was no choice: nobody else can notice when it happens.
    pub is_silent: AtomicU32,
    pub operation: OperationCell,
    pub value: AtomicU32,
    /// How many values there were.
    pub n_values: AtomicU32,
    /// The event that made it possible, plus one.
    pub cause: AtomicU32,
    /// The value of the counter before; of a mutex, the thread that held it, plus one.
    pub before: AtomicI32,
    /// 1 if the thread went wrong before its next visible operation.
    pub is_fatal: AtomicU32,
    /// As in [`Thread::callers`].
    pub callers: AtomicU32,
    pub enabled: [AtomicU64; limits::THREADS / 64],
    pub sleep: [AtomicU64; limits::THREADS / 64],
}

/// One choice of a schedule.
#[repr(C)]
pub struct Choice {
    pub thread: AtomicU32,
    pub value: AtomicU32,
}

/// A short text.
#[repr(C)]
pub struct Message {
    pub length: AtomicU32,
    pub bytes: [AtomicU8; limits::MESSAGE],
}

impl Message {
    pub fn store(&self, parts: &[&[u8]]) {
        let mut length = 0;
        for byte in parts.iter().flat_map(|part| part.iter()).take(limits::MESSAGE) {
            self.bytes[length].store(*byte, Relaxed);
            length += 1;
        }
        self.length.store(length as u32, Relaxed);
    }

    pub fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        let length = (self.length.load(Relaxed) as usize).min(limits::MESSAGE);
        self.bytes[..length].iter().map(|byte| byte.load(Relaxed))
    }
}

/// How the program chooses when the prefix is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Policy {
    /// The lowest thread that is enabled and not asleep.
    Lowest = 0,
    /// The thread that moved last as long as it can, then the next one that can, in a circle.
    Continue = 1,
    /// Any, with equal chances.
    Random = 2,
    /// The one with the highest priority; priorities are random and are lowered at the change points.
    Pct = 3,
    /// The explorer is asked each time.
    Ask = 4,
    /// The first thread as long as it can, then the last one: the opposite of the order in which threads are made.
    Backwards = 5,
}

/// When an execution ends whose program failed: an assertion, a crash. One in which an assumption is
/// false always goes on as [`Failures::Awaited`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Failures {
    /// At once: the search ends with it.
    AtOnce = 0,
    /// In a step of its own ([`Kind::End`]): others may come before it.
    Awaited = 1,
    /// The same as long as there are choices that were told; then at once.
    AsTold = 2,
}

impl Failures {
    /// The one with this number.
    pub fn from_number(number: u32) -> Failures {
        use Failures::*;
        [AtOnce, Awaited, AsTold].get(number as usize).copied().unwrap_or(AtOnce)
    }
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Outcome {
    /// It is under way.
    Running = 0,
    /// All threads ended.
    Finished = 1,
    /// Not all did, and none of the others can move.
    Deadlock = 2,
    Assertion = 3,
    /// A process was ended by a signal.
    Crash = 4,
    /// No visible operation for too long.
    Divergence = 5,
    /// Everybody only yields.
    Livelock = 6,
    /// Whoever could move is asleep: the rest was explored elsewhere.
    SleepBlocked = 7,
    /// The limit of the depth was met.
    Cut = 8,
    /// The program did not do what it did before under the same schedule.
    Mismatch = 9,
    /// It has more threads, objects or steps than there is room for.
    TooLarge = 10,
    /// Something that the program assumes is not so: the execution is of no interest.
    Assumed = 11,
    /// The program did something after which the model is not true any more.
    Lost = 12,
}

impl Outcome {
    const ALL: [Outcome; 13] = {
        use Outcome::*;
        [
            Running,
            Finished,
            Deadlock,
            Assertion,
            Crash,
            Divergence,
            Livelock,
            SleepBlocked,
            Cut,
            Mismatch,
            TooLarge,
            Assumed,
            Lost,
        ]
    };

    pub fn from_number(number: u32) -> Outcome {
        Outcome::ALL.get(number as usize).copied().unwrap_or(Outcome::Mismatch)
    }
}

impl Region {
    pub fn semop(&self, at: u32) -> SemOp {
        let word = |at: u32| self.pool.get(at as usize).map_or(0, |word| word.load(Relaxed));
        SemOp { index: word(at * 2), change: word(at * 2 + 1) as i32 }
    }

    pub fn process_of(&self, thread: usize) -> u32 {
        self.threads[thread].process.load(Relaxed)
    }

    /// Forgets what was done since the execution began, so that it can be repeated.
    pub fn begin_again(&self) {
        self.reset();
        self.header.waited_for_any.store(0, Relaxed);
        self.header.has_outsiders.store(0, Relaxed);
        self.memory.n_promoted.store(self.header.n_promoted_before.load(Relaxed), Relaxed);
    }

    /// Forgets the last execution, so that the next can begin.
    pub fn reset(&self) {
        let header = &self.header;
        for object in self.objects.iter().take(header.n_objects.load(Relaxed) as usize + 1) {
            if let Some(slot) = self.index.get(object.slot.load(Relaxed) as usize) {
                slot.store(0, Relaxed);
            }
            object.clear();
        }
        for thread in self.threads.iter().take(header.n_threads.load(Relaxed) as usize) {
            thread.clear();
        }
        for process in self.processes.iter().take(header.n_processes.load(Relaxed) as usize) {
            process.clear();
        }
        header.clear();
        self.memory.n_races.store(0, Relaxed);
        self.memory.n_weak.store(0, Relaxed);
        self.misuses.count.store(0, Relaxed);
        self.later_files.clear();
        self.executed.clear();
    }
}

impl Header {
    fn clear(&self) {
        for word in [
            &self.outcome,
            &self.culprit,
            &self.limit,
            &self.n_threads,
            &self.n_processes,
            &self.n_objects,
            &self.n_events,
            &self.n_pool,
            &self.n_pool_end,
            &self.n_steps,
            &self.current,
            &self.moved,
            &self.waits_again,
            &self.has_filter,
            &self.has_leftovers,
            &self.quiet,
            &self.gave_up,
            &self.trial,
            &self.trial_turns,
            &self.trial_unchanged,
            &self.trial_steps,
            &self.is_concurrent,
            &self.n_early_objects,
            &self.objects_moved,
            &self.question,
            &self.answer,
            &self.message.length,
            &self.panic.length,
            &self.crash_signal,
            &self.crash_callers,
            &self.n_remarks,
            &self.observes_code,
            &self.shares_mappings,
            &self.was_interrupted,
            &self.drew_random,
            &self.held_limits,
            &self.slept,
        ] {
            word.store(0, Relaxed);
        }
        self.status.store(0, Relaxed);
        self.crash_address.store(0, Relaxed);
        self.clock.store(0, Relaxed);
        self.timed_waits.store(0, Relaxed);
        self.timed_wait_place.store(0, Relaxed);
        store_set(&self.sleep, ThreadSet::EMPTY);
        store_set(&self.enabled, ThreadSet::EMPTY);
    }
}

impl Thread {
    pub fn clear(&self) {
        let words = [
            &self.state,
            &self.go,
            &self.process,
            &self.creator,
            &self.birth,
            &self.n_created,
            &self.value,
            &self.n_values,
            &self.waits_for,
            &self.is_woken,
            &self.cause,
            &self.held,
            &self.deeds,
            &self.politeness,
            &self.unchanged,
            &self.is_detached,
            &self.joiner,
            &self.has_arrived,
            &self.priority,
            &self.n_choices,
            &self.alone,
            &self.parameters,
            &self.callers,
            &self.cancellation,
            &self.interruptible,
            &self.interrupt,
            &self.victim,
            &self.deliverer,
            &self.unseen,
            &self.last_unseen,
            &self.n_intervals,
        ];
        words.iter().for_each(|word| word.store(0, Relaxed));
        self.handle.store(0, Relaxed);
        self.joined_at.store(0, Relaxed);
        self.stack_top.store(0, Relaxed);
        self.stack_pointer.store(0, Relaxed);
        self.polite_place.store(0, Relaxed);
        self.scene.store(0, Relaxed);
        self.blocked.store(0, Relaxed);
        self.signals.store(0, Relaxed);
        self.spurious_place.store(0, Relaxed);
        self.deadline.store(0, Relaxed);
        self.drawn.store(0, Relaxed);
        self.interval.store(0, Relaxed);
        self.affinity.iter().for_each(|word| word.store(0, Relaxed));
        for rounds in [&self.fruitless, &self.yields] {
            rounds.place.store(0, Relaxed);
            rounds.forget();
        }
        self.operation.store(&Operation::default());
    }
}

impl Process {
    fn clear(&self) {
        self.pid.store(0, Relaxed);
        for word in [
            &self.parent,
            &self.is_finished,
            &self.is_reaped,
            &self.program,
            &self.has_left,
            &self.n_live,
            &self.is_foreign,
        ] {
            word.store(0, Relaxed);
        }
        for word in [&self.signals, &self.handled, &self.ignored, &self.restarts, &self.late] {
            word.store(0, Relaxed);
        }
    }
}

impl Object {
    fn clear(&self) {
        self.kind.store(0, Relaxed);
        self.flavour.store(0, Relaxed);
        self.condition.store(0, Relaxed);
        self.address.store(0, Relaxed);
        self.changed_at.store(0, Relaxed);
        self.changed_by.store(0, Relaxed);
        self.count.store(0, Relaxed);
        for word in [&self.user, &self.used_at] {
            word.store(0, Relaxed);
        }
        for word in [&self.space, &self.owner, &self.extra, &self.slot, &self.list, &self.length] {
            word.store(0, Relaxed);
        }
    }
}

/// Reads a set of threads.
pub fn load_set(words: &[AtomicU64; limits::THREADS / 64]) -> ThreadSet {
    let mut set = ThreadSet::EMPTY;
    for (word, shared) in set.0.iter_mut().zip(words) {
        *word = shared.load(Relaxed);
    }
    set
}

/// Writes a set of threads.
pub fn store_set(words: &[AtomicU64; limits::THREADS / 64], set: ThreadSet) {
    for (word, shared) in set.0.iter().zip(words) {
        shared.store(*word, Relaxed);
    }
}
