//! Pull requests of Git hosting services, one module per provider.
//!
//! Which provider hosts a repository, what it calls the repository and where a commit is shown are pure
//! functions of its address ([`Provider`], [`Repository`], [`commit_url`]). [`PullRequests`] finds, opens, reads
//! and merges pull requests, and [`GithubCommits`] makes commits through GitHub's API, which signs them.
//!
//! Services are not trusted: answers are bounded in size, pages and time, nothing of them is believed without a
//! look, and a token goes to the one host it is for.

mod address;
mod api;
mod azure;
mod bitbucket;
mod commit_url;
mod connection;
mod decision;
mod error;
mod gitea;
mod github;
mod gitlab;
mod provider;
mod pull_request;
mod pull_requests;
mod repository;
mod retry_after;
mod settings;

pub use self::{
    commit_url::commit_url,
    connection::Access,
    error::{Cause, Error},
    github::commits::{
        Comparison, GithubCommits, NewCommit, RefUpdate, RemoteCommit, RemotePerson, Standing,
    },
    provider::Provider,
    pull_request::{Branches, Merge, NewPullRequest, PullRequest, State},
    pull_requests::PullRequests,
    repository::{Place, Repository},
    settings::{Host, Settings},
};
