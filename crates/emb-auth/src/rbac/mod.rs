//! Role-based access control over the committed RBAC objects.
//!
//! Bindings are indexed by subject, so a decision costs what the caller's own bindings cost, however many others exist.

mod binding;
mod rule;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use emb_meta::GroupResource;
use serde_json::{Value, json};

pub use rule::Rule;

use self::binding::{Binding, Subject};
use crate::{Attributes, Decision, Identity, Target};

/// Namespace and name; the namespace is empty for cluster-wide objects.
type ObjectKey = (String, String);

/// The index of all roles and bindings.
#[derive(Clone, Debug, Default)]
pub struct Rbac {
    roles: BTreeMap<ObjectKey, Arc<[Rule]>>,
    bindings: BTreeMap<ObjectKey, Binding>,
    by_subject: BTreeMap<Subject, BTreeSet<ObjectKey>>,
}

/// A rule on resources as `SelfSubjectRulesReview` lists it.
pub type ResourceRule = Value;
/// A rule on paths as `SelfSubjectRulesReview` lists it.
pub type NonResourceRule = Value;

/// All that a caller may do in a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesFor {
    /// Rules on resources.
    pub resource_rules: Vec<ResourceRule>,
    /// Rules on paths.
    pub non_resource_rules: Vec<NonResourceRule>,
}

impl Rbac {
    /// Takes over a committed change: the object as it is now, or `None` when it was deleted. Other resources are ignored.
    pub fn apply(
        &mut self,
        resource: &GroupResource,
        namespace: &str,
        name: &str,
        object: Option<&Value>,
    ) {
        if &*resource.group != "rbac.authorization.k8s.io" {
            return;
        }
        let key = (namespace.to_owned(), name.to_owned());
        match &*resource.resource {
            "roles" | "clusterroles" => self.apply_role(key, object),
            "rolebindings" | "clusterrolebindings" => self.apply_binding(key, object),
            _ => {}
        }
    }

    /// Decides one request.
    pub fn authorize(&self, attributes: &Attributes<'_>) -> Decision {
        if attributes.identity.is_master() {
            return Decision::Allowed { reason: String::new() };
        }
        let namespace = match attributes.target {
            Target::Resource { namespace, .. } => namespace,
            Target::NonResource { .. } => "",
        };
        let granted = self.grants(attributes.identity, namespace).find(|grant| {
            grant.rules.iter().any(|rule| rule.allows(attributes.verb, &attributes.target))
        });
        granted.map_or(Decision::Denied, |grant| Decision::Allowed { reason: grant.reason() })
    }

    /// Everything a caller may do in `namespace`, duplicates removed.
    pub fn rules_for(&self, identity: &Identity, namespace: &str) -> RulesFor {
        let mut all = RulesFor::default();
        let masters = [Rule {
            verbs: vec!["*".into()],
            api_groups: vec!["*".into()],
            resources: vec!["*".into()],
            non_resource_urls: vec!["*".into()],
            ..Rule::default()
        }];
        let own = if identity.is_master() { masters.as_slice() } else { &[] };
        for rule in own.iter().chain(self.grants(identity, namespace).flat_map(|grant| grant.rules))
        {
            all.add(rule);
        }
        all
    }

    fn apply_role(&mut self, key: ObjectKey, object: Option<&Value>) {
        match object {
            None => drop(self.roles.remove(&key)),
            Some(object) => {
                let rules = object.get("rules").and_then(Value::as_array);
                // Stored roles passed validation; one that cannot be read grants nothing.
                let rules = rules.into_iter().flatten().filter_map(Rule::deserialize_from);
                self.roles.insert(key, rules.collect());
            }
        }
    }

    fn apply_binding(&mut self, key: ObjectKey, object: Option<&Value>) {
        if let Some(old) = self.bindings.remove(&key) {
            for subject in &old.subjects {
                if let Some(keys) = self.by_subject.get_mut(subject) {
                    keys.remove(&key);
                    if keys.is_empty() {
                        self.by_subject.remove(subject);
                    }
                }
            }
        }
        if let Some(object) = object {
            let binding = Binding::parse(object);
            for subject in &binding.subjects {
                self.by_subject.entry(subject.clone()).or_default().insert(key.clone());
            }
            self.bindings.insert(key, binding);
        }
    }

    /// The caller's grants that count in `namespace`: cluster-wide bindings first.
    fn grants<'a>(
        &'a self,
        identity: &Identity,
        namespace: &'a str,
    ) -> impl Iterator<Item = Grant<'a>> {
        let subjects = subjects_of(identity);
        let found: Vec<Grant<'a>> = subjects
            .iter()
            .filter_map(|subject| self.by_subject.get_key_value(subject))
            .flat_map(|(subject, keys)| keys.iter().map(move |key| (subject, key)))
            .filter(|(_, key)| key.0.is_empty() || key.0 == namespace)
            .filter_map(|(subject, key)| self.grant(subject, key))
            .collect();
        let (cluster, local): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|grant| grant.namespace.is_empty());
        cluster.into_iter().chain(local)
    }

    fn grant<'a>(&'a self, subject: &'a Subject, key: &'a ObjectKey) -> Option<Grant<'a>> {
        let binding = self.bindings.get(key)?;
        let role_namespace = if binding.role_is_cluster { String::new() } else { key.0.clone() };
        // A binding to a role that does not exist grants nothing.
        let rules = self.roles.get(&(role_namespace, binding.role_name.clone()))?;
        Some(Grant { namespace: &key.0, name: &key.1, binding, subject, rules })
    }
}

struct Grant<'a> {
    namespace: &'a str,
    name: &'a str,
    binding: &'a Binding,
    subject: &'a Subject,
    rules: &'a [Rule],
}

impl Grant<'_> {
    fn reason(&self) -> String {
        let (kind, name) = if self.namespace.is_empty() {
            ("ClusterRoleBinding", self.name.to_owned())
        } else {
            ("RoleBinding", format!("{}/{}", self.name, self.namespace))
        };
        let role_kind = if self.binding.role_is_cluster { "ClusterRole" } else { "Role" };
        format!(
            "RBAC: allowed by {kind} {name:?} of {role_kind} {:?} to {}",
            self.binding.role_name,
            self.subject.shown()
        )
    }
}

impl RulesFor {
    fn add(&mut self, rule: &Rule) {
        if !rule.resources.is_empty() {
            let mut listed = json!({
                "verbs": rule.verbs, "apiGroups": rule.api_groups, "resources": rule.resources
            });
            if let (false, Some(object)) = (rule.resource_names.is_empty(), listed.as_object_mut())
            {
                object.insert("resourceNames".into(), json!(rule.resource_names));
            }
            push_new(&mut self.resource_rules, listed);
        }
        if !rule.non_resource_urls.is_empty() {
            let listed = json!({ "verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls });
            push_new(&mut self.non_resource_rules, listed);
        }
    }
}

impl Rule {
    fn deserialize_from(rule: &Value) -> Option<Self> {
        serde::Deserialize::deserialize(rule).ok()
    }
}

fn push_new(list: &mut Vec<Value>, item: Value) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn subjects_of(identity: &Identity) -> Vec<Subject> {
    let user = std::iter::once(Subject::User(identity.user.clone()));
    let account = Subject::service_account(&identity.user);
    let groups = identity.groups.iter().map(|group| Subject::Group(group.clone()));
    user.chain(account).chain(groups).collect()
}

#[cfg(test)]
mod tests;
