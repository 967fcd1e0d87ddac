//! Executions with random choices, each with a seed of its own.

/// The seeds of the executions of a random search: the given one, then others that follow from it (SplitMix64).
pub fn seed_of(seed: u64, execution: u64) -> u64 {
    let mut z =
        seed.wrapping_add(execution.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The steps at which a search with priorities lowers one: `count` of them among the first `length`.
pub fn change_points(seed: u64, count: usize, length: u32) -> Vec<u32> {
    let point = |number: usize| 1 + (seed_of(seed ^ 0x5eed, number as u64) % u64::from(length.max(1))) as u32;
    (0..count).map(point).collect()
}
