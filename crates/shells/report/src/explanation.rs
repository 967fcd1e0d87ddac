//! What an observer saw, as notes between the steps of a counterexample.

use std::collections::BTreeMap;

use allways_workbench::{Explanation, PropertyResult};

/// Lines of text, by the number of steps after which they belong.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    lines: BTreeMap<usize, Vec<String>>,
}

impl Notes {
    /// The notes on the counterexample of a property.
    pub fn of(result: &PropertyResult) -> Notes {
        match result.search.as_ref().and_then(|search| search.explanation.as_ref()) {
            Some(explanation) => Notes::new(explanation),
            None => Notes::default(),
        }
    }

    /// The notes on what an observer saw.
    pub fn new(explanation: &Explanation) -> Notes {
        let mut notes = Notes::default();
        let mut before = None;
        for moment in &explanation.moments {
            let changed = before.map_or(0, |before: u64| before ^ moment.letter);
            for (bit, text) in explanation.propositions.iter().enumerate() {
                if changed >> bit & 1 == 1 {
                    let now = if moment.letter >> bit & 1 == 1 { "true" } else { "false" };
                    notes.add(moment.after, format!("`{text}` becomes {now}"));
                }
            }
            before = Some(moment.letter);
        }
        if let Some(after) = explanation.lost_after {
            notes.add(after, "here the property is lost, whatever follows".to_string());
        }
        notes
    }

    fn add(&mut self, after: usize, line: String) {
        self.lines.entry(after).or_default().push(line);
    }

    /// The lines that belong after so many steps.
    pub fn after(&self, steps: usize) -> String {
        let lines = self.lines.get(&steps).into_iter().flatten();
        lines.map(|line| format!("        {line}\n")).collect()
    }
}
