//! Automata that the user brings, in the HOA format.
//!
//! Their propositions are conditions of the model. These go into the system in the clothes of a formula, `a -> (b -> true)`
//! for `a` and `b`: so they are parsed and checked like any other, and whoever asks what properties look at sees them.

use allways_ltl::hoa::{self, HoaAutomaton};
use allways_system::{Expr, Formula, Observer, System};

use crate::observers::{condition, of_emerson_lei};

/// An automaton about the runs of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenAutomaton {
    /// Of the property that it makes.
    pub name: String,
    /// Whether runs that it accepts must not be, or those that it does not accept.
    pub demand: Demand,
    /// In the HOA format.
    pub text: String,
}

/// What an automaton says about the runs of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// None is accepted.
    Forbid,
    /// Each is accepted.
    Require,
}

/// One that was understood.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    pub name: String,
    pub demand: Demand,
    /// Accepts the runs that must not be.
    observer: HoaAutomaton,
}

impl Automaton {
    /// Understands it, or says what is wrong.
    pub fn new(given: &GivenAutomaton) -> Result<Automaton, String> {
        let automata = hoa::parse_all(&given.text).map_err(|error| error.to_string())?;
        let [automaton] = &automata[..] else {
            return Err(format!("there are {} automata in it instead of one", automata.len()));
        };
        let observer = match given.demand {
            Demand::Forbid => automaton.clone(),
            Demand::Require => {
                let complement = automaton.complement().map_err(|error| error.to_string())?;
                complement.ok_or("it is not deterministic, so what it does not accept is not known; give an automaton for the runs that must not be")?
            }
        };
        observer.to_emerson_lei().map_err(|error| error.to_string())?;
        Ok(Automaton { name: given.name.clone(), demand: given.demand, observer })
    }

    /// The conditions, as a formula of the model.
    pub fn formula(&self) -> (String, String) {
        let conditions = self.observer.propositions.iter().rev();
        let text =
            conditions.fold("true".to_string(), |rest, condition| format!("({condition}) -> ({rest})"));
        (self.name.clone(), text)
    }

    /// Over the conditions that became of the formula.
    pub fn observer(&self, system: &System) -> Result<Observer, String> {
        let formula = system.formulas.iter().find(|formula| formula.name == self.name);
        let mut rest = &formula.ok_or("its conditions are not in the model")?.formula;
        let mut propositions = Vec::new();
        for text in &self.observer.propositions {
            let Formula::Implies(both) = rest else {
                return Err(format!("`{text}` is not a condition"));
            };
            propositions.push(condition(&both.0).ok_or_else(|| format!("`{text}` is not a condition"))?);
            rest = &both.1;
        }
        self.over(propositions)
    }

    fn over(&self, propositions: Vec<Expr>) -> Result<Observer, String> {
        let automaton = self.observer.to_emerson_lei().map_err(|error| error.to_string())?;
        let name = |number: usize| match self.observer.states.get(number).and_then(|state| state.name.clone())
        {
            Some(name) => name,
            None => format!("S{number}"),
        };
        // Nobody knows whether it counts steps.
        Ok(of_emerson_lei(&automaton, propositions, true, &name))
    }
}
