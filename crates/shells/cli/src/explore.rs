//! `allways explore`: all the schedules of a program.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

use allways_report::explore::{self, ExploreReport};
use allways_report::schedule::{self, ProgramIdentity};
use allways_report::{to_json, to_json_line};
use allways_stateless::{
    Bound, Control, Execution, Executor, ExecutorOptions, Isolation, LaunchError, PropertyName, SearchKind,
    SearchOptions, SearchResult, SearchStatistics, Stopped, Streams, search, sha256_of,
};
use clap::{Args, ValueEnum};

use crate::exit::{Ending, Failure};
use crate::interrupt;
use crate::output::{self, Output};
use crate::units;

/// Run a program under every schedule and say what can go wrong
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ExploreArguments {
    /// Which schedules are tried: all of them; those that persistent sets and sleep sets leave; one of each kind that differs in
    /// more than the order of independent operations; or random ones. `persistent` begins anew when it has learned what threads do; its counts are
    /// those of the last round
    #[arg(long, default_value = "source", value_name = "SEARCH")]
    search: Search,
    /// Stop after so many executions
    #[arg(long, value_name = "N")]
    max_executions: Option<u64>,
    /// Cut executions after so many visible operations
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// Only schedules within a bound, and of those all: preemption=N (switches away from a thread that could have gone on) or
    /// delay=N (threads passed over, where the last one goes on as long as it can and the next in a circle follows)
    #[arg(long, value_name = "BOUND", value_parser = bound)]
    bound: Option<Bound>,
    /// Stop after this time, as in 10m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    max_time: Option<Duration>,
    /// How long a thread may run without a visible operation before that is called a divergence
    #[arg(long, value_name = "TIME", value_parser = units::duration, default_value = "5s")]
    patience: Duration,
    /// Do not stop at the first violation; explore everything
    #[arg(long)]
    keep_going: bool,
    /// For the random searches
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// For people, or for programs: one JSON object
    #[arg(long, default_value = "human")]
    format: Format,
    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write one line of JSON per execution to this file
    #[arg(long, value_name = "FILE")]
    executions: Option<PathBuf>,
    /// Do not write schedule files
    #[arg(long)]
    no_trail: bool,
    /// Show the output of the program
    #[arg(long)]
    show_output: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  allways explore -- ./server --threads 2                every schedule, one for each that makes a difference
  allways explore --keep-going -- ./server               do not stop at the first violation
  allways explore --search pct --max-time 1m -- ./server random schedules for a minute
  allways explore --bound preemption=2 -- ./server       every schedule with at most two preemptions
  allways replay server.deadlock.schedule.json           the same execution once more

The program runs again and again, with a library loaded into it that decides which thread goes on. `holds` is said only if every \
schedule was covered and everything that happened was under control. With --bound there is no reduction, because equivalent \
schedules need not have the same number of preemptions; `holds` is then said only if no schedule is beyond the bound.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Search {
    Naive,
    Persistent,
    Source,
    Pct,
    Random,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Human,
    Json,
}

impl Search {
    fn kind(self) -> SearchKind {
        match self {
            Search::Naive => SearchKind::Naive,
            Search::Persistent => SearchKind::Persistent,
            Search::Source => SearchKind::Source,
            Search::Pct => SearchKind::Pct,
            Search::Random => SearchKind::Random,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Search::Naive => "naive",
            Search::Persistent => "persistent",
            Search::Source => "source",
            Search::Pct => "pct",
            Search::Random => "random",
        }
    }
}

/// How long a program may be silent when it is repeated.
pub const PATIENCE: Duration = Duration::from_secs(5);

pub fn run(arguments: &ExploreArguments) -> Result<Ending, Failure> {
    if arguments.bound.is_some() && !matches!(arguments.search, Search::Naive | Search::Source) {
        return Err(Failure::usage("--bound goes with --search naive and source only"));
    }
    let mut output = Output::open(arguments.output.as_deref())?;
    let mut watch = Watch { executions: None };
    if let Some(path) = &arguments.executions {
        watch.executions = Some(BufWriter::new(output::create(path)?));
    }
    interrupt::listen();
    let mut executor = Executor::new(&executor_options(arguments)).map_err(refusal)?;
    let program = identity(arguments, &executor)?;
    let result = search(&mut executor, &search_options(arguments), &mut watch).map_err(refusal)?;
    watch.finish()?;
    let trails = if arguments.no_trail { Vec::new() } else { write_schedules(&program, &result, &executor)? };
    let report = ExploreReport {
        program: &program,
        result: &result,
        search: arguments.search.word(),
        seed: arguments.seed,
        notices: &notices(&executor),
        trails: &trails,
    };
    match arguments.format {
        Format::Human => output.text(&explore::text(&report, output.palette()))?,
        Format::Json => output.line(&to_json(&explore::document(&report)))?,
    }
    output.flushed()?;
    Ok(ending(&result))
}

fn executor_options(arguments: &ExploreArguments) -> ExecutorOptions {
    ExecutorOptions {
        program: PathBuf::from(&arguments.program[0]),
        arguments: arguments.program[1..].to_vec(),
        streams: if arguments.show_output { Streams::Shown } else { Streams::Hidden },
        patience: arguments.patience,
    }
}

fn search_options(arguments: &ExploreArguments) -> SearchOptions {
    SearchOptions {
        kind: arguments.search.kind(),
        max_executions: arguments.max_executions,
        max_depth: arguments.max_depth,
        max_time: arguments.max_time,
        keep_going: arguments.keep_going,
        seed: arguments.seed,
        bound: arguments.bound,
    }
}

/// `preemption=2`, `delay=1`.
fn bound(text: &str) -> Result<Bound, String> {
    let (name, limit) = text.split_once('=').ok_or("write preemption=N or delay=N")?;
    let limit = limit.parse().map_err(|_| format!("{limit} is not a number"))?;
    match name {
        "preemption" => Ok(Bound::Preemptions(limit)),
        "delay" => Ok(Bound::Delays(limit)),
        _ => Err(format!("there is no bound {name}, only preemption and delay")),
    }
}

/// Who is to blame if a program cannot be explored.
pub fn refusal(error: LaunchError) -> Failure {
    match error {
        LaunchError::NotStarted(error) => Failure::model(format!("the program cannot be started: {error}")),
        LaunchError::NotControlled(program) => {
            Failure::model(format!("the program {program} cannot be brought under control"))
                .help("it must be a dynamically linked program for this machine")
        }
        LaunchError::Machine(error) => Failure::tool(format!("the program cannot be explored: {error}")),
    }
}

fn identity(arguments: &ExploreArguments, executor: &Executor) -> Result<ProgramIdentity, Failure> {
    let path = executor.path();
    let sha256 = sha256_of(path)
        .map_err(|error| Failure::model(format!("cannot read the program {}: {error}", path.display())))?;
    let text = |argument: &OsString| argument.to_string_lossy().into_owned();
    Ok(ProgramIdentity {
        path: path.display().to_string(),
        sha256,
        arguments: arguments.program[1..].iter().map(text).collect(),
    })
}

fn notices(executor: &Executor) -> Vec<String> {
    match executor.isolation() {
        Isolation::Namespaces => Vec::new(),
        Isolation::None => vec![
            "the kernel permits no namespaces: what the program leaves behind is not cleaned up".to_string(),
        ],
    }
}

/// One file for each violated property, in the current directory.
fn write_schedules(
    program: &ProgramIdentity,
    result: &SearchResult,
    executor: &Executor,
) -> Result<Vec<(PropertyName, String)>, Failure> {
    let name =
        executor.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut written = Vec::new();
    for finding in &result.findings {
        let path = format!("{name}.{}.schedule.json", finding.property.word());
        let document = schedule::document(program, finding, executor.exits_are_visible());
        let file = output::create(path.as_ref())?;
        schedule::write(&document, file)
            .map_err(|error| Failure::tool(format!("cannot write {path}: {error}")))?;
        written.push((finding.property, path));
    }
    Ok(written)
}

fn ending(result: &SearchResult) -> Ending {
    if result.stopped.contains(&Stopped::Interrupted) {
        Ending::Interrupted
    } else if !result.findings.is_empty() {
        Ending::Unexpected
    } else if result.is_complete() && result.uncontrolled.is_empty() {
        Ending::Expected
    } else {
        Ending::Inconclusive
    }
}

/// Follows the search: Ctrl-C, and the file of executions.
struct Watch {
    executions: Option<BufWriter<File>>,
}

impl Watch {
    fn finish(self) -> Result<(), Failure> {
        let Some(mut file) = self.executions else { return Ok(()) };
        file.flush().map_err(|error| Failure::tool(format!("cannot write the executions: {error}")))
    }
}

impl Control for Watch {
    fn goes_on(&mut self, _: &SearchStatistics) -> bool {
        !interrupt::was_interrupted()
    }

    fn executed(&mut self, execution: &Execution) {
        if let Some(file) = &mut self.executions {
            // A full disk is noticed when the file is flushed.
            let _ = writeln!(file, "{}", to_json_line(&explore::execution(execution)));
        }
    }
}
