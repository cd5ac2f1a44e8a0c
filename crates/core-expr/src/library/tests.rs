//! Functions against answers from outside.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::{
    Answer, Answers, Failure, Host, Library, Promotion, Request, Scope, Template, Value, Variables,
};

fn texts<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn fetch(request: &Request) -> Answer {
    let bytes = |entries: BTreeMap<String, String>| {
        entries.into_iter().map(|(key, value)| (key, value.into_bytes())).collect()
    };
    match request {
        Request::Secret(name) if name == "token" => {
            Answer::Secret { labels: BTreeMap::new(), data: bytes(texts([("value", "s3cr3t")])) }
        }
        Request::SharedSecret(name) => Answer::Secret {
            labels: texts([("kargo.akuity.io/cred-type", name)]),
            data: bytes(texts([("k", "v")])),
        },
        Request::ConfigMap(_) => Answer::ConfigMap(Some(texts([("region", "eu")]))),
        Request::Freight(_) => Answer::Status(json!({"metadata": {"a": null, "b": 1}})),
        _ => Answer::Missing,
    }
}

/// Evaluates a template, fetching what it asks for; gives the value and what was asked.
fn evaluate(template: &str) -> (Result<Value, Failure>, Vec<Request>) {
    let template = Template::parse(template).unwrap();
    let variables = Variables::default();
    let mut answers = Answers::default();
    let mut asked = Vec::new();
    loop {
        let promotion =
            Promotion { requests: &[], freight: &[], step: "", steps: &[], answers: &answers };
        let scope =
            Scope::new(&variables, Timestamp::UNIX_EPOCH).with_host(Host::Promotion(&promotion));
        match template.evaluate(Library::STEP, &scope) {
            Err(Failure::Needs(request)) => {
                answers.insert(request.clone(), fetch(&request));
                asked.push(request);
            }
            result => return (result, asked),
        }
    }
}

fn json(template: &str) -> Json {
    evaluate(template).0.unwrap().to_json().unwrap()
}

#[test]
fn secrets_are_asked_for_once_and_taint() {
    let (value, asked) = evaluate("${{ secret('token').value }}-${{ secret('token').value }}");
    let value = value.unwrap();
    assert_eq!(asked, [Request::Secret("token".to_owned())]);
    assert!(value.is_tainted());
    let mut texts = Vec::new();
    value.collect_tainted(&mut texts);
    assert_eq!(texts, ["s3cr3t-s3cr3t"]);
    assert!(!evaluate("${{ configMap('x').region }}").0.unwrap().is_tainted());
}

#[test]
fn nothing_is_asked_for_in_a_branch_not_taken() {
    assert_eq!(evaluate("${{ false ? secret('token') : 1 }}").1, []);
}

#[test]
fn shared_secrets_must_be_generic() {
    assert_eq!(json("${{ sharedSecret('generic') }}"), json!({"k": "v"}));
    assert_eq!(json("${{ sharedSecret('git') }}"), json!({}));
    assert_eq!(json("${{ sharedConfigMap('none').x }}"), json!(""));
}

#[test]
fn notes_on_freight_may_be_null() {
    assert_eq!(json("${{ freightMetadata('f') }}"), json!({"a": null, "b": 1}));
    assert_eq!(json("${{ stageMetadata('s') }}"), json!(null));
    assert!(evaluate("${{ stageMetadata('') }}").0.is_err());
}

#[test]
fn str_keeps_text_as_it_is() {
    assert_eq!(json(r#"${{ str("1\n\"x\"") }}"#), json!("1\n\"x\""));
    assert_eq!(json("${{ str(42) }}"), json!("42"));
    assert_eq!(json(r#"${{ quote("a\nb") }}"#), json!("a\\nb"));
}

#[test]
fn libraries_differ_by_place() {
    let compiles = |template: &str, library| Template::parse(template).unwrap().check(library);
    assert!(compiles("${{ failure() == 1 }}", Library::STEP).is_err());
    assert!(compiles("${{ failure() == 1 }}", Library::VARIABLES).is_ok());
    assert!(compiles("${{ imageFrom('x').CreatedAt }}", Library::CRITERIA).is_ok());
    assert!(compiles("${{ imageFrom('x').CreatedAt }}", Library::STEP).is_err());
}
