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
    /// Marks that every edge has in states of the system with some letters, in addition to its own. They keep
    /// an observer small: told apart by its edges, n independent conditions would need 2^n of them.
    pub letter_marks: Vec<LetterMark>,
    /// Whether finite runs are read as if their last state went on for ever; otherwise they are never accepted.
    pub stutters: bool,
    /// Whether it can tell runs apart that differ only in how often a state is repeated.
    pub counts_steps: bool,
}

/// Which marks a run has to meet.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Acceptance {
    /// Each infinitely often (generalized Büchi). With no marks: every infinite run.
    #[default]
    AllMarks,
    /// As the condition says (Emerson-Lei).
    Condition(Condition),
}

/// Which marks a run meets infinitely often: any Boolean combination.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// The mark is met infinitely often.
    Again(u32),
    /// The mark is met finitely often.
    NotAgain(u32),
    /// All of them; true if there is none.
    All(Vec<Condition>),
    /// One of them; false if there is none.
    Any(Vec<Condition>),
}

/// A mark on every step that begins in a state with some letters.
#[derive(Clone, PartialEq, Debug)]
pub struct LetterMark {
    /// The letters: those that one of the cubes contains.
    pub guard: Vec<Cube>,
    /// The number of the mark.
    pub mark: u32,
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

/// What is known of a state of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Letter {
    /// Propositions that hold.
    pub holds: u64,
    /// Propositions that cannot be evaluated, say because of an index out of range. They are not among those that hold.
    pub unknown: u64,
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

/// Whether it does not matter for a disjunction of cubes what propositions are that cannot be evaluated.
fn is_decided(guard: &[Cube], letter: Letter) -> bool {
    let Letter { holds, unknown } = letter;
    let is_sure = |cube: &Cube| cube.contains(holds) && cube.zeros & unknown == 0;
    let is_possible = |cube: &Cube| cube.ones & !(holds | unknown) == 0 && cube.zeros & holds == 0;
    guard.iter().any(is_sure) || !guard.iter().any(is_possible)
}

impl ObserverEdge {
    /// Whether it is known if it can be taken. Then [`ObserverEdge::admits`] tells it from the propositions that hold.
    pub fn is_decided_by(&self, letter: Letter) -> bool {
        letter.unknown == 0 || is_decided(&self.guard, letter)
    }

    /// Whether it can be taken where this is the letter.
    pub fn admits(&self, letter: u64) -> bool {
        self.guard.iter().any(|cube| cube.contains(letter))
    }
}

impl Condition {
    /// The condition that is always true.
    pub const TRUE: Condition = Condition::All(Vec::new());
    /// The condition that is never true.
    pub const FALSE: Condition = Condition::Any(Vec::new());

    /// Whether a cycle with exactly these marks is accepted.
    pub fn is_met_by(&self, marks: u128) -> bool {
        match self {
            Condition::Again(mark) => marks >> mark & 1 == 1,
            Condition::NotAgain(mark) => marks >> mark & 1 == 0,
            Condition::All(parts) => parts.iter().all(|part| part.is_met_by(marks)),
            Condition::Any(parts) => parts.iter().any(|part| part.is_met_by(marks)),
        }
    }

    /// What is left to ask of cycles that have no other marks than these. No part of the result is true or false, and
    /// conjunctions and disjunctions alternate.
    pub fn within(&self, marks: u128) -> Condition {
        match self {
            Condition::Again(mark) if marks >> mark & 1 == 0 => Condition::FALSE,
            Condition::NotAgain(mark) if marks >> mark & 1 == 0 => Condition::TRUE,
            Condition::Again(_) | Condition::NotAgain(_) => self.clone(),
            Condition::All(parts) => {
                let mut kept = Vec::new();
                for part in parts {
                    match part.within(marks) {
                        Condition::All(more) => kept.extend(more),
                        part if part == Condition::FALSE => return part,
                        part => kept.push(part),
                    }
                }
                if kept.len() == 1 { kept.remove(0) } else { Condition::All(kept) }
            }
            Condition::Any(parts) => {
                let mut kept = Vec::new();
                for part in parts {
                    match part.within(marks) {
                        Condition::Any(more) => kept.extend(more),
                        part if part == Condition::TRUE => return part,
                        part => kept.push(part),
                    }
                }
                if kept.len() == 1 { kept.remove(0) } else { Condition::Any(kept) }
            }
        }
    }

    /// Marks of which a cycle with these marks has to have each, so that it is accepted if it has no mark that
    /// these lack; none if the condition is not met by these.
    pub fn needed(&self, marks: u128) -> Option<u128> {
        match self {
            Condition::Again(mark) => (marks >> mark & 1 == 1).then_some(1 << mark),
            Condition::NotAgain(mark) => (marks >> mark & 1 == 0).then_some(0),
            Condition::All(parts) => parts.iter().try_fold(0, |all, part| Some(all | part.needed(marks)?)),
            Condition::Any(parts) => {
                parts.iter().filter_map(|part| part.needed(marks)).min_by_key(|needed| needed.count_ones())
            }
        }
    }

    /// The marks that must not come again for the condition to be met, if it is in the form of [`Condition::within`].
    pub fn must_avoid(&self) -> u128 {
        match self {
            Condition::NotAgain(mark) => 1 << mark,
            Condition::All(parts) => parts.iter().fold(0, |all, part| match part {
                Condition::NotAgain(mark) => all | 1 << mark,
                _ => all,
            }),
            _ => 0,
        }
    }

    /// Conditions of which one is met exactly if this one is: without the choice that a cycle with these marks leaves
    /// open. To be asked if they do not meet it and there is nothing that must be avoided.
    pub fn choices(&self, marks: u128) -> Vec<Condition> {
        match self {
            Condition::Any(parts) => parts.clone(),
            Condition::All(parts) => {
                let Some(open) = parts.iter().position(|part| !part.is_met_by(marks)) else {
                    return Vec::new();
                };
                let Condition::Any(alternatives) = &parts[open] else { return Vec::new() };
                let chosen = |alternative: &Condition| {
                    let mut parts = parts.clone();
                    parts[open] = alternative.clone();
                    Condition::All(parts)
                };
                alternatives.iter().map(chosen).collect()
            }
            Condition::Again(_) | Condition::NotAgain(_) => Vec::new(),
        }
    }

    /// The marks of which it asks that they do not come again.
    pub fn not_again(&self) -> u128 {
        match self {
            Condition::Again(_) => 0,
            Condition::NotAgain(mark) => 1 << mark,
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().fold(0, |all, part| all | part.not_again())
            }
        }
    }
}

impl Observer {
    /// What is asked of the marks.
    pub fn condition(&self) -> Condition {
        match &self.acceptance {
            Acceptance::AllMarks => Condition::All((0..self.n_marks).map(Condition::Again).collect()),
            Acceptance::Condition(condition) => condition.clone(),
        }
    }

    /// Whether all marks are on edges, and each of them has to be met infinitely often.
    pub fn is_generalized_buchi(&self) -> bool {
        self.acceptance == Acceptance::AllMarks && self.letter_marks.is_empty()
    }

    /// The marks that every edge has where this is the letter.
    pub fn marks_of_letter(&self, letter: u64) -> u64 {
        let holds = |mark: &&LetterMark| mark.guard.iter().any(|cube| cube.contains(letter));
        self.letter_marks.iter().filter(holds).fold(0, |all, mark| all | 1 << mark.mark)
    }

    /// Whether it has to know a proposition that cannot be evaluated, in order to move from one of its states.
    #[inline]
    pub fn lacks(&self, state: u32, letter: Letter) -> bool {
        letter.unknown != 0 && {
            let edges = self.states[state as usize].edges.iter().map(|edge| &edge.guard);
            let marks = self.letter_marks.iter().map(|mark| &mark.guard);
            edges.chain(marks).any(|guard| !is_decided(guard, letter))
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
            letter_marks: Vec::new(),
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
            letter_marks: Vec::new(),
            stutters: true,
            counts_steps: false,
        }
    }
}
