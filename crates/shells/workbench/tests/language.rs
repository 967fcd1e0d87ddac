//! How the language is read where Spin or people are used to something else: each is a finding of a trial.

mod common;

use std::path::Path;

use allways_verdict::Verdict;
use allways_workbench::{CheckOptions, LoadError, LoadOptions, check, load_text};

use common::{NoFiles, Patient};

/// The codes of what is said about a model, and its messages; and whether all of it holds, if it can be checked.
fn read(text: &str) -> (Vec<&'static str>, String, Option<bool>) {
    let loaded = load_text(Path::new("m.pml"), text.to_string(), &LoadOptions::default(), &NoFiles);
    let (diagnostics, holds) = match loaded {
        Ok(model) => {
            let result = check(&model, &CheckOptions::default(), &mut Patient).expect("a result");
            let holds = result.properties.iter().all(|property| property.verdict == Verdict::Holds);
            (model.warnings, Some(holds))
        }
        Err(LoadError::Mistakes { diagnostics, .. }) => (diagnostics, None),
        Err(error) => panic!("{error}"),
    };
    let told =
        diagnostics.iter().map(|diagnostic| format!("{}\n{:?}\n", diagnostic.message, diagnostic.help));
    (diagnostics.iter().map(|diagnostic| diagnostic.code).collect(), told.collect(), holds)
}

#[test]
fn r1_the_initial_value_of_a_struct_has_no_effect() {
    let types = "typedef T { byte a; byte b } typedef U { T t = 4; byte c = 2 }";
    for (text, n_ignored) in [
        ("active proctype A() { T t[3] = 7; assert(t[0].a == 0 && t[2].b == 0) }", 2),
        ("T t = 7; active proctype A() { assert(t.a == 0 && t.b == 0) }", 2),
        ("U u; active proctype A() { assert(u.t.a == 0 && u.t.b == 0 && u.c == 2) }", 1),
    ] {
        let (codes, _, holds) = read(&format!("{types} {text}"));
        assert_eq!(
            codes.iter().filter(|code| **code == "ignored-initial-value").count(),
            n_ignored,
            "{text}"
        );
        assert_eq!(holds, Some(true), "{text}");
    }
}

#[test]
fn l4_two_marks_in_a_formula_negate_twice() {
    for (formula, holds) in [("!!(x == 0)", true), ("!!!(x == 0)", false), ("[] (!!!!(x == 0))", false)] {
        let (_, told, result) =
            read(&format!("byte x; active proctype A() {{ x = 1 }} ltl p {{ {formula} }}"));
        assert_eq!(result, Some(holds), "{formula} {told}");
    }
    // Elsewhere they are a sorted send.
    let sorted = "chan c = [2] of { byte }; active proctype A() { c!!2; c!!1; c?1; c?2 }";
    assert_eq!(read(sorted).2, Some(true));
}

#[test]
fn l9_a_channel_of_the_simulator_is_told_from_a_mistake() {
    let (codes, told, holds) = read("active proctype A() { int c; STDIN?c; assert(c != 'x') }");
    assert!(told.contains("only Spin's simulator reads it"), "{codes:?} {told}");
    assert_ne!(holds, Some(true));
    // Spin stops where a claim is about a rendezvous; here it is checked like any other.
    let rendezvous =
        "chan c = [0] of { byte }; active proctype A() { xs c; c!1 } active proctype B() { xr c; c?1 }";
    assert_eq!(read(rendezvous).2, Some(true));
}

#[test]
fn l10_the_length_of_an_array_is_a_constant() {
    let (codes, told, _) = read("active proctype A() { int n = 3; int t[n]; t[1] = 2 }");
    assert!(codes.contains(&"not-constant"), "{codes:?}");
    assert!(told.contains("the length of an array must be a constant; `n` is a variable"), "{told}");
    assert!(!codes.contains(&"array-length"));
    // What is not declared has no length that could be wrong.
    let (codes, told, _) = read("int t[n]; active proctype A() { t[1] = 2 }");
    assert!(codes.contains(&"undeclared-name") && !codes.contains(&"array-length"), "{told}");
}

#[test]
fn l10_the_length_of_an_array_in_a_type_is_a_constant() {
    for text in [
        "byte n = 3; typedef T { byte a[n] } T t; active proctype A() { t.a[0] = 1; assert(t.a[0] == 1) }",
        "typedef T { byte a[n + 1] } byte n = 3; T t; active proctype A() { assert(t.a[0] == 0) }",
        "byte a[n]; byte n = 3; active proctype A() { assert(a[0] == 0) }",
    ] {
        let (codes, told, _) = read(text);
        assert_eq!(codes, ["not-constant"], "{told}");
        assert!(told.contains("the length of an array must be a constant; `n` is a variable"), "{told}");
    }
}

#[test]
fn l11_one_field_is_no_fields() {
    let (_, told, _) = read(
        "chan c = [1] of { byte, byte }; active proctype A() { c!1 } active proctype B() { byte x; c?x }",
    );
    assert!(told.contains("1 field sent, but the messages of `c` have 2"), "{told}");
    assert!(!told.contains("1 fields") && !told.contains("1 values"), "{told}");
}
