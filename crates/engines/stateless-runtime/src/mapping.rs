//! Mappings. What is in memory that processes share is found by where it is in the file, so it must be known what is mapped.
//!
//! Who maps a file looks at it, for whoever touches what is behind its end dies. What is then done through the mapping is memory. That the
//! same bytes are also read or written through a descriptor nobody sees, so there is a remark.

use core::ffi::c_char;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{NONE, ObjectKind};

use crate::file_calls::maps;
use crate::file_lock::status;
use crate::hooks::hook;
use crate::kernel_state::{attaches, is_limited, makes_descriptor, needs_memory};
use crate::memory::{Frame, allocated, freed, place_of, remapped, watched};
use crate::misuse;
use crate::modules;
use crate::objects::{MAPS_ARE_STALE, each_line, find, in_space, is_mapped_twice, object, range_of};
use crate::open::remember_memory;
use crate::paths::{File, name_of};
use crate::sys;
use crate::thread::others;
use crate::token::{
    caller, caller_frame, controlled, is_concurrent, my_process, n_processes, process, region, remark,
};
use crate::uses::step;

/// The space of files that were mapped: who did it, plus one, in `owner`, how many processes there were in `extra`, where in `list`.
const MAPPED: u32 = 0x4c00_0000;

/// Some mapping can change the file.
const CHANGES: u8 = 1;
/// Some mapping was longer than the file.
const IS_LONGER: u8 = 2;

const PAGE: usize = 1 << 12;
const FAILED: usize = usize::MAX;
const PROT_WRITE: usize = 2;
const MAP_SHARED: usize = 1;
const MAP_FIXED: usize = 0x10;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
const MAP_ANONYMOUS: usize = 0x20;
const SHM_RDONLY: i32 = 0o10000;
/// Who maps more wants addresses for later, and nobody had those before.
const MOST: usize = 1 << 32;

/// The kernel takes whole pages.
fn pages(length: usize) -> usize {
    length.min(MOST).next_multiple_of(PAGE)
}

fn map(call: [usize; 6], place: u64, frame: Frame, real: impl FnOnce() -> usize) -> usize {
    let [wanted, length, rights, flags, descriptor, offset] = call;
    let descriptor = descriptor as u32 as usize;
    let has_file = controlled().is_some() && flags & MAP_ANONYMOUS == 0;
    if has_file {
        step(place, |uses| {
            maps(uses, descriptor);
            is_limited(uses);
        });
    } else {
        needs_memory(place);
    }
    // It takes the place of what was there.
    let replaces = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE) == MAP_FIXED && watched().is_some();
    if replaces {
        remapped(wanted, pages(length), true, frame);
    }
    let start = real();
    if start != FAILED && controlled().is_some() {
        if flags & (MAP_SHARED | MAP_FIXED) != 0 {
            MAPS_ARE_STALE.store(true, Relaxed);
        }
        if flags & MAP_SHARED != 0 && rights & PROT_WRITE != 0 {
            maps_shared_memory();
        }
        if !replaces {
            allocated(start, pages(length));
        }
        if has_file {
            let changes = flags & MAP_SHARED != 0 && rights & PROT_WRITE != 0;
            note(descriptor, start, offset + length, changes);
            if changes && is_mapped_twice(start) {
                remark(&[b"a file that a process has mapped twice"]);
            }
        }
    }
    start
}

fn note(descriptor: usize, start: usize, end: usize, changes: bool) {
    let Some(status) = status(descriptor) else { return };
    let number = in_space(ObjectKind::File, MAPPED, File::new(&status, 0).identity(), |_| ());
    let (mapped, own) = (object(number), my_process() as u32 + 1);
    match mapped.owner.load(Relaxed) {
        0 => {
            mapped.owner.store(own, Relaxed);
            mapped.extra.store(n_processes() as u32, Relaxed);
        }
        known if known != own => mapped.owner.store(NONE, Relaxed),
        _ => {}
    }
    let is_longer = end > (status.size as usize).next_multiple_of(PAGE);
    let flags = if changes { CHANGES } else { 0 } | if is_longer { IS_LONGER } else { 0 };
    mapped.flavour.fetch_or(flags, Relaxed);
    mapped.list.store((start / PAGE) as u32, Relaxed);
}

/// What is done to a file through a descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Reads,
    Writes,
    Grows,
}

/// Says so if a file is mapped, and its mapping may be used by others.
pub fn meets(file: File, how: Use) {
    let Some(number) = find(ObjectKind::File, MAPPED, file.identity()) else { return };
    let mapped = object(number);
    let flags = mapped.flavour.load(Relaxed);
    let matters = match how {
        Use::Reads => flags & CHANGES != 0,
        Use::Writes => true,
        Use::Grows => flags & IS_LONGER != 0,
    };
    let own = my_process() as u32;
    let has_heirs = || {
        (mapped.extra.load(Relaxed) as usize..n_processes())
            .any(|number| process(number).parent.load(Relaxed) == own)
    };
    let is_mine = mapped.owner.load(Relaxed) == own + 1
        && controlled().is_none_or(|me| others(me).next().is_none())
        && !has_heirs();
    if mapped.owner.load(Relaxed) != 0 && matters && !is_mine {
        remark(&[b"a file that is mapped, and also read or written"]);
    }
}

/// What is gone before anybody else could touch it does not matter.
fn forget(start: usize) {
    MAPS_ARE_STALE.store(true, Relaxed);
    if controlled().is_none() || is_concurrent() {
        return;
    }
    for number in 1..=region().header.n_objects.load(Relaxed) {
        let mapped = object(number);
        if mapped.space.load(Relaxed) == MAPPED && mapped.list.load(Relaxed) == (start / PAGE) as u32 {
            mapped.owner.store(0, Relaxed);
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn mmap(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
    map(
        [a, b, c, d, e, f],
        caller(),
        caller_frame(),
        || real!(c"mmap": fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn mmap64(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
    map(
        [a, b, c, d, e, f],
        caller(),
        caller_frame(),
        || real!(c"mmap64": fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f)),
    )
}

type Unused = usize;

extern "C" fn unmap(start: usize, length: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    freed(start, pages(length), true, frame);
    if controlled().is_some() {
        misuse::is_gone(start, pages(length));
    }
    forget(start);
    real!(c"munmap": fn(usize, usize) -> i32, (start, length))
}

hook! {
    munmap => unmap;
}

const PROT_READ: usize = 1;

/// What a change of rights does to others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Nothing,
    /// Writes are forbidden, or permitted.
    OfWriting,
    OfReading,
}

/// Begin, end and rights of every mapping; false if the kernel does not tell.
fn each_mapping(mut visit: impl FnMut(usize, usize, &[u8])) -> bool {
    let file = sys::unchecked(sys::OPEN, c"/proc/self/maps".as_ptr() as usize, 0, 0, 0, 0, 0);
    if file < 0 {
        return false;
    }
    each_line(file as usize, |line| {
        if let Some((from, to, rights)) = range_of(line) {
            visit(from, to, rights);
        }
    });
    sys::unchecked(sys::CLOSE, file as usize, 0, 0, 0, 0, 0);
    true
}

/// What changes if a part of memory gets these rights; the kernel tells which it has.
fn change_of_rights(start: usize, length: usize, rights: usize) -> Change {
    let mut change = Change::Nothing;
    let is_told = each_mapping(|from, to, before| {
        if from >= start + length || start >= to {
            return;
        }
        let differs =
            |position: usize, letter: u8, right: usize| (before[position] == letter) != (rights & right != 0);
        change = change.max(match (differs(0, b'r', PROT_READ), differs(1, b'w', PROT_WRITE)) {
            (true, _) => Change::OfReading,
            (false, true) => Change::OfWriting,
            (false, false) => Change::Nothing,
        });
    });
    if is_told { change } else { Change::OfReading }
}

/// Who touches memory without a right to it dies of that. So to change rights is an access to what
/// is there: a write if it is about the right to read, else one that only writes do not commute
/// with.
fn changes_rights(start: usize, length: usize, rights: usize, frame: Frame) {
    if watched().is_some() {
        let length = pages(length);
        match change_of_rights(start, length, rights) {
            Change::Nothing => {}
            change => remapped(start, length, change == Change::OfReading, frame),
        }
    }
}

extern "C" fn protect(start: usize, length: usize, rights: usize, _: usize, _: usize, frame: Frame) -> i32 {
    changes_rights(start, length, rights, frame);
    real!(c"mprotect": fn(usize, usize, usize) -> i32, (start, length, rights))
}

extern "C" fn protect_by_key(
    start: usize,
    length: usize,
    rights: usize,
    key: i32,
    _: usize,
    frame: Frame,
) -> i32 {
    changes_rights(start, length, rights, frame);
    real!(c"pkey_mprotect": fn(usize, usize, usize, i32) -> i32, (start, length, rights, key))
}

/// Some advice throws away what is there.
extern "C" fn advise(start: usize, length: usize, advice: i32, _: usize, _: usize, frame: Frame) -> i32 {
    const DONTNEED: i32 = 4;
    const FREE: i32 = 8;
    const REMOVE: i32 = 9;
    if matches!(advice, DONTNEED | FREE | REMOVE) {
        remapped(start, pages(length), true, frame);
    }
    real!(c"madvise": fn(usize, usize, i32) -> i32, (start, length, advice))
}

hook! {
    mprotect => protect;
    pkey_mprotect => protect_by_key;
    madvise => advise;
}

/// The place may be given; nobody looks at it otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn mremap(start: usize, from: usize, to: usize, flags: i32, place: usize) -> usize {
    const MAY_MOVE: i32 = 1;
    MAPS_ARE_STALE.store(true, Relaxed);
    if to > from {
        needs_memory(caller());
    }
    if flags & MAY_MOVE != 0 || to < from {
        remapped(start, pages(from), true, caller_frame());
    }
    real!(c"mremap": fn(usize, usize, usize, i32, usize) -> usize, (start, from, to, flags, place))
}

fn maps_shared_memory() {
    region().header.shares_mappings.store(1, Relaxed);
    modules::shares_memory();
}

#[unsafe(no_mangle)]
pub extern "C" fn shmat(number: i32, place: usize, flags: i32) -> usize {
    attaches(caller());
    needs_memory(caller());
    MAPS_ARE_STALE.store(true, Relaxed);
    if controlled().is_some() && flags & SHM_RDONLY == 0 {
        maps_shared_memory();
    }
    real!(c"shmat": fn(i32, usize, i32) -> usize, (number, place, flags))
}

/// How long the mapping is that begins here, as the kernel has it.
fn length_of_mapping(start: usize) -> usize {
    let mut length = 0;
    each_mapping(|from, to, _| {
        if from == start {
            length = to - from;
        }
    });
    length
}

extern "C" fn detach(start: usize, _: Unused, _: Unused, _: Unused, _: Unused, frame: Frame) -> i32 {
    attaches(place_of(frame));
    MAPS_ARE_STALE.store(true, Relaxed);
    if watched().is_some() {
        freed(start, length_of_mapping(start).min(MOST), true, frame);
    }
    real!(c"shmdt": fn(usize) -> i32, (start))
}

hook! {
    shmdt => detach;
}

/// A file without a name, mostly to be mapped.
#[unsafe(no_mangle)]
pub extern "C" fn memfd_create(name: *const c_char, flags: u32) -> i32 {
    makes_descriptor(caller());
    let descriptor = real!(c"memfd_create": fn(*const c_char, u32) -> i32, (name, flags));
    if descriptor >= 0 && controlled().is_some() {
        remember_memory(descriptor as usize, name_of(name), flags & 1 != 0);
    }
    descriptor
}
