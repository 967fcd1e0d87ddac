//! Format strings of `printf`.

use allways_source::{Diagnostic, Span};
use allways_system::{MtypeId, Print};

/// The pieces of a format string as written, with its quotes. A conversion that does not exist is reported.
pub fn parse(format: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) -> Vec<Print> {
    let inner = format.strip_prefix('"').unwrap_or(format);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            '%' => {
                let piece = match chars.next() {
                    Some('%') => {
                        text.push('%');
                        continue;
                    }
                    Some('d') => Print::Decimal,
                    Some('u') => Print::Unsigned,
                    Some('x') => Print::Hexadecimal,
                    Some('o') => Print::Octal,
                    Some('c') => Print::Character,
                    Some('e') => Print::Symbol(MtypeId(0)),
                    other => {
                        let conversion = other.map_or(String::new(), String::from);
                        diagnostics.push(
                            Diagnostic::error(
                                "bad-format",
                                span,
                                format!("printf does not know `%{conversion}`"),
                            )
                            .help("the conversions are %d %u %x %o %c %e (an mtype name) and %%"),
                        );
                        continue;
                    }
                };
                if !text.is_empty() {
                    pieces.push(Print::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
            }
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        pieces.push(Print::Text(text));
    }
    pieces
}
