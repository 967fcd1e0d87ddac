//! Models with a temporal property.

use super::claims::never_claim;
use super::dice::Dice;
use super::features::{Feature, Odds};
use super::formulas::{Propositions, formula};
use super::labels::{mark_loops, rename_special_labels};
use super::tree::{Ltl, Model};

/// Of which kind the property is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `ltl p0 { … }` and up to two more.
    Ltl,
    /// Labels `progress…` in loops.
    Progress,
    /// Labels `accept…` in loops.
    Acceptance,
    /// `never p0 { … }`
    Never,
}

/// The model of a seed, with properties of a kind.
pub fn generate_temporal(seed: u64, kind: Kind) -> Model {
    let mut model = super::generate(seed, &odds());
    rename_special_labels(&mut model);
    // Draws of its own, so that all kinds have the same models.
    let mut dice = Dice::new(seed ^ 0x7465_6d70);
    match kind {
        Kind::Ltl => {
            let propositions = Propositions::of(&mut model);
            for number in 0..dice.weighted(&[(35, 1), (40, 2), (25, 3)]) {
                let size = dice.between(3..=8);
                let formula = formula(&mut dice, &propositions, size);
                model.ltl.push(Ltl { name: format!("p{number}"), formula });
            }
        }
        Kind::Progress => mark_loops(&mut model, &mut dice, "progress"),
        Kind::Acceptance => mark_loops(&mut model, &mut dice, "accept"),
        Kind::Never => {
            let propositions = Propositions::of(&mut model);
            model.never = Some(never_claim(&mut dice, &propositions));
        }
    }
    model
}

/// Models that go on for ever more often than not, without anything that ends pan's search before a cycle is found.
fn odds() -> Odds {
    let mut odds = Odds::default();
    odds.set_looping();
    for feature in [Feature::Asserts, Feature::OutOfRange, Feature::DProctype, Feature::StrictEnd] {
        odds.set(feature, 0);
    }
    // What `_last` is after a step of the claim is nowhere defined.
    odds.set(Feature::Last, 0);
    odds.set(Feature::Print, 5);
    odds.set(Feature::Priorities, 4);
    odds
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 4] = [Kind::Ltl, Kind::Progress, Kind::Acceptance, Kind::Never];

    #[test]
    fn the_same_seed_gives_the_same_text() {
        for (seed, kind) in (0..20).flat_map(|seed| KINDS.map(|kind| (seed, kind))) {
            let text = || generate_temporal(seed, kind).to_string();
            assert_eq!(text(), text());
        }
    }

    /// An accepting label in a process would count in claims too, and a failing assertion would end pan's search.
    #[test]
    fn only_what_is_asked_for_is_there() {
        for seed in 0..200 {
            let text = |kind| generate_temporal(seed, kind).to_string();
            let [ltl, progress, acceptance, never] = KINDS.map(text);
            assert!(ltl.contains("ltl p0") && !ltl.contains("accept") && !ltl.contains("never"));
            assert!(!progress.contains("accept") && !progress.contains("ltl"));
            assert!(!acceptance.contains("progress"));
            assert_eq!(never.matches("never p0").count(), 1);
            assert!(KINDS.iter().all(|kind| !text(*kind).contains("assert")));
        }
    }
}
