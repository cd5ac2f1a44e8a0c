use std::sync::Arc;

use api_kinds::health::HealthState::{self, Healthy, Progressing, Unhealthy, Unknown};
use serde_json::{Value, json};

use super::{Application, HealthReport, MAX_TEXT, check_health};

const SYNCED: &[&str] = &["abc"];
const BEFORE: &str = "2026-01-01T00:00:01Z";
const ENDED: &str = "2026-01-01T00:00:02Z";
const AFTER: &str = "2026-01-01T00:00:03Z";

/// An Application that is synced to `abc`, healthy, and compared after that; with these parts replaced.
fn application(changes: &[(&str, Value)]) -> Application {
    let mut object = json!({
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {"source": {"repoURL": "https://git.example/repo"}},
        "status": {
            "health": {"status": "Healthy"},
            "sync": {"status": "Synced", "revision": "abc"},
            "reconciledAt": AFTER,
            "operationState": {"phase": "Succeeded", "finishedAt": ENDED},
        },
    });
    for (pointer, value) in changes {
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        object.pointer_mut(parent).unwrap()[member] = value.clone();
    }
    Application::read(object).unwrap()
}

fn check(application: Option<Application>, desired: &[&str]) -> HealthReport {
    let application = application.map(Arc::new);
    let config = json!({"apps": [{"name": "web", "desiredRevisions": desired}]});
    check_health(Some(&config), "argocd", |name| {
        assert_eq!(name.to_string(), "argocd/web");
        Ok(application.clone())
    })
}

type Row = (
    &'static str,
    Vec<(&'static str, Value)>,
    &'static [&'static str],
    HealthState,
    &'static [&'static str],
);

fn part(pointer: &'static str, value: Value) -> Vec<(&'static str, Value)> {
    vec![(pointer, value)]
}

/// What it is about, what is different, the desired revisions, and what is found.
fn hold(rows: Vec<Row>) {
    for (what, changes, desired, state, issues) in rows {
        let finding = check(Some(application(&changes)), desired).finding;
        assert_eq!(finding.status, state, "{what}");
        assert_eq!(finding.issues.len(), issues.len(), "{what}: {:?}", finding.issues);
        for (found, expected) in finding.issues.iter().zip(issues) {
            assert!(found.contains(expected), "{what}: {found}");
        }
    }
}

#[test]
fn health_is_trusted_when_it_is_as_new_as_the_last_operation() {
    let reconciled = |at: Value| part("/status/reconciledAt", at);
    let stale = &["not reconciled after its most recent operation"];
    hold(vec![
        ("later", vec![], SYNCED, Healthy, &[]),
        ("equal", reconciled(json!(ENDED)), SYNCED, Healthy, &[]),
        ("before", reconciled(json!(BEFORE)), SYNCED, Unknown, stale),
        ("never", reconciled(Value::Null), SYNCED, Unknown, stale),
    ]);
}

#[test]
fn an_application_must_be_at_the_desired_revisions() {
    let syncing = &["is being synced"];
    let state = |state: Value| part("/status/operationState", state);
    let revisions = part("/status/sync/revisions", json!(["abc", "def"]));
    let sources = part("/spec/sources", json!([{"repoURL": "a"}, {"repoURL": "b"}]));
    let other = &["source \"https://git.example/repo\" is at \"abc\" instead of \"def\""];
    hold(vec![
        ("a request", part("/operation", json!({"sync": {}})), SYNCED, Unknown, syncing),
        ("under way", state(json!({"phase": "Running"})), SYNCED, Unknown, syncing),
        ("never synced", state(Value::Null), SYNCED, Unknown, syncing),
        ("empty ones", state(Value::Null), &[""], Healthy, &[]),
        ("none", state(Value::Null), &[], Healthy, &[]),
        ("more sources", sources, SYNCED, Unknown, &["has 2 sources, but 1 are desired"]),
        ("more revisions", revisions, SYNCED, Unknown, &["has 2 synced revisions"]),
        ("another one", vec![], &["def"], Unhealthy, other),
        ("out of sync", part("/status/sync/status", json!("OutOfSync")), SYNCED, Healthy, &[]),
    ]);
}

#[test]
fn error_conditions_beat_health_and_anything_but_healthy_has_an_issue() {
    let health = |status: &str| part("/status/health/status", json!(status));
    let errors = json!([
        {"type": "ComparisonError", "message": "no such path"},
        {"type": "OrphanedResourceWarning", "message": "harmless"},
        {"type": "InvalidSpecError", "message": "no project"},
    ]);
    let said = &["ComparisonError: no such path", "InvalidSpecError: no project"];
    hold(vec![
        ("errors", part("/status/conditions", errors), SYNCED, Unhealthy, said),
        ("progressing", health("Progressing"), SYNCED, Progressing, &["is progressing"]),
        ("not known yet", health(""), SYNCED, Progressing, &["is progressing"]),
        ("suspended", health("Suspended"), SYNCED, Progressing, &["is suspended"]),
        ("degraded", health("Degraded"), SYNCED, Unhealthy, &["is Degraded"]),
        ("missing", health("Missing"), SYNCED, Unhealthy, &["is Missing"]),
        ("unknown", health("Unknown"), SYNCED, Unhealthy, &["is Unknown"]),
    ]);
}

#[test]
fn a_comparison_is_asked_for_once() {
    let stale = |annotations: Value| {
        application(&[
            ("/status/reconciledAt", json!(BEFORE)),
            ("/metadata/annotations", annotations),
        ])
    };
    let report = check(Some(stale(json!({}))), &[]);
    assert_eq!(report.refresh.len(), 1);
    let asked = stale(json!({"argocd.argoproj.io/refresh": "hard"}));
    assert_eq!(check(Some(asked), &[]).refresh, []);
    assert_eq!(check(Some(application(&[])), &[]).refresh, []);
}

#[test]
fn the_output_has_the_form_that_clients_read_and_nothing_that_ticks() {
    let condition = json!([{"type": "SyncError", "message": "m", "lastTransitionTime": AFTER}]);
    let state = json!({
        "operation": {
            "initiatedBy": {"username": "alice"}, "info": [{"name": "Reason", "value": "why"}],
            "sync": {"syncOptions": ["A=b"], "manifests": ["large"]},
        },
        "phase": "Succeeded", "message": "done", "startedAt": BEFORE, "finishedAt": ENDED,
        "syncResult": {
            "revision": "abc", "resources": [{"kind": "large"}],
            "source": {"repoURL": "https://git.example/repo", "path": ".", "targetRevision": "main"},
        },
    });
    let changes = [
        ("/status/conditions", condition),
        ("/status/operationState", state),
        ("/status/health/message", json!("fine")),
    ];
    let output = check(Some(application(&changes)), &["abc"]).finding.output.unwrap();
    let expected = json!({"applicationStatuses": [{
        "Namespace": "argocd", "Name": "web",
        "health": {"status": "Healthy", "message": "fine"},
        "sync": {"status": "Synced", "revision": "abc"},
        "conditions": [{"type": "SyncError", "message": "m"}],
        "operationState": {
            "operation": {
                "initiatedBy": {"username": "alice"}, "info": [{"name": "Reason", "value": "why"}],
                "sync": {"syncOptions": ["A=b"]},
            },
            "phase": "Succeeded", "message": "done", "finishedAt": ENDED,
            "syncResult": {"revision": "abc", "source": {"repoURL": "https://git.example/repo", "targetRevision": "main"}},
        },
    }]});
    assert_eq!(output, expected);
}

#[test]
fn an_application_that_is_not_there_or_not_seen_is_unknown() {
    let report = check(None, &[]);
    assert_eq!(report.finding.status, Unknown);
    assert_eq!(report.finding.issues, ["Application \"argocd/web\" does not exist"]);
    let entry = json!({"Namespace": "argocd", "Name": "web", "health": {"status": "Unknown"}, "sync": {"status": "Unknown"}});
    assert_eq!(report.finding.output, Some(json!({"applicationStatuses": [entry]})));
    let config = json!({"apps": [{"name": "web", "namespace": "other"}]});
    let report = check_health(Some(&config), "argocd", |_| Err("no route".to_owned()));
    assert_eq!(report.finding.issues, ["Application \"other/web\" cannot be looked at: no route"]);
}

#[test]
fn several_applications_are_as_bad_as_the_worst() {
    let config = json!({"apps": [{"name": "a"}, {"name": "b"}, {"name": "c"}]});
    let report = check_health(Some(&config), "argocd", |name| {
        let status = if name.name == "b" { "Degraded" } else { "Suspended" };
        Ok(Some(Arc::new(application(&[("/status/health/status", json!(status))]))))
    });
    assert_eq!(report.finding.status, Unhealthy);
    assert_eq!(report.finding.issues.len(), 3);
}

#[test]
fn odd_configurations_and_long_texts_are_survived() {
    let report = check_health(Some(&json!({"apps": 7})), "argocd", |_| Ok(None));
    assert_eq!((report.finding.status, report.finding.output), (Unknown, None));
    let report = check_health(None, "argocd", |_| Ok(None));
    assert_eq!(report.finding.status, Healthy);
    let long = "ä".repeat(MAX_TEXT);
    let changes = [("/status/health", json!({"status": "Degraded", "message": long}))];
    let issues = check(Some(application(&changes)), &[]).finding.issues;
    assert!(issues.iter().all(|issue| issue.len() < MAX_TEXT + 8), "{}", issues.len());
    let off = HealthReport::without_integration().finding;
    assert_eq!((off.issues.len(), off.output), (1, None));
}
