//! Searches made of several: repeated with other hash functions, or begun anew in another store.
//!
//! A bitstate search misses states by chance. Another hash function makes other mistakes, so a state is missed by all of
//! several searches with the product of the probabilities (Holzmann, "An analysis of bitstate hashing", 1998).

use allways_compiled::Unsupported;
use allways_system::{Semantics, System};
use allways_verdict::Statistics;

use crate::{Found, Keep, Loss, Monitor, OneSearch, Order, Outcome, Question, Stopped};

/// Explores everything that can be reached, or as much as the question allows. Refuses systems that only the
/// interpreter can run, and those without an initial state.
pub fn explore(
    system: &System,
    semantics: Semantics,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Unsupported> {
    let first = repeated(system, semantics, question, monitor)?;
    let Some(keep) = question.on_full else { return Ok(first) };
    if question.keep != Keep::Exact || first.stopped != Some(Stopped::Memory) {
        return Ok(first);
    }
    let Some(rest) = question.without(&first.found) else { return Ok(first) };
    let again = Question { keep, on_full: None, ..rest };
    let mut second = repeated(system, semantics, &again, monitor)?;
    second.full_after = Some(first.full_after.unwrap_or(first.statistics.states));
    second.begun_anew = true;
    second.statistics.search += first.statistics.search;
    second.add(first);
    Ok(second)
}

fn repeated(
    system: &System,
    semantics: Semantics,
    question: &Question,
    monitor: &mut dyn Monitor,
) -> Result<Outcome, Unsupported> {
    let Keep::Bitstate { bytes, bits, seed: first_seed } = question.keep else {
        return crate::explore::explore(system, semantics, question, monitor);
    };
    let mut all: Option<Outcome> = None;
    let mut searches: Vec<OneSearch> = Vec::new();
    for number in 0..question.searches.max(1) {
        let seed = first_seed.wrapping_add(number.into());
        let found = all.as_ref().map_or(&[][..], |all| &all.found);
        let Some(rest) = question.without(found) else { break };
        let question = Question {
            keep: Keep::Bitstate { bytes, bits, seed },
            order: match question.order {
                Order::Random(first) => Order::Random(first.wrapping_add(number.into())),
                order => order,
            },
            ..rest
        };
        let outcome = crate::explore::explore(system, semantics, &question, monitor)?;
        if let (Some(loss), statistics) = (outcome.loss, outcome.statistics) {
            searches.push(OneSearch { seed, statistics, loss });
        }
        let is_last = outcome.stopped.is_some();
        match &mut all {
            None => all = Some(outcome),
            Some(all) => {
                all.stopped.clone_from(&outcome.stopped);
                all.statistics = together(&all.statistics, &outcome.statistics);
                all.add(outcome);
            }
        }
        if is_last {
            break;
        }
    }
    let mut all = all.unwrap_or_default();
    all.keep = question.keep;
    if searches.len() > 1 {
        all.loss = Some(loss_of_all(&searches));
        all.searches = searches;
    }
    Ok(all)
}

impl Outcome {
    /// Adds what another search found. The figures are left alone: the two met mostly the same states.
    fn add(&mut self, other: Outcome) {
        for found in other.found {
            match self.found.iter_mut().find(|known| known.kind == found.kind) {
                Some(Found { count, .. }) => *count = found.count.max(*count),
                None => self.found.push(found),
            }
        }
        self.depth_cut |= other.depth_cut;
        self.fault_cut |= other.fault_cut;
        self.bound_cut |= other.bound_cut;
        self.too_large = self.too_large.take().or(other.too_large);
        self.coverage.merge(&other.coverage);
    }
}

/// How many different states two searches met is not known: at least as many as the one that met more.
fn together(one: &Statistics, other: &Statistics) -> Statistics {
    let most = if other.states > one.states { other } else { one };
    Statistics {
        depth: one.depth.max(other.depth),
        state_bytes: one.state_bytes.max(other.state_bytes),
        store_bytes: one.store_bytes.max(other.store_bytes),
        search: one.search + other.search,
        ..*most
    }
}

fn loss_of_all(searches: &[OneSearch]) -> Loss {
    let missed: f64 = searches.iter().map(|search| 1.0 - search.loss.coverage).product();
    let states = |search: &OneSearch| search.statistics.states as f64 / search.loss.coverage.max(1e-9);
    let n_states = searches.iter().map(states).fold(0.0, f64::max);
    Loss { coverage: 1.0 - missed, missed_probability: -(-n_states * missed).exp_m1() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_searches_miss_less_together() {
        let search = |seed| OneSearch {
            seed,
            statistics: Statistics { states: 900, ..Statistics::default() },
            loss: Loss { coverage: 0.9, missed_probability: 1.0 },
        };
        let loss = loss_of_all(&[1, 2, 3, 4, 5, 6].map(search));
        assert!((loss.coverage - 0.999_999).abs() < 1e-9);
        assert!((loss.missed_probability - 0.001).abs() < 1e-6);
    }
}
