//! A program as C.

use std::fmt::Write;

use super::oracle::NOTHING;
use super::syntax::{Kind, MutexKind, Program, Protection, Statement};

/// The environment variable with the name of the file to which a program adds a line at its end.
pub const END_FILE: &str = "PROGRAM_END";

/// The whole source text.
pub fn print(program: &Program) -> String {
    let mut text = String::from(HEAD);
    shared(program, &mut text);
    text.push_str(&HELPERS.replace("NOTHING", &NOTHING.to_string()));
    for (number, body) in program.threads.iter().enumerate() {
        let result = if program.kind == Kind::Threads { "void *" } else { "void " };
        let argument = if program.kind == Kind::Threads { "void *unused" } else { "void" };
        let _ = writeln!(text, "\nstatic {result}thread{}({argument})\n{{\n    unsigned r = 0;", number + 1);
        if program.kind == Kind::Threads {
            text.push_str("    (void)unused;\n");
        }
        Printer { program, text: &mut text, depth: 1 }.body(body);
        let _ = writeln!(text, "    s->record[{number}] = r;");
        text.push_str(if program.kind == Kind::Threads { "    return NULL;\n}\n" } else { "}\n" });
    }
    main(program, &mut text);
    text
}

const HEAD: &str = "\
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>
#include <allways.h>

";

const HELPERS: &str = "\
/* Ends the program if something failed that cannot fail. */
static inline void must(int result)
{
    if (result != 0)
        _exit(99);
}

static inline int record(unsigned *r, int result)
{
    *r = *r * 31 + (unsigned)result + 1;
    return result;
}

static inline int change(int n, struct sembuf *changes)
{
    return semop(s->set, changes, n) == 0 ? 0 : NOTHING;
}

struct message {
    long class;
    char value;
};

static inline void send_message(int queue, long class, char value)
{
    struct message message = { class, value };
    must(msgsnd(s->queue[queue], &message, 1, 0));
}

static inline int receive_message(int queue, long selector, int flags)
{
    struct message message;
    if (msgrcv(s->queue[queue], &message, 1, selector, flags) != 1)
        return NOTHING;
    return (int)message.class * 100 + message.value;
}

static inline void write_byte(int pipe, char value)
{
    must(write(s->pipe[pipe][1], &value, 1) != 1);
}

static inline int read_byte(int pipe)
{
    char value = 0;
    must(read(s->pipe[pipe][0], &value, 1) != 1);
    return value;
}
";

fn shared(program: &Program, text: &mut String) {
    // An array without elements is an extension that gcc has.
    let _ = writeln!(
        text,
        "static struct shared {{
    pthread_mutex_t m[{}];
    pthread_spinlock_t spin[{}];
    pthread_rwlock_t rw[{}];
    pthread_cond_t c[{}];
    sem_t sem[{}];
    pthread_barrier_t b[{}];
    int set;
    int queue[{}];
    int pipe[{}][2];
    volatile unsigned v[{}];
    volatile unsigned record[{}];
}} *s;
",
        program.mutexes.len(),
        program.spins,
        program.rwlocks,
        program.conditions.len(),
        program.semaphores.len(),
        program.barriers.len(),
        program.queues,
        program.pipes,
        program.variables.len(),
        program.threads.len(),
    );
}

struct Printer<'a> {
    program: &'a Program,
    text: &'a mut String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "{}{}", "    ".repeat(self.depth), line.as_ref());
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn indented(&mut self, body: &[Statement]) {
        self.depth += 1;
        self.body(body);
        self.depth -= 1;
    }

    /// A section between two calls.
    fn section(&mut self, before: &str, body: &[Statement], after: &str) {
        self.line(before);
        self.indented(body);
        self.line(after);
    }

    fn attempt(&mut self, call: &str, body: &[Statement], after: &str) {
        self.line(format!("if (record(&r, {call}) == 0) {{"));
        self.indented(body);
        self.line(format!("    {after}"));
        self.line("}");
    }

    fn statement(&mut self, statement: &Statement) {
        use Statement::*;
        match statement {
            Locked { mutex, body } => {
                let call = |name: &str| match self.program.mutexes[*mutex] {
                    MutexKind::Normal => format!("must(pthread_mutex_{name}(&s->m[{mutex}]));"),
                    _ => format!("pthread_mutex_{name}(&s->m[{mutex}]);"),
                };
                self.section(&call("lock"), body, &call("unlock"));
            }
            TryLocked { mutex, body } => self.attempt(
                &format!("pthread_mutex_trylock(&s->m[{mutex}])"),
                body,
                &format!("pthread_mutex_unlock(&s->m[{mutex}]);"),
            ),
            Lock { mutex } => self.line(format!("record(&r, pthread_mutex_lock(&s->m[{mutex}]));")),
            Unlock { mutex } => self.line(format!("record(&r, pthread_mutex_unlock(&s->m[{mutex}]));")),
            SpinLocked { spin, body } => self.section(
                &format!("must(pthread_spin_lock(&s->spin[{spin}]));"),
                body,
                &format!("must(pthread_spin_unlock(&s->spin[{spin}]));"),
            ),
            ReadLocked { rwlock, attempt, body } => self.rwlock("rd", *rwlock, *attempt, body),
            WriteLocked { rwlock, attempt, body } => self.rwlock("wr", *rwlock, *attempt, body),
            SemWait { semaphore } => self.line(format!("must(sem_wait(&s->sem[{semaphore}]));")),
            SemPost { semaphore } => self.line(format!("must(sem_post(&s->sem[{semaphore}]));")),
            SemTryWait { semaphore } => {
                self.line(format!("record(&r, sem_trywait(&s->sem[{semaphore}]) == 0 ? 0 : {NOTHING});"));
            }
            SemGetValue { semaphore } => self.line(format!(
                "{{ int value; must(sem_getvalue(&s->sem[{semaphore}], &value)); record(&r, value); }}"
            )),
            Wait { condition, guard } => {
                let mutex = self.program.conditions[*condition];
                let wait = format!("must(pthread_cond_wait(&s->c[{condition}], &s->m[{mutex}]));");
                if let Some(guard) = guard {
                    let word = if guard.again { "while" } else { "if" };
                    self.line(format!("{word} (s->v[{}] % 2 == {})", guard.variable, guard.parity));
                    self.line(format!("    {wait}"));
                } else {
                    self.line(wait);
                }
            }
            Signal { condition } => self.line(format!("must(pthread_cond_signal(&s->c[{condition}]));")),
            Broadcast { condition } => {
                self.line(format!("must(pthread_cond_broadcast(&s->c[{condition}]));"))
            }
            Barrier { barrier } => self.line(format!("pthread_barrier_wait(&s->b[{barrier}]);")),
            Semop { changes, attempt } => self.semop(changes, *attempt),
            Send { queue, class, value } => self.line(format!("send_message({queue}, {class}, {value});")),
            Receive { queue, selector, attempt } => {
                let flags = if *attempt { "IPC_NOWAIT" } else { "0" };
                self.line(format!("record(&r, receive_message({queue}, {selector}, {flags}));"));
            }
            PipeWrite { pipe, value } => self.line(format!("write_byte({pipe}, {value});")),
            PipeRead { pipe } => self.line(format!("record(&r, read_byte({pipe}));")),
            Update { variable, addend } => {
                self.announce(*variable);
                self.line(format!("s->v[{variable}] = s->v[{variable}] * 3 + {addend};"));
            }
            Observe { variable } => {
                self.announce(*variable);
                self.line(format!("record(&r, (int)s->v[{variable}]);"));
            }
            Toss { bodies } => self.toss(bodies),
            Assert { value } => self.line(format!("aw_assert(r % 5 != {value});")),
        }
    }

    fn rwlock(&mut self, mode: &str, rwlock: usize, attempt: bool, body: &[Statement]) {
        let unlock = format!("must(pthread_rwlock_unlock(&s->rw[{rwlock}]));");
        if attempt {
            self.attempt(&format!("pthread_rwlock_try{mode}lock(&s->rw[{rwlock}])"), body, &unlock);
        } else {
            self.section(&format!("must(pthread_rwlock_{mode}lock(&s->rw[{rwlock}]));"), body, &unlock);
        }
    }

    fn semop(&mut self, changes: &[(usize, i16)], attempt: bool) {
        let flags = if attempt { "IPC_NOWAIT" } else { "0" };
        let list: Vec<_> =
            changes.iter().map(|(number, change)| format!("{{ {number}, {change}, {flags} }}")).collect();
        let call = format!("change({}, (struct sembuf[]){{ {} }})", changes.len(), list.join(", "));
        self.line(if attempt { format!("record(&r, {call});") } else { format!("must({call});") });
    }

    fn announce(&mut self, variable: usize) {
        if self.program.variables[variable] == Protection::Visible {
            self.line(format!("aw_visible(\"v{variable}\");"));
        }
    }

    fn toss(&mut self, bodies: &[Vec<Statement>]) {
        self.line(format!("switch (record(&r, aw_toss({}))) {{", bodies.len() - 1));
        for (number, body) in bodies.iter().enumerate() {
            self.line(format!("case {number}:"));
            self.indented(body);
            self.line("    break;");
        }
        self.line("}");
    }
}

fn main(program: &Program, text: &mut String) {
    text.push_str("\nint main(void)\n{\n");
    let mut line = |line: &str| {
        let _ = writeln!(text, "    {line}");
    };
    match program.kind {
        Kind::Threads => {
            line("static struct shared memory;");
            line("s = &memory;");
        }
        Kind::Processes => {
            line("s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);");
            line("must(s == MAP_FAILED);");
        }
    }
    initialise(program, &mut line);
    match program.kind {
        Kind::Threads => start_threads(program, &mut line),
        Kind::Processes => start_processes(program, &mut line),
    }
    finish(program, &mut line);
    text.push_str("    return 0;\n}\n");
}

fn initialise(program: &Program, line: &mut impl FnMut(&str)) {
    let scope = match program.kind {
        Kind::Threads => "PTHREAD_PROCESS_PRIVATE",
        Kind::Processes => "PTHREAD_PROCESS_SHARED",
    };
    // An attribute object for each object, as every kind of object has its own.
    let mut with_attribute = |kind: &str, object: String, more: &str, last: &str| {
        line(&format!("{{ pthread_{kind}attr_t a; pthread_{kind}attr_init(&a);"));
        line(&format!("  must(pthread_{kind}attr_setpshared(&a, {scope}));{more}"));
        line(&format!("  must(pthread_{kind}_init({object}, &a{last})); }}"));
    };
    for (number, kind) in program.mutexes.iter().enumerate() {
        let kind = match kind {
            MutexKind::Normal => "NORMAL",
            MutexKind::Recursive => "RECURSIVE",
            MutexKind::ErrorCheck => "ERRORCHECK",
        };
        let more = format!(" must(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_{kind}));");
        with_attribute("mutex", format!("&s->m[{number}]"), &more, "");
    }
    for number in 0..program.rwlocks {
        with_attribute("rwlock", format!("&s->rw[{number}]"), "", "");
    }
    for number in 0..program.conditions.len() {
        with_attribute("cond", format!("&s->c[{number}]"), "", "");
    }
    for (number, count) in program.barriers.iter().enumerate() {
        with_attribute("barrier", format!("&s->b[{number}]"), "", &format!(", {count}"));
    }
    for number in 0..program.spins {
        line(&format!("must(pthread_spin_init(&s->spin[{number}], {scope}));"));
    }
    let shared = u8::from(program.kind == Kind::Processes);
    for (number, value) in program.semaphores.iter().enumerate() {
        line(&format!("must(sem_init(&s->sem[{number}], {shared}, {value}));"));
    }
    if !program.set.is_empty() {
        line(&format!("s->set = semget(IPC_PRIVATE, {}, 0600);", program.set.len()));
        for (number, value) in program.set.iter().enumerate() {
            line(&format!("must(semctl(s->set, {number}, SETVAL, {value}));"));
        }
    }
    for number in 0..program.queues {
        line(&format!("s->queue[{number}] = msgget(IPC_PRIVATE, 0600);"));
    }
    for number in 0..program.pipes {
        line(&format!("must(pipe(s->pipe[{number}]));"));
    }
}

fn start_threads(program: &Program, line: &mut impl FnMut(&str)) {
    let numbers = 1..=program.threads.len();
    line(&format!("pthread_t t[{}];", program.threads.len()));
    for number in numbers.clone() {
        line(&format!("must(pthread_create(&t[{}], NULL, thread{number}, NULL));", number - 1));
    }
    for number in numbers {
        line(&format!("must(pthread_join(t[{}], NULL));", number - 1));
    }
}

fn start_processes(program: &Program, line: &mut impl FnMut(&str)) {
    let numbers = 1..=program.threads.len();
    line(&format!("pid_t p[{}];", program.threads.len()));
    for number in numbers.clone() {
        line(&format!("p[{}] = fork();", number - 1));
        line(&format!("if (p[{}] == 0) {{", number - 1));
        line(&format!("    thread{number}();"));
        line("    _exit(0);");
        line("}");
    }
    line("int status;");
    for number in numbers {
        line(&format!("must(waitpid(p[{}], &status, 0) < 0 || status != 0);", number - 1));
    }
}

fn finish(program: &Program, line: &mut impl FnMut(&str)) {
    for number in 0..program.queues {
        line(&format!("msgctl(s->queue[{number}], IPC_RMID, NULL);"));
    }
    if !program.set.is_empty() {
        line("semctl(s->set, 0, IPC_RMID);");
    }
    let words = |n: usize| vec!["%u"; n].join(" ");
    let format = format!(
        "{}|{}|{}",
        words(program.variables.len()),
        words(program.threads.len()),
        words(program.semaphores.len())
    );
    let mut arguments = String::new();
    (0..program.variables.len()).for_each(|number| arguments += &format!(", s->v[{number}]"));
    (0..program.threads.len()).for_each(|number| arguments += &format!(", s->record[{number}]"));
    for number in 0..program.semaphores.len() {
        line(&format!("int value{number};"));
        line(&format!("must(sem_getvalue(&s->sem[{number}], &value{number}));"));
        arguments += &format!(", value{number}");
    }
    line("char text[512];");
    line(&format!("int length = snprintf(text, sizeof text, \"{format}\\n\"{arguments});"));
    line(&format!("const char *path = getenv(\"{END_FILE}\");"));
    line("int file = path == NULL ? 1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);");
    line("must(write(file, text, length) != length);");
}
