//! References to labels and variables of other processes, which are resolved when every body is known.

use allways_source::{Diagnostic, did_you_mean};
use allways_system::{Expr, LocationId, ProctypeId, Scalar, Shape, Start};

use super::{Lowering, properties};
use crate::ast;

/// A label of a proctype. Until the end, [`Expr::At`] holds an index into a list of these instead of a location.
#[derive(Clone, Debug)]
pub struct LabelReference {
    pub proctype: ProctypeId,
    pub label: ast::Name,
}

/// A local variable of a proctype. Until the end, the base of an [`Expr::Remote`] is an index into a list of these.
#[derive(Clone, Debug)]
pub struct VariableReference {
    pub proctype: ProctypeId,
    pub name: ast::Name,
    pub indexed: bool,
}

/// Where a remote variable is.
struct RemoteSlot {
    base: u32,
    scalar: Scalar,
    /// The length, if it is an array.
    bound: u32,
}

impl Lowering<'_> {
    pub fn resolve_references(&mut self) {
        let labels: Vec<Option<LocationId>> = std::mem::take(&mut self.label_references)
            .iter()
            .map(|reference| self.resolve_label(reference))
            .collect();
        let variables: Vec<Option<RemoteSlot>> = std::mem::take(&mut self.variable_references)
            .iter()
            .map(|reference| self.resolve_variable(reference))
            .collect();
        let mut patch = |expr: &mut Expr| match expr {
            Expr::At { location, .. } => match labels[location.index()] {
                Some(known) => *location = known,
                // Nobody is ever there.
                None => *expr = Expr::Constant(0),
            },
            Expr::Remote { place, .. } => {
                let Some(slot) = &variables[place.base as usize] else { return };
                place.base = slot.base;
                place.scalar = slot.scalar;
                place.indices.iter_mut().for_each(|index| index.bound = slot.bound);
            }
            _ => {}
        };
        let system = &mut self.system;
        let claims = system.claims.iter_mut().map(|claim| &mut claim.automaton);
        let traces = system.traces.iter_mut().map(|trace| &mut trace.automaton);
        for proctype in system.proctypes.iter_mut().chain(claims).chain(traces) {
            proctype.provided.iter_mut().for_each(|provided| provided.walk_mut(&mut patch));
            for start in &mut proctype.start {
                if let Start::Assign(place, value) = start {
                    place.walk_mut(&mut patch);
                    value.walk_mut(&mut patch);
                }
            }
            proctype.exclusive.iter_mut().for_each(|claim| claim.channel.walk_mut(&mut patch));
            proctype.transitions.iter_mut().for_each(|transition| transition.action.walk_mut(&mut patch));
        }
        for formula in &mut system.formulas {
            properties::walk_formula(&mut formula.formula, &mut patch);
        }
    }

    fn resolve_label(&mut self, reference: &LabelReference) -> Option<LocationId> {
        let LabelReference { proctype, label } = reference;
        let labels = &self.labels[proctype.index()];
        if let Some(location) = labels.get(&*label.text) {
            return *location;
        }
        let name = &self.system.proctypes[proctype.index()].name;
        let message = format!("proctype `{name}` has no label `{}`", label.text);
        let close = did_you_mean(&label.text, labels.keys().map(|name| &**name)).map(str::to_string);
        let diagnostic = Diagnostic::error("undefined-label", label.span, message);
        self.report(match close {
            Some(close) => diagnostic.help(format!("a label with a similar name exists: `{close}`")),
            None => diagnostic,
        });
        None
    }

    fn resolve_variable(&mut self, reference: &VariableReference) -> Option<RemoteSlot> {
        let VariableReference { proctype, name, indexed } = reference;
        let variables = &self.remote_variables[proctype.index()];
        let found = variables.iter().find(|variable| variable.name == name.text).cloned();
        let proctype = &self.system.proctypes[proctype.index()].name;
        let problem = match &found {
            None => format!("proctype `{proctype}` has no variable `{}`", name.text),
            Some(variable) => {
                self.usages[variable.usage].read = true;
                match (&variable.shape, indexed) {
                    (Shape::Scalar(scalar), false) => {
                        return Some(RemoteSlot { base: variable.base, scalar: *scalar, bound: 0 });
                    }
                    (Shape::Array(element, bound), true) if matches!(**element, Shape::Scalar(_)) => {
                        let scalar = element.scalars()[0];
                        return Some(RemoteSlot { base: variable.base, scalar, bound: *bound });
                    }
                    (Shape::Array(..), false) => format!("`{}` is an array: it needs an index", name.text),
                    (Shape::Scalar(_), true) => format!("`{}` is not an array", name.text),
                    _ => "a remote reference cannot reach a field of a struct".to_string(),
                }
            }
        };
        self.report(Diagnostic::error("remote-variable", name.span, problem));
        None
    }
}
