//! Statements of all kinds.

use super::Generator;
use super::features::Feature;
use super::plan::{Formal, Param};
use super::scope::{Context, Label, LabelPlace, Variable};
use super::tree::*;

/// A name for variables in blocks.
pub(super) const SCOPED_NAME: &str = "k";

/// Makes one statement, or several that belong together; `None` if it cannot do so here.
type Maker = fn(&mut Generator, Context) -> Option<Vec<Stmt>>;

/// What a statement can be: weight, the feature it needs, how it is made.
const STATEMENTS: &[(u32, Option<Feature>, Maker)] = &[
    (16, None, Generator::assignment),
    (5, None, Generator::increment),
    (2, None, Generator::skips),
    (4, Some(Feature::Guards), Generator::guard),
    (7, Some(Feature::Asserts), Generator::assertion),
    (3, Some(Feature::Print), Generator::print),
    (22, None, Generator::communication),
    (2, None, Generator::channel_guard),
    (9, None, Generator::selection),
    (8, None, Generator::repetition),
    (6, Some(Feature::Atomic), Generator::atomic),
    (6, Some(Feature::DStep), Generator::d_step),
    (6, Some(Feature::Unless), Generator::unless),
    (6, Some(Feature::Blocks), Generator::block),
    (6, Some(Feature::Inlines), Generator::call),
    (6, Some(Feature::Declarations), Generator::declaration),
    (7, Some(Feature::Gotos), Generator::goto),
    (6, Some(Feature::For), Generator::for_loop),
    (5, Some(Feature::Select), Generator::select),
    (5, Some(Feature::Dynamic), Generator::spawn),
    (3, Some(Feature::Timeout), Generator::timeout),
    (5, Some(Feature::Priorities), Generator::set_priority),
    (9, Some(Feature::OutOfRange), Generator::careless_assignment),
];

impl Generator {
    /// About `len` statements, at least one.
    pub(super) fn sequence(&mut self, cx: Context, len: usize) -> Vec<Stmt> {
        let (variables, mut stmts) = (self.scope.variables.len(), vec![]);
        while stmts.is_empty() || stmts.len() < len && self.scope.budget > 0 {
            let mut made = self.statement(cx);
            if cx.depth == 0 || !stmts.is_empty() {
                let first = made.remove(0);
                made.insert(0, self.maybe_labelled(first, cx));
            }
            // A body must have a statement that is not a declaration.
            let only_declares = matches!(made[..], [Stmt::Declare(_)]);
            stmts.append(&mut made);
            if only_declares && (stmts.len() == 1 || stmts.len() >= len) {
                stmts.extend(self.assignment(cx).unwrap_or_else(|| vec![Stmt::Skip]));
            }
        }
        self.scope.variables.truncate(variables);
        stmts
    }

    fn statement(&mut self, cx: Context) -> Vec<Stmt> {
        let available: Vec<_> = STATEMENTS
            .iter()
            .filter(|(_, feature, _)| feature.is_none_or(|feature| self.features.has(feature)))
            .map(|(weight, _, maker)| (*weight, *maker))
            .collect();
        self.scope.budget -= 1;
        loop {
            let maker = self.dice.weighted(&available);
            if let Some(stmts) = maker(self, cx) {
                return stmts;
            }
        }
    }
}

/// Labels.
impl Generator {
    /// Places a label that is still without a place, or marks the statement as a valid end, or neither.
    fn maybe_labelled(&mut self, stmt: Stmt, cx: Context) -> Stmt {
        // To Spin a jump to a d_step is a jump into it.
        let unfit = matches!(stmt, Stmt::Declare(_) | Stmt::Goto(_) | Stmt::Break | Stmt::DStep(_));
        if unfit || cx.d_step || cx.inline {
            return stmt;
        }
        let unplaced = self.scope.labels.iter().position(|label| label.place == LabelPlace::Nowhere);
        if let Some(number) = unplaced.filter(|_| self.dice.chance(25)) {
            let place = cx.atomic.map_or(LabelPlace::Free, LabelPlace::Atomic);
            self.scope.labels[number].place = place;
            return Stmt::Labelled(self.scope.labels[number].name.clone(), Box::new(stmt));
        }
        let waits =
            matches!(stmt, Stmt::Guard(_) | Stmt::Receive(_) | Stmt::Send(_) | Stmt::If(_) | Stmt::Do(_));
        let prefix = self.dice.weighted(&[(90, "end"), (5, "progress"), (5, "accept")]);
        self.labelled(prefix, if waits { 50 } else { 2 }, stmt)
    }

    pub(super) fn labelled(&mut self, prefix: &str, percent: u32, stmt: Stmt) -> Stmt {
        if self.dice.chance(percent) {
            Stmt::Labelled(self.scope.fresh(prefix), Box::new(stmt))
        } else {
            stmt
        }
    }

    fn goto(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.d_step || cx.inline {
            return None;
        }
        // A jump back within one atomic sequence could go round for ever without a state being stored.
        let admissible = |label: &&Label| match label.place {
            LabelPlace::Atomic(number) => cx.atomic != Some(number),
            _ => true,
        };
        let names: Vec<_> =
            self.scope.labels.iter().filter(admissible).map(|label| label.name.clone()).collect();
        let goto = Stmt::Goto(self.dice.pick_any(&names)?);
        if cx.depth > 0 && self.dice.chance(25) {
            return Some(vec![goto]);
        }
        let taken = vec![Stmt::Guard(self.condition(1)), goto];
        Some(vec![Stmt::If(vec![taken, vec![Stmt::Else]])])
    }
}

/// Basic statements.
impl Generator {
    fn assignment(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let (place, ty) = self.target()?;
        let value = self.value(&ty, cx);
        Some(vec![Stmt::Assign(place, value)])
    }

    fn increment(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let (place, ty) = self.number_target()?;
        if cx.repeats && !super::expressions::small(&ty) {
            let next = Expr::binary(BinaryOp::Add, Expr::Place(place.clone()), Expr::Const(1));
            return Some(vec![Stmt::Assign(place, next.remainder(self.dice.between(2..=3)))]);
        }
        Some(vec![if self.dice.chance(70) { Stmt::Increment(place) } else { Stmt::Decrement(place) }])
    }

    /// Spin drops some skips that follow skips; which ones depends on where they stand.
    fn skips(&mut self, _: Context) -> Option<Vec<Stmt>> {
        let count = self.dice.weighted(&[(60, 1), (20, 2), (10, 3), (10, 4)]);
        Some((0..count).map(|_| Stmt::Skip).collect())
    }

    fn guard(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        (!cx.d_step).then(|| vec![Stmt::Guard(self.condition(1))])
    }

    fn channel_guard(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.d_step {
            return None;
        }
        Some(vec![Stmt::Guard(self.channel_condition()?)])
    }

    fn timeout(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        (!cx.d_step).then(|| vec![Stmt::Guard(self.timeout_condition())])
    }

    fn timeout_condition(&mut self) -> Expr {
        match self.dice.between(0..=4) {
            0 => Expr::binary(BinaryOp::Or, Expr::Timeout, self.condition(0)),
            1 => Expr::binary(BinaryOp::And, Expr::Timeout, self.condition(0)),
            _ => Expr::Timeout,
        }
    }

    /// Half of the assertions are hard to violate, so that models without errors exist too.
    fn assertion(&mut self, _: Context) -> Option<Vec<Stmt>> {
        let condition = if self.dice.chance(50) {
            let (place, _) = self.number_target()?;
            Expr::binary(BinaryOp::LessEqual, Expr::Place(place), Expr::Const(self.dice.pick(&[3, 255])))
        } else {
            self.condition(2)
        };
        Some(vec![Stmt::Assert(condition)])
    }

    fn print(&mut self, _: Context) -> Option<Vec<Stmt>> {
        let args = (0..self.dice.between(0..=2)).map(|_| self.expression(1)).collect();
        Some(vec![Stmt::Print(args)])
    }

    fn select(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        // In a d_step it would always choose the lowest value, or block.
        if cx.d_step {
            return None;
        }
        // Spin wants a plain variable.
        let (target, ty) = self.number_target().filter(|(place, _)| is_plain(place))?;
        // The values up to the highest must fit, for a variable range is counted through.
        if matches!(ty, Type::Bit | Type::Bool | Type::Unsigned(_)) {
            return None;
        }
        let high = Expr::Const(self.dice.between(1..=2));
        let high = match self.target_of_small_type() {
            Some(place) if self.dice.chance(40) => {
                Expr::binary(BinaryOp::BitAnd, Expr::Place(place), Expr::Const(3))
            }
            _ => high,
        };
        Some(vec![Stmt::Select { target, low: Expr::Const(0), high }])
    }

    fn target_of_small_type(&mut self) -> Option<Place> {
        self.number_target().filter(|(_, ty)| super::expressions::small(ty)).map(|(place, _)| place)
    }

    fn declaration(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        // Scopes side by side may use a name twice; Spin does not allow it in scopes within each other.
        let taken = self.scope.variables.iter().any(|variable| variable.name == SCOPED_NAME);
        let name = if cx.block && !taken && self.dice.chance(60) {
            SCOPED_NAME.to_owned()
        } else {
            self.scope.fresh("m")
        };
        let ty = match self.local_type() {
            Type::Mtype => Type::Byte,
            ty => ty,
        };
        let init = self.dice.chance(60).then(|| Init::Value(self.value(&ty, cx)));
        let decl = Decl { init, ..Decl::scalar(name, ty) };
        self.scope.variables.push(Variable::of(&decl, true, false));
        Some(vec![Stmt::Declare(decl)])
    }

    fn set_priority(&mut self, _: Context) -> Option<Vec<Stmt>> {
        let priority = Expr::Const(self.dice.between(1..=4));
        Some(vec![Stmt::SetPriority(Expr::Pid, priority)])
    }

    fn careless_assignment(&mut self, _: Context) -> Option<Vec<Stmt>> {
        let (place, _) = self.number_target()?;
        Some(vec![Stmt::Assign(place, self.careless_read()?)])
    }

    fn call(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.inline {
            return None;
        }
        let fitting: Vec<_> =
            self.plan.inlines.iter().filter(|plan| plan.quiet || !cx.d_step).cloned().collect();
        let plan = self.dice.pick_any(&fitting)?;
        let args: Option<Vec<_>> = plan.formals.iter().map(|formal| self.actual(*formal)).collect();
        Some(vec![Stmt::Call { inline: plan.name, args: args? }])
    }

    fn actual(&mut self, formal: Formal) -> Option<Expr> {
        match formal {
            Formal::Value if self.dice.chance(40) => Some(Expr::Const(self.dice.between(0..=2))),
            Formal::Value => self.number_target().map(|(place, _)| Expr::Place(place)),
            Formal::Assigned => self.fitting_target(&Type::Byte).map(Expr::Place),
            Formal::Channel { signature } => self.channel_argument(signature).map(Expr::Place),
        }
    }

    fn spawn(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let runner = self.scope.proctype?;
        if cx.d_step || cx.inline || self.scope.instances > self.plan.spawns_left {
            return None;
        }
        // Only later proctypes, so that no chain of runs comes back to where it started.
        let passive: Vec<_> = (runner + 1..self.plan.proctypes.len())
            .filter(|number| self.plan.proctypes[*number].kind == ProctypeKind::Passive)
            .collect();
        let number = self.dice.pick_any(&passive)?;
        self.plan.spawns_left -= self.scope.instances;
        self.plan.proctypes[number].spawned |= cx.depth == 0 && !cx.repeats;
        let name = self.plan.proctypes[number].name.clone();
        let run = self.run(&name, cx);
        if !cx.repeats {
            return Some(vec![run]);
        }
        let room = Expr::binary(BinaryOp::Less, Expr::NrPr, Expr::Const(self.dice.between(3..=4)));
        Some(vec![Stmt::Atomic(vec![Stmt::Guard(room), run])])
    }

    pub(super) fn run(&mut self, name: &str, cx: Context) -> Stmt {
        let plan = self.plan.proctypes.iter().find(|plan| plan.name == name).expect("a planned proctype");
        let params = plan.params.clone();
        let args = params.iter().map(|param| match param {
            Param::Value(ty) => self.value(ty, Context { repeats: true, ..cx }),
            Param::Channel { signature, .. } => {
                self.channel_argument(*signature).map_or(Expr::Const(0), Expr::Place)
            }
        });
        let args = args.collect();
        let pid = if self.dice.chance(15) { self.number_target().map(|(place, _)| place) } else { None };
        Stmt::Run { proctype: name.to_owned(), args, priority: self.priority(), pid }
    }
}

/// Statements made of statements.
impl Generator {
    fn atomic(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.d_step || cx.depth > 2 {
            return None;
        }
        let count = self.dice.weighted(&[(85, 1), (15, 2)]);
        Some((0..count).map(|_| self.one_atomic(cx)).collect())
    }

    fn one_atomic(&mut self, cx: Context) -> Stmt {
        self.scope.atomics += 1;
        let inner = Context { atomic: Some(self.scope.atomics), ..cx }.braced();
        let len = self.dice.between(1..=4) as usize;
        Stmt::Atomic(self.sequence(inner, len))
    }

    fn d_step(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.d_step || cx.inline {
            return None;
        }
        let inner = Context { d_step: true, breakable: false, ..cx }.braced();
        let mut body = if self.dice.chance(40) { self.d_step_guard(cx) } else { vec![] };
        let len = self.dice.between(1..=4) as usize;
        body.extend(self.sequence(inner, len));
        Some(vec![Stmt::DStep(body)])
    }

    /// The first statement of a d_step may block.
    fn d_step_guard(&mut self, cx: Context) -> Vec<Stmt> {
        let buffered: Vec<_> = self
            .scope
            .channels
            .iter()
            .filter(|channel| {
                !self.signature(channel).rendezvous() && !self.signature(channel).carries_channels()
            })
            .cloned()
            .collect();
        match self.dice.pick_any(&buffered) {
            Some(channel) if channel.may_receive && self.dice.chance(40) => self.receive(&channel, cx),
            Some(channel) if channel.may_send && self.dice.chance(40) => vec![self.send(&channel, cx)],
            _ => vec![Stmt::Guard(self.condition(1))],
        }
    }

    fn block(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.depth > 3 {
            return None;
        }
        let len = self.dice.between(1..=3) as usize;
        Some(vec![Stmt::Block(self.sequence(cx.braced(), len))])
    }

    fn unless(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.d_step || cx.depth > 2 {
            return None;
        }
        let len = self.dice.between(1..=4) as usize;
        let main = self.sequence(cx.braced(), len);
        let escape = self.option(cx.deeper(), 2);
        Some(vec![Stmt::Unless(main, escape)])
    }

    fn selection(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.depth > 3 {
            return None;
        }
        let inner = cx.deeper();
        let count = self.dice.between(1..=3);
        let mut options: Vec<_> = (0..count).map(|_| self.option(inner, 2)).collect();
        let conditional = options.iter().all(|option| matches!(option[0], Stmt::Guard(_)));
        let wanted = cx.d_step || self.dice.chance(if conditional { 75 } else { 25 });
        if wanted && !options.iter().any(|option| option[0].starts_with_else()) {
            options.push(self.else_option(inner));
        }
        Some(vec![Stmt::If(options)])
    }

    fn else_option(&mut self, cx: Context) -> Vec<Stmt> {
        let mut option = vec![Stmt::Else];
        if self.dice.chance(50) {
            option.extend(self.sequence(cx, 1));
        }
        option
    }

    /// A guard and up to `len` statements.
    pub(super) fn option(&mut self, cx: Context, len: i32) -> Vec<Stmt> {
        self.scope.budget -= 1;
        let mut option = self.option_guard(cx);
        if self.scope.budget > 0 && self.dice.chance(80) || self.dice.chance(20) {
            let len = self.dice.between(1..=len) as usize;
            option.extend(self.sequence(cx, len));
        }
        if cx.breakable && self.dice.chance(10) {
            option.push(Stmt::Break);
        }
        option
    }

    fn option_guard(&mut self, cx: Context) -> Vec<Stmt> {
        let condition = vec![Stmt::Guard(self.condition(1))];
        if cx.d_step {
            return condition;
        }
        let timeouts = if self.features.has(Feature::Timeout) { 10 } else { 0 };
        match self.dice.weighted(&[(45, 0), (30, 1), (5, 2), (timeouts, 3), (20, 4)]) {
            1 => self.communication(cx).unwrap_or(condition),
            2 => self.channel_guard(cx).unwrap_or(condition),
            3 => vec![Stmt::Guard(self.timeout_condition())],
            // Anything: an always executable statement, a jump, or a compound whose options join this choice.
            4 => self.any_guard(cx).unwrap_or(condition),
            _ => condition,
        }
    }

    /// Any statement but a declaration, which may not come first in an option.
    fn any_guard(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let variables = self.scope.variables.len();
        let stmts = self.statement(cx);
        if matches!(stmts[0], Stmt::Declare(_)) {
            self.scope.variables.truncate(variables);
            return None;
        }
        Some(stmts)
    }

    fn repetition(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.depth > 2 || cx.inline {
            return None;
        }
        match self.dice.between(0..=9) {
            0..=4 => Some(self.counting_loop(cx)),
            5 | 6 => self.draining_loop(cx),
            // These may never end.
            _ if cx.atomic.is_some() || cx.d_step => None,
            _ => Some(vec![self.random_loop(cx)]),
        }
    }

    /// `i = 0; do :: i < n -> …; i++ :: else -> break od`
    fn counting_loop(&mut self, cx: Context) -> Vec<Stmt> {
        let name = self.counter();
        let counter = || Place::variable(&name);
        let inner = Context { repeats: true, breakable: true, ..cx }.deeper();
        let limit = Expr::Const(self.dice.between(1..=3));
        let more = Expr::binary(BinaryOp::Less, Expr::Place(counter()), limit);
        // Counted first, because the rest may jump.
        let mut option = vec![Stmt::Guard(more), Stmt::Increment(counter())];
        let len = self.dice.between(1..=3) as usize;
        option.extend(self.sequence(inner, len));
        let looping = Stmt::Do(vec![option, vec![Stmt::Else, Stmt::Break]]);
        vec![Stmt::Assign(counter(), Expr::Const(0)), looping]
    }

    /// Receives until the channel is empty.
    fn draining_loop(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let buffered: Vec<_> = self
            .scope
            .channels
            .iter()
            .filter(|channel| channel.may_receive && !self.signature(channel).rendezvous())
            .filter(|channel| !self.signature(channel).carries_channels() && channel.len.is_none())
            .cloned()
            .collect();
        let channel = self.dice.pick_any(&buffered)?;
        let inner = Context { repeats: true, breakable: true, ..cx };
        let Stmt::Receive(receive) = self.receive(&channel, inner).swap_remove(0) else { return None };
        let patterns = vec![Pattern::Ignore; receive.patterns.len()];
        let receive = if cx.d_step { Receive { patterns, random: false, ..receive } } else { receive };
        let drain = vec![Stmt::Receive(Receive { copy: false, ..receive })];
        Some(vec![Stmt::Do(vec![drain, vec![Stmt::Else, Stmt::Break]])])
    }

    fn random_loop(&mut self, cx: Context) -> Stmt {
        let inner = Context { repeats: true, breakable: true, ..cx }.deeper();
        let count = self.dice.between(1..=2);
        let mut options: Vec<_> = (0..count).map(|_| self.option(inner, 2)).collect();
        options.push(match self.dice.between(0..=2) {
            0 => vec![Stmt::Break],
            1 if !options.iter().any(|option| option[0].starts_with_else()) => vec![Stmt::Else, Stmt::Break],
            _ => vec![Stmt::Guard(self.condition(1)), Stmt::Break],
        });
        Stmt::Do(options)
    }

    fn for_loop(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        if cx.depth > 2 {
            return None;
        }
        let counter = Place::variable(self.counter());
        let inner = Context { repeats: true, breakable: !cx.d_step, ..cx }.deeper();
        let len = self.dice.between(1..=2) as usize;
        let body = self.sequence(inner, len);
        let arrays: Vec<_> = self
            .scope
            .variables
            .iter()
            .filter(|variable| variable.len.is_some() && !matches!(variable.ty, Type::Struct(_)))
            .map(|variable| Place::variable(&variable.name))
            .collect();
        Some(vec![match self.dice.pick_any(&arrays) {
            Some(array) if self.dice.chance(40) => Stmt::ForIn { counter, array, body },
            _ => {
                let low = self.dice.between(0..=1);
                let high = low + self.dice.between(0..=2);
                Stmt::For { counter, low: Expr::Const(low), high: Expr::Const(high), body }
            }
        }])
    }

    /// A variable that nothing but its loop assigns, so that the loop ends.
    fn counter(&mut self) -> String {
        let name = self.scope.fresh("i");
        self.scope.local(Decl::scalar(name, Type::Byte), false)
    }
}

/// Whether a place is a variable, not a part of one.
pub(super) fn is_plain(place: &Place) -> bool {
    matches!(&place.segments[..], [Segment { index: None, .. }])
}
