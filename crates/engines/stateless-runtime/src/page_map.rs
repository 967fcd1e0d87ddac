//! What the kernel tells about the pages of this process.

use crate::sys::{self, unchecked};

pub const PAGE: usize = 4096;

/// Bits of what is told about a page.
pub const PRESENT: u64 = 1 << 63;
pub const SWAPPED: u64 = 1 << 62;
pub const FROM_FILE: u64 = 1 << 61;

/// An open `/proc/self/pagemap`.
pub struct PageMap {
    descriptor: usize,
}

impl PageMap {
    pub fn open() -> Option<PageMap> {
        let path = c"/proc/self/pagemap".as_ptr() as usize;
        let opened = unchecked(sys::OPEN, path, 0, 0, 0, 0, 0);
        usize::try_from(opened).ok().map(|descriptor| PageMap { descriptor })
    }

    /// Tells about pages one after another, from this one on; false if it cannot.
    pub fn read(&self, page: usize, states: &mut [u64]) -> bool {
        let (place, size) = (states.as_mut_ptr() as usize, size_of_val(states));
        let offset = page / PAGE * size_of::<u64>();
        unchecked(sys::PREAD, self.descriptor, place, size, offset, 0, 0) == size as isize
    }
}

impl Drop for PageMap {
    fn drop(&mut self) {
        unchecked(sys::CLOSE, self.descriptor, 0, 0, 0, 0, 0);
    }
}
