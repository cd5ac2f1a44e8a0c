//! Signed tokens: taken apart, and their claims checked. Whether the signature holds is for the
//! owner of the key to say, and which algorithm counts is never the token's choice.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use core_clock::Time;
use serde_json::{Map, Value};

/// Longer tokens are refused before anything is decoded; people in many groups have long ones.
const MAX_BYTES: usize = 64 * 1024;

/// A token whose signature nobody has checked yet.
pub(crate) struct Unverified<'a> {
    /// What is signed.
    pub(crate) signed: &'a [u8],
    /// The signature.
    pub(crate) signature: Vec<u8>,
    /// What the token says it is signed with.
    pub(crate) algorithm: String,
    /// The key that it says it is signed with.
    pub(crate) key_id: Option<String>,
    /// Who it says issued it.
    pub(crate) issuer: String,
    claims: Map<String, Value>,
}

/// Why a token is not taken. For the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("the token is not a JSON Web Token")]
    Malformed,
    #[error("the algorithm of the token is not accepted")]
    Algorithm,
    #[error("no key of the issuer has signed the token")]
    Signature,
    #[error("the token has no time of expiry")]
    NoExpiry,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token is for somebody else")]
    Audience,
    #[error("the token has no subject")]
    Subject,
    #[error("the claim that names the user is not a text")]
    Username,
}

impl<'a> Unverified<'a> {
    /// Takes a token apart.
    pub(crate) fn parse(token: &'a str) -> Result<Self, TokenError> {
        if token.len() > MAX_BYTES {
            return Err(TokenError::Malformed);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(TokenError::Malformed)?;
        let (header, claims) = (object(header)?, object(claims)?);
        // Extensions that must be understood are not.
        if header.contains_key("crit") {
            return Err(TokenError::Malformed);
        }
        let text = |map: &Map<String, Value>, name: &str| {
            map.get(name).and_then(Value::as_str).map(str::to_owned)
        };
        Ok(Self {
            signed: signed.as_bytes(),
            signature: URL_SAFE_NO_PAD.decode(signature).map_err(|_| TokenError::Malformed)?,
            algorithm: text(&header, "alg").ok_or(TokenError::Malformed)?,
            key_id: text(&header, "kid"),
            issuer: text(&claims, "iss").unwrap_or_default(),
            claims,
        })
    }

    /// The claims, once the signature was found to hold.
    pub(crate) fn into_claims(self) -> Map<String, Value> {
        self.claims
    }
}

/// Refuses claims that do not hold now or are not for one of `audiences`; says until when they hold.
pub(crate) fn check<'a>(
    claims: &Map<String, Value>,
    audiences: impl IntoIterator<Item = &'a str>,
    now: Time,
    leeway: Leeway,
) -> Result<Time, TokenError> {
    let expires = moment(claims, "exp").ok_or(TokenError::NoExpiry)?;
    if now.as_seconds() >= expires.saturating_add(leeway.after) {
        return Err(TokenError::Expired);
    }
    let not_before = moment(claims, "nbf").unwrap_or(i64::MIN);
    if now.as_seconds().saturating_add(leeway.before) < not_before {
        return Err(TokenError::NotYet);
    }
    if !audiences.into_iter().any(|audience| is_for(claims, audience)) {
        return Err(TokenError::Audience);
    }
    Ok(Time::from_seconds(expires.saturating_add(leeway.after)))
}

/// How far clocks may differ, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Leeway {
    /// Before a token begins to hold.
    pub(crate) before: i64,
    /// After it has expired.
    pub(crate) after: i64,
}

fn is_for(claims: &Map<String, Value>, audience: &str) -> bool {
    match claims.get("aud") {
        Some(Value::String(one)) => one == audience,
        Some(Value::Array(many)) => many.iter().any(|one| one == audience),
        _ => false,
    }
}

fn moment(claims: &Map<String, Value>, name: &str) -> Option<i64> {
    let value = claims.get(name)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates, and such a time is absurd anyway"
    )]
    value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))
}

fn object(text: &str) -> Result<Map<String, Value>, TokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| TokenError::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const LEEWAY: Leeway = Leeway { before: 60, after: 0 };

    fn check_at(now: i64, claims: Value) -> Result<Time, TokenError> {
        check(claims.as_object().unwrap(), ["web", "cli"], Time::from_seconds(now), LEEWAY)
    }

    #[test]
    fn times_and_audience_are_checked() {
        let good = json!({"exp": 100, "nbf": 10, "aud": ["x", "cli"]});
        assert_eq!(check_at(50, good.clone()), Ok(Time::from_seconds(100)));
        assert_eq!(check_at(100, good.clone()), Err(TokenError::Expired));
        assert_eq!(check_at(-60, good), Err(TokenError::NotYet));
        assert_eq!(check_at(50, json!({"aud": "web"})), Err(TokenError::NoExpiry));
        assert_eq!(check_at(50, json!({"exp": 100, "aud": "other"})), Err(TokenError::Audience));
        assert_eq!(check_at(50, json!({"exp": 100})), Err(TokenError::Audience));
        assert!(check_at(50, json!({"exp": 100.5, "aud": "web"})).is_ok());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[A-Za-z0-9_.-]{0,80}") {
            drop(Unverified::parse(&text));
        }
    }
}
