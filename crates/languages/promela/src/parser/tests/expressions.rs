//! Expressions and formulas.

use expect_test::{Expect, expect};

use super::{check_errors, parse_text};
use crate::ast::{StatementKind, Unit};
use crate::pretty;

/// The expression with all its parentheses.
fn check_expression(text: &str, expect: Expect) {
    let (sources, parsed) = parse_text(&format!("proctype P() {{ skip }} init {{ {text} }}"));
    assert_eq!(super::render(&sources, &parsed.diagnostics), "", "{text}");
    let Unit::Proctype(init) = &parsed.model.units[1] else { panic!() };
    let StatementKind::Expression(expr) = &init.body.statements[0].kind else { panic!("{text}") };
    expect.assert_eq(&pretty::expr(expr));
}

fn check_formula(text: &str, expect: Expect) {
    let (_, parsed) = parse_text(&format!("proctype P() {{ skip }} ltl {{ {text} }}"));
    assert!(!parsed.diagnostics.iter().any(|diagnostic| diagnostic.is_error()), "{text}");
    let Unit::Ltl(ltl) = &parsed.model.units[1] else { panic!("{text}") };
    expect.assert_eq(&pretty::expr(&ltl.formula));
}

#[test]
fn precedence() {
    check_expression(
        "a || b && c | d ^ e & f == g < h << i + j * k",
        expect!["(a||(b&&(c|(d^(e&(f==(g<(h<<(i+(j*k))))))))))"],
    );
    check_expression(
        "a * b + c << d < e == f & g ^ h | i && j || k",
        expect!["((((((((((a*b)+c)<<d)<e)==f)&g)^h)|i)&&j)||k)"],
    );
    check_expression("!a == -b + ~c", expect!["(!a==(-b+~c))"]);
}

#[test]
fn all_operators_group_to_the_left() {
    check_expression("a - b - c / d / e % f", expect!["((a-b)-(((c/d)/e)%f))"]);
    check_expression("a == b != c", expect!["((a==b)!=c)"]);
    check_expression("a || b || c", expect!["((a||b)||c)"]);
    check_expression("a <= b >= c > d >> e << f", expect!["(((a<=b)>=c)>((d>>e)<<f))"]);
}

#[test]
fn constants() {
    check_expression(
        "1 + true + false + skip + 'a' + '\\n' + '\\\\' + 99999999999999999999",
        expect!["(((((((1+1)+0)+1)+97)+10)+92)+9223372036854775807)"],
    );
}

#[test]
fn conditional() {
    check_expression(
        "(a == 1 -> b : c[2]) + (a -> (b -> c : d) : P:x)",
        expect!["(((a==1) -> b : c[2])+(a -> (b -> c : d) : P:x))"],
    );
}

#[test]
fn channel_tests() {
    check_expression(
        "len(q) > 0 && empty(a[1]) || nempty(q) && full(x.q) && nfull(q)",
        expect!["(((len(q)>0)&&empty(a[1]))||((nempty(q)&&full(x.q))&&nfull(q)))"],
    );
    check_expression("!full(q) && !(empty(q))", expect!["(!full(q)&&!empty(q))"]);
    check_expression(
        "q?[a, 1, _] && q??[eval(x), -1] && q?[m(x)]",
        expect!["((q?[a,1,_]&&q??[eval(x),-1])&&q?[m,x])"],
    );
}

#[test]
fn predefined() {
    check_expression(
        "timeout && np_ && enabled(p) && pc_value(1) == get_priority(_pid) && _nr_pr > _last",
        expect!["((((timeout&&np_)&&enabled(p))&&(pc_value(1)==get_priority(_pid)))&&(_nr_pr>_last))"],
    );
    check_expression("1 + run P(1, run P())", expect!["(1+run P(1,run P()))"]);
}

#[test]
fn references_to_other_processes() {
    check_expression("P[1]@L && P@L && P[x+1]:v == P:a[2]", expect!["((P[1]@L&&P@L)&&(P[(x+1)]:v==P:a[2]))"]);
}

#[test]
fn formulas() {
    check_formula("[] (p -> <> q)", expect!["[] (p -> <> q)"]);
    check_formula("[]<>p && <>[]!q", expect!["([] <> p&&<> [] !q)"]);
    check_formula("always p implies eventually q equivalent next r", expect!["(([] p -> <> q) <-> X r)"]);
    check_formula(
        "p until q || p stronguntil q || p weakuntil q || p release q || p V q || p W q",
        expect!["((((((p U q)||(p U q))||(p W q))||(p V q))||(p V q))||(p W q))"],
    );
    check_formula("p /\\ q \\/ r -> X s", expect!["(((p&&q)||r) -> X s)"]);
    check_formula("! [] p && !(p U q)", expect!["(![] p&&!(p U q))"]);
    check_formula("a == 1 U b < 2 + c", expect!["((a==1) U (b<(2+c)))"]);
    check_formula(
        "len(q) > 0 && P[1]@L && a[1] == 2 && full(q)",
        expect!["((((len(q)>0)&&P[1]@L)&&(a[1]==2))&&full(q))"],
    );
}

#[test]
fn line_breaks_in_formulas_mean_nothing() {
    check_formula("[] (p\n-> q)\n&& r\n", expect!["([] (p -> q)&&r)"]);
}

#[test]
fn formulas_are_read_as_people_mean_them() {
    check_formula("<> x == 2", expect!["<> (x==2)"]);
    check_formula("p -> q -> r", expect!["(p -> (q -> r))"]);
    check_formula("p U q U r", expect!["(p U (q U r))"]);
    check_formula("p <-> q -> r", expect!["(p <-> (q -> r))"]);
}

#[test]
fn warnings_where_spin_reads_a_formula_differently() {
    check_errors(
        "ltl a { <> x == 2 && [] (y == 3) && X !z < 4 }
         ltl b { p -> q -> r -> s }
         ltl c { p -> (q -> r) }
         ltl d { p U q W r }
         ltl e { (p -> q) -> r }
         ltl f { p <-> q -> r }
         ltl g { (p U q) -> (q -> r U (s U t)) }",
        expect![[r#"
            warning[ltl-precedence] 1:9 `<>`: this operator applies to the whole comparison; Spin applies it to the first name alone
              1:12 `x == 2`: its operand
              help: put parentheses around the operand, so that every tool reads the same formula
            warning[ltl-precedence] 1:37 `X`: this operator applies to the whole comparison; Spin applies it to the first name alone
              1:39 `!z < 4`: its operand
              help: put parentheses around the operand, so that every tool reads the same formula
            warning[ltl-precedence] 2:28 `r -> s`: all that follows `->` is taken as its operand; Spin groups from the left
              help: put parentheses around the part that belongs together
            warning[ltl-precedence] 4:22 `q W r`: all that follows `U` is taken as its operand; Spin groups from the left
              help: put parentheses around the part that belongs together
            warning[ltl-precedence] 6:24 `q -> r`: all that follows `<->` is taken as its operand; Spin groups from the left
              help: put parentheses around the part that belongs together
        "#]],
    );
}
