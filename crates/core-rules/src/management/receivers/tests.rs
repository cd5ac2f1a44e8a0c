//! Every kind of sender, and every reason for having no address.

use serde_json::json;

use super::*;

const LONG: &str = "0123456789abcdef";

fn receiver(value: serde_json::Value) -> WebhookReceiverConfig {
    serde_json::from_value(value).unwrap()
}

fn sender(kind: &str, secret: &str) -> WebhookReceiverConfig {
    receiver(json!({"name": "r", (kind): {"secretRef": {"name": secret}}}))
}

fn secrets(entries: &[(&str, &str, &[u8])]) -> BTreeMap<String, Secret> {
    let secret = |key: &str, value: &[u8]| Secret {
        data: Some(BTreeMap::from([(key.to_owned(), k8s_openapi::ByteString(value.to_vec()))])),
        ..Secret::default()
    };
    entries.iter().map(|(name, key, value)| ((*name).to_owned(), secret(key, value))).collect()
}

fn outcome(receivers: &[WebhookReceiverConfig], secrets: &BTreeMap<String, Secret>) -> Outcome {
    let base_url = "https://hooks.example.com/base/";
    plan_receivers(receivers, &Setting { base_url, project: "demo", namespace: "demo", secrets })
}

#[test]
fn every_sender_has_its_key() {
    let table = [
        ("artifactory", "secret-token"),
        ("azure", "secret"),
        ("bitbucket", "secret"),
        ("dockerhub", "secret"),
        ("generic", "secret"),
        ("gitea", "secret"),
        ("github", "secret"),
        ("gitlab", "secret-token"),
        ("harbor", "auth-header"),
        ("quay", "secret"),
    ];
    for (kind, key) in table {
        let found = outcome(&[sender(kind, "s")], &secrets(&[("s", key, LONG.as_bytes())]));
        assert!(found.failures.is_empty(), "{kind}: {found:?}");
        let path = &found.details[0].path;
        assert!(path.starts_with(&format!("/base/{kind}/")), "{path}");
        assert_eq!(found.details[0].url, format!("https://hooks.example.com{path}"));
        let wrong = outcome(&[sender(kind, "s")], &secrets(&[("s", "other", LONG.as_bytes())]));
        assert!(wrong.failures[0].contains(&format!("has no key {key:?}")), "{wrong:?}");
    }
}

#[test]
fn each_failure_names_its_cause_and_never_a_value() {
    let table = [
        (
            receiver(json!({"name": "r"})),
            secrets(&[]),
            "exactly one type must be configured, found 0",
        ),
        (
            receiver(json!({"name": "r", "github": {}, "harbor": {}})),
            secrets(&[]),
            "exactly one type must be configured, found 2",
        ),
        (sender("github", "s"), secrets(&[]), "Secret \"s\" not found in namespace \"demo\""),
        (sender("github", "s"), secrets(&[("s", "secret", b"")]), "at least 1 bytes"),
        (sender("quay", "s"), secrets(&[("s", "secret", b"hunter2")]), "at least 16 bytes"),
        (sender("github", "s"), secrets(&[("s", "secret", b"hunter2\xff")]), "UTF-8"),
    ];
    for (receiver, secrets, expected) in table {
        let found = outcome(&[receiver], &secrets);
        assert!(found.failures[0].contains(expected), "{found:?}");
        assert!(found.failures[0].starts_with("receiver \"r\": "), "{found:?}");
        assert!(!found.failures[0].contains("hunter2"), "{found:?}");
    }
}

#[test]
fn receivers_of_the_system_need_a_namespace_for_their_secrets() {
    let secrets = secrets(&[("s", "secret", b"x")]);
    let cfg = Setting { base_url: "https://x", project: "", namespace: "", secrets: &secrets };
    let found = plan_receivers(&[sender("github", "s")], &cfg);
    assert!(found.failures[0].contains("SYSTEM_RESOURCES_NAMESPACE"));
    assert_eq!(plan_receivers(&[], &cfg), Outcome::default());
}

#[test]
fn a_bad_base_url_is_told() {
    let secrets = secrets(&[("s", "secret", b"x")]);
    let cfg = Setting { base_url: "://", project: "p", namespace: "p", secrets: &secrets };
    assert!(plan_receivers(&[sender("github", "s")], &cfg).failures[0].contains("base URL"));
}

#[test]
fn secrets_are_asked_for_once_each() {
    let receivers =
        [sender("github", "b"), sender("gitlab", "a"), sender("quay", "b"), sender("azure", "")];
    assert_eq!(secret_names(&receivers), ["a", "b"]);
}

fn metadata() -> ObjectMeta {
    serde_json::from_value(json!({
        "generation": 7, "annotations": {"kargo.akuity.io/refresh": "token"},
    }))
    .unwrap()
}

fn show(conditions: &[Condition]) -> Vec<String> {
    let line = |c: &Condition| format!("{}={} {}: {}", c.r#type, c.status, c.reason, c.message);
    conditions.iter().map(line).collect()
}

#[test]
fn the_status_tells_what_worked_and_what_did_not() {
    let now = Time::from_seconds(5);
    let all = secrets(&[("s", "secret", LONG.as_bytes())]);
    let failed = outcome(&[sender("github", "s"), sender("github", "gone")], &all);
    let old = ProjectConfigStatus::default();
    let status = plan_project_config_status(&old, &metadata(), &failed, now);
    assert_eq!(status.webhook_receivers.len(), 1);
    assert_eq!((status.observed_generation, status.last_handled_refresh.as_str()), (0, "token"));
    assert_eq!(
        show(&status.conditions),
        [
            "Reconciling=True SyncingWebhooks: Syncing webhook receivers",
            "Ready=False SyncWebhookReceiversFailed: Failed to sync WebhookReceivers: \
             receiver \"r\": Secret \"gone\" not found in namespace \"demo\"",
        ]
    );
    let synced = plan_project_config_status(&status, &metadata(), &Outcome::default(), now);
    assert_eq!(synced.webhook_receivers, []);
    assert_eq!(synced.observed_generation, 7);
    assert_eq!(
        show(&synced.conditions),
        ["Ready=True Synced: ProjectConfig is synced and ready for use"]
    );
    let again = plan_project_config_status(&synced, &metadata(), &Outcome::default(), now);
    assert_eq!(again, synced);
}

#[test]
fn the_clusters_status_has_words_of_its_own() {
    let failed = outcome(&[sender("github", "gone")], &secrets(&[]));
    let old = ClusterConfigStatus::default();
    let status = plan_cluster_config_status(&old, &metadata(), &failed, Time::default());
    assert!(show(&status.conditions)[1].contains("Failed to sync webhook receivers: receiver"));
    let synced =
        plan_cluster_config_status(&status, &metadata(), &Outcome::default(), Time::default());
    assert_eq!(
        show(&synced.conditions),
        ["Ready=True Synced: ClusterConfig is synced and ready for use"]
    );
    assert_eq!(synced.observed_generation, 7);
}
