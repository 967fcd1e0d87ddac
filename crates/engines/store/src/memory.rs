//! Zeroed memory: from the allocator if small, straight from the operating system if large or only reserved.
//!
//! The system hands out zeroed pages when they are first touched, so a large table costs nothing until it is used, and
//! a reservation of far more address space than there is memory gives an array that grows without moving. Large
//! blocks ask for 2 MiB pages: random access to a big table otherwise spends much of its time on page walks.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::OutOfMemory;

const LINE: usize = 64;
const HUGE_PAGE: usize = 2 << 20;

/// In a reservation, the beginning that stays on small pages, so that small arrays stay small.
const SMALL_PAGES_UNTIL: usize = 2 * HUGE_PAGE;

/// From this size on memory comes from the system and goes back to it at once.
#[cfg(all(unix, not(miri)))]
const MAPPED_FROM: usize = 64 << 10;

/// A block of memory, zero at first, aligned to 64 bytes.
pub(crate) struct Memory {
    start: NonNull<u8>,
    bytes: usize,
    mapped: bool,
}

// SAFETY: the block is owned and is only an address; what may be done through it is up to whoever asks for it.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// A block that will be used sooner or later.
    pub(crate) fn zeroed(bytes: usize) -> Result<Memory, OutOfMemory> {
        #[cfg(all(unix, not(miri)))]
        if bytes >= MAPPED_FROM {
            return system::map(bytes, 0);
        }
        Memory::allocated(bytes)
    }

    /// A block that will be filled at once.
    pub(crate) fn zeroed_for_use(bytes: usize) -> Result<Memory, OutOfMemory> {
        let memory = Memory::zeroed(bytes)?;
        memory.populate();
        Ok(memory)
    }

    /// It will be filled now: has the system find all its pages in one go.
    fn populate(&self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        if self.mapped {
            // SAFETY: pages of ours; where the system does not know the advice the pages come one by one.
            unsafe { libc::madvise(self.start().cast(), self.bytes, libc::MADV_POPULATE_WRITE) };
        }
    }

    /// Address space of which only a beginning will be used; `None` where there is no such thing, or where it is
    /// limited (`ulimit -v`): what is reserved then would be missing elsewhere.
    pub(crate) fn reserved(bytes: usize) -> Option<Memory> {
        #[cfg(all(unix, not(miri)))]
        let memory =
            (!system::limits_addresses()).then(|| system::map(bytes, SMALL_PAGES_UNTIL).ok()).flatten();
        #[cfg(not(all(unix, not(miri))))]
        let memory = None.filter(|_| bytes > 0);
        memory
    }

    /// A block from the allocator.
    pub(crate) fn allocated(bytes: usize) -> Result<Memory, OutOfMemory> {
        let layout = Layout::from_size_align(bytes.max(1), LINE).map_err(|_| OutOfMemory)?;
        // SAFETY: the size is not zero.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        Ok(Memory { start: NonNull::new(start).ok_or(OutOfMemory)?, bytes, mapped: false })
    }

    /// The first byte. Valid for [`bytes`](Memory::bytes) bytes as long as `self` lives.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// A part of a block, zero at first, aligned to 64 bytes.
pub(crate) struct Region {
    address: NonNull<u8>,
    block: Arc<Memory>,
    start: usize,
    bytes: usize,
}

// SAFETY: as for the block.
unsafe impl Send for Region {}
// SAFETY: as for the block.
unsafe impl Sync for Region {}

impl Region {
    fn new(block: Arc<Memory>, start: usize, bytes: usize) -> Region {
        assert!(start + bytes <= block.bytes());
        // SAFETY: the region lies in the block.
        let address = unsafe { block.start.add(start) };
        Region { address, block, start, bytes }
    }

    /// The first byte. Valid for [`bytes`](Region::bytes) bytes as long as `self` lives.
    #[inline(always)]
    pub(crate) fn start(&self) -> *mut u8 {
        self.address.as_ptr()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// It will be filled now. Has the system find all its pages, if it has a block of its own.
    pub(crate) fn populate(&self) {
        if self.bytes == self.block.bytes() {
            self.block.populate();
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // The rest of the block may be in use for a while: give the pages back now.
        #[cfg(all(target_os = "linux", not(miri)))]
        if self.block.mapped && Arc::strong_count(&self.block) > 1 {
            let first = self.start.next_multiple_of(system::page_size());
            let end = (self.start + self.bytes) / system::page_size() * system::page_size();
            if first < end {
                // SAFETY: pages of this region only, which nobody uses any more.
                unsafe {
                    libc::madvise(self.block.start().add(first).cast(), end - first, libc::MADV_DONTNEED)
                };
            }
        }
    }
}

/// Hands out regions. Several small ones that are asked for one after the other share a
/// block, so that they too lie on large pages.
#[derive(Default)]
pub(crate) struct Pool {
    block: Option<Arc<Memory>>,
    used: usize,
}

/// How many regions of the same size share a block.
const SHARED_BY: usize = 16;

impl Pool {
    pub(crate) fn region(&mut self, bytes: usize) -> Result<Region, OutOfMemory> {
        let shared = bytes.checked_mul(SHARED_BY).ok_or(OutOfMemory)?;
        if bytes >= HUGE_PAGE || shared < HUGE_PAGE / 2 {
            let block = Arc::new(Memory::zeroed(bytes)?);
            return Ok(Region::new(block, 0, bytes));
        }
        let start = self.used.next_multiple_of(4096);
        let block = match &self.block {
            Some(block) if start + bytes <= block.bytes() => block.clone(),
            _ => {
                let block =
                    Arc::new(Memory::zeroed((shared + SHARED_BY * 4096).next_multiple_of(HUGE_PAGE))?);
                self.block = Some(block.clone());
                self.used = bytes;
                return Ok(Region::new(block, 0, bytes));
            }
        };
        self.used = start + bytes;
        Ok(Region::new(block, start, bytes))
    }
}

/// What the system takes for the first bytes of a reservation, at most.
pub(crate) fn used_bytes(bytes: u64) -> u64 {
    bytes.next_multiple_of(if bytes <= SMALL_PAGES_UNTIL as u64 { 4096 } else { HUGE_PAGE as u64 })
}

impl Drop for Memory {
    fn drop(&mut self) {
        #[cfg(all(unix, not(miri)))]
        if self.mapped {
            // SAFETY: `map` mapped exactly these pages, and nobody borrows from `self` any more.
            unsafe { system::unmap(self.start.as_ptr(), self.bytes) };
            return;
        }
        debug_assert!(!self.mapped);
        // SAFETY: allocated with this very layout, which was valid then.
        unsafe {
            let layout = Layout::from_size_align_unchecked(self.bytes.max(1), LINE);
            std::alloc::dealloc(self.start.as_ptr(), layout);
        }
    }
}

#[cfg(all(unix, not(miri)))]
mod system {
    use super::*;

    /// Fresh pages, those after the first `small_pages_until` bytes large where the system likes to.
    pub(super) fn map(bytes: usize, small_pages_until: usize) -> Result<Memory, OutOfMemory> {
        let align = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let start = map_somewhere(bytes.checked_add(align).ok_or(OutOfMemory)?)?;
        if align == 0 {
            return Ok(Memory { start, bytes, mapped: true });
        }
        let page = page_size();
        let before = start.as_ptr().align_offset(HUGE_PAGE);
        let after = (before + bytes).next_multiple_of(page);
        // SAFETY: `before + bytes` is less than what was mapped, whole pages before and after that part are given back,
        // and the advice covers a part of the rest.
        unsafe {
            let first = start.as_ptr().add(before);
            if before > 0 {
                unmap(start.as_ptr(), before);
            }
            let mapped = (bytes + align).next_multiple_of(page);
            if after < mapped {
                unmap(start.as_ptr().add(after), mapped - after);
            }
            #[cfg(target_os = "linux")]
            if small_pages_until < bytes {
                let rest = bytes - small_pages_until;
                libc::madvise(first.add(small_pages_until).cast(), rest, libc::MADV_HUGEPAGE);
            }
            #[cfg(not(target_os = "linux"))]
            let _ = small_pages_until;
            Ok(Memory { start: NonNull::new_unchecked(first), bytes, mapped: true })
        }
    }

    /// Whether this program may have only so much address space.
    pub(super) fn limits_addresses() -> bool {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the answer is written to a place of ours.
        let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
        known == 0 && limit.rlim_cur != libc::RLIM_INFINITY
    }

    pub(super) fn page_size() -> usize {
        // SAFETY: asks a question, changes nothing.
        unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
    }

    fn map_somewhere(bytes: usize) -> Result<NonNull<u8>, OutOfMemory> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(OutOfMemory);
        }
        NonNull::new(start.cast()).ok_or(OutOfMemory)
    }

    /// # Safety
    /// The pages belong to one mapping of ours and are not used any more.
    pub(super) unsafe fn unmap(start: *mut u8, bytes: usize) {
        // SAFETY: promised by the caller.
        let done = unsafe { libc::munmap(start.cast(), bytes) };
        debug_assert_eq!(done, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_sizes_are_zero_and_writable() {
        for bytes in [1, 64, 4096, 65536, 100_000, 2 << 20, (2 << 20) + 64, 5_000_000] {
            let memory = Memory::zeroed(bytes).unwrap();
            assert_eq!(memory.start() as usize % 64, 0);
            // SAFETY: in the block, which nobody else uses.
            let all = unsafe { std::slice::from_raw_parts_mut(memory.start(), bytes) };
            assert!(all.iter().all(|&byte| byte == 0));
            all[bytes - 1] = 1;
        }
    }

    #[test]
    fn a_reservation_costs_nothing() {
        if let Some(memory) = Memory::reserved(1 << 40) {
            assert_eq!(memory.bytes(), 1 << 40);
            // SAFETY: in the block, which nobody else uses.
            unsafe { memory.start().add(1 << 39).write(1) };
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(Memory::zeroed(usize::MAX - 100).is_err());
        assert!(Memory::allocated(usize::MAX / 2).is_err());
    }
}
