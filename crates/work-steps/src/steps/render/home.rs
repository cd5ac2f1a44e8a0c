//! Running `helm` and `kustomize`: each time in an empty home of their own, which is gone afterwards,
//! fenced in, within limits of time and output, and not too many at once.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use io_exec::{
    Command, Confinement, Error, Exec, Finished, Jail, Limits, Output, WorkDir, find_program,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{Programs, StepCx, StepError};

/// The most a program may print.
pub(crate) const MAX_OUTPUT: usize = 64 * 1024 * 1024;
/// How long a program may take.
const DEADLINE: Duration = Duration::from_mins(10);
/// How many programs run at the same time, whatever number of Promotions wants them.
const AT_ONCE: usize = 4;
/// How the names of homes begin.
const PREFIX: &str = "home-";
static TURNS: Semaphore = Semaphore::const_new(AT_ONCE);

/// What of our own environment programs need: where programs are, and how to get to the network.
const INHERITED: [&str; 9] = [
    "PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// A private home for programs, and the right to run one after the other there.
pub(crate) struct Home<'a> {
    directory: WorkDir,
    programs: &'a Programs,
    cx: &'a StepCx<'a>,
    _turn: SemaphorePermit<'static>,
}

/// What a program may do to the files of the Promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    Read,
    Write,
}

impl<'a> Home<'a> {
    /// Waits for a turn and makes a home.
    pub(crate) async fn create(
        programs: &'a Programs,
        cx: &'a StepCx<'a>,
    ) -> Result<Self, StepError> {
        let turn =
            TURNS.acquire().await.map_err(|_| StepError::retryable("the process is stopping"))?;
        let directory = sweep(cx.private)
            .and_then(|()| WorkDir::create(cx.private, PREFIX))
            .map_err(|error| {
                let message = "no private directory could be made for programs";
                StepError::retryable(message).because(error)
            })?;
        Ok(Self { directory, programs, cx, _turn: turn })
    }

    /// Where the home is.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Puts a file there that programs are to read.
    pub(crate) fn keep(&self, name: &str, content: &[u8]) -> Result<PathBuf, StepError> {
        self.directory.write_private(name, content).map_err(|error| {
            StepError::retryable(format!("{name} could not be written for a program"))
                .because(error)
        })
    }

    /// Where a program is.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        find_program(program, &*self.programs.environment)
    }

    /// Where a program is that the step cannot do without.
    pub(crate) fn require(&self, program: &'static str) -> Result<PathBuf, StepError> {
        let install = match program {
            "helm" => "https://helm.sh/docs/intro/install",
            _ => "https://kubectl.docs.kubernetes.io/installation/kustomize",
        };
        self.find(program).ok_or_else(|| {
            StepError::retryable(format!(
                "the program {program} is not in the PATH of this process: install it ({install})"
            ))
        })
    }

    /// A command in this home; `name` is what messages call it.
    pub(crate) fn command(&self, name: &str, program: &Path, files: Files) -> Command {
        let home = self.path();
        let redactor = self.cx.redactor();
        let mut command = Command::new(name, program)
            .inherit(&*self.programs.environment, &INHERITED)
            .directory(self.cx.files.path())
            .limits(Limits { deadline: Some(DEADLINE), idle: None })
            .redact(redactor)
            .confined(self.confinement(program, files));
        for (variable, place) in [
            ("HOME", ""),
            ("TMPDIR", ""),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("HELM_CACHE_HOME", "cache/helm"),
            ("HELM_CONFIG_HOME", "config/helm"),
            ("HELM_DATA_HOME", "data/helm"),
            ("HELM_PLUGINS", "data/helm/plugins"),
            ("HELM_REPOSITORY_CACHE", "cache/helm/repository"),
            ("HELM_REPOSITORY_CONFIG", "repositories.yaml"),
            ("HELM_REGISTRY_CONFIG", "registries.json"),
            ("KUBECONFIG", "no-cluster"),
        ] {
            command = command.env(variable, home.join(place));
        }
        git_settings(command)
    }

    /// Runs a command; what it printed to stderr goes to the log of the step.
    pub(crate) async fn run(
        &self,
        command: Command,
        output: Output,
    ) -> Result<Finished, StepError> {
        let exec: &Exec = &self.programs.exec;
        let finished =
            exec.run(command.output(output)).await.map_err(|error| self.failure(&error))?;
        if !finished.stderr.is_empty() {
            self.cx.say(self.without_paths(&finished.stderr));
        }
        Ok(finished)
    }

    fn confinement(&self, program: &Path, files: Files) -> Confinement {
        let mut confinement = Confinement::default().reading(program).writing(self.path());
        for name in ["helm", "kustomize", "git"] {
            confinement = self.find(name).into_iter().fold(confinement, Confinement::reading);
        }
        for variable in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            let place = self.programs.environment.var(variable);
            confinement = place.into_iter().fold(confinement, Confinement::reading);
        }
        match files {
            Files::Read => confinement.reading(self.cx.files.path()),
            Files::Write => confinement.writing(self.cx.files.path()),
        }
    }

    fn failure(&self, error: &Error) -> StepError {
        StepError::retryable(self.without_paths(&error.to_string()))
    }

    /// Paths of the machine mean nothing to users.
    fn without_paths(&self, text: &str) -> String {
        let home = self.path().display().to_string();
        self.cx.files.hide_root(text).replace(&format!("{home}/"), "").replace(&home, "home")
    }
}

/// Removes homes that a killed process left behind, because they hold credentials. The steps of a Promotion
/// run one after the other, so nobody lives there.
fn sweep(private: &Path) -> io::Result<()> {
    let jail = Jail::open(private)?;
    for entry in jail.read_dir("")? {
        if entry.name().to_string_lossy().starts_with(PREFIX) {
            jail.remove(&entry.path)?;
        }
    }
    Ok(())
}

/// Remote bases are fetched by git, which must not run what it finds in a repository.
fn git_settings(command: Command) -> Command {
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ALLOW_PROTOCOL", "https:http:ssh:git")
        .env("GIT_CONFIG_COUNT", "2")
        .env("GIT_CONFIG_KEY_0", "core.hooksPath")
        .env("GIT_CONFIG_VALUE_0", "/dev/null")
        .env("GIT_CONFIG_KEY_1", "core.fsmonitor")
        .env("GIT_CONFIG_VALUE_1", "false")
}
