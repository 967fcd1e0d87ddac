//! Dead variables: a local slot whose value is not read again before it is overwritten is set to 0.
//!
//! Two states that differ only in values that nobody will read have the same future, so they may as well be one.
//! Whether a slot is *live* at a location is found backwards along the control graph until nothing changes (any book
//! on compilers), in the strong form: a read counts only if what it is read for is itself live, or could be a fault.
//! Every transition then resets what is dead at its target and can be other than 0 there: what was live at a source, or
//! was written. A slot that is dead from the beginning is reset by the start of the process. So in every state all
//! dead slots are 0, and the states of the new system are images of states of the old one: there are never more.
//!
//! Always live are: what another process or a property looks at from outside ([`Expr::Remote`]), what a `provided`
//! clause or the claim to a channel reads, since that is read at every location; hidden variables, which do not tell
//! states apart anyway. A slot that no transition writes is left alone as well: it is better to know that it never
//! changes (see [`constants`]). Arrays are treated element by element; a store at a run-time index ends no life. The
//! inner graph of a `d_step` takes part in the analysis, but only the step as a whole resets.
//!
//! A process that waits to disappear has only dead variables.

use allways_system::{
    Action, Expr, Few, LocationId, Place, Proctype, ProctypeId, Scope, Start, System, Transition,
    TransitionId,
};

use crate::effort::Effort;
use crate::instances::constants;
use crate::never_read::{Needed, Watched};
use crate::slot_set::SlotSet;
use crate::slots::{for_each_slot, for_each_write};
use crate::uses::{Owner, Uses, for_each_expr_of_properties, reads};

/// A variable of more slots is never reset: it would take longer than it is worth.
const MAX_SLOTS: u32 = 256;
/// The sets of live slots of a proctype may take so many words, 32 MB.
const MOST_WORDS: usize = 1 << 22;

/// Adds resets to all proctypes. Returns how many transitions reset something.
pub(crate) fn reset_dead(system: &mut System, needed: &Needed, watched: Watched) -> usize {
    let seen = seen_from_outside(system, watched);
    let constants = constants(system);
    let mut n_resets = 0;
    for (i, seen) in seen.into_iter().enumerate() {
        let proctype = &system.proctypes[i];
        let mut tracked = SlotSet::new(proctype.frame.slots() as usize);
        for variable in &proctype.frame.variables {
            let slots = variable.base..variable.base + variable.shape.slots();
            if !variable.hidden && variable.shape.slots() <= MAX_SLOTS {
                slots.filter(|slot| !constants.locals[i][*slot as usize]).for_each(|slot| {
                    tracked.insert(slot);
                });
            }
        }
        tracked.remove_all(&seen);
        let analysis = Analysis { proctype, tracked, needed, watched };
        let (resets, start) = analysis.resets();
        n_resets += resets.len();
        let proctype = &mut system.proctypes[i];
        proctype.start.extend(start);
        for (id, slots) in resets {
            proctype.transitions[id.index()].resets = slots;
        }
    }
    n_resets
}

/// Per proctype, the local slots that others can read, or that are read wherever the process is.
pub(crate) fn seen_from_outside(system: &System, watched: Watched) -> Vec<SlotSet> {
    let mut seen: Vec<SlotSet> =
        system.proctypes.iter().map(|proctype| SlotSet::new(proctype.frame.slots() as usize)).collect();
    let mut remote = |expr: &Expr| {
        if matches!(expr, Expr::Remote { .. }) {
            reads(expr, &mut |owner, place| {
                if let Owner::Other(other) = owner {
                    for_each_slot(place, &mut |slot| {
                        seen[other.index()].insert(slot);
                    });
                }
            });
        }
    };
    for proctype in &system.proctypes {
        proctype.transitions.iter().for_each(|transition| transition.action.walk(&mut remote));
        proctype.provided.iter().for_each(|provided| provided.walk(&mut remote));
        proctype.exclusive.iter().for_each(|exclusive| exclusive.channel.walk(&mut remote));
        for start in &proctype.start {
            if let Start::Assign(place, value) = start {
                place.walk(&mut remote);
                value.walk(&mut remote);
            }
        }
    }
    if watched.properties {
        for_each_expr_of_properties(system, &mut remote);
    }
    for (proctype, seen) in system.proctypes.iter().zip(&mut seen) {
        let everywhere =
            proctype.provided.iter().chain(proctype.exclusive.iter().map(|exclusive| &exclusive.channel));
        everywhere.for_each(|expr| reads(expr, &mut |owner, place| insert_own(seen, owner, place)));
    }
    seen
}

fn insert_own(slots: &mut SlotSet, owner: Owner, place: &Place) {
    if owner == Owner::Own && place.scope == Scope::Local {
        for_each_slot(place, &mut |slot| {
            slots.insert(slot);
        });
    }
}

/// Liveness in one proctype.
struct Analysis<'a> {
    proctype: &'a Proctype,
    /// The slots that may be reset.
    tracked: SlotSet,
    needed: &'a Needed,
    watched: Watched,
}

impl Analysis<'_> {
    /// What transitions reset, and what the start does.
    fn resets(&self) -> (Vec<(TransitionId, Few<u32>)>, Vec<Start>) {
        let Some(live) = self.live() else { return (Vec::new(), Vec::new()) };
        let inner = inner_locations(self.proctype);
        let sources = Sources::new(self.proctype);
        let mut resets = Vec::new();
        for (i, transition) in self.proctype.transitions.iter().enumerate() {
            let is_final = matches!(transition.action, Action::Terminate);
            if is_final || inner[transition.target.index()] {
                continue;
            }
            let mut dead = self.written(&transition.action);
            sources.of(i).iter().for_each(|source| {
                dead.insert_all(&live[*source as usize]);
            });
            dead.retain_all(&self.tracked);
            dead.remove_all(&live[transition.target.index()]);
            let dead: Few<u32> = dead.iter().collect();
            if !dead.is_empty() {
                resets.push((TransitionId(i as u32), dead));
            }
        }
        let mut dead_at_start = self.started();
        dead_at_start.retain_all(&self.tracked);
        dead_at_start.remove_all(&live[self.proctype.initial.index()]);
        let scalars = self.proctype.frame.scalars();
        let start = dead_at_start.iter().map(|slot| {
            let scalar = scalars[slot as usize];
            let place = Place { scope: Scope::Local, base: slot, indices: Default::default(), scalar };
            Start::Assign(place, Expr::Constant(0))
        });
        let start = start.collect();
        (resets, start)
    }

    fn empty(&self) -> SlotSet {
        SlotSet::new(self.proctype.frame.slots() as usize)
    }

    /// The live slots of each location; none if that takes too much time or memory.
    fn live(&self) -> Option<Vec<SlotSet>> {
        let proctype = self.proctype;
        let n_words = self.tracked.n_words();
        if n_words.saturating_mul(proctype.locations.len()) > MOST_WORDS {
            return None;
        }
        let mut effort = Effort::new();
        let mut live = vec![self.empty(); proctype.locations.len()];
        loop {
            if !effort.pay(proctype.transitions.len() + proctype.locations.len(), 16 + n_words) {
                return None;
            }
            let mut changed = false;
            // Control mostly flows from low to high numbers, so going down needs few rounds.
            for (i, location) in proctype.locations.iter().enumerate().rev() {
                for id in location.groups.iter().flatten() {
                    let before = self.live_before(proctype.transition(*id), &live);
                    changed |= live[i].insert_all(&before);
                }
            }
            for transition in &proctype.transitions {
                if let Action::DStep { exit, .. } = transition.action {
                    let after = live[transition.target.index()].clone();
                    changed |= live[exit.index()].insert_all(&after);
                }
            }
            if !changed {
                return Some(live);
            }
        }
    }

    /// What is live in front of a transition.
    fn live_before(&self, transition: &Transition, live: &[SlotSet]) -> SlotSet {
        let after = &live[transition.target.index()];
        let mut before = match transition.action {
            Action::Terminate => self.empty(),
            Action::DStep { entry, .. } => return live[entry.index()].clone(),
            _ => after.clone(),
        };
        for_each_write(&transition.action, &mut |place| {
            if place.scope == Scope::Local && place.indices.is_empty() {
                before.remove(place.base);
            }
        });
        let wanted = |place: &Place| {
            if place.scope == Scope::Global {
                return true;
            }
            let mut wanted = false;
            for_each_slot(place, &mut |slot| wanted |= after.contains(slot) || !self.tracked.contains(slot));
            wanted
        };
        let uses = Uses {
            wanted: &wanted,
            parameter_wanted: &|started: ProctypeId, slot| self.needed.locals[started.index()][slot],
            check_overflow: self.watched.check_overflow,
            prints: self.watched.prints,
        };
        uses.of_action(&transition.action, &mut |owner, place| insert_own(&mut before, owner, place));
        before
    }

    /// What an action can write, with all that is inside a `d_step`.
    fn written(&self, action: &Action) -> SlotSet {
        let mut written = self.empty();
        let mut note = |action: &Action| {
            for_each_write(action, &mut |place| insert_own(&mut written, Owner::Own, place));
        };
        match action {
            Action::DStep { entry, .. } => {
                for id in transitions_from(self.proctype, *entry) {
                    note(&self.proctype.transition(id).action);
                }
            }
            action => note(action),
        }
        written
    }

    /// What can be other than 0 when a process has started.
    fn started(&self) -> SlotSet {
        let mut started = self.empty();
        (0..self.proctype.parameters).for_each(|slot| {
            started.insert(slot);
        });
        for start in &self.proctype.start {
            match start {
                Start::Assign(place, _) => insert_own(&mut started, Owner::Own, place),
                Start::Channel(slot, _) => {
                    started.insert(*slot);
                }
            }
        }
        started
    }
}

/// For each transition the locations that list it.
struct Sources {
    /// Where those of each transition end in `locations`; those of the next one begin there.
    ends: Vec<u32>,
    locations: Vec<u32>,
}

impl Sources {
    fn new(proctype: &Proctype) -> Sources {
        let ids = || {
            let locations = (0..).zip(&proctype.locations);
            locations
                .flat_map(|(source, location)| location.groups.iter().flatten().map(move |id| (source, id)))
        };
        let mut ends = vec![0; proctype.transitions.len() + 1];
        ids().for_each(|(_, id)| ends[id.index() + 1] += 1);
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let mut locations = vec![0; ends[ends.len() - 1] as usize];
        // Until here an entry says where a list begins.
        for (source, id) in ids() {
            let end = &mut ends[id.index()];
            locations[*end as usize] = source;
            *end += 1;
        }
        Sources { ends, locations }
    }

    fn of(&self, transition: usize) -> &[u32] {
        let start = transition.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.locations[start as usize..self.ends[transition] as usize]
    }
}

/// Which locations are inside a `d_step`, exits included.
pub(crate) fn inner_locations(proctype: &Proctype) -> Vec<bool> {
    let mut inner = vec![false; proctype.locations.len()];
    for transition in &proctype.transitions {
        if let Action::DStep { entry, exit } = transition.action {
            inner[entry.index()] = true;
            inner[exit.index()] = true;
            for id in transitions_from(proctype, entry) {
                inner[proctype.transition(id).target.index()] = true;
            }
        }
    }
    inner
}

/// Every transition that can be taken from a location on, without those inside a `d_step`.
pub(crate) fn transitions_from(proctype: &Proctype, start: LocationId) -> Vec<TransitionId> {
    let mut reached = vec![false; proctype.locations.len()];
    let mut transitions = Vec::new();
    let mut waiting = vec![start];
    while let Some(location) = waiting.pop() {
        if std::mem::replace(&mut reached[location.index()], true) {
            continue;
        }
        for &id in proctype.location(location).groups.iter().flatten() {
            transitions.push(id);
            waiting.push(proctype.transition(id).target);
        }
    }
    transitions
}
