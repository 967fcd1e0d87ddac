//! The rules about the inner graphs of d_steps.

use std::collections::BTreeMap;

use super::Verifier;
use crate::print::Show;
use crate::*;

impl Verifier<'_> {
    pub(super) fn d_steps(&mut self, name: &str, proctype: &Proctype) {
        let resting = reachable(proctype, proctype.initial);
        // Which d_step each inner location belongs to.
        let mut owners: BTreeMap<LocationId, (LocationId, LocationId)> = BTreeMap::new();
        for (i, transition) in proctype.transitions.iter().enumerate() {
            let Action::DStep { entry, exit } = transition.action else { continue };
            if owners.get(&entry) == Some(&(entry, exit)) {
                continue;
            }
            self.part = format!("{name} t{i}");
            let inner = reachable(proctype, entry);
            for (id, _) in inner.iter().enumerate().filter(|(_, is_inner)| **is_inner) {
                let location = LocationId(id as u32);
                self.require(!resting[id], || format!("{} inside is also outside", Show(&location)));
                if location == exit {
                    continue;
                }
                let is_first = owners.insert(location, (entry, exit)).is_none();
                self.require(is_first, || format!("{} inside is also in another d_step", Show(&location)));
                for id in proctype.locations[id].groups.iter().flatten() {
                    let Some(transition) = proctype.transitions.get(id.index()) else { continue };
                    let is_allowed = !matches!(
                        transition.action,
                        Action::DStep { .. } | Action::Run { .. } | Action::Terminate
                    );
                    self.require(is_allowed, || format!("{} cannot be inside a d_step", Show(id)));
                    let resets = &transition.resets;
                    self.require(resets.is_empty(), || format!("{} resets inside a d_step", Show(id)));
                }
            }
        }
    }
}

/// Whether each location can be reached from `start`, in any number of steps. Ids that do not exist are skipped.
fn reachable(proctype: &Proctype, start: LocationId) -> Vec<bool> {
    let mut reached = vec![false; proctype.locations.len()];
    let mut waiting = vec![start];
    while let Some(id) = waiting.pop() {
        let Some(location) = proctype.locations.get(id.index()) else { continue };
        if std::mem::replace(&mut reached[id.index()], true) {
            continue;
        }
        let transitions =
            location.groups.iter().flatten().filter_map(|id| proctype.transitions.get(id.index()));
        waiting.extend(transitions.map(|transition| transition.target));
    }
    reached
}
