//! The lock of a stream of the C library: `flockfile`. Functions such as `printf` take it, too, but one at a time; that they would have to
//! wait for a thread that has it is not modelled, so there is a remark.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::objects::{at, object};
use crate::schedule::{before, can_lock, flavour, was_fruitless};
use crate::token::{caller, controlled, remark};

/// A recursive mutex beside the stream.
fn find(stream: *mut c_void) -> u32 {
    remark(&[b"flockfile: functions that print or read do not wait for it"]);
    at(ObjectKind::Mutex, stream as usize, |object| object.flavour.store(flavour::RECURSIVE, Relaxed))
}

fn operation(kind: Kind, object: u32, place: u64) -> Operation {
    Operation { kind, object, place, ..Operation::default() }
}

fn take(me: usize, number: u32) {
    object(number).owner.store(me as u32 + 1, Relaxed);
    object(number).count.fetch_add(1, Relaxed);
}

#[unsafe(no_mangle)]
pub extern "C" fn flockfile(stream: *mut c_void) {
    let Some(me) = controlled() else { return real!(c"flockfile": fn(*mut c_void) -> (), (stream)) };
    let number = find(stream);
    before(me, operation(Kind::MutexLock, number, caller()));
    take(me, number);
}

#[unsafe(no_mangle)]
pub extern "C" fn ftrylockfile(stream: *mut c_void) -> i32 {
    let Some(me) = controlled() else { return real!(c"ftrylockfile": fn(*mut c_void) -> i32, (stream)) };
    let (number, place) = (find(stream), caller());
    before(me, operation(Kind::MutexTrylock, number, place));
    if !can_lock(me, number) {
        was_fruitless(me, place);
        return 1;
    }
    take(me, number);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn funlockfile(stream: *mut c_void) {
    let Some(me) = controlled() else { return real!(c"funlockfile": fn(*mut c_void) -> (), (stream)) };
    let number = find(stream);
    before(me, operation(Kind::MutexUnlock, number, caller()));
    if object(number).count.fetch_sub(1, Relaxed) == 1 {
        object(number).owner.store(0, Relaxed);
    }
}
