//! The library that is loaded into the program under test.
//!
//! It takes the place of the functions with which threads and processes synchronise. Only one thread of the whole process
//! tree runs at a time: the one that holds the *token*. Before a visible operation a thread writes down what it wants to do
//! and decides, from the schedule in the shared region, who goes on ([`schedule`]). The state of every object is kept in the
//! region ([`objects`]) and the real functions are not called, so that it is always known who can move.
//!
//! It lives inside functions that the rest of the process relies on, so it allocates nothing, takes no locks, calls the kernel directly
//! ([`sys`]) and uses nothing of `std` that would call one of those functions.
#![allow(clippy::missing_safety_doc)]

#[macro_use]
mod real;
mod address_space;
mod allocator;
mod atfork;
mod atomics;
mod block;
mod bounds;
mod by_name;
mod c11;
mod calendar;
mod callers;
mod circles;
mod clocks;
mod cond;
mod containers;
mod crash;
mod departure;
mod descriptors;
mod direct;
mod dprintf;
mod drawn_names;
mod driver;
mod effect;
mod environment;
mod epoll;
mod event;
mod execl;
mod exits;
mod file_calls;
mod file_lock;
mod filter;
mod format;
mod futex;
mod guard;
mod heap;
mod hooks;
mod hot_code;
mod image;
mod interrupt;
mod kernel_state;
mod keys;
mod leftovers;
mod library;
mod limits_of_time;
mod locale;
mod mapping;
mod memory;
mod message_queue;
mod misuse;
mod modules;
mod mutex;
mod nonblocking;
mod objects;
mod once;
mod open;
mod operators;
mod page_map;
mod path_calls;
mod paths;
mod pipe;
mod poll;
mod popen;
mod posix_queue;
mod print;
mod privacy;
mod process;
mod processors;
mod promise;
mod randomness;
mod reserved;
mod rewind;
mod rwlock;
mod scan;
mod schedule;
mod semaphore;
mod server;
mod shadow;
mod shared_memory;
mod signal;
mod sigwait;
mod socket;
mod spawn;
mod stdio;
mod stream;
mod stream_calls;
mod stream_lock;
mod sys;
mod sysv;
mod terminate;
mod texts;
mod thread;
mod time;
mod timer;
mod token;
mod transfer;
mod uncontrolled;
mod unmapped;
mod unwind;
mod uses;
mod variadic;
mod vector;
mod wide;
