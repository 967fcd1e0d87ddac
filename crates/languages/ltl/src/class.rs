//! The hierarchy of Manna and Pnueli: what kind of property a formula is.

use crate::automaton::{Strength, is_deterministic, strength};
use crate::bdd::Bdds;
use crate::prune::prune;
use crate::symbolic::Symbolic;
use crate::translate::{MAX_NODES, TooLarge, TranslateOptions, translate, translate_to_buchi};
use crate::weak::minimal_weak;
use crate::{Automaton, Formula};

/// The kinds, from simple to general. A formula that is both a safety and a guarantee property counts as safety, one
/// that is both recurrence and persistence is an obligation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Every violation shows after finitely many steps.
    Safety,
    /// Every satisfaction shows after finitely many steps.
    Guarantee,
    /// A Boolean combination of those.
    Obligation,
    /// Something happens again and again.
    Recurrence,
    /// Something holds from some moment on.
    Persistence,
    /// Anything else.
    Reactivity,
}

/// Which class a formula's language belongs to.
///
/// Safety, guarantee and obligation are decided exactly, up to limits of size. Recurrence and persistence are seen if
/// the automaton of the formula or of its negation shows them by being deterministic or weak; a formula for which
/// neither is found so is called reactivity.
pub fn classify(formula: &Formula) -> Result<Class, TooLarge> {
    let options = TranslateOptions::default();
    let negation = formula.negated();
    let mut bdds = Bdds::new(MAX_NODES);
    let [positive, negative] = [translate(formula, &options)?, translate(&negation, &options)?]
        .map(|a| Symbolic::of_automaton(&a, &mut bdds));
    let too_large = || TooLarge { what: "the product of two automata has too many states".into() };
    if is_safety(&positive, &negative, &mut bdds).ok_or_else(too_large)? {
        return Ok(Class::Safety);
    }
    if is_safety(&negative, &positive, &mut bdds).ok_or_else(too_large)? {
        return Ok(Class::Guarantee);
    }
    if is_obligation(&positive, &negative, &mut bdds) == Some(true) {
        return Ok(Class::Obligation);
    }
    let positive = translate_to_buchi(formula, &options)?;
    let negative = translate_to_buchi(&negation, &options)?;
    let is_weak = |a: &Automaton| strength(a) != Strength::Strong;
    if is_deterministic(&positive) || is_weak(&negative) {
        return Ok(Class::Recurrence);
    }
    if is_deterministic(&negative) || is_weak(&positive) {
        return Ok(Class::Persistence);
    }
    Ok(Class::Reactivity)
}

const MAX_PAIRS: usize = 200_000;

/// A safety property is all that its automaton accepts when every run that can go on counts.
fn is_safety(positive: &Symbolic, negative: &Symbolic, bdds: &mut Bdds) -> Option<bool> {
    let mut every_run = prune(positive, bdds);
    every_run.n_marks = 0;
    every_run.states.iter_mut().flatten().for_each(|arc| arc.marks = 0);
    every_run.is_disjoint(negative, bdds, MAX_PAIRS)
}

fn is_obligation(positive: &Symbolic, negative: &Symbolic, bdds: &mut Bdds) -> Option<bool> {
    let weak = minimal_weak(positive, bdds, 4096)?;
    Some(
        weak.to_symbolic(false).is_disjoint(negative, bdds, MAX_PAIRS)?
            && weak.to_symbolic(true).is_disjoint(positive, bdds, MAX_PAIRS)?,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn textbook_formulas() {
        let class = |text: &str| classify(&parse(text).unwrap().formula).unwrap();
        assert_eq!(class("[] p"), Class::Safety);
        assert_eq!(class("p W q"), Class::Safety);
        assert_eq!(class("[] (p -> X q)"), Class::Safety);
        assert_eq!(class("<> p"), Class::Guarantee);
        assert_eq!(class("p U q"), Class::Guarantee);
        assert_eq!(class("<> p -> <> q"), Class::Obligation);
        assert_eq!(class("[] p || <> q"), Class::Obligation);
        assert_eq!(class("[] (p -> <> q)"), Class::Recurrence);
        assert_eq!(class("[]<> p && []<> q"), Class::Recurrence);
        assert_eq!(class("<>[] p"), Class::Persistence);
        assert_eq!(class("[]<> p -> []<> q"), Class::Reactivity);
        // Looks like recurrence but is not.
        assert_eq!(class("[] (p && <> p)"), Class::Safety);
        assert_eq!(class("p U (q || [] p)"), Class::Safety);
    }
}
