//! Büchi automata as data, and the questions one asks about them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::scc::components;
use crate::{Label, Lasso, to_buchi};

/// A transition-based generalized Büchi automaton.
///
/// A run is accepting if it takes edges of every acceptance set infinitely often; with no set, every infinite run is.
/// A state-based Büchi automaton is the special case of one set in which a state's edges are all or not at all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Automaton {
    /// Labels speak of propositions below this; at most 64.
    pub n_propositions: u32,
    /// How many acceptance sets; at most 64.
    pub n_marks: u32,
    /// Where runs start.
    pub initial: u32,
    /// The edges of each state; never empty.
    pub states: Vec<Vec<Edge>>,
}

/// A step of an automaton.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The letters with which the step can be taken.
    pub label: Label,
    /// The state after it.
    pub target: u32,
    /// Bit i: the edge is in acceptance set i.
    pub marks: u64,
}

/// How hard it is to find accepting runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// Once a state of an accepting component is reached, every continuation is accepted: reachability suffices.
    Terminal,
    /// In each component every cycle is accepting or none is: any cycle in an accepting component will do.
    Weak,
    /// Anything else.
    Strong,
}

/// The strongly connected components of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sccs {
    /// The component of each state; edges lead to the same or a smaller number.
    pub of: Vec<u32>,
    /// What each component is like.
    pub kinds: Vec<SccKind>,
}

/// What the cycles of a component are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SccKind {
    /// A single state without a self-loop.
    Transient,
    /// No accepting cycle.
    Rejecting,
    /// Every cycle is accepting.
    Accepting,
    /// There are accepting cycles and others.
    Mixed,
}

impl Automaton {
    /// The automaton that accepts nothing: one state, no edge.
    pub fn empty(n_propositions: u32) -> Automaton {
        Automaton { n_propositions, n_marks: 0, initial: 0, states: vec![Vec::new()] }
    }

    /// A word with every mark on it.
    pub fn all_marks(&self) -> u64 {
        all_marks(self.n_marks)
    }

    /// How many edges; each is one line of a never claim.
    pub fn n_edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// Whether marks depend on states alone, and there is one set: what a never claim can say.
    pub fn is_state_based(&self) -> bool {
        self.n_marks == 1
            && self.states.iter().all(|edges| edges.windows(2).all(|w| w[0].marks == w[1].marks))
    }

    /// Whether a state of a state-based automaton is accepting. A state without edges is not.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.states[state as usize].first().is_some_and(|edge| edge.marks & 1 == 1)
    }
}

pub(crate) fn all_marks(n_marks: u32) -> u64 {
    if n_marks == 0 { 0 } else { u64::MAX >> (64 - n_marks.min(64)) }
}

/// The components, and what their cycles are like.
pub fn sccs(automaton: &Automaton) -> Sccs {
    let edges = |s: usize| automaton.states[s].iter().map(|e| (e.target as usize, e.marks));
    classify_components(automaton.states.len(), automaton.n_marks, edges)
}

pub(crate) fn classify_components<'a, I>(n: usize, n_marks: u32, edges: impl Fn(usize) -> I) -> Sccs
where
    I: Iterator<Item = (usize, u64)> + 'a,
{
    let (of, n_components) = components(n, |s| edges(s).map(|(t, _)| t));
    let mut union = vec![0u64; n_components];
    let mut common = vec![u64::MAX; n_components];
    let mut has_edge = vec![false; n_components];
    let mut members = vec![Vec::new(); n_components];
    for s in 0..n {
        let c = of[s] as usize;
        members[c].push(s);
        for (t, marks) in edges(s).filter(|(t, _)| of[*t] == of[s]) {
            debug_assert_eq!(of[t], of[s]);
            has_edge[c] = true;
            union[c] |= marks;
            common[c] &= marks;
        }
    }
    let all = all_marks(n_marks);
    let kinds = (0..n_components)
        .map(|c| {
            if !has_edge[c] {
                SccKind::Transient
            } else if union[c] & all != all {
                SccKind::Rejecting
            } else if common[c] & all == all
                || (0..n_marks).all(|mark| !cycle_without(&members[c], mark, &of, &edges))
            {
                SccKind::Accepting
            } else {
                SccKind::Mixed
            }
        })
        .collect();
    Sccs { of, kinds }
}

/// Whether the component has a cycle that avoids an acceptance set.
fn cycle_without<'a, I>(members: &[usize], mark: u32, of: &[u32], edges: &impl Fn(usize) -> I) -> bool
where
    I: Iterator<Item = (usize, u64)> + 'a,
{
    let index: FxHashMap<usize, usize> = members.iter().enumerate().map(|(i, s)| (*s, i)).collect();
    let inner: Vec<Vec<usize>> = members
        .iter()
        .map(|s| {
            edges(*s)
                .filter(|(t, marks)| of[*t] == of[*s] && marks >> mark & 1 == 0)
                .map(|(t, _)| index[&t])
                .collect()
        })
        .collect();
    let (_, n_components) = components(members.len(), |i| inner[i].iter().copied());
    n_components < members.len() || inner.iter().enumerate().any(|(i, targets)| targets.contains(&i))
}

/// How hard it is to find accepting runs.
pub fn strength(automaton: &Automaton) -> Strength {
    let sccs = sccs(automaton);
    if sccs.kinds.contains(&SccKind::Mixed) {
        return Strength::Strong;
    }
    let accepting = |s: u32| sccs.kinds[sccs.of[s as usize] as usize] == SccKind::Accepting;
    let terminal = (0..automaton.states.len()).filter(|s| accepting(*s as u32)).all(|s| {
        let stay = automaton.states[s].iter().filter(|e| accepting(e.target));
        stay.fold(Label::never(), |label, e| label.or(&e.label)).is_true()
    });
    if terminal { Strength::Terminal } else { Strength::Weak }
}

/// A state with an unconditional self-loop that carries all marks: whoever reaches it has won.
pub fn accepting_sink(automaton: &Automaton) -> Option<u32> {
    let all = automaton.all_marks();
    (0..automaton.states.len() as u32).find(|s| {
        let loops = automaton.states[*s as usize].iter().filter(|e| e.target == *s && e.marks & all == all);
        loops.fold(Label::never(), |label, e| label.or(&e.label)).is_true()
    })
}

/// Whether no state has two edges for the same letter.
pub fn is_deterministic(automaton: &Automaton) -> bool {
    automaton.states.iter().all(|edges| is_deterministic_state(edges))
}

pub(crate) fn is_deterministic_state(edges: &[Edge]) -> bool {
    edges.iter().enumerate().all(|(i, a)| edges[i + 1..].iter().all(|b| !a.label.intersects(&b.label)))
}

/// Whether the automaton has an accepting run over the word.
pub fn accepts(automaton: &Automaton, word: &Lasso) -> bool {
    if word.is_empty() {
        return false;
    }
    let length = word.len();
    let node = |state: u32, position: usize| state as usize * length + position;
    let n = automaton.states.len() * length;
    let mut seen = vec![false; n];
    let mut graph: Vec<Vec<(u32, u64)>> = vec![Vec::new(); n];
    let mut todo = vec![(automaton.initial, 0)];
    seen[node(automaton.initial, 0)] = true;
    while let Some((state, position)) = todo.pop() {
        let letter = word.letter(position);
        let next = word.next(position);
        for edge in automaton.states[state as usize].iter().filter(|e| e.label.contains(letter)) {
            let target = node(edge.target, next);
            graph[node(state, position)].push((target as u32, edge.marks));
            if !std::mem::replace(&mut seen[target], true) {
                todo.push((edge.target, next));
            }
        }
    }
    has_accepting_component(&graph, automaton.n_marks)
}

/// Whether some component of a graph has all marks on its edges.
fn has_accepting_component(graph: &[Vec<(u32, u64)>], n_marks: u32) -> bool {
    let (of, n_components) = components(graph.len(), |s| graph[s].iter().map(|(t, _)| *t as usize));
    let all = all_marks(n_marks);
    let mut marks = vec![None; n_components];
    for (s, edges) in graph.iter().enumerate() {
        for (_, edge_marks) in edges.iter().filter(|(t, _)| of[*t as usize] == of[s]) {
            *marks[of[s] as usize].get_or_insert(0) |= edge_marks;
        }
    }
    marks.into_iter().flatten().any(|m: u64| m & all == all)
}

/// The words that both accept.
pub fn intersection(a: &Automaton, b: &Automaton) -> Automaton {
    if a.n_marks + b.n_marks > 64 {
        return intersection(&to_buchi(a), &to_buchi(b));
    }
    let mut product = Automaton {
        n_propositions: a.n_propositions.max(b.n_propositions),
        n_marks: a.n_marks + b.n_marks,
        initial: 0,
        states: Vec::new(),
    };
    let mut index = FxHashMap::default();
    let mut pairs = vec![(a.initial, b.initial)];
    index.insert(pairs[0], 0u32);
    let mut next = 0;
    while next < pairs.len() {
        let (s, t) = pairs[next];
        next += 1;
        let mut edges = Vec::new();
        for x in &a.states[s as usize] {
            for y in &b.states[t as usize] {
                let label = x.label.and(&y.label);
                if label.is_false() {
                    continue;
                }
                let target = *index.entry((x.target, y.target)).or_insert_with(|| {
                    pairs.push((x.target, y.target));
                    pairs.len() as u32 - 1
                });
                edges.push(Edge { label, target, marks: x.marks | shifted(y.marks, a.n_marks) });
            }
        }
        product.states.push(edges);
    }
    product
}

fn shifted(marks: u64, by: u32) -> u64 {
    marks.checked_shl(by).unwrap_or(0)
}

/// The words that one of them accepts.
pub fn union(a: &Automaton, b: &Automaton) -> Automaton {
    let n_marks = a.n_marks.max(b.n_marks);
    let mut states = vec![Vec::new()];
    for part in [a, b] {
        let offset = states.len() as u32;
        // Sets that only the other has are on all edges of this one.
        let more = all_marks(n_marks) & !part.all_marks();
        let moved =
            |e: &Edge| Edge { label: e.label.clone(), target: e.target + offset, marks: e.marks | more };
        let first: Vec<Edge> = part.states[part.initial as usize].iter().map(moved).collect();
        states[0].extend(first);
        states.extend(part.states.iter().map(|edges| edges.iter().map(moved).collect()));
    }
    let n_propositions = a.n_propositions.max(b.n_propositions);
    restrict_to_reachable(&Automaton { n_propositions, n_marks, initial: 0, states })
}

/// Drops states that no run visits; the initial state becomes number 0, the others follow in breadth-first order.
pub(crate) fn restrict_to_reachable(automaton: &Automaton) -> Automaton {
    let mut number = vec![u32::MAX; automaton.states.len()];
    let mut order = vec![automaton.initial];
    number[automaton.initial as usize] = 0;
    let mut next = 0;
    while next < order.len() {
        for edge in &automaton.states[order[next] as usize] {
            if number[edge.target as usize] == u32::MAX {
                number[edge.target as usize] = order.len() as u32;
                order.push(edge.target);
            }
        }
        next += 1;
    }
    let renumber = |e: &Edge| Edge { target: number[e.target as usize], ..e.clone() };
    Automaton {
        initial: 0,
        states: order.iter().map(|s| automaton.states[*s as usize].iter().map(renumber).collect()).collect(),
        ..*automaton
    }
}

/// A short accepted word, none if there is no accepted word at all.
///
/// The way to each state is a shortest one. In an accepting component a cycle is built greedily: to the nearest edge
/// with a mark that is missing, and home when all are there. Several places to start are tried.
pub fn witness(automaton: &Automaton) -> Option<Lasso> {
    const TRIES: usize = 64;
    let graph = |s: u32| automaton.states[s as usize].iter().filter(|e| !e.label.is_false());
    let way = breadth_first(automaton, automaton.initial, |_| true);
    let sccs = sccs(automaton);
    let lives = |s: u32| {
        way.contains_key(&s)
            && matches!(sccs.kinds[sccs.of[s as usize] as usize], SccKind::Accepting | SccKind::Mixed)
    };
    let mut best: Option<Lasso> = None;
    let mut homes: Vec<u32> = (0..automaton.states.len() as u32).filter(|s| lives(*s)).collect();
    homes.sort_by_key(|s| (way[s].0, *s));
    for home in homes.into_iter().take(TRIES) {
        let inside = |t: u32| sccs.of[t as usize] == sccs.of[home as usize];
        let mut cycle = Vec::new();
        let (mut here, mut missing) = (home, automaton.all_marks());
        let found = loop {
            let ways = breadth_first(automaton, here, inside);
            // The nearest edge that helps; with nothing missing, the nearest that leads home.
            let helps = |e: &Edge| if missing == 0 { e.target == home } else { e.marks & missing != 0 };
            let mut reached: Vec<(&u32, usize)> = ways.iter().map(|(s, (d, _))| (s, *d)).collect();
            reached.sort_by_key(|(s, d)| (*d, **s));
            if missing == 0 && here == home && !cycle.is_empty() {
                break true;
            }
            let Some((at, edge)) = reached
                .iter()
                .find_map(|(s, _)| graph(**s).find(|e| inside(e.target) && helps(e)).map(|e| (**s, e)))
            else {
                break false;
            };
            for e in path(&ways, here, at).into_iter().chain([edge]) {
                missing &= !e.marks;
                cycle.push(e.label.letter().unwrap_or(0));
            }
            here = edge.target;
        };
        if !found {
            continue;
        }
        let prefix: Vec<u64> =
            path(&way, automaton.initial, home).iter().map(|e| e.label.letter().unwrap_or(0)).collect();
        let lasso = Lasso { prefix, cycle };
        if best.as_ref().is_none_or(|b| lasso.len() < b.len()) {
            best = Some(lasso);
        }
    }
    best
}

/// For each state that can be reached: how far it is, and the state before it with the edge taken.
type Ways<'a> = FxHashMap<u32, (usize, Option<(u32, &'a Edge)>)>;

fn breadth_first(automaton: &Automaton, from: u32, allowed: impl Fn(u32) -> bool) -> Ways<'_> {
    let mut ways = Ways::default();
    ways.insert(from, (0, None));
    let mut queue = VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        let distance = ways[&state].0;
        for edge in automaton.states[state as usize].iter().filter(|e| !e.label.is_false()) {
            if allowed(edge.target) && !ways.contains_key(&edge.target) {
                ways.insert(edge.target, (distance + 1, Some((state, edge))));
                queue.push_back(edge.target);
            }
        }
    }
    ways
}

fn path<'a>(ways: &Ways<'a>, from: u32, to: u32) -> Vec<&'a Edge> {
    let mut edges = Vec::new();
    let mut here = to;
    while here != from
        && let Some((_, Some((before, edge)))) = ways.get(&here)
    {
        edges.push(*edge);
        here = *before;
    }
    edges.reverse();
    edges
}

/// State-based acceptance without any cleverness: a copy of every state for each number of sets met in order.
pub(crate) fn unfold_sets(automaton: &Automaton) -> Automaton {
    let copies = automaton.n_marks + 1;
    let mut states = Vec::new();
    for edges in &automaton.states {
        for level in 0..copies {
            let top = automaton.n_marks;
            let from = if level == top { 0 } else { level };
            let step = |e: &Edge| {
                let met = from + (e.marks >> from.min(63)).trailing_ones().min(top - from);
                Edge {
                    label: e.label.clone(),
                    target: e.target * copies + met,
                    marks: u64::from(level == top),
                }
            };
            states.push(edges.iter().map(step).collect());
        }
    }
    let n_propositions = automaton.n_propositions;
    let result = Automaton { n_propositions, n_marks: 1, initial: automaton.initial * copies, states };
    restrict_to_reachable(&result)
}
