//! Steps that ask people, answered with the command line.

use anyhow::{Context, Result, ensure};
use dev_testkit::{binary, eventually};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{patience::PATIENCE, project::Project, stage::Stage, watching::phase_of, world::World};

/// What the command line ends with when somebody may not.
const DENIED: i32 = 4;
/// What it ends with when it is too late.
const CONFLICT: i32 = 5;

/// Somebody with a role of the Project, at the command line.
struct Person {
    server: String,
    project: &'static str,
    token: String,
}

impl Person {
    async fn with_role(world: &World, project: &Project, role: &str) -> Result<Self> {
        let account = format!("/api/v1/namespaces/{}/serviceaccounts/{role}", project.name);
        let is_there = async || Ok(project.client.get(&account).await?.status.is_success());
        eventually(PATIENCE, &format!("{role} is there"), is_there).await?;
        let body =
            json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
        let made = project.post(&format!("{account}/token"), &body).await?;
        let token = made["status"]["token"].as_str().context("no token")?.to_owned();
        Ok(Self { server: world.server.api_url(), project: project.name, token })
    }

    /// Answers a step, and returns the exit code and all that was said.
    async fn answers(&self, promotion: &str, step: &str, how: &[&str]) -> Result<(i32, String)> {
        let answered = Command::new(binary()?)
            .args(["respond", "promotion", promotion, "--project", self.project, "--step", step])
            .args(how)
            .env("KARGO_API_ADDRESS", &self.server)
            .env("KARGO_API_TOKEN", &self.token)
            .output()
            .await?;
        let said = [answered.stdout, answered.stderr].concat();
        let code = answered.status.code().context("it was killed")?;
        Ok((code, String::from_utf8_lossy(&said).into_owned()))
    }
}

async fn waits(project: &Project, promotion: &str, step: usize, words: &str) -> Result<()> {
    let waits = |it: &Value| {
        let record = &it["status"]["stepExecutionMetadata"][step];
        phase_of(it) == "Running" && record["status"] == "Running" && record["message"] == words
    };
    let what = format!("step {step} is {words}");
    project.await_that(&format!("promotions/{promotion}"), &what, waits).await.map(drop)
}

/// Nobody looks at these steps for an hour unless an answer wakes them.
fn steps() -> Value {
    let schema = json!({
        "type": "object", "required": ["window"],
        "properties": { "window": { "enum": ["day", "night"] } },
    });
    json!([
        { "uses": "wait-for-approval", "as": "ask",
            "config": { "approvers": [{ "role": "kargo-admin" }], "pollInterval": "1h" } },
        { "uses": "get-user-input", "as": "when",
            "config": { "display": "When?", "schema": schema, "pollInterval": "1h" } },
        { "uses": "compose-output", "as": "last",
            "config": { "window": "${{ outputs.when.values.window }}", "by": "${{ outputs.ask.responses[0].user }}" } },
    ])
}

/// The one who may not is refused, the one who may is heard at once, and so is who gives the values.
pub(crate) async fn answered(world: &World) -> Result<()> {
    let project = world.project("people-answer").await?;
    project.stage(Stage::new("dev").direct("web").steps(&steps())).await?;
    let admin = Person::with_role(world, &project, "kargo-admin").await?;
    let viewer = Person::with_role(world, &project, "kargo-viewer").await?;
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    waits(&project, &promotion, 0, "waiting for approval: 0 of 1 given").await?;
    let (code, said) = viewer.answers(&promotion, "ask", &["--approve"]).await?;
    ensure!(
        code == DENIED && said.contains("those with role \"kargo-admin\" only"),
        "{code}: {said}"
    );
    let (code, said) = admin.answers(&promotion, "ask", &["--approve", "--message", "go"]).await?;
    ensure!(code == 0, "{code}: {said}");
    let (code, said) = admin.answers(&promotion, "ask", &["--reject"]).await?;
    ensure!(code == CONFLICT, "{code}: {said}");
    waits(&project, &promotion, 1, "waiting for input").await?;
    let (code, said) = viewer.answers(&promotion, "when", &["--input", "window=noon"]).await?;
    ensure!(code == 1 && said.contains("/window"), "{code}: {said}");
    let (code, said) = viewer.answers(&promotion, "when", &["--input", "window=night"]).await?;
    ensure!(code == 0, "{code}: {said}");
    let ended = project.ended(&promotion, "Succeeded").await?;
    let state = &ended["status"]["state"];
    let user = format!("kubernetes:system:serviceaccount:{}:kargo-admin", project.name);
    ensure!(state["last"] == json!({ "window": "night", "by": user }), "{state}");
    ensure!(state["ask"]["responses"][0]["message"] == "go", "{state}");
    let event = project.told("PromotionAnswered", &promotion).await?;
    ensure!(event["message"].as_str().is_some_and(|it| it.contains("was answered")), "{event}");
    Ok(())
}

/// One who is against it is enough.
pub(crate) async fn rejected(world: &World) -> Result<()> {
    let project = world.project("people-reject").await?;
    project.stage(Stage::new("dev").direct("web").steps(&steps())).await?;
    let admin = Person::with_role(world, &project, "kargo-admin").await?;
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    waits(&project, &promotion, 0, "waiting for approval: 0 of 1 given").await?;
    let (code, said) =
        admin.answers(&promotion, "ask", &["--reject", "--message", "not today"]).await?;
    ensure!(code == 0, "{code}: {said}");
    let ended = project.ended(&promotion, "Failed").await?;
    let message = ended["status"]["message"].as_str().unwrap_or_default();
    ensure!(message.ends_with("kargo-admin: not today"), "{message}");
    ensure!(ended["status"]["state"]["ask"]["responses"][0]["action"] == "reject", "{ended}");
    Ok(())
}
