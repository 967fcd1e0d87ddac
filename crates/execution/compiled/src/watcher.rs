//! Propositions about a state, as code.

use allways_system::{Expr, Pid, Proctype, ProctypeId};

use crate::code::Value;
use crate::generate::{Position, generate_with};
use crate::instance::Instance;
use crate::machine::Machine;
use crate::worker::{Trap, Worker};

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
            locations: Vec::new(),
            transitions: Vec::new(),
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
    pub fn letter(&mut self, watcher: &Watcher, timeout: bool) -> Result<u64, Trap> {
        let before = std::mem::replace(&mut self.timeout, timeout);
        let letter = self.letter_now(watcher);
        self.timeout = before;
        letter
    }

    fn letter_now(&mut self, watcher: &Watcher) -> Result<u64, Trap> {
        if self.registers.len() < watcher.nobody.registers {
            self.registers.resize(watcher.nobody.registers, 0);
        }
        let shape = self.shape.clone();
        let mut letter = 0;
        for (bit, value) in watcher.values.iter().enumerate() {
            letter |= u64::from(self.value(&shape, &watcher.nobody, *value)? != 0) << bit;
        }
        Ok(letter)
    }
}
