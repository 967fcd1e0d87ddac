//! Compares `allways` with Spin on random models, or on given ones.
//!
//! A mismatch on a random model is shrunk before it is shown. The exit code is 1 if there was any mismatch.

#![forbid(unsafe_code)]

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use allways_testkit::compare::{Allways, Comparison, Mismatch, Ours, compare, side_by_side};
use allways_testkit::generate::tree::Model;
use allways_testkit::generate::{CONSTRUCTS, Feature, Odds, constructs, generate};
use allways_testkit::parallel::{in_parallel, seed_range};
use allways_testkit::shrink::shrink;
use allways_testkit::spin::{self, Compiler, Outcome, Recipe, Semantics};
use anyhow::{Context, Result, bail};
use clap::Parser;

/// Compare allways with Spin on random models.
#[derive(Parser, Debug)]
struct Args {
    /// Seeds of the models, from A up to but not including B
    #[arg(long, value_name = "A..B", default_value = "0..200", value_parser = seed_range)]
    seeds: Range<u64>,
    /// Take the seeds from a file, one per line
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    list: Option<PathBuf>,
    /// Compare on these models instead of random ones
    #[arg(long, value_name = "FILE", num_args = 1..)]
    model: Vec<PathBuf>,
    /// The checker to test
    #[arg(long, value_name = "PATH", default_value = "target/release/allways")]
    allways: PathBuf,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds for each search of each tool [default: 3, with --model 60]
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    /// Save the shrunk model of each mismatch into this directory
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// How many smaller models to try per mismatch; 0 to keep the model as it is
    #[arg(long, value_name = "N", default_value_t = 2000)]
    shrink_limit: usize,
    /// Change how likely a feature is, in percent of models
    #[arg(long, value_name = "FEATURE=PERCENT", value_parser = odd)]
    odds: Vec<(Feature, u32)>,
    /// With --model: a send to a full channel loses its message
    #[arg(long, requires = "model")]
    lossy: bool,
    /// With --model: channels must be empty in end states
    #[arg(long, requires = "model")]
    strict_end: bool,
    /// With --model: the innermost of nested unless escapes goes first
    #[arg(long, requires = "model")]
    innermost_unless: bool,
    /// Show what the random models are like instead of comparing; needs Spin only
    #[arg(long, conflicts_with = "model")]
    profile: bool,
    /// Compare Spin built by tcc with Spin built by gcc instead of comparing with allways
    #[arg(long)]
    compilers: bool,
    /// Shrink each random model about which Spin says TEXT, instead of comparing
    #[arg(long, value_name = "TEXT", conflicts_with = "model")]
    find: Option<String>,
    /// Print the model of one seed and stop
    #[arg(long, value_name = "SEED")]
    print: Option<u64>,
}

/// What is compared on.
#[derive(Clone, Debug)]
enum Subject {
    Seed(u64),
    File(PathBuf),
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(seed) = args.print {
        let model = generate(seed, &args.odds());
        print!("{}{model}", header(seed, model.semantics));
        return Ok(ExitCode::SUCCESS);
    }
    if !spin::spin_available() {
        bail!("spin and a C compiler (tcc or gcc) must be installed");
    }
    let subjects = args.subjects()?;
    if args.profile {
        return profile(&args, &subjects).map(|()| ExitCode::SUCCESS);
    }
    if let Some(text) = &args.find {
        return find(&args, &subjects, text).map(|()| ExitCode::SUCCESS);
    }
    differences(&args, &subjects)
}

fn odd(text: &str) -> Result<(Feature, u32), String> {
    let (name, percent) = text.split_once('=').ok_or("expected FEATURE=PERCENT")?;
    let names = || Feature::names().collect::<Vec<_>>().join(", ");
    let feature =
        Feature::named(name).ok_or_else(|| format!("no feature `{name}`; there are: {}", names()))?;
    Ok((feature, percent.parse().map_err(|_| format!("`{percent}` is not a percentage"))?))
}

impl Args {
    fn odds(&self) -> Odds {
        let mut odds = Odds::default();
        self.odds.iter().for_each(|(feature, percent)| odds.set(*feature, *percent));
        odds
    }

    fn subjects(&self) -> Result<Vec<Subject>> {
        if !self.model.is_empty() {
            let absolute = |path: &PathBuf| {
                let path = path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?;
                Ok(Subject::File(path))
            };
            return self.model.iter().map(absolute).collect();
        }
        let Some(list) = &self.list else { return Ok(self.seeds.clone().map(Subject::Seed).collect()) };
        let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
        let seed = |line: &str| line.trim().parse().with_context(|| format!("`{line}` is not a seed"));
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| Ok(Subject::Seed(seed(line)?)))
            .collect()
    }

    fn recipe(&self, subject: &Subject, semantics: Semantics) -> Recipe {
        let recipe = match subject {
            Subject::Seed(_) => Recipe::small(semantics),
            Subject::File(_) => Recipe::large(semantics),
        };
        let time_limit = self.time_limit.map_or(recipe.time_limit, Duration::from_secs_f64);
        Recipe { time_limit, ..recipe }
    }

    fn file_semantics(&self) -> Semantics {
        Semantics { lossy: self.lossy, strict_end: self.strict_end, innermost_unless: self.innermost_unless }
    }
}

fn differences(args: &Args, subjects: &[Subject]) -> Result<ExitCode> {
    let bench = Bench::new(args)?;
    if let Some(directory) = &args.save {
        fs::create_dir_all(directory)?;
    }
    let mut tally = Tally::default();
    let start = Instant::now();
    in_parallel(
        subjects,
        args.jobs,
        |subject, scratch| bench.examine(subject, scratch),
        |subject, verdict| {
            if !args.model.is_empty() {
                println!("{}: {}", name(subject), verdict.summary());
            }
            if let Some(text) = &verdict.mismatch {
                println!("=== {}\n{text}", name(subject));
                save(args, subject, text);
            }
            tally.count(&verdict);
        },
    )?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{:.1} s, {:.1} models per second", seconds, subjects.len() as f64 / seconds);
    println!("{}", tally.summary());
    Ok(if tally.mismatched == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn save(args: &Args, subject: &Subject, text: &str) {
    let Some(directory) = &args.save else { return };
    let path = directory.join(format!("{}.pml", name(subject).replace('/', "-")));
    if let Err(error) = fs::write(&path, text) {
        eprintln!("cannot write {}: {error}", path.display());
    }
}

fn name(subject: &Subject) -> String {
    match subject {
        Subject::Seed(seed) => format!("seed-{seed}"),
        Subject::File(path) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

fn header(seed: u64, semantics: Semantics) -> String {
    let mut header = format!("/* seed {seed}");
    for (set, text) in [
        (semantics.lossy, "; spin -m, --full-channel lose"),
        (semantics.strict_end, "; pan -q, --strict-end"),
        (semantics.innermost_unless, "; pan -J, --unless innermost"),
    ] {
        if set {
            header.push_str(text);
        }
    }
    header + " */\n"
}

/// The two tools side by side.
struct Bench<'a> {
    args: &'a Args,
    odds: Odds,
    second: Second,
}

/// What Spin is compared with.
enum Second {
    Allways(Allways),
    Gcc,
}

struct Verdict {
    comparison: Comparison,
    /// The model and both results, for a mismatch.
    mismatch: Option<String>,
}

impl Bench<'_> {
    fn new(args: &Args) -> Result<Bench<'_>> {
        let second = if args.compilers {
            Second::Gcc
        } else {
            let binary = args.allways.canonicalize();
            let binary = binary.with_context(|| format!("no checker at {}", args.allways.display()))?;
            let default = if args.model.is_empty() { 3.0 } else { 60.0 };
            // Time to compile is not ours to spend, but a loaded machine should not make mismatches.
            let time_limit = Duration::from_secs_f64(2.0 * args.time_limit.unwrap_or(default));
            Second::Allways(Allways { binary, time_limit })
        };
        Ok(Bench { args, odds: args.odds(), second })
    }

    fn examine(&self, subject: &Subject, scratch: &Path) -> Result<Verdict> {
        match subject {
            Subject::Seed(seed) => self.examine_seed(*seed, subject, scratch),
            Subject::File(path) => self.examine_file(path, subject, scratch),
        }
    }

    fn examine_file(&self, path: &Path, subject: &Subject, scratch: &Path) -> Result<Verdict> {
        let recipe = self.args.recipe(subject, self.args.file_semantics());
        let pair = self.run(path, &recipe, scratch)?;
        let mismatch = match &pair.comparison {
            Comparison::Mismatch(mismatch) => Some(format!("{mismatch}{}", pair.details)),
            _ => None,
        };
        Ok(Verdict { comparison: pair.comparison, mismatch })
    }

    fn examine_seed(&self, seed: u64, subject: &Subject, scratch: &Path) -> Result<Verdict> {
        let model = generate(seed, &self.odds);
        let pair = self.run_model(&model, subject, scratch)?;
        let Comparison::Mismatch(mismatch) = &pair.comparison else {
            return Ok(Verdict { comparison: pair.comparison, mismatch: None });
        };
        let kind = mismatch.kind;
        let small = shrink(&model, self.args.shrink_limit, |model| {
            let pair = self.run_model(model, subject, scratch);
            pair.is_ok_and(
                |pair| matches!(pair.comparison, Comparison::Mismatch(Mismatch { kind: k, .. }) if k == kind),
            )
        });
        let pair = self.run_model(&small, subject, scratch)?;
        let text = describe(seed, &small, &pair);
        Ok(Verdict { comparison: pair.comparison, mismatch: Some(text) })
    }

    fn run_model(&self, model: &Model, subject: &Subject, scratch: &Path) -> Result<Pair> {
        fs::write(scratch.join("model.pml"), model.to_string())?;
        self.run(Path::new("model.pml"), &self.args.recipe(subject, model.semantics), scratch)
    }

    fn run(&self, model: &Path, recipe: &Recipe, scratch: &Path) -> Result<Pair> {
        let spin = spin::verify_file(model, recipe, scratch)?;
        match &self.second {
            Second::Allways(allways) => {
                let ours = allways.check(model, recipe.semantics, scratch)?;
                Ok(Pair {
                    comparison: compare(&spin, &ours, recipe.semantics),
                    details: side_by_side(&spin, &ours),
                })
            }
            Second::Gcc => {
                let compiler = Compiler::Gcc { optimise: true };
                let gcc = spin::verify_file(model, &Recipe { compiler, ..recipe.clone() }, scratch)?;
                Ok(compare_compilers(&spin, &gcc))
            }
        }
    }
}

struct Pair {
    comparison: Comparison,
    details: String,
}

/// Treats the second run of Spin as if it were a checker under test.
fn compare_compilers(first: &Outcome, second: &Outcome) -> Pair {
    let comparison = if first == second {
        Comparison::Equal
    } else {
        let ours = Ours::Failed { exit_code: None, text: format!("{second:?}") };
        compare(first, &ours, Semantics::default())
    };
    Pair { comparison, details: format!("{first:?}\n{second:?}\n") }
}

/// A mismatch as a Promela file that explains itself.
fn describe(seed: u64, model: &Model, pair: &Pair) -> String {
    let mut text = header(seed, model.semantics);
    text.push_str("/*\n");
    if let Comparison::Mismatch(mismatch) = &pair.comparison {
        // A comment must not end early.
        let report = format!("{mismatch}{}", pair.details).replace("*/", "* /");
        text.push_str(&report);
    }
    let _ = write!(text, "*/\n{model}");
    text
}

#[derive(Default)]
struct Tally {
    equal: usize,
    mismatched: usize,
    explained: BTreeMap<String, usize>,
}

impl Verdict {
    fn summary(&self) -> String {
        match &self.comparison {
            Comparison::Equal => "equal".into(),
            Comparison::Explained(reason) => format!("explained: {reason}"),
            Comparison::Mismatch(mismatch) => format!("MISMATCH ({:?})", mismatch.kind),
        }
    }
}

impl Tally {
    fn count(&mut self, verdict: &Verdict) {
        match &verdict.comparison {
            Comparison::Equal => self.equal += 1,
            Comparison::Explained(reason) => *self.explained.entry(reason.clone()).or_default() += 1,
            Comparison::Mismatch(_) => self.mismatched += 1,
        }
    }

    fn summary(&self) -> String {
        let explained: usize = self.explained.values().sum();
        let reasons: Vec<_> =
            self.explained.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
        let compared = self.equal + explained + self.mismatched;
        format!(
            "{compared} compared, {} equal, {explained} explained{reasons}, {} mismatched",
            self.equal, self.mismatched
        )
    }
}

/// Prints small models about which Spin says `text`, to learn what makes it say so.
fn find(args: &Args, subjects: &[Subject], text: &str) -> Result<()> {
    let odds = args.odds();
    let examine = |subject: &Subject, scratch: &Path| {
        let Subject::Seed(seed) = subject else { bail!("only random models can be shrunk") };
        let says = |model: &Model| {
            let outcome = spin::verify(&model.to_string(), &args.recipe(subject, model.semantics), scratch);
            outcome.is_ok_and(|outcome| format!("{outcome:?}").contains(text))
        };
        let model = generate(*seed, &odds);
        Ok(says(&model).then(|| shrink(&model, args.shrink_limit, says)))
    };
    in_parallel(subjects, args.jobs, examine, |subject, model| {
        if let (Some(model), Subject::Seed(seed)) = (model, subject) {
            println!("{}{model}", header(*seed, model.semantics));
        }
    })
}

/// What the random models of some seeds are like.
#[derive(Default)]
struct Profile {
    outcomes: BTreeMap<String, usize>,
    /// Of the searches that finished.
    states: Vec<u64>,
    errors: BTreeMap<&'static str, usize>,
    constructs: BTreeMap<&'static str, usize>,
    texts: HashSet<String>,
}

fn profile(args: &Args, subjects: &[Subject]) -> Result<()> {
    let odds = args.odds();
    let mut profile = Profile::default();
    let start = Instant::now();
    in_parallel(
        subjects,
        args.jobs,
        |subject, scratch| {
            let Subject::Seed(seed) = subject else { bail!("only random models have a profile") };
            let model = generate(*seed, &odds);
            let outcome = spin::verify(&model.to_string(), &args.recipe(subject, model.semantics), scratch)?;
            Ok((model, outcome))
        },
        |subject, (model, outcome)| profile.add(subject, &model, outcome),
    )?;
    let seconds = start.elapsed().as_secs_f64();
    print!("{}", profile.report(subjects.len()));
    println!("\n{seconds:.1} s, {:.1} models per second", subjects.len() as f64 / seconds);
    Ok(())
}

impl Profile {
    fn add(&mut self, subject: &Subject, model: &Model, outcome: Outcome) {
        for construct in constructs(model) {
            *self.constructs.entry(construct).or_default() += 1;
        }
        self.texts.insert(model.to_string());
        let class = match &outcome {
            Outcome::Finished(_) => "finished".to_owned(),
            Outcome::Truncated(truncation, _) => format!("truncated: {truncation:?}"),
            Outcome::Refused(refusal) => format!("refused: {refusal:?}"),
            other => {
                eprintln!("{}: {other:?}", name(subject));
                "not run".to_owned()
            }
        };
        *self.outcomes.entry(class).or_default() += 1;
        if let Outcome::Finished(report) = outcome {
            self.states.push(report.stored);
            let texts = || report.error_texts.iter();
            let deadlock = texts().any(|text| text.starts_with("invalid end state"));
            let assertion = texts().any(|text| text.starts_with("assertion violated"));
            let other = texts().any(|text| {
                !text.starts_with("invalid end state") && !text.starts_with("assertion violated")
            });
            for (present, class) in [
                (deadlock, "invalid end state"),
                (assertion, "assertion violated"),
                (other, "another error"),
                (report.errors == 0, "no error"),
            ] {
                *self.errors.entry(class).or_default() += usize::from(present);
            }
        }
    }

    fn report(&self, total: usize) -> String {
        let mut text = format!("{total} models, {} different\n\noutcomes\n", self.texts.len());
        let row = |text: &mut String, what: &str, count: usize, of: usize| {
            let _ = writeln!(text, "{:>7.1} %  {what}", 100.0 * count as f64 / of.max(1) as f64);
        };
        for (outcome, count) in &self.outcomes {
            row(&mut text, outcome, *count, total);
        }
        text.push_str("\nstored states of finished searches\n");
        let edges = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 50_000, 200_000, u64::MAX];
        for pair in edges.windows(2) {
            let count = self.states.iter().filter(|states| (pair[0]..pair[1]).contains(states)).count();
            let what = if pair[1] == u64::MAX {
                format!("{} or more", pair[0])
            } else {
                format!("{} to {}", pair[0], pair[1] - 1)
            };
            row(&mut text, &what, count, self.states.len());
        }
        text.push_str("\nerrors in finished searches\n");
        for (class, count) in &self.errors {
            row(&mut text, class, *count, self.states.len());
        }
        text.push_str("\nmodels with construct\n");
        for construct in CONSTRUCTS {
            row(&mut text, construct, self.constructs.get(construct).copied().unwrap_or(0), total);
        }
        text
    }
}
