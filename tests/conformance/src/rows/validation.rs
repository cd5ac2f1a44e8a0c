//! Schemas on write: unknown fields, mistakes, nulls, open-ended fields and numbers (rows 74 to 79).

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    cases::Cases,
    expect::{at, equal},
    namespace::{Namespace, config_map, widget, widget_with},
    world::World,
};

/// What kube-apiserver adds when the mistakes are such that it did not look at the rules.
const NOT_CHECKED: (&str, &str, &str) = (
    "<nil>",
    "FieldValueInvalid",
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing \
     errors to complete validation",
);

pub(crate) async fn unknown_fields(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut object =
        widget_with("a", json!({"color": "red", "bogus": 1, "sub": {"zz": 1, "a": "x"}}));
    object["metadata"]["foo"] = json!("x");
    object["top"] = json!(1);
    let unknown = ["metadata.foo", "spec.bogus", "spec.sub.zz", "top"]
        .map(|field| format!("unknown field \"{field}\""));
    let post = async |query: &str| world.post(&dry(&namespace, query), &object).await;
    for query in ["", "&fieldValidation=Warn"] {
        let reply = post(query).await?;
        at(
            &reply.is(201)?,
            "/spec",
            json!({"color": "red", "size": "medium", "sub": {"a": "x", "depth": 3}}),
        )?;
        let mut warnings = reply.warnings();
        warnings.sort();
        equal("warnings", &warnings, &unknown.to_vec())?;
    }
    let ignoring = post("&fieldValidation=Ignore").await?;
    ignoring.is(201)?;
    equal("warnings", &ignoring.warnings(), &vec![])?;
    let message = format!(
        "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: {}",
        unknown.join(", ")
    );
    post("&fieldValidation=Strict").await?.fails_saying(400, "BadRequest", &message)?;
    post("&fieldValidation=Foo").await?.invalid(&[(
        "fieldValidation",
        "FieldValueNotSupported",
        "Unsupported value: \"Foo\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
    )])?;
    duplicate_fields(world, &namespace).await?;
    unknown_fields_in_changes(world, &namespace).await?;
    unknown_fields_of_built_ins(world, &namespace).await
}

async fn duplicate_fields(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let body = r#"{"apiVersion":"conf.example.com/v1","kind":"Widget","metadata":{"name":"a"},
        "spec":{"color":"red","color":"blue"}}"#;
    let post =
        async |query: &str| world.post_as(&dry(namespace, query), "application/json", body).await;
    let reply = post("").await?;
    at(&reply.is(201)?, "/spec/color", "blue")?;
    equal("warnings", &reply.warnings(), &vec!["duplicate field \"spec.color\"".to_owned()])?;
    let ignoring = post("&fieldValidation=Ignore").await?;
    at(&ignoring.is(201)?, "/spec/color", "blue")?;
    equal("warnings", &ignoring.warnings(), &vec![])?;
    let message = "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: duplicate field \
                   \"spec.color\"";
    post("&fieldValidation=Strict").await?.fails_saying(400, "BadRequest", message).map(drop)
}

async fn unknown_fields_in_changes(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let mut object = world.create(&namespace.widgets(), &widget("changed")).await?;
    let path = namespace.widget("changed");
    let strict = format!("{path}?fieldValidation=Strict");
    let warning = vec!["unknown field \"spec.bogus\"".to_owned()];
    let patch = json!({"spec": {"bogus": 1}});
    let patched = world.merge(&path, &patch).await?;
    at(&patched.is(200)?, "/spec/bogus", Value::Null)?;
    equal("warnings of PATCH", &patched.warnings(), &warning)?;
    let refused = world.merge(&strict, &patch).await?.fails_with(
        422,
        "Invalid",
        "strict decoding error: unknown field \"spec.bogus\"",
    )?;
    at(&refused, "/details/causes/0/field", "patch")?;
    object["spec"]["bogus"] = json!(1);
    let put = world.put(&path, &object).await?;
    put.is(200)?;
    equal("warnings of PUT", &put.warnings(), &warning)?;
    let message = "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \
                   \"spec.bogus\"";
    world.put(&strict, &object).await?.fails_saying(400, "BadRequest", message).map(drop)
}

async fn unknown_fields_of_built_ins(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let path = format!("{}?dryRun=All", namespace.core("configmaps"));
    let mut object = config_map("a", json!({"key": "value"}));
    object["bogus"] = json!(1);
    let reply = world.post(&path, &object).await?;
    reply.is(201)?;
    equal("warnings", &reply.warnings(), &vec!["unknown field \"bogus\"".to_owned()])?;
    let message = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \
                   \"bogus\"";
    let strict = format!("{path}&fieldValidation=Strict");
    world.post(&strict, &object).await?.fails_saying(400, "BadRequest", message)?;
    let twice = r#"{"metadata":{"name":"a"},"data":{"key":"x","key":"y"}}"#;
    let reply = world.post_as(&path, "application/json", twice).await?;
    at(&reply.is(201)?, "/data/key", "y")?;
    equal("warnings", &reply.warnings(), &vec!["duplicate field \"data.key\"".to_owned()])
}

/// A mistake in one field of `spec`: the field's value, where it is found, why, and whether rules were still checked.
type Mistake = (Value, &'static str, &'static str, &'static str, bool);

#[rustfmt::skip]
fn mistakes_of_type() -> Vec<Mistake> {
    let wrong = |spec, field, message| (spec, field, "FieldValueTypeInvalid", message, false);
    vec![
        wrong(json!({"count": "x"}), "spec.count", r#"Invalid value: "string": spec.count in body must be of type integer: "string""#),
        wrong(json!({"on": "yes"}), "spec.on", r#"Invalid value: "string": spec.on in body must be of type boolean: "string""#),
        wrong(json!({"tags": "x"}), "spec.tags", r#"Invalid value: "string": spec.tags in body must be of type array: "string""#),
        wrong(json!({"tags": ["a", null]}), "spec.tags[1]", r#"Invalid value: "null": spec.tags[1] in body must be of type string: "null""#),
        wrong(json!({"free": "x"}), "spec.free", r#"Invalid value: "string": spec.free in body must be of type object: "string""#),
        wrong(json!({"labels": {"a": 1}}), "spec.labels.a", r#"Invalid value: "integer": spec.labels.a in body must be of type string: "integer""#),
        wrong(json!({"port": 1.5}), "spec.port", r#"Invalid value: "number": spec.port in body must be of type integer,string: "number""#),
        wrong(json!({"port": true}), "spec.port", r#"Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean""#),
        wrong(json!({"when": "x"}), "spec.when", r#"Invalid value: "x": spec.when in body must be of type date-time: "x""#),
        wrong(json!({"every": "x"}), "spec.every", r#"Invalid value: "x": spec.every in body must be of type duration: "x""#),
    ]
}

#[rustfmt::skip]
fn mistakes_of_value() -> Vec<Mistake> {
    vec![
        (json!({"color": null}), "spec.color", "FieldValueRequired", "Required value", false),
        (json!({"items": [{"value": "x"}]}), "spec.items[0].name", "FieldValueRequired", "Required value", false),
        (json!({"color": "pink"}), "spec.color", "FieldValueNotSupported",
            r#"Unsupported value: "pink": supported values: "red", "green", "blue""#, false),
        (json!({"count": 101}), "spec.count", "FieldValueInvalid",
            "Invalid value: 101: spec.count in body should be less than or equal to 100", true),
        (json!({"count": -1}), "spec.count", "FieldValueInvalid",
            "Invalid value: -1: spec.count in body should be greater than or equal to 0", true),
        (json!({"note": "ABC"}), "spec.note", "FieldValueInvalid",
            r#"Invalid value: "ABC": spec.note in body should match '^[a-z]+$'"#, true),
        (json!({"note": "a"}), "spec.note", "FieldValueInvalid",
            r#"Invalid value: "a": spec.note in body should be at least 2 chars long"#, true),
        (json!({"note": "abcdefghijk"}), "spec.note", "FieldValueTooLong",
            "Too long: may not be more than 10 bytes", false),
        (json!({"items": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]}), "spec.items",
            "FieldValueTooMany", "Too many: 4: must have at most 3 items", false),
    ]
}

pub(crate) async fn schema_errors(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut cases = Cases::default();
    for (spec, field, reason, message, rules_checked) in
        mistakes_of_type().into_iter().chain(mistakes_of_value())
    {
        let mut causes = vec![(field, reason, message)];
        causes.extend((!rules_checked).then_some(NOT_CHECKED));
        cases.note(&spec, post_red(world, &namespace, &spec).await?.invalid(&causes));
    }
    let embedded = post_red(world, &namespace, &json!({"embedded": {}})).await?;
    let required = |field| (field, "FieldValueRequired", "Required value");
    cases.note(
        "embedded",
        embedded.invalid(&[
            required("spec.embedded.apiVersion"),
            required("spec.embedded.kind"),
            NOT_CHECKED,
        ]),
    );
    let fraction = post_red(world, &namespace, &json!({"count": 5.5})).await?;
    cases.note(
        "fraction",
        fraction.fails_with(422, "Invalid", "spec.count in body must be of type integer"),
    );
    cases.note("text of one", one_mistake(world, &namespace).await);
    cases.note("text of many", many_mistakes(world, &namespace).await);
    cases.finish()
}

async fn one_mistake(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let status = post_red(world, namespace, &json!({"count": 101})).await?.fails_saying(
        422,
        "Invalid",
        "Widget.conf.example.com \"a\" is invalid: spec.count: Invalid value: 101: spec.count in body should be less \
         than or equal to 100",
    )?;
    at(&status, "/details/kind", "Widget")?;
    at(&status, "/details/group", "conf.example.com")?;
    at(&status, "/details/name", "a")
}

/// The order of several is not promised.
async fn many_mistakes(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let reply =
        post_red(world, namespace, &json!({"color": "pink", "count": 101, "note": "a"})).await?;
    let status = reply.fails_with(422, "Invalid", "Widget.conf.example.com \"a\" is invalid: [")?;
    let causes = status["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut fields: Vec<_> = causes.iter().filter_map(|cause| cause["field"].as_str()).collect();
    equal("last", &fields.last().copied(), &Some("<nil>"))?;
    fields.sort_unstable();
    equal("fields", &fields, &vec!["<nil>", "spec.color", "spec.count", "spec.note"])
}

pub(crate) async fn duplicates(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut cases = Cases::default();
    for (spec, field, message) in [
        (json!({"tags": ["a", "a"]}), "spec.tags[1]", r#"Duplicate value: "a""#),
        (
            json!({"items": [{"name": "a"}, {"name": "a", "value": "x"}]}),
            "spec.items[1]",
            r#"Duplicate value: {"name":"a"}"#,
        ),
    ] {
        let reply = post_red(world, &namespace, &spec).await?;
        cases.note(&spec, reply.invalid(&[(field, "FieldValueDuplicate", message)]));
    }
    let atomic = post_red(world, &namespace, &json!({"path": ["a", "a"]})).await?;
    cases.note("atomic", atomic.is(201));
    cases.finish()
}

pub(crate) async fn nulls(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let spec = json!({"size": null, "plain": null, "maybe": null, "tags": null, "labels": null, "any": null,
        "sub": {"a": null, "depth": null}});
    let created = post_red(world, &namespace, &spec).await?.is(201)?;
    let want = json!({"color": "red", "size": "medium", "maybe": null, "sub": {"depth": 3}});
    equal("spec", &created["spec"], &want)?;
    let without_parent = post_red(world, &namespace, &json!({"sub": null})).await?.is(201)?;
    equal("spec", &without_parent["spec"], &json!({"color": "red", "size": "medium"}))?;
    let mut bare = widget("a");
    if let Some(fields) = bare.as_object_mut() {
        fields.remove("spec");
    }
    let bare = world.post(&dry(&namespace, ""), &bare).await?.is(201)?;
    ensure!(bare.get("spec").is_none(), "no spec, no defaults of spec: got {bare}");
    Ok(())
}

pub(crate) async fn open_ended_fields(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let spec = json!({"color": "red", "size": "medium",
        "any": [1, {"a": null, "b": [null, true, 1.5, "x", {"c": {}}]}],
        "free": {"x": null, "y": {"z": null}, "list": [null, 1, [], {}], "text": "<&>", "on": false},
        "labels": {}, "tags": [],
        "embedded": {"apiVersion": "v1", "kind": "Any", "metadata": {"name": "e", "labels": {"a": "b"}}, "z": null}});
    world.create(&namespace.widgets(), &widget_with("a", spec.clone())).await?;
    equal("spec", &world.read(&namespace.widget("a")).await?["spec"], &spec)?;
    let scalar =
        world.merge(&namespace.widget("a"), &json!({"spec": {"any": "text"}})).await?.is(200)?;
    at(&scalar, "/spec/any", "text")
}

pub(crate) async fn numbers(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let numbers = [
        ("whole", "1.0", "1"),
        ("exponent", "1e3", "1000"),
        ("exact", "12345678901234567", "12345678901234567"),
        ("least", "-9223372036854775808", "-9223372036854775808"),
        ("greatest", "9223372036854775807", "9223372036854775807"),
        ("beyond", "12345678901234567890", "12345678901234567000"),
        ("far", "100000000000000000000", "100000000000000000000"),
        ("huge", "1e21", "1e+21"),
        ("tiny", "1.5e-7", "1.5e-7"),
        ("fraction", "0.30000000000000004", "0.30000000000000004"),
        ("negative", "-0.0", "0"),
    ];
    let any: Vec<_> = numbers.iter().map(|(name, sent, _)| format!("\"{name}\":{sent}")).collect();
    let body = |any: &str| {
        format!(
            r#"{{"apiVersion":"conf.example.com/v1","kind":"Widget","metadata":{{"name":"a"}},
            "spec":{{"color":"red","big":12345678901234567,"count":5.0,"ratio":0.1,"any":{{{any}}}}}}}"#
        )
    };
    let path = namespace.widgets();
    world.post_as(&path, "application/json", body(&any.join(","))).await?.is(201)?;
    let text = world.get(&namespace.widget("a")).await?.text();
    let mut cases = Cases::default();
    let fields = [("big", "", "12345678901234567"), ("count", "", "5"), ("ratio", "", "0.1")];
    for (name, sent, want) in numbers.into_iter().chain(fields) {
        let found = [",", "}"].iter().any(|end| text.contains(&format!("\"{name}\":{want}{end}")));
        cases.note(
            name,
            found.then_some(()).ok_or_else(|| anyhow::anyhow!("{sent} is not {want} in {text}")),
        );
    }
    let infinite = world.post_as(&path, "application/json", body("\"x\":1e400")).await?;
    cases.note("infinite", infinite.fails(400, "BadRequest"));
    cases.finish()
}

/// Posts a red Widget with these further fields of `spec`, which is not stored.
async fn post_red(world: &World<'_>, namespace: &Namespace, fields: &Value) -> Result<Answer> {
    let mut object = widget("a");
    for (name, value) in fields.as_object().into_iter().flatten() {
        object["spec"][name] = value.clone();
    }
    world.post(&dry(namespace, ""), &object).await
}

fn dry(namespace: &Namespace, query: &str) -> String {
    format!("{}?dryRun=All{query}", namespace.widgets())
}
