//! Colours: whether there are any is the shell's to decide.

use std::fmt::Display;

/// Paints words, or leaves them as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Palette {
    /// For files and pipes.
    #[default]
    Plain,
    /// For a terminal.
    Coloured,
}

/// What a word says, which decides how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    Good,
    Bad,
    Doubtful,
    Heading,
    Faint,
}

impl Palette {
    pub fn paint(self, tone: Tone, text: impl Display) -> String {
        let code = match tone {
            Tone::Good => "1;32",
            Tone::Bad => "1;31",
            Tone::Doubtful => "1;33",
            Tone::Heading => "1",
            Tone::Faint => "2",
        };
        match self {
            Palette::Plain => text.to_string(),
            Palette::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
