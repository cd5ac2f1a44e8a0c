//! The key of an App, as people put it into Secrets.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_rules::credential::Secret;

use crate::provider::{ProviderError, jwt::SigningKey};

const NAME: &str = "githubAppPrivateKey";

/// Reads a key in PEM form, or the base64 of one.
pub(super) fn read(text: &Secret) -> Result<SigningKey, ProviderError> {
    let text = text.expose();
    let decoded = STANDARD.decode(text.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let pem = match &decoded {
        Some(pem) => pem,
        None if looks_like_base64(text) => {
            return Err(ProviderError::value(NAME, "probable corrupt base64 encoding"));
        }
        None => text,
    };
    SigningKey::from_pem(pem).map_err(|error| ProviderError::value(NAME, error.to_string()))
}

fn looks_like_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let is_digit = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    text.len() - body.len() <= 2 && body.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::jwt::tests::{PKCS1, PKCS8};

    fn problem(text: &str) -> String {
        let error = read(&Secret::new(text)).err().unwrap();
        error.to_string()
    }

    #[test]
    fn a_key_is_read_plain_and_as_base64_and_in_both_forms_of_pem() {
        for pem in [PKCS1, PKCS8] {
            assert!(read(&Secret::new(pem)).is_ok());
            assert!(read(&Secret::new(STANDARD.encode(pem))).is_ok());
            assert!(read(&Secret::new(format!("{}\n", STANDARD.encode(pem)))).is_ok());
        }
    }

    #[test]
    fn a_key_that_cannot_be_used_says_why_without_showing_it() {
        let start = "githubAppPrivateKey cannot be used: ";
        assert_eq!(problem("abcde"), format!("{start}probable corrupt base64 encoding"));
        assert_eq!(
            problem("hunter2 hunter2"),
            format!("{start}it is not a private key in PEM form")
        );
        let not_pem = STANDARD.encode("hunter2");
        assert_eq!(problem(&not_pem), format!("{start}it is not a private key in PEM form"));
    }
}
