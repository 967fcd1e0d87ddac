//! Damaged models: bytes and tokens deleted, doubled, swapped, replaced, taken from other models.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

/// Spellings that are likely to confuse a parser where they do not belong.
const SPICE: [&str; 60] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "::",
    ";",
    "->",
    "if",
    "fi",
    "do",
    "od",
    "unless",
    "atomic",
    "d_step",
    "goto",
    "break",
    "else",
    "run",
    "chan",
    "of",
    "typedef",
    "inline",
    "mtype",
    "proctype",
    "init",
    "never",
    "ltl",
    "active",
    "byte",
    "int",
    "!",
    "!!",
    "?",
    "??",
    "?<",
    "[]",
    "<>",
    "U",
    "==",
    "=",
    "..",
    "@",
    ":",
    "#define X X X",
    "#include \"x\"",
    "#if 1",
    "/*",
    "\"",
    "'",
    "\\",
    "2147483648",
    "-1",
    "0",
    "_",
    "_pid",
    "provided",
    "\u{0}",
    "\u{e4}",
];

/// `base` with one to eight pieces of damage; `donor` lends its tokens.
pub fn mutate(base: &str, donor: &str, random: &mut StdRng) -> String {
    if random.random_bool(0.3) {
        return mutate_bytes(base, random);
    }
    let mut tokens = split(base);
    let lent = split(donor);
    for _ in 0..random.random_range(1..=8) {
        if tokens.is_empty() {
            break;
        }
        let at = random.random_range(0..tokens.len());
        match random.random_range(0..7) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at]),
            2 => {
                let other = random.random_range(0..tokens.len());
                tokens.swap(at, other);
            }
            3 => tokens[at] = SPICE.choose(random).unwrap_or(&";"),
            4 => tokens.insert(at, SPICE.choose(random).unwrap_or(&";")),
            5 => {
                if let Some(token) = lent.choose(random) {
                    tokens.insert(at, token);
                }
            }
            _ => {
                // A run of tokens again and again: depth and size.
                let end = (at + random.random_range(1..=12)).min(tokens.len());
                let run: Vec<&str> = tokens[at..end].to_vec();
                let times = if random.random_bool(0.05) { 300 } else { random.random_range(1..4) };
                for _ in 0..times {
                    tokens.splice(at..at, run.iter().copied());
                }
            }
        }
    }
    tokens.concat()
}

fn mutate_bytes(base: &str, random: &mut StdRng) -> String {
    let mut bytes = base.as_bytes().to_vec();
    for _ in 0..random.random_range(1..=8) {
        if bytes.is_empty() {
            break;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..4) {
            0 => drop(bytes.remove(at)),
            1 => bytes[at] ^= 1 << random.random_range(0..8),
            2 => bytes.insert(at, random.random()),
            _ => bytes.truncate(at),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Words, numbers, single signs and the space between them; together they are the text again.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, c) in text.char_indices() {
        let current = class(c);
        if previous.is_some_and(|previous| previous != current || current == 0) {
            tokens.push(&text[start..at]);
            start = at;
        }
        previous = Some(current);
    }
    tokens.push(&text[start..]);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_loses_nothing() {
        let text = "active proctype A() { x=1; /* ä */ }\n";
        assert_eq!(split(text).concat(), text);
        assert!(split(text).contains(&"proctype"));
    }
}
