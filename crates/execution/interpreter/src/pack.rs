//! States as bytes: every slot in the bytes its type needs, buffers only as far as they are filled.
//!
//! The kinds of the channels need not be written: the globals' are always there, and each proctype creates the same
//! ones for every instance. What follows the key (hidden variables, the owner of an atomic sequence) is for
//! restoring only.

use allways_system::{ChannelKindId, Initial, LocationId, ProctypeId, Scalar, Start, System};

use crate::{Channel, Process, State};

/// Where what lies in a packed state.
pub struct Layout {
    globals: Slots,
    hidden_globals: Slots,
    global_channels: Vec<ChannelKindId>,
    proctypes: Vec<ProctypeLayout>,
    channels: Vec<ChannelLayout>,
    priorities: bool,
    tracks_last: bool,
    /// Bytes of a proctype's number and of a location's.
    proctype_bytes: usize,
    location_bytes: usize,
}

struct ProctypeLayout {
    scalars: Vec<Scalar>,
    frame: Slots,
    hidden: Slots,
    channels: Vec<ChannelKindId>,
}

struct ChannelLayout {
    capacity: u32,
    length_bytes: usize,
    fields: Slots,
}

/// The slots that go into one part of a packed state.
#[derive(Default)]
struct Slots {
    /// Total number of slots of the frame this is a part of.
    of: usize,
    /// Slots of the same width that follow each other.
    runs: Vec<Run>,
}

struct Run {
    start: usize,
    end: usize,
    width: Width,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Unsigned(u8),
    Signed(u8),
}

impl Layout {
    pub fn new(system: &System) -> Layout {
        let widest = system.proctypes.iter().map(|proctype| proctype.locations.len()).max().unwrap_or(0);
        Layout {
            globals: Slots::of_frame(&system.globals, false),
            hidden_globals: Slots::of_frame(&system.globals, true),
            global_channels: channels_of_globals(system),
            proctypes: system.proctypes.iter().map(ProctypeLayout::new).collect(),
            channels: system
                .channels
                .iter()
                .map(|kind| ChannelLayout {
                    capacity: kind.capacity,
                    length_bytes: bytes_for(kind.capacity as usize + 1),
                    fields: Slots::of_scalars(&kind.fields),
                })
                .collect(),
            priorities: system.priorities,
            tracks_last: system.tracks_last,
            proctype_bytes: bytes_for(system.proctypes.len()),
            location_bytes: bytes_for(widest),
        }
    }

    pub fn frame_slots(&self, proctype: ProctypeId) -> usize {
        self.proctypes[proctype.index()].scalars.len()
    }

    pub fn frame_scalar(&self, proctype: ProctypeId, slot: usize) -> Scalar {
        self.proctypes[proctype.index()].scalars[slot]
    }

    pub fn pack(&self, state: &State, bytes: &mut Vec<u8>) -> usize {
        bytes.clear();
        self.globals.write(&state.globals, bytes);
        write(bytes, state.processes.len() as u32, 2);
        for process in &state.processes {
            let proctype = &self.proctypes[process.proctype.index()];
            write(bytes, process.proctype.0, self.proctype_bytes);
            write(bytes, process.location.0, self.location_bytes);
            if self.priorities {
                bytes.push(process.priority);
            }
            proctype.frame.write(&state.locals[process.frame as usize..], bytes);
        }
        for channel in &state.channels {
            let kind = &self.channels[channel.kind.index()];
            write(bytes, channel.length, kind.length_bytes);
            for message in 0..channel.length as usize {
                kind.fields
                    .write(&state.messages[channel.buffer as usize + message * kind.fields.of..], bytes);
            }
        }
        if self.tracks_last {
            write(bytes, state.last, 2);
        }
        let key = bytes.len();
        self.hidden_globals.write(&state.globals, bytes);
        for process in &state.processes {
            let proctype = &self.proctypes[process.proctype.index()];
            proctype.hidden.write(&state.locals[process.frame as usize..], bytes);
        }
        if let Some(pid) = state.exclusive {
            write(bytes, pid, 4);
        }
        key
    }

    pub fn unpack(&self, bytes: &[u8], state: &mut State) {
        let mut reader = Reader { bytes };
        state.globals.resize(self.globals.of, 0);
        self.globals.read(&mut reader, &mut state.globals);
        state.processes.clear();
        state.locals.clear();
        state.channels.clear();
        state.messages.clear();
        self.reserve_channels(&self.global_channels, state);
        for _ in 0..reader.unsigned(2) {
            let id = ProctypeId(reader.unsigned(self.proctype_bytes));
            let proctype = &self.proctypes[id.index()];
            let location = LocationId(reader.unsigned(self.location_bytes));
            let priority = if self.priorities { reader.unsigned(1) as u8 } else { 1 };
            let frame = state.locals.len();
            let first_channel = state.channels.len() as u32;
            state.processes.push(Process {
                proctype: id,
                location,
                priority,
                frame: frame as u32,
                first_channel,
            });
            state.locals.resize(frame + proctype.scalars.len(), 0);
            proctype.frame.read(&mut reader, &mut state.locals[frame..]);
            self.reserve_channels(&proctype.channels, state);
        }
        for channel in &mut state.channels {
            let kind = &self.channels[channel.kind.index()];
            channel.length = reader.unsigned(kind.length_bytes);
            for message in 0..channel.length as usize {
                let at = channel.buffer as usize + message * kind.fields.of;
                kind.fields.read(&mut reader, &mut state.messages[at..]);
            }
        }
        state.last = if self.tracks_last { reader.unsigned(2) } else { 0 };
        self.hidden_globals.read(&mut reader, &mut state.globals);
        for process in &state.processes {
            let proctype = &self.proctypes[process.proctype.index()];
            proctype.hidden.read(&mut reader, &mut state.locals[process.frame as usize..]);
        }
        state.exclusive = (!reader.bytes.is_empty()).then(|| reader.unsigned(4));
    }

    fn reserve_channels(&self, kinds: &[ChannelKindId], state: &mut State) {
        for &kind in kinds {
            let layout = &self.channels[kind.index()];
            let buffer = state.messages.len();
            state.channels.push(Channel { kind, length: 0, buffer: buffer as u32 });
            state.messages.resize(buffer + layout.capacity as usize * layout.fields.of, 0);
        }
    }
}

impl ProctypeLayout {
    fn new(proctype: &allways_system::Proctype) -> ProctypeLayout {
        ProctypeLayout {
            scalars: proctype.frame.scalars(),
            frame: Slots::of_frame(&proctype.frame, false),
            hidden: Slots::of_frame(&proctype.frame, true),
            channels: proctype
                .start
                .iter()
                .filter_map(|start| match start {
                    Start::Channel(_, kind) => Some(*kind),
                    Start::Assign(..) => None,
                })
                .collect(),
        }
    }
}

fn channels_of_globals(system: &System) -> Vec<ChannelKindId> {
    let initials = system.globals.variables.iter().flat_map(|variable| &variable.initial);
    initials
        .filter_map(|initial| match initial {
            Initial::Channel(kind) => Some(*kind),
            Initial::Value(_) => None,
        })
        .collect()
}

impl Slots {
    fn of_frame(frame: &allways_system::Frame, hidden: bool) -> Slots {
        let mut slots = Slots { of: frame.slots() as usize, runs: Vec::new() };
        for variable in frame.variables.iter().filter(|variable| variable.hidden == hidden) {
            for (slot, scalar) in variable.shape.scalars().into_iter().enumerate() {
                slots.push(variable.base as usize + slot, Width::of(scalar));
            }
        }
        slots
    }

    fn of_scalars(scalars: &[Scalar]) -> Slots {
        let mut slots = Slots { of: scalars.len(), runs: Vec::new() };
        for (slot, scalar) in scalars.iter().enumerate() {
            slots.push(slot, Width::of(*scalar));
        }
        slots
    }

    fn push(&mut self, slot: usize, width: Width) {
        match self.runs.last_mut() {
            Some(run) if run.end == slot && run.width == width => run.end += 1,
            _ => self.runs.push(Run { start: slot, end: slot + 1, width }),
        }
    }

    fn write(&self, values: &[i32], bytes: &mut Vec<u8>) {
        for run in &self.runs {
            let values = &values[run.start..run.end];
            match run.width {
                Width::Unsigned(1) => bytes.extend(values.iter().map(|value| *value as u8)),
                Width::Unsigned(count) | Width::Signed(count) => {
                    values.iter().for_each(|value| write(bytes, *value as u32, count as usize));
                }
            }
        }
    }

    fn read(&self, reader: &mut Reader, values: &mut [i32]) {
        for run in &self.runs {
            let values = &mut values[run.start..run.end];
            match run.width {
                Width::Unsigned(1) => {
                    let packed = reader.take(values.len());
                    values.iter_mut().zip(packed).for_each(|(value, byte)| *value = *byte as i32);
                }
                Width::Signed(2) => {
                    values.iter_mut().for_each(|value| *value = reader.unsigned(2) as u16 as i16 as i32);
                }
                Width::Unsigned(count) | Width::Signed(count) => {
                    values.iter_mut().for_each(|value| *value = reader.unsigned(count as usize) as i32);
                }
            }
        }
    }
}

impl Width {
    fn of(scalar: Scalar) -> Width {
        match scalar {
            Scalar::Short | Scalar::Int => Width::Signed(scalar.bytes() as u8),
            _ => Width::Unsigned(scalar.bytes() as u8),
        }
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> &'b [u8] {
        let (head, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        head
    }

    fn unsigned(&mut self, count: usize) -> u32 {
        self.take(count).iter().rev().fold(0, |value, byte| value << 8 | *byte as u32)
    }
}

fn write(bytes: &mut Vec<u8>, value: u32, count: usize) {
    bytes.extend_from_slice(&value.to_le_bytes()[..count]);
}

/// How many bytes it takes to tell so many things apart.
fn bytes_for(count: usize) -> usize {
    match count {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}
