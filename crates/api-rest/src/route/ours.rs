//! What this server has beside upstream's routes.

use super::{
    Reply, Route,
    access::{core, kargo},
    get,
    parameter::{
        CONTINUE, FIELD_SELECTOR, FIELDS, LABEL_SELECTOR, LIMIT, Parameter, RESOURCE_VERSION,
        WATCH, many, text,
    },
    post,
    tag::{CORE, EVENTS, PROJECT_LEVEL, RBAC, SYSTEM},
};

const LIST: &[Parameter] =
    &[WATCH, RESOURCE_VERSION, LIMIT, CONTINUE, FIELDS, LABEL_SELECTOR, FIELD_SELECTOR];
const LIST_OF_STAGE: &[Parameter] = &[
    text("stage"),
    WATCH,
    RESOURCE_VERSION,
    LIMIT,
    CONTINUE,
    FIELDS,
    LABEL_SELECTOR,
    FIELD_SELECTOR,
];

pub(super) const ROUTES: &[Route] =
    &[
        Route {
            reply: Reply::Events,
            ..get("/v1beta1/projects/{project}/stream", "StreamProject")
                .tags(&[CORE, PROJECT_LEVEL])
                .query(&[many("kinds"), text("resourceVersion"), FIELDS])
                .as_caller(&[
                    kargo("watch", "stages"),
                    kargo("watch", "warehouses"),
                    kargo("watch", "freights"),
                    kargo("watch", "promotions"),
                    kargo("watch", "projectconfigs"),
                ])
        },
        post("/v1beta1/projects/{project}/eligibility", "CheckEligibility")
            .tags(&[CORE, PROJECT_LEVEL])
            .takes("EligibilityRequest")
            .gives("EligibilityResponse")
            .as_caller(&[kargo("list", "freights"), kargo("list", "stages")]),
        get(
            "/v1beta1/projects/{project}/promotions/{promotion}/steps/{step}/logs",
            "GetPromotionStepLogs",
        )
        .tags(&[CORE, PROJECT_LEVEL])
        .gives_text()
        .as_caller(&[kargo("get", "promotions")]),
        get(
            "/v1beta1/projects/{project}/promotions/{promotion}/steps/{step}/prompt",
            "GetPromotionStepPrompt",
        )
        .tags(&[CORE, PROJECT_LEVEL])
        .gives("StepPrompt")
        .as_caller(&[kargo("get", "promotions")]),
        // Who of those may answer is said by the rules of the step.
        post(
            "/v1beta1/projects/{project}/promotions/{promotion}/steps/{step}/responses",
            "RespondToPromotionStep",
        )
        .tags(&[CORE, PROJECT_LEVEL])
        .takes("RespondRequest")
        .gives("StepResponse")
        .as_caller(&[kargo("get", "promotions")]),
        get("/v1beta1/projects/{project}/targets", "ListTargets")
            .tags(&[CORE, PROJECT_LEVEL])
            .query(LIST)
            .gives("TargetList")
            .as_caller(&[kargo("list", "targets")]),
        get("/v1beta1/projects/{project}/targets/{target}", "GetTarget")
            .tags(&[CORE, PROJECT_LEVEL])
            .query(&[WATCH])
            .gives("Target")
            .as_caller(&[kargo("get", "targets")]),
        get("/v1beta1/projects/{project}/promotion-requests", "ListPromotionRequests")
            .tags(&[CORE, PROJECT_LEVEL])
            .query(LIST_OF_STAGE)
            .gives("PromotionRequestList")
            .as_caller(&[kargo("list", "promotionrequests")]),
        get(
            "/v1beta1/projects/{project}/promotion-requests/{promotion-request}",
            "GetPromotionRequest",
        )
        .tags(&[CORE, PROJECT_LEVEL])
        .query(&[WATCH])
        .gives("PromotionRequest")
        .as_caller(&[kargo("get", "promotionrequests")]),
        get("/v1beta1/system/schemas", "GetSchemas")
            .tags(&[SYSTEM])
            .gives("SchemasResponse")
            .as_server("what objects look like is no secret"),
        get("/v1beta1/system/announcements", "ListAnnouncements")
            .tags(&[SYSTEM])
            .gives("AnnouncementsResponse")
            .as_server("announcements are for everybody"),
        post("/v1beta1/access-review", "ReviewAccess")
            .tags(&[RBAC])
            .takes("AccessReviewRequest")
            .gives("AccessReviewResponse")
            .as_server("everybody may know what they themselves may do"),
        get("/v1beta1/activity", "ListActivity")
            .tags(&[EVENTS])
            .query(&[
                many("project"),
                many("kind"),
                many("reason"),
                text("actor"),
                text("since"),
                LIMIT,
                CONTINUE,
            ])
            .gives("V1EventList")
            .as_caller(&[core("list", "events")]),
        get("/v1beta1/overview", "GetOverview").tags(&[CORE]).gives("OverviewResponse").as_caller(
            &[kargo("list", "stages"), kargo("list", "promotions"), kargo("list", "warehouses")],
        ),
    ];
