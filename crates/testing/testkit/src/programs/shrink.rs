//! Smaller programs that still show a difference.

use super::syntax::{Ending, Guard, Kind, Program, Protection, Signals, Statement};

/// The smallest program found with which `differs` still holds, after at most `limit` attempts.
pub fn shrink(program: &Program, limit: usize, mut differs: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut attempts = 0;
    loop {
        let found = candidates(&best).into_iter().find(|candidate| {
            attempts += 1;
            attempts <= limit && differs(candidate)
        });
        match found {
            Some(candidate) => best = candidate,
            None => return best,
        }
    }
}

/// Programs that are one step smaller, the boldest steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut candidates = vec![];
    for number in 0..program.threads.len() {
        if program.threads.len() > 1 {
            let mut smaller = program.clone();
            smaller.threads.remove(number);
            if smaller.kind == Kind::Groups {
                smaller.groups.process_of.remove(number);
                smaller.renumber(number);
            }
            candidates.push(smaller);
        }
    }
    for (number, body) in program.threads.iter().enumerate() {
        for smaller in smaller_bodies(body) {
            let mut candidate = program.clone();
            candidate.threads[number] = smaller;
            candidates.push(candidate);
        }
    }
    for smaller in smaller_bodies(&program.groups.main) {
        let mut candidate = program.clone();
        candidate.groups.main = smaller;
        candidates.push(candidate);
    }
    candidates.extend(fewer_objects(program));
    candidates.extend(simpler_groups(program));
    candidates.retain(|candidate| candidate.is_well_formed() && candidate != program);
    candidates
}

/// A statement less, or a simpler one, at any depth.
fn smaller_bodies(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut smaller = vec![];
    for (place, statement) in body.iter().enumerate() {
        let with = |instead: Vec<Statement>| {
            let mut body = body.to_vec();
            body.splice(place..=place, instead);
            body
        };
        smaller.push(with(vec![]));
        smaller.extend(statement.bodies().into_iter().map(|inside| with(inside.clone())));
        smaller.extend(simpler(statement).into_iter().map(|simpler| with(vec![simpler])));
        for number in 0..statement.bodies().len() {
            for inside in smaller_bodies(statement.bodies()[number]) {
                let mut changed = statement.clone();
                *changed.bodies_mut()[number] = inside;
                smaller.push(with(vec![changed]));
            }
        }
    }
    smaller
}

fn simpler(statement: &Statement) -> Vec<Statement> {
    use Statement::*;
    match statement.clone() {
        TryLocked { mutex, body } => vec![Locked { mutex, body }],
        ReadLocked { rwlock, attempt: true, body } => vec![ReadLocked { rwlock, attempt: false, body }],
        WriteLocked { rwlock, attempt: true, body } => vec![WriteLocked { rwlock, attempt: false, body }],
        Wait { condition, guard: Some(guard) } => {
            let once = Guard { again: false, ..guard };
            let mut simpler = vec![Wait { condition, guard: None }];
            if guard.again {
                simpler.push(Wait { condition, guard: Some(once) });
            }
            simpler
        }
        Broadcast { condition } => vec![Signal { condition }],
        TimedLocked { mutex, body } => vec![Locked { mutex, body }],
        TimedWait { condition } => vec![Wait { condition, guard: None }],
        SemTimedWait { semaphore } => vec![SemWait { semaphore }, SemTryWait { semaphore }],
        BarrierLast { barrier } => vec![Barrier { barrier }],
        KillThread { thread } => vec![Cancel { thread }],
        SemopUndo { number, change } => vec![Semop { changes: vec![(number, change)], attempt: false }],
        Semop { changes, attempt } => {
            let fewer = |left_out: usize| {
                let mut changes = changes.clone();
                changes.remove(left_out);
                Semop { changes, attempt }
            };
            let mut simpler: Vec<_> = (0..changes.len()).map(fewer).collect();
            if attempt {
                simpler.push(Semop { changes: changes.clone(), attempt: false });
            }
            simpler
        }
        Receive { queue, selector, attempt } if attempt || selector != 0 => {
            let selector = if attempt { selector } else { 0 };
            vec![Receive { queue, selector, attempt: false }]
        }
        Toss { bodies } if bodies.len() > 2 => vec![Toss { bodies: bodies[..2].to_vec() }],
        _ => vec![],
    }
}

/// Without the last object of a kind, if nobody uses it; smaller initial values; threads instead of processes.
fn fewer_objects(program: &Program) -> Vec<Program> {
    let changes: [fn(&mut Program); 13] = [
        |program| program.kind = Kind::Threads,
        |program| shorten(&mut program.mutexes),
        |program| program.spins = program.spins.saturating_sub(1),
        |program| program.rwlocks = program.rwlocks.saturating_sub(1),
        |program| shorten(&mut program.conditions),
        |program| shorten(&mut program.semaphores),
        |program| shorten(&mut program.barriers),
        |program| shorten(&mut program.set),
        |program| program.queues = program.queues.saturating_sub(1),
        |program| program.pipes = program.pipes.saturating_sub(1),
        |program| program.files = program.files.saturating_sub(1),
        |program| shorten(&mut program.variables),
        |program| {
            program.variables.iter_mut().for_each(|protection| *protection = Protection::Visible);
        },
    ];
    let changed = changes.into_iter().map(|change| {
        let mut candidate = program.clone();
        change(&mut candidate);
        candidate
    });
    changed.filter(|candidate| candidate != program).collect()
}

/// One process less, simpler endings, no functions for signals.
fn simpler_groups(program: &Program) -> Vec<Program> {
    let groups = &program.groups;
    let mut simpler = vec![];
    let mut push = |change: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        change(&mut candidate);
        simpler.push(candidate);
    };
    push(&|program| program.groups.waits_for_any = false);
    push(&|program| program.groups.signals = Signals::Blocked);
    for thread in 1..groups.process_of.len() {
        // All of a process into the one before.
        let (process, before) = (groups.process_of[thread], groups.process_of[thread - 1]);
        if process != before {
            push(&|program| {
                let all = program.groups.process_of.iter_mut().filter(|other| **other == process);
                all.for_each(|other| *other = before);
            });
        }
    }
    for number in 0..groups.endings.len() {
        push(&|program| program.groups.endings[number] = Ending::Join);
        push(&|program| program.groups.endings[number] = Ending::Exit);
    }
    let mut seen = vec![program.clone()];
    simpler.retain(|candidate| {
        // Not from one ending to the other and back.
        let is_worse = |number: usize| {
            groups.endings[number] == Ending::Exit && candidate.groups.endings[number] == Ending::Join
        };
        let is_new = !seen.contains(candidate) && !(0..groups.endings.len()).any(is_worse);
        seen.push(candidate.clone());
        is_new
    });
    simpler
}

fn shorten<T>(list: &mut Vec<T>) {
    list.truncate(list.len().saturating_sub(1));
}

#[cfg(test)]
mod tests {
    use super::super::syntax::MutexKind;
    use super::*;

    #[test]
    fn only_what_matters_is_left() {
        use Statement::*;
        let thread = |first, second| {
            let inner = Locked { mutex: second, body: vec![SemPost { semaphore: 0 }] };
            vec![SemPost { semaphore: 0 }, Locked { mutex: first, body: vec![inner] }]
        };
        let mut program = Program::new(Kind::Processes);
        program.mutexes = vec![MutexKind::Normal; 3];
        program.semaphores = vec![0];
        program.threads = vec![thread(0, 1), thread(1, 0), thread(1, 0)];
        let deadlocks = |program: &Program| {
            let ends = super::super::oracle::ask(program, 100_000).unwrap().ends;
            ends.iter().any(|end| matches!(end, super::super::oracle::End::Deadlock(_)))
        };
        let small = shrink(&program, 1000, deadlocks);
        let nested = |mutex, inner| vec![Locked { mutex, body: vec![Locked { mutex: inner, body: vec![] }] }];
        assert_eq!(small.threads, [nested(0, 1), nested(1, 0)]);
        assert_eq!((small.mutexes.len(), small.semaphores.len(), small.kind), (2, 0, Kind::Threads));
    }
}
