//! Which objects of one Stage or Warehouse go.

use std::cmp::Reverse;

use api_kinds::ObjectMeta;
use core_clock::Time;

use super::policy::{Limit, Reckoning};
use crate::wire_time;

/// What tells an object from another of the same name that comes after it, and from itself after a
/// change.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// The version that was looked at.
    pub resource_version: String,
}

impl From<&ObjectMeta> for Identity {
    fn from(metadata: &ObjectMeta) -> Self {
        Self {
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone().unwrap_or_default(),
            resource_version: metadata.resource_version.clone().unwrap_or_default(),
        }
    }
}

/// An object that may go.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) identity: &'a Identity,
    /// When it came into being; unknown counts as now.
    pub(super) since: Option<Time>,
    pub(super) is_used: bool,
}

impl Candidate<'_> {
    /// Newest first, equal ones by name, so that the choice does not depend on the order of lists.
    fn order(&self) -> impl Ord + use<> {
        let since = self.since.unwrap_or(Time::from_micros(i64::MAX));
        Reverse((since, self.identity.name.clone()))
    }

    fn is_old(&self, limit: &Limit, now: Time) -> bool {
        self.since.is_some_and(|since| now.since(since) >= limit.min_age)
    }
}

/// The objects that go, newest first.
pub(super) fn select<'a>(
    mut candidates: Vec<Candidate<'a>>,
    limit: &Limit,
    reckoning: Reckoning,
    now: Time,
) -> Vec<&'a Identity> {
    candidates.sort_by_cached_key(Candidate::order);
    let surplus: Vec<Candidate<'a>> = match reckoning {
        Reckoning::ByUse => {
            let unused = candidates.into_iter().filter(|candidate| !candidate.is_used);
            unused.skip(limit.max).collect()
        }
        Reckoning::ByPosition => {
            let oldest_used = candidates.iter().rposition(|candidate| candidate.is_used);
            let kept = oldest_used.map_or(0, |index| index + 1).saturating_add(limit.max);
            candidates.into_iter().skip(kept).collect()
        }
    };
    let old = surplus.into_iter().filter(|candidate| candidate.is_old(limit, now));
    old.map(|candidate| candidate.identity).collect()
}

/// When an object was created.
pub(super) fn created_at(metadata: &ObjectMeta) -> Option<Time> {
    metadata.creation_timestamp.as_ref().map(wire_time::from_wire)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, time::Duration};

    use proptest::prelude::*;

    use super::*;

    const NOW: Time = Time::from_seconds(1_000);

    /// Age in seconds, if known, and whether the object is in use.
    type Described = (Option<u16>, bool);

    fn identities(count: usize) -> Vec<Identity> {
        let named = |number| Identity { name: format!("{number:03}"), ..Identity::default() };
        (0..count).map(named).collect()
    }

    fn candidates<'a>(names: &'a [Identity], described: &[Described]) -> Vec<Candidate<'a>> {
        let candidate = |(identity, &(age, is_used)): (&'a Identity, &Described)| Candidate {
            identity,
            since: age.map(|age| NOW - Duration::from_secs(age.into())),
            is_used,
        };
        names.iter().zip(described).map(candidate).collect()
    }

    fn selected(described: &[Described], max: usize, age: u64, by: Reckoning) -> BTreeSet<usize> {
        let names = identities(described.len());
        let limit = Limit { max, min_age: Duration::from_secs(age) };
        let gone = select(candidates(&names, described), &limit, by, NOW);
        gone.iter().map(|identity| identity.name.parse().unwrap()).collect()
    }

    /// Upstream's rule as its documentation has it, one object at a time.
    fn naive(described: &[Described], max: usize, age: u64) -> BTreeSet<usize> {
        let age_of = |index: usize| described[index].0.map_or(-1, i64::from);
        let is_newer = |one: usize, other: usize| {
            (age_of(one), Reverse(one)) < (age_of(other), Reverse(other))
        };
        let all = 0..described.len();
        let gone = all.clone().filter(|&object| {
            if described.len() <= max || age_of(object) < i64::try_from(age).unwrap() {
                return false;
            }
            let used_and_as_old = |other: usize| described[other].1 && !is_newer(other, object);
            if all.clone().any(used_and_as_old) {
                return false;
            }
            let newer_unprotected = all.clone().filter(|&other| {
                let protects = |used: usize| described[used].1 && !is_newer(used, other);
                is_newer(other, object) && !all.clone().any(protects)
            });
            newer_unprotected.count() >= max
        });
        gone.filter(|&object| described[object].0.is_some()).collect()
    }

    #[test]
    fn one_old_object_in_use_keeps_newer_ones_by_position_only() {
        let described = [(Some(10), false), (Some(20), false), (Some(30), true), (Some(40), false)];
        assert_eq!(selected(&described, 0, 5, Reckoning::ByPosition), [3].into());
        assert_eq!(selected(&described, 0, 5, Reckoning::ByUse), [0, 1, 3].into());
    }

    #[test]
    fn age_counts_from_the_limit_on_and_an_unknown_one_never() {
        let described = [(Some(99), false), (Some(100), false), (None, false)];
        assert_eq!(selected(&described, 0, 100, Reckoning::ByUse), [1].into());
        assert_eq!(selected(&described, 0, 0, Reckoning::ByPosition), [0, 1].into());
    }

    fn described() -> impl Strategy<Value = Vec<Described>> {
        let one = (prop::option::weighted(0.9, 0_u16..40), prop::bool::weighted(0.2));
        prop::collection::vec(one, 0..30)
    }

    proptest! {
        #[test]
        fn what_is_in_use_young_or_among_the_newest_stays(
            described in described(), max in 0_usize..12, age in 0_u64..40,
        ) {
            for by in [Reckoning::ByUse, Reckoning::ByPosition] {
                let gone = selected(&described, max, age, by);
                let unused = described.iter().filter(|(_, is_used)| !is_used).count();
                prop_assert!(unused - gone.len() >= max.min(unused));
                for index in gone {
                    let (object_age, is_used) = described[index];
                    prop_assert!(!is_used);
                    prop_assert!(object_age.is_some_and(|found| u64::from(found) >= age));
                }
            }
        }

        #[test]
        fn by_use_nothing_newer_goes_before_something_older(
            described in described(), max in 0_usize..12,
        ) {
            let gone = selected(&described, max, 0, Reckoning::ByUse);
            let age = |index: usize| described[index].0;
            let kept = (0..described.len()).filter(|&index| {
                !described[index].1 && !gone.contains(&index) && age(index).is_some()
            });
            for kept in kept {
                prop_assert!(gone.iter().all(|&gone| age(gone) >= age(kept)));
            }
        }

        #[test]
        fn by_position_it_is_what_upstream_does(
            described in described(), max in 0_usize..12, age in 0_u64..40,
        ) {
            let ours = selected(&described, max, age, Reckoning::ByPosition);
            prop_assert_eq!(ours, naive(&described, max, age));
        }

        #[test]
        fn by_use_never_keeps_more_than_by_position(
            described in described(), max in 0_usize..12, age in 0_u64..40,
        ) {
            let by_use = selected(&described, max, age, Reckoning::ByUse);
            prop_assert!(by_use.is_superset(&selected(&described, max, age, Reckoning::ByPosition)));
        }
    }
}
