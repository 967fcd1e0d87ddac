//! Where a value lies in a packed state: so many bits of one 64-bit word.

use allways_system::Scalar;

/// A value inside one word of a state; never across two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    word: u32,
    /// Shifting left by this throws away what is above the value...
    left: u8,
    /// ...and then right by this what is below it.
    right: u8,
    signed: bool,
    /// If the width is a guess: the bits of the type, with [`SIGNED`] if it has a sign. Else 0.
    natural: u8,
}

const SIGNED: u8 = 64;

impl Field {
    /// `bits` (1 to 32) from bit number `bit` of the state on; they must lie in one word.
    pub fn new(bit: u32, bits: u32, signed: bool) -> Field {
        let shift = bit & 63;
        debug_assert!((1..=32).contains(&bits) && shift + bits <= 64);
        Field {
            word: bit >> 6,
            left: (64 - bits - shift) as u8,
            right: (64 - bits) as u8,
            signed,
            natural: 0,
        }
    }

    /// The same, but what is stored may turn out not to fit. It is a value of this type.
    pub fn guessed(self, scalar: Scalar) -> Field {
        let natural = match scalar {
            Scalar::Bit | Scalar::Bool => 1,
            Scalar::Byte | Scalar::Pid => 8,
            Scalar::Short => 16 | SIGNED,
            Scalar::Int => 32 | SIGNED,
            Scalar::Unsigned(bits) => bits,
            Scalar::Mtype(_) | Scalar::Chan => 16,
        };
        Field { natural, ..self }
    }

    #[inline(always)]
    pub fn is_guessed(self) -> bool {
        self.natural != 0
    }

    /// What is left of a value in a variable of the type of a guessed field, and whether that fits.
    #[inline(always)]
    pub fn truncate(self, value: i32) -> (i32, bool) {
        let value = cut(value, self.natural & (SIGNED - 1), self.natural & SIGNED != 0);
        (value, self.cut(value) == value)
    }

    /// What is left of a value that is put and got again.
    #[inline(always)]
    pub fn cut(self, value: i32) -> i32 {
        cut(value, 64 - self.right, self.signed)
    }

    /// The word it is in.
    pub fn word(self) -> usize {
        self.word as usize
    }

    /// Its bits in that word.
    #[inline(always)]
    pub fn mask(self) -> u64 {
        (u64::MAX >> self.right) << (self.right - self.left)
    }

    /// The value. `words` must be a state of a shape that has this field.
    #[inline(always)]
    pub fn get(self, words: &[u64]) -> i32 {
        debug_assert!((self.word as usize) < words.len());
        // SAFETY: fields are made by `Machine` for a shape, and used only on states of that shape or of one that extends
        // it; `Worker` keeps at least `Shape::words` words for every state it enters, and this field is inside them.
        let word = unsafe { *words.get_unchecked(self.word as usize) };
        let aligned = word << self.left;
        if self.signed { (aligned as i64 >> self.right) as i32 } else { (aligned >> self.right) as i32 }
    }

    /// The word with the value in it; what does not fit is cut off.
    #[inline(always)]
    pub fn put(self, word: u64, value: i32) -> u64 {
        let (shift, mask) = (self.right - self.left, self.mask());
        word & !mask | ((value as u32 as u64) << shift) & mask
    }
}

/// The lowest bits of a value.
#[inline(always)]
fn cut(value: i32, bits: u8, signed: bool) -> i32 {
    let shift = 32 - bits;
    if signed { value << shift >> shift } else { ((value as u32) << shift >> shift) as i32 }
}

/// Hands out the bits of a state, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub next: u32,
    /// How many bits of a word are used; less than 64 spreads a state more evenly over its words.
    pub per_word: u32,
}

impl Room {
    /// Room for a value that must lie in one word.
    pub fn field(&mut self, bits: u32, signed: bool) -> Field {
        Field::new(self.bits(bits), bits, signed)
    }

    /// The first of `count` (up to 64) bits in one word.
    pub fn bits(&mut self, count: u32) -> u32 {
        self.fit(count);
        let first = self.next;
        self.next += count;
        first
    }

    /// Goes on to the next word if so many bits (up to 64) do not fit into this one.
    pub fn fit(&mut self, count: u32) {
        if (self.next & 63) + count > self.per_word.max(count) {
            self.align();
        }
    }

    /// Goes on to the next word unless at the start of one.
    pub fn align(&mut self) {
        self.next = self.next.next_multiple_of(64);
    }
}

/// How many bits it takes to tell 0 to `highest` apart.
pub fn bits_for(highest: u32) -> u32 {
    32 - highest.leading_zeros()
}

/// Bits and sign of a value in a range (that contains 0).
pub fn bits_of_range((low, high): (i32, i32)) -> (u32, bool) {
    if low >= 0 {
        (bits_for(high as u32), false)
    } else {
        let magnitude = high.max(-1 - low) as u32;
        (bits_for(magnitude) + 1, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_got_and_nothing_else_changes() {
        for bits in 1..=32 {
            for bit in 64..=128 - bits {
                for signed in [false, true] {
                    let field = Field::new(bit, bits, signed);
                    for value in [0, 1, -1, 5, i32::MAX, i32::MIN, 0x5555_5555] {
                        for around in [0, u64::MAX, 0x0123_4567_89ab_cdef] {
                            let mut words = [7, around];
                            words[1] = field.put(words[1], value);
                            let expected = match (bits, signed) {
                                (32, _) => value,
                                (_, true) => value << (32 - bits) >> (32 - bits),
                                (_, false) => value & ((1i64 << bits) - 1) as i32,
                            };
                            assert_eq!(field.get(&words), expected);
                            assert_eq!(field.put(words[1], field.get(&[7, around])), around);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn guesses_are_noticed_when_wrong() {
        let field = Field::new(0, 3, false).guessed(Scalar::Byte);
        assert_eq!(
            [7, 8, 256 + 7, -1].map(|value| field.truncate(value)),
            [(7, true), (8, false), (7, true), (255, false)]
        );
        let field = Field::new(0, 3, true).guessed(Scalar::Short);
        assert_eq!(
            [3, 4, -4, -5, 65536].map(|value| field.truncate(value).1),
            [true, false, true, false, true]
        );
        let field = Field::new(0, 31, false).guessed(Scalar::Int);
        assert_eq!([i32::MAX, -1].map(|value| field.truncate(value).1), [true, false]);
    }

    #[test]
    fn ranges_get_just_enough_bits() {
        assert_eq!(bits_of_range((0, 0)), (0, false));
        assert_eq!(bits_of_range((0, 255)), (8, false));
        assert_eq!(bits_of_range((-1, 0)), (1, true));
        assert_eq!(bits_of_range((-128, 127)), (8, true));
        assert_eq!(bits_of_range((-128, 128)), (9, true));
        assert_eq!(bits_of_range((i32::MIN, i32::MAX)), (32, true));
    }
}
