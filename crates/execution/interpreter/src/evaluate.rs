//! Expressions and places in a state.

use allways_system::{
    BinaryOp, ChannelTest, Expr, Fault, Location, LocationId, Pattern, Pid, Place, ProctypeId, Scalar, Scope,
};

use crate::{Channel, Interpreter, Process, State};

/// Where an expression is evaluated: in a state, for a process.
#[derive(Clone, Copy)]
pub struct Context<'c, 'a> {
    pub interpreter: &'c Interpreter<'a>,
    pub state: &'c State,
    pub pid: Pid,
    /// The value of `timeout`.
    pub timeout: bool,
    /// How many questions whether a process is enabled led here.
    pub questions: u32,
}

/// Processes that ask about each other would ask for ever.
const MAX_QUESTIONS: u32 = 16;

impl<'c, 'a> Context<'c, 'a> {
    pub fn new(interpreter: &'c Interpreter<'a>, state: &'c State, pid: Pid) -> Context<'c, 'a> {
        Context { interpreter, state, pid, timeout: false, questions: 0 }
    }

    pub fn evaluate(&self, expr: &Expr) -> Result<i32, Fault> {
        Ok(match expr {
            Expr::Constant(value) => *value,
            Expr::Load(place) => self.load(place)?,
            Expr::Unary(op, operand) => self.fit(op.apply(self.evaluate(operand)?))?,
            Expr::Binary(BinaryOp::And, operands) => {
                (self.holds(&operands.0)? && self.holds(&operands.1)?) as i32
            }
            Expr::Binary(BinaryOp::Or, operands) => {
                (self.holds(&operands.0)? || self.holds(&operands.1)?) as i32
            }
            Expr::Binary(op, operands) => {
                let (a, b) = (self.evaluate(&operands.0)?, self.evaluate(&operands.1)?);
                self.fit(op.apply(a, b).ok_or(Fault::DivisionByZero)?)?
            }
            Expr::Conditional(parts) => {
                self.evaluate(if self.holds(&parts.0)? { &parts.1 } else { &parts.2 })?
            }
            Expr::Channel(test, channel) => self.test(*test, self.channel(channel)?.1),
            Expr::Poll { channel, random, patterns } => self.poll(channel, *random, patterns)? as i32,
            Expr::Timeout => self.timeout as i32,
            Expr::NonProgress => !self.some_at(|location| location.is_progress) as i32,
            Expr::Accepting => self.some_at(|location| location.is_accept) as i32,
            Expr::Enabled(pid) => {
                let pid = self.process(self.evaluate(pid)?);
                if pid == Some(self.pid) || self.questions == MAX_QUESTIONS {
                    return Err(Fault::CircularEnabled);
                }
                pid.is_some_and(|pid| {
                    let questions = self.questions + 1;
                    self.interpreter.can_move(&Context { pid, questions, ..*self })
                }) as i32
            }
            Expr::PcValue(pid) => {
                let pid = self.evaluate(pid)?;
                self.process(pid).map_or(0, |pid| self.state.processes[pid as usize].location.0 as i32)
            }
            Expr::Priority(pid) => {
                let pid = self.evaluate(pid)?;
                self.process(pid).map_or(0, |pid| self.state.processes[pid as usize].priority as i32)
            }
            Expr::Pid => self.pid as i32,
            Expr::ProcessCount => self.state.processes.len() as i32,
            Expr::Last => self.state.last as i32,
            Expr::At { proctype, pid, location } => self.at(*proctype, pid.as_deref(), *location)? as i32,
            Expr::Remote { proctype, pid, place } => match self.instance(*proctype, pid.as_deref())? {
                Some(pid) => Context { pid, ..*self }.load(place)?,
                None => 0,
            },
        })
    }

    pub fn holds(&self, expr: &Expr) -> Result<bool, Fault> {
        Ok(self.evaluate(expr)? != 0)
    }

    /// The position of a place in the globals or in the locals.
    pub fn slot(&self, place: &Place) -> Result<usize, Fault> {
        let mut slot = match place.scope {
            Scope::Global => place.base as usize,
            Scope::Local => place.base as usize + self.state.processes[self.pid as usize].frame as usize,
        };
        for index in &place.indices {
            let value = self.evaluate(&index.value)?;
            if value < 0 || value as u32 >= index.bound {
                return Err(Fault::Index { index: value, bound: index.bound });
            }
            slot += value as usize * index.stride as usize;
        }
        Ok(slot)
    }

    fn load(&self, place: &Place) -> Result<i32, Fault> {
        let slot = self.slot(place)?;
        Ok(match place.scope {
            Scope::Global => self.state.globals[slot],
            Scope::Local => self.state.locals[slot],
        })
    }

    /// The channel that an expression denotes, and its position among the live ones.
    pub fn channel(&self, expr: &Expr) -> Result<(usize, &'c Channel), Fault> {
        let handle = self.evaluate(expr)?;
        if handle <= 0 {
            return Err(Fault::NoChannel);
        }
        let position = handle as usize - 1;
        self.state.channels.get(position).map(|channel| (position, channel)).ok_or(Fault::DeadChannel)
    }

    fn test(&self, test: ChannelTest, channel: &Channel) -> i32 {
        let capacity = self.interpreter.system.channels[channel.kind.index()].capacity;
        let full = capacity > 0 && channel.length >= capacity;
        match test {
            ChannelTest::Len => channel.length as i32,
            ChannelTest::Empty => (channel.length == 0) as i32,
            ChannelTest::NotEmpty => (channel.length > 0) as i32,
            ChannelTest::Full => full as i32,
            ChannelTest::NotFull => !full as i32,
        }
    }

    fn poll(&self, channel: &Expr, random: bool, patterns: &[Pattern]) -> Result<bool, Fault> {
        let (_, channel) = self.channel(channel)?;
        if self.interpreter.is_rendezvous(channel) {
            return Err(Fault::RendezvousPoll);
        }
        let fields = self.interpreter.system.channels[channel.kind.index()].fields.len();
        if patterns.len() > fields {
            return Err(Fault::Arity {
                unit: "field",
                done: "polled",
                given: patterns.len(),
                expected: fields,
            });
        }
        Ok(self.find_matching(channel, random, patterns)?.is_some())
    }

    /// The position of the message that a receive would take.
    pub fn find_message(
        &self,
        channel: &Channel,
        random: bool,
        patterns: &[Pattern],
    ) -> Result<Option<usize>, Fault> {
        let fields = self.interpreter.system.channels[channel.kind.index()].fields.len();
        if patterns.len() != fields {
            return Err(Fault::Arity {
                unit: "field",
                done: "received",
                given: patterns.len(),
                expected: fields,
            });
        }
        self.find_matching(channel, random, patterns)
    }

    fn find_matching(
        &self,
        channel: &Channel,
        random: bool,
        patterns: &[Pattern],
    ) -> Result<Option<usize>, Fault> {
        let candidates = if random { channel.length as usize } else { channel.length.min(1) as usize };
        for (position, message) in
            self.state.messages(self.interpreter.system, channel).take(candidates).enumerate()
        {
            if self.matches(patterns, message)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    pub fn matches(&self, patterns: &[Pattern], message: &[i32]) -> Result<bool, Fault> {
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Match(value) = pattern
                && self.evaluate(value)? != *field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether some process is at such a location.
    fn some_at(&self, is: impl Fn(&Location) -> bool) -> bool {
        let proctype = |process: &Process| self.interpreter.system.proctype(process.proctype);
        self.state.processes.iter().any(|process| is(proctype(process).location(process.location)))
    }

    fn process(&self, pid: i32) -> Option<Pid> {
        (pid >= 0 && (pid as usize) < self.state.processes.len()).then_some(pid as Pid)
    }

    fn instance(&self, proctype: ProctypeId, pid: Option<&Expr>) -> Result<Option<Pid>, Fault> {
        let is_instance = |pid: &Pid| self.state.processes[*pid as usize].proctype == proctype;
        Ok(match pid {
            Some(pid) => self.process(self.evaluate(pid)?).filter(is_instance),
            None => (0..self.state.processes.len() as Pid).find(is_instance),
        })
    }

    fn at(&self, proctype: ProctypeId, pid: Option<&Expr>, location: LocationId) -> Result<bool, Fault> {
        let pid = self.instance(proctype, pid)?;
        Ok(pid.is_some_and(|pid| self.state.processes[pid as usize].location == location))
    }

    /// A result in 32 bits: wrapped around, or a fault if the user asked for that.
    fn fit(&self, value: i64) -> Result<i32, Fault> {
        let stored = value as i32;
        if self.interpreter.semantics.check_overflow && stored as i64 != value {
            return Err(Fault::Overflow { value, stored });
        }
        Ok(stored)
    }
}

impl Interpreter<'_> {
    pub(crate) fn is_rendezvous(&self, channel: &Channel) -> bool {
        self.system.channels[channel.kind.index()].capacity == 0
    }

    /// Stores a value, truncated to the type of the place.
    pub(crate) fn store(&self, state: &mut State, pid: Pid, place: &Place, value: i32) -> Result<(), Fault> {
        let slot = Context::new(self, state, pid).slot(place)?;
        let value = self.truncate(place.scalar, value)?;
        match place.scope {
            Scope::Global => state.globals[slot] = value,
            Scope::Local => state.locals[slot] = value,
        }
        Ok(())
    }

    pub(crate) fn truncate(&self, scalar: Scalar, value: i32) -> Result<i32, Fault> {
        let stored = scalar.truncate(value);
        if self.semantics.check_overflow && stored != value {
            return Err(Fault::Overflow { value: value as i64, stored });
        }
        Ok(stored)
    }
}
