//! Builds the library that is loaded into programs, so that it can be put into the one binary.
//!
//! Cargo cannot make a shared library of one package a part of another, so the compiler is called directly: first for the protocol, then for the
//! runtime. Neither has other dependencies. It is always optimised: it runs inside every operation of the program.

use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: [&str; 9] = [
    "--edition=2024",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Cforce-frame-pointers=yes",
    // A thread that is cancelled leaves our functions as if by an exception.
    "-Cforce-unwind-tables=yes",
    "-Cdebuginfo=0",
    "-Ccodegen-units=1",
    "-Cstrip=debuginfo",
    "--cap-lints=allow",
];

fn main() {
    let engines = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("..");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    let protocol = engines.join("stateless-protocol/src");
    let runtime = engines.join("stateless-runtime/src");
    println!("cargo::rerun-if-changed={}", protocol.display());
    println!("cargo::rerun-if-changed={}", runtime.display());
    println!("cargo::rerun-if-changed=build.rs");
    let library = out.join("liballways_stateless_protocol.rlib");
    compile(&protocol, "allways_stateless_protocol", "rlib", &library, &[]);
    let dependency = format!("--extern=allways_stateless_protocol={}", library.display());
    // A program built with `-fsanitize=thread` asks for a library of this name; ours is loaded already, and has what it needs.
    let name = "-Clink-arg=-Wl,-soname,libtsan.so.2";
    compile(&runtime, "allways_stateless_runtime", "cdylib", &out.join("runtime.so"), &[&dependency, name]);
}

fn compile(source: &Path, name: &str, kind: &str, output: &Path, more: &[&str]) {
    let rustc = std::env::var_os("RUSTC").expect("set by cargo");
    let target = std::env::var("TARGET").expect("set by cargo");
    let status = Command::new(rustc)
        .args(FLAGS)
        .args(["--crate-name", name, "--crate-type", kind, "--target", &target])
        .args(more)
        .arg("-o")
        .arg(output)
        .arg(source.join("lib.rs"))
        .status()
        .expect("the compiler can be started");
    assert!(status.success(), "{name} does not compile");
}
