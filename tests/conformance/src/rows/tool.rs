//! Programs that users bring, run against the server under test with a home of their own.

use std::{path::Path, process::Stdio};

use anyhow::{Context, Result, ensure};
use dev_testkit::repository;
use tempfile::TempDir;
use tokio::process::Command;

use crate::world::World;

/// A client program with its settings.
pub(super) struct Tool {
    binary: String,
    kubeconfig: String,
    /// Holds its caches and the files it reads; it runs there.
    home: TempDir,
}

/// What a run left behind.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) exit: Option<i32>,
    pub(super) output: String,
    pub(super) errors: String,
}

impl Tool {
    /// The tool of this name, as `tools/build` provides it.
    pub(super) async fn new(world: &World<'_>, name: &str) -> Result<Self> {
        let build =
            Command::new(repository().join("tools/build")).args(["--print", name]).output().await?;
        ensure!(build.status.success(), "no {name}: {}", String::from_utf8_lossy(&build.stderr));
        let kubeconfig = std::path::absolute(&world.kubeconfig().path)?;
        Ok(Self {
            binary: String::from_utf8(build.stdout)?.trim().to_owned(),
            kubeconfig: kubeconfig.display().to_string(),
            home: tempfile::Builder::new().prefix("conformance-tool-").tempdir()?,
        })
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    /// Writes a file that the tool can read by its relative name.
    pub(super) fn file(&self, name: &str, content: &str) -> Result<()> {
        let path = self.home().join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, content).with_context(|| format!("write {}", path.display()))
    }

    /// The tool, ready to start in `namespace`.
    pub(super) fn command(&self, namespace: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(arguments)
            .args(["--namespace", namespace])
            .current_dir(self.home())
            .env("HOME", self.home())
            .env("KUBECONFIG", &self.kubeconfig)
            .env("KUBE_EDITOR", self.home().join("editor"))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs it to the end.
    pub(super) async fn run(&self, namespace: &str, arguments: &[&str]) -> Result<Run> {
        let output = self.command(namespace, arguments).output().await?;
        Ok(Run {
            exit: output.status.code(),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs a command line, split at spaces, which must succeed.
    pub(super) async fn succeeds(&self, namespace: &str, line: &str) -> Result<String> {
        let arguments: Vec<&str> = line.split(' ').collect();
        let run = self.run(namespace, &arguments).await?;
        ensure!(run.exit == Some(0), "{line}: {run:?}");
        Ok(run.output)
    }
}
