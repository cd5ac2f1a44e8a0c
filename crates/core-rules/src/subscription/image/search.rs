//! A search that asks for the details of an image only when they decide something.

use std::collections::{BTreeMap, VecDeque};

use api_kinds::warehouse::DiscoveredImageReference;

use super::metadata::{ImageMetadata, PlatformRule};
use crate::subscription::{Rejection, Verdicts};

/// How much of a status the annotations of one subscription's images may take. They are the
/// registry's words, and a status that is too large cannot be written at all.
const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

/// What makes a candidate better than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The place in the list, so that the first ones that pass are the answer.
    AsListed,
    /// The time of the build, which must be known of all.
    NewestFirst,
}

/// What the registry said when it was asked for a tag.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This image.
    Found(ImageMetadata),
    /// The tag is not there.
    Missing,
    /// This one image cannot be read, for example because its index is empty.
    Unreadable(String),
}

/// One search. Ask what is [`wanted`](Self::wanted), [`answer`](Self::answer) all of it, and again
/// until nothing is wanted; then [`finish`](Self::finish).
#[derive(Clone, Debug)]
pub struct ImageSearch {
    order: Order,
    limit: usize,
    platform: PlatformRule,
    /// Not yet decided, the best first.
    queue: VecDeque<String>,
    /// Answers that came before those of better candidates.
    early: BTreeMap<String, Answer>,
    found: Vec<DiscoveredImageReference>,
    verdicts: Verdicts,
}

impl ImageSearch {
    pub(super) fn new(
        candidates: Vec<String>,
        order: Order,
        limit: usize,
        platform: PlatformRule,
        verdicts: Verdicts,
    ) -> Self {
        let queue = candidates.into();
        let early = BTreeMap::new();
        Self { order, limit, platform, queue, early, found: Vec::new(), verdicts }
    }

    /// The tags whose images must be known next, the best first. In a given order these are never
    /// more than still fit the limit, so that nothing is fetched in vain unless a candidate fails.
    pub fn wanted(&self) -> Vec<String> {
        let room = match self.order {
            Order::AsListed => self.limit.saturating_sub(self.found.len()),
            Order::NewestFirst => self.queue.len(),
        };
        let next = self.queue.iter().take(room);
        next.filter(|tag| !self.early.contains_key(*tag)).cloned().collect()
    }

    /// Takes in what the registry said about a wanted tag, in any order.
    pub fn answer(&mut self, tag: &str, answer: Answer) {
        self.early.insert(tag.to_owned(), answer);
        while let Some(answer) = self.queue.front().and_then(|tag| self.early.remove(tag)) {
            let Some(tag) = self.queue.pop_front() else { return };
            self.decide(&tag, answer);
        }
    }

    fn decide(&mut self, tag: &str, answer: Answer) {
        let checked = match answer {
            Answer::Found(image) => self.platform.check(tag, image),
            Answer::Missing => Err(Rejection::Missing),
            Answer::Unreadable(problem) => Err(Rejection::Unreadable { problem }),
        };
        match checked {
            Ok(reference) => self.found.push(reference),
            Err(rejection) => self.verdicts.reject(tag, rejection),
        }
    }

    /// The images, the best first, and what became of each candidate. What was wanted and not
    /// answered counts as not there.
    pub fn finish(mut self) -> (Vec<DiscoveredImageReference>, Verdicts) {
        if self.order == Order::NewestFirst {
            self.found.sort_by(|left, right| {
                right.created_at.cmp(&left.created_at).then_with(|| right.tag.cmp(&left.tag))
            });
        }
        let limit = self.limit;
        let unasked = if self.found.len() < limit {
            Rejection::Missing
        } else {
            Rejection::BeyondLimit { limit }
        };
        let beyond = self.found.split_off(limit.min(self.found.len()));
        for reference in &self.found {
            self.verdicts.select(&reference.tag);
        }
        for reference in &beyond {
            self.verdicts.reject(&reference.tag, Rejection::BeyondLimit { limit });
        }
        for tag in &self.queue {
            self.verdicts.reject(tag, unasked.clone());
        }
        bound_annotations(&mut self.found);
        (self.found, self.verdicts)
    }
}

/// Drops annotations from the first image on whose are too much, together with those of the worse.
fn bound_annotations(references: &mut [DiscoveredImageReference]) {
    let mut bytes = 0;
    for reference in references {
        let entries = reference.annotations.iter();
        bytes += entries.map(|(key, value)| key.len() + value.len()).sum::<usize>();
        if bytes > MAX_ANNOTATION_BYTES {
            reference.annotations.clear();
        }
    }
}
