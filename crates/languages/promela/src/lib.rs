//! Promela text -> tokens -> syntax tree -> system.
#![forbid(unsafe_code)]

pub mod ast;
pub mod lower;
mod lexer;
pub mod parser;
pub mod preprocess;
pub mod pretty;
pub mod token;
