//! What the management controller is told by its environment.

use core_clock::{Environment, SettingError, Variables};

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

impl Settings {
    /// Reads the settings. Empty values count as absent.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let workers = |variable| variables.count(variable, 1..=MAX_WORKERS, DEFAULT_WORKERS);
        Ok(Self {
            kargo_namespace: variables.text_or("KARGO_NAMESPACE", "kargo"),
            system_resources_namespace: variables
                .text_or("SYSTEM_RESOURCES_NAMESPACE", "kargo-system-resources"),
            shared_resources_namespace: variables
                .text_or("SHARED_RESOURCES_NAMESPACE", "kargo-shared-resources"),
            external_webhook_server_base_url: base_url(variables)?,
            controller_grants: controller_grants(variables)?,
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

fn base_url(variables: Variables<'_>) -> Result<String, SettingError> {
    const NAME: &str = "EXTERNAL_WEBHOOK_SERVER_BASE_URL";
    const ACCEPTED: &str = "an http or https URL";
    let url = variables.required(NAME, ACCEPTED)?;
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if is_web { Ok(url) } else { Err(SettingError::refused(NAME, &url, ACCEPTED)) }
}

fn controller_grants(variables: Variables<'_>) -> Result<ControllerGrants, SettingError> {
    let is_managed = variables.flag("MANAGE_CONTROLLER_ROLE_BINDINGS", true)?;
    let is_per_shard = variables.flag("CONTROLLER_ROLE_BINDINGS_PER_SHARD", false)?;
    Ok(match (is_managed, is_per_shard) {
        (false, _) => ControllerGrants::Unmanaged,
        (true, false) => ControllerGrants::EveryProject,
        (true, true) => ControllerGrants::PerShard,
    })
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
        let lines = [
            vec![],
            vec![("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "hooks")],
            vec![URL, ("MANAGE_CONTROLLER_ROLE_BINDINGS", "maybe")],
            vec![URL, ("CONTROLLER_ROLE_BINDINGS_PER_SHARD", "no")],
            vec![URL, ("MAX_CONCURRENT_PROJECT_RECONCILES", "0")],
            vec![URL, ("MAX_CONCURRENT_SERVICE_ACCOUNT_RECONCILES", "257")],
        ]
        .map(|variables| read(&variables).unwrap_err().to_string());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        EXTERNAL_WEBHOOK_SERVER_BASE_URL: must be set to an http or https URL
        EXTERNAL_WEBHOOK_SERVER_BASE_URL: "hooks" is not an http or https URL
        MANAGE_CONTROLLER_ROLE_BINDINGS: "maybe" is not true or false
        CONTROLLER_ROLE_BINDINGS_PER_SHARD: "no" is not true or false
        MAX_CONCURRENT_PROJECT_RECONCILES: "0" is not a number from 1 to 256
        MAX_CONCURRENT_SERVICE_ACCOUNT_RECONCILES: "257" is not a number from 1 to 256
        "#);
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
