//! The services we know, and how their hosts are recognised.

use std::fmt;

use core_pattern::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Git hosting service.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    Azure,
    Bitbucket,
    Gitea,
    Github,
    Gitlab,
}

impl Provider {
    /// All of them, in the order in which they are asked whether a host is theirs.
    pub const ALL: [Self; 5] =
        [Self::Github, Self::Gitlab, Self::Gitea, Self::Bitbucket, Self::Azure];

    /// The provider whose hosts look like the one of this address. An address without a scheme, such as
    /// `git@host:path`, has none.
    pub fn of_url(url: &str) -> Option<Self> {
        let host = host_of(url)?;
        Self::ALL.into_iter().find(|provider| provider.claims(&host))
    }

    /// The provider of this name, as in configurations.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.name() == name)
    }

    /// The name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Azure => "azure",
            Self::Bitbucket => "bitbucket",
            Self::Gitea => "gitea",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
        }
    }

    /// Whether `host`, with its port, is one of this provider's.
    fn claims(self, host: &str) -> bool {
        match self {
            Self::Github => host.contains("github") || host.ends_with(".ghe.com"),
            Self::Gitlab => host.contains("gitlab"),
            Self::Gitea => host.contains("gitea"),
            Self::Bitbucket => without_port(host) == "bitbucket.org",
            Self::Azure => host == "dev.azure.com" || host.ends_with("visualstudio.com"),
        }
    }
}

/// The name that people know it by.
impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Azure => "Azure DevOps",
            Self::Bitbucket => "Bitbucket",
            Self::Gitea => "Gitea",
            Self::Github => "GitHub",
            Self::Gitlab => "GitLab",
        })
    }
}

/// The host of an absolute address, in lower case and with its port.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let uri = Uri::parse(url).ok()?;
    Some(uri.host().to_ascii_lowercase()).filter(|host| !host.is_empty())
}

pub(crate) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_host_that_two_providers_claim_always_goes_to_the_first() {
        assert_eq!(Provider::of_url("https://github.gitlab.io/acme/app"), Some(Provider::Github));
    }

    #[test]
    fn letter_case_of_a_host_does_not_matter() {
        assert_eq!(Provider::of_url("https://GitHub.com/Acme/App"), Some(Provider::Github));
    }

    #[test]
    fn names_are_those_of_configurations() {
        for provider in Provider::ALL {
            assert_eq!(Provider::from_name(provider.name()), Some(provider));
            assert_eq!(serde_json::to_value(provider).unwrap(), provider.name());
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_provider_or_none(url in ".*") {
            let _ = Provider::of_url(&url);
        }
    }
}
