//! Automata with Rabin conditions, and all others that can be brought to that form: every acceptance condition of the HOA
//! format can, in disjunctive normal form.
//!
//! A run is accepted if for one of several *pairs* it meets each of some marks infinitely often and none of some others
//! (a generalized Rabin condition). [`to_generalized_buchi`](RabinAutomaton::to_generalized_buchi) makes an
//! [`Automaton`] of it, for the operations on those; a search for components needs no such detour.

use crate::hoa::{Acceptance, HoaAutomaton, HoaError, HoaState};
use crate::{Automaton, Edge, EmersonLei, Label};

/// An automaton with pairs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RabinAutomaton {
    /// How many propositions letters have.
    pub n_propositions: u32,
    /// How many marks there are; at most 64.
    pub n_marks: u32,
    /// Where runs start.
    pub initial: u32,
    /// The edges of each state.
    pub states: Vec<Vec<Edge>>,
    /// One of them has to be met.
    pub pairs: Vec<Pair>,
}

/// One way to be accepted: a bit per mark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Pair {
    /// Each of these infinitely often.
    pub again: u64,
    /// None of these infinitely often.
    pub not_again: u64,
}

/// More pairs than this are refused.
const MOST_PAIRS: usize = 4096;

impl Acceptance {
    /// Accepts the runs that this one does not.
    pub fn negated(&self) -> Acceptance {
        let all = |parts: &[Acceptance]| parts.iter().map(Acceptance::negated).collect();
        match self {
            Acceptance::True => Acceptance::False,
            Acceptance::False => Acceptance::True,
            Acceptance::Inf(set) => Acceptance::Fin(*set),
            Acceptance::Fin(set) => Acceptance::Inf(*set),
            Acceptance::InfNot(set) => Acceptance::FinNot(*set),
            Acceptance::FinNot(set) => Acceptance::InfNot(*set),
            Acceptance::And(parts) => Acceptance::Or(all(parts)),
            Acceptance::Or(parts) => Acceptance::And(all(parts)),
        }
    }

    /// The same over marks, which are the edges inside or outside a set.
    fn on_marks(&self, marks: &mut Vec<(u32, bool)>) -> Acceptance {
        let mut mark = |set: u32, inside: bool| {
            let known = marks.iter().position(|mark| *mark == (set, inside));
            known.unwrap_or_else(|| {
                marks.push((set, inside));
                marks.len() - 1
            }) as u32
        };
        match self {
            Acceptance::True | Acceptance::False => self.clone(),
            Acceptance::Inf(set) => Acceptance::Inf(mark(*set, true)),
            Acceptance::Fin(set) => Acceptance::Fin(mark(*set, true)),
            Acceptance::InfNot(set) => Acceptance::Inf(mark(*set, false)),
            Acceptance::FinNot(set) => Acceptance::Fin(mark(*set, false)),
            Acceptance::And(parts) => {
                Acceptance::And(parts.iter().map(|part| part.on_marks(marks)).collect())
            }
            Acceptance::Or(parts) => Acceptance::Or(parts.iter().map(|part| part.on_marks(marks)).collect()),
        }
    }

    /// In disjunctive normal form; none if that is too large. `mark` gives the bit for the edges inside (or outside) a set.
    fn pairs(&self, mark: &mut dyn FnMut(u32, bool) -> Option<u32>) -> Option<Vec<Pair>> {
        let again = |bit: u32| vec![Pair { again: 1 << bit, not_again: 0 }];
        let not_again = |bit: u32| vec![Pair { again: 0, not_again: 1 << bit }];
        let pairs = match self {
            Acceptance::True => vec![Pair::default()],
            Acceptance::False => Vec::new(),
            Acceptance::Inf(set) => again(mark(*set, true)?),
            Acceptance::InfNot(set) => again(mark(*set, false)?),
            Acceptance::Fin(set) => not_again(mark(*set, true)?),
            Acceptance::FinNot(set) => not_again(mark(*set, false)?),
            Acceptance::Or(parts) => {
                let mut pairs = Vec::new();
                for part in parts {
                    pairs.extend(part.pairs(mark)?);
                }
                pairs
            }
            Acceptance::And(parts) => {
                let mut pairs = vec![Pair::default()];
                for part in parts {
                    let more = part.pairs(mark)?;
                    let both = |a: &Pair, b: &Pair| Pair {
                        again: a.again | b.again,
                        not_again: a.not_again | b.not_again,
                    };
                    if pairs.len() * more.len() > 16 * MOST_PAIRS {
                        return None;
                    }
                    pairs = pairs.iter().flat_map(|a| more.iter().map(move |b| both(a, b))).collect();
                    pairs = needed(pairs);
                }
                pairs
            }
        };
        let pairs = needed(pairs);
        (pairs.len() <= MOST_PAIRS).then_some(pairs)
    }
}

/// A condition on marks inside sets as pairs; none if there are too many.
pub(crate) fn pairs_of_marks(acceptance: &Acceptance) -> Option<Vec<Pair>> {
    acceptance.pairs(&mut |mark, inside| inside.then_some(mark))
}

/// Without pairs that cannot be met, and without those that ask for more than another.
fn needed(pairs: Vec<Pair>) -> Vec<Pair> {
    let mut kept: Vec<Pair> = Vec::new();
    for pair in pairs.into_iter().filter(|pair| pair.again & pair.not_again == 0) {
        let asks_less = |a: &Pair, b: &Pair| a.again & !b.again == 0 && a.not_again & !b.not_again == 0;
        if kept.iter().any(|other| asks_less(other, &pair)) {
            continue;
        }
        kept.retain(|other| !asks_less(&pair, other));
        kept.push(pair);
    }
    kept
}

impl HoaAutomaton {
    /// With a condition that speaks of marks only, so not of the edges outside a set. It has one state to start from.
    pub fn to_emerson_lei(&self) -> Result<EmersonLei, HoaError> {
        let mut marks: Vec<(u32, bool)> = Vec::new();
        let acceptance = self.acceptance.on_marks(&mut marks);
        if marks.len() > 64 {
            let what = format!("the acceptance condition {}", self.acceptance);
            return Err(HoaError::Unsupported { what });
        }
        let (states, initial, acceptance) = match self.start[..] {
            [] => (vec![Vec::new()], 0, Acceptance::False),
            _ => {
                let (states, initial) = self.edges_from_one_start(&marks);
                (states, initial, acceptance)
            }
        };
        Ok(EmersonLei {
            n_propositions: self.propositions.len() as u32,
            n_marks: marks.len() as u32,
            initial,
            states,
            letter_marks: Vec::new(),
            acceptance,
        })
    }

    /// With a Rabin condition.
    pub fn to_rabin(&self) -> Result<RabinAutomaton, HoaError> {
        // The marks: edges inside or outside a set.
        let mut marks: Vec<(u32, bool)> = Vec::new();
        let mut mark = |set: u32, inside: bool| {
            let known = marks.iter().position(|mark| *mark == (set, inside));
            let bit = known.unwrap_or_else(|| {
                marks.push((set, inside));
                marks.len() - 1
            });
            (bit < 64).then_some(bit as u32)
        };
        let Some(pairs) = self.acceptance.pairs(&mut mark) else {
            return Err(HoaError::Unsupported {
                what: format!("the acceptance condition {}", self.acceptance),
            });
        };
        let n_propositions = self.propositions.len() as u32;
        let n_marks = marks.len() as u32;
        if self.start.is_empty() {
            return Ok(RabinAutomaton {
                n_propositions,
                n_marks,
                initial: 0,
                states: vec![Vec::new()],
                pairs,
            });
        }
        let (states, initial) = self.edges_from_one_start(&marks);
        Ok(RabinAutomaton { n_propositions, n_marks, initial, states, pairs })
    }

    /// The edges of all states with these marks, the edges inside or outside some sets, and one state to start from.
    pub(crate) fn edges_from_one_start(&self, marks: &[(u32, bool)]) -> (Vec<Vec<Edge>>, u32) {
        let moved = |edge: &Edge| {
            let is_met = |(set, inside): &(u32, bool)| (edge.marks >> set & 1 == 1) == *inside;
            let bits = marks.iter().enumerate().filter(|(_, mark)| is_met(mark));
            Edge { marks: bits.fold(0, |all, (bit, _)| all | 1 << bit), ..edge.clone() }
        };
        let mut states: Vec<Vec<Edge>> =
            self.states.iter().map(|state| state.edges.iter().map(moved).collect()).collect();
        match self.start[..] {
            [only] => (states, only),
            _ => {
                let first = self.start.iter().flat_map(|start| states[*start as usize].clone()).collect();
                states.push(first);
                let initial = states.len() as u32 - 1;
                (states, initial)
            }
        }
    }

    /// Whether there is one place to start, at most, and no state has two edges for the same letter.
    pub fn is_deterministic(&self) -> bool {
        let states: Vec<Vec<Edge>> = self.states.iter().map(|state| state.edges.clone()).collect();
        let n_propositions = self.propositions.len() as u32;
        let plain = Automaton { n_propositions, n_marks: self.n_sets, initial: 0, states };
        self.start.len() <= 1 && crate::is_deterministic(&plain)
    }

    /// The automaton that accepts what this one does not; none if this one is not deterministic.
    pub fn complement(&self) -> Result<Option<HoaAutomaton>, HoaError> {
        if self.n_sets >= 64 {
            return Err(HoaError::Unsupported { what: "the complement with 64 acceptance sets".into() });
        }
        if !self.is_deterministic() {
            return Ok(None);
        }
        // Where it has no way to go on, the complement goes to a state of its own and stays there.
        let sink = self.states.len() as u32;
        let mark = self.n_sets;
        let to_sink = |label| Edge { label, target: sink, marks: 1 << mark };
        let completed = |state: &HoaState| {
            let covered = state.edges.iter().fold(Label::never(), |all, edge| all.or(&edge.label));
            let rest = covered.not();
            let mut state = state.clone();
            if !rest.cubes.is_empty() {
                state.edges.push(to_sink(rest));
            }
            state
        };
        let mut states: Vec<HoaState> = self.states.iter().map(completed).collect();
        states.push(HoaState { name: None, edges: vec![to_sink(Label::always())] });
        Ok(Some(HoaAutomaton {
            name: self.name.as_ref().map(|name| format!("not ({name})")),
            propositions: self.propositions.clone(),
            start: if self.start.is_empty() { vec![sink] } else { self.start.clone() },
            n_sets: self.n_sets + 1,
            acceptance: Acceptance::Or(vec![Acceptance::Inf(mark), self.acceptance.negated()]),
            properties: Vec::new(),
            states,
        }))
    }
}

impl RabinAutomaton {
    /// One with the same language. For each pair there is a copy without the edges that must not come again; at some moment
    /// a run goes over to one and stays there.
    pub fn to_generalized_buchi(&self) -> Automaton {
        let n = self.states.len() as u32;
        let n_marks = self.pairs.iter().map(|pair| pair.again.count_ones()).max().unwrap_or(0).max(1);
        let full = crate::automaton::all_marks(n_marks);
        let mut states: Vec<Vec<Edge>> = Vec::new();
        for edges in &self.states {
            let stay = edges.iter().map(|edge| Edge { marks: 0, ..edge.clone() });
            let go = self.pairs.iter().enumerate().flat_map(|(copy, pair)| {
                let allowed = edges.iter().filter(|edge| edge.marks & pair.not_again == 0);
                allowed.map(move |edge| Edge {
                    label: edge.label.clone(),
                    target: edge.target + n * (copy as u32 + 1),
                    marks: 0,
                })
            });
            states.push(stay.chain(go).collect());
        }
        for (copy, pair) in self.pairs.iter().enumerate() {
            // The marks that count, in order; what is left over is met everywhere.
            let wanted: Vec<u32> = (0..64).filter(|bit| pair.again >> bit & 1 == 1).collect();
            let rest = full & !crate::automaton::all_marks(wanted.len() as u32);
            for edges in &self.states {
                let allowed = edges.iter().filter(|edge| edge.marks & pair.not_again == 0);
                let inside = allowed.map(|edge| Edge {
                    label: edge.label.clone(),
                    target: edge.target + n * (copy as u32 + 1),
                    marks: wanted
                        .iter()
                        .enumerate()
                        .fold(rest, |all, (to, from)| all | (edge.marks >> from & 1) << to),
                });
                states.push(inside.collect());
            }
        }
        Automaton { n_propositions: self.n_propositions, n_marks, initial: self.initial, states }
    }
}
