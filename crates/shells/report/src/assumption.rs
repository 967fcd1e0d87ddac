//! What verdicts rest on, as JSON.

use allways_verdict::{Assumption, AssumptionKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that was not looked at and was taken to be so.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssumptionRecord {
    #[schemars(extend("enum" = AssumptionKind::ALL.map(AssumptionKind::word)))]
    pub kind: String,
    /// A sentence for people.
    pub text: String,
    /// The property whose verdict rests on it. Left out if all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Where it begins to matter. Left out if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl From<&Assumption> for AssumptionRecord {
    fn from(assumption: &Assumption) -> AssumptionRecord {
        AssumptionRecord {
            kind: assumption.kind.word().to_string(),
            text: assumption.text.clone(),
            property: assumption.property.clone(),
            file: assumption.location.as_ref().map(|place| place.file.clone()),
            line: assumption.location.as_ref().map(|place| place.line),
        }
    }
}
