//! What searches and steps work with, as the environment and a directory have it: the same for `controller`, `up`,
//! `discover` and `run`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use core_clock::{Environment, SettingError, Variables};
use core_rules::admission::warehouse::CacheByTagPolicy;
use io_argo::Applications;
use io_creds::Credentials;
use io_exec::Exec;
use io_git::Store;
use io_http::outbound::{self, Outbound};
use io_kube::Ports;
use io_oci::Registries;
use io_runtime::SystemEnvironment;
use work_discovery::{Discovery, Sources};
use work_steps::ControlPlane;

use crate::exit::{Exit, Failure};

/// What searches follow.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) credentials: io_creds::Settings,
    pub(crate) cache_by_tag: CacheByTagPolicy,
    pub(crate) git: io_git::Settings,
    registries: io_oci::Settings,
    outbound: outbound::Settings,
}

/// What searches and steps reach the outside with.
pub(crate) struct Opened {
    pub(crate) discovery: Arc<Discovery>,
    pub(crate) mirrors: Store,
    registries: Registries,
    credentials: Arc<Credentials>,
    outbound: Outbound,
}

impl Opened {
    /// What steps work with, for as long as the tasks of `ports` live.
    pub(crate) fn step_ports(
        &self,
        ports: &Ports,
        control_plane: Arc<dyn ControlPlane>,
        applications: Option<Applications>,
        settings: Arc<work_steps::Settings>,
    ) -> work_steps::Ports {
        let Ports { clock, entropy, tasks } = ports.clone();
        work_steps::Ports {
            exec: Exec::new(clock.clone(), tasks.clone()),
            clock,
            entropy,
            environment: Arc::new(SystemEnvironment),
            tasks,
            outbound: self.outbound.clone(),
            git: self.mirrors.clone(),
            registries: self.registries.clone(),
            credentials: self.credentials.clone(),
            control_plane,
            applications,
            settings,
        }
    }
}

impl Settings {
    /// Reads the variables of every part; what they keep is below `directory`.
    pub(crate) fn from_environment(
        environment: &dyn Environment,
        directory: &Path,
    ) -> Result<Self, SettingError> {
        let registries = io_oci::Settings::from_environment(environment)?;
        Ok(Self {
            credentials: io_creds::Settings::from_environment(environment)?,
            cache_by_tag: CacheByTagPolicy::from_variables(Variables::new(environment))?,
            git: io_git::Settings::from_environment(directory.join("git"), environment)?,
            registries: io_oci::Settings {
                cache_directory: Some(directory.join("registry")),
                ..registries
            },
            outbound: outbound::Settings::from_environment(environment)?,
        })
    }

    /// Opens mirrors and caches. `credentials` says where credentials come from.
    pub(crate) async fn open(
        self,
        environment: &dyn Environment,
        ports: &Ports,
        credentials: impl FnOnce(io_creds::Settings, Outbound) -> Credentials,
    ) -> Result<Opened, Failure> {
        let outbound = Outbound::new(self.outbound);
        let Ports { clock, entropy, tasks } = ports.clone();
        let mirrors =
            Store::open(self.git, outbound.clone(), clock.clone(), tasks.clone(), environment)
                .await
                .map_err(store_failure)?;
        let registry_ports = io_oci::Ports { clock: clock.clone(), entropy, tasks };
        let credentials = Arc::new(credentials(self.credentials, outbound.clone()));
        let registries = Registries::new(self.registries, outbound.clone(), registry_ports);
        let sources = Sources {
            credentials: credentials.clone(),
            git: mirrors.clone(),
            registries: registries.clone(),
            subscribers: Vec::new(),
            cache_by_tag: self.cache_by_tag,
            clock,
        };
        let discovery = Arc::new(Discovery::new(sources));
        Ok(Opened { discovery, mirrors, registries, credentials, outbound })
    }
}

fn store_failure(error: io_git::Error) -> Failure {
    let exit = match error {
        io_git::Error::InUse { .. } => Exit::DataDirectoryLocked,
        _ => Exit::Error,
    };
    Failure::new(exit, error).hint("choose another directory")
}

/// The directory that a user names, or where this user keeps what can be had again.
pub(crate) fn cache_place(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let place = named.map(Path::to_owned).or_else(|| cache_directory(&SystemEnvironment));
    let place = place.ok_or_else(|| {
        Failure::usage("neither XDG_CACHE_HOME nor HOME is set; pass --cache-dir DIR")
    })?;
    // Programs that use it run in other directories.
    Ok(std::path::absolute(place)?)
}

/// Where this user keeps what can be had again: `kargo` below the XDG cache directory.
pub(crate) fn cache_directory(environment: &dyn Environment) -> Option<PathBuf> {
    let given = |name| environment.var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
    Some(cache.join("kargo"))
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> FixedEnvironment {
        variables.iter().copied().collect()
    }

    #[test]
    fn caches_are_where_users_expect_them() {
        let place = |variables: &[_]| cache_directory(&environment(variables));
        let home = ("HOME", "/home/u");
        assert_eq!(place(&[home]), Some("/home/u/.cache/kargo".into()));
        assert_eq!(place(&[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/kargo".into()));
        assert_eq!(place(&[("HOME", "")]), None);
    }

    #[test]
    fn a_bad_value_of_any_part_is_told_in_one_line() {
        let lines = [
            ("CACHE_BY_TAG_POLICY", "Sometimes"),
            ("IMAGE_REGISTRY_RATE_LIMIT", "0"),
            ("ALLOW_CREDENTIALS_OVER_HTTP", "maybe"),
            ("GIT_STALL_TIMEOUT", "0s"),
            ("OUTBOUND_DENIED_NETWORKS", "everything"),
        ]
        .map(|variable| {
            let environment = environment(&[variable]);
            let read = Settings::from_environment(&environment, Path::new("/d"));
            read.err().unwrap().to_string()
        });
        insta::assert_snapshot!(lines.join("\n"), @r#"
        CACHE_BY_TAG_POLICY: "Sometimes" is not Forbid, Allow, Require or Force
        IMAGE_REGISTRY_RATE_LIMIT: "0" is not a number, 1 or more
        ALLOW_CREDENTIALS_OVER_HTTP: "maybe" is not true or false
        GIT_STALL_TIMEOUT: "0s" is not a duration above zero, such as 90s or 1h30m
        OUTBOUND_DENIED_NETWORKS: "everything" is not a network such as 10.0.0.0/8
        "#);
    }
}
