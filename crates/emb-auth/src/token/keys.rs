//! The key pair behind tokens: signing with the newest, accepting any that is still known.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use core_clock::{Entropy, Time};
use p256::{
    SecretKey,
    ecdsa::{Signature, SigningKey, VerifyingKey, signature::Signer, signature::Verifier},
    pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, LineEnding},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::claims::{self, Claims, ISSUER, TokenRequest};

/// Longer tokens are refused before anything is decoded.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// The key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Not a PKCS#8 PEM file with a P-256 key.
    #[error("the token key is not a P-256 private key in PKCS#8 PEM form")]
    Malformed,
    /// The key cannot be written out.
    #[error("the token key cannot be encoded")]
    Encode,
}

/// Why a token was refused. Deliberately coarse: callers learn "invalid" only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not a JWT of ours.
    #[error("invalid bearer token")]
    Malformed,
    /// No known key has signed it.
    #[error("invalid bearer token, signature does not verify")]
    Signature,
    /// Signed by us, but expired, not valid yet, or with claims we do not issue.
    #[error("invalid bearer token, token is expired or carries unknown claims")]
    Claims,
}

/// Signs with the first key, accepts tokens of all.
#[derive(Clone)]
pub struct TokenKeys {
    signer: Key,
    older: Vec<Key>,
}

#[derive(Clone)]
struct Key {
    id: String,
    secret: SigningKey,
}

impl TokenKeys {
    /// A new key pair.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        loop {
            let mut bytes = [0; 32];
            entropy.fill(&mut bytes);
            // Fails for about one in 2³² draws: the number must be below the order of the curve.
            if let Ok(secret) = SecretKey::from_slice(&bytes)
                && let Ok(signer) = Key::new(&secret)
            {
                return Self { signer, older: Vec::new() };
            }
        }
    }

    /// The key of a PEM file; `older` are earlier keys whose tokens are still accepted.
    pub fn from_pem(pem: &str, older: &[&str]) -> Result<Self, KeyError> {
        let read = |pem: &str| {
            let secret = SecretKey::from_pkcs8_pem(pem).map_err(|_| KeyError::Malformed)?;
            Key::new(&secret)
        };
        let older = older.iter().map(|pem| read(pem)).collect::<Result<_, _>>()?;
        Ok(Self { signer: read(pem)?, older })
    }

    /// The signing key as a PEM file, to be kept secret.
    pub fn to_pem(&self) -> Result<String, KeyError> {
        let secret = SecretKey::from(self.signer.secret.as_nonzero_scalar());
        let pem = secret.to_pkcs8_pem(LineEnding::LF).map_err(|_| KeyError::Encode)?;
        Ok(pem.as_str().to_owned())
    }

    /// The issuer of requested tokens, which is also their default audience.
    pub fn issuer() -> &'static str {
        ISSUER
    }

    /// A token as `TokenRequest` asks for it.
    pub fn issue(&self, request: &TokenRequest<'_>) -> String {
        self.sign(&request.to_claims())
    }

    /// A token for a legacy Secret: no expiry, valid while the Secret holds it.
    pub fn issue_legacy(&self, namespace: &str, name: &str, uid: &str, secret: &str) -> String {
        self.sign(&claims::legacy_claims(namespace, name, uid, secret))
    }

    /// Checks form, signature, issuer and times.
    pub fn verify(&self, token: &str, now: Time) -> Result<Claims, TokenError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(TokenError::Malformed);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, body) = signed.split_once('.').ok_or(TokenError::Malformed)?;
        let header = decode_json(header)?;
        // The algorithm is ours to choose, never the token's: anything but ES256 with a known key id is refused.
        if header.get("alg").and_then(Value::as_str) != Some("ES256") {
            return Err(TokenError::Malformed);
        }
        let key_id = header.get("kid").and_then(Value::as_str).unwrap_or_default();
        let key = self.keys().find(|key| key.id == key_id).ok_or(TokenError::Signature)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| TokenError::Malformed)?;
        let signature = Signature::from_slice(&signature).map_err(|_| TokenError::Malformed)?;
        let verifier = VerifyingKey::from(&key.secret);
        verifier.verify(signed.as_bytes(), &signature).map_err(|_| TokenError::Signature)?;
        claims::read(&decode_json(body)?, now).ok_or(TokenError::Claims)
    }

    /// The public keys as a JSON Web Key Set.
    pub fn jwks(&self) -> Value {
        let keys: Vec<Value> = self.keys().filter_map(Key::to_jwk).collect();
        json!({ "keys": keys })
    }

    fn keys(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.signer).chain(&self.older)
    }

    fn sign(&self, claims: &Value) -> String {
        let header = json!({ "alg": "ES256", "kid": self.signer.id });
        let signed = format!("{}.{}", encode_json(&header), encode_json(claims));
        let signature: Signature = self.signer.secret.sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }
}

impl Key {
    fn new(secret: &SecretKey) -> Result<Self, KeyError> {
        let der = secret.public_key().to_public_key_der().map_err(|_| KeyError::Encode)?;
        let id = URL_SAFE_NO_PAD.encode(Sha256::digest(der.as_bytes()));
        Ok(Self { id, secret: SigningKey::from(secret) })
    }

    fn to_jwk(&self) -> Option<Value> {
        let point = VerifyingKey::from(&self.secret).to_encoded_point(false);
        let (x, y) = (point.x()?, point.y()?);
        Some(json!({
            "use": "sig", "kty": "EC", "kid": self.id, "crv": "P-256", "alg": "ES256",
            "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
        }))
    }
}

fn encode_json(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn decode_json(part: &str) -> Result<Value, TokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)?;
    serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;
    use proptest::prelude::*;

    use super::*;

    const NOW: Time = Time::from_seconds(1_000_000);

    fn keys(seed: u64) -> TokenKeys {
        TokenKeys::generate(&SeededEntropy::new(seed))
    }

    fn request() -> TokenRequest<'static> {
        TokenRequest {
            namespace: "kargo",
            name: "api",
            uid: "u-1",
            audiences: vec![],
            secret: None,
            id: "id-1".into(),
            issued_at: NOW,
            expires_at: Time::from_seconds(1_003_600),
        }
    }

    #[test]
    fn a_token_is_valid_from_issue_to_expiry() {
        let keys = keys(1);
        let token = keys.issue(&request());
        let claims = keys.verify(&token, NOW).unwrap();
        assert_eq!(
            (claims.namespace.as_str(), claims.name.as_str(), claims.uid.as_str()),
            ("kargo", "api", "u-1")
        );
        assert_eq!(claims.audiences, [ISSUER]);
        assert_eq!(keys.verify(&token, Time::from_seconds(1_003_600)), Err(TokenError::Claims));
        assert_eq!(keys.verify(&token, Time::from_seconds(999_999)), Err(TokenError::Claims));
    }

    #[test]
    fn a_legacy_token_names_its_secret_and_never_expires() {
        let keys = keys(1);
        let token = keys.issue_legacy("p", "ci", "u-2", "ci-token");
        let claims = keys.verify(&token, Time::from_seconds(i64::MAX / 2_000_000)).unwrap();
        assert!(claims.legacy);
        assert_eq!(claims.secret.unwrap().name, "ci-token");
    }

    #[test]
    fn keys_survive_a_round_trip_and_rotation_keeps_old_tokens() {
        let (old, new) = (keys(1), keys(2));
        let token = old.issue(&request());
        assert_eq!(new.verify(&token, NOW), Err(TokenError::Signature));
        let rotated =
            TokenKeys::from_pem(&new.to_pem().unwrap(), &[&old.to_pem().unwrap()]).unwrap();
        assert!(rotated.verify(&token, NOW).is_ok());
        assert_eq!(rotated.jwks()["keys"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn forged_tokens_are_refused() {
        let keys = keys(1);
        let token = keys.issue(&request());
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let (header, _) = signed.split_once('.').unwrap();
        let other_claims = encode_json(&json!({ "iss": ISSUER, "exp": 9_999_999, "nbf": 0 }));
        let unsigned = format!("{}.{other_claims}.", encode_json(&json!({ "alg": "none" })));
        for forged in [
            format!("{header}.{other_claims}.{signature}"),
            unsigned,
            String::new(),
            "a.b.c".into(),
        ] {
            assert!(keys.verify(&forged, NOW).is_err(), "{forged}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_verification_panic(text in ".{0,200}") {
            prop_assert!(keys(1).verify(&text, NOW).is_err());
        }
    }
}
