//! A replica of the embedded store in object storage, at most a second behind, and the way back from it.

mod fetch;
mod keys;
mod layout;
mod pack;
mod progress;
mod ship;
#[cfg(test)]
mod tests;

pub(crate) use self::fetch::fetch;

use std::{fmt, path::Path, sync::Arc, time::Duration};

use core_clock::{Clock, Tasks};
use emb_store::Store;
use io_objects::Address;
use io_runtime::TaskGroup;
use serde_json::Value;

use self::{
    progress::Progress,
    ship::{ShipError, Shipper, Stand},
};
use crate::{component::Vitals, exit::Failure};

/// How long the start waits to learn what the replica has.
const START_PATIENCE: Duration = Duration::from_secs(5);
/// How long the last changes may take when the process ends.
const STOP_GRACE: Duration = Duration::from_secs(5);
const SHORTEST_INTERVAL: Duration = Duration::from_mins(1);

/// Where the state is kept beside the data directory.
#[derive(clap::Args, Debug)]
pub(crate) struct ReplicaArgs {
    /// Keep a replica of everything in object storage, at most a second behind:
    /// s3://BUCKET/PREFIX[?endpoint=URL&region=REGION] or file:///DIRECTORY; `kargo restore URL` brings it back
    #[arg(long, value_name = "URL", conflicts_with = "in_memory")]
    replica: Option<Address>,
    /// How often the replica begins anew with a whole snapshot, such as 12h; all but the last two are removed
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = interval, requires = "replica")]
    replica_snapshot_interval: Duration,
}

fn interval(text: &str) -> Result<Duration, String> {
    let parsed: api_kinds::duration::Duration =
        text.parse().map_err(|_| "a duration such as 12h or 90m is needed".to_owned())?;
    match Duration::try_from(parsed) {
        Ok(interval) if interval >= SHORTEST_INTERVAL => Ok(interval),
        _ => Err("it is 1m at least".to_owned()),
    }
}

/// The store that is replicated, and what surrounds it.
pub(crate) struct Source<'a> {
    pub(crate) store: &'a Arc<Store>,
    /// The data directory.
    pub(crate) directory: &'a Path,
    /// Whether there was no store in it before.
    pub(crate) is_new: bool,
    /// Whether Secrets are encrypted.
    pub(crate) is_sealed: bool,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) vitals: &'a Vitals,
}

/// A replica that follows its store.
pub(crate) struct Replica {
    place: String,
    tasks: TaskGroup,
    progress: Progress,
}

impl ReplicaArgs {
    /// Starts to ship, if that is asked for.
    pub(crate) async fn start(&self, source: Source<'_>) -> Result<Option<Replica>, Failure> {
        let Some(address) = &self.replica else { return Ok(None) };
        if !source.is_sealed {
            tracing::warn!(
                "Secrets are in the replica as they are in the store, not encrypted; --encryption-key-file encrypts them in both"
            );
        }
        let tasks = TaskGroup::new();
        let progress = Progress::new(source.clock.clone());
        source.vitals.add(progress.clone());
        let mut shipper = Shipper {
            store: source.store.clone(),
            directory: source.directory.to_owned(),
            is_new: source.is_new,
            objects: Arc::new(fetch::open(address)?),
            clock: source.clock.clone(),
            tasks: Arc::new(tasks.clone()),
            progress: progress.clone(),
            interval: self.replica_snapshot_interval,
            stand: Stand::default(),
        };
        // What is not known by then is found out later; whoever cannot ship serves all the same.
        let survey = tokio::time::timeout(START_PATIENCE, shipper.survey()).await;
        match survey {
            Ok(Err(error @ ShipError::Occupied { .. })) => {
                return Err(Failure::usage(error).hint(
                    "bring it back with `kargo restore URL` first, or pass a place of its own with --replica",
                ));
            }
            Ok(Err(ShipError::Objects(error))) if error.lacks_keys() => {
                return Err(fetch::unanswered(error));
            }
            _ => {}
        }
        let place = shipper.objects.to_string();
        tasks.spawn("replica", Box::pin(shipper.run(tasks.stopping())));
        Ok(Some(Replica { place, tasks, progress }))
    }
}

impl Replica {
    /// What a doctor is told about it, whenever one asks.
    pub(crate) fn report(&self) -> impl Fn() -> Value + Send + Sync + use<> {
        let (place, progress) = (self.place.clone(), self.progress.clone());
        move || progress.report(&place)
    }

    /// Ships what is left, while the store is still open.
    pub(crate) async fn finish(&self) {
        if !self.tasks.shutdown(STOP_GRACE).await {
            tracing::warn!(replica = self.place, "the last changes may not be in the replica");
        }
    }
}

/// Where it is.
impl fmt::Display for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)
    }
}
