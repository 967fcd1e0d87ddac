//! Initialisation that happens once.
//!
//! Whether it is done is in the memory of the program, as the C library has it: memory that is used anew begins anew. The function that
//! initialises may end with an exception; then it was not done, and the next thread does it. So nothing of this library that
//! cannot be left so may be between it and the program: the function that calls it is a few instructions, and what must be
//! done when it is left is done where the exception asks for it.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicUsize};

use allways_stateless_protocol::{Fault, Kind, ObjectKind, Operation};

use crate::misuse;
use crate::objects::{at, object};
use crate::real;
use crate::schedule::before;
use crate::token::{controlled, is_concurrent};

/// The value of a `pthread_once_t` whose initialisation is done.
const DONE: u32 = 2;

/// In the object: the initialisation was done when there was nobody else, so that nobody can come before it.
const DONE_ALONE: u32 = 2;

fn find(control: &AtomicU32) -> u32 {
    at(ObjectKind::Once, control.as_ptr() as usize, |object| {
        object.extra.store(if control.load(Relaxed) == DONE { DONE_ALONE } else { 0 }, Relaxed);
    })
}

fn announce(me: usize, kind: Kind, object: u32, place: u64) {
    before(me, Operation { kind, object, place, ..Operation::default() });
}

const NOTHING_TO_DO: u32 = 0;
const INITIALISE: u32 = 1;
const NOT_OURS: u32 = 2;

extern "C" fn enter(control: &AtomicU32, place: u64) -> u32 {
    let Some(me) = controlled() else { return NOT_OURS };
    let number = find(control);
    let once = object(number);
    if control.load(Relaxed) > DONE {
        misuse::report(me, Fault::UseOfUninitialised, number, place, None);
    }
    if once.extra.load(Relaxed) == DONE_ALONE && control.load(Relaxed) == DONE {
        return NOTHING_TO_DO;
    }
    if once.owner.load(Relaxed) == me as u32 + 1 {
        // It waits for itself.
        misuse::report(me, Fault::OnceInOnce, number, place, None);
    }
    // Memory that is used anew begins anew.
    once.count.store(i32::from(control.load(Relaxed) == DONE), Relaxed);
    announce(me, Kind::OnceEnter, number, place);
    if control.load(Relaxed) == DONE {
        return NOTHING_TO_DO;
    }
    once.owner.store(me as u32 + 1, Relaxed);
    INITIALISE
}

fn leave_as(control: &AtomicU32, place: u64, value: u32) {
    if let Some(me) = controlled() {
        let number = find(control);
        announce(me, Kind::OnceLeave, number, place);
        let once = object(number);
        once.owner.store(0, Relaxed);
        once.count.store(i32::from(value == DONE), Relaxed);
        once.extra.store(if is_concurrent() { 1 } else { DONE_ALONE }, Relaxed);
        control.store(value, Relaxed);
    }
}

extern "C" fn leave(control: &AtomicU32, place: u64) {
    leave_as(control, place, DONE);
}

extern "C" fn real_once() -> usize {
    static ADDRESS: AtomicUsize = AtomicUsize::new(0);
    if ADDRESS.load(Relaxed) == 0 {
        ADDRESS.store(real::find(c"pthread_once"), Relaxed);
    }
    ADDRESS.load(Relaxed)
}

const CLEANUP_PHASE: i32 = 2;
const CONTINUE_UNWIND: i32 = 8;
const FRAME_POINTER: i32 = 6;

/// Called when an exception leaves the function below, while it initialises or while it calls the one of the C library.
extern "C" fn personality(_: i32, actions: i32, _: u64, _: *mut c_void, context: *mut c_void) -> i32 {
    if actions & CLEANUP_PHASE != 0 {
        let frame = real!(c"_Unwind_GetGR": fn(*mut c_void, i32) -> usize, (context, FRAME_POINTER));
        // SAFETY: the function below keeps there: the place, the control variable, the function, and whether it initialises.
        unsafe {
            let word = |offset: isize| *((frame as isize + offset) as *const usize);
            if word(-24) == INITIALISE as usize {
                leave_as(&*(word(-8) as *const AtomicU32), word(8) as u64, 0);
            }
        }
    }
    CONTINUE_UNWIND
}

/// Also `call_once` of C, which differs in having no result.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_once() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "push rdi",
        "push rsi",
        "push 0",
        "push 0",
        "mov rsi, [rbp + 8]",
        "call {enter}",
        "mov eax, eax",
        "mov [rbp - 24], rax",
        "cmp eax, {initialise}",
        "jb 2f",
        "ja 3f",
        "call [rbp - 16]",
        "mov rdi, [rbp - 8]",
        "mov rsi, [rbp + 8]",
        "call {leave}",
        "2:",
        "xor eax, eax",
        "jmp 4f",
        "3:",
        "call {real_once}",
        "mov rdi, [rbp - 8]",
        "mov rsi, [rbp - 16]",
        "call rax",
        "4:",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        personality = sym personality,
        enter = sym enter,
        leave = sym leave,
        real_once = sym real_once,
        initialise = const INITIALISE,
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call_once() {
    core::arch::naked_asm!("jmp {once}", once = sym pthread_once)
}
