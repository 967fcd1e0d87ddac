//! The edges of an instance: a transition together with the location it is taken from, and what its place there adds.
//!
//! * `else` looks at everything that could enable what is before it; an edge behind an escape looks at everything that
//!   could enable the escape.
//! * A `provided` clause is part of every guard of the process.
//! * Every step of a process can change what it offers on rendezvous channels. Offers are updates: those of different
//!   processes are independent of each other.
//! * A `d_step` is one edge that does all that any of its statements does.

use allways_system::{Action, Expr, LocationId, Proctype, TransitionId};

use crate::bits::Bits;
use crate::effects::{Analysis, Effect, Fact, Process};
use crate::facts::{self, Facts};

/// An edge of the control graph of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub source: LocationId,
    pub target: LocationId,
    pub transition: TransitionId,
    /// Position of its group among those of its source.
    pub group: u32,
    pub is_else: bool,
    /// The process keeps control.
    pub atomic: bool,
    pub effect: Effect,
}

/// The control graph of an instance.
pub(crate) struct Graph {
    pub initial: LocationId,
    /// Those of a location are next to each other, in the order of the location.
    pub edges: Vec<Edge>,
    /// Per location, where its edges begin; one more at the end.
    pub first: Vec<u32>,
    /// Per location: control can be kept on arrival there.
    pub is_interior: Vec<bool>,
}

impl Graph {
    pub fn new(analysis: &Analysis, process: &Process) -> Graph {
        let code = process.code;
        let effects: Vec<Effect> = (0..code.transitions.len())
            .map(|transition| transition_effect(analysis, process, TransitionId(transition as u32)))
            .collect();
        let mut graph = Graph {
            initial: code.initial,
            edges: Vec::new(),
            first: vec![0],
            is_interior: vec![false; code.locations.len()],
        };
        for source in (0..code.locations.len() as u32).map(LocationId) {
            graph.add_location(process, &effects, source);
        }
        for edge in graph.edges.iter().filter(|edge| edge.atomic) {
            graph.is_interior[edge.target.index()] = true;
        }
        let facts = facts::find(process, &graph, analysis.options.lossy);
        for location in (0..code.locations.len() as u32).map(LocationId) {
            graph.look_before(process, location, &facts[location.index()]);
            graph.look_beside(analysis, process, location);
        }
        graph.add_offers();
        graph
    }

    pub fn at(&self, location: LocationId) -> &[Edge] {
        &self.edges[self.range(location)]
    }

    pub fn range(&self, location: LocationId) -> std::ops::Range<usize> {
        self.first[location.index()] as usize..self.first[location.index() + 1] as usize
    }

    /// The locations where a process can come to rest or pass, roughly: guards may rule some out.
    pub fn reachable(&self) -> Vec<LocationId> {
        let mut found = vec![self.initial];
        let mut next = 0;
        while next < found.len() {
            for edge in self.at(found[next]).iter().filter(|edge| !edge.effect.never) {
                if !found.contains(&edge.target) {
                    found.push(edge.target);
                }
            }
            next += 1;
        }
        found
    }

    fn add_location(&mut self, process: &Process, effects: &[Effect], source: LocationId) {
        for (group, transitions) in process.code.location(source).groups.iter().enumerate() {
            for &transition in transitions {
                let taken = process.code.transition(transition);
                self.edges.push(Edge {
                    source,
                    target: taken.target,
                    transition,
                    group: group as u32,
                    is_else: matches!(taken.action, Action::Else),
                    atomic: taken.atomic,
                    effect: effects[transition.index()].clone(),
                });
            }
        }
        self.first.push(self.edges.len() as u32);
    }

    /// Adds what is before an edge at its location: escapes, and for `else` its siblings.
    fn look_before(&mut self, process: &Process, location: LocationId, facts: &Facts) {
        // What the edges of earlier groups would need to be enabled, and what decides whether they are; the same
        // with the earlier edges of the group.
        let (mut before, mut so_far) = (Guards::default(), Guards::default());
        let (mut always_before, mut always_so_far) = (false, false);
        let mut group = 0;
        for index in self.range(location) {
            let edge = &mut self.edges[index];
            if edge.group != group {
                group = edge.group;
                before = so_far.clone();
                always_before = always_so_far;
            }
            let effect = &mut edge.effect;
            let own = Guards { wake: effect.wake.clone(), decides: facts.decides(effect).clone() };
            let guards = if edge.is_else { &so_far } else { &before };
            effect.mask.reads.add(&guards.wake);
            effect.decides = guards.decides.union(&own.decides);
            // A message can still be taken from a sender, whatever else is possible.
            let is_shadowed = always_before || edge.is_else && always_so_far;
            effect.never |= is_shadowed && !effect.traffic.takes_message;
            let action = &process.code.transition(edge.transition).action;
            always_so_far |= is_always_enabled(action) && process.code.provided.is_none();
            so_far.wake.add(&own.wake);
            so_far.decides.add(&own.decides);
        }
    }

    /// Finds out what an enabled edge tells about a disabled condition at the same location.
    fn look_beside(&mut self, analysis: &Analysis, process: &Process, location: LocationId) {
        let known: Vec<Fact> = self.at(location).iter().filter_map(|edge| edge.effect.shows).collect();
        if known.is_empty() || process.code.provided.is_some() {
            return;
        }
        for index in self.range(location) {
            let edge = &mut self.edges[index];
            if let Action::Condition(condition) = &process.code.transition(edge.transition).action {
                analysis.wake_knowing(process, condition, &known, &mut edge.effect);
            }
        }
    }

    /// The rendezvous offers at a location.
    pub fn offers(&self, location: LocationId) -> Bits {
        let mut offers = Bits::default();
        self.at(location).iter().for_each(|edge| {
            offers.add(&edge.effect.offers);
        });
        offers
    }

    fn add_offers(&mut self) {
        for index in 0..self.edges.len() {
            let Edge { source, target, .. } = self.edges[index];
            let mut offers = self.offers(source);
            if !self.edges[index].effect.is_death {
                offers.add(&self.offers(target));
            }
            self.edges[index].effect.mask.updates.add(&offers);
        }
    }
}

/// What other guards depend on.
#[derive(Clone, Default)]
struct Guards {
    wake: Bits,
    decides: Bits,
}

/// Enabled whatever the state, if the process may move at all.
pub(crate) fn is_always_enabled(action: &Action) -> bool {
    matches!(
        action,
        Action::Skip
            | Action::Assign(..)
            | Action::AssignAll(_)
            | Action::Assert(_)
            | Action::Run { .. }
            | Action::Print { .. }
            | Action::SetPriority { .. }
    ) || matches!(action, Action::Condition(Expr::Constant(value)) if *value != 0)
}

fn transition_effect(analysis: &Analysis, process: &Process, id: TransitionId) -> Effect {
    let transition = process.code.transition(id);
    let mut effect = match transition.action {
        Action::DStep { entry, exit } => d_step_effect(analysis, process, entry, exit),
        _ if analysis.joins.is_one(process.proctype, id) => analysis.wait_for_deaths(),
        _ => analysis.effect(process, &transition.action),
    };
    if let Some(provided) = &process.code.provided {
        let mut reads = Bits::default();
        analysis.reads(process, provided, &mut reads);
        analysis.depends_on(&mut effect, &reads);
    }
    for slot in &transition.resets {
        analysis.write_local(process, *slot, &mut effect);
    }
    if analysis.objects.has_looked_at() {
        for location in sources(process.code, id).chain([transition.target]) {
            let object = analysis.objects.location(process.proctype, location);
            object.into_iter().for_each(|object| effect.mask.writes.insert(object));
        }
    }
    effect
}

fn sources(code: &Proctype, id: TransitionId) -> impl Iterator<Item = LocationId> + '_ {
    let leaves =
        move |location: &LocationId| code.location(*location).groups.iter().any(|group| group.contains(&id));
    (0..code.locations.len() as u32).map(LocationId).filter(leaves)
}

/// All that the statements of a `d_step` do. What decides about a statement inside is read: if it is blocked there,
/// that is an error. At the entry it only has to stay the first that is enabled.
fn d_step_effect(analysis: &Analysis, process: &Process, entry: LocationId, exit: LocationId) -> Effect {
    let code = process.code;
    let inside = d_step_locations(code, entry, exit);
    let at =
        |location: LocationId| code.location(location).groups.iter().flatten().map(|id| code.transition(*id));
    let comes_back = inside.iter().flat_map(|inner| at(*inner)).any(|transition| transition.target == entry);
    let mut effect = Effect::default();
    for location in inside {
        let is_entry = location == entry;
        for transition in at(location) {
            let inner = analysis.effect(process, &transition.action);
            if is_entry {
                let before = effect.wake.clone();
                effect.mask.reads.add(&before);
                effect.wake.add(&inner.wake);
                effect.decides.add(&inner.decides);
                effect.offers.add(&inner.offers);
                effect.partners.add(&inner.partners);
                effect.traffic.takes_message |= inner.traffic.takes_message;
            }
            if !is_entry || comes_back {
                effect.mask.reads.add(&inner.decides);
            }
            effect.mask.add(&inner.mask);
            effect.traffic.sends.add(&inner.traffic.sends);
            effect.traffic.receives.add(&inner.traffic.receives);
            effect.traffic.is_buffered |= inner.traffic.is_buffered;
        }
    }
    let mut first = at(entry);
    if let (Some(only), None) = (first.next(), first.next()) {
        effect.traffic.always_receives = matches!(only.action, Action::Receive { keep: false, .. });
    }
    effect
}

/// The locations inside a `d_step`, the entry first, without the exit.
pub(crate) fn d_step_locations(code: &Proctype, entry: LocationId, exit: LocationId) -> Vec<LocationId> {
    let mut found = vec![entry];
    let mut next = 0;
    while next < found.len() {
        for id in code.location(found[next]).groups.iter().flatten() {
            let target = code.transition(*id).target;
            if target != exit && !found.contains(&target) {
                found.push(target);
            }
        }
        next += 1;
    }
    found
}
