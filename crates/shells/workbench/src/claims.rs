//! From never claims to observers.
//!
//! Where an observer rests are the places where Spin's claim rests. What a claim does inside of an atomic sequence or a `d_step` is
//! about one state, so that it is one edge of the observer per place where it ends. The ways through such a sequence are not
//! followed one by one: at each location inside it is known for which letters the claim can get there, and locations are taken
//! in an order in which what leads to them comes first.

use std::collections::{BTreeMap, HashMap, HashSet};

use allways_ltl::{Bdd, Bdds};
use allways_passes::{slot_with, with_locals};
use allways_system::{
    Acceptance, Action, BinaryOp, Cube, Expr, LocationId, Observer, ObserverEdge, ObserverState, Proctype,
    Scalar, Scope, Start, TransitionId, UnaryOp,
};

use crate::observers::{MOST_PROPOSITIONS, cubes, numbered};

/// Places of the claim, each with the values of its variables: a claim that has more is not
/// checked.
const MOST_SPOTS: usize = 1 << 16;
/// A variable that takes a value of the system may have so many bits: each value is another state
/// of the observer.
const MOST_BITS: u32 = 8;
/// A state's name tells the values of so many variables.
const MOST_NAMED: usize = 8;
/// Nodes of decision diagrams for one claim, and cubes of one edge: what needs more is not checked.
const MOST_NODES: usize = 1 << 18;
const MOST_CUBES: usize = 1 << 12;

/// A place of the claim and the values of its variables; places are numbered as they are met.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Spot(u32);

/// What is at a spot.
type Place = (LocationId, Box<[i32]>);

/// Accepts what a never claim accepts.
pub(crate) fn of_claim(claim: &Proctype) -> Result<Observer, String> {
    let mut building = Building {
        claim,
        propositions: Vec::new(),
        places: Vec::new(),
        spots: HashMap::new(),
        rests: Vec::new(),
        numbers: HashMap::new(),
        letters: Bdds::new(MOST_NODES),
    };
    let start = building.start()?;
    building.number(start);
    let mut states = Vec::new();
    while states.len() < building.rests.len() {
        let spot = building.rests[states.len()];
        states.push(building.state(spot, states.len())?);
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
    /// By spot.
    places: Vec<Place>,
    spots: HashMap<Place, Spot>,
    /// The observer's states, and their numbers.
    rests: Vec<Spot>,
    numbers: HashMap<Spot, u32>,
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
    edges: Vec<(Spot, bool, Bdd)>,
    /// Spots inside a sequence to which it goes back, and for which letters.
    back: Vec<(Spot, Bdd)>,
}

/// Spots inside a sequence that are still to be left, by their place in the order, and for which
/// letters.
struct Wave {
    places: HashMap<Spot, usize>,
    pending: BTreeMap<usize, (Spot, Bdd)>,
    /// For which letters they were left.
    done: HashMap<Spot, Bdd>,
}

impl Wave {
    fn new(start: Spot, letters: Bdd, places: HashMap<Spot, usize>) -> Wave {
        let first = places.get(&start).copied().unwrap_or(0);
        Wave { places, pending: BTreeMap::from([(first, (start, letters))]), done: HashMap::new() }
    }

    /// The next location, and letters for which it was not left yet.
    fn next(&mut self, bdds: &mut Bdds) -> Option<(Spot, Bdd)> {
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
    fn reach(&mut self, from: Spot, to: Spot, letters: Bdd, bdds: &mut Bdds) -> bool {
        let place = |location| self.places.get(&location).copied().unwrap_or(0);
        let (from, at) = (place(from), place(to));
        let (_, pending) = self.pending.entry(at).or_insert((to, Bdd::FALSE));
        *pending = bdds.or(*pending, letters);
        at <= from
    }
}

/// Where a statement leads, for which letters, and for which it fails.
struct Effect {
    ends: Vec<(Spot, Bdd)>,
    fails: Bdd,
}

/// With which values a `d_step` comes to its end, for which letters, and for which letters it does
/// not.
type Ended = (Outcomes, Bdd);

/// Values of the claim's variables, and for which letters they are those.
type Outcomes = Vec<(Box<[i32]>, Bdd)>;

/// The slot that a place of the claim denotes, and its type.
fn slot(place: &allways_system::Place, values: &[i32]) -> Result<(usize, Scalar), String> {
    match slot_with(place, values) {
        Some(at) => Ok((at as usize, place.scalar)),
        None => {
            Err("an index into a never claim's own array is not known before the run, or wrong".to_string())
        }
    }
}

fn unsupported(text: &str) -> String {
    format!("never claims with `{text}` are not supported")
}

impl Building<'_> {
    /// Where it begins. Its variables have their first values, which are known before the run.
    fn start(&mut self) -> Result<Spot, String> {
        let claim = self.claim;
        let mut values = vec![0; claim.frame.slots() as usize].into_boxed_slice();
        for start in &claim.start {
            let Start::Assign(place, value) = start else {
                return Err("never claims with channels of their own are not supported".to_string());
            };
            let (place, value) = (slot(place, &values)?, with_locals(value, &values));
            let Expr::Constant(value) = value else {
                return Err("the first value of a never claim's variable is not a constant".to_string());
            };
            values[place.0] = place.1.truncate(value);
        }
        self.spot(claim.initial, values)
    }

    fn spot(&mut self, location: LocationId, values: Box<[i32]>) -> Result<Spot, String> {
        let place = (location, values);
        if let Some(known) = self.spots.get(&place) {
            return Ok(*known);
        }
        if self.places.len() >= MOST_SPOTS {
            return Err(format!(
                "the never claim comes to more than {MOST_SPOTS} places, told apart by its variables"
            ));
        }
        let spot = Spot(self.places.len() as u32);
        self.places.push(place.clone());
        self.spots.insert(place, spot);
        Ok(spot)
    }

    fn location(&self, spot: Spot) -> LocationId {
        self.places[spot.0 as usize].0
    }

    /// As people know it.
    fn name(&self, spot: Spot, number: usize) -> String {
        let (location, values) = &self.places[spot.0 as usize];
        let label = self.claim.location(*location).labels.first();
        let name = label.cloned().unwrap_or_else(|| format!("S{number}"));
        let mut texts = Vec::new();
        for variable in &self.claim.frame.variables {
            variable.shape.for_each_slot(&variable.name, &mut |name, _| {
                texts.push(format!("{name} = {}", values[texts.len()]));
            });
        }
        if texts.is_empty() || texts.len() > MOST_NAMED {
            name
        } else {
            format!("{name} ({})", texts.join(", "))
        }
    }

    /// The expression at a spot: the claim's variables are known.
    fn known(&self, expr: &Expr, spot: Spot) -> Result<Expr, String> {
        if self.claim.frame.variables.is_empty() {
            return Ok(expr.clone());
        }
        let known = with_locals(expr, &self.places[spot.0 as usize].1);
        let mut is_known = true;
        known.walk(&mut |expr| {
            is_known &= !matches!(expr, Expr::Load(allways_system::Place { scope: Scope::Local, .. }));
        });
        if !is_known {
            return Err(
                "an index into a never claim's own array cannot be evaluated before the run".to_string()
            );
        }
        Ok(known)
    }

    fn state(&mut self, spot: Spot, number: usize) -> Result<ObserverState, String> {
        let location = self.location(spot);
        let marks = u64::from(self.claim.location(location).is_accept);
        let name = self.name(spot, number);
        let is_final = self.is_end(location);
        let mut edges = Vec::new();
        if !is_final {
            let moves = self.moves(spot, Bdd::TRUE)?;
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
    fn refuse_endless(&mut self, back: &[(Spot, Bdd)]) -> Result<(), String> {
        for (spot, letters) in back {
            let again = self.moves(*spot, *letters)?.back;
            if again.iter().any(|(target, letters)| target == spot && !letters.is_false()) {
                return Err("an atomic sequence of the never claim does not end".to_string());
            }
        }
        Ok(())
    }

    /// What the claim can do from a spot for some letters.
    fn moves(&mut self, start: Spot, letters: Bdd) -> Result<Moves, String> {
        let claim = self.claim;
        let is_inside = |building: &Building, transition: TransitionId| {
            let transition = claim.transition(transition);
            transition.atomic && !building.is_end(transition.target)
        };
        let places = self.order(start, is_inside)?;
        let mut wave = Wave::new(start, letters, places);
        let mut moves = Moves::default();
        while let Some((spot, letters)) = wave.next(&mut self.letters) {
            for Offer { transition, letters } in self.offers(spot, letters)? {
                let Effect { ends, fails } = self.effect(transition, spot, letters)?;
                if !fails.is_false() {
                    let target = self.spot(claim.transition(transition).target, self.values(spot))?;
                    self.add(&mut moves, target, true, fails, spot == start);
                }
                for (target, letters) in ends {
                    if !is_inside(self, transition) {
                        self.add(&mut moves, target, false, letters, spot == start);
                    } else if wave.reach(spot, target, letters, &mut self.letters) {
                        moves.back.push((target, letters));
                    }
                }
            }
        }
        Ok(moves)
    }

    fn values(&self, spot: Spot) -> Box<[i32]> {
        self.places[spot.0 as usize].1.clone()
    }

    /// Adds an edge. Those from inside a sequence are joined.
    fn add(&mut self, moves: &mut Moves, target: Spot, fails: bool, letters: Bdd, is_first: bool) {
        if letters.is_false() {
            return;
        }
        let same = |(known, known_fails, _): &&mut (Spot, bool, Bdd)| {
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

    /// The spots that can be reached inside a sequence, in an order in which a spot comes before
    /// those that follow it, except where the sequence goes round.
    fn order(
        &mut self,
        start: Spot,
        is_inside: impl Fn(&Building, TransitionId) -> bool,
    ) -> Result<HashMap<Spot, usize>, String> {
        let next = |building: &mut Building, spot: Spot| -> Result<Vec<Spot>, String> {
            let mut targets = Vec::new();
            for Offer { transition, letters } in building.offers(spot, Bdd::TRUE)? {
                if is_inside(building, transition) {
                    let ends = building.effect(transition, spot, letters)?.ends;
                    targets.extend(ends.into_iter().map(|(target, _)| target));
                }
            }
            Ok(targets)
        };
        let mut left = Vec::new();
        let mut seen = HashSet::from([start]);
        let mut path = vec![(start, next(self, start)?)];
        while let Some((spot, rest)) = path.last_mut() {
            match rest.pop() {
                Some(next_one) if seen.insert(next_one) => path.push((next_one, next(self, next_one)?)),
                Some(_) => {}
                None => {
                    left.push(*spot);
                    path.pop();
                }
            }
        }
        Ok(left.into_iter().rev().enumerate().map(|(place, spot)| (spot, place)).collect())
    }

    /// Where a statement leads for these letters, and for which it fails.
    fn effect(&mut self, transition: TransitionId, spot: Spot, letters: Bdd) -> Result<Effect, String> {
        let claim = self.claim;
        let transition = claim.transition(transition);
        let target = transition.target;
        let values = self.values(spot);
        match &transition.action {
            Action::Assert(condition) => {
                let holds = self.condition(&self.known(condition, spot)?);
                let ends = self.letters.and(letters, holds);
                let fails = self.letters.minus(letters, holds);
                let target = self.spot(target, values)?;
                Ok(Effect { ends: (!ends.is_false()).then_some((target, ends)).into_iter().collect(), fails })
            }
            Action::DStep { entry, exit } => {
                let (ended, fails) = self.walk(*entry, *exit, spot, letters)?;
                let mut ends = Vec::new();
                for (values, letters) in ended {
                    ends.push((self.spot(target, values)?, letters));
                }
                Ok(Effect { ends, fails })
            }
            Action::Assign(place, value) => {
                let mut ends = Vec::new();
                for (values, letters) in self.assigned(&transition.text, spot, place, value, letters)? {
                    ends.push((self.spot(target, values)?, letters));
                }
                Ok(Effect { ends, fails: Bdd::FALSE })
            }
            // A declaration that control passes and that sets nothing.
            Action::AssignAll(assignments) if !assignments.is_empty() => Err(unsupported(&transition.text)),
            _ => Ok(Effect { ends: vec![(self.spot(target, values)?, letters)], fails: Bdd::FALSE }),
        }
    }

    /// The values of the claim's variables after an assignment, and for which letters. A value that
    /// depends on the system is told by its bits.
    fn assigned(
        &mut self,
        text: &str,
        spot: Spot,
        place: &allways_system::Place,
        value: &Expr,
        letters: Bdd,
    ) -> Result<Outcomes, String> {
        if place.scope == Scope::Global {
            return Err(format!("the never claim changes the system it watches (`{text}`)"));
        }
        let values = self.values(spot);
        let (at, scalar) = slot(place, &values)?;
        let with = |value: i32| {
            let mut values = values.clone();
            values[at] = scalar.truncate(value);
            values
        };
        let value = self.known(value, spot)?;
        if let Expr::Constant(value) = value {
            return Ok(vec![(with(value), letters)]);
        }
        let n_bits = match scalar {
            Scalar::Bit | Scalar::Bool => 1,
            Scalar::Byte | Scalar::Pid => 8,
            Scalar::Unsigned(bits) => u32::from(bits),
            Scalar::Short | Scalar::Int | Scalar::Mtype(_) | Scalar::Chan => u32::MAX,
        };
        if n_bits > MOST_BITS {
            return Err(format!(
                "a variable of the never claim with more than {MOST_BITS} bits takes a value of the system (`{text}`)"
            ));
        }
        let mut outcomes = vec![(0, letters)];
        for bit in 0..n_bits {
            let mask = Expr::Constant(1 << bit);
            let is_set = Expr::Binary(BinaryOp::BitAnd, Box::new((value.clone(), mask)));
            let is_set = self.condition(&is_set);
            let before = std::mem::take(&mut outcomes);
            for (value, letters) in before {
                outcomes.push((value, self.letters.minus(letters, is_set)));
                outcomes.push((value | 1 << bit, self.letters.and(letters, is_set)));
            }
            outcomes.retain(|(_, letters)| !letters.is_false());
        }
        Ok(outcomes.into_iter().map(|(value, letters)| (with(value), letters)).collect())
    }

    /// What can be executed at a location, and when: an escape keeps what it escapes from waiting, and an `else` waits for
    /// what stands before it in its group, as in a process.
    fn offers(&mut self, spot: Spot, so_far: Bdd) -> Result<Vec<Offer>, String> {
        let claim = self.claim;
        let mut offers = Vec::new();
        let mut earlier_groups = so_far;
        for group in &claim.location(self.location(spot)).groups {
            let mut none_so_far = earlier_groups;
            for id in group {
                let letters = match &claim.transition(*id).action {
                    Action::Else => none_so_far,
                    action => {
                        let enabled = self.enabled(action, spot, &claim.transition(*id).text)?;
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
    fn enabled(&mut self, action: &Action, spot: Spot, text: &str) -> Result<Bdd, String> {
        let claim = self.claim;
        Ok(match action {
            Action::Skip | Action::Print { .. } | Action::Assert(_) => Bdd::TRUE,
            Action::Assign(..) | Action::AssignAll(_) => Bdd::TRUE,
            Action::Condition(condition) => self.condition(&self.known(condition, spot)?),
            Action::DStep { entry, .. } => {
                let mut letters = Bdd::FALSE;
                for id in claim.location(*entry).groups.iter().flatten() {
                    match &claim.transition(*id).action {
                        Action::Else => return Ok(Bdd::TRUE),
                        Action::DStep { .. } => return Err(unsupported(text)),
                        action => {
                            let more = self.enabled(action, spot, &claim.transition(*id).text)?;
                            letters = self.letters.or(letters, more);
                        }
                    }
                }
                letters
            }
            _ => return Err(unsupported(text)),
        })
    }

    /// The run through a `d_step`: it is done in one state, and of several statements that can be
    /// executed the first one is. With which values and for which letters it comes to its end, and
    /// for which letters it does not.
    fn walk(
        &mut self,
        entry: LocationId,
        exit: LocationId,
        spot: Spot,
        letters: Bdd,
    ) -> Result<Ended, String> {
        let claim = self.claim;
        let start = self.spot(entry, self.values(spot))?;
        let places =
            self.order(start, |building, transition| building.claim.transition(transition).target != exit)?;
        let mut wave = Wave::new(start, letters, places);
        let mut ended: Outcomes = Vec::new();
        let mut all_ends = Bdd::FALSE;
        while let Some((spot, mut left)) = wave.next(&mut self.letters) {
            for offer in self.offers(spot, left)? {
                let taken = self.letters.and(left, offer.letters);
                left = self.letters.minus(left, taken);
                let transition = claim.transition(offer.transition);
                if matches!(transition.action, Action::DStep { .. }) {
                    return Err(unsupported(&transition.text));
                }
                for (target, goes_on) in self.effect(offer.transition, spot, taken)?.ends {
                    if transition.target != exit {
                        wave.reach(spot, target, goes_on, &mut self.letters);
                        continue;
                    }
                    all_ends = self.letters.or(all_ends, goes_on);
                    let values = self.values(target);
                    match ended.iter_mut().find(|(known, _)| *known == values) {
                        Some((_, known)) => *known = self.letters.or(*known, goes_on),
                        None => ended.push((values, goes_on)),
                    }
                }
            }
        }
        // An assertion fails, it is blocked inside (where it begins it would not be executed), or
        // it goes round for ever.
        Ok((ended, self.letters.minus(letters, all_ends)))
    }

    fn number(&mut self, spot: Spot) -> u32 {
        let next = self.rests.len() as u32;
        *self.numbers.entry(spot).or_insert_with(|| {
            self.rests.push(spot);
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
