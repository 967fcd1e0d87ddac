//! `trace` and `notrace`: an automaton that moves with the events on some channels.
//!
//! A channel is watched for sends if the trace has a send on it, and for receives if it has a receive. Every such event
//! must be one that the automaton can take where it is; the order of the events of other channels does not matter. A
//! `notrace` is the opposite: it is violated when the automaton comes to its end.
//!
//! The automaton's location is made part of the state, and the interpreter and the plain search do the rest: events are
//! something that compiled steps do not tell.

use allways_explicit::{Found, Monitor, Order, Outcome, Question, What, reference};
use allways_interpreter::{Interpreter, Semantics, State};
use allways_system::{
    Action, Alarm, Applied, Event, Expansion, Expr, Fault, LocationId, Pattern, Pid, ProctypeId,
    STEPS_UNHEARD, Step, Successors, System, Trace, Transition, TransitionId,
};
use allways_verdict::PropertyKind;

use crate::CheckOptions;
use crate::run::NotRepeated;

/// A system with the automaton of its trace beside it. What violates the trace is told as a broken claim to a channel,
/// which nothing else is here.
pub(crate) struct Traced<'t> {
    interpreter: Interpreter<'t>,
    trace: &'t Trace,
}

/// Where the automaton is; none when it has no say any more.
type Place = Option<LocationId>;

impl<'t> Traced<'t> {
    pub fn new(system: &'t System, semantics: Semantics, trace: &'t Trace) -> Traced<'t> {
        Traced { interpreter: Interpreter::new(system, semantics), trace }
    }

    /// Explores everything.
    pub fn search(&self, options: &CheckOptions, monitor: &mut dyn Monitor) -> Result<Outcome, Fault> {
        let question = Question {
            exclusive: true,
            limits: options.limits,
            order: if options.order.needs_every_run() { options.order } else { Order::DepthFirst },
            ..Question::default()
        };
        let watched = self.with_alarm(monitor.alarm());
        reference::search(&watched, &question, monitor)
    }

    /// Looks at an alarm inside of long steps.
    pub fn with_alarm(&self, alarm: Alarm) -> Traced<'t> {
        let interpreter = Interpreter::new(self.interpreter.system, self.interpreter.semantics);
        Traced { interpreter: interpreter.with_alarm(alarm), trace: self.trace }
    }

    /// Whether the last of these steps violates the trace, and its statement.
    pub fn confirm(
        &self,
        steps: &[Step],
        alarm: &Alarm,
    ) -> Result<(bool, Option<&'t Transition>), NotRepeated> {
        self.last_violates(steps, alarm).map_err(|why| NotRepeated::because(why, alarm))
    }

    fn last_violates(&self, steps: &[Step], alarm: &Alarm) -> Result<(bool, Option<&'t Transition>), String> {
        let mut state = self.initial().map_err(|fault| fault.to_string())?;
        let (mut violated, mut last) = (false, None);
        for (number, step) in (0u64..).zip(steps) {
            if number % STEPS_UNHEARD == 0 && alarm.rings().is_some() {
                return Err("there is no time left".to_string());
            }
            let mut enabled = Vec::new();
            self.steps(&state, &mut enabled);
            if enabled.is_empty() {
                self.release(&mut state);
                self.steps(&state, &mut enabled);
            }
            if !enabled.contains(step) {
                return Err(format!("step {step} is not enabled"));
            }
            last = state.0.processes.get(step.pid as usize).and_then(|process| {
                let proctype = self.interpreter.system.proctype(process.proctype);
                proctype.transitions.get(step.transition.index())
            });
            let applied = self.apply(&mut state, *step, None).map_err(|fault| fault.to_string())?;
            violated = applied.exclusive_violated;
        }
        Ok((violated, last))
    }

    /// The violation that a search found, as one of the trace.
    pub fn found(outcome: &Outcome) -> Option<Found> {
        let found = outcome.found.iter().find(|found| found.what == What::ExclusiveViolated)?;
        Some(Found { kind: PropertyKind::Trace, ..found.clone() })
    }

    /// What a violation is, in words.
    pub fn reason(&self) -> String {
        let name = &self.trace.automaton.name;
        match self.trace.forbidden {
            true => format!("all events of `{name}` happened, in its order"),
            false => format!("an event that `{name}` does not allow at this point"),
        }
    }

    /// Whether events of this kind on a channel are watched.
    fn is_watched(&self, state: &State, channel: u32, is_send: bool) -> bool {
        self.trace.automaton.transitions.iter().any(|transition| {
            let (expr, sends) = match &transition.action {
                Action::Send { channel, .. } => (channel, true),
                Action::Receive { channel, .. } => (channel, false),
                _ => return false,
            };
            sends == is_send && self.value(state, expr) == Some(channel as i32)
        })
    }

    /// A value that the trace mentions.
    fn value(&self, state: &State, expr: &Expr) -> Option<i32> {
        self.interpreter.evaluate_outside(state, expr).ok()
    }

    /// Moves the automaton. True if the event violates the trace.
    fn notice(&self, state: &State, place: &mut Place, event: &Event) -> bool {
        let (channel, message, is_send) = match event {
            Event::Sent { channel, message, lost: false } => (*channel, message, true),
            Event::Received { channel, message, .. } => (*channel, message, false),
            _ => return false,
        };
        let Some(at) = *place else { return false };
        if !self.is_watched(state, channel, is_send) {
            return false;
        }
        let next = self.matching(state, at, channel, message, is_send);
        match (next, self.trace.forbidden) {
            (Some(transition), forbidden) => {
                let target = self.trace.automaton.transition(transition).target;
                *place = Some(target);
                forbidden && self.is_end(target)
            }
            (None, true) => {
                *place = None;
                false
            }
            (None, false) => true,
        }
    }

    /// The transition that an event takes.
    fn matching(
        &self,
        state: &State,
        at: LocationId,
        channel: u32,
        message: &[i32],
        is_send: bool,
    ) -> Option<TransitionId> {
        let automaton = &self.trace.automaton;
        let fits = |expected: Option<i32>, field: &i32| expected.is_none_or(|value| value == *field);
        automaton.location(at).groups.iter().flatten().copied().find(|id| {
            match &automaton.transition(*id).action {
                Action::Send { channel: expr, values, .. } => {
                    is_send
                        && self.value(state, expr) == Some(channel as i32)
                        && values
                            .iter()
                            .zip(message)
                            .all(|(value, field)| fits(self.value(state, value), field))
                }
                Action::Receive { channel: expr, patterns, .. } => {
                    !is_send
                        && self.value(state, expr) == Some(channel as i32)
                        && patterns.iter().zip(message).all(|(pattern, field)| match pattern {
                            Pattern::Match(value) => fits(self.value(state, value), field),
                            Pattern::Store(_) | Pattern::Ignore => true,
                        })
                }
                _ => false,
            }
        })
    }

    fn is_end(&self, location: LocationId) -> bool {
        let automaton = &self.trace.automaton;
        let transitions = automaton.location(location).groups.iter().flatten();
        transitions
            .map(|id| &automaton.transition(*id).action)
            .all(|action| matches!(action, Action::Terminate))
    }
}

impl Successors for Traced<'_> {
    type State = (State, Place);

    fn initial(&self) -> Result<(State, Place), Fault> {
        Ok((self.interpreter.initial()?, Some(self.trace.automaton.initial)))
    }

    fn steps(&self, state: &(State, Place), steps: &mut Vec<Step>) -> Expansion {
        self.interpreter.steps(&state.0, steps)
    }

    fn apply(
        &self,
        state: &mut (State, Place),
        step: Step,
        events: Option<&mut Vec<Event>>,
    ) -> Result<Applied, Fault> {
        let before = state.0.clone();
        let mut heard = Vec::new();
        self.interpreter.apply(&mut state.0, step, Some(&mut heard))?;
        let mut applied = Applied::default();
        for event in &heard {
            applied.exclusive_violated |= self.notice(&before, &mut state.1, event);
        }
        if let Some(events) = events {
            events.extend(heard);
        }
        Ok(applied)
    }

    fn proctype_of(&self, state: &(State, Place), pid: Pid) -> ProctypeId {
        self.interpreter.proctype_of(&state.0, pid)
    }

    fn is_exclusive(&self, state: &(State, Place)) -> bool {
        self.interpreter.is_exclusive(&state.0)
    }

    fn release(&self, state: &mut (State, Place)) {
        self.interpreter.release(&mut state.0);
    }

    fn is_valid_end(&self, state: &(State, Place)) -> bool {
        self.interpreter.is_valid_end(&state.0)
    }

    fn pack(&self, state: &(State, Place), bytes: &mut Vec<u8>) -> usize {
        let mut inner = Vec::new();
        let n = self.interpreter.pack(&state.0, &mut inner);
        bytes.clear();
        bytes.extend(state.1.map_or(u32::MAX, |location| location.0).to_le_bytes());
        bytes.extend(inner);
        n + 4
    }

    fn unpack(&self, bytes: &[u8], state: &mut (State, Place)) {
        let (place, inner) = bytes.split_at(4.min(bytes.len()));
        let number = place.try_into().map_or(u32::MAX, u32::from_le_bytes);
        state.1 = (number != u32::MAX).then_some(LocationId(number));
        self.interpreter.unpack(inner, &mut state.0);
    }
}
