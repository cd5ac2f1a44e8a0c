//! `kargo explain`: whether Freight may enter a Stage, and what is in the way. The answer is the gate's, by the same rule
//! that the server and the controllers follow.

use api_kinds::{Freight, Stage};
use cli_client::Object;
use core_rules::{
    gate::{Answer, Arrival, PassingStages, Permission, Question, Situation, Verdict, judge},
    stage::is_control_flow,
};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::freight_and_stage::FreightAndStageArgs;
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

/// Say whether a piece of Freight may enter a Stage, and why not
#[derive(clap::Args, Debug)]
pub struct ExplainArgs {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    what: FreightAndStageArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn explain(env: &Env, args: &ExplainArgs) -> CliResult {
    let (freight, name) = args.what.both()?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let found = session.client.freight(&project).get(freight).await;
    let freight: Freight = typed(found.context(format!("get freight {freight}"))?)?;
    let stages = session.client.stages(&project).list().await.context("list stages")?.items;
    let stages = stages.into_iter().map(typed).collect::<CliResult<Vec<Stage>>>()?;
    let stage = stages.iter().find(|stage| stage.metadata.name.as_deref() == Some(name));
    let stage = stage.ok_or_else(|| {
        Failure::new(Exit::NotFound, format!("Stage {name:?} not found in project {project:?}"))
    })?;
    let passing_stages: PassingStages = stages
        .iter()
        .filter(|stage| is_control_flow(stage))
        .filter_map(|stage| stage.metadata.name.clone())
        .collect();
    let arrival =
        Arrival { freight: &freight, stage, passing_stages: &passing_stages, now: env.now() };
    let window = stage.status.promotion_window_status.as_ref();
    let answer = judge(&Situation::by_hand(arrival, Permission::NotAsked).with_window(window));
    show(env, args, &answer)
}

fn typed<T: DeserializeOwned>(object: Object) -> CliResult<T> {
    let what = format!("{} {}", object.kind().to_lowercase(), object.name());
    serde_json::from_value(object.into_value())
        .map_err(|error| Failure::error(format!("{what} cannot be read: {error}")))
}

fn show(env: &Env, args: &ExplainArgs, answer: &Answer) -> CliResult {
    let allows = answer.allows(Question::Enter);
    if let Some(format) = args.print.format()? {
        return env.out(&format.write(&args.print, &document(answer, allows))?);
    }
    let rows: Vec<Vec<String>> = answer
        .checks()
        .iter()
        .map(|check| {
            let changes = check.changes_at.map(|at| at.to_string()).unwrap_or_default();
            vec![
                check.name.to_string(),
                verdict(check.verdict).to_owned(),
                check.sentence.clone(),
                changes,
            ]
        })
        .collect();
    env.out(&env.table().draw(Some(&["CHECK", "RESULT", "REASON", "CHANGES AT"]), &rows))?;
    env.out_line(if allows { "\nmay be promoted" } else { "\nmay not be promoted" })
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Refused => "refused",
        Verdict::NotNeeded => "not needed",
    }
}

fn document(answer: &Answer, allows: bool) -> serde_json::Value {
    let checks: Vec<_> = answer
        .checks()
        .iter()
        .map(|check| {
            json!({
                "name": check.name.as_str(),
                "verdict": verdict(check.verdict),
                "reason": check.sentence,
                "changesAt": check.changes_at.map(|at| at.to_string()),
            })
        })
        .collect();
    json!({ "kind": "Explanation", "allowed": allows, "checks": checks })
}
