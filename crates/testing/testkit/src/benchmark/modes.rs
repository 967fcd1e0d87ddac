//! What is measured and against what.

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Result;
use clap::ValueEnum;

use super::list::{Entry, Places};
use super::measure;
use super::results::{Row, Run};
use super::statistics::hash_bits;
use super::tools::{Allways, Limits, Outcome, Pan, Search, Verifier};
use crate::spin::Scratch;

/// A question that a benchmark answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, ValueEnum)]
pub enum Mode {
    /// How fast is one core on the same plain search, and are the counts the same?
    Plain,
    /// How long from the command to the verdict, with the defaults of both?
    Default,
    /// How much memory does an exact search take?
    Memory,
    /// How fast is a lossy search in the same memory, and how much does it see?
    Bitstate,
    /// What does a second thread bring?
    Threads,
    /// How do time and memory grow with the size of a model?
    Growth,
    /// What does reduction save, and what does it cost?
    Reduction,
    /// How long does nothing take?
    Startup,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Plain => "plain",
            Mode::Default => "default",
            Mode::Memory => "memory",
            Mode::Bitstate => "bitstate",
            Mode::Threads => "threads",
            Mode::Growth => "growth",
            Mode::Reduction => "reduction",
            Mode::Startup => "startup",
        }
    }

    /// Whether an entry of the list is measured in this mode.
    fn takes(self, entry: &Entry) -> bool {
        match self {
            Mode::Plain | Mode::Default => entry.has_tag("large") || entry.has_tag("small"),
            Mode::Memory | Mode::Bitstate | Mode::Threads | Mode::Reduction => entry.has_tag("large"),
            Mode::Growth => entry.has_tag("growth"),
            Mode::Startup => entry.has_tag("small") && entry.states < 10_000,
        }
    }
}

/// The choices of whoever runs the benchmark.
#[derive(Clone, Debug)]
pub struct Options {
    pub runs: usize,
    pub limits: Limits,
    /// Numbers of threads to compare, the first being the yardstick.
    pub threads: Vec<u32>,
    /// Try three sizes of pan's hash table and take the best.
    pub tables: bool,
    /// Only entries with the tag `quick`.
    pub quick: bool,
    /// Also entries with the tag `big`.
    pub big: bool,
    /// Only entries whose name contains one of these, if there are any.
    pub only: Vec<String>,
}

impl Options {
    pub fn selects(&self, entry: &Entry) -> bool {
        let name = entry.name();
        (self.only.is_empty() || self.only.iter().any(|part| name.contains(part)))
            && (!self.quick || entry.has_tag("quick"))
            && (self.big || !entry.has_tag("big"))
    }
}

/// Both tools and what they are to do.
pub struct Bench {
    pub allways: Allways,
    /// What is missing for a comparison with Spin, if something is.
    pub missing: Option<String>,
    pub places: Places,
    pub options: Options,
}

/// One side of a comparison, run again and again.
type Side<'a> = (String, Box<dyn FnMut() -> Result<Outcome> + 'a>);

/// A run that took longer than this is not repeated: noise is small against it.
const LONG: f64 = 60.0;

impl Bench {
    /// Measures everything that belongs to a mode; `finished` gets each row as soon as it is there.
    pub fn measure(
        &self,
        mode: Mode,
        entries: &[Entry],
        mut finished: impl FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        for entry in entries.iter().filter(|entry| mode.takes(entry) && self.options.selects(entry)) {
            if let Some(model) = self.places.find(entry) {
                finished(self.row(mode, entry, &model)?)?;
            }
        }
        Ok(())
    }

    /// The plain counts of an entry, by pan.
    pub fn record(&self, entry: &Entry) -> Result<Option<Entry>> {
        let Some(model) = self.places.find(entry) else { return Ok(None) };
        let scratch = Scratch::new(0)?;
        let limits = self.options.limits;
        let pan = Pan::build(&model, entry, Verifier::Plain, limits, scratch.path())?;
        let outcome = match pan {
            Ok(pan) => pan.run(Some(hash_bits(entry.states.max(1 << 20))), limits)?,
            Err(problem) => problem,
        };
        let Some(figures) = outcome.figures() else {
            anyhow::bail!("{}: {}", entry.name(), outcome.reason())
        };
        Ok(Some(Entry {
            states: figures.states,
            transitions: figures.transitions,
            depth: figures.depth,
            vector: figures.vector,
            ..entry.clone()
        }))
    }

    fn row(&self, mode: Mode, entry: &Entry, model: &Path) -> Result<Row> {
        let scratch = Scratch::new(0)?;
        let subject = Subject { bench: self, entry, model, scratch: scratch.path() };
        let sides = match mode {
            Mode::Plain | Mode::Growth => vec![subject.ours(Search::Plain), subject.pan(Verifier::Plain)?],
            Mode::Default => vec![subject.ours(Search::Default), subject.spin_gcc_pan()],
            Mode::Memory => vec![
                subject.ours(Search::Plain),
                subject.pan(Verifier::Plain)?,
                subject.pan(Verifier::Collapse)?,
            ],
            Mode::Bitstate => {
                let bits = bitstate_bits(entry.states);
                vec![subject.ours(Search::Bitstate((1 << bits) / 8)), subject.pan(Verifier::Bitstate)?]
            }
            Mode::Threads => {
                let threads = self.options.threads.iter();
                threads.map(|n| subject.ours(Search::Threads(*n))).collect()
            }
            Mode::Reduction => {
                vec![subject.ours(Search::Reduction(true)), subject.ours(Search::Reduction(false))]
            }
            Mode::Startup => vec![subject.ours(Search::Default)],
        };
        // Starting a program takes milliseconds, which are cheap to measure often.
        let runs = if mode == Mode::Startup { 10 * self.options.runs } else { self.options.runs };
        if mode == Mode::Threads {
            return self.row_of_threads(subject, sides);
        }
        Ok(Row::new(mode, entry.clone(), take_turns(sides, runs)?))
    }

    /// Threads are at the mercy of where the system lets them run, and of what it does meanwhile. So as many searches that have nothing to
    /// do with each other take their turn, too, all at once.
    fn row_of_threads<'a>(&'a self, subject: Subject<'a>, mut sides: Vec<Side<'a>>) -> Result<Row> {
        let most = self.options.threads.last().copied().unwrap_or(1);
        sides.push(subject.at_once(most));
        let mut runs = take_turns(sides, self.options.runs)?;
        let at_once = runs.pop();
        let row = Row::new(Mode::Threads, subject.entry.clone(), runs);
        let wall = |outcome: &Outcome| outcome.figures().map(|figures| figures.usage.wall);
        let alone = row.figures(0).map(|figures| figures.usage.wall);
        let at_once = at_once.and_then(|run| wall(&run.outcome));
        let ceiling = alone.zip(at_once).map(|(alone, at_once)| f64::from(most) * alone / at_once);
        Ok(Row { ceiling, round_trip: Some(measure::round_trip()), ..row })
    }
}

/// log2 of the bits of a lossy store: 16 to 32 per state, few enough for differences to show.
pub fn bitstate_bits(states: u64) -> u32 {
    hash_bits(states) + 3
}

/// Runs the sides one after the other, `runs` times, and keeps the best of each.
fn take_turns(mut sides: Vec<Side<'_>>, runs: usize) -> Result<Vec<Run>> {
    let mut best: Vec<Option<Outcome>> = sides.iter().map(|_| None).collect();
    for _ in 0..runs.max(1) {
        for ((_, side), best) in sides.iter_mut().zip(&mut best) {
            *best = match best.take() {
                None => Some(side()?),
                Some(Outcome::Done(figures)) if figures.usage.wall <= LONG => {
                    Some(Outcome::Done(figures).best(side()?))
                }
                settled => settled,
            };
        }
    }
    let runs = sides.into_iter().zip(best);
    Ok(runs.filter_map(|((label, _), outcome)| Some(Run { label, outcome: outcome? })).collect())
}

/// An entry in the hands of the tools.
struct Subject<'a> {
    bench: &'a Bench,
    entry: &'a Entry,
    model: &'a Path,
    scratch: &'a Path,
}

impl<'a> Subject<'a> {
    fn ours(&self, search: Search) -> Side<'a> {
        let label = match search {
            Search::Threads(n) => format!("allways -j {n}"),
            Search::Reduction(true) => "allways reduced".into(),
            Search::Reduction(false) => "allways full".into(),
            _ => "allways".into(),
        };
        let (bench, entry, model, scratch) = (self.bench, self.entry, self.model, self.scratch);
        let limits = bench.options.limits;
        (label, Box::new(move || bench.allways.run(model, entry, search, limits, scratch)))
    }

    /// So many searches at the same time, each with one thread.
    fn at_once(&self, n_searches: u32) -> Side<'a> {
        let (bench, entry, model, scratch) = (self.bench, self.entry, self.model, self.scratch);
        let limits = bench.options.limits;
        let run = move || {
            let places: Vec<PathBuf> = (0..n_searches).map(|i| scratch.join(i.to_string())).collect();
            places.iter().try_for_each(std::fs::create_dir_all)?;
            let outcomes: Vec<Result<Outcome>> = thread::scope(|scope| {
                let search =
                    |place: &PathBuf| bench.allways.run(model, entry, Search::Threads(1), limits, place);
                let search = |place| scope.spawn(move || search(place));
                let searches: Vec<_> = places.iter().map(search).collect();
                searches.into_iter().map(|search| search.join().expect("it does not panic")).collect()
            });
            let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
            let last = outcomes.into_iter().reduce(Outcome::later);
            Ok(last.unwrap_or(Outcome::Unavailable("no thread".into())))
        };
        (format!("{n_searches} at once"), Box::new(run))
    }

    /// pan, compiled once.
    fn pan(&self, verifier: Verifier) -> Result<Side<'a>> {
        let label = verifier.name().to_owned();
        let options = &self.bench.options;
        let limits = options.limits;
        let pan = match self.unavailable() {
            Some(outcome) => Err(outcome),
            None => Pan::build(self.model, self.entry, verifier, limits, self.scratch)?,
        };
        let (states, tables) = (self.entry.states, options.tables);
        Ok((
            label,
            Box::new(move || match &pan {
                Err(outcome) => Ok(outcome.clone()),
                Ok(pan) if verifier == Verifier::Bitstate => pan.run(Some(bitstate_bits(states)), limits),
                Ok(pan) if tables => pan.run_with_best_table(states, limits),
                Ok(pan) => pan.run(Some(hash_bits(states)), limits),
            }),
        ))
    }

    /// Everything from the model to the verdict.
    fn spin_gcc_pan(&self) -> Side<'a> {
        let unavailable = self.unavailable();
        let (entry, model, scratch) = (self.entry, self.model, PathBuf::from(self.scratch));
        let limits = self.bench.options.limits;
        let run = move || {
            if let Some(outcome) = &unavailable {
                return Ok(outcome.clone());
            }
            match Pan::build(model, entry, Verifier::Default, limits, &scratch)? {
                Err(problem) => Ok(problem),
                Ok(pan) => Ok(match pan.run(None, limits)? {
                    Outcome::Done(mut figures) => {
                        figures.usage = pan.build.then(figures.usage);
                        Outcome::Done(figures)
                    }
                    problem => problem,
                }),
            }
        };
        (Verifier::Default.name().to_owned(), Box::new(run))
    }

    fn unavailable(&self) -> Option<Outcome> {
        let missing = self.bench.missing.as_ref()?;
        Some(Outcome::Unavailable(format!("not installed: {missing}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::measure::Usage;
    use crate::benchmark::tools::Figures;

    #[test]
    fn sides_take_turns_and_the_best_counts() {
        let order = std::cell::RefCell::new(String::new());
        let side = |name: &'static str, times: &'static [f64]| -> Side<'_> {
            let (order, mut left) = (&order, times.iter());
            let run = move || {
                order.borrow_mut().push_str(name);
                let usage = Usage { wall: *left.next().unwrap(), ..Usage::default() };
                Ok(Outcome::Done(Figures { usage, ..Figures::default() }))
            };
            (name.into(), Box::new(run))
        };
        let runs = take_turns(vec![side("a", &[3.0, 1.0, 2.0]), side("b", &[100.0])], 3).unwrap();
        assert_eq!(*order.borrow(), "abaa", "b takes long and is not repeated");
        let wall = |run: &Run| run.outcome.figures().unwrap().usage.wall;
        assert_eq!(runs.iter().map(wall).collect::<Vec<_>>(), [1.0, 100.0]);
    }

    #[test]
    fn failures_are_not_repeated() {
        let count = std::cell::Cell::new(0);
        let run = || {
            count.set(count.get() + 1);
            Ok(Outcome::Limit("time".into()))
        };
        let runs = take_turns(vec![("x".into(), Box::new(run))], 5).unwrap();
        assert_eq!((count.get(), runs[0].outcome.word()), (1, "limit"));
    }

    #[test]
    fn of_runs_at_once_the_last_to_end_counts() {
        let done = |wall| {
            let usage = Usage { wall, ..Usage::default() };
            Outcome::Done(Figures { usage, ..Figures::default() })
        };
        assert_eq!(done(1.0).later(done(2.0)), done(2.0));
        assert_eq!(done(2.0).later(done(1.0)), done(2.0));
        let limit = Outcome::Limit("time".into());
        assert_eq!(done(2.0).later(limit.clone()), limit);
        assert_eq!(limit.clone().later(done(2.0)), limit);
    }

    #[test]
    fn lossy_stores_have_16_to_32_bits_per_state() {
        assert_eq!(1 << bitstate_bits(1 << 20), 16 << 20);
        assert_eq!(1 << bitstate_bits((1 << 20) + 1), 32 << 20);
    }
}
