//! Nothing of a program is left on the machine: after very many executions, and after an explorer was killed, once the next one has run.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::Place;
use crate::explore::with_program;

/// Part of all names that the program uses.
fn word(test: &str) -> String {
    format!("left-{test}-{}", std::process::id())
}

/// The arguments of an explorer; it has a folder for temporary files of its own.
fn arguments(test: &str, limit: u64) -> String {
    format!(
        "explore --scratch --no-trail --keep-going --search naive --max-executions {limit} -- ./leaver {}",
        word(test)
    )
}

fn explorer(place: &Place, test: &str, limit: u64) -> std::process::Command {
    let temporary = place.folder.join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = place.command(&arguments(test, limit));
    command.env("TMPDIR", temporary).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What is left of a program, in words.
fn left(place: &Place, test: &str) -> Vec<String> {
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let word = word(test);
    let mut left = Vec::new();
    for process in names("/proc").iter().filter(|name| name.parse::<u32>().is_ok()) {
        let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&command).contains(&word) {
            left.push(format!("process {process}"));
        }
    }
    for folder in ["/dev/shm", "/dev/mqueue"] {
        left.extend(names(folder).into_iter().filter(|name| name.contains(&word)));
    }
    for kind in ["sem", "msg", "shm"] {
        let objects = std::fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap_or_default();
        let keys = objects.lines().filter_map(|line| line.split_whitespace().next()?.parse::<i64>().ok());
        left.extend(
            keys.filter(|key| (0x4157_0001..=0x4157_0003).contains(key)).map(|key| format!("{kind} {key:x}")),
        );
    }
    left.extend(names(&place.folder.join("temporary").to_string_lossy()));
    left.extend(
        ["fifo", "file", "folder"]
            .iter()
            .filter(|name| place.folder.join(name).exists())
            .map(|name| name.to_string()),
    );
    left
}

/// Processes that were killed take a moment to disappear.
fn assert_nothing_left(place: &Place, test: &str, what: &str) {
    let started = Instant::now();
    while !left(place, test).is_empty() && started.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(left(place, test), Vec::<String>::new(), "{what}");
}

fn check(test: &str, executions: u64, kills: u64) {
    let place = with_program(test, "leaver");
    assert!(explorer(&place, test, executions).status().unwrap().code().is_some());
    assert_nothing_left(&place, test, "after many executions");
    // Moments that are spread evenly over the first executions, from before the first to after many (a golden section).
    for kill in 0..kills {
        let mut explorer = explorer(&place, test, 1_000_000).spawn().unwrap();
        std::thread::sleep(Duration::from_micros((kill * 61_803) % 100_000));
        explorer.kill().unwrap();
        explorer.wait().unwrap();
    }
    assert!(explorer(&place, test, 1).status().unwrap().code().is_some());
    assert_nothing_left(&place, test, "after explorers were killed");
}

#[test]
fn nothing_is_left_of_programs() {
    check("hygiene", 200, 10);
}

#[test]
#[ignore = "takes half a minute"]
fn nothing_is_left_of_programs_after_ten_thousand_executions_and_a_hundred_kills() {
    check("hygiene-long", 10_000, 100);
}
