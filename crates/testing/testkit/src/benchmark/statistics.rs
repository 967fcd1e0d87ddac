//! Summaries of ratios.

/// Of a set of positive figures, such as ratios of times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    pub count: usize,
    /// The mean that treats twice and half alike.
    pub geometric_mean: f64,
    pub smallest: f64,
    pub largest: f64,
}

/// `None` if there is no figure; figures that are not positive are left out.
pub fn summary(figures: impl IntoIterator<Item = f64>) -> Option<Summary> {
    let figures: Vec<f64> =
        figures.into_iter().filter(|figure| figure.is_finite() && *figure > 0.0).collect();
    let count = figures.len();
    if count == 0 {
        return None;
    }
    let logarithms: f64 = figures.iter().map(|figure| figure.ln()).sum();
    Some(Summary {
        count,
        geometric_mean: (logarithms / count as f64).exp(),
        smallest: figures.iter().copied().fold(f64::INFINITY, f64::min),
        largest: figures.iter().copied().fold(0.0, f64::max),
    })
}

/// log2 of the number of slots that pan's hash table should have for this many states: two to four per state.
pub fn hash_bits(states: u64) -> u32 {
    let bits = states.max(1).next_power_of_two().trailing_zeros() + 1;
    bits.clamp(16, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_geometric() {
        let summary = summary([2.0, 0.5, 4.0, 0.25, f64::NAN, 0.0]).unwrap();
        assert_eq!(summary.count, 4);
        assert!((summary.geometric_mean - 1.0).abs() < 1e-12);
        assert_eq!((summary.smallest, summary.largest), (0.25, 4.0));
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(summary([]), None);
        assert_eq!(summary([0.0]), None);
    }

    #[test]
    fn tables_fit_their_states() {
        assert_eq!(hash_bits(0), 16);
        assert_eq!(hash_bits(1 << 20), 21);
        assert_eq!(hash_bits((1 << 20) + 1), 22);
        assert_eq!(hash_bits(200_000_000), 29);
        assert_eq!(hash_bits(u64::MAX >> 1), 32);
    }
}
