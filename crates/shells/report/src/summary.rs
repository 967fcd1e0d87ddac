//! The result of a check for people.

use std::fmt::Write;

use allways_verdict::{Location, PropertyKind, Statistics, Verdict, Violation};
use allways_workbench::{
    CheckResult, Keep, Loss, Method, PropertyResult, Simplified, Stopped, Unreached, part_covered,
};

use crate::counterexample::Counterexample;
use crate::palette::{Palette, Tone};
use crate::result::{self, CheckReport};
use crate::text;
use crate::trail;

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Detail {
    /// The verdicts.
    Quiet,
    /// What most people want to know.
    #[default]
    Normal,
    /// No list is cut short.
    Full,
}

/// How many unreached statements of a proctype are listed.
const UNREACHED_SHOWN: usize = 5;

/// The whole report. `replay` is the command that repeats a trail, without the name of the file.
pub fn report(report: &CheckReport, detail: Detail, palette: Palette, replay: &str) -> String {
    let mut text = String::new();
    headline(&mut text, report, palette);
    verdicts(&mut text, report, palette);
    if detail == Detail::Quiet {
        return text;
    }
    for note in report.outdated {
        let _ = writeln!(text, "\n{}", palette.paint(Tone::Faint, format!("note: {note}")));
    }
    fairness(&mut text, report);
    for (property, counterexample) in report.result.properties.iter().zip(report.counterexamples) {
        if let Some(counterexample) = counterexample {
            let fewest = fewest(property, report.result.loss.is_none());
            show_counterexample(&mut text, property, counterexample, &fewest, palette, replay);
        }
    }
    statistics(&mut text, report, detail, palette);
    unreached(&mut text, &report.result.unreached, detail, palette);
    text
}

fn headline(text: &mut String, report: &CheckReport, palette: Palette) {
    let properties = &report.result.properties;
    let count = |is: fn(&Verdict) -> bool| properties.iter().filter(|property| is(&property.verdict)).count();
    let violated = count(|verdict| matches!(verdict, Verdict::Violated(_)));
    let unknown = count(|verdict| matches!(verdict, Verdict::Inconclusive { .. }));
    let of_all = |n: usize| match (n, properties.len()) {
        (1, 1) => "the property is".to_string(),
        (n, all) => format!("{n} of {all} properties {}", if n == 1 { "is" } else { "are" }),
    };
    let words = match (violated, unknown) {
        (0, 0) if properties.len() == 1 => "the property holds".to_string(),
        (0, 0) => "all properties hold".to_string(),
        (0, unknown) => format!("{} inconclusive", of_all(unknown)),
        (violated, _) => format!("{} violated", of_all(violated)),
    };
    let tone = if violated > 0 {
        Tone::Bad
    } else if unknown > 0 {
        Tone::Doubtful
    } else {
        Tone::Good
    };
    let _ = writeln!(text, "{}: {}\n", report.model.path.display(), palette.paint(tone, words));
}

fn verdicts(text: &mut String, report: &CheckReport, palette: Palette) {
    let properties = &report.result.properties;
    let width = properties.iter().map(|property| property.property.name.chars().count()).max().unwrap_or(0);
    let column = " ".repeat(2 + width + 2 + "inconclusive".len() + 2);
    for PropertyResult { property, verdict, search } in properties {
        let tone = match verdict {
            Verdict::Holds => Tone::Good,
            Verdict::Violated(_) => Tone::Bad,
            Verdict::Inconclusive { .. } => Tone::Doubtful,
        };
        // Padded before it is painted: the codes for colours have no width.
        let word = palette.paint(tone, format!("{:<12}", verdict.word()));
        let line = format!("  {:<width$}  {word}  {}", property.name, explanation(verdict));
        let _ = writeln!(text, "{}", line.trim_end());
        if let Verdict::Inconclusive { advice: Some(advice), .. } = verdict {
            let _ = writeln!(text, "{column}{}", palette.paint(Tone::Faint, format!("hint: {advice}")));
        }
        for remark in search.iter().flat_map(|search| &search.remarks) {
            let _ = writeln!(text, "{column}{}", palette.paint(Tone::Doubtful, format!("note: {remark}")));
        }
    }
}

fn explanation(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => String::new(),
        Verdict::Inconclusive { reason, .. } => reason.clone(),
        Verdict::Violated(violation) => {
            let place = match &violation.location {
                Some(Location { file, line, column }) => format!(", at {file}:{line}:{column}"),
                None => String::new(),
            };
            let times = if violation.count > 1 {
                format!(" (met {} times)", text::grouped(violation.count))
            } else {
                String::new()
            };
            format!("{}{place}{times}", violation.reason)
        }
    }
}

fn show_counterexample(
    text: &mut String,
    property: &PropertyResult,
    counterexample: &Counterexample,
    fewest: &str,
    palette: Palette,
    replay: &str,
) {
    let Counterexample { file, replaced, n_steps, n_shown, is_left_out, last_steps, final_processes } =
        counterexample;
    let extent = match n_steps {
        0 => "the initial state".to_string(),
        n if *is_left_out => text::counted(*n as u64, "step"),
        n if n == n_shown => text::counted(*n as u64, "step"),
        n => format!("the last {n_shown} of {} steps", text::grouped(*n as u64)),
    };
    let title = format!("Counterexample for {}", property.property.name);
    let _ = writeln!(text, "\n{}: {extent}{fewest}", palette.paint(Tone::Heading, title));
    if *is_left_out {
        text.push_str("The steps are left out: the time limit was reached before they were repeated.\n");
        return;
    }
    text.push_str(last_steps);
    if property.property.kind == PropertyKind::Deadlock {
        let _ = write!(text, "Nobody can move. The processes are here:\n{final_processes}");
    }
    if let Some(file) = file {
        let old = replaced.as_ref().map_or(String::new(), |when| format!(" (replaces the trail of {when})"));
        let _ = writeln!(text, "Trail: {0}{old}\nShow it all: {replay} {0}", file.display());
    }
}

/// How many preemptions a counterexample has, if they were counted. A store that forgets may have missed one with fewer.
fn fewest(property: &PropertyResult, is_exact: bool) -> String {
    let Verdict::Violated(Violation { preemptions: Some(preemptions), .. }) = property.verdict else {
        return String::new();
    };
    match preemptions {
        0 => ", without preemption".to_string(),
        n if is_exact => format!(", {}, the fewest possible", text::counted(n.into(), "preemption")),
        n => format!(", {}", text::counted(n.into(), "preemption")),
    }
}

fn statistics(text: &mut String, report: &CheckReport, detail: Detail, palette: Palette) {
    let CheckResult { statistics, method, loss, .. } = report.result;
    let searches = searches(report.result);
    let title = match searches.first() {
        Some(first) if searches.len() > 1 => format!("Search for {}", first.names),
        _ => "Search".to_string(),
    };
    let _ = writeln!(text, "\n{}: {}", palette.paint(Tone::Heading, title), extent(report.result));
    let varies = match result::varying(report.result) {
        [] => "",
        ["depth"] => " (may vary with several threads)",
        _ => " (all may vary with several threads)",
    };
    let _ = writeln!(
        text,
        "  {}, {}, depth {}{varies}",
        text::counted(statistics.states, "state"),
        text::counted(statistics.transitions(), "transition"),
        text::grouped(statistics.depth),
    );
    if let Some(at_most) = method.context_bound {
        let preemptions = text::counted(at_most.into(), "preemption");
        let _ = writeln!(text, "  in runs with at most {preemptions}");
    }
    if let Some(loss) = loss {
        losses(text, report.result, loss);
    }
    let _ = writeln!(
        text,
        "  {} for states of at most {}{}",
        text::bytes(statistics.store_bytes),
        text::bytes(statistics.state_bytes),
        report.peak_rss.map_or(String::new(), |peak| format!("; {} in all", text::bytes(peak))),
    );
    let _ = writeln!(
        text,
        "  {} ({} states/s); {} in all",
        text::duration(statistics.search),
        text::grouped(text::rate(statistics.states, statistics.search)),
        text::duration(report.total),
    );
    if detail == Detail::Full {
        let _ = writeln!(text, "  {}", how(method));
        report.result.properties.iter().for_each(|property| temporal(text, property));
    }
    let (first, others) = match searches.split_first() {
        Some((first, others)) => (Some(first), others),
        None => (None, &[][..]),
    };
    if let Some(first) = first {
        let names = if others.is_empty() { "" } else { &first.names };
        simplified(text, first.simplified.unwrap_or(&report.result.simplified), names, detail);
    }
    others.iter().for_each(|search| one_search(text, search, detail, palette));
    totals(text, &searches, palette);
}

/// A search that was made.
struct Search<'a> {
    /// Of its properties.
    names: String,
    statistics: &'a Statistics,
    simplified: Option<&'a Simplified>,
    extent: String,
}

/// The searches, in the order in which they were made. The figures of the first are those of the whole result.
fn searches(result: &CheckResult) -> Vec<Search<'_>> {
    let mut searches = Vec::new();
    let together: Vec<&str> = result
        .properties
        .iter()
        .filter(|one| is_state_property(one))
        .map(|one| &*one.property.name)
        .collect();
    if !together.is_empty() {
        searches.push(Search {
            names: together.join(", "),
            statistics: &result.statistics,
            simplified: Some(&result.simplified),
            extent: String::new(),
        });
    }
    for one in &result.properties {
        let name = &one.property.name;
        let trace = result.traces.iter().find(|(trace, ..)| trace == name);
        let known = match (&one.search, trace) {
            (Some(search), _) => Some((&search.statistics, Some(&search.simplified), &search.stopped)),
            (None, Some((_, statistics, stopped))) => Some((statistics, None, stopped)),
            _ => None,
        };
        if let Some((statistics, simplified, stopped)) = known {
            let extent = own_extent(&one.verdict, stopped.as_ref()).to_string();
            searches.push(Search { names: name.clone(), statistics, simplified, extent });
        }
    }
    searches
}

/// Whether a property is looked for in the search for all that can be seen in single states and steps.
fn is_state_property(result: &PropertyResult) -> bool {
    let kinds = [PropertyKind::Assertions, PropertyKind::Deadlock, PropertyKind::Exclusive];
    kinds.contains(&result.property.kind)
}

fn is_violated(result: &PropertyResult) -> bool {
    matches!(result.verdict, Verdict::Violated(_))
}

/// How far a search for one property went.
fn own_extent(verdict: &Verdict, stopped: Option<&Stopped>) -> &'static str {
    match (verdict, stopped) {
        (Verdict::Violated(_), _) => "ended at the violation",
        (_, Some(Stopped::Time)) => "ended by the time limit",
        (_, Some(Stopped::Memory)) => "ended by the memory limit",
        (_, Some(Stopped::Interrupt)) => "interrupted",
        (Verdict::Holds, _) => "to its end",
        _ => "not every run was followed",
    }
}

/// A line for a search beside the first.
fn one_search(text: &mut String, search: &Search, detail: Detail, palette: Palette) {
    let Search { names, statistics, simplified: left_out, extent } = search;
    let title = palette.paint(Tone::Heading, format!("Search for {names}"));
    let _ = writeln!(
        text,
        "{title}: {extent}; {}, {}, depth {}; {}",
        text::counted(statistics.states, "state"),
        text::counted(statistics.transitions(), "transition"),
        text::grouped(statistics.depth),
        text::duration(statistics.search),
    );
    if let Some(left_out) = left_out {
        simplified(text, left_out, names, detail);
    }
}

/// What all the searches took together.
fn totals(text: &mut String, searches: &[Search], palette: Palette) {
    if searches.len() < 2 {
        return;
    }
    let sum = |of: fn(&Statistics) -> u64| searches.iter().map(|search| of(search.statistics)).sum::<u64>();
    let _ = writeln!(
        text,
        "{}: {}, {}, {}",
        palette.paint(Tone::Heading, format!("Total of {} searches", searches.len())),
        text::counted(sum(|statistics| statistics.states), "state"),
        text::counted(sum(Statistics::transitions), "transition"),
        text::duration(searches.iter().map(|search| search.statistics.search).sum()),
    );
}

/// Under which fairness temporal properties were checked, if under any.
fn fairness(text: &mut String, report: &CheckReport) {
    let searches = report.result.properties.iter().filter_map(|property| property.search.as_ref());
    let fair = searches.map(|search| &search.fair).next();
    let Some((fair, word)) = fair.and_then(|fair| Some((fair, trail::fairness_word(fair.fairness)?))) else {
        return;
    };
    let whom = match &fair.only {
        None => "processes".to_string(),
        Some(only) => only.texts.join(", "),
    };
    let _ = writeln!(text, "\nTemporal properties are about runs that are {word}ly fair to {whom}.");
}

/// How a temporal property was searched.
fn temporal(text: &mut String, result: &PropertyResult) {
    let Some(search) = &result.search else { return };
    let statistics = &search.statistics;
    let n_observer = search.observer.states.len() as u64;
    let _ = writeln!(
        text,
        "  {}: {} of system and property together, {} of the system, {} of the property; {}; {}",
        result.property.name,
        text::counted(statistics.states, "state"),
        text::grouped(search.system_states),
        text::grouped(n_observer),
        result::algorithm_words(search.algorithm),
        text::duration(statistics.search),
    );
    let unmet: Vec<&str> = search
        .unmet
        .iter()
        .filter_map(|state| search.observer.states.get(*state as usize))
        .map(|state| &*state.name)
        .collect();
    if !unmet.is_empty() && matches!(result.verdict, Verdict::Holds) {
        let _ = writeln!(text, "    states of the property that no run reaches: {}", unmet.join(", "));
    }
}

/// How far the search went.
fn extent(result: &CheckResult) -> String {
    // Without a search for several properties together, the figures are those of the first search.
    let is_together = result.properties.iter().any(is_state_property);
    let stopped = if is_together { &result.stopped_together } else { &result.stopped };
    let words = match (stopped, result.complete) {
        (_, true) if result.method.reduced => "every reachable state was explored, or one that stands for it",
        (_, true) => "every reachable state was explored",
        (Some(Stopped::Violation), _) => end_at_violation(result),
        (None, false) if !is_together && result.properties.iter().take(1).any(is_violated) => {
            "ended at the violation"
        }
        (Some(Stopped::Time), _) => "ended by the time limit",
        (Some(Stopped::Memory), _) => "ended by the memory limit",
        (Some(Stopped::Interrupt), _) => "interrupted",
        (None, false) if result.loss.is_some() => {
            "to its end, but the store forgets, so states can be missed"
        }
        (None, false) => "some runs were not followed to their end",
    };
    match result.method.full_after {
        None => words.to_string(),
        Some(states) => format!(
            "{words}\n  {} in the {} store when {} had filled the exact one",
            if result.method.begun_anew { "begun anew" } else { "gone on" },
            result::store_word(result.method.keep),
            text::counted(states, "state"),
        ),
    }
}

/// Why a violation ended the search: the first one, or one that left nothing to be decided.
fn end_at_violation(result: &CheckResult) -> &'static str {
    let together = || result.properties.iter().filter(|property| is_state_property(property));
    match together().all(is_violated) {
        true if together().count() > 1 => "ended when every property was decided",
        _ => "ended at the first violation",
    }
}

/// What a store that forgets says about itself.
fn losses(text: &mut String, result: &CheckResult, all: &Loss) {
    let store = result::store_word(result.method.keep);
    let sentence = |loss: &Loss| {
        let missed = probability(loss.missed_probability);
        match result.method.keep {
            Keep::Bitstate { .. } => {
                format!("{} of the states met were visited, {missed}", part_covered(loss.coverage))
            }
            _ => missed,
        }
    };
    for (number, search) in result.searches.iter().enumerate() {
        let states = text::counted(search.statistics.states, "state");
        let line = sentence(&search.loss);
        let _ = writeln!(text, "  search {}, seed {}: {states}, {line}", number + 1, search.seed);
    }
    let together = if result.searches.is_empty() { "" } else { ", all searches together" };
    let _ = writeln!(text, "  {store} store{together}: {}", sentence(all));
}

fn probability(missed: f64) -> String {
    match missed {
        0.995.. => "some state was almost certainly missed".to_string(),
        0.001.. => format!("some state was missed with probability {missed:.3}"),
        _ => format!("some state was missed with probability {missed:.1e}"),
    }
}

/// How the search went about it.
fn how(method: &Method) -> String {
    let steps = if method.interpreted { "interpreted" } else { "compiled" };
    let reduction = if method.reduced { "partial-order reduction" } else { "no reduction" };
    let store = result::store_word(method.keep);
    format!("{steps} steps, {reduction}, {store} store, {}", text::counted(method.threads as u64, "thread"))
}

/// How many variables that are never read are named.
const NEVER_READ_SHOWN: usize = 5;

/// What was left out of the states, and for which properties, where there were several searches.
fn simplified(text: &mut String, simplified: &Simplified, names: &str, detail: Detail) {
    let Simplified { never_read, merged, resets } = simplified;
    let for_whom = if names.is_empty() { String::new() } else { format!(" for {names}") };
    if !never_read.is_empty() {
        let n_shown =
            if detail == Detail::Full { never_read.len() } else { never_read.len().min(NEVER_READ_SHOWN) };
        let more = match never_read.len() - n_shown {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let _ = writeln!(
            text,
            "  {} never read: {}{more} (left out of the states{for_whom})",
            text::counted(never_read.len() as u64, "variable"),
            never_read[..n_shown].join(", "),
        );
    }
    if detail == Detail::Full && merged + resets > 0 {
        let _ = writeln!(
            text,
            "  {} merged with the next one, {} followed by a reset of dead variables",
            text::counted(*merged as u64, "statement"),
            text::grouped(*resets as u64),
        );
    }
}

fn unreached(text: &mut String, unreached: &[Unreached], detail: Detail, palette: Palette) {
    if unreached.is_empty() {
        return;
    }
    let title = "Statements that no run executes";
    let _ = writeln!(text, "\n{}: {}", palette.paint(Tone::Heading, title), unreached.len());
    for group in unreached.chunk_by(|one, other| one.proctype == other.proctype) {
        let _ = writeln!(text, "  {}", group[0].proctype);
        let n_shown = if detail == Detail::Full { group.len() } else { group.len().min(UNREACHED_SHOWN) };
        for Unreached { location, text: statement, .. } in &group[..n_shown] {
            let _ = writeln!(text, "    {}:{}  {statement}", location.file, location.line);
        }
        if n_shown < group.len() {
            let _ = writeln!(text, "    and {} more (-v lists them all)", group.len() - n_shown);
        }
    }
}
