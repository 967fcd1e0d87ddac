//! From formula to generalized automaton (Couvreur 1999, with the refinements of Spot).
//!
//! A state is a formula that the rest of the word has to satisfy. Unfolding it once gives a function of propositions
//! (what must hold now), of *next* variables (formulas that must hold from the next state on) and of *promise*
//! variables (an operand of `F`, `U` or `M` that is put off). States with the same function are one state. An edge
//! belongs to the acceptance set of a promise if it does not make it: what is put off forever is never accepted.
//!
//! The function is split by letters first: letters under which the rest is the same make one label. That gives disjoint
//! labels wherever the formula allows it, and costs nothing, because propositions are on top of the diagram.

use rustc_hash::FxHashMap;

use crate::bdd::Bdd;
use crate::symbolic::{Arc, PROPOSITIONS, Symbolic, TABLEAU};
use crate::terms::{Node, Term, Terms};
use crate::translate::{TooLarge, too_many_nodes};

/// How the successors of a state are made of its function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Disjoint labels, one edge for each product of the rest.
    Split,
    /// Labels as they come from a short sum of products; they overlap.
    Wide,
    /// Disjoint labels, and what differs only in the future becomes one state: a choice is postponed.
    Postponed,
}

/// Label, what must hold next, and the promises made.
type Way = (Bdd, Term, u64);

fn too_many_ways() -> TooLarge {
    TooLarge { what: "there are too many ways to go on from one state".into() }
}

struct Tableau<'a> {
    terms: &'a mut Terms,
    unfolded: FxHashMap<Term, Bdd>,
    /// The term of each next variable (even) or promise variable (odd), half the offset.
    meanings: Vec<Term>,
    variables: FxHashMap<Term, u32>,
    promises: Vec<Term>,
}

pub(crate) fn tableau(
    terms: &mut Terms,
    formula: Term,
    style: Style,
    max_states: usize,
) -> Result<Symbolic, TooLarge> {
    let mut tableau = Tableau {
        terms,
        unfolded: FxHashMap::default(),
        meanings: Vec::new(),
        variables: FxHashMap::default(),
        promises: Vec::new(),
    };
    // Rules may not drop a demand because another one implies it: `G X F p` implies `F p`, but it alone keeps no
    // promise. What can be dropped shows in the functions.
    let rewriting = std::mem::replace(&mut tableau.terms.rewriting, false);
    let result = tableau.run(formula, style, max_states);
    tableau.terms.rewriting = rewriting;
    result
}

impl Tableau<'_> {
    fn run(&mut self, formula: Term, style: Style, max_states: usize) -> Result<Symbolic, TooLarge> {
        let first = self.unfold(formula);
        let mut index: FxHashMap<Bdd, usize> = FxHashMap::default();
        let mut functions = vec![first];
        index.insert(first, 0);
        // Marks are known when all promises are; until then arcs carry the promises they make.
        let mut states: Vec<Vec<Arc>> = Vec::new();
        let mut n_arcs = 0;
        while states.len() < functions.len() {
            let mut arcs = Vec::new();
            for (label, next, promises) in self.successors(functions[states.len()], style)? {
                let function = self.unfold(next);
                if function.is_false() {
                    continue;
                }
                let target = *index.entry(function).or_insert_with(|| {
                    functions.push(function);
                    functions.len() - 1
                });
                arcs.push(Arc { target, marks: promises, label });
            }
            n_arcs += arcs.len();
            states.push(arcs);
            if functions.len() > max_states || n_arcs > 40 * max_states {
                return Err(TooLarge { what: format!("it has more than {max_states} states") });
            }
            if self.terms.bdds.overflow {
                return Err(too_many_nodes());
            }
        }
        let n_marks = self.promises.len() as u32;
        let mut result = Symbolic { n_marks, initial: 0, states };
        let all = result.all_marks();
        for arc in result.states.iter_mut().flatten() {
            arc.marks = all & !arc.marks;
        }
        result.merge_arcs(&mut self.terms.bdds);
        Ok(result)
    }

    /// Label, what must hold next, and the promises made, for each way to go on.
    fn successors(&mut self, function: Bdd, style: Style) -> Result<Vec<Way>, TooLarge> {
        const MANY: usize = 256;
        match style {
            // This style is only tried.
            Style::Wide => self.wide_ways(function, 100),
            _ if self.terms.bdds.has_parts(function, PROPOSITIONS, MANY) => {
                // Letters that all differ a little are better left together.
                self.wide_ways(function, MANY).or_else(|_| self.split_ways(function, style))
            }
            _ => self.split_ways(function, style),
        }
    }

    /// One way for each product of the function; equal ones are united.
    fn wide_ways(&mut self, function: Bdd, max_products: usize) -> Result<Vec<Way>, TooLarge> {
        let products = self.terms.bdds.products(function, max_products).ok_or_else(too_many_ways)?;
        let mut ways: Vec<Way> = Vec::new();
        for product in products {
            let border = product.partition_point(|(variable, _)| *variable < PROPOSITIONS);
            let label = self.terms.bdds.product(&product[..border]);
            let (next, promises) = self.future(&product[border..])?;
            match ways.iter_mut().find(|way| way.1 == next && way.2 == promises) {
                Some(way) => way.0 = self.terms.bdds.or(way.0, label),
                None => ways.push((label, next, promises)),
            }
        }
        Ok(ways)
    }

    /// Disjoint labels; for each of them one way for each product of the rest.
    fn split_ways(&mut self, function: Bdd, style: Style) -> Result<Vec<Way>, TooLarge> {
        const MAX_WAYS: usize = 20_000;
        let max_products = if style == Style::Split { 4000 } else { 100 };
        let mut ways = Vec::new();
        if self.terms.bdds.has_parts(function, PROPOSITIONS, MAX_WAYS) {
            return Err(too_many_ways());
        }
        for (label, rest) in self.terms.bdds.split(function, PROPOSITIONS) {
            let products = self.terms.bdds.products(rest, max_products).ok_or_else(too_many_ways)?;
            let mut futures: Vec<(u64, Vec<Term>)> = Vec::new();
            for product in &products {
                let (next, promises) = self.future(product)?;
                match futures.iter_mut().find(|(p, _)| style == Style::Postponed && *p == promises) {
                    Some((_, options)) => options.push(next),
                    None => futures.push((promises, vec![next])),
                }
            }
            for (promises, options) in futures {
                let next = self.terms.or(options);
                ways.push((label, next, promises));
            }
            if ways.len() > MAX_WAYS {
                return Err(too_many_ways());
            }
        }
        Ok(ways)
    }

    /// What a product of next and promise variables demands, and which promises it makes.
    fn future(&mut self, product: &[(u32, bool)]) -> Result<(Term, u64), TooLarge> {
        let (mut next, mut promises) = (Vec::new(), 0u64);
        for (variable, positive) in product {
            // Functions grow with these variables, so none is negated.
            debug_assert!(positive);
            let meaning = self.meanings[(variable - TABLEAU) as usize / 2];
            if (variable - TABLEAU).is_multiple_of(2) {
                next.push(meaning);
            } else {
                promises |= 1 << self.promise_number(meaning)?;
            }
        }
        Ok((self.terms.and(next), promises))
    }

    fn promise_number(&mut self, promise: Term) -> Result<usize, TooLarge> {
        let number = self.promises.iter().position(|p| *p == promise).unwrap_or_else(|| {
            self.promises.push(promise);
            self.promises.len() - 1
        });
        if number < 64 {
            Ok(number)
        } else {
            Err(TooLarge { what: "it has more than 64 acceptance sets".into() })
        }
    }

    fn variable(&mut self, term: Term, is_promise: bool) -> Bdd {
        let meanings = &mut self.meanings;
        let number = *self.variables.entry(term).or_insert_with(|| {
            meanings.push(term);
            meanings.len() as u32 - 1
        });
        self.terms.bdds.variable(TABLEAU + 2 * number + u32::from(is_promise))
    }

    /// The term's function.
    fn unfold(&mut self, term: Term) -> Bdd {
        if let Some(known) = self.unfolded.get(&term) {
            return *known;
        }
        let result = match self.terms.node(term).clone() {
            Node::Bool(b) => b,
            Node::And(parts) => {
                let mut all = Bdd::TRUE;
                for part in parts {
                    let part = self.unfold(part);
                    all = self.terms.bdds.and(all, part);
                }
                all
            }
            Node::Or(parts) => self.unfold_choice(term, &parts),
            Node::X(f) => self.demand(f),
            Node::F(f) => self.put_off(term, Bdd::TRUE, f),
            Node::G(f) => {
                let (now, later) = (self.unfold(f), self.demand(term));
                self.terms.bdds.and(now, later)
            }
            Node::U(f, g) => {
                let keep = self.unfold(f);
                self.put_off(term, keep, g)
            }
            Node::W(f, g) => {
                let (keep, done, later) = (self.unfold(f), self.unfold(g), self.demand(term));
                let wait = self.terms.bdds.and(keep, later);
                self.terms.bdds.or(done, wait)
            }
            Node::R(f, g) => {
                let (release, keep, later) = (self.unfold(f), self.unfold(g), self.demand(term));
                let either = self.terms.bdds.or(release, later);
                self.terms.bdds.and(keep, either)
            }
            Node::M(f, g) => {
                let keep = self.unfold(g);
                let either = self.put_off(term, Bdd::TRUE, f);
                self.terms.bdds.and(keep, either)
            }
        };
        self.unfolded.insert(term, result);
        result
    }

    /// One of the parts. If no finite prefix matters for the whole, then a part that waits for something can wait in
    /// the whole: the other parts can still be chosen later. That saves a state for waiting.
    fn unfold_choice(&mut self, term: Term, parts: &[Term]) -> Bdd {
        let mut any = Bdd::FALSE;
        let mut waits_for = None;
        let suspendable = self.terms.is_suspendable(term);
        for part in parts {
            let choice = match *self.terms.node(*part) {
                Node::F(goal) if suspendable => {
                    waits_for.get_or_insert(goal);
                    self.unfold(goal)
                }
                _ => self.unfold(*part),
            };
            any = self.terms.bdds.or(any, choice);
        }
        // One promise for all that is waited for: with several, a run could wait forever and break each in turn.
        if let Some(goal) = waits_for {
            let (later, promise) = (self.demand(term), self.variable(goal, true));
            let wait = self.terms.bdds.and(later, promise);
            any = self.terms.bdds.or(any, wait);
        }
        any
    }

    /// The goal now, or the term again under a promise.
    fn put_off(&mut self, term: Term, keep: Bdd, goal: Term) -> Bdd {
        let done = self.unfold(goal);
        let (later, promise) = (self.demand(term), self.variable(goal, true));
        let wait = self.terms.bdds.and(later, promise);
        let wait = self.terms.bdds.and(keep, wait);
        self.terms.bdds.or(done, wait)
    }

    /// The term holds next. Conjunctions are demanded part by part, so that equal demands are seen.
    fn demand(&mut self, term: Term) -> Bdd {
        if term == Terms::TRUE {
            return Bdd::TRUE;
        }
        if term == Terms::FALSE {
            return Bdd::FALSE;
        }
        if let Node::And(parts) = self.terms.node(term).clone() {
            let mut all = Bdd::TRUE;
            for part in parts {
                let part = self.variable(part, false);
                all = self.terms.bdds.and(all, part);
            }
            return all;
        }
        self.variable(term, false)
    }
}
