//! Constant folding: the same results and the same faults as the interpreter, without the work.
//!
//! What would fault is left as it is, so that it faults where it did before. Parts that ask about a channel are kept
//! where somebody claims a channel for himself, even if their value does not matter: the question itself is a use.

use allways_system::{Action, BinaryOp, Expr, Pattern, Place, Scope, UnaryOp};

/// What is known before the run.
pub(crate) struct Fold<'a> {
    /// The value of a slot that never changes.
    pub known: &'a dyn Fn(Scope, u32) -> Option<i32>,
    /// The executing process, if there is only one.
    pub pid: Option<u32>,
    /// A result that does not fit is a fault.
    pub check_overflow: bool,
    /// Questions about channels are uses of them.
    pub keep_tests: bool,
}

impl Fold<'_> {
    pub fn action(&self, action: &mut Action) {
        match action {
            Action::Skip | Action::Else | Action::DStep { .. } | Action::Terminate => {}
            Action::Condition(expr) | Action::Assert(expr) => self.expr(expr),
            Action::Assign(place, value) => {
                self.place(place);
                self.expr(value);
            }
            Action::AssignAll(assignments) => {
                for (place, value) in assignments {
                    self.place(place);
                    self.expr(value);
                }
            }
            Action::Send { channel, values, .. } => {
                self.expr(channel);
                values.iter_mut().for_each(|value| self.expr(value));
            }
            Action::Receive { channel, patterns, .. } => {
                self.expr(channel);
                patterns.iter_mut().for_each(|pattern| self.pattern(pattern));
            }
            Action::Run { arguments, priority, result, .. } => {
                arguments.iter_mut().chain(priority.as_deref_mut()).for_each(|argument| self.expr(argument));
                result.iter_mut().for_each(|place| self.place(place));
            }
            Action::Print { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| self.expr(argument));
            }
            Action::SetPriority { pid, priority } => {
                self.expr(pid);
                self.expr(priority);
            }
        }
    }

    pub fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Constant(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Accepting
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last => {}
            Expr::Load(place) => self.place(place),
            Expr::Unary(_, a)
            | Expr::Channel(_, a)
            | Expr::Enabled(a)
            | Expr::PcValue(a)
            | Expr::Priority(a) => self.expr(a),
            Expr::Binary(_, operands) => {
                self.expr(&mut operands.0);
                self.expr(&mut operands.1);
            }
            Expr::Conditional(parts) => {
                self.expr(&mut parts.0);
                self.expr(&mut parts.1);
                self.expr(&mut parts.2);
            }
            Expr::Poll { channel, patterns, .. } => {
                self.expr(channel);
                patterns.iter_mut().for_each(|pattern| self.pattern(pattern));
            }
            // The indices of a remote place are evaluated for the other process, of which nothing is known.
            Expr::At { pid, .. } | Expr::Remote { pid, .. } => pid.iter_mut().for_each(|pid| self.expr(pid)),
        }
        if let Some(folded) = self.folded(expr) {
            *expr = folded;
        }
    }

    /// Constant indices that are in range become part of the base.
    pub fn place(&self, place: &mut Place) {
        let Place { base, indices, .. } = place;
        indices.iter_mut().for_each(|index| self.expr(&mut index.value));
        indices.retain(|index| match index.value {
            Expr::Constant(value) if value >= 0 && (value as u32) < index.bound => {
                *base += value as u32 * index.stride;
                false
            }
            _ => true,
        });
    }

    fn pattern(&self, pattern: &mut Pattern) {
        match pattern {
            Pattern::Store(place) => self.place(place),
            Pattern::Match(value) => self.expr(value),
            Pattern::Ignore => {}
        }
    }

    /// What an expression becomes whose parts are folded.
    fn folded(&self, expr: &mut Expr) -> Option<Expr> {
        match expr {
            Expr::Load(place) if place.indices.is_empty() => {
                (self.known)(place.scope, place.base).map(Expr::Constant)
            }
            Expr::Pid => self.pid.map(|pid| Expr::Constant(pid as i32)),
            Expr::Unary(op, operand) => {
                let Expr::Constant(a) = **operand else { return None };
                self.fit(op.apply(a))
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), operands) => {
                self.decided(*op == BinaryOp::And, operands)
            }
            Expr::Binary(op, operands) => {
                let (Expr::Constant(a), Expr::Constant(b)) = **operands else { return None };
                self.fit(op.apply(a, b)?)
            }
            Expr::Conditional(parts) => {
                let Expr::Constant(condition) = parts.0 else { return None };
                let (taken, dropped) =
                    if condition != 0 { (&mut parts.1, &parts.2) } else { (&mut parts.2, &parts.1) };
                self.may_drop(dropped).then(|| take(taken))
            }
            _ => None,
        }
    }

    /// A conjunction or disjunction of which one side is known.
    fn decided(&self, is_and: bool, operands: &mut (Expr, Expr)) -> Option<Expr> {
        let decides = |value: i32| (value != 0) != is_and;
        let constant = Some(Expr::Constant(!is_and as i32));
        match (&mut operands.0, &mut operands.1) {
            (Expr::Constant(first), second) if decides(*first) => {
                if self.may_drop(second) {
                    constant
                } else {
                    None
                }
            }
            (Expr::Constant(_), second) => Some(truth_of(take(second))),
            (first, Expr::Constant(second)) if decides(*second) => {
                if self.may_drop(first) && !may_fault(first, self.check_overflow) { constant } else { None }
            }
            (first, Expr::Constant(_)) => Some(truth_of(take(first))),
            _ => None,
        }
    }

    fn fit(&self, value: i64) -> Option<Expr> {
        let stored = value as i32;
        (!self.check_overflow || i64::from(stored) == value).then_some(Expr::Constant(stored))
    }

    fn may_drop(&self, expr: &Expr) -> bool {
        let mut tests = false;
        expr.walk(&mut |expr| tests |= matches!(expr, Expr::Channel(..) | Expr::Poll { .. }));
        !tests || !self.keep_tests
    }
}

/// 0 or 1.
fn truth_of(expr: Expr) -> Expr {
    if let Expr::Constant(value) = expr {
        return Expr::Constant((value != 0) as i32);
    }
    if is_truth(&expr) {
        return expr;
    }
    Expr::Binary(BinaryOp::NotEqual, Box::new((expr, Expr::Constant(0))))
}

/// Whether its value is always 0 or 1.
fn is_truth(expr: &Expr) -> bool {
    use BinaryOp::*;
    matches!(
        expr,
        Expr::Unary(UnaryOp::Not, _)
            | Expr::Binary(And | Or | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, _)
    )
}

fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::Constant(0))
}

/// Whether evaluating it can be a fault, as far as can be seen.
pub(crate) fn may_fault(expr: &Expr, check_overflow: bool) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| {
        found |= match expr {
            Expr::Load(place) => !place.indices.is_empty(),
            Expr::Remote { place, .. } => !place.indices.is_empty(),
            Expr::Unary(UnaryOp::Negate, _) => check_overflow,
            Expr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, _) => check_overflow,
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, operands) => match operands.1 {
                Expr::Constant(0) => true,
                Expr::Constant(-1) => check_overflow,
                Expr::Constant(_) => false,
                _ => true,
            },
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) => true,
            _ => false,
        };
    });
    found
}
