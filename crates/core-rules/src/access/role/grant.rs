//! Giving a role to people or rights to a role, and taking either back.

use std::collections::BTreeSet;

use api_rest::body::{Claim, GrantOrRevoke, ResourceDetails};
use k8s_openapi::api::rbac::v1::PolicyRule;

use super::change::{Plan, RoleError, plan, set_claims};
use super::parts::Parts;
use super::rules::{Discovery, Star, expand, group_of, normalize};

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RoleChange<'a> {
    /// Other people have the role.
    Claims(&'a [Claim]),
    /// The role may do something else.
    Permission(&'a ResourceDetails),
}

/// The change that a request asks for; when there are two, that of people.
pub fn role_change(request: &GrantOrRevoke) -> Result<RoleChange<'_>, RoleError> {
    if request.role.is_empty() {
        return Err(RoleError::RoleMissing);
    }
    match (&request.user_claims, &request.resource_details) {
        (Some(people), _) => Ok(RoleChange::Claims(&people.claims)),
        (None, Some(permission)) => Ok(RoleChange::Permission(permission)),
        (None, None) => Err(RoleError::NothingToChange),
    }
}

/// Gives the role to more people, and with it everything that it may do.
pub fn grant_claims(parts: &Parts, people: &[Claim]) -> Result<Plan, RoleError> {
    parts.check_manageable()?;
    let mut claims = parts.claims()?;
    for claim in people {
        claims.add(&claim.name, claim.values.iter().map(String::as_str));
    }
    let mut account = parts.account.clone();
    set_claims(&mut account.metadata, &claims);
    plan(parts, parts.rules(), None, account)
}

/// Takes the role from people.
pub fn revoke_claims(parts: &Parts, people: &[Claim]) -> Result<Plan, RoleError> {
    parts.check_manageable()?;
    let mut claims = parts.claims()?;
    for claim in people {
        claims.remove(&claim.name, claim.values.iter().map(String::as_str));
    }
    let mut account = parts.account.clone();
    set_claims(&mut account.metadata, &claims);
    plan(parts, Vec::new(), None, account)
}

/// Lets the role do more.
pub fn grant_permission(
    parts: &Parts,
    permission: &ResourceDetails,
    discovery: &Discovery,
) -> Result<Plan, RoleError> {
    parts.check_manageable()?;
    let group = group_of(&permission.resource_type, discovery)?;
    let name = Some(permission.resource_name.clone()).filter(|name| !name.is_empty());
    let rule = PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(vec![permission.resource_type.clone()]),
        resource_names: name.map(|name| vec![name]),
        verbs: permission.verbs.clone(),
        ..PolicyRule::default()
    };
    let granted = normalize(std::slice::from_ref(&rule), Star::WithCustom);
    let mut rules = parts.rules();
    rules.push(rule);
    let rules = normalize(&rules, Star::WithCustom);
    plan(parts, granted, Some(rules), parts.account.clone())
}

/// Lets the role do less. One object stands for itself; without one, rules about single objects
/// lose the verbs too.
pub fn revoke_permission(
    parts: &Parts,
    permission: &ResourceDetails,
    discovery: &Discovery,
) -> Result<Plan, RoleError> {
    parts.check_manageable()?;
    let resource = &permission.resource_type;
    let group = group_of(resource, discovery)?;
    if parts.roles.is_empty() {
        return plan(parts, Vec::new(), None, parts.account.clone());
    }
    let taken = expand(&permission.verbs, resource, Star::WithCustom);
    let mut rules = normalize(&parts.rules(), Star::WithCustom);
    for rule in &mut rules {
        if is_about(rule, group, resource, &permission.resource_name) {
            let kept: BTreeSet<String> = rule.verbs.drain(..).collect();
            rule.verbs = kept.difference(&taken).cloned().collect();
        }
    }
    rules.retain(|rule| !rule.verbs.is_empty());
    plan(parts, Vec::new(), Some(rules), parts.account.clone())
}

/// Whether a rule in normal form is about this resource and, if one is named, this object.
fn is_about(rule: &PolicyRule, group: &str, resource: &str, name: &str) -> bool {
    let is_only = |list: &Option<Vec<String>>, text: &str| {
        list.as_deref().is_some_and(|list| list.iter().all(|entry| entry == text))
    };
    is_only(&rule.api_groups, group)
        && is_only(&rule.resources, resource)
        && (name.is_empty() || is_only(&rule.resource_names, name))
}
