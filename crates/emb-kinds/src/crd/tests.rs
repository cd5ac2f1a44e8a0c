//! Definitions: defaults, what they refuse, names in conflict, the resources they define.

use core_clock::Time;
use serde_json::{Value, json};

use super::{
    accept_names, custom, default_and_validate, is_established, mark_terminating, names_in_use,
};
use crate::resource::Origin;

fn version(name: &str, changes: Value) -> Value {
    let mut version = json!({"name": name, "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}});
    emb_codec::patch::merge(&mut version, &changes);
    version
}

fn definition(plural: &str, kind: &str, changes: Value) -> Value {
    let mut spec = json!({
        "group": "pr.example.com", "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
        "versions": [version("v1", json!({"storage": true}))],
    });
    emb_codec::patch::merge(&mut spec, &changes);
    let group = spec["group"].as_str().unwrap_or_default().to_owned();
    json!({"metadata": {"name": format!("{plural}.{group}")}, "spec": spec})
}

fn refused(changes: Value) -> Vec<String> {
    let mut new = definition("oks", "Ok", changes);
    default_and_validate(&mut new, None).0.iter().map(ToString::to_string).collect()
}

fn with_version(changes: Value) -> Value {
    let mut stored = version("v1", json!({"storage": true}));
    emb_codec::patch::merge(&mut stored, &changes);
    json!({"versions": [stored]})
}

const NONE: [&str; 0] = [];
const NOW: Time = Time::from_seconds(1_600_000_000);

#[test]
fn names_conversion_and_stored_versions_are_filled_in() {
    let mut new =
        definition("oks", "Ok", json!({"conversion": {"strategy": "None", "webhook": {}}}));
    assert_eq!(default_and_validate(&mut new, None), (vec![], vec![]));
    assert_eq!(
        new["spec"]["names"],
        json!({"plural": "oks", "kind": "Ok", "singular": "ok", "listKind": "OkList"})
    );
    assert_eq!(new["spec"]["conversion"], json!({"strategy": "None"}));
    assert_eq!(
        new["status"],
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]})
    );
}

#[test]
fn groups_scopes_and_conversions_are_checked() {
    let cases = [
        (
            json!({"group": "nodot"}),
            "spec.group: Invalid value: \"nodot\": should be a domain with at least one dot",
        ),
        (
            json!({"group": "foo.k8s.io"}),
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111",
        ),
        (
            json!({"scope": "Foo"}),
            "spec.scope: Unsupported value: \"Foo\": supported values: \"Cluster\", \"Namespaced\"",
        ),
        (json!({"scope": null}), "spec.scope: Required value"),
        (
            json!({"preserveUnknownFields": true}),
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
        ),
        (
            json!({"conversion": {"strategy": "Foo"}}),
            "spec.conversion.strategy: Unsupported value: \"Foo\": supported values: \"None\", \"Webhook\"",
        ),
        (
            json!({"conversion": {"strategy": "Webhook"}}),
            "spec.conversion.strategy: Forbidden: this server does not call conversion webhooks; use None",
        ),
        (
            json!({"names": {"listKind": "Ok"}}),
            "spec.names.listKind: Invalid value: \"Ok\": kind and listKind may not be the same",
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(refused(changes), [expected]);
    }
    let mut approved = definition("oks", "Ok", json!({"group": "foo.k8s.io"}));
    approved["metadata"]["annotations"] =
        json!({"api-approved.kubernetes.io": "unapproved, trial"});
    assert!(default_and_validate(&mut approved, None).0.is_empty());
    let mut renamed = definition("oks", "Ok", json!({}));
    renamed["metadata"]["name"] = json!("other");
    assert_eq!(
        default_and_validate(&mut renamed, None).0[0].to_string(),
        "metadata.name: Invalid value: \"other\": must be spec.names.plural+\".\"+spec.group"
    );
}

#[test]
fn an_empty_definition_is_told_all_it_lacks() {
    let mut empty = json!({"metadata": {"name": "x.y.z"}, "spec": {}});
    let errors = default_and_validate(&mut empty, None).0;
    let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "metadata.name",
            "spec.group",
            "spec.scope",
            "spec.versions",
            "spec.names.plural",
            "spec.names.singular",
            "spec.names.kind",
            "spec.names.listKind",
            "status.storedVersions",
        ]
    );
}

#[test]
fn versions_are_checked_where_clients_expect_the_problem() {
    let cases = [
        (
            with_version(json!({"schema": null})),
            "spec.versions[0].schema.openAPIV3Schema: Required value",
        ),
        (
            with_version(json!({"deprecationWarning": "x"})),
            "spec.versions[0].deprecationWarning: Invalid value: \"x\": can only be set for deprecated versions",
        ),
        (
            with_version(json!({"subresources": {"scale": {"specReplicasPath": ".a"}}})),
            "spec.subresources.scale.statusReplicasPath: Required value",
        ),
        (
            with_version(
                json!({"additionalPrinterColumns": [{"name": "a", "type": "foo", "jsonPath": ".a"}]}),
            ),
            "spec.additionalPrinterColumns[0].type: Invalid value: \"foo\": must be one of boolean,date,integer,number,string",
        ),
        (
            with_version(
                json!({"additionalPrinterColumns": [{"name": "a", "type": "string", "jsonPath": "x["}]}),
            ),
            "spec.additionalPrinterColumns[0].JSONPath: Invalid value: \"x[\": must be a simple json path starting with .",
        ),
        (
            with_version(
                json!({"additionalPrinterColumns": [{"name": "a", "type": "string", "format": "zz", "jsonPath": ".x"}]}),
            ),
            "spec.additionalPrinterColumns[0].format: Invalid value: \"zz\": must be one of byte,date,date-time,double,float,int32,int64,password",
        ),
        (
            with_version(json!({"selectableFields": [{"jsonPath": ".spec.x"}]})),
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.x\": is an invalid path: does not refer to a valid field",
        ),
        (
            with_version(json!({"selectableFields": [{}]})),
            "spec.selectableFields[0].jsonPath: Required value",
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(refused(changes), [expected]);
    }
    let messages = |changes| -> Vec<String> {
        let mut new = definition("oks", "Ok", changes);
        let (errors, _) = default_and_validate(&mut new, None);
        errors.iter().map(|error| error.message.rsplit(": ").next().unwrap().to_owned()).collect()
    };
    assert_eq!(
        messages(json!({"versions": [version("v1", json!({}))]})),
        [
            "must have exactly one version marked as storage version",
            "must have at least one stored version"
        ]
    );
    assert_eq!(
        messages(
            json!({"versions": [version("v1", json!({"storage": true})), version("v1", json!({}))]})
        ),
        ["must contain unique version names"]
    );
}

#[test]
fn a_bad_schema_is_blamed_once_for_all_versions_that_share_it() {
    let schema = json!({"type": "object", "properties": {"b": {"type": "string", "pattern": "("}}});
    let bad = json!({"schema": {"openAPIV3Schema": schema}});
    let fields = |changes: Value| -> Vec<String> {
        let mut new = definition("oks", "Ok", changes);
        default_and_validate(&mut new, None).0.into_iter().map(|error| error.field).collect()
    };
    assert_eq!(
        fields(with_version(bad.clone())),
        ["spec.validation.openAPIV3Schema.properties[b].pattern"]
    );
    let versions = json!([version("v1", json!({"storage": true})), version("v2", bad)]);
    assert_eq!(
        fields(json!({"versions": versions})),
        ["spec.versions[1].schema.openAPIV3Schema.properties[b].pattern"]
    );
}

fn established(mut new: Value) -> Value {
    assert_eq!(default_and_validate(&mut new, None).0, []);
    assert!(accept_names(&mut new, &names_in_use([]), NOW));
    new
}

#[test]
fn names_nobody_else_holds_are_accepted() {
    let mut new = established(definition("oks", "Ok", json!({"names": {"shortNames": ["o"]}})));
    assert!(is_established(&new));
    assert_eq!(new["status"]["acceptedNames"], new["spec"]["names"]);
    insta::assert_json_snapshot!(new["status"]["conditions"], @r#"
    [
      {
        "lastTransitionTime": "2020-09-13T12:26:40Z",
        "message": "no conflicts found",
        "reason": "NoConflicts",
        "status": "True",
        "type": "NamesAccepted"
      },
      {
        "lastTransitionTime": "2020-09-13T12:26:40Z",
        "message": "the initial names have been accepted",
        "reason": "InitialNamesAccepted",
        "status": "True",
        "type": "Established"
      }
    ]
    "#);
    let later = NOW + std::time::Duration::from_mins(1);
    assert!(!accept_names(&mut new, &names_in_use([]), later), "nothing changed");
    mark_terminating(&mut new, later);
    assert_eq!(new["status"]["conditions"][2]["reason"], "InstanceDeletionInProgress");
    assert!(super::is_terminating(&new));
}

#[test]
fn a_name_that_another_holds_keeps_the_kind_from_being_served() {
    let holder = established(definition("oks", "Ok", json!({})));
    let used = names_in_use([&holder]);
    let conflicted = |mut new: Value| {
        default_and_validate(&mut new, None);
        accept_names(&mut new, &used, NOW);
        assert!(!is_established(&new));
        assert_eq!(new["status"]["conditions"][1]["reason"], "NotAccepted");
        let condition = &new["status"]["conditions"][0];
        let told = format!(
            "{} {}",
            condition["reason"].as_str().unwrap(),
            condition["message"].as_str().unwrap()
        );
        (told, new["status"]["acceptedNames"].clone())
    };
    assert_eq!(
        conflicted(definition("oks2", "Ok", json!({}))),
        (
            "ListKindConflict \"OkList\" is already in use".to_owned(),
            json!({"plural": "oks2", "kind": ""})
        )
    );
    assert_eq!(
        conflicted(definition(
            "o2",
            "O2",
            json!({"names": {"shortNames": ["oks", "sn"], "singular": "ok"}})
        )),
        (
            "ShortNamesConflict \"oks\" is already in use".to_owned(),
            json!({"plural": "o2", "kind": "O2", "listKind": "O2List"})
        )
    );
    assert_eq!(
        conflicted(definition("ok", "O3", json!({}))).0,
        "PluralConflict \"ok\" is already in use"
    );
}

#[test]
fn what_objects_depend_on_does_not_change() {
    let old = established(definition("oks", "Ok", json!({})));
    let changed = |changes: Value| -> Vec<String> {
        let mut new = old.clone();
        emb_codec::patch::merge(&mut new["spec"], &changes);
        default_and_validate(&mut new, Some(&old)).0.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        changed(json!({"scope": "Cluster"})),
        ["spec.scope: Invalid value: \"Cluster\": field is immutable"]
    );
    assert_eq!(
        changed(json!({"group": "x.y"})),
        ["spec.group: Invalid value: \"x.y\": field is immutable"]
    );
    assert_eq!(
        changed(json!({"names": {"kind": "Zed"}})),
        ["spec.names.kind: Invalid value: \"Zed\": field is immutable"]
    );
    assert_eq!(
        changed(json!({"names": {"plural": "zeds"}})),
        ["spec.names.plural: Invalid value: \"zeds\": field is immutable"]
    );
    assert_eq!(changed(json!({"names": {"shortNames": ["z"]}})), NONE);
    assert!(
        changed(json!({"versions": [version("v2", json!({"storage": true}))]}))[0].starts_with(
            "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was"
        )
    );
    let mut new = old.clone();
    new["spec"]["versions"] =
        json!([version("v1", json!({})), version("v2", json!({"storage": true}))]);
    assert!(default_and_validate(&mut new, Some(&old)).0.is_empty());
    assert_eq!(new["status"]["storedVersions"], json!(["v1", "v2"]));
}

#[test]
fn each_served_version_becomes_a_resource() {
    let versions = json!([
        version("v1", json!({"storage": true, "subresources": {"status": {}}})),
        version("v1beta1", json!({"deprecated": true})),
        version("v1alpha1", json!({"deprecated": true, "deprecationWarning": "no more"})),
        version("v2", json!({"served": false})),
    ]);
    let new = established(definition("oks", "Ok", json!({"versions": versions})));
    let resources = custom(&new).unwrap();
    let warnings: Vec<Option<&str>> = resources.iter().map(|r| r.deprecated.as_deref()).collect();
    let better = "pr.example.com/v1beta1 Ok is deprecated; use pr.example.com/v1 Ok";
    assert_eq!(warnings, [None, Some(better), Some("no more")]);
    assert_eq!((resources[0].has_status, resources[1].has_status), (true, false));
    assert_eq!(
        resources[1].origin,
        Origin::Custom { crd_name: "oks.pr.example.com".into(), storage_version: "v1".into() }
    );
    let stored =
        resources[1].to_storage(json!({"apiVersion": "pr.example.com/v1beta1", "kind": "Ok"}));
    assert_eq!(stored["apiVersion"], "pr.example.com/v1");
    assert_eq!(resources[1].from_storage(stored)["apiVersion"], "pr.example.com/v1beta1");
}

#[test]
fn selectable_fields_are_read_as_text() {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "color": {"type": "string"}, "count": {"type": "integer"}}}}});
    let changes = with_version(json!({
        "schema": {"openAPIV3Schema": schema},
        "selectableFields": [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.count"}],
    }));
    let resource = custom(&established(definition("oks", "Ok", changes))).unwrap().remove(0);
    let object = json!({"metadata": {"name": "a"}, "spec": {"count": 3}});
    assert_eq!(resource.field(&object, "spec.count").as_deref(), Some("3"));
    assert_eq!(resource.field(&object, "spec.color").as_deref(), Some(""));
    assert_eq!(resource.field(&object, "spec.note"), None);
}
