//! Who a bearer token stands for.

use base64::{Engine, engine::general_purpose::STANDARD};
use emb_auth::{Claims, Identity};
use emb_meta::{GroupResource, ObjectExt, Status};
use emb_store::Key;
use serde_json::Value;

use crate::{request::Info, state::State};

/// The caller of a request from the network. No credentials make an anonymous caller, wrong ones none.
pub(crate) fn authenticate(state: &State, info: &Info) -> Result<Identity, Status> {
    let header = info.header("authorization");
    if header.is_empty() {
        return Ok(Identity::anonymous());
    }
    let (scheme, token) = header.split_once(' ').ok_or_else(Status::unauthorized)?;
    if !scheme.eq_ignore_ascii_case("bearer") || token.trim().is_empty() {
        return Err(Status::unauthorized());
    }
    verify_token(state, token.trim(), &[])
        .map(|verified| verified.identity)
        .map_err(|_| Status::unauthorized())
}

/// A token that was accepted.
pub(crate) struct Verified {
    pub(crate) identity: Identity,
    /// The audiences it is good for, among those asked for.
    pub(crate) audiences: Vec<String>,
}

/// Accepts a token for any of `audiences`; none means the API server itself. The error is for people.
pub(crate) fn verify_token(
    state: &State,
    token: &str,
    audiences: &[String],
) -> Result<Verified, String> {
    let because = |problem: String| format!("[invalid bearer token, {problem}]");
    let own = vec![emb_auth::TokenKeys::issuer().to_owned()];
    let wanted = if audiences.is_empty() { own.as_slice() } else { audiences };
    if let Some(identity) = state.static_tokens.iter().find_map(|known| known.check(token)) {
        return accept(identity.clone(), &own, wanted).map_err(because);
    }
    let now = state.clock.now();
    let claims = state.tokens.verify(token, now).map_err(|error| error.to_string())?;
    check_objects(state, &claims, token).map_err(because)?;
    let mut identity = Identity::service_account(&claims.namespace, &claims.name, &claims.uid);
    if !claims.id.is_empty() {
        let key = "authentication.kubernetes.io/credential-id".to_owned();
        identity.extra.insert(key, vec![format!("JTI={}", claims.id)]);
    }
    let good_for = if claims.legacy { &own } else { &claims.audiences };
    accept(identity, good_for, wanted).map_err(because)
}

fn accept(identity: Identity, good_for: &[String], wanted: &[String]) -> Result<Verified, String> {
    let audiences: Vec<String> =
        wanted.iter().filter(|audience| good_for.contains(audience)).cloned().collect();
    if audiences.is_empty() {
        return Err(format!(
            "token audiences {good_for:?} is invalid for the target audiences {wanted:?}"
        ));
    }
    Ok(Verified { identity, audiences })
}

/// A token dies with its ServiceAccount and with the Secret it is bound to.
fn check_objects(state: &State, claims: &Claims, token: &str) -> Result<(), String> {
    let get = |resource: &str, name: &str| {
        let resource = GroupResource::new("", resource);
        state.store.get(&Key::new(&resource, claims.namespace.as_str(), name))
    };
    let account = get("serviceaccounts", &claims.name)
        .ok_or_else(|| "service account does not exist".to_owned())?;
    if *account.uid != *claims.uid {
        return Err("service account UID does not match the claim".to_owned());
    }
    let Some(bound) = &claims.secret else { return Ok(()) };
    let secret = get("secrets", &bound.name)
        .ok_or_else(|| "service account token has been invalidated".to_owned())?;
    if claims.legacy {
        let object = secret.value();
        if object.is_terminating() || stored_token(&object).as_deref() != Some(token.as_bytes()) {
            return Err("service account token has been invalidated".to_owned());
        }
    } else if *secret.uid != *bound.uid {
        return Err("secret UID does not match the claim".to_owned());
    }
    Ok(())
}

fn stored_token(secret: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(secret.text(&["data", "token"])).ok()
}
