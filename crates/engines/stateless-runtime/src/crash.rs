//! Faults: an address that cannot be used, a division by zero, an instruction that does not exist.
//!
//! The kernel calls us on a stack of its own for each thread, unless the program has a function for the signal itself. The execution ends here, so it does not
//! matter which process it was. When the explorer wants to show the execution, the place and its callers are found with the tables that
//! the compiler made for exceptions.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{NONE, Outcome, limits};

use crate::callers::MOST;
use crate::objects::reserve;
use crate::process::process_exit;
use crate::signal::{self, Action, die_of};
use crate::sys;
use crate::token::{controlled, fail_with, my_process, region, set_me};
use crate::unwind::{each_caller, own_code};

/// `SIGILL`, `SIGBUS`, `SIGFPE`, `SIGSEGV`.
pub const WATCHED: [usize; 4] = [4, 7, 8, 11];

const SA_SIGINFO: i32 = 4;
const SA_ONSTACK: i32 = 0x0800_0000;

const STACK: usize = 32 * 1024;
/// Threads that have a stack for this.
const STACKS: usize = 64;

/// Room for the stacks: a page takes memory when it is used.
#[repr(align(4096))]
struct Stacks(UnsafeCell<[[u8; STACK]; STACKS]>);

// SAFETY: only the kernel uses them, each for one thread.
unsafe impl Sync for Stacks {}

static ROOM: Stacks = Stacks(UnsafeCell::new([[0; STACK]; STACKS]));

/// A `stack_t`.
#[repr(C)]
struct Stack {
    start: usize,
    flags: i32,
    size: usize,
}

/// Has the program given this thread another stack for signals?
pub fn program_has_stack() -> bool {
    const SIGALTSTACK: usize = 131;
    const IS_DISABLED: i32 = 2;
    let mut stack = Stack { start: 0, flags: 0, size: 0 };
    sys::call(SIGALTSTACK, 0, &raw mut stack as usize, 0, 0, 0, 0);
    let own = ROOM.0.get() as usize;
    stack.start != 0 && stack.flags & IS_DISABLED == 0 && !(own..own + STACK * STACKS).contains(&stack.start)
}

/// Gives the calling thread a stack for faults, since its own may be full.
pub fn watch_stack(me: usize) {
    if me >= STACKS {
        return;
    }
    let stack = Stack { start: ROOM.0.get() as usize + me * STACK, flags: 0, size: STACK };
    real!(c"sigaltstack": fn(*const Stack, *mut Stack) -> i32, (&stack, core::ptr::null_mut()));
}

/// To be called once in a program, before anything is forked.
pub fn prepare() {
    watch_stack(0);
    WATCHED.into_iter().filter(|signal| signal::is_default(*signal)).for_each(watch);
}

/// Asks the kernel to call us.
pub fn watch(signal: usize) {
    let handler = faulted as extern "C" fn(i32, *const Information, *const c_void) as usize;
    signal::kernel_action(signal, &Action { handler, flags: SA_SIGINFO | SA_ONSTACK, ..Action::DEFAULT });
}

/// The beginning of a `siginfo_t`.
#[repr(C)]
pub struct Information {
    signal: i32,
    errno: i32,
    code: i32,
    padding: i32,
    address: u64,
}

extern "C" fn faulted(signal: i32, information: *const Information, _: *const c_void) {
    let Some(me) = controlled() else { die_of(signal as usize) };
    // SAFETY: the kernel passes it.
    let address = unsafe { (*information).address };
    end_by_signal(me, signal as usize, Some(address))
}

/// May this process be ended by any signal, because the user says that of children?
pub fn is_tolerated() -> bool {
    my_process() != 0 && region().header.children_may_crash.load(Relaxed) != 0
}

/// Ends this process by a signal; its parent sees that.
pub fn end_quietly(me: usize, signal: usize) -> ! {
    process_exit(me);
    die_of(signal)
}

/// Ends the execution: a signal of this kind ends a process.
pub fn by_signal(me: usize, signal: usize) -> ! {
    end_by_signal(me, signal, None)
}

fn end_by_signal(me: usize, signal: usize, address: Option<u64>) -> ! {
    if is_tolerated() {
        end_quietly(me, signal);
    }
    fail_with(me, Outcome::Crash, &[], || {
        let header = &region().header;
        header.crash_signal.store(signal as u32, Relaxed);
        if let Some(address) = address {
            header.crash_address.store(address, Relaxed);
        }
        if me < limits::THREADS {
            remember_callers();
        }
    })
}

/// Keeps the place and its callers, if the explorer wants them. The execution is about to end.
pub fn remember_callers() {
    if region().header.wants_callers.load(Relaxed) == 0 {
        return;
    }
    // What the unwinder does is no step of the program.
    set_me(NONE);
    let (mut list, mut count) = ([0; MOST], 0);
    each_caller(&mut |caller| {
        let (address, is_before) = caller.address();
        let is_own = own_code().contains(&address);
        if !is_own || count > 0 {
            // An address to which a call returns is after the call; where it went wrong is not.
            list[count] = address as u64 + u64::from(is_before);
            count += 1;
        }
        count < MOST && !(is_own && count > 0)
    });
    let place = reserve(1 + 2 * MOST) as usize;
    let pool = &region().pool;
    pool[place].store(count as u32, Relaxed);
    for (position, address) in list[..count].iter().enumerate() {
        pool[place + 1 + 2 * position].store(*address as u32, Relaxed);
        pool[place + 2 + 2 * position].store((*address >> 32) as u32, Relaxed);
    }
    region().header.crash_callers.store(place as u32 + 1, Relaxed);
}
