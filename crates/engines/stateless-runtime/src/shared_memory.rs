//! Shared memory. That of POSIX is files in a folder of the explorer, and that of System V is in a namespace which is replaced before
//! the next execution; so each execution finds none, and nothing is left on the machine.

use core::ffi::{CStr, c_char};
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, ObjectKind, Operation};

use crate::driver::hash;
use crate::kernel_state::{asks_for_attachments, looks_at_rights, makes_descriptor};
use crate::objects::in_space;
use crate::open::remember_memory;
use crate::paths::{HERE, Removal, name_of};
use crate::schedule::before;
use crate::sys::{self, errno::*, fails};
use crate::token::{caller, controlled, region};
use crate::uses::step;

const UNLINK: usize = 87;
const ENAMETOOLONG: i32 = 36;

/// `O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK`, as the C library has it.
const ALWAYS: i32 = 0o400_000 | 0o2_000_000 | 0o4_000;

/// Longer than any folder and any name.
const ROOM: usize = 1024;
const LONGEST: usize = 255;

/// Where the memory with this name is, as a text that ends with a zero byte.
fn path_of(name: *const c_char) -> Result<[u8; ROOM], i32> {
    // SAFETY: the program passes a text that ends with a zero byte.
    let mut name = unsafe { CStr::from_ptr(name) }.to_bytes();
    while let Some(rest) = name.strip_prefix(b"/") {
        name = rest;
    }
    if name.is_empty() || name.contains(&b'/') {
        return Err(EINVAL);
    }
    if name.len() > LONGEST {
        return Err(ENAMETOOLONG);
    }
    let mut path = [0; ROOM];
    let bytes = region().header.shared_memory.bytes().chain([b'/']).chain(name.iter().copied());
    path.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
    Ok(path)
}

/// The space of the names, found by their hash.
const MEMORY_NAMES: u32 = 0x5700_0000;

/// Others notice whether there is something with this name.
fn announce(me: usize, name: *const c_char, place: u64) {
    let object = in_space(ObjectKind::Name, MEMORY_NAMES, hash(name), |_| ());
    before(me, Operation { kind: Kind::Visible, object, place, ..Operation::default() });
}

fn result(value: isize) -> i32 {
    if value < 0 { fails(-value as i32) } else { value as i32 }
}

#[unsafe(no_mangle)]
pub extern "C" fn shm_open(name: *const c_char, flags: i32, mode: u32) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"shm_open": fn(*const c_char, i32, u32) -> i32, (name, flags, mode));
    };
    match path_of(name) {
        Ok(path) => {
            makes_descriptor(caller());
            announce(me, name, caller());
            region().header.has_shared_memory.store(1, Relaxed);
            let flags = (flags | ALWAYS) as usize;
            let opened = sys::call(sys::OPEN, path.as_ptr() as usize, flags, mode as usize, 0, 0, 0);
            if opened >= 0 {
                remember_memory(opened as usize, name_of(name), true);
            }
            result(opened)
        }
        Err(errno) => fails(errno),
    }
}

/// The key of memory that nobody else can ask for.
const IPC_PRIVATE: i32 = 0;

/// The space of the keys of System V shared memory.
const KEYS: u32 = 0x5600_0000;

#[unsafe(no_mangle)]
pub extern "C" fn shmget(key: i32, size: usize, flags: i32) -> i32 {
    if let Some(me) = controlled() {
        region().header.used_ipc.store(1, Relaxed);
        step(caller(), looks_at_rights);
        if key != IPC_PRIVATE {
            let object = in_space(ObjectKind::Name, KEYS, u64::from(key as u32), |_| ());
            before(me, Operation { kind: Kind::Visible, object, place: caller(), ..Operation::default() });
        }
    }
    real!(c"shmget": fn(i32, usize, i32) -> i32, (key, size, flags))
}

#[unsafe(no_mangle)]
pub extern "C" fn shm_unlink(name: *const c_char) -> i32 {
    let Some(me) = controlled() else { return real!(c"shm_unlink": fn(*const c_char) -> i32, (name)) };
    match path_of(name) {
        Ok(path) => {
            announce(me, name, caller());
            let path = path.as_ptr().cast();
            let removal = Removal::of(HERE, path);
            let removed = sys::call(UNLINK, path as usize, 0, 0, 0, 0, 0);
            removal.happened(HERE, path);
            result(removed)
        }
        Err(errno) => fails(errno),
    }
}

/// Who removes memory takes the meaning from its key.
#[unsafe(no_mangle)]
pub extern "C" fn shmctl(number: i32, command: i32, status: *mut u8) -> i32 {
    const IPC_RMID: i32 = 0;
    const IPC_STAT: i32 = 2;
    /// A `struct shmid_ds` is shorter, and begins with the key.
    const WORDS: usize = 64;
    let real = |command: i32, status: *mut u8| real!(c"shmctl": fn(i32, i32, *mut u8) -> i32, (number, command, status));
    let place = caller();
    if controlled().is_some() {
        asks_for_attachments(command == IPC_RMID, place);
    }
    if let (Some(me), IPC_RMID) = (controlled(), command) {
        let mut known = [0_u32; WORDS];
        if real(IPC_STAT, (&raw mut known).cast()) == 0 && known[0] as i32 != IPC_PRIVATE {
            let object = in_space(ObjectKind::Name, KEYS, u64::from(known[0]), |_| ());
            before(me, Operation { kind: Kind::Visible, object, place, ..Operation::default() });
        }
    }
    real(command, status)
}
