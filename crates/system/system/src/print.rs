//! The text form of a system: complete, one line per thing, and read back by [`crate::parse::parse`].
//!
//! ```text
//! system priorities
//! mtype M0 {req ack}
//! channel C0 q[4] {M0 byte} @0:0..9
//! g0 q: chan = C0 @0:0..9
//! g1 a: [4]struct point {x: int, y: u5} @0:12..30
//!
//! proctype P0 main parameters 1 initial L0 @0:31..99
//!   l0 n: byte @0:40..46
//!   L0 end "again" @0:50..60: [t1] [t0]
//!   L1:
//!   t0 L0 -> L1 atomic reset l0 "a[n].x = 1" @0:50..60: assign g1[l0:byte; stride 2; bound 4]:int := 1
//!   t1 L0 -> L0 "q!req" @0:61..66 via @0:70..75: send g0:chan (1, 0)
//!
//! process P0 priority 1
//!
//! formula p "[] (x < 3)" @0:80..90: []{(g1:int < 3)}
//! ```
//!
//! Ids carry their kind as a letter: `M` set of names, `C` kind of channel, `P` proctype, `L` location, `t` transition,
//! `g` global slot, `l` local slot. A span is `@file:start..end`. The locations in front of a transition's arrow are
//! those that list it; they are there for the reader, and `parse` only checks them. Expressions have parentheses
//! around every binary operator, so there is no precedence to know. A name that is not an identifier is quoted, as
//! a Rust string is.

use std::fmt::{self, Display, Formatter};

use allways_source::Span;

use crate::*;

/// The text form of a system.
pub fn print(system: &System) -> String {
    Show(system).to_string()
}

/// The text form of a part.
pub(crate) struct Show<'a, T>(pub &'a T);

/// The text forms of several parts, with something between them.
struct Separated<'a, T>(&'a [T], &'static str);

/// An identifier as it is, anything else in quotes.
struct Name<'a>(&'a str);

/// The types that are a single word.
pub(crate) const SCALARS: [(Scalar, &str); 7] = [
    (Scalar::Bit, "bit"),
    (Scalar::Bool, "bool"),
    (Scalar::Byte, "byte"),
    (Scalar::Pid, "pid"),
    (Scalar::Short, "short"),
    (Scalar::Int, "int"),
    (Scalar::Chan, "chan"),
];

/// How the operators with one operand are written.
pub(crate) const UNARY_OPS: [(UnaryOp, &str); 3] =
    [(UnaryOp::Negate, "-"), (UnaryOp::Not, "!"), (UnaryOp::Complement, "~")];

/// How the operators with two operands are written.
pub(crate) const BINARY_OPS: [(BinaryOp, &str); 18] = [
    (BinaryOp::Add, "+"),
    (BinaryOp::Subtract, "-"),
    (BinaryOp::Multiply, "*"),
    (BinaryOp::Divide, "/"),
    (BinaryOp::Remainder, "%"),
    (BinaryOp::ShiftLeft, "<<"),
    (BinaryOp::ShiftRight, ">>"),
    (BinaryOp::BitAnd, "&"),
    (BinaryOp::BitOr, "|"),
    (BinaryOp::BitXor, "^"),
    (BinaryOp::And, "&&"),
    (BinaryOp::Or, "||"),
    (BinaryOp::Equal, "=="),
    (BinaryOp::NotEqual, "!="),
    (BinaryOp::Less, "<"),
    (BinaryOp::LessEqual, "<="),
    (BinaryOp::Greater, ">"),
    (BinaryOp::GreaterEqual, ">="),
];

/// How the questions about channels are written.
pub(crate) const CHANNEL_TESTS: [(ChannelTest, &str); 5] = [
    (ChannelTest::Len, "len"),
    (ChannelTest::Empty, "empty"),
    (ChannelTest::NotEmpty, "nempty"),
    (ChannelTest::Full, "full"),
    (ChannelTest::NotFull, "nfull"),
];

/// The word that a table gives to a value.
fn word<T: PartialEq + Copy>(table: &[(T, &'static str)], value: T) -> &'static str {
    table.iter().find(|(key, _)| *key == value).map_or("?", |(_, word)| word)
}

impl Display for Show<'_, System> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let system = self.0;
        write!(f, "system")?;
        flag(f, system.priorities, " priorities")?;
        flag(f, system.tracks_last, " tracks_last")?;
        writeln!(f)?;
        for (i, mtype) in system.mtypes.iter().enumerate() {
            write!(f, "mtype M{i} ")?;
            if let Some(name) = &mtype.name {
                write!(f, "{} ", Name(name))?;
            }
            writeln!(f, "{{{}}}", Separated(&mtype.names, " "))?;
        }
        for (i, kind) in system.channels.iter().enumerate() {
            let fields = Separated(&kind.fields, " ");
            let name = Name(&kind.name);
            writeln!(f, "channel C{i} {name}[{}] {{{fields}}} {}", kind.capacity, Show(&kind.span))?;
        }
        for variable in &system.globals.variables {
            write_variable(f, 'g', variable)?;
        }
        for (i, proctype) in system.proctypes.iter().enumerate() {
            write!(f, "\nproctype P{i} ")?;
            write_proctype(f, proctype)?;
        }
        if !system.processes.is_empty() {
            writeln!(f)?;
        }
        for process in &system.processes {
            writeln!(f, "process {} priority {}", Show(&process.proctype), process.priority)?;
        }
        for claim in &system.claims {
            write!(f, "\nclaim ")?;
            write_proctype(f, &claim.automaton)?;
        }
        if !system.formulas.is_empty() {
            writeln!(f)?;
        }
        for NamedFormula { name, formula, text, span } in &system.formulas {
            writeln!(f, "formula {} {text:?} {}: {}", Name(name), Show(span), Show(formula))?;
        }
        for trace in &system.traces {
            write!(f, "\n{} ", if trace.forbidden { "notrace" } else { "trace" })?;
            write_proctype(f, &trace.automaton)?;
        }
        Ok(())
    }
}

fn flag(f: &mut Formatter<'_>, is_set: bool, word: &str) -> fmt::Result {
    if is_set { f.write_str(word) } else { Ok(()) }
}

fn write_variable(f: &mut Formatter<'_>, scope: char, variable: &Variable) -> fmt::Result {
    write!(f, "{scope}{} {}: {}", variable.base, Name(&variable.name), Show(&variable.shape))?;
    flag(f, variable.hidden, " hidden")?;
    if !variable.initial.is_empty() {
        write!(f, " = {}", Separated(&variable.initial, " "))?;
    }
    writeln!(f, " {}", Show(&variable.span))
}

/// What follows the word that says what it is.
fn write_proctype(f: &mut Formatter<'_>, proctype: &Proctype) -> fmt::Result {
    write!(f, "{}", Name(&proctype.name))?;
    if proctype.parameters != 0 {
        write!(f, " parameters {}", proctype.parameters)?;
    }
    write!(f, " initial {}", Show(&proctype.initial))?;
    flag(f, proctype.deterministic, " deterministic")?;
    writeln!(f, " {}", Show(&proctype.span))?;
    for variable in &proctype.frame.variables {
        write!(f, "  ")?;
        write_variable(f, 'l', variable)?;
    }
    for start in &proctype.start {
        match start {
            Start::Assign(place, value) => writeln!(f, "  start {} := {}", Show(place), Show(value))?,
            Start::Channel(slot, kind) => writeln!(f, "  start l{slot} := new {}", Show(kind))?,
        }
    }
    if let Some(provided) = &proctype.provided {
        writeln!(f, "  provided {}", Show(provided))?;
    }
    for Exclusive { receive, channel, span } in &proctype.exclusive {
        let what = if *receive { "xr" } else { "xs" };
        writeln!(f, "  {what} {} {}", Show(channel), Show(span))?;
    }
    for (i, location) in proctype.locations.iter().enumerate() {
        writeln!(f, "  L{i}{}", Show(location))?;
    }
    for (i, (transition, sources)) in proctype.transitions.iter().zip(sources(proctype)).enumerate() {
        write!(f, "  t{i} ")?;
        for source in sources {
            write!(f, "{} ", Show(&source))?;
        }
        writeln!(f, "{}", Show(transition))?;
    }
    Ok(())
}

/// For each transition the locations that list it, in order.
pub(crate) fn sources(proctype: &Proctype) -> Vec<Vec<LocationId>> {
    let mut sources = vec![Vec::new(); proctype.transitions.len()];
    for (i, location) in proctype.locations.iter().enumerate() {
        let id = LocationId(i as u32);
        for transition in location.groups.iter().flatten() {
            if let Some(list) = sources.get_mut(transition.index())
                && list.last() != Some(&id)
            {
                list.push(id);
            }
        }
    }
    sources
}

impl Display for Show<'_, Location> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let location = self.0;
        flag(f, location.is_end, " end")?;
        flag(f, location.is_progress, " progress")?;
        flag(f, location.is_accept, " accept")?;
        for label in &location.labels {
            write!(f, " {label:?}")?;
        }
        if let Some(span) = &location.span {
            write!(f, " {}", Show(span))?;
        }
        write!(f, ":")?;
        for group in &location.groups {
            write!(f, " [{}]", Separated(group, " "))?;
        }
        Ok(())
    }
}

impl Display for Show<'_, Transition> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Transition { action, target, atomic, resets, text, span, calls } = self.0;
        write!(f, "-> {}", Show(target))?;
        flag(f, *atomic, " atomic")?;
        flag(f, !resets.is_empty(), " reset")?;
        for slot in resets {
            write!(f, " l{slot}")?;
        }
        write!(f, " {text:?} {}", Show(span))?;
        if !calls.is_empty() {
            write!(f, " via {}", Separated(calls, " "))?;
        }
        write!(f, ": {}", Show(action))
    }
}

impl Display for Show<'_, Action> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Action::Skip => f.write_str("skip"),
            Action::Condition(condition) => write!(f, "when {}", Show(condition)),
            Action::Else => f.write_str("else"),
            Action::Assign(place, value) => write!(f, "assign {} := {}", Show(place), Show(value)),
            Action::AssignAll(pairs) => write!(f, "assign_all {{{}}}", Separated(pairs, ", ")),
            Action::Send { channel, sorted, values } => {
                let sorted = if *sorted { "sorted " } else { "" };
                write!(f, "send {sorted}{} ({})", Show(channel), Separated(values, ", "))
            }
            Action::Receive { channel, random, keep, patterns } => {
                let random = if *random { "random " } else { "" };
                let keep = if *keep { "keep " } else { "" };
                write!(f, "receive {random}{keep}{} ({})", Show(channel), Separated(patterns, ", "))
            }
            Action::Assert(condition) => write!(f, "assert {}", Show(condition)),
            Action::Run { proctype, arguments, priority, result } => {
                write!(f, "run {}({})", Show(proctype), Separated(arguments, ", "))?;
                if let Some(priority) = priority {
                    write!(f, " priority {}", Show(&**priority))?;
                }
                if let Some(result) = result {
                    write!(f, " into {}", Show(&**result))?;
                }
                Ok(())
            }
            Action::Print { format, arguments } => {
                f.write_str("print ")?;
                for piece in format {
                    write!(f, "{} ", Show(piece))?;
                }
                write!(f, "({})", Separated(arguments, ", "))
            }
            Action::SetPriority { pid, priority } => {
                write!(f, "set_priority {} := {}", Show(&**pid), Show(&**priority))
            }
            Action::DStep { entry, exit } => write!(f, "d_step {} .. {}", Show(entry), Show(exit)),
            Action::Terminate => f.write_str("terminate"),
        }
    }
}

impl Display for Show<'_, Expr> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Expr::Constant(value) => write!(f, "{value}"),
            Expr::Load(place) => write!(f, "{}", Show(place)),
            Expr::Unary(op, operand) => {
                let op_word = word(&UNARY_OPS, *op);
                // Without parentheses it would be a negative constant.
                if *op == UnaryOp::Negate && matches!(**operand, Expr::Constant(0..)) {
                    write!(f, "{op_word}({})", Show(&**operand))
                } else {
                    write!(f, "{op_word}{}", Show(&**operand))
                }
            }
            Expr::Binary(op, operands) => {
                write!(f, "({} {} {})", Show(&operands.0), word(&BINARY_OPS, *op), Show(&operands.1))
            }
            Expr::Conditional(parts) => {
                write!(f, "({} ? {} : {})", Show(&parts.0), Show(&parts.1), Show(&parts.2))
            }
            Expr::Channel(test, channel) => {
                write!(f, "{}({})", word(&CHANNEL_TESTS, *test), Show(&**channel))
            }
            Expr::Poll { channel, random, patterns } => {
                let random = if *random { "random " } else { "" };
                write!(f, "poll {random}{} ({})", Show(&**channel), Separated(patterns, ", "))
            }
            Expr::Timeout => f.write_str("timeout"),
            Expr::NonProgress => f.write_str("np_"),
            Expr::Accepting => f.write_str("accepting_"),
            Expr::Enabled(pid) => write!(f, "enabled({})", Show(&**pid)),
            Expr::PcValue(pid) => write!(f, "pc_value({})", Show(&**pid)),
            Expr::Priority(pid) => write!(f, "get_priority({})", Show(&**pid)),
            Expr::Pid => f.write_str("_pid"),
            Expr::ProcessCount => f.write_str("_nr_pr"),
            Expr::Last => f.write_str("_last"),
            Expr::At { proctype, pid, location } => {
                write!(f, "{}{}@{}", Show(proctype), Instance(pid), Show(location))
            }
            Expr::Remote { proctype, pid, place } => {
                write!(f, "{}{}:{}", Show(proctype), Instance(pid), Show(&**place))
            }
        }
    }
}

/// The `[pid]` of a reference to another process.
struct Instance<'a>(&'a Option<Box<Expr>>);

impl Display for Instance<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(pid) => write!(f, "[{}]", Show(&**pid)),
            None => Ok(()),
        }
    }
}

impl Display for Show<'_, Place> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Place { scope, base, indices, scalar } = self.0;
        match scope {
            Scope::Global => write!(f, "g{base}")?,
            Scope::Local => write!(f, "l{base}")?,
        }
        for Index { value, stride, bound } in indices {
            write!(f, "[{}; stride {stride}; bound {bound}]", Show(value))?;
        }
        write!(f, ":{}", Show(scalar))
    }
}

impl Display for Show<'_, Pattern> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Pattern::Store(place) => write!(f, "store {}", Show(place)),
            Pattern::Match(value) => write!(f, "{}", Show(value)),
            Pattern::Ignore => f.write_str("_"),
        }
    }
}

impl Display for Show<'_, (Place, Expr)> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} := {}", Show(&self.0.0), Show(&self.0.1))
    }
}

impl Display for Show<'_, Formula> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (operator, operands) = match self.0 {
            Formula::Now(condition) => return write!(f, "{{{}}}", Show(condition)),
            Formula::Not(operand) => return write!(f, "!{}", Show(&**operand)),
            Formula::Always(operand) => return write!(f, "[]{}", Show(&**operand)),
            Formula::Eventually(operand) => return write!(f, "<>{}", Show(&**operand)),
            Formula::Next(operand) => return write!(f, "X {}", Show(&**operand)),
            Formula::And(operands) => ("&&", operands),
            Formula::Or(operands) => ("||", operands),
            Formula::Implies(operands) => ("->", operands),
            Formula::Equivalent(operands) => ("<->", operands),
            Formula::Until(operands) => ("U", operands),
            Formula::WeakUntil(operands) => ("W", operands),
            Formula::Release(operands) => ("V", operands),
        };
        write!(f, "({} {operator} {})", Show(&operands.0), Show(&operands.1))
    }
}

impl Display for Show<'_, Shape> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Shape::Scalar(scalar) => write!(f, "{}", Show(scalar)),
            Shape::Array(element, length) => write!(f, "[{length}]{}", Show(&**element)),
            Shape::Record { name, fields } => {
                write!(f, "struct {} {{{}}}", Name(name), Separated(fields, ", "))
            }
        }
    }
}

impl Display for Show<'_, (String, Shape)> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Name(&self.0.0), Show(&self.0.1))
    }
}

impl Display for Show<'_, Scalar> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Scalar::Unsigned(bits) => write!(f, "u{bits}"),
            Scalar::Mtype(set) => write!(f, "{}", Show(set)),
            scalar => f.write_str(word(&SCALARS, *scalar)),
        }
    }
}

impl Display for Show<'_, Initial> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Initial::Value(value) => write!(f, "{value}"),
            Initial::Channel(kind) => write!(f, "{}", Show(kind)),
        }
    }
}

impl Display for Show<'_, Print> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Print::Text(text) => write!(f, "{text:?}"),
            Print::Decimal => f.write_str("%d"),
            Print::Unsigned => f.write_str("%u"),
            Print::Hexadecimal => f.write_str("%x"),
            Print::Octal => f.write_str("%o"),
            Print::Character => f.write_str("%c"),
            Print::Symbol(set) => write!(f, "%e:{}", Show(set)),
        }
    }
}

macro_rules! show_ids {
    ($($letter:literal $id:ident)*) => {$(
        impl Display for Show<'_, $id> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0.0)
            }
        }
    )*};
}

show_ids! { "P" ProctypeId "C" ChannelKindId "M" MtypeId "L" LocationId "t" TransitionId }

impl Display for Show<'_, Span> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}:{}..{}", self.0.file.0, self.0.start, self.0.end)
    }
}

impl Display for Show<'_, String> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Name(self.0))
    }
}

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_identifier = self.0.chars().all(is_word) && self.0.starts_with(|c: char| !c.is_ascii_digit());
        if is_identifier { f.write_str(self.0) } else { write!(f, "{:?}", self.0) }
    }
}

impl<'a, T> Display for Separated<'a, T>
where
    Show<'a, T>: Display,
{
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(self.1)?;
            }
            write!(f, "{}", Show(item))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use allways_source::FileId;
    use expect_test::expect;

    use super::*;

    /// `verify/sample.txt` shows the rest.
    #[test]
    fn looks_like_this() {
        let span = Span::new(FileId(0), 1, 2);
        let mut system = System { priorities: true, ..System::default() };
        system.mtypes.push(Mtype { name: None, names: vec!["req".to_owned(), "end of \"it\"\n".to_owned()] });
        system.mtypes.push(Mtype { name: Some("fruit".to_owned()), names: Vec::new() });
        let point = [("x".to_owned(), Shape::Scalar(Scalar::Int))];
        let record = Shape::Record { name: "point".into(), fields: point.into() };
        system.globals.push("a", Shape::Array(std::sync::Arc::new(record), 4), span);
        system.globals.push("∀", Shape::Scalar(Scalar::Mtype(MtypeId(1))), span);
        let one = Expr::Unary(UnaryOp::Negate, Box::new(Expr::Constant(1)));
        let index = Index { value: one, stride: 1, bound: 4 };
        let place = Place { scope: Scope::Global, base: 0, indices: vec![index].into(), scalar: Scalar::Int };
        let value =
            Expr::Binary(BinaryOp::Subtract, Box::new((Expr::Load(place.clone()), Expr::Constant(i32::MIN))));
        let transition = |action, target| Transition {
            action,
            target: LocationId(target),
            atomic: target == 1,
            resets: Default::default(),
            text: "x = \"1\"".into(),
            span,
            calls: vec![span; target as usize].into(),
        };
        system.proctypes.push(Proctype {
            name: "main".to_owned(),
            frame: Frame::default(),
            parameters: 0,
            start: Vec::new(),
            initial: LocationId(0),
            locations: vec![
                Location {
                    groups: vec![vec![TransitionId(0)], vec![TransitionId(1), TransitionId(2)]].into(),
                    labels: vec!["again".to_owned()],
                    is_end: true,
                    ..Location::default()
                },
                Location { groups: vec![vec![TransitionId(2)]].into(), ..Location::default() },
            ]
            .into(),
            transitions: vec![
                transition(Action::Assign(place, value), 1),
                transition(Action::Else, 2),
                transition(Action::Skip, 0),
                transition(Action::Terminate, 0),
            ]
            .into(),
            provided: None,
            deterministic: false,
            exclusive: Vec::new(),
            span,
        });
        system.processes.push(InitialProcess { proctype: ProctypeId(0), priority: 1 });
        expect![[r#"
            system priorities
            mtype M0 {req "end of \"it\"\n"}
            mtype M1 fruit {}
            g0 a: [4]struct point {x: int} @0:1..2
            g4 "∀": M1 @0:1..2

            proctype P0 main initial L0 @0:1..2
              L0 end "again": [t0] [t1 t2]
              L1: [t2]
              t0 L0 -> L1 atomic "x = \"1\"" @0:1..2 via @0:1..2: assign g0[-(1); stride 1; bound 4]:int := (g0[-(1); stride 1; bound 4]:int - -2147483648)
              t1 L0 -> L2 "x = \"1\"" @0:1..2 via @0:1..2 @0:1..2: else
              t2 L0 L1 -> L0 "x = \"1\"" @0:1..2: skip
              t3 -> L0 "x = \"1\"" @0:1..2: terminate

            process P0 priority 1
        "#]]
        .assert_eq(&print(&system));
    }
}
