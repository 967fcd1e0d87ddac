//! From what a model states to observers: automata that accept the runs that must not be.

use allways_ltl::hoa::Acceptance as HoaAcceptance;
use allways_ltl::{Automaton, EmersonLei, Formula as Ltl, Label, TooLarge, TranslateOptions, Translation};
use allways_system::{
    Acceptance, Action, BinaryOp, Condition, Cube, Expr, Formula, LetterMark, LocationId, Observer,
    ObserverEdge, ObserverState, Proctype, TransitionId, UnaryOp,
};

/// An observer, and what it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub observer: Observer,
    /// What must be true of every run, over the observer's propositions, if it comes from a formula.
    pub formula: Option<Ltl>,
}

/// Letters are words.
const MOST_PROPOSITIONS: usize = 64;

// ---- formulas

/// Accepts the runs on which a formula is false.
pub(crate) fn of_formula(formula: &Formula) -> Result<Watch, String> {
    let mut propositions = Vec::new();
    let formula = ltl(formula, &mut propositions);
    if propositions.len() > MOST_PROPOSITIONS {
        return Err(format!("the formula has more than {MOST_PROPOSITIONS} different conditions"));
    }
    let too_large =
        |TooLarge { what }| format!("the formula needs an automaton that is too large: it has {what}");
    let options = TranslateOptions::default();
    let automaton = allways_ltl::translate_to_any(&formula.negated(), &options).map_err(too_large)?;
    // A wrong `true` would be wrong; a wrong `false` costs only time.
    let counts_steps = !allways_ltl::is_stutter_invariant(&formula).unwrap_or(false)
        || propositions.iter().any(asks_about_steps);
    let observer = match automaton {
        Translation::Buchi(automaton) => of_automaton(&automaton, propositions, counts_steps),
        Translation::EmersonLei(automaton) => {
            let name = |number: usize| format!("S{number}");
            of_emerson_lei(&automaton, propositions, counts_steps, &name)
        }
    };
    Ok(Watch { observer, formula: Some(formula) })
}

fn of_automaton(automaton: &Automaton, propositions: Vec<Expr>, counts_steps: bool) -> Observer {
    let sink = allways_ltl::accepting_sink(automaton);
    let state = |(number, edges): (usize, &Vec<allways_ltl::Edge>)| ObserverState {
        is_final: sink == Some(number as u32),
        ..state_with(format!("S{number}"), edges)
    };
    Observer {
        propositions,
        initial: automaton.initial,
        states: automaton.states.iter().enumerate().map(state).collect(),
        n_marks: automaton.n_marks,
        acceptance: Acceptance::AllMarks,
        letter_marks: Vec::new(),
        stutters: true,
        counts_steps,
    }
}

/// In the simpler form that generalized Büchi conditions have, if it is one of these: it can be searched in simpler ways.
pub(crate) fn of_emerson_lei(
    automaton: &EmersonLei,
    propositions: Vec<Expr>,
    counts_steps: bool,
    name: &dyn Fn(usize) -> String,
) -> Observer {
    let state = |(number, edges): (usize, &Vec<allways_ltl::Edge>)| state_with(name(number), edges);
    let letter_mark =
        |mark: &allways_ltl::LetterMark| LetterMark { guard: cubes(&mark.label), mark: mark.mark };
    let observer = Observer {
        propositions,
        initial: automaton.initial,
        states: automaton.states.iter().enumerate().map(state).collect(),
        n_marks: automaton.n_marks,
        acceptance: Acceptance::AllMarks,
        letter_marks: automaton.letter_marks.iter().map(letter_mark).collect(),
        stutters: true,
        counts_steps,
    };
    let condition = condition_of(&automaton.acceptance);
    let all_marks = (1u128 << automaton.n_marks) - 1;
    let asks_for_all = match &condition {
        Condition::All(parts) => parts.iter().all(|part| matches!(part, Condition::Again(_))),
        Condition::Again(_) => true,
        _ => false,
    };
    if asks_for_all && condition.needed(all_marks) == Some(all_marks) {
        return observer;
    }
    Observer { acceptance: Acceptance::Condition(condition), ..observer }
}

/// Over marks, which stand for the edges inside a set.
fn condition_of(acceptance: &HoaAcceptance) -> Condition {
    let all = |parts: &[HoaAcceptance]| parts.iter().map(condition_of).collect();
    match acceptance {
        HoaAcceptance::True => Condition::TRUE,
        HoaAcceptance::False => Condition::FALSE,
        HoaAcceptance::Inf(mark) => Condition::Again(*mark),
        HoaAcceptance::Fin(mark) => Condition::NotAgain(*mark),
        // The automaton has marks for edges outside a set. If it had not, runs that are not accepted would be found, and
        // they would not be confirmed.
        HoaAcceptance::InfNot(_) | HoaAcceptance::FinNot(_) => Condition::TRUE,
        HoaAcceptance::And(parts) => Condition::All(all(parts)),
        HoaAcceptance::Or(parts) => Condition::Any(all(parts)),
    }
}

fn cubes(label: &Label) -> Vec<Cube> {
    label.cubes.iter().map(|cube| Cube { ones: cube.ones, zeros: cube.zeros }).collect()
}

/// A state with these edges, not final.
pub(crate) fn state_with(name: String, edges: &[allways_ltl::Edge]) -> ObserverState {
    let edge = |edge: &allways_ltl::Edge| ObserverEdge {
        guard: cubes(&edge.label),
        target: edge.target,
        marks: edge.marks,
        fails: false,
    };
    ObserverState { name, edges: edges.iter().map(edge).collect(), is_final: false }
}

/// Whether the value depends on who moved, or could.
fn asks_about_steps(expr: &Expr) -> bool {
    let mut asks = false;
    expr.walk(&mut |expr| {
        asks |= matches!(expr, Expr::Last | Expr::Enabled(_) | Expr::PcValue(_) | Expr::Timeout)
    });
    asks
}

/// The same formula over numbered propositions.
fn ltl(formula: &Formula, propositions: &mut Vec<Expr>) -> Ltl {
    if !is_temporal(formula) && may_fault_if_split(formula) {
        let condition = condition(formula).unwrap_or(Expr::Constant(0));
        return proposition(&condition, propositions);
    }
    let mut both = |operands: &(Formula, Formula)| {
        Box::new((ltl(&operands.0, propositions), ltl(&operands.1, propositions)))
    };
    match formula {
        Formula::And(operands) => {
            let both = both(operands);
            Ltl::And(vec![both.0, both.1])
        }
        Formula::Or(operands) => {
            let both = both(operands);
            Ltl::Or(vec![both.0, both.1])
        }
        Formula::Implies(operands) => Ltl::Implies(both(operands)),
        Formula::Equivalent(operands) => Ltl::Equivalent(both(operands)),
        Formula::Until(operands) => Ltl::Until(both(operands)),
        Formula::WeakUntil(operands) => Ltl::WeakUntil(both(operands)),
        Formula::Release(operands) => Ltl::Release(both(operands)),
        Formula::Now(expr) => proposition(expr, propositions),
        Formula::Not(operand) => Ltl::Not(Box::new(ltl(operand, propositions))),
        Formula::Always(operand) => Ltl::Always(Box::new(ltl(operand, propositions))),
        Formula::Eventually(operand) => Ltl::Eventually(Box::new(ltl(operand, propositions))),
        Formula::Next(operand) => Ltl::Next(Box::new(ltl(operand, propositions))),
    }
}

fn proposition(expr: &Expr, propositions: &mut Vec<Expr>) -> Ltl {
    match expr {
        Expr::Constant(0) => Ltl::False,
        Expr::Constant(_) => Ltl::True,
        Expr::Unary(UnaryOp::Not, operand) => Ltl::Not(Box::new(proposition(operand, propositions))),
        _ => Ltl::Proposition(numbered(expr, propositions)),
    }
}

/// The number of an expression, a new one if need be.
fn numbered(expr: &Expr, propositions: &mut Vec<Expr>) -> u32 {
    let known = propositions.iter().position(|known| known == expr);
    known.unwrap_or_else(|| {
        propositions.push(expr.clone());
        propositions.len() - 1
    }) as u32
}

fn is_temporal(formula: &Formula) -> bool {
    match formula {
        Formula::Now(_) => false,
        Formula::Not(operand) => is_temporal(operand),
        Formula::And(operands)
        | Formula::Or(operands)
        | Formula::Implies(operands)
        | Formula::Equivalent(operands) => is_temporal(&operands.0) || is_temporal(&operands.1),
        _ => true,
    }
}

/// Whether a part of a condition must not be looked at where an earlier part decides: `i < N && a[i]`.
fn may_fault_if_split(formula: &Formula) -> bool {
    match formula {
        Formula::Now(expr) => {
            let mut may = false;
            expr.walk(&mut |expr| {
                may |= match expr {
                    Expr::Load(place) => !place.indices.is_empty(),
                    Expr::Remote { place, .. } => !place.indices.is_empty(),
                    Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _) => true,
                    Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) => true,
                    _ => false,
                };
            });
            may
        }
        Formula::Not(operand) => may_fault_if_split(operand),
        Formula::And(operands)
        | Formula::Or(operands)
        | Formula::Implies(operands)
        | Formula::Equivalent(operands) => may_fault_if_split(&operands.0) || may_fault_if_split(&operands.1),
        _ => false,
    }
}

/// A formula as one expression; none if it has temporal operators.
pub(crate) fn condition(formula: &Formula) -> Option<Expr> {
    let not = |expr| Expr::Unary(UnaryOp::Not, Box::new(expr));
    let binary = |op, a, b| Expr::Binary(op, Box::new((a, b)));
    Some(match formula {
        Formula::Now(expr) => expr.clone(),
        Formula::Not(operand) => not(condition(operand)?),
        Formula::And(both) => binary(BinaryOp::And, condition(&both.0)?, condition(&both.1)?),
        Formula::Or(both) => binary(BinaryOp::Or, condition(&both.0)?, condition(&both.1)?),
        Formula::Implies(both) => binary(BinaryOp::Or, not(condition(&both.0)?), condition(&both.1)?),
        Formula::Equivalent(both) => {
            binary(BinaryOp::Equal, not(condition(&both.0)?), not(condition(&both.1)?))
        }
        _ => return None,
    })
}

// ---- never claims

/// Accepts what a never claim accepts. Where it rests are the places where Spin's claim rests.
pub(crate) fn of_claim(claim: &Proctype) -> Result<Observer, String> {
    if claim.frame.slots() > 0 {
        return Err("never claims with variables of their own are not supported".to_string());
    }
    let mut building = Building { claim, propositions: Vec::new(), locations: vec![claim.initial] };
    let mut states = Vec::new();
    while states.len() < building.locations.len() {
        let location = building.locations[states.len()];
        states.push(building.state(location)?);
    }
    if building.propositions.len() > MOST_PROPOSITIONS {
        return Err(format!("the never claim has more than {MOST_PROPOSITIONS} different conditions"));
    }
    if states[0].is_final {
        // An observer is asked whether it has accepted when it moves, so it has to make a move first.
        let enter = ObserverEdge { guard: vec![Cube::default()], target: 1, marks: 0, fails: false };
        states.truncate(1);
        states.insert(0, ObserverState { name: "start".to_string(), edges: vec![enter], is_final: false });
    }
    Ok(Observer {
        propositions: building.propositions,
        initial: 0,
        states,
        n_marks: 1,
        acceptance: Acceptance::AllMarks,
        letter_marks: Vec::new(),
        stutters: true,
        counts_steps: true,
    })
}

/// An observer in the making.
struct Building<'c> {
    claim: &'c Proctype,
    propositions: Vec<Expr>,
    /// Of the observer's states.
    locations: Vec<LocationId>,
}

/// A condition as a disjunction of cubes.
type Guard = Vec<Cube>;

/// A statement that can be executed under a condition.
struct Offer {
    transition: TransitionId,
    guard: Guard,
}

/// The runs through a `d_step`: when they come to its end, and when they fail on the way.
struct DStep {
    exit: LocationId,
    ends: Guard,
    fails: Guard,
}

fn unsupported(text: &str) -> String {
    format!("never claims with `{text}` are not supported")
}

/// Appends a move that is a violation, if its condition can be true.
fn fail_if(guard: Guard, target: u32, marks: u64, edges: &mut Vec<ObserverEdge>) {
    if !guard.is_empty() {
        edges.push(ObserverEdge { guard, target, marks, fails: true });
    }
}

impl Building<'_> {
    fn state(&mut self, location: LocationId) -> Result<ObserverState, String> {
        let place = self.claim.location(location);
        let mut edges = Vec::new();
        if !self.is_end(location) {
            let marks = u64::from(place.is_accept);
            self.edges(location, &vec![Cube::default()], marks, &mut edges, 0)?;
        }
        let name = match place.labels.first() {
            Some(label) => label.clone(),
            None => format!("S{}", self.locations.iter().position(|known| *known == location).unwrap_or(0)),
        };
        Ok(ObserverState { name, edges, is_final: self.is_end(location) })
    }

    /// Whether the claim accepts where it is: at its closing brace, and at an `end` label.
    fn is_end(&self, location: LocationId) -> bool {
        let place = self.claim.location(location);
        let mut transitions = place.groups.iter().flatten();
        place.is_end || transitions.all(|id| matches!(self.claim.transition(*id).action, Action::Terminate))
    }

    /// Appends the moves that are possible at a location where `so_far` holds.
    fn edges(
        &mut self,
        location: LocationId,
        so_far: &Guard,
        marks: u64,
        edges: &mut Vec<ObserverEdge>,
        depth: u32,
    ) -> Result<(), String> {
        if depth > 100 {
            return Err("an atomic sequence of the never claim does not end".to_string());
        }
        let claim = self.claim;
        for Offer { transition, guard } in self.offers(location, so_far)? {
            let transition = claim.transition(transition);
            let ends = match &transition.action {
                Action::Assert(condition) => {
                    let holds = self.guard(condition);
                    let fails = both(&guard, &not(&holds));
                    let target = self.number(transition.target);
                    fail_if(fails, target, marks, edges);
                    both(&guard, &holds)
                }
                Action::DStep { entry, exit } => {
                    let target = self.number(transition.target);
                    let mut walk = DStep { exit: *exit, ends: Vec::new(), fails: Vec::new() };
                    self.walk(*entry, &guard, &mut vec![*entry], &mut walk)?;
                    fail_if(walk.fails, target, marks, edges);
                    walk.ends
                }
                _ => guard,
            };
            if ends.is_empty() {
                continue;
            }
            if transition.atomic && !self.is_end(transition.target) {
                self.edges(transition.target, &ends, marks, edges, depth + 1)?;
            } else {
                let target = self.number(transition.target);
                edges.push(ObserverEdge { guard: ends, target, marks, fails: false });
            }
        }
        Ok(())
    }

    /// What can be executed at a location, and when: an escape keeps what it escapes from waiting, and an `else` waits for the rest
    /// of its group.
    fn offers(&mut self, location: LocationId, so_far: &Guard) -> Result<Vec<Offer>, String> {
        let claim = self.claim;
        let mut offers = Vec::new();
        let mut earlier_groups = so_far.clone();
        for group in &claim.location(location).groups {
            let mut none_of_group = earlier_groups.clone();
            let first = offers.len();
            for id in group {
                let guard = match &claim.transition(*id).action {
                    Action::Else => Guard::new(),
                    action => both(&earlier_groups, &self.enabled(action, &claim.transition(*id).text)?),
                };
                none_of_group = both(&none_of_group, &not(&guard));
                offers.push(Offer { transition: *id, guard });
            }
            for offer in &mut offers[first..] {
                if matches!(claim.transition(offer.transition).action, Action::Else) {
                    offer.guard = std::mem::take(&mut none_of_group);
                }
            }
            earlier_groups = none_of_group;
        }
        offers.retain(|offer| !offer.guard.is_empty());
        Ok(offers)
    }

    /// When a statement can be executed. That of a `d_step` is its first one.
    fn enabled(&mut self, action: &Action, text: &str) -> Result<Guard, String> {
        let claim = self.claim;
        let always = || vec![Cube::default()];
        Ok(match action {
            Action::Skip | Action::Print { .. } | Action::Assert(_) => always(),
            Action::Condition(condition) => self.guard(condition),
            Action::DStep { entry, .. } => {
                let mut guard = Guard::new();
                for group in &claim.location(*entry).groups {
                    for id in group {
                        match &claim.transition(*id).action {
                            Action::Else => return Ok(always()),
                            Action::DStep { .. } => return Err(unsupported(text)),
                            action => guard.extend(self.enabled(action, &claim.transition(*id).text)?),
                        }
                    }
                }
                guard
            }
            _ => return Err(unsupported(text)),
        })
    }

    /// The run through a `d_step` from a location: it is done in one state, and of several statements that can be executed the first
    /// one is. `passed` are the locations on the way here.
    fn walk(
        &mut self,
        location: LocationId,
        so_far: &Guard,
        passed: &mut Vec<LocationId>,
        walk: &mut DStep,
    ) -> Result<(), String> {
        let claim = self.claim;
        let mut left = so_far.clone();
        for Offer { transition, guard } in self.offers(location, so_far)? {
            let transition = claim.transition(transition);
            let mut guard = both(&left, &guard);
            left = both(&left, &not(&guard));
            match &transition.action {
                Action::Assert(condition) => {
                    let holds = self.guard(condition);
                    walk.fails.extend(both(&guard, &not(&holds)));
                    guard = both(&guard, &holds);
                }
                Action::DStep { .. } => return Err(unsupported(&transition.text)),
                _ => {}
            }
            let next = transition.target;
            if guard.is_empty() {
                continue;
            }
            if next == walk.exit {
                walk.ends.extend(guard);
            } else if passed.contains(&next) {
                // It goes round for ever: nothing that it looks at changes.
                walk.fails.extend(guard);
            } else {
                passed.push(next);
                self.walk(next, &guard, passed, walk)?;
                passed.pop();
            }
        }
        // It is blocked inside, for where it begins it would not be executed.
        walk.fails.extend(left);
        Ok(())
    }

    fn number(&mut self, location: LocationId) -> u32 {
        let known = self.locations.iter().position(|known| *known == location);
        known.unwrap_or_else(|| {
            self.locations.push(location);
            self.locations.len() - 1
        }) as u32
    }

    fn guard(&mut self, condition: &Expr) -> Guard {
        match condition {
            Expr::Constant(0) => Vec::new(),
            Expr::Constant(_) => vec![Cube::default()],
            Expr::Unary(UnaryOp::Not, operand) => not(&self.guard(operand)),
            _ => {
                let number = numbered(condition, &mut self.propositions);
                // More than there are bits is refused at the end.
                vec![Cube { ones: 1u64.checked_shl(number).unwrap_or(0), zeros: 0 }]
            }
        }
    }
}

fn both(a: &Guard, b: &Guard) -> Guard {
    let mut result: Guard = Vec::new();
    for one in a {
        for other in b {
            let cube = Cube { ones: one.ones | other.ones, zeros: one.zeros | other.zeros };
            if cube.ones & cube.zeros == 0 && !result.contains(&cube) {
                result.push(cube);
            }
        }
    }
    result
}

fn not(guard: &Guard) -> Guard {
    let mut result = vec![Cube::default()];
    for cube in guard {
        let bits = (0..64).map(|bit| 1u64 << bit);
        let opposites: Guard = bits
            .filter_map(|bit| match (cube.ones & bit != 0, cube.zeros & bit != 0) {
                (true, _) => Some(Cube { ones: 0, zeros: bit }),
                (_, true) => Some(Cube { ones: bit, zeros: 0 }),
                _ => None,
            })
            .collect();
        result = both(&result, &opposites);
    }
    result
}
