//! `kargo up` is killed while its Secrets come under another key: while it starts, while it rewrites them, and while it
//! writes the file anew that held them before.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    slice,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use core_clock::Entropy;
use dev_testkit::{Client, Kargo, UpOptions};
use http::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";
/// So many that rewriting them takes a while.
const COUNT: u64 = 600;
/// What every Secret holds, as it would stand in a file that is not encrypted.
const IN_CLEAR: &str = "VGhpcyBpcyBub3QgdG8gYmUgcmVhZCBieSBhbnlib2R5";
/// How long a process lives at most, its start included.
const LIFE_MS: u64 = 1_500;
/// How long a killed process may take to be gone.
const GONE: Duration = Duration::from_millis(200);
/// How often a clean start may find that older keys are still needed.
const PATIENCE: usize = 40;

/// Kills `count` times; tells how many keys the Secrets went through.
pub(crate) async fn run(directory: &Path, count: u32, entropy: &dyn Entropy) -> Result<String> {
    let mut safe = Safe::fill(directory).await?;
    for number in 0..count {
        // Now and then a key comes before the one before it is everywhere.
        if safe.keys.is_empty() || entropy.below(3) == 0 {
            safe.keys.insert(0, key(entropy));
        }
        let life = Duration::from_millis(entropy.below(LIFE_MS));
        safe.life(life).await.with_context(|| {
            format!("kill {} of {count}; everything is in {}", number + 1, directory.display())
        })?;
    }
    let keys = safe.keys.len();
    safe.rest().await?;
    Ok(format!("{keys} keys, {COUNT} Secrets whole, in the end the last key is enough"))
}

/// 32 random bytes in base64: the last sign of them has four bits.
fn key(entropy: &dyn Entropy) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let sign = |_| {
        let at = usize::try_from(entropy.below(SIGNS.len() as u64)).unwrap_or_default();
        char::from(SIGNS.get(at).copied().unwrap_or(b'A'))
    };
    let signs = (0..42).map(sign);
    signs.chain(['A', '=']).collect()
}

/// A store with Secrets, and the keys for it.
struct Safe {
    data: PathBuf,
    key_file: PathBuf,
    /// The newest first.
    keys: Vec<String>,
    /// What each Secret was acknowledged to hold.
    known: BTreeMap<u64, u64>,
    /// A change of which nobody knows whether it was made.
    doubtful: Option<(u64, u64)>,
}

impl Safe {
    /// Makes the Secrets while there is no key at all.
    async fn fill(directory: &Path) -> Result<Self> {
        let mut safe = Self {
            data: directory.join("data"),
            key_file: directory.join("keys"),
            keys: Vec::new(),
            known: BTreeMap::new(),
            doubtful: None,
        };
        let (kargo, client) = safe.start(&[]).await?;
        for number in 0..COUNT {
            let made = client.json(Method::POST, SECRETS, &secret(number, 0)).await?;
            ensure!(made.status.is_success(), "{}", made.text());
            safe.known.insert(number, 0);
        }
        ensure!(kargo.stop().await? == Some(0), "a clean stop exits with 0");
        ensure!(safe.shows_secrets()?, "without a key everything stands in the file");
        Ok(safe)
    }

    /// Starts with all keys, checks, changes Secrets, and kills after `life`, whatever has come about by then.
    async fn life(&mut self, life: Duration) -> Result<()> {
        let end = Instant::now() + life;
        let keys = self.keys.clone();
        let Ok(started) = timeout_at(end, self.start(&keys)).await else {
            // Whoever is dropped is killed.
            sleep(GONE).await;
            return Ok(());
        };
        let (kargo, client) = started?;
        self.check(&client).await?;
        // What fails now fails because time is over.
        let _ = timeout_at(end, self.change(&client)).await;
        kargo.kill().await
    }

    /// Ends the rotation in peace: the last key alone opens the store, and nothing is left in the file that others can read.
    async fn rest(mut self) -> Result<()> {
        let (all, last) = (self.keys.clone(), self.keys.first().cloned().context("no key")?);
        for _ in 0..PATIENCE {
            let (kargo, client) = self.start(&all).await?;
            self.check(&client).await?;
            sleep(GONE).await;
            ensure!(kargo.stop().await? == Some(0), "a clean stop exits with 0");
            // It says which key it misses, and ends.
            let Ok((kargo, client)) = self.start(slice::from_ref(&last)).await else { continue };
            self.check(&client).await?;
            ensure!(kargo.stop().await? == Some(0), "a clean stop exits with 0");
            ensure!(!self.shows_secrets()?, "the file still shows what was encrypted");
            return Ok(());
        }
        bail!("after {PATIENCE} clean starts older keys are still needed")
    }

    async fn start(&self, keys: &[String]) -> Result<(Kargo, Client)> {
        let mut arguments = Vec::new();
        if !keys.is_empty() {
            write_private(&self.key_file, &keys.join("\n"))?;
            arguments =
                vec!["--encryption-key-file".to_owned(), self.key_file.display().to_string()];
        }
        let options = UpOptions { arguments, ..UpOptions::default() };
        let kargo = Kargo::up(&self.data, &options).await?;
        let client = kargo.client()?;
        Ok((kargo, client))
    }

    /// Every Secret holds what was acknowledged last.
    async fn check(&mut self, client: &Client) -> Result<()> {
        let list = client.get(SECRETS).await?;
        ensure!(list.status.is_success(), "list: {}", list.text());
        let list = list.json();
        let items = list.get("items").and_then(Value::as_array).into_iter().flatten();
        let mut shown: BTreeMap<u64, u64> = items.filter_map(content).collect();
        if let Some((number, value)) = self.doubtful.take()
            && shown.get(&number) == Some(&value)
        {
            self.known.insert(number, value);
        }
        for (number, value) in &self.known {
            let found = shown.remove(number);
            ensure!(found == Some(*value), "Secret {number} holds {found:?} and not {value}");
        }
        ensure!(shown.is_empty(), "Secrets that nobody made: {shown:?}");
        Ok(())
    }

    /// Changes one Secret after the other.
    async fn change(&mut self, client: &Client) -> Result<()> {
        for number in (0..COUNT).cycle() {
            let value = self.known.get(&number).copied().unwrap_or_default() + 1;
            self.doubtful = Some((number, value));
            let path = format!("{SECRETS}/s-{number}");
            let done = client.json(Method::PUT, &path, &secret(number, value)).await?;
            ensure!(done.status.is_success(), "{}", done.text());
            self.known.insert(number, value);
            self.doubtful = None;
        }
        Ok(())
    }

    /// Whether any file of the store shows a Secret.
    fn shows_secrets(&self) -> Result<bool> {
        for file in fs::read_dir(&self.data)? {
            let path = file?.path();
            if path.is_file() && holds(&fs::read(&path)?, IN_CLEAR.as_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

fn secret(number: u64, value: u64) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "data": {"text": IN_CLEAR},
        "metadata": {"name": format!("s-{number}"), "annotations": {"value": value.to_string()}},
    })
}

/// The number of a Secret and what it holds; `None` for one that is not ours, or not whole.
fn content(item: &Value) -> Option<(u64, u64)> {
    let number = item.pointer("/metadata/name")?.as_str()?.strip_prefix("s-")?.parse().ok()?;
    let value = item.pointer("/metadata/annotations/value")?.as_str()?.parse().ok()?;
    (item.pointer("/data/text")? == IN_CLEAR).then_some((number, value))
}

fn write_private(path: &Path, text: &str) -> Result<()> {
    let mut file =
        fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    Ok(file.write_all(text.as_bytes())?)
}
