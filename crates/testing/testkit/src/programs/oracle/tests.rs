use super::super::syntax::{Ending, Groups, Guard, Kind, Protection, Statement, Statement::*};
use super::*;

const LIMIT: usize = 1_000_000;

fn program(threads: Vec<Vec<Statement>>) -> Program {
    Program { threads, ..Program::new(Kind::Threads) }
}

fn knowledge(program: &Program) -> Knowledge {
    assert!(program.is_well_formed());
    ask(program, LIMIT).expect("the program is small")
}

fn finished(program: &Program) -> Vec<String> {
    let line = |end| match end {
        End::Finished(line) => Some(line),
        _ => None,
    };
    knowledge(program).ends.into_iter().filter_map(line).collect()
}

fn deadlocks(program: &Program) -> Vec<Vec<(usize, String)>> {
    let waiting = |end| match end {
        End::Deadlock(waiting) => Some(waiting),
        _ => None,
    };
    knowledge(program).ends.into_iter().filter_map(waiting).collect()
}

fn waiting(list: &[(usize, &str)]) -> Vec<(usize, String)> {
    list.iter().map(|(thread, kind)| (*thread, kind.to_string())).collect()
}

fn locked(mutex: usize, body: Vec<Statement>) -> Statement {
    Locked { mutex, body }
}

/// Everything about the threads alone, as if the main thread had done its work before.
fn without_main(program: &Program) -> Knowledge {
    let mut code = compile(program);
    code[0].clear();
    let mut state = State::new(program, code.len());
    state.threads.iter_mut().for_each(|thread| thread.phase = Phase::Ready);
    Search::new(program, &code, LIMIT).run(state).expect("the program is small")
}

#[test]
fn philosophers_have_the_published_figures() {
    // States, transitions of the graph, transitions and executions of the tree.
    let figures = [(2, 17, 18, 18.0, 4.0), (3, 75, 123, 1680.0, 396.0), (4, 321, 708, 386_816.0, 104_704.0)];
    for (n, states, transitions, tree, executions) in figures {
        let change = |number: usize, change| Semop { changes: vec![(number % n, change)], attempt: false };
        let philosopher = |i: usize| vec![change(i, -1), change(i + 1, -1), change(i, 1), change(i + 1, 1)];
        let program = Program {
            set: vec![1; n],
            threads: (0..n).map(philosopher).collect(),
            ..Program::new(Kind::Processes)
        };
        let known = without_main(&program);
        assert_eq!((known.states, known.transitions), (states, transitions), "{n} philosophers");
        assert_eq!((known.tree, known.executions), (tree, executions), "{n} philosophers");
        assert_eq!(known.ends.len(), 2, "one deadlock and the end");
    }
}

#[test]
fn sections_of_one_mutex_follow_each_other_in_every_order() {
    let thread = || vec![locked(0, vec![]), locked(0, vec![]), locked(0, vec![]), locked(0, vec![])];
    let program = Program { mutexes: vec![MutexKind::Normal], ..program(vec![thread(), thread()]) };
    // While one thread has the lock the other one cannot move, so there are as many executions as orders: 8! / (4! 4!).
    assert_eq!(without_main(&program).executions, 70.0);
}

#[test]
fn two_locks_in_opposite_order_can_deadlock() {
    let thread = |first, second| vec![locked(first, vec![locked(second, vec![])])];
    let opposite =
        Program { mutexes: vec![MutexKind::Normal; 2], ..program(vec![thread(0, 1), thread(1, 0)]) };
    assert_eq!(deadlocks(&opposite), [waiting(&[(0, "join"), (1, "mutex"), (2, "mutex")])]);
    let same = Program { threads: vec![thread(0, 1), thread(0, 1)], ..opposite };
    assert!(deadlocks(&same).is_empty());
}

#[test]
fn a_signal_before_the_wait_is_lost() {
    let guard = |again| Some(Guard { variable: 0, parity: 0, again });
    let make = |guard| Program {
        mutexes: vec![MutexKind::Normal],
        conditions: vec![0],
        variables: vec![Protection::Mutex(0)],
        ..program(vec![
            vec![locked(0, vec![Wait { condition: 0, guard }])],
            vec![locked(0, vec![Update { variable: 0, addend: 1 }]), Signal { condition: 0 }],
        ])
    };
    assert_eq!(deadlocks(&make(None)), [waiting(&[(0, "join"), (1, "condition")])]);
    assert!(deadlocks(&make(guard(false))).is_empty());
    assert!(deadlocks(&make(guard(true))).is_empty());
}

#[test]
fn a_signal_wakes_any_one_waiter_and_a_broadcast_all() {
    let wait = || vec![locked(0, vec![Wait { condition: 0, guard: None }])];
    let make = |wake: Statement| Program {
        mutexes: vec![MutexKind::Normal],
        conditions: vec![0],
        ..program(vec![wait(), wait(), vec![wake]])
    };
    let stuck = |end: &[usize]| {
        let list: Vec<_> = end.iter().map(|thread| (*thread, "condition")).collect();
        waiting(&[vec![(0, "join")], list].concat())
    };
    let all = [stuck(&[1]), stuck(&[1, 2]), stuck(&[2])];
    assert_eq!(deadlocks(&make(Signal { condition: 0 })), all);
    // Also if one of them comes too late.
    assert_eq!(deadlocks(&make(Broadcast { condition: 0 })), all);
    assert!(finished(&make(Signal { condition: 0 })).is_empty());
    assert_eq!(finished(&make(Broadcast { condition: 0 })), ["|0 0 0|"]);
}

#[test]
fn mutexes_do_what_their_kind_says() {
    let twice = |kind| Program {
        mutexes: vec![kind],
        ..program(vec![vec![TryLocked { mutex: 0, body: vec![TryLocked { mutex: 0, body: vec![] }] }]])
    };
    let once = recorded(0, 0);
    assert_eq!(finished(&twice(MutexKind::Normal)), [format!("|{}|", recorded(once, BUSY))]);
    assert_eq!(finished(&twice(MutexKind::ErrorCheck)), [format!("|{}|", recorded(once, BUSY))]);
    assert_eq!(finished(&twice(MutexKind::Recursive)), [format!("|{}|", recorded(once, 0))]);

    let misuse = |kind| Program {
        mutexes: vec![kind],
        ..program(vec![vec![Unlock { mutex: 0 }, Lock { mutex: 0 }, Lock { mutex: 0 }, Unlock { mutex: 0 }]])
    };
    let line = |results: [u32; 4]| vec![format!("|{}|", results.into_iter().fold(0, recorded))];
    assert_eq!(finished(&misuse(MutexKind::ErrorCheck)), line([NOT_OWNER, 0, DEADLOCK, 0]));
    assert_eq!(finished(&misuse(MutexKind::Recursive)), line([NOT_OWNER, 0, 0, 0]));

    let normal = Program {
        mutexes: vec![MutexKind::Normal],
        ..program(vec![vec![locked(0, vec![locked(0, vec![])])]])
    };
    assert_eq!(deadlocks(&normal), [waiting(&[(0, "join"), (1, "mutex")])]);
}

#[test]
fn a_mutex_that_was_not_given_back_stays_taken() {
    let take = || vec![Lock { mutex: 0 }];
    let program = Program { mutexes: vec![MutexKind::Recursive], ..program(vec![take(), take()]) };
    let stuck = |thread| waiting(&[(0, "join"), (thread, "mutex")]);
    assert_eq!(deadlocks(&program), [stuck(1), stuck(2)]);
}

#[test]
fn readers_share_and_writers_do_not() {
    let read = |attempt| ReadLocked { rwlock: 0, attempt, body: vec![Observe { variable: 0 }] };
    let write = |attempt| WriteLocked { rwlock: 0, attempt, body: vec![Update { variable: 0, addend: 1 }] };
    let make = |first: Statement, second: Statement| Program {
        rwlocks: 1,
        variables: vec![Protection::Rwlock(0)],
        ..program(vec![vec![first], vec![second]])
    };
    let (zero, one) = (recorded(0, 0), recorded(0, 1));
    assert_eq!(finished(&make(read(false), write(false))), [format!("1|{zero} 0|"), format!("1|{one} 0|")]);
    // Both attempts of readers succeed, in every order.
    let both = recorded(recorded(0, 0), 0);
    assert_eq!(finished(&make(read(true), read(true))), [format!("0|{both} {both}|")]);
    let busy = recorded(0, BUSY);
    let ends = finished(&make(write(true), write(true)));
    assert_eq!(ends, [format!("1|{zero} {busy}|"), format!("1|{busy} {zero}|"), format!("4|{zero} {zero}|")]);
}

#[test]
fn semaphores_count() {
    let program = Program {
        semaphores: vec![1],
        ..program(vec![
            vec![SemWait { semaphore: 0 }, SemGetValue { semaphore: 0 }],
            vec![SemTryWait { semaphore: 0 }],
        ])
    };
    let (zero, nothing) = (recorded(0, 0), recorded(0, NOTHING));
    assert_eq!(finished(&program), [format!("|{zero} {nothing}|0")]);
    assert_eq!(deadlocks(&program), [waiting(&[(0, "join"), (1, "semaphore")])]);
}

#[test]
fn a_barrier_lets_all_through_or_nobody() {
    let make = |n: usize| Program { barriers: vec![2], ..program(vec![vec![Barrier { barrier: 0 }]; n]) };
    assert_eq!(finished(&make(2)), ["|0 0|"]);
    assert!(deadlocks(&make(2)).is_empty());
    let stuck = |thread| waiting(&[(0, "join"), (thread, "barrier")]);
    assert_eq!(deadlocks(&make(3)), [stuck(1), stuck(2), stuck(3)]);
    assert_eq!(finished(&make(4)), ["|0 0 0 0|"]);
}

#[test]
fn a_set_of_semaphores_changes_as_a_whole() {
    assert_eq!(changed(&[1, 1], &[(0, -1), (1, -1)]), Some(vec![0, 0]));
    assert_eq!(changed(&[1, 0], &[(0, -1), (1, -1)]), None);
    assert_eq!(changed(&[1, 0], &[(1, 0), (0, 2)]), Some(vec![3, 0]));
    assert_eq!(changed(&[1, 0], &[(0, 0)]), None);
}

#[test]
fn messages_are_selected_by_class() {
    let queue = [(3, 7), (1, 8), (2, 9), (1, 6)];
    assert_eq!(selected(&queue, 0), Some(0));
    assert_eq!(selected(&queue, 1), Some(1));
    assert_eq!(selected(&queue, 4), None);
    assert_eq!(selected(&queue, -2), Some(1));
    assert_eq!(selected(&queue[..1], -2), None);
    assert_eq!(selected(&queue[..1], -3), Some(0));
}

#[test]
fn tosses_go_all_ways_and_assertions_end_everything() {
    let toss = Toss { bodies: vec![vec![], vec![Assert { value: 2 }], vec![Assert { value: 4 }]] };
    let known = knowledge(&program(vec![vec![toss]]));
    let line = |value| End::Finished(format!("|{}|", recorded(0, value)));
    // The record of toss 1 is 2; that of toss 2 is 3.
    assert_eq!(known.ends.into_iter().collect::<Vec<_>>(), [line(0), line(2), End::Assertion]);
}

#[test]
fn announced_variables_change_in_every_order() {
    let update = |addend| vec![Update { variable: 0, addend }];
    let program = Program { variables: vec![Protection::Visible], ..program(vec![update(1), update(2)]) };
    assert_eq!(finished(&program), ["5|0 0|", "7|0 0|"]);
}

/// Threads in processes, with how each process ends.
fn groups(process_of: Vec<usize>, endings: Vec<Ending>, threads: Vec<Vec<Statement>>) -> Program {
    let groups = Groups { process_of, endings, ..Groups::default() };
    Program { threads, groups, ..Program::new(Kind::Groups) }
}

#[test]
fn threads_end_with_their_process() {
    let update = || vec![Update { variable: 0, addend: 1 }];
    let mut program = groups(vec![0, 0], vec![Ending::Leave], vec![update(), vec![Exit { code: 3 }]]);
    program.variables = vec![Protection::Visible];
    assert_eq!(finished(&program), ["0|0 0||4 ", "1|0 0||4 "]);
    program.threads[1].clear();
    assert_eq!(finished(&program), ["1|0 0||1 "]);
}

#[test]
fn what_a_process_has_is_given_back_after_its_threads() {
    let take = |undo| {
        let changes = vec![(0, -1)];
        vec![if undo { SemopUndo { number: 0, change: -1 } } else { Semop { changes, attempt: false } }]
    };
    let mut program = groups(vec![0, 0], vec![Ending::Exit], vec![take(true), take(false)]);
    program.set = vec![1];
    // The second thread is too late, or first, and then the process never ends.
    assert_eq!(finished(&program), ["|0 0||1 1"]);
    assert_eq!(deadlocks(&program), [waiting(&[(0, "join"), (0, "set")])]);
}

#[test]
fn a_killed_process_may_be_faster() {
    let mut program = groups(vec![0], vec![Ending::Exit], vec![vec![]]);
    program.groups.main = vec![Destroy { process: 0 }];
    assert_eq!(finished(&program), ["|0||1 ", "|0||266 "]);
}

#[test]
fn time_can_be_up_while_another_has_the_mutex() {
    let wait = locked(0, vec![TimedWait { condition: 0 }, Observe { variable: 0 }]);
    let wake = locked(0, vec![Update { variable: 0, addend: 1 }, Signal { condition: 0 }]);
    let mut program = groups(vec![0, 1], vec![Ending::Exit; 2], vec![vec![wait], vec![wake]]);
    (program.mutexes, program.conditions) = (vec![MutexKind::Normal], vec![0]);
    program.variables = vec![Protection::Mutex(0)];
    let record = |result: u32, value: u32| (result + 1) * 31 + value + 1;
    let line = |record: u32| format!("1|{record} 0||32 ");
    let mut expected = [(110, 0), (110, 1), (0, 1)].map(|(result, value)| line(record(result, value)));
    expected.sort();
    assert_eq!(finished(&program), expected);
}

#[test]
fn a_pipe_ends_when_nobody_can_write() {
    let mut program = groups(
        vec![0, 1],
        vec![Ending::Exit; 2],
        vec![
            vec![PipeWrite { pipe: 0, value: 5 }],
            vec![PipeClose { pipe: 0, writes: true }, PipeRead { pipe: 0 }, PipeRead { pipe: 0 }],
        ],
    );
    program.pipes = 1;
    assert_eq!(finished(&program), ["|1 187||32 "]);
}

#[test]
fn who_is_cancelled_ends_where_it_waits() {
    let mut program = groups(
        vec![0, 0],
        vec![Ending::Join],
        vec![vec![Cancel { thread: 1 }], vec![SemWait { semaphore: 0 }, SemPost { semaphore: 0 }]],
    );
    program.semaphores = vec![1];
    // Not started, or at the end.
    assert_eq!(finished(&program), ["|0 0|1|1 "]);
    program.threads[1].insert(1, TestCancel);
    assert_eq!(finished(&program), ["|0 0|0|1 ", "|0 0|1|1 "]);
}
