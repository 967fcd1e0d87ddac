//! Statements and expressions as one short line each, in the manner of Spin's reports.
//!
//! Every operation with two operands is in parentheses, a condition too: `x = (x+1)`, `(x==2)`. A statement with a
//! body is one word in capitals.

use std::fmt::Display;

use crate::ast::{
    BinaryOp, ChannelTest, Declaration, Expr, ExprKind, Initial, Name, Pattern, Place, StatementKind, UnaryOp,
};

pub fn statement(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Declaration(declaration) => initial_values(declaration),
        StatementKind::Exclusive { receive, channels } => {
            format!("{} {}", if *receive { "xr" } else { "xs" }, list(channels, place))
        }
        StatementKind::Expression(condition) => in_parentheses(condition),
        StatementKind::Assign { target, value } => format!("{} = {}", place(target), expr(value)),
        StatementKind::Increment(target) => format!("{0} = ({0}+1)", place(target)),
        StatementKind::Decrement(target) => format!("{0} = ({0}-1)", place(target)),
        StatementKind::Send { channel, sorted, arguments } => {
            format!("{}{}{}", place(channel), if *sorted { "!!" } else { "!" }, list(arguments, expr))
        }
        StatementKind::Receive { channel, random, keep, arguments } => {
            let (open, close) = if *keep { ("<", ">") } else { ("", "") };
            format!("{}{}{open}{}{close}", place(channel), query(*random), list(arguments, pattern))
        }
        StatementKind::If(_) => "IF".to_string(),
        StatementKind::Do(_) => "DO".to_string(),
        StatementKind::Else => "else".to_string(),
        StatementKind::Break => "break".to_string(),
        StatementKind::Goto(label) => format!("goto {}", label.text),
        StatementKind::Atomic(_) => "ATOMIC".to_string(),
        StatementKind::DStep(_) => "D_STEP".to_string(),
        StatementKind::Block(_) => "BLOCK".to_string(),
        StatementKind::Inline(call) => format!("{}(...)", call.name.text),
        StatementKind::Unless { .. } => "UNLESS".to_string(),
        StatementKind::ForRange { .. } | StatementKind::ForIn { .. } => "FOR".to_string(),
        StatementKind::Select { variable, from, to } => {
            format!("select({} : {} .. {})", place(variable), expr(from), expr(to))
        }
        StatementKind::Assert(condition) => format!("assert({})", expr(condition)),
        StatementKind::Printf { format, arguments, .. } => printf(format, arguments),
        StatementKind::Printm(value) => format!("printm({})", expr(value)),
        StatementKind::SetPriority { pid, priority } => {
            format!("set_priority({}, {})", expr(pid), expr(priority))
        }
        StatementKind::Return(value) => format!("return {}", expr(value)),
        StatementKind::EmbeddedC(code) => format!("{} {{...}}", code.keyword),
        StatementKind::Error => "?".to_string(),
    }
}

pub fn expr(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Constant(value) => value.to_string(),
        ExprKind::Place(variable) => place(variable),
        ExprKind::Unary(op, operand) => format!("{}{}", unary(*op), self::expr(operand)),
        ExprKind::Binary(op, left, right) => {
            format!("({}{}{})", self::expr(left), binary(*op), self::expr(right))
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            format!("({} -> {} : {})", self::expr(condition), self::expr(then), self::expr(otherwise))
        }
        ExprKind::Run { proctype, arguments, priority } => {
            let priority =
                priority.as_ref().map_or(String::new(), |e| format!(" priority {}", self::expr(e)));
            format!("run {}({}){priority}", proctype.text, list(arguments, self::expr))
        }
        ExprKind::Channel(test, channel) => format!("{}({})", channel_test(*test), place(channel)),
        ExprKind::Poll { channel, random, arguments } => {
            format!("{}{}[{}]", place(channel), query(*random), list(arguments, pattern))
        }
        ExprKind::Timeout => "timeout".to_string(),
        ExprKind::NonProgress => "np_".to_string(),
        ExprKind::Enabled(pid) => format!("enabled({})", self::expr(pid)),
        ExprKind::PcValue(pid) => format!("pc_value({})", self::expr(pid)),
        ExprKind::GetPriority(pid) => format!("get_priority({})", self::expr(pid)),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            format!("{}@{}", process(proctype, pid.as_deref()), label.text)
        }
        ExprKind::RemoteVariable { proctype, pid, variable } => {
            format!("{}:{}", process(proctype, pid.as_deref()), place(variable))
        }
        ExprKind::EmbeddedC(code) => format!("{} {{...}}", code.keyword),
        ExprKind::Error => "?".to_string(),
    }
}

pub(crate) fn place(place: &Place) -> String {
    let part = |part: &crate::ast::PlacePart| match &part.index {
        Some(index) => format!("{}[{}]", part.name.text, expr(index)),
        None => part.name.text.to_string(),
    };
    place.parts.iter().map(part).collect::<Vec<_>>().join(".")
}

pub(crate) fn pattern(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Place(variable) => place(variable),
        Pattern::Constant(constant) => expr(constant),
        Pattern::Eval(value) => format!("eval({})", expr(value)),
        Pattern::Ignore(_) => "_".to_string(),
    }
}

/// A condition always is in parentheses, but never in two pairs.
fn in_parentheses(condition: &Expr) -> String {
    match condition.kind {
        ExprKind::Binary(..) | ExprKind::Conditional(..) => expr(condition),
        _ => format!("({})", expr(condition)),
    }
}

/// What a declaration does when it is executed.
fn initial_values(declaration: &Declaration) -> String {
    let value = |initial: &Option<Initial>| match initial {
        None => "0".to_string(),
        Some(Initial::Value(value)) => expr(value),
        Some(Initial::List(values, _)) => format!("{{{}}}", list(values, expr)),
        Some(Initial::Channel { capacity, .. }) => format!("[{}] of {{...}}", expr(capacity)),
    };
    let assignments =
        declaration.variables.iter().map(|v| format!("{} = {}", v.name.text, value(&v.initial)));
    assignments.collect::<Vec<_>>().join("; ")
}

fn printf(format: &str, arguments: &[Expr]) -> String {
    let text = format.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(format);
    let mut line = format!("printf('{text}'");
    for argument in arguments {
        line += ",";
        line += &expr(argument);
    }
    line + ")"
}

fn process(proctype: &Name, pid: Option<&Expr>) -> String {
    match pid {
        Some(pid) => format!("{}[{}]", proctype.text, expr(pid)),
        None => proctype.text.to_string(),
    }
}

fn list<T, S: Display>(items: &[T], text: impl Fn(&T) -> S) -> String {
    items.iter().map(|item| text(item).to_string()).collect::<Vec<_>>().join(",")
}

fn query(random: bool) -> &'static str {
    if random { "??" } else { "?" }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
        UnaryOp::Always => "[] ",
        UnaryOp::Eventually => "<> ",
        UnaryOp::Next => "X ",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
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
        BinaryOp::Implies => " -> ",
        BinaryOp::Equivalent => " <-> ",
        BinaryOp::Until => " U ",
        BinaryOp::WeakUntil => " W ",
        BinaryOp::Release => " V ",
    }
}

fn channel_test(test: ChannelTest) -> &'static str {
    match test {
        ChannelTest::Len => "len",
        ChannelTest::Empty => "empty",
        ChannelTest::NotEmpty => "nempty",
        ChannelTest::Full => "full",
        ChannelTest::NotFull => "nfull",
    }
}
