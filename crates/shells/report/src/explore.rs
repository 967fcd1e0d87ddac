//! What the search of a program found, as JSON and for people.

mod summary;

use allways_stateless::{
    Execution, Limit, Misuse, PropertyName, Race, RacingAccess, SearchResult, Stopped, Visible,
};
use allways_verdict::{Assumption, AssumptionKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::assumption::AssumptionRecord;
use crate::schedule::{self, ChoiceDocument, ProgramIdentity, ScheduleDocument, WaitingDocument};
use crate::telling::Telling;

pub use summary::text;

/// What the document says it is.
pub const SCHEMA: &str = "allways/explore/1";

/// What `allways explore --format json` prints, and so does `replay` of a schedule that cannot be replayed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
// Only the schema is made from it: each of the two is written as it is.
#[expect(dead_code, clippy::large_enum_variant)]
pub(crate) enum AnswerDocument {
    Result(ExploreDocument),
    Failure(FailureDocument),
}

/// Why there are no verdicts, or no execution.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FailureDocument {
    #[schemars(extend("const" = SCHEMA))]
    pub schema: &'static str,
    pub tool: Tool,
    pub error: ErrorRecord,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorRecord {
    pub message: String,
    /// What to try next.
    pub help: Vec<String>,
}

/// What is said of a program or a schedule that cannot be executed.
pub fn failure(message: &str, help: &[String]) -> FailureDocument {
    let tool = Tool { name: "allways", version: env!("CARGO_PKG_VERSION") };
    let error = ErrorRecord { message: message.to_string(), help: help.to_vec() };
    FailureDocument { schema: SCHEMA, tool, error }
}

/// The result of `allways explore`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExploreDocument {
    pub schema: &'static str,
    pub tool: Tool,
    pub program: ProgramIdentity,
    pub search: String,
    /// What was looked at: `sync`, or `memory` too.
    #[schemars(extend("enum" = ["sync", "memory"]))]
    pub visible: &'static str,
    pub seed: u64,
    pub complete: bool,
    pub stats: Stats,
    pub properties: Vec<PropertyDocument>,
    /// Pairs of accesses that nothing orders, where memory is visible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<RaceDocument>,
    /// What the program does that POSIX leaves undefined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub misuses: Vec<MisuseDocument>,
    pub uncontrolled: Vec<String>,
    /// What the verdicts rest on.
    pub assumptions: Vec<AssumptionRecord>,
    pub notices: Vec<String>,
}

/// Which Allways it was.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

/// What the search did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Stats {
    pub executions: u64,
    /// Executions with random choices beside the search; they are not counted elsewhere.
    pub samples: u64,
    pub transitions: u64,
    pub sleep_blocked: u64,
    /// Executions that ended at a false `aw_assume`.
    pub assumed: u64,
    pub cut: u64,
    pub depth: u64,
    pub seconds: f64,
    /// With the random ones.
    pub executions_per_second: f64,
}

/// A property and its verdict.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PropertyDocument {
    pub name: &'static str,
    pub verdict: &'static str,
    pub reason: Option<String>,
    /// How many executions violate it.
    pub count: u64,
    /// The schedule file.
    pub trail: Option<String>,
    /// The context switches of the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches: Option<u64>,
    /// How many it had when it was found, before it was shrunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches_found: Option<u64>,
}

/// Everything a report needs.
pub struct ExploreReport<'a> {
    pub program: &'a ProgramIdentity,
    pub result: &'a SearchResult,
    pub search: &'a str,
    pub visible: Visible,
    /// False if the user wants nothing to be known of memory.
    pub asks_for_races: bool,
    /// What the verdicts rest on.
    pub assumptions: &'a [Assumption],
    pub seed: u64,
    pub notices: &'a [String],
    /// For each finding.
    pub counterexamples: &'a [ProgramCounterexample],
}

/// An execution that violates a property.
pub struct ProgramCounterexample {
    pub property: PropertyName,
    pub schedule: ScheduleDocument,
    /// The context switches that it had when it was found; `schedule` may have fewer.
    pub switches_found: u64,
    /// Where it was written.
    pub file: Option<String>,
}

/// A race as data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RaceDocument {
    /// The first of the eight bytes that contain those that race.
    pub address: u64,
    pub accesses: Vec<RacingAccessDocument>,
}

/// One of its two accesses.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RacingAccessDocument {
    pub thread: u32,
    pub access: &'static str,
    /// The address in the program where it was announced.
    pub place: u64,
}

fn race_document(race: &Race) -> RaceDocument {
    let side = |access: &RacingAccess| RacingAccessDocument {
        thread: access.thread,
        access: access.word(),
        place: access.place,
    };
    RaceDocument { address: race.address, accesses: race.accesses.iter().map(side).collect() }
}

/// A misuse as data.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MisuseDocument {
    /// Such as `unlock_of_free`.
    pub fault: &'static str,
    pub thread: u32,
    /// The address in the program after the call.
    pub place: u64,
    /// Who did before what makes it wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier_thread: Option<u32>,
    /// Where, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier_place: Option<u64>,
}

fn misuse_document(misuse: &Misuse) -> MisuseDocument {
    MisuseDocument {
        fault: misuse.fault.word(),
        thread: misuse.thread,
        place: misuse.place,
        earlier_thread: misuse.earlier.map(|earlier| earlier.thread),
        earlier_place: misuse.earlier.map(|earlier| earlier.place).filter(|place| *place != 0),
    }
}

fn stopped(reason: &Stopped) -> &'static str {
    match reason {
        Stopped::Violation => "the search stopped at a violation",
        Stopped::Executions => "the limit of executions was reached",
        Stopped::Time => "the time limit was reached",
        Stopped::Interrupted => "the search was interrupted",
        Stopped::Depth => "some executions were cut at the depth limit",
        Stopped::Bound => "there are schedules beyond the bound",
        Stopped::Sampling => "the search tries random schedules, not all",
        Stopped::NotRepeatable => "the program does not behave the same under the same schedule",
        Stopped::Retries => "a loop that tries again and again was left after some rounds in vain",
        Stopped::Endless => "an execution that goes on for ever was given up",
        Stopped::TooLarge => "an execution needs more room than there is",
    }
}

/// The same, with what is known of an execution that did not end.
fn why(result: &SearchResult, reason: &Stopped) -> String {
    let known = match reason {
        Stopped::Endless => result.standstill.clone(),
        Stopped::TooLarge => result.limit.map(limit),
        _ => None,
    };
    known.unwrap_or_else(|| stopped(reason).to_string())
}

/// What an execution needs more of than there is room for.
fn limit((limit, size): (Limit, u64)) -> String {
    let (what, unit) = match limit {
        Limit::Threads => ("slots for threads in use", ""),
        Limit::Processes => ("processes", ""),
        Limit::Objects => ("locks, files and other objects", ""),
        Limit::Steps => ("steps", ""),
        Limit::Lists => ("room for what operations touch", " MB"),
        Limit::SharedPlaces => ("places in memory that threads share", ""),
        Limit::WatchedMemory => ("memory that is watched", " MB"),
        Limit::Accesses => ("accesses to the same places in memory", ""),
        Limit::Synchronisation => ("objects with which threads synchronise", ""),
    };
    let size = if unit.is_empty() { size } else { size >> 20 };
    match size {
        0 => format!("an execution has more {what} than there is room for"),
        _ => format!("an execution has more than {size}{unit} {what}"),
    }
}

/// Was memory not looked at, though it is shared and the user did not say that it does not matter?
fn is_blind(report: &ExploreReport) -> Option<&'static str> {
    let is_it = |one: &&Assumption| one.kind == AssumptionKind::MemoryNotVisible && !one.asked;
    let is_blind = report.visible != Visible::Memory && report.assumptions.iter().any(|one| is_it(&one));
    is_blind.then_some(match report.result.facts.is_instrumented {
        true => "memory was not looked at: use --visible memory",
        false => "memory was not looked at: compile with -fsanitize=thread",
    })
}

/// Why a property that is not violated need not hold.
fn doubt(report: &ExploreReport, property: PropertyName) -> Option<String> {
    let result = report.result;
    if result.violated_with_leftovers.contains(&property) {
        return Some("violated in an execution that found files of earlier ones: use --scratch".to_string());
    }
    if let Some(reason) = is_blind(report).filter(|_| property == PropertyName::Races) {
        return Some(reason.to_string());
    }
    if let Some(reason) = result.stopped.first() {
        return Some(why(result, reason));
    }
    if let Some(race) = result.doubtful_races.first().filter(|_| property == PropertyName::Races) {
        return Some(format!(
            "a data race, unless code without hooks orders it, as Rust's standard library or OpenMP: {race}"
        ));
    }
    let first = result.uncontrolled.first()?;
    Some(format!("something was not under control: {first}"))
}

/// Every property with its verdict.
pub fn properties(report: &ExploreReport) -> Vec<PropertyDocument> {
    let one = |property: PropertyName| {
        let finding = report.result.findings.iter().find(|finding| finding.property == property);
        let counterexample = report.counterexamples.iter().find(|one| one.property == property);
        let doubt = doubt(report, property);
        PropertyDocument {
            name: property.word(),
            verdict: match (finding, &doubt) {
                (Some(_), _) => "violated",
                (None, Some(_)) => "inconclusive",
                (None, None) => "holds",
            },
            reason: counterexample.map(|one| one.schedule.reason.clone()).or(doubt),
            count: finding.map_or(0, |finding| finding.count),
            trail: counterexample.and_then(|one| one.file.clone()),
            switches: counterexample.map(|one| one.schedule.switches),
            switches_found: counterexample.map(|one| one.switches_found),
        }
    };
    let is_checked = |property: &PropertyName| *property != PropertyName::Races || report.asks_for_races;
    PropertyName::ALL.into_iter().filter(is_checked).map(one).collect()
}

/// The whole as plain data.
pub fn document(report: &ExploreReport) -> ExploreDocument {
    let statistics = &report.result.statistics;
    ExploreDocument {
        schema: SCHEMA,
        tool: Tool { name: "allways", version: env!("CARGO_PKG_VERSION") },
        program: report.program.clone(),
        search: report.search.to_string(),
        visible: if report.visible == Visible::Memory { "memory" } else { "sync" },
        seed: report.seed,
        complete: report.result.is_complete(),
        stats: Stats {
            executions: statistics.executions,
            samples: statistics.samples,
            transitions: statistics.transitions,
            sleep_blocked: statistics.sleep_blocked,
            assumed: statistics.assumed,
            cut: statistics.cut,
            depth: statistics.depth,
            seconds: statistics.seconds,
            executions_per_second: (statistics.executions + statistics.samples) as f64
                / statistics.seconds.max(1e-9),
        },
        properties: properties(report),
        races: report.result.races.iter().map(race_document).collect(),
        misuses: report.result.misuses.iter().map(misuse_document).collect(),
        uncontrolled: report.result.uncontrolled.clone(),
        assumptions: report.assumptions.iter().map(AssumptionRecord::from).collect(),
        notices: report.notices.to_vec(),
    }
}

/// One execution as a line of JSON.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExecutionDocument {
    pub outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub schedule: Vec<ChoiceDocument>,
    pub waiting: Vec<WaitingDocument>,
}

/// An execution, for `--executions`.
pub fn execution(execution: &Execution) -> ExecutionDocument {
    ExecutionDocument {
        outcome: outcome(execution),
        exit: execution.exit_status(),
        signal: execution.signal(),
        message: Some(execution.message.clone()).filter(|message| !message.is_empty()),
        schedule: schedule::choices(execution),
        waiting: Telling { execution, symbols: None }.waiting(),
    }
}

fn outcome(execution: &Execution) -> &'static str {
    use allways_stateless::Outcome;
    match execution.outcome {
        Outcome::Finished if !execution.ends_well => "exit",
        Outcome::Finished => "finished",
        Outcome::Deadlock => "deadlock",
        Outcome::Assertion => "assertion",
        Outcome::Crash => "crash",
        Outcome::Divergence => "divergence",
        Outcome::Livelock => "livelock",
        Outcome::SleepBlocked => "sleep_blocked",
        Outcome::Cut => "cut",
        Outcome::Assumed => "assumed",
        Outcome::Running | Outcome::Mismatch | Outcome::TooLarge | Outcome::Lost => "failed",
    }
}
