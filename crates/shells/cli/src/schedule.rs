//! `allways replay` for the schedule of a program.

use std::path::{Path, PathBuf};

use allways_report::chart;
use allways_report::palette::Tone;
use allways_report::schedule::{self, ProgramIdentity, ScheduleDocument};
use allways_report::schedule_steps;
use allways_report::telling::Telling;
use allways_report::to_json;
use allways_stateless::{
    Execution, Executor, ExecutorOptions, ExitStatuses, Folder, Outcome, Promoted, PropertyName, Streams,
    Tolerance, Visible, World, repeat_with_callers, sha256_of,
};

use crate::exit::{Ending, Failure};
use crate::explore::{PATIENCE, refusal, refusal_of, scratch_folder};
use crate::output::{Output, message};
use crate::surroundings;

/// What is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    Steps,
    /// Whether it happens again, and nothing else.
    Check,
    Json,
    TextChart,
    SvgChart,
}

/// Reads the text of a file if it is a schedule; `None` if it is something else.
pub fn open(path: &Path, text: &str) -> Option<Result<ScheduleDocument, Failure>> {
    if !schedule::is_schedule(text) {
        return None;
    }
    let unusable =
        |why: String| Failure::model(format!("cannot read the schedule {}: {why}", path.display()));
    Some(schedule::read(text.as_bytes()).map_err(unusable))
}

/// Repeats it.
pub fn run(
    recorded: &ScheduleDocument,
    force: bool,
    show: Show,
    output: Option<&Path>,
) -> Result<Ending, Failure> {
    let output =
        output.map(std::path::absolute).transpose().map_err(|error| Failure::usage(error.to_string()))?;
    let mut output = Output::open(output.as_deref())?;
    surroundings::enter(&recorded.conditions.surroundings);
    same_program(recorded, force)?;
    // The output of the program would come between the lines of a document.
    let streams = if show == Show::Steps { Streams::Shown } else { Streams::Hidden };
    let mut executor = executor(recorded, streams)?;
    let choices: Vec<_> = recorded.choices.iter().map(|choice| choice.choice()).collect();
    let execution = repeat_with_callers(&mut executor, &choices).map_err(refusal)?;
    let wanted = PropertyName::ALL.into_iter().find(|property| property.word() == recorded.property);
    let happened =
        wanted.filter(|wanted| wanted.is_violated_by(&execution)).or(PropertyName::violated_by(&execution));
    let symbols = executor.symbols();
    let telling = Telling { execution: &execution, symbols: Some(&symbols) };
    let document = schedule::document(&recorded.program, happened, telling, recorded.conditions.clone());
    let is_same = is_same(recorded, &document, &execution);
    show_it(&document, show, &mut output)?;
    if matches!(show, Show::Steps | Show::Check) {
        let tone = if is_same { Tone::Bad } else { Tone::Doubtful };
        let words = output.palette().paint(tone, outcome(recorded, &document, is_same));
        output.line(&words)?;
        if !is_same {
            output.line(&difference(recorded, &document, &execution))?;
            if let Some(words) = surroundings::difference(&recorded.conditions.surroundings) {
                output.line(&words)?;
            }
        }
    }
    output.flushed()?;
    Ok(if is_same { Ending::Expected } else { Ending::Unexpected })
}

fn is_same(recorded: &ScheduleDocument, document: &ScheduleDocument, execution: &Execution) -> bool {
    document.property == recorded.property && schedule::choices(execution) == recorded.choices
}

fn show_it(document: &ScheduleDocument, show: Show, output: &mut Output) -> Result<(), Failure> {
    match show {
        Show::Check => Ok(()),
        Show::Json => output.line(&to_json(document)),
        Show::TextChart => {
            output.text(&chart::text(&schedule_steps::chart(document), &chart::TextOptions::default()))
        }
        Show::SvgChart => output.text(&chart::svg(&schedule_steps::chart(document))),
        Show::Steps => {
            output.text(&schedule_steps::steps(document, usize::MAX, output.palette()))?;
            if !document.backtrace.is_empty() {
                let backtrace = schedule_steps::backtrace(document, output.palette());
                output.text(&format!("it {} here:\n{backtrace}", schedule_steps::ended(document)))?;
            }
            if document.waiting.is_empty() {
                return Ok(());
            }
            let waiting = schedule_steps::waiting(document, output.palette());
            output.text(&format!("threads that are not over:\n{waiting}"))
        }
    }
}

fn outcome(recorded: &ScheduleDocument, document: &ScheduleDocument, is_same: bool) -> String {
    match (is_same, &*schedule_steps::short_reason(document)) {
        (true, "") => "the execution happens again; it violates nothing".to_string(),
        (true, reason) => format!("it happens again: {reason}"),
        (false, "") if recorded.reason.is_empty() => "the execution does not happen again".to_string(),
        (false, "") => format!("it does not happen again: {}", recorded.reason),
        (false, reason) if recorded.reason.is_empty() => format!("something else happens: {reason}"),
        (false, reason) => {
            format!("something else happens: {reason} (the schedule says: {})", recorded.reason)
        }
    }
}

/// Where an execution left the schedule that it was to follow.
fn difference(recorded: &ScheduleDocument, document: &ScheduleDocument, execution: &Execution) -> String {
    let (wanted, made) = (&recorded.choices, &document.choices);
    let n_same = wanted.iter().zip(made).take_while(|(wanted, made)| wanted == made).count();
    let what = |document: &ScheduleDocument, number: usize| {
        document.steps.get(number).map(|step| {
            let object = step.object.as_ref().map_or(String::new(), |object| format!(" {object}"));
            let line = step.file.as_ref().zip(step.line);
            let place = line.map_or(String::new(), |(file, line)| format!(" at {file}:{line}"));
            format!("{}{object}{place}", step.operation)
        })
    };
    let other_deed = (0..n_same).find_map(|number| {
        let (before, now) = (what(recorded, number)?, what(document, number)?);
        (before != now)
            .then(|| format!("choice {} of {}: it was {before}, now it is {now}", number + 1, wanted.len()))
    });
    if let Some(words) = other_deed {
        return words;
    }
    let Some(choice) = wanted.get(n_same) else {
        return format!(
            "all {} choices were made, and the program {}",
            wanted.len(),
            now_it(document, execution)
        );
    };
    let thread = choice.choice().thread;
    let why = if execution.outcome != Outcome::Mismatch {
        format!("was not made: the program {}", now_it(document, execution))
    } else if thread >= document.threads.len() {
        format!("thread {thread} does not exist")
    } else if execution.enabled.contains(thread) {
        format!("thread {thread} has no such value to choose")
    } else {
        let others: Vec<String> = execution.enabled.iter().map(|number| number.to_string()).collect();
        format!("thread {thread} cannot move, only {}", others.join(", "))
    };
    format!("choice {} of {}: {why}", n_same + 1, wanted.len())
}

/// How an execution ended that was to end otherwise.
fn now_it(document: &ScheduleDocument, execution: &Execution) -> String {
    match (&*document.reason, execution.outcome) {
        ("", Outcome::Finished) => "ended without a violation".to_string(),
        ("", _) => "was not over by then".to_string(),
        (reason, _) => format!("ended otherwise: {reason}"),
    }
}

fn executor(document: &ScheduleDocument, streams: Streams) -> Result<Executor, Failure> {
    let ProgramIdentity { path, name, .. } = &document.program;
    let name = name.as_ref().unwrap_or(path);
    // By the same words as it was called, if they lead there from here.
    let is_there = std::path::absolute(name).is_ok_and(|file| file == Path::new(path));
    let options = ExecutorOptions {
        program: PathBuf::from(if is_there && name.contains('/') { name } else { path }),
        name: name.into(),
        arguments: document.program.arguments.iter().map(Into::into).collect(),
        streams,
        patience: PATIENCE,
        retries: document.conditions.retries,
        visible: if document.conditions.memory.is_some() { Visible::Memory } else { Visible::Sync },
        // Those of the schedule happen all the same.
        spurious_wakeups: false,
        tolerance: Tolerance {
            exits: match &document.conditions.exit_statuses {
                None => ExitStatuses::default(),
                Some(list) if list.is_empty() => ExitStatuses::Any,
                Some(list) => ExitStatuses::Listed(list.clone()),
            },
            children_may_crash: document.conditions.children_may_crash,
        },
        world: World {
            processors: document.conditions.processors,
            seed: document.conditions.seed,
            timeouts: document.conditions.timeouts.timeouts(),
            variables: surroundings::variables(&document.conditions.surroundings),
        },
        folder: document
            .conditions
            .scratch
            .as_ref()
            .map_or(Folder::Current, |name| scratch_folder(Path::new(name))),
    };
    let mut executor =
        Executor::new(&options).map_err(|error| refusal_of(Path::new(&document.program.path), error))?;
    if document.conditions.exits_are_visible {
        executor.make_exits_visible();
    }
    let promoted = Promoted {
        memory: document.conditions.memory.clone().unwrap_or_default(),
        files: document.conditions.files.clone(),
        objects: document.conditions.objects.clone(),
    };
    executor.set_promoted(&promoted.keys());
    Ok(executor)
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
