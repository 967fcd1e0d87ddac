//! Mistakes and warnings of a model, with the source line and carets, or as JSON.

use std::collections::HashSet;
use std::ops::Range;

use allways_source::{Diagnostic, FileId, Label, Severity, SourceMap, Span};
use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::palette::Palette;

/// One diagnostic for machines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticRecord {
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    pub severity: String,
    /// Stable kebab-case name of the kind of mistake.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// The file it is in.
    pub file: String,
    /// From 1; null if the file could not be read at all.
    pub line: Option<u32>,
    /// From 1, in characters.
    pub column: Option<u32>,
    /// What to do about it.
    pub help: Vec<String>,
}

/// Diagnostics in the order of the text, each once.
///
/// The same mistake can be met several times, e.g. through several calls of one inline.
pub fn in_order(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut seen = HashSet::new();
    let mut list: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| seen.insert(*diagnostic)).collect();
    list.sort_by_key(|diagnostic| (diagnostic.primary.span.file, diagnostic.primary.span.start));
    list
}

/// All diagnostics the way `rustc` shows them. Ends with a newline unless there are none.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic], palette: Palette) -> String {
    let renderer = match palette {
        Palette::Plain => Renderer::plain(),
        Palette::Coloured => Renderer::styled(),
    };
    in_order(diagnostics).iter().map(|diagnostic| render_one(sources, diagnostic, &renderer)).collect()
}

/// `2 errors, 1 warning`; empty if there are no diagnostics.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let list = in_order(diagnostics);
    let count = |severity| list.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let parts = [
        (count(Severity::Error), "error"),
        (count(Severity::Warning), "warning"),
        (count(Severity::Note), "note"),
    ];
    let words = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| crate::text::counted(*n as u64, word));
    words.collect::<Vec<_>>().join(", ")
}

/// The same for machines.
pub fn records(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<DiagnosticRecord> {
    let record = |diagnostic: &&Diagnostic| {
        let span = diagnostic.primary.span;
        let position = sources.position(span);
        DiagnosticRecord {
            severity: severity_word(diagnostic.severity).to_string(),
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
            file: sources.path(span.file).display().to_string(),
            line: Some(position.line),
            column: Some(position.column),
            help: diagnostic.help.clone(),
        }
    };
    in_order(diagnostics).iter().map(record).collect()
}

fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn render_one(sources: &SourceMap, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    // The renderer lays out one snippet per file; what it shows first is the file of the primary label.
    let mut files = vec![diagnostic.primary.span.file];
    for label in &diagnostic.secondary {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let excerpts = files.iter().map(|file| Excerpt::new(sources, *file, diagnostic).snippet());
    let message = level.primary_title(&*diagnostic.message).id(diagnostic.code).elements(excerpts);
    let message = message.elements(diagnostic.help.iter().map(|help| Level::HELP.message(&**help)));
    format!("{}\n\n", renderer.render(&[message]))
}

/// The part of one file that a diagnostic is about.
///
/// Only the lines between the first and the last label are handed to the renderer: it looks at every character it
/// is given, and a model may be long.
struct Excerpt<'d> {
    text: &'d str,
    first_line: usize,
    path: String,
    /// Where the labels are in `text`, whether they are primary, and what they say.
    labels: Vec<(Range<usize>, bool, &'d str)>,
}

impl<'d> Excerpt<'d> {
    fn new(sources: &'d SourceMap, file: FileId, diagnostic: &'d Diagnostic) -> Excerpt<'d> {
        let primary = std::iter::once((&diagnostic.primary, true));
        let secondary = diagnostic.secondary.iter().map(|label| (label, false));
        let of_file = primary.chain(secondary).filter(|(label, _)| label.span.file == file);
        let labels: Vec<(&Label, bool)> = of_file.collect();
        let text = &sources.file(file).text;
        let ranges: Vec<Range<usize>> = labels.iter().map(|(label, _)| visible(text, label.span)).collect();
        let start = ranges.iter().map(|range| range.start).min().unwrap_or(0);
        let end = ranges.iter().map(|range| range.end).max().unwrap_or(0);
        let start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        let labels = labels.iter().zip(&ranges).map(|((label, is_primary), range)| {
            (range.start - start..range.end - start, *is_primary, &*label.text)
        });
        Excerpt {
            text: &text[start..end],
            first_line: sources.line(Span::new(file, start, start)) as usize,
            path: sources.path(file).display().to_string(),
            labels: labels.collect(),
        }
    }

    fn snippet(self) -> Snippet<'d, Annotation<'d>> {
        let annotations = self.labels.into_iter().map(|(range, is_primary, text)| {
            let kind = if is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(range).label(Some(text).filter(|text| !text.is_empty()))
        });
        Snippet::source(self.text).line_start(self.first_line).path(self.path).annotations(annotations)
    }
}

/// The bytes of a span, within the text and not inside a character. A caret under a newline would be shown on the
/// next line, so a span that ends there ends before it.
fn visible(text: &str, span: Span) -> Range<usize> {
    let floor = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (start, mut end) = (floor(span.start), floor(span.end.max(span.start)));
    while end > start && text[..end].ends_with(['\n', '\r']) {
        end -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Says `message` of the bytes in the range, with a secondary label on the first byte.
    fn check(text: &str, range: Range<usize>, expect: Expect) {
        let mut sources = SourceMap::default();
        let file = sources.add("m.pml", text);
        let diagnostic = Diagnostic::error("a-code", Span::new(file, range.start, range.end), "message")
            .label("here")
            .also(Span::new(file, 0, 1), "first")
            .help("do this");
        expect.assert_eq(&render(&sources, &[diagnostic.clone(), diagnostic], Palette::Plain));
    }

    #[test]
    fn carets_stand_below_their_text() {
        check(
            "byte x;\n\tä = \tz;\n",
            13..16,
            expect![[r#"
                error[a-code]: message
                 --> m.pml:2:5
                  |
                1 | byte x;
                  | - first
                2 |     ä =     z;
                  |        ^^^^^^ here
                  |
                  = help: do this

            "#]],
        );
    }

    #[test]
    fn the_end_of_the_file_is_a_place() {
        check(
            "byte x;\r\nz\r\n",
            12..12,
            expect![[r#"
                error[a-code]: message
                 --> m.pml:2:3
                  |
                1 | byte x;
                  | - first
                2 | z
                  |  ^ here
                  |
                  = help: do this

            "#]],
        );
    }

    #[test]
    fn every_span_can_be_shown() {
        let texts =
            ["", "\n", "\n\n\n", "x", "ä\u{1F600}\tb\r\nc\u{7}\n\n  d", &"long ".repeat(200), "a\n\tb\n c"];
        for text in texts {
            let mut sources = SourceMap::default();
            let file = sources.add("m.pml", text);
            let other = sources.add("other.pml", "included\n");
            let n_bytes = text.len().min(40);
            for start in 0..=n_bytes + 2 {
                for end in start..=n_bytes + 3 {
                    let diagnostic = Diagnostic::warning("a-code", Span::new(file, start, end), "message")
                        .also(Span::new(file, end, text.len()), "")
                        .also(Span::new(other, 2, 5), "there");
                    let shown = render(&sources, &[diagnostic], Palette::Coloured);
                    assert!(shown.contains("other.pml"), "{shown}");
                }
            }
        }
    }
}
