//! Helm charts: which versions are candidates and which are better.

mod repository;

use api_kinds::warehouse::{ChartDiscoveryResult, ChartSubscription};
use core_semver::Version;

use super::{Rejection, Unusable, Verdicts, limit::limit_of, tag_rule::VersionConstraint};

pub use repository::{ChartRepository, OciRepository};

/// What one chart subscription selects.
#[derive(Clone, Debug)]
pub struct ChartSelector {
    repository: ChartRepository,
    constraint: VersionConstraint,
    limit: usize,
    /// What is stored together with the versions.
    header: ChartDiscoveryResult,
}

impl ChartSelector {
    /// Reads what a subscription selects.
    pub fn new(subscription: &ChartSubscription) -> Result<Self, Unusable> {
        Ok(Self {
            repository: ChartRepository::parse(&subscription.repo_url, &subscription.name)?,
            constraint: VersionConstraint::parse(&subscription.semver_constraint)?,
            limit: limit_of(subscription.discovery_limit),
            header: ChartDiscoveryResult {
                name: subscription.name.clone(),
                repo_url: subscription.repo_url.clone(),
                semver_constraint: subscription.semver_constraint.clone(),
                ..ChartDiscoveryResult::default()
            },
        })
    }

    /// Where the versions are listed.
    pub fn repository(&self) -> &ChartRepository {
        &self.repository
    }

    /// Whether a pushed version concerns the subscription.
    pub fn considers(&self, version: &str) -> bool {
        let version = self.repository.version_of(version);
        Version::parse_lenient(&version)
            .is_ok_and(|version| self.constraint.check(&version).is_ok())
    }

    /// The best of the versions of an index, or of the tags of a registry, in any order.
    pub fn select(
        &self,
        listed: impl IntoIterator<Item = String>,
        mut verdicts: Verdicts,
    ) -> (Vec<String>, Verdicts) {
        let mut candidates = Vec::new();
        for listed in listed {
            match self.check(&listed) {
                Ok(version) => candidates.push(version),
                Err(rejection) => verdicts.reject(&listed, rejection),
            }
        }
        candidates.sort_unstable_by(|left, right| right.cmp(left));
        let limit = self.limit;
        let beyond = candidates.split_off(limit.min(candidates.len()));
        for version in &candidates {
            verdicts.select(version.original());
        }
        for version in &beyond {
            verdicts.reject(version.original(), Rejection::BeyondLimit { limit });
        }
        let versions = candidates.iter().map(|version| version.original().to_owned()).collect();
        (versions, verdicts)
    }

    /// What is stored of a search.
    pub fn result(&self, subscription_name: &str, versions: Vec<String>) -> ChartDiscoveryResult {
        let subscription_name = subscription_name.to_owned();
        ChartDiscoveryResult { subscription_name, versions, ..self.header.clone() }
    }

    /// Indexes are written by people; tags of registries are made of versions that were checked.
    fn check(&self, listed: &str) -> Result<Version, Rejection> {
        let text = self.repository.version_of(listed);
        let version = match self.repository {
            ChartRepository::Http { .. } => Version::parse_lenient(&text),
            ChartRepository::Oci(_) => Version::parse_strict(&text),
        };
        let version = version.map_err(|_| Rejection::NotAVersion)?;
        self.constraint.check(&version)?;
        Ok(version)
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::warehouse::ChartSubscription;
    use proptest::prelude::*;

    use super::{ChartSelector, Verdicts};

    fn selector(url: &str, constraint: &str, limit: i32) -> ChartSelector {
        ChartSelector::new(&ChartSubscription {
            repo_url: url.into(),
            name: "app".into(),
            semver_constraint: constraint.into(),
            discovery_limit: limit,
            ..ChartSubscription::default()
        })
        .unwrap()
    }

    fn select(selector: &ChartSelector, listed: &[&str]) -> Vec<String> {
        selector.select(listed.iter().map(|text| (*text).to_owned()), Verdicts::none()).0
    }

    #[test]
    fn an_index_may_hold_what_people_write() {
        let http = selector("https://charts.example.com", "", 0);
        let listed = ["1.0", "v1.2.0", "latest", "1.2.0-rc.1", "", "1.2.0+b1", "1.2.0"];
        assert_eq!(select(&http, &listed), ["v1.2.0", "1.2.0+b1", "1.2.0", "1.2.0-rc.1", "1.0"]);
    }

    #[test]
    fn tags_of_a_registry_are_full_versions_with_plus_as_underscore() {
        let oci = selector("oci://ghcr.io/acme/app", ">=1", 2);
        let listed = ["1.0", "v9.9.9", "1.2.0_b.2", "0.1.0", "1.0.0", "1.1.0"];
        assert_eq!(select(&oci, &listed), ["1.2.0+b.2", "1.1.0"]);
        assert!(oci.considers("1.2.0_b.2") && !oci.considers("0.1.0"));
    }

    #[test]
    fn verdicts_say_why() {
        let http = selector("http://charts.example.com", "^1", 1);
        let listed = ["x", "2.0.0", "1.0.0", "1.1.0"].map(str::to_owned);
        let (versions, verdicts) = http.select(listed, Verdicts::up_to(9));
        assert_eq!(http.result("web", versions).versions, ["1.1.0"]);
        let entries = verdicts.entries().iter();
        let texts: Vec<_> = entries.map(|(text, verdict)| format!("{text}: {verdict}")).collect();
        assert_eq!(
            texts,
            [
                "x: not a version",
                "2.0.0: constraint ^1 not satisfied",
                "1.1.0: selected",
                "1.0.0: beyond the limit of 1",
            ]
        );
    }

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_order_of_the_listing(
            listed in proptest::collection::btree_set("v?[0-2](\\.[0-2]){0,2}(-rc\\.[01])?", 0..15),
            turn in 0_usize..15,
        ) {
            let http = selector("https://charts.example.com", "", 5);
            let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
            let mut turned = listed.clone();
            turned.rotate_left(turn % listed.len().max(1));
            prop_assert_eq!(select(&http, &listed), select(&http, &turned));
        }
    }
}
