use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use allways_source::{Diagnostic, Severity, SourceMap};
use expect_test::{Expect, expect};

use super::{Files, PreprocessOptions, Preprocessed, preprocess};
use crate::token::{Expansion, Token, TokenKind};

/// Files that exist only in a test.
#[derive(Default)]
struct InMemory(HashMap<PathBuf, &'static str>);

impl Files for InMemory {
    fn read(&self, path: &Path) -> Result<String, io::Error> {
        self.0.get(path).map(|text| text.to_string()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// The text without the indentation it has in the test, if it starts on a line of its own.
fn dedent(input: &str) -> String {
    let Some(text) = input.strip_prefix('\n') else { return input.to_owned() };
    let indentation = text.len() - text.trim_start_matches(' ').len();
    let lines = text.trim_end_matches(' ').lines();
    lines.map(|line| format!("{}\n", line.get(indentation..).unwrap_or(""))).collect()
}

fn run(
    input: &str,
    files: &[(&str, &'static str)],
    options: &PreprocessOptions,
) -> (SourceMap, Preprocessed) {
    let mut sources = SourceMap::default();
    let root = sources.add("m.pml", input);
    let files = InMemory(files.iter().map(|(path, text)| (PathBuf::from(path), *text)).collect());
    let preprocessed = preprocess(&mut sources, root, options, &files);
    (sources, preprocessed)
}

/// Compares the tokens as the parser gets them: each line of output is a line of the preprocessed text, with the
/// number of the line its first token points to. The diagnostics follow.
#[track_caller]
fn check(input: &str, expected: Expect) {
    check_with(input, &[], &PreprocessOptions::default(), expected);
}

fn check_with(input: &str, files: &[(&str, &'static str)], options: &PreprocessOptions, expected: Expect) {
    let (sources, Preprocessed { tokens, diagnostics, .. }) = run(&dedent(input), files, options);
    let (end, tokens) = tokens.split_last().unwrap();
    assert_eq!(end.kind, TokenKind::End);
    let mut out = String::new();
    for line in tokens.chunk_by(|_, next| !next.starts_line) {
        let words: Vec<&str> = line.iter().map(|token| &*token.text).collect();
        writeln!(out, "{} {}", place(&sources, &line[0]), words.join(" ")).unwrap();
    }
    diagnostics.iter().for_each(|diagnostic| show_diagnostic(&mut out, &sources, diagnostic));
    expected.assert_eq(&out);
}

fn place(sources: &SourceMap, token: &Token) -> String {
    let line = sources.line(token.span);
    if token.span.file.0 == 0 {
        format!("{line}:")
    } else {
        format!("{}:{line}:", sources.path(token.span.file).display())
    }
}

fn show_diagnostic(out: &mut String, sources: &SourceMap, diagnostic: &Diagnostic) {
    let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
    writeln!(out, "{severity}[{}]: {}", diagnostic.code, diagnostic.message).unwrap();
    for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary) {
        let path = sources.path(label.span.file).display();
        let position = sources.position(label.span);
        let text = sources.text(label.span);
        let short: String = text.chars().take(40).collect();
        write!(out, "  {path}:{}:{} {short:?} {}", position.line, position.column, label.text).unwrap();
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    diagnostic.help.iter().for_each(|help| writeln!(out, "  help: {help}").unwrap());
}

mod lexing {
    use super::*;

    #[test]
    fn operators() {
        check(
            ":: : -> ; , .. . = == != < <= > >= << >> + - * / % ++ -- & && | || ^ ~ ! !! ? ?? @ ( ) [ ] { }",
            expect![[r#"
                1: :: : -> ; , .. . = == != < <= > >= << >> + - * / % ++ -- & && | || ^ ~ ! !! ? ?? @ ( ) [ ] { }
            "#]],
        );
        check(
            "c?[x] a[1]c!!-1 a<-1 p<->q <>p []q p/\\q\\/r 1..5 a.b x--1",
            expect![[r#"
            1: c ? [ x ] a [ 1 ] c !! - 1 a < - 1 p <-> q <> p [ ] q p /\ q \/ r 1 .. 5 a . b x -- 1
        "#]],
        );
    }

    #[test]
    fn keywords_and_names() {
        let (_, preprocessed) = run("do done _pid x1", &[], &PreprocessOptions::default());
        let kinds: Vec<TokenKind> = preprocessed.tokens.iter().map(|token| token.kind).collect();
        use TokenKind::{End, Keyword, Name};
        assert_eq!(kinds, [Keyword, Name, Name, Name, End]);
    }

    #[test]
    fn comments_and_lines() {
        check(
            "
            a // b
            // c
            d /* e */ f /* g
             h */ i
            /* j
            */ k
            ",
            expect![[r#"
                1: a
                3: d f
                4: i
                6: k
            "#]],
        );
    }

    #[test]
    fn splices_keep_spans() {
        check(
            "ab\\\ncd \\\r\n e\\  \nf\n\"x\\\ny\" // c \\\n d\ng",
            expect![[r#"
            1: abcd ef
            5: "xy"
            8: g
        "#]],
        );
        check(
            "\\\n\\\n0\\\nx1",
            expect![[r#"
            3: 1
            error[hex-number]: Promela has decimal numbers only, `0x1` is hexadecimal
              m.pml:3:1 "0\\\nx1"
              help: write `1`
        "#]],
        );
    }

    #[test]
    fn line_ends_and_blanks() {
        check(
            "\u{feff}a\r\nb\x0c\x0bc\r\n\r\nd",
            expect![[r#"
            1: a
            2: b c
            4: d
        "#]],
        );
        check("", expect![[r#""#]]);
        check("\u{feff}", expect![[r#""#]]);
    }

    #[test]
    fn odd_numbers() {
        check(
            "0x1F 1.5 12abc 007 10u 1e+5 1e5 0b101 0x 0xfffffffffffffffffffffffffffffffff 1. .5 1...2",
            expect![[r#"
                1: 31 1 12 007 10 1 1 5 0 0 1 . . 5 1 ... 2
                error[hex-number]: Promela has decimal numbers only, `0x1F` is hexadecimal
                  m.pml:1:1 "0x1F"
                  help: write `31`
                error[fractional-number]: Promela has whole numbers only, `1.5` is not one
                  m.pml:1:6 "1.5"
                error[bad-number]: `12abc` is not a number
                  m.pml:1:10 "12abc"
                  help: a number has digits only, and a name does not start with a digit
                error[bad-number]: `10u` is not a number
                  m.pml:1:20 "10u"
                  help: numbers have no suffix in Promela: write `10`
                error[fractional-number]: Promela has whole numbers only, `1e+5` is not one
                  m.pml:1:24 "1e+5"
                error[fractional-number]: Promela has whole numbers only, `1e5` is not one
                  m.pml:1:29 "1e5"
                error[hex-number]: Promela has decimal numbers only, `0b101` is binary
                  m.pml:1:33 "0b101"
                  help: write `5`
                error[bad-number]: `0x` is not a number
                  m.pml:1:39 "0x"
                  help: a number has digits only, and a name does not start with a digit
                error[bad-number]: `0xfffffffffffffffffffffffffffffffff` is not a number
                  m.pml:1:42 "0xfffffffffffffffffffffffffffffffff"
                  help: a number has digits only, and a name does not start with a digit
            "#]],
        );
    }

    #[test]
    fn characters() {
        check(
            r"'a' '\n' '\\' '\'' '' 'ab' '\x41' 'é'",
            expect![[r#"
            1: 'a' '\n' '\\' '\'' '?' 'a' '\x' '?'
            error[bad-character]: a character constant holds exactly one character
              m.pml:1:20 "''"
            error[bad-character]: a character constant holds exactly one character
              m.pml:1:23 "'ab'"
              help: a string has double quotes
            error[bad-character]: a character constant holds exactly one character
              m.pml:1:28 "'\\x41'"
              help: a string has double quotes
            error[non-ascii]: the character constant 'é' is outside of ASCII
              m.pml:1:35 "'é'"
        "#]],
        );
        check(
            "x = 'a;\ny = '\nz = '\\",
            expect![[r#"
            1: x = 'a' ;
            2: y = '?'
            3: z = '\''
            error[unterminated-character]: this character constant is not closed on its line
              m.pml:1:5 "'" opened here
            error[unterminated-character]: this character constant is not closed on its line
              m.pml:2:5 "'" opened here
            error[unterminated-character]: this character constant is not closed on its line
              m.pml:3:5 "'" opened here
        "#]],
        );
    }

    #[test]
    fn strings() {
        check(
            r#""a\"b" $int "x"$ "c\\" "#,
            expect![[r#"
            1: "a\"b" "int \"x\"" "c\\"
        "#]],
        );
        check(
            "printf(\"a);\nb $c\nd \"\\",
            expect![[r#"
                1: printf ( "a);"
                2: b "c"
                3: d ""
                error[unterminated-string]: this string is not closed on its line
                  m.pml:1:8 "\"" opened here
                error[unterminated-string]: this string is not closed on its line
                  m.pml:2:3 "$" opened here
                error[unterminated-string]: this string is not closed on its line
                  m.pml:3:3 "\"" opened here
            "#]],
        );
    }

    #[test]
    fn open_comment() {
        check(
            "
            a
            #if 1
            b /* c
            d
            ",
            expect![[r#"
                1: a
                3: b
                error[unterminated-comment]: this comment is never closed
                  m.pml:3:3 "/*" opened here
                  help: close it with `*/`
            "#]],
        );
    }

    #[test]
    fn strays() {
        check(
            "a # b \\ c \x01 ` d",
            expect![[r##"
            1: a b c d
            error[stray-character]: `#` has no meaning here
              m.pml:1:3 "#"
              help: a directive must be the first thing on its line
            error[stray-character]: `\` has no meaning here
              m.pml:1:7 "\\"
            error[stray-character]: `\u{1}` has no meaning here
              m.pml:1:11 "\u{1}"
            error[stray-character]: ``` has no meaning here
              m.pml:1:13 "`"
        "##]],
        );
        check(
            "größe = 1; größe ≠ x → “s” \u{a0}y",
            expect![[r#"
                1: größe = 1 ; größe != x -> s y
                error[non-ascii]: the name `größe` has letters outside of ASCII
                  m.pml:1:1 "größe" `öß` cannot be part of a name
                  help: names are made of `a`-`z`, `A`-`Z`, `0`-`9` and `_`
                error[non-ascii]: `≠` (U+2260) has no meaning in Promela
                  m.pml:1:18 "≠"
                  help: did you mean `!=`?
                error[non-ascii]: `→` (U+2192) has no meaning in Promela
                  m.pml:1:22 "→"
                  help: did you mean `->`?
                error[non-ascii]: `“` (U+201C) has no meaning in Promela
                  m.pml:1:24 "“"
                  help: did you mean `"`?
                error[non-ascii]: `”` (U+201D) has no meaning in Promela
                  m.pml:1:26 "”"
                  help: did you mean `"`?
                error[non-ascii]: ` ` (U+00A0) has no meaning in Promela
                  m.pml:1:28 "\u{a0}"
                  help: did you mean an ordinary space?
            "#]],
        );
    }

    #[test]
    fn embedded_c_is_not_promela() {
        check(
            r#"
            c_code [a[0] < 0x10] { x = 0x10 + 1.5e-3; if (p->q == '\0') { y += 'ab'; } \#include "f" }
            c_state "int x" "Global" 0x1
            c_expr { `é }
            "#,
            expect![[r#"
                1: c_code [ a [ 0 ] < 0x10 ] { x = 0x10 + 1.5e-3 ; if ( p -> q == '\0' ) { y + = 'ab' ; } \ # include "f" }
                2: c_state "int x" "Global" 1
                3: c_expr { ` é }
                error[hex-number]: Promela has decimal numbers only, `0x1` is hexadecimal
                  m.pml:2:26 "0x1"
                  help: write `1`
            "#]],
        );
    }

    #[test]
    fn a_mistake_in_a_macro_is_reported_once() {
        check(
            "
            #define N 0x10
            a = N
            b = N
            ",
            expect![[r#"
                2: a = 16
                3: b = 16
                error[hex-number]: Promela has decimal numbers only, `0x10` is hexadecimal
                  m.pml:1:11 "0x10"
                  m.pml:2:5 "N" used here
                  help: write `16`
            "#]],
        );
    }
}

mod macros {
    use super::*;

    #[test]
    fn object_like() {
        check(
            "
            #define N 3
            #define M N+N
            x = M;
            #undef N
            y = M
            ",
            expect![[r#"
                3: x = 3 + 3 ;
                5: y = N + N
            "#]],
        );
    }

    #[test]
    fn function_like_only_with_parenthesis() {
        check(
            "
            #define f(x) [x]
            f
            f (1)
            f
            (2) g
            f
            ",
            expect![[r#"
                2: f
                3: [ 1 ]
                4: [ 2 ] g
                6: f
            "#]],
        );
    }

    #[test]
    fn a_call_is_on_one_line() {
        check(
            r"
            #define F(x, y) x + \
              y
            a = F(1, // c
              2); b
            c
            ",
            expect![[r#"
                3: a = 1 + 2 ; b
                5: c
            "#]],
        );
        check(
            "
            #define F(x) x
              F(a
            )
            b F(
            c
            ) d
            ",
            expect![[r#"
                2: a
                4: b c d
            "#]],
        );
    }

    #[test]
    fn nothing_leaves_the_line_start() {
        check(
            "
            #define E
            E a
            b E
            E
            c
            ",
            expect![[r#"
                2: a
                3: b
                5: c
            "#]],
        );
    }

    #[test]
    fn directives_in_arguments() {
        check(
            "
            #define F(x, y) x y
            F(1,
            #ifdef F
            2
            #else
            3
            #endif
            ) z
            ",
            expect![[r#"
                2: 1 2 z
            "#]],
        );
        check(
            r#"
            #define F(x) x
            F(
            #include "a"
            )
            "#,
            expect![[r##"
                error[include-in-arguments]: a file cannot be included inside of the arguments of a macro
                  m.pml:3:1 "#include"
            "##]],
        );
        check_with(
            r#"
            #define F(x) [x]
            F
            #include "a"
            F
            "#,
            &[("a", "(1) F\n")],
            &PreprocessOptions::default(),
            expect![[r#"
                2: F
                a:1: ( 1 ) F
                4: F
            "#]],
        );
    }

    /// C11 6.10.3.5, examples 3 to 5 and 7, and 6.10.3.3.
    #[test]
    fn examples_of_the_standard() {
        check(
            "
            #define x 3
            #define f(a) f(x * (a))
            #undef x
            #define x 2
            #define g f
            #define z z[0]
            #define h g(~
            #define m(a) a(w)
            #define w 0,1
            #define t(a) a
            #define p() int
            #define q(x) x
            #define r(x,y) x ## y
            #define str(x) # x
            f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
            g(x+(3,4)-w) | h 5) & m
                (f)^m(m);
            p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
            ",
            expect![[r#"
                15: f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;
                16: f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;
                18: int i [ ] = { 1 , 23 , 4 , 5 , } ;
            "#]],
        );
        check(
            r#"
            #define str(s) # s
            #define xstr(s) str(s)
            #define INCFILE(n) vers ## n
            #define glue(a, b) a ## b
            #define xglue(a, b) glue(a, b)
            #define HIGHLOW "hello"
            #define LOW LOW ", world"
            str(strncmp("abc\0d", "abc", '\4') == 0) str(: @\n), s);
            xstr(INCFILE(2).h)
            glue(HIGH, LOW);
            xglue(HIGH, LOW)
            "#,
            expect![[r#"
                8: "strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n" , s ) ;
                9: "vers2.h"
                10: "hello" ;
                11: "hello" ", world"
            "#]],
        );
        check(
            "#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,) .",
            expect![[r#"
                2: 123 45 67 89 10 11 12 .
            "#]],
        );
        check(
            "
            #define hash_hash # ## #
            #define mkstr(a) # a
            #define in_between(a) mkstr(a)
            #define join(c, d) in_between(c hash_hash d)
            join(x, y)
            ",
            expect![[r#"
                5: "x ## y"
            "#]],
        );
        check(
            r#"
            #define debug(...) printf(__VA_ARGS__)
            #define report(test, ...) ((test)?puts(#__VA_ARGS__): printf(__VA_ARGS__))
            debug("X = %d\n", x);
            report(x>y, "x is %d but y is %d", x, y);
            "#,
            expect![[r#"
                3: printf ( "X = %d\n" , x ) ;
                4: ( ( x > y ) ? puts ( "\"x is %d but y is %d\", x, y" ) : printf ( "x is %d but y is %d" , x , y ) ) ;
            "#]],
        );
    }

    #[test]
    fn rescanning() {
        check(
            "
            #define f(a) a*g
            #define g(a) f(a)
            f(2)(9)
            ",
            expect![[r#"
                3: 2 * 9 * g
            "#]],
        );
        check(
            "#define f(x) [x]\nf(f)(1) f(f(1)) f(f f(2))",
            expect![[r#"
            2: [ f ] ( 1 ) [ [ 1 ] ] [ f [ 2 ] ]
        "#]],
        );
        check(
            "
            #define a b
            #define b a
            a b
            ",
            expect![[r#"
                3: a b
            "#]],
        );
        check(
            "
            #define id(x) x
            #define f(x) <x>
            id(f)(1) id(id)(2) id(id(f)(3))
            ",
            expect![[r#"
                3: < 1 > id ( 2 ) < 3 >
            "#]],
        );
        check(
            "
            #define foo foo a bar b bar
            #define bar foo 12
            foo
            ",
            expect![[r#"
                3: foo a foo 12 b foo 12
            "#]],
        );
        check(
            "
            #define n(x) x
            #define EMPTY
            #define later n EMPTY ()
            later n(later)
            ",
            expect![[r#"
                4: n ( ) n ( )
            "#]],
        );
    }

    #[test]
    fn stringified() {
        check(
            "#define S(x) #x\nS( a  +\n\tb ) S() S(\"q\\n\") S('\"') S(\\) S(@a,) ",
            expect![[r#"
            2: "a + b" "" "\"q\\n\"" "'\"'" "" "@a"
            error[macro-arity]: the macro `S` takes 1 argument, here it has 2
              m.pml:3:31 "S(@a,)"
              m.pml:1:9 "S" defined here
        "#]],
        );
        check(
            "#define S(...) #__VA_ARGS__\nS(a,b , c)S",
            expect![[r#"
            2: "a,b , c" S
        "#]],
        );
    }

    #[test]
    fn variadic() {
        check(
            "
            #define P(f, ...) p(f, ## __VA_ARGS__)
            P(1) P(1,) P(1, 2, 3)
            #define Q(a...) <a>
            Q() Q(1,2)
            ",
            expect![[r#"
                2: p ( 1 ) p ( 1 ) p ( 1 , 2 , 3 )
                4: < > < 1 , 2 >
            "#]],
        );
    }

    #[test]
    fn pasted() {
        check(
            "
            #define C(a,b) a##b
            #define xy 7
            C(x,y) C(x y, z w) C(1,2) C(-,>) C(1,x)
            ",
            expect![[r#"
                3: 7 x yz w 12 -> 1
                error[bad-number]: `1x` is not a number
                  m.pml:3:36 "1"
                  help: a number has digits only, and a name does not start with a digit
            "#]],
        );
        check(
            "#define C(a,b) a##b\nC(+,x) C(/,/) C(\",\")",
            expect![[r#"
            2: + x / / "," 0
            error[bad-paste]: `##` joins `+` and `x` to `+x`, which is not one token
              m.pml:2:1 "C(+,x)"
            error[bad-paste]: `##` joins `/` and `/` to `//`, which is not one token
              m.pml:2:8 "C(/,/)"
            error[macro-arity]: the macro `C` takes 2 arguments, here it has 1
              m.pml:2:15 "C(\",\")"
              m.pml:1:9 "C" defined here
            error[bad-paste]: `##` joins `","` and `0` to `","0`, which is not one token
              m.pml:2:15 "C(\",\")"
        "#]],
        );
    }

    #[test]
    fn predefined() {
        check(
            "
            #define L __LINE__
            __FILE__ __LINE__
            L linux unix __GNUC__
            ",
            expect![[r#"
                2: "m.pml" 2
                3: 3 linux unix __GNUC__
            "#]],
        );
    }

    #[test]
    fn spans_and_expansions() {
        let input = "#define IN(x) x + 1\n#define OUT(y) IN(y) * y\na = OUT(bb);";
        let (sources, preprocessed) = run(input, &[], &PreprocessOptions::default());
        let mut out = String::new();
        for token in &preprocessed.tokens {
            write!(out, "{} {:?}", token.text, sources.text(token.span)).unwrap();
            let mut expansion = token.expansion;
            while let Some(id) = expansion {
                let Expansion { name, call, parent } = &preprocessed.expansions[id.0 as usize];
                write!(out, " in {name} {:?}", sources.text(*call)).unwrap();
                expansion = *parent;
            }
            out.push('\n');
        }
        expect![[r#"
            a "a"
            = "="
            bb "bb" in IN "OUT(bb)" in OUT "OUT(bb)"
            + "OUT(bb)" in IN "OUT(bb)" in OUT "OUT(bb)"
            1 "OUT(bb)" in IN "OUT(bb)" in OUT "OUT(bb)"
            * "OUT(bb)" in OUT "OUT(bb)"
            bb "bb" in OUT "OUT(bb)"
            ; ";"
             ""
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn redefinition() {
        check(
            "
            #define A 1
            #define A 1
            #define A   1 // same
            #define A 2
            A
            #define F(x) x
            #define F(y) y
            #define __LINE__ 0
            ",
            expect![[r#"
                5: 2
                warning[macro-redefined]: the macro `A` is defined again, with another meaning
                  m.pml:4:9 "A"
                  m.pml:3:9 "A" first defined here
                  help: say `#undef A` before, if that is intended
                warning[macro-redefined]: the macro `F` is defined again, with another meaning
                  m.pml:7:9 "F"
                  m.pml:6:9 "F" first defined here
                  help: say `#undef F` before, if that is intended
                warning[macro-redefined]: the macro `__LINE__` is defined again, with another meaning
                  m.pml:8:9 "__LINE__"
                  help: say `#undef __LINE__` before, if that is intended
            "#]],
        );
    }

    #[test]
    fn wrong_definitions() {
        check(
            "
            #define
            #define 1
            #define defined
            #define F(x
            #define G(x y) x
            #define H(x,x) x
            #define I(..., x) x
            #define J(x) #y ## x
            #define K ## a ##
            #define L(1) 1
            #undef
            #undef +
            #undef K K
            F(1) G(1,2) J(1) K
            ",
            expect![[r###"
                14: 1 1 y1 K
                error[missing-macro-name]: the name of a macro is missing here
                  m.pml:1:1 "#define"
                error[bad-macro-name]: the name of a macro is expected here, not `1`
                  m.pml:2:9 "1"
                error[bad-macro-name]: `defined` cannot be the name of a macro
                  m.pml:3:9 "defined"
                error[bad-macro-parameters]: the `)` after the macro's parameters is missing
                  m.pml:4:12 ""
                  m.pml:4:10 "(" opened here
                error[bad-macro-parameters]: `,` or `)` is expected here
                  m.pml:5:13 "y"
                error[bad-macro-parameters]: there are two parameters `x`
                  m.pml:6:13 "x"
                error[bad-macro-parameters]: `)` is expected here
                  m.pml:7:14 ","
                error[lonely-stringify]: `#` has to be followed by a parameter of the macro
                  m.pml:8:14 "#"
                error[lonely-paste]: `##` needs something on both sides to join
                  m.pml:9:11 "##"
                error[lonely-paste]: `##` needs something on both sides to join
                  m.pml:9:16 "##"
                error[bad-macro-parameters]: the name of a parameter is expected here
                  m.pml:10:11 "1"
                error[missing-macro-name]: the name of a macro is missing here
                  m.pml:11:1 "#undef"
                error[bad-macro-name]: the name of a macro is expected here, not `+`
                  m.pml:12:8 "+"
                warning[extra-text]: what follows a complete `#undef` is ignored
                  m.pml:13:10 "K"
                  help: put it into a comment
            "###]],
        );
    }

    #[test]
    fn wrong_calls() {
        check(
            "
            #define F(x, y) x + y
            #define N() n
            #define V(x, y, ...) x
            a = F(1);
            b = F(1, 2, 3);
            N(1) N( ) F() V(1)
            ",
            expect![[r#"
                4: a = 1 + 0 ;
                5: b = 1 + 2 ;
                6: n n + 0 1
                error[macro-arity]: the macro `F` takes 2 arguments, here it has 1
                  m.pml:4:5 "F(1)"
                  m.pml:1:9 "F" defined here
                error[macro-arity]: the macro `F` takes 2 arguments, here it has 3
                  m.pml:5:5 "F(1, 2, 3)"
                  m.pml:1:9 "F" defined here
                error[macro-arity]: the macro `N` takes no arguments, here it has 1
                  m.pml:6:1 "N(1)"
                  m.pml:2:9 "N" defined here
                error[macro-arity]: the macro `F` takes 2 arguments, here it has 1
                  m.pml:6:11 "F()"
                  m.pml:1:9 "F" defined here
                error[macro-arity]: the macro `V` takes at least 2 arguments, here it has 1
                  m.pml:6:15 "V(1)"
                  m.pml:3:9 "V" defined here
            "#]],
        );
        check(
            "
            #define F(x) [x]
            a = F(1;
            b = F(2)
            } c
            ",
            expect![[r#"
                2: a = F ( 1 ;
                3: b = [ 2 ]
                4: } c
                error[unclosed-macro-call]: this use of the macro `F` has no closing `)`
                  m.pml:2:5 "F"
                  m.pml:2:6 "(" opened here
            "#]],
        );
        check(
            "
            #define F(x) [x]
            #define G(x) x
            #define LP (
            G(F LP 1) G(2)
            ",
            expect![[r#"
                4: F ( 1 2
                error[unclosed-macro-call]: this use of the macro `F` has no closing `)`
                  m.pml:4:3 "F"
                  m.pml:4:5 "LP" opened here
            "#]],
        );
    }
}

mod conditionals {
    use super::*;

    #[test]
    fn groups() {
        check(
            "
            #if 0
            a
            #elif 1
            b
            #elif 1/0
            c
            #else
            d
            #endif
            e
            ",
            expect![[r#"
                4: b
                10: e
            "#]],
        );
        check(
            "
            #ifdef X
            a
            #else
            b
            #endif
            #define X
            #ifdef X
            c
            #endif
            #ifndef X
            d
            #elifdef X
            e
            #endif
            ",
            expect![[r#"
                4: b
                8: c
                13: e
            "#]],
        );
        check(
            "
            #if 0
            #if 1
            a
            #else
            b
            #endif
            #elif 1
            c
            #endif
            ",
            expect![[r#"
                8: c
            "#]],
        );
    }

    #[test]
    fn skipped_text_is_not_looked_at() {
        check(
            r#"
            #if 0
            don't "x $ 0x1 é
            #wrong
            #include "none"
            #if (
            #elif )
            #endif
            #error no
            #endif
            a
            "#,
            expect![[r#"
                10: a
            "#]],
        );
    }

    /// The truth of a condition.
    fn holds(condition: &str) -> bool {
        let input = format!(
            "#define ONE 1\n#define F(x) (x + 1)\n#define HAS defined(ONE)\n#if {condition}\nyes\n#endif"
        );
        let (_, preprocessed) = run(&input, &[], &PreprocessOptions::default());
        assert!(preprocessed.diagnostics.is_empty(), "{condition}: {:?}", preprocessed.diagnostics);
        preprocessed.tokens.len() == 2
    }

    #[test]
    fn expressions() {
        let conditions = r"
            1
            !0
            !!7
            -1 < 0
            ~0 == -1
            2 + 3 * 4 == 14
            (2 + 3) * 4 == 20
            7 / 2 == 3
            -7 % 3 == -1
            1 << 4 == 16
            -8 >> 1 == -4
            1 << -1 == 0
            1 << 64 == 0
            -1 >> 99 == -1
            (6 & 3) == 2
            (6 | 3) == 7
            (6 ^ 3) == 5
            1 ? 1 : 0
            0 ? 0 : 1
            1 ? 2 ? 1 : 0 : 0
            0 && 1 / 0 || 1
            1 || 1 / 0
            0 ? 1 % 0 : 1
            0x10 == 16
            010 == 8
            0b11 == 3
            10UL == 10
            'a' == 97
            '\n' == 10
            -1 > 0u
            -1 / 2u > 1
            0xFFFFFFFFFFFFFFFF == -1
            unknown == 0
            ONE
            defined ONE
            defined(ONE)
            !defined TWO
            HAS
            F(1) == 2
            F == 0
            defined F
            defined __LINE__
            __LINE__ == 4
            (-9223372036854775807 - 1) / -1 < 0
            !defined(linux)
            1 == 1 == 1
            3 > 2 > 0
            +1
            - - 1
        ";
        for condition in conditions.lines().map(str::trim).filter(|line| !line.is_empty()) {
            assert!(holds(condition), "{condition}");
        }
        for condition in
            ["0", "!1", "1 == 2", "1 < 1", "2 - 1 - 1", "0 ? 1 : 0", "defined TWO", "F", "-1 == 0u"]
        {
            assert!(!holds(condition), "{condition}");
        }
    }

    #[test]
    fn wrong_expressions() {
        check(
            r#"
            #if
            #endif
            #if 1 +
            #endif
            #if (1
            #endif
            #if 1)
            #endif
            #if 1 2
            #endif
            #if x = 1
            #endif
            #if 1/0
            #endif
            #if "s"
            #endif
            #if 1.5
            #endif
            #if defined
            #endif
            #if defined(X
            #endif
            #if 1 ? 2
            #endif
            #if * 2
            #endif
            #if 'ab'
            #endif
            #ifdef
            #endif
            #ifdef 1
            #endif
            a
            "#,
            expect![[r##"
                33: a
                error[missing-condition]: `#if` needs a condition
                  m.pml:1:1 "#if"
                error[bad-condition]: an operand is missing at the end of the condition
                  m.pml:3:8 ""
                error[bad-condition]: `)` is expected here
                  m.pml:5:7 ""
                  m.pml:5:5 "(" for this `(`
                error[bad-condition]: this `)` has no `(`
                  m.pml:7:6 ")"
                error[bad-condition]: an operator is expected before `2`
                  m.pml:9:7 "2"
                error[bad-condition]: `=` cannot be used in a condition
                  m.pml:11:7 "="
                  help: equality is `==`
                error[division-by-zero]: this condition divides by zero
                  m.pml:13:6 "/"
                error[bad-condition]: a string cannot be used in a condition
                  m.pml:15:5 "\"s\""
                error[bad-condition]: `1.5` is not a whole number of 64 bits
                  m.pml:17:5 "1.5"
                error[bad-condition]: `defined` has to be followed by the name of a macro
                  m.pml:19:5 "defined"
                error[bad-condition]: the `)` after `defined (` and its name is missing
                  m.pml:21:5 "defined"
                error[bad-condition]: `:` is expected here
                  m.pml:23:10 ""
                  m.pml:23:7 "?" for this `?`
                error[bad-condition]: an operand is expected before `*`
                  m.pml:25:5 "*"
                error[bad-condition]: 'ab' is not one character
                  m.pml:27:5 "'ab'"
                error[missing-macro-name]: the name of a macro is missing here
                  m.pml:29:1 "#ifdef"
                error[bad-macro-name]: the name of a macro is expected here, not `1`
                  m.pml:31:8 "1"
            "##]],
        );
        check(
            "
            #define F(x) x
            #if F(1
            #elif 1
            a
            #endif
            #if F(1, 2)
            b
            #endif
            ",
            expect![[r#"
                4: a
                error[unclosed-macro-call]: this use of the macro `F` has no closing `)`
                  m.pml:2:5 "F"
                  m.pml:2:6 "(" opened here
                error[macro-arity]: the macro `F` takes 1 argument, here it has 2
                  m.pml:6:5 "F(1, 2)"
                  m.pml:1:9 "F" defined here
            "#]],
        );
    }

    #[test]
    fn unbalanced() {
        check(
            "
            #endif
            #else
            #elif 1
            a
            ",
            expect![[r##"
                4: a
                error[conditional-not-open]: there is no `#if` before this `#endif`
                  m.pml:1:1 "#endif"
                error[conditional-not-open]: there is no `#if` before this `#else`
                  m.pml:2:1 "#else"
                error[conditional-not-open]: there is no `#if` before this `#elif`
                  m.pml:3:1 "#elif"
            "##]],
        );
        check(
            "
            #if 1
            #ifdef X
            a
            #endif
            b
            ",
            expect![[r##"
                5: b
                error[unterminated-conditional]: this conditional has no `#endif` in its file
                  m.pml:1:1 "#if" opened here
            "##]],
        );
        check(
            "
            #if 0
            #else
            #else
            a
            #elif 1
            b
            #endif
            c
            ",
            expect![[r##"
                8: c
                error[conditional-after-else]: `#else` cannot follow the `#else` of its conditional
                  m.pml:3:1 "#else"
                  m.pml:2:1 "#else" the `#else` is here
                error[conditional-after-else]: `#elif` cannot follow the `#else` of its conditional
                  m.pml:5:1 "#elif"
                  m.pml:2:1 "#else" the `#else` is here
            "##]],
        );
        check(
            "
            #ifdef A B
            #else A
            a
            #endif A
            ",
            expect![[r#"
                3: a
                warning[extra-text]: what follows a complete `#ifdef` is ignored
                  m.pml:1:10 "B"
                  help: put it into a comment
                warning[extra-text]: what follows a complete `#else` is ignored
                  m.pml:2:7 "A"
                  help: put it into a comment
                warning[extra-text]: what follows a complete `#endif` is ignored
                  m.pml:4:8 "A"
                  help: put it into a comment
            "#]],
        );
    }

    #[test]
    fn an_include_cannot_close_a_conditional() {
        check_with(
            r#"
            #if 1
            #include "a"
            b
            #endif
            "#,
            &[("a", "#endif\n#if 1\na")],
            &PreprocessOptions::default(),
            expect![[r##"
                a:3: a
                3: b
                error[conditional-not-open]: there is no `#if` before this `#endif`
                  a:1:1 "#endif"
                error[unterminated-conditional]: this conditional has no `#endif` in its file
                  a:2:1 "#if" opened here
            "##]],
        );
    }
}

mod directives {
    use super::*;

    #[test]
    fn ignored() {
        check(
            r#"
            #
            #line 12 "x"
            # 12 "x" 2
            #pragma don't
            #ident "x"
            a
              # /* c
             */ define X \
             1 /* d
             */ 2
            X
            "#,
            expect![[r#"
                6: a
                11: 1 2
            "#]],
        );
    }

    #[test]
    fn messages() {
        check(
            r#"
            #error don't  do "this
            #warning or /* x */ that
            #error
            a
            "#,
            expect![[r##"
                4: a
                error[error-directive]: don't  do "this
                  m.pml:1:1 "#error don't  do \"this"
                warning[warning-directive]: or /* x */ that
                  m.pml:2:1 "#warning or /* x */ that"
                error[error-directive]: the model says `#error`
                  m.pml:3:1 "#error"
            "##]],
        );
    }

    #[test]
    fn unknown() {
        check(
            "
            #defin X
            #frobnicate
            #(
            a
            ",
            expect![[r#"
                4: a
                error[unknown-directive]: there is no directive `#defin`
                  m.pml:1:2 "defin"
                  help: did you mean `#define`?
                error[unknown-directive]: there is no directive `#frobnicate`
                  m.pml:2:2 "frobnicate"
                error[unknown-directive]: there is no directive `#(`
                  m.pml:3:2 "("
            "#]],
        );
    }

    #[test]
    fn options() {
        let options = PreprocessOptions {
            defines: [
                ("A", None),
                ("B", Some("2")),
                ("F(x)", Some("x+1")),
                ("C", Some("")),
                ("D", None),
                ("1", None),
            ]
            .map(|(name, body)| (name.to_owned(), body.map(str::to_owned)))
            .into(),
            undefines: vec!["D".to_owned()],
            include_dirs: Vec::new(),
            ..Default::default()
        };
        check_with(
            "A B F(3) [C] D",
            &[],
            &options,
            expect![[r#"
            1: 1 2 3 + 1 [ ] D
            error[bad-macro-name]: the name of a macro is expected here, not `1`
              <command line>:6:9 "1"
        "#]],
        );
    }
}

mod includes {
    use super::*;

    fn with_dirs(dirs: &[&str]) -> PreprocessOptions {
        PreprocessOptions { include_dirs: dirs.iter().map(PathBuf::from).collect(), ..Default::default() }
    }

    #[test]
    fn searched_in_order() {
        let files =
            [("a.h", "here"), ("lib/a.h", "lib"), ("lib/sub/b.h", "#include \"c.h\""), ("lib/sub/c.h", "c")];
        let input = "#include \"a.h\"\n#include <a.h>\n#include <sub/b.h>\n#define X \"a.h\"\n#include X\n#define Y <a.h>\n#include Y\nend";
        check_with(
            input,
            &files,
            &with_dirs(&["lib"]),
            expect![[r#"
            a.h:1: here
            lib/a.h:1: lib
            lib/sub/c.h:1: c
            a.h:1: here
            lib/a.h:1: lib
            8: end
        "#]],
        );
        check_with(
            "#include <a.h>",
            &files,
            &with_dirs(&["other"]),
            expect![[r#"
            a.h:1: here
        "#]],
        );
    }

    #[test]
    fn macros_and_guards() {
        let files = [("g.h", "#ifndef G\n#define G 1\ng\n#endif\n"), ("o.h", "#pragma once\no")];
        check_with(
            r#"
            #include "g.h"
            #include "g.h"
            #include "o.h"
            #include "./o.h"
            G
            "#,
            &files,
            &with_dirs(&[]),
            expect![[r#"
                g.h:3: g
                o.h:2: o
                5: 1
            "#]],
        );
    }

    #[test]
    fn not_found() {
        check_with(
            r#"
            #include "x\y.h"
            #include <z.h>
            a
            "#,
            &[],
            &with_dirs(&["lib", "/abs"]),
            expect![[r#"
                3: a
                error[include-not-found]: there is no file `x\y.h` to include
                  m.pml:1:10 "\"x\\y.h\""
                  help: looked for `x\y.h`
                  help: looked for `lib/x\y.h`
                  help: looked for `/abs/x\y.h`
                error[include-not-found]: there is no file `z.h` to include
                  m.pml:2:10 "<z.h>"
                  help: looked for `lib/z.h`
                  help: looked for `/abs/z.h`
                  help: looked for `z.h`
            "#]],
        );
    }

    #[test]
    fn wrong() {
        check(
            r#"
            #include
            #include x
            #include "x
            #include <x
            #include ""
            #include "x" y
            a
            "#,
            expect![[r##"
                7: a
                error[bad-include]: `#include` needs the name of a file, `"file"` or `<file>`
                  m.pml:1:1 "#include"
                error[bad-include]: `#include` needs the name of a file, `"file"` or `<file>`
                  m.pml:2:1 "#include x"
                error[bad-include]: `#include` needs the name of a file, `"file"` or `<file>`
                  m.pml:3:1 "#include \"x"
                error[bad-include]: `#include` needs the name of a file, `"file"` or `<file>`
                  m.pml:4:1 "#include <x"
                error[bad-include]: `#include` needs the name of a file, `"file"` or `<file>`
                  m.pml:5:10 "\"\""
                warning[extra-text]: what follows a complete `#include` is ignored
                  m.pml:6:14 "y"
                  help: put it into a comment
                error[include-not-found]: there is no file `x` to include
                  m.pml:6:10 "\"x\""
                  help: looked for `x`
            "##]],
        );
    }

    #[test]
    fn cycle() {
        let files = [("a.h", "#include \"b.h\"\n#include \"b.h\"\na"), ("b.h", "#include \"a.h\"\n")];
        let (sources, preprocessed) = run("#include \"a.h\"\nx", &files, &with_dirs(&[]));
        let mut out = format!("{} tokens\n", preprocessed.tokens.len());
        preprocessed
            .diagnostics
            .iter()
            .for_each(|diagnostic| show_diagnostic(&mut out, &sources, diagnostic));
        expect![[r#"
            102 tokens
            error[include-cycle]: `a.h` includes `b.h` includes `a.h` without end
              b.h:1:10 "\"a.h\""
              a.h:1:10 "\"b.h\"" and included here
              help: let each file begin with `#ifndef NAME`, `#define NAME`, and end with `#endif`
        "#]]
        .assert_eq(&out);
    }
}

/// Inputs that would take for ever, or all of the memory or the stack.
mod limits {
    use super::*;

    fn codes(input: &str) -> Vec<&'static str> {
        let (_, preprocessed) = run(input, &[], &PreprocessOptions::default());
        preprocessed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    /// `#define m0 m1 m1` and so on, which double 60 times.
    fn doubling(parameter: &str, argument: &str, last: &str) -> String {
        let mut input = String::new();
        for i in 0..60 {
            let next = format!("m{}{argument}", i + 1);
            writeln!(input, "#define m{i}{parameter} {next} {next}").unwrap();
        }
        writeln!(input, "#define m60{parameter} {last}\nm0{argument}").unwrap();
        input
    }

    #[test]
    fn doubling_macros() {
        assert_eq!(codes(&doubling("", "", "x")), ["expansion-too-large"]);
        assert_eq!(codes(&doubling("", "", "")), ["expansion-too-large"]);
        assert_eq!(codes(&doubling("(x)", "(x)", "x")), ["expansion-too-large"]);
    }

    #[test]
    fn doubling_arguments() {
        let nested = |macros: &str, depth| format!("{macros}\n{}a{}", "F(".repeat(depth), ")".repeat(depth));
        assert_eq!(codes(&nested("#define F(x) x x", 60)), ["expansion-too-large"]);
        assert_eq!(
            codes(&nested("#define F(x) G(x, x)\n#define G(x, y) x ## y", 60)),
            ["expansion-too-large"]
        );
        assert_eq!(codes(&nested("#define F(x) G(x)\n#define G(x) #x", 60)), ["expansion-too-large"]);
        assert_eq!(codes(&nested("#define F(x) x", 100)), [""; 0]);
        assert_eq!(codes(&nested("#define F(x) x", 100_000)), ["expansion-too-large"]);
        assert_eq!(
            codes(&nested("#define F(x) x\n#if 1", 100_000)),
            ["expansion-too-large", "unterminated-conditional"]
        );
    }

    #[test]
    fn chains() {
        let mut input = String::new();
        (0..100_000).for_each(|i| writeln!(input, "#define m{i} m{}", i + 1).unwrap());
        assert_eq!(codes(&format!("{input}m0")), ["expansion-too-large"]);
        assert_eq!(codes(&format!("{input}m99000")), [""; 0]);
    }

    #[test]
    fn unclosed_calls() {
        let codes = codes(&format!("#define F(x) x\n{}", "F(".repeat(10_000)));
        assert_eq!(codes.last(), Some(&"expansion-too-large"));
    }

    #[test]
    fn deep_conditions() {
        for unit in ["(", "!", "- ", "1 ? ", "1 ? 1 : ", "1||1&&1|1^1&1==1<1<<1+1*("] {
            assert_eq!(codes(&format!("#if {}\n#endif", unit.repeat(20_000))), ["condition-too-deep"]);
        }
        assert_eq!(codes(&format!("#if {}1{}\n#endif", "(".repeat(40), ")".repeat(40))), [""; 0]);
    }

    #[test]
    fn doubling_includes() {
        let names: Vec<(String, &'static str)> = (0..60)
            .map(|i| {
                let text = format!("#include \"f{}\"\n#include \"f{}\"\n", i + 1, i + 1);
                (format!("f{i}"), &*text.leak())
            })
            .chain([("f60".to_owned(), "x\n")])
            .collect();
        let files: Vec<(&str, &'static str)> = names.iter().map(|(name, text)| (&**name, *text)).collect();
        let (_, preprocessed) = run("#include \"f0\"", &files, &PreprocessOptions::default());
        let codes: Vec<&str> = preprocessed.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, ["expansion-too-large"]);
    }

    #[test]
    fn many_parameters() {
        let names: Vec<String> = (0..20_000).map(|i| format!("p{i}")).collect();
        let names = names.join(",");
        assert_eq!(codes(&format!("#define F({names}) {}\nF({names})", names.replace(',', " "))), [""; 0]);
    }
}

/// Random mutations of a text that has a bit of everything: nothing may panic, and spans must lie in their files.
#[test]
fn mutations_do_not_panic() {
    const SEED: &str = "#define F(x, ...) x ## 1 #x G(x) __VA_ARGS__ F(x)\n#define G(a) (a, E) \\\n F\n#define E\n\
        #if defined F && (1 + 2 ? 3 : 4) || G(1)\n#include \"a.h\"\n#elif 0\n'x' \"s\\n\" /* c */ // d\n#else\n\
        c_code { 0x1 } 1..2 é $s$ <-> F(1, 2)(3)\n#endif\n#undef E\nF(G)(F(E\n, F)) # \\ 1.5 'é' \u{feff}\n";
    const BITS: &str = "# ## ( ) , F G( E \" ' /* */ é \\ defined 1 $ { c_code \n \\\n \n#if\u{a0}1\n \n#endif\n \n#define\u{a0}F";
    let bits: Vec<String> = BITS.split(' ').map(|bit| bit.replace('\u{a0}', " ")).collect();
    // A linear congruential generator is random enough, and the same everywhere.
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..3000 {
        let mut text: Vec<char> = SEED.chars().collect();
        for _ in 0..1 + random(8) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.drain(at..(at + 1 + random(6)).min(text.len()))),
                1 => drop(text.splice(at..at, bits[random(bits.len())].chars())),
                _ => {
                    let copied: Vec<char> = text[at..(at + random(30)).min(text.len())].to_vec();
                    let to = random(text.len());
                    drop(text.splice(to..to, copied));
                }
            }
            if text.is_empty() {
                text.push('x');
            }
        }
        let text: String = text.into_iter().collect();
        let (sources, preprocessed) = run(&text, &[("a.h", "F(1\n#else\n'")], &PreprocessOptions::default());
        let labels = preprocessed.diagnostics.iter().map(|diagnostic| diagnostic.primary.span);
        for span in preprocessed.tokens.iter().map(|token| token.span).chain(labels) {
            let whole = &sources.file(span.file).text;
            assert!(whole.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
        }
    }
}
