//! The real programs of steps: from the cache that `tools/build` fills, or from the `PATH`.

use std::{path::PathBuf, process::Command, sync::Arc};

use core_clock::{Environment, FixedEnvironment};
use io_runtime::SystemEnvironment;
use work_steps::testbed::Testbed;

/// A testbed whose steps find these programs. `None`, with a line that says so, when one is missing; under
/// `CI=true` that is a failure.
pub(crate) async fn testbed_with(programs: &[&str]) -> Option<Testbed> {
    let mut testbed = Testbed::new().await;
    let mut path = Vec::new();
    for name in programs {
        let program = find(name)?;
        path.push(program.parent().unwrap().display().to_string());
    }
    path.extend(["/usr/bin".to_owned(), "/bin".to_owned()]);
    testbed.ports.environment = environment(&[("PATH", &path.join(":"))]);
    Some(testbed)
}

pub(crate) fn environment(variables: &[(&str, &str)]) -> Arc<dyn Environment> {
    Arc::new(variables.iter().copied().collect::<FixedEnvironment>())
}

/// Where a program is.
#[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let build = dev_testkit::repository().join("tools/build");
    let printed = Command::new(build).args(["--print", name]).output().unwrap();
    if printed.status.success() {
        return Some(String::from_utf8(printed.stdout).unwrap().trim().into());
    }
    let found = io_exec::find_program(name, &SystemEnvironment);
    let is_ci = SystemEnvironment.var("CI").is_some_and(|value| value == "true");
    assert!(found.is_some() || !is_ci, "{name} is missing: run make {name}");
    if found.is_none() {
        eprintln!("skipped: {name} is missing, make {name} builds it");
    }
    found
}

/// The names of what is in a directory of the work directory, with everything beneath, sorted.
pub(crate) fn list(testbed: &Testbed, directory: &str) -> Vec<String> {
    let root = testbed.files().join(directory);
    let mut found = Vec::new();
    let mut pending = vec![root.clone()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path.strip_prefix(&root).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// The homes of programs, which must be gone.
pub(crate) fn homes(testbed: &Testbed) -> usize {
    std::fs::read_dir(testbed.private()).unwrap().count()
}
