//! The heap: memory that is given out anew has no past, and memory that is given back must not be touched.
//!
//! A block that is given back is not given out again soon: who touches it then would seem to touch the new one, and may even have the right lock.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::Fault;

use crate::allocator;
use crate::block::move_bytes;
use crate::bounds;
use crate::hooks::hook;
use crate::kernel_state::needs_memory;
use crate::memory::{Frame, allocated, freed, given_out, is_active, place_of, watched};
use crate::misuse;
use crate::sys::{self, errno::*};
use crate::token::{caller, controlled, region};

/// A block that was given out, of this size at least, to a function at this place; 0 if that is not
/// known.
fn new(block: *mut c_void, size: usize, place: u64) -> *mut c_void {
    if is_active() && !block.is_null() {
        // SAFETY: the heap gave it out.
        allocated(block as usize, unsafe { allocator::length(block) }.unwrap_or(size));
        given_out(block as usize, size, place);
        if has_bounds(block) {
            let room = room(block);
            bounds::given_out(block as usize, size.min(room), room);
        }
    }
    block
}

/// From this size on a block may be a mapping of its own, and it depends on the limits whether there
/// is one.
const LARGE: usize = 1 << 17;

#[inline]
fn is_limited(size: usize, place: u64) {
    if size >= LARGE {
        needs_memory(place);
    }
}

/// Is it known what is beside the block? Of other heaps than that of the C library, and of mappings, it is not.
fn has_bounds(block: *mut c_void) -> bool {
    is_active() && !block.is_null() && !allocator::is_foreign() && !is_mapped(block)
}

/// How much room there is in a block with bounds, also in one that was given back.
fn room(block: *mut c_void) -> usize {
    // SAFETY: the program got it from the C library, which has the size of the block, with some flags, before it.
    let size = unsafe { *(block as *const usize).sub(1) };
    (size & !7) - 8
}

/// A program that asks how much room there is may use it.
#[unsafe(no_mangle)]
pub extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    loses_end(block);
    if block.is_null() { 0 } else { length(block) }
}

/// What is behind the block may be used from now on, or belong to another one soon.
fn loses_end(block: *mut c_void) {
    if has_bounds(block) {
        bounds::has_no_end(block as usize, room(block));
    }
}

/// The block is given back, or becomes another one.
fn leaves(block: *mut c_void) {
    loses_end(block);
    if has_bounds(block) {
        bounds::is_gone(block as usize);
    }
}

/// Does a block of the C library that is in use begin here? Of blocks that were given out before
/// `main` that is not known.
fn is_in_use(block: *mut c_void) -> bool {
    has_bounds(block) && bounds::begins(block as usize)
}

/// Where the heap ended before `main`.
static EARLY_END: AtomicUsize = AtomicUsize::new(0);

/// Before the program begins.
pub fn begin() {
    const BREAK: usize = 12;
    EARLY_END.store(sys::call(BREAK, 0, 0, 0, 0, 0, 0).max(0) as usize, Relaxed);
}

/// May it be a block that was given out before `main`?
fn is_early(block: *mut c_void) -> bool {
    // The heap begins behind the variables of the program.
    let start = region().header.variables_end.load(Relaxed) as usize;
    (start..EARLY_END.load(Relaxed)).contains(&(block as usize)) && !bounds::was_given_out(block as usize)
}

/// May it be a block that was given out, or is kept? Anything else is left to the C library, which
/// ends the program.
fn may_be_block(block: *mut c_void) -> bool {
    // SAFETY: see `Shelf`.
    let is_on_shelf = || unsafe { &*SHELF.0.get() }.has(block as usize);
    !is_active()
        || block.is_null()
        || allocator::is_foreign()
        || is_mapped(block)
        || is_in_use(block)
        || is_early(block)
        || is_on_shelf()
}

/// Is it an address inside of a block? Nothing is given back then; that is reported.
fn is_part(block: *mut c_void, frame: Frame) -> bool {
    let is_part = is_active() && !allocator::is_foreign() && bounds::is_inside(block as usize);
    if let Some(me) = controlled().filter(|_| is_part) {
        misuse::report_address(me, Fault::FreeOfPart, block as u64, place_of(frame), None);
    }
    is_part
}

/// Was the block given back when there was only one thread? That is reported.
fn was_given_back(block: *mut c_void, frame: Frame) -> bool {
    let is_gone = has_bounds(block) && bounds::is_given_back(block as usize);
    if let Some(me) = controlled().filter(|_| is_gone) {
        misuse::report_address(me, Fault::UseOfFreed, block as u64, place_of(frame), None);
    }
    is_gone
}

fn is_mapped(block: *mut c_void) -> bool {
    // SAFETY: the program got it from the heap.
    unsafe { allocator::is_mapped(block) }
}

/// As far as the heap tells.
fn length(block: *mut c_void) -> usize {
    // SAFETY: the program got it from the heap.
    unsafe { allocator::length(block) }.unwrap_or(0)
}

/// Of locks in a block that is given back it is not known whether they are held.
#[inline]
fn forget_locks(block: *mut c_void) {
    if !block.is_null() && controlled().is_some() && misuse::somebody_holds() {
        misuse::is_gone(block as usize, length(block));
    }
}

/// A block that is about to be given back. Was it before?
fn old(block: *mut c_void, frame: Frame) -> bool {
    // The length of a block that was given back before may be 0. Its beginning tells.
    is_active() && !block.is_null() && freed(block as usize, length(block).max(1), is_mapped(block), frame)
}

/// Blocks that the program gave back, and the C library did not get yet, in that order.
struct Kept {
    blocks: [usize; KEPT],
    first: usize,
    count: usize,
    /// Their length.
    size: usize,
}

impl Kept {
    fn has(&self, block: usize) -> bool {
        (self.first..self.first + self.count).any(|number| self.blocks[number % KEPT] == block)
    }
}

const KEPT: usize = 1 << 13;
const KEPT_SIZE: usize = 16 << 20;

struct Shelf(UnsafeCell<Kept>);

// SAFETY: only the thread with the token touches it.
unsafe impl Sync for Shelf {}

static SHELF: Shelf = Shelf(UnsafeCell::new(Kept { blocks: [0; KEPT], first: 0, count: 0, size: 0 }));

/// So much is kept while there is only one thread.
const KEPT_ALONE: usize = 1 << 6;
const KEPT_SIZE_ALONE: usize = 256 << 10;

/// Keeps a block. The oldest ones go if there are too many.
fn keep(block: *mut c_void) {
    // SAFETY: see `Shelf`.
    let kept = unsafe { &mut *SHELF.0.get() };
    let new = length(block);
    let (most, most_size) = match watched() {
        Some(_) => (KEPT, KEPT_SIZE),
        None => (KEPT_ALONE, KEPT_SIZE_ALONE),
    };
    while kept.count > 0 && (kept.count >= most || kept.size + new > most_size) {
        let oldest = kept.blocks[kept.first] as *mut c_void;
        kept.first = (kept.first + 1) % KEPT;
        kept.count -= 1;
        kept.size -= length(oldest);
        if has_bounds(oldest) {
            bounds::released(oldest as usize, room(oldest));
        }
        // SAFETY: the program gave it back, once.
        unsafe { allocator::free(oldest) };
    }
    kept.blocks[(kept.first + kept.count) % KEPT] = block as usize;
    kept.count += 1;
    kept.size += new;
}

#[unsafe(no_mangle)]
pub extern "C" fn malloc(size: usize) -> *mut c_void {
    is_limited(size, caller());
    new(allocator::malloc(size), size, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    is_limited(count.saturating_mul(size), caller());
    new(allocator::calloc(count, size), count.saturating_mul(size), caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    is_limited(size, caller());
    new(allocator::memalign(alignment, size), size, caller())
}

const PAGE: usize = 1 << 12;

#[unsafe(no_mangle)]
pub extern "C" fn valloc(size: usize) -> *mut c_void {
    memalign(PAGE, size)
}

#[unsafe(no_mangle)]
pub extern "C" fn pvalloc(size: usize) -> *mut c_void {
    memalign(PAGE, size.next_multiple_of(PAGE))
}

#[unsafe(no_mangle)]
pub extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    is_limited(size, caller());
    new(allocator::aligned_alloc(alignment, size), size, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> i32 {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return EINVAL;
    }
    let block = memalign(alignment, size);
    if block.is_null() {
        return ENOMEM;
    }
    // SAFETY: the program passes a place for the result.
    unsafe { *place = block };
    0
}

const ENOMEM: i32 = 12;

type Unused = usize;

extern "C" fn give_back(block: *mut c_void, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) {
    if is_part(block, frame) {
        return;
    }
    forget_locks(block);
    if was_given_back(block, frame) {
        return;
    }
    if !may_be_block(block) {
        // SAFETY: it is looked at there before anything is done to it.
        return unsafe { allocator::free(block) };
    }
    let is_alone = watched().is_none() && controlled().is_some() && has_bounds(block);
    let is_kept = is_alone || watched().is_some() && !block.is_null() && !is_mapped(block);
    let is_again = old(block, frame);
    if !is_again {
        leaves(block);
    }
    if !is_kept {
        // SAFETY: the program passes what it got.
        unsafe { allocator::free(block) };
    } else if !is_again {
        keeps(block);
    }
}

/// Keeps a block whose use is a mistake from now on.
fn keeps(block: *mut c_void) {
    keep(block);
    match has_bounds(block) {
        true if watched().is_none() => bounds::kept(block as usize, room(block)),
        true => bounds::kept_by_several(block as usize, room(block)),
        false => {}
    }
}

extern "C" fn change_size(
    block: *mut c_void,
    size: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> *mut c_void {
    if is_part(block, frame) {
        return core::ptr::null_mut();
    }
    forget_locks(block);
    if was_given_back(block, frame) {
        return core::ptr::null_mut();
    }
    if !may_be_block(block) {
        // SAFETY: as in `give_back`.
        return unsafe { allocator::realloc(block, size) };
    }
    // SAFETY: the program got it from the heap.
    let is_known = || unsafe { allocator::length(block) }.is_some();
    let is_kept = watched().is_some() || controlled().is_some() && has_bounds(block);
    if is_kept && !block.is_null() && is_known() && size != 0 && !is_mapped(block) {
        return move_to(block, size, frame);
    }
    is_limited(size, place_of(frame));
    old(block, frame);
    leaves(block);
    // SAFETY: the program passes what it got.
    let changed = unsafe { allocator::realloc(block, size) };
    // If there is not enough memory the old block is still there.
    let is_unchanged = changed.is_null() && size != 0;
    new(if is_unchanged { block } else { changed }, if is_unchanged { length(block) } else { size }, 0);
    changed
}

/// The same as if a new block had been got, and the old one given back.
fn move_to(block: *mut c_void, size: usize, frame: Frame) -> *mut c_void {
    let made = malloc(size);
    if !made.is_null() {
        let is_again = old(block, frame);
        move_bytes(made as usize, block as usize, size.min(length(block)));
        if !is_again {
            leaves(block);
            keeps(block);
        }
    }
    made
}

hook! {
    free => give_back;
    realloc => change_size;
}
