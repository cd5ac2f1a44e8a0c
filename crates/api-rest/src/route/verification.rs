//! Objects of Argo Rollouts that verify Freight.

use super::{
    Route,
    access::{argo, kargo},
    delete, get,
    parameter::text,
    tag::{CLUSTER_SCOPED, PROJECT_LEVEL, SHARED, VERIFICATIONS},
};

const PROJECT: &[&str] = &[VERIFICATIONS, PROJECT_LEVEL];
const CLUSTER: &[&str] = &[VERIFICATIONS, SHARED, CLUSTER_SCOPED];

pub(super) const ROUTES: &[Route] = &[
    get("/v1beta1/projects/{project}/analysis-templates", "ListAnalysisTemplates")
        .tags(PROJECT)
        .gives("RolloutsAnalysisTemplateList")
        .as_caller(&[argo("list", "analysistemplates")]),
    get(
        "/v1beta1/projects/{project}/analysis-templates/{analysis-template}",
        "GetAnalysisTemplate",
    )
    .tags(PROJECT)
    .gives("RolloutsAnalysisTemplate")
    .as_caller(&[argo("get", "analysistemplates")]),
    delete(
        "/v1beta1/projects/{project}/analysis-templates/{analysis-template}",
        "DeleteAnalysisTemplate",
    )
    .tags(PROJECT)
    .as_caller(&[argo("delete", "analysistemplates")]),
    get("/v1beta1/projects/{project}/analysis-runs/{analysis-run}", "GetAnalysisRun")
        .tags(PROJECT)
        .gives("RolloutsAnalysisRun")
        .as_caller(&[argo("get", "analysisruns")]),
    get("/v1beta1/projects/{project}/analysis-runs/{analysis-run}/logs", "GetAnalysisRunLogs")
        .tags(PROJECT)
        .gives_text()
        .query(&[text("metricName"), text("containerName")])
        .as_caller(&[argo("get", "analysisruns"), kargo("get", "stages")]),
    get("/v1beta1/shared/cluster-analysis-templates", "ListClusterAnalysisTemplates")
        .tags(CLUSTER)
        .gives("RolloutsClusterAnalysisTemplateList")
        .as_caller(&[argo("list", "clusteranalysistemplates")]),
    get(
        "/v1beta1/shared/cluster-analysis-templates/{cluster-analysis-template}",
        "GetClusterAnalysisTemplate",
    )
    .tags(CLUSTER)
    .gives("RolloutsClusterAnalysisTemplate")
    .as_caller(&[argo("get", "clusteranalysistemplates")]),
    delete(
        "/v1beta1/shared/cluster-analysis-templates/{cluster-analysis-template}",
        "DeleteClusterAnalysisTemplate",
    )
    .tags(CLUSTER)
    .as_caller(&[argo("delete", "clusteranalysistemplates")]),
];
