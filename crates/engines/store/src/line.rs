//! A cache line of slots, the unit in which all tables are read.
//!
//! A slot is zero when empty and is written once. A line fills from its first slot on: an insertion always aims at the
//! first empty slot, and if another thread was quicker, looks again. So the occupied slots are a prefix, a value that
//! is not in the prefix is not in the line, and no value can get in twice.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Bytes of a line.
pub(crate) const LINE_BYTES: usize = 64;

/// Sixteen slots of four bytes.
#[repr(C, align(64))]
pub(crate) struct Narrow(pub(crate) [AtomicU32; 16]);

/// Eight slots of eight bytes.
#[repr(C, align(64))]
pub(crate) struct Wide(pub(crate) [AtomicU64; 8]);

/// What became of an insertion into one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Inserted,
    Present,
    LineFull,
}

pub(crate) trait Line: Sized {
    const SLOTS: u64;

    /// Slots that have the value or nothing, one bit each. The empty slots come last, so the first is the one to write, if the value is
    /// to be in the line.
    fn candidates(&self, value: u64) -> u32;

    /// Writes a value to the first of the [`candidates`](Line::candidates), which there are; only while no other thread inserts.
    /// Whether it is new.
    #[inline(always)]
    fn write_alone(&self, candidates: u32, value: u64) -> bool {
        let slot = candidates.trailing_zeros() as usize;
        let is_new = self.get(slot) == 0;
        self.set(slot, value);
        is_new
    }

    /// Adds a value, not zero, unless it is there, with a way to find the [`candidates`](Line::candidates).
    #[inline(always)]
    fn insert_with(&self, value: u64, candidates: impl Fn(&Self, u64) -> u32) -> Outcome {
        loop {
            let found = candidates(self, value);
            if found == 0 {
                return Outcome::LineFull;
            }
            let slot = found.trailing_zeros() as usize;
            let known = self.get(slot);
            if known == value {
                return Outcome::Present;
            }
            // If not, another thread was quicker.
            if known == 0 && self.set_if_empty(slot, value) {
                return Outcome::Inserted;
            }
        }
    }

    /// Adds a value, not zero, unless it is there.
    #[inline(always)]
    fn insert(&self, value: u64) -> Outcome {
        self.insert_with(value, Self::candidates)
    }

    /// Writes a slot; only while no other thread uses the line.
    fn set(&self, slot: usize, value: u64);

    /// Writes a slot if it is empty, and says whether it was.
    fn set_if_empty(&self, slot: usize, value: u64) -> bool;

    /// The value of a slot.
    fn get(&self, slot: usize) -> u64;
}

impl Line for Narrow {
    const SLOTS: u64 = 16;

    #[inline(always)]
    fn candidates(&self, value: u64) -> u32 {
        self.snapshot().equal_or_zero(value as u32)
    }

    #[inline(always)]
    fn set(&self, slot: usize, value: u64) {
        // Sixteen at the most: says so to the compiler, here and below.
        self.0[slot % 16].store(value as u32, Relaxed);
    }

    #[inline(always)]
    fn set_if_empty(&self, slot: usize, value: u64) -> bool {
        self.0[slot % 16].compare_exchange(0, value as u32, Relaxed, Relaxed).is_ok()
    }

    #[inline(always)]
    fn get(&self, slot: usize) -> u64 {
        u64::from(self.0[slot % 16].load(Relaxed))
    }
}

impl Line for Wide {
    const SLOTS: u64 = 8;

    #[inline(always)]
    fn candidates(&self, value: u64) -> u32 {
        let slots = self.snapshot();
        slots.equal(value) | slots.equal(0)
    }

    #[inline(always)]
    fn set(&self, slot: usize, value: u64) {
        self.0[slot % 8].store(value, Relaxed);
    }

    #[inline(always)]
    fn set_if_empty(&self, slot: usize, value: u64) -> bool {
        self.0[slot % 8].compare_exchange(0, value, Relaxed, Relaxed).is_ok()
    }

    #[inline(always)]
    fn get(&self, slot: usize) -> u64 {
        self.0[slot % 8].load(Relaxed)
    }
}

/// Asks the processor to fetch a line.
#[inline(always)]
pub(crate) fn prefetch<T>(line: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint; it never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

/// The same for a line that is needed once and then not for long: it is kept out of the caches that hold what is needed all the time.
#[inline(always)]
pub(crate) fn prefetch_once<T>(line: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_NTA, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_NTA>(line.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

/// The same for a line that will be written, and that other threads write, too: it is to be nobody else's then. For processors of the
/// last decade: some older ones do not know it.
#[inline(always)]
pub(crate) fn prefetch_to_write<T>(line: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("prefetchw [{line}]", line = in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(crate) use portable::NarrowSlots;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) use simd::NarrowSlots;

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod simd {
    use super::{Narrow, Wide};
    use std::arch::{asm, x86_64::*};

    /// The slots of a line, read once each.
    pub(crate) struct Slots<T>([__m128i; 4], std::marker::PhantomData<T>);
    pub(crate) type NarrowSlots = Slots<u32>;

    /// Reads a line into four registers.
    ///
    /// Assembly, because to the compiler an ordinary vector load would race with the compare-and-swap of another thread.
    /// To the processor it does not: aligned loads never tear a slot, and loads keep their order.
    #[inline(always)]
    fn load<L, T>(line: &L) -> Slots<T> {
        const { assert!(size_of::<L>() == 64 && align_of::<L>() == 64) };
        let (a, b, c, d);
        // SAFETY: reads the 64 bytes of the line, which are aligned, and nothing else.
        unsafe {
            asm!(
                "movdqa {a}, [{line}]",
                "movdqa {b}, [{line} + 16]",
                "movdqa {c}, [{line} + 32]",
                "movdqa {d}, [{line} + 48]",
                line = in(reg) line,
                a = out(xmm_reg) a,
                b = out(xmm_reg) b,
                c = out(xmm_reg) c,
                d = out(xmm_reg) d,
                options(nostack, readonly, preserves_flags),
            );
        }
        Slots([a, b, c, d], std::marker::PhantomData)
    }

    impl Narrow {
        #[inline(always)]
        pub(crate) fn snapshot(&self) -> Slots<u32> {
            load(self)
        }
    }

    /// Reads a line into two registers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_avx2<L>(line: &L) -> [__m256i; 2] {
        const { assert!(size_of::<L>() == 64 && align_of::<L>() == 64) };
        let (low, high): (__m256i, __m256i);
        // SAFETY: as in `load`.
        unsafe {
            asm!(
                "vmovdqa {low}, [{line}]",
                "vmovdqa {high}, [{line} + 32]",
                line = in(reg) line,
                low = out(ymm_reg) low,
                high = out(ymm_reg) high,
                options(nostack, readonly, preserves_flags),
            );
        }
        [low, high]
    }

    impl Narrow {
        /// [`candidates`](super::Line::candidates) in fewer instructions.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn candidates_avx2(&self, value: u64) -> u32 {
            let [low, high] = load_avx2(self);
            let (value, zero) = (_mm256_set1_epi32(value as i32), _mm256_setzero_si256());
            let bits = |slots| {
                let found =
                    _mm256_or_si256(_mm256_cmpeq_epi32(slots, value), _mm256_cmpeq_epi32(slots, zero));
                _mm256_movemask_ps(_mm256_castsi256_ps(found)) as u32
            };
            bits(low) | bits(high) << 8
        }
    }

    impl Wide {
        #[inline(always)]
        pub(crate) fn snapshot(&self) -> Slots<u64> {
            load(self)
        }

        /// [`candidates`](super::Line::candidates) in fewer instructions.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(crate) fn candidates_avx2(&self, value: u64) -> u32 {
            let [low, high] = load_avx2(self);
            let (value, zero) = (_mm256_set1_epi64x(value as i64), _mm256_setzero_si256());
            let bits = |slots| {
                let found =
                    _mm256_or_si256(_mm256_cmpeq_epi64(slots, value), _mm256_cmpeq_epi64(slots, zero));
                _mm256_movemask_pd(_mm256_castsi256_pd(found)) as u32
            };
            bits(low) | bits(high) << 4
        }
    }

    /// One bit per 32-bit lane from four vectors of lanes that are all ones or all zeros.
    #[inline(always)]
    fn lanes(v: [__m128i; 4]) -> u32 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let low = _mm_packs_epi32(v[0], v[1]);
            let high = _mm_packs_epi32(v[2], v[3]);
            _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32
        }
    }

    impl Slots<u32> {
        /// One bit per slot, set where it has the value.
        #[inline(always)]
        pub(crate) fn equal(&self, value: u32) -> u32 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let value = _mm_set1_epi32(value as i32);
                lanes(self.0.map(|v| _mm_cmpeq_epi32(v, value)))
            }
        }

        /// One bit per slot, set where it has the value or zero.
        #[inline(always)]
        pub(crate) fn equal_or_zero(&self, value: u32) -> u32 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let (value, zero) = (_mm_set1_epi32(value as i32), _mm_setzero_si128());
                lanes(self.0.map(|v| _mm_or_si128(_mm_cmpeq_epi32(v, value), _mm_cmpeq_epi32(v, zero))))
            }
        }

        /// One bit per slot, set where it agrees with the value in the bits of the mask. The value has no others.
        #[inline(always)]
        pub(crate) fn equal_masked(&self, mask: u32, value: u32) -> u32 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let (mask, value) = (_mm_set1_epi32(mask as i32), _mm_set1_epi32(value as i32));
                lanes(self.0.map(|v| _mm_cmpeq_epi32(_mm_and_si128(v, mask), value)))
            }
        }
    }

    impl Slots<u64> {
        /// One bit per slot, set where it has the value.
        #[inline(always)]
        pub(crate) fn equal(&self, value: u64) -> u32 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                let value = _mm_set1_epi64x(value as i64);
                let halves = self.0.map(|v| _mm_cmpeq_epi32(v, value));
                let both = halves.map(|v| _mm_and_si128(v, _mm_shuffle_epi32::<0b10_11_00_01>(v)));
                let bits = both.map(|v| _mm_movemask_pd(_mm_castsi128_pd(v)) as u32);
                bits[0] | bits[1] << 2 | bits[2] << 4 | bits[3] << 6
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod portable {
    use super::{Narrow, Relaxed, Wide};

    /// The slots of a line, read once each.
    pub(crate) struct Slots<T, const N: usize>([T; N]);
    pub(crate) type NarrowSlots = Slots<u32, 16>;

    impl Narrow {
        #[inline(always)]
        pub(crate) fn snapshot(&self) -> Slots<u32, 16> {
            Slots(std::array::from_fn(|slot| self.0[slot].load(Relaxed)))
        }
    }

    impl Wide {
        #[inline(always)]
        pub(crate) fn snapshot(&self) -> Slots<u64, 8> {
            Slots(std::array::from_fn(|slot| self.0[slot].load(Relaxed)))
        }
    }

    impl<T: Copy + PartialEq, const N: usize> Slots<T, N> {
        /// One bit per slot, set where it has the value.
        #[inline(always)]
        pub(crate) fn equal(&self, value: T) -> u32 {
            self.0.iter().rev().fold(0, |bits, &slot| bits << 1 | u32::from(slot == value))
        }
    }

    impl Slots<u32, 16> {
        /// One bit per slot, set where it has the value or zero.
        #[inline(always)]
        pub(crate) fn equal_or_zero(&self, value: u32) -> u32 {
            self.equal(value) | self.equal(0)
        }

        /// One bit per slot, set where it agrees with the value in the bits of the mask. The value has no others.
        #[inline(always)]
        pub(crate) fn equal_masked(&self, mask: u32, value: u32) -> u32 {
            Slots(self.0.map(|slot| slot & mask)).equal(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_fills<L: Line>(line: &L, values: impl Fn(u64) -> u64) {
        for i in 0..L::SLOTS {
            assert_eq!(line.insert(values(i)), Outcome::Inserted);
            for j in 0..=i {
                assert_eq!(line.insert(values(j)), Outcome::Present);
                assert_eq!(line.get(j as usize), values(j));
            }
        }
        assert_eq!(line.insert(values(L::SLOTS)), Outcome::LineFull);
        line.set(3, values(L::SLOTS));
        assert_eq!(line.insert(values(L::SLOTS)), Outcome::Present);
        line.set(3, values(3));
        assert_eq!(line.insert(values(3)), Outcome::Present);
    }

    #[test]
    fn lines_fill_in_order() {
        check_fills(&Narrow(Default::default()), |i| i + 1);
        check_fills(&Narrow(Default::default()), |i| 0xffff_fff0 + i % 16 - 16 * (i / 16));
        check_fills(&Wide(Default::default()), |i| i + 1);
        // Equal in one half only: the halves of a slot must be looked at together.
        check_fills(&Wide(Default::default()), |i| (i / 3) << 32 | (i % 3 + 1));
        check_fills(&Wide(Default::default()), |i| u64::MAX << i);
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn check_candidates<L: Line>(line: &L, with_other_instructions: impl Fn(&L, u64) -> u32) {
        for n_used in 0..=L::SLOTS as usize {
            for value in [1, 7, 8, 9, 16, 17, u32::MAX as u64] {
                assert_eq!(with_other_instructions(line, value), line.candidates(value), "{n_used} {value}");
            }
            if n_used < L::SLOTS as usize {
                line.set(n_used, n_used as u64 + 1);
            }
        }
    }

    #[test]
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn candidates_are_the_same_with_other_instructions() {
        if !is_x86_feature_detected!("avx2") {
            return;
        }
        // SAFETY: the processor has these instructions.
        check_candidates(&Narrow(Default::default()), |line, value| unsafe { line.candidates_avx2(value) });
        // SAFETY: as above.
        check_candidates(&Wide(Default::default()), |line, value| unsafe { line.candidates_avx2(value) });
    }

    #[test]
    fn masked_compare() {
        let line = Narrow(std::array::from_fn(|i| AtomicU32::new(0xab00_0000 + i as u32)));
        line.0[5].store(0xcd00_0005, Relaxed);
        assert_eq!(line.snapshot().equal_masked(0xff00_0000, 0xcd00_0000), 1 << 5);
        assert_eq!(line.snapshot().equal_masked(0xff00_0000, 0xab00_0000), 0xffff & !(1 << 5));
    }
}
