//! Copies come, follow and go.

use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Secret},
};
use serde_json::{Value, json};

use super::*;

const NOW: Time = Time::from_seconds(1_000_000);

fn secret(annotations: Value, finalizers: Value) -> Secret {
    serde_json::from_value(json!({
        "metadata": {
            "name": "creds", "namespace": "shared", "annotations": annotations,
            "labels": {"kargo.akuity.io/cred-type": "git", "team": "a"}, "finalizers": finalizers,
        },
        "type": "example.com/kind",
        "data": {"password": "eA=="},
    }))
    .unwrap()
}

fn held() -> Value {
    json!(["kargo.akuity.io/finalizer"])
}

fn everybody() -> Value {
    json!({
        "kargo.akuity.io/replicate-to": "*", "note": "1",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
    })
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Plans with Projects `a` and `b`, and namespace `kept` that had one.
fn plan<T: Replicable>(source: &T, copies: &[Arc<T>]) -> SourceStep<T> {
    let (projects, project_namespaces) = (set(&["a", "b"]), set(&["a", "b", "kept"]));
    let places = Places { projects: &projects, project_namespaces: &project_namespaces };
    plan_replication(source, copies, &places, NOW)
}

/// The copies that a first pass makes.
fn copies<T: Replicable + std::fmt::Debug>(source: &T) -> Vec<Arc<T>> {
    let SourceStep::Write(changes) = plan(source, &[]) else { panic!("no copies") };
    let create = |change| match change {
        Change::Create(copy) => Arc::from(copy),
        other => panic!("{other:?}"),
    };
    changes.into_iter().map(create).collect()
}

#[test]
fn a_source_is_held_before_the_first_copy() {
    assert_eq!(plan(&secret(everybody(), json!([])), &[]), SourceStep::Hold);
}

#[test]
fn copies_repeat_content_and_say_where_they_came_from() {
    let made = copies(&secret(everybody(), held()));
    let namespaces: Vec<_> = made.iter().map(|c| c.metadata.namespace.clone().unwrap()).collect();
    assert_eq!(namespaces, ["a", "b"]);
    let copy = serde_json::to_value(&*made[0]).unwrap();
    assert_eq!(copy["type"], "example.com/kind");
    assert_eq!(copy["data"], json!({"password": "eA=="}));
    assert_eq!(
        copy["metadata"]["annotations"],
        json!({"note": "1", "kargo.akuity.io/replicated-at": "1970-01-12T13:46:40Z"})
    );
    let labels = &copy["metadata"]["labels"];
    assert_eq!(labels["kargo.akuity.io/replicated-from"], "creds");
    assert_eq!(labels["kargo.akuity.io/replicated-sha"].as_str().unwrap().len(), 16);
    assert_eq!(labels["team"], "a");
    assert_eq!(copy["metadata"].get("finalizers"), None);
}

#[test]
fn copies_that_are_right_cost_no_write_at_any_time() {
    let source = secret(everybody(), held());
    assert_eq!(plan(&source, &copies(&source)), SourceStep::Write(vec![]));
}

#[test]
fn a_changed_source_changes_its_copies() {
    let mut source = secret(everybody(), held());
    let before = copies(&source);
    source.data = Some(BTreeMap::from([("token".to_owned(), ByteString(b"y".to_vec()))]));
    let SourceStep::Write(changes) = plan(&source, &before) else { panic!() };
    assert_eq!(changes.len(), 2);
    let Change::Update(update) = &changes[0] else { panic!() };
    assert_eq!(update.to.data, source.data);
    assert_ne!(update.to.metadata.labels, update.from.metadata.labels);
}

#[test]
fn edited_copies_are_healed() {
    type Edit = fn(&mut Secret);
    let source = secret(everybody(), held());
    let edits: [Edit; 4] = [
        |copy| copy.data = None,
        |copy| drop(copy.metadata.labels.as_mut().unwrap().remove("team")),
        |copy| drop(copy.metadata.annotations.as_mut().unwrap().remove("note")),
        |copy| {
            let extra = ("more".to_owned(), ByteString(vec![]));
            copy.data.get_or_insert_default().extend([extra]);
        },
    ];
    for edit in edits {
        let mut copies = copies(&source);
        edit(Arc::make_mut(&mut copies[0]));
        let SourceStep::Write(changes) = plan(&source, &copies) else { panic!() };
        let [Change::Update(update)] = changes.as_slice() else { panic!("{changes:?}") };
        assert_eq!(update.to.data, source.data);
    }
}

#[test]
fn what_cannot_be_changed_is_made_again() {
    let mut source = secret(everybody(), held());
    let before = copies(&source);
    source.type_ = Some("Opaque".into());
    let SourceStep::Write(changes) = plan(&source, &before) else { panic!() };
    assert!(changes.iter().all(|change| matches!(change, Change::Replace(_))), "{changes:?}");
}

#[test]
fn copies_go_when_the_source_asks_for_none_or_goes() {
    let source = secret(everybody(), held());
    let made = copies(&source);
    let mut leaving = source.clone();
    leaving.metadata.deletion_timestamp = Some(crate::wire_time::to_wire(NOW));
    let mut unlabeled = source.clone();
    unlabeled.metadata.labels = None;
    let withdrawn = secret(json!({}), held());
    for source in [leaving, unlabeled, withdrawn] {
        let SourceStep::Withdraw(changes) = plan(&source, &made) else { panic!("{source:?}") };
        assert!(changes.iter().all(|change| matches!(change, Change::Delete(_))));
        assert_eq!(changes.len(), 2);
    }
}

#[test]
fn copies_elsewhere_are_taken_back_only_from_namespaces_of_projects() {
    let source = secret(everybody(), held());
    let mut made = copies(&source);
    for namespace in ["kept", "stranger"] {
        let mut copy = Secret::clone(&made[0]);
        copy.metadata.namespace = Some(namespace.into());
        made.push(Arc::new(copy));
    }
    let mut renamed = Secret::clone(&made[0]);
    renamed.metadata.name = Some("forged".into());
    made.push(Arc::new(renamed));
    let SourceStep::Write(changes) = plan(&source, &made) else { panic!() };
    let [Change::Delete(gone)] = changes.as_slice() else { panic!("{changes:?}") };
    assert_eq!(gone.metadata.namespace.as_deref(), Some("kept"));
}

#[test]
fn targets_are_everybody_or_named() {
    let table = [
        ("*", Targets::Everybody),
        ("a, c", Targets::Named(set(&["a", "c"]))),
        ("", Targets::Nobody),
        ("a,*", Targets::Nobody),
        ("Not_A_Name", Targets::Nobody),
        ("selector:x=y", Targets::Nobody),
    ];
    for (value, expected) in table {
        let source = secret(json!({"kargo.akuity.io/replicate-to": value}), held());
        assert_eq!(targets(&source), expected, "{value}");
    }
    let named = secret(json!({"kargo.akuity.io/replicate-to": "b,nowhere"}), held());
    let made = copies(&named);
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].metadata.namespace.as_deref(), Some("b"));
}

#[test]
fn long_names_are_found_again_by_a_short_label() {
    let name = "n".repeat(100);
    let mut source = secret(everybody(), held());
    source.metadata.name = Some(name.clone());
    let made = copies(&source);
    assert_eq!(
        made[0].metadata.labels.as_ref().unwrap()[labels::REPLICATED_FROM],
        source_label(&name)
    );
    assert_eq!(source_name(&made[0].metadata), Some(name.as_str()));
    assert_eq!(plan(&source, &made), SourceStep::Write(vec![]));
}

#[test]
fn config_maps_are_copied_with_texts_and_bytes() {
    let source: ConfigMap = serde_json::from_value(json!({
        "metadata": {
            "name": "cfg", "annotations": {"kargo.akuity.io/replicate-to": "*"},
            "finalizers": held(),
        },
        "data": {"k": "v"},
        "binaryData": {"b": "AA=="},
        "immutable": true,
    }))
    .unwrap();
    let made = copies(&source);
    assert_eq!((&made[0].data, &made[0].binary_data), (&source.data, &source.binary_data));
    assert_eq!(made[0].immutable, None);
    assert_eq!(plan(&source, &made), SourceStep::Write(vec![]));
}
