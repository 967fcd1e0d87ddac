//! What the tests of small models have in common.

use std::ops::ControlFlow;
use std::path::Path;

use allways_verdict::Statistics;
use allways_workbench::{Files, Monitor, Stopped};

/// Never ends a search.
pub struct Patient;

impl Monitor for Patient {
    fn tick(&mut self, _: &Statistics) -> ControlFlow<Stopped> {
        ControlFlow::Continue(())
    }
}

/// For models that include nothing.
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> Result<String, std::io::Error> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}
