//! Subscriptions of Warehouses: what they are interested in, and what they select of what is there.
//!
//! One selector per kind: [`ImageSelector`], [`GitSelector`], [`ChartSelector`], and for what others
//! discover [`GenericSelector`]. A selector is made
//! once from the subscription, which finds out whether that can be used at all ([`Unusable`]); it then
//! says what to ask the repository for, puts candidates in order, and asks for the details of a
//! candidate only when its turn comes: whoever talks to the repository fetches no more than decides.
//! Each candidate gets a [`Verdict`], so that people can be told why theirs was not taken.

mod chart;
mod generic;
mod git;
mod git_ref;
mod image;
mod limit;
mod platform;
mod tag_rule;
mod unusable;
mod verdict;

pub use chart::{ChartRepository, ChartSelector, OciRepository};
pub use generic::GenericSelector;
pub use git::{
    BranchSelector, ChangedPaths, CommitRecord, GitSelector, GitStrategy, GitTime, RefsToAsk,
    SelectError, TagCandidates, TagRecord, TagSelector, TagSource,
};
pub use git_ref::GitRefSelector;
pub use image::{
    Answer, ImageMetadata, ImageSearch, ImageSelector, Listing, OfferedPlatform, created,
};
pub use platform::{Platform, PlatformError};
pub use unusable::Unusable;
pub use verdict::{Rejection, Verdict, Verdicts};
