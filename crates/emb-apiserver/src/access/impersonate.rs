//! Acting as somebody else, for those who may.

use emb_auth::{Identity, Target};
use emb_meta::{Reason, Status};

use super::decide;
use crate::{request::Info, request::path::decode, state::State};

const EXTRA: &str = "impersonate-extra-";

/// The identity that the impersonation headers name; `None` when there are none.
pub(crate) fn impersonate(
    state: &State,
    caller: &Identity,
    info: &Info,
) -> Result<Option<Identity>, Status> {
    let user = info.header("impersonate-user");
    let asks = |name: &str| info.headers.keys().any(|key| key.as_str().starts_with(name));
    if user.is_empty() {
        if asks("impersonate-") {
            return Err(Status::new(
                Reason::BadRequest,
                "requested impersonation without impersonating a user",
            ));
        }
        return Ok(None);
    }
    let identity = requested(info, user);
    check(state, caller, info, &identity)?;
    Ok(Some(with_implied_groups(identity)))
}

fn requested(info: &Info, user: &str) -> Identity {
    let values = |name: &str| -> Vec<String> {
        let all = info.headers.get_all(name).iter();
        all.filter_map(|value| value.to_str().ok()).map(str::to_owned).collect()
    };
    let mut identity = Identity {
        user: user.to_owned(),
        uid: info.header("impersonate-uid").to_owned(),
        groups: values("impersonate-group"),
        ..Identity::default()
    };
    for name in info.headers.keys().filter(|name| name.as_str().starts_with(EXTRA)) {
        let key = name.as_str().strip_prefix(EXTRA).and_then(decode).unwrap_or_default();
        identity.extra.insert(key, values(name.as_str()));
    }
    identity
}

fn check(state: &State, caller: &Identity, info: &Info, wanted: &Identity) -> Result<(), Status> {
    let ask = |group: &str, resource: &str, subresource: &str, namespace: &str, name: &str| {
        let target =
            Target::Resource { group, version: "v1", resource, subresource, namespace, name };
        decide(state, caller, "impersonate", target).map(|_| ())
    };
    match service_account(&wanted.user) {
        Some((namespace, name)) => ask("", "serviceaccounts", "", namespace, name)?,
        None => ask("", "users", "", "", &wanted.user)?,
    }
    for group in &wanted.groups {
        ask("", "groups", "", "", group)?;
    }
    if !info.header("impersonate-uid").is_empty() {
        ask("authentication.k8s.io", "uids", "", "", &wanted.uid)?;
    }
    for (key, values) in &wanted.extra {
        for value in values {
            ask("authentication.k8s.io", "userextras", key, "", value)?;
        }
    }
    Ok(())
}

/// Groups that a caller of this name has whether they are asked for or not.
fn with_implied_groups(mut identity: Identity) -> Identity {
    let mut implied = Vec::new();
    if let (Some((namespace, _)), true) =
        (service_account(&identity.user), identity.groups.is_empty())
    {
        implied.push("system:serviceaccounts".to_owned());
        implied.push(format!("system:serviceaccounts:{namespace}"));
    }
    let anonymous = identity.user == "system:anonymous";
    implied.push(if anonymous { "system:unauthenticated" } else { "system:authenticated" }.into());
    for group in implied {
        if !identity.groups.contains(&group) {
            identity.groups.push(group);
        }
    }
    identity
}

/// Namespace and name of a ServiceAccount; a user whose name only begins like one is a user.
fn service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    let is_account = !namespace.is_empty() && !name.is_empty() && !name.contains(':');
    is_account.then_some((namespace, name))
}
