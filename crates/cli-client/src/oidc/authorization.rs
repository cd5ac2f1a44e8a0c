//! The login with a browser: where it begins, and what it must come back with (PKCE, RFC 7636).

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use core_clock::Entropy;
use ring::digest;

use super::{Provider, Tokens, exchange};
use crate::Error;

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const UNRESERVED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
const STATE_LENGTH: usize = 24;
const VERIFIER_LENGTH: usize = 128;

/// One login under way.
#[derive(Clone)]
pub struct Authorization {
    state: String,
    nonce: String,
    verifier: String,
    redirect: String,
}

impl Authorization {
    /// A login that comes back to `redirect`.
    pub fn begin(entropy: &dyn Entropy, redirect: String) -> Self {
        Self {
            state: random_text(entropy, LETTERS, STATE_LENGTH),
            nonce: random_text(entropy, LETTERS, STATE_LENGTH),
            verifier: random_text(entropy, UNRESERVED, VERIFIER_LENGTH),
            redirect,
        }
    }

    /// Where the user goes.
    pub fn url(&self, provider: &Provider) -> Result<String, Error> {
        let wrong = |_| Error::Oidc("the identity provider has no page for logins".to_owned());
        let mut url = url::Url::parse(&provider.endpoints.authorization_endpoint).map_err(wrong)?;
        let hash = digest::digest(&digest::SHA256, self.verifier.as_bytes());
        url.query_pairs_mut()
            .append_pair("client_id", &provider.client_id)
            .append_pair("redirect_uri", &self.redirect)
            .append_pair("response_type", "code")
            .append_pair("scope", &provider.scopes.join(" "))
            .append_pair("state", &self.state)
            .append_pair("nonce", &self.nonce)
            .append_pair("code_challenge", &BASE64_URL_SAFE_NO_PAD.encode(hash))
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// Whether an answer belongs to this login.
    pub fn is_state(&self, state: &str) -> bool {
        state == self.state
    }

    /// Tokens for the code that the user came back with.
    pub async fn finish(
        &self,
        provider: &Provider,
        code: &str,
        now: core_clock::Time,
    ) -> Result<Tokens, Error> {
        let fields = [
            ("grant_type", "authorization_code"),
            ("client_id", &provider.client_id),
            ("code", code),
            ("redirect_uri", &self.redirect),
            ("code_verifier", &self.verifier),
        ];
        exchange::tokens(provider, &fields, Some(&self.nonce), now).await
    }
}

/// Text of `length` characters, each as likely as any other.
fn random_text(entropy: &dyn Entropy, alphabet: &[u8], length: usize) -> String {
    // Bytes above the largest multiple of the alphabet would make its beginning likelier.
    let fair = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let mut bytes = [0; 64];
        entropy.fill(&mut bytes);
        let fair_bytes = bytes.iter().map(|byte| usize::from(*byte)).filter(|byte| *byte < fair);
        let letters = fair_bytes.filter_map(|byte| alphabet.get(byte % alphabet.len()));
        text.extend(letters.take(length - text.len()).map(|letter| char::from(*letter)));
    }
    text
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    #[test]
    fn random_text_has_its_length_and_alphabet_and_differs() {
        let entropy = SeededEntropy::new(1);
        let verifier = random_text(&entropy, UNRESERVED, VERIFIER_LENGTH);
        assert_eq!(verifier.len(), 128);
        assert!(verifier.bytes().all(|byte| UNRESERVED.contains(&byte)));
        assert_ne!(verifier, random_text(&entropy, UNRESERVED, VERIFIER_LENGTH));
    }
}
