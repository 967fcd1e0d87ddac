//! Sizes at which other checkers give up: nothing here may crash, and a limit is told as one.

use std::ops::ControlFlow;
use std::path::Path;

use allways_verdict::{Limits, Statistics, Verdict};
use allways_workbench::{
    CheckOptions, CheckResult, Files, LoadOptions, Model, Monitor, Order, Semantics, Stopped, check,
    load_text,
};

struct Patient;

impl Monitor for Patient {
    fn tick(&mut self, _: &Statistics) -> ControlFlow<Stopped> {
        ControlFlow::Continue(())
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> Result<String, std::io::Error> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn model(text: &str) -> Model {
    load_text(Path::new("m.pml"), text.to_string(), &LoadOptions::default(), &NoFiles).expect("a sound model")
}

fn run(text: &str, options: CheckOptions) -> CheckResult {
    check(&model(text), &options, &mut Patient).expect("a result")
}

fn holds(result: &CheckResult) -> bool {
    result.properties.iter().all(|property| property.verdict == Verdict::Holds)
}

fn reason(result: &CheckResult) -> &str {
    match &result.properties[0].verdict {
        Verdict::Inconclusive { reason, .. } => reason,
        other => panic!("{other:?} is not inconclusive"),
    }
}

#[test]
fn three_hundred_processes() {
    let result = run(
        "byte x; proctype P(short n) { end: x == 255 -> x = n }
         init { short i; atomic { for (i : 1 .. 300) { run P(i) } }; assert(_nr_pr == 301); x = 2 }",
        CheckOptions::default(),
    );
    assert!(holds(&result));
    assert!(result.statistics.atomic_steps >= 900);
}

#[test]
fn two_thousand_symbolic_names() {
    let names: Vec<String> = (0..2000).map(|number| format!("n{number}")).collect();
    let text = format!(
        "mtype = {{ {} }}; mtype m; chan q = [1] of {{ mtype }};
         active proctype A() {{ q!n0; q?m; assert(m == n0 && m != n1744 && n0 == 2000) }}",
        names.join(", ")
    );
    assert!(holds(&run(&text, CheckOptions::default())));
}

#[test]
fn a_state_of_a_hundred_kilobytes() {
    let result = run(
        "byte a[100000]; byte i;
         active proctype A() { do :: i < 50 -> a[i * 2000] = i; i++ :: else -> break od; assert(a[98000] == 49) }",
        CheckOptions::default(),
    );
    assert!(holds(&result));
    assert!(result.statistics.state_bytes > 100_000);
}

#[test]
fn a_million_steps_deep() {
    let text = "int i; active proctype A() { do :: i < 500000 -> i++ :: else -> break od }";
    let result = run(text, CheckOptions::default());
    assert!(holds(&result));
    assert_eq!(result.statistics.depth, 1_000_002);
}

#[test]
fn processes_without_end() {
    let limits = Limits { memory: Some(20 << 20), ..Limits::default() };
    let result =
        run("proctype P() { run P() } init { run P() }", CheckOptions { limits, ..CheckOptions::default() });
    assert_eq!(reason(&result), "the memory limit was reached");
    assert!(!result.complete);
}

#[test]
fn limits_are_told() {
    let text = "int i; active proctype A() { do :: i++ :: i = i + 2 od }";
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let depth = Limits { depth: Some(10), ..Limits::default() };
        let result = run(text, CheckOptions { limits: depth, order, ..CheckOptions::default() });
        assert_eq!(reason(&result), "paths longer than the depth limit were cut");
        let memory = Limits { memory: Some(8 << 20), ..Limits::default() };
        let result = run(text, CheckOptions { limits: memory, order, ..CheckOptions::default() });
        assert_eq!(reason(&result), "the memory limit was reached");
    }
}

#[test]
fn overflow_is_an_error_only_on_request() {
    let text = "byte x; active proctype A() { do :: x < 255 -> x = x + 50 :: x > 200 -> break od }";
    assert!(holds(&run(text, CheckOptions::default())));
    let semantics = Semantics { check_overflow: true, ..Semantics::default() };
    let result = run(text, CheckOptions { semantics, ..CheckOptions::default() });
    let Verdict::Violated(violation) = &result.properties[0].verdict else {
        panic!("overflow was not found")
    };
    assert!(violation.reason.starts_with("the value 300 does not fit"), "{}", violation.reason);
    assert_eq!(result.statistics.replayed, 1);
}
