//! The server itself, and what concerns the whole installation.

use super::{
    Route,
    access::kargo,
    delete, get,
    parameter::WATCH,
    post,
    tag::{CLUSTER_SCOPED, CONFIG, SINGLETON, SYSTEM},
};

const CLUSTER_CONFIG: &[&str] = &[SYSTEM, CONFIG, CLUSTER_SCOPED, SINGLETON];

pub(super) const ROUTES: &[Route] = &[
    post("/v1beta1/login", "AdminLogin").tags(&[SYSTEM]).gives("AdminLoginResponse").public(),
    get("/v1beta1/system/public-server-config", "GetPublicConfig")
        .tags(&[SYSTEM, CONFIG])
        .gives("PublicConfig")
        .public(),
    get("/v1beta1/system/server-config", "GetConfig")
        .tags(&[SYSTEM, CONFIG])
        .gives("GetConfigResponse")
        .as_server("settings without secrets, which every user of the web interface needs"),
    get("/v1beta1/system/server-version", "GetVersionInfo")
        .tags(&[SYSTEM])
        .gives("VersionInfo")
        .as_server("the build is no secret to those who can log in"),
    get("/v1beta1/system/controller-heartbeats", "GetControllerHeartbeats")
        .tags(&[SYSTEM])
        .gives("GetControllerHeartbeatsResponse")
        .as_server("whether controllers live concerns whoever waits for them"),
    get("/v1beta1/system/cluster-config", "GetClusterConfig")
        .tags(CLUSTER_CONFIG)
        .gives("ClusterConfig")
        .query(&[WATCH])
        .as_caller(&[kargo("get", "clusterconfigs")]),
    post("/v1beta1/system/cluster-config/refresh", "RefreshClusterConfig")
        .tags(CLUSTER_CONFIG)
        .as_caller(&[kargo("patch", "clusterconfigs")]),
    delete("/v1beta1/system/cluster-config", "DeleteClusterConfig")
        .tags(CLUSTER_CONFIG)
        .as_caller(&[kargo("delete", "clusterconfigs")]),
];
