//! Expressions: values in registers, and tests that jump.

use allways_system::{BinaryOp, ChannelTest, Expr, Pattern, Place, Scope, UnaryOp};

use super::{Generator, Label};
use crate::code::{InRange, Op, PatternCode, Pc, ReceiveCode, Reg, Value};
use crate::field::Field;
use crate::instance::Slot;

impl Generator<'_> {
    /// The value of an expression that needs no code.
    pub fn simple(&self, expr: &Expr) -> Option<Value> {
        match expr {
            Expr::Constant(value) => Some(Value::Const(*value)),
            Expr::Load(place) => self.slot(place).map(|slot| match slot {
                Slot::Field(field) => Value::Field(field),
                Slot::Constant(value) => Value::Const(value),
            }),
            Expr::Channel(test, channel) => {
                let (at, _) = self.known_channel(channel)?;
                let channel = &self.channels[at as usize];
                match (test, channel.length) {
                    (ChannelTest::Len, Some(length)) => Some(Value::Field(length)),
                    (ChannelTest::Len | ChannelTest::NotEmpty | ChannelTest::Full, None) => {
                        Some(Value::Const(0))
                    }
                    (ChannelTest::Empty | ChannelTest::NotFull, None) => Some(Value::Const(1)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub fn value(&mut self, expr: &Expr) -> Value {
        if let Some(value) = self.simple(expr) {
            return value;
        }
        Value::Code(self.block(|generator| {
            let reg = generator.reg(expr);
            generator.emit(Op::Return(reg));
        }))
    }

    /// A comparison of a variable with a constant.
    pub fn range_test(&self, expr: &Expr) -> Option<InRange> {
        if let Some(Value::Field(field)) = self.simple(expr) {
            return Some(InRange { field, low: 0, span: 0, outside: true });
        }
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => {
                let test = self.range_test(operand)?;
                Some(InRange { outside: !test.outside, ..test })
            }
            Expr::Binary(op, operands) => match (self.simple(&operands.0)?, self.simple(&operands.1)?) {
                (Value::Field(field), Value::Const(value)) => compare_with_constant(field, *op, value),
                (Value::Const(value), Value::Field(field)) => {
                    compare_with_constant(field, mirrored(*op)?, value)
                }
                _ => None,
            },
            Expr::Channel(test, channel) => {
                let (at, _) = self.known_channel(channel)?;
                let channel = &self.channels[at as usize];
                let (field, capacity) = (channel.length?, channel.messages.capacity);
                Some(match test {
                    ChannelTest::Len | ChannelTest::NotEmpty => {
                        InRange { field, low: 0, span: 0, outside: true }
                    }
                    ChannelTest::Empty => InRange { field, low: 0, span: 0, outside: false },
                    ChannelTest::Full => InRange { field, low: capacity as i32, span: 0, outside: false },
                    ChannelTest::NotFull => InRange { field, low: capacity as i32, span: 0, outside: true },
                })
            }
            _ => None,
        }
    }

    /// Falls through if the expression is not 0.
    pub fn branch(&mut self, expr: &Expr, otherwise: Label) {
        if let Some(test) = self.range_test(expr) {
            self.emit(Op::InRange { test, otherwise });
            return;
        }
        match expr {
            Expr::Constant(0) => self.emit(Op::Jump(otherwise)),
            Expr::Constant(_) => {}
            Expr::Timeout => self.emit(Op::Timeout { otherwise }),
            Expr::Binary(BinaryOp::And, operands) => {
                self.branch(&operands.0, otherwise);
                self.branch(&operands.1, otherwise);
            }
            Expr::Binary(BinaryOp::Or, operands) => {
                let (second, done) = (self.label(), self.label());
                self.branch(&operands.0, second);
                self.emit(Op::Jump(done));
                self.place_label(second);
                self.branch(&operands.1, otherwise);
                self.place_label(done);
            }
            Expr::Unary(UnaryOp::Not, operand) => {
                let is_false = self.label();
                self.branch(operand, is_false);
                self.emit(Op::Jump(otherwise));
                self.place_label(is_false);
            }
            Expr::Binary(op, operands) if is_comparison(*op) => {
                if let (Some(Value::Field(a)), Some(Value::Field(b))) =
                    (self.simple(&operands.0), self.simple(&operands.1))
                {
                    self.emit(Op::Compare { op: *op, a, b, otherwise });
                    return;
                }
                let saved = self.next_register;
                match (self.simple(&operands.0), self.simple(&operands.1)) {
                    (_, Some(Value::Const(value))) => {
                        let reg = self.reg(&operands.0);
                        self.range_branch(reg, *op, value, otherwise);
                    }
                    (Some(Value::Const(value)), _) => {
                        let reg = self.reg(&operands.1);
                        self.range_branch(reg, mirrored(*op).unwrap_or(*op), value, otherwise);
                    }
                    _ => {
                        let (a, b) = (self.reg(&operands.0), self.reg(&operands.1));
                        self.emit(Op::CompareRegs { op: *op, a, b, otherwise });
                    }
                }
                self.next_register = saved;
            }
            Expr::Poll { channel, random: false, patterns } if self.is_plain_poll(channel, patterns) => {
                self.head_tests(channel, patterns, otherwise);
            }
            _ => {
                let saved = self.next_register;
                let reg = self.reg(expr);
                self.emit(Op::RegInRange { reg, low: 0, span: 0, outside: true, otherwise });
                self.next_register = saved;
            }
        }
    }

    /// Compares a register with a constant.
    fn range_branch(&mut self, reg: Reg, op: BinaryOp, value: i32, otherwise: Label) {
        let Some((low, span, outside)) = range_of(op, value) else { return };
        self.emit(Op::RegInRange { reg, low, span, outside, otherwise });
    }

    /// A poll of the first message of a channel that is always the same and has a buffer.
    fn is_plain_poll(&self, channel: &Expr, patterns: &[Pattern]) -> bool {
        self.known_channel(channel).is_some_and(|(at, _)| {
            let messages = &self.channels[at as usize].messages;
            !messages.is_rendezvous() && patterns.len() <= messages.fields.len()
        })
    }

    /// Tests whether the first message of a known, buffered channel is there and matches.
    pub fn head_tests(&mut self, channel: &Expr, patterns: &[Pattern], otherwise: Label) {
        let Some((at, _)) = self.known_channel(channel) else { return };
        let channel = self.channels[at as usize].clone();
        if let Some(field) = channel.length {
            let test = InRange { field, low: 0, span: 0, outside: true };
            self.emit(Op::InRange { test, otherwise });
        }
        for (index, pattern) in patterns.iter().enumerate() {
            let Pattern::Match(expr) = pattern else { continue };
            match (channel.field(0, index), self.simple(expr)) {
                (Some(field), Some(Value::Const(value))) => {
                    let test = InRange { field, low: value, span: 0, outside: false };
                    self.emit(Op::InRange { test, otherwise });
                }
                (Some(a), Some(Value::Field(b))) => {
                    self.emit(Op::Compare { op: BinaryOp::Equal, a, b, otherwise });
                }
                (field, _) => {
                    let saved = self.next_register;
                    let (a, b) = (self.register(), self.reg(expr));
                    self.emit(field.map_or(Op::Const(a, 0), |field| Op::Load(a, field)));
                    self.emit(Op::CompareRegs { op: BinaryOp::Equal, a, b, otherwise });
                    self.next_register = saved;
                }
            }
        }
    }

    /// Brings the value of an expression into a register.
    pub fn reg(&mut self, expr: &Expr) -> Reg {
        let target = self.register();
        match self.simple(expr) {
            Some(Value::Const(value)) => {
                self.emit(Op::Const(target, value));
                return target;
            }
            Some(Value::Field(field)) => {
                self.emit(Op::Load(target, field));
                return target;
            }
            _ => {}
        }
        let saved = self.next_register;
        self.compute(expr, target);
        self.next_register = saved;
        target
    }

    fn compute(&mut self, expr: &Expr, reg: Reg) {
        match expr {
            Expr::Constant(value) => self.emit(Op::Const(reg, *value)),
            Expr::Load(place) => {
                let slot = self.slot_reg(place);
                self.emit(match place.scope {
                    Scope::Global => Op::LoadGlobal { reg, slot },
                    Scope::Local => Op::LoadLocal { reg, slot },
                });
            }
            Expr::Unary(UnaryOp::Not, _) | Expr::Timeout => self.truth(expr, reg),
            Expr::Binary(op, _) if is_comparison(*op) || matches!(op, BinaryOp::And | BinaryOp::Or) => {
                self.truth(expr, reg);
            }
            Expr::Unary(op, operand) => {
                let a = self.reg(operand);
                self.emit(Op::Unary { op: *op, reg, a });
            }
            Expr::Binary(op, operands) => {
                let a = self.reg(&operands.0);
                match self.simple(&operands.1) {
                    Some(Value::Const(b)) => self.emit(Op::BinaryConst { op: *op, reg, a, b }),
                    _ => {
                        let b = self.reg(&operands.1);
                        self.emit(Op::Binary { op: *op, reg, a, b });
                    }
                }
            }
            Expr::Conditional(parts) => {
                let (second, done) = (self.label(), self.label());
                self.branch(&parts.0, second);
                self.compute_into(&parts.1, reg);
                self.emit(Op::Jump(done));
                self.place_label(second);
                self.compute_into(&parts.2, reg);
                self.place_label(done);
            }
            Expr::Channel(test, channel) => match self.range_test(expr) {
                Some(_) => self.truth(expr, reg),
                None => {
                    let channel = self.reg(channel);
                    self.emit(Op::Channel { test: *test, reg, channel });
                }
            },
            Expr::Poll { channel, random, patterns } => {
                let poll = self.poll(channel, *random, patterns);
                self.emit(Op::Poll { reg, poll });
            }
            Expr::NonProgress => self.emit(Op::NonProgress(reg)),
            Expr::Accepting => self.emit(Op::Accepting(reg)),
            Expr::Enabled(pid) => {
                let pid = self.reg(pid);
                self.emit(Op::Enabled { reg, pid });
            }
            Expr::PcValue(pid) => {
                let pid = self.reg(pid);
                self.emit(Op::PcValue { reg, pid });
            }
            Expr::Priority(pid) => {
                let pid = self.reg(pid);
                self.emit(Op::Priority { reg, pid });
            }
            // Folded when the instance was made; the generic code keeps it.
            Expr::Pid => self.emit(Op::Fault),
            Expr::ProcessCount => self.emit(Op::ProcessCount(reg)),
            Expr::Last => self.emit(Op::Last(reg)),
            Expr::At { proctype, pid, location } => {
                let pid = pid.as_ref().map(|pid| self.reg(pid));
                self.emit(Op::At { reg, proctype: *proctype, pid, location: *location });
            }
            Expr::Remote { proctype, pid, place } => {
                let pid = pid.as_ref().map(|pid| self.reg(pid));
                let remote = self.remotes.len() as u32;
                self.remotes.push((*proctype, (**place).clone()));
                self.emit(Op::Remote { reg, remote, pid });
            }
        }
    }

    fn compute_into(&mut self, expr: &Expr, target: Reg) {
        match self.simple(expr) {
            Some(Value::Const(value)) => self.emit(Op::Const(target, value)),
            Some(Value::Field(field)) => self.emit(Op::Load(target, field)),
            _ => {
                let saved = self.next_register;
                self.compute(expr, target);
                self.next_register = saved;
            }
        }
    }

    /// 1 or 0.
    fn truth(&mut self, expr: &Expr, reg: Reg) {
        let (is_false, done) = (self.label(), self.label());
        self.branch(expr, is_false);
        self.emit(Op::Const(reg, 1));
        self.emit(Op::Jump(done));
        self.place_label(is_false);
        self.emit(Op::Const(reg, 0));
        self.place_label(done);
    }

    /// Brings the number of a slot into a register.
    pub fn slot_reg(&mut self, place: &Place) -> Reg {
        let slot = self.register();
        let mut indices = place.indices.iter();
        let first = indices.as_slice().first().and_then(|index| match self.simple(&index.value)? {
            Value::Field(field) => Some((field, u16::try_from(index.stride).ok()?, index.bound)),
            _ => None,
        });
        match first {
            Some((index, stride, bound)) => {
                indices.next();
                self.emit(Op::IndexField { slot, base: place.base, index, stride, bound });
            }
            None => self.emit(Op::Const(slot, place.base as i32)),
        }
        for index in indices {
            let saved = self.next_register;
            let value = self.reg(&index.value);
            self.emit(Op::Index { slot, index: value, stride: index.stride, bound: index.bound });
            self.next_register = saved;
        }
        slot
    }

    fn poll(&mut self, channel: &Expr, random: bool, patterns: &[Pattern]) -> u32 {
        let channel = self.channel(channel);
        let patterns = patterns.iter().map(|pattern| match pattern {
            Pattern::Match(value) => PatternCode::Match(self.value(value)),
            Pattern::Store(_) | Pattern::Ignore => PatternCode::Ignore,
        });
        let patterns = patterns.collect();
        self.polls.push(ReceiveCode { channel, random, keep: true, patterns });
        self.polls.len() as u32 - 1
    }

    /// Code that stores what it finds in register 0.
    pub fn store_block(&mut self, place: &Place) -> Pc {
        self.block(|generator| {
            let saved = std::mem::replace(&mut generator.next_register, 1);
            generator.registers = generator.registers.max(1);
            generator.store_reg(place, 0);
            generator.emit(Op::Done);
            generator.next_register = saved;
        })
    }

    /// Stores a register.
    pub fn store_reg(&mut self, place: &Place, reg: Reg) {
        if self.common.semantics.check_overflow {
            self.emit(Op::Fit { reg, scalar: place.scalar });
        }
        match self.slot(place) {
            Some(Slot::Field(field)) => self.emit(Op::Store(field, reg)),
            // The range analysis found that it is always 0.
            Some(Slot::Constant(_)) => {}
            None => {
                let slot = self.slot_reg(place);
                self.emit(match place.scope {
                    Scope::Global => Op::StoreGlobal { slot, reg },
                    Scope::Local => Op::StoreLocal { slot, reg },
                });
            }
        }
    }

    /// Whether evaluating it could fail.
    pub fn may_fault(&self, expr: &Expr) -> bool {
        let mut may = false;
        expr.walk(&mut |part| {
            may |= match part {
                Expr::Load(place) => !place.indices.is_empty(),
                Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _) => true,
                Expr::Unary(..) | Expr::Binary(..) => self.common.semantics.check_overflow,
                Expr::Channel(_, channel) => self.known_channel(channel).is_none(),
                Expr::Poll { channel, patterns, .. } => !self.is_plain_poll(channel, patterns),
                Expr::Enabled(_) | Expr::Remote { .. } => true,
                _ => false,
            }
        });
        may
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// `a op b` is `b mirrored(op) a`.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match op {
        Equal => Equal,
        NotEqual => NotEqual,
        Less => Greater,
        LessEqual => GreaterEqual,
        Greater => Less,
        GreaterEqual => LessEqual,
        _ => return None,
    })
}

fn compare_with_constant(field: Field, op: BinaryOp, value: i32) -> Option<InRange> {
    let (low, span, outside) = range_of(op, value)?;
    Some(InRange { field, low, span, outside })
}

/// The values for which a comparison with a constant holds: from the first on so many more, or all but those.
fn range_of(op: BinaryOp, value: i32) -> Option<(i32, u32, bool)> {
    let up = i32::MAX.wrapping_sub(value) as u32;
    let down = value.wrapping_sub(i32::MIN) as u32;
    Some(match op {
        BinaryOp::Equal => (value, 0, false),
        BinaryOp::NotEqual => (value, 0, true),
        BinaryOp::GreaterEqual => (value, up, false),
        BinaryOp::Less => (value, up, true),
        BinaryOp::LessEqual => (i32::MIN, down, false),
        BinaryOp::Greater => (i32::MIN, down, true),
        _ => return None,
    })
}
