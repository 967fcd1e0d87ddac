//! The binary as users and scripts meet it. Few tests, about wiring: what is computed is tested where it is computed.

mod assumptions;
mod check;
mod explore;
mod explore_ends;
mod explore_room;
mod files;
mod hygiene;
mod other_commands;
mod property;
mod replay;
mod simulate;
mod validator;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// How a command ended.
struct Finished {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Finished {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

/// A directory of its own for a test, with copies of all models.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(test: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for model in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models")).unwrap() {
            let model = model.unwrap();
            std::fs::copy(model.path(), folder.join(model.file_name())).unwrap();
        }
        Place { folder }
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allways"));
        command.args(arguments.split_whitespace()).current_dir(&self.folder);
        command
    }

    fn run(&self, arguments: &str) -> Finished {
        self.run_with_input(arguments, "")
    }

    /// With these variables in the environment.
    fn run_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Finished {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        Place::finish(command, "")
    }

    fn run_with_input(&self, arguments: &str, input: &str) -> Finished {
        Place::finish(self.command(arguments), input)
    }

    fn finish(mut command: Command, input: &str) -> Finished {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read its input may have gone before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Finished { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).unwrap()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.folder.join(file), text).unwrap();
    }
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}
