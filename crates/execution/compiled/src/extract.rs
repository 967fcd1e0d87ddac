//! Some bits of a word, moved together: what the instruction `pext` does, where it is quick.

/// Whether the processor has it, and in hardware: the first generations of Zen take longer than any other way.
pub(crate) fn is_quick() -> bool {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    return is_x86_feature_detected!("bmi2") && !is_early_zen();
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    false
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn is_early_zen() -> bool {
    use std::arch::x86_64::__cpuid;
    let is_made_by = |name: &[u8; 4]| __cpuid(0).ebx == u32::from_le_bytes(*name);
    let signature = __cpuid(1).eax;
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    (is_made_by(b"Auth") || is_made_by(b"Hygo")) && family < 0x19
}

/// The same bit by bit.
pub(crate) fn slowly(word: u64, mut mask: u64) -> u64 {
    let (mut bits, mut place) = (0, 0);
    while mask != 0 {
        bits |= (word >> mask.trailing_zeros() & 1) << place;
        place += 1;
        mask &= mask - 1;
    }
    bits
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_the_same() {
        if !is_x86_feature_detected!("bmi2") {
            return;
        }
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random ^ random >> 29
        };
        for _ in 0..10_000 {
            let (word, mask) = (next(), next() & next() & next());
            // SAFETY: the processor has the instruction.
            let quick = unsafe { std::arch::x86_64::_pext_u64(word, mask) };
            assert_eq!(slowly(word, mask), quick, "{word:x} {mask:x}");
        }
    }
}
