//! The shared region, seen from the explorer.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Acquire;
use std::time::Duration;

use allways_stateless_protocol::{Region, VERSION};

/// A mapping of a region, and the descriptor with which others map it.
pub struct Shared {
    region: *const Region,
    descriptor: OwnedFd,
}

// SAFETY: every field of a region is an atomic.
unsafe impl Send for Shared {}

impl Shared {
    pub fn new() -> io::Result<Shared> {
        // SAFETY: the name ends with a zero byte.
        let descriptor = unsafe { libc::memfd_create(c"allways".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made and belongs to nobody else.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let file = File::from(descriptor);
        file.set_len(size_of::<Region>() as u64)?;
        // SAFETY: a new mapping of a file that is long enough, for as long as `self` lives.
        let region = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Region>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if region == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let shared = Shared { region: region.cast(), descriptor: file.into() };
        shared.region().header.version.store(VERSION, std::sync::atomic::Ordering::Relaxed);
        Ok(shared)
    }

    pub fn region(&self) -> &Region {
        // SAFETY: mapped by `new`, unmapped by `drop`; all zeros is a region, and all its fields are atomics.
        unsafe { &*self.region }
    }

    pub fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`; no reference outlives `self`.
        unsafe { libc::munmap(self.region.cast_mut().cast(), size_of::<Region>()) };
    }
}

/// Waits until the word differs, but not longer than this; whether it does.
pub fn wait_while(word: &AtomicU32, value: u32, limit: Duration) -> bool {
    if word.load(Acquire) != value {
        return true;
    }
    let time = libc::timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
    // SAFETY: the word and the time are alive during the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &time) };
    word.load(Acquire) != value
}

/// Wakes everybody who waits for the word.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the word is alive during the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

thread_local! {
    static IS_PINNED: Cell<bool> = const { Cell::new(false) };
}

/// The processors that the explorer may use, as it was started.
fn allowed() -> &'static [usize] {
    static ALLOWED: OnceLock<Vec<usize>> = OnceLock::new();
    ALLOWED.get_or_init(|| {
        // SAFETY: the set is ours, and all zeros is the empty one.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
            (0..libc::CPU_SETSIZE as usize).filter(|cpu| libc::CPU_ISSET(*cpu, &set)).collect()
        }
    })
}

/// How many processors the explorer may use, as it was started.
pub fn usable_processors() -> usize {
    allowed().len().max(1)
}

/// From now on this thread, and what it starts, runs on one processor only: handing over is then many times faster. The workers of a
/// search are spread over the processors by their numbers; a thread on its own stays where it is.
pub fn pin_to_one_cpu(worker: Option<usize>) {
    let cpus = allowed();
    if IS_PINNED.get() || cpus.is_empty() {
        return;
    }
    // SAFETY: the set is ours; without permission nothing changes.
    unsafe {
        let cpu = match worker {
            Some(number) => cpus[number % cpus.len()],
            None => usize::try_from(libc::sched_getcpu()).unwrap_or(cpus[0]),
        };
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
    IS_PINNED.set(true);
}
