//! What a client has sent, as far as the audit log may show it.

use emb_codec::yaml;
use serde_json::Value;

use crate::request::{
    Info, body,
    path::{ResourcePath, Target},
};

/// Larger bodies are left out of the log, as kube-apiserver leaves them out.
const MAX_BYTES: usize = 100 * 1024;

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RequestObject {
    /// It may be shown.
    Shown(Value),
    /// It is too large for a line.
    TooLarge,
    /// It holds what nobody but its owner may read: then even the level of the event is another.
    Confidential,
}

impl RequestObject {
    /// Reads the body of a request; `None` when there is nothing in it to show.
    pub(crate) fn read(info: &Info, bytes: &[u8]) -> Option<Self> {
        let Target::Resource(path) = &info.target else { return None };
        if is_confidential(path) {
            return Some(Self::Confidential);
        }
        if bytes.is_empty() || !info.is_mutating() {
            return None;
        }
        if bytes.len() > MAX_BYTES {
            return Some(Self::TooLarge);
        }
        let content_type = info.header("content-type");
        let decoded = if info.verb() == "patch" {
            // Every form of a patch is JSON or YAML, and JSON is YAML.
            yaml::decode(bytes).ok().map(|decoded| decoded.value)
        } else {
            body::decode(bytes, content_type).ok().map(|decoded| decoded.value)
        };
        decoded.map(Self::Shown)
    }
}

/// Secrets, and everything that carries tokens.
fn is_confidential(path: &ResourcePath) -> bool {
    let names = (path.group.as_str(), path.resource.as_str(), path.subresource.as_str());
    matches!(
        names,
        ("", "secrets", _)
            | ("", "serviceaccounts", "token")
            | ("authentication.k8s.io", "tokenreviews", _)
    )
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method};
    use serde_json::json;

    use super::*;

    fn read(method: Method, uri: &str, content_type: &str, body: &str) -> Option<RequestObject> {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", content_type.parse().unwrap());
        RequestObject::read(&Info::new(method, &uri.parse().unwrap(), headers), body.as_bytes())
    }

    #[test]
    fn bodies_of_writes_are_shown_but_for_secrets_and_tokens() {
        let maps = "/api/v1/namespaces/a/configmaps";
        let shown = RequestObject::Shown(json!({"data": {"a": "b"}}));
        let json = "{\"data\":{\"a\":\"b\"}}";
        assert_eq!(read(Method::POST, maps, "application/json", json), Some(shown.clone()));
        assert_eq!(
            read(Method::POST, maps, "application/yaml", "data: {a: b}"),
            Some(shown.clone())
        );
        let patch = "application/apply-patch+yaml";
        let one = format!("{maps}/m");
        assert_eq!(read(Method::PATCH, &one, patch, "data: {a: b}"), Some(shown));
        for secret in [
            "/api/v1/namespaces/a/secrets",
            "/api/v1/namespaces/a/serviceaccounts/s/token",
            "/apis/authentication.k8s.io/v1/tokenreviews",
        ] {
            let body = read(Method::POST, secret, "application/json", json);
            assert_eq!(body, Some(RequestObject::Confidential));
        }
        assert_eq!(read(Method::GET, maps, "application/json", json), None);
        assert_eq!(read(Method::POST, maps, "application/json", "{"), None);
        let large = format!("{{\"data\":\"{}\"}}", "x".repeat(MAX_BYTES));
        assert_eq!(
            read(Method::POST, maps, "application/json", &large),
            Some(RequestObject::TooLarge)
        );
    }
}
