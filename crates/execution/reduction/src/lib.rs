//! Partial-order reduction: which of the enabled steps suffice.
//!
//! Steps of different processes that touch different things can be taken in any order with the same result, so it
//! suffices to explore one order. [`Reduction::choose`] picks, in a state, steps that stand for all: the others stay
//! enabled and are explored later. What is preserved, compared with exploring everything:
//!
//! * the set of deadlock states (if the numbers of processes and channels mean nothing to anybody: whatever these are, and without those that have ended),
//! * which assertions are violated, which steps fault, which exclusive claims are broken, which choices a process has
//!   that must have none, and which transitions are executed at all (not how often; and not deaths, if numbers mean nothing),
//! * with [`Options::observed`]: the valuations of what is observed, and every formula over it without `X`.
//!
//! The choice is a function of the state alone, not of the search that asks: it is right for every order of search and
//! any number of workers. It is also right to take all steps in any state, at any moment, instead of those chosen.
//!
//! A fault ends the path on which it happens. It is a finding, so nothing is lost unless the search wants to find more:
//! then it has to expand the state fully in which the step that faulted began.
//!
//! How it works, in reading order: `objects.rs` numbers what processes share; `effects.rs` says what a statement does
//! to it (`reads.rs`: what an expression looks at); `graph.rs` adds what its place in the program means; `chains.rs` follows atomic sequences; `futures.rs` looks
//! at what processes will still do; `sticky.rs` (with `shrink.rs`) sees to it that nothing is postponed for ever; `tables.rs` puts all of
//! it into words, `places.rs` finds who can move, and `choose.rs` decides; `classes.rs` comes to the same decisions faster. All of that is for a list of processes ([`Reduction`]). `nameless.rs` says when numbers of processes mean nothing, `joins.rs` how one may wait for all others even so;
//! `hands.rs` and `families.rs` do without a list then ([`Families`]).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bits;
mod chains;
mod choose;
mod classes;
mod components;
mod counters;
mod effects;
mod facts;
mod families;
mod futures;
mod graph;
mod hands;
mod joins;
mod nameless;
mod objects;
mod places;
mod points_to;
mod reads;
mod shrink;
mod sticky;
mod tables;

use allways_system::{
    Action, Expr, LocationId, Pid, Place, Proctype, ProctypeId, Scope, Start, Step, System,
};

use bits::Bits;
use chains::{Chain, chains};
use effects::{Analysis, Mask, Process};
use futures::futures;
use graph::Graph;
use joins::Joins;
use objects::Objects;
use points_to::PointsTo;
use sticky::Sticky;
use tables::{Future, Part, Parts, Tables};

pub use choose::{Choice, Here, Scratch};
pub use families::{Families, FamilyTables, Member};
pub use nameless::is_nameless;

/// A process that can exist.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// Its kind.
    pub proctype: ProctypeId,
    /// Its number.
    pub pid: Pid,
    /// Its code: the proctype, or a copy of it with the same ids in which what never changes is constant.
    pub code: &'a Proctype,
    /// How many channels there were before it made its own; none if that differs between the processes that this
    /// stands for.
    pub first_channel: Option<u32>,
}

/// What the choice may rely on, and how far it goes.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// A send to a full buffer succeeds and the message is lost.
    pub lossy: bool,
    /// A value that does not fit its variable is a fault.
    pub check_overflow: bool,
    /// Broken `xr` and `xs` claims are to be found.
    pub exclusive: bool,
    /// Messages left in channels make an end state invalid.
    pub strict_end: bool,
    /// What a property looks at: steps that can change one of these are never postponed among each other.
    pub observed: Vec<&'a Expr>,
    /// How much work a choice may be.
    pub level: Level,
    /// Leaves out a rule, to show that tests notice.
    #[doc(hidden)]
    pub weakened: Option<Weakened>,
}

/// How much work a choice may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// The steps of one process: linear in the number of processes.
    Single,
    /// The steps of a set of processes: quadratic.
    #[default]
    Closure,
}

/// Rules that can be left out.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Weakened {
    /// No edge is sticky.
    NoSticky,
    /// Only the first statement of an atomic sequence counts.
    FirstStatement,
    /// Disabled edges may become enabled.
    IgnoreDisabled,
    /// Creation and death of processes are nobody else's business.
    LocalRunAndDeath,
    /// Only those who can answer a rendezvous now count.
    CurrentPartners,
    /// Who waits until all others are gone is woken by nobody.
    IgnoreDeaths,
}

/// How the choices went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// At most one process could move, or only a timeout was possible.
    pub n_trivial: u64,
    /// Reduced to a process that never disturbs anybody there.
    pub n_always: u64,
    /// Reduced to one process.
    pub n_single: u64,
    /// Reduced to several.
    pub n_closed: u64,
    /// Not reduced.
    pub n_full: u64,
}

/// Knows which steps suffice.
pub struct Reduction {
    tables: AnyTables,
    level: Level,
    n_objects: u32,
    n_sticky: u32,
    nameless: bool,
}

/// Tables with as many words as needed.
enum AnyTables {
    One(Tables<1>),
    Two(Tables<2>),
    Four(Tables<4>),
    Eight(Tables<8>),
}

impl Reduction {
    /// Prepares for states whose processes are all among `instances`. When a process appears that is not, the search
    /// has to begin anew with a longer list, even if it appears in a state without steps: the choices that led there
    /// relied on the list. None if nothing could ever be reduced (with these instances).
    pub fn new(system: &System, instances: &[Instance], options: &Options) -> Option<Reduction> {
        let is_alone =
            instances.iter().all(|instance| Some(instance.pid) == instances.first().map(|first| first.pid));
        if is_alone || !can_be_reduced(system, instances, options) {
            return None;
        }
        let objects = Objects::new(system, instances, &options.observed);
        let points_to = PointsTo::new(system, &objects);
        let joins = Joins::new(system);
        // With channels of processes' own, `Families` would be needed.
        let nameless = is_nameless(system, options) && !nameless::makes_channels(system);
        let analysis = Analysis {
            system,
            instances,
            objects: &objects,
            points_to: &points_to,
            options,
            nameless,
            joins: &joins,
        };
        let graphs = graphs(&analysis);
        let futures = futures(instances, &graphs);
        let will_create = |mask: &Mask| mask.writes.contains(objects.created);
        let creates: Vec<Vec<bool>> =
            futures.iter().map(|futures| futures.iter().map(will_create).collect()).collect();
        let hands_over = graphs.iter().any(chains::hands_over);
        let (chains, n_sticky) = held_chains(&analysis, &graphs, &futures);
        let (weakened, n_initial) = (options.weakened, system.processes.len());
        let parts = Parts {
            instances,
            graphs: &graphs,
            chains: &chains,
            futures: &futures,
            creates: &creates,
            n_initial,
            hands_over,
            weakened,
        };
        let (names, n_objects) = parts.relevant(objects.count);
        let tables = AnyTables::new(&parts, &names, n_objects)?;
        Some(Reduction { tables, level: options.level, n_objects, n_sticky, nameless })
    }

    /// A process that is the instance with this number in the list, and is there.
    pub fn here(&self, instance: u32, location: LocationId) -> Here {
        self.tables.here(instance, location)
    }

    /// Which steps suffice in a state where no process is inside an atomic sequence. `processes` in order of their
    /// numbers; `steps` are all that are possible, and `timeout` says that they only are because nothing else was.
    pub fn choose(&self, scratch: &mut Scratch, processes: &[Here], steps: &[Step], timeout: bool) -> Choice {
        self.tables.choose(self.level, scratch, processes, steps, timeout)
    }

    /// How much work a choice may be, from now on. Any mixture is right.
    pub fn set_level(&mut self, level: Level) {
        self.level = level;
    }

    /// Over how many objects processes can be in conflict.
    pub fn n_objects(&self) -> u32 {
        self.n_objects
    }

    /// Whether the numbers of processes mean nothing, see [`is_nameless`]: then it was not kept whose deaths happen before the end.
    pub fn is_nameless(&self) -> bool {
        self.nameless
    }

    /// How many edges are sticky.
    pub fn n_sticky(&self) -> u32 {
        self.n_sticky
    }
}

impl AnyTables {
    fn new(parts: &Parts, names: &[Option<u32>], n_objects: u32) -> Option<AnyTables> {
        let (tables, is_of_use) = match n_objects {
            0..=64 => {
                let tables = Tables::new(parts, names);
                let is_of_use = tables.is_of_use();
                (AnyTables::One(tables), is_of_use)
            }
            65..=128 => {
                let tables = Tables::new(parts, names);
                let is_of_use = tables.is_of_use();
                (AnyTables::Two(tables), is_of_use)
            }
            129..=256 => {
                let tables = Tables::new(parts, names);
                let is_of_use = tables.is_of_use();
                (AnyTables::Four(tables), is_of_use)
            }
            _ => {
                let tables = Tables::new(parts, names);
                let is_of_use = tables.is_of_use();
                (AnyTables::Eight(tables), is_of_use)
            }
        };
        is_of_use.then_some(tables)
    }

    fn choose(
        &self,
        level: Level,
        scratch: &mut Scratch,
        processes: &[Here],
        steps: &[Step],
        timeout: bool,
    ) -> Choice {
        if timeout || steps.len() < 2 {
            scratch.counters.n_trivial += 1;
            return Choice::All;
        }
        match self {
            AnyTables::One(tables) => tables.choose(level, scratch, processes, steps),
            AnyTables::Two(tables) => tables.choose(level, scratch, processes, steps),
            AnyTables::Four(tables) => tables.choose(level, scratch, processes, steps),
            AnyTables::Eight(tables) => tables.choose(level, scratch, processes, steps),
        }
    }

    fn here(&self, instance: u32, location: LocationId) -> Here {
        match self {
            AnyTables::One(tables) => tables.places.here(instance, location),
            AnyTables::Two(tables) => tables.places.here(instance, location),
            AnyTables::Four(tables) => tables.places.here(instance, location),
            AnyTables::Eight(tables) => tables.places.here(instance, location),
        }
    }

    /// Adds an instance of which it is not known who else there is.
    fn add(&mut self, part: &Part) {
        match self {
            AnyTables::One(tables) => tables.add(part, Future::ALL),
            AnyTables::Two(tables) => tables.add(part, Future::ALL),
            AnyTables::Four(tables) => tables.add(part, Future::ALL),
            AnyTables::Eight(tables) => tables.add(part, Future::ALL),
        }
    }
}

fn graphs(analysis: &Analysis) -> Vec<Graph> {
    let instances = analysis.instances;
    let mut graphs: Vec<Graph> = instances
        .iter()
        .map(|instance| Graph::new(analysis, &Process::new(analysis.system, instance)))
        .collect();
    // A new process may offer something from its beginning.
    let offers: Vec<Bits> = graphs.iter().map(|graph| graph.offers(graph.initial)).collect();
    for (graph, creator) in graphs.iter_mut().zip(instances) {
        for edge in &mut graph.edges {
            let Some(proctype) = edge.effect.run else { continue };
            for (instance, offers) in instances.iter().zip(&offers) {
                if instance.proctype == proctype && instance.pid > creator.pid {
                    edge.effect.mask.updates.add(offers);
                }
            }
        }
    }
    graphs
}

/// The chains of all edges, with those marked that contain an edge that must not be in a proper subset.
fn held_chains(analysis: &Analysis, graphs: &[Graph], futures: &[Vec<Mask>]) -> (Vec<Vec<Chain>>, u32) {
    let Analysis { system, instances, objects, options, .. } = analysis;
    let only_first = options.weakened == Some(Weakened::FirstStatement);
    let held = held_anyway(analysis, graphs);
    let mut chains: Vec<Vec<Chain>> =
        graphs.iter().zip(&held).map(|(graph, held)| chains(graph, held, only_first)).collect();
    if options.weakened == Some(Weakened::NoSticky) {
        return (chains, 0);
    }
    let parts = Parts {
        instances,
        graphs,
        chains: &chains,
        futures,
        creates: &[],
        n_initial: 0,
        hands_over: false,
        weakened: None,
    };
    let is_free: Vec<Vec<bool>> = (0..graphs.len())
        .map(|instance| {
            let others = parts.others(instance);
            let is_free = |chain: &Chain| chain.is_held || chain.mask.conflicts(&others);
            chains[instance].iter().map(is_free).collect()
        })
        .collect();
    let sticky = Sticky::new(
        system,
        instances,
        graphs,
        options.lossy,
        options.check_overflow,
        objects.n_global_channels,
        false,
    )
    .choose(&is_free);
    let n_sticky = sticky.iter().flatten().filter(|sticky| **sticky).count() as u32;
    for (index, (mut held, sticky)) in held.into_iter().zip(sticky).enumerate() {
        held.iter_mut().zip(sticky).for_each(|(held, sticky)| *held |= sticky);
        chains::hold(&mut chains[index], &graphs[index], &held, only_first);
    }
    (chains, n_sticky)
}

/// Per instance and edge: whether it must not be in a proper subset, be it sticky or not.
fn held_anyway(analysis: &Analysis, graphs: &[Graph]) -> Vec<Vec<bool>> {
    let mut observed = Bits::default();
    if let Some(first) = analysis.instances.first() {
        observed = analysis.observed(&Process::new(analysis.system, first));
    }
    graphs.iter().map(|graph| chains::held_anyway(graph, &observed)).collect()
}

/// Some questions are about everything that happens; then every step depends on every other.
fn can_be_reduced(system: &System, instances: &[Instance], options: &Options) -> bool {
    if system.priorities || system.tracks_last {
        return false;
    }
    let mut asks = false;
    let mut look = |expr: &Expr| {
        asks |= matches!(
            expr,
            Expr::Enabled(_)
                | Expr::PcValue(_)
                | Expr::Priority(_)
                | Expr::Last
                | Expr::NonProgress
                | Expr::Accepting
        );
    };
    options.observed.iter().for_each(|expr| expr.walk(&mut look));
    let mut asks_for_timeout = false;
    let mut look_for_timeout = |expr: &Expr| asks_for_timeout |= matches!(expr, Expr::Timeout);
    options.observed.iter().for_each(|expr| expr.walk(&mut look_for_timeout));
    for code in instances.iter().map(|instance| instance.code).chain(&system.proctypes) {
        code.provided.iter().for_each(|provided| provided.walk(&mut look));
        for start in &code.start {
            if let Start::Assign(place, value) = start {
                place.walk(&mut look);
                value.walk(&mut look);
            }
        }
        code.transitions.iter().for_each(|transition| transition.action.walk(&mut look));
    }
    let sets_priority = system
        .proctypes
        .iter()
        .flat_map(|proctype| &proctype.transitions)
        .any(|transition| matches!(transition.action, Action::SetPriority { .. }));
    let claims_change = options.exclusive && instances.iter().any(claims_a_local);
    !asks && !asks_for_timeout && !sets_priority && !claims_change
}

/// Whether a process claims the channel that a variable of its own holds at the moment.
fn claims_a_local(instance: &Instance) -> bool {
    let mut found = false;
    for claim in &instance.code.exclusive {
        claim.channel.walk(&mut |expr| {
            found |= matches!(expr, Expr::Load(Place { scope: Scope::Local, .. }));
        });
    }
    found
}
