//! Links from objects to other systems.

use std::sync::Arc;

use api_kinds::{ClusterConfig, ProjectConfig, link::DeepLink};
use axum::{Router, extract::Path};
use core_rules::link::{LinkSubject, links};

use super::{freight, mount as add};
use crate::{api::Api, api_error::ApiResult, caller::Caller, document::Document, mirror::Object};

/// The name of the only ClusterConfig.
const CLUSTER: &str = "cluster";

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "GetStageLinks", stage_link_list);
    add(router, "GetFreightLinks", freight_link_list)
}

/// Lists the links of a Stage.
async fn stage_link_list(
    caller: Caller,
    Path((project, stage)): Path<(String, String)>,
) -> ApiResult<Document> {
    let stage = caller.get(&caller.mirrors().stages, &project, &stage).await?;
    answer(&caller, &project, LinkSubject::Stage, &stage)
}

/// Lists the links of a piece of Freight.
async fn freight_link_list(
    caller: Caller,
    Path((project, name_or_alias)): Path<(String, String)>,
) -> ApiResult<Document> {
    let piece = freight::find(&caller, &project, &name_or_alias).await?;
    answer(&caller, &project, LinkSubject::Freight, &piece.object)
}

fn answer(
    caller: &Caller,
    project: &str,
    subject: LinkSubject,
    object: &Object,
) -> ApiResult<Document> {
    let definitions = definitions(caller, project, subject);
    let now = caller.api().ports().clock.now();
    Document::of(&links(&definitions, subject, &object.value(), now))
}

/// What the installation and the Project say, which is for everybody who sees the object.
fn definitions(caller: &Caller, project: &str, subject: LinkSubject) -> Vec<DeepLink> {
    let mirrors = caller.mirrors();
    let cluster: Option<Arc<ClusterConfig>> =
        mirrors.cluster_configs.get("", CLUSTER).and_then(|config| config.typed());
    let own: Option<Arc<ProjectConfig>> =
        mirrors.project_configs.get(project, project).and_then(|config| config.typed());
    let of_cluster = cluster.iter().map(|config| match subject {
        LinkSubject::Stage => &config.spec.stage_links,
        LinkSubject::Freight => &config.spec.freight_links,
    });
    let of_project = own.iter().map(|config| match subject {
        LinkSubject::Stage => &config.spec.stage_links,
        LinkSubject::Freight => &config.spec.freight_links,
    });
    of_cluster.chain(of_project).flatten().cloned().collect()
}
