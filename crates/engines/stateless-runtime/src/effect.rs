//! What an operation does in the state in which it is performed: often less than its kind could.
//!
//! The effect is logged with the step, and says with what it commutes (`dependency.rs` of the protocol, and
//! `doc/internals-explore.md`). It must stay what it is whatever independent steps come first, because sleep sets and the order of an
//! execution rely on that.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Effect, Kind, Operation};

use crate::objects::object;
use crate::rwlock::writer_goes_first;
use crate::schedule::{flavour, waiters};
use crate::token::thread;

/// The effect that the operation of a thread has now, or after `ahead` others that do the same to its object.
pub fn of(number: usize, operation: &Operation, ahead: u32) -> Effect {
    let may = |holds: bool, effect: Effect| if holds { effect } else { Effect::Any };
    let me = number as u32 + 1;
    match operation.kind {
        Kind::MutexTrylock => {
            let mutex = object(operation.object);
            let owner = mutex.owner.load(Relaxed);
            // A robust mutex whose owner has died can be taken.
            let is_plain = mutex.flavour.load(Relaxed) & (flavour::ROBUST | flavour::UNRECOVERABLE) == 0;
            may(is_plain && owner != 0 && owner != me, Effect::Look)
        }
        Kind::ReadTrylock => {
            let is_taken = object(operation.object).owner.load(Relaxed) != 0;
            if is_taken || writer_goes_first(operation.object) { Effect::Look } else { Effect::Share }
        }
        Kind::WriteTrylock => {
            let lock = object(operation.object);
            may(lock.owner.load(Relaxed) != 0 || lock.count.load(Relaxed) != 0, Effect::Look)
        }
        Kind::SemWait | Kind::SemTrywait => {
            let semaphore = object(operation.object);
            if semaphore.extra.load(Relaxed) > ahead {
                return Effect::Reserve;
            }
            let fails = operation.kind == Kind::SemTrywait && semaphore.count.load(Relaxed) == 0;
            may(fails, Effect::Look)
        }
        Kind::CondSignal | Kind::CondBroadcast | Kind::FutexWake => {
            may(waiters(operation.object).next().is_none(), Effect::Look)
        }
        Kind::CondReacquireTimed => may(thread(number).is_woken.load(Relaxed) == 0, Effect::Late),
        Kind::BarrierArrive => {
            let barrier = object(operation.object);
            let n_arrived = barrier.count.load(Relaxed) as u32 + ahead;
            may(n_arrived + 1 < barrier.length.load(Relaxed), Effect::Early)
        }
        // It was done already.
        Kind::OnceEnter => may(object(operation.object).count.load(Relaxed) != 0, Effect::Look),
        _ => Effect::Any,
    }
}
