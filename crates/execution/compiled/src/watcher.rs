//! Propositions about a state, as code.

use allways_system::{Expr, Letter, Pid, Proctype, ProctypeId};

use crate::code::Value;
use crate::generate::{Position, generate_with};
use crate::instance::Instance;
use crate::machine::Machine;
use crate::worker::Worker;

/// Knows how to evaluate some propositions: code that belongs to no process.
pub struct Watcher {
    nobody: Instance,
    values: Vec<Value>,
}

impl Machine<'_> {
    /// The code for these propositions; at most 64.
    pub fn watcher(&self, propositions: &[Expr]) -> Watcher {
        let position = Position {
            number: 0,
            first_spot: 0,
            pid: Pid::MAX,
            proctype: ProctypeId(0),
            location: None,
            resting: [].into(),
            priority: None,
            slots: Vec::new(),
            own_channels: Vec::new(),
            first_channel: 0,
        };
        let code = Proctype {
            start: Vec::new(),
            locations: Default::default(),
            transitions: Default::default(),
            provided: None,
            exclusive: Vec::new(),
            ..self.system.proctypes[0].clone()
        };
        let (nobody, values) = generate_with(&self.common, position, code, propositions);
        Watcher { nobody, values }
    }
}

impl Worker<'_, '_> {
    /// Which of the propositions are not 0 in the state: bit `i` for proposition `i`. `timeout` says whether no process can move
    /// unless there is a timeout.
    pub fn letter(&mut self, watcher: &Watcher, timeout: bool) -> Letter {
        let before = std::mem::replace(&mut self.timeout, timeout);
        let letter = self.letter_now(watcher);
        self.timeout = before;
        letter
    }

    fn letter_now(&mut self, watcher: &Watcher) -> Letter {
        if self.registers.len() < watcher.nobody.registers {
            self.registers.resize(watcher.nobody.registers, 0);
        }
        let shape = self.shape.clone();
        let mut letter = Letter::default();
        for (bit, value) in watcher.values.iter().enumerate() {
            match self.value(&shape, &watcher.nobody, *value) {
                Ok(value) => letter.holds |= u64::from(value != 0) << bit,
                Err(_) => letter.unknown |= 1 << bit,
            }
        }
        letter
    }
}
