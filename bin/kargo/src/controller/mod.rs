//! `kargo controller`: Warehouses, Stages and Promotions of one shard.

mod lead;
mod mirrors;
mod replica;
mod vital;
mod workshop;

pub(crate) use self::{
    lead::{Candidate, Work},
    replica::{Replica, host},
    vital::Vital,
    workshop::{Settings, Workshop},
};

use std::{path::PathBuf, sync::Arc};

use core_clock::{Environment, SettingError, Variables};
use core_rules::access::Component;
use io_creds::Clusters;
use io_runtime::SystemEnvironment;

use crate::{
    cluster,
    component::{self, Process},
    discovery::{self, cache_directory},
    exit::Failure,
};

const DATA_DIR: &str = "KARGO_DATA_DIR";
const PROVIDERS: &str = "CREDENTIAL_PROVIDERS_ENABLED";

pub(crate) fn run() -> Result<(), Failure> {
    let environment = &SystemEnvironment;
    let directory = directory(environment).map_err(Failure::usage)?;
    let settings = Settings::from_environment(environment, &directory)?;
    check(&settings.sources).map_err(Failure::usage)?;
    let candidate = Candidate::from_environment(environment).map_err(Failure::usage)?;
    component::run(Component::Controller, |process| control(process, settings, candidate))
}

/// Where mirrors, caches and work directories are: `KARGO_DATA_DIR`, else `controller` below the user's cache.
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
    candidate: Candidate,
) -> Result<(), Failure> {
    let (client, ports) = (process.client().await?, process.ports());
    let local = if settings.sources.credentials.local_cluster_fallback {
        cluster::local(&SystemEnvironment)?
    } else {
        None
    };
    let around = cluster::around(&SystemEnvironment, &client)?;
    let argocd = settings.argocd.connect(around, &ports).await?;
    let directory = settings.directory.clone();
    let clusters = Clusters { control_plane: client, local };
    let workshop = settings
        .open(clusters, argocd, &ports)
        .await
        .map_err(|failure| failure.hint(format!("set {DATA_DIR} to a directory of its own")))?;
    // The mirrors are open, so that no other process uses the directory, nor the name that is kept in it.
    let replica = Replica::of_directory(&directory, &*ports.entropy)?;
    let vital = Vital::new(workshop.mirrors().clone());
    process.ready_with(vital.clone());
    let work = Work { workshop: Arc::new(workshop), vital, ports, tasks: process.tasks() };
    work.as_candidate(&candidate, &replica).await
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
