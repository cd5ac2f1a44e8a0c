//! The login on another device (RFC 8628), for machines without a browser.

use std::time::Duration;

use core_clock::Time;
use serde::Deserialize;
use serde_json::Value;

use super::{Provider, Tokens, exchange};
use crate::Error;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// Providers that ask for less are asked no more often than this.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);
const LONGEST_INTERVAL: Duration = Duration::from_mins(1);

/// A login that waits for its user.
#[derive(Clone, Debug, Deserialize)]
pub struct Device {
    #[serde(rename = "device_code")]
    secret: String,
    /// What the user types in.
    pub user_code: String,
    /// Where.
    pub verification_uri: String,
    /// The same with the code filled in.
    #[serde(default)]
    pub verification_uri_complete: Option<String>,
    #[serde(default = "usual_interval")]
    interval: u64,
    #[serde(default = "usual_life")]
    expires_in: u64,
}

/// What a question to the provider yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceAnswer {
    /// The user has not finished; ask again after the interval.
    Pending,
    /// The user has not finished, and the questions come too often.
    SlowDown,
    /// The user is known.
    Tokens(Tokens),
}

fn usual_interval() -> u64 {
    5
}

fn usual_life() -> u64 {
    600
}

impl Device {
    /// Begins a login.
    pub async fn begin(provider: &Provider) -> Result<Self, Error> {
        let scopes = provider.scopes.join(" ");
        let fields = [("client_id", provider.client_id.as_str()), ("scope", &scopes)];
        let url = &provider.endpoints.device_authorization_endpoint;
        let (status, answer) = provider.post(url, &fields).await?;
        if status != 200 {
            return Err(Error::Oidc(exchange::refusal(status, &answer)));
        }
        serde_json::from_value(answer).map_err(|error| {
            Error::Oidc(format!("the answer of the identity provider cannot be read: {error}"))
        })
    }

    /// How long to wait between questions.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.interval).clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL)
    }

    /// How long the user has.
    pub fn life(&self) -> Duration {
        Duration::from_secs(self.expires_in)
    }

    /// Asks whether the user has finished.
    pub async fn ask(&self, provider: &Provider, now: Time) -> Result<DeviceAnswer, Error> {
        let fields = [
            ("grant_type", GRANT),
            ("client_id", &provider.client_id),
            ("device_code", &self.secret),
        ];
        let (status, answer) = provider.post(&provider.endpoints.token_endpoint, &fields).await?;
        if status == 200 {
            let tokens = exchange::verified(provider, &answer, None, now).await?;
            return Ok(DeviceAnswer::Tokens(tokens));
        }
        match answer.get("error").and_then(Value::as_str) {
            Some("authorization_pending") => Ok(DeviceAnswer::Pending),
            Some("slow_down") => Ok(DeviceAnswer::SlowDown),
            _ => Err(Error::Oidc(exchange::refusal(status, &answer))),
        }
    }
}
