//! One webhook, compiled from its configuration.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use emb_codec::selector::LabelSelector;
use emb_meta::ObjectExt;
use emb_schema::Condition;
use serde_json::Value;

use super::{WebhookAccess, WebhookEndpoint, rule::Rule};

/// How long a webhook has when its configuration does not say.
const TIMEOUT_SECONDS: u64 = 10;

/// A webhook as requests see it.
#[derive(Debug)]
pub(super) struct Hook {
    pub(super) name: String,
    /// The name of the configuration that it stands in.
    pub(super) configuration: String,
    pub(super) rules: Vec<Rule>,
    /// Whether rules also match other versions of the same objects.
    pub(super) matches_equivalents: bool,
    /// Whether a call that fails counts as consent.
    pub(super) ignores_failures: bool,
    /// Whether it is called again when a later webhook changes the object.
    pub(super) reinvokes: bool,
    pub(super) timeout: Duration,
    pub(super) namespaces: LabelSelector,
    pub(super) objects: LabelSelector,
    pub(super) conditions: Vec<Condition>,
    pub(super) version: ReviewVersion,
    /// Where it is, or why it cannot be called.
    pub(super) endpoint: Result<WebhookEndpoint, String>,
}

/// The form of the review that a webhook understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewVersion {
    V1,
    V1Beta1,
}

impl ReviewVersion {
    pub(super) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "admission.k8s.io/v1",
            Self::V1Beta1 => "admission.k8s.io/v1beta1",
        }
    }
}

impl Hook {
    /// Reads a stored webhook. One that cannot be read, say because an older version of the server took it, still
    /// matches by its rules; calling it fails, and its failure policy decides.
    pub(super) fn read(configuration: &str, webhook: &Value, access: &WebhookAccess) -> Self {
        let parts = Parts::read(webhook);
        let endpoint = match &parts {
            Ok(_) => endpoint(webhook, access),
            Err(problem) => Err(problem.clone()),
        };
        let Parts { namespaces, objects, conditions } = parts.unwrap_or_default();
        let seconds = webhook.get("timeoutSeconds").and_then(Value::as_u64);
        let rules = webhook.get("rules").and_then(Value::as_array);
        Self {
            name: webhook.text(&["name"]).to_owned(),
            configuration: configuration.to_owned(),
            rules: rules.into_iter().flatten().map(Rule::read).collect(),
            matches_equivalents: webhook.text(&["matchPolicy"]) != "Exact",
            ignores_failures: webhook.text(&["failurePolicy"]) == "Ignore",
            reinvokes: webhook.text(&["reinvocationPolicy"]) == "IfNeeded",
            timeout: Duration::from_secs(seconds.unwrap_or(TIMEOUT_SECONDS)),
            namespaces,
            objects,
            conditions,
            version: review_version(webhook),
            endpoint,
        }
    }
}

/// The parts of a webhook that are languages of their own.
#[derive(Default)]
struct Parts {
    namespaces: LabelSelector,
    objects: LabelSelector,
    conditions: Vec<Condition>,
}

impl Parts {
    fn read(webhook: &Value) -> Result<Self, String> {
        let selector = |member: &str| match webhook.get(member) {
            Some(selector) => {
                LabelSelector::from_object(selector).map_err(|error| error.to_string())
            }
            None => Ok(LabelSelector::default()),
        };
        let conditions = webhook.get("matchConditions").and_then(Value::as_array);
        let conditions = conditions
            .into_iter()
            .flatten()
            .map(|condition| Condition::compile(condition.text(&["expression"])));
        Ok(Self {
            namespaces: selector("namespaceSelector")?,
            objects: selector("objectSelector")?,
            conditions: conditions.collect::<Result<_, _>>()?,
        })
    }
}

/// The first version of the list that we speak.
fn review_version(webhook: &Value) -> ReviewVersion {
    let versions = webhook.get("admissionReviewVersions").and_then(Value::as_array);
    let known = versions.into_iter().flatten().find_map(|version| match version.as_str()? {
        "v1" => Some(ReviewVersion::V1),
        "v1beta1" => Some(ReviewVersion::V1Beta1),
        _ => None,
    });
    known.unwrap_or(ReviewVersion::V1)
}

fn endpoint(webhook: &Value, access: &WebhookAccess) -> Result<WebhookEndpoint, String> {
    let config = webhook.get("clientConfig").unwrap_or(&Value::Null);
    let authority = match config.text(&["caBundle"]) {
        "" => None,
        encoded => Some(authority(encoded)?.into()),
    };
    let Some(service) = config.get("service").filter(|service| service.is_object()) else {
        let url = config.text(&["url"]);
        return Ok(WebhookEndpoint { url: with_path(url, ""), authority, server_name: None });
    };
    let (namespace, name) = (service.text(&["namespace"]), service.text(&["name"]));
    let Some(base) = access.services.get(&format!("{namespace}/{name}")) else {
        return Err(unknown_service(namespace, name));
    };
    Ok(WebhookEndpoint {
        url: with_path(base.trim_end_matches('/'), service.text(&["path"])),
        authority,
        server_name: Some(format!("{name}.{namespace}.svc")),
    })
}

/// An address with a path behind it, which is at least `/`.
fn with_path(base: &str, path: &str) -> String {
    let bare = path.is_empty() && !base.trim_start_matches("https://").contains('/');
    format!("{base}{}", if bare { "/" } else { path })
}

/// What is said of a service that nobody gave an address for.
pub(super) fn unknown_service(namespace: &str, name: &str) -> String {
    format!(
        "this server has no address for the service {namespace}/{name}; give clientConfig.url, or start the server with the address of the service"
    )
}

fn authority(encoded: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(encoded).map_err(|error| format!("caBundle: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "caBundle: not a list of PEM certificates".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_path() {
        assert_eq!(with_path("https://x:1", ""), "https://x:1/");
        assert_eq!(with_path("https://x/y", ""), "https://x/y");
        assert_eq!(with_path("https://x", "/y"), "https://x/y");
    }
}
