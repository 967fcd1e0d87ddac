//! Functions of the C library that copy and fill memory: accesses that no compiler announces.
//!
//! This library calls them too; what it does itself is not looked at.

use core::arch::asm;

use crate::hooks::hook;
use crate::memory::{Frame, place_of, range, watched};

unsafe extern "C" {
    // The linker defines where this library begins and where its code ends.
    static __ehdr_start: u8;
    static etext: u8;
}

/// Should a call be looked at?
#[inline]
fn is_watched(frame: Frame) -> bool {
    let own = &raw const __ehdr_start as u64..&raw const etext as u64;
    watched().is_some() && !own.contains(&place_of(frame))
}

type Unused = usize;

extern "C" fn copy(to: usize, from: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        range(from, size, false, frame);
        range(to, size, true, frame);
    }
    if to.wrapping_sub(from) >= size {
        // SAFETY: the program passes the places; what is read later is not written before.
        unsafe { asm!("rep movsb", inout("rcx") size => _, inout("rdi") to => _, inout("rsi") from => _) };
    } else {
        // SAFETY: as above, beginning with the last byte.
        unsafe {
            asm!("std", "rep movsb", "cld", inout("rcx") size => _, inout("rdi") to.wrapping_add(size).wrapping_sub(1) => _,
                inout("rsi") from.wrapping_add(size).wrapping_sub(1) => _);
        }
    }
    to
}

extern "C" fn fill(to: usize, value: usize, size: usize, _: Unused, _: Unused, frame: Frame) -> usize {
    if is_watched(frame) {
        range(to, size, true, frame);
    }
    // SAFETY: the program passes the place.
    unsafe { asm!("rep stosb", inout("rcx") size => _, inout("rdi") to => _, in("al") value as u8) };
    to
}

hook! {
    memcpy => copy;
    memmove => copy;
    memset => fill;
    __tsan_memcpy => copy;
    __tsan_memmove => copy;
    __tsan_memset => fill;
}
