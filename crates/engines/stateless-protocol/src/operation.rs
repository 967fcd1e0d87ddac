//! What a thread may do that others can notice.

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $word:literal;)*) => {
        /// What an operation does.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $name = $number,)*
        }

        impl Kind {
            /// The word used in reports.
            pub fn word(self) -> &'static str {
                match self { $(Kind::$name => $word,)* }
            }

            /// The kind with this number.
            pub fn from_number(number: u8) -> Kind {
                match number { $($number => Kind::$name,)* _ => Kind::Nothing }
            }
        }
    };
}

kinds! {
    /// No operation.
    #[default]
    Nothing = 0, "nothing";
    /// The first step of a thread, up to its first visible operation.
    Start = 1, "start";
    /// Makes a thread or process: `target` is the new thread.
    Create = 2, "create";
    /// Copies a process whose other threads may be anywhere: what they did so far is in the copy. [`Kind::Create`] follows.
    Fork = 13, "fork";
    /// The end of a thread that does not end its process.
    ThreadExit = 3, "thread_exit";
    /// The end of the other threads of a process that ends.
    ThreadsEnd = 12, "exit_threads";
    /// The execution ends because of what the thread does now. That comes after what others did before, and nothing comes after it.
    End = 14, "end";
    /// The end of a process. The lower half of `argument` is the process; see also [`Operation::receiver`].
    ProcessExit = 4, "exit";
    /// Waits until thread `argument` has ended.
    Join = 5, "join";
    /// Waits until process `argument` has become another program, or failed to.
    Spawned = 15, "spawn";
    /// Waits until process `argument` has ended.
    WaitProcess = 6, "waitpid";
    /// Waits until some child of process `argument` has ended; which one is a choice.
    WaitAny = 7, "wait";
    /// The same without blocking.
    PollAny = 8, "wait_nohang";
    /// A free choice among `argument + 1` values.
    Toss = 9, "toss";
    /// Gives way to others.
    Yield = 10, "yield";
    /// Something the program declared to be visible: `object` is its name.
    Visible = 11, "visible";
    MutexLock = 20, "mutex_lock";
    /// Also a lock with a time limit, which has passed if the mutex is taken.
    MutexTrylock = 21, "mutex_trylock";
    MutexUnlock = 22, "mutex_unlock";
    /// Initialises or destroys.
    MutexChange = 23, "mutex_change";
    /// The owner of a robust mutex ends, and leaves it to whoever locks it next.
    MutexLeave = 24, "mutex_leave";
    /// Releases the mutex `other` and joins those who wait for `object`.
    CondWait = 30, "cond_wait";
    /// Takes the mutex `other` again after a signal.
    CondReacquire = 31, "cond_reacquire";
    /// The same for a wait with a time limit. If there was no signal, the time is up, and the mutex is left to [`Kind::CondReacquire`].
    CondReacquireTimed = 32, "cond_reacquire_timed";
    /// Wakes one waiter, if there are any; which one is a choice.
    CondSignal = 33, "cond_signal";
    CondBroadcast = 34, "cond_broadcast";
    CondChange = 35, "cond_change";
    SemWait = 40, "sem_wait";
    SemTrywait = 41, "sem_trywait";
    SemPost = 42, "sem_post";
    SemGetvalue = 43, "sem_getvalue";
    SemChange = 44, "sem_change";
    /// Several semaphores of a System V set at once: `list`.
    SetOperate = 50, "semop";
    /// The same with `IPC_NOWAIT` or a time limit.
    SetTry = 51, "semop_nowait";
    SetRead = 52, "semctl_get";
    SetChange = 53, "semctl_set";
    ReadLock = 60, "rwlock_rdlock";
    ReadTrylock = 61, "rwlock_tryrdlock";
    WriteLock = 62, "rwlock_wrlock";
    WriteTrylock = 63, "rwlock_trywrlock";
    ReadUnlock = 64, "rwlock_rdunlock";
    WriteUnlock = 65, "rwlock_wrunlock";
    RwlockChange = 66, "rwlock_change";
    /// Counts one more at the barrier.
    BarrierArrive = 70, "barrier_arrive";
    /// Goes on when round `argument` of the barrier is complete.
    BarrierLeave = 71, "barrier_leave";
    BarrierChange = 72, "barrier_change";
    /// Enters the initialisation, or goes on if it is done.
    OnceEnter = 75, "once_enter";
    OnceLeave = 76, "once_leave";
    /// Compares a word and, if it is still the same, joins those who wait for it.
    FutexWait = 80, "futex_wait";
    /// Goes on after a wake-up.
    FutexResume = 81, "futex_resume";
    FutexResumeTimed = 82, "futex_resume_timed";
    /// Wakes up to `argument` waiters.
    FutexWake = 83, "futex_wake";
    /// Takes bytes or a message out of a queue.
    QueueTake = 90, "read";
    /// Puts bytes or a message into a queue.
    QueuePut = 91, "write";
    /// Looks at, opens, closes or changes a queue, or the two of a socket.
    QueueChange = 92, "queue_change";
    /// Closes an end of a pipe, or a socket with its two queues. `argument` tells descriptors apart: one cannot be closed twice.
    QueueClose = 94, "close";
    /// Looks whether a queue could be read or written.
    QueuePoll = 93, "poll";
    /// Sends a signal to a process, see [`Operation::receiver`].
    Kill = 95, "kill";
    /// Asks thread `target` to end; `object` is the condition variable that it waits for, if it does.
    Cancel = 96, "cancel";
    /// Ends the thread at an operation that allows it, because another one asked for that. `object` is what it would have touched.
    Cancelled = 97, "cancelled";
    /// An operation that others notice only by ending the thread there.
    CancellationPoint = 98, "cancellation_point";
    /// Looks whether thread `argument` has ended.
    PollThread = 99, "tryjoin";
    /// A read of memory: the granule `object` and, if it is not 0, the next one, `other`. The lowest byte of `argument` says which bytes of
    /// the first, the next byte which of the second. If there is a `list`, the thread only repeats what it did: pairs of a granule and
    /// its version, of which one must change before it goes on.
    MemoryRead = 100, "read_memory";
    /// A write.
    MemoryWrite = 101, "write_memory";
    /// An atomic read, or an atomic operation that changed nothing.
    MemoryLoad = 102, "atomic_load";
    MemoryStore = 103, "atomic_store";
    /// An atomic read and write in one.
    MemoryUpdate = 104, "atomic_update";
    /// Takes bytes or a message out of a queue if there are any.
    QueueTryTake = 110, "read_nonblocking";
    /// Puts as much into a queue as there is room for.
    QueueTryPut = 111, "write_nonblocking";
    /// Waits until one of several queues is ready: `list` has each with what is waited for.
    PollWait = 112, "poll";
    /// The same without waiting, or with a time limit, which has passed if none is ready.
    PollTry = 113, "poll_try";
    /// Joins the pending connections of a name.
    Connect = 114, "connect";
    /// Takes the first pending connection of a name.
    Accept = 115, "accept";
    /// Locks a part of a file.
    FileLock = 116, "file_lock";
    /// Locks it if that is possible, or begins to wait.
    FileTrylock = 117, "file_trylock";
    FileUnlock = 118, "file_unlock";
    /// Opens a FIFO. If `other` is not 0, waits until somebody has opened the other end since then.
    FifoOpen = 119, "open";
    FifoWait = 120, "open_wait";
    /// A signal arrives at thread `target`, whose operation touches `object` and `other`; which signal is a choice, and so is whether it
    /// interrupts the operation or comes before.
    Deliver = 105, "signal";
    /// Changes which signals the thread lets through.
    SignalMask = 106, "sigmask";
    /// Changes what a signal does to the process, or when one comes.
    SignalAction = 107, "sigaction";
    /// Takes a signal of the set `argument` when there is one.
    SignalWait = 108, "sigwait";
    /// The same without waiting.
    SignalPoll = 109, "sigpoll";
    /// Waits until a signal has come.
    Pause = 121, "pause";
    /// Nobody shall join thread `argument`.
    Detach = 122, "detach";
    /// Looks whether thread `argument` may be joined.
    JoinBegins = 123, "join_begins";
    /// Looks at files, names of files or streams: `list` has each with how it is used, see [`use_of_file`].
    FileLook = 124, "file_look";
    /// The same, and may change some of them.
    FileChange = 125, "file_change";
}

/// What waits, and what tries the same.
const TRIES: [(Kind, Kind); 12] = [
    (Kind::Join, Kind::PollThread),
    (Kind::MutexLock, Kind::MutexTrylock),
    (Kind::ReadLock, Kind::ReadTrylock),
    (Kind::WriteLock, Kind::WriteTrylock),
    (Kind::CondReacquire, Kind::CondReacquireTimed),
    (Kind::SemWait, Kind::SemTrywait),
    (Kind::SetOperate, Kind::SetTry),
    (Kind::FutexResume, Kind::FutexResumeTimed),
    (Kind::QueueTake, Kind::QueueTryTake),
    (Kind::QueuePut, Kind::QueueTryPut),
    (Kind::PollWait, Kind::PollTry),
    (Kind::SignalWait, Kind::SignalPoll),
];

/// How the list of an operation on files says that something is only looked at, changed, or added to.
pub mod use_of_file {
    pub const READ: i32 = 0;
    pub const WRITE: i32 = 1;
    pub const ADD: i32 = 2;
}

impl Kind {
    /// Is it about memory?
    pub fn is_memory(self) -> bool {
        use Kind::*;
        matches!(self, MemoryRead | MemoryWrite | MemoryLoad | MemoryStore | MemoryUpdate)
    }

    /// Is it about files? Then its list has objects in it, and their uses.
    pub fn is_file(self) -> bool {
        matches!(self, Kind::FileLook | Kind::FileChange)
    }

    /// Is it about one lock or the like, so that only those who use the same can notice it?
    pub fn may_be_private(self) -> bool {
        use Kind::*;
        matches!(
            self,
            MutexLock
                | MutexTrylock
                | MutexUnlock
                | MutexChange
                | CondSignal
                | CondBroadcast
                | CondChange
                | SemWait
                | SemTrywait
                | SemPost
                | SemGetvalue
                | SemChange
                | ReadLock
                | ReadTrylock
                | WriteLock
                | WriteTrylock
                | ReadUnlock
                | WriteUnlock
                | RwlockChange
                | BarrierChange
                | OnceEnter
                | OnceLeave
        )
    }

    /// Can it be executed in every state?
    pub fn never_blocks(self) -> bool {
        use Kind::*;
        !matches!(
            self,
            Join | Spawned
                | WaitProcess
                | WaitAny
                | MutexLock
                | CondReacquire
                | CondReacquireTimed
                | SemWait
                | SetOperate
                | ReadLock
                | WriteLock
                | BarrierLeave
                | OnceEnter
                | FutexResume
                | QueueTake
                | QueuePut
                | PollWait
                | Connect
                | Accept
                | FileLock
                | FifoWait
                | Deliver
                | SignalWait
                | Pause
        )
    }

    /// What a try does that has all the time it needs; none if it is no try.
    pub fn waiting(self) -> Option<Kind> {
        TRIES.iter().find(|(_, tries)| *tries == self).map(|(waits, _)| *waits)
    }

    /// The same the other way round.
    pub fn trying(self) -> Option<Kind> {
        TRIES.iter().find(|(waits, _)| *waits == self).map(|(_, tries)| *tries)
    }

    /// Does it wait until a signal comes or some time has passed?
    pub fn has_time_limit(self) -> bool {
        matches!(self, Kind::CondReacquireTimed | Kind::FutexResumeTimed)
    }

    /// Is it about signals?
    pub fn is_about_signals(self) -> bool {
        use Kind::*;
        matches!(self, Kill | Deliver | SignalMask | SignalAction | SignalWait | SignalPoll)
    }
}

/// What became of an operation, as far as that says with what it commutes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Effect {
    /// Not known, or nothing special: whatever its kind can do.
    #[default]
    Any,
    /// It changed nothing: a try that failed, a signal for which nobody waited.
    Look,
    /// A try that began a shared use.
    Share,
    /// It took from a counter what no gift was needed for.
    Reserve,
    /// It arrived at a barrier, but not as the last one.
    Early,
    /// The time was up before there was a signal.
    Late,
    /// A long time limit passed. Where it may pass depends on what all threads can do, so it commutes with nothing.
    Overdue,
}

impl Effect {
    /// The effect with this number.
    pub fn from_number(number: u8) -> Effect {
        use Effect::*;
        [Any, Look, Share, Reserve, Early, Late, Overdue].get(number as usize).copied().unwrap_or_default()
    }
}

/// What a thread does next, or did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operation {
    /// What.
    pub kind: Kind,
    /// What became of it; known only of a step.
    pub effect: Effect,
    /// On which object; 0 if on none.
    pub object: u32,
    /// The mutex of a wait, the other queue of a socket; of a transfer, as of its list.
    pub other: u32,
    /// See [`Kind`].
    pub argument: u64,
    /// Where the [`SemOp`]s start in the pool. Of a poll each is a queue and what is waited for. Of
    /// a transfer that the flag of a description makes fail: the description, without a length.
    pub list: u32,
    /// How many there are.
    pub length: u32,
    /// The thread, plus one, that this operation creates or wakes.
    pub target: u32,
    /// Where in the program it was called.
    pub place: u64,
}

impl Operation {
    /// Does its list have objects in it?
    pub fn lists_objects(&self) -> bool {
        self.watches() || self.kind.is_file()
    }

    /// Are they looked at, to go on when one of them is ready? So does a signal that arrives at
    /// such an operation: whether it comes while the operation waits depends on the same objects.
    pub fn watches(&self) -> bool {
        matches!(self.kind, Kind::PollWait | Kind::PollTry | Kind::Deliver)
    }

    /// The process that gets a signal by this operation: by [`Kind::Kill`], or because a child of it ends.
    pub fn receiver(&self) -> Option<u32> {
        match self.kind {
            Kind::Kill | Kind::ProcessExit => ((self.argument >> 32) as u32).checked_sub(1),
            _ => None,
        }
    }

    /// The argument that tells of a signal to a process, besides a number.
    pub fn signals(receiver: Option<usize>, number: usize) -> u64 {
        (receiver.map_or(0, |receiver| receiver as u64 + 1) << 32) | number as u64
    }
}

/// One change of a semaphore in a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemOp {
    /// Which semaphore of the set.
    pub index: u32,
    /// Added; if negative, waited for; if zero, waited for zero.
    pub change: i32,
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum ObjectKind {
    /// Not in use.
    #[default]
    Nothing,
    Mutex,
    Cond,
    Semaphore,
    /// A System V set.
    Set,
    Rwlock,
    Spin,
    Barrier,
    Once,
    Futex,
    Pipe,
    Queue,
    Name,
    Memory,
    Socket,
    /// A name under which sockets are found.
    Address,
    /// The counter of `eventfd`.
    Event,
    File,
    /// An open file description, or a table of descriptors.
    Description,
    /// The name of a file in its folder, or something else that the threads of a process find under a name: its variables, its
    /// folder, its output.
    Path,
}

impl ObjectKind {
    const ALL: [ObjectKind; 20] = {
        use ObjectKind::*;
        [
            Nothing,
            Mutex,
            Cond,
            Semaphore,
            Set,
            Rwlock,
            Spin,
            Barrier,
            Once,
            Futex,
            Pipe,
            Queue,
            Name,
            Memory,
            Socket,
            Address,
            Event,
            File,
            Description,
            Path,
        ]
    };

    /// Is it a lock or the like, which makes steps only if several threads use it?
    pub fn may_be_private(self) -> bool {
        use ObjectKind::*;
        matches!(self, Mutex | Cond | Semaphore | Rwlock | Spin | Barrier | Once)
    }

    /// The word used in reports.
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Nothing => "nothing",
            ObjectKind::Mutex => "mutex",
            ObjectKind::Cond => "condition",
            ObjectKind::Semaphore => "semaphore",
            ObjectKind::Set => "semaphore set",
            ObjectKind::Rwlock => "rwlock",
            ObjectKind::Spin => "spinlock",
            ObjectKind::Barrier => "barrier",
            ObjectKind::Once => "once",
            ObjectKind::Futex => "futex",
            ObjectKind::Pipe => "pipe",
            ObjectKind::Queue => "message queue",
            ObjectKind::Name => "name",
            ObjectKind::Memory => "memory",
            ObjectKind::Socket => "socket",
            ObjectKind::Address => "address",
            ObjectKind::Event => "eventfd",
            ObjectKind::File => "file",
            ObjectKind::Description => "descriptor",
            ObjectKind::Path => "path",
        }
    }

    /// The kind with this number.
    pub fn from_number(number: u8) -> ObjectKind {
        ObjectKind::ALL.get(number as usize).copied().unwrap_or_default()
    }
}
