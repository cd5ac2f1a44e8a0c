//! Who measures: the providers that are executed here as types, all others as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Fields, is_zero};

/// Who measures a metric; exactly one is meant to be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Provider {
    /// The answer to an HTTP request.
    #[serde(skip_serializing_if = "is_zero")]
    pub web: Option<WebProvider>,
    /// A query to Prometheus.
    #[serde(skip_serializing_if = "is_zero")]
    pub prometheus: Option<PrometheusProvider>,
    /// The end of a Job.
    #[serde(skip_serializing_if = "is_zero")]
    pub job: Option<JobProvider>,
    /// Programs added to the executor, by name.
    #[serde(skip_serializing_if = "is_zero")]
    pub plugin: Fields,
    /// Providers that are not executed here, by name.
    #[serde(flatten)]
    pub others: Fields,
}

/// Asks an HTTP server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebProvider {
    /// GET, POST or PUT; absent means GET.
    #[serde(skip_serializing_if = "is_zero")]
    pub method: String,
    /// Where to ask.
    pub url: String,
    /// Headers of the request.
    #[serde(skip_serializing_if = "is_zero")]
    pub headers: Vec<Header>,
    /// Body of the request, as text.
    #[serde(skip_serializing_if = "is_zero")]
    pub body: String,
    /// Body of the request, as JSON.
    #[serde(skip_serializing_if = "is_zero")]
    pub json_body: Option<Value>,
    /// Where in the answer the result is, in the form `{$.data.ok}`; absent means the whole.
    #[serde(skip_serializing_if = "is_zero")]
    pub json_path: String,
    /// Seconds to wait for the answer; absent means 10.
    #[serde(skip_serializing_if = "is_zero")]
    pub timeout_seconds: i64,
    /// Whether the server's certificate is left unchecked.
    #[serde(skip_serializing_if = "is_zero")]
    pub insecure: bool,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// Asks Prometheus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PrometheusProvider {
    /// URL of the server.
    #[serde(skip_serializing_if = "is_zero")]
    pub address: String,
    /// The query.
    #[serde(skip_serializing_if = "is_zero")]
    pub query: String,
    /// Headers of the request.
    #[serde(skip_serializing_if = "is_zero")]
    pub headers: Vec<Header>,
    /// Seconds to wait for the answer; absent means 30.
    #[serde(skip_serializing_if = "is_zero")]
    pub timeout: Option<i64>,
    /// Whether the server's certificate is left unchecked.
    #[serde(skip_serializing_if = "is_zero")]
    pub insecure: bool,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// A header of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Header {
    /// Name of the header.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// Runs a Job: it ends well, or it does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobProvider {
    /// Labels and annotations of the Job, as in its metadata.
    #[serde(skip_serializing_if = "is_zero")]
    pub metadata: Fields,
    /// `spec` of the Job, not looked into.
    pub spec: Value,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}
