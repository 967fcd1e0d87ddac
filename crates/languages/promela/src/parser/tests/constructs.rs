//! One test per construct of the language.

use expect_test::expect;

use super::{check, check_body};

#[test]
fn declarations() {
    check(
        "bit a; bool b = true; byte c, d = 2; pid p; short s; int i = -3 unsigned u : 5 = 7\n\
         hidden byte h; show int j; local chan l;\n\
         byte e[4] = {1, 2, 3}; int k[2+1] = 7",
        expect![[r#"
            bit a
            bool b = 1
            byte c, d = 2
            pid p
            short s
            int i = -3
            unsigned u : 5 = 7
            hidden byte h
            show int j
            local chan l
            byte e[4] = {1,2,3}
            int k[(2+1)] = 7
        "#]],
    );
}

#[test]
fn channels() {
    check(
        "chan c; chan d = [0] of { byte }; chan e[3] = [2] of { mtype, mtype:kind, T, chan, bit }",
        expect![[r#"
            chan c
            chan d = [0] of {byte}
            chan e[3] = [2] of {mtype,mtype:kind,T,chan,bit}
        "#]],
    );
}

#[test]
fn mtypes() {
    check(
        "mtype = { a, b, c }; mtype = { d e f, } mtype { g }\nmtype:kind = { h }; mtype m = a; mtype:kind n",
        expect![[r#"
            mtype = {a,b,c}
            mtype = {d,e,f}
            mtype = {g}
            mtype:kind = {h}
            mtype m = a
            mtype:kind n
        "#]],
    );
}

#[test]
fn typedefs() {
    check(
        "typedef T { byte f; int g[3]\n mtype m }; typedef U { T t; chan c };\nU u; T v[2]",
        expect![[r#"
            typedef T
              byte f
              int g[3]
              mtype m
            typedef U
              T t
              chan c
            U u
            T v[2]
        "#]],
    );
}

#[test]
fn proctypes() {
    check(
        "proctype A() { skip }
         active proctype B() { skip }
         active [2+1] D_proctype C(byte a, b; chan c; T t) priority 3 provided (x > 1 && full(q)) { skip; }
         init priority 2 { skip };",
        expect![[r#"
            proctype A()
              (1)
            active proctype B()
              (1)
            active [(2+1)] D_proctype C(byte a, b; chan c; T t) priority 3 provided ((x>1)&&full(q))
              (1)
            active init priority 2
              (1)
        "#]],
    );
}

#[test]
fn claims_traces_and_formulas() {
    check(
        "never { T0: do :: !p -> goto T0 od } never claim { skip }
         trace { q?a; q!b } notrace { do :: q?a od }
         ltl { [] p } ltl name { <> q; }",
        expect![[r#"
            never
              T0: DO
                ::
                  (!p)
                  goto T0
            never claim
              (1)
            trace
              q?a
              q!b
            notrace
              DO
                ::
                  q?a
            ltl [] p
            ltl name <> q
        "#]],
    );
}

#[test]
fn embedded_c() {
    check(
        r#"c_decl { struct { int x; } s; }
           c_state "int y" "Global" "0"
           c_track "&y" "sizeof(int)"
           c_code { int f(void) { return '}' == "}"[0]; } }
           init { c_code { now.x = 1; }; c_code [x > 0] { x--; }; c_expr { now.x == 1 } && y }"#,
        expect![[r#"
            c_decl {...}
            c_state {...}
            c_track {...}
            c_code {...}
            active init
              c_code {...}
              c_code {...}
              (c_expr {...}&&y)
        "#]],
    );
}

#[test]
fn simple_statements() {
    check_body(
        "x = y + 1; a.b[i].c = 2; x++; a[1]--; skip; x == 1; (x); run P(1, y); p = run P() priority 3;
         goto L; break; xr c, d; xs e; set_priority(p, 2)",
        expect![[r#"
            x = (y+1)
            a.b[i].c = 2
            x = (x+1)
            a[1] = (a[1]-1)
            (1)
            (x==1)
            (x)
            (run P(1,y))
            p = run P() priority 3
            goto L
            break
            xr c,d
            xs e
            set_priority(p, 2)
        "#]],
    );
}

#[test]
fn assert_and_print() {
    check_body(
        r#"assert(x == 1); assert x > 1 && y; assert (x) || (y);
           printf("a\n"); printf("%d %e", x, m); printm(m)"#,
        expect![[r#"
            assert((x==1))
            assert(((x>1)&&y))
            assert((x||y))
            printf('a\n')
            printf('%d %e',x,m)
            printm(m)
        "#]],
    );
}

#[test]
fn sends() {
    check_body(
        "c!1; c!m,x+1; c!m(1, x); c!!2,3; a[2].q!'a'; c!-1; c!m\n(x == 1); c!(x+1)(y)",
        expect![[r#"
            c!1
            c!m,(x+1)
            c!m,1,x
            c!!2,3
            a[2].q!97
            c!-1
            c!m
            (x==1)
            c!(x+1),y
        "#]],
    );
}

#[test]
fn receives() {
    check_body(
        "c?x; c?m,_,-1; c?m(x, a[1].b); c??m,eval(x+1); c?<x,y>; c??<m,1>; c?(x,y); c?m,x(y); c?true\n(x == 1)",
        expect![[r#"
            c?x
            c?m,_,-1
            c?m,x,a[1].b
            c??m,eval((x+1))
            c?<x,y>
            c??<m,1>
            c?x,y
            c?m,x,y
            c?1
            (x==1)
        "#]],
    );
}

#[test]
fn selections_and_loops() {
    check_body(
        "if :: x == 1 -> y = 1; z = 2 :: else fi; do :: x -> break :: else x = 2 od; if :: skip; :: y; fi",
        expect![[r#"
            IF
              ::
                (x==1)
                y = 1
                z = 2
              ::
                else
            DO
              ::
                (x)
                break
              ::
                else
                x = 2
            IF
              ::
                (1)
              ::
                (y)
        "#]],
    );
}

#[test]
fn for_and_select() {
    check_body(
        "for (i : 1 .. n-1) { x = i }
         for (i in a) { x = i }
         for (m.f in c)
         { skip }
         select (i : 0 .. 9); in = 3",
        expect![[r#"
            for i : 1 .. (n-1)
              x = i
            for i in a
              x = i
            for m.f in c
              (1)
            select(i : 0 .. 9)
            in = 3
        "#]],
    );
}

#[test]
fn blocks() {
    check_body(
        "atomic { x = 1; y = 2 }; d_step { x = 1 } { byte z; z = 1 } { byte lonely } y = 3",
        expect![[r#"
            ATOMIC
              x = 1
              y = 2
            D_STEP
              x = 1
            BLOCK
              byte z
              z = 1
            BLOCK
              byte lonely
            y = 3
        "#]],
    );
}

#[test]
fn unless_binds_to_one_statement() {
    check_body(
        "x = 1; y = 2 unless z == 3; L: { x = 1 } unless { y = 2 }\nx = 3",
        expect![[r#"
        x = 1
        UNLESS
          y = 2
          (z==3)
        L: UNLESS
          BLOCK
            x = 1
          BLOCK
            y = 2
        x = 3
    "#]],
    );
}

#[test]
fn labels() {
    check_body(
        "a: b: x = 1; c: ; d:\ny = 2; if :: x; e: :: y; f: fi; end:",
        expect![[r#"
        a: b: x = 1
        c: (1)
        d: y = 2
        IF
          ::
            (x)
            e: (1)
          ::
            (y)
            f: (1)
        end: (1)
    "#]],
    );
}

#[test]
fn extra_separators_are_ignored() {
    check_body(
        "x = 1;; y = 2 -> -> z = 3; ;",
        expect![[r#"
        x = 1
        y = 2
        z = 3
    "#]],
    );
    check(
        "; byte x;;; init { skip };;",
        expect![[r#"
        byte x
        active init
          (1)
    "#]],
    );
}

#[test]
fn line_breaks_separate_statements() {
    check_body(
        "byte x\nx = 1\ny++\n(x == 1)\na[1] = 2\nq!m\nq?x\ngoto L\nif\n:: x\n:: else\ny = 1\nfi\ndo :: break od
         run P()\n-x == 1\ntimeout\nz",
        expect![[r#"
            byte x
            x = 1
            y = (y+1)
            (x==1)
            a[1] = 2
            q!m
            q?x
            goto L
            IF
              ::
                (x)
              ::
                else
                y = 1
            DO
              ::
                break
            (run P())
            (-x==1)
            (timeout)
            (z)
        "#]],
    );
}

#[test]
fn line_breaks_inside_statements() {
    check_body(
        "x = y +\n1; (x == 1\n&& y == 2\n|| z); x\n->\ny; q!m,\n2; run P(1\n,2); a[i\n+1] = 2; for (i\n:\n1\n..\n2)\n{ x }
         atomic\n{ x }\nunless\n{ y }",
        expect![[r#"
            x = (y+1)
            (((x==1)&&(y==2))||z)
            (x)
            (y)
            q!m,2
            (run P(1,2))
            a[(i+1)] = 2
            for i : 1 .. 2
              (x)
            UNLESS
              ATOMIC
                (x)
              BLOCK
                (y)
        "#]],
    );
}

#[test]
fn nothing_separates_a_brace_from_the_next_statement() {
    check_body(
        "atomic { x = 1 } y = 2; byte a[2] = {1, 2} if :: else y = 1 :: x fi",
        expect![[r#"
        ATOMIC
          x = 1
        y = 2
        byte a[2] = {1,2}
        IF
          ::
            else
            y = 1
          ::
            (x)
    "#]],
    );
}

#[test]
fn spans_start_at_the_keyword() {
    let text = "init { L: x = y + 1; if :: skip fi; atomic { skip } unless { y } }";
    let (sources, parsed) = super::parse_text(text);
    let crate::ast::Unit::Proctype(init) = &parsed.model.units[0] else { panic!() };
    let spans: Vec<&str> =
        init.body.statements.iter().map(|statement| sources.text(statement.span)).collect();
    assert_eq!(spans, ["x = y + 1", "if :: skip fi", "atomic { skip } unless { y }"]);
    assert_eq!(sources.text(init.span), text);
}
