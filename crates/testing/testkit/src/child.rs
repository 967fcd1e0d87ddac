//! Running a program to its end, or to a time limit.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How a child process ended and what it printed.
#[derive(Clone, Debug)]
pub struct Finished {
    /// `None` if the child was killed at the time limit.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Everything printed, for messages in which the stream does not matter.
    pub fn output(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// Runs `command` in `directory`, which also receives its output: a pipe would need a reader of its own, and a
/// verifier that reports every error can fill one before it ends.
pub fn run(mut command: Command, directory: &Path, time_limit: Duration) -> Result<Finished> {
    let (stdout, stderr) = (directory.join("stdout"), directory.join("stderr"));
    let mut child = command
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(File::create(&stdout)?)
        .stderr(File::create(&stderr)?)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let status = wait(&mut child, time_limit)?;
    Ok(Finished { status, stdout: read(&stdout)?, stderr: read(&stderr)? })
}

fn wait(child: &mut Child, time_limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    // Most children end within milliseconds and some run for seconds, so the pauses grow.
    let mut pause = Duration::from_micros(300);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > time_limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(20));
    }
}

fn read(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}
