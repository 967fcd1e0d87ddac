//! ARCHITECTURE.md says which crate depends on which; the manifests say whether that is true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const LAYERS: [&str; 6] = ["shells", "languages", "engines", "execution", "system", "foundation"];

/// Who may use a crate of its own layer.
const SIBLINGS: [(&str, &str); 6] = [
    ("passes", "system"),
    ("explicit", "store"),
    ("stateless", "stateless-host"),
    ("stateless", "stateless-protocol"),
    ("stateless-host", "stateless-protocol"),
    ("stateless-runtime", "stateless-protocol"),
];

/// Crates with unsafe code; each block says why it is sound.
const UNSAFE: [&str; 5] = ["store", "compiled", "stateless-runtime", "stateless-host", "driver"];

/// Folders that stand beside the layers: nothing of ours depends on what is in them.
const BESIDE: [&str; 2] = ["drivers", "testing"];

type Graph = BTreeMap<String, (String, BTreeSet<String>)>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Layer and dependencies of every crate, as the manifests have them.
fn manifests() -> Graph {
    let mut graph = Graph::new();
    for layer in LAYERS.iter().chain(&BESIDE) {
        for folder in std::fs::read_dir(root().join("crates").join(layer)).expect("the layer exists") {
            let manifest = folder.expect("readable").path().join("Cargo.toml");
            let text = std::fs::read_to_string(&manifest).expect("a crate has a manifest");
            let name = text.lines().find_map(|line| line.strip_prefix("name = \"allways-")).expect("a name");
            let name = name.trim_end_matches('"').to_string();
            graph.insert(name, (layer.to_string(), dependencies(&text)));
        }
    }
    graph
}

/// Our own crates under `[dependencies]`; those for tests do not count.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let section = manifest.split("[dependencies]").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap_or("");
    let ours = section.lines().filter_map(|line| line.strip_prefix("allways-"));
    ours.map(|line| line.split(['.', ' ', '=']).next().unwrap_or("").to_string()).collect()
}

/// The same from the table of ARCHITECTURE.md.
fn document() -> Graph {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md exists");
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| crate"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let dependencies = cells[3].split(", ").filter(|name| !name.is_empty()).map(str::to_string).collect();
        (cells[0].to_string(), (cells[1].to_string(), dependencies))
    })
    .collect()
}

#[test]
fn the_document_shows_the_real_graph() {
    assert_eq!(document(), manifests());
}

#[test]
fn crates_depend_only_on_layers_below_or_on_siblings_that_are_named() {
    let graph = manifests();
    let height = |layer: &str| LAYERS.iter().position(|other| *other == layer);
    for (name, (layer, dependencies)) in &graph {
        if layer == "testing" {
            continue;
        }
        assert!(layer != "drivers" || dependencies.is_empty(), "{name} is for other people's programs");
        for dependency in dependencies {
            let below = &graph[dependency].0;
            let sibling = layer == "shells" && below == "shells"
                || SIBLINGS.contains(&(name.as_str(), dependency.as_str()));
            assert!(sibling || height(below) > height(layer), "{name} ({layer}) uses {dependency} ({below})");
            assert!(!(layer == "languages" && below == "engines"), "a language uses an engine");
        }
    }
}

#[test]
fn every_crate_forbids_unsafe_code_unless_marked() {
    for (name, (layer, _)) in manifests() {
        if UNSAFE.contains(&name.as_str()) {
            continue;
        }
        let folder = root().join("crates").join(layer).join(&name).join("src");
        let entry =
            ["lib.rs", "main.rs"].map(|file| folder.join(file)).into_iter().find(|path| path.exists());
        let text = std::fs::read_to_string(entry.expect("a crate has a root")).expect("readable");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{name} does not forbid unsafe code");
    }
}
