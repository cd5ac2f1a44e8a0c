//! The check of a record. Revisions claim one order of all writes; these rules hold it to what clients saw and when:
//!
//! 1. no two writes share a revision, and a write that was asked for after another was confirmed has a higher one;
//! 2. a write that had to replace a revision replaced exactly that one: nothing was lost in between;
//! 3. a read shows a version that somebody wrote, and none older than what was known to anybody when it was asked for;
//! 4. a list shows, for its own revision, the last version of every object, and its revision is not older than anything
//!    known when it was asked for.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::record::{Seen, Version, What};

/// The versions of each object in the order of revisions.
type Versions = BTreeMap<usize, BTreeMap<u64, u64>>;

/// Holds a record against the rules; the first breach is the error.
pub(crate) fn check(record: &[Seen]) -> Result<(), String> {
    let versions = written(record)?;
    replaced(record, &versions)?;
    shown(record, &versions)?;
    in_time(record)
}

/// All versions: confirmed ones, and tried ones that a read has shown.
fn written(record: &[Seen]) -> Result<Versions, String> {
    let mut versions = Versions::new();
    let mut revisions = BTreeSet::new();
    let mut tried = BTreeSet::new();
    for seen in record {
        match &seen.what {
            What::Wrote { object, version, .. } => {
                if !revisions.insert(version.revision) {
                    return Err(format!("two writes share a revision: {seen:?}"));
                }
                versions.entry(*object).or_default().insert(version.revision, version.value);
            }
            What::Tried { object, value } => drop(tried.insert((*object, *value))),
            What::Read { .. } | What::Listed { .. } => {}
        }
    }
    for seen in record {
        for (object, version) in versions_in(&seen.what) {
            if tried.contains(&(object, version.value)) {
                versions.entry(object).or_default().insert(version.revision, version.value);
            }
        }
    }
    Ok(versions)
}

fn versions_in(what: &What) -> Vec<(usize, Version)> {
    match what {
        What::Wrote { object, version, .. } | What::Read { object, version } => {
            vec![(*object, *version)]
        }
        What::Listed { versions, .. } => {
            versions.iter().map(|(object, version)| (*object, *version)).collect()
        }
        What::Tried { .. } => Vec::new(),
    }
}

/// Rule 2.
fn replaced(record: &[Seen], versions: &Versions) -> Result<(), String> {
    for seen in record {
        let What::Wrote { object, version, after: Some(after) } = &seen.what else { continue };
        let between =
            versions.get(object).and_then(|all| all.range(after + 1..version.revision).next());
        if let Some((revision, value)) = between {
            return Err(format!("revision {revision} (value {value}) was lost by {seen:?}"));
        }
    }
    Ok(())
}

/// Rules 3 and 4, as far as they are about contents.
fn shown(record: &[Seen], versions: &Versions) -> Result<(), String> {
    for seen in record {
        for (object, version) in versions_in(&seen.what) {
            let known = versions.get(&object).and_then(|all| all.get(&version.revision));
            if known != Some(&version.value) {
                return Err(format!("{version:?} of object {object} was never written: {seen:?}"));
            }
        }
        let What::Listed { revision, versions: listed } = &seen.what else { continue };
        for (object, all) in versions {
            let last = all.range(..=revision).next_back().map(|(revision, _)| *revision);
            let shown = listed.get(object).map(|version| version.revision);
            if last != shown {
                return Err(format!(
                    "object {object} was at {last:?}, shown at {shown:?}: {seen:?}"
                ));
            }
        }
    }
    Ok(())
}

/// What happens in time: something became known, or somebody asks.
enum Moment<'r> {
    Known(&'r Seen),
    Asked(&'r Seen),
}

/// The rules about time: nobody is shown less than was known when they asked.
fn in_time(record: &[Seen]) -> Result<(), String> {
    let known = record.iter().map(|seen| (seen.answered, Moment::Known(seen)));
    let asked = record.iter().map(|seen| (seen.asked, Moment::Asked(seen)));
    let mut moments: Vec<(Instant, Moment<'_>)> = known.chain(asked).collect();
    moments.sort_by_key(|(when, _)| *when);
    let mut newest: BTreeMap<usize, u64> = BTreeMap::new();
    let mut newest_of_all = 0;
    for (_, moment) in moments {
        match moment {
            Moment::Known(seen) => {
                for (object, version) in versions_in(&seen.what) {
                    let newest = newest.entry(object).or_default();
                    *newest = (*newest).max(version.revision);
                    newest_of_all = newest_of_all.max(version.revision);
                }
                if let What::Listed { revision, .. } = &seen.what {
                    newest_of_all = newest_of_all.max(*revision);
                }
            }
            Moment::Asked(seen) => {
                let (least, got) = match &seen.what {
                    What::Wrote { version, .. } => (newest_of_all + 1, version.revision),
                    What::Read { object, version } => {
                        (newest.get(object).copied().unwrap_or(0), version.revision)
                    }
                    What::Listed { revision, .. } => (newest_of_all, *revision),
                    What::Tried { .. } => continue,
                };
                if got < least {
                    return Err(format!("{least} was known, {got} was shown: {seen:?}"));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Exchanges one after the other.
    fn one_by_one(exchanges: Vec<What>) -> Vec<Seen> {
        let start = Instant::now();
        let at = |number: usize| start + Duration::from_millis(number as u64);
        exchanges
            .into_iter()
            .enumerate()
            .map(|(number, what)| Seen {
                asked: at(2 * number),
                answered: at(2 * number + 1),
                what,
            })
            .collect()
    }

    fn wrote(revision: u64, after: Option<u64>) -> What {
        What::Wrote { object: 0, version: Version { revision, value: revision * 10 }, after }
    }

    fn read(revision: u64) -> What {
        What::Read { object: 0, version: Version { revision, value: revision * 10 } }
    }

    fn listed(revision: u64, shown: u64) -> What {
        let version = Version { revision: shown, value: shown * 10 };
        What::Listed { revision, versions: BTreeMap::from([(0, version)]) }
    }

    #[test]
    fn reads_that_follow_the_writes_pass() {
        let record = vec![wrote(5, None), read(5), wrote(7, Some(5)), listed(9, 7), read(7)];
        assert_eq!(check(&one_by_one(record)), Ok(()));
    }

    #[test]
    fn an_old_read_is_found() {
        let record = vec![wrote(5, None), wrote(7, None), read(5)];
        assert!(check(&one_by_one(record)).unwrap_err().contains("7 was known, 5 was shown"));
    }

    #[test]
    fn an_old_read_is_fine_while_the_write_is_under_way() {
        let mut record = one_by_one(vec![wrote(5, None), wrote(7, None), read(5)]);
        record[2].asked = record[1].asked;
        assert_eq!(check(&record), Ok(()));
    }

    #[test]
    fn a_lost_update_is_found() {
        let record = vec![wrote(5, None), wrote(6, Some(5)), wrote(7, Some(5))];
        assert!(check(&one_by_one(record)).unwrap_err().contains("was lost"));
    }

    #[test]
    fn a_list_without_a_write_that_its_revision_covers_is_found() {
        let record = vec![wrote(5, None), wrote(7, None), listed(8, 5)];
        assert!(check(&one_by_one(record)).unwrap_err().contains("was at Some(7)"));
    }

    #[test]
    fn a_write_without_an_answer_may_have_happened_or_not() {
        let tried = What::Tried { object: 0, value: 60 };
        let seen = one_by_one(vec![wrote(5, None), tried.clone(), read(6)]);
        assert_eq!(check(&seen), Ok(()));
        let not_seen = one_by_one(vec![wrote(5, None), tried, read(5)]);
        assert_eq!(check(&not_seen), Ok(()));
        let gone = one_by_one(vec![wrote(5, None), read(6)]);
        assert!(check(&gone).unwrap_err().contains("never written"));
    }
}
