//! Random numbers that are the same in every execution.
//!
//! `rand` and its relatives need no help: they depend on their seed alone, and the time, from which programs like to take it, is the same
//! each time.

use core::arch::asm;
use core::ffi::c_void;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::limits;

use crate::modules::each_file;
use crate::sys::{errno::*, fails};
use crate::token::controlled;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn getauxval(kind: u64) -> u64;
}

const AT_RANDOM: u64 = 25;

/// How many words each thread has drawn.
static DRAWN: [AtomicU64; limits::THREADS] = [const { AtomicU64::new(0) }; limits::THREADS];

/// The next of a sequence that each thread has of its own, so that it does not matter who draws first (splitmix64).
fn draw() -> u64 {
    let me = controlled().unwrap_or(0);
    let position = DRAWN[me].fetch_add(1, Relaxed) + 1;
    let seed = (me as u64 + 1) << 40;
    let mut x = seed.wrapping_add(position.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The heap of the C library marks blocks that are given back with a number that it draws when it begins. A program that reads such a block
/// finds the number, so it must be the same whenever a schedule is repeated. To be called once, before any thread is made.
pub fn settle_heap() {
    let mark = drawn_mark();
    let in_library = |place: usize| move |code: core::ops::Range<usize>| code.contains(&place);
    each_file(&mut |file| {
        if file.code().any(in_library(__libc_free as *const () as usize)) && mark != 0 {
            file.variables().for_each(|variables| replace(variables, mark, MARK));
        }
    });
    // The same block again, so that the old number is not left there.
    drawn_mark();
}

/// The number in a block that was just given back.
fn drawn_mark() -> u64 {
    // SAFETY: the block is one that the heap marks, in its second word, and nobody else has it.
    unsafe {
        let block = __libc_malloc(MARKED);
        __libc_free(block);
        (block as *const u64).add(1).read_volatile()
    }
}

/// So long a block is seldom used before the program begins.
const MARKED: usize = 1000;
const MARK: u64 = 0x9e37_79b9_7f4a_7c15;

/// Replaces a number wherever it is.
fn replace(variables: core::ops::Range<usize>, old: u64, new: u64) {
    for address in (variables.start.next_multiple_of(8)..variables.end & !7).step_by(8) {
        let word = address as *mut u64;
        // SAFETY: they are variables of the C library, which nobody uses now. What cannot be written never has a number drawn by chance.
        unsafe {
            if word.read_volatile() == old {
                word.write_volatile(new);
            }
        }
    }
}

/// The kernel gives each program some random bytes. The loader makes two numbers of them before anybody else runs: one that functions keep at
/// the end of their part of the stack, to notice if it is overwritten, and the [`guard`]. A program can find the bytes and the first number,
/// so both must be the same whenever a schedule is repeated. To be called where nothing that checks the number is under way.
pub fn settle_stack() {
    // SAFETY: the C library knows where the kernel put sixteen bytes, on the stack of the first thread. The number is in the thread's record,
    // and those who look at it there are called later.
    unsafe {
        let bytes = getauxval(AT_RANDOM) as *mut [u64; 2];
        if !bytes.is_null() {
            bytes.write_unaligned([MARK, MARK.rotate_left(32)]);
        }
        // The first byte of it in memory is zero: texts end there.
        asm!("mov fs:[0x28], {}", in(reg) MARK & !0xff, options(nostack, preserves_flags));
    }
}

/// What the C library mixes into the addresses that it keeps for later (where to jump, what to call at the end), so that nobody overwrites
/// them on purpose. Some were kept before this library began, so it stays as random as it is.
fn guard() -> u64 {
    let guard: u64;
    // SAFETY: it is in the record of each thread.
    unsafe { asm!("mov {}, fs:[0x30]", out(reg) guard, options(nostack, readonly, preserves_flags)) };
    guard
}

/// Is a word one that the C library made with the guard, or the guard itself? It may look like anything, in one process and not in the next.
pub fn is_guarded(word: u64) -> bool {
    const END_OF_ADDRESSES: u64 = 1 << 47;
    let guard = guard();
    word == guard || word.rotate_right(17) ^ guard < END_OF_ADDRESSES
}

fn fill(bytes: *mut u8, length: usize) {
    // SAFETY: the program passes room for so many bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(bytes, length) };
    for piece in bytes.chunks_mut(8) {
        piece.copy_from_slice(&draw().to_le_bytes()[..piece.len()]);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn getrandom(bytes: *mut u8, length: usize, flags: u32) -> isize {
    if controlled().is_none() {
        return real!(c"getrandom": fn(*mut u8, usize, u32) -> isize, (bytes, length, flags));
    }
    fill(bytes, length);
    length as isize
}

#[unsafe(no_mangle)]
pub extern "C" fn getentropy(bytes: *mut u8, length: usize) -> i32 {
    if controlled().is_none() {
        return real!(c"getentropy": fn(*mut u8, usize) -> i32, (bytes, length));
    }
    if length > 256 {
        return fails(EIO);
    }
    fill(bytes, length);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn arc4random() -> u32 {
    match controlled() {
        Some(_) => draw() as u32,
        None => real!(c"arc4random": fn() -> u32, ()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn arc4random_buf(bytes: *mut u8, length: usize) {
    match controlled() {
        Some(_) => fill(bytes, length),
        None => real!(c"arc4random_buf": fn(*mut u8, usize) -> (), (bytes, length)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn arc4random_uniform(bound: u32) -> u32 {
    match controlled() {
        Some(_) if bound < 2 => 0,
        Some(_) => (draw() % u64::from(bound)) as u32,
        None => real!(c"arc4random_uniform": fn(u32) -> u32, (bound)),
    }
}

/// `std::random_device::_M_getval()` of C++, which likes to ask the processor.
#[unsafe(export_name = "_ZNSt13random_device9_M_getvalEv")]
pub extern "C" fn random_device(device: *mut c_void) -> u32 {
    match controlled() {
        Some(_) => draw() as u32,
        None => real!(c"_ZNSt13random_device9_M_getvalEv": fn(*mut c_void) -> u32, (device)),
    }
}
