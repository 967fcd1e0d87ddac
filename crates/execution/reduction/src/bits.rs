//! Sets of small numbers: growing ones while the tables are built, words of fixed number afterwards.

/// A set of numbers, as many words long as it needs to be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn insert(&mut self, bit: u32) {
        let word = bit as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (bit % 64);
    }

    pub fn contains(&self, bit: u32) -> bool {
        self.words.get(bit as usize / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
    }

    /// Adds everything of `other`; says whether that was news.
    pub fn add(&mut self, other: &Bits) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut news = 0;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            news |= more & !*word;
            *word |= more;
        }
        news != 0
    }

    pub fn meets(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(position, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    position as u32 * 64 + bit
                })
            })
        })
    }

    pub fn union(&self, other: &Bits) -> Bits {
        let mut both = self.clone();
        both.add(other);
        both
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Bits {
        let mut bits = Bits::default();
        numbers.into_iter().for_each(|number| bits.insert(number));
        bits
    }
}

/// A set of numbers below `64 * W`.
pub(crate) type Words<const W: usize> = [u64; W];

/// The numbers of `bits`, renamed; those without a new name are left out.
pub(crate) fn pack<const W: usize>(bits: &Bits, names: &[Option<u32>]) -> Words<W> {
    let mut words = [0; W];
    for name in bits.iter().filter_map(|bit| names[bit as usize]) {
        words[name as usize / 64] |= 1 << (name % 64);
    }
    words
}

pub(crate) fn or<const W: usize>(a: &Words<W>, b: &Words<W>) -> Words<W> {
    std::array::from_fn(|i| a[i] | b[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_grows_and_lists_what_it_holds() {
        let mut bits: Bits = [3, 64, 130].into_iter().collect();
        assert!(bits.contains(64) && !bits.contains(65) && !bits.contains(1000));
        assert_eq!(bits.iter().collect::<Vec<_>>(), [3, 64, 130]);
        assert!(!bits.add(&[64].into_iter().collect()));
        assert!(bits.add(&[7].into_iter().collect()));
        assert!(bits.meets(&[7, 999].into_iter().collect()));
        assert!(!bits.meets(&[8].into_iter().collect()));
    }

    #[test]
    fn packing_renames_and_drops() {
        let bits: Bits = [0, 1, 70].into_iter().collect();
        let mut names = vec![None; 71];
        (names[0], names[70]) = (Some(65), Some(2));
        assert_eq!(pack::<2>(&bits, &names), [4, 2]);
    }
}
