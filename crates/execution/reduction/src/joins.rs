//! Waiting until all others are gone.
//!
//! `_nr_pr == 1`, the same as `_nr_pr < 2`, or `before == _nr_pr` with what was noted before anybody was created, is how the first process waits for all others. It looks at a number,
//! but not at one that depends on who comes first. Nobody is there when the condition is true, so nobody can be in conflict with it; and
//! it becomes true by the last death, whatever the order in which processes ended: who has ended dies as soon as all younger ones have.
//! So it does not keep numbers of processes from meaning nothing (`nameless.rs`); only those who will still die can enable it.
//!
//! The conditions:
//!
//! * there is one process at the start, and no other of its kind is ever created: only it looks at the number, and all others are younger;
//! * the number is compared with 1, or with a variable that is never more than 1: what is written to it is 0, 1, or the number of processes while there
//!   is but one;
//! * the condition stands alone at a place where others can move: not inside an atomic sequence or `d_step`, not an escape or before one, and without an `else`,
//!   which would look at numbers that depend on the order;
//! * no `provided`, so that who has ended can die; and nobody asks whether the first process has a choice (`D_proctype`).
//!
//! While the first process has created nobody, `_nr_pr` is 1 whatever is done with it.

use allways_system::{
    Action, BinaryOp, Expr, Location, Pattern, Place, Proctype, ProctypeId, Scope, Start, System, Transition,
    TransitionId,
};

use crate::graph::d_step_locations;
use crate::objects::for_each_slot;

/// What is known about the first process, if it is the only one at the start, and of its kind.
#[derive(Default)]
pub(crate) struct Joins {
    first: Option<ProctypeId>,
    /// Per transition of its proctype: it waits until all others are gone.
    waits: Vec<bool>,
    /// Per transition: nobody else has been created before it.
    is_early: Vec<bool>,
}

impl Joins {
    pub fn new(system: &System) -> Joins {
        let [first] = &system.processes[..] else { return Joins::default() };
        let creates_first =
            |action: &Action| matches!(action, Action::Run { proctype, .. } if *proctype == first.proctype);
        let mut actions =
            system.proctypes.iter().flat_map(|code| &code.transitions).map(|taken| &taken.action);
        if actions.any(creates_first) || system.proctypes.iter().any(|code| code.provided.is_some()) {
            return Joins::default();
        }
        let code = system.proctype(first.proctype);
        if code.deterministic {
            return Joins::default();
        }
        let mut joins = Joins {
            first: Some(first.proctype),
            waits: vec![false; code.transitions.len()],
            is_early: vec![true; code.transitions.len()],
        };
        let is_late = after_runs(code);
        for (location, _) in code.locations.iter().zip(&is_late).filter(|(_, is_late)| **is_late) {
            location.groups.iter().flatten().for_each(|id| joins.is_early[id.index()] = false);
        }
        let holds_control = holding_control(code);
        for (location, _) in code.locations.iter().zip(&holds_control).filter(|(_, holds)| !**holds) {
            if stands_alone(code, location) {
                for id in location.groups.iter().flatten() {
                    joins.waits[id.index()] = joins.is_wait(code, *id);
                }
            }
        }
        joins
    }

    /// Whether some process waits so.
    pub fn any(&self) -> bool {
        self.waits.contains(&true)
    }

    pub fn is_one(&self, proctype: ProctypeId, transition: TransitionId) -> bool {
        self.first == Some(proctype) && self.waits[transition.index()]
    }

    /// Whether a transition may look at the number of processes although that of each means nothing.
    pub fn may_count(&self, proctype: ProctypeId, transition: TransitionId) -> bool {
        self.first == Some(proctype) && (self.waits[transition.index()] || self.is_early[transition.index()])
    }

    fn is_wait(&self, code: &Proctype, id: TransitionId) -> bool {
        let Action::Condition(Expr::Binary(test, operands)) = &code.transition(id).action else {
            return false;
        };
        match (test, &**operands) {
            (BinaryOp::Less, (Expr::ProcessCount, Expr::Constant(2)))
            | (BinaryOp::LessEqual, (Expr::ProcessCount, Expr::Constant(1))) => true,
            (BinaryOp::Equal, (Expr::ProcessCount, other) | (other, Expr::ProcessCount)) => match other {
                Expr::Constant(1) => true,
                Expr::Load(place) => self.is_at_most_one(code, place),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a variable of the first process is never more than 1.
    fn is_at_most_one(&self, code: &Proctype, variable: &Place) -> bool {
        let is_parameter = variable.base < code.parameters;
        if variable.scope != Scope::Local || !variable.indices.is_empty() || is_parameter {
            return false;
        }
        let concerns = |place: &Place| {
            let mut found = false;
            for_each_slot(place, &mut |slot| found |= slot == variable.base);
            place.scope == Scope::Local && found
        };
        let is_small = |value: &Expr, is_early: bool| match value {
            Expr::Constant(value) => (0..=1).contains(value),
            Expr::ProcessCount => is_early,
            _ => false,
        };
        let starts_small = |start: &Start| match start {
            Start::Assign(place, value) => !concerns(place) || place == variable && is_small(value, true),
            Start::Channel(slot, _) => *slot != variable.base,
        };
        let stays_small = |(taken, is_early): (&Transition, &bool)| match &taken.action {
            Action::Assign(place, value) => {
                !concerns(place) || place == variable && is_small(value, *is_early)
            }
            Action::AssignAll(assignments) => !assignments.iter().any(|(place, _)| concerns(place)),
            Action::Receive { patterns, .. } => {
                !patterns.iter().any(|pattern| matches!(pattern, Pattern::Store(place) if concerns(place)))
            }
            Action::Run { result, .. } => !result.as_deref().is_some_and(concerns),
            _ => true,
        };
        code.start.iter().all(starts_small) && code.transitions.iter().zip(&self.is_early).all(stays_small)
    }
}

/// No `else` and no escapes.
fn stands_alone(code: &Proctype, location: &Location) -> bool {
    location.groups.len() == 1
        && !location.groups[0].iter().any(|id| matches!(code.transition(*id).action, Action::Else))
}

/// Per location: whether a process may get there after it has created another.
fn after_runs(code: &Proctype) -> Vec<bool> {
    let mut is_late = vec![false; code.locations.len()];
    let mut ways = Vec::new();
    for (source, location) in code.locations.iter().enumerate() {
        for taken in location.groups.iter().flatten().map(|id| code.transition(*id)) {
            ways.push((source, taken.target.index()));
            match taken.action {
                Action::DStep { entry, exit } => {
                    ways.extend([(source, entry.index()), (exit.index(), taken.target.index())]);
                }
                Action::Run { .. } => is_late[taken.target.index()] = true,
                _ => {}
            }
        }
    }
    while let Some((_, target)) = ways.iter().find(|(source, target)| is_late[*source] && !is_late[*target]) {
        is_late[*target] = true;
    }
    is_late
}

/// Per location: whether nobody else may move there, or the process is inside a `d_step`.
fn holding_control(code: &Proctype) -> Vec<bool> {
    let mut holds = vec![false; code.locations.len()];
    for taken in &code.transitions {
        holds[taken.target.index()] |= taken.atomic;
        if let Action::DStep { entry, exit } = taken.action {
            d_step_locations(code, entry, exit).into_iter().for_each(|inside| holds[inside.index()] = true);
        }
    }
    holds
}
