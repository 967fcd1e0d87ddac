//! The tree of a generated model: a small subset of Promela's syntax, made so that it can be shrunk.
//!
//! Three shapes keep a shrunk model as well defined as the original, because pan has no defined behaviour for
//! the alternative: a divisor is a literal, never an expression; an array index knows the array's length and is
//! reduced modulo that length when printed; a value that must be small keeps its mask.

use crate::spin::Semantics;

#[derive(Clone, Debug)]
pub struct Model {
    pub semantics: Semantics,
    pub mtypes: Vec<String>,
    pub typedefs: Vec<Typedef>,
    pub globals: Vec<Decl>,
    pub inlines: Vec<Inline>,
    /// In textual order, which fixes the pids of the initial processes.
    pub proctypes: Vec<Proctype>,
    pub ltl: Vec<Ltl>,
    pub never: Option<Never>,
}

/// `ltl name { formula }`
#[derive(Clone, Debug)]
pub struct Ltl {
    pub name: String,
    pub formula: Formula,
}

/// A never claim with a name.
#[derive(Clone, Debug)]
pub struct Never {
    pub name: String,
    pub body: Vec<Stmt>,
}

/// A formula of linear temporal logic. There is no `X`: Spin is usually built without it.
#[derive(Clone, Debug)]
pub enum Formula {
    Atom(Expr),
    Unary(UnaryTemporal, Box<Formula>),
    Binary(BinaryTemporal, Box<Formula>, Box<Formula>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryTemporal {
    Not,
    Always,
    Eventually,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryTemporal {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: String,
    pub fields: Vec<Decl>,
}

#[derive(Clone, Debug)]
pub struct Inline {
    pub name: String,
    pub formals: Vec<String>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub struct Proctype {
    pub name: String,
    pub kind: ProctypeKind,
    pub params: Vec<Decl>,
    pub priority: Option<u8>,
    pub provided: Option<Expr>,
    /// `D_proctype`: pan reports an error where two options are executable.
    pub deterministic: bool,
    pub locals: Vec<Decl>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProctypeKind {
    Init,
    /// This many instances exist from the start.
    Active(u32),
    /// Instances come from `run` only.
    Passive,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(u8),
    Mtype,
    Pid,
    Chan,
    Struct(String),
}

#[derive(Clone, Debug)]
pub struct Decl {
    pub name: String,
    pub ty: Type,
    pub len: Option<u32>,
    pub init: Option<Init>,
}

#[derive(Clone, Debug)]
pub enum Init {
    Value(Expr),
    List(Vec<i32>),
    Channel { capacity: u32, fields: Vec<Type> },
}

/// Something that can be assigned: `v`, `a[i]`, `s.f`, `t[i].f`.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Never empty.
    pub segments: Vec<Segment>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    pub name: String,
    pub index: Option<Index>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    pub len: u32,
    pub value: Box<Expr>,
    /// Print the index as it stands, in or out of range.
    pub raw: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Const(i32),
    /// The name of an mtype constant.
    Mtype(String),
    Place(Place),
    Pid,
    NrPr,
    Last,
    Timeout,
    /// `proctype@label`: whether the process is there. For formulas and claims.
    At {
        proctype: String,
        label: String,
    },
    Len(Place),
    /// `empty`, `full`, `nempty`, `nfull`; only `&&` and `||` may stand around it.
    Query(Query, Place),
    Poll {
        channel: Place,
        random: bool,
        patterns: Vec<Pattern>,
    },
    GetPriority(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Division or remainder by a literal that is not zero.
    Divide {
        remainder: bool,
        value: Box<Expr>,
        by: i32,
    },
    /// The bits of a value that are in a mask; the mask is odd, so that 0 and 1 are among the results.
    Masked {
        value: Box<Expr>,
        mask: i32,
    },
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    Empty,
    Full,
    NotEmpty,
    NotFull,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Not,
    Negate,
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// An argument of a receive or a poll.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    Store(Place),
    Const(i32),
    Mtype(String),
    Eval(Expr),
    Ignore,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Assign(Place, Expr),
    Increment(Place),
    Decrement(Place),
    Guard(Expr),
    Else,
    Skip,
    Assert(Expr),
    Print(Vec<Expr>),
    SetPriority(Expr, Expr),
    Send(Send),
    Receive(Receive),
    Run { proctype: String, args: Vec<Expr>, priority: Option<u8>, pid: Option<Place> },
    If(Vec<Vec<Stmt>>),
    Do(Vec<Vec<Stmt>>),
    For { counter: Place, low: Expr, high: Expr, body: Vec<Stmt> },
    ForIn { counter: Place, array: Place, body: Vec<Stmt> },
    Select { target: Place, low: Expr, high: Expr },
    Atomic(Vec<Stmt>),
    DStep(Vec<Stmt>),
    Block(Vec<Stmt>),
    Unless(Vec<Stmt>, Vec<Stmt>),
    Call { inline: String, args: Vec<Expr> },
    Declare(Decl),
    Goto(String),
    Break,
    Labelled(String, Box<Stmt>),
}

#[derive(Clone, Debug)]
pub struct Send {
    pub channel: Place,
    pub sorted: bool,
    pub args: Vec<Expr>,
    /// Write `c!a(b)` instead of `c!a,b`.
    pub tagged: bool,
}

#[derive(Clone, Debug)]
pub struct Receive {
    pub channel: Place,
    pub random: bool,
    /// `c?<…>`: leave the message in the channel.
    pub copy: bool,
    pub patterns: Vec<Pattern>,
}

impl Decl {
    pub fn scalar(name: impl Into<String>, ty: Type) -> Decl {
        Decl { name: name.into(), ty, len: None, init: None }
    }
}

impl Place {
    pub fn variable(name: impl Into<String>) -> Place {
        Place { segments: vec![Segment { name: name.into(), index: None }] }
    }

    /// Element `value` (modulo `len`) of the array `name`.
    pub fn element(name: impl Into<String>, len: u32, value: Expr) -> Place {
        let index = Index { len, value: Box::new(value), raw: false };
        Place { segments: vec![Segment { name: name.into(), index: Some(index) }] }
    }

    pub fn field(mut self, segment: Segment) -> Place {
        self.segments.push(segment);
        self
    }
}

impl Expr {
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn negated(self) -> Expr {
        Expr::Unary(UnaryOp::Not, Box::new(self))
    }

    pub fn masked(self, mask: i32) -> Expr {
        Expr::Masked { value: Box::new(self), mask }
    }

    pub fn remainder(self, by: i32) -> Expr {
        assert_ne!(by, 0);
        Expr::Divide { remainder: true, value: Box::new(self), by }
    }
}

impl Formula {
    pub fn unary(op: UnaryTemporal, operand: Formula) -> Formula {
        Formula::Unary(op, Box::new(operand))
    }

    pub fn binary(op: BinaryTemporal, left: Formula, right: Formula) -> Formula {
        Formula::Binary(op, Box::new(left), Box::new(right))
    }
}

impl Stmt {
    /// Whether control may leave the statement by the end of a loop.
    pub fn ends_with_loop(&self) -> bool {
        let ends = |body: &[Stmt]| body.last().is_some_and(Stmt::ends_with_loop);
        match self {
            Stmt::Do(_) | Stmt::For { .. } | Stmt::ForIn { .. } | Stmt::Select { .. } => true,
            // Its body is not at hand.
            Stmt::Call { .. } => true,
            Stmt::If(options) => options.iter().any(|option| ends(option)),
            Stmt::Atomic(body) | Stmt::Block(body) => ends(body),
            Stmt::Unless(main, escape) => ends(main) || ends(escape),
            Stmt::Labelled(_, stmt) => stmt.ends_with_loop(),
            _ => false,
        }
    }

    /// Whether a d_step is what control meets first.
    pub fn starts_with_d_step(&self) -> bool {
        match self {
            Stmt::DStep(_) => true,
            Stmt::Atomic(body) | Stmt::Block(body) | Stmt::Unless(body, _) => {
                body.first().is_some_and(Stmt::starts_with_d_step)
            }
            Stmt::Labelled(_, stmt) => stmt.starts_with_d_step(),
            _ => false,
        }
    }

    /// Whether an `else` is among the first steps. Where choices nest, pan accepts only one.
    pub fn starts_with_else(&self) -> bool {
        let starts = |body: &[Stmt]| body.first().is_some_and(Stmt::starts_with_else);
        match self {
            Stmt::Else => true,
            Stmt::If(options) | Stmt::Do(options) => options.iter().any(|option| starts(option)),
            Stmt::Atomic(body) | Stmt::DStep(body) | Stmt::Block(body) | Stmt::Unless(body, _) => {
                starts(body)
            }
            Stmt::Labelled(_, stmt) => stmt.starts_with_else(),
            _ => false,
        }
    }
}
