//! Where to go on after a mistake, and which bracket a stray closer belongs to.

use allways_source::{Diagnostic, Span};

use crate::token::{Token, TokenKind};

use super::statements::SequenceIn;
use super::{Failed, MAX_NESTING, Parser};

/// A construct that waits for its closing token.
#[derive(Clone, Copy)]
pub(super) struct Open {
    /// `{`, `if` or `do`.
    pub(super) opener: &'static str,
    pub(super) span: Span,
}

impl Open {
    pub(super) fn closer(self) -> &'static str {
        match self.opener {
            "if" => "fi",
            "do" => "od",
            _ => "}",
        }
    }
}

/// The words that start a unit and nothing else.
pub(super) const UNIT_KEYWORDS: &[&str] = &[
    "proctype",
    "D_proctype",
    "active",
    "init",
    "never",
    "trace",
    "notrace",
    "typedef",
    "inline",
    "ltl",
    "c_decl",
    "c_state",
    "c_track",
];

/// The words that start a statement and cannot stand inside one.
pub(super) const STATEMENT_KEYWORDS: &[&str] = &[
    "if", "do", "for", "select", "atomic", "d_step", "goto", "break", "else", "assert", "printf", "printm",
    "return", "c_code", "xr", "xs",
];

impl Parser {
    pub(super) fn at_unit_keyword(&self) -> bool {
        // As a label it is a reserved word in the wrong place.
        self.at_any(UNIT_KEYWORDS) && !self.nth_is(1, ":")
    }

    pub(super) fn at_separator(&self) -> bool {
        self.at(";") || self.at("->")
    }

    /// Whether no further statement can follow in this list of statements.
    pub(super) fn at_sequence_end(&self) -> bool {
        self.at_end() || self.at_any(&["}", "::", "fi", "od"]) || self.at_unit_keyword()
    }

    /// After a mistake in a statement: goes to where the next one can start.
    pub(super) fn skip_statement(&mut self, start: usize) {
        while !self.at_separator() && !self.at_sequence_end() {
            let moved = self.position() > start;
            if moved && (self.line_ends() || self.at("{") || self.at_any(STATEMENT_KEYWORDS)) {
                break;
            }
            self.skip_balanced();
        }
    }

    /// After a mistake behind the name of a variable: goes to the next variable or the end of the declaration.
    pub(super) fn skip_variable(&mut self) {
        loop {
            // A brace too many belongs to what was skipped.
            let ends = self.at_sequence_end() && !(self.at("}") && self.has_spare_brace());
            if ends || self.at_separator() || self.at_any(&[",", ")"]) || self.peek().starts_line {
                break;
            }
            self.skip_balanced();
        }
    }

    /// After a mistake outside all bodies: goes to where a unit can start.
    ///
    /// If what was wrong was a unit, that is behind its `}`. If not, a `}` too many has probably ended the last one
    /// too early, and all that follows would be wrong.
    pub(super) fn skip_unit(&mut self, start: usize, was_unit: bool) {
        while !self.at_end() {
            let starts = self.at_unit_keyword() || self.at_declaration() || was_unit && self.previous_is("}");
            if self.position() > start && starts {
                break;
            }
            self.skip_balanced();
        }
    }

    /// One token, or everything from an opening bracket to its closing one.
    pub(super) fn skip_balanced(&mut self) {
        match self.closing_in_statement(self.position()) {
            Some(closing) => self.cursor.rewind(closing + 1),
            None => self.cursor.advance(),
        }
    }

    /// Where the bracket at `opener` is closed; `None` if it is not, or if no bracket is there.
    pub(super) fn closing(&self, opener: usize) -> Option<usize> {
        let mut expected = Vec::new();
        for position in opener..self.cursor.len() {
            let token = self.cursor.at(position);
            if token.kind == TokenKind::Keyword && UNIT_KEYWORDS.contains(&&*token.text) {
                return None;
            }
            match &*token.text {
                "(" if token.is("(") => expected.push(")"),
                "[" if token.is("[") => expected.push("]"),
                "{" if token.is("{") => expected.push("}"),
                close @ (")" | "]" | "}") if token.is(close) && expected.pop() != Some(close) => return None,
                _ => {}
            }
            if expected.is_empty() {
                return (position > opener).then_some(position);
            }
            // Deeper than anything that can be read: looking on would take quadratic time on heaps of brackets.
            if expected.len() > MAX_NESTING as usize {
                return None;
            }
        }
        None
    }

    /// [`Parser::closing`], if a parenthesis is closed before its statement ends.
    fn closing_in_statement(&self, opener: usize) -> Option<usize> {
        let closing = self.closing(opener)?;
        let inside = self.cursor.slice(opener, closing);
        let ends = |token: &Token| [";", "::", "fi", "od"].iter().any(|text| token.is(text));
        (inside[0].is("{") || !inside.iter().any(ends)).then_some(closing)
    }

    /// After a mistake in the bracket at `opener`: goes behind it, if it is closed.
    pub(super) fn skip_bracket(&mut self, opener: usize) {
        if !self.aborted
            && let Some(closing) = self.closing_in_statement(opener)
        {
            self.cursor.rewind(closing + 1);
        }
    }

    /// The bracket at `opener` should be closed here: something is wrong inside, or `close` is missing.
    pub(super) fn not_closed(&mut self, opener: usize, close: &str) -> Failed {
        if self.previous_swallowed_line() {
            self.line_swallowed = true;
            return Failed;
        }
        if self.closing_in_statement(opener).is_some() {
            return self.unexpected(&format!("`{close}`"));
        }
        let open = self.cursor.at(opener).clone();
        let message = format!("this `{}` is never closed", open.text);
        let diagnostic = Diagnostic::error("unclosed", open.span, message);
        self.report_here(diagnostic.also(self.peek().span, self.closer_expected(close)))
    }

    /// The current token ends a list of statements but not the construct around it: reports one or the other as
    /// wrong. Says whether the list goes on.
    pub(super) fn wrong_closer(&mut self) -> bool {
        let Some(open) = self.open.last().copied() else { return false };
        if self.at_end() || !self.is_closed_later(open) {
            self.unclosed(open);
            return false;
        }
        if self.at_unit_keyword() {
            self.nested_unit();
        } else if self.at("::") {
            self.stray_options();
        } else if open.opener != "{" && self.n_selections_closed() == self.n_selections_open() {
            self.mismatched_closer(open);
            return false;
        } else {
            self.stray_token();
            self.bump();
        }
        self.eat_separators();
        true
    }

    /// Whether enough closing tokens follow for `open` and all constructs of its kind around it.
    ///
    /// The list of statements inside `open` ended with a token that does not close it, so either that token is
    /// wrong or the closing one is missing. Counting tells which.
    pub(super) fn is_closed_later(&self, open: Open) -> bool {
        if open.opener == "{" {
            self.cursor.unmatched_closers() >= self.n_braces_open()
        } else {
            self.n_selections_closed() >= self.n_selections_open()
        }
    }

    /// Whether there are more `}` than braces to close.
    pub(super) fn has_spare_brace(&self) -> bool {
        self.cursor.unmatched_closers() > self.n_braces_open()
    }

    fn n_braces_open(&self) -> usize {
        self.open.iter().filter(|open| open.opener == "{").count()
    }

    /// How many `if`s and `do`s are open within the innermost brace.
    fn n_selections_open(&self) -> usize {
        self.open.iter().rev().take_while(|open| open.opener != "{").count()
    }

    /// How many `fi` and `od` close selections that are open here, up to the next `}` that closes a brace.
    fn n_selections_closed(&self) -> usize {
        let (mut braces, mut selections, mut closed) = (0usize, 0usize, 0usize);
        for position in self.position()..self.cursor.len() {
            let token = self.cursor.at(position);
            if token.is("{") {
                braces += 1;
            } else if token.is("}") && braces == 0 {
                break;
            } else if token.is("}") {
                braces -= 1;
            } else if braces > 0 {
                continue;
            } else if token.is("if") || token.is("do") {
                selections += 1;
            } else if token.is("fi") || token.is("od") {
                closed += usize::from(selections == 0);
                selections = selections.saturating_sub(1);
            }
        }
        closed
    }

    pub(super) fn unclosed(&mut self, open: Open) -> Failed {
        if self.previous_swallowed_line() || self.line_swallowed {
            return Failed;
        }
        let message = match open.opener {
            "{" => "this `{` is never closed".to_string(),
            opener => format!("this `{opener}` is not closed by `{}`", open.closer()),
        };
        let diagnostic = Diagnostic::error("unclosed", open.span, message);
        self.report_here(diagnostic.also(self.peek().span, self.closer_expected(open.closer())))
    }

    /// The last token is a string without its closing quote, which the lexer has complained about and closed at the
    /// end of the line: what is missing now is inside of it.
    fn previous_swallowed_line(&self) -> bool {
        self.cursor.previous().is_some_and(|token| {
            let length = (token.span.end - token.span.start) as usize;
            token.kind == TokenKind::String && token.expansion.is_none() && token.text.len() > length
        })
    }

    fn closer_expected(&self, close: &str) -> String {
        if self.at_end() {
            "the text ends here".to_string()
        } else {
            format!("expected `{close}` before this")
        }
    }

    fn mismatched_closer(&mut self, open: Open) {
        let closer = self.peek().clone();
        let article = if open.opener == "if" { "an" } else { "a" };
        let message = format!("`{}` cannot close {article} `{}`", closer.text, open.opener);
        self.report_here(
            Diagnostic::error("mismatched-closer", closer.span, message)
                .also(open.span, format!("this `{}` is open", open.opener))
                .help(format!("write `{}`", open.closer())),
        );
        self.bump();
    }

    /// `:: … :: … fi` without its beginning.
    fn stray_options(&mut self) {
        self.stray_token();
        while self.at("::") {
            self.bump();
            self.sequence(SequenceIn::Option, &mut Vec::new());
        }
        if self.at("fi") || self.at("od") {
            self.bump();
        }
    }

    /// A closing token or `::` that belongs to nothing.
    pub(super) fn stray_token(&mut self) -> Failed {
        let token = self.peek().clone();
        let message = match &*token.text {
            "::" => "`::` outside of `if` and `do`".to_string(),
            "fi" => "this `fi` closes no `if`".to_string(),
            "od" => "this `od` closes no `do`".to_string(),
            text => format!("this `{text}` closes nothing"),
        };
        self.report_here(Diagnostic::error("stray-token", token.span, message))
    }
}
