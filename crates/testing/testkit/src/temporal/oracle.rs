//! Spin's side: one verifier per model, one search per question.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

use super::Question;
use crate::generate::Kind;
use crate::generate::tree::Model;
use crate::spin::{self, Outcome, Purpose, Recipe, Report};

/// What Spin says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Holds {
        /// Stored states, with those of the claim.
        states: u64,
    },
    /// With pan's error text.
    Violated(String),
    /// No verdict, for this reason.
    Silent(String),
}

/// A verifier that was built.
pub struct Oracle {
    recipe: Recipe,
    scratch: PathBuf,
}

/// The model as Spin must be given it: with a claim, be it the one of `-DNP`, pan counts the claim too in `_nr_pr`,
/// everywhere in the model.
pub fn text(model: &Model, kind: Kind) -> String {
    let text = model.to_string();
    if kind == Kind::Acceptance { text } else { text.replace("_nr_pr", "(_nr_pr - 1)") }
}

/// A recipe for generated models, from one for their assertions.
pub fn recipe(kind: Kind, plain: bool, time_limit: Duration, small: Recipe) -> Recipe {
    let purpose = if kind == Kind::Progress { Purpose::Progress } else { Purpose::Acceptance };
    Recipe { purpose, plain, time_limit, ..small }
}

impl Oracle {
    /// Builds the verifier of a model; a relative path starts at `scratch`. The answer to every question if there
    /// is none.
    pub fn new(model: &Path, recipe: Recipe, scratch: &Path) -> Result<Result<Oracle, Answer>> {
        Ok(match spin::build(model, &recipe, scratch)? {
            None => Ok(Oracle { recipe, scratch: scratch.to_owned() }),
            Some(failure) => Err(answer(&failure)),
        })
    }

    pub fn ask(&self, question: &Question) -> Result<Answer> {
        self.search(question, &[])
    }

    /// Goes on after errors, so that the states can be counted.
    pub fn ask_all(&self, question: &Question) -> Result<Answer> {
        self.search(question, &["-c0"])
    }

    fn search(&self, question: &Question, more: &[&str]) -> Result<Answer> {
        let mut options = vec!["-E"];
        options.push(if question.kind == Kind::Progress { "-l" } else { "-a" });
        if question.fair {
            options.push("-f");
        }
        if matches!(question.kind, Kind::Ltl | Kind::Never) {
            options.extend(["-N", &question.property]);
        }
        options.extend(more);
        Ok(answer(&spin::search(&self.recipe, &options, &self.scratch)?))
    }
}

/// What an outcome says about a property.
fn answer(outcome: &Outcome) -> Answer {
    let silent = |reason: &str| Answer::Silent(reason.to_owned());
    match outcome {
        Outcome::Finished(report) => verdict(report).unwrap_or(Answer::Holds { states: report.stored }),
        // The first error ends the search, which then counts as incomplete.
        Outcome::Truncated(truncation, report) => {
            verdict(report).unwrap_or_else(|| silent(truncation.reason()))
        }
        Outcome::Refused(refusal) => Answer::Silent(refusal.reason()),
        Outcome::Crashed { signal } => Answer::Silent(format!("pan crashed, signal {signal}")),
        Outcome::FrontEnd(_) => silent("rejected by Spin's front end"),
        Outcome::Uncompilable(_) => silent("pan does not compile"),
        Outcome::Unknown(_) => silent("pan ended in an unknown way"),
    }
}

/// The errors by which pan reports that a temporal property is violated. An assertion can only be one that Spin put
/// into the automaton of a formula: the generated models have none.
const VIOLATIONS: [&str; 6] = [
    "acceptance cycle",
    "non-progress cycle",
    "accept stutter",
    "claim violated",
    "end state in claim reached",
    "assertion violated",
];

/// `None` if there is no error.
fn verdict(report: &Report) -> Option<Answer> {
    let first = report.error_texts.first()?;
    Some(if VIOLATIONS.iter().any(|text| first.starts_with(text)) {
        Answer::Violated(first.clone())
    } else {
        Answer::Silent("pan ended at another error".into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin::Truncation;

    fn report(errors: &[&str]) -> Report {
        let error_texts = errors.iter().map(|text| text.to_string()).collect();
        Report { stored: 7, errors: errors.len() as u64, error_texts, ..Report::default() }
    }

    #[test]
    fn outcomes_are_read() {
        let cycle = report(&["acceptance cycle"]);
        assert_eq!(answer(&Outcome::Finished(report(&[]))), Answer::Holds { states: 7 });
        let early = Outcome::Truncated(Truncation::FatalError, cycle);
        assert_eq!(answer(&early), Answer::Violated("acceptance cycle".into()));
        let deep = Outcome::Truncated(Truncation::Depth, report(&[]));
        assert!(matches!(answer(&deep), Answer::Silent(_)));
        let other = Outcome::Finished(report(&["uninitialized chan name used"]));
        assert!(matches!(answer(&other), Answer::Silent(_)));
    }
}
