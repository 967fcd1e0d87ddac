//! Formulas in negation normal form, equal ones stored once.
//!
//! Boolean subformulas are decision diagrams, so equivalent ones are equal here. `F`, `G`, `W` and `M` are kept apart
//! from `U` and `R`: what can be simplified is read off them. Each term knows whether it is *eventual* (`F f = f`),
//! *universal* (`G f = f`), and to which syntactic class it belongs.

use rustc_hash::FxHashMap;

use crate::Formula;
use crate::bdd::{Bdd, Bdds};
use crate::translate::TranslateOptions;

/// A formula of a [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Term(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// A Boolean formula.
    Bool(Bdd),
    /// At least two, sorted, at most one of them Boolean, none of them a conjunction.
    And(Vec<Term>),
    /// At least two, sorted, at most one of them Boolean, none of them a disjunction.
    Or(Vec<Term>),
    X(Term),
    F(Term),
    G(Term),
    U(Term, Term),
    W(Term, Term),
    R(Term, Term),
    M(Term, Term),
}

/// What is known of a term by its shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Info {
    /// If it holds later, it holds now.
    pub eventual: bool,
    /// If it holds now, it holds later.
    pub universal: bool,
    pub safety: bool,
    pub guarantee: bool,
    pub obligation: bool,
}

pub(crate) struct Terms {
    pub bdds: Bdds,
    nodes: Vec<Node>,
    infos: Vec<Info>,
    unique: FxHashMap<Node, Term>,
    negations: FxHashMap<Term, Term>,
    pub(crate) implications: FxHashMap<(Term, Term), bool>,
    /// Whether the rules of `rewrite.rs` are applied to every term that is made.
    pub rewriting: bool,
    /// Products that a Boolean formula may have when it is written down again.
    limit: usize,
}

impl Terms {
    pub const FALSE: Term = Term(0);
    pub const TRUE: Term = Term(1);

    pub fn new(rewriting: bool, options: &TranslateOptions) -> Terms {
        let mut terms = Terms {
            bdds: Bdds::watched(options.max_nodes, options.watch.clone()),
            nodes: Vec::new(),
            infos: Vec::new(),
            unique: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
            rewriting,
            limit: 200,
        };
        terms.intern(Node::Bool(Bdd::FALSE));
        terms.intern(Node::Bool(Bdd::TRUE));
        terms
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub fn info(&self, term: Term) -> Info {
        self.infos[term.0 as usize]
    }

    pub fn boolean(&self, term: Term) -> Option<Bdd> {
        match self.node(term) {
            Node::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn is_eventual(&self, term: Term) -> bool {
        self.info(term).eventual
    }

    pub fn is_universal(&self, term: Term) -> bool {
        self.info(term).universal
    }

    /// Whether the truth does not depend on any finite prefix.
    pub fn is_suspendable(&self, term: Term) -> bool {
        self.is_eventual(term) && self.is_universal(term)
    }

    pub fn mk_bool(&mut self, b: Bdd) -> Term {
        self.intern(Node::Bool(b))
    }

    /// Stores a node as it is.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        if let Some(known) = self.unique.get(&node) {
            return *known;
        }
        let parts = match &node {
            Node::And(parts) | Node::Or(parts) => size_of_val(&parts[..]),
            _ => 0,
        };
        // The node is stored in a list and in a table.
        self.bdds.beside += (2 * (size_of::<Node>() + parts) + size_of::<Info>()) as u64;
        let info = self.infer(&node);
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.infos.push(info);
        self.unique.insert(node, term);
        term
    }

    fn infer(&self, node: &Node) -> Info {
        let all = |parts: &[Term], f: fn(Info) -> bool| parts.iter().all(|p| f(self.info(*p)));
        match node {
            Node::Bool(b) => {
                let constant = b.is_true() || b.is_false();
                Info {
                    eventual: constant,
                    universal: constant,
                    safety: true,
                    guarantee: true,
                    obligation: true,
                }
            }
            Node::And(parts) | Node::Or(parts) => Info {
                eventual: all(parts, |i| i.eventual),
                universal: all(parts, |i| i.universal),
                safety: all(parts, |i| i.safety),
                guarantee: all(parts, |i| i.guarantee),
                obligation: all(parts, |i| i.obligation),
            },
            Node::X(f) => self.info(*f),
            Node::F(f) => {
                let f = self.info(*f);
                Info { eventual: true, universal: f.universal, safety: false, obligation: f.guarantee, ..f }
            }
            Node::G(f) => {
                let f = self.info(*f);
                Info { eventual: f.eventual, universal: true, guarantee: false, obligation: f.safety, ..f }
            }
            Node::U(f, g) | Node::M(g, f) | Node::W(f, g) | Node::R(g, f) => {
                let strong = matches!(node, Node::U(..) | Node::M(..));
                let (f, g) = (self.info(*f), self.info(*g));
                let eventual = match node {
                    Node::U(..) => g.eventual,
                    _ => f.eventual && g.eventual,
                };
                let universal = match node {
                    // In `g R f` the second operand is f.
                    Node::R(..) => f.universal,
                    _ => f.universal && g.universal,
                };
                let guarantee = strong && f.guarantee && g.guarantee;
                let safety = !strong && f.safety && g.safety;
                // Obligations under an until stay obligations if the other side is safe to wait for.
                let obligation = guarantee
                    || safety
                    || match node {
                        Node::U(..) | Node::M(..) => f.obligation && g.guarantee,
                        _ => f.safety && g.obligation,
                    };
                Info { eventual, universal, safety, guarantee, obligation }
            }
        }
    }

    /// The negation normal form of a formula, or of its negation.
    pub fn build(&mut self, formula: &Formula, positive: bool) -> Term {
        match formula {
            Formula::True | Formula::False => {
                if positive == (*formula == Formula::True) {
                    Terms::TRUE
                } else {
                    Terms::FALSE
                }
            }
            Formula::Proposition(p) => {
                let b = self.bdds.literal(*p, positive);
                self.mk_bool(b)
            }
            Formula::Not(f) => self.build(f, !positive),
            Formula::And(parts) | Formula::Or(parts) => {
                let built = parts.iter().map(|p| self.build(p, positive)).collect();
                if positive == matches!(formula, Formula::And(_)) { self.and(built) } else { self.or(built) }
            }
            Formula::Implies(p) => {
                let (a, b) = (self.build(&p.0, !positive), self.build(&p.1, positive));
                if positive { self.or(vec![a, b]) } else { self.and(vec![a, b]) }
            }
            Formula::Equivalent(p) => {
                let (a, b) = (self.build(&p.0, true), self.build(&p.1, positive));
                let (not_a, not_b) = (self.not(a), self.not(b));
                let both = self.and(vec![a, b]);
                let neither = self.and(vec![not_a, not_b]);
                self.or(vec![both, neither])
            }
            Formula::Next(f) => {
                let f = self.build(f, positive);
                self.next(f)
            }
            Formula::Eventually(f) | Formula::Always(f) => {
                let inner = self.build(f, positive);
                let eventually = matches!(formula, Formula::Eventually(_));
                if positive == eventually { self.eventually(inner) } else { self.always(inner) }
            }
            Formula::Until(p) | Formula::WeakUntil(p) | Formula::Release(p) | Formula::StrongRelease(p) => {
                let (a, b) = (self.build(&p.0, positive), self.build(&p.1, positive));
                match (formula, positive) {
                    (Formula::Until(_), true) | (Formula::Release(_), false) => self.until(a, b),
                    (Formula::WeakUntil(_), true) | (Formula::StrongRelease(_), false) => {
                        self.weak_until(a, b)
                    }
                    (Formula::Release(_), true) | (Formula::Until(_), false) => self.release(a, b),
                    _ => self.strong_release(a, b),
                }
            }
        }
    }

    /// The negation. It is stored, not simplified again: the rules come in pairs, so it is as simple as the term.
    pub fn not(&mut self, term: Term) -> Term {
        if let Some(known) = self.negations.get(&term) {
            return *known;
        }
        let node = self.node(term).clone();
        let negated = match node {
            Node::Bool(b) => {
                let b = self.bdds.not(b);
                Node::Bool(b)
            }
            Node::And(parts) | Node::Or(parts) => {
                let mut negated: Vec<Term> = parts.iter().map(|p| self.not(*p)).collect();
                negated.sort_unstable();
                if matches!(self.node(term), Node::And(_)) { Node::Or(negated) } else { Node::And(negated) }
            }
            Node::X(f) => Node::X(self.not(f)),
            Node::F(f) => Node::G(self.not(f)),
            Node::G(f) => Node::F(self.not(f)),
            Node::U(f, g) => Node::R(self.not(f), self.not(g)),
            Node::R(f, g) => Node::U(self.not(f), self.not(g)),
            Node::W(f, g) => Node::M(self.not(f), self.not(g)),
            Node::M(f, g) => Node::W(self.not(f), self.not(g)),
        };
        let result = self.intern(negated);
        self.negations.insert(term, result);
        self.negations.insert(result, term);
        result
    }

    /// As a formula again; none if a Boolean part is too long to write down.
    pub fn formula_of(&mut self, term: Term) -> Option<Formula> {
        let several = |terms: &mut Terms, parts: &[Term]| -> Option<Vec<Formula>> {
            parts.iter().map(|p| terms.formula_of(*p)).collect()
        };
        let pair = |terms: &mut Terms, a: Term, b: Term| {
            Some(Box::new((terms.formula_of(a)?, terms.formula_of(b)?)))
        };
        Some(match self.node(term).clone() {
            Node::Bool(b) => return self.boolean_formula(b),
            Node::And(parts) => {
                let parts = several(self, &parts)?;
                Formula::And(
                    parts
                        .into_iter()
                        .flat_map(|p| if let Formula::And(p) = p { p } else { vec![p] })
                        .collect(),
                )
            }
            Node::Or(parts) => {
                let parts = several(self, &parts)?;
                Formula::Or(
                    parts
                        .into_iter()
                        .flat_map(|p| if let Formula::Or(p) = p { p } else { vec![p] })
                        .collect(),
                )
            }
            Node::X(f) => Formula::Next(Box::new(self.formula_of(f)?)),
            Node::F(f) => Formula::Eventually(Box::new(self.formula_of(f)?)),
            Node::G(f) => Formula::Always(Box::new(self.formula_of(f)?)),
            Node::U(f, g) => Formula::Until(pair(self, f, g)?),
            Node::W(f, g) => Formula::WeakUntil(pair(self, f, g)?),
            Node::R(f, g) => Formula::Release(pair(self, f, g)?),
            Node::M(f, g) => Formula::StrongRelease(pair(self, f, g)?),
        })
    }

    /// A sum of products or a product of sums, whichever is shorter.
    fn boolean_formula(&mut self, b: Bdd) -> Option<Formula> {
        let opposite = self.bdds.not(b);
        let sum = self.bdds.products(b, self.limit).map(|products| sum_of_products(&products, true));
        let product =
            self.bdds.products(opposite, self.limit).map(|products| sum_of_products(&products, false));
        match (sum, product) {
            (Some(a), Some(b)) => Some(if b.size() < a.size() { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// With `positive` off, the negation of the sum.
fn sum_of_products(products: &[crate::bdd::Product], positive: bool) -> Formula {
    let group = |mut parts: Vec<Formula>, and: bool| match parts.len() {
        0 => {
            if and {
                Formula::True
            } else {
                Formula::False
            }
        }
        1 => parts.remove(0),
        _ => {
            if and {
                Formula::And(parts)
            } else {
                Formula::Or(parts)
            }
        }
    };
    let parts = products
        .iter()
        .map(|product| {
            let literals = product
                .iter()
                .map(|(v, sign)| {
                    let p = Formula::Proposition(*v);
                    if *sign == positive { p } else { Formula::Not(Box::new(p)) }
                })
                .collect();
            group(literals, positive)
        })
        .collect();
    group(parts, !positive)
}
