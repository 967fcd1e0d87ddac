//! Which choices touched which object, so that nobody has to look at all of them.
//!
//! The choices of a thread that do the same to an object are a *class*: each of them depends on a later operation if the last one does, and the
//! last one happens after the others. The few that can matter to every thread (the end of a process, signals, waiting for any
//! child, waking) are kept apart.

use std::collections::HashMap;

use allways_stateless_protocol::{Effect, Kind, Operation, accesses};

use crate::execution::Execution;

/// Choices of one thread that do the same to an object, ascending.
#[derive(Clone, Debug)]
pub struct Class {
    pub thread: usize,
    pub choices: Vec<usize>,
}

/// The choices so far.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// By object.
    classes: HashMap<u32, Vec<Class>>,
    /// Those that can matter to everybody.
    special: Vec<usize>,
    /// How many there are.
    length: usize,
    /// By thread.
    by_thread: Vec<Vec<usize>>,
}

/// Can it matter to threads that touch no object of it?
fn is_special(operation: &Operation) -> bool {
    use Kind::*;
    matches!(operation.kind, Fork | ThreadsEnd | ProcessExit | ThreadExit | WaitAny | PollAny | Detach)
        || operation.kind.is_about_signals()
        || operation.target != 0
        || operation.effect == Effect::Overdue
}

/// Do two operations do the same, as far as dependency is concerned?
fn are_alike(execution: &Execution, first: &Operation, second: &Operation) -> bool {
    first.kind == second.kind
        && first.effect == second.effect
        && first.object == second.object
        && first.other == second.other
        && (!first.kind.is_memory() || first.argument as u16 == second.argument as u16)
        && (first.kind != Kind::QueueClose || first.argument == second.argument)
        && (first.kind.is_memory() || execution.semops(first).eq(execution.semops(second)))
}

impl History {
    pub fn new(execution: &Execution) -> History {
        History { by_thread: vec![Vec::new(); execution.process_of.len()], ..History::default() }
    }

    /// Adds the next choice.
    pub fn add(&mut self, execution: &Execution) {
        let number = self.length;
        let step = execution.choice(number);
        self.length += 1;
        self.by_thread[step.thread].push(number);
        if is_special(&step.operation) || step.is_fatal {
            self.special.push(number);
        }
        for object in objects(execution, &step.operation) {
            let classes = self.classes.entry(object).or_default();
            let is_same = |class: &&mut Class| {
                let last = execution.choice(class.choices[class.choices.len() - 1]);
                class.thread == step.thread && are_alike(execution, &last.operation, &step.operation)
            };
            match classes.iter_mut().find(is_same) {
                Some(class) => class.choices.push(number),
                None => classes.push(Class { thread: step.thread, choices: vec![number] }),
            }
        }
    }

    /// Earlier choices that may be dependent with an operation of a thread: every one that is, is among them. Class by class, each ascending.
    pub fn candidates(&self, execution: &Execution, operation: &Operation, thread: usize) -> Candidates<'_> {
        let mut classes: Vec<&[usize]> = Vec::new();
        if is_special(operation) {
            classes.extend(self.by_thread.iter().map(Vec::as_slice));
            return Candidates { classes, is_exact: false, special: &[] };
        }
        for object in objects(execution, operation) {
            let of_others =
                self.classes.get(&object).into_iter().flatten().filter(|class| class.thread != thread);
            classes.extend(of_others.map(|class| class.choices.as_slice()));
        }
        Candidates { classes, is_exact: true, special: &self.special }
    }

    /// The first choice of a thread after another choice.
    pub fn next_of(&self, thread: usize, after: usize) -> Option<usize> {
        let choices = &self.by_thread[thread];
        choices.get(choices.partition_point(|choice| *choice <= after)).copied()
    }

    /// Those of an object after another choice, in no order.
    pub fn of_object(&self, object: u32, after: usize) -> impl Iterator<Item = usize> {
        let choices = self.classes.get(&object).into_iter().flatten().map(|class| &class.choices);
        choices.flat_map(move |choices| {
            choices[choices.partition_point(|choice| *choice <= after)..].iter().copied()
        })
    }
}

/// See [`History::candidates`].
pub struct Candidates<'h> {
    pub classes: Vec<&'h [usize]>,
    /// If one of a class is dependent, are all?
    pub is_exact: bool,
    pub special: &'h [usize],
}

/// The objects that an operation touches, each once.
fn objects<'e>(execution: &'e Execution, operation: &'e Operation) -> impl Iterator<Item = u32> + 'e {
    let [(first, _), (second, _)] = accesses(operation);
    let second = if second == first { 0 } else { second };
    let n_listed = if operation.lists_objects() { operation.length as usize } else { 0 };
    let listed = execution.semops(operation).take(n_listed).map(|listed| listed.index);
    [first, second].into_iter().chain(listed).filter(|object| *object != 0)
}
