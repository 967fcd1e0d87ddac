//! Definitions of inlines, and their calls.
//!
//! As in Spin an inline is a macro over tokens: at a call the text of the arguments takes the place of the
//! parameters, without parentheses, and the result is read as a block. The tokens of the body keep their places in
//! the body, those of an argument their places in the call, so that messages point to what the user wrote.

use std::sync::Arc;

use allways_source::{Diagnostic, Span, did_you_mean};

use crate::ast::{Expansion, ExpansionId, InlineCall, Name, Place, StatementKind};
use crate::token::{Token, TokenKind};

use super::cursor::Cursor;
use super::recovery::Open;
use super::statements::SequenceIn;
use super::{Failed, Parse, Parser, STATEMENT_LEVELS};

/// Inlines that call each other twice grow exponentially; this is far more than any model people write needs.
const MAX_EXPANDED: usize = 2_000_000;

#[derive(Clone)]
pub(super) struct Definition {
    pub(super) name: Name,
    pub(super) parameters: Arc<[Name]>,
    /// With its braces.
    pub(super) body: Arc<[Token]>,
}

/// A call that is being expanded.
pub(super) struct Call {
    pub(super) name: Arc<str>,
    pub(super) span: Span,
    /// Called as `x = name(…)`.
    pub(super) has_result: bool,
}

impl Parser {
    /// `inline name(a, b) { … }`: the body is kept as tokens and not looked at before a call, or the end of
    /// the model (`uncalled.rs`).
    pub(super) fn inline_definition(&mut self) -> Parse<()> {
        self.bump();
        let name = self.expect_name("the name of the inline")?;
        let definition = match self.parameters_and_body(name.clone()) {
            Ok(definition) => definition,
            Err(Failed) => {
                self.broken_inlines.insert(name.text);
                return Err(Failed);
            }
        };
        if let Some(first) = self.inlines.get(&name.text) {
            let message = format!("inline `{}` is defined twice", name.text);
            let diagnostic = Diagnostic::error("duplicate-inline", name.span, message)
                .also(first.name.span, "the first definition is here");
            self.report(diagnostic);
        } else {
            self.inlines.insert(name.text, definition);
        }
        Ok(())
    }

    fn parameters_and_body(&mut self, name: Name) -> Parse<Definition> {
        let parameters = self.argument_list(|parser| parser.expect_name("the name of a parameter"))?;
        self.check_parameters(&name, &parameters);
        if !self.at("{") {
            return Err(self.unexpected("`{`"));
        }
        let start = self.position();
        let Some(end) = self.closing_brace(start) else {
            return Err(self.unclosed_body());
        };
        self.cursor.rewind(end + 1);
        let body = self.cursor.slice(start, end + 1).into();
        Ok(Definition { name, parameters: parameters.into(), body })
    }

    fn check_parameters(&mut self, name: &Name, parameters: &[Name]) {
        for (i, parameter) in parameters.iter().enumerate() {
            if let Some(first) = parameters[..i].iter().find(|first| first.text == parameter.text) {
                let message = format!("inline `{}` has two parameters `{}`", name.text, parameter.text);
                self.report(
                    Diagnostic::warning("duplicate-parameter", parameter.span, message)
                        .also(first.span, "the first one")
                        .help("the first one counts"),
                );
            }
        }
    }

    /// Where the brace at `opener` is closed. Other brackets do not count: whether they match is found out when
    /// the body is read.
    fn closing_brace(&self, opener: usize) -> Option<usize> {
        let mut depth = 0usize;
        (opener..self.cursor.len()).find(|position| {
            let token = self.cursor.at(*position);
            depth += usize::from(token.is("{"));
            depth -= usize::from(token.is("}"));
            depth == 0
        })
    }

    /// At the `{` of an inline: there is no `}` for it before the next unit, nor anywhere else.
    fn unclosed_body(&mut self) -> Failed {
        let open = Open { opener: "{", span: self.peek().span };
        while !(self.at_end() || self.at_unit_keyword() && self.peek().starts_line) {
            self.bump();
        }
        self.unclosed(open)
    }

    /// `name(`; if a line break between can end a statement, `name` has to be an inline.
    pub(super) fn at_call(&self) -> bool {
        let broken = self.lines_count && self.brackets == 0 && self.cursor.nth(1).starts_line;
        self.at_name() && self.nth_is(1, "(") && (!broken || self.inlines.contains_key(&self.peek().text))
    }

    /// `name(…)`, or the part after `=` of `result = name(…)`.
    pub(super) fn call_statement(&mut self, result: Option<Place>) -> Parse<StatementKind> {
        let start = self.position();
        self.called.insert(self.peek().text.clone());
        if self.uncalled.is_some() {
            return self.call_in_uncalled();
        }
        let Some(definition) = self.inlines.get(&self.peek().text).cloned() else {
            if self.broken_inlines.contains(&self.peek().text) {
                return Err(Failed);
            }
            return Err(self.unknown_call());
        };
        let token = self.bump();
        let arguments = self.call_arguments()?;
        let span = self.span_from(start);
        let name = Name { text: token.text.clone(), span: token.span };
        let call = Call { name: token.text.clone(), span, has_result: result.is_some() };
        if self.check_call(&definition, &arguments, &name, span).is_err() {
            return Ok(StatementKind::Error);
        }
        let id = ExpansionId(self.expansions.len() as u32);
        self.expansions.push(Expansion { name: token.text, call: span, parent: token.expansion });
        let cursor = substitute(&definition, &arguments, id);
        self.n_expanded += cursor.len();
        let owner = format!("the body of inline `{}`", name.text);
        let body = self.detour(cursor, call, |parser| parser.block(SequenceIn::Inline, &owner))?;
        Ok(StatementKind::Inline(Box::new(InlineCall { name, result, body, id })))
    }

    /// The text of each argument. It has to be an expression, so that a mistake in it is reported here and not
    /// wherever the parameter is used.
    pub(super) fn call_arguments(&mut self) -> Parse<Vec<Vec<Token>>> {
        self.argument_list(|parser| {
            let start = parser.position();
            parser.expression()?;
            Ok(parser.cursor.slice(start, parser.position()).to_vec())
        })
    }

    fn check_call(
        &mut self,
        definition: &Definition,
        arguments: &[Vec<Token>],
        name: &Name,
        span: Span,
    ) -> Parse<()> {
        if self.calls.iter().any(|call| call.name == name.text) {
            return Err(self.recursive_call(name));
        }
        if arguments.len() != definition.parameters.len() {
            let message = format!(
                "inline `{}` takes {}, but {} given",
                name.text,
                counted(definition.parameters.len(), "argument"),
                match arguments.len() {
                    1 => "1 is".to_string(),
                    n => format!("{n} are"),
                }
            );
            let diagnostic = Diagnostic::error("inline-arity", span, message)
                .also(definition.name.span, "it is defined here");
            return Err(self.report(diagnostic));
        }
        if self.n_expanded + definition.body.len() > MAX_EXPANDED {
            return Err(self.abort(
                Diagnostic::error(
                    "expansion-too-large",
                    span,
                    format!("the calls of inlines expand to more than {MAX_EXPANDED} tokens"),
                )
                .help("use a proctype where inlines call each other many times"),
            ));
        }
        Ok(())
    }

    fn recursive_call(&mut self, name: &Name) -> Failed {
        let first = self.calls.iter().position(|call| call.name == name.text).unwrap_or(0);
        let mut chain: Vec<&str> = self.calls[first..].iter().map(|call| &*call.name).collect();
        chain.push(&name.text);
        let message = format!("inline `{}` calls itself: {}", name.text, chain.join(" -> "));
        self.report(
            Diagnostic::error("recursive-inline", name.span, message)
                .help("an inline is put in place of its call, so recursion would never end; use a loop"),
        )
    }

    /// Reads from another list of tokens, as if nothing stood around it.
    pub(super) fn detour<T>(
        &mut self,
        cursor: Cursor,
        call: Call,
        parse: impl FnOnce(&mut Parser) -> Parse<T>,
    ) -> Parse<T> {
        let cursor = std::mem::replace(&mut self.cursor, cursor);
        let open = std::mem::take(&mut self.open);
        let brackets = std::mem::take(&mut self.brackets);
        let blamed = self.blamed.take();
        self.calls.push(call);
        let result = self.nested(STATEMENT_LEVELS, parse);
        self.calls.pop();
        self.blamed = blamed;
        self.brackets = brackets;
        self.open = open;
        self.cursor = cursor;
        if self.aborted {
            self.cursor.jump_to_end();
        }
        result
    }

    /// `name(…)` where `name` is not an inline, or not yet.
    pub(super) fn unknown_call(&mut self) -> Failed {
        let token = self.peek().clone();
        let text = &token.text;
        let diagnostic = if let Some(definition) = self.outline.inlines.get(text) {
            Diagnostic::error(
                "inline-before-definition",
                token.span,
                format!("inline `{text}` is called before its definition"),
            )
            .also(*definition, "it is defined here")
            .help("move the definition of the inline above its first call")
        } else if self.outline.proctypes.contains(text) {
            Diagnostic::error("missing-run", token.span, format!("`{text}` is a proctype, not an inline"))
                .help(format!("write `run {text}(…)` to start a process"))
        } else {
            let diagnostic = Diagnostic::error(
                "unknown-inline",
                token.span,
                format!("there is no inline called `{text}`"),
            );
            let names = self.inlines.keys().map(|name| &**name);
            match did_you_mean(text, names.chain(["printf", "printm", "assert", "select", "set_priority"])) {
                Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
                None => diagnostic,
            }
        };
        let failed = self.report_here(diagnostic);
        self.bump();
        failed
    }
}

/// The body of an inline with arguments for parameters. An argument is all on one line, so that line breaks in a
/// call end no statement in the body.
fn substitute(definition: &Definition, arguments: &[Vec<Token>], id: ExpansionId) -> Cursor {
    let mut tokens = Vec::with_capacity(definition.body.len() + 1);
    let mut sites = Vec::with_capacity(definition.body.len() + 1);
    for token in &*definition.body {
        let parameter = (token.kind == TokenKind::Name)
            .then(|| definition.parameters.iter().position(|parameter| parameter.text == token.text))
            .flatten();
        match parameter {
            None => {
                tokens.push(Token { expansion: Some(id), ..token.clone() });
                sites.push(None);
            }
            Some(parameter) => {
                for (i, argument) in arguments[parameter].iter().enumerate() {
                    tokens.push(Token { starts_line: i == 0 && token.starts_line, ..argument.clone() });
                    sites.push(Some(token.span));
                }
            }
        }
    }
    Cursor::with_sites(tokens, sites)
}

fn counted(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
