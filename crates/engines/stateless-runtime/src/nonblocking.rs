//! The flag `O_NONBLOCK`: does an operation on a descriptor wait or fail?
//!
//! Others may change the flag of an open file description. So what an operation does that cannot be
//! performed is decided in its step, and the description is in the `list` of the operation. If the
//! flag was cleared since the operation was announced, it begins to wait. If the flag was set, it
//! fails; unless it could have been waiting in the kernel by then, which is not told apart: then
//! both happen. That is known from its `other`, which is the description then, too.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Operation, state};

use crate::descriptors::O_NONBLOCK;
use crate::interrupt::{point, wait_at};
use crate::limits_of_time;
use crate::objects::object;
use crate::schedule::{before, is_enabled};
use crate::token::{n_threads, thread};

/// Is the flag of a description set?
pub fn is_set(description: u32) -> bool {
    object(description).length.load(Relaxed) & O_NONBLOCK != 0
}

/// Can an operation that waits go on because it fails now?
pub fn ends(operation: &Operation) -> bool {
    operation.list != 0 && is_set(operation.list)
}

/// Sets or clears the flag, in a step that changes what those touch who use the description.
pub fn set(description: u32, is_set: bool) {
    if is_set && !self::is_set(description) {
        note_waiters(description);
    }
    let flags = &object(description).length;
    let others = flags.load(Relaxed) & !O_NONBLOCK;
    flags.store(others | if is_set { O_NONBLOCK } else { 0 }, Relaxed);
}

/// The flag is about to be set.
fn note_waiters(description: u32) {
    for number in 0..n_threads() {
        let slot = thread(number);
        let operation = slot.operation.load();
        let is_about_it = slot.state.load(Relaxed) == state::PENDING
            && is_transfer(operation.kind)
            && operation.list == description;
        let waiting = Operation { kind: operation.kind.waiting().unwrap_or(operation.kind), ..operation };
        if is_about_it && !is_enabled(number, &waiting) {
            slot.operation.store(&Operation { other: description, ..operation });
        }
    }
}

fn is_transfer(kind: Kind) -> bool {
    use Kind::*;
    matches!(kind, QueueTake | QueueTryTake | QueuePut | QueueTryPut | Accept)
}

/// Does an operation wait or fail?
#[derive(Clone, Copy)]
pub struct Choice {
    /// It fails, as it was announced.
    pub gives_up: bool,
    /// The description whose flag decides; 0 if something else did.
    pub description: u32,
    /// After so many nanoseconds; 0 if at once, or never.
    pub limit: u64,
}

impl Choice {
    /// The flag of a description decides.
    pub fn of_flag(description: u32) -> Choice {
        Choice { gives_up: is_set(description), description, limit: 0 }
    }

    /// It fails whatever the flag is.
    pub const FAILS: Choice = Choice { gives_up: true, description: 0, limit: 0 };

    /// It fails when it has waited for so many nanoseconds.
    pub fn within(limit: u64) -> Choice {
        Choice { limit, ..Choice::FAILS }
    }

    /// What may interrupt the operation. The kernel restarts none that has a time limit.
    fn point(self) -> u32 {
        match self {
            Choice { limit: 1.., .. } => point::TRANSFERS | point::NEVER_RESTARTS | point::TAKES_TIME,
            Choice { gives_up: true, .. } => point::CANCELLABLE,
            _ => point::TRANSFERS,
        }
    }

    /// Announces the operation; `None` if a signal ended it.
    pub fn wait_at(self, me: usize, operation: Operation) -> Option<u32> {
        let wait = || wait_at(me, operation, self.point());
        match self.limit {
            0 => wait(),
            limit => limits_of_time::within(me, limit, operation.place, wait),
        }
    }

    /// Does the flag decide, and is it set?
    pub fn flag_is_set(self) -> bool {
        self.description != 0 && is_set(self.description)
    }

    /// An operation got nothing in its step: does it fail? If not, it is to be announced again, as
    /// this says then.
    pub fn fails(&mut self, me: usize, place: u64) -> bool {
        if self.description == 0 {
            return true;
        }
        if self.gives_up {
            self.gives_up = self.flag_is_set();
            return self.gives_up;
        }
        if thread(me).operation.load().other == 0 {
            return true;
        }
        let toss = Operation { kind: Kind::Toss, argument: 1, place, ..Operation::default() };
        let waits_on = before(me, toss) != 0;
        if waits_on {
            self.description = 0;
        }
        !waits_on
    }
}
