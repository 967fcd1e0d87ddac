//! Where results go: standard output or a file.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use allways_report::palette::Palette;
use allways_workbench::Model;

use crate::exit::Failure;
use crate::new_file::{NewFile, is_same};

/// An open output. A reader that went away (`allways … | head`) is no error: what follows is dropped, and the exit
/// code still tells the verdict.
pub struct Output {
    writer: Box<dyn Write>,
    /// For messages; none for standard output.
    path: Option<PathBuf>,
    closed: bool,
}

impl Output {
    /// Opens the file now, so that a long search does not end with a path that cannot be written.
    pub fn open(path: Option<&Path>) -> Result<Output, Failure> {
        let writer: Box<dyn Write> = match path {
            None => Box::new(BufWriter::new(io::stdout())),
            Some(path) => Box::new(BufWriter::new(create(path)?)),
        };
        Ok(Output { writer, path: path.map(Path::to_path_buf), closed: false })
    }

    /// Coloured only on a terminal.
    pub fn palette(&self) -> Palette {
        if self.path.is_none() && io::stdout().is_terminal() { colours() } else { Palette::Plain }
    }

    /// Whether nobody reads any more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.write_all(text.as_bytes()).map_err(|error| self.failure(&error))
    }

    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        self.text("\n")
    }

    /// To be called at the end, and wherever a reader waits.
    pub fn flushed(&mut self) -> Result<(), Failure> {
        self.flush().map_err(|error| self.failure(&error))
    }

    pub fn failure(&self, error: &io::Error) -> Failure {
        let name =
            self.path.as_ref().map_or("standard output".to_string(), |path| path.display().to_string());
        Failure::tool(format!("cannot write {name}: {error}"))
    }

    fn tolerate<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.writer.write(bytes);
        self.tolerate(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.writer.flush();
        self.tolerate(result, ())
    }
}

/// A file that the command line names. It is looked at now, so that a long search does not end with a path that cannot be written, and
/// replaced when it is complete.
pub fn create(path: &Path) -> Result<NewFile, Failure> {
    NewFile::new(path).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot write {}: {error}", path.display()))
        .help("choose a file in a directory that exists and is yours to write to")
}

/// Refuses to write a result over what it was made from.
pub fn protect(input: &Path, outputs: &[Option<&Path>]) -> Result<(), Failure> {
    for output in outputs.iter().flatten() {
        if input.exists() && is_file(output) && is_same(input, output) {
            let message = format!("{} is what is being read: it would be overwritten", output.display());
            return Err(Failure::usage(message).help("choose another file to write to"));
        }
    }
    Ok(())
}

/// Refuses to write a result over a file of the model, also over one that it includes.
pub fn protect_model(model: &Model, outputs: &[Option<&Path>]) -> Result<(), Failure> {
    model.sources.files().try_for_each(|(_, file)| protect(&file.path, outputs))
}

/// Refuses to write two things to one file. Each has the words for what it is.
pub fn distinct(outputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    for (number, (what, path)) in outputs.iter().enumerate() {
        for (other, other_path) in &outputs[number + 1..] {
            if let (Some(path), Some(other_path)) = (path, other_path)
                && is_file(path)
                && is_same(path, other_path)
            {
                let message = format!("{} would get both {what} and {other}", path.display());
                return Err(Failure::usage(message).help("choose two files"));
            }
        }
    }
    Ok(())
}

/// Not a device or FIFO, which take one thing after the other.
fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |metadata| metadata.is_file()) && !path.starts_with("/dev")
}

/// For messages on standard error, which may be closed as well.
pub fn message(text: &str) {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(io::stderr(), "{text}{newline}");
}

/// The palette for standard error.
pub fn message_palette() -> Palette {
    if io::stderr().is_terminal() { colours() } else { Palette::Plain }
}

/// What a terminal gets, see <https://no-color.org>.
fn colours() -> Palette {
    let refuses = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if refuses || is_dumb { Palette::Plain } else { Palette::Coloured }
}
