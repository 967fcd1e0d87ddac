//! The result of a search for people.

use std::fmt::Write;
use std::time::Duration;

use allways_stateless::{Limit, PropertyName, SearchResult, Stopped};

use super::{ExploreReport, ProgramCounterexample, PropertyDocument, properties, why};
use crate::palette::{Palette, Tone};
use crate::schedule_steps;
use crate::summary::Detail;
use crate::text;

/// How many steps of a counterexample are shown.
const STEPS_SHOWN: usize = 20;

/// The whole report.
pub fn text(report: &ExploreReport, detail: Detail, palette: Palette) -> String {
    let properties = properties(report);
    let mut text = String::new();
    headline(&mut text, report, &properties, palette);
    verdicts(&mut text, report, &properties, palette);
    if detail == Detail::Quiet {
        return text;
    }
    for counterexample in report.counterexamples {
        show_counterexample(&mut text, counterexample, detail, palette);
    }
    statistics(&mut text, report, detail, palette);
    remarks(&mut text, report, palette);
    text
}

fn headline(text: &mut String, report: &ExploreReport, properties: &[PropertyDocument], palette: Palette) {
    let count = |verdict: &str| properties.iter().filter(|property| property.verdict == verdict).count();
    let of_all =
        |n: usize| format!("{n} of {} properties {}", properties.len(), if n == 1 { "is" } else { "are" });
    let (tone, words) = match (count("violated"), count("inconclusive")) {
        (0, 0) => match assumed(report) {
            None => (Tone::Good, "all properties hold".to_string()),
            Some(assumed) => (Tone::Good, format!("all properties hold, assuming {assumed}")),
        },
        (0, unknown) => (Tone::Doubtful, format!("{} inconclusive", of_all(unknown))),
        (violated, _) => (Tone::Bad, format!("{} violated", of_all(violated))),
    };
    let name = std::path::Path::new(&report.program.path).file_name();
    let mut command = name.map_or(report.program.path.clone(), |name| name.to_string_lossy().into_owned());
    for argument in &report.program.arguments {
        command = format!("{command} {argument}");
    }
    let _ = writeln!(text, "{command}: {}\n", palette.paint(tone, words));
}

/// What the user did not ask for, and verdicts rest on: to follow "holds, assuming".
fn assumed(report: &ExploreReport) -> Option<String> {
    let mut phrases = Vec::new();
    for assumption in report.assumptions.iter().filter(|assumption| !assumption.asked) {
        let phrase = assumption.kind.phrase();
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    (!phrases.is_empty()).then(|| phrases.join(", "))
}

fn verdicts(text: &mut String, report: &ExploreReport, properties: &[PropertyDocument], palette: Palette) {
    let width = PropertyName::ALL.iter().map(|property| property.word().len()).max().unwrap_or(0);
    let assumed = assumed(report);
    for property in properties {
        let tone = match property.verdict {
            "holds" => Tone::Good,
            "violated" => Tone::Bad,
            _ => Tone::Doubtful,
        };
        let word = match &assumed {
            Some(assumed) if property.verdict == "holds" => format!("holds, assuming {assumed}"),
            _ => property.verdict.to_string(),
        };
        // Padded before it is painted: the codes for colours have no width.
        let word = palette.paint(tone, format!("{word:<12}"));
        let times = match property.count {
            0 | 1 => String::new(),
            n => format!(" (in {} executions)", text::grouped(n)),
        };
        let counterexample = report.counterexamples.iter().find(|one| one.property.word() == property.name);
        let short = counterexample.map(|one| schedule_steps::short_reason(&one.schedule));
        let reason = short.or(property.reason.clone()).unwrap_or_default();
        let line = format!("  {:<width$}  {word}  {reason}{times}", property.name);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if !report.asks_for_races {
        let word = palette.paint(Tone::Faint, format!("{:<12}", "not asked"));
        let races = PropertyName::Races.word();
        let _ = writeln!(text, "  {races:<width$}  {word}  --visible sync: memory is not looked at");
    }
    let mut separator = "\n";
    for assumption in report.assumptions.iter().filter(|assumption| !assumption.asked) {
        let _ =
            writeln!(text, "{separator}{}: {}", palette.paint(Tone::Doubtful, "Assumption"), assumption.text);
        separator = "";
    }
}

fn show_counterexample(text: &mut String, one: &ProgramCounterexample, detail: Detail, palette: Palette) {
    let schedule = &one.schedule;
    let n_steps = schedule.steps.len();
    let n_shown = if detail == Detail::Full { n_steps } else { n_steps.min(STEPS_SHOWN) };
    let extent = match n_steps {
        n if n == n_shown => text::counted(n as u64, "step"),
        n => format!("the last {n_shown} of {} steps", text::grouped(n as u64)),
    };
    let switches = match one.switches_found {
        found if found > schedule.switches => {
            format!("{}, {} when it was found", switches(schedule.switches), text::grouped(found))
        }
        _ => switches(schedule.switches),
    };
    let title = format!("Counterexample for {}", schedule.property);
    let _ = writeln!(text, "\n{}: {extent}, {switches}", palette.paint(Tone::Heading, title));
    text.push_str(&schedule_steps::steps(schedule, n_shown, palette));
    if schedule.property == "deadlock" {
        let _ = write!(
            text,
            "Nobody can move. The threads wait here:\n{}",
            schedule_steps::waiting(schedule, palette)
        );
    }
    if !schedule.backtrace.is_empty() {
        let backtrace = schedule_steps::backtrace(schedule, palette);
        let _ = write!(text, "It {} here:\n{backtrace}", schedule_steps::ended(schedule));
    }
    if let Some(file) = &one.file {
        let _ = writeln!(text, "Schedule:  {file}\nRepeat it: allways replay {file}");
        let _ = writeln!(text, "Draw it:   allways replay {file} --chart text");
    }
}

fn switches(n: u64) -> String {
    if n == 1 { "1 context switch".to_string() } else { format!("{} context switches", text::grouped(n)) }
}

fn statistics(text: &mut String, report: &ExploreReport, detail: Detail, palette: Palette) {
    let statistics = &report.result.statistics;
    let _ = writeln!(text, "\n{}: {}", palette.paint(Tone::Heading, "Search"), extent(report.result));
    let mut line = format!(
        "  {}, {}, depth {}",
        text::counted(statistics.executions, "execution"),
        text::counted(statistics.transitions, "transition"),
        text::grouped(statistics.depth),
    );
    if statistics.sleep_blocked > 0 {
        let _ = write!(
            line,
            ", {} given up because others stand for them",
            text::grouped(statistics.sleep_blocked)
        );
    }
    if statistics.assumed > 0 {
        let _ = write!(line, ", {} left where an assumption is false", text::grouped(statistics.assumed));
    }
    if statistics.cut > 0 {
        let _ = write!(line, ", {} cut", text::grouped(statistics.cut));
    }
    if statistics.samples > 0 {
        let _ = write!(line, ", and {} random ones", text::grouped(statistics.samples));
    }
    let time = Duration::from_secs_f64(statistics.seconds);
    let _ = writeln!(
        text,
        "{line}\n  {} ({} executions/s)",
        text::duration(time),
        text::grouped(text::rate(statistics.executions + statistics.samples, time))
    );
    if detail == Detail::Full {
        let _ = writeln!(text, "  search {}, seed {}", report.search, report.seed);
    }
}

/// How far the search went.
fn extent(result: &SearchResult) -> String {
    if result.is_complete() {
        return "every schedule was executed, or one that stands for it".to_string();
    }
    result.stopped.iter().map(|reason| why(result, reason)).collect::<Vec<_>>().join("; ")
}

/// What stands in the way of a better answer, and what to do about it.
fn remarks(text: &mut String, report: &ExploreReport, palette: Palette) {
    if !report.result.uncontrolled.is_empty() {
        let title = palette.paint(Tone::Doubtful, "Not under control");
        let _ = writeln!(text, "\n{title}: with other results of these the program may behave otherwise");
        report.result.uncontrolled.iter().for_each(|operation| {
            let _ = writeln!(text, "  {operation}");
        });
    }
    for notice in report.notices {
        let _ = writeln!(text, "{}", palette.paint(Tone::Doubtful, format!("note: {notice}")));
    }
    let result = report.result;
    let room = result.limit.map(|(limit, _)| room(limit));
    let is_left = |remark: &String| remark.starts_with("a file that an earlier execution ");
    let scratch = result.uncontrolled.iter().any(is_left).then_some(SCRATCH);
    for hint in result.stopped.iter().filter_map(advice).chain(room).chain(scratch) {
        let _ = writeln!(text, "{}", palette.paint(Tone::Faint, format!("hint: {hint}")));
    }
}

/// What to do about files that executions leave.
const SCRATCH: &str =
    "--scratch, so that each execution begins in an empty directory, or --scratch DIR, in a copy of DIR";

/// What to do about a limit that no option changes.
fn room(limit: Limit) -> &'static str {
    match limit {
        Limit::Threads => {
            "join threads: each thread, process, timer and receiver of signals has a slot to the end, but a thread that was joined by the one that makes others gives it back (not with --search persistent)"
        }
        Limit::Processes => "fewer processes: those that are over count, too",
        Limit::Objects | Limit::Synchronisation => "a smaller input, so that the program has fewer of them",
        Limit::Steps | Limit::Lists => "a smaller input, or --max-depth N to cut executions after N steps",
        Limit::SharedPlaces | Limit::WatchedMemory | Limit::Accesses => {
            "a smaller input, or --visible sync, which does not look at memory"
        }
    }
}

fn advice(reason: &Stopped) -> Option<&'static str> {
    match reason {
        Stopped::Violation => Some("--keep-going explores the rest too"),
        Stopped::Executions => Some("a higher --max-executions, or fewer threads in the program"),
        Stopped::Time => {
            Some("a longer --max-time, fewer threads in the program, or random schedules: --search pct")
        }
        Stopped::Depth => Some("a higher --max-depth, if the program ends at all"),
        Stopped::NotRepeatable => Some(
            "something outside of the schedule decides what it does: time, addresses, files (--scratch), the network",
        ),
        Stopped::Sampling => Some("--search source covers every schedule"),
        Stopped::Bound => Some("a higher --bound, or none"),
        Stopped::Retries => Some("a higher --retries, if the loop gives up after so many rounds"),
        Stopped::Interrupted | Stopped::Endless | Stopped::TooLarge => None,
    }
}
