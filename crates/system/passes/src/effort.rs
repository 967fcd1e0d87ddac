//! A bound on the work of a pass.
//!
//! Passes repeat a sweep over a proctype until nothing changes. Mostly that takes a few sweeps, but
//! there are models where it takes as many as there are statements. A pass that has made its effort
//! stops and leaves things as they are, which is always sound. The bound is a number of steps, not
//! a time: the same model has the same states everywhere.

/// What is left to do for a pass, in steps of about a nanosecond.
pub(crate) struct Effort {
    left: u64,
}

/// Models of 200,000 statements get about 20 sweeps.
const MOST: u64 = 1 << 27;

impl Effort {
    pub fn new() -> Effort {
        Effort { left: MOST }
    }

    /// Pays for a sweep over so many parts. False if it is too much.
    pub fn pay(&mut self, parts: usize, each: usize) -> bool {
        let cost = (parts as u64).saturating_mul(each as u64);
        let is_enough = cost <= self.left;
        self.left = self.left.saturating_sub(cost);
        is_enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_ends() {
        let mut effort = Effort::new();
        let sweeps = (0..).take_while(|_| effort.pay(200_000, 32)).count();
        assert_eq!(sweeps, 20);
        assert!(!effort.pay(usize::MAX, usize::MAX));
    }
}
