//! Reduction where processes make channels and hand them down (see `nameless.rs` and `hands.rs`).
//!
//! There can be any number of different processes then: with each creation the handles are others. So there is no list of instances. Instead, each
//! proctype has a *generic* process whose channels are symbols. Its futures contain those of the processes it will create, in terms of what it knows itself:
//! with the arguments instead of the parameters, and without channels that the new process makes for itself, which nobody outside its family will ever
//! know. As proctypes may create each other, that is a least fixpoint. A real process takes what its descendants do from the generic ones in the same way. So
//! its tables say all about its future, whoever else there is, and can be made when it is met: the choices before were right without them.
//!
//! Sticky edges are found on the generic processes. In a proctype they are the same for all its processes.
//!
//! A channel gets its bits by its handle. Within a state, all who know a handle know the same channel; and as channels last while they are known, a handle in
//! the hands of a process means the same channel in everybody's future. Where there are more handles than bits, several share one, which adds
//! conflicts. So the choice depends on the state alone here, too, not on the order in which processes were met.

use allways_system::{Action, LocationId, Proctype, ProctypeId, Step, System};

use crate::bits::Bits;
use crate::chains::{self, Chain, chains, held_anyway};
use crate::choose::{Choice, Here, Scratch};
use crate::effects::{Analysis, Mask, Process};
use crate::futures::futures_of;
use crate::graph::Graph;
use crate::hands::{Hands, Kinds, Numbering, kinds};
use crate::joins::Joins;
use crate::nameless::{hands_down, is_nameless};
use crate::objects::Objects;
use crate::points_to::PointsTo;
use crate::sticky::Sticky;
use crate::tables::{MAX_OBJECTS, Part, Tables};
use crate::{AnyTables, Instance, Options, Weakened, can_be_reduced};

/// What is known of a system whose processes hand down the channels that they make: all that tables for a process are made of.
pub struct Families<'a> {
    system: &'a System,
    options: Options<'a>,
    objects: Objects,
    points_to: PointsTo,
    joins: Joins,
    /// Per proctype and slot.
    kinds: Vec<Vec<Kinds>>,
    /// Per proctype: all that its generic process and its descendants do.
    futures: Vec<Mask>,
    /// Per proctype: the rendezvous offers of its generic process at its beginning.
    offers: Vec<Bits>,
    /// Per proctype and edge: never in a proper subset.
    sticky: Vec<Vec<bool>>,
    /// What is observed.
    observed: Bits,
    hands_over: bool,
    numbering: Numbering,
    /// The bits of all objects.
    names: Vec<Option<u32>>,
    n_words: u32,
}

/// A process.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its kind.
    pub proctype: ProctypeId,
    /// Its code: the proctype, or a copy of it with the same ids in which what never changes is constant.
    pub code: &'a Proctype,
    /// Per slot of its frame: what it holds for life, if that is known.
    pub handles: &'a [Option<i32>],
}

/// The tables of those processes that were met; one for each worker.
pub struct FamilyTables {
    tables: AnyTables,
    n_members: u32,
}

impl<'a> Families<'a> {
    /// Prepares for a system. So many channels that processes make are told apart, or fewer if there are not enough bits. None if numbers of processes
    /// or channels mean something ([`is_nameless`]), if local variables of type `chan` are more than parameters and channels of one's own, or
    /// if nothing could ever be reduced.
    pub fn new(system: &'a System, options: &Options<'a>, n_channels: u32) -> Option<Families<'a>> {
        if !is_nameless(system, options) || !hands_down(system) || !can_be_reduced(system, &[], options) {
            return None;
        }
        let objects = Objects::new(system, &[], &options.observed);
        let points_to = PointsTo::new(system, &objects);
        let kinds = kinds(system, &objects, &points_to);
        let mut families = Families {
            numbering: Numbering { first: objects.count, n_channels: 1 },
            system,
            options: options.clone(),
            objects,
            points_to,
            joins: Joins::new(system),
            kinds,
            futures: vec![Mask::default(); system.proctypes.len()],
            offers: vec![Bits::default(); system.proctypes.len()],
            sticky: Vec::new(),
            observed: Bits::default(),
            hands_over: false,
            names: Vec::new(),
            n_words: 1,
        };
        families.look_at_generic_processes(n_channels).then_some(families)
    }

    fn analysis(&self) -> Analysis<'_> {
        Analysis {
            system: self.system,
            instances: &[],
            objects: &self.objects,
            points_to: &self.points_to,
            options: &self.options,
            nameless: true,
            joins: &self.joins,
        }
    }

    /// Whether anything could ever be reduced.
    fn look_at_generic_processes(&mut self, n_channels: u32) -> bool {
        let system = self.system;
        let hands: Vec<Hands> =
            self.kinds.iter().map(|kinds| Hands::generic(self.objects.count, kinds)).collect();
        let generic: Vec<Process> = system
            .proctypes
            .iter()
            .zip(&hands)
            .enumerate()
            .map(|(index, (code, hands))| Process::with_hands(ProctypeId(index as u32), code, hands))
            .collect();
        self.observed = generic.first().map(|process| self.analysis().observed(process)).unwrap_or_default();
        let mut graphs: Vec<Graph> =
            generic.iter().map(|process| Graph::new(&self.analysis(), process)).collect();
        self.rule_out_the_impossible(&mut graphs);
        self.hands_over = graphs.iter().any(chains::hands_over);
        self.offers = graphs.iter().map(|graph| graph.offers(graph.initial)).collect();
        for (graph, process) in graphs.iter_mut().zip(&generic) {
            self.add_offers_of_children(process, graph);
        }
        while self.follow_generic_processes(&generic, &graphs) {}
        self.name_objects(n_channels);
        self.sticky = self.find_sticky(&graphs);
        let is_free = |(graph, sticky): (&Graph, &Vec<bool>)| {
            graph.edges.iter().zip(sticky).any(|(edge, sticky)| !edge.effect.never && !sticky)
        };
        graphs.iter().zip(&self.sticky).any(is_free)
    }

    /// Processes that nobody creates do nothing.
    fn rule_out_the_impossible(&self, graphs: &mut [Graph]) {
        let mut exists = vec![false; graphs.len()];
        let mut todo: Vec<ProctypeId> =
            self.system.processes.iter().map(|process| process.proctype).collect();
        while let Some(proctype) = todo.pop() {
            if !std::mem::replace(&mut exists[proctype.index()], true) {
                let edges = &graphs[proctype.index()].edges;
                todo.extend(edges.iter().filter_map(|edge| edge.effect.run));
            }
        }
        for (graph, exists) in graphs.iter_mut().zip(exists) {
            graph.edges.iter_mut().for_each(|edge| edge.effect.never |= !exists);
        }
    }

    /// A new process may offer something from its beginning.
    fn add_offers_of_children(&self, process: &Process, graph: &mut Graph) {
        let analysis = self.analysis();
        for edge in &mut graph.edges {
            let Action::Run { proctype, arguments, .. } = &process.code.transition(edge.transition).action
            else {
                continue;
            };
            let generic = Mask { updates: self.offers[proctype.index()].clone(), ..Mask::default() };
            edge.effect.mask.add(&analysis.as_its_creator_knows_it(process, arguments, &generic));
        }
    }

    /// What a process and its descendants do from each location on.
    fn futures_of(&self, process: &Process, graph: &Graph) -> Vec<Mask> {
        let analysis = self.analysis();
        futures_of(graph, &|edge, future| {
            if let Action::Run { proctype, arguments, .. } = &process.code.transition(edge.transition).action
            {
                let generic = &self.futures[proctype.index()];
                future.add(&analysis.as_its_creator_knows_it(process, arguments, generic));
            }
        })
    }

    /// One round; whether anything was news.
    fn follow_generic_processes(&mut self, generic: &[Process], graphs: &[Graph]) -> bool {
        let mut news = false;
        for (index, (process, graph)) in generic.iter().zip(graphs).enumerate() {
            let mut futures = self.futures_of(process, graph);
            let from_the_beginning = futures.swap_remove(graph.initial.index());
            news |= self.futures[index].add(&from_the_beginning);
        }
        news
    }

    /// Gives bits to the objects over which processes can be in conflict: those that somebody changes.
    fn name_objects(&mut self, n_channels: u32) {
        let mut all = Mask::default();
        self.futures.iter().for_each(|future| {
            all.add(future);
        });
        let is_relevant = |object: &u32| all.writes.contains(*object) || all.updates.contains(*object);
        let n_named = (0..self.objects.count).filter(is_relevant).count() as u32;
        let n_for_others = n_named.min(MAX_OBJECTS / 2);
        let n_bits = n_for_others + 2 * n_channels.max(1);
        self.n_words = n_bits.div_ceil(64).next_power_of_two().min(MAX_OBJECTS / 64);
        let n_channels = n_channels.clamp(1, (64 * self.n_words - n_for_others) / 2);
        self.numbering = Numbering { first: self.objects.count, n_channels };
        let mut count = 0;
        self.names = (0..self.numbering.count())
            .map(|object| match self.numbering.channel(object) {
                // A channel has a head and a tail, or offers to send and to receive.
                Some((channel, which)) => Some(n_for_others + 2 * channel + which % 2),
                None => is_relevant(&object).then(|| {
                    count += 1;
                    (count - 1) % n_for_others
                }),
            })
            .collect();
    }

    fn find_sticky(&self, graphs: &[Graph]) -> Vec<Vec<bool>> {
        if self.options.weakened == Some(Weakened::NoSticky) {
            return graphs.iter().map(|graph| vec![false; graph.edges.len()]).collect();
        }
        // What anybody does: best is an edge that is hardly ever chosen.
        let mut anything = Mask::default();
        self.futures.iter().for_each(|future| {
            anything.add(future);
        });
        let is_free = |graph: &Graph| -> Vec<bool> {
            let chains = self.chains(graph, &held_anyway(graph, &self.observed));
            chains.iter().map(|chain| chain.is_held || chain.mask.conflicts(&anything)).collect()
        };
        let is_free: Vec<Vec<bool>> = graphs.iter().map(is_free).collect();
        let instances: Vec<Instance> = self
            .system
            .proctypes
            .iter()
            .enumerate()
            .map(|(index, code)| Instance {
                proctype: ProctypeId(index as u32),
                pid: 0,
                code,
                first_channel: None,
            })
            .collect();
        let Options { lossy, check_overflow, .. } = self.options;
        let n_global_channels = self.objects.n_global_channels;
        Sticky::new(self.system, &instances, graphs, lossy, check_overflow, n_global_channels, true)
            .choose(&is_free)
    }

    fn chains(&self, graph: &Graph, held: &[bool]) -> Vec<Chain> {
        chains(graph, held, self.options.weakened == Some(Weakened::FirstStatement))
    }

    /// Tables for nobody yet.
    pub fn tables(&self) -> FamilyTables {
        let (hands_over, weakened) = (self.hands_over, self.options.weakened);
        let tables = match self.n_words {
            1 => AnyTables::One(Tables::growing(hands_over, weakened)),
            2 => AnyTables::Two(Tables::growing(hands_over, weakened)),
            4 => AnyTables::Four(Tables::growing(hands_over, weakened)),
            _ => AnyTables::Eight(Tables::growing(hands_over, weakened)),
        };
        FamilyTables { tables, n_members: 0 }
    }

    /// How many edges are sticky, of all proctypes.
    pub fn n_sticky(&self) -> u32 {
        self.sticky.iter().flatten().filter(|sticky| **sticky).count() as u32
    }
}

impl FamilyTables {
    /// Adds a process; returns what it is called, see [`FamilyTables::here`]. None if it is not known what a variable of type `chan` holds.
    pub fn add(&mut self, families: &Families, member: &Member) -> Option<u32> {
        let kinds = &families.kinds[member.proctype.index()];
        let hands = Hands::new(&families.objects, families.numbering, kinds, member.handles)?;
        let process = Process::with_hands(member.proctype, member.code, &hands);
        let mut graph = Graph::new(&families.analysis(), &process);
        families.add_offers_of_children(&process, &mut graph);
        let futures = families.futures_of(&process, &graph);
        let sticky = &families.sticky[member.proctype.index()];
        debug_assert_eq!(sticky.len(), graph.edges.len(), "the code has the ids of the proctype");
        let mut held = held_anyway(&graph, &families.observed);
        held.iter_mut().zip(sticky).for_each(|(held, sticky)| *held |= sticky);
        let chains = families.chains(&graph, &held);
        let part = Part {
            pid: 0,
            graph: &graph,
            chains: &chains,
            futures: &futures,
            creates: &[],
            names: &families.names,
        };
        self.tables.add(&part);
        self.n_members += 1;
        Some(self.n_members - 1)
    }

    /// How many processes were added.
    pub fn n_members(&self) -> u32 {
        self.n_members
    }

    /// A process that is called so, and is there.
    pub fn here(&self, instance: u32, location: LocationId) -> Here {
        self.tables.here(instance, location)
    }

    /// Like [`Reduction::choose`](crate::Reduction::choose), where all processes have been added.
    pub fn choose(
        &self,
        families: &Families,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
        timeout: bool,
    ) -> Choice {
        self.tables.choose(families.options.level, scratch, processes, steps, timeout)
    }
}
