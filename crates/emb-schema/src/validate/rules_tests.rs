use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use crate::{Budget, Schema};

fn compile(spec: Value) -> Schema {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    Schema::compile(&schema, &FieldPath::root()).unwrap().0
}

fn told(schema: &Schema, new: Value, old: Option<Value>) -> Vec<String> {
    let old = old.map(|old| json!({ "spec": old }));
    schema
        .validate(&json!({ "spec": new }), old.as_ref(), Budget::default())
        .iter()
        .map(FieldError::to_string)
        .collect()
}

fn rules_schema() -> Schema {
    compile(json!({
        "type": "object",
        "x-kubernetes-validations": [
            {"rule": "!has(self.min) || !has(self.max) || self.min <= self.max", "message": "min must be at most max"},
        ],
        "properties": {
            "min": {"type": "integer"},
            "max": {"type": "integer"},
            "imm": {"type": "string", "x-kubernetes-validations": [
                {"rule": "self == oldSelf", "message": "imm is immutable"}]},
            "plain": {"type": "string", "x-kubernetes-validations": [{"rule": "self == 'a'"}]},
            "e": {"type": "string", "x-kubernetes-validations": [
                {"rule": "self != 'bad'", "message": "e bad", "reason": "FieldValueForbidden"}]},
            "f": {"type": "object", "properties": {"g": {"type": "string"}}, "x-kubernetes-validations": [
                {"rule": "self.g.startsWith('x')", "message": "g must start with x", "fieldPath": ".g"}]},
            "m": {"type": "integer", "x-kubernetes-validations": [
                {"rule": "self < 3", "messageExpression": "'too big: ' + string(self)"}]},
            "req": {"type": "string", "enum": ["a"]},
        },
    }))
}

#[test]
fn a_broken_rule_has_the_words_of_the_api() {
    let schema = rules_schema();
    for (new, expected) in [
        (json!({"min": 3, "max": 1}), "spec: Invalid value: min must be at most max"),
        (json!({"plain": "b"}), r#"spec.plain: Invalid value: "b": failed rule: self == 'a'"#),
        (json!({"e": "bad"}), "spec.e: Forbidden: e bad"),
        (json!({"f": {"g": "y"}}), "spec.f.g: Invalid value: g must start with x"),
        (
            json!({"f": {}}),
            r#"spec.f: Invalid value: "object": no such key: g evaluating rule: g must start with x"#,
        ),
        (json!({"m": 7}), "spec.m: Invalid value: 7: too big: 7"),
    ] {
        assert_eq!(told(&schema, new, None), [expected]);
    }
    assert_eq!(told(&schema, json!({"min": 1, "max": 3, "plain": "a", "m": 1}), None), [""; 0]);
}

#[test]
fn a_transition_rule_needs_an_old_value() {
    let schema = rules_schema();
    let imm = |text: &str| json!({ "imm": text });
    assert_eq!(told(&schema, imm("y"), None), [""; 0]);
    assert_eq!(told(&schema, imm("y"), Some(json!({}))), [""; 0]);
    assert_eq!(told(&schema, json!({}), Some(imm("x"))), [""; 0]);
    assert_eq!(
        told(&schema, imm("y"), Some(imm("x"))),
        [r#"spec.imm: Invalid value: "y": imm is immutable"#]
    );
}

#[test]
fn unchanged_values_keep_breaking_rules() {
    let schema = rules_schema();
    let old = json!({"plain": "b", "m": 9});
    assert_eq!(told(&schema, json!({"plain": "b", "m": 9, "e": "x"}), Some(old.clone())), [""; 0]);
    assert_eq!(told(&schema, json!({"plain": "c", "m": 9}), Some(old)).len(), 1);
}

#[test]
fn rules_do_not_run_on_values_of_the_wrong_shape() {
    let schema = rules_schema();
    assert_eq!(
        told(&schema, json!({"req": "b", "plain": "b"}), None),
        [
            r#"spec.req: Unsupported value: "b": supported values: "a""#,
            "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        ]
    );
}

#[test]
fn items_of_map_lists_have_old_values_and_others_have_none() {
    let item = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"},
        "size": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}}});
    let schema = compile(json!({"type": "object", "properties": {"list": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": item}}}));
    let list = |size: i64| json!({"list": [{"name": "n", "size": 0}, {"name": "a", "size": size}]});
    assert_eq!(told(&schema, list(2), Some(list(1))), [""; 0]);
    assert_eq!(
        told(&schema, list(1), Some(list(2))),
        ["spec.list[1].size: Invalid value: 1: failed rule: self >= oldSelf"]
    );
    let atomic =
        json!({"type": "object", "properties": {"list": {"type": "array", "items": item}}});
    let errors = Schema::compile(&atomic, &FieldPath::new("s")).unwrap_err();
    assert!(
        errors[0].to_string().ends_with(
            "oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[list]"
        ),
        "{}",
        errors[0]
    );
}

#[test]
fn an_optional_old_self_runs_on_create() {
    let schema = compile(json!({"type": "string", "x-kubernetes-validations": [{
        "rule": "oldSelf.hasValue() || self == 'first'", "optionalOldSelf": true}]}));
    assert_eq!(told(&schema, json!("first"), None), [""; 0]);
    assert_eq!(told(&schema, json!("other"), None).len(), 1);
    assert_eq!(told(&schema, json!("other"), Some(json!("first"))), [""; 0]);
}

#[test]
fn rules_see_the_envelope_of_the_object() {
    let schema = Schema::compile(
        &json!({"type": "object", "x-kubernetes-validations": [{
            "rule": "self.metadata.name.size() < 4 && self.kind == 'A'", "message": "bad name"}]}),
        &FieldPath::root(),
    )
    .unwrap()
    .0;
    let errors = |name: &str| {
        let object = json!({"kind": "A", "apiVersion": "v1", "metadata": {"name": name}});
        schema.validate(&object, None, Budget::default()).len()
    };
    assert_eq!((errors("abc"), errors("abcd")), (0, 1));
}

#[test]
fn a_rule_that_does_not_compile_is_told_at_its_place() {
    for (rule, expected) in [
        (
            "self.bogus == 'a'",
            "compilation failed: ERROR: <input>:1:5: undefined field 'bogus'\n | self.bogus == 'a'\n | ....^",
        ),
        (
            "nothing",
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')\n | nothing\n | ^",
        ),
        ("self.a", "cel expression must evaluate to a bool"),
        (
            "self.a ==",
            "compilation failed: ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>'\n | self.a ==\n | .........^",
        ),
    ] {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}},
            "x-kubernetes-validations": [{"rule": rule}]});
        let errors = Schema::compile(&schema, &FieldPath::new("s")).unwrap_err();
        assert_eq!(errors[0].field, "s.x-kubernetes-validations[0].rule");
        let shown = format!(
            r#"{{"Rule":{},"Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}}"#,
            json!(rule)
        );
        assert_eq!(errors[0].message, format!("Invalid value: {shown}: {expected}"));
    }
}

#[test]
fn a_rule_that_works_too_much_is_stopped() {
    let schema = compile(json!({"type": "object", "properties": {"l": {
        "type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [
            {"rule": "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"},
            {"rule": "self.size() >= 0"}]}}}));
    let errors = told(&schema, json!({"l": vec![1; 500]}), None);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains("call cost exceeds limit"), "{}", errors[0]);
    let tight = Budget { object: 10, rule: 1000 };
    let object = json!({"spec": {"l": vec![1; 50]}});
    let errors = schema.validate(&object, None, tight);
    assert!(errors[0].message.contains("running out of cost budget"), "{}", errors[0]);
}
