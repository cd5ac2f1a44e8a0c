//! Semantic versions.

use std::sync::Arc;

use core_semver::Version;

use crate::error::Trouble;
use crate::text::Text;
use crate::value::{Data, Value};

/// `semverDiff(a, b)`: the most significant part in which two versions differ.
pub(super) fn difference(left: &Text, right: &Text) -> Value {
    let parse = |text: &Text| Version::parse_lenient(&text.to_str());
    let (Ok(left), Ok(right)) = (parse(left), parse(right)) else {
        return Value::text("Incomparable");
    };
    Value::text(if left.major() != right.major() {
        "Major"
    } else if left.minor() != right.minor() {
        "Minor"
    } else if left.patch() != right.patch() {
        "Patch"
    } else if left.metadata() != right.metadata() {
        "Metadata"
    } else {
        "None"
    })
}

/// `semverParse(text)`.
pub(super) fn parse(text: &Text) -> Result<Value, Trouble> {
    match Version::parse_lenient(&text.to_str()) {
        Ok(version) => Ok(Data::Version(Arc::new(version)).into()),
        Err(error) => Err(Trouble::Invalid(format!("invalid semantic version: {error}"))),
    }
}

/// A version with one part counted up. Of a pre-release, the patch is already counted.
pub(crate) fn increment(version: &Version, part: &str) -> Option<Version> {
    let (major, minor, patch) = (version.major(), version.minor(), version.patch());
    let prefix = if version.original().starts_with('v') { "v" } else { "" };
    let text = match part {
        "IncMajor" => format!("{prefix}{}.0.0", major.checked_add(1)?),
        "IncMinor" => format!("{prefix}{major}.{}.0", minor.checked_add(1)?),
        _ if version.is_prerelease() => format!("{prefix}{major}.{minor}.{patch}"),
        _ => format!("{prefix}{major}.{minor}.{}", patch.checked_add(1)?),
    };
    Version::parse_lenient(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patch_of_a_prerelease_is_its_release() {
        let next = |text: &str, part| {
            increment(&Version::parse_lenient(text).unwrap(), part).map(|v| v.to_string())
        };
        assert_eq!(next("1.2.3-rc.1", "IncPatch").as_deref(), Some("1.2.3"));
        assert_eq!(next("v1.2.3+b", "IncPatch").as_deref(), Some("1.2.4"));
        assert_eq!(next("1.2.3", "IncMinor").as_deref(), Some("1.3.0"));
        assert_eq!(next("18446744073709551615.0.0", "IncMajor"), None);
    }
}
