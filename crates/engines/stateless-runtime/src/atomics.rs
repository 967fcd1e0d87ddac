//! Atomic operations: the compiler leaves them to these functions altogether.
//!
//! They are performed one after another, in the order of the schedule: sequentially consistent, whatever their memory order. The memory
//! order counts for what a thread learns of others, and so for data races.

use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use allways_stateless_protocol::Kind;

use crate::bounds;
use crate::clocks;
use crate::hooks::hook;
use crate::memory::{
    Frame, announce, compare, is_about_to, is_active, is_visible, looked_privately, place_of, promote,
    updated, watched, wrote,
};
use crate::shadow::{self, Granule};
use crate::token::region;

/// An atomic operation that is under way.
struct Under {
    me: usize,
    address: usize,
    /// The second granule, or 0.
    next: usize,
    mask: u8,
    is_visible: bool,
    place: u64,
}

/// Announces an operation; `None` if nobody looks.
fn begin(address: usize, size: usize, kind: Kind, frame: Frame) -> Option<Under> {
    if is_active() {
        bounds::look(address, size, frame);
    }
    let me = watched()?;
    let mask = (((1_u16 << size.min(8)) - 1) << (address & 7)) as u8;
    let next = if size > 8 { address + 8 } else { 0 };
    let sees = |address: usize| is_visible(shadow::granule(address), address);
    let is_visible = sees(address) || next != 0 && sees(next);
    if is_visible {
        let second = if next != 0 { (next, mask) } else { (0, 0) };
        announce(me, kind, [(address & !7, mask), second], frame);
    } else {
        looked_privately(me, address, frame);
    }
    let how = if kind == Kind::MemoryLoad { shadow::ATOMIC } else { shadow::ATOMIC | shadow::WRITE };
    is_about_to(me, address, mask, how, place_of(frame));
    Some(Under { me, address, next, mask, is_visible, place: place_of(frame) })
}

impl Under {
    fn note(&self, writes: bool) {
        let how = if writes { shadow::ATOMIC | shadow::WRITE } else { shadow::ATOMIC };
        for address in self.granules() {
            let granule = shadow::granule(address);
            compare(self.me, address, granule, self.mask, how, self.place);
            if !self.is_visible {
                share(self.me, address, granule, writes);
            }
        }
        if !self.is_visible && writes {
            crate::memory::effect(self.me);
        }
    }

    fn granules(&self) -> impl Iterator<Item = usize> {
        [self.address, self.next].into_iter().filter(|address| *address != 0)
    }

    /// It is performed as if it were sequentially consistent. If it asks for less, a verdict rests on that.
    fn is_promoted(&self, order: i32) {
        if self.is_visible && !clocks::order::is_sequential(order) {
            region().memory.add_weak(self.place);
        }
    }

    fn loaded(&self, order: i32) {
        self.is_promoted(order);
        clocks::atomic_read(self.me, self.address, order);
        self.note(false);
    }

    fn stored(&self, order: i32) {
        self.is_promoted(order);
        self.note(true);
        clocks::atomic_write(self.me, self.address, order, false);
    }

    /// What changes nothing is a read.
    fn updated(&self, order: i32, is_changed: bool) {
        self.is_promoted(order);
        clocks::atomic_read(self.me, self.address, order);
        self.note(true);
        if is_changed {
            clocks::atomic_write(self.me, self.address, order, true);
        }
        self.is_done(is_changed);
    }

    fn is_done(&self, is_changed: bool) {
        if self.is_visible {
            self.granules().for_each(|address| updated(self.me, address, self.place, is_changed));
        }
    }

    /// A comparison that failed.
    fn failed(&self, order: i32) {
        self.loaded(order);
        self.is_done(false);
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
        $(pub mod $module {
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
                        wrote(expected as usize, frame);
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

/// Sixteen bytes, which two registers hold. Not all arguments fit into registers then: if an order is missing, it is the strongest.
mod of128 {
    use super::*;

    const SIZE: usize = 16;

    /// The value that was there, and whether the new one is there now.
    fn exchange_if(address: usize, expected: u128, new: u128) -> (u128, bool) {
        let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
        let is_done: u8;
        // SAFETY: the program passes the place of an atomic variable of sixteen bytes, aligned as it must be.
        unsafe {
            core::arch::asm!(
                "xchg rsi, rbx",
                "lock cmpxchg16b [rdi]",
                "sete r8b",
                "mov rbx, rsi",
                inout("rsi") new as u64 => _,
                in("rdi") address,
                out("r8b") is_done,
                in("rcx") (new >> 64) as u64,
                inout("rax") low,
                inout("rdx") high,
            );
        }
        (u128::from(low) | u128::from(high) << 64, is_done != 0)
    }

    fn value_at(address: usize) -> u128 {
        exchange_if(address, 0, 0).0
    }

    extern "C" fn load(address: usize, order: i32, _: Unused, _: Unused, _: Unused, frame: Frame) -> u128 {
        let under = begin(address, SIZE, Kind::MemoryLoad, frame);
        if let Some(under) = under {
            under.loaded(order);
        }
        value_at(address)
    }

    fn change_at(address: usize, change: impl Fn(u128) -> u128) -> u128 {
        let mut old = value_at(address);
        loop {
            let (found, is_done) = exchange_if(address, old, change(old));
            if is_done {
                return old;
            }
            old = found;
        }
    }

    extern "C" fn store(address: usize, value: u128, order: i32, _: Unused, frame: Frame) {
        let under = begin(address, SIZE, Kind::MemoryStore, frame);
        change_at(address, |_| value);
        if let Some(under) = under {
            under.stored(order);
        }
    }

    fn update(address: usize, order: i32, frame: Frame, change: impl Fn(u128) -> u128) -> u128 {
        let under = begin(address, SIZE, Kind::MemoryUpdate, frame);
        let old = change_at(address, &change);
        if let Some(under) = under {
            under.updated(order, change(old) != old);
        }
        old
    }

    extern "C" fn exchange(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |_| value)
    }

    extern "C" fn add(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |old| old.wrapping_add(value))
    }

    extern "C" fn sub(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |old| old.wrapping_sub(value))
    }

    extern "C" fn and(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |old| old & value)
    }

    extern "C" fn or(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |old| old | value)
    }

    extern "C" fn xor(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |old| old ^ value)
    }

    extern "C" fn nand(a: usize, value: u128, order: i32, _: Unused, frame: Frame) -> u128 {
        update(a, order, frame, |old| !(old & value))
    }

    fn swap(address: usize, expected: u128, new: u128, order: i32, frame: Frame) -> (u128, bool) {
        let under = begin(address, SIZE, Kind::MemoryUpdate, frame);
        let (found, is_done) = exchange_if(address, expected, new);
        match under {
            Some(under) if is_done => under.updated(order, expected != new),
            Some(under) => under.failed(order),
            None => {}
        }
        (found, is_done)
    }

    extern "C" fn compare(a: usize, expected: *mut u128, new: u128, order: i32, frame: Frame) -> i32 {
        // SAFETY: the program passes the place of a value; it need not be aligned.
        let (found, is_done) = swap(a, unsafe { expected.read_unaligned() }, new, order, frame);
        if !is_done {
            // SAFETY: as above.
            unsafe { expected.write_unaligned(found) };
            wrote(expected as usize, frame);
        }
        i32::from(is_done)
    }

    extern "C" fn compare_value(a: usize, expected: u128, new: u128, frame: Frame) -> u128 {
        swap(a, expected, new, clocks::order::SEQUENTIAL, frame).0
    }

    hook! {
        __tsan_atomic128_load => load;
        __tsan_atomic128_store => store;
        __tsan_atomic128_exchange => exchange;
        __tsan_atomic128_fetch_add => add;
        __tsan_atomic128_fetch_sub => sub;
        __tsan_atomic128_fetch_and => and;
        __tsan_atomic128_fetch_or => or;
        __tsan_atomic128_fetch_xor => xor;
        __tsan_atomic128_fetch_nand => nand;
        __tsan_atomic128_compare_exchange_strong => compare;
        __tsan_atomic128_compare_exchange_weak => compare;
        __tsan_atomic128_compare_exchange_val => compare_value;
        // Compilers leave sixteen bytes to a library that is not instrumented.
        __atomic_load_16 => load;
        __atomic_store_16 => store;
        __atomic_exchange_16 => exchange;
        __atomic_compare_exchange_16 => compare;
        __atomic_fetch_add_16 => add;
        __atomic_fetch_sub_16 => sub;
        __atomic_fetch_and_16 => and;
        __atomic_fetch_or_16 => or;
        __atomic_fetch_xor_16 => xor;
    }
}

/// A program may say itself what is ordered.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_acquire(address: usize) {
    if let Some(me) = watched() {
        clocks::atomic_read(me, address, clocks::order::ACQUIRE);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_release(address: usize) {
    if let Some(me) = watched() {
        clocks::atomic_write(me, address, clocks::order::RELEASE, true);
    }
}

/// The same for a lock that it made itself. Readers give back what only writers get.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_mutex_post_lock(address: usize, flags: u32, _: i32) {
    let Some(me) = watched() else { return };
    if flags & TRY_FAILED == 0 {
        clocks::lock_announced(me, address, flags & READ_LOCK != 0);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_mutex_pre_unlock(address: usize, flags: u32) -> i32 {
    if let Some(me) = watched() {
        clocks::unlock_announced(me, address, flags & READ_LOCK != 0);
    }
    0
}

const READ_LOCK: u32 = 1 << 3;
const TRY_FAILED: u32 = 1 << 5;

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(order: i32) {
    if let Some(me) = watched() {
        clocks::fence(me, order);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_: i32) {}
