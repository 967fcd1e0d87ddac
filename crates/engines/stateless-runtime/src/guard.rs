//! Variables of C++ functions that are initialised when they are first met.
//!
//! The first byte of the guard tells whether that was done; compiled code looks at it before it calls one of these functions.

use core::sync::atomic::AtomicU8;
use core::sync::atomic::Ordering::{Relaxed, SeqCst};

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::objects::{at, object};
use crate::schedule::before;
use crate::token::{caller, controlled};

/// The first byte of a guard.
pub type Guard = AtomicU8;

fn announce(me: usize, kind: Kind, guard: &Guard, place: u64) -> u32 {
    let object = at(ObjectKind::Once, guard.as_ptr() as usize, |_| ());
    self::object(object).count.store(i32::from(guard.load(SeqCst) != 0), Relaxed);
    before(me, Operation { kind, object, place, ..Operation::default() });
    object
}

fn leave(me: usize, guard: &Guard, is_done: bool, place: u64) {
    let number = announce(me, Kind::OnceLeave, guard, place);
    object(number).owner.store(0, Relaxed);
    object(number).count.store(i32::from(is_done), Relaxed);
    guard.store(u8::from(is_done), SeqCst);
}

/// 1 if the caller is to initialise the variable.
#[unsafe(no_mangle)]
pub extern "C" fn __cxa_guard_acquire(guard: &Guard) -> i32 {
    let Some(me) = controlled() else { return real!(c"__cxa_guard_acquire": fn(&Guard) -> i32, (guard)) };
    let number = announce(me, Kind::OnceEnter, guard, caller());
    if guard.load(SeqCst) != 0 {
        return 0;
    }
    object(number).owner.store(me as u32 + 1, Relaxed);
    1
}

#[unsafe(no_mangle)]
pub extern "C" fn __cxa_guard_release(guard: &Guard) {
    match controlled() {
        Some(me) => leave(me, guard, true, caller()),
        None => real!(c"__cxa_guard_release": fn(&Guard) -> (), (guard)),
    }
}

/// The initialisation failed with an exception.
#[unsafe(no_mangle)]
pub extern "C" fn __cxa_guard_abort(guard: &Guard) {
    match controlled() {
        Some(me) => leave(me, guard, false, caller()),
        None => real!(c"__cxa_guard_abort": fn(&Guard) -> (), (guard)),
    }
}
