//! The compiled steps against the interpreter, on every state of every model of the corpus that is not huge.

use std::path::{Path, PathBuf};

use allways_testkit::corpus::read_folder;
use allways_workbench::lockstep::{Compared, compare_steps};
use allways_workbench::{LoadOptions, Semantics, load};

fn compare_folder(name: &str) {
    let corpus: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus").join(name);
    let entries = read_folder(&corpus).expect("the corpus is readable");
    let mut problems = Vec::new();
    let (mut compared, mut unsupported) = (0, 0);
    for entry in &entries {
        let Ok(model) = load(&entry.path, &LoadOptions::default()) else { continue };
        for semantics in [
            Semantics::default(),
            Semantics { lossy: true, ..Semantics::default() },
            Semantics { check_overflow: true, ..Semantics::default() },
        ] {
            match compare_steps(&model.system, semantics, 500) {
                Ok(Compared::States(_)) => compared += 1,
                Ok(Compared::Unsupported) => unsupported += 1,
                Err(problem) => problems.push(format!("{}: {problem}", entry.path.display())),
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n\n"));
    assert!(compared > 20 * unsupported, "{compared} compared, {unsupported} not supported");
}

#[test]
fn semantics() {
    compare_folder("semantics");
}

#[test]
fn runtime() {
    compare_folder("runtime");
}
