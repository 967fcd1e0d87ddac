//! What the choice looks up: everything about a location of an instance, as words of bits.
//!
//! A *claim* is what a process at a location must be sure of before its steps may stand for all: nobody outside the
//! chosen set will ever do what conflicts with its enabled steps, enable a disabled one, or take part in a rendezvous
//! that it offers. It depends on which of its edges are enabled; for few edges there is one claim per combination.
//!
//! Objects that only one process uses, or that nobody writes, cannot cause a conflict and get no bit. If there are
//! still too many, several share a bit, which can only add conflicts.

use allways_system::{LocationId, Pid};

use crate::bits::{Bits, Words, or, pack};
use crate::chains::Chain;
use crate::classes::AnyClasses;
use crate::effects::{Fact, Mask};
use crate::graph::{Edge, Graph};
use crate::places::{NOT_TABLED, Place, Places};
use crate::{Instance, Weakened};

/// Locations with more edges have their claims put together when they are needed.
const MAX_TABLED: usize = 8;
/// The same where tables grow during the search.
const MAX_TABLED_LATER: usize = 4;
/// More edges than this cannot be told apart; then nothing is claimed.
const MAX_EDGES: usize = 64;
/// As many objects as the largest tables have bits for.
pub(crate) const MAX_OBJECTS: u32 = 512;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Claim<const W: usize> {
    /// Must not be written by others: reads, writes, updates, and what would enable what is disabled.
    pub against_writes: Words<W>,
    /// Must not be updated by others.
    pub against_updates: Words<W>,
    /// Must not be read by others.
    pub against_reads: Words<W>,
    /// Contains a sticky or visible edge: never in a proper subset.
    pub is_held: bool,
    /// Conflicts with nothing that any other process ever does, and is not held.
    pub is_always: bool,
    /// Held, or in conflict with what some other process that is always there can always still do.
    pub is_never_alone: bool,
}

/// What a process and its descendants can still do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Future<const W: usize> {
    pub reads: Words<W>,
    pub writes: Words<W>,
    pub updates: Words<W>,
}

/// An edge, for putting claims together.
pub(crate) struct Row<const W: usize> {
    reads: Words<W>,
    writes: Words<W>,
    updates: Words<W>,
    /// What must not be written while it is disabled.
    wake: Words<W>,
    /// The same where a fact is known, which other edges may show.
    wake_knowing: Words<W>,
    if_known: Option<Fact>,
    shows: Option<Fact>,
    /// What must not be offered by others while it is there.
    partners: Words<W>,
    is_held: bool,
    takes_message: bool,
    is_else: bool,
    never: bool,
    group: u32,
}

pub(crate) struct Tables<const W: usize> {
    pub places: Places,
    /// Per location: what can still be done from there on.
    pub futures: Vec<Future<W>>,
    rows: Vec<Row<W>>,
    pub claims: Vec<Claim<W>>,
    /// Per instance: all that processes with other numbers ever do.
    others: Vec<Future<W>>,
    /// What processes that are always there can do from any of their locations on, with their numbers; one per
    /// instance.
    permanent: Vec<(Pid, Future<W>)>,
    pids: Vec<Pid>,
    /// Control can be handed to a process in the middle of a chain: what it would then do counts.
    hands_over: bool,
    pub weakened: Option<Weakened>,
    /// Some location creates a process.
    pub creates: bool,
    max_tabled: usize,
    /// For quick choices, if there are not too many.
    pub classes: Option<AnyClasses>,
}

/// One instance, for the tables.
pub(crate) struct Part<'a> {
    pub pid: Pid,
    pub graph: &'a Graph,
    pub chains: &'a [Chain],
    pub futures: &'a [Mask],
    /// Per location: a process will still be created from there on; none if nobody asks.
    pub creates: &'a [bool],
    pub names: &'a [Option<u32>],
}

/// What the tables are made of.
pub(crate) struct Parts<'a> {
    pub instances: &'a [Instance<'a>],
    pub graphs: &'a [Graph],
    pub chains: &'a [Vec<Chain>],
    pub futures: &'a [Vec<Mask>],
    /// Per instance and location: a process will still be created from there on.
    pub creates: &'a [Vec<bool>],
    /// How many processes are there at the start.
    pub n_initial: usize,
    pub hands_over: bool,
    pub weakened: Option<Weakened>,
}

impl Parts<'_> {
    /// All that an instance ever does.
    fn all_of(&self, instance: usize) -> &Mask {
        &self.futures[instance][self.graphs[instance].initial.index()]
    }

    /// The same, with all that decides whether it can.
    fn all_that_matters_to(&self, instance: usize) -> Mask {
        let mut all = self.all_of(instance).clone();
        for edge in &self.graphs[instance].edges {
            all.reads.add(&edge.effect.wake);
            all.reads.add(&edge.effect.decides);
            all.reads.add(&edge.effect.partners);
        }
        all
    }

    /// New numbers for the objects over which processes can be in conflict, and how many there are.
    pub fn relevant(&self, n_objects: u32) -> (Vec<Option<u32>>, u32) {
        let uses: Vec<(u32, Mask)> = (0..self.graphs.len())
            .map(|instance| (self.instances[instance].pid, self.all_that_matters_to(instance)))
            .collect();
        let is_relevant = |object: u32| {
            uses.iter().any(|(pid, mask)| {
                let (writes, updates) = (mask.writes.contains(object), mask.updates.contains(object));
                (writes || updates)
                    && uses.iter().any(|(other, mask)| {
                        other != pid
                            && (mask.reads.contains(object)
                                || mask.writes.contains(object)
                                || writes && mask.updates.contains(object))
                    })
            })
        };
        let mut count = 0;
        let names = (0..n_objects).map(|object| {
            is_relevant(object).then(|| {
                count += 1;
                (count - 1) % MAX_OBJECTS
            })
        });
        (names.collect(), count)
    }

    /// What is in the future at every location of an instance that is there from the beginning to the end.
    fn permanent<const W: usize>(&self, names: &[Option<u32>]) -> Vec<(Pid, Future<W>)> {
        let mut found = Vec::new();
        for (index, instance) in self.instances.iter().enumerate() {
            let graph = &self.graphs[index];
            let dies = graph.edges.iter().any(|edge| edge.effect.is_death && !edge.effect.never);
            let is_initial = (instance.pid as usize) < self.n_initial;
            if dies || !is_initial {
                continue;
            }
            let mut core = Future::ALL;
            for location in graph.reachable() {
                let here = Future::<W>::new(&self.futures[index][location.index()], names);
                for i in 0..W {
                    core.reads[i] &= here.reads[i];
                    core.writes[i] &= here.writes[i];
                    core.updates[i] &= here.updates[i];
                }
            }
            found.push((instance.pid, core));
        }
        found
    }

    /// All that processes with other numbers than this instance's ever do.
    pub fn others(&self, instance: usize) -> Mask {
        let mut others = Mask::default();
        for other in 0..self.graphs.len() {
            if self.instances[other].pid != self.instances[instance].pid {
                others.add(self.all_of(other));
            }
        }
        others
    }
}

impl<const W: usize> Future<W> {
    pub const NONE: Future<W> = Future { reads: [0; W], writes: [0; W], updates: [0; W] };
    /// Everything.
    pub const ALL: Future<W> = Future { reads: [u64::MAX; W], writes: [u64::MAX; W], updates: [u64::MAX; W] };

    fn new(mask: &Mask, names: &[Option<u32>]) -> Future<W> {
        Future {
            reads: pack(&mask.reads, names),
            writes: pack(&mask.writes, names),
            updates: pack(&mask.updates, names),
        }
    }
}

impl<const W: usize> Claim<W> {
    /// Whether somebody with that future could spoil it.
    pub fn conflicts(&self, future: &Future<W>) -> bool {
        let mut conflict = 0;
        for i in 0..W {
            conflict |= self.against_writes[i] & future.writes[i]
                | self.against_updates[i] & future.updates[i]
                | self.against_reads[i] & future.reads[i];
        }
        conflict != 0
    }
}

impl<const W: usize> Tables<W> {
    pub fn new(parts: &Parts, names: &[Option<u32>]) -> Tables<W> {
        let mut tables = Tables {
            permanent: parts.permanent(names),
            creates: parts.creates.iter().flatten().any(|creates| *creates),
            max_tabled: MAX_TABLED,
            ..Tables::growing(parts.hands_over, parts.weakened)
        };
        for (index, graph) in parts.graphs.iter().enumerate() {
            let part = Part {
                pid: parts.instances[index].pid,
                graph,
                chains: &parts.chains[index],
                futures: &parts.futures[index],
                creates: &parts.creates[index],
                names,
            };
            tables.add(&part, Future::new(&parts.others(index), names));
        }
        tables.classes = AnyClasses::new(&mut tables);
        tables
    }

    /// Tables to which instances are added as they are met, so that nothing is said of who else there is.
    pub fn growing(hands_over: bool, weakened: Option<Weakened>) -> Tables<W> {
        Tables {
            places: Places::default(),
            futures: Vec::new(),
            rows: Vec::new(),
            claims: Vec::new(),
            others: Vec::new(),
            permanent: Vec::new(),
            pids: Vec::new(),
            hands_over,
            weakened,
            creates: false,
            max_tabled: MAX_TABLED_LATER,
            classes: None,
        }
    }

    /// Adds an instance; others do no more than `others`, ever.
    pub fn add(&mut self, part: &Part, others: Future<W>) {
        self.pids.push(part.pid);
        self.others.push(others);
        self.places.first_location.push(self.futures.len() as u32);
        for location in 0..part.graph.first.len() as u32 - 1 {
            self.add_location(part, LocationId(location));
        }
    }

    fn add_location(&mut self, part: &Part, location: LocationId) {
        let (graph, instance) = (part.graph, self.pids.len() - 1);
        let first_edge = self.rows.len() as u32;
        for index in graph.range(location) {
            let edge = &graph.edges[index];
            self.places.transitions.push(edge.transition);
            self.rows.push(Row::new(edge, &part.chains[index], part.names));
        }
        let n_edges = graph.range(location).len();
        let is_tabled = n_edges <= self.max_tabled;
        self.futures.push(Future::new(&part.futures[location.index()], part.names));
        self.places.places.push(Place {
            instance: instance as u32,
            first_edge,
            n_edges: n_edges as u32,
            first_claim: if is_tabled { self.claims.len() as u32 } else { NOT_TABLED },
            class: 0,
            creates: part.creates.get(location.index()).copied().unwrap_or(false),
        });
        if is_tabled {
            for enabled in 0..1u64 << n_edges {
                let claim = self.put_together(instance, first_edge as usize, n_edges, enabled);
                self.claims.push(claim);
            }
        }
    }

    /// What a process must be sure of where these of its edges are enabled.
    pub fn claim(&self, location: u32, enabled: u64) -> Claim<W> {
        let place = self.places.get(location);
        if place.first_claim != NOT_TABLED {
            return self.claims[place.first_claim as usize + enabled as usize];
        }
        self.put_together(place.instance as usize, place.first_edge as usize, place.n_edges as usize, enabled)
    }

    fn put_together(&self, instance: usize, first: usize, n_edges: usize, enabled: u64) -> Claim<W> {
        if n_edges > MAX_EDGES {
            let all = [u64::MAX; W];
            return Claim {
                against_writes: all,
                against_updates: all,
                against_reads: all,
                is_held: true,
                is_always: false,
                is_never_alone: true,
            };
        }
        let rows = &self.rows[first..first + n_edges];
        let is_enabled = |edge: usize| enabled >> edge & 1 != 0;
        let mut sum = Sum::<W>::default();
        // The first group in which the process itself can take a step, and whether it can before the current edge.
        let group = (0..n_edges).find(|edge| is_enabled(*edge) && !rows[*edge].takes_message);
        let group = group.map(|edge| rows[edge].group);
        for (edge, row) in rows.iter().enumerate().filter(|(_, row)| !row.never) {
            let can_be_handed = self.hands_over && row.takes_message;
            if is_enabled(edge) || can_be_handed {
                sum.add_taken(row);
            }
            if !is_enabled(edge) {
                let is_hidden =
                    group.is_some_and(|group| row.group > group || row.is_else && row.group == group);
                // A receive that is enabled shows that there is a message, which does not suit the disabled one.
                let is_shown = |other: usize| {
                    is_enabled(other) && row.if_known.is_some() && rows[other].shows == row.if_known
                };
                if !is_hidden && (0..n_edges).any(is_shown) {
                    sum.reads = or(&sum.reads, &row.wake_knowing);
                } else if !is_hidden || row.takes_message {
                    sum.add_disabled(row, self.weakened);
                }
            }
            if self.weakened != Some(Weakened::CurrentPartners) {
                sum.reads = or(&sum.reads, &row.partners);
            }
        }
        let mut claim = sum.claim();
        claim.is_always = !claim.is_held && !claim.conflicts(&self.others[instance]);
        let spoils =
            |(pid, future): &(Pid, Future<W>)| *pid != self.pids[instance] && claim.conflicts(future);
        claim.is_never_alone = claim.is_held || self.permanent.iter().any(spoils);
        claim
    }

    /// Whether any claim of an enabled edge could ever be made good.
    pub fn is_of_use(&self) -> bool {
        self.rows.iter().any(|row| !row.is_held && !row.never)
    }
}

impl<const W: usize> Row<W> {
    fn new(edge: &Edge, chain: &Chain, names: &[Option<u32>]) -> Row<W> {
        let pack = |bits: &Bits| pack(bits, names);
        Row {
            reads: pack(&chain.mask.reads),
            writes: pack(&chain.mask.writes),
            updates: pack(&chain.mask.updates),
            wake: pack(&edge.effect.wake),
            wake_knowing: pack(&edge.effect.wake_knowing),
            if_known: edge.effect.if_known,
            shows: edge.effect.shows,
            partners: pack(&edge.effect.partners),
            is_held: chain.is_held,
            takes_message: edge.effect.traffic.takes_message,
            is_else: edge.is_else,
            never: edge.effect.never,
            group: edge.group,
        }
    }
}

struct Sum<const W: usize> {
    reads: Words<W>,
    writes: Words<W>,
    updates: Words<W>,
    is_held: bool,
}

impl<const W: usize> Default for Sum<W> {
    fn default() -> Sum<W> {
        Sum { reads: [0; W], writes: [0; W], updates: [0; W], is_held: false }
    }
}

impl<const W: usize> Sum<W> {
    fn add_taken(&mut self, row: &Row<W>) {
        self.reads = or(&self.reads, &row.reads);
        self.writes = or(&self.writes, &row.writes);
        self.updates = or(&self.updates, &row.updates);
        self.is_held |= row.is_held;
    }

    fn add_disabled(&mut self, row: &Row<W>, weakened: Option<Weakened>) {
        match weakened {
            Some(Weakened::IgnoreDisabled) => {}
            Some(Weakened::CurrentPartners) => {
                let without: Words<W> = std::array::from_fn(|i| row.wake[i] & !row.partners[i]);
                self.reads = or(&self.reads, &without);
            }
            _ => self.reads = or(&self.reads, &row.wake),
        }
    }

    fn claim(&self) -> Claim<W> {
        let reads_and_writes = or(&self.reads, &self.writes);
        Claim {
            against_writes: or(&reads_and_writes, &self.updates),
            against_updates: reads_and_writes,
            against_reads: or(&self.writes, &self.updates),
            is_held: self.is_held,
            is_always: false,
            is_never_alone: self.is_held,
        }
    }
}
