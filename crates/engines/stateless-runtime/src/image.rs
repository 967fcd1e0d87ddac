//! The program's file, as the loader put it into memory.

use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicUsize};

use crate::modules;
use crate::token::region;

/// A segment of a program or library, as in its file.
#[repr(C)]
pub struct Segment {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    physical: u64,
    file_size: u64,
    size: u64,
    alignment: u64,
}

impl Segment {
    pub fn is_code(&self) -> bool {
        self.kind == LOAD && self.flags & EXECUTE != 0
    }

    pub fn is_writable(&self) -> bool {
        self.kind == LOAD && self.flags & WRITE != 0
    }

    pub fn is_constant(&self) -> bool {
        self.kind == LOAD && self.flags & WRITE == 0
    }

    /// Where it is; `base` is what is added to the addresses in the file.
    pub fn range(&self, base: u64) -> Range<usize> {
        let start = base.wrapping_add(self.address) as usize;
        start..start + self.size as usize
    }
}

const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
const SELF: u32 = 6;
const EXECUTE: u32 = 1;
const WRITE: u32 = 2;

/// Where the code begins and ends.
static CODE: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Is there code in it that was compiled without announcing anything, though its compiler announces copies by functions of their own?
static HAS_SILENT_CODE: AtomicBool = AtomicBool::new(false);

/// Is the standard library of Rust in it, which announces nothing?
static IS_RUST: AtomicBool = AtomicBool::new(false);

/// Does something else wait by asking the kernel itself?
static WAITS_SILENTLY: AtomicBool = AtomicBool::new(false);

/// Is there code in the program that may order accesses without announcing it?
#[inline]
pub fn has_silent_code() -> bool {
    IS_RUST.load(Relaxed) || WAITS_SILENTLY.load(Relaxed)
}

#[inline]
pub fn is_rust() -> bool {
    IS_RUST.load(Relaxed)
}

/// A lock was met that is made of atomic operations and of calls to the kernel.
pub fn waits_silently() {
    WAITS_SILENTLY.store(true, Relaxed);
}

/// Is an address in the code of the program itself?
#[inline]
pub fn is_program(place: usize) -> bool {
    (CODE[0].load(Relaxed)..CODE[1].load(Relaxed)).contains(&place)
}

/// Is the caller of a function perhaps in code that announces nothing?
#[inline]
pub fn may_be_silent(place: usize) -> bool {
    HAS_SILENT_CODE.load(Relaxed) && is_program(place)
}

/// The segments, and what is added to the addresses in the file.
fn segments() -> (&'static [Segment], u64) {
    unsafe extern "C" {
        fn getauxval(kind: u64) -> u64;
    }
    const HEADERS: u64 = 3;
    const COUNT: u64 = 5;
    // SAFETY: the kernel tells where it put the program's segment table, and how long it is.
    let (start, segments) = unsafe {
        let start = getauxval(HEADERS);
        (start, core::slice::from_raw_parts(start as *const Segment, getauxval(COUNT) as usize))
    };
    let own = segments.iter().find(|segment| segment.kind == SELF);
    (segments, own.map_or(0, |own| start.wrapping_sub(own.address)))
}

/// Notes where the program's own variables are: from the segment that can be written.
pub fn find_variables() {
    let (segments, base) = segments();
    let header = &region().header;
    if let Some(segment) = segments.iter().find(|segment| segment.is_writable()) {
        let start = base.wrapping_add(segment.address);
        header.variables_start.store(start, Relaxed);
        header.variables_end.store(start + segment.size, Relaxed);
    }
}

/// What is in the program's own variables, as one number that is not 0.
pub fn hash_of_variables() -> u64 {
    const WORD: usize = 8;
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (segments, base) = segments();
    let Some(variables) = segments.iter().find(|segment| segment.is_writable()) else { return 1 };
    let range = variables.range(base);
    let start = range.start.next_multiple_of(WORD);
    let n_words = range.end.saturating_sub(start) / WORD;
    let mut hash = 1_u64;
    for number in 0..n_words {
        // SAFETY: the loader has mapped the segment of the variables, and nothing unmaps it.
        // Another thread cannot write meanwhile: a child of `vfork` has one.
        let word = unsafe { (start as *const u64).add(number).read_volatile() };
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
    hash | 1
}

/// Notes where the code is, and whether all of it announces what it does. The standard library of Rust does not, and is a part of the program; there
/// the compiler announces copies by functions whose names the program asks the loader for.
pub fn find_code() {
    let (segments, base) = segments();
    if let Some(code) = segments.iter().find(|segment| segment.is_code()) {
        let code = code.range(base);
        CODE[0].store(code.start, Relaxed);
        CODE[1].store(code.end, Relaxed);
    }
    let announces = names(segments, base).is_some_and(|names| {
        [&b"__tsan_memcpy\0"[..], b"__tsan_memmove\0", b"__tsan_memset\0"]
            .iter()
            .any(|name| names.windows(name.len()).any(|window| window == *name))
    });
    modules::each_file(&mut |file| {
        if is_own_waiter(file) {
            waits_silently();
        }
    });
    let is_rust = has_rust(segments, base);
    IS_RUST.store(is_rust, Relaxed);
    HAS_SILENT_CODE.store(announces && is_rust, Relaxed);
}

/// Libraries whose functions are known here, or which make no locks of their own.
const KNOWN: [&[u8]; 8] =
    [b"ld-linux", b"libc.so", b"libpthread", b"libstdc++", b"libm.so", b"libgcc_s", b"libdl", b"runtime.so"];

/// Is it a library that makes locks of its own, as those of OpenMP do? It then loads the number of the system call `futex` into the register
/// of a system call's number, or of the first argument of `syscall`.
fn is_own_waiter(file: &modules::File) -> bool {
    let path = file.path();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    if path.is_empty() || KNOWN.iter().any(|known| name.starts_with(known)) {
        return false;
    }
    const LOADS: [&[u8]; 2] = [&[0xb8, 0xca, 0, 0, 0], &[0xbf, 0xca, 0, 0, 0]];
    file.code().any(|range| {
        // SAFETY: the segment is mapped, and code can be read.
        let code = unsafe { core::slice::from_raw_parts(range.start as *const u8, range.len()) };
        code.windows(5).any(|window| LOADS.contains(&window))
    })
}

/// Is the standard library of Rust in it? It has the name of a variable of the environment.
fn has_rust(segments: &[Segment], base: u64) -> bool {
    const NAME: &[u8] = b"RUST_BACKTRACE";
    segments.iter().filter(|segment| segment.kind == LOAD).any(|segment| {
        let range = segment.range(base);
        // SAFETY: the segment is mapped.
        let bytes = unsafe { core::slice::from_raw_parts(range.start as *const u8, range.len()) };
        bytes.windows(NAME.len()).any(|window| window == NAME)
    })
}

/// The names of what the program takes from libraries, or gives to them.
fn names(segments: &[Segment], base: u64) -> Option<&'static [u8]> {
    const NAMES: u64 = 5;
    const LENGTH: u64 = 10;
    let dynamic = segments.iter().find(|segment| segment.kind == DYNAMIC)?;
    let start = base.wrapping_add(dynamic.address) as *const [u64; 2];
    // SAFETY: the segment is mapped, and it is a list of pairs.
    let pairs = unsafe { core::slice::from_raw_parts(start, dynamic.size as usize / 16) };
    let value = |kind: u64| pairs.iter().find(|pair| pair[0] == kind).map(|pair| pair[1]);
    let (names, length) = (value(NAMES)?, value(LENGTH)?);
    // The loader has added the base already, unless it must not write there.
    let names = if names < base { names + base } else { names };
    // SAFETY: the loader needs the names as long as the program runs.
    Some(unsafe { core::slice::from_raw_parts(names as *const u8, length as usize) })
}
