//! Carrying out a step: rules 6 and 7 of the crate's head.

use allways_system::{
    Action, Applied, ChannelTest, Event, Expr, Fault, LocationId, Pattern, Pid, Place, Print, STEPS_UNHEARD,
    Step, Transition, TransitionId,
};

use crate::evaluate::Context;
use crate::{Interpreter, State};

/// After so many steps of a `d_step` it is watched whether it comes back to a state in which it was.
const LONG_D_STEP: u64 = 1 << 16;

/// Collects what a step does, as far as somebody listens.
struct Effects<'e> {
    applied: Applied,
    events: Option<&'e mut Vec<Event>>,
}

impl Effects<'_> {
    fn tell(&mut self, event: impl FnOnce() -> Event) {
        if let Some(events) = &mut self.events {
            events.push(event());
        }
    }
}

impl Interpreter<'_> {
    pub(crate) fn apply_step(
        &self,
        state: &mut State,
        step: Step,
        events: Option<&mut Vec<Event>>,
    ) -> Result<Applied, Fault> {
        let mut effects = Effects { applied: Applied::default(), events };
        let Step { pid, transition, partner } = step;
        let proctype = self.system.proctype(state.processes[pid as usize].proctype);
        if let Some(provided) = &proctype.provided {
            Context::new(self, state, pid).evaluate(provided)?;
        }
        let taken = proctype.transition(transition);
        if let Some((receiver, receive)) = partner {
            self.handshake(state, step, receiver, receive, &mut effects)?;
            self.arrive(state, pid, taken, false);
            let proctype = self.system.proctype(state.processes[receiver as usize].proctype);
            let taken = proctype.transition(receive);
            self.arrive(state, receiver, taken, taken.atomic);
        } else {
            self.perform(state, pid, &taken.action, &mut effects)?;
            if matches!(taken.action, Action::Terminate) {
                state.exclusive = None;
                state.last = if self.system.tracks_last { pid } else { 0 };
            } else {
                self.arrive(state, pid, taken, taken.atomic);
            }
        }
        Ok(effects.applied)
    }

    fn arrive(&self, state: &mut State, pid: Pid, taken: &Transition, atomic: bool) {
        let process = &mut state.processes[pid as usize];
        process.location = taken.target;
        for slot in &taken.resets {
            state.locals[(process.frame + slot) as usize] = 0;
        }
        state.exclusive = atomic.then_some(pid);
        if self.system.tracks_last {
            state.last = pid;
        }
    }

    fn perform(
        &self,
        state: &mut State,
        pid: Pid,
        action: &Action,
        effects: &mut Effects,
    ) -> Result<(), Fault> {
        if self.has_exclusive_claims {
            self.check_exclusive_tests(state, pid, action, effects);
        }
        match action {
            Action::Skip | Action::Else => {}
            Action::Condition(condition) => self.check_guard(state, pid, condition)?,
            Action::Assign(place, value) => self.assign(state, pid, place, value)?,
            Action::AssignAll(assignments) => {
                for (place, value) in assignments {
                    self.assign(state, pid, place, value)?;
                }
            }
            Action::Send { channel, sorted, values } => {
                self.send(state, pid, channel, *sorted, values, effects)?;
            }
            Action::Receive { channel, random, keep, patterns } => {
                self.receive(state, pid, channel, *random, *keep, patterns, effects)?;
            }
            Action::Assert(condition) => {
                if !Context::new(self, state, pid).holds(condition)? {
                    effects.applied.assertion_failed = true;
                    effects.tell(|| Event::AssertionFailed);
                }
            }
            Action::Run { proctype, arguments, priority, result } => {
                let ctx = Context::new(self, state, pid);
                let values: Vec<i32> =
                    arguments.iter().map(|argument| ctx.evaluate(argument)).collect::<Result<_, _>>()?;
                let priority = match priority {
                    Some(priority) => as_priority(ctx.evaluate(priority)?)?,
                    None => 1,
                };
                let new = self.create_process(state, *proctype, &values, priority)?;
                effects.tell(|| Event::Started(new));
                if let Some(place) = result {
                    self.store(state, pid, place, new as i32)?;
                }
            }
            Action::Print { format, arguments } => {
                let ctx = Context::new(self, state, pid);
                let values: Vec<i32> =
                    arguments.iter().map(|argument| ctx.evaluate(argument)).collect::<Result<_, _>>()?;
                effects.tell(|| Event::Printed(self.render(format, &values)));
            }
            Action::SetPriority { pid: which, priority } => {
                let ctx = Context::new(self, state, pid);
                let (which, priority) = (ctx.evaluate(which)?, as_priority(ctx.evaluate(priority)?)?);
                if let Some(process) = usize::try_from(which).ok().and_then(|i| state.processes.get_mut(i)) {
                    process.priority = priority;
                }
            }
            Action::DStep { entry, exit } => self.d_step(state, pid, *entry, *exit, effects)?,
            Action::Terminate => {
                state.remove_youngest();
                effects.tell(|| Event::Ended);
            }
        }
        Ok(())
    }

    /// A guard was found true when the step was found, or it could not be evaluated: only that matters here.
    fn check_guard(&self, state: &State, pid: Pid, guard: &Expr) -> Result<(), Fault> {
        let ctx = Context::new(self, state, pid);
        ctx.evaluate(guard)?;
        if self.uses_timeout {
            Context { timeout: true, ..ctx }.evaluate(guard)?;
        }
        Ok(())
    }

    fn assign(&self, state: &mut State, pid: Pid, place: &Place, value: &Expr) -> Result<(), Fault> {
        let value = Context::new(self, state, pid).evaluate(value)?;
        self.store(state, pid, place, value)
    }

    /// A send on a buffered channel.
    fn send(
        &self,
        state: &mut State,
        pid: Pid,
        channel: &Expr,
        sorted: bool,
        values: &[Expr],
        effects: &mut Effects,
    ) -> Result<(), Fault> {
        let ctx = Context::new(self, state, pid);
        let (position, &channel) = ctx.channel(channel)?;
        let message = self.message(&ctx, position, values)?;
        if self.is_rendezvous(&channel) {
            return Err(Fault::DStepRendezvous);
        }
        let declared = &self.system.channels[channel.kind.index()];
        let lost = channel.length >= declared.capacity;
        if lost && !self.semantics.lossy {
            return Err(Fault::DStepBlocked { at: "send to a full channel".to_string() });
        }
        self.check_exclusive(state, pid, position, false, effects);
        if !lost {
            let at = if sorted {
                state.messages(self.system, &channel).position(|other| other > &message[..])
            } else {
                None
            };
            let at = at.unwrap_or(channel.length as usize);
            insert(state, position, at, &message);
        }
        effects.tell(|| Event::Sent { channel: position as u32 + 1, message, lost });
        Ok(())
    }

    /// A receive from a buffered channel.
    #[allow(clippy::too_many_arguments)]
    fn receive(
        &self,
        state: &mut State,
        pid: Pid,
        channel: &Expr,
        random: bool,
        keep: bool,
        patterns: &[Pattern],
        effects: &mut Effects,
    ) -> Result<(), Fault> {
        let ctx = Context::new(self, state, pid);
        let (position, &channel) = ctx.channel(channel)?;
        if self.is_rendezvous(&channel) {
            return Err(if keep { Fault::RendezvousPoll } else { Fault::DStepRendezvous });
        }
        let Some(at) = ctx.find_message(&channel, random, patterns)? else {
            return Err(Fault::DStepBlocked { at: "receive".to_string() });
        };
        let message = state.messages(self.system, &channel).nth(at).unwrap_or_default().to_vec();
        self.check_exclusive(state, pid, position, true, effects);
        self.take(state, pid, patterns, &message)?;
        if !keep {
            remove(state, position, at, message.len());
        }
        effects.tell(|| Event::Received { pid, channel: position as u32 + 1, message });
        Ok(())
    }

    /// Stores the fields of a message, from left to right: an index may depend on a field before it.
    fn take(&self, state: &mut State, pid: Pid, patterns: &[Pattern], message: &[i32]) -> Result<(), Fault> {
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Store(place) = pattern {
                self.store(state, pid, place, *field)?;
            }
        }
        Ok(())
    }

    fn handshake(
        &self,
        state: &mut State,
        step: Step,
        receiver: Pid,
        receive: TransitionId,
        effects: &mut Effects,
    ) -> Result<(), Fault> {
        let sender = self.system.proctype(state.processes[step.pid as usize].proctype);
        let Action::Send { channel, values, .. } = &sender.transition(step.transition).action else {
            return Err(Fault::DStepRendezvous);
        };
        let ctx = Context::new(self, state, step.pid);
        let (position, _) = ctx.channel(channel)?;
        let message = self.message(&ctx, position, values)?;
        self.check_exclusive(state, step.pid, position, false, effects);
        self.check_exclusive(state, receiver, position, true, effects);
        effects.tell(|| Event::Sent { channel: position as u32 + 1, message: message.clone(), lost: false });

        let proctype = self.system.proctype(state.processes[receiver as usize].proctype);
        let mut taken = proctype.transition(receive);
        let mut rest_of_d_step = None;
        if let Action::DStep { entry, exit } = taken.action {
            taken = proctype.transition(proctype.location(entry).groups[0][0]);
            rest_of_d_step = Some((taken.target, exit));
        }
        let Action::Receive { patterns, keep, .. } = &taken.action else {
            return Err(Fault::DStepRendezvous);
        };
        if *keep {
            return Err(Fault::RendezvousPoll);
        }
        if patterns.len() != message.len() {
            let (given, expected) = (patterns.len(), message.len());
            return Err(Fault::Arity { unit: "field", done: "received", given, expected });
        }
        // What is compared with the message may be at fault.
        let ctx = Context::new(self, state, receiver);
        for pattern in patterns.iter() {
            if let Pattern::Match(value) = pattern {
                ctx.evaluate(value)?;
            }
        }
        self.take(state, receiver, patterns, &message)?;
        effects.tell(|| Event::Received { pid: receiver, channel: position as u32 + 1, message });
        match rest_of_d_step {
            Some((location, exit)) => self.d_step(state, receiver, location, exit, effects),
            None => Ok(()),
        }
    }

    fn d_step(
        &self,
        state: &mut State,
        pid: Pid,
        entry: LocationId,
        exit: LocationId,
        effects: &mut Effects,
    ) -> Result<(), Fault> {
        let proctype = self.system.proctype(state.processes[pid as usize].proctype);
        let mut location = entry;
        // A d_step has no choice, so one that comes back to a state in which it was goes round for ever. The state with
        // which later ones are compared is renewed at distances that double: some time it is on the cycle, and the
        // distance is long enough to go round (R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980).
        let mut earlier: Option<(LocationId, State)> = None;
        let mut renew_at = LONG_D_STEP;
        for steps in 0u64.. {
            if location == exit {
                break;
            }
            if steps % STEPS_UNHEARD == STEPS_UNHEARD - 1
                && let Some(halt) = self.alarm.rings()
            {
                return Err(Fault::Halted(halt));
            }
            if earlier.as_ref().is_some_and(|(at, earlier)| *at == location && earlier == state) {
                return Err(Fault::DStepDiverges { steps });
            }
            if steps == renew_at {
                earlier = Some((location, state.clone()));
                renew_at *= 2;
            }
            let ctx = Context::new(self, state, pid);
            let next = self.first_of_d_step(&ctx, location).or_else(|| {
                // Only the guard of the whole may wait for a timeout.
                let ctx = Context { timeout: true, ..ctx };
                (location == entry).then(|| self.first_of_d_step(&ctx, location)).flatten()
            });
            let Some(next) = next else {
                let waiting = proctype.location(location).groups.iter().flatten().next();
                let at =
                    waiting.map_or(String::new(), |waiting| proctype.transition(*waiting).text.to_string());
                return Err(Fault::DStepBlocked { at });
            };
            let next = proctype.transition(next);
            self.perform(state, pid, &next.action, effects)?;
            location = next.target;
        }
        Ok(())
    }

    /// Notes the use of a channel that another process claimed for itself.
    fn check_exclusive(&self, state: &State, pid: Pid, channel: usize, receive: bool, effects: &mut Effects) {
        if !self.has_exclusive_claims {
            return;
        }
        for owner in (0..state.processes.len() as Pid).filter(|owner| *owner != pid) {
            let claims = &self.system.proctype(state.processes[owner as usize].proctype).exclusive;
            let violated = claims.iter().any(|claim| {
                claim.receive == receive
                    && Context::new(self, state, owner)
                        .channel(&claim.channel)
                        .is_ok_and(|(position, _)| position == channel)
            });
            if violated {
                effects.applied.exclusive_violated = true;
                effects.tell(|| Event::ExclusiveViolated { owner, receive });
            }
        }
    }

    /// A question about a channel is a use of it as well: whether it is empty or full, and how long it is, depends on
    /// both its ends; whether a message can be put in or taken out, on one.
    fn check_exclusive_tests(&self, state: &State, pid: Pid, action: &Action, effects: &mut Effects) {
        action.walk(&mut |expr| {
            let (channel, receives, sends) = match expr {
                Expr::Channel(ChannelTest::Len | ChannelTest::Empty | ChannelTest::Full, channel) => {
                    (channel, true, true)
                }
                Expr::Channel(ChannelTest::NotEmpty, channel) => (channel, true, false),
                Expr::Channel(ChannelTest::NotFull, channel) => (channel, false, true),
                Expr::Poll { channel, .. } => (channel, true, true),
                _ => return,
            };
            let Ok((position, _)) = Context::new(self, state, pid).channel(channel) else { return };
            if receives {
                self.check_exclusive(state, pid, position, true, effects);
            }
            if sends {
                self.check_exclusive(state, pid, position, false, effects);
            }
        });
    }

    fn render(&self, format: &[Print], values: &[i32]) -> String {
        let mut text = String::new();
        let mut values = values.iter().copied();
        for piece in format {
            if let Print::Text(literal) = piece {
                text.push_str(literal);
                continue;
            }
            let value = values.next().unwrap_or(0);
            match piece {
                Print::Text(_) => {}
                Print::Decimal => text.push_str(&value.to_string()),
                Print::Unsigned => text.push_str(&(value as u32).to_string()),
                Print::Hexadecimal => text.push_str(&format!("{value:x}")),
                Print::Octal => text.push_str(&format!("{value:o}")),
                Print::Character => text.push(value as u8 as char),
                Print::Symbol(set) => {
                    let name = self.system.mtypes[set.index()].names.get((value as usize).wrapping_sub(1));
                    match name {
                        Some(name) => text.push_str(name),
                        None => text.push_str(&value.to_string()),
                    }
                }
            }
        }
        text
    }
}

fn as_priority(priority: i32) -> Result<u8, Fault> {
    match u8::try_from(priority) {
        Ok(valid @ 1..) => Ok(valid),
        _ => Err(Fault::Priority { priority }),
    }
}

/// Puts a message at a position of a buffer that has room.
fn insert(state: &mut State, channel: usize, at: usize, message: &[i32]) {
    let width = message.len();
    let channel = &mut state.channels[channel];
    let (start, end) = (channel.buffer as usize, channel.buffer as usize + channel.length as usize * width);
    state.messages.copy_within(start + at * width..end, start + (at + 1) * width);
    state.messages[start + at * width..start + (at + 1) * width].copy_from_slice(message);
    channel.length += 1;
}

/// Takes the message at a position out of a buffer; unused room is 0.
fn remove(state: &mut State, channel: usize, at: usize, width: usize) {
    let channel = &mut state.channels[channel];
    let (start, end) = (channel.buffer as usize, channel.buffer as usize + channel.length as usize * width);
    state.messages.copy_within(start + (at + 1) * width..end, start + at * width);
    state.messages[end - width..end].fill(0);
    channel.length -= 1;
}
