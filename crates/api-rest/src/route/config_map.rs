//! ConfigMaps.
//!
//! All scopes have the same six routes; the macro writes them out.

use super::{
    Permission, Route,
    access::core,
    delete, get, patch, post, put,
    tag::{CORE, GENERIC_CONFIG, PROJECT_LEVEL, SHARED as SHARED_TAG, SYSTEM_LEVEL},
};

const LIST: &[Permission] = &[core("list", "configmaps")];
const CREATE: &[Permission] = &[core("create", "configmaps")];
const GET: &[Permission] = &[core("get", "configmaps")];
const UPDATE: &[Permission] = &[core("get", "configmaps"), core("update", "configmaps")];
const DELETE: &[Permission] = &[core("delete", "configmaps")];

macro_rules! config_maps {
    ($name:ident, $base:literal, $scope:literal, $tags:expr) => {
        pub(super) const $name: &[Route] = &[
            get($base, concat!("List", $scope, "ConfigMaps"))
                .tags($tags)
                .gives("V1ConfigMapList")
                .as_caller(LIST),
            post($base, concat!("Create", $scope, "ConfigMap"))
                .tags($tags)
                .gives("V1ConfigMap")
                .takes("CreateConfigMapRequest")
                .answers(201)
                .as_caller(CREATE),
            get(concat!($base, "/{configmap}"), concat!("Get", $scope, "ConfigMap"))
                .tags($tags)
                .gives("V1ConfigMap")
                .as_caller(GET),
            put(concat!($base, "/{configmap}"), concat!("Update", $scope, "ConfigMap"))
                .tags($tags)
                .gives("V1ConfigMap")
                .takes("UpdateConfigMapRequest")
                .as_caller(UPDATE),
            patch(concat!($base, "/{configmap}"), concat!("Patch", $scope, "ConfigMap"))
                .tags($tags)
                .gives("V1ConfigMap")
                .takes("PatchConfigMapRequest")
                .as_caller(UPDATE),
            delete(concat!($base, "/{configmap}"), concat!("Delete", $scope, "ConfigMap"))
                .tags($tags)
                .as_caller(DELETE),
        ];
    };
}

config_maps!(
    PROJECT,
    "/v1beta1/projects/{project}/configmaps",
    "Project",
    &[CORE, GENERIC_CONFIG, PROJECT_LEVEL]
);
config_maps!(SHARED, "/v1beta1/shared/configmaps", "Shared", &[CORE, GENERIC_CONFIG, SHARED_TAG]);
config_maps!(SYSTEM, "/v1beta1/system/configmaps", "System", &[CORE, GENERIC_CONFIG, SYSTEM_LEVEL]);
