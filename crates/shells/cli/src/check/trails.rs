//! The trails that a check writes, and those that it finds.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use allways_report::counterexample::{self, Counterexample};
use allways_report::explanation::Notes;
use allways_report::palette::Palette;
use allways_report::steps::{Show, StepPrinter};
use allways_report::text;
use allways_report::trail::{self, TrailHeader};
use allways_verdict::{Verdict, Violation};
use allways_workbench::{Alarm, CheckResult, Model, PropertyResult};

use super::{CheckArguments, STEPS_SHOWN};
use crate::exit::Failure;
use crate::new_file::NewFile;
use crate::output::message;
use crate::{PLEASE_REPORT, reading};

/// Writes the trails. A trail that cannot be written must not hide the verdict: if it was asked for, it is reported at the end, and else in a
/// warning.
pub fn counterexamples(
    arguments: &CheckArguments,
    model: &Model,
    header: &TrailHeader,
    result: &CheckResult,
    palette: Palette,
    alarm: &Alarm,
) -> Result<(Vec<Option<Counterexample>>, Option<Failure>), Failure> {
    let printer = StepPrinter::new(model, Show::CHANGES, palette);
    let mut problem = None;
    let mut list = Vec::new();
    for one in &result.properties {
        let PropertyResult { property, verdict, .. } = one;
        let Verdict::Violated(violation) = verdict else {
            list.push(None);
            continue;
        };
        let is_first = list.iter().all(Option::is_none);
        let path = path(arguments, &property.name, is_first);
        let (mut counterexample, written) =
            record(arguments, model, header, one, violation, path.as_deref(), &printer, alarm)?;
        match written {
            Ok(()) => counterexample.file = path,
            // There was none to be written.
            Err(_) if path.is_none() => {}
            Err(error) if arguments.output.trail.is_some() => {
                problem = Some(unwritten(&path.unwrap_or_default(), &error));
            }
            Err(error) => {
                let failure = unwritten(&path.unwrap_or_default(), &error);
                message(&format!("warning: {}\n  help: {}", failure.message, failure.help.join("; ")));
            }
        }
        list.push(Some(counterexample));
    }
    Ok((list, problem))
}

/// Repeats one violation, and writes its trail if there is a path.
#[allow(clippy::too_many_arguments)]
fn record(
    arguments: &CheckArguments,
    model: &Model,
    header: &TrailHeader,
    result: &PropertyResult,
    violation: &Violation,
    path: Option<&Path>,
    printer: &StepPrinter,
    alarm: &Alarm,
) -> Result<(Counterexample, io::Result<()>), Failure> {
    let semantics = arguments.semantics.semantics();
    let fair = result.search.as_ref().map(|search| search.fair.clone()).unwrap_or_default();
    let header = header.clone().violating(&result.property, violation).with_fairness(&fair);
    let replaced = path.and_then(OldTrail::at);
    let writer = path.map(|path| BufWriter::new(NewFile::unchecked(path)));
    let n_shown = if arguments.output.verbose { usize::MAX } else { STEPS_SHOWN };
    let (mut counterexample, written) = {
        let (trail, notes) = (&violation.trail, Notes::of(result));
        counterexample::record(model, semantics, trail, &header, writer, printer, &notes, n_shown, alarm)
    }
    .map_err(|error| Failure::tool(error.to_string()).help(PLEASE_REPORT))?;
    counterexample.replaced = replaced.and_then(|old| Some(text::ago(old.age?)));
    Ok((counterexample, written))
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::tool(format!("cannot write the trail {}: {error}", path.display()))
        .help("the verdict stands; choose another place with --trail FILE, or none with --no-trail")
}

/// Where the trail for a property goes.
pub fn path(arguments: &CheckArguments, property: &str, is_first: bool) -> Option<PathBuf> {
    if arguments.output.no_trail {
        return None;
    }
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Some(match &arguments.output.trail {
        None => PathBuf::from(format!("{}.{property}.trail.json", stem(&reading::name_of(&arguments.model)))),
        Some(path) if is_first => path.clone(),
        Some(path) => {
            let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
            path.with_file_name(format!("{}.{property}{}", stem(path), extension.unwrap_or_default()))
        }
    })
}

/// What is to be said of trails of properties that hold now: they were written for a model that is no more.
pub fn outdated(arguments: &CheckArguments, model: &Model, result: &CheckResult) -> Vec<String> {
    if arguments.output.trail.is_some() {
        return Vec::new();
    }
    let holds = result.properties.iter().filter(|property| property.verdict == Verdict::Holds);
    let paths = holds.filter_map(|property| path(arguments, &property.property.name, true));
    let is_outdated = |path: &PathBuf| {
        OldTrail::at(path)
            .is_some_and(|old| old.is_of(&model.path) && old.header.model.sha256 != model.sha256)
    };
    paths.filter(is_outdated).map(|path| format!("{} is of an older model", path.display())).collect()
}

/// A trail that is there already.
struct OldTrail {
    header: TrailHeader,
    /// How long ago it was written.
    age: Option<Duration>,
}

/// Longer than any header: trails can be long, and their steps are of no interest here.
const LONGEST_HEADER: u64 = 1 << 20;

impl OldTrail {
    /// None if there is no trail at this path.
    fn at(path: &Path) -> Option<OldTrail> {
        let metadata = fs::metadata(path).ok().filter(|metadata| metadata.is_file())?;
        let mut text = Vec::new();
        File::open(path).ok()?.take(LONGEST_HEADER).read_to_end(&mut text).ok()?;
        let header = trail::header_of(&String::from_utf8_lossy(&text))?;
        Some(OldTrail { header, age: metadata.modified().ok().and_then(|time| time.elapsed().ok()) })
    }

    /// Whether it is of a model of this name.
    fn is_of(&self, model: &Path) -> bool {
        Path::new(&self.header.model.path).file_name() == model.file_name()
    }
}
