//! Where a path leads, for the footprints of operations on files ([`crate::uses`]).
//!
//! A path is followed part by part, as the kernel does it. Each part is a name in a folder, which is known by device and inode, and is looked at; what is done
//! to the last one is up to the operation.

use core::ffi::c_char;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{FILE_NAMES, ObjectKind};

use crate::file_lock::Status;
use crate::kernel_state::{looks_at_rights, tells_of_processes};
use crate::leftovers::Matters;
use crate::objects::{find, in_space, object, reserve};
use crate::sys;
use crate::thread::others;
use crate::token::{controlled, my_process, region, remark};
use crate::uses::{Role, Used, Uses, mixed};

const NEWFSTATAT: usize = 262;
const READLINKAT: usize = 267;
const NO_FOLLOW: usize = 0x100;
pub const HERE: i32 = -100;
const KIND: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
/// Longer paths are not followed to their end: stacks may be small.
const LENGTH: usize = 1024;
/// Links that are followed; the kernel takes more, but nobody makes them.
const LINKS: usize = 8;

/// A path of the program.
#[derive(Clone, Copy)]
pub struct Path {
    /// Where it begins if it is not absolute: a descriptor, or [`HERE`].
    pub folder: i32,
    pub text: *const c_char,
    /// Is the last part followed if it is a link?
    pub follows: bool,
}

/// Where it leads.
pub struct Target {
    path: Path,
    /// The last part: a name in a folder. There is none if a folder on the way is missing, or the path is one without names.
    entry: Option<Used>,
    /// The folder that the name is in.
    folder: Option<Used>,
    /// What is there.
    pub file: Option<File>,
}

/// A file that is there.
#[derive(Clone, Copy)]
pub struct File {
    identity: u64,
    /// By device and inode: also in other executions.
    inode: u64,
    name: u32,
    is_folder: bool,
}

/// The space of inodes whose file was removed, so that another one may get it: how often.
const REMOVED: u32 = 0x4a00_0000;

/// Which of the files that have an inode, one after the other, has it now. A folder may have been removed while somebody is in it.
pub fn generation(status: &Status) -> u32 {
    let removed = find(ObjectKind::File, REMOVED, status.identity())
        .map_or(0, |number| object(number).extra.load(Relaxed));
    let is_removed = status.mode & KIND == FOLDER && status.n_names == 0;
    removed.saturating_sub(u32::from(is_removed))
}

impl File {
    /// The one that is there now.
    pub fn new(status: &Status, name: u32) -> File {
        File::of_generation(status, name, generation(status))
    }

    /// One that may have been removed since it was opened.
    pub fn of_generation(status: &Status, name: u32, generation: u32) -> File {
        let identity = mixed(status.identity(), u64::from(generation));
        File { identity, inode: status.identity(), name, is_folder: status.mode & KIND == FOLDER }
    }

    pub fn contents(self) -> Used {
        match self.is_folder {
            true => Used { role: Role::Entries, identity: self.identity, name: 0 },
            false => Used { role: Role::Contents, identity: self.identity, name: self.name },
        }
    }

    pub fn inode(self) -> u64 {
        self.inode
    }

    /// Tells it from others in this execution.
    pub fn identity(self) -> u64 {
        self.identity
    }

    pub fn is_folder(self) -> bool {
        self.is_folder
    }

    pub fn status(self) -> Used {
        Used { role: Role::Status, identity: self.identity, name: self.name }
    }
}

impl Target {
    /// Looks whether something is there.
    pub fn is_looked_at(&self, uses: &mut Uses) {
        if let Some(watch) = &mut uses.watch {
            watch.follows(self.path);
        }
        if let Some(entry) = self.entry {
            uses.reads(entry);
        }
    }

    /// Some other name in the same folder comes.
    pub fn adds(&self, uses: &mut Uses) {
        if let Some(folder) = self.folder {
            uses.adds_to(folder);
        }
    }

    /// The name comes or goes, if it is that kind of operation and can do so now.
    pub fn changes(&self, uses: &mut Uses, is_possible: bool) {
        if uses.watch.is_some() {
            return self.is_watched(uses, Matters::Presence);
        }
        match (self.entry, self.folder) {
            (Some(entry), Some(folder)) if is_possible || !uses.is_exact => {
                uses.writes(entry);
                uses.adds_to(folder);
            }
            _ => self.is_looked_at(uses),
        }
    }
}

impl Target {
    /// The same, if the operation does not depend on whether something is there.
    pub fn is_replaced(&self, uses: &mut Uses, is_possible: bool) {
        match uses.watch {
            Some(_) => self.is_watched(uses, Matters::Nothing),
            None => self.changes(uses, is_possible),
        }
    }

    /// The same, if what is there is removed.
    pub fn is_removed(&self, uses: &mut Uses, is_possible: bool) {
        match uses.watch {
            Some(_) => self.is_watched(uses, Matters::Removal),
            None => self.changes(uses, is_possible),
        }
    }

    fn is_watched(&self, uses: &mut Uses, what: Matters) {
        if let (Some(watch), Some(entry), Some(folder)) = (&mut uses.watch, self.entry, self.folder) {
            watch.follows(self.path);
            watch.changes(entry, folder, self.file, what);
        }
    }
}

/// Something that an operation may remove.
pub struct Removal(Option<Status>);

impl Removal {
    /// What is there before.
    pub fn of(folder: i32, text: *const c_char) -> Removal {
        let is_last = |status: &Status| status.n_names <= 1 || status.mode & KIND == FOLDER;
        Removal(controlled().and_then(|_| status(folder, text as usize, false)).filter(is_last))
    }

    /// It is gone, if the name is gone, or is something else; then the kernel gives its inode to the next file.
    pub fn happened(&self, folder: i32, text: *const c_char) {
        let Some(removed) = &self.0 else { return };
        let now = status(folder, text as usize, false);
        if now.is_none_or(|now| now.identity() != removed.identity()) {
            let number = in_space(ObjectKind::File, REMOVED, removed.identity(), |_| ());
            object(number).extra.fetch_add(1, Relaxed);
        }
    }
}

/// What the threads of a process share under a name; nothing if there is only one.
pub fn of_process(name: &[u8]) -> Option<Used> {
    let me = controlled()?;
    others(me).next()?;
    Some(of_any_process(name, my_process()))
}

/// Something that a process has one of and that other processes can use, too.
pub fn of_any_process(name: &[u8], number: usize) -> Used {
    keep(hash(name), name);
    let identity = mixed(number as u64, u64::from(hash(name)));
    Used { role: Role::Process, identity, name: hash(name) }
}

/// Something that a thread has one of and that other threads of its process can use.
pub fn of_thread(name: &[u8], number: usize) -> Option<Used> {
    let own = of_process(name)?;
    // The numbers of threads can differ from one execution to the next: the name stands for all of them.
    Some(Used { identity: mixed(own.identity, number as u64 + 1), ..own })
}

/// The folder that the process is in.
pub const FOLDER_OF_PROCESS: &[u8] = b"the current folder";

pub fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)) & !3
}

/// Keeps the text of a name for whoever is shown the execution.
pub fn keep(name: u32, text: &[u8]) {
    if region().header.wants_callers.load(Relaxed) == 0 {
        return;
    }
    in_space(ObjectKind::Path, FILE_NAMES, u64::from(name), |kept| {
        let start = reserve(text.len());
        for (word, byte) in region().pool[start as usize..].iter().zip(text) {
            word.store(u32::from(*byte), Relaxed);
        }
        kept.list.store(start, Relaxed);
        kept.length.store(text.len() as u32, Relaxed);
    });
}

/// The name of a file, without the folders: what is left of it in every execution.
pub fn name_of(text: *const c_char) -> u32 {
    let bytes = bytes_of(text);
    let last = bytes.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or_default();
    keep(hash(last), last);
    hash(last)
}

pub fn bytes_of<'t>(text: *const c_char) -> &'t [u8] {
    if text.is_null() {
        return b"";
    }
    // SAFETY: the program passes a text that ends with a zero byte.
    unsafe { core::ffi::CStr::from_ptr(text) }.to_bytes()
}

/// A text that ends with a zero byte.
struct Text {
    bytes: [u8; LENGTH],
    length: usize,
}

impl Text {
    const EMPTY: Text = Text { bytes: [0; LENGTH], length: 0 };

    fn push(&mut self, bytes: &[u8]) {
        let length = bytes.len().min(LENGTH - 1 - self.length);
        if length < bytes.len() {
            remark(&[b"a very long path"]);
        }
        self.bytes[self.length..self.length + length].copy_from_slice(&bytes[..length]);
        self.length += length;
        self.bytes[self.length] = 0;
    }

    /// What the kernel knows about the first bytes of it as a path.
    fn status(&mut self, folder: i32, length: usize, follows: bool) -> Option<Status> {
        let rest = core::mem::replace(&mut self.bytes[length], 0);
        let status = status(folder, self.bytes.as_ptr() as usize, follows);
        self.bytes[length] = rest;
        status
    }
}

fn status(folder: i32, path: usize, follows: bool) -> Option<Status> {
    let mut words = [0_u64; 32];
    let flags = if follows { 0 } else { NO_FOLLOW };
    let told = sys::call(NEWFSTATAT, folder as usize, path, words.as_mut_ptr() as usize, flags, 0, 0);
    (told >= 0).then(|| Status::read(&words))
}

/// What is there, by device and inode; 0 if there is nothing.
pub fn identity_at(path: Path) -> u64 {
    status(path.folder, path.text as usize, path.follows).map_or(0, |status| status.identity())
}

/// Follows a path; all names on the way are looked at.
pub fn follow(uses: &mut Uses, path: Path) -> Target {
    let mut text = Text::EMPTY;
    text.push(bytes_of(path.text));
    if text.length == 0 {
        return Target { path, entry: None, folder: None, file: None };
    }
    if let Some(watch) = &mut uses.watch {
        watch.follows(path);
    } else if tells_of_processes(&text.bytes[..text.length]) {
        remark(&[b"a look at threads and processes in /proc"]);
    }
    looks_at_rights(uses);
    if text.bytes[0] != b'/'
        && path.folder == HERE
        && let Some(folder) = of_process(FOLDER_OF_PROCESS)
    {
        uses.reads(folder);
    }
    for links in 0.. {
        if let Some(target) = walk(uses, &path, &mut text, links < LINKS) {
            return target;
        }
    }
    Target { path, entry: None, folder: None, file: None }
}

/// Follows a path up to the first link that is to be followed: then it is another path, with what the link says in place of its name.
fn walk(uses: &mut Uses, path: &Path, text: &mut Text, follows_links: bool) -> Option<Target> {
    let is_absolute = text.bytes[0] == b'/';
    let start = if is_absolute { c"/" } else { c"." };
    let mut target = Target { path: *path, entry: None, folder: None, file: None };
    let mut inside = status(path.folder, start.as_ptr() as usize, true);
    let mut end = 0;
    loop {
        let begin = (end..text.length).find(|at| text.bytes[*at] != b'/').unwrap_or(text.length);
        if begin == text.length {
            return Some(target);
        }
        end = (begin..text.length).find(|at| text.bytes[*at] == b'/').unwrap_or(text.length);
        if let Some(entry) = target.entry {
            uses.reads(entry);
        }
        let Some(folder) = inside.map(|status| File::new(&status, 0)) else {
            return Some(Target { path: *path, entry: None, folder: None, file: None });
        };
        let place = folder.identity;
        let part = &text.bytes[begin..end];
        let is_name = part != b"." && part != b"..";
        if part == b".." {
            uses.reads(folder.status());
        }
        let name = hash(part);
        if uses.watch.is_none() {
            keep(name, part);
        }
        let is_last = text.bytes[end..text.length].iter().all(|byte| *byte == b'/');
        let found = text.status(path.folder, end, false);
        let entry = Used { role: Role::Name, identity: mixed(place, u64::from(name)), name };
        target = Target {
            path: *path,
            entry: is_name.then_some(entry),
            folder: Some(folder.contents()),
            file: found.as_ref().map(|found| File::new(found, name)),
        };
        let is_link = found.as_ref().is_some_and(|found| found.mode & KIND == LINK);
        if is_link && follows_links && (!is_last || path.follows) {
            uses.reads(entry);
            *text = replaced(path.folder, text, begin, end);
            return None;
        }
        inside = found;
    }
}

/// The path with what a link says in place of its name.
fn replaced(folder: i32, text: &mut Text, begin: usize, end: usize) -> Text {
    let mut link = [0_u8; LENGTH];
    let rest = core::mem::replace(&mut text.bytes[end], 0);
    let (path, to) = (text.bytes.as_ptr() as usize, link.as_mut_ptr() as usize);
    let length = sys::call(READLINKAT, folder as usize, path, to, link.len(), 0, 0).max(0) as usize;
    text.bytes[end] = rest;
    let mut longer = Text::EMPTY;
    if link[0] != b'/' {
        longer.push(&text.bytes[..begin]);
    }
    longer.push(&link[..length.min(LENGTH - 1)]);
    longer.push(&text.bytes[end..text.length]);
    longer
}
