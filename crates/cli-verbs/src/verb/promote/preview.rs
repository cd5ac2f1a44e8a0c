//! `--preview`: what a Promotion would do. The server says which Promotion it would create; its steps then run on this
//! machine as `kargo run --preview` does it, so that nothing is pushed, opened, merged, synced or sent.

use cli_client::{Effect, FreightChoice, Kind, Object};
use serde_json::{Value, json};

use super::PromoteArgs;
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    output::Format,
    session::Session,
};

const NOTE: &str = "the credentials of the Project stay on the server: steps that need some use those of this machine";

/// Shows what the Promotion would do.
pub(super) async fn preview(
    env: &Env,
    args: &PromoteArgs,
    session: &Session,
    project: &str,
) -> CliResult {
    session.check_dry_runs().await?;
    let promotion = would_be(session, project, args).await.context("preview promotion")?;
    let freight = session.client.freight(project).get(promotion.text("/spec/freight")).await;
    let stage = session.client.stages(project).get(promotion.text("/spec/stage")).await;
    let mut objects = vec![promotion, freight.context("get freight")?, stage.context("get stage")?];
    // Who may not read these may still preview what does not need them.
    for tasks in [session.client.promotion_tasks(project), session.client.cluster_promotion_tasks()]
    {
        objects.extend(tasks.list().await.map(|list| list.items).unwrap_or_default());
    }
    env.say(NOTE)?;
    if env.local_run.preview(documents(args, &objects)?, form(args)?).await? {
        return Ok(());
    }
    Err(Failure::new(Exit::PromotionFailed, "the Promotion would not succeed"))
}

/// The Promotion that the server would create.
async fn would_be(session: &Session, project: &str, args: &PromoteArgs) -> CliResult<Object> {
    let stage = args.stage.as_deref().unwrap_or_default();
    let mut spec = json!({ "stage": stage });
    if let Some(fields) = spec.as_object_mut() {
        let (field, value) = match args.choice() {
            FreightChoice::Name(name) => ("freight", Value::from(name)),
            FreightChoice::Alias(alias) => {
                let freight = session.client.freight(project).get(&alias).await?;
                ("freight", Value::from(freight.name()))
            }
            FreightChoice::Warehouse(name) => {
                ("origin", json!({ "kind": "Warehouse", "name": name }))
            }
        };
        fields.insert(field.to_owned(), value);
    }
    let mut promotion = Kind::PROMOTION.named("");
    if let Some(fields) = promotion.as_object_mut() {
        let metadata = json!({ "generateName": format!("{stage}-"), "namespace": project });
        fields.insert("metadata".to_owned(), metadata);
        fields.insert("spec".to_owned(), spec);
    }
    let manifest = promotion.to_string();
    let result = session.client.create_resources(manifest, Effect::DryRun).await?;
    let refused = result.errors.into_iter().next();
    match result.done.into_iter().next() {
        Some((_, promotion)) => Ok(promotion),
        None => Err(Failure::error(refused.unwrap_or_else(|| "no answer".to_owned()))),
    }
}

fn documents(args: &PromoteArgs, objects: &[Object]) -> CliResult<String> {
    let document =
        |object: &Object| Ok(format!("---\n{}", Format::Yaml.write(&args.print, object.value())?));
    objects.iter().map(document).collect()
}

/// The result can be had for people, or as a document.
fn form(args: &PromoteArgs) -> CliResult<&'static str> {
    match args.print.format()? {
        None | Some(Format::Table(_)) => Ok("text"),
        Some(Format::Json) => Ok("json"),
        Some(Format::Yaml) => Ok("yaml"),
        Some(_) => Err(Failure::usage("a preview is shown as json, as yaml, or in words")),
    }
}
