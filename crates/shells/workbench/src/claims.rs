//! From never claims to observers.
//!
//! Where an observer rests are the places where Spin's claim rests. What a claim does inside of an atomic sequence or a `d_step` is
//! about one state, so that it is one edge of the observer per place where it ends. The ways through such a sequence are not
//! followed one by one: at each location inside it is known for which letters the claim can get there, and locations are taken
//! in an order in which what leads to them comes first.

use std::collections::{BTreeMap, HashMap, HashSet};

use allways_ltl::{Bdd, Bdds};
use allways_system::{
    Acceptance, Action, Cube, Expr, LocationId, Observer, ObserverEdge, ObserverState, Proctype,
    TransitionId, UnaryOp,
};

use crate::observers::{MOST_PROPOSITIONS, cubes, numbered};

/// Nodes of decision diagrams for one claim, and cubes of one edge: what needs more is not checked.
const MOST_NODES: usize = 1 << 18;
const MOST_CUBES: usize = 1 << 12;

/// Accepts what a never claim accepts.
pub(crate) fn of_claim(claim: &Proctype) -> Result<Observer, String> {
    if claim.frame.slots() > 0 {
        return Err("never claims with variables of their own are not supported".to_string());
    }
    let mut building = Building {
        claim,
        propositions: Vec::new(),
        locations: vec![claim.initial],
        numbers: HashMap::from([(claim.initial, 0)]),
        letters: Bdds::new(MOST_NODES),
    };
    let mut states = Vec::new();
    while states.len() < building.locations.len() {
        let location = building.locations[states.len()];
        states.push(building.state(location, states.len())?);
        if building.propositions.len() > MOST_PROPOSITIONS {
            return Err(format!("the never claim has more than {MOST_PROPOSITIONS} different conditions"));
        }
    }
    if states[0].is_final {
        // An observer is asked whether it has accepted when it moves, so it has to make a move first.
        let enter = ObserverEdge { guard: vec![Cube::default()], target: 1, marks: 0, fails: false };
        states.truncate(1);
        states.insert(0, ObserverState { name: "start".to_string(), edges: vec![enter], is_final: false });
    }
    Ok(Observer {
        propositions: building.propositions,
        initial: 0,
        states,
        n_marks: 1,
        acceptance: Acceptance::AllMarks,
        letter_marks: Vec::new(),
        stutters: true,
        counts_steps: true,
    })
}

/// An observer in the making.
struct Building<'c> {
    claim: &'c Proctype,
    propositions: Vec<Expr>,
    /// Of the observer's states, and their numbers.
    locations: Vec<LocationId>,
    numbers: HashMap<LocationId, u32>,
    letters: Bdds,
}

/// A statement that can be executed, and for which letters.
struct Offer {
    transition: TransitionId,
    letters: Bdd,
}

/// What a claim can do in one state.
#[derive(Default)]
struct Moves {
    /// Where it can come to rest, whether that is a failed assertion, and for which letters.
    edges: Vec<(LocationId, bool, Bdd)>,
    /// Locations inside a sequence to which it goes back, and for which letters.
    back: Vec<(LocationId, Bdd)>,
}

/// Locations inside a sequence that are still to be left, by their place in the order, and for which letters.
struct Wave {
    places: HashMap<LocationId, usize>,
    pending: BTreeMap<usize, (LocationId, Bdd)>,
    /// For which letters they were left.
    done: HashMap<LocationId, Bdd>,
}

impl Wave {
    fn new(start: LocationId, letters: Bdd, places: HashMap<LocationId, usize>) -> Wave {
        let first = places.get(&start).copied().unwrap_or(0);
        Wave { places, pending: BTreeMap::from([(first, (start, letters))]), done: HashMap::new() }
    }

    /// The next location, and letters for which it was not left yet.
    fn next(&mut self, bdds: &mut Bdds) -> Option<(LocationId, Bdd)> {
        while let Some((_, (location, letters))) = self.pending.pop_first() {
            let done = self.done.entry(location).or_insert(Bdd::FALSE);
            let new = bdds.minus(letters, *done);
            *done = bdds.or(*done, new);
            if !new.is_false() {
                return Some((location, new));
            }
        }
        None
    }

    /// The location is reached for these letters. Whether that is a step back in the order.
    fn reach(&mut self, from: LocationId, to: LocationId, letters: Bdd, bdds: &mut Bdds) -> bool {
        let place = |location| self.places.get(&location).copied().unwrap_or(0);
        let (from, at) = (place(from), place(to));
        let (_, pending) = self.pending.entry(at).or_insert((to, Bdd::FALSE));
        *pending = bdds.or(*pending, letters);
        at <= from
    }
}

fn unsupported(text: &str) -> String {
    format!("never claims with `{text}` are not supported")
}

impl Building<'_> {
    fn state(&mut self, location: LocationId, number: usize) -> Result<ObserverState, String> {
        let place = self.claim.location(location);
        let marks = u64::from(place.is_accept);
        let name = place.labels.first().cloned().unwrap_or_else(|| format!("S{number}"));
        let is_final = self.is_end(location);
        let mut edges = Vec::new();
        if !is_final {
            let moves = self.moves(location, Bdd::TRUE)?;
            self.check_size()?;
            self.refuse_endless(&moves.back)?;
            for (target, fails, letters) in moves.edges {
                let guard = self.letters.label_of(letters, MOST_CUBES);
                let guard = cubes(&guard.ok_or("the never claim tells too many cases apart in one state")?);
                edges.push(ObserverEdge { guard, target: self.number(target), marks, fails });
            }
        }
        self.check_size()?;
        Ok(ObserverState { name, edges, is_final })
    }

    /// Whether the claim accepts where it is: at its closing brace, and at an `end` label.
    fn is_end(&self, location: LocationId) -> bool {
        let place = self.claim.location(location);
        let mut transitions = place.groups.iter().flatten();
        place.is_end || transitions.all(|id| matches!(self.claim.transition(*id).action, Action::Terminate))
    }

    /// An atomic sequence that can go round for ever, in one and the same state.
    fn refuse_endless(&mut self, back: &[(LocationId, Bdd)]) -> Result<(), String> {
        for (location, letters) in back {
            let again = self.moves(*location, *letters)?.back;
            if again.iter().any(|(target, letters)| target == location && !letters.is_false()) {
                return Err("an atomic sequence of the never claim does not end".to_string());
            }
        }
        Ok(())
    }

    /// What the claim can do from a location for some letters.
    fn moves(&mut self, start: LocationId, letters: Bdd) -> Result<Moves, String> {
        let claim = self.claim;
        let inside = |building: &Building, transition: TransitionId| {
            let transition = claim.transition(transition);
            (transition.atomic && !building.is_end(transition.target)).then_some(transition.target)
        };
        let places = self.order(start, |building, transition| inside(building, transition));
        let mut wave = Wave::new(start, letters, places);
        let mut moves = Moves::default();
        while let Some((location, letters)) = wave.next(&mut self.letters) {
            for Offer { transition, letters } in self.offers(location, letters)? {
                let target = claim.transition(transition).target;
                let (ends, fails) = self.effect(transition, letters)?;
                self.add(&mut moves, target, true, fails, location == start);
                if ends.is_false() {
                    continue;
                }
                match inside(self, transition) {
                    Some(next) if wave.reach(location, next, ends, &mut self.letters) => {
                        moves.back.push((next, ends));
                    }
                    Some(_) => {}
                    None => self.add(&mut moves, target, false, ends, location == start),
                }
            }
        }
        Ok(moves)
    }

    /// Adds an edge. Those from inside a sequence are joined.
    fn add(&mut self, moves: &mut Moves, target: LocationId, fails: bool, letters: Bdd, is_first: bool) {
        if letters.is_false() {
            return;
        }
        let same = |(known, known_fails, _): &&mut (LocationId, bool, Bdd)| {
            !is_first && *known == target && *known_fails == fails
        };
        match moves.edges.iter_mut().find(same) {
            Some((_, _, known)) => *known = self.letters.or(*known, letters),
            None => moves.edges.push((target, fails, letters)),
        }
    }

    /// Diagrams that are too large are wrong.
    fn check_size(&self) -> Result<(), String> {
        match self.letters.overflow {
            true => Err("the never claim looks at too much in one state".to_string()),
            false => Ok(()),
        }
    }

    /// The locations that can be reached inside a sequence, in an order in which a location comes before those that follow it, except
    /// where the sequence goes round.
    fn order(
        &self,
        start: LocationId,
        inside: impl Fn(&Building, TransitionId) -> Option<LocationId>,
    ) -> HashMap<LocationId, usize> {
        let next = |location: LocationId| -> Vec<LocationId> {
            let transitions = self.claim.location(location).groups.iter().flatten();
            transitions.filter_map(|id| inside(self, *id)).collect()
        };
        let mut left = Vec::new();
        let mut seen = HashSet::from([start]);
        let mut path = vec![(start, next(start))];
        while let Some((location, rest)) = path.last_mut() {
            match rest.pop() {
                Some(next_one) if seen.insert(next_one) => path.push((next_one, next(next_one))),
                Some(_) => {}
                None => {
                    left.push(*location);
                    path.pop();
                }
            }
        }
        left.into_iter().rev().enumerate().map(|(place, location)| (location, place)).collect()
    }

    /// For which of these letters a statement comes to its end, and for which it fails.
    fn effect(&mut self, transition: TransitionId, letters: Bdd) -> Result<(Bdd, Bdd), String> {
        match &self.claim.transition(transition).action {
            Action::Assert(condition) => {
                let holds = self.condition(condition);
                Ok((self.letters.and(letters, holds), self.letters.minus(letters, holds)))
            }
            Action::DStep { entry, exit } => self.walk(*entry, *exit, letters),
            _ => Ok((letters, Bdd::FALSE)),
        }
    }

    /// What can be executed at a location, and when: an escape keeps what it escapes from waiting, and an `else` waits for
    /// what stands before it in its group, as in a process.
    fn offers(&mut self, location: LocationId, so_far: Bdd) -> Result<Vec<Offer>, String> {
        let claim = self.claim;
        let mut offers = Vec::new();
        let mut earlier_groups = so_far;
        for group in &claim.location(location).groups {
            let mut none_so_far = earlier_groups;
            for id in group {
                let letters = match &claim.transition(*id).action {
                    Action::Else => none_so_far,
                    action => {
                        let enabled = self.enabled(action, &claim.transition(*id).text)?;
                        self.letters.and(earlier_groups, enabled)
                    }
                };
                none_so_far = self.letters.minus(none_so_far, letters);
                offers.push(Offer { transition: *id, letters });
            }
            earlier_groups = none_so_far;
        }
        offers.retain(|offer| !offer.letters.is_false());
        Ok(offers)
    }

    /// When a statement can be executed. That of a `d_step` is its first one.
    fn enabled(&mut self, action: &Action, text: &str) -> Result<Bdd, String> {
        let claim = self.claim;
        Ok(match action {
            Action::Skip | Action::Print { .. } | Action::Assert(_) => Bdd::TRUE,
            Action::Condition(condition) => self.condition(condition),
            Action::DStep { entry, .. } => {
                let mut letters = Bdd::FALSE;
                for id in claim.location(*entry).groups.iter().flatten() {
                    match &claim.transition(*id).action {
                        Action::Else => return Ok(Bdd::TRUE),
                        Action::DStep { .. } => return Err(unsupported(text)),
                        action => {
                            let more = self.enabled(action, &claim.transition(*id).text)?;
                            letters = self.letters.or(letters, more);
                        }
                    }
                }
                letters
            }
            _ => return Err(unsupported(text)),
        })
    }

    /// The run through a `d_step`: it is done in one state, and of several statements that can be executed the first one is. For
    /// which letters it comes to its end, and for which it does not.
    fn walk(&mut self, entry: LocationId, exit: LocationId, letters: Bdd) -> Result<(Bdd, Bdd), String> {
        let claim = self.claim;
        let places = self.order(entry, |building, transition| {
            let target = building.claim.transition(transition).target;
            (target != exit).then_some(target)
        });
        let mut wave = Wave::new(entry, letters, places);
        let mut ends = Bdd::FALSE;
        while let Some((location, mut left)) = wave.next(&mut self.letters) {
            for offer in self.offers(location, left)? {
                let taken = self.letters.and(left, offer.letters);
                left = self.letters.minus(left, taken);
                let transition = claim.transition(offer.transition);
                if matches!(transition.action, Action::DStep { .. }) {
                    return Err(unsupported(&transition.text));
                }
                let (goes_on, _) = self.effect(offer.transition, taken)?;
                if transition.target == exit {
                    ends = self.letters.or(ends, goes_on);
                } else if !goes_on.is_false() {
                    wave.reach(location, transition.target, goes_on, &mut self.letters);
                }
            }
        }
        // An assertion fails, it is blocked inside (where it begins it would not be executed), or it goes round for ever, as
        // nothing that it looks at changes.
        Ok((ends, self.letters.minus(letters, ends)))
    }

    fn number(&mut self, location: LocationId) -> u32 {
        let next = self.locations.len() as u32;
        *self.numbers.entry(location).or_insert_with(|| {
            self.locations.push(location);
            next
        })
    }

    /// The letters for which a condition holds.
    fn condition(&mut self, condition: &Expr) -> Bdd {
        match condition {
            Expr::Constant(0) => Bdd::FALSE,
            Expr::Constant(_) => Bdd::TRUE,
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.condition(operand);
                self.letters.not(operand)
            }
            _ => {
                // More than there are bits is refused before anybody reads them.
                let number = numbered(condition, &mut self.propositions);
                self.letters.variable(number.min(MOST_PROPOSITIONS as u32 - 1))
            }
        }
    }
}
