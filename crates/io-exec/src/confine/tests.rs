use std::{fs, sync::Arc};

use core_clock::Environment as _;
use io_runtime::{SystemClock, SystemEnvironment, TaskGroup};

use super::*;
use crate::{Error, Exec, Output};

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    /// `inside/file`, `outside/secret`, and a link from one to the other.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (folder, file) in [("inside", "file"), ("outside", "secret")] {
            fs::create_dir(directory.path().join(folder)).unwrap();
            fs::write(directory.path().join(folder).join(file), "content").unwrap();
        }
        let target = directory.path().join("outside/secret");
        std::os::unix::fs::symlink(target, directory.path().join("inside/link")).unwrap();
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs a shell script with one directory it may write, in that directory.
    async fn run(&self, script: &str) -> Result<String, Error> {
        let exec = Exec::new(Arc::new(SystemClock::new()), Arc::new(TaskGroup::new()));
        let command = crate::Command::new("script", "/bin/sh")
            .args(["-c", script])
            .env("PATH", "/usr/bin:/bin")
            .directory(self.path("inside"))
            .output(Output::Capture(10_000))
            .confined(Confinement::default().writing(self.path("inside")));
        let finished = exec.run(command).await?;
        Ok(String::from_utf8(finished.stdout).unwrap())
    }
}

/// Whether this kernel can confine at all; elsewhere there is nothing to test.
fn confines() -> bool {
    let fence = std::thread::spawn(|| Fence::around(&[], &[])).join().unwrap().unwrap();
    let is_ci = SystemEnvironment.var("CI").is_some_and(|value| value == "true");
    assert!(fence == Fence::Up || !is_ci, "this kernel has no Landlock");
    if fence == Fence::Missing {
        println!("skipped: this kernel has no Landlock");
    }
    fence == Fence::Up
}

#[tokio::test]
async fn a_confined_program_works_where_it_may() {
    let place = Place::new();
    let script = "cat file && mkdir new && echo more > new/file && mv new/file moved && cat moved";
    assert_eq!(place.run(script).await.unwrap(), "contentmore\n");
}

#[tokio::test]
async fn a_confined_program_cannot_read_or_write_outside_not_even_through_links() {
    if !confines() {
        return;
    }
    let place = Place::new();
    for script in [
        "cat ../outside/secret",
        "cat link",
        "ls ..",
        "echo x > ../outside/new",
        "echo x > ../outside/secret",
        "rm ../outside/secret",
        "cat /etc/shadow",
        "cat /proc/1/environ",
        "ls /var/run/secrets /root /home",
    ] {
        let error = place.run(script).await.unwrap_err();
        assert!(error.stderr().contains("ermission denied"), "{script}: {error}");
    }
    assert_eq!(fs::read_to_string(place.path("outside/secret")).unwrap(), "content");
    assert!(!place.path("outside/new").exists());
}

#[tokio::test]
async fn a_confined_program_cannot_signal_its_starter() {
    if !confines() {
        return;
    }
    let error = Place::new().run(&format!("kill -0 {}", std::process::id())).await.unwrap_err();
    assert!(error.to_string().contains("kill"), "{error}");
}

#[tokio::test]
async fn a_confined_program_is_limited_in_memory_and_files() {
    // The limits are set right after the start.
    let script = "sleep 0.3; ulimit -d; ulimit -f; ulimit -c";
    let limits = Place::new().run(script).await.unwrap();
    assert_eq!(limits, "2097152\n2097152\n0\n");
}

#[tokio::test]
async fn the_rest_of_the_process_stays_free() {
    let place = Place::new();
    place.run("true").await.unwrap();
    assert!(fs::read(place.path("outside/secret")).is_ok());
    let cat = std::process::Command::new("cat").arg(place.path("inside/link")).output().unwrap();
    assert_eq!(cat.stdout, b"content");
}

#[tokio::test]
async fn a_missing_program_is_told_as_such() {
    let exec = Exec::new(Arc::new(SystemClock::new()), Arc::new(TaskGroup::new()));
    let command = crate::Command::new("nothing", "/nowhere").confined(Confinement::default());
    assert!(matches!(exec.run(command).await, Err(Error::Start { .. })));
}
