//! The registrations of the reference's admission server, with addresses in place of Services.

use anyhow::Result;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::ground::Ground;

const WRITES: &[&str] = &["CREATE", "UPDATE"];
const ALL: &[&str] = &["CREATE", "UPDATE", "DELETE"];

/// One webhook: the singular of its kind, the resources it is asked about, when, and their scope.
type Hook = (&'static str, &'static [&'static str], &'static [&'static str], &'static str);

const MUTATING: &[Hook] = &[
    ("freight", &["freights"], WRITES, "Namespaced"),
    ("promotion", &["promotions"], WRITES, "Namespaced"),
    ("stage", &["stages"], WRITES, "Namespaced"),
    ("warehouse", &["warehouses"], WRITES, "Namespaced"),
];

const VALIDATING: &[Hook] = &[
    ("clusterconfig", &["clusterconfigs"], WRITES, "Cluster"),
    ("clusterpromotiontask", &["clusterpromotiontasks"], WRITES, "Cluster"),
    ("freight", &["freights", "freights/status"], ALL, "Namespaced"),
    ("project", &["projects"], WRITES, "Cluster"),
    ("projectconfig", &["projectconfigs"], WRITES, "Namespaced"),
    ("promotion", &["promotions"], ALL, "Namespaced"),
    ("promotionrequest", &["promotionrequests"], WRITES, "Namespaced"),
    ("promotiontask", &["promotiontasks"], WRITES, "Namespaced"),
    ("stage", &["stages"], WRITES, "Namespaced"),
    ("warehouse", &["warehouses"], WRITES, "Namespaced"),
];

/// Has the API server ask the admission server on this port about everything that it wants to be asked about.
pub(super) async fn register(ground: &Ground, port: u16) -> Result<()> {
    for (kind, verb, hooks) in [
        ("MutatingWebhookConfiguration", "mutate", MUTATING),
        ("ValidatingWebhookConfiguration", "validate", VALIDATING),
    ] {
        let address = format!("https://127.0.0.1:{port}/{verb}-kargo-akuity-io-v1alpha1-");
        let hooks: Vec<Value> =
            hooks.iter().map(|hook| webhook(hook, &address, &ground.certificate.chain)).collect();
        let group = "admissionregistration.k8s.io/v1";
        let body = json!({"apiVersion": group, "kind": kind, "metadata": {"name": "kargo"}, "webhooks": hooks});
        let path = format!("/apis/{group}/{}s", kind.to_lowercase());
        ground.client.create(&path, &body).await?;
    }
    Ok(())
}

fn webhook(&(name, resources, operations, scope): &Hook, address: &str, authority: &str) -> Value {
    json!({
        "name": format!("{name}.kargo.akuity.io"),
        "admissionReviewVersions": ["v1"],
        "sideEffects": if name.starts_with("project") { "NoneOnDryRun" } else { "None" },
        "failurePolicy": "Fail",
        "clientConfig": {"url": format!("{address}{name}"), "caBundle": STANDARD.encode(authority)},
        "rules": [{
            "scope": scope, "apiGroups": ["kargo.akuity.io"], "apiVersions": ["v1alpha1"],
            "resources": resources, "operations": operations,
        }],
    })
}
