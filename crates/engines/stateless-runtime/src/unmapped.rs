//! Memory that left the process while there were several threads: unmapped, detached, or a large block of the heap.
//!
//! Who touches it afterwards dies of that. If nothing orders the two, the access could have come first, and that is told
//! before it is made. The list is empty in most programs, and costs nothing then. A range leaves it when the memory is
//! given out again; what the C library maps for itself is noticed by asking the kernel.

use core::cell::UnsafeCell;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::clocks;
use crate::page_map::PAGE;
use crate::shadow::Cell;
use crate::sys;

/// If there are more, the oldest ones are forgotten.
const MOST: usize = 256;
const ENOMEM: isize = 12;
const MINCORE: usize = 27;

/// Whole pages, and who gave them back.
#[derive(Clone, Copy)]
struct Range {
    start: usize,
    end: usize,
    cell: Cell,
}

/// The latest range is the last one.
struct List(UnsafeCell<[Range; MOST]>);

// SAFETY: only the thread with the token touches it.
unsafe impl Sync for List {}

const NOTHING: Range = Range { start: 0, end: 0, cell: Cell { word: 0, place: 0 } };
static LIST: List = List(UnsafeCell::new([NOTHING; MOST]));
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn list() -> &'static mut [Range; MOST] {
    // SAFETY: see `List`.
    unsafe { &mut *LIST.0.get() }
}

/// A range was given back; the cell says by whom.
pub fn add(start: usize, length: usize, cell: Cell) {
    let list = list();
    if COUNT.load(Relaxed) == MOST {
        list.rotate_left(1);
        COUNT.store(MOST - 1, Relaxed);
    }
    let end = (start + length).next_multiple_of(PAGE);
    list[COUNT.load(Relaxed)] = Range { start: start & !(PAGE - 1), end, cell };
    COUNT.fetch_add(1, Relaxed);
}

/// A range is given out. Of one in the middle of another the kernel is asked when somebody touches it.
pub fn is_given_out(start: usize, length: usize) {
    let count = COUNT.load(Relaxed);
    if count == 0 {
        return;
    }
    let (list, end) = (list(), start + length);
    let mut kept = 0;
    for position in 0..count {
        let mut range = list[position];
        if start <= range.start {
            range.start = range.start.max(end.min(range.end));
        } else if end >= range.end {
            range.end = range.end.min(start.max(range.start));
        }
        if range.start < range.end {
            list[kept] = range;
            kept += 1;
        }
    }
    COUNT.store(kept, Relaxed);
}

/// Who gave back what is at an address, if nothing is there and nothing orders that before what
/// this thread does.
#[inline]
pub fn at(me: usize, address: usize) -> Option<Cell> {
    if COUNT.load(Relaxed) == 0 { None } else { find(me, address) }
}

#[cold]
fn find(me: usize, address: usize) -> Option<Cell> {
    let ranges = &list()[..COUNT.load(Relaxed)];
    let cell = ranges.iter().rfind(|range| (range.start..range.end).contains(&address))?.cell;
    let is_known = cell.thread() == me || cell.clock() <= clocks::own(me)[cell.thread()];
    (!is_known && !is_there(address)).then_some(cell)
}

/// Does the kernel have something mapped there?
fn is_there(address: usize) -> bool {
    let mut is_resident = 0_u8;
    let into = &raw mut is_resident as usize;
    sys::unchecked(MINCORE, address & !(PAGE - 1), PAGE, into, 0, 0, 0) != -ENOMEM
}
