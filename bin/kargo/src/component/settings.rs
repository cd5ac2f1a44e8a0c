//! What every component is told by its environment, whatever else it does.

use std::{num::NonZeroUsize, thread::available_parallelism};

use core_clock::{Environment, SettingError, Variables};
use core_rules::access::Component;
use io_http::BindAddress;

use crate::cluster;

const HEALTH_PORT: u16 = 8081;
/// More threads than any machine has use for.
const MAX_THREADS: usize = 1024;

/// Settings that all components share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Where health and metrics are served.
    pub(crate) doors: Doors,
    /// How many threads do the work.
    pub(crate) threads: NonZeroUsize,
    /// What the chart allows for memory; told at the start, nothing else.
    pub(crate) memory_limit: Option<String>,
    /// Whether profiles are asked for, which we do not have.
    pub(crate) profiles_asked: bool,
    /// The shard that a controller serves.
    pub(crate) shard: Option<String>,
    /// Whether a controller also serves what has no shard; absent for all others.
    pub(crate) is_default_controller: Option<bool>,
    /// The way into the cluster.
    pub(crate) cluster: cluster::Settings,
}

/// Where a process tells about itself; nowhere when absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doors {
    pub(crate) health: Option<BindAddress>,
    pub(crate) metrics: Option<BindAddress>,
}

impl Settings {
    /// Reads the variables; what is not set, or empty, has its default.
    pub(crate) fn from_environment(
        component: Component,
        environment: &dyn Environment,
    ) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let is_controller = component == Component::Controller;
        // Nobody probes a job that ends by itself.
        let is_lasting = component != Component::GarbageCollector;
        let health = is_lasting.then(|| BindAddress::everywhere(HEALTH_PORT));
        let default_controller =
            is_controller.then(|| variables.flag("IS_DEFAULT_CONTROLLER", false)).transpose()?;
        Ok(Self {
            doors: Doors::from_environment(environment, health)?,
            threads: threads(variables)?,
            memory_limit: variables.text("GOMEMLIMIT"),
            profiles_asked: variables.text("PPROF_BIND_ADDRESS").is_some(),
            shard: variables.text("SHARD_NAME").filter(|_| is_controller),
            is_default_controller: default_controller,
            cluster: cluster::Settings::from_environment(environment)?,
        })
    }
}

impl Doors {
    /// Reads `HEALTH_BIND_ADDRESS`, which has the default of the caller, and `METRICS_BIND_ADDRESS`, which has none.
    pub(crate) fn from_environment(
        environment: &dyn Environment,
        health: Option<BindAddress>,
    ) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let door = |variable, default| {
            let accepted = "an address such as :8081 or 127.0.0.1:8081, or 0 for none";
            let parse = |text: &str| match text {
                "0" => Some(None),
                address => BindAddress::parse(address).map(Some),
            };
            variables.parsed(variable, accepted, parse, default)
        };
        Ok(Self {
            health: door("HEALTH_BIND_ADDRESS", health)?,
            metrics: door("METRICS_BIND_ADDRESS", None)?,
        })
    }
}

/// `KARGO_WORKER_THREADS`, else what the chart derives from the limit of the container, else the machine's cores.
fn threads(variables: Variables<'_>) -> Result<NonZeroUsize, SettingError> {
    // A runtime of Go overlooks a value that it does not understand, and so do we.
    let of_chart = variables.text("GOMAXPROCS").and_then(|text| text.parse().ok());
    let of_machine = || available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let default: NonZeroUsize = of_chart.unwrap_or_else(of_machine);
    let most = NonZeroUsize::MIN.saturating_add(MAX_THREADS - 1);
    variables.count("KARGO_WORKER_THREADS", NonZeroUsize::MIN..=most, default.min(most))
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn read(component: Component, vars: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let environment: FixedEnvironment = vars.iter().copied().collect();
        Settings::from_environment(component, &environment)
    }

    #[test]
    fn what_lasts_is_probed_and_metrics_are_asked_for() {
        let doors = |component, vars: &[(&str, &str)]| {
            read(component, vars).map(|read| read.doors).unwrap()
        };
        let default = doors(Component::ManagementController, &[]);
        assert_eq!(default.health, Some(BindAddress::everywhere(8081)));
        assert_eq!(default.metrics, None);
        assert_eq!(doors(Component::GarbageCollector, &[]), Doors::default());
        let metrics = doors(Component::GarbageCollector, &[("METRICS_BIND_ADDRESS", ":8080")]);
        assert_eq!(metrics.metrics, Some(BindAddress::everywhere(8080)));
        let off = doors(Component::Controller, &[("HEALTH_BIND_ADDRESS", "0")]);
        assert_eq!(off, Doors::default());
    }

    #[test]
    fn the_limits_of_the_container_count_unless_told_otherwise() {
        let threads = |vars: &[(&str, &str)]| {
            read(Component::ManagementController, vars).unwrap().threads.get()
        };
        assert_eq!(threads(&[("GOMAXPROCS", "3")]), 3);
        assert_eq!(threads(&[("GOMAXPROCS", "3"), ("KARGO_WORKER_THREADS", "5")]), 5);
        assert!(threads(&[("GOMAXPROCS", "many")]) >= 1);
    }

    #[test]
    fn only_controllers_have_shards() {
        let vars = [("SHARD_NAME", "dev"), ("IS_DEFAULT_CONTROLLER", "true")];
        let controller = read(Component::Controller, &vars).unwrap();
        assert_eq!(controller.shard.as_deref(), Some("dev"));
        assert_eq!(controller.is_default_controller, Some(true));
        let other = read(Component::ManagementController, &vars).unwrap();
        assert_eq!((other.shard, other.is_default_controller), (None, None));
    }

    #[test]
    fn a_bad_value_is_told_in_one_line() {
        let lines = [
            ("HEALTH_BIND_ADDRESS", "8081"),
            ("METRICS_BIND_ADDRESS", "everywhere"),
            ("KARGO_WORKER_THREADS", "0"),
            ("KUBE_API_QPS", "fast"),
            ("KUBE_API_QPS", "NaN"),
            ("KUBE_API_BURST", "0"),
            ("ALLOW_INSECURE_KUBECONFIG", "perhaps"),
        ]
        .map(|variable| read(Component::Controller, &[variable]).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        HEALTH_BIND_ADDRESS: "8081" is not an address such as :8081 or 127.0.0.1:8081, or 0 for none
        METRICS_BIND_ADDRESS: "everywhere" is not an address such as :8081 or 127.0.0.1:8081, or 0 for none
        KARGO_WORKER_THREADS: "0" is not a number from 1 to 1024
        KUBE_API_QPS: "fast" is not a number, which below zero means no limit
        KUBE_API_QPS: "NaN" is not a number, which below zero means no limit
        KUBE_API_BURST: "0" is not a number, 1 or more
        ALLOW_INSECURE_KUBECONFIG: "perhaps" is not true or false
        "#);
    }
}
