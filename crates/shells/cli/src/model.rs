//! What all commands that take a model have in common: how it is read, and what it leaves open.

use std::path::{Path, PathBuf};

use allways_report::diagnostics;
use allways_report::trail::definition;
use allways_workbench::{LoadError, LoadOptions, Model, PreprocessOptions, Semantics, Stopped, UnlessOrder};
use clap::{Args, ValueEnum};

use crate::exit::Failure;
use crate::output::{message, message_palette};
use crate::reading::{self, ReadingLimits, name_of};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reading the model")]
pub struct ReadingOptions {
    /// Define a macro, as `#define NAME VALUE` before the first line would (VALUE is 1 if left out)
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Do not define this macro, whatever -D says
    #[arg(short = 'U', long = "undefine", value_name = "NAME")]
    pub undefines: Vec<String>,
    /// Look for included files in this directory too
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
    /// Which of nested `unless` escapes is tried first
    #[arg(long, value_name = "WHICH", default_value = "outermost")]
    pub unless: Unless,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Semantics")]
pub struct SemanticsOptions {
    /// A send to a full channel waits, or succeeds and the message is lost
    #[arg(long, value_name = "HOW", default_value = "block")]
    pub full_channel: FullChannel,
    /// The end of a run is proper only if all channels are empty too
    #[arg(long)]
    pub strict_end: bool,
    /// A value that does not fit its variable is an error instead of being truncated
    #[arg(long)]
    pub check_overflow: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unless {
    Outermost,
    Innermost,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FullChannel {
    Block,
    Lose,
}

impl ReadingOptions {
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            preprocess: PreprocessOptions {
                defines: self.defines.iter().map(|text| definition(text)).collect(),
                undefines: self.undefines.clone(),
                include_dirs: self.include_dirs.clone(),
                formulas: Vec::new(),
            },
            unless: match self.unless {
                Unless::Outermost => UnlessOrder::Outermost,
                Unless::Innermost => UnlessOrder::Innermost,
            },
            automata: Vec::new(),
        }
    }
}

impl SemanticsOptions {
    pub fn semantics(&self) -> Semantics {
        Semantics {
            lossy: self.full_channel == FullChannel::Lose,
            strict_end: self.strict_end,
            check_overflow: self.check_overflow,
        }
    }
}

/// Reads a model, showing its mistakes on standard error.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Model, Failure> {
    let name = name_of(path);
    let give_up = move |stopped| unread(&name, stopped);
    reading::load(path, options, ReadingLimits::of_machine(), give_up).map_err(|error| {
        show_mistakes(&error);
        unreadable(path, &error)
    })
}

/// What to say where reading a model took more than it may.
pub fn unread(path: &Path, stopped: Stopped) -> Failure {
    let (reason, help) = match stopped {
        Stopped::Time => ("the time limit was reached", Some("allow more with --max-time")),
        Stopped::Memory => ("the memory limit was reached", Some("allow more with --max-mem")),
        _ => ("interrupted", None),
    };
    let failure = Failure::stopped(stopped, format!("{reason} while the model {} was read", path.display()));
    help.into_iter().fold(failure, Failure::help)
}

pub fn show_warnings(model: &Model) {
    if !model.warnings.is_empty() {
        message(&diagnostics::render(&model.sources, &model.warnings, message_palette()));
        message(&format!("{}: {}\n", model.path.display(), diagnostics::summary(&model.warnings)));
    }
}

pub fn show_mistakes(error: &LoadError) {
    if let LoadError::Mistakes { sources, diagnostics } = error {
        message(&diagnostics::render(sources, diagnostics, message_palette()));
    }
}

/// What to say at the end about a model that cannot be read.
pub fn unreadable(path: &Path, error: &LoadError) -> Failure {
    match error {
        LoadError::Read { source, .. } => {
            let failure = Failure::model(format!("cannot read the model {}: {source}", path.display()));
            match source.kind() {
                std::io::ErrorKind::NotFound => {
                    failure.help("is the name spelled right, and is it in this directory?")
                }
                std::io::ErrorKind::IsADirectory => {
                    failure.help("give the file with the model, not its directory")
                }
                _ => failure,
            }
        }
        LoadError::Mistakes { diagnostics, .. } => {
            let summary = diagnostics::summary(diagnostics);
            Failure::model(format!("the model {} cannot be checked: {summary}", path.display()))
        }
        LoadError::Automaton { .. } => Failure::model(error.to_string()),
        LoadError::Internal(_) => Failure::tool(error.to_string()).help(crate::PLEASE_REPORT),
    }
}
