//! Lexemes -> tokens of Promela, the last step. Here, and not before, we complain about what Promela does not have.

use std::collections::HashSet;
use std::sync::Arc;

use allways_source::{Diagnostic, Span};

use super::{PpToken, Reports};
use crate::lexer::{Lexeme, LexemeKind, LineStart};
use crate::token::{Token, TokenKind, is_keyword};

#[derive(Default)]
pub(super) struct Emitter {
    tokens: Vec<Token>,
    embedded_c: EmbeddedC,
    /// A lexeme that started a line was dropped, so the next one starts it.
    line_pending: bool,
    /// Spellings outside of ASCII that we complained about: once per spelling is enough.
    foreign_spellings: HashSet<Arc<str>>,
}

impl Emitter {
    pub(super) fn emit(&mut self, token: PpToken, reports: &mut Reports) {
        let in_c = self.embedded_c.contains(&token.lexeme);
        let starts_line = token.lexeme.line_start != LineStart::No || self.line_pending;
        let (converted, complaint) =
            if in_c { (in_embedded_c(&token.lexeme), None) } else { in_promela(&token.lexeme) };
        if let Some(complaint) = complaint {
            self.complain(complaint, &token, reports);
        }
        self.line_pending = starts_line && converted.is_none();
        if let Some((kind, text)) = converted {
            self.tokens.push(Token { kind, text, span: token.span, starts_line, expansion: token.expansion });
        }
    }

    /// All tokens and the [`TokenKind::End`] behind them.
    pub(super) fn finish(mut self, end: Span) -> Vec<Token> {
        self.tokens.push(Token {
            kind: TokenKind::End,
            text: "".into(),
            span: end,
            starts_line: true,
            expansion: None,
        });
        self.tokens
    }

    fn complain(&mut self, complaint: Diagnostic, token: &PpToken, reports: &mut Reports) {
        if complaint.code == "non-ascii" && !self.foreign_spellings.insert(token.lexeme.text.clone()) {
            return;
        }
        let elsewhere = token.span != token.lexeme.span;
        reports.add(if elsewhere { complaint.also(token.span, "used here") } else { complaint });
    }
}

/// Follows `c_code [ … ] { … }` and its like, in which any C may appear.
#[derive(Clone, Copy, Default)]
enum EmbeddedC {
    #[default]
    Outside,
    /// Between the keyword and the `{`.
    Announced,
    /// In the brackets with the precondition, at this depth.
    Precondition(u32),
    Block(u32),
}

impl EmbeddedC {
    /// Whether the lexeme, the next one, is C.
    fn contains(&mut self, lexeme: &Lexeme) -> bool {
        let was = *self;
        *self = was.after(lexeme);
        let inside = |state| matches!(state, EmbeddedC::Precondition(_) | EmbeddedC::Block(_));
        inside(was) || inside(*self)
    }

    fn after(self, lexeme: &Lexeme) -> EmbeddedC {
        match self {
            EmbeddedC::Announced if lexeme.is("{") => EmbeddedC::Block(1),
            EmbeddedC::Announced if lexeme.is("[") => EmbeddedC::Precondition(1),
            EmbeddedC::Outside | EmbeddedC::Announced => match &*lexeme.text {
                "c_code" | "c_expr" | "c_decl" | "c_state" | "c_track" => EmbeddedC::Announced,
                _ => EmbeddedC::Outside,
            },
            EmbeddedC::Precondition(1) if lexeme.is("]") => EmbeddedC::Announced,
            EmbeddedC::Precondition(depth) if lexeme.is("]") => EmbeddedC::Precondition(depth - 1),
            EmbeddedC::Precondition(depth) if lexeme.is("[") => EmbeddedC::Precondition(depth + 1),
            EmbeddedC::Block(1) if lexeme.is("}") => EmbeddedC::Outside,
            EmbeddedC::Block(depth) if lexeme.is("}") => EmbeddedC::Block(depth - 1),
            EmbeddedC::Block(depth) if lexeme.is("{") => EmbeddedC::Block(depth + 1),
            EmbeddedC::Precondition(_) | EmbeddedC::Block(_) => self,
        }
    }
}

/// What becomes of a lexeme, if anything.
type Converted = Option<(TokenKind, Arc<str>)>;

fn in_embedded_c(lexeme: &Lexeme) -> Converted {
    let kind = match lexeme.kind {
        LexemeKind::Name => name_kind(&lexeme.text),
        LexemeKind::Number => TokenKind::Number,
        LexemeKind::Character | LexemeKind::OpenCharacter => TokenKind::Character,
        LexemeKind::String | LexemeKind::OpenString => TokenKind::String,
        LexemeKind::Header | LexemeKind::Punctuation | LexemeKind::Stray => TokenKind::Punctuation,
    };
    Some((kind, lexeme.text.clone()))
}

fn in_promela(lexeme: &Lexeme) -> (Converted, Option<Diagnostic>) {
    let text = lexeme.text.clone();
    match lexeme.kind {
        LexemeKind::Name => {
            let complaint = (!text.is_ascii()).then(|| foreign_name(lexeme));
            (Some((name_kind(&text), text)), complaint)
        }
        LexemeKind::Number if text.bytes().all(|b| b.is_ascii_digit()) => {
            (Some((TokenKind::Number, text)), None)
        }
        LexemeKind::Number => {
            let (value, complaint) = odd_number(lexeme);
            (Some((TokenKind::Number, value)), Some(complaint))
        }
        LexemeKind::Character => {
            let complaint = odd_character(lexeme);
            let plausible = if complaint.is_some() { first_character(&text) } else { text };
            (Some((TokenKind::Character, plausible)), complaint)
        }
        LexemeKind::OpenCharacter => {
            (Some((TokenKind::Character, first_character(&text))), Some(open_quote(lexeme)))
        }
        LexemeKind::String => (Some((TokenKind::String, text)), None),
        LexemeKind::OpenString => (Some((TokenKind::String, text)), Some(open_quote(lexeme))),
        LexemeKind::Punctuation if !matches!(&*text, "#" | "##") => {
            (Some((TokenKind::Punctuation, text)), None)
        }
        LexemeKind::Header | LexemeKind::Punctuation | LexemeKind::Stray => {
            (meant(lexeme), Some(stray(lexeme)))
        }
    }
}

fn name_kind(text: &str) -> TokenKind {
    if is_keyword(text) { TokenKind::Keyword } else { TokenKind::Name }
}

fn foreign_name(lexeme: &Lexeme) -> Diagnostic {
    let foreign: String = lexeme.text.chars().filter(|c| !c.is_ascii()).collect();
    Diagnostic::error(
        "non-ascii",
        lexeme.span,
        format!("the name `{}` has letters outside of ASCII", lexeme.text),
    )
    .label(format!("`{foreign}` cannot be part of a name"))
    .help("names are made of `a`-`z`, `A`-`Z`, `0`-`9` and `_`")
}

/// A decimal number in its place, and why it is not what was written.
fn odd_number(lexeme: &Lexeme) -> (Arc<str>, Diagnostic) {
    let text = &*lexeme.text;
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (leading, rest) = text.split_at(digits);
    let suffix_only = rest.chars().all(|c| matches!(c, 'u' | 'U' | 'l' | 'L'));
    if let Some((value, base)) = based_number(text) {
        let message = format!("Promela has decimal numbers only, `{text}` is {base}");
        let complaint =
            Diagnostic::error("hex-number", lexeme.span, message).help(format!("write `{value}`"));
        (value.into(), complaint)
    } else if rest.starts_with('.') || is_exponent(rest) {
        let message = format!("Promela has whole numbers only, `{text}` is not one");
        (leading.into(), Diagnostic::error("fractional-number", lexeme.span, message))
    } else {
        let message = format!("`{text}` is not a number");
        let complaint = Diagnostic::error("bad-number", lexeme.span, message);
        let help = if suffix_only {
            format!("numbers have no suffix in Promela: write `{leading}`")
        } else {
            "a number has digits only, and a name does not start with a digit".to_owned()
        };
        (leading.into(), complaint.help(help))
    }
}

/// `0x…` and `0b…`: the value in decimal, and what such numbers are called.
fn based_number(text: &str) -> Option<(String, &'static str)> {
    let (base, name, digits) = match text.get(..2)? {
        "0x" | "0X" => (16, "hexadecimal", &text[2..]),
        "0b" | "0B" => (2, "binary", &text[2..]),
        _ => return None,
    };
    let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = u128::from_str_radix(digits, base).ok()?;
    Some((value.to_string(), name))
}

fn is_exponent(rest: &str) -> bool {
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return false };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    !exponent.is_empty() && exponent.bytes().all(|b| b.is_ascii_digit())
}

/// Why a character constant is none: it has to hold one character, or an escape.
fn odd_character(lexeme: &Lexeme) -> Option<Diagnostic> {
    let content = &lexeme.text[1..lexeme.text.len() - 1];
    let mut chars = content.chars();
    let one = match chars.next() {
        Some('\\') => chars.next().is_some() && chars.next().is_none(),
        Some(_) => chars.next().is_none(),
        None => false,
    };
    if !content.is_ascii() {
        let message = format!("the character constant {} is outside of ASCII", lexeme.text);
        return Some(Diagnostic::error("non-ascii", lexeme.span, message));
    }
    if one {
        return None;
    }
    let message = "a character constant holds exactly one character";
    let complaint = Diagnostic::error("bad-character", lexeme.span, message);
    Some(if content.is_empty() { complaint } else { complaint.help("a string has double quotes") })
}

/// A constant of the first character, and of `?` if there is none we can use.
fn first_character(text: &str) -> Arc<str> {
    let mut chars = text.chars().skip(1);
    match (chars.next(), chars.next()) {
        (Some('\\'), Some(c)) if c.is_ascii() => format!("'\\{c}'").into(),
        (Some(c), Some(_)) if c.is_ascii() && c != '\\' => format!("'{c}'").into(),
        _ => "'?'".into(),
    }
}

fn open_quote(lexeme: &Lexeme) -> Diagnostic {
    let Span { file, start, .. } = lexeme.span;
    let opener = Span { file, start, end: start + 1 };
    let (code, what) = match lexeme.kind {
        LexemeKind::OpenCharacter => ("unterminated-character", "character constant"),
        _ => ("unterminated-string", "string"),
    };
    Diagnostic::error(code, opener, format!("this {what} is not closed on its line")).label("opened here")
}

/// The operator in whose place a stray character probably stands.
fn meant(lexeme: &Lexeme) -> Converted {
    let mut chars = lexeme.text.chars();
    let ascii = operator_for(chars.next()?).filter(|_| chars.next().is_none())?;
    Some((TokenKind::Punctuation, ascii.into()))
}

fn stray(lexeme: &Lexeme) -> Diagnostic {
    match lexeme.text.chars().next() {
        Some(first) if !first.is_ascii() => foreign_character(lexeme, first),
        _ => {
            let message = match &*lexeme.text {
                "\\" => "`\\` has no meaning here".to_owned(),
                text => format!("`{}` has no meaning here", text.escape_default()),
            };
            let complaint = Diagnostic::error("stray-character", lexeme.span, message);
            let help = "a directive must be the first thing on its line";
            if lexeme.is("#") { complaint.help(help) } else { complaint }
        }
    }
}

fn foreign_character(lexeme: &Lexeme, first: char) -> Diagnostic {
    let message = format!("`{}` (U+{:04X}) has no meaning in Promela", lexeme.text, u32::from(first));
    let help = match (operator_for(first), first) {
        (Some(ascii), _) => format!("did you mean `{ascii}`?"),
        (_, '“' | '”' | '„' | '«' | '»') => "did you mean `\"`?".to_owned(),
        (_, '‘' | '’' | '‚') => "did you mean `'`?".to_owned(),
        (_, '□') => "did you mean `[]`?".to_owned(),
        (_, space) if space.is_whitespace() => "did you mean an ordinary space?".to_owned(),
        _ => "outside of ASCII there are only comments and strings".to_owned(),
    };
    Diagnostic::error("non-ascii", lexeme.span, message).help(help)
}

/// What was probably meant by a character that word processors and mathematicians put into text.
fn operator_for(foreign: char) -> Option<&'static str> {
    Some(match foreign {
        '–' | '—' | '−' => "-",
        '→' | '⇒' | '⟶' => "->",
        '↔' | '⇔' => "<->",
        '≠' => "!=",
        '≤' => "<=",
        '≥' => ">=",
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '×' | '·' => "*",
        '÷' => "/",
        '◇' | '◊' => "<>",
        '…' => "..",
        _ => return None,
    })
}
