//! Row 126, continued: ways in which somebody with few rights tries to come to more, each refused in the same words.
//!
//! The tables are in the files beside this one. An attempt that is not refused fails the row even where the words are
//! not compared.

mod bindings;
mod impersonation;
mod reach;
mod roles;
mod scene;

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use http::Method;
use serde_json::Value;

use self::scene::Scene;
use crate::{answer::Answer, cases::Cases, world::World};

pub(super) const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// A request, and how it is refused.
struct Attempt {
    title: &'static str,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Value,
    refusal: Refusal,
}

/// How an attempt is refused.
struct Refusal {
    code: u16,
    reason: &'static str,
    /// None where our words may differ.
    message: Option<String>,
}

/// Every attempt is refused, and nothing has come of it.
pub(super) async fn refused(world: &World<'_>) -> Result<()> {
    let scene = Scene::set(world).await?;
    let before = scene.rights().await?;
    let mut cases = Cases::default();
    for attempt in [
        roles::attempts(&scene),
        bindings::attempts(&scene),
        impersonation::attempts(&scene),
        reach::attempts(&scene),
    ]
    .into_iter()
    .flatten()
    {
        let title = attempt.title;
        cases.note(title, attempt.check(scene.caller()).await);
    }
    let after = scene.rights().await?;
    cases.note("the rights at the end", unchanged(&before, &after));
    cases.finish()
}

/// kube-apiserver gathers the rules from maps: their order says nothing.
fn unchanged(before: &Value, after: &Value) -> Result<()> {
    ensure!(rules(before)? == rules(after)?, "before {before}, after {after}");
    Ok(())
}

fn rules(rights: &Value) -> Result<BTreeSet<String>> {
    let rules = rights.as_array().with_context(|| format!("{rights} is no list of rules"))?;
    Ok(rules.iter().map(Value::to_string).collect())
}

impl Attempt {
    async fn check(self, caller: &World<'_>) -> Result<()> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = if self.body.is_null() { String::new() } else { self.body.to_string() };
        let answer = caller.send(self.method, &self.path, &headers, body).await?;
        self.refusal.check(&answer)
    }

    /// The same request with another header.
    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Refusal {
    fn check(&self, answer: &Answer) -> Result<()> {
        match &self.message {
            Some(message) => answer.fails_saying(self.code, self.reason, message),
            None => answer.fails(self.code, self.reason),
        }
        .map(drop)
    }

    fn forbidden(message: String) -> Self {
        Self { code: 403, reason: "Forbidden", message: Some(message) }
    }
}

/// What the request says about itself by its method: a body is JSON, a patch names its kind.
fn request(
    title: &'static str,
    method: Method,
    path: String,
    body: Value,
    refusal: Refusal,
) -> Attempt {
    let mut headers = Vec::new();
    if !body.is_null() {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    Attempt { title, method, path, headers, body, refusal }
}

/// A patch of a kind: `merge`, `json`, `strategic-merge` or `apply`.
fn patch(title: &'static str, kind: &str, path: String, body: Value, refusal: Refusal) -> Attempt {
    let content_type = match kind {
        "apply" => "application/apply-patch+yaml".to_owned(),
        kind => format!("application/{kind}-patch+json"),
    };
    let headers = vec![("content-type".to_owned(), content_type)];
    Attempt { title, method: Method::PATCH, path, headers, body, refusal }
}
