//! The system and its observer, moving together.

use allways_system::{Acceptance, Condition, Letter, Observer, ObserverEdge};
use rustc_hash::FxHashMap;

use super::{CycleQuestion, Fairness, Halt, Pids, Space, View};

/// A state of the system and one of the observer, as a number.
pub type Node = u64;

/// A node that can be reached next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    pub node: Node,
    /// The marks of the way there: those of the observer, then one per process for weak fairness.
    pub marks: Pids,
    /// Who moves, if fairness matters.
    pub movers: Pids,
    /// The run is accepted, whatever follows; `node` is where it was found out.
    pub wins: bool,
}

/// What is asked of the marks of an accepted run.
#[derive(Clone, PartialEq, Debug)]
pub struct Demand {
    /// Of the observer's marks.
    pub condition: Condition,
    /// The marks of weak fairness: each infinitely often.
    pub fair: Pids,
    /// Marks of which the condition asks that they do not come again.
    pub not_again: Pids,
    /// All marks that have to come again, if nothing else is demanded.
    pub again: Option<Pids>,
}

impl Demand {
    /// The marks that a cycle has to have if these are there; none if these do not meet the demand.
    pub fn needed(&self, marks: Pids) -> Option<Pids> {
        match self.again {
            Some(again) => (marks & again == again).then_some(again),
            None if marks & self.fair != self.fair => None,
            None => self.condition.needed(marks).map(|needed| needed | self.fair),
        }
    }
}

/// Nodes and how they follow each other.
pub struct Product<'p, S> {
    pub space: S,
    observer: &'p Observer,
    pub fairness: Fairness,
    /// Marks are counted one after the other, as part of a node.
    n_levels: u64,
    view: View,
    /// The state that the view is of.
    viewed: Option<u32>,
    /// The marks of its letter.
    letter_marks: u64,
    /// The edges that can be taken, by their position, from states with many.
    admitted: FxHashMap<(u32, u64), Box<[u32]>>,
    /// Per observer state, whether it is part of a cycle on which all edges have all marks.
    component: Vec<Component>,
    /// Mark 0 of an edge says whether it is in an accepting component; the observer is weak.
    by_component: bool,
    /// Observer states that were met.
    pub met: Vec<bool>,
    /// Propositions that held in some state that was met, and those that did not in some.
    pub ever: u64,
    pub ever_not: u64,
    /// The processes that could move in some state that was met and have to be treated fairly there.
    pub ever_enabled: Pids,
    /// The observer had no way to go on somewhere: what lies beyond was not met.
    pub gave_up: bool,
}

impl<'p, S: Space> Product<'p, S> {
    /// With `levels` a run is accepted if it has infinitely many edges with mark 0; otherwise if it has all marks.
    pub fn new(space: S, question: &CycleQuestion<'p>, levels: bool) -> Product<'p, S> {
        let observer = question.observer;
        let component = components(observer);
        let by_component = levels && is_weak_with(observer, &component);
        Product {
            space,
            observer,
            fairness: question.fairness,
            n_levels: if levels && !by_component { observer.n_marks.max(1).into() } else { 1 },
            view: View::default(),
            viewed: None,
            letter_marks: 0,
            admitted: FxHashMap::default(),
            component,
            by_component,
            met: vec![false; observer.states.len()],
            ever: 0,
            ever_not: 0,
            ever_enabled: 0,
            gave_up: false,
        }
    }

    pub fn initial(&mut self) -> Result<Node, Halt> {
        let state = self.space.initial()?;
        Ok(self.node(state, self.observer.initial, 0))
    }

    pub fn state(&self, node: Node) -> u32 {
        (node / self.per_state()) as u32
    }

    pub fn observer_state(&self, node: Node) -> u32 {
        (node / self.n_levels % self.observer.states.len() as u64) as u32
    }

    /// What is asked of the marks of an accepted run.
    pub fn demand(&self) -> Demand {
        let fair = match self.fairness {
            Fairness::Weak => Pids::MAX << self.observer.n_marks,
            _ => 0,
        };
        let condition = self.observer.condition();
        let not_again = condition.not_again();
        let all = (1 << self.observer.n_marks) - 1;
        let is_simple = self.observer.acceptance == Acceptance::AllMarks;
        Demand { condition, fair, not_again, again: is_simple.then_some(fair | all) }
    }

    fn per_state(&self) -> u64 {
        self.observer.states.len() as u64 * self.n_levels
    }

    fn node(&self, state: u32, observer: u32, level: u64) -> Node {
        (u64::from(state) * self.observer.states.len() as u64 + u64::from(observer)) * self.n_levels + level
    }

    /// Which processes can move, for strong fairness; right after [`Product::successors`].
    pub fn enabled(&self) -> Pids {
        self.view.enabled
    }

    /// Appends the successors of a node. The observer moves first.
    pub fn successors(&mut self, node: Node, into: &mut Vec<Successor>) -> Result<(), Halt> {
        let state = self.state(node);
        if self.viewed != Some(state) {
            self.viewed = None;
            self.space.look(state, &mut self.view)?;
            self.viewed = Some(state);
            let Letter { holds, unknown } = self.view.letter;
            self.ever |= holds;
            self.ever_not |= !(holds | unknown);
            self.ever_enabled |= self.view.enabled;
            self.letter_marks = self.observer.marks_of_letter(holds);
        }
        let from = self.observer_state(node);
        self.met[from as usize] = true;
        let observer = self.observer;
        if observer.lacks(from, self.view.letter) {
            return Err(Halt::Letter);
        }
        let letter = self.view.letter.holds;
        let n_before = into.len();
        let edges = &observer.states[from as usize].edges;
        if edges.len() < MANY_EDGES {
            for edge in edges.iter().filter(|edge| edge.admits(letter)) {
                self.follow(node, edge, into);
            }
        } else {
            let known = self.admitted.remove(&(from, letter));
            let admitted = known.unwrap_or_else(|| {
                let positions = 0..edges.len() as u32;
                positions.filter(|position| edges[*position as usize].admits(letter)).collect()
            });
            admitted.iter().for_each(|position| self.follow(node, &edges[*position as usize], into));
            self.admitted.insert((from, letter), admitted);
        }
        self.gave_up |= into.len() == n_before && !self.view.moves.is_empty();
        Ok(())
    }

    /// Appends the nodes behind an edge of the observer that can be taken.
    #[inline]
    fn follow(&self, node: Node, edge: &ObserverEdge, into: &mut Vec<Successor>) {
        let observer = self.observer;
        let (state, from, level) = (self.state(node), self.observer_state(node), node % self.n_levels);
        if edge.fails || observer.states[edge.target as usize].is_final {
            into.push(Successor { node, marks: 0, movers: 0, wins: true });
            return;
        }
        let (level, marks) = match self.n_levels {
            1 if self.by_component => (0, self.is_accepting(from, edge.target).into()),
            1 => (0, (edge.marks | self.letter_marks).into()),
            n => next_level(level, edge.marks, n),
        };
        let View { is_stuck, enabled, .. } = self.view;
        let mut push = |target, movers: Pids| {
            let waits = enabled & !movers;
            let fair = if self.fairness == Fairness::Weak { !waits << observer.n_marks } else { 0 };
            let node = self.node(target, edge.target, level);
            into.push(Successor { node, marks: marks | fair, movers, wins: false });
        };
        if is_stuck && observer.stutters {
            push(state, 0);
        }
        self.view.moves.iter().for_each(|next| push(next.target, next.movers));
    }

    /// Whether an edge of a weak observer is in an accepting component.
    fn is_accepting(&self, from: u32, to: u32) -> bool {
        let (from, to) = (self.component[from as usize], self.component[to as usize]);
        from.number == to.number && from.is_accepting
    }
}

/// All marks that can be counted are, in one step: mark 0 of the result says that all were met once more.
pub fn next_level(level: u64, marks: u64, n_levels: u64) -> (u64, Pids) {
    let mut level = level;
    while level < n_levels && marks >> level & 1 == 1 {
        level += 1;
    }
    if level == n_levels { (0, 1) } else { (level, 0) }
}

/// A strongly connected component of an observer.
#[derive(Clone, Copy, Debug)]
struct Component {
    number: u32,
    /// It has a cycle, and every edge inside has all marks.
    is_accepting: bool,
    /// It has a cycle with some marks, but not every cycle has all.
    is_mixed: bool,
}

/// Whether every cycle of the observer has all marks, or none of its component has.
pub fn is_weak(observer: &Observer) -> bool {
    is_weak_with(observer, &components(observer))
}

fn is_weak_with(observer: &Observer, components: &[Component]) -> bool {
    observer.is_generalized_buchi()
        && observer.states.len() < MANY
        && components.iter().all(|component| !component.is_mixed)
}

/// With more states than this an observer is not looked at closely.
const MANY: usize = 2000;
/// Of a state with so many edges it is remembered which a letter admits.
const MANY_EDGES: usize = 16;

fn components(observer: &Observer) -> Vec<Component> {
    let n = observer.states.len();
    let successors = |state: usize| observer.states[state].edges.iter().map(|edge| edge.target as usize);
    let numbers = strongly_connected(n, successors);
    let all = ((1u128 << observer.n_marks) - 1) as u64;
    let mut seen = vec![None::<u64>; n];
    let mut lacking = vec![false; n];
    for (state, of) in observer.states.iter().enumerate() {
        for edge in of.edges.iter().filter(|edge| numbers[edge.target as usize] == numbers[state]) {
            let number = numbers[state] as usize;
            seen[number] = Some(seen[number].unwrap_or(0) | edge.marks);
            lacking[number] |= edge.marks & all != all;
        }
    }
    let component = |number: u32| {
        let (seen, lacking) = (seen[number as usize], lacking[number as usize]);
        let could_accept = seen.is_some_and(|seen| seen & all == all);
        Component { number, is_accepting: could_accept && !lacking, is_mixed: could_accept && lacking }
    };
    numbers.iter().map(|number| component(*number)).collect()
}

/// The component of each vertex, by Tarjan's algorithm.
pub fn strongly_connected<I: Iterator<Item = usize>>(n: usize, successors: impl Fn(usize) -> I) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let (mut index, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    let (mut next_index, mut next_component) = (0, 0);
    let mut live: Vec<usize> = Vec::new();
    for start in 0..n {
        if index[start] != NONE {
            continue;
        }
        let mut frames: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut entering = Some(start);
        loop {
            if let Some(vertex) = entering.take() {
                (index[vertex], low[vertex]) = (next_index, next_index);
                next_index += 1;
                live.push(vertex);
                frames.push((vertex, successors(vertex).collect()));
            }
            let Some((vertex, rest)) = frames.last_mut() else { break };
            let vertex = *vertex;
            match rest.pop() {
                Some(next) if index[next] == NONE => entering = Some(next),
                Some(next) if component[next] == NONE => low[vertex] = low[vertex].min(index[next]),
                Some(_) => {}
                None => {
                    frames.pop();
                    if low[vertex] == index[vertex] {
                        while let Some(member) = live.pop() {
                            component[member] = next_component;
                            if member == vertex {
                                break;
                            }
                        }
                        next_component += 1;
                    }
                    if let Some((parent, _)) = frames.last() {
                        low[*parent] = low[*parent].min(low[vertex]);
                    }
                }
            }
        }
    }
    component
}
