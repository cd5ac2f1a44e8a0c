use proptest::prelude::*;
use serde_json::json;

use super::*;

fn value(text: &str) -> Value {
    decode(text.as_bytes()).unwrap().value
}

fn duplicates(text: &str) -> Vec<String> {
    decode(text.as_bytes()).unwrap().duplicates
}

#[test]
fn the_last_of_a_repeated_member_wins_and_its_path_is_told_once() {
    let text = r#"{"spec":{"color":"red","color":"blue","color":"green"}}"#;
    assert_eq!(value(text), json!({"spec": {"color": "green"}}));
    assert_eq!(duplicates(text), ["spec.color"]);
}

#[test]
fn paths_of_repeated_members_name_lists_and_nesting() {
    let text = r#"{"a":1,"spec":{"items":[{},{"name":1,"name":2}],"x":[[{"y":1,"y":1}]]},"a":2}"#;
    assert_eq!(duplicates(text), ["spec.items[1].name", "spec.x[0][0].y", "a"]);
    let twice = r#"{"a":{"x":1,"x":1},"a":{"x":1,"x":1}}"#;
    assert_eq!(duplicates(twice), ["a.x", "a"]);
}

#[test]
fn the_number_of_reported_repetitions_is_bounded() {
    let members: Vec<String> = (0..500).map(|n| format!(r#""k{n}":1,"k{n}":2"#)).collect();
    assert_eq!(duplicates(&format!("{{{}}}", members.join(","))).len(), 100);
}

#[test]
fn numbers_take_their_canonical_form() {
    let cases = [
        ("12345678901234567", "12345678901234567"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807", "9223372036854775807"),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("-0", "0"),
        ("1.5", "1.5"),
        ("12345678901234567890", "1.2345678901234567e+19"),
        ("1e21", "1e+21"),
    ];
    for (input, expected) in cases {
        assert_eq!(value(input).to_string(), expected, "{input}");
    }
    let mut object = json!({"a": [1.0, 2.5, u64::MAX, "1.0"]});
    normalize_numbers(&mut object);
    assert_eq!(object, json!({"a": [1, 2.5, 1.844_674_407_370_955_2e19, "1.0"]}));
}

#[test]
fn what_is_not_json_is_refused() {
    for bad in ["", "{", "{}x", "NaN", "1e400", "[1,]", "{'a':1}", "\"\\ud800\"", "01", "nul"] {
        assert!(decode(bad.as_bytes()).is_err(), "{bad}");
    }
    assert!(decode(b"\"\xff\"").is_err());
    assert!(decode(b"{}x").unwrap_err().to_string().starts_with("trailing characters"));
}

#[test]
fn nesting_is_bounded_and_fits_a_small_stack() {
    let nested = |depth: usize| {
        let half = depth / 2;
        format!("{}1{}", "[{\"a\":".repeat(half), "}]".repeat(half))
    };
    let run = move || {
        let deepest = decode(nested(MAX_DEPTH).as_bytes()).unwrap().value.to_string();
        let error = decode(nested(MAX_DEPTH + 2).as_bytes()).unwrap_err().to_string();
        (deepest == nested(MAX_DEPTH), error)
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(run).unwrap();
    let (kept, error) = thread.join().unwrap();
    assert!(kept);
    assert!(error.starts_with("exceeded max depth of 512"), "{error}");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no NaN", |f| f.is_finite()).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_written_reads_back(mut object in any_value()) {
        let decoded = decode(object.to_string().as_bytes()).unwrap();
        normalize_numbers(&mut object);
        prop_assert_eq!(decoded.value, object);
        prop_assert!(decoded.duplicates.is_empty());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn text_that_looks_like_json_never_panics(text in r#"[\[\]{}",:0-9a\\.e+\- ]{0,64}"#) {
        let _ = decode(text.as_bytes());
    }
}
