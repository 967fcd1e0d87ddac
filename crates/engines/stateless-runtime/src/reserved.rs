//! The descriptor of the region, which programs need that are executed by this one (`spawn`).
//!
//! For the program it is not there: it cannot close it or let it be closed by `exec`, and if it wants the number for something else, the
//! descriptor gets another one.

use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::spawn;
use crate::sys;

static NUMBER: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Tells which one it is.
pub fn set(descriptor: usize) {
    NUMBER.store(descriptor, Relaxed);
}

#[inline]
pub fn contains(descriptor: usize) -> bool {
    NUMBER.load(Relaxed) == descriptor
}

/// The program is about to use a number.
pub fn make_way(descriptor: usize) {
    const DUPLICATE: usize = 0;
    if !contains(descriptor) {
        return;
    }
    let lowest = descriptor / 2;
    let new = sys::call(sys::FCNTL, descriptor, DUPLICATE, lowest, 0, 0, 0);
    if let Ok(new) = usize::try_from(new) {
        set(new);
        spawn::region_is_at(new);
    }
}

/// The parts of a range of descriptors without it: each with the first and the last number.
pub fn left_out_of(first: usize, last: usize) -> impl Iterator<Item = (usize, usize)> {
    let own = NUMBER.load(Relaxed);
    let parts = if (first..=last).contains(&own) {
        // The second number is one too many, so that there can be none.
        [(first, own), (own + 1, last + 1)]
    } else {
        [(first, last + 1), (0, 0)]
    };
    parts.into_iter().filter(|(first, end)| first < end).map(|(first, end)| (first, end - 1))
}
