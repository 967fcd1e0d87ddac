//! Statements with a body: blocks, `if`, `do`, `for`; and `select`, which looks like `for`.

use allways_source::{Diagnostic, Span};

use crate::ast::{Block, Expr, Place, Statement, StatementKind};

use super::recovery::Open;
use super::statements::SequenceIn;
use super::{Failed, Parse, Parser};

impl Parser {
    /// `{ … }`; `owner` says in a message whose body it is.
    pub(super) fn block(&mut self, place: SequenceIn, owner: &str) -> Parse<Block> {
        let start = self.position();
        let opener = self.peek().span;
        if !self.eat("{") {
            let failed = self.unexpected("`{`");
            // With a `}` to spare the `{` was forgotten, and the statements are here.
            if self.at_sequence_end() || !self.has_spare_brace() {
                return Err(failed);
            }
        }
        let n_diagnostics = self.diagnostics.len();
        let statements = self.statements_until("{", opener, place);
        if statements.is_empty() && self.at("}") && self.diagnostics.len() == n_diagnostics {
            self.report(
                Diagnostic::error("empty-block", opener, format!("{owner} needs a statement"))
                    .help("write `skip` if there is nothing to do"),
            );
        }
        self.eat("}");
        Ok(Block { statements, span: self.span_from(start) })
    }

    /// The statements of one brace; stops at its `}`, or reports that there is none.
    fn statements_until(&mut self, opener: &'static str, span: Span, place: SequenceIn) -> Vec<Statement> {
        let lines_count = std::mem::replace(&mut self.lines_count, true);
        let brackets = std::mem::take(&mut self.brackets);
        self.open.push(Open { opener, span });
        let mut statements = Vec::new();
        loop {
            self.sequence(place, &mut statements);
            if self.at("}") || !self.wrong_closer() {
                break;
            }
        }
        self.open.pop();
        self.brackets = brackets;
        self.lines_count = lines_count;
        statements
    }

    /// `if … fi` or `do … od`.
    pub(super) fn selection(&mut self, keyword: &'static str) -> Parse<StatementKind> {
        let opener = self.bump().span;
        if self.at_foreign_selection() {
            self.foreign_selection(keyword, opener)?;
            return Ok(StatementKind::Error);
        }
        let open = Open { opener: keyword, span: opener };
        self.open.push(open);
        let options = self.options(open);
        self.open.pop();
        self.check_else(&options);
        Ok(if keyword == "if" { StatementKind::If(options) } else { StatementKind::Do(options) })
    }

    fn options(&mut self, open: Open) -> Vec<Block> {
        let mut options = Vec::new();
        self.eat_separators();
        if self.at(open.closer()) {
            self.report(
                Diagnostic::error("no-options", open.span, format!("this `{}` has no options", open.opener))
                    .help("an option starts with `::`"),
            );
        } else if !self.at("::") && !self.at_sequence_end() {
            self.report_here(
                Diagnostic::error(
                    "missing-option",
                    self.peek().span,
                    format!("expected `::` after `{}`", open.opener),
                )
                .also(open.span, "in this statement")
                .help("every option starts with `::`"),
            );
            if self.at(open.opener) && !self.is_closed_later(open) {
                // The word is there twice.
                self.bump();
            }
            if !self.at("::") {
                options.push(self.option(open.span));
            }
        }
        loop {
            if self.at("::") {
                let separator = self.bump().span;
                options.push(self.option(separator));
            } else if self.eat(open.closer()) || !self.wrong_closer() {
                return options;
            } else {
                // A misplaced token was skipped: the option goes on.
                let mut option = options.pop().unwrap_or(Block { statements: Vec::new(), span: open.span });
                self.sequence(SequenceIn::Option, &mut option.statements);
                options.push(option);
            }
        }
    }

    /// `separator` is the `::` in front of it.
    fn option(&mut self, separator: Span) -> Block {
        let start = self.position();
        let mut statements = Vec::new();
        self.sequence(SequenceIn::Option, &mut statements);
        if statements.is_empty() {
            self.report(
                Diagnostic::error("empty-option", separator, "this option needs a statement")
                    .help("write `:: skip` if there is nothing to do"),
            );
        }
        let span = if self.position() > start { separator.to(self.span_from(start)) } else { separator };
        Block { statements, span }
    }

    fn check_else(&mut self, options: &[Block]) {
        let mut first: Option<Span> = None;
        for option in options {
            let Some(Statement { kind: StatementKind::Else, span, .. }) = option.statements.first() else {
                continue;
            };
            match first {
                None => first = Some(*span),
                Some(first) => {
                    self.report(
                        Diagnostic::error("duplicate-else", *span, "a second `else` in one selection")
                            .also(first, "the first `else` is here"),
                    );
                }
            }
        }
    }

    pub(super) fn for_loop(&mut self) -> Parse<StatementKind> {
        self.bump();
        let opener = self.position();
        let header = self.bracketed("(", ")", |parser| parser.for_header(opener));
        if header.is_err() {
            self.skip_header(opener)?;
        }
        self.eat(";");
        let body = self.block(SequenceIn::Body, "the body of this `for`")?;
        Ok(match header {
            Ok(Header::Range { variable, from, to }) => StatementKind::ForRange {
                variable,
                from: Box::new(from),
                to: Box::new(to),
                body: Box::new(body),
            },
            Ok(Header::In { variable, collection }) => {
                StatementKind::ForIn { variable, collection: Box::new(collection), body: Box::new(body) }
            }
            Err(Failed) => StatementKind::Error,
        })
    }

    /// After a mistake in parentheses that open at `opener`: goes behind them, if a body follows.
    pub(super) fn skip_header(&mut self, opener: usize) -> Parse<()> {
        let closing = self.closing(opener).ok_or(Failed)?;
        self.cursor.rewind(closing + 1);
        if self.at("{") { Ok(()) } else { Err(Failed) }
    }

    fn for_header(&mut self, opener: usize) -> Parse<Header> {
        if let Some(failed) = self.foreign_for(opener) {
            return Err(failed);
        }
        let variable = self.place()?;
        if self.at_name() && &*self.peek().text == "in" {
            self.bump();
            return Ok(Header::In { variable, collection: self.place()? });
        }
        let (from, to) = self.range()?;
        Ok(Header::Range { variable, from, to })
    }

    pub(super) fn select(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.bracketed("(", ")", |parser| {
            let variable = parser.place()?;
            let (from, to) = parser.range()?;
            Ok(StatementKind::Select { variable, from: Box::new(from), to: Box::new(to) })
        })
    }

    /// `: from .. to`
    fn range(&mut self) -> Parse<(Expr, Expr)> {
        self.expect(":")?;
        let from = self.expression()?;
        self.expect("..")?;
        Ok((from, self.expression()?))
    }
}

enum Header {
    Range { variable: Place, from: Expr, to: Expr },
    In { variable: Place, collection: Place },
}
