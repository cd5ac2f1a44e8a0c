//! What a restore did.

use std::fmt;

use super::put::Outcome;
use crate::{
    Collection, Resource,
    object::{self, Key},
};

/// How many names are told one by one.
const TOLD: usize = 20;

/// What a restore did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    rows: Vec<Row>,
    refused: Vec<String>,
    /// Whether webhooks were taken out and put back.
    pub(super) webhooks: bool,
    tokens: Vec<String>,
    ended: Vec<String>,
}

/// One kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    resource: String,
    created: usize,
    changed: usize,
    unchanged: usize,
    kept: usize,
    refused: usize,
}

impl Report {
    /// What is not in the target as it should be.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// How many objects were created, changed and found unchanged.
    pub fn counts(&self) -> [usize; 3] {
        let sum = |count: fn(&Row) -> usize| self.rows.iter().map(count).sum();
        [sum(|row| row.created), sum(|row| row.changed), sum(|row| row.unchanged)]
    }

    pub(super) fn add(&mut self, resource: &Resource, key: &Key, outcome: Outcome) {
        let name = resource.full_name();
        if self.rows.last().is_none_or(|last| last.resource != name) {
            self.rows.push(Row { resource: name, ..Row::default() });
        }
        let Some(row) = self.rows.last_mut() else { return };
        match outcome {
            Outcome::Created => row.created += 1,
            Outcome::Changed => row.changed += 1,
            Outcome::Unchanged => row.unchanged += 1,
            Outcome::Kept => row.kept += 1,
            Outcome::Refused(why) => {
                row.refused += 1;
                self.refused.push(format!("{key}: {why}"));
            }
        }
    }

    pub(super) fn refuse(&mut self, key: &Key, why: &str) {
        self.refused.push(format!("{key}: {why}"));
    }

    /// What is not the same afterwards, however well all went.
    pub(super) fn tell_of(&mut self, collection: &Collection, expected: &Collection) {
        let pairs = collection.by_resource().zip(expected.by_resource());
        for ((resource, before), (_, after)) in pairs {
            for (before, after) in before.iter().zip(after) {
                let key = Key::of(resource, after);
                if object::is_token(resource, after) {
                    self.tokens.push(key.to_string());
                }
                if object::text(before, "/status/phase") != object::text(after, "/status/phase") {
                    self.ended.push(key.to_string());
                }
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<46} {:>8} {:>8} {:>9} {:>6} {:>8}",
            "KIND", "CREATED", "CHANGED", "UNCHANGED", "KEPT", "REFUSED"
        )?;
        for Row { resource, created, changed, unchanged, kept, refused } in &self.rows {
            writeln!(
                f,
                "{resource:<46} {created:>8} {changed:>8} {unchanged:>9} {kept:>6} {refused:>8}"
            )?;
        }
        if self.webhooks {
            writeln!(f, "webhooks were taken out for the time, and are back")?;
        }
        tell(
            f,
            "ended, because it had not when the backup was made (--resume lets it go on)",
            &self.ended,
        )?;
        tell(f, "has a new token: give it to whoever uses the old one", &self.tokens)?;
        tell(f, "refused", &self.refused)
    }
}

fn tell(f: &mut fmt::Formatter<'_>, what: &str, names: &[String]) -> fmt::Result {
    for name in names.iter().take(TOLD) {
        writeln!(f, "{what}: {name}")?;
    }
    match names.len().saturating_sub(TOLD) {
        0 => Ok(()),
        more => writeln!(f, "{what}: and {more} more"),
    }
}
