//! Where the problems of a version are reported. What all versions have in common is reported once, at the place that
//! earlier versions of the API had for it; clients know those texts.

use emb_meta::FieldPath;
use serde_json::Value;

use super::versions;

/// The versions to check for a member, each with the place of its problems.
pub(super) fn places<'a>(
    definition: &'a Value,
    member: &str,
    common: &str,
) -> Vec<(FieldPath, &'a Value)> {
    let all = versions(definition);
    let Some(first) = all.first() else { return Vec::new() };
    if all.iter().all(|version| version.get(member) == first.get(member)) {
        return vec![(FieldPath::new("spec").child(common), first)];
    }
    let path = FieldPath::new("spec").child("versions");
    all.iter()
        .enumerate()
        .map(|(index, version)| (path.index(index).child(member), version))
        .collect()
}
