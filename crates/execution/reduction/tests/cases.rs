//! Small models, each of which some wrong reduction gets wrong. Every one in every order of its proctypes (the order
//! decides who is tried first), with and without specialised instances.

mod common;

use allways_interpreter::Semantics;
use allways_reduction::{Level, Options};
use allways_system::{Expr, Place, Scalar, Scope};
use common::{Explorer, Order, options, system};
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// What is to be found: a violated assertion (or a fault), an invalid end state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Expected {
    assertion: bool,
    bad_end: bool,
}

const FINE: Expected = Expected { assertion: false, bad_end: false };
const ASSERTION: Expected = Expected { assertion: true, bad_end: false };
const BAD_END: Expected = Expected { assertion: false, bad_end: true };
const BOTH: Expected = Expected { assertion: true, bad_end: true };

/// Checks a model given as declarations and proctypes; returns the most states that a reduced search had.
fn check(declarations: &str, proctypes: &[&str], expected: Expected) -> usize {
    let mut most = 0;
    for order in orders(proctypes.len()) {
        let body: Vec<&str> = order.iter().map(|index| proctypes[*index]).collect();
        let text = format!("{declarations}\n{}", body.join("\n"));
        let system = system(&text).unwrap_or_else(|| panic!("{text}"));
        let semantics = Semantics::default();
        let mut explorer = Explorer::new(&system, semantics);
        let full = explorer.full(Order::DepthFirst).expect("it is small");
        let (assertion, bad_end) = full.is_violated(&explorer);
        assert_eq!(Expected { assertion, bad_end }, expected, "{text}");
        for (specialise, level) in [(true, Level::Closure), (false, Level::Closure), (true, Level::Single)] {
            explorer.specialise = specialise;
            let options = Options { level, ..options(semantics) };
            let mut rng = SmallRng::seed_from_u64(1);
            for order in [Order::DepthFirst, Order::BreadthFirst, Order::Random(&mut rng)] {
                let reduced = explorer.reduced(&options, order).expect("it is smaller");
                assert_eq!(full.findings, reduced.findings, "{text}");
                if specialise && level == Level::Closure {
                    most = most.max(reduced.states.len());
                }
            }
        }
    }
    most
}

/// All orders of so many things.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |order: Vec<usize>| {
        (0..n).map(move |at| {
            let mut longer = order.clone();
            longer.insert(at, n - 1);
            longer
        })
    };
    orders(n - 1).into_iter().flat_map(insert).collect()
}

#[test]
fn nothing_is_postponed_for_ever() {
    check(
        "",
        &[
            "active proctype A() { byte l; do :: l = 1; l = 2; l = 0 od }",
            "active proctype B() { byte k; k = 1; assert(false) }",
        ],
        ASSERTION,
    );
    check(
        "",
        &[
            "active proctype A() { byte l; do :: atomic { l = 1; l = 0 } od }",
            "active proctype B() { byte k; k = 1; assert(false) }",
        ],
        ASSERTION,
    );
    check(
        "byte x",
        &[
            "active proctype A() { byte l; do :: d_step { l = 1; l = 0 } od }",
            "active proctype B() { x = 1; x = 2; assert(x != 2) }",
        ],
        ASSERTION,
    );
}

/// A counter that is stopped by one value on one way, and by another on the other, is not stopped.
#[test]
fn counters_may_come_round() {
    for (one, other) in [("i < 2", "i >= 2"), ("i != 1", "i != 2"), ("i == 3", "i != 3"), ("i > 0", "i < 3")]
    {
        for step in ["i++", "i--"] {
            check(
                "byte g",
                &[
                    &format!(
                        "active proctype A() {{ unsigned i : 2; do :: {one} -> {step} :: {other} -> {step} od }}"
                    ),
                    "active proctype B() { g = 1 }",
                    "active proctype C() { assert(g == 0) }",
                ],
                ASSERTION,
            );
        }
    }
}

/// An atomic sequence that never ends leaves the others behind, but not before they had their turn.
#[test]
fn an_endless_atomic_sequence_hides_nobody() {
    check(
        "byte x",
        &[
            "active proctype A() { byte l; atomic { l = 1; do :: l = 1 - l :: l == 3 -> break od } }",
            "active proctype B() { x = 1; assert(x != 1) }",
        ],
        ASSERTION,
    );
}

#[test]
fn disabled_siblings_may_wake_up() {
    check(
        "byte g",
        &[
            "active proctype A() { byte l; if :: l == 0 -> l = 1 :: g == 1 -> assert(false) fi }",
            "active proctype B() { g = 1 }",
        ],
        ASSERTION,
    );
}

#[test]
fn a_partner_may_come_later() {
    check(
        "chan c = [0] of { byte }",
        &[
            "active proctype A() { c!1 }",
            "active proctype B() { byte v; c?v }",
            "active proctype D() { byte v; v = 1; c?v -> assert(false) }",
        ],
        BOTH,
    );
}

#[test]
fn creation_and_death_have_an_order() {
    check("", &["init { run f() }", "active proctype f() { assert(_pid == 1) }"], ASSERTION);
    check(
        "",
        &[
            "proctype P() { skip }",
            "proctype Q() { if :: _nr_pr == 2 -> assert(false) :: else fi }",
            "init { run P(); run Q() }",
        ],
        ASSERTION,
    );
    check(
        "byte g",
        &[
            "proctype P() { byte l = g; assert(l == 0) }",
            "init { byte k; k = 1; run P() }",
            "active proctype Q() { g = 1 }",
        ],
        ASSERTION,
    );
}

#[test]
fn senders_compete_for_the_tail() {
    check(
        "chan q = [2] of { byte }",
        &[
            "active proctype A() { q!1 }",
            "active proctype B() { q!2 }",
            "active proctype R() { byte v; q?v; assert(v == 1) }",
        ],
        ASSERTION,
    );
}

#[test]
fn a_sorted_send_touches_the_head() {
    for unwanted in ["1", "2"] {
        let receiver = format!("active proctype R() {{ byte v; q?v; assert(v != {unwanted}) }}");
        check("chan q = [3] of { byte }", &["active proctype A() { q!!2; q!!1 }", &receiver], ASSERTION);
    }
}

#[test]
fn an_atomic_sequence_does_all_it_does_at_once() {
    check(
        "byte g",
        &[
            "active proctype A() { byte l; atomic { l = 1; g = 1 } }",
            "active proctype B() { byte l; l = g; assert(l == 1) }",
        ],
        ASSERTION,
    );
    check(
        "byte g",
        &[
            "active proctype A() { byte k; atomic { k = 1; if :: g == 1 -> assert(false) :: else -> k = 2 fi } }",
            "active proctype B() { g = 1 }",
        ],
        ASSERTION,
    );
    check(
        "chan c = [0] of { byte }; byte g",
        &[
            "active proctype S() { atomic { c!1; g = 1 } }",
            "active proctype R() { byte v; atomic { c?v; g = 2 } }",
            "active proctype O() { byte l; l = g; assert(l != 2) }",
        ],
        ASSERTION,
    );
    check(
        "chan q = [1] of { byte }; byte d",
        &[
            "active proctype A() { byte l; q!1; q?l }",
            "active proctype B() { atomic { d = 1; q!2; d = 2 } }",
            "active proctype O() { byte l; l = d; assert(l != 1) }",
        ],
        BOTH,
    );
}

/// Control goes to a process that was not there when the sequence began.
#[test]
fn an_atomic_sequence_may_go_on_in_a_process_that_it_creates() {
    let watcher = "active proctype O() { byte l; l = g; assert(l == 1) }";
    for receive in ["atomic { c?v; g = 1 }", "c?g"] {
        let receiver = format!("proctype Q(chan c) {{ byte v; {receive} }}");
        let made = "active proctype P() { chan c = [0] of { byte }; atomic { run Q(c); c!1 } }";
        check("byte g", &[made, &receiver, watcher], ASSERTION);
        let global = "active proctype P() { atomic { run Q(c); c!1 } }";
        check("byte g; chan c = [0] of { byte }", &[global, &receiver, watcher], ASSERTION);
    }
}

/// Spin 6.5.2 with its default reduction finds no error in the second one, because of the claims.
#[test]
fn an_atomic_sequence_can_be_interrupted_by_a_full_buffer() {
    for (sender, receiver) in [("", ""), ("xs q;", "xr q;")] {
        let sender = format!("active proctype B() {{ {sender} q!1; atomic {{ d = 1; q!2; d = 2 }} }}");
        let receiver = format!("active proctype A() {{ byte l; {receiver} q?l; q?l }}");
        let watcher = "active proctype O() { byte l; l = d; assert(l != 1) }";
        check("chan q = [1] of { byte }; byte d", &[&sender, &receiver, watcher], ASSERTION);
    }
}

#[test]
fn timeout_looks_at_everybody() {
    let waits = "active proctype A() { timeout -> assert(false) }";
    check("", &[waits, "active proctype B() { byte l; do :: l = 1 - l od }"], FINE);
    check("", &[waits, "active proctype B() { byte l; l = 1; l = 2 }"], ASSERTION);
}

#[test]
fn guards_that_are_not_written_are_read() {
    check(
        "byte g",
        &[
            "active proctype A() { if :: g == 1 -> skip :: else -> assert(false) fi }",
            "active proctype B() { g = 1 }",
        ],
        ASSERTION,
    );
    for unwanted in ["9", "2"] {
        let watcher = format!("active proctype B() {{ g = 1; timeout; assert(h != {unwanted}) }}");
        let escapes = "active proctype A() { byte l; { l = 1; l = 2; h = l } unless { g == 1 -> h = 9 } }";
        check("byte g, h", &[escapes, &watcher], ASSERTION);
    }
    check(
        "byte g",
        &[
            "active proctype A() provided (g == 0) { byte l; l = 1; l = 2; assert(false) }",
            "active proctype B() { g = 1 }",
        ],
        BOTH,
    );
}

#[test]
fn priorities_are_not_reduced() {
    check(
        "byte x",
        &[
            "active proctype L() priority 1 { x = 1 }",
            "active proctype H() priority 5 { assert(x == 0); x = 2 }",
        ],
        FINE,
    );
}

#[test]
fn elements_of_arrays_are_told_apart() {
    check(
        "byte a[2]",
        &[
            "active proctype A() { a[0] = 1 }",
            "active proctype B() { byte i; if :: i = 0 :: i = 1 fi; assert(a[i] == 0) }",
        ],
        ASSERTION,
    );
    let states = check(
        "byte a[2]",
        &["active proctype A() { a[1] = 1 }", "active proctype B() { assert(a[0] == 0) }"],
        FINE,
    );
    assert_eq!(states, 5, "one after the other, then both die");
}

#[test]
fn deadlocks_among_rendezvous_are_kept() {
    check(
        "chan c = [0] of { byte }; chan d = [0] of { byte }",
        &[
            "active proctype A() { byte v; if :: c!1; d?v :: d?v; c!1 fi }",
            "active proctype B() { byte v; if :: d!1; c?v :: d!2 -> d!3 fi }",
        ],
        BAD_END,
    );
}

#[test]
fn tests_of_the_length_look_at_both_ends() {
    check(
        "chan q = [2] of { byte }",
        &["active proctype A() { q!1 }", "active proctype B() { len(q) == 0 -> assert(false) }"],
        BOTH,
    );
    check(
        "chan q = [1] of { byte }",
        &[
            "active proctype A() { q!1; q!2 }",
            "active proctype R() { byte v; if :: q?v -> skip :: full(q) -> assert(false) fi }",
        ],
        BOTH,
    );
}

#[test]
fn channels_have_several_names() {
    check(
        "chan q = [2] of { byte }; chan d = [1] of { chan }",
        &[
            "active proctype A() { q!1 }",
            "active proctype B() { chan z; d!q; d?z; z!2 }",
            "active proctype R() { byte v; q?v; assert(v == 1) }",
        ],
        ASSERTION,
    );
}

/// A process that is met only in a state where nothing can move still changes what was right before.
#[test]
fn a_process_may_first_be_seen_in_a_deadlock() {
    check(
        "chan q = [2] of { bit }; bit g",
        &[
            "active proctype A() { g = 0; skip; q!0; skip }",
            "active proctype B() { atomic { q!!1; g = g + 1 }; atomic { g == 0 -> run B() } }",
        ],
        BAD_END,
    );
}

/// Waiting for all others is no look at numbers; whatever else asks how many there are is.
#[test]
fn waiting_for_all_others() {
    check(
        "byte g;",
        &["proctype P() { g++ }", "init { run P(); run P(); _nr_pr == 1; assert(g != 2) }"],
        ASSERTION,
    );
    check(
        "byte g;",
        &[
            "proctype P() { g++ }",
            "init { byte n; n = _nr_pr; run P(); run P(); n == _nr_pr; assert(g != 2) }",
        ],
        ASSERTION,
    );
    // Another way to go on is there before all are gone, and not only then.
    check(
        "byte g;",
        &["proctype P() { g = 1 }", "init { run P(); if :: _nr_pr == 1 -> assert(false) :: g == 0 fi }"],
        ASSERTION,
    );
    // How many there are at a time depends on the order.
    check(
        "",
        &["proctype P() { skip }", "init { run P(); if :: _nr_pr == 1 :: else -> assert(false) fi }"],
        ASSERTION,
    );
    check("", &["proctype P() { skip }", "init { run P(); run P(); _nr_pr == 2; assert(false) }"], BOTH);
    check(
        "",
        &[
            "proctype P() { skip }",
            "init { byte n; run P(); n = _nr_pr; run P(); n == _nr_pr; assert(false) }",
        ],
        BOTH,
    );
}

/// The creator of a process works out the initial values of its variables.
#[test]
fn initial_values_look_at_channels() {
    for expected in ["0", "1"] {
        check(
            "chan g = [2] of { byte }; byte x",
            &[
                &format!(
                    "proctype P(byte b; chan c) {{ byte n = len(c); assert(n == {expected}); x = n + b }}"
                ),
                "active proctype B() { g!1 }",
                "active proctype A() { byte l; l = 1; run P(l, g) }",
            ],
            ASSERTION,
        );
    }
}

/// Whoever was given a channel may use it, and so may those to whom he gives it.
#[test]
fn a_channel_is_known_to_descendants() {
    for capacity in ["0", "2"] {
        let root = format!(
            "active proctype root() {{
               chan c = [{capacity}] of {{ byte }}; byte v;
               run child(c, 1); run child(c, 2);
               c?v; assert(v != 3); c?v; c?v
             }}"
        );
        check(
            "",
            &[&root, "proctype child(chan c; byte n) { if :: n == 1 -> run child(c, 3) :: else fi; c!n }"],
            ASSERTION,
        );
    }
    check(
        "chan g = [1] of { byte }",
        &[
            "active proctype root() { chan c = [1] of { byte }; run child(g, c); byte v; c?v; assert(v == 1) }",
            "proctype child(chan a; chan b) { byte v; run grandchild(b); a!1; b!1 }",
            "proctype grandchild(chan c) { c!2 }",
            "active proctype other() { byte v; g?v; g!2 }",
        ],
        ASSERTION,
    );
}

/// A process that does nothing with a channel may create one that does.
#[test]
fn a_channel_may_be_used_by_those_who_are_still_to_come() {
    for capacity in ["0", "1"] {
        let root = format!(
            "active proctype root() {{
               chan c = [{capacity}] of {{ byte }}; byte v;
               run giver(c); run sender(c, 1); c?v; assert(v != 3)
             }}"
        );
        check(
            "bit g",
            &[
                &root,
                "proctype giver(chan c) { g == 1; run sender(c, 3) }",
                "proctype sender(chan c; byte n) { c!n }",
                "active proctype setter() { g = 1 }",
            ],
            if capacity == "0" { BOTH } else { ASSERTION },
        );
    }
    check(
        "",
        &[
            "active proctype root() { chan c = [0] of { byte }; run asker(c); run answerer(c) }",
            "proctype asker(chan c) { if :: c!1 :: else -> assert(false) fi }",
            "proctype answerer(chan c) { byte v; c?v }",
        ],
        BOTH,
    );
}

/// The same channel may have two names, of which one is global.
#[test]
fn a_channel_that_was_given_may_be_known_otherwise() {
    check(
        "chan g = [1] of { byte }",
        &[
            "active proctype root() { chan c = [1] of { byte }; run child(g, c) }",
            "proctype child(chan a; chan b) { if :: a!1 :: b!1 fi }",
            "active proctype other() { byte v; if :: full(g) -> assert(false) :: empty(g) fi }",
        ],
        ASSERTION,
    );
    check(
        "",
        &[
            "active proctype root() { chan c = [1] of { byte }; run child(c, c) }",
            "proctype child(chan a; chan b) { run grandchild(b); a!1; assert(nempty(a)) }",
            "proctype grandchild(chan c) { byte v; c?v }",
        ],
        ASSERTION,
    );
}

/// What goes on for ever between two of a kind, or by way of a channel that has other names, does not postpone the others.
#[test]
fn families_do_not_keep_each_other_busy_for_ever() {
    let others = "active [3] proctype other() { byte l; l = g; g = l + 1; assert(g < 3) }";
    check(
        "byte g",
        &[
            "active proctype root() { chan c = [0] of { byte }; run user(c); run user(c) }",
            "proctype user(chan c) { byte v; do :: c!1 :: c?v od }",
            others,
        ],
        ASSERTION,
    );
    for given in ["q", "c"] {
        let root = format!(
            "active proctype root() {{ chan c = [2] of {{ byte }}; run user({given}); byte v; do :: {given}?v od }}"
        );
        check(
            "byte g; chan q = [2] of { byte }",
            &[&root, "proctype user(chan c) { do :: c!1 od }", others],
            ASSERTION,
        );
    }
}

/// Whoever looks at variables sees all their values together, also those that members of a family give them.
#[test]
fn what_families_do_can_be_observed() {
    let system = system(
        "byte x, y;
         proctype child(chan c; byte n) { if :: n == 0 -> x = 1 :: else -> y = 1 fi; c!1 }
         active proctype root() { chan c = [2] of { byte }; run child(c, 0); run child(c, 1) }",
    )
    .expect("no mistakes");
    let load = |base| {
        Expr::Load(Place { scope: Scope::Global, base, indices: Default::default(), scalar: Scalar::Byte })
    };
    let (x, y) = (load(0), load(1));
    let explorer = Explorer::new(&system, Semantics::default());
    let full = explorer.full(Order::DepthFirst).expect("it is small");
    let n_values = |observed| {
        let options = Options { observed, ..options(Semantics::default()) };
        let reduced = explorer.reduced(&options, Order::DepthFirst).expect("it is smaller");
        explorer.values(&reduced, (0, 1)).len()
    };
    assert_eq!(explorer.values(&full, (0, 1)).len(), 4);
    assert_eq!(n_values(vec![&x, &y]), 4);
    assert_eq!(n_values(vec![]), 3);
}

/// Where handles can be learnt in other ways, numbers matter.
#[test]
fn a_handle_may_get_about() {
    for (declaration, tell, learn) in [
        ("chan z = [1] of { chan }", "z!c", "chan d; z?d; d!2"),
        ("chan z; bit told", "z = c; told = 1", "told; z!2"),
    ] {
        let root = format!(
            "active proctype root() {{
               chan c = [1] of {{ byte }}; byte v; {tell}; run child(c); c?v; assert(v == 1)
             }}"
        );
        let other = format!("active proctype other() {{ {learn} }}");
        check(declaration, &[&root, "proctype child(chan c) { c!1 }", &other], ASSERTION);
    }
    check(
        "",
        &[
            "proctype child(chan c) { assert(c == 1) }",
            "active proctype one() { chan c = [1] of { byte }; run child(c) }",
            "active proctype other() { chan c = [1] of { byte }; run child(c) }",
        ],
        ASSERTION,
    );
}

/// If a message was left where nobody will read it, that may show or not, depending on who ended first.
#[test]
fn messages_that_are_left_may_matter() {
    let proctypes = [
        "active proctype one() { run maker() }",
        "active proctype two() { run waiter() }",
        "proctype maker() { chan c = [1] of { byte }; run sender(c) }",
        "proctype sender(chan c) { c!1 }",
        "proctype waiter() { end: false }",
    ];
    let semantics = Semantics { strict_end: true, ..Semantics::default() };
    for order in orders(proctypes.len()) {
        let text: String = order.iter().map(|index| proctypes[*index]).collect();
        let system = system(&text).unwrap_or_else(|| panic!("{text}"));
        let explorer = Explorer::new(&system, semantics);
        let full = explorer.full(Order::DepthFirst).expect("it is small");
        let reduced = explorer.reduced(&options(semantics), Order::DepthFirst).expect("it is smaller");
        assert!(full.is_violated(&explorer).1);
        assert!(reduced.is_violated(&explorer).1, "{text}");
    }
}
