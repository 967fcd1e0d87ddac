//! Compares what `allways` says about a model with what Spin says.
//!
//! All counts must be equal, and a property must be violated in both or in neither. Where Spin gives no numbers to
//! compare with, the comparison is *explained* by a named reason; an error that Spin did find must still be found.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::child;
use crate::spin::{Outcome, Refusal, Report, Semantics, Truncation};

/// The checker under test.
#[derive(Clone, Debug)]
pub struct Allways {
    pub binary: PathBuf,
    pub time_limit: Duration,
}

/// What the checker under test made of a model.
#[derive(Clone, Debug)]
pub enum Ours {
    Finished(Findings),
    /// No result: the model was rejected, or the checker failed.
    Failed {
        exit_code: Option<i32>,
        text: String,
    },
    TimedOut,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Findings {
    pub complete: bool,
    pub stored: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    /// Names of the properties that do not hold, with the reasons given.
    pub violated: Vec<(String, String)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    /// Nothing to compare, for this reason.
    Explained(String),
    Mismatch(Mismatch),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    pub kind: MismatchKind,
    pub differences: Vec<Difference>,
}

/// Shrinking keeps the kind, so that one bug does not turn into another on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MismatchKind {
    Counts,
    Verdict,
    /// Spin finished, ours did not.
    Failure,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub what: &'static str,
    pub spin: String,
    pub ours: String,
}

impl Allways {
    /// The beginning of a command that checks a model, with a result for programs.
    pub fn command(&self, model: &Path, semantics: Semantics) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("check").arg(model).args(["--format", "json"]);
        if semantics.lossy {
            command.args(["--full-channel", "lose"]);
        }
        if semantics.strict_end {
            command.arg("--strict-end");
        }
        if semantics.innermost_unless {
            command.args(["--unless", "innermost"]);
        }
        command
    }

    /// Checks a model; a relative path starts at `scratch`.
    pub fn check(&self, model: &Path, semantics: Semantics, scratch: &Path) -> Result<Ours> {
        let mut command = self.command(model, semantics);
        command.args(["--plain", "--keep-going", "-p", "assertions", "-p", "deadlock"]);
        let finished = child::run(command, scratch, self.time_limit)?;
        let Some(status) = finished.status else { return Ok(Ours::TimedOut) };
        Ok(match parse(&finished.stdout) {
            Some(findings) => Ours::Finished(findings),
            None => Ours::Failed { exit_code: status.code(), text: finished.output() },
        })
    }
}

/// Reads the checker's JSON result; `None` if there is none.
pub fn parse(json: &str) -> Option<Findings> {
    let value: Value = serde_json::from_str(json).ok()?;
    let stat = |name: &str| value["stats"][name].as_u64();
    let violated =
        value["properties"].as_array()?.iter().filter(|property| property["verdict"] == "violated");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(Findings {
        complete: value["complete"].as_bool()?,
        stored: stat("states")?,
        matched: stat("matched")?,
        transitions: stat("transitions")?,
        atomic_steps: stat("atomic_steps")?,
        depth: stat("depth")?,
        violated: violated.map(|property| (text(&property["name"]), text(&property["reason"]))).collect(),
    })
}

pub fn compare(spin: &Outcome, ours: &Ours, semantics: Semantics) -> Comparison {
    match compare_outcome(spin, ours) {
        Comparison::Mismatch(mismatch) if semantics.innermost_unless && mismatch.repeats_only() => {
            Comparison::Explained("pan -J repeats an escape for each option".into())
        }
        Comparison::Mismatch(mismatch) if mismatch.is_overlooked_choice() => {
            Comparison::Explained("pan overlooks a choice of a D_proctype".into())
        }
        comparison => comparison,
    }
}

fn compare_outcome(spin: &Outcome, ours: &Ours) -> Comparison {
    match spin {
        Outcome::Finished(report) if report.error_texts.iter().any(|text| undefined_after(text)) => {
            compare_truncated(report, ours, "undefined behaviour of pan after an error")
        }
        Outcome::Finished(report) => compare_finished(report, ours),
        Outcome::Truncated(truncation, report) => compare_truncated(report, ours, truncation.reason()),
        Outcome::Refused(refusal) => Comparison::Explained(refusal.reason()),
        Outcome::Crashed { signal: 8 } => Comparison::Explained("pan crashed, division by zero".into()),
        Outcome::Crashed { signal } => Comparison::Explained(format!("pan crashed, signal {signal}")),
        Outcome::FrontEnd(_) => Comparison::Explained("rejected by Spin's front end".into()),
        Outcome::Uncompilable(_) => Comparison::Explained("pan does not compile".into()),
        Outcome::Unknown(_) => Comparison::Explained("pan ended in an unknown way".into()),
    }
}

impl Mismatch {
    /// Whether Spin made the same steps, but some of them more often.
    fn repeats_only(&self) -> bool {
        let repeated = |difference: &Difference| {
            let number = |text: &str| text.parse::<u64>().ok();
            number(&difference.spin) > number(&difference.ours)
                && matches!(difference.what, "matched" | "transitions" | "atomic steps")
        };
        self.differences.iter().all(repeated)
    }

    /// Whether all that differs is that ours reports a choice in a D_proctype: pan does not look at options that begin
    /// with `skip`, `else`, `goto` or `break`.
    fn is_overlooked_choice(&self) -> bool {
        matches!(&self.differences[..], [Difference { what: "errors", ours, .. }]
            if ours.contains("D_proctype has a choice"))
    }
}

impl Truncation {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Truncation::Depth => "too deep for pan",
            Truncation::Memory => "too much memory for pan",
            Truncation::Time => "too much time for pan",
            Truncation::VectorSize => "state vector too large for pan",
            Truncation::FatalError => "pan ended its search at an error",
        }
    }
}

impl Refusal {
    pub(crate) fn reason(&self) -> String {
        match self {
            Refusal::UnconditionalSelfLoop => "pan refuses unconditional self-loops".into(),
            Refusal::TwoElses => "pan refuses two elses in a choice".into(),
            Refusal::Other(_) => "pan refuses for another reason".into(),
        }
    }
}

/// After these errors pan goes on with values it should not have.
fn undefined_after(error_text: &str) -> bool {
    ["invalid array index", "uninitialized chan", "missing pars", "too few parameters", "rendezvous channel"]
        .iter()
        .any(|phrase| error_text.contains(phrase))
}

/// Compares verdicts only: an error that an incomplete search found is an error, what it did not find may be one.
fn compare_truncated(report: &Report, ours: &Ours, reason: &str) -> Comparison {
    match ours {
        Ours::Finished(findings)
            if report.errors > 0 && findings.violated.is_empty() && findings.complete =>
        {
            let difference = errors(report, findings);
            Comparison::Mismatch(Mismatch { kind: MismatchKind::Verdict, differences: vec![difference] })
        }
        _ => Comparison::Explained(reason.to_owned()),
    }
}

fn compare_finished(report: &Report, ours: &Ours) -> Comparison {
    let failure = |text: String| {
        let spin = format!("{} states", report.stored);
        let differences = vec![Difference { what: "result", spin, ours: text }];
        Comparison::Mismatch(Mismatch { kind: MismatchKind::Failure, differences })
    };
    match ours {
        Ours::TimedOut => failure("time limit".into()),
        Ours::Failed { exit_code, text } => failure(format!("exit code {exit_code:?}: {text}")),
        Ours::Finished(findings) => compare_findings(report, findings),
    }
}

/// Searches of up to so many states are in Spin's order.
const MOST_IN_ORDER: u64 = 50_000;

fn compare_findings(report: &Report, findings: &Findings) -> Comparison {
    let counts = [
        ("stored", report.stored, findings.stored),
        ("matched", report.matched, findings.matched),
        ("transitions", report.transitions, findings.transitions),
        ("atomic steps", report.atomic_steps, findings.atomic_steps),
        ("depth", report.depth, findings.depth),
    ];
    // A larger search does not go in Spin's order, and how deep it goes is its own affair.
    let is_in_order = findings.stored <= MOST_IN_ORDER;
    let compared = counts.iter().filter(|(what, ..)| is_in_order || *what != "depth");
    let unequal = compared.filter(|(_, spin, ours)| spin != ours);
    let mut differences: Vec<_> = unequal
        .map(|(what, spin, ours)| Difference { what, spin: spin.to_string(), ours: ours.to_string() })
        .collect();
    let same_verdict = same_verdict(report, findings);
    if !same_verdict {
        differences.push(errors(report, findings));
    }
    match (differences.is_empty(), same_verdict) {
        (true, _) => Comparison::Equal,
        (false, true) => Comparison::Mismatch(Mismatch { kind: MismatchKind::Counts, differences }),
        (false, false) => Comparison::Mismatch(Mismatch { kind: MismatchKind::Verdict, differences }),
    }
}

/// Property by property if Spin's errors all belong to one of the two, otherwise in total.
fn same_verdict(report: &Report, findings: &Findings) -> bool {
    let assertion = |text: &String| text.starts_with("assertion violated");
    let deadlock = |text: &String| text.starts_with("invalid end state");
    let violated = |name: &str| findings.violated.iter().any(|(property, _)| property == name);
    if report.error_texts.iter().all(|text| assertion(text) || deadlock(text)) {
        report.error_texts.iter().any(assertion) == violated("assertions")
            && report.error_texts.iter().any(deadlock) == violated("deadlock")
    } else {
        !findings.violated.is_empty()
    }
}

fn errors(report: &Report, findings: &Findings) -> Difference {
    let violated: Vec<_> =
        findings.violated.iter().map(|(name, reason)| format!("{name} violated ({reason})")).collect();
    Difference {
        what: "errors",
        spin: format!("{} ({})", report.errors, report.error_texts.join("; ")),
        ours: if violated.is_empty() { "none".into() } else { violated.join("; ") },
    }
}

impl Display for Mismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<14} {:<30} ours", "", "Spin")?;
        for Difference { what, spin, ours } in &self.differences {
            writeln!(f, "{what:<14} {spin:<30} {ours}")?;
        }
        Ok(())
    }
}

/// Both results in full, side by side.
pub fn side_by_side(spin: &Outcome, ours: &Ours) -> String {
    let left = match spin {
        Outcome::Finished(report) | Outcome::Truncated(_, report) => {
            numbers([report.stored, report.matched, report.transitions, report.atomic_steps, report.depth])
        }
        other => format!("{other:?}"),
    };
    let right = match ours {
        Ours::Finished(findings) => {
            let Findings { stored, matched, transitions, atomic_steps, depth, .. } = *findings;
            numbers([stored, matched, transitions, atomic_steps, depth])
        }
        other => format!("{other:?}"),
    };
    format!("stored/matched/transitions/atomic/depth\nSpin: {left}\nours: {right}\n")
}

fn numbers(numbers: [u64; 5]) -> String {
    numbers.map(|number| number.to_string()).join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = r#"{"schema":"allways/result/1","complete":true,
        "stats":{"states":45,"matched":24,"transitions":69,"atomic_steps":7,"depth":20},
        "properties":[{"name":"assertions","kind":"safety","verdict":"violated","reason":"x==2"},
                      {"name":"deadlock","kind":"safety","verdict":"holds","reason":null}]}"#;

    fn report() -> Report {
        let error_texts = vec!["assertion violated (x==2)".to_owned()];
        Report {
            stored: 45,
            matched: 24,
            transitions: 69,
            atomic_steps: 7,
            depth: 20,
            errors: 1,
            error_texts,
        }
    }

    fn against_result(report: Report) -> Comparison {
        compare(&Outcome::Finished(report), &Ours::Finished(parse(RESULT).unwrap()), Semantics::default())
    }

    #[test]
    fn equal_results_are_equal() {
        assert_eq!(against_result(report()), Comparison::Equal);
    }

    #[test]
    fn a_count_that_differs_is_named() {
        let Comparison::Mismatch(mismatch) = against_result(Report { depth: 21, ..report() }) else {
            panic!("depths differ")
        };
        assert_eq!(mismatch.kind, MismatchKind::Counts);
        assert_eq!(mismatch.differences.len(), 1);
        assert_eq!(mismatch.differences[0].what, "depth");
    }

    #[test]
    fn a_missing_deadlock_is_a_mismatch() {
        let mut report = report();
        report.error_texts.push("invalid end state".into());
        let Comparison::Mismatch(mismatch) = against_result(report) else { panic!("verdicts differ") };
        assert_eq!(mismatch.kind, MismatchKind::Verdict);
    }

    #[test]
    fn a_refusal_is_explained() {
        let ours = Ours::Finished(parse(RESULT).unwrap());
        let spin = Outcome::Refused(Refusal::TwoElses);
        assert!(matches!(compare(&spin, &ours, Semantics::default()), Comparison::Explained(_)));
    }

    #[test]
    fn an_error_found_before_the_end_counts() {
        let ours = Ours::Finished(Findings { complete: true, ..Findings::default() });
        let spin = Outcome::Truncated(Truncation::FatalError, report());
        assert!(matches!(compare(&spin, &ours, Semantics::default()), Comparison::Mismatch(_)));
    }

    #[test]
    fn a_failure_of_ours_is_a_mismatch() {
        let ours = Ours::Failed { exit_code: Some(4), text: "syntax error".into() };
        let Comparison::Mismatch(mismatch) =
            compare(&Outcome::Finished(report()), &ours, Semantics::default())
        else {
            panic!("ours failed")
        };
        assert_eq!(mismatch.kind, MismatchKind::Failure);
    }

    #[test]
    fn repeated_escapes_are_explained() {
        let innermost = Semantics { innermost_unless: true, ..Semantics::default() };
        let against =
            |report| compare(&Outcome::Finished(report), &Ours::Finished(parse(RESULT).unwrap()), innermost);
        let repeated = Report { matched: 26, transitions: 71, ..report() };
        assert!(matches!(against(repeated), Comparison::Explained(_)));
        assert!(matches!(against(Report { stored: 46, ..report() }), Comparison::Mismatch(_)));
    }
}
