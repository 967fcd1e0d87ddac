//! Runs a program and says what it used.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use wait4::Wait4;

/// What a run took. Times of several programs in a row are added, of their memory the largest counts.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Usage {
    pub wall: f64,
    pub user: f64,
    pub system: f64,
    /// The most memory that was resident at once, in bytes. Never less than what this program itself has, because
    /// the system counts from before the child becomes another program; that is a few megabytes.
    pub peak: u64,
}

impl Usage {
    /// Of one program after the other.
    pub fn then(self, next: Usage) -> Usage {
        Usage {
            wall: self.wall + next.wall,
            user: self.user + next.user,
            system: self.system + next.system,
            peak: self.peak.max(next.peak),
        }
    }

    /// The least of everything in two runs of the same.
    pub fn least(self, other: Usage) -> Usage {
        Usage {
            wall: self.wall.min(other.wall),
            user: self.user.min(other.user),
            system: self.system.min(other.system),
            peak: self.peak.min(other.peak),
        }
    }
}

/// How a program ended, what it printed and what it took.
#[derive(Clone, Debug)]
pub struct Measured {
    /// `None` if it was killed at the time limit.
    pub status: Option<ExitStatus>,
    pub output: String,
    pub errors: String,
    pub usage: Usage,
}

impl Measured {
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Runs `command` in `directory`, which also receives its output.
pub fn run(mut command: Command, directory: &Path, time_limit: Duration) -> Result<Measured> {
    let (output, errors) = (directory.join("output"), directory.join("errors"));
    command.current_dir(directory).stdin(Stdio::null());
    command.stdout(File::create(&output)?).stderr(File::create(&errors)?);
    let start = Instant::now();
    let child =
        command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let id = child.id();
    // Whoever looks again and again whether the program has ended takes the time of one that uses all cores.
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send((child.wait4(), start.elapsed())));
    let in_time = receiver.recv_timeout(time_limit);
    let killed = in_time.is_err();
    if killed {
        Command::new("sh").args(["-c", &format!("kill -KILL {id}")]).stderr(Stdio::null()).status()?;
    }
    let (end, wall) = in_time.or_else(|_| receiver.recv())?;
    let end = end?;
    let usage = Usage {
        wall: wall.as_secs_f64(),
        user: end.rusage.utime.as_secs_f64(),
        system: end.rusage.stime.as_secs_f64(),
        peak: end.rusage.maxrss,
    };
    let read = |path: &Path| Ok::<_, anyhow::Error>(String::from_utf8_lossy(&fs::read(path)?).into_owned());
    Ok(Measured {
        status: (!killed).then_some(end.status),
        output: read(&output)?,
        errors: read(&errors)?,
        usage,
    })
}

/// How many nanoseconds it takes to tell another core something and to hear back; best of several.
pub fn round_trip() -> f64 {
    const TRIPS: u32 = 20_000;
    // With a single core the other thread does not answer while this one asks.
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        return f64::NAN;
    }
    let ball = AtomicBool::new(false);
    // A pause between two looks would be measured, too.
    #[allow(clippy::missing_spin_loop)]
    let pass = |from: bool| {
        while ball.load(Ordering::Acquire) != from {}
        ball.store(!from, Ordering::Release);
    };
    let once = || {
        std::thread::scope(|scope| {
            scope.spawn(|| (0..TRIPS).for_each(|_| pass(true)));
            pass(false);
            let started = Instant::now();
            (1..TRIPS).for_each(|_| pass(false));
            started.elapsed().as_nanos() as f64 / f64::from(TRIPS)
        })
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin::Scratch;

    fn shell(script: &str, number: usize, limit: Duration) -> Measured {
        let scratch = Scratch::new(number).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, scratch.path(), limit).unwrap()
    }

    #[test]
    fn output_and_use_are_kept() {
        let run = shell("echo out; echo err >&2; exit 3", 900, Duration::from_secs(20));
        assert_eq!((run.output.as_str(), run.errors.as_str()), ("out\n", "err\n"));
        assert_eq!(run.status.and_then(|status| status.code()), Some(3));
        assert!(run.usage.wall > 0.0 && run.usage.peak > 0);
    }

    #[test]
    fn a_limit_is_kept() {
        let run = shell("exec sleep 30", 901, Duration::from_millis(50));
        assert!(run.status.is_none() && run.usage.wall < 10.0);
    }

    #[test]
    fn use_adds_up() {
        let one = Usage { wall: 1.0, user: 0.5, system: 0.1, peak: 10 };
        let two = Usage { wall: 2.0, user: 0.25, system: 0.0, peak: 20 };
        assert_eq!(one.then(two), Usage { wall: 3.0, user: 0.75, system: 0.1, peak: 20 });
        assert_eq!(one.least(two), Usage { wall: 1.0, user: 0.25, system: 0.0, peak: 10 });
    }
}
