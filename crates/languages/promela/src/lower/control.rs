//! From nested statements to points of control.
//!
//! State counts are comparable with Spin's only if control rests at the same points as in Spin's verifier, so this
//! file follows its construction. Statements become *elements*, chained into *sequences*:
//!
//! * Every element is a possible point of control, but most gotos and joins are not: a transition *hunts* from the
//!   element behind it through joins, gotos and `unless` until it meets a real one. Leaving an atomic sequence stops
//!   the hunt one element early, so that the last step is taken inside it: that is why a goto out of an atomic
//!   sequence, or a selection at its end, costs a silent step.
//! * A selection, a block, an `atomic` are points of control of their own. Their transitions are those of the first
//!   statements inside (all the way down), and these lead on into the inside. So control in front of a block and
//!   control at the first statement in it are different states.
//! * A loop is a join, the loop itself and the target of its `break`s; its options end at the join in front of it.
//! * An escape (`unless`) is attached to every element of the main sequence, however deeply nested; of a `d_step` only
//!   to its guard.
//!
//! Building happens while statements are lowered ([`Builder`]); [`Builder::finish`] then links the elements, hunts
//! the targets and numbers the points of control that can be reached (`points.rs`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use allways_source::{Diagnostic, Span, did_you_mean};
use allways_system::{Action, Few, Location, LocationId, Transition};

use super::points::{Hunter, report_second_else};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ElementId(pub(super) u32);

impl ElementId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BreakId(u32);

/// What is written at a statement.
#[derive(Clone, Debug)]
pub struct Written {
    pub text: Arc<str>,
    pub span: Span,
    pub calls: Few<Span>,
}

impl Written {
    /// Of a statement that the model does not spell out.
    pub fn implied(text: &str, span: Span) -> Written {
        Written { text: text.into(), span, calls: Few::default() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    Plain,
    Atomic,
    DStep,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Statement(Action),
    Goto(Target),
    /// Where the options of a selection or the parts of an `unless` meet again.
    Join,
    /// Behind a loop.
    BreakTarget,
    Choice(Vec<SequenceId>),
    Unless {
        main: SequenceId,
        escape: SequenceId,
    },
    Block(BlockKind, SequenceId),
    /// The end of a `d_step`'s inside.
    Exit,
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A label, as seen from a block: the path of blocks that enclose the goto.
    Label {
        name: String,
        scope: Vec<u32>,
        span: Span,
    },
    Break(BreakId),
    /// Resolved.
    Element(ElementId),
}

#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) kind: Kind,
    pub(super) written: Written,
    pub(super) next: Option<ElementId>,
    /// Inside an atomic sequence and not its last element: whoever executes it stays in control.
    pub(super) atomic: bool,
    /// The last element of an atomic sequence.
    pub(super) ends_atomic: bool,
    /// The innermost enclosing `d_step`, if any.
    pub(super) d_step: Option<u32>,
    /// Outermost first.
    pub(super) escapes: Few<SequenceId>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    pub(super) items: Vec<ElementId>,
    /// The join behind it.
    pub(super) tail: Option<ElementId>,
}

#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) scope: Vec<u32>,
    pub(super) element: ElementId,
    pub(super) span: Span,
}

/// Order in which nested escapes are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnlessOrder {
    #[default]
    Outermost,
    Innermost,
}

/// The finished graph of one proctype.
pub struct Graph {
    pub initial: LocationId,
    pub locations: Vec<Location>,
    pub transitions: Vec<Transition>,
    /// Every label and the point of control it names (the first declared wins).
    pub labels: HashMap<String, Option<LocationId>>,
}

#[derive(Default)]
pub struct Builder {
    pub(super) elements: Vec<Element>,
    sequences: Vec<Sequence>,
    open: Vec<SequenceId>,
    pub(super) labels: Vec<Label>,
    /// Where those of each name are in that list.
    labels_by_name: HashMap<String, Vec<usize>>,
    /// The elements that have labels.
    labelled: HashSet<ElementId>,
    /// Where each `break` leads, once its loop is complete.
    breaks: Vec<Option<ElementId>>,
    /// The blocks that enclose the current point, as numbers.
    scope: Vec<u32>,
    n_scopes: u32,
    d_steps: Vec<u32>,
    n_d_steps: u32,
}

impl Builder {
    pub fn open(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SequenceId(self.sequences.len() as u32 - 1));
    }

    pub fn close(&mut self) -> SequenceId {
        self.open.pop().expect("every close has its open")
    }

    /// Whether nothing has been added to the innermost open sequence.
    pub fn is_empty(&self) -> bool {
        self.open.last().is_none_or(|open| self.sequences[open.0 as usize].items.is_empty())
    }

    pub fn enter_scope(&mut self) {
        self.scope.push(self.n_scopes);
        self.n_scopes += 1;
    }

    pub fn leave_scope(&mut self) {
        self.scope.pop();
    }

    pub fn enter_d_step(&mut self) {
        self.d_steps.push(self.n_d_steps);
        self.n_d_steps += 1;
    }

    pub fn leave_d_step(&mut self) {
        self.d_steps.pop();
    }

    pub fn in_d_step(&self) -> bool {
        !self.d_steps.is_empty()
    }

    pub fn new_break(&mut self) -> BreakId {
        self.breaks.push(None);
        BreakId(self.breaks.len() as u32 - 1)
    }

    pub fn statement(&mut self, action: Action, written: Written) -> ElementId {
        let element = self.element(Kind::Statement(action), written);
        self.add(element)
    }

    /// `labelled_specially`: with an end, progress or accept label, which needs a state of its own.
    pub fn goto(
        &mut self,
        name: &str,
        name_span: Span,
        written: Written,
        labelled_specially: bool,
    ) -> ElementId {
        let target = Target::Label { name: name.to_string(), scope: self.scope.clone(), span: name_span };
        self.jump(target, written, labelled_specially)
    }

    pub fn break_out(&mut self, id: BreakId, written: Written, labelled_specially: bool) -> ElementId {
        self.jump(Target::Break(id), written, labelled_specially)
    }

    fn jump(&mut self, target: Target, written: Written, labelled_specially: bool) -> ElementId {
        let skip = labelled_specially.then(|| self.statement(Action::Skip, written.clone()));
        let goto = self.element(Kind::Goto(target), written);
        self.add(goto);
        skip.unwrap_or(goto)
    }

    pub fn selection(&mut self, options: Vec<SequenceId>, written: Written) -> ElementId {
        let choice = self.element(Kind::Choice(options.clone()), written.clone());
        let join = self.element(Kind::Join, written);
        for option in options {
            self.sequences[option.0 as usize].tail = Some(join);
        }
        self.add(choice);
        self.add(join);
        choice
    }

    pub fn repetition(&mut self, options: Vec<SequenceId>, id: BreakId, written: Written) -> ElementId {
        let choice = self.element(Kind::Choice(options.clone()), written.clone());
        let join = self.element(Kind::Join, written.clone());
        for option in options {
            self.sequences[option.0 as usize].tail = Some(join);
        }
        let behind = self.element(Kind::BreakTarget, written);
        self.breaks[id.0 as usize] = Some(behind);
        self.add(join);
        self.add(choice);
        self.add(behind);
        choice
    }

    pub fn unless(&mut self, main: SequenceId, escape: SequenceId, written: Written) -> ElementId {
        let unless = self.element(Kind::Unless { main, escape }, written.clone());
        let join = self.element(Kind::Join, written);
        self.sequences[main.0 as usize].tail = Some(join);
        self.sequences[escape.0 as usize].tail = Some(join);
        self.attach_to_sequence(main, escape);
        self.add(unless);
        self.add(join);
        unless
    }

    pub fn block(&mut self, kind: BlockKind, body: SequenceId, written: Written) -> ElementId {
        if kind != BlockKind::Plain {
            self.make_atomic(body, kind == BlockKind::DStep);
        }
        let block = self.element(Kind::Block(kind, body), written);
        self.add(block)
    }

    /// If all there is in a sequence is a block of one of these kinds: the body of that block, which takes its place.
    pub fn dissolve(&mut self, sequence: SequenceId, kinds: &[BlockKind]) -> SequenceId {
        let [only] = self.sequence(sequence).items[..] else { return sequence };
        match self.at(only).kind {
            Kind::Block(kind, body) if kinds.contains(&kind) => {
                // The block itself is forgotten; nothing may link its body to what follows it.
                self.at_mut(only).kind = Kind::Join;
                body
            }
            _ => sequence,
        }
    }

    /// If a sequence begins with a statement: moves that to the end of the open one.
    pub fn move_first_statement(&mut self, sequence: SequenceId) {
        if let Some(first) = self.sequence(sequence).items.first().copied()
            && matches!(self.at(first).kind, Kind::Statement(_))
        {
            self.sequences[sequence.0 as usize].items.remove(0);
            self.add(first);
        }
    }

    /// Gives an element a label. Err with the place of the first if the block has one of that name.
    pub fn label(&mut self, name: &str, span: Span, element: ElementId) -> Result<(), Span> {
        if let Some(first) = self.labels_named(name).find(|label| label.scope == self.scope) {
            return Err(first.span);
        }
        self.labels_by_name.entry(name.to_string()).or_default().push(self.labels.len());
        self.labelled.insert(element);
        self.labels.push(Label { name: name.to_string(), scope: self.scope.clone(), element, span });
        Ok(())
    }

    /// Drops what does nothing in an option of a selection: a `skip` that directly follows another one or a print,
    /// unless it has a label or is the last statement.
    pub fn prune_skips(&mut self, option: SequenceId) {
        let items = std::mem::take(&mut self.sequences[option.0 as usize].items);
        let mut kept: Vec<ElementId> = Vec::new();
        let mut run = 0;
        for (position, &item) in items.iter().enumerate() {
            let labelled = self.labelled.contains(&item);
            let is_print =
                matches!(self.elements[item.0 as usize].kind, Kind::Statement(Action::Print { .. }));
            let is_skip = self.is_skip(item);
            run = if (is_skip || is_print) && !labelled { run + 1 } else { 0 };
            let redundant = run > 1 && is_skip && position + 1 != items.len();
            if !redundant {
                kept.push(item);
            }
        }
        self.sequences[option.0 as usize].items = kept;
    }

    fn is_skip(&self, element: ElementId) -> bool {
        matches!(&self.at(element).kind, Kind::Statement(Action::Skip))
    }

    fn element(&mut self, kind: Kind, written: Written) -> ElementId {
        self.elements.push(Element {
            kind,
            written,
            next: None,
            atomic: false,
            ends_atomic: false,
            d_step: self.d_steps.last().copied(),
            escapes: Few::default(),
        });
        ElementId(self.elements.len() as u32 - 1)
    }

    fn add(&mut self, element: ElementId) -> ElementId {
        let open = *self.open.last().expect("a sequence is open");
        self.sequences[open.0 as usize].items.push(element);
        element
    }

    pub(super) fn at(&self, id: ElementId) -> &Element {
        &self.elements[id.0 as usize]
    }

    pub(super) fn at_mut(&mut self, id: ElementId) -> &mut Element {
        &mut self.elements[id.0 as usize]
    }

    pub(super) fn sequence(&self, id: SequenceId) -> &Sequence {
        &self.sequences[id.0 as usize]
    }

    // ---- atomic sequences

    fn make_atomic(&mut self, body: SequenceId, d_step: bool) {
        self.mark_atomic(body, d_step);
        let mut last = self.sequence(body).items.last().copied();
        // The last step of a block at the end is the last step of the whole.
        while let Some(id) = last {
            match self.at(id).kind {
                Kind::Block(BlockKind::Plain | BlockKind::Atomic, inner) => {
                    last = self.sequence(inner).items.last().copied();
                }
                _ => {
                    let element = self.at_mut(id);
                    element.atomic = false;
                    element.ends_atomic = true;
                    break;
                }
            }
        }
    }

    fn mark_atomic(&mut self, sequence: SequenceId, d_step: bool) {
        let Sequence { items, tail } = self.sequence(sequence).clone();
        for id in items.into_iter().chain(tail) {
            self.at_mut(id).atomic = true;
            match self.at(id).kind.clone() {
                Kind::Block(BlockKind::DStep, _) if !d_step => {}
                Kind::Block(_, inner) => {
                    // Atomic inside atomic adds nothing.
                    self.at_mut(id).kind = Kind::Block(BlockKind::Plain, inner);
                    self.mark_atomic(inner, d_step);
                }
                Kind::Choice(options) => {
                    options.into_iter().for_each(|option| self.mark_atomic(option, d_step));
                }
                Kind::Unless { main, escape } => {
                    self.mark_atomic(main, d_step);
                    self.mark_atomic(escape, d_step);
                }
                _ => {}
            }
        }
    }

    // ---- escapes

    fn attach_to_sequence(&mut self, main: SequenceId, escape: SequenceId) {
        for item in self.sequence(main).items.clone() {
            self.attach_to_element(item, escape);
        }
    }

    fn attach_to_element(&mut self, id: ElementId, escape: SequenceId) {
        if self.at(id).escapes.contains(&escape) {
            return;
        }
        // The escapes that were there belong to inner unlesses: their statements can be escaped from as well.
        for inner in &self.at(id).escapes.clone() {
            self.attach_to_sequence(*inner, escape);
        }
        self.at_mut(id).escapes.insert(0, escape);
        match self.at(id).kind.clone() {
            Kind::Unless { main, .. } => self.attach_to_sequence(main, escape),
            Kind::Choice(options) => {
                options.into_iter().for_each(|option| self.attach_to_sequence(option, escape));
            }
            Kind::Block(BlockKind::DStep, body) => {
                if let Some(guard) = self.sequence(body).items.first().copied() {
                    self.attach_to_element(guard, escape);
                }
            }
            Kind::Block(_, body) => self.attach_to_sequence(body, escape),
            Kind::Statement(_) | Kind::Goto(_) | Kind::Join | Kind::BreakTarget | Kind::Exit => {}
        }
    }
}

/// A label that another process looks at needs a point of control of its own.
pub type Watched<'a> = &'a dyn Fn(&str) -> bool;

impl Builder {
    /// Turns `body` into a graph. Unknown labels and impossible jumps are reported.
    pub fn finish(
        mut self,
        body: SequenceId,
        order: UnlessOrder,
        watched: Watched,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Graph {
        self.resolve_gotos(diagnostics);
        self.give_watched_labels_a_state(watched);
        self.link();
        self.patch_gotos_in_atomic_sequences();
        let graph = Hunter::new(self, order).run(body);
        for location in &graph.locations {
            for group in &location.groups {
                report_second_else(group, &graph.transitions, diagnostics);
            }
        }
        graph
    }

    fn resolve_gotos(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        for index in 0..self.elements.len() {
            let Kind::Goto(target) = &self.elements[index].kind else { continue };
            let resolved = match target {
                Target::Element(element) => Some(*element),
                Target::Break(id) => {
                    let behind = self.breaks[id.0 as usize];
                    let goto = &self.elements[index];
                    if behind.is_some_and(|behind| self.at(behind).d_step != goto.d_step) {
                        let message = "a jump out of a d_step is not possible";
                        diagnostics.push(
                            Diagnostic::error("d-step-jump", goto.written.span, message)
                                .label("this `break` leaves a loop around the d_step")
                                .help("a d_step is one indivisible step: use `atomic`"),
                        );
                    }
                    behind
                }
                Target::Label { name, scope, span } => match self.find_label(name, scope) {
                    Some(label) => {
                        self.check_d_step_jump(&self.elements[index], label, *span, diagnostics);
                        Some(label.element)
                    }
                    None => {
                        diagnostics.push(self.undefined_label(name, *span));
                        None
                    }
                },
            };
            self.elements[index].kind = match resolved {
                Some(element) => Kind::Goto(Target::Element(element)),
                None => Kind::Statement(Action::Skip),
            };
        }
    }

    fn labels_named(&self, name: &str) -> impl DoubleEndedIterator<Item = &Label> {
        self.labels_by_name.get(name).into_iter().flatten().map(|label| &self.labels[*label])
    }

    /// The label of that name in the same block, else in an enclosing one, else anywhere.
    fn find_label(&self, name: &str, scope: &[u32]) -> Option<&Label> {
        let candidates = || self.labels_named(name);
        candidates()
            .filter(|label| scope.starts_with(&label.scope))
            .max_by_key(|label| label.scope.len())
            .or_else(|| candidates().next_back())
    }

    fn undefined_label(&self, name: &str, span: Span) -> Diagnostic {
        let mut names: Vec<&str> = self.labels.iter().map(|label| &*label.name).collect();
        names.sort_unstable();
        names.dedup();
        let diagnostic = Diagnostic::error("undefined-label", span, format!("there is no label `{name}`"));
        match did_you_mean(name, names.iter().copied()) {
            Some(close) => diagnostic.help(format!("a label with a similar name exists: `{close}`")),
            None if names.is_empty() => diagnostic.help("this process has no labels"),
            None => diagnostic.help(format!("the labels of this process are: {}", names.join(", "))),
        }
    }

    fn check_d_step_jump(
        &self,
        goto: &Element,
        label: &Label,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let target = self.at(label.element).d_step;
        if goto.d_step == target {
            return;
        }
        let direction = if goto.d_step.is_some() { "out of" } else { "into" };
        diagnostics.push(
            Diagnostic::error("d-step-jump", span, format!("a jump {direction} a d_step is not possible"))
                .label(format!("`{}` is not in the same d_step", label.name))
                .also(label.span, "the label is here")
                .help("a d_step is one indivisible step: use `atomic`, or move the label"),
        );
    }

    fn give_watched_labels_a_state(&mut self, watched: Watched) {
        for label in 0..self.labels.len() {
            let element = self.labels[label].element;
            if !watched(&self.labels[label].name) || !matches!(self.at(element).kind, Kind::Goto(_)) {
                continue;
            }
            // The goto becomes a skip, and a new goto follows it.
            let goto = self.at(element).clone();
            self.elements.push(goto);
            let moved = ElementId(self.elements.len() as u32 - 1);
            self.at_mut(element).kind = Kind::Statement(Action::Skip);
            for sequence in &mut self.sequences {
                if let Some(position) = sequence.items.iter().position(|item| *item == element) {
                    sequence.items.insert(position + 1, moved);
                }
            }
        }
    }

    fn link(&mut self) {
        for sequence in 0..self.sequences.len() {
            let Sequence { items, tail } = self.sequences[sequence].clone();
            for (position, item) in items.iter().enumerate() {
                if let Some(next) = items.get(position + 1).copied().or(tail) {
                    self.at_mut(*item).next = Some(next);
                }
            }
        }
        // Outer blocks were made after the inner ones: backwards, each knows what follows it before its body asks.
        for index in (0..self.elements.len()).rev() {
            let Kind::Block(kind, body) = self.elements[index].kind else { continue };
            let after = match kind {
                BlockKind::DStep => {
                    let written = self.elements[index].written.clone();
                    Some(self.element(Kind::Exit, written))
                }
                BlockKind::Plain | BlockKind::Atomic => self.elements[index].next,
            };
            if let Some(last) = self.sequence(body).items.last().copied() {
                self.at_mut(last).next = after;
            }
        }
    }

    /// A goto that leaves an atomic sequence ends it; one at its end that leads into another one bridges them.
    fn patch_gotos_in_atomic_sequences(&mut self) {
        for index in 0..self.elements.len() {
            let Kind::Goto(Target::Element(target)) = self.elements[index].kind else { continue };
            let target = self.at(target);
            let into_atomic = target.atomic || target.ends_atomic;
            let goto = &mut self.elements[index];
            if (goto.atomic || goto.ends_atomic) && !into_atomic {
                goto.atomic = false;
                goto.ends_atomic = true;
            }
            if goto.ends_atomic && into_atomic {
                goto.ends_atomic = false;
                goto.atomic = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// See the tests of the syntax tree.
    #[test]
    fn elements_are_small() {
        assert_eq!(size_of::<Element>(), 144);
    }
}
