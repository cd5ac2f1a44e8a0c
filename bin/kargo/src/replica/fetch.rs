//! Getting a replica back: its newest snapshot, with everything that continues it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use emb_store::{OpenError, SegmentError, apply_segment, position};
use futures::{StreamExt, TryStreamExt, stream};
use io_http::outbound::{self, Outbound};
use io_objects::{Address, Objects};
use io_runtime::{SystemClock, SystemEnvironment};
use tempfile::TempDir;

use super::{
    keys::OwnKeys,
    layout::{Generation, beyond_gap, furthest, generations},
    pack::{unpack, unpack_to},
};
use crate::{
    exit::{Exit, Failure},
    up,
};

/// Segments that are under way at once.
const AT_ONCE: usize = 8;
/// More than a segment ever has.
const MAX_SEGMENT: u64 = 64 * 1024 * 1024;

/// A snapshot that was put together.
pub(crate) struct Fetched {
    pub(crate) file: PathBuf,
    /// The last revision in it.
    pub(crate) revision: u64,
    _folder: TempDir,
}

/// The place at an address.
pub(super) fn open(address: &Address) -> Result<Objects, Failure> {
    let bucket = match address {
        Address::Directory(path) => return Ok(Objects::in_directory(path)),
        Address::Bucket(bucket) => bucket,
    };
    let settings =
        outbound::Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    let (outbound, clock) = (Outbound::new(settings), Arc::new(SystemClock::new()));
    let keys = OwnKeys::new(&outbound, clock.clone()).map_err(Failure::usage)?;
    Objects::in_bucket(bucket, Arc::new(keys), &SystemEnvironment, &outbound, clock)
        .map_err(Failure::usage)
}

/// Gets the newest state of the replica at `address`, for the data directory `target`.
pub(crate) async fn fetch(address: &Address, target: &Path) -> Result<Fetched, Failure> {
    let objects = open(address)?;
    let keys = objects.list().await.map_err(unanswered)?;
    let found = generations(&keys);
    let generation = furthest(&found).ok_or_else(|| {
        Failure::new(Exit::Error, format!("{objects} has no replica of a control plane"))
            .hint("pass the address that `kargo up` had with --replica")
    })?;
    if let Some(beyond) = beyond_gap(&found) {
        let told = format!(
            "{objects} misses revisions from {} on: the next that are there begin at {}",
            generation.last() + 1,
            beyond.first
        );
        return Err(damaged(told, generation.last()));
    }
    let folder = folder(target)?;
    let file = folder.path().join("replica.db");
    get_base(&objects, generation, &file).await?;
    get_segments(&objects, generation, &file).await?;
    Ok(Fetched { file, revision: generation.last(), _folder: folder })
}

/// A private place on the disk of the target: in it, or beside it when it is yet to be made.
fn folder(target: &Path) -> Result<TempDir, Failure> {
    let beside = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let beside = beside.unwrap_or(Path::new("."));
    let place = if target.is_dir() { target } else { beside };
    fs::create_dir_all(place)?;
    Ok(tempfile::Builder::new().prefix(".kargo-restore-").tempdir_in(place)?)
}

async fn get_base(objects: &Objects, from: &Generation, file: &Path) -> Result<(), Failure> {
    let key = from.name.base_key(from.base);
    let packed = objects.get(&key).await.map_err(unanswered)?;
    let wrong =
        |why: String| Failure::new(Exit::Damaged, format!("{key} in {objects} is damaged: {why}"));
    unpack_to(&packed, file).map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull => Failure::from(error),
        _ => wrong(error.to_string()),
    })?;
    let at = position(file).map_err(|error| wrong(error.to_string()))?;
    if at.revision != from.base.revision || !from.name.is_of(&at.identity) {
        return Err(wrong(format!("it is of revision {} of another store", at.revision)));
    }
    Ok(())
}

/// Puts all segments onto the snapshot in `file`.
async fn get_segments(objects: &Objects, from: &Generation, file: &Path) -> Result<(), Failure> {
    let parts = stream::iter(from.chain()).map(|span| async move {
        let key = from.name.segment_key(span);
        let packed = objects.get(&key).await.map_err(unanswered)?;
        Ok::<_, Failure>((key, span, packed))
    });
    let mut parts = parts.buffered(AT_ONCE);
    while let Some((key, span, packed)) = parts.try_next().await? {
        let wrong = |why: String| {
            let told = format!("{key} in {objects} is damaged: {why}");
            damaged(told, span.first - 1)
        };
        let segment = unpack(&packed, MAX_SEGMENT).map_err(|error| wrong(error.to_string()))?;
        let put = apply_segment(file, &segment).map_err(|error| match error {
            SegmentError::Store(error @ (OpenError::DiskFull(_) | OpenError::Io(_))) => {
                up::open_failure(error)
            }
            error => wrong(error.to_string()),
        })?;
        if put != span {
            return Err(wrong(format!("it has revisions {} to {}", put.first, put.last)));
        }
    }
    Ok(())
}

fn damaged(told: String, revision: u64) -> Failure {
    Failure::new(Exit::Damaged, told).hint(format!(
        "everything up to revision {revision} can be read; put the object back from a copy or another version of it"
    ))
}

/// A place that does not answer, or cannot be entered.
pub(super) fn unanswered(error: io_objects::Error) -> Failure {
    if error.lacks_keys() {
        return Failure::usage(error).hint(
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give a role that may use the bucket to the machine, the task, the Pod or its ServiceAccount",
        );
    }
    Failure::new(Exit::Error, error)
        .hint("check the address, the way there, and what the account may do there")
}
