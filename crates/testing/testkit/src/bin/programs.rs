//! Compares the searches of `allways explore` with each other and with an oracle, on random C programs.
//!
//! A difference is shrunk before it is shown. The exit code is 1 if there was any.

#![forbid(unsafe_code)]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use allways_testkit::child;
use allways_testkit::parallel::{in_parallel, seed_range};
use allways_testkit::programs::explorer::{Explorer, compile};
use allways_testkit::programs::generate::{Family, Limits, Shape, generate};
use allways_testkit::programs::judge::{Difference, Judgement, judge, judge_by_first};
use allways_testkit::programs::oracle::{self, End, Knowledge};
use allways_testkit::programs::print::{END_FILE, code, print};
use allways_testkit::programs::shrink::shrink;
use allways_testkit::programs::syntax::Program;
use anyhow::{Context, Result};
use clap::Parser;

/// Compare the searches of allways explore on random C programs.
#[derive(Parser, Debug)]
struct Args {
    /// The checker to test
    #[arg(long, value_name = "PATH", default_value = "target/release/allways")]
    allways: PathBuf,
    /// Seeds of the programs, from A up to but not including B
    #[arg(long, value_name = "A..B", default_value = "0..100", value_parser = seed_range)]
    seeds: Range<u64>,
    /// What the programs are like
    #[arg(long, value_enum, default_value = "flat")]
    kind: Shape,
    /// The searches to compare, source/2 with two workers; the first one is what the others are compared with where the oracle knows too little
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "naive,persistent,source")]
    search: Vec<String>,
    /// Worker threads
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// How many smaller programs to try per difference; 0 to keep the program as it is
    #[arg(long, value_name = "N", default_value_t = 300)]
    shrink_limit: usize,
    /// Save the program of each difference into this directory
    #[arg(long, value_name = "DIR")]
    emit: Option<PathBuf>,
    /// Generate programs of which a search without reduction makes at most so many executions
    #[arg(long, value_name = "N", default_value_t = 2000.0)]
    size: f64,
    /// Generate programs without these things
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_enum)]
    without: Vec<Family>,
    /// Leave out searches that make more executions
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    max_executions: u64,
    /// Seconds for each search
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    time_limit: f64,
    /// Run each program N times without the checker instead, and compare its ends with the oracle's; those that could
    /// deadlock are left out
    #[arg(long, value_name = "N", default_value_t = 0)]
    native: usize,
    /// Print the program of one seed and what is known of it, and stop
    #[arg(long, value_name = "SEED")]
    print: Option<u64>,
}

/// Larger programs are not generated.
const MOST_STATES: usize = 20_000;

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let limits = Limits {
        executions: args.size,
        states: MOST_STATES,
        without: args.without.clone(),
        shape: args.kind,
    };
    if let Some(seed) = args.print {
        let (program, knowledge) = generate(seed, &limits);
        print!("{}{}", comment(seed, &knowledge), print(&program));
        return Ok(ExitCode::SUCCESS);
    }
    let mut binary = PathBuf::new();
    if args.native == 0 {
        let found = args.allways.canonicalize();
        binary = found.with_context(|| format!("no checker at {}", args.allways.display()))?;
    }
    if let Some(directory) = &args.emit {
        fs::create_dir_all(directory)?;
    }
    let time_limit = Duration::from_secs_f64(args.time_limit);
    let explorer = Explorer {
        binary,
        time_limit,
        max_executions: args.max_executions,
        has_numbers: args.kind != Shape::Groups,
        has_files: args.kind == Shape::Files,
    };
    let bench = Bench { args: &args, explorer, limits };
    let seeds: Vec<_> = args.seeds.clone().collect();
    let n_searches = if args.native > 0 { 1 } else { args.search.len() };
    let mut tally = Tally::default();
    let start = Instant::now();
    in_parallel(
        &seeds,
        args.jobs,
        |seed, scratch| bench.examine(*seed, scratch),
        |seed, finding| {
            if let Some(text) = &finding.text {
                println!("=== seed {seed}\n{text}");
                save(&args, *seed, text);
            }
            tally.count(&finding, n_searches);
        },
    )?;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{seconds:.1} s, {:.1} programs per second", seeds.len() as f64 / seconds);
    println!("{}", tally.summary());
    Ok(if tally.different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn comment(seed: u64, knowledge: &Knowledge) -> String {
    let mut text = format!(
        "// seed {seed}: {} states, {} executions without reduction\n",
        knowledge.states, knowledge.executions
    );
    for end in &knowledge.ends {
        text.push_str(&format!("// {end:?}\n"));
    }
    text
}

fn save(args: &Args, seed: u64, text: &str) {
    let Some(directory) = &args.emit else { return };
    let path = directory.join(format!("program-{seed}.c"));
    if let Err(error) = fs::write(&path, text) {
        eprintln!("cannot write {}: {error}", path.display());
    }
}

struct Bench<'a> {
    args: &'a Args,
    explorer: Explorer,
    limits: Limits,
}

/// What came of one program.
struct Finding {
    judgement: Judgement,
    deadlocks: bool,
    /// The program and what is wrong, for a difference.
    text: Option<String>,
}

impl Bench<'_> {
    fn examine(&self, seed: u64, scratch: &Path) -> Result<Finding> {
        let (program, knowledge) = generate(seed, &self.limits);
        let judgement = self.judgement(&program, &knowledge, scratch)?;
        let text = match &judgement {
            Judgement::Different(difference) => Some(self.shrunk(seed, &program, difference, scratch)),
            _ => None,
        };
        let deadlocks = knowledge.ends.iter().any(|end| matches!(end, End::Deadlock(_)));
        Ok(Finding { judgement, deadlocks, text })
    }

    fn judgement(&self, program: &Program, knowledge: &Knowledge, scratch: &Path) -> Result<Judgement> {
        fs::write(scratch.join("program.c"), print(program))?;
        let binary = compile("program.c", &[], scratch)?;
        if self.args.native > 0 {
            return native(&binary, knowledge, self.args.native, scratch);
        }
        let mut answers = vec![];
        for search in &self.args.search {
            answers.push((search.as_str(), self.explorer.ask(&binary, search, scratch)?));
        }
        Ok(if program.is_exact() { judge(knowledge, &answers) } else { judge_by_first(&answers) })
    }

    /// A difference as a C file that explains itself.
    fn shrunk(&self, seed: u64, program: &Program, difference: &Difference, scratch: &Path) -> String {
        let again = |program: &Program| -> Option<Difference> {
            let knowledge = oracle::ask(program, MOST_STATES)?;
            match self.judgement(program, &knowledge, scratch).ok()? {
                Judgement::Different(other) if other.class == difference.class => Some(other),
                _ => None,
            }
        };
        let small = shrink(program, self.args.shrink_limit, |program| again(program).is_some());
        let difference = again(&small).unwrap_or_else(|| difference.clone());
        let lines: String = difference.text.lines().map(|line| format!("// {line}\n")).collect();
        let known = oracle::ask(&small, MOST_STATES).map(|known| comment(seed, &known)).unwrap_or_default();
        format!("{lines}{known}{}", print(&small))
    }
}

/// Runs a program by itself, which shows some of its ends.
fn native(program: &Path, knowledge: &Knowledge, times: usize, scratch: &Path) -> Result<Judgement> {
    if knowledge.ends.iter().any(|end| !matches!(end, End::Finished(_))) {
        return Ok(Judgement::Skipped);
    }
    let file = scratch.join("ends");
    for _ in 0..times {
        fs::write(&file, "")?;
        let mut command = Command::new(program);
        command.env(END_FILE, &file).env("ALLWAYS_TOSS", "1,1,1,1,1,1,1,1,1");
        let finished = child::run(command, scratch, Duration::from_secs(5))?;
        let line = fs::read_to_string(&file)?.trim_end_matches('\n').to_string();
        let exit = finished.status.and_then(|status| status.code());
        if exit != Some(code(&line) as i32) || !knowledge.ends.contains(&End::Finished(line.clone())) {
            let text = format!("ended with {:?} and `{line}`", finished.status);
            return Ok(Judgement::Different(Difference { class: "native".into(), text }));
        }
    }
    Ok(Judgement::Equal(1))
}

#[derive(Default)]
struct Tally {
    equal: usize,
    /// Of the equal ones, those for which some search was too large.
    partly: usize,
    skipped: usize,
    different: usize,
    deadlocks: usize,
}

impl Tally {
    fn count(&mut self, finding: &Finding, n_searches: usize) {
        self.deadlocks += usize::from(finding.deadlocks);
        match finding.judgement {
            Judgement::Equal(complete) => {
                self.equal += 1;
                self.partly += usize::from(complete < n_searches);
            }
            Judgement::Skipped => self.skipped += 1,
            Judgement::Different(_) => self.different += 1,
        }
    }

    fn summary(&self) -> String {
        format!(
            "{} compared ({} can deadlock): {} equal ({} of them without the largest searches), {} skipped, {} different",
            self.equal + self.skipped + self.different,
            self.deadlocks,
            self.equal,
            self.partly,
            self.skipped,
            self.different
        )
    }
}
