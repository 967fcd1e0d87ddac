//! The C preprocessor, as far as models need it, and the way from text to the parser's tokens.

use std::path::{Path, PathBuf};

use allways_source::{Diagnostic, FileId, SourceMap, Span};

use self::emit::Emitter;
use crate::lexer::{self, Interner, Lexeme};
use crate::token::{ExpansionId, Expansions, Token};

mod emit;

/// What `-D`, `-U` and `-I` say.
#[derive(Clone, Default, Debug)]
pub struct PreprocessOptions {
    /// Name, or name with parameters as in `F(x)`, and body; without a body it is `1`.
    pub defines: Vec<(String, Option<String>)>,
    /// Not to be defined, even if `defines` says so.
    pub undefines: Vec<String>,
    pub include_dirs: Vec<PathBuf>,
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

pub fn preprocess(
    sources: &mut SourceMap,
    root: FileId,
    _options: &PreprocessOptions,
    _files: &dyn Files,
) -> Preprocessed {
    let text = &sources.file(root).text;
    let lexed = lexer::lex(root, text, &mut Interner::default());
    let mut diagnostics: Vec<Diagnostic> = lexed.open_comment.into_iter().collect();
    let mut emitter = Emitter::default();
    for lexeme in lexed.lexemes {
        let span = lexeme.span;
        emitter.emit(PpToken { lexeme, span, expansion: None, painted: false }, &mut diagnostics);
    }
    let tokens = emitter.finish(Span::new(root, text.len(), text.len()));
    Preprocessed { tokens, expansions: Vec::new(), diagnostics }
}

/// A lexeme on its way through the macros.
#[derive(Clone, Debug)]
struct PpToken {
    /// Its span is where the lexeme was spelled, which may be a macro's body.
    lexeme: Lexeme,
    /// Where it is in the model, for the parser.
    span: Span,
    expansion: Option<ExpansionId>,
    /// It names a macro it came out of, and is never to be expanded again ("painted blue").
    painted: bool,
}
