//! Lists of statements, labels, and the statements without a body of their own.

use allways_source::Diagnostic;
use allways_system::Few;

use crate::ast::{EmbeddedC, Expr, ExprKind, Name, Place, Statement, StatementKind};
use crate::token::TokenKind;

use super::{Failed, Parse, Parser, STATEMENT_LEVELS};

/// Where a list of statements stands; decides what may come first in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SequenceIn {
    /// The body of a process, of a claim or of a `for`.
    Body,
    /// `{ … }`, `atomic { … }`, `d_step { … }`; the word is the one in front of the brace.
    Block(&'static str),
    Inline,
    Option,
}

impl Parser {
    /// Statements up to a token that cannot start one; `statements` has those that came before, if the list
    /// was interrupted by a mistake.
    pub(super) fn sequence(&mut self, place: SequenceIn, statements: &mut Vec<Statement>) {
        let separator = self.peek().clone();
        let misplaced = self.eat_separators() && statements.is_empty() && !self.at_sequence_end();
        if misplaced {
            let message = format!("expected a statement before this `{}`", separator.text);
            self.report(
                Diagnostic::error("missing-statement", separator.span, message)
                    .help("use `skip` if there is nothing to do"),
            );
        }
        while !self.at_sequence_end() {
            let start = self.position();
            let statement = self.labelled_statement(place, statements.is_empty());
            self.separator(&statement.kind);
            statements.push(statement);
            if self.position() == start {
                self.bump();
            }
        }
    }

    pub(super) fn eat_separators(&mut self) -> bool {
        let start = self.position();
        while self.at_separator() {
            self.bump();
        }
        self.position() > start
    }

    /// What separates a statement from the next. After a `}` (also that of an inline) and after `else` nothing
    /// has to.
    fn separator(&mut self, before: &StatementKind) {
        if self.eat_separators() || self.at_sequence_end() || self.line_ends() {
            return;
        }
        let complete =
            matches!(before, StatementKind::Else | StatementKind::Inline(_) | StatementKind::Error);
        if complete || self.previous_is("}") {
            return;
        }
        self.missing_separator();
        self.eat_separators();
    }

    fn labelled_statement(&mut self, place: SequenceIn, is_first: bool) -> Statement {
        let start = self.position();
        let result = self.nested(STATEMENT_LEVELS, |parser| {
            let labels = parser.labels();
            if let (Some(label), true) = (labels.first(), is_first) {
                parser.check_first_label(place, label);
            }
            let statement = parser.statement_after(labels)?;
            if parser.at("unless") { parser.unless(statement) } else { Ok(statement) }
        });
        result.unwrap_or_else(|Failed| {
            self.skip_statement(start);
            Statement {
                labels: Few::default(),
                kind: StatementKind::Error,
                span: self.span_from(start),
                expansion: None,
            }
        })
    }

    fn labels(&mut self) -> Few<Name> {
        let mut labels = Few::default();
        while self.at_label() {
            let token = self.bump();
            labels.push(Name { text: token.text, span: token.span });
            self.bump();
        }
        labels
    }

    /// `name :`, unless `name` is a proctype and the text is a reference to a variable of it.
    fn at_label(&self) -> bool {
        self.at_name() && self.nth_is(1, ":") && !self.proctypes.contains(&self.peek().text)
    }

    /// Spin cannot jump to the first statement of a block, as that is not a control point of its own, unless it is a loop.
    fn check_first_label(&mut self, place: SequenceIn, label: &Name) {
        if self.at("do") && !matches!(place, SequenceIn::Option) {
            return;
        }
        let text = &label.text;
        let (help, tolerated) = match place {
            SequenceIn::Body => return,
            SequenceIn::Block(word) => {
                let keyword = if word.is_empty() { String::new() } else { format!("{word} ") };
                (format!("write `{text}: {keyword}{{ … }}` instead of `{keyword}{{ {text}: … }}`"), false)
            }
            SequenceIn::Inline => {
                (format!("put the label in front of the call, or write `skip; {text}: …`"), false)
            }
            SequenceIn::Option => {
                (format!("put the label in front of the `if` or `do`, or write `:: skip; {text}: …`"), true)
            }
        };
        let diagnostic = if tolerated {
            let message = format!("label `{text}` at the start of an option: a jump to it skips the choice");
            Diagnostic::warning("label-in-option", label.span, message)
        } else {
            let message = format!("label `{text}` cannot be the first thing inside a block");
            Diagnostic::error("label-inside-block", label.span, message)
        };
        self.report(diagnostic.help(help));
    }

    /// The statement `labels` belong to. A label in front of nothing gets a `skip`.
    fn statement_after(&mut self, labels: Few<Name>) -> Parse<Statement> {
        let start = self.position();
        let expansion = self.peek().expansion;
        if !labels.is_empty() && (self.at_separator() || self.at_sequence_end()) {
            let span = labels[labels.len() - 1].span;
            let kind = StatementKind::Expression(Expr { kind: ExprKind::Constant(1), span });
            return Ok(Statement { labels, kind, span, expansion });
        }
        if let Some(label) = labels.first()
            && (self.at_declaration() || self.at_any(&["xr", "xs"]))
        {
            self.report(
                Diagnostic::error(
                    "label-before-declaration",
                    label.span,
                    format!("label `{}` stands in front of a declaration", label.text),
                )
                .help("a label names a statement: put it after the declaration"),
            );
        }
        let kind = self.statement()?;
        Ok(Statement { labels, kind, span: self.span_from(start), expansion })
    }

    /// A branch of an `if` of another language: read for its own mistakes.
    pub(super) fn foreign_branch(&mut self) -> Parse<()> {
        if self.at("{") && self.nth_is(1, "}") {
            self.skip_balanced();
            return Ok(());
        }
        self.nested(STATEMENT_LEVELS, Parser::statement).map(drop)
    }

    fn unless(&mut self, mut main: Statement) -> Parse<Statement> {
        let start = self.bump();
        let labels = self.labels();
        if let Some(label) = labels.first() {
            self.report(
                Diagnostic::error(
                    "label-inside-block",
                    label.span,
                    format!("label `{}` cannot be the first thing after `unless`", label.text),
                )
                .help(format!("write `unless {{ skip; {}: … }}`", label.text)),
            );
        }
        let escape = self.statement_after(labels)?;
        if self.at("unless") {
            self.report_here(
                Diagnostic::error("chained-unless", self.peek().span, "two `unless` in a row")
                    .also(start.span, "the first one")
                    .help("put braces around one: `{ a unless b } unless c`"),
            );
            self.bump();
            self.statement_after(Few::default())?;
        }
        let span = main.span.to(escape.span);
        Ok(Statement {
            labels: std::mem::take(&mut main.labels),
            expansion: main.expansion,
            kind: StatementKind::Unless { main: Box::new(main), escape: Box::new(escape) },
            span,
        })
    }

    fn statement(&mut self) -> Parse<StatementKind> {
        match self.peek().kind {
            TokenKind::Keyword => self.keyword_statement(),
            TokenKind::Name => self.name_statement(),
            TokenKind::Punctuation if self.at("{") => {
                Ok(StatementKind::Block(self.block(SequenceIn::Block(""), "this block")?))
            }
            TokenKind::Punctuation if self.at_broken_line() => Err(self.line_break_in_expression()),
            _ => self.expression_statement(),
        }
    }

    fn keyword_statement(&mut self) -> Parse<StatementKind> {
        if self.at_declaration() {
            return self.local_declaration();
        }
        let word = self.peek().text.clone();
        if self.nth_is(1, ":") {
            return Err(self.reserved_word());
        }
        Ok(match &*word {
            "if" => self.selection("if")?,
            "do" => self.selection("do")?,
            "for" => self.for_loop()?,
            "select" => self.select()?,
            "atomic" => {
                self.bump();
                StatementKind::Atomic(self.block(SequenceIn::Block("atomic"), "`atomic`")?)
            }
            "d_step" => {
                self.bump();
                StatementKind::DStep(self.block(SequenceIn::Block("d_step"), "`d_step`")?)
            }
            "else" => {
                self.bump();
                StatementKind::Else
            }
            "break" => {
                self.bump();
                StatementKind::Break
            }
            "goto" => {
                self.bump();
                StatementKind::Goto(self.expect_name("the name of a label")?)
            }
            "assert" => {
                self.bump();
                StatementKind::Assert(self.expression()?)
            }
            "printf" => self.printf()?,
            "printm" => {
                self.bump();
                StatementKind::Printm(self.bracketed("(", ")", Parser::expression)?)
            }
            "set_priority" => self.set_priority()?,
            "xr" | "xs" => {
                let receive = &*self.bump().text == "xr";
                StatementKind::Exclusive { receive, channels: self.comma_list(Parser::place)? }
            }
            "return" => self.return_value()?,
            "c_code" => StatementKind::EmbeddedC(self.embedded_c()?),
            _ => self.expression_statement()?,
        })
    }

    fn name_statement(&mut self) -> Parse<StatementKind> {
        if let Some(failed) = self.foreign_statement() {
            return Err(failed);
        }
        if self.at_call() {
            return self.call_statement(None);
        }
        if self.at_declaration() {
            return self.local_declaration();
        }
        self.expression_statement()
    }

    fn local_declaration(&mut self) -> Parse<StatementKind> {
        if self.at_mtype_list() {
            self.report(
                Diagnostic::error(
                    "local-mtype",
                    self.peek().span,
                    "the names of an mtype cannot be declared inside a process",
                )
                .help("move this declaration out of the process"),
            );
            self.mtype_list()?;
            return Ok(StatementKind::Error);
        }
        Ok(StatementKind::Declaration(Box::new(self.declaration()?)))
    }

    /// A condition, or what starts with a variable: an assignment, a send, a receive.
    fn expression_statement(&mut self) -> Parse<StatementKind> {
        let start = self.position();
        let expr = self.expression()?;
        if self.line_ends() {
            return Ok(StatementKind::Expression(expr));
        }
        let operator = self.peek().text.clone();
        if !self.at_any(&["=", "++", "--", "!", "!!", "?", "??"]) {
            return Ok(StatementKind::Expression(expr));
        }
        let target = self.as_place(expr, start)?;
        self.bump();
        Ok(match &*operator {
            "=" if self.at("[") => return Err(self.channel_outside_declaration()),
            "=" if self.at_call() => self.call_statement(Some(target))?,
            "=" => StatementKind::Assign { target, value: self.expression()? },
            "++" => StatementKind::Increment(target),
            "--" => StatementKind::Decrement(target),
            "!" | "!!" => self.send(target, &*operator == "!!")?,
            _ => self.receive(target, &*operator == "??")?,
        })
    }

    /// What stands in front of `=`, `!`, `?` and the like has to be a variable.
    fn as_place(&mut self, expr: Expr, start: usize) -> Parse<Place> {
        let in_parentheses = self.cursor.at(start).is("(");
        match expr.kind {
            ExprKind::Place(place) if !in_parentheses => Ok(place),
            kind => Err(self.not_a_variable(&kind, expr.span)),
        }
    }

    fn printf(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.bracketed("(", ")", |parser| {
            if parser.peek().kind != TokenKind::String {
                return Err(parser.format_expected());
            }
            let format = parser.bump();
            let mut arguments = Vec::new();
            while parser.eat(",") {
                arguments.push(parser.expression()?);
            }
            Ok(StatementKind::Printf { format: format.text, format_span: format.span, arguments })
        })
    }

    fn set_priority(&mut self) -> Parse<StatementKind> {
        self.bump();
        self.bracketed("(", ")", |parser| {
            let pid = parser.expression()?;
            parser.expect(",")?;
            let priority = Box::new(parser.expression()?);
            Ok(StatementKind::SetPriority { pid: Box::new(pid), priority })
        })
    }

    fn return_value(&mut self) -> Parse<StatementKind> {
        let keyword = self.bump();
        match self.calls.last() {
            None => Err(self.return_outside_inline(keyword.span)),
            Some(call) if !call.has_result => Err(self.result_is_lost(keyword.span)),
            Some(_) => Ok(StatementKind::Return(self.expression()?)),
        }
    }

    /// `c_code`, `c_decl`, `c_expr` with an optional precondition, or `c_state`, `c_track` with their strings.
    pub(super) fn embedded_c(&mut self) -> Parse<EmbeddedC> {
        let start = self.position();
        let keyword = self.bump().text;
        if matches!(&*keyword, "c_state" | "c_track") {
            while self.peek().kind == TokenKind::String {
                self.bump();
            }
            return Ok(EmbeddedC { keyword, span: self.span_from(start) });
        }
        if self.at("[") {
            self.skip_embedded("[", "]")?;
        }
        self.skip_embedded("{", "}")?;
        Ok(EmbeddedC { keyword, span: self.span_from(start) })
    }

    /// Text in C: only the brackets of this one kind are looked at.
    fn skip_embedded(&mut self, open: &str, close: &str) -> Parse<()> {
        let opener = self.position();
        self.expect(open)?;
        let mut depth = 1;
        while depth > 0 {
            if self.at_end() {
                return Err(self.not_closed(opener, close));
            }
            let token = self.bump();
            depth += i32::from(token.is(open)) - i32::from(token.is(close));
        }
        Ok(())
    }
}
