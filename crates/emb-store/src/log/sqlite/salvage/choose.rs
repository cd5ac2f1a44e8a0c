//! Which state of each object is put into the repaired store, and what has to be told about it.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Loss,
    find::{Findings, ObjectKey, Version},
};
use crate::{Key, log::sqlite::schema::unsigned};

/// What the repaired store is made of.
#[derive(Default)]
pub(super) struct Choice {
    /// Rows to copy, by the page that they start on.
    pub(super) rows: BTreeMap<u32, BTreeSet<i64>>,
    pub(super) losses: Vec<Loss>,
}

/// Chooses the last state of everything that was there.
pub(super) fn choose(findings: &Findings) -> Choice {
    let mut choice = Choice::default();
    let is_complete = findings.is_complete();
    let names: BTreeSet<&ObjectKey> =
        findings.current.keys().chain(findings.versions.keys()).collect();
    for name in names {
        let listed = findings.current.get(name).copied();
        if listed.is_none() && is_complete {
            // The list is whole and does not have it: what was found is the past of something deleted.
            continue;
        }
        let versions = findings.versions.get(name);
        choice.decide(findings, name, listed, versions.unwrap_or(&BTreeMap::new()));
    }
    choice
}

impl Choice {
    fn decide(
        &mut self,
        findings: &Findings,
        name: &ObjectKey,
        listed: Option<i64>,
        versions: &BTreeMap<i64, Version>,
    ) {
        let key = key(findings, name);
        let newest = versions.last_key_value();
        if newest
            .is_some_and(|(rev, version)| version.is_delete && listed.is_none_or(|at| at < *rev))
        {
            return; // deleted, whatever else is known
        }
        let state = versions.iter().rev().find(|(_, version)| !version.is_delete);
        let wanted = listed.or(newest.map(|(rev, _)| *rev)).unwrap_or(0);
        let Some((rev, version)) = state.filter(|_| findings.kinds.contains_key(&name.kind_id))
        else {
            self.losses.push(Loss::Lost { key, revision: unsigned(wanted) });
            return;
        };
        self.rows.entry(version.page).or_default().insert(*rev);
        if listed.is_none() {
            self.losses.push(Loss::Unlisted { key, revision: unsigned(*rev) });
        } else if *rev < wanted {
            let (revision, found) = (unsigned(wanted), unsigned(*rev));
            self.losses.push(Loss::Older { key, revision, found });
        }
    }
}

fn key(findings: &Findings, name: &ObjectKey) -> Key {
    let unknown = || emb_meta::GroupResource::new("", format!("kind {}", name.kind_id));
    let resource = findings.kinds.get(&name.kind_id).cloned().unwrap_or_else(unknown);
    Key::new(&resource, name.ns.as_str(), name.name.as_str())
}
