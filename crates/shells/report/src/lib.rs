//! Verdicts, trails, statistics and diagnostics as text, JSON and pictures.
//!
//! The only crate that serialises: what it writes is a contract, kept in `doc/schema/`, and the types below it stay
//! free to change. It returns strings or writes to what it is given; it never touches a terminal.
#![forbid(unsafe_code)]

pub mod assumption;
pub mod chart;
pub mod counterexample;
pub mod diagnostics;
mod drawing;
pub mod events;
pub mod explanation;
pub mod explore;
pub mod graph;
mod misuse;
pub mod palette;
pub mod property;
pub mod result;
pub mod schedule;
pub mod schedule_steps;
pub mod schema;
pub mod state;
pub mod steps;
pub mod summary;
pub mod telling;
pub mod text;
pub mod trail;

/// A document as indented JSON.
pub fn to_json(document: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(document).expect("documents are plain data with strings as keys")
}

/// A document as JSON in one line.
pub fn to_json_line(document: &impl serde::Serialize) -> String {
    serde_json::to_string(document).expect("documents are plain data with strings as keys")
}
