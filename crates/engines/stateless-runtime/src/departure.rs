//! The real end of a thread.
//!
//! A thread that is over still runs some code of the C library: it gives its stack and the blocks it kept for itself back to the heap, where a
//! block that was given back twice may be noticed. Whoever goes on waits for that, or what the heap gives out, and whether the program
//! fails there, would depend on who is faster.

use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::sys::{self, errno::EINTR};

/// Where the kernel notes that a thread is gone, in the record that the C library has of it; 0 if that is not known.
static OFFSET: AtomicUsize = AtomicUsize::new(0);

/// The word of the thread of this process that is about to go, and its number in the kernel; 0 if there is none.
static WORD: AtomicUsize = AtomicUsize::new(0);
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// The record is longer than that.
const SEARCHED: usize = 2048;

unsafe extern "C" {
    fn pthread_self() -> u64;
}

fn number() -> usize {
    sys::call(sys::GETTID, 0, 0, 0, 0, 0, 0) as usize
}

/// To be called once, before any thread is made.
pub fn prepare() {
    // SAFETY: it has no conditions.
    let record = unsafe { pthread_self() } as usize;
    // SAFETY: the words are in the record.
    let word = |offset: &usize| unsafe { *((record + offset) as *const u32) } as usize;
    let number = number();
    let found = (0..SEARCHED).step_by(4).find(|offset| word(offset) == number);
    OFFSET.store(found.unwrap_or(0), Relaxed);
}

/// This thread is about to give the token away for good.
pub fn begins() {
    if OFFSET.load(Relaxed) != 0 {
        NUMBER.store(number(), Relaxed);
        // SAFETY: it has no conditions.
        WORD.store(unsafe { pthread_self() } as usize + OFFSET.load(Relaxed), Relaxed);
    }
}

const INTERRUPTED: isize = -(EINTR as isize);

/// A `timespec`: nobody takes so long, unless it waits for somebody who is not under control.
static LIMIT: [u64; 2] = [1, 0];

/// This thread has got the token: waits until the one that left is gone.
pub fn await_end() {
    let word = WORD.load(Relaxed);
    if word == 0 {
        return;
    }
    WORD.store(0, Relaxed);
    // The kernel changes the word and wakes whoever waits. If the memory is not there any more, neither is the thread.
    let wait = || sys::call(sys::FUTEX, word, 0, NUMBER.load(Relaxed), &raw const LIMIT as usize, 0, 0);
    while matches!(wait(), 0 | INTERRUPTED) {}
}
