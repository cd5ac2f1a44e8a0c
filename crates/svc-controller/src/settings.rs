//! What a controller is told by its environment.

use std::time::Duration;

use core_clock::{Environment, SettingError, Variables};
use core_rules::shard::Shard;

const DEFAULT_WORKERS: usize = 4;
/// More would only queue up at the API server.
const MAX_WORKERS: usize = 256;
const DEFAULT_RUNNING_PROMOTIONS: usize = 64;
/// Each has a directory, and most have a process.
const MAX_RUNNING_PROMOTIONS: usize = 10_000;
const DEFAULT_VERIFICATION_GRACE: Duration = Duration::from_mins(5);

/// Settings of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which objects are ours (`SHARD_NAME`, `IS_DEFAULT_CONTROLLER`).
    pub shard: Shard,
    /// How many objects of a kind are decided about at once.
    pub workers: Workers,
    /// No Warehouse is searched for more often (`MIN_WAREHOUSE_RECONCILIATION_INTERVAL`).
    pub min_warehouse_interval: Duration,
    /// How many Promotions run their steps at once (`MAX_RUNNING_PROMOTIONS`).
    pub max_running_promotions: usize,
    /// How verification is done.
    pub verification: Verification,
    /// Where Applications are whose namespace is not named (`ARGOCD_NAMESPACE`).
    pub argocd_namespace: String,
    /// Address of the user interface, for expressions; empty when there is none (`API_SERVER_BASE_URL`).
    pub ui_base_url: String,
}

/// How many objects of a kind are decided about at once. Searches and steps run beside that and occupy none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    /// `MAX_CONCURRENT_WAREHOUSE_RECONCILES`
    pub warehouses: usize,
    /// `MAX_CONCURRENT_STAGE_RECONCILES`
    pub stages: usize,
    /// `MAX_CONCURRENT_CONTROL_FLOW_RECONCILES`
    pub control_flow_stages: usize,
    /// `MAX_CONCURRENT_PROMOTION_RECONCILES`
    pub promotions: usize,
    /// `MAX_CONCURRENT_PROMOTION_REQUEST_RECONCILES`
    pub promotion_requests: usize,
}

/// How verification is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Whether AnalysisRuns may be used, if the cluster knows them (`ROLLOUTS_INTEGRATION_ENABLED`).
    pub rollouts_enabled: bool,
    /// Which controller of Argo Rollouts is to run them; empty for the unnamed one (`ROLLOUTS_CONTROLLER_INSTANCE_ID`).
    pub rollouts_instance_id: String,
    /// How long the next Promotion waits for a verification that does not begin because the Stage is not healthy yet
    /// (`VERIFICATION_GRACE_PERIOD`).
    pub grace: Duration,
    /// Whether Freight that fails when it is verified again is no longer verified (`REVERIFICATION_REVOKES`).
    pub revokes: bool,
}

impl Settings {
    /// Reads the settings. Empty values count as absent.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let is_default = variables.flag("IS_DEFAULT_CONTROLLER", false)?;
        Ok(Self {
            shard: Shard::new(variables.text("SHARD_NAME").unwrap_or_default(), is_default),
            workers: Workers::read(&variables)?,
            min_warehouse_interval: variables
                .duration("MIN_WAREHOUSE_RECONCILIATION_INTERVAL", Duration::ZERO)?,
            max_running_promotions: variables.count(
                "MAX_RUNNING_PROMOTIONS",
                1..=MAX_RUNNING_PROMOTIONS,
                DEFAULT_RUNNING_PROMOTIONS,
            )?,
            verification: Verification::read(&variables)?,
            argocd_namespace: variables.text_or("ARGOCD_NAMESPACE", "argocd"),
            ui_base_url: variables.text_or("API_SERVER_BASE_URL", ""),
        })
    }
}

impl Workers {
    fn read(variables: &Variables<'_>) -> Result<Self, SettingError> {
        let count = |variable| variables.count(variable, 1..=MAX_WORKERS, DEFAULT_WORKERS);
        Ok(Self {
            warehouses: count("MAX_CONCURRENT_WAREHOUSE_RECONCILES")?,
            stages: count("MAX_CONCURRENT_STAGE_RECONCILES")?,
            control_flow_stages: count("MAX_CONCURRENT_CONTROL_FLOW_RECONCILES")?,
            promotions: count("MAX_CONCURRENT_PROMOTION_RECONCILES")?,
            promotion_requests: count("MAX_CONCURRENT_PROMOTION_REQUEST_RECONCILES")?,
        })
    }
}

impl Verification {
    fn read(variables: &Variables<'_>) -> Result<Self, SettingError> {
        Ok(Self {
            rollouts_enabled: variables.flag("ROLLOUTS_INTEGRATION_ENABLED", false)?,
            rollouts_instance_id: variables.text_or("ROLLOUTS_CONTROLLER_INSTANCE_ID", ""),
            grace: variables.duration("VERIFICATION_GRACE_PERIOD", DEFAULT_VERIFICATION_GRACE)?,
            revokes: variables.flag("REVERIFICATION_REVOKES", true)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let vars: FixedEnvironment = vars.iter().copied().collect();
        Settings::from_environment(&vars)
    }

    #[test]
    fn everything_has_a_default() {
        insta::assert_debug_snapshot!(read(&[]).unwrap(), @r#"
        Settings {
            shard: Shard {
                name: "",
                default: true,
            },
            workers: Workers {
                warehouses: 4,
                stages: 4,
                control_flow_stages: 4,
                promotions: 4,
                promotion_requests: 4,
            },
            min_warehouse_interval: 0ns,
            max_running_promotions: 64,
            verification: Verification {
                rollouts_enabled: false,
                rollouts_instance_id: "",
                grace: 300s,
                revokes: true,
            },
            argocd_namespace: "argocd",
            ui_base_url: "",
        }
        "#);
    }

    #[test]
    fn bad_values_are_refused_by_the_name_of_their_variable() {
        let lines = [
            ("IS_DEFAULT_CONTROLLER", "maybe"),
            ("MAX_CONCURRENT_WAREHOUSE_RECONCILES", "0"),
            ("MAX_CONCURRENT_STAGE_RECONCILES", "many"),
            ("MAX_CONCURRENT_CONTROL_FLOW_RECONCILES", "-1"),
            ("MAX_CONCURRENT_PROMOTION_RECONCILES", "257"),
            ("MAX_CONCURRENT_PROMOTION_REQUEST_RECONCILES", "4.5"),
            ("MIN_WAREHOUSE_RECONCILIATION_INTERVAL", "5"),
            ("MAX_RUNNING_PROMOTIONS", "0"),
            ("ROLLOUTS_INTEGRATION_ENABLED", "on"),
            ("VERIFICATION_GRACE_PERIOD", "soon"),
            ("REVERIFICATION_REVOKES", "no way"),
        ]
        .map(|variable| read(&[variable]).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        IS_DEFAULT_CONTROLLER: "maybe" is not true or false
        MAX_CONCURRENT_WAREHOUSE_RECONCILES: "0" is not a number from 1 to 256
        MAX_CONCURRENT_STAGE_RECONCILES: "many" is not a number from 1 to 256
        MAX_CONCURRENT_CONTROL_FLOW_RECONCILES: "-1" is not a number from 1 to 256
        MAX_CONCURRENT_PROMOTION_RECONCILES: "257" is not a number from 1 to 256
        MAX_CONCURRENT_PROMOTION_REQUEST_RECONCILES: "4.5" is not a number from 1 to 256
        MIN_WAREHOUSE_RECONCILIATION_INTERVAL: "5" is not a duration such as 90s or 1h30m
        MAX_RUNNING_PROMOTIONS: "0" is not a number from 1 to 10000
        ROLLOUTS_INTEGRATION_ENABLED: "on" is not true or false
        VERIFICATION_GRACE_PERIOD: "soon" is not a duration such as 90s or 1h30m
        REVERIFICATION_REVOKES: "no way" is not true or false
        "#);
    }
}
