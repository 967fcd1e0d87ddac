//! Talking with somebody at the terminal, line by line, or with a script on standard input.

use std::io::{self, BufRead, IsTerminal, Read};

use crate::exit::Failure;
use crate::output::Output;

/// Nobody types more. What has no end, such as `/dev/zero`, is not read until memory is gone.
const LONGEST_LINE: u64 = 4096;

/// What the user typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The first word; empty for an empty line.
    pub word: String,
    /// The number behind it, if there is one.
    pub number: Option<usize>,
}

/// Asks for a line. None at the end of the input.
pub fn ask(output: &mut Output, prompt: &str) -> Result<Option<Request>, Failure> {
    output.text(prompt)?;
    output.flushed()?;
    let mut line = Vec::new();
    let n_bytes = io::stdin()
        .lock()
        .take(LONGEST_LINE + 1)
        .read_until(b'\n', &mut line)
        .map_err(|error| Failure::tool(format!("cannot read standard input: {error}")))?;
    if n_bytes as u64 > LONGEST_LINE {
        let message = format!("a line of standard input is longer than {LONGEST_LINE} characters");
        return Err(Failure::usage(message).help("write one command per line; ? lists them"));
    }
    let line = String::from_utf8_lossy(&line);
    let line = line.trim();
    // A terminal shows what is typed; a script would leave no trace of it.
    if n_bytes == 0 || !io::stdin().is_terminal() {
        output.line(line)?;
    }
    if n_bytes == 0 || output.is_closed() {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or("").to_string();
    Ok(Some(Request { word, number: words.next().and_then(|word| word.parse().ok()) }))
}
