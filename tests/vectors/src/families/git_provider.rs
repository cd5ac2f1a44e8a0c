//! `git-provider-detect` and `git-provider-parse`: whose host it is, what the repository is called there, and
//! where a commit is shown.

use io_scm::{Place, Provider, Repository, commit_url};
use serde_json::{Value, json};

use crate::{Answer, Case, Exception};

/// Upstream compares hosts as they are written.
pub(super) const HOSTS_IN_ANY_CASE: Exception = Exception {
    name: "hosts-in-any-case",
    reason: "names of hosts have no letter case",
    applies: |case| {
        let url = case.text("url");
        let lower = Provider::of_url(&url.to_lowercase());
        url != url.to_lowercase() && Provider::of_url(url) == lower
    },
};

/// Upstream writes the whole address in lower case before it reads it.
pub(super) const LETTER_CASE_KEPT: Exception = Exception {
    name: "letter-case-of-repositories",
    reason: "providers show and find a repository by its own name",
    applies: |case| {
        let ours = json!(answer(case).to_string().to_lowercase());
        ours == json!(case.member_or_null("want").to_string().to_lowercase())
    },
};

/// Upstream puts the decoded path into the link.
pub(super) const ENCODED_LINKS: Exception = Exception {
    name: "encoded-links",
    reason: "a link with a blank in it ends there",
    applies: |case| {
        let (ours, want) = (answer(case), case.member_or_null("want"));
        let link =
            |value: &Value| value.get("commitURL")?.as_str().map(|link| link.replace("%20", " "));
        ours.get("parse") == want.get("parse") && link(&ours) == link(&want)
    },
};

/// Upstream drops the organization, or the part of the path that the web has and SSH has not.
pub(super) const OLDER_AZURE_ADDRESSES: Exception = Exception {
    name: "older-azure-addresses",
    reason: "the link leads to the commit",
    applies: |case| {
        let url = case.text("url").to_lowercase();
        let is_older = url.contains(".visualstudio.com/") || url.contains("ssh.dev.azure.com");
        is_older && answer(case).get("parse") == case.member_or_null("want").get("parse")
    },
};

/// One of several providers that claim a host is right.
pub(super) fn run_detect(case: &Case<'_>) -> Answer {
    let wanted = case.texts("want");
    match Provider::of_url(case.text("url")).map(Provider::name) {
        Some(ours) if wanted.contains(&ours) => Answer::value(wanted),
        Some(ours) => Answer::value(vec![ours]),
        None => Answer::value(Vec::<Value>::new()),
    }
}

pub(super) fn run_parse(case: &Case<'_>) -> Answer {
    Answer::value(answer(case))
}

fn answer(case: &Case<'_>) -> Value {
    let url = case.text("url");
    let Some(provider) = Provider::from_name(case.text("provider")) else { return Value::Null };
    let link = commit_url(provider, url, case.text("sha"));
    json!({
        "commitURL": link.unwrap_or_else(|| "error".to_owned()),
        "parse": Repository::parse(provider, url)
            .map_or_else(|_| json!("error"), |repository| parts(provider, repository)),
    })
}

fn parts(provider: Provider, repository: Repository) -> Value {
    let Repository { scheme, host, place } = repository;
    match place {
        Place::Owned { owner, name } if provider == Provider::Bitbucket => {
            json!({ "host": host, "owner": owner, "repo": name })
        }
        Place::Owned { owner, name } => {
            json!({ "scheme": scheme, "host": host, "owner": owner, "repo": name })
        }
        Place::Nested { path } => json!({ "scheme": scheme, "host": host, "project": path }),
        Place::InProject { organization, project, name } => {
            json!({ "organization": organization, "project": project, "repo": name })
        }
    }
}
