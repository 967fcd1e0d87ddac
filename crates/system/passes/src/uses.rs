//! Who reads what: the reads of an expression, and those reads of an action that matter.

use allways_system::{Action, BinaryOp, Expr, Formula, Pattern, Place, ProctypeId, Scope, Start, System};

use crate::fold::may_fault;

/// Whose variables a local place is among.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// The executing process's.
    Own,
    /// Those of some instance of this proctype.
    Other(ProctypeId),
}

/// A place that is read.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(Owner, &Place);

/// Calls `visit` on every place that evaluating the expression can read.
pub(crate) fn reads(expr: &Expr, visit: Visit) {
    match expr {
        Expr::Constant(_)
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Accepting
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last => {}
        Expr::Load(place) => {
            visit(Owner::Own, place);
            index_reads(place, visit);
        }
        Expr::Unary(_, a) | Expr::Channel(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::Priority(a) => {
            reads(a, visit)
        }
        Expr::Binary(_, operands) => {
            reads(&operands.0, visit);
            reads(&operands.1, visit);
        }
        Expr::Conditional(parts) => {
            reads(&parts.0, visit);
            reads(&parts.1, visit);
            reads(&parts.2, visit);
        }
        Expr::Poll { channel, patterns, .. } => {
            reads(channel, visit);
            for pattern in patterns {
                // A poll stores nothing, so it does not look at the place either.
                if let Pattern::Match(value) = pattern {
                    reads(value, visit);
                }
            }
        }
        Expr::At { pid, .. } => pid.iter().for_each(|pid| reads(pid, visit)),
        Expr::Remote { proctype, pid, place } => {
            pid.iter().for_each(|pid| reads(pid, visit));
            visit(Owner::Other(*proctype), place);
            // The indices are evaluated for the other process. They are taken for reads of this one, too.
            index_reads(place, &mut |owner, read| {
                visit(owner, read);
                if owner == Owner::Own && read.scope == Scope::Local {
                    visit(Owner::Other(*proctype), read);
                }
            });
        }
    }
}

/// Calls `visit` on every place that finding the slot of `place` can read.
pub(crate) fn index_reads(place: &Place, visit: Visit) {
    place.indices.iter().for_each(|index| reads(&index.value, visit));
}

/// Calls `visit` on every place whose value can decide whether evaluating the expression is a fault. (Not a fault by
/// overflow: there every value matters.)
fn fault_reads(expr: &Expr, visit: Visit) {
    if !may_fault(expr, false) {
        return;
    }
    match expr {
        Expr::Load(place) => index_reads(place, visit),
        Expr::Unary(_, a) | Expr::PcValue(a) | Expr::Priority(a) => fault_reads(a, visit),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, operands) => {
            fault_reads(&operands.0, visit);
            reads(&operands.1, visit);
        }
        Expr::Binary(BinaryOp::And | BinaryOp::Or, operands) if may_fault(&operands.1, false) => {
            reads(&operands.0, visit);
            fault_reads(&operands.1, visit);
        }
        Expr::Binary(_, operands) => {
            fault_reads(&operands.0, visit);
            fault_reads(&operands.1, visit);
        }
        Expr::Conditional(parts) if !may_fault(&parts.1, false) && !may_fault(&parts.2, false) => {
            fault_reads(&parts.0, visit);
        }
        expr => reads(expr, visit),
    }
}

/// What of an action matters.
pub(crate) struct Uses<'a> {
    /// Whether somebody wants what is stored in a place.
    pub wanted: &'a dyn Fn(&Place) -> bool,
    /// Whether somebody wants that parameter slot of a new process.
    pub parameter_wanted: &'a dyn Fn(ProctypeId, usize) -> bool,
    /// A value that does not fit is a fault.
    pub check_overflow: bool,
    /// What is printed matters.
    pub prints: bool,
}

impl Uses<'_> {
    /// Calls `visit` on every place that the action can read and whose value matters: for what the action does, or for
    /// whether it is a fault. (Not on those of the inner graph of a `d_step`.)
    pub fn of_action(&self, action: &Action, visit: Visit) {
        match action {
            Action::Skip | Action::Else | Action::DStep { .. } | Action::Terminate => {}
            Action::Condition(condition) => match always_true(condition) {
                Some(evaluated) => self.of_value(evaluated, false, visit),
                None => reads(condition, visit),
            },
            Action::Assert(condition) => reads(condition, visit),
            Action::Assign(place, value) => self.of_assignment(place, value, visit),
            Action::AssignAll(assignments) => {
                assignments.iter().for_each(|(place, value)| self.of_assignment(place, value, visit));
            }
            Action::Send { channel, values, .. } => {
                reads(channel, visit);
                values.iter().for_each(|value| reads(value, visit));
            }
            Action::Receive { channel, patterns, .. } => {
                reads(channel, visit);
                for pattern in patterns {
                    match pattern {
                        Pattern::Store(place) => index_reads(place, visit),
                        Pattern::Match(value) => reads(value, visit),
                        Pattern::Ignore => {}
                    }
                }
            }
            Action::Run { proctype, arguments, priority, result } => {
                for (slot, argument) in arguments.iter().enumerate() {
                    self.of_value(argument, (self.parameter_wanted)(*proctype, slot), visit);
                }
                priority.iter().for_each(|priority| reads(priority, visit));
                result.iter().for_each(|place| index_reads(place, visit));
            }
            Action::Print { arguments, .. } => {
                arguments.iter().for_each(|argument| self.of_value(argument, self.prints, visit));
            }
            Action::SetPriority { pid, priority } => {
                reads(pid, visit);
                reads(priority, visit);
            }
        }
    }

    pub fn of_start(&self, start: &Start, visit: Visit) {
        match start {
            Start::Assign(place, value) => self.of_assignment(place, value, visit),
            Start::Channel(..) => {}
        }
    }

    fn of_assignment(&self, place: &Place, value: &Expr, visit: Visit) {
        index_reads(place, visit);
        self.of_value(value, (self.wanted)(place), visit);
    }

    fn of_value(&self, value: &Expr, is_wanted: bool, visit: Visit) {
        if is_wanted || self.check_overflow { reads(value, visit) } else { fault_reads(value, visit) }
    }
}

/// The first part of a disjunction with something that is true: it is evaluated, but its value does not matter.
fn always_true(condition: &Expr) -> Option<&Expr> {
    match condition {
        Expr::Binary(BinaryOp::Or, operands) if matches!(operands.1, Expr::Constant(1)) => Some(&operands.0),
        _ => None,
    }
}

/// Calls `visit` on every expression of the claims, traces and formulas and on everything inside it. Local places in
/// it are the automaton's own, except in [`Expr::Remote`].
pub(crate) fn for_each_expr_of_properties(system: &System, visit: &mut dyn FnMut(&Expr)) {
    let claims = system.claims.iter().map(|claim| &claim.automaton);
    for automaton in claims.chain(system.traces.iter().map(|trace| &trace.automaton)) {
        for transition in &automaton.transitions {
            transition.action.walk(visit);
        }
    }
    for formula in &system.formulas {
        for_each_expr_of_formula(&formula.formula, visit);
    }
}

pub(crate) fn for_each_expr_of_formula(formula: &Formula, visit: &mut dyn FnMut(&Expr)) {
    match formula {
        Formula::Now(expr) => expr.walk(visit),
        Formula::Not(operand)
        | Formula::Always(operand)
        | Formula::Eventually(operand)
        | Formula::Next(operand) => for_each_expr_of_formula(operand, visit),
        Formula::And(operands)
        | Formula::Or(operands)
        | Formula::Implies(operands)
        | Formula::Equivalent(operands)
        | Formula::Until(operands)
        | Formula::WeakUntil(operands)
        | Formula::Release(operands) => {
            for_each_expr_of_formula(&operands.0, visit);
            for_each_expr_of_formula(&operands.1, visit);
        }
    }
}
