//! `allways explore`: all the schedules of a program.

mod interactive;
mod watch;

use std::ffi::OsString;
use std::io::{BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use allways_report::explore::{self, ExploreReport, ProgramCounterexample};
use allways_report::schedule::{self, Conditions, ProgramIdentity, ScheduleDocument, TimeoutsDocument};
use allways_report::summary::Detail;
use allways_report::telling::Telling;
use allways_report::to_json;
use allways_stateless::{
    Bound, Choice, Circumstances, Difference, Execution, Executor, ExecutorOptions, ExitStatuses, Finding,
    Folder, Isolation, LaunchError, Promoted, PropertyName, SearchKind, SearchOptions, SearchResult,
    ShrinkLimits, Stopped, Streams, Timeouts, Tolerance, Turn, Visible, World, n_switches,
    repeat_with_callers, search, search_parallel, sha256_of, shrink,
};
use allways_verdict::Assumption;
use clap::{Args, ValueEnum};

use self::watch::Watch;
use crate::assumptions::AssumptionOptions;
use crate::exit::{Blame, Ending, Failure};
use crate::interrupt;
use crate::new_file::NewFile;
use crate::output::{self, Output};
use crate::surroundings;
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
    /// What threads can notice of each other: synchronisation alone, or also memory that they share, which shows data races; for
    /// that, the program must be compiled with -fsanitize=thread. `auto`: memory, if the program is compiled so
    #[arg(long, default_value = "auto", value_name = "WHAT")]
    visible: VisibleArgument,
    #[command(flatten)]
    assumptions: AssumptionOptions,
    /// The exit statuses that are no violation, as in 0,1; `any` for all of them
    #[arg(long, value_name = "LIST", default_value = "0", value_parser = exit_statuses)]
    exit_status: ExitStatuses,
    /// Processes other than the first may be ended by a signal, call abort() or fail an assertion of C: their parents see that
    #[arg(long)]
    children_may_crash: bool,
    /// A wait for a condition variable may also end without a signal, once at each place until there was one, as POSIX permits
    #[arg(long)]
    spurious_wakeups: bool,
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
    /// How often a thread may try in vain at one place (a failed trylock, a wait that times out) while no other thread moves, before it has to
    /// wait for others. Threads that only repeat themselves wait at once
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,
    /// Do not stop at the first violation (or, if that is a data race, a while after it); explore everything
    #[arg(long)]
    keep_going: bool,
    /// Executions side by side; 0 for as many as there are cores. With several, the schedule that is reported may vary, and with a reduction the number of
    /// executions too. A program that writes files in its folder needs --scratch then
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// For the random searches, and for the random numbers that the program draws: another seed gives others
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many processors the program sees; as many as it would see without Allways if that is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    processors: Option<u32>,
    /// When time limits pass, and alarms come: at any time; `late`: one of 5 seconds or more (`late=TIME` for another border) only when no other thread
    /// can move, or when so much time was slept; or never, so that whatever needs a limit to go on is a deadlock
    #[arg(long, value_name = "WHEN", value_parser = timeouts, default_value = "late")]
    timeouts: Timeouts,
    /// For people, or for programs: one JSON object
    #[arg(long, default_value = "human")]
    format: Format,
    /// Write the result to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write one line of JSON per execution to this file
    #[arg(long, value_name = "FILE")]
    executions: Option<PathBuf>,
    /// Run in a folder of its own that is removed afterwards; each execution finds it empty, or as a copy of DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "", value_parser = any_path)]
    scratch: Option<PathBuf>,
    /// Do not write schedule files
    #[arg(long)]
    no_trail: bool,
    /// Spend at most so many executions, and 10 seconds, on a counterexample with fewer context switches; 0 to report it as it was found
    #[arg(long, value_name = "N", default_value_t = 500)]
    shrink: u64,
    /// Verdicts only: no progress, counterexamples or statistics
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Whole counterexamples, and how it was searched
    #[arg(short, long)]
    verbose: bool,
    /// Choose every step yourself
    #[arg(short, long, conflicts_with_all = ["search", "workers", "max_executions", "max_depth", "max_time", "keep_going", "format", "output", "executions", "quiet", "verbose"])]
    interactive: bool,
    /// Show the output of the program
    #[arg(long)]
    show_output: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  allways explore -- ./server --threads 2                  every schedule that makes a difference
  allways explore --keep-going -- ./server                 do not stop at the first violation
  allways explore --search pct --max-time 1m -- ./server   random schedules for a minute
  allways explore --bound preemption=2 -- ./server         every schedule with at most two preemptions
  allways explore --interactive -- ./server                choose the steps yourself
  allways replay server.deadlock.schedule.json             the same execution once more

The program runs again and again, with a library loaded into it that decides which thread goes on. `holds` is said only if every \
schedule was covered and everything that happened was under control. Compile with -g to see source lines and variables, and with \
-fsanitize=thread to have memory looked at: without that, nothing holds of a program with several threads but under the assumption \
that memory does not matter, unless you say --visible sync.

With --bound there is no reduction, because equivalent schedules need not have the same number of preemptions; `holds` is then said \
only if no schedule is beyond the bound.

Exit codes: 0 all properties hold; 1 some property is violated; 3 no violation, but not everything was covered \
or looked at; 4 the program \
cannot be started or controlled; 130 interrupted: the first Ctrl-C ends the search with what is known.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Search {
    Naive,
    Persistent,
    Source,
    Pct,
    Random,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum VisibleArgument {
    Auto,
    Sync,
    Memory,
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

/// How long to look for schedules with fewer context switches.
const SHRINK_TIME: Duration = Duration::from_secs(10);

/// How long a program may be silent when it is repeated.
pub const PATIENCE: Duration = Duration::from_secs(5);

pub fn run(arguments: &ExploreArguments) -> Result<Ending, Failure> {
    let mut is_told = false;
    let outcome = attempt(arguments, &mut is_told);
    if arguments.format == Format::Json && !is_told {
        tell_failure(&outcome, arguments.output.as_deref());
    }
    outcome
}

/// Why nothing was executed, as a document. Who cannot even write that finds the message on standard error.
pub fn tell_failure(outcome: &Result<Ending, Failure>, output: Option<&Path>) {
    // A command line that is wrong may be so because of the file.
    if let Err(failure) = outcome
        && (output.is_none() || failure.blame != Blame::CommandLine)
        && let Ok(mut output) = Output::open(output)
    {
        let document = to_json(&explore::failure(&failure.message, &failure.help));
        let _ = output.line(&document).and_then(|()| output.flushed());
    }
}

/// Notes when the result begins to be written: then no other document follows.
fn attempt(arguments: &ExploreArguments, is_told: &mut bool) -> Result<Ending, Failure> {
    if arguments.bound.is_some() && !matches!(arguments.search, Search::Naive | Search::Source) {
        return Err(Failure::usage("--bound goes with --search naive and source only"));
    }
    let outputs =
        [("the result", arguments.output.as_deref()), ("the executions", arguments.executions.as_deref())];
    output::distinct(&outputs)?;
    let mut output = Output::open(arguments.output.as_deref())?;
    if !arguments.interactive {
        interrupt::listen();
    }
    let mut watch = Watch::new(arguments.executions.as_deref(), !arguments.quiet)?;
    let mut executor = Executor::new(&executor_options(arguments))
        .map_err(|error| refusal_of(Path::new(&arguments.program[0]), error))?;
    let program = identity(&arguments.program, &executor)?;
    if arguments.interactive {
        return interactive::run(&mut executor, &program, output);
    }
    let options = search_options(arguments);
    let mut result = match n_workers(arguments) {
        1 => search(&mut executor, &options, &mut watch),
        n => search_parallel(&executor_options(arguments), &mut executor, &options, n, &mut watch),
    }
    .map_err(refusal)?;
    watch.finish()?;
    let (counterexamples, unwritten) = counterexamples(arguments, &program, &mut result, &mut executor)?;
    let notices = notices(&executor, &result).into_iter().chain(unwritten).collect::<Vec<_>>();
    let assumptions = assumptions(arguments, &result, &executor);
    let report = ExploreReport {
        program: &program,
        result: &result,
        search: arguments.search.word(),
        visible: executor.visible(),
        asks_for_races: arguments.visible != VisibleArgument::Sync,
        assumptions: &assumptions,
        seed: arguments.seed,
        notices: &notices,
        counterexamples: &counterexamples,
    };
    *is_told = true;
    match arguments.format {
        Format::Human => output.text(&explore::text(&report, detail(arguments), output.palette()))?,
        Format::Json => output.line(&to_json(&explore::document(&report)))?,
    }
    output.flushed()?;
    Ok(arguments.assumptions.applied(ending(&result), &assumptions))
}

/// What the verdicts rest on.
fn assumptions(arguments: &ExploreArguments, result: &SearchResult, executor: &Executor) -> Vec<Assumption> {
    let circumstances = Circumstances {
        visible: executor.visible(),
        is_asked: arguments.visible == VisibleArgument::Sync,
        symbols: &executor.symbols(),
    };
    allways_stateless::assumptions(&result.facts, &circumstances)
}

fn n_workers(arguments: &ExploreArguments) -> usize {
    match arguments.workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

fn detail(arguments: &ExploreArguments) -> Detail {
    match (arguments.quiet, arguments.verbose) {
        (true, _) => Detail::Quiet,
        (_, true) => Detail::Full,
        _ => Detail::Normal,
    }
}

fn executor_options(arguments: &ExploreArguments) -> ExecutorOptions {
    ExecutorOptions {
        program: PathBuf::from(&arguments.program[0]),
        name: arguments.program[0].clone(),
        arguments: arguments.program[1..].to_vec(),
        streams: if arguments.show_output { Streams::Shown } else { Streams::Hidden },
        patience: arguments.patience,
        retries: arguments.retries,
        folder: arguments.scratch.as_deref().map_or(Folder::Current, scratch_folder),
        visible: match arguments.visible {
            VisibleArgument::Auto => Visible::Auto,
            VisibleArgument::Sync => Visible::Sync,
            VisibleArgument::Memory => Visible::Memory,
        },
        spurious_wakeups: arguments.spurious_wakeups,
        tolerance: Tolerance {
            exits: arguments.exit_status.clone(),
            children_may_crash: arguments.children_may_crash,
        },
        world: World {
            processors: arguments.processors,
            seed: arguments.seed,
            timeouts: arguments.timeouts,
            ..World::default()
        },
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

/// `0,1`, `any`.
fn exit_statuses(text: &str) -> Result<ExitStatuses, String> {
    if text == "any" {
        return Ok(ExitStatuses::Any);
    }
    let one = |status: &str| {
        let wrong =
            || format!("{status:?} is no exit status: write numbers from 0 to 255, as in 0,1, or any");
        status.trim().parse().map_err(|_| wrong())
    };
    Ok(ExitStatuses::Listed(text.split(',').map(one).collect::<Result<_, _>>()?))
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

/// Who is to blame if this program cannot be explored.
pub fn refusal_of(program: &Path, error: LaunchError) -> Failure {
    match error {
        LaunchError::NotStarted(error) => not_started(program, &error),
        error => refusal(error),
    }
}

/// The kernel's words alone do not say which file they are about.
fn not_started(program: &Path, error: &std::io::Error) -> Failure {
    const NOT_EXECUTABLE: i32 = 8;
    let name = program.display();
    let has_path = program.components().count() > 1;
    let why = match error.kind() {
        _ if program.is_dir() && has_path => "it is a directory".to_string(),
        ErrorKind::NotFound if has_path && program.exists() => {
            "the interpreter that it names in its first line, or as its loader, does not exist".to_string()
        }
        ErrorKind::NotFound if has_path => "there is no such file".to_string(),
        ErrorKind::NotFound => "there is no program of that name in the directories of PATH".to_string(),
        ErrorKind::PermissionDenied => "it is not executable".to_string(),
        _ if error.raw_os_error() == Some(NOT_EXECUTABLE) => {
            "it is neither a program for this machine nor a script with `#!` in its first line".to_string()
        }
        _ => error.to_string(),
    };
    let failure = Failure::model(format!("the program {name} cannot be started: {why}"));
    match program.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "cc" | "cpp") => failure.help(format!(
            "compile it: gcc -g -fsanitize=thread -pthread {name} -o {}",
            program.with_extension("").display()
        )),
        _ if !has_path && program.exists() => failure.help(format!("did you mean ./{name}?")),
        _ => failure,
    }
}

/// `any`, `late`, `late=10s`, `never`.
fn timeouts(text: &str) -> Result<Timeouts, String> {
    match text.split_once('=') {
        None if text == "any" => Ok(Timeouts::Any),
        None if text == "late" => Ok(Timeouts::default()),
        None if text == "never" => Ok(Timeouts::Never),
        Some(("late", border)) => units::duration(border).map(Timeouts::Late),
        _ => Err("write any, late, late=TIME or never".to_string()),
    }
}

/// Who is to blame if a program cannot be explored.
pub fn refusal(error: LaunchError) -> Failure {
    match error {
        LaunchError::NotStarted(error) => Failure::model(format!("the program cannot be started: {error}")),
        LaunchError::NotControlled(program) => {
            let help = if contains(&program, b"__asan_init") {
                "AddressSanitizer must come first in the list of libraries, and so must the library of Allways: compile it \
                    without -fsanitize=address"
            } else if contains(&program, b"__sanitizer_set_report_path") {
                "it contains a runtime of the compiler, which leaves no room for ours; with clang -fsanitize=thread, \
                    add -shared-libsan"
            } else {
                "it must be a dynamically linked program for this machine"
            };
            Failure::model(format!("the program {program} cannot be brought under control")).help(help)
        }
        LaunchError::NotCopied(error) => {
            Failure::usage(format!("the folder of --scratch cannot be copied: {error}"))
        }
        LaunchError::Machine(error) => {
            let failure = Failure::tool(format!("the program cannot be explored: {error}"));
            match error.kind() {
                ErrorKind::NotFound | ErrorKind::PermissionDenied => failure.help(format!(
                    "temporary files are made in {}: TMPDIR must name a directory that can be written",
                    std::env::temp_dir().display()
                )),
                ErrorKind::OutOfMemory => {
                    failure.help("raise the limit of the address space: see `ulimit -v`")
                }
                ErrorKind::FileTooLarge => {
                    failure.help("raise the limit of the size of files: see `ulimit -f`")
                }
                _ => failure,
            }
        }
    }
}

/// Is there such a text in a file?
fn contains(program: &str, text: &[u8]) -> bool {
    std::fs::read(program).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text))
}

fn identity(command: &[OsString], executor: &Executor) -> Result<ProgramIdentity, Failure> {
    let path = executor.path();
    let sha256 = sha256_of(path)
        .map_err(|error| Failure::model(format!("cannot read the program {}: {error}", path.display())))?;
    let text = |argument: &OsString| argument.to_string_lossy().into_owned();
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    Ok(ProgramIdentity {
        path: absolute.display().to_string(),
        name: Some(text(&command[0])),
        sha256,
        arguments: command[1..].iter().map(text).collect(),
    })
}

fn notices(executor: &Executor, result: &SearchResult) -> Vec<String> {
    let mut notices = Vec::new();
    if executor.isolation() == Isolation::None {
        notices.push("the kernel permits no namespaces: what the program leaves behind is not cleaned up");
    }
    if !executor.notices_direct_calls() {
        notices.push("the kernel does not tell about direct system calls: if the program makes any, they are not noticed");
    }
    if result.is_complete() && result.facts.is_sequential() {
        notices.push("only one thread was seen: nothing to interleave");
    }
    let statistics = &result.statistics;
    if statistics.assumed > 0 && statistics.assumed + statistics.sleep_blocked == statistics.executions {
        notices.push("no execution got past a false assumption (aw_assume): what holds, holds of nothing");
    }
    let difference = result.difference.as_ref().map(|difference| difference.words(&executor.symbols()));
    notices.into_iter().map(str::to_string).chain(difference).collect()
}

/// Every violation with as few context switches as were found, told with source lines, and in a file of its own in the current directory;
/// and why some of the files could not be written. What does not happen again in a new process, as `replay` starts one, is taken out of the
/// result.
fn counterexamples(
    arguments: &ExploreArguments,
    program: &ProgramIdentity,
    result: &mut SearchResult,
    executor: &mut Executor,
) -> Result<(Vec<ProgramCounterexample>, Vec<String>), Failure> {
    let symbols = executor.symbols();
    let (mut counterexamples, mut unwritten) = (Vec::new(), Vec::new());
    for finding in std::mem::take(&mut result.findings) {
        let Some(execution) = confirmed(arguments, &finding, executor, result)? else { continue };
        // Other schedules may have shown more of the memory to be shared, but after the fact.
        executor.set_promoted(&finding.promoted);
        let property = finding.property;
        let telling = Telling { execution: &execution, symbols: Some(&symbols) };
        let document = schedule::document(program, Some(property), telling, conditions(executor));
        // The verdict counts, whether there is a file or not.
        let file = match arguments.no_trail {
            true => None,
            false => {
                write_schedule(&document, executor).map_err(|failure| unwritten.push(failure.message)).ok()
            }
        };
        let switches_found = n_switches(&finding.execution) as u64;
        counterexamples.push(ProgramCounterexample { property, schedule: document, switches_found, file });
        result.findings.push(finding);
    }
    Ok((counterexamples, unwritten))
}

/// What is reported of a violation: the best execution that happens again in a new process. If none does, the result says so.
fn confirmed(
    arguments: &ExploreArguments,
    finding: &Finding,
    executor: &mut Executor,
    result: &mut SearchResult,
) -> Result<Option<Execution>, Failure> {
    let Finding { property, execution: found, promoted, .. } = finding;
    let limits = ShrinkLimits { executions: arguments.shrink, time: SHRINK_TIME };
    executor.set_promoted(promoted);
    // A race has no schedule that is simpler than another: any will do in which both accesses happen.
    let best = match property {
        PropertyName::Races => found.clone(),
        _ => shrink(executor, found, limits).map_err(refusal)?,
    };
    let is_shrunk = best.schedule() != found.schedule();
    for candidate in [Some(&best), Some(found).filter(|_| is_shrunk)].into_iter().flatten() {
        let shown = repeat_elsewhere(arguments, executor, &candidate.schedule(), promoted)?;
        if property.is_violated_by(&shown) && shown.schedule() == candidate.schedule() {
            return Ok(Some(shown));
        }
        let expected = candidate.visible.iter().map(|index| Turn::of(&candidate.steps[*index]));
        result.difference = result.difference.take().or(Difference::find(expected, &shown));
    }
    result.stopped.retain(|reason| *reason != Stopped::Violation);
    if !result.stopped.contains(&Stopped::NotRepeatable) {
        result.stopped.push(Stopped::NotRepeatable);
    }
    Ok(None)
}

/// Repeats an execution in a new process of the program, with callers.
fn repeat_elsewhere(
    arguments: &ExploreArguments,
    executor: &Executor,
    schedule: &[Choice],
    promoted: &[u64],
) -> Result<Execution, Failure> {
    let options = ExecutorOptions { visible: executor.visible(), ..executor_options(arguments) };
    let mut other = Executor::new(&options).map_err(refusal)?;
    if executor.exits_are_visible() {
        other.make_exits_visible();
    }
    other.set_promoted(promoted);
    repeat_with_callers(&mut other, schedule).map_err(refusal)
}

fn write_schedule(document: &ScheduleDocument, executor: &Executor) -> Result<String, Failure> {
    let name =
        executor.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let word = if document.property.is_empty() { "chosen" } else { &document.property };
    let path = format!("{name}.{word}.schedule.json");
    let file = BufWriter::new(NewFile::unchecked(path.as_ref()));
    schedule::write(document, file)
        .map_err(|error| Failure::tool(format!("cannot write {path}: {error}")))?;
    Ok(path)
}

/// A path, also an empty one.
fn any_path(text: &str) -> Result<PathBuf, std::convert::Infallible> {
    Ok(PathBuf::from(text))
}

/// The folder that a name of a folder, or none, asks for.
pub fn scratch_folder(name: &Path) -> Folder {
    if name.as_os_str().is_empty() { Folder::Empty } else { Folder::CopyOf(name.to_path_buf()) }
}

/// What was a choice and what was not.
fn conditions(executor: &Executor) -> Conditions {
    let World { processors, seed, timeouts, .. } = executor.world();
    let Promoted { memory, files, objects } = Executor::by_kind(&executor.promoted());
    Conditions {
        exits_are_visible: executor.exits_are_visible(),
        retries: executor.retries(),
        scratch: match executor.folder() {
            Folder::Current => None,
            Folder::Empty => Some(String::new()),
            Folder::CopyOf(folder) => Some(folder.display().to_string()),
        },
        memory: (executor.visible() == Visible::Memory).then_some(memory),
        exit_statuses: match &executor.tolerance().exits {
            exits if *exits == ExitStatuses::default() => None,
            ExitStatuses::Any => Some(Vec::new()),
            ExitStatuses::Listed(list) => Some(list.clone()),
        },
        children_may_crash: executor.tolerance().children_may_crash,
        files,
        objects,
        processors,
        seed,
        timeouts: TimeoutsDocument::new(timeouts),
        surroundings: surroundings::of(executor),
    }
}

fn ending(result: &SearchResult) -> Ending {
    if result.stopped.contains(&Stopped::Interrupted) {
        Ending::Interrupted
    } else if !result.findings.is_empty() {
        Ending::Unexpected
    } else if result.is_complete() && result.uncontrolled.is_empty() && result.doubtful_races.is_empty() {
        Ending::Expected
    } else {
        Ending::Inconclusive
    }
}
