//! Who called an operation, for source lines: the return addresses on the stack, found through frame pointers.
//!
//! Only when the explorer wants to show an execution. Code without frame pointers leaves anything in the register, so every frame must lie
//! on the stack, above the one before; what is found may then still be no frame, and the explorer treats it with care.

use core::sync::atomic::Ordering::Relaxed;

use crate::direct;
use crate::objects::reserve;
use crate::token::{region, thread};

/// How many are kept.
pub const MOST: usize = 16;

/// The frame of the caller.
#[inline(always)]
pub fn frame() -> usize {
    let frame: usize;
    // SAFETY: reads a register.
    unsafe { core::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack, preserves_flags)) };
    frame
}

/// Everything that this thread calls from now on is below the caller's frame.
#[inline(always)]
pub fn stack_begins(me: usize) {
    thread(me).stack_top.store(frame() as u64, Relaxed);
}

/// Keeps the callers of the operation that this thread is about to announce.
#[inline(always)]
pub fn remember(me: usize) {
    if region().header.wants_callers.load(Relaxed) != 0 {
        write(me, frame());
    }
}

#[cold]
fn write(me: usize, mut frame: usize) {
    let top = thread(me).stack_top.load(Relaxed) as usize;
    let place = reserve(1 + 2 * MOST) as usize;
    let pool = &region().pool;
    let mut count = 0;
    while count < MOST && frame.is_multiple_of(8) && frame != 0 && frame < top {
        // SAFETY: it is between a frame of this function's callers and where the stack begins, so it is on the stack.
        let (next, address) = unsafe { (*(frame as *const usize), *((frame + 8) as *const usize)) };
        let address = direct::caller(address);
        pool[place + 1 + 2 * count].store(address as u32, Relaxed);
        pool[place + 2 + 2 * count].store((address >> 32) as u32, Relaxed);
        count += 1;
        if next <= frame {
            break;
        }
        frame = next;
    }
    pool[place].store(count as u32, Relaxed);
    thread(me).callers.store(place as u32 + 1, Relaxed);
}
