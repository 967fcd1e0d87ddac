//! The façade of the tool: load a model, check it, run it step by step, repeat a trail.
//!
//! This is the one place where a front end and an engine are plugged together. It knows no terminal and no file
//! format: shells render what it returns.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod automata;
mod check;
mod claims;
mod fair;
mod lasso;
pub mod lockstep;
mod model;
mod names;
mod observers;
mod run;
mod temporal;
mod text;
mod traced;
mod witness;

pub use allways_explicit::cycles::{Algorithm, Fairness};
pub use automata::{Demand, GivenAutomaton};
pub use check::{
    CheckError, CheckOptions, CheckResult, Method, PropertyResult, Unreached, check, part_covered,
    properties, select, unreached_of,
};
pub use fair::{FairRuns, FairTo};
pub use model::{Disk, LoadError, LoadOptions, Model, load, load_text};
pub use run::{Change, Choice, ReplayError, Run, StepReport, Value, replay};
pub use temporal::{Explanation, Moment, TemporalSearch};
pub use text::{LONGEST_MODEL, read_text};
pub use witness::{explanation_of, violation_shown_by};

pub use allways_explicit::{Keep, Loss, Monitor, OneSearch, Order, Stopped, Until};
pub use allways_interpreter::Semantics;
pub use allways_passes::Report as Simplified;
pub use allways_promela::lower::UnlessOrder;
pub use allways_promela::preprocess::{Files, PreprocessOptions};
pub use allways_system::{Alarm, Fault};
