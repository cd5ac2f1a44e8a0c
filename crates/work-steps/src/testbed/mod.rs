//! A place to try steps in: a work directory that goes with it, a control plane and credentials that are
//! made up, and everything else real.
//!
//! [`Testbed::run`] makes one attempt exactly as the driver does: the configuration is held to the schema,
//! panics are caught, and what is told is blanked. Outputs stay, so that a second attempt sees the first.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a testbed that cannot be set up ends the test"
)]

mod attempt;
mod control_plane;
mod credentials;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use core_clock::{Clock, Environment};
use core_rules::credential::Secret;
use io_exec::{Exec, Jail, Redactor};
use io_http::outbound::{self, Outbound};
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup};
use jiff::Timestamp;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tempfile::TempDir;

pub use self::{attempt::Attempt, control_plane::FakeControlPlane, credentials::FakeCredentials};
use crate::{
    catalogue,
    context::{StepCx, Subject},
    driver,
    effect::Effects,
    port::{Ports, Settings},
};

/// When the Promotion of a testbed started, in seconds since 1970: 2026-01-02T03:04:05Z.
const STARTED_AT: i64 = 1_767_323_045;

/// A Promotion around one step. Change the public parts before running a step.
pub struct Testbed {
    /// What steps reach; replace what a test wants different.
    pub ports: Ports,
    /// The Promotion: Project `demo`, Stage `dev`.
    pub subject: Subject,
    /// Alias of the step that is tried.
    pub alias: String,
    /// Outside effects, done unless a test wants them recorded.
    pub effects: Effects,
    /// The control plane behind `ports`.
    pub control_plane: Arc<FakeControlPlane>,
    /// The credentials behind `ports`.
    pub credentials: Arc<FakeCredentials>,
    state: Mutex<Map<String, Value>>,
    secrets: Mutex<Vec<Secret>>,
    log: Mutex<Vec<String>>,
    directory: TempDir,
    machine: Arc<Machine>,
}

/// What testbeds of one machine share.
struct Machine {
    directory: TempDir,
    tasks: TaskGroup,
}

impl Testbed {
    /// A testbed with the real clock. Call it within a runtime.
    pub async fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock::new())).await
    }

    /// A testbed with another clock.
    pub async fn with_clock(clock: Arc<dyn Clock>) -> Self {
        let machine = Machine { directory: directory(), tasks: TaskGroup::new() };
        let control_plane = Arc::new(FakeControlPlane::default());
        let credentials = Arc::new(FakeCredentials::default());
        let ports = machine.ports(clock, control_plane.clone(), credentials.clone()).await;
        Self::around(ports, control_plane, credentials, Arc::new(machine))
    }

    /// Another Promotion on the same machine: an empty work directory, no state, nothing hidden. The
    /// control plane and the credentials are the same.
    #[must_use]
    pub fn fresh(&self) -> Self {
        let Self { ports, control_plane, credentials, machine, .. } = self;
        Self::around(ports.clone(), control_plane.clone(), credentials.clone(), machine.clone())
    }

    fn around(
        ports: Ports,
        control_plane: Arc<FakeControlPlane>,
        credentials: Arc<FakeCredentials>,
        machine: Arc<Machine>,
    ) -> Self {
        let directory = directory();
        for part in ["files", "private"] {
            std::fs::create_dir(directory.path().join(part)).expect("a fresh directory");
        }
        Self {
            ports,
            subject: subject(),
            alias: "step-1".to_owned(),
            effects: Effects::Real,
            control_plane,
            credentials,
            state: Mutex::default(),
            secrets: Mutex::default(),
            log: Mutex::default(),
            directory,
            machine,
        }
    }

    /// Makes one attempt of a step with a rendered configuration.
    pub async fn run(&self, kind: &str, config: Value) -> Attempt {
        let step = catalogue::step(kind).unwrap_or_else(|| panic!("no step of kind {kind}"));
        let state = self.state.lock().clone();
        let files = Jail::open(&self.files()).expect("the work directory");
        let private = self.private();
        let log = |line: &str| self.log.lock().push(line.to_owned());
        let cx = StepCx {
            subject: &self.subject,
            alias: &self.alias,
            state: &state,
            files: &files,
            private: &private,
            effects: &self.effects,
            log: &log,
            secrets: &self.secrets,
        };
        let result = driver::attempt::make(step, config, &self.ports, &cx).await;
        let attempt = Attempt::new(result, &cx.redactor());
        if let Some(output) = &attempt.output {
            self.state.lock().insert(self.alias.clone(), Value::Object(output.clone()));
        }
        attempt
    }

    /// The directory that users' paths see.
    pub fn files(&self) -> PathBuf {
        self.directory.path().join("files")
    }

    /// The directory that no user path reaches.
    pub fn private(&self) -> PathBuf {
        self.directory.path().join("private")
    }

    /// A directory that goes with the machine, for repositories and the like.
    pub fn machine_directory(&self) -> &Path {
        self.machine.directory.path()
    }

    /// Writes a file of the work directory, with the directories above it.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.files().join(path);
        std::fs::create_dir_all(path.parent().expect("a path within the files"))
            .expect("a directory");
        std::fs::write(path, content).expect("a file");
    }

    /// Reads a file of the work directory; `None` when there is none or it is not text.
    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.files().join(path)).ok()
    }

    /// The outputs so far, by alias.
    pub fn state(&self) -> Map<String, Value> {
        self.state.lock().clone()
    }

    /// Puts the output of a step there, as if it had run before.
    pub fn set_output(&self, alias: &str, output: Value) {
        self.state.lock().insert(alias.to_owned(), output);
    }

    /// What the steps told, line by line and not blanked.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().clone()
    }

    /// What blanks the secrets that steps came across.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(self.secrets.lock().iter())
    }
}

impl Machine {
    async fn ports(
        &self,
        clock: Arc<dyn Clock>,
        control_plane: Arc<FakeControlPlane>,
        credentials: Arc<FakeCredentials>,
    ) -> Ports {
        let environment = SystemEnvironment;
        let entropy = Arc::new(SystemEntropy);
        let tasks = Arc::new(self.tasks.clone());
        let outbound = Outbound::new(outbound::Settings::default());
        let settings = io_git::Settings::new(self.directory.path().join("git"));
        let git = io_git::Store::open(
            settings,
            outbound.clone(),
            clock.clone(),
            tasks.clone(),
            &environment,
        );
        let git = git.await.expect("a git store");
        let ports =
            io_oci::Ports { clock: clock.clone(), entropy: entropy.clone(), tasks: tasks.clone() };
        Ports {
            exec: Exec::new(clock.clone(), tasks.clone()),
            registries: io_oci::Registries::new(
                io_oci::Settings::default(),
                outbound.clone(),
                ports,
            ),
            environment: Arc::new(environment) as Arc<dyn Environment>,
            clock,
            entropy,
            tasks,
            outbound,
            git,
            credentials,
            control_plane,
            applications: None,
            settings: Arc::new(Settings::default()),
        }
    }
}

fn directory() -> TempDir {
    tempfile::Builder::new().prefix("kargo-testbed-").tempdir().expect("a temporary directory")
}

fn subject() -> Subject {
    Subject {
        project: "demo".to_owned(),
        stage: "dev".to_owned(),
        promotion: "dev.01arz3ndektsv4rrffq69g5fav.abcdef0".to_owned(),
        started_at: Timestamp::from_second(STARTED_AT).unwrap_or_default(),
        ..Subject::default()
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use super::*;
    use crate::Class;

    #[tokio::test]
    async fn attempts_go_through_the_schema_and_keep_their_output() {
        let testbed = Testbed::new().await;
        let refused = testbed.run("fail", json!({"message": 1})).await;
        assert_eq!(refused.status, PromotionStepStatus::Failed);
        assert_eq!(refused.message, "invalid fail config: message: must be a text, not a number");
        assert_eq!(refused.class, Some(Class::Failed));
        let done = testbed.run("compose-output", json!({"a": 1})).await;
        assert_eq!(done.status, PromotionStepStatus::Succeeded);
        assert_eq!(testbed.state()["step-1"], json!({"a": 1}));
        assert!(testbed.fresh().state().is_empty());
    }
}
