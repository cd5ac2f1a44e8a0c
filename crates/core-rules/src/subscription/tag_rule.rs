//! Which tags are candidates by their names, and which is better: the same rule for Git repositories
//! and images.

use core_pattern::{TagFilter, TagRefusal};
use core_semver::{Constraint, TagReading, Version, version_of_tag};

use super::{Rejection, Unusable, Verdicts};

/// The fields of a subscription that its tags are filtered by.
pub(super) struct TagFields<'a> {
    pub(super) allow_tags: &'a str,
    pub(super) ignore_tags: &'a [String],
    pub(super) allow_tags_regexes: &'a [String],
    pub(super) ignore_tags_regexes: &'a [String],
}

impl TagFields<'_> {
    fn filter(&self) -> Result<TagFilter, Unusable> {
        if !self.allow_tags.is_empty() {
            return Err(Unusable::DeprecatedField { field: "AllowTags" });
        }
        if !self.ignore_tags.is_empty() {
            return Err(Unusable::DeprecatedField { field: "IgnoreTags" });
        }
        Ok(TagFilter::parse(self.allow_tags_regexes, self.ignore_tags_regexes)?)
    }
}

/// What is asked of the name of a tag.
#[derive(Clone, Debug)]
pub(super) struct TagRule {
    filter: TagFilter,
    version: Option<VersionRule>,
}

impl TagRule {
    /// Any tag whose name passes the filter.
    pub(super) fn names(fields: &TagFields<'_>) -> Result<Self, Unusable> {
        Ok(Self { filter: fields.filter()?, version: None })
    }

    /// Tags whose name is a version besides.
    pub(super) fn versions(
        fields: &TagFields<'_>,
        constraint: &str,
        strict: Option<bool>,
    ) -> Result<Self, Unusable> {
        let version = VersionRule::new(constraint, strict)?;
        Ok(Self { filter: fields.filter()?, version: Some(version) })
    }

    pub(super) fn accepts(&self, tag: &str) -> bool {
        self.check(tag).is_ok()
    }

    /// The version that the tag stands for, if it must be one.
    pub(super) fn check(&self, tag: &str) -> Result<Option<Version>, Rejection> {
        check_name(&self.filter, tag)?;
        self.version.as_ref().map(|rule| rule.check(tag)).transpose()
    }

    /// Those that pass, the best first; the others are written down.
    pub(super) fn candidates(
        &self,
        tags: impl IntoIterator<Item = String>,
        verdicts: &mut Verdicts,
    ) -> Vec<String> {
        let mut passed = Vec::new();
        for tag in tags {
            match self.check(&tag) {
                Ok(version) => passed.push(Candidate { version, tag }),
                Err(rejection) => verdicts.reject(&tag, rejection),
            }
        }
        passed.sort_unstable_by(|left, right| right.cmp(left));
        passed.into_iter().map(|candidate| candidate.tag).collect()
    }
}

/// Greater is better: the higher version, then the name that comes later.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    version: Option<Version>,
    tag: String,
}

/// What is asked of a tag that must be a version.
#[derive(Clone, Debug)]
struct VersionRule {
    reading: TagReading,
    constraint: VersionConstraint,
}

impl VersionRule {
    fn new(constraint: &str, strict: Option<bool>) -> Result<Self, Unusable> {
        let is_strict = strict.unwrap_or_default();
        let reading = if is_strict { TagReading::Strict } else { TagReading::Lenient };
        Ok(Self { reading, constraint: VersionConstraint::parse(constraint)? })
    }

    fn check(&self, tag: &str) -> Result<Version, Rejection> {
        let version = version_of_tag(tag, self.reading).ok_or_else(|| {
            let is_version = version_of_tag(tag, TagReading::Lenient).is_some();
            if is_version { Rejection::NotAFullVersion } else { Rejection::NotAVersion }
        })?;
        self.constraint.check(&version)?;
        Ok(version)
    }
}

/// A constraint, or none.
#[derive(Clone, Debug)]
pub(super) struct VersionConstraint {
    parsed: Option<Constraint>,
    text: String,
}

impl VersionConstraint {
    /// An empty text constrains nothing, not even to releases.
    pub(super) fn parse(text: &str) -> Result<Self, Unusable> {
        let parse = || {
            Constraint::parse(text)
                .map_err(|source| Unusable::Constraint { constraint: text.to_owned(), source })
        };
        let parsed = if text.is_empty() { None } else { Some(parse()?) };
        Ok(Self { parsed, text: text.to_owned() })
    }

    pub(super) fn check(&self, version: &Version) -> Result<(), Rejection> {
        match &self.parsed {
            Some(constraint) if !constraint.matches(version) => {
                Err(Rejection::ConstraintNotSatisfied { constraint: self.text.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a filter takes a tag, with the reason when it does not.
fn check_name(filter: &TagFilter, tag: &str) -> Result<(), Rejection> {
    filter.check(tag).map_err(|refusal| match refusal {
        TagRefusal::Ignored(regex) => Rejection::Ignored { regex: regex.to_owned() },
        TagRefusal::NotAllowed => Rejection::NotAllowed,
    })
}

#[cfg(test)]
mod tests {
    use core_pattern::TagFilter;
    use proptest::prelude::*;

    use super::{Rejection, TagFields, TagRule, Verdicts, VersionRule, check_name};

    const ANY: TagFields<'_> = TagFields {
        allow_tags: "",
        ignore_tags: &[],
        allow_tags_regexes: &[],
        ignore_tags_regexes: &[],
    };

    #[test]
    fn names_are_rejected_for_a_reason() {
        let filter = TagFilter::parse(&["^v"], &["-rc"]).unwrap();
        assert_eq!(check_name(&filter, "v1"), Ok(()));
        assert_eq!(check_name(&filter, "1"), Err(Rejection::NotAllowed));
        assert_eq!(check_name(&filter, "v1-rc"), Err(Rejection::Ignored { regex: "-rc".into() }));
    }

    #[test]
    fn versions_are_rejected_for_a_reason() {
        let rule = VersionRule::new("^1", Some(true)).unwrap();
        let not_satisfied = Rejection::ConstraintNotSatisfied { constraint: "^1".into() };
        assert!(rule.check("v1.2.0").is_ok());
        assert_eq!(rule.check("1.2"), Err(Rejection::NotAFullVersion));
        assert_eq!(rule.check("latest"), Err(Rejection::NotAVersion));
        assert_eq!(rule.check("2.0.0"), Err(not_satisfied.clone()));
        assert_eq!(rule.check("1.2.0-rc.1"), Err(not_satisfied));
    }

    #[test]
    fn without_a_constraint_prereleases_count_and_an_unset_strictness_is_none() {
        let rule = VersionRule::new("", None).unwrap();
        assert!(rule.check("2.0.0-rc.1").is_ok());
        assert!(rule.check("1.2").is_ok());
        assert!(VersionRule::new("bad", None).is_err());
    }

    #[test]
    fn fields_that_are_no_longer_read_are_refused() {
        let fields = TagFields { ignore_tags: &["a".into()], ..ANY };
        let error = fields.filter().unwrap_err().to_string();
        assert!(error.starts_with("IgnoreTags is deprecated"), "{error}");
    }

    #[test]
    fn equal_versions_are_ordered_by_their_text() {
        let rule = TagRule::versions(&ANY, "", None).unwrap();
        let tags = ["1.0", "v1.0.0", "2.0.0-rc.1", "1.0.0", "x"].map(str::to_owned);
        let ordered = rule.candidates(tags, &mut Verdicts::none());
        assert_eq!(ordered, ["2.0.0-rc.1", "v1.0.0", "1.0.0", "1.0"]);
    }

    proptest! {
        #[test]
        fn the_order_does_not_depend_on_the_order_of_the_listing(
            tags in proptest::collection::btree_set("v?[0-2](\\.[0-2]){0,2}(-(a|rc)\\.[01])?|[a-z]{0,2}", 0..20),
            turn in 0_usize..20,
            is_version in any::<bool>(),
        ) {
            let rule = if is_version { TagRule::versions(&ANY, "", None) } else { TagRule::names(&ANY) };
            let rule = rule.unwrap();
            let listed: Vec<String> = tags.into_iter().collect();
            let mut turned = listed.clone();
            turned.rotate_left(turn % listed.len().max(1));
            let reversed = listed.iter().rev().cloned();
            let ordered = rule.candidates(listed.clone(), &mut Verdicts::none());
            prop_assert_eq!(&rule.candidates(turned, &mut Verdicts::none()), &ordered);
            prop_assert_eq!(&rule.candidates(reversed, &mut Verdicts::none()), &ordered);
            prop_assert_eq!(&rule.candidates(ordered.clone(), &mut Verdicts::none()), &ordered);
        }
    }
}
