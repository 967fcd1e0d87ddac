//! Formulas of linear temporal logic, as written; and how to print them.

use std::fmt;

/// A formula over propositions numbered from 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// A proposition holds now.
    Proposition(u32),
    /// Does not hold.
    Not(Box<Formula>),
    /// All hold; true if there are none.
    And(Vec<Formula>),
    /// One holds; false if there are none.
    Or(Vec<Formula>),
    /// The second holds if the first does.
    Implies(Box<(Formula, Formula)>),
    /// Both hold or neither.
    Equivalent(Box<(Formula, Formula)>),
    /// Holds in the next state.
    Next(Box<Formula>),
    /// Holds now or later.
    Eventually(Box<Formula>),
    /// Holds now and ever after.
    Always(Box<Formula>),
    /// The second holds now or later, and until then the first.
    Until(Box<(Formula, Formula)>),
    /// The first holds until the second does, or forever.
    WeakUntil(Box<(Formula, Formula)>),
    /// The second holds up to and including the moment when the first does, or forever.
    Release(Box<(Formula, Formula)>),
    /// The second holds up to and including the moment when the first does, and that moment comes.
    StrongRelease(Box<(Formula, Formula)>),
}

use Formula::*;

impl Formula {
    /// The opposite; double negations are not stacked.
    pub fn negated(&self) -> Formula {
        match self {
            True => False,
            False => True,
            Not(inner) => (**inner).clone(),
            other => Not(Box::new(other.clone())),
        }
    }

    /// How many operators and propositions; a conjunction of n counts as n - 1 operators.
    pub fn size(&self) -> usize {
        let own = match self {
            And(parts) | Or(parts) => parts.len().saturating_sub(1).max(usize::from(parts.is_empty())),
            _ => 1,
        };
        own + self.children().map(Formula::size).sum::<usize>()
    }

    /// Whether the next operator occurs.
    pub fn uses_next(&self) -> bool {
        matches!(self, Next(_)) || self.children().any(Formula::uses_next)
    }

    /// One more than the highest proposition, 0 if there is none.
    pub fn n_propositions(&self) -> u32 {
        match self {
            Proposition(p) => p.saturating_add(1),
            _ => self.children().map(Formula::n_propositions).max().unwrap_or(0),
        }
    }

    /// The operands, in order.
    pub fn children(&self) -> impl Iterator<Item = &Formula> {
        let (several, pair): (&[Formula], Option<&(Formula, Formula)>) = match self {
            True | False | Proposition(_) => (&[], None),
            Not(f) | Next(f) | Eventually(f) | Always(f) => (std::slice::from_ref(&**f), None),
            And(parts) | Or(parts) => (parts, None),
            Implies(p) | Equivalent(p) | Until(p) | WeakUntil(p) | Release(p) | StrongRelease(p) => {
                (&[], Some(&**p))
            }
        };
        several.iter().chain(pair.into_iter().flat_map(|(a, b)| [a, b]))
    }

    /// As text that [`crate::parse()`] reads back, with as few parentheses as that allows.
    pub fn display<'a>(&'a self, names: &'a [String]) -> impl fmt::Display + 'a {
        Display { formula: self, names }
    }

    /// How tightly the operator holds its operands together; larger is tighter.
    fn tightness(&self) -> u8 {
        match self {
            And(parts) | Or(parts) if parts.len() == 1 => parts[0].tightness(),
            Equivalent(_) => 0,
            Implies(_) => 1,
            Or(parts) if !parts.is_empty() => 2,
            And(parts) if !parts.is_empty() => 3,
            Until(_) | WeakUntil(_) | Release(_) | StrongRelease(_) => 4,
            Not(_) | Next(_) | Eventually(_) | Always(_) => 5,
            _ => 6,
        }
    }
}

struct Display<'a> {
    formula: &'a Formula,
    names: &'a [String],
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_formula(f, self.formula, self.names)
    }
}

fn write_formula(f: &mut fmt::Formatter<'_>, formula: &Formula, names: &[String]) -> fmt::Result {
    let part = |f: &mut fmt::Formatter<'_>, part: &Formula, at_least: u8| {
        if part.tightness() >= at_least {
            return write_formula(f, part, names);
        }
        f.write_str("(")?;
        write_formula(f, part, names)?;
        f.write_str(")")
    };
    // Operands of one kind beside each other get parentheses although the parser knows what they mean: readers may not.
    let pair = |f: &mut fmt::Formatter<'_>, pair: &(Formula, Formula), sign: &str, tightness: u8| {
        part(f, &pair.0, tightness + 1)?;
        write!(f, " {sign} ")?;
        part(f, &pair.1, tightness + 1)
    };
    let many = |f: &mut fmt::Formatter<'_>, parts: &[Formula], sign: &str, tightness: u8| {
        for (i, each) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {sign} ")?;
            }
            part(f, each, if parts.len() == 1 { 0 } else { tightness + 1 })?;
        }
        Ok(())
    };
    let unary = |f: &mut fmt::Formatter<'_>, operand: &Formula, sign: &str| {
        f.write_str(sign)?;
        part(f, operand, 5)
    };
    match formula {
        True => f.write_str("true"),
        False => f.write_str("false"),
        And(parts) if parts.is_empty() => f.write_str("true"),
        Or(parts) if parts.is_empty() => f.write_str("false"),
        Proposition(p) => match names.get(*p as usize) {
            Some(name) => write_name(f, name),
            None => write!(f, "p{p}"),
        },
        Not(inner) => unary(f, inner, "!"),
        Next(inner) => unary(f, inner, "X "),
        Eventually(inner) => unary(f, inner, "<>"),
        Always(inner) => unary(f, inner, "[]"),
        And(parts) => many(f, parts, "&&", 3),
        Or(parts) => many(f, parts, "||", 2),
        Implies(p) => pair(f, p, "->", 1),
        Equivalent(p) => pair(f, p, "<->", 0),
        Until(p) => pair(f, p, "U", 4),
        WeakUntil(p) => pair(f, p, "W", 4),
        Release(p) => pair(f, p, "R", 4),
        StrongRelease(p) => pair(f, p, "M", 4),
    }
}

/// An expression is put in parentheses, so that it is read as one proposition again.
fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if crate::parse::is_plain_name(name) {
        f.write_str(name)
    } else if crate::parse::is_expression(name) {
        write!(f, "({name})")
    } else {
        write!(f, "\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
