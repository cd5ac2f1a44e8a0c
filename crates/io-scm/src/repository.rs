//! What each provider calls a repository, read from its address.

use std::fmt;

use crate::{Provider, address::Address, error::Error, provider::without_port};

/// A repository at a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Host, with its port where the provider may listen on any.
    pub host: String,
    /// Which of the host's repositories.
    pub place: Place,
}

/// What a provider calls a repository. Letter case is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// GitHub, Gitea; at Bitbucket the owner is a workspace.
    Owned { owner: String, name: String },
    /// A path of any depth: GitLab.
    Nested { path: String },
    /// Azure DevOps.
    InProject { organization: String, project: String, name: String },
}

impl Repository {
    /// Reads an address as one of `provider`'s.
    pub fn parse(provider: Provider, url: &str) -> Result<Self, Error> {
        Self::read(provider, url, false)
    }

    /// The same for a host of which somebody said that it is this provider's, whatever it is called.
    pub(crate) fn parse_known(provider: Provider, url: &str) -> Result<Self, Error> {
        Self::read(provider, url, true)
    }

    fn read(provider: Provider, url: &str, is_known_host: bool) -> Result<Self, Error> {
        let wrong = |expected| Error::Address { provider, url: Address::shown(url), expected };
        let address = Address::parse(url).ok_or_else(|| wrong("it cannot be read"))?;
        let place = match provider {
            Provider::Github | Provider::Gitea | Provider::Bitbucket => {
                owned(&address).ok_or_else(|| wrong("its path must be OWNER/REPOSITORY"))?
            }
            Provider::Gitlab => Place::Nested { path: address.name().to_owned() },
            Provider::Azure => in_project(&address, is_known_host)
                .ok_or_else(|| wrong("its path must be ORGANIZATION/PROJECT/_git/REPOSITORY"))?,
        };
        let host = match provider {
            // These two are reached at one place, whatever port the address has.
            Provider::Bitbucket | Provider::Azure => without_port(&address.host).to_owned(),
            _ => address.host,
        };
        Ok(Self { scheme: address.scheme, host, place })
    }
}

/// As people write it.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owned { owner, name } => write!(f, "{owner}/{name}"),
            Self::Nested { path } => f.write_str(path),
            Self::InProject { organization, project, name } => {
                write!(f, "{organization}/{project}/{name}")
            }
        }
    }
}

fn owned(address: &Address) -> Option<Place> {
    let (owner, name) = address.name().split_once('/')?;
    if !is_part(owner) || !is_part(name) {
        return None;
    }
    Some(Place::Owned { owner: owner.to_owned(), name: name.to_owned() })
}

/// `/organization/project/_git/repository` on today's host, `/project/_git/repository` on the older ones, which
/// carry the organization in their name.
fn in_project(address: &Address, is_known_host: bool) -> Option<Place> {
    let parts: Vec<&str> = address.path.split('/').collect();
    let (organization, project, name) = match *parts.as_slice() {
        ["", organization, project, _, name]
            if is_known_host || address.host == "dev.azure.com" =>
        {
            (organization, project, name)
        }
        ["", project, _, name] if address.host.ends_with("visualstudio.com") => {
            let host = address.host.as_str();
            (host.strip_suffix(".visualstudio.com").unwrap_or(host), project, name)
        }
        _ => return None,
    };
    if ![organization, project, name].into_iter().all(is_part) {
        return None;
    }
    Some(Place::InProject {
        organization: organization.to_owned(),
        project: project.to_owned(),
        name: name.to_owned(),
    })
}

/// Whether `text` can be one part of a path: the dots would lead out of it.
fn is_part(text: &str) -> bool {
    !text.is_empty() && !text.contains('/') && text != "." && text != ".."
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letter_case_is_kept() {
        let repository = Repository::parse(Provider::Github, "https://GitHub.com/Acme/App.git");
        let repository = repository.unwrap();
        assert_eq!(repository.host, "github.com");
        assert_eq!(repository.place.to_string(), "Acme/App");
    }

    #[test]
    fn a_host_that_is_said_to_be_azure_devops_needs_no_name_of_microsoft() {
        let url = "https://tfs.example.com/Main/Shop/_git/app";
        assert!(Repository::parse(Provider::Azure, url).is_err());
        let known = Repository::parse_known(Provider::Azure, url).unwrap();
        assert_eq!(known.place.to_string(), "Main/Shop/app");
    }

    #[test]
    fn a_path_never_leads_out_of_the_repository() {
        for url in ["https://github.com/../app", "https://github.com/acme/%2e%2e"] {
            assert!(Repository::parse(Provider::Github, url).is_err(), "{url}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_repository_or_an_error(url in ".*") {
            for provider in Provider::ALL {
                let _ = Repository::parse(provider, &url);
                let _ = Repository::parse_known(provider, &url);
            }
        }
    }
}
