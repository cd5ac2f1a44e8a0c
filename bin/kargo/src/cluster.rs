//! The way into a real cluster.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use core_clock::{Clock, Environment, SettingError, Variables};
use core_rules::access::Component;
use io_kube::{Rate, RequestCounter, Throttle, UserAgent};
use kube::{
    Client, Config,
    client::ClientBuilder,
    config::{KubeConfigOptions, Kubeconfig},
};
use tower::util::option_layer;

use crate::{
    exit::{Exit, Failure},
    version,
};

const DEFAULT_QUERIES_PER_SECOND: f64 = 50.0;
const DEFAULT_BURST: u32 = 300;

/// Which cluster, and how it is treated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// The kubeconfig; without one, the cluster that this process runs in.
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig, if not its current one.
    context: Option<String>,
    /// Whether a kubeconfig may leave open who the cluster is.
    allow_insecure: bool,
    /// How many requests are made; absent: as many as there are.
    rate: Option<Rate>,
}

impl Settings {
    /// Reads `KUBECONFIG`, `ALLOW_INSECURE_KUBECONFIG`, `KUBE_API_QPS` and `KUBE_API_BURST`.
    pub(crate) fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let per_second = variables.parsed(
            "KUBE_API_QPS",
            "a number, which below zero means no limit",
            |text| text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate != 0.0),
            DEFAULT_QUERIES_PER_SECOND,
        )?;
        let burst = variables.count("KUBE_API_BURST", 1.., DEFAULT_BURST)?;
        Ok(Self {
            kubeconfig: variables.path("KUBECONFIG"),
            context: None,
            allow_insecure: variables.flag("ALLOW_INSECURE_KUBECONFIG", false)?,
            rate: (per_second > 0.0).then_some(Rate { per_second, burst }),
        })
    }

    /// The same treatment for the cluster that a user names.
    pub(crate) fn of_kubeconfig(self, file: &Path, context: Option<String>) -> Self {
        Self { kubeconfig: Some(file.to_owned()), context, ..self }
    }
}

/// What a component calls itself: its ServiceAccount, so that the fields that it writes are its own on either engine.
pub(crate) fn agent(component: Component) -> UserAgent {
    UserAgent::new(component.service_account(), &version::number())
}

/// What a command calls itself.
pub(crate) fn command_agent() -> UserAgent {
    UserAgent::new("kargo", &version::number())
}

/// The cluster that this process runs in, when it works on another one.
pub(crate) fn local(environment: &dyn Environment) -> Result<Option<Client>, Failure> {
    if Variables::new(environment).path("KUBECONFIG").is_none() {
        return Ok(None);
    }
    let failed = |error: &dyn std::error::Error| {
        Failure::usage(format!("the cluster that this process runs in: {error}"))
    };
    let config = Config::incluster().map_err(|error| failed(&error))?;
    let builder = ClientBuilder::try_from(config).map_err(|error| failed(&error))?;
    Ok(Some(builder.with_layer(&agent(Component::Controller)).build()))
}

/// The cluster around this process: that of the control plane, unless a kubeconfig says that the latter is elsewhere.
pub(crate) fn around(
    environment: &dyn Environment,
    control_plane: &Client,
) -> Result<Option<Client>, Failure> {
    let variables = Variables::new(environment);
    if variables.path("KUBECONFIG").is_none() {
        return Ok(Some(control_plane.clone()));
    }
    match variables.text("KUBERNETES_SERVICE_HOST") {
        Some(_) => local(environment),
        None => Ok(None),
    }
}

/// The cluster that the settings name.
pub(crate) async fn config(settings: &Settings) -> Result<Config, Failure> {
    let Some(path) = &settings.kubeconfig else {
        return Config::incluster().map_err(|error| {
            Failure::usage(error)
                .hint("set KUBECONFIG to the kubeconfig of a cluster, or run inside one")
        });
    };
    let unusable =
        |error| Failure::usage(error).hint(format!("the kubeconfig is {}", path.display()));
    let kubeconfig = Kubeconfig::read_from(path).map_err(unusable)?;
    let options =
        KubeConfigOptions { context: settings.context.clone(), ..KubeConfigOptions::default() };
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(unusable)?;
    if config.accept_invalid_certs && !settings.allow_insecure {
        let insecure =
            "the kubeconfig does not check who the cluster is (insecure-skip-tls-verify)";
        return Err(Failure::usage(insecure).hint(
            "put the cluster's certificate-authority into it, or set ALLOW_INSECURE_KUBECONFIG=true",
        ));
    }
    Ok(config)
}

/// Where its API server is, as metrics name it.
pub(crate) fn host(config: &Config) -> String {
    config.cluster_url.authority().map(ToString::to_string).unwrap_or_default()
}

/// A client that says who it is, whose requests are counted and held to the rate of the settings.
pub(crate) fn client(
    config: Config,
    settings: &Settings,
    agent: &UserAgent,
    counter: RequestCounter,
    clock: Arc<dyn Clock>,
) -> Result<Client, Failure> {
    let throttle = settings.rate.map(|rate| Throttle::new(rate, clock));
    let builder =
        ClientBuilder::try_from(config).map_err(|error| Failure::new(Exit::Error, error))?;
    Ok(builder.with_layer(agent).with_layer(&counter).with_layer(&option_layer(throttle)).build())
}
