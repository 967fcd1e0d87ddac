//! The list of models to measure: a text table, described in `bench/README.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// One line of the list: a model, its size, and what a plain search of it is known to count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Name of the model without its folder and extension.
    pub model: String,
    pub source: Source,
    /// `NAME=VALUE` each.
    pub defines: Vec<String>,
    pub tags: Vec<String>,
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// Bytes of pan's state vector.
    pub vector: u64,
}

/// Where a model comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A file in `bench/models`.
    Ours(String),
    /// A file among the examples that the Spin package installs.
    Spin(String),
}

impl Entry {
    /// What tables call it: the model and its size.
    pub fn name(&self) -> String {
        match self.defines.as_slice() {
            [] => self.model.clone(),
            defines => format!("{} {}", self.model, defines.join(" ")),
        }
    }

    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    /// The `-D` options, which all tools spell alike.
    pub fn define_options(&self) -> impl Iterator<Item = String> {
        self.defines.iter().map(|define| format!("-D{define}"))
    }
}

/// Reads the whole list.
pub fn parse(text: &str) -> Result<Vec<Entry>> {
    let lines = text.lines().enumerate();
    lines
        .map(|(number, line)| (number + 1, line.split('#').next().unwrap_or_default().trim()))
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| parse_line(line).with_context(|| format!("line {number} of the list")))
        .collect()
}

fn parse_line(line: &str) -> Result<Entry> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [model, defines, tags, states, transitions, depth, vector] = columns[..] else {
        bail!(
            "expected model, defines, tags, states, transitions, depth and vector, got {} columns",
            columns.len()
        );
    };
    let many = |text: &str| match text {
        "-" => Vec::new(),
        text => text.split(',').map(str::to_owned).collect(),
    };
    let number = |text: &str| text.parse().with_context(|| format!("`{text}` is not a number"));
    let source = match model.strip_prefix("spin:") {
        Some(path) => Source::Spin(path.to_owned()),
        None => Source::Ours(model.to_owned()),
    };
    let stem = Path::new(model.trim_start_matches("spin:")).file_stem();
    Ok(Entry {
        model: stem.context("a model needs a name")?.to_string_lossy().into_owned(),
        source,
        defines: many(defines),
        tags: many(tags),
        states: number(states)?,
        transitions: number(transitions)?,
        depth: number(depth)?,
        vector: number(vector)?,
    })
}

/// Finds the files of entries.
pub struct Places {
    /// Holds `models/` and the list.
    pub bench: PathBuf,
    /// The examples of the Spin package, if they are installed.
    spin_examples: Option<PathBuf>,
}

impl Places {
    pub fn new(bench: &Path) -> Result<Places> {
        let bench = bench.canonicalize().with_context(|| format!("no folder {}", bench.display()))?;
        Ok(Places { bench, spin_examples: spin_examples() })
    }

    /// The absolute path of a model; `None` if it belongs to a package that is not installed.
    pub fn find(&self, entry: &Entry) -> Option<PathBuf> {
        let path = match &entry.source {
            Source::Ours(file) => self.bench.join("models").join(file),
            Source::Spin(file) => self.spin_examples.as_ref()?.join(file),
        };
        path.is_file().then_some(path)
    }
}

fn spin_examples() -> Option<PathBuf> {
    let output = Command::new("dpkg").args(["-L", "spin"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let file = text.lines().find(|line| line.ends_with("/Examples/hello.pml"))?;
    Some(Path::new(file).parent()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let list = "\
# model        defines     tags        states transitions depth vector
ring.pml       N=4,L=2     large,quick 10     20          5     40   # a remark

spin:LTL/x.pml -           small       1      2           3     4
";
        let entries = parse(list).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[0].name(), "ring N=4 L=2");
        assert_eq!(entries[0].define_options().collect::<Vec<_>>(), ["-DN=4", "-DL=2"]);
        assert_eq!((entries[0].states, entries[0].transitions), (10, 20));
        assert_eq!((entries[0].depth, entries[0].vector), (5, 40));
        assert!(entries[0].has_tag("quick") && !entries[0].has_tag("small"));
        assert_eq!(entries[1].name(), "x");
        assert_eq!(entries[1].source, Source::Spin("LTL/x.pml".into()));
    }

    #[test]
    fn mistakes_name_their_line() {
        let error = |text: &str| format!("{:#}", parse(text).unwrap_err());
        assert_eq!(
            error("\na.pml - - 1 2 3 x"),
            "line 2 of the list: `x` is not a number: invalid digit found in string"
        );
        assert!(error("a.pml").contains("got 1 columns"));
    }

    #[test]
    fn the_committed_list_is_in_order() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../bench");
        let entries = parse(&std::fs::read_to_string(bench.join("list.txt")).unwrap()).unwrap();
        let places = Places::new(&bench).unwrap();
        for entry in &entries {
            let installed = places.spin_examples.is_some();
            let expected = installed || matches!(entry.source, Source::Ours(_));
            assert!(!expected || places.find(entry).is_some(), "no file for {}", entry.name());
            assert!(["large", "small", "growth"].iter().any(|tag| entry.has_tag(tag)), "{}", entry.name());
        }
        let names: std::collections::HashSet<String> = entries.iter().map(Entry::name).collect();
        assert_eq!(names.len(), entries.len(), "a name occurs twice");
        let count = |tag: &str| entries.iter().filter(|entry| entry.has_tag(tag)).count();
        assert!(count("large") >= 16 && count("small") >= 15 && count("growth") >= 6);
    }
}
