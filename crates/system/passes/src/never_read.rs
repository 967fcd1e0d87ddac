//! Variables that nobody needs: written, perhaps, but without influence on anything that is asked.
//!
//! A slot is *needed* if a guard, an assertion, an index, a channel operation or a property reads it, or if its value
//! goes into a slot that is needed. (So a counter that is only counted up is not needed, although `n++` reads it:
//! these are the *faint* variables of Giegerich, Möncke and Wilhelm, "Invariance of approximate semantics with respect
//! to program transformations", here without regard to the flow of control.) What is not needed is not written
//! any more, so it does not tell states apart. Statements stay where they are and stay enabled when they were; one
//! that could be a fault still is.

use allways_system::{
    Action, BinaryOp, Expr, Pattern, Place, Proctype, ProctypeId, Scalar, Scope, Start, System,
};

use crate::effort::Effort;
use crate::fold::may_fault;
use crate::slots::{for_each_slot, for_each_write};
use crate::uses::{Owner, Uses, for_each_expr_of_properties, reads};

/// What a caller looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Watched {
    /// Claims, formulas and traces.
    pub properties: bool,
    /// What is printed.
    pub prints: bool,
    /// A value that does not fit is a fault.
    pub check_overflow: bool,
}

/// The positions of the global variables that are marked as hidden and that something reads, properties included. What is only
/// printed, or counted, is not read. If values that do not fit are faults, what is counted is read, too.
pub fn hidden_reads(system: &System, check_overflow: bool) -> Vec<usize> {
    let watched = Watched { properties: true, prints: false, check_overflow };
    let read = marked(system, watched, false);
    let is_read = |variable: &allways_system::Variable| {
        let slots = variable.base as usize..(variable.base + variable.shape.slots()) as usize;
        variable.hidden && read.globals[slots].contains(&true)
    };
    let variables = system.globals.variables.iter().enumerate();
    variables.filter(|(_, variable)| is_read(variable)).map(|(position, _)| position).collect()
}

/// The slots that are needed.
pub(crate) struct Needed {
    pub globals: Vec<bool>,
    /// Per proctype.
    pub locals: Vec<Vec<bool>>,
}

/// Finds what is needed.
pub(crate) fn needed(system: &System, watched: Watched) -> Needed {
    marked(system, watched, true)
}

/// Finds what is read; with `kept_writes`, also what has to be written for other reasons.
fn marked(system: &System, watched: Watched, kept_writes: bool) -> Needed {
    let mut needed = Needed {
        globals: vec![false; system.globals.slots() as usize],
        locals: system
            .proctypes
            .iter()
            .map(|proctype| vec![false; proctype.frame.slots() as usize])
            .collect(),
    };
    if watched.properties {
        for_each_expr_of_properties(system, &mut |expr| match expr {
            Expr::Load(place) if place.scope == Scope::Global => {
                needed.mark(None, Owner::Own, place);
            }
            Expr::Remote { .. } => reads(expr, &mut |owner, place| {
                needed.mark(None, owner, place);
            }),
            _ => {}
        });
    }
    let n_transitions: usize = system.proctypes.iter().map(|proctype| proctype.transitions.len()).sum();
    let mut effort = Effort::new();
    loop {
        if !effort.pay(n_transitions, 32) {
            needed.globals.fill(true);
            needed.locals.iter_mut().for_each(|locals| locals.fill(true));
            return needed;
        }
        let mut changed = false;
        for id in (0..system.proctypes.len() as u32).map(ProctypeId) {
            let mut found: Vec<(Owner, Place)> = Vec::new();
            needed.uses_of(system.proctype(id), id, watched, kept_writes, &mut |owner, place| {
                found.push((owner, place.clone()));
            });
            for (owner, place) in found {
                changed |= needed.mark(Some(id), owner, &place);
            }
        }
        if !changed {
            return needed;
        }
    }
}

impl Needed {
    /// Whether any slot that the place can denote is needed by an instance of the proctype it is used in.
    pub fn wants(&self, proctype: ProctypeId, place: &Place) -> bool {
        let needed = match place.scope {
            Scope::Global => &self.globals,
            Scope::Local => &self.locals[proctype.index()],
        };
        let mut wanted = false;
        for_each_slot(place, &mut |slot| wanted |= needed[slot as usize]);
        wanted
    }

    /// Marks the slots of a place that is read in a proctype (or in a property); whether any was not marked.
    fn mark(&mut self, proctype: Option<ProctypeId>, owner: Owner, place: &Place) -> bool {
        let needed = match (place.scope, owner, proctype) {
            (Scope::Global, ..) => &mut self.globals,
            (Scope::Local, Owner::Other(other), _) => &mut self.locals[other.index()],
            (Scope::Local, Owner::Own, Some(own)) => &mut self.locals[own.index()],
            (Scope::Local, Owner::Own, None) => return false,
        };
        let mut changed = false;
        for_each_slot(place, &mut |slot| {
            if let Some(mark) = needed.get_mut(slot as usize) {
                changed |= !std::mem::replace(mark, true);
            }
        });
        changed
    }

    fn uses_of(
        &self,
        proctype: &Proctype,
        id: ProctypeId,
        watched: Watched,
        kept_writes: bool,
        visit: &mut dyn FnMut(Owner, &Place),
    ) {
        let uses = Uses {
            wanted: &|place| self.wants(id, place),
            parameter_wanted: &|started, slot| self.locals[started.index()][slot],
            check_overflow: watched.check_overflow,
            prints: watched.prints,
        };
        for start in &proctype.start {
            uses.of_start(start, visit);
            if kept_writes
                && let Start::Assign(place, value) = start
                && (self.wants(id, place) || !place.indices.is_empty() || may_fault(value, false))
            {
                visit(Owner::Own, place);
            }
        }
        for transition in &proctype.transitions {
            uses.of_action(&transition.action, visit);
            if kept_writes {
                self.kept_writes(&transition.action, id, visit);
            }
        }
        proctype.provided.iter().for_each(|provided| reads(provided, visit));
        proctype.exclusive.iter().for_each(|exclusive| reads(&exclusive.channel, visit));
    }

    /// Calls `visit` on every place to which writes have to stay: because one of the slots it can denote is needed, or
    /// because the statement could be a fault and would be hard to express without the write. All these slots count as
    /// needed. Otherwise some writes to a slot would be gone and others not, and what it held would say more about the
    /// past than before.
    fn kept_writes(&self, action: &Action, id: ProctypeId, visit: &mut dyn FnMut(Owner, &Place)) {
        for_each_write(action, &mut |place| {
            let can_go = matches!(action, Action::Assign(..)) || place.indices.is_empty();
            if !can_go || self.wants(id, place) {
                visit(Owner::Own, place);
            }
        });
        match action {
            Action::AssignAll(assignments) => {
                for (place, value) in assignments {
                    if may_fault(value, false) {
                        visit(Owner::Own, place);
                    }
                }
            }
            Action::Run { proctype, arguments, .. } => {
                for (slot, argument) in arguments.iter().enumerate() {
                    if may_fault(argument, false) {
                        let (scope, base, scalar) = (Scope::Local, slot as u32, Scalar::Int);
                        visit(
                            Owner::Other(*proctype),
                            &Place { scope, base, indices: Default::default(), scalar },
                        );
                    }
                }
            }
            _ => {}
        }
    }
}

/// Removes the writes to what is not needed. Returns the names of the variables that are nowhere needed but were
/// written.
pub(crate) fn drop_writes(system: &mut System, needed: &Needed, check_overflow: bool) -> Vec<String> {
    if check_overflow {
        // Every store can be a fault.
        return Vec::new();
    }
    let names = never_read(system, needed);
    for id in (0..system.proctypes.len() as u32).map(ProctypeId) {
        let proctype = &mut system.proctypes[id.index()];
        proctype.start.retain(|start| match start {
            Start::Assign(place, value) => {
                needed.wants(id, place) || !place.indices.is_empty() || may_fault(value, false)
            }
            Start::Channel(..) => true,
        });
        for i in 0..proctype.transitions.len() {
            let wants = |place: &Place| needed.wants(id, place);
            let parameter_wanted = |started: ProctypeId, slot: usize| needed.locals[started.index()][slot];
            let action = &proctype.transitions[i].action;
            let mut without = action.clone();
            drop_write(&mut without, &wants, &parameter_wanted);
            if without != *action {
                proctype.transitions[i].action = without;
            }
        }
    }
    names
}

fn drop_write(
    action: &mut Action,
    wants: &dyn Fn(&Place) -> bool,
    parameter_wanted: &dyn Fn(ProctypeId, usize) -> bool,
) {
    let is_useless = |place: &Place| !wants(place) && place.indices.is_empty();
    match action {
        Action::Assign(place, value) if !wants(place) => *action = only_faults(place, value),
        Action::AssignAll(assignments) => {
            assignments.retain(|(place, value)| !is_useless(place) || may_fault(value, false));
            if assignments.is_empty() {
                *action = Action::Skip;
            }
        }
        Action::Receive { patterns, .. } => {
            for pattern in patterns {
                if matches!(pattern, Pattern::Store(place) if is_useless(place)) {
                    *pattern = Pattern::Ignore;
                }
            }
        }
        Action::Run { proctype, arguments, result, .. } => {
            for (slot, argument) in arguments.iter_mut().enumerate() {
                if !parameter_wanted(*proctype, slot) && !may_fault(argument, false) {
                    *argument = Expr::Constant(0);
                }
            }
            if result.as_deref().is_some_and(is_useless) {
                *result = None;
            }
        }
        _ => {}
    }
}

/// A statement that is always enabled, changes nothing, and is a fault where the assignment was.
fn only_faults(place: &Place, value: &Expr) -> Action {
    let operands = match (may_fault(value, false), place.indices.is_empty()) {
        (false, true) => return Action::Skip,
        (true, true) => value.clone(),
        (false, false) => Expr::Load(place.clone()),
        // An operator that looks at both sides.
        (true, false) => Expr::Binary(BinaryOp::BitOr, Box::new((value.clone(), Expr::Load(place.clone())))),
    };
    Action::Condition(Expr::Binary(BinaryOp::Or, Box::new((operands, Expr::Constant(1)))))
}

/// The variables that are written but of which no slot is needed.
fn never_read(system: &System, needed: &Needed) -> Vec<String> {
    let mut written = Needed {
        globals: vec![false; needed.globals.len()],
        locals: needed.locals.iter().map(|locals| vec![false; locals.len()]).collect(),
    };
    for id in (0..system.proctypes.len() as u32).map(ProctypeId) {
        for transition in &system.proctype(id).transitions {
            for_each_write(&transition.action, &mut |place| {
                written.mark(Some(id), Owner::Own, place);
            });
        }
    }
    let mut names = Vec::new();
    let mut look = |frame: &allways_system::Frame, needed: &[bool], written: &[bool], owner: &str| {
        for variable in &frame.variables {
            let slots = variable.base as usize..(variable.base + variable.shape.slots()) as usize;
            if !needed[slots.clone()].contains(&true) && written[slots].contains(&true) {
                names.push(format!("{owner}{}", variable.name));
            }
        }
    };
    look(&system.globals, &needed.globals, &written.globals, "");
    for (i, proctype) in system.proctypes.iter().enumerate() {
        let owner = format!("{}:", proctype.name);
        look(&proctype.frame, &needed.locals[i], &written.locals[i], &owner);
    }
    names
}
