//! Expressions and places: side-effect free, except that evaluating one may fail.

use crate::{Few, LocationId, ProctypeId, Scalar};

/// Which variables a place is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The system's.
    Global,
    /// The executing process's own.
    Local,
}

/// One slot: `base` plus the sum of its indices, each multiplied by its stride.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Where the slots are.
    pub scope: Scope,
    /// The slot when all indices are 0.
    pub base: u32,
    /// Constant indices that are in range have been folded into `base`.
    pub indices: Few<Index>,
    /// The type of the slot (the same for all values of the indices).
    pub scalar: Scalar,
}

/// A run-time index into an array.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// The index; a value outside `0..bound` is a fault.
    pub value: Expr,
    /// How many slots an element has.
    pub stride: u32,
    /// The length of the array.
    pub bound: u32,
}

/// A value of 32 bits, signed.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number.
    Constant(i32),
    /// The value of a variable.
    Load(Place),
    /// An operator and its operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator and its operands; `And` and `Or` do not look at the second one if the first one decides.
    Binary(BinaryOp, Box<(Expr, Expr)>),
    /// The second if the first is not 0, else the third.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// A question about the channel that the expression denotes.
    Channel(ChannelTest, Box<Expr>),
    /// Whether a receive with these patterns would find a message.
    Poll {
        /// The channel.
        channel: Box<Expr>,
        /// Any message of the buffer, not only the first.
        random: bool,
        /// One per field, or fewer.
        patterns: Box<[Pattern]>,
    },
    /// True when no process could take a step if this were false.
    Timeout,
    /// True when no process is at a location marked as progress.
    NonProgress,
    /// True when some process is at a location marked as accepting.
    Accepting,
    /// Whether the process with that number could take a step.
    Enabled(Box<Expr>),
    /// The location of the process with that number.
    PcValue(Box<Expr>),
    /// The priority of the process with that number.
    Priority(Box<Expr>),
    /// The executing process's own number.
    Pid,
    /// The number of live processes.
    ProcessCount,
    /// The process that took the last step; 0 at the start.
    Last,
    /// Whether a process is at one of the locations.
    At {
        /// The proctype the process must be an instance of.
        proctype: ProctypeId,
        /// Which process; without one the first live instance.
        pid: Option<Box<Expr>>,
        /// The location that carries the label.
        location: LocationId,
    },
    /// A local variable of another process; 0 if there is no such process.
    Remote {
        /// The proctype the process must be an instance of.
        proctype: ProctypeId,
        /// Which process; without one the first live instance.
        pid: Option<Box<Expr>>,
        /// A place with [`Scope::Local`], in that process.
        place: Box<Place>,
    },
}

/// One field of a receive or of a poll.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// Matches anything and stores it (in a poll it only matches).
    Store(Place),
    /// Matches this value only.
    Match(Expr),
    /// Matches anything.
    Ignore,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounding towards 0
    Divide,
    /// `%`, with the sign of the first operand
    Remainder,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl UnaryOp {
    /// The result, before it is brought into 32 bits.
    pub fn apply(self, a: i32) -> i64 {
        match self {
            UnaryOp::Negate => -(a as i64),
            UnaryOp::Not => (a == 0) as i64,
            UnaryOp::Complement => !a as i64,
        }
    }
}

impl BinaryOp {
    /// The result, before it is brought into 32 bits; none for a division by zero.
    pub fn apply(self, a: i32, b: i32) -> Option<i64> {
        let (wide_a, wide_b) = (a as i64, b as i64);
        Some(match self {
            BinaryOp::Add => wide_a + wide_b,
            BinaryOp::Subtract => wide_a - wide_b,
            BinaryOp::Multiply => wide_a * wide_b,
            BinaryOp::Divide => wide_a.checked_div(wide_b)?,
            BinaryOp::Remainder => wide_a.checked_rem(wide_b)?,
            // As the processors do that C compilers aim at: only the low five bits of the distance count.
            BinaryOp::ShiftLeft => a.wrapping_shl(b as u32) as i64,
            BinaryOp::ShiftRight => a.wrapping_shr(b as u32) as i64,
            BinaryOp::BitAnd => (a & b) as i64,
            BinaryOp::BitOr => (a | b) as i64,
            BinaryOp::BitXor => (a ^ b) as i64,
            BinaryOp::And => (a != 0 && b != 0) as i64,
            BinaryOp::Or => (a != 0 || b != 0) as i64,
            BinaryOp::Equal => (a == b) as i64,
            BinaryOp::NotEqual => (a != b) as i64,
            BinaryOp::Less => (a < b) as i64,
            BinaryOp::LessEqual => (a <= b) as i64,
            BinaryOp::Greater => (a > b) as i64,
            BinaryOp::GreaterEqual => (a >= b) as i64,
        })
    }
}

/// Questions about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelTest {
    /// How many messages it holds.
    Len,
    /// Whether it holds none.
    Empty,
    /// Whether it holds some.
    NotEmpty,
    /// Whether it holds as many as it can (never for a rendezvous channel).
    Full,
    /// Whether it could take one more (always for a rendezvous channel).
    NotFull,
}

impl Expr {
    /// Calls `visit` on this expression and on everything inside it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Constant(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Accepting
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last => {}
            Expr::Load(place) => place.walk(visit),
            Expr::Unary(_, a)
            | Expr::Channel(_, a)
            | Expr::Enabled(a)
            | Expr::PcValue(a)
            | Expr::Priority(a) => a.walk(visit),
            Expr::Binary(_, operands) => {
                operands.0.walk(visit);
                operands.1.walk(visit);
            }
            Expr::Conditional(parts) => {
                parts.0.walk(visit);
                parts.1.walk(visit);
                parts.2.walk(visit);
            }
            Expr::Poll { channel, patterns, .. } => {
                channel.walk(visit);
                patterns.iter().for_each(|pattern| pattern.walk(visit));
            }
            Expr::At { pid, .. } => {
                if let Some(pid) = pid {
                    pid.walk(visit);
                }
            }
            Expr::Remote { pid, place, .. } => {
                if let Some(pid) = pid {
                    pid.walk(visit);
                }
                place.walk(visit);
            }
        }
    }
}

impl Place {
    /// Calls `visit` on every expression in the indices.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        self.indices.iter().for_each(|index| index.value.walk(visit));
    }
}

impl Pattern {
    /// Calls `visit` on every expression in it.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Pattern::Store(place) => place.walk(visit),
            Pattern::Match(value) => value.walk(visit),
            Pattern::Ignore => {}
        }
    }
}

/// The same walks, with the right to change what is met.
impl Expr {
    /// Calls `visit` on everything inside this expression, then on itself.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Constant(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Accepting
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last => {}
            Expr::Load(place) => place.walk_mut(visit),
            Expr::Unary(_, a)
            | Expr::Channel(_, a)
            | Expr::Enabled(a)
            | Expr::PcValue(a)
            | Expr::Priority(a) => a.walk_mut(visit),
            Expr::Binary(_, operands) => {
                operands.0.walk_mut(visit);
                operands.1.walk_mut(visit);
            }
            Expr::Conditional(parts) => {
                parts.0.walk_mut(visit);
                parts.1.walk_mut(visit);
                parts.2.walk_mut(visit);
            }
            Expr::Poll { channel, patterns, .. } => {
                channel.walk_mut(visit);
                patterns.iter_mut().for_each(|pattern| pattern.walk_mut(visit));
            }
            Expr::At { pid, .. } => {
                if let Some(pid) = pid {
                    pid.walk_mut(visit);
                }
            }
            Expr::Remote { pid, place, .. } => {
                if let Some(pid) = pid {
                    pid.walk_mut(visit);
                }
                place.walk_mut(visit);
            }
        }
        visit(self);
    }
}

impl Place {
    /// Calls `visit` on every expression in the indices.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        self.indices.iter_mut().for_each(|index| index.value.walk_mut(visit));
    }
}

impl Pattern {
    /// Calls `visit` on every expression in it.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Pattern::Store(place) => place.walk_mut(visit),
            Pattern::Match(value) => value.walk_mut(visit),
            Pattern::Ignore => {}
        }
    }
}
