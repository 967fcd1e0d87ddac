//! Boolean combinations of temporal formulas, with an acceptance condition that combines what the parts accept.
//!
//! A generalized Büchi automaton for a Boolean combination has to guess which parts hold, so it needs a component for each
//! way to make the combination true: 2^n for n conjuncts `[]<>a -> []<>b`. Here the parts stay apart. `[]<>b` and
//! `<>[]b`, for a Boolean `b`, need no state: letters have marks ([`LetterMark`]). Each other part has an automaton of
//! its own, which is complete, and all of them read the word side by side. The combination itself becomes an Emerson-Lei
//! condition on the marks. Parts that occur as they are and negated share an automaton if they are obligations, because
//! these have weak deterministic automata (`weak.rs`). If marks turn out to be all the same within each component the
//! result is a weak automaton again.
//!
//! The parts may be nondeterministic: what a formula in negation normal form asks of its parts grows with them, and runs of
//! different parts are chosen independently.

mod forms;

use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Bdds};
use crate::hoa::Acceptance;
use crate::prune::prune;
use crate::scc::components;
use crate::simulation::merge_equal;
use crate::symbolic::{Arc, Symbolic};
use crate::terms::{Node, Term, Terms};
use crate::translate::{TooLarge, TranslateOptions, ordinary, too_many_nodes};
use crate::weak::{Weak, minimal_weak, minimise};
use crate::{Automaton, Edge, Label};

/// An automaton with an Emerson-Lei condition, of whose marks some depend on letters alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmersonLei {
    /// How many propositions letters have.
    pub n_propositions: u32,
    /// How many marks there are; at most 64.
    pub n_marks: u32,
    /// Where runs start.
    pub initial: u32,
    /// The edges of each state.
    pub states: Vec<Vec<Edge>>,
    /// Marks that every edge has for some letters, beside its own.
    pub letter_marks: Vec<LetterMark>,
    /// Over the marks.
    pub acceptance: Acceptance,
}

/// A mark of every edge that is taken with some letters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LetterMark {
    /// The letters.
    pub label: Label,
    /// The number of the mark.
    pub mark: u32,
}

/// What a formula became.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Translation {
    /// A generalized Büchi automaton.
    Buchi(Automaton),
    /// One with another condition.
    EmersonLei(EmersonLei),
}

/// Arcs of a combination, and parts of its condition.
const MOST_ARCS: usize = 200_000;
const MOST_CONDITION: usize = 20_000;

// ---- the formula as a combination

/// A number in [`Combination::parts`].
type Part = usize;

enum PartNode {
    Constant(bool),
    /// A leaf, as it is or negated.
    Leaf(usize, bool),
    All(Vec<Part>),
    Any(Vec<Part>),
}

enum Leaf {
    /// Letters come again and again.
    Again(Bdd),
    /// Any other formula.
    Formula(Term),
}

/// A formula in negation normal form as a Boolean combination of leaves; equal parts are stored once.
pub(crate) struct Combination {
    parts: Vec<PartNode>,
    leaves: Vec<Leaf>,
    known: FxHashMap<Term, Part>,
    root: Part,
}

impl Combination {
    pub fn new(terms: &mut Terms, term: Term) -> Combination {
        let mut combination =
            Combination { parts: Vec::new(), leaves: Vec::new(), known: FxHashMap::default(), root: 0 };
        // What has to hold anyway is one leaf: its automaton is smaller than those of its parts side by side.
        let mut parts = match terms.node(term).clone() {
            Node::And(parts) => parts,
            _ => vec![term],
        };
        let mut together = Vec::new();
        parts.retain(|part| {
            let is_leaf = !matches!(terms.node(*part), Node::Or(_)) && !terms.is_suspendable(*part);
            if is_leaf {
                together.push(*part);
            }
            !is_leaf
        });
        let mut all: Vec<Part> = parts.into_iter().map(|part| combination.part(terms, part)).collect();
        if !together.is_empty() {
            let together = terms.and(together);
            all.push(match terms.node(together) {
                Node::Bool(_) => combination.part(terms, together),
                _ => combination.leaf(terms, together),
            });
        }
        combination.root = combination.push(PartNode::All(all));
        combination
    }

    fn push(&mut self, node: PartNode) -> Part {
        self.parts.push(node);
        self.parts.len() - 1
    }

    fn part(&mut self, terms: &mut Terms, term: Term) -> Part {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        let part = if let Some(part) = self.suspendable(terms, term) {
            part
        } else {
            match terms.node(term).clone() {
                Node::Bool(b) if b.is_true() || b.is_false() => self.push(PartNode::Constant(b.is_true())),
                Node::And(parts) => {
                    let parts = parts.into_iter().map(|part| self.part(terms, part)).collect();
                    self.push(PartNode::All(parts))
                }
                Node::Or(parts) => {
                    let parts = parts.into_iter().map(|part| self.part(terms, part)).collect();
                    self.push(PartNode::Any(parts))
                }
                _ => self.leaf(terms, term),
            }
        };
        self.known.insert(term, part);
        part
    }

    fn leaf(&mut self, terms: &mut Terms, term: Term) -> Part {
        let negated = terms.not(term);
        let is = |leaf: &Leaf, sought: Term| matches!(leaf, Leaf::Formula(term) if *term == sought);
        if let Some(leaf) = self.leaves.iter().position(|leaf| is(leaf, negated)) {
            return self.push(PartNode::Leaf(leaf, false));
        }
        self.leaves.push(Leaf::Formula(term));
        self.push(PartNode::Leaf(self.leaves.len() - 1, true))
    }

    /// Letters come again and again, or do not.
    fn again(&mut self, letters: Bdd, positive: bool) -> Part {
        if letters.is_true() || letters.is_false() {
            return self.push(PartNode::Constant(letters.is_true() == positive));
        }
        let known =
            self.leaves.iter().position(|leaf| matches!(leaf, Leaf::Again(known) if *known == letters));
        let leaf = known.unwrap_or_else(|| {
            self.leaves.push(Leaf::Again(letters));
            self.leaves.len() - 1
        });
        self.push(PartNode::Leaf(leaf, positive))
    }

    /// A formula about the far future, as a combination of letters that come again and again; none if it is not one.
    fn suspendable(&mut self, terms: &mut Terms, term: Term) -> Option<Part> {
        match *terms.node(term) {
            Node::G(f) => match *terms.node(f) {
                Node::F(g) => self.infinitely_often(terms, g),
                _ if terms.is_suspendable(f) => self.suspendable(terms, f),
                _ => None,
            },
            Node::F(f) => match *terms.node(f) {
                Node::G(g) => self.almost_always(terms, g),
                _ if terms.is_suspendable(f) => self.suspendable(terms, f),
                _ => None,
            },
            Node::X(f) if terms.is_suspendable(f) => self.suspendable(terms, f),
            Node::And(_) | Node::Or(_) if terms.is_suspendable(term) => {
                let (parts, all) = match terms.node(term).clone() {
                    Node::And(parts) => (parts, true),
                    Node::Or(parts) => (parts, false),
                    _ => return None,
                };
                let parts: Option<Vec<Part>> =
                    parts.into_iter().map(|part| self.suspendable(terms, part)).collect();
                Some(self.push(if all { PartNode::All(parts?) } else { PartNode::Any(parts?) }))
            }
            _ => None,
        }
    }

    /// `[]<>` of a term.
    fn infinitely_often(&mut self, terms: &mut Terms, term: Term) -> Option<Part> {
        match terms.node(term).clone() {
            Node::Bool(letters) => Some(self.again(letters, true)),
            _ if terms.is_suspendable(term) => self.suspendable(terms, term),
            Node::X(f) | Node::F(f) | Node::U(_, f) => self.infinitely_often(terms, f),
            Node::G(f) => self.almost_always(terms, f),
            Node::W(f, g) => {
                let parts = vec![self.infinitely_often(terms, g)?, self.almost_always(terms, f)?];
                Some(self.push(PartNode::Any(parts)))
            }
            Node::Or(parts) => {
                let parts: Option<Vec<Part>> =
                    parts.into_iter().map(|part| self.infinitely_often(terms, part)).collect();
                Some(self.push(PartNode::Any(parts?)))
            }
            Node::M(f, g) => {
                let both = terms.and(vec![f, g]);
                self.infinitely_often(terms, both)
            }
            Node::R(f, g) => {
                let both = terms.and(vec![f, g]);
                let parts = vec![self.infinitely_often(terms, both)?, self.almost_always(terms, g)?];
                Some(self.push(PartNode::Any(parts)))
            }
            Node::And(parts) => {
                let (far, near): (Vec<Term>, Vec<Term>) =
                    parts.into_iter().partition(|part| terms.is_suspendable(*part));
                if far.is_empty() {
                    return None;
                }
                let near = terms.and(near);
                let mut all = vec![self.infinitely_often(terms, near)?];
                for part in far {
                    all.push(self.suspendable(terms, part)?);
                }
                Some(self.push(PartNode::All(all)))
            }
        }
    }

    /// `<>[]` of a term.
    fn almost_always(&mut self, terms: &mut Terms, term: Term) -> Option<Part> {
        match terms.node(term).clone() {
            Node::Bool(letters) => {
                let others = terms.bdds.not(letters);
                Some(self.again(others, false))
            }
            _ if terms.is_suspendable(term) => self.suspendable(terms, term),
            Node::X(f) | Node::G(f) | Node::R(_, f) => self.almost_always(terms, f),
            Node::F(f) => self.infinitely_often(terms, f),
            Node::W(f, g) => {
                let either = terms.or(vec![f, g]);
                self.almost_always(terms, either)
            }
            Node::U(f, g) => {
                let either = terms.or(vec![f, g]);
                let parts = vec![self.almost_always(terms, either)?, self.infinitely_often(terms, g)?];
                Some(self.push(PartNode::All(parts)))
            }
            Node::M(f, g) => {
                let parts = vec![self.almost_always(terms, g)?, self.infinitely_often(terms, f)?];
                Some(self.push(PartNode::All(parts)))
            }
            Node::And(parts) => {
                let parts: Option<Vec<Part>> =
                    parts.into_iter().map(|part| self.almost_always(terms, part)).collect();
                Some(self.push(PartNode::All(parts?)))
            }
            Node::Or(parts) => {
                let (far, near): (Vec<Term>, Vec<Term>) =
                    parts.into_iter().partition(|part| terms.is_suspendable(*part));
                if far.is_empty() {
                    return None;
                }
                let near = terms.or(near);
                let mut any = vec![self.almost_always(terms, near)?];
                for part in far {
                    any.push(self.suspendable(terms, part)?);
                }
                Some(self.push(PartNode::Any(any)))
            }
        }
    }

    /// Whether some leaf is about letters that come again and again.
    pub fn has_letters(&self) -> bool {
        self.leaves.iter().any(|leaf| matches!(leaf, Leaf::Again(_)))
    }

    /// How many ways there are to make it true: the length of its disjunctive normal form, before anything is simplified.
    pub fn n_ways(&self) -> u64 {
        let mut ways: Vec<u64> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            ways.push(match part {
                PartNode::Constant(value) => u64::from(*value),
                PartNode::Leaf(..) => 1,
                PartNode::All(parts) => parts.iter().fold(1, |all, part| all.saturating_mul(ways[*part])),
                PartNode::Any(parts) => parts.iter().fold(0, |all, part| all.saturating_add(ways[*part])),
            });
        }
        ways[self.root]
    }

    /// Whether it is true, given what is known of the leaves.
    fn value(&self, leaf: impl Fn(usize, bool) -> Option<bool>) -> Option<bool> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let decided = |parts: &[Part], by: bool| {
                if parts.iter().any(|part| values[*part] == Some(by)) {
                    Some(by)
                } else if parts.iter().all(|part| values[*part] == Some(!by)) {
                    Some(!by)
                } else {
                    None
                }
            };
            let value = match part {
                PartNode::Constant(value) => Some(*value),
                PartNode::Leaf(number, positive) => leaf(*number, *positive),
                PartNode::All(parts) => decided(parts, false),
                PartNode::Any(parts) => decided(parts, true),
            };
            values.push(value);
        }
        values[self.root]
    }

    /// The condition, if every literal has one.
    fn condition(
        &self,
        part: Part,
        literal: &dyn Fn(usize, bool) -> Acceptance,
        size: &mut usize,
    ) -> Acceptance {
        *size += 1;
        if *size > MOST_CONDITION {
            return Acceptance::True;
        }
        let (parts, all) = match &self.parts[part] {
            PartNode::Constant(value) => return if *value { Acceptance::True } else { Acceptance::False },
            PartNode::Leaf(leaf, positive) => return literal(*leaf, *positive),
            PartNode::All(parts) => (parts, true),
            PartNode::Any(parts) => (parts, false),
        };
        let parts = parts.iter().map(|part| self.condition(*part, literal, size)).collect();
        joined(parts, all)
    }
}

/// All or any of some conditions, without nesting of the same kind and without constants.
fn joined(parts: Vec<Acceptance>, all: bool) -> Acceptance {
    let (neutral, decisive) = match all {
        true => (Acceptance::True, Acceptance::False),
        false => (Acceptance::False, Acceptance::True),
    };
    let mut kept: Vec<Acceptance> = Vec::new();
    for part in parts {
        match part {
            Acceptance::And(more) if all => kept.extend(more),
            Acceptance::Or(more) if !all => kept.extend(more),
            part if part == neutral => {}
            part if part == decisive => return decisive,
            part if kept.contains(&part) => {}
            part => kept.push(part),
        }
    }
    match kept.len() {
        0 => neutral,
        1 => kept.remove(0),
        _ if all => Acceptance::And(kept),
        _ => Acceptance::Or(kept),
    }
}

// ---- automata side by side

/// The automaton of a leaf; complete.
struct Component {
    states: Vec<Vec<Arc>>,
    initial: usize,
    /// All of its marks, as bits of the whole; the leaf is true of a run that has each again and again.
    marks: u64,
    /// Nothing is accepted from this state.
    sink: Option<usize>,
    is_deterministic: bool,
}

/// Leaf by leaf: what makes it true, and what makes its negation true.
#[derive(Clone, Copy, Default)]
struct Meaning {
    /// The number of the component and whether all of its marks have to come again; otherwise none must.
    positive: Option<(usize, bool)>,
    negative: Option<(usize, bool)>,
    /// Of letters.
    mark: Option<u32>,
}

/// An automaton for the combination, or what there is too much of.
pub(crate) fn combined(
    terms: &mut Terms,
    combination: &Combination,
    n_propositions: u32,
    options: &TranslateOptions,
) -> Result<Translation, TooLarge> {
    let mut side_by_side = SideBySide {
        combination,
        components: Vec::new(),
        meanings: vec![Meaning::default(); combination.leaves.len()],
        letters: Vec::new(),
        n_marks: 0,
    };
    side_by_side.add_leaves(terms, options)?;
    let product = side_by_side.product(&mut terms.bdds, options)?;
    let result = side_by_side.finish(product, terms, n_propositions, options)?;
    if terms.bdds.overflow { Err(too_many_nodes()) } else { Ok(result) }
}

struct SideBySide<'c> {
    combination: &'c Combination,
    components: Vec<Component>,
    meanings: Vec<Meaning>,
    letters: Vec<(Bdd, u32)>,
    n_marks: u32,
}

impl SideBySide<'_> {
    fn new_marks(&mut self, n: u32) -> Result<u32, TooLarge> {
        let first = self.n_marks;
        self.n_marks += n;
        // One is kept back for what is true whatever follows.
        if self.n_marks >= 64 {
            Err(TooLarge { what: "it has more than 63 acceptance marks".into() })
        } else {
            Ok(first)
        }
    }

    fn add_leaves(&mut self, terms: &mut Terms, options: &TranslateOptions) -> Result<(), TooLarge> {
        let mut used = vec![(false, false); self.combination.leaves.len()];
        for part in &self.combination.parts {
            match part {
                PartNode::Leaf(leaf, true) => used[*leaf].0 = true,
                PartNode::Leaf(leaf, false) => used[*leaf].1 = true,
                _ => {}
            }
        }
        for (number, leaf) in self.combination.leaves.iter().enumerate() {
            let (positive, negative) = used[number];
            match leaf {
                Leaf::Again(letters) => {
                    let mark = self.new_marks(1)?;
                    self.letters.push((*letters, mark));
                    self.meanings[number].mark = Some(mark);
                }
                Leaf::Formula(term) => {
                    if let Some(component) = self.weak(terms, *term, options)? {
                        self.meanings[number].positive = Some((component, true));
                        self.meanings[number].negative = Some((component, false));
                        continue;
                    }
                    if positive {
                        let component = self.any(terms, *term, options)?;
                        self.meanings[number].positive = Some((component, true));
                    }
                    if negative {
                        let negated = terms.not(*term);
                        let component = self.any(terms, negated, options)?;
                        self.meanings[number].negative = Some((component, true));
                    }
                }
            }
        }
        Ok(())
    }

    fn translated(terms: &mut Terms, term: Term, options: &TranslateOptions) -> Result<Symbolic, TooLarge> {
        let too_long = || TooLarge { what: "a condition of the formula has too many cases".into() };
        let formula = terms.formula_of(term).ok_or_else(too_long)?;
        let automaton = ordinary(&formula, options)?;
        Ok(Symbolic::of_automaton(&automaton, &mut terms.bdds))
    }

    /// A deterministic automaton for an obligation; each of its components has the mark everywhere or nowhere.
    fn weak(
        &mut self,
        terms: &mut Terms,
        term: Term,
        options: &TranslateOptions,
    ) -> Result<Option<usize>, TooLarge> {
        const MOST_STATES: usize = 50;
        if !terms.info(term).obligation {
            return Ok(None);
        }
        let automaton = Self::translated(terms, term, options)?;
        let Some(weak) = minimal_weak(&automaton, &mut terms.bdds, MOST_STATES) else { return Ok(None) };
        let mark = 1 << self.new_marks(1)?;
        let mut symbolic = weak.to_symbolic(false);
        symbolic.states.iter_mut().flatten().for_each(|arc| arc.marks *= mark);
        let is_sink = |s: usize| !weak.accepting[s] && symbolic.states[s].iter().all(|arc| arc.target == s);
        let sink = (0..symbolic.states.len()).find(|s| is_sink(*s));
        self.components.push(Component {
            sink,
            initial: symbolic.initial,
            states: symbolic.states,
            marks: mark,
            is_deterministic: true,
        });
        Ok(Some(self.components.len() - 1))
    }

    /// Any automaton, completed.
    fn any(&mut self, terms: &mut Terms, term: Term, options: &TranslateOptions) -> Result<usize, TooLarge> {
        let mut automaton = Self::translated(terms, term, options)?;
        let bdds = &mut terms.bdds;
        if automaton.n_marks == 0 {
            automaton.n_marks = 1;
            automaton.states.iter_mut().flatten().for_each(|arc| arc.marks = 1);
        }
        let shift = self.new_marks(automaton.n_marks)?;
        let sink = automaton.states.len();
        automaton.states.push(Vec::new());
        for (s, arcs) in automaton.states.iter_mut().enumerate() {
            let mut covered = Bdd::FALSE;
            for arc in arcs.iter_mut() {
                arc.marks <<= shift;
                covered = bdds.or(covered, arc.label);
            }
            let rest = bdds.not(covered);
            if !rest.is_false() {
                debug_assert!(s != sink || rest.is_true());
                arcs.push(Arc { target: sink, marks: 0, label: rest });
            }
        }
        self.components.push(Component {
            initial: automaton.initial,
            marks: crate::automaton::all_marks(automaton.n_marks) << shift,
            states: automaton.states,
            sink: Some(sink),
            is_deterministic: false,
        });
        Ok(self.components.len() - 1)
    }

    /// Whether a literal is true of every run that stays where these marks are on some edges and those on all, none if
    /// that is open.
    fn literal(&self, leaf: usize, positive: bool, some: u64, all: u64) -> Option<bool> {
        let meaning = &self.meanings[leaf];
        if meaning.mark.is_some() {
            return None;
        }
        let (component, again) = if positive { meaning.positive } else { meaning.negative }?;
        let marks = self.components[component].marks;
        let met = if all & marks == marks {
            true
        } else if some & marks != marks {
            false
        } else {
            return None;
        };
        Some(met == again)
    }

    /// What is known of the combination where the components are in these states.
    fn value_at(&self, at: &[u32]) -> Option<bool> {
        self.combination.value(|leaf, positive| {
            let meaning = &self.meanings[leaf];
            let (number, again) = if positive { meaning.positive } else { meaning.negative }?;
            let component = &self.components[number];
            let here = at[number] as usize;
            if component.sink == Some(here) {
                return Some(!again);
            }
            let stays = |arc: &Arc| arc.target == here && arc.marks & component.marks == component.marks;
            let wins = component.is_deterministic && component.states[here].iter().all(stays);
            wins.then_some(again)
        })
    }

    fn product(&self, bdds: &mut Bdds, options: &TranslateOptions) -> Result<Product, TooLarge> {
        let initial: Vec<u32> = self.components.iter().map(|component| component.initial as u32).collect();
        let mut index: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut product = Product::default();
        let mut todo = vec![initial.clone()];
        index.insert(initial, 0);
        let mut n_arcs = 0;
        while product.states.len() < todo.len() {
            let here = todo[product.states.len()].clone();
            let value = match here[..] {
                [only] if only >= ALL_ALIKE - 1 => Some(only != ALL_ALIKE),
                _ => self.value_at(&here),
            };
            product.decided.push(value);
            if let Some(value) = value {
                let target = product.states.len();
                product.states.push(if value {
                    vec![Arc { target, marks: 0, label: Bdd::TRUE }]
                } else {
                    Vec::new()
                });
                continue;
            }
            let mut ways: Vec<(Bdd, Vec<u32>, u64)> = vec![(Bdd::TRUE, Vec::new(), 0)];
            for (component, state) in self.components.iter().zip(&here) {
                let mut more = Vec::new();
                for (label, targets, marks) in &ways {
                    for arc in &component.states[*state as usize] {
                        let label = bdds.and(*label, arc.label);
                        if !label.is_false() {
                            let targets = targets.iter().copied().chain([arc.target as u32]).collect();
                            more.push((label, targets, marks | arc.marks));
                        }
                    }
                }
                ways = more;
                if ways.len() + n_arcs > MOST_ARCS {
                    return Err(TooLarge { what: format!("it has more than {MOST_ARCS} edges") });
                }
            }
            n_arcs += ways.len();
            let mut arcs = Vec::with_capacity(ways.len());
            for (label, mut targets, marks) in ways {
                // All states from which everything, or nothing, is accepted are one.
                if let Some(value) = self.value_at(&targets) {
                    targets = vec![ALL_ALIKE - u32::from(value)];
                }
                let target = *index.entry(targets.clone()).or_insert_with(|| {
                    todo.push(targets);
                    todo.len() - 1
                });
                arcs.push(Arc { target, marks, label });
            }
            product.states.push(arcs);
            if todo.len() > options.max_states {
                return Err(TooLarge { what: format!("it has more than {} states", options.max_states) });
            }
            if bdds.overflow {
                return Err(too_many_nodes());
            }
        }
        Ok(product)
    }

    fn finish(
        &self,
        product: Product,
        terms: &mut Terms,
        n_propositions: u32,
        options: &TranslateOptions,
    ) -> Result<Translation, TooLarge> {
        let bdds = &mut terms.bdds;
        let values = self.values(&product);
        let n_marks = self.n_marks;
        let mut symbolic = Symbolic { n_marks, initial: 0, states: product.states };
        // Open only where runs can stay.
        let is_weak = values.iter().all(|value| *value != Value::Open);
        let edge_of_condition = || TooLarge { what: "the condition of an edge has too many cases".into() };
        if is_weak {
            let accepting: Vec<bool> = values.iter().map(|value| *value == Value::True).collect();
            let is_deterministic = self.components.iter().all(|component| component.is_deterministic);
            for (s, arcs) in symbolic.states.iter_mut().enumerate() {
                arcs.iter_mut().for_each(|arc| arc.marks = accepting[s].into());
            }
            symbolic.n_marks = 1;
            symbolic.merge_arcs(bdds);
            if is_deterministic {
                let arcs = |arcs: &Vec<Arc>| arcs.iter().map(|arc| (arc.label, arc.target)).collect();
                let states = symbolic.states.iter().map(arcs).collect();
                symbolic = minimise(&Weak { initial: 0, states, accepting }, bdds).to_symbolic(false);
            }
            let symbolic = prune(&symbolic, bdds);
            let symbolic = merge_equal(&symbolic, false, bdds);
            let automaton = symbolic.to_automaton(bdds, n_propositions, options.max_cubes);
            return automaton.map(Translation::Buchi).ok_or_else(edge_of_condition);
        }
        // States from which no run is accepted go.
        let lives = can_reach(&symbolic, |s| matches!(values[s], Value::True | Value::Open));
        let top = self.n_marks;
        for (s, arcs) in symbolic.states.iter_mut().enumerate() {
            arcs.retain(|arc| lives[arc.target]);
            if product.decided[s] == Some(true) {
                arcs.iter_mut().for_each(|arc| arc.marks = 1 << top);
            }
        }
        symbolic.merge_arcs(bdds);
        let symbolic = symbolic.restrict_to_reachable();
        let wins = symbolic.states.iter().flatten().any(|arc| arc.marks >> top & 1 == 1);
        let literal = |leaf: usize, positive: bool| self.acceptance(leaf, positive);
        let mut size = 0;
        let condition = self.combination.condition(self.combination.root, &literal, &mut size);
        if size > MOST_CONDITION {
            return Err(TooLarge { what: "its acceptance condition is too long".into() });
        }
        let (n_marks, acceptance) = match wins {
            true => (n_marks + 1, joined(vec![Acceptance::Inf(top), condition], false)),
            false => (n_marks, condition),
        };
        let mut letter_marks = Vec::new();
        for (letters, mark) in &self.letters {
            let label = bdds.label_of(*letters, options.max_cubes).ok_or_else(edge_of_condition)?;
            letter_marks.push(LetterMark { label, mark: *mark });
        }
        let automaton = symbolic.to_automaton(bdds, n_propositions, options.max_cubes);
        let Automaton { initial, states, .. } = automaton.ok_or_else(edge_of_condition)?;
        Ok(Translation::EmersonLei(EmersonLei {
            n_propositions,
            n_marks,
            initial,
            states,
            letter_marks,
            acceptance,
        }))
    }

    fn acceptance(&self, leaf: usize, positive: bool) -> Acceptance {
        let meaning = &self.meanings[leaf];
        if let Some(mark) = meaning.mark {
            return if positive { Acceptance::Inf(mark) } else { Acceptance::Fin(mark) };
        }
        let Some((component, again)) = (if positive { meaning.positive } else { meaning.negative }) else {
            return Acceptance::False;
        };
        let marks = self.components[component].marks;
        let bits = (0..64).filter(|bit| marks >> bit & 1 == 1);
        match again {
            true => joined(bits.map(Acceptance::Inf).collect(), true),
            false => joined(bits.map(Acceptance::Fin).collect(), false),
        }
    }

    /// For each state, whether runs that stay in its component are accepted.
    fn values(&self, product: &Product) -> Vec<Value> {
        let states = &product.states;
        let (of, n) = components(states.len(), |s| states[s].iter().map(|arc| arc.target));
        let mut some = vec![0u64; n];
        let mut all = vec![u64::MAX; n];
        let mut is_cyclic = vec![false; n];
        let mut decided = vec![None; n];
        for (s, arcs) in states.iter().enumerate() {
            let component = of[s] as usize;
            decided[component] = decided[component].or(product.decided[s]);
            for arc in arcs.iter().filter(|arc| of[arc.target] == of[s]) {
                some[component] |= arc.marks;
                all[component] &= arc.marks;
                is_cyclic[component] = true;
            }
        }
        let value = |component: usize| {
            let by_marks = || {
                let literal = |leaf, positive| self.literal(leaf, positive, some[component], all[component]);
                self.combination.value(literal)
            };
            match decided[component].or_else(by_marks) {
                _ if !is_cyclic[component] => Value::Transient,
                Some(true) => Value::True,
                Some(false) => Value::False,
                None => Value::Open,
            }
        };
        let values: Vec<Value> = (0..n).map(value).collect();
        of.iter().map(|component| values[*component as usize]).collect()
    }
}

/// Stands for all states from which nothing is accepted; one less, for those from which everything is.
const ALL_ALIKE: u32 = u32::MAX;

/// States of all components together.
#[derive(Default)]
struct Product {
    states: Vec<Vec<Arc>>,
    /// From here everything is accepted, or nothing.
    decided: Vec<Option<bool>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// Runs cannot stay.
    Transient,
    True,
    False,
    /// Some are accepted, perhaps.
    Open,
}

/// Which states have a way to some states.
fn can_reach(symbolic: &Symbolic, goal: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); symbolic.states.len()];
    for (s, arcs) in symbolic.states.iter().enumerate() {
        arcs.iter().for_each(|arc| before[arc.target].push(s));
    }
    let mut todo: Vec<usize> = (0..symbolic.states.len()).filter(|s| goal(*s)).collect();
    let mut reaches = vec![false; symbolic.states.len()];
    todo.iter().for_each(|s| reaches[*s] = true);
    while let Some(s) = todo.pop() {
        for previous in &before[s] {
            if !std::mem::replace(&mut reaches[*previous], true) {
                todo.push(*previous);
            }
        }
    }
    reaches
}

#[cfg(test)]
mod tests;
