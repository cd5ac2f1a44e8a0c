//! `kargo controller`: looks for artifacts and makes Freight of them, for the objects of one shard.

mod mirrors;

use std::{path::PathBuf, sync::Arc, time::Duration};

use core_clock::{Environment, SettingError, Variables};
use core_rules::access::Component;
use io_creds::{Clusters, Credentials};
use io_git::Store;
use io_kube::Family;
use io_runtime::SystemEnvironment;
use svc_controller::{Monitor, Settings};

use crate::{
    cluster,
    component::{self, Probe, Process},
    discovery::{self, Opened, cache_directory},
    exit::Failure,
};

/// Twice as long as a pass may take at most: by then the oldest key must have had its turn.
const STALL_LIMIT: Duration = Duration::from_mins(10);
const DATA_DIR: &str = "KARGO_DATA_DIR";
const PROVIDERS: &str = "CREDENTIAL_PROVIDERS_ENABLED";

pub(crate) fn run() -> Result<(), Failure> {
    let environment = &SystemEnvironment;
    let settings = Settings::from_environment(environment).map_err(Failure::usage)?;
    let directory = directory(environment).map_err(Failure::usage)?;
    let sources =
        discovery::Settings::from_environment(environment, &directory).map_err(Failure::usage)?;
    check(&sources).map_err(Failure::usage)?;
    component::run(Component::Controller, |process| control(process, settings, sources))
}

/// Where mirrors and caches are: `KARGO_DATA_DIR`, else `controller` below the user's cache.
fn directory(environment: &dyn Environment) -> Result<PathBuf, SettingError> {
    let given = Variables::new(environment).path(DATA_DIR);
    let default = || Some(cache_directory(environment)?.join("controller"));
    given
        .or_else(default)
        .ok_or_else(|| SettingError::missing(DATA_DIR, "a directory for mirrors of repositories"))
}

/// Without credentials a controller would find less than it should, and say nothing.
fn check(sources: &discovery::Settings) -> Result<(), SettingError> {
    if sources.credentials.providers_enabled {
        return Ok(());
    }
    Err(SettingError::missing(PROVIDERS, "true"))
}

async fn control(
    process: Process,
    settings: Settings,
    sources: discovery::Settings,
) -> Result<(), Failure> {
    let (client, ports) = (process.client().await?, process.ports());
    let local = if sources.credentials.local_cluster_fallback {
        cluster::local(&SystemEnvironment)?
    } else {
        None
    };
    let clusters = Clusters { control_plane: client.clone(), local };
    let Opened { discovery, mirrors, .. } = sources
        .open(&SystemEnvironment, &ports, |settings, outbound| {
            Credentials::new(clusters, settings, outbound, &ports)
        })
        .await
        .map_err(|failure| failure.hint(format!("set {DATA_DIR} to a directory of its own")))?;
    let monitor = Monitor::default();
    process.ready_with(Vital { monitor: monitor.clone(), mirrors });
    svc_controller::run(client, ports, settings, Arc::new(discovery), monitor).await;
    Ok(())
}

/// What a controller tells about itself.
pub(crate) struct Vital {
    pub(crate) monitor: Monitor,
    pub(crate) mirrors: Store,
}

impl Probe for Vital {
    fn name(&self) -> &'static str {
        Component::Controller.label()
    }

    fn unready(&self) -> Option<String> {
        self.monitor.unready().map(str::to_owned)
    }

    fn stuck(&self) -> Option<String> {
        let waited = self.monitor.stalled(STALL_LIMIT)?;
        Some(format!("a key waits for {} s without progress", waited.as_secs()))
    }

    fn metrics(&self) -> Vec<Family> {
        let mut families = self.monitor.metrics();
        families.extend(mirrors::families(&self.mirrors.usage()));
        families
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> FixedEnvironment {
        variables.iter().copied().collect()
    }

    #[test]
    fn the_directory_is_asked_for_where_there_is_no_home() {
        let place = |variables: &[_]| directory(&environment(variables));
        assert_eq!(place(&[("KARGO_DATA_DIR", "/d"), ("HOME", "/h")]), Ok("/d".into()));
        assert_eq!(place(&[("HOME", "/h")]), Ok("/h/.cache/kargo/controller".into()));
        insta::assert_snapshot!(place(&[]).unwrap_err(), @"KARGO_DATA_DIR: must be set to a directory for mirrors of repositories");
    }

    #[test]
    fn a_controller_without_credentials_does_not_start() {
        let read = |variables: &[_]| {
            let environment = environment(variables);
            discovery::Settings::from_environment(&environment, "/d".as_ref()).unwrap()
        };
        assert!(check(&read(&[(PROVIDERS, "true")])).is_ok());
        insta::assert_snapshot!(check(&read(&[])).unwrap_err(), @"CREDENTIAL_PROVIDERS_ENABLED: must be set to true");
    }
}
