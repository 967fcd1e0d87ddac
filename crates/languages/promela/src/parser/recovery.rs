//! Where to go on after a mistake, and which bracket a stray closer belongs to.

use allways_source::{Diagnostic, Span};

use crate::token::{Token, TokenKind};

use super::{Failed, Parser};

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
const STATEMENT_KEYWORDS: &[&str] = &[
    "if", "do", "for", "select", "atomic", "d_step", "goto", "break", "else", "assert", "printf", "printm",
    "return", "c_code", "xr", "xs",
];

impl Parser {
    pub(super) fn at_unit_keyword(&self) -> bool {
        self.at_any(UNIT_KEYWORDS)
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

    /// After a mistake outside all bodies: goes to where a unit can start.
    pub(super) fn skip_unit(&mut self, start: usize) {
        while !self.at_end() {
            if self.position() > start && (self.at_unit_keyword() || self.at_declaration()) {
                break;
            }
            if self.at(";") {
                self.bump();
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

    /// The bracket at `opener` should be closed here: something is wrong inside, or `close` is missing.
    pub(super) fn not_closed(&mut self, opener: usize, close: &str) -> Failed {
        if self.closing_in_statement(opener).is_some() {
            return self.unexpected(&format!("`{close}`"));
        }
        let open = self.cursor.at(opener).clone();
        let message = format!("this `{}` is never closed", open.text);
        self.report_here(
            Diagnostic::error("unclosed", open.span, message)
                .also(self.peek().span, format!("expected `{close}` before this")),
        )
    }

    /// The current token ends a list of statements but not the construct around it: reports one or the other as
    /// wrong. Says whether the list goes on.
    pub(super) fn wrong_closer(&mut self) -> bool {
        let Some(open) = self.open.last().copied() else { return false };
        let misplaced = !self.at_end() && self.is_closed_later(open);
        if !misplaced {
            self.unclosed(open);
            return false;
        }
        if self.at_unit_keyword() {
            self.nested_unit();
            return true;
        }
        if open.opener != "{" && self.at_any(&["fi", "od"]) {
            self.mismatched_closer(open);
            return false;
        }
        self.stray_token();
        self.bump();
        true
    }

    /// Whether enough closing tokens follow for `open` and all constructs of its kind around it.
    ///
    /// The list of statements inside `open` ended with a token that does not close it, so either that token is
    /// wrong or the closing one is missing. Counting tells which.
    fn is_closed_later(&self, open: Open) -> bool {
        if open.opener == "{" {
            let braces = self.open.iter().filter(|open| open.opener == "{").count();
            return self.cursor.unmatched_closers() >= braces;
        }
        let selections = self.open.iter().rev().take_while(|open| open.opener != "{").count();
        self.n_selections_closed() >= selections
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
        let message = match open.opener {
            "{" => "this `{` is never closed".to_string(),
            opener => format!("this `{opener}` is not closed by `{}`", open.closer()),
        };
        let found = if self.at_end() {
            "the text ends here".to_string()
        } else {
            format!("expected `{}` before this", open.closer())
        };
        self.report_here(Diagnostic::error("unclosed", open.span, message).also(self.peek().span, found))
    }

    fn mismatched_closer(&mut self, open: Open) {
        let closer = self.peek().clone();
        let message = format!("`{}` cannot close a `{}`", closer.text, open.opener);
        self.report_here(
            Diagnostic::error("mismatched-closer", closer.span, message)
                .also(open.span, format!("this `{}` is open", open.opener))
                .help(format!("write `{}`", open.closer())),
        );
        self.bump();
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
