//! What executions showed that no search can decide: a verdict rests on it.
//!
//! The runtime notes facts in the shared region while the program runs; each execution carries its own, and a search has those of all its executions.
//! [`assumptions`] is the one place where facts become sentences of the report. To add a kind: a field of the region that `Region::reset`
//! clears, a field of [`Facts`], and a function below.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Region, limits};
use allways_verdict::{Assumption, AssumptionKind, Location};

use crate::executor::{Visible, names};
use crate::symbols::Symbols;
use crate::unwatched::{file_name, unwatched};

/// Facts of one execution, or of all of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The most threads of the program in one process.
    pub n_threads: usize,
    /// The most processes.
    pub n_processes: usize,
    /// Two processes could write to memory that both have mapped.
    pub shares_mappings: bool,
    /// Some signal of the program could arrive in between.
    pub has_signals: bool,
    /// A function of the program handled a signal that could have come at another moment.
    pub was_interrupted: bool,
    /// Libraries that were loaded after `main` began.
    pub later_files: BTreeSet<PathBuf>,
    /// Programs that were executed and have memory that threads or processes share.
    pub executed: BTreeSet<PathBuf>,
    /// Code of the program announces its accesses to memory.
    pub is_instrumented: bool,
    /// The program drew random numbers.
    pub drew_random: bool,
    /// A time limit, or an alarm, could have passed in some state and was taken not to.
    pub held_limits: bool,
    /// The user wanted no time limit to pass.
    pub has_no_limits: bool,
    /// The places of visible atomic operations that are weaker than sequentially consistent: the addresses after them.
    pub weak: BTreeSet<u64>,
}

impl Facts {
    /// Those of the last execution.
    pub(crate) fn read(region: &Region) -> Facts {
        let header = &region.header;
        let n_threads = (header.n_threads.load(Relaxed) as usize).min(limits::THREADS);
        let n_processes = (header.n_processes.load(Relaxed) as usize).min(limits::PROCESSES);
        let is_signal = |number: &usize| region.threads[*number].victim.load(Relaxed) != 0;
        let mut in_process = vec![0; n_processes.max(1)];
        for number in (0..n_threads).filter(|number| !is_signal(number)) {
            if let Some(count) = in_process.get_mut(region.process_of(number) as usize) {
                *count += 1;
            }
        }
        Facts {
            n_threads: in_process.into_iter().max().unwrap_or(0),
            n_processes,
            shares_mappings: n_processes > 1 && header.shares_mappings.load(Relaxed) != 0,
            has_signals: (0..n_threads).any(|number| is_signal(&number)),
            was_interrupted: header.was_interrupted.load(Relaxed) != 0,
            later_files: names(&region.later_files).map(PathBuf::from).collect(),
            executed: names(&region.executed).map(PathBuf::from).collect(),
            is_instrumented: header.is_instrumented.load(Relaxed) != 0,
            drew_random: header.drew_random.load(Relaxed) != 0,
            held_limits: header.held_limits.load(Relaxed) != 0,
            has_no_limits: header.has_no_limits.load(Relaxed) != 0,
            weak: region.memory.weak().collect(),
        }
    }

    /// Adds those of other executions.
    pub fn add(&mut self, other: &Facts) {
        self.n_threads = self.n_threads.max(other.n_threads);
        self.n_processes = self.n_processes.max(other.n_processes);
        self.shares_mappings |= other.shares_mappings;
        self.has_signals |= other.has_signals;
        self.was_interrupted |= other.was_interrupted;
        self.later_files.extend(other.later_files.iter().cloned());
        self.executed.extend(other.executed.iter().cloned());
        self.is_instrumented |= other.is_instrumented;
        self.drew_random |= other.drew_random;
        self.held_limits |= other.held_limits;
        self.has_no_limits |= other.has_no_limits;
        self.weak.extend(&other.weak);
    }

    /// Does some memory belong to several threads or processes?
    pub fn shares_memory(&self) -> bool {
        self.n_threads > 1 || self.shares_mappings
    }

    /// Was there nothing whose order could vary?
    pub fn is_sequential(&self) -> bool {
        self.n_threads <= 1 && self.n_processes <= 1 && !self.has_signals
    }

    fn sharers(&self) -> String {
        match self.n_threads {
            0 | 1 => format!("{} processes", self.n_processes),
            n => format!("{n} threads"),
        }
    }
}

/// How a program was explored.
pub struct Circumstances<'a> {
    pub visible: Visible,
    /// `visible` was the user's choice, not that of `auto`.
    pub is_asked: bool,
    pub symbols: &'a Symbols,
}

/// What the verdicts of a search rest on.
pub fn assumptions(facts: &Facts, circumstances: &Circumstances) -> Vec<Assumption> {
    let all = [
        memory_not_visible(facts, circumstances),
        executed_not_visible(facts, circumstances),
        signals_at_operations(facts, circumstances),
        sequential_consistency(facts, circumstances),
        random_stream(facts),
        late_timeouts(facts),
    ];
    all.into_iter().flatten().collect()
}

/// Synchronisation alone was looked at, but there is memory that several threads have in common.
fn memory_not_visible(facts: &Facts, circumstances: &Circumstances) -> Option<Assumption> {
    if !facts.shares_memory() {
        return None;
    }
    if circumstances.visible == Visible::Memory {
        let later = facts.later_files.iter().map(PathBuf::as_path);
        return some_files_not_visible(&unwatched(circumstances.symbols.files().chain(later)));
    }
    let sharers = facts.sharers();
    let asked = circumstances.is_asked;
    let advice = match (asked, facts.is_instrumented) {
        (true, _) => "--visible sync",
        (false, true) => "--visible memory looks at it",
        (false, false) => "compile with -fsanitize=thread",
    };
    Some(not_visible(format!("memory that {sharers} share was not looked at: {advice}"), asked))
}

fn not_visible(text: String, asked: bool) -> Assumption {
    Assumption { kind: AssumptionKind::MemoryNotVisible, text, property: None, location: None, asked }
}

/// Memory is looked at in the first program only, not in those that it executes.
fn executed_not_visible(facts: &Facts, circumstances: &Circumstances) -> Option<Assumption> {
    let files: Vec<String> = facts.executed.iter().map(|path| file_name(path)).collect();
    if files.is_empty() || !facts.shares_memory() {
        return None;
    }
    let (asked, told) = (circumstances.is_asked, some_of(&files));
    let advice = if asked { "--visible sync" } else { "explore them on their own" };
    let text = format!("memory in programs that were executed was not looked at ({told}): {advice}");
    Some(not_visible(text, asked))
}

/// A signal may interrupt code between two operations.
fn signals_at_operations(facts: &Facts, circumstances: &Circumstances) -> Option<Assumption> {
    let asked = circumstances.is_asked;
    let what = "signals were delivered at operations only, not between two accesses to memory";
    let text = if asked { format!("{what}: --visible sync") } else { what.to_string() };
    facts.was_interrupted.then(|| not_visible(text, asked))
}

/// At most so many names are told.
const NAMES: usize = 5;

/// Memory was looked at, but some parts of the program do not announce what they do to it.
fn some_files_not_visible(files: &[String]) -> Option<Assumption> {
    let told = some_of(files);
    let text =
        format!("accesses to memory in {told} were not seen: compile all files with -fsanitize=thread");
    (!files.is_empty()).then(|| not_visible(text, false))
}

fn some_of(names: &[String]) -> String {
    let told = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => told,
        n_more => format!("{told} and {n_more} more"),
    }
}

/// Weak atomic operations were performed one after another.
fn sequential_consistency(facts: &Facts, circumstances: &Circumstances) -> Option<Assumption> {
    if facts.weak.is_empty() {
        return None;
    }
    // The first line of the first file, so that it does not depend on where the program was loaded.
    let places = facts.weak.iter().filter_map(|place| circumstances.symbols.place(&[*place]));
    let first = places.map(|place| (place.file, place.line)).min();
    let operations = match facts.weak.len() {
        1 => "1 operation is weaker".to_string(),
        n => format!("{n} operations are weaker"),
    };
    let place = match &first {
        Some((file, line)) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        None => circumstances.symbols.words(*facts.weak.first()?),
    };
    let word = if facts.weak.len() == 1 { "at" } else { "first at" };
    Some(Assumption {
        kind: AssumptionKind::SequentialConsistency,
        text: format!("sequential consistency was assumed: {operations}, {word} {place}"),
        property: None,
        location: first.map(|(file, line)| Location { file, line, column: 1 }),
        asked: false,
    })
}

/// Other numbers might lead elsewhere.
fn random_stream(facts: &Facts) -> Option<Assumption> {
    facts.drew_random.then(|| Assumption {
        kind: AssumptionKind::RandomStream,
        text: "random numbers: one stream was tried (--seed N for another)".to_string(),
        property: None,
        location: None,
        asked: false,
    })
}

/// A limit of a real clock passes when it likes.
fn late_timeouts(facts: &Facts) -> Option<Assumption> {
    let text = match facts.has_no_limits {
        true => "time limits were taken never to pass: --timeouts never",
        false => "a long time limit was taken not to pass while anything else can happen (--timeouts any)",
    };
    facts.held_limits.then(|| Assumption {
        kind: AssumptionKind::LateTimeouts,
        text: text.to_string(),
        property: None,
        location: None,
        asked: facts.has_no_limits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(facts: &Facts, visible: Visible) -> Vec<AssumptionKind> {
        let symbols = Symbols::new(Vec::new());
        let circumstances = Circumstances { visible, is_asked: false, symbols: &symbols };
        assumptions(facts, &circumstances).iter().map(|assumption| assumption.kind).collect()
    }

    #[test]
    fn h3_memory_matters_where_it_is_shared() {
        let one = Facts { n_threads: 1, n_processes: 3, ..Facts::default() };
        assert_eq!(kinds(&one, Visible::Sync), []);
        let two = Facts { n_threads: 2, ..one.clone() };
        assert_eq!(kinds(&two, Visible::Sync), [AssumptionKind::MemoryNotVisible]);
        assert_eq!(kinds(&two, Visible::Memory), []);
        let mapped = Facts { shares_mappings: true, ..one };
        assert_eq!(kinds(&mapped, Visible::Sync), [AssumptionKind::MemoryNotVisible]);
    }

    #[test]
    fn r2_f9_chance_and_time_are_assumptions() {
        let drew = Facts { drew_random: true, ..Facts::default() };
        assert_eq!(kinds(&drew, Visible::Sync), [AssumptionKind::RandomStream]);
        let mut all = Facts { held_limits: true, ..Facts::default() };
        assert_eq!(kinds(&all, Visible::Sync), [AssumptionKind::LateTimeouts]);
        all.add(&drew);
        assert_eq!(kinds(&all, Visible::Sync).len(), 2);
    }

    #[test]
    fn h4_weak_operations_are_counted() {
        let facts = Facts { n_threads: 2, weak: [0x10, 0x20].into(), ..Facts::default() };
        assert_eq!(kinds(&facts, Visible::Memory), [AssumptionKind::SequentialConsistency]);
        let mut all = Facts { weak: [0x30, 0x20].into(), ..Facts::default() };
        all.add(&facts);
        assert_eq!(all.weak.len(), 3);
    }
}
