//! Repeating a run that goes round for ever, to see whether it is one that must not be.

use std::collections::HashMap;

use allways_explicit::cycles::{Chosen, Fairness, Lasso, strongly_connected};
use allways_interpreter::{Interpreter, Semantics, State};
use allways_system::{
    Alarm, Condition, Fault, Halt, Letter, Observer, Pid, STEPS_UNHEARD, Step, Successors, System,
};

use crate::fair::FairRuns;
use crate::observers::Watch;
use crate::run::NotRepeated;

/// What an observer reads along a lasso.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The letter of each state that is read, and the number of steps before it.
    pub letters: Vec<(Letter, usize)>,
    /// Where the cycle begins in `letters`; there are as many letters if the last one is read for ever.
    pub cycle: Option<usize>,
    /// The run goes on for ever inside an atomic sequence.
    pub is_inside: bool,
}

/// A lasso that is repeated, and for how long.
pub(crate) struct Repeated<'l> {
    pub semantics: Semantics,
    pub lasso: &'l Lasso,
    pub alarm: Alarm,
    /// What it may take, in bytes.
    pub memory: Option<u64>,
}

/// Repeats a lasso with the interpreter, on the model as it was read and on the system that was searched, and sees whether
/// it is what the search said.
pub(crate) fn confirm(
    original: &System,
    searched: &System,
    watch: &Watch,
    fair: &FairRuns,
    run: &Repeated,
) -> Result<Reading, NotRepeated> {
    repeat(original, searched, watch, fair, run).map_err(|why| match why {
        NotRepeated::Wrong(why) => NotRepeated::because(why, &run.alarm),
        halted => halted,
    })
}

fn repeat(
    original: &System,
    searched: &System,
    watch: &Watch,
    fair: &FairRuns,
    run: &Repeated,
) -> Result<Reading, NotRepeated> {
    let (observer, lasso) = (&watch.observer, run.lasso);
    let mut reader = Reader::new(searched, observer, run)?;
    reader.follow(lasso)?;
    if lasso.cycle.is_some() {
        reader.check_closed()?;
    }
    let mut reader = Reader::new(original, observer, run)?;
    reader.chosen = fair.chosen();
    reader.follow(lasso)?;
    reader.check_fair(fair.fairness)?;
    let reading = reader.reading();
    if let Some(start) = lasso.cycle {
        // What was left out of the states that were searched must not matter.
        let mut again = Reader { position: reader.position, ..reader.fork() };
        for step in &lasso.steps[start..] {
            again.step(*step)?;
        }
        let cycle = reading.cycle.unwrap_or(0);
        let (first, second) = (word(&reading.letters[cycle..]), word(&again.letters));
        if !same_round(&first, &second) {
            return Err("the cycle is not the same when it is repeated".to_string().into());
        }
    }
    let accepted = match &watch.formula {
        Some(formula) => {
            let is_false = !allways_ltl::holds_on(formula, &as_word(&reading));
            is_false && (lasso.cycle.is_some() || accepts(observer, &reading, run)?)
        }
        None => accepts(observer, &reading, run)?,
    };
    if accepted { Ok(reading) } else { Err("the run does not violate the property".to_string().into()) }
}

/// What holds. What cannot be evaluated does not matter: an observer that has to know it goes no further.
fn word(letters: &[(Letter, usize)]) -> Vec<u64> {
    letters.iter().map(|(letter, _)| letter.holds).collect()
}

/// The first round starts with a state that the second one has reached already.
fn same_round(first: &[u64], second: &[u64]) -> bool {
    let rotated = first.iter().skip(1).chain(first.first());
    rotated.eq(second.iter())
}

/// As an infinite word.
pub(crate) fn as_word(reading: &Reading) -> allways_ltl::Lasso {
    let letters = word(&reading.letters);
    let last = letters.last().copied().unwrap_or(0);
    match reading.cycle {
        Some(start) if start < letters.len() => {
            allways_ltl::Lasso { prefix: letters[..start].to_vec(), cycle: letters[start..].to_vec() }
        }
        // Whatever follows does not matter, or the last state does.
        _ => allways_ltl::Lasso { prefix: letters, cycle: vec![last] },
    }
}

/// Follows the steps of a lasso.
struct Reader<'r> {
    interpreter: Interpreter<'r>,
    alarm: &'r Alarm,
    observer: &'r Observer,
    state: State,
    /// Steps so far.
    position: usize,
    letters: Vec<(Letter, usize)>,
    /// At the beginning of the cycle: the state, and how many letters there were before its own.
    cycle: Option<(State, usize)>,
    /// Whom fairness is about; none for everybody.
    chosen: Option<&'r Chosen>,
    /// In the cycle: who moved, and who could not at some time or need not be treated fairly then.
    moved: Vec<Pid>,
    waiting: Vec<Vec<Pid>>,
}

impl<'r> Reader<'r> {
    fn new(system: &'r System, observer: &'r Observer, run: &'r Repeated<'_>) -> Result<Reader<'r>, String> {
        let interpreter = Interpreter::new(system, run.semantics).with_alarm(run.alarm.clone());
        let state = interpreter.initial().map_err(|fault| fault.to_string())?;
        let mut reader = Reader {
            interpreter,
            alarm: &run.alarm,
            observer,
            state,
            position: 0,
            letters: Vec::new(),
            cycle: None,
            chosen: None,
            moved: Vec::new(),
            waiting: Vec::new(),
        };
        reader.read();
        Ok(reader)
    }

    /// Another one in the same state, with no past.
    fn fork(&self) -> Reader<'r> {
        let interpreter = Interpreter::new(self.interpreter.system, self.interpreter.semantics);
        Reader {
            interpreter: interpreter.with_alarm(self.alarm.clone()),
            alarm: self.alarm,
            observer: self.observer,
            state: self.state.clone(),
            position: 0,
            letters: Vec::new(),
            cycle: None,
            chosen: None,
            moved: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Reads the state, if everybody may move in it.
    fn read(&mut self) {
        self.settle();
        if self.state.exclusive.is_none() {
            let (letter, _) = self.interpreter.letter(&self.state, &self.observer.propositions);
            self.letters.push((letter, self.position));
        }
    }

    /// Atomicity is lost where its owner is blocked.
    fn settle(&mut self) {
        if self.state.exclusive.is_some() && self.steps().is_empty() {
            self.interpreter.release(&mut self.state);
        }
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        self.interpreter.steps(&self.state, &mut steps);
        steps
    }

    fn step(&mut self, step: Step) -> Result<(), String> {
        if !self.steps().contains(&step) {
            return Err(format!("step {step} is not enabled"));
        }
        self.interpreter.apply(&mut self.state, step, None).map_err(|fault| fault.to_string())?;
        self.position += 1;
        if self.position.is_multiple_of(STEPS_UNHEARD as usize) && self.alarm.rings().is_some() {
            return Err("there is no time left".to_string());
        }
        self.read();
        Ok(())
    }

    fn follow(&mut self, lasso: &Lasso) -> Result<(), String> {
        for (number, step) in lasso.steps.iter().enumerate() {
            if lasso.cycle == Some(number) {
                self.begin_cycle();
            }
            if self.cycle.is_some() && self.state.exclusive.is_none() {
                let can_move = self.steps();
                let is_chosen = |pid: &Pid| {
                    let process = &self.state.processes[*pid as usize];
                    let has_it = |chosen: &Chosen| chosen.contains(*pid, process.proctype, process.location);
                    self.chosen.is_none_or(has_it)
                };
                let waits =
                    |pid: &Pid| !is_chosen(pid) || !can_move.iter().any(|step| takes_part(step, *pid));
                self.waiting.push((0..self.state.processes.len() as Pid).filter(waits).collect());
            }
            if self.cycle.is_some() {
                self.moved.push(step.pid);
                self.moved.extend(step.partner.map(|(pid, _)| pid));
            }
            self.step(*step)?;
        }
        if lasso.cycle == Some(lasso.steps.len()) {
            self.begin_cycle();
            if !self.steps().is_empty() {
                return Err("the run could go on where it is said to end".to_string());
            }
        }
        Ok(())
    }

    fn begin_cycle(&mut self) {
        self.cycle = Some((self.state.clone(), self.letters.len().saturating_sub(1)));
    }

    /// Whether the cycle leads back to the state in which it began.
    fn check_closed(&self) -> Result<(), String> {
        let Some((state, _)) = &self.cycle else { return Ok(()) };
        let packed = |state: &State| {
            let mut bytes = Vec::new();
            let n = self.interpreter.pack(state, &mut bytes);
            bytes.truncate(n);
            bytes
        };
        if packed(state) == packed(&self.state) {
            Ok(())
        } else {
            Err("the cycle does not lead back to its beginning".to_string())
        }
    }

    fn check_fair(&self, fairness: Fairness) -> Result<(), String> {
        let Some((state, _)) = &self.cycle else { return Ok(()) };
        // Inside an atomic sequence nobody else can move.
        if self.waiting.is_empty() || fairness == Fairness::None {
            return Ok(());
        }
        for pid in 0..state.processes.len() as Pid {
            let mut waits = self.waiting.iter().map(|waiting| waiting.contains(&pid));
            let is_fair = match fairness {
                Fairness::Weak => waits.any(|waits| waits),
                _ => waits.all(|waits| waits),
            };
            if !is_fair && !self.moved.contains(&pid) {
                return Err(format!("process {pid} can move but never does"));
            }
        }
        Ok(())
    }

    fn reading(&self) -> Reading {
        let cycle = self.cycle.as_ref().map(|(_, first)| *first);
        let mut letters = self.letters.clone();
        let cycle = match cycle {
            // Nothing happens, or only inside an atomic sequence: then the last letter is read for ever.
            Some(first) if first + 1 == letters.len() => Some(letters.len()),
            Some(first) => {
                // The last letter is that of the state in which the cycle began.
                letters.pop();
                Some(first)
            }
            None => None,
        };
        let is_inside = cycle == Some(letters.len()) && !self.moved.is_empty();
        Reading { letters, cycle, is_inside }
    }
}

fn takes_part(step: &Step, pid: Pid) -> bool {
    step.pid == pid || step.partner.is_some_and(|(partner, _)| partner == pid)
}

/// Why a proposition cannot be evaluated at the end of the steps that the observer has to know there.
pub(crate) fn unreadable(original: &System, observer: &Observer, run: &Repeated) -> Option<Fault> {
    let lasso = run.lasso;
    let mut reader = Reader::new(original, observer, run).ok()?;
    reader.follow(lasso).ok()?;
    // Where nothing else happens the last state is read again and again.
    let is_inside = reader.state.exclusive.is_some();
    let stays = is_inside || observer.stutters && reader.steps().is_empty();
    let (last, before) = reader.letters.split_last()?;
    let mut states = vec![observer.initial];
    for (letter, _) in before {
        states = moved(observer, &states, *letter);
    }
    let mut more = if stays { moved(observer, &states, last.0) } else { Vec::new() };
    while !more.is_empty() {
        more.retain(|state| !states.contains(state));
        states.extend(&more);
        more = moved(observer, &more, last.0);
    }
    states.retain(|state| observer.lacks(*state, last.0));
    if states.is_empty() {
        return None;
    }
    let steps = lasso.steps[..last.1].to_vec();
    let mut reader = Reader::new(original, observer, run).ok()?;
    reader.follow(&Lasso { steps, cycle: None, observed: Vec::new() }).ok()?;
    let (letter, faults) = reader.interpreter.letter(&reader.state, &observer.propositions);
    // One that is needed though all others are known.
    let is_needed = |(bit, _): &&(usize, Fault)| {
        let alone = Letter { unknown: 1 << bit, ..letter };
        states.iter().any(|state| observer.lacks(*state, alone))
    };
    faults.iter().find(is_needed).or(faults.first()).map(|(_, fault)| fault.clone())
}
/// Where an observer can be after it read a state.
fn moved(observer: &Observer, states: &[u32], letter: Letter) -> Vec<u32> {
    let edges = states.iter().flat_map(|state| &observer.states[*state as usize].edges);
    let admitting = edges.filter(|edge| edge.is_decided_by(letter) && edge.admits(letter.holds));
    let mut targets: Vec<u32> = admitting.map(|edge| edge.target).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// An edge of the product of a word and an observer: from, to, and its marks. Those from one vertex
/// stand together.
type Edge = (u32, u32, u64);

/// Whether an observer accepts what it reads: by following all its ways at once.
fn accepts(observer: &Observer, reading: &Reading, run: &Repeated) -> Result<bool, NotRepeated> {
    let word = as_word(reading);
    let (n_before, n) = (word.prefix.len(), word.prefix.len() + word.cycle.len());
    let letter = |at: usize| {
        let letter = reading.letters.get(at).or(reading.letters.last());
        letter.map_or(Letter::default(), |(letter, _)| *letter)
    };
    let next = |at: usize| if at + 1 < n { at + 1 } else { n_before };
    let stops = reading.cycle.is_some_and(|start| start >= reading.letters.len());
    // Positions of the word and states of the observer, numbered as they are met.
    let mut numbers = HashMap::from([((0, observer.initial), 0)]);
    let mut todo = vec![(0, observer.initial, 0)];
    let mut edges: Vec<Edge> = Vec::new();
    let mut n_steps = 0;
    while let Some((at, state, vertex)) = todo.pop() {
        n_steps += 1;
        if n_steps % STEPS_UNHEARD == 0
            && let Some(halt) = must_stop(run, numbers.len(), edges.len())
        {
            return Err(NotRepeated::Halted(halt));
        }
        if at >= reading.letters.len() && !(stops && (observer.stutters || reading.is_inside)) {
            continue;
        }
        let letter = letter(at);
        if observer.lacks(state, letter) {
            continue;
        }
        let letter_marks = observer.marks_of_letter(letter.holds);
        let state = &observer.states[state as usize];
        for edge in state.edges.iter().filter(|edge| edge.admits(letter.holds)) {
            if edge.fails || observer.states[edge.target as usize].is_final {
                return Ok(true);
            }
            let (at, number) = (next(at), numbers.len() as u32);
            let target = *numbers.entry((at, edge.target)).or_insert(number);
            edges.push((vertex, target, edge.marks | letter_marks));
            if target == number {
                todo.push((at, edge.target, target));
            }
        }
    }
    let n_vertices = numbers.len();
    drop(numbers);
    Ok(reading.cycle.is_some() && has_accepting_cycle(n_vertices, &edges, &observer.condition()))
}

/// Why a graph of this size may not grow further, if so.
fn must_stop(run: &Repeated, n_vertices: usize, n_edges: usize) -> Option<Halt> {
    // With what is needed besides to find its components.
    let bytes = (n_vertices * 64 + n_edges * 3 * size_of::<Edge>()) as u64;
    let is_full = run.memory.is_some_and(|most| bytes > most / 2) || n_vertices > MOST_VERTICES;
    if is_full { Some(Halt::Memory) } else { run.alarm.rings() }
}

/// Vertices and edges are numbered with 32 bits.
const MOST_VERTICES: usize = 1 << 28;

/// Whether a run can stay in some part of a graph as the condition asks: a part that is strongly connected, perhaps after
/// edges with marks that must not come again are taken away.
fn has_accepting_cycle(n: usize, edges: &[Edge], condition: &Condition) -> bool {
    // Where the edges from each vertex are.
    let mut places = vec![(0, 0); n];
    for (number, (from, _, _)) in edges.iter().enumerate() {
        let place: &mut (u32, u32) = &mut places[*from as usize];
        if place.0 == place.1 {
            place.0 = number as u32;
        }
        place.1 = number as u32 + 1;
    }
    let component = strongly_connected(n, |vertex| {
        let (first, end) = places[vertex];
        edges[first as usize..end as usize].iter().map(|(_, to, _)| *to as usize)
    });
    drop(places);
    let mut inside: HashMap<u32, Vec<Edge>> = HashMap::new();
    for edge in edges {
        let (from, to) = (component[edge.0 as usize], component[edge.1 as usize]);
        if from == to {
            inside.entry(from).or_default().push(*edge);
        }
    }
    drop(component);
    inside.into_values().any(|mut edges| {
        let n = renumber(&mut edges);
        let marks = edges.iter().fold(0, |all, (_, _, marks)| all | u128::from(*marks));
        let condition = condition.within(marks);
        if condition.is_met_by(marks) {
            return true;
        }
        let must_avoid = condition.must_avoid();
        if must_avoid == 0 {
            return condition.choices(marks).iter().any(|choice| has_accepting_cycle(n, &edges, choice));
        }
        edges.retain(|(_, _, marks)| u128::from(*marks) & must_avoid == 0);
        has_accepting_cycle(n, &edges, &condition)
    })
}

/// Gives the vertices of these edges small numbers, and says how many there are.
fn renumber(edges: &mut [Edge]) -> usize {
    let mut numbers = HashMap::new();
    for (from, to, _) in edges {
        for vertex in [from, to] {
            let number = numbers.len() as u32;
            *vertex = *numbers.entry(*vertex).or_insert(number);
        }
    }
    numbers.len()
}
