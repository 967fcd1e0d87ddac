//! How the program is started.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use allways_stateless_protocol::REGION_VARIABLE;

use crate::limits::widen_stack;

/// Why a program cannot be explored.
#[derive(Debug)]
pub enum LaunchError {
    /// It cannot be started. The user's to mend.
    NotStarted(io::Error),
    /// It was started, but did not load the runtime: it is statically linked, or not an ELF program of this machine. The user's to mend.
    NotControlled(String),
    /// The folder that each execution is to begin with cannot be copied. The user's to mend.
    NotCopied(io::Error),
    /// The machine did not give us memory or files. Ours, or the machine's.
    Machine(io::Error),
}

/// What happens to the output of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Streams {
    /// Nobody sees it.
    Hidden,
    /// It goes where the explorer's goes.
    Shown,
}

/// How far the program is kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// It has namespaces of its own for processes and System V objects.
    Namespaces,
    /// The kernel did not permit that.
    None,
}

/// A program and its arguments.
pub struct Launch<'a> {
    pub program: &'a Path,
    /// Its first argument: programs look at the name that they were called by.
    pub name: &'a OsStr,
    pub arguments: &'a [OsString],
    pub streams: Streams,
    pub region: RawFd,
    pub library: &'a Path,
    /// Where it runs, if not where the explorer does.
    pub folder: Option<&'a Path>,
    pub isolation: Isolation,
    /// Environment variables that are not as the explorer has them.
    pub variables: &'a [(OsString, Option<OsString>)],
}

impl Launch<'_> {
    pub fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(self.program);
        for (name, value) in self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.arg0(self.name).args(self.arguments).env("LD_PRELOAD", before("LD_PRELOAD", self.library));
        // There the loader finds our library under every name that a program may know it by.
        let folder = self.library.parent().unwrap_or(Path::new("/"));
        command.env("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", folder));
        let (region, number) = (self.region, region_number(self.region));
        command.env(REGION_VARIABLE, number.to_string()).env("LD_BIND_NOW", "1");
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::null());
        if self.streams == Streams::Hidden {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let isolation = self.isolation;
        // SAFETY: a system call without conditions.
        let explorer = unsafe { libc::getpid() };
        // SAFETY: between fork and exec only system calls are made, on memory that was prepared before.
        unsafe { command.pre_exec(move || prepare(isolation, region, number, explorer)) };
        command.spawn()
    }
}

/// Ours first, then what the user wanted.
fn before(variable: &str, ours: &Path) -> OsString {
    let mut list = OsString::from(ours);
    if let Some(more) = std::env::var_os(variable).filter(|more| !more.is_empty()) {
        list.push(OsStr::new(":"));
        list.push(more);
    }
    list
}

const ADDR_NO_RANDOMIZE: libc::c_ulong = 0x004_0000;

/// The number of the region's descriptor in the program: far from those that the program uses. These do then not depend on what the explorer
/// has open.
fn region_number(region: RawFd) -> RawFd {
    // With higher numbers the kernel copies a longer table whenever the program is forked. But it must not be one that the explorer uses
    // before the program is executed: it may have much open.
    const HIGH: RawFd = 63;
    const HIGHER: RawFd = 1023;
    const FAR: RawFd = 32;
    let mut limit = libc::rlimit { rlim_cur: HIGHER as libc::rlim_t + 1, rlim_max: 0 };
    // SAFETY: there is room for the limit, and the copy, which has the lowest number that is free, is ours.
    let lowest = unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        let copy = libc::fcntl(region, libc::F_DUPFD_CLOEXEC, 0);
        libc::close(copy);
        copy
    };
    let number = if (0..FAR).contains(&lowest) { HIGH } else { HIGHER };
    number.min(limit.rlim_cur.saturating_sub(1).min(HIGHER as libc::rlim_t) as RawFd)
}

fn prepare(isolation: Isolation, region: RawFd, number: RawFd, explorer: libc::pid_t) -> io::Result<()> {
    // SAFETY: system calls without conditions.
    unsafe {
        if libc::dup2(region, number) < 0 || libc::fcntl(number, libc::F_SETFD, 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::personality(ADDR_NO_RANDOMIZE);
        // The explorer ignores it, see `Program::start`.
        libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
        widen_stack();
        // Ctrl-C is for the explorer alone.
        libc::setsid();
        match isolation {
            Isolation::None => die_with(explorer),
            Isolation::Namespaces => enter_namespaces(explorer),
        }
    }
}

/// Has the system end this process with its parent, and fails if that one is over already.
///
/// # Safety
/// It has no conditions.
unsafe fn die_with(parent: libc::pid_t) -> io::Result<()> {
    // SAFETY: system calls without conditions.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() == parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
    }
}

/// The process that goes on is the first of a new process namespace: when it dies, so does everything in it. The one in between, the
/// *guard*, waits for it and dies with the explorer.
///
/// # Safety
/// Only in a process that has one thread.
unsafe fn enter_namespaces(explorer: libc::pid_t) -> io::Result<()> {
    // SAFETY: system calls on memory that is there; `waitpid` gets no place for the status.
    unsafe {
        let namespaces = libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        if libc::unshare(namespaces) != 0 && libc::unshare(namespaces | libc::CLONE_NEWUSER) != 0 {
            return Err(io::Error::last_os_error());
        }
        // Not before: who enters a user namespace is no longer ended with its parent.
        die_with(explorer)?;
        // Its other end is open as long as the guard lives: its number means nothing in the new namespace.
        let mut life = [0; 2];
        if libc::pipe2(life.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        let [alive, held] = life;
        let signals = guarded_signals();
        let mut was = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_BLOCK, &signals, &mut was);
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                libc::sigprocmask(libc::SIG_SETMASK, &was, std::ptr::null_mut());
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::close(held);
                let mut guard = libc::pollfd { fd: alive, events: 0, revents: 0 };
                let is_gone = libc::poll(&mut guard, 1, 0) != 0;
                libc::close(alive);
                show_own_processes();
                if is_gone { Err(io::Error::from_raw_os_error(libc::ESRCH)) } else { Ok(()) }
            }
            child => {
                libc::syscall(libc::SYS_close_range, 0, held - 1, 0);
                libc::syscall(libc::SYS_close_range, held + 1, u32::MAX, 0);
                guard(child, &signals);
                libc::_exit(0)
            }
        }
    }
}

/// Makes `/proc` that of the new namespace, where processes have the numbers that they know. Where the system does not permit it, a process
/// does not find itself there by its number.
///
/// # Safety
/// It has no conditions.
unsafe fn show_own_processes() {
    // SAFETY: system calls on texts that end with a zero byte.
    unsafe {
        if libc::unshare(libc::CLONE_NEWNS) != 0 {
            return;
        }
        let (nothing, proc) = (std::ptr::null(), c"proc".as_ptr());
        // What is mounted later outside still appears, but not the other way round.
        if libc::mount(nothing, c"/".as_ptr(), nothing, libc::MS_REC | libc::MS_SLAVE, std::ptr::null()) == 0
        {
            let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
            libc::mount(proc, c"/proc".as_ptr(), proc, flags, std::ptr::null());
        }
    }
}

/// What a guard waits for: that the program ends, or that it is told to end it.
///
/// # Safety
/// It has no conditions.
unsafe fn guarded_signals() -> libc::sigset_t {
    // SAFETY: the set is made empty before it is used.
    unsafe {
        let mut signals = std::mem::zeroed();
        libc::sigemptyset(&mut signals);
        libc::sigaddset(&mut signals, libc::SIGTERM);
        libc::sigaddset(&mut signals, libc::SIGCHLD);
        signals
    }
}

/// Returns when the first process of the namespace was waited for: then no other of it is left.
///
/// # Safety
/// Only in a process that has one thread and blocks these signals, about a child of its own.
unsafe fn guard(child: libc::pid_t, signals: &libc::sigset_t) {
    // SAFETY: system calls on memory that is there; `waitpid` gets no place for the status.
    unsafe {
        while libc::waitpid(child, std::ptr::null_mut(), libc::WNOHANG) == 0 {
            if libc::sigwaitinfo(signals, std::ptr::null_mut()) == libc::SIGTERM {
                libc::kill(child, libc::SIGKILL);
            }
        }
    }
}

/// Ends what was started and waits until nothing of it is left. Whoever was still under way would meet the next program that gets the region.
pub fn stop(server: &mut Child, isolation: Isolation) {
    match isolation {
        // SAFETY: a system call without conditions; nobody has waited for the process, so the number is its own.
        Isolation::Namespaces => unsafe {
            libc::kill(server.id() as libc::pid_t, libc::SIGTERM);
        },
        Isolation::None => {
            let _ = server.kill();
        }
    }
    let _ = server.wait();
}

/// Where a program is, as the shell would find it. Links are not followed: which program it is may depend on the name.
pub fn find_program(name: &Path) -> io::Result<PathBuf> {
    if name.as_os_str().as_encoded_bytes().contains(&b'/') {
        return name.metadata().map(|_| name.to_path_buf());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = |folder: PathBuf| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    let found =
        std::env::split_paths(&path).map(|folder| here(folder).join(name)).find(|file| is_executable(file));
    found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
}

fn is_executable(file: &Path) -> bool {
    let Ok(text) = CString::new(file.as_os_str().as_encoded_bytes()) else { return false };
    // SAFETY: the text ends with a zero byte.
    file.is_file() && unsafe { libc::access(text.as_ptr(), libc::X_OK) } == 0
}
