use proptest::prelude::*;
use serde_json::json;

use super::*;

fn set_value(text: &str, key: &str, value: Value) -> Result<String, EditError> {
    set(text, key, &Scalar::of_update(key, &value, false)?)
}

#[track_caller]
fn check(text: &str, key: &str, value: impl Into<Value>, expected: &str) {
    assert_eq!(set_value(text, key, value.into()).unwrap(), expected);
}

#[test]
fn only_the_value_is_replaced() {
    check("{\"a\" : 1 , \"b\":2}\r\n", "a", "x", "{\"a\" : \"x\" , \"b\":2}\r\n");
    check("[1, [2, {\"b\": null}]]", "1.1.b", true, "[1, [2, {\"b\": true}]]");
    check("{\"a\":{\"b\":1}}", "a", 7, "{\"a\":7}");
    check("{\"a\":1,\"a\":2}", "a", 3, "{\"a\":3,\"a\":2}");
    check("{\"1\": 0}", "1", 2, "{\"1\": 2}");
    check("\u{feff}{\"é\\u0041\": 1}", "éA", 2, "\u{feff}{\"é\\u0041\": 2}");
    check(
        "{ // note: \"a\"\n \"a\": 1, /* b */ }",
        "a",
        2,
        "{ // note: \"a\"\n \"a\": 2, /* b */ }",
    );
}

#[test]
fn what_is_missing_is_made() {
    check("", "a.b", 1, "{\"a\":{\"b\":1}}");
    check(" \n", "2", 1, "[null,null,1]");
    check("{}", "a.-1.b", 1, "{\"a\":[{\"b\":1}]}");
    check("{\"a\": 1\n}\n", "b", 1, "{\"a\": 1\n,\"b\":1}\n");
    check("{\"a\": 1,\n}", "b", 1, "{\"a\": 1,\n\"b\":1}");
    check("[1, 2]", "4", 5, "[1, 2,null,null,5]");
    check("[ ]", "-1", 5, "[ 5]");
    check("{\"a\":5}", "a.b.1", 2, "{\"a\":{\"b\":[null,2]}}");
    check("{\"a\":5}", "c.:0", 2, "{\"a\":5,\"c\":{\"0\":2}}");
    check("null", "a", 1, "{\"a\":1}");
}

#[test]
fn queries_set_all_they_find_and_make_nothing() {
    let text = r#"{"l": [{"n": "a", "v": 1}, {"n": "b", "v": 2}, {"n": "ab"}], "name": 1}"#;
    for (query, expected) in [
        ("l.#.v", r#"{"l": [{"n": "a", "v": 9}, {"n": "b", "v": 9}, {"n": "ab"}], "name": 1}"#),
        (
            r#"l.#(n=="b").v"#,
            r#"{"l": [{"n": "a", "v": 1}, {"n": "b", "v": 9}, {"n": "ab"}], "name": 1}"#,
        ),
        (
            r#"l.#(n%"a*")#.n"#,
            r#"{"l": [{"n": 9, "v": 1}, {"n": "b", "v": 2}, {"n": 9}], "name": 1}"#,
        ),
        ("l.#(v>1).n", r#"{"l": [{"n": "a", "v": 1}, {"n": 9, "v": 2}, {"n": "ab"}], "name": 1}"#),
        ("l.#(v).n", r#"{"l": [{"n": 9, "v": 1}, {"n": "b", "v": 2}, {"n": "ab"}], "name": 1}"#),
        ("n?m*", r#"{"l": [{"n": "a", "v": 1}, {"n": "b", "v": 2}, {"n": "ab"}], "name": 9}"#),
        ("*.1.v", r#"{"l": [{"n": "a", "v": 1}, {"n": "b", "v": 9}, {"n": "ab"}], "name": 1}"#),
    ] {
        check(text, query, 9, expected);
    }
    for query in
        ["#", "l.#", "l|0", "@this", "x*", "l.#(n==\"z\").v", "l.#(", "name.#.v", "l.#(n)x"]
    {
        check(text, query, 9, text);
    }
}

#[test]
fn what_has_no_place_or_is_no_json_is_refused() {
    for (text, key) in [
        ("[1]", "x"),
        ("[1]", ":5"),
        ("{\"a\":", "a"),
        ("not json", "a"),
        ("{\"a\" 1}", "a"),
        ("{\"a\": 1 \"b\": 2}", "a"),
        ("{\"a\": \"x}", "a"),
        ("{\"a\": 1 /* }", "a"),
        ("[]", "70000"),
        ("[]", "99999999999999999999999"),
    ] {
        assert!(set_value(text, key, json!(1)).is_err(), "{text} {key}");
    }
    for value in [json!(null), json!([]), json!({})] {
        assert!(set_value("{}", "a", value).is_err());
    }
    let deep = "[".repeat(200);
    assert_eq!(set_value(&deep, "a", json!(1)), Err(EditError::TooDeep));
    assert_eq!(set_value("", &"a.".repeat(200), json!(1)), Err(EditError::TooDeep));
    assert!(parse("").is_err());
    assert!(parse("{\"a\":1}{}").is_err());
}

#[test]
fn values_are_written_as_upstream_writes_them() {
    for (value, expected) in [
        (json!("é<b>"), "\"é\\u003cb\\u003e\""),
        (json!("<b>"), "\"<b>\""),
        (json!("\u{2028}\u{1}\n"), "\"\\u2028\\u0001\\n\""),
        (json!(1e-7), "0.0000001"),
        (json!(20_240_115.0), "20240115"),
    ] {
        check("{\"a\":0}", "a", value, &format!("{{\"a\":{expected}}}"));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![any::<i32>().prop_map(Value::from), "[ -~é]{0,6}".prop_map(Value::from)];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]{1,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_value_that_was_set_is_there_and_setting_it_again_changes_nothing(
        document in any_json(), pretty: bool, key in "([a-c]{1,2}|[0-3])(\\.([a-c]{1,2}|[0-3])){0,2}", value in "[ -~é\\n]{0,6}"
    ) {
        let text = if pretty { serde_json::to_string_pretty(&document).unwrap() } else { document.to_string() };
        if let Ok(edited) = set_value(&text, &key, json!(value)) {
            let parsed = parse(&edited).unwrap();
            prop_assert_eq!(parsed.pointer(&format!("/{}", key.replace('.', "/"))), Some(&json!(value)));
            prop_assert_eq!(set_value(&edited, &key, json!(value)).unwrap(), edited);
            let mut expected = document;
            if let Some(place) = expected.pointer_mut(&format!("/{}", key.replace('.', "/"))) {
                *place = json!(value);
                prop_assert_eq!(parsed, expected);
            }
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[\\[\\]{}:,\"\\\\ \n/*a1é]{0,32}", key in "[a1.:#*?()=\"\\\\-]{1,12}") {
        let _ = set_value(&text, &key, json!("é\""));
    }
}
