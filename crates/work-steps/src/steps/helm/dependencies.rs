//! Fetching the charts that a chart depends on.

use std::{ffi::OsString, path::Path};

use io_exec::Output;

use super::{Chart, check_links, sources::Sources};
use crate::{
    Credentials, Network, Registries, StepCx, StepError,
    steps::render::{Files, Home},
};

/// Which versions are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// The newest that `Chart.yaml` allows; `Chart.lock` is written anew.
    Newest,
    /// Those in `Chart.lock`, or the newest when there is none.
    Locked,
}

/// What fetching needs beside a home.
pub(crate) struct Access {
    pub(crate) credentials: Credentials,
    pub(crate) registries: Registries,
    pub(crate) network: Network,
}

impl Fetch {
    fn verb(self) -> &'static str {
        match self {
            Self::Newest => "update",
            Self::Locked => "build",
        }
    }
}

/// Fetches what `chart` depends on into its `charts` directory.
pub(crate) async fn fetch(
    chart: &Chart,
    which: Fetch,
    home: &Home<'_>,
    Access { credentials, registries, network }: &Access,
    cx: &StepCx<'_>,
) -> Result<(), StepError> {
    check_links(chart, cx.files).await?;
    let sources = Sources::of(&chart.dependencies, credentials, &network.outbound, cx).await?;
    home.keep("repositories.yaml", sources.repositories().as_bytes())?;
    home.keep("registries.json", sources.logins().as_bytes())?;
    let is_plain = sources.speak_plain_http(registries, cx).await?;
    let directory = cx.files.path().join(&chart.path);
    let helm = home.require("helm")?;
    let verb = which.verb();
    let command = home
        .command(&format!("helm dependency {verb}"), &helm, Files::Write)
        .args(arguments(verb, is_plain, &directory));
    if let Err(error) = home.run(command, Output::Discard).await {
        return Err(sources.blame(registries, cx).await.unwrap_or(error));
    }
    Ok(cx.files.check_quota()?)
}

fn arguments(verb: &str, is_plain: bool, directory: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["dependency".into(), verb.into()];
    if is_plain {
        arguments.push("--plain-http".into());
    }
    arguments.extend(["--".into(), directory.into()]);
    arguments
}
