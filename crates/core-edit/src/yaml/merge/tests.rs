use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(texts: &[&str], expected: &str) {
    assert_eq!(merge(texts).unwrap(), expected);
    assert_eq!(merge(&[expected]).unwrap(), expected, "as it is written");
}

#[test]
fn mappings_merge_lists_replace_and_null_removes() {
    check(&["a: {b: 1, c: 2}\nl: [1, 2]\n", "a: {c: 3}\nl:\n- 4\n"], "a: {b: 1, c: 3}\nl:\n- 4\n");
    check(&["a: 1\nb: 2\n", "a: null\n"], "b: 2\n");
    check(&["a: 1\n", "a: ~\n"], "{}\n");
    check(&["a:\n  b: 1\n", "a:\n  b:\n"], "a: {}\n");
    check(&["a: 1\na: 2\n", "a: null\n"], "{}\n");
    check(&["a: 1\n", "b: {c: null, d: 1}\n"], "a: 1\nb: {d: 1}\n");
    check(&["\"k 1\": 1\n", "k 1: 2\n"], "\"k 1\": 2\n");
    check(&["a: {b: 1}\n", "a: {$patch: delete}\n"], "{}\n");
    check(&["a: {b: 1}\n", "a: {$patch: replace, d: 3}\n"], "a: {d: 3}\n");
    check(&["", "# only\n", "~", "a: 1", "---\nb: 2\n---\nc: 3\n"], "a: 1\nb: 2\n");
    assert_eq!(merge(&["", "# c\n"]).unwrap(), "");
}

#[test]
fn what_is_written_has_one_form() {
    check(&["a:    1\nb:\n    c:   2\n    d:\n        -   x\n"], "a: 1\nb:\n  c: 2\n  d:\n  - x\n");
    check(
        &["a:\r\n  - b: 1\r\n    c: [1,2]\r\n  -\r\n    - x\r\n"],
        "a:\n- b: 1\n  c: [1, 2]\n- - x\n",
    );
    check(
        &["a: |\n     x\n\n       y\n\nb: >-\n   x\n   y\n\n\nc: !!str 1"],
        "a: |\n  x\n\n    y\n\nb: >-\n  x\n  y\n\nc: !!str 1\n",
    );
    check(&["a: \"x\n  y\"\nb: x\n  y\n"], "a: \"x y\"\nb: x y\n");
    check(&["a: {b: ,\n c: 1}\n"], "a: {b: null, c: 1}\n");
    check(&["a:\nb:\n-\n- 1\n"], "a:\nb:\n-\n- 1\n");
    check(&["- - |+\n    x\n\n  - 2\n"], "- - |+\n    x\n\n  - 2\n");
    check(&["a: |2\n    x\n"], "a: |2\n    x\n");
}

#[test]
fn comments_stay_with_their_entries() {
    check(
        &["# head\na: 1 # one\n\n# about b\n\nb: # list\n# first\n- x # item\n# foot\n"],
        "# head\na: 1 # one\n\n# about b\n\nb: # list\n# first\n- x # item\n# foot\n",
    );
    check(
        &["# head\na: 1 # line\n# foot\n", "# other\nb: 2 # l2\n"],
        "# head\na: 1 # line\n# foot\n\n# other\nb: 2 # l2\n",
    );
    check(&["a: 1 # old\nb: 1 # kept\n", "a: 2 # new\nb: 2\n"], "a: 2 # new\nb: 2 # kept\n");
    check(&["# gone\na: 1 # gone\nb: 2\n", "a: null\n"], "b: 2\n");
    check(
        &["a:\n    b: 1\n    # end of a\nc: 2\n", "a:\n  d: 1\n"],
        "a:\n  b: 1\n  # end of a\n\n  d: 1\nc: 2\n",
    );
    check(&["a: {b: 1, # one\n  c: 2}\n"], "a:\n  b: 1 # one\n  c: 2\n");
    check(&["a: | # text\n  x\n"], "a: | # text\n  x\n");
    check(&["- a:\n  # note\n- |-\n- b\n"], "- a:\n  # note\n- |-\n- b\n");
}

#[test]
fn anchors_stay_where_they_can() {
    check(
        &["a: &x\n  b: 1\nc:\n  <<: *x\n", "c:\n  b: 7\n"],
        "a: &x\n  b: 1\nc:\n  <<: *x\n  b: 7\n",
    );
    check(&["a: &x 1\nb: *x\n", "a: 2\n"], "a: &x 2\nb: *x\n");
    check(&["a: &x 1\nb: *x\n", "a: null\n"], "b: 1\n");
    check(&["a: &x {b: 1}\nc: *x\n", "c: {b: 2}\n"], "a: {b: 1}\nc: {b: 2}\n");
    check(&["a: 1\n", "b: &x [1]\nc: *x\n"], "a: 1\nb: [1]\nc: [1]\n");
}

#[test]
fn flow_style_ends_where_it_cannot_hold() {
    check(&["a: {b: 1}\n", "a:\n  c: x, y\n"], "a:\n  b: 1\n  c: x, y\n");
    check(&["a: {b: 1}\n", "a:\n  c: |\n    x\n"], "a:\n  b: 1\n  c: |\n    x\n");
    check(&["{}\n", "a: 1\n"], "a: 1\n");
    check(&["a: {b: 1}\n", "a:\n  c: 2 # two\n"], "a:\n  b: 1\n  c: 2 # two\n");
}

#[test]
fn what_does_not_fit_is_refused_and_named() {
    for (base, over) in [
        ("a: 1", "a: {b: 1}"),
        ("a: {b: 1}", "a: 1"),
        ("a: [1]", "a: {b: 1}"),
        ("- a", "b: 2"),
        ("a: 1", "scalar"),
        ("a: 1", "a: ["),
        ("a: 1", "? [x]\n: 1"),
    ] {
        assert_eq!(merge(&[base, over]).unwrap_err().index, 1, "{base} {over}");
    }
    assert_eq!(merge(&["a: [", "b: 1"]).unwrap_err().index, 0);
    let error = merge(&["a: {b: 1}", "a: {b: [1]}"]).unwrap_err();
    assert_eq!(error.to_string(), "a list cannot be merged over a scalar at \"a.b\"");
    let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned())
        .chain((1..9).map(|level| {
            let inner = format!("*a{}", level - 1);
            format!("a{level}: &a{level} [{}]\n", [inner.as_str(); 8].join(", "))
        }))
        .collect();
    assert_eq!(merge(&["a: 1", &bomb]).unwrap_err().cause, EditError::ExcessiveAliasing);
}

#[test]
fn a_text_that_keeps_its_empty_lines_gains_none() {
    for text in ["a: >+\n  text\n   \nb: 1\n", "a: >+\n  text\n   \n# note\nb: 1\n"] {
        assert_eq!(merge(&[text]).unwrap(), text);
    }
}

proptest! {
    #[test]
    fn a_document_means_the_same_after_it_was_written(text in yaml_text()) {
        let Ok(value) = crate::yaml::parse(&text) else { return Ok(()) };
        if let Ok(written) = merge(&[&text]) {
            let read = if written.is_empty() { serde_json::Value::Null } else {
                crate::yaml::parse(&written).map_err(|error| TestCaseError::fail(format!("{error}\n{text}\n=>\n{written}")))?
            };
            prop_assert_eq!(read, value, "{}\n=>\n{}", text, written);
            prop_assert_eq!(merge(&[&written]).unwrap(), written, "{}", text);
        }
    }

    #[test]
    fn arbitrary_texts_never_panic(base in "[-\\[\\]{}:,&*!|>'\"# \n\ra1~<?é]{0,32}", over in "[-\\[\\]{}:,&*!|>'\"# \n\ra1~<?é]{0,32}") {
        let _ = merge(&[base, over]);
    }
}

/// Lines that are often YAML together.
fn yaml_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "( ){0,4}(- ){0,2}[a-c]: ?(1|x y|'q'|\"d\"|\\[1, \\{a: 2\\}\\]|\\{b: 1\\}|&x 1|\\*x|!t v|~)?( # c)?",
        "( ){0,4}- ?(1|x|\\|-?|>)?( # c)?",
        "( ){0,4}[a-c]: (\\||>|\\|-|>\\+|\\|2)",
        "( ){0,6}(text|more text|# note)?",
    ];
    prop::collection::vec(line, 1..8).prop_map(|lines| lines.join("\n") + "\n")
}
