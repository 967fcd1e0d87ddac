//! A packed state in plain numbers, for comparison with the interpreter's.

use allways_system::{LocationId, ProctypeId};

use crate::worker::Worker;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Snapshot {
    pub globals: Vec<i32>,
    pub processes: Vec<SnapshotProcess>,
    /// The messages of every channel, oldest first, one field after the other.
    pub channels: Vec<Vec<i32>>,
    pub last: i32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SnapshotProcess {
    pub proctype: ProctypeId,
    pub location: LocationId,
    pub priority: i32,
    pub locals: Vec<i32>,
}

impl Worker<'_, '_> {
    pub fn snapshot(&self) -> Snapshot {
        let (words, state) = (&self.state.words, &self.state);
        let processes = self.shape.processes.iter().map(|process| SnapshotProcess {
            proctype: process.proctype,
            location: process.at(words),
            priority: self.priority(process),
            locals: process.slots.iter().map(|slot| slot.get(state)).collect(),
        });
        let channels = self.shape.channels.iter().map(|channel| {
            let messages = 0..channel.len(state);
            let fields = |message| {
                (0..channel.messages.fields.len()).map(move |field| channel.value(state, message, field))
            };
            messages.flat_map(fields).collect()
        });
        Snapshot {
            globals: self.machine.common.globals.iter().map(|slot| slot.get(state)).collect(),
            processes: processes.collect(),
            channels: channels.collect(),
            last: self.last(),
        }
    }
}
