//! Executions on request: the program stops before `main` and forks once for each.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use allways_stateless_protocol::{Outcome, Policy, REGION_ADDRESS, Region, VERSION, state};

use crate::address_space;
use crate::callers;
use crate::circles;
use crate::crash;
use crate::descriptors;
use crate::direct;
use crate::exits;
use crate::hooks;
use crate::hot_code;
use crate::image;
use crate::memory;
use crate::modules;
use crate::privacy;
use crate::process::program;
use crate::processors;
use crate::randomness;
use crate::real;
use crate::reserved;
use crate::rewind;
use crate::signal;
use crate::spawn;
use crate::sys;
use crate::thread::{prepare, remark_early_threads, set_own_handle, watch_end};
use crate::token::{
    my_process, n_processes, n_threads, process, region, region_is_mapped, remark_outsider, set_me,
    set_process, tell_explorer, thread,
};

type Main = extern "C" fn(i32, *mut *mut c_char, *mut *mut c_char) -> i32;
type Hook = Option<extern "C" fn()>;

/// The program's `main`.
static MAIN: AtomicUsize = AtomicUsize::new(0);

const PROT_READ_WRITE: usize = 3;
/// `MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE`
const MAP_FLAGS: usize = 0x1 | 0x10_0000 | 0x4000;
const PR_SET_CHILD_SUBREAPER: usize = 36;
const CLONE_NEWIPC: usize = 0x0800_0000;

/// The descriptor of the region that the explorer made, if there is one.
pub fn region_descriptor() -> Option<usize> {
    // The function that is hidden: constructors of the program may be under way. The name ends with a zero byte; the result does too.
    let text = real!(c"getenv": fn(*const c_char) -> *const c_char, (c"ALLWAYS_REGION".as_ptr()));
    if text.is_null() {
        return None;
    }
    // SAFETY: as above.
    let digits = unsafe { CStr::from_ptr(text) }.to_bytes();
    Some(digits.iter().fold(0, |number, digit| number * 10 + usize::from(digit.wrapping_sub(b'0'))))
}

/// Maps it.
fn attach() -> bool {
    let Some(descriptor) = region_descriptor() else { return false };
    let size = size_of::<Region>();
    let place = sys::call(sys::MMAP, REGION_ADDRESS, size, PROT_READ_WRITE, MAP_FLAGS, descriptor, 0);
    if place != REGION_ADDRESS as isize {
        return false;
    }
    region_is_mapped();
    reserved::set(descriptor);
    region().header.version.load(Relaxed) == VERSION
}

/// Hides the function with which the C library calls `main`.
#[unsafe(no_mangle)]
pub extern "C" fn __libc_start_main(
    main: Main,
    argc: i32,
    argv: *mut *mut c_char,
    init: Hook,
    fini: Hook,
    loader: Hook,
    stack: *mut c_void,
) -> i32 {
    MAIN.store(main as usize, Relaxed);
    // The program begins with this call.
    randomness::settle_stack();
    exits::prepare();
    real!(c"__libc_start_main": fn(Main, i32, *mut *mut c_char, Hook, Hook, Hook, *mut c_void) -> i32,
        (instead_of_main, argc, argv, init, fini, loader, stack))
}

extern "C" fn instead_of_main(argc: i32, argv: *mut *mut c_char, environment: *mut *mut c_char) -> i32 {
    // SAFETY: `__libc_start_main` wrote it.
    let main: Main = unsafe { core::mem::transmute(MAIN.load(Relaxed)) };
    if !attach() {
        return main(argc, argv, environment);
    }
    prepare();
    randomness::settle_heap();
    circles::prepare();
    crash::prepare();
    direct::prepare();
    spawn::prepare();
    address_space::prepare();
    // Before the executions: a system call of this kind would be a reason not to go back to the
    // beginning.
    let mask = stack_mask();
    if region().header.ready.load(Relaxed) == 0 {
        if hooks::is_instrumented() {
            region().header.is_instrumented.store(1, Relaxed);
        }
        modules::tell();
        region().header.ready.store(1, Release);
        serve();
        memory::begin((&raw const argc as usize) & mask);
        address_space::enforce();
    } else if !resume() {
        return main(argc, argv, environment);
    }
    let status = call_aligned(argc, argv, environment, main, mask);
    // As if `main` had returned to the C library.
    exits::exit(status)
}

/// More than the arguments and the environment take, mostly.
const STACK_ALIGNMENT: usize = 1 << 20;
/// What a stack is aligned to that the kernel keeps too small for that (`ulimit -s`).
const SMALL_ALIGNMENT: usize = 1 << 12;

/// The bits of an address that the beginning of the stack keeps.
fn stack_mask() -> usize {
    const RLIMIT_STACK: usize = 3;
    let mut limit = [usize::MAX; 2];
    sys::call(sys::PRLIMIT, 0, RLIMIT_STACK, 0, &raw mut limit as usize, 0, 0);
    let alignment = if limit[0] < 2 * STACK_ALIGNMENT { SMALL_ALIGNMENT } else { STACK_ALIGNMENT };
    !(alignment - 1)
}

/// Calls `main` with a stack that begins where it always does, however long the arguments and the environment are: addresses of
/// variables must be the same when an execution is repeated.
#[unsafe(naked)]
extern "C" fn call_aligned(
    argc: i32,
    argv: *mut *mut c_char,
    environment: *mut *mut c_char,
    main: Main,
    mask: usize,
) -> i32 {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "and rsp, r8",
        "call rcx",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

/// After `exec`: this process is known, and it has the token.
fn resume() -> bool {
    let pid = sys::getpid();
    let Some(own) = (0..n_processes()).find(|number| process(*number).pid.load(Relaxed) == pid) else {
        return false;
    };
    let running = (0..n_threads()).find(|number| {
        let slot = thread(*number);
        slot.process.load(Relaxed) as usize == own && slot.state.load(Relaxed) == state::RUNNING
    });
    let Some(me) = running else { return false };
    if process(own).is_foreign.swap(1, Relaxed) == 0 {
        address_space::replaces_first();
    }
    process(own).program.store(program::BEGUN, Relaxed);
    set_process(own);
    set_me(me as u32);
    signal::executed();
    watch_end();
    set_own_handle(me);
    callers::stack_begins(me);
    descriptors::after_exec(me);
    direct::watch();
    true
}

/// Forks for each request; returns in the child.
fn serve() {
    let header = &region().header;
    image::find_variables();
    image::find_code();
    real::find_all();
    sys::call(sys::PRCTL, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0, 0);
    sys::futex_wake(&header.ready);
    let server = sys::getpid();
    let mut history = History::default();
    loop {
        let served = header.reply.load(Acquire);
        while header.request.load(Acquire) == served {
            sys::futex_wait(&header.request, served);
        }
        if header.used_ipc.swap(0, Relaxed) != 0 {
            sys::call(sys::UNSHARE, CLONE_NEWIPC, 0, 0, 0, 0, 0);
        }
        let role = history.role();
        let pid = real!(c"fork": fn() -> i32, ());
        if pid == 0 {
            match role {
                Role::Plain => {}
                Role::Student => hot_code::observe(),
                Role::Rewound => rewind::mark(server),
            }
            return begin();
        }
        collect(pid, role);
        hot_code::keep_used();
        history.add(role, header.request.load(Acquire) - served);
        header.reply.store(header.request.load(Acquire), Release);
        tell_explorer();
    }
}

/// What a process is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// One execution.
    Plain,
    /// One execution that notes which code it uses. It is repeated, since a program may see that it is watched.
    Student,
    /// One execution after another, until it cannot be taken back.
    Rewound,
}

/// What became of the processes so far.
#[derive(Default)]
struct History {
    n_processes: u32,
    had_student: bool,
    cannot_rewind: bool,
}

impl History {
    /// A short search does without.
    const FEW: u32 = 16;

    /// To prepare a process for it takes as long as a few executions in processes of their own.
    const WORTH: u32 = 8;

    /// What the next process is for.
    fn role(&self) -> Role {
        let is_asked = region().header.policy.load(Relaxed) == Policy::Ask as u32;
        // The explorer would be asked again when an execution is repeated.
        if is_asked || self.n_processes < Self::FEW {
            Role::Plain
        } else if !self.had_student {
            Role::Student
        } else if !self.cannot_rewind {
            Role::Rewound
        } else {
            Role::Plain
        }
    }

    /// A process has ended, after so many executions.
    fn add(&mut self, role: Role, executions: u32) {
        self.n_processes += 1;
        let must_repeat = &region().header.must_repeat;
        match role {
            Role::Plain => {}
            Role::Student => {
                self.had_student = true;
                must_repeat.store(1, Relaxed);
            }
            // Some programs always end in a way that cannot be taken back.
            Role::Rewound => {
                self.cannot_rewind = must_repeat.load(Relaxed) != 0 || executions < Self::WORTH;
            }
        }
    }
}

/// The first thread of the first process.
fn begin() {
    let header = &region().header;
    set_process(0);
    set_me(0);
    header.random.store(header.seed.load(Relaxed), Relaxed);
    header.n_promoted_before.store(region().memory.n_promoted.load(Relaxed), Relaxed);
    header.n_threads.store(1, Relaxed);
    header.n_processes.store(1, Relaxed);
    process(my_process()).pid.store(sys::getpid(), Relaxed);
    process(my_process()).n_live.store(1, Relaxed);
    thread(0).state.store(state::RUNNING, Relaxed);
    signal::begin();
    processors::begin();
    privacy::begin();
    set_own_handle(0);
    watch_end();
    callers::stack_begins(0);
    direct::watch();
    remark_early_threads();
}

/// Waits until every process of the execution is gone; or of several, if the first of them is taken back each time.
fn collect(main: i32, role: Role) {
    let header = &region().header;
    loop {
        let mut status = 0;
        let pid = sys::wait4(-1, &mut status);
        if pid < 0 {
            return;
        }
        if pid == main as isize {
            header.status.store(status, Relaxed);
        }
        let known = (0..n_processes()).find(|number| process(*number).pid.load(Relaxed) == pid as i32);
        // Who was ended by a signal of the program is over in the books, too.
        let is_over = known.is_some_and(|number| process(number).is_finished.load(Relaxed) != 0);
        let died = status & 0x7f != 0 && !is_over;
        let is_running = header.outcome.load(Relaxed) == Outcome::Running as u32;
        if role == Role::Rewound && status & 0x7f == direct::SIGSYS as i32 {
            // It was held back where it could not be told so.
            header.must_repeat.store(1, Relaxed);
        } else if died && is_running {
            match signal::is_fault((status & 0x7f) as usize) {
                true => crashed(pid as i32, status),
                false => ended(pid == main as isize, pid as i32, status),
            }
        } else if is_running && known.is_some() && !is_over {
            vanished(pid == main as isize, pid as i32);
        } else if !is_running {
            // Who ended the execution may have had no right to end the others.
            kill_all_but(pid as i32);
        }
    }
}

/// A process has ended by itself without a word, so it may have had the token: the others cannot go on. That is no crash: the first
/// process has the status that the kernel tells, or none.
fn vanished(is_first: bool, pid: i32) {
    let header = &region().header;
    remark_outsider(&[b"a process that ended without calling a function that is known"]);
    header.outcome.store(Outcome::Finished as u32, Relaxed);
    kill_all_but(pid);
    if !is_first {
        while sys::wait4(-1, &mut 0) >= 0 {}
        header.status.store(0, Relaxed);
    }
}

/// The kernel ended a process by a signal that is no fault, as `SIGPIPE` in a call that is not modelled. That counts as what the program does when
/// it sends such a signal: the status of the first process, and of another one nothing but that we cannot go on.
fn ended(is_first: bool, pid: i32, status: i32) {
    let header = &region().header;
    if is_first {
        header.culprit.store(header.current.load(Relaxed) + 1, Relaxed);
    } else {
        remark_outsider(&[b"a process that the system ended by a signal"]);
    }
    header.outcome.store(Outcome::Finished as u32, Relaxed);
    kill_all_but(pid);
    if !is_first {
        while sys::wait4(-1, &mut 0) >= 0 {}
    }
    header.status.store(if is_first { status } else { 0 }, Relaxed);
}

/// A process was ended by a signal: the others are ended too.
fn crashed(pid: i32, status: i32) {
    let header = &region().header;
    let culprit = header.current.load(Relaxed);
    header.culprit.store(culprit + 1, Relaxed);
    header.crash_signal.store((status & 0x7f) as u32, Relaxed);
    header.outcome.store(Outcome::Crash as u32, Relaxed);
    kill_all_but(pid);
}

/// Ends the other processes that are not over.
fn kill_all_but(pid: i32) {
    for number in 0..n_processes() {
        let other = process(number);
        let other_pid = other.pid.load(Relaxed);
        if other_pid > 1 && other_pid != pid && other.is_finished.load(Relaxed) == 0 {
            sys::kill(other_pid, sys::SIGKILL);
        }
    }
}
