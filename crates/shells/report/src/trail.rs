//! Trails as files: schema `allways/trail/1`. Fields may be added, not renamed.
//!
//! A trail can have millions of steps, so it is written step by step. Only `pid`, `transition` and `partner` of a
//! step are needed to repeat it; the rest is for people and for programs that show trails without having the model.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use allways_system::Event;
use allways_verdict::{Property, PropertyKind, Trail, TrailStep, Violation};
use allways_workbench::{
    Change, Demand, FairRuns, FairTo, Fairness, GivenAutomaton, LoadOptions, Model, PreprocessOptions, Run,
    Semantics, StepReport, UnlessOrder,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::{LocationRecord, ModelRecord, Tool};

/// The value of `schema`.
pub const SCHEMA: &str = "allways/trail/1";

/// Changes of values are recorded up to this step: finding them takes most of the time, and nobody reads further.
pub const STEPS_WITH_CHANGES: usize = 100_000;

/// A trail file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "allways/trail/1")]
pub struct TrailDocument {
    #[serde(flatten)]
    pub header: TrailHeader,
    /// In order.
    pub steps: Vec<StepRecord>,
}

/// Everything but the steps.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TrailHeader {
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    pub tool: Tool,
    pub model: ModelRecord,
    pub load: LoadRecord,
    pub semantics: SemanticsRecord,
    /// The property that the trail shows a violation of; null for a run that violates nothing.
    pub property: Option<String>,
    /// Of which kind it is.
    pub kind: Option<String>,
    /// How it is violated.
    pub reason: Option<String>,
    /// Where, if that is at one statement.
    pub location: Option<LocationRecord>,
    /// With which random choices were made, if there were any.
    pub seed: u64,
    /// For a lasso, the index in `steps` at which the cycle starts; the number of steps if the last state is repeated for
    /// ever.
    pub cycle: Option<usize>,
    /// The runs that count: `weak` or `strong`; left out if all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<String>,
    /// To whom they have to be fair, as given with `--fair-to`; left out if to every process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fair_to: Vec<String>,
}

/// How the model was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoadRecord {
    /// As given with `-D`.
    pub define: Vec<String>,
    /// As given with `-U`.
    pub undefine: Vec<String>,
    /// As given with `-I`.
    pub include: Vec<String>,
    /// `outermost` or `innermost`.
    pub unless: String,
    /// As given with `--ltl`: name and formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ltl: Vec<(String, String)>,
    /// As given with `--forbid` and `--require`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub automata: Vec<AutomatonRecord>,
}

/// An automaton that was given.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AutomatonRecord {
    /// Of the property.
    pub name: String,
    /// Whether each run has to be accepted; otherwise none may.
    pub required: bool,
    /// In the HOA format.
    pub text: String,
}

/// What the model leaves open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SemanticsRecord {
    /// `block` or `lose`.
    pub full_channel: String,
    pub strict_end: bool,
    pub check_overflow: bool,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Who moves.
    pub pid: u32,
    pub proctype: String,
    /// The number of the transition in the proctype.
    pub transition: u32,
    /// The receiver of a rendezvous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner: Option<PartnerRecord>,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The statement.
    pub text: String,
    /// New values; left out beyond step 100,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ChangeRecord>,
    /// What else happened, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventRecord>,
}

/// The receiver of a rendezvous.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PartnerRecord {
    pub pid: u32,
    pub proctype: String,
    /// The number of the transition in the proctype.
    pub transition: u32,
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// The statement.
    pub text: String,
}

/// A new value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// A variable, e.g. `x` or `a[1].b`, or a channel.
    pub name: String,
    /// Whose it is; null for a global variable or a channel.
    pub pid: Option<u32>,
    /// Null for a variable that just came into being.
    pub old: Option<String>,
    pub new: String,
}

/// Something that happened in a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventRecord {
    /// An assertion was false.
    AssertionFailed,
    /// The model printed something.
    Printed { text: String },
    /// A message entered a channel or was handed over; `lost` if the buffer was full and it was thrown away.
    Sent { channel: String, message: String, lost: bool },
    /// A message was taken from a channel, or copied.
    Received { pid: u32, channel: String, message: String },
    /// A channel was used that `owner` claimed for itself with `xr` or `xs`.
    ExclusiveViolated { owner: u32, claim: String },
    /// A process was created.
    Started { pid: u32 },
    /// The process ended.
    Ended,
    /// The step could not be completed.
    Fault { text: String },
}

/// Writes a trail step by step.
pub struct TrailWriter<W: Write> {
    writer: W,
    is_first: bool,
}

/// Why a trail cannot be used.
#[derive(Debug)]
pub enum TrailError {
    /// The file cannot be read.
    Read(io::Error),
    /// It is no trail, or one that is damaged.
    Format(String),
}

impl<W: Write> TrailWriter<W> {
    pub fn new(mut writer: W, header: &TrailHeader) -> io::Result<TrailWriter<W>> {
        let header = serde_json::to_string_pretty(header)?;
        // The header's last brace is written after the steps.
        write!(writer, "{},\n  \"steps\": [", header.strip_suffix("\n}").unwrap_or(&header))?;
        Ok(TrailWriter { writer, is_first: true })
    }

    pub fn step(&mut self, step: &StepRecord) -> io::Result<()> {
        let separator = if std::mem::take(&mut self.is_first) { "\n    " } else { ",\n    " };
        self.writer.write_all(separator.as_bytes())?;
        Ok(serde_json::to_writer(&mut self.writer, step)?)
    }

    pub fn finish(mut self) -> io::Result<()> {
        let end = if self.is_first { "]\n}\n" } else { "\n  ]\n}\n" };
        self.writer.write_all(end.as_bytes())?;
        self.writer.flush()
    }
}

/// The header of a trail, whose text may be cut off behind it; none if it is something else.
pub fn header_of(text: &str) -> Option<TrailHeader> {
    let end = text.find("\"steps\"")?;
    let header = text[..end].trim_end().strip_suffix(',')?;
    let document: TrailDocument = serde_json::from_str(&format!("{header}, \"steps\": []}}")).ok()?;
    (document.header.schema == SCHEMA).then_some(document.header)
}

/// Reads a trail file.
pub fn read(mut reader: impl Read) -> Result<TrailDocument, TrailError> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(TrailError::Read)?;
    let format = |error: serde_json::Error| TrailError::Format(error.to_string());
    // The schema first: a file of another kind deserves a better answer than the first field it lacks.
    let kind: Kind = serde_json::from_slice(&bytes).map_err(format)?;
    match kind.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(TrailError::Format(format!(
                "its schema is `{other}`, not `{SCHEMA}` or `{}`",
                crate::schedule::SCHEMA
            )));
        }
        None => return Err(TrailError::Format("it has no `schema`".to_string())),
    }
    let document: TrailDocument = serde_json::from_slice(&bytes).map_err(format)?;
    match document.header.cycle {
        Some(cycle) if cycle > document.steps.len() => {
            Err(TrailError::Format("its cycle starts behind its last step".to_string()))
        }
        _ => Ok(document),
    }
}

#[derive(Deserialize)]
struct Kind {
    schema: Option<String>,
}

impl std::fmt::Display for TrailError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TrailError::Read(error) => error.fmt(f),
            TrailError::Format(why) => write!(f, "it is not a trail: {why}"),
        }
    }
}

impl TrailHeader {
    /// Of a run that violates nothing.
    pub fn new(model: &Model, load: &LoadOptions, semantics: Semantics, seed: u64) -> TrailHeader {
        TrailHeader {
            schema: SCHEMA.to_string(),
            tool: Tool::this(),
            model: ModelRecord::new(model),
            load: LoadRecord::new(load),
            semantics: SemanticsRecord::new(semantics),
            property: None,
            kind: None,
            reason: None,
            location: None,
            seed,
            cycle: None,
            fairness: None,
            fair_to: Vec::new(),
        }
    }

    /// Of a run that counts under this fairness.
    pub fn with_fairness(self, fair: &FairRuns) -> TrailHeader {
        let fair_to = fair.only.iter().flat_map(|only| only.texts.clone()).collect();
        TrailHeader { fairness: fairness_word(fair.fairness).map(str::to_string), fair_to, ..self }
    }

    /// Of a run that violates this property.
    pub fn violating(self, property: &Property, violation: &Violation) -> TrailHeader {
        TrailHeader {
            property: Some(property.name.clone()),
            kind: Some(property.kind.word().to_string()),
            reason: Some(violation.reason.clone()),
            location: violation.location.as_ref().map(LocationRecord::from),
            cycle: violation.trail.cycle,
            ..self
        }
    }
}

/// None if all runs count.
pub fn fairness_word(fairness: Fairness) -> Option<&'static str> {
    match fairness {
        Fairness::None => None,
        Fairness::Weak => Some("weak"),
        Fairness::Strong => Some("strong"),
    }
}

impl TrailDocument {
    /// The property that it shows a violation of.
    pub fn property(&self) -> Option<Property> {
        Some(Property { name: self.header.property.clone()?, kind: self.kind()? })
    }

    /// The runs that count.
    pub fn fair_runs(&self, model: &Model) -> Result<FairRuns, String> {
        let fairness = match self.header.fairness.as_deref() {
            Some("weak") => Fairness::Weak,
            Some("strong") => Fairness::Strong,
            _ => Fairness::None,
        };
        let only = match &self.header.fair_to[..] {
            [] => None,
            texts => Some(FairTo::new(&model.system, texts)?),
        };
        Ok(FairRuns { fairness, only })
    }

    /// The kind of the property that it shows a violation of.
    pub fn kind(&self) -> Option<PropertyKind> {
        let word = self.header.kind.as_deref()?;
        PropertyKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What is needed to repeat it.
    pub fn trail(&self) -> Trail {
        let step = |step: &StepRecord| TrailStep {
            pid: step.pid,
            transition: step.transition,
            partner: step.partner.as_ref().map(|partner| (partner.pid, partner.transition)),
        };
        Trail { steps: self.steps.iter().map(step).collect(), cycle: self.header.cycle }
    }
}

impl LoadRecord {
    fn new(options: &LoadOptions) -> LoadRecord {
        let define = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        LoadRecord {
            define: options.preprocess.defines.iter().map(define).collect(),
            undefine: options.preprocess.undefines.clone(),
            include: options.preprocess.include_dirs.iter().map(|dir| dir.display().to_string()).collect(),
            unless: match options.unless {
                UnlessOrder::Outermost => "outermost",
                UnlessOrder::Innermost => "innermost",
            }
            .to_string(),
            ltl: options.preprocess.formulas.clone(),
            automata: options.automata.iter().map(AutomatonRecord::new).collect(),
        }
    }

    /// The options that were recorded.
    pub fn options(&self) -> LoadOptions {
        LoadOptions {
            preprocess: PreprocessOptions {
                defines: self.define.iter().map(|text| definition(text)).collect(),
                undefines: self.undefine.clone(),
                include_dirs: self.include.iter().map(PathBuf::from).collect(),
                formulas: self.ltl.clone(),
            },
            unless: match &*self.unless {
                "innermost" => UnlessOrder::Innermost,
                _ => UnlessOrder::Outermost,
            },
            automata: self.automata.iter().map(AutomatonRecord::given).collect(),
        }
    }
}

impl AutomatonRecord {
    fn new(given: &GivenAutomaton) -> AutomatonRecord {
        AutomatonRecord {
            name: given.name.clone(),
            required: given.demand == Demand::Require,
            text: given.text.clone(),
        }
    }

    fn given(&self) -> GivenAutomaton {
        GivenAutomaton {
            name: self.name.clone(),
            demand: if self.required { Demand::Require } else { Demand::Forbid },
            text: self.text.clone(),
        }
    }
}

/// `NAME` or `NAME=VALUE`, as after `-D`.
pub fn definition(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_string(), Some(value.to_string())),
        None => (text.to_string(), None),
    }
}

impl SemanticsRecord {
    fn new(semantics: Semantics) -> SemanticsRecord {
        SemanticsRecord {
            full_channel: if semantics.lossy { "lose" } else { "block" }.to_string(),
            strict_end: semantics.strict_end,
            check_overflow: semantics.check_overflow,
        }
    }

    /// The options that were recorded.
    pub fn semantics(&self) -> Semantics {
        Semantics {
            lossy: self.full_channel == "lose",
            strict_end: self.strict_end,
            check_overflow: self.check_overflow,
        }
    }
}

impl StepRecord {
    /// Of a step that `run` has just taken.
    pub fn new(report: &StepReport, run: &Run) -> StepRecord {
        let choice = &report.choice;
        let mut events: Vec<EventRecord> =
            report.events.iter().map(|event| event_record(event, run)).collect();
        events.extend(report.fault.iter().map(|fault| EventRecord::Fault { text: fault.to_string() }));
        let partner = choice.partner.as_ref().zip(choice.step.partner);
        StepRecord {
            pid: choice.pid,
            proctype: choice.proctype.clone(),
            transition: choice.step.transition.0,
            partner: partner.map(|((pid, proctype, text, location), (_, transition))| PartnerRecord {
                pid: *pid,
                proctype: proctype.clone(),
                transition: transition.0,
                file: location.file.clone(),
                line: location.line,
                column: location.column,
                text: text.clone(),
            }),
            file: choice.location.file.clone(),
            line: choice.location.line,
            column: choice.location.column,
            text: choice.text.clone(),
            changes: report.changes.iter().map(change_record).collect(),
            events,
        }
    }
}

fn change_record(change: &Change) -> ChangeRecord {
    let Change { name, pid, old, new } = change.clone();
    ChangeRecord { name, pid, old, new }
}

fn event_record(event: &Event, run: &Run) -> EventRecord {
    match event {
        Event::AssertionFailed => EventRecord::AssertionFailed,
        Event::Printed(text) => EventRecord::Printed { text: text.clone() },
        Event::Sent { channel, message, lost } => EventRecord::Sent {
            channel: run.channel_name(*channel),
            message: run.message_text(*channel, message),
            lost: *lost,
        },
        Event::Received { pid, channel, message } => EventRecord::Received {
            pid: *pid,
            channel: run.channel_name(*channel),
            message: run.message_text(*channel, message),
        },
        Event::ExclusiveViolated { owner, receive } => EventRecord::ExclusiveViolated {
            owner: *owner,
            claim: if *receive { "xr" } else { "xs" }.to_string(),
        },
        Event::Started(pid) => EventRecord::Started { pid: *pid },
        Event::Ended => EventRecord::Ended,
    }
}
