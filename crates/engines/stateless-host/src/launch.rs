//! How the program is started.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use allways_stateless_protocol::REGION_VARIABLE;

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
    pub arguments: &'a [OsString],
    pub streams: Streams,
    pub region: RawFd,
    pub library: &'a Path,
    /// Where it runs, if not where the explorer does.
    pub folder: Option<&'a Path>,
    pub isolation: Isolation,
}

impl Launch<'_> {
    pub fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(self.program);
        command.args(self.arguments).env("LD_PRELOAD", before("LD_PRELOAD", self.library));
        // There the loader finds our library under every name that a program may know it by.
        let folder = self.library.parent().unwrap_or(Path::new("/"));
        command.env("LD_LIBRARY_PATH", before("LD_LIBRARY_PATH", folder));
        command.env(REGION_VARIABLE, self.region.to_string()).env("LD_BIND_NOW", "1");
        if let Some(folder) = self.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::null());
        if self.streams == Streams::Hidden {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let isolation = self.isolation;
        // SAFETY: between fork and exec only system calls are made, on memory that was prepared before.
        unsafe { command.pre_exec(move || prepare(isolation)) };
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

fn prepare(isolation: Isolation) -> io::Result<()> {
    // SAFETY: system calls without conditions.
    unsafe {
        libc::personality(ADDR_NO_RANDOMIZE);
        // Ctrl-C is for the explorer alone.
        libc::setsid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if isolation == Isolation::Namespaces {
            enter_namespaces()?;
        }
    }
    Ok(())
}

/// The process that goes on is the first of a new process namespace: when it dies, so does everything in it. The one in between
/// waits for it and dies with the explorer.
///
/// # Safety
/// Only in a process that has one thread.
unsafe fn enter_namespaces() -> io::Result<()> {
    // SAFETY: system calls without conditions; `waitpid` gets no place for the status.
    unsafe {
        let namespaces = libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
        if libc::unshare(namespaces) != 0 && libc::unshare(namespaces | libc::CLONE_NEWUSER) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            }
            child => {
                libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0);
                libc::waitpid(child, std::ptr::null_mut(), 0);
                libc::_exit(0)
            }
        }
    }
}

/// Where a program is, as the shell would find it.
pub fn find_program(name: &Path) -> io::Result<PathBuf> {
    if name.components().count() > 1 {
        return name.canonicalize();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file));
    found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?.canonicalize()
}

fn is_executable(file: &Path) -> bool {
    let Ok(text) = CString::new(file.as_os_str().as_encoded_bytes()) else { return false };
    // SAFETY: the text ends with a zero byte.
    file.is_file() && unsafe { libc::access(text.as_ptr(), libc::X_OK) } == 0
}
