//! What stands between the operators of an expression.

use allways_source::Diagnostic;

use crate::ast::{ChannelTest, Expr, ExprKind, Name, Place, PlacePart};
use crate::token::{Token, TokenKind};

use super::recovery::STATEMENT_KEYWORDS;
use super::{Parse, Parser};

impl Parser {
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        if self.at("(") { self.parenthesised() } else { self.without_parentheses() }
    }

    // Whatever is called on the way from one parenthesis to the next has a small frame, see `MAX_NESTING`; the rest
    // is kept out of the way.

    #[inline(never)]
    fn without_parentheses(&mut self) -> Parse<Expr> {
        let start = self.position();
        let token = self.peek().clone();
        if let Some(value) = self.constant() {
            return Ok(Expr { kind: ExprKind::Constant(value), span: token.span });
        }
        let kind = match token.kind {
            TokenKind::Name => self.reference()?,
            TokenKind::Keyword => self.keyword_operand(&token)?,
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    /// A number, a character or one of the words that are constants, if one is next.
    pub(super) fn constant(&mut self) -> Option<i64> {
        let token = self.peek();
        let value = match token.kind {
            TokenKind::Number => token.text.parse().unwrap_or(i64::MAX),
            TokenKind::Character => character(&token.text),
            TokenKind::Keyword if token.is("true") || token.is("skip") => 1,
            TokenKind::Keyword if token.is("false") => 0,
            _ => return None,
        };
        self.cursor.advance();
        Some(value)
    }

    /// `(e)` or `(condition -> then : otherwise)`
    fn parenthesised(&mut self) -> Parse<Expr> {
        let start = self.position();
        let mut expr = self.bracketed("(", ")", Parser::expression_or_conditional)?;
        expr.span = self.span_from(start);
        Ok(expr)
    }

    fn expression_or_conditional(&mut self) -> Parse<Expr> {
        let condition = self.expression()?;
        if self.at("->") { self.conditional(condition) } else { Ok(condition) }
    }

    /// What follows the condition.
    #[inline(never)]
    fn conditional(&mut self, condition: Expr) -> Parse<Expr> {
        let arrow = self.bump();
        let then = self.expression()?;
        if !self.at(":") {
            return Err(self.arrow_in_parentheses(&arrow));
        }
        self.bump();
        let otherwise = self.expression()?;
        let span = condition.span.to(otherwise.span);
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind, span })
    }

    fn keyword_operand(&mut self, keyword: &Token) -> Parse<ExprKind> {
        let test = match &*keyword.text {
            "len" => Some(ChannelTest::Len),
            "empty" => Some(ChannelTest::Empty),
            "nempty" => Some(ChannelTest::NotEmpty),
            "full" => Some(ChannelTest::Full),
            "nfull" => Some(ChannelTest::NotFull),
            _ => None,
        };
        if let Some(test) = test {
            let channel = self.function(|parser| parser.place())?;
            return Ok(ExprKind::Channel(test, Box::new(channel)));
        }
        Ok(match &*keyword.text {
            "enabled" => ExprKind::Enabled(self.function_of_expression()?),
            "pc_value" => ExprKind::PcValue(self.function_of_expression()?),
            "get_priority" => ExprKind::GetPriority(self.function_of_expression()?),
            "timeout" => {
                self.bump();
                ExprKind::Timeout
            }
            "np_" => {
                self.bump();
                ExprKind::NonProgress
            }
            "run" => self.run()?,
            "c_expr" => ExprKind::EmbeddedC(self.embedded_c()?),
            "eval" if self.nth_is(1, "(") => return Err(self.eval_outside_receive()),
            // In an expression such a word is not a name but the next statement, or the end.
            _ if self.at_any(STATEMENT_KEYWORDS) || self.at_sequence_end() || self.at("unless") => {
                return Err(self.unexpected("an expression"));
            }
            _ => return Err(self.reserved_word()),
        })
    }

    /// `word(…)`; without the parenthesis the word was probably meant as a name.
    fn function<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if !self.nth_is(1, "(") {
            return Err(self.reserved_word());
        }
        self.bump();
        self.bracketed("(", ")", parse)
    }

    fn function_of_expression(&mut self) -> Parse<Box<Expr>> {
        self.function(Parser::expression).map(Box::new)
    }

    /// `run P(…)` with an optional priority.
    fn run(&mut self) -> Parse<ExprKind> {
        self.bump();
        let proctype = self.expect_name("the name of a proctype")?;
        if !self.at("(") {
            return Err(self.report_here(
                Diagnostic::error(
                    "unexpected-token",
                    self.peek().span,
                    format!("expected `(` after `run {}`", proctype.text),
                )
                .help(format!("without arguments write `run {}()`", proctype.text)),
            ));
        }
        let arguments = self.argument_list(Parser::expression)?;
        let priority = self.priority()?.map(Box::new);
        Ok(ExprKind::Run { proctype: Box::new(proctype), arguments: arguments.into(), priority })
    }

    /// `priority N`, if it is there.
    pub(super) fn priority(&mut self) -> Parse<Option<Expr>> {
        if !self.eat("priority") {
            return Ok(None);
        }
        self.nested(1, Parser::primary).map(Some)
    }

    /// Something that starts with a name: a variable, a poll of a channel, a reference to another process.
    fn reference(&mut self) -> Parse<ExprKind> {
        if self.at_call() && !self.may_be_message() {
            return Err(self.call_in_expression());
        }
        let place = self.place()?;
        if self.goes_on_with("@") {
            self.bump();
            let (proctype, pid) = self.process_of(place)?;
            let label = self.expect_name("the name of a label")?;
            self.looks_at_labels = true;
            return Ok(ExprKind::RemoteLabel { proctype: Box::new(proctype), pid, label: Box::new(label) });
        }
        if self.goes_on_with(":") && self.is_proctype(&place) {
            self.bump();
            if !self.at_name() {
                return Err(self.proctype_as_label(&place));
            }
            let (proctype, pid) = self.process_of(place)?;
            let variable = Box::new(self.place()?);
            return Ok(ExprKind::RemoteVariable { proctype: Box::new(proctype), pid, variable });
        }
        if self.at_any(&["?", "??"]) && self.nth_is(1, "[") && !self.line_ends() {
            let random = &*self.bump().text == "??";
            let arguments = self.bracketed("[", "]", Parser::patterns)?;
            let (channel, arguments) = (Box::new(place), arguments.into());
            return Ok(ExprKind::Poll { channel, random, arguments });
        }
        Ok(ExprKind::Place(place))
    }

    /// `c ! name(…)` sends a message called `name`: in no other place can a name be followed by `(`.
    fn may_be_message(&self) -> bool {
        self.previous_is("!") || self.previous_is("!!")
    }

    /// `P` or `P[i]`, but not `a.P` or the like.
    fn is_proctype(&self, place: &Place) -> bool {
        place.parts.len() == 1 && self.outline.proctypes.contains(&place.parts[0].name.text)
    }

    /// The process in `P[i]@label`.
    fn process_of(&mut self, place: Place) -> Parse<(Name, Option<Box<Expr>>)> {
        let span = place.span;
        match <[PlacePart; 1]>::try_from(place.parts) {
            Ok([part]) => Ok((part.name, part.index)),
            Err(_) => Err(self.report(Diagnostic::error(
                "unexpected-token",
                span,
                "expected the name of a proctype in front of this reference",
            ))),
        }
    }

    /// `a.b[i].c`
    pub(super) fn place(&mut self) -> Parse<Place> {
        let start = self.position();
        let mut parts = vec![self.place_part("a variable name")?];
        while self.eat_on_line(".") {
            parts.push(self.place_part("the name of a field")?);
        }
        Ok(Place { parts, span: self.span_from(start) })
    }

    fn place_part(&mut self, what: &str) -> Parse<PlacePart> {
        let name = self.expect_name(what)?;
        let mut index = None;
        // In a formula `p []` can only be a forgotten operator in front of "always".
        if self.goes_on_with("[") && !self.nth_is(1, "]") {
            index = Some(Box::new(self.bracketed("[", "]", Parser::expression)?));
            if self.goes_on_with("[") {
                return Err(self.two_dimensional_array(&name));
            }
        }
        Ok(PlacePart { name, index })
    }
}

/// The value of a character as it is written, with its quotes.
fn character(text: &str) -> i64 {
    let inner = text.strip_prefix('\'').unwrap_or(text);
    let mut chars = inner.strip_suffix('\'').unwrap_or(inner).chars();
    let value = match (chars.next(), chars.next()) {
        (Some('\\'), Some('n')) => '\n',
        (Some('\\'), Some('r')) => '\r',
        (Some('\\'), Some('t')) => '\t',
        (Some('\\'), Some('f')) => '\x0c',
        (Some('\\'), Some(other)) => other,
        (first, _) => first.unwrap_or('\0'),
    };
    i64::from(u32::from(value))
}
