//! What this server has beside upstream's routes.

use super::{
    Reply, Route,
    access::{core, kargo},
    get,
    parameter::{CONTINUE, FIELDS, LIMIT, many, text},
    post,
    tag::{CORE, EVENTS, PROJECT_LEVEL, RBAC},
};

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
