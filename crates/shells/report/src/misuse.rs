//! A misuse in words: what, by which thread, where, and what came before.

use allways_stateless::{Earlier, Fault, Misuse, Operation};

use crate::telling::Telling;

impl Telling<'_> {
    /// A misuse in words.
    pub fn misuse(&self, misuse: &Misuse) -> String {
        use Fault::*;
        let object = self.misused(misuse);
        let what = match misuse.fault {
            UnlockOfAnother => format!("unlock of {object}, which another thread holds"),
            UnlockOfFree => format!("unlock of {object}, which nobody holds"),
            UseOfDestroyed => format!("use of {object} after it was destroyed"),
            UseOfUninitialised => format!("use of {object}, which was never initialised"),
            DestroyOfHeld => format!("{object} is destroyed while it is held"),
            DestroyOfAwaited => format!("{object} is destroyed while a thread waits for it"),
            InitOfHeld => format!("{object} is initialised while it is held"),
            InitOfAwaited => format!("{object} is initialised while a thread waits for it"),
            InitTwice => format!("{object} is initialised twice"),
            WaitWithoutMutex => format!("wait for a condition without holding {object}"),
            WaitWithTwoMutexes => format!("threads wait for {object} with different mutexes"),
            UseOfJoined => format!("use of {object} after it was joined"),
            UseOfDetached => format!("use of {object} after it was detached"),
            HeldAtEnd => format!("a thread ends while it holds {object}"),
            OnceInOnce => format!("the function of pthread_once for {object} calls pthread_once for it"),
            OutOfBlock => format!("access to {object}, beside a block of the heap"),
            UseOfFreed => format!("access to {object}, in a block that was given back"),
            UseOfDeadStack => format!("access to {object}, on the stack of a thread that has ended"),
            FreeOfPart => format!("free of {object}, where no block of the heap begins"),
            UseOfDeletedKey => format!("use of key {} after it was deleted", misuse.address),
            UseOfClosed => format!("use of {object}, which is not open"),
            DestroyOfNamed => format!("sem_destroy of {object}, which has a name"),
            PrivateInTwo => format!("{object} is used by several processes, but was initialised for one"),
        };
        let who = self.thread_title(misuse.thread as usize);
        if misuse.fault == HeldAtEnd {
            let place = misuse.earlier.and_then(|earlier| self.earlier_place(&earlier));
            return format!(
                "{what}: {who}{}",
                place.map_or(String::new(), |place| format!(", locked at {place}"))
            );
        }
        let place = self.words(&self.execution.misuse_callers(misuse));
        let by = format!("by {who}{}", place.map_or(String::new(), |place| format!(" at {place}")));
        match misuse.earlier {
            Some(earlier) => format!("{what}: {by}; {}", self.earlier(misuse.fault, &earlier)),
            None => format!("{what}: {by}"),
        }
    }

    fn earlier(&self, fault: Fault, earlier: &Earlier) -> String {
        use Fault::*;
        let did = match fault {
            UseOfDestroyed => "destroyed",
            DestroyOfAwaited | InitOfAwaited | WaitWithTwoMutexes => "waits:",
            InitTwice => "initialised",
            UseOfJoined => "joined",
            OutOfBlock => "given out",
            UseOfFreed => "given back",
            UseOfDeadStack => "stack of",
            PrivateInTwo => "used",
            _ => "locked",
        };
        let by = if did == "waits:" || did == "stack of" { "" } else { " by" };
        let place = self.earlier_place(earlier).map_or(String::new(), |place| format!(" at {place}"));
        format!("{did}{by} {}{place}", self.thread_title(earlier.thread as usize))
    }

    fn earlier_place(&self, earlier: &Earlier) -> Option<String> {
        self.words(&self.execution.earlier_callers(earlier))
    }

    fn words(&self, callers: &[u64]) -> Option<String> {
        if callers.iter().all(|address| *address == 0) {
            return None;
        }
        Some(match self.place(callers) {
            Some(place) => format!("{}:{}", place.file, place.line),
            None => format!("{:#x}", callers[0]),
        })
    }

    /// The object, thread or memory that a misuse is about.
    fn misused(&self, misuse: &Misuse) -> String {
        let operation = Operation { object: misuse.object, ..Operation::default() };
        match misuse.fault {
            Fault::UseOfJoined | Fault::UseOfDetached => self.thread_title(misuse.address as usize),
            _ if misuse.object == 0 => self.variable(misuse.address),
            _ => self.object(&operation).unwrap_or_else(|| "an object".to_string()),
        }
    }

    fn variable(&self, address: u64) -> String {
        let name = self.symbols.and_then(|symbols| symbols.global(address));
        name.unwrap_or_else(|| format!("{address:#x}"))
    }
}
