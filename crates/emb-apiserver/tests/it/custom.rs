//! Custom resources: installed, used, changed, deleted.

use std::time::Duration;

use serde_json::{Value, json};

use crate::world::{World, test};

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(crate) const WIDGETS: &str = "/apis/probe.example.com/v1/namespaces/default/widgets";

/// A definition with a status, a default, limits and a rule.
pub(crate) fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.probe.example.com"},
        "spec": {
            "group": "probe.example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "additionalPrinterColumns": [
                    {"name": "Color", "type": "string", "jsonPath": ".spec.color"}
                ],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
                        "count": {"type": "integer", "maximum": 100},
                        "note": {"type": "string"},
                        "min": {"type": "integer"}, "max": {"type": "integer"},
                    }, "x-kubernetes-validations": [
                        {"rule": "!has(self.min) || !has(self.max) || self.min <= self.max",
                         "message": "min must be at most max"}
                    ]},
                    "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
                }}},
            }],
        },
    })
}

pub(crate) fn widget(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "probe.example.com/v1", "kind": "Widget",
        "metadata": {"name": name}, "spec": spec,
    })
}

pub(crate) async fn install(api: &World) {
    api.post(DEFINITIONS, &definition()).await.expect(201);
}

#[test]
fn a_kind_is_served_when_its_definition_is_created() {
    test(|api| async move {
        api.get(WIDGETS).await.expect(404);
        let created = api.post(DEFINITIONS, &definition()).await.expect(201);
        let conditions = created.json["status"]["conditions"].as_array().unwrap();
        assert!(conditions.iter().all(|condition| condition["status"] == "True"), "{conditions:?}");
        assert_eq!(created.json["status"]["acceptedNames"]["singular"], "widget");
        let list = api.get(WIDGETS).await.expect(200);
        assert_eq!(list.json["kind"], "WidgetList");
        assert_eq!(list.json["items"], json!([]));
    });
}

#[test]
fn objects_are_defaulted_pruned_and_counted_by_generation() {
    test(|api| async move {
        install(&api).await;
        let body = widget("a", json!({"count": 1, "bogus": true}));
        let created = api.post(WIDGETS, &body).await.expect(201);
        assert_eq!(created.json["spec"], json!({"color": "red", "count": 1}));
        assert_eq!(created.json["metadata"]["generation"], 1);
        assert_eq!(created.warnings(), ["299 - \"unknown field \\\"spec.bogus\\\"\""]);
        let path = format!("{WIDGETS}/a");
        let labelled = api.merge(&path, &json!({"metadata": {"labels": {"x": "y"}}})).await;
        assert_eq!(labelled.expect(200).json["metadata"]["generation"], 1);
        let changed = api.merge(&path, &json!({"spec": {"count": 2}})).await.expect(200);
        assert_eq!(changed.json["metadata"]["generation"], 2);
        let defaulted = api.merge(&path, &json!({"spec": {"color": null}})).await.expect(200);
        assert_eq!(defaulted.json["spec"]["color"], "red");
        let list = api.get(WIDGETS).await.expect(200);
        assert_eq!(list.json["items"][0]["kind"], "Widget");
        assert_eq!(list.json["items"][0], api.get(&path).await.json);
    });
}

#[test]
fn status_and_the_rest_are_written_apart() {
    test(|api| async move {
        install(&api).await;
        let mut body = widget("a", json!({}));
        body["status"] = json!({"phase": "Early"});
        let created = api.post(WIDGETS, &body).await.expect(201);
        assert!(created.json.get("status").is_none());
        let (path, status) = (format!("{WIDGETS}/a"), format!("{WIDGETS}/a/status"));
        let patch = json!({
            "metadata": {"labels": {"x": "y"}}, "spec": {"count": 9}, "status": {"phase": "Done"}
        });
        let written = api.merge(&status, &patch).await.expect(200);
        assert_eq!(written.json["status"]["phase"], "Done");
        assert_eq!(written.json["spec"], created.json["spec"]);
        assert!(written.json["metadata"].get("labels").is_none());
        assert_eq!(written.json["metadata"]["generation"], 1);
        let main = api.merge(&path, &json!({"status": {"phase": "Lost"}})).await.expect(200);
        assert_eq!(main.version(), written.version());
        assert_eq!(api.get(&status).await.expect(200).json["status"]["phase"], "Done");
    });
}

#[test]
fn an_update_needs_the_version_it_was_made_on() {
    test(|api| async move {
        install(&api).await;
        let created = api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        let path = format!("{WIDGETS}/a");
        let refused = api.put(&path, &widget("a", json!({"count": 1}))).await.expect(422);
        assert!(refused.message().contains("must be specified for an update"));
        let mut other = created.json.clone();
        other["metadata"]["uid"] = json!("other");
        api.put(&path, &other).await.expect(409);
        let mut renamed = created.json.clone();
        renamed["metadata"]["name"] = json!("b");
        api.put(&path, &renamed).await.expect(400);
        api.put(&format!("{WIDGETS}/none"), &widget("none", json!({}))).await.expect(404);
    });
}

#[test]
fn a_schema_change_shows_in_what_was_stored_before() {
    test(|api| async move {
        install(&api).await;
        let body = widget("a", json!({"note": "old", "count": 100}));
        let created = api.post(WIDGETS, &body).await.expect(201);
        let path = format!("{DEFINITIONS}/widgets.probe.example.com");
        let mut changed = api.get(&path).await.json;
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
        let properties = changed.pointer_mut(spec).unwrap().as_object_mut().unwrap();
        properties.remove("note");
        properties.insert("size".into(), json!({"type": "string", "default": "big"}));
        properties.insert("count".into(), json!({"type": "integer", "maximum": 10}));
        api.put(&path, &changed).await.expect(200);
        let widget = format!("{WIDGETS}/a");
        let read = api.get(&widget).await.expect(200);
        assert_eq!(read.json["spec"], json!({"color": "red", "count": 100, "size": "big"}));
        assert_eq!(read.version(), created.version());
        assert_eq!(api.get(WIDGETS).await.json["items"][0], read.json);
        // What was wrong before and did not change is accepted.
        api.merge(&widget, &json!({"metadata": {"labels": {"x": "y"}}})).await.expect(200);
        api.merge(&widget, &json!({"spec": {"count": 99}})).await.expect(422);
    });
}

#[test]
fn a_deleted_definition_takes_its_objects_along() {
    test(|api| async move {
        install(&api).await;
        let mut held = widget("held", json!({}));
        held["metadata"]["finalizers"] = json!(["probe.example.com/hold"]);
        api.post(WIDGETS, &held).await.expect(201);
        api.post(WIDGETS, &widget("free", json!({}))).await.expect(201);
        let definition = format!("{DEFINITIONS}/widgets.probe.example.com");
        let deleted = api.delete(&definition).await.expect(200);
        assert_eq!(deleted.json["kind"], "CustomResourceDefinition");
        api.settle(Duration::ZERO).await;
        api.get(&format!("{WIDGETS}/free")).await.expect(404);
        let refused = api.post(WIDGETS, &widget("late", json!({}))).await.expect(403);
        assert!(refused.message().ends_with("custom resource definition is terminating"));
        api.merge(&format!("{WIDGETS}/held"), &json!({"metadata": {"finalizers": null}}))
            .await
            .expect(200);
        api.settle(Duration::ZERO).await;
        api.get(&definition).await.expect(404);
        api.get(WIDGETS).await.expect(404);
    });
}

#[test]
fn a_taken_kind_is_not_served_twice() {
    test(|api| async move {
        install(&api).await;
        let mut second = definition();
        second["metadata"]["name"] = json!("gizmos.probe.example.com");
        second["spec"]["names"] = json!({"plural": "gizmos", "kind": "Widget"});
        let created = api.post(DEFINITIONS, &second).await.expect(201);
        let conditions = created.json["status"]["conditions"].as_array().unwrap();
        let accepted = conditions.iter().find(|c| c["type"] == "NamesAccepted").unwrap();
        assert_eq!(accepted["status"], "False");
        let gizmos = WIDGETS.replace("widgets", "gizmos");
        let page = api.get(&gizmos).await.expect(404);
        assert_eq!(page.bytes, "404 page not found\n");
        api.delete(&format!("{DEFINITIONS}/widgets.probe.example.com")).await.expect(200);
        api.settle(Duration::ZERO).await;
        api.get(&gizmos).await.expect(200);
    });
}

#[test]
fn versions_differ_by_name_and_old_ones_warn() {
    test(|api| async move {
        let mut two = definition();
        let mut old = two["spec"]["versions"][0].clone();
        old["name"] = json!("v1beta1");
        old["storage"] = json!(false);
        old["deprecated"] = json!(true);
        two["spec"]["versions"].as_array_mut().unwrap().push(old);
        api.post(DEFINITIONS, &two).await.expect(201);
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        let old = api.get(&WIDGETS.replace("/v1/", "/v1beta1/")).await.expect(200);
        assert_eq!(old.json["items"][0]["apiVersion"], "probe.example.com/v1beta1");
        assert_eq!(old.warnings().len(), 1);
    });
}
