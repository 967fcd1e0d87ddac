//! Processes: forked, waited for, over; and how they go wrong.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use allways_stateless_protocol::{Kind, Limit, NONE, Operation, Outcome, limits, state};

use crate::atfork::Handlers;
use crate::block::will_write;
use crate::crash::{end_quietly, is_tolerated};
use crate::descriptors;
use crate::direct;
use crate::hot_code;
use crate::image;
use crate::interrupt::{ends_are_visible, needs_visible_ends, point, wait_at};
use crate::kernel_state;
use crate::memory::{self, Frame};
use crate::modules;
use crate::mutex::leave_robust;
use crate::objects::before_fork;
use crate::processors;
use crate::rewind;
use crate::schedule::{before, leave, note, unreaped_children, zombies};
use crate::signal;
use crate::stdio;
use crate::sys::{self, errno::*, fails};
use crate::sysv::undo_all;
use crate::thread::{may_start, new_slot, others, set_own_handle};
use crate::token::{
    await_token, become_concurrent, caller, caller_frame, controlled, end_at_limit, fail, lose_control,
    my_process, n_processes, n_threads, process, region, remark_outsider, set_me, set_process, thread,
};

const WNOHANG: i32 = 1;
/// Any child, for `waitpid`.
const ANY: i32 = -1;

#[unsafe(no_mangle)]
pub extern "C" fn fork() -> i32 {
    let place = caller();
    let handlers = Handlers::look(place);
    handlers.prepare();
    let pid = copy_process(place);
    match pid {
        0 => handlers.in_child(),
        _ => handlers.in_parent(),
    }
    pid
}

/// The same without what the program registered for it. The caller waits until the child has become
/// another program, or is over. The child has memory of its own here.
#[unsafe(no_mangle)]
pub extern "C" fn vfork() -> i32 {
    let place = caller();
    let pid = copy_process(place);
    let Some(me) = controlled() else { return pid };
    if pid == 0 {
        VARIABLES_OF_PARENT.store(image::hash_of_variables(), Relaxed);
        return 0;
    }
    let is_it = |child: &usize| process(*child).pid.load(Relaxed) == pid;
    if let Some(child) = unreaped_children(my_process()).find(is_it) {
        before(me, Operation { kind: Kind::Spawned, argument: child as u64, place, ..Operation::default() });
    }
    pid
}

/// In a child of `vfork`: what the variables of the program were when it began; otherwise 0.
static VARIABLES_OF_PARENT: AtomicU64 = AtomicU64::new(0);

/// A child of `vfork` becomes another program, or ends: what it wrote to variables of the program
/// is written in its parent, too.
pub fn lends_no_memory_any_more(me: usize) {
    let before = VARIABLES_OF_PARENT.load(Relaxed);
    if before != 0 && before != image::hash_of_variables() {
        lose_control(me, &[b"a child of vfork that writes variables of its parent"]);
    }
}

/// A copy of this process, which may go on beside it.
pub fn copy() -> i32 {
    copy_process(caller())
}

/// Copies the process; the result is that of `fork`.
fn copy_process(place: u64) -> i32 {
    let Some(me) = controlled() else { return real_fork() };
    if others(me).next().is_some() {
        // What is in the copy depends on how far they are.
        kernel_state::is_copied();
        before(me, Operation { kind: Kind::Fork, place, ..Operation::default() });
    }
    let (parent, child) = (my_process(), n_processes());
    if child >= limits::PROCESSES {
        end_at_limit(Limit::Processes, limits::PROCESSES, Some(me));
    }
    process(child).parent.store(parent as u32, Relaxed);
    process(child).is_foreign.store(process(parent).is_foreign.load(Relaxed), Relaxed);
    region().header.n_processes.store(child as u32 + 1, Relaxed);
    let forked = new_slot(me, child);
    may_start(forked);
    thread(forked).stack_top.store(thread(me).stack_top.load(Relaxed), Relaxed);
    signal::forked(parent, child, me, forked);
    processors::created(me, forked);
    before_fork(parent, child, me, forked);
    descriptors::before_fork(parent, child);
    become_concurrent();
    note(me, Operation { kind: Kind::Create, target: forked as u32 + 1, place, ..Operation::default() });
    let pid = real_fork();
    if pid == 0 {
        VARIABLES_OF_PARENT.store(0, Relaxed);
        set_process(child);
        set_me(forked as u32);
        process(child).pid.store(sys::getpid(), Relaxed);
        set_own_handle(forked);
        direct::watch();
        await_token(forked);
        memory::forked(me, forked);
        return 0;
    }
    if pid < 0 {
        thread(forked).state.store(state::FINISHED, Relaxed);
        process(child).is_finished.store(1, Relaxed);
        process(child).is_reaped.store(1, Relaxed);
        return pid;
    }
    process(child).pid.store(pid, Relaxed);
    pid
}

/// Values of `Process::program`: 0 is none yet.
pub mod program {
    pub const BEGUN: u32 = 1;
    /// Above are errors.
    pub const FAILED: u32 = 1 << 16;
}

/// Waits until a child has become another program; the error if it could not, when it is gone.
pub fn await_program(me: usize, pid: i32, place: u64) -> i32 {
    let is_it = |child: &usize| process(*child).pid.load(Relaxed) == pid;
    let Some(child) = unreaped_children(my_process()).find(is_it) else { return 0 };
    let operation = Operation { argument: child as u64, place, ..Operation::default() };
    before(me, Operation { kind: Kind::Spawned, ..operation });
    let Some(error) = process(child).program.load(Relaxed).checked_sub(program::FAILED) else { return 0 };
    before(me, Operation { kind: Kind::WaitProcess, ..operation });
    process(child).is_reaped.store(1, Relaxed);
    really_wait(pid, core::ptr::null_mut(), 0, core::ptr::null_mut());
    error as i32
}

/// This process will not become another program.
pub fn fail_to_begin(error: i32) -> ! {
    process(my_process()).program.store(program::FAILED + error as u32, Relaxed);
    _exit(127)
}

fn real_fork() -> i32 {
    real!(c"fork": fn() -> i32, ())
}

/// The end of this process, up to the moment when nobody can notice what it does any more.
pub fn process_exit(me: usize) {
    end_process(me, Manner { ends_others: true, writes_out: false });
}

/// The end of a process because all its threads ended.
pub fn last_thread_exit(me: usize) {
    end_process(me, Manner { ends_others: false, writes_out: true });
}

/// How a process ends.
#[derive(Clone, Copy)]
pub struct Manner {
    /// While other threads are there.
    pub ends_others: bool,
    /// With its streams written out.
    pub writes_out: bool,
}

/// Announces all of the end of this process. Afterwards this thread is not under control any more.
pub fn end_process(me: usize, Manner { ends_others, writes_out }: Manner) {
    modules::tell_later();
    lends_no_memory_any_more(me);
    if ends_are_visible() {
        // The last moment for a signal.
        before(me, Operation { kind: Kind::CancellationPoint, ..Operation::default() });
    }
    signal::comes_too_late(me);
    if ends_others {
        end_other_threads(me);
    }
    if writes_out {
        stdio::flush();
    }
    leave_robust(me);
    undo_all(me);
    descriptors::close_all(me);
    let own = my_process();
    let receiver = signal::of_child_end(own, process(own).parent.load(Relaxed) as usize);
    if receiver.is_some() {
        needs_visible_ends();
    }
    kernel_state::leaves(0);
    let argument = Operation::signals(receiver, own);
    before(me, Operation { kind: Kind::ProcessExit, argument, ..Operation::default() });
    let receiver = thread(me).operation.load().receiver();
    for number in 0..n_threads() {
        let slot = thread(number);
        if slot.process.load(Relaxed) as usize == own && slot.state.load(Relaxed) == state::PENDING {
            slot.state.store(state::KILLED, Relaxed);
        }
    }
    thread(me).state.store(state::FINISHED, Relaxed);
    process(own).is_finished.store(1, Relaxed);
    if let Some(parent) = receiver {
        signal::child_ended(parent as usize);
    }
    set_me(NONE);
    if own == 0 {
        hot_code::note_used();
    }
    leave(me);
}

/// The other threads end before what the process has is given back.
fn end_other_threads(me: usize) {
    if others(me).next().is_none() {
        return;
    }
    before(me, Operation { kind: Kind::ThreadsEnd, ..Operation::default() });
    for other in others(me).filter(|other| thread(*other).state.load(Relaxed) == state::PENDING) {
        thread(other).state.store(state::KILLED, Relaxed);
        signal::victim_is_gone(other);
    }
    process(my_process()).n_live.store(1, Relaxed);
}

#[unsafe(no_mangle)]
pub extern "C" fn _exit(status: i32) -> ! {
    if let Some(me) = controlled() {
        process_exit(me);
    }
    rewind::over((status & 0xff) << 8);
    loop {
        sys::call(sys::EXIT_GROUP, status as usize, 0, 0, 0, 0, 0);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn _Exit(status: i32) -> ! {
    _exit(status)
}

#[unsafe(no_mangle)]
pub extern "C" fn wait(status: *mut i32) -> i32 {
    wait_for(-1, status, 0, core::ptr::null_mut(), caller(), caller_frame())
}

#[unsafe(no_mangle)]
pub extern "C" fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32 {
    wait_for(pid, status, options, core::ptr::null_mut(), caller(), caller_frame())
}

#[unsafe(no_mangle)]
pub extern "C" fn wait3(status: *mut i32, options: i32, usage: *mut c_void) -> i32 {
    wait_for(-1, status, options, usage, caller(), caller_frame())
}

#[unsafe(no_mangle)]
pub extern "C" fn wait4(pid: i32, status: *mut i32, options: i32, usage: *mut c_void) -> i32 {
    wait_for(pid, status, options, usage, caller(), caller_frame())
}

fn wait_for(pid: i32, status: *mut i32, options: i32, usage: *mut c_void, place: u64, frame: Frame) -> i32 {
    let Some(me) = controlled() else { return really_wait(pid, status, options, usage) };
    if pid <= 0 && pid != ANY {
        kernel_state::looks_at_groups(place);
    }
    loop {
        let Some(wanted) = wanted_child(me, pid) else { return fails(ECHILD) };
        let Ok(chosen) = choose_child(me, wanted, options & WNOHANG != 0, place) else { return fails(EINTR) };
        let Some(child) = chosen else { return 0 };
        process(child).is_reaped.store(1, Relaxed);
        let number = process(child).pid.load(Relaxed);
        if !signal::forgets_children() {
            will_write(status, 4, frame);
            let has_signal = signal::comes_with_child(me);
            let result = really_wait(number, status, options & !WNOHANG, usage);
            if has_signal {
                signal::child_signal_comes(me);
            }
            return result;
        }
        // There is no status: it waits until there is no such child.
        really_wait(number, core::ptr::null_mut(), 0, core::ptr::null_mut());
    }
}

/// The child that `waitpid` with this number waits for, or any of them; `None` if there is no such child.
fn wanted_child(me: usize, pid: i32) -> Option<Option<usize>> {
    let own = my_process();
    let mut children = unreaped_children(own);
    if pid > 0 {
        return children.find(|child| process(*child).pid.load(Relaxed) == pid).map(Some);
    }
    let all = children.count();
    if pid == ANY {
        return (all > 0).then_some(None);
    }
    let is_child = |number: &usize| unreaped_children(own).any(|child| child == *number);
    let mut members = kernel_state::members(-pid).filter(is_child);
    let first = members.next()?;
    match members.count() + 1 {
        1 => Some(Some(first)),
        count if count == all => Some(None),
        _ => lose_control(me, &[b"a wait for one of several groups of processes"]),
    }
}

/// Waits as the others do; what is told about the child comes from the kernel.
#[unsafe(no_mangle)]
pub extern "C" fn waitid(kind: i32, id: i32, information: *mut c_void, options: i32) -> i32 {
    const WAITID: usize = 247;
    const ALL: i32 = 0;
    const PID: i32 = 1;
    const GROUP: i32 = 2;
    const WEXITED: i32 = 4;
    const WNOWAIT: i32 = 0x100_0000;
    let really = |kind: i32, id: i32, options: i32| {
        let result =
            sys::call(WAITID, kind as usize, id as usize, information as usize, options as usize, 0, 0);
        if result < 0 { fails(-result as i32) } else { 0 }
    };
    let Some(me) = controlled() else { return really(kind, id, options) };
    if options & WEXITED == 0 || options & !(WNOHANG | WEXITED | WNOWAIT) != 0 {
        remark_outsider(&[b"waitid for children that stop or go on"]);
    }
    if signal::forgets_children() {
        lose_control(me, &[b"waitid for children that nobody asks for (SIGCHLD is ignored)"]);
    }
    let place = caller();
    // As `waitpid` is told.
    let wanted = match kind {
        ALL => ANY,
        PID if id > 0 => id,
        GROUP if id >= 0 => -id,
        PID | GROUP => return fails(EINVAL),
        _ => {
            remark_outsider(&[b"waitid with a descriptor of a process"]);
            return really(kind, id, options);
        }
    };
    if kind == GROUP {
        kernel_state::looks_at_groups(place);
    }
    let Some(child) = wanted_child(me, wanted) else { return fails(ECHILD) };
    match choose_child(me, child, options & WNOHANG != 0, place) {
        Ok(Some(child)) => {
            let leaves_it = options & WNOWAIT;
            if leaves_it == 0 {
                process(child).is_reaped.store(1, Relaxed);
            }
            let has_signal = signal::comes_with_child(me);
            let result = really(PID, process(child).pid.load(Relaxed), WEXITED | leaves_it);
            if has_signal {
                signal::child_signal_comes(me);
            }
            result
        }
        Ok(None) => {
            if !information.is_null() {
                // SAFETY: the program passes a `siginfo_t`, or none.
                unsafe { core::ptr::write_bytes(information.cast::<u8>(), 0, 128) };
            }
            0
        }
        Err(Interrupted) => fails(EINTR),
    }
}

/// A signal came.
struct Interrupted;

/// The child to be reaped, when there is one.
fn choose_child(
    me: usize,
    child: Option<usize>,
    polls: bool,
    place: u64,
) -> Result<Option<usize>, Interrupted> {
    let announce = |operation| wait_at(me, operation, point::TRANSFERS).ok_or(Interrupted);
    let own = my_process();
    let operation = Operation { argument: own as u64, place, ..Operation::default() };
    if polls || child.is_none() && unreaped_children(own).count() > 1 {
        region().header.waited_for_any.store(1, Relaxed);
    }
    match child {
        Some(child) if !polls => {
            announce(Operation { kind: Kind::WaitProcess, argument: child as u64, ..operation })?;
            Ok(Some(child))
        }
        Some(child) => {
            announce(Operation { kind: Kind::PollAny, other: child as u32 + 1, ..operation })?;
            Ok(Some(child).filter(|child| process(*child).is_finished.load(Relaxed) != 0))
        }
        None => {
            let kind = if polls { Kind::PollAny } else { Kind::WaitAny };
            let value = announce(Operation { kind, ..operation })?;
            Ok(zombies(own).nth(value as usize))
        }
    }
}

/// The child is over, or about to be.
fn really_wait(pid: i32, status: *mut i32, options: i32, usage: *mut c_void) -> i32 {
    let result = sys::call(sys::WAIT4, pid as usize, status as usize, options as usize, usage as usize, 0, 0);
    if result < 0 { fails(-result as i32) } else { result as i32 }
}

/// What `assert` calls when it fails.
#[unsafe(no_mangle)]
pub extern "C" fn __assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    if let Some(me) = controlled() {
        if is_tolerated() {
            end_quietly(me, signal::SIGABRT);
        }
        failed_assertion(me, expression, file, line);
    }
    real!(c"__assert_fail": fn(*const c_char, *const c_char, u32, *const c_char) -> !,
        (expression, file, line, function))
}

/// Reports an assertion with its place.
pub fn failed_assertion(me: usize, expression: *const c_char, file: *const c_char, line: u32) -> ! {
    let mut digits = [0_u8; 10];
    fail(
        me,
        Outcome::Assertion,
        &[b"assertion failed: ", text(expression), b" at ", text(file), b":", decimal(line, &mut digits)],
    )
}

fn text<'t>(text: *const c_char) -> &'t [u8] {
    if text.is_null() {
        return b"?";
    }
    // SAFETY: the compiler made the text, and it ends with a zero byte.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}
