//! One execution along a prefix of choices.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use allways_stateless_host::{
    Ended, Folder, Isolation, LaunchError, Program, ProgramOptions, Standstill, Streams, pin_to_one_cpu,
    usable_processors,
};
use allways_stateless_protocol::{
    Failures, Names, OBJECT_KEY, Outcome, Policy, Race, Region, ThreadSet, is_memory_key, is_object_key,
    limits, store_set,
};

use crate::blind::hidden_synchronisation;
use crate::execution::{Execution, Victim};
use crate::question::Question;
use crate::stack::Choice;
use crate::symbols::{Module, Symbols};

/// What to execute.
#[derive(Clone, Debug)]
pub struct ExecutorOptions {
    pub program: PathBuf,
    /// What the program is told to be called, its argument 0.
    pub name: OsString,
    pub arguments: Vec<OsString>,
    pub streams: Streams,
    /// How long the program may run without a visible operation.
    pub patience: Duration,
    /// How often in a row a thread may try in vain at one place, others not moving, before it must wait for them.
    pub retries: u32,
    pub visible: Visible,
    /// May a wait for a condition end without a signal?
    pub spurious_wakeups: bool,
    pub folder: Folder,
    pub world: World,
    pub tolerance: Tolerance,
}

/// Which ends of processes are no violation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tolerance {
    pub exits: ExitStatuses,
    /// Only the first process must not crash or give up.
    pub children_may_crash: bool,
}

/// With which status the first process may end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExitStatuses {
    Any,
    /// One of these.
    Listed(Vec<u8>),
}

impl Default for ExitStatuses {
    fn default() -> ExitStatuses {
        ExitStatuses::Listed(vec![0])
    }
}

impl ExitStatuses {
    fn accepts(&self, status: i32) -> bool {
        match self {
            ExitStatuses::Any => true,
            ExitStatuses::Listed(list) => list.iter().any(|one| i32::from(*one) == status),
        }
    }
}

/// What the program sees of machine and chance.
#[derive(Clone, Debug)]
pub struct World {
    /// How many processors there are; as many as the explorer may use if that is not given.
    pub processors: Option<u32>,
    /// Which stream random numbers come from.
    pub seed: u64,
    pub timeouts: Timeouts,
    /// Environment variables that are not as the explorer has them; `None` if there is to be none
    /// of that name.
    pub variables: Vec<(OsString, Option<OsString>)>,
}

impl Default for World {
    fn default() -> World {
        World { processors: None, seed: 1, timeouts: Timeouts::default(), variables: Vec::new() }
    }
}

/// When a time limit passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeouts {
    /// At any time, however long it is.
    Any,
    /// If it is at least so long: when no other thread can move, or when that much time was slept. A shorter one at any time.
    Late(Duration),
    /// Never.
    Never,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts::Late(Duration::from_secs(5))
    }
}

/// What was promoted: operations on it are visible.
#[derive(Clone, Debug, Default)]
pub struct Promoted {
    /// The addresses of places in memory.
    pub memory: Vec<u64>,
    pub files: Vec<u64>,
    /// The addresses of locks and the like; none if all of them are visible.
    pub objects: Option<Vec<u64>>,
}

impl Promoted {
    /// All of it in one list, as [`Executor::set_promoted`] takes it.
    pub fn keys(&self) -> Vec<u64> {
        let objects = self.objects.iter().flatten().map(|address| address | OBJECT_KEY);
        let mut keys: Vec<u64> = self.memory.iter().chain(&self.files).copied().chain(objects).collect();
        keys.extend(self.objects.as_ref().map(|_| OBJECT_KEY));
        keys.sort_unstable();
        keys
    }
}

/// Which operations others can notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visible {
    /// Those of memory if the program is compiled for that, else synchronisation. An executor has decided which.
    Auto,
    /// Synchronisation.
    #[default]
    Sync,
    /// Also accesses to memory that threads share, if the program is compiled for that.
    Memory,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The choices to follow.
    pub prefix: &'a [Choice],
    /// Who is asleep where the last of them is made; `None` for a search without sleep sets.
    pub sleep: Option<ThreadSet>,
    /// What happens afterwards.
    pub policy: Policy,
    pub seed: u64,
    pub max_depth: Option<u32>,
    pub change_points: &'a [u32],
    /// Keep who called each operation: it costs time and is for those who look at the execution.
    pub with_callers: bool,
}

impl<'a> Run<'a> {
    /// Follows the choices, then the lowest thread.
    pub fn along(prefix: &'a [Choice]) -> Run<'a> {
        Run {
            prefix,
            sleep: None,
            policy: Policy::Lowest,
            seed: 1,
            max_depth: None,
            change_points: &[],
            with_callers: false,
        }
    }
}

/// A program under control.
pub struct Executor {
    program: Program,
    /// Is the end of a process a choice?
    exits_are_visible: bool,
    folder: Folder,
    tolerance: Tolerance,
    /// What the program does that is not visible.
    hidden: Option<&'static str>,
    /// Places of what was not under control, in words.
    places: HashMap<u64, String>,
    /// See `library_file`.
    library_files: HashMap<u64, &'static str>,
}

impl Executor {
    /// Starts the program, on the processor of this thread and no other.
    pub fn new(options: &ExecutorOptions) -> Result<Executor, LaunchError> {
        let processors = options.world.processors.unwrap_or_else(|| usable_processors() as u32);
        pin_to_one_cpu(None);
        let program = Program::start(ProgramOptions {
            program: options.program.clone(),
            name: options.name.clone(),
            arguments: options.arguments.clone(),
            streams: options.streams,
            patience: options.patience,
            folder: options.folder.clone(),
            processors,
            random_stream: options.world.seed,
            variables: options.world.variables.clone(),
        })?;
        let header = &program.region().header;
        let long = match options.world.timeouts {
            Timeouts::Late(long) => long.as_nanos().clamp(1, u64::MAX.into()) as u64,
            Timeouts::Any | Timeouts::Never => 0,
        };
        header.long_limit.store(long, Relaxed);
        header.has_no_limits.store(u32::from(options.world.timeouts == Timeouts::Never), Relaxed);

        program.region().header.retries.store(options.retries, Relaxed);
        program.region().header.has_spurious_wakeups.store(u32::from(options.spurious_wakeups), Relaxed);
        let may_crash = u32::from(options.tolerance.children_may_crash);
        program.region().header.children_may_crash.store(may_crash, Relaxed);
        program.region().header.failures.store(Failures::AsTold as u32, Relaxed);
        let sees_memory = match options.visible {
            Visible::Auto => program.region().header.is_instrumented.load(Relaxed) != 0,
            Visible::Sync => false,
            Visible::Memory => true,
        };
        program.region().memory.is_visible.store(u32::from(sees_memory), Relaxed);
        let hidden = if sees_memory { None } else { hidden_synchronisation(program.path()) };
        let folder = options.folder.clone();
        Ok(Executor {
            program,
            exits_are_visible: false,
            folder,
            tolerance: options.tolerance.clone(),
            hidden,
            places: HashMap::new(),
            library_files: HashMap::new(),
        })
    }

    /// The file that is executed, by the name that it was found by.
    pub fn path(&self) -> &Path {
        self.program.path()
    }

    /// Which ends of processes are no violation.
    pub fn tolerance(&self) -> &Tolerance {
        &self.tolerance
    }

    /// Where the program runs.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    pub fn isolation(&self) -> Isolation {
        self.program.isolation()
    }

    /// Does the kernel tell about system calls that the program makes itself?
    pub fn notices_direct_calls(&self) -> bool {
        self.program.region().header.misses_direct_calls.load(Relaxed) == 0
    }

    pub fn exits_are_visible(&self) -> bool {
        self.exits_are_visible
    }

    /// The program and the libraries that it is linked with.
    pub fn symbols(&self) -> Symbols {
        let region = self.program.region();
        let count = (region.header.n_modules.load(Relaxed) as usize).min(region.modules.len());
        let module = |module: &allways_stateless_protocol::Module| {
            let path = OsString::from_vec(module.path.bytes().collect());
            let path = if path.is_empty() { self.path().to_path_buf() } else { PathBuf::from(path) };
            Module { path, base: module.base.load(Relaxed) }
        };
        Symbols::new(region.modules[..count].iter().map(module).collect())
    }

    /// From now on the end of a process is a choice like any other.
    pub fn make_exits_visible(&mut self) {
        self.exits_are_visible = true;
    }

    /// May slots of threads that were joined be used again, where there is no room for more?
    pub fn keep_slots(&mut self, keeps: bool) {
        self.program.region().header.keeps_slots.store(u32::from(keeps), Relaxed);
    }

    /// Is the end of an execution by a failure a step that others may come before?
    pub fn await_failures(&mut self, failures: Failures) {
        self.program.region().header.failures.store(failures as u32, Relaxed);
    }

    /// See [`ExecutorOptions::retries`].
    pub fn retries(&self) -> u32 {
        self.program.region().header.retries.load(Relaxed)
    }

    /// What the program sees of machine and chance.
    pub fn world(&self) -> World {
        let header = &self.program.region().header;
        World {
            processors: Some(header.processors.load(Relaxed)),
            seed: header.random_stream.load(Relaxed),
            timeouts: match (header.has_no_limits.load(Relaxed), header.long_limit.load(Relaxed)) {
                (0, 0) => Timeouts::Any,
                (0, long) => Timeouts::Late(Duration::from_nanos(long)),
                _ => Timeouts::Never,
            },
            variables: Vec::new(),
        }
    }

    /// The names of the environment variables that the program asked for so far, in any execution.
    pub fn asked_variables(&self) -> BTreeSet<OsString> {
        names(&self.program.region().asked_variables).collect()
    }

    /// Which operations others can notice.
    pub fn visible(&self) -> Visible {
        match self.program.region().memory.is_visible.load(Relaxed) {
            0 => Visible::Sync,
            _ => Visible::Memory,
        }
    }

    /// What of the things that were promoted is what: places in memory, something of files, locks
    /// and the like.
    pub fn by_kind(promoted: &[u64]) -> Promoted {
        let chosen =
            |is_it: &dyn Fn(u64) -> bool| promoted.iter().copied().filter(|key| is_it(*key)).collect();
        let objects: Vec<u64> = chosen(&is_object_key);
        Promoted {
            memory: chosen(&is_memory_key),
            files: chosen(&|key| !is_memory_key(key) && !is_object_key(key)),
            objects: (!objects.is_empty()).then(|| {
                objects.iter().map(|key| key & !OBJECT_KEY).filter(|address| *address != 0).collect()
            }),
        }
    }

    /// Are operations on locks and the like that one thread alone uses no steps?
    pub fn hides_objects(&self) -> bool {
        self.program.region().memory.promoted().any(is_object_key)
    }

    /// From now on, operations on these locks and the like are visible, and those on others that
    /// one thread alone uses are no steps.
    pub fn hide_objects(&mut self, shared: impl Iterator<Item = u64>) {
        let mut promoted = self.promoted();
        promoted.push(OBJECT_KEY);
        promoted.extend(shared);
        promoted.sort_unstable();
        promoted.dedup();
        self.set_promoted(&promoted);
    }

    /// From now on, operations on all of them are visible; what was known of them.
    pub fn show_objects(&mut self) -> Vec<u64> {
        let (objects, others): (Vec<u64>, Vec<u64>) =
            self.promoted().into_iter().partition(|key| is_object_key(*key));
        if !objects.is_empty() {
            self.set_promoted(&others);
        }
        objects
    }

    /// The places in memory whose accesses are visible, by their addresses, and what is visible of files.
    pub fn promoted(&self) -> Vec<u64> {
        let mut promoted: Vec<u64> = self.program.region().memory.promoted().collect();
        promoted.sort_unstable();
        promoted
    }

    /// From now on, operations on these are visible, and to no others.
    pub fn set_promoted(&mut self, addresses: &[u64]) {
        let memory = &self.program.region().memory;
        memory.n_promoted.store(0, Relaxed);
        for address in addresses {
            memory.promote(*address);
        }
    }

    pub fn execute(&mut self, run: &Run) -> Result<Execution, LaunchError> {
        self.execute_while(run, &mut || true, &mut |_| None)
    }

    /// What the last execution left in the shared memory.
    pub fn region(&self) -> &Region {
        self.program.region()
    }

    /// Gives up when `goes_on` says so: the execution is then cut. With [`Policy::Ask`], `answer` says who moves.
    pub fn execute_while(
        &mut self,
        run: &Run,
        goes_on: &mut dyn FnMut() -> bool,
        answer: &mut dyn FnMut(&Question) -> Option<Choice>,
    ) -> Result<Execution, LaunchError> {
        self.write(run);
        let n_promoted = self.program.region().memory.n_promoted.load(Relaxed);
        let ended = self.program.execute(goes_on, &mut |region| {
            answer(&Question { region }).map(|choice| (choice.thread, choice.value))
        })?;
        let mut execution = Execution::read(self.program.region());
        execution.has_promoted = self.program.region().memory.n_promoted.load(Relaxed) != n_promoted;
        execution.races.retain(|race| !self.is_in_library(race));
        let doubtful: Vec<Race> = execution.races.extract_if(.., |race| race.is_doubtful).collect();
        execution.doubtful_races = doubtful.iter().map(|race| self.words(race)).collect();
        for (remark, place) in execution.uncontrolled.iter_mut().zip(&execution.uncontrolled_places) {
            if *place != 0 {
                remark.push_str(&format!(" at {}", self.place(*place)));
            }
        }
        execution.uncontrolled.extend(self.hidden.map(str::to_string));
        match (ended, execution.outcome) {
            (Ended::GivenUp, _) => execution.outcome = Outcome::Cut,
            (Ended::Diverged, Outcome::Running) => self.diverged(&mut execution),
            // Every process is gone, and nobody said why.
            (Ended::Complete, Outcome::Running) => execution.outcome = Outcome::Crash,
            _ => {}
        }
        if execution.outcome == Outcome::Crash {
            blame(&mut execution);
        }
        execution.recognise_panic();
        execution.recognise_filter();
        let status = execution.exit_status();
        execution.ends_well = status.is_some_and(|status| self.tolerance.exits.accepts(status));
        Ok(execution)
    }

    /// Is a race one within `std::atomic<std::shared_ptr>`? The library of C++ guards the pointer with a lock, and gives that back without telling
    /// what a reader did, which harms on no processor.
    fn is_in_library(&mut self, race: &Race) -> bool {
        let files = race.accesses.map(|access| match access.is_free {
            true => "",
            false => self.library_file(access.place),
        });
        files.contains(&ATOMIC_POINTER) && files.iter().all(|file| [ATOMIC_POINTER, SWAP].contains(file))
    }

    /// Which of the files of the library that such a race can be in an instruction is in.
    fn library_file(&mut self, address: u64) -> &'static str {
        if let Some(known) = self.library_files.get(&address) {
            return known;
        }
        let symbols = self.symbols();
        let file = [ATOMIC_POINTER, SWAP].into_iter().find(|file| symbols.is_in_file(address, file));
        self.library_files.insert(address, file.unwrap_or(""));
        file.unwrap_or("")
    }

    fn words(&mut self, race: &Race) -> String {
        let [first, second] =
            race.accesses.map(|access| format!("{} at {}", access.word(), self.place(access.place)));
        format!("{first} and {second}")
    }

    /// What is before an address in the program, in words.
    fn place(&mut self, address: u64) -> &str {
        if !self.places.contains_key(&address) {
            let words = self.symbols().words(address);
            self.places.insert(address, words);
        }
        &self.places[&address]
    }

    fn diverged(&mut self, execution: &mut Execution) {
        execution.outcome = Outcome::Divergence;
        execution.culprit = Some(self.program.region().header.current.load(Relaxed) as usize);
        blame(execution);
        match self.program.standstill().cloned() {
            Some(Standstill::Sleeps(place)) => {
                let place = self.place(place);
                execution.standstill = Some(format!("the program only sleeps, again and again, at {place}"));
            }
            Some(Standstill::Waits(call)) => {
                execution.standstill =
                    Some(format!("a thread waits in {call}, which is not modelled, and nobody can go on"));
                execution.uncontrolled.push(format!("a wait in {call}"));
            }
            Some(Standstill::Gone(signal)) => {
                let how = signal.map_or(String::new(), |signal| format!(" by signal {signal}"));
                execution.standstill =
                    Some(format!("a process was ended{how} outside of the model, and no thread can go on"));
                execution
                    .uncontrolled
                    .push(format!("a process that is ended{how} from outside of the model"));
            }
            None if self.visible() == Visible::Sync && execution.others_could_move() => {
                execution.uncontrolled.push(WAITS_FOR_MEMORY.to_string());
            }
            None => {}
        }
    }

    fn write(&self, run: &Run) {
        let region = self.program.region();
        region.reset();
        let header = &region.header;
        for (slot, choice) in region.prefix.iter().zip(run.prefix) {
            slot.thread.store(choice.thread as u32, Relaxed);
            slot.value.store(choice.value, Relaxed);
        }
        header.prefix_length.store(run.prefix.len().min(limits::EVENTS) as u32, Relaxed);
        header.policy.store(run.policy as u32, Relaxed);
        header.uses_sleep.store(u32::from(run.sleep.is_some()), Relaxed);
        store_set(&header.branch_sleep, run.sleep.unwrap_or_default());
        header.wants_callers.store(u32::from(run.with_callers), Relaxed);
        header.seed.store(run.seed, Relaxed);
        header.max_depth.store(run.max_depth.unwrap_or(u32::MAX), Relaxed);
        header.exits_are_visible.store(u32::from(self.exits_are_visible), Relaxed);
        header.waited_for_any.store(0, Relaxed);
        header.has_outsiders.store(0, Relaxed);
        for (position, point) in header.change_points.iter().enumerate() {
            point.store(run.change_points.get(position).copied().unwrap_or(0), Relaxed);
        }
    }
}

/// What may look like a divergence.
const WAITS_FOR_MEMORY: &str = "a thread ran on and on while others could move: if it waits for memory that they change, \
    compile with -fsanitize=thread and use --visible memory";

/// Where `std::atomic<std::shared_ptr>` is, and what it calls where nothing is inlined.
const ATOMIC_POINTER: &str = "/bits/shared_ptr_atomic.h";
const SWAP: &str = "/bits/move.h";

/// Names in the region.
pub(crate) fn names(all: &Names) -> impl Iterator<Item = OsString> {
    let bytes: Vec<u8> = all.bytes().collect();
    let found: Vec<_> =
        bytes.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect();
    found.into_iter().map(OsString::from_vec)
}

/// What a thread did wrong, it did after its last choice.
fn blame(execution: &mut Execution) {
    let Some(culprit) = execution.culprit else { return };
    let (steps, victims) = (&mut execution.steps, &execution.victims);
    // Or after a signal arrived, which is the step of another slot.
    let is_its = |thread: usize| {
        thread == culprit
            || victims.get(thread).is_some_and(|victim| *victim == Some(Victim::Thread(culprit)))
    };
    if let Some(step) = steps.iter_mut().rev().find(|step| !step.is_silent && is_its(step.thread)) {
        step.is_fatal = true;
    }
}
