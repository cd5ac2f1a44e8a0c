//! What an installation decides about Git repositories.

use std::{path::PathBuf, time::Duration};

use core_clock::{Environment, SettingError, Variables};

const GIBIBYTE: u64 = 1 << 30;

/// Limits and places. Every number guards against a server that is slow, huge or hostile.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where mirrors are kept; one process at a time owns it.
    pub root: PathBuf,
    /// How much all mirrors may take; the least recently used are removed first.
    pub quota_bytes: u64,
    /// How much one repository may take.
    pub max_repository_bytes: u64,
    /// How many refs one listing may return.
    pub max_refs: usize,
    /// How many bytes one listing may take.
    pub max_listing_bytes: u64,
    /// How long a listing may take.
    pub list_deadline: Duration,
    /// How long a fetch may take in all.
    pub fetch_deadline: Duration,
    /// How long a fetch may go without progress.
    pub stall: Duration,
    /// The SSH host keys to insist on. Without it the first key seen of a host is kept and insisted on.
    pub known_hosts: Option<PathBuf>,
    /// Whether `file://` repositories may be used; they read our own disk.
    pub allow_local: bool,
    /// The person whose agent logs in where no credential is given. A server works for nobody in particular: only a
    /// command that a person runs sets it.
    pub ssh_user: Option<SshUser>,
}

/// What a person has for `ssh`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshUser {
    /// The socket of the agent that holds the keys.
    pub agent: Option<PathBuf>,
    /// Host keys the person has accepted; nothing is written there.
    pub known_hosts: Option<PathBuf>,
}

impl SshUser {
    /// `SSH_AUTH_SOCK`, and `.ssh/known_hosts` below `HOME`.
    pub fn from_environment(environment: &dyn Environment) -> Self {
        let variables = Variables::new(environment);
        let known_hosts = variables.path("HOME").map(|home| home.join(".ssh/known_hosts"));
        Self { agent: variables.path("SSH_AUTH_SOCK"), known_hosts }
    }
}

impl Settings {
    /// The defaults, with mirrors below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            quota_bytes: 20 * GIBIBYTE,
            max_repository_bytes: 10 * GIBIBYTE,
            max_refs: 500_000,
            max_listing_bytes: 128 << 20,
            list_deadline: Duration::from_mins(2),
            fetch_deadline: Duration::from_hours(1),
            stall: Duration::from_mins(1),
            known_hosts: None,
            allow_local: false,
            ssh_user: None,
        }
    }

    /// `GIT_STORE_QUOTA_BYTES`, `GIT_MAX_REPOSITORY_BYTES`, `GIT_LIST_TIMEOUT`, `GIT_FETCH_TIMEOUT`, `GIT_STALL_TIMEOUT`,
    /// `GIT_KNOWN_HOSTS_FILE`.
    pub fn from_environment(
        root: impl Into<PathBuf>,
        environment: &dyn Environment,
    ) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let default = Self::new(root);
        Ok(Self {
            quota_bytes: variables.count("GIT_STORE_QUOTA_BYTES", 1.., default.quota_bytes)?,
            max_repository_bytes: variables.count(
                "GIT_MAX_REPOSITORY_BYTES",
                1..,
                default.max_repository_bytes,
            )?,
            list_deadline: variables.interval("GIT_LIST_TIMEOUT", default.list_deadline)?,
            fetch_deadline: variables.interval("GIT_FETCH_TIMEOUT", default.fetch_deadline)?,
            stall: variables.interval("GIT_STALL_TIMEOUT", default.stall)?,
            known_hosts: variables.path("GIT_KNOWN_HOSTS_FILE"),
            ..default
        })
    }
}
