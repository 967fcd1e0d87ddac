//! Pages of code and constants that executions find in place.
//!
//! A process that is forked has none of the pages that its parent has of a file, unless they were changed: it meets them one by one, and
//! each time the kernel maps those around it, too, which the end of the process has to undo. In a small program that takes a quarter of an
//! execution. So one execution notes which pages it uses; then the program, before it forks the next time, writes to each of them what is there
//! already. That makes them its own, and what is its own comes with `fork`.

use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::limits;

use crate::modules;
use crate::page_map::{FROM_FILE, PAGE, PRESENT, PageMap};
use crate::sys;
use crate::token::region;

/// As `madvise` calls it.
mod advice {
    pub const RANDOM: usize = 1;
    pub const DONT_NEED: usize = 4;
}

/// To be called in the process of an execution before the program begins.
pub fn observe() {
    let mut n_pages = 0;
    each_segment(|segment| n_pages += segment.len() / PAGE);
    if n_pages > limits::HOT_PAGES {
        return;
    }
    let Some(pages) = PageMap::open() else { return };
    each_segment(|segment| {
        if !are_as_in_file(&pages, &segment) {
            return;
        }
        // The kernel maps what is around a page only up to a change of advice.
        for page in segment.clone().step_by(2 * PAGE) {
            sys::unchecked(sys::MADVISE, page, PAGE, advice::RANDOM, 0, 0, 0);
        }
        sys::unchecked(sys::MADVISE, segment.start, segment.len(), advice::DONT_NEED, 0, 0, 0);
    });
    region().header.observes_code.store(1, Relaxed);
}

/// To be called when nothing of the program runs any more.
pub fn note_used() {
    let region = region();
    if region.header.observes_code.swap(0, Relaxed) == 0 {
        return;
    }
    let mut count = 0;
    let Some(pages) = PageMap::open() else { return };
    each_segment(|segment| {
        for page in segment.step_by(PAGE).filter(|page| state(&pages, *page) & PRESENT != 0) {
            if let Some(hot) = region.hot_pages.get(count) {
                hot.store(page as u64, Relaxed);
                count += 1;
            }
        }
    });
    region.header.n_hot_pages.store(count as u32, Relaxed);
}

/// To be called after an execution by the process that forks the next.
pub fn keep_used() {
    let region = region();
    let count = region.header.n_hot_pages.swap(0, Relaxed) as usize;
    if count == 0 {
        return;
    }
    let hot = &region.hot_pages[..count.min(limits::HOT_PAGES)];
    let (Some(pages), Some(memory)) = (PageMap::open(), OwnMemory::open()) else { return };
    each_segment(|segment| {
        if !are_as_in_file(&pages, &segment) {
            return;
        }
        let used =
            || hot.iter().map(|page| page.load(Relaxed) as usize).filter(|page| segment.contains(page));
        let mut first_bytes = [0_u8; limits::HOT_PAGES];
        for (byte, page) in first_bytes.iter_mut().zip(used()) {
            // SAFETY: the page is mapped, and can be read.
            *byte = unsafe { (page as *const u8).read_volatile() };
        }
        // What this process used itself, now or earlier, would be copied with the others.
        sys::unchecked(sys::MADVISE, segment.start, segment.len(), advice::DONT_NEED, 0, 0, 0);
        for (byte, page) in first_bytes.iter().zip(used()) {
            memory.write(page, *byte);
        }
    });
}

/// The memory of this process as a file: what is written there is written, however it is protected. A program may read how its memory is
/// mapped, and pieces that were protected otherwise for a moment can become one with their neighbours.
struct OwnMemory(usize);

impl OwnMemory {
    fn open() -> Option<OwnMemory> {
        const READ_WRITE: usize = 2;
        let name = c"/proc/self/mem".as_ptr() as usize;
        let file = sys::unchecked(sys::OPEN, name, READ_WRITE, 0, 0, 0, 0);
        usize::try_from(file).ok().map(OwnMemory)
    }

    /// Where that is forbidden nothing happens, and the page is met as others are.
    fn write(&self, address: usize, byte: u8) {
        const PWRITE: usize = 18;
        sys::unchecked(PWRITE, self.0, &raw const byte as usize, 1, address, 0, 0);
    }
}

impl Drop for OwnMemory {
    fn drop(&mut self) {
        sys::unchecked(sys::CLOSE, self.0, 0, 0, 0, 0, 0);
    }
}

/// Visits the whole pages of all that is loaded from files and not written.
fn each_segment(mut visit: impl FnMut(Range<usize>)) {
    modules::each_file(&mut |file| {
        for segment in file.constants() {
            visit(segment.start / PAGE * PAGE..segment.end.next_multiple_of(PAGE));
        }
    });
}

/// Is everything in a range what is in the file, as far as it is in memory?
fn are_as_in_file(pages: &PageMap, range: &Range<usize>) -> bool {
    range.clone().step_by(PAGE).all(|page| !matches!(state(pages, page) & (PRESENT | FROM_FILE), PRESENT))
}

/// Of a page of which nothing is told, as if it were not there.
fn state(pages: &PageMap, page: usize) -> u64 {
    let mut state = [0];
    pages.read(page, &mut state);
    state[0]
}
