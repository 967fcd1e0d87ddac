//! Executions are cheap: they find the code that they use in place, or are made in one process.
//!
//! Alone in its file: the kernel counts the page faults of all children of a process together.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use allways_stateless::{
    Control, Execution, Executor, ExecutorOptions, Folder, SearchKind, SearchOptions, SearchStatistics,
    Streams, Visible, search,
};

struct Quiet;

impl Control for Quiet {
    fn goes_on(&mut self, _: &SearchStatistics) -> bool {
        true
    }

    fn executed(&mut self, _: &Execution) {}
}

/// Page faults of children of this process that are over, without reading from a disk.
fn faults_of_children() -> u64 {
    let status = std::fs::read_to_string("/proc/self/stat").expect("the kernel tells about a process");
    let (_, fields) = status.rsplit_once(')').expect("the name is in brackets");
    fields.split_whitespace().nth(8).and_then(|field| field.parse().ok()).expect("a number")
}

/// Page faults of a search that ends after so many executions.
fn faults(program: &Path, executions: u64) -> u64 {
    let before = faults_of_children();
    let options = ExecutorOptions {
        program: program.into(),
        name: program.into(),
        arguments: vec!["4".into()],
        streams: Streams::Hidden,
        patience: Duration::from_secs(30),
        retries: 3,
        folder: Folder::Current,
        tolerance: Default::default(),
        visible: Visible::Sync,
        spurious_wakeups: false,
        world: allways_stateless::World::default(),
    };
    let mut executor = Executor::new(&options).expect("the program can be started");
    let options = SearchOptions {
        kind: SearchKind::Naive,
        max_executions: Some(executions),
        max_depth: None,
        max_time: None,
        keep_going: true,
        seed: 1,
        bound: None,
    };
    let result = search(&mut executor, &options, &mut Quiet).expect("it can be executed");
    assert_eq!(result.statistics.executions, executions);
    drop(executor);
    faults_of_children() - before
}

fn build(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-faults-{name}"));
    let mut compiler = Command::new("gcc");
    compiler.args(["-O1", "-w", "-pthread", "-o"]).arg(&program);
    compiler.arg(root.join(format!("examples/programs/{name}.c"))).arg("-I").arg(root.join("include"));
    assert!(compiler.status().expect("gcc can be started").success());
    program
}

/// Of one of the first executions, and of a later one.
fn early_and_late(name: &str) -> (u64, u64) {
    let program = build(name);
    let [two, ten, forty, hundred] = [2, 10, 40, 100].map(|executions| faults(&program, executions));
    ((ten - two) / 8, (hundred - forty) / 60)
}

#[test]
fn later_executions_meet_fewer_page_faults() {
    // Each execution has processes of its own.
    let (early, late) = early_and_late("philosophers");
    assert!(late * 4 < early * 3, "{early} in an execution at first, then {late}");
    // One process for all.
    let (early, late) = early_and_late("philosopher_threads");
    assert!(late * 3 < early, "{early} in an execution at first, then {late}");
}
