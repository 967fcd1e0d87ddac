//! A program that is executed again and again.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

use allways_stateless_protocol::{NONE, Outcome, Region};

use crate::RUNTIME;
use crate::launch::{Isolation, Launch, LaunchError, Streams, find_program, stop};
use crate::limits::{Limit, explained};
use crate::scratch::Scratch;
use crate::shared::{Shared, wait_while, wake};
use crate::standstill;

/// What to start, and how.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    pub program: PathBuf,
    /// What the program is told to be called.
    pub name: OsString,
    pub arguments: Vec<OsString>,
    pub streams: Streams,
    /// How long it may run without a visible operation.
    pub patience: Duration,
    pub folder: Folder,
    /// How many processors it sees; constructors look, so it is known before it starts.
    pub processors: u32,
    /// Which stream its random numbers come from.
    pub random_stream: u64,
    /// Environment variables that are not as the explorer has them; `None` if there is to be none
    /// of that name.
    pub variables: Vec<(OsString, Option<OsString>)>,
}

/// The folder in which the program runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Folder {
    /// That of the explorer.
    #[default]
    Current,
    /// One of its own, which is empty when an execution begins.
    Empty,
    /// One of its own, which is a copy of this one when an execution begins.
    CopyOf(PathBuf),
}

/// How a request for an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The log is complete.
    Complete,
    /// Whoever asked did not want to wait any longer; the program was killed.
    GivenUp,
    /// The program made no visible operation for too long and was killed.
    Diverged,
}

/// The program as a server of executions.
pub struct Program {
    options: ProgramOptions,
    path: PathBuf,
    shared: Shared,
    /// Holds the library; removed when dropped.
    library: LibraryFile,
    /// Inside of that folder.
    scratch: Option<Scratch>,
    /// There, too: what the program opens with `shm_open`.
    shared_memory: Scratch,
    isolation: Isolation,
    server: Option<Child>,
    /// What the last execution did when it was given up, if that was not to run on and on.
    standstill: Option<Standstill>,
}

/// What a program does that goes on without a visible operation and does not run on and on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standstill {
    /// Some time passes again and again: where it waits.
    Sleeps(u64),
    /// It waits in the kernel, in this call.
    Waits(String),
    /// All threads wait for others of ours: whoever had its turn is gone, ended by this signal if that is known.
    Gone(Option<i32>),
}

impl Program {
    /// Finds and starts the program, up to the point before its `main`.
    pub fn start(options: ProgramOptions) -> Result<Program, LaunchError> {
        // A file that gets too large (`ulimit -f`) is then an error of `write`, and can be told.
        // SAFETY: a system call without conditions.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        let mut path = find_program(&options.program).map_err(LaunchError::NotStarted)?;
        if options.folder != Folder::Current {
            // It is executed from there.
            path = std::path::absolute(&path).map_err(LaunchError::NotStarted)?;
        }
        let address_space = Limit::lift(libc::RLIMIT_AS);
        let file_size = Limit::lift(libc::RLIMIT_FSIZE);
        let machine = |error| LaunchError::Machine(explained(error, &address_space));
        let shared = Shared::new().map_err(machine)?;
        let library = LibraryFile::new().map_err(machine)?;
        file_size.restore();
        for (place, limit) in shared.region().header.address_space.iter().zip(address_space.both()) {
            place.store(limit, Relaxed);
        }
        let shared_memory = Scratch::new(library.folder().join("shm"), None).map_err(LaunchError::Machine)?;
        shared.region().header.shared_memory.store(&[shared_memory.folder().as_os_str().as_encoded_bytes()]);
        shared.region().header.processors.store(options.processors, Relaxed);
        shared.region().header.random_stream.store(options.random_stream, Relaxed);
        let has_scratch = options.folder != Folder::Current;
        shared.region().header.has_scratch.store(u32::from(has_scratch), Relaxed);
        let folder = || library.folder().join("scratch");
        let scratch = match &options.folder {
            Folder::Current => None,
            Folder::Empty => Some(Scratch::new(folder(), None).map_err(LaunchError::Machine)?),
            Folder::CopyOf(from) => {
                Some(Scratch::new(folder(), Some(from.clone())).map_err(LaunchError::NotCopied)?)
            }
        };
        let isolation = Isolation::Namespaces;
        let mut program = Program {
            options,
            path,
            shared,
            library,
            scratch,
            shared_memory,
            isolation,
            server: None,
            standstill: None,
        };
        program.launch()?;
        Ok(program)
    }

    /// The file that is executed, by the name that it was found by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    pub fn region(&self) -> &Region {
        self.shared.region()
    }

    /// What the last execution did when it diverged; `None` if it ran.
    pub fn standstill(&self) -> Option<&Standstill> {
        self.standstill.as_ref()
    }

    /// One execution, along the prefix that was written into the region. While it lasts, `goes_on` is asked now and then, and
    /// `answer` who moves next, if that is the policy: thread and value, or nobody.
    pub fn execute(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
        answer: &mut dyn FnMut(&Region) -> Option<(usize, u32)>,
    ) -> Result<Ended, LaunchError> {
        loop {
            let ended = self.execute_once(goes_on, answer)?;
            let region = self.shared.region();
            if ended != Ended::Complete || region.header.must_repeat.swap(0, Relaxed) == 0 {
                return Ok(ended);
            }
            region.begin_again();
        }
    }

    fn execute_once(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
        answer: &mut dyn FnMut(&Region) -> Option<(usize, u32)>,
    ) -> Result<Ended, LaunchError> {
        if self.server.is_none() {
            self.launch()?;
        }
        if let Some(scratch) = &self.scratch {
            scratch.renew().map_err(LaunchError::Machine)?;
        }
        let header = &self.shared.region().header;
        if header.has_shared_memory.swap(0, Relaxed) != 0 {
            self.shared_memory.renew().map_err(LaunchError::Machine)?;
        }
        let request = header.request.load(Relaxed) + 1;
        header.request.store(request, Release);
        wake(&header.request);
        self.standstill = None;
        let ended = self.await_reply(request, goes_on, answer);
        if ended != Ended::Complete {
            self.kill();
        }
        Ok(ended)
    }

    /// Waits as long as something happens.
    fn await_reply(
        &mut self,
        request: u32,
        goes_on: &mut dyn FnMut() -> bool,
        answer: &mut dyn FnMut(&Region) -> Option<(usize, u32)>,
    ) -> Ended {
        let mut last_sign = (u64::MAX, Instant::now());
        let mut last_look = Instant::now();
        let mut waits = Sample::new(self.options.patience);
        loop {
            let header = &self.shared.region().header;
            let signal = header.signal.load(Acquire);
            if header.reply.load(Acquire) == request {
                return Ended::Complete;
            }
            if header.question.load(Acquire) != header.answer.load(Relaxed) {
                self.give(answer(self.region()));
                last_sign.1 = Instant::now();
            }
            let header = &self.shared.region().header;
            let is_news = wait_while(&header.signal, signal, LOOK);
            if is_news && last_look.elapsed() < LOOK || header.reply.load(Acquire) == request {
                continue;
            }
            last_look = Instant::now();
            if !goes_on() {
                return Ended::GivenUp;
            }
            let heartbeat = header.heartbeat.load(Relaxed);
            if heartbeat != last_sign.0 {
                last_sign = (heartbeat, Instant::now());
            }
            waits.look(header.timed_waits.load(Relaxed));
            let is_gone = self.server.as_mut().is_some_and(|server| !matches!(server.try_wait(), Ok(None)));
            if is_gone || last_sign.1.elapsed() > self.options.patience {
                self.standstill = self.look_at_standstill(waits.has_changed());
                return Ended::Diverged;
            }
        }
    }

    fn look_at_standstill(&self, time_passes: bool) -> Option<Standstill> {
        if time_passes {
            return Some(Standstill::Sleeps(self.region().header.timed_wait_place.load(Relaxed)));
        }
        standstill::look(self.server.as_ref()?.id())
    }

    fn give(&self, answer: Option<(usize, u32)>) {
        let header = &self.region().header;
        let (thread, value) = answer.map_or((NONE, 0), |(thread, value)| (thread as u32, value));
        header.answer_thread.store(thread, Relaxed);
        header.answer_value.store(value, Relaxed);
        header.answer.fetch_add(1, Release);
        wake(&header.answer);
    }

    fn launch(&mut self) -> Result<(), LaunchError> {
        let header = &self.shared.region().header;
        header.ready.store(0, Relaxed);
        header.must_repeat.store(0, Relaxed);
        header.reply.store(header.request.load(Relaxed), Relaxed);
        let mut server = match self.start_process() {
            Err(error)
                if self.isolation == Isolation::Namespaces
                    && error.kind() == io::ErrorKind::PermissionDenied =>
            {
                self.isolation = Isolation::None;
                self.start_process()
            }
            result => result,
        }
        .map_err(LaunchError::NotStarted)?;
        let started = Instant::now();
        while self.region().header.ready.load(Acquire) == 0 {
            let is_gone = !matches!(server.try_wait(), Ok(None));
            if is_gone || started.elapsed() > START_LIMIT {
                stop(&mut server, self.isolation);
                return Err(LaunchError::NotControlled(self.path.display().to_string()));
            }
            wait_while(&self.region().header.ready, 0, Duration::from_millis(10));
        }
        self.server = Some(server);
        Ok(())
    }

    fn start_process(&self) -> io::Result<Child> {
        let launch = Launch {
            program: &self.path,
            name: &self.options.name,
            arguments: &self.options.arguments,
            streams: self.options.streams,
            region: self.shared.descriptor(),
            library: &self.library.path,
            folder: self.scratch.as_ref().map(Scratch::folder),
            isolation: self.isolation,
            variables: &self.options.variables,
        };
        launch.start()
    }

    /// Ends the server and everything it started.
    fn kill(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        if self.isolation == Isolation::None {
            self.kill_processes();
        }
        stop(&mut server, self.isolation);
    }

    /// Without namespaces, each process by its number.
    fn kill_processes(&self) {
        let region = self.region();
        if region.header.outcome.load(Relaxed) == Outcome::Finished as u32 {
            return;
        }
        for process in region.processes.iter().take(region.header.n_processes.load(Relaxed) as usize) {
            let pid = process.pid.load(Relaxed);
            if pid > 1 && process.is_finished.load(Relaxed) == 0 {
                // SAFETY: a system call without conditions; the process is one that the program forked and that has not ended.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
        }
    }
}

/// A counter, and what it was a while ago.
struct Sample {
    interval: Duration,
    taken: Instant,
    now: u64,
    earlier: u64,
}

impl Sample {
    /// Four looks within the time that a program may be silent.
    fn new(patience: Duration) -> Sample {
        Sample { interval: patience / 4, taken: Instant::now(), now: 0, earlier: 0 }
    }

    fn look(&mut self, value: u64) {
        if self.taken.elapsed() >= self.interval {
            (self.earlier, self.taken) = (self.now, Instant::now());
        }
        self.now = value;
    }

    /// Has it become another within the last while?
    fn has_changed(&self) -> bool {
        self.now != self.earlier
    }
}

/// How often to look whether everything is still in order.
const LOOK: Duration = Duration::from_millis(20);

/// How long a program may take to load its libraries.
const START_LIMIT: Duration = Duration::from_secs(30);

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The runtime library as a file that the loader can find, in a folder of its own.
struct LibraryFile {
    path: PathBuf,
}

/// Names of libraries that programs compiled with `-fsanitize=thread` ask for, beside the one that ours carries: of other compilers.
const OTHER_NAMES: [&str; 4] =
    ["libtsan.so.0", "libtsan.so.1", "libclang_rt.tsan-x86_64.so", "libclang_rt.tsan.so"];

impl LibraryFile {
    fn new() -> io::Result<LibraryFile> {
        remove_stale(&std::env::temp_dir());
        // Names of the same length: where the program's stack begins depends on them.
        let name = format!("allways-runtime-{:010}-{:04x}", std::process::id(), unique());
        let library = LibraryFile { path: std::env::temp_dir().join(name).join("runtime.so") };
        std::fs::create_dir(library.folder())?;
        std::fs::write(&library.path, RUNTIME)?;
        for name in OTHER_NAMES {
            std::os::unix::fs::symlink("runtime.so", library.folder().join(name))?;
        }
        Ok(library)
    }

    fn folder(&self) -> &Path {
        self.path.parent().expect("it is in a folder")
    }
}

/// Removes what explorers that were killed left behind: their process is gone.
fn remove_stale(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix("allways-runtime-")) else {
            continue;
        };
        let process = rest.split('-').next().unwrap_or("");
        let is_there = |process: u32| Path::new("/proc").join(process.to_string()).exists();
        if process.parse().is_ok_and(|process| !is_there(process)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Different for every call of one process.
fn unique() -> u64 {
    use std::sync::atomic::AtomicU64;
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Relaxed)
}

impl Drop for LibraryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.folder());
    }
}
