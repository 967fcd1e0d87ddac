//! When work is to stop before it has come to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Tells that the time is up or that the user interrupted the work. Whoever makes steps looks at it every few thousand of
/// them, wherever they are made: one step of a model can take millions of them.
#[derive(Clone, Debug, Default)]
pub struct Alarm {
    /// When the time is up.
    pub due: Option<Instant>,
    /// Set when the user interrupts the work.
    pub interrupted: Option<&'static AtomicBool>,
    /// Set when the work is of no use any more.
    pub cancelled: Option<Arc<AtomicBool>>,
}

/// Why work stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// The time is up.
    Time,
    /// The user interrupted it.
    Interrupt,
    /// It takes more memory than it may.
    Memory,
    /// It was cancelled, or it takes more steps than it may.
    Cancelled,
}

/// How many steps are made between two looks at an alarm.
pub const STEPS_UNHEARD: u64 = 4096;

/// How much longer than the time limit it may take to repeat what a search found.
const GRACE: Duration = Duration::from_millis(200);

impl Alarm {
    /// The alarm for what follows a search: what it found is to be repeated, and the time may be up by now. An interrupt
    /// that ended the search leaves the same time for this; one that comes later ends it.
    pub fn for_repeating(&self) -> Alarm {
        let now = Instant::now();
        let cancelled = self.cancelled.clone();
        match self.interrupted.filter(|flag| flag.load(Ordering::Relaxed)) {
            Some(_) => Alarm { due: Some(now + GRACE), interrupted: None, cancelled },
            None => Alarm {
                due: self.due.map(|due| due.max(now) + GRACE),
                interrupted: self.interrupted,
                cancelled,
            },
        }
    }

    /// Why to stop now, if so.
    pub fn rings(&self) -> Option<Halt> {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.cancelled.as_deref().is_some_and(is_set) {
            Some(Halt::Cancelled)
        } else if self.interrupted.is_some_and(is_set) {
            Some(Halt::Interrupt)
        } else if self.due.is_some_and(|due| Instant::now() >= due) {
            Some(Halt::Time)
        } else {
            None
        }
    }
}
