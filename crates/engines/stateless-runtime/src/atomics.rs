//! Atomic operations: the compiler leaves them to these functions altogether.
//!
//! They are performed one after another, in the order of the schedule: sequentially consistent, whatever their memory order. The memory
//! order counts for what a thread learns of others, and so for data races.

use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use allways_stateless_protocol::Kind;

use crate::clocks;
use crate::hooks::hook;
use crate::memory::{
    Frame, announce, compare, is_visible, looked_privately, place_of, promote, updated, watched,
};
use crate::shadow::{self, Granule};

/// An atomic operation that is under way.
struct Under {
    me: usize,
    address: usize,
    mask: u8,
    is_visible: bool,
    place: u64,
}

/// Announces an operation; `None` if nobody looks.
fn begin(address: usize, size: usize, kind: Kind, frame: Frame) -> Option<Under> {
    let me = watched()?;
    let mask = (((1_u16 << size.min(8)) - 1) << (address & 7)) as u8;
    let is_visible = is_visible(shadow::granule(address), address);
    if is_visible {
        announce(me, kind, [(address & !7, mask), (0, 0)], frame);
    } else {
        looked_privately(me, address, frame);
    }
    Some(Under { me, address, mask, is_visible, place: place_of(frame) })
}

impl Under {
    fn note(&self, writes: bool) {
        let how = if writes { shadow::ATOMIC | shadow::WRITE } else { shadow::ATOMIC };
        let granule = shadow::granule(self.address);
        compare(self.me, self.address, granule, self.mask, how, self.place);
        if !self.is_visible {
            if writes {
                crate::memory::effect(self.me);
            }
            share(self.me, self.address, granule, writes);
        }
    }

    fn loaded(&self, order: i32) {
        clocks::atomic_read(self.me, self.address, order);
        self.note(false);
    }

    fn stored(&self, order: i32) {
        self.note(true);
        clocks::atomic_write(self.me, self.address, order, false);
    }

    /// What changes nothing is a read.
    fn updated(&self, order: i32, is_changed: bool) {
        clocks::atomic_read(self.me, self.address, order);
        self.note(true);
        if is_changed {
            clocks::atomic_write(self.me, self.address, order, true);
        }
        if self.is_visible {
            updated(self.me, self.address, self.place, is_changed);
        }
    }

    /// A comparison that failed.
    fn failed(&self, order: i32) {
        self.loaded(order);
        if self.is_visible {
            updated(self.me, self.address, self.place, false);
        }
    }
}

/// An atomic variable that several threads touch, and not only look at, is promoted.
fn share(me: usize, address: usize, granule: &mut Granule, writes: bool) {
    let owner = granule.flags / shadow::ATOMIC_OWNER;
    if owner == 0 {
        granule.flags |= (me as u32 + 1) * shadow::ATOMIC_OWNER;
    } else if owner != me as u32 + 1 {
        granule.flags |= shadow::ATOMIC_SHARED;
    }
    if writes {
        granule.flags |= shadow::ATOMIC_WRITE;
    }
    let both = shadow::ATOMIC_SHARED | shadow::ATOMIC_WRITE;
    if granule.flags & both == both {
        promote(granule, address);
    }
}

type Unused = usize;

macro_rules! atomics {
    ($($module:ident, $type:ty, $atomic:ty,
        $load:ident, $store:ident, $exchange:ident, $add:ident, $sub:ident, $and:ident, $or:ident, $xor:ident, $nand:ident,
        $strong:ident, $weak:ident, $value:ident;)*) => {
        $(mod $module {
            use super::*;

            const SIZE: usize = size_of::<$type>();

            fn at(address: usize) -> &'static $atomic {
                // SAFETY: the program passes an atomic variable of this type.
                unsafe { &*(address as *const $atomic) }
            }

            extern "C" fn load(address: usize, order: i32, _: Unused, _: Unused, _: Unused, frame: Frame) -> $type {
                let under = begin(address, SIZE, Kind::MemoryLoad, frame);
                let value = at(address).load(SeqCst);
                if let Some(under) = under {
                    under.loaded(order);
                }
                value
            }

            extern "C" fn store(address: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) {
                let under = begin(address, SIZE, Kind::MemoryStore, frame);
                at(address).store(value, SeqCst);
                if let Some(under) = under {
                    under.stored(order);
                }
            }

            fn update(address: usize, order: i32, frame: Frame, change: impl Fn($type) -> $type) -> $type {
                let under = begin(address, SIZE, Kind::MemoryUpdate, frame);
                let mut old = at(address).load(SeqCst);
                while let Err(other) = at(address).compare_exchange(old, change(old), SeqCst, SeqCst) {
                    old = other;
                }
                if let Some(under) = under {
                    under.updated(order, change(old) != old);
                }
                old
            }

            extern "C" fn exchange(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |_| value)
            }

            extern "C" fn add(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |old| old.wrapping_add(value))
            }

            extern "C" fn sub(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |old| old.wrapping_sub(value))
            }

            extern "C" fn and(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |old| old & value)
            }

            extern "C" fn or(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |old| old | value)
            }

            extern "C" fn xor(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |old| old ^ value)
            }

            extern "C" fn nand(a: usize, value: $type, order: i32, _: Unused, _: Unused, frame: Frame) -> $type {
                update(a, order, frame, |old| !(old & value))
            }

            fn swap(address: usize, expected: $type, new: $type, orders: (i32, i32), frame: Frame) -> Result<$type, $type> {
                let under = begin(address, SIZE, Kind::MemoryUpdate, frame);
                let result = at(address).compare_exchange(expected, new, SeqCst, SeqCst);
                if let Some(under) = under {
                    match result {
                        Ok(_) => under.updated(orders.0, expected != new),
                        Err(_) => under.failed(orders.1),
                    }
                }
                result
            }

            extern "C" fn compare(a: usize, expected: *mut $type, new: $type, order: i32, failure: i32, frame: Frame) -> i32 {
                // SAFETY: the program passes the place of a value.
                match swap(a, unsafe { *expected }, new, (order, failure), frame) {
                    Ok(_) => 1,
                    Err(found) => {
                        // SAFETY: as above.
                        unsafe { *expected = found };
                        0
                    }
                }
            }

            extern "C" fn compare_value(a: usize, expected: $type, new: $type, order: i32, failure: i32, frame: Frame) -> $type {
                match swap(a, expected, new, (order, failure), frame) {
                    Ok(found) | Err(found) => found,
                }
            }

            hook! {
                $load => load;
                $store => store;
                $exchange => exchange;
                $add => add;
                $sub => sub;
                $and => and;
                $or => or;
                $xor => xor;
                $nand => nand;
                $strong => compare;
                $weak => compare;
                $value => compare_value;
            }
        })*
    };
}

atomics! {
    of8, u8, AtomicU8, __tsan_atomic8_load, __tsan_atomic8_store, __tsan_atomic8_exchange, __tsan_atomic8_fetch_add,
    __tsan_atomic8_fetch_sub, __tsan_atomic8_fetch_and, __tsan_atomic8_fetch_or, __tsan_atomic8_fetch_xor,
    __tsan_atomic8_fetch_nand, __tsan_atomic8_compare_exchange_strong, __tsan_atomic8_compare_exchange_weak,
    __tsan_atomic8_compare_exchange_val;
    of16, u16, AtomicU16, __tsan_atomic16_load, __tsan_atomic16_store, __tsan_atomic16_exchange, __tsan_atomic16_fetch_add,
    __tsan_atomic16_fetch_sub, __tsan_atomic16_fetch_and, __tsan_atomic16_fetch_or, __tsan_atomic16_fetch_xor,
    __tsan_atomic16_fetch_nand, __tsan_atomic16_compare_exchange_strong, __tsan_atomic16_compare_exchange_weak,
    __tsan_atomic16_compare_exchange_val;
    of32, u32, AtomicU32, __tsan_atomic32_load, __tsan_atomic32_store, __tsan_atomic32_exchange, __tsan_atomic32_fetch_add,
    __tsan_atomic32_fetch_sub, __tsan_atomic32_fetch_and, __tsan_atomic32_fetch_or, __tsan_atomic32_fetch_xor,
    __tsan_atomic32_fetch_nand, __tsan_atomic32_compare_exchange_strong, __tsan_atomic32_compare_exchange_weak,
    __tsan_atomic32_compare_exchange_val;
    of64, u64, AtomicU64, __tsan_atomic64_load, __tsan_atomic64_store, __tsan_atomic64_exchange, __tsan_atomic64_fetch_add,
    __tsan_atomic64_fetch_sub, __tsan_atomic64_fetch_and, __tsan_atomic64_fetch_or, __tsan_atomic64_fetch_xor,
    __tsan_atomic64_fetch_nand, __tsan_atomic64_compare_exchange_strong, __tsan_atomic64_compare_exchange_weak,
    __tsan_atomic64_compare_exchange_val;
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(order: i32) {
    if let Some(me) = watched() {
        clocks::fence(me, order);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: i32) {}
