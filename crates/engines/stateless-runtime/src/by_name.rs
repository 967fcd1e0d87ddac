//! `dlsym`: functions that a program looks for by their names.
//!
//! In a library that the program names it finds what is there, and not what this library has in its place: the functions of the C library
//! themselves, by which threads would wait for each other unseen. So a function that is hidden is found here instead. What is to be found
//! depends on the caller where the program says so (`RTLD_NEXT`) or may do so (`RTLD_DEFAULT`): then the function goes on in the real one, as if
//! that had been called.

use core::ffi::{c_char, c_void};
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

use crate::library;
use crate::real::{DEFAULT, NEXT};
use crate::unwind::own_code;

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

type Look = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

static REAL: AtomicUsize = AtomicUsize::new(0);

/// The address of the real `dlsym`. All C libraries for this kind of machine have it under this version.
pub extern "C" fn real_address() -> usize {
    if REAL.load(Relaxed) == 0 {
        // SAFETY: both texts end with a zero byte.
        let found = unsafe { dlvsym(NEXT, c"dlsym".as_ptr(), c"GLIBC_2.2.5".as_ptr()) };
        REAL.store(found as usize, Relaxed);
    }
    REAL.load(Relaxed)
}

/// What the real `dlsym` finds for this library.
pub fn look(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: it is the address of a function of this type, and the name ends with a zero byte.
    unsafe { core::mem::transmute::<usize, Look>(real_address())(handle, name) }
}

extern "C" fn look_in(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    let found = look(handle, name);
    if found.is_null() || own_code().contains(&(found as usize)) {
        return found;
    }
    let ours = look(DEFAULT, name);
    let is_hidden = own_code().contains(&(ours as usize)) && look(NEXT, name) == found;
    if is_hidden { ours } else { found }
}

/// What is found in all libraries depends on which ones are loaded.
extern "C" fn looks_everywhere(place: u64) {
    library::uses(library::state::LIBRARIES, false, place);
}

/// The handles `RTLD_NEXT` (-1) and `RTLD_DEFAULT` (0) are those that are below 2 when 1 is added.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlsym(_: *mut c_void, _: *const c_char) -> *mut c_void {
    core::arch::naked_asm!(
        "lea rax, [rdi + 1]",
        "cmp rax, 1",
        "ja {look_in}",
        "push rdi",
        "push rsi",
        "sub rsp, 8",
        "mov rdi, [rsp + 24]",
        "call {looks_everywhere}",
        "call {real_address}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "jmp rax",
        look_in = sym look_in,
        looks_everywhere = sym looks_everywhere,
        real_address = sym real_address,
    )
}
