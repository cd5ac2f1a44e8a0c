//! Tokens of the administrator: made at a login, checked at every request.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use core_clock::{Entropy, Time};
use ring::hmac;
use serde_json::json;

use super::jws::{self, Leeway, TokenError, Unverified};
use crate::settings::AdminSettings;

/// Servers that share a key need not share a clock to the second.
const LEEWAY: Leeway = Leeway { before: 60, after: 0 };
/// The only algorithm, whatever a token says.
const ALGORITHM: &str = "HS256";

/// The administrator, as far as tokens go.
pub(crate) struct AdminAccount {
    settings: AdminSettings,
    key: hmac::Key,
}

impl AdminAccount {
    pub(crate) fn new(settings: AdminSettings) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &settings.signing_key);
        Self { settings, key }
    }

    /// Whether a token says that it is one of these.
    pub(crate) fn claims(&self, token: &Unverified<'_>) -> bool {
        token.issuer == self.settings.issuer
    }

    /// The hash that the password must have.
    pub(crate) fn password_hash(&self) -> &str {
        &self.settings.password_hash
    }

    /// A token that lasts as long as the settings say.
    pub(crate) fn issue(&self, now: Time, entropy: &dyn Entropy) -> String {
        self.issue_for(self.settings.lifetime, now, entropy)
    }

    /// A token that lasts this long.
    pub(crate) fn issue_for(&self, lifetime: Duration, now: Time, entropy: &dyn Entropy) -> String {
        let seconds = now.as_seconds();
        let lifetime = i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX);
        let claims = json!({
            "iss": self.settings.issuer,
            "aud": self.settings.audience,
            "sub": "admin",
            "iat": seconds,
            "nbf": seconds,
            "exp": seconds.saturating_add(lifetime),
            "jti": entropy.uuid(),
        });
        let encode = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed =
            format!("{}.{}", encode(json!({"alg": ALGORITHM, "typ": "JWT"})), encode(claims));
        let signature = hmac::sign(&self.key, signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// Until when the token holds.
    pub(crate) fn verify(&self, token: Unverified<'_>, now: Time) -> Result<Time, TokenError> {
        if token.algorithm != ALGORITHM {
            return Err(TokenError::Algorithm);
        }
        hmac::verify(&self.key, token.signed, &token.signature)
            .map_err(|_| TokenError::Signature)?;
        jws::check(&token.into_claims(), [self.settings.audience.as_str()], now, LEEWAY)
    }
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    const NOW: Time = Time::from_seconds(1_700_000_000);

    fn account(key: &str, audience: &str) -> AdminAccount {
        AdminAccount::new(AdminSettings {
            password_hash: String::new(),
            signing_key: key.into(),
            issuer: "https://kargo.example.com".into(),
            audience: audience.into(),
            lifetime: Duration::from_hours(24),
        })
    }

    fn verify(account: &AdminAccount, token: &str, now: Time) -> Result<Time, TokenError> {
        account.verify(Unverified::parse(token)?, now)
    }

    #[test]
    fn a_token_holds_for_its_lifetime_and_for_its_key_and_audience_alone() {
        let ours = account("key-one", "host");
        let token = ours.issue(NOW, &SeededEntropy::new(1));
        let expiry = NOW + Duration::from_hours(24);
        assert_eq!(verify(&ours, &token, NOW), Ok(expiry));
        // Another replica may be a little behind.
        assert!(verify(&ours, &token, NOW - Duration::from_secs(30)).is_ok());
        assert_eq!(verify(&ours, &token, expiry), Err(TokenError::Expired));
        let other_key = account("key-two", "host");
        assert_eq!(verify(&other_key, &token, NOW), Err(TokenError::Signature));
        let other_host = account("key-one", "other");
        assert_eq!(verify(&other_host, &token, NOW), Err(TokenError::Audience));
        assert_eq!(verify(&ours, "opaque", NOW), Err(TokenError::Malformed));
    }

    #[test]
    fn a_token_does_not_choose_its_algorithm() {
        let ours = account("key-one", "host");
        let token = ours.issue(NOW, &SeededEntropy::new(1));
        let (_, rest) = token.split_once('.').unwrap();
        for algorithm in ["none", "HS384", "RS256"] {
            let header = URL_SAFE_NO_PAD.encode(json!({"alg": algorithm}).to_string());
            let forged = format!("{header}.{rest}");
            assert_eq!(verify(&ours, &forged, NOW), Err(TokenError::Algorithm), "{algorithm}");
            let (unsigned, _) = forged.rsplit_once('.').unwrap();
            assert!(verify(&ours, &format!("{unsigned}."), NOW).is_err());
        }
    }
}
