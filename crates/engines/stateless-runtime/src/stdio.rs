//! Streams of the C library on descriptors that are known here.
//!
//! The C library reads and writes its streams without calling a function that could be hidden. So a stream on a pipe or socket is made with
//! functions of our own that go through the model; and when a standard stream becomes a pipe, the variable gets such a stream. The lock
//! of a stream is not seen: that matters as soon as several threads use it.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

use crate::descriptors::{self, Description, what};
use crate::open;
use crate::stream_calls;
use crate::sys;
use crate::token::{caller, controlled, my_process, process, remark};
use crate::transfer::{modelled_read, modelled_write};
use crate::vector::Vector;

/// The functions of a stream.
#[repr(C)]
struct Functions {
    read: extern "C" fn(*mut c_void, *mut c_char, usize) -> isize,
    write: extern "C" fn(*mut c_void, *const c_char, usize) -> isize,
    seek: usize,
    close: extern "C" fn(*mut c_void) -> c_int,
}

unsafe extern "C" {
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: Functions) -> *mut c_void;
    fn malloc(size: usize) -> *mut c_void;
    static mut stdin: *mut c_void;
    static mut stdout: *mut c_void;
    static mut stderr: *mut c_void;
}

const MOST: usize = 256;
/// As large as the C library makes it for a pipe.
const BUFFER: usize = 4096;
const FULLY: c_int = 0;
const NOT_AT_ALL: c_int = 2;
/// Where a stream has the first byte that was not written yet.
const WRITE_BASE: usize = 32;

/// The streams that were made here, and their descriptors. Only the thread with the token uses them.
static STREAMS: [(AtomicUsize, AtomicU32); MOST] = [const { (AtomicUsize::new(0), AtomicU32::new(0)) }; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The standard streams as the C library made them.
static STANDARD: [AtomicPtr<c_void>; 3] = [const { AtomicPtr::new(core::ptr::null_mut()) }; 3];

fn known(stream: *mut c_void) -> Option<&'static (AtomicUsize, AtomicU32)> {
    STREAMS[..COUNT.load(Relaxed)].iter().find(|known| known.0.load(Relaxed) == stream as usize)
}

extern "C" fn read_from(cookie: *mut c_void, bytes: *mut c_char, length: usize) -> isize {
    let descriptor = cookie as usize - 1;
    mind_threads(descriptor);
    modelled_read(descriptor, &Vector::single(bytes as usize, length), 0).unwrap_or_else(|| {
        descriptors::result(sys::call(sys::READ, descriptor, bytes as usize, length, 0, 0, 0))
    })
}

extern "C" fn write_to(cookie: *mut c_void, bytes: *const c_char, length: usize) -> isize {
    let descriptor = cookie as usize - 1;
    mind_threads(descriptor);
    let mut written = 0;
    while written < length {
        let (from, rest) = (bytes as usize + written, length - written);
        let moved = modelled_write(descriptor, &Vector::single(from, rest), 0)
            .unwrap_or_else(|| descriptors::result(sys::call(sys::WRITE, descriptor, from, rest, 0, 0, 0)));
        if moved <= 0 {
            break;
        }
        written += moved as usize;
    }
    written as isize
}

extern "C" fn close_it(cookie: *mut c_void) -> c_int {
    descriptors::close((cookie as usize - 1) as i32)
}

fn mind_threads(descriptor: usize) {
    let is_random = Description::at(descriptor).is_some_and(|known| known.what() == what::RANDOM);
    if controlled().is_some() && !is_random && process(my_process()).n_live.load(Relaxed) > 1 {
        remark(&[b"a stream on a pipe or socket in a process with several threads"]);
    }
}

/// A stream on a descriptor that is known here.
pub fn stream_on(descriptor: usize, mode: *const c_char) -> *mut c_void {
    let functions = Functions { read: read_from, write: write_to, seek: 0, close: close_it };
    let number = COUNT.load(Relaxed);
    if number >= MOST {
        remark(&[b"very many streams on pipes"]);
        return core::ptr::null_mut();
    }
    // SAFETY: the mode is the program's.
    let stream = unsafe { fopencookie((descriptor + 1) as *mut c_void, mode, functions) };
    if !stream.is_null() {
        // SAFETY: it has no conditions; the buffer is never given back.
        let buffer = unsafe { malloc(BUFFER) }.cast();
        let mode = if descriptor == 2 { NOT_AT_ALL } else { FULLY };
        real!(c"setvbuf": fn(*mut c_void, *mut c_char, c_int, usize) -> c_int, (stream, buffer, mode, BUFFER));
        STREAMS[number].0.store(stream as usize, Relaxed);
        STREAMS[number].1.store(descriptor as u32, Relaxed);
        COUNT.store(number + 1, Relaxed);
    }
    stream
}

/// Was a stream made here?
pub fn is_ours(stream: *mut c_void) -> bool {
    known(stream).is_some()
}

/// The standard streams as they are now.
pub fn input() -> usize {
    // SAFETY: the variable is the C library's.
    unsafe { stdin as usize }
}

pub fn output() -> usize {
    // SAFETY: as above.
    unsafe { stdout as usize }
}

pub fn errors() -> usize {
    // SAFETY: as above.
    unsafe { stderr as usize }
}

/// Are reading and writing steps?
pub fn is_modelled(descriptor: usize) -> bool {
    Description::at(descriptor)
        .is_some_and(|known| matches!(known.what(), what::PIPE | what::SOCKET | what::EVENT | what::RANDOM))
}

#[unsafe(no_mangle)]
pub extern "C" fn fdopen(descriptor: i32, mode: *const c_char) -> *mut c_void {
    if controlled().is_some() && is_modelled(descriptor as usize) {
        return stream_on(descriptor as usize, mode);
    }
    has_file();
    real!(c"fdopen": fn(i32, *const c_char) -> *mut c_void, (descriptor, mode))
}

/// A stream that becomes another: what it was is not closed here, unless it was a file.
fn reopened(path: *const c_char, stream: *mut c_void) {
    let is_closed = |what: u8| what == what::FILE && !path.is_null();
    let is_open = || Description::at(descriptor_of(stream)).is_some_and(|open| !is_closed(open.what()));
    if controlled().is_some() && (known(stream).is_some() || is_open()) {
        remark(&[b"freopen of a stream on something that is modelled"]);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn freopen(path: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void {
    reopened(path, stream);
    open::open_again(
        path,
        mode,
        stream,
        caller(),
        || real!(c"freopen": fn(*const c_char, *const c_char, *mut c_void) -> *mut c_void, (path, mode, stream)),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn freopen64(path: *const c_char, mode: *const c_char, stream: *mut c_void) -> *mut c_void {
    reopened(path, stream);
    open::open_again(
        path,
        mode,
        stream,
        caller(),
        || real!(c"freopen64": fn(*const c_char, *const c_char, *mut c_void) -> *mut c_void, (path, mode, stream)),
    )
}

/// The descriptor of a stream.
pub fn descriptor_of(stream: *mut c_void) -> usize {
    match known(stream) {
        Some(known) => known.1.load(Relaxed) as usize,
        None => real!(c"fileno": fn(*mut c_void) -> i32, (stream)) as usize,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fileno(stream: *mut c_void) -> i32 {
    descriptor_of(stream) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn fileno_unlocked(stream: *mut c_void) -> i32 {
    descriptor_of(stream) as i32
}

/// Before a stream is closed: the C library closes the descriptor of an ordinary one without asking.
pub fn closing(stream: *mut c_void, place: u64) {
    if let Some(known) = known(stream) {
        known.0.store(0, Relaxed);
    } else if let Some(me) = controlled() {
        let descriptor = real!(c"fileno": fn(*mut c_void) -> i32, (stream));
        if descriptor >= 0 && Description::at(descriptor as usize).is_some() {
            write_out(stream);
            descriptors::forget(me, descriptor as usize, place);
        }
    }
}

/// A descriptor from 0 to 2 is something else now: the standard stream follows.
pub fn standard_changed(descriptor: usize) {
    let variable = match descriptor {
        0 => &raw mut stdin,
        1 => &raw mut stdout,
        2 => &raw mut stderr,
        _ => return,
    };
    // SAFETY: the variables are the C library's; a program may change them, and only the thread with the token is here.
    let variable = unsafe { &mut *variable };
    let is_ours = known(*variable).is_some();
    if is_modelled(descriptor) == is_ours {
        return;
    }
    let new = if is_ours {
        STANDARD[descriptor].load(Relaxed)
    } else {
        if crate::real::find(c"_ZSt4cout") != 0 {
            remark(&[b"a standard stream of C++ that is a pipe"]);
        }
        STANDARD[descriptor].store(*variable, Relaxed);
        stream_on(descriptor, if descriptor == 0 { c"r".as_ptr() } else { c"w".as_ptr() })
    };
    if !new.is_null() {
        if descriptor != 0 {
            move_pending(*variable, new);
        }
        *variable = new;
    }
}

/// What was printed and not written yet goes where the descriptor goes now.
fn move_pending(from: *mut c_void, to: *mut c_void) {
    let pending = real!(c"__fpending": fn(*mut c_void) -> usize, (from));
    if pending > 0 {
        // SAFETY: it is a stream; the bytes are in its buffer, and the layout is part of the C library's interface.
        let bytes = unsafe { *from.byte_add(WRITE_BASE).cast::<*const c_void>() };
        real!(c"fwrite": fn(*const c_void, usize, usize, *mut c_void) -> usize, (bytes, 1, pending, to));
        real!(c"__fpurge": fn(*mut c_void) -> (), (from));
    }
}

fn write_out(stream: *mut c_void) {
    real!(c"fflush": fn(*mut c_void) -> c_int, (stream));
}

/// Has this process had a stream on a file?
static HAS_FILES: AtomicBool = AtomicBool::new(false);

pub fn has_file() {
    HAS_FILES.store(true, Relaxed);
}

/// At the end of a process: the C library would write what is left when nobody looks any more.
pub fn flush() {
    if HAS_FILES.load(Relaxed) {
        stream_calls::flushes_at_end();
    }
    if COUNT.load(Relaxed) > 0 || HAS_FILES.load(Relaxed) {
        write_out(core::ptr::null_mut());
    }
}
