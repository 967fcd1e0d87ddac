//! What is known about each granule of memory: who touched it last, and how.
//!
//! All this is private memory of the process, at a fixed address, sparse, and empty when an execution begins: each is a new process.

use allways_stateless_protocol::{GRANULE, Limit};

use crate::address_space;
use crate::sys;
use crate::token::end_at_limit;

/// One access that later ones must be compared with.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Cell {
    /// The clock of the thread, the thread, the bytes, and how: see the functions. 0 if the cell is free.
    pub word: u64,
    /// Where in the program.
    pub place: u64,
}

pub const WRITE: u64 = 1;
pub const ATOMIC: u64 = 2;
pub const FREE: u64 = 4;

impl Cell {
    #[inline]
    pub fn word(clock: u32, thread: usize, mask: u8, how: u64) -> u64 {
        u64::from(clock) << 32 | (thread as u64) << 16 | u64::from(mask) << 8 | how
    }

    pub fn clock(self) -> u32 {
        (self.word >> 32) as u32
    }

    pub fn thread(self) -> usize {
        (self.word >> 16 & 0xffff) as usize
    }

    pub fn mask(self) -> u8 {
        (self.word >> 8) as u8
    }

    pub fn how(self) -> u64 {
        self.word & 0xff
    }
}

/// Its accesses are visible operations.
pub const VISIBLE: u32 = 1;
/// They will be in the next execution.
pub const PROMOTED: u32 = 2;
/// Changed by atomic operations.
pub const ATOMIC_WRITE: u32 = 4;
/// Touched by atomic operations of several threads.
pub const ATOMIC_SHARED: u32 = 8;
/// From here on: the thread, plus one, whose atomic operations touched it.
pub const ATOMIC_OWNER: u32 = 16;

/// Eight bytes of memory.
#[repr(C)]
pub struct Granule {
    pub head: Cell,
    /// More cells.
    next: u32,
    pub flags: u32,
}

#[repr(C)]
struct Link {
    cell: Cell,
    next: u32,
    unused: u32,
}

#[repr(C)]
struct Entry {
    /// The number of the page, plus one.
    key: u64,
    granules: *mut Granule,
}

pub const ARENA: usize = 0x3100_0000_0000;
const ENTRIES: usize = 1 << 20;
const GRANULES_PER_PAGE: usize = 512;
const PAGES: usize = 1 << 19;
const LINKS: usize = 1 << 24;

const PAGES_AT: usize = ARENA + ENTRIES * size_of::<Entry>();
const LINKS_AT: usize = PAGES_AT + PAGES * GRANULES_PER_PAGE * size_of::<Granule>();
/// The first address behind what this module uses.
pub const END: usize = LINKS_AT + LINKS * size_of::<Link>();

/// `MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE`
const MAP_FLAGS: usize = 0x2 | 0x20 | 0x4000 | 0x10_0000;
const MADV_NOHUGEPAGE: usize = 15;

/// Numbers of what is in use. Only the thread with the token touches them.
struct Used {
    counts: core::cell::UnsafeCell<(usize, usize)>,
}

// SAFETY: see `Used`.
unsafe impl Sync for Used {}

static USED: Used = Used { counts: core::cell::UnsafeCell::new((0, 1)) };

/// Makes room, for this module and `more` bytes from [`END`] on.
pub fn map(more: usize) -> bool {
    let size = END - ARENA + more;
    address_space::is_reserved(size as u64);
    let place = sys::call(sys::MMAP, ARENA, size, 3, MAP_FLAGS, usize::MAX, 0);
    sys::call(sys::MADVISE, ARENA, size, MADV_NOHUGEPAGE, 0, 0, 0);
    place == ARENA as isize
}

/// Where the entry of a page is looked for first. Neighbours are kept together: to look up all
/// pages of a stack touches few pages of this table.
#[inline(always)]
fn first_slot(number: u64) -> usize {
    const TOGETHER: u64 = 64;
    let block = (number / TOGETHER).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    (block + number % TOGETHER) as usize % ENTRIES
}

/// The granules of a page; null if nothing of it was touched and `make` is false.
#[inline]
fn page(number: u64, make: bool) -> *mut Granule {
    let mut slot = first_slot(number);
    loop {
        // SAFETY: the arena is mapped, and the slot is one of the entries.
        let entry = unsafe { &mut *(ARENA as *mut Entry).add(slot) };
        if entry.key == number + 1 {
            return entry.granules;
        }
        if entry.key == 0 {
            if !make {
                return core::ptr::null_mut();
            }
            entry.key = number + 1;
            entry.granules = new_page();
            return entry.granules;
        }
        slot = (slot + 1) % ENTRIES;
    }
}

fn new_page() -> *mut Granule {
    // SAFETY: see `Used`.
    let pages = unsafe { &mut (*USED.counts.get()).0 };
    if *pages >= PAGES {
        end_at_limit(Limit::WatchedMemory, PAGES * GRANULES_PER_PAGE * GRANULE as usize, None);
    }
    *pages += 1;
    (PAGES_AT + (*pages - 1) * GRANULES_PER_PAGE * size_of::<Granule>()) as *mut Granule
}

/// The granule at an address.
#[inline]
pub fn granule(address: usize) -> &'static mut Granule {
    // SAFETY: a page has 512 granules; only the thread with the token uses them, one at a time.
    unsafe { &mut *page((address >> 12) as u64, true).add(address >> 3 & (GRANULES_PER_PAGE - 1)) }
}

/// The granules of a range that anything is known about, with their addresses.
pub fn known(start: usize, length: usize, mut visit: impl FnMut(usize, &mut Granule)) {
    let (mut address, end) = (start & !7, start + length);
    while address < end {
        let granules = page((address >> 12) as u64, false);
        let page_end = (address & !0xfff) + 0x1000;
        while address < end.min(page_end) && !granules.is_null() {
            // SAFETY: as in `granule`.
            let granule = unsafe { &mut *granules.add(address >> 3 & (GRANULES_PER_PAGE - 1)) };
            if granule.head.word != 0 || granule.next != 0 || granule.flags != 0 {
                visit(address, granule);
            }
            address += 8;
        }
        address = address.max(page_end);
    }
}

impl Granule {
    /// Visits every cell that is in use. A cell whose word becomes 0 is free again.
    pub fn each(&mut self, mut visit: impl FnMut(&mut Cell)) {
        if self.head.word != 0 {
            visit(&mut self.head);
        }
        let mut next = self.next;
        while next != 0 {
            let link = link(next);
            if link.cell.word != 0 {
                visit(&mut link.cell);
            }
            next = link.next;
        }
    }

    /// Adds a cell; it becomes the first, which is looked at first the next time.
    pub fn add(&mut self, cell: Cell) {
        let old = core::mem::replace(&mut self.head, cell);
        if old.word == 0 {
            return;
        }
        let mut next = self.next;
        while next != 0 {
            let link = link(next);
            if link.cell.word == 0 {
                link.cell = old;
                return;
            }
            next = link.next;
        }
        // SAFETY: see `Used`.
        let links = unsafe { &mut (*USED.counts.get()).1 };
        if *links >= LINKS {
            end_at_limit(Limit::Accesses, LINKS, None);
        }
        let number = *links as u32;
        *links += 1;
        *link(number) = Link { cell: old, next: self.next, unused: 0 };
        self.next = number;
    }

    /// Forgets who touched it.
    pub fn forget(&mut self) {
        self.each(|cell| cell.word = 0);
        self.flags &= VISIBLE | PROMOTED;
    }
}

fn link(number: u32) -> &'static mut Link {
    // SAFETY: numbers are given out by `add`, below the limit.
    unsafe { &mut *(LINKS_AT as *mut Link).add(number as usize) }
}
