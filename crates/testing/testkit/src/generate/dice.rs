//! The generator's source of chance.

use std::ops::RangeInclusive;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Draws made from a seed: the same seed gives the same draws.
pub struct Dice(StdRng);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(StdRng::seed_from_u64(seed))
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.0.random_range(0..100) < percent
    }

    pub fn between(&mut self, range: RangeInclusive<i32>) -> i32 {
        self.0.random_range(range)
    }

    pub fn index(&mut self, len: usize) -> usize {
        // Through u64, for `usize` draws differ between platforms.
        self.0.random_range(0..len as u64) as usize
    }

    /// One of `items`, which must not be empty.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())].clone()
    }

    /// One of `items`, if there is any.
    pub fn pick_any<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(self.pick(items)) }
    }

    /// One of `items`, each as likely as its weight says; the weights must not all be zero.
    pub fn weighted<T: Clone>(&mut self, items: &[(u32, T)]) -> T {
        let total: u32 = items.iter().map(|(weight, _)| weight).sum();
        let mut draw = self.0.random_range(0..total);
        for (weight, item) in items {
            if draw < *weight {
                return item.clone();
            }
            draw -= weight;
        }
        unreachable!("the draw is below the sum of the weights")
    }
}
