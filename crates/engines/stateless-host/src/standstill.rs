//! What a program that shows no sign of life does: it runs, or it waits in the kernel for something that nobody else models.
//!
//! The threads that wait for their turn, and the processes that wait for others of ours, are in calls that are known. If any thread runs, the program
//! does; else another call, in which the same thread is still a moment later, is what everybody waits for.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use allways_stateless_protocol::{REGION_ADDRESS, Region};

use crate::program::Standstill;

/// How long a thread must stay in a call to be taken for one that waits there.
const MOMENT: Duration = Duration::from_millis(30);

/// The call in which a process below this one waits; `None` if something runs, or if the system does not tell.
pub fn look(ancestor: u32) -> Option<Standstill> {
    let before = waiting(ancestor)?;
    std::thread::sleep(MOMENT);
    let after = waiting(ancestor)?;
    if after.threads.is_empty() {
        return Some(Standstill::Gone(after.ended_by));
    }
    after
        .threads
        .into_iter()
        .find(|thread| before.threads.contains(thread))
        .map(|thread| Standstill::Waits(thread.words()))
}

/// What does not run.
#[derive(Default)]
struct Still {
    /// The threads that are in a call that is not one of ours.
    threads: Vec<Waiting>,
    /// The signal that ended a process for which nobody has waited yet.
    ended_by: Option<i32>,
}

/// A thread in a call of the kernel.
#[derive(PartialEq, Eq, Debug)]
struct Waiting {
    process: u32,
    thread: u32,
    call: i64,
    first_argument: u64,
    /// How often it began to wait.
    switches: String,
}

impl Waiting {
    fn words(&self) -> String {
        let name = call_name(self.call);
        let name = name.map_or_else(|| format!("system call {}", self.call), str::to_string);
        let file = TAKES_DESCRIPTOR.contains(&self.call).then(|| self.file()).flatten();
        format!("{name}{}", file.map_or(String::new(), |file| format!(" of {file}")))
    }

    fn file(&self) -> Option<String> {
        let link = format!("/proc/{}/fd/{}", self.process, self.first_argument);
        let target = std::fs::read_link(link).ok()?.to_string_lossy().into_owned();
        Some(match target.split_once(':') {
            Some(("anon_inode", kind)) => kind.trim_matches(['[', ']']).to_string(),
            Some(("socket", _)) => "a socket".to_string(),
            Some(("pipe", _)) => "a pipe".to_string(),
            _ => target,
        })
    }
}

/// All threads below a process, unless one runs.
fn waiting(ancestor: u32) -> Option<Still> {
    let mut still = Still::default();
    let mut processes = vec![ancestor];
    while let Some(process) = processes.pop() {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for task in tasks.flatten() {
            let text = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            processes
                .extend(text("children").split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            let status = text("status");
            match field(&status, "State:").chars().next() {
                Some('Z' | 'X') => {
                    still.ended_by = still.ended_by.or(ended_by(&text("stat")));
                    continue;
                }
                Some('S' | 'D') => {}
                _ => return None,
            }
            let Some((call, first_argument)) = call(&text("syscall")) else { continue };
            if !is_ours(call, first_argument) {
                let switches = field(&status, "voluntary_ctxt_switches:").to_string();
                let thread = number(&task.path()).unwrap_or(process);
                still.threads.push(Waiting { process, thread, call, first_argument, switches });
            }
        }
    }
    Some(still)
}

/// The signal that ended a process, from the last field of what the system tells of it.
fn ended_by(stat: &str) -> Option<i32> {
    let status: i32 = stat.split_whitespace().last()?.parse().ok()?;
    Some(status & 0x7f).filter(|signal| *signal != 0)
}

fn number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.parse().ok()
}

fn field<'t>(status: &'t str, name: &str) -> &'t str {
    status.lines().find_map(|line| line.strip_prefix(name)).map_or("", str::trim)
}

/// The number of the call and its first argument, as the system writes them.
fn call(text: &str) -> Option<(i64, u64)> {
    let mut words = text.split_whitespace();
    let call = words.next()?.parse().ok().filter(|call| *call >= 0)?;
    let argument = words.next()?.strip_prefix("0x")?;
    Some((call, u64::from_str_radix(argument, 16).ok()?))
}

/// Is it where threads wait for their turn, the server for the program, or the guard for the
/// server?
fn is_ours(call: i64, first_argument: u64) -> bool {
    const REGION: Range<u64> = REGION_ADDRESS as u64..(REGION_ADDRESS + size_of::<Region>()) as u64;
    match call {
        libc::SYS_futex => REGION.contains(&first_argument),
        _ => [libc::SYS_wait4, libc::SYS_rt_sigtimedwait].contains(&call),
    }
}

/// Calls whose first argument is a descriptor.
const TAKES_DESCRIPTOR: [i64; 17] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_fcntl,
    libc::SYS_flock,
    libc::SYS_ioctl,
    libc::SYS_epoll_wait,
];

/// The function that programs call for it.
fn call_name(call: i64) -> Option<&'static str> {
    Some(match call {
        // Those of the program are modelled.
        libc::SYS_futex => "a lock inside of the C library, as functions for streams (FILE *) take one",
        libc::SYS_read | libc::SYS_readv => "read",
        libc::SYS_write | libc::SYS_writev => "write",
        libc::SYS_recvfrom | libc::SYS_recvmsg => "recv",
        libc::SYS_recvmmsg => "recvmmsg",
        libc::SYS_sendto | libc::SYS_sendmsg => "send",
        libc::SYS_sendmmsg => "sendmmsg",
        libc::SYS_connect => "connect",
        libc::SYS_accept | libc::SYS_accept4 => "accept",
        libc::SYS_open | libc::SYS_openat => "open",
        libc::SYS_fcntl => "fcntl",
        libc::SYS_flock => "flock",
        libc::SYS_ioctl => "ioctl",
        libc::SYS_poll | libc::SYS_ppoll => "poll",
        libc::SYS_select | libc::SYS_pselect6 => "select",
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => "epoll_wait",
        libc::SYS_nanosleep | libc::SYS_clock_nanosleep => "nanosleep",
        libc::SYS_pause => "pause",
        libc::SYS_rt_sigsuspend => "sigsuspend",
        libc::SYS_waitid => "waitid",
        libc::SYS_sendfile => "sendfile",
        libc::SYS_splice => "splice",
        libc::SYS_mq_timedreceive => "mq_receive",
        libc::SYS_mq_timedsend => "mq_send",
        libc::SYS_msgrcv => "msgrcv",
        libc::SYS_semop | libc::SYS_semtimedop => "semop",
        libc::SYS_io_uring_enter => "io_uring_enter",
        libc::SYS_io_getevents => "io_getevents",
        _ => return None,
    })
}
