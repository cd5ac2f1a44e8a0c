//! What is remembered of registries: images by digest, tags, and the versions of charts.
//!
//! A digest never changes its meaning, so there is no expiry, only an end to the space: the least
//! recently used goes first. Entries belong to a partition, which is the repository together with
//! who reads it, so that no Project learns through the cache what its own credential cannot read.

mod log;
mod recent;

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use self::{log::Log, recent::Recent};
use crate::{Settings, digest::Digest, image::ImageRecord};

/// The most bytes of values that are kept, whatever the number of entries.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// The most bytes of one value; a larger one is not kept.
const MAX_VALUE: usize = 1024 * 1024;

/// The name of an entry: a digest of what it is about.
type Key = [u8; 16];

/// A repository together with who reads it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Partition(Key);

impl Partition {
    /// `reader` is empty for what anybody may read.
    pub(crate) fn new(reader: &[&str], repository: &str) -> Self {
        let mut parts = vec!["partition", repository];
        parts.extend(reader);
        Self(key(&parts.iter().map(|part| part.as_bytes()).collect::<Vec<_>>()))
    }

    fn key(&self, kind: &str, name: &str) -> Key {
        key(&[kind.as_bytes(), &self.0, name.as_bytes()])
    }
}

/// The parts with their lengths, so that no two lists have the same name.
fn key(parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let mut key = Key::default();
    for (to, from) in key.iter_mut().zip(hash.finalize()) {
        *to = from;
    }
    key
}

/// The versions of a chart, and what to ask the server with whether they have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChartRecord {
    pub(crate) etag: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) versions: Vec<String>,
}

/// The cache of one process.
pub(crate) struct Cache {
    state: Mutex<State>,
}

struct State {
    recent: Recent,
    log: Option<Log>,
}

impl Cache {
    /// Reads what an earlier process left. A directory that cannot be used costs the memory across
    /// restarts and nothing else.
    pub(crate) fn open(settings: &Settings) -> Self {
        let mut recent = Recent::new(settings.cache_entries, MAX_BYTES);
        let opened = settings.cache_directory.as_deref().map(|directory| {
            Log::open(directory, |key, value| {
                recent.insert(key, value);
            })
        });
        let log = match opened {
            Some(Ok(log)) => Some(log),
            Some(Err(error)) => {
                tracing::warn!(%error, "image metadata is not kept across restarts");
                None
            }
            None => None,
        };
        let cache = Self { state: Mutex::new(State { recent, log }) };
        cache.state.lock().rewrite_if_due();
        cache
    }

    /// The digest a tag had when it was last seen.
    pub(crate) fn tag(&self, partition: &Partition, tag: &str) -> Option<Digest> {
        self.get(partition.key("tag", tag))
    }

    /// The digest of a tag that somebody asked for at this monotonic time or later.
    pub(crate) fn tag_since(
        &self,
        partition: &Partition,
        tag: &str,
        time: Duration,
    ) -> Option<Digest> {
        let key = partition.key("tag", tag);
        let checked = self.state.lock().recent.checked(&key)?;
        if checked >= time { self.get(key) } else { None }
    }

    /// The digest that a tag has by the answer to a question of this time.
    pub(crate) fn remember_tag(
        &self,
        partition: &Partition,
        tag: &str,
        digest: &Digest,
        asked: Duration,
    ) {
        let key = partition.key("tag", tag);
        self.put(key, digest);
        self.state.lock().recent.check(&key, asked);
    }

    pub(crate) fn image(&self, partition: &Partition, digest: &Digest) -> Option<ImageRecord> {
        // The record names its digest: an entry that is damaged in an unlikely way is no entry.
        let record: ImageRecord = self.get(partition.key("image", digest.as_str()))?;
        (record.digest() == digest).then_some(record)
    }

    pub(crate) fn remember_image(&self, partition: &Partition, record: &ImageRecord) {
        self.put(partition.key("image", record.digest().as_str()), record);
    }

    pub(crate) fn chart(&self, partition: &Partition, chart: &str) -> Option<ChartRecord> {
        self.get(partition.key("chart", chart))
    }

    pub(crate) fn remember_chart(&self, partition: &Partition, chart: &str, record: &ChartRecord) {
        self.put(partition.key("chart", chart), record);
    }

    fn get<T: DeserializeOwned>(&self, key: Key) -> Option<T> {
        let value = self.state.lock().recent.get(&key)?;
        serde_json::from_str(&value).ok()
    }

    fn put<T: Serialize>(&self, key: Key, value: &T) {
        let Ok(text) = serde_json::to_string(value) else { return };
        if text.len() > MAX_VALUE {
            return;
        }
        let value: Arc<str> = text.into();
        let mut state = self.state.lock();
        if state.recent.insert(key, value.clone()) {
            state.append(&key, &value);
            state.rewrite_if_due();
        }
    }
}

impl State {
    fn append(&mut self, key: &Key, value: &str) {
        let Some(log) = &mut self.log else { return };
        if let Err(error) = log.append(key, value) {
            tracing::warn!(%error, "image metadata is no longer kept across restarts");
            self.log = None;
        }
    }

    fn rewrite_if_due(&mut self) {
        let Some(log) = &mut self.log else { return };
        if !log.is_due(self.recent.len()) {
            return;
        }
        if let Err(error) = log.rewrite(self.recent.oldest_first()) {
            tracing::warn!(%error, "image metadata is no longer kept across restarts");
            self.log = None;
        }
    }
}

#[cfg(test)]
mod tests;
