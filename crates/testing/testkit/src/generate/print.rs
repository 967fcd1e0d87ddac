//! Generated models as Promela text.
//!
//! Parentheses are written around every compound expression and separators between all statements, so that
//! precedence and semicolon insertion are never what a comparison is about.

use std::fmt::{self, Display, Formatter, Write};

use super::tree::*;

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.mtypes.is_empty() {
            writeln!(f, "mtype = {{ {} }};", self.mtypes.join(", "))?;
        }
        for typedef in &self.typedefs {
            let fields: Vec<_> = typedef.fields.iter().map(Decl::to_string).collect();
            writeln!(f, "typedef {} {{ {} }};", typedef.name, fields.join("; "))?;
        }
        for decl in &self.globals {
            writeln!(f, "{decl};")?;
        }
        for inline in &self.inlines {
            writeln!(f, "\ninline {}({}) {{", inline.name, inline.formals.join(", "))?;
            write_body(f, &inline.body, 1)?;
            writeln!(f, "}}")?;
        }
        self.proctypes.iter().try_for_each(|proctype| write!(f, "\n{proctype}"))?;
        self.ltl.iter().try_for_each(|ltl| write!(f, "\nltl {} {{ {} }}\n", ltl.name, ltl.formula))?;
        let Some(never) = &self.never else { return Ok(()) };
        writeln!(f, "\nnever {} {{", never.name)?;
        write_body(f, &never.body, 1)?;
        writeln!(f, "}}")
    }
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Atom(atom @ (Expr::Binary(..) | Expr::Unary(..))) => write!(f, "{atom}"),
            Formula::Atom(atom) => write!(f, "({atom})"),
            Formula::Unary(op, operand) => write!(f, "({} {operand})", op.symbol()),
            Formula::Binary(op, left, right) => write!(f, "({left} {} {right})", op.symbol()),
        }
    }
}

impl UnaryTemporal {
    fn symbol(self) -> &'static str {
        match self {
            UnaryTemporal::Not => "!",
            UnaryTemporal::Always => "[]",
            UnaryTemporal::Eventually => "<>",
        }
    }
}

impl BinaryTemporal {
    fn symbol(self) -> &'static str {
        match self {
            BinaryTemporal::And => "&&",
            BinaryTemporal::Or => "||",
            BinaryTemporal::Implies => "->",
            BinaryTemporal::Equivalent => "<->",
            BinaryTemporal::Until => "U",
            BinaryTemporal::WeakUntil => "W",
            BinaryTemporal::Release => "V",
        }
    }
}

impl Display for Proctype {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let keyword = if self.deterministic { "D_proctype" } else { "proctype" };
        match self.kind {
            ProctypeKind::Init => write!(f, "init")?,
            ProctypeKind::Active(1) => write!(f, "active {keyword} {}", self.name)?,
            ProctypeKind::Active(n) => write!(f, "active [{n}] {keyword} {}", self.name)?,
            ProctypeKind::Passive => write!(f, "{keyword} {}", self.name)?,
        }
        if self.kind != ProctypeKind::Init {
            write!(f, "({})", join(&self.params, "; "))?;
        }
        if let Some(priority) = self.priority {
            write!(f, " priority {priority}")?;
        }
        if let Some(provided) = &self.provided {
            write!(f, " provided ({provided})")?;
        }
        writeln!(f, " {{")?;
        for local in &self.locals {
            writeln!(f, "  {local};")?;
        }
        write_body(f, &self.body, 1)?;
        writeln!(f, "}}")
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Bit => "bit",
            Type::Bool => "bool",
            Type::Byte => "byte",
            Type::Short => "short",
            Type::Int => "int",
            Type::Unsigned(_) => "unsigned",
            Type::Mtype => "mtype",
            Type::Pid => "pid",
            Type::Chan => "chan",
            Type::Struct(name) => name,
        })
    }
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.name)?;
        if let Some(len) = self.len {
            write!(f, "[{len}]")?;
        }
        if let Type::Unsigned(width) = self.ty {
            write!(f, " : {width}")?;
        }
        match &self.init {
            None => Ok(()),
            Some(Init::Value(value)) => write!(f, " = {value}"),
            Some(Init::List(values)) => write!(f, " = {{ {} }}", join(values, ", ")),
            Some(Init::Channel { capacity, fields }) => {
                write!(f, " = [{capacity}] of {{ {} }}", join(fields, ", "))
            }
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", join(&self.segments, "."))
    }
}

impl Display for Segment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.index {
            None => write!(f, "{}", self.name),
            Some(index) => write!(f, "{}[{index}]", self.name),
        }
    }
}

impl Display for Index {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &*self.value {
            value if self.raw => write!(f, "{value}"),
            // An unsigned remainder, written so that it is one in Promela's signed arithmetic too.
            Expr::Const(value) => write!(f, "{}", value.rem_euclid(self.len as i32)),
            value => write!(f, "({value} & 63) % {}", self.len),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(value) if *value < 0 => write!(f, "({value})"),
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Mtype(name) => write!(f, "{name}"),
            Expr::Place(place) => write!(f, "{place}"),
            Expr::Pid => write!(f, "_pid"),
            Expr::NrPr => write!(f, "_nr_pr"),
            Expr::Last => write!(f, "_last"),
            Expr::Timeout => write!(f, "timeout"),
            Expr::At { proctype, label } => write!(f, "{proctype}@{label}"),
            Expr::Len(channel) => write!(f, "len({channel})"),
            Expr::Query(query, channel) => write!(f, "{}({channel})", query.name()),
            Expr::Poll { channel, random, patterns } => {
                write!(f, "{channel}{}[{}]", if *random { "??" } else { "?" }, join(patterns, ", "))
            }
            Expr::GetPriority(pid) => write!(f, "get_priority({pid})"),
            Expr::Unary(op, value) => write!(f, "({}{value})", op.symbol()),
            Expr::Binary(op, left, right) => write!(f, "({left} {} {right})", op.symbol()),
            Expr::Divide { remainder, value, by } => {
                write!(f, "({value} {} {})", if *remainder { '%' } else { '/' }, Expr::Const(*by))
            }
            Expr::Masked { value, mask } => write!(f, "({value} & {mask})"),
            Expr::Conditional(condition, yes, no) => write!(f, "({condition} -> {yes} : {no})"),
        }
    }
}

impl Query {
    fn name(self) -> &'static str {
        match self {
            Query::Empty => "empty",
            Query::Full => "full",
            Query::NotEmpty => "nempty",
            Query::NotFull => "nfull",
        }
    }
}

impl UnaryOp {
    fn symbol(self) -> char {
        match self {
            UnaryOp::Not => '!',
            UnaryOp::Negate => '-',
            UnaryOp::Complement => '~',
        }
    }
}

impl BinaryOp {
    fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Store(place) => write!(f, "{place}"),
            Pattern::Const(value) => write!(f, "{value}"),
            Pattern::Mtype(name) => write!(f, "{name}"),
            Pattern::Eval(value) => write!(f, "eval({value})"),
            Pattern::Ignore => write!(f, "_"),
        }
    }
}

impl Display for Send {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.channel, if self.sorted { "!!" } else { "!" })?;
        match self.args.split_first() {
            Some((tag, rest)) if self.tagged && !rest.is_empty() => write!(f, "{tag}({})", join(rest, ", ")),
            _ => write!(f, "{}", join(&self.args, ", ")),
        }
    }
}

impl Display for Receive {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operator = if self.random { "??" } else { "?" };
        let (open, close) = if self.copy { ("<", ">") } else { ("", "") };
        write!(f, "{}{operator}{open}{}{close}", self.channel, join(&self.patterns, ", "))
    }
}

fn write_body(f: &mut dyn Write, body: &[Stmt], depth: usize) -> fmt::Result {
    if body.is_empty() {
        return writeln!(f, "{}skip", indent(depth));
    }
    for (i, stmt) in body.iter().enumerate() {
        write!(f, "{}", indent(depth))?;
        write_stmt(f, stmt, depth)?;
        writeln!(f, "{}", if i + 1 < body.len() { ";" } else { "" })?;
    }
    Ok(())
}

fn write_stmt(f: &mut dyn Write, stmt: &Stmt, depth: usize) -> fmt::Result {
    match stmt {
        Stmt::Assign(place, value) => write!(f, "{place} = {value}"),
        Stmt::Increment(place) => write!(f, "{place}++"),
        Stmt::Decrement(place) => write!(f, "{place}--"),
        Stmt::Guard(guard @ (Expr::Binary(..) | Expr::Unary(..))) => write!(f, "{guard}"),
        Stmt::Guard(guard) => write!(f, "({guard})"),
        Stmt::Else => write!(f, "else"),
        Stmt::Skip => write!(f, "skip"),
        Stmt::Assert(condition) => write!(f, "assert({condition})"),
        Stmt::Print(args) => write_print(f, args),
        Stmt::SetPriority(pid, priority) => write!(f, "set_priority({pid}, {priority})"),
        Stmt::Send(send) => write!(f, "{send}"),
        Stmt::Receive(receive) => write!(f, "{receive}"),
        Stmt::Run { proctype, args, priority, pid } => {
            if let Some(pid) = pid {
                write!(f, "{pid} = ")?;
            }
            write!(f, "run {proctype}({})", join(args, ", "))?;
            priority.map_or(Ok(()), |priority| write!(f, " priority {priority}"))
        }
        Stmt::If(options) if options.is_empty() => write!(f, "skip"),
        Stmt::Do(options) if options.is_empty() => write!(f, "skip"),
        Stmt::If(options) => write_options(f, "if", options, "fi", depth),
        Stmt::Do(options) => write_options(f, "do", options, "od", depth),
        Stmt::For { counter, low, high, body } => {
            write_braced(f, &format!("for ({counter} : {low} .. {high}) "), body, depth)
        }
        Stmt::ForIn { counter, array, body } => {
            write_braced(f, &format!("for ({counter} in {array}) "), body, depth)
        }
        Stmt::Select { target, low, high } => write!(f, "select ({target} : {low} .. {high})"),
        Stmt::Atomic(body) => write_braced(f, "atomic ", body, depth),
        Stmt::DStep(body) if disturbs_rendezvous(body) => {
            write_braced(f, "d_step ", &[&[Stmt::Skip], &body[..]].concat(), depth)
        }
        Stmt::DStep(body) => write_braced(f, "d_step ", body, depth),
        Stmt::Block(body) => write_braced(f, "", body, depth),
        Stmt::Unless(main, escape) => {
            write_braced(f, "", main, depth)?;
            write_braced(f, " unless ", escape, depth)
        }
        Stmt::Call { inline, args } => write!(f, "{inline}({})", join(args, ", ")),
        Stmt::Declare(decl) => write!(f, "{decl}"),
        Stmt::Goto(label) => write!(f, "goto {label}"),
        Stmt::Break => write!(f, "break"),
        Stmt::Labelled(label, stmt) => {
            write!(f, "{label}: ")?;
            write_stmt(f, stmt, depth)
        }
    }
}

/// Whether pan takes a d_step with this body for the second half of any rendezvous.
fn disturbs_rendezvous(body: &[Stmt]) -> bool {
    matches!(body.first(), Some(Stmt::Assert(_) | Stmt::Print(_) | Stmt::Block(_) | Stmt::Call { .. }))
}

fn write_print(f: &mut dyn Write, args: &[Expr]) -> fmt::Result {
    write!(f, "printf(\"at{}\\n\"", " %d".repeat(args.len()))?;
    args.iter().try_for_each(|arg| write!(f, ", {arg}"))?;
    write!(f, ")")
}

fn write_options(
    f: &mut dyn Write,
    open: &str,
    options: &[Vec<Stmt>],
    close: &str,
    depth: usize,
) -> fmt::Result {
    writeln!(f, "{open}")?;
    for option in options {
        write!(f, "{}:: ", indent(depth))?;
        match option.split_first() {
            None => writeln!(f, "skip")?,
            Some((guard, rest)) => {
                write_stmt(f, guard, depth + 1)?;
                if rest.is_empty() {
                    writeln!(f)?;
                } else {
                    writeln!(f, " ->")?;
                    write_body(f, rest, depth + 2)?;
                }
            }
        }
    }
    write!(f, "{}{close}", indent(depth))
}

fn write_braced(f: &mut dyn Write, head: &str, body: &[Stmt], depth: usize) -> fmt::Result {
    writeln!(f, "{head}{{")?;
    write_body(f, body, depth + 1)?;
    write!(f, "{}}}", indent(depth))
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn join<T: Display>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}
