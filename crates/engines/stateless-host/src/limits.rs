//! What the kernel limits for the explorer and for the program (`ulimit`).
//!
//! The region and the library take room that the program does not need by itself. So the explorer
//! raises its own limits where it may, and the program gets room for what is ours beside its own.

use std::io;

/// A limit as it was, and whether it could be raised.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    resource: libc::__rlimit_resource_t,
    was: libc::rlimit,
}

/// The beginning of the stack of the first thread is moved by up to a megabyte, and functions of ours are called on every stack.
const OWN_STACK: libc::rlim_t = 2 << 20;
const SMALL_STACK: libc::rlim_t = 8 << 20;

impl Limit {
    /// Takes a limit away from the explorer, as far as it may.
    pub fn lift(resource: libc::__rlimit_resource_t) -> Limit {
        let mut was = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: there is room for the limit.
        unsafe { libc::getrlimit(resource, &mut was) };
        if was.rlim_cur != libc::RLIM_INFINITY {
            let none = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
            let most = libc::rlimit { rlim_cur: was.rlim_max, ..was };
            // SAFETY: system calls on limits that are there.
            unsafe {
                if libc::setrlimit(resource, &none) != 0 {
                    libc::setrlimit(resource, &most);
                }
            }
        }
        Limit { resource, was }
    }

    /// The soft limit as it was; `None` if there was none.
    pub fn value(&self) -> Option<u64> {
        (self.was.rlim_cur != libc::RLIM_INFINITY).then_some(self.was.rlim_cur)
    }

    /// The soft and the hard limit as they were; `u64::MAX` where there was none.
    pub fn both(&self) -> [u64; 2] {
        [self.was.rlim_cur, self.was.rlim_max]
    }

    /// Makes it what it was, also in a child of the explorer.
    pub fn restore(&self) {
        // SAFETY: a system call on a limit that is there.
        unsafe { libc::setrlimit(self.resource, &self.was) };
    }
}

/// Makes a small stack larger by what we need of it. To be called in the program before it is executed.
pub fn widen_stack() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: system calls on a limit that is there.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_STACK, &mut limit) == 0 && limit.rlim_cur < SMALL_STACK {
            limit.rlim_cur += OWN_STACK;
            limit.rlim_max = limit.rlim_max.max(limit.rlim_cur);
            libc::setrlimit(libc::RLIMIT_STACK, &limit);
        }
    }
}

/// Says which limit it is that stands in the way.
pub fn explained(error: io::Error, address_space: &Limit) -> io::Error {
    match (error.raw_os_error(), address_space.value()) {
        (Some(libc::ENOMEM), Some(limit)) => io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!(
                "the address space is limited to {} KB, and more is reserved here, though hardly used",
                limit >> 10
            ),
        ),
        (Some(libc::EFBIG), _) => io::Error::new(
            io::ErrorKind::FileTooLarge,
            "the size of files is limited, and the memory that is shared with the program counts as a file",
        ),
        _ => error,
    }
}
