//! Whether the numbers of processes, and of channels that they make, mean nothing to anybody.
//!
//! Numbers of processes: nobody looks at one, or at how many there are. Then a process that has ended might as well be gone, though it
//! stays until all younger ones are gone, and two processes that are created get other numbers in the other order, which nobody
//! notices: creation and death are nobody else's business. States that differ in numbers, and in processes that have ended, can do
//! the same, so what is true of the one is true of the other.
//!
//! Channels that processes make come and go with them, and get numbers (handles) in the same way. Here the condition is that handles are *handed down* only: a
//! local variable of type `chan` keeps what it was given when its process began, and nothing is done with it but to use the channel, or to give it to a process
//! that is created. So a channel is known only to the process that made it and to descendants of that one. These are younger and go first: the channel
//! exists as long as anybody knows it, whatever the order in which processes end. Again states that differ in handles, and in channels that nobody knows any
//! more, can do the same.
//!
//! The conditions, all of them on the system as a whole:
//!
//! * processes are created; no expression looks at numbers of processes (except as in `joins.rs`), or into others; no result of `run` is kept; there are no
//!   exclusive claims (if these matter); where a process can die it can do nothing else;
//!
//! and, if processes make channels:
//!
//! * no local variable of type `chan` is ever written;
//! * its value is used as a channel (to send, to receive, to ask how full it is), or is an argument of `run` for a parameter of type `chan`, and nothing else. Initial values of
//!   variables do not depend on it;
//! * what is used as a channel is a variable of type `chan` or a global channel, not a number that was worked out;
//! * no global variable and no message can hold such a channel (`points_to.rs`);
//! * it does not matter at the end whether channels are empty, for some of them may still be there only because of the order in which processes ended.

use allways_system::{
    Action, Expr, Location, Pattern, Place, Proctype, ProctypeId, Scalar, Scope, Start, System, Transition,
    TransitionId,
};

use crate::Options;
use crate::hands::slot_types;
use crate::joins::Joins;
use crate::objects::Objects;
use crate::points_to::PointsTo;

/// Whether processes are created and their numbers mean nothing to anybody, nor those of channels that they make.
///
/// Processes that were met with the same number only, one after the other, can then be there at the same time in another
/// order. The tables know: whatever is created is in the future of a process that was there at the start.
pub fn is_nameless(system: &System, options: &Options) -> bool {
    let mut is_named = options.exclusive && system.proctypes.iter().any(|code| !code.exclusive.is_empty());
    let mut look = |expr: &Expr| {
        is_named |= matches!(
            expr,
            Expr::Pid
                | Expr::ProcessCount
                | Expr::Last
                | Expr::At { .. }
                | Expr::Remote { .. }
                | Expr::Enabled(_)
                | Expr::PcValue(_)
                | Expr::Priority(_)
        );
    };
    options.observed.iter().for_each(|expr| expr.walk(&mut look));
    let joins = Joins::new(system);
    for (id, code) in (0..).map(ProctypeId).zip(&system.proctypes) {
        let may_count = |transition: usize| joins.may_count(id, TransitionId(transition as u32));
        for_each_expr_outside(code, &mut look);
        for (number, transition) in code.transitions.iter().enumerate() {
            let is_count = |expr: &Expr| may_count(number) && matches!(expr, Expr::ProcessCount);
            transition.action.walk(&mut |expr| {
                if !is_count(expr) {
                    look(expr)
                }
            });
        }
    }
    let creates = |transition: &Transition| matches!(transition.action, Action::Run { .. });
    !is_named
        && system.proctypes.iter().flat_map(|code| &code.transitions).any(creates)
        && system.proctypes.iter().all(keeps_quiet)
        && (!makes_channels(system) || !options.strict_end && hands_down(system))
}

/// Whether some process makes channels.
pub(crate) fn makes_channels(system: &System) -> bool {
    let mut starts = system.proctypes.iter().flat_map(|code| &code.start);
    starts.any(|start| matches!(start, Start::Channel(..)))
}

/// Calls `visit` with every expression of a proctype, except for claims.
fn for_each_expr(code: &Proctype, visit: &mut dyn FnMut(&Expr)) {
    for_each_expr_outside(code, visit);
    code.transitions.iter().for_each(|transition| transition.action.walk(visit));
}

/// The same without those of transitions.
fn for_each_expr_outside(code: &Proctype, visit: &mut dyn FnMut(&Expr)) {
    code.provided.iter().for_each(|provided| provided.walk(visit));
    for start in &code.start {
        if let Start::Assign(place, value) = start {
            place.walk(visit);
            value.walk(visit);
        }
    }
}

/// Whether processes of a kind do not ask for the numbers of those they create, and can do nothing but die where they can die.
fn keeps_quiet(code: &Proctype) -> bool {
    let tells =
        |action: &Action| matches!(action, Action::Run { result: Some(_), .. } | Action::SetPriority { .. });
    let dies = |id: &TransitionId| matches!(code.transitions[id.index()].action, Action::Terminate);
    let may_die = |location: &Location| {
        let mut ways = location.groups.iter().flatten();
        ways.clone().any(dies) && !ways.all(dies)
    };
    !code.transitions.iter().any(|transition| tells(&transition.action))
        && !code.locations.iter().any(may_die)
}

/// Whether channels that processes make are handed down only, and local variables of type `chan` keep what they are given.
pub(crate) fn hands_down(system: &System) -> bool {
    let objects = Objects::new(system, &[], &[]);
    let rules = Rules { system, n_global_channels: objects.n_global_channels as i32 };
    system.proctypes.iter().all(|code| rules.are_kept_by(code))
        && !PointsTo::new(system, &objects).made_by_processes_get_about()
}

/// What is allowed to be done with channels.
struct Rules<'a> {
    system: &'a System,
    n_global_channels: i32,
}

impl Rules<'_> {
    fn are_kept_by(&self, code: &Proctype) -> bool {
        let is_channel: Vec<bool> = slot_types(code).map(|scalar| scalar == Scalar::Chan).collect();
        let loses_channel = |transition: &Transition| {
            transition.resets.iter().any(|slot| is_channel[*slot as usize])
                || writes_channel(&transition.action)
        };
        let starts_well = |start: &Start| match start {
            Start::Assign(place, value) => {
                !is_local_channel(place)
                    && n_loads(&|visit| place.walk(visit)) + n_loads(&|visit| value.walk(visit)) == 0
            }
            Start::Channel(..) => true,
        };
        let uses_well = |transition: &Transition| self.uses_well(&transition.action);
        let mut all_are_channels = true;
        for_each_expr(code, &mut |expr| {
            all_are_channels &= channel_of(expr).is_none_or(|channel| self.is_channel(channel));
        });
        let provided_well = code
            .provided
            .iter()
            .all(|provided| n_loads(&|visit| provided.walk(visit)) == n_uses(&|visit| provided.walk(visit)));
        all_are_channels
            && provided_well
            && code.start.iter().all(starts_well)
            && !code.transitions.iter().any(loses_channel)
            && code.transitions.iter().all(uses_well)
    }

    /// A statement does nothing with the channels in local variables but what is allowed.
    fn uses_well(&self, action: &Action) -> bool {
        let walk = |visit: &mut dyn FnMut(&Expr)| action.walk(visit);
        let mut n_allowed = n_uses(&walk);
        match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                if !self.is_channel(channel) {
                    return false;
                }
                n_allowed += is_local(channel) as usize;
            }
            Action::Run { proctype, arguments, .. } => {
                let types = slot_types(self.system.proctype(*proctype));
                for (argument, _) in arguments.iter().zip(types).filter(|(_, scalar)| *scalar == Scalar::Chan)
                {
                    if !self.is_channel(argument) {
                        return false;
                    }
                    n_allowed += is_local(argument) as usize;
                }
            }
            _ => {}
        }
        n_loads(&walk) == n_allowed
    }

    /// Certainly a variable of type `chan`, or a global channel (or none).
    fn is_channel(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => place.scalar == Scalar::Chan,
            Expr::Constant(handle) => (0..=self.n_global_channels).contains(handle),
            _ => false,
        }
    }
}

type Walk<'w> = &'w dyn Fn(&mut dyn FnMut(&Expr));

/// How often a local variable of type `chan` is loaded.
fn n_loads(walk: Walk) -> usize {
    let mut count = 0;
    walk(&mut |expr| count += is_local(expr) as usize);
    count
}

/// How often that is in order to ask something about the channel.
fn n_uses(walk: Walk) -> usize {
    let mut count = 0;
    walk(&mut |expr| count += channel_of(expr).is_some_and(is_local) as usize);
    count
}

/// The channel that a question is about.
fn channel_of(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Channel(_, channel) | Expr::Poll { channel, .. } => Some(channel),
        _ => None,
    }
}

fn is_local(expr: &Expr) -> bool {
    matches!(expr, Expr::Load(place) if is_local_channel(place))
}

fn is_local_channel(place: &Place) -> bool {
    place.scope == Scope::Local && place.scalar == Scalar::Chan
}

/// Whether a statement can write a local variable of type `chan`.
fn writes_channel(action: &Action) -> bool {
    match action {
        Action::Assign(place, _) => is_local_channel(place),
        Action::AssignAll(assignments) => assignments.iter().any(|(place, _)| is_local_channel(place)),
        Action::Receive { patterns, .. } => {
            patterns.iter().any(|pattern| matches!(pattern, Pattern::Store(place) if is_local_channel(place)))
        }
        Action::Run { result, .. } => result.as_deref().is_some_and(is_local_channel),
        _ => false,
    }
}
