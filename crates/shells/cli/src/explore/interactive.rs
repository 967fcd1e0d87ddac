//! The user chooses the steps of a program.
//!
//! There is no going back in a running program: every step, forwards or backwards, is an execution of its own along the choices made so
//! far, which ends where the next choice is to be made.

use allways_report::palette::Tone;
use allways_report::schedule::{self, ProgramIdentity, ScheduleDocument};
use allways_report::schedule_steps;
use allways_report::telling::Telling;
use allways_stateless::{
    Choice, Execution, Executor, Outcome, PropertyName, Run, Symbols, replay_with_callers,
};

use super::{refusal, write_schedule};
use crate::dialogue::{Request, ask};
use crate::exit::{Ending, Failure};
use crate::output::Output;

const HELP: &str = "  1, 2, …  let that thread go on       b        go back one step
  1 V      with value V of its choice  b N      go back N steps
  e        go on to the end            l        list the steps so far
  s        save the schedule           q        quit
";

struct Session<'a> {
    executor: &'a mut Executor,
    program: &'a ProgramIdentity,
    symbols: Symbols,
    output: Output,
    choices: Vec<Choice>,
    /// The execution along the choices.
    execution: Execution,
}

pub fn run(executor: &mut Executor, program: &ProgramIdentity, output: Output) -> Result<Ending, Failure> {
    let symbols = executor.symbols();
    let execution = execute(executor, &[])?;
    let mut session = Session { executor, program, symbols, output, choices: Vec::new(), execution };
    session.settle()?;
    session.show()?;
    while let Some(request) = ask(&mut session.output, "which thread (? for help): ")? {
        if matches!(&*request.word, "q" | "quit") {
            break;
        }
        session.answer(&request)?;
    }
    session.output.flushed()?;
    let is_violated = PropertyName::violated_by(&session.execution).is_some();
    Ok(if is_violated { Ending::Unexpected } else { Ending::Expected })
}

/// Up to the state after these choices.
fn execute(executor: &mut Executor, choices: &[Choice]) -> Result<Execution, Failure> {
    let max_depth = Some(choices.len() as u32);
    executor.execute(&Run { max_depth, with_callers: true, ..Run::along(choices) }).map_err(refusal)
}

impl Session<'_> {
    fn answer(&mut self, request: &Request) -> Result<(), Failure> {
        match &*request.word {
            "" => Ok(()),
            "?" | "h" | "help" => self.output.text(HELP),
            "b" if self.choices.is_empty() => self.output.line("this is the start"),
            "b" => {
                let kept = self.choices.len().saturating_sub(request.number.unwrap_or(1));
                self.choices.truncate(kept);
                self.move_on()
            }
            "e" => self.run_to_end(),
            "l" => {
                let text = schedule_steps::steps(&self.document(), usize::MAX, self.output.palette());
                self.output.text(&text)
            }
            "s" => self.save(),
            word => match word.parse() {
                Ok(thread) => self.choose(thread, request.number),
                Err(_) => self.output.text(&format!("`{word}` is no command\n{HELP}")),
            },
        }
    }

    fn choose(&mut self, thread: usize, value: Option<usize>) -> Result<(), Failure> {
        if !self.execution.enabled.contains(thread) {
            let title =
                Telling { execution: &self.execution, symbols: Some(&self.symbols) }.thread_title(thread);
            let is_known = thread < self.execution.process_of.len();
            let words = if is_known {
                format!("{title} cannot go on now")
            } else {
                format!("there is no thread {thread}")
            };
            return self.output.line(&words);
        }
        let first = Choice { thread, value: 0 };
        self.choices.push(first);
        let execution = execute(self.executor, &self.choices)?;
        let n_values = execution.visible.last().map_or(1, |index| execution.steps[*index].n_values);
        match value {
            None if n_values > 1 => {
                self.choices.pop();
                let most = n_values - 1;
                self.output
                    .line(&format!("it has {n_values} ways to go on: `{thread} 0` to `{thread} {most}`"))
            }
            Some(value) if value >= n_values as usize => {
                self.choices.pop();
                self.output.line(&format!("there is no value {value}; the highest is {}", n_values - 1))
            }
            _ => {
                self.choices.pop();
                self.choices.push(Choice { value: value.unwrap_or(0) as u32, ..first });
                self.move_on()
            }
        }
    }

    /// Executes up to the new place and shows it.
    fn move_on(&mut self) -> Result<(), Failure> {
        self.execution = execute(self.executor, &self.choices)?;
        self.settle()?;
        self.show()
    }

    /// Some operations become choices only when one knows the program better.
    fn settle(&mut self) -> Result<(), Failure> {
        if self.execution.waited_for_any && !self.executor.exits_are_visible() {
            self.executor.make_exits_visible();
            self.choices.clear();
            self.output.line("the order in which processes end matters here: once more from the start, with that as a choice")?;
            self.execution = execute(self.executor, &[])?;
        }
        Ok(())
    }

    fn run_to_end(&mut self) -> Result<(), Failure> {
        self.execution = replay_with_callers(self.executor, &self.choices).map_err(refusal)?;
        self.choices = self.execution.schedule();
        self.show()
    }

    fn save(&mut self) -> Result<(), Failure> {
        // A schedule is a whole execution.
        let execution = replay_with_callers(self.executor, &self.choices).map_err(refusal)?;
        let n_more = execution.visible.len().saturating_sub(self.choices.len());
        let document = self.document_of(&execution);
        let path = write_schedule(&document, self.executor)?;
        let more = if n_more > 0 { format!(", with {n_more} more steps to its end") } else { String::new() };
        self.output.line(&format!("saved as {path}{more}"))
    }

    fn document(&self) -> ScheduleDocument {
        self.document_of(&self.execution)
    }

    fn document_of(&self, execution: &Execution) -> ScheduleDocument {
        let telling = Telling { execution, symbols: Some(&self.symbols) };
        let property = PropertyName::violated_by(execution);
        schedule::document(self.program, property, telling, super::conditions(self.executor))
    }

    /// Where everybody is: who can go on, who cannot, or how it ended.
    fn show(&mut self) -> Result<(), Failure> {
        let mut document = self.document();
        let palette = self.output.palette();
        self.output.text(&schedule_steps::steps(&document, 1, palette))?;
        if self.execution.outcome != Outcome::Cut {
            return self.show_end(&document);
        }
        let enabled = self.execution.enabled;
        let (can, cannot) = document.waiting.into_iter().partition(|one| enabled.contains(one.thread));
        for (title, waiting) in [("can go on:", can), ("cannot go on:", cannot)] {
            document.waiting = waiting;
            if !document.waiting.is_empty() {
                self.output.line(&palette.paint(Tone::Heading, title))?;
                self.output.text(&schedule_steps::waiting(&document, palette))?;
            }
        }
        Ok(())
    }

    fn show_end(&mut self, document: &ScheduleDocument) -> Result<(), Failure> {
        let palette = self.output.palette();
        let words = match &*schedule_steps::short_reason(document) {
            "" => palette.paint(Tone::Good, "the program has ended properly"),
            reason => palette.paint(Tone::Bad, reason),
        };
        self.output.line(&words)?;
        if !document.waiting.is_empty() {
            self.output.text(&schedule_steps::waiting(document, palette))?;
        }
        Ok(())
    }
}
