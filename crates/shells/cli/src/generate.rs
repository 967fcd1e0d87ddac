//! `allways --generate`: completion scripts and the manual page, made from the same definitions as the help.

use std::io::Write;

use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Arguments;
use crate::exit::{Ending, Failure};
use crate::output::Output;

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generated {
    CompleteBash,
    CompleteZsh,
    CompleteFish,
    Man,
}

pub fn run(what: Generated) -> Result<Ending, Failure> {
    let mut output = Output::open(None)?;
    let mut command = Arguments::command();
    let mut text = Vec::new();
    let mut complete = |shell| clap_complete::generate(shell, &mut command, "allways", &mut text);
    match what {
        Generated::CompleteBash => complete(Shell::Bash),
        Generated::CompleteZsh => complete(Shell::Zsh),
        Generated::CompleteFish => complete(Shell::Fish),
        Generated::Man => manual(&mut text).map_err(|error| output.failure(&error))?,
    }
    output.write_all(&text).map_err(|error| output.failure(&error))?;
    output.flushed()?;
    Ok(Ending::Expected)
}

/// One page for all: the commands follow each other as parts of it.
fn manual(out: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Arguments::command();
    command.build();
    let page = Man::new(command.clone());
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    page.render_extra_section(out)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        section(subcommand, out)?;
    }
    page.render_version_section(out)
}

fn section(command: &Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    let name = format!("allways {}", command.get_name());
    writeln!(out, ".SH \"{}\"", name.to_uppercase())?;
    let page = Man::new(command.clone().display_name(name.clone()).bin_name(name));
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    page.render_extra_section(out)
}
