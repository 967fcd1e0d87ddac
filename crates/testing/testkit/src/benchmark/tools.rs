//! How the programs under measurement are called, and what they say.
//!
//! Options of `allways` change while it grows; they are all spelt in [`Allways::arguments`]. A version that does not
//! know one of them ends with exit code 2, which counts as "not available" rather than as a failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::list::Entry;
use super::measure::{self, Measured, Usage};
use super::statistics::hash_bits;
use crate::spin;

/// How far a single run may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// In bytes, for states.
    pub memory: u64,
}

/// What became of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Done(Figures),
    /// The program is not installed or does not know what was asked of it.
    Unavailable(String),
    /// A limit of time or memory ended it.
    Limit(String),
    Failed(String),
}

/// What a finished search reports.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// Bytes of a state vector.
    pub vector: u64,
    /// Bytes of all stored states, where the program says so.
    pub store: Option<u64>,
    pub usage: Usage,
    /// Wall time of the search alone, where the rest is about making the program that searches.
    pub search: Option<f64>,
}

impl Outcome {
    /// Of two runs at the same time, the one that ended later, or that came to nothing.
    pub fn later(self, other: Outcome) -> Outcome {
        let wall = |outcome: &Outcome| outcome.figures().map_or(f64::INFINITY, |figures| figures.usage.wall);
        if wall(&self) < wall(&other) { other } else { self }
    }

    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Outcome::Done(figures) => Some(figures),
            _ => None,
        }
    }

    /// One word for tables.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Done(_) => "done",
            Outcome::Unavailable(_) => "unavailable",
            Outcome::Limit(_) => "limit",
            Outcome::Failed(_) => "failed",
        }
    }

    /// Why there are no figures.
    pub fn reason(&self) -> &str {
        match self {
            Outcome::Done(_) => "",
            Outcome::Unavailable(reason) | Outcome::Limit(reason) | Outcome::Failed(reason) => reason,
        }
    }

    /// The better of two runs of the same search.
    pub fn best(self, other: Outcome) -> Outcome {
        match (self, other) {
            (Outcome::Done(one), Outcome::Done(two)) => {
                let search = one.search.zip(two.search).map(|(one, two)| one.min(two));
                Outcome::Done(Figures { usage: one.usage.least(two.usage), search, ..one })
            }
            (Outcome::Done(_), problem) | (problem, _) => problem,
        }
    }
}

/// The searches of `allways` that are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Everything as written, one thread: the counts are Spin's.
    Plain,
    /// The plain search with this many threads.
    Threads(u32),
    /// What one gets without options.
    Default,
    /// With reduction or without it, one thread, otherwise as by default.
    Reduction(bool),
    /// Plain, one thread, with this many bytes for a lossy store.
    Bitstate(u64),
}

/// The checker that is measured.
pub struct Allways {
    binary: PathBuf,
    /// Whether the number of threads can be chosen.
    has_threads: bool,
}

impl Allways {
    pub fn new(binary: &Path) -> Result<Allways> {
        let binary = binary.canonicalize().with_context(|| {
            format!("no checker at {}; `cargo build --release` makes one", binary.display())
        })?;
        let help = Command::new(&binary).args(["check", "--help"]).output()?;
        let has_threads = String::from_utf8_lossy(&help.stdout).contains("-j");
        Ok(Allways { binary, has_threads })
    }

    pub fn run(
        &self,
        model: &Path,
        entry: &Entry,
        search: Search,
        limits: Limits,
        scratch: &Path,
    ) -> Result<Outcome> {
        if matches!(search, Search::Threads(n) if n > 1) && !self.has_threads {
            return Ok(Outcome::Unavailable("no option -j".into()));
        }
        let mut command = Command::new(&self.binary);
        command.arg("check").arg(model).args(entry.define_options()).args(self.arguments(search, limits));
        Ok(read_allways(&measure::run(command, scratch, limits.time)?))
    }

    fn arguments(&self, search: Search, limits: Limits) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        let mut add = |text: &str| arguments.extend(text.split_whitespace().map(str::to_owned));
        add("-p assertions -p deadlock --no-trail --format json");
        let memory = if let Search::Bitstate(bytes) = search { bytes } else { limits.memory };
        add(&format!("--max-mem {memory}"));
        match search {
            Search::Plain | Search::Threads(_) => add("--plain --keep-going"),
            Search::Bitstate(_) => add("--plain --keep-going --store bitstate"),
            Search::Default => {}
            Search::Reduction(true) => add("--reduce por"),
            Search::Reduction(false) => add("--reduce none"),
        }
        match search {
            Search::Threads(n) if self.has_threads => add(&format!("-j {n}")),
            Search::Plain | Search::Reduction(_) | Search::Bitstate(_) if self.has_threads => add("-j 1"),
            _ => {}
        }
        arguments
    }
}

fn read_allways(run: &Measured) -> Outcome {
    let Some(status) = run.status else { return Outcome::Limit("time".into()) };
    if status.code() == Some(2) {
        return Outcome::Unavailable(first_line(&run.errors));
    }
    let Ok(json) = serde_json::from_str::<Value>(&run.output) else {
        return Outcome::Failed(format!("{status}: {}", first_line(&run.errors)));
    };
    // A search that ends at a violation has its verdict.
    let violated = status.code() == Some(1);
    if let Some(stopped) = json.get("stopped").filter(|stopped| !stopped.is_null() && !violated) {
        return Outcome::Limit(stopped.as_str().map_or_else(|| stopped.to_string(), str::to_owned));
    }
    let number = |name: &str| json["stats"][name].as_u64();
    match (number("states"), number("transitions")) {
        (Some(states), Some(transitions)) => Outcome::Done(Figures {
            states,
            transitions,
            depth: number("depth").unwrap_or_default(),
            vector: number("state_bytes").unwrap_or_default(),
            store: number("store_bytes"),
            usage: run.usage,
            search: None,
        }),
        _ => Outcome::Failed(format!("{status}: no counts in the result")),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The verifiers that Spin makes out of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verifier {
    /// Everything as written: no merging of statements, no reduction.
    Plain,
    /// The same with its compressing store.
    Collapse,
    /// The same with its lossy store.
    Bitstate,
    /// Merging and reduction, as one gets them without options.
    Default,
}

impl Verifier {
    pub fn name(self) -> &'static str {
        match self {
            Verifier::Plain => "pan",
            Verifier::Collapse => "pan collapse",
            Verifier::Bitstate => "pan bitstate",
            Verifier::Default => "spin+gcc+pan",
        }
    }
}

/// A verifier that has been generated and compiled.
pub struct Pan {
    directory: PathBuf,
    verifier: Verifier,
    depth_limit: u64,
    /// What generating and compiling took.
    pub build: Usage,
}

/// What to install for the comparison, if something is missing.
pub fn missing_programs() -> Option<String> {
    let works = |program: &str, option: &str| {
        Command::new(program).arg(option).output().is_ok_and(|output| output.status.success())
    };
    let needed = [("spin", "-V"), ("gcc", "--version")];
    let missing: Vec<&str> = needed
        .iter()
        .filter(|(program, option)| !works(program, option))
        .map(|(program, _)| *program)
        .collect();
    (!missing.is_empty()).then(|| missing.join(" "))
}

impl Pan {
    /// Generates and compiles a verifier in a folder of its own below `scratch`.
    pub fn build(
        model: &Path,
        entry: &Entry,
        verifier: Verifier,
        limits: Limits,
        scratch: &Path,
    ) -> Result<Result<Pan, Outcome>> {
        let directory = scratch.join(format!("{verifier:?}"));
        fs::create_dir_all(&directory)?;
        let mut generate = Command::new("spin");
        generate.arg("-a");
        if verifier != Verifier::Default {
            generate.args(["-o1", "-o2", "-o3"]);
        }
        generate.args(entry.define_options()).arg(model);
        let generated = measure::run(generate, &directory, Duration::from_secs(60))?;
        // Spin ends well after some errors, so what counts is whether there is something to compile.
        if !directory.join("pan.c").is_file() || generated.output.contains("Error") {
            return Ok(Err(Outcome::Failed(format!("spin: {}", first_line(&generated.output)))));
        }
        let mut compile = Command::new("gcc");
        compile.args(["-O2", "-w", "-DSAFETY", "-DNOCLAIM"]);
        compile.args(match verifier {
            Verifier::Plain => &["-DNOREDUCE"][..],
            Verifier::Collapse => &["-DNOREDUCE", "-DCOLLAPSE"],
            Verifier::Bitstate => &["-DNOREDUCE", "-DBITSTATE"],
            Verifier::Default => &[],
        });
        compile.arg(format!("-DMEMLIM={}", limits.memory >> 20));
        if entry.vector > 900 || entry.vector == 0 {
            compile.arg("-DVECTORSZ=4096");
        }
        compile.args(["-o", "pan", "pan.c"]);
        let compiled = measure::run(compile, &directory, Duration::from_secs(120))?;
        if !compiled.success() {
            return Ok(Err(Outcome::Failed(format!("gcc: {}", first_line(&compiled.errors)))));
        }
        let depth_limit = match (entry.depth, verifier) {
            (0, _) => 10_000_000,
            // Room on the stack costs memory, so exact searches get what they are known to need.
            (depth, Verifier::Plain | Verifier::Collapse) => depth + 1000,
            (depth, Verifier::Bitstate | Verifier::Default) => (2 * depth).max(10_000),
        };
        Ok(Ok(Pan { directory, verifier, depth_limit, build: generated.usage.then(compiled.usage) }))
    }

    /// Runs the verifier, with 2 to the power of `bits` slots (bits, if it is the lossy one), or its own choice.
    pub fn run(&self, bits: Option<u32>, limits: Limits) -> Result<Outcome> {
        let mut command = Command::new(self.directory.join("pan"));
        command.arg("-n").arg(format!("-m{}", self.depth_limit));
        if self.verifier != Verifier::Default {
            command.arg("-c0");
        }
        if let Some(bits) = bits {
            command.arg(format!("-w{bits}"));
        }
        Ok(read_pan(&measure::run(command, &self.directory, limits.time)?))
    }

    /// The best of the usual size of the hash table and its neighbours.
    pub fn run_with_best_table(&self, states: u64, limits: Limits) -> Result<Outcome> {
        let bits = hash_bits(states);
        let mut best = self.run(Some(bits), limits)?;
        for bits in [bits - 1, bits + 1] {
            best = best.best(self.run(Some(bits), limits)?);
        }
        Ok(best)
    }
}

fn read_pan(run: &Measured) -> Outcome {
    if run.status.is_none() {
        return Outcome::Limit("time".into());
    }
    let output = format!("{}{}", run.output, run.errors);
    if let Some(truncation) = spin::truncation(&output) {
        return Outcome::Limit(format!("{truncation:?}").to_lowercase());
    }
    let Some(report) = spin::parse(&output) else {
        return Outcome::Failed(format!("pan: {}", first_line(&output)));
    };
    Outcome::Done(Figures {
        states: report.stored,
        transitions: report.transitions,
        depth: report.depth,
        vector: vector(&output).unwrap_or_default(),
        store: None,
        usage: run.usage,
        search: Some(run.usage.wall),
    })
}

fn vector(output: &str) -> Option<u64> {
    output.split("State-vector ").nth(1)?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn measured(code: i32, output: &str, errors: &str) -> Measured {
        let status = Some(ExitStatus::from_raw(code << 8));
        Measured { status, output: output.into(), errors: errors.into(), usage: Usage::default() }
    }

    #[test]
    fn results_of_allways_are_read() {
        let json = r#"{"stopped": null, "stats": {"states": 7, "transitions": 9, "depth": 3,
            "state_bytes": 5, "store_bytes": 100}}"#;
        let figures = *read_allways(&measured(0, json, "")).figures().unwrap();
        assert_eq!((figures.states, figures.transitions, figures.depth), (7, 9, 3));
        assert_eq!((figures.vector, figures.store), (5, Some(100)));
        let stopped = json.replace("null", "\"the time limit\"");
        assert_eq!(read_allways(&measured(3, &stopped, "")), Outcome::Limit("the time limit".into()));
    }

    #[test]
    fn an_unknown_option_is_no_failure() {
        let run = measured(2, "", "error: unexpected argument '-j' found\n\nUsage: ...");
        assert_eq!(read_allways(&run), Outcome::Unavailable("unexpected argument '-j' found".into()));
        assert_eq!(read_allways(&measured(5, "", "error: oh")).word(), "failed");
    }

    #[test]
    fn results_of_pan_are_read() {
        let text = "State-vector 83 byte, depth reached 20, errors: 0\n       45 states, stored\n       \
                    24 states, matched\n       69 transitions (= stored+matched)\n        7 atomic steps\n";
        let figures = *read_pan(&measured(0, text, "")).figures().unwrap();
        assert_eq!((figures.states, figures.transitions), (45, 69));
        assert_eq!((figures.depth, figures.vector), (20, 83));
        let text = format!("error: max search depth too small\n{text}");
        assert_eq!(read_pan(&measured(0, &text, "")), Outcome::Limit("depth".into()));
        assert_eq!(read_pan(&measured(1, "pan: no such option", "")).word(), "failed");
    }

    #[test]
    fn the_better_run_counts() {
        let done =
            |wall| Outcome::Done(Figures { usage: Usage { wall, ..Usage::default() }, ..Figures::default() });
        assert_eq!(done(2.0).best(done(1.0)), done(1.0));
        assert_eq!(done(2.0).best(Outcome::Limit("time".into())).word(), "limit");
    }
}
