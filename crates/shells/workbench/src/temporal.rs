//! Checking one temporal property: an observer is made of it, the two are searched together, and a run that is found is repeated.

use std::borrow::Cow;
use std::collections::HashMap;

use allways_explicit::cycles::plain::Plain;
use allways_explicit::cycles::{self, Algorithm, CycleOutcome, CycleQuestion, Fairness, Lasso};
use allways_explicit::{Monitor, Order, Stopped, explore_cycles};
use allways_interpreter::{Interpreter, Semantics, State};
use allways_ltl::{Edge, Formula as Ltl, Translation};
use allways_passes::{PassOptions, Report as Simplified, simplify};
use allways_system::{Alarm, Expr, Letter, Observer, Pid, System, UnaryOp, Variable};
use allways_verdict::{Property, PropertyKind, Statistics, Trail, Verdict, Violation};

use crate::Model;
use crate::automata::Demand;
use crate::check::{
    CheckError, CheckOptions, PropertyResult, doubt_of_hidden, not_repeated, part_covered, trail_step,
    with_hidden,
};
use crate::claims;
use crate::fair::FairRuns;
use crate::lasso::{self, Reading, Repeated, confirm};
use crate::names::expr_text;
use crate::observers::{self, Limited, Watch};
use crate::run::{NotRepeated, ReplayError, step_of};

/// How a temporal property was searched.
#[derive(Clone, Debug)]
pub struct TemporalSearch {
    /// `states` are states of the system together with states of the observer.
    pub statistics: Statistics,
    /// States of the system alone.
    pub system_states: u64,
    /// Bytes for what is known of states of system and property together, beside the states of the system.
    pub node_bytes: u64,
    /// How often a state was expanded.
    pub visits: u64,
    /// The automaton that looks for runs that must not be.
    pub observer: Observer,
    /// Its states that were not met.
    pub unmet: Vec<u32>,
    /// How.
    pub algorithm: Algorithm,
    /// Which runs count.
    pub fair: FairRuns,
    /// Runs may have been left out because others stand for them.
    pub reduced: bool,
    /// By the interpreter instead of compiled steps.
    pub interpreted: bool,
    /// Why it ended early, if it did.
    pub stopped: Option<Stopped>,
    /// What was left out of the states.
    pub simplified: Simplified,
    /// What is remarkable about the verdict.
    pub remarks: Vec<String>,
    /// How it is violated, if it is.
    pub explanation: Option<Explanation>,
}

/// What an observer saw along a run that violates a property.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// What it looks at, as text.
    pub propositions: Vec<String>,
    /// The states that it read, in order.
    pub moments: Vec<Moment>,
    /// After so many steps the property cannot be true any more, whatever follows. None if only the endless cycle breaks it.
    pub lost_after: Option<usize>,
}

/// A state that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// How many steps were taken by then.
    pub after: usize,
    /// Bit `i` says whether proposition `i` holds.
    pub letter: u64,
    /// The state of the observer, where it is known.
    pub observer: Option<u32>,
}

/// Whether a property is about runs that go on for ever.
pub(crate) fn is_temporal(kind: PropertyKind) -> bool {
    matches!(
        kind,
        PropertyKind::Progress
            | PropertyKind::Acceptance
            | PropertyKind::Ltl
            | PropertyKind::Never
            | PropertyKind::Automaton
    )
}

/// Checks one property.
pub(crate) fn check(
    model: &Model,
    options: &CheckOptions,
    property: Property,
    monitor: &mut dyn Monitor,
) -> Result<(PropertyResult, Option<Stopped>), CheckError> {
    let limited = Limited::new(monitor.alarm(), options.limits.memory);
    let watch = match (watch(model, &property, &limited), limited.halted()) {
        (Ok(watch), _) => watch,
        (Err(reason), None) => return Ok((PropertyResult::unknown(property, reason), None)),
        (Err(_), Some(halt)) => {
            let stopped = Some(Stopped::from(halt));
            let verdict = unviolated(&CycleOutcome { stopped: stopped.clone(), ..CycleOutcome::default() });
            return Ok((PropertyResult { property, verdict, search: None }, stopped));
        }
    };
    let (searched, simplified) = alone(model, options, &property, &watch.observer);
    let question = CycleQuestion {
        observer: &watch.observer,
        fairness: options.fair.fairness,
        chosen: options.fair.chosen(),
        algorithm: options.algorithm,
        shortest: options.order == Order::BreadthFirst,
        keep: options.keep,
        limits: options.limits,
    };
    let (outcome, interpreted) = match search(&searched, options, &question, monitor) {
        Ok(outcome) => outcome,
        Err(reason) => return Ok((PropertyResult::unknown(property, reason), None)),
    };
    let mut explained = None;
    let alarm = monitor.alarm().for_repeating();
    let limited = Limited::new(
        Alarm { interrupted: monitor.alarm().interrupted, ..alarm.clone() },
        options.limits.memory,
    );
    let memory = options.limits.memory;
    let run = |lasso| Repeated { semantics: options.semantics, lasso, alarm: alarm.clone(), memory };
    let verdict = match &outcome.lasso {
        Some(lasso) if outcome.letter_fault => {
            let violation = unreadable(model, &watch.observer, &run(lasso));
            let no_fault = || CheckError::Replay {
                property: property.name.clone(),
                why: "the property can be evaluated".to_string(),
            };
            match violation {
                Some(violation) => Verdict::Violated(violation),
                None => match alarm.rings() {
                    Some(halt) => not_repeated(halt),
                    None => doubt_of_hidden(model, options).ok_or_else(no_fault)?,
                },
            }
        }
        Some(lasso) => {
            let repeated = with_what_is_read(model.hidden_reads(options.semantics), &searched);
            match confirm(&model.system, &repeated, &watch, &options.fair, &run(lasso)) {
                Ok(reading) => {
                    explained = Some(explanation(model, &watch, lasso, &reading, &limited));
                    Verdict::Violated(violation(model, &property, lasso))
                }
                Err(NotRepeated::Halted(halt)) => not_repeated(halt),
                // Where it seemed to come back to a state, a variable that was left out may be another.
                Err(NotRepeated::Wrong(why)) => doubt_of_hidden(model, options)
                    .ok_or_else(|| CheckError::Replay { property: property.name.clone(), why })?,
            }
        }
        None => unviolated(&outcome),
    };
    let mut remarks = match verdict {
        Verdict::Holds => vacuity(&model.system, &watch, &outcome, &limited),
        _ => Vec::new(),
    };
    remarks.extend(options.fair.only.as_ref().and_then(|only| only.unmet(outcome.ever_enabled)));
    if options.threads > 1 {
        remarks.push("it was searched by one thread: more have no effect on temporal properties".to_string());
    }
    let unmet = outcome.observer_states.iter().enumerate();
    let unmet = unmet.filter(|(_, met)| !**met).map(|(state, _)| state as u32).collect();
    let mut statistics = outcome.statistics;
    statistics.replayed = outcome.lasso.is_some() as u64;
    let search = TemporalSearch {
        statistics,
        system_states: outcome.system_states,
        node_bytes: outcome.node_bytes,
        visits: outcome.visits,
        observer: watch.observer,
        unmet,
        algorithm: outcome.algorithm,
        fair: options.fair.clone(),
        reduced: outcome.reduced,
        interpreted,
        stopped: outcome.stopped.clone(),
        simplified,
        remarks,
        explanation: explained,
    };
    Ok((PropertyResult { property, verdict, search: Some(search) }, None))
}

/// The system, where `hidden` variables that something reads are part of the states: a run goes round only if they do.
fn with_what_is_read<'s>(reads: &[String], searched: &'s System) -> Cow<'s, System> {
    let is_missing = |variable: &Variable| variable.hidden && reads.contains(&variable.name);
    if !searched.globals.variables.iter().any(is_missing) {
        return Cow::Borrowed(searched);
    }
    let mut system = searched.clone();
    for variable in &mut system.globals.variables {
        variable.hidden &= !reads.contains(&variable.name);
    }
    Cow::Owned(system)
}

/// The observer for a property.
fn watch(model: &Model, property: &Property, limited: &Limited) -> Result<Watch, String> {
    let system = &model.system;
    let of = |observer| Ok(Watch { observer, formula: None });
    match property.kind {
        PropertyKind::Progress => {
            let progress = Expr::Unary(UnaryOp::Not, Box::new(Expr::NonProgress));
            of(Observer::forever_without(progress))
        }
        PropertyKind::Acceptance => of(Observer::again_and_again(Expr::Accepting)),
        PropertyKind::Never => match system.claims.iter().find(|claim| claim.automaton.name == property.name)
        {
            Some(claim) => of(claims::of_claim(&claim.automaton)?),
            None => Err("there is no such never claim".to_string()),
        },
        PropertyKind::Ltl => match system.formulas.iter().find(|formula| formula.name == property.name) {
            Some(formula) => observers::of_formula(&formula.formula, limited),
            None => Err("there is no such formula".to_string()),
        },
        PropertyKind::Automaton => {
            let automaton = model.automata.iter().find(|automaton| automaton.name == property.name);
            of(automaton.ok_or("there is no such automaton")?.observer(system)?)
        }
        _ => Err("not a temporal property".to_string()),
    }
}

/// The system with this property and no other, simplified if that is wished and nobody can tell.
fn alone(
    model: &Model,
    options: &CheckOptions,
    property: &Property,
    observer: &Observer,
) -> (System, Simplified) {
    let mut system = with_hidden(model, options).into_owned();
    system
        .claims
        .retain(|claim| property.kind == PropertyKind::Never && claim.automaton.name == property.name);
    let has_formula = matches!(property.kind, PropertyKind::Ltl | PropertyKind::Automaton);
    system.formulas.retain(|formula| has_formula && formula.name == property.name);
    system.traces.clear();
    if !options.simplify || options.interpret {
        return (system, Simplified::default());
    }
    let passes = PassOptions {
        merge: !observer.counts_steps
            && options.fair.fairness == Fairness::None
            && !options.order.needs_every_run(),
        properties: true,
        labels: matches!(property.kind, PropertyKind::Progress | PropertyKind::Acceptance),
        check_overflow: options.semantics.check_overflow,
        ..PassOptions::default()
    };
    simplify(&system, &passes)
}

/// Searches with compiled steps, or with the interpreter if that is wished or the system needs it.
fn search(
    system: &System,
    options: &CheckOptions,
    question: &CycleQuestion,
    monitor: &mut dyn Monitor,
) -> Result<(CycleOutcome, bool), String> {
    // A reduction keeps some run that violates the property, not the shortest.
    let reduce = options.reduce && !question.shortest;
    if !options.interpret
        && let Ok(outcome) = explore_cycles(system, options.semantics, question, reduce, monitor)
        && (!outcome.endless || outcome.lasso.is_some() || outcome.stopped.is_some())
    {
        return Ok((outcome, false));
    }
    // What happens in an atomic sequence that never ends only the slow way sees.
    let interpreter = Interpreter::new(system, options.semantics).with_alarm(monitor.alarm());
    let letter = |state: &_| interpreter.letter(state, &question.observer.propositions).0;
    let is_chosen = |state: &State, pid: Pid| {
        let process = state.processes.get(pid as usize);
        process.is_some_and(|process| {
            question.chosen.is_none_or(|chosen| chosen.contains(pid, process.proctype, process.location))
        })
    };
    let asks_who = question.fairness != Fairness::None;
    let space = Plain::new(&interpreter, &letter, asks_who, question.chosen.map(|_| &is_chosen as _));
    let space = space.with_alarm(monitor.alarm());
    match cycles::search(space, question, monitor, std::time::Instant::now()) {
        Ok(outcome) => Ok((outcome, true)),
        Err(_) => Err("the search could not be begun".to_string()),
    }
}

/// The violation that the property cannot even be evaluated at the end of the steps.
fn unreadable(model: &Model, observer: &Observer, run: &Repeated) -> Option<Violation> {
    let fault = lasso::unreadable(&model.system, observer, run)?;
    let trail = Trail { steps: run.lasso.steps.iter().map(|step| trail_step(*step)).collect(), cycle: None };
    let reason = format!("the property cannot be evaluated here: {fault}");
    Some(Violation { reason, location: None, trail, count: 1, preemptions: None })
}

/// What the observer saw.
fn explanation(
    model: &Model,
    watch: &Watch,
    lasso: &Lasso,
    reading: &Reading,
    limited: &Limited,
) -> Explanation {
    let observer = &watch.observer;
    // The first state after so many steps counts.
    let observed: HashMap<usize, u32> = lasso.observed.iter().rev().copied().collect();
    let moment = |(letter, after): &(Letter, usize)| Moment {
        after: *after,
        letter: letter.holds,
        observer: observed.get(after).copied(),
    };
    let lost = watch.formula.as_ref().and_then(|formula| {
        match allways_ltl::translate_to_any(formula, &limited.options).ok()? {
            Translation::Buchi(could_hold) => lost_at(could_hold.initial, &could_hold.states, reading),
            Translation::EmersonLei(could_hold) => lost_at(could_hold.initial, &could_hold.states, reading),
        }
    });
    Explanation {
        propositions: observer.propositions.iter().map(|expr| expr_text(&model.system, expr)).collect(),
        moments: reading.letters.iter().map(moment).collect(),
        lost_after: lost,
    }
}

/// The number of steps after which an automaton that accepts all good runs has no way to go on: all its states, or all from
/// which that is known, are the beginning of an accepted run.
fn lost_at(initial: u32, good: &[Vec<Edge>], reading: &Reading) -> Option<usize> {
    let mut states = vec![initial];
    for (letter, after) in &reading.letters {
        let mut next: Vec<u32> = Vec::new();
        for state in &states {
            let edges = good.get(*state as usize).into_iter().flatten();
            next.extend(edges.filter(|edge| edge.label.contains(letter.holds)).map(|edge| edge.target));
        }
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Some(*after);
        }
        states = next;
    }
    None
}

/// What must be said of a formula that holds for a trivial reason: some condition in it is never true, or always, and that alone makes
/// the formula true.
fn vacuity(system: &System, watch: &Watch, outcome: &CycleOutcome, limited: &Limited) -> Vec<String> {
    let Some(formula) = &watch.formula else { return Vec::new() };
    // A single condition is what the formula is about. Where the observer gave up, not all states were met.
    if watch.observer.propositions.len() < 2 || outcome.gave_up {
        return Vec::new();
    }
    let mut remarks = Vec::new();
    for (bit, proposition) in watch.observer.propositions.iter().enumerate() {
        let (ever, ever_not) = (outcome.ever >> bit & 1 == 1, outcome.ever_not >> bit & 1 == 1);
        let (constant, when) = match (ever, ever_not) {
            (false, true) => (Ltl::False, "never"),
            (true, false) => (Ltl::True, "always"),
            _ => continue,
        };
        if with_constant(formula, bit as u32, &constant).simplified_with(&limited.options) == Ltl::True {
            let text = expr_text(system, proposition);
            remarks.push(format!("it holds only because `{text}` is {when} true"));
        }
    }
    remarks
}

/// The formula with a constant in place of a proposition.
fn with_constant(formula: &Ltl, proposition: u32, constant: &Ltl) -> Ltl {
    let inner = |formula: &Ltl| with_constant(formula, proposition, constant);
    let both = |operands: &(Ltl, Ltl)| Box::new((inner(&operands.0), inner(&operands.1)));
    match formula {
        Ltl::Proposition(number) if *number == proposition => constant.clone(),
        Ltl::True | Ltl::False | Ltl::Proposition(_) => formula.clone(),
        Ltl::Not(operand) => Ltl::Not(Box::new(inner(operand))),
        Ltl::And(operands) => Ltl::And(operands.iter().map(inner).collect()),
        Ltl::Or(operands) => Ltl::Or(operands.iter().map(inner).collect()),
        Ltl::Implies(operands) => Ltl::Implies(both(operands)),
        Ltl::Equivalent(operands) => Ltl::Equivalent(both(operands)),
        Ltl::Next(operand) => Ltl::Next(Box::new(inner(operand))),
        Ltl::Eventually(operand) => Ltl::Eventually(Box::new(inner(operand))),
        Ltl::Always(operand) => Ltl::Always(Box::new(inner(operand))),
        Ltl::Until(operands) => Ltl::Until(both(operands)),
        Ltl::WeakUntil(operands) => Ltl::WeakUntil(both(operands)),
        Ltl::Release(operands) => Ltl::Release(both(operands)),
        Ltl::StrongRelease(operands) => Ltl::StrongRelease(both(operands)),
    }
}

fn violation(model: &Model, property: &Property, lasso: &Lasso) -> Violation {
    let what = match property.kind {
        PropertyKind::Progress => {
            let mut locations = model.system.proctypes.iter().flat_map(|proctype| &proctype.locations);
            match locations.any(|location| location.is_progress) {
                true => "a cycle without progress".to_string(),
                false => "a cycle, and the model has no progress label".to_string(),
            }
        }
        PropertyKind::Acceptance => "a cycle through an accept label".to_string(),
        PropertyKind::Never => format!("the never claim `{}` accepts this run", property.name),
        PropertyKind::Automaton => {
            let automaton = model.automata.iter().find(|automaton| automaton.name == property.name);
            match automaton.map(|automaton| automaton.demand) {
                Some(Demand::Require) => "the automaton does not accept this run".to_string(),
                _ => "the automaton accepts this run".to_string(),
            }
        }
        _ => {
            let formula = model.system.formulas.iter().find(|formula| formula.name == property.name);
            format!("not true of this run: {}", formula.map_or("", |formula| &formula.text))
        }
    };
    let reason = match lasso.cycle {
        Some(start) if start == lasso.steps.len() => format!("{what} (its last state is repeated for ever)"),
        _ => what,
    };
    Violation {
        reason,
        location: None,
        trail: Trail {
            steps: lasso.steps.iter().map(|step| trail_step(*step)).collect(),
            cycle: lasso.cycle,
        },
        count: 1,
        preemptions: None,
    }
}

/// Whether a trail shows that a property is violated, and how, if that can be told.
pub(crate) fn shown_by(
    model: &Model,
    semantics: Semantics,
    property: &Property,
    fair: &FairRuns,
    trail: &Trail,
) -> Result<Option<(Violation, Option<Explanation>)>, ReplayError> {
    let at_start = |why| ReplayError { step: 0, why };
    let limited = Limited::new(Alarm::default(), None);
    let watch = watch(model, property, &limited).map_err(at_start)?;
    let lasso = Lasso {
        steps: trail.steps.iter().map(|step| step_of(*step)).collect(),
        cycle: trail.cycle,
        observed: Vec::new(),
    };
    let options = CheckOptions { semantics, fair: fair.clone(), simplify: true, ..CheckOptions::default() };
    let run = Repeated { semantics, lasso: &lasso, alarm: Alarm::default(), memory: None };
    if lasso.cycle.is_none()
        && let Some(violation) = unreadable(model, &watch.observer, &run)
    {
        return Ok(Some((violation, None)));
    }
    let (simplified, _) = alone(model, &options, property, &watch.observer);
    // A cycle of what was searched may differ in what does not matter.
    let confirmed =
        [&model.system, &simplified].map(|searched| confirm(&model.system, searched, &watch, fair, &run));
    let reading = confirmed.into_iter().find_map(Result::ok);
    Ok(reading.map(|reading| {
        (violation(model, property, &lasso), Some(explanation(model, &watch, &lasso, &reading, &limited)))
    }))
}

/// The verdict if no run was found.
fn unviolated(outcome: &CycleOutcome) -> Verdict {
    let inconclusive = |reason: &str, advice: &str| Verdict::Inconclusive {
        reason: reason.to_string(),
        advice: Some(advice.to_string()),
    };
    match outcome.stopped {
        Some(Stopped::Time) => {
            return inconclusive("the time limit was reached", "allow more with --max-time");
        }
        Some(Stopped::Memory) => {
            return inconclusive("the memory limit was reached", "allow more with --max-mem");
        }
        Some(Stopped::Interrupt | Stopped::Violation) => {
            return inconclusive("the search was interrupted", "let it run longer");
        }
        None => {}
    }
    if let Some(reason) = &outcome.too_large {
        return inconclusive(reason, "does the model create processes without bound?");
    }
    if let Some(loss) = outcome.loss {
        let covered = part_covered(loss.coverage);
        return inconclusive(
            &format!(
                "no violation was found, but the store forgets: {covered} of the states met were visited"
            ),
            "only --store exact can say `holds`",
        );
    }
    if outcome.depth_cut {
        return inconclusive("paths longer than the depth limit were cut", "allow more with --max-depth");
    }
    if outcome.fault_cut {
        return inconclusive(
            "runs were not followed beyond a run-time error",
            "mend the error first: check `assertions`",
        );
    }
    Verdict::Holds
}
