//! One run of a model, step by step, forwards and backwards: what simulation and replay are made of.

use allways_interpreter::{Interpreter, Semantics, State};
use allways_system::{
    Alarm, Applied, Event, Fault, Frame, Halt, Pid, STEPS_UNHEARD, Scalar, Step, Successors, System,
    Transition, TransitionId,
};
use allways_verdict::{Location, Trail, TrailStep};

use crate::Model;

/// A run under way.
pub struct Run<'m> {
    model: &'m Model,
    interpreter: Interpreter<'m>,
    /// Every state so far, or since [`Run::forget`]; the last is the current one. Never empty.
    states: Vec<State>,
    /// The steps between them.
    steps: Vec<Step>,
}

/// A step that could be taken now.
#[derive(Clone, Debug)]
pub struct Choice {
    /// For [`Run::take`].
    pub step: Step,
    /// Who moves.
    pub pid: Pid,
    /// Its kind.
    pub proctype: String,
    /// The statement.
    pub text: String,
    /// Where it is written.
    pub location: Location,
    /// The receiver of a rendezvous: pid, proctype, statement, place.
    pub partner: Option<(Pid, String, String, Location)>,
}

/// What a step did.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The step.
    pub choice: Choice,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Variables and channels that have a new value.
    pub changes: Vec<Change>,
    /// The step could not be completed; the run has not moved.
    pub fault: Option<Fault>,
}

/// A new value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The variable, e.g. `x`, `a[1].b`, or a channel, e.g. `q`.
    pub name: String,
    /// Set for a local variable: whose it is.
    pub pid: Option<Pid>,
    /// Before; none for a variable that just came into being.
    pub old: Option<String>,
    /// Now.
    pub new: String,
}

/// A variable or channel and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// As in [`Change::name`].
    pub name: String,
    /// As people write it.
    pub value: String,
}

/// A trail does not fit the model.
#[derive(Clone, Debug, thiserror::Error)]
#[error("step {step} of the trail is not possible here: {why}")]
pub struct ReplayError {
    /// From 1.
    pub step: usize,
    /// In words.
    pub why: String,
}

impl<'m> Run<'m> {
    /// A run in the initial state.
    pub fn start(model: &'m Model, semantics: Semantics) -> Result<Run<'m>, Fault> {
        #[cfg(test)]
        tests::STARTED.set(tests::STARTED.get() + 1);
        let interpreter = Interpreter::new(&model.system, semantics);
        let initial = interpreter.initial()?;
        Ok(Run { model, interpreter, states: vec![initial], steps: Vec::new() })
    }

    /// Looks at an alarm inside of long steps, which then end with [`Fault::Halted`].
    pub fn with_alarm(self, alarm: Alarm) -> Run<'m> {
        Run { interpreter: self.interpreter.with_alarm(alarm), ..self }
    }

    /// How many steps were taken.
    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// The steps that are possible now.
    pub fn choices(&self) -> Vec<Choice> {
        self.enabled().0.into_iter().filter_map(|step| self.choice(step)).collect()
    }

    /// Takes a step. After a fault the run is where it was.
    pub fn take(&mut self, step: Step) -> Option<StepReport> {
        self.carry_out(step, true)
    }

    /// Takes a step of a trail, if it is possible here. Finding out what it changed takes most of the time: on a
    /// very long trail it can be left out.
    pub fn repeat(&mut self, step: TrailStep, with_changes: bool) -> Result<StepReport, String> {
        let step = step_of(step);
        self.check_possible(step)?;
        self.carry_out(step, with_changes).ok_or_else(|| "there is no such process".to_string())
    }

    fn carry_out(&mut self, step: Step, with_changes: bool) -> Option<StepReport> {
        let choice = self.choice(step)?;
        let mut events = Vec::new();
        let mut state = self.settled();
        let outcome = self.interpreter.apply(&mut state, step, Some(&mut events));
        let fault = outcome.err();
        let changes = match &fault {
            None => {
                let changes = match with_changes {
                    true => changes(&self.model.system, self.state(), &state),
                    false => Vec::new(),
                };
                self.states.push(state);
                self.steps.push(step);
                changes
            }
            Some(_) => Vec::new(),
        };
        Some(StepReport { choice, events, changes, fault })
    }

    /// Takes back the last step. False at the start, or where the past was forgotten.
    pub fn back(&mut self) -> bool {
        let can_move = self.states.len() > 1;
        if can_move {
            self.states.pop();
            self.steps.pop();
        }
        can_move
    }

    /// Drops the states before the current one. A long run then takes little memory, but there is no way back.
    pub fn forget(&mut self) {
        self.states.drain(..self.states.len() - 1);
    }

    /// Drops the steps, too: there is no trail of this run then.
    pub fn forget_all(&mut self) {
        self.forget();
        self.steps.clear();
    }

    /// Whether no process can move although some process is not at a proper end.
    pub fn is_stuck(&self) -> bool {
        self.choices().is_empty() && !self.interpreter.is_valid_end(self.state())
    }

    /// The steps so far.
    pub fn trail(&self) -> Trail {
        Trail { steps: self.steps.iter().map(|step| crate::check::trail_step(*step)).collect(), cycle: None }
    }

    /// The live processes: pid, proctype, the statement each is in front of, and whether it may stay there.
    pub fn processes(&self) -> Vec<(Pid, String, Option<Location>, bool)> {
        let system = &self.model.system;
        let describe = |(pid, process): (usize, &allways_interpreter::Process)| {
            let proctype = system.proctype(process.proctype);
            let location = proctype.location(process.location);
            let place = location.span.map(|span| self.model.location(span));
            (pid as Pid, proctype.name.clone(), place, location.is_end)
        };
        self.state().processes.iter().enumerate().map(describe).collect()
    }

    /// The global variables, channels left out.
    pub fn globals(&self) -> Vec<Value> {
        named(&self.model.system, &self.model.system.globals, &self.state().globals, true)
    }

    /// The variables of a process, channels left out.
    pub fn locals(&self, pid: Pid) -> Vec<Value> {
        let Some(process) = self.state().processes.get(pid as usize) else { return Vec::new() };
        let system = &self.model.system;
        named(system, &system.proctype(process.proctype).frame, self.state().frame(system, pid), true)
    }

    /// The live channels and what is in them, in order of their numbers.
    pub fn channels(&self) -> Vec<Value> {
        channels(&self.model.system, self.state())
    }

    /// The name of a channel, by its number.
    pub fn channel_name(&self, channel: u32) -> String {
        channel_name(&self.model.system, self.state(), channel)
    }

    /// The fields of a message on a channel, as people write them.
    pub fn message_text(&self, channel: u32, message: &[i32]) -> String {
        let kind = (channel as usize).checked_sub(1).and_then(|index| self.state().channels.get(index));
        let fields = kind.map(|channel| &self.model.system.channels[channel.kind.index()].fields);
        let text = message.iter().enumerate().map(|(index, value)| {
            let scalar = fields.and_then(|fields| fields.get(index)).copied().unwrap_or(Scalar::Int);
            scalar_text(&self.model.system, scalar, *value)
        });
        text.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn state(&self) -> &State {
        self.states.last().expect("never empty")
    }

    /// The current state as it is for the next step: atomicity is lost if its owner is blocked.
    fn settled(&self) -> State {
        let mut state = self.state().clone();
        if self.enabled().1 {
            self.interpreter.release(&mut state);
        }
        state
    }

    /// The possible steps, and whether atomicity was lost to find them.
    fn enabled(&self) -> (Vec<Step>, bool) {
        let mut steps = Vec::new();
        self.interpreter.steps(self.state(), &mut steps);
        if !steps.is_empty() || self.state().exclusive.is_none() {
            return (steps, false);
        }
        let mut released = self.state().clone();
        self.interpreter.release(&mut released);
        self.interpreter.steps(&released, &mut steps);
        (steps, true)
    }

    /// The transition that a step takes now.
    pub(crate) fn transition(&self, step: Step) -> Option<&'m Transition> {
        self.transition_of(step.pid, step.transition).map(|(_, transition)| transition)
    }

    fn transition_of(&self, pid: Pid, transition: TransitionId) -> Option<(&'m str, &'m Transition)> {
        let process = self.state().processes.get(pid as usize)?;
        let proctype = self.model.system.proctype(process.proctype);
        proctype.transitions.get(transition.index()).map(|transition| (&*proctype.name, transition))
    }

    fn choice(&self, step: Step) -> Option<Choice> {
        let (proctype, transition) = self.transition_of(step.pid, step.transition)?;
        let partner = step.partner.and_then(|(pid, transition)| {
            let (proctype, transition) = self.transition_of(pid, transition)?;
            Some((
                pid,
                proctype.to_string(),
                transition.text.to_string(),
                self.model.location(transition.span),
            ))
        });
        Some(Choice {
            step,
            pid: step.pid,
            proctype: proctype.to_string(),
            text: transition.text.to_string(),
            location: self.model.location(transition.span),
            partner,
        })
    }

    // ---- for confirming trails

    /// Follows steps that lead to what a search found, as long as there is time.
    pub(crate) fn follow_all(&mut self, steps: &[Step], alarm: &Alarm) -> Result<(), NotRepeated> {
        for (number, step) in (0u64..).zip(steps) {
            self.follow(*step).map_err(|why| NotRepeated::because(why, alarm))?;
            if number % STEPS_UNHEARD == 0
                && let Some(halt) = alarm.rings()
            {
                return Err(NotRepeated::Halted(halt));
            }
        }
        Ok(())
    }

    pub(crate) fn follow(&mut self, step: Step) -> Result<(), String> {
        self.check_possible(step)?;
        let mut state = self.settled();
        self.interpreter.apply(&mut state, step, None).map_err(|fault| fault.to_string())?;
        self.states.clear();
        self.states.push(state);
        Ok(())
    }

    fn check_possible(&self, step: Step) -> Result<(), String> {
        if self.enabled().0.contains(&step) { Ok(()) } else { Err(format!("step {step} is not enabled")) }
    }

    pub(crate) fn applied(&self, step: Step) -> Result<Applied, String> {
        self.check_possible(step)?;
        self.interpreter.apply(&mut self.settled(), step, None).map_err(|fault| fault.to_string())
    }

    pub(crate) fn fault_of(&self, step: Step) -> Result<Option<Fault>, String> {
        self.check_possible(step)?;
        Ok(self.interpreter.apply(&mut self.settled(), step, None).err())
    }

    /// The second of two steps between which a process has a choice although it must never have one.
    pub fn nondeterminism(&self) -> Option<Step> {
        self.interpreter.steps(&self.settled(), &mut Vec::new()).nondeterminism
    }
}

/// Why a violation could not be shown to happen again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotRepeated {
    /// The time was up, or it would take more memory than it may.
    Halted(Halt),
    /// It does not happen: our bug.
    Wrong(String),
}

impl From<String> for NotRepeated {
    fn from(why: String) -> NotRepeated {
        NotRepeated::Wrong(why)
    }
}

impl NotRepeated {
    /// What went wrong may be that a step was left because the time was up.
    pub fn because(why: String, alarm: &Alarm) -> NotRepeated {
        alarm.rings().map_or(NotRepeated::Wrong(why), NotRepeated::Halted)
    }
}

/// Repeats a trail from the initial state: what each step did. A step that faults is the last one.
pub fn replay<'m>(
    model: &'m Model,
    semantics: Semantics,
    trail: &Trail,
) -> Result<(Run<'m>, Vec<StepReport>), ReplayError> {
    let mut run = Run::start(model, semantics)
        .map_err(|fault| ReplayError { step: 0, why: format!("there is no initial state: {fault}") })?;
    let mut reports = Vec::new();
    for (index, step) in trail.steps.iter().enumerate() {
        let impossible = |why: String| ReplayError { step: index + 1, why };
        let report = run.repeat(*step, true).map_err(impossible)?;
        let ended = report.fault.is_some();
        reports.push(report);
        if ended && index + 1 < trail.steps.len() {
            return Err(impossible("it ends in an error, but the trail goes on".to_string()));
        }
    }
    Ok((run, reports))
}

pub(crate) fn step_of(step: TrailStep) -> Step {
    Step {
        pid: step.pid,
        transition: TransitionId(step.transition),
        partner: step.partner.map(|(pid, transition)| (pid, TransitionId(transition))),
    }
}

// ---- values as people write them

fn named(system: &System, frame: &Frame, values: &[i32], without_channels: bool) -> Vec<Value> {
    let mut list = Vec::new();
    for variable in &frame.variables {
        let mut slot = variable.base as usize;
        variable.shape.for_each_slot(&variable.name, &mut |name, scalar| {
            if !(without_channels && scalar == Scalar::Chan) {
                let value = scalar_text(system, scalar, values[slot]);
                list.push(Value { name: name.to_string(), value });
            }
            slot += 1;
        });
    }
    list
}

pub(crate) fn scalar_text(system: &System, scalar: Scalar, value: i32) -> String {
    match scalar {
        Scalar::Mtype(set) => {
            let names = &system.mtypes[set.index()].names;
            match (value as usize).checked_sub(1).and_then(|index| names.get(index)) {
                Some(name) => name.clone(),
                None => value.to_string(),
            }
        }
        Scalar::Bool => if value == 0 { "false" } else { "true" }.to_string(),
        _ => value.to_string(),
    }
}

/// The name of a channel: that of its variable, with the process it belongs to in front. Several channels of one
/// declaration are told apart by their position.
fn channel_name(system: &System, state: &State, number: u32) -> String {
    let index = (number as usize).wrapping_sub(1);
    let Some(channel) = state.channels.get(index) else { return format!("channel {number}") };
    let owner = state.processes.iter().rposition(|process| process.first_channel as usize <= index);
    let (own, prefix) = match owner {
        Some(pid) => {
            let process = &state.processes[pid];
            let first = process.first_channel as usize;
            let next =
                state.processes.get(pid + 1).map_or(state.channels.len(), |next| next.first_channel as usize);
            (first..next, format!("{}[{pid}]:", system.proctype(process.proctype).name))
        }
        None => {
            let globals =
                state.processes.first().map_or(state.channels.len(), |first| first.first_channel as usize);
            (0..globals, String::new())
        }
    };
    let alike = |range: std::ops::Range<usize>| {
        state.channels[range].iter().filter(|other| other.kind == channel.kind).count()
    };
    let name = &system.channels[channel.kind.index()].name;
    match alike(own.clone()) {
        1 => format!("{prefix}{name}"),
        _ => format!("{prefix}{name}[{}]", alike(own.start..index)),
    }
}

fn channels(system: &System, state: &State) -> Vec<Value> {
    let describe = |(index, channel): (usize, &allways_interpreter::Channel)| {
        let fields = &system.channels[channel.kind.index()].fields;
        let message = |message: &[i32]| {
            let fields =
                message.iter().zip(fields).map(|(value, scalar)| scalar_text(system, *scalar, *value));
            format!("[{}]", fields.collect::<Vec<_>>().join(","))
        };
        let value = state.messages(system, channel).map(message).collect::<String>();
        let value = if value.is_empty() { "empty".to_string() } else { value };
        Value { name: channel_name(system, state, index as u32 + 1), value }
    };
    state.channels.iter().enumerate().map(describe).collect()
}

fn changes(system: &System, before: &State, after: &State) -> Vec<Change> {
    // Names are costly to make, and most steps leave most of the state as it is: what is equal is passed over.
    let mut list = Vec::new();
    if before.globals != after.globals {
        let globals = |state: &State| named(system, &system.globals, &state.globals, true);
        compare(globals(before), globals(after), None, &mut list);
    }
    for (pid, process) in after.processes.iter().enumerate() {
        let locals = |state: &State| {
            named(system, &system.proctype(process.proctype).frame, state.frame(system, pid as Pid), true)
        };
        let is_new = before.processes.get(pid).is_none_or(|old| old.proctype != process.proctype);
        if is_new {
            compare(Vec::new(), locals(after), Some(pid as Pid), &mut list);
        } else if before.frame(system, pid as Pid) != after.frame(system, pid as Pid) {
            compare(locals(before), locals(after), Some(pid as Pid), &mut list);
        }
    }
    if (&before.channels, &before.messages) != (&after.channels, &after.messages) {
        compare(channels(system, before), channels(system, after), None, &mut list);
    }
    list
}

fn compare(before: Vec<Value>, after: Vec<Value>, pid: Option<Pid>, list: &mut Vec<Change>) {
    for (index, Value { name, value }) in after.into_iter().enumerate() {
        let old = before.get(index).filter(|old| old.name == name).map(|old| old.value.clone());
        if old.as_ref() != Some(&value) {
            list.push(Change { name, pid, old, new: value });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io;
    use std::ops::ControlFlow;
    use std::path::Path;

    use allways_explicit::{Monitor, Stopped};
    use allways_promela::preprocess::Files;
    use allways_verdict::{Statistics, Verdict};

    use crate::{CheckOptions, LoadOptions, check, load_text};

    thread_local! {
        /// How many runs were started.
        pub(super) static STARTED: Cell<u32> = const { Cell::new(0) };
    }

    struct NoFiles;

    impl Files for NoFiles {
        fn read(&self, _: &Path) -> io::Result<String> {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    struct Patient;

    impl Monitor for Patient {
        fn tick(&mut self, _: &Statistics) -> ControlFlow<Stopped> {
            ControlFlow::Continue(())
        }
    }

    /// A trail can take longer to repeat than to find.
    #[test]
    fn a_violation_is_repeated_once() {
        for text in [
            "active proctype A() { byte x; x = 1; assert(x == 0) }",
            "active proctype A() { byte x; x = 1; x = x / (x - 1) }",
            "active proctype A() { byte x; x = 1; x == 2 }",
        ] {
            let model =
                load_text(Path::new("m.pml"), text.to_string(), &LoadOptions::default(), &NoFiles).unwrap();
            STARTED.set(0);
            let result = check(&model, &CheckOptions::default(), &mut Patient).unwrap();
            let is_violated = |verdict: &Verdict| matches!(verdict, Verdict::Violated(_));
            assert_eq!(result.properties.iter().filter(|one| is_violated(&one.verdict)).count(), 1, "{text}");
            assert_eq!(STARTED.get(), 1, "{text}");
        }
    }
}
