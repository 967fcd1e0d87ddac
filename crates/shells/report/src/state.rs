//! One state of a run as text: where the processes are, and what the variables and channels hold.

use std::fmt::Write;

use allways_verdict::Location;
use allways_workbench::{Model, Run, Value};

use crate::steps::{place, process_name};

/// One line for each process: where it is and what it is about to do.
pub fn processes(model: &Model, run: &Run) -> String {
    let mut text = String::new();
    let list = run.processes();
    let rows: Vec<[String; 3]> = list
        .iter()
        .map(|(pid, proctype, location, is_end)| {
            let statement = location.as_ref().map_or("", |location| source_line(model, location));
            let end = match (is_end, statement.is_empty()) {
                (true, true) => "at its end",
                (true, false) => "   (may stay here)",
                (false, _) => "",
            };
            let place = location.as_ref().map_or(String::new(), place);
            [process_name(proctype, *pid), place, format!("{statement}{end}")]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (process_width, place_width) = (width(0), width(1));
    for [process, place, statement] in &rows {
        let line = format!("  {process:<process_width$}  {place:<place_width$}  {statement}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if rows.is_empty() {
        text.push_str("  all processes have ended\n");
    }
    text
}

/// Globals first, then the locals of each process.
pub fn variables(run: &Run) -> String {
    let mut text = values(&run.globals(), "");
    for (pid, proctype, ..) in run.processes() {
        text.push_str(&values(&run.locals(pid), &format!("{}:", process_name(&proctype, pid))));
    }
    if text.is_empty() { "  there are no variables\n".to_string() } else { text }
}

/// Globals alone.
pub fn globals(run: &Run) -> String {
    values(&run.globals(), "")
}

/// What the channels hold.
pub fn channels(run: &Run) -> String {
    let text = values(&run.channels(), "");
    if text.is_empty() { "  there are no channels\n".to_string() } else { text }
}

fn values(values: &[Value], prefix: &str) -> String {
    values.iter().map(|value| format!("  {prefix}{} = {}\n", value.name, value.value)).collect()
}

/// The line of the model at this place, without indentation; empty if there is none.
fn source_line<'m>(model: &'m Model, location: &Location) -> &'m str {
    let mut files = model.sources.files();
    let file = files.find(|(_, file)| file.path.display().to_string() == location.file);
    file.and_then(|(_, file)| file.text.lines().nth(location.line as usize - 1)).unwrap_or("").trim()
}
