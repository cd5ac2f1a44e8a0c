use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{KeyPath, MAX_DEPTH, Scalar};

fn set(text: &str, key: &str, value: Value) -> Result<String, EditError> {
    let scalar = Scalar::of_update(key, &value, true)?;
    update(text, &[(KeyPath::parse(key)?, scalar)])
}

#[track_caller]
fn check(text: &str, key: &str, value: impl Into<Value>, expected: &str) {
    let value = value.into();
    let edited = set(text, key, value.clone()).unwrap();
    assert_eq!(edited, expected);
    assert_eq!(set(&edited, key, value).unwrap(), expected, "a second time");
}

#[test]
fn what_stands_around_a_scalar_stays() {
    check("a: 1   # why\nb: 2", "a", "x", "a: x   # why\nb: 2");
    check("a: {b: 1, c: [2 , 3]} # z\n", "a.c.1", "x", "a: {b: 1, c: [2 , x]} # z\n");
    check("s: &sc !t val # c\nt: *sc\n", "s", "new", "s: &sc !t new # c\nt: *sc\n");
    check("a: 1\r\nb: 2\r\n", "a", 3, "a: 3\r\nb: 2\r\n");
    check("日本: \"x\" # 漢字\n", "日本", "é", "日本: \"é\" # 漢字\n");
    check("\u{feff}a: 1\n", "a", "x", "\u{feff}a: x\n");
    check("a:\t1\n", "a", "x", "a:\tx\n");
    check("- a\n- b: 1\n", "1.b", false, "- a\n- b: false\n");
    check("{\"a\":1}", "a", "x", "{\"a\":x}");
    check("a: 1\n---\na: [\n", "a", 2, "a: 2\n---\na: [\n");
}

#[test]
fn places_without_a_value_are_filled() {
    check("empty:\nb: 1\n", "empty", "x", "empty: x\nb: 1\n");
    check("empty:   # c\n", "empty", "x", "empty: x   # c\n");
    check("a:", "a", Value::Null, "a: null");
    check("a: &x\nb: !t\n", "a", "v", "a: &x v\nb: !t\n");
    check("-\n- # c\n", "1", "x", "-\n- x # c\n");
    check("{a, b: , c: }", "a", 1, "{a: 1, b: , c: }");
    check("{a, b: , c: }", "b", 1, "{a, b: 1 , c: }");
    check("? k\n", "k", "v", "? k\n: v\n");
    check("? k # c\n:\nb: 1\n", "k", "v", "? k # c\n: v\nb: 1\n");
}

#[test]
fn scalars_of_several_lines_are_replaced_whole() {
    check("a: |\n  x\n  y\n\n\nb: 1\n", "a", "new", "a: new\n\n\nb: 1\n");
    check("a: !t |2- # why\n   x\n  y\nb: 1\n", "a", "v", "a: !t v # why\nb: 1\n");
    check("- >-\n  x\n- y\n", "0", 1, "- 1\n- y\n");
    check("a: |\r\n  x\r\nb: 1\r\n", "a", "v", "a: v\r\nb: 1\r\n");
    check("a: |\n  x", "a", "v", "a: v");
    check("a: |\nb: 1\n", "a", "v", "a: v\nb: 1\n");
    check("a: one\n  two\nb: x\n", "a", "v", "a: v\nb: x\n");
    check("a: \"one\n  two\" # c\nb: x\n", "a", "v", "a: \"v\" # c\nb: x\n");
    check("a:\n- |\n  x\n- 2\n", "a.0", "v", "a:\n- v\n- 2\n");
}

#[test]
fn a_text_of_several_lines_stays_one() {
    check("a: | # c\n  x\n\nb: 1\n", "a", "p\n\n q\n", "a: | # c\n  p\n\n   q\n\nb: 1\n");
    check("a: |+\n   x\n\nb: 1\n", "a", "p\nq", "a: |-\n   p\n   q\n\nb: 1\n");
    check("a: |\r\n  x\r\n", "a", "p\nq\n", "a: |\r\n  p\r\n  q\r\n");
    check("a: |\n  x", "a", "p\nq\n", r#"a: "p\nq\n""#);
    check("a: |\n  x\n", "a", " p\nq\n", "a: \" p\\nq\\n\"\n");
    check("a: |\n  x\n", "a", "p\nq\n\n", "a: \"p\\nq\\n\\n\"\n");
}

#[test]
fn a_text_that_is_there_already_is_not_rewritten() {
    for text in ["a: |\n  x\n", "a: \"\\x78\\n\"\n"] {
        assert_eq!(set(text, "a", json!("x\n")).unwrap(), text);
    }
    assert_eq!(set("a: yes\n", "a", json!("yes")).unwrap(), "a: \"yes\"\n");
}

#[test]
fn several_updates_apply_and_the_last_of_a_place_wins() {
    let text = "a: {b: 1, c: 2}\nd: |\n  x\n";
    let updates: Vec<_> = [("a.b", "x"), ("a.c", "u"), ("a.b", "z"), ("d", "w")]
        .map(|(key, value)| (KeyPath::parse(key).unwrap(), Scalar::Text(value.to_owned())))
        .into();
    assert_eq!(update(text, &updates).unwrap(), "a: {b: z, c: u}\nd: w\n");
}

#[test]
fn keys_that_lead_to_no_scalar_are_refused() {
    let text = "a: {b: 1}\nl: [1]\nx: &x 1\ny: *x\nm: {<<: {q: 1}}\n";
    for key in ["z", "a", "l", "a.b.c", "l.1", "l.-1", "l.x", "y", "y.z", "m.q", "A"] {
        let error = set(text, key, json!(1)).unwrap_err();
        assert!(error.to_string().contains(&format!("{key:?}")), "{error}");
    }
    for text in ["", "# c\n", "just text", "42", "\ta: 1", "a: \u{0}\n", "a: ["] {
        assert!(set(text, "a", json!(1)).is_err(), "{text:?}");
    }
    for value in [json!([1]), json!({"a": 1})] {
        assert!(set("a: 1", "a", value).is_err());
    }
}

#[test]
fn documents_are_read_as_kubernetes_tools_read_them() {
    let text = "n: 42\nm: {<<: [{a: 1}, {a: 2, b: 3}], b: 4}\nb: !!binary aGk=\n5: x\na: &a [1]\nc: *a\nd: 1\nd: 2\ne:\n";
    let expected = json!({
        "false": 42, "m": {"a": 1, "b": 4}, "b": "hi", "5": "x", "a": [1], "c": [1], "d": 2, "e": null
    });
    assert_eq!(parse(text).unwrap(), expected);
    assert_eq!(parse("m: {b: 4, <<: {b: 1}}").unwrap(), json!({"m": {"b": 4}}));
    assert_eq!(parse("# c\n").unwrap(), Value::Null);
    assert_eq!(parse("a: 1\n---\n[").unwrap(), json!({"a": 1}));
    for text in ["", "a: [", "? [x]\n: 1", "a: .inf", "a: &x [*x]", "a: *x", "a: {<<: 1}", "~: 1"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn size_depth_and_repetition_are_bounded() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(MAX_DEPTH)).is_ok());
    assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
    assert_eq!(parse(&" ".repeat(crate::MAX_BYTES + 1)), Err(EditError::TooLarge));
    let first = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    let laughs: String = std::iter::once(first)
        .chain((1..10).map(|level| {
            let inner = format!("*a{}", level - 1);
            format!("a{level}: &a{level} [{}]\n", [inner.as_str(); 9].join(", "))
        }))
        .collect();
    assert_eq!(parse(&laughs), Err(EditError::ExcessiveAliasing));
    assert!(set(&laughs, "a0.0", json!("x")).is_ok(), "an update expands nothing");
}

/// A document in block or flow style with the paths of its scalars.
fn any_document() -> impl Strategy<Value = (Value, String)> {
    let scalar = prop_oneof![
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        "[ -~é]{0,10}".prop_map(Value::from),
    ];
    let tree = scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from),
            prop::collection::btree_map("[a-e]{1,5}", inner, 1..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    let root = prop::collection::btree_map("[a-e]{1,5}", tree, 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<serde_json::Map<_, _>>()));
    (root, any::<u64>()).prop_map(|(value, seed)| {
        let mut text = String::new();
        render(&value, 0, &mut text, &mut Style(seed));
        (value, text)
    })
}

/// Choices of layout.
struct Style(u64);

impl Style {
    fn pick(&mut self, count: u64) -> u64 {
        let picked = self.0 % count;
        self.0 = self.0.rotate_right(3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        picked
    }
}

fn render(value: &Value, indent: usize, text: &mut String, style: &mut Style) {
    let comment = ["", " # note: [x", "   #", ""][usize::try_from(style.pick(4)).unwrap()];
    let margin = " ".repeat(indent);
    match value {
        Value::Object(members) if style.pick(3) > 0 || indent == 0 => {
            for (name, member) in members {
                text.extend([margin.as_str(), name, ":"]);
                render_member(member, indent, text, style);
            }
        }
        Value::Array(items) if style.pick(3) > 0 => {
            for item in items {
                text.extend([margin.as_str(), "-"]);
                render_member(item, indent, text, style);
            }
        }
        other => text.extend([margin.as_str(), &other.to_string(), comment, "\n"]),
    }
}

fn render_member(member: &Value, indent: usize, text: &mut String, style: &mut Style) {
    if member.is_object() || member.is_array() {
        let inner = indent + 1 + usize::try_from(style.pick(4)).unwrap();
        text.push('\n');
        render(member, inner, text, style);
    } else {
        text.push(' ');
        render(member, 0, text, style);
    }
}

fn scalar_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    let deeper =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, inner)| scalar_paths(inner, &deeper(name), paths));
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, inner)| scalar_paths(inner, &deeper(&index.to_string()), paths)),
        _ => paths.push(path.to_owned()),
    }
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        "[ -~\\n\\té😀:#'\"-]{0,12}".prop_map(Value::from),
        r"[-+]?(0[xob]?)?[0-9_.:eE-]{0,6}".prop_map(Value::from),
        "(yes|no|~|null|<<|=|2024-01-15|a: b|- x)".prop_map(Value::from),
    ]
}

proptest! {
    #[test]
    fn an_update_changes_that_value_and_no_other_byte(
        (document, text) in any_document(), pick in any::<prop::sample::Index>(), value in any_scalar()
    ) {
        prop_assert_eq!(parse(&text).unwrap(), document.clone(), "{}", text);
        let mut paths = Vec::new();
        scalar_paths(&document, "", &mut paths);
        let path = pick.get(&paths);
        let edited = set(&text, &path.replace('/', "."), value.clone()).unwrap();
        let mut expected = document;
        *expected.pointer_mut(&format!("/{path}")).unwrap() = value.clone();
        prop_assert_eq!(parse(&edited).unwrap(), expected, "{}\n{}", text, edited);
        let common = |left: &mut dyn Iterator<Item = (char, char)>| left.take_while(|(a, b)| a == b).count();
        let before = common(&mut text.chars().zip(edited.chars()));
        let after = common(&mut text.chars().rev().zip(edited.chars().rev()));
        let lines = text.chars().take(before).filter(|c| *c == '\n').count()
            + text.chars().rev().take(after).filter(|c| *c == '\n').count();
        prop_assert!(lines + 1 >= text.matches('\n').count(), "{}\n{}", text, edited);
        prop_assert_eq!(set(&edited, &path.replace('/', "."), value).unwrap(), edited);
    }

    #[test]
    fn lines_that_were_set_are_read_back(old in "[a-c \n]{0,8}", value in "[a-c \n\t:#-]{0,12}", indent in 1..4_usize) {
        let margin = " ".repeat(indent);
        let lines: String = old.lines().flat_map(|line| [margin.as_str(), line, "\n"]).collect();
        let text = format!("a: |{indent}\n{lines}b: 1\n");
        if let Ok(edited) = set(&text, "a", json!(value)) {
            prop_assert_eq!(parse(&edited).unwrap(), json!({"a": value, "b": 1}), "{}\n{}", text, edited);
            prop_assert_eq!(set(&edited, "a", json!(value)).unwrap(), edited);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[-\\[\\]{}:,&*!|>'\"#%@ \n\r\ta1~<?\\\\é]{0,48}", key in "[a1.]{1,4}") {
        let _ = parse(&text);
        if let Ok(edited) = set(&text, &key, json!("new value")) {
            let again = set(&edited, &key, json!("new value"));
            prop_assert_eq!(again.as_ref(), Ok(&edited), "{:?}", text);
        }
    }
}
