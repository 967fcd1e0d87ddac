//! Random models, comparison of `allways` with Spin and of its searches with each other, and measurements.
//!
//! Except for `equality` this crate knows the checker only as a program to run, so that what it compares is what users
//! get.

#![forbid(unsafe_code)]

pub mod benchmark;
pub mod child;
pub mod compare;
pub mod corpus;
pub mod equality;
pub mod generate;
pub mod mutate;
pub mod parallel;
pub mod programs;
pub mod shrink;
pub mod spin;
pub mod temporal;
