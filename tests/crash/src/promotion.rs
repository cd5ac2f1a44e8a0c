//! Kills in the middle of promotions: `kargo run --journal` goes on where it was, and does nothing twice.
//!
//! Each Promotion goes from a clone to a merged pull request on a host of its own. It is killed a few times, at random
//! moments and right where one step ends and the next begins, and then let through.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use core_clock::Entropy;
use dev_testkit::server::scm::{ScmServer, Service, Status, TOKEN};
use serde_json::Value;
use tokio::process::{Child, Command};

/// Most kills of one Promotion.
const KILLS: u64 = 6;
/// How long a run lives when it is killed at a random moment: it takes about as long.
const LIFE_MS: u64 = 1_000;
/// How long after the beginning of a step it is killed at most: the step has done little by then, or all it does.
const STEP_MS: u64 = 150;
/// What no run takes, even on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(2);
const TICK: Duration = Duration::from_millis(2);
const BRANCH: &str = "kargo/promotion/kill";

/// Kills `count` times; returns how many Promotions that took.
pub(crate) async fn run(count: u32, entropy: &dyn Entropy) -> Result<u32> {
    let (mut kills, mut promotions) = (0, 0);
    while kills < count {
        let most = (1 + entropy.below(KILLS)).min(u64::from(count - kills));
        let order = if promotions % 2 == 0 { Order::MergeFirst } else { Order::WaitFirst };
        let directory = tempfile::tempdir()?;
        let round = Round::prepare(directory.path(), order).await?;
        let killed = round.run(most, entropy).await;
        kills += killed.with_context(|| {
            format!("Promotion {} after {kills} kills, {order:?}", promotions + 1)
        })?;
        promotions += 1;
    }
    Ok(promotions)
}

/// Who merges: the Promotion itself, or somebody on the website while it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    MergeFirst,
    WaitFirst,
}

/// One Promotion and its host.
struct Round {
    host: Arc<ScmServer>,
    directory: PathBuf,
    order: Order,
}

impl Round {
    async fn prepare(directory: &Path, order: Order) -> Result<Self> {
        let host = ScmServer::start(Service::Github).await?;
        host.repository().commit("main", "base", &[("values.yaml", "image:\n  tag: v1\n")])?;
        std::fs::write(directory.join("promotion.yaml"), manifest(&host.repo_url(), order))?;
        Ok(Self { host: Arc::new(host), directory: directory.to_owned(), order })
    }

    /// Kills it up to `most` times and lets it end; returns how often it was killed.
    async fn run(&self, most: u64, entropy: &dyn Entropy) -> Result<u32> {
        let person = (self.order == Order::WaitFirst).then(|| self.person(entropy.below(400)));
        let mut killed = 0;
        for _ in 0..most {
            let mut child = self.start()?;
            let has_ended = self.await_moment(&mut child, entropy).await?;
            child.kill().await?;
            if has_ended {
                break;
            }
            killed += 1;
            if self.has_succeeded() {
                break;
            }
        }
        if !self.has_succeeded() {
            self.finish().await?;
        }
        if let Some(person) = person {
            person.abort();
        }
        self.check()?;
        Ok(killed)
    }

    fn start(&self) -> Result<Child> {
        let hosts = format!("{}=github={}", self.host.host(), self.host.api_url());
        let log =
            std::fs::File::options().create(true).append(true).open(self.directory.join("log"))?;
        let child = Command::new(dev_testkit::binary()?)
            .args([
                "run",
                "-f",
                "promotion.yaml",
                "--journal",
                "journal.json",
                "--cache-dir",
                "cache",
            ])
            .current_dir(&self.directory)
            .env("LOG_LEVEL", "error")
            .env("GIT_PROVIDER_HOSTS", hosts)
            .env("ALLOW_CREDENTIALS_OVER_HTTP", "true")
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        Ok(child)
    }

    /// Waits for the moment of a kill; whether the run ended before it.
    async fn await_moment(&self, child: &mut Child, entropy: &dyn Entropy) -> Result<bool> {
        if entropy.below(2) == 0 {
            let life = Duration::from_millis(entropy.below(LIFE_MS));
            tokio::select! {
                status = child.wait() => return self.ended(status?.code()),
                () = tokio::time::sleep(life) => return Ok(false),
            }
        }
        let step = self.current_step() + 1 + entropy.below(3);
        let deadline = Instant::now() + PATIENCE;
        while self.current_step() < step {
            if let Some(status) = child.try_wait()? {
                return self.ended(status.code());
            }
            ensure!(Instant::now() < deadline, "it does not get to step {step}: {}", self.log());
            tokio::time::sleep(TICK).await;
        }
        tokio::time::sleep(Duration::from_millis(entropy.below(STEP_MS))).await;
        Ok(false)
    }

    fn ended(&self, code: Option<i32>) -> Result<bool> {
        ensure!(code == Some(0), "it ended with {code:?}: {}", self.log());
        Ok(true)
    }

    async fn finish(&self) -> Result<()> {
        let mut child = self.start()?;
        match tokio::time::timeout(PATIENCE, child.wait()).await {
            Ok(status) => self.ended(status?.code()).map(drop),
            Err(_) => bail!("it does not end: {}", self.log()),
        }
    }

    /// A field of the journal; there is none before the first step.
    fn journal(&self, field: &str) -> Option<Value> {
        let text = std::fs::read(self.directory.join("journal.json")).ok()?;
        let mut journal: Value = serde_json::from_slice(&text).ok()?;
        journal.get_mut(field).map(Value::take)
    }

    fn has_succeeded(&self) -> bool {
        self.journal("phase").is_some_and(|phase| phase == "Succeeded")
    }

    fn current_step(&self) -> u64 {
        self.journal("currentStep").and_then(|step| step.as_u64()).unwrap_or_default()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }

    /// Somebody who merges a while after the pull request was opened.
    fn person(&self, after_ms: u64) -> tokio::task::JoinHandle<()> {
        let host = self.host.clone();
        tokio::spawn(async move {
            while host.pull_requests().is_empty() {
                tokio::time::sleep(TICK).await;
            }
            tokio::time::sleep(Duration::from_millis(after_ms)).await;
            // A second pull request would be noticed by the check.
            let _ = host.merge(1);
        })
    }

    /// One commit, one pull request, merged once.
    fn check(&self) -> Result<()> {
        let repository = self.host.repository();
        let requests = self.host.pull_requests();
        let statuses: Vec<Status> = requests.iter().map(|request| request.status).collect();
        ensure!(statuses == [Status::Merged], "pull requests: {requests:?}\n{}", self.log());
        let made = repository.git(&["rev-list", "--count", "main^1..main"])?;
        let graph = repository.git(&["log", "--all", "--graph", "--oneline"])?;
        ensure!(made == "2", "not one commit and its merge:\n{graph}\n{}", self.log());
        let all = repository.git(&["rev-list", "--count", "--all"])?;
        ensure!(all == "3", "there are more commits than needed:\n{graph}\n{}", self.log());
        let values = repository.git(&["show", "main:values.yaml"])?;
        ensure!(values.contains("v2"), "main has {values}");
        Ok(())
    }
}

fn manifest(url: &str, order: Order) -> String {
    let merge = pull_request_step("git-merge-pr", ", wait: true");
    let wait = pull_request_step("git-wait-for-pr", "");
    let last = match order {
        Order::MergeFirst => format!("{merge}{wait}"),
        Order::WaitFirst => format!("{wait}{merge}"),
    };
    format!(
        r#"apiVersion: kargo.akuity.io/v1alpha1
kind: Promotion
metadata: {{name: kill, namespace: shop}}
spec:
  stage: dev
  vars: [{{name: url, value: "{url}"}}]
  steps:
  - {{uses: git-clone, as: clone, config: {{repoURL: "${{{{ vars.url }}}}", checkout: [{{branch: main, path: repo}}]}}}}
  - {{uses: yaml-update, as: update, config: {{path: repo/values.yaml, updates: [{{key: image.tag, value: v2}}]}}}}
  - {{uses: git-commit, as: commit, config: {{path: repo, message: Use v2}}}}
  - {{uses: git-push, as: push, config: {{path: repo, targetBranch: {BRANCH}}}}}
  - {{uses: git-open-pr, as: open, config: {{repoURL: "${{{{ vars.url }}}}", sourceBranch: {BRANCH}, targetBranch: main}}}}
{last}---
apiVersion: v1
kind: Secret
metadata: {{name: host, namespace: shop, labels: {{kargo.akuity.io/cred-type: git}}}}
stringData: {{repoURL: "{url}", username: git, password: {TOKEN}}}
"#
    )
}

fn pull_request_step(kind: &str, more: &str) -> String {
    format!(
        "  - {{uses: {kind}, as: {kind}, config: {{repoURL: \"${{{{ vars.url }}}}\", \
         prNumber: \"${{{{ outputs.open.pr.id }}}}\", pollInterval: 200ms{more}}}}}\n"
    )
}
