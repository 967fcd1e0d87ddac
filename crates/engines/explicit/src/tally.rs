//! What a search has found so far: figures, and the first violation of each property.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use allways_compiled::{Arrival, Expanded, Recalled, SHORT, Source, StepsTo, Visitor, Wrong};
use allways_store::Full;
use allways_system::Step;
use allways_verdict::PropertyKind;

use crate::collapse::Refused;
use crate::forest::Reached;
use crate::keeper::Keeper;
use crate::{Found, Question, Until, What};

/// Figures and violations of one worker.
#[derive(Default)]
pub struct Tally {
    pub states: u64,
    pub matched: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub depth_cut: bool,
    pub fault_cut: bool,
    pub bound_cut: bool,
    pub found: Vec<Found>,
}

impl Tally {
    pub fn expanded(&mut self, depth: u64, expanded: &Expanded) {
        self.atomic_steps = self.atomic_steps.saturating_add(expanded.atomic_steps);
        self.matched = self.matched.saturating_add(expanded.again);
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
        self.matched = self.matched.saturating_add(other.matched);
        self.atomic_steps = self.atomic_steps.saturating_add(other.atomic_steps);
        self.depth = self.depth.max(other.depth);
        self.depth_cut |= other.depth_cut;
        self.fault_cut |= other.fault_cut;
        self.bound_cut |= other.bound_cut;
        for found in other.found {
            match self.found.iter_mut().find(|known| known.kind == found.kind) {
                Some(known) => known.count += found.count,
                None => self.found.push(found),
            }
        }
    }
}

/// States that are expanded together.
#[derive(Default)]
pub struct Origins {
    /// Their entries, one after the other.
    pub entries: Vec<u64>,
    /// Their words, if they have few.
    pub words: Words,
}

/// The words of short states, one after the other.
#[derive(Default)]
pub struct Words(Vec<u64>);

impl Words {
    /// These are the words of all states.
    #[inline(always)]
    pub fn set<const N: usize>(&mut self, states: impl ExactSizeIterator<Item = [u64; N]>) {
        self.0.resize(states.len() * N, 0);
        self.0.as_chunks_mut().0.iter_mut().zip(states).for_each(|(words, state)| *words = state);
    }

    /// The words of all states.
    #[inline(always)]
    pub fn get<const N: usize>(&self) -> &[[u64; N]] {
        self.0.as_chunks().0
    }

    /// The place for the words of a state that has so many.
    #[inline(always)]
    pub fn room_for(&mut self, number: u32, n_words: usize) -> &mut [u64] {
        let start = number as usize * n_words;
        if self.0.len() < start + n_words {
            self.0.resize(start + n_words, 0);
        }
        &mut self.0[start..start + n_words]
    }
}

impl Origins {
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entry of one that has one word, and the words.
    #[inline(always)]
    pub fn get<const N: usize>(&self, number: u32) -> (u64, &[u64; N]) {
        (self.entries[number as usize], &self.words.get()[number as usize])
    }

    /// This one is expanded now, and it has these words.
    #[inline(always)]
    pub fn set_words(&mut self, number: u32, words: &[u64]) {
        if words.len() <= SHORT {
            self.words.room_for(number, words.len()).copy_from_slice(words);
        }
    }
}

/// What is to be said about the successors of some states, and what is wrong with them.
#[derive(Default)]
pub struct Successors {
    /// Their entries, one after the other.
    pub entries: Vec<u64>,
    pub from: Vec<Source>,
    /// The words of short ones that are to be encoded yet.
    pub short: Vec<u64>,
    pub short_from: Vec<Source>,
    /// Kind, what, how often, and the steps of the first.
    pub violations: Vec<(PropertyKind, What, u64, Vec<Step>)>,
    pub fault_cut: bool,
    pub refused: Option<Refused>,
    /// There is something in the three fields before.
    pub is_unusual: bool,
}

/// How far a list of successors went.
#[derive(Clone, Copy)]
pub struct Mark {
    n_entries: usize,
    n_from: usize,
    n_short: usize,
    n_short_from: usize,
}

impl Successors {
    /// What the lists take.
    pub fn bytes(&self) -> u64 {
        let words = self.entries.capacity() + self.short.capacity();
        let from = self.from.capacity() + self.short_from.capacity();
        (words * 8 + from * size_of::<Source>()) as u64
    }

    /// What it takes besides to let them wait: on the stack, and in a forest before they leave the
    /// stack, or in one while they are inserted.
    fn bytes_to_wait(&self) -> u64 {
        let words = self.entries.len() + self.short.len();
        let from = self.from.len() + self.short_from.len();
        (words * 2 * 8 + from * (size_of::<(u64, u32)>() + size_of::<Reached>())) as u64
    }

    /// Ready for other states.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.entries.clear();
        self.from.clear();
        self.short.clear();
        self.short_from.clear();
    }

    #[inline(always)]
    pub fn mark(&self) -> Mark {
        let (n_entries, n_from) = (self.entries.len(), self.from.len());
        Mark { n_entries, n_from, n_short: self.short.len(), n_short_from: self.short_from.len() }
    }

    /// Where the short successors of the last state begin, if it has this number.
    pub fn mark_before(&self, origin: u32) -> Mark {
        let n_own = self.short_from.iter().rev().take_while(|from| from.origin == origin).count();
        let n_short_from = self.short_from.len() - n_own;
        let n_words = self.short.len().checked_div(self.short_from.len()).unwrap_or(0);
        Mark { n_short_from, n_short: n_short_from * n_words, ..self.mark() }
    }

    /// Forgets what came after.
    pub fn back(&mut self, mark: Mark) {
        self.entries.truncate(mark.n_entries);
        self.from.truncate(mark.n_from);
        self.short.truncate(mark.n_short);
        self.short_from.truncate(mark.n_short_from);
        self.forget_unusual();
    }

    /// Notes that a successor cannot be kept.
    pub fn refuse(&mut self, refused: Refused) -> ControlFlow<()> {
        self.refused = Some(refused);
        self.is_unusual = true;
        ControlFlow::Break(())
    }

    pub fn forget_unusual(&mut self) {
        self.violations.clear();
        self.fault_cut = false;
        self.refused = None;
        self.is_unusual = false;
    }

    /// Encodes the short successors that were collected so far.
    #[inline(always)]
    pub fn encode_short<K: Keeper>(
        &mut self,
        keeper: &K,
        origins: &Origins,
        base: &mut K::Base,
    ) -> Result<(), Full> {
        if self.short.is_empty() {
            return Ok(());
        }
        match keeper.room() {
            1 => self.encode_words::<K, 1>(keeper, origins, base),
            2 => self.encode_words::<K, 2>(keeper, origins, base),
            3 => self.encode_words::<K, 3>(keeper, origins, base),
            _ => self.encode_words::<K, SHORT>(keeper, origins, base),
        }
    }

    fn encode_words<K: Keeper, const N: usize>(
        &mut self,
        keeper: &K,
        origins: &Origins,
        base: &mut K::Base,
    ) -> Result<(), Full> {
        let are_all = self.from.is_empty();
        if are_all && K::IS_LOSSY {
            std::mem::swap(&mut self.entries, &mut self.short);
        } else {
            let n_entries = self.entries.len();
            let states = self.short.as_chunks::<N>().0;
            let encoded = keeper.encode_short(states, &self.short_from, origins, base, &mut self.entries);
            if encoded.is_err() {
                self.entries.truncate(n_entries);
                return encoded;
            }
            self.short.clear();
        }
        if are_all {
            std::mem::swap(&mut self.from, &mut self.short_from);
        } else {
            self.from.append(&mut self.short_from);
        }
        Ok(())
    }
}

/// Collects the successors of a state.
pub struct Collector<'c, K: Keeper> {
    pub keeper: &'c K,
    pub base: &'c mut K::Base,
    pub question: &'c Question,
    /// What any thread has found so far.
    pub known: &'c SharedViolated,
    pub origins: &'c Origins,
    /// The number of the state.
    pub origin: u32,
    /// The order of the successors matters.
    pub in_order: bool,
    pub into: &'c mut Successors,
}

impl<K: Keeper> Visitor for Collector<'_, K> {
    #[inline(always)]
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()> {
        if self.in_order
            && let Err(Full) = self.into.encode_short(self.keeper, self.origins, self.base)
        {
            return self.into.refuse(Refused::Full);
        }
        let entries = &mut self.into.entries;
        let encoded = match self.in_order {
            true => self.keeper.encode(arrival, self.base, entries),
            false => self.keeper.encode_later(arrival, self.base, entries),
        };
        match encoded {
            Ok(()) => {
                self.into.from.push(Source { origin: self.origin, length: arrival.length });
                ControlFlow::Continue(())
            }
            Err(refused) => self.into.refuse(refused),
        }
    }

    #[inline(always)]
    fn arrive_recalled<const N: usize>(&mut self, arrival: &Recalled<N>) -> ControlFlow<()> {
        if N != self.keeper.room() {
            return arrival.tell(self);
        }
        self.into.short.extend_from_slice(&arrival.words);
        self.into.short_from.push(Source { origin: self.origin, length: arrival.length() });
        ControlFlow::Continue(())
    }

    fn violation(&mut self, wrong: Wrong, _: usize, steps_to: StepsTo) -> ControlFlow<()> {
        let question = self.question;
        self.into.is_unusual = true;
        self.into.fault_cut |= wrong == Wrong::Fault;
        let Some((kind, what)) = asked_for(question, wrong) else { return ControlFlow::Continue(()) };
        match self.into.violations.iter_mut().find(|known| known.0 == kind) {
            Some(known) => known.2 += 1,
            None => {
                let Some(steps) = steps_to() else { return ControlFlow::Break(()) };
                self.into.violations.push((kind, what, 1, steps));
            }
        }
        let here = Violated::of(self.into.violations.iter().map(|violation| violation.0));
        if question.is_over(self.known.get().and(here)) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn bytes(&self) -> u64 {
        self.into.bytes() + self.into.bytes_to_wait() + self.keeper.base_bytes(self.base)
    }
}

/// The properties that are violated.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Violated(u32);

impl Violated {
    pub fn of(kinds: impl Iterator<Item = PropertyKind>) -> Violated {
        kinds.fold(Violated::default(), |all, kind| all.and(Violated(1 << kind as u32)))
    }

    pub fn and(self, other: Violated) -> Violated {
        Violated(self.0 | other.0)
    }
}

/// The same, for several threads.
#[derive(Default)]
pub struct SharedViolated(AtomicU32);

impl SharedViolated {
    pub fn get(&self) -> Violated {
        Violated(self.0.load(Ordering::Relaxed))
    }

    /// Adds some, and tells what is violated now.
    pub fn add(&self, more: Violated) -> Violated {
        Violated(self.0.fetch_or(more.0, Ordering::Relaxed)).and(more)
    }
}

impl Question {
    /// Whether the search is over when these properties are known to be violated.
    pub fn is_over(&self, violated: Violated) -> bool {
        match self.until {
            Until::FirstViolation => violated != Violated::default(),
            Until::AllDecided => violated != Violated::default() && self.asked() == violated,
            Until::AllExplored => false,
        }
    }

    /// The properties that it is about.
    fn asked(&self) -> Violated {
        let asked = [
            (self.assertions, PropertyKind::Assertions),
            (self.deadlock, PropertyKind::Deadlock),
            (self.exclusive, PropertyKind::Exclusive),
        ];
        Violated::of(asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, kind)| kind))
    }

    /// The same without the properties of which violations were found; none if there is nothing left to search for.
    pub fn without(&self, found: &[Found]) -> Option<Question> {
        match self.until {
            Until::FirstViolation if !found.is_empty() => None,
            Until::FirstViolation | Until::AllExplored => Some(self.clone()),
            Until::AllDecided => {
                let is_open = |kind| !found.iter().any(|found| found.kind == kind);
                let rest = Question {
                    assertions: self.assertions && is_open(PropertyKind::Assertions),
                    deadlock: self.deadlock && is_open(PropertyKind::Deadlock),
                    exclusive: self.exclusive && is_open(PropertyKind::Exclusive),
                    ..self.clone()
                };
                (found.is_empty() || rest.asked() != Violated::default()).then_some(rest)
            }
        }
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
