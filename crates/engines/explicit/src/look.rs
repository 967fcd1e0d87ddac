//! A short look ahead: what a search is likely to meet.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use allways_compiled::{
    Arrival, Everything, Machine, Observed, Owner, StartError, StepsTo, TooLarge, Visitor, Worker, Wrong,
};
use allways_system::System;
use rustc_hash::FxHashSet;

use crate::collapse::half_of;
use crate::order::Changes;

/// What a short look ahead found.
pub struct Ahead {
    pub n_words: usize,
    /// The words of a state, those that change together beside each other.
    pub order: Vec<u32>,
    /// The values that variables had; none if there are so few states that nothing depends on it.
    pub observed: Option<Observed>,
    /// States further away had shapes that those nearby had not.
    pub shapes_grow: bool,
    /// If states are one word: each half of it takes few values.
    pub halves: bool,
    /// What it cost, see [`LOOK_COST`].
    pub cost: u64,
}

pub enum NoLook {
    NoStart,
    Shapes,
    Narrow(Option<Owner>, i32),
}

/// How many states it looks at, at least.
pub const LOOK: usize = 2000;
/// How many states it looks at if a small search is to be treated like a large one.
pub const EAGER_LOOK: usize = 20;
/// A tenth of that, if states have more words than this.
const LONG: usize = 500;
/// Fewer states if they cost more than this together: some ten milliseconds. What is counted is what takes the time.
pub const LOOK_COST: u64 = 1_000_000;
/// What a statement inside a `d_step` or an atomic sequence costs.
const STATEMENT: u64 = 15;
/// What a state costs that is found, besides its words.
const STATE: u64 = 10;
/// What each process costs when its steps are looked for, and each process and channel of a new shape.
const PROCESS: u64 = 4;

/// Looks at so many states and the values of their variables, or, if none are asked for, at some states only. Half of them are near the
/// initial state, the others along a path from there, always to the last successor. Then the path to the first successors is looked at for a
/// while, for that is where searches begin.
pub fn look_ahead(system: &System, machine: &Machine, most: usize) -> Result<Ahead, NoLook> {
    let mut worker = Worker::new(machine);
    match worker.start() {
        Ok(()) => {}
        Err(StartError::Shapes) => return Err(NoLook::Shapes),
        Err(StartError::Narrow(owner, value)) => return Err(NoLook::Narrow(owner, value)),
        Err(_) => return Err(NoLook::NoStart),
    }
    let most_cost = if most > 0 {
        worker.observe();
        LOOK_COST
    } else {
        worker.remember();
        LOOK_COST / 2
    };
    worker.limit_effort(most_cost / STATEMENT);
    let most_states = if most > 0 { most } else { LOOK };
    // Every state is looked at as a whole.
    let most_states = if worker.words().len() > LONG { most_states.div_ceil(10) } else { most_states };
    let start: Box<[u64]> = worker.words().into();
    let observed = (most > 0).then(|| {
        let mut observed = Observed::new(system);
        observed.note(&worker);
        observed
    });
    let mut look = Look {
        found: Found { n_words: start.len(), most: 10 * most_states, ..Found::default() },
        cost: 0,
        worker,
    };
    look.found.begin(&start);
    let mut is_all = look.walk(Way::Near, most_states / 2, most_cost / 2)?;
    let n_shapes = machine.n_shapes();
    if !is_all {
        is_all = look.walk(Way::Last, most_states.div_ceil(2), most_cost / 4 * 3)?;
    }
    let halves = look.found.n_words == 1 && look.found.has_few_halves(half_of(machine.most_bits()));
    if !is_all {
        look.found.begin(&start);
        look.walk(Way::First, most_states / 4, most_cost)?;
    }
    let cost = look.cost();
    let Look { mut worker, found, .. } = look;
    let observed = observed.filter(|_| !is_all).map(|mut observed| {
        observed.note_stored(&mut worker);
        observed
    });
    Ok(Ahead {
        n_words: found.n_words,
        order: found.changes.order(found.n_words),
        observed,
        shapes_grow: machine.n_shapes() > n_shapes,
        halves,
        cost,
    })
}

struct Look<'m, 's> {
    worker: Worker<'m, 's>,
    found: Found,
    /// What processes cost so far.
    cost: u64,
}

/// Which states are looked at next.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Those that were found first.
    Near,
    /// The first successor of the last state.
    First,
    /// The last successor of the last state.
    Last,
}

impl Look<'_, '_> {
    /// Looks at so many states, or fewer at such a cost all in all. Whether these were all.
    fn walk(&mut self, way: Way, n_states: usize, most: u64) -> Result<bool, NoLook> {
        for _ in 0..n_states {
            let Some(words) = self.found.next(way) else { return Ok(true) };
            self.worker.load(&words);
            self.worker.expand(&mut self.found, &mut Everything, u64::MAX);
            self.found.end_of_state(way);
            self.worker.note_shape();
            self.cost += PROCESS * self.worker.n_processes() as u64;
            match self.worker.too_large() {
                Some(TooLarge::Shapes) => return Err(NoLook::Shapes),
                Some(TooLarge::TooManyShapes) => return Err(NoLook::NoStart),
                Some(TooLarge::Narrow(owner, value)) => return Err(NoLook::Narrow(owner, value)),
                Some(TooLarge::Halted(_)) => return Ok(false),
                Some(TooLarge::System(_)) | None => {}
            }
            if self.cost() > most {
                return Ok(false);
            }
        }
        Ok(self.found.waiting.is_empty())
    }

    fn cost(&self) -> u64 {
        let shapes = PROCESS * self.worker.machine.weight() as u64;
        self.cost + self.found.cost + shapes + STATEMENT * self.worker.effort()
    }
}

#[derive(Default)]
struct Found {
    n_words: usize,
    most: usize,
    seen: FxHashSet<Box<[u64]>>,
    waiting: VecDeque<Box<[u64]>>,
    /// Where the successors of the state that is being looked at begin.
    fresh_from: usize,
    changes: Changes,
    /// What the states that were found cost so far.
    cost: u64,
}

impl Found {
    /// Nothing but the initial state was found.
    fn begin(&mut self, start: &[u64]) {
        self.seen.clear();
        self.seen.insert(start.into());
        self.waiting.clear();
        self.waiting.push_back(start.into());
    }

    fn next(&mut self, way: Way) -> Option<Box<[u64]>> {
        let next = match way {
            Way::Near => self.waiting.pop_front(),
            Way::First | Way::Last => self.waiting.pop_back(),
        };
        self.fresh_from = self.waiting.len();
        next
    }

    fn end_of_state(&mut self, way: Way) {
        if way == Way::First {
            self.waiting.make_contiguous()[self.fresh_from..].reverse();
        }
    }

    /// Whether the halves of a word take much fewer values than words.
    fn has_few_halves(&self, bits: u32) -> bool {
        let low: FxHashSet<u64> = self.seen.iter().map(|words| words[0] & ((1 << bits) - 1)).collect();
        let high: FxHashSet<u64> = self.seen.iter().map(|words| words[0] >> bits).collect();
        2 * (low.len() + high.len()) < self.seen.len()
    }
}

impl Visitor for Found {
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        self.n_words = self.n_words.max(arrival.n_words);
        self.changes.note(arrival);
        self.cost += STATE + arrival.n_words as u64;
        let words: Box<[u64]> = arrival.words[..arrival.n_words].into();
        if self.seen.insert(words.clone()) {
            self.waiting.push_back(words);
        }
        if self.seen.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn violation(&mut self, _: Wrong, _: usize, _: StepsTo) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use allways_compiled::Options;
    use allways_system::parse::parse;

    use super::*;

    fn cost(system: &str) -> u64 {
        let system = parse(system).expect("a sound system");
        let options = Options { shape_bits: 16, ..Options::default() };
        let machine = Machine::new(&system, options, None).expect("what can be compiled");
        look_ahead(&system, &machine, LOOK).ok().expect("a look ahead").cost
    }

    #[test]
    fn processes_without_bound_do_not_take_for_ever() {
        let cost = cost(
            "system
             g0 x: byte @0:0..1
             proctype P0 init parameters 0 initial L0 @0:0..1
               L0 @0:0..1: [t0 t1]
               t0 L0 -> L0 \"run P()\" @0:0..1: run P1 ()
               t1 L0 -> L0 \"run Q()\" @0:0..1: run P2 ()
             proctype P1 P parameters 0 initial L0 @0:0..1
               L0 @0:0..1: [t0]
               t0 L0 -> L0 \"x++\" @0:0..1: assign g0:byte := (g0:byte + 1)
             proctype P2 Q parameters 0 initial L0 @0:0..1
               L0 @0:0..1: [t0]
               t0 L0 -> L0 \"x++\" @0:0..1: assign g0:byte := (g0:byte + 1)
             process P0 priority 1",
        );
        assert!(cost < 2 * LOOK_COST, "{cost}");
    }

    #[test]
    fn a_long_atomic_sequence_is_left() {
        let cost = cost(
            "system
             g0 x: int @0:0..1
             g1 y: int @0:0..1
             proctype P0 main parameters 0 initial L0 @0:0..1
               L0 @0:0..1: [t0 t1]
               t0 L0 -> L0 atomic \"x++\" @0:0..1: assign g0:int := (g0:int + 1)
               t1 L0 -> L0 atomic \"y++\" @0:0..1: assign g1:int := (g1:int + 1)
             process P0 priority 1",
        );
        assert!(cost < 2 * LOOK_COST, "{cost}");
    }
}
