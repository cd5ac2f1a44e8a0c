//! What conditions may say, and what becomes of those that fail.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    super::access::{Answer, Question},
    *,
};

/// Allows what the ServiceAccount `ns/boss` asks, and whatever is about widgets.
struct Lenient;

impl Authorizer for Lenient {
    fn check(&self, question: &Question) -> Answer {
        let boss = question.service_account == Some(("ns".to_owned(), "boss".to_owned()));
        let allowed = boss || (question.resource == "widgets" && question.verb == "get");
        Answer { allowed, reason: if allowed { "because".into() } else { String::new() } }
    }

    fn request_resource(&self) -> Question {
        Question { resource: "widgets".into(), ..Question::default() }
    }
}

fn hold(sources: &[&str], object: &Value) -> Result<bool, String> {
    let conditions: Vec<Condition> =
        sources.iter().map(|source| Condition::compile(source).unwrap()).collect();
    let request = json!({
        "kind": {"group": "g", "version": "v1", "kind": "Widget"}, "operation": "CREATE",
        "userInfo": {"username": "u", "groups": ["a", "b"]}, "dryRun": false,
        "options": {"kind": "CreateOptions"},
    });
    let input = ConditionInput {
        object,
        old_object: &Value::Null,
        request: &request,
        authorizer: &Lenient,
    };
    Condition::all_hold(&conditions, input)
}

#[test]
fn conditions_read_the_object_the_request_and_its_author() {
    let object = json!({"metadata": {"name": "a"}, "spec": {"count": 3}});
    let holding = [
        "object.metadata.name == 'a'",
        "object.spec.count > 2",
        "oldObject == null && namespaceObject == null",
        "request.operation == 'CREATE' && request.kind.group == 'g'",
        "'b' in request.userInfo.groups",
        "!has(request.namespace)",
        "!request.dryRun",
        "request.options.kind == 'CreateOptions'",
        "!has(object.spec.other)",
    ];
    assert_eq!(hold(&holding, &object), Ok(true));
    assert_eq!(hold(&["object.spec.count > 5"], &object), Ok(false));
}

#[test]
fn permissions_can_be_asked_for() {
    let holding = [
        "authorizer.group('x').resource('widgets').namespace('n').name('o').check('get').allowed()",
        "!authorizer.group('').resource('secrets').subresource('s').check('get').allowed()",
        "authorizer.requestResource.check('get').reason() == 'because'",
        "authorizer.serviceAccount('ns', 'boss').path('/healthz').check('get').allowed()",
        "!authorizer.requestResource.labelSelector('a=b').check('list').errored()",
        "authorizer.requestResource.check('list').error() == ''",
    ];
    for condition in holding {
        assert_eq!(hold(&[condition], &Value::Null), Ok(true), "{condition}");
    }
    let empty = hold(&["authorizer.path('').check('get').allowed()"], &Value::Null);
    assert!(empty.unwrap_err().ends_with("path must not be empty"));
}

#[test]
fn a_false_condition_decides_and_errors_are_told_together() {
    let object = json!({"a": 1});
    let missing = "object.b == 1";
    assert_eq!(
        hold(&[missing], &object),
        Err("expression 'object.b == 1' resulted in error: no such key: b".to_owned())
    );
    assert_eq!(hold(&[missing, "object.a == 2"], &object), Ok(false));
    let both = hold(&[missing, "object.c == 1"], &object).unwrap_err();
    assert!(both.starts_with("[expression 'object.b == 1'") && both.ends_with("key: c]"), "{both}");
}

#[test]
fn work_is_bounded() {
    let list = json!({"items": vec![1; 3000]});
    let heavy = "object.items.all(x, object.items.all(y, x == y))";
    let problem = hold(&[heavy], &list).unwrap_err();
    assert!(problem.ends_with("actual cost limit exceeded"), "{problem}");
    assert_eq!(hold(&[heavy, heavy, heavy], &list), Err(SPENT.to_owned()));
    let asking = "authorizer.requestResource.check('get').allowed()";
    let problem = hold(&[&[asking; 3].join(" && ")], &list).unwrap_err();
    assert!(problem.ends_with("actual cost limit exceeded"), "{problem}");
}

#[test]
fn what_cannot_work_does_not_compile() {
    let problem = |source: &str| Condition::compile(source).unwrap_err();
    assert_eq!(
        problem("bogus"),
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'bogus' (in container '')\n | bogus\n | ^"
    );
    assert_eq!(problem("object.spec.on"), "must evaluate to bool but got dyn");
    assert_eq!(problem("request.name"), "must evaluate to bool but got string");
    assert!(problem("request.bogus == 1").contains("undefined field 'bogus'"));
    assert!(problem("authorizer.resource('x')").contains("no matching overload for 'resource'"));
    assert!(problem("authorizer.group('x').check('get').allowed()").contains("'check'"));
    for place in ["authorizer", "authorizer.serviceAccount('a', 'b')"] {
        let other = problem(&format!("{place}.other == 1"));
        assert!(other.contains("failed resolution of 'kubernetes.authorization.Authorizer'"));
    }
    assert!(
        Condition::compile("authorizer.serviceAccount('a', 'b').requestResource == 1").is_err()
    );
    assert!(problem("self == 1").contains("undeclared reference to 'self'"));
}

proptest! {
    #[test]
    fn no_source_panics(source in ".{0,60}") {
        let _ = Condition::compile(&source);
    }
}
