//! Runs the commands of `doc/guide.md` and compares what they print.
//!
//! In a `console` block a line `$ command` is run, with single quotes as in a shell; the lines behind it are its standard
//! output, then its standard error. `[..]` stands for any text within a line, a line `...` for any number of lines, a first
//! line `? N` for exit code N where it is not 0 or 1.

use std::path::{Path, PathBuf};
use std::process::Command;

struct Example {
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
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ allways ")) {
            examples.push(Example { command: command.to_string(), exit: None, expected: Vec::new() });
        } else if let (true, Some(example)) = (inside, examples.last_mut()) {
            match line.strip_prefix("? ") {
                Some(code) => example.exit = code.parse().ok(),
                None => example.expected.push(line.to_string()),
            }
        }
    }
    examples
}

/// The words of a command. What stands between single quotes is one word.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in command.split('\'').enumerate() {
        match number % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_string)),
            _ => words.push(part.to_string()),
        }
    }
    words
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
    for folder in ["examples", "corpus"] {
        let link = scratch.join(folder);
        if !link.exists() {
            std::os::unix::fs::symlink(root().join(folder), link).expect("a link");
        }
    }
    let guide = std::fs::read_to_string(root().join("doc/guide.md")).expect("the guide exists");
    let examples = examples(&guide);
    assert!(examples.len() >= 6, "only {} commands in the guide", examples.len());
    for example in examples {
        let output = Command::new(env!("CARGO_BIN_EXE_allways"))
            .args(words(&example.command))
            .current_dir(&scratch)
            .output()
            .expect("allways runs");
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = printed.lines().collect();
        assert!(matches_lines(&example.expected, &lines), "`allways {}` printed\n{printed}", example.command);
        match (example.exit, output.status.code()) {
            (None, Some(0 | 1)) => {}
            (expected, found) => assert_eq!(expected, found, "`allways {}`", example.command),
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
