//! `allways replay`: the run that a trail describes.

mod interactive;

use std::fs::File;
use std::path::{Path, PathBuf};

use allways_report::chart;
use allways_report::counterexample;
use allways_report::explanation::Notes;
use allways_report::palette::Tone;
use allways_report::state;
use allways_report::steps::{Show, StepPrinter};
use allways_report::trail::{self, TrailDocument, TrailHeader};
use allways_verdict::Trail;
use allways_workbench::{
    Alarm, Model, ReplayError, Run, Semantics, explanation_of, read_text, violation_shown_by,
};
use clap::{Args, ValueEnum};

use crate::exit::{Ending, Failure};
use crate::explore;
use crate::model;
use crate::output::{self, Output, message};
use crate::schedule;

/// Show the run that a trail describes, step by step
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ReplayArguments {
    /// The trail, as written by `check` or `simulate`, or the schedule, as written by `explore`
    trail: PathBuf,
    /// The model, if it is no longer where the trail says
    #[arg(long, value_name = "PATH")]
    model: Option<PathBuf>,
    /// Replay even if the model has changed since the trail was written
    #[arg(long)]
    force: bool,
    /// Walk forwards and backwards yourself
    #[arg(short, long)]
    interactive: bool,
    /// A message sequence chart instead of steps
    #[arg(long, value_name = "FORMAT", conflicts_with = "interactive")]
    chart: Option<ChartFormat>,
    /// Show nothing but whether the same violation happens again; exit code 0 only if it does
    #[arg(long, conflicts_with_all = ["interactive", "chart"])]
    check: bool,
    /// For people, or the trail with all details anew as JSON
    #[arg(long, default_value = "human", conflicts_with_all = ["interactive", "chart", "check"])]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "interactive")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  allways replay mutex.deadlock.trail.json                        the whole run
  allways replay mutex.deadlock.trail.json -i                     walk through it
  allways replay mutex.deadlock.trail.json --chart svg -o m.svg   a picture of it
  allways replay mutex.deadlock.trail.json --check                is it still wrong?

The model is looked for at the path in the trail, from the current directory and from the trail's.";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ChartFormat {
    Text,
    Svg,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Human,
    Json,
}

/// A trail and the model it belongs to.
struct Replay {
    model: Model,
    document: TrailDocument,
    trail: Trail,
    semantics: Semantics,
}

pub fn run(arguments: &ReplayArguments) -> Result<Ending, Failure> {
    let text = read(&arguments.trail)?;
    if let Some(document) = schedule::open(&arguments.trail, &text) {
        let show = match (arguments.check, arguments.chart, arguments.format) {
            _ if arguments.interactive => {
                return Err(Failure::usage("--interactive is for trails of models")
                    .help("`allways explore --interactive` lets you choose the steps of a program"));
            }
            (true, ..) => schedule::Show::Check,
            (_, Some(ChartFormat::Text), _) => schedule::Show::TextChart,
            (_, Some(ChartFormat::Svg), _) => schedule::Show::SvgChart,
            (_, _, Format::Json) => schedule::Show::Json,
            (_, _, Format::Human) => schedule::Show::Steps,
        };
        output::protect(&arguments.trail, &[arguments.output.as_deref()])?;
        let output = arguments.output.as_deref();
        let outcome = document.and_then(|document| schedule::run(&document, arguments.force, show, output));
        if show == schedule::Show::Json {
            explore::tell_failure(&outcome, output);
        }
        return outcome;
    }
    output::protect(&arguments.trail, &[arguments.output.as_deref()])?;
    let replay = open(arguments, &text)?;
    output::protect_model(&replay.model, &[arguments.output.as_deref()])?;
    let mut output = Output::open(arguments.output.as_deref())?;
    let ending = if arguments.check {
        check(&replay, &mut output)?
    } else {
        show(arguments, &replay, &mut output)?;
        Ending::Expected
    };
    output.flushed()?;
    Ok(ending)
}

fn show(arguments: &ReplayArguments, replay: &Replay, output: &mut Output) -> Result<(), Failure> {
    if arguments.interactive {
        return interactive::run(replay, output);
    }
    match (arguments.chart, arguments.format) {
        (Some(format), _) => output.text(&draw(replay, format)?),
        (None, Format::Human) => show_steps(replay, output),
        (None, Format::Json) => write_json(replay, output),
    }
}

/// What is no regular file may have no end: not more than this is read of it.
const LONGEST_STREAM: u64 = 1 << 30;

/// The text of a trail or a schedule. A file may be as long as it is.
fn read(path: &Path) -> Result<String, Failure> {
    let text = File::open(path).and_then(|file| {
        let is_file = file.metadata()?.is_file();
        read_text(file, if is_file { u64::MAX } else { LONGEST_STREAM })
    });
    text.map_err(|error| unusable(path, &error.to_string()))
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::model(format!("cannot read the trail {}: {why}", path.display()))
}

fn open(arguments: &ReplayArguments, text: &str) -> Result<Replay, Failure> {
    let path = &arguments.trail;
    let document = trail::read(text.as_bytes()).map_err(|error| {
        unusable(path, &error.to_string()).help(
            "a trail is written by `allways check`, a schedule by `allways explore`, when a property is violated",
        )
    })?;
    let model_path = match &arguments.model {
        Some(path) => path.clone(),
        None => find_model(&document.header, path)?,
    };
    let model = model::load(&model_path, &document.header.load.options())?;
    if model.sha256 != document.header.model.sha256 {
        let what = format!("the model {} is not the one the trail was written for", model_path.display());
        if !arguments.force {
            return Err(Failure::model(what)
                .help("it, or a file it includes, was changed since; check it again to get a new trail")
                .help("--model PATH names another file, --force replays as far as possible"));
        }
        message(&format!("warning: {what}"));
    }
    let semantics = document.header.semantics.semantics();
    Ok(Replay { trail: document.trail(), model, document, semantics })
}

/// Where the trail says, from here or from where the trail is; or beside the trail.
fn find_model(header: &TrailHeader, trail: &Path) -> Result<PathBuf, Failure> {
    let recorded = Path::new(&header.model.path);
    let folder = trail.parent().unwrap_or(Path::new(""));
    let name = recorded.file_name().map(Path::new).unwrap_or(recorded);
    let candidates = [recorded.to_path_buf(), folder.join(recorded), folder.join(name)];
    candidates.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        Failure::model(format!("the model of the trail, {}, is not there", recorded.display()))
            .help("name it with --model PATH")
    })
}

fn impossible(error: ReplayError) -> Failure {
    Failure::model(error.to_string())
        .help("the trail does not fit the model; check it again to get a new one")
}

fn check(replay: &Replay, output: &mut Output) -> Result<Ending, Failure> {
    let Some(reason) = &replay.document.header.reason else { return check_run(replay, output) };
    let Some(property) = replay.document.property() else {
        let kind = replay.document.header.kind.as_deref().unwrap_or("");
        return Err(Failure::model(format!("the trail is about an unknown kind of property, `{kind}`")));
    };
    let (ending, words) = match violation_shown_by(
        &replay.model,
        replay.semantics,
        &property,
        &replay.document.fair_runs(&replay.model).map_err(Failure::model)?,
        &replay.trail,
    ) {
        Ok(Some(violation)) if violation.reason == *reason => {
            (Ending::Expected, format!("it happens again: {reason}"))
        }
        Ok(Some(violation)) => {
            let words = format!("something else happens: {} (the trail says: {reason})", violation.reason);
            (Ending::Unexpected, words)
        }
        Ok(None) => (Ending::Unexpected, format!("it does not happen again: {reason}")),
        Err(error) => (Ending::Unexpected, format!("it does not happen again: {error}")),
    };
    output.line(&words)?;
    Ok(ending)
}

/// A run that violates nothing happens again if all its steps are possible.
fn check_run(replay: &Replay, output: &mut Output) -> Result<Ending, Failure> {
    let repeated = each_step(replay, false, |_, _, _| Ok(()));
    output.line(match &repeated {
        Ok(_) => "the run happens again; it violates nothing",
        Err(_) => "the run does not happen again",
    })?;
    Ok(if repeated.is_ok() { Ending::Expected } else { Ending::Unexpected })
}

/// Repeats the trail, one state at a time, telling what each step did.
fn each_step<'r>(
    replay: &'r Replay,
    with_changes: bool,
    mut visit: impl FnMut(usize, &allways_workbench::StepReport, &Run<'r>) -> Result<(), Failure>,
) -> Result<Run<'r>, Failure> {
    let mut run = start(replay)?;
    for (index, step) in replay.trail.steps.iter().enumerate() {
        let report = run
            .repeat(*step, with_changes)
            .map_err(|why| impossible(ReplayError { step: index + 1, why }))?;
        visit(index, &report, &run)?;
        run.forget();
    }
    Ok(run)
}

fn start(replay: &Replay) -> Result<Run<'_>, Failure> {
    Run::start(&replay.model, replay.semantics)
        .map_err(|fault| Failure::model(format!("the model has no initial state: {fault}")))
}

fn show_steps(replay: &Replay, output: &mut Output) -> Result<(), Failure> {
    let palette = output.palette();
    let printer = StepPrinter::new(&replay.model, Show::CHANGES, palette);
    let notes = notes(replay);
    let run = each_step(replay, true, |index, report, run| {
        if replay.trail.cycle == Some(index) {
            output.line(&palette.paint(Tone::Heading, CYCLE))?;
        }
        output.text(&printer.step(index + 1, report, run))?;
        output.text(&notes.after(index + 1))
    })?;
    if let Some(reason) = &replay.document.header.reason {
        output.line(&palette.paint(Tone::Bad, reason))?;
    }
    output.text(&format!("processes:\n{}", state::processes(&replay.model, &run)))?;
    output.text(&format!("variables:\n{}", state::variables(&run)))?;
    if !run.channels().is_empty() {
        output.text(&format!("channels:\n{}", state::channels(&run)))?;
    }
    Ok(())
}

/// What the property saw, if it is one about what happens in the long run.
fn notes(replay: &Replay) -> Notes {
    let Replay { model, document, semantics, trail } = replay;
    let (Some(property), Ok(fair)) = (document.property(), document.fair_runs(model)) else {
        return Notes::default();
    };
    let explanation = explanation_of(model, *semantics, &property, &fair, trail);
    explanation.map(|explanation| Notes::new(&explanation)).unwrap_or_default()
}

const CYCLE: &str = "the cycle starts here; after the last step it begins again";

fn write_json(replay: &Replay, output: &mut Output) -> Result<(), Failure> {
    let printer = StepPrinter::new(&replay.model, Show::default(), output.palette());
    let Replay { model, document, trail, semantics } = replay;
    let recorded = counterexample::record(
        model,
        *semantics,
        trail,
        &document.header,
        Some(&mut *output),
        &printer,
        &Notes::default(),
        0,
        &Alarm::default(),
    );
    let (_, written) = recorded.map_err(impossible)?;
    written.map_err(|error| output.failure(&error))
}

fn draw(replay: &Replay, format: ChartFormat) -> Result<String, Failure> {
    let mut chart = chart::Builder::new(&replay.model.system, &replay.model.sources);
    each_step(replay, false, |_, report, _| {
        chart.step(report.choice.step, &report.events, report.fault.as_ref());
        Ok(())
    })?;
    if replay.document.kind() == Some(allways_verdict::PropertyKind::Deadlock) {
        chart.fail("invalid end state");
    }
    let chart = chart.finish(replay.trail.cycle);
    Ok(match format {
        ChartFormat::Text => chart::text(&chart, &chart::TextOptions::default()),
        ChartFormat::Svg => chart::svg(&chart),
    })
}
