//! Expressions and `ltl` formulas.
//!
//! Both are read by precedence climbing over one table of operators, in which a formula has more entries. Formulas
//! are read the way people mean them, and a warning says where Spin reads them differently: a temporal operator
//! takes a whole comparison as its operand, and `->` and `U` group to the right.

use allways_source::Diagnostic;

use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::token::{Token, TokenKind};

use super::{Parse, Parser};

/// Limit on the height of the tree of an expression: whoever walks it recurses.
const MAX_HEIGHT: u32 = 1000;

/// How tightly the operand of a temporal operator binds: just tighter than `U`.
const TEMPORAL_OPERAND: u8 = 6;

#[derive(Clone, Copy)]
struct Operator {
    op: BinaryOp,
    tightness: u8,
    groups_right: bool,
}

impl Operator {
    fn new(text: &str, in_formula: bool) -> Option<Operator> {
        use BinaryOp::*;
        let left = |op, tightness| Some(Operator { op, tightness, groups_right: false });
        let right = |op, tightness| Some(Operator { op, tightness, groups_right: true });
        match text {
            "<->" | "equivalent" if in_formula => left(Equivalent, 1),
            "->" | "implies" if in_formula => right(Implies, 2),
            "\\/" if in_formula => left(Or, 3),
            "/\\" if in_formula => left(And, 4),
            "U" | "until" | "stronguntil" if in_formula => right(Until, 5),
            "W" | "weakuntil" if in_formula => right(WeakUntil, 5),
            "V" | "R" | "release" if in_formula => right(Release, 5),
            "||" => left(Or, 3),
            "&&" => left(And, 4),
            "|" => left(BitOr, 6),
            "^" => left(BitXor, 7),
            "&" => left(BitAnd, 8),
            "==" => left(Equal, 9),
            "!=" => left(NotEqual, 9),
            "<" => left(Less, 10),
            "<=" => left(LessEqual, 10),
            ">" => left(Greater, 10),
            ">=" => left(GreaterEqual, 10),
            "<<" => left(ShiftLeft, 11),
            ">>" => left(ShiftRight, 11),
            "+" => left(Add, 12),
            "-" => left(Subtract, 12),
            "*" => left(Multiply, 13),
            "/" => left(Divide, 13),
            "%" => left(Remainder, 13),
            _ => None,
        }
    }
}

impl Parser {
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.binary(0)
    }

    /// An `ltl` formula up to its `}`.
    pub(super) fn formula(&mut self) -> Parse<Expr> {
        self.in_formula = true;
        let formula = self.expression();
        self.in_formula = false;
        formula
    }

    /// Operators at least as tight as `tightness`.
    ///
    /// `height` is the height of the highest expression read since somebody last set it to 0.
    fn binary(&mut self, tightness: u8) -> Parse<Expr> {
        let start = self.position();
        let height_outside = std::mem::take(&mut self.height);
        let left = self.operand()?;
        let expr = if self.operator().is_none() { Ok(left) } else { self.operations(left, start, tightness) };
        self.height = self.height.max(height_outside);
        expr
    }

    /// The operators after `left`, the operand that starts at `start`.
    #[inline(never)]
    fn operations(&mut self, mut left: Expr, start: usize, tightness: u8) -> Parse<Expr> {
        while let Some(operator) = self.operator().filter(|operator| operator.tightness >= tightness) {
            let height_left = std::mem::take(&mut self.height);
            let token = self.bump();
            let first = self.position();
            let right = self.operand_of(operator)?;
            self.height = self.height.max(height_left) + 1;
            if self.height > MAX_HEIGHT {
                return Err(self.too_deep());
            }
            self.check_grouping(&token, operator.op, &right, first);
            let kind = ExprKind::Binary(operator.op, Box::new(left), Box::new(right));
            left = Expr { kind, span: self.span_from(start) };
        }
        Ok(left)
    }

    /// What stands to the right of `operator`.
    fn operand_of(&mut self, operator: Operator) -> Parse<Expr> {
        let tightness = operator.tightness + u8::from(!operator.groups_right);
        self.nested(1, |parser| parser.binary(tightness))
    }

    /// The binary operator the expression goes on with, if it does.
    fn operator(&self) -> Option<Operator> {
        let token = self.peek();
        if self.line_ends() || self.at_compound_assignment() {
            return None;
        }
        operator_of(token, self.in_formula)
    }

    /// Whether the token could only be the middle of an expression or of another statement.
    pub(super) fn at_infix_only(&self) -> bool {
        let infix = operator_of(self.peek(), false).is_some() && !self.at("-");
        infix || self.at_any(&["=", "?", "??", "!!", ",", ".", "..", ":", "]", "@", "++", "--"])
    }

    pub(super) fn at_operator_in_receive(&self) -> bool {
        !self.line_ends() && !self.at(">") && operator_of(self.peek(), false).is_some()
    }

    /// Warns where Spin would read something else: for it `->` and `<->` have one precedence, so have all kinds of
    /// until, and all of them group to the left. `first` is where the right operand starts.
    fn check_grouping(&mut self, operator: &Token, op: BinaryOp, right: &Expr, first: usize) {
        use BinaryOp::{Equivalent, Implies, Release, Until, WeakUntil};
        let ExprKind::Binary(inner, ..) = right.kind else { return };
        let differs = match op {
            Implies | Equivalent => inner == Implies,
            Until | WeakUntil | Release => matches!(inner, Until | WeakUntil | Release),
            _ => false,
        };
        if !differs || self.is_parenthesised(first) {
            return;
        }
        let message = format!(
            "all that follows `{}` is taken as its operand; Spin groups from the left",
            operator.text
        );
        // In `a -> b -> c -> d` the pair at the end was warned of already.
        if self.diagnostics.last().is_some_and(|last| last.message == message) {
            return;
        }
        self.report(
            Diagnostic::warning("ltl-precedence", right.span, message)
                .help("put parentheses around the part that belongs together"),
        );
    }

    /// Whether the expression read since `start` is wholly in parentheses.
    fn is_parenthesised(&self, start: usize) -> bool {
        self.cursor.at(start).is("(") && self.closing(start) == Some(self.position() - 1)
    }

    fn operand(&mut self) -> Parse<Expr> {
        if let Some(op) = self.prefix_operator() {
            return self.prefixed(op);
        }
        if self.in_formula && self.at("!!") {
            return self.twice_negated();
        }
        let expr = self.primary()?;
        self.height += 1;
        Ok(expr)
    }

    fn prefix_operator(&self) -> Option<UnaryOp> {
        let token = self.peek();
        Some(match (&*token.text, token.kind) {
            ("-", TokenKind::Punctuation) => UnaryOp::Negate,
            ("!", TokenKind::Punctuation) => UnaryOp::Not,
            ("~", TokenKind::Punctuation) => UnaryOp::Complement,
            _ if !self.in_formula => return None,
            ("[", TokenKind::Punctuation) if self.nth_is(1, "]") => UnaryOp::Always,
            ("always", TokenKind::Name) => UnaryOp::Always,
            ("<>", TokenKind::Punctuation) | ("eventually", TokenKind::Name) => UnaryOp::Eventually,
            ("X" | "next", TokenKind::Name) => UnaryOp::Next,
            _ => return None,
        })
    }

    #[inline(never)]
    fn prefixed(&mut self, op: UnaryOp) -> Parse<Expr> {
        let start = self.position();
        if self.bump().is("[") {
            self.bump();
        }
        let operand = match op {
            UnaryOp::Negate | UnaryOp::Not | UnaryOp::Complement => self.nested(1, Parser::operand)?,
            UnaryOp::Always | UnaryOp::Eventually | UnaryOp::Next => self.temporal_operand(start)?,
        };
        self.height += 1;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span: self.span_from(start) })
    }

    /// `!!`, which outside of formulas is the sign of a sorted send.
    fn twice_negated(&mut self) -> Parse<Expr> {
        let start = self.position();
        self.bump();
        let operand = Box::new(self.nested(2, Parser::operand)?);
        self.height += 2;
        let span = self.span_from(start);
        let inner = Expr { kind: ExprKind::Unary(UnaryOp::Not, operand), span };
        Ok(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), span })
    }

    /// The operand of the temporal operator at `start`.
    fn temporal_operand(&mut self, start: usize) -> Parse<Expr> {
        let operator = self.span_from(start);
        let first = self.position();
        let operand = self.nested(1, |parser| parser.binary(TEMPORAL_OPERAND))?;
        if matches!(operand.kind, ExprKind::Binary(..)) && !self.is_parenthesised(first) {
            self.report(
                Diagnostic::warning(
                    "ltl-precedence",
                    operator,
                    "this operator applies to the whole comparison; Spin applies it to the first name alone",
                )
                .also(operand.span, "its operand")
                .help("put parentheses around the operand, so that every tool reads the same formula"),
            );
        }
        Ok(operand)
    }
}

fn operator_of(token: &Token, in_formula: bool) -> Option<Operator> {
    match token.kind {
        TokenKind::Punctuation => Operator::new(&token.text, in_formula),
        TokenKind::Name if in_formula => Operator::new(&token.text, true),
        _ => None,
    }
}
