//! Nobody grants what they do not have: a role may only be written, or bound, by those who hold all of its rules, or who
//! may `escalate` or `bind` it.

mod cover;

use emb_auth::{Attributes, Rule, Target};
use emb_kinds::BuiltInKind;
use emb_meta::{GroupResource, ObjectExt, Status};
use emb_store::Key;
use serde_json::Value;

use crate::call::Call;

const RBAC: &str = "rbac.authorization.k8s.io";

/// Refuses a role or binding that would give its subjects more than the caller has.
pub(crate) fn check_escalation(
    call: &Call,
    new: &Value,
    old: Option<&Value>,
) -> Result<(), Status> {
    if call.identity.is_master() {
        return Ok(());
    }
    let gives_nothing = || old.is_some_and(|old| only_lets_go(new, old));
    let granted = match call.served.resource.built_in() {
        Some(BuiltInKind::Role | BuiltInKind::ClusterRole) => {
            let plural = &call.served.resource.plural;
            if gives_nothing() || may(call, "escalate", plural, call.name()) {
                return Ok(());
            }
            rules_of(new)
        }
        Some(BuiltInKind::RoleBinding | BuiltInKind::ClusterRoleBinding) => {
            let (resource, name) = reference(new);
            if gives_nothing() || may(call, "bind", resource, name) {
                return Ok(());
            }
            bound_rules(call, resource, name)?
        }
        _ => return Ok(()),
    };
    let held = held_rules(call);
    let missing = cover::missing(&held, &granted);
    if missing.is_empty() {
        return check_aggregation(call, &held, new, old);
    }
    let why = format!(
        "user {:?} (groups=[{}]) is attempting to grant RBAC permissions not currently held:\n{}",
        call.identity.user,
        cover::quoted(&call.identity.groups),
        cover::shown(&missing)
    );
    Err(Status::forbidden(&call.served.group_resource, new.name(), &why))
}

/// Who has a role gather others comes to whatever those have, so that takes every right there is.
fn check_aggregation(
    call: &Call,
    held: &[Rule],
    new: &Value,
    old: Option<&Value>,
) -> Result<(), Status> {
    let gathers = |role: &Value| {
        let selectors = role.pointer("/aggregationRule/clusterRoleSelectors");
        selectors.and_then(Value::as_array).is_some_and(|selectors| !selectors.is_empty())
    };
    let is_asked = gathers(new) || old.is_some_and(gathers);
    if !is_asked || cover::missing(held, &everything()).is_empty() {
        return Ok(());
    }
    let why = "must have cluster-admin privileges to use the aggregationRule";
    Err(Status::forbidden(&call.served.group_resource, new.name(), why))
}

/// Whether nothing changes but what keeps an object from going away: that gives nobody anything.
fn only_lets_go(new: &Value, old: &Value) -> bool {
    let rest = |object: &Value| {
        let mut rest = object.clone();
        for field in ["finalizers", "ownerReferences", "managedFields", "resourceVersion"] {
            rest.metadata_mut().remove(field);
        }
        rest
    };
    rest(new) == rest(old)
}

fn may(call: &Call, verb: &str, resource: &str, name: &str) -> bool {
    let target = Target::Resource {
        group: RBAC,
        version: "v1",
        resource,
        subresource: "",
        namespace: call.namespace(),
        name,
    };
    let attributes = Attributes { identity: &call.identity, verb, target };
    call.state.rbac.read().authorize(&attributes).is_allowed()
}

fn rules_of(role: &Value) -> Vec<Rule> {
    let listed = role.get("rules").and_then(Value::as_array);
    let rules = listed.into_iter().flatten();
    rules.filter_map(|rule| serde_json::from_value(rule.clone()).ok()).collect()
}

fn everything() -> [Rule; 2] {
    let any = || vec!["*".to_owned()];
    [
        Rule { verbs: any(), api_groups: any(), resources: any(), ..Rule::default() },
        Rule { verbs: any(), non_resource_urls: any(), ..Rule::default() },
    ]
}

/// The resource and name of the role that a binding refers to.
fn reference(binding: &Value) -> (&'static str, &str) {
    let resource = match binding.text(&["roleRef", "kind"]) {
        "ClusterRole" => "clusterroles",
        _ => "roles",
    };
    (resource, binding.text(&["roleRef", "name"]))
}

fn bound_rules(call: &Call, resource: &str, name: &str) -> Result<Vec<Rule>, Status> {
    let namespace = if resource == "roles" { call.namespace() } else { "" };
    let roles = GroupResource::new(RBAC, resource);
    let role = call.state.store.get(&Key::new(&roles, namespace, name));
    // The resource of the refusal is the binding's, the name the role's: so clients know it.
    let missing = || Status::not_found(&call.served.group_resource, name);
    role.map(|role| rules_of(&role.value())).ok_or_else(missing)
}

fn held_rules(call: &Call) -> Vec<Rule> {
    let held = call.state.rbac.read().rules_for(&call.identity, call.namespace());
    held.resource_rules
        .into_iter()
        .chain(held.non_resource_rules)
        .filter_map(|rule| serde_json::from_value(rule).ok())
        .collect()
}
