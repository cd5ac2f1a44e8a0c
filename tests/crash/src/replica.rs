//! `kargo up --replica` is killed under load, and its data directory is thrown away: the next one is restored from the
//! replica.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use core_clock::Entropy;
use dev_testkit::{Client, Kargo, UpOptions, binary};
use serde_json::Value;
use tokio::process::Command;

use crate::{
    journal::Journal,
    load::{self, CONFIG_MAPS},
};

/// What was acknowledged so long before the kill must come back. A second is promised; the other is for a machine on
/// which the clients, the server and their disk are all busy, and for the way of an answer to the client.
const BOUND: Duration = Duration::from_secs(2);
/// How long a server lives at least: long enough that something is due.
const LIFE_MS: u64 = 2_500;
/// How much longer it lives at most.
const MORE_MS: u64 = 2_500;

/// Kills `count` times; tells how many writes were acknowledged in all, and what was lost of them.
pub(crate) async fn run(directory: &Path, count: u32, entropy: &dyn Entropy) -> Result<String> {
    let mut place = Place { directory: directory.to_owned(), oldest_lost: Duration::ZERO };
    let journal = Arc::new(Journal::default());
    let mut killed = Instant::now();
    for number in 0..count {
        let life = Duration::from_millis(LIFE_MS + entropy.below(MORE_MS));
        killed = place.life(number, &journal, killed, life).await.with_context(|| {
            format!("kill {} of {count}; everything is in {}", number + 1, directory.display())
        })?;
    }
    let (kargo, _) = place.start(count, &journal, killed).await?;
    ensure!(kargo.stop().await? == Some(0), "a clean stop exits with 0");
    let (acknowledged, age) = (journal.acknowledged(), place.oldest_lost.as_millis());
    Ok(format!(
        "{acknowledged} acknowledged writes, the oldest of those that were lost {age} ms old"
    ))
}

/// Where the data directories and the replica are.
struct Place {
    directory: PathBuf,
    /// How long before its kill the oldest write was acknowledged that did not come back.
    oldest_lost: Duration,
}

impl Place {
    fn data(&self, number: u32) -> PathBuf {
        self.directory.join(format!("data-{number}"))
    }

    fn replica(&self) -> String {
        format!("file://{}", self.directory.join("replica").display())
    }

    /// Starts, checks, loads, kills, throws the data away and restores; returns the moment of the kill.
    async fn life(
        &mut self,
        number: u32,
        journal: &Arc<Journal>,
        killed: Instant,
        life: Duration,
    ) -> Result<Instant> {
        let (kargo, client) = self.start(number, journal, killed).await?;
        let writers: Vec<_> = (0..load::WRITERS)
            .map(|writer| {
                let write = load::write(client.clone(), journal.clone(), writer, u64::from(number));
                tokio::spawn(write)
            })
            .collect();
        tokio::time::sleep(life).await;
        let killed = Instant::now();
        kargo.kill().await?;
        for writer in writers {
            writer.await?;
        }
        std::fs::remove_dir_all(self.data(number))?;
        self.restore(number + 1).await?;
        Ok(killed)
    }

    async fn start(
        &mut self,
        number: u32,
        journal: &Arc<Journal>,
        killed: Instant,
    ) -> Result<(Kargo, Client)> {
        let arguments = vec!["--replica".to_owned(), self.replica()];
        let options = UpOptions { arguments, ..UpOptions::default() };
        let kargo = Kargo::up(&self.data(number), &options).await?;
        let client = kargo.client()?;
        let list = client.get(&format!("{CONFIG_MAPS}?labelSelector=crash%3Dyes")).await?;
        let (shown, _) = load::shown(&list)?;
        let bound = killed.checked_sub(BOUND).unwrap_or(killed);
        let lost = journal.compare_replica(&shown, newest(&list.json()), bound)?;
        let age = lost.map(|at| killed.saturating_duration_since(at));
        self.oldest_lost = self.oldest_lost.max(age.unwrap_or_default());
        Ok((kargo, client))
    }

    async fn restore(&self, number: u32) -> Result<()> {
        let data = self.data(number);
        let restored = Command::new(binary()?)
            .args(["restore", &self.replica(), "--data-dir"])
            .arg(&data)
            .env("LOG_LEVEL", "error")
            .output()
            .await?;
        let told = String::from_utf8_lossy(&restored.stderr);
        ensure!(restored.status.success(), "kargo restore: {told}");
        Ok(())
    }
}

/// The highest revision among the objects of a list.
fn newest(list: &Value) -> u64 {
    let items = list.get("items").and_then(Value::as_array).into_iter().flatten();
    let revision = |item: &Value| item.pointer("/metadata/resourceVersion")?.as_str()?.parse().ok();
    items.filter_map(revision).max().unwrap_or(0)
}
