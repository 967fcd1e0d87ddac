//! Runs a model through the real Spin, by the recipe whose counts ours must equal: no reduction, no statement
//! merging, no dead-variable resetting, no stop at the first error.
//!
//! pan's way of ending is classified, because only a finished search can be compared: Spin refuses models that we
//! accept, dies on others, and abandons its whole search at some errors even when told to go on.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::child::{self, Finished};

/// The choices about the meaning of a model that both tools take as options.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Semantics {
    /// A send to a full channel loses the message instead of blocking (`spin -m`).
    pub lossy: bool,
    /// An end state is valid only if all channels are empty (`pan -q`).
    pub strict_end: bool,
    /// The innermost of nested `unless` escapes goes first, not the outermost (`pan -J`).
    pub innermost_unless: bool,
}

/// The C compiler for pan. Compiling is most of the time a small model takes, and tcc does it 15 times as fast
/// as gcc; large models are better off with gcc's faster code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    Tcc,
    Gcc { optimise: bool },
}

/// What the verifier is built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Assertions and end states; claims are ignored.
    Safety,
    /// Claims, and cycles through accepting labels (`pan -a`).
    Acceptance,
    /// Cycles without progress labels (`pan -l`).
    Progress,
}

/// How to run Spin.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub semantics: Semantics,
    pub purpose: Purpose,
    /// Every interleaving, nothing merged and nothing reset, so that states can be counted.
    pub plain: bool,
    pub compiler: Compiler,
    /// For pan alone; the front end and the compiler have a fixed, generous limit.
    pub time_limit: Duration,
    pub depth_limit: u64,
    pub memory_limit_mb: u32,
    /// Size of the state vector; pan's own default is too small for some models. Doubled when pan asks for it.
    pub vector_size: u32,
    /// log2 of the number of hash slots. Filling a large table with zeros takes longer than most searches.
    pub hash_bits: u32,
    /// Whether the text needs the C preprocessor.
    pub preprocess: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Finished(Report),
    /// The front end rejected the model.
    FrontEnd(String),
    /// pan declined to start: it has rules that the front end does not check.
    Refused(Refusal),
    /// The search ended early, so the numbers mean nothing but an error found is an error.
    Truncated(Truncation, Report),
    /// pan was killed by a signal, SIGFPE (8) for a division by zero.
    Crashed {
        signal: i32,
    },
    /// The generated verifier does not compile.
    Uncompilable(String),
    /// pan ended in a way this module does not know.
    Unknown(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    UnconditionalSelfLoop,
    TwoElses,
    Other(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truncation {
    Depth,
    Memory,
    Time,
    VectorSize,
    /// An error that ends the whole search, such as a d_step that blocks.
    FatalError,
}

/// The numbers that pan prints, and the distinct error texts in the order of their first appearance.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    pub stored: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub errors: u64,
    pub error_texts: Vec<String>,
}

impl Recipe {
    /// For small generated models.
    pub fn small(semantics: Semantics) -> Recipe {
        Recipe {
            semantics,
            purpose: Purpose::Safety,
            plain: true,
            compiler: fastest_compiler(),
            time_limit: Duration::from_secs(3),
            depth_limit: 200_000,
            memory_limit_mb: 1024,
            vector_size: 4096,
            hash_bits: 16,
            preprocess: false,
        }
    }

    /// For models that people wrote.
    pub fn large(semantics: Semantics) -> Recipe {
        Recipe {
            compiler: Compiler::Gcc { optimise: true },
            time_limit: Duration::from_secs(60),
            depth_limit: 5_000_000,
            memory_limit_mb: 8192,
            hash_bits: 22,
            preprocess: true,
            ..Recipe::small(semantics)
        }
    }
}

/// Whether `spin` and a C compiler can be run here. Tests that need them call this and say so when they cannot.
pub fn spin_available() -> bool {
    runs("spin", "-V") && (runs("tcc", "-v") || runs("gcc", "--version"))
}

/// tcc if it is installed, otherwise gcc.
pub fn fastest_compiler() -> Compiler {
    static FASTEST: std::sync::OnceLock<Compiler> = std::sync::OnceLock::new();
    *FASTEST.get_or_init(|| if runs("tcc", "-v") { Compiler::Tcc } else { Compiler::Gcc { optimise: false } })
}

fn runs(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}

/// Verifies the model in `text` with Spin, using `scratch` (which must exist) for all files.
pub fn verify(text: &str, recipe: &Recipe, scratch: &Path) -> Result<Outcome> {
    fs::write(scratch.join("model.pml"), text)?;
    verify_file(Path::new("model.pml"), recipe, scratch)
}

/// Verifies a model file; a relative path starts at `scratch`.
pub fn verify_file(model: &Path, recipe: &Recipe, scratch: &Path) -> Result<Outcome> {
    if let Some(failure) = generate(model, recipe, scratch)? {
        return Ok(failure);
    }
    let mut recipe = recipe.clone();
    loop {
        if let Some(failure) = compile(&recipe, scratch)? {
            return Ok(failure);
        }
        let outcome = search(&recipe, &["-c0"], scratch)?;
        let grows = recipe.vector_size < 65_536;
        if !(grows && matches!(outcome, Outcome::Truncated(Truncation::VectorSize, _))) {
            return Ok(outcome);
        }
        recipe.vector_size *= 4;
    }
}

/// Makes the verifier of a model file, for any number of searches; `None` if that works.
pub fn build(model: &Path, recipe: &Recipe, scratch: &Path) -> Result<Option<Outcome>> {
    let failure = generate(model, recipe, scratch)?;
    if failure.is_some() { Ok(failure) } else { compile(recipe, scratch) }
}

/// Runs the verifier in `scratch`.
pub fn search(recipe: &Recipe, options: &[&str], scratch: &Path) -> Result<Outcome> {
    let mut command = pan_command(recipe, scratch);
    command.args(options);
    Ok(classify(&child::run(command, scratch, recipe.time_limit)?))
}

fn generate(model: &Path, recipe: &Recipe, scratch: &Path) -> Result<Option<Outcome>> {
    let front_end = child::run(front_end_command(model, recipe), scratch, Duration::from_secs(30))?;
    Ok((!front_end.success()).then(|| Outcome::FrontEnd(front_end.output())))
}

fn compile(recipe: &Recipe, scratch: &Path) -> Result<Option<Outcome>> {
    let compiled = child::run(compiler_command(recipe), scratch, Duration::from_secs(120))?;
    Ok((!compiled.success()).then(|| Outcome::Uncompilable(compiled.output())))
}

fn front_end_command(model: &Path, recipe: &Recipe) -> Command {
    let mut command = Command::new("spin");
    if !recipe.preprocess {
        // `cat` in the place of the preprocessor halves the time of the front end.
        command.arg("-Pcat");
    }
    if recipe.semantics.lossy {
        command.arg("-m");
    }
    command.arg("-a");
    if recipe.plain {
        command.args(["-o1", "-o2", "-o3"]);
    }
    command.arg(model);
    command
}

fn compiler_command(recipe: &Recipe) -> Command {
    let mut command = Command::new(match recipe.compiler {
        Compiler::Tcc => "tcc",
        Compiler::Gcc { .. } => "gcc",
    });
    if let Compiler::Gcc { optimise } = recipe.compiler {
        // Promela's arithmetic wraps around, C's does so only on request.
        command.args([if optimise { "-O1" } else { "-O0" }, "-fwrapv"]);
    }
    let purpose: &[&str] = match recipe.purpose {
        Purpose::Safety => &["-DSAFETY", "-DNOCLAIM"],
        // Room for the fairness of some 30 processes; by default there is room for 6.
        Purpose::Acceptance => &["-DNFAIR=5"],
        Purpose::Progress => &["-DNP", "-DNFAIR=5"],
    };
    command
        .args(["-w", "-DNOREDUCE"])
        .args(purpose)
        .arg(format!("-DVECTORSZ={}", recipe.vector_size))
        .arg(format!("-DMEMLIM={}", recipe.memory_limit_mb))
        .args(["-o", "pan", "pan.c"]);
    command
}

fn pan_command(recipe: &Recipe, scratch: &Path) -> Command {
    let mut command = Command::new(scratch.join("pan"));
    command.arg("-n").arg(format!("-m{}", recipe.depth_limit)).arg(format!("-w{}", recipe.hash_bits));
    if recipe.semantics.strict_end {
        command.arg("-q");
    }
    if recipe.semantics.innermost_unless {
        command.arg("-J");
    }
    command
}

fn classify(pan: &Finished) -> Outcome {
    let output = pan.output();
    let Some(status) = pan.status else {
        return Outcome::Truncated(Truncation::Time, parse(&output).unwrap_or_default());
    };
    if let Some(signal) = status.signal() {
        return Outcome::Crashed { signal };
    }
    if let Some(refusal) = refusal(&output) {
        return Outcome::Refused(refusal);
    }
    match (parse(&output), truncation(&output)) {
        (Some(report), None) => Outcome::Finished(report),
        (report, Some(truncation)) => Outcome::Truncated(truncation, report.unwrap_or_default()),
        (None, None) => Outcome::Unknown(output),
    }
}

/// Why pan ended before it searched, if it did.
fn refusal(output: &str) -> Option<Refusal> {
    if output.contains("has unconditional self-loop") {
        Some(Refusal::UnconditionalSelfLoop)
    } else if output.contains("inherits") && output.contains("'else' stmnts") {
        Some(Refusal::TwoElses)
    } else if !output.contains("State-vector") {
        let line = output.lines().find(|line| line.starts_with("pan: ") || line.contains("error"))?;
        (!line.contains("out of memory")).then(|| Refusal::Other(line.to_owned()))
    } else {
        None
    }
}

/// Why the search is incomplete, if it is.
pub(crate) fn truncation(output: &str) -> Option<Truncation> {
    if output.contains("max search depth too small") {
        Some(Truncation::Depth)
    } else if output.contains("VECTORSZ is too small") || output.contains("VECTORSZ too small") {
        Some(Truncation::VectorSize)
    } else if output.contains("out of memory") || output.contains("reached -DMEMLIM bound") {
        Some(Truncation::Memory)
    } else if output.contains("Search not completed") {
        Some(Truncation::FatalError)
    } else {
        None
    }
}

/// Reads the numbers out of pan's report; `None` if there is no complete report.
pub fn parse(output: &str) -> Option<Report> {
    let mut report = Report::default();
    let mut complete = false;
    for line in output.lines() {
        let line = line.trim();
        if let Some(text) = error_text(line) {
            if !report.error_texts.contains(&text) {
                report.error_texts.push(text);
            }
        } else if let Some(rest) = line.split("depth reached ").nth(1) {
            let (depth, rest) = rest.split_once(',')?;
            report.depth = depth.trim().parse().ok()?;
            report.errors = rest.split("errors: ").nth(1)?.trim().parse().ok()?;
        } else if let Some((number, what)) = line.split_once(' ') {
            let Ok(number) = number.parse() else { continue };
            match what {
                // With -a the states that the second search visits are added in parentheses.
                _ if what.starts_with("states, stored") => report.stored = number,
                "states, matched" => report.matched = number,
                _ if what.starts_with("transitions (=") => report.transitions = number,
                "atomic steps" => {
                    report.atomic_steps = number;
                    complete = true;
                }
                _ => {}
            }
        }
    }
    complete.then_some(report)
}

/// The text of `pan:1: invalid end state (at depth 19)` without its number and depth.
fn error_text(line: &str) -> Option<String> {
    let (number, text) = line.strip_prefix("pan:")?.split_once(": ")?;
    number.parse::<u64>().ok()?;
    let text = text.rsplit_once(" (at depth").map_or(text, |(text, _)| text);
    Some(text.to_owned())
}

/// A scratch directory for one worker, in memory where the system has such a place; removed on drop.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(worker: usize) -> Result<Scratch> {
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let path = parent.join(format!("allways-testkit-{}-{worker}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left-over files in a scratch directory harm nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
pan:1: invalid end state (at depth 19)
pan:2: assertion violated (x==2) (at depth 5)
pan:3: invalid end state (at depth 7)

(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
\tnever claim         \t- (not selected)
\tassertion violations\t+

State-vector 83 byte, depth reached 20, errors: 3
       45 states, stored
       24 states, matched
       69 transitions (= stored+matched)
        7 atomic steps
hash conflicts:         0 (resolved)
";

    #[test]
    fn a_report_is_read() {
        let report = parse(REPORT).unwrap();
        assert_eq!((report.stored, report.matched, report.transitions), (45, 24, 69));
        assert_eq!((report.atomic_steps, report.depth, report.errors), (7, 20, 3));
        assert_eq!(report.error_texts, ["invalid end state", "assertion violated (x==2)"]);
        assert_eq!(truncation(REPORT), None);
        assert_eq!(refusal(REPORT), None);
    }

    #[test]
    fn half_a_report_is_none() {
        assert_eq!(parse(&REPORT[..REPORT.find("69").unwrap()]), None);
    }

    #[test]
    fn early_ends_are_told_apart() {
        let with = |line: &str| truncation(&format!("{line}\n{REPORT}"));
        assert_eq!(with("error: max search depth too small"), Some(Truncation::Depth));
        assert_eq!(with("pan: reached -DMEMLIM bound"), Some(Truncation::Memory));
        assert_eq!(with("pan:1: VECTORSZ is too small, edit pan.h"), Some(Truncation::VectorSize));
        assert_eq!(with("Warning: Search not completed"), Some(Truncation::FatalError));
    }

    #[test]
    fn refusals_are_told_apart() {
        let of = |text: &str| refusal(text).unwrap();
        assert_eq!(
            of("pan: proctype A() line 1 has unconditional self-loop"),
            Refusal::UnconditionalSelfLoop
        );
        assert_eq!(of("model.pml:3: state 4 inherits 2 'else' stmnts"), Refusal::TwoElses);
    }

    #[test]
    #[ignore = "needs spin and a C compiler"]
    fn the_recipe_gives_the_known_counts() {
        assert!(spin_available());
        let scratch = Scratch::new(0).unwrap();
        let counts =
            |text: &str, semantics| match verify(text, &Recipe::small(semantics), scratch.path()).unwrap() {
                Outcome::Finished(report) => [report.stored, report.matched, report.depth, report.errors],
                other => panic!("{other:?}"),
            };
        let plain = Semantics::default();
        let lossy = Semantics { lossy: true, ..plain };
        let strict_end = Semantics { strict_end: true, ..plain };
        let full = "chan q=[1] of {byte}; byte n; active proctype A(){ q!1; n++; q!2; n++ }";
        assert_eq!(counts(full, plain), [3, 0, 2, 1]);
        assert_eq!(counts(full, lossy), [6, 0, 5, 0]);
        let rest = "chan q=[2] of {byte}; active proctype A(){ q!1 }";
        assert_eq!(counts(rest, plain), [3, 0, 2, 0]);
        assert_eq!(counts(rest, strict_end), [3, 0, 2, 1]);
    }

    #[test]
    #[ignore = "needs spin and a C compiler"]
    fn endings_are_recognised() {
        assert!(spin_available());
        let scratch = Scratch::new(1).unwrap();
        let recipe = Recipe { time_limit: Duration::from_secs(1), ..Recipe::small(Semantics::default()) };
        let outcome = |text: &str| verify(text, &recipe, scratch.path()).unwrap();
        assert_eq!(
            outcome("active proctype A(){ do :: skip od }"),
            Outcome::Refused(Refusal::UnconditionalSelfLoop)
        );
        assert_eq!(
            outcome("byte x; active proctype A(){ if :: if :: x :: else fi :: else fi }"),
            Outcome::Refused(Refusal::TwoElses)
        );
        assert_eq!(outcome("byte x; active proctype A(){ x = 1 / x }"), Outcome::Crashed { signal: 8 });
        assert!(matches!(outcome("active proctype A(){ x = 1 }"), Outcome::FrontEnd(_)));
        let truncated = [
            ("byte x; active proctype A(){ d_step { x = 1; x == 2 } }", Truncation::FatalError),
            ("int x; active proctype A(){ do :: x++ od }", Truncation::Depth),
            ("bool x; active proctype A(){ atomic { do :: x = 0 :: x = 1 od } }", Truncation::Time),
        ];
        for (text, expected) in truncated {
            assert!(matches!(outcome(text), Outcome::Truncated(reason, _) if reason == expected), "{text}");
        }
    }
}
