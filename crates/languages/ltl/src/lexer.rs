//! Text of a formula into words: operators of the logic, brackets, and everything else that propositions are made of.

use std::ops::Range;

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Not,
    Next,
    Eventually,
    Always,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    And,
    Or,
    Implies,
    Equivalent,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    /// A name, also a number.
    Word,
    /// A text in quotation marks.
    Quoted,
    /// An operator that stands between two expressions.
    Infix,
    /// Something that makes a longer expression of a name: `.`, `@`, `:`, `?`.
    Suffix,
    /// A comma, which stands only between brackets.
    Comma,
    /// Something that cannot stand in a formula.
    Stray,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// Longer signs come before their beginnings.
const SIGNS: &[(&str, Kind)] = &[
    ("<->", Kind::Equivalent),
    ("<=>", Kind::Equivalent),
    ("->", Kind::Implies),
    ("=>", Kind::Implies),
    ("<>", Kind::Eventually),
    ("[]", Kind::Always),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("/\\", Kind::And),
    ("\\/", Kind::Or),
    ("==", Kind::Infix),
    ("!=", Kind::Infix),
    ("<=", Kind::Infix),
    (">=", Kind::Infix),
    ("<<", Kind::Infix),
    (">>", Kind::Infix),
    ("??", Kind::Suffix),
    ("?", Kind::Suffix),
    (".", Kind::Suffix),
    ("@", Kind::Suffix),
    (":", Kind::Suffix),
    ("!", Kind::Not),
    ("~", Kind::Not),
    ("&", Kind::And),
    ("|", Kind::Or),
    ("<", Kind::Infix),
    (">", Kind::Infix),
    ("+", Kind::Infix),
    ("-", Kind::Infix),
    ("*", Kind::Infix),
    ("/", Kind::Infix),
    ("%", Kind::Infix),
    ("^", Kind::Infix),
    ("(", Kind::Open),
    (")", Kind::Close),
    ("[", Kind::OpenBracket),
    ("]", Kind::CloseBracket),
    (",", Kind::Comma),
    ("□", Kind::Always),
    ("◻", Kind::Always),
    ("⬜", Kind::Always),
    ("◇", Kind::Eventually),
    ("⋄", Kind::Eventually),
    ("♢", Kind::Eventually),
    ("○", Kind::Next),
    ("◯", Kind::Next),
    ("¬", Kind::Not),
    ("∧", Kind::And),
    ("∨", Kind::Or),
    ("→", Kind::Implies),
    ("⇒", Kind::Implies),
    ("⟶", Kind::Implies),
    ("⟹", Kind::Implies),
    ("↔", Kind::Equivalent),
    ("⇔", Kind::Equivalent),
    ("⟷", Kind::Equivalent),
    ("⟺", Kind::Equivalent),
    ("𝓤", Kind::Until),
    ("𝒰", Kind::Until),
    ("𝐔", Kind::Until),
    ("𝖴", Kind::Until),
    ("𝓡", Kind::Release),
    ("ℛ", Kind::Release),
    ("𝓦", Kind::WeakUntil),
    ("𝒲", Kind::WeakUntil),
    ("𝓜", Kind::StrongRelease),
    ("ℳ", Kind::StrongRelease),
    ("≤", Kind::Infix),
    ("≥", Kind::Infix),
    ("≠", Kind::Infix),
    ("⊤", Kind::Word),
    ("⊥", Kind::Word),
];

const WORDS: &[(&str, Kind)] = &[
    ("U", Kind::Until),
    ("until", Kind::Until),
    ("stronguntil", Kind::Until),
    ("W", Kind::WeakUntil),
    ("weakuntil", Kind::WeakUntil),
    ("R", Kind::Release),
    ("V", Kind::Release),
    ("release", Kind::Release),
    ("M", Kind::StrongRelease),
    ("strongrelease", Kind::StrongRelease),
    ("X", Kind::Next),
    ("next", Kind::Next),
    ("G", Kind::Always),
    ("always", Kind::Always),
    ("F", Kind::Eventually),
    ("eventually", Kind::Eventually),
    ("not", Kind::Not),
    ("and", Kind::And),
    ("or", Kind::Or),
    ("implies", Kind::Implies),
    ("equivalent", Kind::Equivalent),
];

pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first == '"' {
            push(&mut tokens, Kind::Quoted, at, quoted_length(rest))
        } else if is_word_char(first) {
            let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            let kind = WORDS.iter().find(|(w, _)| *w == word).map_or(Kind::Word, |(_, kind)| *kind);
            push(&mut tokens, kind, at, length)
        } else if let Some((sign, kind)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            push(&mut tokens, *kind, at, sign.len())
        } else {
            push(&mut tokens, Kind::Stray, at, first.len_utf8())
        };
        at += length;
    }
    tokens
}

fn push(tokens: &mut Vec<Token>, kind: Kind, at: usize, length: usize) -> usize {
    tokens.push(Token { kind, range: at..at + length });
    length
}

/// With both marks; all of the rest if the second is missing.
fn quoted_length(rest: &str) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return i + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

fn is_word_char(c: char) -> bool {
    // Script letters such as 𝓤 are letters for Unicode; they are operators here.
    (c.is_alphanumeric() || c == '_' || c == '#') && !SIGNS.iter().any(|(sign, _)| sign.starts_with(c))
}
