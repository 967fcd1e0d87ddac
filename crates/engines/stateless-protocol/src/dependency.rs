//! For which operations of different threads the order can matter.
//!
//! An operation touches at most two objects, each in a certain way ([`Access`]); only a poll looks at any number of them, and an operation
//! on files has a list of what it touches and how. Two operations are dependent if they touch one object in ways that do not commute ([`conflict`]).
//!
//! Of a step it is known what became of it ([`Effect`]), which narrows down how it touched its object; of an operation that nobody has
//! performed anything is expected ([`Effect::Any`]). Apart from that the relation does not look at states: two steps are called independent only
//! if, wherever they come one after the other with these effects, they can also come the other way round, with the same effects and
//! the same result, and neither can enable or disable the other. So it is valid for sleep sets and for vector clocks alike.
//!
//! The rest is about threads and processes: an operation that creates or wakes a thread comes before what that thread does, and the
//! end of a process is dependent with everything its other threads do, and so is a copy of it. Signals are about processes, too.

use crate::operation::{Effect, Kind, Operation, SemOp, use_of_file};

/// How an operation touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// In a way that commutes with other reads.
    Read,
    /// In a way that commutes with nothing.
    Write,
    /// Takes from a counter.
    Take,
    /// Gives to a counter. Gives commute.
    Give,
    /// Starts to wait, or is no longer willing to. Who is woken is a free choice, so waiters commute.
    Enqueue,
    /// Wakes one, or all. Who is woken can go on after that one, so not even those that wake all commute.
    Signal,
    /// Shared use that begins or ends: commutes with itself.
    Share,
    /// Takes from a counter what was there before anybody gave. Commutes with gives, and with others that do the same.
    Reserve,
    /// Arrives at a barrier where others are still missing. Two of them commute.
    Arrive,
    /// Leaves a barrier. Commutes with everything but what makes another barrier of it.
    Leave,
    /// Initialises or destroys a barrier.
    Remake,
}

/// Do two accesses to one object fail to commute?
pub fn conflict(a: Access, b: Access) -> bool {
    use Access::*;
    !matches!(
        (a, b),
        (Read, Read)
            | (Give, Give)
            | (Enqueue, Enqueue)
            | (Share, Share)
            | (Reserve, Reserve | Give)
            | (Give, Reserve)
            | (Arrive, Arrive)
    ) && !matches!((a, b), (Leave, other) | (other, Leave) if other != Remake)
}

/// The objects of an operation with their accesses; object 0 is no object.
pub type Footprint = [(u32, Access); 2];

/// What an operation touches; sets of semaphores are compared by index instead, see [`dependent`].
pub fn accesses(operation: &Operation) -> Footprint {
    use Access::*;
    let object = |access| [(operation.object, access), (0, Read)];
    let both = |first, second| [(operation.object, first), (operation.other, second)];
    match operation.effect {
        Effect::Any | Effect::Overdue => {}
        Effect::Look => return object(Read),
        Effect::Share => return object(Share),
        Effect::Reserve => return object(Reserve),
        Effect::Early => return object(Arrive),
        Effect::Late => return object(Enqueue),
    }
    match operation.kind {
        Kind::Nothing
        | Kind::Start
        | Kind::Create
        | Kind::ThreadExit
        | Kind::Join
        | Kind::Spawned
        | Kind::WaitProcess
        | Kind::Toss
        | Kind::Yield
        | Kind::WaitAny
        | Kind::PollAny
        | Kind::Kill
        | Kind::SignalMask
        | Kind::SignalAction
        | Kind::SignalWait
        | Kind::SignalPoll
        | Kind::Pause
        | Kind::CancellationPoint
        | Kind::PollThread
        | Kind::Detach
        | Kind::JoinBegins
        | Kind::Fork
        | Kind::ThreadsEnd
        | Kind::End
        | Kind::FileLook
        | Kind::FileChange
        | Kind::ProcessExit => [(0, Read); 2],
        Kind::Cancel => object(Signal),
        Kind::Deliver => both(Write, Write),
        Kind::CondWait => both(Enqueue, Write),
        Kind::CondReacquire => [(operation.other, Write), (0, Read)],
        Kind::CondReacquireTimed => both(Signal, Write),
        Kind::CondSignal | Kind::CondBroadcast | Kind::FutexWake => object(Signal),
        // It looks at the word first.
        Kind::FutexWait => both(Enqueue, Read),
        Kind::FutexResume => [(0, Read); 2],
        Kind::FutexResumeTimed => object(Signal),
        Kind::SemWait => object(Take),
        Kind::SemPost => object(Give),
        Kind::QueueClose => both(Give, Give),
        Kind::SetChange => both(Write, Write),
        // The second object of connecting is the socket.
        Kind::QueueChange | Kind::Connect => both(Write, Write),
        Kind::FileLock | Kind::FileTrylock | Kind::FileUnlock => both(Write, Write),
        Kind::SemGetvalue | Kind::SetRead | Kind::PollWait | Kind::PollTry => object(Read),
        Kind::MemoryRead | Kind::MemoryLoad => both(Read, Read),
        Kind::MemoryWrite | Kind::MemoryStore | Kind::MemoryUpdate => both(Write, Write),
        Kind::ReadLock | Kind::ReadUnlock => object(Share),
        Kind::BarrierLeave => object(Leave),
        Kind::BarrierChange => object(Remake),
        _ => object(Write),
    }
}

/// Is the order of two operations of different threads relevant? `semops` reads the pool, `process_of` tells the process of a
/// thread.
pub fn dependent(
    (first, first_thread): (&Operation, usize),
    (second, second_thread): (&Operation, usize),
    semop: &impl Fn(u32) -> SemOp,
    process_of: &impl Fn(usize) -> u32,
) -> bool {
    if first.effect == Effect::Overdue || second.effect == Effect::Overdue {
        return true;
    }
    if first.target == second_thread as u32 + 1 || second.target == first_thread as u32 + 1 {
        return true;
    }
    if about_signals(first, first_thread, second, second_thread, process_of)
        || about_signals(second, second_thread, first, first_thread, process_of)
        || about_process(first, first_thread, second, second_thread, process_of)
        || about_process(second, second_thread, first, first_thread, process_of)
    {
        return true;
    }
    if matches!(
        (first.kind, second.kind),
        (Kind::Detach, Kind::JoinBegins) | (Kind::JoinBegins, Kind::Detach)
    ) {
        return first.argument == second.argument;
    }
    if first.object == second.object
        && first.other != second.other
        && (gives_up(first) && begins(second) || begins(first) && gives_up(second))
    {
        return true;
    }
    if operates_on_set(first) && operates_on_set(second) {
        return first.object == second.object && sets_conflict(first, second, semop);
    }
    if first.kind.is_file() && second.kind.is_file() {
        return files_conflict(first, second, semop);
    }
    if first.kind.is_memory() && second.kind.is_memory() && !overlap(first, second) {
        return false;
    }
    if first.kind == Kind::QueueClose && second.kind == Kind::QueueClose && first.argument == second.argument
    {
        return true;
    }
    if looks_at(first, second, semop) || looks_at(second, first, semop) {
        return true;
    }
    let second = accesses(second);
    accesses(first).iter().any(|(object, access)| {
        *object != 0 && second.iter().any(|(other, with)| object == other && conflict(*access, *with))
    })
}

/// Does a poll watch something that another operation changes?
fn looks_at(poll: &Operation, other: &Operation, semop: &impl Fn(u32) -> SemOp) -> bool {
    poll.watches()
        && (poll.list..poll.list + poll.length).any(|at| {
            let watched = semop(at).index;
            accesses(other)
                .iter()
                .any(|(object, access)| *object == watched && conflict(Access::Read, *access))
        })
}

/// The end of a process or thread, a copy of one, and waiting for it. What was interrupted may have waited for any of them.
fn about_process(
    operation: &Operation,
    thread: usize,
    other: &Operation,
    other_thread: usize,
    process_of: &impl Fn(usize) -> u32,
) -> bool {
    match operation.kind {
        Kind::Fork | Kind::ThreadsEnd => process_of(thread) == process_of(other_thread),
        Kind::ProcessExit => {
            process_of(thread) == process_of(other_thread)
                || matches!(other.kind, Kind::WaitAny | Kind::PollAny | Kind::Cancelled | Kind::Deliver)
                || other.kind == Kind::WaitProcess && other.argument == u64::from(process_of(thread))
        }
        Kind::ThreadExit => match other.kind {
            Kind::Join | Kind::PollThread => other.argument == thread as u64,
            _ => matches!(other.kind, Kind::Cancelled | Kind::Deliver),
        },
        Kind::WaitAny | Kind::PollAny => matches!(other.kind, Kind::WaitAny | Kind::PollAny),
        _ => false,
    }
}

/// Signals that are pending for a process matter to all its threads that do something with signals.
fn about_signals(
    operation: &Operation,
    thread: usize,
    other: &Operation,
    other_thread: usize,
    process_of: &impl Fn(usize) -> u32,
) -> bool {
    let other_process = process_of(other_thread);
    if let Some(receiver) = operation.receiver() {
        let is_concerned = match other.kind {
            Kind::Kill => other.receiver() == Some(receiver),
            Kind::ProcessExit => other_process == receiver || other.receiver() == Some(receiver),
            // Who is still there may get it.
            Kind::ThreadExit | Kind::ThreadsEnd => other_process == receiver,
            // The signal comes with the child at the latest.
            Kind::WaitProcess if operation.kind == Kind::ProcessExit => other_process == receiver,
            Kind::WaitAny | Kind::PollAny | Kind::WaitProcess => operation.kind == Kind::Kill,
            kind => kind.is_about_signals() && other_process == receiver,
        };
        return is_concerned;
    }
    operation.kind.is_about_signals()
        && other.kind.is_about_signals()
        && other.kind != Kind::Kill
        && process_of(thread) == other_process
}

/// Do two accesses to memory have a byte in common?
fn overlap(first: &Operation, second: &Operation) -> bool {
    let bytes = |operation: &Operation| {
        [(operation.object, operation.argument as u8), (operation.other, (operation.argument >> 8) as u8)]
    };
    let second = bytes(second);
    bytes(first).iter().any(|(object, mask)| {
        second.iter().any(|(other, with)| *object != 0 && object == other && mask & with != 0)
    })
}

/// A wait for a condition with one mutex that ends because the time is up, and one with another mutex that begins: it is wrong if both wait at once.
fn gives_up(operation: &Operation) -> bool {
    operation.kind == Kind::CondReacquireTimed
}

fn begins(operation: &Operation) -> bool {
    operation.kind == Kind::CondWait
}

fn operates_on_set(operation: &Operation) -> bool {
    matches!(operation.kind, Kind::SetOperate | Kind::SetTry)
}

/// Index by index. Two operations that only add to a semaphore commute, unless an argument says
/// that others may ask who was the last one; trying looks at every index it names.
fn sets_conflict(first: &Operation, second: &Operation, semop: &impl Fn(u32) -> SemOp) -> bool {
    let list = |operation: &Operation| operation.list..operation.list + operation.length;
    list(first).any(|a| {
        let a = semop(a);
        list(second).any(|b| {
            let b = semop(b);
            a.index == b.index
                && (first.argument != 0
                    || second.argument != 0
                    || conflict(set_access(first.kind, a), set_access(second.kind, b)))
        })
    })
}

/// Object by object; 0 is none. What is on the list of one is touched by no operation of another kind.
fn files_conflict(first: &Operation, second: &Operation, semop: &impl Fn(u32) -> SemOp) -> bool {
    let list = |operation: &Operation| operation.list..operation.list + operation.length;
    list(first).any(|a| {
        let a = semop(a);
        a.index != 0
            && list(second).any(|b| {
                let b = semop(b);
                a.index == b.index && conflict(file_access(a.change), file_access(b.change))
            })
    })
}

/// How an entry of the list of an operation on files touches its object.
pub fn file_access(use_of: i32) -> Access {
    match use_of {
        use_of_file::READ => Access::Read,
        use_of_file::ADD => Access::Give,
        _ => Access::Write,
    }
}

fn set_access(kind: Kind, semop: SemOp) -> Access {
    match semop.change {
        _ if kind == Kind::SetTry => Access::Write,
        0 => Access::Read,
        1.. => Access::Give,
        _ => Access::Take,
    }
}
