//! Expressions of a system as people write them.

use allways_system::{
    BinaryOp, ChannelTest, Expr, Frame, Pattern, Place, ProctypeId, Scalar, Scope, System, UnaryOp,
};

use crate::run::scalar_text;

/// The text of an expression that belongs to no process.
pub(crate) fn expr_text(system: &System, expr: &Expr) -> String {
    Writer { system }.expr(expr)
}

struct Writer<'w> {
    system: &'w System,
}

impl Writer<'_> {
    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Constant(value) => value.to_string(),
            Expr::Load(place) => self.place(&self.system.globals, place),
            Expr::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::Complement => "~",
                };
                format!("{sign}{}", self.operand(operand))
            }
            Expr::Binary(op, operands) => self.binary(*op, &operands.0, &operands.1),
            Expr::Conditional(parts) => {
                format!("({} -> {} : {})", self.expr(&parts.0), self.expr(&parts.1), self.expr(&parts.2))
            }
            Expr::Channel(test, channel) => {
                let name = match test {
                    ChannelTest::Len => "len",
                    ChannelTest::Empty => "empty",
                    ChannelTest::NotEmpty => "nempty",
                    ChannelTest::Full => "full",
                    ChannelTest::NotFull => "nfull",
                };
                format!("{name}({})", self.expr(channel))
            }
            Expr::Poll { channel, random, patterns } => {
                let fields: Vec<String> = patterns.iter().map(|pattern| self.pattern(pattern)).collect();
                let mark = if *random { "??" } else { "?" };
                format!("{}{mark}[{}]", self.expr(channel), fields.join(","))
            }
            Expr::Timeout => "timeout".to_string(),
            Expr::NonProgress => "np_".to_string(),
            Expr::Accepting => "some process is at an accept label".to_string(),
            Expr::Enabled(pid) => format!("enabled({})", self.expr(pid)),
            Expr::PcValue(pid) => format!("pc_value({})", self.expr(pid)),
            Expr::Priority(pid) => format!("get_priority({})", self.expr(pid)),
            Expr::Pid => "_pid".to_string(),
            Expr::ProcessCount => "_nr_pr".to_string(),
            Expr::Last => "_last".to_string(),
            Expr::At { proctype, pid, location } => {
                let labels = &self.system.proctype(*proctype).location(*location).labels;
                let label = labels.first().map_or("?", |label| label);
                format!("{}@{label}", self.process(*proctype, pid.as_deref()))
            }
            Expr::Remote { proctype, pid, place } => {
                let frame = &self.system.proctype(*proctype).frame;
                format!("{}:{}", self.process(*proctype, pid.as_deref()), self.place(frame, place))
            }
        }
    }

    fn process(&self, proctype: ProctypeId, pid: Option<&Expr>) -> String {
        let name = &self.system.proctype(proctype).name;
        match pid {
            Some(pid) => format!("{name}[{}]", self.expr(pid)),
            None => name.clone(),
        }
    }

    /// In parentheses if it has an operator.
    fn operand(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary(..) => format!("({})", self.expr(expr)),
            _ => self.expr(expr),
        }
    }

    fn binary(&self, op: BinaryOp, a: &Expr, b: &Expr) -> String {
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
        };
        // A symbolic constant is known by what it is compared with.
        let beside = |expr: &Expr, other: &Expr| match (expr, other) {
            (Expr::Constant(value), Expr::Load(Place { scalar, .. })) => match scalar {
                Scalar::Mtype(_) => scalar_text(self.system, *scalar, *value),
                _ => value.to_string(),
            },
            _ => self.operand(expr),
        };
        format!("{} {sign} {}", beside(a, b), beside(b, a))
    }

    fn pattern(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Store(_) | Pattern::Ignore => "_".to_string(),
            Pattern::Match(value) => self.expr(value),
        }
    }

    fn place(&self, frame: &Frame, place: &Place) -> String {
        debug_assert!(place.scope == Scope::Global || !frame.variables.is_empty());
        let at = frame.variables.iter().rposition(|variable| variable.base <= place.base);
        let Some(variable) = at.map(|at| &frame.variables[at]) else { return "?".to_string() };
        let mut slot = variable.base;
        let mut name = variable.name.clone();
        variable.shape.for_each_slot(&variable.name, &mut |slot_name, _| {
            if slot == place.base {
                name = slot_name.to_string();
            }
            slot += 1;
        });
        // The indices of the slot are zeros where the expression has its own.
        for index in &place.indices {
            name = name.replacen("[0]", &format!("[{}]", self.expr(&index.value)), 1);
        }
        name
    }
}
