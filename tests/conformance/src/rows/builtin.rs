//! Row 131: the rules of Secrets and ConfigMaps.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    cases::Cases,
    expect::at,
    namespace::{Namespace, config_map},
    world::World,
};

const KEY_RULE: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  \
    or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const TOO_LONG: &str = "Too long: may not be more than 1048576 bytes";
const IMMUTABLE: &str = "Forbidden: field is immutable when `immutable` is set";
/// One byte more than Secrets and ConfigMaps may hold.
const TOO_MUCH: usize = 1024 * 1024 + 1;

pub(crate) async fn secrets_and_config_maps(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut cases = Cases::default();
    cases.note("stringData", string_data(world, &namespace).await);
    cases.note("bad Secrets", bad_secrets(world, &namespace).await);
    cases.note("typed Secrets", typed_secrets(world, &namespace).await);
    cases.note("fixed fields", fixed_fields(world, &namespace).await);
    cases.note("ConfigMaps", config_maps(world, &namespace).await);
    cases.finish()
}

fn secret(name: &str, content: Value) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    if let (Some(object), Value::Object(content)) = (object.as_object_mut(), content) {
        object.extend(content);
    }
    object
}

async fn string_data(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let content = json!({"data": {"a": "YQ==", "b": "Yg=="}, "stringData": {"b": "x", "c": "ü"}});
    let created = world.create(&namespace.core("secrets"), &secret("s", content)).await?;
    at(&created, "/data", json!({"a": "YQ==", "b": "eA==", "c": "w7w="}))?;
    at(&created, "/stringData", Value::Null)?;
    at(&created, "/type", "Opaque")?;
    let path = namespace.core("secrets/s");
    let patched = world.merge(&path, &json!({"stringData": {"a": "z"}})).await?.is(200)?;
    at(&patched, "/data", json!({"a": "eg==", "b": "eA==", "c": "w7w="}))?;
    at(&patched, "/stringData", Value::Null)
}

async fn refused(world: &World<'_>, namespace: &Namespace, content: Value) -> Result<Answer> {
    world.post(&namespace.core("secrets"), &secret("bad", content)).await
}

async fn bad_secrets(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let reply = refused(world, namespace, json!({"data": {"a": "!!"}})).await?;
    let message = "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte 0";
    reply.fails_saying(400, "BadRequest", message)?;
    let key = format!("Invalid value: \"a b\": {KEY_RULE}");
    let reply = refused(world, namespace, json!({"data": {"a b": "YQ=="}})).await?;
    reply.invalid(&[("data[a b]", "FieldValueInvalid", &key)])?;
    let reply = refused(world, namespace, json!({"stringData": {"..": "a"}})).await?;
    reply.invalid(&[(
        "data[..]",
        "FieldValueInvalid",
        "Invalid value: \"..\": must not be '..'",
    )])?;
    let reply =
        refused(world, namespace, json!({"stringData": {"a": "a".repeat(TOO_MUCH)}})).await?;
    reply.invalid(&[("data", "FieldValueTooLong", TOO_LONG)]).map(drop)
}

async fn typed_secrets(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let needed: [(&str, &[&str]); 6] = [
        ("kubernetes.io/tls", &["data[tls.crt]", "data[tls.key]"]),
        ("kubernetes.io/dockerconfigjson", &["data[.dockerconfigjson]"]),
        ("kubernetes.io/dockercfg", &["data[.dockercfg]"]),
        ("kubernetes.io/basic-auth", &["data[username]", "data[password]"]),
        ("kubernetes.io/ssh-auth", &["data[ssh-privatekey]"]),
        (
            "kubernetes.io/service-account-token",
            &["metadata.annotations[kubernetes.io/service-account.name]"],
        ),
    ];
    let mut cases = Cases::default();
    for (kind, fields) in needed {
        let causes: Vec<_> =
            fields.iter().map(|field| (*field, "FieldValueRequired", "Required value")).collect();
        cases.note(kind, refused(world, namespace, json!({"type": kind})).await?.invalid(&causes));
    }
    let content = json!({"type": "kubernetes.io/basic-auth", "stringData": {"username": "u"}});
    cases.note(
        "username only",
        world.create(&namespace.core("secrets"), &secret("basic", content)).await,
    );
    let content = json!({"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": "nojson"}});
    let reply = refused(world, namespace, content).await?;
    cases.note("no JSON", reply.fails_with(422, "Invalid", "<secret contents redacted>"));
    cases.finish()
}

async fn fixed_fields(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let content = json!({"immutable": true, "stringData": {"a": "b"}});
    world.create(&namespace.core("secrets"), &secret("fixed", content)).await?;
    let path = namespace.core("secrets/fixed");
    let reply = world.merge(&path, &json!({"type": "other"})).await?;
    reply.invalid(&[(
        "type",
        "FieldValueInvalid",
        "Invalid value: \"other\": field is immutable",
    )])?;
    let reply = world.merge(&path, &json!({"stringData": {"a": "c"}})).await?;
    reply.invalid(&[("data", "FieldValueForbidden", IMMUTABLE)])?;
    let reply = world.merge(&path, &json!({"immutable": false})).await?;
    reply.invalid(&[("immutable", "FieldValueForbidden", IMMUTABLE)])?;
    world.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}})).await?.is(200).map(drop)
}

async fn config_maps(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let maps = namespace.core("configmaps");
    let key = format!("Invalid value: \"a b\": {KEY_RULE}");
    let reply = world.post(&maps, &config_map("bad", json!({"a b": "x"}))).await?;
    reply.invalid(&[("data[a b]", "FieldValueInvalid", &key)])?;
    let mut both = config_map("bad", json!({"a": "x"}));
    both["binaryData"] = json!({"a": "YQ=="});
    let duplicate = "Invalid value: \"a\": duplicate of key present in binaryData";
    world.post(&maps, &both).await?.invalid(&[("data[a]", "FieldValueInvalid", duplicate)])?;
    let large = config_map("bad", json!({"a": "a".repeat(TOO_MUCH)}));
    world.post(&maps, &large).await?.invalid(&[("[]", "FieldValueTooLong", TOO_LONG)])?;
    world.post(&maps, &config_map("bad", json!({"a": 1}))).await?.fails(400, "BadRequest")?;
    let mut binary = config_map("binary", json!({}));
    binary["binaryData"] = json!({"a": "/w=="});
    at(&world.create(&maps, &binary).await?, "/binaryData/a", "/w==")?;
    let mut fixed = config_map("fixed", json!({"a": "x"}));
    fixed["immutable"] = json!(true);
    world.create(&maps, &fixed).await?;
    let reply = world.merge(&format!("{maps}/fixed"), &json!({"data": {"a": "y"}})).await?;
    reply.invalid(&[("data", "FieldValueForbidden", IMMUTABLE)]).map(drop)
}
