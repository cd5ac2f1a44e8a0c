//! How much is kept, and for how long.

use std::{collections::BTreeMap, str::FromStr, time::Duration};

const DEFAULT: Limit = Limit { max: 20, min_age: Duration::from_hours(336) };

/// What is kept of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// So many stay although they are not in use.
    pub max: usize,
    /// What is younger stays too.
    pub min_age: Duration,
}

/// From where retained objects are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reckoning {
    /// Only objects that are not in use count.
    #[default]
    ByUse,
    /// Upstream's rule: those behind the oldest object in use count.
    ByPosition,
}

/// What is kept of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Promotions and PromotionRequests, per Stage.
    pub promotions: Limit,
    /// Freight, per Warehouse.
    pub freight: Limit,
    /// AnalysisRuns, per Stage.
    pub analysis_runs: Limit,
    /// From where they are counted.
    pub reckoning: Reckoning,
    /// Whether Freight that is approved for a Stage, or that somebody gave an alias, is in use.
    pub keep_aliased: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            promotions: DEFAULT,
            freight: DEFAULT,
            analysis_runs: DEFAULT,
            reckoning: Reckoning::default(),
            keep_aliased: false,
        }
    }
}

/// A Project asks for a limit that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("annotation {annotation} is {value:?}; it must be {expected}")]
pub struct OverrideError {
    annotation: &'static str,
    value: String,
    expected: &'static str,
}

impl Policy {
    /// The policy with the limits that annotations of a Project's ProjectConfig name.
    pub fn overridden_by(
        mut self,
        annotations: &BTreeMap<String, String>,
    ) -> Result<Self, OverrideError> {
        let overrides = Overrides(annotations);
        overrides.number("gc.kargo.akuity.io/max-retained-promotions", &mut self.promotions.max)?;
        overrides
            .age("gc.kargo.akuity.io/min-promotion-deletion-age", &mut self.promotions.min_age)?;
        overrides.number("gc.kargo.akuity.io/max-retained-freight", &mut self.freight.max)?;
        overrides.age("gc.kargo.akuity.io/min-freight-deletion-age", &mut self.freight.min_age)?;
        overrides
            .number("gc.kargo.akuity.io/max-retained-analysis-runs", &mut self.analysis_runs.max)?;
        overrides.age(
            "gc.kargo.akuity.io/min-analysis-run-deletion-age",
            &mut self.analysis_runs.min_age,
        )?;
        Ok(self)
    }
}

struct Overrides<'a>(&'a BTreeMap<String, String>);

impl Overrides<'_> {
    fn number(&self, annotation: &'static str, limit: &mut usize) -> Result<(), OverrideError> {
        self.apply(annotation, limit, "a number, 0 or more", |text| usize::from_str(text).ok())
    }

    fn age(&self, annotation: &'static str, limit: &mut Duration) -> Result<(), OverrideError> {
        let read = |text: &str| api_kinds::Duration::from_str(text).ok()?.try_into().ok();
        self.apply(annotation, limit, "a duration such as 336h", read)
    }

    fn apply<T>(
        &self,
        annotation: &'static str,
        limit: &mut T,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<(), OverrideError> {
        let Some(value) = self.0.get(annotation) else { return Ok(()) };
        let shown = || value.chars().take(64).collect();
        *limit =
            read(value).ok_or_else(|| OverrideError { annotation, value: shown(), expected })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, time::Duration};

    use super::Policy;

    fn annotations(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let named = |(name, value): &(&str, &str)| {
            (format!("gc.kargo.akuity.io/{name}"), (*value).to_owned())
        };
        pairs.iter().map(named).collect()
    }

    #[test]
    fn a_project_changes_the_limits_it_names_and_no_others() {
        let asked =
            annotations(&[("max-retained-freight", "3"), ("min-promotion-deletion-age", "1h30m")]);
        let policy = Policy::default().overridden_by(&asked).unwrap();
        assert_eq!(policy.freight.max, 3);
        assert_eq!(policy.promotions.min_age, Duration::from_mins(90));
        assert_eq!(policy.promotions.max, 20);
        assert_eq!(policy.analysis_runs, Policy::default().analysis_runs);
    }

    #[test]
    fn a_limit_that_is_none_is_refused_by_name() {
        for (name, value) in [
            ("max-retained-freight", "-1"),
            ("max-retained-promotions", "many"),
            ("min-freight-deletion-age", "-1h"),
            ("min-analysis-run-deletion-age", "2 weeks"),
        ] {
            let refused = Policy::default().overridden_by(&annotations(&[(name, value)]));
            let text = refused.unwrap_err().to_string();
            assert!(text.contains(name) && text.contains(value), "{text}");
        }
    }
}
