//! What a program gets from outside besides its arguments: the directory, and environment
//! variables. What of it mattered is in schedule files.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use allways_report::schedule::{Surroundings, VariableDocument};
use allways_stateless::{Executor, sha256_of_bytes};

use crate::output::message;

/// Those that the shell sets anew in each directory or for each command.
const UNSTEADY: [&str; 5] = ["_", "OLDPWD", "PWD", "SHLVL", "COLUMNS"];

/// Variables with such names are for the loader, which is needed to explore.
fn is_for_loader(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"LD_")
}

/// As they are now.
pub fn of(executor: &Executor) -> Surroundings {
    let text = |text: OsString| text.to_string_lossy().into_owned();
    let names = executor.asked_variables().into_iter().filter(|name| !is_for_loader(name));
    let environment: Vec<_> = names
        .map(|name| VariableDocument { value: std::env::var_os(&name).map(text), name: text(name) })
        .collect();
    Surroundings {
        directory: std::env::current_dir().ok().map(|directory| directory.display().to_string()),
        environment_sha256: Some(digest(&environment)),
        environment,
    }
}

/// Of all variables, with these values for some.
fn digest(instead: &[VariableDocument]) -> String {
    let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    for VariableDocument { name, value } in instead {
        match value {
            Some(value) => all.insert(name.into(), value.into()),
            None => all.remove(OsStr::new(name)),
        };
    }
    let steady = all.iter().filter(|(name, _)| !UNSTEADY.iter().any(|unsteady| *name == unsteady));
    let mut text = Vec::new();
    for (name, value) in steady {
        for part in [name.as_encoded_bytes(), b"=", value.as_encoded_bytes(), b"\0"] {
            text.extend_from_slice(part);
        }
    }
    sha256_of_bytes(&text)
}

/// Goes where the program was executed, if that is still there.
pub fn enter(recorded: &Surroundings) {
    let Some(directory) = &recorded.directory else { return };
    let here = std::env::current_dir().ok();
    if here.as_deref() == Some(Path::new(directory)) {
        return;
    }
    match std::env::set_current_dir(directory) {
        Ok(()) => message(&format!("note: it runs in {directory}, as when the schedule was written")),
        Err(error) => message(&format!("note: it ran in {directory}, which cannot be entered: {error}")),
    }
}

/// The variables that the program asked for and that have another value now.
pub fn variables(recorded: &Surroundings) -> Vec<(OsString, Option<OsString>)> {
    let is_other = |variable: &&VariableDocument| {
        std::env::var_os(&variable.name).map(|now| now.to_string_lossy().into_owned()) != variable.value
    };
    let others = recorded.environment.iter().filter(is_other);
    let tell = |VariableDocument { name, value }: &VariableDocument| {
        let words = match value {
            Some(value) => format!("{name} is {value:?}"),
            None => format!("{name} is not set"),
        };
        message(&format!("note: {words}, as when the schedule was written"));
        (name.into(), value.as_ref().map(Into::into))
    };
    others.map(tell).collect()
}

/// Why an execution may not happen again although the schedule was followed.
pub fn difference(recorded: &Surroundings) -> Option<String> {
    let before = recorded.environment_sha256.as_ref()?;
    (digest(&recorded.environment) != *before).then(|| {
        "environment variables that the program did not ask for by getenv are not what they were".to_string()
    })
}
