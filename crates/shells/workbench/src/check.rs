//! Checking the properties of a model.

use std::borrow::Cow;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use allways_explicit::cycles::Algorithm;
use allways_explicit::{
    Coverage, Found, Keep, Loss, Monitor, OneSearch, Order, Outcome, Question, Stopped, Until, What, explore,
    reference,
};
use allways_interpreter::{Interpreter, Semantics};
use allways_passes::{PassOptions, Report as Simplified, simplify};
use allways_source::{FileId, Span, did_you_mean};
use allways_system::{Action, Alarm, Fault, Halt, ProctypeId, Step, System, Transition, TransitionId};
use allways_verdict::{
    Limits, Location, Property, PropertyKind, Statistics, Trail, TrailStep, Verdict, Violation,
};

use crate::Model;
use crate::fair::FairRuns;
use crate::run::{NotRepeated, Run};
use crate::temporal::{self, TemporalSearch};
use crate::traced::Traced;

/// What to check and how.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Names; none means everything the model states.
    pub properties: Vec<String>,
    /// What the model leaves open.
    pub semantics: Semantics,
    /// Order of the search.
    pub order: Order,
    /// When it is over, if violations are found.
    pub until: Until,
    /// Bounds; the time is watched by the monitor.
    pub limits: Limits,
    /// How visited states are kept.
    pub keep: Keep,
    /// How often a search whose store loses states is repeated, each time with the next seed; 0 counts as 1.
    pub searches: u32,
    /// Where to begin anew when the memory limit is reached in the exact store; none to stop there.
    pub on_full: Option<Keep>,
    /// Leave out runs that others stand for.
    pub reduce: bool,
    /// How many threads; 0 counts as 1.
    pub threads: usize,
    /// Do in a small search, too, what pays only in a large one: for tests.
    pub eager: bool,
    /// Forget values that are never read again, and do not stop where no other process could notice.
    pub simplify: bool,
    /// Leave `hidden` variables out of the states, as Spin does. If something reads one, nothing holds then.
    pub leave_out_hidden: bool,
    /// Search with the interpreter and a plain store.
    pub interpret: bool,
    /// Which runs count for temporal properties.
    pub fair: FairRuns,
    /// How cycles are searched for.
    pub algorithm: Algorithm,
}

/// The answers.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// One per property, in the order of [`properties`].
    pub properties: Vec<PropertyResult>,
    /// Bugs of ours that were noticed: each made one property inconclusive.
    pub internal_errors: Vec<String>,
    /// What it took.
    pub statistics: Statistics,
    /// Every reachable state was explored.
    pub complete: bool,
    /// Statements that no run executes; empty unless `complete`.
    pub unreached: Vec<Unreached>,
    /// Why some search ended early, if one did.
    pub stopped: Option<Stopped>,
    /// The same of the search for all properties without a search of their own, to which the figures belong.
    pub stopped_together: Option<Stopped>,
    /// The searches for traces: which, what it took, and why it ended early.
    pub traces: Vec<(String, Statistics, Option<Stopped>)>,
    /// What was left out of the states.
    pub simplified: Simplified,
    /// How it was searched.
    pub method: Method,
    /// What the store may have lost, if it forgets; by all searches together, if there were several.
    pub loss: Option<Loss>,
    /// One by one, if there were several.
    pub searches: Vec<OneSearch>,
}

/// How a search went about it. Not always as asked: what cannot be compiled is left to the interpreter, which knows only
/// the plain way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Method {
    /// By the interpreter instead of compiled steps.
    pub interpreted: bool,
    /// Runs may have been left out because others stand for them.
    pub reduced: bool,
    /// The store that was used at last.
    pub keep: Keep,
    /// How many states the exact store had when the memory limit was reached, if the search did not stop then.
    pub full_after: Option<u64>,
    /// It began anew then.
    pub begun_anew: bool,
    /// At least 1.
    pub threads: usize,
    /// Only runs with at most so many preemptions were explored.
    pub context_bound: Option<u32>,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct PropertyResult {
    /// What was asked.
    pub property: Property,
    /// The answer.
    pub verdict: Verdict,
    /// How it was found, if the property had a search of its own.
    pub search: Option<TemporalSearch>,
}

impl PropertyResult {
    /// A property that cannot be checked.
    pub(crate) fn unknown(property: Property, reason: String) -> PropertyResult {
        PropertyResult { property, verdict: Verdict::Inconclusive { reason, advice: None }, search: None }
    }
}

/// A statement that no run executes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreached {
    /// Where it belongs.
    pub proctype: String,
    /// Where it is written.
    pub location: Location,
    /// What it says.
    pub text: String,
}

/// Why nothing was checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The user asked for a property that the model does not have.
    #[error("the model has no property `{name}`")]
    UnknownProperty {
        /// As given.
        name: String,
        /// Close to it.
        suggestion: Option<String>,
        /// All there are.
        known: Vec<String>,
    },
    /// The user asked for a bound that has no meaning for a property, or did not say that this property is not to be checked.
    #[error("a context bound is not for temporal properties, and `{property}` is one")]
    ContextBound {
        /// The first of them.
        property: String,
    },
    /// A trail did not lead to the violation it was recorded for: our bug.
    #[error("internal error: the counterexample for `{property}` does not replay: {why}")]
    Replay {
        /// Of which property.
        property: String,
        /// What went wrong.
        why: String,
    },
}

/// Everything the model states, in the order of reports.
pub fn properties(model: &Model) -> Vec<Property> {
    let system = &model.system;
    let mut list = vec![
        Property { name: "assertions".to_string(), kind: PropertyKind::Assertions },
        Property { name: "deadlock".to_string(), kind: PropertyKind::Deadlock },
    ];
    let mut add = |name: &str, kind| list.push(Property { name: name.to_string(), kind });
    if system.proctypes.iter().any(|proctype| !proctype.exclusive.is_empty()) {
        add("exclusive", PropertyKind::Exclusive);
    }
    let mut locations = system.proctypes.iter().flat_map(|proctype| &proctype.locations);
    if locations.clone().any(|location| location.is_progress) {
        add("progress", PropertyKind::Progress);
    }
    if locations.any(|location| location.is_accept) {
        add("acceptance", PropertyKind::Acceptance);
    }
    for claim in &system.claims {
        add(&claim.automaton.name, PropertyKind::Never);
    }
    for formula in &system.formulas {
        let is_automaton = model.automata.iter().any(|automaton| automaton.name == formula.name);
        add(&formula.name, if is_automaton { PropertyKind::Automaton } else { PropertyKind::Ltl });
    }
    for trace in &system.traces {
        add(&trace.automaton.name, PropertyKind::Trace);
    }
    list
}

/// Checks a model.
pub fn check(
    model: &Model,
    options: &CheckOptions,
    monitor: &mut dyn Monitor,
) -> Result<CheckResult, CheckError> {
    let selected = select(&properties(model), &options.properties)?;
    let (temporal, selected): (Vec<Property>, Vec<Property>) = selected
        .into_iter()
        .partition(|property| property.kind == PropertyKind::Trace || temporal::is_temporal(property.kind));
    let endless = temporal.iter().find(|property| temporal::is_temporal(property.kind));
    if let (Some(property), Order::Preemptions(_)) = (endless, options.order) {
        return Err(CheckError::ContextBound { property: property.name.clone() });
    }
    let mut result = match selected.is_empty() && !temporal.is_empty() {
        true => nothing_searched(),
        false => {
            let search = || check_states(model, options, selected.clone(), &mut *monitor);
            catch_unwind(AssertUnwindSafe(search)).unwrap_or_else(|_| nothing_found(&selected))
        }
    };
    let is_alone = result.properties.is_empty();
    for property in temporal {
        if options.until == Until::FirstViolation && result.is_violated() {
            result.leave_out(property);
            continue;
        }
        let search = || match property.kind {
            PropertyKind::Trace => check_trace(model, options, property.clone(), &mut *monitor)
                .map(|(answer, outcome)| (answer, None, Some(outcome))),
            _ => temporal::check(model, options, property.clone(), &mut *monitor)
                .map(|(answer, stopped)| (answer, stopped, None)),
        };
        match catch_unwind(AssertUnwindSafe(search)) {
            Ok(Ok((answer, _, Some(outcome)))) => result.add_trace(answer, outcome),
            Ok(Ok((answer, stopped, None))) => {
                result.note_stopped(&stopped);
                result.add(answer);
            }
            Ok(Err(error)) => result.fail(property, error.to_string()),
            Err(_) => result.fail(property, PANICKED.to_string()),
        }
    }
    result.doubt_hidden(model, options);
    if is_alone {
        result.complete = result.properties.iter().all(|property| property.verdict == Verdict::Holds);
    }
    Ok(result)
}

/// Checks what can be seen in single states and steps, all in one search.
fn check_states(
    model: &Model,
    options: &CheckOptions,
    selected: Vec<Property>,
    monitor: &mut dyn Monitor,
) -> CheckResult {
    let asks = |kind| selected.iter().any(|property| property.kind == kind);
    let question = Question {
        assertions: asks(PropertyKind::Assertions),
        deadlock: asks(PropertyKind::Deadlock),
        exclusive: asks(PropertyKind::Exclusive),
        order: options.order,
        until: options.until,
        limits: options.limits,
        keep: options.keep,
        searches: options.searches,
        on_full: options.on_full,
        reduce: options.reduce,
        threads: options.threads,
        eager: options.eager,
    };
    let Answer { mut outcome, simplified, method } = match search(model, options, &question, monitor) {
        Ok(answer) => answer,
        Err(fault) => return no_initial_state(selected, fault),
    };
    let alarm = monitor.alarm().for_repeating();
    let mut statistics = outcome.statistics;
    let mut properties = Vec::new();
    let mut internal_errors = Vec::new();
    for property in selected {
        let verdict = match outcome.found.iter_mut().find(|found| found.kind == property.kind) {
            Some(found) => match confirm(model, options.semantics, found, &alarm) {
                Ok(shown) => {
                    statistics.replayed += 1;
                    let steps = std::mem::take(&mut found.steps);
                    Verdict::Violated(violation(model, Found { steps, ..found.clone() }, &shown))
                }
                Err(NotRepeated::Halted(halt)) => not_repeated(halt),
                Err(NotRepeated::Wrong(why)) => doubt_of_hidden(model, options).unwrap_or_else(|| {
                    let reason = CheckError::Replay { property: property.name.clone(), why }.to_string();
                    internal_errors.push(reason.clone());
                    Verdict::Inconclusive { reason, advice: None }
                }),
            },
            None => unviolated(options, &outcome),
        };
        properties.push(PropertyResult { property, verdict, search: None });
    }
    let complete = is_complete(&outcome);
    let unreached = if complete { unreached_of(model, &outcome.coverage) } else { Vec::new() };
    // The search may be over when what it found is repeated.
    let is_interrupted = alarm.rings() == Some(Halt::Interrupt);
    let stopped = outcome.stopped.clone().or(is_interrupted.then_some(Stopped::Interrupt));
    CheckResult {
        properties,
        internal_errors,
        statistics,
        complete,
        unreached,
        stopped_together: outcome.stopped.clone(),
        traces: Vec::new(),
        stopped,
        simplified,
        method,
        loss: outcome.loss,
        searches: outcome.searches,
    }
}

/// Checks a `trace` or `notrace`.
fn check_trace(
    model: &Model,
    options: &CheckOptions,
    property: Property,
    monitor: &mut dyn Monitor,
) -> Result<(PropertyResult, Outcome), CheckError> {
    let known = model.system.traces.iter().find(|trace| trace.automaton.name == property.name);
    let Some(trace) = known else {
        let reason = "there is no such trace".to_string();
        return Ok((PropertyResult::unknown(property, reason), Outcome::default()));
    };
    let traced = Traced::new(&model.system, options.semantics, trace);
    let outcome = match traced.search(options, monitor) {
        Ok(outcome) => outcome,
        Err(fault) => {
            let reason = format!("there is no initial state: {fault}");
            return Ok((PropertyResult::unknown(property, reason), Outcome::default()));
        }
    };
    let verdict = match Traced::found(&outcome) {
        Some(found) => {
            let failed = |why| CheckError::Replay { property: property.name.clone(), why };
            let alarm = monitor.alarm().for_repeating();
            let confirmed = match found.is_cut {
                true => Err(NotRepeated::Halted(alarm.rings().unwrap_or(Halt::Time))),
                false => traced.with_alarm(alarm.clone()).confirm(&found.steps, &alarm),
            };
            match confirmed {
                Ok((true, last)) => {
                    let shown = Shown { last, what: found.what.clone() };
                    let violation = violation(model, found, &shown);
                    Verdict::Violated(Violation { reason: traced.reason(), ..violation })
                }
                Ok((false, _)) => return Err(failed("the last step does not violate the trace".to_string())),
                Err(NotRepeated::Halted(halt)) => not_repeated(halt),
                Err(NotRepeated::Wrong(why)) => return Err(failed(why)),
            }
        }
        None => unviolated(options, &outcome),
    };
    Ok((PropertyResult { property, verdict, search: None }, outcome))
}

/// What is said of a property whose search panicked.
const PANICKED: &str = "internal error: the search for this property panicked";

/// The result of a search that panicked.
fn nothing_found(selected: &[Property]) -> CheckResult {
    let mut result = CheckResult { complete: false, ..nothing_searched() };
    selected.iter().for_each(|property| result.fail(property.clone(), PANICKED.to_string()));
    result
}

/// The result before any search.
fn nothing_searched() -> CheckResult {
    CheckResult {
        properties: Vec::new(),
        internal_errors: Vec::new(),
        statistics: Statistics::default(),
        complete: true,
        unreached: Vec::new(),
        stopped: None,
        stopped_together: None,
        traces: Vec::new(),
        simplified: Simplified::default(),
        method: Method { threads: 1, ..Method::default() },
        loss: None,
        searches: Vec::new(),
    }
}

impl CheckResult {
    /// Whether a violation of any property was found.
    fn is_violated(&self) -> bool {
        self.properties.iter().any(|property| matches!(property.verdict, Verdict::Violated(_)))
    }

    /// Adds a trace, with what its search took.
    fn add_trace(&mut self, answer: PropertyResult, outcome: Outcome) {
        self.note_stopped(&outcome.stopped);
        self.traces.push((answer.property.name.clone(), outcome.statistics, outcome.stopped));
        self.properties.push(answer);
    }

    /// A violation that left nothing to be decided did not cut anything short, and a limit or an interrupt of another search did.
    fn note_stopped(&mut self, stopped: &Option<Stopped>) {
        let is_settled = !matches!(self.stopped, None | Some(Stopped::Violation));
        match stopped {
            None | Some(Stopped::Violation) => {}
            Some(_) if is_settled && *stopped != Some(Stopped::Interrupt) => {}
            Some(_) => self.stopped.clone_from(stopped),
        }
    }

    /// Adds a property that is not searched for because the first violation ended everything.
    fn leave_out(&mut self, property: Property) {
        self.stopped.get_or_insert(Stopped::Violation);
        self.properties.push(PropertyResult { property, verdict: stopped_at_another(), search: None });
    }

    /// Adds a property that could not be decided because of a bug of ours.
    fn fail(&mut self, property: Property, why: String) {
        self.internal_errors.push(why.clone());
        self.properties.push(PropertyResult::unknown(property, why));
    }

    /// Nothing holds if something was left out of the states that matters.
    fn doubt_hidden(&mut self, model: &Model, options: &CheckOptions) {
        let Some(doubt) = doubt_of_hidden(model, options) else { return };
        for property in self.properties.iter_mut().filter(|property| property.verdict == Verdict::Holds) {
            property.verdict = doubt.clone();
        }
        self.complete = false;
        self.unreached.clear();
    }

    /// Adds a property that had a search of its own. Without a search before, its figures are those of the whole.
    fn add(&mut self, result: PropertyResult) {
        if let Some(search) = &result.search {
            self.note_stopped(&search.stopped);
            let replayed = self.statistics.replayed + search.statistics.replayed;
            if self.statistics.states == 0 {
                self.statistics = search.statistics;
                self.method.reduced = search.reduced;
                self.method.interpreted = search.interpreted;
            }
            self.statistics.replayed = replayed;
        }
        self.properties.push(result);
    }
}

struct Answer {
    outcome: Outcome,
    simplified: Simplified,
    method: Method,
}

/// Searches with compiled steps, or with the interpreter if that is wished or the system needs it.
fn search(
    model: &Model,
    options: &CheckOptions,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Answer, Fault> {
    if !options.interpret {
        // A step of the simplified system is a step of the original one, with the same ids.
        let (system, simplified) = simplified(model, options);
        if let Ok(outcome) = explore(&system, options.semantics, question, monitor) {
            let method = Method {
                interpreted: false,
                reduced: outcome.reduced,
                keep: outcome.keep,
                full_after: outcome.full_after,
                begun_anew: outcome.begun_anew,
                threads: outcome.threads.max(1),
                context_bound: context_bound(options),
            };
            return Ok(Answer { outcome, simplified, method });
        }
    }
    let system = with_hidden(model, options);
    let interpreter = Interpreter::new(&system, options.semantics).with_alarm(monitor.alarm());
    let outcome = reference::search(&interpreter, question, monitor)?;
    let method =
        Method { interpreted: true, threads: 1, context_bound: context_bound(options), ..Method::default() };
    Ok(Answer { outcome, simplified: Simplified::default(), method })
}

/// How many preemptions a run may have, if that is bounded.
fn context_bound(options: &CheckOptions) -> Option<u32> {
    match options.order {
        Order::Preemptions(at_most) => Some(at_most),
        _ => None,
    }
}

/// The system that is searched, and what was done to it.
pub(crate) fn simplified<'m>(model: &'m Model, options: &CheckOptions) -> (Cow<'m, System>, Simplified) {
    let system = with_hidden(model, options);
    if !options.simplify {
        return (system, Simplified::default());
    }
    let check_overflow = options.semantics.check_overflow;
    // Merging leaves out runs in which others move in between, and one of these may be the shortest. Nor are steps what they
    // were for a count of preemptions.
    let merge = !options.order.needs_every_run();
    let passes = PassOptions { merge, check_overflow, ..PassOptions::default() };
    let (system, report) = simplify(&system, &passes);
    (Cow::Owned(system), report)
}

/// States that differ in a `hidden` variable were taken for the same: if something reads it, what follows from them may differ. Then
/// nothing holds, nor need a run be one that was put together of such states.
pub(crate) fn doubt_of_hidden(model: &Model, options: &CheckOptions) -> Option<Verdict> {
    let reads = model.hidden_reads(options.semantics);
    if !options.leave_out_hidden || reads.is_empty() {
        return None;
    }
    let names: Vec<String> = reads.iter().map(|name| format!("`{name}`")).collect();
    let (is, it) = if names.len() == 1 { ("is", "it") } else { ("are", "them") };
    let names = names.join(", ");
    let reason = format!("{names} {is} hidden and left out of the states, but something reads {it}");
    let advice = Some("leave out --plain: what is read is part of the states then".to_string());
    Some(Verdict::Inconclusive { reason, advice })
}

/// The model's system, with the variables marked that are to be left out of the states.
pub(crate) fn with_hidden<'m>(model: &'m Model, options: &CheckOptions) -> Cow<'m, System> {
    if !options.leave_out_hidden || model.hidden.is_empty() {
        return Cow::Borrowed(&model.system);
    }
    let mut system = model.system.clone();
    model.hidden.iter().for_each(|variable| system.globals.variables[*variable].hidden = true);
    Cow::Owned(system)
}

/// Those of all properties that have these names; no names mean all.
pub fn select(all: &[Property], names: &[String]) -> Result<Vec<Property>, CheckError> {
    if names.is_empty() {
        return Ok(all.to_vec());
    }
    for name in names {
        let is_standard = ["progress", "acceptance", "exclusive"].contains(&name.as_str());
        if !is_standard && !all.iter().any(|property| property.name == *name) {
            let known: Vec<String> = all.iter().map(|property| property.name.clone()).collect();
            let suggestion = did_you_mean(name, known.iter().map(|name| &**name)).map(str::to_string);
            return Err(CheckError::UnknownProperty { name: name.clone(), suggestion, known });
        }
    }
    let mut selected: Vec<Property> =
        all.iter().filter(|property| names.contains(&property.name)).cloned().collect();
    // Asked for although the model says nothing about it. Without any progress label every cycle lacks progress.
    for (name, kind) in [
        ("exclusive", PropertyKind::Exclusive),
        ("progress", PropertyKind::Progress),
        ("acceptance", PropertyKind::Acceptance),
    ] {
        if names.iter().any(|asked| asked == name) && !selected.iter().any(|property| property.name == name) {
            selected.push(Property { name: name.to_string(), kind });
        }
    }
    Ok(selected)
}

fn is_complete(outcome: &Outcome) -> bool {
    outcome.stopped.is_none()
        && !outcome.depth_cut
        && !outcome.bound_cut
        && outcome.too_large.is_none()
        && !outcome.fault_cut
        && outcome.loss.is_none()
}

/// The verdict on a property of which no violation was found.
fn unviolated(options: &CheckOptions, outcome: &Outcome) -> Verdict {
    let inconclusive = |reason: &str, advice: Option<&str>| Verdict::Inconclusive {
        reason: reason.to_string(),
        advice: advice.map(str::to_string),
    };
    match &outcome.stopped {
        Some(Stopped::Violation) => {
            return stopped_at_another();
        }
        Some(Stopped::Time) => {
            return inconclusive("the time limit was reached", Some("allow more with --max-time"));
        }
        Some(Stopped::Memory) => {
            let reason = match outcome.full_after {
                None => "the memory limit was reached".to_string(),
                Some(_) => {
                    format!("the memory limit was reached{}, where it was reached again", after_full(outcome))
                }
            };
            let advice = match outcome.keep {
                Keep::Bitstate { .. } => "allow more with --max-mem",
                _ => "allow more with --max-mem, or use --on-full bitstate",
            };
            return inconclusive(&reason, Some(advice));
        }
        Some(Stopped::Interrupt) => {
            return inconclusive(
                "the search was interrupted",
                Some("let it run longer, or bound it with --max-time or --max-depth"),
            );
        }
        None => {}
    }
    if let Some(reason) = &outcome.too_large {
        return inconclusive(reason, Some("does the model create processes without bound?"));
    }
    if outcome.bound_cut {
        let reason = match options.order {
            Order::Preemptions(0) => "runs with preemptions were not explored".to_string(),
            Order::Preemptions(1) => "runs with more than 1 preemption were not explored".to_string(),
            Order::Preemptions(n) => format!("runs with more than {n} preemptions were not explored"),
            _ => "some runs were not explored".to_string(),
        };
        return inconclusive(&reason, Some("allow more with --context-bound"));
    }
    if let Some(loss) = &outcome.loss {
        return lossy(outcome, loss);
    }
    if outcome.depth_cut {
        return inconclusive(
            "paths longer than the depth limit were cut",
            Some("allow more with --max-depth"),
        );
    }
    if outcome.fault_cut {
        // The violation that is told may be another one.
        return match outcome.found.iter().any(|found| found.kind == PropertyKind::Assertions) {
            true => {
                inconclusive("runs were not followed beyond a run-time error", Some("mend the error first"))
            }
            false => inconclusive(
                "some runs end in a run-time error, which was not asked for",
                Some("check `assertions` too"),
            ),
        };
    }
    Verdict::Holds
}

/// The verdict where the first violation, one of another property, ended the search.
fn stopped_at_another() -> Verdict {
    Verdict::Inconclusive {
        reason: "the search stopped at a violation of another property".to_string(),
        advice: Some("leave out --first".to_string()),
    }
}

/// The verdict after a search that went to its end in a store that forgets.
fn lossy(outcome: &Outcome, loss: &Loss) -> Verdict {
    let missed = loss.missed_probability;
    let (estimate, advice) = match outcome.keep {
        Keep::Bitstate { .. } => (
            format!(
                "a few bits stand for a state, so that {} of the states met were visited",
                part_covered(loss.coverage)
            ),
            "for more coverage give a larger table with --max-mem, or more --searches; \
             only --store exact can say `holds`",
        ),
        _ => (
            format!("a hash stands for a state, so that some state was missed with probability {missed:.1e}"),
            "only --store exact can say `holds`",
        ),
    };
    let reason = match outcome.full_after {
        None => format!("no violation was found, but {estimate}"),
        Some(_) => {
            format!(
                "no violation was found, but the memory limit was reached{}: {estimate}",
                after_full(outcome)
            )
        }
    };
    Verdict::Inconclusive { reason, advice: Some(advice.to_string()) }
}

/// An estimated part of all, in words that never claim that it is all.
pub fn part_covered(coverage: f64) -> String {
    let percent = 100.0 * coverage;
    if percent > 99.9999 { "more than 99.9999 %".to_string() } else { format!("about {percent:.4} %") }
}

/// What happened when the memory limit was reached in the exact store.
fn after_full(outcome: &Outcome) -> String {
    let Some(states) = outcome.full_after else { return String::new() };
    let store = match outcome.keep {
        Keep::Bitstate { .. } => "bitstate",
        _ => "compact",
    };
    let states = match states {
        1 => "1 state".to_string(),
        n => format!("{n} states"),
    };
    let how = if outcome.begun_anew { "began anew" } else { "went on" };
    format!(" with {states} in the exact store, and the search {how} in the {store} store")
}

fn no_initial_state(selected: Vec<Property>, fault: Fault) -> CheckResult {
    let verdict = |property: &Property| match property.kind {
        PropertyKind::Assertions => Verdict::Violated(violated_at_the_start(&fault)),
        _ => Verdict::Inconclusive {
            reason: format!("there is no initial state: {fault}"),
            advice: Some("mend the initial values of the global variables first".to_string()),
        },
    };
    CheckResult {
        properties: selected
            .into_iter()
            .map(|property| PropertyResult { verdict: verdict(&property), property, search: None })
            .collect(),
        complete: false,
        ..nothing_searched()
    }
}

pub(crate) fn violated_at_the_start(fault: &Fault) -> Violation {
    Violation {
        reason: format!("{fault}, while the initial state is set up"),
        location: None,
        trail: Trail::default(),
        count: 1,
        preemptions: None,
    }
}

/// The verdict where a violation was found that could not be repeated before the time was up.
pub(crate) fn not_repeated(halt: Halt) -> Verdict {
    let (what, advice) = match halt {
        Halt::Interrupt => ("the check was interrupted", None),
        Halt::Memory => ("the memory limit was reached", Some("allow more with --max-mem".to_string())),
        _ => ("the time limit was reached", Some("allow more with --max-time".to_string())),
    };
    Verdict::Inconclusive {
        reason: format!("a violation was found, but {what} before it was repeated"),
        advice,
    }
}

/// What the repetition of a trail showed.
pub(crate) struct Shown<'m> {
    /// The statement that violates the property; none for a deadlock.
    pub last: Option<&'m Transition>,
    /// What is wrong. The interpreter knows which fault it is.
    pub what: What,
}

/// Repeats a trail from the initial state and sees whether it ends as the search said.
fn confirm<'m>(
    model: &'m Model,
    semantics: Semantics,
    found: &Found,
    alarm: &Alarm,
) -> Result<Shown<'m>, NotRepeated> {
    if found.is_cut {
        return Err(NotRepeated::Halted(alarm.rings().unwrap_or(Halt::Time)));
    }
    let failed = |why| NotRepeated::because(why, alarm);
    let run = Run::start(model, semantics).map_err(|fault| failed(fault.to_string()))?;
    let mut run = run.with_alarm(alarm.clone());
    let (last, before) = match &found.what {
        What::InvalidEnd => (None, &found.steps[..]),
        _ => match found.steps.split_last() {
            Some((last, before)) => (Some(*last), before),
            None => return Err(failed("the trail is empty".to_string())),
        },
    };
    run.follow_all(before, alarm)?;
    let mut what = found.what.clone();
    let agrees = match (&mut what, last) {
        (What::InvalidEnd, _) => run.is_stuck(),
        (What::Nondeterminism, Some(step)) => run.nondeterminism() == Some(step),
        (What::Fault(fault), Some(step)) => {
            let shown = run.fault_of(step).map_err(failed)?;
            let is_fault = shown.as_ref().is_some_and(|fault| !matches!(fault, Fault::Halted(_)));
            let agrees = is_fault && (fault.is_none() || *fault == shown);
            *fault = shown;
            agrees
        }
        (What::AssertionFailed, Some(step)) => run.applied(step).map_err(failed)?.assertion_failed,
        (What::ExclusiveViolated, Some(step)) => run.applied(step).map_err(failed)?.exclusive_violated,
        (_, None) => false,
    };
    match agrees {
        true => Ok(Shown { last: last.and_then(|step| run.transition(step)), what }),
        false => Err(failed("the last step does not show the violation".to_string())),
    }
}

/// The violation that was found, as its repetition showed it.
pub(crate) fn violation(model: &Model, found: Found, shown: &Shown) -> Violation {
    let text = shown.last.map_or("", |transition| &transition.text);
    let reason = match &shown.what {
        What::AssertionFailed => format!("assertion violated: {}", assertion_text(text)),
        What::Fault(Some(fault)) => format!("{fault}: {text}"),
        What::Fault(None) => format!("run-time error: {text}"),
        What::Nondeterminism => "a D_proctype has a choice between two enabled statements".to_string(),
        What::InvalidEnd => {
            "invalid end state: no process can move, and not all are at a proper end".to_string()
        }
        What::ExclusiveViolated => {
            format!("a channel claimed with xr or xs is used by another process: {text}")
        }
    };
    let location = shown.last.map(|transition| model.location(transition.span));
    // The steps are many, and are not needed twice: this takes no memory of its own.
    let trail = Trail { steps: found.steps.into_iter().map(trail_step).collect(), cycle: None };
    Violation { reason, location, trail, count: found.count, preemptions: found.preemptions }
}

/// `assert((x==1))` says no more than `(x==1)`.
fn assertion_text(text: &str) -> &str {
    text.strip_prefix("assert(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(text)
}

pub(crate) fn trail_step(step: Step) -> TrailStep {
    TrailStep {
        pid: step.pid,
        transition: step.transition.0,
        partner: step.partner.map(|(pid, transition)| (pid, transition.0)),
    }
}

/// The statements that were never executed: a statement counts as executed if any of its copies was.
pub fn unreached_of(model: &Model, coverage: &Coverage) -> Vec<Unreached> {
    let mut unreached = Vec::new();
    for (index, proctype) in model.system.proctypes.iter().enumerate() {
        let id = ProctypeId(index as u32);
        // A statement can have several transitions, and reaching one of them is enough.
        let mut missing: Vec<(Span, &str)> = Vec::new();
        let mut listed: HashSet<(FileId, u32, &str)> = HashSet::new();
        let mut offered = vec![false; proctype.transitions.len()];
        for transition in proctype.locations.iter().flat_map(|location| &location.groups).flatten() {
            offered[transition.index()] = true;
        }
        let internal = internal_transitions(proctype);
        let statements = || {
            proctype.transitions.iter().enumerate().filter(|(number, transition)| {
                !internal[*number] && !matches!(transition.action, Action::Else) && offered[*number]
            })
        };
        let is_reached = |number: usize| coverage.contains(id, TransitionId(number as u32));
        for (number, transition) in statements() {
            let (span, text) = (transition.span, &*transition.text);
            if !is_reached(number) && listed.insert((span.file, span.start, text)) {
                missing.push((span, text));
            }
        }
        if missing.is_empty() {
            continue;
        }
        for (_, transition) in statements().filter(|(number, _)| is_reached(*number)) {
            listed.remove(&(transition.span.file, transition.span.start, &*transition.text));
        }
        missing.retain(|(span, text)| listed.contains(&(span.file, span.start, *text)));
        let item = |(span, text): (Span, &str)| Unreached {
            proctype: proctype.name.clone(),
            location: model.location(span),
            text: text.to_string(),
        };
        let mut missing: Vec<Unreached> = missing.into_iter().map(item).collect();
        missing.sort_by_cached_key(|item| {
            (item.location.file.clone(), item.location.line, item.location.column)
        });
        unreached.extend(missing);
    }
    unreached
}

/// Transitions inside a `d_step` are never steps of their own.
fn internal_transitions(proctype: &allways_system::Proctype) -> Vec<bool> {
    let mut internal = vec![false; proctype.transitions.len()];
    let mut todo: Vec<allways_system::LocationId> = proctype
        .transitions
        .iter()
        .filter_map(|transition| match transition.action {
            Action::DStep { entry, .. } => Some(entry),
            _ => None,
        })
        .collect();
    while let Some(location) = todo.pop() {
        for transition in proctype.location(location).groups.iter().flatten() {
            if !std::mem::replace(&mut internal[transition.index()], true) {
                todo.push(proctype.transition(*transition).target);
            }
        }
    }
    internal
}
