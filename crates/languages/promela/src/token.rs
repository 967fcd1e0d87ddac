//! Tokens, as the preprocessor hands them to the parser.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use allways_source::Span;

/// Index into [`Expansions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpansionId(pub u32);

/// One use of a macro or of an inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub name: Arc<str>,
    pub call: Span,
    /// Set when the call itself came out of another expansion.
    pub parent: Option<ExpansionId>,
}

pub type Expansions = Vec<Expansion>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Name,
    /// A reserved word of Promela; `text` repeats it.
    Keyword,
    /// Decimal digits.
    Number,
    /// A character constant; `text` is as written, with its quotes.
    Character,
    /// A string; `text` is as written, with its quotes.
    String,
    /// An operator or a bracket; `text` is its spelling.
    Punctuation,
    /// The end of the model; its span is empty.
    End,
}

/// A token and where the user wrote it: a token out of a macro's body has the span of the macro's use, a token
/// out of a macro's argument its own.
#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub text: Arc<str>,
    pub span: Span,
    /// The first token of its line (of the text after preprocessing, where a macro's expansion is on one line).
    pub starts_line: bool,
    pub expansion: Option<ExpansionId>,
}

impl Token {
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Punctuation | TokenKind::Keyword) && &*self.text == text
    }
}

/// Every reserved word (`in` and the words of formulas are reserved only where they have a meaning).
#[rustfmt::skip]
pub const KEYWORDS: &[&str] = &[
    "active", "assert", "atomic", "bit", "bool", "break", "byte", "c_code", "c_decl", "c_expr", "c_state",
    "c_track", "chan", "D_proctype", "do", "d_step", "else", "empty", "enabled", "eval", "false", "fi", "for",
    "full", "get_priority", "goto", "hidden", "if", "init", "inline", "int", "len", "local", "ltl", "mtype",
    "nempty", "never", "nfull", "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "printm", "priority",
    "proctype", "provided", "return", "run", "select", "set_priority", "short", "show", "skip", "timeout",
    "trace", "true", "typedef", "unless", "unsigned", "xr", "xs",
];

pub(crate) fn is_keyword(text: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| KEYWORDS.iter().copied().collect());
    WORDS.contains(text)
}
