//! The Hanoi format: reading, writing, and refusing.

mod common;

use allways_ltl::{
    Automaton, Lasso, TranslateOptions, accepts, hoa, holds_on, is_deterministic, parse, translate,
    translate_to_buchi,
};
use expect_test::{Expect, expect};
use rand::Rng;

fn refused(text: &str, expected: Expect) {
    let got = match hoa::parse(text).and_then(|a| a.to_automaton()) {
        Ok(automaton) => format!("read: {automaton:?}"),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&got);
}

fn read(text: &str) -> Automaton {
    hoa::parse(text).unwrap().to_automaton().unwrap()
}

fn agrees(automaton: &Automaton, formula: &str) {
    let formula = parse(formula).unwrap().formula;
    let mut rng = common::rng(40);
    for _ in 0..300 {
        let word: Lasso = common::word(&mut rng, formula.n_propositions(), 4);
        assert_eq!(accepts(automaton, &word), holds_on(&formula, &word), "{word:?}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut rng = common::rng(41);
    let names: Vec<String> = ["a", "x == \"1\"", "b\\c"].map(String::from).to_vec();
    for _ in 0..200 {
        let size = rng.random_range(1..=10);
        let formula = common::formula(&mut rng, size, 3);
        let options = TranslateOptions::default();
        for automaton in
            [translate(&formula, &options).unwrap(), translate_to_buchi(&formula, &options).unwrap()]
        {
            let text = hoa::write(&automaton, &names, "some \"title\"");
            let back = hoa::parse(&text).unwrap();
            assert_eq!(back.name.as_deref(), Some("some \"title\""));
            assert_eq!(back.propositions, names[..automaton.n_propositions as usize]);
            assert_eq!(back.properties.contains(&"deterministic".to_string()), is_deterministic(&automaton));
            assert_eq!(back.to_automaton().unwrap(), automaton, "{text}");
        }
    }
}

#[test]
fn writing() {
    let parsed = parse("[]<> p && <>[] q").unwrap();
    let automaton = translate(&parsed.formula, &TranslateOptions::default()).unwrap();
    expect![[r#"
        HOA: v1
        name: "both"
        States: 2
        Start: 0
        AP: 2 "p" "q"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels trans-acc
        --BODY--
        State: 0
        [t] 0
        [1] 1
        State: 1
        [!0&1] 1
        [0&1] 1 {0}
        --END--
    "#]]
    .assert_eq(&hoa::write(&automaton, &parsed.propositions, "both"));
}

#[test]
fn state_labels_aliases_comments() {
    let text = "HOA: v1 /* a /* nested */ comment */\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n\
        tool: \"by hand\" \"1\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nAlias: @x 0&!1\nAlias: @y !@x | f\n--BODY--\n\
        State: 0 \"first\"\n[@y] 0\n[@x] 1\nState: [t] 1 {0}\n1\n--END--\n";
    let parsed = hoa::parse(text).unwrap();
    assert_eq!(parsed.states[0].name.as_deref(), Some("first"));
    agrees(&read(text), "<> (a && !b)");
}

#[test]
fn implicit_labels() {
    let text = "HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n0 0 {0} 0 0 {0}\n--END--";
    agrees(&read(text), "[]<> a || ([]<> (b && false))");
    let wrong =
        "HOA: v1\nStart: 0\nAP: 2 \"a\" \"b\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n0 0 0\n--END--";
    refused(wrong, expect!["line 8: there must be an edge for each letter if edges have no labels"]);
}

#[test]
fn kinds_of_acceptance() {
    let automaton = |acceptance: &str| {
        format!(
            "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: {acceptance}\n--BODY--\nState: 0\n[0] 0 {{0}}\n[!0] 0\n--END--"
        )
    };
    agrees(&read(&automaton("1 Inf(0)")), "[]<> a");
    agrees(&read(&automaton("1 Inf(!0)")), "[]<> !a");
    agrees(&read(&automaton("1 Inf(0) & Inf(!0)")), "[]<> a && []<> !a");
    agrees(&read(&automaton("0 t").replace(" {0}", "")), "true || a");
    agrees(&read(&automaton("0 f").replace(" {0}", "")), "false && a");
    refused(&automaton("1 Fin(0)"), expect!["the acceptance condition Fin(0) is not supported"]);
    let general = hoa::parse(&automaton("3 (Fin(0) & Inf(1)) | (Inf(2) | Fin(!0) & t)")).unwrap();
    expect!["(Fin(0) & Inf(1)) | (Inf(2) | (Fin(!0) & t))"].assert_eq(&general.acceptance.to_string());
}

#[test]
fn several_starts_and_several_automata() {
    let one = "HOA: v1\nStates: 2\nStart: 0\nStart: 1\nAP: 2 \"a\" \"b\"\nAcceptance: 0 t\n--BODY--\n\
        State: 0\n[0] 0\nState: 1\n[1] 1\n--END--\n";
    agrees(&read(one), "[] a || [] b");
    let stream = format!("{one}HOA: v1\n--ABORT--\n{one}");
    assert_eq!(hoa::parse_all(&stream).unwrap().len(), 2);
}

#[test]
fn what_is_refused() {
    refused("", expect!["line 1: there is no automaton"]);
    refused("HOA: v2\n", expect![[r#"version Some(Identifier("v2")) is not supported"#]]);
    refused(
        "HOA: v1\nStart: 0&1\nAcceptance: 0 t\n--BODY--\n--END--",
        expect!["alternation is not supported"],
    );
    refused(
        "HOA: v1\nStart: 0\nStrange: 1\nAcceptance: 0 t\n--BODY--\n--END--",
        expect!["the header line `Strange:` is not supported"],
    );
    refused("HOA: v1\nStart: 0\n--BODY--\n--END--", expect!["line 4: there is no `Acceptance:` line"]);
    refused(
        "HOA: v1\nStart: 0\nAcceptance: 1 Inf(1)\n--BODY--\n--END--",
        expect!["line 3: there is no set 1"],
    );
    refused(
        "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[1] 0\n--END--",
        expect!["line 7: there is no proposition 1"],
    );
    refused(
        "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[@b] 0\n--END--",
        expect!["line 7: `@b` has no meaning yet"],
    );
    refused(
        "HOA: v1\nStates: 1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 3\n--END--",
        expect!["line 8: there is a state 3 but `States:` says otherwise"],
    );
    refused(
        "HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 999999999\n--END--",
        expect!["999999999 as the number of a state is not supported"],
    );
    refused("HOA: v1 /* open", expect!["line 1: this comment does not end"]);
}

#[test]
fn l6_the_lines_of_a_header_come_in_any_order() {
    let automaton = read(
        "HOA: v1 Alias: @both 0 & @second Acceptance: 1 Inf(0) Start: 0 Alias: @second 1
         AP: 2 \"p\" \"q\" States: 1 --BODY-- State: 0 [@both] 0 {0} [!@both] 0 --END--",
    );
    agrees(&automaton, "[]<> (p && q)");
    refused(
        "HOA: v1 Alias: @a @b Alias: @b @a AP: 1 \"p\" Start: 0 Acceptance: 0 t --BODY-- State: 0 [@a] 0 --END--",
        expect!["line 1: `@b` has no meaning yet"],
    );
}
