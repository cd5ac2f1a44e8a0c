//! The rules of a role in the form in which they are compared and shown: each about one group, one
//! resource and at most one name.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::rbac::v1::PolicyRule;

use super::super::attributes::{PROMOTE, plural};
use crate::fault::{Class, Fault};

/// What a star means in a role that we write.
pub const EVERY_VERB: [&str; 8] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// The groups that serve each resource, by its plural.
pub type Discovery = BTreeMap<String, BTreeSet<String>>;

/// What becomes of a star among the verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Star {
    /// Every verb that Kubernetes knows: for showing.
    Standard,
    /// The verbs of our own too: for writing.
    WithCustom,
    /// The star itself, which also means verbs that nobody has thought of: for judging rules that
    /// are stored as they are.
    Kept,
}

/// A rule that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Nothing serves such a resource.
    #[error("unrecognized resource type {resource:?}")]
    Unrecognized {
        /// The resource.
        resource: String,
    },
    /// The resource is named in the singular.
    #[error("unrecognized resource type {resource:?}; did you mean {plural:?}?")]
    Singular {
        /// The resource.
        resource: String,
        /// Its likely plural.
        plural: String,
    },
    /// The group must be said.
    #[error("ambiguous resource type {resource:?}; it is served by multiple API groups")]
    Ambiguous {
        /// The resource.
        resource: String,
    },
}

impl Fault for RuleError {
    fn class(&self) -> Class {
        Class::BadRequest
    }
}

/// Whether the resource is named in the plural.
pub fn check_resource(resource: &str) -> Result<(), RuleError> {
    let (base, rest) = resource.split_once('/').map_or((resource, ""), |(base, rest)| (base, rest));
    if base.ends_with('s') {
        return Ok(());
    }
    let resource = resource.to_owned();
    if !base.bytes().all(|byte| byte.is_ascii_alphabetic()) || base.is_empty() {
        return Err(RuleError::Unrecognized { resource });
    }
    let separator = if rest.is_empty() { "" } else { "/" };
    let plural = format!("{}{separator}{rest}", plural(base));
    Err(RuleError::Singular { resource, plural })
}

/// Whether every resource of the rules is named in the plural.
pub fn check_resources(rules: &[PolicyRule]) -> Result<(), RuleError> {
    let resources = rules.iter().flat_map(|rule| rule.resources.iter().flatten());
    resources.map(String::as_str).try_for_each(check_resource)
}

/// The group that serves a resource, subresources aside.
pub fn group_of<'a>(resource: &str, discovery: &'a Discovery) -> Result<&'a str, RuleError> {
    check_resource(resource)?;
    let base = resource.split('/').next().unwrap_or_default();
    let mut groups = discovery.get(base).into_iter().flatten();
    match (groups.next(), groups.next()) {
        (None, _) => Err(RuleError::Unrecognized { resource: resource.to_owned() }),
        (Some(group), None) => Ok(group),
        (Some(_), Some(_)) => Err(RuleError::Ambiguous { resource: resource.to_owned() }),
    }
}

/// Gives rules that name no group the groups of their resources.
pub fn resolve_groups(
    rules: &[PolicyRule],
    discovery: &Discovery,
) -> Result<Vec<PolicyRule>, RuleError> {
    let mut resolved = Vec::new();
    for rule in rules {
        if rule.api_groups.as_ref().is_some_and(|groups| !groups.is_empty()) {
            resolved.push(rule.clone());
            continue;
        }
        for resource in rule.resources.iter().flatten() {
            let group = group_of(resource, discovery)?;
            resolved.push(PolicyRule {
                api_groups: Some(vec![group.to_owned()]),
                resources: Some(vec![resource.clone()]),
                ..rule.clone()
            });
        }
    }
    Ok(resolved)
}

/// What one rule in normal form is about; sorts as rules are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::access) struct Subject {
    pub(in crate::access) group: String,
    pub(in crate::access) resource: String,
    pub(in crate::access) name: Option<String>,
}

impl Subject {
    fn key(&self) -> String {
        let group = if self.group.is_empty() { "core" } else { &self.group };
        match &self.name {
            Some(name) => format!("{group}/{}/{name}", self.resource),
            None => format!("{group}/{}", self.resource),
        }
    }
}

/// The rules in normal form, sorted. Rules without resources say nothing about objects and vanish.
pub fn normalize(rules: &[PolicyRule], star: Star) -> Vec<PolicyRule> {
    verbs_by_subject(rules, star).into_iter().map(|(subject, verbs)| rule(subject, verbs)).collect()
}

pub(in crate::access) fn verbs_by_subject(
    rules: &[PolicyRule],
    star: Star,
) -> Vec<(Subject, BTreeSet<String>)> {
    let mut by_key: BTreeMap<String, (Subject, BTreeSet<String>)> = BTreeMap::new();
    for rule in rules {
        for subject in subjects(rule) {
            let verbs = expand(&rule.verbs, &subject.resource, star);
            let entry = by_key.entry(subject.key()).or_insert_with(|| (subject, BTreeSet::new()));
            entry.1.extend(verbs);
        }
    }
    by_key.into_values().collect()
}

fn subjects(rule: &PolicyRule) -> Vec<Subject> {
    let core = [String::new()];
    let groups = rule.api_groups.as_deref().filter(|groups| !groups.is_empty()).unwrap_or(&core);
    let names: Vec<Option<String>> = match rule.resource_names.as_deref() {
        None | Some([]) => vec![None],
        Some(names) => names.iter().cloned().map(Some).collect(),
    };
    let mut subjects = Vec::new();
    for group in groups {
        for resource in rule.resources.iter().flatten() {
            for name in &names {
                let (group, resource) = (group.clone(), resource.clone());
                subjects.push(Subject { group, resource, name: name.clone() });
            }
        }
    }
    subjects
}

/// A star takes the place of what was said before it.
pub(super) fn expand(verbs: &[String], resource: &str, star: Star) -> BTreeSet<String> {
    let mut expanded = BTreeSet::new();
    for verb in verbs {
        if verb != "*" || star == Star::Kept {
            expanded.insert(verb.clone());
            continue;
        }
        expanded = EVERY_VERB.iter().map(ToString::to_string).collect();
        if star == Star::WithCustom && resource == "stages" {
            expanded.insert(PROMOTE.to_owned());
        }
    }
    expanded
}

fn rule(subject: Subject, verbs: BTreeSet<String>) -> PolicyRule {
    PolicyRule {
        api_groups: Some(vec![subject.group]),
        resources: Some(vec![subject.resource]),
        resource_names: subject.name.map(|name| vec![name]),
        verbs: verbs.into_iter().collect(),
        ..PolicyRule::default()
    }
}
