//! The one binary: arguments in, exit code out.
#![forbid(unsafe_code)]

mod assumptions;
mod check;
mod dialogue;
mod dice;
mod exit;
mod explore;
mod generate;
mod graph;
mod interrupt;
mod machine;
mod model;
mod new_file;
mod output;
mod property;
mod reading;
mod replay;
mod schedule;
mod search_options;
mod simulate;
mod surroundings;
mod temporal_options;
mod units;
mod watch;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Parser, Subcommand};
use exit::{Ending, Failure, INTERNAL_ERROR, exit_code};
use generate::Generated;
use reading::large_thread;

/// What to do about an error that is ours.
const PLEASE_REPORT: &str = "this is a bug in Allways; please report it, with the model and the command line";

/// A panic is one property's, and the others still get their verdicts.
static PANICS_ARE_CAUGHT: AtomicBool = AtomicBool::new(false);

const EXAMPLES: &str = "\
Examples:
  allways check mutex.pml                      is everything the model states true?
  allways replay mutex.assertions.trail.json   if not: how does it go wrong?
  allways simulate mutex.pml                   one random run
  allways graph mutex.pml -o mutex.svg         a picture of its processes
  allways property '[] (p -> <> q)'            what does this formula say?
  allways explore -- ./server --threads 2      every schedule of a real program

Exit codes: 0 every property has its expected verdict; 1 some property has not (normally, it is violated); \
2 wrong command line; 3 inconclusive; 4 the model cannot be read; 5 internal error, or a result could not be written; \
130 interrupted.";

/// Explores all the ways a concurrent system can run, to say what is always true of it.
#[derive(Parser)]
#[command(name = "allways", version, arg_required_else_help = true, args_override_self = true, after_help = EXAMPLES)]
struct Arguments {
    /// Print a completion script for a shell, or the manual page
    #[arg(long, value_name = "WHAT", exclusive = true)]
    generate: Option<Generated>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Check(Box<check::CheckArguments>),
    Explore(Box<explore::ExploreArguments>),
    Simulate(Box<simulate::SimulateArguments>),
    Replay(Box<replay::ReplayArguments>),
    Graph(Box<graph::GraphArguments>),
    Property(Box<property::PropertyArguments>),
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        output::message(&format!("internal error: {panic}\n  help: {PLEASE_REPORT}"));
        if !PANICS_ARE_CAUGHT.load(Ordering::Relaxed) {
            new_file::abandon();
            std::process::exit(i32::from(INTERNAL_ERROR));
        }
    }));
    // The stack of the first thread is what `ulimit -s` says, which may be too little to read a model that is nested deeply.
    match large_thread().and_then(|builder| builder.spawn(command).ok()) {
        Some(thread) => thread.join().unwrap_or(ExitCode::from(INTERNAL_ERROR)),
        None => command(),
    }
}

fn command() -> ExitCode {
    let outcome = run(&Arguments::parse());
    if let Err(failure) = &outcome {
        output::message(&failure.to_string());
    }
    ExitCode::from(exit_code(&outcome))
}

fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    if let Some(what) = arguments.generate {
        return generate::run(what);
    }
    match &arguments.command {
        Some(Command::Check(arguments)) => check::run(arguments),
        Some(Command::Explore(arguments)) => explore::run(arguments),
        Some(Command::Simulate(arguments)) => simulate::run(arguments),
        Some(Command::Replay(arguments)) => replay::run(arguments),
        Some(Command::Graph(arguments)) => graph::run(arguments),
        Some(Command::Property(arguments)) => property::run(arguments),
        None => Err(Failure::usage("a command is missing").help("`allways --help` lists them")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_defined() {
        crate::Arguments::command().debug_assert();
    }
}
