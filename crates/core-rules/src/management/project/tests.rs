//! The tables of conditions and of endings.

use api_kinds::{condition::Condition, project::StageStats};
use serde_json::json;

use super::*;

const NOW: Time = Time::from_seconds(1_000_000);

fn project(annotations: serde_json::Value) -> Project {
    let metadata = json!({"name": "demo", "generation": 2, "annotations": annotations});
    serde_json::from_value(json!({"metadata": metadata})).unwrap()
}

fn show(conditions: &[Condition]) -> Vec<String> {
    let mut shown: Vec<_> = conditions
        .iter()
        .inspect(|condition| assert_eq!(condition.observed_generation, 2))
        .map(|condition| format!("{}={} {}", condition.r#type, condition.status, condition.reason))
        .collect();
    shown.sort();
    shown
}

fn failed(phase: Phase) -> Outcome {
    Outcome::Failed(phase, "boom".into())
}

#[test]
fn each_outcome_has_its_conditions() {
    let reconciling = "Reconciling=True Syncing";
    let table: [(Outcome, &[&str]); 6] = [
        (Outcome::Synced, &["Ready=True Synced"]),
        (
            Outcome::Unlabeled,
            &[
                "Ready=False EnsuringNamespaceFailed",
                reconciling,
                "Stalled=True ExistingNamespaceMissingLabel",
            ],
        ),
        (failed(Phase::Namespace), &["Ready=False EnsuringNamespaceFailed", reconciling]),
        (
            failed(Phase::SystemPermissions),
            &["Ready=False EnsuringSystemPermissionsFailed", reconciling],
        ),
        (
            failed(Phase::ControllerPermissions),
            &["Ready=False EnsuringControllerPermissionsFailed", reconciling],
        ),
        (failed(Phase::DefaultRoles), &["Ready=False EnsuringDefaultUserRoles", reconciling]),
    ];
    for (outcome, expected) in &table {
        let mut project = project(json!({}));
        // Whatever came before does not show through.
        for (before, _) in &table {
            project.status = plan_status(&project, before, ProjectStats::default(), NOW);
            let status = plan_status(&project, outcome, ProjectStats::default(), NOW);
            assert_eq!(show(&status.conditions), *expected, "{before:?} {outcome:?}");
        }
    }
}

#[test]
fn a_second_pass_with_the_same_outcome_changes_nothing() {
    let later = NOW + Duration::from_mins(5);
    for outcome in [Outcome::Synced, Outcome::Unlabeled, failed(Phase::DefaultRoles)] {
        let mut project = project(json!({}));
        project.status = plan_status(&project, &outcome, ProjectStats::default(), NOW);
        let again = plan_status(&project, &outcome, ProjectStats::default(), later);
        assert_eq!(again, project.status);
    }
}

#[test]
fn numbers_are_told_once_the_project_is_set_up() {
    let stages = StageStats { count: 3, ..StageStats::default() };
    let stats = ProjectStats { stages, ..ProjectStats::default() };
    let project = project(json!({}));
    let synced = plan_status(&project, &Outcome::Synced, stats.clone(), NOW);
    assert_eq!(synced.stats, Some(stats.clone()));
    assert_eq!(plan_status(&project, &failed(Phase::Namespace), stats, NOW).stats, None);
}

fn namespace_named(label: bool, held: bool, age: u64, keep: bool) -> Namespace {
    let created = (NOW - Duration::from_secs(age)).to_rfc3339_seconds();
    let labels = if label { json!({"kargo.akuity.io/project": "true"}) } else { json!({}) };
    let finalizers = if held { json!(["kargo.akuity.io/finalizer"]) } else { json!([]) };
    let annotations =
        if keep { json!({"kargo.akuity.io/keep-namespace": "true"}) } else { json!({}) };
    serde_json::from_value(json!({"metadata": {
        "name": "demo", "labels": labels, "finalizers": finalizers,
        "annotations": annotations, "creationTimestamp": created,
    }}))
    .unwrap()
}

fn bindings(age: u64) -> Vec<Arc<RoleBinding>> {
    let created = NOW - Duration::from_secs(age);
    let mut ours = grant::project_admin_binding("demo", "kargo");
    ours.metadata.creation_timestamp = Some(crate::wire_time::to_wire(created));
    let mut theirs = ours.clone();
    theirs.metadata.name = Some("theirs".into());
    vec![Arc::new(ours), Arc::new(theirs)]
}

#[test]
fn the_end_of_a_project_spares_what_is_kept_or_was_never_its_own() {
    let ours = || vec![bindings(9).remove(0)];
    let keep = json!({"kargo.akuity.io/keep-namespace": "true"});
    let table = [
        (json!({}), None, Ending::Gone),
        (json!({}), Some(namespace_named(true, true, 9, false)), Ending::Delete),
        (json!({}), Some(namespace_named(true, false, 9, false)), Ending::Delete),
        (json!({}), Some(namespace_named(true, true, 9, true)), Ending::Keep(ours())),
        (keep.clone(), Some(namespace_named(true, true, 9, false)), Ending::Keep(ours())),
        (json!({}), Some(namespace_named(false, true, 9, false)), Ending::Keep(ours())),
        (json!({}), Some(namespace_named(false, false, 9, false)), Ending::Foreign),
        (keep, Some(namespace_named(false, false, 9, false)), Ending::Foreign),
    ];
    for (annotations, existing, expected) in table {
        let ending = plan_ending(&project(annotations), existing.as_ref(), &bindings(9));
        assert_eq!(ending, expected, "{existing:?}");
    }
}

#[test]
fn what_is_left_of_a_project_that_never_was_goes_after_a_while() {
    let ours = |age| vec![bindings(age).remove(0)];
    let made = |age| namespace_named(true, true, age, false);
    let table = [
        ("young", made(20), bindings(20), false, Orphan::Wait(Duration::from_secs(40))),
        ("old", made(90), bindings(90), false, Orphan::Remove),
        ("used", made(90), bindings(90), true, Orphan::Release(ours(90))),
        (
            "kept",
            namespace_named(true, true, 90, true),
            bindings(90),
            false,
            Orphan::Release(ours(90)),
        ),
        (
            "free",
            namespace_named(true, false, 90, false),
            bindings(90),
            false,
            Orphan::Release(ours(90)),
        ),
        (
            "adopting",
            namespace_named(true, false, 900, false),
            bindings(1),
            false,
            Orphan::Wait(Duration::from_secs(59)),
        ),
        ("prepared", namespace_named(true, false, 900, false), vec![], false, Orphan::None),
        ("foreign", namespace_named(false, false, 900, false), bindings(90), false, Orphan::None),
    ];
    for (case, existing, bindings, is_used, expected) in table {
        assert_eq!(plan_orphan(&existing, &bindings, is_used, NOW), expected, "{case}");
    }
    let mut leaving = made(90);
    leaving.metadata.deletion_timestamp = leaving.metadata.creation_timestamp.clone();
    assert_eq!(plan_orphan(&leaving, &bindings(90), false, NOW), Orphan::None);
}
