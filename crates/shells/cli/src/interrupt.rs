//! Ctrl-C: the first one asks the work under way to end with what is known, the second stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::INTERRUPTED;
use crate::new_file;

static WAS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C only sets what [`was_interrupted`] tells.
pub fn listen() {
    // Without the handler, Ctrl-C ends the program at once: a poorer answer, but no reason not to start.
    let _ = ctrlc::set_handler(|| {
        if WAS_INTERRUPTED.swap(true, Ordering::Relaxed) {
            new_file::abandon();
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

pub fn was_interrupted() -> bool {
    WAS_INTERRUPTED.load(Ordering::Relaxed)
}

/// What [`was_interrupted`] looks at.
pub fn flag() -> &'static AtomicBool {
    &WAS_INTERRUPTED
}
