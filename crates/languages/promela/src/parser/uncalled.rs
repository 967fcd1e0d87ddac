//! Inlines that are never called: their bodies are read once, where they are written.
//!
//! Spin never looks at such a body. A parameter stands for any text there, and what the calls would have around them is not known.
//! So a mistake beside a parameter is no mistake, what depends on a call is only a warning, and calls inside are not expanded.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use allways_source::{Diagnostic, FileId, Severity};

use crate::ast::StatementKind;
use crate::token::{Token, TokenKind};

use super::cursor::Cursor;
use super::inlines::{Call, Definition};
use super::statements::SequenceIn;
use super::{Parse, Parser};

/// Mistakes in how tokens follow each other are errors wherever they are; these depend on what the calls are like.
const UNCERTAIN: [&str; 4] = ["unknown-inline", "missing-run", "label-inside-block", "nesting-too-deep"];

impl Parser {
    /// To be called at the end of the model.
    pub(super) fn uncalled_inlines(&mut self) {
        let is_uncalled = |definition: &&Definition| !self.called.contains(&definition.name.text);
        let mut uncalled: Vec<Definition> = self.inlines.values().filter(is_uncalled).cloned().collect();
        if uncalled.is_empty() || self.aborted {
            return;
        }
        uncalled.sort_by_key(|definition| (definition.name.span.file, definition.name.span.start));
        let counts = counts(self.cursor.slice(0, self.cursor.len()));
        for definition in &uncalled {
            self.read_uncalled(definition);
            self.look_for_names(definition, &counts);
        }
        // A file that is included may define more than is needed.
        let is_noted = |definition: &&Definition| {
            let name = &definition.name;
            name.span.file == FileId(0) && !self.called.contains(&name.text)
        };
        let names: Vec<_> =
            uncalled.iter().filter(is_noted).map(|definition| definition.name.clone()).collect();
        for name in names {
            let message = format!("inline `{}` is never called", name.text);
            self.report(Diagnostic::note("inline-never-called", name.span, message));
        }
    }

    fn read_uncalled(&mut self, definition: &Definition) {
        let [_, inner @ .., _] = &definition.body[..] else { return };
        if inner.is_empty() {
            return;
        }
        let name = &definition.name;
        let n_before = self.diagnostics.len();
        // Only the proctypes before a call matter, and there is none.
        let proctypes = std::mem::take(&mut self.proctypes);
        self.uncalled = Some(definition.parameters.clone());
        let cursor = Cursor::new(definition.body.to_vec());
        let call = Call { name: name.text.clone(), span: name.span, has_result: true };
        let owner = format!("the body of inline `{}`", name.text);
        let _ = self.detour(cursor, call, |parser| parser.block(SequenceIn::Inline, &owner));
        self.uncalled = None;
        self.proctypes = proctypes;
        self.aborted = false;
        let mut found = self.diagnostics.split_off(n_before);
        if found.iter().any(|diagnostic| is_beside_parameter(definition, diagnostic)) {
            // What follows may be a consequence.
            return;
        }
        for diagnostic in &mut found {
            if UNCERTAIN.contains(&diagnostic.code) {
                diagnostic.severity = diagnostic.severity.min(Severity::Warning);
            }
        }
        self.diagnostics.extend(found);
    }

    /// A call in a body that is never called itself.
    pub(super) fn call_in_uncalled(&mut self) -> Parse<StatementKind> {
        let text = self.peek().text.clone();
        let is_parameter = |name: &crate::ast::Name| name.text == text;
        let is_known = self.inlines.contains_key(&text)
            || self.broken_inlines.contains(&text)
            || self.uncalled.iter().any(|parameters| parameters.iter().any(is_parameter));
        if !is_known {
            return Err(self.unknown_call());
        }
        self.bump();
        self.call_arguments()?;
        Ok(StatementKind::Error)
    }

    /// Warns of names that are used in the body and stand nowhere else in the model, so that nothing can declare them.
    fn look_for_names(&mut self, definition: &Definition, everywhere: &HashMap<Arc<str>, usize>) {
        let here = counts(&definition.body);
        let unsure: HashSet<&str> = definition
            .body
            .windows(3)
            .filter(|around| !is_plain_use(around))
            .map(|around| &*around[1].text)
            .chain(definition.parameters.iter().map(|parameter| &*parameter.text))
            .collect();
        let mut told = HashSet::new();
        for token in definition.body.iter().filter(|token| token.kind == TokenKind::Name) {
            let name = &*token.text;
            let is_elsewhere = everywhere.get(name) != here.get(name);
            if is_elsewhere || unsure.contains(name) || name.starts_with('_') || !told.insert(name) {
                continue;
            }
            let message = format!("`{name}` is not declared");
            self.report(
                Diagnostic::warning("undeclared-name", token.span, message)
                    .help("nothing in the model declares it, so this inline cannot be called"),
            );
        }
    }
}

fn counts(tokens: &[Token]) -> HashMap<Arc<str>, usize> {
    let mut counts = HashMap::new();
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Name) {
        *counts.entry(token.text.clone()).or_insert(0) += 1;
    }
    counts
}

/// Whether the token in the middle can only be a name that is declared somewhere: it stands behind an operator, and no label, field,
/// call or declaration is made of it.
fn is_plain_use(around: &[Token]) -> bool {
    let [before, _, after] = around else { return false };
    let may_declare = before.kind != TokenKind::Punctuation || [",", ".", "@", ":"].contains(&&*before.text);
    let may_be_more = [":", "(", "@"].contains(&&*after.text) || after.kind == TokenKind::Name;
    !may_declare && !may_be_more
}

/// Whether the mistake is at a parameter or next to one.
fn is_beside_parameter(definition: &Definition, diagnostic: &Diagnostic) -> bool {
    let is_parameter = |token: &&Token| definition.parameters.iter().any(|name| name.text == token.text);
    let span = diagnostic.primary.span;
    let is_near = |position: usize| {
        let token = &definition.body[position];
        // An empty span is that behind a token.
        let overlap = span.start < token.span.end && token.span.start < span.end;
        (overlap || span.start == span.end && span.start == token.span.end) && token.span.file == span.file
    };
    (0..definition.body.len()).filter(|position| is_near(*position)).any(|position| {
        let around = position.saturating_sub(1)..=(position + 1).min(definition.body.len() - 1);
        around.filter_map(|near| definition.body.get(near)).any(|token| is_parameter(&token))
    })
}
