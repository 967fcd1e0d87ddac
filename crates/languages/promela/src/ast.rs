//! The syntax tree of a model, after preprocessing and after inlines were put in place of their calls.
//!
//! It says what was written, not whether it makes sense: names are unresolved, types unchecked.

use std::sync::Arc;

use allways_source::Span;
use allways_system::Few;

pub use crate::token::{Expansion, ExpansionId, Expansions};

#[derive(Clone, Debug)]
pub struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Model {
    /// In textual order.
    pub units: Vec<Unit>,
    pub expansions: Expansions,
    /// Some expression looks at a label of another process (`P[i]@label`).
    pub looks_at_labels: bool,
}

// A model has few units: their size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug)]
pub enum Unit {
    Proctype(Proctype),
    Never(Claim),
    Trace(Trace),
    Ltl(Ltl),
    Typedef(Typedef),
    Mtype(Mtype),
    Variables(Declaration),
    EmbeddedC(EmbeddedC),
}

/// A `proctype`, a `D_proctype` or the `init` (which is called `init` and is active once).
#[derive(Clone, Debug)]
pub struct Proctype {
    pub name: Name,
    pub is_init: bool,
    /// `D_proctype`.
    pub deterministic: bool,
    pub active: Option<Active>,
    pub parameters: Vec<Declaration>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Active {
    /// The `N` of `active [N]`.
    pub count: Option<Expr>,
    pub span: Span,
}

/// A never claim.
#[derive(Clone, Debug)]
pub struct Claim {
    pub name: Option<Name>,
    pub body: Block,
    pub span: Span,
}

/// `trace` or `notrace`.
#[derive(Clone, Debug)]
pub struct Trace {
    pub forbidden: bool,
    pub name: Option<Name>,
    pub body: Block,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Ltl {
    pub name: Option<Name>,
    pub formula: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Name,
    pub fields: Vec<Declaration>,
    pub span: Span,
}

/// `mtype = { … }` or `mtype:set = { … }`.
#[derive(Clone, Debug)]
pub struct Mtype {
    pub set: Option<Name>,
    pub names: Vec<Name>,
    pub span: Span,
}

/// `c_code`, `c_decl`, `c_expr`, `c_state`, `c_track`: kept only to be refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbeddedC {
    pub keyword: Arc<str>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

#[derive(Clone, Debug)]
pub struct Declaration {
    pub visibility: Option<Visibility>,
    pub type_name: TypeName,
    pub variables: Vec<Variable>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Chan,
    /// `mtype` or `mtype:set`.
    Mtype(Option<Name>),
    /// A typedef.
    Named(Name),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    /// The `n` of `unsigned x : n`.
    pub width: Option<Expr>,
    /// The `n` of `x[n]`.
    pub length: Option<Expr>,
    pub initial: Option<Initial>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Initial {
    Value(Expr),
    /// `{ a, b, … }`
    List(Vec<Expr>, Span),
    /// `[capacity] of { fields }`
    Channel {
        capacity: Expr,
        fields: Vec<(TypeName, Span)>,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    /// In the order they are written: `a: b: x = 1`.
    pub labels: Few<Name>,
    pub kind: StatementKind,
    pub span: Span,
    /// The macro or inline the statement's first token came from.
    pub expansion: Option<ExpansionId>,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Declaration(Box<Declaration>),
    /// `xr c, d` (receive) or `xs c, d`.
    Exclusive {
        receive: bool,
        channels: Vec<Place>,
    },
    /// A condition; also `skip` (the constant 1) and a lone `run P()`.
    Expression(Expr),
    Assign {
        target: Place,
        value: Expr,
    },
    Increment(Place),
    Decrement(Place),
    Send {
        channel: Place,
        sorted: bool,
        arguments: Vec<Expr>,
    },
    Receive {
        channel: Place,
        random: bool,
        keep: bool,
        arguments: Vec<Pattern>,
    },
    If(Vec<Block>),
    Do(Vec<Block>),
    Else,
    Break,
    Goto(Name),
    Atomic(Block),
    DStep(Block),
    Block(Block),
    Inline(Box<InlineCall>),
    Unless {
        main: Box<Statement>,
        escape: Box<Statement>,
    },
    /// `for (variable : from .. to) { body }`
    ForRange {
        variable: Place,
        from: Box<Expr>,
        to: Box<Expr>,
        body: Box<Block>,
    },
    /// `for (variable in collection) { body }`: an array or a channel.
    ForIn {
        variable: Place,
        collection: Box<Place>,
        body: Box<Block>,
    },
    Select {
        variable: Place,
        from: Box<Expr>,
        to: Box<Expr>,
    },
    Assert(Expr),
    /// `format` is as written, with its quotes.
    Printf {
        format: Arc<str>,
        format_span: Span,
        arguments: Vec<Expr>,
    },
    Printm(Expr),
    SetPriority {
        pid: Box<Expr>,
        priority: Box<Expr>,
    },
    /// Only inside an inline that was called as `x = name(…)`.
    Return(Expr),
    EmbeddedC(EmbeddedC),
    /// What stands here could not be parsed; an error was reported.
    Error,
}

/// A call `name(…)` or `result = name(…)`, with the body after substitution.
#[derive(Clone, Debug)]
pub struct InlineCall {
    pub name: Name,
    pub result: Option<Place>,
    pub body: Block,
    pub id: ExpansionId,
}

/// One argument of a receive.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A variable that takes the value; a name of an mtype (a constant) looks the same.
    Place(Place),
    /// A constant, possibly negated.
    Constant(Expr),
    /// `eval(e)`
    Eval(Expr),
    /// `_`
    Ignore(Span),
}

/// A variable, an element, a field: `a.b[i].c`.
#[derive(Clone, Debug)]
pub struct Place {
    /// Never empty.
    pub parts: Vec<PlacePart>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct PlacePart {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, `true`, `false`, `skip` or a character. Numbers too large for an `i64` are clamped to it.
    Constant(i64),
    /// A variable, an mtype name, or a predefined name such as `_pid`.
    Place(Place),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(condition -> then : otherwise)`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Box<Name>,
        arguments: Box<[Expr]>,
        priority: Option<Box<Expr>>,
    },
    Channel(ChannelTest, Box<Place>),
    /// `c?[…]` or `c??[…]`
    Poll {
        channel: Box<Place>,
        random: bool,
        arguments: Box<[Pattern]>,
    },
    Timeout,
    /// `np_`
    NonProgress,
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    /// `P[pid]@label` or `P@label`
    RemoteLabel {
        proctype: Box<Name>,
        pid: Option<Box<Expr>>,
        label: Box<Name>,
    },
    /// `P[pid]:variable` or `P:variable`
    RemoteVariable {
        proctype: Box<Name>,
        pid: Option<Box<Expr>>,
        variable: Box<Place>,
    },
    EmbeddedC(EmbeddedC),
    /// An error was reported.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Negate,
    Not,
    Complement,
    // In formulas only:
    Always,
    Eventually,
    Next,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
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
    // In formulas only:
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelTest {
    Len,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model of 200,000 statements is to need at most 100 MB: every word here costs it 1.6 MB.
    #[test]
    fn statements_are_small() {
        assert_eq!(size_of::<Expr>(), 56);
        assert_eq!(size_of::<Statement>(), 128);
    }
}
