//! The heap that the program has without us: that of the C library, or another one that it is linked with or that is loaded before it
//! (jemalloc, tcmalloc).
//!
//! Our functions hand on to the next ones of their names, so that all functions of a heap stay together. Another heap has locks of its own. They
//! are not what the program synchronises by, so nothing that its functions do is under control, and no other thread runs meanwhile.

use core::ffi::{CStr, c_void};
use core::ops::Range;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU8, AtomicUsize};

use crate::modules::each_file;
use crate::real;
use crate::token::unwatched;

pub type Block = *mut c_void;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> Block;
    fn __libc_calloc(count: usize, size: usize) -> Block;
    fn __libc_realloc(old: Block, size: usize) -> Block;
    fn __libc_memalign(alignment: usize, size: usize) -> Block;
    fn __libc_free(old: Block);
}

/// Which heap it is.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
/// It is being found out: what is asked for by then comes from [`EARLY`].
const ASKED: u8 = 1;
const OF_C_LIBRARY: u8 = 2;
const FOREIGN: u8 = 3;

/// Is it another one than that of the C library?
#[inline]
pub fn is_foreign() -> bool {
    match STATE.load(Acquire) {
        OF_C_LIBRARY => false,
        UNKNOWN => find_out() != OF_C_LIBRARY,
        _ => true,
    }
}

static MALLOC: AtomicUsize = AtomicUsize::new(0);
static CALLOC: AtomicUsize = AtomicUsize::new(0);
static REALLOC: AtomicUsize = AtomicUsize::new(0);
static MEMALIGN: AtomicUsize = AtomicUsize::new(0);
static ALIGNED_ALLOC: AtomicUsize = AtomicUsize::new(0);
static FREE: AtomicUsize = AtomicUsize::new(0);
/// 0 if the heap does not tell.
static USABLE_SIZE: AtomicUsize = AtomicUsize::new(0);
/// Does it bring the operators of C++, too?
static OPERATOR_NEW: AtomicUsize = AtomicUsize::new(0);

/// Its code.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

#[cold]
fn find_out() -> u8 {
    if STATE.compare_exchange(UNKNOWN, ASKED, Relaxed, Relaxed).is_err() {
        return STATE.load(Acquire);
    }
    let malloc = real::find(c"malloc");
    let found =
        if malloc == 0 || malloc == __libc_malloc as *const () as usize { OF_C_LIBRARY } else { FOREIGN };
    if found == FOREIGN {
        let code = code_around(malloc);
        let keep = |place: &AtomicUsize, name: &CStr| place.store(real::find(name), Relaxed);
        let keep_own = |place: &AtomicUsize, name: &CStr| {
            let address = real::find(name);
            place.store(if code.contains(&address) { address } else { 0 }, Relaxed);
        };
        MALLOC.store(malloc, Relaxed);
        keep(&CALLOC, c"calloc");
        keep(&REALLOC, c"realloc");
        keep(&MEMALIGN, c"memalign");
        keep(&ALIGNED_ALLOC, c"aligned_alloc");
        keep(&FREE, c"free");
        keep_own(&USABLE_SIZE, c"malloc_usable_size");
        keep_own(&OPERATOR_NEW, c"_Znwm");
        START.store(code.start, Relaxed);
        END.store(code.end, Relaxed);
    }
    STATE.store(found, Release);
    found
}

/// The code of the file that has this function.
fn code_around(function: usize) -> Range<usize> {
    let mut found = 0..0;
    each_file(&mut |file| {
        if let Some(code) = file.code().find(|code| code.contains(&function)) {
            found = code;
        }
    });
    found
}

/// Is this address in the code of another heap? What it does is not under control.
#[inline]
pub fn is_in_heap(address: u64) -> bool {
    let address = address as usize;
    address < END.load(Relaxed) && address >= START.load(Relaxed)
}

/// Are the operators of C++ those of another heap? They then do the same as its other functions.
pub fn has_operators() -> bool {
    is_foreign() && OPERATOR_NEW.load(Relaxed) != 0
}

/// What the loader needs to look for the functions of the heap.
const EARLY_SIZE: usize = 1 << 14;
const ALIGNMENT: usize = 16;

#[repr(C, align(16))]
struct Early(core::cell::UnsafeCell<[u8; EARLY_SIZE]>);

// SAFETY: each part is given out once.
unsafe impl Sync for Early {}

static EARLY: Early = Early(core::cell::UnsafeCell::new([0; EARLY_SIZE]));
static N_EARLY: AtomicUsize = AtomicUsize::new(0);

/// Never given back; zero, as it was never used before.
fn early(size: usize) -> Block {
    let size = size.saturating_add(ALIGNMENT).next_multiple_of(ALIGNMENT);
    let start = N_EARLY.fetch_add(size, Relaxed);
    if start.saturating_add(size) > EARLY_SIZE {
        core::ptr::null_mut()
    } else {
        (EARLY.0.get() as usize + start) as Block
    }
}

fn is_early(block: Block) -> bool {
    (EARLY.0.get() as usize..EARLY.0.get() as usize + EARLY_SIZE).contains(&(block as usize))
}

/// Calls a function of another heap, whose type is that of a function of the C library.
macro_rules! next {
    ($place:ident : $type:ty, ($($argument:expr),*)) => {
        // SAFETY: what was found has this name, and so this type; the arguments are the caller's.
        unwatched(|| unsafe {
            let function: $type = core::mem::transmute::<usize, $type>($place.load(Relaxed));
            function($($argument),*)
        })
    };
}

pub fn malloc(size: usize) -> Block {
    if !is_foreign() {
        // SAFETY: it has no conditions.
        return unsafe { __libc_malloc(size) };
    }
    match STATE.load(Acquire) {
        ASKED => early(size),
        _ => next!(MALLOC: extern "C" fn(usize) -> Block, (size)),
    }
}

pub fn calloc(count: usize, size: usize) -> Block {
    if !is_foreign() {
        // SAFETY: it has no conditions.
        return unsafe { __libc_calloc(count, size) };
    }
    match STATE.load(Acquire) {
        ASKED => early(count.saturating_mul(size)),
        _ => next!(CALLOC: extern "C" fn(usize, usize) -> Block, (count, size)),
    }
}

pub fn memalign(alignment: usize, size: usize) -> Block {
    if !is_foreign() {
        // SAFETY: it has no conditions.
        return unsafe { __libc_memalign(alignment, size) };
    }
    // Not every heap has the old one.
    match MEMALIGN.load(Relaxed) {
        0 => aligned_alloc(alignment, size),
        _ => next!(MEMALIGN: extern "C" fn(usize, usize) -> Block, (alignment, size)),
    }
}

pub fn aligned_alloc(alignment: usize, size: usize) -> Block {
    if !is_foreign() {
        return memalign(alignment, size);
    }
    next!(ALIGNED_ALLOC: extern "C" fn(usize, usize) -> Block, (alignment, size))
}

/// # Safety
/// The block is one of these functions, or null.
pub unsafe fn realloc(old: Block, size: usize) -> Block {
    if !is_foreign() {
        // SAFETY: as above.
        return unsafe { __libc_realloc(old, size) };
    }
    if STATE.load(Acquire) != ASKED && !is_early(old) {
        return next!(REALLOC: extern "C" fn(Block, usize) -> Block, (old, size));
    }
    let new = malloc(size);
    if !new.is_null() && !old.is_null() {
        let rest = EARLY.0.get() as usize + EARLY_SIZE - old as usize;
        // SAFETY: the new block has this size; the old one is in `EARLY`, which goes on that far.
        unsafe { core::ptr::copy(old.cast::<u8>(), new.cast::<u8>(), size.min(rest)) };
    }
    new
}

/// # Safety
/// The block is one of these functions, or null, and not used any more.
pub unsafe fn free(block: Block) {
    if !is_foreign() {
        // SAFETY: as above.
        unsafe { __libc_free(block) };
    } else if STATE.load(Acquire) != ASKED && !is_early(block) {
        next!(FREE: extern "C" fn(Block), (block));
    }
}

/// How long a block is, if the heap tells.
///
/// # Safety
/// The block is one of these functions.
pub unsafe fn length(block: Block) -> Option<usize> {
    if !is_foreign() {
        return Some(real!(c"malloc_usable_size": fn(Block) -> usize, (block)));
    }
    let tells = USABLE_SIZE.load(Relaxed) != 0 && !is_early(block);
    tells.then(|| next!(USABLE_SIZE: extern "C" fn(Block) -> usize, (block)))
}

/// In the size of a block of the C library: it is a mapping of its own, and given back to the kernel.
const IS_MAPPED: usize = 2;

/// Is a block given back to the kernel at once?
///
/// # Safety
/// The block is one of these functions.
pub unsafe fn is_mapped(block: Block) -> bool {
    // SAFETY: the C library has the size of the block, with some flags, before it.
    !is_foreign() && unsafe { *(block as *const usize).sub(1) & IS_MAPPED != 0 }
}
