//! Templates and documents.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::*;
use crate::{Value, Variables};

fn variables() -> Variables {
    let secret = Value::text("s3cr3t").tainted();
    Variables::from_iter([("tag", Value::text("v1.2.3")), ("secret", secret)])
}

fn evaluate(template: &str) -> Result<Json, Failure> {
    let variables = variables();
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    let value = Template::parse(template)?.evaluate(Library::PLAIN, &scope)?;
    Ok(value.to_json().unwrap())
}

#[test]
fn text_around_expressions_is_kept() {
    for (template, want) in [
        ("plain 42", json!("plain 42")),
        ("42", json!("42")),
        ("${{ tag }}", json!("v1.2.3")),
        ("a-${{ missing }}-b", json!("a-null-b")),
        ("${{ 1 }}2", json!(12)),
        ("${% {'a': {'b': 1}}.a.b %}", json!(1)),
        ("${{ quote(42) }}\n", json!("42\n")),
        ("x${{ ['<'] }}", json!("x[\"\\u003c\"]")),
        ("${{ '1' }}.${% '2' %}", json!(1.2)),
        ("héllo ${{ 'wörld' }}", json!("héllo wörld")),
    ] {
        assert_eq!(evaluate(template).unwrap(), want, "{template}");
    }
}

#[test]
fn where_only_text_fits_nothing_is_taken_for_anything_else() {
    let variables = variables();
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    for (template, want) in [
        ("${{ '1.10' }}", json!("1.10")),
        ("${{ 1 == 1 }}", json!("true")),
        ("${{ quote(42) }}", json!("42")),
        ("[${{ 1 }}]", json!("[1]")),
        ("${{ nil }}", json!(null)),
    ] {
        let template = Template::parse(template).unwrap();
        let value = template.evaluate_text(Library::PLAIN, &scope).unwrap();
        assert_eq!(value.to_json().unwrap(), want, "{template:?}");
    }
}

#[test]
fn errors_point_into_the_template() {
    let error = |template: &str| match evaluate(template) {
        Err(Failure::Invalid(error)) => (error.kind, error.range),
        other => panic!("{template}: {other:?}"),
    };
    assert_eq!(error("ab ${{ 1 + }}"), (ErrorKind::Compile, 11..11));
    assert_eq!(error("ab ${{ 'a'.x }}"), (ErrorKind::Compile, 11..12));
    assert_eq!(error("ab ${{ 1"), (ErrorKind::Unclosed, 3..8));
    assert_eq!(error("a${{}}b"), (ErrorKind::Compile, 1..6));
    assert_eq!(error("${{ 0 / 0 }}"), (ErrorKind::Run, 3..10));
}

#[test]
fn documents_keep_their_keys_and_their_taint() {
    let variables = variables();
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    let evaluate = |source| evaluate_document(source, Library::PLAIN, &scope);
    let source = r#"{"${{ tag }}": ["${{ 1 }}", "x-${{ secret }}", 2.0], "a": "<"}"#;
    let document = evaluate(source).unwrap();
    assert_eq!(document.text, r#"{"${{ tag }}":[1,"x-s3cr3t",2],"a":"\u003c"}"#);
    assert_eq!(document.tainted_texts(), ["x-s3cr3t"]);
    assert_eq!(document.to_json()["${{ tag }}"][2], json!(2));
    for source in ["[]", "1", "", "{", r#"{"a": "${{ 1 + }}"}"#] {
        assert!(evaluate(source).is_err(), "{source}");
    }
    let Err(Failure::Invalid(error)) = evaluate(r#"{"a": [1, {"b": "x ${{ tag.y }}"}]}"#) else {
        panic!("should fail")
    };
    assert_eq!(error.message, "a.1.b: cannot fetch y from string");
    assert_eq!(error.range, 10..11);
    let reserved = variables.with("quote", Value::NIL);
    let scope = Scope::new(&reserved, Timestamp::UNIX_EPOCH);
    assert!(evaluate_document("{}", Library::PLAIN, &scope).is_err());
}

#[test]
fn where_only_text_fits_a_template_makes_text() {
    let variables = variables();
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    let source = r#"{"t": ["${{ '1.20' }}", "${{ quote(42) }}", "${{ nil }}", "${{ {a: 1} }}"],
        "n": "${{ '1.20' }}"}"#;
    let wants_text = |place: &[String]| place.first().is_some_and(|name| name == "t");
    let document = evaluate_typed_document(source, Library::PLAIN, &scope, &wants_text).unwrap();
    let want = json!({"t": ["1.20", "42", null, "{\"a\":1}"], "n": 1.2});
    assert_eq!(document.to_json(), want);
}
