//! The heap: memory that is given out anew has no past, and memory that is given back must not be touched.

use core::ffi::c_void;

use crate::hooks::hook;
use crate::memory::{Frame, allocated, freed, is_active};
use crate::sys::errno::*;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(old: *mut c_void);
    fn malloc_usable_size(block: *mut c_void) -> usize;
}

/// A block that was given out.
fn new(block: *mut c_void) -> *mut c_void {
    if is_active() && !block.is_null() {
        // SAFETY: the C library gave it out.
        allocated(block as usize, unsafe { malloc_usable_size(block) });
    }
    block
}

/// A block that is about to be given back.
fn old(block: *mut c_void, frame: Frame) {
    if is_active() && !block.is_null() {
        // SAFETY: the program got it from the C library, which has the size of the block, with some flags, before it.
        let (length, size) = unsafe { (malloc_usable_size(block), *(block as *const usize).sub(1)) };
        freed(block as usize, length, size & IS_MAPPED != 0, frame);
    }
}

/// In the size of a block: it is a mapping of its own, and given back to the kernel.
const IS_MAPPED: usize = 2;

#[unsafe(no_mangle)]
pub extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: it has no conditions.
    new(unsafe { __libc_malloc(size) })
}

#[unsafe(no_mangle)]
pub extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: it has no conditions.
    new(unsafe { __libc_calloc(count, size) })
}

#[unsafe(no_mangle)]
pub extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: it has no conditions.
    new(unsafe { __libc_memalign(alignment, size) })
}

#[unsafe(no_mangle)]
pub extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    memalign(alignment, size)
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
    old(block, frame);
    // SAFETY: the program passes what it got.
    unsafe { __libc_free(block) };
}

extern "C" fn change_size(
    block: *mut c_void,
    size: usize,
    _: Unused,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> *mut c_void {
    old(block, frame);
    // SAFETY: the program passes what it got.
    let changed = unsafe { __libc_realloc(block, size) };
    // If there is not enough memory the old block is still there.
    new(if changed.is_null() && size != 0 { block } else { changed });
    changed
}

hook! {
    free => give_back;
    realloc => change_size;
}
