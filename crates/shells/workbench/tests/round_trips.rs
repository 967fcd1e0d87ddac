//! What is written can be read again: systems as text, states as bytes. On every model of the corpus.

use std::path::Path;

use allways_interpreter::{Interpreter, Semantics, State};
use allways_system::{Successors, parse, print};
use allways_testkit::corpus::read_folder;
use allways_workbench::{LoadOptions, Model, load};

fn models() -> Vec<Model> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../corpus");
    let folders = ["semantics", "runtime", "warnings"];
    let entries = folders.iter().flat_map(|folder| read_folder(&corpus.join(folder)).expect("readable"));
    let models: Vec<Model> =
        entries.filter_map(|entry| load(&entry.path, &LoadOptions::default()).ok()).collect();
    assert!(models.len() > 500);
    models
}

#[test]
fn systems_survive_their_text_form() {
    for model in models() {
        let text = print::print(&model.system);
        let again =
            parse::parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", model.path.display()));
        assert_eq!(again, model.system, "{}", model.path.display());
    }
}

/// Walks at random and packs every state on the way.
fn walk(model: &Model, seed: u64) {
    let interpreter = Interpreter::new(&model.system, Semantics::default());
    let Ok(mut state) = interpreter.initial() else { return };
    let (mut bytes, mut unpacked, mut random) = (Vec::new(), State::default(), seed);
    for _ in 0..200 {
        let key = interpreter.pack(&state, &mut bytes);
        assert!(key <= bytes.len());
        interpreter.unpack(&bytes, &mut unpacked);
        assert_eq!(unpacked, state, "{}", model.path.display());
        let mut steps = Vec::new();
        interpreter.steps(&state, &mut steps);
        if steps.is_empty() && interpreter.is_exclusive(&state) {
            interpreter.release(&mut state);
            continue;
        }
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let Some(step) = steps.get((random >> 33) as usize % steps.len().max(1)) else { return };
        if interpreter.apply(&mut state, *step, None).is_err() {
            return;
        }
    }
}

#[test]
fn states_survive_packing() {
    for model in models() {
        (0..10).for_each(|seed| walk(&model, seed));
    }
}
