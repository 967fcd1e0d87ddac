//! Other programs: executed instead of this one, or started beside it.
//!
//! Whoever executes another program keeps this library and the region, whatever environment it passes; the other program finds its process in the
//! region and goes on with the token. A program that cannot load the library is out of control: for the others its process is
//! over as soon as it begins.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};

use core::sync::atomic::Ordering::Relaxed;

use crate::descriptors::{self, result};
use crate::modules;
use crate::process::{
    self, _exit, await_program, fail_to_begin, lends_no_memory_any_more, process_exit, program, waitpid,
};
use crate::signal;
use crate::sigwait;
use crate::sys::{self, errno::*, fails};
use crate::thread::knows_that_others_ended;
use crate::token::{caller, controlled, my_process, process, remark};

type Text = *const c_char;
/// A list that ends with a null pointer.
type List = *const Text;

unsafe extern "C" {
    static mut environ: List;
}

/// What other programs must find in their environment.
const KEPT: [&CStr; 2] = [c"LD_PRELOAD=", c"ALLWAYS_REGION="];
const LONGEST: usize = 4096;

struct Kept(UnsafeCell<[[u8; LONGEST]; KEPT.len()]>);

// SAFETY: written once before `main`, afterwards by the thread with the token alone.
unsafe impl Sync for Kept {}

static ENVIRONMENT: Kept = Kept(UnsafeCell::new([[0; LONGEST]; KEPT.len()]));

fn begins_with(text: Text, name: &CStr) -> bool {
    // SAFETY: both end with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_bytes().starts_with(name.to_bytes())
}

/// The texts of a list.
fn texts(list: List) -> impl Iterator<Item = Text> {
    let mut position = 0;
    core::iter::from_fn(move || {
        if list.is_null() {
            return None;
        }
        // SAFETY: the list goes on up to a null pointer.
        let text = unsafe { *list.add(position) };
        position += 1;
        (!text.is_null()).then_some(text)
    })
}

/// Remembers what others must find. To be called before `main`.
pub fn prepare() {
    // SAFETY: nobody else runs yet.
    let kept = unsafe { &mut *ENVIRONMENT.0.get() };
    // SAFETY: as above.
    for text in texts(unsafe { environ }) {
        for (buffer, name) in kept.iter_mut().zip(KEPT) {
            if begins_with(text, name) {
                // SAFETY: it ends with a zero byte.
                let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
                let length = bytes.len().min(LONGEST - 1);
                buffer[..length].copy_from_slice(&bytes[..length]);
            }
        }
    }
}

/// The descriptor of the region has got another number.
pub fn region_is_at(number: usize) {
    const REGION: usize = 1;
    let name = KEPT[REGION].to_bytes();
    let n_digits = number.checked_ilog10().map_or(1, |digits| digits as usize + 1);
    // SAFETY: see `Kept`.
    let text = unsafe { &mut (*ENVIRONMENT.0.get())[REGION] };
    let mut rest = number;
    for digit in text[name.len()..][..n_digits].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    text[name.len() + n_digits] = 0;
}

/// The environment that the program passes, with what must be in it. Never given back: it is for another program.
fn completed(list: List) -> Option<List> {
    const MMAP_PRIVATE: usize = 0x22;
    let count = texts(list).count();
    let size = (count + KEPT.len() + 1) * size_of::<Text>();
    let place = sys::call(sys::MMAP, 0, size, 3, MMAP_PRIVATE, usize::MAX, 0);
    if place < 0 {
        return None;
    }
    let new = place as *mut Text;
    let ours = texts(list).filter(|text| !KEPT.iter().any(|name| begins_with(*text, name)));
    let kept = (0..KEPT.len()).map(|number| (ENVIRONMENT.0.get() as usize + number * LONGEST) as Text);
    for (position, text) in kept.chain(ours).enumerate() {
        // SAFETY: there is room for all of them, and for the end, which is zero already.
        unsafe { *new.add(position) = text };
    }
    Some(new)
}

const OPEN_READ_ONLY: usize = 0;
const SET_IDENTITY: u32 = 0o6000;

/// Can this library be loaded into a program? Scripts are judged by what executes them.
fn can_be_controlled(path: Text, depth: usize) -> bool {
    let file = sys::call(sys::OPEN, path as usize, OPEN_READ_ONLY, 0, 0, 0, 0);
    if file < 0 {
        // It cannot be read; the kernel will say what is wrong.
        return true;
    }
    let mut head = [0_u8; 4096];
    let length = sys::call(sys::READ, file as usize, head.as_mut_ptr() as usize, head.len() - 1, 0, 0, 0);
    let mode = mode_of(file as usize);
    sys::call(sys::CLOSE, file as usize, 0, 0, 0, 0, 0);
    let head = &mut head[..length.max(0) as usize + 1];
    if head.starts_with(b"#!") && depth > 0 {
        let start = head.iter().skip(2).position(|byte| *byte != b' ').map_or(2, |space| space + 2);
        let length = head[start..].iter().position(|byte| matches!(byte, b' ' | b'\n' | b'\t' | 0));
        head[start + length.unwrap_or(0)] = 0;
        return can_be_controlled(head[start..].as_ptr().cast(), depth - 1);
    }
    mode & SET_IDENTITY == 0 && (!head.starts_with(b"\x7fELF") || has_loader(head))
}

fn mode_of(file: usize) -> u32 {
    /// Where `struct stat` has the mode.
    const MODE: usize = 24;
    let mut status = [0_u8; 256];
    sys::call(sys::FSTAT, file, status.as_mut_ptr() as usize, 0, 0, 0, 0);
    u32::from_le_bytes([status[MODE], status[MODE + 1], status[MODE + 2], status[MODE + 3]])
}

/// Does the table of segments name a loader?
fn has_loader(head: &[u8]) -> bool {
    const LOADER: u32 = 3;
    let number = |at: usize, length: usize| {
        head.get(at..at + length)
            .map_or(0, |bytes| bytes.iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte)))
    };
    let (start, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    (0..count).any(|segment| number(start + segment * size, 4) as u32 == LOADER)
}

const EXECVE: usize = 59;
const ACCESS: usize = 21;
const EXECUTE: usize = 1;

/// Becomes another program; returns only if that is impossible.
fn become_program(path: Text, arguments: List, environment: List) -> i32 {
    let refused = sys::call(ACCESS, path as usize, EXECUTE, 0, 0, 0, 0);
    if refused < 0 {
        return fails(-refused as i32);
    }
    let Some(environment) = completed(environment) else { return fails(ENOMEM) };
    if let Some(me) = controlled() {
        modules::tell_later();
        lends_no_memory_any_more(me);
        if !knows_that_others_ended(me) {
            remark(&[b"exec in a process with several threads"]);
        }
        if !can_be_controlled(path, 2) {
            // SAFETY: the program passes a text that ends with a zero byte.
            remark(&[
                b"exec of a program that cannot be controlled: ",
                unsafe { CStr::from_ptr(path) }.to_bytes(),
            ]);
            process(my_process()).program.store(program::BEGUN, Relaxed);
            process_exit(me);
        }
    }
    let result = sys::call(EXECVE, path as usize, arguments as usize, environment as usize, 0, 0, 0);
    fails(-result as i32)
}

/// Tries the folders of the path.
fn search_and_become(name: Text, arguments: List, environment: List) -> i32 {
    unsafe extern "C" {
        fn getenv(name: Text) -> Text;
    }
    // SAFETY: all of these end with a zero byte.
    let (name_bytes, folders) = unsafe {
        let folders = getenv(c"PATH".as_ptr());
        let folders = if folders.is_null() { c"/bin:/usr/bin" } else { CStr::from_ptr(folders) };
        (CStr::from_ptr(name).to_bytes(), folders.to_bytes())
    };
    if name_bytes.contains(&b'/') {
        return become_program(name, arguments, environment);
    }
    if name_bytes.is_empty() {
        return fails(ENOENT);
    }
    let mut is_forbidden = false;
    for folder in folders.split(|byte| *byte == b':') {
        let mut path = [0_u8; LONGEST];
        // An empty one is the current folder.
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let length = start + name_bytes.len();
        if length >= LONGEST {
            continue;
        }
        path[..folder.len()].copy_from_slice(folder);
        path[folder.len()] = b'/';
        path[start..length].copy_from_slice(name_bytes);
        become_program(path.as_ptr().cast(), arguments, environment);
        match sys::errno() {
            EACCES => is_forbidden = true,
            ENOENT | ENOTDIR => {}
            _ => return -1,
        }
    }
    fails(if is_forbidden { EACCES } else { ENOENT })
}

/// The environment of this program.
pub fn environment() -> List {
    // SAFETY: the C library keeps the list.
    unsafe { environ }
}

#[unsafe(no_mangle)]
pub extern "C" fn execve(path: Text, arguments: List, environment: List) -> i32 {
    match controlled() {
        Some(_) => become_program(path, arguments, environment),
        None => real!(c"execve": fn(Text, List, List) -> i32, (path, arguments, environment)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn execv(path: Text, arguments: List) -> i32 {
    execve(path, arguments, environment())
}

#[unsafe(no_mangle)]
pub extern "C" fn execvpe(name: Text, arguments: List, environment: List) -> i32 {
    match controlled() {
        Some(_) => search_and_become(name, arguments, environment),
        None => real!(c"execvpe": fn(Text, List, List) -> i32, (name, arguments, environment)),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn execvp(name: Text, arguments: List) -> i32 {
    execvpe(name, arguments, environment())
}

/// A `posix_spawn_file_actions_t` of the C library.
#[repr(C)]
pub struct FileActions {
    n_allocated: i32,
    n_used: i32,
    list: *const FileAction,
}

#[repr(C)]
struct FileAction {
    kind: i32,
    padding: i32,
    /// Or where the path to a folder begins.
    descriptor: i32,
    new: i32,
    path: usize,
    flags: i32,
    mode: u32,
}

/// The beginning of a `posix_spawnattr_t`.
#[repr(C)]
pub struct Attributes {
    flags: i16,
    group: i32,
    defaults: [u64; 16],
    blocked: [u64; 16],
}

const SET_DEFAULTS: i16 = 4;
const SET_BLOCKED: i16 = 8;
const SET_GROUP: i16 = 2;
/// It says how the C library is to make the process.
const USE_VFORK: i16 = 0x40;

/// Starts a program beside this one; 0, or what went wrong, also in the child.
fn spawn(
    me: usize,
    pid: *mut i32,
    attributes: *const Attributes,
    actions: *const FileActions,
    place: u64,
    begin: impl FnOnce() -> i32,
) -> i32 {
    let child = process::copy();
    if child < 0 {
        return EAGAIN;
    }
    if child == 0 {
        // SAFETY: the program passes these, or null pointers.
        let (attributes, actions) = unsafe { (attributes.as_ref(), actions.as_ref()) };
        if attributes.is_none_or(apply_attributes) && actions.is_none_or(apply_actions) {
            begin();
        }
        fail_to_begin(sys::errno());
    }
    let error = await_program(me, child, place);
    if error == 0 && !pid.is_null() {
        // SAFETY: the program passes a place for the number, or none.
        unsafe { *pid = child };
    }
    error
}

/// False if that failed: then `errno` tells why.
fn apply_attributes(attributes: &Attributes) -> bool {
    const SETPGID: usize = 109;
    if attributes.flags & SET_DEFAULTS != 0 {
        signal::set_defaults(attributes.defaults[0]);
    }
    if attributes.flags & SET_BLOCKED != 0 {
        const SIG_SETMASK: i32 = 2;
        sigwait::pthread_sigmask(SIG_SETMASK, attributes.blocked.as_ptr(), core::ptr::null_mut());
    }
    if attributes.flags & SET_GROUP != 0
        && result(sys::call(SETPGID, 0, attributes.group as usize, 0, 0, 0, 0)) < 0
    {
        return false;
    }
    if attributes.flags & !(SET_DEFAULTS | SET_BLOCKED | SET_GROUP | USE_VFORK) != 0 {
        remark(&[b"posix_spawn with other attributes than signals and group"]);
    }
    true
}

/// False if one of them failed: then `errno` tells why.
fn apply_actions(actions: &FileActions) -> bool {
    if actions.n_used <= 0 || actions.list.is_null() {
        return true;
    }
    // SAFETY: the C library made a list of this length.
    let list = unsafe { core::slice::from_raw_parts(actions.list, actions.n_used as usize) };
    list.iter().all(apply_action)
}

fn apply_action(action: &FileAction) -> bool {
    const CLOSE: i32 = 0;
    const DUPLICATE: i32 = 1;
    const OPEN: i32 = 2;
    const CHDIR: i32 = 3;
    const CLOSE_FROM: i32 = 5;
    const SYS_CHDIR: usize = 80;
    match action.kind {
        CLOSE => {
            descriptors::close(action.descriptor);
            true
        }
        DUPLICATE => descriptors::dup2(action.descriptor, action.new) >= 0,
        OPEN => {
            let (flags, mode) = (action.flags as usize, action.mode as usize);
            let opened = result(sys::call(sys::OPEN, action.path, flags, mode, 0, 0, 0)) as i32;
            opened == action.descriptor
                || opened >= 0 && {
                    let result = descriptors::dup2(opened, action.descriptor);
                    descriptors::close(opened);
                    result >= 0
                }
        }
        CHDIR => {
            // SAFETY: what is a descriptor in other actions is the beginning of a pointer, and aligned like one.
            let path = unsafe { *(&raw const action.descriptor).cast::<usize>() };
            result(sys::call(SYS_CHDIR, path, 0, 0, 0, 0, 0)) >= 0
        }
        CLOSE_FROM => {
            descriptors::closefrom(action.descriptor);
            true
        }
        _ => {
            remark(&[b"posix_spawn with an unusual file action"]);
            true
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn posix_spawn(
    pid: *mut i32,
    path: Text,
    actions: *const FileActions,
    attributes: *const Attributes,
    arguments: List,
    environment: List,
) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"posix_spawn": fn(*mut i32, Text, *const FileActions, *const Attributes, List, List) -> i32,
            (pid, path, actions, attributes, arguments, environment));
    };
    spawn(me, pid, attributes, actions, caller(), || become_program(path, arguments, environment))
}

#[unsafe(no_mangle)]
pub extern "C" fn posix_spawnp(
    pid: *mut i32,
    name: Text,
    actions: *const FileActions,
    attributes: *const Attributes,
    arguments: List,
    environment: List,
) -> i32 {
    let Some(me) = controlled() else {
        return real!(c"posix_spawnp": fn(*mut i32, Text, *const FileActions, *const Attributes, List, List) -> i32,
            (pid, name, actions, attributes, arguments, environment));
    };
    spawn(me, pid, attributes, actions, caller(), || search_and_become(name, arguments, environment))
}

#[unsafe(no_mangle)]
pub extern "C" fn system(command: Text) -> i32 {
    let Some(me) = controlled() else { return real!(c"system": fn(Text) -> i32, (command)) };
    if command.is_null() {
        return 1;
    }
    let was = signal::block_child_signal(me);
    let child = process::copy();
    if child == 0 {
        signal::restore(me_now(), was);
        become_shell(command);
        _exit(127);
    }
    let mut status = -1;
    if child > 0 {
        while waitpid(child, &mut status, 0) < 0 && sys::errno() == EINTR {}
    }
    signal::restore(me, was);
    status
}

/// Becomes a shell that executes this; returns only if that is impossible.
pub fn become_shell(command: Text) -> i32 {
    let arguments = [c"sh".as_ptr(), c"-c".as_ptr(), command, core::ptr::null()];
    become_program(c"/bin/sh".as_ptr(), arguments.as_ptr(), environment())
}

/// After a fork this thread has another number.
fn me_now() -> usize {
    controlled().unwrap_or(0)
}
