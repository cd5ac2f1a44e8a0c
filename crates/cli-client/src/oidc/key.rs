//! The public keys of a provider (RFC 7517), and the signatures that they verify.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::Value;

/// How a token is signed. Only with keys of which the private half is the provider's: never `none`, never a shared key.
#[derive(Clone, Copy)]
pub(super) enum Algorithm {
    Rsa(&'static RsaParameters),
    Curve(&'static str, &'static dyn VerificationAlgorithm),
}

impl Algorithm {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "RS256" => Self::Rsa(&RSA_PKCS1_2048_8192_SHA256),
            "RS384" => Self::Rsa(&RSA_PKCS1_2048_8192_SHA384),
            "RS512" => Self::Rsa(&RSA_PKCS1_2048_8192_SHA512),
            "PS256" => Self::Rsa(&RSA_PSS_2048_8192_SHA256),
            "PS384" => Self::Rsa(&RSA_PSS_2048_8192_SHA384),
            "PS512" => Self::Rsa(&RSA_PSS_2048_8192_SHA512),
            "ES256" => Self::Curve("P-256", &ECDSA_P256_SHA256_FIXED),
            "ES384" => Self::Curve("P-384", &ECDSA_P384_SHA384_FIXED),
            "EdDSA" => Self::Curve("Ed25519", &ED25519),
            _ => return None,
        })
    }
}

/// A public key.
pub(super) struct Key {
    id: Option<String>,
    material: Material,
}

enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    Curve { curve: String, point: Vec<u8> },
}

impl Key {
    /// Reads a key; those for other purposes and of other kinds are passed over.
    pub(super) fn read(key: &Value) -> Option<Self> {
        let text = |field: &str| key.get(field).and_then(Value::as_str);
        if text("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |field: &str| BASE64_URL_SAFE_NO_PAD.decode(text(field)?).ok();
        let material = match text("kty")? {
            "RSA" => Material::Rsa { modulus: bytes("n")?, exponent: bytes("e")? },
            "EC" => {
                let point = [vec![4], bytes("x")?, bytes("y")?].concat();
                Material::Curve { curve: text("crv")?.to_owned(), point }
            }
            "OKP" => Material::Curve { curve: text("crv")?.to_owned(), point: bytes("x")? },
            _ => return None,
        };
        Some(Self { id: text("kid").map(str::to_owned), material })
    }

    /// Whether it is the key that a token names; a token that names none may be of any.
    pub(super) fn is_named(&self, id: Option<&str>) -> bool {
        id.is_none() || self.id.as_deref() == id
    }

    pub(super) fn fits(&self, algorithm: Algorithm) -> bool {
        match (&self.material, algorithm) {
            (Material::Rsa { .. }, Algorithm::Rsa(_)) => true,
            (Material::Curve { curve, .. }, Algorithm::Curve(name, _)) => curve == name,
            _ => false,
        }
    }

    pub(super) fn verifies(&self, algorithm: Algorithm, signed: &[u8], signature: &[u8]) -> bool {
        match (&self.material, algorithm) {
            (Material::Rsa { modulus, exponent }, Algorithm::Rsa(parameters)) => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(parameters, signed, signature).is_ok()
            }
            (Material::Curve { point, .. }, Algorithm::Curve(_, algorithm)) => {
                UnparsedPublicKey::new(algorithm, point).verify(signed, signature).is_ok()
            }
            _ => false,
        }
    }
}
