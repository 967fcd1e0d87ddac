//! Schedules for people: their steps in lines or columns, and who waits for what.

use std::fmt::Write;
use std::path::Path;

use allways_verdict::Location;

use crate::chart::{Chart, Event, Process, What};
use crate::palette::{Palette, Tone};
use crate::schedule::{FrameDocument, ScheduleDocument, StepDocument, WaitingDocument};

/// The last steps, one in each line: its number, the thread, what it did, where.
pub fn steps(document: &ScheduleDocument, n_shown: usize, palette: Palette) -> String {
    let first = document.steps.len().saturating_sub(n_shown);
    let steps = &document.steps[first..];
    let digits = document.steps.len().to_string().len().max(3);
    let title = |step: &StepDocument| title(document, step.thread);
    let width = steps.iter().map(|step| title(step).chars().count()).max().unwrap_or(0);
    let room = steps.iter().map(|step| words(step).chars().count()).max().unwrap_or(0).min(WIDEST);
    let mut text = String::new();
    let mut before = None;
    for (index, step) in steps.iter().enumerate() {
        // Only where somebody else goes on: so one sees the blocks.
        let name = if before == Some(step.thread) { String::new() } else { title(step) };
        before = Some(step.thread);
        let name = palette.paint(Tone::Heading, format!("{name:<width$}"));
        let place = palette.paint(Tone::Faint, place(&step.file, step.line, &step.function));
        let line = format!("  {:>digits$}  {name}  {:<room$}  {place}", first + index + 1, words(step));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Operations that are longer push their place to the right.
const WIDEST: usize = 60;

/// The threads that are not over, and what each waits for.
pub fn waiting(document: &ScheduleDocument, palette: Palette) -> String {
    let title = |waiting: &WaitingDocument| title(document, waiting.thread);
    let width = document.waiting.iter().map(|waiting| title(waiting).chars().count()).max().unwrap_or(0);
    let what = |waiting: &WaitingDocument| {
        let object = waiting.object.as_ref().map_or(String::new(), |object| format!(" {object}"));
        let held = match waiting.held_by {
            Some(owner) if owner == waiting.thread => ", which it holds itself".to_string(),
            Some(owner) => format!(", which {} holds", self::title(document, owner)),
            None => String::new(),
        };
        format!("{}{object}{held}", waiting.operation)
    };
    let room =
        document.waiting.iter().map(|waiting| what(waiting).chars().count()).max().unwrap_or(0).min(WIDEST);
    let mut text = String::new();
    for waiting in &document.waiting {
        let place = palette.paint(Tone::Faint, place(&waiting.file, waiting.line, &waiting.function));
        let line = format!("  {:<width$}  {:<room$}  {place}", title(waiting), what(waiting));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// What a program did where it ended.
pub fn ended(document: &ScheduleDocument) -> &'static str {
    if document.property == "crash" { "crashed" } else { "gave up" }
}

/// Where a crash happened, or the program gave up, and the callers.
pub fn backtrace(document: &ScheduleDocument, palette: Palette) -> String {
    let line = |(number, frame): (usize, &FrameDocument)| {
        let word = if number == 0 { "at" } else { "called from" };
        let place = place(&Some(frame.file.clone()), Some(frame.line), &frame.function);
        format!("  {word:<11}  {}\n", palette.paint(Tone::Faint, place))
    };
    document.backtrace.iter().enumerate().map(line).collect()
}

/// How it fails, without the list of who waits for what.
pub fn short_reason(document: &ScheduleDocument) -> String {
    match (&*document.property, document.waiting.len()) {
        ("deadlock", 1) => "deadlock: the only thread that is left waits for ever".to_string(),
        ("deadlock", n) => format!("deadlock: {n} threads wait for ever"),
        _ => document.reason.clone(),
    }
}

/// The name and number of a thread.
pub fn title(document: &ScheduleDocument, thread: usize) -> String {
    match document.threads.get(thread) {
        Some(named) => named.title(),
        None => format!("thread:{thread}"),
    }
}

/// What a step did.
pub fn words(step: &StepDocument) -> String {
    let object = step.object.as_deref().map_or(String::new(), |object| format!(" {object}"));
    let value = step.value.map_or(String::new(), |value| format!(" -> {value}"));
    let passed = if step.time_limit_passed { " (its time limit passes)" } else { "" };
    format!("{}{object}{value}{passed}", step.operation)
}

/// `main.c:12 in push`, without the folder.
pub fn place(file: &Option<String>, line: Option<u32>, function: &Option<String>) -> String {
    let (Some(file), Some(line)) = (file, line) else { return String::new() };
    let name = Path::new(file).file_name().map_or(file.clone(), |name| name.to_string_lossy().into_owned());
    let function = function.as_ref().map_or(String::new(), |function| format!(" in {function}"));
    format!("{name}:{line}{function}")
}

/// A column for each thread. Threads that are there before the first step have no row in which they are created.
pub fn chart(document: &ScheduleDocument) -> Chart {
    let process = |number: usize| Process { pid: number as u32, name: name(document, number) };
    let n_threads = document.threads.len();
    let mut chart = Chart { processes: (0..n_threads).map(process).collect(), ..Chart::default() };
    for n_steps in 0..=document.steps.len() {
        if n_steps > 0 {
            let step = &document.steps[n_steps - 1];
            let place = place(&step.file, step.line, &None);
            let text = if place.is_empty() { words(step) } else { format!("{}  {place}", words(step)) };
            let location = match (&step.file, step.line) {
                (Some(file), Some(line)) => Some(Location { file: file.clone(), line, column: 1 }),
                _ => None,
            };
            chart.events.push(Event {
                step: n_steps,
                location,
                what: What::Local { process: step.thread, text },
            });
        }
        for thread in &document.threads {
            let at = |what| Event { step: n_steps, location: None, what };
            if let (Some(parent), true) = (thread.created_by, n_steps > 0 && thread.created_after == n_steps)
            {
                chart.events.push(at(What::Start { process: thread.thread, parent }));
            }
            if thread.ended_after == Some(n_steps) {
                chart.events.push(at(What::End { process: thread.thread }));
            }
        }
    }
    if !document.reason.is_empty() {
        let text = short_reason(document);
        let what = What::Failed { process: failing(document), text };
        chart.events.push(Event { step: document.steps.len(), location: None, what });
    }
    chart
}

/// Whose fault it is, unless it concerns all.
fn failing(document: &ScheduleDocument) -> Option<usize> {
    let concerns_all = matches!(&*document.property, "deadlock" | "livelock");
    document.culprit.filter(|thread| !concerns_all && *thread < document.threads.len())
}

fn name(document: &ScheduleDocument, thread: usize) -> String {
    document.threads.get(thread).map_or("thread".to_string(), |thread| thread.name.clone())
}
