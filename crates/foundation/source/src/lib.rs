//! Source files, byte spans, line lookup and the `Diagnostic` type: what every front end says about text.
#![forbid(unsafe_code)]

use std::fmt;
use std::path::{Path, PathBuf};

/// One file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; `self` alone if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the end of this one: where something is missing.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// Line and column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

#[derive(Debug)]
pub struct SourceFile {
    pub path: PathBuf,
    pub text: String,
    /// Byte offset of the start of each line; never empty, sorted.
    line_starts: Vec<u32>,
    /// How many characters begin before each multiple of [`STRIDE`] bytes: columns of long lines are counted from there.
    chars_before: Vec<u32>,
}

/// Bytes between two places whose column is known.
const STRIDE: usize = 512;

impl SourceFile {
    fn new(path: PathBuf, text: String) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        let mut chars_before = vec![0];
        let mut count = 0;
        for chunk in text.as_bytes().chunks(STRIDE) {
            count += n_characters(chunk);
            chars_before.push(count);
        }
        SourceFile { path, text, line_starts, chars_before }
    }

    /// How many characters begin before an offset.
    fn characters_before(&self, offset: usize) -> u32 {
        let offset = offset.min(self.text.len());
        let known = offset / STRIDE;
        self.chars_before[known] + n_characters(&self.text.as_bytes()[known * STRIDE..offset])
    }
}

/// How many characters begin in a part of a text.
fn n_characters(bytes: &[u8]) -> u32 {
    // All other bytes of a character begin with the bits 10.
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32
}

/// All the files of one model, in the order they were read; the first is the model itself.
#[derive(Default, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(path.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn path(&self, id: FileId) -> &Path {
        &self.file(id).path
    }

    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn position(&self, span: Span) -> LineColumn {
        let file = self.file(span.file);
        let line = file.line_starts.partition_point(|start| *start <= span.start) - 1;
        let start = file.line_starts[line] as usize;
        let column = file.characters_before(span.start as usize) - file.characters_before(start) + 1;
        LineColumn { line: line as u32 + 1, column }
    }

    /// The whole line that a span starts on.
    pub fn line_span(&self, span: Span) -> Span {
        let file = self.file(span.file);
        let line = file.line_starts.partition_point(|start| *start <= span.start) - 1;
        let end = file.line_starts.get(line + 1).copied().unwrap_or(file.text.len() as u32);
        Span { file: span.file, start: file.line_starts[line], end }
    }

    pub fn line(&self, span: Span) -> u32 {
        let file = self.file(span.file);
        file.line_starts.partition_point(|start| *start <= span.start) as u32
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing, and no mistake.
    Note,
    Warning,
    Error,
}

/// A span with a word on why it matters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// One thing wrong (or suspicious) in a text, with its place and what to do about it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable kebab-case name of the kind, e.g. `undeclared-name`.
    pub code: &'static str,
    pub message: String,
    /// Where; its text may be empty.
    pub primary: Label,
    /// Other places that matter, e.g. the first of two declarations, or the call of the inline the place is in.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: Vec::new(),
        }
    }

    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(code, span, message) }
    }

    /// Says something at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The candidate closest to `name`, if close enough to be what was meant.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one() {
        let mut map = SourceMap::default();
        let file = map.add("m.pml", "a\nbä c\n");
        let at = |start| map.position(Span::new(file, start, start));
        assert_eq!(at(0), LineColumn { line: 1, column: 1 });
        assert_eq!(at(2), LineColumn { line: 2, column: 1 });
        assert_eq!(at(6), LineColumn { line: 2, column: 4 });
        assert_eq!(at(8), LineColumn { line: 3, column: 1 });
    }

    #[test]
    fn p3_columns_of_long_lines() {
        let mut map = SourceMap::default();
        let text = format!("first\n{}", "xä€".repeat(1000));
        let file = map.add("m.pml", text.as_str());
        let line = &text[6..];
        for (column, (offset, _)) in line.char_indices().enumerate() {
            let at = map.position(Span::new(file, 6 + offset, 6 + offset));
            assert_eq!(at, LineColumn { line: 2, column: column as u32 + 1 });
        }
        let end = map.position(Span::new(file, text.len(), text.len()));
        assert_eq!(end.column, 3001);
    }

    #[test]
    fn suggestions_are_close() {
        assert_eq!(did_you_mean("conut", ["count", "x"]), None);
        assert_eq!(did_you_mean("coutn", ["counts", "count"]), None);
        assert_eq!(did_you_mean("cuont1", ["count1", "other"]), Some("count1"));
        assert_eq!(did_you_mean("x", ["y"]), Some("y"));
    }
}
