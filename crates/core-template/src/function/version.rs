//! Versions.

use std::collections::BTreeMap;
use std::sync::Arc;

use core_semver::{Constraint, Version};
use gotmpl::Value;

use super::{Call, Table};

pub(super) const TABLE: Table = &[("semver", semver), ("semverCompare", semver_compare)];

fn parsed(text: &str) -> Result<Version, String> {
    Version::parse_lenient(text).map_err(|error| error.to_string())
}

/// The parts of a version, under the names that Go gives them.
fn semver(call: &Call<'_>) -> Result<Value, String> {
    let version = parsed(&call.text(0)?)?;
    let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let parts = [
        ("Major", number(version.major())),
        ("Minor", number(version.minor())),
        ("Patch", number(version.patch())),
        ("Prerelease", version.prerelease().into()),
        ("Metadata", version.metadata().into()),
        ("Original", version.original().into()),
    ];
    let parts = parts.into_iter().map(|(name, part)| (Arc::from(name), part));
    Ok(parts.collect::<BTreeMap<Arc<str>, Value>>().into())
}

fn semver_compare(call: &Call<'_>) -> Result<Value, String> {
    let constraint = Constraint::parse(&call.text(0)?).map_err(|error| error.to_string())?;
    Ok(Value::Bool(constraint.matches(&parsed(&call.text(1)?)?)))
}
