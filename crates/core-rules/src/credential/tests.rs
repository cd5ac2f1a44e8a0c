use k8s_openapi::api::core::v1::{ConfigMap, Secret as StoredSecret};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{CredentialError, REDACTED, RedactedSecret, config_map, generic, repository};
use crate::fault::Fault;

fn read<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

/// The data of a Secret as text.
fn data(secret: &StoredSecret) -> Value {
    let data = secret.data.clone().unwrap_or_default();
    data.into_iter().map(|(key, value)| (key, String::from_utf8(value.0).unwrap())).collect()
}

fn stored(label: Option<&str>) -> StoredSecret {
    let labels = label.map(|label| json!({"kargo.akuity.io/cred-type": label}));
    read(json!({
        "metadata": {
            "name": "s", "namespace": "demo", "labels": labels,
            "annotations": {"kargo.akuity.io/description": "old", "other": "hunter2"},
        },
        "type": "Opaque",
        // a: "1", b: "2"
        "data": {"a": "MQ==", "b": "Mg=="},
    }))
}

fn whole() -> Value {
    json!({"name": "s", "type": "git", "repoUrl": "https://x", "username": "u", "password": "p"})
}

fn refused<T: std::fmt::Debug>(result: Result<T, CredentialError>) -> (u16, String) {
    let error = result.unwrap_err();
    (error.class().code(), error.to_string())
}

#[test]
fn credentials_of_a_repository_are_complete() {
    for (field, value, message) in [
        ("name", "", "name should not be empty"),
        ("type", "", "type should not be empty"),
        ("type", "generic", "type should be one of git, helm, or image"),
        ("repoUrl", "", "repoURL should not be empty"),
        ("username", "", "username should not be empty"),
        ("password", "", "password should not be empty"),
    ] {
        let mut sent = whole();
        sent[field] = json!(value);
        let refusal = refused(repository::create(&read(sent), "demo"));
        assert_eq!(refusal, (400, message.to_owned()));
    }
    let sent = json!({"type": "git", "username": "u", "password": "p"});
    let refusal = refused(repository::put(&stored(Some("git")), &read(sent)));
    assert_eq!(refusal.1, "repoUrl should not be empty");
}

#[test]
fn credentials_of_a_repository_are_stored_under_their_keys() {
    let secret = repository::create(&read(whole()), "demo").unwrap();
    assert_eq!(data(&secret), json!({"repoURL": "https://x", "username": "u", "password": "p"}));
    assert_eq!(secret.metadata.labels.unwrap()["kargo.akuity.io/cred-type"], "git");
    let mut pattern = whole();
    pattern["repoUrlIsRegex"] = json!(true);
    let secret = repository::put(&stored(Some("helm")), &read(pattern)).unwrap();
    assert_eq!(data(&secret)["repoURLIsRegex"], "true");
    assert_eq!(data(&secret).as_object().unwrap().len(), 4);
    assert_eq!(secret.metadata.annotations.unwrap().len(), 1, "the description is gone");
}

#[test]
fn a_change_of_repository_credentials_touches_what_is_named() {
    let mut pattern = whole();
    pattern["repoUrlIsRegex"] = json!(true);
    pattern["description"] = json!("text");
    let old = repository::create(&read(pattern), "demo").unwrap();
    let change = |sent: Value| repository::patch(&old, &read(sent)).unwrap();
    assert_eq!(change(json!({})), old);
    assert_eq!(change(json!({"repoUrlIsRegex": false})), old);
    let moved = data(&change(json!({"repoUrl": "https://y", "password": "q"})));
    assert_eq!(moved, json!({"repoURL": "https://y", "username": "u", "password": "q"}));
    assert!(change(json!({"description": ""})).metadata.annotations.unwrap().is_empty());
    let refusal = refused(repository::patch(&old, &read(json!({"type": "ftp"}))));
    assert_eq!(refusal, (400, "type should be one of git, helm, or image".to_owned()));
}

#[test]
fn other_secrets_are_not_touched() {
    let sent = whole();
    assert_eq!(
        refused(repository::put(&stored(None), &read(sent.clone()))),
        (409, "secret demo/s exists, but is not labeled with kargo.akuity.io/cred-type".to_owned())
    );
    assert_eq!(
        refused(repository::put(&stored(Some("generic")), &read(sent))),
        (
            409,
            "Kubernetes Secret demo/s exists, but is labeled as unrecognized credential type \
             \"generic\""
                .to_owned()
        )
    );
    assert_eq!(
        refused(generic::patch(&stored(Some("git")), &read(json!({})))),
        (
            409,
            "Secret demo/s exists, but is not labeled with kargo.akuity.io/cred-type=generic"
                .to_owned()
        )
    );
}

#[test]
fn a_generic_secret_has_values_of_its_own() {
    let create = |sent: Value| generic::create(&read(sent), "demo");
    assert_eq!(refused(create(json!({"data": {"a": "1"}}))).1, "name should not be empty");
    assert_eq!(refused(create(json!({"name": "s"}))).1, "cannot create empty secret");
    assert_eq!(refused(create(json!({"name": "s", "data": {"a": REDACTED}}))).0, 400);
    let sent = json!({"name": "s", "replicate": true, "data": {"a": ""}, "description": "text"});
    let secret = create(sent).unwrap();
    assert_eq!(secret.type_.as_deref(), Some("Opaque"));
    let annotations = secret.metadata.annotations.unwrap();
    assert_eq!(annotations["kargo.akuity.io/replicate-to"], "*");
    assert_eq!(annotations["kargo.akuity.io/description"], "text");
}

#[test]
fn what_was_shown_as_hidden_keeps_its_value() {
    let old = stored(Some("generic"));
    let put = |sent: Value| generic::put(&old, &read(json!({ "data": sent })));
    assert_eq!(
        data(&put(json!({"a": "", "c": "3", "d": ""})).unwrap()),
        json!({"a": "1", "c": "3"})
    );
    assert_eq!(data(&put(json!({"b": REDACTED})).unwrap()), json!({"b": "2"}));
    for nothing in [json!({}), json!({"d": ""})] {
        assert_eq!(refused(put(nothing)), (400, "cannot update to empty secret".to_owned()));
    }
}

#[test]
fn a_change_removes_first_and_then_sets() {
    let old = stored(Some("generic"));
    let patch = |sent: Value| generic::patch(&old, &read(sent));
    let sent = json!({"removeKeys": ["a", "b"], "data": {"b": "", "c": REDACTED}});
    assert_eq!(data(&patch(sent).unwrap()), json!({"b": ""}));
    let refusal = refused(patch(json!({"removeKeys": ["a", "b"]})));
    assert_eq!(refusal, (400, "cannot have empty secret".to_owned()));
    assert_eq!(patch(json!({})).unwrap(), old);
}

#[test]
fn a_config_map_is_never_empty() {
    let create = |sent: Value| config_map::create(&read(sent), "demo");
    assert_eq!(refused(create(json!({"data": {"a": "1"}}))).1, "name should not be empty");
    assert_eq!(refused(create(json!({"name": "c"}))).1, "ConfigMap data cannot be empty");
    let old: ConfigMap = create(json!({"name": "c", "data": {"a": "1"}})).unwrap();
    let patch = |sent: Value| config_map::patch(&old, &read(sent));
    assert_eq!(
        refused(patch(json!({"removeKeys": ["a"]}))).1,
        "ConfigMap data cannot be empty after patch"
    );
    let changed = patch(json!({"removeKeys": ["a"], "data": {"b": ""}})).unwrap();
    assert_eq!(changed.data.unwrap().len(), 1);
    let replaced = config_map::put(&old, &read(json!({"data": {"z": "1"}}))).unwrap();
    assert!(replaced.data.unwrap().contains_key("z"));
}

#[test]
fn shown_secrets_hold_no_secret() {
    let secret = repository::create(&read(whole()), "demo").unwrap();
    let shown = serde_json::to_value(RedactedSecret::of_repository(&secret)).unwrap();
    assert_eq!(
        shown["stringData"],
        json!({"repoURL": "https://x", "username": "u", "password": REDACTED})
    );
    assert!(shown.get("data").is_none());
    let shown = serde_json::to_value(RedactedSecret::of_generic(&stored(None))).unwrap();
    assert_eq!(shown["stringData"], json!({"a": REDACTED, "b": REDACTED}));
    assert_eq!(
        shown["metadata"]["annotations"],
        json!({"kargo.akuity.io/description": "old", "other": REDACTED})
    );
}
