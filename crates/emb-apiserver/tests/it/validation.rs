//! What is refused, and in which words.

use serde_json::json;

use crate::{
    custom::{WIDGETS, install, widget},
    world::{CONFIG_MAPS, config_map, test},
};

#[test]
fn schema_errors_name_field_and_reason() {
    test(|api| async move {
        install(&api).await;
        let refused = api.post(WIDGETS, &widget("a", json!({"color": "pink"}))).await.expect(422);
        assert!(
            refused.message().starts_with(
                "Widget.probe.example.com \"a\" is invalid: [spec.color: Unsupported value: \"pink\": supported values: \"red\", \"green\""
            ),
            "{}",
            refused.message()
        );
        assert_eq!(refused.json["details"]["causes"][0]["reason"], "FieldValueNotSupported");
        assert_eq!(refused.json["details"]["kind"], "Widget");
        let rule = api.post(WIDGETS, &widget("a", json!({"min": 2, "max": 1}))).await.expect(422);
        assert!(rule.message().ends_with("min must be at most max"), "{}", rule.message());
        api.post(WIDGETS, &widget("a", json!({"count": 101}))).await.expect(422);
        api.post(WIDGETS, &widget("a", json!({"count": "x"}))).await.expect(422);
    });
}

#[test]
fn errors_in_a_status_are_told_from_there_on() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        for (status, field, told) in [
            (json!({"phase": 1}), "status.phase", "phase in body must be of type string"),
            (json!(5), "status", " in body must be of type object"),
        ] {
            let path = format!("{WIDGETS}/a/status");
            let refused = api.merge(&path, &json!({"status": status})).await.expect(422);
            let cause = &refused.json["details"]["causes"][0];
            let message = format!("Invalid value: \"integer\": {told}: \"integer\"");
            assert_eq!((&cause["field"], &cause["message"]), (&json!(field), &json!(message)));
        }
    });
}

#[test]
fn unknown_and_repeated_fields_follow_field_validation() {
    test(|api| async move {
        install(&api).await;
        let strict = format!("{WIDGETS}?fieldValidation=Strict");
        let refused = api.post(&strict, &widget("a", json!({"bogus": 1}))).await.expect(400);
        assert_eq!(
            refused.message(),
            "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \"spec.bogus\""
        );
        let ignore = format!("{WIDGETS}?fieldValidation=Ignore&dryRun=All");
        let ignored = api.post(&ignore, &widget("a", json!({"bogus": 1}))).await.expect(201);
        assert!(ignored.warnings().is_empty());
        let twice = r#"{"apiVersion":"probe.example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"count":1,"count":2}}"#;
        let warned = api.request(http::Method::POST, WIDGETS).body(twice).send().await.expect(201);
        assert_eq!(warned.warnings(), ["299 - \"duplicate field \\\"spec.count\\\"\""]);
        assert_eq!(warned.json["spec"]["count"], 2);
        let path = format!("{WIDGETS}/a?fieldValidation=Strict");
        let patched = api.merge(&path, &json!({"spec": {"bogus": 1}})).await.expect(422);
        assert_eq!(patched.json["details"]["causes"][0]["field"], "patch");
        api.post(&format!("{WIDGETS}?fieldValidation=Odd"), &widget("b", json!({})))
            .await
            .expect(422);
    });
}

#[test]
fn the_type_of_a_body_must_fit_the_path() {
    test(|api| async move {
        install(&api).await;
        let missing = api.post(WIDGETS, &json!({"metadata": {"name": "a"}})).await.expect(400);
        assert!(missing.message().contains("Object 'Kind' is missing"), "{}", missing.message());
        let mut other = widget("a", json!({}));
        other["kind"] = json!("Gizmo");
        api.post(WIDGETS, &other).await.expect(422);
        // Of another kind the rules are asked, the structure is not.
        other["spec"] = json!({"color": "pink", "min": 2, "max": 1, "bogus": 1});
        let refused = api.post(WIDGETS, &other).await.expect(422);
        assert!(refused.warnings().is_empty(), "{:?}", refused.warnings());
        let message = refused.message();
        assert!(
            message.starts_with("Gizmo.probe.example.com \"a\" is invalid: [kind: Invalid value: \"Gizmo\": must be Widget, spec: "),
            "{message}"
        );
        assert!(message.ends_with("min must be at most max]"), "{message}");
        // What cannot be read at all is called what it calls itself.
        other["metadata"]["foo"] = json!("x");
        let strict = format!("{WIDGETS}?fieldValidation=Strict");
        let refused = api.post(&strict, &other).await.expect(400);
        let called = "Gizmo in version \"v1\" cannot be handled as a Gizmo: strict";
        assert!(refused.message().starts_with(called), "{}", refused.message());
        // Where an object is replaced, its metadata is looked at first.
        api.post(WIDGETS, &widget("replaced", json!({}))).await.expect(201);
        let patch = json!({"kind": "Gizmo", "metadata": {"labels": {"a": "b c"}}});
        let refused = api.merge(&format!("{WIDGETS}/replaced"), &patch).await.expect(422);
        let causes = refused.json["details"]["causes"].as_array().expect("causes");
        let fields: Vec<_> = causes.iter().map(|cause| &cause["field"]).collect();
        assert_eq!(fields, ["metadata.labels", "kind"]);
        // A status may call itself anything, which is then what refusals call it.
        api.post(WIDGETS, &widget("named", json!({}))).await.expect(201);
        let path = format!("{WIDGETS}/named/status");
        let patched = api.merge(&path, &json!({"kind": "Gizmo", "status": {"phase": 1}})).await;
        assert_eq!(patched.expect(422).json["details"]["kind"], "Gizmo");
        let patched = api.merge(&path, &json!({"kind": "Gizmo", "status": {"phase": "x"}})).await;
        assert_eq!(patched.expect(200).json["kind"], "Widget");
        let mut version = widget("a", json!({}));
        version["apiVersion"] = json!("probe.example.com/v9");
        api.post(WIDGETS, &version).await.expect(400);
        // Metadata is read before the version is.
        version["apiVersion"] = json!("other.example.com/v1");
        version["metadata"]["foo"] = json!("x");
        version["spec"]["bogus"] = json!("x");
        let warned = api.post(WIDGETS, &version).await.expect(400);
        assert_eq!(warned.warnings(), ["299 - \"unknown field \\\"metadata.foo\\\"\""]);
        for body in ["", "{", "[]", "null"] {
            api.request(http::Method::POST, WIDGETS).body(body).send().await.expect(400);
        }
        // Built-in kinds may leave their type out.
        api.post(CONFIG_MAPS, &json!({"metadata": {"name": "a"}})).await.expect(201);
    });
}

#[test]
fn all_that_is_wrong_with_a_replacement_is_told_at_once() {
    test(|api| async move {
        let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
        let mut role = json!({"metadata": {"name": "z"}, "rules": []});
        api.post(roles, &role).await.expect(201);
        role["metadata"]["deletionTimestamp"] = json!("2026-01-02T03:04:05Z");
        role["rules"] = json!([{"nonResourceURLs": ["/x"], "verbs": ["get"]}]);
        let refused = api.put(&format!("{roles}/z"), &role).await.expect(422);
        let causes = refused.json["details"]["causes"].as_array().expect("causes");
        let fields: Vec<_> = causes.iter().map(|cause| &cause["field"]).collect();
        assert_eq!(fields, ["metadata.deletionTimestamp", "rules[0].nonResourceURLs"]);
    });
}

#[test]
fn bodies_and_objects_have_limits() {
    test(|api| async move {
        let large = config_map("a", json!({"k": "x".repeat(3 * 1024 * 1024)}));
        let refused = api.post(CONFIG_MAPS, &large).await.expect(413);
        assert_eq!(refused.message(), "Request entity too large: limit is 3145728");
        let annotated =
            json!({"metadata": {"name": "a", "annotations": {"a": "x".repeat(262_145)}}});
        api.post(CONFIG_MAPS, &annotated).await.expect(422);
    });
}

#[test]
fn an_owner_named_twice_is_kept_once_with_a_warning() {
    test(|api| async move {
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u-1"});
        let owners = |names: &[&str]| {
            let owner = |name: &&str| {
                let mut owner = owner.clone();
                owner["name"] = json!(name);
                owner
            };
            names.iter().map(owner).collect::<serde_json::Value>()
        };
        let warning = |moment: &str, uids: &str| {
            format!(
                "299 - \".metadata.ownerReferences contains duplicate entries{moment}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}\""
            )
        };
        // Another name makes another reference, whatever the uid.
        let mut object = config_map("a", json!({}));
        object["metadata"]["ownerReferences"] = owners(&["o", "p", "o", "o"]);
        let created = api.post(CONFIG_MAPS, &object).await.expect(201);
        assert_eq!(created.warnings(), [warning("", "u-1, u-1")]);
        assert_eq!(created.json["metadata"]["ownerReferences"], owners(&["o", "p"]));

        let path = format!("{CONFIG_MAPS}/a");
        object["metadata"]["ownerReferences"] = owners(&["p", "p"]);
        let replaced = api.put(&path, &object).await.expect(200);
        assert_eq!(replaced.warnings(), [warning("", "u-1")]);
        assert_eq!(replaced.json["metadata"]["ownerReferences"], owners(&["p"]));

        // What a patch makes is looked at when admission has seen it.
        let patch = json!({"metadata": {"ownerReferences": owners(&["o", "o"])}});
        let patched = api.merge(&path, &patch).await.expect(200);
        let late = warning(" after mutating admission happens", "u-1");
        assert_eq!(patched.warnings(), [late.as_str()]);
        assert_eq!(patched.json["metadata"]["ownerReferences"], owners(&["o"]));

        // Who is refused is warned all the same.
        object["metadata"]["labels"] = json!({"a": "b c"});
        let refused = api.put(&path, &object).await.expect(422);
        assert_eq!(refused.warnings(), [warning("", "u-1")]);
        let mut patch = patch;
        patch["metadata"]["resourceVersion"] = json!("1");
        let refused = api.merge(&path, &patch).await.expect(409);
        assert_eq!(refused.warnings(), [late]);
    });
}
