use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::access::escalation::Concern;
use crate::fault::Fault;

const KARGO: &str = "kargo.akuity.io/v1alpha1";

fn resource(value: Value) -> Resource {
    Resource::new(value.as_object().unwrap().clone()).unwrap()
}

fn ours(kind: &str, namespace: &str, name: &str) -> Resource {
    resource(
        json!({"apiVersion": KARGO, "kind": kind, "metadata": {"name": name, "namespace": namespace}}),
    )
}

fn kinds(body: &str) -> Vec<String> {
    parse(body.as_bytes()).unwrap().iter().map(|r| r.kind().to_owned()).collect()
}

fn refused(body: &str) -> String {
    let error = parse(body.as_bytes()).unwrap_err();
    assert_eq!(error.class().code(), 400);
    error.to_string()
}

#[test]
fn a_body_without_objects_is_told_from_a_bad_one() {
    for body in ["", "  \n", "null", "[]", "---\n---\n", "# comment\n---\nnull\n...\n"] {
        assert_eq!(refused(body), "no resources found in request body", "{body:?}");
    }
    for body in
        ["{", "a: b: c", "[{\"kind\":\"A\"}, 5]", "[{\"kind\":\"A\"}", "text", "kind: A\n---\n- a"]
    {
        assert_ne!(refused(body), "no resources found in request body", "{body:?}");
    }
}

#[test]
fn documents_of_all_forms_are_read() {
    assert_eq!(kinds("kind: A\n---\nkind: B\n"), ["A", "B"]);
    assert_eq!(kinds("---\nkind: A\n--- # next\nkind: B\n...\n---\nnull\n"), ["A", "B"]);
    assert_eq!(kinds("kind: A\r\n---\r\nkind: B\r\n"), ["A", "B"]);
    assert_eq!(kinds(r#"{"kind":"A"}{"kind":"B"} {"kind":"C"}"#), ["A", "B", "C"]);
    assert_eq!(kinds(" [{\"kind\":\"A\"},{\"kind\":\"B\"}]"), ["A", "B"]);
    assert_eq!(kinds("{\"kind\":\"A\"}\n---\nkind: B\n"), ["A", "B"]);
    assert_eq!(kinds("{kind: A}"), ["A"]);
    assert_eq!(kinds("data: |\n  x\n  --- y\nkind: A\n"), ["A"]);
}

#[test]
fn lists_are_taken_apart() {
    let body = "kind: List\nitems:\n- kind: A\n- kind: List\n  items: [{kind: B}]\n";
    assert_eq!(kinds(body), ["A", "B"]);
    assert_eq!(refused("kind: List\nitems: []\n"), "no resources found in request body");
    assert_eq!(kinds("kind: List\nitems: text\n"), ["List"]);
}

#[test]
fn every_object_has_a_kind() {
    assert_eq!(refused("kind: A\n---\nname: b\n"), "resource 2 of the request body has no kind");
    assert_eq!(refused("[{}]"), "resource 1 of the request body has no kind");
}

#[test]
fn bodies_are_bounded() {
    let many = "kind: A\n---\n".repeat(MAX_OBJECTS + 1);
    assert!(matches!(parse(many.as_bytes()), Err(ParseError::TooMany)));
    let deep = format!("kind: A\na: {}{}", "[".repeat(1000), "]".repeat(1000));
    assert!(parse(deep.as_bytes()).is_err());
    let level = |level: usize| {
        let alias = format!("*a{},", level - 1).repeat(9);
        format!("a{level}: &a{level} [{alias}]\n")
    };
    let levels = (1..12).map(level).collect::<Vec<_>>().concat();
    let bomb = format!("kind: A\na0: &a0 [x,x,x,x,x,x,x,x,x]\n{levels}");
    assert!(parse(bomb.as_bytes()).is_err());
    assert!(matches!(parse(b"\xff"), Err(ParseError::Encoding)));
}

#[test]
fn what_others_refer_to_is_written_first_and_deleted_last() {
    let sent = || -> Vec<Resource> {
        ["Promotion", "Stage", "Other", "Warehouse", "Project", "Stage2"]
            .iter()
            .map(|kind| ours(kind, "demo", "x"))
            .chain([resource(json!({"apiVersion": "v1", "kind": "Secret"}))])
            .collect()
    };
    let kinds = |resources: Placed| -> Vec<String> {
        resources.iter().map(|(_, resource)| resource.kind().to_owned()).collect()
    };
    assert_eq!(in_order_of_creation(sent())[0].0, 4, "the place in the request");
    assert_eq!(
        kinds(in_order_of_creation(sent())),
        ["Project", "Secret", "Other", "Stage2", "Warehouse", "Stage", "Promotion"]
    );
    assert_eq!(
        kinds(in_order_of_deletion(sent())),
        ["Promotion", "Stage", "Warehouse", "Other", "Stage2", "Secret", "Project"]
    );
}

#[test]
fn promotions_take_the_permission_to_promote() {
    let promotion = |kind: &str, stage: &str| {
        let mut value = ours(kind, "demo", "").to_value();
        value["spec"] = json!({ "stage": stage });
        checks(&resource(value)).unwrap().promotion
    };
    let asked = promotion("Promotion", "prod").unwrap();
    assert_eq!((asked.verb.as_str(), asked.resource.as_str()), ("promote", "stages"));
    assert_eq!((asked.namespace.as_str(), asked.name.as_str()), ("demo", "prod"));
    assert!(promotion("PromotionRequest", "prod").is_some());
    assert_eq!(promotion("Promotion", ""), None);
    assert_eq!(promotion("Stage", "prod"), None);
}

#[test]
fn secrets_need_their_management() {
    let secret = checks(&resource(json!({"apiVersion": "v1", "kind": "Secret"}))).unwrap();
    assert!(secret.require_secret_management(true).is_ok());
    let refusal = secret.require_secret_management(false).unwrap_err();
    assert_eq!(refusal.class().code(), 501);
    assert_eq!(refusal.to_string(), "secret management is not enabled");
    let freight = checks(&ours("Freight", "demo", "f")).unwrap();
    assert!(freight.require_secret_management(false).is_ok());
    assert!(freight.is_told && freight.concern == Concern::Nothing);
}

#[test]
fn what_exists_is_named_by_its_kind() {
    let project = ours("Project", "", "x").exists();
    assert_eq!(project.to_string(), r#"project.kargo.akuity.io "x" already exists"#);
    assert_eq!(project.class().code(), 409);
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}});
    assert_eq!(resource(secret).exists().to_string(), r#"secret "x" already exists"#);
    assert_eq!(ResourceError::Missing.to_string(), "resource does not exist");
}

#[test]
fn who_creates_is_written_by_us() {
    let creator = |kind: &str, actor: Option<&str>| {
        let mut value = ours(kind, "demo", "x").to_value();
        value["metadata"]["annotations"] = json!({"kargo.akuity.io/create-actor": "forged"});
        let mut resource = resource(value);
        prepare_create(&mut resource, actor);
        resource.annotation("kargo.akuity.io/create-actor").map(str::to_owned)
    };
    for kind in ["Project", "Promotion", "PromotionRequest"] {
        assert_eq!(creator(kind, Some("admin")).as_deref(), Some("admin"), "{kind}");
        assert_eq!(creator(kind, None).as_deref(), Some("forged"), "{kind}");
    }
    assert_eq!(creator("Stage", Some("admin")).as_deref(), Some("forged"));
    let mut bare = ours("Project", "", "x");
    prepare_create(&mut bare, Some("email:a"));
    assert_eq!(bare.annotation("kargo.akuity.io/create-actor"), Some("email:a"));
}

#[test]
fn who_asks_is_written_by_us() {
    let signed = |kind: &str, key: &str, value: &str, stored: Option<&str>| {
        let annotated = |value: &str| {
            let mut object = ours(kind, "demo", "x").to_value();
            object["metadata"]["annotations"] = json!({ key: value });
            object
        };
        let mut resource = resource(annotated(value));
        match stored {
            None => prepare_create(&mut resource, Some("admin")),
            Some(stored) => {
                let stored = annotated(stored);
                prepare_update(&mut resource, stored.as_object().unwrap(), Some("admin")).unwrap();
            }
        }
        resource.annotation(key).unwrap().to_owned()
    };
    let abort = "kargo.akuity.io/abort";
    let forged = r#"{"action":"terminate","actor":"email:x"}"#;
    let by_admin = r#"{"action":"terminate","actor":"admin","controlPlane":true}"#;
    assert_eq!(signed("Promotion", abort, forged, None), by_admin);
    assert_eq!(signed("Promotion", abort, forged, Some("other")), by_admin);
    assert_eq!(signed("Promotion", abort, forged, Some(forged)), forged, "nothing new");
    let again = r#"{"id":"v","actor":"admin","controlPlane":true}"#;
    assert_eq!(signed("Stage", "kargo.akuity.io/reverify", "v", None), again);
    assert_eq!(signed("Warehouse", abort, forged, None), forged);
    assert_eq!(signed("Stage", abort, "5", None), "5");
}

#[test]
fn what_only_we_say_of_promotions_stays_whatever_is_sent() {
    let kept = |key: &str, stored: Option<&Value>, actor: Option<&str>| {
        let mut value = ours("Promotion", "demo", "x").to_value();
        value["metadata"]["annotations"] = json!({key: "forged"});
        let mut resource = resource(value);
        match stored {
            None => prepare_create(&mut resource, actor),
            Some(stored) => {
                prepare_update(&mut resource, stored.as_object().unwrap(), actor).unwrap();
            }
        }
        resource.annotation(key).map(str::to_owned)
    };
    for key in ["kargo.akuity.io/responses", "kargo.akuity.io/rollback"] {
        let said = json!({"metadata": {"annotations": {key: "said"}}});
        for actor in [Some("email:a"), None] {
            assert_eq!(kept(key, None, actor), None);
            assert_eq!(kept(key, Some(&json!({"metadata": {}})), actor), None);
            assert_eq!(kept(key, Some(&said), actor).as_deref(), Some("said"));
        }
    }
}

#[test]
fn finalizers_and_owners_stay_unless_the_sender_speaks_of_them() {
    let stored = json!({"metadata": {"finalizers": ["a"], "ownerReferences": [{"name": "o"}]}});
    let kept = |metadata: Value| {
        let mut resource = resource(json!({"kind": "Stage", "metadata": metadata}));
        keep_custody(&mut resource, stored.as_object().unwrap());
        resource.to_value()["metadata"].clone()
    };
    assert_eq!(kept(json!({})), stored["metadata"]);
    let own = json!({"finalizers": [], "ownerReferences": [{"name": "p"}]});
    assert_eq!(kept(own.clone()), own);
}

#[test]
fn an_update_replaces_what_the_sender_has_seen() {
    let stored = json!({"metadata": {
        "resourceVersion": "7", "annotations": {"kargo.akuity.io/create-actor": "email:a"},
    }});
    let update = |version: Value| {
        let mut value = ours("Project", "", "x").to_value();
        value["metadata"]["resourceVersion"] = version;
        let mut resource = resource(value);
        prepare_update(&mut resource, stored.as_object().unwrap(), Some("admin")).map(|()| resource)
    };
    for version in [json!("7"), json!(""), Value::Null] {
        let updated = update(version).unwrap();
        assert_eq!(updated.resource_version(), "7");
        assert_eq!(updated.annotation("kargo.akuity.io/create-actor"), Some("email:a"));
    }
    assert_eq!(update(json!("6")).unwrap_err().class().code(), 409);
}

#[test]
fn a_project_of_this_call_brings_its_objects() {
    let mut bootstrap = Bootstrap::default();
    let stage = ours("Stage", "demo", "x");
    assert!(!bootstrap.covers(&stage));
    bootstrap.created(&ours("Stage", "other", "demo"));
    assert!(!bootstrap.covers(&stage));
    bootstrap.created(&ours("Project", "", "demo"));
    assert!(bootstrap.covers(&stage));
    assert!(!bootstrap.covers(&ours("Stage", "other", "x")));
    for kind in ["Promotion", "PromotionRequest", "Project", "ClusterConfig"] {
        assert!(!bootstrap.covers(&ours(kind, "demo", "x")), "{kind}");
    }
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "demo"}});
    assert!(!bootstrap.covers(&resource(pod)));
}

#[test]
fn results_name_their_objects() {
    let stage = ours("Stage", "demo", "x");
    let told = |index, done| serde_json::to_value(result(&stage, index, done)).unwrap();
    assert_eq!(
        told(0, Done::Created(json!({"a": 1}))),
        json!({"createdResourceManifest": {"a": 1}, "index": 0, "kind": "Stage", "name": "x", "namespace": "demo"})
    );
    let failed = told(1, Done::Failed(format!("{}why", Step::Create)));
    assert_eq!(failed["error"], "create resource: why");
    assert_eq!(told(2, Done::Deleted)["deletedResourceManifest"]["kind"], "Stage");
}

proptest! {
    #[test]
    fn any_body_is_read_without_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&body);
    }

    #[test]
    fn any_text_of_yaml_signs_is_read_without_panic(body in "[-.\\[\\]{}:\\n\"' &*a#|>kind]{0,80}") {
        let _ = parse(body.as_bytes());
    }

    #[test]
    fn objects_survive_both_forms(names in prop::collection::vec("[a-z]{1,5}", 1..6)) {
        let objects: Vec<Value> =
            names.iter().map(|name| json!({"kind": "A", "metadata": {"name": name}})).collect();
        let array = serde_json::to_vec(&objects).unwrap();
        let stream: Vec<String> = objects.iter().map(|object| format!("---\n{object}\n")).collect();
        let expected: Vec<Resource> = objects.into_iter().map(resource).collect();
        prop_assert_eq!(&parse(&array).unwrap(), &expected);
        prop_assert_eq!(&parse(stream.concat().as_bytes()).unwrap(), &expected);
    }
}
