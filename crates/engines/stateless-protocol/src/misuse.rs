//! What a program does with its objects that POSIX leaves undefined, such as to unlock a mutex of another thread.
//!
//! The C library mostly does something all the same, and so does the model: an execution goes on after a misuse, for what comes of it
//! tells more. So misuses are a list beside the outcome, as races are.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Different misuses that one execution can report.
pub const MISUSES: usize = 32;

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $word:literal;)*) => {
        /// What is wrong.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u32)]
        pub enum Fault {
            $($(#[$doc])* $name = $number,)*
        }

        impl Fault {
            /// The word used in reports.
            pub fn word(self) -> &'static str {
                match self { $(Fault::$name => $word,)* }
            }

            fn from_number(number: u32) -> Option<Fault> {
                match number { $($number => Some(Fault::$name),)* _ => None }
            }
        }
    };
}

faults! {
    /// Of a lock that another thread holds.
    UnlockOfAnother = 1, "unlock_of_another";
    UnlockOfFree = 2, "unlock_of_free";
    UseOfDestroyed = 3, "use_of_destroyed";
    UseOfUninitialised = 4, "use_of_uninitialised";
    DestroyOfHeld = 5, "destroy_of_held";
    DestroyOfAwaited = 6, "destroy_of_awaited";
    InitOfHeld = 7, "init_of_held";
    InitOfAwaited = 8, "init_of_awaited";
    InitTwice = 9, "init_twice";
    /// Waits for a condition with a mutex that it does not hold.
    WaitWithoutMutex = 10, "wait_without_mutex";
    /// Waits for a condition for which another thread waits with another mutex.
    WaitWithTwoMutexes = 11, "wait_with_two_mutexes";
    /// Joins or detaches a thread that was joined.
    UseOfJoined = 12, "use_of_joined";
    /// Joins or detaches a thread that was detached.
    UseOfDetached = 13, "use_of_detached";
    /// A thread ends and holds a lock.
    HeldAtEnd = 14, "held_at_end";
    /// The function that `pthread_once` calls calls it for the same object.
    OnceInOnce = 15, "once_in_once";
    /// Memory beside a block of the heap.
    OutOfBlock = 16, "out_of_block";
    /// Memory of a block that was given back.
    UseOfFreed = 17, "use_of_freed";
    /// Memory of the stack of a thread that has ended.
    UseOfDeadStack = 18, "use_of_dead_stack";
    /// `free` of an address inside of a block.
    FreeOfPart = 19, "free_of_part";
    /// A key of thread-specific data that was deleted.
    UseOfDeletedKey = 20, "use_of_deleted_key";
    /// A semaphore with a name that was closed, or one without a name that is closed.
    UseOfClosed = 21, "use_of_closed";
    /// A semaphore with a name.
    DestroyOfNamed = 22, "destroy_of_named";
    /// An object that several processes use, but that was initialised for one.
    PrivateInTwo = 23, "private_in_two";
}

/// A misuse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misuse {
    pub fault: Fault,
    /// The object; 0 if it is about a thread or about memory.
    pub object: u32,
    /// Of the memory; for joins, the number of the thread.
    pub address: u64,
    pub thread: u32,
    /// Where in the program, and where the callers are, as in `Thread::callers`.
    pub place: u64,
    pub callers: u32,
    /// Who did what makes it wrong, and where, as far as that is known.
    pub earlier: Option<Earlier>,
}

/// What came before: who took the lock, who destroyed the object, who waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Earlier {
    pub thread: u32,
    /// 0 if it is not known.
    pub place: u64,
}

/// A [`Misuse`] in shared memory.
#[repr(C)]
pub struct MisuseCell {
    fault: AtomicU32,
    object: AtomicU32,
    address: AtomicU64,
    thread: AtomicU32,
    callers: AtomicU32,
    place: AtomicU64,
    /// Plus one; 0 if it is not known.
    earlier_thread: AtomicU32,
    earlier_place: AtomicU64,
}

impl MisuseCell {
    fn store(&self, misuse: &Misuse) {
        self.fault.store(misuse.fault as u32, Relaxed);
        self.object.store(misuse.object, Relaxed);
        self.address.store(misuse.address, Relaxed);
        self.thread.store(misuse.thread, Relaxed);
        self.callers.store(misuse.callers, Relaxed);
        self.place.store(misuse.place, Relaxed);
        self.earlier_thread.store(misuse.earlier.map_or(0, |earlier| earlier.thread + 1), Relaxed);
        self.earlier_place.store(misuse.earlier.map_or(0, |earlier| earlier.place), Relaxed);
    }

    fn load(&self) -> Option<Misuse> {
        let earlier = self.earlier_thread.load(Relaxed).checked_sub(1);
        Some(Misuse {
            fault: Fault::from_number(self.fault.load(Relaxed))?,
            object: self.object.load(Relaxed),
            address: self.address.load(Relaxed),
            thread: self.thread.load(Relaxed),
            place: self.place.load(Relaxed),
            callers: self.callers.load(Relaxed),
            earlier: earlier.map(|thread| Earlier { thread, place: self.earlier_place.load(Relaxed) }),
        })
    }
}

/// The misuses of an execution.
#[repr(C)]
pub struct Misuses {
    pub count: AtomicU32,
    cells: [MisuseCell; MISUSES],
}

impl Misuses {
    pub fn all(&self) -> impl Iterator<Item = Misuse> + '_ {
        let count = (self.count.load(Relaxed) as usize).min(MISUSES);
        self.cells[..count].iter().filter_map(MisuseCell::load)
    }

    /// Adds a misuse, unless there is one of the same kind at the same place.
    pub fn report(&self, misuse: &Misuse) {
        let count = self.count.load(Relaxed) as usize;
        let is_known = |known: Misuse| (known.fault, known.place) == (misuse.fault, misuse.place);
        if count < MISUSES && !self.all().any(is_known) {
            self.cells[count].store(misuse);
            self.count.store(count as u32 + 1, Relaxed);
        }
    }
}
