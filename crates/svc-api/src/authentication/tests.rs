use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    hmac,
    rand::SystemRandom,
    signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair},
};
use serde_json::{Value, json};

use super::{
    jws::{TokenError, Unverified},
    key_set::{ALGORITHMS, KeySet},
};

/// The example of RFC 7515, A.2.
const RSA_MODULUS: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
const RSA_TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn unsigned(algorithm: &str) -> String {
    let header = json!({"alg": algorithm, "kid": "k"}).to_string();
    format!("{}.{}", encode(header), encode(json!({"iss": "i"}).to_string()))
}

fn all_algorithms() -> Vec<String> {
    ALGORITHMS.map(str::to_owned).to_vec()
}

fn keys(key: Value, algorithms: &[String]) -> KeySet {
    KeySet::parse(json!({"keys": [key]}).to_string().as_bytes(), algorithms).unwrap()
}

fn verify(keys: &KeySet, token: &str) -> Result<(), TokenError> {
    keys.verify(&Unverified::parse(token)?)
}

fn rsa_key() -> Value {
    json!({"kty": "RSA", "kid": "k", "use": "sig", "n": RSA_MODULUS, "e": "AQAB"})
}

#[test]
fn a_token_signed_with_rsa_is_taken_and_a_changed_one_is_not() {
    // Without a word about algorithms the provider means RS256.
    let keys = keys(rsa_key(), &[]);
    assert_eq!(verify(&keys, RSA_TOKEN), Ok(()));
    let (head, signature) = RSA_TOKEN.rsplit_once('.').unwrap();
    let (header, _) = head.split_once('.').unwrap();
    let forged = format!("{header}.{}.{signature}", encode(r#"{"iss":"joe","groups":["admins"]}"#));
    assert_eq!(verify(&keys, &forged), Err(TokenError::Signature));
}

#[test]
fn tokens_signed_on_curves_are_taken_where_the_provider_says_so() {
    let random = SystemRandom::new();
    let algorithm = &signature::ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).unwrap();
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    let key = json!({"kty": "EC", "crv": "P-256", "kid": "k", "x": encode(x), "y": encode(y)});
    let text = unsigned("ES256");
    let token = format!("{text}.{}", encode(pair.sign(&random, text.as_bytes()).unwrap()));
    assert_eq!(verify(&keys(key.clone(), &all_algorithms()), &token), Ok(()));
    assert_eq!(verify(&keys(key, &[]), &token), Err(TokenError::Algorithm));

    let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": encode(pair.public_key())});
    let text = unsigned("EdDSA");
    let token = format!("{text}.{}", encode(pair.sign(text.as_bytes())));
    assert_eq!(verify(&keys(key, &all_algorithms()), &token), Ok(()));
}

#[test]
fn a_public_key_is_no_shared_secret() {
    let keys = keys(rsa_key(), &all_algorithms());
    let modulus = URL_SAFE_NO_PAD.decode(RSA_MODULUS).unwrap();
    for secret in [modulus.as_slice(), RSA_MODULUS.as_bytes()] {
        let text = unsigned("HS256");
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        let token = format!("{text}.{}", encode(hmac::sign(&key, text.as_bytes())));
        assert_eq!(verify(&keys, &token), Err(TokenError::Algorithm));
    }
}

#[test]
fn a_token_without_a_signature_is_not_taken() {
    let keys = keys(rsa_key(), &all_algorithms());
    for algorithm in ["none", "None", "", "RS256", "ES256"] {
        let token = format!("{}.", unsigned(algorithm));
        assert!(verify(&keys, &token).is_err(), "{algorithm}");
    }
    // Even a provider that says it uses none does not make it one.
    let odd = self::keys(rsa_key(), &["none".to_owned(), "HS256".to_owned()]);
    assert!(verify(&odd, &format!("{}.", unsigned("none"))).is_err());
    assert_eq!(verify(&odd, RSA_TOKEN), Ok(()));
}

#[test]
fn a_key_is_for_its_own_purpose_and_name() {
    let mut key = rsa_key();
    key["use"] = json!("enc");
    assert_eq!(verify(&keys(key, &[]), RSA_TOKEN), Err(TokenError::Signature));
    let mut key = rsa_key();
    key["alg"] = json!("PS256");
    assert_eq!(verify(&keys(key, &[]), RSA_TOKEN), Err(TokenError::Signature));
    let known = keys(rsa_key(), &[]);
    assert!(known.knows(Some("k")) && known.knows(None) && !known.knows(Some("other")));
}

#[test]
fn a_document_of_nonsense_has_no_keys() {
    for text in ["{}", r#"{"keys":[]}"#, r#"{"keys":[{}]}"#, r#"{"keys":[{"kty":"RSA","n":"!"}]}"#]
    {
        let keys = KeySet::parse(text.as_bytes(), &[]).unwrap();
        assert!(verify(&keys, RSA_TOKEN).is_err(), "{text}");
    }
    assert!(KeySet::parse(b"<html>", &[]).is_err());
}
