//! A program as C.

use std::fmt::Write;

use super::files;
use super::oracle::NOTHING;
use super::syntax::{Ending, Kind, MutexKind, Program, Protection, Signals, Statement};

/// The environment variable with the name of the file to which a program adds a line at its end.
pub const END_FILE: &str = "PROGRAM_END";

/// The whole source text.
pub fn print(program: &Program) -> String {
    let mut text = String::from(HEAD);
    shared(program, &mut text);
    text.push_str(&HELPERS.replace("NOTHING", &NOTHING.to_string()).replace("CODES", &CODES.to_string()));
    if program.files > 0 {
        text.push_str(&files::HELPERS.replace("NOTHING", &NOTHING.to_string()));
    }
    if program.kind == Kind::Groups {
        groups(program, &mut text);
        main(program, &mut text);
        return text;
    }
    for (number, body) in program.threads.iter().enumerate() {
        let result = if program.kind == Kind::Threads { "void *" } else { "void " };
        let argument = if program.kind == Kind::Threads { "void *unused" } else { "void" };
        let _ = writeln!(text, "\nstatic {result}thread{}({argument})\n{{\n    unsigned r = 0;", number + 1);
        if program.kind == Kind::Threads {
            text.push_str("    (void)unused;\n");
        }
        Printer { program, text: &mut text, depth: 1, record: "r".into() }.body(body);
        let _ = writeln!(text, "    s->record[{number}] = r;");
        text.push_str(if program.kind == Kind::Threads { "    return NULL;\n}\n" } else { "}\n" });
    }
    main(program, &mut text);
    text
}

const HEAD: &str = "\
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

/* A number that tells most ends from each other. */
static inline int code(const char *text, int length)
{
    int code = 7;
    for (int i = 0; i < length; i++)
        code = (code * 31 + text[i]) % CODES;
    return code + 1;
}

static inline int record(volatile unsigned *r, int result)
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
    int file[{}], end_of[{}];
    volatile unsigned v[{}];
    volatile unsigned record[{}];
    pid_t pid[{}];
    pthread_t t[{}];
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
        program.files,
        program.files,
        program.variables.len(),
        program.threads.len() + usize::from(program.kind == Kind::Groups),
        program.groups.endings.len(),
        if program.kind == Kind::Groups { program.threads.len() } else { 0 },
    );
}

struct Printer<'a> {
    program: &'a Program,
    text: &'a mut String,
    depth: usize,
    /// The variable with the record.
    record: String,
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
        self.line(format!("if ({} == 0) {{", self.recorded(call)));
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
            Lock { mutex } => self.record(&format!("pthread_mutex_lock(&s->m[{mutex}])")),
            Unlock { mutex } => self.record(&format!("pthread_mutex_unlock(&s->m[{mutex}])")),
            SpinLocked { spin, body } => self.section(
                &format!("must(pthread_spin_lock(&s->spin[{spin}]));"),
                body,
                &format!("must(pthread_spin_unlock(&s->spin[{spin}]));"),
            ),
            ReadLocked { rwlock, attempt, body } => self.rwlock("rd", *rwlock, *attempt, body),
            WriteLocked { rwlock, attempt, body } => self.rwlock("wr", *rwlock, *attempt, body),
            SemWait { semaphore } => self.interruptible(&format!("sem_wait(&s->sem[{semaphore}])")),
            SemPost { semaphore } => self.line(format!("must(sem_post(&s->sem[{semaphore}]));")),
            SemTryWait { semaphore } => {
                self.record(&format!("sem_trywait(&s->sem[{semaphore}]) == 0 ? 0 : {NOTHING}"));
            }
            SemGetValue { semaphore } => self.line(format!(
                "{{ int value; must(sem_getvalue(&s->sem[{semaphore}], &value)); {}; }}",
                self.recorded("value")
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
                self.record(&format!("receive_message({queue}, {selector}, {flags})"));
            }
            PipeWrite { pipe, value } if self.program.kind == Kind::Groups => {
                self.record(&format!("try_write({pipe}, {value})"));
            }
            PipeRead { pipe } if self.program.kind == Kind::Groups => {
                self.record(&format!("try_read({pipe})"))
            }
            PipeWrite { pipe, value } => self.line(format!("write_byte({pipe}, {value});")),
            File(action) => self.record(&action.call()),
            PipeRead { pipe } => self.record(&format!("read_byte({pipe})")),
            Update { variable, addend } => {
                self.announce(*variable);
                self.line(format!("s->v[{variable}] = s->v[{variable}] * 3 + {addend};"));
            }
            Observe { variable } => {
                self.announce(*variable);
                self.record(&format!("(int)s->v[{variable}]"));
            }
            Toss { bodies } => self.toss(bodies),
            Assert { value } => self.line(format!("aw_assert({} % 5 != {value});", self.record)),
            BarrierLast { barrier } => self.record(&format!("pthread_barrier_wait(&s->b[{barrier}]) != 0")),
            Exit { code } if code % 2 == 0 => self.line(format!("exit({code});")),
            Exit { code } => self.line(format!("_exit({code});")),
            Destroy { process } => self.line(format!("kill(s->pid[{process}], SIGKILL);")),
            Kill { process } => self.line(format!("kill(s->pid[{process}], SIGUSR1);")),
            KillThread { thread } => self.line(format!("pthread_kill(s->t[{thread}], SIGUSR1);")),
            SignalWait { attempt } => self.record(&format!("wait_for_signal({})", u8::from(*attempt))),
            Pause => self.line("pause();"),
            Cancel { thread } => self.line(format!("must(pthread_cancel(s->t[{thread}]));")),
            TestCancel => self.line("pthread_testcancel();"),
            SemTimedWait { semaphore } => {
                self.record(&format!("timed_sem_wait(&s->sem[{semaphore}]) == 0 ? 0 : {NOTHING}"));
            }
            TimedLocked { mutex, body } => self.attempt(
                &format!("pthread_mutex_timedlock(&s->m[{mutex}], &soon)"),
                body,
                &format!("pthread_mutex_unlock(&s->m[{mutex}]);"),
            ),
            TimedWait { condition } => {
                let mutex = self.program.conditions[*condition];
                self.record(&format!("timed_wait(&s->c[{condition}], &s->m[{mutex}])"));
            }
            PipeClose { pipe, writes } => {
                self.line(format!("close(s->pipe[{pipe}][{}]);", u8::from(*writes)))
            }
            SemopUndo { number, change } => self.interruptible(&format!(
                "change(1, (struct sembuf[]){{ {{ {number}, {change}, SEM_UNDO }} }})"
            )),
        }
    }

    /// A call whose result is recorded, and gives it.
    fn recorded(&self, call: &str) -> String {
        format!("record(&{}, {call})", self.record)
    }

    fn record(&mut self, call: &str) {
        let call = self.recorded(call);
        self.line(format!("{call};"));
    }

    /// A call that cannot fail, unless signals are handled.
    fn interruptible(&mut self, call: &str) {
        match self.program.groups.signals {
            Signals::Blocked => self.line(format!("must({call});")),
            Signals::Handled { .. } => self.record(&format!("{call} == 0 ? 0 : {NOTHING}")),
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
        if attempt { self.record(&call) } else { self.interruptible(&call) }
    }

    fn announce(&mut self, variable: usize) {
        if self.program.variables[variable] == Protection::Visible {
            self.line(format!("aw_visible(\"v{variable}\");"));
        }
    }

    fn toss(&mut self, bodies: &[Vec<Statement>]) {
        let toss = self.recorded(&format!("aw_toss({})", bodies.len() - 1));
        self.line(format!("switch ({toss}) {{"));
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
        Kind::Processes | Kind::Groups => {
            line("s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);");
            line("must(s == MAP_FAILED);");
        }
    }
    initialise(program, &mut line);
    match program.kind {
        Kind::Threads => start_threads(program, &mut line),
        Kind::Processes => start_processes(program, &mut line),
        Kind::Groups => return finish_groups(program, text),
    }
    finish(program, &mut line);
    text.push_str("}\n");
}

fn initialise(program: &Program, line: &mut impl FnMut(&str)) {
    let scope = match program.kind {
        Kind::Threads => "PTHREAD_PROCESS_PRIVATE",
        Kind::Processes | Kind::Groups => "PTHREAD_PROCESS_SHARED",
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
    let shared = u8::from(program.kind != Kind::Threads);
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
    if program.files > 0 {
        line(&format!("open_files({});", program.files));
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
        if program.kind == Kind::Groups {
            line(&format!("int value_of_set[{}];", program.set.len()));
            line(&format!("for (int i = 0; i < {}; i++)", program.set.len()));
            line("    value_of_set[i] = semctl(s->set, i, GETVAL);");
        }
        line("semctl(s->set, 0, IPC_RMID);");
    }
    let words = |n: usize| vec!["%u"; n].join(" ");
    let mut format = format!(
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
    if program.kind == Kind::Groups {
        format += &format!("|%u {}", words(program.set.len()));
        arguments += &format!(", s->record[{}]", program.threads.len());
        (0..program.set.len()).for_each(|number| arguments += &format!(", value_of_set[{number}]"));
    }
    if program.files > 0 {
        format += "|%u";
        arguments += &format!(", state_of_files({})", program.files);
    }
    line("char text[512];");
    line(&format!("int length = snprintf(text, sizeof text, \"{format}\\n\"{arguments});"));
    line(&format!("const char *path = getenv(\"{END_FILE}\");"));
    line("int file = path == NULL ? 1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);");
    line("must(write(file, text, length) != length);");
    line("return code(text, length - 1);");
}

/// A number that tells most ends from each other; the printed program returns it.
pub fn code(line: &str) -> u64 {
    line.bytes().fold(7u64, |code, byte| (code * 31 + u64::from(byte)) % CODES) + 1
}

/// A program that went wrong returns 99, and 0 is for those that did not get to their end.
const CODES: u64 = 97;

/// The threads of each process, and the process that starts with the first of them.
fn groups(program: &Program, text: &mut String) {
    text.push_str(&GROUP_HELPERS.replace("NOTHING", &NOTHING.to_string()));
    for (number, body) in program.threads.iter().enumerate() {
        let _ = writeln!(text, "\nstatic void *thread{}(void *unused)\n{{\n    me = {number};", number + 1);
        let record = format!("s->record[{number}]");
        Printer { program, text, depth: 1, record }.body(body);
        text.push_str("    return unused;\n}\n");
    }
    let groups = &program.groups;
    for (process, ending) in groups.endings.iter().enumerate() {
        let mut own = (0..program.threads.len()).filter(|thread| groups.process_of[*thread] == process);
        let Some(first) = own.next() else { continue };
        let others: Vec<_> = own.collect();
        let _ =
            writeln!(text, "\nstatic void process{process}(void)\n{{\n    s->t[{first}] = pthread_self();");
        for other in &others {
            let _ =
                writeln!(text, "    must(pthread_create(&s->t[{other}], NULL, thread{}, NULL));", other + 1);
        }
        let _ = writeln!(text, "    thread{}(NULL);", first + 1);
        if *ending == Ending::Join {
            for other in others {
                let _ = writeln!(text, "    must(pthread_join(s->t[{other}], NULL));");
            }
        }
        text.push_str(if *ending == Ending::Leave {
            "    pthread_exit(NULL);\n}\n"
        } else {
            "    _exit(0);\n}\n"
        });
    }
}

const GROUP_HELPERS: &str = "
static __thread int me;
static const struct timespec soon = { 1, 0 };

/* One place for all: what is tried there in vain may be taken for a loop. */
__attribute__((noinline, unused)) static int timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    int result = pthread_cond_timedwait(condition, mutex, &soon);
    __asm__ volatile(\"\" ::: \"memory\");
    return result;
}

__attribute__((noinline, unused)) static int timed_sem_wait(sem_t *semaphore)
{
    int result = sem_timedwait(semaphore, &soon);
    __asm__ volatile(\"\" ::: \"memory\");
    return result;
}

static inline void handle(int number)
{
    record(&s->record[me], number);
}

static inline int try_write(int pipe, char value)
{
    return write(s->pipe[pipe][1], &value, 1) == 1 ? 0 : NOTHING;
}

static inline int try_read(int pipe)
{
    char value = 0;
    return read(s->pipe[pipe][0], &value, 1) < 0 ? NOTHING : value;
}

static inline int wait_for_signal(int attempt)
{
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (attempt)
        return sigtimedwait(&set, NULL, &(struct timespec){ 0, 0 }) == SIGUSR1 ? SIGUSR1 : NOTHING;
    must(sigwait(&set, &number));
    return number;
}

static inline int status_of(int status)
{
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
";

fn start_groups(program: &Program, line: &mut impl FnMut(&str)) {
    let groups = &program.groups;
    line("signal(SIGPIPE, SIG_IGN);");
    match groups.signals {
        Signals::Blocked => {
            line("sigset_t set;");
            line("sigemptyset(&set);");
            line("sigaddset(&set, SIGUSR1);");
            line("must(pthread_sigmask(SIG_BLOCK, &set, NULL));");
        }
        Signals::Handled { restart } => {
            let flags = if restart { "SA_RESTART" } else { "0" };
            line(&format!("struct sigaction action = {{ .sa_handler = handle, .sa_flags = {flags} }};"));
            line("must(sigaction(SIGUSR1, &action, NULL));");
        }
    }
    for process in processes(program) {
        line(&format!("pid_t pid{process} = fork();"));
        line(&format!("if (pid{process} == 0)"));
        line(&format!("    process{process}();"));
        line(&format!("s->pid[{process}] = pid{process};"));
    }
    for pipe in 0..program.pipes {
        line(&format!("close(s->pipe[{pipe}][0]);"));
        line(&format!("close(s->pipe[{pipe}][1]);"));
    }
}

/// Those that have threads.
fn processes(program: &Program) -> Vec<usize> {
    let mut processes = program.groups.process_of.clone();
    processes.dedup();
    processes
}

/// What the main process does when all others were started.
fn finish_groups(program: &Program, text: &mut String) {
    let mut line = |line: &str| {
        let _ = writeln!(text, "    {line}");
    };
    start_groups(program, &mut line);
    let number = program.threads.len();
    let record = format!("s->record[{number}]");
    Printer { program, text, depth: 1, record: record.clone() }.body(&program.groups.main);
    let mut line = |line: &str| {
        let _ = writeln!(text, "    {line}");
    };
    line("int status;");
    for process in processes(program) {
        if program.groups.waits_for_any {
            line("{ pid_t pid = wait(&status); int i = 0; must(pid < 0);");
            line(&format!(
                "  while (s->pid[i] != pid) i++; record(&{record}, status_of(status) + 1000 * (i + 1)); }}"
            ));
        } else {
            line(&format!("must(waitpid(s->pid[{process}], &status, 0) < 0);"));
            line(&format!("record(&{record}, status_of(status));"));
        }
    }
    finish(program, &mut line);
    text.push_str("}\n");
}
