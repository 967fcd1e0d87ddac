//! Each test damages a sound system in one place.

use expect_test::{Expect, expect};

use super::verify;
use crate::parse::parse;
use crate::print::print;

/// A system with everything in it and nothing wrong.
const SAMPLE: &str = include_str!("sample.txt");

/// What is wrong with the sample when the first occurrence of `old` is replaced by `new`.
fn check(old: &str, new: &str, expected: Expect) {
    assert!(SAMPLE.contains(old), "{old}");
    // The sources of transitions would have to be changed as well; they need not be given.
    let text: Vec<String> = SAMPLE.replacen(old, new, 1).lines().map(without_sources).collect();
    let system = parse(&text.join("\n")).unwrap();
    let problems: Vec<String> = verify(&system).iter().map(ToString::to_string).collect();
    expected.assert_eq(&problems.join("\n"));
}

fn without_sources(line: &str) -> String {
    match (line.strip_prefix("  t"), line.find(" -> ")) {
        (Some(rest), Some(arrow)) => {
            let id = rest.split(' ').next().unwrap();
            format!("  t{id}{}", &line[arrow..])
        }
        _ => line.to_owned(),
    }
}

#[test]
fn the_sample_is_sound_and_looks_as_printed() {
    let system = parse(SAMPLE).unwrap();
    assert_eq!(print(&system), SAMPLE);
    assert_eq!(verify(&system), []);
}

#[test]
fn symbolic_names() {
    check("M0 {req", "M0 x {req", expect!["M0: the first set must not have a name"]);
    check("M1 fruit {", "M1 {", expect!["M1: only the first set has no name"]);
    let many: String = (0..0x10000).map(|i| format!("n{i} ")).collect();
    check("{apple}", &format!("{{{many}}}"), expect!["M1: 65536 names are more than a slot can tell apart"]);
    let problems = verify(&parse("system").unwrap());
    assert!(problems[0].message.contains("unnamed set"));
}

#[test]
fn initial_processes() {
    check(
        "process P0 priority 1\nprocess P1 priority 255\n",
        "",
        expect!["system: there is no initial process"],
    );
    check("process P0", "process P2", expect!["process 0: P2 does not exist"]);
    check("priority 255", "priority 0", expect!["process 1: its priority is 0"]);
}

#[test]
fn flags_of_the_system() {
    check(
        "system priorities tracks_last",
        "system priorities",
        expect!["P0 main t11: it asks for `_last` but `tracks_last` is not set"],
    );
    check(
        "system priorities",
        "system",
        expect![[r#"
            P0 main t11: it uses a priority but `priorities` is not set
            P0 main t11: it uses a priority but `priorities` is not set"#]],
    );
}

#[test]
fn spans() {
    check("@0:0..9", "@0:10..9", expect!["C0 q: @0:10..9 ends before it starts"]);
    check("@0:20..21", "@0:22..21", expect!["globals: @0:22..21 ends before it starts"]);
    check("@0:30..99", "@0:100..99", expect!["P0 main: @0:100..99 ends before it starts"]);
    check("@0:35..36", "@0:37..36", expect!["P0 main: @0:37..36 ends before it starts"]);
    check(
        "\"start\" @0:40..41",
        "\"start\" @0:42..41",
        expect!["P0 main L0: @0:42..41 ends before it starts"],
    );
    check("@0:42..43", "@0:44..43", expect!["P0 main t1: @0:44..43 ends before it starts"]);
    check("@0:3..4", "@0:5..4", expect!["P0 main t2: @0:5..4 ends before it starts"]);
    check("@0:150..160", "@0:161..160", expect!["formula p: @0:161..160 ends before it starts"]);
}

#[test]
fn frames() {
    check(
        "g22 fruit",
        "g23 fruit",
        expect![[r#"
            globals: `fruit` begins at slot 23 instead of 22
            P0 main t7: there is no slot g22:M1"#]],
    );
    check(
        "g22 fruit",
        "g0 fruit",
        expect![[r#"
            globals: `fruit` begins at slot 0 instead of 22
            P0 main: there is no slot g16:bit
            P0 main t1: there is no slot g16:bit
            P0 main t7: there is no slot g22:M1
            P0 main t13: there is no slot g16[1; stride 3; bound 2][2; stride 1; bound 3]:bit
            formula p: there is no slot g16:bit"#]],
    );
    check(
        "g22 fruit: M1 = 1",
        "g22 huge: [4294967295]int",
        expect![[r#"
            globals: more slots than 32 bits can count
            P0 main t7: g22:M1 can be a slot of another type in `huge`"#]],
    );
    check(
        "g22 fruit: M1 = 1",
        "g22 fruit: M1 @0:0..0 g23 none: [0]int",
        expect!["globals: an array without elements"],
    );
    check(
        "g22 fruit: M1 = 1",
        "g22 fruit: M1 @0:0..0 g23 none: struct s {}",
        expect!["globals: the record `s` has no fields"],
    );
    check(
        "l1 n:",
        "l2 n:",
        expect![[r#"
            P0 main: `n` begins at slot 2 instead of 1
            P0 main: there is no slot l1:byte
            P0 main t0: there is no slot l1:byte
            P0 main t1: there is no slot l1[g16:bit; stride 1; bound 2]:byte
            P0 main t2: there is no slot l1:byte
            P0 main t4: there is no slot l1:byte
            P0 main t5: there is no slot l1:byte"#]],
    );
}

#[test]
fn types() {
    check("{u31}", "{u32}", expect!["C1 sync: an unsigned type of 32 bits"]);
    check("{u31}", "{u0}", expect!["C1 sync: an unsigned type of 0 bits"]);
    check("{M0 byte}", "{M2 byte}", expect!["C0 q: M2 does not exist"]);
    check(
        "l0 a: byte",
        "l0 a: M7",
        expect![[r#"
            P0 main t10: l0:byte can be a slot of another type in `a`
            P1 worker: M7 does not exist"#]],
    );
    check(
        "start l1:byte :=",
        "start l1:u40 :=",
        expect![[r#"
            P0 main: an unsigned type of 40 bits
            P0 main: l1:u40 can be a slot of another type in `n`"#]],
    );
}

#[test]
fn initial_values() {
    check("= C0 @", "= C2 @", expect!["globals: C2 does not exist"]);
    check("= C0 @", "= C0 0 @", expect!["globals: `q` has 2 initial values for 1 slots"]);
    check("C1 C1 1", "C1 C1 4", expect!["globals: 4 is no value for slot 2 of `cs`"]);
    check("C1 C1 1", "C1 C1 -1", expect!["globals: -1 is no value for slot 2 of `cs`"]);
    check("= 1 2 31 -4", "= 1 2 32 -4", expect!["globals: 32 is no value for slot 2 of `points`"]);
    check("= 1 2 31 -4", "= C0 2 31 -4", expect!["globals: C0 is no value for slot 0 of `points`"]);
    check("l0 a: byte", "l0 a: byte = 1", expect!["P1 worker: a local variable has initial values"]);
}

#[test]
fn parameters() {
    check(
        "parameters 3",
        "parameters 2",
        expect![[r#"
            P0 main t0: 3 arguments for 2 slots of parameters
            P1 worker: 2 slots of parameters are not whole variables"#]],
    );
    check(
        "parameters 3",
        "parameters 4",
        expect![[r#"
            P0 main t0: 3 arguments for 4 slots of parameters
            P1 worker: 4 slots of parameters are not whole variables"#]],
    );
    check("never_0", "never_0 parameters 1", expect!["claim never_0: it has parameters"]);
}

#[test]
fn starts() {
    check("start l1:byte", "start g16:bit", expect!["P0 main: the start sets g16:bit, which is not local"]);
    check("start l0 :=", "start l1 :=", expect!["P0 main: l1:chan can be a slot of another type in `n`"]);
    check("start l0 :=", "start l9 :=", expect!["P0 main: there is no slot l9:chan"]);
    check("new C1", "new C2", expect!["P0 main: C2 does not exist"]);
    check(":= _nr_pr", ":= l9:byte", expect!["P0 main: there is no slot l9:byte"]);
}

#[test]
fn locations() {
    check("main initial L0", "main initial L8", expect!["P0 main: L8 does not exist"]);
    check("[t4 t5 t6]", "[t4 t5 t6] [t15]", expect!["P0 main L1: t15 does not exist"]);
    check("[t4 t5 t6]", "[t4 t5 t6] []", expect!["P0 main L1: an empty group"]);
    check("[t1 t2 t3]", "[t1 t3 t2]", expect![[""]]);
    check("[t1 t2 t3]", "[t3 t1 t3]", expect!["P0 main L0: 2 elses in one group"]);
    check("[t1 t2 t3]", "[t3]", expect![[""]]);
    check("\"here\"", "\"end_1\"", expect![[r#"P0 main L2: the label "end_1" twice"#]]);
    check("\"here\"", "\"\"", expect!["P0 main L2: an empty label"]);
    check("L1 -> L6", "L1 -> L8", expect!["P0 main t6: L8 does not exist"]);
}

#[test]
fn claims_and_traces() {
    check(
        "  start l0:bit",
        "  start l0:bit := 0 provided 1 // ",
        expect!["claim never_0: it has a provided clause"],
    );
    check(
        "L0 \"T0\"",
        "xs g0:chan @0:0..0 L0 \"T0\"",
        expect!["claim never_0: it claims channels for itself"],
    );
    check(
        "send g0:chan (1, 5)",
        "send sorted g0:chan (1, 5)",
        expect!["trace trace_0 t0: this is not an event of a trace"],
    );
    check(
        "receive g0:chan (1, _)",
        "receive random g0:chan (1, _)",
        expect!["trace trace_0 t1: this is not an event of a trace"],
    );
    check(
        "receive g0:chan (1, _)",
        "receive keep g0:chan (1, _)",
        expect!["trace trace_0 t1: this is not an event of a trace"],
    );
    check(
        "receive g0:chan (1, _)",
        "receive g0:chan (1, store g16:bit)",
        expect!["trace trace_0 t1: this is not an event of a trace"],
    );
    check("receive g0:chan (1, _)", "when 1", expect!["trace trace_0 t1: this is not an event of a trace"]);
}

#[test]
fn resets() {
    check("reset l0 l2", "reset l0 l99", expect!["P0 main t4: it resets a slot that is not there"]);
    check("reset l0 l2", "reset l2 l0", expect!["P0 main t4: what it resets is not in ascending order"]);
    check("reset l0 l2", "reset l2 l2", expect!["P0 main t4: what it resets is not in ascending order"]);
    check("L4 \"!full(q)\"", "L4 reset l0 \"!full(q)\"", expect!["P0 main t6: t8 resets inside a d_step"]);
    check("L0 \"\" @0:132", "L0 reset l0 \"\" @0:132", expect!["claim never_0 t0: only a process may reset"]);
}

#[test]
fn d_steps() {
    check(
        "d_step L3 .. L5",
        "d_step L8 .. L9",
        expect![[r#"
            P0 main t6: L8 does not exist
            P0 main t6: L9 does not exist"#]],
    );
    check("d_step L3 .. L5", "d_step L3 .. L3", expect!["P0 main t6: something leaves L3, its exit"]);
    check("L3: [t8 t9]", "L3:", expect!["P0 main t6: nothing leaves L3, its entry"]);
    check("L5:\n", "L5: [t8]\n", expect!["P0 main t6: something leaves L5, its exit"]);
    check(
        "L2 -> L6",
        "L2 -> L4",
        expect![[r#"
            P0 main t6: L4 inside is also outside
            P0 main t6: L5 inside is also outside"#]],
    );
    check(
        "L4 -> L5",
        "L4 -> L6",
        expect![[r#"
            P0 main t6: L6 inside is also outside
            P0 main t6: L7 inside is also outside
            P0 main t6: t14 cannot be inside a d_step"#]],
    );
    check("set_priority _pid := get_priority(_last)", "d_step L3 .. L5", expect![[""]]);
    check(
        "set_priority _pid := get_priority(_last)",
        "d_step L4 .. L5",
        expect!["P0 main t11: L4 inside is also in another d_step"],
    );
    check(
        "\"assert\" @0:60..61: assert",
        "\"\" @0:0..0: run P0() // ",
        expect!["P0 main t6: t10 cannot be inside a d_step"],
    );
    check(
        "\"assert\" @0:60..61: assert",
        "\"\" @0:0..0: terminate // ",
        expect!["P0 main t6: t10 cannot be inside a d_step"],
    );
    check(
        "\"assert\" @0:60..61: assert",
        "\"\" @0:0..0: d_step L0 .. L5 // ",
        expect![[r#"
            P0 main t6: t10 cannot be inside a d_step
            P0 main t10: L0 inside is also outside
            P0 main t10: t0 cannot be inside a d_step
            P0 main t10: L1 inside is also outside
            P0 main t10: t4 resets inside a d_step
            P0 main t10: t6 cannot be inside a d_step
            P0 main t10: L2 inside is also outside
            P0 main t10: L6 inside is also outside
            P0 main t10: L7 inside is also outside
            P0 main t10: t14 cannot be inside a d_step"#]],
    );
}

#[test]
fn places() {
    check("l1:byte, 0", "l3:byte, 0", expect!["P0 main t0: there is no slot l3:byte"]);
    check("l1:byte, 0", "g23:byte, 0", expect!["P0 main t0: there is no slot g23:byte"]);
    check("l1:byte, 0", "l1:short, 0", expect!["P0 main t0: l1:short can be a slot of another type in `n`"]);
    check(
        "stride 3; bound 4",
        "stride 3; bound 0",
        expect![
            "P0 main t1: an index of g5[l1[g16:bit; stride 1; bound 2]:byte; stride 3; bound 0][1; stride 1; bound 2]:u5 has an empty range"
        ],
    );
    check(
        "stride 3; bound 4",
        "stride 3; bound 5",
        expect![
            "P0 main t1: g5[l1[g16:bit; stride 1; bound 2]:byte; stride 3; bound 5][1; stride 1; bound 2]:u5 reaches slot 18, behind `points`"
        ],
    );
    check(
        "stride 3; bound 4",
        "stride 4294967295; bound 4294967295",
        expect![
            "P0 main t1: g5[l1[g16:bit; stride 1; bound 2]:byte; stride 4294967295; bound 4294967295][1; stride 1; bound 2]:u5 reaches slot 18446744060824649736, behind `points`"
        ],
    );
    check(
        "stride 3; bound 4",
        "stride 2; bound 4",
        expect![
            "P0 main t1: g5[l1[g16:bit; stride 1; bound 2]:byte; stride 2; bound 4][1; stride 1; bound 2]:u5 can be a slot of another type in `points`"
        ],
    );
    check(
        "[1; stride 1; bound 2]:u5",
        "[1; stride 1; bound 3]:u5",
        expect![
            "P0 main t1: g5[l1[g16:bit; stride 1; bound 2]:byte; stride 3; bound 4][1; stride 1; bound 3]:u5 reaches slot 16, behind `points`"
        ],
    );
    check(
        "[1; stride 1; bound 2]:u5",
        "[1; stride 1; bound 2]:int",
        expect![
            "P0 main t1: g5[l1[g16:bit; stride 1; bound 2]:byte; stride 3; bound 4][1; stride 1; bound 2]:int can be a slot of another type in `points`"
        ],
    );
    check("[1; stride 3; bound 2][2; stride 1; bound 3]:bit", "[1; stride 1; bound 6]:bit", expect![[""]]);
    check(
        "[1; stride 3; bound 2][2; stride 1; bound 3]:bit",
        "[1; stride 1; bound 7]:bit",
        expect!["P0 main t13: g16[1; stride 1; bound 7]:bit reaches slot 22, behind `flags`"],
    );
    check(
        "g16:bit; stride 1",
        "g16:byte; stride 1",
        expect!["P0 main t1: g16:byte can be a slot of another type in `flags`"],
    );
    check(
        "store l1:byte)",
        "store l1:bit)",
        expect!["P0 main t2: l1:bit can be a slot of another type in `n`"],
    );
    check(
        "store l1:byte, _",
        "store l1:bit, _",
        expect!["P0 main t5: l1:bit can be a slot of another type in `n`"],
    );
    check("into l2", "into l3", expect!["P0 main t0: there is no slot l3:byte"]);
    check("g9:u5}", "g10:u5}", expect!["P0 main t12: g10:u5 can be a slot of another type in `points`"]);
    check(
        "provided (g16",
        "provided (g15",
        expect!["P0 main: g15:bit can be a slot of another type in `points`"],
    );
    check("xs l0:chan", "xs l1:chan", expect!["P0 main: l1:chan can be a slot of another type in `n`"]);
}

#[test]
fn formulas() {
    check(
        "(g16:bit == nempty",
        "(l0:bit == nempty",
        expect!["formula p: there are no local variables here, such as l0:bit"],
    );
    check("(g16:bit == nempty", "(_pid == nempty", expect!["formula p: a formula has no process number"]);
    check("({5} &&", "({g0:byte} &&", expect!["formula q: g0:byte can be a slot of another type in `q`"]);
}

#[test]
fn other_processes() {
    check("P1[1]:l0:byte", "P2[1]:l0:byte", expect!["P0 main t10: P2 does not exist"]);
    check(
        "P1[1]:l0:byte",
        "P1[1]:l0:int",
        expect!["P0 main t10: l0:int can be a slot of another type in `a`"],
    );
    check(
        "P1[1]:l0:byte",
        "P1[1]:g16:bit",
        expect!["P0 main t10: g16:bit is no variable of another process"],
    );
    check("P1[1]:l0:byte", "P1[l7:int]:l0:byte", expect!["P0 main t10: there is no slot l7:int"]);
    check(
        "stride 1; bound 2]:short",
        "stride 1; bound 3]:short",
        expect!["P0 main t10: l1[_pid; stride 1; bound 3]:short reaches slot 3, behind `b`"],
    );
    check("{P0@L2}", "{P2@L2}", expect!["formula p: P2 does not exist"]);
    check("{P0@L2}", "{P0@L8}", expect!["formula p: L8 does not exist"]);
    check("{P0@L2}", "{P0@L1}", expect!["formula p: L1 has no label"]);
}

#[test]
fn actions() {
    check("run P1(l1:byte, 0,", "run P1(", expect!["P0 main t0: 1 arguments for 3 slots of parameters"]);
    check("run P1", "run P2", expect!["P0 main t0: P2 does not exist"]);
    check("print \"n = \" %d", "print \"n = \"", expect!["P0 main t7: 6 arguments for 5 placeholders"]);
    check("print \"n = \" %d", "print \"n = \" %d %d", expect!["P0 main t7: 6 arguments for 7 placeholders"]);
    check("%e:M1", "%e:M2", expect!["P0 main t7: M2 does not exist"]);
}
