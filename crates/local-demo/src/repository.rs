//! The Git repository of the application: a bare one on disk, kept with the `git` program.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use core_clock::{Environment, Time};
use io_exec::{Command, Exec, Input, Limits, Output, find_program};

use crate::{Error, release::version};

/// The branch that releases are made on.
const MAIN: &str = "refs/heads/main";
/// What one command may print, and so what one answer may hold.
const MAX_OUTPUT: usize = 64 << 20;
const DEADLINE: Duration = Duration::from_mins(1);
/// Who makes releases.
const AUTHOR: &str = "Kargo demo <demo@localhost>";

const README: &str = "# guestbook\n\nThe application of `kargo up --demo`. Releases are made on `main`; what a Stage runs is on `env/<stage>`.\n";
const KUSTOMIZATION: &str = include_str!("../demo/repository/app/kustomization.yaml");
const DEPLOYMENT: &str = include_str!("../demo/repository/app/deployment.yaml");

/// A bare repository.
pub(crate) struct Repository {
    path: PathBuf,
    git: PathBuf,
    exec: Exec,
    environment: Arc<dyn Environment>,
}

/// One half of the conversation between two repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    UploadPack,
    ReceivePack,
}

impl Service {
    /// As programs and URLs name it, without `git-`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::UploadPack => "upload-pack",
            Self::ReceivePack => "receive-pack",
        }
    }
}

/// What a client says to a [`Service`].
pub(crate) enum Said<'a> {
    /// It wants to know which refs there are.
    Hello,
    /// Everything else, as bytes.
    Request(&'a [u8]),
}

impl Repository {
    /// Opens the repository at `path`, and makes it when it is not there.
    pub(crate) async fn open(
        path: &Path,
        exec: Exec,
        environment: Arc<dyn Environment>,
    ) -> Result<Self, Error> {
        let git = find_program("git", &*environment).ok_or(Error::NoGit)?;
        std::fs::create_dir_all(path)
            .map_err(|source| Error::Directory { path: path.to_owned(), source })?;
        let repository = Self { path: path.to_owned(), git, exec, environment };
        repository.git(&["init", "--quiet", "--bare", "--initial-branch=main"], &[]).await?;
        // Clients may ask for one commit, and without contents; nothing is tidied up behind our back.
        for setting in [
            ["uploadpack.allowFilter", "true"],
            ["uploadpack.allowAnySHA1InWant", "true"],
            ["receive.autogc", "false"],
        ] {
            let [name, value] = setting;
            repository.git(&["config", name, value], &[]).await?;
        }
        Ok(repository)
    }

    /// Commits the manifests of a release and returns the id.
    pub(crate) async fn commit(&self, number: u32, now: Time) -> Result<String, Error> {
        let stream = import(number, now, self.tip().await?.as_deref());
        self.git(&["fast-import", "--quiet"], stream.as_bytes()).await?;
        Ok(self.tip().await?.unwrap_or_default())
    }

    /// A file of a branch, where there is one.
    pub(crate) async fn file(&self, branch: &str, path: &str) -> Result<Option<String>, Error> {
        let object = format!("refs/heads/{branch}:{path}");
        match self.git(&["cat-file", "blob", &object], &[]).await {
            Ok(content) => Ok(Some(String::from_utf8_lossy(&content).into_owned())),
            Err(Error::Git(io_exec::Error::Failed { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lets the program answer one request of a client that speaks this version of the protocol.
    pub(crate) async fn serve(
        &self,
        service: Service,
        said: Said<'_>,
        protocol: Option<&str>,
    ) -> Result<Vec<u8>, Error> {
        let (greeting, input) = match said {
            Said::Hello => (Some("--advertise-refs"), &[][..]),
            Said::Request(bytes) => (None, bytes),
        };
        let arguments = [service.name(), "--stateless-rpc"].into_iter().chain(greeting);
        let command = self.command(arguments.chain(["."]), input);
        let command = match protocol {
            Some(version) => command.env("GIT_PROTOCOL", version),
            None => command,
        };
        Ok(self.exec.run(command).await.map_err(Error::Git)?.stdout)
    }

    async fn tip(&self) -> Result<Option<String>, Error> {
        let listed = self.git(&["for-each-ref", "--format=%(objectname)", MAIN], &[]).await?;
        let tip = String::from_utf8_lossy(&listed).trim().to_owned();
        Ok(Some(tip).filter(|tip| !tip.is_empty()))
    }

    async fn git(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, Error> {
        let command = self.command(arguments.iter().copied(), input);
        Ok(self.exec.run(command).await.map_err(Error::Git)?.stdout)
    }

    fn command<'a>(&self, arguments: impl Iterator<Item = &'a str>, input: &[u8]) -> Command {
        let arguments: Vec<&str> = arguments.collect();
        let name = format!("git {}", arguments.first().copied().unwrap_or_default());
        Command::new(name, &self.git)
            .args(arguments)
            .inherit(&*self.environment, &["PATH"])
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .directory(&self.path)
            .input(Input::Bytes(input.to_vec()))
            .output(Output::Capture(MAX_OUTPUT))
            .limits(Limits { deadline: Some(DEADLINE), idle: None })
    }
}

/// A release as a stream for `git fast-import`.
fn import(number: u32, now: Time, parent: Option<&str>) -> String {
    let (version, seconds) = (version(number), now.as_seconds());
    let message = format!("guestbook {version}");
    let mut stream = format!(
        "commit {MAIN}\ncommitter {AUTHOR} {seconds} +0000\ndata {}\n{message}\n",
        message.len()
    );
    if let Some(parent) = parent {
        stream.extend(["from ", parent, "\n"]);
    }
    let settings = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: guestbook\ndata:\n  GREETING: Hello from guestbook {version}\n"
    );
    for (path, content) in [
        ("README.md", README),
        ("app/kustomization.yaml", KUSTOMIZATION),
        ("app/deployment.yaml", DEPLOYMENT),
        ("app/settings.yaml", &settings),
    ] {
        let size = content.len().to_string();
        stream.extend(["M 100644 inline ", path, "\ndata ", &size, "\n", content, "\n"]);
    }
    stream
}

#[cfg(test)]
mod tests {
    use io_runtime::{SystemClock, SystemEnvironment, TaskGroup};

    use super::*;

    async fn open(path: &Path) -> Repository {
        let exec = Exec::new(Arc::new(SystemClock::new()), Arc::new(TaskGroup::new()));
        Repository::open(path, exec, Arc::new(SystemEnvironment)).await.unwrap()
    }

    #[tokio::test]
    async fn releases_are_commits_one_upon_the_other_also_after_a_restart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("guestbook.git");
        let first = open(&path).await.commit(0, Time::from_seconds(10)).await.unwrap();
        let repository = open(&path).await;
        let second = repository.commit(1, Time::from_seconds(20)).await.unwrap();
        let history = repository.git(&["rev-list", "main"], &[]).await.unwrap();
        assert_eq!(String::from_utf8(history).unwrap(), format!("{second}\n{first}\n"));
        let settings = repository.file("main", "app/settings.yaml").await.unwrap().unwrap();
        assert!(settings.contains("Hello from guestbook 1.0.1"), "{settings}");
        assert_eq!(repository.file("env/dev", "kustomization.yaml").await.unwrap(), None);
    }
}
