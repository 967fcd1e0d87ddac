//! What a program wants to be called around `fork` (`pthread_atfork`).
//!
//! The C library would call it in the middle of its own `fork`, when the new process is already in the books here. What is called first
//! usually takes locks, and so may have to wait: that must come before, and what is copied is what there is afterwards.

use core::ffi::c_void;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::library;
use crate::sys::errno::ENOMEM;
use crate::token::caller;

type Handler = extern "C" fn();

/// More than any program has.
const HANDLERS: usize = 64;

/// The functions of one call, 0 where there is none.
struct Entry {
    prepare: AtomicUsize,
    parent: AtomicUsize,
    child: AtomicUsize,
}

impl Entry {
    const fn empty() -> Entry {
        Entry { prepare: AtomicUsize::new(0), parent: AtomicUsize::new(0), child: AtomicUsize::new(0) }
    }
}

static ENTRIES: [Entry; HANDLERS] = [const { Entry::empty() }; HANDLERS];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// `pthread_atfork` is a part of each program and library, and calls this.
#[unsafe(no_mangle)]
pub extern "C" fn __register_atfork(
    prepare: usize,
    parent: usize,
    child: usize,
    _library: *const c_void,
) -> i32 {
    library::uses(library::state::AT_FORK, true, caller());
    let count = COUNT.load(Relaxed);
    let Some(entry) = ENTRIES.get(count) else { return ENOMEM };
    entry.prepare.store(prepare, Relaxed);
    entry.parent.store(parent, Relaxed);
    entry.child.store(child, Relaxed);
    COUNT.store(count + 1, Relaxed);
    0
}

/// What was registered when a thread began to copy the process. The C library does not call for
/// this copy what is registered later.
pub struct Handlers(&'static [Entry]);

impl Handlers {
    /// Announces the look at what was registered.
    pub fn look(place: u64) -> Handlers {
        library::uses(library::state::AT_FORK, false, place);
        Handlers(&ENTRIES[..COUNT.load(Relaxed)])
    }

    /// To be called before a process is copied: the last ones that were registered come first.
    pub fn prepare(&self) {
        self.0.iter().rev().for_each(|entry| call(&entry.prepare));
    }

    /// In the parent, afterwards.
    pub fn in_parent(&self) {
        self.0.iter().for_each(|entry| call(&entry.parent));
    }

    /// In the child.
    pub fn in_child(&self) {
        self.0.iter().for_each(|entry| call(&entry.child));
    }
}

fn call(handler: &AtomicUsize) {
    let address = handler.load(Relaxed);
    if address != 0 {
        // SAFETY: the program passed a function of this type.
        let handler: Handler = unsafe { core::mem::transmute(address) };
        handler();
    }
}
