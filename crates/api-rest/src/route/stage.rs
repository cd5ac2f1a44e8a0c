//! Stages and Warehouses.

use super::{
    Route,
    access::kargo,
    delete, get,
    parameter::{
        CONTINUE, FIELD_SELECTOR, FIELDS, LABEL_SELECTOR, LIMIT, RESOURCE_VERSION, WATCH, many,
    },
    post,
    tag::{CORE, PROJECT_LEVEL, VERIFICATIONS},
};

const STAGE: &[&str] = &[CORE, PROJECT_LEVEL];
const VERIFICATION: &[&str] = &[VERIFICATIONS, PROJECT_LEVEL];

pub(super) const ROUTES: &[Route] = &[
    get("/v1beta1/projects/{project}/stages", "ListStages")
        .tags(STAGE)
        .gives("StageList")
        .query(&[
            many("freightOrigins"),
            WATCH,
            RESOURCE_VERSION,
            LIMIT,
            CONTINUE,
            FIELDS,
            LABEL_SELECTOR,
            FIELD_SELECTOR,
        ])
        .as_caller(&[kargo("list", "stages")]),
    get("/v1beta1/projects/{project}/stages/{stage}", "GetStage")
        .tags(STAGE)
        .gives("Stage")
        .query(&[WATCH])
        .as_caller(&[kargo("get", "stages")]),
    get("/v1beta1/projects/{project}/stages/{stage}/links", "GetStageLinks")
        .tags(STAGE)
        .gives("Links")
        .as_caller(&[kargo("get", "stages")]),
    post("/v1beta1/projects/{project}/stages/{stage}/refresh", "RefreshStage")
        .tags(STAGE)
        .as_caller(&[kargo("get", "stages")]),
    delete("/v1beta1/projects/{project}/stages/{stage}", "DeleteStage")
        .tags(STAGE)
        .as_caller(&[kargo("delete", "stages")]),
    post("/v1beta1/projects/{project}/stages/{stage}/promotions", "PromoteToStage")
        .tags(STAGE)
        .gives("Promotion")
        .takes("PromoteToStageRequest")
        .answers(201)
        .as_caller(&[
            kargo("get", "stages"),
            kargo("promote", "stages"),
            kargo("get", "freights"),
            kargo("create", "promotions"),
        ]),
    post("/v1beta1/projects/{project}/stages/{stage}/promotions/downstream", "PromoteDownstream")
        .tags(STAGE)
        .gives("PromoteDownstreamResponse")
        .takes("PromoteDownstreamRequest")
        .answers(201)
        .as_caller(&[
            kargo("get", "stages"),
            kargo("list", "stages"),
            kargo("promote", "stages"),
            kargo("get", "freights"),
            kargo("create", "promotions"),
        ]),
    post("/v1beta1/projects/{project}/stages/{stage}/verification", "Reverify")
        .tags(VERIFICATION)
        .as_caller(&[kargo("get", "stages"), kargo("patch", "stages")]),
    post("/v1beta1/projects/{project}/stages/{stage}/verification/abort", "AbortVerification")
        .tags(VERIFICATION)
        .as_caller(&[kargo("get", "stages"), kargo("patch", "stages")]),
    get("/v1beta1/projects/{project}/warehouses", "ListWarehouses")
        .tags(STAGE)
        .gives("WarehouseList")
        .query(&[WATCH, RESOURCE_VERSION, LIMIT, CONTINUE, FIELDS, LABEL_SELECTOR, FIELD_SELECTOR])
        .as_caller(&[kargo("list", "warehouses")]),
    get("/v1beta1/projects/{project}/warehouses/{warehouse}", "GetWarehouse")
        .tags(STAGE)
        .gives("Warehouse")
        .query(&[WATCH])
        .as_caller(&[kargo("get", "warehouses")]),
    post("/v1beta1/projects/{project}/warehouses/{warehouse}/refresh", "RefreshWarehouse")
        .tags(STAGE)
        .as_caller(&[kargo("get", "warehouses")]),
    delete("/v1beta1/projects/{project}/warehouses/{warehouse}", "DeleteWarehouse")
        .tags(STAGE)
        .as_caller(&[kargo("delete", "warehouses")]),
];
