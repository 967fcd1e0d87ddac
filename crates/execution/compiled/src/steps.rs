//! The steps of a state, one process after the other, and taking one of them: the rules of the interpreter on packed states.

use allways_system::{Expansion, LocationId, Pid, Step, TransitionId};

use crate::code::{Edge, Guard, PatternCode};
use crate::instance::{Choice, Instance, Shape};
use crate::worker::{Trap, Worker};

/// All choices of a process where it is, or one that is independent of the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Choices {
    All,
    One(u32),
}

impl Worker<'_, '_> {
    /// All steps of the state, as the interpreter finds them.
    pub(crate) fn find_steps(&mut self, shape: &Shape, steps: &mut Vec<Step>) -> Expansion {
        let mut expansion = Expansion::default();
        let before = steps.len();
        for pid in (0..shape.processes.len() as Pid).rev() {
            self.process_steps(shape, pid, steps, &mut expansion);
        }
        if steps.len() == before && self.machine.common.uses_timeout {
            expansion.timeout = true;
            self.timeout = true;
            for pid in (0..shape.processes.len() as Pid).rev() {
                self.process_steps(shape, pid, steps, &mut expansion);
            }
            self.timeout = false;
        }
        expansion
    }

    #[inline]
    pub(crate) fn process_steps(
        &mut self,
        shape: &Shape,
        pid: Pid,
        steps: &mut Vec<Step>,
        expansion: &mut Expansion,
    ) {
        let me = &*shape.processes[pid as usize];
        let point = &me.locations[me.at(&self.state.words).index()];
        if !me.is_plain && !self.may_run(shape, me) {
            return;
        }
        let before = steps.len();
        for choice in &point.choices {
            self.choice_steps(shape, me, choice, before, steps, expansion);
            if choice.ends_group && steps.len() > before {
                break;
            }
        }
        if me.is_plain {
            return;
        }
        if me.code.deterministic && expansion.nondeterminism.is_none() {
            let first = steps.get(before).copied();
            expansion.nondeterminism = steps[before..]
                .iter()
                .find(|step| first.is_some_and(|first| first.transition != step.transition))
                .copied();
        }
    }

    /// The steps of one of the choices; those of the process begin at `before`.
    #[inline(always)]
    fn choice_steps(
        &mut self,
        shape: &Shape,
        me: &Instance,
        choice: &Choice,
        before: usize,
        steps: &mut Vec<Step>,
        expansion: &mut Expansion,
    ) {
        let enabled = match choice.guard {
            Guard::Test(test) => test.holds(&self.state),
            Guard::Always => true,
            Guard::Tests { first, end } => self.all_hold(me, first, end),
            Guard::Else => steps.len() == before,
            Guard::Code(pc) => self.run(shape, me, pc) != Ok(0),
            Guard::Never => false,
            Guard::Youngest => self.is_youngest(shape, me),
            _ => self.unusual_choice(shape, me, choice, steps, expansion),
        };
        if enabled {
            steps.push(Step { pid: me.pid, transition: TransitionId(choice.edge), partner: None });
        }
    }

    /// How many choices a process has, if none of them depends on the others.
    pub(crate) fn independent_choices(&self, shape: &Shape, pid: Pid) -> Option<usize> {
        let me = &*shape.processes[pid as usize];
        let choices = &me.locations[me.at(&self.state.words).index()].choices;
        let (_, but_last) = choices.split_last()?;
        let is_independent = me.is_plain
            && choices.iter().all(|choice| !matches!(choice.guard, Guard::Else))
            && but_last.iter().all(|choice| !choice.ends_group);
        is_independent.then_some(choices.len())
    }

    /// Those steps of a process that belong to some of its choices.
    pub(crate) fn steps_of(
        &mut self,
        shape: &Shape,
        pid: Pid,
        which: Choices,
        steps: &mut Vec<Step>,
        expansion: &mut Expansion,
    ) {
        match which {
            Choices::All => self.process_steps(shape, pid, steps, expansion),
            Choices::One(number) => {
                let me = &*shape.processes[pid as usize];
                let point = &me.locations[me.at(&self.state.words).index()];
                let before = steps.len();
                self.choice_steps(shape, me, &point.choices[number as usize], before, steps, expansion);
            }
        }
    }

    /// Like the others; a rendezvous appends its steps itself.
    #[inline(never)]
    fn unusual_choice(
        &mut self,
        shape: &Shape,
        me: &Instance,
        choice: &Choice,
        steps: &mut Vec<Step>,
        expansion: &mut Expansion,
    ) -> bool {
        let edge = &me.edges[choice.edge as usize];
        match self.unusual_guard(shape, me, edge) {
            Enabled::Yes => true,
            Enabled::No => false,
            Enabled::Handshake { channel } => {
                let found = steps.len();
                let message = std::mem::take(&mut self.message);
                self.receivers(shape, me.pid, channel, &message, &mut |partner| {
                    steps.push(Step { pid: me.pid, transition: edge.transition, partner: Some(partner) });
                });
                self.message = message;
                expansion.refused_handshake |= steps.len() == found;
                false
            }
        }
    }

    #[inline(always)]
    pub(crate) fn all_hold(&self, me: &Instance, first: u32, end: u32) -> bool {
        me.tests[first as usize..end as usize].iter().all(|test| test.holds(&self.state))
    }

    fn is_youngest(&self, shape: &Shape, me: &Instance) -> bool {
        self.look_at_shape();
        me.pid as usize + 1 == shape.processes.len()
    }

    fn may_run(&mut self, shape: &Shape, me: &Instance) -> bool {
        self.is_provided(shape, me) && (!self.machine.system.priorities || !self.is_outranked(shape, me))
    }

    fn is_provided(&mut self, shape: &Shape, me: &Instance) -> bool {
        match me.provided {
            Some(provided) => self.value(shape, me, provided) != Ok(0),
            None => true,
        }
    }

    fn is_outranked(&mut self, shape: &Shape, me: &Instance) -> bool {
        let own = self.priority(me);
        self.look_at_shape();
        (0..shape.processes.len() as Pid).any(|other| {
            let process = &shape.processes[other as usize];
            self.priority(process) > own && self.is_provided(shape, process) && self.can_move(shape, other)
        })
    }

    /// Whether a process has a step, as far as it alone is concerned.
    pub(crate) fn can_move(&mut self, shape: &Shape, pid: Pid) -> bool {
        let me = &*shape.processes[pid as usize];
        let point = &me.locations[me.location_in(&self.state).index()];
        point.choices.iter().any(|choice| match self.enabled(shape, me, &me.edges[choice.edge as usize]) {
            Enabled::No => false,
            Enabled::Yes => true,
            Enabled::Handshake { channel } => {
                let message = std::mem::take(&mut self.message);
                let mut found = false;
                self.receivers(shape, pid, channel, &message, &mut |_| found = true);
                self.message = message;
                found
            }
        })
    }

    /// Whether an edge is enabled; one whose guard cannot be evaluated is. `else` counts as enabled.
    fn enabled(&mut self, shape: &Shape, me: &Instance, edge: &Edge) -> Enabled {
        let enabled = match edge.guard {
            Guard::Test(test) => test.holds(&self.state),
            Guard::Tests { first, end } => self.all_hold(me, first, end),
            Guard::Always | Guard::Else => true,
            Guard::Code(pc) => self.run(shape, me, pc) != Ok(0),
            Guard::Never => false,
            Guard::Youngest => self.is_youngest(shape, me),
            _ => return self.unusual_guard(shape, me, edge),
        };
        if enabled { Enabled::Yes } else { Enabled::No }
    }

    fn unusual_guard(&mut self, shape: &Shape, me: &Instance, edge: &Edge) -> Enabled {
        self.try_guard(shape, me, edge).unwrap_or(Enabled::Yes)
    }

    fn try_guard(&mut self, shape: &Shape, me: &Instance, edge: &Edge) -> Result<Enabled, Trap> {
        let enabled = match edge.guard {
            Guard::Send(send) | Guard::Handshake(send) => {
                let send = &me.sends[send as usize];
                let (position, channel) = self.channel(shape, me, send.channel)?;
                if channel.messages.is_rendezvous() {
                    self.prepare_message(shape, me, channel, &send.values)?;
                    return Ok(Enabled::Handshake { channel: position });
                }
                channel.len(&self.state) < channel.messages.capacity || self.machine.options.semantics.lossy
            }
            Guard::Receive(receive) => {
                let receive = &me.receives[receive as usize];
                let (_, channel) = self.channel(shape, me, receive.channel)?;
                !channel.messages.is_rendezvous() && self.find_message(shape, me, channel, receive)?.is_some()
            }
            Guard::DStep(entry) => self.first_of_d_step(shape, me, entry).is_some(),
            _ => false,
        };
        Ok(if enabled { Enabled::Yes } else { Enabled::No })
    }

    /// The first enabled edge of a location inside a `d_step`.
    pub(crate) fn first_of_d_step(
        &mut self,
        shape: &Shape,
        me: &Instance,
        location: LocationId,
    ) -> Option<u32> {
        let point = &me.locations[location.index()];
        // Nobody can answer a rendezvous from within a d_step: it counts as enabled and is then refused.
        let mut numbers = point.choices.iter().map(|choice| choice.edge);
        numbers.find(|number| !matches!(self.enabled(shape, me, &me.edges[*number as usize]), Enabled::No))
    }

    /// Tells which processes could take this message now, and how.
    fn receivers(
        &mut self,
        shape: &Shape,
        sender: Pid,
        channel: u32,
        message: &[i32],
        tell: &mut dyn FnMut((Pid, TransitionId)),
    ) {
        self.look_at_shape();
        for pid in (0..shape.processes.len() as Pid).rev() {
            let me = &*shape.processes[pid as usize];
            if me.answers.as_ref().is_some_and(|channels| !channels.contains(&channel)) {
                continue;
            }
            let point = &me.locations[me.location_in(&self.state).index()];
            if pid == sender || !point.receives || !self.is_provided(shape, me) {
                continue;
            }
            let mut found = false;
            for choice in &point.choices {
                let edge = &me.edges[choice.edge as usize];
                if self.accepts(shape, me, edge, channel, message) {
                    found = true;
                    tell((pid, edge.transition));
                }
                if choice.ends_group && found {
                    break;
                }
            }
        }
    }

    fn accepts(&mut self, shape: &Shape, me: &Instance, edge: &Edge, channel: u32, message: &[i32]) -> bool {
        let Some(receive) = edge.receive else { return false };
        let receive = &me.receives[receive as usize];
        if !self.channel(shape, me, receive.channel).is_ok_and(|(position, _)| position == channel) {
            return false;
        }
        if receive.patterns.len() != message.len() {
            // A fault of the receiver, found when the step is carried out.
            return true;
        }
        for (pattern, field) in receive.patterns.iter().zip(message) {
            if let PatternCode::Match(value) = pattern {
                match self.value(shape, me, *value) {
                    Ok(value) if value != *field => return false,
                    Ok(_) => {}
                    Err(Trap) => return true,
                }
            }
        }
        true
    }

    /// Carries out a step that was found.
    pub(crate) fn take_step(&mut self, shape: &Shape, step: Step) -> Result<(), Trap> {
        let me = &*shape.processes[step.pid as usize];
        if let Some(provided) = me.provided {
            self.value(shape, me, provided)?;
        }
        let edge = me.edge(step.transition);
        edge.take();
        self.step_floor = self.state.undo.len();
        if let Some((receiver, receive)) = step.partner {
            return self.handshake(shape, me, edge, receiver, receive);
        }
        if edge.recheck {
            self.recheck(shape, me, edge)?;
        }
        self.perform(shape, me, edge.effect)?;
        if edge.guard == Guard::Youngest {
            self.exclusive = None;
            self.set_last(step.pid);
        } else {
            self.arrive(me, edge, edge.atomic);
        }
        Ok(())
    }

    /// Evaluates a guard that may fault once more, with and without `timeout`.
    pub(crate) fn recheck(&mut self, shape: &Shape, me: &Instance, edge: &Edge) -> Result<(), Trap> {
        let Guard::Code(pc) = edge.guard else { return Ok(()) };
        let timeout = std::mem::replace(&mut self.timeout, false);
        let mut result = self.run(shape, me, pc);
        if result.is_ok() && self.machine.common.uses_timeout {
            self.timeout = true;
            result = self.run(shape, me, pc);
        }
        self.timeout = timeout;
        result.map(drop)
    }

    #[inline]
    fn arrive(&mut self, me: &Instance, edge: &Edge, atomic: bool) {
        if let Some(location) = me.location {
            debug_assert_eq!(me.resting[edge.resting_target as usize], edge.target);
            self.state.set(location, edge.resting_target);
        }
        for field in &edge.resets {
            self.state.set(*field, 0);
        }
        self.exclusive = atomic.then_some(me.pid);
        self.set_last(me.pid);
    }

    fn handshake(
        &mut self,
        shape: &Shape,
        sender: &Instance,
        edge: &Edge,
        receiver: Pid,
        receive: TransitionId,
    ) -> Result<(), Trap> {
        let (Guard::Send(send) | Guard::Handshake(send)) = edge.guard else { return Err(Trap) };
        let send = &sender.sends[send as usize];
        let (position, channel) = self.channel(shape, sender, send.channel)?;
        self.prepare_message(shape, sender, channel, &send.values)?;
        self.check_claims(shape, sender.pid, position, false);
        self.check_claims(shape, receiver, position, true);
        let other = &*shape.processes[receiver as usize];
        let other_edge = other.edge(receive);
        other_edge.take();
        let code = &other.receives[other_edge.receive.ok_or(Trap)? as usize];
        if code.keep || code.patterns.len() != self.message.len() {
            return Err(Trap);
        }
        for pattern in &code.patterns {
            if let PatternCode::Match(value) = pattern {
                self.value(shape, other, *value)?;
            }
        }
        self.take(shape, other, &code.patterns)?;
        if let allways_system::Action::DStep { entry, exit } = other.code.transition(receive).action {
            let first = other.code.location(entry).groups[0][0];
            self.d_step(receiver, other.code.transition(first).target, exit)?;
        }
        self.arrive(sender, edge, false);
        self.arrive(other, other_edge, other_edge.atomic);
        Ok(())
    }
}

enum Enabled {
    No,
    Yes,
    /// Together with a receiver of the message in `Worker::message`.
    Handshake {
        channel: u32,
    },
}
