//! Linear temporal logic: formulas, and the Büchi automata that accept the same words.
//!
//! [`parse()`] reads a formula, [`translate()`] makes a generalized Büchi automaton of it, [`to_buchi`] the kind of
//! automaton that never claims are. A checker translates the negation of what is to hold and looks for a run of the
//! system that the automaton accepts.
//!
//! ```
//! let parsed = allways_ltl::parse("[] (request -> <> granted)").unwrap();
//! let claim = parsed.formula.negated();
//! let automaton = allways_ltl::translate(&claim, &Default::default()).unwrap();
//! let claim = allways_ltl::to_buchi(&automaton);
//! assert_eq!(claim.states.len(), 2);
//! assert_eq!(allways_ltl::strength(&claim), allways_ltl::Strength::Weak);
//! println!("{}", allways_ltl::never::write(&claim, &parsed.propositions, "response"));
//! ```
//!
//! How a formula becomes an automaton, in reading order: `terms.rs` holds formulas in negation normal form, equal ones
//! once; `rewrite.rs` makes them simpler, with `implication.rs` to see what follows from what; `tableau.rs` unfolds them
//! into states and edges; `symbolic.rs` is the automaton in the making, whose labels are decision diagrams (`bdd.rs`);
//! `prune.rs`, `simulation.rs`, `weak.rs` and `degeneralise.rs` make it smaller; `translate.rs` runs all this and picks
//! the best result. `combination.rs` goes another way where that would be large, to automata with other conditions than
//! Büchi's. `lasso.rs` says what formulas mean, and the tests hold everything else against it.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod automaton;
mod bdd;
mod class;
mod combination;
mod degeneralise;
pub mod dot;
mod examples;
mod facts;
mod formula;
pub mod hoa;
mod hoa_reader;
mod implication;
mod label;
mod lasso;
mod lexer;
pub mod never;
mod parse;
mod prune;
mod rabin;
mod rewrite;
mod scc;
mod simulation;
mod stutter;
mod symbolic;
mod tableau;
pub mod templates;
mod terms;
mod text;
mod translate;
mod watch;
mod weak;
mod words;

pub use automaton::{
    Automaton, Edge, SccKind, Sccs, Strength, accepting_sink, accepts, intersection, is_deterministic, sccs,
    strength, union, witness,
};
pub use bdd::{Bdd, Bdds};
pub use class::{Class, classify};
pub use combination::{EmersonLei, LetterMark, Translation};
pub use examples::examples;
pub use facts::{AutomatonFacts, FormulaFacts, formula_facts, hoa_facts, label_text, lasso_text};
pub use formula::Formula;
pub use label::{Cube, Label};
pub use lasso::{Lasso, holds_on};
pub use parse::{Lint, ParseError, Parsed, parse};
pub use rabin::{Pair, RabinAutomaton};
pub use stutter::{is_stutter_invariant, is_stutter_invariant_with};
pub use translate::{TooLarge, TranslateOptions, to_buchi, translate, translate_to_any, translate_to_buchi};
pub use watch::Watch;
pub use words::in_words;
