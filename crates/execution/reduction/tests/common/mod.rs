//! Explores systems with and without reduction, and says what was found.
#![allow(dead_code)]

pub mod random;

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use allways_interpreter::{Interpreter, Process, Semantics, State};
use allways_passes::{Constants, constants, global_values, hidden_reads, instantiate};
use allways_promela::lower::{LowerOptions, lower};
use allways_promela::parser::parse;
use allways_promela::preprocess::{Files, PreprocessOptions, preprocess};
use allways_reduction::{
    Choice, Counters, Families, FamilyTables, Here, Instance, Member, Options, Reduction, Scratch,
    is_nameless,
};
use allways_source::SourceMap;
use allways_system::{
    Action, LocationId, Pid, Proctype, ProctypeId, Scalar, Start, Step, Successors, System, TransitionId,
};
use rand::Rng;
use rand::rngs::SmallRng;

/// In which order states are taken from the frontier.
pub enum Order<'r> {
    DepthFirst,
    BreadthFirst,
    Random(&'r mut SmallRng),
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    pub deadlocks: HashSet<State>,
    pub assertions: BTreeSet<(ProctypeId, TransitionId)>,
    pub faults: BTreeSet<(ProctypeId, TransitionId)>,
    pub executed: BTreeSet<(ProctypeId, TransitionId)>,
    pub exclusive: BTreeSet<(ProctypeId, TransitionId)>,
    pub choices: BTreeSet<(ProctypeId, LocationId)>,
}

impl Findings {
    /// What is in one of them only.
    pub fn difference(&self, other: &Findings) -> String {
        let mut text = String::new();
        let mut note = |what: &str, here: bool| {
            let side = if here { "only in the first" } else { "only in the second" };
            text += &format!("{side}: {what}\n");
        };
        for (a, b, here) in [(self, other, true), (other, self, false)] {
            a.deadlocks.difference(&b.deadlocks).for_each(|state| note(&format!("deadlock {state:?}"), here));
            a.assertions.difference(&b.assertions).for_each(|who| note(&format!("assertion {who:?}"), here));
            a.faults.difference(&b.faults).for_each(|who| note(&format!("fault {who:?}"), here));
            a.executed.difference(&b.executed).for_each(|who| note(&format!("executed {who:?}"), here));
            a.exclusive.difference(&b.exclusive).for_each(|who| note(&format!("exclusive {who:?}"), here));
            a.choices.difference(&b.choices).for_each(|who| note(&format!("choice {who:?}"), here));
        }
        text
    }
}

pub struct Outcome {
    pub findings: Findings,
    /// Packed.
    pub states: HashSet<Box<[u8]>>,
    pub n_steps: usize,
    /// Processes multiply, or an atomic sequence has too many states.
    is_endless: bool,
    pub counters: Counters,
    pub n_restarts: usize,
    pub n_sticky: u32,
    pub n_objects: u32,
}

impl Outcome {
    pub fn is_violated(&self, explorer: &Explorer) -> (bool, bool) {
        let bad_end = |state: &State| !explorer.interpreter.is_valid_end(state);
        let findings = &self.findings;
        (
            !findings.assertions.is_empty() || !findings.faults.is_empty() || !findings.choices.is_empty(),
            findings.deadlocks.iter().any(bad_end),
        )
    }
}

/// The interpreter with reduction around it.
pub struct Explorer<'a> {
    pub system: &'a System,
    pub interpreter: Interpreter<'a>,
    pub max_states: usize,
    pub specialise: bool,
    /// The numbers of processes mean nothing, nor those of channels that they make.
    pub nameless: bool,
    /// Processes make channels.
    pub makes_channels: bool,
    /// So many channels that processes make are told apart.
    pub n_channels: u32,
    /// Where numbers mean nothing, there is no list of processes, whether or not they make channels.
    pub without_list: bool,
    constants: Constants,
    globals: Vec<i32>,
}

/// The processes and steps of a state.
type ToChoose = (Vec<Here>, Vec<Step>);

/// What tells the processes of a proctype apart.
type Key = (ProctypeId, Pid, Vec<i32>, Option<u32>);

impl<'a> Explorer<'a> {
    pub fn new(system: &'a System, semantics: Semantics) -> Explorer<'a> {
        Explorer {
            system,
            interpreter: Interpreter::new(system, semantics),
            max_states: 100_000,
            specialise: true,
            nameless: is_nameless(system, &options(semantics)),
            makes_channels: makes_channels(system),
            n_channels: 16,
            without_list: false,
            constants: constants(system),
            globals: global_values(system),
        }
    }

    /// Explores everything; none if there is too much.
    pub fn full(&self, order: Order) -> Option<Outcome> {
        self.run(None, order, &mut Vec::new()).ok().flatten()
    }

    /// Explores what the reduction leaves; none if there is too much.
    pub fn reduced(&self, options: &Options<'a>, mut order: Order) -> Option<Outcome> {
        let mut known: Vec<(Key, Proctype)> = Vec::new();
        let initial = self.interpreter.initial().ok()?;
        self.add_instances(&initial, &mut known);
        let mut n_restarts = 0;
        loop {
            let order = match &mut order {
                Order::DepthFirst => Order::DepthFirst,
                Order::BreadthFirst => Order::BreadthFirst,
                Order::Random(rng) => Order::Random(rng),
            };
            match self.run(Some(options), order, &mut known) {
                Ok(outcome) => return outcome.map(|outcome| Outcome { n_restarts, ..outcome }),
                Err(NewInstance) => n_restarts += 1,
            }
        }
    }

    /// The values that two global slots have together, in any of the states.
    pub fn values(&self, outcome: &Outcome, slots: (usize, usize)) -> BTreeSet<(i32, i32)> {
        let mut state = State::default();
        let mut values = BTreeSet::new();
        for bytes in &outcome.states {
            self.interpreter.unpack(bytes, &mut state);
            values.insert((state.globals[slots.0], state.globals[slots.1]));
        }
        values
    }

    /// The reduction for all instances, and some of the states in which it has to choose: their processes and steps.
    pub fn states_to_choose_in(
        &self,
        options: &Options<'a>,
        order: Order,
        at_most: usize,
    ) -> Option<(Reduction, Vec<ToChoose>)> {
        let outcome = self.reduced(options, order)?;
        let mut known = Vec::new();
        let mut state = State::default();
        for bytes in &outcome.states {
            self.interpreter.unpack(bytes, &mut state);
            self.add_instances(&state, &mut known);
        }
        let reduction = Reduction::new(self.system, &as_instances(&known), options)?;
        let mut found = Vec::new();
        for bytes in &outcome.states {
            self.interpreter.unpack(bytes, &mut state);
            let mut steps = Vec::new();
            let expansion = self.interpreter.find(&state, &mut steps);
            if steps.len() > 1 && !expansion.timeout && found.len() < at_most {
                let here = |pid: Pid| {
                    let key = self.key(&state, pid);
                    let instance = known.iter().position(|(other, _)| *other == key).unwrap() as u32;
                    reduction.here(instance, state.processes[pid as usize].location)
                };
                found.push(((0..state.processes.len() as Pid).map(here).collect(), steps));
            }
        }
        Some((reduction, found)).filter(|(_, found)| !found.is_empty())
    }

    fn run(
        &self,
        options: Option<&Options<'a>>,
        mut order: Order,
        known: &mut Vec<(Key, Proctype)>,
    ) -> Result<Option<Outcome>, NewInstance> {
        let mut reduction = match options {
            Some(options) if self.nameless && (self.makes_channels || self.without_list) => {
                self.families(options)
            }
            Some(options) => {
                let index = known.iter().enumerate().map(|(index, (key, _))| (key.clone(), index as u32));
                AnyReduction::Listed(
                    Reduction::new(self.system, &as_instances(known), options),
                    index.collect(),
                )
            }
            None => AnyReduction::None,
        };
        let mut scratch = Scratch::default();
        let mut outcome = Outcome {
            findings: Findings::default(),
            states: HashSet::new(),
            n_steps: 0,
            is_endless: false,
            counters: Counters::default(),
            n_restarts: 0,
            n_sticky: match &reduction {
                AnyReduction::Listed(Some(reduction), _) => reduction.n_sticky(),
                AnyReduction::Families(families, ..) => families.n_sticky(),
                _ => 0,
            },
            n_objects: match &reduction {
                AnyReduction::Listed(Some(reduction), _) => reduction.n_objects(),
                _ => 0,
            },
        };
        let Ok(initial) = self.interpreter.initial() else { return Ok(None) };
        let mut frontier = VecDeque::new();
        let mut packed = Vec::new();
        let mut store = |state: &State, states: &mut HashSet<Box<[u8]>>| {
            let key = self.interpreter.pack(state, &mut packed);
            let is_new = !states.contains(&packed[..key]);
            is_new.then(|| {
                states.insert(packed[..key].into());
                packed.clone().into_boxed_slice()
            })
        };
        frontier.extend(store(&initial, &mut outcome.states));
        let (mut state, mut here) = (State::default(), Vec::new());
        let mut steps = Vec::new();
        loop {
            let next = match &mut order {
                Order::DepthFirst => frontier.pop_back(),
                Order::BreadthFirst => frontier.pop_front(),
                Order::Random(_) if frontier.is_empty() => None,
                Order::Random(rng) => frontier.swap_remove_back(rng.random_range(0..frontier.len())),
            };
            let Some(next) = next else { break };
            self.interpreter.unpack(&next, &mut state);
            if outcome.states.len() > self.max_states || outcome.is_endless {
                return Ok(None);
            }
            // Also in states where nothing is to be chosen: what was chosen before relied on the list.
            here.clear();
            for pid in 0..state.processes.len() as Pid {
                let Some(instance) = self.instance(&mut reduction, &state, pid) else {
                    self.add_instances(&state, known);
                    return Err(NewInstance);
                };
                here.extend(reduction.here(instance, state.processes[pid as usize].location));
            }
            steps.clear();
            let expansion = self.interpreter.find(&state, &mut steps);
            self.note_choices(&state, &steps, &mut outcome.findings);
            if steps.is_empty() {
                outcome.findings.deadlocks.insert(self.without_names(&state));
                continue;
            }
            let mut chosen: Vec<Step> = steps.clone();
            if reduction.choose(&mut scratch, &here, &steps, expansion.timeout) == Choice::Some {
                assert!(!scratch.kept().is_empty() && scratch.kept().len() < steps.len());
                chosen = scratch.kept().iter().map(|step| steps[*step as usize]).collect();
            }
            let mut ends = Vec::new();
            let mut faulted = false;
            for step in &chosen {
                faulted |= self.chain(&state, *step, &mut ends, &mut outcome);
            }
            if faulted {
                for step in steps.iter().filter(|step| !chosen.contains(step)) {
                    self.chain(&state, *step, &mut ends, &mut outcome);
                }
            }
            for end in ends {
                frontier.extend(store(&end, &mut outcome.states));
            }
        }
        outcome.counters = scratch.counters;
        Ok((!outcome.is_endless).then_some(outcome))
    }

    fn families(&self, options: &Options<'a>) -> AnyReduction<'a> {
        match Families::new(self.system, options, self.n_channels) {
            Some(families) => {
                let tables = families.tables();
                AnyReduction::Families(Box::new(families), tables, HashMap::new())
            }
            None => AnyReduction::None,
        }
    }

    /// What the reduction calls a process; none if it does not know it.
    fn instance(&self, reduction: &mut AnyReduction, state: &State, pid: Pid) -> Option<u32> {
        match reduction {
            AnyReduction::None => Some(0),
            AnyReduction::Listed(_, index) => index.get(&self.key(state, pid)).copied(),
            AnyReduction::Families(families, tables, index) => {
                let proctype = state.processes[pid as usize].proctype;
                let frame = state.frame(self.system, pid);
                let is_channel = slot_types(self.system.proctype(proctype));
                let handles = frame.iter().zip(is_channel).map(|(value, is)| is.then_some(*value));
                let (_, _, values, _) = self.key(state, pid);
                let key = (proctype, values, handles.collect::<Vec<_>>());
                Some(*index.entry(key).or_insert_with_key(|(_, _, handles)| {
                    let code = self.code(state, pid);
                    tables.add(families, &Member { proctype, code: &code, handles }).expect("all are known")
                }))
            }
        }
    }

    /// Follows a step until control is open to all again. Whether there was a fault on the way.
    fn chain(&self, from: &State, step: Step, ends: &mut Vec<State>, outcome: &mut Outcome) -> bool {
        let mut faulted = false;
        let mut todo = vec![(from.clone(), step)];
        let mut seen = HashSet::new();
        let mut steps = Vec::new();
        while let Some((mut state, step)) = todo.pop() {
            outcome.n_steps += 1;
            let who = (state.processes[step.pid as usize].proctype, step.transition);
            let findings = &mut outcome.findings;
            let action = &self.system.proctype(who.0).transitions[who.1.index()].action;
            if !self.nameless || !matches!(action, Action::Terminate) {
                findings.executed.insert(who);
            }
            if let Some((partner, transition)) = step.partner {
                findings.executed.insert((state.processes[partner as usize].proctype, transition));
            }
            match self.interpreter.apply(&mut state, step, None) {
                Ok(applied) => {
                    if applied.assertion_failed {
                        findings.assertions.insert(who);
                    }
                    if applied.exclusive_violated {
                        findings.exclusive.insert(who);
                    }
                }
                Err(_) => {
                    findings.faults.insert(who);
                    faulted = true;
                    continue;
                }
            }
            outcome.is_endless |= state.processes.len() > 40 || seen.len() > self.max_states;
            if outcome.is_endless {
                return faulted;
            }
            if state.exclusive.is_none() {
                ends.push(state);
                continue;
            }
            if !seen.insert(state.clone()) {
                continue;
            }
            steps.clear();
            self.interpreter.find(&state, &mut steps);
            self.note_choices(&state, &steps, findings);
            if steps.is_empty() {
                self.interpreter.release(&mut state);
                ends.push(state);
                continue;
            }
            todo.extend(steps.iter().map(|step| (state.clone(), *step)));
        }
        faulted
    }

    /// Notes every process that has a choice and must have none; an expansion tells only of one.
    fn note_choices(&self, state: &State, steps: &[Step], findings: &mut Findings) {
        for pair in steps.windows(2) {
            let process = &state.processes[pair[0].pid as usize];
            let is_choice = pair[0].pid == pair[1].pid && pair[0].transition != pair[1].transition;
            if is_choice && self.system.proctype(process.proctype).deterministic {
                findings.choices.insert((process.proctype, process.location));
            }
        }
    }

    /// A state without what may differ where the numbers of processes mean nothing: their order, and those that have ended.
    fn without_names(&self, state: &State) -> State {
        if !self.nameless {
            return state.clone();
        }
        let has_ended = |process: &Process| {
            let code = self.system.proctype(process.proctype);
            let mut ways = code.locations[process.location.index()].groups.iter().flatten();
            ways.any(|way| matches!(code.transitions[way.index()].action, Action::Terminate))
        };
        let mut pids: Vec<Pid> = (0..state.processes.len() as Pid)
            .filter(|pid| !has_ended(&state.processes[*pid as usize]))
            .collect();
        let colours = self.colours(state, &pids);
        let frame = |pid: Pid| self.coloured_frame(state, pid, &colours);
        let what = |pid: &Pid| {
            let process = &state.processes[*pid as usize];
            (process.proctype.0, process.location.0, frame(*pid))
        };
        pids.sort_by_key(what);
        let mut named = State { processes: Vec::new(), locals: Vec::new(), ..state.clone() };
        for pid in pids {
            let process = Process {
                frame: named.locals.len() as u32,
                first_channel: 0,
                ..state.processes[pid as usize]
            };
            named.processes.push(process);
            named.locals.extend(frame(pid));
        }
        let n_global = self.n_global_channels(state);
        let mut made: Vec<&i32> = colours.values().collect();
        made.sort();
        named.channels.truncate(n_global);
        named.messages.truncate(state.channels.get(n_global).map_or(usize::MAX, |made| made.buffer as usize));
        named.messages.extend(made);
        named
    }

    fn n_global_channels(&self, state: &State) -> usize {
        state.processes.first().map_or(state.channels.len(), |first| first.first_channel as usize)
    }

    /// Per handle of a channel that one of these processes knows and a process made: a number that depends on what is in it and who knows
    /// it as what, and is the same in states that differ in nothing but numbers.
    fn colours(&self, state: &State, pids: &[Pid]) -> HashMap<i32, i32> {
        let n_global = self.n_global_channels(state) as i32;
        let mut knows: Vec<(i32, Pid, usize)> = Vec::new();
        for pid in pids {
            let code = self.system.proctype(state.processes[*pid as usize].proctype);
            let slots = state.frame(self.system, *pid).iter().zip(slot_types(code)).enumerate();
            knows.extend(
                slots
                    .filter(|(_, (handle, is))| *is && **handle > n_global)
                    .map(|(slot, (handle, _))| (*handle, *pid, slot)),
            );
        }
        let content = |handle: i32| {
            let channel = &state.channels[handle as usize - 1];
            hash(&(channel.kind.0, state.messages(self.system, channel).collect::<Vec<_>>()))
        };
        let mut colours: HashMap<i32, i32> =
            knows.iter().map(|(handle, ..)| (*handle, content(*handle))).collect();
        for _ in pids {
            let mut next = HashMap::new();
            for (handle, colour) in &colours {
                let mut who: Vec<_> = knows
                    .iter()
                    .filter(|(other, ..)| other == handle)
                    .map(|(_, pid, slot)| {
                        let Process { proctype, location, .. } = state.processes[*pid as usize];
                        (proctype.0, location.0, self.coloured_frame(state, *pid, &colours), *slot)
                    })
                    .collect();
                who.sort();
                next.insert(*handle, hash(&(colour, who)));
            }
            colours = next;
        }
        colours
    }

    /// The frame of a process, with colours instead of handles.
    fn coloured_frame(&self, state: &State, pid: Pid, colours: &HashMap<i32, i32>) -> Vec<i32> {
        let code = self.system.proctype(state.processes[pid as usize].proctype);
        let colour = |(value, is): (&i32, bool)| colours.get(value).copied().filter(|_| is).unwrap_or(*value);
        state.frame(self.system, pid).iter().zip(slot_types(code)).map(colour).collect()
    }

    fn key(&self, state: &State, pid: Pid) -> Key {
        let process = &state.processes[pid as usize];
        let frame = state.frame(self.system, pid);
        let is_constant = &self.constants.locals[process.proctype.index()];
        let values =
            frame.iter().zip(is_constant).filter(|(_, is)| **is && self.specialise).map(|(value, _)| *value);
        let starts = &self.system.proctype(process.proctype).start;
        let makes_channels = starts.iter().any(|start| matches!(start, Start::Channel(..)));
        let first_channel = makes_channels.then_some(process.first_channel);
        (process.proctype, pid, values.collect(), first_channel)
    }

    fn add_instances(&self, state: &State, known: &mut Vec<(Key, Proctype)>) {
        for pid in 0..state.processes.len() as Pid {
            let key = self.key(state, pid);
            if known.iter().any(|(other, _)| *other == key) {
                continue;
            }
            known.push((key, self.code(state, pid)));
        }
    }

    fn code(&self, state: &State, pid: Pid) -> Proctype {
        let proctype = state.processes[pid as usize].proctype;
        if !self.specialise {
            return self.system.proctype(proctype).clone();
        }
        let frame = state.frame(self.system, pid);
        let check_overflow = self.interpreter.semantics.check_overflow;
        instantiate(self.system, &self.constants, &self.globals, proctype, pid, frame, check_overflow)
    }
}

/// What tells processes apart where channels are handed down.
type MemberKey = (ProctypeId, Vec<i32>, Vec<Option<i32>>);

/// A reduction of one kind or the other.
enum AnyReduction<'a> {
    None,
    /// For these processes.
    Listed(Option<Reduction>, HashMap<Key, u32>),
    /// For all; those that were met are told apart by constants and handles.
    Families(Box<Families<'a>>, FamilyTables, HashMap<MemberKey, u32>),
}

impl AnyReduction<'_> {
    fn here(&self, instance: u32, location: LocationId) -> Option<Here> {
        match self {
            AnyReduction::None | AnyReduction::Listed(None, _) => None,
            AnyReduction::Listed(Some(reduction), _) => Some(reduction.here(instance, location)),
            AnyReduction::Families(_, tables, _) => Some(tables.here(instance, location)),
        }
    }

    fn choose(&self, scratch: &mut Scratch, here: &[Here], steps: &[Step], timeout: bool) -> Choice {
        match self {
            AnyReduction::None | AnyReduction::Listed(None, _) => Choice::All,
            AnyReduction::Listed(Some(reduction), _) => reduction.choose(scratch, here, steps, timeout),
            AnyReduction::Families(families, tables, _) => {
                tables.choose(families, scratch, here, steps, timeout)
            }
        }
    }
}

fn hash(value: &impl Hash) -> i32 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    // Not one of the values that variables have.
    (hasher.finish() >> 33) as i32 | 1 << 30
}

/// Per slot of a frame: whether it is of type `chan`.
fn slot_types(code: &Proctype) -> impl Iterator<Item = bool> + '_ {
    let scalars = code.frame.variables.iter().flat_map(|variable| variable.shape.scalars());
    scalars.map(|scalar| scalar == Scalar::Chan)
}

fn makes_channels(system: &System) -> bool {
    let mut starts = system.proctypes.iter().flat_map(|code| &code.start);
    starts.any(|start| matches!(start, Start::Channel(..)))
}

fn as_instances(known: &[(Key, Proctype)]) -> Vec<Instance<'_>> {
    known
        .iter()
        .map(|((proctype, pid, _, first_channel), code)| Instance {
            proctype: *proctype,
            pid: *pid,
            code,
            first_channel: *first_channel,
        })
        .collect()
}

struct NewInstance;

trait Find {
    fn find(&self, state: &State, steps: &mut Vec<Step>) -> allways_system::Expansion;
}

impl Find for Interpreter<'_> {
    fn find(&self, state: &State, steps: &mut Vec<Step>) -> allways_system::Expansion {
        Successors::steps(self, state, steps)
    }
}

struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<String, std::io::Error> {
        std::fs::read_to_string(path)
    }
}

/// The system of a Promela text; none if it has mistakes.
pub fn system(text: &str) -> Option<System> {
    system_at(Path::new("model.pml"), text)
}

/// The same where other files are included.
pub fn system_at(path: &Path, text: &str) -> Option<System> {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text.to_string());
    let preprocessed = preprocess(&mut sources, root, &PreprocessOptions::default(), &Disk);
    let parsed = parse(preprocessed.tokens, preprocessed.expansions);
    let lowered = lower(parsed.model, &LowerOptions::default());
    let fine = |diagnostics: &[allways_source::Diagnostic]| !diagnostics.iter().any(|d| d.is_error());
    let all_fine = fine(&preprocessed.diagnostics) && fine(&parsed.diagnostics) && fine(&lowered.diagnostics);
    lowered.system.filter(|_| all_fine).map(|mut system| {
        // A hidden variable that is read would be lost: checks keep it in the states, too.
        for variable in hidden_reads(&system, false) {
            system.globals.variables[variable].hidden = false;
        }
        system
    })
}

/// Options as a check of everything would have them.
pub fn options(semantics: Semantics) -> Options<'static> {
    Options {
        lossy: semantics.lossy,
        check_overflow: semantics.check_overflow,
        exclusive: true,
        strict_end: semantics.strict_end,
        ..Options::default()
    }
}
