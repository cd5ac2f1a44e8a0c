//! Whether two control planes hold the same.

use std::{collections::BTreeMap, fmt};

use serde_json::Value;

use crate::{
    Collection, Resource,
    content::{content, difference, digest},
    object::{self, Key},
};

/// How many differences are told one by one.
const TOLD: usize = 20;

/// What a control plane holds in comparison with what it should.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    rows: Vec<Row>,
    differences: Vec<String>,
}

/// One kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    resource: String,
    expected: usize,
    found: usize,
    same: usize,
}

impl Comparison {
    /// Whether everything is there and as it should be.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// What is missing or different.
    pub fn differences(&self) -> &[String] {
        &self.differences
    }

    fn add(&mut self, resource: &Resource, expected: &[Value], found: &[Value]) {
        let of_found: BTreeMap<Key, &Value> =
            found.iter().map(|one| (Key::of(resource, one), one)).collect();
        let mut same = 0;
        for object in expected {
            let key = Key::of(resource, object);
            let wanted = content(resource, object);
            match of_found.get(&key).map(|found| content(resource, found)) {
                None => self.differences.push(format!("{key} is missing")),
                Some(there) if digest(&there) == digest(&wanted) => same += 1,
                Some(there) => {
                    let place = difference(&wanted, &there).unwrap_or_default();
                    self.differences.push(format!("{key} differs in {place}"));
                }
            }
        }
        if !(expected.is_empty() && found.is_empty()) {
            let (expected, found) = (expected.len(), found.len());
            self.rows.push(Row { resource: resource.full_name(), expected, found, same });
        }
    }

    /// Owners are named by uids, which no server takes from another.
    fn check_owners(&mut self, found: &Collection) {
        let uids = found.uids();
        for (resource, objects) in found.by_resource() {
            for object in objects {
                let lost = object::owners(object)
                    .iter()
                    .find(|owner| is_moved(owner) && !uids.contains(object::text(owner, "/uid")));
                if let Some(owner) = lost {
                    let (key, owner) = (Key::of(resource, object), object::text(owner, "/name"));
                    self.differences
                        .push(format!("{key} belongs to another {owner} than there is"));
                }
            }
        }
    }
}

/// Whether the owner is of a kind that is moved.
fn is_moved(owner: &Value) -> bool {
    let (version, kind) = (object::text(owner, "/apiVersion"), object::text(owner, "/kind"));
    crate::RESOURCES.iter().any(|one| one.kind == kind && one.api_version() == version)
}

/// Compares every object of `expected` with what was `found`. What was found beyond it is counted only.
pub fn compare(expected: &Collection, found: &Collection) -> Comparison {
    let mut comparison = Comparison::default();
    for ((resource, expected), (_, found)) in expected.by_resource().zip(found.by_resource()) {
        comparison.add(resource, expected, found);
    }
    comparison.check_owners(found);
    comparison
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<46} {:>8} {:>8} {:>8}", "KIND", "SOURCE", "TARGET", "SAME")?;
        for Row { resource, expected, found, same } in &self.rows {
            writeln!(f, "{resource:<46} {expected:>8} {found:>8} {same:>8}")?;
        }
        for told in self.differences.iter().take(TOLD) {
            writeln!(f, "{told}")?;
        }
        match self.differences.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => writeln!(f, "and {more} more"),
        }
    }
}
