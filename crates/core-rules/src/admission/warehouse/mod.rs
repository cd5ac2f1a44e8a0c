//! Warehouses: defaults and rules of their subscriptions.

mod chart;
mod git;
mod image;
mod unique;
mod warning;

use std::{str::FromStr, sync::LazyLock};

use api_kinds::{
    Warehouse,
    warehouse::{CommitSelectionStrategy, ImageSelectionStrategy, RepoSubscription, Source},
};
use core_clock::{SettingError, Variables};
use core_pattern::UserRegex;
use core_semver::Constraint;

use super::{
    Operation,
    field::FieldError,
    metadata::{is_being_deleted, name, namespace, set_shard},
    namespace::ProjectNamespace,
    outcome::Admitted,
    refusal::Refusal,
};

pub use warning::warn_unknown_members;

const PATH: &str = "spec.subscriptions";
const DEFAULT_DISCOVERY_LIMIT: i32 = 20;
const MAX_DISCOVERY_LIMIT: i32 = 100;

/// A pattern of the rules, compiled once.
type Pattern = LazyLock<Option<UserRegex>>;

/// Whether what is known of an image's tag may be kept, as the installation decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheByTagPolicy {
    /// Nobody may ask for it.
    Forbid,
    /// Everybody may ask for it.
    #[default]
    Allow,
    /// Everybody must ask for it.
    Require,
    /// It is done unasked.
    Force,
}

impl CacheByTagPolicy {
    /// What the installation says: the same for admission and for those who search.
    pub fn from_variables(variables: Variables<'_>) -> Result<Self, SettingError> {
        let accepted = "Forbid, Allow, Require or Force";
        let parse = |text: &str| text.parse().ok();
        variables.parsed("CACHE_BY_TAG_POLICY", accepted, parse, Self::default())
    }
}

impl FromStr for CacheByTagPolicy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "Forbid" => Ok(Self::Forbid),
            "Allow" => Ok(Self::Allow),
            "Require" => Ok(Self::Require),
            "Force" => Ok(Self::Force),
            _ => Err(()),
        }
    }
}

/// Makes the shard label follow the field, and fills in what subscriptions leave open. A type that
/// nobody serves is refused here already.
pub fn default(warehouse: &mut Warehouse) -> Result<(), Refusal> {
    set_shard(&mut warehouse.metadata, &warehouse.spec.shard);
    for subscription in &mut warehouse.spec.subscriptions {
        default_source(&mut subscription.source)?;
    }
    Ok(())
}

fn default_source(source: &mut Source) -> Result<(), Refusal> {
    let limit = match source {
        Source::Git(git) => {
            if git.commit_selection_strategy == CommitSelectionStrategy::Unset {
                git.commit_selection_strategy = CommitSelectionStrategy::NewestFromBranch;
            }
            git.strict_semvers.get_or_insert(true);
            &mut git.discovery_limit
        }
        Source::Image(image) => {
            if image.image_selection_strategy == ImageSelectionStrategy::Unset {
                image.image_selection_strategy = ImageSelectionStrategy::SemVer;
            }
            image.strict_semvers.get_or_insert(true);
            &mut image.discovery_limit
        }
        Source::Chart(chart) => &mut chart.discovery_limit,
        Source::Other(_) => return Err(Refusal::denied("no matching registration found")),
    };
    if *limit == 0 {
        *limit = DEFAULT_DISCOVERY_LIMIT;
    }
    Ok(())
}

/// What is wrong with a Warehouse. `home` is its namespace, on creation.
pub fn validate(
    operation: Operation,
    warehouse: &Warehouse,
    old: Option<&Warehouse>,
    home: Option<ProjectNamespace>,
    policy: CacheByTagPolicy,
) -> Result<Admitted, Refusal> {
    let is_unchanged = old.is_some_and(|old| old.spec == warehouse.spec);
    if operation == Operation::Update && (is_unchanged || is_being_deleted(&warehouse.metadata)) {
        return Ok(Admitted::default());
    }
    let home = home.map(|home| home.check(namespace(&warehouse.metadata))).transpose()?;
    let mut errors: Vec<FieldError> = home.flatten().into_iter().collect();
    let subscriptions = &warehouse.spec.subscriptions;
    for (index, subscription) in subscriptions.iter().enumerate() {
        errors.extend(check_source(subscription, index, policy));
    }
    errors.extend(unique::check(subscriptions));
    Refusal::unless_valid::<Warehouse>(name(&warehouse.metadata), errors)?;
    Ok(Admitted::with_warnings(warning::warn(warehouse)))
}

fn check_source(
    subscription: &RepoSubscription,
    index: usize,
    policy: CacheByTagPolicy,
) -> Vec<FieldError> {
    let path = format!("{PATH}[{index}].{}", subscription.source.type_name());
    match &subscription.source {
        Source::Git(source) => git::check(source, &path),
        Source::Image(source) => image::check(source, &path, policy),
        Source::Chart(source) => chart::check(source, &path),
        Source::Other(source) => vec![FieldError::invalid(
            path,
            source.subscription_type.as_str(),
            "subscriber registry lookup failed: no matching registration found",
        )],
    }
}

fn check_repository(url: &str, path: &str, pattern: &Pattern, problem: &str) -> Option<FieldError> {
    let field = format!("{path}.repoURL");
    if url.is_empty() {
        return Some(FieldError::invalid(field, url, "must have a minimum length of 1"));
    }
    (!is_match(pattern, url)).then(|| FieldError::invalid(field, url, problem))
}

fn is_match(pattern: &Pattern, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// A constraint that cannot be read is refused without saying why, as upstream does.
fn check_constraint(constraint: &str, field: String) -> Option<FieldError> {
    let is_bad = !constraint.is_empty() && Constraint::parse(constraint).is_err();
    is_bad.then(|| FieldError::invalid(field, constraint, ""))
}

fn check_limit(limit: i32, path: &str) -> Option<FieldError> {
    let problem = match limit {
        ..1 => "must be >= 1",
        1..=MAX_DISCOVERY_LIMIT => return None,
        _ => "must be <= 100",
    };
    Some(FieldError::invalid(format!("{path}.discoveryLimit"), limit, problem))
}

#[cfg(test)]
mod tests;
