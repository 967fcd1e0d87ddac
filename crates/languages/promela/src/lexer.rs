//! Characters -> lexemes, the tokens on which the preprocessor works.
//!
//! A lexeme is not yet a [`Token`](crate::token::Token): `0x10` or a stray `\` are fine in a conditional group that
//! is skipped, in the message of an `#error`, and in embedded C. So the lexer only classifies them, and the
//! complaint is made when a lexeme is about to reach the parser (`preprocess::emit`). The one exception is a comment
//! that is never closed: it swallows the rest of the file wherever it stands.

use std::collections::HashSet;
use std::sync::Arc;

use allways_source::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LexemeKind {
    /// Also a name with letters that Promela does not allow in names.
    Name,
    /// Anything that starts with a digit and looks like a number somewhere: `12`, `0x1F`, `1.5e+3`, `12abc`.
    Number,
    /// `'…'` with anything between the quotes.
    Character,
    /// A character constant whose closing quote is missing; `text` is a complete one of plausible value.
    OpenCharacter,
    /// `"…"`, or `$…$` with `text` rewritten to double quotes.
    String,
    /// A string whose closing quote is missing on its line; `text` has it.
    OpenString,
    /// `<…>` after `#include`.
    Header,
    Punctuation,
    /// A character, or a run of characters outside of ASCII, which starts no token.
    Stray,
}

/// Whether a lexeme is the first of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineStart {
    No,
    /// Between it and the lexeme before is a comment over several lines. The printed output of cpp has a line break
    /// there, but a directive goes on.
    AfterComment,
    Yes,
}

#[derive(Clone, Debug)]
pub(crate) struct Lexeme {
    pub(crate) kind: LexemeKind,
    /// The spelling without line splices.
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
    pub(crate) line_start: LineStart,
    /// Separated from the lexeme before, by whatever means.
    pub(crate) space_before: bool,
}

impl Lexeme {
    pub(crate) fn is(&self, punctuation: &str) -> bool {
        self.kind == LexemeKind::Punctuation && &*self.text == punctuation
    }

    pub(crate) fn is_name(&self) -> bool {
        self.kind == LexemeKind::Name
    }

    /// A `#` which makes its line a directive.
    pub(crate) fn starts_directive(&self) -> bool {
        self.line_start == LineStart::Yes && self.is("#")
    }
}

/// Keeps one copy of every spelling: models repeat few words often, and macros repeat them more often still.
#[derive(Default)]
pub(crate) struct Interner {
    texts: HashSet<Arc<str>>,
}

impl Interner {
    pub(crate) fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.texts.insert(new.clone());
        new
    }
}

/// The lexemes of a whole file.
pub(crate) struct Lexed {
    pub(crate) lexemes: Vec<Lexeme>,
    /// The comment that is still open at the end of the file.
    pub(crate) open_comment: Option<Diagnostic>,
}

pub(crate) fn lex(file: FileId, text: &str, interner: &mut Interner) -> Lexed {
    let mut lexer = Lexer {
        file,
        cursor: Cursor::new(text),
        interner,
        directive: DirectivePart::None,
        open_comment: None,
    };
    let mut lexemes = Vec::new();
    while let Some(lexeme) = lexer.lexeme() {
        lexemes.push(lexeme);
    }
    Lexed { lexemes, open_comment: lexer.open_comment }
}

/// The single lexeme that `text` spells, if it is one; how `##` finds out what it has made.
pub(crate) fn lex_one(text: &str, span: Span, interner: &mut Interner) -> Option<Lexeme> {
    let mut lexemes = lex(span.file, text, interner).lexemes;
    let lexeme = lexemes.pop()?;
    let whole = lexemes.is_empty() && &*lexeme.text == text;
    let sound =
        !matches!(lexeme.kind, LexemeKind::Stray | LexemeKind::OpenString | LexemeKind::OpenCharacter);
    (whole && sound).then_some(Lexeme { span, ..lexeme })
}

/// Operators and brackets, longest first. `...`, `#` and `##` are for directives; `[]` is missing on purpose, since
/// `c?[x]` and `a[ ]` need the brackets apart.
const PUNCTUATION: &[&str] = &[
    "...", "<->", LONG_ARROW, "::", "->", "..", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "&&", "||",
    "!!", "??", "<>", "##", "/\\", "\\/", ":", ";", ",", ".", "=", "<", ">", "+", "-", "*", "/", "%", "&",
    "|", "^", "~", "!", "?", "@", "(", ")", "[", "]", "{", "}", "#",
];

const LONG_ARROW: &str = "-->";

/// How far into a directive the lexer is; only `#include` changes what follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectivePart {
    None,
    Hash,
    Include,
}

struct Lexer<'a> {
    file: FileId,
    cursor: Cursor<'a>,
    interner: &'a mut Interner,
    directive: DirectivePart,
    open_comment: Option<Diagnostic>,
}

impl Lexer<'_> {
    fn lexeme(&mut self) -> Option<Lexeme> {
        let at_start = self.cursor.end == 0;
        let gap = self.skip_blanks();
        let line_start = if at_start { LineStart::Yes } else { gap.line_start };
        let start = self.cursor.at;
        let first = self.cursor.peek()?;
        let (kind, text) = match first {
            '"' if self.directive == DirectivePart::Include => self.header('"', LexemeKind::String),
            '<' if self.directive == DirectivePart::Include => self.header('>', LexemeKind::Header),
            '"' => self.string('"'),
            '$' => self.string('$'),
            '\'' => self.character(),
            '0'..='9' => self.number(),
            _ if is_name_start(first) => self.name(),
            _ => self.punctuation(),
        };
        let lexeme = Lexeme {
            kind,
            text,
            span: Span::new(self.file, start, self.cursor.end),
            line_start,
            space_before: gap.space || line_start != LineStart::No,
        };
        self.directive = self.directive_part_after(&lexeme);
        Some(lexeme)
    }

    fn directive_part_after(&self, lexeme: &Lexeme) -> DirectivePart {
        if lexeme.starts_directive() {
            return DirectivePart::Hash;
        }
        let is_include = lexeme.line_start != LineStart::Yes && &*lexeme.text == "include";
        if self.directive == DirectivePart::Hash && is_include {
            DirectivePart::Include
        } else {
            DirectivePart::None
        }
    }

    fn skip_blanks(&mut self) -> Gap {
        let mut gap = Gap { line_start: LineStart::No, space: false };
        while let Some(c) = self.cursor.peek() {
            match c {
                '\n' => {
                    gap.line_start = LineStart::Yes;
                    self.directive = DirectivePart::None;
                    self.cursor.bump();
                }
                ' ' | '\t' | '\r' | '\x0b' | '\x0c' => self.cursor.bump(),
                '/' if self.cursor.starts_with("//") => self.skip_while(|c| c != '\n'),
                '/' if self.cursor.starts_with("/*") => {
                    if self.skip_block_comment() && gap.line_start == LineStart::No {
                        gap.line_start = LineStart::AfterComment;
                    }
                }
                _ => break,
            }
            gap.space = true;
        }
        gap
    }

    /// True if the comment spans lines.
    fn skip_block_comment(&mut self) -> bool {
        let start = self.cursor.at;
        self.cursor.bump();
        self.cursor.bump();
        let opener = Span::new(self.file, start, self.cursor.end);
        let mut spans_lines = false;
        while let Some(c) = self.cursor.peek() {
            if self.cursor.starts_with("*/") {
                self.cursor.bump();
                self.cursor.bump();
                return spans_lines;
            }
            spans_lines |= c == '\n';
            self.cursor.bump();
        }
        self.open_comment = Some(
            Diagnostic::error("unterminated-comment", opener, "this comment is never closed")
                .label("opened here")
                .help("close it with `*/`"),
        );
        spans_lines
    }

    fn skip_while(&mut self, accept: impl Fn(char) -> bool) {
        while self.cursor.peek().is_some_and(&accept) {
            self.cursor.bump();
        }
    }

    /// The spelling from `start` to here.
    fn text_from(&mut self, start: usize) -> Arc<str> {
        let text = self.cursor.text_from(start);
        self.interner.intern(&text)
    }

    /// The name of an included file, in which a backslash is just a backslash.
    fn header(&mut self, closer: char, kind: LexemeKind) -> (LexemeKind, Arc<str>) {
        let start = self.cursor.at;
        self.cursor.bump();
        self.skip_while(|c| c != closer && c != '\n');
        if self.cursor.peek() == Some(closer) {
            self.cursor.bump();
            return (kind, self.text_from(start));
        }
        let text = format!("{}{closer}", self.cursor.text_from(start).trim_end());
        (LexemeKind::OpenString, self.interner.intern(&text))
    }

    fn string(&mut self, quote: char) -> (LexemeKind, Arc<str>) {
        let start = self.cursor.at;
        let closed = self.skip_quoted(quote);
        let written = self.cursor.text_from(start);
        let content =
            if closed { &written[1..written.len() - 1] } else { without_half_escape(&written[1..]) };
        let content = if quote == '$' { content.replace('"', "\\\"") } else { content.to_owned() };
        let text = self.interner.intern(&format!("\"{content}\""));
        (if closed { LexemeKind::String } else { LexemeKind::OpenString }, text)
    }

    fn character(&mut self) -> (LexemeKind, Arc<str>) {
        let start = self.cursor;
        if self.skip_quoted('\'') {
            return (LexemeKind::Character, self.text_from(start.at));
        }
        // Take just one character into the constant, so that the rest of the line is not lost.
        self.cursor = start;
        self.cursor.bump();
        if self.cursor.peek() == Some('\\') {
            self.cursor.bump();
        }
        if self.cursor.peek().is_some_and(|c| c != '\n') {
            self.cursor.bump();
        }
        let text = format!("{}'", self.cursor.text_from(start.at));
        (LexemeKind::OpenCharacter, self.interner.intern(&text))
    }

    /// Goes past the closing quote, or to the end of the line if there is none.
    fn skip_quoted(&mut self, quote: char) -> bool {
        self.cursor.bump();
        while let Some(c) = self.cursor.peek() {
            if c == '\n' {
                return false;
            }
            self.cursor.bump();
            if c == quote {
                return true;
            }
            // `$…$` is taken as it is: Spin knows no escapes there.
            if c == '\\' && quote != '$' && self.cursor.peek() != Some('\n') {
                self.cursor.bump();
            }
        }
        false
    }

    /// Unlike in C, `1..5` is three lexemes, which is what one wants in `for (i : 1..N)` with a macro `N`.
    fn number(&mut self) -> (LexemeKind, Arc<str>) {
        let start = self.cursor.at;
        self.skip_while(is_name_part);
        let is_hex = self.cursor.text_from(start).to_ascii_lowercase().starts_with("0x");
        if self.cursor.peek() == Some('.') && self.cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) {
            self.cursor.bump();
            self.skip_while(is_name_part);
        }
        let in_exponent = !is_hex && self.cursor.text_from(start).ends_with(['e', 'E']);
        let signed = matches!(self.cursor.peek(), Some('+' | '-'));
        if in_exponent && signed && self.cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) {
            self.cursor.bump();
            self.skip_while(is_name_part);
        }
        (LexemeKind::Number, self.text_from(start))
    }

    fn name(&mut self) -> (LexemeKind, Arc<str>) {
        let start = self.cursor.at;
        self.skip_while(is_name_part);
        (LexemeKind::Name, self.text_from(start))
    }

    fn punctuation(&mut self) -> (LexemeKind, Arc<str>) {
        let start = self.cursor.at;
        // To the C preprocessor the slash of `\/*` opens a comment.
        let before_comment = self.cursor.starts_with("\\/*") || self.cursor.starts_with("\\//");
        let first = self.cursor.peek();
        let is_here = |known: &&&str| known.chars().next() == first && self.cursor.starts_with(known);
        let known = PUNCTUATION.iter().find(is_here);
        if let Some(known) = known.filter(|_| !before_comment) {
            known.chars().for_each(|_| self.cursor.bump());
            // To Spin a longer arrow is an arrow.
            let known = if *known == LONG_ARROW { "->" } else { known };
            return (LexemeKind::Punctuation, self.interner.intern(known));
        }
        let foreign = self.cursor.peek().is_some_and(|c| !c.is_ascii());
        self.cursor.bump();
        if foreign {
            self.skip_while(|c| !c.is_ascii() && !is_name_start(c));
        }
        (LexemeKind::Stray, self.text_from(start))
    }
}

/// Drops the backslash at the end that would escape a closing quote, and blanks.
fn without_half_escape(content: &str) -> &str {
    let content = content.trim_end();
    let n_backslashes = content.len() - content.trim_end_matches('\\').len();
    &content[..content.len() - n_backslashes % 2]
}

/// What lies between two lexemes.
struct Gap {
    line_start: LineStart,
    space: bool,
}

fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_name_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A place in the text, after any line splice, so that nobody else has to think of splices.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    text: &'a str,
    /// Where the next character starts.
    at: usize,
    /// Where the last character ended; less than `at` if a splice follows it.
    end: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Cursor<'a> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { text, at: after_splices(text, at), end: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn peek_second(mut self) -> Option<char> {
        self.bump();
        self.peek()
    }

    fn bump(&mut self) {
        if let Some(c) = self.peek() {
            self.end = self.at + c.len_utf8();
            self.at = after_splices(self.text, self.end);
        }
    }

    fn starts_with(mut self, expected: &str) -> bool {
        expected.chars().all(|c| {
            let same = self.peek() == Some(c);
            if same {
                self.bump();
            }
            same
        })
    }

    /// The text from `start` to here without its splices.
    fn text_from(&self, start: usize) -> String {
        let raw = &self.text[start..self.end];
        if !raw.contains('\n') {
            return raw.to_owned();
        }
        let mut clean = String::with_capacity(raw.len());
        let mut at = start;
        while let Some(c) = self.text[at..self.end].chars().next() {
            clean.push(c);
            at = after_splices(self.text, at + c.len_utf8());
            if at >= self.end {
                break;
            }
        }
        clean
    }
}

/// A backslash at the end of a line, with or without blanks behind it, joins the line to the next.
fn after_splices(text: &str, mut at: usize) -> usize {
    while text.as_bytes().get(at) == Some(&b'\\') {
        let rest = &text[at + 1..];
        let line_end = rest.trim_start_matches([' ', '\t', '\r', '\x0b', '\x0c']);
        if !line_end.starts_with('\n') {
            break;
        }
        at = text.len() - line_end.len() + 1;
    }
    at
}
