//! Compares temporal verdicts of `allways` and Spin on random models.
//!
//! A difference is shrunk before it is shown. The exit code is 1 if there was any.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use allways_testkit::compare::Allways;
use allways_testkit::generate::tree::Model;
use allways_testkit::generate::{Kind, generate_temporal};
use allways_testkit::parallel::{in_parallel, seed_range};
use allways_testkit::shrink::shrink;
use allways_testkit::spin::{self, Recipe};
use allways_testkit::temporal::Question;
use allways_testkit::temporal::judge::{Answers, Difference, Judgement, judge};
use allways_testkit::temporal::oracle::{self, Answer, Oracle};
use allways_testkit::temporal::ours::{self, COUNTED, WAYS};
use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};

/// Compare temporal verdicts of allways and Spin on random models.
#[derive(Parser, Debug)]
struct Args {
    /// What the properties are
    #[arg(long, value_enum, default_value_t = KindName::Ltl)]
    kind: KindName,
    /// Seeds of the models, from A up to but not including B
    #[arg(long, value_name = "A..B", default_value = "0..150", value_parser = seed_range)]
    seeds: Range<u64>,
    /// Ask every question under weak fairness too
    #[arg(long)]
    fair: bool,
    /// The checker to test
    #[arg(long, value_name = "PATH", default_value = "target/release/allways")]
    allways: PathBuf,
    /// Compare Spin with itself instead of with allways: with and without statement merging, with and without fairness
    #[arg(long)]
    spin_only: bool,
    /// Save the shrunk model of each difference into this directory
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// How many smaller models to try per difference; 0 to keep the model as it is
    #[arg(long, value_name = "N", default_value_t = 2000)]
    shrink_limit: usize,
    /// Leave out models of which Spin stores more states with a property
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    states: u64,
    /// Seconds for each search of each tool
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    time_limit: f64,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Print the model of one seed and stop
    #[arg(long, value_name = "SEED")]
    print: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum KindName {
    Ltl,
    Progress,
    Acceptance,
    Never,
}

impl From<KindName> for Kind {
    fn from(name: KindName) -> Kind {
        match name {
            KindName::Ltl => Kind::Ltl,
            KindName::Progress => Kind::Progress,
            KindName::Acceptance => Kind::Acceptance,
            KindName::Never => Kind::Never,
        }
    }
}

const OUR_FILE: &str = "model.pml";
const SPIN_FILE: &str = "spin.pml";

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(seed) = args.print {
        print!("{}", generate_temporal(seed, args.kind.into()));
        return Ok(ExitCode::SUCCESS);
    }
    if !spin::spin_available() {
        bail!("spin and a C compiler (tcc or gcc) must be installed");
    }
    if let Some(directory) = &args.keep {
        fs::create_dir_all(directory)?;
    }
    let bench = Bench::new(&args)?;
    let seeds: Vec<_> = args.seeds.clone().collect();
    let mut tally = Tally::default();
    let start = Instant::now();
    in_parallel(
        &seeds,
        args.jobs,
        |seed, scratch| bench.examine(*seed, scratch),
        |seed, findings| {
            for finding in findings {
                if let Some(text) = &finding.text {
                    println!("=== seed {seed}\n{text}");
                    save(&args, *seed, &finding.question, text);
                }
                tally.count(&finding);
            }
        },
    )?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{seconds:.1} s, {:.1} models per second", seeds.len() as f64 / seconds);
    println!("{}", tally.summary());
    Ok(if tally.different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn save(args: &Args, seed: u64, question: &Question, text: &str) {
    let Some(directory) = &args.keep else { return };
    let fair = if question.fair { "-fair" } else { "" };
    let path =
        directory.join(format!("{:?}-{seed}-{}{fair}.pml", args.kind, question.property).to_lowercase());
    if let Err(error) = fs::write(&path, text) {
        eprintln!("cannot write {}: {error}", path.display());
    }
}

/// The two tools side by side.
struct Bench<'a> {
    args: &'a Args,
    kind: Kind,
    /// None to compare Spin with itself.
    allways: Option<Allways>,
    time_limit: Duration,
}

/// What came of one question.
struct Finding {
    question: Question,
    judgement: Judgement,
    /// The ways of ours that refused.
    refused: Vec<&'static str>,
    /// The model and all answers, for a difference.
    text: Option<String>,
}

impl Bench<'_> {
    fn new(args: &Args) -> Result<Bench<'_>> {
        let time_limit = Duration::from_secs_f64(args.time_limit);
        let allways = if args.spin_only {
            None
        } else {
            let binary = args.allways.canonicalize();
            let binary = binary.with_context(|| format!("no checker at {}", args.allways.display()))?;
            // A loaded machine should not make differences.
            Some(Allways { binary, time_limit: 5 * time_limit })
        };
        Ok(Bench { args, kind: args.kind.into(), allways, time_limit })
    }

    fn examine(&self, seed: u64, scratch: &Path) -> Result<Vec<Finding>> {
        let model = generate_temporal(seed, self.kind);
        let questions = Question::about(&model, self.kind, self.args.fair);
        let judgements = self.judgements(&model, &questions, scratch)?;
        questions
            .into_iter()
            .zip(judgements)
            .map(|(question, (judgement, refused))| {
                let text = match &judgement {
                    Judgement::Different(difference) => {
                        Some(self.shrunk(seed, &model, &question, difference, scratch)?)
                    }
                    _ => None,
                };
                Ok(Finding { question, judgement, refused, text })
            })
            .collect()
    }

    /// The judgement on each question, and which ways of ours refused it.
    fn judgements(
        &self,
        model: &Model,
        questions: &[Question],
        scratch: &Path,
    ) -> Result<Vec<(Judgement, Vec<&'static str>)>> {
        fs::write(scratch.join(OUR_FILE), model.to_string())?;
        fs::write(scratch.join(SPIN_FILE), oracle::text(model, self.kind))?;
        // A never claim can tell merged statements from others, a formula without X cannot.
        let plain = self.kind == Kind::Never && self.allways.is_some();
        let spin = self.spin_answers(model, questions, plain, scratch)?;
        let Some(allways) = &self.allways else {
            let plain = self.spin_answers(model, questions, true, scratch)?;
            let judgements = spin_alone(questions, &spin, &plain).into_iter();
            return Ok(judgements.map(|judgement| (judgement, vec![])).collect());
        };
        let counted = self.counted_states(allways, model, questions, &spin, scratch)?;
        let has_priorities = model.to_string().contains("priority");
        let has_provided = model.proctypes.iter().any(|proctype| proctype.provided.is_some());
        let mut judgements = vec![];
        for (number, question) in questions.iter().enumerate() {
            let (spin_answer, states) = (spin[number].clone(), counted[number]);
            if is_too_large(&spin_answer, self.args.states) {
                judgements.push((Judgement::Skipped("too large".into()), vec![]));
                continue;
            }
            let mut ours = vec![];
            for way in WAYS {
                let answer =
                    ours::ask(allways, Path::new(OUR_FILE), model.semantics, question, *way, scratch)?;
                ours.push((*way, answer));
            }
            let refused = |(way, answer): &(ours::Way, ours::Answer)| {
                matches!(answer, ours::Answer::Refused(_)).then_some(way.name)
            };
            let refused = ours.iter().filter_map(refused).collect();
            let spin_unfair = unfair(questions, &spin, number).cloned();
            let answers =
                Answers { spin: spin_answer, spin_unfair, ours, states, has_provided, has_priorities };
            judgements.push((judge(question, &answers), refused));
        }
        Ok(judgements)
    }

    fn spin_answers(
        &self,
        model: &Model,
        questions: &[Question],
        plain: bool,
        scratch: &Path,
    ) -> Result<Vec<Answer>> {
        let recipe = oracle::recipe(self.kind, plain, self.time_limit, Recipe::small(model.semantics));
        match Oracle::new(Path::new(SPIN_FILE), recipe, scratch)? {
            Ok(oracle) => questions.iter().map(|question| oracle.ask(question)).collect(),
            Err(answer) => Ok(vec![answer; questions.len()]),
        }
    }

    /// The numbers of stored states of both, for never claims that neither finds violated.
    fn counted_states(
        &self,
        allways: &Allways,
        model: &Model,
        questions: &[Question],
        answers: &[Answer],
        scratch: &Path,
    ) -> Result<Vec<Option<(u64, u64)>>> {
        let mut counted = vec![None; questions.len()];
        let can_count = |question: &Question, answer: &Answer| {
            question.kind == Kind::Never && !question.fair && matches!(answer, Answer::Holds { .. })
        };
        if !questions.iter().zip(answers).any(|(question, answer)| can_count(question, answer)) {
            return Ok(counted);
        }
        let recipe = oracle::recipe(self.kind, true, self.time_limit, Recipe::small(model.semantics));
        let Ok(oracle) = Oracle::new(Path::new(SPIN_FILE), recipe, scratch)? else { return Ok(counted) };
        for (number, question) in questions.iter().enumerate() {
            if !can_count(question, &answers[number]) {
                continue;
            }
            let spin = oracle.ask_all(question)?;
            let ours = ours::ask(allways, Path::new(OUR_FILE), model.semantics, question, COUNTED, scratch)?;
            if let (Answer::Holds { states: spin }, ours::Answer::Holds { states: ours }) = (spin, ours) {
                counted[number] = Some((spin, ours));
            }
        }
        Ok(counted)
    }

    /// A difference as a Promela file that explains itself.
    fn shrunk(
        &self,
        seed: u64,
        model: &Model,
        question: &Question,
        difference: &Difference,
        scratch: &Path,
    ) -> Result<String> {
        // Without fairness first, because Spin alone is judged by both.
        let unfair = question.fair.then(|| Question { fair: false, ..question.clone() });
        let questions: Vec<_> = unfair.into_iter().chain([question.clone()]).collect();
        let again = |model: &Model| -> Option<Difference> {
            // pan would take another claim instead.
            if !Question::about(model, self.kind, true).contains(question) {
                return None;
            }
            match self.judgements(model, &questions, scratch).ok()?.pop()?.0 {
                Judgement::Different(other) if other.class == difference.class => Some(other),
                _ => None,
            }
        };
        let small = shrink(model, self.args.shrink_limit, |model| again(model).is_some());
        let difference = again(&small).unwrap_or_else(|| difference.clone());
        // A comment must not end early.
        let report = difference.text.replace("*/", "* /");
        Ok(format!("/* seed {seed}, {:?}, {question}\n{report}*/\n{small}", small.semantics))
    }
}

/// The answer to the same question without fairness, which comes right before.
fn unfair<'a>(questions: &[Question], answers: &'a [Answer], number: usize) -> Option<&'a Answer> {
    number.checked_sub(1).filter(|_| questions[number].fair).map(|before| &answers[before])
}

fn is_too_large(spin: &Answer, limit: u64) -> bool {
    matches!(spin, Answer::Holds { states } if *states > limit)
}

/// Judges Spin with statement merging as if the one without were the checker under test; and under fairness there
/// are fewer runs, so what holds must still hold.
fn spin_alone(questions: &[Question], merged: &[Answer], plain: &[Answer]) -> Vec<Judgement> {
    let holds = |answer: &Answer| match answer {
        Answer::Holds { .. } => Ok(true),
        Answer::Violated(_) => Ok(false),
        Answer::Silent(reason) => Err(reason.clone()),
    };
    let different = |class: &str, first: &Answer, second: &Answer| {
        let text = format!("{class}\n{first:?}\n{second:?}\n");
        Judgement::Different(Difference { class: class.into(), text })
    };
    let judge = |number: usize| {
        let unfair = unfair(questions, merged, number);
        let (merged, plain) = (&merged[number], &plain[number]);
        match (holds(merged), holds(plain), unfair) {
            (Err(reason), ..) | (_, Err(reason), _) => Judgement::Skipped(reason),
            (Ok(a), Ok(b), _) if a != b => different("Spin merged and unmerged", merged, plain),
            (Ok(false), _, Some(Answer::Holds { .. }))
                if *merged == Answer::Violated("accept stutter".into()) =>
            {
                Judgement::Explained("pan -f takes any stop for one at an accepting label")
            }
            (Ok(false), _, Some(unfair @ Answer::Holds { .. })) => {
                different("Spin without and with fairness", unfair, merged)
            }
            (Ok(holds), ..) => Judgement::Agreed { holds },
        }
    };
    (0..questions.len()).map(judge).collect()
}

#[derive(Default)]
struct Tally {
    holds: usize,
    violated: usize,
    explained: BTreeMap<String, usize>,
    skipped: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    different: usize,
}

impl Tally {
    fn count(&mut self, finding: &Finding) {
        match &finding.judgement {
            Judgement::Agreed { holds: true } => self.holds += 1,
            Judgement::Agreed { holds: false } => self.violated += 1,
            Judgement::Explained(reason) => *self.explained.entry(reason.to_string()).or_default() += 1,
            Judgement::Skipped(reason) => *self.skipped.entry(reason.clone()).or_default() += 1,
            Judgement::Different(_) => self.different += 1,
        }
        for way in &finding.refused {
            *self.refused.entry(way.to_string()).or_default() += 1;
        }
    }

    fn summary(&self) -> String {
        let total = |reasons: &BTreeMap<String, usize>| reasons.values().sum::<usize>();
        let all = self.holds + self.violated + total(&self.explained) + total(&self.skipped) + self.different;
        let mut text = format!(
            "{all} compared: {} agreed ({} violated, {} hold), {} explained{}, {} skipped{}, {} different",
            self.holds + self.violated,
            self.violated,
            self.holds,
            total(&self.explained),
            in_parentheses(&self.explained),
            total(&self.skipped),
            in_parentheses(&self.skipped),
            self.different,
        );
        if !self.refused.is_empty() {
            text.push_str(&format!("\nrefused ways{}", in_parentheses(&self.refused)));
        }
        text
    }
}

fn in_parentheses(reasons: &BTreeMap<String, usize>) -> String {
    let reasons: Vec<_> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) }
}
