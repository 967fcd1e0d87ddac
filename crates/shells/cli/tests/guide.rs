//! Runs the commands of `doc/guide.md` and compares what they print.
//!
//! In a `console` block a line `$ allways …` or `$ gcc …` is run; the lines behind it are its standard output, then its standard error. `[..]`
//! stands for any text within a line, a line `...` for any number of lines, a first line `? N` for exit code N where it
//! is not 0 or 1. Single quotation marks keep an argument together.

use std::path::{Path, PathBuf};
use std::process::Command;

struct Example {
    program: &'static str,
    command: String,
    exit: Option<i32>,
    expected: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("the repository exists")
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some((program, command))) = (inside, command_of(line)) {
            examples.push(Example { program, command, exit: None, expected: Vec::new() });
        } else if let (true, Some(example)) = (inside, examples.last_mut()) {
            match line.strip_prefix("? ") {
                Some(code) => example.exit = code.parse().ok(),
                None => example.expected.push(line.to_string()),
            }
        }
    }
    examples
}

/// The programs that the guide may use.
fn command_of(line: &str) -> Option<(&'static str, String)> {
    let command = |program: &'static str| {
        let command = line.strip_prefix("$ ")?.strip_prefix(program)?.strip_prefix(' ')?;
        Some((program, command.to_string()))
    };
    ["allways", "gcc"].into_iter().find_map(command)
}

/// Words; what is between single quotation marks is kept together, as a shell does.
fn arguments(command: &str) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    let mut goes_on = false;
    for (number, part) in command.split('\'').enumerate() {
        match arguments.last_mut() {
            // As in P='x == 1'.
            Some(last) if number % 2 == 1 && goes_on => last.push_str(part),
            _ if number % 2 == 1 => arguments.push(part.to_string()),
            _ => arguments.extend(part.split_whitespace().map(str::to_string)),
        }
        goes_on = part.ends_with('=');
    }
    arguments
}

fn matches_lines(expected: &[String], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((dots, rest)) if dots == "..." => {
            (0..=found.len()).any(|skip| matches_lines(rest, &found[skip..]))
        }
        Some((line, rest)) => match found.split_first() {
            Some((first, others)) => matches_line(line, first) && matches_lines(rest, others),
            None => false,
        },
    }
}

fn matches_line(expected: &str, found: &str) -> bool {
    let mut pieces = expected.split("[..]");
    let Some(mut rest) = found.strip_prefix(pieces.next().unwrap_or("")) else { return false };
    let mut ends_open = false;
    for piece in pieces {
        ends_open = piece.is_empty();
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.is_empty() || ends_open
}

#[test]
fn the_guide_is_true() {
    let scratch = std::env::temp_dir().join(format!("allways-guide-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a scratch directory");
    for folder in ["examples", "corpus", "include"] {
        let link = scratch.join(folder);
        if !link.exists() {
            std::os::unix::fs::symlink(root().join(folder), link).expect("a link");
        }
    }
    let guide = std::fs::read_to_string(root().join("doc/guide.md")).expect("the guide exists");
    let examples = examples(&guide);
    assert!(examples.len() >= 6, "only {} commands in the guide", examples.len());
    for example in examples {
        let program = if example.program == "gcc" { "gcc" } else { env!("CARGO_BIN_EXE_allways") };
        let output = Command::new(program)
            .args(arguments(&example.command))
            .current_dir(&scratch)
            .output()
            .expect("the program runs");
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            matches_lines(&example.expected, &lines),
            "`{} {}` printed\n{printed}",
            example.program,
            example.command
        );
        match (example.exit, output.status.code()) {
            (None, Some(0 | 1)) => {}
            (expected, found) => assert_eq!(expected, found, "`{} {}`", example.program, example.command),
        }
    }
    std::fs::remove_dir_all(&scratch).expect("the scratch directory can go");
}

#[test]
fn wildcards_match_within_a_line_and_over_lines() {
    let expected = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    assert!(matches_lines(&expected(&["a", "...", "d"]), &["a", "b", "c", "d"]));
    assert!(!matches_lines(&expected(&["a", "...", "d"]), &["a", "b"]));
    assert!(matches_line("x [..] z", "x y z"));
    assert!(!matches_line("x [..] z", "x y"));
    assert!(matches_line("x[..]", "xyz"));
}
