//! `exit` and `quick_exit`: the functions of the program run first, then the process ends.
//!
//! The C library runs them, and ends the process by a system call that cannot be hidden. So the last of the functions is
//! ours: it announces the end, and returns only when nobody can notice any more what the process does.
//!
//! While one thread waits there for its turn, another may call `exit`, too. The C library then runs what is left of the functions and
//! ends the process, with the status of the second one. So before it waits our function asks to be called once more.
//!
//! The C library takes each function off its list before it calls it. So two ends share the
//! functions, and what is registered late may not be called. To take a function is a change of the
//! list, which is announced before the first one is taken (in `exit`) and whenever one has returned
//! (what is registered is a function of ours that calls the program's).

use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::library::{self, state};
use crate::paths::of_process;
use crate::process::{Manner, end_process};
use crate::token::{caller, controlled};
use crate::uses::step_in_memory;

/// Functions that the C library calls at an end.
struct List {
    state: &'static [u8],
    /// What that end makes empty.
    emptied: &'static [&'static List],
    /// How many functions of the program are in it.
    count: AtomicUsize,
}

static EXIT: List =
    List { state: state::AT_EXIT, emptied: &[&EXIT, &QUICK_EXIT], count: AtomicUsize::new(0) };
static QUICK_EXIT: List =
    List { state: state::AT_QUICK_EXIT, emptied: &[&QUICK_EXIT], count: AtomicUsize::new(0) };

impl List {
    /// Announces that the program registers a function.
    fn registers(&self, place: u64, register: impl FnOnce() -> i32) -> i32 {
        library::uses(self.state, true, place);
        let result = register();
        if result == 0 {
            self.count.fetch_add(1, Relaxed);
        }
        result
    }

    /// Announces that this thread takes the next function. Where there is none, it only looks.
    fn is_emptied(&self, place: u64) {
        step_in_memory(place, |uses| {
            for list in self.emptied {
                // One that registers a function changes the list itself.
                let is_change = list.count.load(Relaxed) != 0;
                match of_process(list.state) {
                    Some(used) if is_change => uses.writes(used),
                    Some(used) => uses.reads(used),
                    None => {}
                }
            }
        });
    }

    /// Calls a function of the program that the C library has taken.
    fn calls(&self, function: usize, call: impl FnOnce(usize)) {
        self.count.fetch_sub(1, Relaxed);
        call(function);
        // A place is that of a return.
        self.is_emptied(function as u64 + 1);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn exit(status: i32) -> ! {
    EXIT.is_emptied(caller());
    real!(c"exit": fn(i32) -> !, (status))
}

#[unsafe(no_mangle)]
pub extern "C" fn quick_exit(status: i32) -> ! {
    QUICK_EXIT.is_emptied(caller());
    real!(c"quick_exit": fn(i32) -> !, (status))
}

/// A function that the program registered, and its argument.
struct Registered {
    function: AtomicUsize,
    argument: AtomicUsize,
}

impl Registered {
    const fn empty() -> Registered {
        Registered { function: AtomicUsize::new(0), argument: AtomicUsize::new(0) }
    }
}

/// The C library calls those beyond itself, in the step of the one before.
const MOST: usize = 512;

static REGISTERED: [Registered; MOST] = [const { Registered::empty() }; MOST];
static N_REGISTERED: AtomicUsize = AtomicUsize::new(0);

/// What is registered instead of a function with its argument.
fn instead(function: usize, argument: usize, ours: usize) -> (usize, usize) {
    let Some(registered) = REGISTERED.get(N_REGISTERED.fetch_add(1, Relaxed)) else {
        return (function, argument);
    };
    registered.function.store(function, Relaxed);
    registered.argument.store(argument, Relaxed);
    (ours, &raw const *registered as usize)
}

extern "C" fn function_of_exit(registered: &Registered, status: i32) {
    EXIT.calls(registered.function.load(Relaxed), |function| {
        // SAFETY: the program registered a function of this type, or of one with fewer arguments.
        let function: extern "C" fn(usize, i32) = unsafe { core::mem::transmute(function) };
        function(registered.argument.load(Relaxed), status);
    });
}

extern "C" fn function_with_status(status: i32, registered: &Registered) {
    EXIT.calls(registered.function.load(Relaxed), |function| {
        // SAFETY: the program registered a function of this type.
        let function: extern "C" fn(i32, usize) = unsafe { core::mem::transmute(function) };
        function(status, registered.argument.load(Relaxed));
    });
}

fn register(function: usize, argument: usize, module: usize, place: u64) -> i32 {
    EXIT.registers(place, || {
        let (function, argument) = instead(function, argument, function_of_exit as *const () as usize);
        real!(c"__cxa_atexit": fn(usize, usize, usize) -> i32, (function, argument, module))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn __cxa_atexit(function: usize, argument: usize, module: usize) -> i32 {
    register(function, argument, module, caller())
}

/// In the C library this function is part of each program, so that it knows the caller. A program
/// that was compiled with `-fsanitize=thread` takes it from here instead.
#[unsafe(no_mangle)]
pub extern "C" fn atexit(function: usize) -> i32 {
    register(function, 0, 0, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn on_exit(function: usize, argument: usize) -> i32 {
    EXIT.registers(caller(), || {
        let (function, argument) = instead(function, argument, function_with_status as *const () as usize);
        real!(c"on_exit": fn(usize, usize) -> i32, (function, argument))
    })
}

/// Functions of `quick_exit` have no argument, so each of ours stands for one of the program. The C
/// library calls those beyond itself, in the step of the one before.
const MOST_QUICK: usize = 32;

static QUICK: [AtomicUsize; MOST_QUICK] = [const { AtomicUsize::new(0) }; MOST_QUICK];
static N_QUICK: AtomicUsize = AtomicUsize::new(0);

extern "C" fn function_of_quick_exit<const NUMBER: usize>() {
    QUICK_EXIT.calls(QUICK[NUMBER].load(Relaxed), |function| {
        // SAFETY: the program registered a function of this type.
        let function: extern "C" fn() = unsafe { core::mem::transmute(function) };
        function();
    });
}

macro_rules! functions_of_quick_exit {
    ($($number:literal)*) => { [$(function_of_quick_exit::<$number>),*] };
}

static OURS: [extern "C" fn(); MOST_QUICK] = functions_of_quick_exit! {
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
};

#[unsafe(no_mangle)]
pub extern "C" fn __cxa_at_quick_exit(function: usize, module: usize) -> i32 {
    QUICK_EXIT.registers(caller(), || {
        let number = N_QUICK.fetch_add(1, Relaxed);
        let function = OURS.get(number).map_or(function, |ours| {
            QUICK[number].store(function, Relaxed);
            *ours as *const () as usize
        });
        real!(c"__cxa_at_quick_exit": fn(usize, usize) -> i32, (function, module))
    })
}

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
