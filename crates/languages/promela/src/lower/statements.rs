//! Statements: one function per kind.

use std::borrow::Cow;
use std::sync::Arc;

use allways_source::{Diagnostic, Span};
use allways_system::{Action, BinaryOp, Exclusive, Expr, Frame, Place, Print, ProctypeId, Scalar, Start};

use super::control::{BlockKind, BreakId, Builder, ElementId, SequenceId, Written};
use super::expressions::flatten;
use super::loops::Bound;
use super::symbols::{Type, Variable};
use super::{Lowering, format};
use crate::{ast, pretty};

/// What kind of body is being lowered: not everything may be done everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyKind {
    Proctype,
    Never,
    Trace,
}

/// A body under construction.
pub struct Body {
    pub kind: BodyKind,
    pub frame: Frame,
    pub start: Vec<Start>,
    pub exclusive: Vec<Exclusive>,
    /// Every variable declared in it, for remote references.
    pub variables: Vec<Variable>,
    pub builder: Builder,
    /// Declarations are still those at the start of the body: evaluated when the process is created.
    pub in_prefix: bool,
    /// Where the `break`s of the enclosing loops lead, and whether something ends the reach of an outer one.
    pub breaks: Vec<BreakId>,
    /// How many selections enclose the current statement: `else` is possible only in one.
    selections: u32,
    /// The variables that take what the enclosing inline calls return.
    pub results: Vec<Option<ast::Place>>,
}

impl Body {
    pub fn new(kind: BodyKind) -> Body {
        Body {
            kind,
            frame: Frame::default(),
            start: Vec::new(),
            exclusive: Vec::new(),
            variables: Vec::new(),
            builder: Builder::default(),
            in_prefix: true,
            breaks: Vec::new(),
            selections: 0,
            results: Vec::new(),
        }
    }
}

impl Lowering<'_> {
    /// `bodies` are those of the proctypes, in the order of the text.
    pub fn lower_bodies<'b>(&mut self, bodies: impl Iterator<Item = Cow<'b, ast::Block>>) {
        let model = self.model;
        let proctypes = model.units.iter().filter_map(|unit| match unit {
            ast::Unit::Proctype(proctype) => Some(proctype),
            _ => None,
        });
        for (id, (proctype, body)) in proctypes.zip(bodies).enumerate() {
            self.lower_proctype(ProctypeId(id as u32), proctype, body);
        }
    }

    /// The syntax tree of the body is not needed any more when its statements are lowered.
    fn lower_proctype(&mut self, id: ProctypeId, proctype: &ast::Proctype, block: Cow<'_, ast::Block>) {
        self.scopes.enter();
        let mut body = Body::new(BodyKind::Proctype);
        self.declare_parameters(proctype, &mut body);
        let provided = proctype.provided.as_ref().map(|provided| self.value(provided));
        let (body, sequence) = self.lower_block_as_body(body, &block);
        drop(block);
        self.scopes.leave();
        let watched = |label: &str| self.watched_labels.contains(&(proctype.name.text.clone(), label.into()));
        let mut diagnostics = Vec::new();
        let graph = body.builder.finish(sequence, self.options.unless, &watched, &mut diagnostics);
        self.diagnostics.extend(diagnostics);
        let lowered = &mut self.system.proctypes[id.index()];
        lowered.frame = body.frame;
        lowered.start = body.start;
        lowered.exclusive = body.exclusive;
        lowered.provided = provided;
        lowered.initial = graph.initial;
        lowered.locations = graph.locations.into();
        lowered.transitions = graph.transitions.into();
        self.labels.push(graph.labels);
        self.remote_variables.push(body.variables);
    }

    /// Lowers the statements of a body and the end behind them.
    pub fn lower_block_as_body(&mut self, body: Body, block: &ast::Block) -> (Body, SequenceId) {
        self.body = Some(body);
        self.builder().open();
        for statement in &block.statements {
            self.statement(statement);
        }
        let closing = Span { start: block.span.end.saturating_sub(1), ..block.span };
        let written = Written::implied("-end-", closing);
        self.builder().statement(Action::Terminate, written);
        let sequence = self.builder().close();
        let body = self.body.take().expect("set above");
        (body, sequence)
    }

    pub fn in_body(&mut self) -> &mut Body {
        self.body.as_mut().expect("statements are lowered inside a body")
    }

    pub fn builder(&mut self) -> &mut Builder {
        &mut self.in_body().builder
    }

    pub fn written(&mut self, statement: &ast::Statement) -> Written {
        self.written_as(statement, pretty::statement(&statement.kind))
    }

    pub fn written_as(&mut self, statement: &ast::Statement, text: String) -> Written {
        let mut calls: Vec<Span> = Vec::new();
        let mut next = statement.expansion;
        while let Some(expansion) = next.and_then(|id| self.model.expansions.get(id.0 as usize)) {
            // A statement out of a macro is already at the place of the macro's use.
            if expansion.call != statement.span && calls.last() != Some(&expansion.call) {
                calls.push(expansion.call);
            }
            next = expansion.parent;
        }
        Written { text: self.text(text), span: statement.span, calls: calls.into() }
    }

    /// Statements with the same text share it.
    fn text(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.texts.get(text.as_str()) {
            return known.clone();
        }
        let text: Arc<str> = text.into();
        self.texts.insert(text.clone());
        text
    }

    fn statement(&mut self, statement: &ast::Statement) {
        use ast::StatementKind as K;
        self.said_of_statement.clear();
        if !matches!(statement.kind, K::Declaration(_) | K::Exclusive { .. }) {
            self.in_body().in_prefix = false;
        }
        self.check_allowed(statement);
        let special = statement.labels.iter().any(|label| is_special(&label.text));
        let written = self.written(statement);
        let element = match &statement.kind {
            K::Declaration(declaration) => {
                self.declaration(statement, declaration);
                return;
            }
            K::Exclusive { receive, channels } => {
                self.exclusive(*receive, channels);
                return;
            }
            K::Expression(expr) => {
                let action = self.condition(expr);
                Some(self.builder().statement(action, written))
            }
            K::Assign { target, value } => {
                let action = self.assignment(target, value);
                Some(self.builder().statement(action, written))
            }
            K::Increment(place) => Some(self.step_by(place, BinaryOp::Add, written)),
            K::Decrement(place) => Some(self.step_by(place, BinaryOp::Subtract, written)),
            K::Send { channel, sorted, arguments } => {
                let action = self.send(channel, *sorted, arguments, statement.span);
                Some(self.builder().statement(action, written))
            }
            K::Receive { channel, random, keep, arguments } => {
                let action = self.receive(channel, *random, *keep, arguments, statement.span);
                Some(self.builder().statement(action, written))
            }
            K::If(options) => {
                let options = self.options(options);
                Some(self.builder().selection(options, written))
            }
            K::Do(options) => {
                let id = self.builder().new_break();
                self.in_body().breaks.push(id);
                let options = self.options(options);
                self.in_body().breaks.pop();
                Some(self.builder().repetition(options, id, written))
            }
            K::Else => Some(self.otherwise(statement.span, written)),
            K::Break => match self.in_body().breaks.last().copied() {
                Some(id) => Some(self.builder().break_out(id, written, special)),
                None => {
                    self.error("misplaced-break", statement.span, "`break` outside a `do` or `for`");
                    None
                }
            },
            K::Goto(label) => Some(self.builder().goto(&label.text, label.span, written, special)),
            K::Atomic(block) => Some(self.block(BlockKind::Atomic, block, written)),
            K::DStep(block) => {
                self.builder().enter_d_step();
                let body = self.block_body(block);
                self.builder().leave_d_step();
                Some(self.builder().block(BlockKind::DStep, body, written))
            }
            K::Block(block) => Some(self.block(BlockKind::Plain, block, written)),
            K::Inline(call) => {
                self.in_body().results.push(call.result.clone());
                let element = self.block(BlockKind::Plain, &call.body, written);
                self.in_body().results.pop();
                Some(element)
            }
            K::Unless { main, escape } => {
                let is_labelled = !statement.labels.is_empty();
                Some(self.unless(main, escape, is_labelled, written))
            }
            K::ForRange { variable, from, to, body } => {
                self.for_range(statement, variable, from, Bound::Expr(to), body)
            }
            K::ForIn { variable, collection, body } => self.for_in(statement, variable, collection, body),
            K::Select { variable, from, to } => self.select(statement, variable, from, to),
            K::Assert(expr) => {
                let action = Action::Assert(self.value(expr));
                Some(self.builder().statement(action, written))
            }
            K::Printf { format, format_span, arguments } => {
                let action = self.printf(format, *format_span, arguments);
                Some(self.builder().statement(action, written))
            }
            K::Printm(expr) => {
                let (value, kind) = self.expr(expr);
                let set = match kind {
                    Type::Mtype(set) => set,
                    _ => allways_system::MtypeId(0),
                };
                let action = Action::Print { format: vec![Print::Symbol(set)], arguments: vec![value] };
                Some(self.builder().statement(action, written))
            }
            K::SetPriority { pid, priority } => {
                self.system.priorities = true;
                let (pid, priority) = (Box::new(self.value(pid)), Box::new(self.value(priority)));
                Some(self.builder().statement(Action::SetPriority { pid, priority }, written))
            }
            K::Return(value) => self.return_value(value, statement.span, written),
            // Reported elsewhere.
            K::EmbeddedC(_) | K::Error => Some(self.builder().statement(Action::Skip, written)),
        };
        if let Some(element) = element {
            self.label(&statement.labels, element);
        }
    }

    fn label(&mut self, labels: &[ast::Name], element: ElementId) {
        for label in labels {
            if let Err(first) = self.builder().label(&label.text, label.span, element) {
                let message = format!("the label `{}` is used twice", label.text);
                self.report(
                    Diagnostic::error("duplicate-label", label.span, message).also(first, "first used here"),
                );
            }
            self.lint_label(label);
        }
    }

    /// `accepted:` is an accept label, whether the author thought of that or not.
    fn lint_label(&mut self, label: &ast::Name) {
        for (prefix, meaning) in SPECIAL_LABELS {
            let Some(rest) = label.text.strip_prefix(prefix) else { continue };
            if rest.starts_with(|c: char| c.is_ascii_lowercase()) {
                let message = format!("`{}` begins with `{prefix}`, so it marks {meaning}", label.text);
                self.report(Diagnostic::warning("accidental-label", label.span, message).help(format!(
                    "if that is meant, write `{prefix}_{rest}`; otherwise choose another name"
                )));
            }
        }
    }

    fn exclusive(&mut self, receive: bool, channels: &[ast::Place]) {
        for place in channels {
            let designator = self.designator(place, true);
            let Some(designator) = designator else { continue };
            let scalars = designator.shape.scalars();
            if scalars.iter().any(|scalar| *scalar != Scalar::Chan) {
                self.error("not-a-channel", place.span, "only a channel can be claimed");
                continue;
            }
            for channel in flatten(&designator) {
                let claim = Exclusive { receive, channel: Expr::Load(channel), span: place.span };
                self.in_body().exclusive.push(claim);
            }
        }
    }

    // ---- simple statements

    fn condition(&mut self, expr: &ast::Expr) -> Action {
        if let ast::ExprKind::Run { proctype, arguments, priority } = &expr.kind {
            return self.run(proctype, arguments, priority.as_deref(), None, expr.span);
        }
        // Only what is written as a constant is a skip; what comes out as 1 is a condition that holds.
        if let ast::ExprKind::Constant(1) = expr.kind {
            return Action::Skip;
        }
        Action::Condition(self.value(expr))
    }

    fn assignment(&mut self, target: &ast::Place, value: &ast::Expr) -> Action {
        if let [part] = &target.parts[..]
            && self.scopes.find(&part.name.text).is_none()
        {
            match &*part.name.text {
                "_" if matches!(value.kind, ast::ExprKind::Run { .. }) => return self.condition(value),
                "_" => {
                    // It is evaluated, which may be an error, and forgotten.
                    return match self.value(value) {
                        Expr::Constant(_) => Action::Skip,
                        value => {
                            let operands = Box::new((value, Expr::Constant(1)));
                            Action::Condition(Expr::Binary(BinaryOp::Or, operands))
                        }
                    };
                }
                "_priority" => {
                    self.system.priorities = true;
                    let priority = Box::new(self.value(value));
                    return Action::SetPriority { pid: Box::new(Expr::Pid), priority };
                }
                name @ ("_pid" | "_nr_pr" | "_last") => {
                    self.error("read-only", target.span, format!("`{name}` cannot be assigned to"));
                    return Action::Skip;
                }
                _ => {}
            }
        }
        if let ast::ExprKind::Run { proctype, arguments, priority } = &value.kind {
            let target = self.target(target);
            return self.run(proctype, arguments, priority.as_deref(), target, value.span);
        }
        let place = self.target(target);
        let (expr, kind) = self.expr(value);
        let Some(place) = place else { return Action::Skip };
        // 0 is the channel that does not exist.
        if !(place.scalar == Scalar::Chan && expr == Expr::Constant(0)) {
            self.check_assignable(Type::of(place.scalar), kind, value.span);
        }
        self.check_constant_fits(place.scalar, &expr, value.span);
        Action::Assign(place, expr)
    }

    fn step_by(&mut self, place: &ast::Place, op: BinaryOp, written: Written) -> ElementId {
        let action = match self.target(place) {
            Some(place) => {
                if place.scalar == Scalar::Chan {
                    self.error("channel-arithmetic", written.span, "a channel cannot be calculated with");
                }
                let sum = Expr::Binary(op, Box::new((Expr::Load(place.clone()), Expr::Constant(1))));
                Action::Assign(place, sum)
            }
            None => Action::Skip,
        };
        self.builder().statement(action, written)
    }

    fn run(
        &mut self,
        proctype: &ast::Name,
        arguments: &[ast::Expr],
        priority: Option<&ast::Expr>,
        result: Option<Place>,
        span: Span,
    ) -> Action {
        if self.builder().in_d_step() {
            self.report(
                Diagnostic::error("run-in-d-step", span, "`run` cannot be used inside a d_step")
                    .help("use `atomic` instead of `d_step`"),
            );
        }
        let values = self.arguments(arguments);
        let priority = priority.map(|priority| {
            self.system.priorities = true;
            self.value(priority)
        });
        let Some(id) = self.proctype(proctype) else { return Action::Skip };
        let signature = self.signatures[&proctype.text].clone();
        if signature.is_init {
            self.error("run-init", proctype.span, "`init` starts by itself and cannot be run");
            return Action::Skip;
        }
        let expected: Vec<Scalar> =
            signature.parameters.iter().flat_map(|(_, shape)| shape.scalars()).collect();
        if values.len() != expected.len() {
            let names: Vec<&str> = signature.parameters.iter().map(|(name, _)| &**name).collect();
            let message = format!(
                "`{}` has {} parameter{}, but {} {} given",
                proctype.text,
                expected.len(),
                if expected.len() == 1 { "" } else { "s" },
                values.len(),
                if values.len() == 1 { "is" } else { "are" },
            );
            self.report(
                Diagnostic::error("run-arity", span, message)
                    .also(signature.span, format!("declared here with ({})", names.join(", "))),
            );
        }
        for ((value, kind, span), scalar) in values.iter().zip(&expected) {
            self.check_assignable(Type::of(*scalar), *kind, *span);
            self.check_constant_fits(*scalar, value, *span);
        }
        let arguments = values.into_iter().map(|(value, _, _)| value).collect();
        let (priority, result) = (priority.map(Box::new), result.map(Box::new));
        Action::Run { proctype: id, arguments, priority, result }
    }

    pub fn send(
        &mut self,
        channel: &ast::Place,
        sorted: bool,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Action {
        let (channel, kind) = self.channel(channel);
        let values = self.arguments(arguments);
        if let Some(kind) = kind {
            let fields = self.system.channels[kind.index()].fields.clone();
            self.check_arity("sent", values.len(), fields.len(), kind, span);
            for ((value, found, span), field) in values.iter().zip(&fields) {
                self.check_field(Type::of(*field), *found, *span);
                self.check_constant_fits(*field, value, *span);
            }
        }
        Action::Send { channel, sorted, values: values.into_iter().map(|(value, _, _)| value).collect() }
    }

    pub fn receive(
        &mut self,
        channel: &ast::Place,
        random: bool,
        keep: bool,
        arguments: &[ast::Pattern],
        span: Span,
    ) -> Action {
        let (channel, kind) = self.channel(channel);
        let patterns = self.patterns(arguments, kind, span, true);
        Action::Receive { channel, random, keep, patterns }
    }

    fn printf(&mut self, text: &str, span: Span, arguments: &[ast::Expr]) -> Action {
        let before = self.diagnostics.len();
        let mut format = format::parse(text, span, &mut self.diagnostics);
        let well_formed = self.diagnostics.len() == before;
        let mut values: Vec<(Expr, Type)> = arguments.iter().map(|argument| self.expr(argument)).collect();
        let wanted = format.iter().filter(|piece| !matches!(piece, Print::Text(_))).count();
        if wanted != values.len() && well_formed {
            let verb = if values.len() == 1 { "is" } else { "are" };
            let message = format!("the format takes {wanted} values, but {} {verb} given", values.len());
            self.report(Diagnostic::warning("printf-arity", span, message));
        }
        // What has no value is not printed, nor what follows; values that have no place are not needed.
        let is_placeholder = |piece: &&Print| !matches!(piece, Print::Text(_));
        if let Some((end, _)) =
            format.iter().enumerate().filter(|(_, piece)| is_placeholder(piece)).nth(values.len())
        {
            format.truncate(end);
        }
        values.truncate(wanted);
        let placeholders = format.iter_mut().filter(|piece| !matches!(piece, Print::Text(_)));
        for (piece, (_, kind)) in placeholders.zip(&values) {
            if let (Print::Symbol(set), Type::Mtype(of)) = (piece, kind) {
                *set = *of;
            }
        }
        Action::Print { format, arguments: values.into_iter().map(|(value, _)| value).collect() }
    }

    fn return_value(&mut self, value: &ast::Expr, span: Span, written: Written) -> Option<ElementId> {
        match self.in_body().results.last().cloned() {
            Some(Some(target)) => {
                let action = self.assignment(&target, value);
                Some(self.builder().statement(action, written))
            }
            _ => {
                self.report(
                    Diagnostic::error(
                        "misplaced-return",
                        span,
                        "nothing takes the value that is returned here",
                    )
                    .help("`return` belongs in an inline that is called as `x = name(…)`"),
                );
                None
            }
        }
    }

    fn otherwise(&mut self, span: Span, written: Written) -> ElementId {
        if self.in_body().selections == 0 || !self.builder().is_empty() {
            let message = "this `else` is not the first statement of an option: it can always be executed";
            self.report(
                Diagnostic::warning("misplaced-else", span, message)
                    .help("write `:: else -> …` inside an `if` or a `do`"),
            );
            return self.builder().statement(Action::Skip, written);
        }
        self.builder().statement(Action::Else, written)
    }

    // ---- compound statements

    fn options(&mut self, options: &[ast::Block]) -> Vec<SequenceId> {
        self.in_body().selections += 1;
        let mut sequences = Vec::new();
        let mut otherwise = None;
        for option in options {
            self.builder().open();
            for statement in &option.statements {
                self.statement(statement);
            }
            if self.builder().is_empty() {
                let written = Written::implied("skip", option.span);
                self.builder().statement(Action::Skip, written);
            }
            let sequence = self.builder().close();
            if self.in_body().kind != BodyKind::Never {
                self.builder().prune_skips(sequence);
            }
            let is_else =
                matches!(option.statements.first().map(|first| &first.kind), Some(ast::StatementKind::Else));
            if is_else && otherwise.is_none() {
                otherwise = Some(sequence);
            } else {
                sequences.push(sequence);
            }
        }
        self.in_body().selections -= 1;
        sequences.extend(otherwise);
        sequences
    }

    fn block(&mut self, kind: BlockKind, block: &ast::Block, written: Written) -> ElementId {
        let body = self.block_body(block);
        self.builder().block(kind, body, written)
    }

    /// The statements between braces: a scope of their own.
    fn block_body(&mut self, block: &ast::Block) -> SequenceId {
        self.builder().open();
        self.scoped(block);
        if self.builder().is_empty() {
            let written = Written::implied("skip", block.span);
            self.builder().statement(Action::Skip, written);
        }
        self.builder().close()
    }

    pub fn scoped(&mut self, block: &ast::Block) {
        self.scopes.enter();
        self.builder().enter_scope();
        for statement in &block.statements {
            self.statement(statement);
        }
        self.builder().leave_scope();
        self.scopes.leave();
    }

    fn unless(
        &mut self,
        main: &ast::Statement,
        escape: &ast::Statement,
        is_labelled: bool,
        written: Written,
    ) -> ElementId {
        if self.builder().in_d_step() {
            self.error("unless-in-d-step", written.span, "`unless` cannot be used inside a d_step");
        }
        if !is_labelled {
            return self.unless_parts(main, escape, &[BlockKind::Plain], written);
        }
        // A label names the whole, which becomes a block: an `unless` is no point of control itself.
        self.builder().open();
        self.unless_parts(main, escape, &[BlockKind::Plain, BlockKind::Atomic], written.clone());
        let body = self.builder().close();
        self.builder().block(BlockKind::Plain, body, written)
    }

    fn unless_parts(
        &mut self,
        main: &ast::Statement,
        escape: &ast::Statement,
        dissolved: &[BlockKind],
        written: Written,
    ) -> ElementId {
        let main = self.unless_part(main, dissolved);
        let escape = self.unless_part(escape, &[BlockKind::Plain]);
        self.builder().unless(main, escape, written)
    }

    /// One part of an `unless` as a sequence. The assignment that a `for` or a counted `select` begins with is not
    /// part of it: it comes before the whole.
    fn unless_part(&mut self, part: &ast::Statement, dissolved: &[BlockKind]) -> SequenceId {
        use ast::StatementKind as K;
        self.builder().open();
        self.statement(part);
        let sequence = self.builder().close();
        if matches!(part.kind, K::ForRange { .. } | K::ForIn { .. } | K::Select { .. }) {
            self.builder().move_first_statement(sequence);
            return sequence;
        }
        self.builder().dissolve(sequence, dissolved)
    }

    // ---- what may stand where

    fn check_allowed(&mut self, statement: &ast::Statement) {
        use ast::StatementKind as K;
        let control = matches!(
            statement.kind,
            K::If(_)
                | K::Do(_)
                | K::Else
                | K::Break
                | K::Goto(_)
                | K::Atomic(_)
                | K::DStep(_)
                | K::Block(_)
                | K::Inline(_)
                | K::Unless { .. }
                | K::Error
        );
        match self.in_body().kind {
            BodyKind::Proctype => {}
            // A claim that changes the system is not checked: see
            // [`Lowering::warn_about_side_effects`].
            BodyKind::Never => {
                if matches!(statement.kind, K::Exclusive { .. }) {
                    let message = "a never claim cannot claim channels for itself";
                    self.error("claim-side-effect", statement.span, message);
                }
            }
            BodyKind::Trace => {
                let event = matches!(
                    statement.kind,
                    K::Send { sorted: false, .. } | K::Receive { random: false, keep: false, .. }
                );
                let skip = matches!(&statement.kind, K::Expression(expr) if matches!(expr.kind, ast::ExprKind::Constant(1)));
                if !control && !event && !skip {
                    self.report(
                        Diagnostic::error(
                            "not-an-event",
                            statement.span,
                            "only sends and receives can stand in a trace",
                        )
                        .help("events are written `channel!fields` and `channel?fields`"),
                    );
                }
            }
        }
    }
}

const SPECIAL_LABELS: [(&str, &str); 3] = [
    ("end", "a place where the process may stay for ever"),
    ("progress", "progress"),
    ("accept", "an acceptance state"),
];

fn is_special(label: &str) -> bool {
    SPECIAL_LABELS.iter().any(|(prefix, _)| label.starts_with(prefix))
}
