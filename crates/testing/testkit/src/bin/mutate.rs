//! Feeds damaged models to the front end, and those that survive to the interpreter: nothing may panic, hang or grow.
//!
//! `mutate --runs 200000 --seed 1`: two threads, each model limited to five seconds, the whole process to one
//! gigabyte. The first failure is printed with the model and ends the run with exit code 1.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use allways_testkit::corpus::read_folder;
use allways_testkit::mutate::mutate;
use allways_verdict::{Limits, Statistics};
use allways_workbench::{
    CheckOptions, Files, LoadError, LoadOptions, Monitor, Stopped, Until, check, load_text,
};
use clap::Parser;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

#[derive(Parser)]
struct Arguments {
    /// How many damaged models.
    #[arg(long, default_value_t = 200_000)]
    runs: u64,
    /// The first seed; each model has its own.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the models to damage are.
    #[arg(long, default_value = "corpus")]
    corpus: PathBuf,
    /// Print the model of one seed and stop.
    #[arg(long)]
    print: Option<u64>,
}

const SLOW: Duration = Duration::from_secs(5);
const MEMORY: u64 = 1 << 30;

/// What a thread is working on.
type Current = Arc<Mutex<Option<(Instant, String)>>>;

/// Ends a search after a few hundredths of a second.
struct Impatient(Instant);

impl Monitor for Impatient {
    fn tick(&mut self, _: &Statistics) -> ControlFlow<Stopped> {
        match self.0.elapsed() < Duration::from_millis(30) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Stopped::Time),
        }
    }
}

/// Damaged models include nothing.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> Result<String, std::io::Error> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

fn main() {
    let arguments = Arguments::parse();
    let mut bases = Vec::new();
    for folder in ["semantics", "runtime", "errors", "warnings"] {
        match read_folder(&arguments.corpus.join(folder)) {
            Ok(entries) => bases.extend(entries.into_iter().map(|entry| entry.text)),
            Err(error) => {
                eprintln!("{error:#}");
                exit(2);
            }
        }
    }
    let bases = Arc::new(bases);
    if let Some(seed) = arguments.print {
        println!("{}", damaged(&bases, seed));
        return;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let next = Arc::new(AtomicU64::new(arguments.seed));
    let end = arguments.seed + arguments.runs;
    let loaded = Arc::new(AtomicU64::new(0));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let current = Current::default();
            let (bases, next, loaded, shared) =
                (bases.clone(), next.clone(), loaded.clone(), current.clone());
            let work = move || work(&bases, &next, end, &loaded, &shared);
            // As much stack as a main thread usually has.
            let thread =
                std::thread::Builder::new().stack_size(8 << 20).spawn(work).expect("a thread starts");
            (thread, current)
        })
        .collect();
    watch(&workers);
    let loaded = loaded.load(Ordering::Relaxed);
    println!("{} models, {loaded} of them well formed, peak {} MB", arguments.runs, peak_memory() >> 20);
    println!("{} passed, 0 failed", arguments.runs);
}

fn work(bases: &[String], next: &AtomicU64, end: u64, loaded: &AtomicU64, current: &Current) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            break;
        }
        let text = damaged(bases, seed);
        *current.lock().expect("no thread panics while it holds the lock") =
            Some((Instant::now(), text.clone()));
        match catch_unwind(AssertUnwindSafe(|| try_model(text.clone()))) {
            Ok(Ok(well_formed)) => drop(loaded.fetch_add(well_formed as u64, Ordering::Relaxed)),
            Ok(Err(why)) => fail(&why, seed, &text),
            Err(panic) => {
                let message = panic.downcast_ref::<String>().cloned();
                let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
                fail(&format!("panic: {}", message.unwrap_or_default()), seed, &text);
            }
        }
    }
    *current.lock().expect("as above") = None;
}

fn damaged(bases: &[String], seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let base = &bases[random.random_range(0..bases.len())];
    let donor = &bases[random.random_range(0..bases.len())];
    mutate(base, donor, &mut random)
}

/// True if the model was well formed.
fn try_model(text: String) -> Result<bool, String> {
    let model = match load_text(Path::new("m.pml"), text, &LoadOptions::default(), &NoFiles) {
        Ok(model) => model,
        Err(LoadError::Internal(problem)) => return Err(format!("not well formed: {problem}")),
        Err(LoadError::Mistakes { diagnostics, .. }) if diagnostics.iter().any(|d| d.is_error()) => {
            return Ok(false);
        }
        Err(other) => return Err(format!("no error was reported: {other}")),
    };
    let limits = Limits { memory: Some(100 << 20), ..Limits::default() };
    let options = CheckOptions { until: Until::AllExplored, limits, ..CheckOptions::default() };
    let result = check(&model, &options, &mut Impatient(Instant::now()));
    let result = result.map_err(|error| error.to_string())?;
    if let Some(error) = result.internal_errors.first() {
        return Err(error.clone());
    }
    Ok(true)
}

/// Waits for the workers and ends everything if one takes too long or the memory grows.
fn watch(workers: &[(std::thread::JoinHandle<()>, Current)]) {
    while workers.iter().any(|(thread, _)| !thread.is_finished()) {
        std::thread::sleep(Duration::from_millis(50));
        for (_, current) in workers {
            if let Some((started, text)) = &*current.lock().expect("as above")
                && started.elapsed() > SLOW
            {
                fail("more than five seconds", 0, text);
            }
        }
        if peak_memory() > MEMORY {
            let busy = workers.iter().find_map(|(_, current)| current.lock().expect("as above").clone());
            fail("more than a gigabyte", 0, &busy.map_or(String::new(), |(_, text)| text));
        }
    }
}

fn fail(why: &str, seed: u64, text: &str) -> ! {
    println!("{text}\n--- seed {seed}: {why}\n0 passed, 1 failed");
    exit(1)
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}
