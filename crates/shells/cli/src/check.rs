//! `allways check`: all the runs of a model.

mod trails;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use allways_report::result::{self, CheckReport};
use allways_report::summary::{self, Detail};
use allways_report::trail::TrailHeader;
use allways_report::{events, text, to_json, to_json_line};
use allways_verdict::{Limits, Statistics, Verdict};
use allways_workbench::lockstep::{self, Compared};
use allways_workbench::{
    Alarm, CheckError, CheckOptions, CheckResult, FairRuns, LoadOptions, Model, Monitor, Stopped, Until,
};
use clap::{Args, ValueEnum};

use crate::assumptions::AssumptionOptions;
use crate::exit::{Ending, Failure};
use crate::model::{self, ReadingOptions, SemanticsOptions};
use crate::output::{self, Output};
use crate::reading::{self, ReadingLimits};
use crate::search_options::{self, LimitOptions, Memory, SearchOptions, Source, StoreOptions, validate};
use crate::temporal_options::{self, TemporalOptions};
use crate::watch::Watch;
use crate::{PANICS_ARE_CAUGHT, PLEASE_REPORT, interrupt, machine};

/// Explore every run of a model and say which of its properties hold
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckArguments {
    /// The Promela model; `-` for standard input
    model: PathBuf,
    /// Check only this property: `assertions` (no assertion fails, no run-time error), `deadlock` (no invalid end
    /// state), `exclusive` (xr and xs are respected), `progress` (no cycle without a progress label), `acceptance` (no
    /// cycle through an accept label), `trace`, `notrace`, or the name of an `ltl` block or never claim; can be repeated
    #[arg(short, long = "property", value_name = "NAME")]
    properties: Vec<String>,
    /// Stop at the first violation; what is not decided by then is inconclusive
    #[arg(long, conflicts_with = "keep_going")]
    first: bool,
    /// Explore everything, also when every property is decided
    #[arg(long)]
    keep_going: bool,
    #[command(flatten)]
    assumptions: AssumptionOptions,
    /// Compare compiled and interpreted steps on up to N states instead of checking anything
    #[arg(long, hide = true, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "100000")]
    compare_steps: Option<u64>,
    #[command(flatten)]
    search: SearchOptions,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    temporal: TemporalOptions,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    semantics: SemanticsOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const EXAMPLES: &str = "\
Examples:
  allways check mutex.pml                       everything the model states
  allways check mutex.pml -p deadlock           one property only
  allways check mutex.pml --first               only up to the first violation
  allways check mutex.pml --ltl '[] (want -> <> inside)' --fair weak
                                                a formula too; only runs in which everybody gets a turn
  allways check mutex.pml --forbid starving.hoa an automaton for runs that must not be
  allways check mutex.pml -D N=4 --shortest     another size, and the shortest way to go wrong
  allways check mutex.pml --context-bound 2     only runs with at most two preemptions, those with the fewest first
  allways check mutex.pml -j 0                  with all cores
  allways check mutex.pml --max-time 10m        as far as it gets in ten minutes
  allways check mutex.pml --max-mem 8G --on-full bitstate
                                                exactly, if 8 GB suffice, else in a table of bits
  allways check mutex.pml --store bitstate --max-mem 1G --searches 3
                                                three searches, a table of 1 GB each time
  allways check mutex.pml --plain --keep-going  every interleaving, as in pan -DNOREDUCE
  allways check mutex.pml --format json         for scripts; the exit code tells the verdict too

A violated property comes with a trail, by default MODEL.PROPERTY.trail.json in the current directory; \
`allways replay` shows it.

After a violation the search goes on for the properties that are not decided yet, and ends when all are.

`holds` is said only if every reachable state was explored, or one that stands for it; whatever cuts the search short (a limit, \
Ctrl-C, with --first a violation of another property) or loses states (the stores `compact` and `bitstate`) makes the verdict `inconclusive`.

Temporal properties (formulas, never claims, progress and accept labels) have searches of their own: depth first, with all states kept, by \
one thread. The orders, stores and threads above are for the others.";

#[derive(Args)]
#[command(next_help_heading = "Output")]
struct OutputOptions {
    /// For people, or for programs: one JSON object, or one JSON object per event and line
    #[arg(long, default_value = "human")]
    format: Format,
    /// Write the result to this file instead of standard output
    #[arg(short, long = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the trail to this file; if several properties are violated, the names of the others are inserted
    /// before its extension
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,
    /// Do not write trails
    #[arg(long, conflicts_with = "trail")]
    no_trail: bool,
    /// Do not list statements that no run executes
    #[arg(long)]
    no_coverage: bool,
    /// Verdicts only: no warnings, progress or statistics
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Whole counterexamples, all the statements that no run executes, how it was searched and what was left out
    #[arg(short, long)]
    verbose: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Human,
    Json,
    Jsonl,
}

/// How many steps of a counterexample are shown.
const STEPS_SHOWN: usize = 8;

pub fn run(arguments: &CheckArguments) -> Result<Ending, Failure> {
    let started = Instant::now();
    validate(&arguments.search, &arguments.store, &arguments.limits)?;
    if !arguments.output.quiet {
        search_options::warn(&arguments.search);
    }
    let trail = arguments.output.trail.as_deref();
    output::protect(&arguments.model, &[arguments.output.output.as_deref(), trail])?;
    output::distinct(&[("the result", arguments.output.output.as_deref()), ("a trail", trail)])?;
    let mut output = Output::open(arguments.output.output.as_deref())?;
    let mut load_options = load_options(arguments)?;
    interrupt::listen();
    let model = load(arguments, &mut load_options, started, &mut output)?;
    protect_all(arguments, &model)?;
    let fair = arguments.temporal.fair_runs(&model)?;
    if let Some(limit) = arguments.compare_steps {
        return compare_steps(arguments, &model, limit);
    }
    let (mut result, alarm) = search(arguments, &model, fair, &mut output)?;
    if arguments.output.no_coverage {
        result.unreached.clear();
    }
    let header =
        TrailHeader::new(&model, &load_options, arguments.semantics.semantics(), arguments.search.seed);
    let (counterexamples, problem) = trails::counterexamples(
        arguments,
        &model,
        &header,
        &result,
        output.palette(),
        &alarm.for_repeating(),
    )?;
    let report = CheckReport {
        model: &model,
        result: &result,
        counterexamples: &counterexamples,
        outdated: &trails::outdated(arguments, &model, &result),
        seed: arguments.search.seed,
        peak_rss: machine::peak_rss(),
        total: started.elapsed(),
    };
    write_report(arguments, &report, &mut output)?;
    for error in &result.internal_errors {
        output::message(&Failure::tool(error).help(PLEASE_REPORT).to_string());
    }
    match problem {
        Some(failure) => Err(failure),
        // Nothing is assumed of a model so far.
        None => Ok(arguments.assumptions.applied(ending(&result), &[])),
    }
}

fn load_options(arguments: &CheckArguments) -> Result<LoadOptions, Failure> {
    let mut options = arguments.reading.load_options();
    options.preprocess.formulas = arguments.temporal.named();
    options.automata = arguments.temporal.automata()?;
    Ok(options)
}

/// The names of the properties that were asked for; none for all. Formulas and automata from the command line always are.
fn names(arguments: &CheckArguments) -> Vec<String> {
    let mut names = arguments.properties.clone();
    if !names.is_empty() {
        names.extend(arguments.temporal.named().into_iter().map(|(name, _)| name));
        names.extend(arguments.temporal.automata_names());
    }
    names
}

fn load(
    arguments: &CheckArguments,
    options: &mut LoadOptions,
    started: Instant,
    output: &mut Output,
) -> Result<Model, Failure> {
    let limits = ReadingLimits {
        until: arguments.limits.max_time.and_then(|time| started.checked_add(time)),
        memory: arguments.store.memory(&arguments.limits).limit,
    };
    let read = |options: &LoadOptions| {
        let (path, format) = (reading::name_of(&arguments.model), arguments.output.format);
        let file = arguments.output.output.clone();
        let give_up = move |stopped| unread(&path, format, file.as_deref(), stopped);
        reading::load(&arguments.model, options, limits, give_up)
    };
    let mut loaded = read(options);
    if loaded.is_err()
        && let Some(formulas) = temporal_options::in_other_notations(&options.preprocess.formulas)
    {
        let mut other = options.clone();
        other.preprocess.formulas = formulas;
        if let Ok(model) = read(&other) {
            (loaded, *options) = (Ok(model), other);
        }
    }
    let is_for_people = arguments.output.format == Format::Human;
    match loaded {
        Ok(model) => {
            if is_for_people && !arguments.output.quiet {
                model::show_warnings(&model);
            }
            Ok(model)
        }
        Err(error) => {
            let document = result::unreadable(&arguments.model, &error);
            match arguments.output.format {
                Format::Human => model::show_mistakes(&error),
                Format::Json => output.line(&to_json(&document))?,
                Format::Jsonl => output.line(&to_json_line(&events::unreadable(document)))?,
            }
            output.flushed()?;
            Err(model::unreadable(&arguments.model, &error))
        }
    }
}

/// Says that the model was not read within the limits.
fn unread(model: &Path, format: Format, file: Option<&Path>, stopped: Stopped) -> Failure {
    let failure = model::unread(model, stopped);
    let document = result::unread(model, &failure.message);
    let text = match format {
        Format::Human => return failure,
        Format::Json => to_json(&document),
        Format::Jsonl => to_json_line(&events::unreadable(document)),
    };
    let written = Output::open(file).and_then(|mut output| {
        output.line(&text)?;
        output.flushed()
    });
    written.err().unwrap_or(failure)
}

/// Refuses to write over anything that was read, and to write one thing over the other.
fn protect_all(arguments: &CheckArguments, model: &Model) -> Result<(), Failure> {
    let output = arguments.output.output.as_deref();
    let trails: Vec<PathBuf> = allways_workbench::properties(model)
        .iter()
        .flat_map(|property| [true, false].map(|is_first| trails::path(arguments, &property.name, is_first)))
        .flatten()
        .collect();
    let written: Vec<Option<&Path>> =
        trails.iter().map(|trail| Some(trail.as_path())).chain([output]).collect();
    output::protect_model(model, &written)?;
    for path in arguments.temporal.files() {
        output::protect(path, &written)?;
    }
    trails.iter().try_for_each(|trail| output::distinct(&[("the result", output), ("a trail", Some(trail))]))
}

fn search(
    arguments: &CheckArguments,
    model: &Model,
    fair: FairRuns,
    output: &mut Output,
) -> Result<(CheckResult, Alarm), Failure> {
    let watch = Watch::new(arguments.limits.max_time);
    let alarm = watch.alarm();
    let memory = arguments.store.memory(&arguments.limits);
    let options = CheckOptions { fair, ..check_options(arguments, &memory) };
    // Other threads would wait for one that panicked.
    PANICS_ARE_CAUGHT.store(options.threads <= 1, Ordering::Relaxed);
    let mut result = match arguments.output.format {
        Format::Jsonl => {
            let properties = allways_workbench::properties(model);
            let properties = allways_workbench::select(&properties, &names(arguments)).map_err(refusal)?;
            output.line(&to_json_line(&events::started(model, &properties, arguments.search.seed)))?;
            output.flushed()?;
            // A line that cannot be written now will be missed at the end at the latest.
            let mut tell = |statistics: &Statistics| {
                let _ = output.line(&to_json_line(&events::progress(statistics)));
                let _ = output.flushed();
            };
            allways_workbench::check(model, &options, &mut watch.with_listener(&mut tell))
        }
        _ if arguments.output.quiet => allways_workbench::check(model, &options, &mut { watch }),
        _ => allways_workbench::check(model, &options, &mut watch.with_bar()),
    }
    .map_err(refusal)?;
    PANICS_ARE_CAUGHT.store(false, Ordering::Relaxed);
    if result.stopped == Some(Stopped::Memory) {
        explain(&memory, arguments.limits.max_mem, &mut result);
    }
    Ok((result, alarm))
}

fn check_options(arguments: &CheckArguments, memory: &Memory) -> CheckOptions {
    let SearchOptions { seed, .. } = arguments.search;
    CheckOptions {
        properties: names(arguments),
        semantics: arguments.semantics.semantics(),
        order: arguments.search.order(),
        until: match (arguments.first, arguments.keep_going) {
            (true, _) => Until::FirstViolation,
            (_, true) => Until::AllExplored,
            _ => Until::AllDecided,
        },
        limits: Limits {
            time: arguments.limits.max_time,
            memory: memory.limit,
            depth: arguments.limits.max_depth,
        },
        keep: arguments.store.keep(memory, seed),
        searches: arguments.store.searches(),
        on_full: arguments.store.on_full(memory, seed),
        reduce: arguments.search.reduces(),
        simplify: !arguments.search.plain,
        leave_out_hidden: arguments.search.plain,
        eager: false,
        threads: arguments.search.threads(),
        interpret: arguments.search.interpret,
        fair: FairRuns::default(),
        algorithm: arguments.temporal.cycles.into(),
    }
}

/// Runs compiled and interpreted steps side by side; a difference is our bug.
fn compare_steps(arguments: &CheckArguments, model: &Model, limit: u64) -> Result<Ending, Failure> {
    let memory = arguments.store.memory(&arguments.limits);
    let compared = lockstep::compare_model(model, &check_options(arguments, &memory), limit);
    let text = match compared {
        Ok(Compared::States(0)) => "there is no initial state, compiled or interpreted".to_string(),
        Ok(Compared::States(n)) => {
            format!("compiled and interpreted steps agree in {}", text::counted(n.min(limit), "state"))
        }
        Ok(Compared::Unsupported) => "not compared: this model is left to the interpreter".to_string(),
        Err(difference) => return Err(Failure::tool(difference).help(PLEASE_REPORT)),
    };
    let mut output = Output::open(arguments.output.output.as_deref())?;
    output.line(&text)?;
    output.flushed()?;
    Ok(Ending::Expected)
}

/// Says in the verdicts which limit it was that the search ran into.
fn explain(memory: &Memory, asked: Option<u64>, result: &mut CheckResult) {
    let limit = if memory.source == Source::Asked { asked } else { memory.limit };
    let Some(bytes) = limit.map(text::bytes) else { return };
    let which = match memory.source {
        Source::Asked => "",
        Source::Machine => ", 90 % of what the machine had left",
        Source::AddressSpace => ", half of what the limit of the address space leaves (`ulimit -v`)",
    };
    for property in &mut result.properties {
        if let Verdict::Inconclusive { reason, advice } = &mut property.verdict {
            reason.push_str(&format!(" ({bytes}{which})"));
            if memory.source == Source::AddressSpace {
                *advice = Some("allow more with `ulimit -v`, or use --on-full bitstate".to_string());
            }
        }
    }
}

fn refusal(error: CheckError) -> Failure {
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
        CheckError::ContextBound { .. } => Failure::usage(message)
            .help("choose others, as with -p assertions -p deadlock, or leave out --context-bound"),
        CheckError::Replay { .. } => Failure::tool(message).help(PLEASE_REPORT),
    }
}

fn write_report(
    arguments: &CheckArguments,
    report: &CheckReport,
    output: &mut Output,
) -> Result<(), Failure> {
    match arguments.output.format {
        Format::Json => output.line(&to_json(&result::checked(report)))?,
        Format::Jsonl => {
            events::finished(report).iter().try_for_each(|event| output.line(&to_json_line(event)))?
        }
        Format::Human => {
            let detail = match (arguments.output.quiet, arguments.output.verbose) {
                (true, _) => Detail::Quiet,
                (_, true) => Detail::Full,
                _ => Detail::Normal,
            };
            output.text(&summary::report(report, detail, output.palette(), "allways replay"))?;
        }
    }
    output.flushed()
}

fn ending(result: &CheckResult) -> Ending {
    let any = |is: fn(&Verdict) -> bool| result.properties.iter().any(|property| is(&property.verdict));
    match result.stopped {
        Some(Stopped::Interrupt) => Ending::Interrupted,
        _ if any(|verdict| matches!(verdict, Verdict::Violated(_))) => Ending::Unexpected,
        _ if !result.internal_errors.is_empty() => Ending::Failed,
        _ if any(|verdict| matches!(verdict, Verdict::Inconclusive { .. })) => Ending::Inconclusive,
        _ => Ending::Expected,
    }
}
