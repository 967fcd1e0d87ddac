//! Text in, text out: a dump of the tree, or the diagnostics.

mod constructs;
mod expressions;
mod habits;
mod inlines;
mod mistakes;
mod robustness;

use std::fmt::Write;
use std::io;
use std::path::Path;

use allways_source::{Diagnostic, Severity, SourceMap, Span};
use expect_test::Expect;

use super::dump::dump;
use super::{Parsed, parse};
use crate::preprocess::{Files, PreprocessOptions, preprocess};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> Result<String, io::Error> {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// What the preprocessor and the parser make of a text.
fn parse_text(text: &str) -> (SourceMap, Parsed) {
    let mut sources = SourceMap::default();
    let file = sources.add("m.pml", text);
    let preprocessed = preprocess(&mut sources, file, &PreprocessOptions::default(), &NoFiles);
    let mut parsed = parse(preprocessed.tokens, preprocessed.expansions);
    parsed.diagnostics.splice(..0, preprocessed.diagnostics);
    (sources, parsed)
}

/// The tree of a model without mistakes.
fn check(text: &str, expect: Expect) {
    let (sources, parsed) = parse_text(text);
    assert_eq!(render(&sources, &parsed.diagnostics), "", "diagnostics for:\n{text}");
    expect.assert_eq(&dump(&parsed.model));
}

/// The tree of the statements of an `init`, among some declarations.
fn check_body(body: &str, expect: Expect) {
    let (sources, parsed) = parse_text(&format!("init {{\n{body}\n}}"));
    assert_eq!(render(&sources, &parsed.diagnostics), "", "diagnostics for:\n{body}");
    let dump = dump(&parsed.model);
    let lines: Vec<&str> = dump.lines().skip(1).map(|line| &line[2..]).collect();
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

/// The diagnostics of a model.
fn check_errors(text: &str, expect: Expect) {
    let (sources, parsed) = parse_text(text);
    expect.assert_eq(&render(&sources, &parsed.diagnostics));
}

/// The diagnostics of the statements of an `init`, whose first line counts as line 1.
fn check_body_errors(body: &str, expect: Expect) {
    check_errors(&format!("init {{ {body}\n}}"), expect);
}

fn render(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    let at = |span: Span| {
        let position = sources.position(span);
        format!("{}:{} `{}`", position.line, position.column, sources.text(span).replace('\n', " "))
    };
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let place = at(diagnostic.primary.span);
        writeln!(text, "{severity}[{}] {place}: {}", diagnostic.code, diagnostic.message).unwrap();
        for label in &diagnostic.secondary {
            writeln!(text, "  {}: {}", at(label.span), label.text).unwrap();
        }
        for help in &diagnostic.help {
            writeln!(text, "  help: {help}").unwrap();
        }
    }
    text
}
