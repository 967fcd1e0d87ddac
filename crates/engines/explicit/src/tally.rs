//! What a search has found so far: figures, and the first violation of each property.

use std::ops::ControlFlow;

use allways_compiled::{Arrival, Expanded, Visitor, Wrong};
use allways_system::Step;
use allways_verdict::PropertyKind;

use crate::collapse::Refused;
use crate::keeper::Keeper;
use crate::{Found, Question, What};

/// Figures and violations of one worker.
#[derive(Default)]
pub struct Tally {
    pub states: u64,
    pub matched: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub depth_cut: bool,
    pub fault_cut: bool,
    pub found: Vec<Found>,
}

impl Tally {
    pub fn expanded(&mut self, depth: u64, expanded: &Expanded) {
        self.atomic_steps += expanded.atomic_steps;
        self.depth = self.depth.max(depth + expanded.deepest as u64);
        self.depth_cut |= expanded.depth_cut;
    }

    /// A state was met that is new, or is not.
    #[inline(always)]
    pub fn met(&mut self, is_new: bool) {
        self.states += is_new as u64;
        self.matched += !is_new as u64;
    }

    pub fn merge(&mut self, other: Tally) {
        self.states += other.states;
        self.matched += other.matched;
        self.atomic_steps += other.atomic_steps;
        self.depth = self.depth.max(other.depth);
        self.depth_cut |= other.depth_cut;
        self.fault_cut |= other.fault_cut;
        for found in other.found {
            match self.found.iter_mut().find(|known| known.kind == found.kind) {
                Some(known) => known.count += found.count,
                None => self.found.push(found),
            }
        }
    }
}

/// What is to be said about the successors of one state, and what is wrong with it.
#[derive(Default)]
pub struct Successors {
    /// Their entries, one after the other.
    pub entries: Vec<u64>,
    /// How many of them were added to the visited states so far...
    pub n_visited: usize,
    /// ...and were new; these are in front.
    pub n_new: usize,
    /// The numbers of those that more than one step leads to, and how many.
    pub long: Vec<(u32, u32)>,
    /// How many of these belong to visited ones, and to new ones.
    pub n_long: usize,
    pub n_new_long: usize,
    /// Kind, what, how often, and the steps of the first.
    pub violations: Vec<(PropertyKind, What, u64, Vec<Step>)>,
    pub fault_cut: bool,
    pub refused: Option<Refused>,
    /// There is something in the three fields before.
    pub is_unusual: bool,
}

impl Successors {
    /// Ready for another state.
    #[inline(always)]
    pub fn restart(&mut self) {
        self.entries.clear();
        self.long.clear();
        (self.n_visited, self.n_new, self.n_long, self.n_new_long) = (0, 0, 0, 0);
    }

    pub fn forget_unusual(&mut self) {
        self.violations.clear();
        self.fault_cut = false;
        self.refused = None;
        self.is_unusual = false;
    }

    pub fn clear(&mut self) {
        self.restart();
        self.forget_unusual();
    }
}

/// Collects the successors of a state.
pub struct Collector<'c, K: Keeper> {
    pub keeper: &'c K,
    pub base: &'c mut K::Base,
    pub question: &'c Question,
    pub into: &'c mut Successors,
}

impl<K: Keeper> Visitor for Collector<'_, K> {
    #[inline(always)]
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        if arrival.length != 1 {
            let number = self.into.entries.len() / self.keeper.width();
            self.into.long.push((number as u32, arrival.length));
        }
        match self.keeper.encode(arrival, self.base, &mut self.into.entries) {
            Ok(()) => ControlFlow::Continue(()),
            Err(refused) => {
                self.into.refused = Some(refused);
                self.into.is_unusual = true;
                ControlFlow::Break(())
            }
        }
    }

    fn violation(&mut self, wrong: Wrong, steps: &[Step]) -> ControlFlow<()> {
        let question = self.question;
        self.into.is_unusual = true;
        self.into.fault_cut |= wrong == Wrong::Fault;
        let Some((kind, what)) = asked_for(question, wrong) else { return ControlFlow::Continue(()) };
        match self.into.violations.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.2 += 1,
            None => self.into.violations.push((kind, what, 1, steps.to_vec())),
        }
        if question.keep_going { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Which property a violation is one of, unless nobody asked for it.
pub fn asked_for(question: &Question, wrong: Wrong) -> Option<(PropertyKind, What)> {
    let (kind, what, asked) = match wrong {
        Wrong::AssertionFailed => (PropertyKind::Assertions, What::AssertionFailed, question.assertions),
        Wrong::Nondeterminism => (PropertyKind::Assertions, What::Nondeterminism, question.assertions),
        Wrong::Fault => (PropertyKind::Assertions, What::Fault(None), question.assertions),
        Wrong::ExclusiveViolated => (PropertyKind::Exclusive, What::ExclusiveViolated, question.exclusive),
        Wrong::InvalidEnd => (PropertyKind::Deadlock, What::InvalidEnd, question.deadlock),
    };
    asked.then_some((kind, what))
}
