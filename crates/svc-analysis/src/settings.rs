//! What the executor is told by its environment.

use core_clock::{Environment, SettingError, Variables};
use core_rules::access::Component;

const INSTANCE_ID: &str = "ANALYSIS_CONTROLLER_INSTANCE_ID";
const PROMETHEUS: &str = "ARGO_ROLLOUTS_PROMETHEUS_ADDRESS";
/// The longest value of a label.
const MAX_LABEL: usize = 63;

/// Settings of the executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whose runs are taken: those labeled with this id, or those without a label
    /// (`ANALYSIS_CONTROLLER_INSTANCE_ID`).
    pub instance_id: Option<String>,
    /// Where the Lease of replicas is (`KARGO_NAMESPACE`).
    pub namespace: String,
    /// How many runs are decided about at once (`MAX_CONCURRENT_ANALYSIS_RECONCILES`).
    pub workers: usize,
    /// How many measurements are taken at once (`MAX_CONCURRENT_MEASUREMENTS`).
    pub measurements: usize,
    /// Whether metrics may run programs of this machine (`ANALYSIS_COMMANDS_ENABLED`).
    pub commands: bool,
    /// The path that programs are looked for on (`PATH`).
    pub path: String,
    /// Where Prometheus is, for metrics that do not say (`ARGO_ROLLOUTS_PROMETHEUS_ADDRESS`).
    pub prometheus: Option<String>,
}

impl Settings {
    /// Reads the settings. Empty values count as absent. `commands` holds unless the environment
    /// says otherwise: who writes templates runs programs where we run.
    pub fn from_environment(
        environment: &dyn Environment,
        commands: bool,
    ) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        Ok(Self {
            instance_id: variables.parsed(
                INSTANCE_ID,
                "the value of a label",
                |text| is_label(text).then(|| Some(text.to_owned())),
                None,
            )?,
            namespace: variables.text_or("KARGO_NAMESPACE", "kargo"),
            workers: variables.count("MAX_CONCURRENT_ANALYSIS_RECONCILES", 1..=256, 4)?,
            measurements: variables.count("MAX_CONCURRENT_MEASUREMENTS", 1..=10_000, 64)?,
            commands: variables.flag("ANALYSIS_COMMANDS_ENABLED", commands)?,
            path: variables.text_or("PATH", "/usr/local/bin:/usr/bin:/bin"),
            prometheus: variables.text(PROMETHEUS),
        })
    }

    /// The Lease of the replicas: one for each id, because they do not share work.
    pub(crate) fn lease(&self) -> String {
        let name = Component::AnalysisController.service_account();
        match &self.instance_id {
            Some(id) => {
                core_rules::shorten::resource_name(&format!("{name}-{}", id.to_lowercase()))
            }
            None => name.to_owned(),
        }
    }
}

fn is_label(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= MAX_LABEL
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn read(vars: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let vars: FixedEnvironment = vars.iter().copied().collect();
        Settings::from_environment(&vars, false)
    }

    #[test]
    fn everything_has_a_default() {
        let settings = read(&[]).unwrap();
        assert_eq!((settings.instance_id.as_deref(), settings.commands), (None, false));
        assert_eq!((settings.workers, settings.measurements), (4, 64));
        assert_eq!(settings.lease(), "kargo-analysis-controller");
        let named = read(&[("ANALYSIS_CONTROLLER_INSTANCE_ID", "Team.a_b")]).unwrap();
        assert_eq!(named.instance_id.as_deref(), Some("Team.a_b"));
        assert!(read(&[("ANALYSIS_COMMANDS_ENABLED", "true")]).unwrap().commands);
    }

    #[test]
    fn bad_values_are_refused_by_the_name_of_their_variable() {
        let lines = [
            ("ANALYSIS_CONTROLLER_INSTANCE_ID", "-a"),
            ("MAX_CONCURRENT_ANALYSIS_RECONCILES", "0"),
            ("MAX_CONCURRENT_MEASUREMENTS", "many"),
            ("ANALYSIS_COMMANDS_ENABLED", "maybe"),
        ]
        .map(|variable| read(&[variable]).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        ANALYSIS_CONTROLLER_INSTANCE_ID: "-a" is not the value of a label
        MAX_CONCURRENT_ANALYSIS_RECONCILES: "0" is not a number from 1 to 256
        MAX_CONCURRENT_MEASUREMENTS: "many" is not a number from 1 to 10000
        ANALYSIS_COMMANDS_ENABLED: "maybe" is not true or false
        "#);
    }
}
