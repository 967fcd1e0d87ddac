//! Promela text -> tokens -> syntax tree -> system.
#![forbid(unsafe_code)]

pub mod ast;
pub mod token;
