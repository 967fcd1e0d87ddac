//! The side of the checker under test: the same question in several ways.

use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::Question;
use crate::child;
use crate::compare::Allways;
use crate::spin::Semantics;

/// A way to search; all of them must come to the same verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    pub name: &'static str,
    pub options: &'static [&'static str],
}

/// The first is what users get, and is what is compared with Spin.
pub const WAYS: &[Way] = &[
    Way { name: "default", options: &[] },
    Way { name: "nested", options: &["--cycles", "nested"] },
    Way { name: "components", options: &["--cycles", "components"] },
    Way { name: "plain", options: &["--plain"] },
    Way { name: "unreduced", options: &["--reduce", "none"] },
    Way { name: "interpreted", options: &["--interpret"] },
];

/// For counts that equal Spin's.
pub const COUNTED: Way = Way { name: "counted", options: &["--plain", "--keep-going"] };

/// What the checker says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Holds {
        states: u64,
    },
    Violated {
        reason: String,
        /// The counterexample ends in a state that no process can leave, and repeats it.
        stutters: bool,
    },
    Inconclusive(String),
    /// This way cannot be taken with such a question.
    Refused(String),
    /// The model is wrong; with the codes of the errors.
    Rejected(String),
    /// Neither a verdict nor a refusal.
    Failed(String),
    TimedOut,
}

impl Answer {
    /// Whether the property holds, if the answer is a verdict.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Answer::Holds { .. } => Some(true),
            Answer::Violated { .. } => Some(false),
            _ => None,
        }
    }
}

/// Exit code of a command line that is understood but not allowed.
const USAGE: i32 = 2;
/// Exit code of a model that cannot be read.
const UNREADABLE: i32 = 4;

/// Asks one question in one way; a relative path starts at `scratch`.
pub fn ask(
    allways: &Allways,
    model: &Path,
    semantics: Semantics,
    question: &Question,
    way: Way,
    scratch: &Path,
) -> Result<Answer> {
    let trail = scratch.join("ours.trail.json");
    let mut command = allways.command(model, semantics);
    command.args(["-p", &question.property]).arg("--trail").arg(&trail).args(way.options);
    if question.fair {
        command.args(["--fair", "weak"]);
    }
    // Not the trail of an earlier question.
    if trail.exists() {
        fs::remove_file(&trail)?;
    }
    let finished = child::run(command, scratch, allways.time_limit)?;
    let Some(status) = finished.status else { return Ok(Answer::TimedOut) };
    let answer = match status.code() {
        Some(USAGE) => Some(Answer::Refused(finished.output())),
        Some(UNREADABLE) => rejection(&finished.stdout),
        _ => parse(&finished.stdout, &question.property, || stutters(&trail)),
    };
    Ok(answer.unwrap_or_else(|| Answer::Failed(format!("{status}: {}", finished.output()))))
}

fn rejection(json: &str) -> Option<Answer> {
    let value: Value = serde_json::from_str(json).ok()?;
    let errors = value["diagnostics"].as_array()?.iter().filter(|record| record["severity"] == "error");
    let codes: Vec<_> = errors.filter_map(|record| record["code"].as_str()).collect();
    Some(Answer::Rejected(codes.join(", ")))
}

/// Reads the result about one property; `None` if there is none.
fn parse(json: &str, property: &str, stutters: impl FnOnce() -> bool) -> Option<Answer> {
    let value: Value = serde_json::from_str(json).ok()?;
    let property = value["properties"].as_array()?.iter().find(|record| record["name"] == property)?;
    let reason = property["reason"].as_str().unwrap_or_default().to_owned();
    match property["verdict"].as_str()? {
        "holds" => Some(Answer::Holds { states: value["stats"]["states"].as_u64()? }),
        "violated" => Some(Answer::Violated { reason, stutters: stutters() }),
        "inconclusive" => Some(Answer::Inconclusive(reason)),
        _ => None,
    }
}

/// Whether the cycle of a trail has no steps: it begins behind the last one.
fn stutters(trail: &Path) -> bool {
    let Ok(text) = fs::read_to_string(trail) else { return false };
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return false };
    let steps = value["steps"].as_array().map(|steps| steps.len() as u64);
    value["cycle"].as_u64().is_some_and(|cycle| Some(cycle) == steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let json = |verdict: &str| {
            format!(
                r#"{{"stats": {{"states": 3}}, "properties": [
                    {{"name": "p1", "verdict": "holds"}},
                    {{"name": "p0", "verdict": "{verdict}", "reason": "why"}}]}}"#
            )
        };
        let read = |verdict: &str| parse(&json(verdict), "p0", || true);
        assert_eq!(read("holds"), Some(Answer::Holds { states: 3 }));
        assert_eq!(read("violated"), Some(Answer::Violated { reason: "why".into(), stutters: true }));
        assert_eq!(read("inconclusive"), Some(Answer::Inconclusive("why".into())));
        assert_eq!(parse(&json("holds"), "p2", || true), None);
    }
}
