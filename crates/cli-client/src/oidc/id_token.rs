//! Whether an ID token is what it says: from this provider, for this client, of this login, and not over.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use core_clock::Time;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Provider,
    key::{Algorithm, Key},
};
use crate::{Error, token};

/// How far the clocks of a provider and of a user may be apart.
const LEEWAY: Duration = Duration::from_mins(1);

#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// Verifies a token with the keys of its provider.
pub(super) async fn verify(
    provider: &Provider,
    token: &str,
    nonce: Option<&str>,
    now: Time,
) -> Result<(), Error> {
    let claims = token::claims(token).ok_or_else(|| refused("it is no JWT"))?;
    check_claims(provider, &claims, nonce, now)?;
    let (header, signed, signature) = parts(token).ok_or_else(|| refused("it is no JWT"))?;
    let algorithm = Algorithm::named(&header.alg)
        .ok_or_else(|| refused(&format!("its signature is of an unknown kind {:?}", header.alg)))?;
    let keys: KeySet = provider.get(&provider.endpoints.jwks_uri).await?;
    let mut keys = keys.keys.iter().filter_map(Key::read).filter(|key| key.fits(algorithm));
    let is_signed = keys.any(|key| {
        key.is_named(header.kid.as_deref()) && key.verifies(algorithm, signed, &signature)
    });
    if is_signed { Ok(()) } else { Err(refused("its signature is not of the identity provider")) }
}

fn check_claims(
    provider: &Provider,
    claims: &Value,
    nonce: Option<&str>,
    now: Time,
) -> Result<(), Error> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("iss") != provider.endpoints.issuer {
        return Err(refused("another provider issued it"));
    }
    let audience = claims.get("aud").cloned().unwrap_or_default();
    let is_audience = match &audience {
        Value::String(one) => *one == provider.client_id,
        Value::Array(many) => many.iter().any(|one| *one == provider.client_id),
        _ => false,
    };
    if !is_audience {
        return Err(refused("it is for another client"));
    }
    if token::end_of(claims).unwrap_or_default() + LEEWAY <= now {
        return Err(refused("it is over"));
    }
    match nonce {
        Some(nonce) if text("nonce") != nonce => Err(refused("it is of another login")),
        _ => Ok(()),
    }
}

/// Header, signed text and signature.
fn parts(token: &str) -> Option<(Header, &[u8], Vec<u8>)> {
    let (signed, signature) = token.rsplit_once('.')?;
    let (header, _) = signed.split_once('.')?;
    let header = serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(header).ok()?).ok()?;
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
    Some((header, signed.as_bytes(), signature))
}

fn refused(reason: &str) -> Error {
    Error::Oidc(format!("the ID token is refused: {reason}"))
}
