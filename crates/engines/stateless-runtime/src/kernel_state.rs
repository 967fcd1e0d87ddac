//! What the kernel keeps for a process or a thread besides files and memory: limits, groups, names, priorities, actions of signals.
//!
//! The kernel does what the program asks for. But it can matter whether one thread, or another process, looks before or after a change. So
//! each state is an object of a footprint (`uses.rs`), and a call is a step only if several threads use the state in ways that do not
//! commute.
//!
//! A copy of a process (`fork`) takes over what its threads share, so to copy is to look at all of that: see [`is_copied`].

use core::sync::atomic::Ordering::Relaxed;

use crate::descriptors::TERMINAL;
use crate::environment::VARIABLES;
use crate::file_calls::TABLE;
use crate::library::state;
use crate::path_calls::{MASK, calls};
use crate::paths::{FOLDER_OF_PROCESS, of_any_process, of_process, of_thread};
use crate::schedule::unreaped_children;
use crate::signal::action_name;
use crate::sys::{self, errno::EPERM};
use crate::thread::find;
use crate::token::{caller, controlled, lose_control, my_process, n_processes, process};
use crate::uses::{Used, Uses, note, step, step_in_memory};

type Call = [usize; 6];

const IDENTITY: &[u8] = b"the user and groups of the process";
const LIMITS: &[u8] = b"the limits of the process";
const GROUP: &[u8] = b"the group of the process";
const PRIORITY: &[u8] = b"the priority of the process";
const SCHEDULING: &[u8] = b"the scheduling of the thread";
const NAME: &[u8] = b"the name of the thread";
const PRESENCE: &[u8] = b"whether the process is there";
const ATTACHMENTS: &[u8] = b"how often memory is attached";

const HOST: &[u8] = b"the name of the host";

/// Signals below are not for the program's own purposes.
const LAST: usize = 32;

/// What a child has from its parent.
const INHERITED: [&[u8]; 17] = [
    VARIABLES,
    FOLDER_OF_PROCESS,
    MASK,
    LIMITS,
    state::AT_EXIT,
    state::AT_QUICK_EXIT,
    state::AT_FORK,
    state::RANDOM,
    state::RANDOM_48,
    state::LOCALE,
    state::ZONE,
    IDENTITY,
    state::DOMAIN,
    state::EXPRESSION,
    state::CONCURRENCY,
    state::DEFAULTS,
    TABLE,
];

/// The process is copied while other threads of it are under way. The copy itself depends on everything they do; this makes steps of
/// those changes that the copy could show.
pub fn is_copied() {
    note(|uses| {
        INHERITED.iter().for_each(|name| own(uses, name, false));
        (1..LAST).for_each(|signal| own(uses, &action_name(signal), false));
    });
}

/// Notes a use of something that is there for this process only, if there is another thread.
fn own(uses: &mut Uses, name: &[u8], is_write: bool) {
    if let Some(used) = of_process(name) {
        add(uses, used, is_write);
    }
}

fn add(uses: &mut Uses, used: Used, is_write: bool) {
    if is_write {
        uses.writes(used);
    } else {
        uses.reads(used);
    }
}

/// The same for a process that the program names by its number; 0 is the own one.
fn named(uses: &mut Uses, name: &[u8], pid: usize, is_write: bool) {
    let pid = pid as i32;
    let is_named = |number: &usize| {
        process(*number).pid.load(Relaxed) == pid && process(*number).is_reaped.load(Relaxed) == 0
    };
    let number = (0..n_processes()).find(is_named).unwrap_or_else(my_process);
    add(uses, of_any_process(name, number), is_write);
}

/// The same for a thread.
fn thread(uses: &mut Uses, name: &[u8], handle: usize, is_write: bool) {
    if let Some(used) = find(handle as u64).and_then(|number| of_thread(name, number)) {
        add(uses, used, is_write);
    }
}

/// A descriptor can be got, or a file can grow, only within the limits.
pub fn is_limited(uses: &mut Uses) {
    own(uses, LIMITS, false);
}

/// Announces a look at the limits of a process, or a change of them, which may need a right.
pub fn uses_limits(pid: i32, is_write: bool, place: u64) {
    step(place, |uses| {
        named(uses, LIMITS, pid as usize, is_write);
        if is_write || pid != 0 {
            looks_at_rights(uses);
        }
    });
}

/// Announces that memory is asked for, which the limits may forbid.
pub fn needs_memory(place: u64) {
    step_in_memory(place, is_limited);
}

/// What a process may do depends on its user and its groups.
pub fn looks_at_rights(uses: &mut Uses) {
    own(uses, IDENTITY, false);
}

/// May the process send signals to this one? The kernel knows.
pub fn may_signal(receiver: usize, place: u64) -> bool {
    if receiver == my_process() {
        return true;
    }
    step(place, |uses| {
        uses.reads(of_any_process(IDENTITY, my_process()));
        uses.reads(of_any_process(IDENTITY, receiver));
    });
    let pid = process(receiver).pid.load(Relaxed) as usize;
    sys::call(sys::KILL, pid, 0, 0, 0, 0, 0) != -(EPERM as isize)
}

/// Announces that a descriptor will be made.
pub fn makes_descriptor(place: u64) {
    step(place, is_limited);
}

/// Announces the name of a thread as `prctl` asks for it or changes it.
pub fn uses_own_name(me: usize, is_write: bool, place: u64) {
    step(place, |uses| {
        if let Some(used) = of_thread(NAME, me) {
            add(uses, used, is_write);
        }
    });
}

/// Announces that memory is attached, or no longer (both commute), or that a process asks how often it is.
pub fn attaches(place: u64) {
    step(place, |uses| {
        uses.adds_to(of_any_process(ATTACHMENTS, 0));
        looks_at_rights(uses);
    });
}

pub fn asks_for_attachments(is_write: bool, place: u64) {
    step(place, |uses| {
        add(uses, of_any_process(ATTACHMENTS, 0), is_write);
        looks_at_rights(uses);
    });
}

/// A process is about to be over, and its children get another parent. Nothing else can ask whether
/// the process is there.
pub fn leaves(place: u64) {
    if unreaped_children(my_process()).next().is_some() {
        step(place, |uses| uses.writes(of_any_process(PRESENCE, my_process())));
    }
    process(my_process()).has_left.store(1, Relaxed);
}

/// The process that a process without a parent belongs to.
const FIRST: i32 = 1;

#[unsafe(no_mangle)]
pub extern "C" fn getppid() -> i32 {
    let real = || real!(c"getppid": fn() -> i32, ());
    if controlled().is_none() || my_process() == 0 {
        return real();
    }
    let parent = process(my_process()).parent.load(Relaxed) as usize;
    step(caller(), |uses| uses.reads(of_any_process(PRESENCE, parent)));
    if process(parent).has_left.load(Relaxed) != 0 { FIRST } else { process(parent).pid.load(Relaxed) }
}

/// The processes of a group that were not waited for.
pub fn members(group: i32) -> impl Iterator<Item = usize> {
    const GETPGID: usize = 121;
    let group_of = |number: usize| {
        let pid = process(number).pid.load(Relaxed) as usize;
        sys::call(GETPGID, pid, 0, 0, 0, 0, 0) as i32
    };
    let group = if group == 0 { group_of(my_process()) } else { group };
    let is_there = |number: &usize| process(*number).is_reaped.load(Relaxed) == 0;
    (0..n_processes()).filter(is_there).filter(move |number| group_of(*number) == group)
}

/// Announces that the groups of all processes are looked at.
pub fn looks_at_groups(place: u64) {
    step(place, |uses| {
        (0..n_processes()).for_each(|number| uses.reads(of_any_process(GROUP, number)));
    });
}

/// Files of a process in `/proc` that others change: its threads, its descriptors, how much it used.
const CHANGING: [&[u8]; 13] = [
    b"task",
    b"status",
    b"stat",
    b"statm",
    b"fd",
    b"fdinfo",
    b"comm",
    b"sched",
    b"schedstat",
    b"io",
    b"wchan",
    b"syscall",
    b"limits",
];

/// Is a path one whose contents, or whose presence, depends on what threads and processes do?
pub fn tells_of_processes(path: &[u8]) -> bool {
    let Some(rest) = path.strip_prefix(b"/proc").filter(|rest| matches!(rest.first(), None | Some(b'/')))
    else {
        return false;
    };
    let mut parts = rest.split(|byte| *byte == b'/').filter(|part| !part.is_empty());
    let (whose, what) = (parts.next(), parts.next());
    match whose {
        None => true,
        Some(b"self" | b"thread-self") => what.is_some_and(|what| CHANGING.contains(&what)),
        Some(number) if number.iter().all(u8::is_ascii_digit) => {
            what.is_none_or(|what| CHANGING.contains(&what))
        }
        Some(_) => false,
    }
}

/// `prctl` about the end of a parent: neither the signal that it sends is modelled nor who gets
/// orphans.
pub fn is_about_parents(me: usize, what: i32, value: usize) {
    const SET_PDEATHSIG: i32 = 1;
    const SET_CHILD_SUBREAPER: i32 = 36;
    if [SET_PDEATHSIG, SET_CHILD_SUBREAPER].contains(&what) && value != 0 {
        lose_control(me, &[b"prctl about the end of the parent"]);
    }
}

/// A change that may need a right.
fn changes(uses: &mut Uses, name: &[u8], pid: usize) {
    named(uses, name, pid, true);
    looks_at_rights(uses);
}

fn changes_scheduling(uses: &mut Uses, handle: usize) {
    thread(uses, SCHEDULING, handle, true);
    // The number of a process is that of its first thread, too.
    named(uses, PRIORITY, 0, true);
    looks_at_rights(uses);
}

fn looks_at_scheduling(uses: &mut Uses, handle: usize) {
    thread(uses, SCHEDULING, handle, false);
    named(uses, PRIORITY, 0, false);
}

calls! {
    setuid c"setuid" => |uses, _| named(uses, IDENTITY, 0, true);
    seteuid c"seteuid" => |uses, _| named(uses, IDENTITY, 0, true);
    setreuid c"setreuid" => |uses, _| named(uses, IDENTITY, 0, true);
    setresuid c"setresuid" => |uses, _| named(uses, IDENTITY, 0, true);
    setgid c"setgid" => |uses, _| named(uses, IDENTITY, 0, true);
    setegid c"setegid" => |uses, _| named(uses, IDENTITY, 0, true);
    setregid c"setregid" => |uses, _| named(uses, IDENTITY, 0, true);
    setresgid c"setresgid" => |uses, _| named(uses, IDENTITY, 0, true);
    setgroups c"setgroups" => |uses, _| named(uses, IDENTITY, 0, true);
    initgroups c"initgroups" => |uses, _| named(uses, IDENTITY, 0, true);
    getuid c"getuid" => |uses, _| looks_at_rights(uses);
    geteuid c"geteuid" => |uses, _| looks_at_rights(uses);
    getgid c"getgid" => |uses, _| looks_at_rights(uses);
    getegid c"getegid" => |uses, _| looks_at_rights(uses);
    getresuid c"getresuid" => |uses, _| looks_at_rights(uses);
    getresgid c"getresgid" => |uses, _| looks_at_rights(uses);
    getgroups c"getgroups" => |uses, _| looks_at_rights(uses);
    mlock c"mlock" => |uses, _| is_limited(uses);
    mlock2 c"mlock2" => |uses, _| is_limited(uses);
    mlockall c"mlockall" => |uses, _| is_limited(uses);
    sethostname c"sethostname" => |uses, _| uses.writes(of_any_process(HOST, 0));
    setdomainname c"setdomainname" => |uses, _| uses.writes(of_any_process(HOST, 0));
    gethostname c"gethostname" => |uses, _| uses.reads(of_any_process(HOST, 0));
    getdomainname c"getdomainname" => |uses, _| uses.reads(of_any_process(HOST, 0));
    uname c"uname" => |uses, _| uses.reads(of_any_process(HOST, 0));
    getdtablesize c"getdtablesize" => |uses, _| own(uses, LIMITS, false);
    tcsetattr c"tcsetattr" => |uses, _| uses.writes(of_any_process(TERMINAL, 0));
    tcgetattr c"tcgetattr" => |uses, _| uses.reads(of_any_process(TERMINAL, 0));
    setpgid c"setpgid" => |uses, call| named(uses, GROUP, call[0], true);
    setpgrp c"setpgrp" => |uses, _| named(uses, GROUP, 0, true);
    setsid c"setsid" => |uses, _| named(uses, GROUP, 0, true);
    getpgid c"getpgid" => |uses, call| named(uses, GROUP, call[0], false);
    getpgrp c"getpgrp" => |uses, _| named(uses, GROUP, 0, false);
    getsid c"getsid" => |uses, call| named(uses, GROUP, call[0], false);
    nice c"nice" => |uses, _| changes(uses, PRIORITY, 0);
    setpriority c"setpriority" => |uses, call| changes(uses, PRIORITY, call[1]);
    getpriority c"getpriority" => |uses, call| named(uses, PRIORITY, call[1], false);
    sched_setscheduler c"sched_setscheduler" => |uses, call| changes(uses, PRIORITY, call[0]);
    sched_setparam c"sched_setparam" => |uses, call| changes(uses, PRIORITY, call[0]);
    sched_getscheduler c"sched_getscheduler" => |uses, call| named(uses, PRIORITY, call[0], false);
    sched_getparam c"sched_getparam" => |uses, call| named(uses, PRIORITY, call[0], false);
    pthread_setschedparam c"pthread_setschedparam" => |uses, call| changes_scheduling(uses, call[0]);
    pthread_setschedprio c"pthread_setschedprio" => |uses, call| changes_scheduling(uses, call[0]);
    pthread_getschedparam c"pthread_getschedparam" => |uses, call| looks_at_scheduling(uses, call[0]);
    pthread_setname_np c"pthread_setname_np" => |uses, call| thread(uses, NAME, call[0], true);
    pthread_getname_np c"pthread_getname_np" => |uses, call| thread(uses, NAME, call[0], false);
}
