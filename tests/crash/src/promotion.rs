//! Kills in the middle of promotions: `kargo run --journal` goes on where it was, and does nothing twice.
//!
//! Each Promotion goes from a clone to a merged pull request on a host of its own. It is killed a few times, at random
//! moments and right where one step ends and the next begins, and then let through.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use core_clock::Entropy;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::{
    host::{Host, Order},
    moment::Moment,
};

/// Most kills of one Promotion.
const KILLS: u64 = 6;
/// What no run takes, even on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(2);
const TICK: Duration = Duration::from_millis(2);

/// Kills `count` times; returns how many Promotions that took.
pub(crate) async fn run(count: u32, entropy: &dyn Entropy) -> Result<u32> {
    let (mut kills, mut promotions) = (0, 0);
    while kills < count {
        let most = (1 + entropy.below(KILLS)).min(u64::from(count - kills));
        let order = Order::of(promotions);
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

/// One Promotion and its host.
struct Round {
    host: Host,
    directory: PathBuf,
}

impl Round {
    async fn prepare(directory: &Path, order: Order) -> Result<Self> {
        let host = Host::start(order).await?;
        std::fs::write(directory.join("promotion.yaml"), manifest(&host))?;
        Ok(Self { host, directory: directory.to_owned() })
    }

    /// Kills it up to `most` times and lets it end; returns how often it was killed.
    async fn run(&self, most: u64, entropy: &dyn Entropy) -> Result<u32> {
        let _person = self.host.person(entropy.below(400));
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
        self.host.check().with_context(|| self.log())?;
        Ok(killed)
    }

    fn start(&self) -> Result<Child> {
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
            .envs(self.host.environment())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        Ok(child)
    }

    /// Waits for the moment of a kill; whether the run ended before it.
    async fn await_moment(&self, child: &mut Child, entropy: &dyn Entropy) -> Result<bool> {
        let (number, delay) = match Moment::choose(self.current_step(), entropy) {
            Moment::After(life) => tokio::select! {
                status = child.wait() => return self.ended(status?.code()),
                () = tokio::time::sleep(life) => return Ok(false),
            },
            Moment::Step { number, delay } => (number, delay),
        };
        let deadline = Instant::now() + PATIENCE;
        while self.current_step() < number {
            if let Some(status) = child.try_wait()? {
                return self.ended(status.code());
            }
            ensure!(Instant::now() < deadline, "it does not get to step {number}: {}", self.log());
            tokio::time::sleep(TICK).await;
        }
        tokio::time::sleep(delay).await;
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
}

/// The Promotion, and the credential of its repository.
fn manifest(host: &Host) -> String {
    let promotion = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": {"name": "kill", "namespace": "shop"},
        "spec": {
            "stage": "dev",
            "vars": [{"name": "url", "value": host.url()}],
            "steps": host.order.steps(),
        },
    });
    let labels = json!({"kargo.akuity.io/cred-type": "git"});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "stringData": host.credential(),
        "metadata": {"name": "host", "namespace": "shop", "labels": labels},
    });
    format!("{promotion}\n---\n{secret}\n")
}
