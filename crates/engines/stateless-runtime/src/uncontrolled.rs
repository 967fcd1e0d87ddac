//! Functions that can block or make processes and that are not modelled: they are called as they are, and the report says so.

use crate::token::{controlled, lose_control, remark_outsider};

/// Each function is called with the registers it was called with.
macro_rules! remarked {
    ($($name:ident, $text:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
            if controlled().is_some() {
                remark_outsider(&[stringify!($name).as_bytes()]);
            }
            real!($text: fn(usize, usize, usize, usize, usize, usize) -> isize, (a, b, c, d, e, f))
        })*
    };
}

remarked! {
    sendmmsg, c"sendmmsg";
    recvmmsg, c"recvmmsg";
    sendfile, c"sendfile";
    sendfile64, c"sendfile64";
    splice, c"splice";
    tee, c"tee";
    vmsplice, c"vmsplice";
    timerfd_create, c"timerfd_create";
    timer_create, c"timer_create";
    signalfd, c"signalfd";
    aio_read, c"aio_read";
    aio_write, c"aio_write";
    aio_fsync, c"aio_fsync";
    aio_suspend, c"aio_suspend";
    lio_listio, c"lio_listio";
    process_vm_readv, c"process_vm_readv";
    process_vm_writev, c"process_vm_writev";
}

/// Functions that make processes, stop them or signal them behind our back: an execution ends there.
macro_rules! refused {
    ($($name:ident, $text:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> isize {
            if let Some(me) = controlled() {
                lose_control(me, &[stringify!($name).as_bytes()]);
            }
            real!($text: fn(usize, usize, usize, usize, usize, usize) -> isize, (a, b, c, d, e, f))
        })*
    };
}

refused! {
    clone, c"clone";
    ptrace, c"ptrace";
    tgkill, c"tgkill";
}
