//! Streams to and from a shell: `popen`, made of a pipe, a process that executes the shell, and a stream on our end.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::descriptors;
use crate::open::fclose;
use crate::pipe::pipe2;
use crate::process::{self, _exit, waitpid};
use crate::spawn::become_shell;
use crate::stdio;
use crate::sys::{self, errno::*, fails};
use crate::token::{controlled, remark};

const MOST: usize = 32;
const CLOSES_ON_EXEC: i32 = 0o2_000_000;
const SET_FLAGS: usize = 2;

/// The streams that are open, with the numbers of their processes. Only the thread with the token uses them.
static OPEN: [[AtomicUsize; 2]; MOST] = [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; MOST];

#[unsafe(no_mangle)]
pub extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void {
    if controlled().is_none() {
        return real!(c"popen": fn(*const c_char, *const c_char) -> *mut c_void, (command, mode));
    }
    // SAFETY: the program passes a text that ends with a zero byte.
    let letters = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let (reads, writes) = (letters.contains(&b'r'), letters.contains(&b'w'));
    let free = OPEN.iter().find(|[stream, _]| stream.load(Relaxed) == 0);
    let Some([stream, process]) = free.filter(|_| reads != writes) else {
        if reads != writes {
            remark(&[b"very many streams of popen"]);
        }
        fails(EINVAL);
        return core::ptr::null_mut();
    };
    let mut ends = [0; 2];
    if pipe2(ends.as_mut_ptr(), CLOSES_ON_EXEC) < 0 {
        return core::ptr::null_mut();
    }
    let [ours, theirs] = if reads { ends } else { [ends[1], ends[0]] };
    let child = process::copy();
    if child == 0 {
        become_other(command, theirs, if reads { 1 } else { 0 });
    }
    descriptors::close(theirs);
    if child < 0 {
        descriptors::close(ours);
        fails(EAGAIN);
        return core::ptr::null_mut();
    }
    if !letters.contains(&b'e') {
        descriptors::fcntl(ours as usize, SET_FLAGS, 0);
    }
    let made = stdio::stream_on(ours as usize, if reads { c"r".as_ptr() } else { c"w".as_ptr() });
    stream.store(made as usize, Relaxed);
    process.store(child as usize, Relaxed);
    made
}

/// The new process: it has nothing of the streams that were made before.
fn become_other(command: *const c_char, theirs: i32, standard: i32) -> ! {
    for [stream, _] in OPEN.iter().filter(|[stream, _]| stream.load(Relaxed) != 0) {
        let descriptor = stdio::descriptor_of(stream.load(Relaxed) as *mut c_void);
        if descriptor as i32 != standard {
            descriptors::close(descriptor as i32);
        }
    }
    if theirs == standard {
        descriptors::fcntl(theirs as usize, SET_FLAGS, 0);
    } else {
        descriptors::dup2(theirs, standard);
    }
    become_shell(command);
    _exit(127)
}

#[unsafe(no_mangle)]
pub extern "C" fn pclose(stream: *mut c_void) -> i32 {
    let known = OPEN.iter().find(|[known, _]| known.load(Relaxed) == stream as usize);
    let Some([known, process]) = known.filter(|_| !stream.is_null()) else {
        return real!(c"pclose": fn(*mut c_void) -> i32, (stream));
    };
    let child = process.load(Relaxed) as i32;
    known.store(0, Relaxed);
    fclose(stream);
    let mut status = -1;
    while waitpid(child, &mut status, 0) < 0 {
        if sys::errno() != EINTR {
            return -1;
        }
    }
    status
}
