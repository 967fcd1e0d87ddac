//! Where processes can be, and who can move in a state.

use allways_system::{LocationId, Step, TransitionId};

use crate::choose::Here;

/// All locations of all instances.
#[derive(Default)]
pub(crate) struct Places {
    /// Per instance, where its locations begin.
    pub first_location: Vec<u32>,
    pub places: Vec<Place>,
    pub transitions: Vec<TransitionId>,
}

/// A location of an instance.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub instance: u32,
    /// Where its edges begin in the lists of edges and of transitions.
    pub first_edge: u32,
    pub n_edges: u32,
    /// Where its claims begin, if there is one for every combination; else [`NOT_TABLED`].
    pub first_claim: u32,
    /// Of its future, see `classes.rs`; 0 as long as there are none.
    pub class: u16,
    /// A process will still be created from here on.
    pub creates: bool,
}

/// There are too many claims of a location.
pub(crate) const NOT_TABLED: u32 = u32::MAX;

/// A process that takes part in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    pub pid: u32,
    /// Index of its location in the tables.
    pub location: u32,
    /// Which of its edges are enabled.
    pub enabled: u64,
    /// Its steps, all next to each other.
    pub first_step: u32,
    pub n_steps: u32,
    /// Its claim and its class, once they were looked up.
    pub claim: u32,
    pub class: u16,
}

impl Mover {
    fn new(pid: u32, location: u32, first_step: u32) -> Mover {
        Mover { pid, location, enabled: 0, first_step, n_steps: 0, claim: NOT_TABLED, class: 0 }
    }
}

impl Places {
    /// A process of such an instance, there.
    pub fn here(&self, instance: u32, location: LocationId) -> Here {
        Here(self.first_location[instance as usize] + location.0)
    }

    #[inline(always)]
    pub fn get(&self, location: u32) -> &Place {
        &self.places[location as usize]
    }

    /// Those who can move, youngest first; then those who only take part in steps of others. `mover_of` is for partners only.
    pub fn find_movers(
        &self,
        processes: &[Here],
        steps: &[Step],
        movers: &mut Vec<Mover>,
        mover_of: &mut Vec<u32>,
    ) {
        movers.clear();
        let mut has_partners = false;
        for (position, step) in steps.iter().enumerate() {
            if movers.last().is_none_or(|mover| mover.pid != step.pid) {
                let location = processes[step.pid as usize].0;
                let first_step = position as u32;
                movers.push(Mover::new(step.pid, location, first_step));
            }
            if let Some(mover) = movers.last_mut() {
                mover.enabled |= self.bit(mover.location, step.transition);
                mover.n_steps += 1;
            }
            has_partners |= step.partner.is_some();
        }
        if has_partners {
            self.add_partners(processes, steps, movers, mover_of);
        }
    }

    fn add_partners(
        &self,
        processes: &[Here],
        steps: &[Step],
        movers: &mut Vec<Mover>,
        mover_of: &mut Vec<u32>,
    ) {
        const NONE: u32 = u32::MAX;
        mover_of.clear();
        mover_of.resize(processes.len(), NONE);
        for (position, mover) in movers.iter().enumerate() {
            mover_of[mover.pid as usize] = position as u32;
        }
        for (pid, transition) in steps.iter().filter_map(|step| step.partner) {
            let position = &mut mover_of[pid as usize];
            if *position == NONE {
                *position = movers.len() as u32;
                let location = processes[pid as usize].0;
                movers.push(Mover::new(pid, location, 0));
            }
            let mover = &mut movers[*position as usize];
            mover.enabled |= self.bit(mover.location, transition);
        }
    }

    /// The bit of a transition among the edges of a location.
    #[inline(always)]
    fn bit(&self, location: u32, transition: TransitionId) -> u64 {
        let place = self.get(location);
        if place.n_edges == 1 {
            return 1;
        }
        let first = place.first_edge as usize;
        let edges = &self.transitions[first..first + place.n_edges as usize];
        let position = edges.iter().position(|other| *other == transition);
        position.map_or(0, |position| 1u64.checked_shl(position as u32).unwrap_or(0))
    }
}
