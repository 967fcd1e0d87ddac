//! Talking with somebody at the terminal, line by line, or with a script on standard input.

use std::io::{self, BufRead, IsTerminal};

use crate::exit::Failure;
use crate::output::Output;

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
    let mut line = String::new();
    let n_bytes = io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::tool(format!("cannot read standard input: {error}")))?;
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
