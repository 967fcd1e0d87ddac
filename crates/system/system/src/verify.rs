//! Checks that a system is well formed: everything that the engines rely on and do not check themselves.
//!
//! The whole system
//!
//! * There is a set of symbolic names; the first one has no name of its own and all others have one. No set has more
//!   names than a slot can tell apart.
//! * There is an initial process. Its proctype exists and its priority is at least 1.
//! * `tracks_last` is set if some expression asks for the last mover.
//! * `priorities` is set if something reads or sets a priority.
//! * Spans do not end before they start.
//!
//! Variables (of the system, of a proctype) and kinds of channels
//!
//! * Variables are in order of their slots, without gaps, from slot 0, and the slots can be counted in 32 bits.
//! * Arrays have at least one element, records at least one field.
//! * Unsigned types have 1 to 31 bits. Sets of symbolic names exist.
//! * A variable has no more initial values than slots. Each fits its slot; a channel is only in a slot for channels,
//!   and its kind exists; a number there is 0 or that of a channel that some global variable is initialised with.
//! * Local variables have no initial values (`start` is for that).
//!
//! Proctypes, claims and traces
//!
//! * The parameters are whole variables.
//! * `start` sets only local slots; it creates channels only in slots for channels, and their kinds exist.
//! * The initial location exists.
//! * The transitions that a location lists exist, and none of its groups is empty.
//! * A group has at most one `else`. It may be anywhere: it looks only at what is before it, and what is behind it came
//!   from an outer selection.
//! * No label names a location twice, and no label is empty.
//! * The target of a transition exists.
//! * The slots that a transition resets are local, in ascending order, and exist. Claims and traces reset nothing, nor
//!   does anything inside a `d_step`.
//! * Claims and traces have no parameters, no `provided` clause and no exclusive channels.
//! * The transitions of a claim may do anything; which claims can be checked is for its observer to
//!   say.
//! * The transitions of a trace are plain sends and receives (not sorted, not random, not keeping the message) that
//!   store nothing, and skip and terminate.
//!
//! d_steps
//!
//! * Entry and exit exist; some transition leaves the entry and none the exit.
//! * No location inside (exit included) is where a process can come to rest: it is not reachable from the initial
//!   location by ordinary transitions.
//! * Two different ones have no location in common, except the exit.
//! * There is no `d_step`, no run and no terminate inside.
//!
//! Actions and expressions
//!
//! * A place lies inside one variable, whatever the values of its indices; its type is that of all slots it can denote
//!   (as far as the indices follow the arrays of the variable). No index has an empty range.
//! * Local places are in the frame of the proctype they are used in. A formula has none, and does not ask for its own
//!   process number.
//! * A variable of another process is a local place of its proctype, which exists.
//! * The location that a process is asked to be at exists in that proctype and has a label.
//! * A run names a proctype that exists and has one argument per slot of its parameters.
//! * A print has one argument per placeholder, and the sets of its placeholders exist.

mod d_steps;
mod places;

#[cfg(test)]
mod tests;

use std::fmt;

use allways_source::Span;

use crate::print::Show;
use crate::*;

/// A rule that a system breaks: a bug of whoever made the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Which part of the system, in the words of the text form, e.g. `P0 main t3`.
    pub part: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.message)
    }
}

/// All rules that the system breaks, from the outside in. One mistake may show in several ways.
pub fn verify(system: &System) -> Vec<Problem> {
    let mut verifier = Verifier { system, part: "system".to_owned(), problems: Vec::new() };
    verifier.system();
    verifier.problems
}

struct Verifier<'a> {
    system: &'a System,
    /// What is being looked at.
    part: String,
    problems: Vec<Problem>,
}

/// Whose control graph it is.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Process,
    Claim,
    Trace,
}

impl<'a> Verifier<'a> {
    fn problem(&mut self, message: impl Into<String>) {
        self.problems.push(Problem { part: self.part.clone(), message: message.into() });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.problem(message());
        }
    }

    fn system(&mut self) {
        let system = self.system;
        self.require(!system.mtypes.is_empty(), || "the unnamed set of symbolic names is missing".to_owned());
        self.require(!system.processes.is_empty(), || "there is no initial process".to_owned());
        for (i, mtype) in system.mtypes.iter().enumerate() {
            self.part = format!("M{i}");
            match i {
                0 => self.require(mtype.name.is_none(), || "the first set must not have a name".to_owned()),
                _ => self.require(mtype.name.is_some(), || "only the first set has no name".to_owned()),
            }
            let n_names = mtype.names.len();
            self.require(n_names <= 0xffff, || {
                format!("{n_names} names are more than a slot can tell apart")
            });
        }
        for (i, kind) in system.channels.iter().enumerate() {
            self.part = format!("C{i} {}", kind.name);
            kind.fields.iter().for_each(|field| self.scalar(*field));
            self.span(kind.span);
        }
        self.part = "globals".to_owned();
        self.frame(&system.globals);
        self.initial_values(&system.globals);
        for (i, proctype) in system.proctypes.iter().enumerate() {
            self.proctype(&format!("P{i} {}", proctype.name), proctype, Role::Process);
        }
        for (i, process) in system.processes.iter().enumerate() {
            self.part = format!("process {i}");
            self.proctype_id(process.proctype);
            self.require(process.priority >= 1, || "its priority is 0".to_owned());
        }
        for claim in &system.claims {
            self.proctype(&format!("claim {}", claim.automaton.name), &claim.automaton, Role::Claim);
        }
        for formula in &system.formulas {
            self.part = format!("formula {}", formula.name);
            self.span(formula.span);
            self.formula(&formula.formula);
        }
        for trace in &system.traces {
            self.proctype(&format!("trace {}", trace.automaton.name), &trace.automaton, Role::Trace);
        }
    }

    fn span(&mut self, span: Span) {
        self.require(span.start <= span.end, || format!("{} ends before it starts", Show(&span)));
    }

    fn proctype_id(&mut self, id: ProctypeId) -> Option<&'a Proctype> {
        let proctype = self.system.proctypes.get(id.index());
        self.require(proctype.is_some(), || format!("{} does not exist", Show(&id)));
        proctype
    }

    fn channel_kind(&mut self, id: ChannelKindId) {
        let exists = id.index() < self.system.channels.len();
        self.require(exists, || format!("{} does not exist", Show(&id)));
    }

    fn mtype(&mut self, id: MtypeId) {
        let exists = id.index() < self.system.mtypes.len();
        self.require(exists, || format!("{} does not exist", Show(&id)));
    }

    fn scalar(&mut self, scalar: Scalar) {
        match scalar {
            Scalar::Unsigned(bits) => {
                self.require((1..=31).contains(&bits), || format!("an unsigned type of {bits} bits"))
            }
            Scalar::Mtype(set) => self.mtype(set),
            _ => {}
        }
    }

    fn proctype(&mut self, name: &str, proctype: &'a Proctype, role: Role) {
        self.part = name.to_owned();
        self.span(proctype.span);
        self.frame(&proctype.frame);
        let has_initial = proctype.frame.variables.iter().any(|variable| !variable.initial.is_empty());
        self.require(!has_initial, || "a local variable has initial values".to_owned());
        let mut ends = proctype.frame.variables.iter().map(end_of);
        let is_end = proctype.parameters == 0 || ends.any(|end| end == u64::from(proctype.parameters));
        self.require(is_end, || {
            format!("{} slots of parameters are not whole variables", proctype.parameters)
        });
        if role != Role::Process {
            self.require(proctype.parameters == 0, || "it has parameters".to_owned());
            self.require(proctype.provided.is_none(), || "it has a provided clause".to_owned());
            self.require(proctype.exclusive.is_empty(), || "it claims channels for itself".to_owned());
        }
        proctype.start.iter().for_each(|start| self.start(proctype, start));
        if let Some(provided) = &proctype.provided {
            self.expr(Some(&proctype.frame), provided);
        }
        for exclusive in &proctype.exclusive {
            self.span(exclusive.span);
            self.expr(Some(&proctype.frame), &exclusive.channel);
        }
        self.location_id(proctype, proctype.initial);
        for (i, location) in proctype.locations.iter().enumerate() {
            self.part = format!("{name} L{i}");
            self.location(proctype, location);
        }
        for (i, transition) in proctype.transitions.iter().enumerate() {
            self.part = format!("{name} t{i}");
            self.transition(proctype, transition, role);
        }
        self.d_steps(name, proctype);
    }

    fn location_id(&mut self, proctype: &Proctype, id: LocationId) {
        let exists = id.index() < proctype.locations.len();
        self.require(exists, || format!("{} does not exist", Show(&id)));
    }

    fn start(&mut self, proctype: &Proctype, start: &Start) {
        match start {
            Start::Assign(place, value) => {
                let is_local = place.scope == Scope::Local;
                self.require(is_local, || format!("the start sets {}, which is not local", Show(place)));
                self.place(Some(&proctype.frame), place);
                self.expr(Some(&proctype.frame), value);
            }
            Start::Channel(slot, kind) => {
                let place = Place {
                    scope: Scope::Local,
                    base: *slot,
                    indices: Default::default(),
                    scalar: Scalar::Chan,
                };
                self.place(Some(&proctype.frame), &place);
                self.channel_kind(*kind);
            }
        }
    }

    fn location(&mut self, proctype: &Proctype, location: &Location) {
        for group in &location.groups {
            self.require(!group.is_empty(), || "an empty group".to_owned());
            let mut n_elses = 0;
            for id in group {
                match proctype.transitions.get(id.index()) {
                    Some(transition) => n_elses += usize::from(transition.action == Action::Else),
                    None => self.problem(format!("{} does not exist", Show(id))),
                }
            }
            self.require(n_elses <= 1, || format!("{n_elses} elses in one group"));
        }
        for (i, label) in location.labels.iter().enumerate() {
            self.require(!label.is_empty(), || "an empty label".to_owned());
            self.require(!location.labels[..i].contains(label), || format!("the label {label:?} twice"));
        }
        location.span.iter().for_each(|span| self.span(*span));
    }

    fn transition(&mut self, proctype: &'a Proctype, transition: &'a Transition, role: Role) {
        self.location_id(proctype, transition.target);
        self.span(transition.span);
        transition.calls.iter().for_each(|call| self.span(*call));
        let resets = &transition.resets;
        let n_slots = proctype.frame.variables.last().map_or(0, end_of);
        self.require(resets.iter().all(|slot| u64::from(*slot) < n_slots), || {
            "it resets a slot that is not there".to_owned()
        });
        self.require(resets.is_sorted_by(|a, b| a < b), || {
            "what it resets is not in ascending order".to_owned()
        });
        self.require(resets.is_empty() || role == Role::Process, || "only a process may reset".to_owned());
        match role {
            Role::Process | Role::Claim => {}
            Role::Trace => {
                self.require(is_event(&transition.action), || "this is not an event of a trace".to_owned())
            }
        }
        self.action(proctype, &transition.action);
    }

    fn action(&mut self, proctype: &Proctype, action: &Action) {
        let locals = Some(&proctype.frame);
        match action {
            Action::Skip | Action::Else | Action::Terminate => {}
            Action::Condition(condition) | Action::Assert(condition) => self.expr(locals, condition),
            Action::Assign(place, value) => {
                self.place(locals, place);
                self.expr(locals, value);
            }
            Action::AssignAll(pairs) => {
                for (place, value) in pairs {
                    self.place(locals, place);
                    self.expr(locals, value);
                }
            }
            Action::Send { channel, values, .. } => {
                self.expr(locals, channel);
                values.iter().for_each(|value| self.expr(locals, value));
            }
            Action::Receive { channel, patterns, .. } => {
                self.expr(locals, channel);
                patterns.iter().for_each(|pattern| match pattern {
                    Pattern::Store(place) => self.place(locals, place),
                    Pattern::Match(value) => self.expr(locals, value),
                    Pattern::Ignore => {}
                });
            }
            Action::Run { proctype: id, arguments, priority, result } => {
                if let Some(started) = self.proctype_id(*id) {
                    let (given, expected) = (arguments.len(), started.parameters);
                    self.require(given == expected as usize, || {
                        format!("{given} arguments for {expected} slots of parameters")
                    });
                }
                arguments.iter().chain(priority.as_deref()).for_each(|argument| self.expr(locals, argument));
                result.iter().for_each(|result| self.place(locals, result));
            }
            Action::Print { format, arguments } => {
                let expected = format.iter().filter(|piece| !matches!(piece, Print::Text(_))).count();
                let given = arguments.len();
                self.require(given == expected, || format!("{given} arguments for {expected} placeholders"));
                for piece in format {
                    if let Print::Symbol(set) = piece {
                        self.mtype(*set);
                    }
                }
                arguments.iter().for_each(|argument| self.expr(locals, argument));
            }
            Action::SetPriority { pid, priority } => {
                self.needs_priorities();
                self.expr(locals, pid);
                self.expr(locals, priority);
            }
            Action::DStep { entry, exit } => {
                self.location_id(proctype, *entry);
                self.location_id(proctype, *exit);
                let leaves =
                    |id: LocationId| proctype.locations.get(id.index()).map(|it| !it.groups.is_empty());
                self.require(leaves(*entry) != Some(false), || {
                    format!("nothing leaves {}, its entry", Show(entry))
                });
                self.require(leaves(*exit) != Some(true), || {
                    format!("something leaves {}, its exit", Show(exit))
                });
            }
        }
    }

    fn needs_priorities(&mut self) {
        let priorities = self.system.priorities;
        self.require(priorities, || "it uses a priority but `priorities` is not set".to_owned());
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Now(condition) => {
                self.expr(None, condition);
                condition.walk(&mut |expr| {
                    self.require(*expr != Expr::Pid, || "a formula has no process number".to_owned());
                });
            }
            Formula::Not(operand)
            | Formula::Always(operand)
            | Formula::Eventually(operand)
            | Formula::Next(operand) => self.formula(operand),
            Formula::And(operands)
            | Formula::Or(operands)
            | Formula::Implies(operands)
            | Formula::Equivalent(operands)
            | Formula::Until(operands)
            | Formula::WeakUntil(operands)
            | Formula::Release(operands) => {
                self.formula(&operands.0);
                self.formula(&operands.1);
            }
        }
    }

    /// Checks an expression that is evaluated where these are the local variables.
    fn expr(&mut self, locals: Option<&Frame>, expr: &Expr) {
        expr.walk(&mut |expr| match expr {
            Expr::Load(place) => self.place_itself(locals, place),
            Expr::Poll { patterns, .. } => {
                for pattern in patterns {
                    if let Pattern::Store(place) = pattern {
                        self.place_itself(locals, place);
                    }
                }
            }
            Expr::Priority(_) => self.needs_priorities(),
            Expr::Last => {
                let tracks_last = self.system.tracks_last;
                self.require(tracks_last, || "it asks for `_last` but `tracks_last` is not set".to_owned());
            }
            Expr::At { proctype, location, .. } => {
                let Some(proctype) = self.proctype_id(*proctype) else { return };
                self.location_id(proctype, *location);
                let has_label = proctype
                    .locations
                    .get(location.index())
                    .is_none_or(|location| !location.labels.is_empty());
                self.require(has_label, || format!("{} has no label", Show(location)));
            }
            Expr::Remote { proctype, place, .. } => {
                let is_local = place.scope == Scope::Local;
                self.require(is_local, || format!("{} is no variable of another process", Show(&**place)));
                let Some(proctype) = self.proctype_id(*proctype) else { return };
                self.place_itself(Some(&proctype.frame), place);
            }
            _ => {}
        });
    }
}

/// Whether a trace may do it.
fn is_event(action: &Action) -> bool {
    match action {
        Action::Skip | Action::Terminate | Action::Send { sorted: false, .. } => true,
        Action::Receive { random: false, keep: false, patterns, .. } => {
            !patterns.iter().any(|pattern| matches!(pattern, Pattern::Store(_)))
        }
        _ => false,
    }
}

/// The slot behind a variable.
fn end_of(variable: &Variable) -> u64 {
    u64::from(variable.base) + u64::from(variable.shape.slots())
}
