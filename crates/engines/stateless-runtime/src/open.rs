//! Opening: FIFOs are pipes with a name, and who opens one waits for the other side; of ordinary files it is remembered who shares them.

use core::ffi::{c_char, c_void};

use allways_stateless_protocol::{Kind, Operation};

use crate::descriptors::{self, Description, O_NONBLOCK, install, open_in, result, what};
use crate::file_calls;
use crate::file_lock::{Status, status};
use crate::interrupt::{point, wait_at};
use crate::kernel_state::is_limited;
use crate::leftovers::{self, Opening};
use crate::mapping;
use crate::path_calls::{makes_some_name, makes_this_name, reads_mask};
use crate::paths::{Path, follow, name_of};
use crate::randomness;
use crate::schedule::before;
use crate::stdio;
use crate::stream;
use crate::stream_calls::{How, uses_stream};
use crate::sys::{self, errno, fails};
use crate::token::{caller, controlled, my_process, remark};
use crate::uses::{Uses, step};

const OPENAT: usize = 257;
const NEWFSTATAT: usize = 262;
const GET_FLAGS: usize = 3;
const SET_FLAGS: usize = 4;
const HERE: i32 = -100;
const ACCESS: i32 = 3;
pub const READ_ONLY: i32 = 0;
const WRITE_ONLY: i32 = 1;
const READ_WRITE: i32 = 2;
const CLOSES_ON_EXEC: i32 = 0o2_000_000;
const CREATES: i32 = 0o100;
const EXCLUSIVELY: i32 = 0o200;
const TRUNCATES: i32 = 0o1000;
const APPENDS: i32 = 0o2000;
const O_NOFOLLOW: i32 = 0o400_000;
const O_PATH: i32 = 0o10_000_000;
const KIND: u32 = 0o170_000;
const FIFO: u32 = 0o010_000;
const ORDINARY: u32 = 0o100_000;
const ENXIO: isize = 6;

/// What is to be opened.
#[derive(Clone, Copy)]
struct Wish {
    directory: i32,
    path: *const c_char,
    flags: i32,
    mode: u32,
}

impl Wish {
    fn call(self, flags: i32) -> isize {
        let (directory, path) = (self.directory as usize, self.path as usize);
        sys::call(OPENAT, directory, path, flags as usize, self.mode as usize, 0, 0)
    }

    /// What opening a file touches.
    fn footprint(self, uses: &mut Uses) {
        is_limited(uses);
        let follows =
            self.flags & O_NOFOLLOW == 0 && self.flags & (CREATES | EXCLUSIVELY) != CREATES | EXCLUSIVELY;
        let target = follow(uses, Path { folder: self.directory, text: self.path, follows });
        if self.flags & CREATES == 0 {
            target.is_looked_at(uses);
        } else if self.flags & EXCLUSIVELY == 0 {
            target.is_replaced(uses, target.file.is_none());
            reads_mask(uses);
        } else {
            target.changes(uses, target.file.is_none());
            reads_mask(uses);
        }
        if let Some(file) = target.file {
            uses.reads(file.status());
            if self.flags & TRUNCATES != 0 && uses.watch.is_none() {
                mapping::meets(file, mapping::Use::Writes);
                uses.writes(file.contents());
            }
        }
    }

    /// Is it a file that the kernel draws a number for?
    fn random_text(self) -> Option<randomness::Text> {
        let reads = self.flags & (ACCESS | O_PATH) == READ_ONLY;
        randomness::text_behind(self.path).filter(|_| reads)
    }

    /// Opens it, when what it depends on was looked at.
    fn perform<T>(self, open: impl FnOnce() -> T) -> T {
        let describe = |uses: &mut Uses| self.footprint(uses);
        if self.flags & CREATES != 0 {
            return leftovers::changes(describe, open);
        }
        leftovers::looks(describe);
        open()
    }

    /// Notes an ordinary file that was opened, or could not be made because it was there.
    fn is_done(self, before: Option<&Status>, descriptor: Option<usize>) {
        let is_ordinary = |status: &&Status| status.mode & KIND == ORDINARY;
        let now = descriptor.and_then(status);
        let is_made = self.flags & (CREATES | EXCLUSIVELY) == CREATES | EXCLUSIVELY;
        // Who opens a file for both may only want to lock it, which shows if it is empty.
        let is_read = match self.flags & ACCESS {
            _ if self.flags & TRUNCATES != 0 => false,
            READ_ONLY => true,
            READ_WRITE => before.is_some_and(|before| before.size > 0),
            _ => false,
        };
        let is = Opening { looked_at: is_made || is_read, written: self.flags & ACCESS != READ_ONLY };
        let (before, now) = (before.filter(is_ordinary), now.as_ref().filter(is_ordinary));
        leftovers::opened(self.path, before, now, is);
    }

    /// What is there.
    fn status(self) -> Option<Status> {
        let mut words = [0_u64; 32];
        let (directory, path) = (self.directory as usize, self.path as usize);
        let told = sys::call(NEWFSTATAT, directory, path, words.as_mut_ptr() as usize, 0, 0, 0);
        (told >= 0).then(|| Status::read(&words))
    }
}

fn open_any(wish: Wish, place: u64) -> i32 {
    let Some(me) = controlled() else { return result(wish.call(wish.flags)) as i32 };
    if let Some(text) = wish.random_text() {
        return result(open_random_text(me, wish, text)) as i32;
    }
    let status = if wish.flags & O_PATH == 0 { wish.status() } else { None };
    if let Some(status) = status.as_ref().filter(|status| status.mode & KIND == FIFO) {
        leftovers::looks(|uses| wish.footprint(uses));
        return result(match pipe_behind(status) {
            Pipe::Named => open_fifo(me, wish, status, place),
            Pipe::Known(queue) => open_pipe(me, wish, queue, place),
            Pipe::Inherited => wish.call(wish.flags),
        }) as i32;
    }
    step(place, |uses| wish.footprint(uses));
    let opened = wish.perform(|| wish.call(wish.flags));
    wish.is_done(status.as_ref(), usize::try_from(opened).ok());
    if opened >= 0 && status.as_ref().is_some_and(randomness::is_device) {
        randomness::remember(opened as usize, wish.flags & CLOSES_ON_EXEC != 0);
    } else if opened >= 0 {
        remember(opened as usize, name_of(wish.path), wish.flags);
    }
    result(opened) as i32
}

/// A number that the kernel would draw is read from memory instead, which has one of our stream.
fn open_random_text(me: usize, wish: Wish, text: randomness::Text) -> isize {
    const MEMFD_CREATE: usize = 319;
    const LSEEK: usize = 8;
    let closes_on_exec = wish.flags & CLOSES_ON_EXEC != 0;
    let (name, flags) = (c"random".as_ptr() as usize, usize::from(closes_on_exec));
    let descriptor = sys::call(MEMFD_CREATE, name, flags, 0, 0, 0, 0);
    if descriptor >= 0 {
        let bytes = text.draw(me);
        sys::call(sys::WRITE, descriptor as usize, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0);
        sys::call(LSEEK, descriptor as usize, 0, 0, 0, 0, 0);
        remember(descriptor as usize, name_of(wish.path), wish.flags);
    }
    descriptor
}

/// Notes that an ordinary file was opened, for whoever locks or shares it.
fn remember(descriptor: usize, name: u32, flags: i32) {
    let Some(opened) = status(descriptor).filter(|status| status.mode & KIND == ORDINARY) else { return };
    let description = Description::new(what::FILE, 0, 0, flags as u32);
    file_calls::remember(descriptor, description, name, flags);
    install(descriptor, description, flags & CLOSES_ON_EXEC != 0);
    let is_output = |output: usize| {
        Description::at(output).is_none()
            && status(output).is_some_and(|status| status.identity() == opened.identity())
    };
    if is_output(1) || is_output(2) {
        remark(&[b"a file to which the standard output goes from the beginning"]);
    }
}

/// The same for memory that is a file.
pub fn remember_memory(descriptor: usize, name: u32, closes_on_exec: bool) {
    remember(descriptor, name, READ_WRITE | if closes_on_exec { CLOSES_ON_EXEC } else { 0 });
}

/// What is opened where a path leads to a pipe.
enum Pipe {
    /// A FIFO.
    Named,
    /// One without a name that this process has open, by `/dev/fd` or `/proc`.
    Known(u32),
    /// One that was there from the beginning.
    Inherited,
}

fn pipe_behind(wanted: &Status) -> Pipe {
    let is_it =
        |descriptor: usize| status(descriptor).is_some_and(|status| status.identity() == wanted.identity());
    let queue_of = |descriptor: usize| {
        let description = Description::at(descriptor).filter(|known| known.what() == what::PIPE)?;
        [description.input(), description.output()].into_iter().find(|queue| *queue != 0)
    };
    let known =
        open_in(my_process()).map(|(descriptor, _)| descriptor).filter(|descriptor| is_it(*descriptor));
    if let Some(queue) = known.filter_map(queue_of).find(|queue| !stream::is_fifo(*queue)) {
        return Pipe::Known(queue);
    }
    let is_inherited = |descriptor: &usize| Description::at(*descriptor).is_none() && is_it(*descriptor);
    if (0..3).any(|descriptor| is_inherited(&descriptor)) { Pipe::Inherited } else { Pipe::Named }
}

/// A pipe is there already: opening it once more never waits for the other side.
fn open_pipe(me: usize, wish: Wish, queue: u32, place: u64) -> isize {
    before(me, Operation { kind: Kind::FifoOpen, object: queue, place, ..Operation::default() });
    let access = wish.flags & ACCESS;
    let descriptor = wish.call(wish.flags);
    if descriptor >= 0 {
        let input = if access == WRITE_ONLY { 0 } else { queue };
        let output = if access == READ_ONLY { 0 } else { queue };
        let description = Description::new(what::PIPE, input, output, wish.flags as u32);
        install(descriptor as usize, description, wish.flags & CLOSES_ON_EXEC != 0);
    }
    descriptor
}

/// The first step opens this side, the second waits until the other side is opened, if it was not.
fn open_fifo(me: usize, wish: Wish, status: &Status, place: u64) -> isize {
    let queue = stream::fifo(status.identity());
    let access = wish.flags & ACCESS;
    let gives_up = wish.flags as u32 & O_NONBLOCK != 0;
    let opened = Operation { kind: Kind::FifoOpen, object: queue, place, ..Operation::default() };
    before(me, opened);
    if access == WRITE_ONLY && gives_up && !stream::has_reader(queue) {
        return -ENXIO;
    }
    let descriptor = really_open(wish, access, gives_up);
    if descriptor < 0 {
        return descriptor;
    }
    let (is_alone, waits_for_writer) = match access {
        READ_ONLY => (!stream::has_writer(queue), true),
        WRITE_ONLY => (!stream::has_reader(queue), false),
        _ => (false, false),
    };
    let input = if access == WRITE_ONLY { 0 } else { queue };
    let output = if access == READ_ONLY { 0 } else { queue };
    let seen = stream::arrivals(queue, waits_for_writer);
    let description = Description::new(what::PIPE, input, output, wish.flags as u32);
    install(descriptor as usize, description, wish.flags & CLOSES_ON_EXEC != 0);
    if is_alone && !gives_up {
        let argument = u64::from(waits_for_writer) << 32 | u64::from(seen);
        let waits = Operation { kind: Kind::FifoWait, argument, ..opened };
        if wait_at(me, waits, point::FAILS).is_none() {
            descriptors::take_back(descriptor as usize);
            sys::call(sys::CLOSE, descriptor as usize, 0, 0, 0, 0, 0);
            return -(errno::EINTR as isize);
        }
    }
    descriptor
}

/// Has the other side of a FIFO been opened since?
pub fn can_go_on(operation: &Operation) -> bool {
    stream::arrivals(operation.object, operation.argument >> 32 != 0) != operation.argument as u32
}

/// In the kernel this does not wait: who writes has a reader for a moment.
fn really_open(wish: Wish, access: i32, gives_up: bool) -> isize {
    let nonblocking = O_NONBLOCK as i32;
    let helper = if access == WRITE_ONLY { wish.call(READ_WRITE | nonblocking) } else { -1 };
    let descriptor = wish.call(wish.flags | nonblocking);
    if helper >= 0 {
        sys::call(sys::CLOSE, helper as usize, 0, 0, 0, 0, 0);
    }
    if descriptor >= 0 && !gives_up {
        let flags = sys::call(sys::FCNTL, descriptor as usize, GET_FLAGS, 0, 0, 0, 0) as usize;
        sys::call(sys::FCNTL, descriptor as usize, SET_FLAGS, flags & !(O_NONBLOCK as usize), 0, 0, 0);
    }
    descriptor
}

/// The functions with a mode take it only if they create something; nobody looks at it otherwise.
macro_rules! opens {
    ($($name:ident)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(path: *const c_char, flags: i32, mode: u32) -> i32 {
            open_any(Wish { directory: HERE, path, flags, mode }, caller())
        })*
    };
}

opens! { open open64 __open_2 __open64_2 }

macro_rules! opens_at {
    ($($name:ident)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(directory: i32, path: *const c_char, flags: i32, mode: u32) -> i32 {
            open_any(Wish { directory, path, flags, mode }, caller())
        })*
    };
}

opens_at! { openat openat64 __openat_2 __openat64_2 }

#[unsafe(no_mangle)]
pub extern "C" fn creat(path: *const c_char, mode: u32) -> i32 {
    open_any(Wish { directory: HERE, path, flags: CREATES | WRITE_ONLY | TRUNCATES, mode }, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn creat64(path: *const c_char, mode: u32) -> i32 {
    open_any(Wish { directory: HERE, path, flags: CREATES | WRITE_ONLY | TRUNCATES, mode }, caller())
}

/// How `fopen` opens a file.
fn flags_of(mode: *const c_char) -> Option<i32> {
    let mut flags = None;
    for position in 0..8 {
        // SAFETY: the mode is a text that ends with a zero byte, and nothing after that is looked at.
        let letter = unsafe { *mode.add(position) } as u8;
        flags = match (letter, flags) {
            (b'r', None) => Some(READ_ONLY),
            (b'w', None) => Some(WRITE_ONLY | CREATES | TRUNCATES),
            (b'a', None) => Some(WRITE_ONLY | CREATES | APPENDS),
            (b'+', Some(flags)) => Some(flags & !ACCESS | READ_WRITE),
            (b'x', Some(flags)) => Some(flags | EXCLUSIVELY),
            (b'e', Some(flags)) => Some(flags | CLOSES_ON_EXEC),
            (0 | b',', flags) => return flags,
            (_, flags) => flags,
        };
    }
    flags
}

fn open_stream(
    path: *const c_char,
    mode: *const c_char,
    place: u64,
    real: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    let wish = flags_of(mode).map(|flags| Wish { directory: HERE, path, flags, mode: 0o666 });
    let (Some(_), Some(wish)) = (controlled(), wish) else { return real() };
    if wish.random_text().is_some() {
        let descriptor = open_any(wish, place);
        return if descriptor < 0 {
            core::ptr::null_mut()
        } else {
            real!(c"fdopen": fn(i32, *const c_char) -> *mut c_void, (descriptor, mode))
        };
    }
    let before = wish.status();
    if before.as_ref().is_some_and(|status| status.mode & KIND == FIFO || randomness::is_device(status)) {
        let descriptor = open_any(wish, place);
        return if descriptor < 0 {
            core::ptr::null_mut()
        } else {
            stdio::stream_on(descriptor as usize, mode)
        };
    }
    step(place, |uses| wish.footprint(uses));
    let stream = wish.perform(real);
    wish.is_done(before.as_ref(), (!stream.is_null()).then(|| stdio::descriptor_of(stream)));
    if !stream.is_null() {
        remember(stdio::descriptor_of(stream), name_of(path), wish.flags);
        stdio::has_file();
    }
    stream
}

/// A stream becomes another: mostly a standard stream that goes to a file from now on.
pub fn open_again(
    path: *const c_char,
    mode: *const c_char,
    stream: *mut c_void,
    place: u64,
    real: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    uses_stream(stream as usize, How::Closes, place);
    let wish = flags_of(mode).map(|flags| Wish { directory: HERE, path, flags, mode: 0o666 });
    let (Some(_), Some(wish), false) = (controlled(), wish, path.is_null()) else { return real() };
    if Description::at(stdio::descriptor_of(stream)).is_some_and(|known| known.what() == what::FILE) {
        stdio::closing(stream, place);
    }
    let before = wish.status();
    step(place, |uses| wish.footprint(uses));
    let stream = wish.perform(real);
    wish.is_done(before.as_ref(), (!stream.is_null()).then(|| stdio::descriptor_of(stream)));
    if !stream.is_null() {
        let descriptor = stdio::descriptor_of(stream);
        if Description::at(descriptor).is_none() {
            remember(descriptor, name_of(path), wish.flags);
        }
        stdio::has_file();
    }
    stream
}

#[unsafe(no_mangle)]
pub extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void {
    open_stream(
        path,
        mode,
        caller(),
        || real!(c"fopen": fn(*const c_char, *const c_char) -> *mut c_void, (path, mode)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void {
    open_stream(
        path,
        mode,
        caller(),
        || real!(c"fopen64": fn(*const c_char, *const c_char) -> *mut c_void, (path, mode)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn mkstemp(path: *mut c_char) -> i32 {
    temporary(path, [0, 0], caller(), || real!(c"mkstemp": fn(*mut c_char) -> i32, (path)))
}

#[unsafe(no_mangle)]
pub extern "C" fn mkstemp64(path: *mut c_char) -> i32 {
    temporary(path, [0, 0], caller(), || real!(c"mkstemp64": fn(*mut c_char) -> i32, (path)))
}

#[unsafe(no_mangle)]
pub extern "C" fn mkostemp(path: *mut c_char, flags: i32) -> i32 {
    temporary(path, [0, flags], caller(), || real!(c"mkostemp": fn(*mut c_char, i32) -> i32, (path, flags)))
}

#[unsafe(no_mangle)]
pub extern "C" fn mkostemp64(path: *mut c_char, flags: i32) -> i32 {
    temporary(path, [0, flags], caller(), || real!(c"mkostemp64": fn(*mut c_char, i32) -> i32, (path, flags)))
}

#[unsafe(no_mangle)]
pub extern "C" fn mkstemps(path: *mut c_char, behind: i32) -> i32 {
    temporary(path, [behind, 0], caller(), || real!(c"mkstemps": fn(*mut c_char, i32) -> i32, (path, behind)))
}

#[unsafe(no_mangle)]
pub extern "C" fn mkstemps64(path: *mut c_char, behind: i32) -> i32 {
    temporary(
        path,
        [behind, 0],
        caller(),
        || real!(c"mkstemps64": fn(*mut c_char, i32) -> i32, (path, behind)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn mkostemps(path: *mut c_char, behind: i32, flags: i32) -> i32 {
    temporary(
        path,
        [behind, flags],
        caller(),
        || real!(c"mkostemps": fn(*mut c_char, i32, i32) -> i32, (path, behind, flags)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn mkostemps64(path: *mut c_char, behind: i32, flags: i32) -> i32 {
    temporary(
        path,
        [behind, flags],
        caller(),
        || real!(c"mkostemps64": fn(*mut c_char, i32, i32) -> i32, (path, behind, flags)),
    )
}

/// A folder, in the same way as a file.
#[unsafe(no_mangle)]
pub extern "C" fn mkdtemp(path: *mut c_char) -> *mut c_char {
    step(caller(), |uses| makes_some_name(uses, path));
    let Some((me, blank)) = controlled().zip(randomness::blank_of_name(path, 0)) else {
        return real!(c"mkdtemp": fn(*mut c_char) -> *mut c_char, (path));
    };
    const MKDIR: usize = 83;
    let made = with_some_name(me, blank, || sys::call(MKDIR, path as usize, 0o700, 0, 0, 0, 0));
    if result(made) < 0 {
        return core::ptr::null_mut();
    }
    leftovers::made(|uses| makes_this_name(uses, path));
    path
}

/// A file with a name that is drawn: from our stream, and not by the C library from that of the kernel. How much of the name is behind what is drawn,
/// and further flags.
fn temporary(path: *mut c_char, [behind, flags]: [i32; 2], place: u64, real: impl FnOnce() -> i32) -> i32 {
    step(place, |uses| makes_some_name(uses, path));
    let descriptor = match controlled().zip(randomness::blank_of_name(path, behind)) {
        Some((me, blank)) => make_named(me, path, blank, flags),
        None => real(),
    };
    if descriptor >= 0 {
        leftovers::made(|uses| makes_this_name(uses, path));
    }
    if descriptor >= 0 && controlled().is_some() {
        remember(descriptor as usize, TEMPORARY, READ_WRITE);
    }
    if descriptor < 0 { fails(sys::errno()) } else { descriptor }
}

/// Makes it.
fn make_named(me: usize, path: *mut c_char, blank: *mut u8, flags: i32) -> i32 {
    let flags = flags & !ACCESS | READ_WRITE | CREATES | EXCLUSIVELY;
    let wish = Wish { directory: HERE, path, flags, mode: 0o600 };
    result(with_some_name(me, blank, || wish.call(flags))) as i32
}

/// Tries names until one is new.
fn with_some_name(me: usize, blank: *mut u8, make: impl Fn() -> isize) -> isize {
    const TRIES: usize = 1000;
    const IS_THERE: isize = -(errno::EEXIST as isize);
    let mut made = IS_THERE;
    for _ in 0..TRIES {
        randomness::complete_name(me, blank);
        made = make();
        if made != IS_THERE {
            break;
        }
    }
    made
}

/// The name of files whose names are drawn.
const TEMPORARY: u32 = 4;

#[unsafe(no_mangle)]
pub extern "C" fn tmpfile() -> *mut c_void {
    temporary_stream(real!(c"tmpfile": fn() -> *mut c_void, ()))
}

#[unsafe(no_mangle)]
pub extern "C" fn tmpfile64() -> *mut c_void {
    temporary_stream(real!(c"tmpfile64": fn() -> *mut c_void, ()))
}

/// A file without a name.
fn temporary_stream(stream: *mut c_void) -> *mut c_void {
    if !stream.is_null() && controlled().is_some() {
        remember(stdio::descriptor_of(stream), TEMPORARY, READ_WRITE);
        stdio::has_file();
    }
    stream
}

/// The C library closes the descriptor of a stream itself, so what closing does comes first.
#[unsafe(no_mangle)]
pub extern "C" fn fclose(stream: *mut c_void) -> i32 {
    let place = caller();
    uses_stream(stream as usize, How::Closes, place);
    stdio::closing(stream, place);
    real!(c"fclose": fn(*mut c_void) -> i32, (stream))
}
