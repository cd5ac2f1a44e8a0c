//! Requests in annotations: who asks is written by us, not by them.

use api_kinds::{ObjectMeta, annotations};

use super::{
    caller::Caller,
    metadata::{annotation, set_annotation},
};
use crate::request::{AbortRequest, VerificationRequest};

/// Writes into a new or changed abort request of a Promotion who asks.
pub(super) fn sign_abort(metadata: &mut ObjectMeta, old: Option<&ObjectMeta>, caller: &Caller<'_>) {
    let parse =
        |metadata: &ObjectMeta| AbortRequest::parse(annotation(metadata, annotations::ABORT)?);
    let Some(mut request) = parse(metadata) else { return };
    if old.and_then(parse).as_ref() == Some(&request) {
        return;
    }
    sign(&mut request.actor, &mut request.control_plane, caller);
    set_annotation(metadata, annotations::ABORT, Some(request.to_annotation()));
}

/// Writes into a new or changed request about a verification who asks.
pub(super) fn sign_verification(
    metadata: &mut ObjectMeta,
    old: Option<&ObjectMeta>,
    key: &str,
    caller: &Caller<'_>,
) {
    let parse = |metadata: &ObjectMeta| VerificationRequest::parse(annotation(metadata, key)?);
    let Some(mut request) = parse(metadata) else { return };
    if old.and_then(parse).as_ref() == Some(&request) {
        return;
    }
    sign(&mut request.actor, &mut request.control_plane, caller);
    set_annotation(metadata, key, Some(request.to_annotation()));
}

fn sign(actor: &mut String, control_plane: &mut bool, caller: &Caller<'_>) {
    *control_plane = caller.is_control_plane();
    if !caller.is_control_plane() {
        *actor = caller.actor();
    }
}

/// Says which new request annotations will have no effect.
pub(super) fn warn(metadata: &ObjectMeta, old: Option<&ObjectMeta>, keys: &[&str]) -> Vec<String> {
    let is_ignored = |key: &str| {
        let value = annotation(metadata, key);
        let is_new = old.and_then(|old| annotation(old, key)) != value;
        is_new && value.is_some_and(|value| !is_request(value))
    };
    keys.iter()
        .filter(|key| is_ignored(key))
        .map(|key| format!("annotation {key}: the value is not a request and will be ignored"))
        .collect()
}

fn is_request(value: &str) -> bool {
    VerificationRequest::parse(value).is_some() || AbortRequest::parse(value).is_some()
}

#[cfg(test)]
mod tests {
    use api_kinds::{Promotion, annotations};

    use super::{sign_abort, warn};
    use crate::admission::{fixture, metadata::annotation};

    fn signed(value: &str, old: Option<&str>, user: &str) -> String {
        let promotion = |value: &str| {
            let mut promotion = Promotion::default();
            super::set_annotation(
                &mut promotion.metadata,
                annotations::ABORT,
                Some(value.to_owned()),
            );
            promotion
        };
        let mut new = promotion(value);
        let old = old.map(promotion);
        let user = fixture::user(user);
        let identities = fixture::identities();
        let old = old.as_ref().map(|old| &old.metadata);
        sign_abort(&mut new.metadata, old, &identities.caller(&user));
        annotation(&new.metadata, annotations::ABORT).unwrap_or_default().to_owned()
    }

    #[test]
    fn who_asks_is_written_by_us() {
        let by_alice = r#"{"action":"terminate","actor":"kubernetes:alice"}"#;
        assert_eq!(signed("terminate", None, "alice"), by_alice);
        let forged = r#"{"action":"terminate","actor":"email:x","controlPlane":true}"#;
        assert_eq!(signed(forged, None, "alice"), by_alice);
        assert_eq!(
            signed(r#"{"action":"terminate","actor":"email:x"}"#, None, fixture::API),
            forged
        );
    }

    #[test]
    fn what_did_not_change_or_is_no_request_is_left_alone() {
        assert_eq!(signed("terminate", Some("terminate"), "alice"), "terminate");
        assert_eq!(signed("123", None, "alice"), "123");
        let mut promotion = Promotion::default();
        super::set_annotation(&mut promotion.metadata, annotations::ABORT, Some("123".into()));
        assert_eq!(warn(&promotion.metadata, None, &[annotations::ABORT]).len(), 1);
        assert!(
            warn(&promotion.metadata, Some(&promotion.metadata), &[annotations::ABORT]).is_empty()
        );
    }
}
