//! Sends and receives.

use crate::ast::{Expr, ExprKind, Pattern, Place, StatementKind};
use crate::token::TokenKind;

use super::{Parse, Parser};

impl Parser {
    /// After `channel !` or `channel !!`: `a, b` or `a(b, …)`, which mean the same.
    pub(super) fn send(&mut self, channel: Place, sorted: bool) -> Parse<StatementKind> {
        let mut arguments = vec![self.expression()?];
        if self.goes_on_with("(") {
            arguments.extend(self.bracketed("(", ")", |parser| parser.comma_list(Parser::expression))?);
        }
        while self.eat_on_line(",") {
            arguments.push(self.expression()?);
        }
        Ok(StatementKind::Send { channel, sorted, arguments })
    }

    /// After `channel ?` or `channel ??`; a `[` does not follow, that would be an expression.
    pub(super) fn receive(&mut self, channel: Place, random: bool) -> Parse<StatementKind> {
        let keep = self.at("<");
        let arguments = if keep { self.bracketed("<", ">", Parser::patterns)? } else { self.patterns()? };
        Ok(StatementKind::Receive { channel, random, keep, arguments })
    }

    /// `a, b`, `a(b, …)` or `(a, b)`: all the same list.
    pub(super) fn patterns(&mut self) -> Parse<Vec<Pattern>> {
        let mut patterns = Vec::new();
        loop {
            if !self.at("(") {
                patterns.push(self.pattern()?);
            }
            if self.goes_on_with("(") {
                patterns.extend(self.bracketed("(", ")", Parser::patterns)?);
            }
            if !self.eat_on_line(",") {
                return Ok(patterns);
            }
        }
    }

    fn pattern(&mut self) -> Parse<Pattern> {
        let start = self.position();
        let token = self.peek().clone();
        let pattern = match token.kind {
            TokenKind::Name if &*token.text == "_" => {
                self.bump();
                Pattern::Ignore(token.span)
            }
            TokenKind::Name => Pattern::Place(self.place()?),
            TokenKind::Keyword if token.is("eval") => {
                self.bump();
                Pattern::Eval(self.bracketed("(", ")", Parser::expression)?)
            }
            _ if self.at("-") => {
                self.bump();
                let value = match self.constant() {
                    Some(value) => value,
                    None => return Err(self.unexpected("a number")),
                };
                let kind = ExprKind::Constant(value.saturating_neg());
                Pattern::Constant(Expr { kind, span: self.span_from(start) })
            }
            _ => match self.constant() {
                Some(value) => Pattern::Constant(Expr { kind: ExprKind::Constant(value), span: token.span }),
                None => return Err(self.unexpected("a variable or a constant to receive")),
            },
        };
        if self.at_operator_in_receive() {
            return Err(self.expression_in_receive(start));
        }
        Ok(pattern)
    }
}
