//! Tokens for a code, a device or an earlier token.

use core_clock::Time;
use serde_json::Value;

use super::{Provider, id_token};
use crate::{BearerToken, Error};

/// What a login yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// What the API server takes.
    pub id_token: BearerToken,
    /// What the next ID token is asked for with, if the provider gives one.
    pub refresh_token: Option<BearerToken>,
}

impl Provider {
    /// New tokens for a refresh token. A provider that gives no new refresh token lets the old one stay.
    pub async fn refresh(&self, refresh_token: &str, now: Time) -> Result<Tokens, Error> {
        let fields = [
            ("grant_type", "refresh_token"),
            ("client_id", &self.client_id),
            ("refresh_token", refresh_token),
        ];
        let mut tokens = tokens(self, &fields, None, now).await?;
        tokens.refresh_token.get_or_insert_with(|| BearerToken::new(refresh_token));
        Ok(tokens)
    }
}

/// Asks the token endpoint, and verifies what it gives.
pub(super) async fn tokens(
    provider: &Provider,
    fields: &[(&str, &str)],
    nonce: Option<&str>,
    now: Time,
) -> Result<Tokens, Error> {
    let (status, answer) = provider.post(&provider.endpoints.token_endpoint, fields).await?;
    if status != 200 {
        return Err(Error::Oidc(refusal(status, &answer)));
    }
    verified(provider, &answer, nonce, now).await
}

/// The tokens of an answer.
pub(super) async fn verified(
    provider: &Provider,
    answer: &Value,
    nonce: Option<&str>,
    now: Time,
) -> Result<Tokens, Error> {
    let text = |field: &str| answer.get(field).and_then(Value::as_str).filter(|t| !t.is_empty());
    let id_token =
        text("id_token").ok_or_else(|| Error::Oidc("no id_token in token response".to_owned()))?;
    id_token::verify(provider, id_token, nonce, now).await?;
    Ok(Tokens {
        id_token: BearerToken::new(id_token),
        refresh_token: text("refresh_token").map(BearerToken::new),
    })
}

/// What the provider says about its refusal (RFC 6749 §5.2).
pub(super) fn refusal(status: u16, answer: &Value) -> String {
    let text = |field: &str| answer.get(field).and_then(Value::as_str);
    match (text("error"), text("error_description")) {
        (Some(error), Some(description)) => {
            format!("the identity provider refuses: {error}: {description}")
        }
        (Some(error), None) => format!("the identity provider refuses: {error}"),
        _ => format!("the identity provider answers {status}"),
    }
}
