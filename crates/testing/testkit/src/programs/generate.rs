//! Programs made from a seed.

use super::files::Action;
use super::oracle::{self, End, Knowledge};
use super::syntax::{Ending, Groups, Guard, Kind, MutexKind, Program, Protection, Signals, Statement};
use crate::generate::dice::Dice;
use clap::ValueEnum;

/// What a program may be like.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Executions of a search without reduction.
    pub executions: f64,
    pub states: usize,
    /// What it does not use.
    pub without: Vec<Family>,
    pub shape: Shape,
}

/// How threads and processes belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Shape {
    /// Threads, or processes with one thread each; all of them are waited for.
    #[default]
    Flat,
    /// The same, with operations on files.
    Files,
    /// Processes with threads, which may end at any time; signals, cancellation, time limits.
    Groups,
}

/// The program of a seed, and all about it. The more there is to search, the fewer statements it gets. Most programs can end
/// in several ways, many of them with or without a deadlock.
pub fn generate(seed: u64, limits: &Limits) -> (Program, Knowledge) {
    let is_interesting = |knowledge: &Knowledge| {
        let has = |wanted: fn(&End) -> bool| knowledge.ends.iter().any(wanted);
        let several = knowledge.ends.len() > 1 && has(|end| matches!(end, End::Finished(_)));
        match seed % 10 {
            0 => true,
            1..=4 => several && has(|end| matches!(end, End::Deadlock(_))),
            _ => several,
        }
    };
    let mut boring = None;
    // Seeds are near each other, so that theirs must not overlap.
    for attempt in 0..ATTEMPTS {
        let (program, knowledge) = fitting(seed * ATTEMPTS + attempt, limits);
        if is_interesting(&knowledge) {
            return (program, knowledge);
        }
        boring = Some((program, knowledge));
    }
    boring.expect("there was an attempt")
}

const ATTEMPTS: u64 = 8;

fn fitting(seed: u64, limits: &Limits) -> (Program, Knowledge) {
    for budget in (1..=6).rev() {
        for less in 0..2 {
            let program = draw_any(seed, budget, less, limits);
            debug_assert!(program.is_well_formed());
            if let Some(knowledge) = oracle::ask(&program, limits.states)
                && knowledge.executions <= limits.executions
            {
                return (program, knowledge);
            }
        }
    }
    let program = draw_any(seed, 0, 2, limits);
    let knowledge = oracle::ask(&program, usize::MAX).expect("there is no limit");
    (program, knowledge)
}

fn draw_any(seed: u64, budget: i32, less: usize, limits: &Limits) -> Program {
    match limits.shape {
        Shape::Flat | Shape::Files => draw(seed, budget, less, limits),
        Shape::Groups => draw_groups(seed, budget, less, limits),
    }
}

/// Threads with at most `budget` statements each; `less` threads are left out.
fn draw(seed: u64, budget: i32, less: usize, limits: &Limits) -> Program {
    let mut dice = Dice::new(seed);
    let kind = if dice.chance(60) { Kind::Threads } else { Kind::Processes };
    let n_threads = dice.weighted(&[(45, 2usize), (35, 3), (20, 4)]).saturating_sub(less).max(1);
    let mut families = match limits.shape {
        Shape::Files => file_families(&mut dice),
        _ => families(&mut dice),
    };
    families.retain(|family| !limits.without.contains(family));
    let mut program = Program::new(kind);
    objects(&mut program, &families, n_threads, &mut dice);
    for _ in 0..n_threads {
        let budget = dice.between(budget.min(2)..=budget);
        let body = Writer { program: &program, families: &families, dice: &mut dice }.thread(budget);
        program.threads.push(body);
    }
    program
}

/// The same in several processes.
fn draw_groups(seed: u64, budget: i32, less: usize, limits: &Limits) -> Program {
    let mut dice = Dice::new(seed);
    let n_threads = dice.weighted(&[(40, 2usize), (45, 3), (15, 4)]).saturating_sub(less).max(1);
    let mut families = group_families(&mut dice);
    families.retain(|family| !limits.without.contains(family));
    if !families.contains(&Family::Set) {
        families.retain(|family| *family != Family::Undo);
    }
    let mut program = Program::new(Kind::Groups);
    objects(&mut program, &families, n_threads, &mut dice);
    let mut groups = Groups { waits_for_any: dice.chance(15), ..Groups::default() };
    for number in 0..n_threads {
        if number == 0 || dice.chance(45) {
            groups.endings.push(dice.weighted(&[
                (40, Ending::Join),
                (45, Ending::Exit),
                (15, Ending::Leave),
            ]));
        }
        groups.process_of.push(groups.endings.len() - 1);
    }
    if families.contains(&Family::Signal) && dice.chance(40) {
        groups.signals = Signals::Handled { restart: dice.chance(40) };
    }
    program.groups = groups;
    program.threads = vec![vec![]; n_threads];
    for number in 0..n_threads {
        let budget = dice.between(budget.min(1)..=budget);
        let body = Writer { program: &program, families: &families, dice: &mut dice }.thread(budget);
        program.threads[number] = body;
    }
    if families.contains(&Family::Exit) {
        let body = dice.index(n_threads);
        let place = dice.index(program.threads[body].len() + 1);
        let code = dice.between(1..=4) as u8;
        program.threads[body].insert(place, Statement::Exit { code });
    }
    if dice.chance(40) {
        let budget = dice.between(budget.min(1)..=budget.min(2));
        program.groups.main =
            Writer { program: &program, families: &families, dice: &mut dice }.thread(budget);
    }
    // What a thread may not do where it is.
    for number in 0..n_threads {
        let mut body = std::mem::take(&mut program.threads[number]);
        body.retain(|statement| {
            program.threads[number] = vec![statement.clone()];
            program.is_well_formed()
        });
        program.threads[number] = body;
    }
    let mut main = std::mem::take(&mut program.groups.main);
    main.retain(|statement| {
        program.groups.main = vec![statement.clone()];
        program.is_well_formed()
    });
    program.groups.main = main;
    program
}

/// What a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Family {
    Mutex,
    /// Mutexes of the other kinds, also misused.
    Checked,
    Spin,
    Rwlock,
    Condition,
    Semaphore,
    Barrier,
    Set,
    Queue,
    Pipe,
    File,
    Visible,
    Toss,
    Assert,
    /// A process ends under way.
    Exit,
    /// A process is killed.
    Destroy,
    Signal,
    Cancel,
    /// Waits with time limits.
    Timed,
    /// Semaphores of the set that are given back at the end.
    Undo,
}

fn families(dice: &mut Dice) -> Vec<Family> {
    use Family::*;
    let objects = [
        (20, Mutex),
        (12, Checked),
        (6, Spin),
        (12, Rwlock),
        (22, Condition),
        (16, Semaphore),
        (8, Barrier),
        (14, Set),
        (12, Queue),
        (10, Pipe),
    ];
    let mut families: Vec<Family> = (0..dice.between(1..=3)).map(|_| dice.weighted(&objects)).collect();
    for (percent, family) in [(50, Visible), (25, Toss), (12, Assert)] {
        if dice.chance(percent) {
            families.push(family);
        }
    }
    families
}

fn file_families(dice: &mut Dice) -> Vec<Family> {
    use Family::*;
    let mut families = vec![File; 4];
    for (percent, family) in
        [(30, Mutex), (25, Semaphore), (15, Rwlock), (10, Pipe), (15, Visible), (10, Toss)]
    {
        if dice.chance(percent) {
            families.push(family);
        }
    }
    families
}

fn group_families(dice: &mut Dice) -> Vec<Family> {
    use Family::*;
    let objects = [
        (16, Mutex),
        (6, Checked),
        (3, Spin),
        (8, Rwlock),
        (20, Condition),
        (22, Semaphore),
        (12, Barrier),
        (8, Set),
        (8, Queue),
        (16, Pipe),
    ];
    let mut families: Vec<Family> = (0..dice.between(1..=2)).map(|_| dice.weighted(&objects)).collect();
    let more = [
        (40, Visible),
        (10, Toss),
        (8, Assert),
        (65, Exit),
        (20, Destroy),
        (25, Signal),
        (20, Cancel),
        (30, Timed),
    ];
    for (percent, family) in more {
        if dice.chance(percent) {
            families.push(family);
        }
    }
    if families.contains(&Set) && dice.chance(60) {
        families.push(Undo);
    }
    families
}

fn objects(program: &mut Program, families: &[Family], n_threads: usize, dice: &mut Dice) {
    use Family::*;
    let has = |family| families.contains(&family);
    if has(Mutex) || has(Condition) {
        program.mutexes = vec![MutexKind::Normal; dice.between(1..=2) as usize];
    }
    if has(Checked) {
        program.mutexes.push(dice.pick(&[MutexKind::Recursive, MutexKind::ErrorCheck]));
    }
    if has(Spin) {
        program.spins = 1;
    }
    if has(Rwlock) {
        program.rwlocks = dice.between(1..=2) as usize;
        program.variables.push(Protection::Rwlock(0));
    }
    if has(Condition) {
        program.conditions = vec![0; dice.between(1..=2) as usize];
    }
    if program.mutexes.first() == Some(&MutexKind::Normal) {
        program.variables.push(Protection::Mutex(0));
    }
    if has(Semaphore) {
        program.semaphores = (0..dice.between(1..=2)).map(|_| dice.between(0..=3) as u32).collect();
    }
    if has(Barrier) {
        program.barriers = vec![dice.between(2..=n_threads.max(2) as i32) as u32];
    }
    if has(Set) {
        program.set = (0..dice.between(1..=3)).map(|_| dice.between(0..=1) as u32).collect();
    }
    if has(Queue) {
        program.queues = dice.between(1..=2) as usize;
    }
    if has(Pipe) {
        program.pipes = dice.between(1..=2) as usize;
    }
    if has(File) {
        program.files = dice.between(1..=2) as usize;
    }
    if has(Visible) || program.variables.is_empty() {
        program.variables.extend(vec![Protection::Visible; dice.between(1..=2) as usize]);
    }
}

/// Writes the statements of one thread.
struct Writer<'a> {
    program: &'a Program,
    families: &'a [Family],
    dice: &'a mut Dice,
}

impl Writer<'_> {
    fn thread(&mut self, budget: i32) -> Vec<Statement> {
        let mut left = budget;
        let mut body = vec![];
        while left > 0 {
            body.extend(self.statement(&mut left, 0));
        }
        // Rarely a statement cannot stand where it was put, such as a nested lock of the same kind.
        body.retain(|statement| self.fits(statement));
        body
    }

    fn fits(&self, statement: &Statement) -> bool {
        if self.program.kind == Kind::Groups {
            // Asked later, when it is clear who does it.
            return true;
        }
        let threads = vec![vec![statement.clone()]];
        Program { threads, ..self.program.clone() }.is_well_formed()
    }

    fn statement(&mut self, left: &mut i32, depth: usize) -> Option<Statement> {
        *left -= 1;
        let mut families = self.families.to_vec();
        families.extend([Family::Visible, Family::Mutex]);
        match self.dice.pick(&families) {
            Family::Mutex => self.mutex(left, depth),
            Family::Checked => self.checked(left, depth),
            Family::Spin => {
                let body = self.body(left, depth);
                Some(Statement::SpinLocked { spin: 0, body })
            }
            Family::Rwlock => Some(self.rwlock(left, depth)),
            Family::Condition => Some(self.condition()),
            Family::Semaphore => Some(self.semaphore()),
            Family::Barrier if self.program.kind == Kind::Groups => {
                Some(Statement::BarrierLast { barrier: 0 })
            }
            Family::Barrier => Some(Statement::Barrier { barrier: 0 }),
            Family::Set => Some(self.set()),
            Family::Queue => Some(self.queue()),
            Family::Pipe => {
                let pipe = self.dice.index(self.program.pipes);
                if self.program.kind == Kind::Groups && self.dice.chance(30) {
                    return Some(Statement::PipeClose { pipe, writes: self.dice.chance(60) });
                }
                let write = self.dice.chance(55);
                let value = self.dice.between(1..=9) as u8;
                Some(if write { Statement::PipeWrite { pipe, value } } else { Statement::PipeRead { pipe } })
            }
            Family::File => Some(Statement::File(Action::draw(self.dice, self.program.files))),
            Family::Visible => self.access(Protection::Visible),
            Family::Exit => self.access(Protection::Visible),
            Family::Destroy => Some(Statement::Destroy { process: self.dice.index(self.processes()) }),
            Family::Signal => Some(self.signal()),
            Family::Cancel => {
                let thread = self.dice.index(self.program.threads.len());
                Some(if self.dice.chance(65) { Statement::Cancel { thread } } else { Statement::TestCancel })
            }
            Family::Timed => self.timed(),
            Family::Undo => {
                let number = self.dice.index(self.program.set.len());
                Some(Statement::SemopUndo { number, change: self.dice.pick(&[-1, 1]) })
            }
            Family::Toss => {
                let bodies = (0..self.dice.between(2..=3)).map(|_| self.body(left, depth)).collect();
                Some(Statement::Toss { bodies })
            }
            Family::Assert => Some(Statement::Assert { value: self.dice.between(0..=4) as u32 }),
        }
    }

    /// Statements inside another one, possibly none.
    fn body(&mut self, left: &mut i32, depth: usize) -> Vec<Statement> {
        let mut body = vec![];
        while depth < 2 && *left > 0 && self.dice.chance(55) {
            body.extend(self.statement(left, depth + 1));
        }
        body
    }

    /// An access to a variable with this protection.
    fn access(&mut self, protection: Protection) -> Option<Statement> {
        let variables = self.program.variables.iter().enumerate();
        let variables: Vec<_> =
            variables.filter(|(_, other)| **other == protection).map(|(i, _)| i).collect();
        let variable = self.dice.pick_any(&variables)?;
        let update = self.dice.chance(60);
        let addend = self.dice.between(1..=4) as u32;
        Some(if update { Statement::Update { variable, addend } } else { Statement::Observe { variable } })
    }

    fn mutex(&mut self, left: &mut i32, depth: usize) -> Option<Statement> {
        let normal: Vec<_> = self.mutexes(|kind| kind == MutexKind::Normal);
        let mutex = self.dice.pick_any(&normal)?;
        let attempt = self.dice.chance(20);
        let mut body = self.body(left, depth);
        if takes(&body, mutex) && self.dice.chance(90) {
            // A thread that waits for itself waits for ever, whatever the others do.
            body.clear();
        }
        if self.dice.chance(50) {
            body.extend(self.access(Protection::Mutex(mutex)));
        }
        Some(if attempt { Statement::TryLocked { mutex, body } } else { Statement::Locked { mutex, body } })
    }

    fn mutexes(&self, wanted: impl Fn(MutexKind) -> bool) -> Vec<usize> {
        (0..self.program.mutexes.len()).filter(|number| wanted(self.program.mutexes[*number])).collect()
    }

    fn checked(&mut self, left: &mut i32, depth: usize) -> Option<Statement> {
        let mutexes = self.mutexes(|kind| kind != MutexKind::Normal);
        let mutex = self.dice.pick_any(&mutexes)?;
        Some(match self.dice.between(0..=5) {
            0 => Statement::Lock { mutex },
            1 => Statement::Unlock { mutex },
            2 => Statement::TryLocked { mutex, body: self.body(left, depth) },
            _ => Statement::Locked { mutex, body: self.body(left, depth) },
        })
    }

    fn rwlock(&mut self, left: &mut i32, depth: usize) -> Statement {
        let rwlock = self.dice.index(self.program.rwlocks);
        let attempt = self.dice.chance(25);
        let mut body = self.body(left, depth);
        let variable = (0..self.program.variables.len())
            .find(|number| self.program.variables[*number] == Protection::Rwlock(rwlock));
        if self.dice.chance(50) {
            body.extend(variable.map(|variable| Statement::Observe { variable }));
            Statement::ReadLocked { rwlock, attempt, body }
        } else {
            let addend = self.dice.between(1..=4) as u32;
            body.extend(variable.map(|variable| Statement::Update { variable, addend }));
            Statement::WriteLocked { rwlock, attempt, body }
        }
    }

    /// Somebody waits, or somebody changes the variable and wakes others up, inside or outside of the lock.
    fn condition(&mut self) -> Statement {
        let condition = self.dice.index(self.program.conditions.len());
        let mutex = self.program.conditions[condition];
        let variable = (0..self.program.variables.len())
            .find(|number| self.program.variables[*number] == Protection::Mutex(mutex));
        // Some programs are mostly about one of the two: several that wake all, and one who waits for any of them, would be rare otherwise.
        let signals = if self.program.variables.len().is_multiple_of(2) { 85 } else { 20 };
        let wake = if self.dice.chance(signals) {
            Statement::Signal { condition }
        } else {
            Statement::Broadcast { condition }
        };
        match self.dice.between(0..=9) {
            0..=3 => {
                let guard = variable.filter(|_| self.dice.chance(70)).map(|variable| Guard {
                    variable,
                    parity: self.dice.between(0..=1) as u32,
                    again: self.dice.chance(60),
                });
                let mut body = vec![Statement::Wait { condition, guard }];
                if self.dice.chance(50) {
                    body.extend(self.access(Protection::Mutex(mutex)));
                }
                Statement::Locked { mutex, body }
            }
            4..=7 => {
                let mut body: Vec<_> = self.access(Protection::Mutex(mutex)).into_iter().collect();
                body.push(wake);
                Statement::Locked { mutex, body }
            }
            _ => wake,
        }
    }

    fn semaphore(&mut self) -> Statement {
        let semaphore = self.dice.index(self.program.semaphores.len());
        match self.dice.between(0..=9) {
            0..=3 => Statement::SemWait { semaphore },
            4..=6 => Statement::SemPost { semaphore },
            7..=8 => Statement::SemTryWait { semaphore },
            _ => Statement::SemGetValue { semaphore },
        }
    }

    fn processes(&self) -> usize {
        self.program.groups.endings.len()
    }

    fn signal(&mut self) -> Statement {
        let thread = self.dice.index(self.program.threads.len());
        let process = self.dice.index(self.processes());
        let is_blocked = self.program.groups.signals == Signals::Blocked;
        match self.dice.between(0..=9) {
            0..=3 => Statement::Kill { process },
            4..=5 => Statement::KillThread { thread },
            _ if !is_blocked => Statement::Pause,
            _ => Statement::SignalWait { attempt: self.dice.chance(25) },
        }
    }

    fn timed(&mut self) -> Option<Statement> {
        let normal = self.mutexes(|kind| kind == MutexKind::Normal);
        let can =
            [!normal.is_empty(), !self.program.conditions.is_empty(), !self.program.semaphores.is_empty()];
        let possible: Vec<usize> = (0..can.len()).filter(|number| can[*number]).collect();
        Some(match self.dice.pick_any(&possible)? {
            0 => {
                let mutex = self.dice.pick(&normal);
                let body = self.access(Protection::Mutex(mutex)).into_iter().collect();
                Statement::TimedLocked { mutex, body }
            }
            1 => {
                let condition = self.dice.index(self.program.conditions.len());
                let mutex = self.program.conditions[condition];
                let mut body = vec![Statement::TimedWait { condition }];
                if self.dice.chance(40) {
                    body.push(Statement::TimedWait { condition });
                }
                body.extend(self.access(Protection::Mutex(mutex)));
                Statement::Locked { mutex, body }
            }
            _ => Statement::SemTimedWait { semaphore: self.dice.index(self.program.semaphores.len()) },
        })
    }

    fn set(&mut self) -> Statement {
        let attempt = self.dice.chance(15);
        let n = self.program.set.len();
        let mut changes = vec![];
        let first = self.dice.index(n);
        for offset in 0..n {
            if offset == 0 || self.dice.chance(30) {
                let change = self.dice.weighted(&[(45, -1i16), (40, 1), (8, 0), (7, -2)]);
                changes.push(((first + offset) % n, change));
            }
        }
        Statement::Semop { changes, attempt }
    }

    fn queue(&mut self) -> Statement {
        let queue = self.dice.index(self.program.queues);
        if self.dice.chance(55) {
            let (class, value) = (self.dice.between(1..=2) as u8, self.dice.between(1..=9) as u8);
            return Statement::Send { queue, class, value };
        }
        let selector = self.dice.weighted(&[(50, 0i8), (20, 1), (20, 2), (10, -2)]);
        Statement::Receive { queue, selector, attempt: self.dice.chance(20) }
    }
}

/// Whether a mutex is taken inside.
fn takes(body: &[Statement], mutex: usize) -> bool {
    body.iter().any(|statement| {
        matches!(statement, Statement::Locked { mutex: other, .. } if *other == mutex)
            || statement.bodies().iter().any(|body| takes(body, mutex))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::print::print;

    fn limits() -> Limits {
        Limits { executions: 200.0, states: 1000, ..Limits::default() }
    }

    #[test]
    fn programs_are_well_formed_small_and_determined_by_their_seed() {
        for seed in 0..100 {
            let (program, knowledge) = generate(seed, &limits());
            assert!(program.is_well_formed(), "{program:?}");
            assert!(knowledge.executions <= limits().executions);
            assert_eq!(program, generate(seed, &limits()).0);
        }
    }

    #[test]
    fn groups_are_well_formed_and_have_everything() {
        let limits = Limits { shape: Shape::Groups, ..limits() };
        let mut all = String::new();
        for seed in 0..300 {
            let (program, _) = generate(seed, &limits);
            assert!(program.is_well_formed(), "{program:?}");
            all += &print(&program);
        }
        let calls = " _exit(1) exit(2) SIGKILL SIGUSR1) pthread_kill( wait_for_signal(0) wait_for_signal(1) pause() \
            pthread_cancel( testcancel( sem_timedwait( mutex_timedlock( cond_timedwait( close(s->pipe try_read( try_write( \
            SEM_UNDO barrier_wait(&s->b[0])!=0 SA_RESTART pthread_exit( wait(&status) pthread_join(";
        let all = all.replace(' ', "");
        for call in calls.split_whitespace() {
            assert!(all.contains(call), "no {call}");
        }
    }

    #[test]
    fn everything_is_generated() {
        let all: String = (0..400).map(|seed| print(&generate(seed, &limits()).0)).collect();
        let calls = "mutex_lock mutex_trylock mutex_unlock spin_lock rwlock_rdlock rwlock_wrlock rwlock_tryrdlock \
            rwlock_trywrlock cond_wait cond_signal cond_broadcast barrier_wait pthread_create pthread_join sem_wait( sem_post( \
            sem_trywait( sem_getvalue( change( send_message( receive_message( write_byte( read_byte( aw_toss( aw_assert( \
            aw_visible( fork waitpid RECURSIVE ERRORCHECK IPC_NOWAIT";
        for call in calls.split_whitespace() {
            assert!(all.contains(call), "no {call}");
        }
    }
}
