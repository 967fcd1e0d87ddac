//! Tokens -> syntax tree, with every mistake reported.
//!
//! A recursive-descent parser with one token of lookahead almost everywhere. A function that cannot go on reports
//! why and returns [`Failed`]; the list of statements, options or units around it skips to the next place where
//! something new can start. Inlines are expanded on the fly: a call is a detour through a second [`Cursor`].
//!
//! Line breaks: the parser knows where a statement may be over, so instead of inserting semicolons into the tokens
//! it asks [`Parser::line_ends`] before it reads on past an operand. The result is that of Spin, which inserts a
//! semicolon at a line break outside parentheses whenever the last token of the line can end a statement.
//!
//! Start reading at `units.rs`, then `statements.rs`.

mod control;
mod cursor;
mod declarations;
#[cfg(test)]
mod dump;
mod expressions;
mod inlines;
mod messages;
mod mistakes;
mod operands;
mod recovery;
mod statements;
#[cfg(test)]
mod tests;
mod uncalled;
mod units;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use allways_source::{Diagnostic, Span};

use crate::MAX_MISTAKES;
use crate::ast::{Expansions, Model, Name};
use crate::token::{Token, TokenKind};

use cursor::Cursor;
use inlines::{Call, Definition};
use recovery::Open;

/// What was understood of a model, and what is wrong with it.
pub struct Parsed {
    /// Complete only if no diagnostic is an error.
    pub model: Model,
    /// In the order they were found, which is mostly that of the text.
    pub diagnostics: Vec<Diagnostic>,
}

pub fn parse(tokens: Vec<Token>, expansions: Expansions) -> Parsed {
    let mut parser = Parser::new(tokens, expansions);
    let units = parser.units();
    let Parser { expansions, looks_at_labels, diagnostics, .. } = parser;
    Parsed { model: Model { units, expansions, looks_at_labels }, diagnostics }
}

/// How deep a model may be nested, in levels of expressions: the parser recurses once per level, and deeper models
/// would overflow the stack of a thread of 2 MB.
const MAX_NESTING: u32 = 500;

/// The recursion through a statement takes this many times the stack of that through an expression.
const STATEMENT_LEVELS: u32 = 4;

/// An error was reported (or is the consequence of one that was); the caller gives up on what it was reading.
#[derive(Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser {
    cursor: Cursor,
    expansions: Expansions,
    diagnostics: Vec<Diagnostic>,
    /// What `diagnostics` has: a mistake in an inline is met at every call but reported once.
    reported: HashSet<(&'static str, Span)>,
    /// Where in the cursor the last syntax error was reported: a second one at the same token would only be a
    /// consequence.
    blamed: Option<usize>,
    /// A string without an end took the rest of its line with it: closing brackets may be missing for that reason.
    line_swallowed: bool,
    /// See [`Model::looks_at_labels`].
    looks_at_labels: bool,
    /// Set once parsing cannot usefully go on: nothing more is reported and the cursor stands at the end.
    aborted: bool,

    /// The names the whole model declares, known before its declarations are reached.
    outline: Outline,
    /// The inlines defined above the current position.
    inlines: HashMap<Arc<str>, Definition>,
    /// Inlines with a mistake in the definition, which has been reported; their calls are not.
    broken_inlines: HashSet<Arc<str>>,
    /// The proctypes that start above the current position: only these cannot be the names of labels.
    proctypes: HashSet<Arc<str>>,

    /// The inlines that are called, also from the bodies of others.
    called: HashSet<Arc<str>>,
    /// The parameters of the inline whose body is read although it is never called.
    uncalled: Option<Arc<[Name]>>,
    /// The calls of inlines the cursor is in, outermost first.
    calls: Vec<Call>,
    /// How many tokens the expansion of inlines produced so far.
    n_expanded: usize,
    /// The braces, `if`s and `do`s around the cursor, outermost first; only those within the current call.
    open: Vec<Open>,
    /// Whether a line break can end a statement, parentheses aside: in bodies and typedefs.
    lines_count: bool,
    /// How many parentheses and brackets are open here; line breaks inside mean nothing.
    brackets: u32,
    /// In an `ltl` formula.
    in_formula: bool,
    /// Levels of recursion, see [`MAX_NESTING`].
    nesting: u32,
    /// See `expressions.rs`.
    height: u32,
}

/// Names of a model, collected by a first glance at its tokens.
#[derive(Default)]
struct Outline {
    proctypes: HashSet<Arc<str>>,
    inlines: HashMap<Arc<str>, Span>,
    typedefs: HashSet<Arc<str>>,
}

impl Outline {
    fn new(tokens: &[Token]) -> Outline {
        let mut outline = Outline::default();
        for pair in tokens.windows(2) {
            let [keyword, name] = pair else { continue };
            if name.kind != TokenKind::Name {
                continue;
            }
            if keyword.is("proctype") || keyword.is("D_proctype") {
                outline.proctypes.insert(name.text.clone());
            } else if keyword.is("inline") {
                outline.inlines.entry(name.text.clone()).or_insert(name.span);
            } else if keyword.is("typedef") {
                outline.typedefs.insert(name.text.clone());
            }
        }
        outline
    }
}

impl Parser {
    fn new(tokens: Vec<Token>, expansions: Expansions) -> Parser {
        Parser {
            outline: Outline::new(&tokens),
            cursor: Cursor::new(tokens),
            expansions,
            diagnostics: Vec::new(),
            reported: HashSet::new(),
            blamed: None,
            line_swallowed: false,
            looks_at_labels: false,
            aborted: false,
            inlines: HashMap::new(),
            broken_inlines: HashSet::new(),
            called: HashSet::new(),
            uncalled: None,
            proctypes: HashSet::new(),
            calls: Vec::new(),
            n_expanded: 0,
            open: Vec::new(),
            lines_count: false,
            brackets: 0,
            in_formula: false,
            nesting: 0,
            height: 0,
        }
    }

    // Looking and moving.

    fn peek(&self) -> &Token {
        self.cursor.nth(0)
    }

    fn position(&self) -> usize {
        self.cursor.position()
    }

    fn at(&self, text: &str) -> bool {
        self.nth_is(0, text)
    }

    fn nth_is(&self, n: usize, text: &str) -> bool {
        self.cursor.nth(n).is(text)
    }

    fn at_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.at(text))
    }

    fn at_name(&self) -> bool {
        self.peek().kind == TokenKind::Name
    }

    fn at_keyword(&self) -> bool {
        self.peek().kind == TokenKind::Keyword
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// The token before the current one.
    fn previous_is(&self, text: &str) -> bool {
        self.cursor.previous().is_some_and(|token| token.is(text))
    }

    /// Whether a statement that is complete at this point is ended by a line break.
    fn line_ends(&self) -> bool {
        self.lines_count && self.brackets == 0 && self.peek().starts_line
    }

    /// [`Parser::at`] for a token that continues what came before it on the same line.
    fn goes_on_with(&self, text: &str) -> bool {
        self.at(text) && !self.line_ends()
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.cursor.advance();
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.cursor.advance();
        }
        found
    }

    /// [`Parser::eat`] for a token that continues what came before it on the same line.
    fn eat_on_line(&mut self, text: &str) -> bool {
        self.goes_on_with(text) && self.eat(text)
    }

    fn expect(&mut self, text: &str) -> Parse<Token> {
        if self.at(text) { Ok(self.bump()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// `what` describes the name in a message: "a variable name".
    fn expect_name(&mut self, what: &str) -> Parse<Name> {
        if self.at_name() {
            let token = self.bump();
            return Ok(Name { text: token.text, span: token.span });
        }
        let next_construct =
            self.at_any(&["fi", "od", "else"]) || self.at_unit_keyword() && self.peek().starts_line;
        if self.at_keyword() && !next_construct {
            let failed = self.reserved_word();
            self.bump();
            return Err(failed);
        }
        Err(self.unexpected(what))
    }

    fn span_from(&self, start: usize) -> Span {
        self.cursor.span_from(start)
    }

    // Nesting.

    /// Everything that can contain itself goes through here.
    fn nested<T>(&mut self, levels: u32, parse: impl FnOnce(&mut Parser) -> Parse<T>) -> Parse<T> {
        if self.nesting + levels > MAX_NESTING {
            return Err(self.too_deep());
        }
        self.nesting += levels;
        let result = parse(self);
        self.nesting -= levels;
        result
    }

    fn too_deep(&mut self) -> Failed {
        let diagnostic =
            Diagnostic::error("nesting-too-deep", self.peek().span, "this is nested too deeply to be read")
                .help("move a part into a proctype, a variable or a macro of its own");
        self.abort(diagnostic)
    }

    /// Something in parentheses or brackets, where line breaks mean nothing.
    fn bracketed<T>(
        &mut self,
        open: &str,
        close: &str,
        parse: impl FnOnce(&mut Parser) -> Parse<T>,
    ) -> Parse<T> {
        let opener = self.position();
        self.expect(open)?;
        self.brackets += 1;
        let mut result = self.nested(1, parse);
        if result.is_ok() && !self.eat(close) {
            result = Err(self.not_closed(opener, close));
        }
        self.brackets -= 1;
        if result.is_err() {
            self.skip_bracket(opener);
        }
        result
    }

    /// `parse` with commas between.
    fn comma_list<T>(&mut self, mut parse: impl FnMut(&mut Parser) -> Parse<T>) -> Parse<Vec<T>> {
        let mut list = vec![parse(self)?];
        while self.eat_on_line(",") {
            list.push(parse(self)?);
        }
        Ok(list)
    }

    /// `(…)` with commas between, possibly empty.
    fn argument_list<T>(&mut self, parse: impl FnMut(&mut Parser) -> Parse<T>) -> Parse<Vec<T>> {
        self.bracketed(
            "(",
            ")",
            |parser| {
                if parser.at(")") { Ok(Vec::new()) } else { parser.comma_list(parse) }
            },
        )
    }

    // Reporting.

    /// The one way a diagnostic gets out. Adds the calls of inlines that led here.
    fn report(&mut self, mut diagnostic: Diagnostic) -> Failed {
        if self.aborted || !self.reported.insert((diagnostic.code, diagnostic.primary.span)) {
            return Failed;
        }
        let calls = if self.uncalled.is_some() { &[] } else { &self.calls[..] };
        for call in calls.iter().rev() {
            let text = format!("in this call of inline `{}`", call.name);
            diagnostic = diagnostic.also(call.span, text);
        }
        let span = diagnostic.primary.span;
        self.diagnostics.push(diagnostic);
        if self.diagnostics.len() == MAX_MISTAKES {
            self.aborted = true;
            self.cursor.jump_to_end();
            let message = "too many mistakes: the rest is not looked at";
            self.diagnostics.push(Diagnostic::error("too-many-mistakes", span.after(), message));
        }
        Failed
    }

    /// [`Parser::report`] for mistakes in how tokens follow each other: at most one per token.
    fn report_here(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.blamed.replace(self.position()) == Some(self.position()) {
            return Failed;
        }
        self.report(diagnostic)
    }

    /// The last thing that is said about the model.
    fn abort(&mut self, diagnostic: Diagnostic) -> Failed {
        self.report(diagnostic);
        self.aborted = true;
        self.cursor.jump_to_end();
        Failed
    }
}
