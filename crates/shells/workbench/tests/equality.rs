//! All ways to search a model agree, on every model of the corpus that is small. `testkit::equality` says what is
//! compared.

use std::path::{Path, PathBuf};

use allways_testkit::corpus::{Entry, read_folder};
use allways_testkit::equality::{Equality, compare};
use allways_workbench::{LoadOptions, Semantics, UnlessOrder, load};

/// Models with more states take too long in debug builds.
const BOUND: u64 = 5_000;

/// As the header's `options` say.
fn options(entry: &Entry) -> (LoadOptions, Semantics) {
    let mut load = LoadOptions::default();
    let mut semantics = Semantics::default();
    for words in entry.expectation.options.windows(2) {
        semantics.lossy |= words == ["--full-channel", "lose"];
        if words == ["--unless", "innermost"] {
            load.unless = UnlessOrder::Innermost;
        }
    }
    semantics.strict_end = entry.expectation.options.iter().any(|word| word == "--strict-end");
    semantics.check_overflow = entry.expectation.options.iter().any(|word| word == "--check-overflow");
    (load, semantics)
}

fn compare_folder(name: &str) {
    let corpus: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(name);
    let entries = read_folder(&corpus).expect("the corpus is readable");
    let mut problems = Vec::new();
    let (mut equal, mut too_large) = (0, 0);
    for entry in &entries {
        let (load_options, semantics) = options(entry);
        let Ok(model) = load(&entry.path, &load_options) else { continue };
        match compare(&model, semantics, BOUND) {
            Equality::Equal { .. } => equal += 1,
            Equality::TooLarge => too_large += 1,
            Equality::Different(difference) => {
                problems.push(format!("{}: {difference}", entry.path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n\n"));
    assert!(equal > 20 * too_large, "{equal} compared, {too_large} too large");
}

#[test]
fn semantics() {
    compare_folder("semantics");
}

#[test]
fn runtime() {
    compare_folder("runtime");
}
