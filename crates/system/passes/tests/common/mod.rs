//! What the tests share: the models of the corpus, and a plain search with the interpreter.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use allways_interpreter::{Interpreter, Semantics, State};
use allways_promela::lower::{LowerOptions, lower};
use allways_promela::parser::parse;
use allways_promela::preprocess::{Files, PreprocessOptions, preprocess};
use allways_source::SourceMap;
use allways_system::{Fault, Step, Successors, System};
use rustc_hash::FxHashSet;

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &Path) -> Result<String, std::io::Error> {
        std::fs::read_to_string(path)
    }
}

/// The system of a model, if the model has no mistakes.
pub fn system_of(path: &Path, text: &str) -> Option<System> {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text.to_string());
    let preprocessed = preprocess(&mut sources, root, &PreprocessOptions::default(), &NoFiles);
    let parsed = parse(preprocessed.tokens, preprocessed.expansions);
    let mut diagnostics = preprocessed.diagnostics.iter().chain(&parsed.diagnostics);
    if diagnostics.any(|diagnostic| diagnostic.is_error()) {
        return None;
    }
    lower(parsed.model, &LowerOptions::default()).system
}

/// The system of a model that is right.
pub fn system(text: &str) -> System {
    system_of(Path::new("test.pml"), text).expect("the model has no mistakes")
}

/// Every model of these folders of the corpus that has a system, with its name.
pub fn corpus(folders: &[&str]) -> Vec<(String, System)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus");
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let files = std::fs::read_dir(root.join(folder)).expect("the folder exists");
        paths.extend(files.map(|file| file.expect("readable").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    paths.sort();
    let load = |path: PathBuf| {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        system_of(&path, &text).map(|system| (name, system))
    };
    paths.into_iter().filter_map(load).collect()
}

/// What a full search found.
#[derive(Default, Debug)]
pub struct Explored {
    pub states: usize,
    /// The first path to each kind of violation.
    pub assertion: Option<Vec<Step>>,
    pub deadlock: Option<Vec<Step>>,
    pub fault: Option<(Vec<Step>, Fault)>,
    pub nondeterminism: Option<Vec<Step>>,
    pub exclusive: Option<Vec<Step>>,
    /// It was left unfinished: too many states, or more than can be represented.
    pub cut: bool,
}

impl Explored {
    /// Which violations there are.
    pub fn verdicts(&self) -> [bool; 5] {
        [
            self.assertion.is_some(),
            self.deadlock.is_some(),
            self.fault.is_some(),
            self.nondeterminism.is_some(),
            self.exclusive.is_some(),
        ]
    }
}

/// Explores all states, up to a limit; `look` sees every state, also those inside atomic sequences.
pub fn explore_with(
    system: &System,
    semantics: Semantics,
    limit: usize,
    look: &mut dyn FnMut(&State),
) -> Explored {
    let model = Interpreter::new(system, semantics);
    let mut explored = Explored::default();
    let Ok(initial) = model.initial() else {
        explored.cut = true;
        return explored;
    };
    let mut known: FxHashSet<Box<[u8]>> = FxHashSet::default();
    let mut bytes = Vec::new();
    // How each path came about: the one it continues, and its last step.
    let mut parents: Vec<(usize, Option<Step>)> = vec![(0, None)];
    let path = |parents: &[(usize, Option<Step>)], mut at: usize, last: Option<Step>| {
        let mut steps: Vec<Step> = last.into_iter().collect();
        while let (parent, Some(step)) = parents[at] {
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        steps
    };
    let mut waiting = vec![(initial, 0usize)];
    let mut steps = Vec::new();
    while let Some((mut state, id)) = waiting.pop() {
        look(&state);
        let mut store = |state: &State| {
            let key = model.pack(state, &mut bytes);
            known.insert(bytes[..key].into())
        };
        let transient = model.is_exclusive(&state);
        if !transient && !store(&state) {
            continue;
        }
        steps.clear();
        let mut expansion = model.steps(&state, &mut steps);
        if steps.is_empty() && transient {
            model.release(&mut state);
            if !store(&state) {
                continue;
            }
            expansion = model.steps(&state, &mut steps);
        }
        if known.len() > limit || parents.len() > 40 * limit {
            explored.cut = true;
            break;
        }
        if let Some(step) = expansion.nondeterminism {
            explored.nondeterminism.get_or_insert_with(|| path(&parents, id, Some(step)));
        }
        if steps.is_empty() && !model.is_valid_end(&state) {
            explored.deadlock.get_or_insert_with(|| path(&parents, id, None));
        }
        for step in steps.drain(..).rev() {
            let mut next = state.clone();
            match model.apply(&mut next, step, None) {
                Ok(applied) => {
                    if applied.assertion_failed {
                        explored.assertion.get_or_insert_with(|| path(&parents, id, Some(step)));
                    }
                    if applied.exclusive_violated {
                        explored.exclusive.get_or_insert_with(|| path(&parents, id, Some(step)));
                    }
                    parents.push((id, Some(step)));
                    waiting.push((next, parents.len() - 1));
                }
                Err(Fault::TooLarge(_)) => explored.cut = true,
                Err(fault) => {
                    explored.fault.get_or_insert_with(|| (path(&parents, id, Some(step)), fault));
                }
            }
        }
    }
    explored.states = known.len();
    explored
}

pub fn explore(system: &System, limit: usize) -> Explored {
    explore_with(system, Semantics::default(), limit, &mut |_| {})
}
