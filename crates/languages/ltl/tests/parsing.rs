//! What the parser understands, what it warns of, and what it says about mistakes.

use allways_ltl::parse;
use expect_test::{Expect, expect};

/// The formula with all its parentheses, the propositions, the lints.
fn check(text: &str, expected: Expect) {
    let got = match parse(text) {
        Ok(parsed) => {
            let mut lines = vec![parsed.formula.display(&parsed.propositions).to_string()];
            lines.extend(parsed.lints.iter().map(|l| format!("{:?}: {}", l.position, l.message)));
            lines.join("\n")
        }
        Err(error) => {
            let help = error.help.as_ref().map(|h| format!(" ({h})")).unwrap_or_default();
            format!("{:?}: {error}{help}", error.position)
        }
    };
    expected.assert_eq(&got);
}

fn same(texts: &[&str]) {
    let first = parse(texts[0]).unwrap();
    for text in texts {
        let other = parse(text).unwrap();
        assert_eq!((&other.formula, &other.propositions), (&first.formula, &first.propositions), "{text}");
    }
}

#[test]
fn spellings() {
    same(&["[] p", "G p", "always p", "□ p", "□p", "[]p"]);
    same(&["<> p", "F p", "eventually p", "◇ p", "◇p"]);
    same(&["X p", "next p", "○ p", "○p"]);
    same(&["p U q", "p until q", "p 𝓤 q", "p𝓤q"]);
    same(&["p W q", "p weakuntil q", "p 𝓦 q"]);
    same(&["p R q", "p V q", "p release q", "p 𝓡 q"]);
    same(&["p M q", "p strongrelease q"]);
    same(&["!p", "~p", "¬p", "not p", "! p"]);
    same(&["p && q", "p & q", "p /\\ q", "p ∧ q", "p and q"]);
    same(&["p || q", "p | q", "p \\/ q", "p ∨ q", "p or q"]);
    same(&["p -> q", "p => q", "p → q", "p implies q", "p ⇒ q"]);
    same(&["p <-> q", "p <=> q", "p ↔ q", "p equivalent q"]);
    same(&["true", "1", "⊤", "(true)"]);
    same(&["false", "0", "⊥"]);
    same(&["[]<>p", "[] <> p", "G F p", "□◇p", "[](<>(p))"]);
}

#[test]
fn precedence() {
    same(&["! p U q && r || s -> t <-> u", "(((((! p) U q) && r) || s) -> t) <-> u"]);
    same(&["u <-> s -> p && q || r", "u <-> (s -> ((p && q) || r))"]);
    same(&["[] p -> <> q && r", "([] p) -> ((<> q) && r)"]);
    same(&["a || b && c U d", "a || (b && (c U d))"]);
    same(&["[] a U b", "([] a) U b"]);
    same(&["a U b W c R d", "a U (b W (c R d))"]);
    same(&["a -> b -> c", "a -> (b -> c)"]);
    same(&["a <-> b <-> c", "(a <-> b) <-> c"]);
    same(&["X X ! a U b", "(X (X (!a))) U b"]);
    same(&["[] x == 1 -> y > 2", "([] (x == 1)) -> (y > 2)"]);
}

#[test]
fn associativity() {
    check(
        "a -> b -> c",
        expect![[r#"
        a -> (b -> c)
        0..11: `a -> b -> c` is `a -> (b -> c)`; Spin reads `(a -> b) -> c`"#]],
    );
    check("a -> (b -> c)", expect!["a -> (b -> c)"]);
    check(
        "a U b U c",
        expect![[r#"
        a U (b U c)
        0..9: `a U b U c` is `a U (b U c)`; Spin reads `(a U b) U c`"#]],
    );
    check(
        "a U b W c R d",
        expect![[r#"
        a U (b W (c R d))
        0..13: `a U b U c` is `a U (b U c)`; Spin reads `(a U b) U c`"#]],
    );
    check(
        "a <-> b -> c",
        expect![[r#"
        a <-> b -> c
        0..12: `->` holds tighter than `<->` here; Spin reads them from left to right"#]],
    );
    check(
        "a <-> b <-> c",
        expect![[r#"
        (a <-> b) <-> c
        0..13: `a <-> b <-> c` is `(a <-> b) <-> c`, not that all three are equal"#]],
    );
}

#[test]
fn propositions() {
    check(
        "<> x == 2",
        expect![[r#"
        <>(x == 2)
        0..9: `<> x == 2` is `<> (x == 2)`; Spin applies `<>` to its beginning only"#]],
    );
    check("<> (x == 2)", expect!["<>(x == 2)"]);
    check(
        "[] (x == 1 -> <> len(q) > 2)",
        expect![[r#"
        []((x == 1) -> <>(len(q) > 2))
        14..27: `<> len(q) > 2` is `<> (len(q) > 2)`; Spin applies `<>` to its beginning only"#]],
    );
    check("P[0]@L U a.b[3] < 4", expect!["(P[0]@L) U (a.b[3] < 4)"]);
    check("[] ((x + 1) % 2 == 0 || q?[msg, 3])", expect!["[](((x + 1) % 2 == 0) || (q?[msg, 3]))"]);
    check(
        "!x == 1",
        expect![[r#"
        (!x == 1)
        0..7: `!x == 1` is one proposition in which `!` belongs to the first operand"#]],
    );
    check("\"a U b\" U \"say \\\"hi\\\"\"", expect![[r#""a U b" U "say \"hi\"""#]]);
    check("P:x >= -1 && Fifo && Xp", expect!["(P:x >= -1) && Fifo && Xp"]);
    check("1 == x && 0", expect!["(1 == x) && false"]);
    check("[] P[1]@X", expect!["[](P[1]@X)"]);
}

#[test]
fn expressions_that_start_with_a_parenthesis_or_a_negation() {
    check(
        "[] (x + 1) > 2",
        expect![[r#"
        []((x + 1) > 2)
        0..14: `[] (x + 1) > 2` is `[] ((x + 1) > 2)`; Spin applies `[]` to its beginning only"#]],
    );
    check(
        "!(x) == 1",
        expect![[r#"
        (!(x) == 1)
        0..9: `!(x) == 1` is one proposition in which `!` belongs to the first operand"#]],
    );
    check(
        "[] ! x > 2",
        expect![[r#"
        [](! x > 2)
        3..10: `! x > 2` is one proposition in which `!` belongs to the first operand"#]],
    );
    check("!(x == 1)", expect!["!(x == 1)"]);
}

#[test]
fn mistakes() {
    check("", expect!["0..0: there is no formula"]);
    check("p U", expect!["3..3: the formula ends too early (write an operand after `U`)"]);
    check("(p && q", expect!["0..1: this `(` is not closed (add `)` at the end)"]);
    check("p && q)", expect!["6..7: this `)` has no `(`"]);
    check(
        "p q",
        expect![
            "2..3: an operator is missing before `q` (write `&&`, `||`, `->` or `U` between two formulas)"
        ],
    );
    check("p && || q", expect!["5..7: an operand is missing before `||`"]);
    check("[] (p -> $)", expect!["9..10: `$` cannot stand in a formula"]);
    check("x == ", expect!["5..5: an expression is missing at the end"]);
    check("len(q", expect!["0..3: the expression that starts with `len` is not complete"]);
    check("\"open", expect!["0..5: this text is not closed (add a quotation mark)"]);
    check("p -> []", expect!["7..7: the formula ends too early (write an operand after `[]`)"]);
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for text in [
        "(".repeat(100_000),
        "!".repeat(100_000) + "p",
        "p U ".repeat(100_000) + "p",
        "p -> ".repeat(9_000) + "p",
    ] {
        assert!(parse(&text).is_err());
    }
    assert!(parse(&("X ".repeat(300) + "p")).is_ok());
    assert!(parse(&vec!["p"; 20_000].join(" && ")).is_ok());
}

#[test]
fn no_text_makes_the_parser_panic() {
    let pieces = [
        "p", "x", "==", "(", ")", "[", "]", "[]", "<>", "U", "!", "->", "\"", ".", "@", "?", ":", "1", "-",
        " ", "𝓤", "$", "é",
    ];
    let mut state = 1u64;
    for _ in 0..50_000 {
        let mut text = String::new();
        for _ in 0..8 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        if let Ok(parsed) = parse(&text) {
            let _ = parsed.formula.display(&parsed.propositions).to_string();
        }
    }
}
