//! Automata that read runs.

use crate::Expr;

/// An automaton that moves in lock-step with a system and accepts the runs that must not be.
///
/// It moves first: in every state it takes an edge whose guard holds there, then the system takes a step. If it has no edge to
/// take, the run is not accepted. When the system can move no more, its last state is read again and again, if the observer
/// [`stutters`](Observer::stutters).
///
/// A run is accepted if on some way to read it the marks are met as [`acceptance`](Observer::acceptance) says, or an edge is
/// taken that [`fails`](ObserverEdge::fails), or a state is reached that is [`final`](ObserverState::is_final).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observer {
    /// What is known of a state of the system: bit `i` of a *letter* says whether proposition `i` is not 0. At most 64.
    pub propositions: Vec<Expr>,
    /// Where it begins.
    pub initial: u32,
    /// Its states.
    pub states: Vec<ObserverState>,
    /// How many marks there are; at most 64.
    pub n_marks: u32,
    /// How often they have to be met.
    pub acceptance: Acceptance,
    /// Whether finite runs are read as if their last state went on for ever; otherwise they are never accepted.
    pub stutters: bool,
    /// Whether it can tell runs apart that differ only in how often a state is repeated.
    pub counts_steps: bool,
}

/// Which marks a run has to meet, in a Büchi or in a Rabin way.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Acceptance {
    /// Each infinitely often. With no marks: the run can be read to its end, which never comes.
    #[default]
    AllMarks,
    /// As one of these asks; with none, no run is accepted for its marks.
    OneOf(Vec<MarkPair>),
}

/// What may be asked of the marks: one bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MarkPair {
    /// Each of these infinitely often.
    pub again: u64,
    /// None of these infinitely often.
    pub not_again: u64,
}

/// A state of an observer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ObserverState {
    /// As people know it.
    pub name: String,
    /// The ways to go on.
    pub edges: Vec<ObserverEdge>,
    /// Whatever follows, the run is accepted.
    pub is_final: bool,
}

/// A way for an observer to go on.
#[derive(Clone, PartialEq, Debug)]
pub struct ObserverEdge {
    /// It can be taken if one of these holds.
    pub guard: Vec<Cube>,
    /// Where it goes.
    pub target: u32,
    /// One bit per mark.
    pub marks: u64,
    /// Taking it is a violation: an assertion of a never claim.
    pub fails: bool,
}

/// A conjunction of propositions and negated propositions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cube {
    /// Propositions that must hold.
    pub ones: u64,
    /// Propositions that must not.
    pub zeros: u64,
}

impl Cube {
    /// Whether a letter agrees.
    pub fn contains(self, letter: u64) -> bool {
        letter & self.ones == self.ones && letter & self.zeros == 0
    }
}

impl ObserverEdge {
    /// Whether it can be taken where this is the letter.
    pub fn admits(&self, letter: u64) -> bool {
        self.guard.iter().any(|cube| cube.contains(letter))
    }
}

impl Observer {
    /// What may be asked of the marks.
    pub fn pairs(&self) -> Vec<MarkPair> {
        match &self.acceptance {
            Acceptance::AllMarks => {
                let again = if self.n_marks >= 64 { u64::MAX } else { (1 << self.n_marks) - 1 };
                vec![MarkPair { again, not_again: 0 }]
            }
            Acceptance::OneOf(pairs) => pairs.clone(),
        }
    }

    /// The observer that accepts runs with a cycle in which `good` never holds: with `good` for progress, those without
    /// progress. Finite runs are not accepted.
    pub fn forever_without(good: Expr) -> Observer {
        let always = vec![Cube::default()];
        let without = vec![Cube { ones: 0, zeros: 1 }];
        let edge = |guard: &Vec<Cube>, target, marks| ObserverEdge {
            guard: guard.clone(),
            target,
            marks,
            fails: false,
        };
        Observer {
            propositions: vec![good],
            initial: 0,
            states: vec![
                ObserverState {
                    name: "some time".to_string(),
                    edges: vec![edge(&always, 0, 0), edge(&without, 1, 0)],
                    is_final: false,
                },
                ObserverState {
                    name: "without".to_string(),
                    edges: vec![edge(&without, 1, 1)],
                    is_final: false,
                },
            ],
            n_marks: 1,
            acceptance: Acceptance::AllMarks,
            stutters: false,
            counts_steps: false,
        }
    }

    /// The observer that accepts runs in which `good` holds infinitely often.
    pub fn again_and_again(good: Expr) -> Observer {
        let edge = |ones, zeros, marks| ObserverEdge {
            guard: vec![Cube { ones, zeros }],
            target: 0,
            marks,
            fails: false,
        };
        Observer {
            propositions: vec![good],
            initial: 0,
            states: vec![ObserverState {
                name: "always".to_string(),
                edges: vec![edge(1, 0, 1), edge(0, 1, 0)],
                is_final: false,
            }],
            n_marks: 1,
            acceptance: Acceptance::AllMarks,
            stutters: true,
            counts_steps: false,
        }
    }
}
