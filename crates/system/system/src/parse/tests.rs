use expect_test::{Expect, expect};
use proptest::prelude::*;
use proptest::sample::{Index as Position, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::{MAX_NESTING, arbitrary, parse};
use crate::print::print;
use crate::verify::verify;
use crate::*;

fn check_error(text: &str, expected: Expect) {
    expected.assert_eq(&parse(text).unwrap_err().to_string());
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(system in arbitrary::system()) {
        let text = print(&system);
        prop_assert_eq!(parse(&text), Ok(system), "{}", text);
    }

    #[test]
    fn the_verifier_never_panics(system in arbitrary::system()) {
        verify(&system);
    }

    #[test]
    fn a_damaged_text_never_panics(
        system in arbitrary::system(),
        edits in prop::collection::vec((any::<Position>(), 0..4usize, 0..6usize, edit()), 1..4),
    ) {
        let mut bytes = print(&system).into_bytes();
        for (position, removed, repeated, inserted) in edits {
            let at = position.index(bytes.len() + 1);
            let end = bytes.len().min(at + removed);
            let copied = bytes[at..bytes.len().min(at + repeated)].to_vec();
            bytes.splice(at..end, [inserted, copied].concat());
        }
        if let Ok(system) = parse(&String::from_utf8_lossy(&bytes)) {
            verify(&system);
            prop_assert_eq!(parse(&print(&system)), Ok(system));
        }
    }

    #[test]
    fn any_text_never_panics(text in any::<String>()) {
        let _ = parse(&text);
        let _ = parse(&format!("system {text}"));
    }
}

/// Bytes to insert: any, or something that has a meaning.
fn edit() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        "",
        " ",
        "\n",
        "0",
        "9",
        "99999999999",
        "-",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "@",
        ":",
        "\"",
        "\\",
        "\\u{",
        "//",
        "g",
        "l",
        "t",
        "L",
        "P",
        "M",
        "C",
        "u",
        "%",
        "!",
        "<>",
        "_",
        "é",
        " end ",
        " system ",
        " process P0 priority 1 ",
    ];
    prop_oneof![
        select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..3),
    ]
}

/// Otherwise the tests above would test less than they say.
#[test]
fn the_random_systems_have_everything_in_them() {
    let mut runner = TestRunner::deterministic();
    let strategy = arbitrary::system();
    let mut text = String::new();
    for _ in 0..300 {
        text += &print(&strategy.new_tree(&mut runner).unwrap().current());
    }
    let words = "
        priorities tracks_last mtype channel proctype process claim formula notrace trace parameters initial
        deterministic hidden start new provided xr xs end progress accept atomic reset via
        skip when else assign assign_all send sorted receive random keep assert run priority into print
        set_priority d_step terminate %d %u %x %o %c %e: store
        bit bool byte pid short int u M chan struct stride bound
        len( empty( nempty( full( nfull( poll timeout np_ enabled( pc_value( get_priority( _pid _nr_pr _last
        {} (+) (-) (*) (/) (%) (<<) (>>) (&) (|) (^) (&&) (||) (==) (!=) (<) (<=) (>) (>=) (?)
        (->) (<->) (U) (W) (V) ![] []<> <>X -( -- !g ~( ]@L ]:l -2147483648 2147483647 4294967295";
    for word in words.split_whitespace() {
        let word = match word.strip_prefix('(').and_then(|word| word.strip_suffix(')')) {
            Some(operator) => format!(" {operator} "),
            None => word.to_owned(),
        };
        assert!(text.contains(&word), "{word}");
    }
}

/// A system whose only formula says this.
fn with_expr(expr: Expr) -> System {
    let span = allways_source::Span::new(allways_source::FileId(0), 0, 0);
    let formula =
        NamedFormula { name: String::new(), formula: Formula::Now(expr), text: String::new(), span };
    System { formulas: vec![formula], ..System::default() }
}

/// Wraps an expression as often as the parser allows: the formula around it counts as one.
fn deepest(wrap: impl Fn(Expr) -> Expr) -> System {
    let mut expr = Expr::Pid;
    for _ in 2..MAX_NESTING {
        expr = wrap(expr);
    }
    with_expr(expr)
}

#[test]
fn deep_nesting_round_trips() {
    let place = |value| Place {
        scope: Scope::Local,
        base: 0,
        indices: vec![Index { value, stride: 1, bound: 1 }].into(),
        scalar: Scalar::Bit,
    };
    let systems = [
        deepest(|e| Expr::Unary(UnaryOp::Negate, Box::new(e))),
        deepest(|e| Expr::Binary(BinaryOp::Add, Box::new((e, Expr::Constant(-1))))),
        deepest(|e| Expr::Binary(BinaryOp::Subtract, Box::new((Expr::Constant(-1), e)))),
        deepest(|e| Expr::Conditional(Box::new((Expr::Last, Expr::Pid, e)))),
        deepest(|e| Expr::Channel(ChannelTest::Len, Box::new(e))),
        deepest(|e| Expr::Load(place(e))),
        deepest(|e| Expr::Poll {
            channel: Box::new(Expr::Pid),
            random: true,
            patterns: vec![Pattern::Store(place(e))].into(),
        }),
        deepest(|e| Expr::Remote { proctype: ProctypeId(0), pid: None, place: Box::new(place(e)) }),
    ];
    for system in systems {
        let text = print(&system);
        assert!(parse(&text) == Ok(system), "{}", &text[..200]);
        verify(&parse(&text).unwrap());
    }
}

#[test]
fn deeper_nesting_is_an_error() {
    let openings = [
        "formula f \"\" @0:0..0: {",
        "formula f \"\" @0:0..0: ",
        "g0 x: ",
        "proctype P0 p initial L0 @0:0..0 provided ",
    ];
    let repeated =
        ["(", "-", "!", "len(", "g0[", "poll ", "P0[", "[]", "X ", "[9]", "struct s {a: ", "P0:l0["];
    for opening in openings {
        for piece in repeated {
            let text = format!("system\n{opening}{}", piece.repeat(100_000));
            let error = parse(&text).unwrap_err();
            assert!(error.line == 2, "{error}");
        }
    }
    check_error(
        &format!("system formula f \"\" @0:0..0: {{{}", "(".repeat(1_000_000)),
        expect!["line 1: nested more than 1000 deep"],
    );
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    check_error("", expect!["line 1: expected `system`, found the end"]);
    check_error("system\n\n  g0 x byte", expect!["line 3: expected `:`, found `byte`"]);
    check_error("system g0 x: word @0:0..0", expect!["line 1: expected a type, found `word`"]);
    check_error("system g0 x: u256 @0:0..0", expect!["line 1: 256 bits are too many"]);
    check_error("system g0 x: int = 2147483648", expect!["line 1: 2147483648 has more than 32 bits"]);
    check_error("system g0 x: int = 4294967296", expect!["line 1: `4294967296` is not a number below 2^32"]);
    check_error("system\nmtype M0 {}\nmtype M2", expect!["line 3: expected `M1`, found `M2`"]);
    check_error("system process P0 priority 256", expect!["line 1: a priority is at most 255"]);
    check_error(
        "system mtype M0 {}\nsystem",
        expect![[r#"line 2: expected a part of a system, in the order of the printed form, found `system`"#]],
    );
    check_error("system mtype M0 {\"a\nb\" $", expect!["line 2: unexpected character '$'"]);
    check_error("system mtype M0 {\"a", expect!["line 1: a string without its closing quote"]);
    check_error("system mtype M0 {\"\\u{d800}\"", expect![[r#"line 1: wrong \u{…} in a string"#]]);
    check_error(
        "system proctype P0 p initial L0 @0:0..0\nL0: [t0]\nL1:\nt0 L1 -> L0 \"\" @0:0..0: skip",
        expect!["line 4: the locations that list t0 are not these"],
    );
    check_error(
        "system proctype P0 p initial L0 @0:0..0 t0 -> L0 \"\" @0:0..0: jump",
        expect!["line 1: expected an action, found `jump`"],
    );
}

#[test]
fn comments_and_line_breaks_do_not_matter() {
    let text = "system // flags\npriorities\ng0 // slot\nx: byte @0:0..1 // end";
    assert_eq!(print(&parse(text).unwrap()), "system priorities\ng0 x: byte @0:0..1\n");
}
