//! `allways replay` for the schedule of a program.

use std::path::{Path, PathBuf};

use allways_report::schedule::{self, ScheduleDocument, StepDocument};
use allways_report::{explore, palette::Tone};
use allways_stateless::{Execution, Executor, ExecutorOptions, PropertyName, Streams, Visible, sha256_of};

use crate::exit::{Ending, Failure};
use crate::explore::{PATIENCE, refusal};
use crate::output::{Output, message};

/// Reads a file if it is a schedule; `None` if it is something else.
pub fn open(path: &Path) -> Option<Result<ScheduleDocument, Failure>> {
    let text = std::fs::read_to_string(path).ok()?;
    if !schedule::is_schedule(&text) {
        return None;
    }
    let unusable =
        |why: String| Failure::model(format!("cannot read the schedule {}: {why}", path.display()));
    Some(schedule::read(text.as_bytes()).map_err(unusable))
}

/// Repeats it.
pub fn run(
    document: &ScheduleDocument,
    force: bool,
    check: bool,
    output: Option<&Path>,
) -> Result<Ending, Failure> {
    let mut output = Output::open(output)?;
    same_program(document, force)?;
    let execution = repeat(document, check)?;
    let wanted = PropertyName::ALL.into_iter().find(|property| property.word() == document.property);
    let happened =
        wanted.filter(|wanted| wanted.is_violated_by(&execution)).or(PropertyName::violated_by(&execution));
    let is_same = happened.is_some_and(|property| property.word() == document.property)
        && schedule::choices(&execution) == document.choices;
    if !check {
        for (index, step) in schedule::steps(&execution).iter().enumerate() {
            output.line(&line(index + 1, step))?;
        }
    }
    let words = match (is_same, happened) {
        (true, Some(property)) => format!("it happens again: {}", explore::reason(property, &execution)),
        (_, Some(property)) => {
            format!(
                "something else happens: {} (the schedule says: {})",
                explore::reason(property, &execution),
                document.reason
            )
        }
        (_, None) => format!("it does not happen again: {}", document.reason),
    };
    let tone = if is_same { Tone::Bad } else { Tone::Doubtful };
    let words = output.palette().paint(tone, words);
    output.line(&words)?;
    output.flushed()?;
    Ok(if is_same { Ending::Expected } else { Ending::Unexpected })
}

fn repeat(document: &ScheduleDocument, is_hidden: bool) -> Result<Execution, Failure> {
    let options = ExecutorOptions {
        program: PathBuf::from(&document.program.path),
        arguments: document.program.arguments.iter().map(Into::into).collect(),
        streams: if is_hidden { Streams::Hidden } else { Streams::Shown },
        patience: PATIENCE,
        visible: if document.memory.is_some() { Visible::Memory } else { Visible::Sync },
    };
    let mut executor = Executor::new(&options).map_err(refusal)?;
    if document.exits_are_visible {
        executor.make_exits_visible();
    }
    executor.promote(document.memory.as_deref().unwrap_or_default());
    let choices: Vec<_> = document.choices.iter().map(|choice| choice.choice()).collect();
    allways_stateless::replay(&mut executor, &choices).map_err(refusal)
}

fn same_program(document: &ScheduleDocument, force: bool) -> Result<(), Failure> {
    let path = Path::new(&document.program.path);
    let sha256 = sha256_of(path)
        .map_err(|error| Failure::model(format!("cannot read the program {}: {error}", path.display())))?;
    if sha256 == document.program.sha256 {
        return Ok(());
    }
    let what = format!("the program {} is not the one the schedule was written for", path.display());
    if !force {
        return Err(Failure::model(what)
            .help("it was built anew since; explore it again to get a new schedule")
            .help("--force follows the schedule as far as possible"));
    }
    message(&format!("warning: {what}"));
    Ok(())
}

fn line(number: usize, step: &StepDocument) -> String {
    let object = step.object.as_deref().map_or(String::new(), |object| format!(" {object}"));
    let value = step.value.map_or(String::new(), |value| format!(" -> {value}"));
    format!("{number:5}  process {} thread {}  {}{object}{value}", step.process, step.thread, step.operation)
}
