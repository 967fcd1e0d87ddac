//! Where a statement stands and what the body being generated can see.

use super::tree::{Decl, Type};

/// Where a statement stands, as far as that limits what it may be.
#[derive(Clone, Copy, Default, Debug)]
pub struct Context {
    pub depth: u32,
    /// Number of the innermost atomic sequence around; loops in it must end.
    pub atomic: Option<u32>,
    /// Nothing but the first statement may block, and nothing may loop for ever.
    pub d_step: bool,
    pub breakable: bool,
    /// The statement may be executed any number of times, so it must not keep counting.
    pub repeats: bool,
    /// The body of an inline; no labels, no calls.
    pub inline: bool,
    /// Directly between braces, in a scope of its own.
    pub block: bool,
}

impl Context {
    pub fn deeper(self) -> Context {
        Context { depth: self.depth + 1, block: false, ..self }
    }

    pub fn braced(self) -> Context {
        Context { block: true, ..self.deeper() }
    }
}

/// A variable, or a formal parameter of an inline, that holds a value other than a channel.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Type,
    pub len: Option<u32>,
    /// False for the counters of loops, which must end, and for read-only formals of inlines.
    pub writable: bool,
    pub global: bool,
    /// A formal parameter of an inline. What is passed for it may be part of an array, and must not index that array:
    /// pan evaluates the index of `a[a[0]] = 1` again when it backtracks.
    pub formal: bool,
}

/// A channel, an array of channels, or a variable that is known to hold a channel.
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    pub len: Option<u32>,
    /// Index into the plan's signatures.
    pub signature: usize,
    pub may_send: bool,
    pub may_receive: bool,
}

/// A send or receive that the plan expects of this proctype, so that the other side does not wait in vain.
#[derive(Clone, Debug)]
pub struct Duty {
    pub channel: Channel,
    pub send: bool,
}

#[derive(Default, Debug)]
pub struct Scope {
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub duties: Vec<Duty>,
    /// Index of the proctype in the plan; `None` in an inline.
    pub proctype: Option<usize>,
    /// How many instances of the proctype there may be.
    pub instances: u32,
    /// Declarations for the beginning of the body, gathered while the body is generated.
    pub locals: Vec<Decl>,
    /// Statements that may still be generated; a soft limit.
    pub budget: i32,
    /// Labels that gotos may name.
    pub labels: Vec<Label>,
    /// For unique names.
    pub names: u32,
    /// In an inline, whose variables share a scope with those of its callers.
    pub prefix: String,
    pub atomics: u32,
}

#[derive(Clone, Debug)]
pub struct Label {
    pub name: String,
    pub place: LabelPlace,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelPlace {
    Nowhere,
    /// Not in an atomic sequence.
    Free,
    /// In the atomic sequence of this number.
    Atomic(u32),
}

impl Scope {
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{}{prefix}{}", self.prefix, self.names - 1)
    }

    /// Declares a local variable at the beginning of the body.
    pub fn local(&mut self, decl: Decl, writable: bool) -> String {
        let name = decl.name.clone();
        self.variables.push(Variable::of(&decl, writable, false));
        self.locals.push(decl);
        name
    }
}

impl Variable {
    pub fn of(decl: &Decl, writable: bool, global: bool) -> Variable {
        Variable {
            name: decl.name.clone(),
            ty: decl.ty.clone(),
            len: decl.len,
            writable,
            global,
            formal: false,
        }
    }
}
