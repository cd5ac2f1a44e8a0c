//! From a manifest or index to a record, reading what it points to where that is needed.

use core_rules::subscription::created;
use futures::{StreamExt as _, TryStreamExt as _, future::BoxFuture, stream};
use jiff::Timestamp;

use super::{
    Want,
    record::{ImageRecord, RecordedPlatform},
};
use crate::{
    Error,
    digest::Digest,
    manifest::{Document, Entry, EntryPlatform, Index, Manifest, Texts},
    repository::{Fetched, Repository},
};

/// Indexes within indexes that are followed.
const MAX_DEPTH: u8 = 3;
/// Entries of one index that are read at the same time.
const CONCURRENCY: usize = 4;

/// Describes what was fetched and remembers it.
pub(super) fn describe(
    repository: &Repository,
    fetched: Fetched,
    want: Want,
    depth: u8,
) -> BoxFuture<'_, Result<ImageRecord, Error>> {
    Box::pin(async move {
        let record = match fetched.document {
            Document::Image(manifest) => image(repository, fetched.digest, manifest, want).await?,
            Document::Index(entries) => index(repository, fetched.digest, entries, depth).await?,
        };
        repository.cache().remember_image(repository.partition(), &record);
        Ok(record)
    })
}

async fn image(
    repository: &Repository,
    digest: Digest,
    manifest: Manifest,
    want: Want,
) -> Result<ImageRecord, Error> {
    let annotations = manifest.annotations.into_texts();
    let stated = created::of_image(&annotations, &Texts::new(), None);
    if stated.is_some() && !want.platforms {
        return Ok(ImageRecord { digest, created: stated, annotations, platforms: None });
    }
    let configuration = repository.configuration(&manifest.config.digest).await;
    let configuration = configuration.map_err(|error| torn(repository, error))?;
    let created = created::of_image(&annotations, &configuration.labels(), configuration.created());
    let platform = recorded(configuration.platform, Texts::new());
    Ok(ImageRecord { digest, created, annotations, platforms: Some(vec![platform]) })
}

async fn index(
    repository: &Repository,
    digest: Digest,
    index: Index,
    depth: u8,
) -> Result<ImageRecord, Error> {
    let annotations = index.annotations.into_texts();
    let entries: Vec<(Entry, EntryPlatform)> =
        index.manifests.into_iter().filter_map(with_platform).collect();
    if entries.is_empty() {
        return Err(Error::EmptyIndex);
    }
    let stated = created::of_index(&annotations, []);
    let created = match stated {
        Some(stated) => Some(stated),
        None => newest(repository, &entries, depth).await?,
    };
    let platforms = entries
        .into_iter()
        .map(|(entry, platform)| recorded(platform, entry.annotations.into_texts()))
        .collect();
    Ok(ImageRecord { digest, created, annotations, platforms: Some(platforms) })
}

/// An entry that is an image for some platform; attestations and the like are not.
fn with_platform(mut entry: Entry) -> Option<(Entry, EntryPlatform)> {
    let platform = entry.platform.take()?;
    created::is_usable_platform(&platform.os, &platform.architecture).then_some((entry, platform))
}

async fn newest(
    repository: &Repository,
    entries: &[(Entry, EntryPlatform)],
    depth: u8,
) -> Result<Option<Timestamp>, Error> {
    let lookups =
        entries.iter().map(|(entry, _)| (entry.annotations.clone(), entry.digest.clone()));
    let lookups: Vec<_> = lookups.collect();
    let times = stream::iter(lookups).map(|(annotations, digest)| {
        entry_time(repository, annotations.into_texts(), digest, depth)
    });
    let times: Vec<_> = times.buffered(CONCURRENCY).try_collect().await?;
    Ok(created::of_index(&Texts::new(), times))
}

async fn entry_time(
    repository: &Repository,
    annotations: Texts,
    digest: String,
    depth: u8,
) -> Result<Option<Timestamp>, Error> {
    if let Some(stated) = created::of_entry(&annotations, None) {
        return Ok(Some(stated));
    }
    let digest: Digest =
        digest.parse().map_err(|error| repository.malformed("an entry of an index", &error))?;
    if let Some(known) = repository.cache().image(repository.partition(), &digest) {
        return Ok(known.created);
    }
    if depth >= MAX_DEPTH {
        return Err(
            repository.malformed("an index", &"it holds indexes within indexes without end")
        );
    }
    let fetched = repository.manifest(digest.as_str(), Some(&digest)).await;
    let fetched = fetched.map_err(|error| torn(repository, error))?;
    Ok(describe(repository, fetched, Want::default(), depth + 1).await?.created)
}

/// A tag whose parts are gone is there, but broken.
fn torn(repository: &Repository, error: Error) -> Error {
    match error {
        Error::NotFound { what, .. } => {
            repository.malformed(&what, &"the registry does not have it")
        }
        other => other,
    }
}

fn recorded(platform: EntryPlatform, annotations: Texts) -> RecordedPlatform {
    RecordedPlatform {
        os: platform.os,
        arch: platform.architecture,
        variant: platform.variant,
        annotations,
    }
}
