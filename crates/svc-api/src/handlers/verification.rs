//! Objects of Argo Rollouts that verify Freight.

use axum::{Router, extract::Path};

use super::{Gone, delete, get, list, mount as add};
use crate::{api::Api, api_error::ApiResult, caller::Caller, document::Document};

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "ListAnalysisTemplates", analysis_template_list);
    let router = add(router, "GetAnalysisTemplate", analysis_template_get);
    let router = add(router, "DeleteAnalysisTemplate", analysis_template_delete);
    let router = add(router, "ListClusterAnalysisTemplates", cluster_analysis_template_list);
    let router = add(router, "GetClusterAnalysisTemplate", cluster_analysis_template_get);
    let router = add(router, "DeleteClusterAnalysisTemplate", cluster_analysis_template_delete);
    add(router, "GetAnalysisRun", analysis_run_get)
}

/// Lists the AnalysisTemplates of a Project.
async fn analysis_template_list(
    caller: Caller,
    Path(project): Path<String>,
) -> ApiResult<Document> {
    list(&caller, &caller.mirrors().analysis()?.templates, &project).await
}

/// Returns an AnalysisTemplate.
async fn analysis_template_get(
    caller: Caller,
    Path((project, template)): Path<(String, String)>,
) -> ApiResult<Document> {
    get(&caller, &caller.mirrors().analysis()?.templates, &project, &template).await
}

/// Deletes an AnalysisTemplate.
async fn analysis_template_delete(
    caller: Caller,
    Path((project, template)): Path<(String, String)>,
) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().analysis()?.templates, &project, &template).await
}

/// Lists the ClusterAnalysisTemplates.
async fn cluster_analysis_template_list(caller: Caller) -> ApiResult<Document> {
    list(&caller, &caller.mirrors().analysis()?.cluster_templates, "").await
}

/// Returns a ClusterAnalysisTemplate.
async fn cluster_analysis_template_get(
    caller: Caller,
    Path(template): Path<String>,
) -> ApiResult<Document> {
    get(&caller, &caller.mirrors().analysis()?.cluster_templates, "", &template).await
}

/// Deletes a ClusterAnalysisTemplate.
async fn cluster_analysis_template_delete(
    caller: Caller,
    Path(template): Path<String>,
) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().analysis()?.cluster_templates, "", &template).await
}

/// Returns an AnalysisRun.
async fn analysis_run_get(
    caller: Caller,
    Path((project, run)): Path<(String, String)>,
) -> ApiResult<Document> {
    get(&caller, &caller.mirrors().analysis()?.runs, &project, &run).await
}
