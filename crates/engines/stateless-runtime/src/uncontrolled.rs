//! Functions that can block or make processes and that are not modelled: they are called as they are, and the report says so.

use crate::interrupt::may_end_here;
use crate::pipe;
use crate::sys;
use crate::token::{caller, controlled, remark};

/// Each function is called with the registers it was called with.
macro_rules! remarked {
    ($($name:ident, $text:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
            if controlled().is_some() {
                remark(&[stringify!($name).as_bytes()]);
            }
            real!($text: fn(usize, usize, usize, usize, usize, usize) -> isize, (a, b, c, d, e, f))
        })*
    };
}

remarked! {
    poll, c"poll";
    ppoll, c"ppoll";
    select, c"select";
    pselect, c"pselect";
    epoll_wait, c"epoll_wait";
    accept, c"accept";
    connect, c"connect";
    recv, c"recv";
    recvfrom, c"recvfrom";
    recvmsg, c"recvmsg";
    send, c"send";
    sendto, c"sendto";
    sendmsg, c"sendmsg";
    flock, c"flock";
    lockf, c"lockf";
    popen, c"popen";
    clone, c"clone";
    tgkill, c"tgkill";
    ualarm, c"ualarm";
    timer_create, c"timer_create";
    signalfd, c"signalfd";
}

/// Locks of files, by process and by open file, set with or without waiting.
const FILE_LOCKS: [usize; 4] = [6, 7, 37, 38];

fn control_file(name: &[u8], descriptor: usize, command: usize, argument: usize) -> isize {
    if controlled().is_some() && FILE_LOCKS.contains(&command) {
        remark(&[name, b" with a lock of a file"]);
    } else if controlled().is_some() && DUPLICATES.contains(&command) && pipe::is_pipe(descriptor) {
        remark(&[name, b" that duplicates the end of a pipe"]);
    }
    let result = sys::call(FCNTL, descriptor, command, argument, 0, 0, 0);
    if result < 0 { sys::fails(-result as i32) as isize } else { result }
}

const FCNTL: usize = 72;
const DUPLICATES: [usize; 2] = [0, 1030];

/// The C library's function takes any argument after the command.
#[unsafe(no_mangle)]
pub extern "C" fn fcntl(descriptor: usize, command: usize, argument: usize) -> isize {
    control_file(b"fcntl", descriptor, command, argument)
}

#[unsafe(no_mangle)]
pub extern "C" fn fcntl64(descriptor: usize, command: usize, argument: usize) -> isize {
    control_file(b"fcntl", descriptor, command, argument)
}

/// What is read and written through it is not seen.
#[unsafe(no_mangle)]
pub extern "C" fn fdopen(descriptor: usize, mode: usize) -> usize {
    if controlled().is_some() && pipe::is_pipe(descriptor) {
        remark(&[b"fdopen on a pipe"]);
    }
    real!(c"fdopen": fn(usize, usize) -> usize, (descriptor, mode))
}

const FSTAT: usize = 5;
/// Where `struct stat` has the mode.
const MODE: usize = 24;
const KIND: u32 = 0o170_000;
const FIFO: u32 = 0o010_000;
const SOCKET: u32 = 0o140_000;

/// Can another process or thread be at the other end?
fn is_shared(descriptor: usize) -> bool {
    let mut status = [0_u8; 256];
    if descriptor <= 2 || sys::call(FSTAT, descriptor, status.as_mut_ptr() as usize, 0, 0, 0, 0) < 0 {
        return false;
    }
    let mode = u32::from_le_bytes([status[MODE], status[MODE + 1], status[MODE + 2], status[MODE + 3]]);
    matches!(mode & KIND, FIFO | SOCKET)
}

/// Calls the kernel, after a remark if somebody else may be at the other end.
fn remarked_transfer(name: &[u8], number: usize, a: usize, b: usize, c: usize) -> isize {
    if let Some(me) = controlled() {
        may_end_here(me, 0);
        if is_shared(a) {
            remark(&[name, b" on a pipe or socket"]);
        }
    }
    let result = sys::call(number, a, b, c, 0, 0, 0);
    if result < 0 { sys::fails(-result as i32) as isize } else { result }
}

macro_rules! transfers {
    ($($name:ident, $number:expr, $is_plain:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize) -> isize {
            let place = caller();
            let modelled = controlled()
                .filter(|_| $is_plain)
                .and_then(|me| pipe::transfer(me, $number, a, b, c, place));
            modelled.unwrap_or_else(|| remarked_transfer(stringify!($name).as_bytes(), $number, a, b, c))
        })*
    };
}

transfers! {
    read, sys::READ, true;
    write, sys::WRITE, true;
    readv, 19, false;
    writev, 20, false;
}
