//! `allways check`: all the runs of a model.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use allways_report::result::{self, CheckReport};
use allways_report::text;
use allways_verdict::{Limits, Verdict};
use allways_workbench::{CheckError, CheckOptions, CheckResult, Model, Order, Stopped};
use clap::{Args, ValueEnum};

use crate::exit::{Ending, Failure};
use crate::model::{self, ReadingOptions, SemanticsOptions};
use crate::output::Output;
use crate::watch::Watch;
use crate::{PLEASE_REPORT, interrupt, machine, units};

/// Explore every run of a model and say which of its properties hold
#[derive(Args)]
pub struct CheckArguments {
    /// The Promela model
    model: PathBuf,
    /// Check only this property: `assertions`, `deadlock`, `exclusive`, or a name from the model; can be repeated
    #[arg(short, long = "property", value_name = "NAME")]
    properties: Vec<String>,
    /// Plain interleaving semantics: nothing merged, reset or reduced, so that counts can be compared with Spin's
    #[arg(long)]
    plain: bool,
    /// Do not stop at the first violation; explore everything
    #[arg(long)]
    keep_going: bool,
    /// Which runs may be left out because others stand for them
    #[arg(long, value_name = "HOW", default_value = "none")]
    reduce: Reduce,
    /// How visited states are kept
    #[arg(long, value_name = "HOW", default_value = "exact")]
    store: Store,
    /// In which order states are visited: one path as far as it goes, or all the states at one distance first
    #[arg(long, value_name = "ORDER", default_value = "dfs", conflicts_with = "shortest")]
    order: SearchOrder,
    /// Find a shortest counterexample (implies `--order bfs`)
    #[arg(long)]
    shortest: bool,
    /// Seed of random choices, recorded in the result; the searches there are today make none
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    semantics: SemanticsOptions,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Args)]
#[command(next_help_heading = "Limits")]
struct LimitOptions {
    /// Stop after this time, e.g. `90s`, `10m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    max_time: Option<Duration>,
    /// Stop when states take this much memory, e.g. `500M`, `8G`; by default 90 % of what the machine has left
    #[arg(long, value_name = "SIZE", value_parser = units::memory)]
    max_mem: Option<u64>,
    /// Do not follow runs beyond this many steps
    #[arg(long, value_name = "N")]
    max_depth: Option<u64>,
}

#[derive(Args)]
#[command(next_help_heading = "Output")]
struct OutputOptions {
    /// For people, or for programs: one JSON object, or one JSON object per event and line
    #[arg(long, default_value = "human")]
    format: Format,
    /// Write the result to this file instead of standard output
    #[arg(short, long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Do not list statements that no run executes
    #[arg(long)]
    no_coverage: bool,
    /// Verdicts only: no warnings, progress or statistics
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Whole counterexamples, and all the statements that no run executes
    #[arg(short, long)]
    verbose: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Reduce {
    None,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Store {
    Exact,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum SearchOrder {
    Dfs,
    Bfs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Human,
    Json,
    Jsonl,
}

pub fn run(arguments: &CheckArguments) -> Result<Ending, Failure> {
    let started = Instant::now();
    let mut output = Output::open(arguments.output.output.as_deref())?;
    let model = load(arguments, &mut output)?;
    interrupt::listen();
    let mut watch = Watch::new(arguments.limits.max_time).with_bar();
    let mut result = allways_workbench::check(&model, &check_options(arguments), &mut watch).map_err(refuse)?;
    drop(watch);
    if arguments.output.no_coverage {
        result.unreached.clear();
    }
    let report = CheckReport {
        model: &model,
        result: &result,
        trails: &[],
        seed: arguments.seed,
        peak_rss: machine::peak_rss(),
        total: started.elapsed(),
    };
    let document = result::checked(&report);
    output.line(&serde_json::to_string_pretty(&document).expect("plain data"))?;
    output.flushed()?;
    Ok(ending(&result))
}

fn load(arguments: &CheckArguments, output: &mut Output) -> Result<Model, Failure> {
    let error = match allways_workbench::load(&arguments.model, &arguments.reading.load_options()) {
        Ok(model) => return Ok(model),
        Err(error) => error,
    };
    match arguments.output.format {
        Format::Human => model::show_mistakes(&error),
        Format::Json | Format::Jsonl => {
            let document = result::unreadable(&arguments.model, &error);
            output.line(&serde_json::to_string_pretty(&document).expect("plain data"))?;
            output.flushed()?;
        }
    }
    Err(model::unreadable(&arguments.model, &error))
}

fn check_options(arguments: &CheckArguments) -> CheckOptions {
    let is_breadth_first = arguments.shortest || arguments.order == SearchOrder::Bfs;
    CheckOptions {
        properties: arguments.properties.clone(),
        semantics: arguments.semantics.semantics(),
        order: if is_breadth_first { Order::BreadthFirst } else { Order::DepthFirst },
        keep_going: arguments.keep_going,
        limits: Limits {
            time: arguments.limits.max_time,
            memory: arguments.limits.max_mem,
            depth: arguments.limits.max_depth,
        },
    }
}

fn refuse(error: CheckError) -> Failure {
    let message = error.to_string();
    match error {
        CheckError::UnknownProperty { suggestion, known, .. } => {
            let failure = Failure::usage(message);
            let failure = match suggestion {
                Some(name) => failure.help(format!("did you mean `{name}`?")),
                None => failure,
            };
            failure.help(format!("it has: {}", known.join(", ")))
        }
        CheckError::Replay { .. } => Failure::tool(message).help(PLEASE_REPORT),
    }
}

fn ending(result: &CheckResult) -> Ending {
    let any = |is: fn(&Verdict) -> bool| result.properties.iter().any(|property| is(&property.verdict));
    match result.stopped {
        Some(Stopped::Interrupt) => Ending::Interrupted,
        _ if any(|verdict| matches!(verdict, Verdict::Violated(_))) => Ending::Unexpected,
        _ if any(|verdict| matches!(verdict, Verdict::Inconclusive { .. })) => Ending::Inconclusive,
        _ => Ending::Expected,
    }
}
