//! Measures `allways` against Spin: speed, memory, lossy stores, threads, growth, reduction, start-up.
//!
//! [`modes`] says what is run and compared; [`tools`] knows how each program is called, [`measure`] how a run is
//! timed. What comes out is a list of [`results::Row`]s, which [`results`] prints and writes and [`plots`] draws.
//! A machine is never quiet, so the two sides of a comparison take turns and the best of several runs counts.

pub mod list;
pub mod measure;
pub mod modes;
pub mod plots;
pub mod results;
pub mod statistics;
pub mod svg;
pub mod tools;
