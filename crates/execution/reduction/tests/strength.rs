//! How much is left. These figures may fall, but must not rise.

mod common;

use allways_interpreter::Semantics;
use common::{Explorer, Order, options, system};

fn check(text: &str, full: usize, reduced: usize) {
    let system = system(text).unwrap_or_else(|| panic!("{text}"));
    let explorer = Explorer::new(&system, Semantics::default());
    let everything = explorer.full(Order::DepthFirst).expect("it is small");
    let rest = explorer.reduced(&options(Semantics::default()), Order::DepthFirst).expect("it is smaller");
    assert_eq!((everything.states.len(), rest.states.len()), (full, reduced), "{text}");
    assert_eq!(everything.findings, rest.findings);
}

#[test]
fn a_pipeline_does_one_thing_after_the_other() {
    check(
        "chan c[3] = [1] of { bit };
         active proctype source() { bit x; do :: x = 0; c[0]!x :: x = 1; c[0]!x od }
         active [2] proctype stage() { bit x; do :: c[_pid - 1]?x; c[_pid]!x od }
         active proctype sink() { bit x; do :: c[2]?x; x = 0 od }",
        2268,
        45,
    );
}

/// The same without data: no search may need more than 60.
#[test]
fn an_endless_pipeline_of_tokens() {
    check(
        "chan c[3] = [1] of { bit };
         active proctype source() { do :: skip; c[0]!1 od }
         active [2] proctype stage() { bit x; do :: c[_pid - 1]?x; x = 0; c[_pid]!1 od }
         active proctype sink() { bit x; do :: c[2]?x; x = 0 od }",
        288,
        10,
    );
}

#[test]
fn clients_wait_for_their_turn() {
    check(
        "chan request = [3] of { byte }; chan reply[3] = [1] of { bit };
         active [3] proctype client() { bit x; do :: x = 0; request!_pid; reply[_pid]?x od }
         active proctype server() { byte who; do :: request?who; reply[who]!1 od }",
        436,
        24,
    );
}

#[test]
fn feeders_and_workers() {
    check(
        "chan c[3] = [1] of { bit }; bit lock;
         active [3] proctype feeder() { do :: c[_pid]!1 od }
         active [3] proctype worker() {
           bit x;
           do :: c[_pid - 3]?x; x = 0; atomic { !lock -> lock = 1 }; x = 1; lock = 0 od
         }",
        1280,
        26,
    );
}

#[test]
fn a_ring_elects_a_leader() {
    check(
        "chan c[4] = [4] of { byte }; byte leaders;
         active [4] proctype node() {
           byte me = (_pid * 3 + 1) % 4; byte x;
           c[(_pid + 1) % 4]!me;
           do
           :: c[_pid]?x;
              if :: x > me -> c[(_pid + 1) % 4]!x :: x == me -> leaders++; break :: else -> skip fi
           od
         }",
        658,
        35,
    );
}

#[test]
fn counting_commutes() {
    check(
        "byte counter;
         active [4] proctype p() { byte l; l = 1; l = 2; l = 3; l = 4; counter++ }",
        1555,
        25,
    );
}

#[test]
fn write_own_then_read_all() {
    check(
        "byte a[4];
         active [4] proctype p() {
           byte s; a[_pid] = 1; s = s + a[0]; s = s + a[1]; s = s + a[2]; s = s + a[3]
         }",
        22081,
        2851,
    );
}

#[test]
fn philosophers() {
    check(
        "bit fork[4];
         active [4] proctype phil() {
           do
           :: atomic { !fork[_pid] -> fork[_pid] = 1 };
              atomic { !fork[(_pid + 1) % 4] -> fork[(_pid + 1) % 4] = 1 };
              fork[_pid] = 0; fork[(_pid + 1) % 4] = 0
           od
         }",
        80,
        55,
    );
}

#[test]
fn peterson() {
    check(
        "bit flag[2]; bit turn; byte n;
         active [2] proctype p() {
           do
           :: flag[_pid] = 1; turn = _pid; (flag[1 - _pid] == 0 || turn == 1 - _pid);
              n++; assert(n == 1); n--; flag[_pid] = 0
           od
         }",
        38,
        38,
    );
}

/// In a loop over local variables nothing has to be expanded.
#[test]
fn loops_that_count_are_free() {
    check(
        "byte g;
         active [2] proctype p() { byte i; for (i : 1 .. 5) { skip }; g = i; assert(g > 0) }",
        421,
        47,
    );
}

/// Who creates what in which order makes no difference where nobody looks at numbers.
#[test]
fn two_creators_need_not_wait_for_each_other() {
    let text = |condition: &str| {
        format!(
            "byte a, b;
             proctype one() {{ a++ }}
             proctype two() {{ b++ }}
             active proctype first() {{ run one(); run one(); a == 2 }}
             active proctype second() {{ run two(); run two(); b == 2; {condition} }}"
        )
    };
    check(&text("skip"), 553, 22);
    check(&text("_nr_pr > 0"), 553, 288);
}

/// Whoever waits for all others does not mind in which order they go.
#[test]
fn the_first_waits_for_all_others() {
    let text = |condition: &str| {
        format!("byte g; proctype p() {{ g++ }} init {{ run p(); run p(); run p(); run p(); {condition} }}")
    };
    check(&text("g == 4"), 63, 37);
    check(&text("_nr_pr == 1"), 59, 15);
    check(&text("_nr_pr < 2"), 59, 15);
}

/// Processes wait for those that they have created, on channels that nobody else knows.
#[test]
fn families_need_not_wait_for_each_other() {
    let level = |starts: &str| {
        format!(
            "proctype level(byte depth; chan result) {{
               chan below = [1] of {{ byte }}; byte value, sum;
               if :: depth > 1 -> {starts} :: else fi;
               result!sum + 1
             }}
             active [2] proctype caller() {{
               chan below = [1] of {{ byte }}; byte value;
               run level(3, below); below?value; assert(value >= 3)
             }}"
        )
    };
    let once = "run level(depth - 1, below); below?value; sum = value";
    check(&level(once), 7217, 39);
    let twice = "run level(depth - 1, below); run level(depth - 1, below); below?value; sum = value; below?value; sum = sum + value";
    check(&level(twice).replace("[2]", "").replace("(3, below)", "(2, below)"), 54, 24);
}

/// Each stage makes the next one, and a channel to it.
#[test]
fn a_pipeline_that_grows() {
    check(
        "proctype sieve(chan in) {
           chan out = [1] of { byte }; byte prime, n;
           in?prime; run sieve(out);
           do :: in?n -> if :: n % prime -> out!n :: else fi od
         }
         active proctype source() {
           chan out = [1] of { byte }; byte n = 2;
           run sieve(out);
           do :: n < 6 -> out!n; n++ :: else -> break od
         }",
        123,
        32,
    );
}
