//! Reading a model: from a file or standard input, and within limits of time and memory.
//!
//! While a front end is at work, another thread looks at the clock, at the memory and at Ctrl-C.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use allways_workbench::{Disk, LONGEST_MODEL, LoadError, LoadOptions, Model, Stopped, read_text};

use crate::exit::{Failure, exit_code};
use crate::output::message;
use crate::{interrupt, machine, new_file};

/// A thread with the stack that reading something nested needs, whatever `ulimit -s` says; it takes memory only as far as it is used. None where
/// addresses are scarce (`ulimit -v`): a thread takes many, for its stack and its heap.
pub fn large_thread() -> Option<Builder> {
    has_room_for_threads().then(|| Builder::new().stack_size(STACK))
}

fn has_room_for_threads() -> bool {
    machine::address_space().is_none_or(|bytes| bytes >= SCARCE)
}

const STACK: usize = 64 << 20;
const SCARCE: u64 = 1 << 30;
/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(10);

/// How much reading a model may take.
#[derive(Clone, Copy, Debug)]
pub struct ReadingLimits {
    /// When it is to be over.
    pub until: Option<Instant>,
    /// Bytes.
    pub memory: Option<u64>,
}

impl ReadingLimits {
    /// Where the user has set no limit: what the machine has left.
    pub fn of_machine() -> ReadingLimits {
        ReadingLimits { until: None, memory: machine::available_memory().map(|bytes| bytes / 10 * 9) }
    }

    fn exceeded(&self) -> Option<Stopped> {
        if interrupt::was_interrupted() {
            return Some(Stopped::Interrupt);
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Some(Stopped::Time);
        }
        // What is not counted exactly must not end a search that just keeps to its limit.
        let most = self.memory.map(|bytes| bytes.saturating_add(bytes / 16).saturating_add(SPARE));
        let is_too_much = |most: u64| machine::rss().is_some_and(|bytes| bytes > most);
        most.is_some_and(is_too_much).then_some(Stopped::Memory)
    }
}

/// What this program takes without any model.
const SPARE: u64 = 24 << 20;

/// Reads something. If it takes more than it may, `give_up` writes what is to be written, and the program ends: a front end cannot be
/// stopped halfway.
fn within<T>(
    limits: ReadingLimits,
    give_up: impl FnOnce(Stopped) -> Failure + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let is_done = Arc::new(Mutex::new(false));
    let (sender, receiver) = sync_channel::<()>(0);
    if has_room_for_threads() {
        let is_done = is_done.clone();
        let watch = move || {
            while receiver.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let Some(stopped) = limits.exceeded() else { continue };
                // Held until the program has ended: what was read too late is not used.
                let is_done = is_done.lock().unwrap_or_else(PoisonError::into_inner);
                if !*is_done {
                    let failure = give_up(stopped);
                    message(&failure.to_string());
                    new_file::abandon();
                    std::process::exit(exit_code(&Err(failure)).into());
                }
            }
        };
        // Without the thread there are no limits here: a poorer answer, but no reason not to read.
        let _ = Builder::new().spawn(watch);
    }
    let result = work();
    *is_done.lock().unwrap_or_else(PoisonError::into_inner) = true;
    drop(sender);
    result
}

/// A model, or its mistakes.
pub fn load(
    path: &Path,
    options: &LoadOptions,
    limits: ReadingLimits,
    give_up: impl FnOnce(Stopped) -> Failure + Send + 'static,
) -> Result<Model, LoadError> {
    within(limits, give_up, || match is_standard_input(path) {
        false => allways_workbench::load(path, options),
        true => {
            let text = standard_input();
            let text = text.map_err(|source| LoadError::Read { path: name_of(path), source })?;
            allways_workbench::load_text(&name_of(path), text, options, &Disk)
        }
    })
}

/// The text on standard input, which can be read only once.
pub fn standard_input() -> io::Result<String> {
    static TEXT: Mutex<Option<String>> = Mutex::new(None);
    let mut known = TEXT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = &*known {
        return Ok(text.clone());
    }
    let text = read_text(io::stdin().lock(), LONGEST_MODEL)?;
    Ok(known.insert(text).clone())
}

/// A text from a file.
pub fn read_file(path: &Path) -> io::Result<String> {
    read_text(File::open(path)?, LONGEST_MODEL)
}

/// Whether a model is to be read from standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// What a model is called in messages and names of files.
pub fn name_of(path: &Path) -> PathBuf {
    if is_standard_input(path) { PathBuf::from("stdin") } else { path.to_path_buf() }
}
