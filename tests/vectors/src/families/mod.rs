//! The list of families; one file each, or one for families of the same rules.

mod actor;
mod annotation;
mod freight;
mod pattern;
mod promotion_name;
mod receiver;
mod replica;
mod semver;
mod shorten;
mod step;
mod subscription;
mod url;

use crate::answer::Answer;
use crate::case::Case;
use crate::exception::Exception;

/// A family that our rules are held to.
pub struct Family {
    /// The name of its file.
    pub name: &'static str,
    /// Answers one case.
    pub run: fn(&Case<'_>) -> Answer,
    /// Where ours is better on purpose.
    pub exceptions: &'static [Exception],
}

const fn family(
    name: &'static str,
    run: fn(&Case<'_>) -> Answer,
    exceptions: &'static [Exception],
) -> Family {
    Family { name, run, exceptions }
}

/// Every covered family: name, runner, exceptions.
pub static FAMILIES: &[Family] = &[
    family("actors", actor::run, &[]),
    family("authorized-stages", annotation::run_authorized_stages, &[]),
    family("freight-id", freight::run_id, &[]),
    family("freight-origin", freight::run_origin, &[]),
    family("git-ref-match", subscription::run_git_ref, &[]),
    family("image-platform", subscription::run_platform, &[]),
    family("path-filters", pattern::run_path_filter, &[pattern::DOTS_INSIDE_A_NAME]),
    family("patterns", pattern::run, &[pattern::DOTS_INSIDE_A_NAME]),
    family("promotion-name", promotion_name::run, &[]),
    family("receiver-path", receiver::run, &[]),
    family("replica-hash", replica::run, &[]),
    family("request-annotations", annotation::run_requests, &[]),
    family("semver-compare", semver::run_compare, &[]),
    family("semver-constraint-parse", semver::run_constraint, &[]),
    family("semver-match", semver::run_match, &[]),
    family("semver-parse", semver::run_parse, &[]),
    family("semver-sort", semver::run_sort, &[]),
    family("shorten", shorten::run, &[shorten::WHOLE_CHARACTERS]),
    family("step-alias", step::run_alias, &[]),
    family("step-status-severity", step::run_severity, &[]),
    family("tag-filters", pattern::run_tag_filter, &[]),
    family("urls", url::run, &[]),
];
