//! `allways graph`: pictures of the processes of a model.

use std::path::{Path, PathBuf};

use allways_report::graph::{self, Graph};
use clap::{Args, ValueEnum};

use crate::exit::{Ending, Failure};
use crate::model::{self, ReadingOptions};
use crate::output::{self, Output};

/// Draw the control-flow automata of a model
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct GraphArguments {
    /// The Promela model; `-` for standard input
    model: PathBuf,
    /// Draw only this proctype, never claim or trace; can be repeated
    #[arg(short = 'P', long = "proctype", value_name = "NAME")]
    proctypes: Vec<String>,
    /// What to write: input for Graphviz, a picture, or a listing; by default what the name of the output file
    /// says, or else dot
    #[arg(long)]
    format: Option<Format>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingOptions,
}

const EXAMPLES: &str = "\
Examples:
  allways graph mutex.pml --format text      a listing of all states and statements
  allways graph mutex.pml -P user -o u.svg   a picture of one proctype
  allways graph mutex.pml | dot -Tpdf        through Graphviz";

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Dot,
    Svg,
    Text,
}

pub fn run(arguments: &GraphArguments) -> Result<Ending, Failure> {
    let model = model::load(&arguments.model, &arguments.reading.load_options())?;
    let graphs = select(graph::automata(&model.system, &model.sources), &arguments.proctypes)?;
    output::protect_model(&model, &[arguments.output.as_deref()])?;
    let format = match arguments.format {
        Some(format) => format,
        None => format_of(arguments.output.as_deref())?,
    };
    let text = match format {
        Format::Dot => graph::dot(&graphs),
        Format::Svg => graph::svg(&graphs),
        Format::Text => graph::text(&graphs),
    };
    let mut output = Output::open(arguments.output.as_deref())?;
    output.text(&text)?;
    output.flushed()?;
    Ok(Ending::Expected)
}

fn format_of(path: Option<&Path>) -> Result<Format, Failure> {
    let Some(path) = path else { return Ok(Format::Dot) };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(Format::Svg),
        Some("txt") => Ok(Format::Text),
        Some("dot" | "gv") => Ok(Format::Dot),
        _ => Err(Failure::usage(format!("{}: the name does not tell the format", path.display()))
            .help("use a name that ends in .svg, .dot or .txt, or say --format svg|dot|text")),
    }
}

fn select(mut graphs: Vec<Graph>, names: &[String]) -> Result<Vec<Graph>, Failure> {
    let known: Vec<String> = graphs.iter().map(|graph| name(graph).to_string()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        let failure = Failure::usage(format!("the model has no proctype `{unknown}`"));
        return Err(failure.help(format!("it has: {}", known.join(", "))));
    }
    graphs.retain(|graph| names.is_empty() || names.iter().any(|asked| asked == name(graph)));
    Ok(graphs)
}

/// `proctype sender` is called `sender`.
fn name(graph: &Graph) -> &str {
    graph.title.rsplit(' ').next().unwrap_or("")
}
