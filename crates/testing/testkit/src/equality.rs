//! All ways to search a model must agree.
//!
//! The yardstick is the plain depth-first search of the interpreter. Compared with it are
//! - the same search on compiled steps: all figures, the depth included;
//! - other orders, stores and numbers of threads: states, transitions, atomic steps and unreached statements;
//! - searches with reduction, simplification, both and neither: the verdicts and unreached statements;
//! - breadth-first searches: the length of the shortest trails, against the interpreter's;
//! - searches with depth limits around that length;
//! - searches within a context bound: states, verdicts and the fewest preemptions, against the interpreter's and against a count
//!   along the trail.
//!
//! Every violation is replayed by `check` itself. Left out are models with more states than a bound. Of the figures
//! only the states are compared when there are more than 10,000 atomic steps: in an atomic sequence that leads to so many
//! states they are remembered after all, and then transitions and lengths of trails depend on the order.

use std::ops::ControlFlow;

use allways_system::Action;
use allways_verdict::{Limits, Statistics, Verdict};
use allways_workbench::{
    CheckOptions, CheckResult, Keep, Model, Monitor, Order, Run, Semantics, Stopped, Unreached, Until, check,
    properties,
};

/// What came out of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Equality {
    /// All agree; so many states, and whether anything was violated.
    Equal { states: u64, violated: bool },
    /// More states than the bound.
    TooLarge,
    /// The first disagreement.
    Different(String),
}

/// From this many states on several threads take part in a search.
const WORTH_THREADS: u64 = 2_000;
/// From this many atomic steps on an atomic sequence may have been so long that its states are remembered.
const LONG_ATOMIC: u64 = 10_000;

/// Compares all ways to search a model with at most `bound` states. Claims of exclusive use, if the model makes any, are
/// once checked and once not: that changes what a reduction may leave out.
pub fn compare(model: &Model, semantics: Semantics, bound: u64) -> Equality {
    let stated = properties(model).into_iter().map(|property| property.name);
    let mut names: Vec<String> =
        stated.filter(|name| ["assertions", "deadlock", "exclusive"].contains(&&**name)).collect();
    loop {
        let properties = names.clone();
        let plain =
            CheckOptions { properties, semantics, until: Until::AllExplored, ..CheckOptions::default() };
        let equality = match (Comparison { model, bound, plain }).run() {
            Ok(equality) => equality,
            Err(difference) => Equality::Different(difference),
        };
        if names.len() == 2 || !matches!(equality, Equality::Equal { .. }) {
            return equality;
        }
        names.truncate(2);
    }
}

struct Comparison<'m> {
    model: &'m Model,
    bound: u64,
    plain: CheckOptions,
}

/// Stops a search that takes longer than it should.
struct Bound(u64);

impl Monitor for Bound {
    fn tick(&mut self, statistics: &Statistics) -> ControlFlow<Stopped> {
        let work = statistics.states.max(statistics.transitions() / 10);
        if work > self.0 { ControlFlow::Break(Stopped::Time) } else { ControlFlow::Continue(()) }
    }
}

impl Comparison<'_> {
    fn run(&self) -> Result<Equality, String> {
        let interpreted = CheckOptions { interpret: true, ..self.plain.clone() };
        let expected = self.search("interpreted", &interpreted, self.bound)?;
        let states = expected.statistics.states;
        if expected.stopped.is_some() || states > self.bound {
            return Ok(Equality::TooLarge);
        }
        let is_plain = expected.statistics.atomic_steps <= LONG_ATOMIC;
        self.same_figures(&expected, is_plain)?;
        self.same_verdicts(&expected)?;
        if is_plain {
            self.shortest(&interpreted)?;
        }
        self.fewest_preemptions(&expected)?;
        Ok(Equality::Equal { states, violated: is_violated(&expected) })
    }

    fn search(&self, name: &str, options: &CheckOptions, bound: u64) -> Result<CheckResult, String> {
        let result = check(self.model, options, &mut Bound(bound));
        let result = result.map_err(|error| format!("{name}: {error}"))?;
        match result.internal_errors.first() {
            Some(error) => Err(format!("{name}: {error}")),
            None => Ok(result),
        }
    }

    /// No search visits more states than the plain one.
    fn search_all(&self, name: &str, options: &CheckOptions) -> Result<CheckResult, String> {
        let result = self.search(name, options, 4 * self.bound)?;
        match &result.stopped {
            None | Some(Stopped::Violation) => Ok(result),
            Some(stopped) => Err(format!("{name}: {stopped:?} after {:?}", result.statistics)),
        }
    }

    fn same_figures(&self, expected: &CheckResult, is_plain: bool) -> Result<(), String> {
        let plain = &self.plain;
        // Large for models this small: in an eighth of it a state was lost by chance now and then.
        let bitstate = Keep::Bitstate { bytes: 32 << 20, bits: None, seed: 7 };
        let mut ways = vec![
            ("depth first", plain.clone()),
            ("breadth first", CheckOptions { order: Order::BreadthFirst, ..plain.clone() }),
            ("at random", CheckOptions { order: Order::Random(5), ..plain.clone() }),
            ("compact", CheckOptions { keep: Keep::Compact, ..plain.clone() }),
            ("bitstate", CheckOptions { keep: bitstate, ..plain.clone() }),
            ("eager", CheckOptions { eager: true, ..plain.clone() }),
            ("eager, compact", CheckOptions { eager: true, keep: Keep::Compact, ..plain.clone() }),
            ("eager, 3 threads", CheckOptions { eager: true, threads: 3, ..plain.clone() }),
            (
                "eager, from exact to bitstate",
                CheckOptions {
                    eager: true,
                    on_full: Some(bitstate),
                    limits: Limits { memory: Some(32 << 20), ..plain.limits },
                    ..plain.clone()
                },
            ),
            (
                "breadth first, compact",
                CheckOptions { order: Order::BreadthFirst, keep: Keep::Compact, ..plain.clone() },
            ),
        ];
        if expected.statistics.states > WORTH_THREADS {
            ways.push(("4 threads", CheckOptions { threads: 4, ..plain.clone() }));
            ways.push((
                "3 threads, compact",
                CheckOptions { threads: 3, keep: Keep::Compact, ..plain.clone() },
            ));
        }
        for (name, options) in &ways {
            let found = self.search_all(name, options)?;
            same(name, "verdicts", &violated(expected), &violated(&found))?;
            same(name, "states", &expected.statistics.states, &found.statistics.states)?;
            if !is_plain {
                continue;
            }
            same(name, "figures", &figures(expected), &figures(&found))?;
            if *name == "depth first" {
                same(name, "depth", &expected.statistics.depth, &found.statistics.depth)?;
            }
            if expected.complete && found.complete {
                same(name, "unreached statements", &expected.unreached, &found.unreached)?;
            }
        }
        Ok(())
    }

    fn same_verdicts(&self, expected: &CheckResult) -> Result<(), String> {
        let threads: &[usize] = if expected.statistics.states > WORTH_THREADS { &[1, 3] } else { &[1] };
        // With reduction, a process that gets to its end may count as one that dies there if processes are created.
        let mut transitions = self.model.system.proctypes.iter().flat_map(|code| &code.transitions);
        let creates = transitions.any(|transition| matches!(transition.action, Action::Run { .. }));
        let expected_unreached = |found: &CheckResult| -> Vec<Unreached> {
            let may_die = |item: &&Unreached| {
                item.text == "-end-" && creates && found.method.reduced && !found.unreached.contains(item)
            };
            expected.unreached.iter().filter(|item| !may_die(item)).cloned().collect()
        };
        for (reduce, simplify) in [(false, false), (false, true), (true, false), (true, true)] {
            for &threads in threads {
                for (order, eager) in [
                    (Order::DepthFirst, false),
                    (Order::DepthFirst, true),
                    (Order::Random(9), true),
                    (Order::BreadthFirst, false),
                ] {
                    let name = format!(
                        "{order:?}, reduce {reduce}, simplify {simplify}, {threads} threads, eager {eager}"
                    );
                    let options =
                        CheckOptions { reduce, simplify, threads, order, eager, ..self.plain.clone() };
                    let found = self.search_all(&name, &options)?;
                    same(&name, "verdicts", &words(expected), &words(&found))?;
                    if expected.complete && found.complete {
                        same(&name, "unreached statements", &expected_unreached(&found), &found.unreached)?;
                    }
                    let decided = CheckOptions { until: Until::AllDecided, ..options.clone() };
                    let found = self.search_all(&name, &decided)?;
                    let goal = format!("{name}, until all is decided");
                    same(&goal, "verdicts", &words(expected), &words(&found))?;
                    let first = CheckOptions { until: Until::FirstViolation, ..options };
                    let found = self.search_all(&name, &first)?;
                    let name = format!("{name}, first violation");
                    same(&name, "violated", &is_violated(expected), &is_violated(&found))?;
                }
            }
        }
        Ok(())
    }

    fn shortest(&self, interpreted: &CheckOptions) -> Result<(), String> {
        let breadth_first = CheckOptions { order: Order::BreadthFirst, ..self.plain.clone() };
        let reference = CheckOptions { order: Order::BreadthFirst, ..interpreted.clone() };
        let expected = lengths(&self.search_all("interpreted breadth first", &reference)?);
        let all = self.search_all("breadth first", &breadth_first)?;
        // A choice where there must be none is the one violation that the interpreter's search tells a step too early, so
        // that it may come before a shorter trail. Every trail was replayed, so a shorter one is right.
        let longest = expected;
        let expected = lengths(&all);
        let is_longer = |(found, longest): (&(String, u64), &(String, u64))| found.1 > longest.1;
        if expected.len() != longest.len() || expected.iter().zip(&longest).any(is_longer) {
            return Err(format!("breadth first: lengths {expected:?} instead of {longest:?}"));
        }
        let simplified = CheckOptions { simplify: true, reduce: true, ..breadth_first.clone() };
        let found = lengths(&self.search_all("breadth first, simplified", &simplified)?);
        same("breadth first, simplified", "lengths of shortest trails", &expected, &found)?;
        let decided = CheckOptions { until: Until::AllDecided, ..breadth_first.clone() };
        let found = lengths(&self.search_all("shortest of each", &decided)?);
        same("shortest of each", "lengths of shortest trails", &expected, &found)?;
        let first = CheckOptions { until: Until::FirstViolation, ..breadth_first.clone() };
        let found = lengths(&self.search_all("shortest", &first)?);
        if let Some(wrong) = found.iter().find(|found| !expected.contains(found)) {
            return Err(format!("shortest: {wrong:?} instead of {expected:?}"));
        }
        for (property, (name, length)) in all.properties.iter().filter_map(with_trail).zip(&expected) {
            let handshakes = property.iter().filter(|partner| **partner).count() as u64;
            // The interpreter's depth-first search does not go back to states that it met too deep.
            let ways =
                if all.method.interpreted { &[&breadth_first][..] } else { &[&self.plain, &breadth_first] };
            for options in ways {
                let within = self.limited(options, length + handshakes)?;
                if !within.iter().any(|(found, _)| found == name) {
                    let order = options.order;
                    return Err(format!("{order:?}: {name} not found within {length} steps"));
                }
                let Some(less) = length.checked_sub(2) else { continue };
                let found = self.limited(options, less)?;
                if let Some(found) = found.iter().find(|(found, _)| found == name) {
                    let order = options.order;
                    return Err(format!("{order:?}: {found:?} found within {less} steps"));
                }
            }
        }
        Ok(())
    }

    fn fewest_preemptions(&self, unbounded: &CheckResult) -> Result<(), String> {
        for at_most in [0, 1, 2, 3, u32::MAX] {
            let order = Order::Preemptions(at_most);
            let plain = CheckOptions { order, ..self.plain.clone() };
            let reference = CheckOptions { interpret: true, ..plain.clone() };
            let name = format!("interpreted, at most {at_most} preemptions");
            // The interpreter visits a state once for each process that moved last.
            let expected = self.search(&name, &reference, 40 * self.bound)?;
            if expected.stopped.is_some() {
                return Ok(());
            }
            if at_most == u32::MAX {
                same(&name, "verdicts", &words(unbounded), &words(&expected))?;
                same(&name, "unreached statements", &unbounded.unreached, &expected.unreached)?;
                same(&name, "states", &unbounded.statistics.states, &expected.statistics.states)?;
            }
            let bitstate = Keep::Bitstate { bytes: 32 << 20, bits: None, seed: 7 };
            for (way, options, is_plain) in [
                ("exact", plain.clone(), true),
                ("compact", CheckOptions { keep: Keep::Compact, ..plain.clone() }, true),
                ("bitstate", CheckOptions { keep: bitstate, ..plain.clone() }, true),
                ("simplified", CheckOptions { simplify: true, reduce: true, ..plain.clone() }, false),
            ] {
                let name = format!("{way}, at most {at_most} preemptions");
                let found = self.search(&name, &options, 200 * self.bound)?;
                same(&name, "preemptions", &preemptions(&expected), &preemptions(&found))?;
                if is_plain {
                    same(&name, "states", &expected.statistics.states, &found.statistics.states)?;
                }
                // The fewer states there are, the fewer preemptions lead to all of them.
                if options.keep == Keep::Exact && (is_plain || at_most == u32::MAX) {
                    same(&name, "verdicts", &words(&expected), &words(&found))?;
                    same(&name, "completeness", &expected.complete, &found.complete)?;
                }
                self.count_preemptions(&name, &found)?;
            }
            let decided = CheckOptions { until: Until::AllDecided, ..plain.clone() };
            let found = self.search("all decided", &decided, 200 * self.bound)?;
            let name = format!("until all is decided, at most {at_most} preemptions");
            same(&name, "preemptions", &preemptions(&expected), &preemptions(&found))?;
            same(&name, "verdicts", &words(&expected), &words(&found))?;
            let first = CheckOptions { until: Until::FirstViolation, ..plain };
            let found = self.search("first violation", &first, 200 * self.bound)?;
            let least = preemptions(&expected).iter().filter_map(|(_, preemptions)| *preemptions).min();
            let told = preemptions(&found).iter().filter_map(|(_, preemptions)| *preemptions).min();
            same(&format!("first violation, at most {at_most} preemptions"), "preemptions", &least, &told)?;
        }
        Ok(())
    }

    /// Counts the preemptions along the trails of a result.
    fn count_preemptions(&self, name: &str, result: &CheckResult) -> Result<(), String> {
        for property in &result.properties {
            let Verdict::Violated(violation) = &property.verdict else { continue };
            let Ok(mut run) = Run::start(self.model, self.plain.semantics) else { continue };
            let (mut count, mut last) = (0, None);
            for step in &violation.trail.steps {
                let enabled = run.choices();
                let could_go_on = enabled.iter().any(|choice| Some(choice.step.pid) == last);
                let takes_part =
                    Some(step.pid) == last || step.partner.is_some_and(|(pid, _)| Some(pid) == last);
                count += (could_go_on && !takes_part) as u32;
                last = Some(step.partner.map_or(step.pid, |(pid, _)| pid));
                run.repeat(*step, false)?;
            }
            // The second of two steps that must not both be possible shows the choice; it is not taken.
            let at_most = violation.preemptions.map(|told| told + violation.reason.contains("choice") as u32);
            if Some(count) > at_most || violation.preemptions > Some(count) {
                let told = violation.preemptions;
                return Err(format!(
                    "{name}: {} has {count} preemptions, not {told:?}",
                    property.property.name
                ));
            }
        }
        Ok(())
    }

    fn limited(&self, options: &CheckOptions, depth: u64) -> Result<Vec<(String, u64)>, String> {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let options = CheckOptions { limits, ..options.clone() };
        let result = check(self.model, &options, &mut Bound(100 * self.bound));
        Ok(lengths(&result.map_err(|error| format!("depth {depth}: {error}"))?))
    }
}

fn same<T: PartialEq + std::fmt::Debug>(
    name: &str,
    what: &str,
    expected: &T,
    found: &T,
) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{name}: {what} differ\n  expected {expected:?}\n  found    {found:?}"))
}

fn figures(result: &CheckResult) -> (u64, u64, u64) {
    let statistics = &result.statistics;
    (statistics.states, statistics.matched, statistics.atomic_steps)
}

fn violated(result: &CheckResult) -> Vec<(&str, bool)> {
    let is_violated = |verdict: &Verdict| matches!(verdict, Verdict::Violated(_));
    result.properties.iter().map(|p| (&*p.property.name, is_violated(&p.verdict))).collect()
}

fn words(result: &CheckResult) -> Vec<(&str, &str)> {
    result.properties.iter().map(|p| (&*p.property.name, p.verdict.word())).collect()
}

fn is_violated(result: &CheckResult) -> bool {
    violated(result).iter().any(|(_, violated)| *violated)
}

/// Of each property that is violated, how few preemptions it takes.
fn preemptions(result: &CheckResult) -> Vec<(&str, Option<u32>)> {
    let preemptions = |verdict: &Verdict| match verdict {
        Verdict::Violated(violation) => violation.preemptions,
        _ => None,
    };
    result.properties.iter().map(|p| (&*p.property.name, preemptions(&p.verdict))).collect()
}

fn lengths(result: &CheckResult) -> Vec<(String, u64)> {
    let length = |verdict: &Verdict| match verdict {
        Verdict::Violated(violation) => Some(violation.trail.steps.len() as u64),
        _ => None,
    };
    let properties = result.properties.iter();
    properties.filter_map(|p| Some((p.property.name.clone(), length(&p.verdict)?))).collect()
}

/// For each step of the trail of a violation: does it have a partner?
fn with_trail(property: &allways_workbench::PropertyResult) -> Option<Vec<bool>> {
    match &property.verdict {
        Verdict::Violated(violation) => {
            Some(violation.trail.steps.iter().map(|step| step.partner.is_some()).collect())
        }
        _ => None,
    }
}
