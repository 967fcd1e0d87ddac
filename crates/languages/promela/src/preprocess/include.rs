//! Files: opening the model and what it includes, and closing them.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use allways_source::{Diagnostic, FileId, Span};

use super::directives::tokens_of;
use super::emit::Emitter;
use super::{OpenFile, PpToken, PreprocessOptions, Preprocessor};
use crate::lexer::{self, Lexeme, LexemeKind};

/// Files that include each other without end have to be stopped somewhere.
const MAX_INCLUDE_DEPTH: usize = 200;

/// What an `#include` names.
struct Header {
    name: String,
    /// Written `<…>`, not `"…"`.
    angled: bool,
    span: Span,
}

impl Preprocessor<'_> {
    pub(super) fn open_root(&mut self, root: FileId) {
        self.known_files.insert(tidy(self.sources.path(root)), root);
        self.open_file(root, None);
    }

    /// Reads everything that is open.
    pub(super) fn read_all(&mut self, emitter: &mut Emitter) {
        while self.has_open_file() {
            while let Some(token) = self.next_expanded() {
                emitter.emit(token, &mut self.reports);
            }
            self.close_file();
        }
    }

    /// A formula from the command line, as if it stood in a file of its own.
    pub(super) fn open_formula(&mut self, name: &str, text: &str) {
        let file = self.sources.add(Path::new("--ltl"), format!("ltl {name} {{ {text} }}\n"));
        self.open_file(file, None);
    }

    /// Makes directives of what the options define, to be read first: so they obey the same rules, and complaints
    /// about them have a place.
    pub(super) fn open_command_line(&mut self, options: &PreprocessOptions) {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let mut text = String::new();
        for (name, body) in &options.defines {
            let body = body.as_deref().unwrap_or("1");
            text += &format!("#define {} {}\n", one_line(name), one_line(body));
        }
        for name in &options.undefines {
            text += &format!("#undef {}\n", one_line(name));
        }
        if !text.is_empty() {
            let file = self.sources.add("<command line>", text);
            self.open_file(file, None);
        }
    }

    fn open_file(&mut self, file: FileId, included_at: Option<Span>) {
        let lexemes = self.lexemes_of(file);
        self.open_files.push(OpenFile { file, lexemes, next: 0, included_at, conditionals: Vec::new() });
    }

    /// Lexes a file when it is wanted for the first time.
    fn lexemes_of(&mut self, file: FileId) -> Rc<[Lexeme]> {
        if let Some(known) = self.lexed.get(&file) {
            return known.clone();
        }
        let lexed = lexer::lex(file, &self.sources.file(file).text, &mut self.interner);
        if let Some(complaint) = lexed.open_comment {
            self.reports.add(complaint);
            self.cut_short.insert(file);
        }
        let lexemes: Rc<[Lexeme]> = lexed.lexemes.into();
        self.lexed.insert(file, lexemes.clone());
        lexemes
    }

    pub(super) fn close_file(&mut self) {
        let Some(closed) = self.open_files.pop() else { return };
        // The `#endif` may well be in the comment that is not closed.
        if !self.cut_short.contains(&closed.file) {
            self.complain_about_open(&closed.conditionals);
        }
    }

    /// Obeys an `#include`.
    pub(super) fn include(&mut self, directive: Span, operands: &[Lexeme]) {
        if self.budget == 0 || self.includes_stopped {
            return;
        }
        let Some(header) = self.header(directive, operands) else { return };
        let Some(file) = self.find_file(&header) else { return };
        if self.once.contains(&file) {
            return;
        }
        if self.open_files.len() > MAX_INCLUDE_DEPTH {
            self.includes_stopped = true;
            self.reports.add(self.endless_include(file, header.span));
            return;
        }
        self.open_file(file, Some(header.span));
        let size = self.open_files.last().map_or(0, |open| open.lexemes.len());
        if !self.charge(size + 1, header.span) {
            self.open_files.pop();
        }
    }

    /// What is to be included; a macro may say it.
    fn header(&mut self, directive: Span, operands: &[Lexeme]) -> Option<Header> {
        let first = operands.first();
        if let Some(first) =
            first.filter(|first| matches!(first.kind, LexemeKind::Header | LexemeKind::String))
        {
            self.expect_end_of_line("include", operands.get(1..));
            let angled = first.kind == LexemeKind::Header;
            return self.named_header(unquoted(&first.text), angled, first.span);
        }
        let whole = directive.to(operands.last().map_or(directive, |last| last.span));
        let tokens = if first.is_some_and(|first| first.kind == LexemeKind::OpenString) {
            Vec::new()
        } else {
            self.expand_isolated(tokens_of(operands), Self::remaining_expanded)
        };
        match tokens.first().map(|token| &token.lexeme) {
            Some(lexeme) if lexeme.kind == LexemeKind::String => {
                self.named_header(unquoted(&lexeme.text), false, whole)
            }
            Some(lexeme) if lexeme.is("<") && tokens.iter().any(|token| token.lexeme.is(">")) => {
                self.named_header(&spelling_to_angle(&tokens[1..]), true, whole)
            }
            _ => self.named_header("", false, whole),
        }
    }

    fn named_header(&mut self, name: &str, angled: bool, span: Span) -> Option<Header> {
        if name.is_empty() {
            let message = "`#include` needs the name of a file, `\"file\"` or `<file>`";
            self.reports.add(Diagnostic::error("bad-include", span, message));
            return None;
        }
        Some(Header { name: name.to_owned(), angled, span })
    }

    /// Looks for the file where C does, and reads it unless we have it already.
    fn find_file(&mut self, header: &Header) -> Option<FileId> {
        let candidates = self.candidates(header);
        for path in &candidates {
            if let Some(known) = self.known_files.get(path) {
                return Some(*known);
            }
            match self.files.read(path) {
                Ok(text) => {
                    let file = self.sources.add(path.clone(), text);
                    self.known_files.insert(path.clone(), file);
                    return Some(file);
                }
                Err(error) if is_absent(error.kind()) => {}
                Err(error) => {
                    let message = format!("`{}` cannot be read: {error}", path.display());
                    self.reports.add(Diagnostic::error("include-unreadable", header.span, message));
                    return None;
                }
            }
        }
        let message = format!("there is no file `{}` to include", header.name);
        let complaint = Diagnostic::error("include-not-found", header.span, message);
        let looked = candidates.iter().map(|path| format!("looked for `{}`", path.display()));
        self.reports.add(looked.fold(complaint, Diagnostic::help));
        None
    }

    fn candidates(&self, header: &Header) -> Vec<PathBuf> {
        let including = self.open_files.last().map(|open| self.sources.path(open.file));
        let here = including.and_then(Path::parent).unwrap_or(Path::new(""));
        let mut dirs: Vec<&Path> = self.include_dirs.iter().map(PathBuf::as_path).collect();
        dirs.insert(if header.angled { dirs.len() } else { 0 }, here);
        let mut candidates: Vec<PathBuf> =
            dirs.into_iter().map(|dir| tidy(&dir.join(&header.name))).collect();
        candidates.dedup();
        candidates
    }

    /// Too many files are open; if they are the same ones over and over, says which.
    fn endless_include(&self, file: FileId, span: Span) -> Diagnostic {
        let path = self.sources.path(file).display();
        let Some(start) = self.open_files.iter().rposition(|open| open.file == file) else {
            let message = format!("`{path}` would be the {MAX_INCLUDE_DEPTH}th file inside of another");
            return Diagnostic::error("include-cycle", span, message);
        };
        let cycle = &self.open_files[start..];
        let mut chain: Vec<String> =
            cycle.iter().map(|open| format!("`{}`", self.sources.path(open.file).display())).collect();
        chain.push(format!("`{path}`"));
        let message = format!("{} without end", chain.join(" includes "));
        let complaint = Diagnostic::error("include-cycle", span, message)
            .help("let each file begin with `#ifndef NAME`, `#define NAME`, and end with `#endif`");
        let sites = cycle.iter().skip(1).filter_map(|open| open.included_at);
        sites.fold(complaint, |complaint, site| complaint.also(site, "and included here"))
    }
}

fn unquoted(text: &str) -> &str {
    text.get(1..text.len() - 1).unwrap_or("")
}

fn spelling_to_angle(tokens: &[PpToken]) -> String {
    let mut name = String::new();
    for token in tokens.iter().take_while(|token| !token.lexeme.is(">")) {
        if token.lexeme.space_before && !name.is_empty() {
            name.push(' ');
        }
        name.push_str(&token.lexeme.text);
    }
    name
}

/// Without any `.`, so that one file has one path. To drop `..` would be wrong where there are symbolic links.
fn tidy(path: &Path) -> PathBuf {
    path.components().filter(|component| *component != Component::CurDir).collect()
}

/// Not there, as opposed to there and unreadable.
fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::NotADirectory)
}
