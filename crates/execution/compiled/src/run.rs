//! Carrying out instructions.

use allways_system::{ChannelTest, Pid, STEPS_UNHEARD, Scope};

use crate::channel::Channel;
use crate::code::{ChannelRef, Effect, Op, PatternCode, Pc, ReceiveCode, SendCode, Value};
use crate::instance::{Instance, Point, Shape, Slot};
use crate::worker::{Trap, Worker};

/// After so many steps of a `d_step` it is watched whether it comes back to a state in which it was, as in the interpreter.
const LONG_D_STEP: u64 = 1 << 16;

/// Processes that ask about each other would ask for ever.
const MAX_QUESTIONS: u32 = 16;

impl Worker<'_, '_> {
    #[inline]
    pub(crate) fn value(&mut self, shape: &Shape, me: &Instance, value: Value) -> Result<i32, Trap> {
        match value {
            Value::Const(value) => Ok(value),
            Value::Field(field) => Ok(self.state.get(field)),
            Value::Code(pc) => self.run(shape, me, pc),
        }
    }

    #[inline(always)]
    pub(crate) fn perform(&mut self, shape: &Shape, me: &Instance, effect: Effect) -> Result<(), Trap> {
        match effect {
            Effect::Nothing => {}
            Effect::Set(field, value) => self.state.set(field, value),
            Effect::Add(field, by) => {
                self.state.set(field, self.state.get(field).wrapping_add(by));
            }
            Effect::Copy { to, from } => self.state.set(to, self.state.get(from)),
            Effect::Code(pc) => {
                let outer = self.long.take();
                self.ticks = 0;
                self.look_at_tick = STEPS_UNHEARD;
                let done = self.run(shape, me, pc);
                self.effort += self.ticks;
                self.long = outer;
                done?;
            }
        }
        Ok(())
    }

    /// Carries out a block of code and returns its answer, if it has one.
    pub(crate) fn run(&mut self, shape: &Shape, me: &Instance, start: Pc) -> Result<i32, Trap> {
        let mut pc = start as usize;
        loop {
            let at = pc;
            pc += 1;
            match me.ops[at] {
                Op::InRange { test, otherwise } => {
                    if !test.holds(&self.state) {
                        pc = otherwise as usize;
                    }
                }
                Op::Answer(answer) => return Ok(answer as i32),
                Op::Done => return Ok(0),
                Op::Return(reg) => return Ok(self.registers[reg as usize]),
                Op::Jump(to) => pc = to as usize,
                Op::Compare { op, a, b, otherwise } => {
                    if op.apply(self.state.get(a), self.state.get(b)) == Some(0) {
                        pc = otherwise as usize;
                    }
                }
                Op::CompareRegs { op, a, b, otherwise } => {
                    if op.apply(self.registers[a as usize], self.registers[b as usize]) == Some(0) {
                        pc = otherwise as usize;
                    }
                }
                Op::RegInRange { reg, low, span, outside, otherwise } => {
                    if (self.registers[reg as usize].wrapping_sub(low) as u32 <= span) == outside {
                        pc = otherwise as usize;
                    }
                }
                Op::IndexField { slot, base, index, stride, bound } => {
                    let index = self.state.get(index);
                    if index as u32 >= bound {
                        return Err(Trap);
                    }
                    self.registers[slot as usize] = base as i32 + index * stride as i32;
                }
                Op::Timeout { otherwise } => {
                    if !self.timeout {
                        pc = otherwise as usize;
                    }
                }
                Op::StoreConst(field, value) => self.state.set(field, value),
                Op::Copy { to, from } => self.state.set(to, self.state.get(from)),
                Op::AddConst(field, by) => {
                    self.state.set(field, self.state.get(field).wrapping_add(by));
                }
                Op::Store(field, reg) => self.state.set(field, self.registers[reg as usize]),
                Op::Const(reg, value) => self.registers[reg as usize] = value,
                Op::Load(reg, field) => self.registers[reg as usize] = self.state.get(field),
                Op::Index { slot, index, stride, bound } => {
                    let index = self.registers[index as usize];
                    if index < 0 || index as u32 >= bound {
                        return Err(Trap);
                    }
                    self.registers[slot as usize] += index * stride as i32;
                }
                Op::LoadGlobal { reg, slot } => {
                    let slot = self.machine.common.globals[self.registers[slot as usize] as usize];
                    self.registers[reg as usize] = slot.get(&self.state);
                }
                Op::LoadLocal { reg, slot } => {
                    let slot = me.slots[self.registers[slot as usize] as usize];
                    self.registers[reg as usize] = slot.get(&self.state);
                }
                Op::StoreGlobal { slot, reg } => {
                    let slot = self.machine.common.globals[self.registers[slot as usize] as usize];
                    self.store(slot, reg);
                }
                Op::StoreLocal { slot, reg } => {
                    let slot = me.slots[self.registers[slot as usize] as usize];
                    self.store(slot, reg);
                }
                Op::Unary { op, reg, a } => {
                    self.registers[reg as usize] = self.fit(op.apply(self.registers[a as usize]))?;
                }
                Op::Binary { op, reg, a, b } => {
                    let result = op.apply(self.registers[a as usize], self.registers[b as usize]);
                    self.registers[reg as usize] = self.fit(result.ok_or(Trap)?)?;
                }
                Op::BinaryConst { op, reg, a, b } => {
                    let result = op.apply(self.registers[a as usize], b);
                    self.registers[reg as usize] = self.fit(result.ok_or(Trap)?)?;
                }
                Op::Fit { reg, scalar } => {
                    let value = self.registers[reg as usize];
                    if scalar.truncate(value) != value {
                        return Err(Trap);
                    }
                }
                Op::Send(send) => self.send(shape, me, &me.sends[send as usize])?,
                Op::Receive(receive) => self.receive(shape, me, &me.receives[receive as usize])?,
                Op::Shift { channel } => me.channels[channel as usize].shift(&mut self.state),
                Op::Tick => {
                    self.ticks += 1;
                    if self.ticks >= self.look_at_tick {
                        self.look_at_d_step(at as u32)?;
                    }
                }
                Op::AssertionFailed => self.assertion_failed = true,
                Op::Terminate => self.remove_youngest(),
                Op::Run(run) => self.run_process(shape, me, run)?,
                Op::DStep { entry, exit } => self.d_step(me.pid, entry, exit)?,
                Op::Fault => return Err(Trap),
                other => self.unusual(shape, me, other)?,
            }
        }
    }

    #[inline]
    fn store(&mut self, slot: Slot, reg: u16) {
        if let Slot::Field(field) = slot {
            self.state.set(field, self.registers[reg as usize]);
        }
    }

    /// Whether some process is at such a location.
    fn some_at(&self, shape: &Shape, is: impl Fn(&Point) -> bool) -> bool {
        self.look_at_shape();
        shape.processes.iter().any(|process| is(&process.locations[process.location_in(&self.state).index()]))
    }

    /// Instructions that few models need.
    #[inline(never)]
    fn unusual(&mut self, shape: &Shape, me: &Instance, op: Op) -> Result<(), Trap> {
        match op {
            Op::Channel { test, reg, channel } => {
                let handle = self.registers[channel as usize];
                self.registers[reg as usize] = self.channel_test(shape, test, handle)?;
            }
            Op::Poll { reg, poll } => {
                self.registers[reg as usize] = self.poll(shape, me, &me.polls[poll as usize])? as i32;
            }
            Op::NonProgress(reg) => {
                self.registers[reg as usize] = !self.some_at(shape, |point| point.is_progress) as i32;
            }
            Op::Accepting(reg) => {
                self.registers[reg as usize] = self.some_at(shape, |point| point.is_accept) as i32;
            }
            Op::Enabled { reg, pid } => {
                let pid = self.process(self.registers[pid as usize]);
                if pid == Some(me.pid) || self.questions == MAX_QUESTIONS {
                    return Err(Trap);
                }
                self.registers[reg as usize] = match pid {
                    Some(pid) => self.question(|worker| worker.can_move(shape, pid)) as i32,
                    None => 0,
                };
            }
            Op::PcValue { reg, pid } => {
                let pid = self.process(self.registers[pid as usize]);
                self.registers[reg as usize] =
                    pid.map_or(0, |pid| shape.processes[pid as usize].location_in(&self.state).0 as i32);
            }
            Op::Priority { reg, pid } => {
                self.registers[reg as usize] = self.priority_of(self.registers[pid as usize]);
            }
            Op::ProcessCount(reg) => self.registers[reg as usize] = self.n_processes(),
            Op::Last(reg) => self.registers[reg as usize] = self.last(),
            Op::At { reg, proctype, pid, location } => {
                let pid = self.instance(shape, proctype, pid);
                self.registers[reg as usize] = pid
                    .is_some_and(|p| shape.processes[p as usize].location_in(&self.state) == location)
                    as i32;
            }
            Op::Remote { reg, remote, pid } => {
                let (proctype, place) = &me.remotes[remote as usize];
                let pid = self.instance(shape, *proctype, pid);
                self.registers[reg as usize] = match pid {
                    Some(pid) => {
                        let slot = self.remote_slot(&shape.processes[pid as usize], place)?;
                        slot.get(&self.state)
                    }
                    None => 0,
                };
            }
            Op::SetPriority { pid, priority } => {
                let (pid, priority) = (self.registers[pid as usize], self.registers[priority as usize]);
                if !(1..=255).contains(&priority) {
                    return Err(Trap);
                }
                if let Some(pid) = self.process(pid)
                    && let Some(field) = shape.processes[pid as usize].priority
                {
                    self.state.set(field, priority);
                }
            }
            Op::Exclusive { use_, receive } => {
                self.look_at_shape();
                if let Ok(handle) = self.value(shape, me, me.uses[use_ as usize])
                    && handle > 0
                    && handle as usize <= shape.channels.len()
                {
                    self.check_claims(shape, me.pid, handle as u32 - 1, receive);
                }
            }
            _ => return Err(Trap),
        }
        Ok(())
    }

    /// Notes the use of a channel that another process claimed for itself.
    pub(crate) fn check_claims(&mut self, shape: &Shape, user: Pid, position: u32, receive: bool) {
        if !self.machine.common.watch_claims {
            return;
        }
        self.look_at_shape();
        for owner in shape.processes.iter().filter(|owner| owner.pid != user) {
            for (claims_receive, channel) in &owner.claims {
                if *claims_receive == receive && self.value(shape, owner, *channel) == Ok(position as i32 + 1)
                {
                    self.exclusive_violated = true;
                }
            }
        }
    }

    /// Asks something about another process, with registers of its own.
    fn question<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        let fresh = vec![0; self.registers.len()];
        let own = std::mem::replace(&mut self.registers, fresh);
        self.questions += 1;
        let answer = ask(self);
        self.questions -= 1;
        self.registers = own;
        answer
    }

    fn instance(&self, shape: &Shape, proctype: allways_system::ProctypeId, pid: Option<u16>) -> Option<Pid> {
        self.look_at_shape();
        let is_instance = |pid: &Pid| shape.processes[*pid as usize].proctype == proctype;
        match pid {
            Some(reg) => self.process(self.registers[reg as usize]).filter(is_instance),
            None => (0..shape.processes.len() as Pid).find(is_instance),
        }
    }

    /// A place in another process: its indices are evaluated there.
    fn remote_slot(&self, other: &Instance, place: &allways_system::Place) -> Result<Slot, Trap> {
        let mut slot = place.base as usize;
        for index in &place.indices {
            let value = self.remote_value(other, &index.value)?;
            if value < 0 || value as u32 >= index.bound {
                return Err(Trap);
            }
            slot += value as usize * index.stride as usize;
        }
        Ok(match place.scope {
            Scope::Global => self.machine.common.globals[slot],
            Scope::Local => other.slots[slot],
        })
    }

    fn remote_value(&self, other: &Instance, expr: &allways_system::Expr) -> Result<i32, Trap> {
        use allways_system::{BinaryOp, Expr};
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(place) => self.remote_slot(other, place)?.get(&self.state),
            Expr::Unary(op, operand) => self.fit(op.apply(self.remote_value(other, operand)?))?,
            Expr::Binary(op, operands) => {
                let a = self.remote_value(other, &operands.0)?;
                match op {
                    BinaryOp::And if a == 0 => 0,
                    BinaryOp::Or if a != 0 => 1,
                    _ => {
                        let b = self.remote_value(other, &operands.1)?;
                        self.fit(op.apply(a, b).ok_or(Trap)?)?
                    }
                }
            }
            Expr::Conditional(parts) => {
                let which = if self.remote_value(other, &parts.0)? != 0 { &parts.1 } else { &parts.2 };
                self.remote_value(other, which)?
            }
            Expr::Pid => other.pid as i32,
            Expr::ProcessCount => self.n_processes(),
            Expr::Last => self.last(),
            _ => return Err(Trap),
        })
    }

    pub(crate) fn channel<'c>(
        &mut self,
        shape: &'c Shape,
        me: &'c Instance,
        channel: ChannelRef,
    ) -> Result<(u32, &'c Channel), Trap> {
        match channel {
            ChannelRef::Known { at, position } => Ok((position, &me.channels[at as usize])),
            ChannelRef::Handle(value) => {
                self.look_at_shape();
                let position = self.value(shape, me, value)?.wrapping_sub(1);
                let channel = usize::try_from(position).ok().and_then(|at| shape.channels.get(at));
                channel.map(|channel| (position as u32, channel)).ok_or(Trap)
            }
        }
    }

    fn channel_test(&self, shape: &Shape, test: ChannelTest, handle: i32) -> Result<i32, Trap> {
        self.look_at_shape();
        let at = usize::try_from(handle.wrapping_sub(1)).map_err(|_| Trap)?;
        let channel = shape.channels.get(at).ok_or(Trap)?;
        let length = channel.len(&self.state);
        let full = !channel.messages.is_rendezvous() && length >= channel.messages.capacity;
        Ok(match test {
            ChannelTest::Len => length as i32,
            ChannelTest::Empty => (length == 0) as i32,
            ChannelTest::NotEmpty => (length > 0) as i32,
            ChannelTest::Full => full as i32,
            ChannelTest::NotFull => !full as i32,
        })
    }

    /// Works out the fields of a message, as the channel will hold them, into `self.message`.
    pub(crate) fn prepare_message(
        &mut self,
        shape: &Shape,
        me: &Instance,
        channel: &Channel,
        values: &[Value],
    ) -> Result<(), Trap> {
        let fields = &channel.messages.fields;
        if values.len() != fields.len() {
            return Err(Trap);
        }
        self.message.clear();
        for (value, field) in values.iter().zip(fields) {
            let value = self.value(shape, me, *value)?;
            let stored = field.scalar.truncate(value);
            if self.machine.options.semantics.check_overflow && stored != value {
                return Err(Trap);
            }
            self.message.push(stored);
        }
        Ok(())
    }

    fn send(&mut self, shape: &Shape, me: &Instance, send: &SendCode) -> Result<(), Trap> {
        let (_, channel) = self.channel(shape, me, send.channel)?;
        self.prepare_message(shape, me, channel, &send.values)?;
        if channel.messages.is_rendezvous() {
            return Err(Trap);
        }
        let length = channel.len(&self.state);
        if length >= channel.messages.capacity {
            return if self.machine.options.semantics.lossy { Ok(()) } else { Err(Trap) };
        }
        let at = if send.sorted { self.sorted_position(channel, length) } else { length };
        channel.open(&mut self.state, at);
        let message = std::mem::take(&mut self.message);
        channel.put(&mut self.state, at, &message);
        self.message = message;
        Ok(())
    }

    /// Before the first message that is larger.
    fn sorted_position(&self, channel: &Channel, length: u32) -> u32 {
        let state = &self.state;
        let larger = |at: &u32| {
            let other = (0..self.message.len()).map(|index| channel.value(state, *at, index));
            other.cmp(self.message.iter().copied()) == std::cmp::Ordering::Greater
        };
        (0..length).find(larger).unwrap_or(length)
    }

    fn receive(&mut self, shape: &Shape, me: &Instance, receive: &ReceiveCode) -> Result<(), Trap> {
        let (_, channel) = self.channel(shape, me, receive.channel)?;
        if channel.messages.is_rendezvous() {
            return Err(Trap);
        }
        let at = self.find_message(shape, me, channel, receive)?.ok_or(Trap)?;
        self.message.clear();
        let state = &self.state;
        self.message.extend((0..receive.patterns.len()).map(|index| channel.value(state, at, index)));
        self.take(shape, me, &receive.patterns)?;
        if !receive.keep {
            channel.remove(&mut self.state, at);
        }
        Ok(())
    }

    /// Stores the fields of the message in `self.message`, from left to right.
    pub(crate) fn take(
        &mut self,
        shape: &Shape,
        me: &Instance,
        patterns: &[PatternCode],
    ) -> Result<(), Trap> {
        for (index, pattern) in patterns.iter().enumerate() {
            match pattern {
                PatternCode::Store(field) => self.state.set(*field, self.message[index]),
                PatternCode::StoreBy(pc) => {
                    self.registers[0] = self.message[index];
                    self.run(shape, me, *pc)?;
                }
                PatternCode::Ignore | PatternCode::Match(_) => {}
            }
        }
        Ok(())
    }

    /// The position of the message that a receive would take.
    pub(crate) fn find_message(
        &mut self,
        shape: &Shape,
        me: &Instance,
        channel: &Channel,
        receive: &ReceiveCode,
    ) -> Result<Option<u32>, Trap> {
        if receive.patterns.len() != channel.messages.fields.len() {
            return Err(Trap);
        }
        self.find_matching(shape, me, channel, receive)
    }

    fn find_matching(
        &mut self,
        shape: &Shape,
        me: &Instance,
        channel: &Channel,
        receive: &ReceiveCode,
    ) -> Result<Option<u32>, Trap> {
        let length = channel.len(&self.state);
        let candidates = if receive.random { length } else { length.min(1) };
        'messages: for at in 0..candidates {
            for (index, pattern) in receive.patterns.iter().enumerate() {
                if let PatternCode::Match(value) = pattern
                    && self.value(shape, me, *value)? != channel.value(&self.state, at, index)
                {
                    continue 'messages;
                }
            }
            return Ok(Some(at));
        }
        Ok(None)
    }

    fn poll(&mut self, shape: &Shape, me: &Instance, poll: &ReceiveCode) -> Result<bool, Trap> {
        let (_, channel) = self.channel(shape, me, poll.channel)?;
        if channel.messages.is_rendezvous() || poll.patterns.len() > channel.messages.fields.len() {
            return Err(Trap);
        }
        Ok(self.find_matching(shape, me, channel, poll)?.is_some())
    }

    fn run_process(&mut self, shape: &Shape, me: &Instance, run: u32) -> Result<(), Trap> {
        let run = &me.runs[run as usize];
        let mut arguments = Vec::with_capacity(run.arguments.len());
        for argument in &run.arguments {
            arguments.push(self.value(shape, me, *argument)?);
        }
        let priority = match run.priority {
            Some(priority) => match u8::try_from(self.value(shape, me, priority)?) {
                Ok(valid @ 1..) => valid,
                _ => return Err(Trap),
            },
            None => 1,
        };
        let pid = self.create(run.proctype, &arguments, priority)?;
        if let Some(result) = run.result {
            self.registers[0] = pid as i32;
            self.run(shape, me, result)?;
        }
        Ok(())
    }

    pub(crate) fn d_step(
        &mut self,
        pid: Pid,
        entry: allways_system::LocationId,
        exit: allways_system::LocationId,
    ) -> Result<(), Trap> {
        let outer = self.long.take();
        let (mut location, mut n_steps) = (entry, 0u64);
        while location != exit {
            n_steps += 1;
            if n_steps.is_multiple_of(STEPS_UNHEARD) || n_steps >= LONG_D_STEP {
                self.watch_d_step(location.0, n_steps)?;
            }
            let shape = self.shape.clone();
            let me = &shape.processes[pid as usize];
            let timeout = std::mem::replace(&mut self.timeout, false);
            let mut next = self.first_of_d_step(&shape, me, location);
            if next.is_none() && location == entry {
                // Only the guard of the whole may wait for a timeout.
                self.timeout = true;
                next = self.first_of_d_step(&shape, me, location);
            }
            self.timeout = timeout;
            let edge = &me.edges[next.ok_or(Trap)? as usize];
            if edge.recheck {
                self.recheck(&shape, me, edge)?;
            }
            self.perform(&shape, me, edge.effect)?;
            location = edge.target;
        }
        self.effort += n_steps;
        self.long = outer;
        Ok(())
    }

    /// Looks at limits, and whether the `d_step` that is being carried out comes back to where it was.
    #[cold]
    #[inline(never)]
    fn look_at_d_step(&mut self, pc: Pc) -> Result<(), Trap> {
        let n_steps = self.ticks;
        self.watch_d_step(pc, n_steps)?;
        // From then on after every step.
        self.look_at_tick = if n_steps >= LONG_D_STEP { 0 } else { n_steps + STEPS_UNHEARD };
        Ok(())
    }

    /// The same, given where it is and after how many steps.
    fn watch_d_step(&mut self, at: u32, n_steps: u64) -> Result<(), Trap> {
        if self.state.too_narrow.is_some() {
            // What it does is not what it would do.
            return Err(Trap);
        }
        if n_steps.is_multiple_of(STEPS_UNHEARD) {
            if !self.may_go_on(n_steps, 0) {
                return Err(Trap);
            }
            self.state.compact(self.step_floor);
        }
        if n_steps < LONG_D_STEP {
            return Ok(());
        }
        // It has no choice, so one that comes back to a state in which it was goes round for ever (Brent's way, as in the
        // interpreter).
        if self.long.as_ref().is_some_and(|long| long.at == at && long.words[..] == self.state.words[..]) {
            return Err(Trap);
        }
        if n_steps.is_power_of_two() {
            self.long = Some(Box::new(LongDStep { at, words: self.state.words[..].into() }));
        }
        Ok(())
    }
}

/// A state of a long `d_step`, with which those that follow are compared.
pub(crate) struct LongDStep {
    /// Where in the `d_step` that was.
    at: u32,
    words: Box<[u64]>,
}
