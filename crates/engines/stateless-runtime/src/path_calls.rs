//! Functions that take the path of a file: what they touch is told, then they are called.

use core::ffi::{c_char, c_void};

use crate::block::{is_watched, text_length};
use crate::file_lock::status;
use crate::hooks::hook;
use crate::kernel_state::{is_limited, looks_at_rights};
use crate::leftovers;
use crate::mapping;
use crate::memory::{Frame, expect_writes, note_writes, place_of};
use crate::paths::{FOLDER_OF_PROCESS, File, HERE, Path, Removal, Target, follow, of_process};
use crate::sys;
use crate::token::{caller, caller_frame, controlled, is_concurrent, remark};
use crate::uses::{Role, Used, Uses, step};

type Call = [usize; 6];

/// With which rights files are made.
pub const MASK: &[u8] = b"umask";
const GETCWD: usize = 79;
const NO_FOLLOW: usize = 0x100;
const FOLLOW: usize = 0x400;

/// `name "name" => footprint;` for each function. The footprint is a function of its registers.
macro_rules! calls {
    ($($name:ident $text:literal => $footprint:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let footprint: fn(&mut Uses, &Call) = $footprint;
            step(caller(), |uses| footprint(uses, &[a, b, c, d, e, f]));
            real!($text: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
        })*
    };
}
pub(crate) use calls;

/// The same for functions that look at names.
macro_rules! looking_calls {
    ($($name:ident $text:literal => $footprint:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let footprint: fn(&mut Uses, &Call) = $footprint;
            let describe = |uses: &mut Uses| footprint(uses, &[a, b, c, d, e, f]);
            step(caller(), describe);
            leftovers::looks(describe);
            real!($text: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
        })*
    };
}

/// The same for functions that change names, or the contents behind them.
macro_rules! changing_calls {
    ($($name:ident $text:literal => $footprint:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let footprint: fn(&mut Uses, &Call) = $footprint;
            let describe = |uses: &mut Uses| footprint(uses, &[a, b, c, d, e, f]);
            step(caller(), describe);
            leftovers::changes(describe, || {
                real!($text: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
            })
        })*
    };
}

/// The same for functions that may remove what has a name: the number of the argument that is the path, and of the folder, if there is one.
macro_rules! removing_calls {
    ($($name:ident $text:literal, $path:literal $(in $folder:literal)? => $footprint:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let footprint: fn(&mut Uses, &Call) = $footprint;
            let call = [a, b, c, d, e, f];
            let describe = |uses: &mut Uses| footprint(uses, &call);
            step(caller(), describe);
            let (folder, path) = ([HERE $(, call[$folder] as i32)?], call[$path] as *const c_char);
            let removal = Removal::of(folder[folder.len() - 1], path);
            let result = leftovers::removes(describe, || {
                real!($text: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
            });
            if result as i32 == 0 {
                removal.happened(folder[folder.len() - 1], path);
            }
            result
        })*
    };
}

/// The same for functions that write so many bytes to a place that is one of their arguments.
macro_rules! telling_calls {
    ($($name:ident $text:literal, $into:literal $size:literal => $footprint:expr;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let footprint: fn(&mut Uses, &Call) = $footprint;
            let (place, frame) = (caller(), caller_frame());
            tells([a, b, c, d, e, f][$into], $size, frame, || {
                let describe = |uses: &mut Uses| footprint(uses, &[a, b, c, d, e, f]);
                step(place, describe);
                crate::leftovers::looks(describe);
                real!($text: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
            })
        })*
    };
}
pub(crate) use telling_calls;

/// Lets a function write to memory of the program, which it does if its result is 0.
pub fn tells(into: usize, size: usize, frame: Frame, call: impl FnOnce() -> usize) -> usize {
    if into == 0 || !is_watched(frame) {
        return call();
    }
    expect_writes(into, size, frame);
    let result = call();
    if result as i32 == 0 {
        note_writes(into, size, frame);
    }
    result
}

fn at(uses: &mut Uses, folder: usize, text: usize, follows: bool) -> Target {
    follow(uses, Path { folder: folder as i32, text: text as *const c_char, follows })
}

fn here(uses: &mut Uses, text: usize) -> Target {
    at(uses, HERE as usize, text, true)
}

/// The name itself, also if it is a link.
fn name(uses: &mut Uses, folder: usize, text: usize) -> Target {
    at(uses, folder, text, false)
}

/// Looks whether a file is there, and what may be done with it.
fn looks(uses: &mut Uses, target: Target) {
    target.is_looked_at(uses);
    if let Some(file) = target.file {
        uses.reads(file.status());
    }
}

/// Looks at everything that is known about it.
fn asks(uses: &mut Uses, target: Target) {
    if let Some(file) = target.file {
        uses.reads(file.contents());
        if let Some(watch) = &uses.watch {
            watch.reads(file);
        }
    }
    looks(uses, target);
}

fn changes_status(uses: &mut Uses, target: Target) {
    target.is_looked_at(uses);
    if let Some(file) = target.file {
        uses.writes(file.status());
    }
}

fn truncates(uses: &mut Uses, target: Target) {
    is_limited(uses);
    if let Some(file) = target.file {
        match &uses.watch {
            Some(watch) => watch.writes(file),
            None => mapping::meets(file, mapping::Use::Writes),
        }
    }
    changes_times(uses, target);
}

fn changes_times(uses: &mut Uses, target: Target) {
    if let Some(file) = target.file {
        uses.writes(file.contents());
    }
    looks(uses, target);
}

/// Makes a name where none is.
fn makes(uses: &mut Uses, target: Target) {
    target.changes(uses, target.file.is_none());
    reads_mask(uses);
}

/// What is made depends on the mask.
pub fn reads_mask(uses: &mut Uses) {
    if let Some(mask) = of_process(MASK) {
        uses.reads(mask);
    }
}

/// A folder must have nothing in it.
fn removes(uses: &mut Uses, target: Target) {
    target.is_removed(uses, target.file.is_some());
    if let Some(file) = target.file {
        uses.writes(file.status());
        if file.is_folder() {
            looks_into(uses, file);
        }
    }
}

/// Depends on what a folder has in it.
fn looks_into(uses: &mut Uses, folder: File) {
    uses.reads(folder.contents());
    if let Some(watch) = &uses.watch {
        watch.lists(folder);
    }
}

/// What was there under the new name is removed.
fn renames(uses: &mut Uses, from: Target, to: Target, is_exclusive: bool) {
    let is_possible = from.file.is_some();
    from.changes(uses, is_possible);
    if !is_exclusive && to.file.is_none_or(|file| !file.is_folder()) {
        to.is_replaced(uses, is_possible);
    } else {
        to.changes(uses, is_possible);
    }
    if let Some(folder) = from.file.filter(|file| file.is_folder()) {
        // `..` leads elsewhere.
        uses.writes(folder.status());
    }
    if let Some(file) = to.file.filter(|_| is_possible) {
        uses.writes(file.status());
        if file.is_folder() {
            looks_into(uses, file);
        }
    }
}

fn links(uses: &mut Uses, from: Target, to: Target) {
    to.changes(uses, from.file.is_some() && to.file.is_none());
    changes_status(uses, from);
}

fn lists(uses: &mut Uses, target: Target) {
    is_limited(uses);
    if let Some(folder) = target.file.filter(|file| file.is_folder()) {
        looks_into(uses, folder);
    }
    asks(uses, target);
}

fn changes_folder(uses: &mut Uses) {
    if let Some(folder) = of_process(FOLDER_OF_PROCESS) {
        uses.writes(folder);
    }
}

/// Where the folder is depends on the names of all folders above.
fn looks_at_folder(uses: &mut Uses) {
    if let Some(folder) = of_process(FOLDER_OF_PROCESS) {
        uses.reads(folder);
    }
    let mut path = [0_u8; 1024];
    if sys::call(GETCWD, path.as_mut_ptr() as usize, path.len(), 0, 0, 0, 0) > 0 && path[0] == b'/' {
        here(uses, path.as_ptr() as usize).is_looked_at(uses);
    } else {
        let target = here(uses, c".".as_ptr() as usize);
        looks(uses, target);
    }
}

looking_calls! {
    access c"access" => |uses, call| { let target = here(uses, call[0]); looks(uses, target) };
    euidaccess c"euidaccess" => |uses, call| { let target = here(uses, call[0]); looks(uses, target) };
    eaccess c"eaccess" => |uses, call| { let target = here(uses, call[0]); looks(uses, target) };
    faccessat c"faccessat" => |uses, call| {
        let target = at(uses, call[0], call[1], call[3] & NO_FOLLOW == 0);
        looks(uses, target);
    };
    readlink c"readlink" => |uses, call| { let target = name(uses, HERE as usize, call[0]); looks(uses, target) };
    readlinkat c"readlinkat" => |uses, call| { let target = name(uses, call[0], call[1]); looks(uses, target) };
    realpath c"realpath" => |uses, call| { let target = here(uses, call[0]); looks(uses, target) };
    __realpath_chk c"__realpath_chk" => |uses, call| { let target = here(uses, call[0]); looks(uses, target) };
    canonicalize_file_name c"canonicalize_file_name" => |uses, call| { let target = here(uses, call[0]); looks(uses, target) };
}

changing_calls! {
    truncate c"truncate" => |uses, call| { let target = here(uses, call[0]); truncates(uses, target) };
    truncate64 c"truncate64" => |uses, call| { let target = here(uses, call[0]); truncates(uses, target) };
}

looking_calls! {
    chmod c"chmod" => |uses, call| { let target = here(uses, call[0]); changes_status(uses, target) };
    chown c"chown" => |uses, call| { let target = here(uses, call[0]); changes_status(uses, target) };
    lchown c"lchown" => |uses, call| { let target = name(uses, HERE as usize, call[0]); changes_status(uses, target) };
    utime c"utime" => |uses, call| { let target = here(uses, call[0]); changes_times(uses, target) };
    utimes c"utimes" => |uses, call| { let target = here(uses, call[0]); changes_times(uses, target) };
    fchmodat c"fchmodat" => |uses, call| { let target = at(uses, call[0], call[1], true); changes_status(uses, target) };
    fchownat c"fchownat" => |uses, call| {
        let target = at(uses, call[0], call[1], call[4] & NO_FOLLOW == 0);
        changes_status(uses, target);
    };
    utimensat c"utimensat" => |uses, call| {
        let target = at(uses, call[0], call[1], call[3] & NO_FOLLOW == 0);
        changes_times(uses, target);
    };
}

changing_calls! {
    link c"link" => |uses, call| {
        let (from, to) = (name(uses, HERE as usize, call[0]), name(uses, HERE as usize, call[1]));
        links(uses, from, to);
    };
    linkat c"linkat" => |uses, call| {
        let from = at(uses, call[0], call[1], call[4] & FOLLOW != 0);
        let to = name(uses, call[2], call[3]);
        links(uses, from, to);
    };
    symlink c"symlink" => |uses, call| { let target = name(uses, HERE as usize, call[1]); makes(uses, target) };
    symlinkat c"symlinkat" => |uses, call| { let target = name(uses, call[1], call[2]); makes(uses, target) };
    mkdir c"mkdir" => |uses, call| { let target = name(uses, HERE as usize, call[0]); makes(uses, target) };
    mkdirat c"mkdirat" => |uses, call| { let target = name(uses, call[0], call[1]); makes(uses, target) };
    mkfifo c"mkfifo" => |uses, call| { let target = name(uses, HERE as usize, call[0]); makes(uses, target) };
    mkfifoat c"mkfifoat" => |uses, call| { let target = name(uses, call[0], call[1]); makes(uses, target) };
    mknod c"mknod" => |uses, call| { let target = name(uses, HERE as usize, call[0]); makes(uses, target) };
    mknodat c"mknodat" => |uses, call| { let target = name(uses, call[0], call[1]); makes(uses, target) };
}

looking_calls! {
    opendir c"opendir" => |uses, call| { let target = here(uses, call[0]); lists(uses, target) };
    scandir c"scandir" => |uses, call| { let target = here(uses, call[0]); lists(uses, target) };
    scandir64 c"scandir64" => |uses, call| { let target = here(uses, call[0]); lists(uses, target) };
    scandirat c"scandirat" => |uses, call| { let target = at(uses, call[0], call[1], true); lists(uses, target) };
    scandirat64 c"scandirat64" => |uses, call| { let target = at(uses, call[0], call[1], true); lists(uses, target) };
    readdir c"readdir" => |uses, call| reads_folder(uses, call[0]);
    readdir64 c"readdir64" => |uses, call| reads_folder(uses, call[0]);
    readdir_r c"readdir_r" => |uses, call| reads_folder(uses, call[0]);
    readdir64_r c"readdir64_r" => |uses, call| reads_folder(uses, call[0]);
    rewinddir c"rewinddir" => |uses, call| reads_folder(uses, call[0]);
    seekdir c"seekdir" => |uses, call| reads_folder(uses, call[0]);
    telldir c"telldir" => |uses, call| reads_folder(uses, call[0]);
    closedir c"closedir" => |uses, call| reads_folder(uses, call[0]);
    chdir c"chdir" => |uses, call| {
        let target = here(uses, call[0]);
        looks(uses, target);
        changes_folder(uses);
    };
}

calls! {
    fchdir c"fchdir" => |uses, _| {
        looks_at_rights(uses);
        changes_folder(uses);
    };
    getwd c"getwd" => |uses, _| looks_at_folder(uses);
    get_current_dir_name c"get_current_dir_name" => |uses, _| looks_at_folder(uses);
    umask c"umask" => |uses, _| {
        if let Some(mask) = of_process(MASK) {
            uses.writes(mask);
        }
    };
}

removing_calls! {
    unlink c"unlink", 0 => |uses, call| { let target = name(uses, HERE as usize, call[0]); removes(uses, target) };
    unlinkat c"unlinkat", 1 in 0 => |uses, call| { let target = name(uses, call[0], call[1]); removes(uses, target) };
    rmdir c"rmdir", 0 => |uses, call| { let target = name(uses, HERE as usize, call[0]); removes(uses, target) };
    remove c"remove", 0 => |uses, call| { let target = name(uses, HERE as usize, call[0]); removes(uses, target) };
    rename c"rename", 1 => |uses, call| {
        let (from, to) = (name(uses, HERE as usize, call[0]), name(uses, HERE as usize, call[1]));
        renames(uses, from, to, false);
    };
    renameat c"renameat", 3 in 2 => |uses, call| {
        let (from, to) = (name(uses, call[0], call[1]), name(uses, call[2], call[3]));
        renames(uses, from, to, false);
    };
    renameat2 c"renameat2", 3 in 2 => |uses, call| {
        let (from, to) = (name(uses, call[0], call[1]), name(uses, call[2], call[3]));
        renames(uses, from, to, call[4] != 0);
    };
}

telling_calls! {
    stat c"stat", 1 144 => |uses, call| { let target = here(uses, call[0]); asks(uses, target) };
    stat64 c"stat64", 1 144 => |uses, call| { let target = here(uses, call[0]); asks(uses, target) };
    lstat c"lstat", 1 144 => |uses, call| { let target = name(uses, HERE as usize, call[0]); asks(uses, target) };
    lstat64 c"lstat64", 1 144 => |uses, call| { let target = name(uses, HERE as usize, call[0]); asks(uses, target) };
    fstatat c"fstatat", 2 144 => |uses, call| asks_at(uses, call[0], call[1], call[3]);
    fstatat64 c"fstatat64", 2 144 => |uses, call| asks_at(uses, call[0], call[1], call[3]);
    statx c"statx", 4 256 => |uses, call| asks_at(uses, call[0], call[1], call[2]);
    // As programs call them that were linked with an older C library: the version comes first.
    __xstat c"__xstat", 2 144 => |uses, call| { let target = here(uses, call[1]); asks(uses, target) };
    __xstat64 c"__xstat64", 2 144 => |uses, call| { let target = here(uses, call[1]); asks(uses, target) };
    __lxstat c"__lxstat", 2 144 => |uses, call| { let target = name(uses, HERE as usize, call[1]); asks(uses, target) };
    __lxstat64 c"__lxstat64", 2 144 => |uses, call| { let target = name(uses, HERE as usize, call[1]); asks(uses, target) };
    __fxstatat c"__fxstatat", 3 144 => |uses, call| asks_at(uses, call[1], call[2], call[4]);
    __fxstatat64 c"__fxstatat64", 3 144 => |uses, call| asks_at(uses, call[1], call[2], call[4]);
}

/// The name of the folder that the process is in, at a place of the program or in new memory.
fn current_folder(to: usize, size: usize, frame: Frame, real: impl FnOnce() -> usize) -> usize {
    let is_seen = to != 0 && is_watched(frame);
    if is_seen {
        expect_writes(to, size, frame);
    }
    step(place_of(frame), looks_at_folder);
    let result = real();
    if is_seen && result != 0 {
        note_writes(to, text_length(to, size), frame);
    }
    result
}

type Unused = usize;

extern "C" fn folder(to: usize, size: usize, _: Unused, _: Unused, _: Unused, frame: Frame) -> usize {
    current_folder(to, size, frame, || real!(c"getcwd": fn(usize, usize) -> usize, (to, size)))
}

extern "C" fn folder_checked(
    to: usize,
    size: usize,
    room: usize,
    _: Unused,
    _: Unused,
    frame: Frame,
) -> usize {
    let real = || real!(c"__getcwd_chk": fn(usize, usize, usize) -> usize, (to, size, room));
    current_folder(to, size, frame, real)
}

hook! {
    getcwd => folder;
    __getcwd_chk => folder_checked;
}

/// The path may be empty: then it is about the descriptor.
fn asks_at(uses: &mut Uses, folder: usize, text: usize, flags: usize) {
    // SAFETY: the program passes a text, or nothing.
    if text == 0 || unsafe { *(text as *const u8) } == 0 {
        return crate::file_calls::asks(uses, folder);
    }
    let target = at(uses, folder, text, flags & NO_FOLLOW == 0);
    asks(uses, target);
}

/// A name that was drawn.
pub fn makes_this_name(uses: &mut Uses, text: *const c_char) {
    let target = follow(uses, Path { folder: HERE, text, follows: false });
    target.is_replaced(uses, true);
}

/// A name that nobody has yet is added to a folder.
pub fn makes_some_name(uses: &mut Uses, text: *const c_char) {
    let target = follow(uses, Path { folder: HERE, text, follows: false });
    target.adds(uses);
    reads_mask(uses);
}

/// What the C library reads of a folder at a time is more than one name; who shares the stream shares its place.
fn reads_folder(uses: &mut Uses, stream: usize) {
    unsafe extern "C" {
        fn dirfd(stream: *mut c_void) -> i32;
    }
    // SAFETY: the program passes a stream that it has opened.
    let descriptor = unsafe { dirfd(stream as *mut c_void) };
    uses.writes(Used { role: Role::Stream, identity: stream as u64, name: 0 });
    if let Some(status) = status(descriptor as usize) {
        looks_into(uses, File::new(&status, 0));
    }
}

/// Functions that go through folders by themselves.
macro_rules! remarked {
    ($($name:ident $text:literal;)*) => {
        $(#[unsafe(no_mangle)]
        pub extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            if controlled().is_some() && is_concurrent() {
                remark(&[stringify!($name).as_bytes()]);
            }
            real!($text: fn(usize, usize, usize, usize, usize, usize) -> usize, (a, b, c, d, e, f))
        })*
    };
}

remarked! {
    ftw c"ftw";
    ftw64 c"ftw64";
    nftw c"nftw";
    nftw64 c"nftw64";
    glob c"glob";
    glob64 c"glob64";
    fts_open c"fts_open";
    fts64_open c"fts64_open";
    copy_file_range c"copy_file_range";
    futimesat c"futimesat";
    inotify_init c"inotify_init";
    inotify_init1 c"inotify_init1";
    setxattr c"setxattr";
    lsetxattr c"lsetxattr";
    fsetxattr c"fsetxattr";
    removexattr c"removexattr";
    chroot c"chroot";
    mount c"mount";
    umount c"umount";
    umount2 c"umount2";
}
