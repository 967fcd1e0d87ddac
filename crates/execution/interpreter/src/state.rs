//! States, and how one comes into being.

use allways_system::{
    ChannelKindId, Expr, Fault, Initial, LocationId, Pid, Place, ProctypeId, Start, System,
};

use crate::Interpreter;
use crate::evaluate::Context;

/// One full valuation.
///
/// Processes and their channels come and go like a stack, so frames and buffers lie one behind the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct State {
    /// One value per slot of the globals.
    pub globals: Vec<i32>,
    /// In order of their pids.
    pub processes: Vec<Process>,
    /// The frames of all processes.
    pub locals: Vec<i32>,
    /// In order of creation: those of the globals, then those of each process.
    pub channels: Vec<Channel>,
    /// The buffers of all channels, each with room for as many messages as it can hold (one for a rendezvous
    /// channel, which is always empty here); what is not in use is 0.
    pub messages: Vec<i32>,
    /// The process inside an atomic sequence, if any.
    pub exclusive: Option<Pid>,
    /// The process that moved last, if the system asks for it; else 0.
    pub last: Pid,
}

/// A live process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    pub proctype: ProctypeId,
    pub location: LocationId,
    pub priority: u8,
    /// Where its frame starts in [`State::locals`].
    pub frame: u32,
    /// How many channels there were before it created its own.
    pub first_channel: u32,
}

/// A live channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    pub kind: ChannelKindId,
    /// How many messages it holds.
    pub length: u32,
    /// Where its buffer starts in [`State::messages`].
    pub buffer: u32,
}

/// More processes than this cannot be numbered in a packed state.
pub const MAX_PROCESSES: usize = u16::MAX as usize;
/// More channels than this do not fit the type of a channel variable.
const MAX_CHANNELS: usize = u16::MAX as usize;

impl State {
    /// The messages in a channel, oldest first.
    pub fn messages<'s>(&'s self, system: &'s System, channel: &Channel) -> impl Iterator<Item = &'s [i32]> {
        let width = system.channels[channel.kind.index()].fields.len();
        let start = channel.buffer as usize;
        (0..channel.length as usize).map(move |i| &self.messages[start + i * width..start + (i + 1) * width])
    }

    /// The frame of a process.
    pub fn frame(&self, system: &System, pid: Pid) -> &[i32] {
        let process = &self.processes[pid as usize];
        let start = process.frame as usize;
        &self.locals[start..start + system.proctype(process.proctype).frame.slots() as usize]
    }

    /// Creates an empty channel and returns its handle.
    pub(crate) fn create_channel(&mut self, system: &System, kind: ChannelKindId) -> Result<i32, Fault> {
        if self.channels.len() >= MAX_CHANNELS {
            return Err(Fault::TooLarge(format!("more than {MAX_CHANNELS} channels")));
        }
        let buffer = self.messages.len() as u32;
        let declared = &system.channels[kind.index()];
        let room = declared.capacity as usize * declared.fields.len();
        self.messages.resize(self.messages.len() + room, 0);
        self.channels.push(Channel { kind, length: 0, buffer });
        Ok(self.channels.len() as i32)
    }

    /// Removes the youngest process and its channels.
    pub(crate) fn remove_youngest(&mut self) {
        let Some(process) = self.processes.pop() else { return };
        self.locals.truncate(process.frame as usize);
        if let Some(first) = self.channels.get(process.first_channel as usize) {
            self.messages.truncate(first.buffer as usize);
            self.channels.truncate(process.first_channel as usize);
        }
    }
}

impl Interpreter<'_> {
    pub(crate) fn initial_state(&self) -> Result<State, Fault> {
        let globals = &self.system.globals;
        let mut state = State { globals: vec![0; globals.slots() as usize], ..State::default() };
        for variable in &globals.variables {
            for (slot, initial) in variable.initial.iter().enumerate() {
                let value = match initial {
                    Initial::Value(value) => *value,
                    Initial::Channel(kind) => state.create_channel(self.system, *kind)?,
                };
                state.globals[variable.base as usize + slot] = value;
            }
        }
        for process in &self.system.processes {
            self.create_process(&mut state, process.proctype, &[], process.priority)?;
        }
        Ok(state)
    }

    /// Creates a process with the given parameters (0 where there are too few) and returns its pid.
    pub(crate) fn create_process(
        &self,
        state: &mut State,
        proctype: ProctypeId,
        arguments: &[i32],
        priority: u8,
    ) -> Result<Pid, Fault> {
        if state.processes.len() >= MAX_PROCESSES {
            return Err(Fault::TooLarge(format!("more than {MAX_PROCESSES} processes")));
        }
        let declared = self.system.proctype(proctype);
        let pid = state.processes.len() as Pid;
        let frame = state.locals.len();
        state.locals.resize(frame + self.layout.frame_slots(proctype), 0);
        state.processes.push(Process {
            proctype,
            location: declared.initial,
            priority,
            frame: frame as u32,
            first_channel: state.channels.len() as u32,
        });
        for (slot, value) in arguments.iter().enumerate() {
            state.locals[frame + slot] = self.layout.frame_scalar(proctype, slot).truncate(*value);
        }
        for start in &declared.start {
            match start {
                Start::Assign(place, value) => self.initialise(state, pid, place, value)?,
                Start::Channel(slot, kind) => {
                    let handle = state.create_channel(self.system, *kind)?;
                    state.locals[frame + *slot as usize] = handle;
                }
            }
        }
        Ok(pid)
    }

    fn initialise(&self, state: &mut State, pid: Pid, place: &Place, value: &Expr) -> Result<(), Fault> {
        let value = Context::new(self, state, pid).evaluate(value)?;
        self.store(state, pid, place, value)
    }
}
