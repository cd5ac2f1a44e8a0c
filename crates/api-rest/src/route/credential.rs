//! Credentials, which are Secrets: those of repositories, and any others.
//!
//! All scopes have the same six routes; the macro writes them out.

use super::{
    Access, Permission, Route,
    access::core,
    delete, get, patch, post, put,
    tag::{
        CREDENTIALS, GENERIC_CREDENTIALS, PROJECT_LEVEL, REPO_CREDENTIALS, SHARED, SYSTEM_LEVEL,
    },
};

const CREATE: &[Permission] = &[core("create", "secrets")];
const GET: &[Permission] = &[core("get", "secrets")];
const UPDATE: &[Permission] = &[core("get", "secrets"), core("update", "secrets")];
const DELETE: &[Permission] = &[core("get", "secrets"), core("delete", "secrets")];

const LIST: Access = Access::Caller(&[core("list", "secrets")]);
const LIST_SHARED: Access =
    Access::Server("every Project may use them, so every user may know which there are");

macro_rules! credentials {
    ($name:ident, $base:literal, $parameter:literal, $scope:literal, $kind:literal, $tags:expr, $list:expr) => {
        pub(super) const $name: &[Route] = &[
            Route {
                access: $list,
                ..get($base, concat!("List", $scope, $kind)).tags($tags).gives("V1SecretList")
            },
            post($base, concat!("Create", $scope, $kind))
                .tags($tags)
                .gives("V1Secret")
                .takes(concat!("Create", $kind, "Request"))
                .answers(201)
                .as_caller(CREATE),
            get(concat!($base, $parameter), concat!("Get", $scope, $kind))
                .tags($tags)
                .gives("V1Secret")
                .as_caller(GET),
            put(concat!($base, $parameter), concat!("Update", $scope, $kind))
                .tags($tags)
                .gives("V1Secret")
                .takes(concat!("Update", $kind, "Request"))
                .as_caller(UPDATE),
            patch(concat!($base, $parameter), concat!("Patch", $scope, $kind))
                .tags($tags)
                .gives("V1Secret")
                .takes(concat!("Patch", $kind, "Request"))
                .as_caller(UPDATE),
            delete(concat!($base, $parameter), concat!("Delete", $scope, $kind))
                .tags($tags)
                .as_caller(DELETE),
        ];
    };
}

credentials!(
    PROJECT_REPO,
    "/v1beta1/projects/{project}/repo-credentials",
    "/{repo-credentials}",
    "Project",
    "RepoCredentials",
    &[CREDENTIALS, REPO_CREDENTIALS, PROJECT_LEVEL],
    LIST
);
credentials!(
    SHARED_REPO,
    "/v1beta1/shared/repo-credentials",
    "/{repo-credentials}",
    "Shared",
    "RepoCredentials",
    &[CREDENTIALS, REPO_CREDENTIALS, SHARED],
    LIST_SHARED
);
credentials!(
    PROJECT_GENERIC,
    "/v1beta1/projects/{project}/generic-credentials",
    "/{generic-credentials}",
    "Project",
    "GenericCredentials",
    &[CREDENTIALS, GENERIC_CREDENTIALS, PROJECT_LEVEL],
    LIST
);
credentials!(
    SHARED_GENERIC,
    "/v1beta1/shared/generic-credentials",
    "/{generic-credentials}",
    "Shared",
    "GenericCredentials",
    &[CREDENTIALS, GENERIC_CREDENTIALS, SHARED],
    LIST_SHARED
);
credentials!(
    SYSTEM_GENERIC,
    "/v1beta1/system/generic-credentials",
    "/{generic-credentials}",
    "System",
    "GenericCredentials",
    &[CREDENTIALS, GENERIC_CREDENTIALS, SYSTEM_LEVEL],
    LIST
);
