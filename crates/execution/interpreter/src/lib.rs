//! What a system means: slow, clear, the reference.
//!
//! Every other way of running a system must agree with this one. The rules, in the order in which they are applied:
//!
//! 1. If some process is inside an atomic sequence, only its steps are considered. If it has none, atomicity is
//!    lost (the caller says so with `release`) and the state counts as any other.
//! 2. Otherwise every process contributes its steps, the youngest first. If there are none at all, they are sought
//!    once more with `timeout` true.
//! 3. A process contributes only if its `provided` clause holds and, where priorities are in use, no process of
//!    higher priority could move.
//! 4. Of a location's groups, the first in which a transition is enabled counts, and every enabled transition of it
//!    is a step. `else` is enabled if nothing before it in its group is.
//! 5. A send on a rendezvous channel is enabled only together with a matching receive of another process; the pair
//!    is one step, and one step for each such receive. A receive on a rendezvous channel is never a step of its own.
//! 6. After a step control is inside an atomic sequence if the transition says so; after a rendezvous the receiver's
//!    transition decides.
//! 7. A process disappears only when it is the youngest; its channels disappear with it.
//!
//! Start reading in `steps.rs`.
#![forbid(unsafe_code)]

mod apply;
mod evaluate;
mod pack;
mod state;
mod steps;

use allways_system::{
    Alarm, Applied, Event, Expansion, Expr, Fault, Letter, Pid, ProctypeId, Step, Successors, System,
};

use evaluate::Context;

pub use allways_system::Semantics;
pub use state::{Channel, Process, State};

/// Runs a system.
pub struct Interpreter<'a> {
    pub system: &'a System,
    pub semantics: Semantics,
    layout: pack::Layout,
    /// Whether any guard asks for `timeout`: otherwise the second pass cannot find anything.
    uses_timeout: bool,
    has_exclusive_claims: bool,
    /// Ends a `d_step` before its end.
    alarm: Alarm,
}

impl<'a> Interpreter<'a> {
    pub fn new(system: &'a System, semantics: Semantics) -> Interpreter<'a> {
        Interpreter {
            system,
            semantics,
            layout: pack::Layout::new(system),
            uses_timeout: system.uses_timeout(),
            has_exclusive_claims: system.proctypes.iter().any(|proctype| !proctype.exclusive.is_empty()),
            alarm: Alarm::default(),
        }
    }

    /// Looks at an alarm, also inside of long `d_step`s, which then end with [`Fault::Halted`].
    pub fn with_alarm(self, alarm: Alarm) -> Interpreter<'a> {
        Interpreter { alarm, ..self }
    }

    /// What it looks at.
    pub fn alarm(&self) -> &Alarm {
        &self.alarm
    }
}

impl Interpreter<'_> {
    /// The value of an expression that belongs to no process.
    pub fn evaluate_outside(&self, state: &State, expr: &Expr) -> Result<i32, Fault> {
        Context::new(self, state, Pid::MAX).evaluate(expr)
    }

    /// Which of these propositions hold in a state: bit `i` for proposition `i`; and why others cannot be evaluated.
    pub fn letter(&self, state: &State, propositions: &[Expr]) -> (Letter, Vec<(usize, Fault)>) {
        let mut asks_for_timeout = false;
        for proposition in propositions {
            proposition.walk(&mut |expr| asks_for_timeout |= matches!(expr, Expr::Timeout));
        }
        let timeout = asks_for_timeout && {
            let mut steps = Vec::new();
            self.find_steps(state, &mut steps).timeout || steps.is_empty()
        };
        let nobody = Context { timeout, ..Context::new(self, state, Pid::MAX) };
        let mut letter = Letter::default();
        let mut faults = Vec::new();
        for (bit, proposition) in propositions.iter().enumerate() {
            match nobody.holds(proposition) {
                Ok(holds) => letter.holds |= u64::from(holds) << bit,
                Err(fault) => {
                    letter.unknown |= 1 << bit;
                    faults.push((bit, fault));
                }
            }
        }
        (letter, faults)
    }
}

impl Successors for Interpreter<'_> {
    type State = State;

    fn initial(&self) -> Result<State, Fault> {
        self.initial_state()
    }

    fn steps(&self, state: &State, steps: &mut Vec<Step>) -> Expansion {
        self.find_steps(state, steps)
    }

    fn apply(
        &self,
        state: &mut State,
        step: Step,
        events: Option<&mut Vec<Event>>,
    ) -> Result<Applied, Fault> {
        self.apply_step(state, step, events)
    }

    fn proctype_of(&self, state: &State, pid: Pid) -> ProctypeId {
        state.processes[pid as usize].proctype
    }

    fn is_exclusive(&self, state: &State) -> bool {
        state.exclusive.is_some()
    }

    fn release(&self, state: &mut State) {
        state.exclusive = None;
    }

    fn is_valid_end(&self, state: &State) -> bool {
        let at_end =
            |process: &Process| self.system.proctype(process.proctype).location(process.location).is_end;
        state.processes.iter().all(at_end)
            && (!self.semantics.strict_end || state.channels.iter().all(|channel| channel.length == 0))
    }

    fn pack(&self, state: &State, bytes: &mut Vec<u8>) -> usize {
        self.layout.pack(state, bytes)
    }

    fn unpack(&self, bytes: &[u8], state: &mut State) {
        self.layout.unpack(bytes, state);
    }
}
