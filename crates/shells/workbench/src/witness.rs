//! What the end of a trail shows.

use allways_explicit::{Found, What};
use allways_interpreter::Semantics;
use allways_system::{Alarm, Step};
use allways_verdict::{Property, PropertyKind, Trail, Violation};

use crate::check::{Shown, violated_at_the_start, violation};
use crate::run::{NotRepeated, ReplayError, Run, step_of};
use crate::temporal;
use crate::traced::Traced;
use crate::{Explanation, FairRuns, Model};

/// Repeats a trail from the initial state: the violation of the property that it shows, if it does.
///
/// The last step is the violation itself, except for a deadlock, which is in the state that the steps lead to.
pub fn violation_shown_by(
    model: &Model,
    semantics: Semantics,
    property: &Property,
    fair: &FairRuns,
    trail: &Trail,
) -> Result<Option<Violation>, ReplayError> {
    let kind = property.kind;
    if temporal::is_temporal(kind) {
        let shown = temporal::shown_by(model, semantics, property, fair, trail)?;
        return Ok(shown.map(|(violation, _)| violation));
    }
    if kind == PropertyKind::Trace {
        return trace_shown_by(model, semantics, property, trail);
    }
    let mut run = match Run::start(model, semantics) {
        Ok(run) => run,
        Err(fault) => {
            let is_asked = kind == PropertyKind::Assertions && trail.steps.is_empty();
            return Ok(is_asked.then(|| violated_at_the_start(&fault)));
        }
    };
    let steps: Vec<Step> = trail.steps.iter().map(|step| step_of(*step)).collect();
    let (before, last) = match (kind, steps.split_last()) {
        (PropertyKind::Deadlock, _) | (_, None) => (&steps[..], None),
        (_, Some((last, before))) => (before, Some(*last)),
    };
    for (index, step) in before.iter().enumerate() {
        run.follow(*step).map_err(|why| ReplayError { step: index + 1, why })?;
    }
    let what = what_is_wrong(&run, kind, last).map_err(|why| ReplayError { step: steps.len(), why })?;
    let last = last.and_then(|step| run.transition(step));
    Ok(what.map(|what| {
        let shown = Shown { last, what: what.clone() };
        violation(model, Found { kind, what, steps, is_cut: false, count: 1, preemptions: None }, &shown)
    }))
}

/// What an observer sees along a trail that shows the violation of a temporal property.
pub fn explanation_of(
    model: &Model,
    semantics: Semantics,
    property: &Property,
    fair: &FairRuns,
    trail: &Trail,
) -> Option<Explanation> {
    if !temporal::is_temporal(property.kind) {
        return None;
    }
    temporal::shown_by(model, semantics, property, fair, trail).ok()??.1
}

fn trace_shown_by(
    model: &Model,
    semantics: Semantics,
    property: &Property,
    trail: &Trail,
) -> Result<Option<Violation>, ReplayError> {
    let Some(trace) = model.system.traces.iter().find(|trace| trace.automaton.name == property.name) else {
        return Ok(None);
    };
    let steps: Vec<Step> = trail.steps.iter().map(|step| step_of(*step)).collect();
    let traced = Traced::new(&model.system, semantics, trace);
    let (is_violated, last) = match traced.confirm(&steps, &Alarm::default()) {
        Ok(shown) => shown,
        Err(NotRepeated::Wrong(why)) => return Err(ReplayError { step: steps.len(), why }),
        Err(NotRepeated::Halted(_)) => return Ok(None),
    };
    let (kind, what) = (property.kind, What::ExclusiveViolated);
    let found = Found { kind, what, steps, is_cut: false, count: 1, preemptions: None };
    let shown = Shown { last, what: found.what.clone() };
    let violation = violation(model, found, &shown);
    Ok(is_violated.then(|| Violation { reason: traced.reason(), ..violation }))
}

/// Asks in the order in which a search would find out.
fn what_is_wrong(run: &Run, kind: PropertyKind, last: Option<Step>) -> Result<Option<What>, String> {
    Ok(match (kind, last) {
        (PropertyKind::Deadlock, _) => run.is_stuck().then_some(What::InvalidEnd),
        (PropertyKind::Assertions, Some(step)) if run.nondeterminism() == Some(step) => {
            Some(What::Nondeterminism)
        }
        (PropertyKind::Assertions, Some(step)) => match run.fault_of(step)? {
            Some(fault) => Some(What::Fault(Some(fault))),
            None => run.applied(step)?.assertion_failed.then_some(What::AssertionFailed),
        },
        (PropertyKind::Exclusive, Some(step)) => {
            run.applied(step)?.exclusive_violated.then_some(What::ExclusiveViolated)
        }
        _ => None,
    })
}
