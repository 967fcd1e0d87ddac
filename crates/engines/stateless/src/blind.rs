//! Programs whose synchronisation is not visible.
//!
//! A lock that is made of atomic operations calls nothing as long as nobody waits for it. If only synchronisation is visible, such a
//! lock is not: threads are then never stopped where it is taken. So is Rust's `std::sync`, and so are latches, barriers and semaphores of
//! C++ 20, and the state that `std::jthread` shares with those who may stop it. Both ask the kernel directly when somebody has to wait, which few other programs do.

use std::path::Path;

/// What is not visible in a program, in words.
pub fn hidden_synchronisation(program: &Path) -> Option<&'static str> {
    let file = std::fs::read(program).ok()?;
    // Names that the loader needs are there even if all others were removed.
    let has = |text: &[u8]| file.windows(text.len()).any(|window| window == text);
    if !has(b"\0syscall\0") {
        None
    } else if has(b"rust_eh_personality") || has(b"RUST_BACKTRACE") {
        Some("the locks of Rust's std::sync are atomic operations: only --visible memory sees them")
    } else if has(b"__waiter_pool") || has(b"__gxx_personality_v0\0") && has(b"\0sched_yield\0") {
        Some(
            "latches, barriers, semaphores, std::jthread with its stop tokens and waiting for atomics are made of atomic operations in C++: only --visible memory sees them",
        )
    } else {
        None
    }
}
