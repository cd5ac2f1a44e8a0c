//! Tells the binary what it was built from.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a build script speaks to cargo by environment and stdout"
)]

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=KARGO_VERSION");
    println!("cargo:rerun-if-env-changed=SOURCE_DATE_EPOCH");
    println!("cargo:rerun-if-changed=../../.git/HEAD");
    println!("cargo:rerun-if-changed=../../.git/refs/heads");
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let facts = [
        ("KARGO_COMMIT", output("git", &["rev-parse", "HEAD"])),
        ("KARGO_TREE", output("git", &["status", "--porcelain", "--untracked-files=no"])),
        ("KARGO_COMPILER", output(&compiler, &["--version"])),
        ("KARGO_BUILD_DATE", output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
    ];
    for (name, text) in facts {
        println!("cargo:rustc-env={name}={}", text.lines().next().unwrap_or_default());
    }
}

/// What a program prints; nothing when it is missing or fails, as in a source archive without git.
fn output(program: &str, arguments: &[&str]) -> String {
    let done =
        Command::new(program).args(arguments).output().ok().filter(|done| done.status.success());
    done.map(|done| String::from_utf8_lossy(&done.stdout).trim().to_owned()).unwrap_or_default()
}
