//! The header of a corpus model: what is expected of it. `corpus/README.md` describes the grammar.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What the header of a corpus model says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expectation {
    /// The sentence that says what the file shows.
    pub title: String,
    pub plain: Option<Counts>,
    /// Property and whether it holds.
    pub verdicts: Vec<(String, bool)>,
    /// The same under weak and under strong fairness.
    pub weak: Vec<(String, bool)>,
    pub strong: Vec<(String, bool)>,
    /// Lines of errors and of warnings, in ascending order.
    pub errors: Vec<u32>,
    pub warnings: Vec<u32>,
    /// Our options for the search.
    pub options: Vec<String>,
    /// Options of `spin -a` and of `pan` that mean the same.
    pub spin: Vec<String>,
    pub pan: Vec<String>,
    /// Why the expectation is not Spin's.
    pub differs: Option<String>,
}

/// The figures of a full search, as Spin counts them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub stored: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic: u64,
    pub depth: u64,
    pub errors: bool,
}

/// A corpus model.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub text: String,
    pub expectation: Expectation,
}

/// Reads every model of a folder, in order of their names.
pub fn read_folder(folder: &Path) -> Result<Vec<Entry>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = files.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    paths.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> Result<Entry> {
    let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
    let expectation = parse_header(&text).with_context(|| format!("in the header of {}", path.display()))?;
    Ok(Entry { path, text, expectation })
}

/// The directives at the start of a model.
pub fn parse_header(text: &str) -> Result<Expectation> {
    let mut expectation = Expectation::default();
    for line in text.lines() {
        if let Some(directive) = line.strip_prefix("//!") {
            let directive = directive.trim();
            let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
            parse_directive(&mut expectation, word, rest.trim())?;
        } else if let Some(comment) = line.strip_prefix("//") {
            if expectation.title.is_empty() {
                expectation.title = comment.trim().to_string();
            }
        } else {
            break;
        }
    }
    expectation.errors.sort_unstable();
    expectation.warnings.sort_unstable();
    Ok(expectation)
}

fn parse_directive(expectation: &mut Expectation, word: &str, rest: &str) -> Result<()> {
    let words = || rest.split_whitespace().map(str::to_string).collect::<Vec<_>>();
    let line =
        || rest.split_whitespace().next().unwrap_or("").parse::<u32>().context("a line number is missing");
    match word {
        "rule" => {}
        "plain" => expectation.plain = Some(parse_counts(rest)?),
        "verdict" | "weak" | "strong" => match words().as_slice() {
            [property, verdict] if verdict == "holds" || verdict == "violated" => {
                let list = match word {
                    "verdict" => &mut expectation.verdicts,
                    "weak" => &mut expectation.weak,
                    _ => &mut expectation.strong,
                };
                list.push((property.clone(), verdict == "holds"));
            }
            _ => bail!("`{word} {rest}` is not `{word} PROPERTY holds|violated`"),
        },
        "error" => expectation.errors.push(line()?),
        "warning" => expectation.warnings.push(line()?),
        "options" => expectation.options = words(),
        "spin" => expectation.spin = words(),
        "pan" => expectation.pan = words(),
        "differs" => expectation.differs = Some(rest.to_string()),
        unknown => bail!("there is no directive `{unknown}`"),
    }
    Ok(())
}

fn parse_counts(text: &str) -> Result<Counts> {
    let (figures, outcome) = text.split_once(' ').context("`ok` or `errors` is missing")?;
    let figures: Vec<u64> = figures.split('/').map(|figure| Ok(figure.parse()?)).collect::<Result<_>>()?;
    let [stored, matched, transitions, atomic, depth] = figures[..] else {
        bail!("five figures are expected")
    };
    let errors = match outcome.trim() {
        "ok" => false,
        "errors" => true,
        other => bail!("`{other}` is neither `ok` nor `errors`"),
    };
    Ok(Counts { stored, matched, transitions, atomic, depth, errors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_up_to_the_model() {
        let text = "// A title.\n//! plain 1/2/3/4/5 errors\n//! verdict deadlock holds\n//! error 7\n//! error 3\n\
                    byte x;\n//! error 9\n";
        let header = parse_header(text).unwrap();
        assert_eq!(header.title, "A title.");
        let counts = Counts { stored: 1, matched: 2, transitions: 3, atomic: 4, depth: 5, errors: true };
        assert_eq!(header.plain, Some(counts));
        assert_eq!(header.verdicts, [("deadlock".to_string(), true)]);
        assert_eq!(header.errors, [3, 7]);
    }

    #[test]
    fn mistakes_in_headers_are_found() {
        for wrong in
            ["//! plain 1/2 ok", "//! plain 1/2/3/4/5 maybe", "//! verdict x", "//! eror 3", "//! error"]
        {
            assert!(parse_header(wrong).is_err(), "{wrong}");
        }
    }
}
