//! Everything that can be said about a formula or an automaton without a model.

use crate::hoa::{HoaAutomaton, HoaError};
use crate::text::Signs;
use crate::{
    Automaton, Class, Formula, Label, Lasso, Strength, TooLarge, TranslateOptions, accepts, classify,
    examples, holds_on, in_words, is_deterministic, is_stutter_invariant, strength, to_buchi, translate,
    translate_to_buchi,
};

/// How many words are shown of each kind.
const N_EXAMPLES: usize = 4;

/// What is known about a formula. What would take an automaton that is too large is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaFacts {
    /// In a form that translates well.
    pub simplified: Formula,
    /// A sentence in English.
    pub words: String,
    /// Which kind of property it is.
    pub class: Option<Class>,
    /// Whether repeating states changes nothing.
    pub stutter_invariant: Option<bool>,
    /// Accepts the words on which the formula holds.
    pub positive: Result<AutomatonFacts, TooLarge>,
    /// Accepts those on which it does not: what a checker searches for.
    pub negative: Result<AutomatonFacts, TooLarge>,
}

/// What is known about an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonFacts {
    /// With any number of acceptance sets on edges.
    pub generalized: Automaton,
    /// With accepting states, as a never claim is.
    pub buchi: Automaton,
    /// How hard it is to find accepting runs of the automaton with accepting states.
    pub strength: Strength,
    /// Whether no state has two edges for the same letter; of the automaton as it was read, or of the first.
    pub deterministic: bool,
    /// A few short words that are accepted; none if there are none.
    pub examples: Vec<Lasso>,
}

/// Collects them.
pub fn formula_facts(formula: &Formula, names: &[String]) -> FormulaFacts {
    let side = |formula: &Formula| {
        let options = TranslateOptions::default();
        let generalized = translate(formula, &options)?;
        let buchi = translate_to_buchi(formula, &options)?;
        Ok(automaton_facts(generalized, buchi, |word| holds_on(formula, word)))
    };
    let (positive, negative) = (side(formula), side(&formula.negated()));
    // What is too large once is too large again, and finding that out takes long.
    let feasible = positive.is_ok() && negative.is_ok();
    let stutter_invariant = (feasible || !formula.uses_next()).then(|| is_stutter_invariant(formula).ok());
    FormulaFacts {
        simplified: formula.simplified(),
        words: in_words(formula, names),
        class: if feasible { classify(formula).ok() } else { None },
        stutter_invariant: stutter_invariant.flatten(),
        positive,
        negative,
    }
}

/// The same for an automaton that was read.
pub fn hoa_facts(read: &HoaAutomaton) -> Result<AutomatonFacts, HoaError> {
    let automaton = match read.to_automaton() {
        Ok(automaton) => automaton,
        Err(_) => read.to_rabin()?.to_generalized_buchi(),
    };
    let buchi = to_buchi(&automaton);
    let facts = automaton_facts(automaton.clone(), buchi, |word| accepts(&automaton, word));
    Ok(AutomatonFacts { deterministic: read.is_deterministic(), ..facts })
}

fn automaton_facts(
    generalized: Automaton,
    buchi: Automaton,
    accepts: impl Fn(&Lasso) -> bool,
) -> AutomatonFacts {
    AutomatonFacts {
        strength: strength(&buchi),
        deterministic: is_deterministic(&generalized),
        examples: examples(&generalized, N_EXAMPLES, accepts),
        generalized,
        buchi,
    }
}

/// A label as people read it; expressions are in parentheses.
pub fn label_text(label: &Label, names: &[String]) -> String {
    const SIGNS: Signs = Signs { always: "true", never: "false", not: "!", and: " && ", or: " || " };
    crate::text::label_text(label, &SIGNS, |p| Formula::Proposition(p).display(names).to_string())
}

/// As people read it: what holds in each state, and in parentheses what repeats forever.
pub fn lasso_text(word: &Lasso, names: &[String]) -> String {
    let letter = |letter: &u64| {
        let name = |p: usize| names.get(p).cloned().unwrap_or_else(|| format!("p{p}"));
        let holding: Vec<String> = (0..64).filter(|p| letter >> p & 1 == 1).map(name).collect();
        format!("{{{}}}", holding.join(", "))
    };
    let texts = |letters: &[u64]| letters.iter().map(letter).collect::<Vec<_>>().join(" ");
    let space = if word.prefix.is_empty() { "" } else { " " };
    format!("{}{space}({})*", texts(&word.prefix), texts(&word.cycle))
}
