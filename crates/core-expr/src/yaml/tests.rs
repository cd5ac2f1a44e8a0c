//! Texts and collections as upstream's encoder writes them.

use super::*;
use crate::json;

fn yaml(json: &str) -> String {
    write(&json::read(json.as_bytes()).unwrap()).unwrap()
}

#[test]
fn collections_are_indented_by_four() {
    let cases = [
        (
            r#"{"b":1,"a":{"x":[1,2,{"y":"z"}]}}"#,
            "a:\n    x:\n        - 1\n        - 2\n        - \"y\": z\nb: 1\n",
        ),
        (r#"[1,"two",true,null,1.5]"#, "- 1\n- two\n- true\n- null\n- 1.5\n"),
        ("[[1,2],[3]]", "- - 1\n  - 2\n- - 3\n"),
        (r#"[{"a":1,"b":{"c":2}}]"#, "- a: 1\n  b:\n    c: 2\n"),
        (
            r#"{"v":["A",1,{"B":[2,3]}]}"#,
            "v:\n    - A\n    - 1\n    - B:\n        - 2\n        - 3\n",
        ),
        (r#"{"a":[],"b":{}}"#, "a: []\nb: {}\n"),
        ("{}", "{}\n"),
        ("[]", "[]\n"),
    ];
    for (input, want) in cases {
        assert_eq!(yaml(input), want, "{input}");
    }
}

#[test]
fn texts_that_could_be_mistaken_are_quoted() {
    for plain in [
        "foo", "a b", "a:b", "-a", "1.2.3", "v1", "a#b", "http://x", "é", "0x", "1e", "a'b", "=",
        "?x",
    ] {
        assert_eq!(yaml(&format!("\"{plain}\"")), format!("{plain}\n"));
    }
    for quoted in [
        "123",
        "1.5",
        "true",
        "Yes",
        "null",
        "~",
        "",
        "1_000",
        "0x1F",
        "1e5",
        "12:30",
        "2024-01-15",
        ".inf",
        "y",
        "0o7",
        "<<",
    ] {
        assert_eq!(yaml(&format!("\"{quoted}\"")), format!("\"{quoted}\"\n"));
    }
    for single in
        ["a: b", "- a", "#x", "@x", " a", "a ", "a #b", "{x", "*x", "!x", "%x", "? x", "---", ": x"]
    {
        assert_eq!(yaml(&format!("\"{single}\"")), format!("'{single}'\n"));
    }
    assert_eq!(yaml(r#""a\tb""#), "\"a\\tb\"\n");
    assert_eq!(yaml(r#""\u0001""#), "\"\\x01\"\n");
}

#[test]
fn lines_become_a_block() {
    assert_eq!(yaml(r#""multi\nline""#), "|-\n    multi\n    line\n");
    assert_eq!(yaml(r#"{"a":"x\ny\n"}"#), "a: |\n    x\n    y\n");
    assert_eq!(yaml(r#"["x\ny"]"#), "- |-\n  x\n  y\n");
    assert_eq!(yaml(r#""x\n\n""#), "|+\n    x\n\n");
    assert_eq!(yaml(r#""x \ny""#), "\"x \\ny\"\n");
    assert_eq!(yaml(r#"{"a\nb":1}"#), "? |-\n    a\n    b\n: 1\n");
}
