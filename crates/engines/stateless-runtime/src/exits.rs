//! `exit` and `quick_exit`: the functions of the program run first, then the process ends.
//!
//! The C library runs them, and ends the process by a system call that cannot be hidden. So the last of the functions is
//! ours: it announces the end, and returns only when nobody can notice any more what the process does.
//!
//! While one thread waits there for its turn, another may call `exit`, too. The C library then runs what is left of the functions and
//! ends the process, with the status of the second one. So before it waits our function asks to be called once more.

use core::ffi::c_void;
use core::ptr::null_mut;

use crate::process::{Manner, end_process};
use crate::token::controlled;

/// Runs after the program's own destructors.
extern "C" fn at_exit() {
    at_exit_again(null_mut());
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

type Function = extern "C" fn(*mut c_void);

extern "C" fn at_exit_again(_: *mut c_void) {
    let Some(me) = controlled() else { return };
    type Module = *mut c_void;
    real!(c"__cxa_atexit": fn(Function, *mut c_void, Module) -> i32, (at_exit_again, null_mut(), null_mut()));
    end_process(me, Manner { ends_others: true, writes_out: true });
}

extern "C" fn at_quick_exit(_: *mut c_void) {
    let Some(me) = controlled() else { return };
    prepare();
    end_process(me, Manner { ends_others: true, writes_out: false });
}

/// To be called before the constructors of the program: what is registered first runs last.
pub fn prepare() {
    real!(c"__cxa_at_quick_exit": fn(Function, *mut c_void) -> i32, (at_quick_exit, null_mut()));
}
