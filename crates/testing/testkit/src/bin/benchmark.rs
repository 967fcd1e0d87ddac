//! Measures `allways` against Spin on the models of `bench/list.txt`; `bench/README.md` explains the figures.
//!
//! The exit code is 1 if counts differ from Spin's or a program failed.

#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use allways_testkit::benchmark::list::{self, Entry, Places, Source};
use allways_testkit::benchmark::modes::{Bench, Mode, Options};
use allways_testkit::benchmark::plots;
use allways_testkit::benchmark::results::{self, Row};
use allways_testkit::benchmark::tools::{self, Allways, Limits};
use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};

/// Measure allways against Spin.
#[derive(Parser, Debug)]
struct Args {
    /// What to measure; can be repeated [default: everything]
    #[arg(long, value_enum)]
    mode: Vec<Mode>,
    /// Two minutes: a few models, once each
    #[arg(long)]
    quick: bool,
    /// Also the growth curves up to 200 million states (pan needs 12 GB for that)
    #[arg(long)]
    big: bool,
    /// Only models whose name contains this; can be repeated
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Runs of which the best counts [default: 3, with --quick 1]
    #[arg(long, value_name = "N")]
    runs: Option<usize>,
    /// Numbers of threads to compare
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1, 2])]
    threads: Vec<u32>,
    /// Give pan the best of three sizes of its hash table
    #[arg(long)]
    tables: bool,
    /// Seconds for each run [default: 300, with --big 1800]
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
    /// Megabytes for the states of each run [default: 8192, with --big 16384]
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// The checker to measure
    #[arg(long, value_name = "PATH", default_value = "target/release/allways")]
    allways: PathBuf,
    /// The folder with the list and the models
    #[arg(long, value_name = "DIR", default_value = "bench")]
    bench: PathBuf,
    /// Where the table, the CSV file and the charts go
    #[arg(long, value_name = "DIR", default_value = "target/benchmark")]
    out: PathBuf,
    /// Print the list with the counts that pan finds now, instead of measuring
    #[arg(long)]
    record: bool,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let list = args.bench.join("list.txt");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let entries = list::parse(&text)?;
    let bench = bench(&args)?;
    if args.record {
        record(&bench, &entries)?;
        return Ok(ExitCode::SUCCESS);
    }
    measure(&args, &bench, &entries)
}

fn bench(args: &Args) -> Result<Bench> {
    let missing = tools::missing_programs();
    if let Some(missing) = &missing {
        eprintln!("not installed: {missing}; only allways is measured (Debian: apt-get install {missing})");
    }
    let options = Options {
        runs: args.runs.unwrap_or(if args.quick { 1 } else { 3 }),
        limits: Limits {
            time: Duration::from_secs(args.time_limit.unwrap_or(if args.big { 1800 } else { 300 })),
            memory: args.memory.unwrap_or(if args.big { 16384 } else { 8192 }) << 20,
        },
        threads: args.threads.clone(),
        tables: args.tables,
        quick: args.quick,
        big: args.big,
        only: args.only.clone(),
    };
    Ok(Bench { allways: Allways::new(&args.allways)?, missing, places: Places::new(&args.bench)?, options })
}

fn measure(args: &Args, bench: &Bench, entries: &[Entry]) -> Result<ExitCode> {
    fs::create_dir_all(&args.out).with_context(|| format!("cannot create {}", args.out.display()))?;
    let modes = if args.mode.is_empty() { Mode::value_variants() } else { &args.mode };
    let start = Instant::now();
    let mut report = String::new();
    let mut rows: Vec<Row> = Vec::new();
    for mode in modes {
        let mut of_mode: Vec<Row> = Vec::new();
        bench.measure(*mode, entries, |row| {
            let seconds = start.elapsed().as_secs_f64();
            let ratio = row.ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
            eprintln!("{seconds:>6.0} s  {}  {}  {ratio}  {}", mode.name(), row.entry.name(), row.note);
            of_mode.push(row.clone());
            rows.push(row);
            // At once, so that an interrupted run leaves something.
            Ok(fs::write(args.out.join("results.csv"), results::csv(&rows))?)
        })?;
        if of_mode.is_empty() {
            continue;
        }
        let table = format!("{}\n{}\n", mode.name(), results::table(*mode, &of_mode));
        print!("{table}");
        report.push_str(&table);
        fs::write(args.out.join("results.txt"), &report)?;
        for (name, svg) in plots::plots(&rows) {
            fs::write(args.out.join(name), svg)?;
        }
    }
    eprintln!("results are in {}", args.out.display());
    let wrong = rows.iter().filter(|row| row.wrong).count();
    if wrong > 0 {
        eprintln!("{wrong} results are wrong, see the notes");
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn record(bench: &Bench, entries: &[Entry]) -> Result<()> {
    if let Some(missing) = &bench.missing {
        bail!("recording needs {missing}");
    }
    for entry in entries.iter().filter(|entry| bench.options.selects(entry)) {
        let Some(entry) = bench.record(entry)? else { continue };
        let model = match &entry.source {
            Source::Ours(file) => file.clone(),
            Source::Spin(file) => format!("spin:{file}"),
        };
        let join = |parts: &[String]| if parts.is_empty() { "-".to_owned() } else { parts.join(",") };
        println!(
            "{model:<28} {:<28} {:<20} {:>10} {:>11} {:>9} {:>4}",
            join(&entry.defines),
            join(&entry.tags),
            entry.states,
            entry.transitions,
            entry.depth,
            entry.vector
        );
    }
    Ok(())
}
