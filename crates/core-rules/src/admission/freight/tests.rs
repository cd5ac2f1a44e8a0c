use std::collections::BTreeSet;

use api_kinds::{Freight, Stage, Warehouse};
use serde_json::{Value, json};

use super::*;
use crate::admission::fixture::{self, identities, message, object, user};

fn now() -> Time {
    serde_json::from_value(json!("2026-01-02T03:04:05Z")).unwrap()
}

fn freight(mut body: Value) -> Freight {
    if body.get("origin").is_none() {
        body["origin"] = json!({"kind": "Warehouse", "name": "w"});
    }
    object("f", body)
}

fn commit() -> Value {
    json!({"commits": [{"repoURL": "https://github.com/Example/Repo.git", "id": "abc"}]})
}

fn warehouse(subscriptions: Value) -> Warehouse {
    object("w", json!({"spec": {"interval": "5m0s", "subscriptions": subscriptions}}))
}

fn create(freight: &Freight, warehouse: Option<&Warehouse>) -> Result<(), Refusal> {
    let world = CreateWorld { home: ProjectNamespace::Marked, is_alias_taken: false, warehouse };
    validate_create(freight, &world)
}

#[test]
fn new_freight_gets_name_alias_and_time() {
    let mut new = freight(commit());
    default(&mut new, true, &now(), &BTreeSet::new());
    assert_eq!(new.metadata.name.as_deref().map(str::len), Some(40));
    assert_eq!(new.discovered_at, Some(now()));
    assert_eq!(new.metadata.labels.as_ref().unwrap()["kargo.akuity.io/alias"], new.alias);
    let first = new.alias.clone();
    let mut again = freight(commit());
    default(&mut again, true, &now(), &BTreeSet::from([first.clone()]));
    assert_ne!(again.alias, first);
}

#[test]
fn the_field_feeds_the_label_and_never_the_other_way() {
    let labelled = json!({"metadata": {"labels": {"kargo.akuity.io/alias": "old"}}});
    let mut updated = freight(labelled.clone());
    default(&mut updated, false, &now(), &BTreeSet::new());
    assert_eq!(updated.alias, "");
    assert_eq!(updated.metadata.labels, Some(std::collections::BTreeMap::new()));
    let mut updated = freight(
        json!({"alias": "new", "metadata": labelled["metadata"], "discoveredAt": "2020-01-01T00:00:00Z"}),
    );
    default(&mut updated, false, &now(), &BTreeSet::new());
    assert_eq!(updated.metadata.labels.unwrap()["kargo.akuity.io/alias"], "new");
    assert_ne!(updated.discovered_at, Some(now()));
    assert_eq!(updated.metadata.name.as_deref(), Some("f"));
}

#[test]
fn freight_is_not_empty_and_its_warehouse_exists() {
    let world =
        CreateWorld { home: ProjectNamespace::Unmarked, is_alias_taken: true, warehouse: None };
    let refusal = validate_create(&freight(json!({"alias": "a"})), &world);
    let text = message(refusal);
    for part in [
        r#"namespace "demo" is not a project"#,
        "freight must contain at least one commit, image, or chart",
        r#"alias: Invalid value: "a": alias already used by another piece of Freight in namespace "demo""#,
        r#"warehouse: Invalid value: "w": warehouse does not exist"#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn artifacts_match_subscriptions_one_to_one() {
    let git = json!({"git": {"repoURL": "https://github.com/example/repo"}});
    let image = json!({"image": {"repoURL": "docker.io/library/busybox"}});
    assert!(create(&freight(commit()), Some(&warehouse(json!([git])))).is_ok());
    assert_eq!(
        message(create(&freight(commit()), Some(&warehouse(json!([git, image]))))),
        r#"images: Invalid value: "busybox": no artifact found for subscription "busybox" of Warehouse "w""#
    );
    let short = json!({"images": [{"repoURL": "busybox", "tag": "1"}]});
    assert!(create(&freight(short.clone()), Some(&warehouse(json!([image])))).is_ok());
    assert!(
        message(create(&freight(short), Some(&warehouse(json!([])))))
            .ends_with(r#"no subscription found for image repository in Warehouse "w""#)
    );
    let twice =
        json!({"images": [{"repoURL": "busybox", "tag": "1"}, {"repoURL": "busybox", "tag": "2"}]});
    assert!(
        message(create(&freight(twice), Some(&warehouse(json!([image])))))
            .ends_with(r#"multiple artifacts found for subscription "busybox" of Warehouse "w""#)
    );
    let chart = json!({"chart": {"repoURL": "https://charts.example.com", "name": "web"}});
    let found = json!({"charts": [{"repoURL": "https://charts.example.com", "name": "web", "version": "1"}]});
    assert!(create(&freight(found), Some(&warehouse(json!([chart])))).is_ok());
    let other =
        json!({"artifacts": [{"artifactType": "s3", "subscriptionName": "b", "version": "1"}]});
    assert!(create(&freight(other), Some(&warehouse(json!([])))).is_ok());
}

const NOTHING: UpdateWorld<'_> =
    UpdateWorld { is_alias_taken: false, approvals: &[], promote_everywhere: None };

fn update(new: &Freight, old: &Freight, who: &str) -> Result<Admitted, Refusal> {
    let user = user(who);
    validate_update(new, old, &identities().caller(&user), &NOTHING)
}

#[test]
fn the_content_never_changes() {
    let old = freight(commit());
    let mut new = old.clone();
    new.alias = "renamed".into();
    assert!(update(&new, &old, "alice").is_ok());
    new.commits[0].branch = "main".into();
    let refused = message(update(&new, &old, "alice"));
    assert!(refused.starts_with("commits[0]: ") && refused.ends_with("Freight is immutable"));
    new.commits.clear();
    assert!(message(update(&new, &old, "alice")).starts_with("commits: "));
    new.origin.name = "other".into();
    assert!(
        message(update(&new, &old, "alice"))
            .starts_with(r#"origin: Invalid value: "Warehouse/other""#)
    );
    fixture::delete(&mut new.metadata);
    assert!(update(&new, &old, "alice").is_ok());
    let user = user("alice");
    let world = UpdateWorld { is_alias_taken: true, ..NOTHING };
    let taken = validate_update(&old, &old, &identities().caller(&user), &world).unwrap_err();
    assert_eq!(taken.code(), 409);
}

#[test]
fn an_approval_needs_the_promote_permission_and_a_stage_that_asks() {
    let old = freight(commit());
    let mut new = old.clone();
    new.status.approved_for.insert("prod".into(), api_kinds::freight::ApprovedStage::default());
    assert_eq!(new_approvals(&new, &old), ["prod"]);
    assert!(new_approvals(&new, &new).is_empty());
    let stage = |warehouse: &str| -> Stage {
        object(
            "prod",
            json!({"spec": {"requestedFreight": [{"origin": {"kind": "Warehouse", "name": warehouse}, "sources": {"direct": true}}]}}),
        )
    };
    let verdict = |who: &str, permission, stage: Option<&Stage>| {
        let user = user(who);
        let approvals = [Approval { stage_name: "prod", stage, permission }];
        let world = UpdateWorld { approvals: &approvals, ..NOTHING };
        validate_update(&new, &old, &identities().caller(&user), &world)
    };
    let asking = stage("w");
    let admitted = verdict("alice", Permission::Granted, Some(&asking)).unwrap();
    assert_eq!(admitted.events[0].reason, "FreightApproved");
    assert!(verdict(fixture::API, Permission::Granted, Some(&asking)).unwrap().events.is_empty());
    let denied = verdict("alice", Permission::Denied, Some(&asking)).unwrap_err();
    assert!(
        denied
            .message
            .ends_with(r#"subject "alice" is not permitted to approve Freight for Stage "prod""#)
    );
    assert_eq!(verdict("alice", Permission::Unknown, Some(&asking)).unwrap_err().code(), 403);
    assert_eq!(verdict("alice", Permission::Granted, Some(&stage("x"))).unwrap_err().code(), 422);
    assert_eq!(verdict("alice", Permission::Granted, None).unwrap().warnings.len(), 1);
}

#[test]
fn where_freight_was_verified_is_not_anyones_to_say() {
    let old = freight(commit());
    let status = |status: Value| {
        let mut new = old.clone();
        new.status = serde_json::from_value(status).unwrap();
        new
    };
    let verified = status(json!({"verifiedIn": {"test": {"verifiedAt": "2026-01-02T03:04:05Z"}}}));
    let soaked = status(
        json!({"verifiedIn": {"test": {"verifiedAt": "2026-01-02T03:04:05Z", "longestSoak": "9h0m0s"}}}),
    );
    let there = status(json!({"currentlyIn": {"test": {"since": "2020-01-02T03:04:05Z"}}}));
    assert!(changes_standing(&verified, &old) && changes_standing(&there, &old));
    assert!(changes_standing(&soaked, &verified) && changes_standing(&old, &verified));
    let noted = status(json!({"metadata": {"a": 1}, "approvedFor": {"test": {}}}));
    assert!(!changes_standing(&noted, &old));
    let verdict = |permission| {
        let user = user("alice");
        let world = UpdateWorld { promote_everywhere: Some(permission), ..NOTHING };
        validate_update(&verified, &old, &identities().caller(&user), &world)
    };
    assert!(verdict(Permission::Granted).is_ok());
    let denied = verdict(Permission::Denied).unwrap_err();
    assert_eq!(denied.code(), 403);
    assert!(denied.message.contains("is not permitted to say where Freight is or was verified"));
    assert_eq!(verdict(Permission::Unknown).unwrap_err().code(), 403);
}

#[test]
fn freight_in_use_stays() {
    let freight = freight(commit());
    assert!(validate_delete(&freight, &[], &[]).is_ok());
    let refusal = validate_delete(&freight, &["a".into(), "b".into()], &["p".into()]).unwrap_err();
    assert_eq!(refusal.code(), 403);
    assert!(refusal.message.ends_with(r#"freight is in-use by stages ("a", "b")"#));
    let refusal = validate_delete(&freight, &[], &["p".into()]).unwrap_err();
    assert!(refusal.message.ends_with(r#"freight is in-use by promotions ("p")"#));
}
