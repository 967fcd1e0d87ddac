//! From formulas to observers: automata that accept the runs that must not be. Those of never claims are made in `claims.rs`.

use allways_ltl::hoa::Acceptance as HoaAcceptance;
use std::cell::Cell;
use std::rc::Rc;

use allways_ltl::{Automaton, EmersonLei, Formula as Ltl, Label, TooLarge, TranslateOptions, Translation};
use allways_system::{
    Acceptance, Alarm, BinaryOp, Condition, Cube, Expr, Formula, Halt, LetterMark, Observer, ObserverEdge,
    ObserverState, UnaryOp,
};

/// An observer, and what it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub observer: Observer,
    /// What must be true of every run, over the observer's propositions, if it comes from a formula.
    pub formula: Option<Ltl>,
}

/// Letters are words.
pub(crate) const MOST_PROPOSITIONS: usize = 64;

/// The limits of what is made of a formula.
pub(crate) struct Limited {
    pub options: TranslateOptions,
    /// Why it was ended, if it was.
    halt: Rc<Cell<Option<Halt>>>,
}

impl Limited {
    /// Until the alarm rings or decision diagrams take more memory than this.
    pub fn new(alarm: Alarm, memory: Option<u64>) -> Limited {
        let halt = Rc::new(Cell::new(None));
        let noted = halt.clone();
        let watch = allways_ltl::Watch::new(move |bytes| {
            let too_much = memory.is_some_and(|memory| bytes > memory).then_some(Halt::Memory);
            noted.set(alarm.rings().or(too_much));
            noted.get().is_none()
        });
        Limited { options: TranslateOptions { watch: Some(watch), ..TranslateOptions::default() }, halt }
    }

    /// Why it was ended, if it was.
    pub fn halted(&self) -> Option<Halt> {
        self.halt.get()
    }
}

/// Accepts the runs on which a formula is false.
pub(crate) fn of_formula(formula: &Formula, limited: &Limited) -> Result<Watch, String> {
    let mut propositions = Vec::new();
    let formula = ltl(formula, &mut propositions);
    if propositions.len() > MOST_PROPOSITIONS {
        return Err(format!("the formula has more than {MOST_PROPOSITIONS} different conditions"));
    }
    let too_large = |TooLarge { what }| format!("the formula needs an automaton that is too large: {what}");
    let options = &limited.options;
    let automaton = allways_ltl::translate_to_any(&formula.negated(), options).map_err(too_large)?;
    // A wrong `true` would be wrong; a wrong `false` costs only time.
    let counts_steps = !allways_ltl::is_stutter_invariant_with(&formula, options).unwrap_or(false)
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

pub(crate) fn cubes(label: &Label) -> Vec<Cube> {
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
pub(crate) fn numbered(expr: &Expr, propositions: &mut Vec<Expr>) -> u32 {
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
