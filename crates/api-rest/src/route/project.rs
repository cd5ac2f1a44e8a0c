//! Projects and their configuration.

use super::{
    Route,
    access::{core, kargo},
    delete, get,
    parameter::{WATCH, flag, many, number, text},
    post,
    tag::{CLUSTER_SCOPED, CONFIG, CORE, EVENTS, PROJECT_LEVEL, SINGLETON},
};

const PROJECT: &[&str] = &[CORE, CLUSTER_SCOPED];
const PROJECT_CONFIG: &[&str] = &[CORE, PROJECT_LEVEL, CONFIG, SINGLETON];

pub(super) const ROUTES: &[Route] = &[
    get("/v1beta1/projects", "ListProjects")
        .tags(PROJECT)
        .gives("ListProjectsResponse")
        .query(&[flag("mine"), text("filter"), many("uid"), number("pageSize"), number("page")])
        .as_caller(&[kargo("list", "projects")]),
    get("/v1beta1/projects/{project}", "GetProject")
        .tags(PROJECT)
        .gives("Project")
        .as_caller(&[kargo("get", "projects")]),
    delete("/v1beta1/projects/{project}", "DeleteProject")
        .tags(PROJECT)
        .as_caller(&[kargo("delete", "projects")]),
    get("/v1beta1/projects/{project}/config", "GetProjectConfig")
        .tags(PROJECT_CONFIG)
        .gives("ProjectConfig")
        .query(&[WATCH])
        .as_caller(&[kargo("get", "projectconfigs")]),
    post("/v1beta1/projects/{project}/config/refresh", "RefreshProjectConfig")
        .tags(&[CORE, CONFIG, PROJECT_LEVEL, SINGLETON])
        .as_caller(&[kargo("get", "projectconfigs")]),
    delete("/v1beta1/projects/{project}/config", "DeleteProjectConfig")
        .tags(PROJECT_CONFIG)
        .as_caller(&[kargo("delete", "projectconfigs")]),
    get("/v1beta1/projects/{project}/events", "ListProjectEvents")
        .tags(&[EVENTS, PROJECT_LEVEL])
        .gives("V1EventList")
        .as_caller(&[core("list", "events")]),
    get("/v1beta1/projects/{project}/images", "ListImages")
        .tags(&[CORE, PROJECT_LEVEL])
        .gives("Images")
        .as_caller(&[kargo("list", "stages")]),
];
