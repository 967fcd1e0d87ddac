//! Executions one after another in one process.
//!
//! To copy a process and to take it down takes most of the time of a short execution. If the program only computes and synchronises its threads, all
//! that an execution changes is memory: then the process can as well be taken back to where `main` was about to begin. It keeps a copy of all pages that can be written
//! ([`mark`]). When an execution is over, the other threads are told to end, and the first one puts everything back.
//!
//! That nothing but memory was changed is not left to chance. In such a process the kernel checks every system call (`seccomp`): calls of the C library
//! that only concern memory or threads pass, all others, and those of anybody else, do not; what this library calls for the program is checked by itself ([`is_harmless`]).
//! At the first call that does not pass the process is given up and the execution repeated in a process of its own, as are all that follow.

use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use allways_stateless_protocol::{Outcome, Policy, state};

use crate::direct;
use crate::filter::Filter;
use crate::page_map::{PAGE, PRESENT, PageMap, SWAPPED};
use crate::sys::{self, unchecked};
use crate::token::{n_processes, n_threads, region, tell_explorer, thread};
use crate::unwind::own_code;

/// Where the copies are: far from everything, so that what the program is given has the same addresses as without them.
pub const AREA: usize = 0x2f00_0000_0000;

/// The largest process that is worth it.
const PAGES: usize = 1024;
const MAPS: usize = 256;
const GAPS: usize = 512;
const STACK: usize = 64 * 1024;

const WORDS: usize = PAGE / size_of::<u64>();

/// Is this process taken back when an execution is over?
static IS_ON: AtomicBool = AtomicBool::new(false);

/// What [`mark`] keeps.
#[repr(C)]
struct Area {
    /// The registers that functions preserve, with the stack pointer last, and how to round.
    registers: [u64; 8],
    /// The kernel tells about memory and threads there.
    maps_file: isize,
    tasks_file: isize,
    n_links: u64,
    heap_end: usize,
    signals: u64,
    signal_stack: [u64; 3],
    n_maps: usize,
    maps: [Map; MAPS],
    /// Memory that can be written and was not there yet.
    n_gaps: usize,
    gaps: [[usize; 2]; GAPS],
    n_pages: usize,
    places: [usize; PAGES],
    copies: [[u64; WORDS]; PAGES],
    stack: [u64; STACK / 8],
}

/// Memory that is used, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Map {
    start: usize,
    end: usize,
    rights: u64,
    /// The file, if it is from one, and where in it address 0 would be.
    file: u64,
    origin: u64,
}

/// Of [`Map::rights`].
const WRITE: u64 = 2;
const SHARED: u64 = 8;

impl Map {
    /// Are parts of both the same, apart from where they are?
    fn is_as(&self, other: &Map) -> bool {
        (self.rights, self.file, self.origin) == (other.rights, other.file, other.origin)
    }
}

fn area() -> *mut Area {
    AREA as *mut Area
}

/// Is this process to be taken back?
#[inline(always)]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// To be called in a new process, with the number of the one that forked it. Returns whenever an execution is to begin; the request for the first is
/// there already. Where it is not possible, the process is given up.
#[inline(never)]
pub fn mark(server: i32) {
    if prepare(server).is_none() {
        give_up();
    }
    IS_ON.store(true, Relaxed);
    // SAFETY: the area is mapped.
    if unsafe { remember(area()) } == AGAIN {
        await_request();
    }
}

/// What [`remember`] returns when everything was put back.
const AGAIN: usize = 1;

/// Tells that an execution is over, and waits for the next.
fn await_request() {
    let header = &region().header;
    header.rewinds.store(0, Relaxed);
    let served = header.request.load(Relaxed);
    header.reply.store(served, Release);
    tell_explorer();
    while header.request.load(Acquire) == served {
        sys::futex_wait(&header.request, served);
    }
    if header.policy.load(Relaxed) == Policy::Ask as u32 {
        // If it had to be repeated, the explorer would be asked again.
        give_up();
    }
}

/// Maps the area, and asks the kernel to check system calls.
fn prepare(server: i32) -> Option<()> {
    const FLAGS: usize = 0x2 | 0x20 | 0x10_0000 | 0x4000;
    let place = unchecked(sys::MMAP, AREA, size_of::<Area>(), 3, FLAGS, usize::MAX, 0);
    let open = |path: &core::ffi::CStr| {
        const CLOSE_ON_EXEC: usize = 0o200_0000;
        unchecked(sys::OPEN, path.as_ptr() as usize, CLOSE_ON_EXEC, 0, 0, 0, 0)
    };
    if place != AREA as isize || !direct::is_watched() || !dies_with(server) {
        return None;
    }
    // SAFETY: it has just been mapped; nobody else knows it.
    let area = unsafe { &mut *area() };
    area.maps_file = open(c"/proc/self/maps");
    area.tasks_file = open(c"/proc/self/task");
    area.n_links = links(area.tasks_file)?;
    each_map(area.maps_file, |_| true)?;
    unchecked(SIGPROCMASK, 0, 0, &raw mut area.signals as usize, 8, 0, 0);
    unchecked(SIGALTSTACK, 0, &raw mut area.signal_stack as usize, 0, 0, 0, 0);
    check_calls()
}

/// Has the kernel end this process with its parent, for whose requests it waits; false if that is over already.
fn dies_with(parent: i32) -> bool {
    const SET_PARENT_DEATH_SIGNAL: usize = 1;
    const GETPPID: usize = 110;
    unchecked(sys::PRCTL, SET_PARENT_DEATH_SIGNAL, sys::SIGKILL as usize, 0, 0, 0, 0);
    unchecked(GETPPID, 0, 0, 0, 0, 0, 0) == parent as isize
}

const BRK: usize = 12;
const SIGPROCMASK: usize = 14;
const SIGALTSTACK: usize = 131;
const MUNMAP: usize = 11;
const EXIT: usize = 60;
const SET_MASK: usize = 2;
const DONT_NEED: usize = 4;

/// Keeps the registers, then calls [`keep_memory`], and returns what that does. Returns [`AGAIN`] from [`put_back`].
#[unsafe(naked)]
unsafe extern "C" fn remember(area: *mut Area) -> usize {
    core::arch::naked_asm!(
        "mov [rdi], rbx",
        "mov [rdi + 8], rbp",
        "mov [rdi + 16], r12",
        "mov [rdi + 24], r13",
        "mov [rdi + 32], r14",
        "mov [rdi + 40], r15",
        "stmxcsr [rdi + 48]",
        "fnstcw [rdi + 52]",
        "mov [rdi + 56], rsp",
        "jmp {keep_memory}",
        keep_memory = sym keep_memory,
    )
}

/// The end of [`put_back`].
#[unsafe(naked)]
unsafe extern "C" fn resume(area: *const Area) -> ! {
    core::arch::naked_asm!(
        "mov rbx, [rdi]",
        "mov rbp, [rdi + 8]",
        "mov r12, [rdi + 16]",
        "mov r13, [rdi + 24]",
        "mov r14, [rdi + 32]",
        "mov r15, [rdi + 40]",
        "ldmxcsr [rdi + 48]",
        "fninit",
        "fldcw [rdi + 52]",
        "cld",
        "mov rsp, [rdi + 56]",
        "mov eax, {again}",
        "ret",
        again = const AGAIN,
    )
}

/// Copies all memory that can be written, unless there is too much of it.
extern "C" fn keep_memory(area: *mut Area) -> usize {
    // SAFETY: nobody else knows it.
    let area = unsafe { &mut *area };
    if keep(area).is_none() {
        give_up();
    }
    0
}

fn keep(area: &mut Area) -> Option<()> {
    area.heap_end = unchecked(BRK, 0, 0, 0, 0, 0, 0) as usize;
    let mut count = 0;
    let maps = &mut area.maps;
    each_map(area.maps_file, |map| {
        let place = maps.get_mut(count);
        count += 1;
        place.map(|place| *place = map).is_some()
    })?;
    area.n_maps = count;
    let pages = PageMap::open()?;
    for number in 0..count {
        let map = area.maps[number];
        if map.rights & (WRITE | SHARED) == WRITE && map.start != AREA {
            keep_pages(area, map.start..map.end, &pages)?;
        }
    }
    Some(())
}

/// Copies the pages of a range that are there, and notes where none are.
fn keep_pages(area: &mut Area, range: Range<usize>, pages: &PageMap) -> Option<()> {
    let mut states = [0_u64; 512];
    let mut next = range.start;
    while next < range.end {
        let count = ((range.end - next) / PAGE).min(states.len());
        if !pages.read(next, &mut states[..count]) {
            return None;
        }
        for state in &states[..count] {
            let place = next;
            next += PAGE;
            if state & (PRESENT | SWAPPED) != 0 {
                *area.places.get_mut(area.n_pages)? = place;
                // SAFETY: the page is mapped.
                area.copies[area.n_pages] = unsafe { *(place as *const [u64; WORDS]) };
                area.n_pages += 1;
            } else if let Some([_, end]) =
                area.gaps[..area.n_gaps].last_mut().filter(|[_, end]| *end == place)
            {
                *end = next;
            } else {
                *area.gaps.get_mut(area.n_gaps)? = [place, next];
                area.n_gaps += 1;
            }
        }
    }
    Some(())
}

/// The execution is over, with this wait status of its process. Returns if the process is to end with it.
pub fn over(status: i32) {
    if !is_on() || n_processes() != 1 {
        return;
    }
    let header = &region().header;
    let is_first = unchecked(sys::GETTID, 0, 0, 0, 0, 0, 0) == unchecked(sys::GETPID, 0, 0, 0, 0, 0, 0);
    let first = thread(0);
    if !is_first && first.state.load(Relaxed) == state::FINISHED {
        return;
    }
    header.status.store(status, Relaxed);
    header.rewinds.store(1, Release);
    if is_first {
        rewind();
    }
    first.go.store(1, Release);
    sys::futex_wake(&first.go);
    end_thread()
}

/// To be called by a thread that waited for its turn.
#[inline(always)]
pub fn look(me: usize) {
    if region().header.rewinds.load(Relaxed) != 0 {
        leave(me);
    }
}

#[cold]
fn leave(me: usize) {
    match me {
        0 => rewind(),
        _ => end_thread(),
    }
}

fn end_thread() -> ! {
    loop {
        unchecked(EXIT, 0, 0, 0, 0, 0, 0);
    }
}

/// Takes the process back. Only for its first thread.
fn rewind() -> ! {
    for slot in (1..n_threads()).map(thread) {
        slot.go.store(1, Release);
        sys::futex_wake(&slot.go);
    }
    // SAFETY: the area is mapped since `mark`.
    let area = unsafe { &*area() };
    const PATIENCE: usize = 100_000;
    let is_alone = || links(area.tasks_file) == Some(area.n_links);
    let yields = || unchecked(sys::SCHED_YIELD, 0, 0, 0, 0, 0, 0);
    if !(0..PATIENCE).any(|_| is_alone() || yields() != 0) {
        give_up();
    }
    // SAFETY: nothing else is on that stack.
    unsafe { put_back_from((&raw const area.stack).add(1).cast(), area) }
}

/// Calls [`put_back`] with another stack.
#[unsafe(naked)]
unsafe extern "C" fn put_back_from(stack: *const c_void, area: *const Area) -> ! {
    core::arch::naked_asm!(
        "mov rsp, rdi",
        "mov rdi, rsi",
        "xor ebp, ebp",
        "call {put_back}",
        "ud2",
        put_back = sym put_back,
    )
}

extern "C" fn put_back(area: *mut Area) -> ! {
    // SAFETY: no other thread is left.
    let area = unsafe { &mut *area };
    unchecked(BRK, area.heap_end, 0, 0, 0, 0, 0);
    if remove_new_maps(area).is_none() {
        give_up();
    }
    for [start, end] in &area.gaps[..area.n_gaps] {
        unchecked(sys::MADVISE, *start, end - start, DONT_NEED, 0, 0, 0);
    }
    for (place, copy) in area.places.iter().zip(&area.copies).take(area.n_pages) {
        // SAFETY: the page is mapped and can be written, as when it was copied.
        let page = unsafe { &mut *(*place as *mut [u64; WORDS]) };
        // Most are as they were, and many have never been changed in this process.
        let difference = page.iter().zip(copy).fold(0, |difference, (word, kept)| difference | (word ^ kept));
        if difference != 0 {
            *page = *copy;
        }
    }
    unchecked(SIGPROCMASK, SET_MASK, &raw const area.signals as usize, 0, 8, 0, 0);
    unchecked(SIGALTSTACK, &raw const area.signal_stack as usize, 0, 0, 0, 0, 0);
    // SAFETY: the stack is what it was.
    unsafe { resume(area) }
}

/// Removes what was mapped since. Everything else must be as it was.
fn remove_new_maps(area: &Area) -> Option<()> {
    let old = &area.maps[..area.n_maps];
    let mut new = [[0_usize; 2]; MAPS];
    let mut n_new = 0;
    // The first old one that does not lie before, and up to where it was found.
    let (mut number, mut found) = (0, old.first()?.start);
    each_map(area.maps_file, |map| {
        let mut start = map.start;
        while start < map.end {
            let known = old.get(number).filter(|known| known.start < map.end);
            let end = match known {
                Some(known) if start < known.start => known.start,
                Some(known) => {
                    if start != found || !known.is_as(&map) {
                        return false;
                    }
                    found = known.end.min(map.end);
                    if found == known.end {
                        number += 1;
                        found = old.get(number).map_or(0, |next| next.start);
                    }
                    start = known.end.min(map.end);
                    continue;
                }
                None => map.end,
            };
            let Some(place) = new.get_mut(n_new) else { return false };
            *place = [start, end];
            n_new += 1;
            start = end;
        }
        true
    })?;
    for [start, end] in &new[..n_new] {
        unchecked(MUNMAP, *start, end - start, 0, 0, 0, 0);
    }
    (number == old.len()).then_some(())
}

/// What the kernel is asked about memory.
#[repr(C)]
#[derive(Default)]
struct Query {
    size: u64,
    flags: u64,
    address: u64,
    start: u64,
    end: u64,
    rights: u64,
    page_size: u64,
    offset: u64,
    file: u64,
    rest: [u64; 4],
}

/// Visits all memory that is used, in order, as long as `visit` says so.
fn each_map(file: isize, mut visit: impl FnMut(Map) -> bool) -> Option<()> {
    const IOCTL: usize = 16;
    const PROCMAP_QUERY: usize = 0xc068_6611;
    const OR_NEXT: u64 = 0x10;
    const NO_MORE: isize = -2;
    let mut address = 0;
    loop {
        let mut query =
            Query { size: size_of::<Query>() as u64, flags: OR_NEXT, address, ..Query::default() };
        match unchecked(IOCTL, file as usize, PROCMAP_QUERY, &raw mut query as usize, 0, 0, 0) {
            0 => {}
            NO_MORE => return Some(()),
            _ => return None,
        }
        let origin = if query.file == 0 { 0 } else { query.offset.wrapping_sub(query.start) };
        let (start, end) = (query.start as usize, query.end as usize);
        let map = Map { start, end, rights: query.rights, file: query.file, origin };
        if !visit(map) {
            return None;
        }
        address = query.end;
    }
}

/// How many names a folder has for itself: that of the threads has one for each.
fn links(folder: isize) -> Option<u64> {
    let mut status = [0_u64; 18];
    let told = unchecked(sys::FSTAT, folder as usize, status.as_mut_ptr() as usize, 0, 0, 0, 0);
    (told == 0).then_some(status[2])
}

/// Ends the process: the execution is to be repeated in another, which ends with it.
#[cold]
pub fn give_up() -> ! {
    region().header.must_repeat.store(1, Relaxed);
    sys::die()
}

/// May a call of this library be made in a process that is taken back?
#[inline(always)]
pub fn is_harmless(number: usize, first: usize) -> bool {
    matches!(number, sys::FUTEX | sys::GETPID | sys::GETTID | sys::SCHED_YIELD | SIGPROCMASK)
        || matches!(number, sys::MMAP | sys::MADVISE)
        || number == sys::PRCTL && first == direct::SET_DISPATCH
        || matches!(number, sys::WRITE | sys::WRITEV) && is_standard_output(first)
}

fn is_standard_output(descriptor: usize) -> bool {
    matches!(descriptor, 1 | 2)
}

/// A call of the kernel that was held back.
pub fn held_back(number: usize, first: usize) {
    let is_finished = region().header.outcome.load(Relaxed) == Outcome::Finished as u32;
    if number == sys::EXIT_GROUP && is_finished {
        over((first as i32 & 0xff) << 8);
    }
    give_up()
}

/// Asks the kernel to hold back all calls that may change something else than memory.
fn check_calls() -> Option<()> {
    let (own, library) = (own_code(), direct::library_code());
    let is_near = |address: usize| address >> 32 == own.start >> 32;
    if ![own.end, library.start, library.end].into_iter().all(is_near) {
        return None;
    }
    let mut filter = Filter::default();
    filter.only_this_machine();
    filter.only_near(own.start);
    filter.allow_from(own);
    filter.only_from(library);
    // `mmap`, `mprotect`, `munmap`, `brk`, `rt_sigprocmask`, `rt_sigreturn`, `sched_yield`, `mremap`, `madvise`, `getpid`, `exit`, `gettid`,
    // `futex`, `sched_getaffinity`, `set_robust_list`, `getrandom`, `rseq`, `clone3`.
    for number in [9, 10, 11, BRK, SIGPROCMASK, 15, 24, 25, 28, 39, EXIT, 186, 202, 204, 273, 318, 334, 435] {
        filter.allow(number);
    }
    filter.allow(SIGALTSTACK);
    // `write`, `writev`, of output; `fstat`, `newfstatat`; `ioctl` that asks whether it is a terminal.
    for number in [sys::WRITE, sys::WRITEV] {
        filter.allow_with(number, 0, &[1, 2]);
    }
    for number in [sys::FSTAT, 262] {
        filter.allow_with(number, 0, &[0, 1, 2]);
    }
    const IS_TERMINAL: u32 = 0x5401;
    filter.allow_with(16, 1, &[IS_TERMINAL]);
    // The C library has two signals for itself.
    filter.allow_with(13, 0, &[32, 33]);
    filter.install().then_some(())
}
