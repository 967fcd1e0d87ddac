//! Sizes at which other checkers give up: nothing here may crash, and a limit is told as one.

mod common;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use allways_verdict::{Limits, Statistics, Verdict};
use allways_workbench::{
    Alarm, CheckOptions, CheckResult, Keep, LoadOptions, Model, Monitor, Order, Semantics, Stopped, Until,
    check, load_text,
};

use common::{NoFiles, Patient};

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

/// The reduction is made for the processes that are known; where others turn up, it is made anew.
#[test]
fn processes_that_turn_up_late() {
    let late = |last: u32| {
        format!(
            "byte x, n; bool found;
             proctype P(byte k) {{ if :: k == {last} -> x = 1 :: else fi }}
             active proctype A() {{ do :: n < 60 -> n++; run P(n); _nr_pr == 2 :: else -> break od }}
             active proctype B() {{ do :: x == 0 -> assert(n < 255) :: x == 1 -> found = true; assert(false) od }}"
        )
    };
    for (last, is_found) in [(1, true), (30, true), (60, true), (61, false)] {
        for reduce in [false, true] {
            let result = run(
                &late(last),
                CheckOptions { reduce, until: Until::AllExplored, ..CheckOptions::default() },
            );
            assert_eq!(!holds(&result), is_found, "{last} {reduce}");
        }
    }
    let ring = include_str!("../../../../bench/models/leader-ring.pml");
    let states = |reduce| {
        let options = CheckOptions { reduce, ..CheckOptions::default() };
        let result = run(&format!("#define N 6\n{ring}"), options);
        assert!(holds(&result));
        result.statistics.states
    };
    assert!(10 * states(true) < states(false));
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
        "byte a[200000]; byte i;
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

/// The loop over `t` is first met at the end of a long way, where the limit cuts it, and later near the start.
#[test]
fn what_was_cut_is_followed_when_it_is_met_earlier() {
    let text = |bound: u32| {
        format!(
            "int i; byte t;
             active proctype A() {{
                 if :: true -> do :: i < 3000 -> i++ :: else -> break od; i = 0 :: true fi;
                 do :: t < 10 -> t++ :: else -> assert(t < {bound}) od
             }}"
        )
    };
    let limits = Limits { depth: Some(6_010), ..Limits::default() };
    for (keep, threads, order) in [
        (Keep::Exact, 1, Order::DepthFirst),
        (Keep::Exact, 2, Order::DepthFirst),
        (Keep::Exact, 3, Order::Random(1)),
        (Keep::Compact, 1, Order::DepthFirst),
        (Keep::Exact, 1, Order::BreadthFirst),
    ] {
        let options = CheckOptions { limits, keep, threads, order, ..CheckOptions::default() };
        let result = run(&text(10), options.clone());
        assert!(matches!(result.properties[0].verdict, Verdict::Violated(_)), "{options:?}");
        assert!(result.statistics.depth <= 6_010);
        // `holds` is said only if nothing was cut. Breadth first, the short way comes first; at random or by several
        // threads, it may.
        let result = run(&text(11), CheckOptions { until: Until::AllExplored, ..options });
        match order {
            Order::DepthFirst if threads == 1 => assert_ne!(result.properties[0].verdict, Verdict::Holds),
            Order::BreadthFirst => assert_eq!(result.properties[0].verdict, Verdict::Holds),
            Order::DepthFirst | Order::Random(_) | Order::Preemptions(_) => {}
        }
    }
}

/// States that are met on ever shorter ways would be expanded again and again to keep to a limit.
#[test]
fn a_limit_that_no_run_reaches_changes_nothing() {
    let text = "byte x, y; active proctype A() { do :: x < 200 -> x++ :: x > 0 -> x-- od }
                active proctype B() { do :: y < 200 -> y++ :: y > 0 -> y = 0 od }";
    for threads in [1, 2] {
        let options = CheckOptions { reduce: false, simplify: false, threads, ..CheckOptions::default() };
        let free = run(text, options.clone());
        let limits = Limits { depth: Some(1_000_000), ..Limits::default() };
        let limited = run(text, CheckOptions { limits, ..options });
        let figures = |result: &CheckResult| {
            (result.complete, result.statistics.states, result.statistics.transitions())
        };
        assert_eq!(figures(&limited), figures(&free));
        assert!(limited.complete);
    }
}

/// What lies behind a run-time error is not known, whatever else is met first.
#[test]
fn a_run_time_error_leaves_other_properties_open() {
    let (fails, faults) = ("assert(zero == 1)", "x = 1 / zero; x == 77");
    for (first, second) in [(fails, faults), (faults, fails)] {
        let text =
            format!("byte zero, x; active proctype A() {{ if :: true -> {first} :: true -> {second} fi }}");
        for (order, interpret) in
            [(Order::DepthFirst, false), (Order::DepthFirst, true), (Order::BreadthFirst, false)]
        {
            let options =
                CheckOptions { until: Until::AllExplored, order, interpret, ..CheckOptions::default() };
            let result = run(&text, options);
            assert!(matches!(result.properties[0].verdict, Verdict::Violated(_)));
            let Verdict::Inconclusive { reason, .. } = &result.properties[1].verdict else {
                panic!("{:?}", result.properties[1])
            };
            assert_eq!(reason, "runs were not followed beyond a run-time error");
        }
    }
}

#[test]
fn more_threads_than_work() {
    let text = "byte x; active proctype A() { do :: x < 9 -> x++ :: else -> break od }";
    assert!(holds(&run(text, CheckOptions { threads: 4, ..CheckOptions::default() })));
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

/// Nothing comes after such an atomic sequence, and no state inside it is like another.
#[test]
fn processes_created_for_ever_in_an_atomic_sequence() {
    let result = run(
        "byte x; proctype P() { x = 1 } init { atomic { do :: run P() od } } ltl quiet { [] (x == 0) }",
        CheckOptions { properties: vec!["quiet".to_string()], ..CheckOptions::default() },
    );
    assert!(reason(&result).contains("an atomic sequence through more than"), "{}", reason(&result));
}

/// Rings after a while, and counts on nothing else: `tick` would never end the search.
struct Ringing(Alarm);

impl Ringing {
    fn after(time: Duration) -> Ringing {
        Ringing(Alarm { due: Some(Instant::now() + time), ..Alarm::default() })
    }
}

impl Monitor for Ringing {
    fn tick(&mut self, _: &Statistics) -> ControlFlow<Stopped> {
        match self.0.rings() {
            Some(halt) => ControlFlow::Break(halt.into()),
            None => ControlFlow::Continue(()),
        }
    }

    fn alarm(&self) -> Alarm {
        self.0.clone()
    }
}

/// A single step of these models takes very long, or has no end.
const LONG_STEPS: [&str; 4] = [
    "active proctype A() { int x, y; d_step { do :: x++; if :: x == 0 -> y++ :: else fi od } }",
    "chan q = [2] of { int };
     active proctype A() { int x; d_step { do :: q!x; x++; q?eval(x - 1); if :: len(q) == 2 -> break :: else fi od } }",
    "active proctype A() { int x, y; atomic { do :: x++; if :: x == 0 -> y++ :: else fi od } }",
    "active proctype A() { int x, y; atomic { do :: x++ :: y++ od } }",
];

#[test]
fn s1_the_clock_is_looked_at_inside_of_long_steps() {
    let temporal = "ltl p { [] <> (1 == 1) }";
    let plain = CheckOptions { simplify: false, reduce: false, ..CheckOptions::default() };
    let compact = CheckOptions { keep: Keep::Compact, ..CheckOptions::default() };
    let ways = [
        CheckOptions::default(),
        plain,
        compact,
        CheckOptions { threads: 2, ..CheckOptions::default() },
        CheckOptions { order: Order::BreadthFirst, ..CheckOptions::default() },
        CheckOptions { interpret: true, ..CheckOptions::default() },
    ];
    for text in &LONG_STEPS {
        for options in &ways {
            let started = Instant::now();
            let mut monitor = Ringing::after(Duration::from_millis(100));
            let result = check(&model(text), options, &mut monitor).expect("a result");
            assert_eq!(reason(&result), "the time limit was reached", "{text}");
            // Much more than it takes, for a machine that is busy.
            assert!(started.elapsed() < Duration::from_secs(20), "{text}");
        }
        let mut monitor = Ringing::after(Duration::from_millis(100));
        let text = format!("{text} {temporal}");
        let options = CheckOptions { properties: vec!["p".to_string()], ..CheckOptions::default() };
        let result = check(&model(&text), &options, &mut monitor).expect("a result");
        assert_eq!(reason(&result), "the time limit was reached", "{text}");
    }
}

#[test]
fn s1_atomic_sequences_keep_to_the_memory_limit() {
    let limits = Limits { memory: Some(20 << 20), ..Limits::default() };
    let order = Order::BreadthFirst;
    for options in [
        CheckOptions { limits, ..CheckOptions::default() },
        CheckOptions { limits, order, ..CheckOptions::default() },
    ] {
        let result = run(LONG_STEPS[3], options);
        assert_eq!(reason(&result), "the memory limit was reached");
    }
}

/// They count before they wait, and while they are looked up.
#[test]
fn s1_many_successors_of_one_state_keep_to_the_memory_limit() {
    let names: Vec<String> = (0..24).map(|i| format!("b{i}")).collect();
    let choices: String = names.iter().map(|b| format!("if :: {b} = 0 :: {b} = 1 fi; ")).collect();
    let (list, all) = (names.join(", "), names.join(" && "));
    let text = format!(
        "bit {list}, r; active proctype A() {{ atomic {{ {choices} r = {all}; assert(!r || b0) }} }}"
    );
    let limits = Limits { memory: Some(40 << 20), ..Limits::default() };
    let ways = [
        CheckOptions::default(),
        CheckOptions { simplify: false, reduce: false, ..CheckOptions::default() },
        CheckOptions { keep: Keep::Compact, ..CheckOptions::default() },
        CheckOptions { threads: 2, ..CheckOptions::default() },
        CheckOptions { order: Order::BreadthFirst, ..CheckOptions::default() },
        CheckOptions { order: Order::Preemptions(1), ..CheckOptions::default() },
    ];
    for options in ways {
        let result = run(&text, CheckOptions { limits, ..options });
        assert_eq!(reason(&result), "the memory limit was reached");
        // All of them are 33 million.
        assert!(result.statistics.atomic_steps < 8_000_000, "{:?}", result.statistics);
    }
}

/// Two choices in a row have four paths, and so on: paths that join do not multiply.
#[test]
fn s1_paths_that_join_do_not_multiply() {
    let choice = "if :: b = 1 :: b = 0 fi; if :: b == 0 -> n = n & 7 :: else -> skip fi;";
    let text = |begin: &str, end: &str| {
        format!(
            "active proctype A() {{ byte n = 1; bit b; {begin} {} {end}; assert(n == 1) }}",
            choice.repeat(100)
        )
    };
    for (begin, end) in [("", ""), ("atomic {", "}")] {
        let result = run(&text(begin, end), CheckOptions::default());
        assert!(holds(&result), "{begin}");
        assert!(result.statistics.states < 10_000);
    }
}

/// Behind more states than are all kept, paths that join or run in a circle are noticed, too, and
/// every path is counted. The first two figures are pan's.
#[test]
fn s1_paths_join_late_in_a_sequence() {
    let names: Vec<String> = (0..13).map(|i| format!("b{i}")).collect();
    let choices: String = names.iter().map(|b| format!("if :: {b} = 0 :: {b} = 1 fi; ")).collect();
    let plain = CheckOptions { simplify: false, reduce: false, ..CheckOptions::default() };
    let stored = |rest: &str| {
        let list = names.join(", ");
        let text = format!("bit {list}; active proctype A() {{ bit c; atomic {{ {choices} {rest} }} }}");
        let result = run(&text, plain.clone());
        assert!(holds(&result), "{rest}");
        (result.statistics.states, result.statistics.transitions())
    };
    let join = "if :: c = 0 :: c = 1 fi; c = 0;";
    assert_eq!(stored(&join.repeat(6)), (16_385, 532_481));
    // pan would follow each of these.
    assert_eq!(stored(&join.repeat(20)), (16_385, (1 << 33) + 8_193));
    let (states, _) = stored("do :: c = 0 :: c = 1 :: c == 1 -> break od");
    assert_eq!(states, 16_385);
}

#[test]
fn s1_a_run_through_a_long_atomic_sequence_is_told() {
    let text = "int x; active proctype A() {
                  atomic { do :: x < 200000 -> x++ :: else -> break od; if :: x++ :: x-- fi; assert(x == 200001) } }";
    for interpret in [false, true] {
        let result = run(text, CheckOptions { interpret, ..CheckOptions::default() });
        let Verdict::Violated(violation) = &result.properties[0].verdict else { panic!("{interpret}") };
        assert_eq!(violation.trail.steps.len(), 400_004);
    }
}

/// The steps to a violation are worked out once, not for each of the thousands that lie in one sequence.
#[test]
fn s1_violations_inside_of_a_long_sequence_cost_one_trail() {
    let texts = [
        "active proctype A() { int x; atomic { do :: x < 10000 -> x++; assert(x < 5) :: else -> break od } }",
        "byte y; active proctype A() { atomic { do :: y < 20 -> y++ :: do :: assert(y > 30) od od } }",
        "active proctype A() { int x;
           atomic { do :: x < 100000 -> x++ :: else -> break od; do :: assert(x < 5) od } }",
    ];
    let plain = CheckOptions { simplify: false, reduce: false, ..CheckOptions::default() };
    let ways = [
        CheckOptions::default(),
        plain,
        CheckOptions { order: Order::BreadthFirst, ..CheckOptions::default() },
        CheckOptions { threads: 2, ..CheckOptions::default() },
    ];
    for text in texts {
        for options in &ways {
            let mut monitor = Ringing::after(Duration::from_secs(10));
            let result = check(&model(text), options, &mut monitor).expect("a result");
            let [assertions, deadlock] = &result.properties[..] else { panic!("{text}") };
            assert!(matches!(assertions.verdict, Verdict::Violated(_)), "{text}: {:?}", assertions.verdict);
            assert_eq!(deadlock.verdict, Verdict::Holds, "{text}");
        }
    }
}

#[test]
fn s1_what_a_sequence_violates_before_the_time_is_up_is_told() {
    let text = "active proctype A() { int x, y; atomic { assert(x == 1); do :: x++; if :: x == 0 -> y++ :: else fi od } }";
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let options = CheckOptions { order, ..CheckOptions::default() };
        let mut monitor = Ringing::after(Duration::from_millis(300));
        let result = check(&model(text), &options, &mut monitor).expect("a result");
        assert!(matches!(result.properties[0].verdict, Verdict::Violated(_)), "{order:?}");
        assert!(matches!(result.properties[1].verdict, Verdict::Inconclusive { .. }), "{order:?}");
    }
}

/// The steps to a violation that was found are worked out again, and the time is up by then: either
/// all are there, or it is said that there was no time.
#[test]
fn s1_no_part_of_a_trail_is_lost_when_the_time_is_up() {
    let text = "byte x; int n, m; bool b[11];
        active proctype P() { byte i;
          atomic { do :: i < 11 -> if :: b[i] = 0 :: b[i] = 1 fi; i++ :: else -> break od;
                   i = 0; x = b[0] + b[5] + b[10] };
          assert(x != 3) }
        active proctype Q() { do :: n++ :: m++ od }
        active proctype R() { n == -5 && m == -7 }";
    for order in [Order::BreadthFirst, Order::DepthFirst, Order::Preemptions(2)] {
        let mut monitor = Ringing::after(Duration::from_millis(300));
        let options = CheckOptions { order, until: Until::AllExplored, ..CheckOptions::default() };
        let result = check(&model(text), &options, &mut monitor).expect("a result");
        assert!(result.internal_errors.is_empty(), "{order:?}: {:?}", result.internal_errors);
        match &result.properties[0].verdict {
            Verdict::Violated(violation) => assert!(violation.trail.steps.len() > 30, "{order:?}"),
            Verdict::Inconclusive { reason, .. } => assert!(reason.contains("the time"), "{reason}"),
            Verdict::Holds => panic!("{order:?}"),
        }
    }
}

/// What the search leaves out can be a step without end when the violation is repeated: an
/// interrupt that comes then ends that.
#[test]
fn s1_an_interrupt_ends_the_repetition() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static INTERRUPTED: AtomicBool = AtomicBool::new(false);
    let text = "int s; active proctype P() { d_step { do :: s++ od } }";
    let interrupt = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(2));
        INTERRUPTED.store(true, Ordering::Relaxed);
    });
    let started = Instant::now();
    let mut monitor = Ringing(Alarm { interrupted: Some(&INTERRUPTED), ..Alarm::default() });
    let options = CheckOptions { simplify: true, ..CheckOptions::default() };
    let result = check(&model(text), &options, &mut monitor).expect("a result");
    assert!(reason(&result).contains("interrupted before it was repeated"), "{}", reason(&result));
    assert_eq!(result.stopped, Some(Stopped::Interrupt));
    assert!(started.elapsed() < Duration::from_secs(10));
    interrupt.join().expect("no panic");
}

/// The claim has 512 states at each of a thousand positions of the lasso: to repeat it takes more
/// than the search. It took 8 GB, whatever the limit.
#[test]
fn s1_the_repetition_of_a_lasso_keeps_to_the_memory_limit() {
    let text = |bits: u32, most: u32| {
        format!(
            "short x; active proctype P() {{ do :: x < {most} -> x++ :: x == {most} -> x = 0 od }}
             never {{ unsigned n : {bits}; bit m; accept: do :: n++ :: m = 1 - m od }}"
        )
    };
    let limits = Limits { memory: Some(20 << 20), ..Limits::default() };
    let result = run(&text(8, 1000), CheckOptions { limits, ..CheckOptions::default() });
    let claim = result.properties.last().expect("a claim");
    let Verdict::Inconclusive { reason, .. } = &claim.verdict else { panic!("{:?}", claim.verdict) };
    assert!(reason.contains("the memory limit was reached before it was repeated"), "{reason}");
    let result = run(&text(2, 50), CheckOptions { limits, ..CheckOptions::default() });
    let claim = result.properties.last().expect("a claim");
    assert!(matches!(claim.verdict, Verdict::Violated(_)), "{:?}", claim.verdict);
}

#[test]
fn s1_the_depth_limit_holds_inside_of_atomic_sequences() {
    let text = "int x; active proctype A() {
                  atomic { do :: x < 2000000000 -> x++ :: else -> break od }; assert(x != 2000000000) }
                ltl p { [] (x >= 0) }";
    let ways = [
        CheckOptions::default(),
        CheckOptions { simplify: false, reduce: false, ..CheckOptions::default() },
        CheckOptions { order: Order::BreadthFirst, ..CheckOptions::default() },
        CheckOptions { threads: 2, ..CheckOptions::default() },
    ];
    let limits = Limits { depth: Some(100), ..Limits::default() };
    for options in ways {
        let mut monitor = Ringing::after(Duration::from_secs(10));
        let result =
            check(&model(text), &CheckOptions { limits, ..options }, &mut monitor).expect("a result");
        assert_eq!(result.properties.len(), 3);
        for property in &result.properties {
            let Verdict::Inconclusive { reason, .. } = &property.verdict else {
                panic!("{}", property.property.name)
            };
            assert_eq!(reason, "paths longer than the depth limit were cut");
        }
    }
}

/// The first pass of its cycle takes a moment, and to repeat it, which comes after the search, takes many times as long.
#[test]
fn s4_what_a_search_found_is_repeated_as_long_as_there_is_time() {
    let text = "active proctype A() { int x; d_step { do :: x < 30000000 -> x++ :: else -> x = 0 od } }";
    for time in [50, 1000] {
        let started = Instant::now();
        let mut monitor = Ringing::after(Duration::from_millis(time));
        let result = check(&model(text), &CheckOptions::default(), &mut monitor).expect("a result");
        assert!(reason(&result).contains("the time limit was reached"), "{}", reason(&result));
        assert!(result.internal_errors.is_empty());
        assert!(started.elapsed() < Duration::from_secs(15));
    }
    let again = "active proctype A() { int x; d_step { do :: x < 100000 -> x++ :: else -> x = 0 od } }";
    let result = run(again, CheckOptions::default());
    assert!(matches!(result.properties[0].verdict, Verdict::Violated(_)));
}

#[test]
fn s4_a_d_step_has_no_most_steps() {
    let text = "active proctype A() { int x; d_step { do :: x < 1200000 -> x++ :: else -> break od };
                assert(x == 1200000) }";
    for interpret in [false, true] {
        assert!(holds(&run(text, CheckOptions { interpret, ..CheckOptions::default() })));
    }
}

/// Each of a hundred processes loops for long inside its atomic sequence.
#[test]
fn l3_long_atomic_sequences_of_many_processes_keep_to_the_time_limit() {
    let text = "byte g; active [100] proctype P() { int i;
                  do :: atomic { i = 0; do :: i < 5000 -> i++; if :: g = 0 :: g = 1 fi :: else -> break od }
                     :: atomic { g == 1 -> i = 0; do :: i < 5000 -> i++ :: else -> break od } od }
                ltl p { [] (g < 2) }";
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for name in ["assertions", "p"] {
            let options =
                CheckOptions { order, properties: vec![name.to_string()], ..CheckOptions::default() };
            let started = Instant::now();
            let result = check(&model(text), &options, &mut Ringing::after(Duration::from_millis(100)))
                .expect("a result");
            assert_eq!(reason(&result), "the time limit was reached", "{name}");
            assert!(started.elapsed() < Duration::from_secs(10), "{name}");
        }
    }
}

/// Each statement takes the same time, however many there are.
#[test]
fn p3_two_hundred_thousand_statements() {
    let started = Instant::now();
    let text = format!("int x; active proctype A() {{ {} }}", "x=1; ".repeat(200_000));
    let result = run(&text, CheckOptions::default());
    assert!(holds(&result));
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn p3_long_models_of_all_kinds() {
    let labels: String = (0..100_000).map(|i| format!("L{i}: x = 1; ")).collect();
    let texts = [
        format!("int x; active proctype A() {{ d_step {{ {} }} }}", "x = 1; ".repeat(200_000)),
        format!("int x; active proctype A() {{ do {} od }}", ":: x == 1 -> x = 2 ".repeat(100_000)),
        format!("int x; active proctype A() {{ {labels} }}"),
        format!(
            "int x; active proctype A() {{ int y; atomic {{ {} x = 2 }} }} active proctype B() {{ x = 3 }}",
            "y = 1; ".repeat(100_000)
        ),
    ];
    for text in texts {
        let started = Instant::now();
        let options = CheckOptions { properties: vec!["assertions".to_string()], ..CheckOptions::default() };
        let result = run(&text, options);
        assert!(holds(&result));
        // Each takes a second; where the time grows with the square of the length it was 10 and more.
        assert!(started.elapsed() < Duration::from_secs(6), "{}", &text[..60]);
    }
}

/// Behind its first thousand steps a sequence is followed in another way as long as there is no choice.
#[test]
fn s1_long_stretches_do_what_the_interpreter_does() {
    let bodies = [
        // Types that wrap around, and one that turns out to need more bits than it seemed.
        "do :: n < 4000 -> n++; b = b + 7; s = s + 1001; x = x * 3 + b :: else -> break od",
        "do :: n < 3000 -> n++; a[n % 5] = a[(n + 1) % 5] + n; b = a[2] :: else -> break od",
        // Channels, assertions, and a d_step inside.
        "do :: n < 2500 -> n++; c!b, n; assert(len(c) == 1); c?b, x; d_step { b++; x++ } :: else -> break od",
        "do :: n < 2000 -> n++; if :: b > 100 -> b = 0 :: else -> b++ fi :: else -> break od; assert(b == 81)",
        // The assertion fails in the middle, once or again and again.
        "do :: n < 3000 -> n++; assert(n != 2500) :: else -> break od",
        "do :: n < 3000 -> n++; assert(n < 2900) :: else -> break od",
        // An index out of range, and a division by zero.
        "do :: n < 3000 -> n++; a[n / 599] = 1 :: else -> break od",
        "do :: n < 3000 -> n++; x = 7 / (2800 - n) :: else -> break od",
        // Choices that come late, blocking, a goto out of the sequence, and an escape.
        "do :: n < 2000 -> n++ :: else -> break od; if :: b = 1 :: b = 2 fi; do :: n < 4000 -> n = n + b :: else -> break od",
        "do :: n < 2000 -> n++ :: n == 1500 && g == 0 -> n = n + 2 :: else -> break od",
        "do :: n < 2000 -> n++ :: else -> break od; g == 1; do :: n < 4000 -> n++ :: else -> break od",
        "{ do :: n < 2000 -> n++ :: else -> break od } unless { n == 1200 }; b = 3",
        // Processes that are made on the way, and a step that never ends.
        "do :: n < 1500 -> n++; if :: n == 1300 -> run Q() :: else fi :: else -> break od; b = _nr_pr",
        "do :: n < 2000 -> n++ :: n == 2000 -> n = 0 od",
    ];
    for body in bodies {
        let text = format!(
            "byte g; int a[5]; chan c = [2] of {{ byte, int }};
             proctype Q() {{ g = 2 }}
             active proctype A() {{ int n, x; byte b; short s; atomic {{ {body} }}; assert(b != 3 || g != 1) }}
             active proctype B() {{ g = 1; b2: skip }}"
        );
        for simplify in [false, true] {
            let of = |interpret| {
                let options = CheckOptions { interpret, simplify, reduce: false, ..CheckOptions::default() };
                let result = run(&text, options);
                assert!(result.internal_errors.is_empty(), "{body}: {:?}", result.internal_errors);
                let words: Vec<_> = result.properties.iter().map(|p| p.verdict.word()).collect();
                (words, result.statistics)
            };
            let ((ours, figures), (theirs, expected)) = (of(false), of(true));
            assert_eq!(ours, theirs, "{body}");
            if !simplify && ours.iter().all(|word| *word == "holds") {
                // Paths that join are counted by compiled steps alone, as Spin does; and how far a sequence without end is
                // followed is not said.
                let is_endless = body.ends_with("n = 0 od");
                let of = |s: Statistics| (s.states, if is_endless { 0 } else { s.depth });
                assert_eq!(of(figures), of(expected), "{body}");
            }
        }
    }
}

/// Its automaton has so many ways to go on that only a limit ends the translation.
#[test]
fn l4_the_translation_of_a_formula_keeps_to_the_limits() {
    let parts: Vec<String> = (0..5).map(|value| format!("([](x != {value}))")).collect();
    let again: Vec<String> = (0..5).map(|value| format!("(<>(x == {value}))")).collect();
    for formula in [format!("<>({})", parts.join(" <-> ")), format!("[]<>({})", again.join(" <-> "))] {
        let text =
            format!("byte x; active proctype P() {{ do :: x = (x + 1) % 8 od }} ltl p {{ {formula} }}");
        let properties = vec!["p".to_string()];
        let options = CheckOptions { properties, ..CheckOptions::default() };
        let started = Instant::now();
        let mut monitor = Ringing::after(Duration::from_millis(200));
        let result = check(&model(&text), &options, &mut monitor).expect("a result");
        assert_eq!(reason(&result), "the time limit was reached", "{formula}");
        assert_eq!(result.stopped, Some(Stopped::Time));
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        let limits = Limits { memory: Some(10 << 20), ..Limits::default() };
        let result = run(&text, CheckOptions { limits, ..options });
        assert_eq!(reason(&result), "the memory limit was reached", "{formula}");
        assert_eq!(result.stopped, Some(Stopped::Memory));
    }
}

/// A pass that would sweep over a model as often as it has statements gives up.
#[test]
fn p3_passes_make_a_bounded_effort() {
    let n = 12_000;
    let variables: String = (0..n).map(|i| format!("int v{i}; ")).collect();
    let body = |i: usize| {
        let other = i * 7919 % n;
        format!("L{i}: if :: v{i} > 3 -> goto L{other} :: v{i} = v{other} + 1 fi; ")
    };
    let statements: String = (0..n).map(body).collect();
    let started = Instant::now();
    let options = CheckOptions { simplify: true, ..CheckOptions::default() };
    let result = run(&format!("active proctype A() {{ {variables} {statements} }}"), options);
    assert!(holds(&result));
    // It takes a second; before there was a bound it took more than 40.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
