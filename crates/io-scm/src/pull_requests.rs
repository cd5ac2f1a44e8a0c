//! Pull requests of a repository, whoever hosts it.
//!
//! A pull request is found again by its branches, so that one that was opened before a crash is taken on and not
//! opened twice. An open one follows its branch by itself; a merged one counts only if it merged the very commit
//! that is asked about.

use crate::{
    azure::Azure,
    bitbucket::Bitbucket,
    connection::{Access, Connection},
    error::Error,
    gitea::Gitea,
    github::Github,
    gitlab::Gitlab,
    provider::Provider,
    pull_request::{
        Branches, Candidate, Listed, Merge, NewPullRequest, Page, PullRequest, State,
        is_same_commit,
    },
};

/// The most pages of a list that are read. What was decided long ago is not looked for.
const MAX_PAGES_OPEN: u32 = 50;
const MAX_PAGES_DECIDED: u32 = 10;

/// What a provider's module does. Errors of the provider are told as they are.
pub(crate) trait Service: Send + Sync {
    /// One page of the pull requests between two branches, newest first; others may be among them.
    fn list(
        &self,
        listed: Listed,
        branches: &Branches,
        page: u32,
    ) -> impl Future<Output = Result<Page<Candidate>, Error>> + Send;

    /// Opens a pull request, with its labels.
    fn create(
        &self,
        new: &NewPullRequest,
    ) -> impl Future<Output = Result<PullRequest, Error>> + Send;

    /// Adds labels to a pull request; those it has already stay.
    fn label(
        &self,
        number: u64,
        labels: &[String],
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Reads a pull request.
    fn get(&self, number: u64) -> impl Future<Output = Result<PullRequest, Error>> + Send;

    /// Merges a pull request if it can be merged now.
    fn merge(
        &self,
        number: u64,
        method: Option<&str>,
    ) -> impl Future<Output = Result<Merge, Error>> + Send;
}

/// The pull requests of one repository.
pub struct PullRequests(Hosted);

enum Hosted {
    Azure(Azure),
    Bitbucket(Bitbucket),
    Gitea(Gitea),
    Github(Github),
    Gitlab(Gitlab),
}

/// Runs the same expression for whichever service it is.
macro_rules! with_service {
    ($hosted:expr, $service:ident => $result:expr) => {
        match $hosted {
            Hosted::Azure($service) => $result,
            Hosted::Bitbucket($service) => $result,
            Hosted::Gitea($service) => $result,
            Hosted::Github($service) => $result,
            Hosted::Gitlab($service) => $result,
        }
    };
}

impl PullRequests {
    /// Finds out who hosts the repository, and how to speak to them. Nothing is sent yet.
    pub fn connect(access: Access<'_>) -> Result<Self, Error> {
        let Connection { provider, repository, api } = access.connect()?;
        let place = repository.place;
        Ok(Self(match provider {
            Provider::Azure => Hosted::Azure(Azure::new(api, &place)),
            Provider::Bitbucket => Hosted::Bitbucket(Bitbucket::new(api, &place)),
            Provider::Gitea => Hosted::Gitea(Gitea::new(api, &place)),
            Provider::Github => Hosted::Github(Github::new(api, &place)),
            Provider::Gitlab => Hosted::Gitlab(Gitlab::new(api, &place)),
        }))
    }

    /// The open pull request between two branches, or else the newest one that merged the commit `head`.
    pub async fn find(
        &self,
        branches: &Branches,
        head: &str,
    ) -> Result<Option<PullRequest>, Error> {
        with_service!(&self.0, service => find(service, branches, head).await)
    }

    /// Opens a pull request. When the provider refuses because there is one already, that one is taken on.
    pub async fn open(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        with_service!(&self.0, service => open(service, new).await)
    }

    /// Adds labels to a pull request. Bitbucket has none.
    pub async fn label(&self, number: u64, labels: &[String]) -> Result<(), Error> {
        if labels.is_empty() {
            return Ok(());
        }
        with_service!(&self.0, service => service.label(number, labels).await)
    }

    /// Reads a pull request.
    pub async fn get(&self, number: u64) -> Result<PullRequest, Error> {
        with_service!(&self.0, service => service.get(number).await)
    }

    /// Merges a pull request if it can be merged now. One that is merged already counts as done.
    pub async fn merge(&self, number: u64, method: Option<&str>) -> Result<Merge, Error> {
        with_service!(&self.0, service => service.merge(number, method).await)
    }
}

async fn find(
    service: &impl Service,
    branches: &Branches,
    head: &str,
) -> Result<Option<PullRequest>, Error> {
    if let Some(open) = find_open(service, branches).await? {
        return Ok(Some(open));
    }
    first(service, Listed::Decided, branches, |found| {
        found.state == State::Merged && is_same_commit(&found.head_commit, head)
    })
    .await
}

async fn find_open(
    service: &impl Service,
    branches: &Branches,
) -> Result<Option<PullRequest>, Error> {
    first(service, Listed::Open, branches, |found| found.state == State::Open).await
}

/// The newest pull request of the first page that has one.
async fn first(
    service: &impl Service,
    listed: Listed,
    branches: &Branches,
    is_wanted: impl Fn(&PullRequest) -> bool + Send,
) -> Result<Option<PullRequest>, Error> {
    let most = if listed == Listed::Open { MAX_PAGES_OPEN } else { MAX_PAGES_DECIDED };
    for page in 1..=most {
        let Page { items, has_more } = service.list(listed, branches, page).await?;
        let joining = items.into_iter().filter(|candidate| candidate.joins(branches));
        let wanted = joining.map(|candidate| candidate.pull_request).filter(&is_wanted);
        if let Some(newest) = wanted.max_by_key(|found| found.number) {
            return Ok(Some(newest));
        }
        if !has_more {
            break;
        }
    }
    Ok(None)
}

async fn open(service: &impl Service, new: &NewPullRequest) -> Result<PullRequest, Error> {
    let refused = match service.create(new).await {
        Err(error) if error.refusal().is_some() => error,
        result => return result,
    };
    // Providers refuse a second one in different words; whether there is a first is easily seen.
    match find_open(service, &new.branches).await? {
        Some(open) => {
            if !new.labels.is_empty() {
                service.label(open.number, &new.labels).await?;
            }
            Ok(open)
        }
        None => Err(refused),
    }
}
