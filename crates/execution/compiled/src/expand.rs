//! The states that the steps of a state lead to.
//!
//! A state inside an atomic sequence is never the end of a step here: [`Worker::expand`] follows such sequences to the
//! states where everybody may move again, along every path. What it tells its visitor are therefore the successors as a
//! search stores them.

use std::ops::ControlFlow;
use std::rc::Rc;

use allways_system::{Expansion, Pid, Step};

use crate::atomic::{Sequence, movers_of};
use crate::extract;
use crate::instance::Shape;
use crate::recall::{Known, Recall};
use crate::recollect::Recollection;
use crate::records::{ArrivalHead, KnownStep, NOTHING, Records, SHORT};
use crate::steps::Choices;
use crate::worker::{OwnShape, TooLarge, Worker};

/// Stands for a number of words that is not small.
const MANY: usize = 0;

/// Calls something that is generic in the number of words of a state: as many as there are if they are few, else [`MANY`].
macro_rules! by_words {
    ($n_words:expr, $N:ident => $call:expr) => {
        match $n_words {
            1 => by_words!(@ 1, $N, $call),
            2 => by_words!(@ 2, $N, $call),
            3 => by_words!(@ 3, $N, $call),
            SHORT => by_words!(@ SHORT, $N, $call),
            _ => by_words!(@ MANY, $N, $call),
        }
    };
    (@ $n:expr, $N:ident, $call:expr) => {{
        const $N: usize = $n;
        $call
    }};
}

/// Hears about the successors of a state.
pub trait Visitor {
    /// A state was reached after so many steps (more than one if it was through an atomic sequence).
    fn arrive(&mut self, arrival: &Arrival) -> ControlFlow<()>;

    /// The same for a state of few words that is remembered.
    #[inline(always)]
    fn arrive_recalled<const N: usize>(&mut self, arrival: &Recalled<N>) -> ControlFlow<()>
    where
        Self: Sized,
    {
        arrival.tell(self)
    }

    /// Something is wrong with the last of so many steps, or, without any, with the state itself. The steps are worked out
    /// only if they are asked for, since many violations may lie far inside an atomic sequence.
    fn violation(&mut self, what: Wrong, n_steps: usize, steps: StepsTo) -> ControlFlow<()>;

    /// What is collected takes so many bytes, with what will be made of it: inside atomic sequences
    /// it is counted now and then.
    fn bytes(&self) -> u64 {
        0
    }
}

/// Works out the steps from the expanded state to a violation. `None` if a limit was reached on the way.
pub type StepsTo<'v> = &'v mut dyn FnMut() -> Option<Vec<Step>>;

/// A state that was reached.
pub struct Arrival<'a> {
    /// What lies beyond is 0.
    pub words: &'a [u64],
    /// How many words the state has.
    pub n_words: usize,
    /// The words that may differ from those of the expanded state, with what they held then.
    pub changed: &'a [(u32, u64)],
    /// How many steps it took; a rendezvous counts as two.
    pub length: u32,
    /// How many steps that is, with a rendezvous as one.
    pub n_steps: usize,
    /// The steps; none if the worker remembered instead of taking them, or if there are very many and nobody asked the
    /// worker to keep them.
    pub steps: &'a [Step],
    /// Which of the first 64 processes took part in them; none if the worker remembered.
    pub movers: u64,
    /// The last of them, unless the worker remembered.
    pub last: Option<Step>,
    /// The bits that each change wrote, while the worker notes that.
    pub masks: &'a [u64],
}

/// A state of few words that was reached.
pub struct Recalled<'a, const N: usize> {
    pub words: [u64; N],
    /// The expanded state, and how many words it has.
    before: &'a [u64; N],
    own_words: usize,
    head: ArrivalHead,
}

impl<const N: usize> Recalled<'_, N> {
    /// How many steps it took; a rendezvous counts as two.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        self.head.length as u32
    }

    /// Tells a visitor in the ordinary way.
    pub fn tell(&self, visitor: &mut impl Visitor) -> ControlFlow<()> {
        let changed: [(u32, u64); N] = std::array::from_fn(|word| (word as u32, self.before[word]));
        let head = &self.head;
        visitor.arrive(&Arrival {
            words: &self.words,
            n_words: if head.n_words == 0 { self.own_words } else { head.n_words as usize },
            changed: &changed,
            length: head.length as u32,
            n_steps: head.n_steps as usize,
            steps: &[],
            movers: 0,
            last: None,
            masks: &[],
        })
    }
}

/// Out of line, where visitors may have their code inlined elsewhere.
#[inline(never)]
pub(crate) fn tell(visitor: &mut impl Visitor, arrival: &Arrival) -> ControlFlow<()> {
    visitor.arrive(arrival)
}

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    AssertionFailed,
    ExclusiveViolated,
    /// The step cannot be carried out.
    Fault,
    /// A process that must have no choice has one; the step is the second.
    Nondeterminism,
    /// No step, and not a proper end.
    InvalidEnd,
}

/// Leaves out steps that others stand for.
pub trait Chooser {
    /// Whether there is anything to ask.
    fn chooses(&self) -> bool;

    /// The numbers of those that suffice, in ascending order; none if all are needed. Not called where a process is
    /// inside an atomic sequence.
    fn choose(&mut self, shape: &Shape, words: &[u64], steps: &[Step], timeout: bool) -> Option<&[u32]>;
}

/// Leaves out nothing.
pub struct Everything;

impl Chooser for Everything {
    fn chooses(&self) -> bool {
        false
    }

    fn choose(&mut self, _: &Shape, _: &[u64], _: &[Step], _: bool) -> Option<&[u32]> {
        None
    }
}

/// What an expansion tells besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expanded {
    /// The longest path that was looked at, from the expanded state.
    pub deepest: u32,
    /// Steps that led into an atomic sequence.
    pub atomic_steps: u64,
    /// Some paths were cut at the depth limit.
    pub depth_cut: bool,
    /// There was no step at all.
    pub is_stuck: bool,
    /// There was none without `timeout`.
    pub timeout: bool,
    /// An atomic sequence came back to a state in which it was: it can go on for ever.
    pub is_endless: bool,
    /// So many further arrivals at states that were told were left out, because paths had joined before.
    pub again: u64,
}

#[derive(Default)]
pub(crate) struct Scratch {
    pub steps: Vec<Step>,
    /// How many of them are steps of the expanded state; those of states inside atomic sequences follow.
    pub n_steps: usize,
    /// What is remembered of the processes, the youngest first.
    known: Vec<Known>,
    /// For each step its number among those that are remembered, if it is.
    sources: Vec<Option<u32>>,
    pub sequence: Sequence,
}

impl Worker<'_, '_> {
    /// Tells the visitor all states that can be reached next, and what goes wrong on the way. Afterwards the worker is
    /// in the expanded state again.
    pub fn expand(
        &mut self,
        visitor: &mut impl Visitor,
        chooser: &mut impl Chooser,
        depth_limit: u64,
    ) -> Expanded {
        let mut expanded = Expanded::default();
        let mut scratch = self.scratch.take().unwrap_or_default();
        scratch.steps.clear();
        debug_assert!(self.state.undo.is_empty());
        let _ = self.expand_with(&mut scratch, visitor, chooser, depth_limit, &mut expanded);
        self.scratch = Some(scratch);
        expanded
    }

    /// Tells the visitor what [`Worker::recollect`] did not find out about the state, which was loaded since. What was found out
    /// is part of the result.
    #[cold]
    #[inline(never)]
    pub fn expand_rest(&mut self, found: &Recollection, visitor: &mut impl Visitor) -> Expanded {
        let mut expanded =
            Expanded { deepest: found.deepest, atomic_steps: found.atomic_steps, ..Expanded::default() };
        let mut scratch = self.scratch.take().unwrap_or_default();
        scratch.steps.clear();
        let _ = self.expand_unknown(&mut scratch, found, visitor, &mut expanded);
        self.scratch = Some(scratch);
        expanded
    }

    fn expand_unknown(
        &mut self,
        scratch: &mut Scratch,
        found: &Recollection,
        visitor: &mut impl Visitor,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        let shape = self.shape.clone();
        let mut has_steps = found.has_steps;
        if let Some(mut recall) = self.recall.take() {
            let flow = by_words!(recall.n_words(), N => {
                let words: [u64; N] = self.short_words();
                scratch.known.clear();
                for number in 0..recall.unknown.len() {
                    let pid = recall.unknown[number];
                    let row = &shape.rows[pid];
                    let known = &mut scratch.known;
                    self.recall_short(&mut recall, &shape, pid, row, &words, known, extract::slowly);
                }
                self.tell_known::<N>(&recall, &shape, scratch, visitor, expanded)
            });
            recall.make_room(self.state.words.len());
            self.recall = Some(recall);
            has_steps |= match flow {
                ControlFlow::Continue(some) => some,
                ControlFlow::Break(()) => return ControlFlow::Break(()),
            };
        }
        if has_steps {
            return ControlFlow::Continue(());
        }
        self.expand_all(&shape, scratch, visitor, &mut Everything, u64::MAX, expanded)
    }

    fn expand_with(
        &mut self,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        chooser: &mut impl Chooser,
        depth_limit: u64,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        let shape = self.shape.clone();
        if depth_limit == u64::MAX
            && let Some(mut recall) = self.recall.take()
        {
            let flow = self.expand_recalling(&mut recall, &shape, scratch, visitor, chooser, expanded);
            self.recall = Some(recall);
            if let Some(flow) = flow {
                return flow;
            }
        }
        self.expand_all(&shape, scratch, visitor, chooser, depth_limit, expanded)
    }

    /// The same without what is remembered.
    fn expand_all(
        &mut self,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        chooser: &mut impl Chooser,
        depth_limit: u64,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        let expansion = self.find_steps(shape, &mut scratch.steps);
        expanded.deepest = expansion.refused_handshake as u32;
        if let Some(second) = expansion.nondeterminism {
            visitor.violation(Wrong::Nondeterminism, 1, &mut || Some(vec![second]))?;
        }
        expanded.timeout = expansion.timeout || scratch.steps.is_empty();
        if scratch.steps.is_empty() {
            expanded.is_stuck = true;
            return if self.is_valid_end() {
                ControlFlow::Continue(())
            } else {
                visitor.violation(Wrong::InvalidEnd, 0, &mut || Some(Vec::new()))
            };
        }
        scratch.n_steps = scratch.steps.len();
        let chosen = match chooser.chooses() {
            true => chooser.choose(shape, &self.state.words, &scratch.steps, expansion.timeout),
            false => None,
        };
        match chosen {
            Some(chosen) => {
                for number in chosen {
                    let step = scratch.steps[*number as usize];
                    self.take_and_tell(shape, step, scratch, visitor, depth_limit, expanded)?;
                }
            }
            None => {
                for number in 0..scratch.n_steps {
                    let step = scratch.steps[number];
                    self.take_and_tell(shape, step, scratch, visitor, depth_limit, expanded)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The same with the help of what is remembered. None if there is no step: then the rest is to be looked at.
    #[inline(always)]
    fn expand_recalling(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        chooser: &mut impl Chooser,
        expanded: &mut Expanded,
    ) -> Option<ControlFlow<()>> {
        let n_words = self.state.words.len();
        recall.make_room(n_words);
        if chooser.chooses() {
            return self.expand_chosen(recall, shape, scratch, visitor, chooser, expanded);
        }
        by_words!(n_words, N => self.expand_known::<N>(recall, shape, scratch, visitor, expanded))
    }

    /// [`Worker::expand_recalling`] for states of so many words.
    fn expand_known<const N: usize>(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        expanded: &mut Expanded,
    ) -> Option<ControlFlow<()>> {
        // Two loops, each with few enough variables for the registers.
        self.recall_all::<N>(recall, shape, &mut scratch.known);
        match self.tell_known::<N>(recall, shape, scratch, visitor, expanded) {
            ControlFlow::Continue(has_steps) => has_steps.then_some(ControlFlow::Continue(())),
            ControlFlow::Break(()) => Some(ControlFlow::Break(())),
        }
    }

    /// Tells of the steps of those processes of which it was looked up what is known. Whether there are any.
    #[inline(always)]
    fn tell_known<const N: usize>(
        &mut self,
        recall: &Recall,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        expanded: &mut Expanded,
    ) -> ControlFlow<(), bool> {
        let before = self.short_words();
        let mut has_steps = false;
        let own_words = shape.words();
        for number in 0..scratch.known.len() {
            let Known { record, pid, which } = scratch.known[number];
            if record == 0 {
                has_steps |= self.take_all(shape, pid, which, scratch, visitor, expanded)?;
                continue;
            }
            let head = recall.records.head(record);
            has_steps |= head.n_steps() > 0;
            if head.is_unusual() {
                head.add_to(expanded);
            }
            let (at, n_arrivals) = (Records::arrivals(record), head.n_arrivals());
            // SAFETY: the record has as many states as its head says.
            unsafe { self.tell_states::<N>(&recall.records, at, n_arrivals, &before, own_words, visitor)? };
        }
        ControlFlow::Continue(has_steps)
    }

    /// Finds what is remembered of all processes, if states have so many words.
    #[inline(always)]
    fn recall_all<const N: usize>(&mut self, recall: &mut Recall, shape: &OwnShape, known: &mut Vec<Known>) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if N != MANY && recall.uses_tables() {
            // SAFETY: the processor has the instruction, or there would be no tables.
            return unsafe { self.recall_all_bmi2::<N>(recall, shape, known) };
        }
        self.recall_all_with::<N>(recall, shape, known, extract::slowly);
    }

    /// The same for processors of the last decade.
    ///
    /// # Safety
    /// The processor has these instructions.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[target_feature(enable = "bmi1,bmi2")]
    #[inline(never)]
    unsafe fn recall_all_bmi2<const N: usize>(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        known: &mut Vec<Known>,
    ) {
        let extract = |word, mask| std::arch::x86_64::_pext_u64(word, mask);
        self.recall_all_with::<N>(recall, shape, known, extract);
    }

    #[inline(always)]
    fn recall_all_with<const N: usize>(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        known: &mut Vec<Known>,
        extract: impl Fn(u64, u64) -> u64 + Copy,
    ) {
        let words: [u64; N] = self.short_words();
        known.clear();
        for (pid, row) in shape.rows.iter().enumerate().rev() {
            if N == MANY {
                self.recall(recall, shape, pid, row, known);
            } else {
                self.recall_short(recall, shape, pid, row, &words, known, extract);
            }
        }
    }

    /// The words of a state that has so many; none if it has [`MANY`].
    #[inline(always)]
    fn short_words<const N: usize>(&self) -> [u64; N] {
        std::array::from_fn(|word| self.state.words[word])
    }

    /// Takes all steps of choices about which nothing is remembered. Whether there are any.
    #[inline(never)]
    fn take_all(
        &mut self,
        shape: &OwnShape,
        pid: Pid,
        which: Choices,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        expanded: &mut Expanded,
    ) -> ControlFlow<(), bool> {
        let mut expansion = Expansion::default();
        scratch.steps.clear();
        self.steps_of(shape, pid, which, &mut scratch.steps, &mut expansion);
        scratch.n_steps = scratch.steps.len();
        expanded.deepest = expanded.deepest.max(expansion.refused_handshake as u32);
        if let Some(second) = expansion.nondeterminism {
            visitor.violation(Wrong::Nondeterminism, 1, &mut || Some(vec![second]))?;
        }
        for number in 0..scratch.n_steps {
            let step = scratch.steps[number];
            self.take_and_tell(shape, step, scratch, visitor, u64::MAX, expanded)?;
        }
        let some = scratch.n_steps > 0;
        scratch.steps.clear();
        ControlFlow::Continue(some)
    }

    /// Like [`Worker::expand_recalling`], with those of the steps that the chooser wants.
    fn expand_chosen(
        &mut self,
        recall: &mut Recall,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        chooser: &mut impl Chooser,
        expanded: &mut Expanded,
    ) -> Option<ControlFlow<()>> {
        let mut expansion = Expansion::default();
        scratch.sources.clear();
        by_words!(recall.n_words(), N => self.recall_all::<N>(recall, shape, &mut scratch.known));
        for number in 0..scratch.known.len() {
            let Known { record, pid, which } = scratch.known[number];
            if record == NOTHING {
                continue;
            }
            if record != 0 {
                expansion.refused_handshake |= recall.records.head(record).refused();
                let (first, steps) = recall.records.steps(record);
                scratch.steps.extend(steps.iter().map(|known| known.step));
                scratch.sources.extend((first..first + steps.len() as u32).map(Some));
            } else {
                self.steps_of(shape, pid, which, &mut scratch.steps, &mut expansion);
                scratch.sources.resize(scratch.steps.len(), None);
            }
        }
        if scratch.steps.is_empty() {
            return None;
        }
        Some(self.take_chosen(recall, &expansion, shape, scratch, visitor, chooser, expanded))
    }

    #[allow(clippy::too_many_arguments)]
    fn take_chosen(
        &mut self,
        recall: &Recall,
        expansion: &Expansion,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        chooser: &mut impl Chooser,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        expanded.deepest = expanded.deepest.max(expansion.refused_handshake as u32);
        if let Some(second) = expansion.nondeterminism {
            visitor.violation(Wrong::Nondeterminism, 1, &mut || Some(vec![second]))?;
        }
        scratch.n_steps = scratch.steps.len();
        let chosen = chooser.choose(shape, &self.state.words, &scratch.steps, false);
        let n_chosen = chosen.map_or(scratch.n_steps, <[u32]>::len);
        for at in 0..n_chosen {
            let number = chosen.map_or(at, |chosen| chosen[at] as usize);
            if let Some(source) = scratch.sources[number] {
                let KnownStep { at, n_arrivals, expanded: known, .. } = *recall.records.step(source);
                expanded.deepest = expanded.deepest.max(known.deepest);
                expanded.atomic_steps += known.atomic_steps;
                let own_words = shape.words();
                // SAFETY: the step was recorded with so many states.
                by_words!(recall.n_words(), N => unsafe {
                    let before = self.short_words();
                    self.tell_states::<N>(&recall.records, at, n_arrivals, &before, own_words, visitor)
                })?;
            } else {
                let step = scratch.steps[number];
                self.take_and_tell(shape, step, scratch, visitor, u64::MAX, expanded)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Tells of states that steps lead to, as they are remembered. `before` is the expanded state, if it is short.
    ///
    /// # Safety
    /// `at` is where so many states of a record are, and states have so many words.
    #[inline(always)]
    unsafe fn tell_states<const N: usize>(
        &mut self,
        records: &Records,
        mut at: u32,
        n_arrivals: u32,
        before: &[u64; N],
        own_words: usize,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        for _ in 0..n_arrivals {
            if N != MANY {
                // SAFETY: promised for the first, and `short_arrival` says where the next one is.
                let (head, words, next) = unsafe { records.index().short_arrival(at, before) };
                at = next;
                visitor.arrive_recalled(&Recalled { words, before, head, own_words })?;
                continue;
            }
            // SAFETY: promised for the first, and `arrival` says where the next one is.
            let (head, writes, next) = unsafe { records.arrival(at) };
            at = next;
            let state = &mut self.state;
            debug_assert!(writes.iter().all(|write| (write.word as usize) < state.words.len()));
            state.undo.reserve(writes.len());
            for (number, write) in writes.iter().enumerate() {
                // SAFETY: a state of this worker had this word when the step was taken, and its room never shrinks. There
                // is room for what is to be undone.
                unsafe {
                    let word = state.words.get_unchecked_mut(write.word as usize);
                    state.undo.as_mut_ptr().add(number).write((write.word as u32, *word));
                    *word = *word & write.keep | write.value;
                }
            }
            // SAFETY: so many were written just now.
            unsafe { state.undo.set_len(writes.len()) };
            let flow = visitor.arrive(&Arrival {
                words: &state.words,
                n_words: if head.n_words == 0 { own_words } else { head.n_words as usize },
                changed: &state.undo,
                length: head.length as u32,
                n_steps: head.n_steps as usize,
                steps: &[],
                movers: 0,
                last: None,
                masks: &[],
            });
            // SAFETY: as above. Each word is written only once, so the order does not matter.
            let mut restore = |(word, before): (u32, u64)| unsafe {
                *state.words.get_unchecked_mut(word as usize) = before;
            };
            match state.undo[..] {
                [only] => restore(only),
                [first, second] => {
                    restore(first);
                    restore(second);
                }
                _ => state.undo.iter().copied().for_each(restore),
            }
            state.undo.clear();
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Takes a step of the expanded state, tells the visitor where it leads, and goes back.
    #[inline(always)]
    pub(crate) fn take_and_tell(
        &mut self,
        shape: &OwnShape,
        step: Step,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        depth_limit: u64,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        let length = if step.partner.is_some() { 2 } else { 1 };
        let taken = self.take_step(shape, step);
        let is_usual = self.state.too_narrow.is_none()
            && taken.is_ok()
            && self.exclusive.is_none()
            && !(self.assertion_failed || self.exclusive_violated)
            && length as u64 <= depth_limit;
        let flow = if is_usual {
            expanded.deepest = expanded.deepest.max(length - 1);
            tell(
                visitor,
                &Arrival {
                    words: &self.state.words,
                    n_words: self.shape.words(),
                    changed: &self.state.undo,
                    length,
                    n_steps: 1,
                    steps: std::slice::from_ref(&step),
                    movers: movers_of(step),
                    last: Some(step),
                    masks: &self.state.masks,
                },
            )
        } else {
            self.deal_with(taken, step, scratch, visitor, depth_limit, expanded)
        };
        self.state.back(0);
        if !Rc::ptr_eq(&self.shape, shape) {
            self.shape = shape.clone();
        }
        self.exclusive = None;
        flow
    }

    /// Whether [`Worker::too_large`] has something to say.
    #[inline(always)]
    pub fn is_too_large(&self) -> bool {
        self.too_large.is_some()
    }

    /// Why some step led beyond what can be represented, since the last time this was asked.
    pub fn too_large(&mut self) -> Option<TooLarge> {
        self.too_large.take()
    }

    /// Whether a system that stops here has come to a proper end.
    pub fn is_valid_end(&self) -> bool {
        let words = &self.state.words;
        self.shape.processes.iter().all(|process| process.locations[process.at(words).index()].is_end)
            && (!self.machine.options.semantics.strict_end
                || self.shape.channels.iter().all(|channel| channel.len(&self.state) == 0))
    }
}
