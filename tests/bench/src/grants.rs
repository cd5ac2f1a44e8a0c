//! How soon a controller may read the Secrets of a new Project, and may no longer read those of a deleted one.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use dev_testkit::Client;
use http::Method;
use serde_json::json;

use crate::{
    engine::Engine,
    report::{Report, Row},
};

const PROJECTS: usize = 50;
/// What "within a second" is, for the slowest of all.
const LIMIT: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(1);

/// The slowest of 50 Projects, in both directions.
pub(crate) async fn measure(engine: &Engine, report: &mut Report) -> Result<()> {
    let (admin, controller) = (engine.client()?, engine.controller()?);
    let (mut given, mut taken) = (Duration::ZERO, Duration::ZERO);
    for number in 0..PROJECTS {
        let name = format!("grants-{number}");
        let begin = Instant::now();
        create(&admin, &name).await?;
        given = given.max(until(&controller, &name, true, begin).await?);
        let begin = Instant::now();
        delete(&admin, &name).await?;
        taken = taken.max(until(&controller, &name, false, begin).await?);
    }
    let limit = LIMIT.as_secs_f64();
    let row = |what, slowest: Duration| Row::at_most(what, slowest.as_secs_f64(), limit);
    report.add(row("a controller's Secret access follows a new Project, slowest of 50 (s)", given));
    report.add(row("the same, access gone with a deleted Project (s)", taken));
    Ok(())
}

const PATH: &str = "/apis/kargo.akuity.io/v1alpha1/projects";

async fn create(admin: &Client, name: &str) -> Result<()> {
    let body = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": name},
    });
    let reply = admin.json(Method::POST, PATH, &body).await?;
    ensure!(reply.status.is_success(), "create Project: {}", reply.text());
    Ok(())
}

async fn delete(admin: &Client, name: &str) -> Result<()> {
    let reply = admin.send(Method::DELETE, &format!("{PATH}/{name}"), &[], "").await?;
    ensure!(reply.status.is_success(), "delete Project: {}", reply.text());
    Ok(())
}

/// How long after `begin` the controller hears that it may, or that it may not.
async fn until(
    controller: &Client,
    namespace: &str,
    is_allowed: bool,
    begin: Instant,
) -> Result<Duration> {
    while may_read_secrets(controller, namespace).await? != is_allowed {
        ensure!(begin.elapsed() < PATIENCE, "access of {namespace} does not become {is_allowed}");
        tokio::time::sleep(PAUSE).await;
    }
    Ok(begin.elapsed())
}

/// What the controller hears when it asks about itself.
async fn may_read_secrets(controller: &Client, namespace: &str) -> Result<bool> {
    let attributes = json!({"verb": "get", "resource": "secrets", "namespace": namespace});
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    });
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let reply = controller.json(Method::POST, path, &review).await?;
    ensure!(reply.status.is_success(), "ask for access: {}", reply.text());
    let answer = reply.json();
    answer.pointer("/status/allowed").and_then(serde_json::Value::as_bool).context("no answer")
}
