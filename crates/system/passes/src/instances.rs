//! Copies of a proctype for one process: what never changes in that process becomes a constant.
//!
//! Most slots of a model are written once or never: channel handles, sizes, parameters, the process's own number. An
//! engine that has one copy of the code per process need not load them, and need not keep them in the state.

use allways_system::{Expr, Initial, Pid, Place, Proctype, ProctypeId, Scope, System};

use crate::fold::Fold;
use crate::slots::{for_each_slot, for_each_write};

/// Which slots keep their first value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constants {
    /// Per slot of the globals: no transition writes it.
    pub globals: Vec<bool>,
    /// Per proctype and slot of its frame: no transition writes it; it stays what it was when the process had started.
    pub locals: Vec<Vec<bool>>,
}

/// Finds the slots that no transition can write.
pub fn constants(system: &System) -> Constants {
    let mut globals = vec![true; system.globals.slots() as usize];
    let mut locals = Vec::new();
    for proctype in &system.proctypes {
        let mut own = vec![true; proctype.frame.slots() as usize];
        for transition in &proctype.transitions {
            for_each_write(&transition.action, &mut |place| {
                let written = match place.scope {
                    Scope::Global => &mut globals,
                    Scope::Local => &mut own,
                };
                for_each_slot(place, &mut |slot| written[slot as usize] = false);
            });
            transition.resets.iter().for_each(|slot| own[*slot as usize] = false);
        }
        locals.push(own);
    }
    Constants { globals, locals }
}

/// What the global slots hold at the start. Channels are numbered from 1, in the order of the slots.
pub fn global_values(system: &System) -> Vec<i32> {
    let mut values = vec![0; system.globals.slots() as usize];
    let mut n_channels = 0;
    for variable in &system.globals.variables {
        for (slot, initial) in variable.initial.iter().enumerate() {
            values[variable.base as usize + slot] = match initial {
                Initial::Value(value) => *value,
                Initial::Channel(_) => {
                    n_channels += 1;
                    n_channels
                }
            };
        }
    }
    values
}

/// A copy of a proctype, with the same ids of locations and transitions, that means the same for the process `pid`
/// whose frame was `frame` right after its start. `global_values` are those of the start, see [`global_values`].
pub fn instantiate(
    system: &System,
    constants: &Constants,
    global_values: &[i32],
    proctype: ProctypeId,
    pid: Pid,
    frame: &[i32],
    check_overflow: bool,
) -> Proctype {
    let known = |scope, slot| {
        let (is_constant, values) = match scope {
            Scope::Global => (&constants.globals, global_values),
            Scope::Local => (&constants.locals[proctype.index()], frame),
        };
        is_constant[slot as usize].then(|| values[slot as usize])
    };
    let keep_tests = system.proctypes.iter().any(|proctype| !proctype.exclusive.is_empty());
    let fold = Fold { known: &known, pid: Some(pid), check_overflow, keep_tests };
    let mut instance = system.proctype(proctype).clone();
    for i in 0..instance.transitions.len() {
        let action = &instance.transitions[i].action;
        let mut folded = action.clone();
        fold.action(&mut folded);
        // As long as nothing is different, the instance shares its transitions with the proctype.
        if folded != *action {
            instance.transitions[i].action = folded;
        }
    }
    instance.provided.iter_mut().for_each(|provided| fold.expr(provided));
    for exclusive in &mut instance.exclusive {
        fold.expr(&mut exclusive.channel);
    }
    instance
}

/// An expression with the values of the executing process's own variables put in, as far as that
/// can be done without a fault.
pub fn with_locals(expr: &Expr, values: &[i32]) -> Expr {
    let mut known = expr.clone();
    of_locals(&local(values)).expr(&mut known);
    known
}

/// The slot that a place denotes if these are the values of the executing process's own variables;
/// none if an index depends on something else or is out of range.
pub fn slot_with(place: &Place, values: &[i32]) -> Option<u32> {
    let mut known = place.clone();
    of_locals(&local(values)).place(&mut known);
    known.indices.is_empty().then_some(known.base)
}

fn local(values: &[i32]) -> impl Fn(Scope, u32) -> Option<i32> {
    |scope, slot| (scope == Scope::Local).then(|| values[slot as usize])
}

fn of_locals(known: &dyn Fn(Scope, u32) -> Option<i32>) -> Fold<'_> {
    Fold { known, pid: None, check_overflow: false, keep_tests: true }
}
