//! The steps of a run as lines of text: what `simulate`, `replay` and the end of a counterexample show.
//!
//! ```text
//!    12  P[1]  mutex.pml:8   x = 1          x: 0 -> 1
//! ```
//!
//! A process is written as Promela writes it in a remote reference: `P[1]` is the process with pid 1, a `P`.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use allways_source::{FileId, Span};
use allways_system::{Event, Pid};
use allways_verdict::Location;
use allways_workbench::{Change, Choice, Model, Run, StepReport};

use crate::palette::{Palette, Tone};

/// What of a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Show {
    /// A line for each step.
    pub steps: bool,
    /// New values of global variables and channels.
    pub globals: bool,
    /// New values of local variables.
    pub locals: bool,
    /// Messages sent.
    pub sends: bool,
    /// Messages received.
    pub receives: bool,
    /// What the model prints.
    pub printf: bool,
}

impl Show {
    /// Steps and what they changed; messages are among the changes of channels.
    pub const CHANGES: Show =
        Show { steps: true, globals: true, locals: true, sends: false, receives: false, printf: true };
}

/// Shows the steps of one run, in columns that fit the model.
#[derive(Clone, Debug)]
pub struct StepPrinter {
    pub show: Show,
    palette: Palette,
    process_width: usize,
    place_width: usize,
}

/// Statements longer than this push what follows to the right.
const STATEMENT_WIDTH: usize = 24;

impl StepPrinter {
    pub fn new(model: &Model, show: Show, palette: Palette) -> StepPrinter {
        let names = model.system.proctypes.iter().map(|proctype| proctype.name.chars().count());
        // Of each file the last line with a statement has the longest number.
        let mut last: HashMap<FileId, Span> = HashMap::new();
        for transition in model.system.proctypes.iter().flat_map(|proctype| &proctype.transitions) {
            let span = last.entry(transition.span.file).or_insert(transition.span);
            span.start = span.start.max(transition.span.start);
        }
        let places = last.into_values().map(|span| place(&model.location(span)).chars().count());
        StepPrinter {
            show,
            palette,
            process_width: names.max().unwrap_or(0) + "[0]".len(),
            place_width: places.max().unwrap_or(0),
        }
    }

    /// What is to be shown of a step that `run` has just taken; may be nothing.
    pub fn step(&self, number: usize, report: &StepReport, run: &Run) -> String {
        let mut text = String::new();
        if self.show.steps {
            text.push_str(&self.heading(&number.to_string(), &report.choice));
            let changes = self.changes(report, run).join(", ");
            text.push_str(&self.palette.paint(Tone::Faint, changes));
            end_line(&mut text);
            text.push_str(&self.partner(&report.choice));
        } else {
            for change in self.changes(report, run) {
                self.indented(&mut text, &change);
            }
        }
        for event in &report.events {
            self.event(&mut text, event, report, run);
        }
        if let Some(fault) = &report.fault {
            let words = format!("error: {fault}");
            self.indented(&mut text, &self.palette.paint(Tone::Bad, words));
        }
        text
    }

    /// A step that could be taken.
    pub fn choice(&self, number: usize, choice: &Choice) -> String {
        let mut text = self.heading(&format!("{number})"), choice);
        end_line(&mut text);
        text + &self.partner(choice)
    }

    fn heading(&self, number: &str, choice: &Choice) -> String {
        format!(
            "{number:>6}  {}",
            self.statement(choice.pid, &choice.proctype, &choice.location, &choice.text)
        )
    }

    fn partner(&self, choice: &Choice) -> String {
        let Some((pid, proctype, statement, location)) = &choice.partner else { return String::new() };
        let mut text = format!("{:>6}  {}", "with", self.statement(*pid, proctype, location, statement));
        end_line(&mut text);
        text
    }

    fn statement(&self, pid: Pid, proctype: &str, location: &Location, text: &str) -> String {
        let process = process_name(proctype, pid);
        let place = place(location);
        let (process_width, place_width) = (self.process_width, self.place_width);
        format!("{process:<process_width$}  {place:<place_width$}  {text:<STATEMENT_WIDTH$}  ")
    }

    fn changes(&self, report: &StepReport, run: &Run) -> Vec<String> {
        let is_shown = |change: &&Change| match change.pid {
            None => self.show.globals,
            Some(_) => self.show.locals,
        };
        report.changes.iter().filter(is_shown).map(|change| change_text(change, report, run)).collect()
    }

    fn event(&self, text: &mut String, event: &Event, report: &StepReport, run: &Run) {
        let message =
            |channel: u32, message: &[i32]| (run.channel_name(channel), run.message_text(channel, message));
        match event {
            Event::AssertionFailed => {
                self.indented(text, &self.palette.paint(Tone::Bad, "assertion violated"));
            }
            Event::ExclusiveViolated { owner, receive } => {
                let claim = if *receive { "xr" } else { "xs" };
                let words = format!("process {owner} claimed this channel for itself with {claim}");
                self.indented(text, &self.palette.paint(Tone::Bad, words));
            }
            // Alone, it is what the model wrote, to the letter; among other lines it must not be mixed up with them.
            Event::Printed(printed) if self.show == (Show { printf: true, ..Show::default() }) => {
                text.push_str(printed);
            }
            Event::Printed(printed) if self.show.printf => {
                printed.lines().for_each(|line| self.indented(text, &format!("| {line}")));
            }
            Event::Sent { channel, message: fields, lost } if self.show.sends => {
                let (channel, fields) = message(*channel, fields);
                let lost = if *lost { ", which is full: the message is lost" } else { "" };
                let process = process_name(&report.choice.proctype, report.choice.pid);
                self.indented(text, &format!("{process} sent {fields} to {channel}{lost}"));
            }
            Event::Received { pid, channel, message: fields } if self.show.receives => {
                let (channel, fields) = message(*channel, fields);
                let process = match &report.choice.partner {
                    Some((partner, proctype, ..)) if partner == pid => process_name(proctype, *pid),
                    _ => process_name(&report.choice.proctype, *pid),
                };
                self.indented(text, &format!("{process} received {fields} from {channel}"));
            }
            _ => {}
        }
    }

    fn indented(&self, text: &mut String, line: &str) {
        let _ = writeln!(text, "        {line}");
    }
}

/// `P[1]`
pub fn process_name(proctype: &str, pid: Pid) -> String {
    format!("{proctype}[{pid}]")
}

/// `mutex.pml:8`; the directory would take the room that the statements need.
pub fn place(location: &Location) -> String {
    let path = Path::new(&location.file);
    format!("{}:{}", path.file_name().unwrap_or(path.as_os_str()).to_string_lossy(), location.line)
}

fn change_text(change: &Change, report: &StepReport, run: &Run) -> String {
    let owner = match change.pid {
        Some(pid) if pid != report.choice.pid => {
            let process = run.processes().into_iter().find(|(other, ..)| *other == pid);
            process.map_or(String::new(), |(_, proctype, ..)| process_name(&proctype, pid) + ":")
        }
        _ => String::new(),
    };
    match &change.old {
        Some(old) => format!("{owner}{}: {old} -> {}", change.name, change.new),
        None => format!("{owner}{}: {}", change.name, change.new),
    }
}

/// Columns are padded; the last one must not leave blanks at the end of the line.
fn end_line(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}
