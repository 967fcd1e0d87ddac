//! `allways simulate`: one run of a model, chosen at random or by the user.

mod interactive;

use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use allways_report::chart;
use allways_report::counterexample;
use allways_report::explanation::Notes;
use allways_report::palette::Tone;
use allways_report::state;
use allways_report::steps::{Show, StepPrinter};
use allways_report::trail::TrailHeader;
use allways_system::{Event, Fault, Step};
use allways_verdict::{Property, PropertyKind, Trail, TrailStep};
use allways_workbench::{Alarm, FairRuns, Model, Run, Semantics, StepReport, violation_shown_by};
use clap::{Args, ValueEnum};

use crate::dice::Dice;
use crate::exit::{Ending, Failure};
use crate::model::{self, ReadingOptions, SemanticsOptions};
use crate::new_file::NewFile;
use crate::output::{self, Output, message};
use crate::reading::is_standard_input;
use crate::{PLEASE_REPORT, interrupt};

/// Run a model once, at random or step by step
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SimulateArguments {
    /// The Promela model; `-` for standard input
    model: PathBuf,
    /// Seed of the random choices; the same seed gives the same run (by default from the clock, and always printed)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop after this many steps
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Choose every step yourself
    #[arg(short, long)]
    interactive: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "interactive")]
    output: Option<PathBuf>,
    /// Write the run to this file, for `allways replay`
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,
    #[command(flatten)]
    show: ShowOptions,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    semantics: SemanticsOptions,
}

const EXAMPLES: &str = "\
Examples:
  allways simulate mutex.pml                    one random run
  allways simulate mutex.pml --seed 7 -s -r     the run of seed 7, with its messages
  allways simulate mutex.pml -i                 choose the steps yourself
  allways simulate mutex.pml --show printf      only what the model prints
  allways simulate mutex.pml -c                 who sent what to whom, in columns

Exit codes: 0 the run ended properly or reached its step limit; 1 it is blocked (invalid end state), an \
assertion is violated, or there is a run-time error.";

#[derive(Args)]
#[command(
    next_help_heading = "What to show (by default: steps, new values of variables and channels, printf)"
)]
struct ShowOptions {
    /// Steps
    #[arg(short = 'p', long)]
    show_steps: bool,
    /// Steps, and new values of global variables and channels
    #[arg(short = 'g', long)]
    show_globals: bool,
    /// Steps, and new values of local variables
    #[arg(short = 'l', long)]
    show_locals: bool,
    /// Steps, and messages sent
    #[arg(short = 's', long)]
    show_sends: bool,
    /// Steps, and messages received
    #[arg(short = 'r', long)]
    show_receives: bool,
    /// Exactly these, and nothing else
    #[arg(long, value_name = "LIST", value_delimiter = ',',
        conflicts_with_all = ["show_steps", "show_globals", "show_locals", "show_sends", "show_receives"])]
    show: Option<Vec<Shown>>,
    /// A chart with a column for each process, at the end
    #[arg(short = 'c', long, conflicts_with_all = ["show", "interactive"])]
    columns: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Shown {
    Steps,
    Globals,
    Locals,
    Send,
    Recv,
    Printf,
}

/// How a run ended.
enum End {
    /// All processes are at a proper end.
    Finished,
    /// Nobody can move, and somebody is not at a proper end.
    Blocked,
    /// The last step was wrong. If it could not be completed, it is here and not in the run.
    Failed(Option<Step>),
    /// The model outgrew the tool.
    TooLarge(Step, String),
    StepLimit,
    /// The user had enough.
    Quit,
    Interrupted,
}

/// A run under way, and where it is shown.
struct Simulation<'m> {
    model: &'m Model,
    run: Run<'m>,
    printer: StepPrinter,
    chart: Option<chart::Builder<'m>>,
    output: Output,
    /// Some proctype must never have a choice.
    has_deterministic: bool,
}

pub fn run(arguments: &SimulateArguments) -> Result<Ending, Failure> {
    if arguments.interactive && is_standard_input(&arguments.model) {
        return Err(Failure::usage("standard input cannot be the model and the choices too")
            .help("write the model to a file"));
    }
    let written = [arguments.output.as_deref(), arguments.trail.as_deref()];
    output::protect(&arguments.model, &written)?;
    output::distinct(&[
        ("the run as text", arguments.output.as_deref()),
        ("the trail", arguments.trail.as_deref()),
    ])?;
    let mut output = Output::open(arguments.output.as_deref())?;
    let trail = arguments.trail.as_deref().map(output::create).transpose()?;
    let model = model::load(&arguments.model, &arguments.reading.load_options())?;
    output::protect_model(&model, &written)?;
    model::show_warnings(&model);
    let semantics = arguments.semantics.semantics();
    let seed = arguments.seed.unwrap_or_else(seed_from_clock);
    let run = match Run::start(&model, semantics) {
        Ok(run) => run.with_alarm(Alarm { interrupted: Some(interrupt::flag()), ..Alarm::default() }),
        Err(fault) => {
            output.line(&format!("there is no initial state: {fault}"))?;
            output.flushed()?;
            return Ok(Ending::Unexpected);
        }
    };
    let mut simulation = Simulation {
        run,
        printer: StepPrinter::new(&model, arguments.show.selection(), output.palette()),
        chart: arguments.show.columns.then(|| chart::Builder::new(&model.system, &model.sources)),
        output,
        has_deterministic: model.system.proctypes.iter().any(|proctype| proctype.deterministic),
        model: &model,
    };
    let mut dice = Dice::new(seed);
    let end = if arguments.interactive {
        interactive::run(&mut simulation, &mut dice)?
    } else {
        message(&format!("seed {seed}"));
        interrupt::listen();
        simulation.go(&mut dice, arguments.steps)?
    };
    let header = TrailHeader::new(&model, &arguments.reading.load_options(), semantics, seed);
    simulation.finish(&end, semantics, header, trail)?;
    Ok(match end {
        End::Finished | End::StepLimit | End::Quit => Ending::Expected,
        End::Blocked | End::Failed(_) => Ending::Unexpected,
        End::TooLarge(..) => Ending::Inconclusive,
        End::Interrupted => Ending::Interrupted,
    })
}

/// Short enough to be typed again.
fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_micros() as u64 % 1_000_000
}

impl ShowOptions {
    fn selection(&self) -> Show {
        if let Some(list) = &self.show {
            let has = |what| list.contains(&what);
            return Show {
                steps: has(Shown::Steps),
                globals: has(Shown::Globals),
                locals: has(Shown::Locals),
                sends: has(Shown::Send),
                receives: has(Shown::Recv),
                printf: has(Shown::Printf),
            };
        }
        let asked = Show {
            steps: self.show_steps,
            globals: self.show_globals,
            locals: self.show_locals,
            sends: self.show_sends,
            receives: self.show_receives,
            printf: false,
        };
        if asked == Show::default() {
            return Show::CHANGES;
        }
        Show { steps: true, printf: true, ..asked }
    }
}

impl Simulation<'_> {
    /// Goes on at random until something ends the run.
    fn go(&mut self, dice: &mut Dice, limit: Option<usize>) -> Result<End, Failure> {
        loop {
            if interrupt::was_interrupted() {
                return Ok(End::Interrupted);
            }
            if limit.is_some_and(|limit| self.run.length() >= limit) {
                return Ok(End::StepLimit);
            }
            if let Some(end) = self.random_step(dice)? {
                return Ok(end);
            }
            self.run.forget();
        }
    }

    /// Takes one step at random. Says how the run ended if it did.
    fn random_step(&mut self, dice: &mut Dice) -> Result<Option<End>, Failure> {
        let choices = self.run.choices();
        if choices.is_empty() {
            return Ok(Some(if self.run.is_stuck() { End::Blocked } else { End::Finished }));
        }
        // Of two steps that a process must not have a choice between, the second is the one that is wrong.
        let forbidden = if self.has_deterministic { self.run.nondeterminism() } else { None };
        let end = self.step(forbidden.unwrap_or_else(|| choices[dice.below(choices.len())].step))?;
        Ok(if forbidden.is_some() { end.or(Some(End::Failed(None))) } else { end })
    }

    /// Takes a step and shows it. Says how the run ended if it did.
    fn step(&mut self, step: Step) -> Result<Option<End>, Failure> {
        let Some(report) = self.run.take(step) else { return Ok(None) };
        if let Some(Fault::Halted(_)) = report.fault {
            return Ok(Some(End::Interrupted));
        }
        let number = self.run.length() + usize::from(report.fault.is_some());
        match &mut self.chart {
            Some(chart) => chart.step(step, &report.events, report.fault.as_ref()),
            None => self.output.text(&self.printer.step(number, &report, &self.run))?,
        }
        if self.output.is_closed() {
            return Ok(Some(End::Quit));
        }
        Ok(end_after(&report))
    }

    /// Says how it ended and where everything is now; writes the trail.
    fn finish(
        mut self,
        end: &End,
        semantics: Semantics,
        header: TrailHeader,
        file: Option<NewFile>,
    ) -> Result<(), Failure> {
        let trail = trail_of(&self.run, end);
        let header = describe(self.model, semantics, end, &trail, header)?;
        if let Some(mut chart) = self.chart.take() {
            if matches!(end, End::Blocked) {
                chart.fail("invalid end state");
            }
            self.output.text(&chart::text(&chart.finish(None), &chart::TextOptions::default()))?;
        }
        self.show_end(end, header.reason.as_deref())?;
        if let Some(file) = file {
            let recorded = counterexample::record(
                self.model,
                semantics,
                &trail,
                &header,
                Some(BufWriter::new(file)),
                &self.printer,
                &Notes::default(),
                0,
                &Alarm::default(),
            );
            let (_, written) =
                recorded.map_err(|error| Failure::tool(error.to_string()).help(PLEASE_REPORT))?;
            written.map_err(|error| Failure::tool(format!("cannot write the trail: {error}")))?;
        }
        Ok(())
    }

    fn show_end(&mut self, end: &End, reason: Option<&str>) -> Result<(), Failure> {
        let n_steps = allways_report::text::counted(self.run.length() as u64, "step");
        let palette = self.output.palette();
        let (tone, words) = match end {
            End::Finished => (Tone::Good, "finished properly".to_string()),
            End::Blocked | End::Failed(_) => (Tone::Bad, reason.unwrap_or("it went wrong").to_string()),
            End::TooLarge(_, why) => (Tone::Doubtful, why.clone()),
            End::StepLimit => (Tone::Heading, "step limit reached".to_string()),
            End::Quit => (Tone::Heading, "ended by the user".to_string()),
            End::Interrupted => (Tone::Doubtful, "interrupted".to_string()),
        };
        // After what the model printed alone, everything else is a message.
        if self.printer.show == (Show { printf: true, ..Show::default() }) {
            self.output.flushed()?;
            message(&format!("after {n_steps}: {words}"));
            return Ok(());
        }
        self.output.line(&format!("after {n_steps}: {}", palette.paint(tone, words)))?;
        self.output.text(&format!("processes:\n{}", state::processes(self.model, &self.run)))?;
        let globals = state::globals(&self.run);
        if !globals.is_empty() {
            self.output.text(&format!("global variables:\n{globals}"))?;
        }
        if !self.run.channels().is_empty() {
            self.output.text(&format!("channels:\n{}", state::channels(&self.run)))?;
        }
        self.output.flushed()
    }
}

fn end_after(report: &StepReport) -> Option<End> {
    match &report.fault {
        Some(Fault::TooLarge(why)) => Some(End::TooLarge(report.choice.step, why.clone())),
        Some(_) => Some(End::Failed(Some(report.choice.step))),
        None => report.events.contains(&Event::AssertionFailed).then_some(End::Failed(None)),
    }
}

/// The steps of the run, and the one it failed at.
fn trail_of(run: &Run, end: &End) -> Trail {
    let mut trail = run.trail();
    if let End::Failed(Some(step)) | End::TooLarge(step, _) = end {
        trail.steps.push(TrailStep {
            pid: step.pid,
            transition: step.transition.0,
            partner: step.partner.map(|(pid, transition)| (pid, transition.0)),
        });
    }
    trail
}

/// Adds to the header what the run violates, in the words of `check`.
fn describe(
    model: &Model,
    semantics: Semantics,
    end: &End,
    trail: &Trail,
    header: TrailHeader,
) -> Result<TrailHeader, Failure> {
    let kind = match end {
        End::Blocked => PropertyKind::Deadlock,
        End::Failed(_) => PropertyKind::Assertions,
        _ => return Ok(header),
    };
    let property = Property { name: kind.word().to_string(), kind };
    let shown = violation_shown_by(model, semantics, &property, &FairRuns::default(), trail)
        .map_err(|error| Failure::tool(error.to_string()).help(PLEASE_REPORT))?;
    Ok(match shown {
        Some(violation) => header.violating(&property, &violation),
        None => header,
    })
}
