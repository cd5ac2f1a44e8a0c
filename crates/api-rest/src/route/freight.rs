//! Freight.

use super::{
    Route,
    access::kargo,
    delete, get,
    parameter::{
        CONTINUE, FIELD_SELECTOR, FIELDS, LABEL_SELECTOR, LIMIT, RESOURCE_VERSION, WATCH, flag,
        many, text,
    },
    patch, post,
    tag::{CORE, PROJECT_LEVEL},
};

const FREIGHT: &[&str] = &[CORE, PROJECT_LEVEL];

pub(super) const ROUTES: &[Route] = &[
    get("/v1beta1/projects/{project}/freight", "QueryFreightsRest")
        .tags(FREIGHT)
        .gives("QueryFreightResponse")
        .query(&[
            text("stage"),
            many("origins"),
            text("group"),
            text("groupBy"),
            text("orderBy"),
            flag("reverse"),
            WATCH,
            RESOURCE_VERSION,
            LIMIT,
            CONTINUE,
            FIELDS,
            LABEL_SELECTOR,
            FIELD_SELECTOR,
        ])
        .as_caller(&[kargo("list", "freights")]),
    get("/v1beta1/projects/{project}/freight/{freight-name-or-alias}", "GetFreight")
        .tags(FREIGHT)
        .gives("Freight")
        .as_caller(&[kargo("get", "freights")]),
    get("/v1beta1/projects/{project}/freight/{freight-name-or-alias}/links", "GetFreightLinks")
        .tags(FREIGHT)
        .gives("Links")
        .as_caller(&[kargo("get", "freights")]),
    post("/v1beta1/projects/{project}/freight/{freight-name-or-alias}/approve", "ApproveFreight")
        .tags(FREIGHT)
        .query(&[text("stage").required()])
        .as_caller(&[
            kargo("get", "freights"),
            kargo("get", "stages"),
            kargo("promote", "stages"),
            kargo("patch", "freights/status"),
        ]),
    patch("/v1beta1/projects/{project}/freight/{freight-name-or-alias}/alias", "PatchFreightAlias")
        .tags(FREIGHT)
        .query(&[text("newAlias").required()])
        .as_caller(&[
            kargo("get", "freights"),
            kargo("list", "freights"),
            kargo("patch", "freights"),
        ]),
    delete("/v1beta1/projects/{project}/freight/{freight-name-or-alias}", "DeleteFreight")
        .tags(FREIGHT)
        .as_caller(&[kargo("get", "freights"), kargo("delete", "freights")]),
];
