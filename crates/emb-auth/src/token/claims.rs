//! What a token says.

use core_clock::Time;
use serde_json::{Value, json};

/// Issuer and default audience of requested tokens.
pub(super) const ISSUER: &str = "https://kubernetes.default.svc";
/// Issuer of tokens in legacy Secrets.
pub(super) const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";

/// An object whose life bounds a token's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundObject {
    /// Name of the Secret.
    pub name: String,
    /// Uid of the Secret; empty for legacy tokens, which name it only.
    pub uid: String,
}

/// What to put into a new token.
#[derive(Clone, Debug)]
pub struct TokenRequest<'a> {
    /// Namespace of the ServiceAccount.
    pub namespace: &'a str,
    /// Name of the ServiceAccount.
    pub name: &'a str,
    /// Uid of the ServiceAccount.
    pub uid: &'a str,
    /// Audiences; empty means the API server.
    pub audiences: Vec<String>,
    /// A Secret that the token dies with.
    pub secret: Option<BoundObject>,
    /// Unique id of the token.
    pub id: String,
    /// From when it is valid.
    pub issued_at: Time,
    /// Until when it is valid.
    pub expires_at: Time,
}

/// A verified token's content. Whether the ServiceAccount and the Secret still exist is for the caller to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Namespace of the ServiceAccount.
    pub namespace: String,
    /// Name of the ServiceAccount.
    pub name: String,
    /// Uid of the ServiceAccount the token was made for.
    pub uid: String,
    /// Audiences; empty for legacy tokens, which are for the API server.
    pub audiences: Vec<String>,
    /// The Secret that the token dies with.
    pub secret: Option<BoundObject>,
    /// Unique id; empty for legacy tokens.
    pub id: String,
    /// Whether the token lives in a legacy Secret and is valid only while it stands there.
    pub legacy: bool,
}

impl TokenRequest<'_> {
    pub(super) fn to_claims(&self) -> Value {
        let mut kubernetes = json!({
            "namespace": self.namespace,
            "serviceaccount": { "name": self.name, "uid": self.uid },
        });
        if let (Some(secret), Some(object)) = (&self.secret, kubernetes.as_object_mut()) {
            object.insert("secret".into(), json!({ "name": secret.name, "uid": secret.uid }));
        }
        let audiences = if self.audiences.is_empty() {
            vec![ISSUER.to_owned()]
        } else {
            self.audiences.clone()
        };
        json!({
            "aud": audiences, "exp": self.expires_at.as_seconds(), "iat": self.issued_at.as_seconds(),
            "nbf": self.issued_at.as_seconds(), "iss": ISSUER, "jti": self.id,
            "sub": format!("system:serviceaccount:{}:{}", self.namespace, self.name),
            "kubernetes.io": kubernetes,
        })
    }
}

pub(super) fn legacy_claims(namespace: &str, name: &str, uid: &str, secret: &str) -> Value {
    json!({
        "iss": LEGACY_ISSUER,
        "kubernetes.io/serviceaccount/namespace": namespace,
        "kubernetes.io/serviceaccount/secret.name": secret,
        "kubernetes.io/serviceaccount/service-account.name": name,
        "kubernetes.io/serviceaccount/service-account.uid": uid,
        "sub": format!("system:serviceaccount:{namespace}:{name}"),
    })
}

/// Reads the claims of a token whose signature was verified; `None` when it is not one of ours or not valid now.
pub(super) fn read(claims: &Value, now: Time) -> Option<Claims> {
    match claims.get("iss")?.as_str()? {
        ISSUER => read_requested(claims, now),
        LEGACY_ISSUER => read_legacy(claims),
        _ => None,
    }
}

fn read_requested(claims: &Value, now: Time) -> Option<Claims> {
    let seconds = now.as_seconds();
    let in_time = claims.get("exp")?.as_i64()? > seconds && claims.get("nbf")?.as_i64()? <= seconds;
    if !in_time {
        return None;
    }
    let kubernetes = claims.get("kubernetes.io")?;
    let account = kubernetes.get("serviceaccount")?;
    let secret = kubernetes
        .get("secret")
        .map(|secret| Some(BoundObject { name: text(secret, "name")?, uid: text(secret, "uid")? }));
    Some(Claims {
        namespace: text(kubernetes, "namespace")?,
        name: text(account, "name")?,
        uid: text(account, "uid")?,
        audiences: claims
            .get("aud")?
            .as_array()?
            .iter()
            .filter_map(|audience| audience.as_str().map(str::to_owned))
            .collect(),
        // A `secret` claim that cannot be read must not make an unbound token out of a bound one.
        secret: match secret {
            None => None,
            Some(bound) => Some(bound?),
        },
        id: text(claims, "jti").unwrap_or_default(),
        legacy: false,
    })
}

fn read_legacy(claims: &Value) -> Option<Claims> {
    Some(Claims {
        namespace: text(claims, "kubernetes.io/serviceaccount/namespace")?,
        name: text(claims, "kubernetes.io/serviceaccount/service-account.name")?,
        uid: text(claims, "kubernetes.io/serviceaccount/service-account.uid")?,
        audiences: Vec::new(),
        secret: Some(BoundObject {
            name: text(claims, "kubernetes.io/serviceaccount/secret.name")?,
            uid: String::new(),
        }),
        id: String::new(),
        legacy: true,
    })
}

fn text(object: &Value, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}
