//! What an operator sets for steps, read from the environment.

use core_clock::{Environment, SettingError, Variables};
use io_git::PushIntegration;

use crate::port::Settings;

const POLICIES: [(&str, PushIntegration); 4] = [
    ("AlwaysRebase", PushIntegration::AlwaysRebase),
    ("RebaseOrMerge", PushIntegration::RebaseOrMerge),
    ("RebaseOrFail", PushIntegration::RebaseOrFail),
    ("AlwaysMerge", PushIntegration::AlwaysMerge),
];
const REVISIONS: usize = 10;
const ARTIFACT_BYTES: i64 = 1024 * 1024 * 1024;

impl Settings {
    /// `GIT_PUSH_INTEGRATION_POLICY`, `GITHUB_PUSH_MAX_REVISIONS`, `GITHUB_PUSH_VERIFY_UNTRUSTED_COMMITS`,
    /// what [`io_scm::Settings`] reads, and `MAX_OCI_PUSH_ARTIFACT_SIZE`, of which -1 is no limit and 0 forbids pushes to other repositories.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let policy = PushIntegration::default();
        let untrusted = "GITHUB_PUSH_VERIFY_UNTRUSTED_COMMITS";
        let artifact = variables.count("MAX_OCI_PUSH_ARTIFACT_SIZE", -1.., ARTIFACT_BYTES)?;
        Ok(Self {
            push_integration: variables.choice("GIT_PUSH_INTEGRATION_POLICY", &POLICIES, policy)?,
            github_push_max_revisions: variables.count(
                "GITHUB_PUSH_MAX_REVISIONS",
                1..,
                REVISIONS,
            )?,
            github_push_verify_untrusted: variables.flag(untrusted, false)?,
            scm: io_scm::Settings::from_environment(environment)?,
            oci_push_max_bytes: u64::try_from(artifact).ok(),
        })
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingError> {
        Settings::from_environment(&variables.iter().copied().collect::<FixedEnvironment>())
    }

    #[test]
    fn unset_variables_have_their_defaults() {
        let settings = read(&[]).unwrap();
        assert_eq!(settings.oci_push_max_bytes, Some(1 << 30));
        assert_eq!(settings.github_push_max_revisions, 10);
        assert_eq!(settings.push_integration, PushIntegration::AlwaysRebase);
    }

    #[test]
    fn limits_of_artifacts_may_be_off_or_nothing() {
        for (text, limit) in [("-1", None), ("0", Some(0)), ("5", Some(5))] {
            let settings = read(&[("MAX_OCI_PUSH_ARTIFACT_SIZE", text)]).unwrap();
            assert_eq!(settings.oci_push_max_bytes, limit);
        }
        assert!(read(&[("MAX_OCI_PUSH_ARTIFACT_SIZE", "-2")]).is_err());
        assert!(read(&[("GIT_PUSH_INTEGRATION_POLICY", "Sometimes")]).is_err());
    }
}
