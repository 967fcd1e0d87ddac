//! Directives: what a line that starts with `#` asks for.

use allways_source::{Diagnostic, Span, did_you_mean};

use super::{OpenFile, PpToken, Preprocessor, Reading, macros};
use crate::lexer::{Lexeme, LexemeKind, LineStart};

/// One `#if … #endif` that is open.
pub(super) struct Conditional {
    /// The `#if`, `#ifdef` or `#ifndef`.
    opened_at: Span,
    group: Group,
    /// The `#else`, once it was there.
    else_at: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// The current group is part of the text.
    Taken,
    /// No group was taken so far.
    NotYet,
    /// A group was taken before, or the whole conditional is inside a group that is skipped.
    Done,
}

impl OpenFile {
    pub(super) fn is_skipping(&self) -> bool {
        self.conditionals.last().is_some_and(|conditional| conditional.group != Group::Taken)
    }
}

/// Every directive there is, to guess what an unknown one was to be.
const DIRECTIVES: &[&str] = &[
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "error", "warning", "line", "pragma", "ident",
];

/// The directive at the start of `lexemes`, up to the end of its line.
pub(super) fn line_at(lexemes: &[Lexeme]) -> &[Lexeme] {
    let length = lexemes.iter().skip(1).take_while(|lexeme| lexeme.line_start != LineStart::Yes).count();
    &lexemes[..1 + length]
}

impl Preprocessor<'_> {
    /// Obeys a directive; `line` starts with its `#`.
    pub(super) fn directive(&mut self, line: &[Lexeme], reading: Reading) {
        let [hash, name, operands @ ..] = line else { return };
        let span = hash.span.to(name.span);
        if self.conditional_directive(&name.text, span, operands) || self.is_skipping() {
            return;
        }
        match &*name.text {
            "define" => self.define(span, operands),
            "undef" => self.undefine(span, operands),
            "include" if reading == Reading::Arguments => self.reports.add(include_in_arguments(span)),
            "include" => self.include(span, operands),
            "error" => self.reports.add(self.message(span, operands, "error-directive")),
            "warning" => self.reports.add(self.message(span, operands, "warning-directive")),
            "pragma" => self.pragma(operands),
            "line" | "ident" | "sccs" => {}
            // `# 12 "file"`, as preprocessors leave it in their output.
            _ if name.kind == LexemeKind::Number => {}
            _ => self.reports.add(unknown_directive(name)),
        }
    }

    fn is_skipping(&self) -> bool {
        self.open_files.last().is_some_and(OpenFile::is_skipping)
    }

    fn define(&mut self, span: Span, operands: &[Lexeme]) {
        let (defined, complaints) = macros::parse_definition(span, operands, &mut self.interner);
        let redefinition = defined.and_then(|defined| self.macros.define(defined));
        for complaint in complaints.into_iter().chain(redefinition) {
            self.reports.add(complaint);
        }
    }

    fn undefine(&mut self, span: Span, operands: &[Lexeme]) {
        match macros::macro_name(span, operands) {
            Ok(name) => self.macros.undefine(&name.text),
            Err(complaint) => self.reports.add(complaint),
        }
        self.expect_end_of_line("undef", operands.get(1..));
    }

    fn pragma(&mut self, operands: &[Lexeme]) {
        let is_once = operands.first().is_some_and(|operand| &*operand.text == "once");
        if let Some(open) = self.open_files.last().filter(|_| is_once) {
            self.once.insert(open.file);
        }
    }

    /// What an `#error` or `#warning` says, as it was written.
    fn message(&self, span: Span, operands: &[Lexeme], code: &'static str) -> Diagnostic {
        let text = match operands {
            [first, .., last] => self.sources.text(first.span.to(last.span)),
            [only] => self.sources.text(only.span),
            [] => "",
        };
        let whole = operands.last().map_or(span, |last| span.to(last.span));
        match (code, text) {
            ("error-directive", "") => Diagnostic::error(code, whole, "the model says `#error`"),
            ("error-directive", text) => Diagnostic::error(code, whole, text),
            (_, "") => Diagnostic::warning(code, whole, "the model says `#warning`"),
            (_, text) => Diagnostic::warning(code, whole, text),
        }
    }

    /// Warns of anything that follows a complete directive.
    pub(super) fn expect_end_of_line(&mut self, directive: &str, rest: Option<&[Lexeme]>) {
        if let Some([first, .., last] | [first @ last]) = rest {
            let message = format!("what follows a complete `#{directive}` is ignored");
            let warning = Diagnostic::warning("extra-text", first.span.to(last.span), message);
            self.reports.add(warning.help("put it into a comment"));
        }
    }
}

/// Conditionals.
impl Preprocessor<'_> {
    /// Obeys a directive that belongs to a conditional; false if it is another one.
    fn conditional_directive(&mut self, name: &str, span: Span, operands: &[Lexeme]) -> bool {
        match name {
            "if" | "ifdef" | "ifndef" => self.open_conditional(name, span, operands),
            "elif" | "elifdef" | "elifndef" => self.next_group(name, span, operands),
            "else" => self.else_group(span, operands),
            "endif" => self.close_conditional(span, operands),
            _ => return false,
        }
        true
    }

    fn open_conditional(&mut self, name: &str, span: Span, operands: &[Lexeme]) {
        let group = if self.is_skipping() {
            Group::Done
        } else if self.condition(name, span, operands) {
            Group::Taken
        } else {
            Group::NotYet
        };
        if let Some(file) = self.open_files.last_mut() {
            file.conditionals.push(Conditional { opened_at: span, group, else_at: None });
        }
    }

    /// The condition of a directive of the `#if` family.
    fn condition(&mut self, name: &str, span: Span, operands: &[Lexeme]) -> bool {
        let wanted = match name {
            "if" | "elif" => return self.evaluate_condition(name, span, operands),
            "ifdef" | "elifdef" => true,
            _ => false,
        };
        self.expect_end_of_line(name, operands.get(1..));
        match macros::macro_name(span, operands) {
            Ok(macro_name) => self.macros.find(&macro_name.text).is_some() == wanted,
            Err(complaint) => {
                self.reports.add(complaint);
                false
            }
        }
    }

    fn next_group(&mut self, name: &str, span: Span, operands: &[Lexeme]) {
        let Some(innermost) = self.innermost_conditional(name, span) else { return };
        if let Some(else_at) = innermost.else_at {
            innermost.group = Group::Done;
            self.reports.add(after_else(name, span, else_at));
            return;
        }
        match innermost.group {
            Group::Taken => innermost.group = Group::Done,
            Group::Done => {}
            Group::NotYet => {
                if self.condition(name, span, operands)
                    && let Some(innermost) = self.innermost_conditional(name, span)
                {
                    innermost.group = Group::Taken;
                }
            }
        }
    }

    fn else_group(&mut self, span: Span, operands: &[Lexeme]) {
        let Some(innermost) = self.innermost_conditional("else", span) else { return };
        if let Some(else_at) = innermost.else_at {
            innermost.group = Group::Done;
            self.reports.add(after_else("else", span, else_at));
            return;
        }
        innermost.else_at = Some(span);
        innermost.group = if innermost.group == Group::NotYet { Group::Taken } else { Group::Done };
        self.expect_end_of_line("else", Some(operands));
    }

    fn close_conditional(&mut self, span: Span, operands: &[Lexeme]) {
        if self.innermost_conditional("endif", span).is_none() {
            return;
        }
        if let Some(file) = self.open_files.last_mut() {
            file.conditionals.pop();
        }
        if !self.is_skipping() {
            self.expect_end_of_line("endif", Some(operands));
        }
    }

    /// The conditional to which a directive belongs; complains if there is none.
    fn innermost_conditional(&mut self, name: &str, span: Span) -> Option<&mut Conditional> {
        let conditionals = self.open_files.last_mut().map(|file| &mut file.conditionals)?;
        if conditionals.is_empty() {
            let message = format!("there is no `#if` before this `#{name}`");
            self.reports.add(Diagnostic::error("conditional-not-open", span, message));
        }
        conditionals.last_mut()
    }

    pub(super) fn complain_about_open(&mut self, conditionals: &[Conditional]) {
        for conditional in conditionals {
            let message = "this conditional has no `#endif` in its file";
            self.reports.add(
                Diagnostic::error("unterminated-conditional", conditional.opened_at, message)
                    .label("opened here"),
            );
        }
    }
}

fn after_else(name: &str, span: Span, else_at: Span) -> Diagnostic {
    let message = format!("`#{name}` cannot follow the `#else` of its conditional");
    Diagnostic::error("conditional-after-else", span, message).also(else_at, "the `#else` is here")
}

fn include_in_arguments(span: Span) -> Diagnostic {
    let message = "a file cannot be included inside of the arguments of a macro";
    Diagnostic::error("include-in-arguments", span, message)
}

fn unknown_directive(name: &Lexeme) -> Diagnostic {
    let message = format!("there is no directive `#{}`", name.text);
    let complaint = Diagnostic::error("unknown-directive", name.span, message);
    match did_you_mean(&name.text, DIRECTIVES.iter().copied()) {
        Some(known) => complaint.help(format!("did you mean `#{known}`?")),
        None => complaint,
    }
}

/// The operands of a directive, to be expanded for themselves.
pub(super) fn tokens_of(operands: &[Lexeme]) -> Vec<PpToken> {
    operands.iter().map(PpToken::from_text).collect()
}
