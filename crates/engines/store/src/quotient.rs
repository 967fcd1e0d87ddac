//! The arithmetic of the exact table: from a pair of ids to (segment, line, remainder) and back.
//!
//! Everything here is invertible, so what a slot holds together with where it is *is* the key, and nothing is ever
//! confused. This is Cleary's idea ("Compact hash tables using bidirectional linear probing", 1984): the address
//! already says `log2(lines)` bits of a key, so the slot need not.
//!
//! 1. **Segment.** `segment = (right mod 16) ^ spread(left, right / 16)`. The low four bits of `right` come back by the
//!    same exclusive or. `spread` does not know how wide the ids are, so a pair stays in its segment for ever and a
//!    segment can be rebuilt alone.
//! 2. **Mix.** `left` and `right / 16` side by side are a key of `key_bits` bits; [`Layout`] mixes it by
//!    multiplications modulo 2^key_bits and exclusive ors with its own upper half.
//! 3. **Quotient.** The mixed key `x` is a fraction `x / 2^key_bits` of the segment: line `floor(x * n / 2^key_bits)`
//!    of `n`, any `n`, not just powers of two. The keys of one line have products `x * n` that lie `n` apart, so the
//!    low `floor(log2 n)` bits of the product say nothing and [`Shape`] drops them.
//!
//! Mixed keys travel left-aligned in 64 bits, for then the line is the high half of a 128-bit product.

use crate::hash::{ODD, inverse, scale};

/// Bits of the segment number.
pub(crate) const SEGMENT_BITS: u32 = 4;
pub(crate) const SEGMENTS: usize = 1 << SEGMENT_BITS;

/// The segment of a pair.
#[inline(always)]
pub(crate) fn segment_of(left: u32, right: u32) -> usize {
    (right as usize ^ spread(left, right >> SEGMENT_BITS)) % SEGMENTS
}

#[inline(always)]
fn spread(left: u32, high: u32) -> usize {
    let both = u64::from(left) | u64::from(high) << 32;
    ((both ^ both >> 29).wrapping_mul(ODD[1]) >> (64 - SEGMENT_BITS)) as usize
}

/// How many bits each id gets in the keys of a segment, with what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Where the key is, left-aligned.
    mask: u64,
    /// The bits that neither id may have.
    too_wide: (u32, u32),
    /// 1 to 32.
    left_bits: u8,
    /// `SEGMENT_BITS` to 32.
    right_bits: u8,
    /// Half of the key, the larger one.
    half: u8,
    /// Places to the left that align `left` and `right / 16`.
    left_shift: u8,
    high_shift: u8,
}

impl Layout {
    pub(crate) fn new(left_bits: u32, right_bits: u32) -> Layout {
        debug_assert!((1..=32).contains(&left_bits) && (SEGMENT_BITS..=32).contains(&right_bits));
        let bits = left_bits + right_bits - SEGMENT_BITS;
        Layout {
            mask: u64::MAX << (64 - bits),
            too_wide: ((u64::MAX << left_bits) as u32, (u64::MAX << right_bits) as u32),
            left_bits: left_bits as u8,
            right_bits: right_bits as u8,
            half: bits.div_ceil(2) as u8,
            left_shift: (64 - left_bits) as u8,
            high_shift: (64 - bits) as u8,
        }
    }

    /// Room for every id.
    pub(crate) fn widest() -> Layout {
        Layout::new(32, 32)
    }

    /// 1 to 60.
    pub(crate) fn key_bits(&self) -> u32 {
        u32::from(self.left_bits) + u32::from(self.right_bits) - SEGMENT_BITS
    }

    #[inline(always)]
    pub(crate) fn fits(&self, left: u32, right: u32) -> bool {
        self.excess(left, right) == 0
    }

    /// Whether some side has at most one bit to spare beside these that ids have.
    pub(crate) fn is_tight(&self, left: u32, right: u32) -> bool {
        let is_full = |bits: u8, id: u32| bits < 32 && id >> bits.saturating_sub(2) != 0;
        is_full(self.left_bits, left) || is_full(self.right_bits, right)
    }

    /// The bits of a pair for which there is no room.
    #[inline(always)]
    pub(crate) fn excess(&self, left: u32, right: u32) -> u32 {
        left & self.too_wide.0 | right & self.too_wide.1
    }

    /// The mixed key of a pair that fits, left-aligned.
    #[inline(always)]
    pub(crate) fn mix(&self, left: u32, right: u32) -> u64 {
        debug_assert!(self.fits(left, right));
        self.mix_anything(left, right)
    }

    /// The same; for a pair that does not fit, the key of another one.
    #[inline(always)]
    pub(crate) fn mix_anything(&self, left: u32, right: u32) -> u64 {
        let high = u64::from(right >> SEGMENT_BITS);
        let mut key = u64::from(left) << self.left_shift | high << self.high_shift;
        // The zeros below the key stay zeros when it is multiplied.
        key = self.fold(key.wrapping_mul(ODD[0]));
        key.wrapping_mul(ODD[3])
    }

    /// The pair with this mixed key in this segment.
    #[inline(always)]
    pub(crate) fn unmix(&self, segment: usize, mixed: u64) -> (u32, u32) {
        let mut key = self.fold(mixed.wrapping_mul(const { inverse(ODD[3]) }));
        key = key.wrapping_mul(const { inverse(ODD[0]) });
        let left = (key >> self.left_shift) as u32;
        let high = ((key << self.left_bits) >> self.left_bits >> self.high_shift) as u32;
        let low = (segment ^ spread(left, high)) % SEGMENTS;
        (left, high << SEGMENT_BITS | low as u32)
    }

    /// Adds the upper half of a key to its lower half. Its own inverse.
    #[inline(always)]
    fn fold(&self, key: u64) -> u64 {
        key ^ (key >> self.half & self.mask)
    }
}

/// The form of a segment: how many lines for keys of how many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// At least two.
    pub(crate) n_lines: u64,
    /// 1 to 60.
    pub(crate) key_bits: u32,
}

impl Shape {
    /// Bits of the product that do not tell the keys of a line apart.
    fn dropped_bits(self) -> u32 {
        self.n_lines.ilog2().min(self.key_bits)
    }

    /// Bits of a remainder.
    #[inline(always)]
    pub(crate) fn remainder_bits(self) -> u32 {
        self.key_bits - self.dropped_bits()
    }

    /// The line and the remainder of a mixed, left-aligned key.
    #[inline(always)]
    pub(crate) fn divide(self, mixed: u64, remainder_bits: u32) -> (u64, u64) {
        debug_assert_eq!(remainder_bits, self.remainder_bits());
        let product = u128::from(mixed) * u128::from(self.n_lines);
        // Two shifts, because a remainder may have no bits at all.
        ((product >> 64) as u64, (product as u64 >> 1) >> (63 - remainder_bits))
    }

    /// What undoes [`divide`](Shape::divide).
    pub(crate) fn multiplier(self) -> Multiplier {
        let Shape { n_lines, key_bits } = self;
        let shift = (n_lines - 1).ilog2();
        Multiplier {
            shape: self,
            dropped_bits: self.dropped_bits(),
            reciprocal: (1u128 << (64 + shift)).div_ceil(u128::from(n_lines)) as u64,
            shift,
            per_line: ((1 << key_bits) / n_lines, (1 << key_bits) % n_lines),
        }
    }
}

/// Finds the key of a line and a remainder: the only one whose product is not below that of the line and the remainder, and not
/// `n_lines` or more above. Worth a type because a division for each would take most of a rebuild.
#[derive(Clone, Copy)]
pub(crate) struct Multiplier {
    shape: Shape,
    dropped_bits: u32,
    /// `2^(64 + shift) / n_lines`, rounded up.
    reciprocal: u64,
    shift: u32,
    /// How many keys each line has: quotient and remainder of a division by `n_lines`.
    per_line: (u64, u64),
}

impl Multiplier {
    /// The mixed, left-aligned key with this line and remainder.
    pub(crate) fn multiply(&self, line: u64, remainder: u64) -> u64 {
        let (product, n_lines) = (u128::from(line) << self.shape.key_bits, u128::from(self.shape.n_lines));
        self.key(((product / n_lines) as u64, (product % n_lines) as u64), remainder)
    }

    /// The same for the line with this number of keys before it.
    #[inline(always)]
    fn key(&self, before: (u64, u64), remainder: u64) -> u64 {
        let rest = before.1 + (remainder << self.dropped_bits);
        // Rounded up.
        let quotient = self.quotient(rest + self.shape.n_lines - 1);
        (before.0 + quotient) << (64 - self.shape.key_bits)
    }

    /// Divides a number of at most 63 bits by `n_lines`. The reciprocal is so little too large that it makes no difference: less than
    /// `n_lines`, which is at most `2^(shift + 1)`, for `2^(64 + shift)`.
    #[inline(always)]
    fn quotient(&self, number: u64) -> u64 {
        debug_assert!(number >> 63 == 0);
        scale(number, self.reciprocal) >> self.shift
    }

    /// From the first line on.
    pub(crate) fn walk(self) -> Walk {
        Walk { multiplier: self, before: (0, 0) }
    }
}

/// Finds the keys of one line after the other.
pub(crate) struct Walk {
    multiplier: Multiplier,
    before: (u64, u64),
}

impl Walk {
    /// The mixed, left-aligned key with this remainder.
    #[inline(always)]
    pub(crate) fn key(&self, remainder: u64) -> u64 {
        self.multiplier.key(self.before, remainder)
    }

    /// To the next line.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        let Multiplier { shape, per_line, .. } = self.multiplier;
        self.before = (self.before.0 + per_line.0, self.before.1 + per_line.1);
        if self.before.1 >= shape.n_lines {
            self.before = (self.before.0 + 1, self.before.1 - shape.n_lines);
        }
    }
}

#[cfg(test)]
mod tests;
