//! Names and what they stand for.

use std::collections::HashMap;
use std::sync::Arc;

use allways_source::Span;
use allways_system::{ChannelKindId, MtypeId, ProctypeId, Scalar, Scope, Shape};

/// A variable as the front end knows it.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Arc<str>,
    pub scope: Scope,
    pub shape: Shape,
    pub base: u32,
    pub span: Span,
    /// The kind of channel it was declared with.
    pub channel: Option<ChannelKindId>,
    /// Index into the list of uses.
    pub usage: usize,
}

/// What a name in an expression can be.
#[derive(Clone, Debug)]
pub enum Symbol {
    Variable(Variable),
    /// A symbolic constant.
    Mtype(MtypeId, i32),
}

/// What a value is, as far as mixing values is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Number,
    Mtype(MtypeId),
    Channel,
    /// An error was reported: goes with everything.
    Unknown,
}

impl Type {
    pub fn of(scalar: Scalar) -> Type {
        match scalar {
            Scalar::Mtype(set) => Type::Mtype(set),
            Scalar::Chan => Type::Channel,
            _ => Type::Number,
        }
    }
}

/// A proctype's interface, known before its body is lowered.
#[derive(Clone, Debug)]
pub struct Signature {
    pub id: ProctypeId,
    /// One per parameter: name, shape.
    pub parameters: Vec<(Arc<str>, Shape)>,
    pub span: Span,
    pub is_init: bool,
}

/// How a variable is used, for lints.
#[derive(Clone, Debug)]
pub struct Usage {
    pub name: Arc<str>,
    pub span: Span,
    pub scope: Scope,
    pub read: bool,
    /// Parameters, `show` and `hidden` variables and the like are not reported.
    pub exempt: bool,
}

/// Nested scopes; the first is the global one.
#[derive(Default, Debug)]
pub struct Scopes {
    scopes: Vec<HashMap<Arc<str>, Symbol>>,
}

impl Scopes {
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    pub fn leave(&mut self) {
        self.scopes.pop();
    }

    pub fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn find_in_innermost(&self, name: &str) -> Option<&Symbol> {
        self.scopes.last().and_then(|scope| scope.get(name))
    }

    pub fn declare(&mut self, name: Arc<str>, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, symbol);
        }
    }

    /// Every visible name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().flat_map(|scope| scope.keys().map(|name| &**name))
    }
}
