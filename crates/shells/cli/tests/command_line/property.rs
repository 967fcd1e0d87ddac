use crate::{Finished, Place, assert_contains};

/// Arguments with spaces in them.
fn property(place: &Place, arguments: &[&str], input: &str) -> Finished {
    use std::io::Write;
    let mut command = place.command("property");
    command.args(arguments).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Finished { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_formula_is_explained() {
    let place = Place::new("property");
    let run = |arguments: &[&str]| property(&place, arguments, "");
    let report = run(&["[] (p -> <> q)"]);
    assert_eq!(report.code, Some(0));
    assert_contains(
        &report.stdout,
        &["whenever p holds, q holds then or later", "recurrence", "Violated by"],
    );
    let claim = run(&["[] (p -> <> q)", "--negated", "--as", "never"]).stdout;
    assert_contains(&claim, &["never", "/* ![](p -> <>q) */", "accept_S1"]);
    assert_contains(&run(&["p U q", "--as", "dot"]).stdout, &["digraph"]);
    assert_contains(&run(&["p U q", "--as", "svg"]).stdout, &["<svg"]);
    let json = run(&["p U q", "--as", "json"]).json();
    assert_eq!(json["schema"], "allways/property/1");
    assert_eq!(json["propositions"], serde_json::json!(["p", "q"]));
    let ambiguous = run(&["p U q U r", "--as", "hoa"]);
    assert_contains(&ambiguous.stderr, &["note: ", "Spin reads"]);
    assert_eq!(run(&["p U q", "-o", "claim.hoa", "--as", "hoa"]).code, Some(0));
    assert_contains(&run(&["--hoa", "claim.hoa"]).stdout, &["Accepted are"]);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let place = Place::new("property_mistakes");
    let run = |arguments: &[&str]| property(&place, arguments, "");
    let wrong = run(&["[] (p -> <> q"]);
    assert_eq!(wrong.code, Some(2));
    assert_eq!(wrong.stdout, "");
    assert_contains(&wrong.stderr, &["    [] (p -> <> q\n       ^\n", "help:"]);
    for arguments in [
        &[][..],
        &["p", "q"],
        &["--pattern", "absence", "Q=x"],
        &["--pattern", "absence", "P=x", "P=y"],
        &["--pattern", "absence", "x"],
        &["--after", "p"],
        &["--eventually", "p", "--until", "q"],
        &["--always", "p", "--before", "q"],
        &["--always", "p", "--first-only"],
        &["--always", "p", "--release-state", "included"],
        &["--always", "p", "--never", "q"],
    ] {
        assert_eq!(run(arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn automata_are_read_and_written() {
    let place = Place::new("property_hoa");
    let text = property(&place, &["[]<> p && []<> q", "--as", "hoa"], "").stdout;
    let again = property(&place, &["--hoa", "-", "--as", "hoa"], &text);
    assert_eq!(again.stdout, text);
    assert_contains(&property(&place, &["--hoa", "-", "--as", "never"], &text).stdout, &["accept"]);
    assert_eq!(property(&place, &["--hoa", "-"], "HOA: v2").code, Some(4));
    assert_eq!(property(&place, &["--hoa", "missing.hoa"], "").code, Some(4));
}

#[test]
fn templates_become_formulas() {
    let place = Place::new("property_templates");
    let run = |arguments: &[&str]| property(&place, arguments, "").stdout;
    let between = run(&["--pattern", "absence", "--scope", "between", "P=x == 1", "q=open", "R=closed"]);
    assert_contains(
        &between,
        &[
            "In a model    ltl name { [](open && !closed && <>closed -> !(x == 1) U closed) }",
            "from each open up to the next closed (nothing is said if no closed comes): `x == 1` never holds",
        ],
    );
    let requirement =
        run(&["--after", "e", "--always", "f", "--unless", "d", "--strictly-after", "--first-only"]);
    assert_contains(&requirement, &["!e W (e && X (f W d))", "only the first time opens it"]);
    assert_contains(&run(&["--list"]), &["response-chain-1-2", "after-until"]);
}

/// The automaton of the formula itself would have a state for each set of positions at which it has to look: what can be
/// said without it is said.
#[test]
fn l12_what_looks_far_ahead_is_explained_as_far_as_it_can_be() {
    let place = Place::new("far-ahead");
    let far = "X ".repeat(16);
    let report = property(&place, &[&format!("[] (p -> {far} q)")], "");
    assert_eq!(report.code, Some(0));
    assert_contains(&report.stdout, &["whenever p holds, q holds after 16 steps", "Negation      18 states"]);
    let report = property(&place, &[&format!("<> (p && {far} q)")], "");
    assert_eq!(report.code, Some(0));
    assert_contains(&report.stdout, &["Automaton     18 states"]);
}
