//! Promotions and the tasks that their steps come from.

use super::{
    Route,
    access::kargo,
    get,
    parameter::{
        CONTINUE, FIELD_SELECTOR, FIELDS, LABEL_SELECTOR, LIMIT, RESOURCE_VERSION, WATCH, many,
        text,
    },
    post,
    tag::{CLUSTER_SCOPED, CORE, PROJECT_LEVEL, SHARED},
};

const PROMOTION: &[&str] = &[CORE, PROJECT_LEVEL];
const CLUSTER_TASK: &[&str] = &[CORE, SHARED, CLUSTER_SCOPED];

pub(super) const ROUTES: &[Route] = &[
    get("/v1beta1/projects/{project}/promotions", "ListPromotions")
        .tags(PROMOTION)
        .gives("PromotionList")
        .query(&[
            text("stage"),
            many("phase").undocumented(),
            text("freight").undocumented(),
            text("actor").undocumented(),
            text("since").undocumented(),
            WATCH,
            RESOURCE_VERSION,
            LIMIT,
            CONTINUE,
            FIELDS,
            LABEL_SELECTOR,
            FIELD_SELECTOR,
        ])
        .as_caller(&[kargo("list", "promotions")]),
    get("/v1beta1/projects/{project}/promotions/{promotion}", "GetPromotion")
        .tags(PROMOTION)
        .gives("Promotion")
        .query(&[WATCH])
        .as_caller(&[kargo("get", "promotions")]),
    post("/v1beta1/projects/{project}/promotions/{promotion}/refresh", "RefreshPromotion")
        .tags(PROMOTION)
        .as_caller(&[kargo("get", "promotions")]),
    post("/v1beta1/projects/{project}/promotions/{promotion}/abort", "AbortPromotion")
        .tags(PROMOTION)
        .as_caller(&[kargo("get", "promotions"), kargo("patch", "promotions")]),
    get("/v1beta1/projects/{project}/promotion-tasks", "ListPromotionTasks")
        .tags(PROMOTION)
        .gives("PromotionTaskList")
        .as_caller(&[kargo("list", "promotiontasks")]),
    get("/v1beta1/projects/{project}/promotion-tasks/{promotion-task}", "GetPromotionTask")
        .tags(PROMOTION)
        .gives("PromotionTask")
        .as_caller(&[kargo("get", "promotiontasks")]),
    get("/v1beta1/shared/cluster-promotion-tasks", "ListClusterPromotionTasks")
        .tags(CLUSTER_TASK)
        .gives("ClusterPromotionTaskList")
        .as_caller(&[kargo("list", "clusterpromotiontasks")]),
    get(
        "/v1beta1/shared/cluster-promotion-tasks/{cluster-promotion-task}",
        "GetClusterPromotionTask",
    )
    .tags(CLUSTER_TASK)
    .gives("ClusterPromotionTask")
    .as_caller(&[kargo("get", "clusterpromotiontasks")]),
];
