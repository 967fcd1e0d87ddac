//! The mixing functions: quick multiplications, because whoever needs certainty compares or inverts.

/// Odd, without pattern; the digits of the golden ratio and of other constants of that kind.
pub(crate) const ODD: [u64; 8] = [
    0x9e37_79b9_7f4a_7c15,
    0xd1b5_4a32_d192_ed03,
    0xaef1_7502_108e_f2d9,
    0xdb4f_0b91_75ae_2165,
    0xbbe0_5633_03a4_615f,
    0xa0f2_ec75_a1fe_1575,
    0x89e1_8285_7d9e_d689,
    0xc2b2_ae3d_27d4_eb4f,
];

/// The 128-bit product, folded. Every bit of the result depends on all bits of both factors.
#[inline(always)]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// The high half of the 128-bit product: scales a hash down to an index below `n`.
#[inline(always)]
pub(crate) fn scale(hash: u64, n: u64) -> u64 {
    ((u128::from(hash) * u128::from(n)) >> 64) as u64
}

/// Hash of a value of `W` words: products of pairs of words, as in wyhash.
#[inline(always)]
pub(crate) fn hash_words<const W: usize>(value: &[u64; W]) -> u64 {
    let mut sum = 0;
    let mut i = 0;
    while i + 1 < W {
        sum ^= fold(value[i] ^ ODD[i], value[i + 1] ^ ODD[i + 1]);
        i += 2;
    }
    if i < W {
        sum ^= fold(value[i] ^ ODD[i], ODD[(i + 1) % 8]);
    }
    sum
}

/// Numbers without pattern, one for each place of a word.
const KEYS: [u64; 32] = {
    let mut keys = [0; 32];
    let mut i = 0;
    while i < keys.len() {
        keys[i] = mix(ODD[i % ODD.len()].wrapping_mul(i as u64 + 1));
        i += 1;
    }
    keys
};

/// The hash of a state of any number of words. The products of pairs of words do not wait for each other. Sets mix it once more.
#[inline(always)]
pub fn hash(words: &[u64]) -> u64 {
    let mut hash = ODD[6] ^ words.len() as u64;
    for (i, part) in words.chunks(KEYS.len()).enumerate() {
        let (pairs, rest) = part.as_chunks::<2>();
        let (keys, _) = KEYS.as_chunks::<2>();
        let mut sum = 0u64;
        for (pair, key) in pairs.iter().zip(keys) {
            sum = sum.wrapping_add(fold(pair[0] ^ key[0], pair[1] ^ key[1]));
        }
        if let [last] = rest {
            sum = sum.wrapping_add(fold(last ^ KEYS[part.len() - 1], ODD[7]));
        }
        hash = if i > 0 { fold(hash, ODD[1]) ^ sum } else { hash ^ sum };
    }
    hash
}

/// A bijection of 64-bit words after which every bit depends on every bit.
#[inline(always)]
pub(crate) const fn mix(mut word: u64) -> u64 {
    word ^= word >> 32;
    word = word.wrapping_mul(ODD[3]);
    word ^= word >> 29;
    word = word.wrapping_mul(ODD[0]);
    word ^ (word >> 32)
}

/// The inverse of an odd number modulo 2^64, hence modulo every smaller power of two.
pub(crate) const fn inverse(odd: u64) -> u64 {
    // Newton: correct in 3 bits at first, in twice as many after each round.
    let mut inverse = odd;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn inverses() {
        for odd in ODD {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }

    /// Buckets of a hash by its top bits must be about as even as random ones.
    fn check_even(hashes: impl Iterator<Item = u64>) {
        let mut buckets = [0u32; 256];
        let mut low = [0u32; 256];
        let mut n = 0;
        for hash in hashes {
            buckets[(hash >> 56) as usize] += 1;
            low[(hash & 255) as usize] += 1;
            n += 1;
        }
        let mean = f64::from(n) / 256.0;
        for counts in [buckets, low] {
            let square = counts.iter().map(|&c| (f64::from(c) - mean).powi(2) / mean).sum::<f64>();
            // Chi-square with 255 degrees of freedom: 330 is three standard deviations up.
            assert!(square < 400.0, "{square}");
        }
    }

    #[test]
    fn regular_values_spread() {
        check_even((0..50_000u64).map(mix));
        check_even((0..50_000u64).map(|i| mix(i << 32)));
        check_even((0..50_000u64).map(|i| mix(i << 48 | i)));
        check_even((0..50_000u64).map(|i| hash_words(&[i])));
        check_even((0..50_000u64).map(|i| hash_words(&[i << 40])));
        check_even((0..50_000u64).map(|i| hash_words(&[i % 200, i / 200])));
        check_even((0..50_000u64).map(|i| hash_words(&[i << 32, 0])));
        check_even((0..50_000u64).map(|i| hash_words(&[0, i << 8])));
        check_even((0..50_000u64).map(|i| hash_words(&[i % 40, i / 40 % 40, i / 1600])));
        check_even((0..50_000u64).map(|i| hash_words(&[5, 1 << (i % 16), 7, i / 16])));
        check_even((0..50_000u64).map(|i| hash_words(&[0, 0, 0, 0, 0, 0, 0, i << 20])));
    }

    #[test]
    fn states_that_differ_little_have_different_hashes() {
        for width in [1usize, 2, 3, 4, 5, 31, 32, 33, 70] {
            let mut hashes = HashSet::new();
            let mut n = 0;
            let mut add = |state: &[u64]| {
                hashes.insert(hash(state));
                n += 1;
            };
            let zero = vec![0; width];
            add(&zero);
            for one in 0..64 * width {
                let mut state = zero.clone();
                state[one / 64] ^= 1 << (one % 64);
                add(&state);
                for two in 0..one.min(100) {
                    let mut state = state.clone();
                    state[two / 64] ^= 1 << (two % 64);
                    add(&state);
                }
            }
            assert_eq!(hashes.len(), n, "{width} words");
            let counting = (0..50_000u64).map(|i| {
                let mut state = zero.clone();
                state[0] = i % 100;
                state[width - 1] ^= (i / 100) << 7;
                hash(&state)
            });
            // As the sets use it.
            check_even(counting.clone().map(mix));
            check_even(counting.map(|hash| fold(hash, ODD[2])));
        }
    }

    #[test]
    fn no_two_words_mix_to_the_same() {
        let all: HashSet<u64> = (0..10_000).flat_map(|i| [mix(i), mix(i << 30 | 1 << 60)]).collect();
        assert_eq!(all.len(), 20_000);
    }
}
