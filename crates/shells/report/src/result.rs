//! The result of a check as JSON: schema `allways/result/1`. Fields may be added, not renamed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use allways_verdict::{Location, PropertyKind, Verdict};
use allways_workbench::{
    Algorithm, CheckResult, Explanation, Keep, LoadError, Loss, Model, Moment, OneSearch, PropertyResult,
    Stopped, TemporalSearch, Unreached,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::assumption::AssumptionRecord;
use crate::counterexample::Counterexample;
use crate::diagnostics::{self, DiagnosticRecord};

/// The value of `schema`.
pub const SCHEMA: &str = "allways/result/1";

const STORES: [&str; 3] = ["exact", "compact", "bitstate"];
const VERDICTS: [&str; 3] = ["holds", "violated", "inconclusive"];

/// Everything a report on a check is made from.
pub struct CheckReport<'a> {
    pub model: &'a Model,
    pub result: &'a CheckResult,
    /// One for each property, in the same order; none where there is no violation.
    pub counterexamples: &'a [Option<Counterexample>],
    /// What is to be said of trails of properties that hold now.
    pub outdated: &'a [String],
    pub seed: u64,
    /// The most memory that the tool ever occupied, if the system tells.
    pub peak_rss: Option<u64>,
    /// Wall time of everything, reading the model included.
    pub total: Duration,
}

/// What `allways check --format json` prints.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "allways/result/1")]
pub enum ResultDocument {
    /// The model was read and its properties were checked.
    Checked(Box<CheckedDocument>),
    /// The model cannot be read.
    Unreadable(UnreadableDocument),
}

/// The verdicts on a model.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckedDocument {
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    pub tool: Tool,
    pub model: ModelRecord,
    /// With which random choices were made, if there were any.
    pub seed: u64,
    /// Every reachable state was explored, or one that stands for it.
    pub complete: bool,
    /// Why the search ended early: `violation`, `time`, `memory` or `interrupt`.
    pub stopped: Option<String>,
    pub stats: StatsRecord,
    pub properties: Vec<PropertyRecord>,
    /// What the verdicts rest on.
    #[serde(default)]
    pub assumptions: Vec<AssumptionRecord>,
    /// Statements that no run executes; empty unless `complete`.
    pub unreached: Vec<UnreachedRecord>,
    /// Warnings about the model.
    pub diagnostics: Vec<DiagnosticRecord>,
}

/// Why there are no verdicts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnreadableDocument {
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    pub tool: Tool,
    pub model: UnreadableModelRecord,
    /// At least one of them is an error.
    pub diagnostics: Vec<DiagnosticRecord>,
}

/// What wrote the document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    pub name: String,
    pub version: String,
}

/// The model that was checked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// As given on the command line.
    pub path: String,
    /// Of its text and that of everything it includes.
    pub sha256: String,
}

/// A model that could not be read.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnreadableModelRecord {
    /// As given on the command line.
    pub path: String,
}

/// What the search did.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsRecord {
    /// Distinct states.
    pub states: u64,
    /// Arrivals at a state that was known.
    pub matched: u64,
    /// Stored and matched together.
    pub transitions: u64,
    /// Steps that left their process inside an atomic sequence.
    pub atomic_steps: u64,
    /// Length of the longest path looked at.
    pub depth: u64,
    /// Those of these figures that may be different next time, because threads meet states in an order that depends on
    /// chance.
    pub varies: Vec<String>,
    /// Bytes of the largest packed state.
    pub state_bytes: u64,
    /// Bytes taken by the store.
    pub store_bytes: u64,
    /// The most memory the tool ever occupied; null where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
    /// Wall time of everything.
    pub seconds: f64,
    /// Wall time of the search alone.
    pub search_seconds: f64,
    /// Violations that the interpreter repeated and confirmed.
    pub replayed: u64,
    /// How many threads searched.
    pub threads: u64,
    /// Steps were interpreted, not compiled: on demand, or because the model needs it.
    pub interpreted: bool,
    /// Partial-order reduction was on: runs may have been left out because others stand for them.
    pub reduced: bool,
    /// Only runs with at most so many preemptions were explored. Left out if there is no such bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_bound: Option<u32>,
    /// What was done to the model before the search.
    pub simplified: SimplifiedRecord,
    /// How visited states were kept (at last, if the search changed to another store).
    #[schemars(extend("enum" = STORES))]
    pub store: String,
    /// States in the exact store when it reached the memory limit and the search went on, or began anew, in `store`; null if that
    /// did not happen.
    pub full_after: Option<u64>,
    /// It began anew then. Left out if it did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun_anew: bool,
    /// What a store that forgets may have lost, by all searches together; null if nothing can be lost.
    pub loss: Option<LossRecord>,
    /// The searches one by one, if there were several; `states` and `transitions` above are then those of the search that
    /// met most.
    pub searches: Vec<SearchRecord>,
}

/// What was done to a model so that it has fewer states, with the same verdicts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SimplifiedRecord {
    /// Variables without influence on anything, `proctype:name` if local; they are left out of the states.
    pub never_read: Vec<String>,
    /// Statements after which the search does not stop, because no other process could notice.
    pub merged: u64,
    /// Statements after which a variable is reset that is not read again before it is overwritten.
    pub resets: u64,
}

/// What a store that forgets may have lost: estimates.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LossRecord {
    /// The probability that some state was missed.
    pub missed_probability: f64,
    /// The part of the states met that was visited, at most 1.
    pub coverage: f64,
}

/// One of several searches.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SearchRecord {
    /// Of its hash function.
    pub seed: u64,
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub loss: LossRecord,
    /// Wall time.
    pub seconds: f64,
}

/// One verdict.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PropertyRecord {
    pub name: String,
    #[schemars(extend("enum" = PropertyKind::ALL.map(PropertyKind::word)))]
    pub kind: String,
    #[schemars(extend("enum" = VERDICTS))]
    pub verdict: String,
    /// The engine that answered.
    pub engine: String,
    /// The verdict that makes the exit code 0.
    #[schemars(extend("enum" = VERDICTS))]
    pub expected: String,
    /// How it is violated, or why it is not known; null if it holds.
    pub reason: Option<String>,
    /// Where it is violated, if that is at one statement.
    pub location: Option<LocationRecord>,
    /// The file with the counterexample.
    pub trail: Option<String>,
    /// How many violations were met until the search ended; without `--keep-going` it ends when every property is decided.
    pub count: u64,
    /// How many preemptions the counterexample has, the fewest possible. Left out unless the search had a context bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u32>,
    /// What to try next.
    pub advice: Option<String>,
    /// What is remarkable about the verdict, such as that the property holds for a trivial reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The index of the step of the trail at which the cycle starts; the number of steps if the last state is repeated for
    /// ever. Left out if there is no cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
    /// The search for this property alone, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<TemporalRecord>,
    /// What the property saw along the counterexample of a temporal property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationRecord>,
}

/// How a temporal property was searched.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TemporalRecord {
    /// States of the system together with states of the property's automaton.
    pub states: u64,
    /// Arrivals at one that was known.
    pub matched: u64,
    /// States of the system alone.
    pub system_states: u64,
    /// States of the automaton.
    pub observer_states: u64,
    /// Those of them that no run reaches, by name.
    pub unmet: Vec<String>,
    /// How often a state was expanded.
    pub visits: u64,
    /// Length of the longest path.
    pub depth: u64,
    /// `nested` or `components`.
    pub algorithm: String,
    /// `none`, `weak` or `strong`.
    pub fairness: String,
    /// To whom runs have to be fair, as given with `--fair-to`; left out if to every process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fair_to: Vec<String>,
    /// Runs may have been left out because others stand for them.
    pub reduced: bool,
    /// Bytes taken by the states and what is known of them.
    pub store_bytes: u64,
    pub seconds: f64,
}

/// What a property saw along a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExplanationRecord {
    /// The conditions it looks at.
    pub propositions: Vec<String>,
    /// The states it looked at.
    pub moments: Vec<MomentRecord>,
    /// After so many steps the property cannot be true any more; null if only the endless cycle breaks it.
    pub lost_after: Option<usize>,
}

/// A state that a property looked at.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MomentRecord {
    /// How many steps were taken by then.
    pub after: usize,
    /// The positions of the conditions that hold.
    pub holds: Vec<usize>,
    /// The state of the automaton, where it is known.
    pub observer: Option<String>,
}

/// A place in a text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LocationRecord {
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// A statement that no run executes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnreachedRecord {
    pub proctype: String,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    pub text: String,
}

impl Tool {
    /// This one.
    pub fn this() -> Tool {
        Tool { name: "allways".to_string(), version: env!("CARGO_PKG_VERSION").to_string() }
    }
}

impl ModelRecord {
    pub fn new(model: &Model) -> ModelRecord {
        ModelRecord { path: model.path.display().to_string(), sha256: model.sha256.clone() }
    }
}

impl From<&Location> for LocationRecord {
    fn from(location: &Location) -> LocationRecord {
        LocationRecord { file: location.file.clone(), line: location.line, column: location.column }
    }
}

/// The result of a check.
pub fn checked(report: &CheckReport) -> CheckedDocument {
    let result = report.result;
    CheckedDocument {
        schema: SCHEMA.to_string(),
        tool: Tool::this(),
        model: ModelRecord::new(report.model),
        seed: report.seed,
        complete: result.complete,
        stopped: result.stopped.as_ref().map(|stopped| stopped_word(stopped).to_string()),
        stats: stats(report),
        properties: properties(report),
        assumptions: Vec::new(),
        unreached: result.unreached.iter().map(unreached).collect(),
        diagnostics: diagnostics::records(&report.model.sources, &report.model.warnings),
    }
}

/// The verdicts alone.
pub fn properties(report: &CheckReport) -> Vec<PropertyRecord> {
    let trail = |counterexample: &'_ Option<Counterexample>| counterexample.as_ref()?.file.clone();
    let trails = report.counterexamples.iter().map(trail);
    report.result.properties.iter().zip(trails).map(|(result, trail)| property(result, trail)).collect()
}

/// The statistics alone.
fn stats(report: &CheckReport) -> StatsRecord {
    let CheckResult { statistics, method, simplified, .. } = report.result;
    StatsRecord {
        states: statistics.states,
        matched: statistics.matched,
        transitions: statistics.transitions(),
        atomic_steps: statistics.atomic_steps,
        depth: statistics.depth,
        varies: varying(report.result).iter().map(|name| name.to_string()).collect(),
        state_bytes: statistics.state_bytes,
        store_bytes: statistics.store_bytes,
        peak_rss_bytes: report.peak_rss,
        seconds: report.total.as_secs_f64(),
        search_seconds: statistics.search.as_secs_f64(),
        replayed: statistics.replayed,
        threads: method.threads as u64,
        interpreted: method.interpreted,
        reduced: method.reduced,
        context_bound: method.context_bound,
        simplified: SimplifiedRecord {
            never_read: simplified.never_read.clone(),
            merged: simplified.merged as u64,
            resets: simplified.resets as u64,
        },
        store: store_word(method.keep).to_string(),
        full_after: method.full_after,
        begun_anew: method.begun_anew,
        loss: report.result.loss.map(LossRecord::from),
        searches: report.result.searches.iter().map(SearchRecord::from).collect(),
    }
}

/// The figures that several threads may find different next time. All states are found whatever the order, unless
/// something is lost or left out on the way.
pub(crate) fn varying(result: &CheckResult) -> &'static [&'static str] {
    if result.method.threads == 1 {
        &[]
    } else if result.complete && !result.method.reduced {
        &["depth"]
    } else {
        &["states", "matched", "transitions", "atomic_steps", "depth"]
    }
}

/// The word used for a store, here and on the command line.
pub(crate) fn store_word(keep: Keep) -> &'static str {
    match keep {
        Keep::Exact => STORES[0],
        Keep::Compact => STORES[1],
        Keep::Bitstate { .. } => STORES[2],
    }
}

impl From<Loss> for LossRecord {
    fn from(loss: Loss) -> LossRecord {
        LossRecord { missed_probability: loss.missed_probability, coverage: loss.coverage }
    }
}

impl From<&OneSearch> for SearchRecord {
    fn from(search: &OneSearch) -> SearchRecord {
        SearchRecord {
            seed: search.seed,
            states: search.statistics.states,
            transitions: search.statistics.transitions(),
            depth: search.statistics.depth,
            loss: LossRecord::from(search.loss),
            seconds: search.statistics.search.as_secs_f64(),
        }
    }
}

/// What is said of a model that cannot be read.
pub fn unreadable(path: &Path, error: &LoadError) -> UnreadableDocument {
    let diagnostics = match error {
        LoadError::Mistakes { sources, diagnostics } => diagnostics::records(sources, diagnostics),
        LoadError::Read { .. } => vec![whole_file(path, "unreadable-file", error)],
        LoadError::Automaton { .. } => vec![whole_file(path, "unusable-automaton", error)],
        LoadError::Internal(_) => vec![whole_file(path, "internal-error", error)],
    };
    UnreadableDocument {
        schema: SCHEMA.to_string(),
        tool: Tool::this(),
        model: UnreadableModelRecord { path: path.display().to_string() },
        diagnostics,
    }
}

/// What is said of a model that was not read within the limits.
pub fn unread(path: &Path, why: &str) -> UnreadableDocument {
    UnreadableDocument {
        schema: SCHEMA.to_string(),
        tool: Tool::this(),
        model: UnreadableModelRecord { path: path.display().to_string() },
        diagnostics: vec![whole_file(path, "limit-reached", why)],
    }
}

fn whole_file(path: &Path, code: &str, error: impl std::fmt::Display) -> DiagnosticRecord {
    DiagnosticRecord {
        severity: "error".to_string(),
        code: code.to_string(),
        message: error.to_string(),
        file: path.display().to_string(),
        line: None,
        column: None,
        help: Vec::new(),
    }
}

fn property(result: &PropertyResult, trail: Option<PathBuf>) -> PropertyRecord {
    let mut record = PropertyRecord {
        name: result.property.name.clone(),
        kind: result.property.kind.word().to_string(),
        verdict: result.verdict.word().to_string(),
        engine: "explicit".to_string(),
        expected: Verdict::Holds.word().to_string(),
        reason: None,
        location: None,
        trail: trail.map(|path| path.display().to_string()),
        count: 0,
        preemptions: None,
        advice: None,
        remarks: Vec::new(),
        cycle: None,
        search: result.search.as_ref().map(search_record),
        explanation: None,
    };
    if let Some(search) = &result.search {
        record.remarks.clone_from(&search.remarks);
        record.explanation = search.explanation.as_ref().map(|known| explanation_record(search, known));
    }
    match &result.verdict {
        Verdict::Holds => {}
        Verdict::Violated(violation) => {
            record.reason = Some(violation.reason.clone());
            record.location = violation.location.as_ref().map(LocationRecord::from);
            record.count = violation.count;
            record.preemptions = violation.preemptions;
            record.cycle = violation.trail.cycle;
        }
        Verdict::Inconclusive { reason, advice } => {
            record.reason = Some(reason.clone());
            record.advice = advice.clone();
        }
    }
    record
}

fn search_record(search: &TemporalSearch) -> TemporalRecord {
    let statistics = &search.statistics;
    let name = |state: &u32| search.observer.states.get(*state as usize).map(|state| state.name.clone());
    TemporalRecord {
        states: statistics.states,
        matched: statistics.matched,
        system_states: search.system_states,
        observer_states: search.observer.states.len() as u64,
        unmet: search.unmet.iter().filter_map(name).collect(),
        visits: search.visits,
        depth: statistics.depth,
        algorithm: match search.algorithm {
            Algorithm::Components => "components",
            _ => "nested",
        }
        .to_string(),
        fairness: crate::trail::fairness_word(search.fair.fairness).unwrap_or("none").to_string(),
        fair_to: search.fair.only.iter().flat_map(|only| only.texts.clone()).collect(),
        reduced: search.reduced,
        store_bytes: statistics.store_bytes,
        seconds: statistics.search.as_secs_f64(),
    }
}

fn explanation_record(search: &TemporalSearch, explanation: &Explanation) -> ExplanationRecord {
    let moment = |moment: &Moment| MomentRecord {
        after: moment.after,
        holds: (0..explanation.propositions.len()).filter(|bit| moment.letter >> bit & 1 == 1).collect(),
        observer: moment.observer.map(|state| search.observer.states[state as usize].name.clone()),
    };
    ExplanationRecord {
        propositions: explanation.propositions.clone(),
        moments: explanation.moments.iter().map(moment).collect(),
        lost_after: explanation.lost_after,
    }
}

/// How cycles were searched for, in words.
pub fn algorithm_words(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Components => "by components",
        _ => "by depth-first search",
    }
}

fn unreached(unreached: &Unreached) -> UnreachedRecord {
    UnreachedRecord {
        proctype: unreached.proctype.clone(),
        file: unreached.location.file.clone(),
        line: unreached.location.line,
        column: unreached.location.column,
        text: unreached.text.clone(),
    }
}

fn stopped_word(stopped: &Stopped) -> &'static str {
    match stopped {
        Stopped::Violation => "violation",
        Stopped::Time => "time",
        Stopped::Memory => "memory",
        Stopped::Interrupt => "interrupt",
    }
}
