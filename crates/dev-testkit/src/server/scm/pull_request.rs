//! The life of pull requests, on a real repository.

use anyhow::{Context as _, Result, bail, ensure};

use super::GitRepository;

/// Whether a pull request is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Open,
    Merged,
    Closed,
}

/// A pull request.
#[derive(Clone, Debug)]
pub struct PullRequest {
    pub number: u64,
    pub title: String,
    pub description: String,
    pub source: String,
    pub target: String,
    pub labels: Vec<String>,
    pub status: Status,
    pub is_draft: bool,
    pub is_from_fork: bool,
    /// The service's own word for whether it can be merged; by default what git says.
    pub merge_state: Option<String>,
    /// The commit it proposes; follows its branch while it is open.
    pub head: String,
    /// What it became.
    pub merge_commit: Option<String>,
}

impl PullRequest {
    /// An open one between two branches.
    pub fn new(source: &str, target: &str) -> Self {
        Self {
            number: 0,
            title: format!("{source} into {target}"),
            description: String::new(),
            source: source.to_owned(),
            target: target.to_owned(),
            labels: Vec::new(),
            status: Status::Open,
            is_draft: false,
            is_from_fork: false,
            merge_state: None,
            head: String::new(),
            merge_commit: None,
        }
    }

    /// Adds labels that it does not have yet.
    pub(super) fn add_labels(&mut self, labels: impl IntoIterator<Item = String>) {
        for label in labels {
            if !self.labels.contains(&label) {
                self.labels.push(label);
            }
        }
    }

    /// When it was opened: later for higher numbers.
    pub(super) fn created_at(&self) -> String {
        format!("2026-01-{:02}T00:{:02}:00Z", 1 + self.number / 60 % 28, self.number % 60)
    }
}

/// The pull requests of a repository, oldest first.
#[derive(Default)]
pub(super) struct PullRequests {
    list: Vec<PullRequest>,
}

impl PullRequests {
    pub(super) fn all(&self) -> &[PullRequest] {
        &self.list
    }

    /// The one of this number, as a path has it.
    pub(super) fn get(&self, number: &str) -> Option<&PullRequest> {
        let number: u64 = number.parse().ok()?;
        self.list.iter().find(|found| found.number == number)
    }

    pub(super) fn find(&mut self, number: u64) -> Option<&mut PullRequest> {
        self.list.iter_mut().find(|found| found.number == number)
    }

    /// The open pull request between two branches.
    pub(super) fn open_between(&self, source: &str, target: &str) -> Option<&PullRequest> {
        self.list.iter().find(|found| {
            found.status == Status::Open
                && !found.is_from_fork
                && found.source == source
                && found.target == target
        })
    }

    pub(super) fn open(&mut self, repository: &GitRepository, new: PullRequest) -> Result<u64> {
        let number = self.list.len() as u64 + 1;
        let head = tip(repository, &new.source)?;
        self.list.push(PullRequest { number, head, ..new });
        Ok(number)
    }

    pub(super) fn close(&mut self, repository: &GitRepository, number: u64) -> Result<()> {
        self.follow(repository);
        self.find(number).context("no such pull request")?.status = Status::Closed;
        Ok(())
    }

    /// Lets the heads of open pull requests follow their branches.
    pub(super) fn follow(&mut self, repository: &GitRepository) {
        for open in self.list.iter_mut().filter(|found| found.status == Status::Open) {
            if let Ok(tip) = tip(repository, &open.source) {
                open.head = tip;
            }
        }
    }

    /// Merges by `merge`, `squash` or `fast-forward`, and returns what the target branch is at then.
    pub(super) fn merge(
        &mut self,
        repository: &GitRepository,
        number: u64,
        method: &str,
    ) -> Result<String> {
        self.follow(repository);
        let found = self.find(number).context("no such pull request")?;
        ensure!(found.status == Status::Open, "it is not open");
        let base = tip(repository, &found.target)?;
        let message = format!("Merge pull request #{number}\n\n{}", found.title);
        let commit = match method {
            "fast-forward" => {
                let is_ahead =
                    repository.git(&["merge-base", "--is-ancestor", &base, &found.head]).is_ok();
                ensure!(is_ahead, "it cannot be fast-forwarded");
                found.head.clone()
            }
            "squash" => {
                let tree = merged_tree(repository, &base, &found.head)?;
                repository.git(&["commit-tree", &tree, "-p", &base, "-m", &found.title])?
            }
            "merge" => {
                let tree = merged_tree(repository, &base, &found.head)?;
                let parents = ["-p", base.as_str(), "-p", found.head.as_str()];
                let arguments = [&["commit-tree", &tree], &parents[..], &["-m", &message]].concat();
                repository.git(&arguments)?
            }
            other => bail!("{other} is no method"),
        };
        repository.git(&["update-ref", &format!("refs/heads/{}", found.target), &commit, &base])?;
        found.status = Status::Merged;
        found.merge_commit = Some(commit.clone());
        Ok(commit)
    }
}

/// Whether git could merge it.
pub(super) fn has_conflict(repository: &GitRepository, found: &PullRequest) -> bool {
    let Ok(base) = tip(repository, &found.target) else { return false };
    merged_tree(repository, &base, &found.head).is_err()
}

/// The commit a branch is at.
pub(super) fn tip(repository: &GitRepository, branch: &str) -> Result<String> {
    repository.git(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")])
}

/// Whether two branches have the same history as far as the source goes.
pub(super) fn has_commits(repository: &GitRepository, source: &str, target: &str) -> bool {
    let range = format!("refs/heads/{target}..refs/heads/{source}");
    repository.git(&["rev-list", "--count", &range]).is_ok_and(|count| count != "0")
}

fn merged_tree(repository: &GitRepository, base: &str, head: &str) -> Result<String> {
    let printed = repository.git(&["merge-tree", "--write-tree", base, head])?;
    printed.lines().next().map(str::to_owned).context("git wrote no tree")
}
