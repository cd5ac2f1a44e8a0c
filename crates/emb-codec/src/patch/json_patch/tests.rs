use proptest::prelude::*;
use serde_json::json;

use super::*;

fn patched(mut target: Value, patch: &Value) -> Result<Value, PatchError> {
    json_patch_parse(patch)?.apply(&mut target)?;
    Ok(target)
}

fn one(target: Value, operation: Value) -> Value {
    patched(target, &json!([operation])).unwrap()
}

fn refused(target: Value, operation: Value) -> Failure {
    match patched(target, &json!([operation])).unwrap_err() {
        PatchError::Rejected(failure) => failure,
        other => panic!("{other}"),
    }
}

#[test]
fn every_operation_does_what_the_standard_says() {
    let cases = [
        (json!({}), json!({"op": "add", "path": "/a", "value": 1}), json!({"a": 1})),
        (json!({"a": [1]}), json!({"op": "add", "path": "/a/0", "value": 0}), json!({"a": [0, 1]})),
        (json!({"a": [1]}), json!({"op": "add", "path": "/a/-", "value": 2}), json!({"a": [1, 2]})),
        (json!({"a": [1]}), json!({"op": "add", "path": "/a/1", "value": 2}), json!({"a": [1, 2]})),
        (json!({"a": 1}), json!({"op": "add", "path": "/a", "value": null}), json!({"a": null})),
        (json!({"a/b": 1, "~": 2}), json!({"op": "remove", "path": "/a~1b"}), json!({"~": 2})),
        (json!({"~1": 2}), json!({"op": "remove", "path": "/~01"}), json!({})),
        (json!({"": 2}), json!({"op": "remove", "path": "/"}), json!({})),
        (json!({"a": [1, 2]}), json!({"op": "remove", "path": "/a/0"}), json!({"a": [2]})),
        (json!({"a": 1}), json!({"op": "replace", "path": "/a", "value": 2}), json!({"a": 2})),
        (
            json!({"a": [1]}),
            json!({"op": "replace", "path": "/a/0", "value": 2}),
            json!({"a": [2]}),
        ),
        (json!({"a": 1}), json!({"op": "replace", "path": "", "value": {}}), json!({})),
        (json!({"a": 1}), json!({"op": "move", "from": "/a", "path": "/b"}), json!({"b": 1})),
        (
            json!({"a": [1]}),
            json!({"op": "copy", "from": "/a/0", "path": "/b"}),
            json!({"a": [1], "b": 1}),
        ),
        (
            json!({"a": {"b": [1]}}),
            json!({"op": "test", "path": "/a", "value": {"b": [1]}}),
            json!({"a": {"b": [1]}}),
        ),
    ];
    for (target, operation, expected) in cases {
        assert_eq!(one(target, operation.clone()), expected, "{operation}");
    }
}

#[test]
fn the_habits_of_the_api_hold() {
    assert_eq!(one(json!({}), json!({"op": "replace", "path": "/a", "value": 1})), json!({"a": 1}));
    assert_eq!(one(json!({}), json!({"op": "test", "path": "/a", "value": null})), json!({}));
    assert_eq!(
        one(json!({"a": [1, 2]}), json!({"op": "remove", "path": "/a/-1"})),
        json!({"a": [1]})
    );
}

#[test]
fn what_does_not_apply_is_rejected_without_telling_why() {
    let missing = |path: &str| Failure::Missing(path.to_owned());
    let object = || json!({"a": [1], "s": "x"});
    assert_eq!(
        refused(object(), json!({"op": "add", "path": "/b/c", "value": 1})),
        missing("/b/c")
    );
    assert_eq!(
        refused(object(), json!({"op": "add", "path": "/a/2", "value": 1})),
        missing("/a/2")
    );
    assert_eq!(refused(object(), json!({"op": "add", "path": "", "value": 1})), missing(""));
    assert_eq!(
        refused(object(), json!({"op": "add", "path": "/s/0", "value": 1})),
        missing("/s/0")
    );
    assert_eq!(refused(object(), json!({"op": "remove", "path": "/b"})), missing("/b"));
    assert_eq!(
        refused(object(), json!({"op": "replace", "path": "/a/1", "value": 1})),
        missing("/a/1")
    );
    assert_eq!(
        refused(object(), json!({"op": "move", "from": "/a", "path": "/a/b"})),
        missing("/a/b")
    );
    assert_eq!(refused(object(), json!({"op": "copy", "from": "/b", "path": "/c"})), missing("/b"));
    assert_eq!(
        refused(object(), json!({"op": "test", "path": "/s", "value": "y"})),
        Failure::Test("/s".into())
    );
    assert_eq!(
        refused(object(), json!({"op": "grow", "path": "/s"})),
        Failure::Kind("grow".into())
    );
    assert_eq!(refused(object(), json!({"op": "add", "path": "/s"})), Failure::Operation("value"));
    assert_eq!(refused(object(), json!({"op": "remove"})), Failure::Operation("path"));
    let error = patched(object(), &json!([{"op": "remove", "path": "/b"}])).unwrap_err();
    assert_eq!(error.to_string(), "the server rejected our request due to an error in our request");
}

#[test]
fn what_is_no_patch_is_told_apart() {
    for bad in [json!({"op": "add"}), json!([1]), json!([{"op": 1, "path": "/a"}])] {
        let error = json_patch_parse(&bad).unwrap_err();
        assert!(error.to_string().starts_with("error decoding patch: "), "{error}");
    }
    let many = Value::from(vec![json!({"op": "test", "path": ""}); 10_001]);
    assert_eq!(
        json_patch_parse(&many).unwrap_err().to_string(),
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    );
}

#[test]
fn copies_cannot_grow_an_object_without_end() {
    let double = json!({"op": "copy", "from": "/a", "path": "/a/-"});
    let failure = patched(json!({"a": ["x".repeat(1000)]}), &Value::from(vec![double; 100]));
    assert_eq!(failure.unwrap_err(), PatchError::Rejected(Failure::Budget("copies")));
}

#[test]
fn operations_cannot_nest_an_object_without_end() {
    let inward = json!({"op": "copy", "from": "/a", "path": "/a/a"});
    let failure = patched(json!({"a": {}}), &Value::from(vec![inward; 600]));
    assert_eq!(failure.unwrap_err(), PatchError::Rejected(Failure::TooDeep));
}

proptest! {
    #[test]
    fn arbitrary_operations_never_panic(
        operations in prop::collection::vec(("(add|remove|replace|move|copy|test)", "[/ab0-]{0,6}", "[/ab0-]{0,6}"), 0..12),
    ) {
        let operations: Vec<Value> = operations
            .into_iter()
            .map(|(op, path, from)| json!({"op": op, "path": path, "from": from, "value": {"a": [0]}}))
            .collect();
        let _ = patched(json!({"a": {"b": [1, {"a": 2}]}, "b": [[0]]}), &Value::from(operations));
    }
}
