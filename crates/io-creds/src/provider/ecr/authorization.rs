//! Asks ECR for the password of a registry.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use core_clock::Time;
use core_rules::credential::Credential;
use http::{HeaderName, Method, header};
use io_http::outbound::aws::{Call, Keys, Scope, signed};
use serde::Deserialize;

use super::registry::Registry;
use crate::{
    provider::{ProviderError, aws::Region, call::Caller},
    tokens::{Keep, Loaded},
};

const SERVICE: &str = "the ECR auth token service";
const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Where and when to ask.
pub(super) struct Question<'a> {
    pub(super) registry: &'a Registry,
    pub(super) region: &'a Region,
    /// Instead of where AWS has it.
    pub(super) endpoint: Option<&'a str>,
    pub(super) now: Time,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    authorization_data: Vec<Data>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    authorization_token: Option<String>,
    expires_at: Option<f64>,
}

/// The password that `keys` get.
pub(super) async fn password(
    caller: &Caller,
    question: Question<'_>,
    keys: &Keys,
) -> Result<Loaded<Option<Credential>>, ProviderError> {
    let endpoint = question.endpoint.map(str::to_owned);
    let endpoint = endpoint.unwrap_or_else(|| question.registry.endpoint(question.region));
    let scope = Scope { region: question.region.as_str(), service: "ecr", now: question.now };
    let headers = [
        (header::CONTENT_TYPE, "application/x-amz-json-1.1"),
        (TARGET, "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken"),
    ];
    let (method, body) = (Method::POST, Bytes::from_static(b"{}"));
    let request = signed(keys, scope, Call { method, url: &endpoint, headers: &headers, body });
    let answer: Answer = caller.ask(SERVICE, request).await?.json()?;
    read(answer)
}

fn read(answer: Answer) -> Result<Loaded<Option<Credential>>, ProviderError> {
    let unusable = |problem| ProviderError::Answer { service: SERVICE, problem };
    let data = answer.authorization_data.into_iter().next();
    let data = data.ok_or(unusable("no authorization data returned"))?;
    let token = data.authorization_token.filter(|token| !token.is_empty());
    let token = token.ok_or(unusable("no authorization token returned"))?;
    let text = STANDARD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or(unusable("invalid token format"))?;
    let (username, password) = text.split_once(':').ok_or(unusable("invalid token format"))?;
    let keep = data.expires_at.and_then(seconds).map_or(Keep::Default, Keep::Until);
    Ok(Loaded { value: Some(Credential::basic(username, password)), keep })
}

/// Seconds since the epoch, with decimals nobody needs.
fn seconds(number: f64) -> Option<Time> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be far inside the range")]
    (0.0..1e12).contains(&number).then(|| Time::from_seconds(number as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(json: &str) -> String {
        let error = read(serde_json::from_str(json).unwrap()).unwrap_err();
        let ProviderError::Answer { problem, .. } = error else { panic!("{error}") };
        problem.to_owned()
    }

    #[test]
    fn an_answer_without_a_usable_token_says_what_is_missing() {
        assert_eq!(problem("{}"), "no authorization data returned");
        assert_eq!(problem(r#"{"authorizationData":[]}"#), "no authorization data returned");
        assert_eq!(problem(r#"{"authorizationData":[{}]}"#), "no authorization token returned");
        for token in ["not base64!", "bm9jb2xvbg==", "/w=="] {
            let json = format!(r#"{{"authorizationData":[{{"authorizationToken":"{token}"}}]}}"#);
            assert_eq!(problem(&json), "invalid token format", "{token}");
        }
    }

    #[test]
    fn name_password_and_expiry_are_read() {
        let json = r#"{"authorizationData":[{"authorizationToken":"QVdTOmE6Yg==","expiresAt":1767225600.25}]}"#;
        let loaded = read(serde_json::from_str(json).unwrap()).unwrap();
        assert_eq!(loaded.value, Some(Credential::basic("AWS", "a:b")));
        assert_eq!(loaded.keep, Keep::Until(Time::from_seconds(1_767_225_600)));
        for strange in ["-1", "1e300"] {
            let json = format!(
                r#"{{"authorizationData":[{{"authorizationToken":"YTpi","expiresAt":{strange}}}]}}"#
            );
            assert_eq!(read(serde_json::from_str(&json).unwrap()).unwrap().keep, Keep::Default);
        }
    }
}
