//! Memory that must not be touched: beside a block of the heap, in a block that was given back, on the stack of a thread that has ended.
//!
//! For the heap there is a byte for each granule of eight bytes, in a table at a fixed address: 0 if all of it may be touched, how many of its first bytes
//! may, or [`NOT_OURS`], [`BEFORE_BLOCK`], [`GIVEN_BACK`] or [`FAR_GIVEN_BACK`]. Only the word before a block, the end of a block that is in use and blocks that are kept from the
//! C library are marked. What is left of the marks of a block that is gone is removed where the next one is given out. Large blocks, which are mappings of their own, are not looked at: behind them is nothing, or the rest of a page.

use core::cell::UnsafeCell;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Earlier, Fault};

use crate::clocks;
use crate::memory::{Frame, REMEMBERED, place_of};
use crate::misuse::report_address;
use crate::shadow;
use crate::token::controlled;

/// The table covers so much of the heap, from a place before the first block on.
const COVERED: usize = 4 << 30;
const BEFORE: usize = 64 << 20;

const TABLE: usize = shadow::END + clocks::SIZE;
pub const SIZE: usize = COVERED / 8;

/// Nothing of the granule belongs to a block.
const NOT_OURS: u8 = 0xff;
/// It belongs to a block that was given back when there was only one thread.
const GIVEN_BACK: u8 = 0xfe;
/// The same when there were several, far from the beginning of the block: see [`REMEMBERED`].
const FAR_GIVEN_BACK: u8 = 0xfc;
/// The word before a block that is in use, where the C library keeps its size.
const BEFORE_BLOCK: u8 = 0xfd;

/// Where the part of the heap begins that the table covers; 0 if there is no block yet.
static START: AtomicUsize = AtomicUsize::new(0);

/// The byte for an address, if the table covers it.
#[inline]
fn entry(address: usize) -> Option<&'static mut u8> {
    let offset = address.wrapping_sub(START.load(Relaxed));
    // SAFETY: the table is mapped; only the thread with the token touches it, one entry at a time.
    (offset < COVERED && START.load(Relaxed) != 0).then(|| unsafe { &mut *((TABLE + offset / 8) as *mut u8) })
}

fn mark(address: usize, value: u8) {
    if let Some(entry) = entry(address) {
        *entry = value;
    }
}

/// The bytes for a part of the heap, if the table covers it, or begins in it.
fn entries(start: usize, length: usize) -> &'static mut [u8] {
    let origin = START.load(Relaxed);
    let from = start.saturating_sub(origin) / 8;
    let to = (start + length).div_ceil(8).saturating_sub(origin / 8);
    if origin == 0 || from >= COVERED / 8 || to <= from {
        return &mut [];
    }
    // SAFETY: as in `entry`.
    unsafe { core::slice::from_raw_parts_mut((TABLE + from) as *mut u8, to.min(COVERED / 8) - from) }
}

/// A block was given out, with room for more than was asked for: what is behind that is marked, up
/// to the next block, and the word before it.
pub fn given_out(start: usize, size: usize, room: usize) {
    if START.load(Relaxed) == 0 {
        START.store((start & !0xfff).saturating_sub(BEFORE), Relaxed);
    }
    let end = start + size;
    mark(start - 8, BEFORE_BLOCK);
    entries(start, size).iter_mut().filter(|entry| **entry != 0).for_each(|entry| *entry = 0);
    if end & 7 != 0 {
        mark(end, (end & 7) as u8);
    }
    // The word behind the room is the C library's.
    (end.next_multiple_of(8)..start + room).step_by(8).for_each(|address| mark(address, NOT_OURS));
    if entry(start + room).is_some_and(|entry| *entry != BEFORE_BLOCK) {
        mark(start + room, NOT_OURS);
    }
}

/// Is the address inside of a block that is in use, but not its beginning? Where that is not known,
/// it is not said.
pub fn is_inside(address: usize) -> bool {
    /// Of longer blocks nothing is known that far from their beginning.
    const FARTHEST: usize = 1 << 16;
    let marks = entries(address.saturating_sub(FARTHEST), FARTHEST);
    marks.last() == Some(&0) && marks.iter().rev().find(|entry| **entry != 0) == Some(&BEFORE_BLOCK)
}

/// Does a block that is in use begin here?
pub fn begins(address: usize) -> bool {
    entry(address.wrapping_sub(8)).is_some_and(|entry| *entry == BEFORE_BLOCK)
}

/// Did a block begin here that was looked at, whether or not it is in use still?
pub fn was_given_out(address: usize) -> bool {
    entry(address.wrapping_sub(8)).is_some_and(|entry| *entry != 0)
}

/// The marks behind a block are removed, for it is given back, or its owner has asked how much room there is.
pub fn has_no_end(start: usize, room: usize) {
    // Nobody asks for so much less than there is room for.
    const MOST: usize = 64;
    let first = start + (room + 8).saturating_sub(MOST);
    let is_kept = |mark: u8| matches!(mark, 0 | GIVEN_BACK | FAR_GIVEN_BACK | BEFORE_BLOCK);
    let marked = |address: &usize| entry(*address).is_some_and(|entry| !is_kept(*entry));
    (first & !7..start + room + 8).step_by(8).filter(marked).for_each(|address| mark(address, 0));
}

/// A block goes back to the heap: the word before it is nobody's business still, but no block
/// begins there.
pub fn is_gone(start: usize) {
    if entry(start - 8).is_some_and(|entry| *entry == BEFORE_BLOCK) {
        mark(start - 8, NOT_OURS);
    }
}

/// A block was given back when there was only one thread, and is kept.
pub fn kept(start: usize, room: usize) {
    entries(start, room).fill(GIVEN_BACK);
}

/// A block was given back when there were several threads, and is kept. Its beginning is remembered
/// as memory that was written.
pub fn kept_by_several(start: usize, room: usize) {
    if room > REMEMBERED {
        entries(start + REMEMBERED, room - REMEMBERED).fill(FAR_GIVEN_BACK);
    }
}

/// A block that was kept goes to the C library.
pub fn released(start: usize, room: usize) {
    let is_marked = |entry: &&mut u8| matches!(**entry, GIVEN_BACK | FAR_GIVEN_BACK);
    entries(start, room).iter_mut().filter(is_marked).for_each(|entry| *entry = 0);
}

/// Where the block begins in whose far part the address is, if it was given back when there were
/// several threads.
#[inline]
pub fn block_of_far_part(address: usize) -> Option<usize> {
    let is_far = |address: usize| entry(address).is_some_and(|entry| *entry == FAR_GIVEN_BACK);
    is_far(address).then(|| {
        let mut first = address & !7;
        while is_far(first - 8) {
            first -= 8;
        }
        first - REMEMBERED
    })
}

/// Was the block that begins here given back when there was only one thread?
pub fn is_given_back(start: usize) -> bool {
    entry(start).is_some_and(|entry| *entry == GIVEN_BACK)
}

/// Looks at an access to bytes of one or two granules.
#[inline]
pub fn look(address: usize, size: usize, frame: Frame) {
    let is_marked = |address: usize| entry(address).is_some_and(|entry| *entry != 0);
    let last = address + size.max(1) - 1;
    if is_marked(address) || is_marked(last) || size > 8 && is_marked(address + 8) {
        judge(address, last, frame);
    }
    if N_DEAD.load(Relaxed) != 0 {
        look_at_stacks(address, frame);
    }
}

/// Looks at an access to any number of bytes.
pub fn look_at_range(address: usize, size: usize, frame: Frame) {
    if size == 0 {
        return;
    }
    let last = address + size - 1;
    let entries = entries(address, size);
    let skipped = START.load(Relaxed).saturating_sub(address) & !7;
    // What is marked is behind what may be touched, so only the last granule may be marked and
    // harmless.
    if let Some(first) = entries.iter().position(|entry| *entry != 0) {
        let address = if first == 0 && skipped == 0 { address } else { (address & !7) + skipped + 8 * first };
        judge(address, last.min(address | 7), frame);
    }
    if N_DEAD.load(Relaxed) != 0 {
        look_at_stacks(address, frame);
    }
}

#[cold]
fn judge(address: usize, last: usize, frame: Frame) {
    let Some(me) = controlled() else { return };
    let middle = address.midpoint(last);
    for address in [address, middle, last] {
        let fault = match entry(address).map_or(0, |entry| *entry) {
            // The far part of a block is left to `memory::compare`.
            0 | FAR_GIVEN_BACK => continue,
            GIVEN_BACK => Fault::UseOfFreed,
            NOT_OURS | BEFORE_BLOCK => Fault::OutOfBlock,
            n_bytes if address & 7 < usize::from(n_bytes) => continue,
            _ => Fault::OutOfBlock,
        };
        return report_address(me, fault, address as u64, place_of(frame), None);
    }
}

/// The stacks of threads that have ended: begin, end, thread.
struct Dead(UnsafeCell<[(usize, usize, usize); STACKS]>);

// SAFETY: only the thread with the token touches it.
unsafe impl Sync for Dead {}

/// The C library keeps more stacks than this for threads to come, so that they are not given to something else.
const STACKS: usize = 3;
/// So much of a stack is looked at.
const STACK: usize = 256 << 10;

static DEAD: Dead = Dead(UnsafeCell::new([(0, 0, 0); STACKS]));
static N_DEAD: AtomicUsize = AtomicUsize::new(0);

fn dead() -> &'static mut [(usize, usize, usize); STACKS] {
    // SAFETY: see `Dead`.
    unsafe { &mut *DEAD.0.get() }
}

#[cold]
fn look_at_stacks(address: usize, frame: Frame) {
    let Some(me) = controlled() else { return };
    if let Some((.., thread)) = dead().iter().find(|(start, end, _)| (*start..*end).contains(&address)) {
        let earlier = Some(Earlier { thread: *thread as u32, place: 0 });
        report_address(me, Fault::UseOfDeadStack, address as u64, place_of(frame), earlier);
    }
}

/// A thread has ended whose stack is the C library's; its thread-local variables are behind it.
pub fn stack_is_dead(thread: usize, stack_end: usize, variables_end: usize) {
    let dead = dead();
    dead.rotate_right(1);
    dead[0] = (stack_end.saturating_sub(STACK), variables_end.max(stack_end), thread);
    N_DEAD.store(1, Relaxed);
}

/// Memory becomes something else.
pub fn is_reused(start: usize, length: usize) {
    if N_DEAD.load(Relaxed) == 0 {
        return;
    }
    let overlaps = |from: usize, to: usize| start < to && from < start + length;
    for stack in dead().iter_mut().filter(|(from, to, _)| overlaps(*from, *to)) {
        *stack = (0, 0, 0);
    }
    N_DEAD.store(dead().iter().filter(|(_, to, _)| *to != 0).count(), Relaxed);
}
