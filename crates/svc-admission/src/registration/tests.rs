use std::collections::BTreeMap;

use api_kinds::GROUP;
use core_rules::admission::User;
use serde_json::json;

use super::*;

fn request<'a>(resource: &'a str, subresource: &'a str, operation: Operation) -> Request<'a> {
    static NOBODY: User = User {
        name: String::new(),
        uid: String::new(),
        groups: Vec::new(),
        extra: BTreeMap::new(),
    };
    Request {
        operation,
        group: GROUP,
        resource,
        subresource,
        namespace: "demo",
        name: "x",
        user: &NOBODY,
        object: None,
        old_object: None,
        dry_run: false,
    }
}

#[test]
fn every_path_is_known_and_no_other() {
    for path in
        ["/mutate-kargo-akuity-io-v1alpha1-freight", "/mutate-kargo-akuity-io-v1alpha1-warehouse"]
    {
        assert_eq!(phase_of_path(path), Some(Mutate), "{path}");
    }
    for path in [
        "/validate-kargo-akuity-io-v1alpha1-clusterconfig",
        "/validate-kargo-akuity-io-v1alpha1-projectconfig",
        "/validate-v1-replicated-resource",
    ] {
        assert_eq!(phase_of_path(path), Some(Validate), "{path}");
    }
    assert_eq!(phase_of_path("/mutate-kargo-akuity-io-v1alpha1-clusterconfig"), None);
    assert_eq!(phase_of_path("/"), None);
}

#[test]
fn subresources_and_deletions_go_where_they_are_registered() {
    let validate = |resource, subresource, operation| {
        handler(Validate, &request(resource, subresource, operation))
    };
    assert_eq!(validate("freights", "status", Update), Some(Handler::Freight));
    assert_eq!(validate("freights", "", Delete), Some(Handler::Freight));
    assert_eq!(validate("stages", "", Delete), None);
    assert_eq!(validate("stages", "status", Update), Some(Handler::Shard));
    assert_eq!(validate("targets", "", Create), None);
    assert_eq!(handler(Mutate, &request("freights", "status", Update)), None);
    let mut foreign = request("stages", "", Create);
    foreign.group = "example.com";
    assert_eq!(handler(Validate, &foreign), None);
}

#[test]
fn replicas_are_known_by_their_label() {
    let mut secret = request("secrets", "", Delete);
    secret.group = "";
    assert_eq!(handler(Validate, &secret), None);
    let replica = json!({"metadata": {"labels": {"kargo.akuity.io/replicated-from": "s"}}});
    secret.old_object = Some(&replica);
    assert_eq!(handler(Validate, &secret), Some(Handler::Replica));
}

#[test]
fn configurations_name_service_or_url() {
    let by_service = Registration {
        address: Address::Service {
            name: "kargo-webhooks-server".into(),
            namespace: "kargo".into(),
        },
        authority: None,
        inject_from: Some("kargo/kargo-webhooks-server"),
        namespace: "kargo",
        is_main_controller_held: false,
    };
    let [mutating, validating] = configurations(&by_service);
    assert_eq!(
        mutating["metadata"]["annotations"]["cert-manager.io/inject-ca-from"],
        "kargo/kargo-webhooks-server"
    );
    let freight = &validating["webhooks"][2];
    assert_eq!(freight["name"], "freight.kargo.akuity.io");
    assert_eq!(freight["rules"][0]["operations"], json!(["CREATE", "UPDATE", "DELETE"]));
    assert_eq!(freight["rules"][0]["resources"], json!(["freights", "freights/status"]));
    assert_eq!(
        freight["clientConfig"]["service"]["path"],
        "/validate-kargo-akuity-io-v1alpha1-freight"
    );
    let project = validating["webhooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "project.kargo.akuity.io");
    assert_eq!(project.unwrap()["sideEffects"], "NoneOnDryRun");
    let last = validating["webhooks"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["failurePolicy"], &last["rules"][0]["operations"]),
        (&json!("Ignore"), &json!(["DELETE"]))
    );
    let by_url = Registration {
        address: Address::Url("https://host:9443/".into()),
        authority: Some("PEM"),
        inject_from: None,
        namespace: "kargo",
        is_main_controller_held: false,
    };
    let [mutating, _] = configurations(&by_url);
    let config = &mutating["webhooks"][0]["clientConfig"];
    assert_eq!(config["url"], "https://host:9443/mutate-kargo-akuity-io-v1alpha1-freight");
    assert_eq!(config["caBundle"], "UEVN");
}

#[test]
fn statuses_are_asked_about_when_a_controller_writes_that_may_be_held_to_a_shard() {
    let conditions =
        |is_main_controller_held| {
            let registration = Registration {
                address: Address::Url("https://host:9443".into()),
                authority: None,
                inject_from: None,
                namespace: "home",
                is_main_controller_held,
            };
            let [_, validating] = configurations(&registration);
            let webhooks = validating["webhooks"].as_array().unwrap();
            assert!(webhooks.iter().all(|one| one["name"] == "shard.kargo.akuity.io"
                || one.get("matchConditions").is_none()));
            let shard = webhooks.iter().find(|one| one["name"] == "shard.kargo.akuity.io").unwrap();
            let conditions = shard["matchConditions"].as_array().unwrap();
            conditions.iter().map(|one| one["expression"].as_str().unwrap().to_owned()).collect()
        };
    let held: Vec<String> = conditions(true);
    let of_ours = r#"request.userInfo.username.startsWith("system:serviceaccount:home:")"#;
    assert_eq!(held, [of_ours]);
    let main = r#"request.userInfo.username != "system:serviceaccount:home:kargo-controller""#;
    let free: Vec<String> = conditions(false);
    assert_eq!(free, [of_ours, main]);
}
