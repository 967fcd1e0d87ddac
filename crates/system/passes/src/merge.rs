//! Statement merging as inferred atomicity: no need to stop where nobody could notice.
//!
//! A location is *private* if everything that can happen there is the process's own business: its statements read and
//! write only what no other process and no property can see, and use no channel. A transition into a private location
//! becomes atomic, so a search passes through it instead of storing the state. The steps stay the same, with the same
//! ids, so that trails stay trails; only some orders of steps are left out.
//!
//! Why that is sound is the argument of partial-order reduction (Godefroid, "Partial-Order Methods for the Verification
//! of Concurrent Systems", persistent sets). In a state in which a process is at a private location, nothing that the
//! others do enables, disables or changes its steps, and its steps enable, disable and change nothing of the others':
//! its steps alone are a persistent set. So it suffices to take those first. If it has none, it never will, atomicity is
//! lost, and the state is stored and fully expanded like any other. No one is put off for ever: on every cycle of the
//! control graph at least one location stays unmerged, so every merged sequence comes to an end, at a state that is
//! fully expanded. Nor are locations merged to which too many paths of one sequence lead, see [`limit_paths`]. A rendezvous is no exception: control then is the receiver's (the sender's transition has no say),
//! and the receiver is at a private location.
//!
//! What can be noticed, and therefore is not private:
//!
//! * Variables that others read or write: globals (unless only one process ever uses them, or nobody writes them),
//!   locals with a [`Expr::Remote`] reference or in a claim to a channel, which others evaluate.
//! * Arriving at or leaving a location that an [`Expr::At`] asks for, or one marked as progress or accepting where such
//!   labels matter.
//! * Arriving at a location where a rendezvous can be received, if somewhere an `else` or an escape depends on whether a
//!   rendezvous can be sent, or if there are priorities: being ready to receive takes choices away from others.
//! * Beginning an atomic sequence of the model that is not all private: it stops the others.
//! * Creating and ending processes, everything about channels, priorities.
//!
//! Nothing is merged at all where each single step shows: where `_last`, `enabled`, `pc_value` or the operator "next"
//! are in use; nor in a proctype with a `provided` clause, which can stop it anywhere.
//!
//! With priorities a process at a private location can be stopped by one of higher priority; it then loses atomicity as
//! if it were blocked. If nobody stops it, taking its steps first loses nothing: whoever else could move now has at
//! least its priority, and still can when it has moved. (Unless a third one waits to send it something, see above.)
//!
//! A fault in a private statement is reached by the process alone, at once; a search that ends a path there does not
//! see what the others would have done instead. It found an error all the same.

use allways_system::{
    Action, Expr, Formula, Location, LocationId, Place, Proctype, ProctypeId, Scope, Start, System,
    TransitionId,
};

use crate::dead_variables::{inner_locations, seen_from_outside};
use crate::effort::Effort;
use crate::fold::may_fault;
use crate::never_read::Watched;
use crate::slot_set::SlotSet;
use crate::slots::{for_each_slot, for_each_write};
use crate::uses::{Uses, for_each_expr_of_properties, index_reads, reads};

/// Makes transitions into private locations atomic. Returns how many. `labels` says that progress and accept labels
/// matter.
pub(crate) fn merge(system: &mut System, watched: Watched, labels: bool) -> usize {
    if every_step_shows(system, watched) {
        return 0;
    }
    let outside = seen_from_outside(system, watched);
    let globals = owners_of_globals(system, watched);
    let visible = visible_locations(system, watched, labels);
    let mut n_merged = 0;
    for id in (0..system.proctypes.len() as u32).map(ProctypeId) {
        let proctype = system.proctype(id);
        if proctype.provided.is_some() {
            continue;
        }
        let scene = Scene { id, outside: &outside[id.index()], globals: &globals, watched };
        let mut merged = scene.private_locations(proctype, &visible[id.index()]);
        break_cycles(proctype, &mut merged);
        limit_paths(proctype, &mut merged);
        let transitions = &mut system.proctypes[id.index()].transitions;
        for i in 0..transitions.len() {
            let transition = &transitions[i];
            if merged[transition.target.index()]
                && !transition.atomic
                && !matches!(transition.action, Action::Terminate)
            {
                transitions[i].atomic = true;
                n_merged += 1;
            }
        }
    }
    n_merged
}

/// Whether somebody could count steps, or ask whether a process can move.
fn every_step_shows(system: &System, watched: Watched) -> bool {
    let mut shows = system.tracks_last;
    let mut look = |expr: &Expr| {
        shows |= matches!(expr, Expr::Enabled(_) | Expr::PcValue(_) | Expr::Last);
    };
    for_each_expr_of_proctypes(system, &mut look);
    if watched.properties {
        for_each_expr_of_properties(system, &mut look);
        shows |= system.formulas.iter().any(|formula| has_next(&formula.formula));
    }
    shows
}

fn has_next(formula: &Formula) -> bool {
    match formula {
        Formula::Now(_) => false,
        Formula::Next(_) => true,
        Formula::Not(operand) | Formula::Always(operand) | Formula::Eventually(operand) => has_next(operand),
        Formula::And(operands)
        | Formula::Or(operands)
        | Formula::Implies(operands)
        | Formula::Equivalent(operands)
        | Formula::Until(operands)
        | Formula::WeakUntil(operands)
        | Formula::Release(operands) => has_next(&operands.0) || has_next(&operands.1),
    }
}

/// Calls `visit` on every expression of the proctypes and on everything inside it.
fn for_each_expr_of_proctypes(system: &System, visit: &mut dyn FnMut(&Expr)) {
    for proctype in &system.proctypes {
        proctype.transitions.iter().for_each(|transition| transition.action.walk(visit));
        proctype.provided.iter().for_each(|provided| provided.walk(visit));
        proctype.exclusive.iter().for_each(|exclusive| exclusive.channel.walk(visit));
        for start in &proctype.start {
            if let Start::Assign(place, value) = start {
                place.walk(visit);
                value.walk(visit);
            }
        }
    }
}

/// Who uses a global slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum User {
    /// Nobody writes it: anybody may read it.
    Unwritten,
    /// Only the one process of this proctype.
    Only(ProctypeId),
    /// Several, or a property.
    Shared,
}

fn owners_of_globals(system: &System, watched: Watched) -> Vec<User> {
    let n_slots = system.globals.slots() as usize;
    let mut written = vec![false; n_slots];
    let mut users: Vec<Option<User>> = vec![None; n_slots];
    let mut note = |place: &Place, user: User| {
        if place.scope == Scope::Global {
            for_each_slot(place, &mut |slot| {
                let known = &mut users[slot as usize];
                *known =
                    if known.is_none_or(|known| known == user) { Some(user) } else { Some(User::Shared) };
            });
        }
    };
    for (i, proctype) in system.proctypes.iter().enumerate() {
        let id = ProctypeId(i as u32);
        let user = if is_single(system, id) { User::Only(id) } else { User::Shared };
        // Others find out what a claim is about whenever they use a channel.
        for claim in &proctype.exclusive {
            reads(&claim.channel, &mut |_, place| note(place, User::Shared));
        }
        let mut note_reads = |expr: &Expr| reads(expr, &mut |_, place| note(place, user));
        proctype.provided.iter().for_each(&mut note_reads);
        for transition in &proctype.transitions {
            transition.action.walk(&mut note_reads);
        }
        for start in &proctype.start {
            if let Start::Assign(place, value) = start {
                place.walk(&mut note_reads);
                note_reads(value);
            }
        }
        for transition in &proctype.transitions {
            for_each_write(&transition.action, &mut |place| {
                note(place, user);
                if place.scope == Scope::Global {
                    for_each_slot(place, &mut |slot| written[slot as usize] = true);
                }
            });
        }
    }
    if watched.properties {
        for_each_expr_of_properties(system, &mut |expr| {
            reads(expr, &mut |_, place| note(place, User::Shared));
        });
    }
    let owner = |(user, written): (Option<User>, bool)| match user {
        _ if !written => User::Unwritten,
        Some(user) => user,
        None => User::Shared,
    };
    users.into_iter().zip(written).map(owner).collect()
}

/// Whether there is never more than one process of this kind: one at the start, and nobody creates another.
fn is_single(system: &System, id: ProctypeId) -> bool {
    let at_start = system.processes.iter().filter(|process| process.proctype == id).count();
    let mut actions = system.proctypes.iter().flat_map(|proctype| &proctype.transitions);
    at_start == 1
        && !actions
            .any(|transition| matches!(transition.action, Action::Run { proctype, .. } if proctype == id))
}

/// Per proctype and location, whether being there can be seen.
fn visible_locations(system: &System, watched: Watched, labels: bool) -> Vec<Vec<bool>> {
    let mut visible: Vec<Vec<bool>> =
        system.proctypes.iter().map(|proctype| vec![false; proctype.locations.len()]).collect();
    let (mut progress, mut accepting) = (labels, labels);
    let mut look = |expr: &Expr| match expr {
        Expr::At { proctype, location, .. } => visible[proctype.index()][location.index()] = true,
        Expr::NonProgress => progress = true,
        Expr::Accepting => accepting = true,
        _ => {}
    };
    for_each_expr_of_proctypes(system, &mut look);
    if watched.properties {
        for_each_expr_of_properties(system, &mut look);
    }
    let offers_show = offers_show(system);
    for (proctype, visible) in system.proctypes.iter().zip(&mut visible) {
        for (location, visible) in proctype.locations.iter().zip(visible) {
            *visible |= progress && location.is_progress
                || accepting && location.is_accept
                || offers_show && can_receive(proctype, location);
        }
    }
    visible
}

/// Whether being ready for a rendezvous can keep another process from doing something else.
fn offers_show(system: &System) -> bool {
    let has_rendezvous = system.channels.iter().any(|kind| kind.capacity == 0);
    let is_send = |proctype: &Proctype, id: &TransitionId| {
        matches!(proctype.transition(*id).action, Action::Send { .. })
    };
    let gives_way = |proctype: &Proctype, location: &Location| {
        let last = location.groups.len().saturating_sub(1);
        location.groups.iter().enumerate().any(|(i, group)| {
            let has_else = group.iter().any(|id| proctype.transition(*id).action == Action::Else);
            (has_else || i < last) && group.iter().any(|id| is_send(proctype, id))
        })
    };
    let some_gives_way = || {
        let mut proctypes = system.proctypes.iter();
        proctypes.any(|proctype| proctype.locations.iter().any(|location| gives_way(proctype, location)))
    };
    has_rendezvous && (system.priorities || some_gives_way())
}

/// Whether a receive can be the next step from there, also as the first of a `d_step`.
fn can_receive(proctype: &Proctype, location: &Location) -> bool {
    let starts_with_receive = |id: &TransitionId| match proctype.transition(*id).action {
        Action::Receive { .. } => true,
        Action::DStep { entry, .. } => {
            let mut first = proctype.location(entry).groups.iter().flatten();
            first.any(|id| matches!(proctype.transition(*id).action, Action::Receive { .. }))
        }
        _ => false,
    };
    location.groups.iter().flatten().any(starts_with_receive)
}

/// What a proctype's statements are judged by.
struct Scene<'a> {
    id: ProctypeId,
    /// Locals that others can see.
    outside: &'a SlotSet,
    globals: &'a [User],
    watched: Watched,
}

impl Scene<'_> {
    fn private_locations(&self, proctype: &Proctype, visible: &[bool]) -> Vec<bool> {
        let inner = inner_locations(proctype);
        let locations = proctype.locations.iter().enumerate();
        let is_private = |(i, location): (usize, &Location)| {
            !inner[i]
                && !visible[i]
                && !location.groups.is_empty()
                && location.groups.iter().flatten().all(|id| {
                    let transition = proctype.transition(*id);
                    !visible[transition.target.index()]
                        && self.is_private_action(proctype, &transition.action)
                })
        };
        let mut private: Vec<bool> = locations.map(is_private).collect();
        // A step that begins an atomic sequence of the model stops everybody else until the sequence is over. That is
        // noticed, unless all of the sequence is private.
        let mut from = vec![Vec::new(); private.len()];
        for (source, location) in proctype.locations.iter().enumerate() {
            let steps = location.groups.iter().flatten().map(|id| proctype.transition(*id));
            steps.filter(|step| step.atomic).for_each(|step| from[step.target.index()].push(source));
        }
        let mut noticed: Vec<usize> = (0..private.len()).filter(|location| !private[*location]).collect();
        while let Some(location) = noticed.pop() {
            for source in &from[location] {
                if std::mem::replace(&mut private[*source], false) {
                    noticed.push(*source);
                }
            }
        }
        private
    }

    fn is_private_action(&self, proctype: &Proctype, action: &Action) -> bool {
        match action {
            Action::DStep { entry, .. } => self.is_private_d_step(proctype, *entry),
            Action::Send { .. }
            | Action::Receive { .. }
            | Action::Run { .. }
            | Action::SetPriority { .. }
            | Action::Terminate => false,
            action => self.is_private_statement(action),
        }
    }

    fn is_private_d_step(&self, proctype: &Proctype, entry: LocationId) -> bool {
        let inner = crate::dead_variables::transitions_from(proctype, entry);
        inner.into_iter().all(|id| self.is_private_action(proctype, &proctype.transition(id).action))
    }

    fn is_private_statement(&self, action: &Action) -> bool {
        let mut private = true;
        let uses = Uses {
            wanted: &|_| true,
            parameter_wanted: &|_, _| true,
            check_overflow: self.watched.check_overflow,
            prints: self.watched.prints,
        };
        uses.of_action(action, &mut |_, place| private &= self.is_private_place(place, false));
        for_each_write(action, &mut |place| {
            private &= self.is_private_place(place, true);
            index_reads(place, &mut |_, place| private &= self.is_private_place(place, false));
        });
        let mut look = |expr: &Expr| private &= is_private_expr(expr);
        match action {
            Action::Print { arguments, .. } => {
                let matters = |argument: &&Expr| {
                    self.watched.prints || may_fault(argument, self.watched.check_overflow)
                };
                arguments.iter().filter(matters).for_each(|argument| argument.walk(&mut look));
            }
            action => action.walk(&mut look),
        }
        private
    }

    fn is_private_place(&self, place: &Place, is_written: bool) -> bool {
        let mut private = true;
        for_each_slot(place, &mut |slot| {
            private &= match place.scope {
                Scope::Global => match self.globals[slot as usize] {
                    User::Unwritten => !is_written,
                    user => user == User::Only(self.id),
                },
                Scope::Local => !self.outside.contains(slot),
            };
        });
        private
    }
}

/// Whether it asks for nothing but the values of places, which are judged on their own.
fn is_private_expr(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_)
        | Expr::Load(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Conditional(_)
        | Expr::Pid => true,
        Expr::Channel(..)
        | Expr::Poll { .. }
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Accepting
        | Expr::Enabled(_)
        | Expr::PcValue(_)
        | Expr::Priority(_)
        | Expr::ProcessCount
        | Expr::Last
        | Expr::At { .. }
        | Expr::Remote { .. } => false,
    }
}

/// Takes locations out until no cycle of atomic steps goes through one that is merged. (A cycle of steps that the
/// model itself makes atomic is not ours to break.)
fn break_cycles(proctype: &Proctype, merged: &mut [bool]) {
    let mut effort = Effort::new();
    loop {
        if !effort.pay(proctype.locations.len() + proctype.transitions.len(), 64) {
            merged.fill(false);
            return;
        }
        let graph = AtomicGraph::new(proctype, merged);
        let components = graph.components();
        let mut changed = false;
        // Each location is in one component at most.
        let mut number_of = vec![usize::MAX; proctype.locations.len()];
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|location| number_of[*location] = number);
        }
        for (number, component) in components.iter().enumerate() {
            // The one that is on the most cycles; of equals one inside the loop rather than its head, which has other
            // ways in and out.
            let inside = |location: &usize| {
                let within = |other: &&usize| number_of[**other] == number;
                let (to, from) = (&graph.to[*location], &graph.from[*location]);
                let (out, into) = (to.iter().filter(within).count(), from.iter().filter(within).count());
                (out * into, usize::MAX - (to.len() + from.len() - out - into), *location)
            };
            let candidates = component.iter().filter(|location| merged[**location]);
            if let Some(chosen) = candidates.max_by_key(|location| inside(location)) {
                merged[*chosen] = false;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// A location to which more paths of one merged sequence lead is not merged.
const MOST_PATHS: u64 = 64;

/// Takes locations out to which too many paths of one merged sequence lead. Every path of such a sequence is followed to
/// its end, and paths multiply where choices come one after the other: one stored state between them costs less.
///
/// The numbers of paths are computed in topological order. They are upper bounds: paths from several stored states that
/// pass through the same location are added up.
fn limit_paths(proctype: &Proctype, merged: &mut [bool]) {
    let graph = AtomicGraph::new(proctype, merged);
    let n_locations = proctype.locations.len();
    // Edges that the model itself makes atomic are passed through whatever is merged.
    let mut own = vec![Vec::new(); n_locations];
    for location in 0..n_locations {
        for id in proctype.locations[location].groups.iter().flatten() {
            let transition = proctype.transition(*id);
            if transition.atomic {
                own[transition.target.index()].push(location);
            }
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; n_locations];
    (0..n_locations).for_each(|start| walk(&graph.to, start, &mut seen, &mut order));
    // By how many paths control is kept up to each location; 0 where it is not kept, or not known yet on a cycle.
    let mut paths = vec![0u64; n_locations];
    for location in order.into_iter().rev() {
        let from = &mut graph.from[location].clone();
        paths[location] = paths_over(from, &paths);
        if merged[location] && paths[location] > MOST_PATHS {
            merged[location] = false;
            paths[location] = paths_over(&mut own[location], &paths);
        }
    }
}

/// How many paths lead over these edges, given by their sources. A source in which no sequence is under way is stored, and
/// a sequence begins at one such state only.
fn paths_over(sources: &mut [usize], paths: &[u64]) -> u64 {
    sources.sort_unstable();
    let by_source = sources.chunk_by(|a, b| a == b);
    let (mut begun, mut passed) = (0, 0u64);
    for edges in by_source {
        match paths[edges[0]] {
            0 => begun = edges.len().max(begun),
            before => passed = passed.saturating_add(before.saturating_mul(edges.len() as u64)),
        }
    }
    passed.saturating_add(begun as u64)
}

/// The steps after which a process keeps control, between locations.
struct AtomicGraph {
    to: Vec<Vec<usize>>,
    from: Vec<Vec<usize>>,
}

impl AtomicGraph {
    fn new(proctype: &Proctype, merged: &[bool]) -> AtomicGraph {
        let n_locations = proctype.locations.len();
        let mut graph =
            AtomicGraph { to: vec![Vec::new(); n_locations], from: vec![Vec::new(); n_locations] };
        for (source, location) in proctype.locations.iter().enumerate() {
            for id in location.groups.iter().flatten() {
                let transition = proctype.transition(*id);
                let target = transition.target.index();
                if transition.atomic || merged[target] {
                    graph.to[source].push(target);
                    graph.from[target].push(source);
                }
            }
        }
        graph
    }

    /// The strongly connected components with a cycle (Kosaraju's way, without recursion).
    fn components(&self) -> Vec<Vec<usize>> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.to.len()];
        for start in 0..self.to.len() {
            walk(&self.to, start, &mut seen, &mut order);
        }
        let mut components = Vec::new();
        let mut seen = vec![false; self.to.len()];
        for start in order.into_iter().rev() {
            let mut component = Vec::new();
            walk(&self.from, start, &mut seen, &mut component);
            if component.len() > 1 || component.first().is_some_and(|only| self.to[*only].contains(only)) {
                components.push(component);
            }
        }
        components
    }
}

/// Appends what is reached from `start` and not yet seen to `order`, what is behind before what is in front.
fn walk(edges: &[Vec<usize>], start: usize, seen: &mut [bool], order: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut stack = vec![(start, 0)];
    while let Some((at, next)) = stack.last_mut() {
        match edges[*at].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*at);
                stack.pop();
            }
        }
    }
}
