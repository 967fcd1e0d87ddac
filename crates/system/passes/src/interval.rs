//! Arithmetic on intervals of 32-bit values, as the interpreter calculates: what does not fit wraps around.

use allways_system::{BinaryOp, Scalar, UnaryOp};

/// All values from `low` to `high`, both included; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    pub low: i32,
    pub high: i32,
}

impl Interval {
    pub const ALL: Interval = Interval { low: i32::MIN, high: i32::MAX };
    pub const TRUTH: Interval = Interval { low: 0, high: 1 };
    pub const ZERO: Interval = Interval { low: 0, high: 0 };

    pub fn new(low: i32, high: i32) -> Interval {
        Interval { low, high }
    }

    pub fn of(value: i32) -> Interval {
        Interval { low: value, high: value }
    }

    /// What a slot of this type can hold.
    pub fn of_scalar(scalar: Scalar) -> Interval {
        match scalar {
            Scalar::Bit | Scalar::Bool => Interval::TRUTH,
            Scalar::Byte | Scalar::Pid => Interval::new(0, 0xff),
            Scalar::Short => Interval::new(i16::MIN.into(), i16::MAX.into()),
            Scalar::Int => Interval::ALL,
            Scalar::Unsigned(bits) => Interval::new(0, ((1u32 << bits) - 1) as i32),
            Scalar::Mtype(_) | Scalar::Chan => Interval::new(0, 0xffff),
        }
    }

    /// From the smallest to the largest of the values; all values if one of them does not fit.
    fn hull(values: &[i64]) -> Interval {
        let (low, high) = (values.iter().min(), values.iter().max());
        match (low.and_then(|low| i32::try_from(*low).ok()), high.and_then(|high| i32::try_from(*high).ok()))
        {
            (Some(low), Some(high)) => Interval { low, high },
            _ => Interval::ALL,
        }
    }

    pub fn contains(self, value: i32) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn is_within(self, other: Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What remains when the values are stored in a slot of this type.
    pub fn truncate(self, scalar: Scalar) -> Interval {
        let all = Interval::of_scalar(scalar);
        if self.is_within(all) { self } else { all }
    }

    /// Whether all values are true, or all false; none if there are both.
    pub fn truth(self) -> Option<bool> {
        match self {
            Interval::ZERO => Some(false),
            _ if !self.contains(0) => Some(true),
            _ => None,
        }
    }

    pub fn unary(self, op: UnaryOp) -> Interval {
        match op {
            UnaryOp::Negate => Interval::hull(&[-i64::from(self.low), -i64::from(self.high)]),
            UnaryOp::Not => of_truth(self.truth().map(|truth| !truth)),
            UnaryOp::Complement => Interval::new(!self.high, !self.low),
        }
    }

    pub fn binary(self, op: BinaryOp, b: Interval) -> Interval {
        let a = self;
        match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => corners(a, &[b.low, b.high], op),
            BinaryOp::Divide => a.divide(b),
            BinaryOp::Remainder => a.remainder(b),
            BinaryOp::ShiftLeft => a.shift_left(b),
            BinaryOp::ShiftRight => {
                let distance = if b.is_within(Interval::new(0, 31)) { b } else { Interval::new(0, 31) };
                corners(a, &[distance.low, distance.high], op)
            }
            BinaryOp::BitAnd => match (a.low >= 0, b.low >= 0) {
                (true, true) => Interval::new(0, a.high.min(b.high)),
                (true, false) => Interval::new(0, a.high),
                (false, true) => Interval::new(0, b.high),
                (false, false) => Interval::ALL,
            },
            BinaryOp::BitOr | BinaryOp::BitXor => {
                if a.low < 0 || b.low < 0 {
                    return Interval::ALL;
                }
                let bits = u32::BITS - (a.high | b.high).leading_zeros();
                Interval::new(0, ((1u64 << bits) - 1) as i32)
            }
            BinaryOp::And => of_truth(match (a.truth(), b.truth()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
            BinaryOp::Or => of_truth(match (a.truth(), b.truth()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
            BinaryOp::Equal => of_truth(a.equals(b)),
            BinaryOp::NotEqual => of_truth(a.equals(b).map(|truth| !truth)),
            BinaryOp::Less => of_truth(a.is_less(b)),
            BinaryOp::GreaterEqual => of_truth(a.is_less(b).map(|truth| !truth)),
            BinaryOp::Greater => of_truth(b.is_less(a)),
            BinaryOp::LessEqual => of_truth(b.is_less(a).map(|truth| !truth)),
        }
    }

    /// For each sign of the divisor the quotient grows or falls steadily, so the ends decide. A divisor 0 is a fault.
    fn divide(self, b: Interval) -> Interval {
        let ends: Vec<i32> =
            [b.low, -1, 1, b.high].into_iter().filter(|end| *end != 0 && b.contains(*end)).collect();
        if ends.is_empty() { Interval::ZERO } else { corners(self, &ends, BinaryOp::Divide) }
    }

    /// The remainder has the sign of the first operand and is smaller than the second.
    fn remainder(self, b: Interval) -> Interval {
        let largest = i64::from(b.low).abs().max(i64::from(b.high).abs());
        let below = i32::try_from((largest - 1).max(0)).unwrap_or(i32::MAX);
        Interval::new(self.low.clamp(-below, 0), self.high.clamp(0, below))
    }

    fn shift_left(self, b: Interval) -> Interval {
        if self.low < 0 || !b.is_within(Interval::new(0, 31)) {
            return Interval::ALL;
        }
        Interval::hull(&[i64::from(self.low) << b.low, i64::from(self.high) << b.high])
    }

    fn equals(self, b: Interval) -> Option<bool> {
        if self.high < b.low || b.high < self.low {
            return Some(false);
        }
        (self.low == self.high && self == b).then_some(true)
    }

    fn is_less(self, b: Interval) -> Option<bool> {
        match () {
            () if self.high < b.low => Some(true),
            () if self.low >= b.high => Some(false),
            () => None,
        }
    }
}

fn of_truth(truth: Option<bool>) -> Interval {
    truth.map_or(Interval::TRUTH, |truth| Interval::of(truth.into()))
}

/// For operators that grow or fall steadily between these ends.
fn corners(a: Interval, ends: &[i32], op: BinaryOp) -> Interval {
    let results: Vec<i64> =
        ends.iter().flat_map(|b| [op.apply(a.low, *b), op.apply(a.high, *b)]).flatten().collect();
    Interval::hull(&results)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with all kinds of bits and signs, in order.
    const VALUES: [i32; 17] =
        [i32::MIN, i32::MIN + 1, -70000, -33, -3, -2, -1, 0, 1, 2, 3, 5, 31, 32, 256, 70000, i32::MAX];

    fn intervals() -> impl Iterator<Item = (Interval, &'static [i32])> {
        (0..VALUES.len()).flat_map(|low| {
            (low..VALUES.len())
                .map(move |high| (Interval::new(VALUES[low], VALUES[high]), &VALUES[low..=high]))
        })
    }

    #[test]
    fn results_are_inside() {
        use BinaryOp::*;
        let ops = [
            Add,
            Subtract,
            Multiply,
            Divide,
            Remainder,
            ShiftLeft,
            ShiftRight,
            BitAnd,
            BitOr,
            BitXor,
            And,
            Or,
            Equal,
            NotEqual,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
        ];
        for (a, a_values) in intervals() {
            for op in [UnaryOp::Negate, UnaryOp::Not, UnaryOp::Complement] {
                for value in a_values {
                    let result = op.apply(*value) as i32;
                    assert!(a.unary(op).contains(result), "{op:?} {a:?}: {value} gives {result}");
                }
            }
            for (b, b_values) in intervals() {
                for op in ops {
                    let interval = a.binary(op, b);
                    for (x, y) in a_values.iter().flat_map(|x| b_values.iter().map(move |y| (x, y))) {
                        let Some(result) = op.apply(*x, *y) else { continue };
                        assert!(
                            interval.contains(result as i32),
                            "{a:?} {op:?} {b:?}: {x}, {y} not in {interval:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn truncated_values_are_inside() {
        for scalar in
            [Scalar::Bit, Scalar::Byte, Scalar::Short, Scalar::Int, Scalar::Unsigned(5), Scalar::Chan]
        {
            for (interval, values) in intervals() {
                let stored = interval.truncate(scalar);
                assert!(values.iter().all(|value| stored.contains(scalar.truncate(*value))), "{interval:?}");
            }
        }
    }

    #[test]
    fn small_results_stay_small() {
        let byte = Interval::of_scalar(Scalar::Byte);
        assert_eq!(byte.binary(BinaryOp::Remainder, Interval::of(5)), Interval::new(0, 4));
        assert_eq!(byte.binary(BinaryOp::BitAnd, Interval::of(3)), Interval::new(0, 3));
        assert_eq!(byte.binary(BinaryOp::Divide, Interval::of(10)), Interval::new(0, 25));
        assert_eq!(byte.binary(BinaryOp::ShiftRight, Interval::of(4)), Interval::new(0, 15));
        assert_eq!(Interval::of(1).binary(BinaryOp::Subtract, Interval::TRUTH), Interval::TRUTH);
    }
}
