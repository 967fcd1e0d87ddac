//! The one binary: arguments in, exit code out.
#![forbid(unsafe_code)]

mod check;
mod exit;
mod interrupt;
mod machine;
mod model;
mod output;
mod units;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use exit::{Ending, Failure, INTERNAL_ERROR, exit_code};

/// What to do about an error that is ours.
const PLEASE_REPORT: &str = "this is a bug in Allways; please report it, with the model and the command line";

/// Explores all the ways a concurrent system can run, to say what is always true of it.
#[derive(Parser)]
#[command(name = "allways", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::CheckArguments),
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        output::message(&format!("internal error: {panic}\n  help: {PLEASE_REPORT}"));
        std::process::exit(i32::from(INTERNAL_ERROR));
    }));
    let outcome = run(&Arguments::parse());
    if let Err(failure) = &outcome {
        output::message(&failure.to_string());
    }
    ExitCode::from(exit_code(&outcome))
}

fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments),
    }
}
