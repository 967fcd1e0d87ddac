//! The expressions of `#if` and `#elif`: C's constant expressions over 64-bit integers.

use allways_source::{Diagnostic, Span};

use super::directives::tokens_of;
use super::{PpToken, Preprocessor, Reading};
use crate::lexer::{Lexeme, LexemeKind};

/// How deep parentheses, unary operators and `?:` may nest: each level takes some of our stack.
const MAX_DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// Whether the condition holds; a wrong one does not.
    pub(super) fn evaluate_condition(&mut self, name: &str, directive: Span, operands: &[Lexeme]) -> bool {
        if operands.is_empty() {
            let message = format!("`#{name}` needs a condition");
            self.reports.add(Diagnostic::error("missing-condition", directive, message));
            return false;
        }
        let n_reports = self.reports.diagnostics.len();
        let terms = self.expand_isolated(tokens_of(operands), Self::read_terms);
        if self.reports.diagnostics.len() > n_reports {
            return false;
        }
        let value = terms.and_then(|terms| {
            let end = operands.last().map_or(directive, |last| last.span).after();
            Evaluator { terms: &terms, next: 0, end, depth: 0 }.whole()
        });
        match value {
            Ok(value) => value.is_true(),
            Err(complaint) => {
                self.reports.add(complaint);
                false
            }
        }
    }

    /// Expands macros, except in `defined X`, which becomes a number.
    fn read_terms(&mut self) -> Result<Vec<PpToken>, Diagnostic> {
        let mut terms = Vec::new();
        while let Some(mut token) = self.next_expanded() {
            if &*token.lexeme.text == "defined" {
                let is_defined = self.read_defined(token.span)?;
                token.lexeme.kind = LexemeKind::Number;
                token.lexeme.text = self.interner.intern(if is_defined { "1" } else { "0" });
            }
            terms.push(token);
        }
        Ok(terms)
    }

    /// What follows `defined`.
    fn read_defined(&mut self, defined: Span) -> Result<bool, Diagnostic> {
        let complain = |message| Err(Diagnostic::error("bad-condition", defined, message));
        let mut next = self.next_unexpanded(Reading::Text);
        let parenthesised = next.as_ref().is_some_and(|token| token.lexeme.is("("));
        if parenthesised {
            next = self.next_unexpanded(Reading::Text);
        }
        let Some(name) = next.filter(|token| token.lexeme.is_name()) else {
            return complain("`defined` has to be followed by the name of a macro");
        };
        if parenthesised && !self.next_unexpanded(Reading::Text).is_some_and(|token| token.lexeme.is(")")) {
            return complain("the `)` after `defined (` and its name is missing");
        }
        Ok(self.macros.find(&name.lexeme.text).is_some())
    }
}

/// An integer of C's preprocessor: 64 bits, and whether they are to be read without a sign.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn signed(bits: i64) -> Value {
        Value { bits, unsigned: false }
    }

    fn truth(holds: bool) -> Value {
        Value::signed(i64::from(holds))
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// A recursive-descent parser that evaluates on the way. The flag `live` is false in operands that C does not
/// evaluate, as in `0 && 1 / 0`: they have to be well formed, no more.
struct Evaluator<'a> {
    terms: &'a [PpToken],
    /// Index into `terms`.
    next: usize,
    /// The end of the directive: where something is missing.
    end: Span,
    depth: usize,
}

type Evaluated = Result<Value, Diagnostic>;

impl Evaluator<'_> {
    fn whole(mut self) -> Evaluated {
        let value = self.conditional(true)?;
        match self.peek() {
            None => Ok(value),
            Some(token) if token.lexeme.is("=") => {
                Err(bad_condition(token, "`=` cannot be used in a condition").help("equality is `==`"))
            }
            Some(token) if token.lexeme.is(")") => Err(bad_condition(token, "this `)` has no `(`")),
            Some(token) => {
                Err(bad_condition(token, format!("an operator is expected before `{}`", token.lexeme.text)))
            }
        }
    }

    fn peek(&self) -> Option<&PpToken> {
        self.terms.get(self.next)
    }

    fn take(&mut self, punctuation: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.lexeme.is(punctuation));
        self.next += usize::from(found);
        found
    }

    /// Where the parser is.
    fn here(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    fn enter(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("this condition is nested deeper than {MAX_DEPTH} levels");
            return Err(Diagnostic::error("condition-too-deep", self.here(), message));
        }
        Ok(())
    }

    /// `a ? b : c`, or a binary expression.
    fn conditional(&mut self, live: bool) -> Evaluated {
        self.enter()?;
        let condition = self.binary(1, live)?;
        let question = self.here();
        let value = if self.take("?") {
            let holds = condition.is_true();
            let first = self.conditional(live && holds)?;
            if !self.take(":") {
                let complaint = Diagnostic::error("bad-condition", self.here(), "`:` is expected here");
                return Err(complaint.also(question, "for this `?`"));
            }
            let second = self.conditional(live && !holds)?;
            let bits = if holds { first.bits } else { second.bits };
            Value { bits, unsigned: first.unsigned || second.unsigned }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Operands joined by operators that bind at least as strongly as `weakest`.
    fn binary(&mut self, weakest: u8, live: bool) -> Evaluated {
        let mut left = self.unary(live)?;
        while let Some(token) = self.peek() {
            let operator = token.lexeme.text.clone();
            let span = token.span;
            let Some(strength) = binding_strength(&token.lexeme).filter(|strength| *strength >= weakest)
            else {
                break;
            };
            self.next += 1;
            let needed = match &*operator {
                "&&" => left.is_true(),
                "||" => !left.is_true(),
                _ => true,
            };
            let right = self.binary(strength + 1, live && needed)?;
            left = match apply(&operator, left, right) {
                Some(value) => value,
                None if live => return Err(division_by_zero(span)),
                None => Value::signed(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Evaluated {
        self.enter()?;
        let Some(token) = self.terms.get(self.next) else {
            return Err(Diagnostic::error(
                "bad-condition",
                self.end,
                "an operand is missing at the end of the condition",
            ));
        };
        self.next += 1;
        let value = match &*token.lexeme.text {
            "(" if token.lexeme.kind == LexemeKind::Punctuation => self.parenthesised(token, live)?,
            "-" => {
                let value = self.unary(live)?;
                Value { bits: value.bits.wrapping_neg(), ..value }
            }
            "+" => self.unary(live)?,
            "~" => {
                let value = self.unary(live)?;
                Value { bits: !value.bits, ..value }
            }
            "!" => Value::truth(!self.unary(live)?.is_true()),
            // One operator in Promela, two in C.
            "!!" => Value::truth(self.unary(live)?.is_true()),
            _ => constant(token)?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn parenthesised(&mut self, open: &PpToken, live: bool) -> Evaluated {
        let value = self.conditional(live)?;
        if self.take(")") {
            return Ok(value);
        }
        let complaint = Diagnostic::error("bad-condition", self.here(), "`)` is expected here");
        Err(complaint.also(open.span, "for this `(`"))
    }
}

fn bad_condition(token: &PpToken, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("bad-condition", token.span, message)
}

fn division_by_zero(span: Span) -> Diagnostic {
    Diagnostic::error("division-by-zero", span, "this condition divides by zero")
}

fn binding_strength(lexeme: &Lexeme) -> Option<u8> {
    if lexeme.kind != LexemeKind::Punctuation {
        return None;
    }
    Some(match &*lexeme.text {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

/// `None` is a division by zero.
fn apply(operator: &str, left: Value, right: Value) -> Option<Value> {
    let (a, b) = (left.bits, right.bits);
    let unsigned = left.unsigned || right.unsigned;
    let number = |bits| Value { bits, unsigned };
    let divided = |signed: fn(i64, i64) -> i64, other: fn(u64, u64) -> u64| {
        (b != 0).then(|| number(if unsigned { other(a as u64, b as u64) as i64 } else { signed(a, b) }))
    };
    let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
    Some(match operator {
        "||" => Value::truth(a != 0 || b != 0),
        "&&" => Value::truth(a != 0 && b != 0),
        "|" => number(a | b),
        "^" => number(a ^ b),
        "&" => number(a & b),
        "==" => Value::truth(a == b),
        "!=" => Value::truth(a != b),
        "<" => Value::truth(order.is_lt()),
        "<=" => Value::truth(order.is_le()),
        ">" => Value::truth(order.is_gt()),
        ">=" => Value::truth(order.is_ge()),
        "<<" => shifted(left, right, false),
        ">>" => shifted(left, right, true),
        "+" => number(a.wrapping_add(b)),
        "-" => number(a.wrapping_sub(b)),
        "*" => number(a.wrapping_mul(b)),
        "/" => divided(i64::wrapping_div, |a, b| a / b)?,
        _ => divided(i64::wrapping_rem, |a, b| a % b)?,
    })
}

/// Shifts by any number of bits; a negative number shifts the other way, as in GCC.
fn shifted(left: Value, right: Value, to_right: bool) -> Value {
    let to_right = to_right != (!right.unsigned && right.bits < 0);
    let n_bits = if right.unsigned { right.bits as u64 } else { right.bits.unsigned_abs() };
    let bits = match (to_right, left.unsigned, n_bits) {
        (false, _, 0..64) => left.bits << n_bits,
        (false, _, _) => 0,
        (true, true, 0..64) => ((left.bits as u64) >> n_bits) as i64,
        (true, true, _) => 0,
        (true, false, _) => left.bits >> n_bits.min(63),
    };
    Value { bits, ..left }
}

/// A number, a character, or a name: a name that is no macro is 0.
fn constant(token: &PpToken) -> Evaluated {
    let text = &*token.lexeme.text;
    match token.lexeme.kind {
        LexemeKind::Name => Ok(Value::signed(0)),
        LexemeKind::Number => number(text)
            .ok_or_else(|| bad_condition(token, format!("`{text}` is not a whole number of 64 bits"))),
        LexemeKind::Character => {
            character(text).ok_or_else(|| bad_condition(token, format!("{text} is not one character")))
        }
        LexemeKind::String => Err(bad_condition(token, "a string cannot be used in a condition")),
        _ => Err(bad_condition(token, format!("an operand is expected before `{text}`"))),
    }
}

/// A number of C: decimal, hexadecimal, binary or octal, perhaps with a suffix.
fn number(text: &str) -> Option<Value> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = &text[digits.len()..];
    let (base, digits) = match (digits.get(..2), digits.strip_prefix('0')) {
        (Some("0x" | "0X"), _) => (16, &digits[2..]),
        (Some("0b" | "0B"), _) => (2, &digits[2..]),
        (_, Some(octal)) if !octal.is_empty() => (8, octal),
        _ => (10, digits),
    };
    let bits = u64::from_str_radix(digits, base).ok()?;
    let unsigned = suffix.contains(['u', 'U']) || bits > i64::MAX as u64;
    Some(Value { bits: bits as i64, unsigned })
}

fn character(text: &str) -> Option<Value> {
    let content = &text[1..text.len() - 1];
    let mut chars = content.chars();
    let value = match (chars.next()?, chars.next(), chars.next()) {
        ('\\', Some(escape), None) => match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0c',
            '0' => '\0',
            other => other,
        },
        (c, None, _) => c,
        _ => return None,
    };
    Some(Value::signed(i64::from(u32::from(value))))
}
