//! The public keys of an identity provider.
//!
//! A key decides what may be verified with it: a token that names another algorithm than the key
//! is for is refused, so that a public key never serves as a shared secret.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

use super::jws::{TokenError, Unverified};

/// More keys than any provider has.
const MAX_KEYS: usize = 100;

/// What can be verified, by the names that tokens use. ES512 cannot: nobody here knows its curve.
pub(crate) const ALGORITHMS: [&str; 9] =
    ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];

/// The keys, and the algorithms that the provider says it uses.
#[derive(Default)]
pub(crate) struct KeySet {
    keys: Vec<Key>,
    algorithms: BTreeSet<String>,
}

struct Key {
    id: Option<String>,
    algorithm: Option<String>,
    material: Material,
}

enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    keys: Vec<Jwk>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: String,
    n: String,
    e: String,
    x: String,
    y: String,
}

impl KeySet {
    /// The keys of a document; those of no use are left out. `algorithms` are what the provider
    /// says it signs with; by default that is RS256.
    pub(crate) fn parse(document: &[u8], algorithms: &[String]) -> Result<Self, serde_json::Error> {
        let document: Document = serde_json::from_slice(document)?;
        let keys = document.keys.into_iter().take(MAX_KEYS).filter_map(Key::read).collect();
        let known = algorithms.iter().filter(|name| ALGORITHMS.contains(&name.as_str()));
        let mut algorithms: BTreeSet<String> = known.cloned().collect();
        if algorithms.is_empty() {
            algorithms.insert("RS256".to_owned());
        }
        Ok(Self { keys, algorithms })
    }

    /// Whether a key of this name is known; a token without one may be of any.
    pub(crate) fn knows(&self, key_id: Option<&str>) -> bool {
        self.candidates(key_id).next().is_some()
    }

    /// Whether one of the keys has signed the token.
    pub(crate) fn verify(&self, token: &Unverified<'_>) -> Result<(), TokenError> {
        if !self.algorithms.contains(&token.algorithm) {
            return Err(TokenError::Algorithm);
        }
        let mut candidates = self.candidates(token.key_id.as_deref());
        let is_signed = candidates.any(|key| key.has_signed(token));
        if is_signed { Ok(()) } else { Err(TokenError::Signature) }
    }

    fn candidates<'a>(&'a self, key_id: Option<&'a str>) -> impl Iterator<Item = &'a Key> {
        self.keys.iter().filter(move |key| match (key_id, &key.id) {
            (Some(asked), Some(id)) => asked == id,
            _ => true,
        })
    }
}

impl Key {
    fn read(jwk: Jwk) -> Option<Self> {
        if jwk.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |text: &str| {
            let text = text.trim_end_matches('=');
            URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| !bytes.is_empty())
        };
        let material = match (jwk.kty.as_str(), jwk.crv.as_str()) {
            ("RSA", _) => Material::Rsa { modulus: bytes(&jwk.n)?, exponent: bytes(&jwk.e)? },
            ("EC", "P-256") => Material::P256(point(&bytes(&jwk.x)?, &bytes(&jwk.y)?, 32)?),
            ("EC", "P-384") => Material::P384(point(&bytes(&jwk.x)?, &bytes(&jwk.y)?, 48)?),
            ("OKP", "Ed25519") => Material::Ed25519(bytes(&jwk.x)?),
            _ => return None,
        };
        Some(Self { id: jwk.kid, algorithm: jwk.alg, material })
    }

    fn has_signed(&self, token: &Unverified<'_>) -> bool {
        if self.algorithm.as_ref().is_some_and(|algorithm| *algorithm != token.algorithm) {
            return false;
        }
        let (signed, signature) = (token.signed, token.signature.as_slice());
        let verified = match (&self.material, token.algorithm.as_str()) {
            (Material::Rsa { modulus, exponent }, name) => {
                let Some(parameters) = rsa(name) else { return false };
                // Leading zeros are in some documents and are no part of the number.
                let stripped = modulus.iter().position(|byte| *byte != 0).unwrap_or(0);
                let n = modulus.get(stripped..).unwrap_or_default();
                RsaPublicKeyComponents { n, e: exponent.as_slice() }
                    .verify(parameters, signed, signature)
            }
            (Material::P256(key), "ES256") => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, key)
                    .verify(signed, signature)
            }
            (Material::P384(key), "ES384") => {
                UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, key)
                    .verify(signed, signature)
            }
            (Material::Ed25519(key), "EdDSA") => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(signed, signature)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}

fn rsa(algorithm: &str) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        "RS256" => &signature::RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &signature::RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &signature::RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &signature::RSA_PSS_2048_8192_SHA256,
        "PS384" => &signature::RSA_PSS_2048_8192_SHA384,
        "PS512" => &signature::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

/// A point of a curve in its uncompressed form.
fn point(x: &[u8], y: &[u8], length: usize) -> Option<Vec<u8>> {
    let is_whole = x.len() == length && y.len() == length;
    is_whole.then(|| [&[4], x, y].concat())
}
