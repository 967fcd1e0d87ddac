//! Whatever the tokens are, the parser ends and does not panic.

use super::parse_text;
use crate::parser::parse;
use crate::preprocess::{PreprocessOptions, preprocess};
use crate::token::{Token, TokenKind};
use allways_source::SourceMap;

const MODELS: &[&str] = &[
    "mtype = { req, ack }; chan q[2] = [3] of { mtype, byte, chan }; typedef T { byte a; int b[3] }; T t[2]
     inline swap(a, b) { byte c; c = a; a = b; b = c; if :: a -> return b :: else fi }
     active [2] proctype P(byte x, y; chan c) priority 2 provided (x > 1) {
       byte n = 1; xr c; start: atomic { q[0]!req(1, c); q[1]?<ack,n,_>; swap(n, t[1].b[2]) }
       do :: x == 1 && q[0]?[req, 1] -> n = (x -> 1 : 2) :: else -> break od unless { timeout }
       for (n : 0 .. 9) { printf(\"%d\\n\", n); y = swap(n, y) } select (n : 1 .. 3); d_step { n++; y-- }
       assert(n > 0); if :: goto start :: run P(1, 2, q[0]) priority 3 :: skip fi; end: }
     never claim { do :: !P[0]@start && P:n == 3 od } ltl p { [] (a -> <> b U c == 1) && X d }
     init { set_priority(1, 2); c_code [x] { now.x = 1; }; swap(t[0].a, t[1].a)\nprintm(req) }",
    "init { if :: if :: x -> { { y } } fi :: do :: break od unless z fi; L: M: }",
];

#[test]
fn the_models_are_right() {
    for model in MODELS {
        let (_, parsed) = parse_text(model);
        let errors: Vec<&str> = parsed.diagnostics.iter().map(|d| d.code).collect();
        // `return` in a call without result, on purpose.
        assert!(errors.iter().all(|code| *code == "return-without-result"), "{errors:?}");
    }
}

#[test]
fn mutated_models() {
    let mut random = Random(1);
    for model in MODELS {
        let tokens = tokens(model);
        for _ in 0..2000 {
            let mut mutated = tokens.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut mutated, &mut random);
            }
            parse(mutated, Vec::new());
        }
    }
}

#[test]
fn truncated_models() {
    for model in MODELS {
        let tokens = tokens(model);
        for end in 0..tokens.len() {
            let parsed = parse(tokens[..end].to_vec(), Vec::new());
            assert!(end < 5 || parsed.diagnostics.len() < 12, "{:?}", parsed.diagnostics);
        }
    }
}

#[test]
fn nothing_at_all() {
    assert!(parse(Vec::new(), Vec::new()).diagnostics.is_empty());
}

/// On a thread with the stack that threads get by default.
#[test]
fn deep_nesting() {
    let deep = |n: usize| {
        [
            format!("init {{ x = {}1{} }}", "(".repeat(n), ")".repeat(n)),
            format!("init {{ x = {}1 }}", "- ".repeat(n)),
            format!("init {{ x = {}1{} }}", "a[".repeat(n), "]".repeat(n)),
            format!("init {{ x = 1{} }}", " || 1 && 2 == 3 + 4 * (5".repeat(n)),
            format!("init {{ {} skip {} }}", "{".repeat(n), "}".repeat(n)),
            format!("init {{ {} skip {} }}", "if :: ".repeat(n), "fi ".repeat(n)),
            format!("init {{ {} skip {} }}", "do :: atomic { ".repeat(n), "} od ".repeat(n)),
            format!("init {{ {} skip }}", "x unless { ".repeat(n)),
            format!("init {{ q?{}x{} }}", "(".repeat(n), ")".repeat(n)),
            format!("init {{ {} {{ }} }}", "if (x) ".repeat(n)),
            "init { proctype P() { ".repeat(n),
            format!("ltl {{ {} p }}", "[] <> X ! ".repeat(n)),
            format!("ltl {{ p {} }}", "-> p U p".repeat(n)),
            chain_of_inlines(n),
        ]
    };
    let parse_all = move || {
        for text in deep(20_000) {
            let (_, parsed) = parse_text(&text);
            assert!(parsed.diagnostics.iter().any(|d| d.is_error()), "{}", &text[..80]);
        }
        for n in [100, 240, 480] {
            deep(n).iter().for_each(|text| drop(parse_text(text)));
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(parse_all).unwrap();
    thread.join().unwrap();
}

#[test]
fn long_expressions() {
    let (_, parsed) = parse_text(&format!("init {{ x = 1{} }}", " + 1".repeat(900)));
    assert!(parsed.diagnostics.is_empty());
    let (_, parsed) = parse_text(&format!("init {{ x = 1{} }}", " + 1".repeat(100_000)));
    assert_eq!(parsed.diagnostics.len(), 1);
    assert_eq!(parsed.diagnostics[0].code, "nesting-too-deep");
}

fn chain_of_inlines(n: usize) -> String {
    let mut text = "inline f0() { x = 1 }\n".to_string();
    for i in 1..n {
        text += &format!("inline f{i}() {{ f{}() }}\n", i - 1);
    }
    text + &format!("init {{ f{}() }}", n - 1)
}

fn tokens(model: &str) -> Vec<Token> {
    let mut sources = SourceMap::default();
    let file = sources.add("m.pml", model);
    preprocess(&mut sources, file, &PreprocessOptions::default(), &super::NoFiles).tokens
}

fn mutate(tokens: &mut Vec<Token>, random: &mut Random) {
    let (i, j) = (random.below(tokens.len()), random.below(tokens.len()));
    match random.below(4) {
        0 => drop(tokens.remove(i)),
        1 => tokens.insert(i, tokens[j].clone()),
        2 => tokens.swap(i, j),
        _ => {
            let end = (i + random.below(8)).min(tokens.len());
            let piece: Vec<Token> = tokens[i..end].to_vec();
            tokens.splice(j..j, piece);
        }
    }
    // Only the last token is an `End`.
    tokens.retain(|token| token.kind != TokenKind::End);
}

/// A small generator of numbers, so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}
