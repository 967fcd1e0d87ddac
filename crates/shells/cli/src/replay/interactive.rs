//! Walking along a trail, forwards and backwards.

use allways_report::state;
use allways_report::steps::{Show, StepPrinter};
use allways_report::text;
use allways_workbench::{ReplayError, Run};

use super::{CYCLE, Replay, impossible, start};
use crate::dialogue::{Request, ask};
use crate::exit::Failure;
use crate::output::Output;

const HELP: &str = "  n        next step (or just Enter)   n N      the next N steps
  b or p   back one step               b N      back N steps
  g N      go to where N steps are done
  v        variables                   c        channels
  w        where the processes are     q        quit
";

struct Walk<'r> {
    replay: &'r Replay,
    run: Run<'r>,
    printer: StepPrinter,
    /// The last step of the trail cannot be completed, and that was shown: the run has not moved.
    has_failed: bool,
}

pub fn run(replay: &Replay, output: &mut Output) -> Result<(), Failure> {
    let printer = StepPrinter::new(&replay.model, Show::CHANGES, output.palette());
    let mut walk = Walk { replay, run: start(replay)?, printer, has_failed: false };
    let n_steps = text::counted(replay.trail.steps.len() as u64, "step");
    output.line(&format!("a run of {} with {n_steps}; ? for help", replay.model.path.display()))?;
    loop {
        let prompt = format!("{}/{}> ", walk.position(), replay.trail.steps.len());
        match ask(output, &prompt)? {
            Some(Request { word, .. }) if word == "q" || word == "quit" => return Ok(()),
            Some(request) => {
                let text = walk.answer(&request)?;
                output.text(&text)?;
            }
            None => return Ok(()),
        }
    }
}

impl Walk<'_> {
    fn position(&self) -> usize {
        self.run.length() + usize::from(self.has_failed)
    }

    fn answer(&mut self, request: &Request) -> Result<String, Failure> {
        let n_steps = request.number.unwrap_or(1);
        match &*request.word {
            "" | "n" => self.forward(n_steps),
            "b" | "p" => Ok(self.back(n_steps)),
            "g" => self.go_to(request.number),
            "v" => Ok(state::variables(&self.run)),
            "c" => Ok(state::channels(&self.run)),
            "w" => Ok(state::processes(&self.replay.model, &self.run)),
            "?" | "h" | "help" => Ok(HELP.to_string()),
            word => Ok(format!("`{word}` is no command\n{HELP}")),
        }
    }

    fn forward(&mut self, n_steps: usize) -> Result<String, Failure> {
        let mut text = String::new();
        for _ in 0..n_steps {
            match self.next()? {
                Some(lines) => text.push_str(&lines),
                None => {
                    text.push_str(&self.ending());
                    break;
                }
            }
        }
        Ok(text)
    }

    /// Takes the next step of the trail; none at its end.
    fn next(&mut self) -> Result<Option<String>, Failure> {
        let index = self.position();
        let Some(step) = self.replay.trail.steps.get(index) else { return Ok(None) };
        let report =
            self.run.repeat(*step, true).map_err(|why| impossible(ReplayError { step: index + 1, why }))?;
        self.has_failed = report.fault.is_some();
        let cycle = if self.replay.trail.cycle == Some(index) { format!("{CYCLE}\n") } else { String::new() };
        Ok(Some(cycle + &self.printer.step(index + 1, &report, &self.run)))
    }

    fn ending(&self) -> String {
        let reason = self.replay.document.header.reason.as_deref();
        format!(
            "this is the end of the trail{}\n",
            reason.map_or(String::new(), |reason| format!(": {reason}"))
        )
    }

    fn back(&mut self, n_steps: usize) -> String {
        for _ in 0..n_steps {
            if std::mem::take(&mut self.has_failed) {
                continue;
            }
            if !self.run.back() {
                return "this is the start\n".to_string();
            }
        }
        String::new()
    }

    fn go_to(&mut self, target: Option<usize>) -> Result<String, Failure> {
        let Some(target) = target else { return Ok("g needs a number: g 12\n".to_string()) };
        if target < self.position() {
            return Ok(self.back(self.position() - target));
        }
        while self.position() < target {
            if self.next()?.is_none() {
                return Ok(self.ending());
            }
        }
        Ok(String::new())
    }
}
