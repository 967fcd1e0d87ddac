//! The C preprocessor, as far as models need it, and the way from text to the parser's tokens.
//!
//! Spin hands every model to an external C preprocessor; here it is built in, so that a model means the same on
//! every machine and each token remembers where the user wrote it. Nothing but `__FILE__` and `__LINE__` is
//! predefined: to Spin on Linux a variable called `linux` is the number 1.
//!
//! A file is cut into lexemes as a whole (module `lexer`). `next_unexpanded` reads them one by one, and obeys
//! directives on the way (`directives`, `include`, `condition`). `next_expanded` replaces macros (`expand`), whose
//! definitions are data (`macros`). At last `emit` makes tokens of what is left, and complains about lexemes Promela
//! does not have. Start reading at [`preprocess`].
//!
//! No input may exhaust the memory or the stack: macros and files share a budget, and what recurses is bounded.
#![allow(
    clippy::result_large_err,
    reason = "an `Err` is made once per mistake of the user; boxes would be clutter"
)]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use allways_source::{Diagnostic, FileId, SourceMap, Span};

use self::directives::Conditional;
use self::emit::Emitter;
use self::expand::Context;
use self::macros::MacroTable;
use crate::MAX_MISTAKES;
use crate::lexer::{Interner, Lexeme};
use crate::token::{ExpansionId, Expansions, Token};

mod condition;
mod directives;
mod emit;
mod expand;
mod include;
mod macros;
#[cfg(test)]
mod tests;

/// What `-D`, `-U` and `-I` say.
#[derive(Clone, Default, Debug)]
pub struct PreprocessOptions {
    /// A name, or a name with parameters as in `F(x)`, and its body; without a body it is `1`.
    pub defines: Vec<(String, Option<String>)>,
    /// Not to be defined, even if `defines` says so.
    pub undefines: Vec<String>,
    pub include_dirs: Vec<PathBuf>,
    /// Formulas of linear temporal logic that are added to the model: name and text.
    pub formulas: Vec<(String, String)>,
}

/// How included files are read: from disk, or from wherever a test or an editor has them.
pub trait Files {
    fn read(&self, path: &Path) -> Result<String, std::io::Error>;
}

pub struct Preprocessed {
    /// Ends with one [`End`](crate::token::TokenKind::End).
    pub tokens: Vec<Token>,
    pub expansions: Expansions,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the model `root`, a file of `sources`; included files are added to `sources`.
pub fn preprocess(
    sources: &mut SourceMap,
    root: FileId,
    options: &PreprocessOptions,
    files: &dyn Files,
) -> Preprocessed {
    let mut preprocessor = Preprocessor::new(sources, files, &options.include_dirs);
    preprocessor.open_root(root);
    preprocessor.open_command_line(options);

    let mut emitter = Emitter::default();
    preprocessor.read_all(&mut emitter);
    for (name, text) in &options.formulas {
        // After the model, so that its macros can be used.
        preprocessor.open_formula(name, text);
        preprocessor.read_all(&mut emitter);
    }
    let Preprocessor { sources, expansions, reports, .. } = preprocessor;
    let end = sources.file(root).text.len();
    Preprocessed {
        tokens: emitter.finish(Span::new(root, end, end)),
        expansions,
        diagnostics: reports.diagnostics,
    }
}

/// How much may be made by macros and repeated includes, in tokens plus bytes of new text. Far beyond any model, and
/// reached in a second by a dozen macros that double each other.
const BUDGET: usize = 2_000_000;

struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    files: &'a dyn Files,
    include_dirs: &'a [PathBuf],
    interner: Interner,
    /// Every file read so far, by its path without needless `.`; a file included twice is one file.
    known_files: HashMap<PathBuf, FileId>,
    lexed: HashMap<FileId, Rc<[Lexeme]>>,
    /// Files that said `#pragma once`.
    once: HashSet<FileId>,
    /// Files that end in a comment which is not closed.
    cut_short: HashSet<FileId>,
    /// Files with a macro call that is not closed.
    with_unclosed_call: HashSet<FileId>,
    /// There was a cycle of includes, and one complaint about it is enough.
    includes_stopped: bool,
    /// The file being read last, below it the one that includes it, and so on.
    open_files: Vec<OpenFile>,
    macros: MacroTable,
    /// What to read before going on with the file: the innermost expansion last.
    contexts: Vec<Context>,
    /// How many of `contexts` are isolated, which is how deep we are in the arguments of macro calls.
    n_isolated: usize,
    expansions: Expansions,
    /// What is left of [`BUDGET`]; once it is 0, nothing is expanded or included any more.
    budget: usize,
    reports: Reports,
}

struct OpenFile {
    file: FileId,
    lexemes: Rc<[Lexeme]>,
    /// Index into `lexemes`.
    next: usize,
    /// The `#include` that opened it.
    included_at: Option<Span>,
    /// The conditionals around `next`, innermost last.
    conditionals: Vec<Conditional>,
}

/// A lexeme on its way through the macros.
#[derive(Clone, Debug)]
struct PpToken {
    /// Its span is where the lexeme was spelled, which may be in a macro's body.
    lexeme: Lexeme,
    /// Where it is in the model, for the parser.
    span: Span,
    expansion: Option<ExpansionId>,
    /// It names a macro it came out of, and is never to be expanded ("painted blue").
    painted: bool,
}

impl PpToken {
    fn from_text(lexeme: &Lexeme) -> PpToken {
        PpToken { lexeme: lexeme.clone(), span: lexeme.span, expansion: None, painted: false }
    }
}

/// What a reader of the text wants, which decides about a directive that comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Anything: the directive is obeyed.
    Text,
    /// The `(` of a macro call: it is not to be found behind a directive.
    OpenParenthesis,
    /// The arguments of a macro call: the directive is obeyed, but an `#include` is a mistake.
    Arguments,
}

impl<'a> Preprocessor<'a> {
    fn new(
        sources: &'a mut SourceMap,
        files: &'a dyn Files,
        include_dirs: &'a [PathBuf],
    ) -> Preprocessor<'a> {
        let mut interner = Interner::default();
        Preprocessor {
            sources,
            files,
            include_dirs,
            macros: MacroTable::new(&mut interner),
            interner,
            known_files: HashMap::new(),
            lexed: HashMap::new(),
            once: HashSet::new(),
            cut_short: HashSet::new(),
            with_unclosed_call: HashSet::new(),
            includes_stopped: false,
            open_files: Vec::new(),
            contexts: Vec::new(),
            n_isolated: 0,
            expansions: Vec::new(),
            budget: BUDGET,
            reports: Reports::default(),
        }
    }

    fn has_open_file(&self) -> bool {
        !self.open_files.is_empty()
    }

    /// The next lexeme of the current file that is neither skipped nor part of a directive; `None` at the file's end.
    fn next_in_file(&mut self, reading: Reading) -> Option<PpToken> {
        loop {
            let file = self.open_files.last_mut()?;
            let lexemes = file.lexemes.clone();
            let first = file.next;
            let lexeme = lexemes.get(first)?;
            if !lexeme.starts_directive() {
                file.next += 1;
                if file.is_skipping() {
                    continue;
                }
                return Some(PpToken::from_text(lexeme));
            }
            if reading == Reading::OpenParenthesis {
                return None;
            }
            let line = directives::line_at(&lexemes[first..]);
            file.next += line.len();
            self.directive(line, reading);
        }
    }

    /// Pays for making something, or reports that there was too much of it.
    fn charge(&mut self, cost: usize, span: Span) -> bool {
        if cost < self.budget {
            self.budget -= cost;
            return true;
        }
        if self.budget > 0 {
            self.give_up(span, format!("the macros of this model expand to more than {BUDGET} tokens"));
        }
        false
    }

    /// Stops expanding and including, for good.
    fn give_up(&mut self, span: Span, message: String) {
        self.budget = 0;
        self.abandon_contexts();
        self.reports.add(
            Diagnostic::error("expansion-too-large", span, message)
                .label("while expanding this")
                .help("from here on macros are not expanded"),
        );
    }
}

/// The diagnostics so far. The same complaint about the same place is kept once: a macro may repeat its mistakes.
#[derive(Default)]
struct Reports {
    diagnostics: Vec<Diagnostic>,
    seen: HashSet<(&'static str, Span)>,
}

impl Reports {
    fn add(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_MISTAKES
            && self.seen.insert((diagnostic.code, diagnostic.primary.span))
        {
            self.diagnostics.push(diagnostic);
        }
    }
}
