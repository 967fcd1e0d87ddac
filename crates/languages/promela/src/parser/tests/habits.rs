//! Habits of other languages.

use expect_test::expect;

use super::{check_body_errors, check_errors};

#[test]
fn assignment_in_a_condition() {
    check_body_errors(
        "if :: (x = 1) -> y = 2 :: x == 2 -> z = = 3 fi",
        expect![[r#"
        error[assignment-in-expression] 1:17 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
        error[assignment-in-expression] 1:48 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
}

#[test]
fn if_statement() {
    check_body_errors(
        "if (x == 1) { y = 2; } else { y = 3 }\nif (x) y = 1; else y = 2; z = = 1\nif (x) { y = = 2 } else if (z) { } else { skip }\nx = 3",
        expect![[r#"
            error[foreign-statement] 1:8 `if`: an `if` in Promela has options between `if` and `fi`
              help: write `if :: condition -> … :: else -> … fi`
            error[foreign-statement] 2:1 `if`: an `if` in Promela has options between `if` and `fi`
              help: write `if :: condition -> … :: else -> … fi`
            error[assignment-in-expression] 2:31 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[foreign-statement] 3:1 `if`: an `if` in Promela has options between `if` and `fi`
              help: write `if :: condition -> … :: else -> … fi`
            error[assignment-in-expression] 3:14 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
        "#]],
    );
}

#[test]
fn missing_option() {
    check_body_errors(
        "if (x == 1) -> y = 2 :: else fi; do x = 1 od; do { x = 1 } while (x); x = 2",
        expect![[r#"
            error[missing-option] 1:11 `(`: expected `::` after `if`
              1:8 `if`: in this statement
              help: every option starts with `::`
            error[missing-option] 1:44 `x`: expected `::` after `do`
              1:41 `do`: in this statement
              help: every option starts with `::`
            error[foreign-statement] 1:54 `do`: a `do` in Promela has options between `do` and `od`
              help: write `do :: condition -> … od`
        "#]],
    );
}

#[test]
fn while_and_friends() {
    check_body_errors(
        "while (x < 3) { x++ }; switch (x) { skip }; if :: x -> skip elseif :: y fi; if :: x then y = 1 fi; while = 3; then = 4; elseif++",
        expect![[r#"
            error[foreign-statement] 1:8 `while`: there is no `while` in Promela
              help: write `do :: condition -> … :: else -> break od`
            error[foreign-statement] 1:31 `switch`: there is no `switch` in Promela
              help: write `if :: x == 1 -> … :: else -> … fi`
            error[foreign-statement] 1:68 `elseif`: there is no `else if` in Promela
              help: give the `if` one more option: `:: condition -> …`
            error[foreign-statement] 1:92 `then`: there is no `then` in Promela
              help: write `if :: condition -> … :: else -> … fi`
        "#]],
    );
}

#[test]
fn for_statement() {
    check_body_errors(
        "for (i = 0; i < 3; i++) { x = = 1 }; for (int i : 0 .. 2) { y = = 1 }; for (byte i in a) { skip }",
        expect![[r#"
            error[foreign-statement] 1:12 `(i = 0; i < 3; i++)`: a `for` runs over a range
              help: write `byte i; for (i : 0 .. 9) { … }`
            error[assignment-in-expression] 1:38 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[foreign-statement] 1:49 `(int i : 0 .. 2)`: the variable of a `for` is declared before it
              help: write `byte i; for (i : 0 .. 9) { … }`
            error[assignment-in-expression] 1:72 `=`: an assignment cannot stand inside an expression
              help: write `==` to compare
            error[foreign-statement] 1:83 `(byte i in a)`: the variable of a `for` is declared before it
              help: write `byte i; for (i : 0 .. 9) { … }`
        "#]],
    );
}

#[test]
fn operators() {
    check_body_errors(
        "x += 1; x -= 2; x <<= 1; x ==> y; x => y; x = y++; (x++ == 1); x = x-- + 1; ++x",
        expect![[r#"
        error[compound-assignment] 1:10 `+=`: there is no `+=` in Promela
          help: write `x = x + …`
        error[compound-assignment] 1:18 `-=`: there is no `-=` in Promela
          help: write `x = x - …`
        error[compound-assignment] 1:26 `<<=`: there is no `<<=` in Promela
          help: write `x = x << …`
        error[unknown-operator] 1:35 `==>`: `==>` is not an operator
          help: write `->` after a guard and in formulas, `>=` for a comparison
        error[unknown-operator] 1:44 `=>`: `=>` is not an operator
          help: write `->` after a guard and in formulas, `>=` for a comparison
        error[increment-in-expression] 1:55 `++`: this changes a variable, which an expression cannot do
          help: make `x++` a statement of its own
        error[increment-in-expression] 1:61 `++`: this changes a variable, which an expression cannot do
          help: make `x++` a statement of its own
        error[increment-in-expression] 1:76 `--`: this changes a variable, which an expression cannot do
          help: make `x--` a statement of its own
        error[increment-in-expression] 1:84 `++`: this changes a variable, which an expression cannot do
          help: make `x++` a statement of its own
    "#]],
    );
}

#[test]
fn types() {
    check_errors(
        "unsigned int a; char b; long c = 1; const int d = 2; float e; unsigned char f; bool g; uint8_t h; string s",
        expect![[r#"
            error[foreign-type] 1:1 `unsigned int`: there is no type `unsigned int` in Promela
              help: write `byte x`, or `unsigned x : 5` for 5 bits
            error[foreign-type] 1:17 `char`: there is no type `char` in Promela
              help: use `byte`
            error[foreign-type] 1:25 `long`: there is no type `long` in Promela
              help: use `int`
            error[foreign-type] 1:37 `const int`: there is no type `const int` in Promela
              help: leave out `const`
            error[foreign-type] 1:54 `float`: there is no type `float` in Promela
              help: use `int`
            error[foreign-type] 1:63 `unsigned char`: there is no type `unsigned char` in Promela
              help: write `byte x`, or `unsigned x : 5` for 5 bits
            error[foreign-type] 1:88 `uint8_t`: there is no type `uint8_t` in Promela
              help: use `byte`
            error[foreign-type] 1:99 `string`: there is no type `string` in Promela
              help: use `mtype`
        "#]],
    );
    check_errors(
        "int[3] a; proctype P(char c; int n) { unsigned int x; x = = 1 }",
        expect![[r#"
        error[size-after-type] 1:4 `[`: the size of an array follows its name
          help: write `byte a[3]`
        error[foreign-type] 1:22 `char`: there is no type `char` in Promela
          help: use `byte`
        error[foreign-type] 1:39 `unsigned int`: there is no type `unsigned int` in Promela
          help: write `byte x`, or `unsigned x : 5` for 5 bits
        error[assignment-in-expression] 1:59 `=`: an assignment cannot stand inside an expression
          help: write `==` to compare
    "#]],
    );
}

#[test]
fn functions() {
    check_errors(
        "int f(int x) { return x; }\nvoid main() { f(1) }\nmain() { skip }\ninit { x = f(1) + 2; skip }",
        expect![[r#"
            error[foreign-function] 1:5 `f`: there are no functions in Promela
              help: write `proctype f(…)` for a process, `inline f(…)` for a macro
            error[foreign-function] 2:6 `main`: there are no functions in Promela
              help: write `proctype main(…)` for a process, `inline main(…)` for a macro
            error[foreign-function] 3:1 `main`: a model starts with `init`, not with `main`
              help: write `init { … }`
            error[unknown-inline] 4:12 `f`: there is no inline called `f`
        "#]],
    );
}

#[test]
fn printf_formats() {
    check_body_errors(
        "printf('hello'); printf(x); printf('a'); printf; printf(\"a\" x); x = \"a\"",
        expect![[r#"
        error[bad-character] 1:15 `'hello'`: a character constant holds exactly one character
          help: a string has double quotes
        error[printf-format] 1:32 `x`: `printf` needs a text in double quotes
          help: to print a value write printf("%d\n", x)
        error[printf-format] 1:43 `'a'`: `printf` needs a text in double quotes
          help: write "…" instead of '…'
        error[unexpected-token] 1:55 `;`: expected `(`, found `;`
        error[unexpected-token] 1:68 `x`: expected `)`, found `x`
        error[string-in-expression] 1:76 `"a"`: a string can only be the format of `printf`
    "#]],
    );
}

#[test]
fn returns() {
    check_body_errors(
        "if :: x -> return :: else -> return 3 fi; skip",
        expect![[r#"
        error[return-outside-inline] 1:19 `return`: `return` can only be used in an inline
          help: to end a process, jump to a label at the end of its body with `goto`
        error[return-outside-inline] 1:37 `return`: `return` can only be used in an inline
          help: to end a process, jump to a label at the end of its body with `goto`
    "#]],
    );
}

#[test]
fn exclamation_marks() {
    check_body_errors(
        "!full(q); !!x; x = !y",
        expect![[r#"
        error[unexpected-token] 1:18 `!!`: expected an expression, found `!!`
    "#]],
    );
}

#[test]
fn types_of_that_name_are_fine() {
    check_errors(
        "typedef string { byte c[3] } string s; inline while(c) { c } init { while(1) }",
        expect![[""]],
    );
}
