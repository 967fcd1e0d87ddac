//! The data of a system, from the outside in.

use std::sync::Arc;

use allways_source::Span;

use crate::{
    ChannelKindId, Expr, Few, Groups, LocationId, MtypeId, Pattern, Place, ProctypeId, Scalar, Shape, Shared,
    TransitionId,
};

/// A closed concurrent system and what was stated about it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct System {
    /// Sets of symbolic names; the first one is the unnamed set, even if it is empty.
    pub mtypes: Vec<Mtype>,
    /// Global variables.
    pub globals: Frame,
    /// The kinds of channels that the model can create.
    pub channels: Vec<ChannelKind>,
    /// Kinds of processes.
    pub proctypes: Vec<Proctype>,
    /// The processes that exist at the start, in order of their pids.
    pub processes: Vec<InitialProcess>,
    /// Whether a process with a higher priority that can move keeps the others from moving.
    pub priorities: bool,
    /// Whether the last mover is part of the state (some expression asks for it).
    pub tracks_last: bool,
    /// Never claims: automata that move in lock-step with the system.
    pub claims: Vec<Claim>,
    /// Formulas of linear temporal logic.
    pub formulas: Vec<NamedFormula>,
    /// Automata over the channel events.
    pub traces: Vec<Trace>,
}

/// A set of symbolic names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mtype {
    /// None for the unnamed set.
    pub name: Option<String>,
    /// The name at position `i` has the value `i + 1`.
    pub names: Vec<String>,
}

/// A list of variables and the slots they occupy.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frame {
    /// In order of their slots, without gaps.
    pub variables: Vec<Variable>,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// As the user knows it.
    pub name: String,
    /// Its structure.
    pub shape: Shape,
    /// Its first slot.
    pub base: u32,
    /// Not part of what distinguishes states.
    pub hidden: bool,
    /// What its slots hold at the start; shorter than the variable means zeros. Only for globals: locals are
    /// initialised by [`Proctype::start`].
    pub initial: Vec<Initial>,
    /// Where it was declared.
    pub span: Span,
}

/// The first value of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Initial {
    /// A number.
    Value(i32),
    /// A channel of this kind, created for the slot.
    Channel(ChannelKindId),
}

/// What a channel can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelKind {
    /// The variable it was declared with.
    pub name: String,
    /// How many messages; 0 for a rendezvous channel.
    pub capacity: u32,
    /// The types of a message's fields.
    pub fields: Vec<Scalar>,
    /// Where it was declared.
    pub span: Span,
}

/// A process that exists at the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitialProcess {
    /// Its kind; its parameters, if any, are 0.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// A kind of process.
#[derive(Clone, PartialEq, Debug)]
pub struct Proctype {
    /// As the user knows it.
    pub name: String,
    /// Parameters first.
    pub frame: Frame,
    /// How many of the slots are parameters.
    pub parameters: u32,
    /// What happens when an instance is created, after the parameters are set.
    pub start: Vec<Start>,
    /// Where an instance begins.
    pub initial: LocationId,
    /// Points of control.
    pub locations: Shared<Location>,
    /// Statements.
    pub transitions: Shared<Transition>,
    /// An instance may take a step only where this is not 0.
    pub provided: Option<Expr>,
    /// It is an error if an instance has a choice between two enabled transitions.
    pub deterministic: bool,
    /// `xr` and `xs` claims.
    pub exclusive: Vec<Exclusive>,
    /// Where it was declared.
    pub span: Span,
}

/// One thing to do when a process is created.
#[derive(Clone, PartialEq, Debug)]
pub enum Start {
    /// Sets a local variable.
    Assign(Place, Expr),
    /// Creates a channel and stores it in a local slot.
    Channel(u32, ChannelKindId),
}

/// The claim that no other process receives from (or sends to) a channel.
#[derive(Clone, PartialEq, Debug)]
pub struct Exclusive {
    /// `xr`; otherwise `xs`.
    pub receive: bool,
    /// The channel.
    pub channel: Expr,
    /// Where it was claimed.
    pub span: Span,
}

/// A point of control of a process.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Location {
    /// The transitions that leave it: of the first group in which any is enabled, any enabled one can be taken.
    pub groups: Groups,
    /// The labels that name it.
    pub labels: Vec<String>,
    /// A process may rest here when the system stops.
    pub is_end: bool,
    /// Being here counts as progress.
    pub is_progress: bool,
    /// Being here is accepting.
    pub is_accept: bool,
    /// The statement it is in front of.
    pub span: Option<Span>,
}

/// A statement between two locations.
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// When it is enabled and what it does.
    pub action: Action,
    /// Where control goes.
    pub target: LocationId,
    /// The process keeps control: no other process moves until this one blocks or ends its atomic sequence.
    pub atomic: bool,
    /// Local slots that are set to 0 when the step has been taken: what they held is never read again. Ascending.
    /// Only of steps between resting places: inside a `d_step` there are none.
    pub resets: Few<u32>,
    /// A short text of the statement, for people.
    pub text: Arc<str>,
    /// Where the statement is written.
    pub span: Span,
    /// The calls of inlines that the statement came through, innermost first.
    pub calls: Few<Span>,
}

/// What a transition does. It is enabled as its variant says; then all of it happens at once.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Always enabled, changes nothing.
    Skip,
    /// Enabled if not 0.
    Condition(Expr),
    /// Enabled if no transition before it in its group is.
    Else,
    /// Always enabled.
    Assign(Place, Expr),
    /// Sets every slot of a variable, one value each; always enabled.
    AssignAll(Vec<(Place, Expr)>),
    /// Enabled if the buffer has room or, on a rendezvous channel, if another process can receive the message.
    Send {
        /// The channel.
        channel: Expr,
        /// Before the first larger message instead of at the end.
        sorted: bool,
        /// One per field.
        values: Vec<Expr>,
    },
    /// Enabled if the first message matches; on a rendezvous channel only as the second half of a send.
    Receive {
        /// The channel.
        channel: Expr,
        /// The first message that matches, wherever it is in the buffer.
        random: bool,
        /// The message stays in the buffer.
        keep: bool,
        /// One per field.
        patterns: Vec<Pattern>,
    },
    /// Always enabled; it is an error if 0.
    Assert(Expr),
    /// Creates a process; always enabled.
    Run {
        /// Its kind.
        proctype: ProctypeId,
        /// One per slot of its parameters.
        arguments: Vec<Expr>,
        /// Its priority.
        priority: Option<Box<Expr>>,
        /// Where the new pid is stored.
        result: Option<Box<Place>>,
    },
    /// Always enabled; prints in a simulation.
    Print {
        /// What to print.
        format: Vec<Print>,
        /// One per placeholder of the format.
        arguments: Vec<Expr>,
    },
    /// Sets the priority of a process; always enabled.
    SetPriority {
        /// Which process.
        pid: Box<Expr>,
        /// 1 to 255.
        priority: Box<Expr>,
    },
    /// Enabled if some transition of the entry location is. Then, until the exit location is reached, the first
    /// enabled transition of each location is taken, and it is an error if there is none.
    DStep {
        /// Where the inner graph begins.
        entry: LocationId,
        /// Where it ends.
        exit: LocationId,
    },
    /// The process ends; enabled if it is the youngest.
    Terminate,
}

/// A piece of a format string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Print {
    /// As it is.
    Text(String),
    /// `%d`
    Decimal,
    /// `%u`
    Unsigned,
    /// `%x`
    Hexadecimal,
    /// `%o`
    Octal,
    /// `%c`
    Character,
    /// `%e`: the name of a symbolic constant of this set.
    Symbol(MtypeId),
}

/// A never claim.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// The automaton; its transitions are conditions.
    pub automaton: Proctype,
}

/// A formula with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedFormula {
    /// As the user knows it.
    pub name: String,
    /// What must be true of every run.
    pub formula: Formula,
    /// As it was written.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// A formula of linear temporal logic.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// True now.
    Now(Expr),
    /// Not.
    Not(Box<Formula>),
    /// Both.
    And(Box<(Formula, Formula)>),
    /// One or both.
    Or(Box<(Formula, Formula)>),
    /// The second wherever the first.
    Implies(Box<(Formula, Formula)>),
    /// Both or none.
    Equivalent(Box<(Formula, Formula)>),
    /// From now on.
    Always(Box<Formula>),
    /// Now or later.
    Eventually(Box<Formula>),
    /// In the next state.
    Next(Box<Formula>),
    /// The second some time, the first until then.
    Until(Box<(Formula, Formula)>),
    /// The first until the second, or for ever.
    WeakUntil(Box<(Formula, Formula)>),
    /// The second until and including the moment of the first, or for ever.
    Release(Box<(Formula, Formula)>),
}

/// A `trace` or `notrace`: what the events on some channels must (not) look like.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// `notrace`.
    pub forbidden: bool,
    /// The automaton; its transitions are sends and receives.
    pub automaton: Proctype,
}

impl System {
    /// The proctype with this id.
    pub fn proctype(&self, id: ProctypeId) -> &Proctype {
        &self.proctypes[id.index()]
    }

    /// Whether any guard asks for `timeout`.
    pub fn uses_timeout(&self) -> bool {
        let mut found = false;
        let mut look = |expr: &Expr| found |= matches!(expr, Expr::Timeout);
        for proctype in &self.proctypes {
            proctype.provided.iter().for_each(|provided| provided.walk(&mut look));
            proctype.transitions.iter().for_each(|transition| transition.action.walk(&mut look));
        }
        found
    }
}

impl Proctype {
    /// The transition with this id.
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.index()]
    }

    /// The location with this id.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }
}

impl Frame {
    /// How many slots there are.
    pub fn slots(&self) -> u32 {
        self.variables.last().map_or(0, |variable| variable.base + variable.shape.slots())
    }

    /// The types of all slots, in order.
    pub fn scalars(&self) -> Vec<Scalar> {
        self.variables.iter().flat_map(|variable| variable.shape.scalars()).collect()
    }

    /// Adds a variable behind the others and returns its first slot.
    pub fn push(&mut self, name: impl Into<String>, shape: Shape, span: Span) -> u32 {
        let base = self.slots();
        self.variables.push(Variable {
            name: name.into(),
            shape,
            base,
            hidden: false,
            initial: Vec::new(),
            span,
        });
        base
    }
}

impl Action {
    /// Calls `visit` on every expression in it (not on those of the inner graph of a `d_step`).
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Action::Skip | Action::Else | Action::DStep { .. } | Action::Terminate => {}
            Action::Condition(expr) | Action::Assert(expr) => expr.walk(visit),
            Action::Assign(place, value) => {
                place.walk(visit);
                value.walk(visit);
            }
            Action::AssignAll(assignments) => {
                for (place, value) in assignments {
                    place.walk(visit);
                    value.walk(visit);
                }
            }
            Action::Send { channel, values, .. } => {
                channel.walk(visit);
                values.iter().for_each(|value| value.walk(visit));
            }
            Action::Receive { channel, patterns, .. } => {
                channel.walk(visit);
                patterns.iter().for_each(|pattern| pattern.walk(visit));
            }
            Action::Run { arguments, priority, result, .. } => {
                arguments.iter().for_each(|argument| argument.walk(visit));
                priority.iter().for_each(|priority| priority.walk(visit));
                result.iter().for_each(|place| place.walk(visit));
            }
            Action::Print { arguments, .. } => arguments.iter().for_each(|argument| argument.walk(visit)),
            Action::SetPriority { pid, priority } => {
                pid.walk(visit);
                priority.walk(visit);
            }
        }
    }

    /// Like [`Action::walk`], with the right to change what is met.
    pub fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            Action::Skip | Action::Else | Action::DStep { .. } | Action::Terminate => {}
            Action::Condition(expr) | Action::Assert(expr) => expr.walk_mut(visit),
            Action::Assign(place, value) => {
                place.walk_mut(visit);
                value.walk_mut(visit);
            }
            Action::AssignAll(assignments) => {
                for (place, value) in assignments {
                    place.walk_mut(visit);
                    value.walk_mut(visit);
                }
            }
            Action::Send { channel, values, .. } => {
                channel.walk_mut(visit);
                values.iter_mut().for_each(|value| value.walk_mut(visit));
            }
            Action::Receive { channel, patterns, .. } => {
                channel.walk_mut(visit);
                patterns.iter_mut().for_each(|pattern| pattern.walk_mut(visit));
            }
            Action::Run { arguments, priority, result, .. } => {
                arguments.iter_mut().for_each(|argument| argument.walk_mut(visit));
                priority.iter_mut().for_each(|priority| priority.walk_mut(visit));
                result.iter_mut().for_each(|place| place.walk_mut(visit));
            }
            Action::Print { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| argument.walk_mut(visit))
            }
            Action::SetPriority { pid, priority } => {
                pid.walk_mut(visit);
                priority.walk_mut(visit);
            }
        }
    }
}
