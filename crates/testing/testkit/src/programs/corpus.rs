//! The header of a program of the corpus: what is expected of it. `corpus/README.md` describes the grammar.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What the header of a program says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expectation {
    /// The sentence that says what the file shows.
    pub title: String,
    /// Properties that are violated; no other one is.
    pub violated: Vec<String>,
    pub counts: Vec<Count>,
    /// Further options of the compiler.
    pub compile: Vec<String>,
    /// Further options of `allways explore`.
    pub options: Vec<String>,
    /// What may not be under control, in the words of the report.
    pub uncontrolled: Vec<String>,
}

/// A figure of a complete search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// `executions` or `transitions`.
    pub what: String,
    pub search: String,
    pub number: u64,
    /// Arguments of the program.
    pub arguments: Vec<String>,
}

/// A program of the corpus.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub expectation: Expectation,
}

/// Reads every C and C++ file of a folder, in order of their names.
pub fn read_folder(folder: &Path) -> Result<Vec<Entry>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = files.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"));
    paths.sort();
    paths.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> Result<Entry> {
    let text = std::fs::read_to_string(&path)?;
    let expectation = parse_header(&text).with_context(|| format!("in the header of {}", path.display()))?;
    Ok(Entry { path, expectation })
}

/// The directives at the start of a program.
pub fn parse_header(text: &str) -> Result<Expectation> {
    let mut expectation = Expectation::default();
    for line in text.lines() {
        if let Some(directive) = line.strip_prefix("//!") {
            let words: Vec<&str> = directive.split_whitespace().collect();
            directive_of(&mut expectation, &words)
                .with_context(|| format!("`{directive}` is not understood"))?;
        } else if let Some(comment) = line.strip_prefix("//") {
            if expectation.title.is_empty() {
                expectation.title = comment.trim().to_string();
            }
        } else {
            break;
        }
    }
    if expectation.title.is_empty() {
        bail!("the first line says what the program shows");
    }
    Ok(expectation)
}

const PROPERTIES: [&str; 8] =
    ["deadlock", "assertions", "crash", "exit", "divergence", "livelock", "races", "misuse"];

fn directive_of(expectation: &mut Expectation, words: &[&str]) -> Result<()> {
    let owned = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
    match words {
        ["verdict", property, "violated"] if PROPERTIES.contains(property) => {
            expectation.violated.push(property.to_string());
        }
        [what @ ("executions" | "transitions"), search, number, arguments @ ..] => {
            expectation.counts.push(Count {
                what: what.to_string(),
                search: search.to_string(),
                number: number.parse()?,
                arguments: owned(arguments),
            });
        }
        ["compile", options @ ..] => expectation.compile = owned(options),
        ["options", options @ ..] => expectation.options = owned(options),
        ["uncontrolled", remark @ ..] => expectation.uncontrolled.push(remark.join(" ")),
        _ => bail!("no such directive"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let text = "// A title.\n// More.\n//! verdict deadlock violated\n//! executions source 70 2 4\n\
            //! compile -lrt\n//! options --visible memory\n//! uncontrolled a file that is mapped\n#include <x.h>\n//! verdict crash violated\n";
        let expected = Expectation {
            title: "A title.".into(),
            violated: vec!["deadlock".into()],
            counts: vec![Count {
                what: "executions".into(),
                search: "source".into(),
                number: 70,
                arguments: vec!["2".into(), "4".into()],
            }],
            compile: vec!["-lrt".into()],
            options: vec!["--visible".into(), "memory".into()],
            uncontrolled: vec!["a file that is mapped".into()],
        };
        assert_eq!(parse_header(text).unwrap(), expected);
    }

    #[test]
    fn mistakes_in_headers_are_found() {
        assert!(parse_header("int x;\n").is_err());
        assert!(parse_header("// Title.\n//! verdict deadlocks violated\n").is_err());
        assert!(parse_header("// Title.\n//! executions source many\n").is_err());
        assert!(parse_header("// Title.\n//! expect nothing\n").is_err());
    }
}
