//! Signed statements (JWT, RS256), as GitHub and Google want them.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use core_rules::credential::Secret;
use ring::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use rustls::pki_types::{PrivateKeyDer, pem::PemObject as _};
use serde_json::{Value, json};

/// An RSA key that signs.
pub(crate) struct SigningKey(RsaKeyPair);

/// Why a text is not a key that can sign, without a word of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyError {
    #[error("it is not a private key in PEM form")]
    Pem,
    #[error("it is not an RSA key of 2048 bits or more")]
    Rsa,
    #[error("it could not sign")]
    Sign,
}

impl SigningKey {
    /// Reads a private key in PEM form, PKCS#1 or PKCS#8.
    pub(crate) fn from_pem(pem: &str) -> Result<Self, KeyError> {
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| KeyError::Pem)?;
        let pair = match &key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return Err(KeyError::Rsa),
        };
        pair.map(Self).map_err(|_| KeyError::Rsa)
    }

    /// The claims, signed. `key_id` tells the reader which of several keys signed.
    pub(crate) fn sign(&self, claims: &Value, key_id: Option<&str>) -> Result<Secret, KeyError> {
        let mut header = json!({"alg": "RS256", "typ": "JWT"});
        if let (Some(id), Some(fields)) = (key_id, header.as_object_mut()) {
            fields.insert("kid".into(), id.into());
        }
        let mut statement =
            format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), statement.as_bytes(), &mut signature)
            .map_err(|_| KeyError::Sign)?;
        statement.push('.');
        statement.push_str(&encode(signature));
        Ok(Secret::new(statement))
    }
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
pub(crate) mod tests {
    use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

    use super::*;

    pub(crate) const PKCS1: &str = include_str!("../../testdata/rsa-pkcs1.pem");
    pub(crate) const PKCS8: &str = include_str!("../../testdata/rsa-pkcs8.pem");

    #[test]
    fn a_statement_can_be_checked_with_the_public_key() {
        let key = SigningKey::from_pem(PKCS8).unwrap();
        let signed = key.sign(&json!({"iss": "app"}), Some("k1")).unwrap();
        let (statement, signature) = signed.expose().rsplit_once('.').unwrap();
        let (header, claims) = statement.split_once('.').unwrap();
        let read = |part| -> Value {
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
        };
        assert_eq!(read(header), json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
        assert_eq!(read(claims), json!({"iss": "app"}));
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.0.public_key());
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        public.verify(statement.as_bytes(), &signature).unwrap();
    }

    #[test]
    fn both_forms_of_one_key_sign_alike() {
        let sign = |pem| SigningKey::from_pem(pem).unwrap().sign(&json!({}), None).unwrap();
        assert_eq!(sign(PKCS1).expose(), sign(PKCS8).expose());
    }

    #[test]
    fn what_is_no_rsa_key_is_refused_without_being_shown() {
        for pem in ["", "hunter2", "-----BEGIN PRIVATE KEY-----\n!!\n-----END PRIVATE KEY-----\n"] {
            assert_eq!(SigningKey::from_pem(pem).err(), Some(KeyError::Pem), "{pem}");
        }
        let pem = "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n";
        assert_eq!(SigningKey::from_pem(pem).err(), Some(KeyError::Rsa));
    }
}
