//! What `allways explore` says about a program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::oracle::End;
use super::print::{END_FILE, code};
use crate::child::{self, Finished};

/// The checker, and how long it may work on one program.
#[derive(Clone, Debug)]
pub struct Explorer {
    pub binary: PathBuf,
    pub time_limit: Duration,
    pub max_executions: u64,
    /// Are threads numbered as the oracle does it? If not, only what they wait for counts.
    pub has_numbers: bool,
    /// Do programs use files? Each execution then has a folder of its own.
    pub has_files: bool,
}

/// How a search went.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A complete search.
    Ends { ends: BTreeSet<End>, executions: u64 },
    /// The search reached a limit.
    TooLarge,
    /// Something that must not happen, such as a crash of the checker.
    Trouble(String),
}

/// The header of test drivers, which programs include.
pub const HEADER: &str = include_str!("../../../../../include/allways.h");

/// Compiles a source file of the directory with the options given; `.cpp` is C++.
pub fn compile(source: &str, options: &[String], directory: &Path) -> Result<PathBuf> {
    fs::write(directory.join("allways.h"), HEADER)?;
    let compiler = if source.ends_with(".cpp") { "g++" } else { "gcc" };
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g", "-pthread", "-I.", "-o", "program", source]).args(options);
    let finished = child::run(command, directory, Duration::from_secs(60))?;
    if !finished.success() {
        bail!("{source} does not compile:\n{}", finished.output());
    }
    Ok(directory.join("program"))
}

/// The options for a search by its name: `source`, or `source/2` for two workers.
pub fn search_options(search: &str) -> Vec<&str> {
    match search.split_once('/') {
        None => vec!["--search", search],
        Some((search, workers)) => vec!["--search", search, "-j", workers],
    }
}

impl Explorer {
    /// Searches a compiled program in one way; see [`search_options`].
    pub fn ask(&self, program: &Path, search: &str, scratch: &Path) -> Result<Answer> {
        let (ends, executions) = (scratch.join("ends"), scratch.join("executions"));
        for file in [&ends, &executions] {
            fs::write(file, "")?;
        }
        let mut command = Command::new(&self.binary);
        command.env(END_FILE, &ends).args(["explore", "--keep-going", "--retries", "50", "--format", "json"]);
        // The exit code says which end it was, so it is no mistake.
        command.args(search_options(search)).args(["--shrink", "0", "--no-trail"]);
        command.args(["--max-executions", &self.max_executions.to_string()]);
        if self.has_files {
            command.arg("--scratch");
        }
        // Nothing but synchronisation, and what the program announces itself, makes a difference in these programs.
        command.args(["--visible", "sync"]);
        command.arg("--executions").arg(&executions).arg("--").arg(program);
        let finished = child::run(command, scratch, self.time_limit)?;
        if finished.status.is_none() {
            return Ok(Answer::TooLarge);
        }
        let report = match report(&finished) {
            Ok(report) => report,
            Err(error) => return Ok(Answer::Trouble(format!("{error:#}\n{}", finished.stderr))),
        };
        let n_executions = report["stats"]["executions"].as_u64().unwrap_or(0);
        if let Some(trouble) = uncontrolled(&report) {
            return Ok(Answer::Trouble(trouble));
        }
        if report["complete"] != Value::Bool(true) {
            // The limit counts what was executed before a search began anew, too.
            let is_limit = |property: &Value| property["reason"] == "the limit of executions was reached";
            let whole = !report["properties"].as_array().is_some_and(|list| list.iter().any(is_limit))
                && n_executions < self.max_executions;
            return Ok(if whole {
                Answer::Trouble(format!("incomplete: {report}"))
            } else {
                Answer::TooLarge
            });
        }
        match all_ends(&fs::read_to_string(&ends)?, &fs::read_to_string(&executions)?, n_executions as usize)
        {
            Ok(ends) if !self.has_numbers => {
                let ends = ends.into_iter().map(without_numbers).collect();
                Ok(Answer::Ends { ends, executions: n_executions })
            }
            Ok(ends) => Ok(Answer::Ends { ends, executions: n_executions }),
            Err(error) => Ok(Answer::Trouble(format!("{error:#}"))),
        }
    }
}

/// The report of a run that ended as it should.
pub fn report(finished: &Finished) -> Result<Value> {
    let code = finished.status.and_then(|status| status.code());
    if !matches!(code, Some(0 | 1 | 3)) {
        bail!("allways ended with {:?}", finished.status);
    }
    let report: Value = serde_json::from_str(&finished.stdout).context("the report is no JSON")?;
    if report["schema"] != "allways/explore/1" {
        bail!("unknown schema {}", report["schema"]);
    }
    Ok(report)
}

fn uncontrolled(report: &Value) -> Option<String> {
    let list = report["uncontrolled"].as_array().filter(|list| !list.is_empty())?;
    Some(format!("uncontrolled: {}", Value::Array(list.clone())))
}

/// The lines that the program wrote at its ends, and the other ends from the list of executions. Only the last round of the search
/// counts: what was met by chance, or before it began anew, proves nothing. The lines of that are known by their codes.
fn all_ends(lines: &str, executions: &str, n_executions: usize) -> Result<BTreeSet<End>> {
    let mut ends = BTreeSet::new();
    let mut codes = BTreeSet::new();
    let executions: Vec<&str> = executions.lines().collect();
    for line in &executions[executions.len().saturating_sub(n_executions)..] {
        let execution: Value = serde_json::from_str(line).context("an execution is no JSON")?;
        match execution["outcome"].as_str() {
            // Any other code than 0 is called a violation.
            Some("finished" | "exit") => {
                codes.insert(execution["exit"].as_u64().unwrap_or(0));
            }
            Some("sleep_blocked") => {}
            Some("assertion") => {
                ends.insert(End::Assertion);
            }
            Some("deadlock") => {
                ends.insert(End::Deadlock(waiting(&execution)?));
            }
            _ => bail!("an execution ended otherwise: {execution}"),
        }
    }
    let lines: BTreeSet<&str> = lines.lines().filter(|line| codes.contains(&code(line))).collect();
    if let Some(other) = codes.iter().find(|number| !lines.iter().any(|line| code(line) == **number)) {
        bail!("ended with {other}");
    }
    ends.extend(lines.into_iter().map(|line| End::Finished(line.to_string())));
    Ok(ends)
}

fn without_numbers(end: End) -> End {
    let End::Deadlock(mut waiting) = end else { return end };
    waiting.iter_mut().for_each(|(number, _)| *number = 0);
    waiting.sort();
    End::Deadlock(waiting)
}

fn waiting(execution: &Value) -> Result<Vec<(usize, String)>> {
    let list = execution["waiting"].as_array().context("a deadlock without a list of who waits")?;
    let one = |entry: &Value| {
        let thread = entry["thread"].as_u64().context("a thread has a number")?;
        let operation = entry["operation"].as_str().context("an operation has a name")?;
        Ok((thread as usize, kind(operation).to_string()))
    };
    let mut waiting = list.iter().map(one).collect::<Result<Vec<_>>>()?;
    waiting.sort();
    Ok(waiting)
}

/// The kind of object that an operation is about, in the oracle's words.
fn kind(operation: &str) -> &str {
    const KINDS: [(&str, &str); 16] = [
        ("sig", "signal"),
        ("pause", "signal"),
        ("join", "join"),
        ("cond", "condition"),
        ("mutex", "mutex"),
        ("spin", "mutex"),
        ("rwlock", "rwlock"),
        ("rdlock", "rwlock"),
        ("wrlock", "rwlock"),
        ("barrier", "barrier"),
        ("semop", "set"),
        ("sem", "semaphore"),
        ("msg", "queue"),
        ("read", "queue"),
        ("pipe", "queue"),
        ("wait", "join"),
    ];
    KINDS.iter().find(|(word, _)| operation.contains(word)).map_or(operation, |(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_come_from_both_files() {
        let executions = "\
{\"outcome\":\"crash\"}
{\"outcome\":\"finished\",\"exit\":CODE,\"schedule\":[]}
{\"outcome\":\"deadlock\",\"waiting\":[{\"thread\":2,\"operation\":\"sem_wait\",\"object\":\"s0\"},{\"thread\":0,\"operation\":\"thread_join\"}]}
{\"outcome\":\"assertion\"}
{\"outcome\":\"sleep_blocked\"}
";
        let lines = "1|2|\n1|2|\n5|5|\n";
        let executions = executions.replace("CODE", &code("1|2|").to_string());
        let ends = all_ends(lines, &executions, 4).unwrap();
        let deadlock = End::Deadlock(vec![(0, "join".into()), (2, "semaphore".into())]);
        let expected = [End::Finished("1|2|".into()), deadlock, End::Assertion];
        assert_eq!(ends.into_iter().collect::<Vec<_>>(), expected);
        assert!(all_ends("", "{\"outcome\":\"crash\"}", 1).is_err());
        assert!(all_ends("", "{\"outcome\":\"finished\",\"exit\":99}", 1).is_err());
    }

    #[test]
    fn operations_are_known_by_their_names() {
        let names =
            ["mutex_lock", "cond_wait", "rwlock_rdlock", "sem_wait", "semop", "msgrcv", "read", "waitpid"];
        let kinds = ["mutex", "condition", "rwlock", "semaphore", "set", "queue", "queue", "join"];
        assert_eq!(names.map(kind), kinds);
    }
}
