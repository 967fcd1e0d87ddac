//! Who called an operation, for source lines: the return addresses on the stack.
//!
//! Only when the explorer wants to show an execution. They are found with the tables that unwinders
//! of exceptions use, since most code has no frame pointers: that of Rust, and what was optimised.
//! Code without such tables has frame pointers, perhaps: every frame must lie on the stack, above
//! the one before; what is found may then still be no frame, and the explorer treats it with care.

use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::limits;

use crate::direct;
use crate::objects::{reserve, room_in_pool};
use crate::token::{region, thread, unwatched};
use crate::unwind::{each_caller, own_code};

/// How many are kept.
pub const MOST: usize = 64;
/// How many are kept where there is not much room left, or that are looked for by frame pointers.
const FEW: usize = 16;

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
#[inline(never)]
fn write(me: usize, frame: usize) {
    let room = room_in_pool();
    let mut found = [0; MOST];
    let most = if room < limits::POOL as isize / 2 { FEW } else { MOST };
    // The unwinder takes locks of its own.
    let by_tables = unwatched(|| with_tables(&mut found[..most]));
    let by_frames = with_frames(me, frame);
    let callers = if by_tables >= by_frames.1 { &found[..by_tables] } else { &by_frames.0[..by_frames.1] };
    let place = reserve(1 + 2 * callers.len()) as usize;
    let pool = &region().pool;
    for (number, address) in callers.iter().enumerate() {
        pool[place + 1 + 2 * number].store(*address as u32, Relaxed);
        pool[place + 2 + 2 * number].store((*address >> 32) as u32, Relaxed);
    }
    pool[place].store(callers.len() as u32, Relaxed);
    thread(me).callers.store(place as u32 + 1, Relaxed);
}

/// The callers outside of this library, by the tables.
fn with_tables(found: &mut [usize]) -> usize {
    let (own, mut count) = (own_code(), 0);
    each_caller(&mut |caller| {
        let (address, _) = caller.address();
        if address == 0 || count == found.len() {
            return false;
        }
        if !own.contains(&address) || direct::caller(address) != address {
            found[count] = direct::caller(address);
            count += 1;
        }
        true
    });
    count
}

/// The same by frame pointers.
fn with_frames(me: usize, mut frame: usize) -> ([usize; FEW], usize) {
    let top = thread(me).stack_top.load(Relaxed) as usize;
    let (own, mut found, mut count) = (own_code(), [0; FEW], 0);
    while count < FEW && frame.is_multiple_of(8) && frame != 0 && frame < top {
        // SAFETY: it is between a frame of this function's callers and where the stack begins, so
        // it is on the stack.
        let (next, address) = unsafe { (*(frame as *const usize), *((frame + 8) as *const usize)) };
        if !own.contains(&address) || direct::caller(address) != address {
            found[count] = direct::caller(address);
            count += 1;
        }
        if next <= frame {
            break;
        }
        frame = next;
    }
    (found, count)
}
