//! Which steps are possible: rules 1 to 5 of the crate's head.

use allways_system::{Action, Expansion, Expr, Fault, Pattern, Pid, Step, TransitionId};

use crate::evaluate::Context;
use crate::{Interpreter, State};

/// Whether a transition is enabled.
#[derive(Clone, PartialEq, Eq)]
enum Enabled {
    No,
    Yes,
    /// Together with a receiver: a send of this message on the rendezvous channel at this position.
    Handshake {
        channel: usize,
        message: Vec<i32>,
    },
}

impl Interpreter<'_> {
    pub(crate) fn find_steps(&self, state: &State, steps: &mut Vec<Step>) -> Expansion {
        let mut expansion = Expansion::default();
        if let Some(pid) = state.exclusive {
            self.process_steps(state, pid, false, steps, &mut expansion);
            return expansion;
        }
        let before = steps.len();
        self.all_steps(state, false, steps, &mut expansion);
        if steps.len() == before && self.uses_timeout {
            expansion.timeout = true;
            self.all_steps(state, true, steps, &mut expansion);
        }
        expansion
    }

    /// Whether a process has a step, as far as it alone is concerned.
    pub(crate) fn can_move(&self, ctx: &Context) -> bool {
        let process = &ctx.state.processes[ctx.pid as usize];
        let proctype = self.system.proctype(process.proctype);
        proctype.location(process.location).groups.iter().flatten().any(|transition| {
            match self.enabled(ctx, &proctype.transition(*transition).action) {
                Enabled::No => false,
                Enabled::Yes => true,
                Enabled::Handshake { channel, message } => {
                    self.receivers(ctx, channel, &message).next().is_some()
                }
            }
        })
    }

    fn all_steps(&self, state: &State, timeout: bool, steps: &mut Vec<Step>, expansion: &mut Expansion) {
        for pid in (0..state.processes.len() as Pid).rev() {
            self.process_steps(state, pid, timeout, steps, expansion);
        }
    }

    fn process_steps(
        &self,
        state: &State,
        pid: Pid,
        timeout: bool,
        steps: &mut Vec<Step>,
        expansion: &mut Expansion,
    ) {
        let ctx = Context { timeout, ..Context::new(self, state, pid) };
        if !self.may_run(&ctx) {
            return;
        }
        let process = &state.processes[pid as usize];
        let proctype = self.system.proctype(process.proctype);
        let before = steps.len();
        for group in &proctype.location(process.location).groups {
            for &transition in group {
                let action = &proctype.transition(transition).action;
                if matches!(action, Action::Else) {
                    if steps.len() == before {
                        steps.push(Step { pid, transition, partner: None });
                    }
                    continue;
                }
                match self.enabled(&ctx, action) {
                    Enabled::No => continue,
                    Enabled::Yes => steps.push(Step { pid, transition, partner: None }),
                    Enabled::Handshake { channel, message } => {
                        let found = steps.len();
                        steps.extend(self.receivers(&ctx, channel, &message).map(|partner| Step {
                            pid,
                            transition,
                            partner: Some(partner),
                        }));
                        expansion.refused_handshake |= steps.len() == found;
                    }
                }
            }
            if steps.len() > before {
                break;
            }
        }
        if proctype.deterministic && expansion.nondeterminism.is_none() {
            let first = steps.get(before).copied();
            expansion.nondeterminism = steps[before..]
                .iter()
                .find(|step| first.is_some_and(|first| first.transition != step.transition))
                .copied();
        }
    }

    /// Rule 3. A `provided` clause that cannot be evaluated lets the process run into the fault.
    fn may_run(&self, ctx: &Context) -> bool {
        self.is_provided(ctx) && (!self.system.priorities || !self.is_outranked(ctx))
    }

    fn is_provided(&self, ctx: &Context) -> bool {
        let process = &ctx.state.processes[ctx.pid as usize];
        match &self.system.proctype(process.proctype).provided {
            Some(provided) => ctx.holds(provided).unwrap_or(true),
            None => true,
        }
    }

    fn is_outranked(&self, ctx: &Context) -> bool {
        let own = ctx.state.processes[ctx.pid as usize].priority;
        (0..ctx.state.processes.len() as Pid).any(|other| {
            let ctx = Context { pid: other, ..*ctx };
            ctx.state.processes[other as usize].priority > own
                && self.is_provided(&ctx)
                && self.can_move(&ctx)
        })
    }

    /// Whether a transition is enabled. One whose guard cannot be evaluated is: carrying it out reports the fault.
    fn enabled(&self, ctx: &Context, action: &Action) -> Enabled {
        match self.try_enabled(ctx, action) {
            Ok(enabled) => enabled,
            Err(_) => Enabled::Yes,
        }
    }

    fn try_enabled(&self, ctx: &Context, action: &Action) -> Result<Enabled, Fault> {
        let enabled = match action {
            Action::Condition(condition) => ctx.holds(condition)?,
            Action::Send { channel, values, .. } => {
                let (position, channel) = ctx.channel(channel)?;
                let declared = &self.system.channels[channel.kind.index()];
                if self.is_rendezvous(channel) {
                    let message = self.message(ctx, position, values)?;
                    return Ok(Enabled::Handshake { channel: position, message });
                }
                channel.length < declared.capacity || self.semantics.lossy
            }
            Action::Receive { channel, random, patterns, .. } => {
                let (_, channel) = ctx.channel(channel)?;
                !self.is_rendezvous(channel) && ctx.find_message(channel, *random, patterns)?.is_some()
            }
            Action::DStep { entry, .. } => self.first_of_d_step(ctx, *entry).is_some(),
            Action::Terminate => ctx.pid as usize + 1 == ctx.state.processes.len(),
            Action::Skip
            | Action::Else
            | Action::Assign(..)
            | Action::AssignAll(_)
            | Action::Assert(_)
            | Action::Run { .. }
            | Action::Print { .. }
            | Action::SetPriority { .. } => true,
        };
        Ok(if enabled { Enabled::Yes } else { Enabled::No })
    }

    /// The first enabled transition of a location inside a `d_step`.
    pub(crate) fn first_of_d_step(
        &self,
        ctx: &Context,
        location: allways_system::LocationId,
    ) -> Option<TransitionId> {
        let process = &ctx.state.processes[ctx.pid as usize];
        let proctype = self.system.proctype(process.proctype);
        proctype.location(location).groups.iter().flatten().copied().find(|transition| {
            // Nobody can answer a rendezvous from within a d_step: it counts as enabled and is then refused.
            self.enabled(ctx, &proctype.transition(*transition).action) != Enabled::No
        })
    }

    /// The fields of a message as the channel will hold them.
    pub(crate) fn message(&self, ctx: &Context, channel: usize, values: &[Expr]) -> Result<Vec<i32>, Fault> {
        let fields = &self.system.channels[ctx.state.channels[channel].kind.index()].fields;
        if values.len() != fields.len() {
            return Err(Fault::Arity {
                unit: "value",
                done: "sent",
                given: values.len(),
                expected: fields.len(),
            });
        }
        values.iter().zip(fields).map(|(value, field)| self.truncate(*field, ctx.evaluate(value)?)).collect()
    }

    /// The processes that could take this message now, and how: rule 5.
    fn receivers<'c>(
        &'c self,
        sender: &Context<'c, '_>,
        channel: usize,
        message: &'c [i32],
    ) -> impl Iterator<Item = (Pid, TransitionId)> + 'c {
        let (state, timeout, questions, sender) =
            (sender.state, sender.timeout, sender.questions, sender.pid);
        (0..state.processes.len() as Pid).rev().filter(move |pid| *pid != sender).flat_map(move |pid| {
            let ctx = Context { timeout, questions, ..Context::new(self, state, pid) };
            self.receives_of(&ctx, channel, message).into_iter().map(move |transition| (pid, transition))
        })
    }

    fn receives_of(&self, ctx: &Context, channel: usize, message: &[i32]) -> Vec<TransitionId> {
        if !self.is_provided(ctx) {
            return Vec::new();
        }
        let process = &ctx.state.processes[ctx.pid as usize];
        let proctype = self.system.proctype(process.proctype);
        let accepts = |transition: &TransitionId| {
            self.receive_in(ctx, *transition)
                .is_some_and(|(from, patterns)| self.accepts(ctx, from, patterns, channel, message))
        };
        for group in &proctype.location(process.location).groups {
            let found: Vec<TransitionId> = group.iter().copied().filter(accepts).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The receive that a transition begins with: its own, or the first one of its `d_step`.
    fn receive_in<'s>(
        &'s self,
        ctx: &Context,
        transition: TransitionId,
    ) -> Option<(&'s Expr, &'s [Pattern])> {
        let process = &ctx.state.processes[ctx.pid as usize];
        let proctype = self.system.proctype(process.proctype);
        match &proctype.transition(transition).action {
            Action::Receive { channel, patterns, .. } => Some((channel, patterns)),
            Action::DStep { entry, .. } => {
                let first = *proctype.location(*entry).groups.first()?.first()?;
                match &proctype.transition(first).action {
                    Action::Receive { channel, patterns, .. } => Some((channel, patterns)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn accepts(
        &self,
        ctx: &Context,
        from: &Expr,
        patterns: &[Pattern],
        channel: usize,
        message: &[i32],
    ) -> bool {
        ctx.channel(from).is_ok_and(|(position, _)| position == channel)
            // A mismatch in length is a fault of the receiver, found when the step is carried out.
            && (patterns.len() != message.len() || ctx.matches(patterns, message).unwrap_or(true))
    }
}
