//! The tokens of the text form.

use super::ParseError;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// An identifier, a keyword or an id.
    Word(&'a str),
    /// Digits.
    Number(u32),
    /// What was between quotes.
    Text(String),
    /// Punctuation, one of [`SYMBOLS`].
    Symbol(&'static str),
    /// Behind the last one.
    End,
}

/// Longer ones before those they begin with.
const SYMBOLS: [&str; 37] = [
    "<->", "<>", "<=", "<<", "<", "->", "-", ">=", ">>", ">", ":=", ":", "..", "&&", "&", "||", "|", "==",
    "=", "!=", "!", "+", "*", "/", "%", "^", "~", "(", ")", "[", "]", "{", "}", ",", ";", "?", "@",
];

/// The tokens of `text`, each with the line it begins on; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, usize)>, ParseError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    loop {
        let trimmed = rest.trim_start();
        line += newlines(&rest[..rest.len() - trimmed.len()]);
        rest = trimmed;
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        let (token, length) = token(rest).map_err(|message| ParseError { line, message })?;
        let is_end = token == Token::End;
        tokens.push((token, line));
        if is_end {
            return Ok(tokens);
        }
        line += newlines(&rest[..length]);
        rest = &rest[length..];
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The token that `rest` begins with, and its length in bytes.
fn token(rest: &str) -> Result<(Token<'_>, usize), String> {
    let Some(first) = rest.chars().next() else { return Ok((Token::End, 0)) };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if is_word(first) {
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        if !first.is_ascii_digit() {
            return Ok((Token::Word(word), word.len()));
        }
        let number = word.parse().map_err(|_| format!("`{word}` is not a number below 2^32"))?;
        return Ok((Token::Number(number), word.len()));
    }
    if first == '"' {
        let (text, length) = string(&rest[1..])?;
        return Ok((Token::Text(text), length + 1));
    }
    match SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => Err(format!("unexpected character {first:?}")),
    }
}

/// The string whose opening quote is in front of `rest`, and its length in bytes with the closing one.
fn string(rest: &str) -> Result<(String, usize), String> {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((text, at + 1)),
            '\\' => match chars.next().map(|(_, escaped)| escaped) {
                Some(c @ ('"' | '\\' | '\'')) => text.push(c),
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some('0') => text.push('\0'),
                Some('u') => text.push(unicode_escape(&mut chars)?),
                _ => return Err("unknown escape in a string".to_owned()),
            },
            c => text.push(c),
        }
    }
    Err("a string without its closing quote".to_owned())
}

/// The character of a `\u{…}`, after the `u`.
fn unicode_escape(chars: &mut std::str::CharIndices<'_>) -> Result<char, String> {
    let wrong = || "wrong \\u{…} in a string".to_owned();
    if chars.next().map(|(_, c)| c) != Some('{') {
        return Err(wrong());
    }
    let mut value: u32 = 0;
    loop {
        let c = chars.next().ok_or_else(wrong)?.1;
        if c == '}' {
            return char::from_u32(value).ok_or_else(wrong);
        }
        let digit = c.to_digit(16).ok_or_else(wrong)?;
        value = value.checked_mul(16).ok_or_else(wrong)? + digit;
    }
}
