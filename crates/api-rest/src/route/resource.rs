//! Objects of any kind, many at once.

use super::{
    Permission, Route, delete,
    parameter::{DRY_RUN, FIELD_MANAGER, FORCE, STRICT, flag},
    post, put,
    tag::RESOURCES,
};

const fn any(verb: &'static str) -> Permission {
    Permission { verb, group: "*", resource: "*" }
}

pub(super) const ROUTES: &[Route] = &[
    post("/v1beta1/resources", "CreateResource")
        .tags(&[RESOURCES])
        .gives("ResourceResults")
        .query(&[DRY_RUN, STRICT])
        .takes_manifests()
        .answers(201)
        .as_caller(&[any("get"), any("create")]),
    put("/v1beta1/resources", "UpdateResource")
        .tags(&[RESOURCES])
        .gives("ResourceResults")
        .query(&[flag("upsert"), DRY_RUN, STRICT, FIELD_MANAGER, FORCE])
        .takes_manifests()
        .as_caller(&[any("get"), any("update"), any("patch"), any("create")]),
    delete("/v1beta1/resources", "DeleteResource")
        .tags(&[RESOURCES])
        .gives("ResourceResults")
        .query(&[DRY_RUN, STRICT])
        .takes_manifests()
        .answers(200)
        .as_caller(&[any("delete")]),
];
