//! All Projects at a glance.

use std::sync::Arc;

use api_kinds::{Promotion, Stage, Warehouse};
use api_rest::body::OverviewResponse;
use core_rules::overview::overview;
use serde::de::DeserializeOwned;

use crate::{
    api_error::ApiResult,
    caller::{Caller, Target, Verb},
    document::Document,
    mirror::Mirror,
    turn::Turn,
};

/// Counts what there is in each Project that the caller may look into.
pub(super) async fn overview_get(caller: Caller, _turn: Turn) -> ApiResult<Document> {
    let mirrors = caller.mirrors();
    let projects = mirrors.projects.ready()?.list("").objects;
    let mut answer = OverviewResponse::default();
    for project in projects {
        let name = &project.name;
        if !may_look(&caller, name).await? {
            continue;
        }
        let stages: Vec<Arc<Stage>> = typed(&mirrors.stages, name);
        let promotions: Vec<Arc<Promotion>> = typed(&mirrors.promotions, name);
        let warehouses: Vec<Arc<Warehouse>> = typed(&mirrors.warehouses, name);
        answer.items.push(overview(
            name,
            stages.iter().map(AsRef::as_ref),
            promotions.iter().map(AsRef::as_ref),
            warehouses.iter().map(AsRef::as_ref),
        ));
    }
    Document::of(&answer)
}

async fn may_look(caller: &Caller, project: &str) -> ApiResult<bool> {
    let mirrors = caller.mirrors();
    for mirror in [&mirrors.stages, &mirrors.promotions, &mirrors.warehouses] {
        let target = Target::all(mirror.ready()?.kind(), project);
        match caller.require(Verb::List, &target).await {
            Ok(_) => {}
            Err(error) if error.status() == http::StatusCode::FORBIDDEN => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

fn typed<T: DeserializeOwned + Send + Sync + 'static>(
    mirror: &Mirror,
    project: &str,
) -> Vec<Arc<T>> {
    mirror.list(project).objects.iter().filter_map(|object| object.typed()).collect()
}
