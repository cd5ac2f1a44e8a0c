//! Columns and cells as `kubectl get` shows them.

use core_clock::Time;
use serde_json::{Value, json};

use super::{IncludeObject, columns, row, table};
use crate::{BuiltInKind, Resource, builtins, custom};

const NOW: Time = Time::from_seconds(1_600_000_000);
const V1: &str = "meta.k8s.io/v1";

fn cells(resource: &Resource, object: &Value) -> Value {
    row(resource, object, NOW, IncludeObject::None, V1)["cells"].clone()
}

fn built_in_cells(kind: BuiltInKind, object: &Value) -> Value {
    let all = builtins();
    let resource = all.iter().find(|resource| resource.built_in() == Some(kind)).unwrap();
    let cells = cells(resource, object);
    assert_eq!(cells.as_array().unwrap().len(), resource.columns.len());
    cells
}

#[test]
fn built_in_kinds_word_their_cells() {
    let metadata = json!({"name": "n", "creationTimestamp": "2020-09-13T12:26:00Z"});
    let with = |rest: Value| {
        let mut object = json!({"metadata": metadata});
        emb_codec::patch::merge(&mut object, &rest);
        object
    };
    let cases = [
        (
            BuiltInKind::Namespace,
            json!({"status": {"phase": "Active"}}),
            json!(["n", "Active", "40s"]),
        ),
        (
            BuiltInKind::Secret,
            json!({"type": "Opaque", "data": {"a": "", "b": ""}}),
            json!(["n", "Opaque", 2, "40s"]),
        ),
        (
            BuiltInKind::ConfigMap,
            json!({"data": {"a": ""}, "binaryData": {"b": ""}}),
            json!(["n", 2, "40s"]),
        ),
        (BuiltInKind::ServiceAccount, json!({}), json!(["n", "40s"])),
        (BuiltInKind::Role, json!({}), json!(["n", "2020-09-13T12:26:00Z"])),
        (BuiltInKind::CustomResourceDefinition, json!({}), json!(["n", "2020-09-13T12:26:00Z"])),
        (BuiltInKind::Lease, json!({"spec": {"holderIdentity": "h"}}), json!(["n", "h", "40s"])),
        (
            BuiltInKind::MutatingWebhookConfiguration,
            json!({"webhooks": [{}, {}]}),
            json!(["n", 2, "40s"]),
        ),
        (
            BuiltInKind::ApiService,
            json!({"status": {"conditions": [{"type": "Available", "status": "True"}]}}),
            json!(["n", "Local", "True", "40s"]),
        ),
        (
            BuiltInKind::RoleBinding,
            json!({"roleRef": {"kind": "Role", "name": "r"}, "subjects": [
                {"kind": "User", "name": "u"}, {"kind": "User", "name": "v"}, {"kind": "Group", "name": "g"},
                {"kind": "ServiceAccount", "namespace": "ns", "name": "s"}]}),
            json!(["n", "Role/r", "40s", "u, v", "g", "ns/s"]),
        ),
    ];
    for (kind, rest, expected) in cases {
        assert_eq!(built_in_cells(kind, &with(rest)), expected, "{kind:?}");
    }
}

#[test]
fn events_show_the_same_cells_in_both_views() {
    let event = json!({
        "metadata": {"name": "e"}, "type": "Normal", "reason": "R", "message": " M ", "count": 2,
        "involvedObject": {"kind": "Secret", "name": "x", "fieldPath": "f"},
        "source": {"component": "c", "host": "h"},
        "firstTimestamp": "2020-09-13T12:25:40Z", "lastTimestamp": "2020-09-13T12:26:40Z",
    });
    let expected = json!(["0s", "Normal", "R", "secret/x", "f", "c, h", "M", "60s", 2, "e"]);
    assert_eq!(built_in_cells(BuiltInKind::Event, &event), expected);
    let all = builtins();
    let view = all.iter().find(|r| r.built_in() == Some(BuiltInKind::EventsEvent)).unwrap();
    assert_eq!(cells(view, &view.from_storage(event)), expected);
    let series = json!({
        "metadata": {"name": "e"}, "eventTime": "2020-09-13T12:26:30.000000Z", "reportingComponent": "rc",
        "series": {"count": 5, "lastObservedTime": "2020-09-13T12:26:39.000000Z"},
    });
    assert_eq!(
        built_in_cells(BuiltInKind::Event, &series),
        json!(["1s", "", "", "", "", "rc", "", "10s", 5, "e"])
    );
    assert_eq!(
        built_in_cells(BuiltInKind::Event, &json!({"metadata": {"name": "e"}})),
        json!(["<unknown>", "", "", "", "", "", "", "<unknown>", 1, "e"])
    );
}

fn custom_resource(printer_columns: Value) -> Resource {
    let definition = json!({"metadata": {"name": "cols.x.y"}, "spec": {
        "group": "x.y", "scope": "Namespaced", "names": {"plural": "cols", "kind": "Col"},
        "versions": [{"name": "v1", "served": true, "storage": true, "additionalPrinterColumns": printer_columns,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
    }});
    custom(&definition).unwrap().remove(0).as_ref().clone()
}

#[test]
fn cells_of_custom_resources_follow_the_type_of_their_column() {
    let column = |kind: &str, path: &str| json!({"name": path, "type": kind, "jsonPath": path});
    let resource = custom_resource(json!([
        column("string", ".spec.text"),
        column("string", ".spec.number"),
        column("string", ".spec.object"),
        column("string", ".spec.gone"),
        column("string", ".spec.null"),
        column("integer", ".spec.number"),
        column("integer", ".spec.text"),
        column("number", ".spec.number"),
        column("boolean", ".spec.flag"),
        column("boolean", ".spec.text"),
        column("date", ".metadata.creationTimestamp"),
        column("date", ".spec.text"),
        column("date", ".spec.number"),
    ]));
    let object = json!({
        "metadata": {"name": "c", "creationTimestamp": "2020-09-13T12:26:40Z"},
        "spec": {"text": "t", "number": 1.5, "object": {"x": [1]}, "flag": true, "null": null},
    });
    assert_eq!(
        cells(&resource, &object),
        json!([
            "c",
            "t",
            "1.5",
            "{\"x\":[1]}",
            null,
            "<no value>",
            1,
            null,
            1.5,
            true,
            null,
            "0s",
            "<invalid>",
            null
        ])
    );
}

#[test]
fn columns_say_what_the_definition_says() {
    let plain = columns(&custom_resource(json!([])));
    assert_eq!((&plain[0]["name"], &plain[0]["format"]), (&json!("Name"), &json!("name")));
    assert_eq!((&plain[1]["name"], &plain[1]["type"]), (&json!("Age"), &json!("date")));
    let one = columns(&custom_resource(json!([
        {"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": 1, "format": "byte"}])));
    assert_eq!(
        one[1],
        json!({"name": "A", "type": "string", "format": "byte", "priority": 1,
            "description": "Custom resource definition column (in JSONPath format): .spec.a"})
    );
    assert_eq!(one.as_array().unwrap().len(), 2, "no age beside columns of one's own");
}

#[test]
fn rows_carry_as_much_of_the_object_as_asked() {
    let resource = custom_resource(json!([]));
    let object = json!({"kind": "Col", "metadata": {"name": "c", "uid": "u"}, "spec": {}});
    let included = |include| row(&resource, &object, NOW, include, V1)["object"].clone();
    assert_eq!(included(IncludeObject::None), Value::Null);
    assert_eq!(included(IncludeObject::Object), object);
    assert_eq!(
        included(IncludeObject::Metadata),
        json!({"kind": "PartialObjectMetadata", "apiVersion": V1, "metadata": {"name": "c", "uid": "u"}})
    );
    assert_eq!(IncludeObject::parse(""), Some(IncludeObject::Metadata));
    assert_eq!(IncludeObject::parse("All"), None);
    let later_event = table(Value::Null, vec![], json!({"resourceVersion": "5"}), V1);
    assert_eq!(
        later_event,
        json!({"kind": "Table", "apiVersion": V1, "metadata": {"resourceVersion": "5"}, "columnDefinitions": null, "rows": []})
    );
}
