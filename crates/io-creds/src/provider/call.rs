//! One exchange with a token service.
//!
//! Requests carry keys and answers carry tokens: nothing is sent on by a redirect, and of a refusal
//! only a few short words are kept.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, StatusCode};
use io_http::outbound::{Error, Outbound, Request, Response, Tls};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ProviderError;

/// How long one exchange may take.
const EXCHANGE: Duration = Duration::from_secs(30);
/// The largest answer that is read; tokens have a few kilobytes.
const MAX_ANSWER: u64 = 256 * 1024;
/// How much of a refusal is shown.
const MAX_REASON_CHARS: usize = 160;
/// Longer words are no words but keys and tokens, which a service may repeat when it refuses them.
const MAX_WORD_CHARS: usize = 39;

/// Sends requests to token services.
#[derive(Clone)]
pub(crate) struct Caller {
    outbound: Outbound,
}

/// The whole answer of a service.
#[derive(Debug)]
pub(crate) struct Reply {
    service: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl Caller {
    pub(crate) fn new(outbound: Outbound) -> Self {
        Self { outbound }
    }

    /// Asks a service on the network; whatever its status, a whole answer is a reply.
    pub(crate) async fn ask(
        &self,
        service: &'static str,
        request: Result<Request, Error>,
    ) -> Result<Reply, ProviderError> {
        let client = self.outbound.client(&Tls::default())?;
        let unreachable = |source| ProviderError::Unreachable { service, source };
        let request = request.map_err(unreachable)?.within(EXCHANGE).redirects(0);
        let response = client.send(request).await.map_err(unreachable)?;
        Reply::read(service, response).await
    }

    /// Asks the metadata service of the machine, at an address that only the environment may name.
    /// It must prove with `proof` that it is the one we mean, where there is such a header.
    pub(crate) async fn ask_metadata(
        &self,
        service: &'static str,
        request: Result<Request, Error>,
        limit: Duration,
        proof: Option<(&HeaderName, &str)>,
    ) -> Result<Reply, ProviderError> {
        let client = self.outbound.metadata_client()?;
        let unreachable = |source| ProviderError::Unreachable { service, source };
        let request = request.map_err(unreachable)?.within(limit).redirects(0);
        let response = client.send(request).await.map_err(unreachable)?;
        if let Some((name, value)) = proof
            && response.header(name) != Some(value)
        {
            return Err(ProviderError::Answer { service, problem: "it is another service" });
        }
        Reply::read(service, response).await
    }
}

impl Reply {
    async fn read(service: &'static str, response: Response) -> Result<Self, ProviderError> {
        let status = response.status();
        let body = response.read_limited(MAX_ANSWER).await;
        let body = body.map_err(|source| ProviderError::Unreachable { service, source })?;
        Ok(Self { service, status, body })
    }

    /// The reply, unless the service said no.
    pub(crate) fn accepted(self) -> Result<Self, ProviderError> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(self.refused())
    }

    /// The error for an answer that says no, whatever its status.
    pub(crate) fn refused(&self) -> ProviderError {
        let (service, status) = (self.service, self.status.as_u16());
        ProviderError::Refused { service, status, reason: reason(&self.body) }
    }

    /// What an accepting reply holds.
    pub(crate) fn json<T: DeserializeOwned>(self) -> Result<T, ProviderError> {
        let reply = self.accepted()?;
        let unusable = |_| reply.unusable("it is not the JSON document expected");
        serde_json::from_slice(&reply.body).map_err(unusable)
    }

    /// An accepting reply as text.
    pub(crate) fn text(self) -> Result<String, ProviderError> {
        let reply = self.accepted()?;
        let text = std::str::from_utf8(&reply.body);
        text.map(str::to_owned).map_err(|_| reply.unusable("it is not text"))
    }

    /// The error for an answer that does not make sense.
    pub(crate) fn unusable(&self, problem: &'static str) -> ProviderError {
        ProviderError::Answer { service: self.service, problem }
    }
}

/// What a service says about its refusal, in the dialects of those we ask.
fn reason(body: &[u8]) -> String {
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return clean(xml_text(body, "Code").unwrap_or_default());
    };
    let text = |pointer| json.pointer(pointer).and_then(Value::as_str);
    // The long text of AWS repeats what was signed, so the code has to do.
    if let Some(code) = ["/__type", "/code", "/Code"].into_iter().find_map(text) {
        return clean(code.rsplit('#').next().unwrap_or(code));
    }
    let words: Vec<&str> =
        ["/error/status", "/error/message", "/error", "/error_description", "/message"]
            .into_iter()
            .filter_map(text)
            .collect();
    clean(&words.join(": "))
}

/// The text of the first element of this name; enough for the flat answers of AWS.
pub(crate) fn xml_text<'a>(body: &'a [u8], name: &str) -> Option<&'a str> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let (value, _) = rest.split_once(&format!("</{name}>"))?;
    Some(value).filter(|value| !value.contains(['<', '&']))
}

/// Words of a stranger, made harmless.
fn clean(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    let mut kept = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        let word = if word.chars().count() > MAX_WORD_CHARS { "…" } else { word };
        if kept.chars().count() + word.chars().count() >= MAX_REASON_CHARS {
            kept.push('…');
            break;
        }
        if !kept.is_empty() {
            kept.push(' ');
        }
        kept.push_str(word);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_refusal_is_told_in_the_words_of_the_service() {
        let table = [
            (r#"{"message":"Bad credentials"}"#, "Bad credentials"),
            (
                r#"{"__type":"com.amazon#AccessDeniedException","message":"secret"}"#,
                "AccessDeniedException",
            ),
            (
                "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>",
                "AccessDenied",
            ),
            (
                r#"{"Code":"AssumeRoleUnauthorizedAccess","Message":"secret"}"#,
                "AssumeRoleUnauthorizedAccess",
            ),
            (r#"{"error":{"status":"PERMISSION_DENIED","message":"no"}}"#, "PERMISSION_DENIED: no"),
            (
                r#"{"error":"invalid_client","error_description":"AADSTS7: x"}"#,
                "invalid_client: AADSTS7: x",
            ),
            ("<html>", ""),
            ("[1,", ""),
            ("", ""),
        ];
        for (body, expected) in table {
            assert_eq!(reason(body.as_bytes()), expected, "{body}");
        }
    }

    #[test]
    fn what_looks_like_a_token_is_not_repeated() {
        let token = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2lnbmF0dXJl";
        let body = format!(r#"{{"message":"the token {token} is wrong"}}"#);
        assert_eq!(reason(body.as_bytes()), "the token … is wrong");
    }

    #[test]
    fn flat_xml_is_read_and_anything_else_is_nothing() {
        let body = b"<R><Account>12</Account><Bad>a&amp;b</Bad><Nested><X>1</X></Nested></R>";
        assert_eq!(xml_text(body, "Account"), Some("12"));
        assert_eq!(xml_text(body, "Bad"), None);
        assert_eq!(xml_text(body, "Nested"), None);
        assert_eq!(xml_text(body, "Missing"), None);
        assert_eq!(xml_text(b"<A>\xff</A>", "A"), None);
    }

    proptest! {
        #[test]
        fn any_body_gives_a_short_printable_reason(body in prop::collection::vec(any::<u8>(), 0..400)) {
            let reason = reason(&body);
            prop_assert!(reason.chars().count() <= MAX_REASON_CHARS);
            prop_assert!(!reason.chars().any(char::is_control));
        }

        #[test]
        fn any_message_gives_a_short_printable_reason(message in any::<String>()) {
            let reason = reason(&serde_json::to_vec(&serde_json::json!({"message": message})).unwrap());
            prop_assert!(reason.chars().count() <= MAX_REASON_CHARS);
            prop_assert!(!reason.chars().any(char::is_control));
        }
    }
}
