//! Loading a model.

use std::fs::File;
use std::path::{Path, PathBuf};

use allways_interpreter::Semantics;
use allways_promela::lower::{LowerOptions, UnlessOrder, lower};
use allways_promela::parser::parse;
use allways_promela::preprocess::{Files, PreprocessOptions, preprocess};
use allways_source::{Diagnostic, SourceMap, Span};
use allways_system::System;
use allways_verdict::Location;
use sha2::{Digest, Sha256};

use crate::automata::{Automaton, GivenAutomaton};
use crate::text::{LONGEST_MODEL, read_text};

/// How to read a model.
#[derive(Clone, Default, Debug)]
pub struct LoadOptions {
    /// Definitions and include directories.
    pub preprocess: PreprocessOptions,
    /// Which of nested escapes is tried first.
    pub unless: UnlessOrder,
    /// Automata about its runs.
    pub automata: Vec<GivenAutomaton>,
}

/// A model without errors.
pub struct Model {
    /// As given.
    pub path: PathBuf,
    /// Of the model's text and that of everything it includes.
    pub sha256: String,
    /// All files.
    pub sources: SourceMap,
    /// What it means. No variable is marked as hidden in it: what nothing reads is left out of states anyway, and what is read has to
    /// be in them.
    pub system: System,
    /// The global variables that are declared `hidden`, by their position.
    pub(crate) hidden: Vec<usize>,
    /// The names of those that something reads.
    hidden_reads: Vec<String>,
    /// The same where a value that does not fit is a fault.
    hidden_reads_of_overflow: Vec<String>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Automata that were given.
    pub(crate) automata: Vec<Automaton>,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read: the user's to mend.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The model.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The model has mistakes: the user's to mend.
    #[error("the model has {} error{}", errors(.diagnostics), if errors(.diagnostics) == 1 { "" } else { "s" })]
    Mistakes {
        /// For showing the diagnostics.
        sources: SourceMap,
        /// Errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
    /// An automaton cannot be used: the user's to mend.
    #[error("the automaton `{name}` cannot be used: {why}")]
    Automaton {
        /// Of the property.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// A front end made a system that no engine could run: our bug.
    #[error("internal error: the lowered system is not well-formed: {0}")]
    Internal(String),
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("path", &self.path).finish_non_exhaustive()
    }
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count()
}

/// Included files come from the disk.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<String, std::io::Error> {
        read_text(File::open(path)?, LONGEST_MODEL)
    }
}

/// Reads the model at `path` and everything it includes.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Model, LoadError> {
    let text = Disk.read(path).map_err(|source| LoadError::Read { path: path.to_path_buf(), source })?;
    load_text(path, text, options, &Disk)
}

/// The same for a text that is already there.
pub fn load_text(
    path: &Path,
    text: String,
    options: &LoadOptions,
    files: &dyn Files,
) -> Result<Model, LoadError> {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text);
    let unusable = |name: &str, why| LoadError::Automaton { name: name.to_string(), why };
    let automata = options.automata.iter();
    let automata = automata.map(|given| Automaton::new(given).map_err(|why| unusable(&given.name, why)));
    let automata = automata.collect::<Result<Vec<Automaton>, LoadError>>()?;
    let mut preprocessing = options.preprocess.clone();
    preprocessing.formulas.extend(automata.iter().map(Automaton::formula));
    let preprocessed = preprocess(&mut sources, root, &preprocessing, files);
    let mut diagnostics = preprocessed.diagnostics;
    let parsed = parse(preprocessed.tokens, preprocessed.expansions);
    let syntax = without_consequences(parsed.diagnostics, &diagnostics, &sources);
    diagnostics.extend(syntax);
    let lowered = lower(parsed.model, &LowerOptions { unless: options.unless });
    let meaning = without_consequences(lowered.diagnostics, &diagnostics, &sources);
    diagnostics.extend(meaning);
    let system = lowered.system.filter(|_| errors(&diagnostics) == 0);
    let Some(mut system) = system else { return Err(LoadError::Mistakes { sources, diagnostics }) };
    if let Some(problem) = allways_system::verify::verify(&system).first() {
        return Err(LoadError::Internal(problem.to_string()));
    }
    for automaton in &automata {
        automaton.observer(&system).map_err(|why| unusable(&automaton.name, why))?;
    }
    let sha256 = hash(&sources);
    let hidden_reads = names_of_hidden_reads(&system, false);
    let hidden_reads_of_overflow = names_of_hidden_reads(&system, true);
    diagnostics.extend(hidden_is_read(&system));
    let hidden = uncovered(&mut system);
    let path = path.to_path_buf();
    Ok(Model {
        path,
        sha256,
        sources,
        system,
        hidden,
        hidden_reads,
        hidden_reads_of_overflow,
        warnings: diagnostics,
        automata,
    })
}

/// The names of the `hidden` variables that something reads.
fn names_of_hidden_reads(system: &System, check_overflow: bool) -> Vec<String> {
    let read = allways_passes::hidden_reads(system, check_overflow).into_iter();
    read.map(|position| system.globals.variables[position].name.to_string()).collect()
}

/// Warnings about the `hidden` variables that something reads.
fn hidden_is_read(system: &System) -> impl Iterator<Item = Diagnostic> {
    allways_passes::hidden_reads(system, false).into_iter().map(|position| {
        let variable = &system.globals.variables[position];
        let message =
            format!("`{}` is hidden, but something reads it: it stays in the states", variable.name);
        Diagnostic::warning("hidden-is-read", variable.span, message)
            .help("Spin leaves it out and can miss errors; --plain does the same, and then nothing holds")
    })
}

/// Takes the marks from hidden variables. Returns which had one.
fn uncovered(system: &mut System) -> Vec<usize> {
    let variables = system.globals.variables.iter_mut().enumerate();
    let marked = variables.filter(|(_, variable)| variable.hidden);
    marked
        .map(|(position, variable)| {
            variable.hidden = false;
            position
        })
        .collect()
}

/// What a later phase complains about, without that which is only the consequence of an earlier error: anything on a
/// line that has one, names that stand on such a line (their declaration was lost with it), and what may be missing
/// because a whole part of the model could not be read.
fn without_consequences(
    found: Vec<Diagnostic>,
    earlier: &[Diagnostic],
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    const MISSING: [&str; 5] =
        ["unknown-proctype", "undefined-label", "unknown-type", "no-process", "misplaced-return"];
    let damaged: Vec<Span> =
        earlier.iter().filter(|d| d.is_error()).map(|d| sources.line_span(d.primary.span)).collect();
    if damaged.is_empty() {
        return found;
    }
    let is_consequence = |d: &Diagnostic| {
        let line = sources.line_span(d.primary.span);
        let name = sources.text(d.primary.span);
        !d.is_error()
            || damaged.contains(&line)
            || MISSING.contains(&d.code)
            || (d.code == "duplicate-else" && earlier.iter().any(|other| other.code == d.code))
            || (d.code == "undeclared-name" && damaged.iter().any(|line| mentions(sources.text(*line), name)))
    };
    found.into_iter().filter(|d| !is_consequence(d)).collect()
}

fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn hash(sources: &SourceMap) -> String {
    let mut hasher = Sha256::new();
    for (_, file) in sources.files() {
        hasher.update((file.text.len() as u64).to_le_bytes());
        hasher.update(&file.text);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Model {
    /// The names of the `hidden` variables that something reads.
    pub(crate) fn hidden_reads(&self, semantics: Semantics) -> &[String] {
        if semantics.check_overflow { &self.hidden_reads_of_overflow } else { &self.hidden_reads }
    }

    /// A span as file, line and column.
    pub fn location(&self, span: Span) -> Location {
        let position = self.sources.position(span);
        let file = self.sources.path(span.file).display().to_string();
        Location { file, line: position.line, column: position.column }
    }
}
