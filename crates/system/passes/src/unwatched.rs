//! Drops what is there only for somebody who does not look: values that are printed, and the last mover.
//!
//! Both tie processes together: a value that is printed is read, perhaps while another process writes it, and who moved last is
//! different after every step.

use allways_system::{Action, Expr, Formula, Proctype, Start, System, Transition};

use crate::fold::may_fault;
use crate::never_read::Watched;
use crate::uses::for_each_expr_of_formula;

pub(crate) fn drop_unwatched(system: &mut System, watched: Watched) {
    if !watched.prints {
        drop_printed(system, watched.check_overflow);
    }
    if !watched.properties && system.tracks_last {
        drop_last(system);
    }
}

/// What is printed becomes 0, unless working it out may be a fault.
fn drop_printed(system: &mut System, check_overflow: bool) {
    let is_print = |transition: &Transition| matches!(transition.action, Action::Print { .. });
    let printing = system.proctypes.iter_mut().filter(|proctype| proctype.transitions.iter().any(is_print));
    for transition in printing.flat_map(|proctype| &mut proctype.transitions) {
        if let Action::Print { arguments, .. } = &mut transition.action {
            for argument in arguments.iter_mut().filter(|argument| !may_fault(argument, check_overflow)) {
                *argument = Expr::Constant(0);
            }
        }
    }
}

/// Claims and formulas that ask for the last mover go; if nobody else does, it is no longer part of states.
fn drop_last(system: &mut System) {
    system.claims.retain(|claim| !asks_for_last(&claim.automaton));
    system.formulas.retain(|formula| !formula_asks_for_last(&formula.formula));
    system.tracks_last = system.proctypes.iter().any(asks_for_last)
        || system.traces.iter().any(|trace| asks_for_last(&trace.automaton));
}

fn asks_for_last(proctype: &Proctype) -> bool {
    let mut asks = false;
    let mut look = |expr: &Expr| asks |= matches!(expr, Expr::Last);
    proctype.transitions.iter().for_each(|transition| transition.action.walk(&mut look));
    proctype.provided.iter().for_each(|provided| provided.walk(&mut look));
    proctype.exclusive.iter().for_each(|exclusive| exclusive.channel.walk(&mut look));
    for start in &proctype.start {
        if let Start::Assign(place, value) = start {
            place.walk(&mut look);
            value.walk(&mut look);
        }
    }
    asks
}

fn formula_asks_for_last(formula: &Formula) -> bool {
    let mut asks = false;
    for_each_expr_of_formula(formula, &mut |expr| asks |= matches!(expr, Expr::Last));
    asks
}
