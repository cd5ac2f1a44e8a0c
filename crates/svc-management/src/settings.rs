//! What the management controller is told by its environment.

use core_clock::Environment;

/// Settings of the management controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The namespace of the installation (`KARGO_NAMESPACE`).
    pub kargo_namespace: String,
    /// Where Secrets of the ClusterConfig are (`SYSTEM_RESOURCES_NAMESPACE`).
    pub system_resources_namespace: String,
    /// Where shared Secrets and ConfigMaps are (`SHARED_RESOURCES_NAMESPACE`).
    pub shared_resources_namespace: String,
    /// Where receivers are reached from outside (`EXTERNAL_WEBHOOK_SERVER_BASE_URL`).
    pub external_webhook_server_base_url: String,
    /// Who sees to it that controllers can read Secrets of Projects.
    pub controller_grants: ControllerGrants,
    /// How many objects are worked on at once.
    pub concurrency: Concurrency,
}

/// Who sees to it that controllers can read Secrets of Projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerGrants {
    /// Nobody here (`MANAGE_CONTROLLER_ROLE_BINDINGS=false`): they can read all Secrets.
    Unmanaged,
    /// Each controller gets every Project.
    EveryProject,
    /// A controller whose ServiceAccount names its shard gets the Projects with objects of that
    /// shard (`CONTROLLER_ROLE_BINDINGS_PER_SHARD=true`).
    PerShard,
}

/// How many objects of a kind are worked on at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concurrency {
    /// Projects.
    pub projects: usize,
    /// ProjectConfigs.
    pub project_configs: usize,
    /// Namespaces.
    pub namespaces: usize,
    /// ServiceAccounts.
    pub service_accounts: usize,
}

/// A variable has a value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {problem}")]
pub struct SettingError {
    /// The variable.
    pub variable: &'static str,
    /// What is wrong with its value.
    pub problem: String,
}

impl Settings {
    /// Reads the settings. Empty values count as absent.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let text = |name, default: &str| get(environment, name).unwrap_or_else(|| default.into());
        let workers = |name| read_count(environment, name);
        Ok(Self {
            kargo_namespace: text("KARGO_NAMESPACE", "kargo"),
            system_resources_namespace: text(
                "SYSTEM_RESOURCES_NAMESPACE",
                "kargo-system-resources",
            ),
            shared_resources_namespace: text(
                "SHARED_RESOURCES_NAMESPACE",
                "kargo-shared-resources",
            ),
            external_webhook_server_base_url: read_base_url(environment)?,
            controller_grants: read_grants(environment)?,
            concurrency: Concurrency {
                projects: workers("MAX_CONCURRENT_PROJECT_RECONCILES")?,
                project_configs: workers("MAX_CONCURRENT_PROJECT_CONFIG_RECONCILES")?,
                namespaces: workers("MAX_CONCURRENT_NAMESPACE_RECONCILES")?,
                service_accounts: workers("MAX_CONCURRENT_SERVICE_ACCOUNT_RECONCILES")?,
            },
        })
    }
}

const DEFAULT_WORKERS: usize = 4;
/// More would only queue up at the API server.
const MAX_WORKERS: usize = 256;

fn get(environment: &dyn Environment, name: &str) -> Option<String> {
    environment.var(name).filter(|value| !value.is_empty())
}

fn read_base_url(environment: &dyn Environment) -> Result<String, SettingError> {
    const NAME: &str = "EXTERNAL_WEBHOOK_SERVER_BASE_URL";
    let fail = |problem: &str| SettingError { variable: NAME, problem: problem.into() };
    let url = get(environment, NAME).ok_or_else(|| fail("must be set"))?;
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if is_web { Ok(url) } else { Err(fail(&format!("{url:?} is not an http or https URL"))) }
}

fn read_grants(environment: &dyn Environment) -> Result<ControllerGrants, SettingError> {
    let is_managed = read_flag(environment, "MANAGE_CONTROLLER_ROLE_BINDINGS", true)?;
    let is_per_shard = read_flag(environment, "CONTROLLER_ROLE_BINDINGS_PER_SHARD", false)?;
    Ok(match (is_managed, is_per_shard) {
        (false, _) => ControllerGrants::Unmanaged,
        (true, false) => ControllerGrants::EveryProject,
        (true, true) => ControllerGrants::PerShard,
    })
}

/// Reads a flag in any of the spellings that Go's `ParseBool` takes.
fn read_flag(
    environment: &dyn Environment,
    variable: &'static str,
    default: bool,
) -> Result<bool, SettingError> {
    let Some(value) = get(environment, variable) else { return Ok(default) };
    match value.as_str() {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(SettingError { variable, problem: format!("{value:?} is not true or false") }),
    }
}

fn read_count(
    environment: &dyn Environment,
    variable: &'static str,
) -> Result<usize, SettingError> {
    let Some(value) = get(environment, variable) else { return Ok(DEFAULT_WORKERS) };
    let count = value.parse().ok().filter(|count| (1..=MAX_WORKERS).contains(count));
    let problem = || format!("{value:?} is not a number from 1 to {MAX_WORKERS}");
    count.ok_or_else(|| SettingError { variable, problem: problem() })
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    const URL: (&str, &str) = ("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "https://hooks.example.com");

    fn read(vars: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let vars: FixedEnvironment = vars.iter().copied().collect();
        Settings::from_environment(&vars)
    }

    #[test]
    fn all_but_the_address_has_a_default() {
        let settings = read(&[URL, ("KARGO_NAMESPACE", "")]).unwrap();
        assert_eq!(settings.kargo_namespace, "kargo");
        assert_eq!(settings.system_resources_namespace, "kargo-system-resources");
        assert_eq!(settings.shared_resources_namespace, "kargo-shared-resources");
        assert_eq!(settings.controller_grants, ControllerGrants::EveryProject);
        assert_eq!(settings.concurrency.projects, 4);
    }

    #[test]
    fn bad_values_are_refused_by_the_name_of_their_variable() {
        let table = [
            (vec![], "EXTERNAL_WEBHOOK_SERVER_BASE_URL: must be set"),
            (
                vec![("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "hooks")],
                "EXTERNAL_WEBHOOK_SERVER_BASE_URL: \"hooks\" is not an http or https URL",
            ),
            (
                vec![URL, ("MANAGE_CONTROLLER_ROLE_BINDINGS", "maybe")],
                "MANAGE_CONTROLLER_ROLE_BINDINGS: \"maybe\" is not true or false",
            ),
            (
                vec![URL, ("MAX_CONCURRENT_PROJECT_RECONCILES", "0")],
                "MAX_CONCURRENT_PROJECT_RECONCILES: \"0\" is not a number from 1 to 256",
            ),
        ];
        for (vars, expected) in table {
            assert_eq!(read(&vars).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn grants_are_unmanaged_for_everybody_or_by_shard() {
        let grants = |vars: &[(&str, &str)]| {
            let vars = [&[URL], vars].concat();
            read(&vars).unwrap().controller_grants
        };
        let off = ("MANAGE_CONTROLLER_ROLE_BINDINGS", "false");
        let per_shard = ("CONTROLLER_ROLE_BINDINGS_PER_SHARD", "1");
        assert_eq!(grants(&[off]), ControllerGrants::Unmanaged);
        assert_eq!(grants(&[off, per_shard]), ControllerGrants::Unmanaged);
        assert_eq!(grants(&[per_shard]), ControllerGrants::PerShard);
    }
}
