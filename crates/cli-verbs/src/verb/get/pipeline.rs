//! `kargo get pipeline`: the Stages of a Project as a tree, from their Warehouses down, with what is in them.

use std::collections::BTreeSet;

use cli_client::Object;
use serde_json::Value;

use crate::{
    env::Env,
    exit::{CliResult, Context as _},
    output::age,
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct PipelineArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Only what comes from a Warehouse
    #[arg(long, value_name = "WAREHOUSE")]
    warehouse: Option<String>,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn pipeline(env: &Env, args: &PipelineArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let stages = session.client.stages(&project).list().await.context("list stages")?.items;
    let warehouses = session.client.warehouses(&project).list().await;
    let warehouses = warehouses.context("list warehouses")?.items;
    let mut drawing = Drawing { stages: &stages, rows: Vec::new(), env };
    for warehouse in &warehouses {
        let is_wanted = args.warehouse.as_deref().is_none_or(|name| name == warehouse.name());
        if is_wanted {
            drawing.warehouse(warehouse);
        }
    }
    let head = ["PIPELINE", "FREIGHT", "HEALTH", "READY", "SINCE"];
    env.out(&env.table().draw(Some(&head), &drawing.rows))
}

struct Drawing<'a> {
    stages: &'a [Object],
    rows: Vec<Vec<String>>,
    env: &'a Env,
}

impl<'a> Drawing<'a> {
    fn warehouse(&mut self, warehouse: &Object) {
        let ready = warehouse.condition("Ready").map_or("Unknown", |(status, _)| status);
        self.rows.push(vec![
            format!("Warehouse/{}", warehouse.name()),
            String::new(),
            String::new(),
            ready.to_owned(),
            age(warehouse.created(), self.env.now()),
        ]);
        let mut drawn = BTreeSet::new();
        let first: Vec<&Object> =
            self.stages.iter().filter(|stage| is_direct(stage, warehouse.name())).collect();
        self.children(&first, warehouse.name(), "", &mut drawn);
    }

    fn children(
        &mut self,
        stages: &[&'a Object],
        warehouse: &str,
        indent: &str,
        drawn: &mut BTreeSet<String>,
    ) {
        for (at, stage) in stages.iter().enumerate() {
            let is_last = at + 1 == stages.len();
            let branch = if is_last { "└─ " } else { "├─ " };
            // A Stage that several lead to is drawn out once; that also ends cycles.
            let is_new = drawn.insert(stage.name().to_owned());
            self.stage(stage, warehouse, &format!("{indent}{branch}"), is_new);
            if is_new {
                let below = format!("{indent}{}", if is_last { "   " } else { "│  " });
                let next: Vec<&Object> = self
                    .stages
                    .iter()
                    .filter(|candidate| is_behind(candidate, stage.name(), warehouse))
                    .collect();
                self.children(&next, warehouse, &below, drawn);
            }
        }
    }

    fn stage(&mut self, stage: &Object, warehouse: &str, prefix: &str, is_new: bool) {
        if !is_new {
            let mut row = vec![format!("{prefix}{} (above)", stage.name())];
            row.resize(5, String::new());
            self.rows.push(row);
            return;
        }
        let ready = stage.condition("Ready").map_or("Unknown", |(status, _)| status);
        let promoted = stage.time("/status/lastPromotion/finishedAt");
        self.rows.push(vec![
            format!("{prefix}{}", stage.name()),
            current_freight(stage, warehouse),
            stage.text("/status/health/status").to_owned(),
            ready.to_owned(),
            promoted.map_or_else(String::new, |since| age(Some(since), self.env.now())),
        ]);
    }
}

/// What a Stage asks of a Warehouse's Freight.
fn requests<'a>(stage: &'a Object, warehouse: &str) -> impl Iterator<Item = &'a Value> {
    let requests = stage.value().pointer("/spec/requestedFreight").and_then(Value::as_array);
    let warehouse = warehouse.to_owned();
    requests.into_iter().flatten().filter(move |request| {
        request.pointer("/origin/name").and_then(Value::as_str) == Some(warehouse.as_str())
    })
}

fn is_direct(stage: &Object, warehouse: &str) -> bool {
    requests(stage, warehouse)
        .any(|request| request.pointer("/sources/direct").and_then(Value::as_bool) == Some(true))
}

fn is_behind(stage: &Object, upstream: &str, warehouse: &str) -> bool {
    requests(stage, warehouse).any(|request| {
        let stages = request.pointer("/sources/stages").and_then(Value::as_array);
        stages.is_some_and(|stages| stages.iter().any(|stage| stage == upstream))
    })
}

/// The tags and versions of what the Stage has from the Warehouse, else the name of it.
fn current_freight(stage: &Object, warehouse: &str) -> String {
    let items = stage.value().pointer("/status/freightHistory/0/items");
    let Some(freight) = items.and_then(|items| items.get(format!("Warehouse/{warehouse}"))) else {
        return String::new();
    };
    let parts = |list: &str, field: &str, length: usize| -> Vec<String> {
        let items = freight.get(list).and_then(Value::as_array).into_iter().flatten();
        items
            .filter_map(|item| item.get(field)?.as_str())
            .map(|text| text.chars().take(length).collect())
            .collect()
    };
    let versions =
        [parts("images", "tag", 40), parts("charts", "version", 40), parts("commits", "id", 7)];
    let versions = versions.concat();
    if versions.is_empty() {
        let name = freight.get("name").and_then(Value::as_str).unwrap_or_default();
        return name.chars().take(7).collect();
    }
    versions.join(", ")
}
