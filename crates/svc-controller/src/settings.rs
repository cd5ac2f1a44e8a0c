//! What a controller is told by its environment.

use std::time::Duration;

use core_clock::{Environment, SettingError, Variables};
use core_rules::shard::Shard;

const DEFAULT_WORKERS: usize = 4;
/// More would only queue up at the API server.
const MAX_WORKERS: usize = 256;

/// Settings of a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which objects are ours (`SHARD_NAME`, `IS_DEFAULT_CONTROLLER`).
    pub shard: Shard,
    /// How many Warehouses are decided about at once; searches wait for nobody
    /// (`MAX_CONCURRENT_WAREHOUSE_RECONCILES`).
    pub warehouse_workers: usize,
    /// No Warehouse is searched for more often (`MIN_WAREHOUSE_RECONCILIATION_INTERVAL`).
    pub min_warehouse_interval: Duration,
}

impl Settings {
    /// Reads the settings. Empty values count as absent.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let is_default = variables.flag("IS_DEFAULT_CONTROLLER", false)?;
        Ok(Self {
            shard: Shard::new(variables.text("SHARD_NAME").unwrap_or_default(), is_default),
            warehouse_workers: variables.count(
                "MAX_CONCURRENT_WAREHOUSE_RECONCILES",
                1..=MAX_WORKERS,
                DEFAULT_WORKERS,
            )?,
            min_warehouse_interval: variables
                .duration("MIN_WAREHOUSE_RECONCILIATION_INTERVAL", Duration::ZERO)?,
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
        let settings = read(&[]).unwrap();
        assert_eq!(settings.shard, Shard::new("", true));
        assert_eq!(settings.warehouse_workers, 4);
        assert_eq!(settings.min_warehouse_interval, Duration::ZERO);
    }

    #[test]
    fn bad_values_are_refused_by_the_name_of_their_variable() {
        let lines = [
            ("IS_DEFAULT_CONTROLLER", "maybe"),
            ("MAX_CONCURRENT_WAREHOUSE_RECONCILES", "0"),
            ("MIN_WAREHOUSE_RECONCILIATION_INTERVAL", "5"),
        ]
        .map(|variable| read(&[variable]).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        IS_DEFAULT_CONTROLLER: "maybe" is not true or false
        MAX_CONCURRENT_WAREHOUSE_RECONCILES: "0" is not a number from 1 to 256
        MIN_WAREHOUSE_RECONCILIATION_INTERVAL: "5" is not a duration such as 90s or 1h30m
        "#);
    }
}
