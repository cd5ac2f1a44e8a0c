//! Where a provider shows a commit.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::{Provider, address::Address, repository::Repository};

/// What cannot stand in the path of a link.
const UNSAFE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'(')
    .add(b')');

/// The page of a commit, as a link; `None` when the address is not one of the provider's.
pub fn commit_url(provider: Provider, repo_url: &str, commit: &str) -> Option<String> {
    let address = Address::parse(repo_url)?;
    let (host, path) = (&address.host, &address.path);
    let page = match provider {
        Provider::Github => {
            let repository = Repository::parse(provider, repo_url).ok()?;
            format!("{host}/{}/commit", repository.place)
        }
        Provider::Gitlab => format!("{host}{path}/-/commit"),
        Provider::Gitea => format!("{host}{path}/commit"),
        Provider::Bitbucket => format!("{host}{path}/commits"),
        Provider::Azure => format!("dev.azure.com{}/commit", azure_path(&address)),
    };
    Some(format!("https://{}/{commit}", utf8_percent_encode(&page, UNSAFE)))
}

/// The path on today's host, also for addresses of the older hosts and of SSH, which are laid out differently.
fn azure_path(address: &Address) -> String {
    let path = address.path.strip_prefix("/v3").unwrap_or(&address.path);
    let parts: Vec<&str> = path.split('/').collect();
    match *parts.as_slice() {
        ["", organization, project, name] if address.host == "ssh.dev.azure.com" => {
            format!("/{organization}/{project}/_git/{name}")
        }
        ["", project, "_git", name] => match address.host.strip_suffix(".visualstudio.com") {
            Some(organization) => format!("/{organization}/{project}/_git/{name}"),
            None => path.to_owned(),
        },
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_case_is_kept_and_blanks_are_encoded() {
        let show = |provider, url| commit_url(provider, url, "abc").unwrap();
        assert_eq!(
            show(Provider::Github, "git@github.com:Acme/App.git"),
            "https://github.com/Acme/App/commit/abc"
        );
        assert_eq!(
            show(Provider::Azure, "https://dev.azure.com/Acme/My%20Shop/_git/App"),
            "https://dev.azure.com/Acme/My%20Shop/_git/App/commit/abc"
        );
    }

    #[test]
    fn every_address_of_an_azure_repository_leads_to_the_same_page() {
        for url in [
            "https://dev.azure.com/acme/shop/_git/app",
            "https://acme.visualstudio.com/shop/_git/app",
            "git@ssh.dev.azure.com:v3/acme/shop/app",
        ] {
            assert_eq!(
                commit_url(Provider::Azure, url, "abc").as_deref(),
                Some("https://dev.azure.com/acme/shop/_git/app/commit/abc"),
                "{url}"
            );
        }
    }
}
