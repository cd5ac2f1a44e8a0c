//! Rows 121–123: tokens of ServiceAccounts, asked for and kept in Secrets, and their review.

use std::time::Duration;

use anyhow::{Result, ensure};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::account::{Account, claims, token_path, token_request};
use crate::{
    difference::Difference,
    engine::Engine as Server,
    expect::{at, equal, matches, text},
    namespace::Namespace,
    patience::{soon, within},
    world::World,
};

const ISSUER: &str = "https://kubernetes.default.svc";
const REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";
/// kube-apiserver remembers that a token was good for ten seconds.
const FORGETS: Duration = Duration::from_secs(25);

pub(crate) async fn request(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "robot").await?;
    let path = token_path(&namespace, "robot");
    defaults(world, &namespace, &account).await?;
    bounds(world, &path).await?;
    other_account(world, &path).await?;
    let nobody = token_path(&namespace, "nobody");
    let reply = world.post(&nobody, &token_request(json!({}))).await?;
    reply.fails_saying(404, "NotFound", "serviceaccounts \"nobody\" not found")?;
    let other = world.create(&path, &token_request(json!({"audiences": ["other"]}))).await?;
    at(&other, "/spec/audiences", json!(["other"]))?;
    let other = text(&other, "/status/token")?;
    world.with_token(Some(other)).get("/api").await?.fails(401, "Unauthorized")?;
    bound(world, &namespace, &path).await?;
    account_deleted(world, &namespace, &account).await
}

async fn defaults(world: &World<'_>, namespace: &Namespace, account: &Account) -> Result<()> {
    let path = token_path(namespace, "robot");
    let issued = world.create(&path, &token_request(json!({}))).await?;
    at(&issued, "/kind", "TokenRequest")?;
    at(&issued, "/metadata/name", "robot")?;
    at(&issued, "/metadata/namespace", namespace.name.as_str())?;
    at(&issued, "/metadata/uid", account.uid.as_str())?;
    let spec = json!({"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": null});
    at(&issued, "/spec", spec)?;
    matches(
        "expiration",
        text(&issued, "/status/expirationTimestamp")?,
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    )?;
    let claims = claims(text(&issued, "/status/token")?)?;
    for (claim, want) in [
        ("aud", json!([ISSUER])),
        ("iss", json!(ISSUER)),
        ("sub", json!(account.user)),
        (
            "kubernetes.io",
            json!({"namespace": namespace.name,
            "serviceaccount": {"name": "robot", "uid": account.uid}}),
        ),
    ] {
        equal(claim, &claims[claim], &want)?;
    }
    let time = |claim: &str| claims[claim].as_u64().unwrap_or_default();
    ensure!(
        time("exp") == time("iat") + 3600 && time("nbf") == time("iat"),
        "wrong times in {claims}"
    );
    text(&claims, "/jti").map(drop)
}

async fn bounds(world: &World<'_>, path: &str) -> Result<()> {
    for (seconds, message) in [
        (599_u64, "may not specify a duration less than 10 minutes"),
        ((1 << 32) + 1, "may not specify a duration larger than 2^32 seconds"),
    ] {
        let reply = world.post(path, &token_request(json!({"expirationSeconds": seconds}))).await?;
        let message = format!("Invalid value: {seconds}: {message}");
        reply.invalid(&[("spec.expirationSeconds", "FieldValueInvalid", &message)])?;
    }
    let least = world.create(path, &token_request(json!({"expirationSeconds": 600}))).await?;
    at(&least, "/spec/expirationSeconds", 600)
}

/// A request may name the account of its path, and no other.
async fn other_account(world: &World<'_>, path: &str) -> Result<()> {
    for (field, code, reason, message) in [
        ("name", 422, "Invalid", "must match the service account name if specified"),
        ("uid", 409, "Conflict", "does not match the UID of the service account"),
    ] {
        let mut request = token_request(json!({}));
        request["metadata"] = json!({field: "other"});
        world.post(path, &request).await?.fails_with(code, reason, message)?;
    }
    Ok(())
}

async fn bound(world: &World<'_>, namespace: &Namespace, path: &str) -> Result<()> {
    let to = |kind: &str, more: Value| {
        let mut reference = json!({"apiVersion": "v1", "kind": kind, "name": "anchor"});
        if let (Some(reference), Value::Object(more)) = (reference.as_object_mut(), more) {
            reference.extend(more);
        }
        token_request(json!({"boundObjectRef": reference}))
    };
    let reply = world.post(path, &to("ConfigMap", json!({}))).await?;
    let message = "cannot bind token to object of type /v1, Kind=ConfigMap";
    reply.fails_saying(400, "BadRequest", message)?;
    let reply = world.post(path, &to("Secret", json!({}))).await?;
    reply.fails_saying(404, "NotFound", "secrets \"anchor\" not found")?;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "anchor"}});
    let secret = world.create(&namespace.core("secrets"), &secret).await?;
    world.post(path, &to("Secret", json!({"uid": "bad"}))).await?.fails(409, "Conflict")?;
    let issued = soon(async || world.create(path, &to("Secret", json!({}))).await).await?;
    let token = text(&issued, "/status/token")?;
    let want = json!({"name": "anchor", "uid": secret["metadata"]["uid"]});
    equal("bound secret", &claims(token)?["kubernetes.io"]["secret"], &want)?;
    let caller = world.with_token(Some(token));
    soon(async || caller.get("/api").await?.is(200)).await?;
    world.delete(&namespace.core("secrets/anchor")).await?.is(200)?;
    refused_soon(world, token).await
}

async fn account_deleted(
    world: &World<'_>,
    namespace: &Namespace,
    account: &Account,
) -> Result<()> {
    world.delete(&namespace.core("serviceaccounts/robot")).await?.is(200)?;
    refused_soon(world, &account.token).await
}

/// A token that lost its ground is refused at once; kube-apiserver forgets later.
async fn refused_soon(world: &World<'_>, token: &str) -> Result<()> {
    let patience = world.differs(Difference::AccessChangesAtOnce, Duration::ZERO, FORGETS);
    let caller = world.with_token(Some(token));
    within(patience, async || caller.get("/api").await?.fails(401, "Unauthorized").map(drop)).await
}

fn review_of(spec: Value) -> Value {
    json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec})
}

async fn reviewed(world: &World<'_>, spec: Value) -> Result<Value> {
    let answer = world.create(REVIEWS, &review_of(spec.clone())).await?;
    at(&answer, "/kind", "TokenReview")?;
    at(&answer, "/spec", spec)?;
    Ok(answer["status"].clone())
}

pub(crate) async fn review(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "robot").await?;
    let token = account.token.as_str();
    let status = reviewed(world, json!({"token": token})).await?;
    let identifier = format!("JTI={}", text(&claims(token)?, "/jti")?);
    let user = json!({"username": account.user, "uid": account.uid,
        "groups": ["system:serviceaccounts", format!("system:serviceaccounts:{}", namespace.name), "system:authenticated"],
        "extra": {"authentication.kubernetes.io/credential-id": [identifier]}});
    equal(
        "good token",
        &status,
        &json!({"authenticated": true, "user": user, "audiences": [ISSUER]}),
    )?;
    let bad = reviewed(world, json!({"token": "bad"})).await?;
    equal("bad token", &bad, &json!({"user": {}, "error": "invalid bearer token"}))?;
    let empty = world.post(REVIEWS, &review_of(json!({"token": ""}))).await?;
    empty.fails_saying(400, "BadRequest", "token is required for TokenReview in authentication")?;
    audiences(world, &namespace, token).await?;
    administrator(world).await
}

async fn audiences(world: &World<'_>, namespace: &Namespace, token: &str) -> Result<()> {
    let wrong = reviewed(world, json!({"token": token, "audiences": ["other"]})).await?;
    let error = format!(
        "[invalid bearer token, token audiences [\"{ISSUER}\"] is invalid for the target audiences \
        [\"other\"]]"
    );
    equal("other audience", &wrong, &json!({"user": {}, "error": error}))?;
    let path = token_path(namespace, "robot");
    let other = world.create(&path, &token_request(json!({"audiences": ["other"]}))).await?;
    let other = text(&other, "/status/token")?;
    at(&reviewed(world, json!({"token": other})).await?, "/authenticated", Value::Null)?;
    let right = reviewed(world, json!({"token": other, "audiences": ["other", "more"]})).await?;
    at(&right, "/authenticated", true)?;
    at(&right, "/audiences", json!(["other"]))
}

async fn administrator(world: &World<'_>) -> Result<()> {
    let token = world.kubeconfig().token.clone();
    let status = reviewed(world, json!({"token": token, "audiences": [ISSUER, "other"]})).await?;
    at(&status, "/authenticated", true)?;
    at(&status, "/user/groups", json!(["system:masters", "system:authenticated"]))?;
    at(&status, "/audiences", json!([ISSUER]))?;
    let other = reviewed(world, json!({"token": token, "audiences": ["other"]})).await?;
    at(&other, "/authenticated", Value::Null)
}

pub(crate) async fn secret(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = Account::new(world, &namespace, "robot").await?;
    let secrets = namespace.core("secrets");
    let filled = filled(world, &secrets).await?;
    at(
        &filled,
        "/metadata/annotations",
        json!({"kubernetes.io/service-account.name": "robot",
        "kubernetes.io/service-account.uid": account.uid}),
    )?;
    equal("namespace", &decoded(&filled, "namespace")?, &namespace.name)?;
    let authority = decoded(&filled, "ca.crt")?;
    ensure!(authority.starts_with("-----BEGIN CERTIFICATE-----"), "ca.crt is no certificate");
    let token = decoded(&filled, "token")?;
    let prefix = "kubernetes.io/serviceaccount";
    let want = json!({"iss": "kubernetes/serviceaccount", "sub": account.user,
        format!("{prefix}/namespace"): namespace.name, format!("{prefix}/secret.name"): "robot-token",
        format!("{prefix}/service-account.name"): "robot", format!("{prefix}/service-account.uid"): account.uid});
    equal("claims", &claims(&token)?, &want)?;
    let status = reviewed(world, json!({"token": token})).await?;
    at(&status, "/authenticated", true)?;
    at(&status, "/user/username", account.user.as_str())?;
    at(&status, "/user/extra", Value::Null)?;
    world.with_token(Some(&token)).get("/api").await?.is(200)?;
    secret_of_nobody(world, &secrets).await?;
    world.delete(&namespace.core("serviceaccounts/robot")).await?.is(200)?;
    soon(async || world.get(&format!("{secrets}/robot-token")).await?.is(404).map(drop)).await?;
    refused_soon(world, &token).await
}

/// The token Secret of the account; kube-controller-manager fills it a moment later.
async fn filled(world: &World<'_>, secrets: &str) -> Result<Value> {
    let created = world.create(secrets, &token_secret("robot-token", "robot")).await?;
    at(&created, "/type", "kubernetes.io/service-account-token")?;
    if world.differs(Difference::TokenSecretAtOnce, Server::Embedded, Server::Cluster)
        == Server::Embedded
    {
        return Ok(created);
    }
    soon(async || {
        let secret = world.read(&format!("{secrets}/robot-token")).await?;
        text(&secret, "/data/token")?;
        Ok(secret)
    })
    .await
}

/// A token Secret of an account that is not there goes away.
async fn secret_of_nobody(world: &World<'_>, secrets: &str) -> Result<()> {
    world.create(secrets, &token_secret("nobody-token", "nobody")).await?;
    soon(async || world.get(&format!("{secrets}/nobody-token")).await?.is(404).map(drop)).await
}

fn token_secret(name: &str, account: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {"name": name, "annotations": {"kubernetes.io/service-account.name": account}}})
}

fn decoded(secret: &Value, key: &str) -> Result<String> {
    let value = secret["data"][key].as_str().unwrap_or_default();
    Ok(String::from_utf8(BASE64_STANDARD.decode(value)?)?)
}
