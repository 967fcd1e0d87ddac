//! The processes that a worker has met where processes hand down channels, and their tables in the reduction.

use std::sync::Arc;

use allways_compiled::{Instance, Slot};
use allways_reduction::{Families, FamilyTables, Member};
use allways_system::ProctypeId;
use rustc_hash::FxHashMap;

/// There are tables for so many processes; where there are others, all steps are taken.
const MAX_MEMBERS: u32 = 5_000;

pub struct Members {
    pub tables: FamilyTables,
    /// What the tables call the instances of the machine.
    names: Vec<Name>,
    /// One of each kind, with what it is called.
    met: FxHashMap<Kind, Vec<(Arc<Instance>, Name)>>,
}

/// A proctype, and the constants among the variables.
type Kind = (ProctypeId, Vec<Option<i32>>);

/// What a process is called. It is decided once and for all.
#[derive(Clone, Copy)]
enum Name {
    NotYetMet,
    /// There is no table for it: it is not known which channels it has, or there are too many others.
    Strange,
    Is(u32),
}

impl Members {
    pub fn new(families: &Families) -> Members {
        Members { tables: families.tables(), names: Vec::new(), met: FxHashMap::default() }
    }

    /// What a process is called; none if there is no table for it.
    #[inline]
    pub fn name(&mut self, families: &Families, instance: &Arc<Instance>) -> Option<u32> {
        let name = match self.names.get(instance.number as usize) {
            None | Some(Name::NotYetMet) => self.meet(families, instance),
            Some(name) => *name,
        };
        match name {
            Name::Is(name) => Some(name),
            _ => None,
        }
    }

    #[cold]
    fn meet(&mut self, families: &Families, instance: &Arc<Instance>) -> Name {
        let handles: Vec<Option<i32>> = instance
            .slots
            .iter()
            .map(|slot| match slot {
                Slot::Constant(value) => Some(*value),
                Slot::Field(_) => None,
            })
            .collect();
        let member = Member { proctype: instance.proctype, code: &instance.code, handles: &handles };
        let alike = self.met.entry((instance.proctype, handles.clone())).or_default();
        // Those that differ in numbers and places only are the same.
        let known = alike.iter().find(|(other, _)| other.code == instance.code).map(|(_, name)| *name);
        let name = known.unwrap_or_else(|| {
            let has_room = self.tables.n_members() < MAX_MEMBERS;
            let added = if has_room { self.tables.add(families, &member) } else { None };
            let name = added.map_or(Name::Strange, Name::Is);
            alike.push((instance.clone(), name));
            name
        });
        let number = instance.number as usize;
        if self.names.len() <= number {
            self.names.resize(number + 1, Name::NotYetMet);
        }
        self.names[number] = name;
        name
    }
}
