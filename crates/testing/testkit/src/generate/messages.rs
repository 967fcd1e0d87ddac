//! Statements and conditions about channels.

use super::Generator;
use super::plan::{Field, Signature};
use super::scope::{Channel, Context, Duty};
use super::statements::is_plain;
use super::tree::*;
use super::walk::{Visitor, walk_body};

impl Generator {
    pub(super) fn signature(&self, channel: &Channel) -> &Signature {
        &self.plan.signatures[channel.signature]
    }

    fn in_inline(&self) -> bool {
        self.scope.proctype.is_none()
    }

    /// Some visible channel, to ask for its length.
    pub(super) fn some_channel(&mut self) -> Option<Place> {
        let channel = self.dice.pick_any(&self.scope.channels)?;
        Some(self.channel_place(&channel))
    }

    fn channel_place(&mut self, channel: &Channel) -> Place {
        match channel.len {
            None => Place::variable(&channel.name),
            Some(len) => Place::element(&channel.name, len, self.index_value(len)),
        }
    }

    /// A send or a receive, one that the plan expects if any is left.
    pub(super) fn communication(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let Duty { channel, send } = self.next_duty(cx)?;
        let rendezvous = self.signature(&channel).rendezvous();
        match (cx.d_step, send) {
            (true, _) if rendezvous || self.signature(&channel).carries_channels() => None,
            (true, true) => Some(vec![self.send_if_possible(&channel, cx)]),
            (true, false) => Some(vec![self.receive_if_possible(&channel)]),
            (false, true) => Some(vec![self.send(&channel, cx)]),
            (false, false) => Some(self.receive(&channel, cx)),
        }
    }

    fn next_duty(&mut self, cx: Context) -> Option<Duty> {
        if !self.scope.duties.is_empty() && !cx.d_step && self.dice.chance(80) {
            let index = self.dice.index(self.scope.duties.len());
            return Some(self.scope.duties.swap_remove(index));
        }
        let channel = self.dice.pick_any(&self.scope.channels)?;
        let send = match (channel.may_send, channel.may_receive) {
            (true, true) => self.dice.chance(50),
            (send, _) => send,
        };
        Some(Duty { channel, send })
    }

    pub(super) fn send(&mut self, channel: &Channel, cx: Context) -> Stmt {
        let signature = self.signature(channel).clone();
        let sorted =
            !signature.carries_channels() && self.dice.chance(if signature.rendezvous() { 2 } else { 15 });
        // pan sorts by the values as they are before they are truncated, and does not truncate a lone bit at all.
        let lone_bit = matches!(signature.fields[..], [Field::Value(Type::Bit | Type::Bool)]);
        let exact = sorted || lone_bit;
        let args: Vec<_> = signature.fields.iter().map(|field| self.argument(field, exact, cx)).collect();
        let tagged = self.dice.chance(15) || matches!(args[0], Expr::Mtype(_)) && self.dice.chance(50);
        // `c!(a + b)(c)` would be read as something else.
        let tagged = tagged && matches!(args[0], Expr::Mtype(_) | Expr::Const(0..));
        Stmt::Send(Send { channel: self.channel_place(channel), sorted, args, tagged })
    }

    /// A value for a field; one that fits the field if it must be `exact`.
    fn argument(&mut self, field: &Field, exact: bool, cx: Context) -> Expr {
        match field {
            Field::Value(ty) if exact => self.fitting_value(ty),
            Field::Value(ty) => {
                // A value that is received, changed and sent again would grow with every round.
                let repeats = cx.repeats || self.dice.chance(60);
                self.value(ty, Context { repeats, ..cx })
            }
            Field::Channel(signature) => self.global_channel(*signature).map_or(Expr::Const(0), Expr::Place),
        }
    }

    /// A global channel of a signature. Only these are sent in messages: they outlive every process.
    fn global_channel(&mut self, signature: usize) -> Option<Place> {
        let fitting: Vec<_> =
            self.plan.channels.iter().filter(|channel| channel.signature == signature).cloned().collect();
        let channel = self.dice.pick_any(&fitting)?;
        Some(self.channel_place(&channel))
    }

    /// A channel to pass to a new process. A local one will do as well, because a process dies only after
    /// those that were created later.
    pub(super) fn channel_argument(&mut self, signature: usize) -> Option<Place> {
        let visible: Vec<_> =
            self.scope.channels.iter().filter(|channel| channel.signature == signature).cloned().collect();
        match self.dice.pick_any(&visible) {
            Some(channel) if self.dice.chance(70) => Some(self.channel_place(&channel)),
            _ => self.global_channel(signature),
        }
    }

    pub(super) fn receive(&mut self, channel: &Channel, cx: Context) -> Vec<Stmt> {
        let signature = self.signature(channel).clone();
        let mut received = None;
        let mut patterns = vec![];
        for field in &signature.fields {
            patterns.push(match field {
                Field::Value(ty) => self.pattern(ty, &patterns),
                Field::Channel(signature) => {
                    let name = self.scope.fresh("d");
                    self.scope.locals.push(Decl::scalar(&name, Type::Chan));
                    received = Some((name.clone(), *signature));
                    Pattern::Store(Place::variable(name))
                }
            });
        }
        let buffered = !signature.rendezvous();
        let random = self.dice.chance(if buffered { 20 } else { 2 });
        let copy = buffered && received.is_none() && self.dice.chance(10);
        let channel = self.channel_place(channel);
        let receive = Receive { channel, random, copy, patterns };
        let mut stmts = vec![settled(receive, self.in_inline())];
        if let Some((name, signature)) = received {
            stmts.push(self.use_received(name, signature, cx));
        }
        stmts
    }

    /// Does something with the channel that a message brought; directly after, for before there was none.
    fn use_received(&mut self, name: String, signature: usize, cx: Context) -> Stmt {
        let channel = Channel { name, len: None, signature, may_send: true, may_receive: true };
        match self.dice.between(0..=4) {
            0 | 1 => self.send(&channel, cx),
            2 | 3 => self.receive(&channel, cx).swap_remove(0),
            _ => match self.number_target() {
                Some((target, _)) => Stmt::Assign(target, Expr::Len(Place::variable(channel.name))),
                None => Stmt::Skip,
            },
        }
    }

    /// A pattern for a field after `previous` ones. Spin wants a different variable for each field.
    fn pattern(&mut self, ty: &Type, previous: &[Pattern]) -> Pattern {
        let pattern = self.any_pattern(ty);
        let clashes = |place: &Place, other: &Pattern| match other {
            // The arguments of an inline may be one and the same variable.
            Pattern::Store(stored) => self.in_inline() || stored.segments[0].name == place.segments[0].name,
            _ => false,
        };
        match &pattern {
            Pattern::Store(place) if previous.iter().any(|other| clashes(place, other)) => Pattern::Ignore,
            _ => pattern,
        }
    }

    fn any_pattern(&mut self, ty: &Type) -> Pattern {
        let strict = self.dice.chance(15);
        match ty {
            Type::Mtype if strict => Pattern::Mtype(self.dice.pick(&self.plan.mtypes)),
            Type::Mtype => self.mtype_target().map_or(Pattern::Ignore, Pattern::Store),
            _ if strict && self.dice.chance(60) => {
                Pattern::Const(self.dice.weighted(&[(40, 0), (45, 1), (10, 2), (5, -1)]))
            }
            _ if strict => self.evaluated(),
            _ if self.dice.chance(15) => Pattern::Ignore,
            _ => self.fitting_target(ty).map_or(Pattern::Ignore, Pattern::Store),
        }
    }

    /// A pattern to be matched by its value. The value is the same after the receive as before, see [`settled`].
    fn evaluated(&mut self) -> Pattern {
        let Some(place) = self.number().filter(is_plain) else { return Pattern::Eval(Expr::Const(1)) };
        let value = Expr::Place(place);
        Pattern::Eval(match self.dice.between(0..=3) {
            0 => Expr::binary(BinaryOp::BitAnd, value, Expr::Const(1)),
            1 => Expr::binary(BinaryOp::Add, Expr::Const(1), value),
            _ => value,
        })
    }

    /// A send that cannot block.
    fn send_if_possible(&mut self, channel: &Channel, cx: Context) -> Stmt {
        let Stmt::Send(send) = self.send(channel, cx) else { unreachable!("send makes sends") };
        // The index must not change between the question and the send.
        let guard = Expr::Query(Query::NotFull, send.channel.clone());
        Stmt::If(vec![vec![Stmt::Guard(guard), Stmt::Send(send)], vec![Stmt::Else]])
    }

    /// A receive that cannot block.
    fn receive_if_possible(&mut self, channel: &Channel) -> Stmt {
        let fields = self.signature(channel).fields.len();
        let channel = self.channel_place(channel);
        let guard = Expr::Query(Query::NotEmpty, channel.clone());
        let patterns = vec![Pattern::Ignore; fields];
        let receive = Stmt::Receive(Receive { channel, random: false, copy: false, patterns });
        Stmt::If(vec![vec![Stmt::Guard(guard), receive], vec![Stmt::Else]])
    }

    /// A condition on the contents of a channel; `None` if there is no channel.
    pub(super) fn channel_condition(&mut self) -> Option<Expr> {
        let channel = self.dice.pick_any(&self.scope.channels)?;
        let signature = self.signature(&channel);
        let polls = !signature.rendezvous() && !signature.carries_channels();
        if polls && self.dice.chance(35) {
            return Some(self.poll(&channel));
        }
        let query = self.dice.pick(&[Query::Empty, Query::Full, Query::NotEmpty, Query::NotFull]);
        let query = Expr::Query(query, self.channel_place(&channel));
        Some(match self.dice.between(0..=5) {
            0 => Expr::binary(BinaryOp::And, query, self.condition(1)),
            1 => Expr::binary(BinaryOp::Or, query, self.condition(1)),
            _ => query,
        })
    }

    fn poll(&mut self, channel: &Channel) -> Expr {
        let types = self.signature(channel).field_types();
        let patterns = types.iter().map(|ty| match self.any_pattern(ty) {
            // A poll stores nothing, and a variable in it is taken for its value by some and ignored by others.
            Pattern::Store(_) => Pattern::Ignore,
            pattern => pattern,
        });
        let patterns = patterns.collect();
        Expr::Poll { channel: self.channel_place(channel), random: self.dice.chance(40), patterns }
    }

    /// Receives for the duties that the body left undone, and often for all its channels, as a loop that may stay at
    /// its start for ever. Without it most senders would be stuck in the end.
    pub(super) fn server_loop(&mut self, cx: Context) -> Option<Stmt> {
        let duties = std::mem::take(&mut self.scope.duties);
        let mut channels: Vec<_> =
            duties.into_iter().filter(|duty| !duty.send).map(|duty| duty.channel).collect();
        if self.dice.chance(65) {
            channels = self.scope.channels.iter().filter(|channel| channel.may_receive).cloned().collect();
        }
        if channels.is_empty() {
            return None;
        }
        let cx = Context { repeats: true, breakable: true, ..cx }.deeper();
        let mut options: Vec<_> = channels.iter().map(|channel| self.service(channel, cx)).collect();
        if self.dice.chance(25) {
            options.push(vec![Stmt::Guard(self.condition(1)), Stmt::Break]);
        }
        let label = self.scope.fresh("end");
        Some(Stmt::Labelled(label, Box::new(Stmt::Do(options))))
    }

    fn service(&mut self, channel: &Channel, cx: Context) -> Vec<Stmt> {
        let mut option = self.receive(channel, cx);
        if self.dice.chance(60) {
            option.extend(self.sequence(cx, 1));
        }
        option
    }

    /// Sends for the duties that the body left undone.
    pub(super) fn remaining_sends(&mut self, cx: Context) -> Vec<Stmt> {
        let (sends, rest) = std::mem::take(&mut self.scope.duties).into_iter().partition(|duty| duty.send);
        self.scope.duties = rest;
        let sends: Vec<Duty> = sends;
        sends.iter().map(|duty| self.send(&duty.channel, cx)).collect()
    }
}

/// Replaces what depends on variables that the receive itself stores in. pan evaluates indices anew for every field, and
/// again, like the arguments of `eval`, when it removes the message and when it backtracks; it damages its state if the
/// values have changed by then.
fn settled(receive: Receive, inline: bool) -> Stmt {
    let stored_in = |pattern: &Pattern| match pattern {
        Pattern::Store(place) => Some(place.segments[0].name.clone()),
        _ => None,
    };
    let mut settler = Settler { inline, stored: receive.patterns.iter().filter_map(stored_in).collect() };
    let mut stmts = vec![Stmt::Receive(receive)];
    walk_body(&mut stmts, &mut settler);
    stmts.swap_remove(0)
}

struct Settler {
    stored: Vec<String>,
    /// Any variable may be one of those stored in, by another name.
    inline: bool,
}

impl Visitor for Settler {
    fn expression(&mut self, expr: &mut Expr) {
        let stored = |place: &Place| self.inline || self.stored.contains(&place.segments[0].name);
        if matches!(expr, Expr::Place(place) if stored(place)) {
            *expr = Expr::Const(1);
        }
    }
}
