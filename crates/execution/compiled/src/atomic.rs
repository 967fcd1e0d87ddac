//! Atomic sequences: following them from a step of the expanded state to the states where every process may move again.
//!
//! While the process that has control has only one step, the step is taken in place, and nothing is kept of it: such a
//! stretch may be millions of steps long. Where it has several a [`Frame`] is added, and they are taken one after the
//! other. The path to where the worker is consists of the steps that were *chosen*; as long as it is short the steps in
//! between are kept, too, and otherwise they are worked out again when they are needed.
//!
//! Paths that join again must not multiply. So when a sequence has come to some states with several steps, all further
//! ones are remembered (`met.rs`), and one that is met again is not followed again: what was found behind it is added to
//! the figures, so that these are those of a search that follows every path, as Spin's does. A sequence that comes back to
//! a state on its own path can go on for ever.

use std::ops::ControlFlow;
use std::rc::Rc;

use allways_system::{Expansion, Halt, LocationId, Pid, STEPS_UNHEARD, Step};

use crate::expand::{Arrival, Expanded, Scratch, Visitor, Wrong, tell};
use crate::met::{Again, Met, Summary};
use crate::worker::{OwnShape, TooLarge, Trap, Worker};

mod stretch;

use stretch::Alone;

/// After so many states with several steps, an atomic sequence remembers those that follow.
const FEW_FRAMES: u32 = 64;
/// If there are more of them than this it is not recorded what the sequence does as a whole...
const MOST_RECORDED_FRAMES: u32 = 1_000;
/// ...nor if there are more steps than this.
const MOST_RECORDED_STEPS: u32 = 30_000;
/// Longer paths are kept without the steps that were not chosen.
const LONG_PATH: usize = 1_000;
/// After so many steps without a choice it is watched whether they come back to a state in which they were.
const LONG_STRETCH: u64 = 1 << 12;

/// Paths that were left out because they had joined others may be more than any number can tell: an expansion counts no
/// more arrivals and steps on them than this, which are more than a search could follow.
const MOST_COUNTED: u64 = 1 << 40;

/// The path inside an atomic sequence, and what is left to do.
#[derive(Default)]
pub(crate) struct Sequence {
    /// The steps from the expanded state to where the worker is, if they are all there.
    path: Vec<Step>,
    is_whole: bool,
    /// Those of them that were chosen among several; the first one is the step of the expanded state.
    chosen: Vec<Step>,
    /// States with several steps.
    pub frames: Vec<Frame>,
    /// How many of them there were.
    n_frames: u32,
    /// How many steps were taken in place.
    n_in_place: u32,
    /// How many arrivals were told.
    n_told: u64,
    /// What the visitor had collected of them when limits were looked at, in bytes.
    collected: u64,
    met: Met,
}

/// A state inside an atomic sequence whose steps are being taken.
pub(crate) struct Frame {
    /// The first of its steps, and the one that is next.
    first: usize,
    next: usize,
    /// How many words had been overwritten.
    mark: usize,
    shape: OwnShape,
    exclusive: Pid,
    here: Here,
    /// How long the lists of [`Sequence`] were.
    n_path: usize,
    is_whole: bool,
    n_chosen: usize,
    /// Its number among those that are remembered, if it is.
    met: Option<u32>,
    /// The figures when it was entered, for its [`Summary`].
    before: Summary,
}

/// How the worker came to where it is.
#[derive(Clone, Copy)]
struct Here {
    /// See [`Arrival`].
    length: u32,
    n_steps: usize,
    movers: u64,
    last: Step,
}

impl Here {
    fn after(step: Step) -> Here {
        let none = Here { length: 0, n_steps: 0, movers: 0, last: step };
        none.and(step)
    }

    #[inline(always)]
    fn and(self, step: Step) -> Here {
        Here {
            length: self.length.saturating_add(if step.partner.is_some() { 2 } else { 1 }),
            n_steps: self.n_steps + 1,
            movers: self.movers | movers_of(step),
            last: step,
        }
    }
}

/// Which of the first 64 processes take part in a step.
#[inline(always)]
pub(crate) fn movers_of(step: Step) -> u64 {
    let bit = |pid: Pid| if pid < u64::BITS { 1 << pid } else { 0 };
    bit(step.pid) | step.partner.map_or(0, |(pid, _)| bit(pid))
}

impl Sequence {
    fn begin(&mut self, step: Step) {
        self.path.clear();
        self.path.push(step);
        self.is_whole = true;
        self.chosen.clear();
        self.chosen.push(step);
        self.n_frames = 0;
        self.n_in_place = 0;
        self.n_told = 0;
        self.collected = 0;
        self.met.clear();
    }

    fn note_step(&mut self, step: Step, keeps_steps: bool) {
        if self.is_whole {
            if self.path.len() < LONG_PATH || keeps_steps {
                self.path.push(step);
            } else {
                self.is_whole = false;
            }
        }
    }

    /// What it takes, besides the words that were overwritten.
    fn bytes(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let steps = (self.path.capacity() + self.chosen.capacity()) * size_of::<Step>();
        (frames + steps) as u64 + self.met.bytes()
    }

    /// The figures so far. Those of a part of the sequence are a difference of two, but for `deepest`.
    fn figures(&self, expanded: &Expanded) -> Summary {
        Summary {
            arrivals: self.n_told + expanded.again,
            atomic_steps: expanded.atomic_steps,
            deepest: expanded.deepest,
        }
    }
}

/// Notices that steps without a choice come back to a state in which they were (Brent's way: the state with which the
/// others are compared is renewed at distances that double).
struct Circle {
    n_steps: u64,
    renew_at: u64,
    /// The state with which the others are compared: where the process is in it, and its words.
    earlier_at: Option<LocationId>,
    earlier: Box<[u64]>,
}

impl Circle {
    fn new() -> Circle {
        Circle { n_steps: 0, renew_at: LONG_STRETCH, earlier_at: None, earlier: Box::default() }
    }

    /// How many steps there are before the next renewal.
    fn before_renewal(&self) -> u64 {
        self.renew_at.saturating_sub(self.n_steps + 1)
    }

    /// Another step leads to this state.
    #[inline(always)]
    fn closes(&mut self, words: &[u64], location: impl Fn() -> LocationId) -> bool {
        self.n_steps += 1;
        self.n_steps >= LONG_STRETCH && self.closes_late(words, location())
    }

    #[inline(always)]
    fn closes_late(&mut self, words: &[u64], location: LocationId) -> bool {
        if self.earlier_at == Some(location) && is_same(&self.earlier, words) {
            return true;
        }
        if self.n_steps >= self.renew_at {
            self.renew(words, location);
        }
        false
    }

    #[cold]
    fn renew(&mut self, words: &[u64], location: LocationId) {
        self.renew_at *= 2;
        self.earlier_at = Some(location);
        self.earlier = words.into();
    }
}

/// Whether two states are the same. They mostly differ soon, so that a loop is quicker than a call.
#[inline(always)]
fn is_same(one: &[u64], other: &[u64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other)
}

impl Worker<'_, '_> {
    /// Deals with a step of the expanded state that failed, violated something or led into an atomic sequence.
    #[inline(never)]
    pub(crate) fn deal_with(
        &mut self,
        taken: Result<(), Trap>,
        step: Step,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        depth_limit: u64,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        scratch.sequence.begin(step);
        let depth_limit = if self.state.is_traced() { depth_limit } else { depth_limit.min(self.longest) };
        let here = Here::after(step);
        let mut flow = self.go_on(taken, here, scratch, visitor, depth_limit, expanded);
        if flow.is_continue() && !scratch.sequence.frames.is_empty() {
            flow = self.follow(scratch, visitor, depth_limit, expanded);
        }
        scratch.steps.truncate(scratch.n_steps);
        scratch.sequence.frames.clear();
        flow
    }

    /// Takes the steps of the states that have several.
    fn follow(
        &mut self,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        depth_limit: u64,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        while let Some(frame) = scratch.sequence.frames.last_mut() {
            if frame.next == scratch.steps.len() {
                leave(scratch, expanded);
                continue;
            }
            let step = scratch.steps[frame.next];
            frame.next += 1;
            self.state.back(frame.mark);
            if !Rc::ptr_eq(&self.shape, &frame.shape) {
                self.shape = frame.shape.clone();
            }
            self.exclusive = Some(frame.exclusive);
            let (shape, here) = (frame.shape.clone(), frame.here.and(step));
            let (n_path, is_whole, n_chosen) = (frame.n_path, frame.is_whole, frame.n_chosen);
            let sequence = &mut scratch.sequence;
            sequence.path.truncate(n_path);
            sequence.is_whole = is_whole;
            sequence.note_step(step, self.keeps_steps);
            sequence.chosen.truncate(n_chosen);
            sequence.chosen.push(step);
            let taken = self.take_step(&shape, step);
            self.go_on(taken, here, scratch, visitor, depth_limit, expanded)?;
        }
        ControlFlow::Continue(())
    }

    /// Goes on from the step that was just taken until a state is reached where every process may move again, or one with
    /// several steps, for which a frame is added.
    fn go_on(
        &mut self,
        mut taken: Result<(), Trap>,
        mut here: Here,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
        depth_limit: u64,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        let floor = scratch.sequence.frames.last().map_or(0, |frame| frame.mark);
        let mut compact_at = floor + self.state.compact_after();
        let mut circle = Circle::new();
        let mut shape = self.shape.clone();
        loop {
            if !self.is_sound(taken, here, scratch, visitor)? {
                return ControlFlow::Continue(());
            }
            if here.length as u64 > depth_limit {
                expanded.atomic_steps += self.exclusive.is_some() as u64;
                expanded.depth_cut = true;
                return ControlFlow::Continue(());
            }
            let Some(pid) = self.exclusive else { break };
            expanded.atomic_steps += 1;
            expanded.deepest = expanded.deepest.max(here.length);
            if !Rc::ptr_eq(&self.shape, &shape) {
                shape = self.shape.clone();
            }
            if !scratch.sequence.is_whole {
                let limits = (depth_limit, compact_at);
                match self.go_alone(&shape, pid, limits, &mut here, &mut circle, expanded) {
                    Alone::Nothing => {}
                    Alone::Took(last) => {
                        taken = last;
                        continue;
                    }
                    Alone::Endless => {
                        expanded.is_endless = true;
                        return ControlFlow::Continue(());
                    }
                }
            }
            let first = scratch.steps.len();
            let mut expansion = Expansion::default();
            self.process_steps(&shape, pid, &mut scratch.steps, &mut expansion);
            if let Some(second) = expansion.nondeterminism {
                self.tell_violation(Wrong::Nondeterminism, Some(second), here, scratch, visitor)?;
            }
            if expansion.refused_handshake {
                expanded.deepest = expanded.deepest.max(here.length.saturating_add(1));
            }
            let step = match scratch.steps[first..] {
                [] => {
                    // Blocked: every process may move again.
                    self.exclusive = None;
                    break;
                }
                [only] => only,
                _ => return self.branch(pid, first, here, &shape, scratch, visitor, expanded),
            };
            scratch.steps.truncate(first);
            self.passed(scratch, visitor)?;
            let process = &shape.processes[pid as usize];
            if circle.closes(&self.state.words, || process.at(&self.state.words)) {
                expanded.is_endless = true;
                return if self.state.is_traced() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                };
            }
            if self.state.undo.len() > compact_at {
                self.state.compact(floor);
                compact_at = self.state.undo.len() + self.state.compact_after();
            }
            scratch.sequence.n_in_place += 1;
            if self.state.is_traced() && scratch.sequence.n_in_place > MOST_RECORDED_STEPS {
                return ControlFlow::Break(());
            }
            scratch.sequence.note_step(step, self.keeps_steps);
            here = here.and(step);
            taken = self.take_step(&shape, step);
        }
        expanded.deepest = expanded.deepest.max(here.length - 1);
        scratch.sequence.n_told += 1;
        tell(
            visitor,
            &Arrival {
                words: &self.state.words[..],
                n_words: self.shape.words(),
                changed: &self.state.undo,
                length: here.length,
                n_steps: here.n_steps,
                steps: if scratch.sequence.is_whole { &scratch.sequence.path } else { &[] },
                movers: here.movers,
                last: Some(here.last),
                masks: &self.state.masks,
            },
        )
    }

    /// Tells what is wrong with the step that was just taken. Whether to go on behind it.
    #[inline(always)]
    fn is_sound(
        &mut self,
        taken: Result<(), Trap>,
        here: Here,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<(), bool> {
        if !self.check_widths() {
            return ControlFlow::Break(());
        }
        if taken.is_err() {
            match self.too_large {
                None => self.tell_violation(Wrong::Fault, None, here, scratch, visitor)?,
                Some(TooLarge::System(_)) => {}
                Some(_) => return ControlFlow::Break(()),
            }
            return ControlFlow::Continue(false);
        }
        if self.assertion_failed {
            self.assertion_failed = false;
            self.tell_violation(Wrong::AssertionFailed, None, here, scratch, visitor)?;
        }
        if self.exclusive_violated {
            self.exclusive_violated = false;
            self.tell_violation(Wrong::ExclusiveViolated, None, here, scratch, visitor)?;
        }
        ControlFlow::Continue(true)
    }

    /// Tells of a violation by the last step, or by one that would come next.
    #[cold]
    #[inline(never)]
    fn tell_violation(
        &mut self,
        what: Wrong,
        next: Option<Step>,
        here: Here,
        scratch: &mut Scratch,
        visitor: &mut impl Visitor,
    ) -> ControlFlow<()> {
        let sequence = &scratch.sequence;
        let mut steps_to = || {
            let mut steps = match sequence.is_whole {
                true => sequence.path.clone(),
                false => self.unroll(&sequence.chosen, here.n_steps)?,
            };
            steps.extend(next);
            Some(steps)
        };
        visitor.violation(what, here.n_steps + next.is_some() as usize, &mut steps_to)
    }

    /// The steps from the expanded state to where the worker is, given those that were chosen. `None` if there is no
    /// time left for them.
    fn unroll(&mut self, chosen: &[Step], n_steps: usize) -> Option<Vec<Step>> {
        let (words, undo) = (self.state.words.clone(), self.state.undo.clone());
        let (shape, exclusive) = (self.shape.clone(), self.exclusive);
        let mut steps = Vec::with_capacity(n_steps);
        if self.state.is_traced() {
            // No visitor asks for the steps of what is recorded.
            return Some(steps);
        }
        // They are no effort of the search, which made them a moment ago. The other limits hold.
        let most_effort = std::mem::replace(&mut self.most_effort, u64::MAX);
        self.state.back(0);
        let number = self.machine.shape_field.get(&self.state.words) as u32;
        self.shape = self.shape_by_number(number);
        self.exclusive = None;
        let mut chosen = chosen.iter().copied();
        let mut found = Vec::new();
        while steps.len() < n_steps {
            let before = self.shape.clone();
            found.clear();
            if let Some(pid) = self.exclusive {
                self.process_steps(&before, pid, &mut found, &mut Expansion::default());
            }
            let step = match found[..] {
                [only] => Some(only),
                _ => chosen.next(),
            };
            let Some(step) = step else { break };
            steps.push(step);
            let is_time_to_look = (steps.len() as u64).is_multiple_of(STEPS_UNHEARD);
            if is_time_to_look && !self.may_go_on(0, size_of_val(&steps[..]) as u64) {
                break;
            }
            let _ = self.take_step(&before, step);
            self.state.undo.clear();
        }
        (self.state.words, self.state.undo) = (words, undo);
        (self.shape, self.exclusive) = (shape, exclusive);
        (self.assertion_failed, self.exclusive_violated) = (false, false);
        self.most_effort = most_effort;
        self.look_at = self.look_at.min(most_effort.saturating_add(1));
        self.too_large.is_none().then_some(steps)
    }

    /// One more state inside an atomic sequence: now and then it is time to look at limits.
    #[inline(always)]
    fn passed(&mut self, scratch: &mut Scratch, visitor: &impl Visitor) -> ControlFlow<()> {
        self.effort += 1;
        if self.effort < self.look_at {
            ControlFlow::Continue(())
        } else {
            self.look(scratch, visitor.bytes())
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self, scratch: &mut Scratch, collected: u64) -> ControlFlow<()> {
        scratch.sequence.collected = collected;
        let steps = scratch.steps.capacity() * size_of::<Step>();
        let bytes = scratch.sequence.bytes() + steps as u64 + collected;
        if self.may_go_on(0, bytes) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Adds a frame for a state with several steps, unless it was met before.
    #[allow(clippy::too_many_arguments)]
    fn branch(
        &mut self,
        pid: Pid,
        first: usize,
        here: Here,
        shape: &OwnShape,
        scratch: &mut Scratch,
        visitor: &impl Visitor,
        expanded: &mut Expanded,
    ) -> ControlFlow<()> {
        self.passed(scratch, visitor)?;
        let sequence = &mut scratch.sequence;
        sequence.n_frames += 1;
        if self.state.is_traced() {
            // What is recorded is every path: they look at different things.
            if sequence.n_frames > MOST_RECORDED_FRAMES {
                return ControlFlow::Break(());
            }
        }
        let mut met = None;
        if sequence.n_frames > FEW_FRAMES && !self.state.is_traced() {
            let taken = self.state.undo.capacity() as u64 * 16 + sequence.collected;
            let budget = self.allowance.saturating_sub(taken) / 2;
            let words = &self.state.words[..shape.words()];
            match sequence.met.meet(pid, here.movers, words, here.length, budget, &mut sequence.frames) {
                Again::New(number) => met = Some(number),
                Again::Skipped => {}
                Again::OnPath => {
                    expanded.is_endless = true;
                    scratch.steps.truncate(first);
                    return ControlFlow::Continue(());
                }
                Again::Before(Summary { arrivals, atomic_steps, deepest }) => {
                    expanded.again = (expanded.again + arrivals).min(MOST_COUNTED);
                    expanded.atomic_steps = (expanded.atomic_steps + atomic_steps).min(MOST_COUNTED);
                    expanded.deepest = expanded.deepest.max(here.length.saturating_add(deepest));
                    scratch.steps.truncate(first);
                    return ControlFlow::Continue(());
                }
            }
        }
        let before = sequence.figures(expanded);
        expanded.deepest = here.length;
        sequence.frames.push(Frame {
            first,
            next: first,
            mark: self.state.undo.len(),
            shape: shape.clone(),
            exclusive: pid,
            here,
            n_path: sequence.path.len(),
            is_whole: sequence.is_whole,
            n_chosen: sequence.chosen.len(),
            met,
            before,
        });
        ControlFlow::Continue(())
    }

    /// Whether the work may go on: whether there is time and memory left for it. `steps` were made that are not part of
    /// the effort yet, and so many bytes are in use besides the state's.
    pub(crate) fn may_go_on(&mut self, steps: u64, bytes: u64) -> bool {
        let effort = self.effort + steps;
        let undo = self.state.undo.capacity() * size_of::<(u32, u64)>();
        let halt = if effort > self.most_effort {
            Some(Halt::Cancelled)
        } else if bytes + undo as u64 > self.allowance {
            Some(Halt::Memory)
        } else {
            self.alarm.rings()
        };
        match halt {
            Some(halt) => self.too_large = Some(TooLarge::Halted(halt)),
            None => self.look_at = (effort + STEPS_UNHEARD).min(self.most_effort.saturating_add(1)),
        }
        halt.is_none()
    }
}

impl Frame {
    /// Another number among those that are remembered, which are fewer now.
    pub fn renumber(&mut self, number: impl FnOnce(u32) -> u32) {
        self.met = self.met.map(number);
    }

    /// Its number among those that are remembered.
    pub fn met(&self) -> Option<u32> {
        self.met
    }
}

/// Leaves the state whose steps were all taken.
fn leave(scratch: &mut Scratch, expanded: &mut Expanded) {
    let Some(frame) = scratch.sequence.frames.pop() else { return };
    scratch.steps.truncate(frame.first);
    if let Some(number) = frame.met {
        let now = scratch.sequence.figures(expanded);
        let summary = Summary {
            arrivals: now.arrivals.saturating_sub(frame.before.arrivals),
            atomic_steps: now.atomic_steps.saturating_sub(frame.before.atomic_steps),
            deepest: now.deepest - frame.here.length,
        };
        scratch.sequence.met.leave(number, summary);
    }
    expanded.deepest = expanded.deepest.max(frame.before.deepest);
}
