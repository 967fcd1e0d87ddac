//! Promela text -> tokens -> syntax tree -> system.
#![forbid(unsafe_code)]

pub mod ast;
mod lexer;
pub mod preprocess;
pub mod token;
