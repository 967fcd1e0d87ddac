//! Bodies of proctypes and inlines.

use super::Generator;
use super::features::Feature;
use super::plan::{Formal, Param, ProctypePlan};
use super::scope::{Channel, Context, Duty, Label, LabelPlace, Scope, Variable};
use super::tree::*;
use crate::spin::Semantics;

impl Generator {
    pub(super) fn semantics(&self) -> Semantics {
        Semantics {
            lossy: self.features.has(Feature::Lossy),
            strict_end: self.features.has(Feature::StrictEnd),
            innermost_unless: self.features.has(Feature::InnermostUnless),
        }
    }

    pub(super) fn inlines(&mut self) -> Vec<Inline> {
        (0..self.plan.inlines.len()).map(|number| self.inline(number)).collect()
    }

    fn inline(&mut self, number: usize) -> Inline {
        let plan = self.plan.inlines[number].clone();
        self.enter_scope(3);
        self.scope.prefix = format!("{}_", plan.name);
        let mut formals = vec![];
        for (i, formal) in plan.formals.iter().enumerate() {
            // Arguments replace formals as text, so no argument may contain a formal's name.
            let name = format!("{}_formal{i}", plan.name);
            match formal {
                Formal::Channel { signature } => self.scope.channels.push(Channel {
                    name: name.clone(),
                    len: None,
                    signature: *signature,
                    may_send: true,
                    may_receive: true,
                }),
                Formal::Value | Formal::Assigned => {
                    let writable = matches!(formal, Formal::Assigned);
                    let decl = Decl::scalar(&name, Type::Byte);
                    self.scope
                        .variables
                        .push(Variable { formal: true, ..Variable::of(&decl, writable, false) });
                }
            }
            formals.push(name);
        }
        let cx = Context {
            inline: true,
            d_step: plan.quiet,
            atomic: Some(0),
            repeats: true,
            depth: 1,
            ..Context::default()
        };
        let body = self.sequence(cx, 3);
        // There is no beginning of a body to declare counters at; they are declared, and set to zero, in passing.
        let locals = std::mem::take(&mut self.scope.locals);
        let body = locals.into_iter().map(Stmt::Declare).chain(body).collect();
        Inline { name: plan.name, formals, body }
    }

    pub(super) fn proctypes(&mut self) -> Vec<Proctype> {
        let inits = |plan: &ProctypePlan| plan.kind == ProctypeKind::Init;
        // Init comes last, when it is known which proctypes nobody else runs; the text keeps the planned order.
        let mut order: Vec<_> = (0..self.plan.proctypes.len()).collect();
        order.sort_by_key(|number| inits(&self.plan.proctypes[*number]));
        let mut proctypes: Vec<_> = order.iter().map(|number| (*number, self.proctype(*number))).collect();
        proctypes.sort_by_key(|(number, _)| *number);
        proctypes.into_iter().map(|(_, proctype)| proctype).collect()
    }

    fn proctype(&mut self, number: usize) -> Proctype {
        let plan = self.plan.proctypes[number].clone();
        self.enter_scope(self.plan.body_size);
        self.scope.proctype = Some(number);
        self.scope.instances = if let ProctypeKind::Active(n) = plan.kind { n } else { 1 };
        let params = self.bind_params(&plan);
        self.take_roles(&plan);
        self.declare_locals();
        self.plan_labels();
        let body = if plan.kind == ProctypeKind::Init { self.init_body() } else { self.body() };
        let passive = plan.kind == ProctypeKind::Passive;
        Proctype {
            priority: if passive { None } else { self.priority() },
            provided: self.provided(&plan),
            deterministic: passive && self.features.has(Feature::DProctype),
            name: plan.name,
            kind: plan.kind,
            params,
            locals: std::mem::take(&mut self.scope.locals),
            body,
        }
    }

    fn enter_scope(&mut self, budget: i32) {
        let globals = self.plan.globals.iter().filter(|decl| decl.ty != Type::Chan);
        let variables = globals.map(|decl| Variable::of(decl, true, true)).collect();
        self.scope = Scope { variables, budget, ..Scope::default() };
    }

    fn bind_params(&mut self, plan: &ProctypePlan) -> Vec<Decl> {
        let mut decls = vec![];
        for (i, param) in plan.params.iter().enumerate() {
            let name = format!("p{i}");
            match param {
                Param::Value(ty) => {
                    let decl = Decl::scalar(name, ty.clone());
                    self.scope.variables.push(Variable::of(&decl, true, false));
                    decls.push(decl);
                }
                Param::Channel { signature, send, receive } => {
                    let channel = Channel {
                        name: name.clone(),
                        len: None,
                        signature: *signature,
                        may_send: *send,
                        may_receive: *receive,
                    };
                    self.take_duties(channel);
                    decls.push(Decl::scalar(name, Type::Chan));
                }
            }
        }
        decls
    }

    fn take_roles(&mut self, plan: &ProctypePlan) {
        for (role, channel) in plan.roles.iter().zip(self.plan.channels.clone()) {
            if role.send || role.receive {
                self.take_duties(Channel { may_send: role.send, may_receive: role.receive, ..channel });
            }
        }
    }

    fn take_duties(&mut self, channel: Channel) {
        for (send, may) in [(true, channel.may_send), (false, channel.may_receive)] {
            if may {
                self.scope.duties.push(Duty { channel: channel.clone(), send });
            }
        }
        self.scope.channels.push(channel);
    }

    fn declare_locals(&mut self) {
        for _ in 0..self.dice.weighted(&[(35, 0), (45, 1), (20, 2)]) {
            let name = self.scope.fresh("v");
            let ty = self.local_type();
            let init = (self.dice.chance(25) && ty != Type::Mtype).then_some(Init::Value(Expr::Const(1)));
            self.scope.local(Decl { init, ..Decl::scalar(name, ty) }, true);
        }
        if self.features.has(Feature::Arrays) && self.dice.chance(25) {
            let name = self.scope.fresh("va");
            self.scope.local(Decl { len: Some(2), ..Decl::scalar(name, Type::Byte) }, true);
        }
        if self.features.has(Feature::Structs)
            && !self.features.has(Feature::Priorities)
            && self.dice.chance(20)
        {
            let name = self.scope.fresh("vs");
            self.scope.local(Decl::scalar(name, Type::Struct("T0".into())), true);
        }
        if self.features.has(Feature::LocalChannels) {
            self.declare_local_channel();
        }
    }

    pub(super) fn local_type(&mut self) -> Type {
        let weight = |feature, weight| if self.features.has(feature) { weight } else { 0 };
        let mtype = weight(Feature::Mtypes, 20);
        let wide = weight(Feature::WideTypes, 8);
        // With priorities pan forgets to store the bit fields of processes.
        let narrow = 12 - weight(Feature::Priorities, 12);
        self.dice.weighted(&[
            (40, Type::Byte),
            (narrow, Type::Bit),
            (narrow, Type::Bool),
            (narrow, Type::Unsigned(2)),
            (mtype, Type::Mtype),
            (wide, Type::Short),
            (wide, Type::Int),
            (4, Type::Pid),
        ])
    }

    /// A channel of the process itself, made like one of the global buffered ones so that it can be passed on.
    fn declare_local_channel(&mut self) {
        let buffered: Vec<_> = (0..self.plan.signatures.len())
            .filter(|number| !self.plan.signatures[*number].rendezvous())
            .filter(|number| !self.plan.signatures[*number].carries_channels())
            .collect();
        let Some(number) = self.dice.pick_any(&buffered) else { return };
        let signature = &self.plan.signatures[number];
        let init = Init::Channel { capacity: signature.capacity, fields: signature.field_types() };
        let name = self.scope.fresh("l");
        self.scope.locals.push(Decl { init: Some(init), ..Decl::scalar(&name, Type::Chan) });
        self.scope.channels.push(Channel {
            name,
            len: None,
            signature: number,
            may_send: true,
            may_receive: true,
        });
    }

    fn plan_labels(&mut self) {
        if !self.features.has(Feature::Gotos) {
            return;
        }
        for _ in 0..self.dice.between(1..=2) {
            let name = self.scope.fresh("L");
            self.scope.labels.push(Label { name, place: LabelPlace::Nowhere });
        }
    }

    fn body(&mut self) -> Vec<Stmt> {
        let looping = self.features.looping && self.dice.chance(65);
        let repeats = looping || self.features.has(Feature::Gotos);
        let cx = Context { repeats, ..Context::default() };
        let mut body = match self.dice.between(0..=9) {
            0 | 1 => vec![self.main_loop(cx)],
            2 => [vec![self.ending_loop(cx)], self.sequence(cx, 4)].concat(),
            _ => self.sequence(cx, self.plan.body_size as usize),
        };
        body.extend(self.remaining_sends(cx));
        let server = self.server_loop(cx);
        if looping {
            body = vec![restarting(body, server)];
        } else {
            body.extend(server);
        }
        self.finish(body)
    }

    /// A loop that is the whole body, or nearly.
    fn main_loop(&mut self, cx: Context) -> Stmt {
        let mut options = self.loop_options(cx);
        if self.dice.chance(40) {
            options.push(vec![Stmt::Guard(self.condition(1)), Stmt::Break]);
        }
        self.labelled("end", 70, Stmt::Do(options))
    }

    /// A loop that can be left at any time.
    fn ending_loop(&mut self, cx: Context) -> Stmt {
        let mut options = self.loop_options(cx);
        options.push(vec![Stmt::Break]);
        Stmt::Do(options)
    }

    fn loop_options(&mut self, cx: Context) -> Vec<Vec<Stmt>> {
        let cx = Context { repeats: true, breakable: true, ..cx }.deeper();
        (0..self.dice.between(2..=3)).map(|_| self.option(cx, 3)).collect()
    }

    fn init_body(&mut self) -> Vec<Stmt> {
        let cx = Context { repeats: self.features.has(Feature::Gotos), ..Context::default() };
        let missing = self.plan.proctypes.iter().filter(|plan| !plan.spawned);
        let missing: Vec<_> = missing.map(|plan| plan.name.clone()).collect();
        let mut runs: Vec<_> = missing.iter().map(|name| self.run(name, cx)).collect();
        let mut body = if self.dice.chance(15) { self.sequence(cx, 2) } else { vec![] };
        if self.features.has(Feature::Atomic) && self.dice.chance(70) && !runs.is_empty() {
            body.push(Stmt::Atomic(runs));
        } else {
            body.append(&mut runs);
        }
        if self.dice.chance(20) {
            let count = Expr::binary(BinaryOp::LessEqual, Expr::NrPr, Expr::Const(self.dice.between(1..=2)));
            body.push(Stmt::Guard(count));
        }
        if body.is_empty() || self.dice.chance(40) {
            body.extend(self.sequence(cx, 3));
        }
        body.extend(self.remaining_sends(cx));
        body.extend(self.server_loop(cx));
        self.finish(body)
    }

    /// Gives every label that a goto may name a place.
    fn finish(&mut self, mut body: Vec<Stmt>) -> Vec<Stmt> {
        let unplaced = self.scope.labels.iter().filter(|label| label.place == LabelPlace::Nowhere);
        body.extend(unplaced.map(|label| Stmt::Labelled(label.name.clone(), Box::new(Stmt::Skip))));
        body
    }

    pub(super) fn priority(&mut self) -> Option<u8> {
        (self.features.has(Feature::Priorities) && self.dice.chance(60))
            .then(|| self.dice.between(1..=4) as u8)
    }

    fn provided(&mut self, plan: &ProctypePlan) -> Option<Expr> {
        if !self.features.has(Feature::Provided) || plan.kind == ProctypeKind::Init || self.dice.chance(40) {
            return None;
        }
        self.scope.variables.retain(|variable| variable.global);
        self.scope.channels.clear();
        Some(self.condition(1))
    }
}

/// A loop of the body and the services side by side.
fn restarting(mut body: Vec<Stmt>, server: Option<Stmt>) -> Stmt {
    // A declaration may not come first in an option.
    if matches!(body.first(), Some(Stmt::Declare(_))) {
        body.insert(0, Stmt::Skip);
    }
    let mut options = vec![body];
    if let Some(Stmt::Labelled(_, server)) = server
        && let Stmt::Do(services) = *server
    {
        options.extend(services);
    }
    Stmt::Do(options)
}
