//! Random numbers that are the same in every execution: one stream, which the explorer names.
//!
//! `rand` and its relatives need no help: they depend on their seed alone, and the time, from which programs like to take it, is the same
//! each time.

use core::arch::asm;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::Header;

use crate::descriptors::{Description, install, what};
use crate::file_lock::Status;
use crate::modules::each_file;
use crate::paths::bytes_of;
use crate::processors::early_word;
use crate::sys::{errno::*, fails};
use crate::token::{controlled, region, thread};
use crate::vector::Vector;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn getauxval(kind: u64) -> u64;
}

const AT_RANDOM: u64 = 25;

/// The number of the call that gives random bytes.
pub const GETRANDOM: usize = 318;

/// Makes a number that looks random of one that does not (splitmix64).
fn scramble(number: u64) -> u64 {
    let mut x = number.wrapping_mul(STEP);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The next of the stream. Each thread has a part of it of its own, so that it does not matter which thread draws first. The position is kept where other
/// programs that the process executes go on with it.
fn draw(me: usize) -> u64 {
    let header = &region().header;
    header.drew_random.store(1, Relaxed);
    let slot = thread(me);
    // What comes next is not in the memory of the thread.
    slot.deeds.fetch_add(1, Relaxed);
    let position = slot.drawn.fetch_add(1, Relaxed) + 1;
    let part = scramble(header.random_stream.load(Relaxed)) ^ scramble((me as u64 + 1) << 40);
    scramble(part.wrapping_add(position))
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
            let stream = early_word(core::mem::offset_of!(Header, random_stream));
            let first = MARK ^ stream.map_or(0, |stream| scramble(stream) ^ scramble(1));
            bytes.write_unaligned([first, first.rotate_left(32)]);
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

fn fill(me: usize, bytes: *mut u8, length: usize) {
    // SAFETY: the program passes room for so many bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(bytes, length) };
    for piece in bytes.chunks_mut(8) {
        piece.copy_from_slice(&draw(me).to_le_bytes()[..piece.len()]);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn getrandom(bytes: *mut u8, length: usize, flags: u32) -> isize {
    let Some(me) = controlled() else {
        return real!(c"getrandom": fn(*mut u8, usize, u32) -> isize, (bytes, length, flags));
    };
    fill(me, bytes, length);
    length as isize
}

#[unsafe(no_mangle)]
pub extern "C" fn getentropy(bytes: *mut u8, length: usize) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"getentropy": fn(*mut u8, usize) -> i32, (bytes, length));
    };
    if length > 256 {
        return fails(EIO);
    }
    fill(me, bytes, length);
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn arc4random() -> u32 {
    match controlled() {
        Some(me) => draw(me) as u32,
        None => real!(c"arc4random": fn() -> u32, ()),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn arc4random_buf(bytes: *mut u8, length: usize) {
    match controlled() {
        Some(me) => fill(me, bytes, length),
        None => real!(c"arc4random_buf": fn(*mut u8, usize) -> (), (bytes, length)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn arc4random_uniform(bound: u32) -> u32 {
    match controlled() {
        Some(_) if bound < 2 => 0,
        Some(me) => (draw(me) % u64::from(bound)) as u32,
        None => real!(c"arc4random_uniform": fn(u32) -> u32, (bound)),
    }
}

/// `std::random_device::_M_getval()` of C++, which likes to ask the processor.
#[unsafe(export_name = "_ZNSt13random_device9_M_getvalEv")]
pub extern "C" fn random_device(device: *mut c_void) -> u32 {
    match controlled() {
        Some(me) => draw(me) as u32,
        None => real!(c"_ZNSt13random_device9_M_getvalEv": fn(*mut c_void) -> u32, (device)),
    }
}

/// `/dev/random` and `/dev/urandom`, by the numbers of the device.
const DEVICES: [u64; 2] = [1 << 8 | 8, 1 << 8 | 9];
const KIND: u32 = 0o170_000;
const CHARACTERS: u32 = 0o020_000;

/// Is it a device that random bytes are read from?
pub fn is_device(status: &Status) -> bool {
    status.mode & KIND == CHARACTERS && DEVICES.contains(&status.device_itself)
}

/// Notes that a descriptor stands for such a device: what is read there comes from the stream.
pub fn remember(descriptor: usize, closes_on_exec: bool) {
    install(descriptor, Description::new(what::RANDOM, 0, 0, 0), closes_on_exec);
}

/// Reads from it.
pub fn read(me: usize, vector: &Vector) -> isize {
    vector.places().iter().for_each(|place| fill(me, place.address as *mut u8, place.length));
    vector.length() as isize
}

/// A number that the kernel draws, as text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Another one whenever the file is opened.
    Uuid,
    /// The same all the time.
    BootId,
}

/// The file of `/proc` that such a text is read from, by its path.
pub fn text_behind(path: *const c_char) -> Option<Text> {
    match bytes_of(path) {
        b"/proc/sys/kernel/random/uuid" => Some(Text::Uuid),
        b"/proc/sys/kernel/random/boot_id" => Some(Text::BootId),
        _ => None,
    }
}

/// With the end of the line.
pub const TEXT: usize = 37;

impl Text {
    /// As the kernel writes it.
    pub fn draw(self, me: usize) -> [u8; TEXT] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let halves = match self {
            Text::Uuid => [draw(me), draw(me)],
            Text::BootId => {
                region().header.drew_random.store(1, Relaxed);
                let first = scramble(region().header.random_stream.load(Relaxed) ^ MARK);
                [first, scramble(first)]
            }
        };
        let mut text = [b'-'; TEXT];
        let places = (0..TEXT - 1).filter(|place| ![8, 13, 18, 23].contains(place));
        for (number, place) in places.enumerate() {
            let digit = (halves[number / 16] >> (4 * (number % 16))) as usize & 15;
            text[place] = DIGITS[digit];
        }
        // The version, and what kind of number it is.
        text[14] = b'4';
        text[19] = b"89ab"[halves[1] as usize & 3];
        text[TEXT - 1] = b'\n';
        text
    }
}

/// Where a name of a temporary file ends with six places to be filled, and so many characters behind them.
pub fn blank_of_name(path: *mut c_char, behind: i32) -> Option<*mut u8> {
    // SAFETY: the program passes a text that ends with a zero byte.
    let text = unsafe { CStr::from_ptr(path) }.to_bytes();
    let name = &text[..text.len().checked_sub(usize::try_from(behind).ok()?)?];
    // SAFETY: it is inside of the text.
    name.ends_with(b"XXXXXX").then(|| unsafe { path.cast::<u8>().add(name.len() - 6) })
}

/// Puts letters into the last six places of the name of a temporary file.
pub fn complete_name(me: usize, place: *mut u8) {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut number = draw(me);
    for offset in 0..6 {
        // SAFETY: the program passes a name that ends with so many places.
        unsafe { *place.add(offset) = LETTERS[number as usize % LETTERS.len()] };
        number /= LETTERS.len() as u64;
    }
}
