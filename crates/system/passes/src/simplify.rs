//! All passes in their order.

use allways_system::System;

use crate::dead_variables::reset_dead;
use crate::merge::merge;
use crate::never_read::{Watched, drop_writes, needed};
use crate::unwatched::drop_unwatched;

/// Which passes are applied, and what they must preserve besides assertions, faults and deadlocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassOptions {
    /// Forget values that are never read again, and variables that are never read at all.
    pub dead_variables: bool,
    /// Do not stop where no other process could notice.
    pub merge: bool,
    /// Claims, formulas and traces are checked, or shown, so what they read matters.
    pub properties: bool,
    /// Progress and accept labels matter.
    pub labels: bool,
    /// What is printed matters.
    pub prints: bool,
    /// A value that does not fit its variable is a fault.
    pub check_overflow: bool,
}

impl Default for PassOptions {
    /// All passes, for assertions and deadlocks.
    fn default() -> PassOptions {
        PassOptions {
            dead_variables: true,
            merge: true,
            properties: false,
            labels: false,
            prints: false,
            check_overflow: false,
        }
    }
}

/// What was done to a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many transitions reset a dead variable.
    pub resets: usize,
    /// The variables that are written but have no influence on anything, `proctype:name` if local. Writes to them are
    /// gone.
    pub never_read: Vec<String>,
    /// How many transitions became atomic.
    pub merged: usize,
}

/// A system with the same verdicts on what the options name, and mostly fewer states. A step of the result is a step of
/// the original system, with the same ids. Values that do not matter may differ.
pub fn simplify(system: &System, options: &PassOptions) -> (System, Report) {
    let PassOptions { properties, prints, check_overflow, .. } = *options;
    let watched = Watched { properties, prints, check_overflow };
    let mut simplified = system.clone();
    let mut report = Report::default();
    if options.dead_variables {
        drop_unwatched(&mut simplified, watched);
        let needed = needed(&simplified, watched);
        report.never_read = drop_writes(&mut simplified, &needed, check_overflow);
        report.resets = reset_dead(&mut simplified, &needed, watched);
    }
    if options.merge {
        report.merged = merge(&mut simplified, watched, options.labels);
    }
    (simplified, report)
}
