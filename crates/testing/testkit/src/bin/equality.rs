//! Compares all ways to search a model with each other, on random models or on given ones.
//!
//! A disagreement on a random model is shrunk before it is shown. The exit code is 1 if there was any.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use allways_testkit::equality::{Equality, compare};
use allways_testkit::generate::tree::Model as Tree;
use allways_testkit::generate::{Odds, generate};
use allways_testkit::parallel::seed_range;
use allways_testkit::shrink::shrink;
use allways_workbench::{Files, LoadOptions, Semantics, UnlessOrder, load, load_text};
use anyhow::{Result, anyhow};
use clap::Parser;

/// Compare all ways to search a model with each other.
#[derive(Parser, Debug)]
struct Args {
    /// Seeds of the models, from A up to but not including B
    #[arg(long, value_name = "A..B", default_value = "0..200", value_parser = seed_range)]
    seeds: Range<u64>,
    /// Compare on these models instead of random ones
    #[arg(long, value_name = "FILE", num_args = 1..)]
    model: Vec<PathBuf>,
    /// Leave out models with more states
    #[arg(long, default_value_t = 20_000)]
    states: u64,
    /// How many smaller models to try per disagreement; 0 to keep the model as it is
    #[arg(long, value_name = "N", default_value_t = 2000)]
    shrink_limit: usize,
    /// Worker threads
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> Result<String, std::io::Error> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let start = Instant::now();
    let tally = if args.model.is_empty() { random_models(&args) } else { given_models(&args)? };
    eprintln!("{:.1} s", start.elapsed().as_secs_f64());
    println!("{}", tally.summary());
    let is_equal = tally.different.load(Ordering::Relaxed) == 0;
    Ok(if is_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Tally {
    equal: AtomicU64,
    violated: AtomicU64,
    states: AtomicU64,
    too_large: AtomicU64,
    refused: AtomicU64,
    different: AtomicU64,
}

impl Tally {
    fn count(&self, equality: Option<&Equality>) {
        let add = |counter: &AtomicU64, amount| {
            counter.fetch_add(amount, Ordering::Relaxed);
        };
        match equality {
            None => add(&self.refused, 1),
            Some(Equality::TooLarge) => add(&self.too_large, 1),
            Some(Equality::Different(_)) => add(&self.different, 1),
            Some(Equality::Equal { states, violated }) => {
                add(&self.equal, 1);
                add(&self.states, *states);
                add(&self.violated, (*violated).into());
            }
        }
    }

    fn summary(&self) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        format!(
            "{} equal ({} states, {} with violations), {} too large, {} refused, {} different",
            get(&self.equal),
            get(&self.states),
            get(&self.violated),
            get(&self.too_large),
            get(&self.refused),
            get(&self.different)
        )
    }
}

fn random_models(args: &Args) -> Tally {
    let tally = Tally::default();
    let next = AtomicU64::new(args.seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= args.seeds.end {
                        break;
                    }
                    tally.count(examine(args, seed).as_ref());
                }
            });
        }
    });
    tally
}

fn examine(args: &Args, seed: u64) -> Option<Equality> {
    let tree = generate(seed, &Odds::default());
    let equality = compare_tree(args, &tree)?;
    if let Equality::Different(difference) = &equality {
        let class = class(difference);
        let small = shrink(
            &tree,
            args.shrink_limit,
            |tree| matches!(compare_tree(args, tree), Some(Equality::Different(other)) if class == self::class(&other)),
        );
        let difference = match compare_tree(args, &small) {
            Some(Equality::Different(difference)) => difference,
            _ => difference.clone(),
        };
        println!("=== seed {seed}, {:?}\n{difference}\n{small}", small.semantics);
    }
    Some(equality)
}

/// The first line of a difference, which says what kind it is.
fn class(difference: &str) -> String {
    let line = difference.lines().next().unwrap_or_default();
    line.chars().filter(|character| !character.is_ascii_digit()).collect()
}

/// None if the model is refused.
fn compare_tree(args: &Args, tree: &Tree) -> Option<Equality> {
    let unless =
        if tree.semantics.innermost_unless { UnlessOrder::Innermost } else { UnlessOrder::Outermost };
    let options = LoadOptions { unless, ..LoadOptions::default() };
    let model = load_text(Path::new("m.pml"), tree.to_string(), &options, &NoFiles).ok()?;
    let semantics = Semantics {
        lossy: tree.semantics.lossy,
        strict_end: tree.semantics.strict_end,
        ..Semantics::default()
    };
    Some(compare(&model, semantics, args.states))
}

fn given_models(args: &Args) -> Result<Tally> {
    let tally = Tally::default();
    for path in &args.model {
        let model =
            load(path, &LoadOptions::default()).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let equality = compare(&model, Semantics::default(), args.states);
        println!("{}: {equality:?}", path.display());
        tally.count(Some(&equality));
    }
    Ok(tally)
}
