//! System calls, made directly: the C library's wrappers may be ours.

use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::AtomicU32;

use crate::rewind;

pub const READ: usize = 0;
pub const WRITE: usize = 1;
pub const OPEN: usize = 2;
pub const CLOSE: usize = 3;
pub const FSTAT: usize = 5;
pub const POLL: usize = 7;
pub const MMAP: usize = 9;
pub const PREAD: usize = 17;
pub const READV: usize = 19;
pub const PRLIMIT: usize = 302;
pub const WRITEV: usize = 20;
pub const GETPID: usize = 39;
pub const WAIT4: usize = 61;
pub const SCHED_YIELD: usize = 24;
pub const MADVISE: usize = 28;
pub const KILL: usize = 62;
pub const FCNTL: usize = 72;
pub const PRCTL: usize = 157;
pub const GETTID: usize = 186;
pub const FUTEX: usize = 202;
pub const EXIT_GROUP: usize = 231;
pub const TGKILL: usize = 234;
pub const UNSHARE: usize = 272;

pub const SIGKILL: i32 = 9;

thread_local! {
    /// May this thread call the kernel from anywhere? It is open while we do; the kernel looks at it, see `direct`.
    static GATE: Cell<u8> = const { Cell::new(FREE) };
}

const FREE: u8 = 0;
const SHUT: u8 = 1;

/// Where the kernel has to look.
pub fn gate() -> usize {
    GATE.with(|gate| gate.as_ptr() as usize)
}

/// Until the next call.
pub fn open_gate() {
    GATE.set(FREE);
}

/// A system call; negative results are errors.
pub fn call(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    if rewind::is_on() && !rewind::is_harmless(number, a) {
        rewind::give_up();
    }
    unchecked(number, a, b, c, d, e, f)
}

/// The same, if it leaves no traces.
pub fn unchecked(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    GATE.set(FREE);
    let result = call_kernel(number, a, b, c, d, e, f);
    GATE.set(SHUT);
    result
}

#[inline(always)]
fn call_kernel(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
    let result: isize;
    // SAFETY: the registers are those of the kernel's convention; callers pass addresses that are valid for the call.
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
            in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

pub fn getpid() -> i32 {
    call(GETPID, 0, 0, 0, 0, 0, 0) as i32
}

pub fn kill(pid: i32, signal: i32) {
    call(KILL, pid as usize, signal as usize, 0, 0, 0, 0);
}

/// Sends a signal to the calling thread, which gets it before the call returns. One that is sent to
/// the process may be left to another thread, which has not had it yet when this one goes on.
pub fn kill_own_thread(signal: i32) {
    let thread = call(GETTID, 0, 0, 0, 0, 0, 0) as usize;
    call(TGKILL, getpid() as usize, thread, signal as usize, 0, 0, 0);
}

/// Nothing of the program runs in this thread until it is shut again.
pub fn shut_gate() {
    GATE.set(SHUT);
}

/// Waits as long as the word has this value, and leaves the gate open.
pub fn wait_at_open_gate(word: &AtomicU32, value: u32) {
    GATE.set(FREE);
    call_kernel(FUTEX, word.as_ptr() as usize, 0, value as usize, 0, 0, 0);
}

/// Wakes who waits for a word, and leaves the gate open.
pub fn wake_at_open_gate(word: &AtomicU32) {
    GATE.set(FREE);
    // All: a process of an earlier execution that is being killed may still wait there.
    call_kernel(FUTEX, word.as_ptr() as usize, 1, i32::MAX as usize, 0, 0, 0);
}

/// Waits as long as the word has this value.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    call(FUTEX, word.as_ptr() as usize, 0, value as usize, 0, 0, 0);
}

pub fn futex_wake(word: &AtomicU32) {
    call(FUTEX, word.as_ptr() as usize, 1, i32::MAX as usize, 0, 0, 0);
}

/// Waits for a child; the process that ended, or a negative number.
pub fn wait4(pid: i32, status: &mut i32) -> isize {
    call(WAIT4, pid as usize, status as *mut i32 as usize, 0, 0, 0, 0)
}

/// Ends this process at once.
pub fn die() -> ! {
    loop {
        unchecked(KILL, getpid() as usize, SIGKILL as usize, 0, 0, 0, 0);
        unchecked(EXIT_GROUP, 1, 0, 0, 0, 0, 0);
    }
}

pub fn set_errno(value: i32) {
    unsafe extern "C" {
        fn __errno_location() -> *mut i32;
    }
    // SAFETY: the C library gives the address of this thread's variable.
    unsafe { *__errno_location() = value };
}

pub fn errno() -> i32 {
    unsafe extern "C" {
        fn __errno_location() -> *mut i32;
    }
    // SAFETY: as above.
    unsafe { *__errno_location() }
}

/// Sets the error and returns -1, as most of the C library does.
pub fn fails(errno: i32) -> i32 {
    set_errno(errno);
    -1
}

pub mod errno {
    pub const EMSGSIZE: i32 = 90;
    pub const EBADF: i32 = 9;
    pub const EIO: i32 = 5;
    pub const E2BIG: i32 = 7;
    pub const ENOMSG: i32 = 42;
    pub const EPERM: i32 = 1;
    pub const ENOENT: i32 = 2;
    pub const EAGAIN: i32 = 11;
    pub const EACCES: i32 = 13;
    pub const ENOTDIR: i32 = 20;
    pub const ENAMETOOLONG: i32 = 36;
    pub const EBUSY: i32 = 16;
    pub const EEXIST: i32 = 17;
    pub const EINVAL: i32 = 22;
    pub const ECHILD: i32 = 10;
    pub const ERANGE: i32 = 34;
    pub const EDEADLK: i32 = 35;
    pub const EIDRM: i32 = 43;
    pub const EOVERFLOW: i32 = 75;
    pub const ETIMEDOUT: i32 = 110;
    pub const EFBIG: i32 = 27;
    pub const EINTR: i32 = 4;
    pub const ENOMEM: i32 = 12;
    pub const ESRCH: i32 = 3;
    pub const EFAULT: i32 = 14;
}
