//! Jobs on an engine that has none: their kind is served under a group that a
//! CustomResourceDefinition may have, and every request and reply is put in its words.

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use kube::{Client, client::Body};
use serde_json::{Value, json};

const REAL: &str = "batch/v1";
const SERVED: &str = "batch.test/v1";

/// The kind, as the engine can serve it.
pub(crate) fn kind() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "jobs.batch.test"},
        "spec": {
            "group": "batch.test", "scope": "Namespaced",
            "names": {
                "kind": "Job", "listKind": "JobList", "plural": "jobs", "singular": "job",
            },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                }},
            }],
        },
    })
}

/// A client to which the kind looks like that of Kubernetes.
pub(crate) fn with_jobs(client: Client) -> Client {
    let service = tower::service_fn(move |request: Request<Body>| {
        let client = client.clone();
        async move {
            let response = client.send(translated(request).await).await?;
            Ok::<_, kube::Error>(response.map(|body| {
                body.map_frame(|frame| frame.map_data(|data| replace(&data, SERVED, REAL)))
            }))
        }
    });
    Client::new(service, "default")
}

async fn translated(request: Request<Body>) -> Request<Body> {
    let (mut head, body) = request.into_parts();
    head.uri = head.uri.to_string().replace(REAL, SERVED).parse().unwrap();
    let bytes = body.collect().await.unwrap().to_bytes();
    Request::from_parts(head, Body::from(replace(&bytes, REAL, SERVED).to_vec()))
}

/// Replies come in whole events, so that no name is cut.
fn replace(data: &[u8], from: &str, to: &str) -> Bytes {
    String::from_utf8_lossy(data).replace(from, to).into()
}
