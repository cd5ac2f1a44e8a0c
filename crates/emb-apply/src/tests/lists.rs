use serde_json::{Value, json};

use super::{apply, created, owner, owners};

fn items(names: &str) -> Value {
    json!({"items": names.chars().map(|name| json!({"name": name.to_string()})).collect::<Vec<_>>()})
}

fn names(object: &Value) -> String {
    let items = object["spec"]["items"].as_array().unwrap();
    items.iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn stored_items_keep_their_place_and_shared_ones_follow_the_applied_order() {
    for (live, applied, merged) in [
        ("abc", "", "abc"),
        ("", "ab", "ab"),
        ("abc", "abc", "abc"),
        ("abc", "d", "abcd"),
        ("abc", "b", "abc"),
        ("abc", "ba", "bca"),
        ("abc", "xb", "axbc"),
        ("abc", "bx", "abcx"),
        ("abcde", "xcyaz", "bxcdeyaz"),
        ("abcde", "eb", "acdeb"),
        ("ab", "bac", "bac"),
    ] {
        let object = apply(Some(&created(items(live))), "m1", 1, items(applied));
        assert_eq!(names(&object), merged, "{applied} onto {live}");
    }
}

#[test]
fn items_of_several_appliers_unite_and_merge_inside() {
    let live =
        apply(None, "m1", 1, json!({"items": [{"name": "a"}, {"name": "b"}], "tags": ["x"]}));
    let both = apply(
        Some(&live),
        "m2",
        2,
        json!({
            "items": [{"name": "b", "value": "2"}, {"name": "c"}], "tags": ["y", "x"]
        }),
    );
    assert_eq!(
        both["spec"],
        json!({"items": [{"name": "a"}, {"name": "b", "value": "2"}, {"name": "c"}], "tags": ["y", "x"]})
    );
    let less = apply(Some(&both), "m1", 3, json!({"tags": []}));
    assert_eq!(
        less["spec"],
        json!({"items": [{"name": "b", "value": "2"}, {"name": "c"}], "tags": ["y", "x"]})
    );
    assert_eq!(owners(&less).len(), 1);
}

#[test]
fn keys_that_are_left_out_have_their_default() {
    let live = created(json!({"ports": [{"port": 80, "protocol": "TCP", "target": "a"}]}));
    let same = apply(Some(&live), "m1", 1, json!({"ports": [{"port": 80, "target": "a"}]}));
    assert_eq!(same["spec"], live["spec"]);
    let other = apply(Some(&live), "m1", 1, json!({"ports": [{"port": 80, "protocol": "UDP"}]}));
    assert_eq!(other["spec"]["ports"].as_array().unwrap().len(), 2);
    assert_eq!(
        owners(&other)[0],
        owner(
            "m1 A",
            json!({"f:ports": {
                "k:{\"port\":80,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}}
            }})
        )
    );
}

#[test]
fn an_item_that_somebody_else_claims_stays_and_one_that_is_only_touched_goes() {
    let live = apply(None, "m1", 1, items("ab"));
    let shared = apply(Some(&live), "m2", 2, items("a"));
    let mut touched = shared.clone();
    touched["spec"]["items"][1]["value"] = json!("1");
    super::widget().update(&shared, &mut touched, &super::writer("u", 3));
    let new = apply(Some(&touched), "m1", 4, json!({"color": "red"}));
    assert_eq!(names(&new), "a");
    assert_eq!(owners(&new).len(), 2);
}

#[test]
fn a_stored_list_with_doubles_is_replaced_where_it_is_applied() {
    let live = created(json!({"items": [
        {"name": "a", "value": "1"}, {"name": "b"}, {"name": "a", "value": "2"}
    ]}));
    assert_eq!(
        owners(&live)[0].1["f:items"],
        json!({".": {}, "k:{\"name\":\"a\"}": {}, "k:{\"name\":\"b\"}": {".": {}, "f:name": {}}})
    );
    let wanted = super::object(json!({"items": [{"name": "a", "value": "3"}]}));
    let new = super::widget().apply(Some(&live), &wanted, &super::writer("m1", 1), true).unwrap();
    assert_eq!(new["spec"]["items"], json!([{"name": "a", "value": "3"}, {"name": "b"}]));
}

#[test]
fn null_and_empty_values_are_told_apart() {
    let live = created(json!({"tags": ["a"], "sub": {"x": "1"}}));
    let same = apply(Some(&live), "m1", 1, json!({"tags": null, "sub": null, "labels": {}}));
    assert_eq!(same["spec"], json!({"tags": ["a"], "sub": {"x": "1"}, "labels": {}}));
    assert_eq!(owners(&same)[0], owner("m1 A", json!({"f:tags": {}, "f:sub": {}, "f:labels": {}})));
}
