//! `for` and `select`: loops that count.

use allways_system::{Action, BinaryOp, Expr, Place, Scalar, Scope, Shape};

use super::Lowering;
use super::control::{BreakId, ElementId, Written};
use super::symbols::Type;
use crate::{ast, pretty};

/// The upper end of a `for`.
#[derive(Clone, Copy)]
pub enum Bound<'e> {
    Expr(&'e ast::Expr),
    Constant(i32),
}

/// How a counted loop is left. Spin orders the options of a `select` by how its range is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    /// When the guard is false.
    Otherwise,
    /// At any time; this option comes first.
    First,
    /// At any time; this option comes last.
    Last,
}

impl Lowering<'_> {
    pub fn for_range(
        &mut self,
        statement: &ast::Statement,
        variable: &ast::Place,
        from: &ast::Expr,
        to: Bound,
        body: &ast::Block,
    ) -> Option<ElementId> {
        let id = self.builder().new_break();
        self.in_body().breaks.push(id);
        let place = self.loop_variable(variable);
        let (from_value, from_kind) = self.expr(from);
        let to_value = match to {
            Bound::Expr(to) => self.value(to),
            Bound::Constant(to) => Expr::Constant(to),
        };
        let place = place?;
        if let (
            ast::ExprKind::Constant(low),
            Bound::Expr(ast::Expr { kind: ast::ExprKind::Constant(high), span }),
        ) = (&from.kind, to)
            && low > high
        {
            let message = format!("there is nothing between {low} and {high}: the body would never run");
            self.error("empty-range", from.span.to(*span), message);
        }
        self.check_assignable(Type::Number, from_kind, from.span);
        self.check_constant_fits(place.scalar, &from_value, from.span);
        let name = pretty::place(variable);
        let to_text = match to {
            Bound::Expr(to) => pretty::expr(to),
            Bound::Constant(to) => to.to_string(),
        };
        let begin = self.written_as(statement, format!("{name} = {}", pretty::expr(from)));
        self.builder().statement(Action::Assign(place.clone(), from_value), begin);
        let guard = Expr::Binary(BinaryOp::LessEqual, Box::new((Expr::Load(place.clone()), to_value)));
        let guard_written = self.written_as(statement, format!("({name}<={to_text})"));
        let element = self.counted_loop(
            statement,
            id,
            &place,
            &name,
            (guard, guard_written),
            Leave::Otherwise,
            &mut |lowering| lowering.scoped(body),
        );
        Some(element)
    }

    /// `do :: guard; body; place++ :: else -> break od`, or the same with a free choice to leave.
    #[allow(clippy::too_many_arguments)]
    fn counted_loop(
        &mut self,
        statement: &ast::Statement,
        id: BreakId,
        place: &Place,
        name: &str,
        (guard, guard_written): (Expr, Written),
        leave: Leave,
        body: &mut dyn FnMut(&mut Self),
    ) -> ElementId {
        self.builder().open();
        self.builder().statement(Action::Condition(guard), guard_written);
        body(self);
        let next = Expr::Binary(BinaryOp::Add, Box::new((Expr::Load(place.clone()), Expr::Constant(1))));
        let next_written = self.written_as(statement, format!("{name} = ({name}+1)"));
        self.builder().statement(Action::Assign(place.clone(), next), next_written);
        let round = self.builder().close();

        self.builder().open();
        if leave == Leave::Otherwise {
            let written = self.written_as(statement, "else".to_string());
            self.builder().statement(Action::Else, written);
        }
        let written = self.written_as(statement, "break".to_string());
        self.builder().break_out(id, written, false);
        let exit = self.builder().close();

        self.in_body().breaks.pop();
        let options = if leave == Leave::First { vec![exit, round] } else { vec![round, exit] };
        let written = self.written_as(statement, pretty::statement(&statement.kind));
        self.builder().repetition(options, id, written)
    }

    fn loop_variable(&mut self, variable: &ast::Place) -> Option<Place> {
        let place = self.designator(variable, true).and_then(|designator| self.as_scalar(designator))?;
        if place.scalar == Scalar::Chan {
            self.error("type-mismatch", variable.span, "a channel cannot count");
            return None;
        }
        Some(place)
    }

    pub fn for_in(
        &mut self,
        statement: &ast::Statement,
        variable: &ast::Place,
        collection: &ast::Place,
        body: &ast::Block,
    ) -> Option<ElementId> {
        let designator = self.designator(collection, true)?;
        match designator.shape {
            Shape::Array(_, length) => {
                let zero = ast::Expr { kind: ast::ExprKind::Constant(0), span: collection.span };
                self.for_range(statement, variable, &zero, Bound::Constant(length as i32 - 1), body)
            }
            Shape::Scalar(Scalar::Chan) => self.for_in_channel(statement, variable, collection, body),
            _ => {
                self.error("not-iterable", collection.span, "`for (x in …)` needs an array or a channel");
                None
            }
        }
    }

    /// Takes each message, puts it back at the end, and runs the body: the channel is rotated once.
    fn for_in_channel(
        &mut self,
        statement: &ast::Statement,
        variable: &ast::Place,
        collection: &ast::Place,
        body: &ast::Block,
    ) -> Option<ElementId> {
        let id = self.builder().new_break();
        self.in_body().breaks.push(id);
        let (channel, kind) = self.channel(collection);
        let capacity = kind.map_or(256, |kind| self.system.channels[kind.index()].capacity);
        let counter_type = if capacity > 255 { Scalar::Short } else { Scalar::Byte };
        let base = self.in_body().frame.push("_for", Shape::Scalar(counter_type), statement.span);
        let counter = Place { scope: Scope::Local, base, indices: Default::default(), scalar: counter_type };

        let begin = self.written_as(statement, "_for = 0".to_string());
        self.builder().statement(Action::Assign(counter.clone(), Expr::Constant(0)), begin);
        let length = Expr::Channel(allways_system::ChannelTest::Len, Box::new(channel));
        let guard = Expr::Binary(BinaryOp::Less, Box::new((Expr::Load(counter.clone()), length)));
        let name = pretty::place(collection);
        let guard_written = self.written_as(statement, format!("(_for<len({name}))"));
        let span = statement.span;
        let message = ast::Expr { kind: ast::ExprKind::Place(variable.clone()), span: variable.span };
        let element = self.counted_loop(
            statement,
            id,
            &counter,
            "_for",
            (guard, guard_written),
            Leave::Otherwise,
            &mut |this| {
                let pattern = [ast::Pattern::Place(variable.clone())];
                let take = this.receive(collection, false, false, &pattern, span);
                let text = format!("{name}?{}", pretty::place(variable));
                let written = this.written_as(statement, text);
                this.builder().statement(take, written);
                let put = this.send(collection, false, std::slice::from_ref(&message), span);
                let text = format!("{name}!{}", pretty::place(variable));
                let written = this.written_as(statement, text);
                this.builder().statement(put, written);
                this.scoped(body);
            },
        );
        Some(element)
    }

    pub fn select(
        &mut self,
        statement: &ast::Statement,
        variable: &ast::Place,
        from: &ast::Expr,
        to: &ast::Expr,
    ) -> Option<ElementId> {
        use ast::ExprKind::Constant;
        let place = self.loop_variable(variable);
        let name = pretty::place(variable);
        // Spin does not see that both bounds are numbers if there is an underscore in the name in front of them.
        let is_seen = !name.contains('_') || name.contains(['[', '.']);
        let mut literal = false;
        if let (Constant(low), Constant(high)) = (&from.kind, &to.kind) {
            literal = is_seen;
            if low > high {
                let message = format!("there is nothing to select between {low} and {high}");
                self.error("empty-range", from.span.to(to.span), message);
                return None;
            }
            if literal && high - low <= 32 && self.in_body().results.is_empty() {
                return Some(self.select_literally(statement, variable, place?, *low as i32..=*high as i32));
            }
        }
        let id = self.builder().new_break();
        self.in_body().breaks.push(id);
        let (from_value, to_value) = (self.value(from), self.value(to));
        let place = place?;
        let begin = self.written_as(statement, format!("{name} = {}", pretty::expr(from)));
        self.builder().statement(Action::Assign(place.clone(), from_value), begin);
        let guard = Expr::Binary(BinaryOp::Less, Box::new((Expr::Load(place.clone()), to_value)));
        let guard_written = self.written_as(statement, format!("({name}<{})", pretty::expr(to)));
        let leave = if literal && self.in_body().results.is_empty() { Leave::Last } else { Leave::First };
        Some(self.counted_loop(statement, id, &place, &name, (guard, guard_written), leave, &mut |_| {}))
    }

    fn select_literally(
        &mut self,
        statement: &ast::Statement,
        variable: &ast::Place,
        place: Place,
        range: std::ops::RangeInclusive<i32>,
    ) -> ElementId {
        let name = pretty::place(variable);
        let mut options = Vec::new();
        for value in range {
            self.builder().open();
            let written = self.written_as(statement, format!("{name} = {value}"));
            self.check_fits(place.scalar, value, statement.span);
            self.builder().statement(Action::Assign(place.clone(), Expr::Constant(value)), written);
            options.push(self.builder().close());
        }
        let written = self.written(statement);
        self.builder().selection(options, written)
    }
}
