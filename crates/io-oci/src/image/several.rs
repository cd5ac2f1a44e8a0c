//! Many tags of one repository, several at a time.
//!
//! Callers that read the same tags begin at different ones, so that together they ask for each about
//! once: what one of them is told, the others need not ask.

use core_rules::subscription::ImageMetadata;
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream};

use super::Want;
use crate::{Error, Scope, digest::Digest, repository::Repository};

/// Tags of one caller that are read at the same time.
const CONCURRENCY: usize = 32;

/// A tag to be read.
struct Read {
    tag: String,
    /// Its place among the tags as they were given.
    place: usize,
    /// The digest it had when it was last seen.
    known: Option<Digest>,
    /// Which question of how many this is, if it may wait.
    moment: Option<(usize, usize)>,
}

impl Repository {
    /// Reads several tags at a time, new ones first; each has its own outcome, in the order of `tags`.
    /// A failure of the repository as a whole ends the rest.
    pub async fn images(
        &self,
        tags: &[String],
        want: Want,
    ) -> Result<Vec<(String, Result<ImageMetadata, Error>)>, Error> {
        let reads = stream::iter(self.plan(tags, want)).map(|read| self.perform(read, want));
        let mut reads = reads.buffered(CONCURRENCY);
        let mut outcomes = Vec::with_capacity(tags.len());
        self.line.set_left(tags.len());
        while let Some((place, tag, outcome)) = reads.next().await {
            match outcome {
                Err(error) if error.scope() == Scope::Repository => return Err(error),
                outcome => outcomes.push((place, tag, outcome)),
            }
            self.line.set_left(tags.len().saturating_sub(outcomes.len()));
        }
        outcomes.sort_unstable_by_key(|(place, ..)| *place);
        Ok(outcomes.into_iter().map(|(_, tag, outcome)| (tag, outcome)).collect())
    }

    /// New tags, then known ones with their moments; each from where this caller begins.
    fn plan(&self, tags: &[String], want: Want) -> Vec<Read> {
        let reads = tags.iter().enumerate().map(|(place, tag)| Read {
            tag: tag.clone(),
            place,
            known: self.cache().tag(self.partition(), tag),
            moment: None,
        });
        let (mut reads, mut known): (Vec<Read>, Vec<Read>) =
            reads.partition(|read| read.known.is_none());
        for reads in [&mut reads, &mut known] {
            let first = self.line.place_among(reads.len());
            reads.rotate_left(first);
        }
        // What is believed without asking has nothing to wait for.
        if !want.cached_by_tag {
            let count = known.len();
            for (number, read) in known.iter_mut().enumerate() {
                read.moment = Some((number, count));
            }
        }
        reads.append(&mut known);
        reads
    }

    /// Boxed, because the compiler cannot see that a stream of such futures may change threads.
    fn perform(
        &self,
        read: Read,
        want: Want,
    ) -> BoxFuture<'_, (usize, String, Result<ImageMetadata, Error>)> {
        async move {
            let Read { tag, place, known, moment } = read;
            if let Some((number, count)) = moment {
                self.pace.moment(number, count).await;
            }
            let outcome = self.current(&tag, known.as_ref(), want).await;
            let before = known.as_ref().map(Digest::as_str);
            if outcome.as_ref().is_ok_and(|image| before != Some(&image.digest)) {
                self.pace.hurry();
            }
            (place, tag, outcome)
        }
        .boxed()
    }
}
