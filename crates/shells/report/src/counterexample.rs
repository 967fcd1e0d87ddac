//! From a violation to what people get: the trail in a file, and its last steps on the screen.

use std::io::{self, Write};
use std::path::PathBuf;

use allways_verdict::Trail;
use allways_workbench::{Alarm, Fault, Model, ReplayError, Run, Semantics, StepReport};

use crate::explanation::Notes;
use crate::state;
use crate::steps::StepPrinter;
use crate::trail::{STEPS_WITH_CHANGES, StepRecord, TrailHeader, TrailWriter};

/// The end of a counterexample as text, and where the whole is.
#[derive(Clone, Debug, Default)]
pub struct Counterexample {
    /// The trail file, if there is one.
    pub file: Option<PathBuf>,
    /// When the trail was written that was there before, if there was one: `5 min ago`.
    pub replaced: Option<String>,
    /// How many steps it has.
    pub n_steps: usize,
    /// How many of them are in `last_steps`.
    pub n_shown: usize,
    /// The alarm rang before the trail was repeated: there is neither a file nor a text.
    pub is_left_out: bool,
    /// Lines of text.
    pub last_steps: String,
    /// Where the processes are at the end; lines of text.
    pub final_processes: String,
}

/// Repeats a trail, writes it to `writer` if there is one, and keeps the last `n_shown` steps as text, with notes in between.
///
/// One pass that looks at one state at a time: trails can be long. If the writer fails, the rest is not written,
/// and the error is handed out beside the text, which is not lost. When the alarm rings all of it is left out.
#[allow(clippy::too_many_arguments)]
pub fn record<W: Write>(
    model: &Model,
    semantics: Semantics,
    trail: &Trail,
    header: &TrailHeader,
    writer: Option<W>,
    printer: &StepPrinter,
    notes: &Notes,
    n_shown: usize,
    alarm: &Alarm,
) -> Result<(Counterexample, io::Result<()>), ReplayError> {
    let n_steps = trail.steps.len();
    let n_shown = n_shown.min(n_steps);
    let mut counterexample = Counterexample { n_steps, n_shown, ..Counterexample::default() };
    let mut file = Recorder::new(writer, header);
    // No initial state: that is the violation, and there are no steps.
    let Ok(run) = Run::start(model, semantics) else { return Ok((counterexample, file.finish())) };
    let mut run = run.with_alarm(alarm.clone());
    if n_shown == n_steps {
        counterexample.last_steps.push_str(&notes.after(0));
    }
    for (index, step) in trail.steps.iter().enumerate() {
        let is_shown = index >= n_steps - n_shown;
        let report = run.repeat(*step, is_shown || index < STEPS_WITH_CHANGES);
        // The step itself may have been left because of it, and is no step of the trail then.
        if (was_halted(&report) || index.is_multiple_of(STEPS_UNHEARD)) && alarm.rings().is_some() {
            return Ok(left_out(n_steps));
        }
        let report = report.map_err(|why| ReplayError { step: index + 1, why })?;
        if file.is_open() {
            file.step(&StepRecord::new(&report, &run));
        }
        if is_shown {
            if trail.cycle == Some(index) {
                counterexample.last_steps.push_str(CYCLE_STARTS);
            }
            counterexample.last_steps.push_str(&printer.step(index + 1, &report, &run));
            counterexample.last_steps.push_str(&notes.after(index + 1));
        }
        run.forget_all();
    }
    match trail.cycle {
        Some(start) if start < n_steps && start < n_steps - n_shown => {
            let line = format!("   the cycle started at step {}; and so on, for ever\n", start + 1);
            counterexample.last_steps.push_str(&line);
        }
        Some(start) if start < n_steps => counterexample.last_steps.push_str(CYCLE_ENDS),
        Some(_) => counterexample.last_steps.push_str(NOTHING_MORE),
        None => {}
    }
    counterexample.final_processes = state::processes(model, &run);
    Ok((counterexample, file.finish()))
}

/// How many steps are repeated between two looks at the alarm.
const STEPS_UNHEARD: usize = 256;

fn was_halted(report: &Result<StepReport, String>) -> bool {
    report.as_ref().map_or(true, |report| matches!(report.fault, Some(Fault::Halted(_))))
}

/// What there is of a trail for which there was no time.
fn left_out(n_steps: usize) -> (Counterexample, io::Result<()>) {
    let counterexample = Counterexample { n_steps, is_left_out: true, ..Counterexample::default() };
    (counterexample, Err(io::Error::new(io::ErrorKind::TimedOut, "the time limit was reached")))
}

/// In front of the first step of a cycle.
const CYCLE_STARTS: &str = "   the cycle starts here:\n";
/// Behind the last step of a cycle.
const CYCLE_ENDS: &str = "   and so on, for ever\n";
/// Where the last state is the cycle.
const NOTHING_MORE: &str = "   nothing more happens: the last state is repeated for ever\n";

/// A trail writer that remembers its first error and writes no more.
enum Recorder<W: Write> {
    Absent,
    Open(TrailWriter<W>),
    Failed(io::Error),
}

impl<W: Write> Recorder<W> {
    fn new(writer: Option<W>, header: &TrailHeader) -> Recorder<W> {
        match writer.map(|writer| TrailWriter::new(writer, header)) {
            None => Recorder::Absent,
            Some(Ok(writer)) => Recorder::Open(writer),
            Some(Err(error)) => Recorder::Failed(error),
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Recorder::Open(_))
    }

    fn step(&mut self, record: &StepRecord) {
        if let Recorder::Open(writer) = self
            && let Err(error) = writer.step(record)
        {
            *self = Recorder::Failed(error);
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Recorder::Absent => Ok(()),
            Recorder::Open(writer) => writer.finish(),
            Recorder::Failed(error) => Err(error),
        }
    }
}
