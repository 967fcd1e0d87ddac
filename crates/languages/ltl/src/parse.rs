//! Text to formula.
//!
//! Operators, from loose to tight: `<->`, `->`, `||`, `&&`, binary temporal operators, unary operators. `->` and the
//! binary temporal operators group to the right. What is not an operator of the logic is a proposition, kept as it is
//! written: a name, a quoted text, or an expression with comparisons and arithmetic, which holds together tighter than
//! any operator of the logic, so `<> x == 2` is `<> (x == 2)`. Where Spin reads the same text differently, a lint says so.

use std::ops::Range;

use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::Formula;
use crate::lexer::{Kind, Token, tokens};

/// How deep formulas may be nested.
const MAX_DEPTH: usize = 400;

/// A formula that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// Over the propositions below.
    pub formula: Formula,
    /// The text of each proposition, in order of first occurrence.
    pub propositions: Vec<String>,
    /// Places that others may read differently.
    pub lints: Vec<Lint>,
}

/// A place that others may read differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lint {
    /// What was read, and how else it could be.
    pub message: String,
    /// The bytes of the text.
    pub position: Range<usize>,
}

/// Why a text is not a formula.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the text that are wrong; empty at the place where something is missing.
    pub position: Range<usize>,
    /// What could be done.
    pub help: Option<String>,
}

/// Reads a formula.
pub fn parse(text: &str) -> Result<Parsed, ParseError> {
    let mut parser = Parser {
        text,
        tokens: tokens(text),
        next: 0,
        depth: 0,
        propositions: Vec::new(),
        numbers: FxHashMap::default(),
        lints: Vec::new(),
    };
    if let Some(stray) = parser.tokens.iter().find(|t| t.kind == Kind::Stray) {
        let message = format!("`{}` cannot stand in a formula", &text[stray.range.clone()]);
        return Err(ParseError { message, position: stray.range.clone(), help: None });
    }
    let formula = parser.equivalence()?;
    if let Some(token) = parser.tokens.get(parser.next).cloned() {
        return Err(parser.left_over(&token));
    }
    Ok(Parsed { formula, propositions: parser.propositions, lints: parser.lints })
}

/// Whether a proposition's text can be printed as it is.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let tokens = tokens(name);
    tokens.len() == 1
        && tokens[0].kind == Kind::Word
        && tokens[0].range == (0..name.len())
        && constant(name).is_none()
}

/// Whether a proposition's text in parentheses is read back as one proposition.
pub(crate) fn is_expression(name: &str) -> bool {
    name.trim() == name
        && parse(&format!("({name})"))
            .is_ok_and(|p| p.formula == Formula::Proposition(0) && p.propositions[0] == name)
}

fn constant(word: &str) -> Option<Formula> {
    match word {
        "true" | "1" | "⊤" => Some(Formula::True),
        "false" | "0" | "⊥" => Some(Formula::False),
        _ => None,
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    propositions: Vec<String>,
    numbers: FxHashMap<String, u32>,
    lints: Vec<Lint>,
}

impl Parser<'_> {
    fn kind(&self) -> Option<Kind> {
        self.kind_at(self.next)
    }

    fn kind_at(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|t| t.kind)
    }

    /// Where the next token starts; the end of the text if there is none.
    fn start(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |t| t.range.start)
    }

    /// Where the token before the next one ends.
    fn end(&self) -> usize {
        self.tokens[..self.next].last().map_or(0, |t| t.range.end)
    }

    fn lint(&mut self, from: usize, message: String) {
        let position = from..self.end();
        self.lints.push(Lint { message, position });
    }

    fn equivalence(&mut self) -> Result<Formula, ParseError> {
        let start = self.start();
        let mut left = self.implication()?;
        let mut count = 0;
        while self.kind() == Some(Kind::Equivalent) {
            self.next += 1;
            count += 1;
            let from = self.next;
            let right = self.implication()?;
            if self.arrow_between(from) {
                self.lint(
                    start,
                    "`->` holds tighter than `<->` here; Spin reads them from left to right".into(),
                );
            }
            left = Formula::Equivalent(Box::new((left, right)));
        }
        if count > 1 {
            self.lint(start, "`a <-> b <-> c` is `(a <-> b) <-> c`, not that all three are equal".into());
        }
        Ok(left)
    }

    /// Whether there is an arrow outside parentheses among the tokens read since.
    fn arrow_between(&self, from: usize) -> bool {
        let mut depth = 0;
        self.tokens[from..self.next].iter().any(|t| {
            match t.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
            depth == 0 && t.kind == Kind::Implies
        })
    }

    fn implication(&mut self) -> Result<Formula, ParseError> {
        let start = self.start();
        let mut parts = vec![self.disjunction()?];
        while self.kind() == Some(Kind::Implies) {
            self.next += 1;
            parts.push(self.disjunction()?);
            self.bound(parts.len())?;
        }
        if parts.len() > 2 {
            self.lint(start, "`a -> b -> c` is `a -> (b -> c)`; Spin reads `(a -> b) -> c`".into());
        }
        Ok(fold_right(parts, |a, b| Formula::Implies(Box::new((a, b)))))
    }

    fn disjunction(&mut self) -> Result<Formula, ParseError> {
        let mut parts = vec![self.conjunction()?];
        while self.kind() == Some(Kind::Or) {
            self.next += 1;
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts) })
    }

    fn conjunction(&mut self) -> Result<Formula, ParseError> {
        let mut parts = vec![self.temporal()?];
        while self.kind() == Some(Kind::And) {
            self.next += 1;
            parts.push(self.temporal()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) })
    }

    fn temporal(&mut self) -> Result<Formula, ParseError> {
        let start = self.start();
        let mut parts = vec![self.unary()?];
        let mut operators = Vec::new();
        while let Some(kind @ (Kind::Until | Kind::WeakUntil | Kind::Release | Kind::StrongRelease)) =
            self.kind()
        {
            self.next += 1;
            operators.push(kind);
            parts.push(self.unary()?);
            self.bound(parts.len())?;
        }
        if parts.len() > 2 {
            self.lint(start, "`a U b U c` is `a U (b U c)`; Spin reads `(a U b) U c`".into());
        }
        let mut operators = operators.into_iter().rev();
        Ok(fold_right(parts, |a, b| {
            let pair = Box::new((a, b));
            match operators.next() {
                Some(Kind::WeakUntil) => Formula::WeakUntil(pair),
                Some(Kind::Release) => Formula::Release(pair),
                Some(Kind::StrongRelease) => Formula::StrongRelease(pair),
                _ => Formula::Until(pair),
            }
        }))
    }

    fn unary(&mut self) -> Result<Formula, ParseError> {
        let start = self.next;
        let Some(kind) = self.kind() else { return Err(self.missing()) };
        let make: fn(Box<Formula>) -> Formula = match kind {
            Kind::Not if self.negation_in_expression() => return self.proposition(),
            Kind::Not => Formula::Not,
            Kind::Next => Formula::Next,
            Kind::Eventually => Formula::Eventually,
            Kind::Always => Formula::Always,
            _ => return self.primary(),
        };
        self.next += 1;
        self.depth += 1;
        self.bound(self.depth)?;
        let from = self.next;
        let operand = self.unary()?;
        self.depth -= 1;
        if kind != Kind::Not && !is_unary(self.tokens[from].kind) && self.infix_between(from) {
            let range = self.tokens[start].range.clone();
            let sign = &self.text[range.clone()];
            let expression = &self.text[self.tokens[from].range.start..self.end()];
            let message = format!(
                "`{sign} {expression}` is `{sign} ({expression})`; Spin applies `{sign}` to its beginning only"
            );
            self.lint(range.start, message);
        }
        Ok(make(Box::new(operand)))
    }

    fn infix_between(&self, from: usize) -> bool {
        let mut depth = 0;
        self.tokens[from..self.next].iter().any(|t| {
            match t.kind {
                Kind::Open | Kind::OpenBracket => depth += 1,
                Kind::Close | Kind::CloseBracket => depth -= 1,
                _ => {}
            }
            depth == 0 && t.kind == Kind::Infix
        })
    }

    /// Whether this `!` belongs to an expression as in `!x == 1`, which is `(!x) == 1` in Promela and C.
    fn negation_in_expression(&mut self) -> bool {
        let mut at = self.next;
        while self.kind_at(at) == Some(Kind::Not) && &self.text[self.tokens[at].range.clone()] != "not" {
            at += 1;
        }
        if at == self.next || !matches!(self.kind_at(at), Some(Kind::Word | Kind::Open)) {
            return false;
        }
        self.operand_end(at).is_some_and(|end| self.kind_at(end) == Some(Kind::Infix))
    }

    fn primary(&mut self) -> Result<Formula, ParseError> {
        match self.kind() {
            Some(Kind::Word | Kind::Infix | Kind::Quoted) => self.proposition(),
            Some(Kind::Open) => {
                if self.is_expression_in_parentheses() {
                    return self.proposition();
                }
                let open = self.tokens[self.next].range.clone();
                self.next += 1;
                self.depth += 1;
                self.bound(self.depth)?;
                let inner = self.equivalence()?;
                self.depth -= 1;
                match self.tokens.get(self.next).cloned() {
                    Some(token) if token.kind == Kind::Close => self.next += 1,
                    Some(token) => return Err(self.left_over(&token)),
                    None => {
                        let help = Some("add `)` at the end".into());
                        return Err(ParseError {
                            message: "this `(` is not closed".into(),
                            position: open,
                            help,
                        });
                    }
                }
                Ok(inner)
            }
            _ => Err(self.missing()),
        }
    }

    /// Whether a parenthesis is the beginning of an expression such as `(x + 1) % 2 == 0`.
    fn is_expression_in_parentheses(&self) -> bool {
        self.group_end(self.next).is_some_and(|end| self.kind_at(end) == Some(Kind::Infix))
    }

    fn proposition(&mut self) -> Result<Formula, ParseError> {
        let from = self.next;
        let end = self.expression_end(from)?;
        self.next = end;
        let range = self.tokens[from].range.start..self.end();
        let written = &self.text[range.clone()];
        if end == from + 1
            && self.tokens[from].kind == Kind::Word
            && let Some(formula) = constant(written)
        {
            return Ok(formula);
        }
        if self.tokens[from].kind == Kind::Not {
            let message = format!("`{written}` is one proposition in which `!` belongs to the first operand");
            self.lint(range.start, message);
        }
        let name = if end == from + 1 && self.tokens[from].kind == Kind::Quoted {
            unquoted(written).ok_or_else(|| ParseError {
                message: "this text is not closed".into(),
                position: range.clone(),
                help: Some("add a quotation mark".into()),
            })?
        } else {
            written.to_string()
        };
        let number = *self.numbers.entry(name.clone()).or_insert_with(|| {
            self.propositions.push(name);
            self.propositions.len() as u32 - 1
        });
        Ok(Formula::Proposition(number))
    }

    /// The token after the expression that starts here.
    fn expression_end(&self, from: usize) -> Result<usize, ParseError> {
        let mut at = from;
        loop {
            while matches!(self.kind_at(at), Some(Kind::Not)) || self.is_sign(at) {
                at += 1;
            }
            at = self.operand_end(at).ok_or_else(|| self.bad_operand(at))?;
            if self.kind_at(at) != Some(Kind::Infix) {
                return Ok(at);
            }
            at += 1;
        }
    }

    /// Whether this is a minus in front of an operand.
    fn is_sign(&self, at: usize) -> bool {
        self.kind_at(at) == Some(Kind::Infix)
            && matches!(&self.text[self.tokens[at].range.clone()], "-" | "+")
    }

    /// The token after a name with its indices, fields and arguments, or after a group in parentheses.
    fn operand_end(&self, from: usize) -> Option<usize> {
        let mut at = match self.kind_at(from)? {
            Kind::Open => return self.group_end(from),
            Kind::Word | Kind::Quoted => from + 1,
            _ => return None,
        };
        loop {
            match self.kind_at(at) {
                // `len (q)`, but not the beginning of something else, such as in `p (q)`, which is an error anyway.
                Some(Kind::Open | Kind::OpenBracket) => at = self.group_end(at)?,
                Some(Kind::Suffix) => {
                    at += 1;
                    match self.kind_at(at) {
                        // Labels may be called like operators: `P[0]@X`.
                        Some(Kind::OpenBracket) => {}
                        Some(Kind::Suffix) => {}
                        Some(_) if self.is_name(at) => at += 1,
                        _ => return None,
                    }
                }
                _ => return Some(at),
            }
        }
    }

    fn is_name(&self, at: usize) -> bool {
        self.text[self.tokens[at].range.clone()].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    /// The token after the bracket that closes this one.
    fn group_end(&self, from: usize) -> Option<usize> {
        let mut depth = 0;
        for at in from..self.tokens.len() {
            match self.tokens[at].kind {
                Kind::Open | Kind::OpenBracket => depth += 1,
                Kind::Close | Kind::CloseBracket => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    fn bound(&self, depth: usize) -> Result<(), ParseError> {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the formula is nested deeper than {MAX_DEPTH}");
        Err(ParseError { message, position: self.start()..self.start(), help: None })
    }

    fn missing(&self) -> ParseError {
        match self.tokens.get(self.next) {
            None => {
                let at = self.end();
                let message = if at == 0 { "there is no formula" } else { "the formula ends too early" };
                let help = (at > 0).then(|| {
                    format!(
                        "write an operand after `{}`",
                        &self.text[self.tokens[self.next - 1].range.clone()]
                    )
                });
                ParseError { message: message.into(), position: at..at, help }
            }
            Some(token) => ParseError {
                message: format!("an operand is missing before `{}`", &self.text[token.range.clone()]),
                position: token.range.clone(),
                help: None,
            },
        }
    }

    fn bad_operand(&self, at: usize) -> ParseError {
        let position = self.tokens.get(at).map_or(self.text.len()..self.text.len(), |t| t.range.clone());
        let message = match self.tokens.get(at) {
            Some(t) if matches!(t.kind, Kind::Word | Kind::Quoted | Kind::Open) => {
                format!("the expression that starts with `{}` is not complete", &self.text[t.range.clone()])
            }
            Some(t) => format!("an expression is missing before `{}`", &self.text[t.range.clone()]),
            None => "an expression is missing at the end".into(),
        };
        ParseError { message, position, help: None }
    }

    fn left_over(&self, token: &Token) -> ParseError {
        let text = &self.text[token.range.clone()];
        let (message, help) = match token.kind {
            Kind::Close => ("this `)` has no `(`".to_string(), None),
            Kind::Word
            | Kind::Quoted
            | Kind::Open
            | Kind::Not
            | Kind::Next
            | Kind::Always
            | Kind::Eventually => (
                format!("an operator is missing before `{text}`"),
                Some("write `&&`, `||`, `->` or `U` between two formulas".to_string()),
            ),
            _ => (format!("`{text}` is not expected here"), None),
        };
        ParseError { message, position: token.range.clone(), help }
    }
}

fn is_unary(kind: Kind) -> bool {
    matches!(kind, Kind::Not | Kind::Next | Kind::Eventually | Kind::Always)
}

fn fold_right(mut parts: Vec<Formula>, mut make: impl FnMut(Formula, Formula) -> Formula) -> Formula {
    let mut result = parts.pop().unwrap_or(Formula::True);
    while let Some(left) = parts.pop() {
        result = make(left, result);
    }
    result
}

/// The text between quotation marks; none if the second is missing.
fn unquoted(written: &str) -> Option<String> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    let mut result = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        result.push(if c == '\\' { chars.next()? } else { c });
    }
    Some(result)
}
