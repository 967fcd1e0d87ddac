//! Where an execution left the schedule that it was to follow.

use allways_stateless_protocol::{Kind, ThreadSet};

use crate::execution::{Execution, Step};
use crate::stack::Choice;
use crate::symbols::Symbols;

/// What a thread does at a choice, and where in the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deed {
    pub kind: Kind,
    /// The address after the call.
    pub place: u64,
}

impl Deed {
    pub fn of(step: &Step) -> Deed {
        Deed { kind: step.operation.kind, place: step.operation.place }
    }
}

/// A choice, as it was expected or as it came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    pub choice: Choice,
    /// `None` if it was never made before.
    pub deed: Option<Deed>,
    /// Who could move.
    pub enabled: ThreadSet,
}

impl Turn {
    pub fn of(step: &Step) -> Turn {
        Turn {
            choice: Choice { thread: step.thread, value: step.value },
            deed: Some(Deed::of(step)),
            enabled: step.enabled,
        }
    }

    fn words(&self, symbols: &Symbols) -> String {
        let Choice { thread, value } = self.choice;
        let deed = self.deed.map_or("its next step".to_string(), |deed| match deed.place {
            0 => deed.kind.word().to_string(),
            place => format!("{} at {}", deed.kind.word(), symbols.words(place)),
        });
        let value = if value == 0 { String::new() } else { format!(" with value {value}") };
        format!("{deed}{value} by thread {thread}, {}", could_move(self.enabled))
    }
}

fn could_move(enabled: ThreadSet) -> String {
    let numbers: Vec<String> = enabled.iter().map(|number| number.to_string()).collect();
    format!("when {} could move", if numbers.is_empty() { "nobody".into() } else { numbers.join(", ") })
}

/// The first choice at which an execution was not as before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// How many choices were made before it.
    pub depth: usize,
    pub expected: Turn,
    pub came: Came,
}

/// What there was instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Came {
    Turn(Turn),
    /// The choice could not be made, as only these could move.
    Only(ThreadSet),
    /// The execution had ended.
    End,
}

impl Difference {
    /// Was an execution other than expected? If so, where it began to be: at a choice that could not be made so, or earlier at one by which
    /// the thread did something else.
    pub fn find(expected: impl Iterator<Item = Turn>, execution: &Execution) -> Option<Box<Difference>> {
        let mut first = None;
        for (depth, expected) in expected.enumerate() {
            let came = match execution.visible.get(depth) {
                Some(index) => Came::Turn(Turn::of(&execution.steps[*index])),
                None if execution.enabled.is_empty() => Came::End,
                None => Came::Only(execution.enabled),
            };
            let difference = Difference { depth, expected, came };
            if !difference.is_same_choice() {
                return Some(Box::new(first.unwrap_or(difference)));
            }
            if first.is_none() && difference.is_other_deed() {
                first = Some(difference);
            }
        }
        None
    }

    fn is_same_choice(&self) -> bool {
        matches!(self.came, Came::Turn(turn)
            if (turn.choice, turn.enabled) == (self.expected.choice, self.expected.enabled))
    }

    fn is_other_deed(&self) -> bool {
        matches!(self.came, Came::Turn(turn) if self.expected.deed.is_some() && turn.deed != self.expected.deed)
    }

    /// In words, for somebody who wants to know what decides beside the schedule.
    pub fn words(&self, symbols: &Symbols) -> String {
        let came = match &self.came {
            Came::Turn(turn) => turn.words(symbols),
            Came::Only(enabled) => format!("not possible, {}", could_move(*enabled)),
            Came::End => "not made, for the execution had ended".to_string(),
        };
        format!(
            "choice {} was expected to be {}; instead it was {came}",
            self.depth + 1,
            self.expected.words(symbols)
        )
    }
}
