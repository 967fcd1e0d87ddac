//! The same steps as the interpreter, fast: packed state vectors, and instructions instead of expressions.
#![forbid(unsafe_code)]
