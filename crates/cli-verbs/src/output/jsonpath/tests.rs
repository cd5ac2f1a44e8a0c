//! Templates as people write them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn document() -> Value {
    json!({
        "kind": "List",
        "items": [
            { "metadata": { "name": "dev", "labels": { "a.b/c": "x" } }, "replicas": 1, "ok": true },
            { "metadata": { "name": "test" }, "replicas": 3 },
            { "metadata": { "name": "prod" }, "replicas": 10, "empty": null },
        ],
    })
}

fn rendered(template: &str) -> String {
    let parsed = match Template::parse(template) {
        Ok(parsed) => parsed,
        Err(error) => return format!("parse: {error}"),
    };
    let result = parsed.render(&document(), Missing::Allowed);
    result.unwrap_or_else(|error| format!("evaluate: {error}"))
}

#[test]
fn paths_find_what_kubectl_finds() {
    let cases = [
        ("{.kind}", "List"),
        ("{$.kind}", "List"),
        ("{.items[*].metadata.name}", "dev test prod"),
        ("{.items[0].metadata.name}", "dev"),
        ("{.items[-1:].metadata.name}", "prod"),
        ("{.items[-1].metadata.name}", "prod"),
        ("{.items[0:2].metadata.name}", "dev test"),
        ("{.items[::2].metadata.name}", "dev prod"),
        ("{.items[0,2].metadata.name}", "dev prod"),
        ("{.items[*]['metadata.name', 'replicas']}", "1 3 10"),
        ("{..name}", "dev test prod"),
        ("{.items[0].metadata.labels.a\\.b/c}", "x"),
        ("{.items[0].metadata.labels['a.b/c']}", "x"),
        ("{.items[?(@.metadata.name==\"test\")].replicas}", "3"),
        ("{.items[?(@.replicas>1)].metadata.name}", "test prod"),
        ("{.items[?(@.replicas <= 3)].metadata.name}", "dev test"),
        ("{.items[?(@.ok==true)].metadata.name}", "dev"),
        ("{.items[?(@.ok)].metadata.name}", "dev"),
        ("{.items[?(@.metadata.name!='dev')].metadata.name}", "test prod"),
        ("{range .items[*]}{.metadata.name}={.replicas}{\"\\n\"}{end}", "dev=1\ntest=3\nprod=10\n"),
        ("{.items[1]}", "{\"metadata\":{\"name\":\"test\"},\"replicas\":3}"),
        ("{.items[2].empty}", "<no value>"),
        ("{.nothing}", ""),
        ("plain", "plain"),
        ("{.kind} {'quoted'}", "List quoted"),
    ];
    for (template, text) in cases {
        assert_eq!(rendered(template), text, "{template}");
    }
}

#[test]
fn mistakes_are_told() {
    let cases = [
        ("{.kind", "parse: unclosed action"),
        ("{.items[0}", "parse: unterminated array"),
        ("{.items[x]}", "parse: invalid array index x"),
        ("{range .items[*]}{.a}", "parse: unclosed range"),
        ("{end}", "parse: not in range, nothing to end"),
        ("{foo}", "parse: unrecognized identifier foo"),
        ("{\"a}", "parse: unterminated quoted string"),
        ("{.items[?(@.a=1)]}", "parse: unrecognized filter: ="),
        ("{.items[9]}", "evaluate: array index out of bounds: index 9, length 3"),
        ("{.kind[0]}", "evaluate: the value is not an array or slice"),
    ];
    for (template, text) in cases {
        assert_eq!(rendered(template), text, "{template}");
    }
}

#[test]
fn a_missing_field_is_a_mistake_for_who_says_so() {
    let template = Template::parse("{.nothing}").unwrap();
    let error = template.render(&document(), Missing::Refused).unwrap_err();
    assert_eq!(error.to_string(), "nothing is not found");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\]().$@*?=<>!'\":,a-c0-3 \\\\-]{0,40}") {
        if let Ok(template) = Template::parse(&text) {
            let _ = template.render(&document(), Missing::Allowed);
        }
    }
}
