//! What to say about mistakes: the words for unexpected tokens, and the habits of other languages.

use allways_source::{Diagnostic, Span};

use crate::ast::{ExprKind, Name, Place, TypeName};
use crate::token::{Token, TokenKind};

use super::{Failed, Parse, Parser};

/// Types of other languages, and what to use instead.
const FOREIGN_TYPES: &[(&str, &str)] = &[
    ("char", "byte"),
    ("uint8_t", "byte"),
    ("boolean", "bool"),
    ("_Bool", "bool"),
    ("long", "int"),
    ("uint", "int"),
    ("integer", "int"),
    ("int32_t", "int"),
    ("int16_t", "short"),
    ("float", "int"),
    ("double", "int"),
    ("string", "mtype"),
    ("void", "int"),
    ("signed", "int"),
];

/// Words in front of a type that Promela does not have.
const FOREIGN_MODIFIERS: &[&str] = &["const", "static", "extern", "volatile", "register", "final"];

impl Parser {
    // Unexpected tokens.

    /// Something else was expected than what is there.
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let diagnostic = self.familiar_mistake().unwrap_or_else(|| {
            Diagnostic::error(
                "unexpected-token",
                self.peek().span,
                format!("expected {expected}, found {}", self.found()),
            )
        });
        self.report_here(diagnostic)
    }

    fn found(&self) -> String {
        let token = self.peek();
        match token.kind {
            TokenKind::End if self.calls.is_empty() => "the end of the model".to_string(),
            TokenKind::End => "the end of the inline".to_string(),
            _ => format!("`{}`", token.text),
        }
    }

    /// Two statements without anything between, or a statement with something behind it.
    pub(super) fn missing_separator(&mut self) {
        let can_start = match self.peek().kind {
            TokenKind::Punctuation => self.at_any(&["(", "{", "~"]),
            TokenKind::Keyword => !self.at_any(&["of", "priority", "provided", "unless"]),
            TokenKind::Name | TokenKind::Number | TokenKind::Character => true,
            TokenKind::String | TokenKind::End => false,
        };
        let start = self.position();
        if self.foreign_statement().is_some() {
            self.skip_statement(start);
        } else if can_start {
            let message = "expected `;` or `->` before this statement";
            self.report_here(Diagnostic::error("missing-separator", self.peek().span, message));
        } else {
            match self.at(")") || self.at("]") {
                true => self.stray_token(),
                false => self.unexpected("`;` or `->` after this statement"),
            };
            self.skip_statement(start);
        }
    }

    /// Explains the current token if it is a mistake people often make.
    fn familiar_mistake(&self) -> Option<Diagnostic> {
        let token = self.peek();
        let error = |code, message: &str| Some(Diagnostic::error(code, token.span, message));
        if self.at_compound_assignment() {
            let span = token.span.to(self.cursor.nth(1).span);
            let message = format!("there is no `{}=` in Promela", token.text);
            let help = format!("write `x = x {} …`", token.text);
            return Some(Diagnostic::error("compound-assignment", span, message).help(help));
        }
        if let Some(previous) = self.cursor.previous()
            && self.at(">")
            && adjacent(previous, token)
            && (previous.is("=") || previous.is("=="))
        {
            let arrow = format!("{}>", previous.text);
            let message = format!("`{arrow}` is not an operator");
            return Some(
                Diagnostic::error("unknown-operator", previous.span.to(token.span), message)
                    .help("write `->` after a guard and in formulas, `>=` for a comparison"),
            );
        }
        let text = if token.kind == TokenKind::Punctuation { &*token.text } else { "" };
        match text {
            "=" => error("assignment-in-expression", "an assignment cannot stand inside an expression")
                .map(|diagnostic| diagnostic.help("write `==` to compare")),
            "++" | "--" => {
                error("increment-in-expression", "this changes a variable, which an expression cannot do")
                    .map(|diagnostic| {
                        diagnostic.help(format!("make `x{}` a statement of its own", token.text))
                    })
            }
            "?" | "??" => error("receive-in-expression", "a receive is a statement, not an expression").map(
                |diagnostic| diagnostic.help("write `c?[…]` to ask whether a message could be received"),
            ),
            _ if token.kind == TokenKind::String => {
                error("string-in-expression", "a string can only be the format of `printf`")
            }
            _ => None,
        }
    }

    /// At `+=` or the like.
    pub(super) fn at_compound_assignment(&self) -> bool {
        self.at_any(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"])
            && self.nth_is(1, "=")
            && adjacent(self.peek(), self.cursor.nth(1))
    }

    /// A reserved word where a name is expected.
    pub(super) fn reserved_word(&mut self) -> Failed {
        let token = self.peek().clone();
        let message = format!("`{}` is a reserved word", token.text);
        self.report_here(Diagnostic::error("reserved-word", token.span, message).help("choose another name"))
    }

    /// A line that starts with what can only be the middle of an expression.
    pub(super) fn at_broken_line(&self) -> bool {
        self.line_ends() && self.at_infix_only()
    }

    pub(super) fn line_break_in_expression(&mut self) -> Failed {
        let token = self.peek().clone();
        let mut diagnostic = Diagnostic::error(
            "line-break-in-expression",
            token.span,
            format!(
                "a statement cannot start with `{}`: the line break before it ended the last one",
                token.text
            ),
        )
        .help("put the operator at the end of the line above, or put the whole in parentheses");
        if let Some(previous) = self.cursor.previous() {
            diagnostic = diagnostic.also(previous.span.after(), "the statement ends here");
        }
        self.report_here(diagnostic)
    }

    // Expressions.

    pub(super) fn arrow_in_parentheses(&mut self, arrow: &Token) -> Failed {
        // An assignment behind the arrow: the parenthesis was to be closed before it.
        if self.at_any(&["=", "++", "--", "!", "!!"]) {
            return self.report_here(
                Diagnostic::error("arrow-in-parentheses", arrow.span, "expected `)` before this `->`")
                    .help("a guard ends with its parenthesis: `(x == 1) -> y = 2`"),
            );
        }
        self.report_here(
            Diagnostic::error("arrow-in-parentheses", arrow.span, "this `->` has no `: value` after it")
                .help("a conditional value is `(condition -> value : other)`")
                .help("outside of ltl, `a` implies `b` is written `!a || b`"),
        )
    }

    pub(super) fn call_in_expression(&mut self) -> Failed {
        let token = self.peek().clone();
        let text = &token.text;
        let diagnostic = if self.outline.proctypes.contains(text) {
            Diagnostic::error("missing-run", token.span, format!("`{text}` is a proctype"))
                .help(format!("write `run {text}(…)` to start a process"))
        } else if self.outline.inlines.contains_key(text) {
            let message = format!("a call of inline `{text}` cannot be part of an expression");
            Diagnostic::error("call-in-expression", token.span, message)
                .help(format!("assign its result first: `x = {text}(…)`"))
        } else {
            let message = format!("there is no function called `{text}`");
            Diagnostic::error("unknown-function", token.span, message)
                .help("Promela has no functions that give a value; use a macro or an inline")
        };
        self.report_here(diagnostic)
    }

    pub(super) fn proctype_as_label(&mut self, place: &Place) -> Failed {
        let name = &place.parts[0].name;
        self.report_here(
            Diagnostic::error(
                "proctype-as-label",
                name.span,
                format!("`{}` is a proctype, so it cannot be a label", name.text),
            )
            .help("choose another name for the label"),
        )
    }

    /// The left side of an assignment, a send or a receive is not a variable.
    pub(super) fn not_a_variable(&mut self, kind: &ExprKind, span: Span) -> Failed {
        if let ExprKind::RemoteVariable { proctype, .. } = kind {
            let help =
                format!("if `{}` was meant as a label: it is a proctype, choose another name", proctype.text);
            return self.report_here(
                Diagnostic::error("not-a-variable", span, "a variable of another process can only be read")
                    .help(help),
            );
        }
        let operator = self.peek().text.clone();
        let what = match &*operator {
            "=" | "++" | "--" => "a variable",
            _ => "a channel",
        };
        let mut diagnostic = Diagnostic::error(
            "not-a-variable",
            span,
            format!("what stands before `{operator}` is not {what}"),
        );
        if &*operator == "=" {
            diagnostic = diagnostic.help("write `==` to compare");
        }
        self.report_here(diagnostic)
    }

    pub(super) fn eval_outside_receive(&mut self) -> Failed {
        let message = "`eval` can only be used in the arguments of a receive";
        self.report_here(
            Diagnostic::error("eval-outside-receive", self.peek().span, message)
                .help("elsewhere the value of an expression is the expression itself"),
        )
    }

    pub(super) fn expression_in_receive(&mut self, start: usize) -> Failed {
        let message = "a receive takes variables and constants, not expressions";
        self.report_here(
            Diagnostic::error("expression-in-receive", self.span_from(start), message)
                .help("write `eval(…)` to receive only a message with that value"),
        )
    }

    // Statements.

    pub(super) fn channel_outside_declaration(&mut self) -> Failed {
        let message = "channels are made only where a variable is declared";
        let failed = self.report_here(
            Diagnostic::error("channel-outside-declaration", self.peek().span, message)
                .help("write `chan c = [1] of { byte }`"),
        );
        self.skip_balanced();
        if self.eat("of") {
            self.skip_balanced();
        }
        failed
    }

    pub(super) fn format_expected(&mut self) -> Failed {
        let token = self.peek().clone();
        let length = (token.span.end - token.span.start) as usize;
        if token.kind == TokenKind::Character && token.expansion.is_none() && length != token.text.len() {
            // Something like 'hello', which the lexer has complained about and cut short.
            return Failed;
        }
        let diagnostic =
            Diagnostic::error("printf-format", token.span, "`printf` needs a text in double quotes");
        let help = match token.kind {
            TokenKind::Character => "write \"…\" instead of '…'",
            _ => "to print a value write printf(\"%d\\n\", x)",
        };
        self.report_here(diagnostic.help(help))
    }

    pub(super) fn return_outside_inline(&mut self, keyword: Span) -> Failed {
        self.report_here(
            Diagnostic::error("return-outside-inline", keyword, "`return` can only be used in an inline")
                .help("to end a process, jump to a label at the end of its body with `goto`"),
        )
    }

    pub(super) fn result_is_lost(&mut self, keyword: Span) -> Failed {
        let name = self.calls.last().map_or_else(String::new, |call| call.name.to_string());
        self.report_here(
            Diagnostic::error(
                "return-without-result",
                keyword,
                "this inline returns a value, but the call does not take it",
            )
            .help(format!("call it as `x = {name}(…)`")),
        )
    }

    /// A statement of another language, as its first word tells.
    pub(super) fn foreign_statement(&mut self) -> Option<Failed> {
        let (message, help) = self.foreign_word()?;
        let span = self.peek().span;
        let failed = self.report_here(Diagnostic::error("foreign-statement", span, message).help(help));
        self.bump();
        if self.at("(") {
            self.skip_balanced();
        }
        Some(failed)
    }

    /// The words are free in Promela, so only those count that are followed by what no name can be followed by.
    fn foreign_word(&self) -> Option<(&'static str, &'static str)> {
        let next = self.cursor.nth(1);
        let before_operand = next.is("(") || !matches!(next.kind, TokenKind::Punctuation | TokenKind::End);
        if !self.at_name() || next.starts_line || self.outline.inlines.contains_key(&self.peek().text) {
            return None;
        }
        Some(match &*self.peek().text {
            "while" if next.is("(") => {
                ("there is no `while` in Promela", "write `do :: condition -> … :: else -> break od`")
            }
            "switch" if next.is("(") => {
                ("there is no `switch` in Promela", "write `if :: x == 1 -> … :: else -> … fi`")
            }
            "elseif" | "elif" | "elsif" if before_operand || next.is("::") => {
                ("there is no `else if` in Promela", "give the `if` one more option: `:: condition -> …`")
            }
            "then" if before_operand => {
                ("there is no `then` in Promela", "write `if :: condition -> … :: else -> … fi`")
            }
            _ => return None,
        })
    }

    /// After `if` or `do`: what follows is not an option but the text of another language.
    pub(super) fn at_foreign_selection(&self) -> bool {
        if self.at("{") {
            return true;
        }
        let Some(closing) = self.at("(").then(|| self.closing(self.position())).flatten() else {
            return false;
        };
        let next = self.cursor.at(closing + 1);
        // `if (x) -> …` merely lacks its `::`.
        let statement = matches!(next.kind, TokenKind::Name | TokenKind::Keyword) && !next.starts_line;
        next.is("{") || statement && !next.is("fi") && !next.is("od")
    }

    pub(super) fn foreign_selection(&mut self, keyword: &str, span: Span) -> Parse<()> {
        let (message, help) = match keyword {
            "if" => (
                "an `if` in Promela has options between `if` and `fi`",
                "write `if :: condition -> … :: else -> … fi`",
            ),
            _ => ("a `do` in Promela has options between `do` and `od`", "write `do :: condition -> … od`"),
        };
        self.report_here(Diagnostic::error("foreign-statement", span, message).help(help));
        if self.at("(") {
            self.skip_balanced();
        }
        self.foreign_branch()?;
        while self.foreign_else() {
            self.foreign_branch()?;
        }
        if keyword == "do" && &*self.peek().text == "while" {
            self.bump();
            self.skip_balanced();
        }
        Ok(())
    }

    /// `else` or `else if (…)` behind a branch.
    fn foreign_else(&mut self) -> bool {
        let separated = self.at(";") && self.nth_is(1, "else");
        if separated {
            self.bump();
        }
        if !self.eat("else") {
            return false;
        }
        if self.at("if") && self.nth_is(1, "(") {
            self.bump();
            self.skip_balanced();
        }
        true
    }

    /// `for (i = 0; …)` or `for (int i …)`
    pub(super) fn foreign_for(&mut self, opener: usize) -> Option<Failed> {
        let declares = self.at_declaration() && &*self.cursor.nth(1).text != "in";
        let assigns = self.at_name() && self.nth_is(1, "=");
        if !declares && !assigns {
            return None;
        }
        let span = match self.closing(opener) {
            Some(closing) => self.cursor.at(opener).span.to(self.cursor.at(closing).span),
            None => self.peek().span,
        };
        let message = if declares {
            "the variable of a `for` is declared before it"
        } else {
            "a `for` runs over a range"
        };
        Some(
            self.report_here(
                Diagnostic::error("foreign-statement", span, message)
                    .help("write `byte i; for (i : 0 .. 9) { … }`"),
            ),
        )
    }

    // Declarations and units.

    pub(super) fn at_foreign_type(&self) -> bool {
        let text = &*self.peek().text;
        let known = FOREIGN_TYPES.iter().any(|(name, _)| *name == text) || FOREIGN_MODIFIERS.contains(&text);
        known && self.at_name() && !self.outline.typedefs.contains(text)
    }

    /// A type of another language: reported, and replaced by one of ours.
    pub(super) fn foreign_type(&mut self) -> Option<TypeName> {
        let start = self.position();
        let unsigned = self.at("unsigned") && (self.nth_is(1, "int") || self.nth_is(1, "short"))
            || self.at("unsigned")
                && self.cursor.nth(2).kind == TokenKind::Name
                && !self.cursor.nth(2).starts_line;
        if !unsigned && !self.at_foreign_type() {
            return None;
        }
        let mut instead = None;
        while self.at_foreign_type() || self.at_type_keyword() {
            let word = self.bump().text;
            instead = instead.or_else(|| {
                FOREIGN_TYPES.iter().find(|(name, _)| *name == &*word).map(|(_, instead)| *instead)
            });
        }
        let words: Vec<String> =
            self.cursor.slice(start, self.position()).iter().map(|token| token.text.to_string()).collect();
        let help = match instead {
            _ if FOREIGN_MODIFIERS.contains(&&*words[0]) => format!("leave out `{}`", words[0]),
            _ if unsigned => "write `byte x`, or `unsigned x : 5` for 5 bits".to_string(),
            Some(instead) => format!("use `{instead}`"),
            None => "use `int`".to_string(),
        };
        let message = format!("there is no type `{}` in Promela", words.join(" "));
        // That a function cannot be declared is reported when its name is reached.
        if !(self.at_name() && self.nth_is(1, "(")) {
            self.report(Diagnostic::error("foreign-type", self.span_from(start), message).help(help));
        }
        Some(match instead {
            Some("byte") => TypeName::Byte,
            Some("bool") => TypeName::Bool,
            Some("mtype") => TypeName::Mtype(None),
            _ => TypeName::Int,
        })
    }

    pub(super) fn size_after_type(&mut self) -> Failed {
        self.report_here(
            Diagnostic::error("size-after-type", self.peek().span, "the size of an array follows its name")
                .help("write `byte a[3]`"),
        )
    }

    pub(super) fn two_dimensional_array(&mut self, name: &Name) -> Failed {
        self.report_here(
            Diagnostic::error(
                "two-dimensional-array",
                self.peek().span,
                format!("`{}` cannot have two indices: arrays have one dimension", name.text),
            )
            .help("wrap the rows in a type: `typedef Row { byte column[3] }; Row a[2];`, used as `a[i].column[j]`"),
        )
    }

    pub(super) fn foreign_function(&mut self, name: &Name) -> Failed {
        let help = format!("write `proctype {0}(…)` for a process, `inline {0}(…)` for a macro", name.text);
        let failed = self.report_here(
            Diagnostic::error("foreign-function", name.span, "there are no functions in Promela").help(help),
        );
        self.skip_balanced();
        if self.at("{") {
            self.skip_balanced();
        }
        failed
    }

    /// `byte a, byte b`
    pub(super) fn type_after_comma(&mut self) {
        let comma = self.cursor.previous().map_or(self.peek().span, |token| token.span);
        self.report_here(
            Diagnostic::error("comma-before-type", comma, "expected `;` before the next type")
                .help("write `byte a, b; int c`"),
        );
    }

    pub(super) fn check_parameter_type(&mut self) -> Parse<()> {
        let next = self.cursor.nth(1);
        if self.at_name() && (next.is(",") || next.is(";") || next.is(")")) {
            let message = format!("parameter `{}` has no type", self.peek().text);
            return Err(self.report_here(
                Diagnostic::error("missing-type", self.peek().span, message)
                    .help("write the type in front of the name: `byte x`"),
            ));
        }
        Ok(())
    }

    /// Something at the top level that belongs elsewhere.
    pub(super) fn not_a_unit(&mut self) -> Failed {
        if self.at_any(&["}", ")", "]", "fi", "od", "::"]) {
            return self.stray_token();
        }
        let token = self.peek().clone();
        let next = self.cursor.nth(1);
        let is_statement = token.kind == TokenKind::Keyword
            || token.kind == TokenKind::Name
                && ["=", "!", "?", "++", "--", "(", "[", ":", "."].iter().any(|text| next.is(text));
        if token.is("provided") || token.is("priority") || !is_statement {
            return self.unexpected("a proctype, a declaration or another unit");
        }
        if &*token.text == "main" {
            return self.report_here(
                Diagnostic::error(
                    "foreign-function",
                    token.span,
                    "a model starts with `init`, not with `main`",
                )
                .help("write `init { … }`"),
            );
        }
        self.report_here(
            Diagnostic::error(
                "statement-outside-body",
                token.span,
                "a statement cannot stand outside of a body",
            )
            .help("put it into a proctype or into `init { … }`"),
        )
    }
}

/// Whether `second` follows `first` without anything between.
fn adjacent(first: &Token, second: &Token) -> bool {
    first.span.file == second.span.file && first.span.end == second.span.start
}
