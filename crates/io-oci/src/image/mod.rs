//! What one tag points to, with as few requests as the cache allows.
//!
//! A tag that was seen before is asked for with HEAD; when its digest is known, nothing is read. A new
//! tag is read at once and before the others. The configuration of an image is read only when its
//! manifest does not say when it was built, or when its platform matters.

mod describe;
mod record;
mod several;

use core_rules::subscription::ImageMetadata;

pub(crate) use self::record::ImageRecord;
use crate::{Error, digest::Digest, place::is_tag, repository::Repository};

/// What is wanted of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// Take what is remembered of a tag for true without asking (`cacheByTag`).
    pub cached_by_tag: bool,
    /// The platform of a single image matters, because the subscription asks for one.
    pub platforms: bool,
}

impl Repository {
    /// Reads what `tag` points to.
    pub async fn image(&self, tag: &str, want: Want) -> Result<ImageMetadata, Error> {
        let known = self.cache().tag(self.partition(), tag);
        self.current(tag, known.as_ref(), want).await
    }

    /// What `tag` points to now, which was `known` when it was last seen.
    async fn current(
        &self,
        tag: &str,
        known: Option<&Digest>,
        want: Want,
    ) -> Result<ImageMetadata, Error> {
        if !is_tag(tag) {
            return Err(Error::Tag(Error::quote(tag)));
        }
        if want.cached_by_tag
            && let Some(record) = known.and_then(|digest| self.remembered(digest, want))
        {
            return Ok(record.into_metadata());
        }
        if let Some(record) = self.told_to_another(tag, want) {
            return Ok(record.into_metadata());
        }
        let asked = self.line.monotonic();
        let digest = if known.is_some() { self.head(tag).await? } else { None };
        if let Some(digest) = &digest
            && let Some(record) = self.remembered(digest, want)
        {
            self.cache().remember_tag(self.partition(), tag, digest, asked);
            return Ok(record.into_metadata());
        }
        let record = self.read(tag, digest, want).await?;
        self.cache().remember_tag(self.partition(), tag, record.digest(), asked);
        Ok(record.into_metadata())
    }

    async fn read(
        &self,
        tag: &str,
        digest: Option<Digest>,
        want: Want,
    ) -> Result<ImageRecord, Error> {
        let reference = digest.as_ref().map_or(tag, Digest::as_str);
        let fetched = self.manifest(reference, digest.as_ref()).await?;
        if let Some(record) = self.remembered(&fetched.digest, want) {
            return Ok(record);
        }
        describe::describe(self, fetched, want, 0).await
    }

    /// What another search has learned of a tag since this one began.
    fn told_to_another(&self, tag: &str, want: Want) -> Option<ImageRecord> {
        let digest = self.cache().tag_since(self.partition(), tag, self.began?)?;
        self.remembered(&digest, want)
    }

    /// What is known of a digest, if it answers what is wanted.
    fn remembered(&self, digest: &Digest, want: Want) -> Option<ImageRecord> {
        self.cache().image(self.partition(), digest).filter(|record| record.answers(want))
    }
}
