//! Definitions and calls of inlines.

use expect_test::expect;

use super::{check, check_errors, parse_text};
use crate::ast::{StatementKind, Unit};

#[test]
fn arguments_take_the_place_of_parameters() {
    check(
        "inline f(a, b) { a = b * 2; q!b; if :: a -> skip fi }
         inline g() { skip }
         init { f(x.y[1], 1 + 2); g() x = 1; f(x
         , 2)\ng() }",
        expect![[r#"
            active init
              f(...)
                x.y[1] = (1+(2*2))
                q!(1+2)
                IF
                  ::
                    (x.y[1])
                    (1)
              g(...)
                (1)
              x = 1
              f(...)
                x = (2*2)
                q!2
                IF
                  ::
                    (x)
                    (1)
              g(...)
                (1)
        "#]],
    );
}

#[test]
fn inlines_call_inlines() {
    check(
        "inline f(a) { g(a, 1) } inline g(a, b) { h(b); a = b } inline h(c) { c == 1 } init { f(x) }",
        expect![[r#"
            active init
              f(...)
                g(...)
                  h(...)
                    (1==1)
                  x = 1
        "#]],
    );
}

#[test]
fn results() {
    check(
        "inline f(a) { if :: a -> return a + 1 :: else -> return 0 fi } init { x = f(y) }",
        expect![[r#"
        active init
          x = f(...)
            IF
              ::
                (y)
                return (y+1)
              ::
                else
                return 0
    "#]],
    );
}

#[test]
fn brackets_keep_arguments_together() {
    check(
        "inline f(a, b) { a; b } init { f(run P(1, 2), (x -> y : z)) }",
        expect![[r#"
        active init
          f(...)
            (run P(1,2))
            (x -> y : z)
    "#]],
    );
}

#[test]
fn names_of_labels_and_proctypes_can_be_arguments() {
    check(
        "inline f(l, p) { goto l; run p() } init { L: f(L, P) }",
        expect![[r#"
        active init
          L: f(...)
            goto L
            (run P())
    "#]],
    );
}

#[test]
fn line_breaks_in_arguments_end_no_statement() {
    check(
        "inline f(a) { x = a\ny = 1 } init { f(1\n+ 2) }",
        expect![[r#"
        active init
          f(...)
            x = (1+2)
            y = 1
    "#]],
    );
}

#[test]
fn spans_and_expansions() {
    let text = "inline g(c) { c = 2 }\ninline f(a, b) { a = b; g(a) }\ninit { f(x, y) }";
    let (sources, parsed) = parse_text(text);
    let Unit::Proctype(init) = &parsed.model.units[0] else { panic!() };
    let StatementKind::Inline(call) = &init.body.statements[0].kind else { panic!() };
    assert_eq!(sources.text(init.body.statements[0].span), "f(x, y)");
    let [assignment, inner] = &call.body.statements[..] else { panic!() };
    // The statement is in the body, its parts are in the call.
    assert_eq!((sources.text(assignment.span), sources.line(assignment.span)), ("a = b", 2));
    let StatementKind::Assign { target, .. } = &assignment.kind else { panic!() };
    assert_eq!((sources.text(target.span), sources.line(target.span)), ("x", 3));
    assert_eq!(sources.text(inner.span), "g(a)");
    let StatementKind::Inline(inner) = &inner.kind else { panic!() };
    let expansion = |id: crate::ast::ExpansionId| &parsed.model.expansions[id.0 as usize];
    assert_eq!(&*expansion(inner.id).name, "g");
    assert_eq!(expansion(inner.id).parent, Some(call.id));
    assert_eq!(expansion(call.id).parent, None);
    assert_eq!(sources.text(expansion(call.id).call), "f(x, y)");
    assert_eq!(inner.body.statements[0].expansion, None, "its first token is an argument");
}

#[test]
fn wrong_number_of_arguments() {
    check_errors(
        "inline f(a, b) { a = b } inline g(a) { a = 1 } inline h() { skip }
         init { f(x); g(); h(1, 2); f(x, y) }",
        expect![[r#"
            error[inline-arity] 2:17 `f(x)`: inline `f` takes 2 arguments, but 1 is given
              1:8 `f`: it is defined here
            error[inline-arity] 2:23 `g()`: inline `g` takes 1 argument, but 0 are given
              1:33 `g`: it is defined here
            error[inline-arity] 2:28 `h(1, 2)`: inline `h` takes no arguments, but 2 are given
              1:55 `h`: it is defined here
        "#]],
    );
}

#[test]
fn malformed_arguments() {
    check_errors(
        "inline f(a, b) { a = b } init { f(x,); f(,x); f(x, y; x = 1; f((x, y) }",
        expect![[r#"
            error[unexpected-token] 1:37 `)`: expected an expression, found `)`
            error[unexpected-token] 1:42 `,`: expected an expression, found `,`
            error[unclosed] 1:48 `(`: this `(` is never closed
              1:53 `;`: expected `)` before this
            error[unexpected-token] 1:66 `,`: expected `)`, found `,`
        "#]],
    );
}

#[test]
fn recursion() {
    check_errors(
        "inline f() { g() } inline g() { h() } inline h() { g() } init { f(); f() }",
        expect![[r#"
        error[recursive-inline] 1:52 `g`: inline `g` calls itself: g -> h -> g
          1:33 `h()`: in this call of inline `h`
          1:14 `g()`: in this call of inline `g`
          1:65 `f()`: in this call of inline `f`
          help: an inline is put in place of its call, so recursion would never end; use a loop
    "#]],
    );
}

#[test]
fn unknown_and_too_early_calls() {
    check_errors(
        "inline before() { later() } init { later(); prntf(1); P(2); befor(); x = nothing(); before() }
         inline later() { skip } proctype P() { skip }",
        expect![[r#"
            error[inline-before-definition] 1:36 `later`: inline `later` is called before its definition
              2:17 `later`: it is defined here
              help: move the definition of the inline above its first call
            error[unknown-inline] 1:45 `prntf`: there is no inline called `prntf`
              help: did you mean `printf`?
            error[missing-run] 1:55 `P`: `P` is a proctype, not an inline
              help: write `run P(…)` to start a process
            error[unknown-inline] 1:61 `befor`: there is no inline called `befor`
              help: did you mean `before`?
            error[unknown-inline] 1:74 `nothing`: there is no inline called `nothing`
            error[inline-before-definition] 1:19 `later`: inline `later` is called before its definition
              2:17 `later`: it is defined here
              1:85 `before()`: in this call of inline `before`
              help: move the definition of the inline above its first call
        "#]],
    );
}

#[test]
fn mistakes_in_a_body_are_reported_once() {
    check_errors(
        "inline g(b) { b = = 1 }\ninline f(a) { a = 1; g(a) }\ninit { f(x); f(y); g(x); g(1 +) }",
        expect![[r#"
            error[assignment-in-expression] 1:19 `=`: an assignment cannot stand inside an expression
              2:22 `g(a)`: in this call of inline `g`
              3:8 `f(x)`: in this call of inline `f`
              help: write `==` to compare
            error[unexpected-token] 3:31 `)`: expected an expression, found `)`
        "#]],
    );
}

#[test]
fn unused_inlines_are_read_where_they_are_written() {
    check_errors(
        "inline f(a) { this is not + Promela } init { skip }",
        expect![[r#"
        error[missing-separator] 1:23 `not`: expected `;` or `->` before this statement
        warning[undeclared-name] 1:29 `Promela`: `Promela` is not declared
          help: nothing in the model declares it, so this inline cannot be called
        note[inline-never-called] 1:8 `f`: inline `f` is never called
    "#]],
    );
}

#[test]
fn definitions() {
    check_errors(
        "inline f(a, a) { a = 1 } inline f(b) { skip } inline g { skip } inline h(3) { skip } inline e() { }
         init { e(); e() }",
        expect![[r#"
            warning[duplicate-parameter] 1:13 `a`: inline `f` has two parameters `a`
              1:10 `a`: the first one
              help: the first one counts
            error[duplicate-inline] 1:33 `f`: inline `f` is defined twice
              1:8 `f`: the first definition is here
            error[unexpected-token] 1:56 `{`: expected `(`, found `{`
            error[unexpected-token] 1:74 `3`: expected the name of a parameter, found `3`
            error[empty-block] 1:97 `{`: the body of inline `e` needs a statement
              2:17 `e()`: in this call of inline `e`
              help: write `skip` if there is nothing to do
            note[inline-never-called] 1:8 `f`: inline `f` is never called
        "#]],
    );
}

#[test]
fn a_body_without_end() {
    check_errors(
        "inline f(a) { if :: a -> { skip fi }\nproctype P() { skip }",
        expect![[r#"
            error[unclosed] 1:13 `{`: this `{` is never closed
              2:1 `proctype`: expected `}` before this
        "#]],
    );
}

#[test]
fn returns() {
    check_errors(
        "inline f() { return 1 } inline g() { x = f(); return 2 }
         init { f(); x = g(); return 3; x = 1 + f() }",
        expect![[r#"
            error[return-without-result] 1:14 `return`: this inline returns a value, but the call does not take it
              2:17 `f()`: in this call of inline `f`
              help: call it as `x = f(…)`
            error[return-outside-inline] 2:31 `return`: `return` can only be used in an inline
              help: to end a process, jump to a label at the end of its body with `goto`
            error[call-in-expression] 2:49 `f`: a call of inline `f` cannot be part of an expression
              help: assign its result first: `x = f(…)`
        "#]],
    );
}

#[test]
fn exponential_growth() {
    let mut text = "inline f0() { x = 1; y = 2 }\n".to_string();
    for i in 1..40 {
        text += &format!("inline f{i}() {{ f{0}(); f{0}() }}\n", i - 1);
    }
    text += "init { f39(); skip }";
    let (_, parsed) = parse_text(&text);
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["expansion-too-large"]);
}
