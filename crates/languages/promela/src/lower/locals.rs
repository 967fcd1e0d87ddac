//! Declarations inside a body.

use allways_source::Diagnostic;
use allways_system::{Action, Expr, Initial, Place, Scalar, Scope, Shape, Start};

use super::Lowering;
use super::declarations::Declared;
use super::symbols::Type;
use crate::{ast, pretty};

impl Lowering<'_> {
    pub fn declaration(&mut self, statement: &ast::Statement, declaration: &ast::Declaration) {
        if declaration.visibility == Some(ast::Visibility::Hidden) {
            let message = "`hidden` has a meaning for global variables only";
            self.report(Diagnostic::warning("hidden-local", declaration.span, message));
        }
        for variable in &declaration.variables {
            let declared = self.declared(declaration, variable);
            let is_prefix = self.in_body().in_prefix;
            // The initial value may mention an outer variable of the same name, so it is lowered first.
            let values = self.initial_values(&declared.shape, variable, !is_prefix);
            let base =
                self.in_body().frame.push(&*variable.name.text, declared.shape.clone(), variable.name.span);
            let (shape, channel) = (declared.shape.clone(), declared.channel);
            let exempt = declaration.visibility.is_some();
            let symbol =
                self.declare_variable(&variable.name, Scope::Local, shape.clone(), base, channel, exempt);
            self.in_body().variables.push(symbol);
            let scalars = shape.scalars();
            let place_of = |slot: usize| {
                let scalar = scalars.get(slot).copied().unwrap_or(Scalar::Int);
                Place { scope: Scope::Local, base: base + slot as u32, indices: Default::default(), scalar }
            };
            for (slot, initial) in declared.initial.iter().enumerate() {
                if let Initial::Channel(kind) = initial {
                    self.in_body().start.push(Start::Channel(base + slot as u32, *kind));
                } else if let Initial::Value(value @ (..=-1 | 1..)) = initial {
                    let place = place_of(slot);
                    self.in_body().start.push(Start::Assign(place, Expr::Constant(*value)));
                }
            }
            let assignments: Vec<(Place, Expr)> =
                values.into_iter().enumerate().map(|(slot, value)| (place_of(slot), value)).collect();
            if is_prefix {
                let start = assignments.into_iter().map(|(place, value)| Start::Assign(place, value));
                self.in_body().start.extend(start);
            } else {
                self.declaration_step(statement, variable, &declared, assignments);
            }
        }
    }

    /// A declaration that control passes is a step: it sets the variable again. Of an array only the first element,
    /// of a struct nothing at all: that is what Spin does, and counts depend on it.
    fn declaration_step(
        &mut self,
        statement: &ast::Statement,
        variable: &ast::Variable,
        declared: &Declared,
        assignments: Vec<(Place, Expr)>,
    ) {
        let name = &variable.name.text;
        let late = match &variable.initial {
            Some(ast::Initial::Channel { .. }) => Some("a channel"),
            Some(ast::Initial::List(..)) => Some("an array with a list of values"),
            _ => None,
        };
        if let Some(late) = late {
            let message = format!("{late} must be declared before the first statement of its proctype");
            self.report(
                Diagnostic::error("late-declaration", variable.span, message)
                    .help("it is made when the process starts"),
            );
            return;
        }
        let effect = match &declared.shape {
            Shape::Scalar(_) => "it sets the variable",
            Shape::Array(element, _) if matches!(**element, Shape::Scalar(_)) => {
                "it sets element 0 and no other"
            }
            Shape::Array(..) | Shape::Record { .. } => "but it does not reset the fields",
        };
        self.report(
            Diagnostic::warning(
                "declaration-step",
                variable.span,
                format!("the declaration of `{name}` is a step: {effect}"),
            )
            .help("move it to the start of the proctype if the step is not meant"),
        );
        let value = match &variable.initial {
            Some(ast::Initial::Value(value)) => pretty::expr(value),
            _ => "0".to_string(),
        };
        let written = self.written_as(statement, format!("{name} = {value}"));
        let action = match (&declared.shape, assignments.into_iter().next()) {
            (Shape::Scalar(_) | Shape::Array(..), Some((place, value))) => Action::Assign(place, value),
            _ => Action::AssignAll(Vec::new()),
        };
        self.builder().statement(action, written);
    }

    /// One value per slot. `all`: zeros too, not only what was written.
    fn initial_values(&mut self, shape: &Shape, variable: &ast::Variable, all: bool) -> Vec<Expr> {
        let slots = shape.slots() as usize;
        let scalar = shape.scalars().first().copied().unwrap_or(Scalar::Int);
        let is_simple = match shape {
            Shape::Scalar(_) => true,
            Shape::Array(element, _) => matches!(**element, Shape::Scalar(_)),
            Shape::Record { .. } => false,
        };
        let one = |lowering: &mut Self, value: &ast::Expr| {
            let (expr, kind) = lowering.expr(value);
            lowering.check_assignable(Type::of(scalar), kind, value.span);
            lowering.check_constant_fits(scalar, &expr, value.span);
            expr
        };
        match &variable.initial {
            Some(initial) if !is_simple => {
                self.ignored_initial(initial);
                Vec::new()
            }
            Some(ast::Initial::Value(value)) => vec![one(self, value); slots],
            Some(ast::Initial::List(values, span)) if !matches!(shape, Shape::Scalar(_)) => {
                let mut list: Vec<Expr> = values.iter().map(|value| one(self, value)).collect();
                self.fit_list(&mut list, slots, *span);
                list
            }
            Some(ast::Initial::List(..)) | Some(ast::Initial::Channel { .. }) => Vec::new(),
            None if all => vec![Expr::Constant(0); slots],
            None => Vec::new(),
        }
    }
}
