//! What mutating webhooks do to an object.

use anyhow::Result;
use dev_testkit::server::webhook::{WebhookAnswer, allow, patch};
use serde_json::{Value, json};

use super::stand::{MUTATING, Stand};
use crate::{
    expect::{at, equal},
    namespace::widget,
};

/// Appends a name to `spec.path`.
fn append(request: &Value, name: &str) -> WebhookAnswer {
    let mut path = request["object"]["spec"]["path"].as_array().cloned().unwrap_or_default();
    path.push(json!(name));
    patch(&json!([{"op": "add", "path": "/spec/path", "value": path}]))
}

pub(super) async fn order(stand: &Stand<'_, '_>) -> Result<()> {
    for name in ["a1", "a2", "b1"] {
        stand.answer(name, move |request| append(request, name));
    }
    stand.configure(MUTATING, "conf-b", vec![stand.hook("b1", json!({}))]).await?;
    let both = vec![stand.hook("a1", json!({})), stand.hook("a2", json!({}))];
    stand.configure(MUTATING, "conf-a", both).await?;
    let created = stand.world.create(&stand.namespace.widgets(), &widget("w")).await?;
    at(&created, "/spec/path", json!(["a1", "a2", "b1"]))?;
    let again = stand.world.put(&stand.namespace.widget("w"), &created).await?.is(200)?;
    at(&again, "/spec/path", json!(["a1", "a2", "b1", "a1", "a2", "b1"]))
}

pub(super) async fn reinvocation(stand: &Stand<'_, '_>) -> Result<()> {
    stand.answer("first", |_| allow());
    stand.answer("never", |_| allow());
    stand.answer("last", |_| allow());
    stand.answer("changes", |request| append(request, "x"));
    let again = json!({"reinvocationPolicy": "IfNeeded"});
    let hooks = vec![
        stand.hook("first", again.clone()),
        stand.hook("never", json!({})),
        stand.hook("changes", again.clone()),
        stand.hook("last", again),
    ];
    stand.configure(MUTATING, "conf", hooks).await?;
    let created = stand.world.create(&stand.namespace.widgets(), &widget("w")).await?;
    at(&created, "/spec/path", json!(["x"]))?;
    let asked = ["first", "never", "changes", "last"].map(|name| stand.asked(name));
    equal("calls", &asked, &[2, 1, 1, 1])
}

/// Webhooks that answer each other's changes are asked once more, not forever.
pub(super) async fn quarrel(stand: &Stand<'_, '_>) -> Result<()> {
    stand.answer("yes", |request| append(request, "y"));
    stand.answer("no", |request| append(request, "n"));
    let again = json!({"reinvocationPolicy": "IfNeeded"});
    let hooks = vec![stand.hook("yes", again.clone()), stand.hook("no", again)];
    stand.configure(MUTATING, "conf", hooks).await?;
    let created = stand.world.create(&stand.namespace.widgets(), &widget("w")).await?;
    at(&created, "/spec/path", json!(["y", "n", "y", "n"]))?;
    equal("calls", &["yes", "no"].map(|name| stand.asked(name)), &[2, 2])
}

pub(super) async fn pruned_defaulted_and_validated(stand: &Stand<'_, '_>) -> Result<()> {
    stand.configure(MUTATING, "conf", vec![stand.hook("m", json!({}))]).await?;
    let widgets = stand.namespace.widgets();
    let operations = json!([{"op": "add", "path": "/spec/bogus", "value": 1},
        {"op": "remove", "path": "/spec/size"}, {"op": "add", "path": "/spec/sub", "value": {}}]);
    stand.answer("m", move |_| patch(&operations));
    let created = stand.world.create(&widgets, &widget("a")).await?;
    at(&created, "/spec", json!({"color": "red", "size": "medium", "sub": {"depth": 3}}))?;
    let pink = json!([{"op": "replace", "path": "/spec/color", "value": "pink"}]);
    stand.answer("m", move |_| patch(&pink));
    let refused = stand.world.post(&widgets, &widget("b")).await?;
    refused.fails_with(422, "Invalid", "spec.color: Unsupported value: \"pink\"").map(drop)
}
