//! Partial-order reduction: which of the enabled steps suffice.
#![forbid(unsafe_code)]
