//! `kargo rollback`: promotes what a Stage had before.

use cli_client::{FreightChoice, Object};
use serde_json::Value;

use super::promote::{Outcome, WaitArgs};
use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

/// Promote what a Stage had before
#[derive(clap::Args, Debug)]
pub struct RollbackArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// The Stage
    #[arg(long, value_name = "STAGE")]
    stage: Option<String>,
    /// The Warehouse whose Freight goes back, where the Stage has Freight of several
    #[arg(long, value_name = "WAREHOUSE")]
    warehouse: Option<String>,
    /// How many pieces of Freight to go back
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    steps: usize,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn rollback(env: &Env, args: &RollbackArgs) -> CliResult {
    cobra::required(&[("stage", args.stage.is_some())])?;
    let name = args.stage.as_deref().unwrap_or_default();
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let stage = session.client.stages(&project).get(name).await;
    let stage = stage.context(format!("get stage {name}"))?;
    let earlier = earlier_freight(&stage, args.warehouse.as_deref(), args.steps)?;
    env.say(&format!("rolling back stage {name} to freight {earlier}"))?;
    let choice = FreightChoice::Name(earlier.clone());
    let promoted = session.client.promote(&project, name, &choice).await;
    let created = promoted.context("roll back").map_err(|failure| match failure.exit {
        Exit::Error => failure.hint(format!(
            "if the Freight is no longer available to the Stage, `kargo approve --freight {earlier} --stage {name}` lets it in"
        )),
        _ => failure,
    })?;
    let outcome = Outcome { session: &session, project: &project, print: &args.print };
    Failure::joined(outcome.show(env, vec![created], args.wait).await?)
}

/// The Freight that the Stage had `steps` different pieces ago.
fn earlier_freight(stage: &Object, warehouse: Option<&str>, steps: usize) -> CliResult<String> {
    let history = stage.value().pointer("/status/freightHistory").and_then(Value::as_array);
    let history = history.map_or(&[][..], Vec::as_slice);
    let origin = origin_of(stage.name(), history.first(), warehouse)?;
    let names = history
        .iter()
        .filter_map(|collection| collection.get("items")?.get(&origin)?.get("name")?.as_str());
    let mut distinct: Vec<&str> = names.collect();
    distinct.dedup();
    match distinct.get(steps) {
        Some(name) if steps > 0 => Ok((*name).to_owned()),
        _ => Err(Failure::new(
            Exit::Conflict,
            format!(
                "stage {} has no Freight of {origin} that far back: {} in its history",
                stage.name(),
                distinct.len()
            ),
        )),
    }
}

fn origin_of(name: &str, current: Option<&Value>, warehouse: Option<&str>) -> CliResult<String> {
    if let Some(warehouse) = warehouse {
        return Ok(format!("Warehouse/{warehouse}"));
    }
    let items = current.and_then(|collection| collection.get("items")?.as_object());
    let origins: Vec<&String> = items.into_iter().flat_map(|items| items.keys()).collect();
    match origins.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(Failure::new(Exit::Conflict, format!("stage {name} has no Freight"))),
        _ => Err(Failure::usage(format!("stage {name} has Freight of several Warehouses"))
            .hint("say which one goes back with --warehouse")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stage(names: &[&str]) -> Object {
        let history: Vec<_> = names
            .iter()
            .map(|name| json!({ "items": { "Warehouse/w": { "name": name } } }))
            .collect();
        Object::new(json!({ "metadata": { "name": "s" }, "status": { "freightHistory": history } }))
    }

    #[test]
    fn the_piece_before_is_another_piece() {
        let stage = stage(&["c", "c", "b", "a"]);
        assert_eq!(earlier_freight(&stage, None, 1).unwrap(), "b");
        assert_eq!(earlier_freight(&stage, Some("w"), 2).unwrap(), "a");
        assert_eq!(earlier_freight(&stage, None, 3).unwrap_err().exit, Exit::Conflict);
    }

    #[test]
    fn a_stage_without_freight_has_nothing_to_go_back_to() {
        assert_eq!(
            earlier_freight(&stage(&[]), None, 1).unwrap_err().message,
            "stage s has no Freight"
        );
    }
}
