//! Descriptors: which ones each process has, and what is open behind them.
//!
//! Every process has a table of the descriptors that are known here; each entry is an *open file description*, which `dup` and `fork`
//! share. A description has up to two queues ([`crate::stream`]): what is read comes out of the first, what is written goes into the second.
//! When the last descriptor of a description is closed, its queues lose a reader or writer, so closing is a step that others can
//! notice; closing commutes with closing.

use core::ops::RangeInclusive;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use allways_stateless_protocol::{Kind, Object, ObjectKind, Operation, limits, state};

use crate::event;
use crate::file_calls;
use crate::file_lock;
use crate::nonblocking::{self, Choice};
use crate::objects::{find, in_space, object, reserve};
use crate::path_calls::tells;
use crate::paths::of_any_process;
use crate::reserved;
use crate::schedule::before;
use crate::socket;
use crate::stdio;
use crate::stream;
use crate::sys::{
    self,
    errno::{EBADF, EINVAL},
    fails,
};
use crate::token::{
    caller, caller_frame, controlled, is_concurrent, my_process, n_threads, process, region, remark, thread,
};
use crate::uses::step;

/// The space of descriptions, which are numbered.
const DESCRIPTIONS: u32 = 0x4300_0000;
/// The space of the tables, plus the process.
const TABLES: u32 = 0x4400_0000;
/// The first room of a table; it doubles.
const ROOM: usize = 32;
/// Descriptors above are not known here.
const MOST: usize = 1 << 16;

const DUP: usize = 32;
const DUP3: usize = 292;
const IOCTL: usize = 16;
pub const O_NONBLOCK: u32 = 0o4000;
const O_CLOEXEC: usize = 0o2_000_000;
/// Flags of sockets that wait only for a while.
const TIMED_READ: u32 = 1;
const TIMED_WRITE: u32 = 2;

/// Flags of an entry of a table; the description is above them.
const FLAGS: u32 = 2;
const CLOSES_ON_EXEC: u32 = 1;
/// It was closed while the process had other threads, which may use it in vain.
const CLOSED: u32 = 2;

/// What a description is.
pub mod what {
    pub const PIPE: u8 = 1;
    pub const SOCKET: u8 = 2;
    pub const EVENT: u8 = 3;
    pub const EPOLL: u8 = 4;
    pub const FILE: u8 = 5;
    /// A device that random bytes are read from.
    pub const RANDOM: u8 = 6;
}

/// An open file description: what it is in `flavour`, queues in `owner` and `extra`, descriptors counted in `count`, flags in `length`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Description(pub u32);

impl Description {
    pub fn new(what: u8, input: u32, output: u32, flags: u32) -> Description {
        let place = u64::from(region().header.n_objects.load(Relaxed));
        let number = in_space(ObjectKind::Description, DESCRIPTIONS, place, |description| {
            description.flavour.store(what, Relaxed);
            description.length.store(flags & O_NONBLOCK, Relaxed);
        });
        let description = Description(number);
        description.connect(input, output);
        description
    }

    /// Gives it its queues.
    pub fn connect(self, input: u32, output: u32) {
        self.record().owner.store(input, Relaxed);
        self.record().extra.store(output, Relaxed);
        stream::add_reader(input);
        stream::add_writer(output);
    }

    /// The open one behind a descriptor of this process.
    pub fn at(descriptor: usize) -> Option<Description> {
        let entry = entry(my_process(), descriptor)?.load(Relaxed);
        (entry != 0 && entry & CLOSED == 0).then_some(Description(entry >> FLAGS))
    }

    pub fn record(self) -> &'static Object {
        object(self.0)
    }

    pub fn what(self) -> u8 {
        self.record().flavour.load(Relaxed)
    }

    /// The queue that is read, or 0.
    pub fn input(self) -> u32 {
        self.record().owner.load(Relaxed)
    }

    /// The queue that is written, or 0.
    pub fn output(self) -> u32 {
        if matches!(self.what(), what::EPOLL | what::FILE) { 0 } else { self.record().extra.load(Relaxed) }
    }

    pub fn is_nonblocking(self) -> bool {
        nonblocking::is_set(self.0)
    }

    /// What decides whether an operation waits: the flag.
    pub fn choice(self) -> Choice {
        Choice::of_flag(self.0)
    }

    /// The same for reading or writing a socket: it fails if the program says so, and time limits
    /// may have passed.
    pub fn has_time_limit(self, reads: bool) -> bool {
        let timed = if reads { TIMED_READ } else { TIMED_WRITE };
        self.record().length.load(Relaxed) & timed != 0
    }

    pub fn set_time_limit(self, reads: bool, is_limited: bool) {
        self.set_flag(if reads { TIMED_READ } else { TIMED_WRITE }, is_limited);
    }

    fn set_flag(self, flag: u32, is_set: bool) {
        let flags = &self.record().length;
        flags.store(flags.load(Relaxed) & !flag | if is_set { flag } else { 0 }, Relaxed);
    }

    /// The step that sets or clears the flag: who shares the description notices.
    fn set_nonblocking(self, me: usize, is_set: bool, place: u64) {
        if is_concurrent() {
            before(me, self.changing(place));
        }
        nonblocking::set(self.0, is_set);
    }

    /// The operation that changes how it is used.
    pub fn changing(self, place: u64) -> Operation {
        let object = match self.what() {
            what::EVENT => event::of(self),
            what::SOCKET if self.input() == 0 => socket::address_of(self),
            _ => return self.operation(Kind::QueueChange, place),
        };
        Operation { kind: Kind::QueueChange, object, place, ..Operation::default() }
    }

    /// Something that is done to both queues.
    pub fn operation(self, kind: Kind, place: u64) -> Operation {
        let (input, output) = (self.input(), self.output());
        let (object, other) = if input == 0 { (output, 0) } else { (input, output) };
        Operation { kind, object, other, place, ..Operation::default() }
    }

    /// Is another thread of this process about to read or write?
    fn is_awaited(self, me: usize) -> bool {
        let event = if self.what() == what::EVENT { event::of(self) } else { 0 };
        (0..n_threads()).filter(|number| *number != me).any(|number| {
            let (slot, operation) = (thread(number), thread(number).operation.load());
            let end = match operation.kind {
                Kind::QueueTake | Kind::QueueTryTake => self.input(),
                Kind::QueuePut | Kind::QueueTryPut => self.output(),
                _ => return false,
            };
            slot.state.load(Relaxed) == state::PENDING
                && slot.process.load(Relaxed) as usize == my_process()
                && operation.object != 0
                && [end, event].contains(&operation.object)
        })
    }

    /// What closing a descriptor does, if anybody can notice.
    fn closing(self, place: u64) -> Option<Operation> {
        match self.what() {
            what::PIPE => Some(self.operation(Kind::QueueClose, place)),
            what::SOCKET => socket::closing(self, place),
            _ => None,
        }
    }

    /// One descriptor less.
    fn release(self) {
        if self.record().count.fetch_sub(1, Relaxed) == 1 {
            stream::remove_reader(self.input());
            stream::remove_writer(self.output());
            socket::closed(self);
        }
    }
}

fn table(process: usize) -> Option<&'static Object> {
    find(ObjectKind::Description, TABLES + process as u32, 0).map(object)
}

fn entry(process: usize, descriptor: usize) -> Option<&'static AtomicU32> {
    let table = table(process)?;
    let is_inside = descriptor < table.length.load(Relaxed) as usize;
    is_inside.then(|| &region().pool[table.list.load(Relaxed) as usize + descriptor])
}

/// The table of a process with room for a descriptor.
fn table_for(process: usize, descriptor: usize) -> &'static Object {
    let table = object(in_space(ObjectKind::Description, TABLES + process as u32, 0, |_| ()));
    let length = table.length.load(Relaxed) as usize;
    if descriptor >= length {
        let larger = (descriptor + 1).next_power_of_two().max(ROOM);
        let (from, to) = (table.list.load(Relaxed) as usize, reserve(2 * larger) as usize);
        for number in 0..length {
            for (from, to) in [(from, to), (from + length, to + larger)] {
                region().pool[to + number].store(region().pool[from + number].load(Relaxed), Relaxed);
            }
        }
        table.list.store(to as u32, Relaxed);
        table.length.store(larger as u32, Relaxed);
    }
    table
}

/// Notes that a descriptor of this process has this open.
pub fn install(descriptor: usize, description: Description, closes_on_exec: bool) {
    if descriptor >= MOST {
        return remark(&[b"a descriptor with a large number"]);
    }
    let old = entry(my_process(), descriptor).map_or(0, |entry| entry.load(Relaxed));
    if old & CLOSED != 0
        && let Some(me) = controlled()
        && Description(old >> FLAGS).is_awaited(me)
    {
        remark(&[b"a descriptor that is closed and made anew while another thread reads or writes"]);
    }
    install_in(my_process(), descriptor, description.0 << FLAGS | u32::from(closes_on_exec));
    if let Some(me) = controlled()
        && let Some(origin) = origin(my_process(), descriptor)
    {
        origin.store(((old >> FLAGS) << PREVIOUS) | (me as u32 + 1), Relaxed);
    }
    stdio::standard_changed(descriptor);
}

fn install_in(process: usize, descriptor: usize, value: u32) {
    let list = table_for(process, descriptor).list.load(Relaxed) as usize;
    region().pool[list + descriptor].store(value, Relaxed);
    object(value >> FLAGS).count.fetch_add(1, Relaxed);
}

/// The descriptors of a process that are known here, with their entries.
pub fn open_in(process: usize) -> impl Iterator<Item = (usize, u32)> {
    let (first, length) =
        table(process).map_or((0, 0), |table| (table.list.load(Relaxed), table.length.load(Relaxed)));
    let value = move |descriptor: usize| region().pool[first as usize + descriptor].load(Relaxed);
    (0..length as usize)
        .map(move |descriptor| (descriptor, value(descriptor)))
        .filter(|(_, value)| *value != 0 && *value & CLOSED == 0)
}

/// What is, or was last, behind a descriptor of this process, as far as that is remembered.
pub fn last_at(descriptor: usize) -> Option<Description> {
    let entry = entry(my_process(), descriptor)?.load(Relaxed);
    (entry != 0).then_some(Description(entry >> FLAGS))
}

/// Who made a descriptor what it is, and above that what it was before; behind the entries of the
/// table.
fn origin(process: usize, descriptor: usize) -> Option<&'static AtomicU32> {
    let table = table(process)?;
    let length = table.length.load(Relaxed) as usize;
    let first = table.list.load(Relaxed) as usize + length;
    (descriptor < length).then(|| &region().pool[first + descriptor])
}

/// Where the description is in that; there are fewer threads and objects than there is room for.
const PREVIOUS: u32 = 12;
const _: () = assert!(limits::THREADS < 1 << PREVIOUS && limits::OBJECTS <= 1 << (32 - PREVIOUS));

/// What a descriptor was, 0 if that is not known, before another thread of this process made it
/// what it is.
pub fn predecessor(descriptor: usize) -> Option<u32> {
    let word = origin(my_process(), descriptor)?.load(Relaxed);
    let maker = word & ((1 << PREVIOUS) - 1);
    let is_foreign = maker != 0 && controlled().is_some_and(|me| maker != me as u32 + 1);
    is_foreign.then_some(word >> PREVIOUS)
}

/// The open files of a process.
pub fn files_of(process: usize) -> impl Iterator<Item = (usize, Description)> {
    let open = open_in(process).map(|(descriptor, value)| (descriptor, Description(value >> FLAGS)));
    open.filter(|(_, description)| description.what() == what::FILE)
}

/// A child has the same descriptors.
pub fn before_fork(parent: usize, child: usize) {
    for (descriptor, value) in open_in(parent) {
        install_in(child, descriptor, value);
    }
}

/// Takes a descriptor out of the table; a step that others can notice if somebody can be at the other end.
pub fn forget(me: usize, descriptor: usize, place: u64) {
    let Some(description) = Description::at(descriptor) else { return touch_closed(descriptor, place) };
    if description.what() == what::FILE {
        file_lock::closing(me, descriptor, description, place);
    }
    if let Some(operation) = description.closing(place) {
        let argument = (my_process() as u64 + 1) << 32 | descriptor as u64;
        before(me, Operation { argument, ..operation });
    }
    if let Some(entry) = entry(my_process(), descriptor)
        && Description::at(descriptor) == Some(description)
    {
        let is_shared = process(my_process()).n_live.load(Relaxed) > 1;
        entry.store(if is_shared { entry.load(Relaxed) | CLOSED } else { 0 }, Relaxed);
        description.release();
    }
}

/// Takes a descriptor that a call made out of the table, in the step in which the call fails.
pub fn take_back(descriptor: usize) {
    if let (Some(entry), Some(description)) = (entry(my_process(), descriptor), Description::at(descriptor)) {
        entry.store(0, Relaxed);
        description.release();
    }
}

/// A descriptor that is not open: another thread may have closed it, and that could have come later.
pub fn touch_closed(descriptor: usize, place: u64) {
    let Some(me) = controlled() else { return };
    let value = entry(my_process(), descriptor).map_or(0, |entry| entry.load(Relaxed));
    if value & CLOSED != 0 {
        let operation = Description(value >> FLAGS).operation(Kind::QueueChange, place);
        if operation.object != 0 {
            before(me, operation);
        }
    }
}

/// The end of a process closes what it has open; pipes and sockets in the kernel too, for who reads next may not want to wait. Files stay,
/// the C library may still have to write.
pub fn close_all(me: usize) {
    for (descriptor, value) in open_in(my_process()) {
        forget(me, descriptor, 0);
        if matches!(Description(value >> FLAGS).what(), what::PIPE | what::SOCKET) {
            sys::call(sys::CLOSE, descriptor, 0, 0, 0, 0, 0);
        }
    }
}

/// After `exec`: the kernel has closed those that asked for it.
pub fn after_exec(me: usize) {
    for (descriptor, value) in open_in(my_process()) {
        if value & CLOSES_ON_EXEC != 0 {
            forget(me, descriptor, 0);
        } else {
            stdio::standard_changed(descriptor);
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn close(descriptor: i32) -> i32 {
    if reserved::contains(descriptor as usize) {
        return fails(EBADF);
    }
    if let Some(me) = controlled() {
        let place = caller();
        step(place, |uses| file_calls::is_replaced(uses, descriptor as usize));
        forget(me, descriptor as usize, place);
    }
    result(sys::call(sys::CLOSE, descriptor as usize, 0, 0, 0, 0, 0)) as i32
}

pub const CLOSE_RANGE: usize = 436;
const CLOSE_RANGE_CLOEXEC: usize = 4;

/// Closes all of them, or makes `exec` do so.
#[unsafe(no_mangle)]
pub extern "C" fn close_range(first: u32, last: u32, flags: i32) -> i32 {
    let (first, last, flags) = (first as usize, last as usize, flags as usize);
    if first > last {
        return fails(EINVAL);
    }
    if let Some(me) = controlled() {
        close_all_of(me, first..=last, flags & CLOSE_RANGE_CLOEXEC != 0, caller());
    }
    // If there is nothing but ours it is as if nothing was open there.
    let results = reserved::left_out_of(first, last)
        .map(|(first, last)| sys::call(CLOSE_RANGE, first, last, flags, 0, 0, 0));
    result(results.min().unwrap_or(0)) as i32
}

/// The highest number at which something is looked for that is not known here.
const LOOKED_AT: usize = 1 << 10;

/// Those that are known here; the kernel closes the others, or all, at once after that.
fn close_all_of(me: usize, range: RangeInclusive<usize>, is_kept: bool, place: u64) {
    let inside = || open_in(my_process()).map(|(number, _)| number).filter(|number| range.contains(number));
    if is_kept {
        step(place, |uses| inside().for_each(|number| file_calls::changes_at_exec(uses, number)));
        return inside().for_each(|number| set_close_on_exec(number, true));
    }
    let is_file = |number: &usize| Description::at(*number).is_some_and(|it| it.what() == what::FILE);
    for number in inside().filter(|number| !is_file(number)) {
        forget(me, number, place);
        sys::call(sys::CLOSE, number, 0, 0, 0, 0, 0);
    }
    let is_open =
        |number: &usize| sys::call(sys::FCNTL, *number, command::GET_DESCRIPTOR_FLAGS, 0, 0, 0, 0) >= 0;
    step(place, |uses| {
        let numbers = *range.start()..=*range.end().min(&LOOKED_AT);
        let ours = |number: &usize| !reserved::contains(*number);
        numbers.filter(ours).filter(is_open).for_each(|number| file_calls::is_replaced(uses, number));
    });
    inside().for_each(|number| forget(me, number, place));
}

#[unsafe(no_mangle)]
pub extern "C" fn closefrom(first: i32) {
    close_range(first.max(0) as u32, u32::MAX, 0);
}

#[unsafe(no_mangle)]
pub extern "C" fn dup(descriptor: i32) -> i32 {
    step(caller(), |uses| file_calls::is_controlled(uses, descriptor as usize, command::DUPLICATE));
    copied(descriptor as usize, sys::call(DUP, descriptor as usize, 0, 0, 0, 0, 0), false) as i32
}

#[unsafe(no_mangle)]
pub extern "C" fn dup2(descriptor: i32, to: i32) -> i32 {
    if descriptor == to {
        return result(sys::call(sys::FCNTL, descriptor as usize, command::GET_DESCRIPTOR_FLAGS, 0, 0, 0, 0))
            .min(0) as i32
            | to;
    }
    copy_to(descriptor, to, 0, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn dup3(descriptor: i32, to: i32, flags: i32) -> i32 {
    copy_to(descriptor, to, flags, caller())
}

fn copy_to(descriptor: i32, to: i32, flags: i32, place: u64) -> i32 {
    if let Some(me) = controlled() {
        step(place, |uses| {
            file_calls::is_overwritten(uses, to as usize);
            file_calls::is_used(uses, descriptor as usize);
        });
        forget(me, to as usize, place);
    }
    reserved::make_way(to as usize);
    let copy = sys::call(DUP3, descriptor as usize, to as usize, flags as usize, 0, 0, 0);
    let copy = copied(descriptor as usize, copy, flags as usize & O_CLOEXEC != 0) as i32;
    if copy >= 0 && controlled().is_some() {
        stdio::standard_changed(copy as usize);
    }
    copy
}

fn copied(from: usize, to: isize, closes_on_exec: bool) -> isize {
    if to >= 0
        && controlled().is_some()
        && let Some(description) = Description::at(from)
    {
        install(to as usize, description, closes_on_exec);
    }
    result(to)
}

/// As the C library turns what the kernel returns into an error.
pub fn result(value: isize) -> isize {
    if (-4095..0).contains(&value) { fails(-value as i32) as isize } else { value }
}

/// What `fcntl` can be asked to do.
pub mod command {
    pub const DUPLICATE: usize = 0;
    pub const DUPLICATE_CLOSES_ON_EXEC: usize = 1030;
    pub const GET_DESCRIPTOR_FLAGS: usize = 1;
    pub const SET_DESCRIPTOR_FLAGS: usize = 2;
    pub const GET_FLAGS: usize = 3;
    pub const SET_FLAGS: usize = 4;
    pub const SET_PIPE_SIZE: usize = 1031;
    pub const GET_PIPE_SIZE: usize = 1032;
    pub const ADD_SEALS: usize = 1033;
    pub const GET_SEALS: usize = 1034;
    /// Signals when something happens, to somebody.
    pub const SIGNALS: [usize; 3] = [8, 10, 15];
}

fn control(descriptor: usize, number: usize, argument: usize, place: u64) -> isize {
    if reserved::contains(descriptor) {
        return fails(EBADF) as isize;
    }
    if file_lock::command::ALL.contains(&number)
        && let Some(value) =
            file_lock::control(descriptor, number, argument as *mut file_lock::Request, place)
    {
        return value;
    }
    step(place, |uses| file_calls::is_controlled(uses, descriptor, number));
    if let Some((me, description)) = controlled().zip(Description::at(descriptor))
        && description.what() == what::PIPE
        && is_concurrent()
    {
        match number {
            command::SET_PIPE_SIZE => _ = before(me, description.operation(Kind::QueueChange, place)),
            command::GET_PIPE_SIZE => _ = before(me, description.operation(Kind::QueuePoll, place)),
            _ => {}
        }
    }
    let value = sys::call(sys::FCNTL, descriptor, number, argument, 0, 0, 0);
    let known = controlled().zip(Description::at(descriptor)).filter(|_| value >= 0);
    let Some((me, description)) = known else { return result(value) };
    match number {
        command::DUPLICATE | command::DUPLICATE_CLOSES_ON_EXEC => {
            return copied(descriptor, value, number == command::DUPLICATE_CLOSES_ON_EXEC);
        }
        command::SET_DESCRIPTOR_FLAGS => set_close_on_exec(descriptor, argument & 1 != 0),
        command::SET_FLAGS => {
            description.set_nonblocking(me, argument as u32 & O_NONBLOCK != 0, place);
        }
        command::SET_PIPE_SIZE => stream::set_pipe_size(description, value as usize),
        number if command::SIGNALS.contains(&number) => remark(&[b"fcntl that asks for signals"]),
        _ => {}
    }
    result(value)
}

fn set_close_on_exec(descriptor: usize, closes: bool) {
    if let Some(entry) = entry(my_process(), descriptor) {
        entry.store(entry.load(Relaxed) & !CLOSES_ON_EXEC | u32::from(closes), Relaxed);
    }
}

/// The C library's function takes any argument after the command.
#[unsafe(no_mangle)]
pub extern "C" fn fcntl(descriptor: usize, command: usize, argument: usize) -> isize {
    control(descriptor as u32 as usize, command as u32 as usize, argument, caller())
}

#[unsafe(no_mangle)]
pub extern "C" fn fcntl64(descriptor: usize, command: usize, argument: usize) -> isize {
    control(descriptor as u32 as usize, command as u32 as usize, argument, caller())
}

const FIONBIO: u32 = 0x5421;
const FIONCLEX: u32 = 0x5450;
const FIOCLEX: u32 = 0x5451;
const FIONREAD: u32 = 0x541b;
const TIOCOUTQ: u32 = 0x5411;
const TIOCGWINSZ: u32 = 0x5413;
const TIOCSWINSZ: u32 = 0x5414;

/// What terminals are, all of them.
pub const TERMINAL: &[u8] = b"the settings of a terminal";

/// Some requests do what `fcntl` does; another tells how much could be read.
#[unsafe(no_mangle)]
pub extern "C" fn ioctl(descriptor: i32, request: usize, argument: *mut i32) -> i32 {
    let (place, frame) = (caller(), caller_frame());
    if reserved::contains(descriptor as usize) {
        return fails(EBADF);
    }
    let known = controlled().and_then(|me| Some((me, Description::at(descriptor as usize)?)));
    if let Some((me, description)) = known
        && request as u32 == FIONREAD
        && description.input() != 0
    {
        before(
            me,
            Operation { kind: Kind::QueuePoll, object: description.input(), place, ..Operation::default() },
        );
    }
    if matches!(request as u32, FIOCLEX | FIONCLEX) {
        step(place, |uses| {
            file_calls::changes_at_exec(uses, descriptor as usize);
            file_calls::is_used(uses, descriptor as usize);
        });
    }
    if request as u32 == FIONBIO {
        step(place, |uses| file_calls::is_controlled(uses, descriptor as usize, command::SET_FLAGS));
    }
    match request as u32 {
        TIOCSWINSZ => step(place, |uses| uses.writes(of_any_process(TERMINAL, 0))),
        TIOCGWINSZ => step(place, |uses| uses.reads(of_any_process(TERMINAL, 0))),
        _ => {}
    }
    let call = || sys::call(IOCTL, descriptor as usize, request, argument as usize, 0, 0, 0);
    let value = match request as u32 {
        TIOCGWINSZ => tells(argument as usize, 8, frame, || call() as usize) as isize,
        FIONREAD | TIOCOUTQ => tells(argument as usize, 4, frame, || call() as usize) as isize,
        _ => call(),
    };
    if let Some((me, description)) = known.filter(|_| value >= 0) {
        match request as u32 {
            // SAFETY: the kernel has just read it.
            FIONBIO => description.set_nonblocking(me, unsafe { *argument } != 0, place),
            FIOCLEX => set_close_on_exec(descriptor as usize, true),
            FIONCLEX => set_close_on_exec(descriptor as usize, false),
            _ => {}
        }
    }
    result(value) as i32
}
