use proptest::prelude::*;
use serde_json::json;

use super::*;

const KEYS: MergeKeys = MergeKeys::new(&[
    ("secrets", MergeRule::Merge("name")),
    ("webhooks", MergeRule::Merge("name")),
    ("selector", MergeRule::Replace),
]);

fn patched(mut target: Value, patch: &Value) -> Value {
    strategic(&mut target, patch, &KEYS).unwrap();
    target
}

fn error(mut target: Value, patch: &Value) -> String {
    strategic(&mut target, patch, &KEYS).unwrap_err().to_string()
}

fn finalizers(list: &[&str]) -> Value {
    json!({"metadata": {"finalizers": list}})
}

fn owners(list: Value) -> Value {
    json!({"metadata": {"ownerReferences": list}})
}

#[test]
fn maps_merge_and_nulls_delete() {
    let target = json!({"data": {"a": "1", "b": "2"}, "rules": [{"x": 1}], "selector": {"a": 1}});
    let rules = json!([{"y": 2, "z": null}, {"$patch": "delete"}]);
    let patch = json!({"data": {"a": null, "c": "3"}, "rules": rules, "selector": {"b": 2}, "new": {"k": null}});
    let expected =
        json!({"data": {"b": "2", "c": "3"}, "rules": rules, "selector": {"b": 2}, "new": {}});
    assert_eq!(patched(target, &patch), expected);
}

#[test]
fn a_directive_replaces_or_empties_a_map() {
    let target = || json!({"data": {"a": "1", "b": "2"}});
    let change = |directive: &str| json!({"data": {"$patch": directive, "c": "3"}});
    assert_eq!(patched(target(), &change("replace")), json!({"data": {"c": "3"}}));
    assert_eq!(patched(target(), &change("delete")), json!({"data": {}}));
    assert_eq!(patched(json!({}), &change("replace")), json!({}));
    // Merging is what happens anyway; nobody can ask for it.
    for unknown in ["merge", "twist"] {
        let expected = format!("unknown patch type: {unknown} in map: {{\"c\":\"3\"}}");
        assert_eq!(error(target(), &change(unknown)), expected);
    }
}

#[test]
fn finalizers_are_a_set_whose_patched_values_come_first() {
    assert_eq!(patched(finalizers(&["a"]), &finalizers(&["b"])), finalizers(&["b", "a"]));
    assert_eq!(patched(finalizers(&["a", "b"]), &finalizers(&["b"])), finalizers(&["a", "b"]));
    assert_eq!(
        patched(finalizers(&["a", "b"]), &finalizers(&["c", "a"])),
        finalizers(&["c", "a", "b"])
    );
    let delete = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}});
    assert_eq!(patched(finalizers(&["a", "b"]), &delete), finalizers(&["b"]));
}

#[test]
fn set_element_order_sorts_what_the_patch_knows() {
    let order = |order: &[&str], list: &[&str]| json!({"metadata": {"$setElementOrder/finalizers": order, "finalizers": list}});
    let target = || finalizers(&["x", "a", "y", "b"]);
    assert_eq!(patched(target(), &order(&["b", "a"], &[])), finalizers(&["x", "y", "b", "a"]));
    assert_eq!(
        patched(target(), &order(&["a", "n", "b"], &["n"])),
        finalizers(&["x", "a", "n", "y", "b"])
    );
    assert!(error(target(), &order(&["a"], &["n"])).starts_with("The order in patch list:\n"));
    let only = json!({"metadata": {"$setElementOrder/finalizers": ["b", "a"]}});
    assert_eq!(patched(target(), &only), finalizers(&["x", "y", "b", "a"]));
    assert_eq!(patched(json!({"metadata": {}}), &only), json!({"metadata": {}}));
    let webhooks = json!({
        "$setElementOrder/webhooks": [{"name": "c"}, {"name": "a"}],
        "webhooks": [{"name": "c", "x": 1}, {"name": "b", "$patch": "delete"}],
    });
    assert_eq!(
        patched(json!({"webhooks": [{"name": "a"}, {"name": "b"}]}), &webhooks),
        json!({"webhooks": [{"name": "c", "x": 1}, {"name": "a"}]})
    );
}

#[test]
fn owners_merge_by_uid_and_go_by_directive() {
    let target = || owners(json!([{"uid": "1", "name": "a"}, {"uid": "2", "name": "b"}]));
    assert_eq!(
        patched(target(), &owners(json!([{"uid": "2", "name": "c"}, {"uid": "3", "x": null}]))),
        owners(json!([{"uid": "1", "name": "a"}, {"uid": "2", "name": "c"}, {"uid": "3"}]))
    );
    assert_eq!(
        patched(target(), &owners(json!([{"uid": "1", "$patch": "delete"}]))),
        owners(json!([{"uid": "2", "name": "b"}]))
    );
    assert_eq!(
        patched(target(), &owners(json!([{"$patch": "replace"}, {"uid": "9"}]))),
        owners(json!([{"uid": "9"}]))
    );
    assert_eq!(
        patched(owners(json!([])), &owners(json!([{"uid": "1", "a": 1}, {"uid": "1", "b": 2}]))),
        owners(json!([{"uid": "1", "a": 1, "b": 2}]))
    );
    assert!(
        error(target(), &owners(json!([{"name": "x"}])))
            .ends_with("does not contain declared merge key: uid")
    );
    assert!(
        error(target(), &owners(json!([{"uid": "1", "$patch": "twist"}])))
            .starts_with("unknown patch type: twist")
    );
    assert_eq!(error(target(), &owners(json!([[]]))), "lists of lists are not supported");
}

#[test]
fn retain_keys_drops_the_rest() {
    let target = || json!({"strategy": {"type": "Rolling", "rolling": {"max": 1}}});
    let patch = json!({"strategy": {"$retainKeys": ["type"], "type": "Recreate"}});
    assert_eq!(patched(target(), &patch), json!({"strategy": {"type": "Recreate"}}));
    let stray = json!({"strategy": {"$retainKeys": ["type"], "other": 1}});
    assert_eq!(error(target(), &stray), "invalid patch format of retainKeys");
}

#[test]
fn long_lists_merge_in_reasonable_time() {
    let names = |prefix: &str| (0..100_000).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
    let list = |names: Vec<String>| json!({"metadata": {"finalizers": names}});
    let merged = patched(list(names("a")), &list(names("b")));
    assert_eq!(merged["metadata"]["finalizers"].as_array().unwrap().len(), 200_000);
    let hooks = |prefix: &str| {
        let hooks = names(prefix).into_iter().map(|name| json!({"name": name}));
        json!({"webhooks": hooks.collect::<Vec<_>>()})
    };
    let merged = patched(hooks("a"), &hooks("b"));
    assert_eq!(merged["webhooks"].as_array().unwrap().len(), 200_000);
}

#[test]
fn only_objects_are_strategic_patches() {
    assert!(error(json!({}), &json!([])).starts_with("error decoding patch: "));
}

proptest! {
    #[test]
    fn the_order_of_a_merged_set_is_stable(
        target in prop::collection::btree_set("[a-f]", 0..6), change in prop::collection::btree_set("[a-f]", 0..6),
    ) {
        let list = |set: std::collections::BTreeSet<String>| json!({"metadata": {"finalizers": set}});
        let (target, change) = (list(target), list(change));
        let once = patched(target, &change);
        prop_assert_eq!(patched(once.clone(), &change), once);
    }

    #[test]
    fn directives_anywhere_never_panic(
        directive in r"\$(patch|retainKeys|deleteFromPrimitiveList/webhooks|setElementOrder/webhooks)",
        argument in prop_oneof![Just(json!("replace")), Just(json!(["name"])), Just(json!([{"name": "a"}])), Just(json!(null)), Just(json!(1))],
        items in prop_oneof![Just(json!([{"name": "a"}])), Just(json!(["x"])), Just(json!([[]])), Just(json!({})), Just(json!(null))],
    ) {
        let mut target = json!({"webhooks": [{"name": "a", "deep": {"x": [1]}}]});
        let patch = json!({"webhooks": items, directive.clone(): argument.clone()});
        let _ = strategic(&mut target, &patch, &KEYS);
        let nested = json!({"webhooks": [{"name": "a", directive: argument, "deep": items}]});
        let _ = strategic(&mut target, &nested, &KEYS);
    }
}
