//! Why a program calls `abort`: the library of C++ does so when nobody catches an exception, and when a thread is destroyed that was not joined.
//!
//! An exception that nobody catches is the current one by then, since `std::terminate` counts as a function that caught it. That is also true of a
//! program that calls `abort` while it handles an exception, so it matters who calls.

use core::ffi::{CStr, c_char, c_void};

use allways_stateless_protocol::{NONE, Outcome};

use crate::crash::{end_quietly, is_tolerated, remember_callers};
use crate::modules::each_file;
use crate::real::find;
use crate::signal;
use crate::sys;
use crate::token::{caller, controlled, fail_with, set_me};

/// What is called instead of a function that a class leaves to the classes made from it, while only the former is there.
#[unsafe(no_mangle)]
pub extern "C" fn __cxa_pure_virtual() -> ! {
    if let Some(me) = controlled() {
        give_up(me, &[b"a pure virtual function was called"]);
    }
    real!(c"__cxa_pure_virtual": fn() -> !, ())
}

#[unsafe(no_mangle)]
pub extern "C" fn abort() -> ! {
    if let Some(me) = controlled() {
        signal::before_abort(me);
        if is_library(caller() as usize) {
            terminate(me);
        }
        give_up(me, &[b"abort() was called"]);
    }
    sys::kill_own_thread(6);
    sys::die()
}

/// Ends the execution, and keeps who called.
fn give_up(me: usize, words: &[&[u8]]) -> ! {
    if is_tolerated() {
        end_quietly(me, signal::SIGABRT);
    }
    fail_with(me, Outcome::Assertion, words, remember_callers)
}

/// Is this address in the library of C++?
fn is_library(address: usize) -> bool {
    let function = find(c"__cxa_current_exception_type");
    let mut is_library = false;
    each_file(&mut |file| {
        let mut has = [false; 2];
        for code in file.code() {
            has[0] |= code.contains(&address);
            has[1] |= code.contains(&function);
        }
        is_library |= has == [true; 2];
    });
    is_library
}

/// What ends a program in the library of C++ (`std::terminate`).
fn terminate(me: usize) -> ! {
    // What the library does to find the words is no step of the program.
    set_me(NONE);
    let Some(kind) = current_type() else { give_up(me, &[b"std::terminate() was called"]) };
    let name = demangled(kind.name);
    match message(kind) {
        Some(message) => give_up(me, &[b"nobody catches an exception: ", name, b": ", message]),
        None => give_up(me, &[b"nobody catches an exception: ", name]),
    }
}

/// The beginning of a `std::type_info`.
#[repr(C)]
struct Type {
    functions: *const usize,
    name: *const c_char,
}

/// The type of the current exception.
fn current_type() -> Option<&'static Type> {
    let address = find(c"__cxa_current_exception_type");
    if address == 0 {
        return None;
    }
    // SAFETY: the library of C++ has this function, and types are never given back.
    unsafe {
        let function: extern "C" fn() -> *const Type = core::mem::transmute(address);
        function().as_ref()
    }
}

/// A type in the words of the source. Its name may begin with a star, for those who compare it.
fn demangled<'n>(name: *const c_char) -> &'n [u8] {
    let address = find(c"__cxa_demangle");
    // SAFETY: the name of a type ends with a zero byte and is never given back, and neither is what is made of it, as the execution ends.
    unsafe {
        let name = if *name as u8 == b'*' { name.add(1) } else { name };
        let mut words = core::ptr::null();
        if address != 0 {
            type Demangle = extern "C" fn(*const c_char, *mut c_void, *mut usize, *mut i32) -> *const c_char;
            let function: Demangle = core::mem::transmute(address);
            words = function(name, core::ptr::null_mut(), core::ptr::null_mut(), &mut 0);
        }
        CStr::from_ptr(if words.is_null() { name } else { words }).to_bytes()
    }
}

/// Where in a `__cxa_exception` of the library of GNU its class is, and its size: the object that was thrown follows. The class tells this layout from
/// that of other libraries. One that was thrown again (`std::rethrow_exception`) begins with where the object is.
const CLASS: usize = 80;
const SIZE: usize = 112;
const GNU: u64 = u64::from_be_bytes(*b"GNUCC++\0");
const GNU_AGAIN: u64 = u64::from_be_bytes(*b"GNUCC++\x01");

/// Which of the functions of a type tells whether an exception of another type is one of its own, and which one of an exception is `what`.
const CATCHES: usize = 4;
const WHAT: usize = 2;

/// What a `std::exception` says. The library of C++ has asked it before, to print it, so this does no harm.
fn message(kind: &'static Type) -> Option<&'static [u8]> {
    let (globals, exception) = (find(c"__cxa_get_globals"), find(c"_ZTISt9exception"));
    if globals == 0 || exception == 0 {
        return None;
    }
    // SAFETY: there is a current exception, and its class says that it is laid out as above; `what` is called only if it has that function.
    unsafe {
        let globals: extern "C" fn() -> *const *const u8 = core::mem::transmute(globals);
        let current = *globals();
        let mut object = match *(current.add(CLASS) as *const u64) {
            GNU => current.add(SIZE) as *const c_void,
            GNU_AGAIN => *(current as *const *const c_void),
            _ => return None,
        };
        let exception = exception as *const Type;
        type Catches = extern "C" fn(*const Type, *const Type, *mut *const c_void, u32) -> bool;
        let catches: Catches = core::mem::transmute(*(*exception).functions.add(CATCHES));
        if !catches(exception, kind, &mut object, 1) {
            return None;
        }
        let functions = *(object as *const *const usize);
        let what: extern "C" fn(*const c_void) -> *const c_char = core::mem::transmute(*functions.add(WHAT));
        let words = what(object);
        (!words.is_null()).then(|| CStr::from_ptr(words).to_bytes())
    }
}
