//! Promela text -> tokens -> syntax tree -> system.
#![forbid(unsafe_code)]

pub mod ast;
mod lexer;
pub mod lower;
pub mod parser;
pub mod preprocess;
pub mod pretty;
pub mod token;

/// Of each phase. Nobody reads more, and what has so many is no model.
const MAX_MISTAKES: usize = 100;
