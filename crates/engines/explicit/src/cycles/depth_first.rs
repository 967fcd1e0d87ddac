//! Nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis 1992), with four colours (Schwoon, Esparza 2005) and with
//! marks on edges.
//!
//! The outer search visits everything. When it goes back over an edge that has the mark, an inner search looks for a way from
//! the end of that edge to a node on the path of the outer one: that closes a cycle over the edge. The inner search never
//! visits a node twice, over all times it is started; that is right because it is started in the order in which the
//! outer search leaves nodes. Where an edge with the mark leads back to the path the cycle is closed at once.
//!
//! If the observer is weak, a cycle has the mark on all of its edges or on none, so the edge that closes it has it: one
//! search suffices.

use super::lasso::Found;
use super::nodes::{Colour, Colours};
use super::product::{Node, Product, Successor};
use super::{Clock, CycleOutcome, Halt, Space};

/// Searches. `is_single` says that no inner search is needed.
pub fn search<S: Space>(
    product: &mut Product<S>,
    is_single: bool,
    clock: &mut Clock,
    outcome: &mut CycleOutcome,
) -> Result<Option<Found>, Halt> {
    let mut search =
        Search { product, colours: Colours::default(), outer: Path::default(), inner: Path::default() };
    let mut found = search.run(is_single, clock, outcome);
    if found.as_ref().is_err_and(|halt| *halt == Halt::Letter) {
        outcome.letter_fault = true;
        found = Ok(Some(Found::prefix(search.outer.nodes())));
    }
    outcome.node_bytes = search.colours.bytes();
    outcome.statistics.store_bytes = search.product.space.bytes() + outcome.node_bytes;
    found
}

struct Search<'s, 'p, S> {
    product: &'s mut Product<'p, S>,
    colours: Colours,
    outer: Path,
    inner: Path,
}

/// Nodes on a path, and the successors of each that are still to be looked at.
#[derive(Default)]
struct Path {
    frames: Vec<Frame>,
    /// Those of one node after those of another; a node in the upper bits, in the lowest its mark, then whether it wins.
    successors: Vec<u64>,
    scratch: Vec<Successor>,
}

struct Frame {
    node: Node,
    /// The edge over which the path came here has the mark.
    is_marked: bool,
    /// Where its successors begin, and which is next.
    first: usize,
    next: usize,
}

impl Path {
    fn push<S: Space>(&mut self, product: &mut Product<S>, node: Node, is_marked: bool) -> Result<(), Halt> {
        self.scratch.clear();
        let first = self.successors.len();
        self.frames.push(Frame { node, is_marked, first, next: first });
        product.successors(node, &mut self.scratch)?;
        let pack = |next: &Successor| next.node << 2 | u64::from(next.wins) << 1 | next.marks as u64 & 1;
        self.successors.extend(self.scratch.iter().map(pack));
        Ok(())
    }

    /// The next successor of the last node: node, mark, whether it wins.
    fn next(&mut self) -> Option<(Node, bool, bool)> {
        let frame = self.frames.last_mut()?;
        let successor = *self.successors.get(frame.next)?;
        frame.next += 1;
        Some((successor >> 2, successor & 1 == 1, successor >> 1 & 1 == 1))
    }

    fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.successors.truncate(frame.first);
        Some(frame)
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        self.frames.iter().map(|frame| frame.node)
    }

    fn bytes(&self) -> u64 {
        (self.frames.capacity() * size_of::<Frame>() + self.successors.capacity() * 8) as u64
    }
}

impl<S: Space> Search<'_, '_, S> {
    fn bytes(&self) -> u64 {
        self.product.space.bytes() + self.colours.bytes() + self.outer.bytes() + self.inner.bytes()
    }

    fn run(
        &mut self,
        is_single: bool,
        clock: &mut Clock,
        outcome: &mut CycleOutcome,
    ) -> Result<Option<Found>, Halt> {
        let initial = self.product.initial()?;
        self.enter(initial, false, clock, outcome)?;
        loop {
            let Some((node, is_marked, wins)) = self.outer.next() else {
                let Some(left) = self.outer.pop() else { return Ok(None) };
                if self.colours.get(left.node) == Colour::Cyan {
                    self.colours.set(left.node, Colour::Blue);
                }
                if left.is_marked
                    && !is_single
                    && let Some(found) = self.search_inside(left.node, clock, outcome)?
                {
                    return Ok(Some(found));
                }
                continue;
            };
            if wins {
                return Ok(Some(Found::prefix(self.outer.nodes())));
            }
            match self.colours.get(node) {
                Colour::White => {
                    let limit = clock.limits.depth.unwrap_or(u64::MAX);
                    if self.outer.frames.len() as u64 > limit {
                        outcome.depth_cut = true;
                        continue;
                    }
                    self.enter(node, is_marked, clock, outcome)?;
                }
                Colour::Cyan => {
                    outcome.statistics.matched += 1;
                    if is_marked {
                        return Ok(Some(Found::lasso(self.outer.nodes(), [], node)));
                    }
                }
                Colour::Blue => {
                    outcome.statistics.matched += 1;
                    if is_marked
                        && !is_single
                        && let Some(found) = self.search_inside(node, clock, outcome)?
                    {
                        return Ok(Some(found));
                    }
                }
                Colour::Red => outcome.statistics.matched += 1,
            }
        }
    }

    fn enter(
        &mut self,
        node: Node,
        is_marked: bool,
        clock: &mut Clock,
        outcome: &mut CycleOutcome,
    ) -> Result<(), Halt> {
        self.colours.set(node, Colour::Cyan);
        outcome.statistics.states += 1;
        outcome.visits += 1;
        self.outer.push(self.product, node, is_marked)?;
        outcome.statistics.depth = outcome.statistics.depth.max(self.outer.frames.len() as u64 - 1);
        clock.tick(outcome, self.product.space.effort(), || self.bytes())
    }

    /// Looks for a way from a node to the path of the outer search, unless that was done before.
    fn search_inside(
        &mut self,
        start: Node,
        clock: &mut Clock,
        outcome: &mut CycleOutcome,
    ) -> Result<Option<Found>, Halt> {
        let mut entering = (self.colours.get(start) == Colour::Blue).then_some(start);
        loop {
            if let Some(node) = entering.take() {
                self.colours.set(node, Colour::Red);
                outcome.visits += 1;
                self.inner.push(self.product, node, false)?;
                clock.tick(outcome, self.product.space.effort(), || self.bytes())?;
            }
            match self.inner.next() {
                Some((node, ..)) => match self.colours.get(node) {
                    Colour::Cyan => {
                        let inner: Vec<Node> = self.inner.nodes().collect();
                        return Ok(Some(Found::lasso(self.outer.nodes(), inner, node)));
                    }
                    Colour::Blue => entering = Some(node),
                    Colour::White | Colour::Red => {}
                },
                None => {
                    self.inner.pop();
                    if self.inner.frames.is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
    }
}
