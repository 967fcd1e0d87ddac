//! A check as a stream of events, one JSON object per line: what `--format jsonl` prints while it goes on.

use allways_verdict::{Property, Statistics};
use allways_workbench::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::{self, DiagnosticRecord};
use crate::result::{
    self, CheckReport, CheckedDocument, ModelRecord, PropertyRecord, StatsRecord, Tool, UnreachedRecord,
    UnreadableDocument,
};

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
#[schemars(title = "allways/events/1")]
pub enum EventDocument {
    /// The model was read; the search begins.
    Started(Box<Started>),
    /// About once a second.
    Progress(Progress),
    /// One verdict; after the search.
    Property(Box<PropertyRecord>),
    /// The last line.
    Finished(Box<Finished>),
    /// The only line, if the model cannot be read.
    Unreadable(Box<UnreadableDocument>),
}

/// What is about to be checked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// The records are those of a result.
    #[schemars(extend("const" = result::SCHEMA))]
    pub schema: String,
    pub tool: Tool,
    pub model: ModelRecord,
    pub seed: u64,
    /// The names of the properties.
    pub properties: Vec<String>,
    /// Warnings about the model.
    pub diagnostics: Vec<DiagnosticRecord>,
}

/// How far the search is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub store_bytes: u64,
    /// Since the search began; each of several searches begins anew.
    pub seconds: f64,
}

/// What there is to say at the end, apart from the verdicts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Finished {
    pub complete: bool,
    /// As in a result.
    pub stopped: Option<String>,
    pub stats: StatsRecord,
    /// As in a result.
    pub unreached: Vec<UnreachedRecord>,
}

/// The only event, if the model cannot be read.
pub fn unreadable(document: UnreadableDocument) -> EventDocument {
    EventDocument::Unreadable(Box::new(document))
}

/// The first event.
pub fn started(model: &Model, properties: &[Property], seed: u64) -> EventDocument {
    EventDocument::Started(Box::new(Started {
        schema: result::SCHEMA.to_string(),
        tool: Tool::this(),
        model: ModelRecord::new(model),
        seed,
        properties: properties.iter().map(|property| property.name.clone()).collect(),
        diagnostics: diagnostics::records(&model.sources, &model.warnings),
    }))
}

/// While the search goes on.
pub fn progress(statistics: &Statistics) -> EventDocument {
    EventDocument::Progress(Progress {
        states: statistics.states,
        transitions: statistics.transitions(),
        depth: statistics.depth,
        store_bytes: statistics.store_bytes,
        seconds: statistics.search.as_secs_f64(),
    })
}

/// The verdicts and the end.
pub fn finished(report: &CheckReport) -> Vec<EventDocument> {
    let CheckedDocument { complete, stopped, stats, properties, unreached, .. } = result::checked(report);
    let verdicts = properties.into_iter().map(|property| EventDocument::Property(Box::new(property)));
    let end = EventDocument::Finished(Box::new(Finished { complete, stopped, stats, unreached }));
    verdicts.chain([end]).collect()
}
