//! Never claims, formulas and traces: checked and carried, verified elsewhere.

use allways_source::Diagnostic;
use allways_system::{Action, Claim, Expr, Formula, NamedFormula, Proctype, Scope, Trace, Transition};

use super::Lowering;
use super::statements::{Body, BodyKind};
use crate::{ast, pretty};

impl Lowering<'_> {
    /// Formulas may use names that are declared after them, so they come last.
    pub fn lower_properties(&mut self) {
        let mut n_formulas = 0;
        for unit in &self.model.units {
            match unit {
                ast::Unit::Never(claim) => {
                    let name = match &claim.name {
                        Some(name) => self.property_name("never", name),
                        None => format!("never_{}", self.system.claims.len()),
                    };
                    self.check_property_name(&name, claim.name.as_ref().map_or(claim.span, |name| name.span));
                    let automaton = self.automaton(name, &claim.body, BodyKind::Never, claim.span);
                    self.system.claims.push(Claim { automaton });
                }
                ast::Unit::Ltl(ltl) => {
                    let name = match &ltl.name {
                        Some(name) => self.property_name("ltl", name),
                        None => format!("ltl_{n_formulas}"),
                    };
                    n_formulas += 1;
                    self.check_property_name(&name, ltl.name.as_ref().map_or(ltl.span, |name| name.span));
                    self.property = Some("a formula");
                    let formula = self.formula(&ltl.formula);
                    self.property = None;
                    let text = pretty::expr(&ltl.formula);
                    self.system.formulas.push(NamedFormula { name, formula, text, span: ltl.span });
                }
                ast::Unit::Trace(trace) => {
                    let name = match &trace.name {
                        Some(name) => name.text.to_string(),
                        None if trace.forbidden => "notrace".to_string(),
                        None => "trace".to_string(),
                    };
                    if let Some(first) = self.system.traces.first() {
                        let first = first.automaton.span;
                        self.report(
                            Diagnostic::error(
                                "duplicate-name",
                                trace.span,
                                "a model can have only one trace or notrace",
                            )
                            .also(first, "the first is here"),
                        );
                        continue;
                    }
                    let automaton = self.automaton(name, &trace.body, BodyKind::Trace, trace.span);
                    self.system.traces.push(Trace { forbidden: trace.forbidden, automaton });
                }
                _ => {}
            }
        }
    }

    /// The name that a property is asked for and reported by: its own, unless a check that every model has is called so.
    fn property_name(&mut self, kind: &str, name: &ast::Name) -> String {
        const CHECKS: [&str; 7] =
            ["assertions", "deadlock", "exclusive", "progress", "acceptance", "trace", "notrace"];
        if !CHECKS.contains(&&*name.text) {
            return name.text.to_string();
        }
        let other = format!("{kind}_{}", name.text);
        let message =
            format!("this property is reported as `{other}`, because `{}` is a check of its own", name.text);
        self.report(Diagnostic::warning("name-of-a-check", name.span, message));
        other
    }

    fn check_property_name(&mut self, name: &str, span: allways_source::Span) {
        let formulas = self.system.formulas.iter().map(|formula| (&formula.name, formula.span));
        let claims = self.system.claims.iter().map(|claim| (&claim.automaton.name, claim.automaton.span));
        let first = formulas.chain(claims).find(|(other, _)| *other == name).map(|(_, span)| span);
        if let Some(first) = first {
            let message = format!("two properties are called `{name}`");
            self.report(Diagnostic::error("duplicate-name", span, message).also(first, "the first is here"));
        }
    }

    fn automaton(
        &mut self,
        name: String,
        block: &ast::Block,
        kind: BodyKind,
        span: allways_source::Span,
    ) -> Proctype {
        self.property = Some(if kind == BodyKind::Trace { "a trace" } else { "a never claim" });
        self.scopes.enter();
        let (body, sequence) = self.lower_block_as_body(Body::new(kind), block);
        self.scopes.leave();
        self.property = None;
        let mut diagnostics = Vec::new();
        let graph = body.builder.finish(sequence, self.options.unless, &|_| false, &mut diagnostics);
        self.diagnostics.extend(diagnostics);
        if kind == BodyKind::Never {
            self.warn_about_side_effects(&graph.transitions);
        }
        Proctype {
            name,
            frame: body.frame,
            parameters: 0,
            start: body.start,
            initial: graph.initial,
            locations: graph.locations.into(),
            transitions: graph.transitions.into(),
            provided: None,
            deterministic: kind == BodyKind::Trace,
            exclusive: Vec::new(),
            span,
        }
    }

    /// A claim may change its own variables, and nothing else.
    fn warn_about_side_effects(&mut self, transitions: &[Transition]) {
        for transition in transitions {
            let changes_system = match &transition.action {
                Action::Assign(place, _) => place.scope == Scope::Global,
                Action::AssignAll(assignments) => {
                    assignments.iter().any(|(place, _)| place.scope == Scope::Global)
                }
                Action::Send { .. }
                | Action::Receive { .. }
                | Action::Run { .. }
                | Action::SetPriority { .. } => true,
                _ => false,
            };
            if changes_system {
                let message = "a never claim must not change the system it watches: it is not checked";
                let diagnostic = Diagnostic::warning("claim-side-effect", transition.span, message);
                self.report(diagnostic.help("use conditions, or variables that the claim declares"));
            }
        }
    }

    fn formula(&mut self, expr: &ast::Expr) -> Formula {
        use ast::{BinaryOp as B, ExprKind as K, UnaryOp as U};
        match &expr.kind {
            K::Unary(U::Not, operand) => Formula::Not(Box::new(self.formula(operand))),
            K::Unary(U::Always, operand) => Formula::Always(Box::new(self.formula(operand))),
            K::Unary(U::Eventually, operand) => Formula::Eventually(Box::new(self.formula(operand))),
            K::Unary(U::Next, operand) => Formula::Next(Box::new(self.formula(operand))),
            K::Binary(op, a, b) => {
                let make: fn(Box<(Formula, Formula)>) -> Formula = match op {
                    B::And => Formula::And,
                    B::Or => Formula::Or,
                    B::Implies => Formula::Implies,
                    B::Equivalent => Formula::Equivalent,
                    B::Until => Formula::Until,
                    B::WeakUntil => Formula::WeakUntil,
                    B::Release => Formula::Release,
                    _ => return Formula::Now(self.value(expr)),
                };
                make(Box::new((self.formula(a), self.formula(b))))
            }
            _ => Formula::Now(self.value(expr)),
        }
    }
}

/// Calls `visit` on every expression of a formula.
pub fn walk_formula(formula: &mut Formula, visit: &mut dyn FnMut(&mut Expr)) {
    match formula {
        Formula::Now(expr) => expr.walk_mut(visit),
        Formula::Not(a) | Formula::Always(a) | Formula::Eventually(a) | Formula::Next(a) => {
            walk_formula(a, visit)
        }
        Formula::And(both)
        | Formula::Or(both)
        | Formula::Implies(both)
        | Formula::Equivalent(both)
        | Formula::Until(both)
        | Formula::WeakUntil(both)
        | Formula::Release(both) => {
            walk_formula(&mut both.0, visit);
            walk_formula(&mut both.1, visit);
        }
    }
}
