//! Random small concurrent programs, for tests of `allways explore`.
//!
//! A [`syntax::Program`] is a few threads, or forked processes, over a few objects. `print` makes C of it, `oracle` works out
//! by itself every way in which it can end, and `explorer` asks `allways explore`. Whatever the search, the ends must be
//! the same ones; `judge` says whether they are, and `shrink` makes a program smaller for which they are not.
//!
//! What a program does must depend on the order of its visible operations only. So a shared variable is used while its
//! lock is held, or right after an announcement of its own (`aw_visible`); `syntax::Program::is_well_formed` sees to that.

pub mod code;
pub mod corpus;
pub mod explorer;
pub mod files;
pub mod generate;
pub mod judge;
pub mod oracle;
pub mod print;
pub mod shrink;
pub mod syntax;
