//! What is said about wrong models. One mistake, one message.

use expect_test::expect;

use super::{check_body_errors, check_errors};

#[test]
fn missing_separator() {
    check_body_errors(
        "x = 1 x = 2; skip skip; y++ if :: x fi y = 1; run P() run P(); q!1 q?x; goto L goto M",
        expect![[r#"
            error[missing-separator] 1:14 `x`: expected `;` or `->` before this statement
            error[missing-separator] 1:26 `skip`: expected `;` or `->` before this statement
            error[missing-separator] 1:36 `if`: expected `;` or `->` before this statement
            error[missing-separator] 1:47 `y`: expected `;` or `->` before this statement
            error[missing-separator] 1:62 `run`: expected `;` or `->` before this statement
            error[missing-separator] 1:75 `q`: expected `;` or `->` before this statement
            error[missing-separator] 1:87 `goto`: expected `;` or `->` before this statement
        "#]],
    );
}

#[test]
fn line_break_in_expression() {
    check_body_errors(
        "x == 1\n&& y == 2\nx = 3\n+ 4\nq!1\n, 2\nx\n= 3\n(x\n&& y)",
        expect![[r#"
            error[line-break-in-expression] 2:1 `&&`: a statement cannot start with `&&`: the line break before it ended the last one
              1:14 ``: the statement ends here
              help: put the operator at the end of the line above, or put the whole in parentheses
            error[line-break-in-expression] 4:1 `+`: a statement cannot start with `+`: the line break before it ended the last one
              3:6 ``: the statement ends here
              help: put the operator at the end of the line above, or put the whole in parentheses
            error[line-break-in-expression] 6:1 `,`: a statement cannot start with `,`: the line break before it ended the last one
              5:4 ``: the statement ends here
              help: put the operator at the end of the line above, or put the whole in parentheses
            error[line-break-in-expression] 8:1 `=`: a statement cannot start with `=`: the line break before it ended the last one
              7:2 ``: the statement ends here
              help: put the operator at the end of the line above, or put the whole in parentheses
        "#]],
    );
}

#[test]
fn empty_bodies() {
    check_errors(
        "proctype A() { } init {} never { ; } proctype B() { atomic { }; d_step {}; { }; for (i : 1 .. 2) { } }
         typedef T { }",
        expect![[r#"
            error[empty-block] 1:14 `{`: the body of `A` needs a statement
              help: write `skip` if there is nothing to do
            error[empty-block] 1:23 `{`: the body of `init` needs a statement
              help: write `skip` if there is nothing to do
            error[empty-block] 1:32 `{`: the body of this never claim needs a statement
              help: write `skip` if there is nothing to do
            error[empty-block] 1:60 `{`: `atomic` needs a statement
              help: write `skip` if there is nothing to do
            error[empty-block] 1:72 `{`: `d_step` needs a statement
              help: write `skip` if there is nothing to do
            error[empty-block] 1:76 `{`: this block needs a statement
              help: write `skip` if there is nothing to do
            error[empty-block] 1:98 `{`: the body of this `for` needs a statement
              help: write `skip` if there is nothing to do
            error[empty-typedef] 2:18 `T`: typedef `T` needs a field
        "#]],
    );
}

#[test]
fn empty_options() {
    check_body_errors(
        "if fi; do od; if :: fi; do :: :: x od; if :: -> x = 1 fi",
        expect![[r#"
        error[no-options] 1:8 `if`: this `if` has no options
          help: an option starts with `::`
        error[no-options] 1:15 `do`: this `do` has no options
          help: an option starts with `::`
        error[empty-option] 1:25 `::`: this option needs a statement
          help: write `:: skip` if there is nothing to do
        error[empty-option] 1:35 `::`: this option needs a statement
          help: write `:: skip` if there is nothing to do
        error[missing-statement] 1:53 `->`: expected a statement before this `->`
          help: use `skip` if there is nothing to do
    "#]],
    );
}

#[test]
fn unclosed_selection() {
    check_body_errors(
        "if :: x -> y = 1\n",
        expect![[r#"
        error[unclosed] 1:8 `if`: this `if` is not closed by `fi`
          3:1 `}`: expected `fi` before this
    "#]],
    );
    check_body_errors(
        "do :: if :: x -> y = 1 od; x = 2",
        expect![[r#"
        error[unclosed] 1:14 `if`: this `if` is not closed by `fi`
          1:31 `od`: expected `fi` before this
    "#]],
    );
    check_body_errors(
        "atomic { do :: x }; y = 2",
        expect![[r#"
        error[unclosed] 1:17 `do`: this `do` is not closed by `od`
          1:25 `}`: expected `od` before this
    "#]],
    );
}

#[test]
fn unclosed_brace() {
    check_errors(
        "init { x = 1",
        expect![[r#"
        error[unclosed] 1:6 `{`: this `{` is never closed
          1:13 ``: the text ends here
    "#]],
    );
    check_errors(
        "proctype A() { x = 1;\nproctype B() { y = + }",
        expect![[r#"
        error[unclosed] 1:14 `{`: this `{` is never closed
          2:1 `proctype`: expected `}` before this
        error[unexpected-token] 2:20 `+`: expected an expression, found `+`
    "#]],
    );
    check_errors(
        "init { do :: atomic { x = 1 :: y od }",
        expect![[r#"
        error[unclosed] 1:21 `{`: this `{` is never closed
          1:29 `::`: expected `}` before this
    "#]],
    );
    check_errors(
        "typedef T { byte x\nbyte y init { skip }",
        expect![[r#"
            error[unclosed] 1:11 `{`: this `{` is never closed
              2:8 `init`: expected `}` before this
        "#]],
    );
    check_errors(
        "ltl p { [] x\ninit { x = + 1 }",
        expect![[r#"
        error[unclosed] 1:7 `{`: this `{` is never closed
          2:1 `init`: expected `}` before this
        error[unexpected-token] 2:12 `+`: expected an expression, found `+`
    "#]],
    );
    check_errors(
        "c_code { if (x) { }",
        expect![[r#"
            error[unclosed] 1:8 `{`: this `{` is never closed
              1:20 ``: the text ends here
        "#]],
    );
}

#[test]
fn unclosed_parenthesis() {
    check_body_errors(
        "x = (1 + 2; y = 3\n(x == 1 -> y = 2\nrun P(1; y = = 1",
        expect![[r#"
        error[unclosed] 1:12 `(`: this `(` is never closed
          1:18 `;`: expected `)` before this
        error[arrow-in-parentheses] 2:9 `->`: expected `)` before this `->`
          help: a guard ends with its parenthesis: `(x == 1) -> y = 2`
        error[unclosed] 3:6 `(`: this `(` is never closed
          3:8 `;`: expected `)` before this
        error[assignment-in-expression] 3:14 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_body_errors(
        "if :: (x == 1 -> y = 2 :: else fi; a[1 = 2; y = = 1",
        expect![[r#"
        error[arrow-in-parentheses] 1:22 `->`: expected `)` before this `->`
          help: a guard ends with its parenthesis: `(x == 1) -> y = 2`
        error[unclosed] 1:44 `[`: this `[` is never closed
          1:47 `=`: expected `]` before this
        error[assignment-in-expression] 1:56 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
}

#[test]
fn mismatched_closers() {
    check_body_errors(
        "do :: x -> y = 1 fi; x = 1",
        expect![[r#"
        error[mismatched-closer] 1:25 `fi`: `fi` cannot close a `do`
          1:8 `do`: this `do` is open
          help: write `od`
    "#]],
    );
    check_body_errors(
        "if :: do :: x fi fi; x = 1",
        expect![[r#"
        error[mismatched-closer] 1:22 `fi`: `fi` cannot close a `do`
          1:14 `do`: this `do` is open
          help: write `od`
    "#]],
    );
    check_body_errors(
        "x = 1 fi; y = 1; :: x; atomic { x = 1 od; y = = 2 }; x = 2)",
        expect![[r#"
            error[stray-token] 1:14 `fi`: this `fi` closes no `if`
            error[stray-token] 1:25 `::`: `::` outside of `if` and `do`
            error[stray-token] 1:46 `od`: this `od` closes no `do`
            error[assignment-in-expression] 1:54 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[stray-token] 1:66 `)`: this `)` closes nothing
        "#]],
    );
    check_errors(
        "init { skip } } fi byte x",
        expect![[r#"
            error[stray-token] 1:15 `}`: this `}` closes nothing
        "#]],
    );
}

#[test]
fn reserved_words() {
    check_errors(
        "byte len; int timeout = 1; chan full[2]; typedef run { byte x } proctype if() { skip } mtype = { a, do, b }",
        expect![[r#"
            error[reserved-word] 1:6 `len`: `len` is a reserved word
              help: choose another name
            error[reserved-word] 1:15 `timeout`: `timeout` is a reserved word
              help: choose another name
            error[reserved-word] 1:33 `full`: `full` is a reserved word
              help: choose another name
            error[reserved-word] 1:50 `run`: `run` is a reserved word
              help: choose another name
            error[reserved-word] 1:74 `if`: `if` is a reserved word
              help: choose another name
            error[reserved-word] 1:101 `do`: `do` is a reserved word
              help: choose another name
        "#]],
    );
    check_body_errors(
        "empty = 1; x = len + 1; goto end; goto do; init: x = 1; byte of; eval(x)",
        expect![[r#"
            error[reserved-word] 1:8 `empty`: `empty` is a reserved word
              help: choose another name
            error[reserved-word] 1:23 `len`: `len` is a reserved word
              help: choose another name
            error[reserved-word] 1:47 `do`: `do` is a reserved word
              help: choose another name
            error[reserved-word] 1:51 `init`: `init` is a reserved word
              help: choose another name
            error[reserved-word] 1:69 `of`: `of` is a reserved word
              help: choose another name
            error[eval-outside-receive] 1:73 `eval`: `eval` can only be used in the arguments of a receive
              help: elsewhere the value of an expression is the expression itself
        "#]],
    );
}

#[test]
fn duplicate_else() {
    check_body_errors(
        "if :: else -> x = 1 :: y :: else fi; do :: else :: if :: else fi od",
        expect![[r#"
        error[duplicate-else] 1:36 `else`: a second `else` in one selection
          1:14 `else`: the first `else` is here
    "#]],
    );
}

#[test]
fn two_dimensional_arrays() {
    check_errors(
        "byte a[2][3]; byte b; init { a[1][2] = 1; x = a[1][2] + 1; y = = 1 }",
        expect![[r#"
        error[two-dimensional-array] 1:10 `[`: `a` cannot have two indices: arrays have one dimension
          help: wrap the rows in a type: `typedef Row { byte column[3] }; Row a[2];`, used as `a[i].column[j]`
        error[two-dimensional-array] 1:34 `[`: `a` cannot have two indices: arrays have one dimension
          help: wrap the rows in a type: `typedef Row { byte column[3] }; Row a[2];`, used as `a[i].column[j]`
        error[two-dimensional-array] 1:51 `[`: `a` cannot have two indices: arrays have one dimension
          help: wrap the rows in a type: `typedef Row { byte column[3] }; Row a[2];`, used as `a[i].column[j]`
        error[assignment-in-expression] 1:64 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
}

#[test]
fn labels() {
    check_body_errors(
        "atomic { L: x = 1 }; { M: skip }; d_step { N: skip }; if :: O: skip fi; Q: byte x; R: xr c; x unless S: y
         for (i : 1 .. 2) { T: skip }; { byte z; U: skip }",
        expect![[r#"
            error[label-inside-block] 1:17 `L`: label `L` cannot be the first thing inside a block
              help: write `L: atomic { … }` instead of `atomic { L: … }`
            error[label-inside-block] 1:31 `M`: label `M` cannot be the first thing inside a block
              help: write `M: { … }` instead of `{ M: … }`
            error[label-inside-block] 1:51 `N`: label `N` cannot be the first thing inside a block
              help: write `N: d_step { … }` instead of `d_step { N: … }`
            warning[label-in-option] 1:68 `O`: label `O` at the start of an option: a jump to it skips the choice
              help: put the label in front of the `if` or `do`, or write `:: skip; O: …`
            error[label-before-declaration] 1:80 `Q`: label `Q` stands in front of a declaration
              help: a label names a statement: put it after the declaration
            error[label-before-declaration] 1:91 `R`: label `R` stands in front of a declaration
              help: a label names a statement: put it after the declaration
            error[label-inside-block] 1:109 `S`: label `S` cannot be the first thing after `unless`
              help: write `unless { skip; S: … }`
        "#]],
    );
    check_errors(
        "inline f() { L: skip } init { f() } proctype A() { A: skip; A: x = 1 }",
        expect![[r#"
        error[label-inside-block] 1:14 `L`: label `L` cannot be the first thing inside a block
          1:31 `f()`: in this call of inline `f`
          help: put the label in front of the call, or write `skip; L: …`
        error[proctype-as-label] 1:52 `A`: `A` is a proctype, so it cannot be a label
          help: choose another name for the label
        error[not-a-variable] 1:61 `A: x`: a variable of another process can only be read
          help: if `A` was meant as a label: it is a proctype, choose another name
    "#]],
    );
}

#[test]
fn unless() {
    check_body_errors(
        "x unless y unless z; x unless; y",
        expect![[r#"
        error[chained-unless] 1:19 `unless`: two `unless` in a row
          1:10 `unless`: the first one
          help: put braces around one: `{ a unless b } unless c`
        error[unexpected-token] 1:37 `;`: expected an expression, found `;`
    "#]],
    );
}

#[test]
fn assignments() {
    check_body_errors(
        "x + 1 = 2; (x) = 1; 3++; len(q)!2; x = ; y = 1",
        expect![[r#"
        error[not-a-variable] 1:8 `x + 1`: what stands before `=` is not a variable
          help: write `==` to compare
        error[not-a-variable] 1:19 `(x)`: what stands before `=` is not a variable
          help: write `==` to compare
        error[not-a-variable] 1:28 `3`: what stands before `++` is not a variable
        error[not-a-variable] 1:33 `len(q)`: what stands before `!` is not a channel
        error[unexpected-token] 1:47 `;`: expected an expression, found `;`
    "#]],
    );
}

#[test]
fn receives() {
    check_body_errors(
        "q?x+1; q?; q?(x; q?m(x; y = q?x; (q?x); q?\"a\"; y = 1",
        expect![[r#"
        error[expression-in-receive] 1:10 `x`: a receive takes variables and constants, not expressions
          help: write `eval(…)` to receive only a message with that value
        error[unexpected-token] 1:17 `;`: expected a variable or a constant to receive, found `;`
        error[unclosed] 1:21 `(`: this `(` is never closed
          1:23 `;`: expected `)` before this
        error[unclosed] 1:28 `(`: this `(` is never closed
          1:30 `;`: expected `)` before this
        error[receive-in-expression] 1:37 `?`: a receive is a statement, not an expression
          help: write `c?[…]` to ask whether a message could be received
        error[receive-in-expression] 1:43 `?`: a receive is a statement, not an expression
          help: write `c?[…]` to ask whether a message could be received
        error[string-in-expression] 1:50 `"a"`: a string can only be the format of `printf`
    "#]],
    );
}

#[test]
fn sends() {
    check_body_errors(
        "q!; q!1,; q!m(1; (q!x) -> y = 1",
        expect![[r#"
        error[unexpected-token] 1:10 `;`: expected an expression, found `;`
        error[unexpected-token] 1:16 `;`: expected an expression, found `;`
        error[unclosed] 1:21 `(`: this `(` is never closed
          1:23 `;`: expected `)` before this
        error[unexpected-token] 1:27 `!`: expected `)`, found `!`
    "#]],
    );
}

#[test]
fn conditional_values() {
    check_body_errors(
        "(x -> y); x = (x -> y); if :: (x == 1 -> y = 1) fi; x = (x -> y : z",
        expect![[r#"
        error[arrow-in-parentheses] 1:11 `->`: this `->` has no `: value` after it
          help: a conditional value is `(condition -> value : other)`
          help: outside of ltl, `a` implies `b` is written `!a || b`
        error[arrow-in-parentheses] 1:25 `->`: this `->` has no `: value` after it
          help: a conditional value is `(condition -> value : other)`
          help: outside of ltl, `a` implies `b` is written `!a || b`
        error[arrow-in-parentheses] 1:46 `->`: expected `)` before this `->`
          help: a guard ends with its parenthesis: `(x == 1) -> y = 2`
        error[unclosed] 1:64 `(`: this `(` is never closed
          2:1 `}`: expected `)` before this
    "#]],
    );
}

#[test]
fn declarations() {
    check_errors(
        "byte; byte x y; int 3; byte a[]; hidden show int b; chan c = [2] { byte }; chan d = [2] of byte;
         byte e, ; unsigned u 5; byte z = ;\nbyte w",
        expect![[r#"
            error[unexpected-token] 1:5 `;`: expected a variable name, found `;`
            error[unexpected-token] 1:14 `y`: expected a proctype, a declaration or another unit, found `y`
            error[unexpected-token] 1:21 `3`: expected a variable name, found `3`
            error[unexpected-token] 1:31 `]`: expected an expression, found `]`
            error[two-visibilities] 1:41 `show`: only one of `hidden`, `show` and `local` can be given
            error[unexpected-token] 1:66 `{`: expected `of`, found `{`
            error[unexpected-token] 1:92 `byte`: expected `{`, found `byte`
            error[unexpected-token] 2:18 `;`: expected a variable name, found `;`
            error[unexpected-token] 2:31 `5`: expected a proctype, a declaration or another unit, found `5`
            error[unexpected-token] 2:43 `;`: expected an expression, found `;`
        "#]],
    );
}

#[test]
fn parameters() {
    check_errors(
        "proctype A(byte a, byte b) { x = = 1 } proctype B(x) { skip } proctype C { skip } proctype D(byte) { y = = 1 }
         init() { skip }",
        expect![[r#"
            error[comma-before-type] 1:18 `,`: expected `;` before the next type
              help: write `byte a, b; int c`
            error[assignment-in-expression] 1:34 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[missing-type] 1:51 `x`: parameter `x` has no type
              help: write the type in front of the name: `byte x`
            error[unexpected-token] 1:74 `{`: expected `(` after `proctype C`
              help: without parameters write `proctype C()`
            error[unexpected-token] 1:98 `)`: expected a variable name, found `)`
            error[assignment-in-expression] 1:106 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[unexpected-token] 2:14 `(`: `init` has no parameters and no parentheses
        "#]],
    );
}

#[test]
fn units() {
    check_errors(
        "x = 1; skip; foo; 17 active init { skip } active [2] P() { skip } proctype { skip }\nbyte y",
        expect![[r#"
            error[statement-outside-body] 1:1 `x`: a statement cannot stand outside of a body
              help: put it into a proctype or into `init { … }`
            error[unexpected-token] 1:29 `init`: expected `proctype`, found `init`
            error[unexpected-token] 1:54 `P`: expected `proctype`, found `P`
            error[unexpected-token] 1:76 `{`: expected the name of the proctype, found `{`
        "#]],
    );
    check_errors(
        "init { proctype P() { x = = 1 } skip; typedef T { byte x }; y = = 2 }",
        expect![[r#"
        error[nested-unit] 1:8 `proctype`: `proctype` cannot stand inside the body of a process
          help: move it out of the body
        error[assignment-in-expression] 1:27 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
        error[nested-unit] 1:39 `typedef`: `typedef` cannot stand inside the body of a process
          help: move it out of the body
        error[assignment-in-expression] 1:65 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_errors(
        "init { mtype = { a, b }; mtype m; skip }",
        expect![[r#"
        error[local-mtype] 1:8 `mtype`: the names of an mtype cannot be declared inside a process
          help: move this declaration out of the process
    "#]],
    );
}

#[test]
fn formulas() {
    check_errors(
        "ltl a { [] } ltl b { p q } ltl c { (p U } ltl d p ltl 3 { p } ltl e { p = q } ltl f { p U q; } byte x y",
        expect![[r#"
            error[unexpected-token] 1:12 `}`: expected an expression, found `}`
            error[unexpected-token] 1:24 `q`: expected `}`, found `q`
            error[unexpected-token] 1:41 `}`: expected an expression, found `}`
            error[unexpected-token] 1:49 `p`: expected `{`, found `p`
            error[unexpected-token] 1:55 `3`: expected a name or `{`, found `3`
            error[assignment-in-expression] 1:73 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[unexpected-token] 1:103 `y`: expected a proctype, a declaration or another unit, found `y`
        "#]],
    );
}

#[test]
fn loops() {
    check_body_errors(
        "for (i : 1 ... 2) { x = = 1 } for i : 1 .. 2 { skip } for (i : 1 .. 2) skip; select (i : 1); for (i in) { skip }",
        expect![[r#"
            error[unexpected-token] 1:19 `...`: expected `..`, found `...`
            error[assignment-in-expression] 1:32 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[unexpected-token] 1:42 `i`: expected `(`, found `i`
            error[unexpected-token] 1:79 `skip`: expected `{`, found `skip`
            error[unexpected-token] 1:98 `)`: expected `..`, found `)`
            error[unexpected-token] 1:110 `)`: expected a variable name, found `)`
        "#]],
    );
}

#[test]
fn unrelated_mistakes_are_all_reported() {
    check_errors(
        "byte x\nproctype A() { x = ; y = 1\n if :: x == -> y = 1 :: y + fi\n do :: ) od\n x = 1 }\nint 5\ninit { ] }",
        expect![[r#"
            error[unexpected-token] 2:20 `;`: expected an expression, found `;`
            error[unexpected-token] 3:13 `->`: expected an expression, found `->`
            error[unexpected-token] 3:29 `fi`: expected an expression, found `fi`
            error[unexpected-token] 4:8 `)`: expected an expression, found `)`
            error[unexpected-token] 6:5 `5`: expected a variable name, found `5`
            error[unexpected-token] 7:8 `]`: expected an expression, found `]`
        "#]],
    );
}

#[test]
fn a_macro_is_blamed_where_it_is_used() {
    check_errors(
        "#define BAD x +\ninit { BAD; BAD ; skip }",
        expect![[r#"
        error[unexpected-token] 2:11 `;`: expected an expression, found `;`
        error[unexpected-token] 2:17 `;`: expected an expression, found `;`
    "#]],
    );
}

#[test]
fn forgotten_and_doubled_tokens() {
    check_body_errors(
        "atomic x = 1; y = 2 }; z = = 1",
        expect![[r#"
        error[unexpected-token] 1:15 `x`: expected `{`, found `x`
        error[assignment-in-expression] 1:35 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_body_errors(
        ":: x -> y = 1 :: else -> y = 2 fi; z = = 1",
        expect![[r#"
        error[stray-token] 1:8 `::`: `::` outside of `if` and `do`
        error[assignment-in-expression] 1:47 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_body_errors(
        "do do :: x -> y = 1 od; z = = 1",
        expect![[r#"
        error[missing-option] 1:11 `do`: expected `::` after `do`
          1:8 `do`: in this statement
          help: every option starts with `::`
        error[assignment-in-expression] 1:36 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_body_errors(
        "if :: do :: x od od :: y fi; z = = 1",
        expect![[r#"
        error[stray-token] 1:25 `od`: this `od` closes no `do`
        error[assignment-in-expression] 1:41 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_body_errors(
        "q = [1] of { byte }; chan q = [1] of byte }; z = = 1",
        expect![[r#"
        error[channel-outside-declaration] 1:12 `[`: channels are made only where a variable is declared
          help: write `chan c = [1] of { byte }`
        error[unexpected-token] 1:45 `byte`: expected `{`, found `byte`
        error[assignment-in-expression] 1:57 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
    check_body_errors(
        "x y++; x y = 1",
        expect![[r#"
        error[missing-separator] 1:10 `y`: expected `;` or `->` before this statement
    "#]],
    );
    check_errors(
        "proctype A) { x = = 1 } inline f a) { skip } init { skip } } x = 1; y = 2 init { f(1) }",
        expect![[r#"
        error[unexpected-token] 1:11 `)`: expected `(` after `proctype A`
          help: without parameters write `proctype A()`
        error[assignment-in-expression] 1:19 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
        error[unexpected-token] 1:34 `a`: expected `(`, found `a`
        error[stray-token] 1:60 `}`: this `}` closes nothing
    "#]],
    );
}

#[test]
fn mistakes_of_the_lexer_have_no_consequences() {
    check_errors(
        "init { printf(\"abc); skip }\nbyte x = 0x10; init { y = = 1 }",
        expect![[r#"
            error[unterminated-string] 1:15 `"`: this string is not closed on its line
            error[hex-number] 2:10 `0x10`: Promela has decimal numbers only, `0x10` is hexadecimal
              help: write `16`
            error[assignment-in-expression] 2:27 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
        "#]],
    );
}
