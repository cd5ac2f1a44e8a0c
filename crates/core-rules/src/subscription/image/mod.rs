//! Container images: which tags are candidates, which are better, and what is reported of them.

pub mod created;
mod metadata;
mod search;
#[cfg(test)]
mod tests;

use api_kinds::warehouse::{
    DiscoveredImageReference, ImageDiscoveryResult, ImageSelectionStrategy, ImageSubscription,
};

use self::{metadata::PlatformRule, search::Order};
use super::{
    Rejection, Unusable, Verdicts,
    limit::limit_of,
    tag_rule::{TagFields, TagRule},
};
use crate::admission::warehouse::CacheByTagPolicy;

pub use metadata::{ImageMetadata, OfferedPlatform};
pub use search::{Answer, ImageSearch};

/// What one image subscription selects.
#[derive(Clone, Debug)]
pub struct ImageSelector {
    repo_url: String,
    platform: PlatformRule,
    strategy: Strategy,
    limit: usize,
    asks_to_cache_by_tag: bool,
}

#[derive(Clone, Debug)]
enum Strategy {
    /// The one tag that is followed.
    Follow(String),
    /// Any that pass, in an order.
    Search(TagRule, Order),
}

/// Which tags must be known to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing<'a> {
    /// All of the repository.
    All,
    /// This one, which need not be listed.
    One(&'a str),
    /// None: no tag can be selected.
    Nothing,
}

impl ImageSelector {
    /// Reads what a subscription selects.
    pub fn new(subscription: &ImageSubscription) -> Result<Self, Unusable> {
        Ok(Self {
            repo_url: subscription.repo_url.clone(),
            platform: PlatformRule::new(&subscription.platform)?,
            strategy: Strategy::new(subscription)?,
            limit: limit_of(subscription.discovery_limit),
            asks_to_cache_by_tag: subscription.cache_by_tag,
        })
    }

    /// Whether what is known of a tag may be taken for true without asking, under the policy of the
    /// installation. A tag that is followed moves: it is asked for every time.
    pub fn caches_by_tag(&self, policy: CacheByTagPolicy) -> Result<bool, Unusable> {
        let is_followed = matches!(self.strategy, Strategy::Follow(_));
        match policy {
            _ if is_followed => Ok(false),
            CacheByTagPolicy::Forbid => Ok(false),
            CacheByTagPolicy::Allow => Ok(self.asks_to_cache_by_tag),
            CacheByTagPolicy::Require if self.asks_to_cache_by_tag => Ok(true),
            CacheByTagPolicy::Require => Err(Unusable::CachingRequired),
            CacheByTagPolicy::Force => Ok(true),
        }
    }

    /// Which tags must be known before a search.
    pub fn listing(&self) -> Listing<'_> {
        match &self.strategy {
            Strategy::Search(..) => Listing::All,
            Strategy::Follow(tag) if tag.is_empty() => Listing::Nothing,
            Strategy::Follow(tag) => Listing::One(tag),
        }
    }

    /// Whether a pushed tag concerns the subscription, as far as its name decides that.
    pub fn considers(&self, tag: &str) -> bool {
        match &self.strategy {
            Strategy::Follow(followed) => tag == followed,
            Strategy::Search(rule, _) => rule.accepts(tag),
        }
    }

    /// Begins a search among the tags of the repository, in any order.
    pub fn search(
        &self,
        tags: impl IntoIterator<Item = String>,
        mut verdicts: Verdicts,
    ) -> ImageSearch {
        let (candidates, order, limit) = match &self.strategy {
            Strategy::Search(rule, order) => {
                (rule.candidates(tags, &mut verdicts), *order, self.limit)
            }
            Strategy::Follow(followed) => {
                (follow(followed, tags, &mut verdicts), Order::AsListed, 1)
            }
        };
        ImageSearch::new(candidates, order, limit, self.platform.clone(), verdicts)
    }

    /// What is stored of a search.
    pub fn result(
        &self,
        subscription_name: &str,
        references: Vec<DiscoveredImageReference>,
    ) -> ImageDiscoveryResult {
        ImageDiscoveryResult {
            platform: self.platform.text().to_owned(),
            references,
            repo_url: self.repo_url.clone(),
            subscription_name: subscription_name.to_owned(),
        }
    }
}

impl Strategy {
    fn new(subscription: &ImageSubscription) -> Result<Self, Unusable> {
        let fields = TagFields {
            allow_tags: &subscription.allow_tags,
            ignore_tags: &subscription.ignore_tags,
            allow_tags_regexes: &subscription.allow_tags_regexes,
            ignore_tags_regexes: &subscription.ignore_tags_regexes,
        };
        Ok(match &subscription.image_selection_strategy {
            ImageSelectionStrategy::Digest => Self::Follow(subscription.constraint.clone()),
            ImageSelectionStrategy::SemVer | ImageSelectionStrategy::Unset => {
                let constraint = &subscription.constraint;
                let rule = TagRule::versions(&fields, constraint, subscription.strict_semvers)?;
                Self::Search(rule, Order::AsListed)
            }
            ImageSelectionStrategy::Lexical => {
                Self::Search(TagRule::names(&fields)?, Order::AsListed)
            }
            ImageSelectionStrategy::NewestBuild => {
                Self::Search(TagRule::names(&fields)?, Order::NewestFirst)
            }
            ImageSelectionStrategy::Other(strategy) => {
                return Err(Unusable::Strategy { strategy: strategy.clone() });
            }
        })
    }
}

/// The followed tag needs no listing; what is listed besides is told why it does not count.
fn follow(
    followed: &str,
    tags: impl IntoIterator<Item = String>,
    verdicts: &mut Verdicts,
) -> Vec<String> {
    for tag in tags.into_iter().filter(|tag| tag != followed) {
        verdicts.reject(&tag, Rejection::OtherTag { followed: followed.to_owned() });
    }
    if followed.is_empty() { Vec::new() } else { vec![followed.to_owned()] }
}
