//! What the search of a program found, as JSON and for people.

use std::fmt::Write;

use allways_stateless::{Execution, PropertyName, Race, RacingAccess, SearchResult, Stopped, Visible};
use serde::Serialize;

use crate::palette::{Palette, Tone};
use crate::schedule::{self, ChoiceDocument, ProgramIdentity, WaitingDocument};

/// What the document says it is.
pub const SCHEMA: &str = "allways/explore/1";

/// The result of `allways explore`.
#[derive(Clone, Debug, Serialize)]
pub struct ExploreDocument {
    pub schema: &'static str,
    pub tool: Tool,
    pub program: ProgramIdentity,
    pub search: String,
    pub seed: u64,
    pub complete: bool,
    pub stats: Stats,
    pub properties: Vec<PropertyDocument>,
    /// Pairs of accesses that nothing orders, where memory is visible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub races: Vec<RaceDocument>,
    pub uncontrolled: Vec<String>,
    pub notices: Vec<String>,
}

/// Which Allways it was.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

/// What the search did.
#[derive(Clone, Debug, Serialize)]
pub struct Stats {
    pub executions: u64,
    pub transitions: u64,
    pub sleep_blocked: u64,
    pub cut: u64,
    pub depth: u64,
    pub seconds: f64,
    pub executions_per_second: f64,
}

/// A property and its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyDocument {
    pub name: &'static str,
    pub verdict: &'static str,
    pub reason: Option<String>,
    /// How many executions violate it.
    pub count: u64,
    /// The schedule file.
    pub trail: Option<String>,
}

/// Everything a report needs.
pub struct ExploreReport<'a> {
    pub program: &'a ProgramIdentity,
    pub result: &'a SearchResult,
    pub search: &'a str,
    pub visible: Visible,
    pub seed: u64,
    pub notices: &'a [String],
    /// Where the schedule of each finding was written.
    pub trails: &'a [(PropertyName, String)],
}

/// How a property fails, in words.
pub fn reason(property: PropertyName, execution: &Execution) -> String {
    match property {
        PropertyName::Deadlock => {
            let waiting = schedule::waiting(execution);
            let words: Vec<String> = waiting.iter().map(waits).collect();
            format!("deadlock: {}", words.join("; "))
        }
        PropertyName::Assertions => execution.message.clone(),
        PropertyName::Crash => match execution.signal() {
            Some(signal) => format!("the program was ended by signal {signal}"),
            None => "a process of the program was ended by a signal".to_string(),
        },
        PropertyName::Exit => match execution.exit_status() {
            Some(status) => format!("the program ended with exit status {status}"),
            None => "the program was ended from outside".to_string(),
        },
        PropertyName::Divergence => match execution.culprit {
            Some(thread) => format!("thread {thread} runs without any visible operation"),
            None => "nothing visible happens any more".to_string(),
        },
        PropertyName::Livelock => "everybody only yields".to_string(),
        PropertyName::Races => execution.races.first().map_or(String::new(), race),
    }
}

/// A race in words.
pub fn race(race: &Race) -> String {
    let side = |access: &RacingAccess| {
        format!("{} by thread {} at {:#x}", access.word(), access.thread, access.place)
    };
    format!("data race at {:#x}: {} and {}", race.address, side(&race.accesses[0]), side(&race.accesses[1]))
}

/// A race as data.
#[derive(Clone, Debug, Serialize)]
pub struct RaceDocument {
    /// The first of the eight bytes that contain those that race.
    pub address: u64,
    pub accesses: Vec<RacingAccessDocument>,
}

/// One of its two accesses.
#[derive(Clone, Debug, Serialize)]
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

fn waits(waiting: &WaitingDocument) -> String {
    match &waiting.object {
        Some(object) => format!("thread {} waits in {} for {object}", waiting.thread, waiting.operation),
        None => format!("thread {} waits in {}", waiting.thread, waiting.operation),
    }
}

fn stopped(reason: &Stopped) -> &'static str {
    match reason {
        Stopped::Violation => "the search stopped at a violation",
        Stopped::Executions => "the limit of executions was reached",
        Stopped::Time => "the time limit was reached",
        Stopped::Interrupted => "the search was interrupted",
        Stopped::Depth => "some executions were cut at the depth limit",
        Stopped::Sampling => "the search tries random schedules, not all",
        Stopped::NotRepeatable => "the program does not behave the same under the same schedule",
        Stopped::Endless => "an execution that goes on for ever was given up",
        Stopped::TooLarge => "an execution has too many threads, objects or steps",
    }
}

/// Why a property that is not violated need not hold.
fn doubt(result: &SearchResult) -> Option<String> {
    if let Some(reason) = result.stopped.first() {
        return Some(stopped(reason).to_string());
    }
    let first = result.uncontrolled.first()?;
    Some(format!("something was not under control: {first}"))
}

/// Every property with its verdict.
pub fn properties(report: &ExploreReport) -> Vec<PropertyDocument> {
    let one = |property: PropertyName| {
        let finding = report.result.findings.iter().find(|finding| finding.property == property);
        let doubt = doubt(report.result);
        let trail = report.trails.iter().find(|(name, _)| *name == property).map(|(_, path)| path.clone());
        PropertyDocument {
            name: property.word(),
            verdict: match (finding, &doubt) {
                (Some(_), _) => "violated",
                (None, Some(_)) => "inconclusive",
                (None, None) => "holds",
            },
            reason: finding.map(|finding| reason(property, &finding.execution)).or(doubt),
            count: finding.map_or(0, |finding| finding.count),
            trail,
        }
    };
    let is_checked =
        |property: &PropertyName| *property != PropertyName::Races || report.visible == Visible::Memory;
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
        seed: report.seed,
        complete: report.result.is_complete(),
        stats: Stats {
            executions: statistics.executions,
            transitions: statistics.transitions,
            sleep_blocked: statistics.sleep_blocked,
            cut: statistics.cut,
            depth: statistics.depth,
            seconds: statistics.seconds,
            executions_per_second: statistics.executions as f64 / statistics.seconds.max(1e-9),
        },
        properties: properties(report),
        races: report.result.races.iter().map(race_document).collect(),
        uncontrolled: report.result.uncontrolled.clone(),
        notices: report.notices.to_vec(),
    }
}

/// For people.
pub fn text(report: &ExploreReport, palette: Palette) -> String {
    let document = document(report);
    let mut text = String::new();
    for property in &document.properties {
        let tone = match property.verdict {
            "holds" => Tone::Good,
            "violated" => Tone::Bad,
            _ => Tone::Doubtful,
        };
        let reason = property.reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        let _ = writeln!(text, "{}: {}{reason}", property.name, palette.paint(tone, property.verdict));
        if let Some(trail) = &property.trail {
            let _ = writeln!(text, "  schedule: {trail} (`allways replay {trail}` repeats it)");
        }
    }
    for operation in &document.uncontrolled {
        let _ = writeln!(text, "not under control: {operation}");
    }
    let stats = &document.stats;
    let _ = writeln!(
        text,
        "{} executions, {} transitions, {} sleep-blocked, depth {}, {:.2} s, {:.0} executions/s",
        stats.executions,
        stats.transitions,
        stats.sleep_blocked,
        stats.depth,
        stats.seconds,
        stats.executions_per_second
    );
    text
}

/// One execution as a line of JSON.
#[derive(Clone, Debug, Serialize)]
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
        waiting: schedule::waiting(execution),
    }
}

fn outcome(execution: &Execution) -> &'static str {
    use allways_stateless::Outcome;
    match execution.outcome {
        Outcome::Finished if execution.exit_status() != Some(0) => "exit",
        Outcome::Finished => "finished",
        Outcome::Deadlock => "deadlock",
        Outcome::Assertion => "assertion",
        Outcome::Crash => "crash",
        Outcome::Divergence => "divergence",
        Outcome::Livelock => "livelock",
        Outcome::SleepBlocked => "sleep_blocked",
        Outcome::Cut => "cut",
        Outcome::Running | Outcome::Mismatch | Outcome::TooLarge => "failed",
    }
}
