//! Operations on descriptors of files, and what they touch.
//!
//! A descriptor of which nothing is known here was mostly there from the beginning, such as those of the standard streams. What is written there goes
//! somewhere outside: nobody of the program can tell what was written first, unless it asks how far that got. So writing there only
//! *adds*, and becomes a step only if somebody asks.

use core::sync::atomic::Ordering::Relaxed;

use crate::descriptors::{Description, command, files_of, last_at, predecessor, what};
use crate::file_lock::status;
use crate::kernel_state::{is_limited, looks_at_rights};
use crate::mapping::{Use, meets};
use crate::open::READ_ONLY;
use crate::path_calls::{calls, telling_calls, tells};
use crate::paths::{File, generation, hash, keep, of_process};
use crate::thread::others;
use crate::token::{caller, caller_frame, controlled, my_process};
use crate::uses::{Role, Used, Uses, mixed, step};

type Call = [usize; 6];

/// Notes what is known about an open file, besides locks: its name and how it may be used in
/// `list`; in `length`, which of the files that had its inode it is.
pub fn remember(descriptor: usize, description: Description, name: u32, flags: i32) {
    let access = flags as u32 & ACCESS;
    description.record().list.store(name & !ACCESS | access, Relaxed);
    if let Some(status) = status(descriptor) {
        description.record().length.fetch_or(generation(&status) << GENERATION, Relaxed);
    }
}

/// Where the generation of the file is in `length`, above the flags.
const GENERATION: u32 = 16;

const ACCESS: u32 = 3;

/// What a descriptor stands for.
pub enum Open {
    File(OpenFile),
    /// It was there from the beginning, or it is closed.
    Inherited,
    /// Something with steps of its own.
    Other(Description),
}

#[derive(Clone, Copy)]
pub struct OpenFile {
    description: u32,
    name: u32,
    /// Can it be written?
    is_writable: bool,
    file: Option<File>,
}

impl OpenFile {
    fn new(descriptor: usize, description: Description) -> OpenFile {
        let word = description.record().list.load(Relaxed);
        let name = word & !ACCESS;
        let generation = description.record().length.load(Relaxed) >> GENERATION;
        OpenFile {
            description: description.0,
            name,
            is_writable: word & ACCESS != READ_ONLY as u32,
            file: status(descriptor).map(|status| File::of_generation(&status, name, generation)),
        }
    }

    /// The position.
    fn position(&self) -> Used {
        Used { role: Role::Description, identity: u64::from(self.description), name: self.name }
    }

    /// Whether it appends, and the like.
    fn flags(&self) -> Used {
        flags(self.description)
    }

    /// Whatever a stream does that has it.
    pub fn is_used_as_stream(&self, uses: &mut Uses) {
        uses.writes(self.position());
        contents(uses, self, self.is_writable);
    }

    pub fn is_asked_as_stream(&self, uses: &mut Uses) {
        uses.reads(self.position());
        if let Some(file) = self.file {
            uses.reads(file.contents());
        }
    }
}

fn flags(description: u32) -> Used {
    let text = b"the flags of a file";
    keep(hash(text), text);
    let identity = mixed(u64::from(description), u64::from(hash(text)));
    Used { role: Role::Description, identity, name: hash(text) }
}

pub fn open_at(descriptor: usize) -> Open {
    match Description::at(descriptor) {
        Some(known) if known.what() == what::FILE => Open::File(OpenFile::new(descriptor, known)),
        Some(known) => Open::Other(known),
        None => Open::Inherited,
    }
}

/// What is read from descriptors that nothing is known about, and what is written to them.
const INPUT: Used = Used { role: Role::Inherited, identity: 1, name: 8 };
const OUTPUT: Used = Used { role: Role::Inherited, identity: 2, name: 16 };

pub fn takes_input(uses: &mut Uses) {
    keep(INPUT.name, b"of the input");
    uses.writes(INPUT);
}

pub fn gives_output(uses: &mut Uses) {
    keep(OUTPUT.name, b"of the output");
    uses.adds_to(OUTPUT);
}

/// Changes where input comes from or where output goes to.
pub fn redirects(uses: &mut Uses) {
    uses.writes(INPUT);
    uses.writes(OUTPUT);
}

pub fn asks_for_progress(uses: &mut Uses) {
    uses.reads(INPUT);
    uses.reads(OUTPUT);
}

/// A descriptor with what is behind it, as the threads of a process share it.
fn shared(descriptor: usize, description: u32) -> Used {
    let name = hash(&(descriptor as u32).to_le_bytes());
    let identity = mixed(mixed(my_process() as u64, u64::from(name)), u64::from(description));
    Used { role: Role::Descriptor, identity, name }
}

/// Is there another thread in this process, or was there one?
fn has_others() -> bool {
    controlled().is_some_and(|me| others(me).next().is_some())
}

/// Whoever uses a descriptor may find that it was closed, or, if it was opened by another thread, what was there before.
pub fn is_used(uses: &mut Uses, descriptor: usize) {
    if has_others() {
        uses.reads(shared(descriptor, last_at(descriptor).map_or(0, |last| last.0)));
        follows_another(uses, descriptor);
    }
}

/// A look at what the descriptor was before another thread made it what it is.
fn follows_another(uses: &mut Uses, descriptor: usize) {
    if let Some(previous) = predecessor(descriptor)
        && has_others()
    {
        uses.reads(shared(descriptor, previous));
    }
}

/// It is closed, or becomes something else.
pub fn is_replaced(uses: &mut Uses, descriptor: usize) {
    if has_others() && !matches!(open_at(descriptor), Open::Other(_)) {
        is_overwritten(uses, descriptor);
    }
}

/// It becomes something else (`dup2`), whatever it is.
pub fn is_overwritten(uses: &mut Uses, descriptor: usize) {
    if has_others() {
        uses.writes(shared(descriptor, last_at(descriptor).map_or(0, |last| last.0)));
        changes_table(uses);
    }
}

/// What a copy of the process finds among its descriptors.
pub const TABLE: &[u8] = b"the descriptors of the process";

fn changes_table(uses: &mut Uses) {
    if let Some(table) = of_process(TABLE) {
        uses.adds_to(table);
    }
}

/// `exec` closes it from now on, or no longer.
pub fn changes_at_exec(uses: &mut Uses, descriptor: usize) {
    if has_others() {
        uses.writes(closes_on_exec(descriptor));
        changes_table(uses);
    }
}

/// Whether `exec` closes it.
fn closes_on_exec(descriptor: usize) -> Used {
    let shared = shared(descriptor, last_at(descriptor).map_or(0, |last| last.0));
    let text = b"whether exec closes it";
    keep(hash(text), text);
    Used { identity: mixed(shared.identity, u64::from(hash(text))), name: hash(text), ..shared }
}

/// Asks for what a descriptor has besides its file, or changes it: `fcntl`.
pub fn is_controlled(uses: &mut Uses, descriptor: usize, command: usize) {
    match (command, open_at(descriptor)) {
        (command::GET_DESCRIPTOR_FLAGS, _) if has_others() => uses.reads(closes_on_exec(descriptor)),
        (command::SET_DESCRIPTOR_FLAGS, _) => changes_at_exec(uses, descriptor),
        (command::GET_FLAGS, Open::File(open)) => uses.reads(open.flags()),
        (command::SET_FLAGS, Open::File(open)) => uses.writes(open.flags()),
        (command::GET_FLAGS, Open::Other(open)) => uses.reads(flags(open.0)),
        (command::SET_FLAGS, Open::Other(open)) => uses.writes(flags(open.0)),
        (command::DUPLICATE | command::DUPLICATE_CLOSES_ON_EXEC, _) => is_limited(uses),
        (command::ADD_SEALS, Open::File(OpenFile { file: Some(file), .. })) => {
            uses.writes(file.contents());
            uses.writes(file.status());
        }
        (command::GET_SEALS, Open::File(OpenFile { file: Some(file), .. })) => uses.reads(file.status()),
        _ => {}
    }
    is_used(uses, descriptor);
}

/// Reads or writes where the position is.
pub fn transfers(uses: &mut Uses, descriptor: usize, is_write: bool) {
    match open_at(descriptor) {
        Open::File(open) => {
            uses.writes(open.position());
            if is_write {
                uses.reads(open.flags());
            }
            contents(uses, &open, is_write);
        }
        Open::Inherited if is_write => gives_output(uses),
        Open::Inherited => takes_input(uses),
        Open::Other(_) => return follows_another(uses, descriptor),
    }
    is_used(uses, descriptor);
}

/// Reads or writes at a place that it names.
pub fn transfers_at_a_place(uses: &mut Uses, descriptor: usize, is_write: bool) {
    match open_at(descriptor) {
        Open::File(open) => {
            if is_write {
                // With O_APPEND the place does not count.
                uses.reads(open.flags());
            }
            contents(uses, &open, is_write);
        }
        Open::Inherited => redirects(uses),
        Open::Other(_) => return follows_another(uses, descriptor),
    }
    is_used(uses, descriptor);
}

fn contents(uses: &mut Uses, open: &OpenFile, is_write: bool) {
    let Some(file) = open.file else { return };
    if is_write {
        is_limited(uses);
        meets(file, Use::Writes);
        uses.writes(file.contents());
    } else {
        meets(file, Use::Reads);
        uses.reads(file.contents());
    }
}

/// Gives a file another size, unless it has that.
fn resizes(uses: &mut Uses, descriptor: usize, size: usize) {
    let Open::File(OpenFile { file: Some(file), .. }) = open_at(descriptor) else {
        return transfers_at_a_place(uses, descriptor, true);
    };
    is_limited(uses);
    let old = status(descriptor).map_or(0, |status| status.size as usize);
    if size == old && uses.is_exact {
        uses.reads(file.contents());
    } else {
        if size != old {
            meets(file, if size < old { Use::Writes } else { Use::Grows });
        }
        uses.writes(file.contents());
    }
    is_used(uses, descriptor);
}

/// Makes a file so long, unless it is longer.
fn allocates(uses: &mut Uses, descriptor: usize, size: usize) {
    let old = status(descriptor).map_or(0, |status| status.size as usize);
    resizes(uses, descriptor, size.max(old));
}

/// Whoever maps a file must not touch what is behind its end.
pub fn maps(uses: &mut Uses, descriptor: usize) {
    if let Open::File(OpenFile { file: Some(file), .. }) = open_at(descriptor) {
        uses.reads(file.contents());
    }
    is_used(uses, descriptor);
}

const FROM_HERE: usize = 1;
const FROM_END: usize = 2;

/// Moves the position, or asks for it.
fn seeks(uses: &mut Uses, descriptor: usize, offset: usize, from: usize) {
    match open_at(descriptor) {
        Open::File(open) => {
            if from == FROM_HERE && offset == 0 {
                uses.reads(open.position());
            } else {
                uses.writes(open.position());
            }
            if let Some(file) = open.file.filter(|_| from >= FROM_END) {
                uses.reads(file.contents());
            }
        }
        Open::Inherited if from == FROM_HERE && offset == 0 => asks_for_progress(uses),
        Open::Inherited => redirects(uses),
        Open::Other(_) => return follows_another(uses, descriptor),
    }
    is_used(uses, descriptor);
}

/// Asks for everything that is known about a file.
pub fn asks(uses: &mut Uses, descriptor: usize) {
    match open_at(descriptor) {
        Open::File(open) => {
            if let Some(file) = open.file {
                uses.reads(file.contents());
                uses.reads(file.status());
            }
        }
        Open::Inherited => asks_for_progress(uses),
        Open::Other(_) => return follows_another(uses, descriptor),
    }
    is_used(uses, descriptor);
}

fn changes_status(uses: &mut Uses, descriptor: usize) {
    looks_at_rights(uses);
    if let Open::File(OpenFile { file: Some(file), .. }) = open_at(descriptor) {
        uses.writes(file.status());
    }
    is_used(uses, descriptor);
}

fn changes_times(uses: &mut Uses, descriptor: usize) {
    looks_at_rights(uses);
    match open_at(descriptor) {
        Open::File(open) => {
            if let Some(file) = open.file {
                uses.writes(file.contents());
            }
        }
        Open::Inherited => redirects(uses),
        Open::Other(_) => return follows_another(uses, descriptor),
    }
    is_used(uses, descriptor);
}

/// All streams of a process are written out.
pub fn flushes_all(uses: &mut Uses) {
    for (descriptor, description) in files_of(my_process()) {
        OpenFile::new(descriptor, description).is_used_as_stream(uses);
    }
    gives_output(uses);
}

calls! {
    lseek c"lseek" => |uses, call| seeks(uses, call[0] as u32 as usize, call[1], call[2] as u32 as usize);
    lseek64 c"lseek64" => |uses, call| seeks(uses, call[0] as u32 as usize, call[1], call[2] as u32 as usize);
    ftruncate c"ftruncate" => |uses, call| resizes(uses, call[0] as u32 as usize, call[1]);
    ftruncate64 c"ftruncate64" => |uses, call| resizes(uses, call[0] as u32 as usize, call[1]);
    fallocate c"fallocate" => |uses, call| match call[1] as u32 {
        0 => allocates(uses, call[0] as u32 as usize, call[2] + call[3]),
        _ => transfers_at_a_place(uses, call[0] as u32 as usize, true),
    };
    fallocate64 c"fallocate64" => |uses, call| match call[1] as u32 {
        0 => allocates(uses, call[0] as u32 as usize, call[2] + call[3]),
        _ => transfers_at_a_place(uses, call[0] as u32 as usize, true),
    };
    posix_fallocate c"posix_fallocate" => |uses, call| allocates(uses, call[0] as u32 as usize, call[1] + call[2]);
    posix_fallocate64 c"posix_fallocate64" => |uses, call| allocates(uses, call[0] as u32 as usize, call[1] + call[2]);
    preadv c"preadv" => |uses, call| transfers_at_a_place(uses, call[0] as u32 as usize, false);
    preadv64 c"preadv64" => |uses, call| transfers_at_a_place(uses, call[0] as u32 as usize, false);
    pwritev c"pwritev" => |uses, call| transfers_at_a_place(uses, call[0] as u32 as usize, true);
    pwritev64 c"pwritev64" => |uses, call| transfers_at_a_place(uses, call[0] as u32 as usize, true);
    // These may be asked to move the position as well.
    preadv2 c"preadv2" => |uses, call| transfers(uses, call[0] as u32 as usize, false);
    preadv64v2 c"preadv64v2" => |uses, call| transfers(uses, call[0] as u32 as usize, false);
    pwritev2 c"pwritev2" => |uses, call| transfers(uses, call[0] as u32 as usize, true);
    pwritev64v2 c"pwritev64v2" => |uses, call| transfers(uses, call[0] as u32 as usize, true);
    fchmod c"fchmod" => |uses, call| changes_status(uses, call[0] as u32 as usize);
    fchown c"fchown" => |uses, call| changes_status(uses, call[0] as u32 as usize);
    futimens c"futimens" => |uses, call| changes_times(uses, call[0] as u32 as usize);
    futimes c"futimes" => |uses, call| changes_times(uses, call[0] as u32 as usize);
}

telling_calls! {
    fstat c"fstat", 1 144 => |uses, call| asks(uses, call[0] as u32 as usize);
    fstat64 c"fstat64", 1 144 => |uses, call| asks(uses, call[0] as u32 as usize);
    __fxstat c"__fxstat", 2 144 => |uses, call| asks(uses, call[1] as u32 as usize);
    __fxstat64 c"__fxstat64", 2 144 => |uses, call| asks(uses, call[1] as u32 as usize);
}
