//! Functions that can block or make processes and that are not modelled: they are called as they are, and the report says so.

use crate::token::{controlled, remark};

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
    sendmmsg, c"sendmmsg";
    recvmmsg, c"recvmmsg";
    sendfile, c"sendfile";
    sendfile64, c"sendfile64";
    splice, c"splice";
    tee, c"tee";
    vmsplice, c"vmsplice";
    timerfd_create, c"timerfd_create";
    signalfd, c"signalfd";
    posix_spawn, c"posix_spawn";
    posix_spawnp, c"posix_spawnp";
    system, c"system";
    popen, c"popen";
    clone, c"clone";
    waitid, c"waitid";
    kill, c"kill";
    pthread_kill, c"pthread_kill";
    pthread_cancel, c"pthread_cancel";
    pthread_tryjoin_np, c"pthread_tryjoin_np";
    pthread_timedjoin_np, c"pthread_timedjoin_np";
    pause, c"pause";
    sigwait, c"sigwait";
    sigwaitinfo, c"sigwaitinfo";
    sigsuspend, c"sigsuspend";
    alarm, c"alarm";
    setitimer, c"setitimer";
}
