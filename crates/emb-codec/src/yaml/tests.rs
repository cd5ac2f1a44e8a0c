use proptest::prelude::*;
use serde_json::json;

use super::*;

fn value(text: &str) -> Value {
    decode(text.as_bytes()).unwrap().value
}

fn error(text: &str) -> String {
    decode(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn plain_scalars_mean_what_kubernetes_tools_read() {
    let cases = [
        ("yes", json!(true)),
        ("y", json!(true)),
        ("Off", json!(false)),
        ("tRUE", json!("tRUE")),
        ("", json!(null)),
        ("~", json!(null)),
        ("nULL", json!("nULL")),
        ("010", json!(8)),
        ("09", json!(9)),
        ("0o17", json!(15)),
        ("0o8", json!("0o8")),
        ("0x1F", json!(31)),
        ("-0x1", json!(-1)),
        ("0b11", json!(3)),
        ("-0b11", json!(-3)),
        ("0b2", json!("0b2")),
        ("0x", json!("0x")),
        ("1_000", json!(1000)),
        ("_1", json!("_1")),
        ("+5", json!(5)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("12345678901234567890", json!(12_345_678_901_234_567_890_f64)),
        ("123456789012345678901234567890", json!(1.234_567_890_123_456_8e29)),
        ("1e3", json!(1000)),
        (".5", json!(0.5)),
        ("1.", json!(1)),
        ("08.5", json!(8.5)),
        ("1e400", json!("1e400")),
        ("1e", json!("1e")),
        ("..5", json!("..5")),
        (".", json!(".")),
        ("+", json!("+")),
        ("2001-01-01", json!("2001-01-01")),
        ("12:30", json!("12:30")),
        ("'5'", json!("5")),
        ("!!str 5", json!("5")),
        ("!!int \"5\"", json!(5)),
        ("!!float 1", json!(1)),
        ("!!bool yes", json!(true)),
        ("!foo 5", json!("5")),
        ("!!binary aGk=", json!("hi")),
        ("|\n  x\n\n  y\n", json!("x\n\ny\n")),
    ];
    for (text, expected) in cases {
        assert_eq!(value(&format!("a: {text}")), json!({ "a": expected }), "{text}");
    }
}

#[test]
fn keys_become_text() {
    assert_eq!(
        value("1: a\n1.5: b\nyes: c\n'x y': d"),
        json!({"1": "a", "1.5": "b", "true": "c", "x y": "d"})
    );
    assert!(error("~: x").contains("invalid map key: null"));
    assert!(error("? [a]\n: b").contains("invalid map key"));
}

#[test]
fn repeated_keys_are_told_and_the_last_wins() {
    let decoded =
        decode(b"spec:\n  items:\n  - a: 1\n    a: 2\n  color: red\n  color: blue").unwrap();
    assert_eq!(decoded.value, json!({"spec": {"items": [{"a": 2}], "color": "blue"}}));
    assert_eq!(decoded.duplicates, ["spec.items[0].a", "spec.color"]);
}

#[test]
fn only_the_first_document_counts() {
    assert_eq!(value("a: 1\n---\nb: 2"), json!({"a": 1}));
    assert_eq!(value("# nothing"), json!(null));
    assert_eq!(value("---\n---\nb: 2"), json!(null));
    assert_eq!(value("\u{feff}a: 1"), json!({"a": 1}));
    assert_eq!(value(r#"{"a": [1, {"b": null}]}"#), json!({"a": [1, {"b": null}]}));
}

#[test]
fn aliases_repeat_and_merge_keys_merge() {
    assert_eq!(value("a: &x [1]\nb: *x"), json!({"a": [1], "b": [1]}));
    let merged = decode(b"x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}").unwrap();
    assert_eq!(merged.value, json!({"x": {"a": 1, "b": 2}, "z": {"a": 1, "b": 3}}));
    assert_eq!(merged.duplicates, [""; 0]);
    assert_eq!(value("z: {<<: [{a: 1}, {a: 2, b: 3}]}"), json!({"z": {"a": 1, "b": 3}}));
    assert!(error("z: {<<: 1}").contains("map merge requires"));
    assert!(error("a: &x [*x]").contains("contains itself"));
    assert!(decode(b"a: *x").is_err());
}

#[test]
fn aliases_cannot_grow_a_document_without_end() {
    let first = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    let laughs: String = std::iter::once(first)
        .chain((1..10).map(|level| {
            let inner = format!("*a{}", level - 1);
            format!("a{level}: &a{level} [{}]\n", [inner.as_str(); 9].join(", "))
        }))
        .collect();
    assert!(error(&laughs).contains("excessive aliasing"));
    let nested = format!("{}x{}", "&a [".repeat(300), "]".repeat(300));
    assert!(decode(nested.as_bytes()).is_ok());
    let big = format!("{}{}{}", "&a [".repeat(300), "x".repeat(100_000), "]".repeat(300));
    assert!(error(&big).contains("excessive aliasing"));
}

#[test]
fn nesting_is_bounded_also_through_aliases() {
    let flow = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let run = move || {
        assert!(decode(flow(512).as_bytes()).is_ok());
        assert!(decode(flow(513).as_bytes()).is_err());
        let twice = format!("a: &a {}\nb: {}*a{}", flow(300), "[".repeat(300), "]".repeat(300));
        assert!(error(&twice).contains("max depth"));
        encode(&value(&flow(512))).len()
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(run).unwrap();
    assert!(thread.join().unwrap() > 512);
}

#[test]
fn what_is_not_yaml_or_not_json_is_refused() {
    for bad in ["a: .inf", "a: !!int x", "a: [", "a: b: c", "a: 'x"] {
        assert!(error(bad).starts_with("error converting YAML to JSON: "), "{bad}");
    }
    assert!(decode(b"a: \xff").is_err());
}

#[test]
fn written_text_is_block_style_and_quoted_where_needed() {
    let object = json!({"a": ["yes", "010", "1e3", "null", "plain text"], "b": {}, "c": {"d": 1}});
    let text = encode(&object);
    assert!(text.contains("c:\n  d: 1"), "{text}");
    assert!(text.contains("- plain text\n"), "{text}");
    assert_eq!(value(&text), object);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(crate::json::from_float),
        "[ -~\\n\\té:#-]{0,12}".prop_map(Value::from),
        r"[-+]?(0[xob]?)?[0-9_.:eE]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[ -~\\né]{0,8}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_written_reads_back(object in any_value()) {
        let text = encode(&object);
        prop_assert_eq!(decode(text.as_bytes()).unwrap().value, object, "{}", text);
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[-\\[\\]{}:,&*!|>'\"#%@ \n\ta1~<?\\\\]{0,48}") {
        let _ = decode(text.as_bytes());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..128)) {
        let _ = decode(&bytes);
    }
}
