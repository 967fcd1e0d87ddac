//! System calls that the program makes itself, by an instruction of its own instead of a function of the C library.
//!
//! The kernel is asked to dispatch them to us (`PR_SET_SYSCALL_USER_DISPATCH`): a call from anywhere but the C library raises `SIGSYS` in the
//! thread that makes it, unless the gate of the thread ([`sys::gate`]) is open, as it is while this library calls the kernel. Neither `fork` nor `exec` nor a new thread inherits
//! that, so every thread asks for it ([`watch`]).
//!
//! What can wait, or makes or changes something that others notice, is listed as not under control, with the place. Then the call is carried out: by
//! the function of this library that has its name, where there is one, so that the program finds the objects it made and nobody waits in the kernel with the
//! token; else by the kernel.

use core::cell::Cell;
use core::ffi::{c_char, c_void};
use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicUsize};

use crate::address_space;
use crate::descriptors;
use crate::epoll;
use crate::event;
use crate::file_lock;
use crate::futex;
use crate::image::waits_silently;
use crate::kernel_state;
use crate::library;
use crate::message_queue;
use crate::modules::{File, each_file};
use crate::open;
use crate::pipe;
use crate::poll;
use crate::process;
use crate::processors;
use crate::randomness;
use crate::real;
use crate::rewind;
use crate::signal::{self, Action};
use crate::sigwait;
use crate::socket;
use crate::spawn;
use crate::sys::{self, errno};
use crate::sysv;
use crate::thread;
use crate::time;
use crate::timer;
use crate::token::{self, controlled, is_concurrent, my_process, region, remark_at};
use crate::transfer;
use crate::unwind::own_code;

pub const SIGSYS: usize = 31;
const SA_SIGINFO: i32 = 4;
/// A call inside of a call, in a function for a signal, is noticed, too.
const SA_NODEFER: i32 = 0x4000_0000;
pub const SET_DISPATCH: usize = 59;
const OFF: usize = 0;
const ON: usize = 1;

/// Does the kernel tell us?
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Where the code is that may call the kernel: of the C library, which is not asked about at all, and of what belongs to it.
static ALLOWED: [[AtomicUsize; 2]; 8] = [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; 8];

thread_local! {
    /// Where the call is that this thread has us carry out.
    static PLACE: Cell<u64> = const { Cell::new(0) };
}

/// Asks for nothing yet, but makes it possible. To be called once in a program, before anything is forked.
pub fn prepare() {
    let inside = real::find(c"getpid");
    each_file(&mut |file| note_code(file, inside));
    let is_possible = ALLOWED[0][1].load(Relaxed) != 0 && dispatch(ON) == 0;
    dispatch(OFF);
    region().header.misses_direct_calls.store(u32::from(!is_possible), Relaxed);
    if is_possible {
        let handler = called as extern "C" fn(i32, *const Information, *mut Context) as usize;
        signal::kernel_action(SIGSYS, &Action { handler, flags: SA_SIGINFO | SA_NODEFER, ..Action::DEFAULT });
        IS_WATCHED.store(true, Relaxed);
    }
}

/// Is the function for `SIGSYS` ours?
pub fn is_watched() -> bool {
    IS_WATCHED.load(Relaxed)
}

/// To be called by each thread before it runs code of the program.
pub fn watch() {
    if is_watched() {
        dispatch(ON);
    }
}

fn dispatch(mode: usize) -> isize {
    let [start, end] = &ALLOWED[0];
    let (start, length) = (start.load(Relaxed), end.load(Relaxed) - start.load(Relaxed));
    let (start, length, gate) = if mode == ON { (start, length, sys::gate()) } else { (0, 0, 0) };
    sys::call(sys::PRCTL, SET_DISPATCH, mode, start, length, gate, 0)
}

/// Notes where code of a file is that may call the kernel; `inside` is an address in the C library.
fn note_code(file: &File, inside: usize) {
    for code in file.code() {
        if code.contains(&inside) {
            allow(0, &code);
        } else if belongs_to_library(file.path())
            && let Some(free) = (1..ALLOWED.len()).find(|number| ALLOWED[*number][1].load(Relaxed) == 0)
        {
            allow(free, &code);
        }
    }
}

fn allow(number: usize, code: &Range<usize>) {
    ALLOWED[number][0].store(code.start, Relaxed);
    ALLOWED[number][1].store(code.end, Relaxed);
}

/// The loader, the part of the kernel that is in every process, and what older versions of the C library have in files of their own.
fn belongs_to_library(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    [&b"ld-"[..], b"ld.so", b"linux-vdso", b"libpthread", b"librt", b"libdl"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Where the code of the C library is.
pub fn library_code() -> Range<usize> {
    let [start, end] = &ALLOWED[0];
    start.load(Relaxed)..end.load(Relaxed)
}

fn is_allowed(place: usize) -> bool {
    ALLOWED.iter().any(|[start, end]| (start.load(Relaxed)..end.load(Relaxed)).contains(&place))
}

/// A place, or that in the program if it is here because we carry out a call.
#[inline(always)]
pub fn located(place: u64) -> u64 {
    let is_ours = own_code().contains(&(place as usize));
    if is_ours && PLACE.get() != 0 { PLACE.get() } else { place }
}

/// The caller of a function of ours, by the address it returns to: what the kernel called us for has an address in the C library, which ends functions for signals.
pub fn caller(address: usize) -> usize {
    let is_library = library_code().contains(&address);
    if is_library && PLACE.get() != 0 { PLACE.get() as usize } else { address }
}

/// Carries out a call of the kernel with our functions, as if they were called from there.
fn carry_out(function: fn(&Registers) -> isize, registers: &Registers, place: u64) -> isize {
    let (errno, before) = (sys::errno(), PLACE.replace(place));
    let value = function(registers);
    PLACE.set(before);
    let value = if value == -1 { -(sys::errno() as isize) } else { value };
    sys::set_errno(errno);
    value
}

/// A `siginfo_t` of `SIGSYS`.
#[repr(C)]
pub struct Information {
    signal: i32,
    errno: i32,
    code: i32,
    padding: i32,
    place: u64,
    number: i32,
    machine: u32,
}

/// The beginning of a `ucontext_t`.
#[repr(C)]
pub struct Context {
    before: [usize; 5],
    registers: [usize; 23],
}

/// Where registers are in a [`Context`].
mod register {
    /// In the order of the arguments of a system call.
    pub const ARGUMENTS: [usize; 6] = [8, 9, 12, 2, 0, 1];
    pub const RESULT: usize = 13;
    pub const INSTRUCTION: usize = 16;
}

type Registers = [usize; 6];

/// How a call goes on.
#[derive(Clone, Copy)]
enum How {
    /// By a function of this library.
    Function(fn(&Registers) -> isize),
    /// By the kernel, for us.
    Kernel,
    /// By the kernel, for the program, at its place: it may not return here. Until we call the kernel the next time nothing is noticed.
    InPlace,
}

/// What functions return, as the kernel does; -1 if the reason is in `errno`.
trait Value {
    fn value(self) -> isize;
}

impl Value for i32 {
    fn value(self) -> isize {
        self as isize
    }
}

impl Value for u32 {
    fn value(self) -> isize {
        self as isize
    }
}

impl Value for isize {
    fn value(self) -> isize {
        self
    }
}

impl Value for i64 {
    fn value(self) -> isize {
        self as isize
    }
}

/// `function(module::name: kinds of arguments)`.
macro_rules! function {
    ($function:path : $($kind:ty),*) => {
        How::Function(|registers| {
            let mut rest = registers.iter();
            Value::value($function($(*rest.next().unwrap_or(&0) as $kind),*))
        })
    };
}

const FILTERED: i32 = 1;
const DISPATCHED: i32 = 2;
const THIS_MACHINE: u32 = 0xc000_003e;
const LENGTH_OF_INSTRUCTION: usize = 2;

extern "C" fn called(_: i32, information: *const Information, context: *mut Context) {
    // SAFETY: the kernel passes both.
    let (information, context) = unsafe { (&*information, &mut *context) };
    if information.code == FILTERED && rewind::is_on() {
        rewind::held_back(information.number as usize, context.registers[register::ARGUMENTS[0]]);
    }
    if information.code != DISPATCHED {
        return signal::from_kernel(SIGSYS, information, context);
    }
    let registers = register::ARGUMENTS.map(|number| context.registers[number]);
    let number = information.number as usize;
    let mut how = How::Kernel;
    if controlled().is_some() && !is_allowed(information.place as usize) {
        how = judge(number, &registers, information);
    } else if information.machine != THIS_MACHINE || may_not_return(number) {
        how = How::InPlace;
    }
    let [a, b, c, d, e, f] = registers;
    context.registers[register::RESULT] = match how {
        How::Function(function) => carry_out(function, &registers, information.place) as usize,
        How::Kernel => sys::call(number, a, b, c, d, e, f) as usize,
        How::InPlace => {
            context.registers[register::INSTRUCTION] -= LENGTH_OF_INSTRUCTION;
            sys::open_gate();
            number
        }
    };
}

/// Says so if it matters, and decides who carries it out.
fn judge(number: usize, registers: &Registers, information: &Information) -> How {
    // Another program has other addresses.
    let is_foreign = token::process(my_process()).is_foreign.load(Relaxed) != 0;
    let place = if is_foreign { 0 } else { information.place };
    if information.machine != THIS_MACHINE {
        remark_at(place, &[b"a direct system call for 32-bit programs"]);
        return How::InPlace;
    }
    if number == sys::PRCTL {
        return function!(prctl: i32, usize, usize, usize, usize);
    }
    if number == randomness::GETRANDOM {
        return function!(randomness::getrandom: *mut u8, usize, u32);
    }
    match number {
        processors::SET_AFFINITY => return How::Function(on_processors::<{ processors::SET_AFFINITY }>),
        processors::GET_AFFINITY => return How::Function(on_processors::<{ processors::GET_AFFINITY }>),
        processors::GET_CPU => return How::Function(on_processors::<{ processors::GET_CPU }>),
        address_space::GETRLIMIT => return How::Function(on_limits::<{ address_space::GETRLIMIT }>),
        address_space::SETRLIMIT => return How::Function(on_limits::<{ address_space::SETRLIMIT }>),
        sys::PRLIMIT => return How::Function(on_limits::<{ sys::PRLIMIT }>),
        _ => {}
    }
    if is_about_files(number) && is_concurrent() {
        remark_at(place, &[b"a direct system call on files"]);
    }
    if let Some(me) = controlled() {
        look_for_end_of_control(me, number, registers);
    }
    let Some((_, name, how)) = CALLS.iter().find(|(known, ..)| *known == number) else {
        return if may_not_return(number) { How::InPlace } else { How::Kernel };
    };
    remark_at(place, &[b"a direct system call: ", name.as_bytes()]);
    if number == sys::FUTEX {
        waits_silently();
    }
    match (number, how) {
        (CLONE, _) if is_fork(registers) => How::Function(|_| process::copy() as isize),
        (RT_SIGACTION, _) if registers[3] != 8 => How::Kernel,
        _ => *how,
    }
}

const CLONE: usize = 56;
const VFORK: usize = 58;
const EXIT: usize = 60;
const CLONE3: usize = 435;
const RT_SIGACTION: usize = 13;
const RT_SIGRETURN: usize = 15;

/// Carries out a call by the function of this library that has its name, if there is one; negative results are errors.
pub fn modelled(number: usize, registers: &Registers, place: u64) -> Option<isize> {
    match CALLS.iter().find(|(known, ..)| *known == number)?.2 {
        How::Function(function) => Some(carry_out(function, registers, place)),
        _ => None,
    }
}

/// Ends the execution before a call after which the model is not true any more: of a process that nobody here knows, or of a debugger. A filter is noted.
pub fn look_for_end_of_control(me: usize, number: usize, registers: &Registers) {
    const CLONE_THREAD: usize = 0x0001_0000;
    const PTRACE: usize = 101;
    const SECCOMP: usize = 317;
    let flags = match number {
        CLONE => registers[0],
        // SAFETY: the program passes arguments that begin with the flags.
        CLONE3 if registers[0] != 0 => unsafe { *(registers[0] as *const usize) },
        _ => CLONE_THREAD,
    };
    if flags & CLONE_THREAD == 0 && !is_fork_by(number, registers) {
        token::lose_control(me, &[b"clone"]);
    }
    match number {
        PTRACE => token::lose_control(me, &[b"ptrace"]),
        SECCOMP => note_filter(),
        _ => {}
    }
}

/// Does it come back elsewhere, or twice with one stack?
fn may_not_return(number: usize) -> bool {
    matches!(number, CLONE | VFORK | CLONE3 | RT_SIGRETURN)
}

/// Does this call what `fork` does?
pub fn is_fork_by(number: usize, registers: &Registers) -> bool {
    number == CLONE && is_fork(registers)
}

/// Does `clone` what `fork` does?
fn is_fork(registers: &Registers) -> bool {
    const SIGCHLD: usize = 17;
    registers[0] == SIGCHLD && registers[1] == 0
}

/// Calls about files and names of files: the kernel carries them out, but nobody knows what they touch.
pub fn is_about_files(number: usize) -> bool {
    matches!(number, 4 | 5 | 6 | 8 | 17 | 18 | 21 | 74..=95 | 132 | 133 | 217 | 235 | 258..=269 | 280 | 285)
        || matches!(number, 295 | 296 | 316 | 326 | 327 | 328 | 332 | 437 | 439 | 452)
}

/// What others can notice or what waits, by number.
static CALLS: &[(usize, &str, How)] = &[
    (0, "read", function!(transfer::read: i32, usize, usize)),
    (1, "write", function!(transfer::write: i32, usize, usize)),
    (2, "open", function!(open::open: *const c_char, i32, u32)),
    (3, "close", function!(descriptors::close: i32)),
    (7, "poll", function!(poll::poll: *mut _, usize, i32)),
    (RT_SIGACTION, "rt_sigaction", How::Function(set_action)),
    (14, "rt_sigprocmask", How::Function(set_mask)),
    (16, "ioctl", function!(descriptors::ioctl: i32, usize, *mut i32)),
    (19, "readv", function!(transfer::readv: i32, usize, usize)),
    (20, "writev", function!(transfer::writev: i32, usize, usize)),
    (22, "pipe", function!(pipe::pipe: *mut i32)),
    (23, "select", function!(poll::select: i32, *mut _, *mut _, *mut _, *mut _)),
    (24, "sched_yield", How::Function(|_| time::sched_yield().value())),
    (32, "dup", function!(descriptors::dup: i32)),
    (33, "dup2", function!(descriptors::dup2: i32, i32)),
    (34, "pause", How::Function(|_| sigwait::pause().value())),
    (35, "nanosleep", function!(time::nanosleep: *const _, *mut _)),
    (37, "alarm", function!(timer::alarm: u32)),
    (38, "setitimer", function!(timer::setitimer: i32, *const _, *mut _)),
    (40, "sendfile", How::Kernel),
    (41, "socket", function!(socket::socket: i32, i32, i32)),
    (42, "connect", function!(socket::connect: i32, *const u8, u32)),
    (43, "accept", function!(socket::accept: i32, *mut _, *mut _)),
    (44, "sendto", function!(socket::sendto: i32, usize, usize, i32, usize, u32)),
    (45, "recvfrom", function!(socket::recvfrom: i32, usize, usize, i32, usize, *mut _)),
    (46, "sendmsg", function!(socket::sendmsg: i32, *const _, i32)),
    (47, "recvmsg", function!(socket::recvmsg: i32, *mut _, i32)),
    (48, "shutdown", function!(socket::shutdown: i32, i32)),
    (49, "bind", function!(socket::bind: i32, *const u8, u32)),
    (50, "listen", function!(socket::listen: i32, i32)),
    (53, "socketpair", function!(socket::socketpair: i32, i32, i32, *mut i32)),
    (54, "setsockopt", function!(socket::setsockopt: i32, i32, i32, *const u64, u32)),
    (CLONE, "clone", How::InPlace),
    (57, "fork", How::Function(|_| process::copy().value())),
    (VFORK, "vfork", How::Function(|_| process::vfork().value())),
    (59, "execve", function!(spawn::execve: *const c_char, *const *const c_char, *const *const c_char)),
    (EXIT, "exit", How::Function(exit_thread)),
    (61, "wait4", function!(process::wait4: i32, *mut i32, i32, *mut c_void)),
    (62, "kill", function!(signal::kill: i32, i32)),
    (64, "semget", function!(sysv::semget: i32, i32, i32)),
    (65, "semop", function!(sysv::semop: i32, *const _, usize)),
    (66, "semctl", function!(sysv::semctl: i32, i32, i32, usize)),
    (68, "msgget", function!(message_queue::msgget: i32, i32)),
    (69, "msgsnd", function!(message_queue::msgsnd: i32, *const u8, usize, i32)),
    (70, "msgrcv", function!(message_queue::msgrcv: i32, *mut u8, usize, i64, i32)),
    (71, "msgctl", function!(message_queue::msgctl: i32, i32, *mut u8)),
    (72, "fcntl", function!(descriptors::fcntl: usize, usize, usize)),
    (73, "flock", function!(file_lock::flock: i32, i32)),
    (96, "gettimeofday", function!(time::gettimeofday: *mut _, *mut u8)),
    (127, "rt_sigpending", How::Kernel),
    (128, "rt_sigtimedwait", function!(sigwait::sigtimedwait: *const u64, *mut c_void, *const _)),
    (129, "rt_sigqueueinfo", How::Kernel),
    (130, "rt_sigsuspend", function!(sigwait::sigsuspend: *const u64)),
    (131, "sigaltstack", How::Kernel),
    (200, "tkill", How::Kernel),
    (201, "time", function!(time::time: *mut i64)),
    (202, "futex", How::Function(wait_or_wake)),
    (213, "epoll_create", function!(epoll::epoll_create: i32)),
    (220, "semtimedop", function!(sysv::semtimedop: i32, *const _, usize, *const _)),
    (222, "timer_create", How::Kernel),
    (228, "clock_gettime", function!(time::clock_gettime: i32, *mut _)),
    (230, "clock_nanosleep", How::Function(sleep)),
    (231, "exit_group", How::Function(|registers| process::_exit(registers[0] as i32))),
    (232, "epoll_wait", function!(epoll::epoll_wait: i32, *mut _, i32, i32)),
    (233, "epoll_ctl", function!(epoll::epoll_ctl: i32, i32, i32, *mut _)),
    (234, "tgkill", How::Kernel),
    (240, "mq_open", How::Kernel),
    (242, "mq_timedsend", How::Kernel),
    (243, "mq_timedreceive", How::Kernel),
    (244, "mq_notify", How::Kernel),
    (247, "waitid", function!(process::waitid: i32, i32, *mut c_void, i32)),
    (257, "openat", function!(open::openat: i32, *const c_char, i32, u32)),
    (270, "pselect6", How::Kernel),
    (271, "ppoll", function!(poll::ppoll: *mut _, usize, *const _, *const _)),
    (275, "splice", How::Kernel),
    (276, "tee", How::Kernel),
    (278, "vmsplice", How::Kernel),
    (281, "epoll_pwait", How::Kernel),
    (282, "signalfd", How::Kernel),
    (283, "timerfd_create", How::Kernel),
    (284, "eventfd", How::Function(|registers| event::eventfd(registers[0] as u32, 0).value())),
    (288, "accept4", function!(socket::accept4: i32, *mut _, *mut _, i32)),
    (289, "signalfd4", How::Kernel),
    (290, "eventfd2", function!(event::eventfd: u32, i32)),
    (291, "epoll_create1", function!(epoll::epoll_create1: i32)),
    (292, "dup3", function!(descriptors::dup3: i32, i32, i32)),
    (293, "pipe2", function!(pipe::pipe2: *mut i32, i32)),
    (297, "rt_tgsigqueueinfo", How::Kernel),
    (299, "recvmmsg", How::Kernel),
    (307, "sendmmsg", How::Kernel),
    (317, "seccomp", How::Kernel),
    (322, "execveat", How::Kernel),
    (424, "pidfd_send_signal", How::Kernel),
    (425, "io_uring_setup", How::Kernel),
    (426, "io_uring_enter", How::Kernel),
    (434, "pidfd_open", How::Kernel),
    (CLONE3, "clone3", How::InPlace),
    (436, "close_range", function!(descriptors::close_range: u32, u32, i32)),
    (441, "epoll_pwait2", How::Kernel),
    (449, "futex_waitv", How::Kernel),
    (454, "futex_wake", How::Kernel),
    (455, "futex_wait", How::Kernel),
    (456, "futex_requeue", How::Kernel),
];

fn on_processors<const NUMBER: usize>(registers: &Registers) -> isize {
    processors::directly(NUMBER, registers).unwrap_or(-(errno::EINVAL as isize))
}

fn on_limits<const NUMBER: usize>(registers: &Registers) -> isize {
    let place = PLACE.get();
    let value = address_space::directly(NUMBER, registers, place).unwrap_or(-(errno::EINVAL as isize));
    if value < 0 { sys::fails(-value as i32).value() } else { value }
}

fn wait_or_wake(registers: &Registers) -> isize {
    match controlled() {
        Some(me) => futex::perform_directly(me, *registers),
        None => -(errno::EINVAL as isize),
    }
}

fn exit_thread(registers: &Registers) -> isize {
    if let Some(me) = controlled() {
        thread::thread_exit(me);
    }
    sys::call(EXIT, registers[0], 0, 0, 0, 0, 0)
}

/// The function returns what went wrong.
fn sleep(registers: &Registers) -> isize {
    let [clock, flags, time, rest, ..] = *registers;
    -(time::clock_nanosleep(clock as i32, flags as i32, time as *const _, rest as *mut _) as isize)
}

/// A `struct sigaction` of the kernel.
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelAction {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

fn set_action(registers: &Registers) -> isize {
    let (new, old) = (registers[1] as *const KernelAction, registers[2] as *mut KernelAction);
    let mut was = Action::DEFAULT;
    // SAFETY: the program passes what it wants, or nothing.
    let wanted = unsafe { new.as_ref() }.map(|new| {
        let mut wanted = Action { handler: new.handler, flags: new.flags as i32, ..Action::DEFAULT };
        wanted.mask[0] = new.mask;
        wanted
    });
    let new = wanted.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
    let value = signal::sigaction(registers[0] as i32, new, &mut was);
    if value == 0 && !old.is_null() {
        let flags = u64::from(was.flags as u32);
        // SAFETY: the program passes a place for what it wanted before, or none.
        unsafe {
            *old = KernelAction { handler: was.handler, flags, restorer: was.restorer, mask: was.mask[0] };
        }
    }
    value.value()
}

/// The set of the C library has more room than that of the kernel.
fn set_mask(registers: &Registers) -> isize {
    let old = registers[2] as *mut u64;
    let mut was = [0_u64; 16];
    let wrong = sigwait::pthread_sigmask(registers[0] as i32, registers[1] as *const u64, was.as_mut_ptr());
    if wrong == 0 && !old.is_null() {
        // SAFETY: the program passes a place for what it did not let through before, or none.
        unsafe { *old = was[0] };
    }
    -(wrong as isize)
}

const SET_SECCOMP: i32 = 22;

/// A filter may be against what we do, so an end by it need not be the program's own.
fn note_filter() {
    token::remark(&[b"a filter of the program for system calls"]);
    region().header.has_filter.store(1, Relaxed);
}

/// Filters of the program for system calls are carried out before we could notice anything, and may be against what we do.
#[unsafe(no_mangle)]
pub extern "C" fn prctl(what: i32, a: usize, b: usize, c: usize, d: usize) -> i32 {
    const SET_NAME: i32 = 15;
    const GET_NAME: i32 = 16;
    if let Some(me) = token::controlled() {
        kernel_state::is_about_parents(me, what, a);
        if [SET_NAME, GET_NAME].contains(&what) {
            kernel_state::uses_own_name(me, what == SET_NAME, token::caller());
        }
    }
    if controlled().is_some() && (what == SET_SECCOMP || what as usize == SET_DISPATCH) {
        note_filter();
    }
    // The others are about the thread, or nobody asks for them.
    const ASKS: [i32; 2] = [3, 37];
    const CHANGES: [i32; 2] = [4, 36];
    if ASKS.contains(&what) || CHANGES.contains(&what) {
        library::uses(library::state::ATTRIBUTES, CHANGES.contains(&what), token::caller());
    }
    let value = sys::call(sys::PRCTL, what as usize, a, b, c, d, 0);
    if value < 0 { sys::fails(-value as i32) } else { value as i32 }
}
