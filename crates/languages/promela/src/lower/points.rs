//! Which points of control a body has, and what can happen at each: the second half of `control.rs`.

use std::collections::{HashMap, HashSet};

use allways_source::Diagnostic;
use allways_system::{Action, Few, Groups, Location, LocationId, Transition, TransitionId};

use super::control::{BlockKind, Builder, Element, ElementId, Graph, Kind, SequenceId, Target, UnlessOrder};

/// A selection inside the first place of another joins its choice, and then both may bring an `else`.
pub fn report_second_else(
    group: &[TransitionId],
    transitions: &[Transition],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut elses = group
        .iter()
        .map(|id| &transitions[id.index()])
        .filter(|transition| matches!(transition.action, Action::Else));
    if let (Some(first), Some(second)) = (elses.next(), elses.next()) {
        let message = "two `else` belong to the same choice";
        let diagnostic =
            Diagnostic::error("duplicate-else", second.span, message).also(first.span, "the other one").help(
                "a selection that begins an option is part of the outer choice: put `skip;` in front of it",
            );
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
}

/// A statement that can be executed at a point of control.
#[derive(Clone, Copy)]
struct Offer {
    statement: ElementId,
    /// The escape it belongs to, by its first element.
    escape: Option<ElementId>,
}

/// Numbers the points of control, starting from the first.
pub struct Hunter {
    builder: Builder,
    /// Which of the labels each element has.
    labels_of: HashMap<ElementId, Vec<usize>>,
    order: UnlessOrder,
    locations: Vec<Location>,
    /// By element.
    location_of: Vec<Option<LocationId>>,
    transitions: Vec<Transition>,
    /// By element.
    transition_of: Vec<Option<TransitionId>>,
    /// Points of control whose transitions are still to be found, with whether they are inside a `d_step`.
    todo: Vec<(ElementId, bool)>,
}

impl Hunter {
    pub fn new(builder: Builder, order: UnlessOrder) -> Hunter {
        let mut labels_of: HashMap<ElementId, Vec<usize>> = HashMap::new();
        for (number, label) in builder.labels.iter().enumerate() {
            labels_of.entry(label.element).or_default().push(number);
        }
        let n_elements = builder.elements.len();
        Hunter {
            builder,
            labels_of,
            order,
            locations: Vec::with_capacity(n_elements),
            location_of: vec![None; n_elements],
            transitions: Vec::with_capacity(n_elements),
            transition_of: vec![None; n_elements],
            todo: Vec::new(),
        }
    }

    pub fn run(mut self, body: SequenceId) -> Graph {
        let first = self.builder.sequence(body).items.first().copied();
        let initial = match first {
            Some(first) => {
                let start = self.hunt(first, self.builder.at(first).atomic);
                self.location(start, false)
            }
            None => {
                self.locations.push(Location::default());
                LocationId(0)
            }
        };
        while let Some((element, in_d_step)) = self.todo.pop() {
            let groups = self.groups(element, in_d_step);
            let location = self.location(element, in_d_step);
            self.locations[location.index()].groups = groups.into();
        }
        self.pass_on_labels();
        let mut labels = HashMap::new();
        for index in 0..self.builder.labels.len() {
            let (name, element) =
                (self.builder.labels[index].name.clone(), self.builder.labels[index].element);
            let location = self.location_of[element.index()];
            let known: &mut Option<LocationId> = labels.entry(name).or_default();
            *known = known.or(location);
        }
        Graph { initial, locations: self.locations, transitions: self.transitions, labels }
    }

    /// An end, progress or accept label at the first statement of an option marks, as in Spin, the place where control rests
    /// after it: no process is ever in front of that statement alone.
    fn pass_on_labels(&mut self) {
        let options_of = |kind: &Kind| match kind {
            Kind::Choice(options) => options.clone(),
            _ => Vec::new(),
        };
        let options = self.builder.elements.iter().flat_map(|element| options_of(&element.kind));
        let firsts: HashSet<ElementId> =
            options.filter_map(|option| self.builder.sequence(option).items.first().copied()).collect();
        for index in 0..self.builder.labels.len() {
            let (name, element) =
                (self.builder.labels[index].name.clone(), self.builder.labels[index].element);
            if !firsts.contains(&element) {
                continue;
            }
            let Some(next) = self.builder.at(element).next else { continue };
            let Some(location) = self.location_of[self.hunt(next, false).index()] else { continue };
            let location = &mut self.locations[location.index()];
            location.is_end |= name.starts_with("end");
            location.is_progress |= name.starts_with("progress");
            location.is_accept |= name.starts_with("accept");
        }
    }

    fn location(&mut self, element: ElementId, in_d_step: bool) -> LocationId {
        if let Some(location) = self.location_of[element.index()] {
            return location;
        }
        let id = LocationId(self.locations.len() as u32);
        self.location_of[element.index()] = Some(id);
        let own = self.labels_of.get(&element).map_or(&[][..], |own| own);
        let labels: Vec<String> = own.iter().map(|label| self.builder.labels[*label].name.clone()).collect();
        let has = |prefix: &str| labels.iter().any(|label| label.starts_with(prefix));
        let kind = &self.builder.at(element).kind;
        self.locations.push(Location {
            groups: Groups::default(),
            is_end: has("end") || matches!(kind, Kind::Statement(Action::Terminate)),
            is_progress: has("progress"),
            is_accept: has("accept"),
            labels,
            span: Some(self.builder.at(element).written.span),
        });
        if !matches!(kind, Kind::Exit) {
            self.todo.push((element, in_d_step));
        }
        id
    }

    /// The element at which control comes to rest, from `element` on. `atomic`: control is kept on the way, and the
    /// last element before it would be lost is where the hunt ends.
    fn hunt(&self, element: ElementId, atomic: bool) -> ElementId {
        let mut current = element;
        // More jumps than elements: a cycle of gotos. Then control rests at one of them.
        for _ in 0..=self.builder.elements.len() {
            let onward = match &self.builder.at(current).kind {
                Kind::Goto(Target::Element(target)) => Some(*target),
                Kind::Join | Kind::BreakTarget => self.builder.at(current).next,
                Kind::Unless { main, .. } => self.builder.sequence(*main).items.first().copied(),
                _ => None,
            };
            match onward {
                Some(onward) if !atomic || self.builder.at(onward).atomic => current = onward,
                _ => break,
            }
        }
        current
    }

    /// The first element of an option or of a block: through joins and `unless`, but not through gotos.
    fn start(&self, sequence: SequenceId) -> Option<ElementId> {
        let mut current = *self.builder.sequence(sequence).items.first()?;
        loop {
            current = match &self.builder.at(current).kind {
                Kind::Join => match self.builder.at(current).next {
                    Some(next) => next,
                    None => return Some(current),
                },
                Kind::Unless { main, .. } => *self.builder.sequence(*main).items.first()?,
                _ => return Some(current),
            };
        }
    }

    /// The elements whose transitions can be taken at `element`.
    fn first_statements(&self, element: ElementId, into: &mut Vec<ElementId>) {
        match &self.builder.at(element).kind {
            Kind::Choice(options) => {
                for start in options.iter().filter_map(|option| self.start(*option)) {
                    self.first_statements(start, into);
                }
            }
            Kind::Block(BlockKind::Plain | BlockKind::Atomic, body) => {
                if let Some(start) = self.start(*body) {
                    self.first_statements(start, into);
                }
            }
            Kind::Unless { main, .. } => {
                if let Some(start) = self.start(*main) {
                    self.first_statements(start, into);
                }
            }
            Kind::Exit => {}
            _ => into.push(element),
        }
    }

    fn groups(&mut self, element: ElementId, in_d_step: bool) -> Vec<Vec<TransitionId>> {
        let offers = if in_d_step { self.without_escapes(element) } else { self.with_escapes(element) };
        let mut groups: Vec<Vec<TransitionId>> = Vec::new();
        let mut current = None;
        for Offer { statement, escape } in offers {
            let transition = self.transition(statement, in_d_step);
            match groups.last_mut() {
                Some(group) if current == Some(escape) => group.push(transition),
                _ => groups.push(vec![transition]),
            }
            current = Some(escape);
        }
        groups
    }

    fn without_escapes(&self, element: ElementId) -> Vec<Offer> {
        let mut statements = Vec::new();
        self.first_statements(element, &mut statements);
        statements.into_iter().map(|statement| Offer { statement, escape: None }).collect()
    }

    /// What a point of control offers, escapes in front. An escape whose own first statement can be escaped from
    /// brings these escapes along, in one group with it, if it was written before the element that is looked at ends:
    /// Spin adds the escapes of one element after the other, in this order.
    fn with_escapes(&self, element: ElementId) -> Vec<Offer> {
        let main = self.without_escapes(element);
        let mut all = main.clone();
        let mut innermost_first = Vec::new();
        for Offer { statement, .. } in main {
            let Element { escapes, atomic, kind, .. } = self.builder.at(statement);
            if matches!(kind, Kind::Join) {
                continue;
            }
            for escape in escapes.iter().rev() {
                let Some(first) = self.builder.sequence(*escape).items.first() else { continue };
                let entry = self.hunt(*first, *atomic);
                if matches!(self.builder.at(entry).kind, Kind::Unless { .. }) {
                    // Out of an atomic sequence the hunt stops in front of an `unless` that begins the escape, and
                    // there is nothing there: such an escape is never taken. Spin's verifier is like that.
                    continue;
                }
                let guards =
                    if entry.0 < element.0 { self.with_escapes(entry) } else { self.without_escapes(entry) };
                for Offer { statement, .. } in guards {
                    let known = |list: &[Offer]| list.iter().any(|offer| offer.statement == statement);
                    if known(&all) || known(&innermost_first) {
                        continue;
                    }
                    let offer = Offer { statement, escape: Some(entry) };
                    match self.order {
                        // The last one put in front is tried first, also among the guards of one escape.
                        UnlessOrder::Outermost => all.insert(0, offer),
                        UnlessOrder::Innermost => innermost_first.push(offer),
                    }
                }
            }
        }
        all.splice(0..0, innermost_first);
        all
    }

    fn transition(&mut self, element: ElementId, in_d_step: bool) -> TransitionId {
        if let Some(transition) = self.transition_of[element.index()] {
            return transition;
        }
        let id = TransitionId(self.transitions.len() as u32);
        self.transition_of[element.index()] = Some(id);
        // Each element becomes one transition: what it does need not be copied.
        let Element { kind, written, next, atomic, .. } = self.builder.at_mut(element);
        let kind = match kind {
            Kind::Statement(action) if *action != Action::Terminate => {
                Kind::Statement(std::mem::replace(action, Action::Skip))
            }
            kind => kind.clone(),
        };
        let (written, next, atomic) = (written.clone(), *next, *atomic);
        let keeps_control = atomic && !in_d_step;
        self.transitions.push(Transition {
            action: Action::Skip,
            target: LocationId(0),
            atomic: keeps_control,
            resets: Few::default(),
            text: written.text,
            span: written.span,
            calls: written.calls,
        });
        let (action, towards) = match kind {
            Kind::Statement(action) => (action, next),
            Kind::Goto(Target::Element(target)) => (Action::Skip, Some(target)),
            Kind::Block(BlockKind::DStep, body) => {
                let exit =
                    self.builder.sequence(body).items.last().and_then(|last| self.builder.at(*last).next);
                let (Some(entry), Some(exit)) = (self.start(body), exit) else { return id };
                let (entry, exit) = (self.location(entry, true), self.location(exit, true));
                (Action::DStep { entry, exit }, next)
            }
            _ => (Action::Skip, next),
        };
        let target = match towards {
            Some(next) => {
                let rest = self.hunt(next, keeps_control);
                self.location(rest, in_d_step)
            }
            None => self.location(element, in_d_step),
        };
        let transition = &mut self.transitions[id.index()];
        transition.action = action;
        transition.target = target;
        id
    }
}
