//! Bearer tokens: kept from sight, and read only for when they end.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use core_clock::Time;
use serde_json::Value;

/// A token that is never printed by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(String);

impl BearerToken {
    /// A token as it was issued.
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(***)")
    }
}

/// When a JWT ends. `None` for what is no JWT or never ends. Nothing is verified: the server does that.
pub fn expiry(token: &str) -> Option<Time> {
    end_of(&claims(token)?)
}

/// The end that claims name. JSON knows no whole numbers, so that `1.7e9` is one too.
pub(crate) fn end_of(claims: &Value) -> Option<Time> {
    let seconds = claims.get("exp")?;
    let whole = seconds.as_i64();
    #[expect(clippy::cast_possible_truncation, reason = "a cast from a float saturates")]
    let seconds = whole.or_else(|| seconds.as_f64().map(|seconds| seconds as i64))?;
    Some(Time::from_seconds(seconds))
}

/// The claims of a JWT, unverified.
pub(crate) fn claims(token: &str) -> Option<Value> {
    let mut parts = token.split('.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jwt(claims: &str) -> String {
        format!("e30.{}.c2ln", BASE64_URL_SAFE_NO_PAD.encode(claims))
    }

    #[test]
    fn the_end_of_a_jwt_is_read() {
        assert_eq!(expiry(&jwt(r#"{"exp":1700000000}"#)), Some(Time::from_seconds(1_700_000_000)));
        assert_eq!(expiry(&jwt(r#"{"exp":1.7e9}"#)), Some(Time::from_seconds(1_700_000_000)));
    }

    #[test]
    fn what_is_no_jwt_or_never_ends_has_no_end() {
        for token in ["opaque", "a.b", "a.b.c.d", &jwt("{}"), &jwt("[]"), "x.!.y", ""] {
            assert_eq!(expiry(token), None, "{token}");
        }
    }
}
