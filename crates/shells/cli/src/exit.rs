//! How a command ends: the one place where exit codes are decided.

use std::fmt;

use allways_workbench::Stopped;

/// A command did its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Every property has its expected verdict.
    Expected,
    /// Some property has not: normally, it is violated.
    Unexpected,
    /// No violation, but something is not known.
    Inconclusive,
    /// No violation, but a bug of ours: some property is not decided because of it.
    Failed,
    /// The user interrupted it; what was known was printed.
    Interrupted,
}

/// A command could not do its work.
#[derive(Debug)]
pub struct Failure {
    pub blame: Blame,
    pub message: String,
    /// What to try next.
    pub help: Vec<String>,
}

/// Who can mend a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The user: the command line asks for something impossible.
    CommandLine,
    /// The user: the model, or the trail, cannot be read.
    Model,
    /// The user: a limit was reached, so that nothing is known.
    Limit,
    /// The user, who interrupted it.
    Interrupt,
    /// We, or the machine: a bug, a full disk, a trail that cannot be written.
    Tool,
}

/// The exit code of a command.
pub fn exit_code(outcome: &Result<Ending, Failure>) -> u8 {
    match outcome {
        Ok(Ending::Expected) => 0,
        Ok(Ending::Unexpected) => 1,
        Err(Failure { blame: Blame::CommandLine, .. }) => 2,
        Ok(Ending::Inconclusive) | Err(Failure { blame: Blame::Limit, .. }) => 3,
        Ok(Ending::Failed) => INTERNAL_ERROR,
        Err(Failure { blame: Blame::Model, .. }) => 4,
        Err(Failure { blame: Blame::Tool, .. }) => INTERNAL_ERROR,
        Ok(Ending::Interrupted) | Err(Failure { blame: Blame::Interrupt, .. }) => INTERRUPTED,
    }
}

/// Also the code of a panic.
pub const INTERNAL_ERROR: u8 = 5;

/// Also the code when the second Ctrl-C stops everything at once.
pub const INTERRUPTED: u8 = 130;

impl Failure {
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { blame: Blame::CommandLine, message: message.into(), help: Vec::new() }
    }

    pub fn model(message: impl Into<String>) -> Failure {
        Failure { blame: Blame::Model, message: message.into(), help: Vec::new() }
    }

    pub fn tool(message: impl Into<String>) -> Failure {
        Failure { blame: Blame::Tool, message: message.into(), help: Vec::new() }
    }

    /// Before anything was known.
    pub fn stopped(stopped: Stopped, message: impl Into<String>) -> Failure {
        let blame = if stopped == Stopped::Interrupt { Blame::Interrupt } else { Blame::Limit };
        Failure { blame, message: message.into(), help: Vec::new() }
    }

    pub fn help(mut self, text: impl Into<String>) -> Failure {
        self.help.push(text.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.blame {
            Blame::Limit | Blame::Interrupt => "inconclusive",
            _ => "error",
        };
        write!(f, "{word}: {}", self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "\n  help: {help}"))
    }
}
