//! Which groups and versions come first. Clients take the first that has what they look for.

use std::cmp::{Ordering, Reverse};

/// The place of a group among others: larger numbers come first, equal ones by name.
pub(crate) fn group_priority(group: &str) -> i64 {
    match group {
        "" => 18_000,
        "apiregistration.k8s.io" => 20_000,
        "events.k8s.io" => 17_750,
        "authentication.k8s.io" => 17_700,
        "authorization.k8s.io" => 17_600,
        "rbac.authorization.k8s.io" => 17_000,
        "admissionregistration.k8s.io" | "apiextensions.k8s.io" => 16_700,
        "coordination.k8s.io" => 16_500,
        _ => CUSTOM_PRIORITY,
    }
}

/// The priority of groups that definitions add.
pub(crate) const CUSTOM_PRIORITY: i64 = 1_000;

/// Orders groups as clients should look at them.
pub(crate) fn compare_groups(left: &str, right: &str) -> Ordering {
    let key = |group| (Reverse(group_priority(group)), group);
    key(left).cmp(&key(right))
}

/// Orders versions best first: stable before beta before alpha, larger numbers before smaller ones, and names of any
/// other form last, by alphabet.
pub(crate) fn compare_versions(left: &str, right: &str) -> Ordering {
    match (Version::parse(left), Version::parse(right)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    maturity: Maturity,
    major: u32,
    minor: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Maturity {
    Alpha,
    Beta,
    Stable,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('v')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (major, suffix) = rest.split_at_checked(digits)?;
        let (maturity, minor) = match suffix {
            "" => (Maturity::Stable, "0"),
            _ => match (suffix.strip_prefix("alpha"), suffix.strip_prefix("beta")) {
                (Some(minor), _) => (Maturity::Alpha, minor),
                (None, Some(minor)) => (Maturity::Beta, minor),
                (None, None) => return None,
            },
        };
        Some(Self { maturity, major: number(major)?, minor: number(minor)? })
    }
}

/// Digits without a leading zero, except a zero alone for a missing minor.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_come_first_and_odd_names_last() {
        let mut versions = [
            "foo10",
            "v1alpha2",
            "v10",
            "v1beta1",
            "v2",
            "v11alpha2",
            "bar",
            "v1",
            "v3beta1",
            "v12alpha1",
            "v1x",
        ];
        versions.sort_by(|left, right| compare_versions(left, right));
        assert_eq!(
            versions,
            [
                "v10",
                "v2",
                "v1",
                "v3beta1",
                "v1beta1",
                "v12alpha1",
                "v11alpha2",
                "v1alpha2",
                "bar",
                "foo10",
                "v1x"
            ]
        );
    }

    #[test]
    fn groups_of_definitions_come_after_built_in_ones() {
        let mut groups = [
            "kargo.akuity.io",
            "coordination.k8s.io",
            "argoproj.io",
            "apiregistration.k8s.io",
            "events.k8s.io",
        ];
        groups.sort_by(|left, right| compare_groups(left, right));
        assert_eq!(
            groups,
            [
                "apiregistration.k8s.io",
                "events.k8s.io",
                "coordination.k8s.io",
                "argoproj.io",
                "kargo.akuity.io"
            ]
        );
    }
}
